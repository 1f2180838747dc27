/* SPDX-License-Identifier: MIT
 *
 * What is open is written down each second in which it changed, as a session file in the user's state folder. A program that ends as it should removes
 * its file; what others left is offered. Main thread only. */
#pragma once
#include "window/vt-window.h"

/* Once, at the start. */
void vt_autosave_start(GtkApplication *application);
/* At the end: nothing is left to be restored. */
void vt_autosave_end(void);
/* Shows what was offered last, in tabs of this window. */
void vt_autosave_restore_last(VtWindow *window);
gboolean vt_autosave_has_last(void);
/* Offers in this window what a program left that ended unexpectedly, if there is such a thing. */
void vt_autosave_offer(VtWindow *window);
