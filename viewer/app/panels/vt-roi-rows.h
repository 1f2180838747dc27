/* SPDX-License-Identifier: MIT
 *
 * Rows of the table of regions: a tree, whose rows are GtkTreeListRow of VtRoiItem. */
#pragma once
#include <gtk/gtk.h>

#include "analysis/vt-region-tree.h"

/* All rows are unfolded to begin with. others: VtRoiItem that are in no tree, behind those that are. Owned. */
GtkTreeListModel *vt_roi_rows_new(VtRegionTree *tree, GListModel *others);
/* Of a row; owned. */
VtRoiItem *vt_roi_row_dup_item(gpointer row);
/* Of the row at a place; owned; NULL: there is none. */
VtRoiItem *vt_roi_rows_dup_item(GListModel *rows, guint place);
/* Those rows that an item lies in, so that it has a row. */
void vt_roi_rows_unfold(GListModel *rows, VtRegionTree *tree, VtRoiItem *item);
/* Selects the row of an item, for which those that it lies in are unfolded. alone: no other one is selected then. */
void vt_roi_rows_select(GtkSelectionModel *rows, VtRegionTree *tree, VtRoiItem *item, gboolean alone);
/* Shift and the right arrow unfold the selected rows of a table, Shift and the left one fold them. */
void vt_roi_rows_add_keys(GtkColumnView *view);
