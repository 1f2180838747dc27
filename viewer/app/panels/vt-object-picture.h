/* SPDX-License-Identifier: MIT
 *
 * An object as a small picture: the slide round it, as it was scanned, and its outline. Read by a worker; a cell that goes out of sight reads no more.
 * Main thread only. */
#pragma once
#include "analysis/vt-analysis.h"
#include "panels/vt-object-rows.h"

#define VT_TYPE_OBJECT_PICTURE (vt_object_picture_get_type())
G_DECLARE_FINAL_TYPE(VtObjectPicture, vt_object_picture, VT, OBJECT_PICTURE, GtkWidget)

/* A column of them for a list of VtObjectRow of `rows`, which is hidden; borrows both, which must outlive it. Owned. */
#define VT_OBJECT_PICTURE_COLUMN "Picture of the object"
GtkColumnViewColumn *vt_object_picture_column_new(VtObjectRows *rows, VtAnalysis *analysis);
/* Before all others of the view. */
void vt_object_picture_column_put_first(GtkColumnView *view);
