/* SPDX-License-Identifier: MIT
 *
 * What stands beside a slide: its analysis, its layers, the parameters. */
#pragma once
#include <adwaita.h>

#include "analysis/vt-sweep.h"
#include "canvas/vt-canvas.h"
#include "panels/vt-param-panel.h"
#include "panels/vt-run-panel.h"

#define VT_TYPE_SIDEBAR (vt_sidebar_get_type())
G_DECLARE_FINAL_TYPE(VtSidebar, vt_sidebar, VT, SIDEBAR, AdwBin)

void vt_sidebar_set_analysis(VtSidebar *self, VtAnalysis *analysis, VtSweep *sweep); /* once */
/* Takes a bin with a sidebar that nobody sees any more, or another large widget; NULL: nothing. A hundred widgets, or a table with its columns, are not
 * taken down in one go with all the rest of a view. */
void vt_sidebar_let_go_later(GtkWidget *widget);
VtRunPanel *vt_sidebar_get_run_panel(VtSidebar *self);     /* borrowed */
VtParamPanel *vt_sidebar_get_param_panel(VtSidebar *self); /* borrowed */
/* Shows beside every layer what lies under the pointer; nothing where the canvas shows the pin, whose values are others. */
void vt_sidebar_probe(VtSidebar *self, VtCanvas *canvas);
