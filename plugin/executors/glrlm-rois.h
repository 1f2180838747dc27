/* SPDX-License-Identifier: MIT
 *
 * glrlm-rois.h: the entry `glrlm_rois` of executors that have one. */
#pragma once

#include "executors/executor.h"

/* Regions that memory does not hold come in bands, whichever executor it is; ranks deal regions out. */
VitrailStatus vt_glrlm_table(VtExec *x, const VtGlrlmTable *table);

/* --- glrlm-large-roi.c --- */

typedef struct {
  const VtGlrlmTable *what;
  const VitrailRoi *roi;
  VtRect rect;        /* on the grid, inside the image */
  double progress[2]; /* what the host is told at the beginning and at the end */
} VtGlrlmLargeRoi;
/* values: pixels, then the features. *held: becomes the most bytes that were held, if that is more. */
VitrailStatus vt_glrlm_large_roi(VtRun *run, const VtGlrlmLargeRoi *region, double *values, double *held);
