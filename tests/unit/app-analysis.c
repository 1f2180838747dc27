/* SPDX-License-Identifier: MIT
 *
 * When the analysis runs and what it shows, with the real plugin on the demo slide, without a window.
 * usage: app-analysis DEMO-SLIDE-GENERATOR */
#include <glib/gstdio.h>
#include <string.h>

#include "app-support.h"
#include "analysis/vt-analysis.h"
#include "analysis/vt-texture.h"
#include "plugins/vt-plugin-host.h"
#include "layers/vt-roi-item.h"

typedef struct {
  VtAnalysis *analysis;
  GListStore *rois;
  gboolean told_running; /* what the last notification said */
  guint n_starts, n_finished;
  char *sentence; /* of the last failure */
} Desk;

static void
on_running(Desk *desk)
{
  desk->told_running = vt_analysis_get_running(desk->analysis);
  desk->n_starts += desk->told_running;
}

static void
on_finished(Desk *desk)
{
  desk->n_finished++;
}

static void
on_failed(Desk *desk, const char *sentence)
{
  g_free(desk->sentence);
  desk->sentence = g_strdup(sentence);
}

static VtViewport
make_view(double x_l0, double y_l0, double downsample)
{
  return (VtViewport){
    .width_px = 1200, .height_px = 1200, .centre_x_l0 = x_l0, .centre_y_l0 = y_l0, .downsample = downsample
  };
}

static void
set_view(Desk *desk, double x_l0, double y_l0, double downsample)
{
  const VtViewport view = make_view(x_l0, y_l0, downsample);
  vt_analysis_set_view(desk->analysis, &view, FALSE);
}

static Desk *
desk_new(void)
{
  const VitrailPlugin *plugin = NULL;
  Desk *desk = g_new0(Desk, 1);
  g_autoptr(VtSlide) slide = vt_slide_open(slide_path, NULL);
  const VitrailOp *op = vt_plugin_host_find_op(vt_plugin_host_get(), "nuclei-threshold", &plugin);
  g_assert_nonnull(slide);
  g_assert_nonnull(op);
  desk->rois = g_list_store_new(VT_TYPE_ROI_ITEM);
  desk->analysis = vt_analysis_new(G_LIST_MODEL(desk->rois));
  g_signal_connect_swapped(desk->analysis, "notify::running", G_CALLBACK(on_running), desk);
  g_signal_connect_swapped(desk->analysis, "finished", G_CALLBACK(on_finished), desk);
  g_signal_connect_swapped(desk->analysis, "failed", G_CALLBACK(on_failed), desk);
  vt_analysis_set_slide(desk->analysis, slide);
  vt_analysis_set_op(desk->analysis, plugin, op);
  set_view(desk, 1024, 1024, 1);
  return desk;
}

static void
desk_free(Desk *desk)
{
  g_object_unref(desk->analysis);
  g_object_unref(desk->rois);
  g_free(desk->sentence);
  g_free(desk);
}
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Desk, desk_free)

static gboolean
pass(gpointer data)
{
  *(gboolean *)data = TRUE;
  return G_SOURCE_REMOVE;
}

/* All that is on its way has come to an end, also what only begins when a view has settled. */
static void
wait_idle(Desk *desk)
{
  const gint64 end = g_get_monotonic_time() + WAIT_S * G_USEC_PER_SEC;
  do {
    gboolean passed = FALSE;
    while (vt_analysis_get_running(desk->analysis) && g_get_monotonic_time() < end)
      g_main_context_iteration(NULL, TRUE);
    g_timeout_add(300, pass, &passed);
    while (!passed)
      g_main_context_iteration(NULL, TRUE);
  } while (vt_analysis_get_running(desk->analysis));
  g_assert_cmpint(g_get_monotonic_time(), <, end);
}

static void
wait_start(Desk *desk)
{
  const guint n = desk->n_starts;
  while (desk->n_starts == n)
    g_main_context_iteration(NULL, TRUE);
}

static void
switch_layers_off(Desk *desk)
{
  GListModel *layers = vt_analysis_get_layers(desk->analysis);
  for (guint i = 0; i < g_list_model_get_n_items(layers); i++) {
    g_autoptr(VtLayer) layer = g_list_model_get_item(layers, i);
    vt_layer_set_shown(layer, FALSE);
  }
}

/* What is visible asks for a first look: all layers go off while it is made, so nothing is left to work out. */
static void
test_layers_off(void)
{
  g_autoptr(Desk) desk = desk_new();
  vt_analysis_set_live(desk->analysis, TRUE);
  wait_start(desk);
  switch_layers_off(desk);
  wait_idle(desk);
  g_assert_null(vt_analysis_get_result(desk->analysis));
  g_assert_false(desk->told_running);
  g_assert_cmpuint(desk->n_starts, ==, 1);
}

/* Run goes on with what it was asked for, wherever the view goes meanwhile, and says when it is through. */
static void
test_view_leaves(void)
{
  g_autoptr(Desk) desk = desk_new();
  vt_analysis_run(desk->analysis);
  g_assert_true(vt_analysis_get_running(desk->analysis));
  set_view(desk, -90000, -90000, 1);
  wait_idle(desk);
  g_assert_false(desk->told_running);
  g_assert_null(vt_analysis_dup_caution(desk->analysis));
  g_assert_cmpuint(desk->n_finished, ==, 1);
  g_assert_cmpint(vt_analysis_get_result(desk->analysis)->x_l0, ==, 1024 - 600);
  vt_analysis_run(desk->analysis);
  g_assert_false(vt_analysis_get_running(desk->analysis));
  g_assert_nonnull(strstr(desk->sentence, "nothing of the slide"));
}

/* Live at low power is a preview, and says so; Run is what was asked for, and stays while the view moves inside it. */
static void
test_preview(void)
{
  g_autoptr(Desk) desk = desk_new();
  set_view(desk, 1024, 1024, 4);
  vt_analysis_set_live(desk->analysis, TRUE);
  wait_idle(desk);
  g_autofree char *caution = vt_analysis_dup_caution(desk->analysis);
  g_assert_cmpstr(caution, ==, "Preview at 2 µm/px, asked for 0.5");
  const guint n_pieces = vt_analysis_get_result(desk->analysis)->objects->len;
  JsonObject *record = json_node_get_object(vt_analysis_get_result(desk->analysis)->record);
  g_assert_cmpuint(json_array_get_length(json_object_get_array_member(record, "warnings")), >, 0);
  vt_analysis_run(desk->analysis);
  set_view(desk, 1000, 1000, 2);
  g_assert_true(vt_analysis_get_running(desk->analysis));
  wait_idle(desk);
  g_assert_null(vt_analysis_dup_caution(desk->analysis));
  g_assert_cmpuint(vt_analysis_get_result(desk->analysis)->objects->len, >, n_pieces);
  const guint n_starts = desk->n_starts;
  set_view(desk, 1024, 900, 3);
  wait_idle(desk);
  g_assert_cmpuint(desk->n_starts, ==, n_starts);
  g_autoptr(GError) error = NULL;
  g_assert_true(vt_analysis_set_param_text(desk->analysis, "threshold=0.2", &error));
  wait_idle(desk);
  g_autofree char *again = vt_analysis_dup_caution(desk->analysis);
  g_assert_cmpstr(again, ==, "Preview at 1.5 µm/px, asked for 0.5");
}

static guint
wait_busy(Desk *desk)
{
  guint n_told = 0;
  while (vt_analysis_get_running(desk->analysis)) {
    g_main_context_iteration(NULL, TRUE);
    n_told += vt_analysis_get_busy(desk->analysis);
  }
  return n_told;
}

/* Run is told at once. A live run is when nothing new has come for a while, and then until it ends, also when another one takes its place. */
static void
test_busy(void)
{
  g_autoptr(Desk) desk = desk_new();
  g_autoptr(GError) error = NULL;
  vt_analysis_run(desk->analysis);
  g_assert_true(vt_analysis_get_busy(desk->analysis));
  g_free(vt_analysis_dup_progress(desk->analysis));
  wait_idle(desk);
  g_assert_false(vt_analysis_get_busy(desk->analysis));
  vt_analysis_set_live(desk->analysis, TRUE);
  wait_idle(desk);
  g_assert_true(vt_analysis_set_param_text(desk->analysis, "threshold=0.2", &error));
  g_assert_true(vt_analysis_get_running(desk->analysis));
  g_assert_false(vt_analysis_get_busy(desk->analysis));
  g_assert_null(vt_analysis_dup_progress(desk->analysis));
  g_usleep(400 * 1000); /* as if it took so long: nobody has heard of its end yet */
  g_assert_cmpuint(wait_busy(desk), >, 0);
  wait_idle(desk);
  g_assert_false(vt_analysis_get_busy(desk->analysis));
  g_assert_true(vt_analysis_set_param_text(desk->analysis, "threshold=0.1", &error));
  g_usleep(400 * 1000);
  while (!vt_analysis_get_busy(desk->analysis))
    g_main_context_iteration(NULL, TRUE);
  g_assert_true(vt_analysis_set_param_text(desk->analysis, "threshold=0.3", &error));
  g_assert_true(vt_analysis_get_busy(desk->analysis));
  wait_idle(desk);
  g_assert_false(vt_analysis_get_busy(desk->analysis));
}

static void
test_stale(void)
{
  g_autoptr(Desk) desk = desk_new();
  g_autoptr(GError) error = NULL;
  vt_analysis_run(desk->analysis);
  wait_idle(desk);
  g_assert_null(vt_analysis_dup_caution(desk->analysis));
  g_assert_true(vt_analysis_set_param_text(desk->analysis, "threshold=0.2", &error));
  g_autofree char *caution = vt_analysis_dup_caution(desk->analysis);
  g_assert_nonnull(strstr(caution, "Out of date"));
  g_assert_true(vt_analysis_set_param_text(desk->analysis, "threshold=0.1", &error));
  g_assert_null(vt_analysis_dup_caution(desk->analysis));
  set_view(desk, 1100, 1024, 1);
  g_autofree char *partial = vt_analysis_dup_caution(desk->analysis);
  g_assert_cmpstr(partial, ==, "Part of this view was not analysed");
  set_view(desk, 1050, 1024, 0.5);
  g_assert_null(vt_analysis_dup_caution(desk->analysis));
}

static void
add_region(Desk *desk, const char *name, double x_l0, double y_l0)
{
  g_autoptr(VtRoiItem) item = vt_roi_item_new(vt_roi_new_rectangle(name, x_l0, y_l0, 300, 200));
  g_list_store_append(desk->rois, item);
}

static void
test_run_on(void)
{
  g_autoptr(Desk) desk = desk_new();
  vt_analysis_set_run_on(desk->analysis, VT_RUN_ON_REGIONS);
  vt_analysis_run(desk->analysis);
  g_assert_nonnull(strstr(desk->sentence, "no regions"));
  add_region(desk, "A", 700, 500);
  vt_analysis_run(desk->analysis);
  wait_idle(desk);
  const VtResult *result = vt_analysis_get_result(desk->analysis);
  g_assert_cmpint(result->x_l0, ==, 700);
  g_assert_cmpint(result->height_l0, ==, 200);
  set_view(desk, 400, 400, 1); /* it was asked for as a region: that there is more in the view is no surprise */
  g_assert_null(vt_analysis_dup_caution(desk->analysis));
  vt_analysis_set_run_on(desk->analysis, VT_RUN_ON_SLIDE);
  vt_analysis_run(desk->analysis);
  wait_idle(desk);
  result = vt_analysis_get_result(desk->analysis);
  g_assert_cmpint(result->width_l0, ==, 2048);
  g_assert_cmpint(result->height_l0, ==, 2048);
}

static void
assert_caution(Desk *desk, const char *wanted)
{
  g_autofree char *caution = vt_analysis_dup_caution(desk->analysis);
  g_assert_cmpstr(caution, ==, wanted);
}

/* Of a region that was drawn alone: what it has among several is the same. */
static void
assert_same(const VtResult *alone, const VtResult *part)
{
  g_assert_cmpuint(alone->objects->len, ==, part->objects->len);
  g_assert_true(vt_roi_equal(alone->region, part->region));
  for (guint i = 0; i < alone->op->n_stages; i++) {
    const VtRaster *a = alone->rasters[i], *b = part->rasters[i];
    g_assert_true(!a == !b);
    if (a)
      g_assert_cmpmem(a->data, a->stride * (gsize)a->height, b->data, b->stride * (gsize)b->height);
  }
}

static guint
count_lines(const char *dir, const char *file, const char *word)
{
  g_autofree char *path = g_build_filename(dir, file, NULL), *text = NULL;
  guint n = 0;
  g_assert_true(g_file_get_contents(path, &text, NULL, NULL));
  g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
  for (char **line = lines; *line; line++)
    n += strstr(*line, word) != NULL;
  g_unlink(path);
  return n;
}

static void
check_saved(const VtResult *result)
{
  g_autofree char *dir = g_dir_make_tmp("vitrail-regions-XXXXXX", NULL);
  g_autoptr(GError) error = NULL;
  g_autoptr(VtSlide) slide = vt_slide_open(slide_path, NULL);
  const VtResult *second = result->parts->pdata[1];
  JsonObject *record = json_node_get_object(result->record);
  JsonArray *files = json_object_get_array_member(record, "files");
  JsonArray *regions = json_object_get_array_member(record, "regions");
  JsonObject *of_second = json_array_get_object_element(regions, 1);
  g_autoptr(VtFolder) locked = vt_folder_lock(dir, &error);
  g_assert_true(vt_result_save(result, slide, locked, &error));
  g_clear_pointer(&locked, vt_folder_unlock);
  g_assert_cmpint(json_object_get_int_member(record, "objects"), ==, result->objects->len);
  g_assert_false(json_object_has_member(record, "region"));
  g_assert_cmpstr(json_object_get_string_member(of_second, "name"), ==, "B");
  g_assert_cmpint(json_object_get_int_member(of_second, "objects"), ==, second->objects->len);
  g_assert_cmpint(json_array_get_int_element(json_object_get_array_member(of_second, "region"), 0), ==, 1200);
  g_assert_cmpuint(count_lines(dir, "features.csv", ",B,Polygon,"), ==, second->objects->len);
  g_assert_cmpuint(count_lines(dir, "objects.geojson", "\"Region\":\"B\""), ==, second->objects->len);
  g_assert_cmpuint(count_lines(dir, "record.json", "\"overlay-2.png\""), ==,
                   3); /* all files, their contents, its own */
  for (guint i = 0; i < json_array_get_length(files); i++) {
    g_autofree char *path = g_build_filename(dir, json_array_get_string_element(files, i), NULL);
    g_assert_true(g_unlink(path) == 0 || g_str_has_suffix(path, ".csv") || g_str_has_suffix(path, ".geojson"));
  }
  g_assert_cmpint(g_rmdir(dir), ==, 0); /* there was nothing else */
}

/* Regions are analysed in one run, each as if it were alone; one that goes takes the result's truth with it. */
static void
test_regions(void)
{
  g_autoptr(Desk) desk = desk_new();
  vt_analysis_set_run_on(desk->analysis, VT_RUN_ON_REGIONS);
  add_region(desk, "A", 700, 500);
  vt_analysis_run(desk->analysis);
  wait_idle(desk);
  g_autoptr(VtResult) alone = vt_result_ref(vt_analysis_get_result(desk->analysis));
  add_region(desk, "B", 1200, 1100);
  assert_caution(desk, "Not all regions were analysed");
  vt_analysis_run(desk->analysis);
  wait_idle(desk);
  g_autoptr(VtResult) both = vt_result_ref(vt_analysis_get_result(desk->analysis));
  assert_caution(desk, NULL);
  g_assert_cmpuint(both->parts->len, ==, 2);
  assert_same(alone->parts->pdata[0], both->parts->pdata[0]);
  const VtResult *second = both->parts->pdata[1];
  g_assert_cmpuint(both->objects->len, ==, alone->objects->len + second->objects->len);
  g_assert_cmpuint(second->objects->len, >, 0);
  check_saved(both);
  g_autoptr(VtRoiItem) gone = g_list_model_get_item(G_LIST_MODEL(desk->rois), 0);
  g_list_store_remove(desk->rois, 0);
  assert_caution(desk, "Out of date: the parameters or the regions have changed");
  g_list_store_insert(desk->rois, 0, gone);
  assert_caution(desk, NULL);
  add_region(desk, "far away", 5000, 5000);
  vt_analysis_run(desk->analysis);
  g_assert_nonnull(strstr(desk->sentence, "far away"));
}

/* Half of a rectangle has those of its objects whose centroid lies in it. */
static void
test_outline(void)
{
  static const double half[] = { 700, 500, 1000, 500, 700, 700 };
  g_autoptr(Desk) desk = desk_new();
  guint n_inside = 0;
  vt_analysis_set_run_on(desk->analysis, VT_RUN_ON_REGIONS);
  add_region(desk, "A", 700, 500);
  g_autoptr(VtRoiItem) item = vt_roi_item_new(vt_roi_new_polygon("half", half, 3));
  g_list_store_append(desk->rois, item);
  vt_analysis_run(desk->analysis);
  wait_idle(desk);
  const VtResult *both = vt_analysis_get_result(desk->analysis);
  const VtResult *all = both->parts->pdata[0], *inside = both->parts->pdata[1];
  for (guint i = 0; i < all->objects->len; i++) {
    const VtObject *object = all->objects->pdata[i];
    if ((object->centroid_x_l0 - 700) / 300 + (object->centroid_y_l0 - 500) / 200 >= 1)
      continue;
    g_assert_cmpuint(n_inside, <, inside->objects->len);
    g_assert_cmpint(((const VtObject *)inside->objects->pdata[n_inside++])->id, ==, object->id);
  }
  g_assert_cmpuint(n_inside, ==, inside->objects->len);
  g_assert_cmpuint(n_inside, >, 0);
  g_assert_cmpuint(n_inside, <, all->objects->len);
  g_assert_cmpuint(both->objects->len, ==, all->objects->len + n_inside);
  g_assert_cmpint(json_object_get_int_member(json_node_get_object(inside->record), "objects"), ==, n_inside);
  g_assert_cmpuint(inside->warnings->len, ==, all->warnings->len + 1);
}

/* Cancel ends all of them; the error of one names it. */
static void
test_regions_end(void)
{
  g_autoptr(Desk) desk = desk_new();
  vt_analysis_set_run_on(desk->analysis, VT_RUN_ON_REGIONS);
  add_region(desk, "A", 700, 500);
  add_region(desk, "B", 1200, 1100);
  vt_analysis_run(desk->analysis);
  vt_analysis_cancel(desk->analysis);
  wait_idle(desk);
  g_assert_null(vt_analysis_get_result(desk->analysis));
  g_assert_cmpuint(desk->n_finished, ==, 0);
  vt_analysis_set_backend(desk->analysis, "abacus");
  vt_analysis_run(desk->analysis);
  wait_idle(desk);
  g_assert_nonnull(strstr(desk->sentence, "“A”: There is no backend"));
}

/* Where memory does not hold it, it comes through files, and is the same. */
static void
test_streamed(void)
{
  g_autoptr(Desk) desk = desk_new();
  vt_analysis_set_run_on(desk->analysis, VT_RUN_ON_SLIDE);
  GListModel *layers = vt_analysis_get_layers(desk->analysis);
  for (guint i = 1; i < g_list_model_get_n_items(layers); i++) {
    g_autoptr(VtLayer) layer = g_list_model_get_item(layers, i);
    vt_layer_set_shown(layer, g_strcmp0(vt_layer_get_stage(layer)->id, "labels") == 0
                                || vt_layer_get_kind(layer) == VT_LAYER_OBJECTS);
  }
  vt_analysis_run(desk->analysis);
  wait_idle(desk);
  g_autoptr(VtResult) whole = vt_result_ref(vt_analysis_get_result(desk->analysis));
  g_setenv("VITRAIL_RUN_MB", "60", TRUE);
  vt_analysis_run(desk->analysis);
  wait_idle(desk);
  g_unsetenv("VITRAIL_RUN_MB");
  const VtResult *streamed = vt_analysis_get_result(desk->analysis);
  g_assert_cmpuint(streamed->objects->len, ==, whole->objects->len);
  for (guint i = 0; i < whole->op->n_stages; i++) {
    const VtRaster *a = whole->rasters[i], *b = streamed->rasters[i];
    g_assert_true(!a == !b);
    if (a)
      g_assert_true(b->arena && memcmp(a->data, b->data, a->stride * (gsize)a->height) == 0);
  }
}

static void
count_change(guint *n)
{
  (*n)++;
}

/* Of the lens now; NULL: there is none, or it is of another place than the lens. */
static const VtTextureView *
get_answer(VtTexture *texture)
{
  const VtTextureView *view = vt_texture_get_view(texture, VT_TEXTURE_NOW);
  return view && view->lengths && !view->is_making
             && view->box_l0[0] == (double)view->lengths->x * view->lengths->downsample
           ? view
           : NULL;
}

/* Where a run is quicker than a frame a move of the lens comes back with its numbers, and tells once; else they follow. */
static void
test_lens(void)
{
  enum { MOVES = 60 };
  g_autoptr(Desk) desk = desk_new();
  g_autoptr(VtSlide) slide = vt_slide_open(slide_path, NULL);
  g_autoptr(VtTexture) texture = vt_texture_new(desk->analysis);
  guint n = 0, at_once = 0, quick = 0;
  vt_texture_set_slide(texture, slide);
  vt_texture_open(texture);
  vt_texture_set_lens(texture, TRUE, 800, 1000);
  g_signal_connect_swapped(texture, "changed", G_CALLBACK(count_change), &n);
  for (guint i = 0; i < MOVES; i++) {
    while (!get_answer(texture))
      g_main_context_iteration(NULL, TRUE);
    const double before = get_answer(texture)->result->total_ms;
    n = 0;
    vt_texture_move_lens(texture, 810 + 2 * i, 1000);
    g_assert_cmpuint(n, ==, 1);
    at_once += get_answer(texture) != NULL;
    quick += before < 3;
  }
  g_test_message("%u of %u moves, %u of quick runs", at_once, MOVES, quick);
  g_assert_true(quick < MOVES / 2 || at_once > 0);
}

int
main(int argc, char **argv)
{
  begin_with_slide(&argc, &argv, "2048");
  g_test_add_func("/analysis/layers-off", test_layers_off);
  g_test_add_func("/analysis/view-leaves", test_view_leaves);
  g_test_add_func("/analysis/preview", test_preview);
  g_test_add_func("/analysis/busy", test_busy);
  g_test_add_func("/analysis/stale", test_stale);
  g_test_add_func("/analysis/run-on", test_run_on);
  g_test_add_func("/analysis/regions", test_regions);
  g_test_add_func("/analysis/outline", test_outline);
  g_test_add_func("/analysis/regions-end", test_regions_end);
  g_test_add_func("/analysis/streamed", test_streamed);
  g_test_add_func("/analysis/lens", test_lens);
  return end_with_slide(g_test_run());
}
