/* SPDX-License-Identifier: MIT */
#include "gpu.h"
#include "pixels.cuh"

enum { N_ENTRIES = 3 * 256 };

template <typename T> struct LookUp {
  VtGpuView<uint32_t> src;
  VtGpuView<T> dst;
  const int32_t *table;

  __device__ void operator()(int64_t x, int64_t y, bool inside) const
  {
    if (!inside)
      return;
    const uint32_t rgba = src.row(y)[x];
    const int32_t sum = __ldg(table + (rgba & 255)) + __ldg(table + 256 + (rgba >> 8 & 255))
                        + __ldg(table + 512 + (rgba >> 16 & 255)) + 8;
    dst.row(y)[x] = static_cast<T>(min(max(sum >> 4, 0), static_cast<int32_t>(static_cast<T>(-1))));
  }
};

template <typename T>
static VitrailStatus
run(VtDevice *device, const VtLut3 *args, const int32_t *table)
{
  const LookUp<T> look_up = { VtGpuView<uint32_t>(args->src), VtGpuView<T>(args->dst), table };
  VT_TRY(vt_gpu_pixels(device, "lut3", args->src.width, args->src.height, look_up));
  return vt_gpu_sync(device);
}

VitrailStatus
vt_gpu_lut3(VtDevice *device, const VtLut3 *args, const VtCancel *cancel)
{
  VtGpuUse use(device);
  VT_GPU_TRY(device, use.status());
  const VtImage *src = &args->src, *dst = &args->dst;
  if (!vt_lut3_ok(args) || (reinterpret_cast<uintptr_t>(src->data) | static_cast<uintptr_t>(src->stride)) % 4 != 0)
    return VITRAIL_BAD_ARGUMENT;
  if (vt_cancelled(cancel))
    return VITRAIL_CANCELLED;
  void *table = NULL;
  const size_t bytes = N_ENTRIES * sizeof(int32_t);
  VT_TRY(vt_gpu_scratch(device, bytes, &table));
  VT_GPU_TRY(device, cudaMemcpyAsync(table, args->table, bytes, cudaMemcpyHostToDevice, device->stream));
  return dst->type == VITRAIL_U8 ? run<uint8_t>(device, args, static_cast<int32_t *>(table))
                                 : run<uint16_t>(device, args, static_cast<int32_t *>(table));
}
