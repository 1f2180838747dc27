/* SPDX-License-Identifier: MIT
 *
 * Selecting objects on a canvas: a click takes the topmost one, a card over the slide shows its measurements. */
#pragma once
#include "analysis/vt-analysis.h"
#include "canvas/vt-canvas.h"

/* The card goes into the box of cards over the canvas. */
void vt_object_hand_attach(VtCanvas *canvas, VtAnalysis *analysis, GtkBox *cards);
/* The next (+1) or previous (-1) object; the view goes there if it is not seen. FALSE: there are none. */
gboolean vt_object_hand_step(VtCanvas *canvas, VtAnalysis *analysis, int step);
/* The view goes to the selected object if it is not seen. */
void vt_object_hand_show(VtCanvas *canvas, VtAnalysis *analysis);
/* The object at a level-0 pixel; the view goes there if it is not seen. FALSE: there is none. */
gboolean vt_object_hand_select_at(VtCanvas *canvas, VtAnalysis *analysis, gint64 x_l0, gint64 y_l0);
void vt_object_hand_unselect(VtAnalysis *analysis);

/* A pixel of the selected object; FALSE: there is none. */
gboolean vt_object_hand_get_place(VtAnalysis *analysis, gint64 *x_l0, gint64 *y_l0);
