/* SPDX-License-Identifier: MIT */
#include "analysis/vt-review-exact.h"

#include <math.h>

#include "analysis/vt-analysis-private.h"
#include "base/vt-define.h"
#include "run/vt-why.h"

/* Objects that are asked about before values are tried: many have the same, which is one run for all of them. */
#define N_AT_ONCE 32

typedef enum { ASKS_WHY, TRIES_AT, TRIES_BEFORE } State;

typedef struct {
  VtReviewQuestion question;
  double critical;
  gboolean is_tried, is_told; /* is_tried: by the run that is under way */
} Asked;

struct _VtReviewExact {
  VtAnalysis *analysis;
  VtReviewExactDone done;
  gpointer user;
  VtRunner *runner;      /* NULL until it is needed */
  VtRunRequest *request; /* NULL: nothing is asked */
  GPtrArray *outlines;
  GArray *waiting; /* VtReviewQuestion; the last one is next */
  VtReviewQuestion question;
  GArray *asked;  /* Asked */
  guint urgent;   /* an item, for which the others don't wait to be asked; G_MAXUINT: none */
  gboolean tries; /* all that is asked is tried now */
  State state;
  double value; /* that is tried */
};

VtReviewExact *
vt_review_exact_new(VtAnalysis *analysis, VtReviewExactDone done, gpointer user)
{
  VtReviewExact *self = g_new0(VtReviewExact, 1);
  self->analysis = g_object_ref(analysis);
  self->done = done;
  self->user = user;
  self->waiting = g_array_new(FALSE, FALSE, sizeof(VtReviewQuestion));
  self->asked = g_array_new(FALSE, FALSE, sizeof(Asked));
  self->urgent = G_MAXUINT;
  return self;
}

void
vt_review_exact_stop(VtReviewExact *self)
{
  if (self->runner)
    vt_runner_cancel(self->runner);
  g_array_set_size(self->waiting, 0);
  g_array_set_size(self->asked, 0);
  self->urgent = G_MAXUINT;
  self->tries = FALSE;
  g_clear_pointer(&self->request, vt_run_request_free);
  g_clear_pointer(&self->outlines, g_ptr_array_unref);
}

void
vt_review_exact_free(VtReviewExact *self)
{
  vt_review_exact_stop(self);
  g_clear_pointer(&self->runner, vt_runner_free);
  g_array_unref(self->waiting);
  g_array_unref(self->asked);
  g_object_unref(self->analysis);
  g_free(self);
}

gboolean
vt_review_exact_is_asking(VtReviewExact *self)
{
  return self->request != NULL;
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

/* --- runs --- */

/* Takes it. What runs for the picture goes first. */
static void
start(VtReviewExact *self, State state, VtRunRequest *request)
{
  self->state = state;
  vt_runner_start_after(self->runner, request, self->analysis->runner);
}

static void
ask_why(VtReviewExact *self)
{
  self->question = g_array_index(self->waiting, VtReviewQuestion, self->waiting->len - 1);
  g_array_set_size(self->waiting, self->waiting->len - 1);
  VtRunRequest *why = vt_run_request_copy(self->request);
  why->asks_why = TRUE;
  why->why_x_l0 = self->question.x;
  why->why_y_l0 = self->question.y;
  start(self, ASKS_WHY, why);
}

/* FALSE: the parameter can't have the value. */
static gboolean
try(VtReviewExact *self, State state, guint param, double value)
{
  const double values[4] = { value };
  g_autoptr(VtRunRequest) trial = vt_run_request_copy(self->request);
  trial->keep_stages = TRUE;
  trial->stages_wanted = (guint64)1 << vt_why_find_outcome(trial->op);
  if (!vt_params_set(trial->params, param, values, NULL))
    return FALSE;
  start(self, state, g_steal_pointer(&trial));
  return TRUE;
}

/* --- questions --- */

/* Of the tests that the parameter turns round on the way, the nearest; NaN: there is none. */
static double
find_critical(const VtReviewQuestion *q, const VtResult *answer)
{
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
get_before(const VtReviewExact *self, const VtReviewQuestion *q, double value)
{
  const gboolean is_whole = self->request->op->params[q->param]->type == VITRAIL_PARAM_INT;
  return is_whole ? value + (q->from < value ? -1 : 1) : nextafter(value, q->from);
}

/* The first of those that wait for a value to be tried, and all with the same value, reached from the same side. NULL: there is none. */
static const Asked *
gather(VtReviewExact *self)
{
  const Asked *first = NULL;
  VT_EACH_IN (Asked, asked, self->asked) {
    const VtReviewQuestion *q = &asked->question;
    first = first || asked->is_told ? first : asked;
    asked->is_tried = first && !asked->is_told && q->param == first->question.param
                      && asked->critical == first->critical
                      && (q->from < q->to) == (first->question.from < first->question.to);
  }
  return first;
}

static void
tell(VtReviewExact *self, Asked *asked, double value)
{
  asked->is_tried = FALSE;
  asked->is_told = TRUE;
  self->done(asked->question.item, value, self->user);
}

static void
tell_tried(VtReviewExact *self, double value)
{
  VT_EACH_IN (Asked, asked, self->asked)
    if (asked->is_tried)
      tell(self, asked, value);
}

static void
go_on(VtReviewExact *self)
{
  const Asked *first;
  while (self->tries && (first = gather(self))) {
    self->value = first->critical;
    if (try(self, TRIES_AT, first->question.param, self->value))
      return;
    tell_tried(self, NAN);
  }
  if (self->tries)
    g_array_set_size(self->asked, 0);
  self->tries = FALSE;
  if (self->waiting->len > 0)
    ask_why(self);
  else
    vt_review_exact_stop(self);
}

static gboolean
is_urgent_asked(const VtReviewExact *self)
{
  VT_EACH_IN (const Asked, asked, self->asked)
    if (asked->question.item == self->urgent)
      return TRUE;
  return FALSE;
}

static void
take_why(VtReviewExact *self, const VtResult *answer)
{
  Asked asked = { .question = self->question, .critical = answer ? find_critical(&self->question, answer) : NAN };
  if (isnan(asked.critical))
    tell(self, &asked, NAN);
  else
    g_array_append_val(self->asked, asked);
  self->tries = self->asked->len >= N_AT_ONCE || self->waiting->len == 0 || is_urgent_asked(self);
}

/* Those of the tried ones that have flipped as they should not, or have not though they should, are told to be unknown. TRUE: there are others. */
static gboolean
sort_out(VtReviewExact *self, const VtResult *result, gboolean should_flip)
{
  gboolean has_others = FALSE;
  VT_EACH_IN (Asked, asked, self->asked) {
    if (!asked->is_tried)
      continue;
    const VtRoi *outline = self->outlines->pdata[asked->question.object];
    if (result && vt_review_has_flipped(result, outline) == should_flip)
      has_others = TRUE;
    else
      tell(self, asked, NAN);
  }
  return has_others;
}

static void
on_done(guint64 generation, VtResult *result, GError *error, gpointer user)
{
  VtReviewExact *self = user;
  if (self->state == ASKS_WHY) {
    take_why(self, result);
  } else if (sort_out(self, result, self->state == TRIES_AT)) {
    const Asked *first = gather(self);
    const VtReviewQuestion *q = &first->question;
    if (self->state == TRIES_AT && try(self, TRIES_BEFORE, q->param, get_before(self, q, self->value)))
      return;
    tell_tried(self, self->state == TRIES_BEFORE ? self->value : NAN);
  }
  go_on(self);
}

void
vt_review_exact_hurry(VtReviewExact *self, guint item)
{
  self->urgent = item;
  for (guint i = 0; i < self->waiting->len; i++) {
    const VtReviewQuestion question = g_array_index(self->waiting, VtReviewQuestion, i);
    if (question.item != item)
      continue;
    g_array_remove_index(self->waiting, i);
    g_array_append_val(self->waiting, question);
    return;
  }
}

void
vt_review_exact_ask(VtReviewExact *self, const VtRunRequest *request, GPtrArray *outlines, const GArray *questions)
{
  static const VtRunnerCallbacks callbacks = { .done = on_done };
  vt_review_exact_stop(self);
  if (questions->len == 0)
    return;
  self->request = vt_run_request_copy(request);
  self->outlines = g_ptr_array_ref(outlines);
  for (guint i = questions->len; i > 0; i--)
    g_array_append_val(self->waiting, g_array_index(questions, VtReviewQuestion, i - 1));
  self->urgent = g_array_index(questions, VtReviewQuestion, 0).item;
  if (!self->runner)
    self->runner = vt_runner_new(&callbacks, self);
  go_on(self);
}
