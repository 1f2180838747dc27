/* SPDX-License-Identifier: MIT
 *
 * tile-transpose-impl.h: template (each-type.h, tile-impl.h): the transpose of a tile, by blocks of as many rows as 16
 * bytes hold pixels. Interleaving row i with row i + half, log2 of the block times over, transposes a block in registers. */
enum { TYPED(BLOCK) = 16 / sizeof(PIXEL) };
typedef PIXEL TYPED(Lane) __attribute__((vector_size(16)));

#if LEVELS == 256
#define LOW_HALVES 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23
#define HIGH_HALVES 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31
#elif LEVELS == 65536
#define LOW_HALVES 0, 8, 1, 9, 2, 10, 3, 11
#define HIGH_HALVES 4, 12, 5, 13, 6, 14, 7, 15
#else
#define LOW_HALVES 0, 4, 1, 5
#define HIGH_HALVES 2, 6, 3, 7
#endif

static inline void
TYPED(interleave)(TYPED(Lane) to[TYPED(BLOCK)], const TYPED(Lane) from[TYPED(BLOCK)])
{
  for (int i = 0; i < TYPED(BLOCK) / 2; i++) {
    to[2 * i] = __builtin_shufflevector(from[i], from[i + TYPED(BLOCK) / 2], LOW_HALVES);
    to[2 * i + 1] = __builtin_shufflevector(from[i], from[i + TYPED(BLOCK) / 2], HIGH_HALVES);
  }
}
#undef LOW_HALVES
#undef HIGH_HALVES

#ifdef VECTOR
#if LEVELS == 256
#define V_LOW_HALVES(a, b) V_OP(unpacklo_epi8)(a, b)
#define V_HIGH_HALVES(a, b) V_OP(unpackhi_epi8)(a, b)
#elif LEVELS == 65536
#define V_LOW_HALVES(a, b) V_OP(unpacklo_epi16)(a, b)
#define V_HIGH_HALVES(a, b) V_OP(unpackhi_epi16)(a, b)
#else
#define V_LOW_HALVES(a, b) V_OP(unpacklo_epi32)(a, b)
#define V_HIGH_HALVES(a, b) V_OP(unpackhi_epi32)(a, b)
#endif
enum { TYPED(LANES) = sizeof(VECTOR) / 16, TYPED(WIDE) = sizeof(VECTOR) / sizeof(PIXEL) };

/* Blocks side by side, in the lanes of one vector each, transposed where they stand. */
static inline void
TYPED(transpose_lanes)(VECTOR to[TYPED(BLOCK)], const TYPED(Row) *restrict from, int x)
{
  VECTOR a[TYPED(BLOCK)], b[TYPED(BLOCK)];
  for (int i = 0; i < TYPED(BLOCK); i++)
    a[i] = V_LOAD_ALIGNED((const VECTOR *)&from[i][x]);
  for (int n = TYPED(BLOCK); n > 1; n /= 2) {
    for (int i = 0; i < TYPED(BLOCK) / 2; i++) {
      b[2 * i] = V_LOW_HALVES(a[i], a[i + TYPED(BLOCK) / 2]);
      b[2 * i + 1] = V_HIGH_HALVES(a[i], a[i + TYPED(BLOCK) / 2]);
    }
    for (int i = 0; i < TYPED(BLOCK); i++)
      a[i] = b[i];
  }
  for (int i = 0; i < TYPED(BLOCK); i++)
    to[i] = a[i];
}

/* As many rows at a time as a vector is wide; then the lanes change places. */
static void
TYPED(transpose_wide)(TYPED(Row) *restrict to, const TYPED(Row) *restrict from)
{
  for (int x = 0; x < SIDE; x += TYPED(WIDE))
    for (int y = 0; y < SIDE; y += TYPED(WIDE)) {
      VECTOR lanes[TYPED(LANES)][TYPED(BLOCK)], out[TYPED(LANES)];
      for (int k = 0; k < TYPED(LANES); k++)
        TYPED(transpose_lanes)(lanes[k], from + y + k * TYPED(BLOCK), x);
      for (int i = 0; i < TYPED(BLOCK); i++) {
        V_TRANSPOSE_LANES(out, lanes, i);
        for (int k = 0; k < TYPED(LANES); k++)
          V_STORE_ALIGNED((VECTOR *)&to[x + k * TYPED(BLOCK) + i][y], out[k]);
      }
    }
}
#undef V_LOW_HALVES
#undef V_HIGH_HALVES
#endif

/* The blocks that hold `columns` of `from`, at least. */
static void
TYPED(transpose)(TYPED(Row) *restrict to, const TYPED(Row) *restrict from, Span columns)
{
#ifdef VECTOR
  if (columns.last - columns.first >= WIDE_FROM * TYPED(BLOCK)) {
    TYPED(transpose_wide)(to, from);
    return;
  }
#endif
  for (int x = columns.first / TYPED(BLOCK) * TYPED(BLOCK); x <= columns.last; x += TYPED(BLOCK))
    for (int y = 0; y < SIDE; y += TYPED(BLOCK)) {
      TYPED(Lane) a[TYPED(BLOCK)], b[TYPED(BLOCK)];
      for (int i = 0; i < TYPED(BLOCK); i++)
        a[i] = *(const TYPED(Lane) *)&from[y + i][x];
      TYPED(interleave)(b, a);
      TYPED(interleave)(a, b);
      if (TYPED(BLOCK) >= 8)
        TYPED(interleave)(b, a);
      if (TYPED(BLOCK) == 16)
        TYPED(interleave)(a, b);
      for (int i = 0; i < TYPED(BLOCK); i++)
        *(TYPED(Lane) *)&to[x + i][y] = TYPED(BLOCK) == 8 ? b[i] : a[i];
    }
}
