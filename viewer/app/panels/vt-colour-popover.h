/* SPDX-License-Identifier: MIT
 *
 * Brightness, contrast, gamma and colour management of one canvas, for the eye only. */
#pragma once
#include "canvas/vt-canvas.h"

#define VT_TYPE_COLOUR_POPOVER (vt_colour_popover_get_type())
G_DECLARE_FINAL_TYPE(VtColourPopover, vt_colour_popover, VT, COLOUR_POPOVER, GtkPopover)

/* Shows, and from now on changes, that canvas. */
void vt_colour_popover_set_canvas(VtColourPopover *self, VtCanvas *canvas, VtSlide *slide);
