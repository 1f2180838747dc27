/* SPDX-License-Identifier: MIT
 *
 * tile-sweep-loops-impl.h: template (each-type.h, tile-impl.h): the sweeps of a tile as loops over a row, for compilers to
 * make vectors of. */

#ifdef PIXEL_IS_FLOAT
#define MARK(mark, v, old) TYPED(max)((v) - (old), mark) /* of two equal infinities NaN, which is not above mark */
#else
#define MARK(mark, v, old) ((mark) | ((v) ^ (old)))
#endif

/* One row takes from the row before it; that one is framed by LOWEST. Marks the places that rise; true if there are. */
static inline bool
TYPED(sweep_row)(PIXEL *restrict marker, const PIXEL *restrict mask, const PIXEL *restrict last, PIXEL *restrict now,
                 PIXEL *restrict rises, bool eight)
{
  PIXEL any = 0;
  for (int x = 0; x < SIDE; x++) {
    const PIXEL old = marker[x];
    PIXEL v = TYPED(max)(old, last[x]);
    if (eight)
      v = TYPED(max)(v, TYPED(max)(last[x - 1], last[x + 1]));
    v = TYPED(min)(v, mask[x]);
    rises[x] = MARK(rises[x], v, old);
    any = MARK(any, v, old);
    marker[x] = now[x] = v;
  }
  return any != 0;
}

/* From row `from` on by `step`; stops at the first row beyond the one after `sure` that does not change. Returns the last
 * row that may have changed. */
static int
TYPED(sweep_one_way)(TYPED(Row) * marker, const TYPED(Row) * mask, int from, int step, int sure, PIXEL *rises,
                     bool eight)
{
  PIXEL lines[2][SIDE + 2];
  PIXEL *last = lines[0] + 1, *now = lines[1] + 1;
  for (int k = 0; k < 2; k++)
    lines[k][0] = lines[k][SIDE + 1] = LOWEST;
  memcpy(last, marker[from], sizeof(TYPED(Row)));
  int y = from + step;
  for (; y >= 0 && y < SIDE; y += step) {
    const bool changed = eight ? TYPED(sweep_row)(marker[y], mask[y], last, now, rises, true)
                               : TYPED(sweep_row)(marker[y], mask[y], last, now, rises, false);
    if (!changed && (y - sure) * step > 0)
      break;
    PIXEL *swap = last;
    last = now;
    now = swap;
  }
  return y - step;
}

/* Down, then up, from the rows that may give; what may give after that remains in *rows. The places that have risen. */
static Span
TYPED(sweep)(TYPED(Row) * marker, const TYPED(Row) * mask, Span *rows, bool eight)
{
  PIXEL rises[2][SIDE] = { { 0 } };
  if (is_empty(*rows))
    return NO_SPAN;
  const int bottom = TYPED(sweep_one_way)(marker, mask, rows->first, 1, rows->last, rises[0], eight);
  const int top = TYPED(sweep_one_way)(marker, mask, bottom, -1, rows->first, rises[1], eight);
  Span risen[2] = { NO_SPAN, NO_SPAN };
  for (int k = 0; k < 2; k++)
    for (int x = 0; x < SIDE; x++)
      if (rises[k][x] != 0)
        risen[k] = join(risen[k], (Span){ x, x });
  *rows = eight && !is_empty(risen[1]) ? (Span){ top, bottom } : NO_SPAN;
  return join(risen[0], risen[1]);
}
#undef MARK
