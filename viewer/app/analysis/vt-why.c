/* SPDX-License-Identifier: MIT */
#include "analysis/vt-why.h"

#include <math.h>

#include "base/vt-define.h"
#include "analysis/vt-analysis-private.h"
#include "common/vt-owned.h"
#include "common/vt-signals.h"
#include "common/vt-test-log.h"
#include "common/vt-translate.h"
#include "plugins/vt-recipe-trail.h"

#define AGAIN_MS 200

struct _VtWhy {
  GObject parent;
  VtAnalysis *analysis;
  gboolean has_place;
  gint64 x_l0, y_l0;
  VtRunner *runner;      /* NULL until somebody asks */
  VtRunRequest *request; /* of the answer, or of what is to become it; or NULL */
  VtResult *answer;
  gboolean is_current;
  char *failure;
  GPtrArray *changes;   /* VtChange */
  guint next;           /* the change that is tried */
  gboolean wants_steps; /* values and ways of every step, not of stages alone */
  gboolean is_tracing_steps;
  VtRunRequest *trail_request; /* of the recipe with a stage for every step; or NULL */
  VtResult *trail;             /* what came of it; NULL: nobody wants it, or it is still to come, or it failed: */
  char *trail_failure;
  GPtrArray *ways;      /* VtWay */
  int wave;             /* the stage whose wave is made; -1: no more */
  guint64 waves;        /* bits of the stages that have one which is still to be made, */
  gboolean knows_waves; /* once the first one has told which have */
  guint ask_id;         /* a question that is to come */
};

G_DEFINE_FINAL_TYPE(VtWhy, vt_why, G_TYPE_OBJECT)

static void
change_free(gpointer data)
{
  g_free(((VtChange *)data)->value);
  g_free(data);
}

/* --- ways --- */

/* Of a stage, or of none. */
static void
start_wave(VtWhy *self, int stage)
{
  self->wave = stage;
  if (stage >= 0)
    vt_runner_start(self->runner, vt_why_new_wave(self->trail ? self->trail_request : self->request, (guint)stage));
  else
    vt_test_log("why-ways %u", self->ways->len);
}

static void
log_way(VtWhy *self, const VtWay *way)
{
  double x, y;
  vt_way_get_end(way, &x, &y);
  vt_test_log("why-way %s %d %u %.9g %.1f %.1f", vt_why_get_valued(self)->op->stages[way->stage]->id, way->kind,
              way->n_steps, way->value, x, y);
}

/* The last stage that comes of something that spreads tells which others do. result NULL: this one does not. */
static void
take_wave(VtWhy *self, VtResult *result)
{
  const VtWave *wave = result ? result->wave : NULL;
  VtWay *way = wave ? vt_way_new(wave, (double)self->x_l0 + 0.5, (double)self->y_l0 + 0.5) : NULL;
  if (way) {
    g_ptr_array_insert(self->ways, 0, way);
    log_way(self, way);
  }
  if (!self->knows_waves && !wave) {
    start_wave(self, result ? -1 : self->wave - 1); /* a plugin that was made before there were waves tells none */
    return;
  }
  const guint64 made = (guint64)1 << (self->knows_waves ? (guint)self->wave : wave->stage);
  self->waves = (self->knows_waves ? self->waves : wave->stages) & ~made;
  self->knows_waves = TRUE;
  int last = 63;
  while (last >= 0 && !(self->waves >> last & 1))
    last--;
  start_wave(self, last);
}

static void
drop_ways(VtWhy *self)
{
  g_clear_pointer(&self->trail_request, vt_run_request_free);
  g_clear_pointer(&self->trail, vt_result_unref);
  g_clear_pointer(&self->trail_failure, g_free);
  self->is_tracing_steps = FALSE;
  g_ptr_array_set_size(self->ways, 0);
  self->wave = -1;
  self->waves = 0;
  self->knows_waves = FALSE;
}

/* --- steps --- */

static void
take_trail(VtWhy *self, VtResult *result, const GError *error)
{
  self->is_tracing_steps = FALSE;
  if (result)
    self->trail = vt_result_ref(result);
  else
    self->trail_failure = g_strdup(vt_translate(error->message));
  vt_test_log("why-steps %u", result ? result->op->n_stages : 0);
  start_wave(self, (int)vt_why_get_valued(self)->op->n_stages - 1);
}

/* Of every step if somebody wants them, then from where they came. */
static void
start_values(VtWhy *self)
{
  g_autoptr(GError) error = NULL;
  drop_ways(self);
  const VitrailOp *op =
    self->wants_steps ? vt_recipe_open_trail(vt_plugin_host_get(), self->request->op, &error) : NULL;
  if (op) {
    self->is_tracing_steps = TRUE;
    self->trail_request = vt_why_new_trail(self->request, op);
    vt_runner_start(self->runner, vt_run_request_copy(self->trail_request));
  } else if (self->wants_steps) {
    take_trail(self, NULL, error);
  } else {
    start_wave(self, (int)self->answer->op->n_stages - 1);
  }
}

void
vt_why_set_steps(VtWhy *self, gboolean wanted)
{
  if (self->wants_steps == wanted)
    return;
  self->wants_steps = wanted;
  if (self->answer && self->is_current && !vt_why_is_trying(self))
    start_values(self);
  g_signal_emit_by_name(self, "changed");
}

VT_GETTER(gboolean, vt_why_wants_steps, VtWhy, wants_steps)

const VtResult *
vt_why_get_valued(VtWhy *self)
{
  return self->trail ? self->trail : self->answer;
}

VT_GETTER(const char *, vt_why_get_steps_failure, VtWhy, trail_failure)

/* --- changes --- */

static void
start_trial(VtWhy *self)
{
  if (self->next >= self->changes->len) {
    vt_test_log("why-tried %u", self->changes->len);
    start_values(self);
    return;
  }
  const VtChange *change = self->changes->pdata[self->next];
  g_autofree char *text = g_strdup_printf("%s=%s", self->request->op->params[change->param]->key, change->value);
  vt_runner_start(self->runner, vt_why_new_trial(self->request, text));
}

static void
add_change(VtWhy *self, guint number, const VitrailVerdict *verdict)
{
  const VitrailParam *param = self->answer->op->params[verdict->param];
  const guint digits = vt_param_count_digits(param);
  g_autofree char *format = g_strdup_printf("%%.%uf", digits);
  VtChange *change = g_new0(VtChange, 1);
  change->verdict = number;
  change->param = (guint)verdict->param;
  change->value = vt_why_dup_critical(self->answer, verdict, format, pow(10, -(double)digits));
  g_ptr_array_add(self->changes, change);
}

static void
find_changes(VtWhy *self)
{
  g_ptr_array_set_size(self->changes, 0);
  drop_ways(self);
  self->next = 0;
  for (guint i = 0; i < self->answer->verdicts->len && vt_why_find_outcome(self->answer->op) >= 0; i++) {
    const VitrailVerdict *verdict = &g_array_index(self->answer->verdicts, VitrailVerdict, i);
    if (verdict->flags & VITRAIL_VERDICT_FLIPS)
      add_change(self, i, verdict);
  }
}

static double
count_steps(const VtWhy *self, const VtChange *change)
{
  const VitrailParam *param = self->answer->op->params[change->param];
  const double now = self->answer->params->values[change->param][0];
  return fabs(g_ascii_strtod(change->value, NULL) - now) / (param->step > 0 ? param->step : 1);
}

static int
compare_steps(gconstpointer a, gconstpointer b, gpointer self)
{
  const double d = count_steps(self, *(VtChange *const *)a) - count_steps(self, *(VtChange *const *)b);
  return (d > 0) - (d < 0);
}

static const VitrailVerdict *
get_verdict(const VtWhy *self, const VtChange *change)
{
  return &g_array_index(self->answer->verdicts, VitrailVerdict, change->verdict);
}

GPtrArray *
vt_why_dup_turning(VtWhy *self)
{
  GPtrArray *turning = g_ptr_array_new();
  const gint64 object = self->answer ? vt_why_get_object(self->answer, self->x_l0, self->y_l0) : 0;
  VT_EACH_OF (VtChange, change, self->changes) {
    change->is_of_hill = get_verdict(self, change)->tested == VITRAIL_TESTED_DEPTH;
    if (change->tried && !change->failed && ((change->object > 0) != (object > 0) || change->is_of_hill))
      g_ptr_array_add(turning, change);
  }
  g_ptr_array_sort_with_data(turning, compare_steps, self);
  return turning;
}

/* --- what comes back --- */

static void
take_trial(VtWhy *self, VtResult *result)
{
  VtChange *change = self->changes->pdata[self->next++];
  change->tried = TRUE;
  change->failed = !result;
  change->object = result ? vt_why_get_object(result, self->x_l0, self->y_l0) : 0;
  vt_test_log("why-trial %s=%s %" G_GINT64_FORMAT, self->request->op->params[change->param]->key, change->value,
              change->failed ? -1 : change->object);
  start_trial(self);
}

static void
log_answer(VtWhy *self)
{
  const VtResult *answer = self->answer;
  vt_test_log("why-answer %lld,%lld %lld,%lld,%lld,%lld %.4g %u %lld", (long long)self->x_l0, (long long)self->y_l0,
              (long long)answer->x_l0, (long long)answer->y_l0, (long long)answer->width_l0,
              (long long)answer->height_l0, answer->used_pixel_size, answer->verdicts->len,
              (long long)vt_why_get_object(answer, self->x_l0, self->y_l0));
}

static void
on_done(guint64 generation, VtResult *result, GError *error, gpointer user)
{
  VtWhy *self = user;
  if (self->is_current && vt_why_is_trying(self)) {
    take_trial(self, result);
  } else if (self->is_current && self->is_tracing_steps) {
    take_trail(self, result, error);
  } else if (self->is_current) {
    take_wave(self, result);
  } else {
    g_clear_pointer(&self->answer, vt_result_unref);
    g_ptr_array_set_size(self->changes, 0);
    self->is_current = TRUE;
    if (result) {
      self->answer = vt_result_ref(result);
      log_answer(self);
      find_changes(self);
      start_trial(self);
    } else {
      self->failure = g_strdup(vt_translate(error->message));
      vt_test_log("why-failed %s", self->failure);
    }
  }
  g_signal_emit_by_name(self, "changed");
}

/* --- the question --- */

static VtRunRequest *
request_new(VtWhy *self, GError **error)
{
  VtRunRequest *request = vt_analysis_new_request(self->analysis, self->x_l0, self->y_l0, error);
  if (!request)
    return NULL;
  request->asks_why = TRUE;
  request->why_x_l0 = self->x_l0;
  request->why_y_l0 = self->y_l0;
  return request;
}

static void
start(VtWhy *self)
{
  static const VtRunnerCallbacks callbacks = { .done = on_done };
  g_autoptr(GError) error = NULL;
  g_clear_handle_id(&self->ask_id, g_source_remove);
  g_clear_pointer(&self->failure, g_free);
  g_clear_pointer(&self->request, vt_run_request_free);
  self->is_current = FALSE;
  self->request = request_new(self, &error);
  if (!self->runner)
    self->runner = vt_runner_new(&callbacks, self);
  if (self->request)
    vt_runner_start(self->runner, vt_run_request_copy(self->request));
  else
    on_done(0, NULL, error, self);
  g_signal_emit_by_name(self, "changed");
}

/* What runs for the picture goes first: it is what the person looks at. */
static gboolean
ask_again(gpointer data)
{
  VtWhy *self = data;
  if (vt_analysis_get_running(self->analysis))
    return G_SOURCE_CONTINUE;
  self->ask_id = 0;
  start(self);
  return G_SOURCE_REMOVE;
}

static void
on_params(VtWhy *self)
{
  if (!self->has_place)
    return;
  if (self->request && self->request->op != self->analysis->op) {
    vt_why_forget(self);
    return;
  }
  vt_runner_cancel(self->runner);
  self->is_current = self->is_tracing_steps = FALSE;
  self->wave = -1;
  g_clear_handle_id(&self->ask_id, g_source_remove);
  self->ask_id = g_timeout_add(AGAIN_MS, ask_again, self);
  g_signal_emit_by_name(self, "changed");
}

/* Another resolution: the numbers on the card would not be those under the pointer. */
static void
on_finished(VtWhy *self)
{
  const VtResult *shown = vt_analysis_get_result(self->analysis);
  if (self->has_place && shown && self->answer && self->is_current
      && shown->used_pixel_size != self->answer->used_pixel_size)
    on_params(self);
}

void
vt_why_ask(VtWhy *self, gint64 x_l0, gint64 y_l0)
{
  g_return_if_fail(self->analysis->slide && self->analysis->op);
  g_clear_pointer(&self->answer, vt_result_unref);
  g_ptr_array_set_size(self->changes, 0);
  drop_ways(self);
  self->has_place = TRUE;
  self->x_l0 = x_l0;
  self->y_l0 = y_l0;
  vt_test_log("why %" G_GINT64_FORMAT " %" G_GINT64_FORMAT, x_l0, y_l0);
  start(self);
}

void
vt_why_forget(VtWhy *self)
{
  if (!self->has_place)
    return;
  g_clear_handle_id(&self->ask_id, g_source_remove);
  vt_runner_cancel(self->runner);
  g_clear_pointer(&self->answer, vt_result_unref);
  g_clear_pointer(&self->request, vt_run_request_free);
  g_clear_pointer(&self->failure, g_free);
  g_ptr_array_set_size(self->changes, 0);
  drop_ways(self);
  self->has_place = FALSE;
  vt_test_log("why none");
  g_signal_emit_by_name(self, "changed");
}

gboolean
vt_why_get_place(VtWhy *self, gint64 *x_l0, gint64 *y_l0)
{
  *x_l0 = self->x_l0;
  *y_l0 = self->y_l0;
  return self->has_place;
}

VT_GETTER(const VtResult *, vt_why_get_answer, VtWhy, answer)
VT_GETTER(const VtRunRequest *, vt_why_get_request, VtWhy, request)
VT_GETTER(const char *, vt_why_get_failure, VtWhy, failure)
VT_GETTER(gboolean, vt_why_is_current, VtWhy, is_current)
VT_GETTER(const GPtrArray *, vt_why_get_changes, VtWhy, changes)

gboolean
vt_why_is_trying(VtWhy *self)
{
  return self->next < self->changes->len;
}

VT_GETTER(const GPtrArray *, vt_why_get_ways, VtWhy, ways)

gboolean
vt_why_is_tracing(VtWhy *self)
{
  return self->wave >= 0 || self->is_tracing_steps;
}

static void
vt_why_class_init(VtWhyClass *klass)
{
  VT_SOURCES(klass, VtWhy, ask_id);
  VT_OWNS(klass, VtWhy, vt_runner_free, runner);
  VT_OWNS(klass, VtWhy, vt_result_unref, answer, trail);
  VT_OWNS(klass, VtWhy, vt_run_request_free, request, trail_request);
  VT_OWNS(klass, VtWhy, g_free, failure, trail_failure);
  VT_OWNS(klass, VtWhy, g_ptr_array_unref, changes, ways);
  VT_OWNS(klass, VtWhy, g_object_unref, analysis);
  vt_signals_new(VT_TYPE_WHY, "changed", NULL);
}

static void
vt_why_init(VtWhy *self)
{
  self->changes = g_ptr_array_new_with_free_func(change_free);
  self->ways = g_ptr_array_new_with_free_func((GDestroyNotify)vt_way_free);
  self->wave = -1;
}

VtWhy *
vt_why_new(VtAnalysis *analysis)
{
  VtWhy *self = g_object_new(VT_TYPE_WHY, NULL);
  self->analysis = g_object_ref(analysis);
  g_signal_connect_object(analysis, "params-changed", G_CALLBACK(on_params), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(analysis, "op-changed", G_CALLBACK(on_params), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(analysis, "finished", G_CALLBACK(on_finished), self, G_CONNECT_SWAPPED);
  return self;
}
