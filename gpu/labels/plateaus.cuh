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

/* Pieces of rows, 32 pixels at most, are one set from the beginning. */
template <typename Like> struct VtGpuBeginPlateaus {
  Like like;
  int64_t width;
  int32_t *parent;

  __device__ void operator()(int64_t x, int64_t y, bool inside) const
  {
    const int lane = static_cast<int>(threadIdx.x) % VT_GPU_PIXELS_WIDE;
    const bool joined = inside && lane > 0 && like.like(x, y, x - 1, y);
    const uint32_t begins = ~__ballot_sync(~0u, joined) & (~0u >> (31 - lane));
    if (inside)
      parent[y * width + x] = static_cast<int32_t>(y * width + x) - lane + (31 - __clz(static_cast<int>(begins)));
  }
};

template <typename Like> struct VtGpuJoinPlateaus {
  Like like;
  int64_t width;
  int32_t *parent;
  bool diagonals;

  __device__ void operator()(int64_t x, int64_t y, bool inside) const
  {
    if (!inside || !like.is_in(x, y))
      return;
    const int32_t i = static_cast<int32_t>(y * width + x), above = static_cast<int32_t>(i - width);
    const bool left = x > 0 && like.like(x, y, x - 1, y);
    if (left && x % VT_GPU_PIXELS_WIDE == 0)
      vt_gpu_unite(parent, i, i - 1);
    if (y == 0)
      return;
    /* The pixel above touches both its own neighbours: where it is alike, they add nothing. What a neighbour in the row
     * joins anyway is left to it. */
    if (like.like(x, y, x, y - 1)) {
      if (!(left && like.like(x, y, x - 1, y - 1)))
        vt_gpu_unite(parent, i, above);
    } else if (diagonals) {
      if (x > 0 && !left && like.like(x, y, x - 1, y - 1))
        vt_gpu_unite(parent, i, above - 1);
      if (x + 1 < width && !like.like(x, y, x + 1, y) && like.like(x, y, x + 1, y - 1))
        vt_gpu_unite(parent, i, above + 1);
    }
  }
};

/* Links the pixels of each set, width * height of them, as trees in `parent`. Pixels of no set stand alone. */
template <typename Like>
static VitrailStatus
vt_gpu_plateaus(VtDevice *device, const Like &like, int64_t width, int64_t height, bool diagonals, int32_t *parent)
{
  const VtGpuBeginPlateaus<Like> begin = { like, width, parent };
  const VtGpuJoinPlateaus<Like> join = { like, width, parent, diagonals };
  VT_TRY(vt_gpu_pixels(device, "plateaus_begin", width, height, begin));
  return vt_gpu_pixels(device, "plateaus_join", width, height, join);
}
