/* SPDX-License-Identifier: MIT
 *
 * All keys, by section, in a list that can be searched, and scrolled on small screens. GtkShortcutsWindow 4.8 does not scroll. */
#pragma once
#include <adwaita.h>

#define VT_TYPE_SHORTCUTS_WINDOW (vt_shortcuts_window_get_type())
G_DECLARE_FINAL_TYPE(VtShortcutsWindow, vt_shortcuts_window, VT, SHORTCUTS_WINDOW, AdwWindow)

GtkWidget *vt_shortcuts_window_new(GtkWindow *parent);
