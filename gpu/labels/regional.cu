/* SPDX-License-Identifier: MIT
 *
 * Plateaus are sets of equal neighbours; one of them with a higher neighbour anywhere is no maximum. */
#include "../gpu.h"
#include "plateaus.cuh"

template <typename T>
static __device__ int32_t
key_of(T value)
{
  return static_cast<int32_t>(value);
}

/* Both zeros are one value. With a NaN nothing is written, whatever its plateau. */
static __device__ int32_t
key_of(float value)
{
  return __float_as_int(value + 0.0f);
}

template <typename T> struct Equal {
  VtGpuView<T> src;
  VtGpuView<uint8_t> inside; /* no data: everywhere */

  __device__ bool is_in(int64_t x, int64_t y) const
  {
    return !inside.data || inside.row(y)[x] != 0;
  }
  __device__ int32_t key(int64_t x, int64_t y) const
  {
    return key_of(src.row(y)[x]);
  }
  __device__ bool like(int64_t x, int64_t y, int64_t u, int64_t v) const
  {
    return src.row(y)[x] == src.row(v)[u] && is_in(x, y) && is_in(u, v);
  }
};

enum { IS_ROOT = 1, IS_LEFT = 2 }; /* what is known of a pixel */

/* Marks the roots, among a block's pixels, of plateaus that are left upwards (minima: downwards), and says if there is a
 * NaN. */
template <typename T> struct Mark {
  Equal<T> like;
  const int32_t *parent; /* of local plateaus */
  uint8_t *known;
  uint32_t *found_nan;
  bool diagonals, minima;

  __device__ void operator()(int64_t x, int64_t y, bool inside) const
  {
    if (!inside || !like.is_in(x, y))
      return;
    const T own = like.src.row(y)[x];
    if (own != own)
      *found_nan = 1;
    /* A neighbour beyond the edge is a pixel, or another neighbour, once more. */
    const int64_t left = x > 0 ? x - 1 : x, right = x + 1 < like.src.width ? x + 1 : x;
    const int64_t up = y > 0 ? y - 1 : y, down = y + 1 < like.src.height ? y + 1 : y;
    const int64_t xs[8] = { left, right, x, x, left, right, left, right };
    const int64_t ys[8] = { y, y, up, down, up, up, down, down };
    uint32_t leads_on = 0;
#pragma unroll
    for (int k = 0; k < 8; k++) { /* no look waits for another */
      const T value = like.src.row(ys[k])[xs[k]];
      const bool counts = like.is_in(xs[k], ys[k]) && (k < 4 || diagonals);
      leads_on |= counts & (minima ? value < own : value > own);
    }
    if (leads_on)
      known[parent[y * like.src.width + x]] = IS_ROOT | IS_LEFT;
  }
};

/* What a block's part of a plateau knows, its root learns. Each thread shortens the way of its own pixel only, so that
 * in the end no pixel is more than two links from its root. */
struct Carry {
  int32_t *parent;
  uint8_t *known;
  int64_t width;

  __device__ void operator()(int64_t x, int64_t y, bool inside) const
  {
    const int32_t i = static_cast<int32_t>(y * width + x);
    const int what = inside ? known[i] : 0;
    if (!what)
      return;
    const volatile int32_t *links = parent; /* others shorten their ways meanwhile: what is read is further up */
    int32_t root = i;
    for (int32_t up = links[root]; up != root; up = links[root])
      root = up;
    if (root == i)
      return;
    parent[i] = root;
    if (what & IS_LEFT)
      known[root] = IS_ROOT | IS_LEFT;
  }
};

/* Nothing is written when there is a NaN. */
template <typename T> struct Write {
  Equal<T> like;
  const int32_t *parent;
  const uint8_t *known;
  const uint32_t *found_nan;
  VtGpuView<uint8_t> dst;

  __device__ void operator()(int64_t x, int64_t y, bool inside) const
  {
    if (!inside || *found_nan)
      return;
    const bool is_left = known[parent[parent[y * dst.width + x]]] & IS_LEFT;
    dst.row(y)[x] = like.is_in(x, y) && !is_left ? 255 : 0;
  }
};

template <typename T>
static VitrailStatus
run(VtDevice *device, const VtRegional *args)
{
  const int64_t width = args->src.width, height = args->src.height;
  const size_t n = static_cast<size_t>(width * height);
  const bool diagonals = args->connectivity == 8;
  const Equal<T> like = { VtGpuView<T>(args->src), VtGpuView<uint8_t>(args->inside) };
  void *scratch = NULL;
  VT_TRY(vt_gpu_scratch(device, n * (sizeof(int32_t) + 1), &scratch));
  int32_t *parent = static_cast<int32_t *>(scratch);
  uint8_t *known = reinterpret_cast<uint8_t *>(parent + n);
  VT_GPU_TRY(device, cudaMemsetAsync(device->words, 0, sizeof(uint32_t), device->stream));
  VT_TRY(vt_gpu_local_plateaus(device, like, width, height, diagonals, parent, known));
  const Mark<T> mark = { like, parent, known, device->words, diagonals, args->minima };
  VT_TRY(vt_gpu_pixels(device, "regional_mark", width, height, mark));
  VT_TRY(vt_gpu_join_plateaus(device, like, width, height, diagonals, parent));
  VT_TRY(vt_gpu_pixels(device, "regional_carry", width, height, Carry{ parent, known, width }));
  const Write<T> write = { like, parent, known, device->words, VtGpuView<uint8_t>(args->dst) };
  VT_TRY(vt_gpu_pixels(device, "regional_write", width, height, write));
  VT_TRY(vt_gpu_read_words(device));
  return device->words_host[0] ? VITRAIL_BAD_ARGUMENT : VITRAIL_OK;
}

VitrailStatus
vt_gpu_regional(VtDevice *device, const VtRegional *args, const VtCancel *cancel)
{
  VT_GPU_USE(device, vt_regional_ok(args));
  if (!vt_image_fits_labels(&args->src))
    return VITRAIL_UNSUPPORTED;
  if (vt_cancelled(cancel))
    return VITRAIL_CANCELLED;
  return VT_GPU_BY_TYPE(args->src.type, run, device, args);
}
