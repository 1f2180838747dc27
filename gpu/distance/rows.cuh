/* SPDX-License-Identifier: MIT
 *
 * rows.cuh: the exact distances of a row from its column distances, for any input.
 *
 * The nearest column c(x), the smaller one on a tie, never decreases with x, and is no farther than the pixel's own
 * column distance. So c is found first at every 32nd pixel, halving the spacing and searching only between the
 * neighbours' answers, then a warp takes the 32 pixels between two of them, all lanes trying the same few columns.
 * O(width) steps of a warp per row whatever the image. */
#pragma once

#include "../common.cuh"

enum { WARP = 32, ROW_THREADS = 256, ROW_WARPS = ROW_THREADS / WARP };
/* Squares of less than NEAR² are found in 32 bits: NEAR² + (NEAR + N_SQUARES)² still fits. */
enum { NEAR = 46000, NEAR_SQUARED = NEAR * NEAR, N_SQUARES = 2 * WARP };

/* The best column of `best`'s pixel so far; `column` is right for a distance of VT_EDT_NONE64 too: any will do then. */
struct Best {
  int64_t squared;
  int32_t column;
};

static __device__ void
try_column(Best *best, const int32_t *row, int32_t column, int32_t x)
{
  const int64_t dy = row[column], dx = x - column;
  const int64_t squared = dy == VT_EDT_NONE ? VT_EDT_NONE64 : dy * dy + dx * dx;
  if (squared < best->squared) {
    best->squared = squared;
    best->column = column;
  }
}

static __device__ __forceinline__ uint32_t
warp_min(uint32_t value)
{
#if __CUDA_ARCH__ >= 800
  return __reduce_min_sync(~0u, value);
#else
  for (int d = WARP / 2; d > 0; d /= 2)
    value = min(value, __shfl_xor_sync(~0u, value, d));
  return value;
#endif
}

/* The same in 32 bits, of columns none farther than NEAR; -1: its distance may be NEAR or more. */
static __device__ __forceinline__ int32_t
search_near(const int32_t *row, int32_t x, int32_t first, int32_t last, int lane)
{
  uint32_t best = NEAR_SQUARED, column = INT32_MAX;
#pragma unroll 4
  for (int32_t c = first + lane; c <= last; c += WARP) {
    const int32_t dy = min(row[c], static_cast<int32_t>(NEAR)), dx = x - c;
    const uint32_t squared = static_cast<uint32_t>(dy * dy) + static_cast<uint32_t>(dx * dx);
    if (squared < best) {
      best = squared;
      column = static_cast<uint32_t>(c);
    }
  }
  const uint32_t least = warp_min(best);
  return least < NEAR_SQUARED ? static_cast<int32_t>(warp_min(best == least ? column : INT32_MAX)) : -1;
}

/* The whole warp: nearest column of x among first..last. */
static __device__ int32_t
search(const int32_t *row, int32_t x, int32_t first, int32_t last, int lane)
{
  const int32_t own = row[x]; /* of the own column, VT_EDT_NONE beyond every comparison */
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
static __device__ uint32_t
least_near(const int32_t *row, uint32_t *squares, int32_t x, int32_t first, int32_t last, int lane)
{
  uint32_t best = NEAR_SQUARED;
  for (int32_t start = first; start <= last; start += N_SQUARES) {
    for (int i = lane; i < N_SQUARES; i += WARP) {
      const int32_t dy = start + i <= last ? min(row[start + i], static_cast<int32_t>(NEAR)) : NEAR;
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
static __device__ int64_t
least_square(const int32_t *row, uint32_t *squares, int32_t width, int32_t x0, int32_t first, int32_t last, int lane)
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

/* nearest[k], k < n_nodes: the nearest column of x = 32k; nearest[n_nodes]: that of the last pixel. A block per row;
 * `nearest` is the block's own. */
static __device__ void
find_nodes(const int32_t *row, int32_t width, int32_t *nearest, int32_t n_nodes)
{
  const int lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
  int32_t spacing = 1;
  while (spacing < n_nodes)
    spacing *= 2;
  if (warp < 2) {
    const int32_t column = search(row, warp == 0 ? 0 : width - 1, 0, width - 1, lane);
    if (lane == 0)
      nearest[warp == 0 ? 0 : n_nodes] = column;
  }
  __syncthreads();
  for (spacing /= 2; spacing > 0; spacing /= 2) {
    for (int64_t node = spacing + 2 * static_cast<int64_t>(spacing) * warp; node < n_nodes;
         node += 2 * static_cast<int64_t>(spacing) * ROW_WARPS) {
      const int32_t last = nearest[min(node + spacing, static_cast<int64_t>(n_nodes))];
      const int32_t column = search(row, static_cast<int32_t>(node * WARP), nearest[node - spacing], last, lane);
      if (lane == 0)
        nearest[node] = column;
    }
    __syncthreads();
  }
}

/* A block makes the row dst from `row`, with n_nodes + 1 places of its own in `nearest`. */
template <typename T>
static __device__ void
transform_row(const int32_t *row, T *dst, int32_t width, float scale, int32_t *nearest, int32_t n_nodes)
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
