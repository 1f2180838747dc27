/* SPDX-License-Identifier: MIT
 *
 * Regions of a view: undo brings names and places back, whatever was done; which are saved and which are stale. */
#include <math.h>
#include <string.h>

#include "analysis/vt-region-edits.h"
#include "base/vt-define.h"

static void
draw(VtRegions *regions, double x_l0, double y_l0, double width_l0, double height_l0)
{
  g_autoptr(VtRoi) shape = vt_roi_new_rectangle(NULL, x_l0, y_l0, width_l0, height_l0);
  vt_regions_draw(regions, shape);
}

static char *
dup_names(VtRegions *regions)
{
  GListModel *list = vt_regions_get_list(regions);
  GString *names = g_string_new(NULL);
  for (guint i = 0; i < g_list_model_get_n_items(list); i++) {
    g_autoptr(VtRoiItem) item = g_list_model_get_item(list, i);
    const VtRoi *roi = vt_roi_item_get_roi(item);
    g_string_append_printf(names, "%s%s", i > 0 ? "," : "", roi->name);
    if (roi->class_name)
      g_string_append_printf(names, ":%s", roi->class_name);
    if (roi->is_locked)
      g_string_append(names, "!");
    if (roi->points->len != 8)
      g_string_append_printf(names, "(%u)", roi->points->len / 2);
  }
  return g_string_free(names, FALSE);
}

static void
assert_names(VtRegions *regions, const char *wanted)
{
  g_autofree char *names = dup_names(regions);
  g_assert_cmpstr(names, ==, wanted);
}

static guint
remove_at(VtRegions *regions, const guint *positions, guint n)
{
  g_autoptr(GPtrArray) items = g_ptr_array_new_with_free_func(g_object_unref);
  for (guint i = 0; i < n; i++)
    g_ptr_array_add(items, g_list_model_get_item(vt_regions_get_list(regions), positions[i]));
  return vt_regions_remove(regions, items);
}

static guint
count_areas(VtRegions *regions)
{
  return g_list_model_get_n_items(vt_regions_get_areas(regions));
}

/* They are annotations as the others are, but no part of what works on areas. */
static void
test_lines_and_points(void)
{
  g_autoptr(VtRegions) regions = vt_regions_new();
  g_autoptr(GError) error = NULL;
  g_autoptr(VtRoi) line = vt_roi_new_shape(VT_SHAPE_LINE, (const double[]){ 0, 0, 3, 4, 6, 0 }, 3);
  g_autoptr(VtRoi) point = vt_roi_new_shape(VT_SHAPE_POINTS, (const double[]){ 7, 8 }, 1);
  g_autoptr(VtRoi) box = vt_roi_new_rectangle(NULL, 0, 0, 5, 5);
  VtRoiItem *cut = vt_regions_draw(regions, line);
  draw(regions, 0, 0, 5, 5);
  VtRoiItem *points = vt_region_edits_add_point(regions, NULL, point, &error);
  for (int i = 0; i < 2; i++)
    g_assert_true(vt_region_edits_add_point(regions, points, point, &error) == points);
  assert_names(regions, "Line 1(3),ROI 2,Points 3(3)");
  g_assert_cmpuint(count_areas(regions), ==, 1);
  g_assert_false(vt_region_edits_combine(regions, cut, box, VT_ROI_UNION, &error));
  g_assert_nonnull(strstr(error->message, "no area"));
  g_clear_error(&error);
  g_autoptr(GPtrArray) items = g_ptr_array_new();
  g_ptr_array_add(items, points);
  vt_region_edits_set_locked(regions, items, TRUE);
  g_assert_null(vt_region_edits_add_point(regions, points, point, &error));
  g_assert_nonnull(strstr(error->message, "locked"));
  for (int i = 0; i < 2; i++)
    vt_undo_undo(vt_regions_get_undo(regions));
  assert_names(regions, "Line 1(3),ROI 2,Points 3(2)");
  for (int i = 0; i < 4; i++)
    vt_undo_undo(vt_regions_get_undo(regions));
  g_assert_cmpuint(count_areas(regions), ==, 0);
  for (int i = 0; i < 6; i++)
    vt_undo_redo(vt_regions_get_undo(regions));
  assert_names(regions, "Line 1(3),ROI 2,Points 3!(3)");
  g_assert_cmpuint(count_areas(regions), ==, 1);
}

static void
test_undo(void)
{
  g_autoptr(VtRegions) regions = vt_regions_new();
  g_assert_false(vt_undo_can_undo(vt_regions_get_undo(regions)));
  for (int i = 0; i < 5; i++)
    draw(regions, 10 * i, 0, 5, 5);
  g_assert_cmpuint(remove_at(regions, (const guint[]){ 3, 0, 1 }, 3), ==, 3);
  assert_names(regions, "ROI 3,ROI 5");
  vt_undo_undo(vt_regions_get_undo(regions));
  assert_names(regions, "ROI 1,ROI 2,ROI 3,ROI 4,ROI 5");
  vt_undo_redo(vt_regions_get_undo(regions));
  assert_names(regions, "ROI 3,ROI 5");
  draw(regions, 0, 0, 1, 1);
  assert_names(regions, "ROI 3,ROI 5,ROI 6");
  g_assert_false(vt_undo_can_redo(vt_regions_get_undo(regions)));
  vt_undo_undo(vt_regions_get_undo(regions));
  vt_undo_undo(vt_regions_get_undo(regions));
  assert_names(regions, "ROI 1,ROI 2,ROI 3,ROI 4,ROI 5");
  g_autoptr(GPtrArray) none = g_ptr_array_new();
  g_assert_cmpuint(vt_regions_remove(regions, none), ==, 0);
  g_assert_true(vt_undo_can_redo(vt_regions_get_undo(regions))); /* nothing was done */
  vt_regions_clear(regions);
  g_assert_false(vt_undo_can_undo(vt_regions_get_undo(regions)) || vt_undo_can_redo(vt_regions_get_undo(regions)));
  draw(regions, 0, 0, 1, 1);
  assert_names(regions, "ROI 1");
}

static GPtrArray *
list_at(VtRegions *regions, const guint *positions, guint n)
{
  GPtrArray *items = g_ptr_array_new_with_free_func(g_object_unref);
  for (guint i = 0; i < n; i++)
    g_ptr_array_add(items, g_list_model_get_item(vt_regions_get_list(regions), positions[i]));
  return items;
}

static void
change_at_random(VtRegions *regions, GRand *rand, const guint *positions)
{
  static const char *const words[] = { "Tumor", "Stroma", "", "Necrosis" };
  g_autoptr(GPtrArray) items = list_at(regions, positions, 1);
  const VtRoi *roi = vt_roi_item_get_roi(items->pdata[0]);
  g_autoptr(VtRoi) shape = vt_roi_new_rectangle(NULL, g_rand_int_range(rand, 0, 3000), 1, 2, 1);
  switch (g_rand_int_range(rand, 0, 4)) {
  case 0: vt_region_edits_set_class(regions, items, words[g_rand_int_range(rand, 0, G_N_ELEMENTS(words))]); break;
  case 1: vt_region_edits_set_name(regions, items, words[g_rand_int_range(rand, 0, G_N_ELEMENTS(words))]); break;
  case 2: vt_region_edits_set_locked(regions, items, !roi->is_locked); break;
  default: vt_region_edits_combine(regions, items->pdata[0], shape, VT_ROI_UNION, NULL);
  }
}

static void
count_steps(guint *n)
{
  (*n)++;
}

/* Any steps back and forth give the list that was there after as many steps. */
static void
test_random_steps(void)
{
  g_autoptr(GRand) rand = g_rand_new_with_seed(13);
  g_autoptr(VtRegions) regions = vt_regions_new();
  g_autoptr(GPtrArray) states = g_ptr_array_new_with_free_func(g_free);
  guint at = 0, n_steps = 0;
  g_signal_connect_swapped(regions, "changed", G_CALLBACK(count_steps), &n_steps);
  g_ptr_array_add(states, dup_names(regions));
  for (int i = 0; i < 3000; i++) {
    const guint n = g_list_model_get_n_items(vt_regions_get_list(regions));
    const int what = g_rand_int_range(rand, 0, 5);
    const guint n_before = n_steps;
    if (what == 0 && at > 0) {
      vt_undo_undo(vt_regions_get_undo(regions));
      at--;
    } else if (what == 1 && at + 1 < states->len) {
      vt_undo_redo(vt_regions_get_undo(regions));
      at++;
    } else if (what >= 2) {
      guint positions[3] = { 0 };
      for (guint k = 0; k < 3 && n > 0; k++)
        positions[k] = (guint)g_rand_int_range(rand, 0, (int)n);
      if (what == 2 || n == 0)
        draw(regions, i, 0, 5, 5);
      else if (what == 3)
        change_at_random(regions, rand, positions);
      else
        remove_at(regions, positions, (guint)g_rand_int_range(rand, 1, 4));
      if (n_steps == n_before) /* nothing was another: no step */
        continue;
      g_ptr_array_set_size(states, (int)++at);
      g_ptr_array_add(states, dup_names(regions));
    }
    assert_names(regions, g_ptr_array_index(states, at));
    g_assert_cmpint(vt_undo_can_undo(vt_regions_get_undo(regions)), ==, at > 0);
    g_assert_cmpint(vt_undo_can_redo(vt_regions_get_undo(regions)), ==, at + 1 < states->len);
  }
}

static void
assert_not_done(gboolean done, GError **error)
{
  g_assert_false(done);
  g_assert_nonnull(*error);
}

/* Several become one where the first of them was, and a region of several pieces becomes several; each is one step. */
static void
test_outlines(void)
{
  static const double ragged[] = { 0, 200, 50, 200.4, 100, 200, 100, 300, 0, 300 };
  g_autoptr(VtRegions) regions = vt_regions_new();
  for (int i = 0; i < 5; i++)
    draw(regions, 40 * i, 0, 20, 20);
  g_autoptr(GPtrArray) one = list_at(regions, (const guint[]){ 1 }, 1),
                       three = list_at(regions, (const guint[]){ 1, 2, 4 }, 3);
  g_autoptr(GError) too_few = NULL, whole = NULL, locked = NULL, plain = NULL;
  assert_not_done(vt_region_edits_join(regions, one, &too_few), &too_few);
  assert_not_done(vt_region_edits_part(regions, one, &whole) > 0, &whole);
  assert_not_done(vt_region_edits_simplify(regions, one, 1, &plain) > 0, &plain);
  vt_region_edits_set_class(regions, one, "Tumor");
  g_assert_true(vt_region_edits_join(regions, three, NULL));
  assert_names(regions, "ROI 1,ROI 2:Tumor(12),ROI 4");
  vt_undo_undo(vt_regions_get_undo(regions));
  assert_names(regions, "ROI 1,ROI 2:Tumor,ROI 3,ROI 4,ROI 5");
  vt_undo_redo(vt_regions_get_undo(regions));
  g_autoptr(GPtrArray) joined = list_at(regions, (const guint[]){ 1 }, 1);
  g_assert_cmpuint(vt_region_edits_part(regions, joined, NULL), ==, 3);
  assert_names(regions, "ROI 1,ROI 2 · 1:Tumor,ROI 2 · 2:Tumor,ROI 2 · 3:Tumor,ROI 4");
  vt_undo_undo(vt_regions_get_undo(regions));
  vt_region_edits_set_locked(regions, joined, TRUE);
  assert_not_done(vt_region_edits_part(regions, joined, &locked) > 0, &locked);
  g_autoptr(VtRoi) shape = vt_roi_new_polygon(NULL, ragged, 5);
  g_autoptr(GPtrArray) drawn = g_ptr_array_new();
  g_ptr_array_add(drawn, vt_regions_draw(regions, shape));
  g_assert_cmpuint(vt_region_edits_simplify(regions, drawn, 1, NULL), ==, 1);
  assert_names(regions, "ROI 1,ROI 2:Tumor!(12),ROI 4,ROI 6");
}

static void
test_shapes(void)
{
  static const double triangle[] = { 0, 0, 10, 0, 0, 10 };
  g_autoptr(VtRegions) regions = vt_regions_new();
  g_autoptr(VtRoi) shape = vt_roi_new_polygon("ROI 1", triangle, 3);
  vt_regions_draw(regions, shape);
  g_autoptr(VtRoiItem) item = g_list_model_get_item(vt_regions_get_list(regions), 0);
  g_assert_true(vt_roi_equal(vt_roi_item_get_roi(item), shape));
  vt_undo_undo(vt_regions_get_undo(regions));
  assert_names(regions, "");
  vt_undo_redo(vt_regions_get_undo(regions));
  assert_names(regions, "ROI 1(3)");
}

static void
add_gone(VtRegions *regions, guint n, guint *sum)
{
  *sum += n;
}

/* "1+0": which of the regions have measurements. */
static char *
dup_measured(VtRegions *regions)
{
  GString *words = g_string_new(NULL);
  VT_EACH_ITEM (VtRoiItem, item, vt_regions_get_list(regions))
    g_string_append_c(words, vt_roi_item_get_roi(item)->measured ? '1' : '0');
  return g_string_free(words, FALSE);
}

static void
assert_measured(VtRegions *regions, const char *wanted)
{
  g_autofree char *words = dup_measured(regions);
  g_assert_cmpstr(words, ==, wanted);
}

/* What a file says of outlines goes with them, and comes back with them. */
static void
test_measured(void)
{
  g_autoptr(VtRegions) regions = vt_regions_new();
  g_autoptr(GPtrArray) rois = g_ptr_array_new_with_free_func((GDestroyNotify)vt_roi_free);
  guint n_gone = 0;
  const VtMeasuredNumber number = { g_ref_string_new_intern("Area"), 2 };
  for (int i = 0; i < 3; i++) {
    VtRoi *roi = vt_roi_new_rectangle("a", 20 * i, 0, 10, 10);
    roi->measured = vt_measured_new(&number, 1);
    g_ptr_array_add(rois, roi);
  }
  g_ref_string_release(number.name);
  g_signal_connect(regions, "measurements-gone", G_CALLBACK(add_gone), &n_gone);
  vt_regions_add(regions, rois, TRUE);
  assert_measured(regions, "111");
  g_autoptr(GPtrArray) first = list_at(regions, (const guint[]){ 0 }, 1);
  vt_region_edits_set_name(regions, first, "b");
  vt_region_edits_set_class(regions, first, "Tumor");
  assert_measured(regions, "111");
  g_assert_cmpuint(n_gone, ==, 0);
  VtRoi *moved = vt_roi_copy(vt_roi_item_get_roi(first->pdata[0])); /* as a hand on a corner makes it */
  g_array_index(moved->points, double, 0) -= 1;
  g_assert_true(vt_region_edits_reshape(regions, first->pdata[0], moved, NULL));
  assert_measured(regions, "011");
  g_assert_cmpuint(n_gone, ==, 1);
  vt_undo_undo(vt_regions_get_undo(regions));
  assert_measured(regions, "111");
  vt_undo_redo(vt_regions_get_undo(regions));
  assert_measured(regions, "011");
  g_autoptr(VtRoi) both = vt_roi_new_rectangle(NULL, 25, 5, 40, 40);
  g_autoptr(GPtrArray) others = list_at(regions, (const guint[]){ 1, 2 }, 2);
  g_assert_true(vt_region_edits_combine(regions, others->pdata[0], both, VT_ROI_UNION, NULL));
  assert_measured(regions, "001");
  vt_undo_undo(vt_regions_get_undo(regions));
  g_assert_true(vt_region_edits_join(regions, others, NULL));
  assert_measured(regions, "00");
  g_assert_cmpuint(n_gone, ==, 1 + 1 + 2);
  vt_undo_undo(vt_regions_get_undo(regions));
  assert_measured(regions, "011");
  g_autoptr(GPtrArray) gone = list_at(regions, (const guint[]){ 1 }, 1);
  vt_regions_remove(regions, gone);
  vt_undo_undo(vt_regions_get_undo(regions));
  assert_measured(regions, "011");
  g_assert_cmpuint(n_gone, ==, 4);
}

static void
test_saved(void)
{
  g_autoptr(VtRegions) regions = vt_regions_new();
  draw(regions, 0, 0, 5, 5);
  draw(regions, 0, 0, 5, 5);
  g_assert_cmpuint(vt_regions_get_n_unsaved(regions), ==, 2);
  g_autoptr(VtRoiItem) item = g_list_model_get_item(vt_regions_get_list(regions), 0);
  vt_roi_item_set_saved(item, TRUE);
  g_assert_cmpuint(vt_regions_get_n_unsaved(regions), ==, 1);
  remove_at(regions, (const guint[]){ 0, 1 }, 2);
  g_assert_cmpuint(vt_regions_get_n_unsaved(regions), ==, 0);
  vt_undo_undo(vt_regions_get_undo(regions));
  g_assert_cmpuint(vt_regions_get_n_unsaved(regions), ==, 1);
}

static void
count(guint *n)
{
  (*n)++;
}

static void
test_stale(void)
{
  static const VitrailParam levels = {
    .size = sizeof levels, .type = VITRAIL_PARAM_INT, .key = "levels", .min = 2, .max = 256, .initial = { 32 }
  };
  static const VitrailParam *const list[] = { &levels };
  static const VitrailOp op = { .size = sizeof op, .id = "op", .n_params = 1, .params = list };
  guint n_changes = 0;
  double two = 2;
  const VtRow row = { .label = (char *)"A", .n_values = 1, .values = &two };
  g_autoptr(VtParams) then = vt_params_new(&op, TRUE);
  g_autoptr(VtParams) now = vt_params_new(&op, TRUE);
  g_autoptr(VtRoiItem) item = vt_roi_item_new(vt_roi_new_rectangle("A", 0, 0, 1, 1));
  g_assert_true(vt_params_set(now, 0, (const double[4]){ 8 }, NULL));
  g_signal_connect_swapped(item, "changed", G_CALLBACK(count), &n_changes);
  vt_roi_item_compare(item, now);
  g_assert_false(vt_roi_item_get_stale(item)); /* there is nothing to be stale */
  vt_roi_item_set_row(item, &row, then);
  vt_roi_item_compare(item, now);
  g_assert_true(vt_roi_item_get_stale(item));
  g_assert_cmpfloat(vt_roi_item_get_value(item, 0), ==, 2);
  vt_roi_item_compare(item, then);
  g_assert_false(vt_roi_item_get_stale(item));
  g_assert_cmpuint(n_changes, ==, 3);
}

static void
test_add(void)
{
  g_autoptr(VtRegions) regions = vt_regions_new();
  g_autoptr(GPtrArray) rois = g_ptr_array_new_with_free_func((GDestroyNotify)vt_roi_free);
  draw(regions, 0, 0, 5, 5);
  g_ptr_array_add(rois, vt_roi_new_rectangle("a", 0, 0, 1.5, 1));
  g_ptr_array_add(rois, vt_roi_new_rectangle("b", 0, 0, 1, 1));
  vt_regions_add(regions, rois, TRUE);
  g_assert_cmpuint(rois->len, ==, 0);
  assert_names(regions, "ROI 1,a,b");
  g_assert_cmpuint(vt_regions_get_n_unsaved(regions), ==, 1); /* a file has the others */
  vt_undo_undo(vt_regions_get_undo(regions));
  assert_names(regions, "ROI 1");
  vt_undo_redo(vt_regions_get_undo(regions));
  assert_names(regions, "ROI 1,a,b");
}

static void
test_looks(void)
{
  g_autoptr(VtRegions) regions = vt_regions_new();
  for (int i = 0; i < 3; i++)
    draw(regions, 10 * i, 0, 5, 5);
  g_autoptr(GPtrArray) first = list_at(regions, (const guint[]){ 0 }, 1);
  g_autoptr(GPtrArray) others = list_at(regions, (const guint[]){ 1, 2 }, 2);
  const guint n_steps = 5;
  vt_region_edits_set_class(regions, first, " Tumor ");
  vt_region_edits_set_class(regions, others, "Tumor");
  const gint32 color = vt_roi_item_get_roi(first->pdata[0])->color;
  g_assert_cmpint(color, !=, VT_ROI_NO_COLOR);
  g_assert_cmpint(vt_roi_item_get_roi(others->pdata[1])->color, ==, color);
  vt_region_edits_set_color(regions, first, 0x123456); /* of the class */
  g_assert_cmpint(vt_roi_item_get_roi(others->pdata[1])->color, ==, 0x123456);
  vt_region_edits_set_name(regions, first, "  "); /* none: nothing is done */
  vt_region_edits_set_name(regions, first, "margin");
  vt_region_edits_set_locked(regions, others, TRUE);
  assert_names(regions, "margin:Tumor,ROI 2:Tumor!,ROI 3:Tumor!");
  for (guint i = 0; i < n_steps; i++)
    vt_undo_undo(vt_regions_get_undo(regions));
  assert_names(regions, "ROI 1,ROI 2,ROI 3");
  g_assert_cmpint(vt_roi_item_get_roi(first->pdata[0])->color, ==, VT_ROI_NO_COLOR);
  for (guint i = 0; i < n_steps; i++)
    vt_undo_redo(vt_regions_get_undo(regions));
  assert_names(regions, "margin:Tumor,ROI 2:Tumor!,ROI 3:Tumor!");
  guint n_locked;
  g_autoptr(GPtrArray) all = list_at(regions, (const guint[]){ 0, 1, 2 }, 3);
  g_assert_cmpuint(vt_region_edits_remove(regions, all, &n_locked), ==, 1);
  g_assert_cmpuint(n_locked, ==, 2);
  assert_names(regions, "ROI 2:Tumor!,ROI 3:Tumor!");
}

static void
assert_refused(VtRegions *regions, VtRoiItem *item, const VtRoi *shape, VtRoiSet how, const char *has)
{
  g_autoptr(GError) error = NULL;
  g_assert_false(vt_region_edits_combine(regions, item, shape, how, &error));
  g_assert_nonnull(strstr(error->message, has));
}

static void
test_combine(void)
{
  g_autoptr(VtRegions) regions = vt_regions_new();
  draw(regions, 0, 0, 10, 10);
  g_autoptr(GPtrArray) items = list_at(regions, (const guint[]){ 0 }, 1);
  VtRoiItem *item = items->pdata[0];
  g_autoptr(VtRoi) hole = vt_roi_new_rectangle(NULL, 2, 2, 3, 3), beside = vt_roi_new_rectangle(NULL, 20, 0, 5, 5);
  g_autoptr(VtRoi) round = vt_roi_new_rectangle(NULL, -1, -1, 30, 30);
  vt_roi_item_set_saved(item, TRUE);
  vt_roi_item_set_measures(item, (const double[]){ 100 }, 1);
  g_assert_true(vt_region_edits_combine(regions, item, hole, VT_ROI_DIFFERENCE, NULL));
  g_assert_cmpfloat(vt_roi_get_area(vt_roi_item_get_roi(item)), ==, 91);
  g_assert_true(isnan(vt_roi_item_get_measure(item, 0)) && !vt_roi_item_get_saved(item));
  assert_refused(regions, item, beside, VT_ROI_DIFFERENCE, "outside");
  assert_refused(regions, item, round, VT_ROI_DIFFERENCE, "would be left");
  g_assert_true(vt_region_edits_combine(regions, item, beside, VT_ROI_UNION, NULL));
  assert_refused(regions, item, beside, VT_ROI_UNION, "already");
  assert_names(regions, "ROI 1(12)");
  vt_region_edits_set_locked(regions, items, TRUE);
  assert_refused(regions, item, hole, VT_ROI_UNION, "locked");
  for (int i = 0; i < 3; i++)
    vt_undo_undo(vt_regions_get_undo(regions));
  assert_names(regions, "ROI 1");
  g_assert_true(vt_roi_item_get_saved(item)); /* as it is in its file again */
}

static VtRoiItem *
draw_line(VtRegions *regions, const double *points, guint n)
{
  g_autoptr(VtRoi) line = vt_roi_new_shape(VT_SHAPE_LINE, points, n);
  return vt_regions_draw(regions, line);
}

static void
assert_not_split(VtRegions *regions, GPtrArray *items, VtRoiItem *line, const char *has)
{
  g_autoptr(GError) error = NULL;
  g_assert_cmpuint(vt_region_edits_split(regions, items, line, &error), ==, 0);
  g_assert_nonnull(strstr(error->message, has));
}

static double
get_area_at(VtRegions *regions, guint position)
{
  g_autoptr(VtRoiItem) item = g_list_model_get_item(vt_regions_get_list(regions), position);
  return vt_roi_get_area(vt_roi_item_get_roi(item));
}

/* A hole that the line cuts, and one that it does not, stay exact; it is one step, with the line. */
static void
test_split(void)
{
  g_autoptr(VtRegions) regions = vt_regions_new();
  g_autoptr(GPtrArray) none = g_ptr_array_new();
  draw(regions, 0, 0, 40, 40);
  draw(regions, 100, 0, 10, 10);
  g_autoptr(GPtrArray) items = list_at(regions, (const guint[]){ 0 }, 1),
                       both = list_at(regions, (const guint[]){ 0, 1 }, 2);
  g_autoptr(VtRoi) cut_hole = vt_roi_new_rectangle(NULL, 10, 10, 20, 20), hole = vt_roi_new_rectangle(NULL, 2, 2, 5, 5);
  g_assert_true(vt_region_edits_combine(regions, items->pdata[0], cut_hole, VT_ROI_DIFFERENCE, NULL));
  g_assert_true(vt_region_edits_combine(regions, items->pdata[0], hole, VT_ROI_DIFFERENCE, NULL));
  vt_region_edits_set_class(regions, items, "Tumor");
  VtRoiItem *beside = draw_line(regions, (const double[]){ 0, 50, 60, 50 }, 2);
  assert_not_split(regions, none, beside, "divides no region");
  VtRoiItem *line = draw_line(regions, (const double[]){ -5, 20, 45, 20 }, 2);
  assert_not_split(regions, both, line, "each of the selected");
  assert_not_split(regions, none, items->pdata[0], "no line");
  assert_names(regions, "ROI 1:Tumor(12),ROI 2,Line 3(2),Line 4(2)");
  g_autoptr(GError) error = NULL;
  g_assert_cmpuint(vt_region_edits_split(regions, none, line, &error), ==, 2);
  g_assert_no_error(error);
  assert_names(regions, "ROI 1 · 1:Tumor(12),ROI 1 · 2:Tumor(8),ROI 2,Line 3(2)");
  g_assert_cmpfloat(get_area_at(regions, 0), ==, 800 - 200 - 25);
  g_assert_cmpfloat(get_area_at(regions, 1), ==, 800 - 200);
  g_assert_cmpstr(vt_undo_get_title(vt_regions_get_undo(regions)), ==, "ROI 1, Line 4 became ROI 1 · 1, ROI 1 · 2");
  vt_undo_undo(vt_regions_get_undo(regions));
  assert_names(regions, "ROI 1:Tumor(12),ROI 2,Line 3(2),Line 4(2)");
  VtRoiItem *far = draw_line(regions, (const double[]){ -5, 5, 145, 5 }, 2);
  assert_not_split(regions, none, far, "divides 2 regions");
  vt_region_edits_set_locked(regions, items, TRUE);
  assert_not_split(regions, none, line, "locked");
}

/* --- steps of something else --- */

static char *shown = NULL;

static void
exchange(gpointer owner, gpointer data, gboolean back)
{
  char **other = data, *before = shown;
  shown = *other;
  *other = before;
}

static void
free_other(gpointer data)
{
  g_free(*(char **)data);
  g_free(data);
}

static void
show_other(VtRegions *regions, const char *text)
{
  char **other = g_new(char *, 1);
  *other = g_strdup(text);
  vt_undo_do(vt_regions_get_undo(regions), g_strdup(text), regions, exchange, other, free_other);
}

static void
test_others(void)
{
  g_autoptr(VtRegions) regions = vt_regions_new();
  shown = g_strdup("a");
  show_other(regions, "b");
  draw(regions, 0, 0, 1, 1);
  show_other(regions, "c");
  g_assert_cmpstr(shown, ==, "c");
  vt_undo_undo(vt_regions_get_undo(regions));
  g_assert_cmpstr(shown, ==, "b");
  assert_names(regions, "ROI 1");
  vt_undo_undo(vt_regions_get_undo(regions));
  vt_undo_undo(vt_regions_get_undo(regions));
  g_assert_cmpstr(shown, ==, "a");
  assert_names(regions, "");
  for (int i = 0; i < 3; i++)
    vt_undo_redo(vt_regions_get_undo(regions));
  g_assert_cmpstr(shown, ==, "c");
  vt_undo_undo(vt_regions_get_undo(regions));
  show_other(regions, "d");
  g_assert_true(g_str_equal(shown, "d") && !vt_undo_can_redo(vt_regions_get_undo(regions)));
  g_clear_pointer(&shown, g_free);
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/regions/undo", test_undo);
  g_test_add_func("/regions/lines-and-points", test_lines_and_points);
  g_test_add_func("/regions/random-steps", test_random_steps);
  g_test_add_func("/regions/shapes", test_shapes);
  g_test_add_func("/regions/add", test_add);
  g_test_add_func("/regions/outlines", test_outlines);
  g_test_add_func("/regions/looks", test_looks);
  g_test_add_func("/regions/split", test_split);
  g_test_add_func("/regions/combine", test_combine);
  g_test_add_func("/regions/measured", test_measured);
  g_test_add_func("/regions/saved", test_saved);
  g_test_add_func("/regions/stale", test_stale);
  g_test_add_func("/regions/others", test_others);
  return g_test_run();
}
