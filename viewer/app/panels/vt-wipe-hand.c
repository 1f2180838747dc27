/* SPDX-License-Identifier: MIT */
#include "panels/vt-wipe-hand.h"

#include "common/vt-owned.h"
#include "layers/vt-layer-stack.h"
#include "panels/vt-stage-sides.h"

#define VT_TYPE_WIPE_HAND (vt_wipe_hand_get_type())
G_DECLARE_FINAL_TYPE(VtWipeHand, vt_wipe_hand, VT, WIPE_HAND, GObject)

struct _VtWipeHand {
  GObject parent;
  VtCanvas *canvas; /* borrowed: it owns this */
  VtReference *reference;
  VtAnalysis *analysis;
  GListStore *layers; /* of the pin: the slide of now, then VtLayer in the order of now */
  GPtrArray *stages;  /* VtLayer of each stage of `op`, NULL: it is not seen on a slide */
  const VitrailOp *op;
  const VtParams *params; /* of the pin; only compared */
  VtResult *result;       /* what they show */
  VtStageSides *sides;    /* of two pinned stages, which go before the pin of a result */
  gboolean compares_stages;
  const char *alone; /* the stage of now that is seen alone, interned; NULL: none */
};

G_DEFINE_FINAL_TYPE(VtWipeHand, vt_wipe_hand, G_TYPE_OBJECT)

static void
unref_layer(gpointer layer)
{
  g_clear_object(&layer);
}

static void
make_layers(VtWipeHand *self, const VitrailOp *op)
{
  g_clear_pointer(&self->stages, g_ptr_array_unref);
  g_clear_pointer(&self->result, vt_result_unref);
  self->stages = g_ptr_array_new_with_free_func(unref_layer);
  for (guint i = 0; i < op->n_stages; i++)
    g_ptr_array_add(self->stages, vt_layer_new_stage(op, i));
  self->op = op;
}

/* The layer of now that shows the same stage; owned, NULL: the pin is of another analysis. */
static VtLayer *
find_twin(VtWipeHand *self, VtLayer *layer)
{
  GListModel *now = vt_analysis_get_layers(self->analysis);
  for (guint i = 1; i < g_list_model_get_n_items(now); i++) {
    g_autoptr(VtLayer) twin = g_list_model_get_item(now, i);
    if (vt_layer_get_stage(twin) == vt_layer_get_stage(layer))
      return g_steal_pointer(&twin);
  }
  return NULL;
}

static void
add_layer(GPtrArray *order, VtLayer *layer)
{
  if (layer && !g_ptr_array_find(order, layer, NULL))
    g_ptr_array_add(order, layer);
}

/* The slide, then those of now in their order, then what there are no others of. Borrowed layers. */
static GPtrArray *
list_in_order(VtWipeHand *self)
{
  GListModel *now = vt_analysis_get_layers(self->analysis);
  GPtrArray *order = g_ptr_array_new();
  for (guint i = 0; i < g_list_model_get_n_items(now); i++) {
    g_autoptr(VtLayer) layer = g_list_model_get_item(now, i);
    const guint stage = vt_layer_get_stage_index(layer);
    if (i == 0)
      g_ptr_array_add(order, layer);
    else if (stage < self->op->n_stages && vt_layer_get_stage(layer) == self->op->stages[stage])
      add_layer(order, self->stages->pdata[stage]);
  }
  for (guint i = 0; i < self->stages->len; i++)
    add_layer(order, self->stages->pdata[i]);
  return order;
}

static void
order_layers(VtWipeHand *self)
{
  g_autoptr(GPtrArray) order = list_in_order(self);
  GListModel *layers = G_LIST_MODEL(self->layers);
  gboolean same = g_list_model_get_n_items(layers) == order->len;
  for (guint i = 0; same && i < order->len; i++) {
    g_autoptr(VtLayer) layer = g_list_model_get_item(layers, i);
    same = layer == order->pdata[i];
  }
  if (!same)
    g_list_store_splice(self->layers, 0, g_list_model_get_n_items(layers), order->pdata, order->len);
}

/* Stages (bits) whose layers are seen. Nothing is painted of a new result before somebody looks, and the former one is let go. */
static guint64
show_layers(VtWipeHand *self)
{
  VtResult *pin = vt_reference_get_result(self->reference);
  VtResult *result = pin == self->result || vt_canvas_get_comparing(self->canvas) ? pin : NULL;
  const gboolean is_new = result != self->result;
  guint64 seen = 0;
  for (guint i = 0; i < self->stages->len; i++) {
    VtLayer *layer = self->stages->pdata[i];
    g_autoptr(VtLayer) twin = layer ? find_twin(self, layer) : NULL;
    if (twin)
      vt_layer_look_like(layer, twin);
    if (layer && is_new)
      vt_layer_set_result(layer, result);
    if (layer && vt_layer_get_seen(layer))
      seen |= (guint64)1 << i;
  }
  if (!is_new)
    return seen;
  g_clear_pointer(&self->result, vt_result_unref);
  self->result = result ? vt_result_ref(result) : NULL;
  return seen;
}

static void
forget(VtWipeHand *self)
{
  g_list_store_remove_all(self->layers);
  g_clear_pointer(&self->stages, g_ptr_array_unref);
  g_clear_pointer(&self->result, vt_result_unref);
  self->op = NULL;
}

/* What a paused side has pixels of. */
static void
show_area(VtWipeHand *self, const VtResult *paused)
{
  const double none[4] = { 0 };
  if (paused)
    vt_canvas_set_pin_area(self->canvas, (const double[]){ (double)paused->x_l0, (double)paused->y_l0,
                                                           (double)(paused->x_l0 + paused->width_l0),
                                                           (double)(paused->y_l0 + paused->height_l0) });
  else
    vt_canvas_set_pin_area(self->canvas, vt_canvas_get_wipe_paused(self->canvas) ? none : NULL);
}

/* FALSE: there are not two. */
static gboolean
follow_stages(VtWipeHand *self)
{
  const gboolean paused = vt_canvas_get_wipe_paused(self->canvas);
  if (!vt_stage_sides_follow(self->sides, vt_canvas_get_comparing(self->canvas), paused))
    return FALSE;
  g_autofree char *a = vt_stage_sides_dup_words(self->sides, VT_STAGE_PIN_A);
  g_autofree char *b = vt_stage_sides_dup_words(self->sides, VT_STAGE_PIN_B);
  vt_canvas_set_side_words(self->canvas, a, b);
  vt_canvas_set_pin(self->canvas, vt_stage_sides_get(self->sides, VT_STAGE_PIN_A),
                    vt_stage_sides_get(self->sides, VT_STAGE_PIN_B));
  show_area(self, vt_stage_sides_get_paused(self->sides));
  return TRUE;
}

/* FALSE: nothing is pinned. */
static gboolean
follow_pin(VtWipeHand *self)
{
  g_autofree char *pinned = NULL, *now = NULL;
  if (!vt_reference_is_set(self->reference) || vt_reference_get_file(self->reference)) {
    if (self->op)
      forget(self);
    return FALSE;
  }
  if (vt_reference_get_params(self->reference) != self->params) {
    self->params = vt_reference_get_params(self->reference);
    vt_canvas_set_wipe_paused(self->canvas, FALSE); /* it was the picture of another pin */
  }
  const gboolean paused = vt_canvas_get_wipe_paused(self->canvas);
  if (vt_reference_get_op(self->reference) != self->op)
    make_layers(self, vt_reference_get_op(self->reference));
  vt_reference_set_paused(self->reference, paused);
  const guint64 seen = show_layers(self);
  order_layers(self);
  vt_reference_dup_sides(self->reference, &pinned, &now);
  vt_canvas_set_side_words(self->canvas, pinned, now);
  vt_canvas_set_pin(self->canvas, G_LIST_MODEL(self->layers), NULL);
  vt_reference_set_seen(self->reference, vt_canvas_get_comparing(self->canvas) ? seen : 0);
  show_area(self, paused ? vt_reference_get_result(self->reference) : NULL);
  return TRUE;
}

static void
follow(VtWipeHand *self)
{
  self->compares_stages = follow_stages(self);
  if (self->compares_stages) {
    vt_reference_set_paused(self->reference, FALSE);
    vt_reference_set_seen(self->reference, 0);
  } else if (!follow_pin(self)) {
    vt_canvas_set_pin(self->canvas, NULL, NULL);
  }
}

/* Who chooses which stage is seen alone, or none, wants to look at that: both pins stay. */
static void
on_solo(VtWipeHand *self)
{
  VtLayer *layer = vt_layer_stack_get_solo(vt_analysis_get_layers(self->analysis));
  const VitrailStage *stage = layer ? vt_layer_get_stage(layer) : NULL;
  const char *alone = stage ? g_intern_string(stage->id) : NULL;
  const gboolean is_other = alone != self->alone;
  self->alone = alone;
  if (is_other && self->compares_stages)
    vt_canvas_set_wipe(self->canvas, FALSE);
}

static void
on_pins(VtWipeHand *self)
{
  vt_canvas_set_wipe_paused(self->canvas, FALSE);
  follow(self);
}

static void
on_layers_changed(VtWipeHand *self, guint position, guint n_removed, guint n_added, GListModel *layers)
{
  for (guint i = position; i < position + n_added; i++) {
    g_autoptr(VtLayer) layer = g_list_model_get_item(layers, i);
    g_signal_handlers_disconnect_by_func(layer, follow, self); /* one that was moved is here again */
    g_signal_connect_object(layer, "redraw", G_CALLBACK(follow), self, G_CONNECT_SWAPPED);
    g_signal_connect_object(layer, "data", G_CALLBACK(follow), self, G_CONNECT_SWAPPED);
    g_signal_handlers_disconnect_by_func(layer, on_solo, self);
    g_signal_connect_object(layer, "notify::solo", G_CALLBACK(on_solo), self, G_CONNECT_SWAPPED);
  }
  follow(self);
}

static void
vt_wipe_hand_class_init(VtWipeHandClass *klass)
{
  VT_OWNS(klass, VtWipeHand, g_object_unref, reference, analysis, layers);
  VT_OWNS(klass, VtWipeHand, g_ptr_array_unref, stages);
  VT_OWNS(klass, VtWipeHand, vt_result_unref, result);
  VT_OWNS(klass, VtWipeHand, vt_stage_sides_free, sides);
}

static void
vt_wipe_hand_init(VtWipeHand *self)
{
  self->layers = g_list_store_new(VT_TYPE_LAYER);
}

void
vt_wipe_hand_attach(VtCanvas *canvas, VtReference *reference, VtStagePins *pins, VtAnalysis *analysis)
{
  static const char *const of_analysis[] = { "shown", "params-changed", "op-changed", "notify::running" };
  VtWipeHand *self = g_object_new(VT_TYPE_WIPE_HAND, NULL);
  GListModel *layers = vt_analysis_get_layers(analysis);
  self->canvas = canvas;
  self->reference = g_object_ref(reference);
  self->analysis = g_object_ref(analysis);
  self->sides = vt_stage_sides_new(analysis, pins);
  g_signal_connect_object(pins, "changed", G_CALLBACK(on_pins), self, G_CONNECT_SWAPPED);
  for (guint i = 0; i < G_N_ELEMENTS(of_analysis); i++)
    g_signal_connect_object(analysis, of_analysis[i], G_CALLBACK(follow), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(reference, "changed", G_CALLBACK(follow), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(canvas, "notify::comparing", G_CALLBACK(follow), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(layers, "items-changed", G_CALLBACK(on_layers_changed), self, G_CONNECT_SWAPPED);
  g_object_set_data_full(G_OBJECT(canvas), "wipe-hand", self, g_object_unref);
  on_layers_changed(self, 0, 0, g_list_model_get_n_items(layers), layers);
}
