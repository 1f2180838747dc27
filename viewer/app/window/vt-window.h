/* SPDX-License-Identifier: MIT
 *
 * One window: slides in tabs, each in one or more views, and the panels of the active view. */
#pragma once
#include "window/vt-pane.h"

#define VT_TYPE_WINDOW (vt_window_get_type())
G_DECLARE_FINAL_TYPE(VtWindow, vt_window, VT, WINDOW, AdwApplicationWindow)

VtWindow *vt_window_new(GtkApplication *application);
/* For the active view. */
void vt_window_apply_options(VtWindow *self, const VtPaneOptions *options);
/* In the background. The slide comes into the active view if that is empty or one of several, else into a new tab. If it
 * fails, everything stays and the window says why. `options` may be NULL; copied. */
void vt_window_open(VtWindow *self, GFile *file, const VtPaneOptions *options);
