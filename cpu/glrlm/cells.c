/* SPDX-License-Identifier: MIT */
#include "finish.h"

#define CELL uint64_t
#define SUFFIX u64
#define BY_LEVEL 0
#include "cells-impl.h"
#undef CELL
#undef SUFFIX
#undef BY_LEVEL

#define BY_LEVEL 1
#define CELL uint16_t
#define SUFFIX u16
#define FINISH vt_cpu_finish_u16
#include "cells-impl.h"
#undef CELL
#undef SUFFIX
#undef FINISH

#define CELL int32_t
#define SUFFIX i32
#define FINISH vt_cpu_finish_i32
#include "cells-impl.h"

void
vt_cpu_cells_step(const VtCpuCells *cells, int64_t in, int64_t out)
{
  if (cells->bins == 1)
    step_u64(cells, in, out);
  else if (cells->bytes == 2)
    step_u16(cells, in, out);
  else
    step_i32(cells, in, out);
}

void
vt_cpu_cells_totals(const VtCpuCells *cells, int64_t n, int64_t step, uint64_t *to, int64_t first, int64_t by)
{
  const int64_t side = cells->runs->block->side;
  const uint64_t *enter = cells->enter, *leave = cells->leave;
  uint64_t total = 0;
  int64_t x = 0;
  for (; x < side; x++)
    total += enter[x];
  to[first] = total;
  for (int64_t i = 1; i < n; i++) {
    for (int64_t end = x + step; x < end; x++)
      total += enter[x] - leave[x - side];
    to[first + i * by] = total;
  }
}

void
vt_cpu_cells_finish(const VtCpuCells *cells, int64_t n, int64_t step, const VtCpuFinish *finish)
{
  if (cells->bytes == 2)
    finish_u16(cells, n, step, finish);
  else
    finish_i32(cells, n, step, finish);
}
