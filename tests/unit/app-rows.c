/* SPDX-License-Identifier: MIT
 *
 * The order of rows of objects against a sort that compares. With an argument: the time for so many objects. */
#include <math.h>
#include <stdlib.h>

#include "layers/vt-object-filter.h"
#include "panels/vt-object-rows.h"

static const char *const names[] = { "a", "b" };

/* Few values of the first measurement, so that many are equal; some are not known, or zero of either sign. */
static GPtrArray *
objects_new(guint n)
{
  static const double odd[] = { NAN, 0.0, -0.0, INFINITY, -INFINITY, 5e-324, -1e300 };
  GPtrArray *objects = g_ptr_array_new_with_free_func(g_free);
  for (guint i = 0; i < n; i++) {
    const double values[] = { g_test_rand_int_range(0, 3) == 0 ? odd[g_test_rand_int_range(0, G_N_ELEMENTS(odd))]
                                                               : g_test_rand_int_range(-20, 20),
                              g_test_rand_double_range(-1e6, 1e6) };
    const VtObject object = { .id = i + 1,
                              .centroid_x_l0 = g_test_rand_double_range(0, 1e5),
                              .centroid_y_l0 = -(double)i,
                              .n_measurements = 2,
                              .measurements = values,
                              .measurement_names = names };
    g_ptr_array_add(objects, vt_object_copy(&object));
  }
  return objects;
}

/* Whether a may stand before b. */
static gboolean
in_order(const VtObject *a, const VtObject *b, guint column, gboolean falling)
{
  const double x = vt_object_get_value(a, column), y = vt_object_get_value(b, column);
  if (isnan(x) || isnan(y))
    return isnan(x) ? isnan(y) && a->id < b->id : TRUE;
  return x == y ? a->id < b->id : (x < y) != falling;
}

static void
test_order(void)
{
  g_autoptr(VtObjectRows) rows = vt_object_rows_new();
  for (guint n = 0; n < 3000; n = n * 3 + 1) {
    g_autoptr(GPtrArray) objects = objects_new(n);
    vt_object_rows_set_objects(rows, objects);
    for (guint column = 0; column < VT_OBJECT_MEASUREMENTS + 3; column++)
      for (int falling = 0; falling < 2; falling++) {
        const VtObject *last = NULL, *object;
        guint index, k = 0;
        vt_object_rows_sort(rows, column, falling);
        for (; (object = vt_object_rows_get_object(rows, k, &index)); k++) {
          g_assert_true(!last || in_order(last, object, column, falling));
          g_assert_true(objects->pdata[index] == object && vt_object_rows_find(rows, index) == k);
          last = object;
        }
        g_assert_cmpuint(k, ==, n);
      }
  }
  g_assert_cmpuint(vt_object_rows_find(rows, 5000), ==, G_MAXUINT);
  vt_object_rows_set_objects(rows, NULL);
  g_assert_cmpuint(g_list_model_get_n_items(G_LIST_MODEL(rows)), ==, 0);
}

/* Items are made when they are asked for, and know their object. */
static void
test_list(void)
{
  g_autoptr(VtObjectRows) rows = vt_object_rows_new();
  g_autoptr(GPtrArray) objects = objects_new(50);
  vt_object_rows_set_objects(rows, objects);
  vt_object_rows_sort(rows, VT_OBJECT_Y, FALSE);
  g_autoptr(VtObjectRow) first = g_list_model_get_item(G_LIST_MODEL(rows), 0);
  g_assert_cmpuint(vt_object_row_get_index(first), ==, 49);
  g_assert_null(g_list_model_get_item(G_LIST_MODEL(rows), 50));
}

/* area 10, perimeter 4, stain mean 0.5, stain max not known; number 7, x 3, y -2 */
static gboolean
passes(const char *text)
{
  static const char *const measured[] = { "Nucleus: Area µm^2", "Nucleus: Perimeter µm", "Nucleus: Stain OD mean",
                                          "Nucleus: Stain OD max" };
  static const double values[] = { 10, 4, 0.5, NAN };
  const VtObject object = { .id = 7,
                            .centroid_x_l0 = 3,
                            .centroid_y_l0 = -2,
                            .n_measurements = 4,
                            .measurements = values,
                            .measurement_names = measured };
  g_autoptr(GError) error = NULL;
  g_autoptr(VtObjectFilter) filter = vt_object_filter_new(text, measured, 4, &error);
  g_assert_no_error(error);
  return vt_object_filter_passes(filter, &object);
}

static void
refuse(const char *text, const char *sentence)
{
  static const char *const measured[] = { "Nucleus: Area µm^2", "Nucleus: Stain OD mean", "Nucleus: Stain OD max" };
  g_autoptr(GError) error = NULL;
  g_assert_null(vt_object_filter_new(text, measured, 3, &error));
  g_assert_cmpstr(error->message, ==, sentence);
}

static void
test_filter(void)
{
  static const char *const good[] = {
    "area > 9 and area < 11",
    "AREA>9&&Area<11",
    "not area < 10",
    "\"nucleus: area µm²\" = 10",
    "\"stain od mean\" <= .5",
    "perimeter * 2 + 2 = area",
    "2 + perimeter * 2 = area",
    "(2 + perimeter) * 2 = 12",
    "area - 4 - 3 = 3",
    "area / 2 / 5 == 1",
    "-area < -9 && -(y) = 2",
    "area = 1 or x = 3 and number = 7",
    "!(area < 1) and area",
    "not max > 0",
    "not max < 0",
    "not max = max",
    "area >= 10 and y != 2",
    "1 or 1 and 0",
    "not 0 and 1",
    " 1 ",
  };
  static const char *const bad[] = { "area > 10", "max > 0 or max < 1", "max != 1", "max", "(1 or 1) and 0",
                                     "0 / 0",     "area < x",           "not area" };
  for (guint i = 0; i < G_N_ELEMENTS(good); i++) {
    g_test_message("%s", good[i]);
    g_assert_true(passes(good[i]));
  }
  for (guint i = 0; i < G_N_ELEMENTS(bad); i++)
    g_assert_false(passes(bad[i]));
  refuse("", "At character 1: a number or the name of a measurement is missing");
  refuse("area >", "At character 7: a number or the name of a measurement is missing");
  refuse("area > 1 2", "At character 10: this does not belong here");
  refuse("(area > 1", "At character 10: a closing bracket is missing");
  refuse("µm > 1 and stain > 2", "At character 12: “stain” may be “Nucleus: Stain OD mean” or “Nucleus: Stain OD max”");
  refuse("nuclei = 1", "At character 1: no measurement is called “nuclei”");
  refuse("\"area", "At character 1: the quotes have no end");
  refuse("area < 1e999", "At character 8: this is no number");
  refuse("area < 1.2.3", "At character 8: this is no number");
  g_autofree char *deep = g_strnfill(500, '('), *nots = g_strnfill(500, '!'), *minus = g_strnfill(100000, '-');
  refuse(deep, "At character 33: there is too much of it");
  refuse(nots, "At character 33: there is too much of it");
  refuse(minus, "At character 33: there is too much of it");
}

static void
time_order(guint n)
{
  g_autoptr(VtObjectRows) rows = vt_object_rows_new();
  g_autoptr(GPtrArray) objects = objects_new(n);
  const gint64 begin = g_get_monotonic_time();
  vt_object_rows_set_objects(rows, objects);
  const gint64 filled = g_get_monotonic_time();
  vt_object_rows_sort(rows, VT_OBJECT_MEASUREMENTS + 1, TRUE);
  g_print("%u rows: filled in %.1f ms, sorted in %.1f ms\n", n, 1e-3 * (double)(filled - begin),
          1e-3 * (double)(g_get_monotonic_time() - filled));
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  if (argc > 1) {
    time_order((guint)strtoul(argv[1], NULL, 10));
    return 0;
  }
  g_test_add_func("/rows/order", test_order);
  g_test_add_func("/rows/list", test_list);
  g_test_add_func("/rows/filter", test_filter);
  return g_test_run();
}
