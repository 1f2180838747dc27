/* SPDX-License-Identifier: MIT
 *
 * A sentence over the top of a view, with a button where something helps. */
#pragma once
#include <adwaita.h>

#include "run/vt-look.h"

#define VT_TYPE_MESSAGE_BAR (vt_message_bar_get_type())
G_DECLARE_FINAL_TYPE(VtMessageBar, vt_message_bar, VT, MESSAGE_BAR, AdwBin)

/* What else lies at the top of the overlay that it is in stands below it, while it says something, and all of that but `name` below `name`, too,
 * while that is seen. Once. */
void vt_message_bar_push_others(VtMessageBar *self, GtkWidget *name);
typedef enum {
  VT_MESSAGE_ANSWER, /* to what was asked for: goes with the next action and the next result, but not before it can have been read */
  VT_MESSAGE_STATE, /* of the slide or the analysis: stays until it is closed, or somebody takes it back */
  VT_MESSAGE_TILES, /* the same: tiles could not be read, and can be tried again */
  VT_MESSAGE_LOSS,  /* what was left out of a file: stays until it is closed; a further one stands below it */
} VtMessageKind;
void vt_message_bar_show(VtMessageBar *self, const char *sentence, VtMessageKind kind);
/* There is a new result (at_once FALSE), or what an answer spoke of was done: an answer goes. */
void vt_message_bar_move_on(VtMessageBar *self, gboolean at_once);
void vt_message_bar_hide(VtMessageBar *self);
/* Hides it if it still says this sentence; NULL: no sentence. */
void vt_message_bar_take_back(VtMessageBar *self, const char *sentence);
/* Another slide: what was said of the last one is forgotten. Says of a plain file what is not shown of it. */
void vt_message_bar_set_slide(VtMessageBar *self, VtSlide *slide);
/* What a run found unusual about the slide; said once, until it is something else. */
void vt_message_bar_tell_look(VtMessageBar *self, VtLook look);
