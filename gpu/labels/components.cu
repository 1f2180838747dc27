/* SPDX-License-Identifier: MIT */
#include "../gpu.h"
#include "plateaus.cuh"

struct NotZero {
  VtGpuView<uint8_t> src;

  __device__ bool is_in(int64_t x, int64_t y) const
  {
    return src.row(y)[x] != 0;
  }
  __device__ int32_t key(int64_t x, int64_t y) const
  {
    return 0;
  }
  __device__ bool like(int64_t x, int64_t y, int64_t u, int64_t v) const
  {
    return src.row(y)[x] != 0 && src.row(v)[u] != 0;
  }
};

struct Write {
  NotZero like;
  int32_t *parent;
  VtGpuView<int32_t> dst;

  __device__ void operator()(int64_t x, int64_t y, bool inside) const
  {
    if (inside)
      dst.row(y)[x] = like.is_in(x, y) ? 1 + vt_gpu_root(parent, static_cast<int32_t>(y * dst.width + x)) : 0;
  }
};

VitrailStatus
vt_gpu_components(VtDevice *device, const VtComponents *args, const VtCancel *cancel)
{
  VtGpuUse use(device);
  VT_GPU_TRY(device, use.status());
  const VtImage *src = &args->src, *dst = &args->dst;
  if (!vt_components_ok(args))
    return VITRAIL_BAD_ARGUMENT;
  if (vt_cancelled(cancel))
    return VITRAIL_CANCELLED;
  void *scratch = NULL;
  VT_TRY(vt_gpu_scratch(device, static_cast<size_t>(src->width * src->height) * sizeof(int32_t), &scratch));
  int32_t *parent = static_cast<int32_t *>(scratch);
  const NotZero like = { VtGpuView<uint8_t>(*src) };
  const bool diagonals = args->connectivity == 8;
  VT_TRY(vt_gpu_local_plateaus(device, like, src->width, src->height, diagonals, parent, NULL));
  VT_TRY(vt_gpu_join_plateaus(device, like, src->width, src->height, diagonals, parent));
  VT_TRY(vt_gpu_pixels(device, "components_write", src->width, src->height,
                       Write{ like, parent, VtGpuView<int32_t>(*dst) }));
  return vt_gpu_sync(device);
}
