/* SPDX-License-Identifier: MIT
 *
 * Regions whose texture is like that of one of them: how much each differs becomes a column of their table, those that pass are selected there and so on the slide, and
 * a bar says which features make them alike. The number of pixels of a region is no feature. Main thread only. */
#pragma once
#include <gtk/gtk.h>

#include "layers/vt-roi-item.h"
#include "analysis/vt-region-tree.h"
#include "panels/vt-similar-bar.h"

typedef struct _VtRoiSimilar VtRoiSimilar;

/* Borrows all, which outlive it: the bar, the table, its selection of rows (vt-roi-rows.h), the tree, the list of areas; `op` made the rows. Owned. */
VtRoiSimilar *vt_roi_similar_new(VtSimilarBar *bar, GtkColumnView *view, GtkSelectionModel *selection,
                                 VtRegionTree *tree, GListModel *areas, const VitrailOp *op);
void vt_roi_similar_free(VtRoiSimilar *self);
/* Looks for regions like this one; once more: ends. FALSE and a sentence: there is none (NULL), or too few rows are known. */
gboolean vt_roi_similar_start(VtRoiSimilar *self, VtRoiItem *item, GError **error);
/* The rows were measured anew, or there are others: those of this result. */
void vt_roi_similar_follow(VtRoiSimilar *self, VtResult *result);
