/* SPDX-License-Identifier: MIT
 *
 * What lies round the objects of one view (results/vt-surroundings.h), as columns of theirs: Delaunay neighbours, and, where there are regions, the
 * signed distance to the nearest border of one. While it is on a worker makes them for each result, and the distances again when regions are others.
 * Main thread only. Signal: "failed" (char*: a sentence, why neighbours are not counted). */
#pragma once
#include "analysis/vt-analysis.h"
#include "analysis/vt-regions.h"

#define VT_TYPE_SURROUNDER (vt_surrounder_get_type())
G_DECLARE_FINAL_TYPE(VtSurrounder, vt_surrounder, VT, SURROUNDER, GObject)

VtSurrounder *vt_surrounder_new(VtAnalysis *analysis, VtRegions *regions);
void vt_surrounder_set_on(VtSurrounder *self, gboolean is_on);
