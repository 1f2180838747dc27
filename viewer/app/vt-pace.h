/* SPDX-License-Identifier: MIT
 *
 * How long a live run will take, learnt from the last one, and how coarse a first look must be to come at once. */
#pragma once
#include "vt-run.h"

G_BEGIN_DECLS

typedef struct {
  double ms_per_pixel; /* of the analysis grid; 0: nothing learnt yet */
  double downsample;   /* of the last run's grid, level-0 pixels; 0: unknown */
} VtPace;

void vt_pace_learn(VtPace *pace, const VtResult *result);
/* The grid (level-0 pixels per pixel) of a first look at a region of so many level-0 pixels, of which the screen shows one
 * in `visible` per side; 0: the run is quick enough by itself. */
double vt_pace_choose(const VtPace *pace, double area_l0, double visible);

G_END_DECLS
