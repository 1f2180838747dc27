/* SPDX-License-Identifier: MIT
 *
 * Two passes over an intermediate of the columns that the window needs. Sums stay below 2^32: the weights add up to 2^16
 * and pixels are below it. */
#include "gpu.h"
#include "pixels.cuh"

enum { MAX_RADIUS = 512 };

/* Rows of the intermediate are those of dst; its columns are those of src from `first` on. */
struct Columns {
  VtGpuView<uint16_t> src;
  uint16_t *sums;
  int64_t width, first, y0;
  const uint32_t *weights;
  int radius;

  __device__ void operator()(int64_t x, int64_t y, bool inside) const
  {
    if (!inside)
      return;
    const uint16_t *column = src.row(0) + first + x;
    const int64_t stride = src.stride / static_cast<int64_t>(sizeof(uint16_t)), bottom = src.height - 1, at = y0 + y;
    uint32_t sum = 32768 + __ldg(weights) * column[at * stride];
    if (at >= radius && at + radius <= bottom) {
      const uint16_t *up = column + at * stride, *down = up;
#pragma unroll 4
      for (int k = 1; k <= radius; k++) {
        up -= stride;
        down += stride;
        sum += __ldg(weights + k) * (static_cast<uint32_t>(*up) + *down);
      }
      sums[y * width + x] = static_cast<uint16_t>(sum >> 16);
      return;
    }
    for (int k = 1; k <= radius; k++) {
      const int64_t up = max(at - k, static_cast<int64_t>(0)), down = min(at + k, bottom);
      sum += __ldg(weights + k) * (static_cast<uint32_t>(column[up * stride]) + column[down * stride]);
    }
    sums[y * width + x] = static_cast<uint16_t>(sum >> 16);
  }
};

struct Rows {
  const uint16_t *sums;
  int64_t width, first, x0;
  VtGpuView<uint16_t> dst;
  const uint32_t *weights;
  int radius;

  __device__ void operator()(int64_t x, int64_t y, bool inside) const
  {
    if (!inside)
      return;
    const uint16_t *row = sums + y * width;
    const int64_t at = x0 + x - first, last = width - 1;
    uint32_t sum = 32768 + __ldg(weights) * row[at];
    if (at >= radius && at + radius <= last) {
      const uint16_t *centre = row + at;
#pragma unroll 4
      for (int k = 1; k <= radius; k++)
        sum += __ldg(weights + k) * (static_cast<uint32_t>(centre[-k]) + centre[k]);
      dst.row(y)[x] = static_cast<uint16_t>(sum >> 16);
      return;
    }
    for (int k = 1; k <= radius; k++) {
      const int64_t left = max(at - k, static_cast<int64_t>(0)), right = min(at + k, last);
      sum += __ldg(weights + k) * (static_cast<uint32_t>(row[left]) + row[right]);
    }
    dst.row(y)[x] = static_cast<uint16_t>(sum >> 16);
  }
};

VitrailStatus
vt_gpu_smooth(VtDevice *device, const VtSmooth *args, const VtCancel *cancel)
{
  VT_GPU_USE(device, vt_smooth_ok(args));
  if (vt_cancelled(cancel))
    return VITRAIL_CANCELLED;
  const int64_t r = args->radius, width = args->dst.width, height = args->dst.height;
  const int64_t first = args->x0 > r ? args->x0 - r : 0, beyond = args->src.width - args->x0 - width;
  const int64_t columns = args->x0 + width + (beyond < r ? beyond : r) - first;
  const size_t weights_bytes = (MAX_RADIUS + 1) * sizeof(uint32_t);
  void *scratch = NULL;
  VT_TRY(vt_gpu_scratch(device, weights_bytes + static_cast<size_t>(columns * height) * sizeof(uint16_t), &scratch));
  uint32_t *weights = static_cast<uint32_t *>(scratch);
  uint16_t *sums = reinterpret_cast<uint16_t *>(weights + MAX_RADIUS + 1);
  VT_GPU_TRY(device, cudaMemcpyAsync(weights, args->weights, static_cast<size_t>(r + 1) * sizeof(uint32_t),
                                     cudaMemcpyHostToDevice, device->stream));
  const Columns down = { VtGpuView<uint16_t>(args->src), sums, columns, first, args->y0, weights, args->radius };
  const Rows along = { sums, columns, first, args->x0, VtGpuView<uint16_t>(args->dst), weights, args->radius };
  VT_TRY(vt_gpu_pixels(device, "smooth_columns", columns, height, down));
  VT_TRY(vt_gpu_pixels(device, "smooth_rows", width, height, along));
  return vt_gpu_sync(device);
}
