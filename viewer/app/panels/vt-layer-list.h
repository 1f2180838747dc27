/* SPDX-License-Identifier: MIT
 *
 * The layers, the nearest to the eye first. */
#pragma once
#include "analysis/vt-analysis.h"

#define VT_TYPE_LAYER_LIST (vt_layer_list_get_type())
G_DECLARE_FINAL_TYPE(VtLayerList, vt_layer_list, VT, LAYER_LIST, GtkBox)

void vt_layer_list_set_analysis(VtLayerList *self, VtAnalysis *analysis);
/* Of a list that nobody sees any more: destroys one row of it; FALSE: there was none. */
gboolean vt_layer_list_take_down(VtLayerList *self);
/* Shows in every row what lies at a point of the slide. */
void vt_layer_list_probe(VtLayerList *self, double x_l0, double y_l0, gboolean inside);
