/* SPDX-License-Identifier: MIT
 *
 * How little it takes that an object of those in view is none any more, and what a person says of each.
 *
 * Measured by trial, whatever the op: each number of it is moved alone by 1 to 8 of its steps, up and down, as far as its range goes, and the
 * objects compared. An object has flipped where no other has an intersection over union above 0.5 with it. So every test of the op is
 * covered that depends on a number; choices, switches, stain vectors, the pixel size and the context are not varied, nor several numbers at once. Objects at the edge are not measured.
 *
 * Runs are measured, without the corrections of a person: what was made by hand has no steps. A verdict is of a place: it goes with whatever object is
 * there. Main thread only.
 *
 * Signal: "changed" (anything below). */
#pragma once
#include "analysis/vt-trials.h"

/* The columns that the objects have then. */
#define VT_REVIEW_STEPS "Review: Steps to flip (16: more than 8)"
#define VT_REVIEW_MARGIN "Review: Margin in steps (where exact)"
#define VT_REVIEW_ACCEPTED "Review: Accepted"
#define VT_REVIEW_FIRM 16 /* steps, where none of the tried ones flips it */

typedef struct {
  gint64 x, y;  /* a level-0 pixel of the object */
  double steps; /* the fewest that flip it; VT_REVIEW_FIRM; NaN: at the edge */
  guint param;  /* of those; and which way */
  gboolean is_up;
  guint object;        /* of the result that was measured */
  gboolean is_refined; /* it was asked for the exact value */
  double exact;        /* the value of the parameter at which it flips, to the last digit; NaN: not known */
} VtReviewItem;

typedef enum { VT_VERDICT_REJECTED, VT_VERDICT_ACCEPTED, VT_VERDICT_CORRECTED } VtVerdict;

typedef struct {
  gint64 x, y;
  VtVerdict verdict;
} VtReviewVerdict;

#define VT_TYPE_REVIEW (vt_review_get_type())
G_DECLARE_FINAL_TYPE(VtReview, vt_review, VT, REVIEW, GObject)

VtReview *vt_review_new(VtAnalysis *analysis, VtReference *reference);
/* Begins to measure. FALSE and a sentence: no finished result of the view is shown. */
gboolean vt_review_measure(VtReview *self, GError **error);
/* Verdicts stay. */
void vt_review_stop(VtReview *self);
void vt_review_clear(VtReview *self); /* verdicts, too */
gboolean vt_review_is_measuring(VtReview *self, guint *n_done, guint *n_all);
/* It was of other parameters, or of another resolution, than what is shown. */
gboolean vt_review_is_stale(VtReview *self);
/* VtReviewItem, those that flip most easily first; empty before it is measured. Borrowed. */
const GArray *vt_review_get_items(VtReview *self);
/* While somebody looks: what they are of is held (vt_analysis_hold), and the exact values of all items are found, where a test of the op tells them, after they are measured and until parameters change. */
void vt_review_want_exact(VtReview *self, gboolean wants);
/* That of this item is next. */
void vt_review_refine(VtReview *self, guint item);
/* How many items have been asked for it, and how many flip and can be. */
void vt_review_count_exact(VtReview *self, guint *n_done, guint *n_all);
/* "Threshold: 2 steps up, between 0.11 and 0.12 OD", with the exact value where that is known; or that it is firm. Owned. */
char *vt_review_dup_words(VtReview *self, const VtReviewItem *item);
/* VtReviewVerdict; borrowed. */
const GArray *vt_review_get_verdicts(VtReview *self);
/* NULL: none. */
const VtReviewVerdict *vt_review_find_verdict(VtReview *self, gint64 x, gint64 y);
/* In the place of one at the same pixel. */
void vt_review_judge(VtReview *self, gint64 x, gint64 y, VtVerdict verdict);
