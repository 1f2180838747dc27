/* SPDX-License-Identifier: MIT
 *
 * A sentence over the top of a view that stays until it is closed, with a button where something helps. */
#pragma once
#include <adwaita.h>

#include "run/vt-look.h"

#define VT_TYPE_MESSAGE_BAR (vt_message_bar_get_type())
G_DECLARE_FINAL_TYPE(VtMessageBar, vt_message_bar, VT, MESSAGE_BAR, AdwBin)

/* What else lies at the top of the overlay that it is in stands below it, while it says something. Once. */
void vt_message_bar_push_others(VtMessageBar *self);
/* `can_retry`: tiles could not be read. */
void vt_message_bar_show(VtMessageBar *self, const char *sentence, gboolean can_retry);
void vt_message_bar_hide(VtMessageBar *self);
/* Hides it if it still says this sentence; NULL: no sentence. */
void vt_message_bar_take_back(VtMessageBar *self, const char *sentence);
/* Another slide: what was said of the last one is forgotten. Says of a plain file what is not shown of it. */
void vt_message_bar_set_slide(VtMessageBar *self, VtSlide *slide);
/* What a run found unusual about the slide; said once, until it is something else. */
void vt_message_bar_tell_look(VtMessageBar *self, VtLook look);
