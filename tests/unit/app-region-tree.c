/* SPDX-License-Identifier: MIT
 *
 * The tree of annotations: whatever is drawn, moved, deleted, undone or restored, it is that of the outlines. */
#include "analysis/vt-region-edits.h"
#include "analysis/vt-region-tiles.h"
#include "base/vt-define.h"

static void
draw(VtRegions *regions, double x_l0, double y_l0, double width_l0, double height_l0)
{
  g_autoptr(VtRoi) shape = vt_roi_new_rectangle(NULL, x_l0, y_l0, width_l0, height_l0);
  vt_regions_draw(regions, shape);
}

static void
draw_line(VtRegions *regions, const double *points, guint n)
{
  g_autoptr(VtRoi) line = vt_roi_new_shape(VT_SHAPE_LINE, points, n);
  vt_regions_draw(regions, line);
}

static void
remove_at(VtRegions *regions, guint position)
{
  g_autoptr(GPtrArray) items = g_ptr_array_new_with_free_func(g_object_unref);
  g_ptr_array_add(items, g_list_model_get_item(vt_regions_get_list(regions), position));
  vt_regions_remove(regions, items);
}

/* "ROI 1(ROI 2,ROI 3(ROI 4)),ROI 5". */
static void
append_tree(VtRegionTree *tree, GListModel *items, GString *text)
{
  for (guint i = 0; items && i < g_list_model_get_n_items(items); i++) {
    g_autoptr(VtRoiItem) item = g_list_model_get_item(items, i);
    GListModel *children = vt_region_tree_get_children(tree, item);
    g_string_append_printf(text, "%s%s%s", i > 0 ? "," : "", vt_roi_item_get_roi(item)->name, children ? "(" : "");
    append_tree(tree, children, text);
    g_string_append(text, children ? ")" : "");
    for (guint k = 0; children && k < g_list_model_get_n_items(children); k++) {
      g_autoptr(VtRoiItem) child = g_list_model_get_item(children, k);
      g_assert_true(vt_region_tree_get_parent(tree, child) == item);
    }
  }
}

static void
assert_tree(VtRegions *regions, const char *wanted)
{
  g_autoptr(GString) text = g_string_new(NULL);
  VtRegionTree *tree = vt_regions_get_tree(regions);
  append_tree(tree, vt_region_tree_get_roots(tree), text);
  g_assert_cmpstr(text->str, ==, wanted);
}

static void
reshape(VtRegions *regions, guint position, double x, double y, double width, double height)
{
  g_autoptr(VtRoiItem) item = g_list_model_get_item(vt_regions_get_list(regions), position);
  g_assert_true(vt_region_edits_reshape(regions, item, vt_roi_new_rectangle(NULL, x, y, width, height), NULL));
}

/* It follows what is drawn, moved, deleted, undone, and what a session brings, in whichever order. */
static void
test_tree(void)
{
  g_autoptr(VtRegions) regions = vt_regions_new();
  draw(regions, 10, 10, 5, 5);
  assert_tree(regions, "ROI 1");
  draw(regions, 100, 0, 5, 5);
  draw(regions, 0, 0, 50, 50); /* round what was there before it */
  assert_tree(regions, "ROI 2,ROI 3(ROI 1)");
  draw(regions, 8, 8, 20, 20);
  draw_line(regions, (const double[]){ 11, 11, 12, 12 }, 2);
  draw(regions, 40, 40, 20, 5); /* half outside */
  assert_tree(regions, "ROI 2,ROI 3(ROI 4(ROI 1(Line 5))),ROI 6");
  reshape(regions, 1, 30, 0, 5, 5);
  assert_tree(regions, "ROI 3(ROI 2,ROI 4(ROI 1(Line 5))),ROI 6");
  reshape(regions, 3, 200, 200, 20, 20); /* what lay in it stays where it is */
  assert_tree(regions, "ROI 3(ROI 1(Line 5),ROI 2),ROI 4,ROI 6");
  vt_undo_undo(vt_regions_get_undo(regions));
  assert_tree(regions, "ROI 3(ROI 2,ROI 4(ROI 1(Line 5))),ROI 6");
  remove_at(regions, 3);
  assert_tree(regions, "ROI 3(ROI 1(Line 5),ROI 2),ROI 6");
  remove_at(regions, 2);
  assert_tree(regions, "ROI 1(Line 5),ROI 2,ROI 6");
  for (int i = 0; i < 2; i++)
    vt_undo_undo(vt_regions_get_undo(regions));
  assert_tree(regions, "ROI 3(ROI 2,ROI 4(ROI 1(Line 5))),ROI 6");
  g_autoptr(VtRegions) restored = vt_regions_new(); /* as a session does it */
  g_autoptr(GPtrArray) items = g_ptr_array_new_with_free_func(g_object_unref);
  VT_EACH_ITEM (VtRoiItem, item, vt_regions_get_list(regions))
    g_ptr_array_add(items, vt_roi_item_new(vt_roi_copy(vt_roi_item_get_roi(item))));
  vt_regions_restore(restored, items);
  while (g_main_context_iteration(NULL, FALSE)) {
  }
  assert_tree(restored, "ROI 3(ROI 2,ROI 4(ROI 1(Line 5))),ROI 6");
  vt_regions_clear(regions);
  assert_tree(regions, "");
}

/* However it came about it is that of the outlines. */
static void
test_tree_of_random_steps(void)
{
  g_autoptr(GRand) rand = g_rand_new_with_seed(11);
  g_autoptr(VtRegions) regions = vt_regions_new();
  VtRegionTree *tree = vt_regions_get_tree(regions);
  for (int turn = 0; turn < 300; turn++) {
    const guint n = g_list_model_get_n_items(vt_regions_get_list(regions)), what = g_rand_int_range(rand, 0, 5);
    const double x = g_rand_int_range(rand, 0, 30), y = g_rand_int_range(rand, 0, 30);
    const double width = g_rand_int_range(rand, 1, 30), height = g_rand_int_range(rand, 1, 30);
    const guint position = n > 0 ? (guint)g_rand_int_range(rand, 0, (gint)n) : 0;
    if (n < 5 || what == 0)
      draw(regions, x, y, width, height);
    else if (what == 1)
      remove_at(regions, position);
    else if (what == 2)
      reshape(regions, position, x, y, width, height);
    else
      (what == 3 ? vt_undo_undo : vt_undo_redo)(vt_regions_get_undo(regions));
    g_autoptr(VtRegionTree) anew = vt_region_tree_new(vt_regions_get_list(regions));
    g_autoptr(GString) text = g_string_new(NULL), wanted = g_string_new(NULL);
    append_tree(tree, vt_region_tree_get_roots(tree), text);
    append_tree(anew, vt_region_tree_get_roots(anew), wanted);
    g_assert_cmpstr(text->str, ==, wanted->str);
  }
}

static void
count_change(GListModel *list, guint position, guint n_removed, guint n_added, guint *n_changes)
{
  (*n_changes)++;
}

static char *
dup_names(VtRegions *regions)
{
  g_autoptr(GString) names = g_string_new(NULL);
  VT_EACH_ITEM (VtRoiItem, item, vt_regions_get_list(regions))
    g_string_append_printf(names, "%s,", vt_roi_item_get_roi(item)->name);
  return g_string_free(g_steal_pointer(&names), FALSE);
}

/* Tiles come, and those that go from between others come back, in one step each, of which the list tells once a row. */
static void
test_tiles(void)
{
  g_autoptr(VtRegions) regions = vt_regions_new();
  g_autoptr(GError) error = NULL;
  g_autoptr(GPtrArray) items = g_ptr_array_new_with_free_func(g_object_unref);
  g_autoptr(VtRoi) within = vt_roi_new_rectangle(NULL, 3, 5, 100, 50), all = vt_roi_new_rectangle(NULL, 0, 0, 1e4, 1e4);
  guint n_changes = 0;
  draw(regions, 33, 25, 10, 10); /* columns from 3, rows from 5 on */
  g_autoptr(VtRoiItem) like = g_list_model_get_item(vt_regions_get_list(regions), 0);
  g_signal_connect(vt_regions_get_list(regions), "items-changed", G_CALLBACK(count_change), &n_changes);
  g_assert_cmpuint(vt_region_tiles_add(regions, like, within, &error), ==, 49);
  g_assert_cmpuint(n_changes, ==, 1);
  VT_EACH_ITEM (VtRoiItem, item, vt_regions_get_list(regions)) {
    g_assert_true(vt_roi_covers(within, vt_roi_item_get_roi(item)));
    if (item != like)
      g_assert_false(vt_rois_overlap(vt_roi_item_get_roi(like), vt_roi_item_get_roi(item)));
  }
  g_autofree char *before = dup_names(regions);
  for (guint i = 1; i < 50; i++)
    if (i % 3 != 0)
      g_ptr_array_add(items, g_list_model_get_item(vt_regions_get_list(regions), i));
  g_assert_cmpuint(vt_regions_remove(regions, items), ==, items->len);
  vt_undo_undo(vt_regions_get_undo(regions));
  g_autofree char *after = dup_names(regions);
  g_assert_cmpstr(after, ==, before);
  g_assert_cmpuint(n_changes, ==, 1 + 2 * 17);
  g_assert_cmpuint(vt_region_tiles_add(regions, like, all, &error), ==, 0); /* a million */
  g_assert_error(error, VT_ERROR, VITRAIL_BAD_ARGUMENT);
  g_clear_error(&error);
  g_assert_cmpuint(vt_region_tiles_add(regions, like, vt_roi_item_get_roi(like), &error), ==, 0); /* no room */
  g_assert_error(error, VT_ERROR, VITRAIL_BAD_ARGUMENT);
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/region-tree/steps", test_tree);
  g_test_add_func("/region-tree/random-steps", test_tree_of_random_steps);
  g_test_add_func("/region-tree/tiles", test_tiles);
  return g_test_run();
}
