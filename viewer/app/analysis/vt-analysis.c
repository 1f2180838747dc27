/* SPDX-License-Identifier: MIT
 *
 * What is analysed how, and its layers; vt-analysis-run.c runs it. */

#include "analysis/vt-analysis-private.h"
#include "base/vt-define.h"
#include "layers/vt-layer-stack.h"
#include "layers/vt-shared-map.h"
#include "common/vt-signals.h"
#include "common/vt-test-log.h"
#include "plugins/vt-plugin-host.h"
#include "results/vt-corrections.h"

G_DEFINE_FINAL_TYPE(VtAnalysis, vt_analysis, G_TYPE_OBJECT)

enum { PROP_LIVE = 1, PROP_RUNNING, PROP_BUSY, PROP_RUN_ON, N_PROPS };
static GParamSpec *properties[N_PROPS];

void
vt_analysis_fail(VtAnalysis *self, const char *sentence)
{
  vt_test_log("error %s", sentence);
  g_signal_emit_by_name(self, "failed", sentence);
}

void
vt_analysis_notify_running(VtAnalysis *self)
{
  g_object_notify_by_pspec(G_OBJECT(self), properties[PROP_RUNNING]);
}

void
vt_analysis_set_busy(VtAnalysis *self, gboolean busy)
{
  g_clear_handle_id(&self->busy_id, g_source_remove);
  if (self->busy == busy)
    return;
  self->busy = busy;
  vt_test_log("busy %d", busy);
  g_object_notify_by_pspec(G_OBJECT(self), properties[PROP_BUSY]);
}

VT_GETTER(gboolean, vt_analysis_get_busy, VtAnalysis, busy)

void
vt_analysis_log_layers(VtAnalysis *self)
{
  g_autoptr(GString) names = g_string_new(NULL);
  VT_EACH_ITEM (VtLayer, layer, self->layers)
    if (vt_layer_get_stage(layer) && vt_layer_get_seen(layer) && vt_layer_has_data(layer))
      g_string_append_printf(names, "%s%s", names->len ? "," : "", vt_layer_get_stage(layer)->id);
  vt_test_log("layers %s", names->str);
}

gboolean
vt_analysis_takes_rois(VtAnalysis *self)
{
  for (guint i = 0; i < self->op->n_inputs; i++) {
    if (self->op->inputs[i]->kind == VITRAIL_INPUT_ROIS && self->op->inputs[i] != vt_op_get_objects(self->op))
      return TRUE;
  }
  return FALSE;
}

static void
on_solo(VtAnalysis *self)
{
  vt_layer_stack_apply_solo(G_LIST_MODEL(self->layers));
}

static void
on_layer_seen(VtLayer *layer, GParamSpec *pspec, VtAnalysis *self)
{
  vt_analysis_log_layers(self);
  if (vt_layer_get_seen(layer) && !vt_layer_has_data(layer) && self->slide)
    vt_analysis_want_layer(self, layer);
}

static void
add_layer(VtAnalysis *self, VtLayer *layer)
{
  g_signal_connect_object(layer, "notify::seen", G_CALLBACK(on_layer_seen), self, 0);
  g_signal_connect_object(layer, "notify::solo", G_CALLBACK(on_solo), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(layer, "prepared", G_CALLBACK(vt_analysis_layer_prepared), self, G_CONNECT_SWAPPED);
  vt_shared_map_follow(layer);
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
  vt_layer_stack_set_params(G_LIST_MODEL(self->layers), self->params);
  g_signal_emit_by_name(self, "op-changed");
}

void
vt_analysis_set_op(VtAnalysis *self, const VitrailPlugin *plugin, const VitrailOp *op)
{
  if (self->op == op)
    return;
  vt_analysis_forget(self);
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
  vt_analysis_schedule(self);
}

void
vt_analysis_set_slide(VtAnalysis *self, VtSlide *slide)
{
  vt_analysis_forget(self);
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

VT_GETTER(VtSlide *, vt_analysis_get_slide, VtAnalysis, slide)
VT_GETTER(const VitrailOp *, vt_analysis_get_op, VtAnalysis, op)
VT_GETTER(VtParams *, vt_analysis_get_params, VtAnalysis, params)

const VtParams *
vt_analysis_get_params_of(VtAnalysis *self, const char *op_id)
{
  GHashTableIter iter;
  gpointer op, params;
  g_hash_table_iter_init(&iter, self->kept_params);
  while (g_hash_table_iter_next(&iter, &op, &params))
    if (g_str_equal(((const VitrailOp *)op)->id, op_id))
      return params;
  return NULL;
}

void
vt_analysis_params_changed(VtAnalysis *self)
{
  vt_test_log("param-changed");
  vt_layer_stack_set_params(G_LIST_MODEL(self->layers), self->params);
  vt_analysis_schedule_now(self); /* before others hear of it, which takes a while */
  g_signal_emit_by_name(self, "params-changed");
  vt_analysis_check_shown(self);
}

gboolean
vt_analysis_set_param_text(VtAnalysis *self, const char *key_value, GError **error)
{
  g_return_val_if_fail(self->params, FALSE);
  if (!vt_params_set_from_string(self->params, key_value, error))
    return FALSE;
  vt_analysis_params_changed(self);
  return TRUE;
}

/* Of an op that was chosen before; NULL: it never was. */
static VtParams *
find_kept(VtAnalysis *self, const char *op_id)
{
  GHashTableIter iter;
  gpointer op, params;
  g_hash_table_iter_init(&iter, self->kept_params);
  while (g_hash_table_iter_next(&iter, &op, &params))
    if (g_str_equal(((const VitrailOp *)op)->id, op_id))
      return params;
  return NULL;
}

gboolean
vt_analysis_set_labels(VtAnalysis *self, const char *op_id, VtPlacedLabels *labels)
{
  VtParams *params = find_kept(self, op_id);
  if (!params || !vt_op_get_labels(params->op))
    return FALSE;
  vt_params_set_labels(params, labels);
  if (params == self->params)
    vt_analysis_params_changed(self);
  return TRUE;
}

gboolean
vt_analysis_set_objects(VtAnalysis *self, const char *op_id, VtFileObjects *objects)
{
  VtParams *params = find_kept(self, op_id);
  if (!params || !vt_op_get_objects(params->op))
    return FALSE;
  vt_params_set_objects(params, objects);
  if (params == self->params)
    vt_analysis_params_changed(self);
  return TRUE;
}

void
vt_analysis_set_backend(VtAnalysis *self, const char *backend)
{
  if (g_strcmp0(self->backend, backend) == 0)
    return;
  g_free(self->backend);
  self->backend = g_strdup(backend);
  vt_analysis_schedule(self);
}

void
vt_analysis_set_live(VtAnalysis *self, gboolean live)
{
  if (self->live == live)
    return;
  self->live = live;
  if (live)
    vt_analysis_schedule(self);
  else
    g_clear_handle_id(&self->settle_id, g_source_remove);
  vt_analysis_check_shown(self);
  g_object_notify_by_pspec(G_OBJECT(self), properties[PROP_LIVE]);
}

VT_GETTER(gboolean, vt_analysis_get_live, VtAnalysis, live)

void
vt_analysis_hold(VtAnalysis *self, gboolean held)
{
  if (self->held == held)
    return;
  self->held = held;
  vt_analysis_schedule(self);
  vt_analysis_check_shown(self);
}

void
vt_analysis_set_run_on(VtAnalysis *self, VtRunOn on)
{
  if (self->run_on == on)
    return;
  self->run_on = on;
  g_object_notify_by_pspec(G_OBJECT(self), properties[PROP_RUN_ON]);
}

VT_GETTER(VtRunOn, vt_analysis_get_run_on, VtAnalysis, run_on)
VT_GETTER(GListModel *, vt_analysis_get_regions, VtAnalysis, rois)

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
  vt_analysis_schedule(self);
  vt_analysis_check_shown(self);
}

gboolean
vt_analysis_is_result_shown(VtAnalysis *self)
{
  return vt_result_get_run(self->shown) == self->result;
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

void
vt_analysis_move_layer_to(VtAnalysis *self, VtLayer *layer, VtLayer *other)
{
  if (vt_layer_stack_move_to(self->layers, layer, other))
    log_order(self);
}

void
vt_analysis_rois_changed(VtAnalysis *self)
{
  if (self->op && vt_analysis_takes_rois(self))
    vt_analysis_schedule(self);
  vt_analysis_check_shown(self);
}

static void
vt_analysis_set_property(GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  if (id == PROP_RUN_ON)
    vt_analysis_set_run_on(VT_ANALYSIS(object), g_value_get_uint(value));
  else
    vt_analysis_set_live(VT_ANALYSIS(object), g_value_get_boolean(value));
}

static void
vt_analysis_get_property(GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  VtAnalysis *self = VT_ANALYSIS(object);
  if (id == PROP_RUN_ON)
    g_value_set_uint(value, self->run_on);
  else
    g_value_set_boolean(value, id == PROP_LIVE   ? self->live
                               : id == PROP_BUSY ? self->busy
                                                 : vt_analysis_get_running(self));
}

static void
vt_analysis_dispose(GObject *object)
{
  VtAnalysis *self = VT_ANALYSIS(object);
  vt_analysis_dispose_runs(self);
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
  properties[PROP_BUSY] = g_param_spec_boolean("busy", NULL, NULL, FALSE, G_PARAM_READABLE | flags);
  properties[PROP_RUN_ON] =
    g_param_spec_uint("run-on", NULL, NULL, 0, VT_N_RUN_ON - 1, VT_RUN_ON_VIEW, G_PARAM_READWRITE | flags);
  g_object_class_install_properties(object_class, N_PROPS, properties);
  vt_signals_new(VT_TYPE_ANALYSIS, "op-changed", "params-changed", "progress", "shown", "finished", "corrected", NULL);
  vt_signal_new(VT_TYPE_ANALYSIS, "failed", G_TYPE_STRING, G_TYPE_NONE);
}

static void
vt_analysis_init(VtAnalysis *self)
{
  self->layers = g_list_store_new(VT_TYPE_LAYER);
  self->kept_layers = g_hash_table_new_full(NULL, NULL, NULL, (GDestroyNotify)g_ptr_array_unref);
  self->kept_params = g_hash_table_new_full(NULL, NULL, NULL, (GDestroyNotify)vt_params_free);
  vt_analysis_init_runs(self);
  add_layer(self, vt_layer_new_slide());
}

VtAnalysis *
vt_analysis_new(GListModel *rois)
{
  VtAnalysis *self = g_object_new(VT_TYPE_ANALYSIS, NULL);
  self->rois = g_object_ref(rois);
  g_signal_connect_object(rois, "items-changed", G_CALLBACK(vt_analysis_rois_changed), self, G_CONNECT_SWAPPED);
  return self;
}
