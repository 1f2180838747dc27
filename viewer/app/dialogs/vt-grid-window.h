/* SPDX-License-Identifier: MIT
 *
 * A window with small pictures of the view over the values of two parameters; a click on one takes its values over. */
#pragma once
#include <adwaita.h>

#include "analysis/vt-grid.h"

/* `params` is copied by whoever keeps it. */
typedef void (*VtGridAdopt)(const VtParams *params, gpointer user);

#define VT_TYPE_GRID_WINDOW (vt_grid_window_get_type())
G_DECLARE_FINAL_TYPE(VtGridWindow, vt_grid_window, VT, GRID_WINDOW, AdwWindow)

/* NULL and a sentence: there is nothing that could be varied. `user` outlives the parent, as the window does not. */
GtkWidget *vt_grid_window_new(GtkWindow *parent, VtAnalysis *analysis, VtReference *reference, VtGridAdopt adopt,
                              gpointer user, GError **error);
