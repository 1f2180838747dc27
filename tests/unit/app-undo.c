/* SPDX-License-Identifier: MIT
 *
 * Parameters, the choice of an analysis, and layers are steps of a view as regions are: what is one step, what is none, what it is called.
 * usage: app-undo DEMO-SLIDE-GENERATOR */
#include <math.h>

#include "app-support.h"
#include "analysis/vt-layers-undo.h"
#include "analysis/vt-params-undo.h"
#include "layers/vt-layer-stack.h"
#include "layers/vt-roi-item.h"
#include "plugins/vt-plugin-host.h"

typedef struct {
  GListStore *rois;
  VtAnalysis *analysis;
  VtUndo *undo;
  VtParamsUndo *params;
  VtLayersUndo *layers;
} Desk;

static void
choose(Desk *desk, const char *op_id)
{
  const VitrailPlugin *plugin = NULL;
  const VitrailOp *op = vt_plugin_host_find_op(vt_plugin_host_get(), op_id, &plugin);
  vt_analysis_set_op(desk->analysis, plugin, op);
}

static void
open_slide(Desk *desk)
{
  g_autoptr(VtSlide) slide = vt_slide_open(slide_path, NULL);
  vt_analysis_set_slide(desk->analysis, slide);
}

static Desk *
desk_new(void)
{
  Desk *desk = g_new0(Desk, 1);
  desk->rois = g_list_store_new(VT_TYPE_ROI_ITEM);
  desk->analysis = vt_analysis_new(G_LIST_MODEL(desk->rois));
  desk->undo = vt_undo_new();
  desk->params = vt_params_undo_new(desk->analysis, desk->undo);
  desk->layers = vt_layers_undo_new(desk->analysis, desk->undo);
  return desk;
}

static void
desk_free(Desk *desk)
{
  g_object_unref(desk->params);
  g_object_unref(desk->layers);
  g_object_unref(desk->undo);
  g_object_unref(desk->analysis);
  g_object_unref(desk->rois);
  g_free(desk);
}
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Desk, desk_free)

static void
set(Desk *desk, const char *setting)
{
  g_assert_true(vt_analysis_set_param_text(desk->analysis, setting, NULL));
}

static double
get(Desk *desk, const char *key)
{
  const VtParams *params = vt_analysis_get_params(desk->analysis);
  return params->values[vt_op_find_param(params->op, key)][0];
}

/* The event that is being handled ends. */
static void
next_event(void)
{
  while (g_main_context_iteration(NULL, FALSE)) {
  }
}

static void
next_second(void)
{
  next_event();
  g_usleep(1100000);
}

static void
assert_title(Desk *desk, const char *title)
{
  g_assert_cmpstr(vt_undo_get_title(desk->undo), ==, title);
}

static void
test_params(void)
{
  g_autoptr(Desk) desk = desk_new();
  choose(desk, "nuclei-threshold");
  set(desk, "threshold=0.2");
  open_slide(desk);
  assert_title(desk, NULL); /* what was set before there was a slide is no step */
  set(desk, "threshold=0.2");
  assert_title(desk, NULL);
  set(desk, "threshold=0.3");
  assert_title(desk, "Threshold: 0.20 OD → 0.30 OD");
  next_event();
  set(desk, "threshold=0.4"); /* within a second: one step */
  assert_title(desk, "Threshold: 0.20 OD → 0.40 OD");
  next_event();
  set(desk, "min-area=12"); /* another one */
  assert_title(desk, "Minimum area: 10 µm² → 12 µm²");
  next_second();
  set(desk, "min-area=14");
  vt_undo_undo(desk->undo);
  g_assert_cmpfloat(get(desk, "min-area"), ==, 12);
  vt_undo_undo(desk->undo);
  g_assert_true(get(desk, "min-area") == 10 && get(desk, "threshold") == 0.4);
  vt_undo_undo(desk->undo);
  g_assert_cmpfloat(get(desk, "threshold"), ==, 0.2);
  g_assert_false(vt_undo_can_undo(desk->undo));
  g_assert_cmpstr(vt_undo_get_redo_title(desk->undo), ==, "Threshold: 0.20 OD → 0.40 OD");
  for (int i = 0; i < 3; i++)
    vt_undo_redo(desk->undo);
  g_assert_true(get(desk, "min-area") == 14 && get(desk, "threshold") == 0.4 && !vt_undo_can_redo(desk->undo));
}

/* A slider that goes back to where it was leaves nothing; what is taken back is not joined to. */
static void
test_nothing(void)
{
  g_autoptr(Desk) desk = desk_new();
  choose(desk, "nuclei-threshold");
  open_slide(desk);
  const double before = get(desk, "threshold");
  set(desk, "threshold=0.3");
  next_event();
  g_assert_true(vt_params_set(vt_analysis_get_params(desk->analysis),
                              (guint)vt_op_find_param(vt_analysis_get_op(desk->analysis), "threshold"),
                              (const double[4]){ before }, NULL));
  vt_analysis_params_changed(desk->analysis);
  g_assert_false(vt_undo_can_undo(desk->undo));
  set(desk, "threshold=0.3");
  next_second();
  set(desk, "threshold=0.35");
  vt_undo_undo(desk->undo);
  set(desk, "threshold=0.36"); /* within a second of the one that was taken back */
  g_assert_false(vt_undo_can_redo(desk->undo));
  vt_undo_undo(desk->undo);
  g_assert_cmpfloat(get(desk, "threshold"), ==, 0.3);
}

/* Another analysis, with parameters at once, is one step; each has its own values. */
static void
test_ops(void)
{
  g_autoptr(Desk) desk = desk_new();
  open_slide(desk);
  choose(desk, "nuclei-threshold");
  assert_title(desk, NULL); /* the first one is no step */
  set(desk, "threshold=0.3");
  next_event();
  choose(desk, "nuclei");
  set(desk, "largest=40");
  assert_title(desk, "Nuclei by a threshold → Nuclei by a trained score");
  next_event();
  vt_undo_undo(desk->undo);
  g_assert_cmpstr(vt_analysis_get_op(desk->analysis)->id, ==, "nuclei-threshold");
  g_assert_cmpfloat(get(desk, "threshold"), ==, 0.3);
  vt_undo_undo(desk->undo);
  g_assert_cmpfloat(get(desk, "threshold"), !=, 0.3);
  vt_undo_redo(desk->undo);
  vt_undo_redo(desk->undo);
  g_assert_cmpstr(vt_analysis_get_op(desk->analysis)->id, ==, "nuclei");
  g_assert_cmpfloat(get(desk, "largest"), ==, 40);
}

static VtLayer *
get_layer(Desk *desk, guint place)
{
  g_autoptr(VtLayer) layer = g_list_model_get_item(vt_analysis_get_layers(desk->analysis), place);
  return layer; /* the list holds it */
}

static void
test_layers(void)
{
  g_autoptr(Desk) desk = desk_new();
  choose(desk, "nuclei-threshold");
  open_slide(desk);
  VtLayer *layer = get_layer(desk, 1);
  const VtLayerLook before = vt_layer_get_look(layer);
  vt_layer_set_shown(layer, !before.is_shown);
  assert_title(desk, before.is_shown ? "Hematoxylin hidden" : "Hematoxylin shown");
  next_event();
  g_object_set(layer, "opacity", 0.5, NULL);
  next_event();
  g_object_set(layer, "opacity", 0.4, NULL);
  assert_title(desk, "Hematoxylin: opacity 75 % → 40 %");
  next_event();
  g_object_set(layer, "colormap", VT_COLORMAP_VIRIDIS, NULL);
  next_event();
  vt_layer_set_range(layer, 0, 2);
  assert_title(desk, "Hematoxylin: range that of the data → 0 to 2");
  next_event();
  vt_layer_set_threshold(layer, 0.5, INFINITY);
  next_event();
  vt_layer_stack_set_solo(vt_analysis_get_layers(desk->analysis), layer); /* no step: a look */
  vt_layer_stack_set_solo(vt_analysis_get_layers(desk->analysis), NULL);
  assert_title(desk, "Hematoxylin: threshold none → 0.5 to inf");
  g_assert_true(vt_analysis_move_layer(desk->analysis, layer, 2));
  assert_title(desk, "Hematoxylin moved up");
  g_assert_true(get_layer(desk, 3) == layer);
  vt_undo_undo(desk->undo);
  g_assert_true(get_layer(desk, 1) == layer);
  vt_undo_redo(desk->undo);
  g_assert_true(get_layer(desk, 3) == layer);
  for (int i = 0; i < 6; i++)
    vt_undo_undo(desk->undo);
  const VtLayerLook now = vt_layer_get_look(layer);
  g_assert_true(get_layer(desk, 1) == layer && now.is_shown == before.is_shown && now.opacity == before.opacity);
  g_assert_true(now.map == before.map && !now.has_own_range && isinf(now.threshold[0])
                && !vt_undo_can_undo(desk->undo));
}

/* What one press changes of several layers is one step. */
static void
test_several(void)
{
  g_autoptr(Desk) desk = desk_new();
  choose(desk, "nuclei-threshold");
  open_slide(desk);
  for (guint i = 1; i <= 3; i++)
    g_object_set(get_layer(desk, i), "blend", VT_LAYER_BLEND_SCREEN, NULL);
  assert_title(desk, "looks of 3 layers");
  vt_undo_undo(desk->undo);
  for (guint i = 1; i <= 3; i++)
    g_assert_cmpint(vt_layer_get_blend(get_layer(desk, i)), ==, VT_LAYER_BLEND_NORMAL);
  g_assert_false(vt_undo_can_undo(desk->undo));
}

int
main(int argc, char **argv)
{
  begin_with_slide(&argc, &argv, "1024");
  g_test_add_func("/undo/params", test_params);
  g_test_add_func("/undo/nothing", test_nothing);
  g_test_add_func("/undo/ops", test_ops);
  g_test_add_func("/undo/layers", test_layers);
  g_test_add_func("/undo/several", test_several);
  return end_with_slide(g_test_run());
}
