/* SPDX-License-Identifier: MIT
 *
 * What runs the shown view with other parameters: snapshots, the grid of two, the search, the review, refused candidates; with the real
 * plugin on the demo slide, without a window.
 * usage: app-tuning DEMO-SLIDE-GENERATOR */
#include <glib/gstdio.h>
#include <malloc.h>
#include <math.h>
#include <string.h>

#include "app-support.h"
#include "analysis/vt-corrector.h"
#include "analysis/vt-grid.h"
#include "analysis/vt-refused.h"
#include "analysis/vt-search.h"
#include "analysis/vt-snapshots.h"
#include "base/vt-define.h"
#include "layers/vt-layer-stack.h"
#include "results/vt-correction-measure.h"
#include "layers/vt-roi-item.h"
#include "plugins/vt-plugin-host.h"

/* Under sanitizers a smaller view: they look for wrong memory, not once more for wrong answers. */
#define IS_SHORT (g_getenv("VITRAIL_SANITIZED") != NULL)
#define EDGE_PX (IS_SHORT ? 360 : 500)
#define MEASURED_PX (IS_SHORT ? 300 : 1000)

typedef struct {
  GListStore *rois;
  VtAnalysis *analysis;
  VtReference *reference;
} Desk;

#define N_STEPS 120

static gboolean
is_at_rest(gpointer desk)
{
  const Desk *self = desk;
  return vt_analysis_get_result(self->analysis) && !vt_analysis_get_running(self->analysis);
}

static Desk *
desk_new(const char *setting)
{
  const VitrailPlugin *plugin = NULL;
  Desk *desk = g_new0(Desk, 1);
  g_autoptr(VtSlide) slide = vt_slide_open(slide_path, NULL);
  const VitrailOp *op = vt_plugin_host_find_op(vt_plugin_host_get(), "nuclei-threshold", &plugin);
  const VtViewport view = {
    .width_px = EDGE_PX, .height_px = EDGE_PX, .centre_x_l0 = 1024, .centre_y_l0 = 1024, .downsample = 1
  };
  desk->rois = g_list_store_new(VT_TYPE_ROI_ITEM);
  desk->analysis = vt_analysis_new(G_LIST_MODEL(desk->rois));
  desk->reference = vt_reference_new(desk->analysis);
  vt_analysis_set_slide(desk->analysis, slide);
  vt_analysis_set_op(desk->analysis, plugin, op);
  vt_analysis_set_view(desk->analysis, &view, FALSE);
  if (setting)
    g_assert_true(vt_analysis_set_param_text(desk->analysis, setting, NULL));
  vt_analysis_run(desk->analysis);
  spin_until(is_at_rest, desk);
  g_assert_cmpuint(vt_analysis_get_result(desk->analysis)->objects->len, >, 20);
  return desk;
}

static void
desk_free(Desk *desk)
{
  vt_reference_clear(desk->reference);
  g_object_unref(desk->reference);
  g_object_unref(desk->analysis);
  g_object_unref(desk->rois);
  g_free(desk);
}
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Desk, desk_free)

static void
test_snapshots(void)
{
  g_autoptr(Desk) desk = desk_new(NULL);
  g_autoptr(VtSnapshots) snapshots = vt_snapshots_new(desk->analysis, desk->reference);
  g_autoptr(GError) error = NULL;
  for (guint i = 0; i < VT_SNAPSHOTS_MOST; i++) {
    g_autofree char *text = g_strdup_printf("min-area=%u", i + 1);
    g_assert_true(vt_analysis_set_param_text(desk->analysis, text, NULL));
    g_assert_true(vt_snapshots_keep_present(snapshots, &error));
    g_assert_cmpuint(vt_snapshots_get_n(snapshots), ==, i + 1);
  }
  g_assert_true(vt_snapshots_keep_present(snapshots, &error)); /* the same once more */
  g_assert_cmpuint(vt_snapshots_get_n(snapshots), ==, VT_SNAPSHOTS_MOST);
  g_assert_true(vt_analysis_set_param_text(desk->analysis, "min-area=300", NULL));
  g_assert_false(vt_snapshots_keep_present(snapshots, &error));
  g_assert_nonnull(error);
  vt_snapshots_rename(snapshots, 0, "  one ");
  vt_snapshots_rename(snapshots, 1, "one");
  vt_snapshots_rename(snapshots, 2, " ");
  g_assert_cmpstr(vt_snapshots_get(snapshots, 0)->name, ==, "one");
  g_assert_cmpstr(vt_snapshots_get(snapshots, 1)->name, ==, "one (2)");
  g_assert_nonnull(strstr(vt_snapshots_get(snapshots, 2)->name, "3"));
  g_assert_cmpint(vt_snapshots_get_a(snapshots), ==, -1);
  g_assert_true(vt_snapshots_compare_with(snapshots, 5, NULL));
  g_assert_cmpint(vt_snapshots_get_a(snapshots), ==, 5);
  vt_snapshots_delete(snapshots, 0);
  g_assert_cmpint(vt_snapshots_get_a(snapshots), ==, 4);
}

static gboolean
is_drawn(gpointer grid)
{
  return vt_grid_get_ms(grid) > 0;
}

static void
test_grid(void)
{
  g_autoptr(Desk) desk = desk_new(NULL);
  g_autoptr(VtGrid) grid = vt_grid_new(desk->analysis, desk->reference);
  const VtParams *now = vt_analysis_get_params(desk->analysis);
  const guint params[2] = { (guint)vt_op_find_param(now->op, "threshold"),
                            (guint)vt_op_find_param(now->op, "min-area") };
  guint n_now = 0;
  g_assert_true(vt_grid_start(grid, params, 3, 0.1, NULL));
  spin_until(is_drawn, grid);
  for (guint row = 0; row < vt_grid_get_size(grid, 1); row++)
    for (guint column = 0; column < vt_grid_get_size(grid, 0); column++) {
      const VtGridCell *cell = vt_grid_get_cell(grid, column, row);
      g_assert_true(cell->done && !cell->failed && cell->picture && isnan(cell->f1));
      n_now += cell->is_now;
      if (cell->is_now)
        g_assert_cmpuint(cell->n_objects, ==, vt_analysis_get_result(desk->analysis)->objects->len);
    }
  g_assert_cmpuint(n_now, ==, 1);
  g_assert_true(vt_grid_start(grid, params, 5, 0.04, NULL)); /* and ended on the way */
}

static gboolean
is_found(gpointer search)
{
  return !vt_search_is_running(search);
}

static void
test_search(void)
{
  g_autoptr(Desk) other = desk_new("threshold=0.3"), desk = desk_new(NULL);
  g_autoptr(VtSearch) search = vt_search_new(desk->analysis, desk->reference);
  g_autofree char *path = g_build_filename(folder, "truth.geojson", NULL);
  g_autoptr(GError) error = NULL;
  g_assert_false(vt_search_start(search, 3, &error));
  g_assert_nonnull(error);
  g_assert_true(vt_result_write_geojson(vt_analysis_get_result(other->analysis), path, NULL));
  g_autoptr(VtShapes) shapes = vt_shapes_read(path, NULL, NULL);
  g_assert_true(shapes && vt_reference_take(desk->reference, shapes, NULL));
  g_unlink(path);
  g_autoptr(GArray) scores = g_array_new(FALSE, FALSE, sizeof(double));
  for (guint turn = 0; turn < 2; turn++) {
    g_assert_true(vt_search_start(search, 3, NULL));
    spin_until(is_found, search);
    const gint best = vt_search_get_best(search), second = vt_search_get_runner_up(search);
    for (guint i = 0; i < vt_search_get_n(search); i++) {
      const VtTry *try = vt_search_get(search, i);
      g_assert_false(vt_try_is_better(try, vt_search_get(search, (guint)best)));
      if ((gint)i != best)
        g_assert_false(vt_try_is_better(try, vt_search_get(search, (guint)second)));
      if (turn == 0)
        g_array_append_val(scores, try->f1_70);
      else
        g_assert_true(g_array_index(scores, double, i) == try->f1_70);
    }
    g_assert_cmpuint(vt_search_get_n(search), ==, scores->len);
    g_assert_true(vt_try_is_better(vt_search_get(search, (guint)best), vt_search_get(search, 0)));
  }
  g_autofree char *words = vt_search_dup_words(search);
  g_assert_nonnull(strstr(words, "seed 3"));
}

static const VtColumn *
find_added(const Desk *desk, const char *name)
{
  g_autoptr(VtLayer) layer = vt_layers_dup_objects(vt_analysis_get_layers(desk->analysis));
  const VtColumns *columns = vt_layer_get_columns(layer);
  for (guint k = columns->n_own; k < columns->n; k++)
    if (g_str_equal(vt_columns_get_added(columns, k)->name, name))
      return vt_columns_get_added(columns, k);
  return NULL;
}

static gboolean
has_columns(gpointer desk)
{
  const VtColumn *steps = find_added(desk, VT_REVIEW_STEPS);
  return steps && find_added(desk, VT_REVIEW_ACCEPTED)
         && steps->of == vt_analysis_get_result(((Desk *)desk)->analysis)->objects;
}

static gboolean
has_margins(gpointer desk)
{
  return find_added(desk, VT_REVIEW_MARGIN) != NULL;
}

/* Of each object, in steps of the parameter that flips it. */
static void
check_margins(const Desk *desk, VtReview *review)
{
  const VtParams *params = vt_analysis_get_params(desk->analysis);
  const double *margins = find_added(desk, VT_REVIEW_MARGIN)->values;
  guint n_exact = 0;
  VT_EACH_IN (const VtReviewItem, item, vt_review_get_items(review)) {
    const double margin = margins[item->object], step = params->op->params[item->param]->step;
    g_assert_true(isnan(margin) == isnan(item->exact));
    if (isnan(margin))
      continue;
    n_exact++;
    g_assert_cmpfloat_with_epsilon(margin * step, fabs(item->exact - params->values[item->param][0]), 1e-9);
    g_assert_true(margin <= item->steps && margin > item->steps - 1);
  }
  g_test_message("%u of %u are exact", n_exact, vt_review_get_items(review)->len);
  g_assert_cmpuint(n_exact, >, 0);
}

static void
test_review(void)
{
  g_autoptr(Desk) desk = desk_new(NULL);
  g_autoptr(VtReview) review = vt_review_new(desk->analysis, desk->reference);
  g_assert_true(vt_review_measure(review, NULL));
  spin_until(is_measured, review);
  const GArray *items = vt_review_get_items(review);
  g_assert_cmpuint(items->len, ==, vt_analysis_get_result(desk->analysis)->objects->len);
  for (guint i = 1; i < items->len; i++) {
    const double former = g_array_index(items, VtReviewItem, i - 1).steps,
                 steps = g_array_index(items, VtReviewItem, i).steps;
    g_assert_true(isnan(steps) || former <= steps);
  }
  const VtReviewItem *first = &g_array_index(items, VtReviewItem, 0);
  g_autofree char *words = vt_review_dup_words(review, first);
  g_assert_nonnull(strstr(words, "step"));
  vt_review_judge(review, first->x, first->y, VT_VERDICT_REJECTED);
  vt_review_judge(review, first->x, first->y, VT_VERDICT_ACCEPTED);
  g_assert_cmpuint(vt_review_get_verdicts(review)->len, ==, 1);
  g_assert_true(vt_review_find_verdict(review, first->x, first->y)->verdict == VT_VERDICT_ACCEPTED);
  spin_until(has_columns, desk);
  g_assert_false(vt_review_is_stale(review));
  vt_review_want_exact(review, TRUE);
  spin_until(has_margins, desk);
  check_margins(desk, review);
  g_assert_true(vt_analysis_set_param_text(desk->analysis, "threshold=0.2", NULL));
  vt_analysis_run(desk->analysis);
  spin_until(is_at_rest, desk);
  g_assert_true(vt_review_is_stale(review));
  g_assert_true(vt_review_measure(review, NULL)); /* and ended on the way */
}

/* What needs more than the outline and the pixels that it is measured on. */
static gboolean
is_of_more(const char *name)
{
  return g_str_has_suffix(name, "Score") || strstr(name, "Background") || strstr(name, "Nearest")
         || strstr(name, "Neighbours");
}

/* Of a plugin that can't be asked: of the outline alone. */
static void
expect_shape(const VtResult *result)
{
  g_autoptr(VtCorrectionMeasures) measures = vt_correction_measures_new(result);
  for (guint i = 0; i < result->objects->len; i++) {
    const VtObject *object = result->objects->pdata[i];
    g_autoptr(VtRoi) outline = vt_object_dup_roi(object);
    g_autofree VtObject *again = vt_correction_measures_make(measures, outline, NULL, 1, NULL);
    guint n_shape = 0;
    for (guint k = 0; k < object->n_measurements; k++) {
      const double is = again->measurements[k], was = object->measurements[k];
      n_shape += !isnan(is);
      if (!isnan(is))
        g_assert_cmpfloat_with_epsilon(is, was, 1e-9 * was + 1e-300);
    }
    g_assert_cmpuint(n_shape, ==, 8);
  }
}

static VtResult *
run_for_measures(const char *op_id, const char *const *settings, gint64 edge)
{
  const VitrailPlugin *plugin = NULL;
  g_autoptr(GError) error = NULL;
  const VitrailOp *op = vt_plugin_host_find_op(vt_plugin_host_get(), op_id, &plugin);
  g_assert_nonnull(op);
  g_autoptr(VtRunRequest) request = vt_run_request_new(plugin, op);
  request->params = vt_params_new(op, TRUE);
  request->slide = vt_slide_open(slide_path, NULL);
  request->x_l0 = 701; /* no multiple of a pixel of the grid */
  request->y_l0 = 633;
  request->width_l0 = request->height_l0 = edge;
  for (guint i = 0; settings[i]; i++)
    g_assert_true(vt_params_set_from_string(request->params, settings[i], NULL));
  VtResult *result = vt_run(request, NULL, NULL, NULL, &error);
  g_assert_no_error(error);
  return result;
}

/* Drawn with its own outline, an object has the numbers that the run gave it, bit for bit, or none. */
static guint
expect_same_drawn(const VtResult *run, const VtResult *drawn, guint index)
{
  const VtObject *object = drawn->objects->pdata[index], *before = NULL;
  guint n_same = 0;
  for (guint i = 0; i < run->objects->len && !before; i++) {
    const VtObject *candidate = run->objects->pdata[i];
    if (candidate->n_points == object->n_points
        && memcmp(candidate->points, object->points, 2 * object->n_points * sizeof(double)) == 0)
      before = candidate;
  }
  g_assert_cmpstr(vt_result_get_corrected(drawn, index), ==, "drawn");
  g_assert_nonnull(before);
  g_assert_cmpmem(&object->centroid_x_l0, 16, &before->centroid_x_l0, 16);
  for (guint k = 0; k < object->n_measurements; k++) {
    const double is = object->measurements[k], was = before->measurements[k];
    if (is_of_more(object->measurement_names[k]))
      g_assert_true(isnan(is));
    else if (memcmp(&is, &was, sizeof is) != 0 && !(isnan(is) && isnan(was)))
      g_error("%s of %d: %.17g, not %.17g", object->measurement_names[k], (int)before->id, is, was);
    else
      n_same += !isnan(is);
  }
  return n_same;
}

static void
expect_measures(const char *op_id, const char *const *settings, guint least)
{
  g_autoptr(VtResult) run = run_for_measures(op_id, settings, MEASURED_PX);
  g_autoptr(GPtrArray) corrections = g_ptr_array_new_with_free_func((GDestroyNotify)vt_correction_unref);
  guint n_same = 0;
  if (!settings[0])
    expect_shape(run);
  for (guint i = 0; i < run->objects->len; i++) {
    GPtrArray *after = g_ptr_array_new_with_free_func((GDestroyNotify)vt_roi_free);
    g_ptr_array_add(after, vt_object_dup_roi(run->objects->pdata[i]));
    g_ptr_array_add(corrections, vt_correction_new(VT_CORRECTION_DRAWN, g_ptr_array_new(), after));
  }
  const gint64 start = g_get_monotonic_time();
  g_autoptr(VtResult) drawn = vt_result_correct(run, corrections, NULL);
  g_test_message("%s: %u drawn objects are measured in %.0f ms", op_id, drawn->objects->len,
                 (double)(g_get_monotonic_time() - start) / 1000);
  g_assert_cmpuint(drawn->objects->len, ==, run->objects->len);
  g_assert_cmpuint(run->objects->len, >=, 100);
  for (guint i = 0; i < drawn->objects->len; i++)
    n_same += expect_same_drawn(run, drawn, i);
  const VtObject *first = run->objects->pdata[0];
  g_test_message("%u numbers are the same, of %u objects with %u columns", n_same, drawn->objects->len,
                 first->n_measurements);
  g_assert_cmpuint(n_same, >=, least * drawn->objects->len);
}

static double
get_measurement(const VtObject *object, const char *name)
{
  for (guint i = 0; i < object->n_measurements; i++)
    if (g_str_equal(object->measurement_names[i], name))
      return object->measurements[i];
  g_assert_not_reached();
}

/* An outline that leaves what was analysed is measured as a whole, and said to be cut; over others it has all of its pixels; one that holds no pixel's
 * middle has no numbers. */
static void
test_measures_apart(void)
{
  static const char *const settings[] = { "cell-expansion=5", NULL };
  static const double boxes[][4] = { { 690, 700, 24, 20 }, { 1200, 1100, 60, 50 }, { 1000.1, 900.1, 0.2, 0.2 } };
  g_autoptr(VtResult) run = run_for_measures("nuclei-threshold", settings, 1000);
  g_autoptr(VtCorrectionMeasures) measures = vt_correction_measures_new(run);
  g_autoptr(GPtrArray) round = g_ptr_array_new_with_free_func((GDestroyNotify)vt_roi_free);
  g_assert_cmpfloat(vt_correction_measures_get_reach(measures), ==, 21); /* 5 µm are 10 pixels */
  for (guint i = 0; i < run->objects->len; i++)
    g_ptr_array_add(round, vt_object_dup_roi(run->objects->pdata[i]));
  for (guint i = 0; i < G_N_ELEMENTS(boxes); i++) {
    g_autoptr(VtRoi) roi = vt_roi_new_rectangle(NULL, boxes[i][0], boxes[i][1], boxes[i][2], boxes[i][3]);
    g_autofree VtObject *made = vt_correction_measures_make(measures, roi, round, 1, NULL);
    const double area = get_measurement(made, "Nucleus: Area µm^2"), cell = get_measurement(made, "Cell: Area µm^2");
    g_assert_cmpint(isnan(get_measurement(made, "Nucleus: Hematoxylin OD mean")), ==, i == 2);
    g_assert_cmpint(get_measurement(made, "Nucleus: Touches border") == 1, ==, i == 0);
    if (i < 2)
      g_assert_cmpfloat_with_epsilon(area, boxes[i][2] * boxes[i][3] / 4, 1e-9);
    g_assert_true(i == 2 ? isnan(cell) && isnan(area) : cell >= area);
  }
}

static void
test_measures(void)
{
  static const char *const plain[] = { NULL }, *const all[] = { "cell-expansion=5", "neighbours=yes", NULL };
  expect_measures("nuclei-threshold", plain, 10);
  expect_measures("nuclei-threshold", all, 20);
  expect_measures("nuclei", all, 20);
}

static guint
count_shown(Desk *desk)
{
  return vt_analysis_get_shown(desk->analysis)->objects->len;
}

static gboolean
is_corrected(gpointer data)
{
  Desk *desk = data;
  const VtCorrected *shown = vt_analysis_get_shown(desk->analysis)->corrected;
  return shown && shown->counts[VT_CORRECTION_DELETED] == 1;
}

static gboolean
is_as_run(gpointer data)
{
  Desk *desk = data;
  return vt_analysis_get_shown(desk->analysis) == vt_analysis_get_result(desk->analysis);
}

/* What is shown and exported has the corrections, the run's result has not; another run has them, too. */
static void
test_corrector(void)
{
  g_autoptr(Desk) desk = desk_new(NULL);
  g_autoptr(VtUndo) undo = vt_undo_new();
  g_autoptr(VtCorrector) corrector = vt_corrector_new(desk->analysis, undo);
  g_autoptr(VtLayer) layer = vt_layers_dup_objects(vt_analysis_get_layers(desk->analysis));
  g_autoptr(GError) error = NULL;
  const guint n = count_shown(desk);
  g_assert_false(vt_corrector_delete(corrector, &error));
  g_assert_nonnull(error);
  g_clear_error(&error);
  g_assert_null(vt_corrector_dup_words(corrector));
  vt_layer_select(layer, 3);
  g_assert_false(vt_corrector_join(corrector, NULL));
  g_assert_true(vt_corrector_delete(corrector, &error));
  spin_until(is_corrected, desk);
  g_assert_cmpuint(count_shown(desk), ==, n - 1);
  g_assert_cmpuint(vt_analysis_get_result(desk->analysis)->objects->len, ==, n);
  g_assert_true(vt_analysis_get_corrected(desk->analysis) == vt_analysis_get_shown(desk->analysis));
  g_assert_null(vt_layer_get_selected(layer));
  g_autofree char *words = vt_corrector_dup_words(corrector);
  g_assert_cmpstr(words, ==, "1 deleted by hand");
  g_autoptr(GPtrArray) unsaved = vt_corrector_dup_unsaved(corrector);
  g_assert_cmpuint(unsaved->len, ==, 1);
  vt_corrector_set_saved(corrector, unsaved);
  g_autoptr(GPtrArray) none = vt_corrector_dup_unsaved(corrector);
  g_assert_cmpuint(none->len, ==, 0);
  vt_undo_undo(undo);
  spin_until(is_as_run, desk);
  g_assert_cmpuint(count_shown(desk), ==, n);
  vt_undo_redo(undo);
  spin_until(is_corrected, desk);
  vt_analysis_run(desk->analysis);
  spin_until(is_at_rest, desk);
  g_assert_true(is_corrected(desk));
  g_assert_cmpuint(count_shown(desk), ==, n - 1);
  vt_corrector_clear(corrector);
  spin_until(is_as_run, desk);
}

static gsize
get_heap(void)
{
#ifdef __GLIBC__
  malloc_trim(0);
  return mallinfo2().uordblks;
#else
  return 0;
#endif
}

static guint n_steps;

static gboolean
has_all_steps(gpointer data)
{
  Desk *desk = data;
  const VtCorrected *shown = vt_analysis_get_shown(desk->analysis)->corrected;
  return shown && shown->corrections->len == n_steps;
}

/* Deletes one object after the other, until there are so many steps. */
static void
delete_some(Desk *desk, VtCorrector *corrector, guint n)
{
  g_autoptr(VtLayer) layer = vt_layers_dup_objects(vt_analysis_get_layers(desk->analysis));
  while (n_steps < n) {
    vt_layer_select(layer, vt_analysis_get_shown(desk->analysis)->objects->len - 1);
    g_assert_true(vt_corrector_delete(corrector, NULL));
    n_steps++;
    spin_until(has_all_steps, desk);
  }
}

/* A thousand steps take less than a hundredth of what 100,000 objects do: a step less than an object. */
static void
test_undo_memory(void)
{
  if (!g_getenv("MALLOC_ARENA_MAX") || IS_SHORT) {
    g_test_skip(
      "what is allocated can be counted only with MALLOC_ARENA_MAX=1 and G_SLICE=always-malloc, without sanitizers");
    return;
  }
  g_autoptr(Desk) desk = desk_new(NULL);
  g_autoptr(VtUndo) undo = vt_undo_new();
  g_autoptr(VtCorrector) corrector = vt_corrector_new(desk->analysis, undo);
  const GPtrArray *objects = vt_analysis_get_result(desk->analysis)->objects;
  double object_bytes = 0;
  g_assert_cmpuint(objects->len, >, N_STEPS);
  for (guint i = 0; i < objects->len; i++)
    object_bytes += (double)vt_object_get_bytes(objects->pdata[i]) / objects->len;
  delete_some(desk, corrector, N_STEPS / 2);
  for (guint i = 0; i < 2 * N_STEPS; i++) { /* what grows with the first changes alone has grown */
    (i % 2 ? vt_undo_redo : vt_undo_undo)(undo);
    n_steps = i % 2 ? n_steps + 1 : n_steps - 1;
    spin_until(has_all_steps, desk);
  }
  double step_bytes = INFINITY; /* the least of four: the toolkit may allocate something of its own meanwhile */
  for (guint part = 1; part <= 4; part++) {
    const gsize before = get_heap();
    delete_some(desk, corrector, N_STEPS / 2 + part * N_STEPS / 8);
    step_bytes = MIN(step_bytes, ((double)get_heap() - (double)before) / (N_STEPS / 8));
  }
  g_test_message("a step %.0f bytes, an object %.0f", step_bytes, object_bytes);
  g_assert_cmpfloat(step_bytes, <, object_bytes);
}

static gboolean
is_told(gpointer refused)
{
  return !vt_refused_is_working(refused);
}

static void
test_refused(void)
{
  g_autoptr(Desk) desk = desk_new("max-area=40"), all = desk_new("max-area=1e9");
  g_autoptr(VtRefused) refused = vt_refused_new(desk->analysis, desk->reference);
  const guint param = (guint)vt_op_find_param(vt_analysis_get_op(desk->analysis), "max-area");
  guint n_large = 0;
  g_assert_true(vt_refused_start(refused, NULL));
  spin_until(is_told, refused);
  const GPtrArray *list = vt_refused_get_list(refused), *objects = vt_analysis_get_result(all->analysis)->objects;
  for (guint i = 0; i < objects->len; i++) {
    const VtObject *object = objects->pdata[i];
    for (guint k = 0; k < object->n_measurements; k++)
      n_large += g_str_equal(object->measurement_names[k], "Nucleus: Area µm^2") && object->measurements[k] > 40;
  }
  g_assert_cmpuint(n_large, >, 5);
  g_assert_cmpuint(list->len, >, 2);
  for (guint i = 0; i < list->len; i++) {
    const VtRefusal *refusal = list->pdata[i];
    if (refusal->param == param)
      g_assert_cmpuint(refusal->outlines->len, ==, n_large);
    for (guint k = 0; k < refusal->outlines->len; k++)
      g_assert_cmpint(((const VtDifference *)refusal->outlines->pdata[k])->fate, ==, VT_FATE_NEW);
  }
  vt_refused_stop(refused);
  g_assert_cmpuint(vt_refused_get_list(refused)->len, ==, 0);
}

int
main(int argc, char **argv)
{
  begin_with_slide(&argc, &argv, "2048");
  g_test_add_func("/tuning/snapshots", test_snapshots);
  g_test_add_func("/tuning/grid", test_grid);
  g_test_add_func("/tuning/search", test_search);
  g_test_add_func("/tuning/review", test_review);
  g_test_add_func("/tuning/corrector", test_corrector);
  g_test_add_func("/tuning/undo-memory", test_undo_memory);
  g_test_add_func("/tuning/refused", test_refused);
  g_test_add_func("/tuning/measures", test_measures);
  g_test_add_func("/tuning/measures-apart", test_measures_apart);
  return end_with_slide(g_test_run());
}
