/* SPDX-License-Identifier: MIT
 *
 * pixels.cuh: work on pixels one by one. A block takes 32 x 32 of them, so that a warp is a piece of a row whose place in
 * it is the lane, and neighbours are mostly found in the nearest cache. */
#pragma once

#include "common.cuh"

enum { VT_GPU_PIXELS_WIDE = 32, VT_GPU_PIXELS_HIGH = 32, VT_GPU_PIXELS_ROWS = 8 /* at a time */ };
enum { VT_GPU_PIXELS = VT_GPU_PIXELS_WIDE * VT_GPU_PIXELS_ROWS /* threads of a block */ };
enum { VT_GPU_ANY = -1 };

/* Not empty, of this type (VT_GPU_ANY: any), and fit to be read. */
static inline bool
vt_gpu_image_is(const VtImage *image, VtType type)
{
  return vt_gpu_image_ok(image) && (type == VT_GPU_ANY || image->type == type) && image->width > 0 && image->height > 0;
}

static inline bool
vt_gpu_same_size(const VtImage *a, const VtImage *b)
{
  return a->width == b->width && a->height == b->height;
}

/* dst is the window of src at (x0,y0). */
static inline bool
vt_gpu_window_ok(const VtImage *src, const VtImage *dst, int64_t x0, int64_t y0)
{
  return x0 >= 0 && y0 >= 0 && dst->width <= src->width && dst->height <= src->height && x0 <= src->width - dst->width
         && y0 <= src->height - dst->height;
}

/* Calls f(x, y, inside) with the whole block, for every pixel and, inside false, beyond the right and lower edges. */
template <typename F>
static __global__ void
__launch_bounds__(VT_GPU_PIXELS) vt_gpu_each_pixel(int64_t width, int64_t height, F f)
{
  const int64_t across = (width + VT_GPU_PIXELS_WIDE - 1) / VT_GPU_PIXELS_WIDE;
  const int64_t n = across * ((height + VT_GPU_PIXELS_HIGH - 1) / VT_GPU_PIXELS_HIGH);
  for (int64_t block = blockIdx.x; block < n; block += gridDim.x) {
    const int64_t row = block / across;
    const int64_t x = (block - row * across) * VT_GPU_PIXELS_WIDE + threadIdx.x % VT_GPU_PIXELS_WIDE;
    const int64_t y = row * VT_GPU_PIXELS_HIGH + threadIdx.x / VT_GPU_PIXELS_WIDE;
#pragma unroll
    for (int k = 0; k < VT_GPU_PIXELS_HIGH; k += VT_GPU_PIXELS_ROWS)
      f(x, y + k, x < width && y + k < height);
  }
}

template <typename F>
static VitrailStatus
vt_gpu_pixels(VtDevice *device, const char *name, int64_t width, int64_t height, const F &f)
{
  const int64_t blocks = vt_gpu_blocks(width, VT_GPU_PIXELS_WIDE) * vt_gpu_blocks(height, VT_GPU_PIXELS_HIGH);
  return vt_gpu_launch(device, name, vt_gpu_each_pixel<F>, blocks, VT_GPU_PIXELS, width, height, f);
}
