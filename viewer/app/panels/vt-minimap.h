/* SPDX-License-Identifier: MIT
 *
 * The whole slide in a corner of the canvas, with a box where the view is; a click or drag moves it. Once something has
 * been seen at 5x or more, the rest lies under a light veil. Hides itself while the whole slide is in view.
 *
 * Property: "enabled" (read, write). */
#pragma once
#include "canvas/vt-canvas.h"

#define VT_TYPE_MINIMAP (vt_minimap_get_type())
G_DECLARE_FINAL_TYPE(VtMinimap, vt_minimap, VT, MINIMAP, GtkWidget)

void vt_minimap_set_canvas(VtMinimap *self, VtCanvas *canvas); /* once */
/* After the canvas got it; forgets what was seen of the old one. */
void vt_minimap_set_slide(VtMinimap *self, VtSlide *slide);
