/* SPDX-License-Identifier: MIT
 *
 * Keeps what regions measure (vt-roi-measures.h) up with the regions, the objects that are shown and their classes; a worker works it
 * out. Main thread only. */
#pragma once
#include "analysis/vt-analysis.h"
#include "analysis/vt-regions.h"
#include "results/vt-roi-measures.h"

typedef struct _VtRoiCounts VtRoiCounts;

/* `done`: the items of the list have new measures, those of `measures`; `is_stale`: of objects that other parameters made. */
typedef void (*VtRoiCountsDone)(const VtRoiMeasures *measures, gboolean is_stale, gpointer user);

VtRoiCounts *vt_roi_counts_new(VtAnalysis *analysis, VtRegions *regions, VtRoiCountsDone done, gpointer user);
void vt_roi_counts_free(VtRoiCounts *self);
void vt_roi_counts_set_slide(VtRoiCounts *self, VtSlide *slide);
/* The objects' classes are others. */
void vt_roi_counts_update(VtRoiCounts *self);
/* What the numbers of objects are of: a result and classes of its objects; owned, NULL: none. */
void vt_roi_counts_dup_objects(VtRoiCounts *self, VtResult **result, VtClassified **classified);
