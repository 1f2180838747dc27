/* SPDX-License-Identifier: MIT
 *
 * windows-cell-impl.h: columns of one type of cell: CELL, its suffix SUFFIX. */

#include "transpose-impl.h"

/* --- by length --- */

/* A row of lengths and weights: that of column x stands at x * by. `spread`: lane k takes its neighbour k further on, not
 * all the same. */
typedef struct NAME(Row) {
  const CELL *length, *weight;
  int64_t by;
  bool spread;
} NAME(Row);

/* The weight where the run of column x is as long as the lane says. Through a pointer: vectors as arguments have no fixed
 * calling convention. */
static inline __attribute__((always_inline)) void
NAME(terms)(const NAME(Row) * row, int64_t x, int32_t lane, const NAME(Vector) * ramp, NAME(Vector) * terms)
{
  const CELL *length = row->length + x * row->by, *weight = row->weight + x * row->by;
  NAME(Vector) lengths = { 0 }, weights = { 0 };
  if (row->spread) {
    lengths = *(const NAME(Anywhere) *)(length + lane);
    weights = *(const NAME(Anywhere) *)(weight + lane);
  } else {
    lengths += length[0];
    weights += weight[0];
  }
  *terms = (NAME(Vector))(lengths >= *ramp) & weights;
}

static inline __attribute__((always_inline)) void
NAME(add_lengths)(const VtCpuSlide *s, void *columns, NAME(Row) plus, NAME(Row) minus)
{
  const int32_t lanes = s->wanted->lanes;
  NAME(Vector) ramp;
  for (int k = 0; k < N_CELLS; k++)
    ramp[k] = (CELL)(k + 1);
  for (int32_t lane = 0; lane < s->wanted->side; lane += N_CELLS, ramp += N_CELLS)
    for (int64_t x = 0; x < s->runs.block->width; x++) {
      NAME(Anywhere) *column = (NAME(Anywhere) *)((CELL *)columns + x * lanes + lane);
      NAME(Vector) more, less;
      NAME(terms)(&plus, x, lane, &ramp, &more);
      NAME(terms)(&minus, x, lane, &ramp, &less);
      *column += more - less;
    }
}

/* Row y of lengths, or of nothing (y < 0), as cells, and the weights of its levels. */
static void
NAME(widen)(const VtCpuSlide *s, int64_t y, const uint8_t *lengths, const uint16_t *levels, CELL *restrict length,
            CELL *restrict weight)
{
  const int64_t stride = s->runs.block->stride;
  const CELL *weights = s->wanted->weight;
  if (y < 0) {
    memset(length, 0, (size_t)stride * sizeof *length);
    return;
  }
  for (int64_t x = 0; x < stride; x++)
    length[x] = lengths[y * stride + x];
  for (int64_t x = 0; x < stride; x++)
    weight[x] = weights[levels[y * stride + x]];
}

static void
NAME(step_lengths)(const VtCpuSlide *s, int64_t in, int64_t out)
{
  const VtCpuRuns *r = &s->runs;
  const int64_t stride = r->block->stride, last = r->block->width - 1;
  NAME(Row) row[4]; /* back and ahead of the row that comes in, and of the one that goes out */
  for (int k = 0; k < 4; k++) {
    CELL *length = (CELL *)s->rows + 2 * k * stride;
    NAME(widen)(s, k < 2 ? in : out, k % 2 ? r->ahead : r->back, k % 2 ? r->mirror : r->level, length, length + stride);
    const int64_t first = k % 2 ? last : 0;
    row[k] = (NAME(Row)){ length + first, length + stride + first, k % 2 ? -1 : 1, false };
  }
  NAME(Row) from_in = row[0], from_out = row[3];
  from_in.spread = from_out.spread = true;
  switch (r->along) {
  case VT_CPU_ALONG_ROW:
    NAME(add_lengths)(s, s->length_enter, row[0], row[2]);
    NAME(add_lengths)(s, s->length_leave, row[1], row[3]);
    break;
  case VT_CPU_ALONG_COLUMN: NAME(add_lengths)(s, s->length_enter, row[0], row[3]); break;
  default:
    NAME(add_lengths)(s, s->length_enter, row[0], from_out);
    NAME(add_lengths)(s, s->length_leave, from_in, row[3]);
  }
}

/* --- by level --- */

/* Level 0 has a run of length 0 and adds 0 to the cell before the column: cheaper than to ask. */
static inline __attribute__((always_inline)) CELL *
NAME(cell)(void *columns, int32_t bins, int64_t x, int32_t level)
{
  return (CELL *)columns + x * bins + level - 1;
}

static inline __attribute__((always_inline)) void
NAME(add_levels)(const VtCpuSlide *s, void *columns, int64_t y, const uint8_t *length, int64_t by, CELL sign)
{
  const VtCpuBlock *b = s->runs.block;
  const uint16_t *level = s->runs.level + y * b->stride;
  const CELL *gain = s->wanted->gain;
  const int32_t bins = s->wanted->bins;
  for (int64_t x = 0; x < b->width; x++)
    *NAME(cell)(columns, bins, x, level[x]) += sign * gain[length[x * by]];
}

/* The bends of a row of runs, in columns that lie `by` (1 or -1) apart. Most runs are short: two terms without asking. */
static inline __attribute__((always_inline)) void
NAME(bend_levels)(const VtCpuSlide *s, void *columns, int64_t y, const uint8_t *length, int64_t to, CELL sign)
{
  const VtCpuBlock *b = s->runs.block;
  const uint16_t *level = s->runs.level + y * b->stride;
  const CELL *first = s->wanted->first_bend, *second = s->wanted->second_bend, *bend = s->wanted->bend;
  const int32_t bins = s->wanted->bins;
  for (int64_t x = 0; x < b->width; x++) {
    CELL *cell = NAME(cell)(columns, bins, x, level[x]);
    const int32_t n = length[-to * x];
    cell[0] += sign * first[n];
    cell[to * bins] += sign * second[n];
    for (int32_t k = 2; k < n; k++)
      cell[k * to * bins] += sign * bend[k + 1];
  }
}

static void
NAME(step_levels)(const VtCpuSlide *s, int64_t in, int64_t out)
{
  const VtCpuRuns *r = &s->runs;
  const int64_t stride = r->block->stride, last = r->block->width - 1;
  const bool along_row = r->along == VT_CPU_ALONG_ROW;
  if (in >= 0) {
    const uint8_t *back_in = r->back + in * stride, *ahead_in = r->ahead + in * stride + last;
    NAME(add_levels)(s, s->level_enter, in, back_in, 1, 1);
    if (along_row)
      NAME(add_levels)(s, s->level_leave, in, ahead_in, -1, 1);
    if (r->along == VT_CPU_ALONG_DIAGONAL)
      NAME(bend_levels)(s, s->level_leave, in, back_in, -1, 1);
  }
  if (out < 0)
    return;
  const uint8_t *back_out = r->back + out * stride, *ahead_out = r->ahead + out * stride + last;
  NAME(add_levels)(s, s->level_leave, out, ahead_out, -1, (CELL)-1);
  if (along_row)
    NAME(add_levels)(s, s->level_enter, out, back_out, 1, (CELL)-1);
  if (r->along == VT_CPU_ALONG_DIAGONAL)
    NAME(bend_levels)(s, s->level_enter, out, ahead_out, 1, (CELL)-1);
}

/* --- windows --- */

#define SLIDE NAME(slide)
#define UNPACK NAME(unpack)
#define TRANSPOSE NAME(transpose)

/* The cells from..end of `count` windows, the first of them number i, each VT_CPU_CHUNK side by side. `running` holds the sum
 * of the columns so far. */
static inline __attribute__((always_inline)) void
NAME(slide)(const VtCpuSlide *s, const void *enter, const void *leave, int32_t pitch, int32_t from, int32_t end,
            int64_t i, int count, CELL *running, CELL *to)
{
  static const CELL nothing[N_CELLS];
  const int64_t side = s->wanted->side, step = s->wanted->step, start = i == 0 ? 0 : side + (i - 1) * step;
  for (int32_t k = from; k < end; k += N_CELLS) {
    NAME(Vector) rows[VT_CPU_CHUNK], sum = *(const NAME(Anywhere) *)(running + k);
    int64_t x = start;
    if (count < VT_CPU_CHUNK)
      memset(rows, 0, sizeof rows);
    for (int w = 0; w < count; w++) {
      for (; x < side + (i + w) * step; x++) {
        const CELL *in = (const CELL *)enter + x * pitch + k;
        const CELL *out = x < side ? nothing : (const CELL *)leave + (x - side) * pitch + k;
        sum += *(const NAME(Anywhere) *)in - *(const NAME(Anywhere) *)out;
      }
      rows[s->mirrored ? VT_CPU_CHUNK - 1 - w : w] = sum;
    }
    *(NAME(Anywhere) *)(running + k) = sum;
    TRANSPOSE(rows, to + k * VT_CPU_CHUNK);
  }
}

typedef int32_t NAME(Whole) __attribute__((vector_size(4 * N_CELLS), aligned(4), may_alias));

/* The runs of from..end, and which of them there are. */
static inline __attribute__((always_inline)) void
NAME(unpack)(const CELL *cells, CELL shift, int32_t from, int32_t end, Sums *to)
{
  int32_t n_present = 0;
  for (int32_t k = from; k < end; k++) {
    int32_t *runs = to->whole[0] + k * VT_CPU_CHUNK, *weighed = to->whole[1] + k * VT_CPU_CHUNK;
    NAME(Vector) any = { 0 };
    for (int w = 0; w < VT_CPU_CHUNK; w += N_CELLS) {
      const NAME(Vector) n = *(const NAME(Anywhere) *)(cells + k * VT_CPU_CHUNK + w);
      *(NAME(Whole) *)(runs + w) = __builtin_convertvector(n >> shift, NAME(Whole));
      *(NAME(Whole) *)(weighed + w) = __builtin_convertvector(n & (((CELL)1 << shift) - 1), NAME(Whole));
      any |= n;
    }
    to->present[n_present] = (uint8_t)k;
    n_present += ANY_BIT(any);
  }
  to->n = n_present;
}

static void
NAME(finish_levels)(const VtCpuSlide *s, int64_t i, int count, Chunk *c)
{
  const VtCpuWanted *want = s->wanted;
  const int32_t first = c->first_level - 1, from = first / VT_CPU_LANES * VT_CPU_LANES, end = c->last_level;
  CELL cells[256 * VT_CPU_CHUNK] ALIGNED, *running = (CELL *)c->level_running;
  SLIDE(s, s->level_enter, s->level_leave, want->bins, from, end, i, count, running, cells);
  UNPACK(cells, (CELL)want->level_shift, first, end, &c->level);
}

static void
NAME(finish_lengths)(const VtCpuSlide *s, int64_t i, int count, Chunk *c)
{
  const VtCpuWanted *want = s->wanted;
  CELL cells[(VT_CPU_MAX_LENGTHS + 2) * VT_CPU_CHUNK] ALIGNED, *running = (CELL *)c->length_running;
  SLIDE(s, s->length_enter, s->length_leave, want->lanes, 0, want->side, i, count, running, cells);
  memset(cells + want->side * VT_CPU_CHUNK, 0, 2 * VT_CPU_CHUNK * sizeof *cells);
  for (int32_t k = 0; k < want->side * VT_CPU_CHUNK; k += N_CELLS) {
    NAME(Anywhere) *n = (NAME(Anywhere) *)(cells + k);
    n[0] += n[2 * VT_CPU_CHUNK / N_CELLS] - 2 * n[VT_CPU_CHUNK / N_CELLS];
  }
  UNPACK(cells, (CELL)want->length_shift, 0, want->side, &c->length);
}

#undef PASTE2
#undef PASTE
#undef NAME
#undef N_CELLS
#undef SLIDE
#undef UNPACK
#undef TRANSPOSE
