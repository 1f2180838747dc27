/* SPDX-License-Identifier: MIT
 *
 * Outlines of thousands of corners are drawn with those of them that can be seen: on the screen that looks as all of them do, whatever lies beside it. */
#include <math.h>

#include "canvas/vt-canvas-private.h"

#define WIDTH 400
#define HEIGHT 300

static VtRoi *
make_outline(guint n, double radius, double tremble)
{
  g_autoptr(GRand) rand = g_rand_new_with_seed(5);
  g_autofree double *points = g_new(double, 2 * (gsize)n);
  for (guint i = 0; i < n; i++) {
    const double angle = 2 * G_PI * i / n;
    const double length = radius * (0.9 + 0.05 * sin(7 * angle)) + tremble * g_rand_double(rand);
    points[2 * i] = length * cos(angle);
    points[2 * i + 1] = length * sin(angle);
  }
  return vt_roi_new_polygon("ROI", points, n);
}

static cairo_surface_t *
draw(const VtRoi *roi, const VtViewport *sheet, double scale, VtRoiQuality quality)
{
  static const GdkRGBA color = { 1, 1, 0, 1 };
  cairo_surface_t *surface = cairo_image_surface_create(CAIRO_FORMAT_ARGB32, WIDTH, HEIGHT);
  GtkSnapshot *snapshot = gtk_snapshot_new();
  vt_canvas_draw_roi(snapshot, sheet, scale, roi, &color, quality);
  GskRenderNode *node = gtk_snapshot_free_to_node(snapshot);
  cairo_t *cr = cairo_create(surface);
  cairo_scale(cr, scale, scale);
  if (node)
    gsk_render_node_draw(node, cr);
  cairo_destroy(cr);
  g_clear_pointer(&node, gsk_render_node_unref);
  cairo_surface_flush(surface);
  return surface;
}

/* How far the pictures are apart, of 255: on average where either has something, and at most. */
static void
assert_near(const VtRoi *roi, const VtViewport *sheet, double scale, VtRoiQuality quality, double most_average)
{
  cairo_surface_t *all = draw(roi, sheet, scale, VT_ROI_EXACT), *seen = draw(roi, sheet, scale, quality);
  const guint8 *a = cairo_image_surface_get_data(all), *b = cairo_image_surface_get_data(seen);
  double sum = 0;
  guint n = 0, most = 0;
  for (gsize i = 0; i < (gsize)4 * WIDTH * HEIGHT; i++) {
    n += a[i] > 0 || b[i] > 0;
    sum += ABS(a[i] - b[i]);
    most = MAX(most, (guint)ABS(a[i] - b[i]));
  }
  g_test_message("1:%g of %u corners: %u bytes, %.2f on average, %u at most", sheet->downsample, roi->points->len / 2,
                 n, n > 0 ? sum / n : 0, most);
  g_assert_cmpfloat(sum, <=, most_average * n);
  cairo_surface_destroy(all);
  cairo_surface_destroy(seen);
}

static void
assert_alike(const VtRoi *roi, const VtViewport *sheet, double scale)
{
  assert_near(roi, sheet, scale, VT_ROI_SEEN, 10);
  assert_near(roi, sheet, scale, VT_ROI_QUICK, 40);
}

static void
test_alike(void)
{
  for (guint n = 50; n <= 8000; n *= 12) {
    g_autoptr(VtRoi) roi = make_outline(n, 1000, 3);
    for (double downsample = 1; downsample <= 16; downsample *= 4)
      for (int beside = 0; beside < 2; beside++) {
        const VtViewport sheet = { .width_px = WIDTH,
                                   .height_px = HEIGHT,
                                   .downsample = downsample,
                                   .centre_x_l0 = beside * 450,
                                   .centre_y_l0 = beside * 450 };
        assert_alike(roi, &sheet, beside + 1);
      }
  }
}

/* A line that leaves the view and comes back where it was not, and one that only passes a corner of it. */
static void
test_round(void)
{
  static const double points[] = { -100, 0, -900, 0, -900, -900, 900, -900, 900, 900, 0, 900, 0, 100 };
  static const double corner[] = { -390, 0, -395, -20, -10, -400, 0, -400 };
  g_autoptr(VtRoi) line = vt_roi_new_shape(VT_SHAPE_LINE, points, G_N_ELEMENTS(points) / 2);
  g_autoptr(VtRoi) near = vt_roi_new_shape(VT_SHAPE_LINE, corner, G_N_ELEMENTS(corner) / 2);
  const VtViewport sheet = { .width_px = WIDTH, .height_px = HEIGHT, .downsample = 1 };
  assert_alike(line, &sheet, 1);
  assert_alike(near, &sheet, 1);
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  gtk_init_check(); /* for the types of its render nodes; no display is needed */
  g_test_add_func("/region-drawing/alike", test_alike);
  g_test_add_func("/region-drawing/round", test_round);
  return g_test_run();
}
