/* SPDX-License-Identifier: MIT
 *
 * Downhill reconstruction (K. Robinson and P. F. Whelan, Efficient morphological reconstruction: a downhill filter,
 * Pattern Recognition Letters 25, 2004). Pixels are taken by falling value. What the highest one gives to a neighbour,
 * min(value, mask), no later one can exceed: each pixel is raised at most once. A pixel that was raised while it waited
 * is met twice; its first, lower entry no longer agrees with its value and is dropped. Only pixels that have something
 * to give wait at all. Where the values can be counted they wait in one list per value, else in a binary heap. */
#include "../reconstruct/reconstruct.h"
#include "../iwpp/iwpp.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define IMPL "../papers/downhill-impl.h"
#include "../reconstruct/each-type.h"

VitrailStatus
vt_cpu_reconstruct_downhill(VtDevice *device, const VtReconstruct *args, const VtCancel *cancel)
{
  static const VtCpuReconstructRuns runs = { run_u8, run_u16, run_i32, run_f32, run_u8 };
  return vt_cpu_reconstruct_run(device, &runs, args, cancel);
}
