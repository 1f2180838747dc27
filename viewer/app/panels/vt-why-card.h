/* SPDX-License-Identifier: MIT
 *
 * A card on the picture that tells why a pixel came to be what it is: the outcome, the changes of one setting that would turn it,
 * every test with its margin, and the value of every stage. Hidden while nobody asks. */
#pragma once
#include <adwaita.h>

#include "analysis/vt-why.h"
#include "canvas/vt-canvas.h"

#define VT_TYPE_WHY_CARD (vt_why_card_get_type())
G_DECLARE_FINAL_TYPE(VtWhyCard, vt_why_card, VT, WHY_CARD, AdwBin)

/* Over the canvas, which gets a mark at the place. `below`: borrowed; lies over the same lower corner, and the card leaves room for it while it is visible. */
void vt_why_card_attach(VtCanvas *canvas, VtWhy *why, VtAnalysis *analysis, GtkWidget *below);
