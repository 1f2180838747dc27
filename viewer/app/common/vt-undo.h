/* SPDX-License-Identifier: MIT
 *
 * What was done to a view, step by step, so that it can be taken back and made again in that order, whoever did it: regions, corrections of objects.
 * Main thread only.
 *
 * Signal: "changed" (a step was made, taken back, made again; or all are gone). */
#pragma once
#include <glib-object.h>

#define VT_TYPE_UNDO (vt_undo_get_type())
G_DECLARE_FINAL_TYPE(VtUndo, vt_undo, VT, UNDO, GObject)

VtUndo *vt_undo_new(void);
/* Makes a step, or takes it back; `step` is what the owner knows of it. */
typedef void (*VtUndoMake)(gpointer owner, gpointer step, gboolean back);
/* Makes the step now; those that were taken back are gone. The owner outlives its steps. Takes `step`. */
void vt_undo_do(VtUndo *self, gpointer owner, VtUndoMake make, gpointer step, GDestroyNotify free_step);
gboolean vt_undo_can_undo(VtUndo *self);
gboolean vt_undo_can_redo(VtUndo *self);
void vt_undo_undo(VtUndo *self);
void vt_undo_redo(VtUndo *self);
void vt_undo_clear(VtUndo *self);
