/* SPDX-License-Identifier: MIT
 *
 * One map for the layers of a stage in several views: taken, followed, joined later, let go of; other stages keep theirs. */
#include <math.h>

#include "layers/vt-shared-map.h"

static const VitrailStage distance = { .size = sizeof distance,
                                       .id = "distance",
                                       .title = "Distance",
                                       .colormap = "viridis",
                                       .kind = VITRAIL_STAGE_SCALAR,
                                       .display_min = 0,
                                       .display_max = 10 };
static const VitrailStage other = { .size = sizeof other,
                                    .id = "other",
                                    .title = "Other",
                                    .colormap = "gray",
                                    .kind = VITRAIL_STAGE_SCALAR,
                                    .display_min = 0,
                                    .display_max = 1 };
static const VitrailStage *const stages[] = { &distance, &other };
static const VitrailOp op = { .size = sizeof op, .id = "test", .n_stages = 2, .stages = stages };

static VtLayer *
make_layer(guint stage)
{
  VtLayer *layer = vt_layer_new_stage(&op, stage);
  vt_shared_map_follow(layer);
  return layer;
}

static void
assert_map(VtLayer *layer, VtColormap map, double min, double max)
{
  const VtColoring *coloring = vt_layer_get_coloring(layer);
  g_assert_cmpint(coloring->map, ==, map);
  g_assert_true(coloring->min == min && coloring->max == max);
}

static void
test_shared(void)
{
  g_autoptr(VtLayer) a = make_layer(0);
  g_autoptr(VtLayer) b = make_layer(0);
  g_autoptr(VtLayer) apart = make_layer(1);
  vt_layer_set_range(a, 2, 5);
  g_object_set(a, "colormap", VT_COLORMAP_MAGMA, NULL);
  g_assert_cmpuint(vt_shared_map_count(a), ==, 0);
  vt_shared_map_set(a, TRUE);
  assert_map(b, VT_COLORMAP_MAGMA, 2, 5);
  g_assert_true(vt_shared_map_get(b) && !vt_shared_map_get(apart));
  g_assert_cmpuint(vt_shared_map_count(b), ==, 2);
  vt_layer_set_range(b, 1, 8); /* a change of one is a change of all */
  assert_map(a, VT_COLORMAP_MAGMA, 1, 8);
  g_object_set(b, "colormap", VT_COLORMAP_CIVIDIS, NULL);
  assert_map(a, VT_COLORMAP_CIVIDIS, 1, 8);
  vt_layer_set_threshold(a, 3, INFINITY);
  g_assert_true(vt_layer_get_coloring(b)->shown_min == 3);
  g_assert_true(vt_layer_get_coloring(apart)->max == 1 && vt_layer_get_coloring(apart)->shown_min == -INFINITY);
  VtLayer *late = make_layer(0); /* of a slide that is opened later */
  assert_map(late, VT_COLORMAP_CIVIDIS, 1, 8);
  g_assert_cmpuint(vt_shared_map_count(a), ==, 3);
  g_object_unref(late);
  g_assert_cmpuint(vt_shared_map_count(a), ==, 2);
  vt_shared_map_set(b, FALSE);
  vt_layer_set_range(a, 0, 1);
  assert_map(b, VT_COLORMAP_CIVIDIS, 1, 8);
  g_assert_false(vt_shared_map_get(a));
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/shared-map/shared", test_shared);
  return g_test_run();
}
