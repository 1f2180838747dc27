/* SPDX-License-Identifier: MIT
 *
 * near.cuh: tiles of 32 columns by 16 rows whose distances are below 240, a warp each: a lane has 8 columns (a cell) of rows r
 * and r + 8, whose squares are the halves of a word. So lanes write whole lines of the image. What a cell can be
 * bettered by is known from the least square of each row in each cell: first an upper bound for the pixels of a row,
 * then the cells that can be below it, which are tried, all of their columns on all of the cell's. */
#pragma once

#include "bands.cuh"
#include "hard.cuh"

enum { HALO = 240, FAR = HALO * HALO, N_STEPS = HALO / CELL };
enum { PITCH = 33 /* words of a column */, LEAST_PITCH = 40 /* of a cell's least squares; lanes meet in no bank */ };
enum {
  N_SMALL_STEPS = 10, /* no sum with a square of their distances overflows */
  N_UNROLLED = 5,     /* their squares are operands of the code; for more of them it would be too long */
  STEP_GROUP = 3      /* steps without a look whether they are the last */
};

static __device__ __forceinline__ uint32_t
twice(uint32_t value)
{
  return value | value << 16;
}

/* 0xffff in the halves whose word has bit r. */
static __device__ __forceinline__ uint32_t
halves_with(uint32_t low, uint32_t high, int r)
{
  uint32_t both; /* the bit becomes the sign of its byte, which the permutation repeats */
  asm("prmt.b32 %0, %1, %2, %3;"
      : "=r"(both)
      : "r"(low << (7 - r % 8)), "r"(high << (7 - r % 8)), "r"(0xcc88 + 0x1111 * (r / 8)));
  return both;
}

/* Squared column distances, at most FAR: word 8k + r of rows 16k + r and 16k + r + 8. They are made of rows r and r + 32
 * at once; no half is beyond a byte before it is squared, and the multiplier does without
 * taking them apart: minima leave it idle. Rows below the image get some too; nobody looks at them. */
static __device__ void
square_column(uint32_t *squares, const VtGpuColumn &column, int32_t y0)
{
  const uint32_t low = static_cast<uint32_t>(column.bits), high = static_cast<uint32_t>(column.bits >> 32);
  const uint32_t above = column.above != VT_GPU_NO_ROW ? min(y0 - column.above, static_cast<int32_t>(HALO)) : HALO;
  const uint32_t below =
    column.below != VT_GPU_NO_ROW ? min(column.below - (y0 + BAND - 1), static_cast<int32_t>(HALO)) : HALO;
  uint32_t away[32];
  uint32_t d = (above - 1) | (low ? static_cast<uint32_t>(__clz(static_cast<int>(low))) : above + 31) << 16;
#pragma unroll
  for (int r = 0; r < 32; r++)
    away[r] = d = __viaddmin_u16x2(d, 0x10001u, halves_with(~low, ~high, r));
  d = (high ? static_cast<uint32_t>(__ffs(static_cast<int>(high)) - 1) : below + 31) | (below - 1) << 16;
  uint32_t low_later[8], both_later[8];
#pragma unroll
  for (int r = 31; r >= 0; r--) {
    d = __viaddmin_u16x2(d, 0x10001u, halves_with(~low, ~high, r));
    const uint32_t nearer = __vimin3_u16x2(d, away[r], twice(HALO));
    const uint32_t low_squared = __dp2a_lo(nearer, nearer, 0u), both = __dp4a(nearer, nearer, 0u);
    if (r % 16 >= 8) {
      low_later[r % 8] = low_squared;
      both_later[r % 8] = both;
    } else {
      const uint32_t pair = low_squared + low_later[r % 8] * 0x10000u;
      squares[r / 16 * 8 + r % 8] = pair;
      squares[16 + r / 16 * 8 + r % 8] = both + both_later[r % 8] * 0x10000u - pair;
    }
  }
}

/* The warp: per row the least square of a cell. */
static __device__ __forceinline__ uint32_t
least_of_cell(const uint32_t *squares)
{
  uint32_t least = squares[0];
#pragma unroll
  for (int s = 1; s < CELL - 1; s += 2)
    least = __vimin3_u16x2(least, squares[s * PITCH], squares[(s + 1) * PITCH]);
  return __vminu2(least, squares[(CELL - 1) * PITCH]);
}

/* Without background outside of the image. */
static __device__ __forceinline__ VtGpuColumn
near_column(const VtGpuBands &bands, int64_t band, int64_t x)
{
  if (x < 0 || x >= bands.width)
    return VtGpuColumn{ 0, VT_GPU_NO_ROW, VT_GPU_NO_ROW };
  return vt_gpu_bands_column(bands, band * bands.width + x);
}

/* What a cell, `step` cells to the left or right, does to the cell `best`. */
template <bool LEFT, bool CAPPED>
static __device__ __forceinline__ void
try_cell(uint32_t *best, const uint32_t *from, const uint32_t *squared_steps, uint32_t cap, int step)
{
  uint32_t source[CELL], steps[2 * CELL];
#pragma unroll
  for (int s = 0; s < CELL; s++)
    source[s] = CAPPED ? __vminu2(from[s * PITCH], cap) : from[s * PITCH];
#pragma unroll
  for (int k = 0; k < 2 * CELL; k += 4) {
    const uint4 four = *reinterpret_cast<const uint4 *>(squared_steps + CELL * (step - 1) + k);
    steps[k] = four.x;
    steps[k + 1] = four.y;
    steps[k + 2] = four.z;
    steps[k + 3] = four.w;
  }
#pragma unroll
  for (int s = 0; s < CELL; s++)
#pragma unroll
    for (int t = 0; t < CELL; t++)
      best[LEFT ? t : CELL - 1 - t] =
        __viaddmin_u16x2(source[LEFT ? s : CELL - 1 - s], steps[CELL + t - s], best[LEFT ? t : CELL - 1 - t]);
}

static __device__ __forceinline__ uint32_t
worst_of(const uint32_t *best)
{
  uint32_t worst = best[0];
#pragma unroll
  for (int t = 1; t < CELL - 1; t += 2)
    worst = __vimax3_u16x2(worst, best[t], best[t + 1]);
  return __vmaxu2(worst, best[CELL - 1]);
}

/* The warp: squared distances of cells from their own columns; false: all are 0. whole: of every lane's. */
static __device__ __forceinline__ bool
start_cell(uint32_t *best, const uint32_t *squares, uint32_t mask, int n_columns, bool whole)
{
  uint32_t own[CELL];
#pragma unroll
  for (int t = 0; t < CELL; t++)
    best[t] = own[t] = squares[t * PITCH];
  if (!__any_sync(~0u, worst_of(own) & mask))
    return false;
#pragma unroll
  for (int s = 0; s < CELL; s++)
#pragma unroll
    for (int t = 0; t < CELL; t++)
      if (s != t)
        best[t] = __viaddmin_u16x2(own[s], static_cast<uint32_t>((s - t) * (s - t)) * 0x10001u, best[t]);
  if (!whole) {
#pragma unroll
    for (int t = 0; t < CELL; t++)
      best[t] = t < n_columns ? best[t] & mask : 0;
  }
  return true;
}

/* The least square of a lane's rows in the cell so many steps away, such that no sum with a square of that distance
 * overflows: what is cut stays above FAR. */
static __device__ __forceinline__ uint32_t
least_at(const uint32_t *least, int step)
{
  const uint32_t far = static_cast<uint32_t>(CELL * abs(step) + CELL - 1);
  return abs(step) > N_SMALL_STEPS ? __vminu2(least[step * LEAST_PITCH], ~(far * far * 0x10001u)) : least[step * LEAST_PITCH];
}

/* The warp: of each lane's rows what none of a cell's pixels is above in the end. worst: so far. */
static __device__ __forceinline__ uint32_t
bound_rows(uint32_t worst, const uint32_t *least)
{
#pragma unroll
  for (int first = 1; first <= N_STEPS; first += STEP_GROUP) {
    const uint32_t nearest = twice(static_cast<uint32_t>((CELL * first - 7) * (CELL * first - 7)));
    if (!__any_sync(~0u, __vmaxu2(worst, nearest) != nearest))
      break;
#pragma unroll
    for (int step = first; step < first + STEP_GROUP; step++) {
      const uint32_t far = static_cast<uint32_t>(CELL * step + CELL - 1);
      worst = __viaddmin_u16x2(least_at(least, -step), twice(far * far), worst);
      worst = __viaddmin_u16x2(least_at(least, step), twice(far * far), worst);
    }
  }
  return worst;
}

/* Sets a bit if two values differ. */
static __device__ __forceinline__ void
note_other(uint32_t *bits, uint32_t bit, uint32_t one, uint32_t other)
{
  asm("{ .reg .pred differ;\n" /* of the same in C nvcc makes a select and an or */
      "  setp.ne.u32 differ, %1, %2;\n"
      "  @differ or.b32 %0, %0, %3; }"
      : "+r"(*bits)
      : "r"(one), "r"(other), "r"(bit));
}

/* The warp: which cells to the left and to the right can better a pixel: bit k - 1 for the k-th. most: of all bounds. */
static __device__ __forceinline__ void
find_cells(uint32_t bound, uint32_t most, const uint32_t *least, uint32_t *left, uint32_t *right)
{
  uint32_t found[2] = {};
#pragma unroll
  for (int first = 1; first <= N_STEPS; first += STEP_GROUP) {
    if (most <= static_cast<uint32_t>((CELL * first - 7) * (CELL * first - 7)))
      break;
#pragma unroll
    for (int step = first; step < first + STEP_GROUP; step++) {
      const uint32_t near = static_cast<uint32_t>(CELL * step - 7);
      note_other(found, 1u << (step - 1), __viaddmin_u16x2(least_at(least, -step), twice(near * near), bound), bound);
      note_other(found + 1, 1u << (step - 1), __viaddmin_u16x2(least_at(least, step), twice(near * near), bound), bound);
    }
  }
  *left = vt_gpu_warp_or(found[0]);
  *right = vt_gpu_warp_or(found[1]);
}

/* The warp: the cells of `these` (see find_cells) that are at most N_UNROLLED steps away. */
template <bool LEFT>
static __device__ __forceinline__ void
try_near_cells(uint32_t *best, const uint32_t *squares, uint32_t these)
{
#pragma unroll
  for (int step = 1; step <= N_UNROLLED; step++) {
    if (!(these >> (step - 1)))
      break;
    if (!(these >> (step - 1) & 1))
      continue;
    const uint32_t *from = squares + (LEFT ? -step : step) * CELL * PITCH;
    uint32_t source[CELL];
#pragma unroll
    for (int s = 0; s < CELL; s++)
      source[s] = from[s * PITCH];
#pragma unroll
    for (int s = 0; s < CELL; s++)
#pragma unroll
      for (int t = 0; t < CELL; t++) {
        const uint32_t d = static_cast<uint32_t>(LEFT ? CELL * step + t - s : CELL * step - t + s);
        best[t] = __viaddmin_u16x2(source[s], twice(d * d), best[t]);
      }
  }
}

/* The warp: cells of `these` (see find_cells). */
template <bool LEFT, bool CAPPED>
static __device__ __forceinline__ void
try_cells(uint32_t *best, const uint32_t *squares, const uint32_t *squared_steps, uint32_t these)
{
#pragma unroll 1
  for (; these; these &= these - 1) {
    const int step = __ffs(static_cast<int>(these));
    const uint32_t far = static_cast<uint32_t>(CELL * step + CELL - 1);
    try_cell<LEFT, CAPPED>(best, squares + (LEFT ? -step : step) * CELL * PITCH, squared_steps, ~(far * far * 0x10001u),
                           step);
  }
}

/* The warp: squared distances of started cells. squares, least: the lane's, at its cell. Returns what none of them is
 * above. */
static __device__ __forceinline__ uint32_t
search_cell(uint32_t *best, const uint32_t *squares, const uint32_t *least, const uint32_t *squared_steps)
{
  constexpr uint32_t unrolled = (1u << N_UNROLLED) - 1, small = (1u << N_SMALL_STEPS) - 1;
  uint32_t left, right;
  const uint32_t bound = bound_rows(worst_of(best), least), most = ~vt_gpu_warp_min(~max(bound & 0xffffu, bound >> 16));
  find_cells(bound, most, least, &left, &right);
  try_near_cells<true>(best, squares, left & unrolled);
  try_near_cells<false>(best, squares, right & unrolled);
  if ((left | right) > unrolled) {
    try_cells<true, false>(best, squares, squared_steps, left & small & ~unrolled);
    try_cells<false, false>(best, squares, squared_steps, right & small & ~unrolled);
  }
  if ((left | right) > small) {
    try_cells<true, true>(best, squares, squared_steps, left & ~small);
    try_cells<false, true>(best, squares, squared_steps, right & ~small);
  }
  return most;
}
