/* SPDX-License-Identifier: MIT
 *
 * A card over the picture for who corrects objects by hand: the tools, what was done, and what finds its object no more, which the canvas draws. */
#pragma once
#include <adwaita.h>

#include "analysis/vt-corrector.h"
#include "canvas/vt-canvas.h"

#define VT_TYPE_CORRECTION_CARD (vt_correction_card_get_type())
G_DECLARE_FINAL_TYPE(VtCorrectionCard, vt_correction_card, VT, CORRECTION_CARD, AdwBin)

/* Not visible before it is opened, or a tool of its is chosen. */
GtkWidget *vt_correction_card_new(VtCorrector *corrector, VtCanvas *canvas);
void vt_correction_card_set_open(VtCorrectionCard *self, gboolean is_open);
/* For under a table of the objects: what was corrected of them; not there while nothing was. Floating. */
GtkWidget *vt_correction_label_new(VtCorrector *corrector);
/* The keyboard goes to its tools. */
void vt_correction_card_focus(VtCorrectionCard *self);
