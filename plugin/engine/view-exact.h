/* SPDX-License-Identifier: MIT
 *
 * view-exact.h: margins of context that grow until the answer is certain. */
#pragma once

#include "run/run.h"

/* With context the grid is the region and a margin, run->shown the region. */
typedef struct {
  double bytes_per_px; /* of body, and of find_certain; the larger one */
  uint32_t certain_stage;
  /* All of the op, once. */
  VitrailStatus (*body)(VtRun *run, void *user);
  /* Sets certain (U8, all 255, as large as the grid) to 0 where what lies outside, at the open sides, could change the result.
   * Its rasters are released. */
  VitrailStatus (*find_certain)(VtRun *run, const bool open[4], void *user, const VtImage *certain);
} VtGridView;

/* Runs body on the region; then, where somebody wants it, find_certain, whose answer is the stage. With the parameter context=exact
 * find_certain comes first, with ever wider margins, until all of the region is certain, context-limit is reached or memory ends; body
 * runs with that margin. The record says how wide it is and how many pixels are left uncertain. */
VitrailStatus vt_view_exact_grid(VtRun *run, const VtGridView *view, void *user);
