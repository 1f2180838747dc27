/* SPDX-License-Identifier: MIT
 *
 * reconstruct.h: what the algorithms of reconstruction share: the look at the arguments and the choice of the pixel type.
 * None of them writes the caller's marker before all is done. */
#pragma once

#include "../vt-cpu.h"

typedef VitrailStatus (*VtCpuReconstructRun)(const VtReconstruct *args, const VtCancel *cancel);

typedef struct VtCpuReconstructRuns {
  VtCpuReconstructRun u8, u16, i32, f32;
} VtCpuReconstructRuns;

static inline VitrailStatus
vt_cpu_reconstruct_run(const VtCpuReconstructRuns *runs, const VtReconstruct *args, const VtCancel *cancel)
{
  const VtType type = args->mask.type;
  if (args->by_erosion || args->depth > 0 || type == VT_BIT)
    return VITRAIL_UNSUPPORTED;
  if (!vt_cpu_image_ok(&args->marker, type) || !vt_cpu_image_ok(&args->mask, type)
      || !vt_cpu_same_size(&args->marker, &args->mask) || (args->connectivity != 4 && args->connectivity != 8))
    return VITRAIL_BAD_ARGUMENT;
  switch (type) {
  case VITRAIL_U8: return runs->u8(args, cancel);
  case VITRAIL_U16: return runs->u16(args, cancel);
  case VITRAIL_I32: return runs->i32(args, cancel);
  case VITRAIL_F32: return runs->f32(args, cancel);
  default: return VITRAIL_BAD_ARGUMENT;
  }
}
