/* SPDX-License-Identifier: MIT
 *
 * Regions put together by GEOS against what their definitions say of each point: rings that cross, holes, parts; areas in unit squares. */
#include <math.h>

#include "run/vt-roi-sets.h"

#define SIDE 16

/* Of the points that are asked, in their unit squares. */
#define OFF_X 0.5123
#define OFF_Y 0.4871

static VtRoi *
make_random(GRand *rand, guint n_rings, gboolean of_boxes)
{
  VtRoi *roi = vt_roi_new("a");
  for (guint ring = 0; ring < n_rings; ring++) {
    double p[14];
    guint32 n = of_boxes ? 4 : (guint32)g_rand_int_range(rand, 3, 8);
    for (guint32 i = 0; i < 2 * n; i++)
      p[i] = g_rand_int_range(rand, 0, SIDE + 1);
    if (of_boxes) {
      const double box[] = { p[0], p[1], p[2], p[1], p[2], p[3], p[0], p[3] };
      memcpy(p, box, sizeof box);
    }
    g_array_append_vals(roi->points, p, 2 * n);
    g_array_append_val(roi->ring_sizes, n);
  }
  return roi;
}

static void
assert_valid(const VtRoi *roi)
{
  g_autofree guint8 *is_hole = g_new0(guint8, roi->ring_sizes->len);
  const double *p = (const double *)(gpointer)roi->points->data;
  for (guint i = 0; i < roi->ring_sizes->len; i++) {
    const guint32 n = g_array_index(roi->ring_sizes, guint32, i);
    is_hole[i] = vt_ring_get_turn(p, n) < 0;
    g_assert_cmpfloat(vt_ring_get_turn(p, n), !=, 0);
    p += 2 * n;
  }
  g_assert_false(is_hole[0]);
  g_assert_true(vt_roi_is_plain(roi, is_hole));
}

/* So near to an edge that the grid of the corners may decide. */
static gboolean
is_on_edge(const VtRoi *roi, double x, double y)
{
  const double *p = (const double *)(gpointer)roi->points->data;
  for (guint ring = 0; ring < roi->ring_sizes->len; ring++) {
    const guint32 n = g_array_index(roi->ring_sizes, guint32, ring);
    for (guint32 i = 0, last = n - 1; i < n; last = i++) {
      const double dx = p[2 * i] - p[2 * last], dy = p[2 * i + 1] - p[2 * last + 1], square = dx * dx + dy * dy;
      const double t = square > 0 ? ((x - p[2 * last]) * dx + (y - p[2 * last + 1]) * dy) / square : 0;
      const double part = CLAMP(t, 0, 1);
      if (hypot(p[2 * last] + part * dx - x, p[2 * last + 1] + part * dy - y) < 1.0 / 128)
        return TRUE;
    }
    p += 2 * n;
  }
  return FALSE;
}

static gboolean
is_in(const VtRoi *roi, double x, double y)
{
  return roi && vt_roi_contains(roi, x, y);
}

static void
assert_combined(const VtRoi *a, const VtRoi *b, VtRoiSet how)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(VtRoi) both = vt_roi_combine(a, b, how, &error);
  g_assert_no_error(error);
  if (both)
    assert_valid(both);
  for (int y = 0; y < SIDE; y++)
    for (int x = 0; x < SIDE; x++) {
      const double at_x = x + OFF_X, at_y = y + OFF_Y;
      const gboolean in_a = is_in(a, at_x, at_y), in_b = is_in(b, at_x, at_y);
      if (is_on_edge(a, at_x, at_y) || is_on_edge(b, at_x, at_y))
        continue;
      g_assert_cmpint(is_in(both, at_x, at_y), ==,
                      how == VT_ROI_UNION        ? in_a || in_b
                      : how == VT_ROI_DIFFERENCE ? in_a && !in_b
                                                 : in_a && in_b);
    }
}

static void
test_combine(void)
{
  g_autoptr(GRand) rand = g_rand_new_with_seed(5);
  for (int i = 0; i < 400; i++) {
    g_autoptr(VtRoi) a = make_random(rand, (guint)g_rand_int_range(rand, 1, 4), i % 2);
    g_autoptr(VtRoi) b = make_random(rand, (guint)g_rand_int_range(rand, 1, 4), i % 3 == 0);
    assert_combined(a, b, VT_ROI_UNION);
    assert_combined(a, b, VT_ROI_DIFFERENCE);
    assert_combined(a, b, VT_ROI_INTERSECTION);
  }
}

static void
test_areas(void)
{
  g_autoptr(GRand) rand = g_rand_new_with_seed(6);
  for (int i = 0; i < 400; i++) {
    g_autoptr(VtRoi) a = make_random(rand, (guint)g_rand_int_range(rand, 1, 4), TRUE);
    g_autoptr(VtRoi) b = make_random(rand, (guint)g_rand_int_range(rand, 1, 4), TRUE);
    g_autoptr(GPtrArray) pair = g_ptr_array_new();
    int n_a = 0, n_b = 0, n_both = 0;
    for (int y = 0; y < SIDE; y++)
      for (int x = 0; x < SIDE; x++) {
        const gboolean in_a = is_in(a, x + 0.5, y + 0.5), in_b = is_in(b, x + 0.5, y + 0.5);
        n_a += in_a;
        n_b += in_b;
        n_both += in_a && in_b;
      }
    g_ptr_array_add(pair, a);
    g_ptr_array_add(pair, b);
    g_assert_cmpfloat(vt_roi_get_area(a), ==, n_a);
    g_assert_cmpint(vt_rois_overlap(a, b), ==, n_both > 0);
    g_assert_cmpint(vt_rois_any_overlap(pair), ==, n_both > 0);
    g_assert_cmpint(vt_roi_covers(a, b), ==, n_b > 0 && n_both == n_b);
  }
}

/* How often rays say that a ring goes round a point: by the sum of angles, slow and obvious. */
static gboolean
is_gone_round(const double *p, guint n, double x, double y)
{
  double sum = 0;
  for (guint i = 0, last = n - 1; i < n; last = i++)
    sum += remainder(atan2(p[2 * i + 1] - y, p[2 * i] - x) - atan2(p[2 * last + 1] - y, p[2 * last] - x), 2 * G_PI);
  return fabs(sum) > 1;
}

static void
test_enclosed(void)
{
  g_autoptr(GRand) rand = g_rand_new_with_seed(7);
  for (int i = 0; i < 400; i++) {
    g_autoptr(VtRoi) ring = make_random(rand, 1, FALSE);
    const double *p = (const double *)(gpointer)ring->points->data;
    const guint n = ring->points->len / 2;
    guint n_parts = 0;
    g_autoptr(GError) error = NULL;
    g_autoptr(VtRoi) roi = vt_roi_new_enclosed(p, n, &n_parts, &error);
    g_assert_no_error(error);
    g_assert_cmpint(roi != NULL, ==, n_parts > 0);
    if (roi)
      assert_valid(roi);
    for (int y = 0; y < SIDE; y++)
      for (int x = 0; x < SIDE; x++)
        if (!is_on_edge(ring, x + OFF_X, y + OFF_Y))
          g_assert_cmpint(is_in(roi, x + OFF_X, y + OFF_Y), ==, is_gone_round(p, n, x + OFF_X, y + OFF_Y));
  }
}

static double
get_distance(const double *p, guint n, double x, double y)
{
  double least = hypot(p[0] - x, p[1] - y);
  for (guint i = 1; i < n; i++) {
    const double *a = p + 2 * (i - 1), *b = p + 2 * i;
    const double dx = b[0] - a[0], dy = b[1] - a[1], square = dx * dx + dy * dy;
    const double t = square > 0 ? CLAMP(((x - a[0]) * dx + (y - a[1]) * dy) / square, 0, 1) : 0;
    least = MIN(least, hypot(a[0] + t * dx - x, a[1] + t * dy - y));
  }
  return least;
}

/* But for the edges that stand for arcs, which are flatter by 1 - cos(90°/16) of the radius. */
static void
test_stroke(void)
{
  g_autoptr(GRand) rand = g_rand_new_with_seed(8);
  for (int turn = 0; turn < 200; turn++) {
    const guint n = (guint)g_rand_int_range(rand, 1, 7);
    const double radius = g_rand_double_range(rand, 0.5, 4);
    double p[14];
    for (guint i = 0; i < 2 * n; i++)
      p[i] = g_rand_int_range(rand, 0, SIDE + 1);
    g_autoptr(GError) error = NULL;
    g_autoptr(VtRoi) roi = vt_roi_new_stroke(p, n, radius, &error);
    g_assert_no_error(error);
    assert_valid(roi);
    for (int y = -4; y < SIDE + 4; y++)
      for (int x = -4; x < SIDE + 4; x++) {
        const double distance = get_distance(p, n, x + OFF_X, y + OFF_Y);
        if (distance < 0.99 * radius || distance > radius + 0.01)
          g_assert_cmpint(is_in(roi, x + OFF_X, y + OFF_Y), ==, distance < radius);
      }
  }
}

/* Rectangles round them overlap, or they touch; they do not. */
static void
test_near_misses(void)
{
  static const double low[] = { 0, 0, 10, 10, 0, 10 }, high[] = { 0, 0, 10, 0, 10, 10 };
  static const double line[] = { 0, 0, 5, 5, 10, 10 };
  g_autoptr(VtRoi) a = vt_roi_new_polygon("a", low, 3), b = vt_roi_new_polygon("b", high, 3);
  g_autoptr(VtRoi) frame = vt_roi_new_rectangle("frame", 0, 0, 10, 10), hole = vt_roi_new_rectangle("", 2, 2, 6, 6);
  g_autoptr(VtRoi) ring = vt_roi_combine(frame, hole, VT_ROI_DIFFERENCE, NULL);
  guint n_parts = 1;
  g_assert_false(vt_rois_overlap(a, b));
  g_assert_false(vt_rois_overlap(ring, hole));
  g_assert_true(vt_rois_overlap(ring, frame));
  g_assert_cmpstr(ring->name, ==, "frame");
  g_assert_cmpfloat(vt_roi_get_area(ring), ==, 64);
  g_assert_cmpfloat(vt_roi_get_perimeter(ring, 1, 1), ==, 64);
  g_assert_cmpfloat(vt_roi_get_perimeter(ring, 0.5, 0.25), ==, 24);
  g_assert_null(vt_roi_combine(hole, frame, VT_ROI_DIFFERENCE, NULL));
  g_assert_null(vt_roi_new_enclosed(line, 3, &n_parts, NULL));
  g_assert_cmpuint(n_parts, ==, 0);
}

/* From a point to the nearest edge of all rings. */
static double
get_distance_to_edges(const VtRoi *roi, double x, double y)
{
  const double *p = (const double *)(gpointer)roi->points->data;
  double least = INFINITY;
  for (guint ring = 0; ring < roi->ring_sizes->len; ring++) {
    const guint n = g_array_index(roi->ring_sizes, guint32, ring);
    const double closing[] = { p[2 * n - 2], p[2 * n - 1], p[0], p[1] };
    least = MIN(least, MIN(get_distance(p, n, x, y), get_distance(closing, 2, x, y)));
    p += 2 * n;
  }
  return least;
}

/* A ragged disc with a ragged hole, and another beside it: corners that go were near the edges that are left; the pieces are all of it. */
static void
test_simplify(void)
{
  g_autoptr(GRand) rand = g_rand_new_with_seed(5);
  for (int round = 0; round < 50; round++) {
    double points[3][400];
    static const double middles[3][3] = { { 200, 200, 150 }, { 200, 200, 60 }, { 600, 200, 90 } };
    for (int ring = 0; ring < 3; ring++)
      for (int i = 0; i < 200; i++) {
        const double angle = i * G_PI / 100, radius = middles[ring][2] + g_rand_double_range(rand, -4, 4);
        points[ring][2 * i] = middles[ring][0] + radius * cos(angle);
        points[ring][2 * i + 1] = middles[ring][1] + radius * sin(angle);
      }
    g_autoptr(VtRoi) disc = vt_roi_new_polygon("a", points[0], 200), hole = vt_roi_new_polygon("", points[1], 200);
    g_autoptr(VtRoi) other = vt_roi_new_polygon("", points[2], 200),
                     ring = vt_roi_combine(disc, hole, VT_ROI_DIFFERENCE, NULL);
    g_autoptr(VtRoi) roi = vt_roi_combine(ring, other, VT_ROI_UNION, NULL);
    const double tolerance = g_rand_double_range(rand, 0.5, 30);
    g_autoptr(VtRoi) simple = vt_roi_simplify(roi, tolerance, NULL);
    g_autoptr(GPtrArray) parts = vt_roi_list_parts(roi, NULL);
    double area = 0;
    g_assert_cmpuint(simple->points->len, <, roi->points->len);
    g_assert_cmpuint(simple->ring_sizes->len, ==, 3);
    g_assert_cmpstr(simple->name, ==, "a");
    for (guint i = 0; i < roi->points->len; i += 2)
      g_assert_cmpfloat(
        get_distance_to_edges(simple, g_array_index(roi->points, double, i), g_array_index(roi->points, double, i + 1)),
        <=, tolerance + 1e-9);
    g_assert_cmpuint(parts->len, ==, 2);
    for (guint i = 0; i < parts->len; i++)
      area += vt_roi_get_area(parts->pdata[i]);
    g_assert_cmpfloat_with_epsilon(area, vt_roi_get_area(roi), 1e-6);
  }
}

static void
assert_parents(GPtrArray *rois, const gint *wanted)
{
  g_autofree gint *parents = g_new(gint, rois->len);
  vt_rois_find_parents(rois, NULL, parents);
  for (guint i = 0; i < rois->len; i++)
    g_assert_cmpint(parents[i], ==, wanted[i]);
}

/* A ring round a nest of boxes, a twin, one half outside, one in the hole; a line, points. */
static void
test_parents(void)
{
  g_autoptr(GPtrArray) rois = g_ptr_array_new_with_free_func((GDestroyNotify)vt_roi_free);
  g_autoptr(VtRoi) hole = vt_roi_new_rectangle("hole", 40, 40, 20, 20);
  g_autoptr(VtRoi) square = vt_roi_new_rectangle("square", 0, 0, 100, 100);
  g_ptr_array_add(rois, vt_roi_new_rectangle("inner", 12, 12, 4, 4));
  g_ptr_array_add(rois, vt_roi_combine(square, hole, VT_ROI_DIFFERENCE, NULL));
  g_ptr_array_add(rois, vt_roi_new_rectangle("middle", 10, 10, 20, 20));
  g_ptr_array_add(rois, vt_roi_new_rectangle("twin", 10, 10, 20, 20));
  g_ptr_array_add(rois, vt_roi_new_rectangle("half outside", 90, 0, 20, 20));
  g_ptr_array_add(rois, vt_roi_new_rectangle("in the hole", 45, 45, 5, 5));
  g_ptr_array_add(rois, vt_roi_new_rectangle("at the edge", 0, 90, 10, 10));
  g_ptr_array_add(rois, vt_roi_new_shape(VT_SHAPE_LINE, (const double[]){ 13, 13, 15, 15 }, 2));
  g_ptr_array_add(rois, vt_roi_new_shape(VT_SHAPE_POINTS, (const double[]){ 11, 11, 28, 28 }, 2));
  g_ptr_array_add(rois, vt_roi_new_shape(VT_SHAPE_POINTS, (const double[]){ 11, 11, 50, 50 }, 2));
  assert_parents(rois, (const gint[]){ 3, -1, 1, 2, -1, -1, 1, 0, 3, -1 });
  gint parents[] = { 77, 77, 77, 77, 77, 77, 77, 77, 77, 77 };
  const gboolean wanted[] = { TRUE, FALSE, FALSE, FALSE, FALSE, FALSE, FALSE, FALSE, FALSE, TRUE };
  vt_rois_find_parents(rois, wanted, parents);
  g_assert_true(parents[0] == 3 && parents[1] == 77 && parents[9] == -1);
}

/* Against the definition, by the sets of the same boxes. */
static void
test_parents_of_many(void)
{
  g_autoptr(GRand) rand = g_rand_new_with_seed(7);
  for (int turn = 0; turn < 20; turn++) {
    g_autoptr(GPtrArray) rois = g_ptr_array_new_with_free_func((GDestroyNotify)vt_roi_free);
    double box[60][4];
    gint wanted[60];
    for (int i = 0; i < 60; i++) {
      for (int k = 0; k < 4; k++)
        box[i][k] = g_rand_int_range(rand, k < 2 ? 0 : 1, SIDE);
      g_ptr_array_add(rois, vt_roi_new_rectangle("a", box[i][0], box[i][1], box[i][2], box[i][3]));
    }
    for (int i = 0; i < 60; i++) {
      const double *in = box[i];
      wanted[i] = -1;
      for (int k = 0; k < 60; k++) {
        const double *out = box[k], area = out[2] * out[3],
                     least = wanted[i] < 0 ? INFINITY : box[wanted[i]][2] * box[wanted[i]][3];
        const gboolean is_in = k != i && out[0] <= in[0] && out[1] <= in[1] && out[0] + out[2] >= in[0] + in[2]
                               && out[1] + out[3] >= in[1] + in[3];
        if (is_in && (area > in[2] * in[3] || k < i) && area <= least)
          wanted[i] = k;
      }
    }
    assert_parents(rois, wanted);
  }
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/roi-sets/combine", test_combine);
  g_test_add_func("/roi-sets/areas", test_areas);
  g_test_add_func("/roi-sets/enclosed", test_enclosed);
  g_test_add_func("/roi-sets/stroke", test_stroke);
  g_test_add_func("/roi-sets/near-misses", test_near_misses);
  g_test_add_func("/roi-sets/simplify", test_simplify);
  g_test_add_func("/roi-sets/parents", test_parents);
  g_test_add_func("/roi-sets/parents-of-many", test_parents_of_many);
  return g_test_run();
}
