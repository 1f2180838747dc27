/* SPDX-License-Identifier: MIT
 *
 * How long a live run will take, learnt from former ones, and how coarse a first look must be to come at once. What a change
 * of one parameter costs is learnt for each of them: the plugin keeps what does not depend on it. */
#pragma once
#include "run/vt-run.h"

enum { VT_PACE_PARAMS = 64 };

/* All zero: nothing is known. */
typedef struct {
  double downsample;               /* of the last run's grid, level-0 pixels; 0: unknown */
  double all;                      /* ms per pixel of the analysis grid, of what was not seen before; 0: unknown */
  double by_param[VT_PACE_PARAMS]; /* the same after a change of that parameter alone */
  VtRunRequest *now;               /* copies without slide: what runs, */
  VtRunRequest *last;              /* and what ran before it to its end */
} VtPace;

void vt_pace_clear(VtPace *pace);
/* The full run that starts now, and then its end. */
void vt_pace_start(VtPace *pace, const VtRunRequest *request);
void vt_pace_learn(VtPace *pace, const VtResult *result);
/* The grid (level-0 pixels per pixel) of a first look at what a request asks for; 0: the run is quick enough by itself. */
double vt_pace_choose(const VtPace *pace, const VtRunRequest *request);
