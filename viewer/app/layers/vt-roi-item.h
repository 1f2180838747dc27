/* SPDX-License-Identifier: MIT
 *
 * An annotation in a list model; of an area with its row of features once they are worked out. Main thread only.
 *
 * Signal: "changed" (the row, the measures, whether it is stale, the ROI). */
#pragma once
#include <gio/gio.h>

#include "run/vt-run.h"

#define VT_TYPE_ROI_ITEM (vt_roi_item_get_type())
G_DECLARE_FINAL_TYPE(VtRoiItem, vt_roi_item, VT, ROI_ITEM, GObject)

/* Takes the ROI. */
VtRoiItem *vt_roi_item_new(VtRoi *roi);
const VtRoi *vt_roi_item_get_roi(VtRoiItem *self);
/* Exchanges its ROI for another one. Its row and its measures go if the outline is another. */
void vt_roi_item_swap_roi(VtRoiItem *self, VtRoi **roi);
/* Feature `index`; NaN while it is not known, or if it is undefined. */
double vt_roi_item_get_value(VtRoiItem *self, guint index);
/* The same as text: "" while it is not known, "–" if it is undefined. Owned. */
char *vt_roi_item_dup_value(VtRoiItem *self, guint index);
/* Copies the row's values and the parameters that they were measured with. */
void vt_roi_item_set_row(VtRoiItem *self, const VtRow *row, const VtParams *params);
/* What else is known of it (vt-roi-measures.h): n numbers, copied; NaN where one is not known, or not yet. */
void vt_roi_item_set_measures(VtRoiItem *self, const double *values, guint n);
double vt_roi_item_get_measure(VtRoiItem *self, guint index);
/* How much its texture differs from that of a region that others are compared with, in standard deviations; NaN: none is, or it is not known. */
void vt_roi_item_set_difference(VtRoiItem *self, double difference);
double vt_roi_item_get_difference(VtRoiItem *self);
/* What the row was measured with; NULL: there is no row. Borrowed. */
const VtParams *vt_roi_item_get_params(VtRoiItem *self);
/* The row is stale if it was measured with other parameters than these. */
void vt_roi_item_compare(VtRoiItem *self, const VtParams *present);
gboolean vt_roi_item_get_stale(VtRoiItem *self);
/* A file has the outline. */
void vt_roi_item_set_saved(VtRoiItem *self, gboolean saved);
gboolean vt_roi_item_get_saved(VtRoiItem *self);
/* The areas of a list of items and their bounding rectangle, clipped to the slide, into a request; FALSE: there is none. */
gboolean vt_roi_items_fill(VtRunRequest *request, VtSlide *slide, GListModel *rois);
