/* SPDX-License-Identifier: MIT
 *
 * Bins of objects against a count that looks at every edge. With an argument: the time for so many objects. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "panels/vt-boxes-data.h"
#include "panels/vt-parallel-data.h"
#include "panels/vt-plot-choice.h"
#include "panels/vt-plot-data.h"
#include "panels/vt-scatter-data.h"

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
check(const VtColumns *columns, const VtObjectFilter *filter, gboolean is_log, guint most_bins)
{
  const GPtrArray *objects = columns->objects;
  g_autoptr(VtPlotData) data = vt_plot_data_new(columns, filter, VT_OBJECT_MEASUREMENTS, is_log, most_bins);
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
      want_some += is_in && (!filter || vt_object_filter_passes(filter, objects, k));
    }
    g_assert_cmpuint(data->all[bin], ==, want_all);
    g_assert_cmpuint(data->some[bin], ==, want_some);
    all += want_all;
    some += want_some;
  }
  for (guint k = 0; k < objects->len; k++) {
    const double value = vt_object_get_value(objects->pdata[k], VT_OBJECT_MEASUREMENTS);
    const gboolean passes = !filter || vt_object_filter_passes(filter, objects, k);
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
  g_autoptr(GPtrArray) some = objects_new(1, make_one);
  g_autoptr(VtColumns) of_some = vt_columns_new(some, NULL, NULL, 0);
  g_autoptr(VtObjectFilter) filter = vt_object_filter_new("a < 5 or number > 100", of_some, &error);
  g_assert_no_error(error);
  for (guint m = 0; m < G_N_ELEMENTS(makes); m++)
    for (guint n = 0; n < 2000; n = 4 * n + 1) {
      g_autoptr(GPtrArray) objects = objects_new(n, makes[m]);
      g_autoptr(VtColumns) columns = vt_columns_new(objects, NULL, NULL, 0);
      for (guint most_bins = 2; most_bins < 200; most_bins *= 3)
        for (int is_log = 0; is_log < 2; is_log++) {
          check(columns, NULL, is_log, most_bins);
          check(columns, filter, is_log, most_bins);
        }
    }
}

/* Edges are the decimals that are read: 0.3, not the sum of three tenths. Places and numbers go back and forth. */
static void
test_axis(void)
{
  g_autoptr(GPtrArray) objects = objects_new(2000, make_odd);
  g_autoptr(VtColumns) columns = vt_columns_new(objects, NULL, NULL, 0);
  g_autoptr(VtPlotData) data = vt_plot_data_new(columns, NULL, VT_OBJECT_MEASUREMENTS, FALSE, 1300);
  for (guint i = 0; i < data->edges->len; i++) {
    const double edge = g_array_index(data->edges, double, i);
    g_autofree char *text = g_strdup_printf("%.6g", edge);
    g_assert_true(g_ascii_strtod(text, NULL) == edge);
  }
  for (int is_log = 0; is_log < 2; is_log++) {
    g_autoptr(VtPlotData) of = vt_plot_data_new(columns, NULL, VT_OBJECT_MEASUREMENTS, is_log, 30);
    for (double part = 0; part <= 1; part += 0.01) {
      g_assert_cmpfloat_with_epsilon(vt_plot_axis_get_part(&of->axis, vt_plot_axis_get_value(&of->axis, part)), part,
                                     1e-9);
      const double snapped = vt_plot_axis_snap(&of->axis, part, 400);
      g_autofree char *text = g_strdup_printf("%.7g", snapped);
      g_assert_true(g_ascii_strtod(text, NULL) == snapped);
      g_assert_cmpfloat_with_epsilon(vt_plot_axis_get_part(&of->axis, snapped), part, 1.5 / 400);
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
  g_autoptr(VtColumns) columns = vt_columns_new(objects, NULL, NULL, 0);
  g_autoptr(VtObjectFilter) filter = vt_object_filter_new("number > 100 or a < 0", columns, NULL);
  g_autoptr(VtObjectFilter) range = vt_object_filter_new_range(columns, VT_OBJECT_MEASUREMENTS, -1, 0.3);
  g_autoptr(VtObjectFilter) both = vt_object_filter_join(filter, range);
  for (guint i = 0; i < objects->len; i++) {
    const double value = vt_object_get_value(objects->pdata[i], VT_OBJECT_MEASUREMENTS);
    const gboolean is_in = value >= -1 && value <= 0.3;
    g_assert_cmpint(vt_object_filter_passes(range, objects, i), ==, is_in);
    g_assert_cmpint(vt_object_filter_passes(both, objects, i), ==,
                    is_in && vt_object_filter_passes(filter, objects, i));
  }
}

/* --- boxes --- */

static const char *const groups[] = { "one", "other", "empty", NULL };

/* By counting: the k-th smallest is the one with at most k smaller and more than k not larger ones. */
static double
find_kth(const GArray *numbers, guint k)
{
  for (guint i = 0; i < numbers->len; i++) {
    const double value = g_array_index(numbers, double, i);
    guint smaller = 0, not_larger = 0;
    for (guint j = 0; j < numbers->len; j++) {
      smaller += g_array_index(numbers, double, j) < value;
      not_larger += g_array_index(numbers, double, j) <= value;
    }
    if (smaller <= k && k < not_larger)
      return value;
  }
  g_assert_not_reached();
}

static void
check_box(const VtBox *box, const GArray *numbers)
{
  static const double parts[] = { 0.05, 0.25, 0.5, 0.75, 0.95 };
  g_assert_cmpuint(box->n, ==, numbers->len);
  for (guint k = 0; k < VT_BOX_N && box->n == 0; k++)
    g_assert_true(isnan(box->quantiles[k]) && isnan(box->lowest) && isnan(box->highest));
  g_assert_true(box->n == 0 || (box->lowest == find_kth(numbers, 0) && box->highest == find_kth(numbers, box->n - 1)));
  for (guint k = 0; k < VT_BOX_N && box->n > 0; k++) {
    const double at = (box->n - 1) * parts[k], low = find_kth(numbers, (guint)at);
    const double high = (guint)at + 1 < box->n ? find_kth(numbers, (guint)at + 1) : low;
    g_assert_cmpfloat_with_epsilon(box->quantiles[k], low + (at - floor(at)) * (high - low), 1e-9);
  }
}

/* One tick tells no scale. */
static void
test_ticks(void)
{
  for (double low = 0.003; low < 2000; low *= 1.37)
    for (double part = 1.02; part < 1e5; part *= 1.21) {
      const double ends[] = { low, low * part };
      const VtPlotAxis axis = vt_plot_axis_around(ends, 2, TRUE);
      double ticks[VT_PLOT_MOST_TICKS];
      for (double most = 1.5; most < 9; most++) {
        const guint n = vt_plot_axis_get_ticks(&axis, most, ticks);
        g_assert_true(n >= 2 && n <= MAX(2 * most + 2, 12));
        for (guint i = 0; i < n; i++)
          g_assert_true(ticks[i] >= axis.low * (1 - 1e-9) && ticks[i] <= axis.high * (1 + 1e-9));
      }
    }
}

/* Of words, of which an object has one or none, and of sets, of which it has any. */
static void
check_boxes(guint n, gboolean has_sets, gboolean is_log)
{
  g_autoptr(GPtrArray) objects = objects_new(n, make_odd);
  double *words = g_new(double, n + 1);
  guint n_none = 0, n_several = 0, n_passing = 0, n_absent = 0;
  g_autoptr(VtColumn) sets = vt_column_new_sets("S", "S", objects, groups);
  GArray *numbers[3];
  for (guint k = 0; k < 3; k++)
    numbers[k] = g_array_new(FALSE, FALSE, sizeof(double));
  for (guint i = 0; i < n; i++)
    words[i] = i % 4 == 3 ? NAN : i % 2;
  for (guint i = 0; i < n; i++) {
    const double value = vt_object_get_value(objects->pdata[i], VT_OBJECT_MEASUREMENTS);
    guint n_in = 0;
    for (guint k = 0; k < 2; k++) {
      const gboolean is_in = has_sets ? i % (k + 2) == 0 : words[i] == k;
      if (is_in && has_sets)
        vt_column_put(sets, i, k);
      if (is_in && i >= 5 && isfinite(value))
        g_array_append_val(numbers[k], value);
      n_in += is_in;
    }
    n_passing += i >= 5;
    n_none += i >= 5 && n_in == 0;
    n_several += i >= 5 && n_in > 1;
    n_absent += i >= 5 && n_in > 0 && !isfinite(value);
  }
  g_autoptr(VtColumn) column = vt_column_new("W", "W", objects, words, groups);
  VtColumn *added[] = { has_sets ? sets : column };
  g_autoptr(VtColumns) columns = vt_columns_new(objects, NULL, added, 1);
  g_autoptr(VtObjectFilter) filter = vt_object_filter_new("number > 5", columns, NULL);
  g_autoptr(VtBoxesData) data = vt_boxes_data_new(columns, filter, VT_OBJECT_MEASUREMENTS, columns->n_own, is_log);
  g_assert_cmpuint(data->n, ==, 3);
  g_assert_true(data->n_objects == n && data->n_passing == n_passing && data->n_none == n_none);
  g_assert_true(data->n_several == n_several && data->n_absent == n_absent);
  for (guint k = 0; k < 3 * VT_BOX_N && !is_log; k++) {
    const double quantile = data->boxes[k / VT_BOX_N].quantiles[k % VT_BOX_N];
    g_assert_true(isnan(quantile) || (quantile >= data->axis.low && quantile <= data->axis.high));
  }
  for (guint k = 0; k < 3; k++) {
    check_box(&data->boxes[k], numbers[k]);
    g_array_unref(numbers[k]);
  }
}

static void
test_boxes(void)
{
  for (guint n = 1; n < 700; n = 3 * n + 1)
    for (int turn = 0; turn < 4; turn++)
      check_boxes(n, turn & 1, turn & 2);
  static const double sorted[] = { 1, 2, 4, 8 }; /* numpy.percentile([1, 2, 4, 8], [5, 25, 50, 95]) */
  g_assert_cmpfloat_with_epsilon(vt_boxes_get_quantile(sorted, 4, 0.05), 1.15, 1e-12);
  g_assert_cmpfloat_with_epsilon(vt_boxes_get_quantile(sorted, 4, 0.25), 1.75, 1e-12);
  g_assert_cmpfloat_with_epsilon(vt_boxes_get_quantile(sorted, 4, 0.5), 3, 1e-12);
  g_assert_cmpfloat_with_epsilon(vt_boxes_get_quantile(sorted, 4, 0.95), 7.4, 1e-12);
}

/* --- two numbers --- */

static const char *const two_names[] = { "a", "b" };

static GPtrArray *
pairs_new(guint n)
{
  GPtrArray *objects = g_ptr_array_new_with_free_func(g_free);
  for (guint i = 0; i < n; i++) {
    const double values[2] = { i % 50 == 7 ? NAN : g_test_rand_int_range(-5, 200) / 8.0,
                               i % 40 == 9 ? INFINITY : exp(g_test_rand_double_range(-2, 4)) };
    const VtObject object = {
      .id = i + 1, .n_measurements = 2, .measurements = values, .measurement_names = two_names
    };
    g_ptr_array_add(objects, vt_object_copy(&object));
  }
  return objects;
}

/* The mask, and the filter of the same choice, against each object looked at with all edges. */
static void
check_choice(const VtColumns *columns, const VtObjectFilter *filter, const VtScatterData *data,
             const VtScatterChoice *choice)
{
  const GPtrArray *objects = columns->objects;
  const VtScatterPoints *p = data->points;
  g_autoptr(VtObjectFilter) chosen =
    vt_scatter_choice_new_filter(choice, columns, p->column_x, p->is_log_x, p->column_y, p->is_log_y);
  guint want = 0;
  for (guint i = 0; i < objects->len; i++) {
    const double x = vt_object_get_value(objects->pdata[i], p->column_x),
                 y = vt_object_get_value(objects->pdata[i], p->column_y);
    want += vt_plot_axis_can_show(p->is_log_x, x) && vt_plot_axis_can_show(p->is_log_y, y)
            && (!filter || vt_object_filter_passes(filter, objects, i)) && vt_object_filter_passes(chosen, objects, i);
  }
  g_assert_cmpuint(vt_scatter_data_count(data, choice), ==, want);
}

static void
check_cells(GPtrArray *objects, const VtObjectFilter *filter, const VtScatterData *data)
{
  guint64 sum = 0, passing = 0;
  for (guint i = 0; i < data->width * data->height; i++)
    sum += data->counts[i];
  for (guint i = 0; i < objects->len; i++)
    passing += !filter || vt_object_filter_passes(filter, objects, i);
  g_assert_cmpuint(data->points->n_passing, ==, passing);
  g_assert_cmpuint(sum + data->n_outside + data->points->n_absent, ==, passing);
}

static void
test_scatter(void)
{
  g_autoptr(GPtrArray) objects = pairs_new(3000);
  g_autoptr(VtColumns) columns = vt_columns_new(objects, NULL, NULL, 0);
  g_autoptr(VtObjectFilter) filter = vt_object_filter_new("number > 500 and a < 20", columns, NULL);
  for (int turn = 0; turn < 200; turn++) {
    VtObjectFilter *of = turn & 1 ? filter : NULL;
    g_autoptr(VtScatterPoints) points =
      vt_scatter_points_new(columns, of, VT_OBJECT_MEASUREMENTS, turn & 2, VT_OBJECT_MEASUREMENTS + 1, turn & 4);
    const VtPlotAxis part = { 1, 9, points->is_log_x };
    g_autoptr(VtScatterData) data =
      vt_scatter_data_new(points, turn & 8 ? &part : &points->all_x, &points->all_y, turn & 16 ? 90 : 7, turn % 31 + 1);
    VtScatterChoice choice = { TRUE, .points = g_array_new(FALSE, FALSE, sizeof(double)) };
    check_cells(objects, of, data);
    for (int i = turn % 9 + 6; i > 0; i--) { /* corners on and beside numbers, edges that lie flat */
      const double corner[2] = { g_test_rand_int_range(1, 100) / 4.0, i % 3 ? g_test_rand_double_range(0.1, 60) : 2 };
      g_array_append_vals(choice.points, corner, 2);
    }
    check_choice(columns, of, data, &choice);
    vt_scatter_choice_clear(&choice);
    check_choice(columns, of, data, &(VtScatterChoice){ FALSE, 0.125, 9, 0.5, 20, NULL });
  }
}

/* --- parallel axes --- */

enum { N_AXES = 4 };
static const char *const four_names[] = { "a", "b", "c", "d" };

static GPtrArray *
fours_new(guint n)
{
  GPtrArray *objects = g_ptr_array_new_with_free_func(g_free);
  for (guint i = 0; i < n; i++) {
    const double a = g_test_rand_double(),
                 values[N_AXES] = { a, a * a + 0.3 * g_test_rand_double(),
                                    i % 11 == 3 ? NAN : exp(4 * g_test_rand_double()), i % 7 };
    const VtObject object = {
      .id = i + 1, .n_measurements = N_AXES, .measurements = values, .measurement_names = four_names
    };
    g_ptr_array_add(objects, vt_object_copy(&object));
  }
  return objects;
}

static VtClassified *
classes_new(GPtrArray *objects)
{
  static const guint8 colours[][3] = { { 255, 0, 0 }, { 0, 200, 40 } };
  GPtrArray *list = g_ptr_array_new_with_free_func(g_free);
  for (guint i = 0; i < G_N_ELEMENTS(colours); i++) {
    VtModelClass *cls = g_new0(VtModelClass, 1);
    memcpy(cls->rgb, colours[i], 3);
    g_ptr_array_add(list, cls);
  }
  VtClassified *classified = vt_classified_new_empty(list, objects);
  for (guint i = 0; i < objects->len; i++)
    classified->classes[i] = i % 3 == 2 ? VT_NO_CLASS : (guint8)(i % 3);
  g_ptr_array_unref(list);
  return classified;
}

/* Object by object, gap by gap, column by column. */
static void
check_parallel(const VtParallelData *data, const VtObjectFilter *filter, const GPtrArray *objects,
               const VtObjectFilter *chosen)
{
  const VtParallelPoints *points = data->points;
  const gsize n_cells = (gsize)data->width * data->height;
  g_autofree guint32 *counts = g_new0(guint32, n_cells), *reds = g_new0(guint32, n_cells);
  g_autofree guint8 *others = g_new0(guint8, n_cells);
  guint n_chosen = 0;
  for (guint i = 0; i < points->n; i++) {
    const gboolean is_in = (!filter || vt_object_filter_passes(filter, objects, i))
                           && (!chosen || vt_object_filter_passes(chosen, objects, i));
    const guint8 cls = points->classified ? points->classified->classes[i] : VT_NO_CLASS;
    n_chosen += is_in;
    for (guint k = 0; k + 1 < points->n_axes; k++) {
      int rows[2], first, last;
      for (guint side = 0; side < 2; side++) {
        const VtPlotAxis *axis = &points->axes[k + side];
        const double part = (points->values[k + side][i] - axis->low) / (axis->high - axis->low) * data->height;
        rows[side] = isnan(part) ? -1 : MIN((int)part, (int)data->height - 1);
      }
      for (guint at = 0; rows[0] >= 0 && rows[1] >= 0 && at < data->gap; at++) {
        vt_parallel_get_rows(rows[0], rows[1], (int)at, (int)data->gap, &first, &last);
        for (int row = first; row <= last; row++) {
          const gsize cell = (data->height - 1 - (gsize)row) * data->width + k * data->gap + at;
          counts[cell] += is_in;
          others[cell] |= !is_in;
          reds[cell] += !is_in ? 0 : cls == VT_NO_CLASS ? 128 : cls == 0 ? 255 : 0;
        }
      }
    }
  }
  g_assert_cmpuint(data->n_chosen, ==, n_chosen);
  g_assert_cmpmem(data->counts, n_cells * sizeof *counts, counts, n_cells * sizeof *counts);
  g_assert_cmpmem(data->others, n_cells, others, n_cells);
  for (gsize i = 0; data->rgb && i < n_cells; i++)
    g_assert_cmpuint(data->rgb[3 * i], ==, counts[i] > 0 ? reds[i] / counts[i] : 0);
}

static void
test_parallel(void)
{
  g_autoptr(GPtrArray) objects = fours_new(500);
  g_autoptr(VtColumns) columns = vt_columns_new(objects, NULL, NULL, 0);
  g_autoptr(VtClassified) classified = classes_new(objects);
  const guint axes[N_AXES] = { VT_OBJECT_MEASUREMENTS, VT_OBJECT_MEASUREMENTS + 1, VT_OBJECT_MEASUREMENTS + 2,
                               VT_OBJECT_MEASUREMENTS + 3 };
  g_autoptr(VtObjectFilter) filter = vt_object_filter_new("a < 0.9", columns, NULL);
  g_autoptr(VtObjectFilter) chosen = vt_object_filter_new("b >= 0.2 and b <= 0.7 and d >= 2 and d <= 5", columns, NULL);
  const VtPlotRange ranges[N_AXES] = { { 0 }, { TRUE, 0.2, 0.7 }, { 0 }, { TRUE, 2, 5 } };
  for (int turn = 0; turn < 4; turn++) {
    g_autoptr(VtParallelPoints) points =
      vt_parallel_points_new(columns, turn & 1 ? filter : NULL, turn & 2 ? classified : NULL, axes, N_AXES);
    g_autoptr(VtParallelData) all = vt_parallel_data_new(points, NULL, 25, 40);
    g_autoptr(VtParallelData) some = vt_parallel_data_new(points, ranges, 7, 93);
    check_parallel(all, turn & 1 ? filter : NULL, objects, NULL);
    check_parallel(some, turn & 1 ? filter : NULL, objects, chosen);
    g_assert_cmpuint(some->n_chosen, >, 20);
    if (!(turn & 1))
      g_assert_cmpuint(points->n_absent, ==, 46); /* of 500 each eleventh from the third on */
  }
}

/* As a session keeps them, and back. What is anything else than ranges of these axes is none. */
static void
test_ranges_as_text(void)
{
  static const char *const others[] = { "a > 1 or b > 2", "not a > 1", "a > b", "a + 1 > 2", "a > 1 and number > 3" };
  const guint axes[3] = { VT_OBJECT_MEASUREMENTS, VT_OBJECT_MEASUREMENTS + 1, VT_OBJECT_MEASUREMENTS + 3 };
  g_autoptr(GPtrArray) objects = fours_new(10);
  g_autoptr(VtColumns) columns = vt_columns_new(objects, NULL, NULL, 0);
  const VtPlotChoice choice = {
    .column_y = -1, .n_ranges = 2, .columns = { axes[0], axes[2] }, .ranges = { { TRUE, -0.3, 0.7 }, { TRUE, 2, 2 } }
  };
  VtPlotRange back[3];
  g_autoptr(GString) text = g_string_new(NULL);
  vt_plot_choice_add_text(&choice, columns, text);
  g_autoptr(VtObjectFilter) filter = vt_object_filter_new(text->str, columns, NULL);
  g_assert_true(vt_plot_choice_ranges_from_filter(back, filter, axes, 3));
  g_assert_true(back[0].has && back[0].from == -0.3 && back[0].to == 0.7 && !back[1].has);
  g_assert_true(back[2].has && back[2].from == 2 && back[2].to == 2);
  g_assert_false(vt_plot_choice_ranges_from_filter(back, filter, axes, 2));
  for (guint i = 0; i < G_N_ELEMENTS(others); i++) {
    g_autoptr(VtObjectFilter) other = vt_object_filter_new(others[i], columns, NULL);
    g_assert_nonnull(other);
    g_assert_false(vt_plot_choice_ranges_from_filter(back, other, axes, 3));
  }
}

/* A measurement against itself: what is written of both axes is read back for both. */
static void
test_itself(void)
{
  const guint column = VT_OBJECT_MEASUREMENTS;
  g_autoptr(GPtrArray) objects = fours_new(10);
  g_autoptr(VtColumns) columns = vt_columns_new(objects, NULL, NULL, 0);
  const VtPlotChoice choice = { .column_x = column, .column_y = (gint)column, .choice = { FALSE, 1, 9, 3, 5, NULL } };
  VtScatterChoice back;
  g_autoptr(GString) text = g_string_new(NULL);
  vt_plot_choice_add_text(&choice, columns, text);
  g_autoptr(VtObjectFilter) filter = vt_object_filter_new(text->str, columns, NULL);
  g_assert_true(vt_plot_choice_from_filter(&back, filter, column, FALSE, (gint)column, FALSE));
  g_assert_true(back.from_x == 1 && back.to_x == 9 && back.from_y == 3 && back.to_y == 5);
}

static void
time_parallel(guint n)
{
  g_autoptr(GPtrArray) objects = fours_new(n);
  g_autoptr(VtColumns) columns = vt_columns_new(objects, NULL, NULL, 0);
  guint axes[VT_PARALLEL_MOST];
  for (guint i = 0; i < VT_PARALLEL_MOST; i++)
    axes[i] = VT_OBJECT_MEASUREMENTS + i % N_AXES;
  for (guint n_axes = 3; n_axes <= VT_PARALLEL_MOST; n_axes += 3) {
    clock_t start = clock(); /* of the processor: nothing waits */
    g_autoptr(VtParallelPoints) points = vt_parallel_points_new(columns, NULL, NULL, axes, n_axes);
    g_print("%u objects, %u axes: points %.1f ms", n, n_axes, (double)(clock() - start) / CLOCKS_PER_SEC * 1000);
    start = clock();
    g_autoptr(VtParallelData) data = vt_parallel_data_new(points, NULL, 400 / (n_axes - 1), 130);
    g_print(", lines %.1f ms\n", (double)(clock() - start) / CLOCKS_PER_SEC * 1000);
  }
}

static void
time_scatter(guint n)
{
  g_autoptr(GPtrArray) objects = pairs_new(n);
  g_autoptr(VtColumns) columns = vt_columns_new(objects, NULL, NULL, 0);
  gint64 start = g_get_monotonic_time();
  g_autoptr(VtScatterPoints) points =
    vt_scatter_points_new(columns, NULL, VT_OBJECT_MEASUREMENTS, FALSE, VT_OBJECT_MEASUREMENTS + 1, TRUE);
  g_print("%u objects: points %.1f ms", n, (double)(g_get_monotonic_time() - start) / 1000);
  start = g_get_monotonic_time();
  g_autoptr(VtScatterData) data = vt_scatter_data_new(points, &points->all_x, &points->all_y, 300, 200);
  g_print(", cells %.1f ms", (double)(g_get_monotonic_time() - start) / 1000);
  VtScatterChoice choice = { TRUE, .points = g_array_new(FALSE, FALSE, sizeof(double)) };
  for (int i = 0; i < 200; i++) {
    const double corner[2] = { 12 + 9 * cos(i * G_PI / 100), exp(1 + 2 * sin(i * G_PI / 100)) };
    g_array_append_vals(choice.points, corner, 2);
  }
  start = g_get_monotonic_time();
  const guint in = vt_scatter_data_count(data, &choice);
  g_print(", polygon of 200 corners %.1f ms (%u in it)\n", (double)(g_get_monotonic_time() - start) / 1000, in);
  vt_scatter_choice_clear(&choice);
}

static void
time_it(guint n)
{
  g_autoptr(GPtrArray) objects = objects_new(n, make_positive);
  g_autoptr(VtColumns) columns = vt_columns_new(objects, NULL, NULL, 0);
  for (int is_log = 0; is_log < 2; is_log++) {
    const gint64 start = g_get_monotonic_time();
    g_autoptr(VtPlotData) data = vt_plot_data_new(columns, NULL, VT_OBJECT_MEASUREMENTS, is_log, 100);
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
    time_scatter((guint)atoi(argv[1]));
    time_parallel((guint)atoi(argv[1]));
    return 0;
  }
  g_test_add_func("/plot/bins", test_bins);
  g_test_add_func("/plot/axis", test_axis);
  g_test_add_func("/plot/range", test_range);
  g_test_add_func("/plot/boxes", test_boxes);
  g_test_add_func("/plot/ticks", test_ticks);
  g_test_add_func("/plot/scatter", test_scatter);
  g_test_add_func("/plot/parallel", test_parallel);
  g_test_add_func("/plot/itself", test_itself);
  g_test_add_func("/plot/ranges-as-text", test_ranges_as_text);
  return g_test_run();
}
