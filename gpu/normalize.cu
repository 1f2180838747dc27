/* SPDX-License-Identifier: MIT */
#include "gpu.h"
#include "pixels.cuh"

struct Normalize {
  VtGpuView<uint32_t> src, dst;
  const int32_t *table;
  const uint8_t *colour;
  int32_t mix[2][3];

  __device__ int64_t amount(const int32_t *of, uint32_t rgba) const
  {
    const int32_t sum =
      __ldg(of + (rgba & 255)) + __ldg(of + 256 + (rgba >> 8 & 255)) + __ldg(of + 512 + (rgba >> 16 & 255)) + 8;
    return min(max(sum >> 4, 0), 65535);
  }

  __device__ void operator()(int64_t x, int64_t y, bool inside) const
  {
    if (!inside)
      return;
    const uint32_t rgba = src.row(y)[x];
    const int64_t a = amount(table, rgba), b = amount(table + 768, rgba);
    uint32_t to = 0xff000000u;
#pragma unroll
    for (int c = 0; c < 3; c++) {
      const int64_t density = (mix[0][c] * a + mix[1][c] * b + 32768) >> 16;
      const int64_t known = density < 0 ? 0 : density >= VT_DENSITIES ? VT_DENSITIES - 1 : density;
      to |= static_cast<uint32_t>(__ldg(colour + known)) << 8 * c;
    }
    dst.row(y)[x] = to;
  }
};

VitrailStatus
vt_gpu_normalize(VtDevice *device, const VtNormalize *args, const VtCancel *cancel)
{
  VtGpuUse use(device);
  VT_GPU_TRY(device, use.status());
  const VtImage *src = &args->src, *dst = &args->dst;
  const uintptr_t grain = reinterpret_cast<uintptr_t>(src->data) | static_cast<uintptr_t>(src->stride)
                          | reinterpret_cast<uintptr_t>(dst->data) | static_cast<uintptr_t>(dst->stride);
  if (!vt_normalize_ok(args) || grain % 4 != 0)
    return VITRAIL_BAD_ARGUMENT;
  if (vt_cancelled(cancel))
    return VITRAIL_CANCELLED;
  void *scratch = NULL;
  const size_t table_bytes = 2 * 3 * 256 * sizeof(int32_t);
  VT_TRY(vt_gpu_scratch(device, table_bytes + VT_DENSITIES, &scratch));
  uint8_t *colour = static_cast<uint8_t *>(scratch) + table_bytes;
  VT_GPU_TRY(device, cudaMemcpyAsync(scratch, args->table, table_bytes, cudaMemcpyHostToDevice, device->stream));
  VT_GPU_TRY(device, cudaMemcpyAsync(colour, args->colour, VT_DENSITIES, cudaMemcpyHostToDevice, device->stream));
  const int32_t(*mix)[3] = args->mix;
  const Normalize normalize = { VtGpuView<uint32_t>(*src),
                                VtGpuView<uint32_t>(*dst),
                                static_cast<int32_t *>(scratch),
                                colour,
                                { { mix[0][0], mix[0][1], mix[0][2] }, { mix[1][0], mix[1][1], mix[1][2] } } };
  VT_TRY(vt_gpu_pixels(device, "normalize", src->width, src->height, normalize));
  return vt_gpu_sync(device);
}
