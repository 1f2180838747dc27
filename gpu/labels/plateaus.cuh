/* SPDX-License-Identifier: MIT
 *
 * plateaus.cuh: connected sets of like pixels, by union-find over pixel indexes in global memory (Playne & Hawick 2018;
 * Jaiganesh & Burtscher 2018). A root is only ever linked to a smaller index, so a set's root is its smallest pixel,
 * whatever the order of the threads.
 *
 * Like is a functor of two questions: is_in(x, y), whether a pixel is in any set, and like(x, y, u, v), whether two
 * pixels of the image, neighbours, are in and alike; alike is transitive. */
#pragma once

#include "../pixels.cuh"

static __device__ int32_t
vt_gpu_root(volatile int32_t *parent, int32_t i)
{
  for (;;) {
    const int32_t up = parent[i];
    if (up == i)
      return i;
    const int32_t further = parent[up];
    if (further != up)
      parent[i] = further; /* i is no root, and never becomes one again: only roots are linked */
    i = further;
  }
}

static __device__ void
vt_gpu_unite(int32_t *parent, int32_t i, int32_t k)
{
  for (;;) {
    i = vt_gpu_root(parent, i);
    k = vt_gpu_root(parent, k);
    if (i == k)
      return;
    const int32_t low = min(i, k), high = max(i, k), before = atomicMin(parent + high, low);
    if (before == high)
      return;
    /* Somebody linked `high` meanwhile: what it was linked to belongs to the set as well. */
    i = before;
    k = low;
  }
}

/* A block takes 32x32 pixels, links theirs in shared memory, and writes each pixel's root among them. is_root: 1 for those
 * roots, else 0; NULL: not wanted. */
template <typename Like>
static __global__ void
__launch_bounds__(VT_GPU_PIXELS)
  vt_gpu_begin_plateaus(Like like, int64_t width, int64_t height, int32_t *parent, uint8_t *is_root, bool diagonals)
{
  enum { N_JUMPS = 6 /* a root is at most 2 * 32 links away */ };
  enum { WIDE = VT_GPU_PIXELS_WIDE, HIGH = VT_GPU_PIXELS_HIGH, ROWS = VT_GPU_PIXELS_ROWS };
  __shared__ int32_t local[WIDE * HIGH];
  const int64_t across = (width + WIDE - 1) / WIDE, n = across * ((height + HIGH - 1) / HIGH);
  const int c = static_cast<int>(threadIdx.x) % WIDE, r0 = static_cast<int>(threadIdx.x) / WIDE;
  for (int64_t block = blockIdx.x; block < n; block += gridDim.x) {
    const int64_t x = block % across * WIDE + c, y0 = block / across * HIGH;
    uint32_t joined[HIGH / ROWS]; /* with the pixel before: a bit for each of the row */
    for (int k = 0; k < HIGH / ROWS; k++) {
      const int64_t y = y0 + r0 + k * ROWS;
      const bool left = c > 0 && x < width && y < height && like.like(x, y, x - 1, y);
      joined[k] = __ballot_sync(~0u, left);
      const uint32_t begins = ~joined[k] & (~0u >> (31 - c));
      const int r = r0 + k * ROWS, start = r * WIDE + 31 - __clz(static_cast<int>(begins));
      const bool rises = !left && r > 0 && x < width && y < height && like.like(x, y, x, y - 1);
      local[r * WIDE + c] = rises ? start - WIDE : start;
    }
    __syncthreads();
    volatile int32_t *links = local;
    for (int jump = 0; jump < N_JUMPS; jump++)
      for (int k = 0; k < HIGH / ROWS; k++)
        links[(r0 + k * ROWS) * WIDE + c] = links[links[(r0 + k * ROWS) * WIDE + c]];
    __syncthreads();
    for (int k = 0; k < HIGH / ROWS; k++) {
      const int r = r0 + k * ROWS, i = r * WIDE + c;
      const int64_t y = y0 + r;
      if (r == 0 || x >= width || y >= height || !like.is_in(x, y))
        continue;
      const bool left = joined[k] >> c & 1u, right = c + 1 < WIDE && joined[k] >> (c + 1) & 1u;
      /* The pixel above touches both its own neighbours: where it is alike, they add nothing. What a neighbour in the row
       * joins anyway is left to it. */
      if (like.like(x, y, x, y - 1)) {
        if (!(left && like.like(x, y, x - 1, y - 1)))
          vt_gpu_unite(local, i, i - WIDE);
      } else if (diagonals) {
        if (c > 0 && !left && like.like(x, y, x - 1, y - 1))
          vt_gpu_unite(local, i, i - WIDE - 1);
        if (c + 1 < WIDE && x + 1 < width && !right && like.like(x, y, x + 1, y - 1))
          vt_gpu_unite(local, i, i - WIDE + 1);
      }
    }
    __syncthreads();
    for (int k = 0; k < HIGH / ROWS; k++) {
      const int64_t y = y0 + r0 + k * ROWS;
      if (x >= width || y >= height)
        continue;
      const int32_t root = vt_gpu_root(local, (r0 + k * ROWS) * WIDE + c);
      if (is_root)
        is_root[y * width + x] = root == (r0 + k * ROWS) * WIDE + c;
      parent[y * width + x] = static_cast<int32_t>((y0 + root / WIDE) * width + x - c + root % WIDE);
    }
    __syncthreads();
  }
}

/* Links what touches across the blocks' edges. */
template <typename Like> struct VtGpuJoinPlateaus {
  Like like;
  int64_t width;
  int32_t *parent;
  bool diagonals;

  __device__ void operator()(int64_t x, int64_t y, bool inside) const
  {
    const int64_t c = x % VT_GPU_PIXELS_WIDE, r = y % VT_GPU_PIXELS_HIGH;
    if (!inside || (r != 0 && c != 0 && c != VT_GPU_PIXELS_WIDE - 1) || !like.is_in(x, y))
      return;
    const int32_t i = static_cast<int32_t>(y * width + x), above = static_cast<int32_t>(i - width);
    const bool left = x > 0 && like.like(x, y, x - 1, y);
    if (left && c == 0 && (r == 0 || !(like.like(x, y, x, y - 1) && like.like(x, y, x - 1, y - 1))))
      vt_gpu_unite(parent, i, i - 1);
    if (y == 0)
      return;
    if (like.like(x, y, x, y - 1)) {
      if (r == 0 && !(left && c != 0 && like.like(x, y, x - 1, y - 1)))
        vt_gpu_unite(parent, i, above);
    } else if (diagonals) {
      if (x > 0 && !left && (r == 0 || c == 0) && like.like(x, y, x - 1, y - 1))
        vt_gpu_unite(parent, i, above - 1);
      if (x + 1 < width && (r == 0 || c == VT_GPU_PIXELS_WIDE - 1) && !like.like(x, y, x + 1, y)
          && like.like(x, y, x + 1, y - 1))
        vt_gpu_unite(parent, i, above + 1);
    }
  }
};

/* The pixels of a set in one block's 32x32, each with its root there, the smallest of them, in `parent`. */
template <typename Like>
static VitrailStatus
vt_gpu_local_plateaus(VtDevice *device, const Like &like, int64_t width, int64_t height, bool diagonals,
                      int32_t *parent, uint8_t *is_root)
{
  const int64_t blocks = vt_gpu_blocks(width, VT_GPU_PIXELS_WIDE) * vt_gpu_blocks(height, VT_GPU_PIXELS_HIGH);
  return vt_gpu_launch(device, "begin_plateaus", vt_gpu_begin_plateaus<Like>, blocks, VT_GPU_PIXELS, like, width,
                       height, parent, is_root, diagonals);
}

/* After that: links the pixels of each set, width * height of them, as trees in `parent`. Pixels of no set stand alone. */
template <typename Like>
static VitrailStatus
vt_gpu_join_plateaus(VtDevice *device, const Like &like, int64_t width, int64_t height, bool diagonals, int32_t *parent)
{
  return vt_gpu_pixels(device, "join_plateaus", width, height,
                       VtGpuJoinPlateaus<Like>{ like, width, parent, diagonals });
}
