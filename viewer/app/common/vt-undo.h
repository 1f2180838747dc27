/* SPDX-License-Identifier: MIT
 *
 * What was done to a view, step by step, so that it can be taken back and made again in that order, whoever did it: regions, corrections of objects,
 * gates, stages, parameters, layers. Main thread only.
 *
 * Signal: "changed" (a step was made, taken back, made again, or has another title; or all are gone). */
#pragma once
#include <glib-object.h>

#define VT_TYPE_UNDO (vt_undo_get_type())
G_DECLARE_FINAL_TYPE(VtUndo, vt_undo, VT, UNDO, GObject)

VtUndo *vt_undo_new(void);
/* Makes a step, or takes it back; `step` is what the owner knows of it. */
typedef void (*VtUndoMake)(gpointer owner, gpointer step, gboolean back);
/* Makes the step now; those that were taken back are gone. title: what it does, as a person reads it after "Undo:". The owner outlives its steps. Takes
 * `step` and the title. Not while a step is being made: what follows from one belongs to it. */
void vt_undo_do(VtUndo *self, char *title, gpointer owner, VtUndoMake make, gpointer step, GDestroyNotify free_step);
gboolean vt_undo_is_making(VtUndo *self);
/* The step that was done last, if it is this owner's and none was taken back since; borrowed, or NULL. */
gpointer vt_undo_get_last(VtUndo *self, gpointer owner);
/* That step holds something else by now. Takes its new title; NULL: nothing is left of it, and it goes. */
void vt_undo_amend(VtUndo *self, char *title);
/* Of the step that would be taken back, or made again; borrowed; NULL: there is none. */
const char *vt_undo_get_title(VtUndo *self);
const char *vt_undo_get_redo_title(VtUndo *self);
gboolean vt_undo_can_undo(VtUndo *self);
gboolean vt_undo_can_redo(VtUndo *self);
void vt_undo_undo(VtUndo *self);
void vt_undo_redo(VtUndo *self);
void vt_undo_clear(VtUndo *self);
