/* SPDX-License-Identifier: MIT
 *
 * What present objects are compared with: those of a truth, or of a result, that meet a rectangle. Once they were compared their pixels are kept, so that
 * the next comparison on the same grid paints the present ones alone, and a run can count its own against them. */
#pragma once
#include "results/vt-labels.h"
#include "run/vt-run.h"

/* The outlines (VtRoi) of objects whose box meets a rectangle of level-0 pixels; ids (gint64) gets the number of each, NULL: nobody asks. Owned. */
GPtrArray *vt_result_collect_outlines(const VtResult *result, const double box[4], GArray *ids);
GPtrArray *vt_rois_collect(const GPtrArray *rois, const double box[4]);

/* Any thread. */
typedef struct VtTrueObjects VtTrueObjects;
/* Of outlines, or points, each of which is a dot (VtRoi), or else of a result; both are kept and must stay as they are. The other one is NULL. */
VtTrueObjects *vt_true_objects_new(GPtrArray *rois, VtResult *result, const double box[4]);
VtTrueObjects *vt_true_objects_ref(VtTrueObjects *self);
void vt_true_objects_unref(VtTrueObjects *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(VtTrueObjects, vt_true_objects_unref)
gboolean vt_true_objects_is_of(const VtTrueObjects *self, const GPtrArray *rois, const VtResult *result,
                               const double box[4]);
const double *vt_true_objects_get_box(const VtTrueObjects *self);
/* The truth of a run's overlaps with these outlines, by their places from 1 on. NULL: their pixels are not kept (before the end of the
 * first comparison; dots, very many). Owned. */
VtRunTruth *vt_true_objects_dup_run_truth(VtTrueObjects *self);
/* Whether it was with these. */
gboolean vt_true_objects_are_of_overlaps(const VtTrueObjects *self, const VtOverlaps *overlaps);

/* One comparison at a time: others, and runs that read them, wait for its end. What follows is for the one that has it. */
typedef VtTrueObjects VtTrueObjectsLocker;
VtTrueObjectsLocker *vt_true_objects_lock(VtTrueObjects *self);
void vt_true_objects_unlock(VtTrueObjectsLocker *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(VtTrueObjectsLocker, vt_true_objects_unlock)
GPtrArray *vt_true_objects_get_outlines(VtTrueObjects *self); /* VtRoi that meet the box; borrowed */
gboolean vt_true_objects_are_dots(const VtTrueObjects *self);
/* The pixels of a grid from the slide's corner whose centres lie in the box. FALSE: there are none. */
gboolean vt_true_objects_find_frame(const VtTrueObjects *self, double downsample, VtFrame *frame);
/* Rows of labels, from the first one on, one after the other; of dots there are none. FALSE: they can't be painted. */
gboolean vt_true_objects_begin(VtTrueObjects *self, const VtFrame *frame);
gboolean vt_true_objects_next_row(VtTrueObjects *self, gint64 y, gint32 *row);
/* Of the frame that was begun: which outlines leave it. Borrowed. */
const VtLabels *vt_true_objects_get_labels(const VtTrueObjects *self);
