/* SPDX-License-Identifier: MIT
 *
 * The tree of gates, each with its colour, how many objects are in it, and which part that is of its parent and of all. The one that is selected is
 * chosen: the table beside it has its objects. Main thread only. */
#pragma once
#include <gtk/gtk.h>

#include "analysis/vt-gates.h"

#define VT_TYPE_GATE_PANEL (vt_gate_panel_get_type())
G_DECLARE_FINAL_TYPE(VtGatePanel, vt_gate_panel, VT, GATE_PANEL, GtkBox)

GtkWidget *vt_gate_panel_new(VtGates *gates);
/* Of the chosen gate. */
void vt_gate_panel_edit(VtGatePanel *self);
