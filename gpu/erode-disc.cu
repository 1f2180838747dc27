/* SPDX-License-Identifier: MIT
 *
 * The disc is a stack of chords. Level j holds the minima of 2^j pixels to the right, so that a chord of any width is
 * the minimum of two that overlap: a pixel takes two loads a row, whatever the radius. */
#include "gpu.h"
#include "pixels.cuh"

enum { MAX_RADIUS = 512, N_ROWS = VT_GPU_PIXELS_HIGH / VT_GPU_PIXELS_ROWS };
/* Some to spare: the compiler loads them in pairs or fours. */
enum { MAX_CHORDS = 2 * MAX_RADIUS + 4 };

/* Levels one after another, each of `height` rows of `width` pixels: dst with a margin of `radius` pixels all round.
 * What is outside src can never be a minimum. */
struct Levels {
  uint16_t *pixels;
  int64_t width, height;

  __device__ uint16_t *row(int level, int64_t y) const
  {
    return pixels + (level * height + y) * width;
  }
};

struct Load {
  VtGpuView<uint16_t> src;
  Levels levels;
  int64_t x0, y0; /* in src, of pixel (0,0) */

  __device__ void operator()(int64_t x, int64_t y, bool inside) const
  {
    if (!inside)
      return;
    const int64_t sx = x + x0, sy = y + y0;
    const bool in = sx >= 0 && sy >= 0 && sx < src.width && sy < src.height;
    levels.row(0, y)[x] = in ? src.row(sy)[sx] : UINT16_MAX;
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

/* A thread takes N_ROWS pixels of a column at once: the chords are the same for all. */
static __global__ void
__launch_bounds__(VT_GPU_PIXELS) fold_chords(Levels levels, VtGpuView<uint16_t> dst, int radius)
{
  __shared__ int64_t begins[MAX_CHORDS]; /* of a chord's first half, from the pixel's place in level 0 */
  __shared__ int32_t second[MAX_CHORDS]; /* of its second half, from there */
  for (int k = threadIdx.x; k <= 2 * radius; k += VT_GPU_PIXELS) {
    const int half = half_chord(radius, abs(k - radius)), level = 31 - __clz(2 * half + 1);
    begins[k] = (level * levels.height + k) * levels.width + radius - half;
    second[k] = 2 * half + 1 - (1 << level);
  }
  __syncthreads();
  const int64_t across = (dst.width + VT_GPU_PIXELS_WIDE - 1) / VT_GPU_PIXELS_WIDE;
  const int64_t n = across * ((dst.height + VT_GPU_PIXELS_HIGH - 1) / VT_GPU_PIXELS_HIGH);
  for (int64_t block = blockIdx.x; block < n; block += gridDim.x) {
    const int64_t y = block / across * VT_GPU_PIXELS_HIGH + threadIdx.x / VT_GPU_PIXELS_WIDE;
    const int64_t x = block % across * VT_GPU_PIXELS_WIDE + threadIdx.x % VT_GPU_PIXELS_WIDE;
    const uint16_t *at[N_ROWS];
    uint32_t best[N_ROWS];
#pragma unroll
    for (int r = 0; r < N_ROWS; r++) {
      const int64_t row = min(y + r * VT_GPU_PIXELS_ROWS, dst.height - 1); /* one more time what is done, not outside */
      at[r] = levels.pixels + row * levels.width + min(x, dst.width - 1);
      best[r] = UINT16_MAX;
    }
    for (int k = 0; k <= 2 * radius; k++) {
      const int64_t begin = begins[k], next = begin + second[k];
#pragma unroll
      for (int r = 0; r < N_ROWS; r++)
        best[r] = min(best[r], min(static_cast<uint32_t>(at[r][begin]), static_cast<uint32_t>(at[r][next])));
    }
    for (int r = 0; r < N_ROWS; r++)
      if (x < dst.width && y + r * VT_GPU_PIXELS_ROWS < dst.height)
        dst.row(y + r * VT_GPU_PIXELS_ROWS)[x] = static_cast<uint16_t>(best[r]);
  }
}

VitrailStatus
vt_gpu_erode_disc(VtDevice *device, const VtErodeDisc *args, const VtCancel *cancel)
{
  VtGpuUse use(device);
  VT_GPU_TRY(device, use.status());
  const VtImage *src = &args->src, *dst = &args->dst;
  const int64_t r = args->radius;
  if (!vt_erode_disc_ok(args))
    return VITRAIL_BAD_ARGUMENT;
  if (vt_cancelled(cancel))
    return VITRAIL_CANCELLED;
  Levels levels = { NULL, dst->width + 2 * r, dst->height + 2 * r };
  int n_levels = 1;
  while ((2 << (n_levels - 1)) <= 2 * r + 1)
    n_levels++;
  void *scratch = NULL;
  VT_TRY(vt_gpu_scratch(
    device, static_cast<size_t>(levels.width * levels.height * n_levels) * sizeof(uint16_t), &scratch));
  levels.pixels = static_cast<uint16_t *>(scratch);
  const Load load = { VtGpuView<uint16_t>(*src), levels, args->x0 - r, args->y0 - r };
  VT_TRY(vt_gpu_pixels(device, "erode_load", levels.width, levels.height, load));
  for (int level = 1; level < n_levels; level++)
    VT_TRY(vt_gpu_pixels(device, "erode_widen", levels.width, levels.height, Widen{ levels, level }));
  const int64_t blocks
    = vt_gpu_blocks(dst->width, VT_GPU_PIXELS_WIDE) * vt_gpu_blocks(dst->height, VT_GPU_PIXELS_HIGH);
  VT_TRY(vt_gpu_launch(device, "fold_chords", fold_chords, blocks, VT_GPU_PIXELS, levels, VtGpuView<uint16_t>(*dst),
                       static_cast<int>(r)));
  return vt_gpu_sync(device);
}
