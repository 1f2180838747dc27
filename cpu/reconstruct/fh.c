/* SPDX-License-Identifier: MIT
 *
 * Fast hybrid reconstruction (L. Vincent, Morphological grayscale reconstruction in image analysis, IEEE Trans. Image
 * Processing 2(2), 1993, section IV.D). One raster scan and one anti-raster scan carry most of the marker as far as it
 * can go: each pixel becomes min(max of itself and its neighbours already visited, mask). In the second scan a pixel
 * from which a neighbour not yet visited by that rule can still grow enters a queue; the queue then spreads first in,
 * first out. The result is the unique fixpoint, so neither the order nor the scans' split into vector and chain parts
 * shows in it. */
#include "reconstruct.h"
#include "../iwpp/iwpp.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define IMPL "fh-impl.h"
#include "each-type.h"

VitrailStatus
vt_cpu_reconstruct_fh(VtDevice *device, const VtReconstruct *args, const VtCancel *cancel)
{
  static const VtCpuReconstructRuns runs = { run_u8, run_u16, run_i32, run_f32, run_u8 };
  return vt_cpu_reconstruct_run(device, &runs, args, cancel);
}
