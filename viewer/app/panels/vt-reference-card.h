/* SPDX-License-Identifier: MIT
 *
 * A card on the picture with what is different between the objects and what they are compared with: how many of each kind, which is
 * its legend, too; a click on one goes to the next. Hidden while nothing is compared. */
#pragma once
#include <adwaita.h>

#include "analysis/vt-reference.h"
#include "canvas/vt-canvas.h"

#define VT_TYPE_REFERENCE_CARD (vt_reference_card_get_type())
G_DECLARE_FINAL_TYPE(VtReferenceCard, vt_reference_card, VT, REFERENCE_CARD, AdwBin)

/* Into the box of cards over the canvas, which draws the differences. */
void vt_reference_card_attach(VtCanvas *canvas, VtReference *reference, VtAnalysis *analysis, GtkBox *cards);
