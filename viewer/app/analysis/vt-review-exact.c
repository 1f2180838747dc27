/* SPDX-License-Identifier: MIT */
#include "analysis/vt-review-exact.h"

#include <math.h>

#include "base/vt-define.h"
#include "run/vt-why.h"

typedef enum { ASKS_WHY, TRIES_AT, TRIES_BEFORE } State;

struct _VtReviewExact {
  VtReviewExactDone done;
  gpointer user;
  VtRunner *runner;      /* NULL until it is needed */
  VtRunRequest *request; /* of the object; or NULL */
  VtRoi *outline;
  VtReviewQuestion question;
  State state;
  double value; /* that is tried */
};

VtReviewExact *
vt_review_exact_new(VtReviewExactDone done, gpointer user)
{
  VtReviewExact *self = g_new0(VtReviewExact, 1);
  self->done = done;
  self->user = user;
  return self;
}

void
vt_review_exact_stop(VtReviewExact *self)
{
  if (self->runner)
    vt_runner_cancel(self->runner);
  g_clear_pointer(&self->request, vt_run_request_free);
  g_clear_pointer(&self->outline, vt_roi_free);
}

void
vt_review_exact_free(VtReviewExact *self)
{
  vt_review_exact_stop(self);
  g_clear_pointer(&self->runner, vt_runner_free);
  g_free(self);
}

/* --- flipped --- */

static gboolean
are_partners(const VtObject *object, const VtRoi *outline, const double box[4], double pixel)
{
  double own[4];
  guint64 n_both = 0, n_any = 0;
  vt_object_get_box(object, own);
  if (!vt_boxes_meet(own, box))
    return FALSE;
  const double left = floor(MIN(own[0], box[0]) / pixel), top = floor(MIN(own[1], box[1]) / pixel);
  for (double y = top; y * pixel < MAX(own[3], box[3]); y++)
    for (double x = left; x * pixel < MAX(own[2], box[2]); x++) {
      const gboolean is_in = vt_roi_contains(outline, (x + 0.5) * pixel, (y + 0.5) * pixel);
      const gboolean is_its = vt_object_has_point(object, (x + 0.5) * pixel, (y + 0.5) * pixel);
      n_both += is_in && is_its;
      n_any += is_in || is_its;
    }
  return 2 * n_both > n_any;
}

gboolean
vt_review_has_flipped(const VtResult *result, const VtRoi *outline)
{
  const double mpp = result->calibrated ? sqrt(result->mpp * result->mpp_y) : 1;
  const double pixel = result->used_pixel_size > 0 ? MAX(round(result->used_pixel_size / mpp), 1) : 1;
  double box[4];
  vt_roi_get_box(outline, box);
  VT_EACH_OF (const VtObject, object, result->objects)
    if (are_partners(object, outline, box, pixel))
      return FALSE;
  return TRUE;
}

/* --- questions --- */

static void
finish(VtReviewExact *self, double value)
{
  vt_review_exact_stop(self);
  self->done(value, self->user);
}

static void
try(VtReviewExact *self, State state, double value)
{
  const double values[4] = { value };
  VtRunRequest *trial = vt_run_request_copy(self->request);
  self->state = state;
  trial->keep_stages = TRUE;
  trial->stages_wanted = (guint64)1 << vt_why_find_outcome(trial->op);
  if (vt_params_set(trial->params, self->question.param, values, NULL)) {
    vt_runner_start(self->runner, trial);
    return;
  }
  vt_run_request_free(trial);
  finish(self, NAN);
}

/* Of the tests that the parameter turns round on the way, the nearest; NaN: there is none. */
static double
find_critical(const VtReviewExact *self, const VtResult *answer)
{
  const VtReviewQuestion *q = &self->question;
  double nearest = NAN;
  VT_EACH_IN (const VitrailVerdict, verdict, answer->verdicts) {
    const gboolean is_between = q->from < q->to ? verdict->critical > q->from && verdict->critical <= q->to
                                                : verdict->critical < q->from && verdict->critical >= q->to;
    if (verdict->flags & VITRAIL_VERDICT_FLIPS && verdict->param == (gint32)q->param && is_between
        && !(fabs(verdict->critical - q->from) >= fabs(nearest - q->from)))
      nearest = verdict->critical;
  }
  return nearest;
}

/* The number next to a value on the way back. */
static double
get_before(const VtReviewExact *self, double value)
{
  const gboolean is_whole = self->request->op->params[self->question.param]->type == VITRAIL_PARAM_INT;
  return is_whole ? value + (self->question.from < value ? -1 : 1) : nextafter(value, self->question.from);
}

static void
on_done(guint64 generation, VtResult *result, GError *error, gpointer user)
{
  VtReviewExact *self = user;
  if (!result) {
    finish(self, NAN);
  } else if (self->state == ASKS_WHY) {
    self->value = find_critical(self, result);
    if (isnan(self->value))
      finish(self, NAN);
    else
      try(self, TRIES_AT, self->value);
  } else if (self->state == TRIES_AT && vt_review_has_flipped(result, self->outline)) {
    try(self, TRIES_BEFORE, get_before(self, self->value));
  } else {
    finish(self, self->state == TRIES_BEFORE && !vt_review_has_flipped(result, self->outline) ? self->value : NAN);
  }
}

void
vt_review_exact_ask(VtReviewExact *self, const VtRunRequest *request, const VtRoi *outline,
                    const VtReviewQuestion *question)
{
  static const VtRunnerCallbacks callbacks = { .done = on_done };
  vt_review_exact_stop(self);
  self->request = vt_run_request_copy(request);
  self->outline = vt_roi_copy(outline);
  self->question = *question;
  self->state = ASKS_WHY;
  if (!self->runner)
    self->runner = vt_runner_new(&callbacks, self);
  VtRunRequest *why = vt_run_request_copy(request);
  why->asks_why = TRUE;
  why->why_x_l0 = question->x;
  why->why_y_l0 = question->y;
  vt_runner_start(self->runner, why);
}
