/* SPDX-License-Identifier: MIT
 *
 * The value of a parameter at which an object flips, to the last digit, where a test of the op tells it (vt-why.h): asked of one object, and tried at that
 * value and at the last one before it. Main thread only. */
#pragma once
#include "analysis/vt-runner.h"

typedef struct {
  gint64 x, y;     /* a level-0 pixel of the object */
  guint param;     /* of the request's op */
  double from, to; /* it is there at `from`, and has flipped at `to` */
} VtReviewQuestion;

typedef struct _VtReviewExact VtReviewExact;
/* NaN: no test tells it, or a run has failed. */
typedef void (*VtReviewExactDone)(double value, gpointer user);

VtReviewExact *vt_review_exact_new(VtReviewExactDone done, gpointer user);
/* Nothing comes after it. */
void vt_review_exact_free(VtReviewExact *self);
/* `request`: the run in which the object has this outline; copied. What was asked for before is dropped. */
void vt_review_exact_ask(VtReviewExact *self, const VtRunRequest *request, const VtRoi *outline,
                         const VtReviewQuestion *question);
void vt_review_exact_stop(VtReviewExact *self);
/* No object of the result has an intersection over union above 0.5 with the outline, by the centres of its analysis pixels. Any thread. */
gboolean vt_review_has_flipped(const VtResult *result, const VtRoi *outline);
