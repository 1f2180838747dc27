/* SPDX-License-Identifier: MIT
 *
 * How long a live run will take, learnt from former ones, and how coarse a first look must be to be seen at once. What a change
 * of one parameter costs is learnt for each of them: the plugin keeps what does not depend on it. */
#pragma once
#include "run/vt-run.h"

enum { VT_PACE_PARAMS = 64 };

/* All zero: nothing is known. */
typedef struct {
  double downsample; /* of the last run's grid, level-0 pixels; 0: unknown */
  /* After a change of each parameter alone, and last of what was not seen before; 0: unknown. */
  double speed[VT_PACE_PARAMS + 1];    /* ms per pixel of the analysis grid */
  double extra_ms[VT_PACE_PARAMS + 1]; /* what a first look takes that its pixels do not */
  double follows_ms;                   /* from the end of a first look's run until it is drawn; 0: unknown */
  int looks_at;                        /* the change that a first look is made for */
  VtRunRequest *now;                   /* copies without slide: what runs, */
  VtRunRequest *last;                  /* and what ran before it to its end */
} VtPace;

void vt_pace_clear(VtPace *pace);
/* The full run, or the first look, that starts now, and then its end. */
void vt_pace_start(VtPace *pace, const VtRunRequest *request, gboolean is_look);
void vt_pace_learn(VtPace *pace, const VtResult *result, gboolean is_look);
/* So long after its end a first look was drawn. */
void vt_pace_learn_frame(VtPace *pace, double ms);
/* The grid (level-0 pixels per pixel) of a first look at what a request asks for; 0: the run is quick enough by itself. */
double vt_pace_choose(const VtPace *pace, const VtRunRequest *request);
