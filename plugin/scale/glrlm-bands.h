/* SPDX-License-Identifier: MIT
 *
 * glrlm-bands.h: the run lengths of a region that comes in bands of rows, from top to bottom. Of what went before only the last row
 * stays, and the row in which each open run began; so the matrix is that of the region in one piece. */
#pragma once

#include "run/run.h"

typedef struct {
  int64_t width, height; /* of the region */
  int64_t y;             /* rows that were counted */
  int32_t n_levels, longest;
  uint64_t *matrix; /* [direction][level - 1][length - 1], as VtGlrlmRuns */
  uint64_t n_pixels;
  int64_t *starts; /* of the lines along (1,1), (0,1), (-1,1), width of each: the row in which the run on it began */
  uint16_t *last;  /* the row above the next band */
} VtGlrlmBands;

/* What vt_glrlm_bands_new takes for a region, and the work with so many threads, in bytes. */
double vt_glrlm_bands_bytes(int64_t width, int64_t height, int32_t n_levels, uint32_t n_threads);
/* VITRAIL_OUT_OF_MEMORY, with a sentence. vt_glrlm_bands_clear() in any case. */
VitrailStatus vt_glrlm_bands_new(VtRun *run, VtGlrlmBands *bands, int64_t width, int64_t height, int32_t n_levels);
void vt_glrlm_bands_clear(VtGlrlmBands *bands);
/* The next rows: U16 levels 0..n_levels, with all the host's threads. */
VitrailStatus vt_glrlm_bands_add(VtRun *run, VtGlrlmBands *bands, const VtImage *levels);
/* After the last row. The matrix is used up. */
VitrailStatus vt_glrlm_bands_finish(VtRun *run, VtGlrlmBands *bands, VtGlrlmAggregate aggregate,
                                    double features[VT_GLRLM_N_FEATURES]);
