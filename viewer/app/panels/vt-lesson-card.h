/* SPDX-License-Identifier: MIT
 *
 * A card over the picture for those who teach the score: small pictures of the candidates that would teach most, the first of which the keys 1, 2 and 3
 * call a nucleus, none, or pass over. The candidates that were not chosen, and the examples, are drawn over the picture. Its buttons call the
 * window's actions. */
#pragma once
#include <adwaita.h>

#include "analysis/vt-lessons.h"
#include "canvas/vt-canvas.h"

#define VT_TYPE_LESSON_CARD (vt_lesson_card_get_type())
G_DECLARE_FINAL_TYPE(VtLessonCard, vt_lesson_card, VT, LESSON_CARD, AdwBin)

/* Visible while the lessons are on. */
GtkWidget *vt_lesson_card_new(VtLessons *lessons, VtCanvas *canvas, VtAnalysis *analysis);
