/* SPDX-License-Identifier: MIT
 *
 * rows.cuh: the exact distances of a row from its column distances, for any input.
 *
 * The nearest column c(x), any of several, never decreases with x, and is no farther than the pixel's own
 * column distance. So c is found first at every 32nd pixel, halving the spacing and searching only between the
 * neighbours' answers, then a warp takes the 32 pixels between two of them, all lanes trying the same few columns.
 * O(width) steps of a warp per row whatever the image. */
#pragma once

#include "../common.cuh"
#include "../warp.cuh"

enum { WARP = 32, ROW_THREADS = 256, ROW_WARPS = ROW_THREADS / WARP };
/* Squares of less than NEAR² are found in 32 bits: NEAR² + (NEAR + N_SQUARES)² still fits. */
enum { NEAR = 46000, NEAR_SQUARED = NEAR * NEAR, N_SQUARES = 2 * WARP };

/* The best column of `best`'s pixel so far; `column` is right for a distance of VT_EDT_NONE64 too: any will do then. */
struct Best {
  int64_t squared;
  int32_t column;
};

/* A row of distances: VT_EDT_NONE, in 16 bits all ones: none. */
static __device__ __forceinline__ int32_t
distance_at(const int32_t *row, int32_t column)
{
  return row[column];
}

static __device__ __forceinline__ int32_t
distance_at(const uint16_t *row, int32_t column)
{
  return row[column] == 0xffff ? VT_EDT_NONE : row[column];
}

template <typename R>
static __device__ void
try_column(Best *best, const R *row, int32_t column, int32_t x)
{
  const int64_t dy = distance_at(row, column), dx = x - column;
  const int64_t squared = dy == VT_EDT_NONE ? VT_EDT_NONE64 : dy * dy + dx * dx;
  if (squared < best->squared) {
    best->squared = squared;
    best->column = column;
  }
}

/* The same in 32 bits, of columns none farther than NEAR; -1: its distance may be NEAR or more. */
template <typename R>
static __device__ __forceinline__ int32_t
search_near(const R *row, int32_t x, int32_t first, int32_t last, int lane)
{
  uint32_t best = NEAR_SQUARED, column = INT32_MAX;
#pragma unroll 4
  for (int32_t c = first + lane; c <= last; c += WARP) {
    const int32_t dy = min(static_cast<int32_t>(row[c]), static_cast<int32_t>(NEAR)), dx = x - c;
    const uint32_t squared = static_cast<uint32_t>(dy * dy) + static_cast<uint32_t>(dx * dx);
    if (squared < best) {
      best = squared;
      column = static_cast<uint32_t>(c);
    }
  }
  const uint32_t least = vt_gpu_warp_min(best);
  return least < NEAR_SQUARED ? static_cast<int32_t>(vt_gpu_warp_min(best == least ? column : INT32_MAX)) : -1;
}

/* The whole warp: nearest column of x among first..last. */
template <typename R>
static __device__ int32_t
search(const R *row, int32_t x, int32_t first, int32_t last, int lane)
{
  const int32_t own = distance_at(row, x); /* of the own column, VT_EDT_NONE beyond every comparison */
  if (own < x - first)
    first = x - own;
  if (own < last - x)
    last = x + own;
  if (first == last)
    return first;
  if (x - first <= NEAR && last - x <= NEAR) {
    const int32_t column = search_near(row, x, first, last, lane);
    if (column >= 0)
      return column;
  }
  Best best = { VT_EDT_NONE64, INT32_MAX };
  for (int64_t column = static_cast<int64_t>(first) + lane; column <= last; column += WARP)
    try_column(&best, row, static_cast<int32_t>(column), x);
  for (int d = WARP / 2; d > 0; d /= 2) {
    const int64_t squared = __shfl_xor_sync(~0u, best.squared, d);
    const int32_t column = __shfl_xor_sync(~0u, best.column, d);
    if (squared < best.squared || (squared == best.squared && column < best.column)) {
      best.squared = squared;
      best.column = column;
    }
  }
  return best.squared == VT_EDT_NONE64 ? first : best.column;
}

/* The whole warp: each lane's least square among columns first..last, none farther from x than NEAR; NEAR² if there is
 * none below that. `squares` are the warp's own N_SQUARES. */
template <typename R>
static __device__ uint32_t
least_near(const R *row, uint32_t *squares, int32_t x, int32_t first, int32_t last, int lane)
{
  uint32_t best = NEAR_SQUARED;
  for (int32_t start = first; start <= last; start += N_SQUARES) {
    for (int i = lane; i < N_SQUARES; i += WARP) {
      const int32_t dy =
        start + i <= last ? min(static_cast<int32_t>(row[start + i]), static_cast<int32_t>(NEAR)) : +NEAR;
      squares[i] = static_cast<uint32_t>(dy * dy);
    }
    __syncwarp();
    const int n = min(last - start + 1, static_cast<int32_t>(N_SQUARES));
    int32_t dx = x - start;
    for (int i = 0; i < n; i += 4, dx -= 4) {
      const uint4 four = *reinterpret_cast<const uint4 *>(squares + i);
      best = min(best, four.x + static_cast<uint32_t>(dx * dx));
      best = min(best, four.y + static_cast<uint32_t>((dx - 1) * (dx - 1)));
      best = min(best, four.z + static_cast<uint32_t>((dx - 2) * (dx - 2)));
      best = min(best, four.w + static_cast<uint32_t>((dx - 3) * (dx - 3)));
    }
    __syncwarp();
  }
  return best;
}

/* The whole warp: the squared distances of the 32 pixels from x0, whose nearest columns are among first..last. */
template <typename R>
static __device__ int64_t
least_square(const R *row, uint32_t *squares, int32_t width, int32_t x0, int32_t first, int32_t last, int lane)
{
  const int32_t x = x0 + lane;
  if (!__any_sync(~0u, x < width && row[x] != 0))
    return 0;
  if (x0 + WARP - 1 - first <= NEAR && last - x0 <= NEAR) {
    const uint32_t least = least_near(row, squares, x, first, last, lane);
    if (__all_sync(~0u, least < NEAR_SQUARED))
      return least;
  }
  Best best = { VT_EDT_NONE64, 0 };
  for (int32_t column = first; column <= last; column++)
    try_column(&best, row, column, x);
  return best.squared;
}

static __device__ void
store(int64_t *dst, int64_t squared, float scale)
{
  *dst = squared;
}

static __device__ void
store(float *dst, int64_t squared, float scale)
{
  if (squared < 1 << 24) /* a float holds it, and its root rounds once as the double's would twice */
    *dst = __fmul_rn(__fsqrt_rn(__int2float_rn(static_cast<int32_t>(squared))), scale);
  else
    *dst = squared == VT_EDT_NONE64 ? __int_as_float(0x7f800000)
                                    : __fmul_rn(__double2float_rn(__dsqrt_rn(__ll2double_rn(squared))), scale);
}

/* Nodes of a level: i < count is node first + i * step, between those `spacing` before and after it; spacing 0: the
 * ends. */
struct Level {
  int64_t first, step, count;
  int32_t spacing;
};

/* The whole warp: a share of the search for node i of a level. */
template <typename R>
static __device__ int32_t
search_node(const R *row, int32_t width, const int32_t *nearest, int32_t n_nodes, const Level &level, int64_t i,
            int share, int n_shares, int lane)
{
  const int64_t node = level.first + i * level.step;
  int32_t x = static_cast<int32_t>(min(node * WARP, static_cast<int64_t>(width - 1))), first = 0, last = width - 1;
  if (level.spacing > 0) {
    first = nearest[node - level.spacing];
    last = nearest[min(node + level.spacing, static_cast<int64_t>(n_nodes))];
  }
  if (n_shares > 1) {
    const int32_t length = (last - first) / n_shares + 1;
    first += share * length;
    last = min(last, first + length - 1);
  }
  return first <= last ? search(row, x, first, last, lane) : last;
}

/* The block: the nearest columns of a level's nodes; while they are few, several warps share the columns of each. */
template <typename R>
static __device__ void
find_level(const R *row, int32_t width, int32_t *nearest, int32_t n_nodes, const Level &level)
{
  __shared__ int32_t found[ROW_WARPS];
  const int lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
  if (2 * level.count > ROW_WARPS) {
    for (int64_t i = warp; i < level.count; i += ROW_WARPS) {
      const int32_t column = search_node(row, width, nearest, n_nodes, level, i, 0, 1, lane);
      if (lane == 0)
        nearest[level.first + i * level.step] = column;
    }
    __syncthreads();
    return;
  }
  const int n_shares = ROW_WARPS / static_cast<int>(level.count), i = warp / n_shares;
  if (i < level.count) {
    const int32_t column = search_node(row, width, nearest, n_nodes, level, i, warp % n_shares, n_shares, lane);
    if (lane == 0)
      found[warp] = column;
  }
  __syncthreads();
  if (threadIdx.x < level.count) {
    const int64_t node = level.first + threadIdx.x * level.step;
    Best best = { VT_EDT_NONE64, found[threadIdx.x * n_shares] };
    for (int share = 0; share < n_shares; share++)
      try_column(&best, row, found[threadIdx.x * n_shares + share],
                 static_cast<int32_t>(min(node * WARP, static_cast<int64_t>(width - 1))));
    nearest[node] = best.column;
  }
  __syncthreads();
}

/* nearest[k], k < n_nodes: the nearest column of x = 32k, any of several; nearest[n_nodes]: that of the last pixel. A
 * block per row; `nearest` is the block's own. */
template <typename R>
static __device__ void
find_nodes(const R *row, int32_t width, int32_t *nearest, int32_t n_nodes)
{
  int32_t spacing = 1;
  while (spacing < n_nodes)
    spacing *= 2;
  find_level(row, width, nearest, n_nodes, Level{ 0, n_nodes, 2, 0 });
  for (spacing /= 2; spacing > 0; spacing /= 2)
    find_level(row, width, nearest, n_nodes,
               Level{ spacing, 2 * static_cast<int64_t>(spacing), (n_nodes + spacing - 1) / (2 * spacing), spacing });
}

/* A block makes the row dst from `row`, with n_nodes + 1 places of its own in `nearest`. */
template <typename T, typename R>
static __device__ void
transform_row(const R *row, T *dst, int32_t width, float scale, int32_t *nearest, int32_t n_nodes)
{
  __shared__ __align__(16) uint32_t squares[ROW_WARPS][N_SQUARES];
  const int lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
  find_nodes(row, width, nearest, n_nodes);
  for (int32_t node = warp; node < n_nodes; node += ROW_WARPS) {
    const int32_t x0 = node * WARP, x = x0 + lane;
    const int64_t squared = least_square(row, squares[warp], width, x0, nearest[node], nearest[node + 1], lane);
    if (x < width)
      store(&dst[x], squared, scale);
  }
  __syncthreads(); /* row and nearest are written again for the next row */
}
