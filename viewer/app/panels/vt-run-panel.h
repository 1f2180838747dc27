/* SPDX-License-Identifier: MIT
 *
 * What is run, where, and how it goes. */
#pragma once
#include <gtk/gtk.h>

#include "analysis/vt-analysis.h"

#define VT_TYPE_RUN_PANEL (vt_run_panel_get_type())
G_DECLARE_FINAL_TYPE(VtRunPanel, vt_run_panel, VT, RUN_PANEL, GtkBox)

/* Selects the first op that a slide can be given to. */
void vt_run_panel_set_analysis(VtRunPanel *self, VtAnalysis *analysis);
/* Those in its list: VitrailOp, with the recipes that are being edited in this view. Borrowed. */
GPtrArray *vt_run_panel_get_ops(VtRunPanel *self);
/* FALSE and a sentence if there is no such op for slides. */
gboolean vt_run_panel_select_op(VtRunPanel *self, const char *op_id, GError **error);
