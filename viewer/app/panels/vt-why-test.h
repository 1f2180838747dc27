/* SPDX-License-Identifier: MIT
 *
 * A line of the card "Why": a test with its margin, the slider of its limit with a mark where the test comes out the other way, and a
 * button that shows its stage alone and the pixels that it is about.
 *
 * Signal: "toggled" (the button). */
#pragma once
#include "analysis/vt-analysis.h"

#define VT_TYPE_WHY_TEST (vt_why_test_get_type())
G_DECLARE_FINAL_TYPE(VtWhyTest, vt_why_test, VT, WHY_TEST, GtkBox)

GtkWidget *vt_why_test_new(VtAnalysis *analysis, const VtResult *answer, const VitrailVerdict *verdict);
/* Whether it is the same test, of another answer. */
gboolean vt_why_test_is_of(VtWhyTest *self, const VitrailVerdict *verdict);
/* What the test says in another answer. */
void vt_why_test_take(VtWhyTest *self, const VtResult *answer, const VitrailVerdict *verdict);
/* The present answer has no such test. */
void vt_why_test_end(VtWhyTest *self);
/* Somebody has a hand on its slider, or the keyboard. */
gboolean vt_why_test_is_held(VtWhyTest *self);
gboolean vt_why_test_get_active(VtWhyTest *self);
void vt_why_test_set_active(VtWhyTest *self, gboolean active);

/* Of the other lines of the card: four digits, owned; a label that takes the room; small text that wraps. */
char *vt_why_dup_number(double value, const char *unit);
GtkWidget *vt_why_line_new(const char *text);
GtkWidget *vt_why_caption_new(const char *text);
