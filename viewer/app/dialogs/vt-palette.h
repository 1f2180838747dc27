/* SPDX-License-Identifier: MIT
 *
 * Every action of a window by its name: type a part of it, Return does it. */
#pragma once
#include <adwaita.h>

#define VT_TYPE_PALETTE (vt_palette_get_type())
G_DECLARE_FINAL_TYPE(VtPalette, vt_palette, VT, PALETTE, AdwWindow)

GtkWidget *vt_palette_new(GtkWindow *window);
