/* SPDX-License-Identifier: MIT
 *
 * tile.cu: reconstruction by active tiles: which kernel knows the pixels. */
#include "../gpu.h"
#include "reconstruct.cuh"

VitrailStatus
vt_gpu_reconstruct_tile(VtDevice *device, const VtReconstruct *args, const VtCancel *cancel)
{
  if (args->depth != 0) /* stacks go another way */
    return vt_gpu_reconstruct_other(device, args, vt_gpu_reconstruct_tile, cancel);
  VtGpuUse use(device);
  VT_GPU_TRY(device, use.status());
  VT_TRY(vt_gpu_reconstruct_check_begin(device, args));
  switch (args->marker.type) {
  case VITRAIL_U8: return vt_gpu_reconstruct_bytes(device, args, cancel);
  case VT_BIT: return vt_gpu_reconstruct_bits(device, args, cancel);
  default: return vt_gpu_reconstruct_words(device, args, cancel);
  }
}
