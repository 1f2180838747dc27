/* SPDX-License-Identifier: MIT
 *
 * Reconstruction by active tiles, after the tile worklists of eikonal solvers (W.-K. Jeong and R. T. Whitaker, A fast
 * iterative method, SIAM J. Sci. Comput. 30(5), 2008) and the chained vector sweeps of D. Zlaus and D. Mongus, 2019.
 *
 * The image is cut into square tiles that fit the first cache. A first in, first out list holds the tiles that may have
 * something to do, all of them at first. A visit reads the edges of the neighbours once; they do not change meanwhile. Then it
 * sweeps the tile down and up until no pixel changes. A row of pixels lies in a few vector registers. The tile and its transpose
 * are swept in turn, so that sweeps to the right and to the left are vector work too. The visit then wakes
 * exactly those neighbours of which a pixel can rise. The result is the unique fixpoint, whatever the order.
 *
 * About three visits per tile do on the benchmark image. A corridor one pixel wide that winds through all tiles would take as
 * many as it has turns. So after VT_CPU_TILE_MOST_VISITS per tile the fast hybrid algorithm goes on, with what has been reached as
 * its marker. Stacks go there at once. */
#include "tile.h"
#include "../simd.h"

VitrailStatus
vt_cpu_reconstruct_tile(VtDevice *device, const VtReconstruct *args, const VtCancel *cancel)
{
  if (args->depth > 0)
    return vt_cpu_reconstruct_fh(device, args, cancel);
  return vt_cpu_reconstruct_run(device, VT_CPU_BEST(vt_cpu_tile), args, cancel);
}
