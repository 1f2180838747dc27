/* SPDX-License-Identifier: MIT
 *
 * The values of a parameter at which objects flip, to the last digit, where a test of the op tells them (vt-why.h): asked of one object after the other, and tried
 * at that value and at the last one before it. Objects of the same value are tried by the same two runs. What runs for the picture goes first. Main thread only. */
#pragma once
#include "analysis/vt-analysis.h"
#include "analysis/vt-runner.h"

typedef struct {
  gint64 x, y;     /* a level-0 pixel of the object */
  guint item;      /* by which the answer is told */
  guint object;    /* in the outlines */
  guint param;     /* of the request's op */
  double from, to; /* it is there at `from`, and has flipped at `to` */
} VtReviewQuestion;

typedef struct _VtReviewExact VtReviewExact;
/* NaN: no test tells it, or a run has failed. Nothing may be asked from here; vt_review_exact_hurry() may be. */
typedef void (*VtReviewExactDone)(guint item, double value, gpointer user);

VtReviewExact *vt_review_exact_new(VtAnalysis *analysis, VtReviewExactDone done, gpointer user);
/* Nothing comes after it. */
void vt_review_exact_free(VtReviewExact *self);
/* `request`: the run in which the objects have these outlines (VtRoi); copied. `questions`: VtReviewQuestion, the first one first; copied. What was asked for before is dropped. */
void vt_review_exact_ask(VtReviewExact *self, const VtRunRequest *request, GPtrArray *outlines,
                         const GArray *questions);
/* An item that has no answer yet is next. */
void vt_review_exact_hurry(VtReviewExact *self, guint item);
/* Some answers are still to come. */
gboolean vt_review_exact_is_asking(VtReviewExact *self);
void vt_review_exact_stop(VtReviewExact *self);
/* No object of the result has an intersection over union above 0.5 with the outline, by the centres of its analysis pixels. Any thread. */
gboolean vt_review_has_flipped(const VtResult *result, const VtRoi *outline);
