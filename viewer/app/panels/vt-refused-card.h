/* SPDX-License-Identifier: MIT
 *
 * A card over the picture with the reasons for which candidates were refused, how many each, and their outlines drawn on the picture. */
#pragma once
#include <adwaita.h>

#include "analysis/vt-refused.h"
#include "canvas/vt-canvas.h"

#define VT_TYPE_REFUSED_CARD (vt_refused_card_get_type())
G_DECLARE_FINAL_TYPE(VtRefusedCard, vt_refused_card, VT, REFUSED_CARD, AdwBin)

/* What outlines of that reason look like (vt_canvas_stroke_refused). */
GtkWidget *vt_refused_card_new_swatch(guint reason);
GtkWidget *vt_refused_card_new(VtRefused *refused, VtCanvas *canvas, VtAnalysis *analysis);
/* To the next one of the reason that was clicked last, at first of one that has any. FALSE: there is none. */
gboolean vt_refused_card_step(VtRefusedCard *self);
