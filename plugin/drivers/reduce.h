/* SPDX-License-Identifier: MIT
 *
 * reduce.h: sums over tiles, finished in the end. */
#pragma once

#include "run/run.h"

/* GLRLM of one ROI raster (levels 1.., 0 outside): runs of tiles added up, then finished. */
VitrailStatus vt_reduce_glrlm(VtRun *run, const VtImage *levels, int32_t n_levels, VtGlrlmAggregate aggregate,
                              double features[VT_GLRLM_N_FEATURES]);
/* The first half of it: the matrices of the four directions, one after the other, with as many columns as the raster's longer side; free()
 * them. */
VitrailStatus vt_reduce_runs(VtRun *run, const VtImage *levels, int32_t n_levels, uint64_t **matrix);
/* Pixels of a ROI raster that have a level. */
uint64_t vt_reduce_count(const VtImage *levels);
/* The features of the four directions' matrices, one after the other, which are used up. */
VitrailStatus vt_reduce_matrix(VtRun *run, uint64_t *matrix, int32_t n_levels, int32_t longest, uint64_t n_pixels,
                               VtGlrlmAggregate aggregate, double features[VT_GLRLM_N_FEATURES]);

/* Many ROIs at once, in host memory: on the run's device, or with all the host's threads. */
VitrailStatus vt_reduce_rois(VtRun *run, const VtGlrlmRois *args);
