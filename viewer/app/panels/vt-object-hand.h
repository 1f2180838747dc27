/* SPDX-License-Identifier: MIT
 *
 * Selecting objects on a canvas: a click takes the topmost one, a card over the slide shows its measurements. */
#pragma once
#include "analysis/vt-analysis.h"
#include "canvas/vt-canvas.h"

G_BEGIN_DECLS

/* The canvas lies in a GtkOverlay, which gets the card. */
void vt_object_hand_attach(VtCanvas *canvas, VtAnalysis *analysis);
/* The next (+1) or previous (-1) object; the view goes there if it is not seen. */
void vt_object_hand_step(VtCanvas *canvas, VtAnalysis *analysis, int step);
void vt_object_hand_unselect(VtAnalysis *analysis);

G_END_DECLS
