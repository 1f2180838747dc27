/* SPDX-License-Identifier: MIT
 *
 * The parameters of the analysis' op, by the stage that each belongs to. The rows of one stage can stand elsewhere for a while.
 *
 * Signal: "made" (other rows are there). */
#pragma once
#include <gtk/gtk.h>

#include "analysis/vt-sweep.h"

#define VT_TYPE_PARAM_PANEL (vt_param_panel_get_type())
G_DECLARE_FINAL_TYPE(VtParamPanel, vt_param_panel, VT, PARAM_PANEL, GtkBox)

void vt_param_panel_set_analysis(VtParamPanel *self, VtAnalysis *analysis, VtSweep *sweep);
/* The rows of a stage, by its id, stand in a box from now on; those that stood elsewhere are back here. NULL: none does. The rows, borrowed; NULL: there
 * are none, or not yet. */
GtkWidget *vt_param_panel_lend(VtParamPanel *self, const char *stage, GtkBox *box);
/* All rows are there. */
gboolean vt_param_panel_is_made(VtParamPanel *self);
/* Of a panel that nobody sees any more: destroys one group of rows; FALSE: there was none. */
gboolean vt_param_panel_take_down(VtParamPanel *self);
