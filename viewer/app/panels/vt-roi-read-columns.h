/* SPDX-License-Identifier: MIT
 *
 * Columns of a table of regions with the measurements that were read from files (VtRoi.measured), beside ours: by the names that they have there, or "Area µm^2 (read)" where a
 * column of ours is called so. */
#pragma once
#include <gtk/gtk.h>

#define VT_ROI_READ_MOST 60     /* columns; regions, sessions and files keep all */
#define VT_ROI_READ_COLUMN 1000 /* what the "column" of each is (vt-roi-columns.c) */

/* Follows a list of VtRoiItem: columns come and go, and those that stay are where they were. `own`: names of ours in files (char*). How many measurements there are that are no
 * columns. */
guint vt_roi_read_columns_update(GtkColumnView *view, GListModel *items, const GPtrArray *own);
