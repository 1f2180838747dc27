/* SPDX-License-Identifier: MIT
 *
 * Queue-based reconstruction (Vincent 1993, section IV.C). The regional maxima of the marker carry all of it: from every
 * other pixel a path rises to one of them, and a marker never is above its mask. So all other pixels are lowered, the
 * rims of the maxima enter a queue, and the queue spreads first in, first out. No scan of the image decides anything:
 * the work grows with what has to be filled. */
#include "../reconstruct/reconstruct.h"
#include "../iwpp/iwpp.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FLAGS_AT_ONCE = 1 << 20 };

#define IMPL "../papers/qb-impl.h"
#include "../reconstruct/each-type.h"

VitrailStatus
vt_cpu_reconstruct_qb(VtDevice *device, const VtReconstruct *args, const VtCancel *cancel)
{
  static const VtCpuReconstructRuns runs = { run_u8, run_u16, run_i32, run_f32, run_u8 };
  return vt_cpu_reconstruct_run(device, &runs, args, cancel);
}
