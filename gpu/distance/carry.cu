/* SPDX-License-Identifier: MIT */
#include "../common.cuh"
#include "../gpu.h"

enum { THREADS = 256, ROWS = 32 };

static __device__ __forceinline__ int32_t
farther(int32_t distance, int64_t way)
{
  return distance == VT_EDT_NONE ? VT_EDT_NONE : distance + static_cast<int32_t>(way);
}

/* A block takes THREADS columns of ROWS rows. */
static __global__ void
merge_carries(VtGpuView<int32_t> columns, const int32_t *above, const int32_t *below)
{
  const int64_t across = (columns.width + THREADS - 1) / THREADS, bands = (columns.height + ROWS - 1) / ROWS;
  for (int64_t at = blockIdx.x; at < across * bands; at += gridDim.x) {
    const int64_t x = at % across * THREADS + threadIdx.x, y0 = at / across * ROWS;
    if (x >= columns.width)
      continue;
    const int32_t from_above = above[x], from_below = below[x];
    for (int64_t y = y0; y < min(y0 + ROWS, columns.height); y++) {
      const int32_t carried = min(farther(from_above, y), farther(from_below, columns.height - 1 - y));
      if (carried < columns.row(y)[x])
        columns.row(y)[x] = carried;
    }
  }
}

VitrailStatus
vt_gpu_edt_carry(VtDevice *device, const VtEdtCarry *args, const VtCancel *cancel)
{
  VtGpuUse use(device);
  VT_GPU_TRY(device, use.status());
  const VtImage *columns = &args->columns;
  if (!vt_edt_carry_ok(args))
    return VITRAIL_BAD_ARGUMENT;
  if (vt_cancelled(cancel))
    return VITRAIL_CANCELLED;
  const int64_t blocks = vt_gpu_blocks(columns->width, THREADS) * vt_gpu_blocks(columns->height, ROWS);
  VT_TRY(vt_gpu_launch(device, "merge_carries", merge_carries, blocks, THREADS, VtGpuView<int32_t>(*columns),
                       static_cast<const int32_t *>(args->above.data), static_cast<const int32_t *>(args->below.data)));
  return vt_gpu_sync(device);
}
