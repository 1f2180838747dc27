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
    g_autoptr(VtColumns) columns = vt_columns_new(objects, NULL, NULL, 0);
    vt_object_rows_set(rows, columns, NULL);
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
  vt_object_rows_set(rows, NULL, NULL);
  g_assert_cmpuint(g_list_model_get_n_items(G_LIST_MODEL(rows)), ==, 0);
}

/* Items are made when they are asked for, and know their object. */
static void
test_list(void)
{
  g_autoptr(VtObjectRows) rows = vt_object_rows_new();
  g_autoptr(GPtrArray) objects = objects_new(50);
  g_autoptr(VtColumns) columns = vt_columns_new(objects, NULL, NULL, 0);
  vt_object_rows_set(rows, columns, NULL);
  vt_object_rows_sort(rows, VT_OBJECT_Y, FALSE);
  g_autoptr(VtObjectRow) first = g_list_model_get_item(G_LIST_MODEL(rows), 0);
  g_assert_cmpuint(vt_object_row_get_index(first), ==, 49);
  g_assert_null(g_list_model_get_item(G_LIST_MODEL(rows), 50));
}

/* area 10, perimeter 4, stain mean 0.5, stain max not known; number 7, x 3, y -2; a stroma cell, margin 0.25 */
static VtColumns *
columns_new(void)
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
  static const char *const classes[] = { "Tumour", "Stroma", "not a nucleus", NULL };
  g_autoptr(GPtrArray) objects = g_ptr_array_new_with_free_func(g_free);
  g_ptr_array_add(objects, vt_object_copy(&object));
  g_autoptr(VtColumn) class = vt_column_new("Classification", "Class", objects, g_memdup2((double[]){ 1 }, 8), classes);
  g_autoptr(VtColumn) margin =
    vt_column_new("Classification margin", "Class margin", objects, g_memdup2((double[]){ 0.25 }, 8), NULL);
  VtColumn *added[] = { class, margin };
  return vt_columns_new(objects, NULL, added, 2);
}

static gboolean
passes(const char *text)
{
  g_autoptr(VtColumns) columns = columns_new();
  g_autoptr(GError) error = NULL;
  g_autoptr(VtObjectFilter) filter = vt_object_filter_new(text, columns, &error);
  g_assert_no_error(error);
  return vt_object_filter_passes(filter, columns->objects, 0);
}

static void
refuse(const char *text, const char *sentence)
{
  g_autoptr(VtColumns) columns = columns_new();
  g_autoptr(GError) error = NULL;
  g_assert_null(vt_object_filter_new(text, columns, &error));
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
    "class = stroma",
    "CLASS==\"STROMA\" and area > 9",
    "classification != tumour and not class = \"not a nucleus\"",
    "\"classification margin\" = 0.25 and margin < 1",
  };
  static const char *const bad[] = {
    "area > 10", "max > 0 or max < 1", "max != 1",        "max",          "(1 or 1) and 0", "0 / 0", "area < x",
    "not area",  "class = tumour",     "class != stroma", "margin > 0.25"
  };
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
  refuse("µm² > 1 and stain > 2",
         "At character 13: “stain” may be “Nucleus: Stain OD mean” or “Nucleus: Stain OD max”");
  refuse("nuclei = 1", "At character 1: no measurement is called “nuclei”");
  refuse("\"area", "At character 1: the quotes have no end");
  refuse("area < 1e999", "At character 8: this is no number");
  refuse("area < 1.2.3", "At character 8: this is no number");
  refuse("class", "At character 6: “Class” is a word: = or != and one of them must follow");
  refuse("class < stroma", "At character 7: “Class” is a word: = or != and one of them must follow");
  refuse("class = 1", "At character 9: “Class” is never “1”, but: Tumour, Stroma, not a nucleus");
  refuse("class =", "At character 8: a name is missing");
  refuse("class = necrosis", "At character 9: “Class” is never “necrosis”, but: Tumour, Stroma, not a nucleus");
  refuse("class = \"tumour", "At character 9: the quotes have no end");
  refuse("tumour = class", "At character 1: no measurement is called “tumour”");
  g_autofree char *deep = g_strnfill(500, '('), *nots = g_strnfill(500, '!'), *minus = g_strnfill(100000, '-');
  refuse(deep, "At character 33: there is too much of it");
  refuse(nots, "At character 33: there is too much of it");
  refuse(minus, "At character 33: there is too much of it");
}

/* Columns that were added: known by their names, sorted and found like others, and silent about objects that they are not of. */
static void
test_columns(void)
{
  static const char *const words[] = { "b", "a", NULL };
  g_autoptr(GPtrArray) objects = objects_new(200), others = objects_new(200);
  double *numbers = g_new(double, 200), *classes = g_new(double, 200);
  for (guint i = 0; i < 200; i++) {
    numbers[i] = i % 7 == 0 ? NAN : i % 5;
    classes[i] = i % 3 == 0 ? NAN : i % 2;
  }
  g_autoptr(VtColumn) one = vt_column_new("One", "The one", objects, numbers, NULL);
  g_autoptr(VtColumn) two = vt_column_new("Two", "The two", objects, classes, words);
  VtColumn *added[] = { one, two };
  g_autoptr(VtColumns) columns = vt_columns_new(objects, NULL, added, 2),
                       of_others = vt_columns_new(others, NULL, added, 2);
  const guint at = (guint)vt_columns_find(columns, "One");
  g_autofree char *title = vt_columns_dup_title(columns, at), *own = vt_columns_dup_title(columns, at - 1);
  g_assert_cmpuint(at, ==, VT_OBJECT_MEASUREMENTS + 2);
  g_assert_cmpint(vt_columns_find(columns, "Three"), ==, -1);
  g_assert_cmpstr(title, ==, "The one");
  g_assert_cmpstr(own, ==, "b");
  g_assert_true(vt_columns_is_number(columns, at) && !vt_columns_is_number(columns, at + 1));
  for (guint i = 0; i < 200; i++) {
    const double value = vt_columns_get_value(columns, i, at);
    g_assert_true(i % 7 == 0 ? isnan(value) : value == i % 5);
    g_autofree char *word = vt_columns_dup_word(columns, i, at + 1), *other = vt_columns_dup_word(of_others, i, at + 1);
    g_assert_cmpstr(word, ==, i % 3 == 0 ? NULL : words[i % 2]);
    g_assert_true(isnan(vt_columns_get_value(of_others, i, at)) && !other);
    g_assert_true(vt_columns_get_value(columns, i, 4) == vt_object_get_value(objects->pdata[i], 4));
  }
  g_autoptr(VtObjectRows) rows = vt_object_rows_new();
  g_autoptr(VtObjectFilter) filter = vt_object_filter_new("two = a and one > 1", columns, NULL);
  g_autoptr(VtObjectFilter) range = vt_object_filter_new_range(columns, at, 2, 3);
  vt_object_rows_set(rows, columns, filter);
  vt_object_rows_sort(rows, at, TRUE);
  double last = INFINITY;
  guint n = 0, expected = 0;
  for (guint index; vt_object_rows_get_object(rows, n, &index); n++) {
    g_assert_cmpfloat(numbers[index], <=, last);
    last = numbers[index];
  }
  for (guint i = 0; i < 200; i++) {
    expected += numbers[i] > 1 && classes[i] == 1;
    g_assert_cmpint(vt_object_filter_passes(range, objects, i), ==, numbers[i] >= 2 && numbers[i] <= 3);
    g_assert_false(vt_object_filter_passes(range, others, i));
  }
  g_assert_cmpuint(n, ==, expected);
}

/* A list that is made where another one lay is still another one: a column of that one says nothing of it. */
static void
test_gone(void)
{
  GPtrArray *objects = objects_new(5);
  g_autoptr(VtColumn) column = vt_column_new("One", "The one", objects, g_new0(double, 5), NULL);
  g_ptr_array_unref(objects);
  for (guint i = 0; i < 100; i++) {
    g_autoptr(GPtrArray) others = objects_new(5);
    g_assert_true(isnan(vt_column_get_value(column, others, 0)));
  }
}

static void
time_order(guint n)
{
  g_autoptr(VtObjectRows) rows = vt_object_rows_new();
  g_autoptr(GPtrArray) objects = objects_new(n);
  g_autoptr(VtColumns) columns = vt_columns_new(objects, NULL, NULL, 0);
  const gint64 begin = g_get_monotonic_time();
  vt_object_rows_set(rows, columns, NULL);
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
  g_test_add_func("/rows/columns", test_columns);
  g_test_add_func("/rows/gone", test_gone);
  return g_test_run();
}
