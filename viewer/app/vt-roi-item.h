/* SPDX-License-Identifier: MIT
 *
 * A region of interest in a list model, with its row of features once they are worked out. */
#pragma once
#include <gio/gio.h>

#include "vt-run.h"

G_BEGIN_DECLS

#define VT_TYPE_ROI_ITEM (vt_roi_item_get_type())
G_DECLARE_FINAL_TYPE(VtRoiItem, vt_roi_item, VT, ROI_ITEM, GObject)

/* Takes the ROI. */
VtRoiItem *vt_roi_item_new(VtRoi *roi);
const VtRoi *vt_roi_item_get_roi(VtRoiItem *self);
/* Text of feature `index`; "" while it is not known, "–" if it is undefined. Owned. */
char *vt_roi_item_dup_value(VtRoiItem *self, guint index);
/* Copies the row's values; NULL: not known. Emits "changed". */
void vt_roi_item_set_row(VtRoiItem *self, const VtRow *row);
/* The regions of a list of items and their bounding rectangle, clipped to the slide, into a request; FALSE: there is none. */
gboolean vt_roi_items_fill(VtRunRequest *request, VtSlide *slide, GListModel *rois);

G_END_DECLS
