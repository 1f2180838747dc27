/* SPDX-License-Identifier: MIT */
#include <math.h>

#include "common/vt-slider-scale.h"

static void
check_scale(double min, double max, double step, gboolean logarithmic)
{
  VtSliderScale scale;
  double last = min;
  g_assert_true(vt_slider_scale_init(&scale, min, max, step));
  g_assert_true((scale.least > 0) == logarithmic);
  g_assert_cmpfloat(vt_slider_scale_get_value(&scale, 0), ==, min);
  g_assert_cmpfloat(vt_slider_scale_get_value(&scale, 1), ==, max);
  g_assert_cmpfloat(vt_slider_scale_get_position(&scale, min), ==, 0);
  g_assert_cmpfloat(vt_slider_scale_get_position(&scale, max), ==, 1);
  for (int i = 0; i <= 1000; i++) {
    double value = vt_slider_scale_get_value(&scale, i / 1000.0);
    double steps = (value - min) / step;
    g_assert_cmpfloat(value, >=, last);
    g_assert_true(value == max || fabs(steps - round(steps)) < 1e-6);
    last = value;
  }
  /* Every value of the parameter stays what it is when the slider is put there. */
  for (int i = 0; i < 300 && min + i * step <= max; i++) {
    double value = min + i * step, position = vt_slider_scale_get_position(&scale, value);
    g_assert_cmpfloat_with_epsilon(vt_slider_scale_get_value(&scale, position), value, step * 1e-6);
  }
}

static void
test_scales(void)
{
  check_scale(0, 1, 0.1, FALSE);
  check_scale(3, 129, 2, FALSE);
  check_scale(0, 6, 0.01, TRUE);
  check_scale(0, 250, 0.5, TRUE);
  check_scale(1, 1024, 1, TRUE);
  check_scale(-5, 5, 0.5, FALSE);
}

static void
test_decades(void)
{
  VtSliderScale scale;
  g_assert_true(vt_slider_scale_init(&scale, 0, 6, 0.01));
  /* The middle of the slider is where people work, not 3 OD. */
  g_assert_cmpfloat(vt_slider_scale_get_value(&scale, 0.5), <, 0.35);
  g_assert_cmpfloat(vt_slider_scale_get_value(&scale, 0.5), >, 0.1);
}

static void
test_no_range(void)
{
  VtSliderScale scale;
  g_assert_false(vt_slider_scale_init(&scale, -1e9, 1e9, 1));
  g_assert_false(vt_slider_scale_init(&scale, 1e-6, 1e9, 0.01));
  g_assert_false(vt_slider_scale_init(&scale, 4, 4, 1));
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/app/slider/scales", test_scales);
  g_test_add_func("/app/slider/decades", test_decades);
  g_test_add_func("/app/slider/no-range", test_no_range);
  return g_test_run();
}
