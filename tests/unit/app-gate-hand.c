/* SPDX-License-Identifier: MIT
 *
 * Gates that a hand moves on a plot, and those that give objects their colours. */
#include <math.h>

#include "panels/vt-plot-choice.h"

static const char *const names[] = { "Nucleus: A \"x\"", "b", "c" };

static GPtrArray *
objects_new(guint n)
{
  GPtrArray *objects = g_ptr_array_new_with_free_func(g_free);
  for (guint i = 0; i < n; i++) {
    const double values[3] = { i % 10, i / 10 % 10, i % 7 == 0 ? NAN : i % 3 };
    const VtObject object = { .id = i + 1, .n_measurements = 3, .measurements = values, .measurement_names = names };
    g_ptr_array_add(objects, vt_object_copy(&object));
  }
  return objects;
}

static void
check_moved(const VtColumns *columns, const char *text, const VtScatterChoice *to, const char *want)
{
  const VtPlotChoice choice = { VT_OBJECT_MEASUREMENTS, VT_OBJECT_MEASUREMENTS + 2, FALSE, FALSE, *to };
  g_autofree char *moved = vt_plot_choice_dup_moved(&choice, columns, text);
  g_assert_cmpstr(moved, ==, want);
}

/* Signs stay, so that gates that adjoin still share no object; what has no end has none later. */
static void
test_moved(void)
{
  g_autoptr(GPtrArray) objects = objects_new(5);
  g_autoptr(VtColumns) columns = vt_columns_new(objects, NULL, NULL, 0);
  const VtScatterChoice box = { FALSE, 1, 2.5, 3, 4, NULL };
  check_moved(columns, "c >= 0 and \"Nucleus: A \"\"x\"\"\" < 7", &box,
              "\"Nucleus: A \"\"x\"\"\" < 2.5 and \"c\" >= 3");
  check_moved(columns, "c > 0 and c <= 9 and c > -1", &box, "\"c\" > 3 and \"c\" <= 4");
  check_moved(columns, "c > 0 or c < -1", &box, NULL);
  check_moved(columns, "b > 0", &box, NULL);
  check_moved(columns, "no such > 1", &box, NULL);
  VtScatterChoice polygon = { .is_polygon = TRUE, .points = g_array_new(FALSE, FALSE, sizeof(double)) };
  g_array_append_vals(polygon.points, ((const double[]){ 0, 0, 5, 0.5, 0, 8 }), 6);
  check_moved(columns, "polygon(\"Nucleus: A \"\"x\"\"\", c; 0 0; 1 1; 0 8)", &polygon,
              "polygon(\"Nucleus: A \"\"x\"\"\", \"c\"; 0 0; 5 0.5; 0 8)");
  vt_scatter_choice_clear(&polygon);
}

static void
test_copy(void)
{
  VtPlotGate gate = {
    g_strdup("G"), g_strdup("G 3.0 %"), 0x123456, TRUE, 7, { TRUE, 0, 0, 0, 0, g_array_new(FALSE, FALSE, 8) }
  };
  VtPlotGate *copy = vt_plot_gate_copy(&gate);
  g_assert_true(copy->place == 7 && copy->is_chosen);
  g_assert_cmpstr(copy->label, ==, "G");
  g_assert_true(copy->choice.is_polygon && copy->choice.points != gate.choice.points);
  vt_plot_gate_free(copy);
  g_array_unref(gate.choice.points);
  g_free(gate.label);
  g_free(gate.name);
}

/* The innermost gate; of equally deep ones the first; none. */
static void
test_colours(void)
{
  g_autoptr(GPtrArray) objects = objects_new(400);
  g_autoptr(GPtrArray) gates = g_ptr_array_new_with_free_func((GDestroyNotify)vt_gate_unref);
  g_autoptr(VtColumns) columns = vt_columns_new(objects, NULL, NULL, 0);
  g_ptr_array_add(gates, vt_gate_new("outer", NULL, "b >= 3", 0x112233));
  g_ptr_array_add(gates, vt_gate_new("inner", "outer", "c >= 1", 0x445566));
  g_ptr_array_add(gates, vt_gate_new("innermost", "inner", "b > 6", 0x778899));
  g_ptr_array_add(gates, vt_gate_new("beside", NULL, "c < 1", 0xaabbcc));
  g_ptr_array_add(gates, vt_gate_new("absent", NULL, "\"no such\" > 1", 0));
  g_autoptr(VtGateTally) tally = vt_gate_tally_new(columns, NULL, gates);
  g_autoptr(VtClassified) colours = vt_gate_tally_new_classes(tally);
  guint counts[5] = { 0 };
  for (guint i = 0; i < objects->len; i++) {
    const double *m = ((const VtObject *)objects->pdata[i])->measurements;
    const guint want = m[1] > 6 && m[2] >= 1    ? 2
                       : m[1] >= 3 && m[2] >= 1 ? 1
                       : m[1] >= 3              ? 0
                       : m[2] < 1               ? 3
                                                : VT_NO_CLASS;
    g_assert_cmpuint(colours->classes[i], ==, want);
    if (want != VT_NO_CLASS)
      counts[want]++;
  }
  for (guint k = 0; k < 5; k++)
    g_assert_cmpuint(colours->counts[k], ==, counts[k]);
  g_assert_cmpstr(colours->gates->pdata[0], ==, "b >= 3");
  g_assert_cmpstr(colours->gates->pdata[1], ==, "\"Gates\" = \"outer\" and (c >= 1)");
  const VtModelClass *last = colours->list->pdata[3];
  g_assert_true(last->rgb[0] == 0xaa && last->rgb[1] == 0xbb && last->rgb[2] == 0xcc && !last->is_left_out);
  g_autoptr(GPtrArray) none = g_ptr_array_new();
  g_autoptr(VtGateTally) empty = vt_gate_tally_new(columns, NULL, none);
  g_assert_null(vt_gate_tally_new_classes(empty));
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/gate-hand/moved", test_moved);
  g_test_add_func("/gate-hand/copy", test_copy);
  g_test_add_func("/gate-hand/colours", test_colours);
  return g_test_run();
}
