/* SPDX-License-Identifier: MIT
 *
 * What goes with a picture of the view, and how many pixels it has: kept in the settings. Main thread. */
#pragma once
#include <adwaita.h>

/* Asks, then for a file; `then` is the action of the parent that is activated with its path. `width`, `height`: what the screen has; `name`: offered
 * for the file. */
void vt_picture_dialog_show(GtkWindow *parent, const char *heading, double width, double height, const char *name,
                            const char *then);
