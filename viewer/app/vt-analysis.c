/* SPDX-License-Identifier: MIT */
#include "vt-analysis.h"

#include <glib/gi18n.h>
#include <math.h>

#include "vt-drop.h"
#include "vt-layer-stack.h"
#include "vt-pace.h"
#include "vt-roi-item.h"
#include "vt-runner.h"
#include "vt-test-log.h"
#include "vt-translate.h"

#define SETTLE_MS 120

struct _VtAnalysis {
  GObject parent;
  GListModel *rois;
  GListStore *layers;
  GHashTable *kept_layers; /* VitrailOp -> GPtrArray of VtLayer: those of the ops that were chosen before */
  VtSlide *slide;
  const VitrailPlugin *plugin;
  const VitrailOp *op;
  GHashTable *kept_params; /* VitrailOp -> VtParams: of the ops that were chosen before, and of this one */
  VtParams *params;        /* borrowed from these */
  char *backend;
  VtViewport view;
  VtRunner *runner;
  VtResult *result;
  VtPace pace;
  guint settle_id;
  gint64 asked_us; /* when somebody asked for what runs now */
  gboolean live, moving, has_view;
  gboolean coarse; /* what runs is a first look */
  double coarse_downsample;
  gboolean again;    /* parameters changed during it: it is shown, then comes another one */
  double first_look; /* the grid of a first look that is shown; 0: what is shown is no first look */
};

G_DEFINE_FINAL_TYPE(VtAnalysis, vt_analysis, G_TYPE_OBJECT)

enum { PROP_LIVE = 1, PROP_RUNNING, N_PROPS };
enum { SIGNAL_OP_CHANGED, SIGNAL_PROGRESS, SIGNAL_FINISHED, SIGNAL_FAILED, N_SIGNALS };
static GParamSpec *properties[N_PROPS];
static guint signals[N_SIGNALS];

static void
fail(VtAnalysis *self, const char *sentence)
{
  vt_test_log("error %s", sentence);
  g_signal_emit(self, signals[SIGNAL_FAILED], 0, sentence);
}

static void
log_shown_layers(VtAnalysis *self)
{
  g_autoptr(GString) names = g_string_new(NULL);
  for (guint i = 0; i < g_list_model_get_n_items(G_LIST_MODEL(self->layers)); i++) {
    g_autoptr(VtLayer) layer = g_list_model_get_item(G_LIST_MODEL(self->layers), i);
    if (vt_layer_get_stage(layer) && vt_layer_get_seen(layer) && vt_layer_has_data(layer))
      g_string_append_printf(names, "%s%s", names->len ? "," : "", vt_layer_get_stage(layer)->id);
  }
  vt_test_log("layers %s", names->str);
}

static void
show_in_layers(VtAnalysis *self, VtResult *result)
{
  for (guint i = 0; i < g_list_model_get_n_items(G_LIST_MODEL(self->layers)); i++) {
    g_autoptr(VtLayer) layer = g_list_model_get_item(G_LIST_MODEL(self->layers), i);
    vt_layer_set_first_look(layer, self->first_look);
    vt_layer_set_result(layer, result);
  }
  if (result)
    vt_test_log("shown-after %s %.1f", self->coarse ? "coarse" : "fine",
                (double)(g_get_monotonic_time() - self->asked_us) / 1000);
}

static void
show_result(VtAnalysis *self, VtResult *result)
{
  self->first_look = 0;
  vt_drop(self->result, (GDestroyNotify)vt_result_unref);
  self->result = result ? vt_result_ref(result) : NULL;
  show_in_layers(self, result);
}

static void
on_progress(guint stage, double fraction, gpointer user)
{
  g_signal_emit(user, signals[SIGNAL_PROGRESS], 0, stage, fraction);
}

static void start(VtAnalysis *self);
static void start_run(VtAnalysis *self, gboolean coarse);

/* A first look is seen but is no result: it is neither exported nor put into a table. Its failure is that of the run to come. */
static void
on_coarse_done(VtAnalysis *self, guint64 generation, VtResult *result)
{
  if (result) {
    self->first_look = self->coarse_downsample;
    show_in_layers(self, result);
    vt_test_log("coarse-done %" G_GUINT64_FORMAT " %.1f", generation, result->total_ms);
    g_signal_emit(self, signals[SIGNAL_PROGRESS], 0, 0, 0.0);
  }
  if (self->again)
    start(self);
  else
    start_run(self, FALSE);
}

static void
on_done(guint64 generation, VtResult *result, GError *error, gpointer user)
{
  VtAnalysis *self = user;
  if (self->coarse) {
    on_coarse_done(self, generation, result);
    return;
  }
  g_object_notify_by_pspec(G_OBJECT(self), properties[PROP_RUNNING]);
  if (error) {
    fail(self, vt_translate(error->message));
    return;
  }
  show_result(self, result);
  vt_pace_learn(&self->pace, result);
  vt_test_log("run-done %" G_GUINT64_FORMAT " %.1f", generation, result->total_ms);
  log_shown_layers(self);
  g_signal_emit(self, signals[SIGNAL_FINISHED], 0);
}

static void
on_cancelled(guint64 generation, gpointer user)
{
  vt_test_log("run-cancelled %" G_GUINT64_FORMAT, generation);
  g_object_notify_by_pspec(G_OBJECT(user), properties[PROP_RUNNING]);
}

/* What is switched off is not asked for; rows have no switch. */
static guint64
get_stages_wanted(VtAnalysis *self)
{
  guint64 wanted = 0;
  for (guint i = 0; i < self->op->n_stages; i++) {
    if (self->op->stages[i]->kind == VITRAIL_STAGE_ROWS)
      wanted |= (guint64)1 << i;
  }
  for (guint i = 0; i < g_list_model_get_n_items(G_LIST_MODEL(self->layers)); i++) {
    g_autoptr(VtLayer) layer = g_list_model_get_item(G_LIST_MODEL(self->layers), i);
    if (vt_layer_get_stage(layer) && vt_layer_get_seen(layer))
      wanted |= (guint64)1 << vt_layer_get_stage_index(layer);
  }
  return wanted;
}

static gboolean
takes_rois(const VitrailOp *op)
{
  for (guint i = 0; i < op->n_inputs; i++) {
    if (op->inputs[i]->kind == VITRAIL_INPUT_ROIS)
      return TRUE;
  }
  return FALSE;
}

static VtRunRequest *
request_new(VtAnalysis *self)
{
  gint64 width, height;
  g_autoptr(VtRunRequest) request = vt_run_request_new(self->plugin, self->op);
  vt_slide_get_level_size(self->slide, 0, &width, &height);
  g_clear_pointer(&request->params, vt_params_free);
  request->params = vt_params_copy(self->params);
  request->slide = vt_slide_ref(self->slide);
  request->backend = g_strdup(self->backend);
  request->stages_wanted = get_stages_wanted(self);
  request->keep_stages = TRUE;
  if (takes_rois(self->op) && vt_roi_items_fill(request, self->slide, self->rois))
    return g_steal_pointer(&request);
  if (!vt_viewport_get_visible_l0(&self->view, width, height, &request->x_l0, &request->y_l0, &request->width_l0,
                                  &request->height_l0))
    return NULL;
  request->min_downsample = MAX(self->view.downsample, 1);
  if (takes_rois(self->op)) {
    request->rois = g_ptr_array_new_with_free_func((GDestroyNotify)vt_roi_free);
    g_ptr_array_add(request->rois, vt_roi_new_rectangle(_("View"), request->x_l0, request->y_l0, request->width_l0,
                                                        request->height_l0));
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

static void
start_run(VtAnalysis *self, gboolean coarse)
{
  g_autoptr(VtRunRequest) request = request_new(self);
  if (!request)
    return;
  double downsample = coarse ? choose_coarse(self, request) : 0;
  self->coarse = downsample > 0;
  self->again = FALSE;
  self->coarse_downsample = downsample;
  if (self->coarse)
    request->min_downsample = downsample;
  else
    vt_pace_start(&self->pace, request);
  guint64 generation = vt_runner_start(self->runner, g_steal_pointer(&request));
  vt_test_log("%s %" G_GUINT64_FORMAT " %s", self->coarse ? "coarse-start" : "run-start", generation, self->op->id);
  g_object_notify_by_pspec(G_OBJECT(self), properties[PROP_RUNNING]);
}

static void
start(VtAnalysis *self)
{
  g_clear_handle_id(&self->settle_id, g_source_remove);
  if (!self->again)
    self->asked_us = g_get_monotonic_time();
  start_run(self, TRUE);
}

static gboolean
settled(gpointer data)
{
  VtAnalysis *self = data;
  self->settle_id = 0;
  if (!self->moving && self->live && self->slide && self->op && self->has_view && get_stages_wanted(self) != 0)
    start(self);
  return G_SOURCE_REMOVE;
}

/* What runs now answers a question nobody asks any more. */
static void
schedule(VtAnalysis *self)
{
  g_clear_handle_id(&self->settle_id, g_source_remove);
  if (!self->live || !self->slide || !self->op)
    return;
  vt_runner_cancel(self->runner);
  self->settle_id = g_timeout_add(SETTLE_MS, settled, self);
}

/* Parameters change while a hand is on them: at once, and never so often that nothing would ever be seen. */
static void
schedule_now(VtAnalysis *self)
{
  if (!self->live || !self->slide || !self->op)
    return;
  if (self->coarse && vt_runner_is_running(self->runner)) {
    if (!self->again)
      self->asked_us = g_get_monotonic_time();
    self->again = TRUE;
    return;
  }
  g_clear_handle_id(&self->settle_id, g_source_remove);
  vt_runner_cancel(self->runner);
  self->settle_id = g_idle_add_full(G_PRIORITY_DEFAULT, settled, self, NULL);
}

static void
on_solo(VtAnalysis *self)
{
  vt_layer_stack_apply_solo(G_LIST_MODEL(self->layers));
}

static void
on_layer_seen(VtLayer *layer, GParamSpec *pspec, VtAnalysis *self)
{
  log_shown_layers(self);
  if (!vt_layer_get_seen(layer) || vt_layer_has_data(layer) || !self->slide)
    return;
  if (self->live)
    schedule_now(self);
  else if (self->result)
    start(self);
}

static void
add_layer(VtAnalysis *self, VtLayer *layer)
{
  g_signal_connect_object(layer, "notify::seen", G_CALLBACK(on_layer_seen), self, 0);
  g_signal_connect_object(layer, "notify::solo", G_CALLBACK(on_solo), self, G_CONNECT_SWAPPED);
  g_list_store_append(self->layers, layer);
  g_object_unref(layer);
}

static gboolean
is_calibrated(VtSlide *slide)
{
  double mpp_x, mpp_y;
  return !slide || vt_slide_get_mpp(slide, &mpp_x, &mpp_y);
}

static void
make_params(VtAnalysis *self)
{
  /* Rows of the panel point into the old values until they have heard of the change. */
  g_autoptr(VtParams) old = NULL;
  g_hash_table_steal_extended(self->kept_params, self->op, NULL, (gpointer *)&old);
  self->params = vt_params_new(self->op, is_calibrated(self->slide));
  if (old)
    vt_params_take_over(self->params, old);
  g_hash_table_insert(self->kept_params, (gpointer)self->op, self->params);
  g_signal_emit(self, signals[SIGNAL_OP_CHANGED], 0);
}

void
vt_analysis_set_op(VtAnalysis *self, const VitrailPlugin *plugin, const VitrailOp *op)
{
  if (self->op == op)
    return;
  vt_runner_cancel(self->runner);
  show_result(self, NULL);
  vt_pace_clear(&self->pace);
  if (self->op)
    g_hash_table_insert(self->kept_layers, (gpointer)self->op, vt_layer_stack_take(self->layers));
  self->plugin = plugin;
  self->op = op;
  GPtrArray *kept = g_hash_table_lookup(self->kept_layers, op);
  if (kept)
    vt_layer_stack_put(self->layers, kept);
  for (guint i = 0; !kept && i < op->n_stages; i++) {
    VtLayer *layer = vt_layer_new_stage(op, i);
    if (layer)
      add_layer(self, layer);
  }
  make_params(self);
  schedule(self);
}

void
vt_analysis_set_slide(VtAnalysis *self, VtSlide *slide)
{
  g_clear_handle_id(&self->settle_id, g_source_remove);
  vt_runner_cancel(self->runner);
  show_result(self, NULL);
  /* Lengths in µm mean nothing on a slide without a pixel size, and the other way round. */
  gboolean other_unit = self->op && self->params->calibrated != is_calibrated(slide);
  /* What was set before there was a slide was meant for this one. */
  if (other_unit && !self->slide)
    self->params->calibrated = !self->params->calibrated;
  g_clear_pointer(&self->slide, vt_slide_unref);
  self->slide = vt_slide_ref(slide);
  self->has_view = FALSE;
  if (other_unit)
    make_params(self);
}

const VitrailOp *
vt_analysis_get_op(VtAnalysis *self)
{
  return self->op;
}

VtParams *
vt_analysis_get_params(VtAnalysis *self)
{
  return self->params;
}

void
vt_analysis_params_changed(VtAnalysis *self)
{
  vt_test_log("param-changed");
  schedule_now(self);
}

gboolean
vt_analysis_set_param_text(VtAnalysis *self, const char *key_value, GError **error)
{
  g_return_val_if_fail(self->params, FALSE);
  if (!vt_params_set_from_string(self->params, key_value, error))
    return FALSE;
  g_signal_emit(self, signals[SIGNAL_OP_CHANGED], 0);
  schedule(self);
  return TRUE;
}

void
vt_analysis_set_backend(VtAnalysis *self, const char *backend)
{
  if (g_strcmp0(self->backend, backend) == 0)
    return;
  g_free(self->backend);
  self->backend = g_strdup(backend);
  schedule(self);
}

void
vt_analysis_set_live(VtAnalysis *self, gboolean live)
{
  if (self->live == live)
    return;
  self->live = live;
  if (live)
    schedule(self);
  else
    g_clear_handle_id(&self->settle_id, g_source_remove);
  g_object_notify_by_pspec(G_OBJECT(self), properties[PROP_LIVE]);
}

gboolean
vt_analysis_get_live(VtAnalysis *self)
{
  return self->live;
}

gboolean
vt_analysis_get_running(VtAnalysis *self)
{
  return vt_runner_is_running(self->runner);
}

double
vt_analysis_get_first_look(VtAnalysis *self)
{
  return self->first_look;
}

void
vt_analysis_set_view(VtAnalysis *self, const VtViewport *view, gboolean moving)
{
  gboolean same = self->has_view && vt_viewport_equal(view, &self->view) && moving == self->moving;
  if (same)
    return;
  self->view = *view;
  self->moving = moving;
  self->has_view = TRUE;
  for (guint i = 0; !moving && i < g_list_model_get_n_items(G_LIST_MODEL(self->layers)); i++) {
    g_autoptr(VtLayer) layer = g_list_model_get_item(G_LIST_MODEL(self->layers), i);
    vt_layer_view_settled(layer, view);
  }
  schedule(self);
}

void
vt_analysis_run(VtAnalysis *self)
{
  if (!self->slide || !self->op || !self->has_view)
    return;
  if (get_stages_wanted(self) == 0)
    fail(self, _("All layers of the analysis are switched off. Switch on the one you want to see, then run it."));
  else
    start(self);
}

void
vt_analysis_cancel(VtAnalysis *self)
{
  g_clear_handle_id(&self->settle_id, g_source_remove);
  vt_runner_cancel(self->runner);
}

GListModel *
vt_analysis_get_layers(VtAnalysis *self)
{
  return G_LIST_MODEL(self->layers);
}

static void
log_order(VtAnalysis *self)
{
  g_autoptr(GString) names = g_string_new(NULL);
  for (guint i = 1; i < g_list_model_get_n_items(G_LIST_MODEL(self->layers)); i++) {
    g_autoptr(VtLayer) layer = g_list_model_get_item(G_LIST_MODEL(self->layers), i);
    g_string_append_printf(names, "%s%s", names->len ? "," : "", vt_layer_get_stage(layer)->id);
  }
  vt_test_log("order %s", names->str);
}

gboolean
vt_analysis_move_layer(VtAnalysis *self, VtLayer *layer, int steps)
{
  gboolean moved = vt_layer_stack_move(self->layers, layer, steps);
  if (moved)
    log_order(self);
  return moved;
}

gboolean
vt_analysis_move_layer_to(VtAnalysis *self, VtLayer *layer, VtLayer *other)
{
  gboolean moved = vt_layer_stack_move_to(self->layers, layer, other);
  if (moved)
    log_order(self);
  return moved;
}

VtResult *
vt_analysis_get_result(VtAnalysis *self)
{
  return self->result;
}

static void
on_rois_changed(VtAnalysis *self)
{
  if (self->op && takes_rois(self->op))
    schedule(self);
}

static void
vt_analysis_set_property(GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  vt_analysis_set_live(VT_ANALYSIS(object), g_value_get_boolean(value));
}

static void
vt_analysis_get_property(GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  VtAnalysis *self = VT_ANALYSIS(object);
  g_value_set_boolean(value, id == PROP_LIVE ? self->live : vt_analysis_get_running(self));
}

static void
vt_analysis_dispose(GObject *object)
{
  VtAnalysis *self = VT_ANALYSIS(object);
  g_clear_handle_id(&self->settle_id, g_source_remove);
  g_clear_pointer(&self->runner, vt_runner_free);
  vt_pace_clear(&self->pace);
  g_clear_pointer(&self->result, vt_result_unref);
  self->params = NULL;
  g_clear_pointer(&self->kept_params, g_hash_table_unref);
  g_clear_pointer(&self->slide, vt_slide_unref);
  g_clear_pointer(&self->backend, g_free);
  g_clear_object(&self->layers);
  g_clear_pointer(&self->kept_layers, g_hash_table_unref);
  g_clear_object(&self->rois);
  G_OBJECT_CLASS(vt_analysis_parent_class)->dispose(object);
}

static void
vt_analysis_class_init(VtAnalysisClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS(klass);
  GParamFlags flags = G_PARAM_STATIC_STRINGS | G_PARAM_EXPLICIT_NOTIFY;
  object_class->dispose = vt_analysis_dispose;
  object_class->set_property = vt_analysis_set_property;
  object_class->get_property = vt_analysis_get_property;
  properties[PROP_LIVE] = g_param_spec_boolean("live", NULL, NULL, FALSE, G_PARAM_READWRITE | flags);
  properties[PROP_RUNNING] = g_param_spec_boolean("running", NULL, NULL, FALSE, G_PARAM_READABLE | flags);
  g_object_class_install_properties(object_class, N_PROPS, properties);
  GType type = VT_TYPE_ANALYSIS;
  signals[SIGNAL_OP_CHANGED] = g_signal_new("op-changed", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
  signals[SIGNAL_PROGRESS] =
    g_signal_new("progress", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 2, G_TYPE_UINT, G_TYPE_DOUBLE);
  signals[SIGNAL_FINISHED] = g_signal_new("finished", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
  signals[SIGNAL_FAILED] =
    g_signal_new("failed", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 1, G_TYPE_STRING);
}

static void
vt_analysis_init(VtAnalysis *self)
{
  VtRunnerCallbacks callbacks = { on_progress, on_done, on_cancelled };
  self->layers = g_list_store_new(VT_TYPE_LAYER);
  self->kept_layers = g_hash_table_new_full(NULL, NULL, NULL, (GDestroyNotify)g_ptr_array_unref);
  self->kept_params = g_hash_table_new_full(NULL, NULL, NULL, (GDestroyNotify)vt_params_free);
  self->runner = vt_runner_new(&callbacks, self);
  add_layer(self, vt_layer_new_slide());
}

VtAnalysis *
vt_analysis_new(GListModel *rois)
{
  VtAnalysis *self = g_object_new(VT_TYPE_ANALYSIS, NULL);
  self->rois = g_object_ref(rois);
  g_signal_connect_object(rois, "items-changed", G_CALLBACK(on_rois_changed), self, G_CONNECT_SWAPPED);
  return self;
}
