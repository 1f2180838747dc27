/* SPDX-License-Identifier: MIT
 *
 * The order of rows of objects against a sort that compares. With an argument: the time for so many objects. */
#include <math.h>
#include <stdlib.h>

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
  return g_test_run();
}
