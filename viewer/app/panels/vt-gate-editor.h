/* SPDX-License-Identifier: MIT
 *
 * Name, colour, parent and filter of a gate, in a popover behind a button. Each change is a step that can be undone. Main thread only. */
#pragma once
#include <adwaita.h>

#include "analysis/vt-gates.h"

#define VT_TYPE_GATE_EDITOR (vt_gate_editor_get_type())
G_DECLARE_FINAL_TYPE(VtGateEditor, vt_gate_editor, VT, GATE_EDITOR, AdwBin)

/* It edits the one that is chosen. Once. */
void vt_gate_editor_set_gates(VtGateEditor *self, VtGates *gates);
/* Does nothing where none is chosen. */
void vt_gate_editor_open(VtGateEditor *self);
