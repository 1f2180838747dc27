/* SPDX-License-Identifier: MIT
 *
 * glrlm-rois-streamed.h: a region of the op `glrlm-rois` that memory does not hold. */
#pragma once

#include "run/run.h"

typedef struct {
  const VitrailRoi *roi;
  VtRect rect;        /* on the grid, inside the image */
  double progress[2]; /* what the host is told at the beginning and at the end */
} VtGlrlmRegion;
/* values: pixels, then the features. *held: becomes the most bytes that were held, if that is more. */
VitrailStatus vt_glrlm_region_streamed(VtRun *run, const VtGlrlmRegion *region, double *values, double *held);
