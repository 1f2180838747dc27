/* SPDX-License-Identifier: MIT
 *
 * lanes-impl.h: lanes.c for columns of LANE, sums of a window of SUM, weighed or not (WEIGHED 1 or 0). */

#define PASTE2(a, b) a##_##b
#define PASTE(a, b) PASTE2(a, b)
#define NAME(name) PASTE(name, SUFFIX)

typedef LANE NAME(Vector) __attribute__((vector_size(VT_CPU_LANES * sizeof(LANE))));
typedef LANE NAME(Anywhere)
  __attribute__((vector_size(VT_CPU_LANES * sizeof(LANE)), aligned(sizeof(LANE)), may_alias)); /* in a row */

/* A row of lengths, and of weights: that of column x stands at x * by. `spread`: lane k takes its neighbour k further on,
 * not all the same. */
typedef struct NAME(Row) {
  const LANE *length, *weight;
  int64_t by;
  bool spread;
} NAME(Row);

/* 1, or the weight, where the run of column x is as long as the lane says. Through a pointer: vectors as arguments have no
 * fixed calling convention. */
static inline __attribute__((always_inline)) void
NAME(terms)(const NAME(Row) * row, int64_t x, int32_t lane, const NAME(Vector) * ramp, NAME(Vector) * terms)
{
  const LANE *length = row->length + x * row->by;
  NAME(Vector) all = { 0 };
  if (row->spread)
    all = *(const NAME(Anywhere) *)(length + lane);
  else
    all += length[0];
  *terms = (NAME(Vector))(all >= *ramp);
#if WEIGHED
  const LANE *weight = row->weight + x * row->by;
  if (row->spread)
    *terms &= *(const NAME(Anywhere) *)(weight + lane);
  else
    *terms &= weight[0];
#else
  *terms = -*terms;
#endif
}

static inline __attribute__((always_inline)) void
NAME(add)(const VtCpuLengths *l, void *columns, NAME(Row) plus, NAME(Row) minus)
{
  NAME(Vector) ramp;
  for (int k = 0; k < VT_CPU_LANES; k++)
    ramp[k] = (LANE)(k + 1);
  for (int32_t lane = 0; lane < l->lanes; lane += VT_CPU_LANES, ramp += VT_CPU_LANES)
    for (int64_t x = 0; x < l->runs->block->width; x++) {
      NAME(Anywhere) *column = (NAME(Anywhere) *)((LANE *)columns + x * l->lanes + lane);
      NAME(Vector) more, less;
      NAME(terms)(&plus, x, lane, &ramp, &more);
      NAME(terms)(&minus, x, lane, &ramp, &less);
      *column += more - less;
    }
}

/* The rows come as back and ahead of the row that comes in and of the one that goes out. */
static void
NAME(step)(const VtCpuLengths *l, const LANE *const length[4], const LANE *const weight[4])
{
  const int64_t last = l->runs->block->width - 1;
  const NAME(Row) back_in = { length[0], weight[0], 1, false };
  const NAME(Row) ahead_in = { length[1] + last, weight[1] + last, -1, false };
  const NAME(Row) back_out = { length[2], weight[2], 1, false };
  const NAME(Row) ahead_out = { length[3] + last, weight[3] + last, -1, false };
  NAME(Row) from_in = back_in, from_out = ahead_out;
  from_in.spread = from_out.spread = true;
  switch (l->runs->along) {
  case VT_CPU_ALONG_ROW:
    NAME(add)(l, l->enter, back_in, back_out);
    NAME(add)(l, l->leave, ahead_in, ahead_out);
    break;
  case VT_CPU_ALONG_COLUMN: NAME(add)(l, l->enter, back_in, ahead_out); break;
  default: NAME(add)(l, l->enter, back_in, from_out); NAME(add)(l, l->leave, from_in, ahead_out);
  }
}

static void
NAME(finish)(const VtCpuLengths *l, int64_t n, int64_t step, const VtCpuFinish *finish)
{
  const int32_t side = l->runs->block->side, lanes = l->lanes;
  SUM reach[160] = { 0 }, sums[160];
  for (int64_t x = 0, i = 0; i < n; x++) {
    const LANE *restrict in = (const LANE *)l->enter + x * lanes;
    const LANE *restrict out = (const LANE *)l->leave + (x < side ? 0 : x - side) * lanes;
    if (x < side)
      for (int32_t k = 0; k < lanes; k++)
        reach[k] = (SUM)(reach[k] + in[k]);
    else
      for (int32_t k = 0; k < lanes; k++)
        reach[k] = (SUM)(reach[k] + in[k] - out[k]);
    if (x != side - 1 + i * step)
      continue;
    for (int32_t k = 0; k < lanes; k++)
      sums[k] = (SUM)(reach[k] - 2 * reach[k + 1] + reach[k + 2]);
    FINISH(finish, i++, sums);
  }
}

#undef PASTE2
#undef PASTE
#undef NAME
