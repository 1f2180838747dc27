/* SPDX-License-Identifier: MIT
 *
 * A histogram of one of the objects' numbers, with a choice of the number, and a sentence that says what its range holds. Counted by a
 * worker. Signal: "range" (another one, or none). Main thread only. */
#pragma once
#include <gtk/gtk.h>

#include "layers/vt-object-filter.h"

G_BEGIN_DECLS

#define VT_TYPE_PLOT_PANEL (vt_plot_panel_get_type())
G_DECLARE_FINAL_TYPE(VtPlotPanel, vt_plot_panel, VT, PLOT_PANEL, GtkBox)

GtkWidget *vt_plot_panel_new(void);
/* The titles of the columns, in order; copied. The range and the choice of before are dropped. */
void vt_plot_panel_set_columns(VtPlotPanel *self, const char *const *titles);
/* What is counted: VtObject, or NULL; those that pass the filter stand in front. Keeps both. */
void vt_plot_panel_set_objects(VtPlotPanel *self, GPtrArray *objects, VtObjectFilter *filter);
/* The selected object, or NULL. */
void vt_plot_panel_set_selected(VtPlotPanel *self, const VtObject *object);
/* What passes the panel's filter and lies in the range; NULL: neither is there. Owned. */
VtObjectFilter *vt_plot_panel_dup_filter(VtPlotPanel *self);

G_END_DECLS
