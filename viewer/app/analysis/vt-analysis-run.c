/* SPDX-License-Identifier: MIT
 *
 * When the analysis runs, on what, and what is shown of it. A live run answers for the view, at what the screen shows; Run
 * answers at the resolution that the parameters ask for. */
#include <unistd.h>

#include "analysis/vt-analysis-private.h"
#include "base/vt-define.h"
#include "plugins/vt-plugin-host.h"
#include "common/vt-test-log.h"
#include "common/vt-translate.h"

#define SETTLE_MS 120
#define TICK_MS 500
#define PREPARE_MS 50 /* so long a result waits for the pictures of its layers */
#define LOOK_MS 80    /* so long a run waits for its first look to be drawn */
#define LOOK_TICK_MS 4
#define BUSY_MS \
  300 /* without anything new until a live run is told of; each word of it is a frame more, for which what it makes would wait */
#define QUICK_MS 3000 /* a run that may be made again without a question */

static void start_live(VtAnalysis *self, gboolean with_first_look);
static gboolean start_after_look(gpointer data);
static gboolean is_answered(VtAnalysis *self);
static gboolean is_awaited(VtAnalysis *self);

static void
forget_next(VtAnalysis *self)
{
  g_clear_pointer(&self->next, vt_run_request_free);
  self->is_asked = FALSE;
}

/* --- what runs --- */

static gboolean
look_busy(gpointer data)
{
  VtAnalysis *self = data;
  self->busy_id = 0;
  vt_analysis_set_busy(self, vt_runner_is_running(self->runner));
  return G_SOURCE_REMOVE;
}

/* A run begins or ends. What took the place of another one goes on being busy. */
static void
tell_running(VtAnalysis *self)
{
  const gboolean running = vt_runner_is_running(self->runner);
  vt_analysis_notify_running(self);
  if (!running || self->is_asked)
    vt_analysis_set_busy(self, running);
  else if (!self->busy && self->busy_id == 0)
    self->busy_id = g_timeout_add(BUSY_MS, look_busy, self);
}

void
vt_analysis_forget(VtAnalysis *self)
{
  g_clear_handle_id(&self->settle_id, g_source_remove);
  forget_next(self);
  vt_runner_cancel(self->runner);
  vt_analysis_take_result(self, NULL);
  vt_pace_clear(&self->pace);
}

char *
vt_analysis_dup_progress(VtAnalysis *self)
{
  if (!self->busy)
    return NULL;
  const double left = vt_progress_get_seconds_left(&self->progress, g_get_monotonic_time());
  g_autoptr(GString) text = g_string_new(NULL);
  if (self->is_asked && self->running_on != VT_RUN_ON_VIEW)
    g_string_append_printf(text, "%s: ", vt_run_on_get_title(self->running_on));
  g_string_append_printf(
    text, "%s · %.0f %%",
    vt_translate(self->stage < self->op->n_stages ? self->op->stages[self->stage]->title : self->op->title),
    self->progress.furthest * 100);
  if (left >= 0) {
    g_autofree char *duration = vt_progress_dup_duration(left);
    g_string_append(text, " · ");
    g_string_append_printf(text, _("%s left"), duration);
  }
  return g_string_free(g_steal_pointer(&text), FALSE);
}

VT_GETTER(double, vt_analysis_get_fraction, VtAnalysis, progress.furthest)

static gboolean
tick(gpointer data)
{
  VtAnalysis *self = data;
  if (!vt_runner_is_running(self->runner)) {
    self->tick_id = 0;
    return G_SOURCE_REMOVE;
  }
  g_autofree char *text = vt_analysis_dup_progress(self);
  if (text)
    vt_test_log("progress %s", text);
  g_signal_emit_by_name(self, "progress");
  return G_SOURCE_CONTINUE;
}

static void
on_progress(guint stage, double fraction, gpointer user)
{
  VtAnalysis *self = user;
  self->stage = stage;
  vt_progress_take(&self->progress, fraction, g_get_monotonic_time());
  g_signal_emit_by_name(self, "progress");
}

void
vt_analysis_set_truth(VtAnalysis *self, VtTrueObjects *truth)
{
  if (truth)
    vt_true_objects_ref(truth);
  g_clear_pointer(&self->truth, vt_true_objects_unref);
  self->truth = truth;
}

static void
start_request(VtAnalysis *self, VtRunRequest *request, gboolean coarse)
{
  self->coarse = coarse;
  self->again = FALSE;
  self->stage = 0;
  self->progress = (VtProgress){ 0 };
  vt_progress_take(&self->progress, 0, g_get_monotonic_time());
  g_clear_pointer(&self->running_params, vt_params_free);
  self->running_params = vt_params_copy(request->params);
  vt_pace_start(&self->pace, request, coarse);
  if (self->truth && !coarse && request->keep_stages) /* it is of the view, as the truth is */
    request->truth = vt_true_objects_dup_run_truth(self->truth);
  const guint64 generation = vt_runner_start(self->runner, request);
  if (self->tick_id == 0)
    self->tick_id = g_timeout_add(TICK_MS, tick, self);
  vt_test_log("%s %" G_GUINT64_FORMAT " %s", coarse ? "coarse-start" : "run-start", generation, self->op->id);
  tell_running(self);
}

static void
log_time(VtAnalysis *self)
{
  vt_test_log("shown-after %s %.1f", self->coarse ? "coarse" : "fine",
              (double)(g_get_monotonic_time() - self->asked_us) / 1000);
}

/* A first look is seen but is no result: it is neither exported nor put into a table. Its failure is that of the run to come. */
static void
on_coarse_done(VtAnalysis *self, guint64 generation, VtResult *result)
{
  if (result) {
    vt_analysis_show(self, result, self->running_params);
    log_time(self);
    vt_pace_learn(&self->pace, result, TRUE);
    self->look_us = is_awaited(self) ? g_get_monotonic_time() : 0;
    vt_test_log("coarse-done %" G_GUINT64_FORMAT " %.1f", generation, result->total_ms);
  }
  if (self->again)
    start_live(self, TRUE);
  else if (self->next)
    start_request(self, g_steal_pointer(&self->next), FALSE);
  else if (result) /* not as an idle source: while frames are slow and something moves, they leave no time for those */
    self->settle_id = g_timeout_add(LOOK_TICK_MS, start_after_look, self);
  else
    start_live(self, FALSE);
}

static void
on_done(guint64 generation, VtResult *result, GError *error, gpointer user)
{
  VtAnalysis *self = user;
  if (self->coarse) {
    on_coarse_done(self, generation, result);
    return;
  }
  tell_running(self);
  if (error) {
    forget_next(self);
    vt_analysis_fail(self, vt_translate(error->message));
    vt_analysis_check_shown(self);
    return;
  }
  vt_analysis_take_result(self, result);
  log_time(self);
  forget_next(self);
  if (!result->parts) /* their rectangle is larger than what was analysed */
    vt_pace_learn(&self->pace, result, FALSE);
  vt_test_log("run-done %" G_GUINT64_FORMAT " %.1f", generation, result->total_ms);
  vt_analysis_log_layers(self);
  g_signal_emit_by_name(self, "finished");
  /* The view may have gone on meanwhile. */
  if (self->stays && self->live && !is_answered(self))
    vt_analysis_schedule(self);
}

static gboolean
hand_over(gpointer data)
{
  VtAnalysis *self = data;
  self->prepare_id = 0;
  vt_runner_hand_over(self->runner);
  return G_SOURCE_REMOVE;
}

/* Pictures, values and words change in one frame, and there is none before it, after which the next one would have to wait. The uppermost layer
 * first: workers paint in this order. */
static gboolean
on_came(VtResult *result, gpointer user)
{
  VtAnalysis *self = user;
  gboolean waits = FALSE;
  self->came_us = g_get_monotonic_time();
  for (guint i = g_list_model_get_n_items(G_LIST_MODEL(self->layers)); i-- > 0;) {
    g_autoptr(VtLayer) layer = g_list_model_get_item(G_LIST_MODEL(self->layers), i);
    waits |= vt_layer_prepare(layer, result);
  }
  if (waits && self->prepare_id == 0)
    self->prepare_id = g_timeout_add_full(G_PRIORITY_DEFAULT, PREPARE_MS, hand_over, self, NULL);
  return waits;
}

void
vt_analysis_layer_prepared(VtAnalysis *self)
{
  VT_EACH_ITEM (VtLayer, layer, self->layers)
    if (vt_layer_is_preparing(layer))
      return;
  g_clear_handle_id(&self->prepare_id, g_source_remove);
  vt_runner_hand_over(self->runner);
}

static void
on_cancelled(guint64 generation, gpointer user)
{
  VtAnalysis *self = user;
  g_clear_handle_id(&self->prepare_id, g_source_remove);
  vt_test_log("run-cancelled %" G_GUINT64_FORMAT, generation);
  vt_analysis_notify_running(self);
  if (self->busy && self->busy_id == 0) /* another one may begin now */
    self->busy_id = g_idle_add_full(G_PRIORITY_DEFAULT, look_busy, self, NULL);
}

/* --- requests --- */

/* What is certain costs as much as all the others together, and nothing is made from it. */
static gboolean
is_on_the_way(VtLayer *layer)
{
  return vt_layer_get_stage(layer) && !g_str_equal(vt_layer_get_stage(layer)->id, "certain");
}

/* What is switched off is not asked for, unless somebody looks at all of them; rows have no switch. 0: nothing is wanted. */
static guint64
get_stages_wanted(VtAnalysis *self, VtRunOn on)
{
  const gboolean all = self->wants_all && on == VT_RUN_ON_VIEW;
  guint64 wanted = 0;
  for (guint i = 0; i < self->op->n_stages; i++) {
    if (self->op->stages[i]->kind == VITRAIL_STAGE_ROWS)
      wanted |= (guint64)1 << i;
  }
  VT_EACH_ITEM (VtLayer, layer, self->layers)
    if (vt_layer_get_stage(layer) && ((all && is_on_the_way(layer)) || vt_layer_get_seen(layer)))
      wanted |= (guint64)1 << vt_layer_get_stage_index(layer);
  return wanted | self->pinned;
}

/* A quarter of the machine's memory: the viewer and others go on beside a long run. What does not fit is streamed. */
static guint64
get_memory_budget(void)
{
  const char *megabytes = g_getenv("VITRAIL_RUN_MB");
  const guint64 told = megabytes ? g_ascii_strtoull(megabytes, NULL, 10) << 20 : 0;
  return told > 0 ? told : (guint64)sysconf(_SC_PHYS_PAGES) * (guint64)sysconf(_SC_PAGESIZE) / 4;
}

/* `asked`: by Run; else for the view and the screen. */
static VtRunRequest *
request_new(VtAnalysis *self, gboolean asked, VtRunOn on, GError **error)
{
  g_autoptr(VtRunRequest) request = vt_run_request_new(self->plugin, self->op);
  g_clear_pointer(&request->params, vt_params_free);
  request->params = vt_params_copy(self->params);
  request->slide = vt_slide_ref(self->slide);
  request->backend = g_strdup(self->backend);
  request->stages_wanted = get_stages_wanted(self, on);
  request->keep_stages = on == VT_RUN_ON_VIEW;
  request->map_rasters = asked;
  request->memory_budget = asked ? get_memory_budget() : 0;
  if (vt_op_get_labels(self->op) && !self->params->labels)
    return vt_error_set_null(
      error, VITRAIL_BAD_ARGUMENT,
      _("Open a label image first (Ctrl+I), as objects to measure: this analysis has none yet."));
  if (vt_op_get_objects(self->op) && !self->params->objects)
    return vt_error_set_null(error, VITRAIL_BAD_ARGUMENT,
                             _("Open a file of objects first: this analysis has none yet."));
  if (request->stages_wanted == 0)
    return vt_error_set_null(
      error, VITRAIL_BAD_ARGUMENT,
      _("All layers of the analysis are switched off. Switch on the one you want to see, then run it."));
  if (vt_analysis_takes_rois(self) && on != VT_RUN_ON_SLIDE && vt_roi_items_fill(request, self->slide, self->rois))
    return g_steal_pointer(&request);
  if (!vt_run_on_fill(on, request, &self->view, self->rois, error))
    return NULL;
  if (!asked)
    request->min_downsample = MAX(self->view.downsample, 1);
  if (vt_analysis_takes_rois(self)) {
    request->rois = g_ptr_array_new_with_free_func((GDestroyNotify)vt_roi_free);
    g_ptr_array_add(request->rois, vt_roi_new_rectangle(vt_run_on_get_title(on), request->x_l0, request->y_l0,
                                                        request->width_l0, request->height_l0));
  }
  return g_steal_pointer(&request);
}

/* The grid of a first look; 0: none is needed, or the op makes a table, of which only the real one is wanted. */
static double
choose_coarse(VtAnalysis *self, const VtRunRequest *request)
{
  for (guint i = 0; i < self->op->n_stages; i++)
    if (self->op->stages[i]->kind == VITRAIL_STAGE_ROWS)
      return 0;
  return vt_pace_choose(&self->pace, request);
}

/* --- live runs --- */

/* Without a first look: after it. Nothing to run on, or all layers off, ends it quietly: nobody pressed a button. */
static void
start_live(VtAnalysis *self, gboolean with_first_look)
{
  forget_next(self);
  VtRunRequest *request = request_new(self, FALSE, VT_RUN_ON_VIEW, NULL);
  if (!request) {
    tell_running(self);
    return;
  }
  const double downsample = with_first_look ? choose_coarse(self, request) : 0;
  if (downsample > 0)
    request->min_downsample = downsample;
  start_request(self, request, downsample > 0);
}

static gboolean
is_awaited(VtAnalysis *self)
{
  VT_EACH_ITEM (VtLayer, layer, self->layers)
    if (vt_layer_get_seen(layer) && vt_layer_is_awaited(layer))
      return TRUE;
  return FALSE;
}

/* The full run would take the processors from those who paint and draw what is there to see. */
static gboolean
start_after_look(gpointer data)
{
  VtAnalysis *self = data;
  const gint64 now = g_get_monotonic_time();
  const gboolean awaited = is_awaited(self);
  if (awaited && now - self->look_us < LOOK_MS * 1000)
    return G_SOURCE_CONTINUE;
  if (!awaited && self->look_us > 0)
    vt_pace_learn_frame(&self->pace, (double)(now - self->came_us) / 1000);
  self->settle_id = 0;
  start_live(self, FALSE);
  return G_SOURCE_REMOVE;
}

/* What Run made is better than what a live run could make, wherever it is there and as long as it is of these parameters. What
 * took long is not given away for a step aside. */
static gboolean
is_answered(VtAnalysis *self)
{
  if (!self->result || vt_analysis_takes_rois(self) || !vt_analysis_is_result_shown(self)
      || !vt_params_equal(self->result_params, self->params))
    return FALSE;
  if (self->held && vt_analysis_is_seen(self, self->result))
    return TRUE;
  return self->stays
         && (self->result_on != VT_RUN_ON_VIEW || self->result->total_ms > QUICK_MS
             || vt_analysis_is_visible_inside(self, self->result));
}

static gboolean
settled(gpointer data)
{
  VtAnalysis *self = data;
  self->settle_id = 0;
  if (self->moving || !self->live || !self->slide || !self->op || !self->has_view)
    return G_SOURCE_REMOVE;
  if (is_answered(self)) {
    vt_analysis_check_shown(self);
    return G_SOURCE_REMOVE;
  }
  self->asked_us = g_get_monotonic_time();
  start_live(self, TRUE);
  return G_SOURCE_REMOVE;
}

/* What Run is about goes on while the view moves, but not with parameters that nobody wants any more. */
static gboolean
must_go_on(VtAnalysis *self)
{
  return self->is_asked && vt_runner_is_running(self->runner) && !vt_analysis_takes_rois(self)
         && vt_params_equal(self->running_params, self->params);
}

void
vt_analysis_schedule(VtAnalysis *self)
{
  g_clear_handle_id(&self->settle_id, g_source_remove);
  if (!self->live || !self->slide || !self->op || must_go_on(self))
    return;
  forget_next(self);
  vt_runner_cancel(self->runner);
  self->settle_id = g_timeout_add(SETTLE_MS, settled, self);
}

void
vt_analysis_schedule_now(VtAnalysis *self)
{
  if (!self->live || !self->slide || !self->op || must_go_on(self))
    return;
  if (self->coarse && vt_runner_is_running(self->runner)) {
    if (!self->again)
      self->asked_us = g_get_monotonic_time();
    self->again = TRUE;
    return;
  }
  g_clear_handle_id(&self->settle_id, g_source_remove);
  forget_next(self);
  vt_runner_cancel(self->runner);
  settled(self);
}

/* --- Run --- */

/* Only the view is looked at soon, and only where nothing of these parameters is seen of it. */
static double
choose_first_look(VtAnalysis *self, VtRunOn on, const VtRunRequest *request)
{
  const gboolean is_seen = self->shown && vt_params_equal(self->shown_params, self->params)
                           && vt_analysis_is_visible_inside(self, self->shown);
  if (on != VT_RUN_ON_VIEW || is_seen)
    return 0;
  const double downsample = choose_coarse(self, request);
  return downsample > 0 ? MAX(downsample, self->view.downsample) : 0;
}

static void
run_on(VtAnalysis *self, VtRunOn on)
{
  g_autoptr(GError) error = NULL;
  if (!self->slide || !self->op || (on == VT_RUN_ON_VIEW && !self->has_view))
    return;
  VtRunRequest *request = request_new(self, TRUE, on, &error);
  if (!request) {
    vt_analysis_fail(self, error->message);
    return;
  }
  g_clear_handle_id(&self->settle_id, g_source_remove);
  forget_next(self);
  self->asked_us = g_get_monotonic_time();
  self->running_on = on;
  self->is_asked = TRUE;
  vt_test_log("run-on %s", vt_run_on_get_id(on));
  const double downsample = choose_first_look(self, on, request);
  if (downsample > 0) {
    VtRunRequest *look = request_new(self, FALSE, VT_RUN_ON_VIEW, NULL);
    look->min_downsample = downsample;
    start_request(self, look, TRUE);
    self->next = request;
  } else {
    start_request(self, request, FALSE);
  }
}

void
vt_analysis_run(VtAnalysis *self)
{
  run_on(self, self->run_on);
}

void
vt_analysis_cancel(VtAnalysis *self)
{
  g_clear_handle_id(&self->settle_id, g_source_remove);
  forget_next(self);
  vt_runner_cancel(self->runner);
  /* What was shown before the run is what would be exported. */
  if (self->result && !vt_analysis_is_result_shown(self))
    vt_analysis_show(self, self->corrected, self->result_params);
  else
    vt_analysis_check_shown(self);
}

static gboolean
is_of_view(VtAnalysis *self)
{
  g_autoptr(VtRunRequest) request = request_new(self, FALSE, VT_RUN_ON_VIEW, NULL);
  const VtResult *result = self->result;
  return request && request->x_l0 == result->x_l0 && request->y_l0 == result->y_l0
         && request->width_l0 == result->width_l0 && request->height_l0 == result->height_l0;
}

void
vt_analysis_want_layer(VtAnalysis *self, VtLayer *layer)
{
  const gboolean held = self->held && is_answered(self);
  if (self->is_asked && vt_runner_is_running(self->runner))
    return;
  if (self->stays && self->result->total_ms > QUICK_MS) {
    g_autofree char *sentence = g_strdup_printf(
      _("%s was not part of the last run, which took long. Run again (F5) to see it."), vt_layer_get_title(layer));
    vt_analysis_fail(self, sentence);
  } else if (self->stays) {
    run_on(self, self->result_on);
  } else if (held && !is_of_view(self)) {
    g_autofree char *sentence = g_strdup_printf(
      _("%s is not there for the objects under review. Close the review, or go back to its view, to see it."),
      vt_layer_get_title(layer));
    vt_analysis_fail(self, sentence);
  } else if (self->live && !held) {
    vt_analysis_schedule_now(self);
  } else if (self->result) {
    self->asked_us = g_get_monotonic_time();
    start_live(self, TRUE);
  }
}

void
vt_analysis_set_wants_all(VtAnalysis *self, gboolean wants_all)
{
  if (self->wants_all == wants_all)
    return;
  self->wants_all = wants_all;
  const gboolean is_slow = self->stays && (self->result->total_ms > QUICK_MS || self->result_on != VT_RUN_ON_VIEW);
  for (guint i = 1; wants_all && !is_slow && i < g_list_model_get_n_items(G_LIST_MODEL(self->layers)); i++) {
    g_autoptr(VtLayer) layer = g_list_model_get_item(G_LIST_MODEL(self->layers), i);
    if (is_on_the_way(layer) && !vt_layer_has_data(layer) && self->slide) {
      vt_analysis_want_layer(self, layer);
      return;
    }
  }
}

void
vt_analysis_set_pinned(VtAnalysis *self, guint64 stages)
{
  self->pinned = stages;
  VT_EACH_ITEM (VtLayer, layer, self->layers) {
    const gboolean is_pinned = vt_layer_get_stage(layer) && (stages >> vt_layer_get_stage_index(layer) & 1);
    if (!is_pinned || vt_layer_has_data(layer) || !self->slide)
      continue;
    vt_analysis_want_layer(self, layer);
    return;
  }
}

gboolean
vt_analysis_get_running(VtAnalysis *self)
{
  return vt_runner_is_running(self->runner);
}

void
vt_analysis_init_runs(VtAnalysis *self)
{
  const VtRunnerCallbacks callbacks = { on_progress, on_done, on_cancelled, on_came };
  self->runner = vt_runner_new(&callbacks, self);
}

void
vt_analysis_dispose_runs(VtAnalysis *self)
{
  g_clear_handle_id(&self->settle_id, g_source_remove);
  g_clear_handle_id(&self->tick_id, g_source_remove);
  g_clear_handle_id(&self->busy_id, g_source_remove);
  g_clear_handle_id(&self->prepare_id, g_source_remove);
  forget_next(self);
  g_clear_pointer(&self->runner, vt_runner_free);
  g_clear_pointer(&self->truth, vt_true_objects_unref);
  vt_pace_clear(&self->pace);
  g_clear_pointer(&self->result, vt_result_unref);
  g_clear_pointer(&self->corrected, vt_result_unref);
  g_clear_pointer(&self->corrections, g_ptr_array_unref);
  g_clear_pointer(&self->shown, vt_result_unref);
  g_clear_pointer(&self->result_params, vt_params_free);
  g_clear_pointer(&self->shown_params, vt_params_free);
  g_clear_pointer(&self->running_params, vt_params_free);
}
