/* SPDX-License-Identifier: MIT
 *
 * The disc is a stack of chords. Level j holds the minima of 2^j pixels to the right, so that a chord of any width is
 * the minimum of two that overlap: a pixel takes two loads a row, whatever the radius. */
#include "gpu.h"
#include "pixels.cuh"

enum { MAX_RADIUS = 512 };

/* Levels one after another, each of `height` rows of `width` pixels: the rows of src from `first` on, with a margin of
 * `radius` pixels on both sides. What is outside src can never be a minimum. */
struct Levels {
  uint16_t *pixels;
  int64_t width, height, first;

  __device__ uint16_t *row(int level, int64_t y) const
  {
    return pixels + (level * height + y) * width;
  }
};

struct Load {
  VtGpuView<uint16_t> src;
  Levels levels;
  int64_t shift; /* x in src of column 0 */

  __device__ void operator()(int64_t x, int64_t y, bool inside) const
  {
    if (!inside)
      return;
    const int64_t sx = x + shift;
    levels.row(0, y)[x] = sx >= 0 && sx < src.width ? src.row(levels.first + y)[sx] : UINT16_MAX;
  }
};

struct Widen {
  Levels levels;
  int level;

  __device__ void operator()(int64_t x, int64_t y, bool inside) const
  {
    if (!inside)
      return;
    const uint16_t *half = levels.row(level - 1, y);
    const int64_t next = x + (1 << (level - 1));
    levels.row(level, y)[x] = next < levels.width ? min(half[x], half[next]) : half[x];
  }
};

/* Half the width of the chord at height dy; dy <= radius. */
static __device__ int
half_chord(int radius, int dy)
{
  const int square = radius * radius - dy * dy;
  int k = static_cast<int>(sqrtf(static_cast<float>(square)));
  while (k * k > square)
    k--;
  while ((k + 1) * (k + 1) <= square)
    k++;
  return k;
}

static __global__ void
__launch_bounds__(VT_GPU_PIXELS) fold_chords(Levels levels, VtGpuView<uint16_t> dst, int64_t y0, int radius)
{
  __shared__ uint16_t half[MAX_RADIUS + 1], level[MAX_RADIUS + 1];
  for (int dy = threadIdx.x; dy <= radius; dy += VT_GPU_PIXELS) {
    half[dy] = static_cast<uint16_t>(half_chord(radius, dy));
    level[dy] = static_cast<uint16_t>(31 - __clz(2 * half[dy] + 1));
  }
  __syncthreads();
  const int64_t across = (dst.width + VT_GPU_PIXELS_WIDE - 1) / VT_GPU_PIXELS_WIDE;
  const int64_t n = across * ((dst.height + VT_GPU_PIXELS_HIGH - 1) / VT_GPU_PIXELS_HIGH);
  for (int64_t block = blockIdx.x; block < n; block += gridDim.x) {
    const int64_t y = block / across * VT_GPU_PIXELS_HIGH + threadIdx.x / VT_GPU_PIXELS_WIDE;
    const int64_t x = block % across * VT_GPU_PIXELS_WIDE + threadIdx.x % VT_GPU_PIXELS_WIDE;
    if (x >= dst.width || y >= dst.height)
      continue;
    const int64_t centre = y0 + y - levels.first;
    const int up = static_cast<int>(max(-centre, static_cast<int64_t>(-radius)));
    const int down = static_cast<int>(min(levels.height - 1 - centre, static_cast<int64_t>(radius)));
    uint32_t best = UINT16_MAX;
#pragma unroll 4
    for (int dy = up; dy <= down; dy++) {
      const int k = half[abs(dy)], j = level[abs(dy)];
      const uint16_t *row = levels.row(j, centre + dy) + x + radius;
      best = min(best, static_cast<uint32_t>(min(row[-k], row[k + 1 - (1 << j)])));
    }
    dst.row(y)[x] = static_cast<uint16_t>(best);
  }
}

VitrailStatus
vt_gpu_erode_disc(VtDevice *device, const VtErodeDisc *args, const VtCancel *cancel)
{
  VtGpuUse use(device);
  VT_GPU_TRY(device, use.status());
  const VtImage *src = &args->src, *dst = &args->dst;
  const int64_t r = args->radius;
  if (!vt_gpu_image_is(src, VITRAIL_U16) || !vt_gpu_image_is(dst, VITRAIL_U16) || r < 0 || r > MAX_RADIUS
      || !vt_gpu_window_ok(src, dst, args->x0, args->y0))
    return VITRAIL_BAD_ARGUMENT;
  if (vt_cancelled(cancel))
    return VITRAIL_CANCELLED;
  const int64_t first = args->y0 > r ? args->y0 - r : 0, below = src->height - args->y0 - dst->height;
  const int64_t end = args->y0 + dst->height + (below < r ? below : r);
  Levels levels = { NULL, dst->width + 2 * r, end - first, first };
  int n_levels = 1;
  while ((2 << (n_levels - 1)) <= 2 * r + 1)
    n_levels++;
  void *scratch = NULL;
  VT_TRY(vt_gpu_scratch(
    device, static_cast<size_t>(levels.width * levels.height * n_levels) * sizeof(uint16_t), &scratch));
  levels.pixels = static_cast<uint16_t *>(scratch);
  const Load load = { VtGpuView<uint16_t>(*src), levels, args->x0 - r };
  VT_TRY(vt_gpu_pixels(device, "erode_load", levels.width, levels.height, load));
  for (int level = 1; level < n_levels; level++)
    VT_TRY(vt_gpu_pixels(device, "erode_widen", levels.width, levels.height, Widen{ levels, level }));
  const int64_t blocks
    = vt_gpu_blocks(dst->width, VT_GPU_PIXELS_WIDE) * vt_gpu_blocks(dst->height, VT_GPU_PIXELS_HIGH);
  VT_TRY(vt_gpu_launch(device, "fold_chords", fold_chords, blocks, VT_GPU_PIXELS, levels, VtGpuView<uint16_t>(*dst),
                       args->y0, static_cast<int>(r)));
  return vt_gpu_sync(device);
}
