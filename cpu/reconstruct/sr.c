/* SPDX-License-Identifier: MIT
 *
 * Sequential reconstruction (Vincent 1993, section IV.B): raster and anti-raster scans in turn until neither changes
 * anything. As many scans as the longest winding path turns back: simple, and slow on spirals. */
#include "../vt-cpu.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define IMPL "sr-impl.h"
#include "each-type.h"

VitrailStatus
vt_cpu_reconstruct_sr(VtDevice *device, const VtReconstruct *args, const VtCancel *cancel)
{
  const VtType type = args->mask.type;
  if (!vt_cpu_image_ok(&args->marker, type) || !vt_cpu_image_ok(&args->mask, type)
      || !vt_cpu_same_size(&args->marker, &args->mask) || (args->connectivity != 4 && args->connectivity != 8))
    return VITRAIL_BAD_ARGUMENT;
  switch (type) {
  case VITRAIL_U8: return sr_u8(args, cancel);
  case VITRAIL_U16: return sr_u16(args, cancel);
  case VITRAIL_I32: return sr_i32(args, cancel);
  case VITRAIL_F32: return sr_f32(args, cancel);
  default: return VITRAIL_BAD_ARGUMENT;
  }
}
