/* SPDX-License-Identifier: MIT
 *
 * tile-sweep-vectors-impl.h: template (each-type.h, tile-impl.h): the sweeps of a tile with a row held in registers. A row
 * that goes through memory shifted by one pixel waits for its own store; here the row before stays where it is and is
 * shifted there. The variant gives VECTOR, its loads, stores and byte shifts, DIFFERS(sum, a, b): sum | (a ^ b), and
 * V_BYTES_SET(v): a bit for each byte that is not 0. */
#if LEVELS == 256
#define V_MAX(a, b) V_OP(max_epu8)(a, b)
#define V_MIN(a, b) V_OP(min_epu8)(a, b)
#define V_LOWEST V_ZERO
#elif LEVELS == 65536
#define V_MAX(a, b) V_OP(max_epu16)(a, b)
#define V_MIN(a, b) V_OP(min_epu16)(a, b)
#define V_LOWEST V_ZERO
#elif defined(PIXEL_IS_FLOAT)
#define V_MAX(a, b) V_FROM_FLOAT(V_OP(max_ps)(V_TO_FLOAT(a), V_TO_FLOAT(b)))
#define V_MIN(a, b) V_FROM_FLOAT(V_OP(min_ps)(V_TO_FLOAT(a), V_TO_FLOAT(b)))
#define V_LOWEST V_FROM_FLOAT(V_OP(set1_ps)(LOWEST))
#else
#define V_MAX(a, b) V_OP(max_epi32)(a, b)
#define V_MIN(a, b) V_OP(min_epi32)(a, b)
#define V_LOWEST V_OP(set1_epi32)(LOWEST)
#endif

enum { TYPED(N_VECTORS) = sizeof(TYPED(Row)) / (sizeof(VECTOR)) };

/* One row takes from the row before it. Marks the places that rise in `risen`; true if there are. */
static inline __attribute__((always_inline)) bool
TYPED(sweep_row)(PIXEL *marker, const PIXEL *mask, VECTOR last[TYPED(N_VECTORS)], VECTOR risen[TYPED(N_VECTORS)],
                 bool eight)
{
  const VECTOR lowest = V_LOWEST;
  VECTOR now[TYPED(N_VECTORS)], any = V_ZERO;
  for (int k = 0; k < TYPED(N_VECTORS); k++) {
    const VECTOR old = V_LOAD_ALIGNED((const VECTOR *)marker + k);
    VECTOR v = V_MAX(old, last[k]);
    if (eight) {
      const VECTOR before = k > 0 ? last[k - 1] : lowest;
      const VECTOR after = k + 1 < TYPED(N_VECTORS) ? last[k + 1] : lowest;
      const VECTOR left = V_FROM_BEFORE(before, last[k], sizeof(PIXEL));
      const VECTOR right = V_FROM_AFTER(last[k], after, sizeof(PIXEL));
      v = V_MAX(v, V_MAX(left, right));
    }
    v = V_MIN(v, V_LOAD_ALIGNED((const VECTOR *)mask + k));
    any = DIFFERS(any, v, old);
    risen[k] = DIFFERS(risen[k], v, old);
    V_STORE_ALIGNED((VECTOR *)marker + k, v);
    now[k] = v;
  }
  for (int k = 0; k < TYPED(N_VECTORS); k++)
    last[k] = now[k];
  return V_BYTES_SET(any) != 0;
}

/* From row `from` on by `step`: through the row after `sure`, whatever happens (a test of each would be guesswork), then as
 * long as a row changes. Returns the last row that may have changed. */
static inline __attribute__((always_inline)) int
TYPED(sweep_one_way)(TYPED(Row) * marker, const TYPED(Row) * mask, int from, int step, int sure, Span *places,
                     bool eight)
{
  VECTOR last[TYPED(N_VECTORS)], risen[TYPED(N_VECTORS)];
  for (int k = 0; k < TYPED(N_VECTORS); k++) {
    last[k] = V_LOAD_ALIGNED((const VECTOR *)marker[from] + k);
    risen[k] = V_ZERO;
  }
  const int end = step > 0 ? SIDE - 1 : 0;
  int y = from;
  for (const int stop = sure == end ? end : sure + step; y != stop; y += step)
    TYPED(sweep_row)(marker[y + step], mask[y + step], last, risen, eight);
  while (y != end && TYPED(sweep_row)(marker[y + step], mask[y + step], last, risen, eight))
    y += step;
  *places = NO_SPAN;
  for (int k = 0; k < TYPED(N_VECTORS); k++) {
    const uint64_t set = V_BYTES_SET(risen[k]);
    const int start = k * (int)sizeof(VECTOR);
    if (set)
      *places = join(*places, (Span){ (start + __builtin_ctzll(set)) / (int)sizeof(PIXEL),
                                      (start + 63 - __builtin_clzll(set)) / (int)sizeof(PIXEL) });
  }
  return y;
}

/* Down, then up, from the rows that may give; what may give after that remains in *rows. The places that have risen. */
static inline __attribute__((always_inline)) Span
TYPED(sweep_as)(TYPED(Row) * marker, const TYPED(Row) * mask, Span *rows, bool eight)
{
  Span down, up;
  const int bottom = TYPED(sweep_one_way)(marker, mask, rows->first, 1, rows->last, &down, eight);
  const int top = TYPED(sweep_one_way)(marker, mask, bottom, -1, rows->first, &up, eight);
  *rows = eight && !is_empty(up) ? (Span){ top, bottom } : NO_SPAN;
  return join(down, up);
}

static Span
TYPED(sweep)(TYPED(Row) * marker, const TYPED(Row) * mask, Span *rows, bool eight)
{
  if (is_empty(*rows))
    return NO_SPAN;
  return eight ? TYPED(sweep_as)(marker, mask, rows, true) : TYPED(sweep_as)(marker, mask, rows, false);
}
#undef V_MAX
#undef V_MIN
#undef V_LOWEST
