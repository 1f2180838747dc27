/* SPDX-License-Identifier: MIT
 *
 * pixels.cuh: work on pixels one by one. A block takes 32 x 32 of them, so that a warp is a piece of a row whose place in
 * it is the lane, and neighbours are mostly found in the nearest cache. */
#pragma once

#include "common.cuh"

enum { VT_GPU_PIXELS_WIDE = 32, VT_GPU_PIXELS_HIGH = 32, VT_GPU_PIXELS_ROWS = 8 /* at a time */ };
enum { VT_GPU_PIXELS = VT_GPU_PIXELS_WIDE * VT_GPU_PIXELS_ROWS /* threads of a block */ };

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
