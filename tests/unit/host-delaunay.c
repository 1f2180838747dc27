/* SPDX-License-Identifier: MIT
 *
 * Delaunay neighbours against Voronoi cells that share a side, by their definition in integers; distances to borders against every edge. With an argument:
 * the time for so many points. */
#include <math.h>
#include <stdlib.h>

#include "host-support.h"
#include "run/vt-delaunay.h"

enum { MOST = 80, PER_PIXEL = 64, WHOLE = 1048576 };

__extension__ typedef __int128 Wide;

/* A ratio, of which the lower number is above zero. */
typedef struct {
  gint64 upper, lower;
} Ratio;

static gboolean
is_less(Ratio a, Ratio b)
{
  return (Wide)a.upper * b.lower < (Wide)b.upper * a.lower;
}

/* Whether the cells of a and b share a side: of the places that are as near to one as to the other, a + d/2 + t/2 (-d.y, d.x) where d = b - a, no other point
 * is as near to some, and those are more than one. */
static gboolean
share_side(const double *points, guint n, guint a, guint b)
{
  gint64 at[2 * MOST]; /* each place as it lies from that of a, in 1/64 of a pixel */
  for (guint i = 0; i < 2 * n; i++)
    at[i] = llround(points[i] * PER_PIXEL) - llround(points[2 * a + i % 2] * PER_PIXEL);
  const gint64 dx = at[2 * b], dy = at[2 * b + 1];
  Ratio low = { 0, 1 }, high = { 0, 1 };
  gboolean has_low = FALSE, has_high = FALSE;
  for (guint k = 0; k < n; k++) {
    const gint64 x = at[2 * k], y = at[2 * k + 1];
    if ((x == 0 && y == 0) || (x == dx && y == dy))
      continue;
    const gint64 side = dx * y - dy * x, rest = x * x + y * y - x * dx - y * dy; /* t side < rest: farther away */
    const Ratio end = { side < 0 ? -rest : rest, ABS(side) };
    if (side == 0 && rest <= 0)
      return FALSE;
    if (side > 0 && (!has_high || is_less(end, high))) {
      high = end;
      has_high = TRUE;
    }
    if (side < 0 && (!has_low || is_less(low, end))) {
      low = end;
      has_low = TRUE;
    }
  }
  return !has_low || !has_high || is_less(low, high);
}

static gboolean
is_first(const double *points, guint i)
{
  for (guint k = 0; k < i; k++)
    if (points[2 * k] == points[2 * i] && points[2 * k + 1] == points[2 * i + 1])
      return FALSE;
  return TRUE;
}

static void
check(const double *points, guint n)
{
  g_autoptr(GError) error = NULL;
  g_autofree guint *counts = vt_delaunay_count(points, n, &error);
  g_assert_no_error(error);
  for (guint i = 0; i < n; i++) {
    guint n_neighbours = 0;
    for (guint k = 0; k < n; k++)
      if (is_first(points, k) && (points[2 * k] != points[2 * i] || points[2 * k + 1] != points[2 * i + 1]))
        n_neighbours += share_side(points, n, i, k);
    g_assert_cmpuint(counts[i], ==, n_neighbours);
  }
}

static void
test_random(void)
{
  static const gint sides[] = { 5, 40, 64 * 1000, 64 * WHOLE };
  for (guint turn = 0; turn < 400; turn++) {
    double points[2 * MOST];
    const guint n = (guint)g_test_rand_int_range(0, turn % 20 == 0 ? 4 : 61);
    const gint side = sides[turn % G_N_ELEMENTS(sides)];
    for (guint i = 0; i < 2 * n; i++)
      points[i] = g_test_rand_int_range(0, side) / (side > 40 ? (double)PER_PIXEL : 1);
    check(points, n);
  }
}

/* A hull with many places on it, or nearly so: sides that are straight, or bent by a 64th of a pixel. GEOS 3.11 leaves out edges of such ones. */
static void
test_hull(void)
{
  for (guint turn = 0; turn < 400; turn++) {
    double points[2 * MOST];
    const guint n = (guint)g_test_rand_int_range(3, 61), n_inner = turn % 4 < 2 ? n / 2 : 0;
    const double width = (double)(1U << g_test_rand_int_range(4, 20)),
                 bend = g_test_rand_int_range(0, 4) / (double)PER_PIXEL;
    for (guint i = 0; i < n; i++) {
      const double along = g_test_rand_int_range(0, (gint)width * PER_PIXEL + 1) / (double)PER_PIXEL;
      const double arc = round(4 * bend * along * (width - along) / (width * width) * PER_PIXEL) / PER_PIXEL;
      const double off = i < n_inner ? g_test_rand_int_range(0, (gint)width * PER_PIXEL) / (double)PER_PIXEL : -arc;
      const gboolean is_far = turn % 2 == 0 && i % 3 == 0;
      points[2 * i + turn / 4 % 2] = along;
      points[2 * i + 1 - turn / 4 % 2] = is_far && i >= n_inner ? width - off : off;
    }
    check(points, n);
  }
}

/* All or some of the 60 places of whole numbers on a circle, with some inside of it, on it twice, or beside it. */
static void
test_circle(void)
{
  const int radius = 325;
  for (guint turn = 0; turn < 60; turn++) {
    double points[2 * MOST];
    guint n = 0;
    for (int x = -radius; x <= radius; x++)
      for (int y = -radius; y <= radius; y++)
        if (x * x + y * y == radius * radius && (turn == 0 || g_test_rand_int_range(0, 3) > 0)) {
          points[2 * n] = x;
          points[2 * n++ + 1] = y;
        }
    for (guint i = 0; i < turn % 5 && n >= 5; i++, n++) {
      const gboolean is_again = g_test_rand_bit();
      points[2 * n] = is_again ? points[2 * i] : g_test_rand_int_range(-radius, radius + 1);
      points[2 * n + 1] = is_again ? points[2 * i + 1] : g_test_rand_int_range(-radius, radius + 1);
    }
    g_assert_cmpuint(n, <=, MOST);
    check(points, n);
  }
}

/* On a grid every inner point has four neighbours: no diagonal counts; on a line two, whichever way it runs. */
static void
test_ties(void)
{
  double points[2 * MOST];
  for (guint i = 0; i < 49; i++) {
    points[2 * i] = 1000 + 10 * (i % 7);
    points[2 * i + 1] = 500.25 + 10 * (i / 7);
  }
  g_autofree guint *counts = vt_delaunay_count(points, 49, NULL);
  for (guint i = 0; i < 49; i++) {
    const guint x = i % 7, y = i / 7;
    g_assert_cmpuint(counts[i], ==, 4 - (x == 0 || x == 6) - (y == 0 || y == 6));
  }
  for (guint i = 0; i < 20; i++) {
    points[2 * i] = 7 * ((i * 7) % 20);
    points[2 * i + 1] = 3 * ((i * 7) % 20);
  }
  g_autofree guint *line = vt_delaunay_count(points, 20, NULL);
  for (guint i = 0; i < 20; i++)
    g_assert_cmpuint(line[i], ==, (i * 7) % 20 == 0 || (i * 7) % 20 == 19 ? 1 : 2);
  for (guint i = 0; i < 10; i++) /* all at one place */
    points[2 * i] = points[2 * i + 1] = 3;
  g_autofree guint *one = vt_delaunay_count(points, 10, NULL);
  for (guint i = 0; i < 10; i++)
    g_assert_cmpuint(one[i], ==, 0);
}

static void
test_order(void)
{
  enum { N = 2000 };
  g_autofree double *points = g_new(double, 2 * N), *mixed = g_new(double, 2 * N);
  guint32 order[N];
  for (guint i = 0; i < 2 * N; i++)
    points[i] = g_test_rand_int_range(0, 300);
  for (guint32 i = 0; i < N; i++)
    order[i] = i;
  for (guint i = N - 1; i > 0; i--) {
    const guint k = (guint)g_test_rand_int_range(0, (gint)i + 1);
    const guint32 swapped = order[i];
    order[i] = order[k];
    order[k] = swapped;
  }
  for (guint i = 0; i < N; i++) {
    mixed[2 * i] = points[2 * order[i]];
    mixed[2 * i + 1] = points[2 * order[i] + 1];
  }
  g_autofree guint *counts = vt_delaunay_count(points, N, NULL), *again = vt_delaunay_count(mixed, N, NULL);
  for (guint i = 0; i < N; i++)
    g_assert_cmpuint(again[i], ==, counts[order[i]]);
}

static void
test_refused(void)
{
  const double points[] = { 0, 0, 2e6, 1, 5, 5 };
  g_autoptr(GError) error = NULL;
  g_assert_null(vt_delaunay_count(points, 3, &error));
  g_assert_error(error, VT_ERROR, VITRAIL_BAD_ARGUMENT);
}

/* --- borders --- */

static double
slow(const GPtrArray *rois, double x, double y, double mpp_x, double mpp_y)
{
  double nearest = INFINITY;
  gboolean inside = FALSE;
  for (guint r = 0; r < rois->len; r++) {
    const VtRoi *roi = rois->pdata[r];
    const double *p = vt_roi_get_points(roi);
    inside |= roi->kind == VT_SHAPE_AREA && vt_roi_contains(roi, x, y);
    for (guint ring = 0; ring < roi->ring_sizes->len; ring++) {
      const guint32 n = vt_roi_get_ring_sizes(roi)[ring];
      for (guint32 i = 0, last = n - 1; roi->kind == VT_SHAPE_AREA && i < n; last = i++) {
        const double ax = p[2 * last] * mpp_x, ay = p[2 * last + 1] * mpp_y;
        const double dx = p[2 * i] * mpp_x - ax, dy = p[2 * i + 1] * mpp_y - ay, square = dx * dx + dy * dy;
        const double t = square > 0 ? ((x * mpp_x - ax) * dx + (y * mpp_y - ay) * dy) / square : 0;
        const double part = CLAMP(t, 0, 1);
        nearest = MIN(nearest, hypot(ax + part * dx - x * mpp_x, ay + part * dy - y * mpp_y));
      }
      p += 2 * n;
    }
  }
  return inside ? -nearest : nearest;
}

static void
test_borders(void)
{
  g_autoptr(GPtrArray) rois = g_ptr_array_new_with_free_func((GDestroyNotify)vt_roi_free);
  VtRoi *holed = vt_roi_new_rectangle("a", 100, 100, 300, 200);
  const double hole[] = { 150, 150, 150, 200, 250, 200, 250, 150 };
  const guint32 four = 4;
  g_array_append_vals(holed->points, hole, 8);
  g_array_append_val(holed->ring_sizes, four);
  g_ptr_array_add(rois, holed);
  g_ptr_array_add(rois, vt_roi_new_rectangle("b", 350, 250, 200, 200));
  g_ptr_array_add(rois, vt_roi_new_shape(VT_SHAPE_LINE, (const double[]){ 0, 0, 600, 10 }, 2));
  double points[2 * 500];
  for (guint i = 0; i < 1000; i++)
    points[i] = g_test_rand_double_range(0, 600);
  for (guint turn = 0; turn < 2; turn++) {
    const double mpp_x = turn == 0 ? 1 : 0.25, mpp_y = turn == 0 ? 1 : 0.5;
    g_autofree double *found = vt_rois_measure_borders(rois, points, 500, mpp_x, mpp_y);
    guint n_inside = 0;
    for (guint i = 0; i < 500; i++) {
      g_assert_cmpfloat_with_epsilon(found[i], slow(rois, points[2 * i], points[2 * i + 1], mpp_x, mpp_y), 1e-9);
      n_inside += found[i] < 0;
    }
    g_assert_cmpuint(n_inside, >, 50);
  }
  g_ptr_array_remove_range(rois, 0, 2);
  g_assert_null(vt_rois_measure_borders(rois, points, 500, 1, 1));
}

static void
time_it(guint n)
{
  g_autofree double *points = g_new(double, 2 * (gsize)n);
  g_autoptr(GRand) rand = g_rand_new_with_seed(1);
  for (guint i = 0; i < 2 * n; i++)
    points[i] = g_rand_double_range(rand, 0, 50 * sqrt(n));
  gint64 began = g_get_monotonic_time();
  g_autofree guint *counts = vt_delaunay_count(points, n, NULL);
  g_print("%u points: neighbours %.2f s, ", n, 1e-6 * (double)(g_get_monotonic_time() - began));
  g_autoptr(GPtrArray) rois = g_ptr_array_new_with_free_func((GDestroyNotify)vt_roi_free);
  for (guint i = 0; i < 100; i++)
    g_ptr_array_add(rois, vt_roi_new_rectangle("a", 500 * (i % 10), 500 * (i / 10), 300, 300));
  began = g_get_monotonic_time();
  g_autofree double *distances = vt_rois_measure_borders(rois, points, n, 0.5, 0.5);
  g_print("borders of 100 regions %.2f s\n", 1e-6 * (double)(g_get_monotonic_time() - began));
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  if (argc > 1) {
    time_it((guint)strtoul(argv[1], NULL, 10));
    return 0;
  }
  g_test_add_func("/delaunay/random", test_random);
  g_test_add_func("/delaunay/hull", test_hull);
  g_test_add_func("/delaunay/circle", test_circle);
  g_test_add_func("/delaunay/ties", test_ties);
  g_test_add_func("/delaunay/order", test_order);
  g_test_add_func("/delaunay/refused", test_refused);
  g_test_add_func("/delaunay/borders", test_borders);
  return g_test_run();
}
