/* SPDX-License-Identifier: MIT */
#include "analysis/vt-refused.h"

#include <string.h>

#include "base/vt-define.h"
#include "analysis/vt-analysis-private.h"
#include "common/vt-owned.h"
#include "common/vt-signals.h"
#include "common/vt-test-log.h"
#include "common/vt-translate.h"
#include "run/vt-why.h"

#define SCORE_STEPS 2
#define AGAIN_MS 300

struct _VtRefused {
  GObject parent;
  VtAnalysis *analysis;
  VtTrials *trials;
  VtRunner *runner; /* asks which tests there are; NULL until it is needed */
  gboolean is_on, is_working;
  char *obstacle;
  GPtrArray *list; /* VtRefusal */
  guint next;      /* the one that is run */
  guint again_id;
  GArray *walk; /* x, y of those of a reason, for as long as somebody goes through them; or NULL */
  guint walk_reason, walk_at;
};

G_DEFINE_FINAL_TYPE(VtRefused, vt_refused, G_TYPE_OBJECT)

VT_DEFINE_FREE(refusal_free, VtRefusal, VT_FREES(g_free, words) VT_FREES(g_ptr_array_unref, outlines))

static void
fail(VtRefused *self, const char *sentence)
{
  g_free(self->obstacle);
  self->obstacle = g_strdup(sentence);
  self->is_working = FALSE;
  vt_test_log("refused-failed %s", sentence);
  g_signal_emit_by_name(self, "changed");
}

/* --- which tests there are --- */

/* That of a score is one of a step that also chooses. */
static gboolean
is_of_objects(const GArray *verdicts, const VitrailVerdict *v)
{
  if (v->param < 0)
    return FALSE;
  for (guint i = 0; i < verdicts->len && v->tested == VITRAIL_TESTED_PIXEL; i++) {
    const VitrailVerdict *other = &g_array_index(verdicts, VitrailVerdict, i);
    if (other->test == VITRAIL_TEST_CHOSEN && g_strcmp0(other->node, v->node) == 0)
      return TRUE;
  }
  return v->tested == VITRAIL_TESTED_AREA || v->tested == VITRAIL_TESTED_MEAN;
}

/* The end of the range at which the limit refuses nothing: away from the value that would refuse this object, which passes. */
static double
find_loose(const VtParams *params, const VitrailVerdict *v)
{
  const VitrailParam *param = params->op->params[v->param];
  const double now = params->values[v->param][0];
  const gboolean is_down = v->flags & VITRAIL_VERDICT_FLIPS ? v->critical > now : v->test != VITRAIL_TEST_AT_MOST;
  const double reach = SCORE_STEPS * (param->step > 0 ? param->step : 1);
  if (v->tested == VITRAIL_TESTED_PIXEL)
    return CLAMP(now + (is_down ? -reach : reach), param->min, param->max);
  return is_down ? param->min : param->max;
}

static VtRefusal *
refusal_new(guint param, double loose)
{
  VtRefusal *refusal = g_new0(VtRefusal, 1);
  refusal->param = param;
  refusal->loose = loose;
  refusal->outlines = g_ptr_array_new();
  return refusal;
}

static void
add_reason(VtRefused *self, const VtParams *params, const VitrailVerdict *v)
{
  const guint param = (guint)v->param;
  const double loose = find_loose(params, v), value[4] = { loose };
  g_autoptr(VtParams) then = vt_params_copy(params);
  for (guint i = 0; i < self->list->len; i++)
    if (((VtRefusal *)self->list->pdata[i])->param == param)
      return;
  if (loose == params->values[param][0] || !vt_params_set(then, param, value, NULL)) /* as loose as it can be */
    return;
  g_autofree char *now = vt_params_dup_shown(params, param), *other = vt_params_dup_shown(then, param);
  VtRefusal *refusal = refusal_new(param, loose);
  refusal->is_whole = v->tested != VITRAIL_TESTED_PIXEL;
  const char *title = vt_translate(params->op->params[param]->title);
  refusal->words =
    refusal->is_whole ? g_strdup_printf("%s: %s", title, now) : g_strdup_printf("%s: %s → %s", title, now, other);
  g_ptr_array_add(self->list, refusal);
}

/* --- one limit after the other --- */

static void
finish(VtRefused *self)
{
  self->is_working = FALSE;
  VT_EACH_OF (const VtRefusal, refusal, self->list) {
    vt_test_log("refused %s %.9g %u",
                refusal->param == G_MAXUINT ? "several" : self->analysis->op->params[refusal->param]->key,
                refusal->loose, refusal->outlines->len);
  }
  vt_test_log("refused-done %u", self->list->len);
  g_signal_emit_by_name(self, "changed");
}

static void
start_next(VtRefused *self)
{
  g_autoptr(VtParams) params = vt_params_copy(vt_trials_get_request(self->trials)->params);
  if (self->next == self->list->len) {
    finish(self);
    return;
  }
  const VtRefusal *refusal = self->list->pdata[self->next];
  VT_EACH_OF (const VtRefusal, other, self->list) {
    const double value[4] = { other->loose };
    if (other->param != G_MAXUINT && (other == refusal || refusal->param == G_MAXUINT))
      vt_params_set(params, other->param, value, NULL);
  }
  vt_trials_run(self->trials, params);
}

static gboolean
is_told(VtRefused *self, const VtDifference *outline)
{
  for (guint i = 0; i < self->next; i++) {
    const GPtrArray *outlines = ((const VtRefusal *)self->list->pdata[i])->outlines;
    for (guint k = 0; k < outlines->len; k++)
      if (memcmp(((const VtDifference *)outlines->pdata[k])->box, outline->box, sizeof outline->box) == 0)
        return TRUE;
  }
  return FALSE;
}

static void
take_trial(VtResult *result, const VtComparison *comparison, const GError *error, gpointer user)
{
  VtRefused *self = user;
  VtRefusal *refusal = self->list->pdata[self->next];
  if (comparison) { /* nobody else will look at it */
    g_ptr_array_unref(refusal->outlines);
    refusal->outlines = g_ptr_array_ref(comparison->differences);
  }
  for (guint i = refusal->outlines->len; i-- > 0;) {
    const VtDifference *outline = refusal->outlines->pdata[i];
    if (outline->fate != VT_FATE_NEW || (refusal->param == G_MAXUINT && is_told(self, outline)))
      g_ptr_array_remove_index(refusal->outlines, i);
  }
  self->next++;
  start_next(self);
  g_signal_emit_by_name(self, "changed");
}

static void
on_asked(guint64 generation, VtResult *result, GError *error, gpointer user)
{
  VtRefused *self = user;
  if (!result) {
    fail(self, vt_translate(error->message));
    return;
  }
  VT_EACH_IN (const VitrailVerdict, v, result->verdicts)
    if (is_of_objects(result->verdicts, v))
      add_reason(self, result->params, v);
  if (self->list->len == 0) {
    fail(self, _("This analysis has no test of objects whose limit is one of its numbers."));
    return;
  }
  if (self->list->len > 1) {
    VtRefusal *several = refusal_new(G_MAXUINT, 0);
    several->words = g_strdup(_("Several of these at once"));
    g_ptr_array_add(self->list, several);
  }
  start_next(self);
}

/* --- begin, begin anew --- */

static void
halt(VtRefused *self)
{
  g_clear_handle_id(&self->again_id, g_source_remove);
  if (self->runner)
    vt_runner_cancel(self->runner);
  vt_trials_stop(self->trials);
  g_ptr_array_set_size(self->list, 0);
  g_clear_pointer(&self->obstacle, g_free);
  self->is_working = FALSE;
  self->next = 0;
}

static const VtObject *
find_first(VtResult *result, gint64 *x, gint64 *y)
{
  for (guint i = 0; result && result->objects && !result->parts && i < result->objects->len; i++)
    if (vt_why_find_pixel(result->objects->pdata[i], x, y))
      return result->objects->pdata[i];
  return NULL;
}

/* Why there is no object that could be asked. */
static const char *
find_reason(VtRefused *self, const VtResult *result)
{
  const gboolean is_current = result && vt_params_equal(self->analysis->result_params, self->analysis->params);
  if (result && !result->objects && !result->parts)
    return _("Objects are not worked out while none of the stages that are seen needs them. Show all stages again.");
  if (is_current && !result->parts)
    return _("Which tests there are is asked at an object, and the analysis found none. Y asks at a place why not.");
  return _("Which tests there are is asked at an object, and there is none here, or it is out of date. Run the "
           "analysis on the view first.");
}

gboolean
vt_refused_start(VtRefused *self, GError **error)
{
  static const VtRunnerCallbacks callbacks = { .done = on_asked };
  VtResult *result = self->analysis->result;
  gint64 x, y;
  halt(self);
  if (!vt_trials_begin(self->trials, error))
    return FALSE;
  if (!find_first(result, &x, &y) || !vt_params_equal(self->analysis->result_params, self->analysis->params)) {
    g_set_error_literal(error, VT_ERROR, VITRAIL_BAD_ARGUMENT, find_reason(self, result));
    vt_trials_stop(self->trials);
    return FALSE;
  }
  const VtRunRequest *of = vt_trials_get_request(self->trials);
  const double box[4] = { (double)of->x_l0, (double)of->y_l0, (double)(of->x_l0 + of->width_l0),
                          (double)(of->y_l0 + of->height_l0) };
  g_autoptr(GPtrArray) rois = vt_result_collect_outlines(result, box, NULL);
  vt_trials_set_truth(self->trials, rois);
  VtRunRequest *why = vt_run_request_copy(of);
  why->keep_stages = FALSE;
  why->asks_why = TRUE;
  why->why_x_l0 = x;
  why->why_y_l0 = y;
  if (!self->runner)
    self->runner = vt_runner_new(&callbacks, self);
  self->is_on = self->is_working = TRUE;
  vt_runner_start(self->runner, why);
  g_signal_emit_by_name(self, "changed");
  return TRUE;
}

void
vt_refused_stop(VtRefused *self)
{
  if (!self->is_on)
    return;
  halt(self);
  self->is_on = FALSE;
  g_clear_pointer(&self->walk, g_array_unref);
  vt_test_log("refused none");
  g_signal_emit_by_name(self, "changed");
}

static gboolean
start_again(gpointer data)
{
  VtRefused *self = data;
  g_autoptr(GError) error = NULL;
  self->again_id = 0;
  if (!vt_refused_start(self, &error))
    fail(self, error->message);
  return G_SOURCE_REMOVE;
}

/* The result has other stages of the same place with the same parameters: while a stage is seen alone objects may not be worked out. */
static gboolean
is_still_true(VtRefused *self)
{
  const VtResult *result = self->analysis->result;
  const VtRunRequest *of = vt_trials_get_request(self->trials);
  return of && result && !result->objects && !self->obstacle && !self->is_working && self->list->len > 0
         && vt_params_equal(of->params, result->params) && of->x_l0 == result->x_l0 && of->y_l0 == result->y_l0
         && of->width_l0 == result->width_l0 && of->height_l0 == result->height_l0;
}

static void
on_finished(VtRefused *self)
{
  if (!self->is_on || is_still_true(self))
    return;
  halt(self);
  self->again_id = g_timeout_add(AGAIN_MS, start_again, self);
  self->is_working = TRUE;
  g_signal_emit_by_name(self, "changed");
}

static void
on_params(VtRefused *self)
{
  g_clear_pointer(&self->walk, g_array_unref);
  if (!self->is_on)
    return;
  halt(self);
  g_signal_emit_by_name(self, "changed");
}

/* --- asking --- */

VT_GETTER(gboolean, vt_refused_is_on, VtRefused, is_on)
VT_GETTER(gboolean, vt_refused_is_working, VtRefused, is_working)
VT_GETTER(const char *, vt_refused_get_obstacle, VtRefused, obstacle)
VT_GETTER(const GPtrArray *, vt_refused_get_list, VtRefused, list)

/* The view moves on the way, and with it what is refused. */
static void
begin_walk(VtRefused *self, guint reason)
{
  const GPtrArray *outlines = reason < self->list->len ? ((VtRefusal *)self->list->pdata[reason])->outlines : NULL;
  g_clear_pointer(&self->walk, g_array_unref);
  self->walk = g_array_new(FALSE, FALSE, sizeof(double));
  self->walk_reason = reason;
  self->walk_at = 0;
  for (guint i = 0; outlines && i < outlines->len; i++) {
    const double *box = ((const VtDifference *)outlines->pdata[i])->box;
    const double middle[2] = { (box[0] + box[2]) / 2, (box[1] + box[3]) / 2 };
    g_array_append_vals(self->walk, middle, 2);
  }
}

gboolean
vt_refused_step(VtRefused *self, guint reason, double *x_l0, double *y_l0)
{
  if (!self->walk || self->walk_reason != reason || self->walk_at + 1 >= self->walk->len)
    begin_walk(self, reason);
  if (self->walk->len == 0)
    return FALSE;
  *x_l0 = g_array_index(self->walk, double, self->walk_at);
  *y_l0 = g_array_index(self->walk, double, self->walk_at + 1);
  self->walk_at += 2;
  vt_test_log("refused-at %u %.1f %.1f", reason, *x_l0, *y_l0);
  return TRUE;
}

static void
vt_refused_class_init(VtRefusedClass *klass)
{
  VT_ENDS(klass, VtRefused, halt);
  VT_OWNS(klass, VtRefused, vt_runner_free, runner);
  VT_OWNS(klass, VtRefused, g_object_unref, trials, analysis);
  VT_OWNS(klass, VtRefused, g_array_unref, walk);
  VT_OWNS_TO_THE_END(klass, VtRefused, g_ptr_array_unref, list);
  vt_signals_new(VT_TYPE_REFUSED, "changed", NULL);
}

static void
vt_refused_init(VtRefused *self)
{
  self->list = g_ptr_array_new_with_free_func(refusal_free);
}

VtRefused *
vt_refused_new(VtAnalysis *analysis, VtReference *reference)
{
  VtRefused *self = g_object_new(VT_TYPE_REFUSED, NULL);
  self->analysis = g_object_ref(analysis);
  self->trials = vt_trials_new(analysis, reference, take_trial, self);
  g_signal_connect_object(analysis, "finished", G_CALLBACK(on_finished), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(analysis, "params-changed", G_CALLBACK(on_params), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(analysis, "op-changed", G_CALLBACK(vt_refused_stop), self, G_CONNECT_SWAPPED);
  return self;
}
