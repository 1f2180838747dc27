/* SPDX-License-Identifier: MIT
 *
 * Bins of objects against a count that looks at every edge. With an argument: the time for so many objects. */
#include <math.h>
#include <stdlib.h>

#include "panels/vt-plot-data.h"

static const char *const names[] = { "a" };

static GPtrArray *
objects_new(guint n, double (*make)(guint i))
{
  GPtrArray *objects = g_ptr_array_new_with_free_func(g_free);
  for (guint i = 0; i < n; i++) {
    const double value = make(i);
    const VtObject object = { .id = i + 1, .n_measurements = 1, .measurements = &value, .measurement_names = names };
    g_ptr_array_add(objects, vt_object_copy(&object));
  }
  return objects;
}

static double
make_odd(guint i)
{
  static const double odd[] = { NAN, 0.0, -0.0, INFINITY, -INFINITY, 0.3, 0.1, 1e-3, 100 };
  return i % 3 == 0 ? odd[i / 3 % G_N_ELEMENTS(odd)] : g_test_rand_int_range(-20, 200) / 10.0;
}

static double
make_wide(guint i)
{
  return i % 3 ? (i % 2 ? 1e300 : -1e300) : 1.7e308;
}

static double
make_tiny(guint i)
{
  return i % 2 ? 5e-324 : 1e-310;
}

static double
make_near(guint i)
{
  return 1e15 + 0.125 * (i % 3);
}

static double
make_one(guint i)
{
  return -7.25;
}

static double
make_none(guint i)
{
  return NAN;
}

static double
make_positive(guint i)
{
  return exp(g_test_rand_double_range(-30, 30));
}

static void
check(GPtrArray *objects, const VtObjectFilter *filter, gboolean is_log, guint most_bins)
{
  g_autoptr(VtPlotData) data = vt_plot_data_new(objects, filter, VT_OBJECT_MEASUREMENTS, is_log, most_bins);
  const guint n = data->edges->len;
  const double *edges = (const double *)(gpointer)data->edges->data;
  guint all = 0, some = 0, passing = 0, in_range = 0;
  g_assert_true(n != 1 && n <= 2 * most_bins + (is_log ? 650 : 2));
  for (guint i = 0; i + 1 < n; i++)
    g_assert_cmpfloat(edges[i], <, edges[i + 1]);
  for (guint bin = 0; bin + 1 < n; bin++) {
    guint want_all = 0, want_some = 0;
    for (guint k = 0; k < objects->len; k++) {
      const double value = vt_object_get_value(objects->pdata[k], VT_OBJECT_MEASUREMENTS);
      const gboolean is_in = value >= edges[bin] && value < edges[bin + 1];
      want_all += is_in;
      want_some += is_in && (!filter || vt_object_filter_passes(filter, objects->pdata[k]));
    }
    g_assert_cmpuint(data->all[bin], ==, want_all);
    g_assert_cmpuint(data->some[bin], ==, want_some);
    all += want_all;
    some += want_some;
  }
  for (guint k = 0; k < objects->len; k++) {
    const double value = vt_object_get_value(objects->pdata[k], VT_OBJECT_MEASUREMENTS);
    const gboolean passes = !filter || vt_object_filter_passes(filter, objects->pdata[k]);
    passing += passes;
    in_range += passes && value >= 0.1 && value <= 5;
    all -= fabs(value) <= 1e300 && (!is_log || value >= 1e-300);
  }
  g_assert_cmpuint(all, ==, 0); /* each that can be shown is in a bin */
  g_assert_cmpuint(data->n_passing, ==, passing);
  g_assert_cmpuint(data->n_absent + some, ==, passing);
  g_assert_cmpuint(vt_plot_data_count(data, 0.1, 5), ==, in_range);
}

static void
test_bins(void)
{
  double (*const makes[])(guint) = { make_odd, make_wide, make_tiny, make_near, make_one, make_none, make_positive };
  g_autoptr(GError) error = NULL;
  g_autoptr(VtObjectFilter) filter = vt_object_filter_new("a < 5 or number > 100", names, 1, &error);
  g_assert_no_error(error);
  for (guint m = 0; m < G_N_ELEMENTS(makes); m++)
    for (guint n = 0; n < 2000; n = 4 * n + 1) {
      g_autoptr(GPtrArray) objects = objects_new(n, makes[m]);
      for (guint most_bins = 2; most_bins < 200; most_bins *= 3)
        for (int is_log = 0; is_log < 2; is_log++) {
          check(objects, NULL, is_log, most_bins);
          check(objects, filter, is_log, most_bins);
        }
    }
}

/* Edges are the decimals that are read: 0.3, not the sum of three tenths. Places and numbers go back and forth. */
static void
test_axis(void)
{
  g_autoptr(GPtrArray) objects = objects_new(2000, make_odd);
  g_autoptr(VtPlotData) data = vt_plot_data_new(objects, NULL, VT_OBJECT_MEASUREMENTS, FALSE, 1300);
  for (guint i = 0; i < data->edges->len; i++) {
    const double edge = g_array_index(data->edges, double, i);
    g_autofree char *text = g_strdup_printf("%.6g", edge);
    g_assert_true(g_ascii_strtod(text, NULL) == edge);
  }
  for (int is_log = 0; is_log < 2; is_log++) {
    g_autoptr(VtPlotData) of = vt_plot_data_new(objects, NULL, VT_OBJECT_MEASUREMENTS, is_log, 30);
    for (double part = 0; part <= 1; part += 0.01) {
      g_assert_cmpfloat_with_epsilon(vt_plot_data_get_part(of, vt_plot_data_get_value(of, part)), part, 1e-9);
      const double snapped = vt_plot_data_snap(of, part, 400);
      g_autofree char *text = g_strdup_printf("%.7g", snapped);
      g_assert_true(g_ascii_strtod(text, NULL) == snapped);
      g_assert_cmpfloat_with_epsilon(vt_plot_data_get_part(of, snapped), part, 1.5 / 400);
    }
  }
  g_assert_cmpfloat(vt_plot_round_up(0.3), ==, 0.5);
  g_assert_cmpfloat(vt_plot_round_up(1000), ==, 1000);
  g_assert_cmpfloat(vt_plot_round_up(0), >, 0);
}

static void
test_range(void)
{
  g_autoptr(GPtrArray) objects = objects_new(500, make_odd);
  g_autoptr(VtObjectFilter) filter = vt_object_filter_new("number > 100 or a < 0", names, 1, NULL);
  g_autoptr(VtObjectFilter) range = vt_object_filter_narrow(NULL, VT_OBJECT_MEASUREMENTS, -1, 0.3);
  g_autoptr(VtObjectFilter) both = vt_object_filter_narrow(filter, VT_OBJECT_MEASUREMENTS, -1, 0.3);
  for (guint i = 0; i < objects->len; i++) {
    const double value = vt_object_get_value(objects->pdata[i], VT_OBJECT_MEASUREMENTS);
    const gboolean is_in = value >= -1 && value <= 0.3;
    g_assert_cmpint(vt_object_filter_passes(range, objects->pdata[i]), ==, is_in);
    g_assert_cmpint(vt_object_filter_passes(both, objects->pdata[i]), ==,
                    is_in && vt_object_filter_passes(filter, objects->pdata[i]));
  }
}

static void
time_it(guint n)
{
  g_autoptr(GPtrArray) objects = objects_new(n, make_positive);
  for (int is_log = 0; is_log < 2; is_log++) {
    const gint64 start = g_get_monotonic_time();
    g_autoptr(VtPlotData) data = vt_plot_data_new(objects, NULL, VT_OBJECT_MEASUREMENTS, is_log, 100);
    const gint64 made = g_get_monotonic_time();
    const guint count = vt_plot_data_count(data, 0.5, 2);
    g_print("%u objects, %s: bins %.1f ms, range %.2f ms (%u in it)\n", n, is_log ? "logarithmic" : "linear",
            (double)(made - start) / 1000, (double)(g_get_monotonic_time() - made) / 1000, count);
  }
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  if (argc > 1) {
    time_it((guint)atoi(argv[1]));
    return 0;
  }
  g_test_add_func("/plot/bins", test_bins);
  g_test_add_func("/plot/axis", test_axis);
  g_test_add_func("/plot/range", test_range);
  return g_test_run();
}
