/* SPDX-License-Identifier: MIT
 *
 * The objects of the present result and their measurements, a row each: a row that is selected is the object that is selected
 * on the slide, and the other way round. Filled while it is seen. Main thread only. */
#pragma once
#include "analysis/vt-analysis.h"
#include "canvas/vt-canvas.h"

G_BEGIN_DECLS

#define VT_TYPE_OBJECT_TABLE (vt_object_table_get_type())
G_DECLARE_FINAL_TYPE(VtObjectTable, vt_object_table, VT, OBJECT_TABLE, GtkBox)

GtkWidget *vt_object_table_new(VtCanvas *canvas, VtAnalysis *analysis);
/* Where what leads to the other tables stands. */
GtkBox *vt_object_table_get_head(VtObjectTable *self);

G_END_DECLS
