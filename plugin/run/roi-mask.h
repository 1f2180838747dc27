/* SPDX-License-Identifier: MIT
 *
 * roi-mask.h: regions of interest on the grid. */
#pragma once

#include "run/run.h"

/* Sets dst (U8) to 255 where a pixel centre of rect lies inside the polygon, else 0 */
VitrailStatus vt_roi_rasterise(VtRun *run, const VitrailRoi *roi, VtRect rect, const VtImage *dst);
VtRect vt_roi_rect(const VtRun *run, const VitrailRoi *roi); /* bounds on the grid, clipped to the image */
