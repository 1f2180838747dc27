/* SPDX-License-Identifier: MIT
 *
 * Runs of what is shown with other parameters, one after the other. Each is compared with the truth, if there is one, or with objects that its owner
 * names. Curves, the search for the best parameters and the review use it. Steps before what is different are made once. What
 * runs for the picture goes first. Main thread only. */
#pragma once
#include "analysis/vt-reference.h"
#include "common/vt-slider-scale.h"

/* Both are borrowed. `result` NULL: it failed, `error` says why. `comparison` NULL: there is nothing to compare with. The next one may be started from
 * here. */
typedef void (*VtTrialDone)(VtResult *result, const VtComparison *comparison, const GError *error, gpointer user);

#define VT_TYPE_TRIALS (vt_trials_get_type())
G_DECLARE_FINAL_TYPE(VtTrials, vt_trials, VT, TRIALS, GObject)

/* `user` must outlive what is under way: see vt_trials_stop(). */
VtTrials *vt_trials_new(VtAnalysis *analysis, VtReference *reference, VtTrialDone done, gpointer user);
/* The present op finds objects on slides. */
gboolean vt_trials_is_possible(VtAnalysis *analysis);
/* FALSE and a sentence; else what is shown now, at its resolution, and the truth of now are what all runs are of. */
gboolean vt_trials_begin(VtTrials *self, GError **error);
/* Other objects (VtRoi) instead of the truth; NULL: nothing. After vt_trials_begin(). */
void vt_trials_set_truth(VtTrials *self, GPtrArray *rois);
gboolean vt_trials_has_begun(VtTrials *self);
/* Of the op that it began with; copies. One at a time. */
void vt_trials_run(VtTrials *self, const VtParams *params);
/* No answer comes after it; what it began with is forgotten. */
void vt_trials_stop(VtTrials *self);
/* What it began with, with the parameters of then; NULL: it has not begun. Borrowed. */
const VtRunRequest *vt_trials_get_request(VtTrials *self);
gboolean vt_trials_has_truth(VtTrials *self);
/* What is shown now is another place, resolution or op, or there is another truth. */
gboolean vt_trials_is_elsewhere(VtTrials *self);
/* The numbers are of a preview. */
gboolean vt_trials_is_preview(VtTrials *self);

/* A number that trials vary: along its slider, or in its steps. */
typedef struct {
  guint param;
  VtSliderScale scale;
} VtTrialAxis;
/* VtTrialAxis of all numbers of the op but those with which the pixels would be others: the pixel size, the context. Owned. */
GArray *vt_trials_list_axes(const VitrailOp *op);
