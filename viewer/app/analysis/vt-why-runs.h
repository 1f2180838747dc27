/* SPDX-License-Identifier: MIT
 *
 * The runs of grey levels through the pixel that was asked about, in the window in which a texture map counts them. Asked when the answer has all else, of
 * recipes with one texture map (vt_recipe_open_lengths()). Main thread only. */
#pragma once
#include "analysis/vt-why.h"

typedef struct _VtWhyRuns VtWhyRuns;
/* Something below is new. */
typedef void (*VtWhyRunsChanged)(gpointer user);

VtWhyRuns *vt_why_runs_new(VtAnalysis *analysis, VtWhyRunsChanged changed, gpointer user);
void vt_why_runs_free(VtWhyRuns *self);
/* After any change of the question. */
void vt_why_runs_follow(VtWhyRuns *self, VtWhy *why);
/* The id of the map's stage, interned; NULL: nothing is known of the present answer. */
const char *vt_why_runs_get_stage(VtWhyRuns *self);
/* Of the window; borrowed. NULL: it failed, or all of it is masked. */
const VtRunLengths *vt_why_runs_get_lengths(VtWhyRuns *self);
/* VT_RUN_DIRECTIONS of them; NULL: the pixel has no level, as masked ones. Borrowed. */
const VtRunPlace *vt_why_runs_get_places(VtWhyRuns *self);
/* A sentence; NULL: it did not fail. */
const char *vt_why_runs_get_failure(VtWhyRuns *self);
