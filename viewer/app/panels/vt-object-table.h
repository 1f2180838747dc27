/* SPDX-License-Identifier: MIT
 *
 * The objects of the present result and their measurements, a row each: a row that is selected is the object that is selected
 * on the slide, and the other way round. Filled while it is seen. Main thread only. */
#pragma once
#include "analysis/vt-gates.h"
#include "canvas/vt-canvas.h"
#include "results/vt-session-file.h"

#define VT_TYPE_OBJECT_TABLE (vt_object_table_get_type())
G_DECLARE_FINAL_TYPE(VtObjectTable, vt_object_table, VT, OBJECT_TABLE, GtkBox)

GtkWidget *vt_object_table_new(VtCanvas *canvas, VtAnalysis *analysis, VtRegions *regions, VtGates *gates);
VtGates *vt_object_table_get_gates(VtObjectTable *self);
/* The panel of gates beside the table. */
void vt_object_table_show_gates(VtObjectTable *self, gboolean shows);
gboolean vt_object_table_has_gates(VtObjectTable *self);
/* Whether there are columns of neighbours and borders. */
gboolean vt_object_table_has_surroundings(VtObjectTable *self);
/* Of what is typed and what is chosen on the plot; `four`: that meet at the lower left corner of a rectangle there. FALSE and a sentence: nothing is
 * chosen that could be one. */
gboolean vt_object_table_make_gates(VtObjectTable *self, gboolean four, GError **error);
/* The one that is chosen. */
void vt_object_table_edit_gate(VtObjectTable *self);
/* Looks for objects that are like the mean of those in the regions (VtRoi); once more: ends. FALSE and a sentence: there are none. */
gboolean vt_object_table_find_like(VtObjectTable *self, const GPtrArray *rois, GError **error);
/* Where what leads to the other tables stands. */
GtkBox *vt_object_table_get_head(VtObjectTable *self);
/* All that a person chose of it and of the plot, into an empty one and out of it: before there are objects. The gates are there already. */
void vt_object_table_store(VtObjectTable *self, VtSessionTable *stored);
void vt_object_table_restore(VtObjectTable *self, const VtSessionTable *stored);
