/* SPDX-License-Identifier: MIT
 *
 * Objects like one of them, and where one stands among all, against slow definitions. With an argument: the time for so many objects with sixty measurements. */
#include <math.h>
#include <stdlib.h>

#include "layers/vt-ranks.h"
#include "layers/vt-similar.h"

enum { MOST = 64 };

/* Measurement 0 is a flag that few have; 1 does not vary, 2 is large and varies little, 3 is lacking here and there; some objects are twins. */
static GPtrArray *
objects_new(guint n, guint n_measurements)
{
  static const char *names[MOST];
  GPtrArray *objects = g_ptr_array_new_with_free_func(g_free);
  for (guint k = 0; k < MOST; k++) {
    g_autofree char *name = g_strdup_printf("m%u", k);
    names[k] = g_intern_string(name);
  }
  for (guint i = 0; i < n; i++) {
    double values[MOST];
    for (guint k = 0; k < n_measurements; k++)
      values[k] = k == 0                 ? i % 11 == 5
                  : k == 1               ? 7.25
                  : k == 2               ? 1e7 + g_test_rand_double_range(-2, 2)
                  : k == 3 && i % 9 == 4 ? NAN
                                         : g_test_rand_double_range(-1, 1) * (k + 1);
    const VtObject object = { .id = i + 1,
                              .n_measurements = n_measurements,
                              .measurements = i % 7 == 6 ? ((VtObject *)objects->pdata[i - 1])->measurements : values,
                              .measurement_names = names };
    g_ptr_array_add(objects, vt_object_copy(&object));
  }
  return objects;
}

static double *
dup_numbers(const VtColumns *columns, guint index)
{
  double *numbers = g_new(double, columns->n_own);
  for (guint i = 0; i < columns->n_own; i++)
    numbers[i] = vt_columns_get_value(columns, index, i);
  return numbers;
}

/* Mean and standard deviation of those that have the number, in two goes. */
static void
get_spread(const GPtrArray *objects, guint k, double *mean, double *spread)
{
  guint n = 0;
  *mean = *spread = 0;
  for (guint i = 0; i < objects->len; i++) {
    const double value = ((const VtObject *)objects->pdata[i])->measurements[k];
    n += !isnan(value);
    *mean += isnan(value) ? 0 : value;
  }
  *mean /= n;
  for (guint i = 0; i < objects->len; i++) {
    const double value = ((const VtObject *)objects->pdata[i])->measurements[k];
    *spread += isnan(value) ? 0 : (value - *mean) * (value - *mean);
  }
  *spread = sqrt(*spread / n);
}

/* -1: it is no feature for this object. */
static double
get_difference(const GPtrArray *objects, guint a, guint b, guint k)
{
  const double x = ((const VtObject *)objects->pdata[a])->measurements[k];
  const double y = ((const VtObject *)objects->pdata[b])->measurements[k];
  double mean, spread;
  get_spread(objects, k, &mean, &spread);
  return k == 1 || isnan(x) ? -1 : fabs(x - y) / spread;
}

static double
slow(const GPtrArray *objects, guint a, guint b, guint n_measurements)
{
  double sum = 0;
  guint n = 0;
  for (guint k = 0; k < n_measurements; k++) {
    const double difference = get_difference(objects, a, b, k);
    if (difference == -1)
      continue;
    sum += difference * difference;
    n++;
  }
  return sqrt(sum / n);
}

static void
check_best(const GPtrArray *objects, const VtSimilar *similar, const double *numbers, const double *differences,
           guint of)
{
  VtSimilarFeature best[3];
  guint n_alike = 0, expected = 0;
  const guint n = vt_similar_explain(similar, numbers, differences, 0.9, best, 3, &n_alike);
  double sums[MOST] = { 0 };
  for (guint i = 0; i < objects->len; i++) {
    expected += differences[i] <= 0.9;
    for (guint k = 0; differences[i] <= 0.9 && k < similar->n_features; k++) {
      const double difference = get_difference(objects, of, i, similar->features[k] - VT_OBJECT_MEASUREMENTS);
      sums[k] = difference == -1 ? INFINITY : sums[k] + difference * difference;
    }
  }
  for (guint k = 0; k < similar->n_features; k++) { /* what half of them have is not worth a word */
    guint n_same = 0;
    for (guint i = 0; i < objects->len; i++)
      n_same += get_difference(objects, of, i, similar->features[k] - VT_OBJECT_MEASUREMENTS) == 0;
    sums[k] = n_same > objects->len / 2 ? INFINITY : sums[k];
  }
  g_assert_cmpuint(n_alike, ==, expected);
  guint n_known = 0;
  for (guint k = 0; k < similar->n_features; k++)
    n_known += sums[k] < INFINITY;
  g_assert_cmpuint(n, ==, MIN(3, n_known));
  for (guint i = 0; i < n; i++) {
    guint n_better = 0, at = 0;
    for (guint k = 0; k < similar->n_features; k++) {
      n_better += sqrt(sums[k] / n_alike) < best[i].difference - 1e-5;
      at = similar->features[k] == best[i].column ? k : at;
    }
    g_assert_cmpuint(n_better, <=, i);
    g_assert_cmpfloat_with_epsilon(best[i].difference, sqrt(sums[at] / n_alike), 1e-4);
  }
}

static void
test_definition(void)
{
  for (guint n_measurements = 4; n_measurements <= 20; n_measurements += 8) {
    g_autoptr(GPtrArray) objects = objects_new(150, n_measurements);
    g_autoptr(VtColumns) columns = vt_columns_new(objects, NULL, NULL, 0);
    g_autoptr(VtSimilar) similar = vt_similar_new(columns);
    g_assert_cmpuint(similar->n_features, ==, n_measurements - 1);
    for (guint of = 0; of < 20; of++) {
      g_autofree double *numbers = dup_numbers(columns, of), *found = vt_similar_measure(similar, numbers);
      g_assert_true(found[of] == 0);
      for (guint i = 0; i < objects->len; i++) {
        const double expected = slow(objects, of, i, n_measurements);
        g_assert_true(isnan(expected) ? isnan(found[i]) : fabs(found[i] - expected) < 1e-5 * (1 + expected));
        g_assert_true(i % 7 != 6 || found[i] == found[i - 1] || isnan(found[i])); /* twins are ties */
      }
      check_best(objects, similar, numbers, found, of);
    }
  }
}

/* No objects, one, none that vary: nothing is like anything. */
/* What a region's objects have in the mean, of those that have it. */
static void
test_means(void)
{
  g_autoptr(GPtrArray) objects = objects_new(200, 6);
  for (guint i = 0; i < objects->len; i++) {
    ((VtObject *)objects->pdata[i])->centroid_x_l0 = i % 20;
    ((VtObject *)objects->pdata[i])->centroid_y_l0 = i / 20;
  }
  g_autoptr(VtColumns) columns = vt_columns_new(objects, NULL, NULL, 0);
  g_autoptr(GPtrArray) rois = g_ptr_array_new_with_free_func((GDestroyNotify)vt_roi_free);
  g_ptr_array_add(rois, vt_roi_new_rectangle("a", 2.5, 1.5, 6, 4));
  g_ptr_array_add(rois, vt_roi_new_rectangle("b", 5.5, 3.5, 9, 5));
  guint n = 0, expected = 0;
  g_autofree double *means = vt_similar_dup_means(columns, rois, &n);
  double sum = 0;
  guint n_has = 0;
  for (guint i = 0; i < objects->len; i++) {
    const guint x = i % 20, y = i / 20;
    if (!((x > 2 && x <= 8 && y > 1 && y <= 5) || (x > 5 && x <= 14 && y > 3 && y <= 8)))
      continue;
    const double value = vt_columns_get_value(columns, i, VT_OBJECT_MEASUREMENTS + 3);
    expected++;
    sum += isnan(value) ? 0 : value;
    n_has += !isnan(value);
  }
  g_assert_cmpuint(n, ==, expected);
  g_assert_cmpfloat_with_epsilon(means[VT_OBJECT_MEASUREMENTS + 3], sum / n_has, 1e-12);
  g_ptr_array_set_size(rois, 0);
  g_autofree double *none = vt_similar_dup_means(columns, rois, &n);
  g_assert_true(n == 0 && isnan(none[VT_OBJECT_MEASUREMENTS]));
}

static void
test_little(void)
{
  for (guint n = 0; n < 2; n++) {
    g_autoptr(GPtrArray) objects = objects_new(n, 4);
    g_autoptr(VtColumns) columns = vt_columns_new(objects, NULL, NULL, 0);
    g_autoptr(VtSimilar) similar = vt_similar_new(columns);
    const double numbers[MOST] = { 0 };
    g_autofree double *found = vt_similar_measure(similar, numbers);
    g_assert_cmpuint(similar->n_features, ==, 0);
    g_assert_true(n == 0 || isnan(found[0]));
  }
}

static void
time_it(guint n)
{
  g_autoptr(GPtrArray) objects = objects_new(n, 60);
  g_autoptr(VtColumns) columns = vt_columns_new(objects, NULL, NULL, 0);
  const gint64 start = g_get_monotonic_time();
  g_autoptr(VtSimilar) similar = vt_similar_new(columns);
  const gint64 made = g_get_monotonic_time();
  gint64 fastest = G_MAXINT64;
  for (guint i = 0; i < 5; i++) {
    const gint64 began = g_get_monotonic_time();
    g_autofree double *numbers = dup_numbers(columns, i * 10), *found = vt_similar_measure(similar, numbers);
    fastest = MIN(fastest, g_get_monotonic_time() - began);
  }
  g_print("%u objects of 60 measurements: features in %.0f ms, once a result; asked for in %.1f ms\n", n,
          1e-3 * (double)(made - start), 1e-3 * (double)fastest);
}

/* Lower ones and half of its equals, of all others that have the number. */
static void
test_ranks(void)
{
  g_autoptr(GPtrArray) objects = objects_new(200, 5);
  g_autoptr(VtColumns) columns = vt_columns_new(objects, NULL, NULL, 0);
  for (guint i = 0; i < objects->len; i += 13) {
    g_autofree VtRank *ranks = vt_ranks_new(columns, i);
    for (guint k = 0; k < columns->n; k++) {
      const double own = vt_columns_get_value(columns, i, k);
      double sum = 0;
      guint n = 0;
      for (guint other = 0; other < objects->len; other++) {
        const double value = vt_columns_get_value(columns, other, k);
        if (other == i || isnan(value))
          continue;
        n++;
        sum += value < own ? 1 : value == own ? 0.5 : 0;
      }
      g_assert_cmpint(isnan(own), ==, isnan(ranks[k].percent));
      if (isnan(own))
        continue;
      g_assert_cmpuint(ranks[k].n, ==, n + 1);
      g_assert_cmpfloat_with_epsilon(ranks[k].percent, 100 * sum / n, 1e-9);
      guint n_sorted = 0;
      g_autofree double *sorted = vt_ranks_sort(columns, k, &n_sorted);
      g_assert_cmpuint(n_sorted, ==, n + 1);
      g_assert_true(vt_ranks_find(sorted, n_sorted, own) == ranks[k].percent);
      g_assert_true(isnan(vt_ranks_find(sorted, n_sorted, own + 1e-7)) && isnan(vt_ranks_find(sorted, n_sorted, NAN)));
    }
  }
  g_ptr_array_set_size(objects, 1);
  g_autoptr(VtColumns) one = vt_columns_new(objects, NULL, NULL, 0);
  g_autofree VtRank *alone = vt_ranks_new(one, 0);
  g_assert_true(alone[VT_OBJECT_X].percent == 50 && alone[VT_OBJECT_X].n == 1);
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  if (argc > 1) {
    time_it((guint)strtoul(argv[1], NULL, 10));
    return 0;
  }
  g_test_add_func("/similar/definition", test_definition);
  g_test_add_func("/similar/means", test_means);
  g_test_add_func("/similar/little", test_little);
  g_test_add_func("/similar/ranks", test_ranks);
  return g_test_run();
}
