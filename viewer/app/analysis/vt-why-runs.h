/* SPDX-License-Identifier: MIT
 *
 * The runs of grey levels through the pixel that was asked about, in the window in which each texture map of the recipe counts them
 * (vt_recipe_list_maps()). Asked, map by map, when the answer has all else. Main thread only. */
#pragma once
#include "analysis/vt-why.h"

/* What is known of one map. */
typedef struct {
  const char *stage;     /* its id, interned */
  VtRunLengths *lengths; /* of the window; NULL: it failed, or all of it is masked */
  gboolean has_places;   /* FALSE: the pixel has no level, as masked ones */
  VtRunPlace places[VT_RUN_DIRECTIONS];
  char *failure; /* a sentence; NULL: it did not fail */
} VtWhyMap;

typedef struct _VtWhyRuns VtWhyRuns;
/* Something below is new. */
typedef void (*VtWhyRunsChanged)(gpointer user);

VtWhyRuns *vt_why_runs_new(VtAnalysis *analysis, VtWhyRunsChanged changed, gpointer user);
void vt_why_runs_free(VtWhyRuns *self);
/* After any change of the question. */
void vt_why_runs_follow(VtWhyRuns *self, VtWhy *why);
/* VtWhyMap of all maps of the present answer, once all are known; empty before. Borrowed, until the next change. */
const GPtrArray *vt_why_runs_get_maps(VtWhyRuns *self);
