/* SPDX-License-Identifier: MIT
 *
 * What the objects of an analysis are compared with while somebody works at it: its own result of a moment ago, or outlines of a
 * file. A pinned result is an op with its parameters: where it has not been worked out, or on another grid, it is run again,
 * so it is there wherever one looks. Compared is what is visible. Main thread only.
 *
 * Signal: "changed" (anything below). */
#pragma once
#include "analysis/vt-analysis.h"
#include "analysis/vt-regions.h"
#include "run/vt-shapes.h"
#include "results/vt-compare.h"

#define VT_TYPE_REFERENCE (vt_reference_get_type())
G_DECLARE_FINAL_TYPE(VtReference, vt_reference, VT, REFERENCE, GObject)

VtReference *vt_reference_new(VtAnalysis *analysis);
/* The present result. FALSE and a sentence: there is none, or it shows nothing on the slide. */
gboolean vt_reference_pin(VtReference *self, GError **error);
/* Of an op with parameters that need not have been run. */
void vt_reference_pin_params(VtReference *self, const VitrailPlugin *plugin, const VtParams *params);
/* The areas of a file, taken for the truth, or a dot for each of its points where it has no area; the list loses them. FALSE and a sentence: there are neither. */
gboolean vt_reference_take(VtReference *self, VtShapes *shapes, GError **error);
/* The annotations of the view; once, at the beginning. */
void vt_reference_set_regions(VtReference *self, VtRegions *regions);
/* The points that are drawn in the view, one in each true object; they are followed. FALSE and a sentence: there are none. */
gboolean vt_reference_take_points(VtReference *self, GError **error);
/* A truth is complete only in the areas that are drawn in the view, which are followed. FALSE and a sentence: there are none. */
gboolean vt_reference_set_within(VtReference *self, gboolean is_within, GError **error);
gboolean vt_reference_get_within(VtReference *self);
/* Those areas (VtRoi), borrowed; NULL: everywhere. */
GPtrArray *vt_reference_get_known(VtReference *self);
/* With a truth, all that was analysed is compared, not what is visible alone. */
void vt_reference_set_of_all(VtReference *self, gboolean is_of_all);
gboolean vt_reference_get_of_all(VtReference *self);
/* The classes of sizes in a comparison with a truth are parted at these: µm², or without a pixel size pixels of the grid. */
#define VT_REFERENCE_BOUNDS 3
double vt_reference_get_bound(gboolean calibrated, guint i);
/* The pin; what it was pinned over, a file, is compared with again. Without a pin the file. */
void vt_reference_forget(VtReference *self);
/* Both. */
void vt_reference_clear(VtReference *self);
gboolean vt_reference_is_set(VtReference *self);
/* The name of the file; NULL: a pin. */
const char *vt_reference_get_file(VtReference *self);
/* Of the file, also while something is pinned over it: VtRoi, borrowed; NULL: there is none. */
const GPtrArray *vt_reference_get_outlines(VtReference *self);
/* What the file's reader left out, a sentence; NULL: nothing. */
const char *vt_reference_get_note(VtReference *self);
/* What the present parameters have other than the pinned ones, a line each: "Threshold: 0.1 → 0.15 OD"; or the two analyses. Owned. */
char *vt_reference_dup_words(VtReference *self);
/* Of a pin; borrowed. NULL: there is none. */
const VitrailOp *vt_reference_get_op(VtReference *self);
const VtParams *vt_reference_get_params(VtReference *self);
/* The pin where it was worked out last, which may be another place than the view; borrowed. */
VtResult *vt_reference_get_result(VtReference *self);
/* Stages of the pin (bits) that somebody looks at: they are worked out with its objects from now on. 0: none. */
void vt_reference_set_seen(VtReference *self, guint64 stages);
/* The pin is not worked out anew where it is not there: what it has is all there is, until this ends. */
void vt_reference_set_paused(VtReference *self, gboolean paused);
/* What the pin and what the layers show are, in the parameters that differ, and why one of them is not the final answer: "Pinned: Threshold 0.10
 * OD · working". Of a pin; both owned. */
void vt_reference_dup_sides(VtReference *self, char **pinned, char **now);
/* NULL: not yet, or there is nothing to compare here, or the objects are of other parameters than the present ones. Borrowed. */
const VtComparison *vt_reference_get_comparison(VtReference *self);
/* FALSE: another comparison is on its way. */
gboolean vt_reference_is_current(VtReference *self);
/* Why nothing is compared, a sentence; NULL: it is, or will be. */
const char *vt_reference_get_obstacle(VtReference *self);
/* The view came to rest elsewhere. */
void vt_reference_view_changed(VtReference *self);
/* The next of that fate, the largest change first, and its middle; after the last, the first of those in view. FALSE: there is none. */
gboolean vt_reference_step(VtReference *self, VtFate fate, double *x_l0, double *y_l0);
