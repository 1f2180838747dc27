/* SPDX-License-Identifier: MIT
 *
 * grid.h: the analysis grid, the region on it, and what of it this run holds. */
#pragma once

#include "run/run.h"

VitrailStatus vt_grid_resolve(VtRun *run, const VitrailInput *input);

VtRect vt_grid_rect(const VtRun *run);
bool vt_run_has_margin(const VtRun *run);
bool vt_run_is_whole(const VtRun *run); /* the grid covers the image */
/* The part of an image of the grid that is shown. */
VtImage vt_run_shown(const VtRun *run, const VtImage *image);

bool vt_raster_fits(const VtRun *run, VtRect rect, double bytes_per_px);
VitrailStatus vt_raster_check_budget(VtRun *run, VtRect rect,
                                     double bytes_per_px); /* or a sentence that it doesn't fit */

/* True if the op has to stream the region: its rasters of bytes_per_px would pass the budget and there is a scratch_dir, or
 * other ranks share the run. Also if there are more pixels than 32 bits number, as some kernels do. */
bool vt_run_streams(const VtRun *run, VtRect rect, double bytes_per_px);
/* Bytes that the run may hold: the budget, or most of the machine's memory. */
double vt_run_memory_limit(const VtRun *run);
/* ... beside what its stores hold. */
double vt_run_memory_left(const VtRun *run);
/* The run's share of the region: all of it, or this rank's stripe of rows. */
VtRect vt_run_share(const VtRun *run);
/* The same of another raster that the run makes. */
VtRect vt_share_of(const VtRun *run, VtRect rect);

/* weight_x : weight_y = mpp_x² : mpp_y², as near as 16 bits allow; one of them is 0 where the sides are too unlike. */
typedef struct {
  int32_t x, y;       /* of squared steps along x and y, in units */
  double um_per_unit; /* level-0 pixels per unit without a pixel size */
} VtPixelWeights;
void vt_grid_weigh(const VtGrid *grid, const VitrailInput *input, VtPixelWeights *weights);
