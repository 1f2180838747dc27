/* SPDX-License-Identifier: MIT
 *
 * A row of controls that goes on in the next line where the window is too narrow for it. */
#pragma once
#include <gtk/gtk.h>

#define VT_TYPE_WRAP_LAYOUT (vt_wrap_layout_get_type())
G_DECLARE_FINAL_TYPE(VtWrapLayout, vt_wrap_layout, VT, WRAP_LAYOUT, GtkLayoutManager)

/* A line holds as many children as their minimum widths allow; within it they share the width as in a GtkBox, spacing pixels apart. [main] */
GtkLayoutManager *vt_wrap_layout_new(int spacing);
