/* SPDX-License-Identifier: MIT
 *
 * reconstruct.h: what the algorithms of reconstruction share: the look at the arguments and the choice of the pixel type.
 * None of them writes the caller's marker before all arguments are found right. What is written later lies between the
 * marker and the answer, so that the same call goes on from it. */
#pragma once

#include "../vt-cpu.h"

typedef VitrailStatus (*VtCpuReconstructRun)(VtDevice *device, const VtReconstruct *args, const VtCancel *cancel);

typedef struct VtCpuReconstructRuns {
  VtCpuReconstructRun u8, u16, i32, f32, bit;
} VtCpuReconstructRuns;

enum { STRIPE_LEAST = 4096 }; /* pixels: fewer are done before a second thread has begun */

/* A row of a stack, or of an image (slice 0 of slices of 0 bytes). */
static inline void *
vt_cpu_slice_row(const VtImage *image, int64_t slice_bytes, int64_t z, int64_t y)
{
  return (char *)image->data + z * slice_bytes + y * image->stride;
}

static inline VitrailStatus
vt_cpu_reconstruct_run(VtDevice *device, const VtCpuReconstructRuns *runs, const VtReconstruct *args,
                       const VtCancel *cancel)
{
  if (!vt_reconstruct_ok(args))
    return VITRAIL_BAD_ARGUMENT;
  switch (args->mask.type) {
  case VITRAIL_U8: return runs->u8(device, args, cancel);
  case VITRAIL_U16: return runs->u16(device, args, cancel);
  case VITRAIL_I32: return runs->i32(device, args, cancel);
  case VITRAIL_F32: return runs->f32(device, args, cancel);
  case VT_BIT: return runs->bit(device, args, cancel);
  default: return VITRAIL_BAD_ARGUMENT;
  }
}
