/* SPDX-License-Identifier: MIT
 *
 * From codes of regions to labels: the inverse of the code, as plugin/drivers/regions.h has it. */
#include "../gpu.h"
#include "../pixels.cuh"

struct Label {
  VtGpuView<int32_t> codes;
  int64_t grid_x, grid_y;
  uint32_t *words;

  __device__ void operator()(int64_t x, int64_t y, bool inside) const
  {
    const int64_t code = inside ? codes.row(y)[x] : 0;
    if (code <= 0 || code > VT_REGION_MOST_CODE)
      return;
    const int64_t left = (grid_x + x - (code - 1)) & (VT_REGION_PERIOD - 1);
    const int64_t up = (grid_y + y - (code - 1) / VT_REGION_PERIOD) & (VT_REGION_PERIOD - 1);
    const int64_t first_x = x - (left < VT_REGION_PERIOD / 2 ? left : left - VT_REGION_PERIOD), first_y = y - up;
    if (first_x < 0 || first_x >= codes.width || first_y < 0)
      words[0] = 1;
    else
      codes.row(y)[x] = static_cast<int32_t>(first_y * codes.width + first_x) + 1;
  }
};

VitrailStatus
vt_gpu_region_labels(VtDevice *device, const VtRegionLabels *args, const VtCancel *cancel)
{
  VtGpuUse use(device);
  VT_GPU_TRY(device, use.status());
  if (!vt_region_labels_ok(args))
    return VITRAIL_BAD_ARGUMENT;
  if (vt_cancelled(cancel))
    return VITRAIL_CANCELLED;
  VT_GPU_TRY(device, cudaMemsetAsync(device->words, 0, sizeof(uint32_t), device->stream));
  VT_TRY(vt_gpu_pixels(device, "region_labels", args->codes.width, args->codes.height,
                       Label{ VtGpuView<int32_t>(args->codes), args->grid_x, args->grid_y, device->words }));
  VT_TRY(vt_gpu_read_words(device));
  return device->words_host[0] ? VITRAIL_BAD_ARGUMENT : VITRAIL_OK;
}
