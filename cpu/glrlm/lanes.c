/* SPDX-License-Identifier: MIT */
#include "finish.h"

#define LANE uint8_t
#define SUM uint16_t
#define SUFFIX u8
#define WEIGHED 0
#define FINISH vt_cpu_finish_u16
#include "lanes-impl.h"
#undef LANE
#undef SUM
#undef SUFFIX
#undef WEIGHED
#undef FINISH

#define LANE int32_t
#define SUM int32_t
#define SUFFIX i32
#define WEIGHED 1
#define FINISH vt_cpu_finish_i32
#include "lanes-impl.h"

/* Row y of lengths, or of nothing (y < 0), in 32 bits with the squares of its levels. */
static void
widen(const VtCpuLengths *l, int64_t y, const uint8_t *lengths, const uint16_t *levels, int32_t *restrict length,
      int32_t *restrict weight)
{
  const int64_t stride = l->runs->block->stride;
  for (int64_t x = 0; x < stride; x++) {
    const int32_t level = y < 0 ? 0 : levels[y * stride + x];
    length[x] = y < 0 ? 0 : lengths[y * stride + x];
    weight[x] = level * level;
  }
}

void
vt_cpu_lengths_step(const VtCpuLengths *l, int64_t in, int64_t out)
{
  const VtCpuRuns *r = l->runs;
  const int64_t stride = r->block->stride;
  if (l->weighed) {
    int32_t *length[4], *weight[4];
    for (int k = 0; k < 4; k++) {
      length[k] = l->rows + 2 * k * stride;
      weight[k] = length[k] + stride;
      widen(l, k < 2 ? in : out, k % 2 ? r->ahead : r->back, k % 2 ? r->mirror : r->level, length[k], weight[k]);
    }
    step_i32(l, (const int32_t *const *)length, (const int32_t *const *)weight);
  } else {
    const uint8_t *none = (const uint8_t *)l->rows, *rows[4];
    for (int k = 0; k < 4; k++) {
      const int64_t y = k < 2 ? in : out;
      rows[k] = y < 0 ? none : (k % 2 ? r->ahead : r->back) + y * stride;
    }
    step_u8(l, rows, rows);
  }
}

void
vt_cpu_lengths_finish(const VtCpuLengths *lengths, int64_t n, int64_t step, const VtCpuFinish *finish)
{
  if (lengths->weighed)
    finish_i32(lengths, n, step, finish);
  else
    finish_u8(lengths, n, step, finish);
}
