/* SPDX-License-Identifier: MIT
 *
 * The arithmetic behind the canvas: what is seen where, how far zoom and pan may go, lengths as people read them. */
#include <math.h>

#include "vt-scale.h"
#include "vt-viewport.h"

#define WIDTH_L0 10000.0
#define HEIGHT_L0 6000.0

static VtViewport
view_new(double x_l0, double y_l0, double downsample)
{
  return (VtViewport){ x_l0, y_l0, downsample, 1200, 800 };
}

static void
test_round_trip(void)
{
  VtViewport view = view_new(1234.5, 987.25, 3.7);
  for (double x = -50; x <= 1300; x += 270) {
    double x_l0, y_l0, x_px, y_px;
    vt_viewport_to_l0(&view, x, x / 2, &x_l0, &y_l0);
    vt_viewport_from_l0(&view, x_l0, y_l0, &x_px, &y_px);
    g_assert_cmpfloat_with_epsilon(x_px, x, 1e-9);
    g_assert_cmpfloat_with_epsilon(y_px, x / 2, 1e-9);
  }
}

static void
test_zoom_keeps_point(void)
{
  VtViewport view = view_new(5000, 3000, 4);
  double x0, y0, x1, y1;
  vt_viewport_to_l0(&view, 100, 700, &x0, &y0);
  for (int i = 0; i < 40; i++)
    vt_viewport_zoom_at(&view, view.downsample / 1.3, 100, 700);
  vt_viewport_to_l0(&view, 100, 700, &x1, &y1);
  g_assert_cmpfloat_with_epsilon(x0, x1, 1e-6);
  g_assert_cmpfloat_with_epsilon(y0, y1, 1e-6);
}

static void
test_fit_shows_everything(void)
{
  VtViewport view = view_new(0, 0, 1);
  gint64 x, y, width, height;
  vt_viewport_fit(&view, WIDTH_L0, HEIGHT_L0);
  g_assert_true(vt_viewport_get_visible_l0(&view, (gint64)WIDTH_L0, (gint64)HEIGHT_L0, &x, &y, &width, &height));
  g_assert_cmpint(x, ==, 0);
  g_assert_cmpint(y, ==, 0);
  g_assert_cmpint(width, ==, (gint64)WIDTH_L0);
  g_assert_cmpint(height, ==, (gint64)HEIGHT_L0);
}

static void
test_slide_cannot_be_lost(void)
{
  static const double far[] = { -1e12, -1, 0, 5000, 1e12 };
  static const double zooms[] = { 1e-9, 0.5, 1, 7, 1e9 };
  gint64 x, y, width, height;
  for (guint i = 0; i < G_N_ELEMENTS(far); i++) {
    for (guint j = 0; j < G_N_ELEMENTS(zooms); j++) {
      VtViewport view = view_new(far[i], -far[i], zooms[j]);
      vt_viewport_clamp(&view, WIDTH_L0, HEIGHT_L0);
      g_assert_true(vt_viewport_get_visible_l0(&view, (gint64)WIDTH_L0, (gint64)HEIGHT_L0, &x, &y, &width, &height));
      g_assert_cmpint(x, >=, 0);
      g_assert_cmpint(x + width, <=, (gint64)WIDTH_L0);
      g_assert_cmpint(y + height, <=, (gint64)HEIGHT_L0);
    }
  }
}

static void
test_smallest_slide(void)
{
  VtViewport view = view_new(0, 0, 1);
  vt_viewport_fit(&view, 1, 1);
  vt_viewport_clamp(&view, 1, 1);
  g_assert_cmpfloat(view.downsample, ==, VT_VIEWPORT_MIN_DOWNSAMPLE);
}

static void
test_bar(void)
{
  for (double per_px = 1e-3; per_px < 1e5; per_px *= 1.37) {
    double length = vt_scale_choose_bar(per_px, 160);
    double mantissa = length / pow(10, floor(log10(length) + 1e-9));
    g_assert_true(fabs(mantissa - 1) < 1e-6 || fabs(mantissa - 2) < 1e-6 || fabs(mantissa - 5) < 1e-6);
    g_assert_cmpfloat(length / per_px, <=, 160 * (1 + 1e-6));
    g_assert_cmpfloat(length / per_px, >, 160 / 2.5 * (1 - 1e-6));
  }
}

static void
check_text(char *text, const char *expected)
{
  g_assert_cmpstr(text, ==, expected);
  g_free(text);
}

static void
test_texts(void)
{
  check_text(vt_scale_dup_length(0.5), "500 nm");
  check_text(vt_scale_dup_length(20), "20 µm");
  check_text(vt_scale_dup_length(2000), "2 mm");
  check_text(vt_scale_dup_magnification(0.25, 0, 1), "40×");
  check_text(vt_scale_dup_magnification(0.5, 40, 4), "5×");
  check_text(vt_scale_dup_magnification(0, 20, 8), "2.5×");
  check_text(vt_scale_dup_magnification(0, 0, 2), "50 %");
}

static void
test_magnification_means_own_pixels(void)
{
  g_assert_cmpfloat(vt_scale_get_downsample(0.499, 20, 20), ==, 1);
  g_assert_cmpfloat(vt_scale_get_downsample(0.2520, 40, 10), ==, 4);
  g_assert_cmpfloat(vt_scale_get_downsample(0.25, 0, 80), ==, 0.5);
  g_assert_cmpfloat_with_epsilon(vt_scale_get_downsample(0.3, 0, 20), 10 / 6.0, 1e-12);
  g_assert_cmpfloat(vt_scale_get_downsample(0, 0, 20), ==, 0);
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/app/view/round-trip", test_round_trip);
  g_test_add_func("/app/view/zoom-keeps-point", test_zoom_keeps_point);
  g_test_add_func("/app/view/fit", test_fit_shows_everything);
  g_test_add_func("/app/view/clamp", test_slide_cannot_be_lost);
  g_test_add_func("/app/view/smallest-slide", test_smallest_slide);
  g_test_add_func("/app/scale/bar", test_bar);
  g_test_add_func("/app/scale/texts", test_texts);
  g_test_add_func("/app/scale/own-pixels", test_magnification_means_own_pixels);
  return g_test_run();
}
