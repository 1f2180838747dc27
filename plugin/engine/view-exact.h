/* SPDX-License-Identifier: MIT
 *
 * view-exact.h: a margin of context that grows until the answer is certain. */
#pragma once

#include "run/run.h"

/* With context, run->grid is the region and a margin, and run->shown is the region. */
typedef struct {
  double bytes_per_px; /* the larger one of what body and find_certain take */
  uint32_t certain_stage;
  /* Runs the op. */
  VitrailStatus (*body)(VtRun *run, void *user);
  /* Sets certain (U8, all 255, as large as the grid) to 0 where what lies outside, at the open sides, could change the result.
   * Its rasters are released. */
  VitrailStatus (*find_certain)(VtRun *run, const bool open[4], void *user, const VtImage *certain);
} VtGridView;

/* Runs body on the region, and then find_certain if the stage `certain` is wanted. With the parameter context=exact find_certain runs
 * first, with wider and wider margins, until all of the region is certain, or the margin reaches context-limit or what memory
 * allows. body then runs with that margin. The record has the margin and the number of pixels that are not certain. */
VitrailStatus vt_view_exact_grid(VtRun *run, const VtGridView *view, void *user);
