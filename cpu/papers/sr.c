/* SPDX-License-Identifier: MIT
 *
 * Sequential reconstruction (Vincent 1993, section IV.B): raster and anti-raster scans in turn until neither changes
 * anything. As many scans as the longest winding path turns back: simple, and slow on spirals. */
#include "../reconstruct/reconstruct.h"
#include "../iwpp/iwpp.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define IMPL "../papers/sr-impl.h"
#include "../reconstruct/each-type.h"

VitrailStatus
vt_cpu_reconstruct_sr(VtDevice *device, const VtReconstruct *args, const VtCancel *cancel)
{
  static const VtCpuReconstructRuns runs = { run_u8, run_u16, run_i32, run_f32, run_u8 };
  return vt_cpu_reconstruct_run(device, &runs, args, cancel);
}
