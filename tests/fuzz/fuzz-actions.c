/* SPDX-License-Identifier: MIT
 *
 * What a person does to a view, without the window: bytes are a list of actions on its annotations, gates, parameters and layers, and of undo and redo among
 * them. After each one the lists agree with one another, and taking it back and making it again changes nothing; in the end all steps lead back to the first
 * state and forth to the last, and the session of it is read as it was written. (tests/e2e/chance.py does so through the window.) */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "analysis/vt-gates.h"
#include "analysis/vt-layers-undo.h"
#include "analysis/vt-params-undo.h"
#include "analysis/vt-region-edits.h"
#include "fuzz.h"
#include "plugins/vt-plugin-host.h"
#include "results/vt-session-file.h"

#define FIRST_OP "nuclei-threshold"

enum { MOST_ACTIONS = 60, MOST_ITEMS = 40, SIDE = 64 };

typedef struct {
  VtRegions *regions;
  VtAnalysis *analysis;
  VtGates *gates;
  VtParamsUndo *params;
  VtLayersUndo *layers;
  VtUndo *undo; /* of the regions */
  const uint8_t *at, *end;
} Desk;

size_t
vt_fuzz_seed(unsigned index, uint8_t *data)
{
  static const uint8_t seeds[][48] = {
    { 0, 10, 10, 90, 90, 0, 40, 40, 90, 90, 5, 2, 3, 1, 1, 7, 3, 1, 0, 16, 17, 17, 18, 18 },
    { 0, 10, 10, 200, 200, 2, 2, 0, 50, 250, 50, 250, 60, 12, 1, 1, 11, 7, 9, 1, 4, 3, 16, 16, 17, 8, 1, 3 },
    { 3, 0, 20, 20, 3, 1, 30, 30, 13, 2, 13, 1, 14, 0, 1, 15, 0, 14, 1, 2, 16, 16, 17, 21 },
    { 18, 3, 19, 1, 2, 20, 1, 4, 18, 5, 16, 19, 0, 1, 16, 17, 20, 3, 2, 0, 9, 9, 30, 30 },
    { 1, 3, 0, 0, 90, 0, 0, 90, 90, 90, 0, 5, 5, 9, 9, 10, 3, 1, 1, 10, 1, 9, 4, 2, 16, 22, 0, 0, 8, 8, 16 },
  };
  if (index >= G_N_ELEMENTS(seeds))
    return 0;
  memcpy(data, seeds[index], sizeof seeds[index]);
  return sizeof seeds[index];
}

/* 0 behind the last byte. */
static guint
next(Desk *desk)
{
  return desk->at < desk->end ? *desk->at++ : 0;
}

/* --- a view --- */

static VtSlide *
get_slide(void)
{
  static VtSlide *slide = NULL;
  static guint8 pixels[SIDE * SIDE * 4];
  if (slide)
    return slide;
  g_autofree char *path = g_build_filename(g_get_tmp_dir(), "vitrail-fuzz-actions-XXXXXX.png", NULL);
  const int file = g_mkstemp(path);
  vt_fuzz_check(file >= 0 && close(file) == 0 && vt_png_write_rgba(path, pixels, SIDE, SIDE, 1, NULL), "a picture",
                path);
  slide = vt_slide_open_image(path, NULL);
  unlink(path);
  vt_fuzz_check(slide != NULL, "a slide", path);
  return slide;
}

static void
choose_op(Desk *desk, const char *id)
{
  const VitrailPlugin *plugin = NULL;
  const VitrailOp *op = vt_plugin_host_find_op(vt_plugin_host_get(), id, &plugin);
  vt_fuzz_check(op || strcmp(id, FIRST_OP) != 0, "no plugin: VITRAIL_TEST_PLUGIN", g_getenv("VITRAIL_TEST_PLUGIN"));
  if (op)
    vt_analysis_set_op(desk->analysis, plugin, op);
}

static void
next_event(void)
{
  while (g_main_context_iteration(NULL, FALSE)) {
  }
}

static void
desk_init(Desk *desk, const uint8_t *data, size_t size)
{
  desk->regions = vt_regions_new();
  desk->undo = vt_regions_get_undo(desk->regions);
  desk->analysis = vt_analysis_new(vt_regions_get_areas(desk->regions));
  desk->gates = vt_gates_new(desk->analysis, desk->regions);
  desk->params = vt_params_undo_new(desk->analysis, desk->undo);
  desk->layers = vt_layers_undo_new(desk->analysis, desk->undo);
  choose_op(desk, FIRST_OP);
  vt_analysis_set_slide(desk->analysis, get_slide());
  next_event();
  vt_undo_clear(desk->undo);
  desk->at = data;
  desk->end = size ? data + size : data; /* data may be NULL */
}

static void
desk_clear(Desk *desk)
{
  g_object_unref(desk->params);
  g_object_unref(desk->layers);
  g_object_unref(desk->gates);
  g_object_unref(desk->analysis);
  g_object_unref(desk->regions);
  next_event();
}

static void
store_regions(VtSessionView *view, VtRegions *regions)
{
  GListModel *list = vt_regions_get_list(regions);
  for (guint i = 0; i < g_list_model_get_n_items(list); i++) {
    g_autoptr(VtRoiItem) item = g_list_model_get_item(list, i);
    vt_session_view_add_region(view, vt_roi_item_get_roi(item), FALSE);
  }
}

static void
store_gates(VtSessionView *view, const GPtrArray *gates)
{
  for (guint i = 0; i < gates->len; i++) {
    const VtGate *gate = gates->pdata[i];
    VtSessionGate *stored = vt_session_view_add_gate(view);
    stored->name = g_strdup(gate->name);
    stored->parent = g_strdup(gate->parent);
    stored->color = g_strdup_printf("#%06x", (guint)gate->color);
    stored->text = g_strdup(gate->text ? gate->text : "");
  }
}

static void
store_settings(VtSessionView *view, Desk *desk)
{
  const VtParams *params = vt_analysis_get_params(desk->analysis);
  VtSessionAnalysis *analysis = params ? vt_session_view_add_analysis(view) : NULL;
  if (!params)
    return;
  analysis->op = g_strdup(params->op->id);
  for (guint i = 0; i < params->op->n_params; i++) {
    g_autofree char *value = vt_params_dup_text(params, i);
    g_ptr_array_add(analysis->settings, g_strdup_printf("%s=%s", params->op->params[i]->key, value));
  }
}

/* A session of it, as text: all that a step can change but the layers. */
static char *
dup_session(Desk *desk)
{
  g_autoptr(VtSessionFile) session = vt_session_file_new();
  VtSessionView *view = vt_session_tab_add_view(vt_session_file_add_tab(session));
  view->slide = g_strdup("/a.svs");
  view->is_classed_by_gates = vt_gates_get_classes(desk->gates);
  store_regions(view, desk->regions);
  store_gates(view, vt_gates_get(desk->gates));
  store_settings(view, desk);
  return vt_session_file_to_text(session, NULL);
}

/* The same, with the layers in their order. */
static char *
dup_state(Desk *desk)
{
  g_autofree char *session = dup_session(desk);
  GString *text = g_string_new(session);
  GListModel *layers = vt_analysis_get_layers(desk->analysis);
  for (guint i = 0; i < g_list_model_get_n_items(layers); i++) {
    g_autoptr(VtLayer) layer = g_list_model_get_item(layers, i);
    const VtLayerLook look = vt_layer_get_look(layer);
    g_string_append_printf(text, "\n%s %d %d %d %g %d %d %d %g %g %g %g %s", vt_layer_get_title(layer), look.is_shown,
                           look.is_locked, look.is_outlined, look.opacity, look.blend, look.map, look.has_own_range,
                           look.range[0], look.range[1], look.threshold[0], look.threshold[1],
                           look.measure ? look.measure : "");
  }
  return g_string_free(text, FALSE);
}

/* --- actions --- */

static VtRoiItem *
pick_item(Desk *desk)
{
  GListModel *list = vt_regions_get_list(desk->regions);
  const guint n = g_list_model_get_n_items(list), at = next(desk);
  g_autoptr(VtRoiItem) item = n > 0 ? g_list_model_get_item(list, at % n) : NULL;
  return item; /* the list holds it */
}

/* Those of the first eight whose bit is set. Owned. */
static GPtrArray *
pick_items(Desk *desk)
{
  GListModel *list = vt_regions_get_list(desk->regions);
  const guint bits = next(desk);
  GPtrArray *items = g_ptr_array_new_with_free_func(g_object_unref);
  for (guint i = 0; i < MIN(g_list_model_get_n_items(list), 8); i++)
    if (bits >> i & 1)
      g_ptr_array_add(items, g_list_model_get_item(list, i));
  return items;
}

static VtRoi *
make_shape(Desk *desk, VtShapeKind kind)
{
  double points[16];
  const guint n = kind == VT_SHAPE_POINTS ? 1 : (kind == VT_SHAPE_AREA ? 3 : 2) + next(desk) % 5;
  for (guint i = 0; i < 2 * n; i++)
    points[i] = next(desk) / 4.0;
  return kind == VT_SHAPE_AREA ? vt_roi_new_polygon(NULL, points, n) : vt_roi_new_shape(kind, points, n);
}

static void
draw(Desk *desk, VtRoi *shape)
{
  g_autoptr(VtRoi) owned = shape;
  if (g_list_model_get_n_items(vt_regions_get_list(desk->regions)) < MOST_ITEMS)
    vt_regions_draw(desk->regions, owned);
}

static void
draw_rectangle(Desk *desk)
{
  const double x = next(desk) / 4.0, y = next(desk) / 4.0;
  const double width = 1 + next(desk) / 4.0, height = 1 + next(desk) / 4.0;
  draw(desk, vt_roi_new_rectangle(NULL, x, y, width, height));
}

static void
add_point(Desk *desk)
{
  g_autoptr(GError) error = NULL;
  const gboolean is_new = next(desk) % 2 == 0;
  VtRoiItem *item = is_new ? NULL : pick_item(desk);
  g_autoptr(VtRoi) point = make_shape(desk, VT_SHAPE_POINTS);
  if (!item || vt_roi_item_get_roi(item)->kind == VT_SHAPE_POINTS)
    (void)vt_region_edits_add_point(desk->regions, item, point, &error);
}

static void
combine(Desk *desk)
{
  static const VtRoiSet sets[] = { VT_ROI_UNION, VT_ROI_DIFFERENCE, VT_ROI_INTERSECTION };
  g_autoptr(GError) error = NULL;
  VtRoiItem *item = pick_item(desk);
  const VtRoiSet set = sets[next(desk) % G_N_ELEMENTS(sets)];
  g_autoptr(VtRoi) shape = make_shape(desk, VT_SHAPE_AREA);
  if (item)
    (void)vt_region_edits_combine(desk->regions, item, shape, set, &error);
}

static void
reshape(Desk *desk)
{
  g_autoptr(GError) error = NULL;
  VtRoiItem *item = pick_item(desk);
  if (item)
    (void)vt_region_edits_reshape(desk->regions, item, make_shape(desk, vt_roi_item_get_roi(item)->kind), &error);
}

static void
split(Desk *desk, GPtrArray *items)
{
  g_autoptr(GError) error = NULL;
  VtRoiItem *line = pick_item(desk);
  if (line && vt_roi_item_get_roi(line)->kind == VT_SHAPE_LINE && !g_ptr_array_find(items, line, NULL))
    (void)vt_region_edits_split(desk->regions, items, line, &error);
}

/* As a file of regions is read. */
static void
add_read(Desk *desk)
{
  g_autoptr(GPtrArray) rois = g_ptr_array_new_with_free_func((GDestroyNotify)vt_roi_free);
  for (guint n = next(desk) % 4; n > 0; n--) {
    VtRoi *roi = make_shape(desk, (VtShapeKind)(next(desk) % 3));
    g_free(roi->name);
    roi->name = g_strdup_printf("Read %u", n);
    g_ptr_array_add(rois, roi);
  }
  if (rois->len > 0 && g_list_model_get_n_items(vt_regions_get_list(desk->regions)) < MOST_ITEMS)
    vt_regions_add(desk->regions, rois, TRUE);
}

/* What works on several annotations. */
static void
edit(Desk *desk, guint action)
{
  static const char *const words[] = { "Tumour", "Stroma", "", " ", "ROI 1", "a", "é \" \\", "Tumour: Positive" };
  g_autoptr(GPtrArray) items = pick_items(desk);
  g_autoptr(GError) error = NULL;
  const guint more = next(desk);
  guint n_locked = 0;
  switch (items->len > 0 ? action : G_MAXUINT) {
  case 4: vt_region_edits_set_name(desk->regions, items, words[more % G_N_ELEMENTS(words)]); break;
  case 5: vt_region_edits_set_class(desk->regions, items, words[more % G_N_ELEMENTS(words)]); break;
  case 6: vt_region_edits_set_color(desk->regions, items, (gint32)more * 65793); break;
  case 7: vt_region_edits_set_locked(desk->regions, items, more % 2 == 0); break;
  case 8: vt_region_edits_set_hidden(desk->regions, items, more % 2 == 0); break;
  case 9: (void)vt_region_edits_remove(desk->regions, items, &n_locked); break;
  case 10: (void)vt_region_edits_join(desk->regions, items, &error); break;
  case 11: (void)vt_region_edits_part(desk->regions, items, &error); break;
  case 12: (void)vt_region_edits_simplify(desk->regions, items, more / 16.0, &error); break;
  case 13: split(desk, items); break;
  default: break;
  }
}

static void
add_gate(Desk *desk)
{
  static const char *const texts[] = { "", "\"Nucleus: Area µm^2\" >= 40", "class = \"Tumour\"",
                                       "regions = \"ROI 1\"" };
  g_autoptr(GPtrArray) list = g_ptr_array_new();
  g_autoptr(GError) error = NULL;
  for (guint n = 1 + next(desk) % 3; n > 0; n--)
    g_ptr_array_add(list, (gpointer)texts[next(desk) % G_N_ELEMENTS(texts)]);
  (void)vt_gates_add(desk->gates, NULL, list, &error);
}

static void
change_gate(Desk *desk, guint n, guint at)
{
  static const char *const names[] = { "Gate 1", "Large", "", "Gate 2", "é" };
  g_autoptr(GError) error = NULL;
  const VtGate *old = vt_gates_get(desk->gates)->pdata[at % n];
  const VtGate *parent = vt_gates_get(desk->gates)->pdata[next(desk) % n];
  g_autoptr(VtGate) gate =
    vt_gate_new(names[next(desk) % G_N_ELEMENTS(names)], next(desk) % 2 ? parent->name : old->parent,
                "gates = \"Gate 1\"", (gint32)next(desk) * 257);
  (void)vt_gates_change(desk->gates, at % n, gate, &error);
}

static void
edit_gates(Desk *desk)
{
  const guint what = next(desk) % 6, at = next(desk), n = vt_gates_get(desk->gates)->len;
  switch (what) {
  case 0: vt_gates_set_classes(desk->gates, at % 2 == 0); break;
  case 1: vt_gates_choose(desk->gates, (gint)(at % (n + 1)) - 1); break;
  case 2:
    if (n > 0)
      (void)vt_gates_remove(desk->gates, at % n);
    break;
  case 3:
    if (n > 0)
      change_gate(desk, n, at);
    break;
  default: add_gate(desk); break;
  }
}

static void
edit_settings(Desk *desk)
{
  static const char *const settings[] = { "threshold=0.2", "threshold=0.9", "min-area=12",
                                          "max-area=5",    "max-area=-1",   "largest=40",
                                          "nonsense",      "x=1",           "threshold=NaN" };
  static const char *const ops[] = { FIRST_OP, "nuclei", "distance", "none" };
  g_autoptr(GError) error = NULL;
  const guint more = next(desk);
  if (more % 4 == 0)
    choose_op(desk, ops[more / 4 % G_N_ELEMENTS(ops)]);
  else
    (void)vt_analysis_set_param_text(desk->analysis, settings[more / 4 % G_N_ELEMENTS(settings)], &error);
}

static void
edit_layer(Desk *desk)
{
  GListModel *list = vt_analysis_get_layers(desk->analysis);
  const guint at = next(desk), what = next(desk) % 6, more = next(desk);
  g_autoptr(VtLayer) layer = g_list_model_get_item(list, at % g_list_model_get_n_items(list));
  switch (vt_layer_get_stage(layer) ? what : G_MAXUINT) {
  case 0: vt_layer_set_shown(layer, more % 2 == 0); break;
  case 1: g_object_set(layer, "opacity", more / 255.0, NULL); break;
  case 2: g_object_set(layer, "blend", more % 4, NULL); break;
  case 3: vt_layer_set_range(layer, more % 16, more % 16 + more / 16.0 + 0.5); break;
  case 4: vt_layer_set_threshold(layer, more % 16, more / 8.0); break;
  case 5: (void)vt_analysis_move_layer(desk->analysis, layer, (int)(more % 5) - 2); break;
  default: break;
  }
}

static void
act(Desk *desk)
{
  const guint action = next(desk) % 24;
  switch (action) {
  case 0: draw_rectangle(desk); break;
  case 1: draw(desk, make_shape(desk, VT_SHAPE_AREA)); break;
  case 2: draw(desk, make_shape(desk, VT_SHAPE_LINE)); break;
  case 3: add_point(desk); break;
  case 14: combine(desk); break;
  case 15: reshape(desk); break;
  case 16: vt_undo_undo(desk->undo); break;
  case 17: vt_undo_redo(desk->undo); break;
  case 18: add_read(desk); break;
  case 19: edit_gates(desk); break;
  case 20: edit_settings(desk); break;
  case 21: edit_layer(desk); break;
  case 22: next_event(); break;
  case 23: add_gate(desk); break;
  default: edit(desk, action); break;
  }
}

/* --- what always holds --- */

static guint
count_in_tree(VtRegionTree *tree, GListModel *items, VtRoiItem *parent)
{
  guint n = items ? g_list_model_get_n_items(items) : 0;
  const guint here = n;
  for (guint i = 0; i < here; i++) {
    g_autoptr(VtRoiItem) item = g_list_model_get_item(items, i);
    vt_fuzz_check(vt_region_tree_get_parent(tree, item) == parent, "a parent", vt_roi_item_get_roi(item)->name);
    n += count_in_tree(tree, vt_region_tree_get_children(tree, item), item);
  }
  return n;
}

static void
check_lists(Desk *desk)
{
  GListModel *list = vt_regions_get_list(desk->regions);
  VtRegionTree *tree = vt_regions_get_tree(desk->regions);
  const guint n = g_list_model_get_n_items(list);
  guint n_areas = 0;
  for (guint i = 0; i < n; i++) {
    g_autoptr(VtRoiItem) item = g_list_model_get_item(list, i);
    const VtRoi *roi = vt_roi_item_get_roi(item);
    n_areas += roi->kind == VT_SHAPE_AREA;
    vt_fuzz_check(roi->name && *roi->name && roi->points->len > 0, "an annotation", roi->name);
  }
  vt_fuzz_check(n_areas == g_list_model_get_n_items(vt_regions_get_areas(desk->regions)), "the areas", NULL);
  vt_fuzz_check(n == count_in_tree(tree, vt_region_tree_get_roots(tree), NULL), "the tree", NULL);
  vt_fuzz_check(vt_regions_get_n_unsaved(desk->regions) <= n, "unsaved regions", NULL);
  vt_fuzz_check(vt_gate_list_check(vt_gates_get(desk->gates), NULL), "the gates", NULL);
  vt_fuzz_check(vt_undo_can_undo(desk->undo) == (vt_undo_get_title(desk->undo) != NULL), "a title", NULL);
  vt_fuzz_check(vt_undo_can_redo(desk->undo) == (vt_undo_get_redo_title(desk->undo) != NULL), "a title", NULL);
}

static void
check_equal(Desk *desk, const char *state, const char *what)
{
  g_autofree char *now = dup_state(desk);
  if (strcmp(now, state) != 0)
    fprintf(stderr, "%s\n--- and not\n%s\n", now, state);
  vt_fuzz_check(strcmp(now, state) == 0, what, NULL);
}

/* The last step, back and forth. */
static void
check_last(Desk *desk)
{
  if (!vt_undo_can_undo(desk->undo) || vt_undo_can_redo(desk->undo))
    return;
  g_autofree char *state = dup_state(desk);
  vt_undo_undo(desk->undo);
  check_lists(desk);
  vt_undo_redo(desk->undo);
  check_equal(desk, state, "a step that is taken back and made again");
}

static void
check_all(Desk *desk, const char *first)
{
  guint n = 0, again = 0;
  while (vt_undo_can_redo(desk->undo))
    vt_undo_redo(desk->undo);
  g_autofree char *last = dup_state(desk);
  for (; vt_undo_can_undo(desk->undo); n++)
    vt_undo_undo(desk->undo);
  check_lists(desk);
  check_equal(desk, first, "all steps are taken back");
  for (; vt_undo_can_redo(desk->undo); again++)
    vt_undo_redo(desk->undo);
  check_lists(desk);
  vt_fuzz_check(n == again, "the number of steps", NULL);
  check_equal(desk, last, "all steps are made again");
}

/* What is read of a session into another view is what was written. */
static void
check_session(Desk *desk)
{
  g_autoptr(GError) error = NULL;
  g_autofree char *text = dup_session(desk);
  g_autoptr(VtSessionFile) session = vt_session_file_parse(text, "fuzz", &error);
  vt_fuzz_check(session != NULL, "a session cannot be read", error ? error->message : NULL);
  const VtSessionView *view = ((const VtSessionTab *)session->tabs->pdata[0])->views->pdata[0];
  g_autoptr(GPtrArray) items = g_ptr_array_new_with_free_func(g_object_unref);
  g_autoptr(GPtrArray) gates = g_ptr_array_new_with_free_func((GDestroyNotify)vt_gate_unref);
  for (guint i = 0; i < view->regions->len; i++)
    g_ptr_array_add(items, vt_roi_item_new(vt_session_region_dup_roi(view->regions->pdata[i])));
  for (guint i = 0; i < view->gates->len; i++) {
    const VtSessionGate *gate = view->gates->pdata[i];
    g_ptr_array_add(gates, vt_gate_new(gate->name, gate->parent, gate->text, vt_roi_parse_color(gate->color)));
  }
  Desk other;
  desk_init(&other, NULL, 0);
  vt_regions_restore(other.regions, items);
  vt_fuzz_check(vt_gates_restore(other.gates, gates, &error), "gates of a session", error ? error->message : NULL);
  vt_gates_restore_classes(other.gates, view->is_classed_by_gates);
  const VtSessionAnalysis *analysis = view->analyses->len > 0 ? view->analyses->pdata[0] : NULL;
  if (analysis)
    choose_op(&other, analysis->op);
  for (guint i = 0; analysis && i < analysis->settings->len; i++)
    vt_fuzz_check(vt_analysis_set_param_text(other.analysis, analysis->settings->pdata[i], &error), "a setting",
                  analysis->settings->pdata[i]);
  g_autofree char *back = dup_session(&other);
  if (strcmp(text, back) != 0)
    fprintf(stderr, "%s\n--- and not\n%s\n", back, text);
  vt_fuzz_check(strcmp(text, back) == 0, "a session comes back as another", NULL);
  desk_clear(&other);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  Desk desk;
  g_log_set_always_fatal(G_LOG_LEVEL_CRITICAL | G_LOG_LEVEL_WARNING | G_LOG_FATAL_MASK);
  if (g_getenv("VITRAIL_TEST_PLUGIN"))
    g_setenv("VITRAIL_PLUGIN_PATH", g_getenv("VITRAIL_TEST_PLUGIN"), TRUE);
  g_setenv("VITRAIL_PLUGIN_WORKER", "no", TRUE);
  desk_init(&desk, data, size);
  g_autofree char *first = dup_state(&desk);
  for (guint i = 0; i < MOST_ACTIONS && desk.at < desk.end; i++) {
    act(&desk);
    check_lists(&desk);
    check_last(&desk);
  }
  next_event();
  check_all(&desk, first);
  check_session(&desk);
  desk_clear(&desk);
  return 0;
}
