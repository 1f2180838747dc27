/* SPDX-License-Identifier: MIT
 *
 * The parameters of the analysis' op, by group; rarely needed ones folded away. */
#pragma once
#include <gtk/gtk.h>

#include "analysis/vt-sweep.h"

#define VT_TYPE_PARAM_PANEL (vt_param_panel_get_type())
G_DECLARE_FINAL_TYPE(VtParamPanel, vt_param_panel, VT, PARAM_PANEL, GtkBox)

void vt_param_panel_set_analysis(VtParamPanel *self, VtAnalysis *analysis, VtSweep *sweep);
/* Of a panel that nobody sees any more: destroys one group of rows; FALSE: there was none. */
gboolean vt_param_panel_take_down(VtParamPanel *self);
