/* SPDX-License-Identifier: MIT
 *
 * plateaus.cuh: connected sets of like pixels, by union-find over pixel indexes in global memory (Playne & Hawick 2018;
 * Jaiganesh & Burtscher 2018). A root is only ever linked to a smaller index, so a set's root is its smallest pixel,
 * whatever the order of the threads.
 *
 * Like is a functor of three questions: is_in(x, y), whether a pixel is in any set; key(x, y), 32 bits that pixels that
 * are in share if and only if they are alike; and like(x, y, u, v), whether two pixels of the image are in and alike. */
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

/* The same in shared memory, without a look at the way up: racecheck knows atomics, and takes other reads beside writes
 * for errors. Of two links of a pixel the lower one is kept, and what the other one joined is joined with it. */
static __device__ void
vt_gpu_unite_near(int32_t *parent, int32_t i, int32_t k)
{
  while (i != k) {
    const int32_t low = min(i, k), high = max(i, k);
    i = atomicMin(parent + high, low);
    if (i == high)
      return;
    k = low;
  }
}

enum { VT_GPU_PLATEAU_OWN = VT_GPU_PIXELS_HIGH / VT_GPU_PIXELS_ROWS /* pixels of a thread */ };

struct VtGpuNear {
  /* Links that are read and those that are written take turns; before that, the pixels' keys are in the second half. */
  int32_t links[2][VT_GPU_PIXELS_WIDE * VT_GPU_PIXELS_HIGH];
  uint32_t in[VT_GPU_PIXELS_HIGH]; /* by row, a bit for each pixel that is in */
};

/* What pixel i, of row r, is linked with first, and what else it touches; -1: nothing. A pixel that is alike with the one
 * before it is linked with the beginning of the row's run, which is linked with what is above it. */
static __device__ void
vt_gpu_first_links(const VtGpuNear *near, int i, int32_t key, bool diagonals, int32_t *link, int32_t *first,
                   int32_t *second)
{
  enum { WIDE = VT_GPU_PIXELS_WIDE };
  const int r = i / WIDE, c = i % WIDE;
  const uint32_t in = near->in[r], in_above = r > 0 ? near->in[r - 1] : 0;
  const int32_t key_before = __shfl_up_sync(~0u, key, 1), key_above = r > 0 ? near->links[1][i - WIDE] : 0;
  const int32_t key_left = __shfl_up_sync(~0u, key_above, 1), key_right = __shfl_down_sync(~0u, key_above, 1);
  const bool mine = in >> c & 1, left = c > 0 && (in >> (c - 1) & in >> c & 1) && key_before == key;
  const uint32_t joined = __ballot_sync(~0u, left), begins = ~joined & (~0u >> (WIDE - 1 - c));
  const bool right = c + 1 < WIDE && joined >> (c + 1) & 1;
  const bool above = mine && (in_above >> c & 1) && key_above == key;
  const bool above_left = mine && c > 0 && (in_above >> (c - 1) & 1) && key_left == key;
  const bool above_right = mine && c + 1 < WIDE && (in_above >> (c + 1) & 1) && key_right == key;
  *link = above && !left ? i - WIDE : i - c + WIDE - 1 - __clz(static_cast<int>(begins));
  /* The pixel above touches both its own neighbours: where it is alike, they add nothing. What a neighbour in the row
   * joins anyway is left to it. */
  *first = above && left && !above_left ? i - WIDE : diagonals && !above && !left && above_left ? i - WIDE - 1 : -1;
  *second = diagonals && !above && !right && above_right ? i - WIDE + 1 : -1;
}

/* The thread's links, which near->links[0] holds, become roots. In the end both halves hold them; the answer: one of the
 * two. */
static __device__ int
vt_gpu_shorten(VtGpuNear *near, int32_t own[VT_GPU_PLATEAU_OWN])
{
  int from = 0;
  for (bool moves = true; moves; from = 1 - from) { /* each link skips as many as it did, once more */
    moves = false;
#pragma unroll
    for (int k = 0; k < VT_GPU_PLATEAU_OWN; k++) {
      const int32_t up = near->links[from][own[k]];
      moves = moves || up != own[k];
      near->links[1 - from][threadIdx.x + k * VT_GPU_PIXELS] = own[k] = up;
    }
    moves = __syncthreads_or(moves);
  }
  return from;
}

/* A block takes 32x32 pixels, links theirs in shared memory, and writes each pixel's root among them. is_root: 1 for those
 * roots, else 0; NULL: not wanted. */
template <typename Like>
static __global__ void
__launch_bounds__(VT_GPU_PIXELS)
  vt_gpu_begin_plateaus(Like like, int64_t width, int64_t height, int32_t *parent, uint8_t *is_root, bool diagonals)
{
  enum { WIDE = VT_GPU_PIXELS_WIDE, ROWS = VT_GPU_PIXELS_ROWS, N_OWN = VT_GPU_PLATEAU_OWN };
  __shared__ VtGpuNear near;
  const int64_t across = (width + WIDE - 1) / WIDE;
  const int64_t n = across * ((height + VT_GPU_PIXELS_HIGH - 1) / VT_GPU_PIXELS_HIGH);
  const int t = static_cast<int>(threadIdx.x), c = t % WIDE, r0 = t / WIDE;
  for (int64_t block = blockIdx.x; block < n; block += gridDim.x) {
    const int64_t x = block % across * WIDE + c, y0 = block / across * VT_GPU_PIXELS_HIGH;
    int32_t own[N_OWN], first[N_OWN], second[N_OWN];
#pragma unroll
    for (int k = 0; k < N_OWN; k++) {
      const int64_t y = y0 + r0 + k * ROWS;
      const bool is_in = x < width && y < height && like.is_in(x, y);
      own[k] = is_in ? like.key(x, y) : 0;
      near.links[1][t + k * VT_GPU_PIXELS] = own[k];
      const uint32_t in = __ballot_sync(~0u, is_in);
      if (c == 0)
        near.in[r0 + k * ROWS] = in;
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < N_OWN; k++) {
      const int i = t + k * VT_GPU_PIXELS;
      vt_gpu_first_links(&near, i, own[k], diagonals, &own[k], &first[k], &second[k]);
      near.links[0][i] = own[k];
    }
    __syncthreads();
    const int half = vt_gpu_shorten(&near, own);
    const int32_t *roots = near.links[half];
    int32_t *links = near.links[1 - half]; /* the same, to be written */
#pragma unroll
    for (int k = 0; k < N_OWN; k++) {
      if (first[k] >= 0)
        vt_gpu_unite_near(links, own[k], roots[first[k]]);
      if (second[k] >= 0)
        vt_gpu_unite_near(links, own[k], roots[second[k]]);
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < N_OWN; k++) {
      const int r = r0 + k * ROWS;
      const int64_t y = y0 + r;
      if (x >= width || y >= height)
        continue;
      int32_t root = own[k];
      for (int32_t up = links[root]; up != root; up = links[root])
        root = up;
      if (is_root)
        is_root[y * width + x] = root == r * WIDE + c;
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
