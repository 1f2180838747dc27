/* SPDX-License-Identifier: MIT
 *
 * cells-impl.h: cells.c for one type of sum: CELL, its suffix SUFFIX, and BY_LEVEL (0: one sum; 1: one for each level). */

#define PASTE2(a, b) a##_##b
#define PASTE(a, b) PASTE2(a, b)
#define NAME(name) PASTE(name, SUFFIX)

#if BY_LEVEL
#define COLUMN(columns, x, level) ((CELL *)(columns) + (x)*c->bins + (level)-1)
#define BESIDE c->bins
#define TABLE(table, level) ((const CELL *)(table))
#else
#define COLUMN(columns, x, level) ((CELL *)(columns) + (x))
#define BESIDE 1
#define TABLE(table, level) ((const CELL *)(table) + (level) * (c->runs->block->side + 1))
#endif

static void
NAME(step_row)(const VtCpuCells *c, int64_t y, CELL sign)
{
  const VtCpuBlock *b = c->runs->block;
  const uint16_t *level = c->runs->level + y * b->stride;
  const uint8_t *back = c->runs->back + y * b->stride, *ahead = c->runs->ahead + y * b->stride + b->width - 1;
  for (int64_t x = 0; x < b->width; x++) {
    if (BY_LEVEL && level[x] == 0)
      continue;
    const CELL *gain = TABLE(c->gain, level[x]);
    *COLUMN(c->enter, x, level[x]) += sign * gain[back[x]];
    *COLUMN(c->leave, x, level[x]) += sign * gain[ahead[-x]];
  }
}

/* Along columns: `length` is back for the row that comes in, and ahead for the one that goes out. */
static void
NAME(step_column)(const VtCpuCells *c, int64_t y, const uint8_t *length, int64_t by, CELL sign)
{
  const uint16_t *level = c->runs->level + y * c->runs->block->stride;
  for (int64_t x = 0; x < c->runs->block->width; x++)
    if (!BY_LEVEL || level[x])
      *COLUMN(c->enter, x, level[x]) += sign * TABLE(c->gain, level[x])[length[x * by]];
}

static inline void
NAME(bend)(const VtCpuCells *c, CELL *to, int64_t by, const CELL *bend, int32_t length, CELL sign)
{
  const int32_t n = length < c->reach ? length : c->reach;
  for (int32_t k = 0; k < n; k++)
    to[k * by] += sign * bend[k + 1];
}

static void
NAME(diagonal_in)(const VtCpuCells *c, int64_t y)
{
  const VtCpuBlock *b = c->runs->block;
  const uint16_t *level = c->runs->level + y * b->stride;
  const uint8_t *back = c->runs->back + y * b->stride;
  for (int64_t x = 0; x < b->width; x++) {
    if (level[x] == 0)
      continue;
    *COLUMN(c->enter, x, level[x]) += TABLE(c->gain, level[x])[back[x]];
    NAME(bend)(c, COLUMN(c->leave, x, level[x]), -BESIDE, TABLE(c->bend, level[x]), back[x], 1);
  }
}

static void
NAME(diagonal_out)(const VtCpuCells *c, int64_t y)
{
  const VtCpuBlock *b = c->runs->block;
  const uint16_t *level = c->runs->level + y * b->stride;
  const uint8_t *ahead = c->runs->ahead + y * b->stride + b->width - 1;
  for (int64_t x = 0; x < b->width; x++) {
    if (level[x] == 0)
      continue;
    *COLUMN(c->leave, x, level[x]) -= TABLE(c->gain, level[x])[ahead[-x]];
    NAME(bend)(c, COLUMN(c->enter, x, level[x]), BESIDE, TABLE(c->bend, level[x]), ahead[-x], (CELL)-1);
  }
}

static void
NAME(step)(const VtCpuCells *c, int64_t in, int64_t out)
{
  const VtCpuBlock *b = c->runs->block;
  switch (c->runs->along) {
  case VT_CPU_ALONG_ROW:
    if (in >= 0)
      NAME(step_row)(c, in, 1);
    if (out >= 0)
      NAME(step_row)(c, out, (CELL)-1);
    break;
  case VT_CPU_ALONG_COLUMN:
    if (in >= 0)
      NAME(step_column)(c, in, c->runs->back + in * b->stride, 1, 1);
    if (out >= 0)
      NAME(step_column)(c, out, c->runs->ahead + out * b->stride + b->width - 1, -1, (CELL)-1);
    break;
  default:
    if (in >= 0)
      NAME(diagonal_in)(c, in);
    if (out >= 0)
      NAME(diagonal_out)(c, out);
  }
}

#if BY_LEVEL
static void
NAME(finish)(const VtCpuCells *c, int64_t n, int64_t step, const VtCpuFinish *finish)
{
  const int32_t side = c->runs->block->side, bins = c->bins;
  CELL sums[256] = { 0 };
  for (int64_t x = 0, i = 0; i < n; x++) {
    const CELL *restrict in = (const CELL *)c->enter + x * bins;
    const CELL *restrict out = (const CELL *)c->leave + (x < side ? 0 : x - side) * bins;
    if (x < side)
      for (int32_t k = 0; k < bins; k++)
        sums[k] += in[k];
    else
      for (int32_t k = 0; k < bins; k++)
        sums[k] += in[k] - out[k];
    if (x == side - 1 + i * step)
      FINISH(finish, i++, sums);
  }
}
#endif

#undef PASTE2
#undef PASTE
#undef NAME
#undef COLUMN
#undef BESIDE
#undef TABLE
