/* SPDX-License-Identifier: MIT
 *
 * Name, colour, parent and filter of a gate, in a popover behind a button. Each change is a step that can be undone. Main thread only. */
#pragma once
#include <adwaita.h>

#include "analysis/vt-gates.h"

#define VT_TYPE_GATE_EDITOR (vt_gate_editor_get_type())
G_DECLARE_FINAL_TYPE(VtGateEditor, vt_gate_editor, VT, GATE_EDITOR, AdwBin)

/* Of the gate that is chosen. */
GtkWidget *vt_gate_editor_new(VtGates *gates);
/* Does nothing where none is chosen. */
void vt_gate_editor_open(VtGateEditor *self);
