/* SPDX-License-Identifier: MIT
 *
 * A card over the picture that leads from object to object, those first that flip most easily, and takes down what a person says of each. Its buttons
 * call the window's actions. */
#pragma once
#include <adwaita.h>

#include "analysis/vt-review.h"
#include "canvas/vt-canvas.h"

#define VT_TYPE_REVIEW_CARD (vt_review_card_get_type())
G_DECLARE_FINAL_TYPE(VtReviewCard, vt_review_card, VT, REVIEW_CARD, AdwBin)

/* Not visible before it is opened. */
GtkWidget *vt_review_card_new(VtReview *review, VtCanvas *canvas, VtAnalysis *analysis);
/* Shows it, and measures if that is to be done. FALSE and a sentence: there is nothing to measure. */
gboolean vt_review_card_open(VtReviewCard *self, GError **error);
void vt_review_card_close(VtReviewCard *self);
/* To the next (1) or the former (-1) one. FALSE: there is none. */
gboolean vt_review_card_step(VtReviewCard *self, int step);
/* Of the one that it is at; then to the next one without a verdict. FALSE: it is at none. */
gboolean vt_review_card_judge(VtReviewCard *self, VtVerdict verdict);
/* The next correction that a person makes is of that one, and is its verdict. FALSE: it is at none. */
gboolean vt_review_card_fix(VtReviewCard *self);
/* A person has made one. */
void vt_review_card_take_correction(VtReviewCard *self);
