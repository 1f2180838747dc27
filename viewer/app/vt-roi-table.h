/* SPDX-License-Identifier: MIT
 *
 * Regions and their texture features, one row each; worked out again whenever the regions change.
 *
 * Signals: "selected" (VtRoiItem or NULL), "activated" (VtRoiItem), "failed" (sentence). */
#pragma once
#include <gtk/gtk.h>

#include "vt-params.h"
#include "vt-roi-item.h"
#include "vt-slide.h"

G_BEGIN_DECLS

#define VT_ROI_OP "glrlm-rois"

#define VT_TYPE_ROI_TABLE (vt_roi_table_get_type())
G_DECLARE_FINAL_TYPE(VtRoiTable, vt_roi_table, VT, ROI_TABLE, GtkBox)

void vt_roi_table_set_rois(VtRoiTable *self, GListStore *rois); /* VtRoiItem */
/* Empties the list of regions: they belong to a slide. */
void vt_roi_table_set_slide(VtRoiTable *self, VtSlide *slide);
/* Parameters other than the defaults; NULL: the defaults. Copied; works the rows out again. */
void vt_roi_table_set_params(VtRoiTable *self, const VtParams *params);
/* Rows of regions that are not in the list, e.g. of the whole view. */
void vt_roi_table_show_result(VtRoiTable *self, VtResult *result);
void vt_roi_table_delete_selected(VtRoiTable *self);
/* FALSE and a sentence also when there is nothing to export (yet). */
gboolean vt_roi_table_export(VtRoiTable *self, const char *path, GError **error);

G_END_DECLS
