/* SPDX-License-Identifier: MIT
 *
 * hard.cuh: a cell of 8 columns by 64 rows whose distances are too long for 16 bits, searched by a block: its warps
 * share the columns to both sides, nearest first, and skip those that cannot better the worst pixel. */
#pragma once

#include "bands.cuh"
#include "rows.cuh"

enum { BAND = VT_GPU_BAND, CELL = 8 };
enum { HARD_THREADS = 512, CHUNK = HARD_THREADS / 2 /* columns of a side at a time */, MAX_REACH = 1024 };

/* What one lane knows of a hard cell: 8 columns of its rows r and r + 32. */
struct HardLane {
  uint32_t best[2][CELL];
};

/* Of row y0 + r. */
template <bool ANY_BITS>
static __device__ __forceinline__ uint32_t
square_near(const VtGpuColumn &column, int32_t y0, int r)
{
  int32_t dy = NEAR;
  if (ANY_BITS)
    dy = min(dy, vt_gpu_column_distance(column, y0, r));
  else {
    dy = column.above != VT_GPU_NO_ROW ? min(dy, y0 + r - column.above) : dy;
    dy = column.below != VT_GPU_NO_ROW ? min(dy, column.below - (y0 + r)) : dy;
  }
  return static_cast<uint32_t>(dy * dy);
}

/* dx: from the cell's first column. Most columns near such a cell have no background in the band. */
static __device__ void
try_column_on_cell(HardLane *hard, const VtGpuColumn &column, int32_t y0, int32_t dx, int lane)
{
  uint32_t square[2];
  if (column.bits) {
    square[0] = square_near<true>(column, y0, lane);
    square[1] = square_near<true>(column, y0, lane + WARP);
  } else {
    square[0] = square_near<false>(column, y0, lane);
    square[1] = square_near<false>(column, y0, lane + WARP);
  }
#pragma unroll
  for (int t = 0; t < CELL; t++) {
    const uint32_t step = static_cast<uint32_t>((dx - t) * (dx - t));
    hard->best[0][t] = min(hard->best[0][t], square[0] + step);
    hard->best[1][t] = min(hard->best[1][t], square[1] + step);
  }
}

/* Of rows y0..y0 + 31 and of those below them: what their pixels' squares are below. */
struct HardBounds {
  uint32_t upper, lower;
};

/* Squares of the least column distances that a column can have in both halves of the band's rows. */
static __device__ __forceinline__ HardBounds
least_squares(const VtGpuColumn &column, int32_t y0)
{
  const uint32_t low = static_cast<uint32_t>(column.bits), high = static_cast<uint32_t>(column.bits >> 32);
  const int32_t above = low ? y0 + 31 - __clz(static_cast<int>(low)) : column.above; /* the lower half's */
  const int32_t below = high ? y0 + 31 + __ffs(static_cast<int>(high)) : column.below;
  int32_t upper = low ? 0 : +NEAR, lower = high ? 0 : +NEAR;
  if (column.above != VT_GPU_NO_ROW)
    upper = min(upper, y0 - column.above);
  if (below != VT_GPU_NO_ROW)
    upper = min(upper, max(below - (y0 + BAND / 2 - 1), 0));
  if (above != VT_GPU_NO_ROW)
    lower = min(lower, max(y0 + BAND / 2 - above, 0));
  if (column.below != VT_GPU_NO_ROW)
    lower = min(lower, column.below - (y0 + BAND - 1));
  return HardBounds{ static_cast<uint32_t>(upper * upper), static_cast<uint32_t>(lower * lower) };
}

/* The warp: 32 columns, one to a lane, that are `dx` from the cell's first column; those that may have something
 * below the bounds; ONE: of these the one that may have the least. */
template <bool ONE>
static __device__ void
try_columns_on_cell(HardLane *hard, const VtGpuBands &bands, int64_t band, int64_t x, int32_t dx, HardBounds bounds,
                    int lane)
{
  const int32_t y0 = static_cast<int32_t>(band * BAND);
  VtGpuColumn own = { 0, VT_GPU_NO_ROW, VT_GPU_NO_ROW };
  if (x + dx >= 0 && x + dx < bands.width)
    own = vt_gpu_bands_column(bands, band * bands.width + x + dx);
  const int32_t least_dx = dx < 0 ? -dx : max(dx - (CELL - 1), 0);
  const uint32_t across = static_cast<uint32_t>(least_dx * least_dx);
  const HardBounds least = least_squares(own, y0);
  uint32_t wanted = __ballot_sync(~0u, least.upper + across < bounds.upper || least.lower + across < bounds.lower);
  if (ONE) {
    const uint32_t value = min(least.upper, least.lower) + across;
    wanted &= __ballot_sync(~0u, value == vt_gpu_warp_min(value));
  }
  for (; wanted; wanted = ONE ? 0 : wanted & (wanted - 1)) {
    const int from = __ffs(static_cast<int>(wanted)) - 1;
    const VtGpuColumn column = { __shfl_sync(~0u, own.bits, from), __shfl_sync(~0u, own.above, from),
                                 __shfl_sync(~0u, own.below, from) };
    try_column_on_cell(hard, column, y0, dx - lane + from, lane);
  }
}

/* The block: the least of what its warps found, into `least`; returns the worst pixels'. */
static __device__ HardBounds
join_warps(uint32_t (*least)[BAND], HardBounds *worst, const HardLane &hard, int lane, int n_columns, int n_rows)
{
#pragma unroll
  for (int t = 0; t < CELL; t++) {
    atomicMin(&least[t][lane], hard.best[0][t]);
    atomicMin(&least[t][lane + WARP], hard.best[1][t]);
  }
  __syncthreads();
  for (int i = threadIdx.x; i < CELL * BAND; i += HARD_THREADS)
    if (i / BAND < n_columns && i % BAND < n_rows)
      atomicMax(i % BAND < BAND / 2 ? &worst->upper : &worst->lower, least[i / BAND][i % BAND]);
  __syncthreads();
  const HardBounds found = *worst;
  __syncthreads();
  if (threadIdx.x == 0)
    *worst = HardBounds{};
  return found;
}

/* The block: the cell's squares, in `least`; false if they may be too large. A warp starts with one column of the
 * cell, and goes on with every fourth run of 32 columns to one side. */
static __device__ bool
search_hard(uint32_t (*least)[BAND], HardBounds *worst, const VtGpuBands &bands, int64_t band, int64_t x, int n_columns,
            int n_rows)
{
  const int lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
  HardLane hard;
#pragma unroll
  for (int t = 0; t < CELL; t++)
    hard.best[0][t] = hard.best[1][t] = NEAR_SQUARED;
  for (int i = threadIdx.x; i < CELL * BAND; i += HARD_THREADS)
    least[i / BAND][i % BAND] = NEAR_SQUARED;
  if (threadIdx.x == 0)
    *worst = HardBounds{};
  __syncthreads();
  if (warp < n_columns)
    try_column_on_cell(&hard, vt_gpu_bands_column(bands, band * bands.width + x + warp),
                       static_cast<int32_t>(band * BAND), warp, lane);
  HardBounds bounds = join_warps(least, worst, hard, lane, n_columns, n_rows);
  const int32_t run = warp / 2 * WARP, first = warp % 2 == 0 ? lane - WARP - run : CELL + run + lane;
  try_columns_on_cell<true>(&hard, bands, band, x, first, bounds, lane); /* so that few of the others are tried */
  bounds = join_warps(least, worst, hard, lane, n_columns, n_rows);
  for (int32_t reach = 0; reach <= MAX_REACH; reach += CHUNK) {
    const uint32_t bound = max(bounds.upper, bounds.lower);
    if (static_cast<uint32_t>(reach * reach) >= bound) /* no column beyond the last ones is nearer */
      return bound < NEAR_SQUARED;
    try_columns_on_cell<false>(&hard, bands, band, x, warp % 2 == 0 ? first - reach : first + reach, bounds, lane);
    bounds = join_warps(least, worst, hard, lane, n_columns, n_rows);
  }
  return false;
}
