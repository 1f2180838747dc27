/* SPDX-License-Identifier: MIT
 *
 * Candidates as a run tells them (VITRAIL_RUN_CANDIDATES): objects whose first measurements say how they fared. Any thread. */
#pragma once
#include "layers/vt-columns.h"
#include "run/vt-model.h"

/* By which an object is known as the candidate that it was: both have the same centroid, to the last bit. Owned. */
char *vt_candidate_dup_place(const VtObject *object);

/* queue (guint): places of those that would teach most, the least sure first, without the examples of the model (NULL: none), and what was passed over
 * (places as text) at the end. told NULL: none. */
void vt_candidates_sort(const VtResult *told, const VtModel *model, GHashTable *passed, GArray *queue);
/* The margins of objects that were chosen; NaN: it is not known. Owned. */
VtColumn *vt_candidates_new_margins(const VtResult *told, const GPtrArray *objects);
