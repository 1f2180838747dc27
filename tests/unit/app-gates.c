/* SPDX-License-Identifier: MIT
 *
 * Gates against an evaluation of each object by hand, and as GatingML against a reader of it. With an argument: the time for so many objects. */
#include <math.h>
#include <stdlib.h>

#include "layers/vt-gate-xml.h"
#include "panels/vt-plot-choice.h"

static const char *const names[] = { "Nucleus: A \"x\"", "Nucleus: B", "c" };
static const char *const classes[] = { "Tumour", "Stroma", NULL };

static GPtrArray *
objects_new(guint n)
{
  GPtrArray *objects = g_ptr_array_new_with_free_func(g_free);
  for (guint i = 0; i < n; i++) {
    const double values[3] = { i % 20 == 7 ? NAN : g_test_rand_int_range(-5, 40) / 4.0,
                               i % 30 == 9 ? INFINITY : exp(g_test_rand_double_range(-2, 3)),
                               g_test_rand_int_range(0, 4) };
    const VtObject object = { .id = i + 1,
                              .centroid_x_l0 = g_test_rand_int_range(0, 100),
                              .centroid_y_l0 = g_test_rand_int_range(0, 100),
                              .n_measurements = 3,
                              .measurements = values,
                              .measurement_names = names };
    g_ptr_array_add(objects, vt_object_copy(&object));
  }
  return objects;
}

static VtColumns *
columns_new(GPtrArray *objects)
{
  double *values = g_new(double, objects->len + 1);
  for (guint i = 0; i < objects->len; i++)
    values[i] = i % 5 == 0 ? NAN : i % 2;
  g_autoptr(VtColumn) class = vt_column_new("Classification", "Class", objects, values, classes);
  return vt_columns_new(objects, NULL, &class, 1);
}

static GPtrArray *
gates_new(void)
{
  return g_ptr_array_new_with_free_func((GDestroyNotify)vt_gate_unref);
}

static void
add(GPtrArray *gates, const char *name, const char *parent, const char *text)
{
  g_ptr_array_add(gates, vt_gate_new(name, parent, text, 0x112233));
}

/* --- by hand --- */

static const double corners[] = { 0, 1, 4, 0.25, 9, 3, 5, 12, 2, 2 };

/* A ray to the right crosses an odd number of edges; y is looked at as its logarithm. */
static gboolean
is_in_polygon(double x, double y)
{
  const guint n = G_N_ELEMENTS(corners) / 2;
  guint n_crossed = 0;
  for (guint i = 0; i < n; i++) {
    const double *a = corners + 2 * i, *b = corners + 2 * ((i + 1) % n);
    const double ay = log10(a[1]), by = log10(b[1]), at = log10(y);
    if ((ay <= at && by > at) || (by <= at && ay > at))
      n_crossed += x < a[0] + (at - ay) / (by - ay) * (b[0] - a[0]);
  }
  return n_crossed % 2;
}

enum { RANGE, OPEN, POLYGON, WORD, ALL_OF, LATER, ABSENT, BELOW_ABSENT, N_GATES };

static gboolean
is_in(const VtObject *object, guint index, guint gate)
{
  const double a = object->measurements[0], b = object->measurements[1], c = object->measurements[2];
  switch (gate) {
  case RANGE: return a >= -1 && a <= 5.25;
  case OPEN: return is_in(object, index, RANGE) && b > 0.5 && !(c < 1);
  case POLYGON: return isfinite(a) && isfinite(b) && is_in_polygon(a, b);
  case WORD: return is_in(object, index, POLYGON) && index % 5 != 0 && index % 2 == 1;
  case ALL_OF: return is_in(object, index, POLYGON);
  case LATER: return (is_in(object, index, OPEN) || !is_in(object, index, POLYGON)) && c * 2 + 1 >= 3;
  default: return FALSE;
  }
}

/* In an order in which some ask for others that come later. */
static GPtrArray *
make_gates(void)
{
  GPtrArray *gates = gates_new();
  g_autoptr(GString) range = g_string_new(NULL), polygon = g_string_new(NULL);
  vt_gate_text_add_range(range, names[0], -1, 5.25);
  vt_gate_text_add_polygon(polygon, names[0], FALSE, names[1], TRUE, corners, G_N_ELEMENTS(corners) / 2);
  add(gates, "Range", NULL, range->str);
  add(gates, "Open", "Range", "b > 0.5 and not c < 1");
  add(gates, "Poly, \"gon\"", NULL, polygon->str);
  add(gates, "Word", "Poly, \"gon\"", "class = stroma");
  add(gates, "All of", "Poly, \"gon\"", " ");
  add(gates, "Later", NULL, "(gates = open or gate != \"poly, \"\"gon\"\"\") and c * 2 + 1 >= 3");
  add(gates, "Absent", NULL, "\"no such number\" > 1");
  add(gates, "Below", "Absent", "c > 0");
  return gates;
}

static void
test_counts(void)
{
  for (guint n = 1; n < 3000; n = 5 * n + 1) {
    g_autoptr(GPtrArray) objects = objects_new(n), gates = make_gates();
    g_autoptr(VtColumns) columns = columns_new(objects);
    g_autoptr(VtGateTally) tally = vt_gate_tally_new(columns, NULL, gates);
    g_autoptr(VtColumns) all = vt_gate_tally_dup_columns(tally);
    const guint column = (guint)vt_columns_find(all, VT_GATES_COLUMN);
    for (guint k = 0; k < N_GATES; k++) {
      guint want = 0;
      for (guint i = 0; i < n; i++) {
        const gboolean is = is_in(objects->pdata[i], i, k);
        g_autoptr(VtObjectFilter) member = vt_object_filter_new_member(all, column, k);
        g_assert_true((vt_column_has(tally->column, objects, i, k) == 1) == is);
        g_assert_true(vt_object_filter_passes(member, objects, i) == is);
        want += is;
      }
      g_assert_cmpuint(tally->counts[k], ==, want);
      g_assert_true((tally->reasons[k] != NULL) == (k >= ABSENT));
    }
    g_assert_cmpstr(tally->reasons[ABSENT], ==, "At character 1: no measurement is called “no such number”");
    g_assert_cmpstr(tally->reasons[BELOW_ABSENT], ==, "“Absent” can't be counted.");
    g_assert_cmpuint(vt_gate_tally_get_n_of_parent(tally, RANGE), ==, n);
    g_assert_cmpuint(vt_gate_tally_get_n_of_parent(tally, OPEN), ==, tally->counts[RANGE]);
    g_assert_cmpuint(vt_gate_tally_get_n_of_parent(tally, BELOW_ABSENT), ==, 0);
    for (guint i = 0; i < n; i++) { /* as a cell of the table */
      g_autofree char *words = vt_columns_dup_word(all, i, column);
      g_autoptr(GString) want = g_string_new(NULL);
      for (guint k = 0; k < N_GATES; k++)
        if (is_in(objects->pdata[i], i, k))
          g_string_append_printf(want, "%s%s", want->len > 0 ? ", " : "", ((const VtGate *)gates->pdata[k])->name);
      g_assert_cmpstr(words, ==, want->len > 0 ? want->str : NULL);
    }
  }
}

/* Sets say nothing of other objects: neither is such an object in one, nor is it not. */
static void
test_others(void)
{
  g_autoptr(GPtrArray) objects = objects_new(20), others = objects_new(20), gates = make_gates();
  g_autoptr(VtColumns) columns = columns_new(objects);
  g_autoptr(VtGateTally) tally = vt_gate_tally_new(columns, NULL, gates);
  g_autoptr(VtColumns) all = vt_gate_tally_dup_columns(tally);
  g_autoptr(VtObjectFilter) in = vt_object_filter_new("gates = range", all, NULL);
  g_autoptr(VtObjectFilter) out = vt_object_filter_new("gates != range", all, NULL);
  for (guint i = 0; i < 20; i++) {
    g_assert_true(vt_object_filter_passes(in, objects, i) != vt_object_filter_passes(out, objects, i));
    g_assert_false(vt_object_filter_passes(in, others, i) || vt_object_filter_passes(out, others, i));
  }
  g_autoptr(GPtrArray) none = g_ptr_array_new();
  g_autoptr(VtColumns) of_none = vt_columns_new(none, NULL, NULL, 0);
  g_autoptr(VtGateTally) empty = vt_gate_tally_new(of_none, NULL, gates);
  for (guint k = 0; k < N_GATES; k++)
    g_assert_true(empty->counts[k] == 0 && !empty->reasons[k]);
}

static void
test_rings(void)
{
  g_autoptr(GPtrArray) objects = objects_new(10), gates = gates_new();
  g_autoptr(VtColumns) columns = columns_new(objects);
  add(gates, "a", NULL, "gates = b");
  add(gates, "b", NULL, "c > 0 and gates = a");
  add(gates, "c", NULL, "gates = c");
  add(gates, "d", NULL, "c >= 0");
  g_autoptr(VtGateTally) tally = vt_gate_tally_new(columns, NULL, gates);
  for (guint k = 0; k < 3; k++)
    g_assert_true(tally->reasons[k] && tally->counts[k] == 0);
  g_assert_cmpuint(tally->counts[3], ==, 10);
}

/* --- lists --- */

static void
refuse(GPtrArray *gates, const char *sentence)
{
  g_autoptr(GError) error = NULL;
  g_assert_false(vt_gate_list_check(gates, &error));
  g_assert_cmpstr(error->message, ==, sentence);
}

static void
test_lists(void)
{
  g_autoptr(GPtrArray) gates = gates_new();
  g_autoptr(GError) error = NULL;
  add(gates, "child", "root", "");
  add(gates, "other", NULL, "");
  add(gates, "root", NULL, "");
  add(gates, "grandchild", "child", "");
  g_assert_true(vt_gate_list_check(gates, &error));
  g_autoptr(GPtrArray) sorted = vt_gate_list_dup_in_order(gates);
  static const char *const want[] = { "other", "root", "child", "grandchild" };
  for (guint i = 0; i < G_N_ELEMENTS(want); i++)
    g_assert_cmpstr(((const VtGate *)sorted->pdata[i])->name, ==, want[i]);
  g_assert_cmpuint(vt_gate_list_get_depth(sorted, 3), ==, 2);
  g_assert_true(vt_gate_list_is_within(sorted, 3, 1) && !vt_gate_list_is_within(sorted, 1, 3)
                && !vt_gate_list_is_within(sorted, 3, 0));
  add(gates, "other", NULL, "");
  refuse(gates, "There is a gate “other” already.");
  g_ptr_array_set_size(gates, 4);
  add(gates, "", NULL, "");
  refuse(gates, "A gate needs a name.");
  g_ptr_array_set_size(gates, 4);
  add(gates, "lost", "nowhere", "");
  refuse(gates, "“lost” is to lie in the gate “nowhere”, which is not there.");
  g_ptr_array_set_size(gates, 4);
  add(gates, "one", "two", "");
  add(gates, "two", "one", "");
  refuse(gates, "The gate “one” would lie in itself.");
  g_ptr_array_set_size(gates, 4);
  for (guint i = 0; i < VT_GATES_MOST; i++) {
    g_autofree char *name = g_strdup_printf("%u", i);
    add(gates, name, NULL, "");
  }
  refuse(gates, "There can be 100 gates.");
}

static void
check_renamed(const char *text, const char *want)
{
  g_autofree char *renamed = vt_gate_text_rename(text, "Old \"one\"", "New");
  g_assert_cmpstr(renamed, ==, want);
}

static void
test_renamed(void)
{
  check_renamed("gates = \"Old \"\"one\"\"\" and x > 1", "gates = \"New\" and x > 1");
  check_renamed("x > 1 or (\"Gates\"!=\"old \"\"ONE\"\"\")", "x > 1 or (\"Gates\"!=\"New\")");
  check_renamed("gate == other", "gate == other");
  check_renamed("class = \"Old \"\"one\"\"\"", "class = \"Old \"\"one\"\"\"");
  check_renamed("\"Old \"\"one\"\"\" > 3 and gates", "\"Old \"\"one\"\"\" > 3 and gates");
  check_renamed("gates = \"Old", "gates = \"Old");
  check_renamed("", "");
  g_autofree char *bare = vt_gate_text_rename("not gates = big", "big", "very \"big\"");
  g_assert_cmpstr(bare, ==, "not gates = \"very \"\"big\"\"\"");
}

/* --- plots --- */

/* Both ends of ranges belong to them; what has no number is in none of the four. */
static void
test_choices(void)
{
  g_autoptr(GPtrArray) objects = objects_new(500), gates = gates_new();
  g_autoptr(VtColumns) columns = columns_new(objects);
  const VtPlotChoice choice = {
    VT_OBJECT_MEASUREMENTS, VT_OBJECT_MEASUREMENTS + 2, FALSE, FALSE, { FALSE, -0.25, 3.5, 1, 2, NULL }
  };
  g_autoptr(GString) text = g_string_new(NULL);
  vt_plot_choice_add_text(&choice, columns, text);
  g_autoptr(VtObjectFilter) by_text = vt_object_filter_new(text->str, columns, NULL);
  g_autoptr(VtObjectFilter) chosen = vt_plot_choice_new_filter(&choice, columns);
  for (guint i = 0; i < objects->len; i++)
    g_assert_true(vt_object_filter_passes(by_text, objects, i) == vt_object_filter_passes(chosen, objects, i));
  VtScatterChoice back;
  g_assert_true(vt_plot_choice_from_filter(&back, by_text, choice.column_x, TRUE, choice.column_y, FALSE));
  g_assert_true(back.from_x == -0.25 && back.to_x == 3.5 && back.from_y == 1 && back.to_y == 2 && !back.is_polygon);
  g_assert_false(vt_plot_choice_from_filter(&back, by_text, choice.column_x, FALSE, -1, FALSE));
  g_autoptr(GPtrArray) texts = vt_plot_choice_list_quadrants(&choice, columns);
  for (guint k = 0; k < texts->len; k++) {
    g_autofree char *name = g_strdup_printf("%u", k);
    add(gates, name, NULL, texts->pdata[k]);
  }
  g_autoptr(VtGateTally) tally = vt_gate_tally_new(columns, NULL, gates);
  guint n = 0;
  for (guint i = 0; i < objects->len; i++) {
    const VtObject *object = objects->pdata[i];
    guint n_in = 0;
    for (guint k = 0; k < 4; k++)
      n_in += vt_column_has(tally->column, objects, i, k) > 0;
    g_assert_cmpuint(n_in, ==, !isnan(object->measurements[0]));
    n += n_in;
  }
  g_assert_cmpuint(tally->counts[0] + tally->counts[1] + tally->counts[2] + tally->counts[3], ==, n);
  g_autoptr(GPtrArray) drawn =
    vt_plot_choice_list_gates(tally, columns, -1, choice.column_x, FALSE, choice.column_y, FALSE);
  g_assert_cmpuint(drawn->len, ==, 4);
}

static void
test_polygons(void)
{
  static const char *const bad[][2] = {
    { "polygon(c, b; 1 2; 3 4)", "At character 24: a polygon has at least three corners" },
    { "polygon(c; 1 2; 3 4; 5 6)", "At character 10: a comma is missing" },
    { "polygon(c, log b; 1 2; 3 0; 5 6)", "At character 26: a logarithmic axis has numbers above zero only" },
    { "polygon(c, b; 1 2; 3 4; 5)", "At character 26: this is no number" },
    { "polygon(c, class; 1 2; 3 4; 5 6)", "At character 12: “class” has no numbers" },
    { "polygon(c, b; 1 2; 3 4; 5 6", "At character 28: a closing bracket is missing" },
    { "polygon > 3", "At character 1: no measurement is called “polygon”" },
  };
  g_autoptr(GPtrArray) objects = objects_new(500);
  g_autoptr(VtColumns) columns = columns_new(objects);
  for (guint i = 0; i < G_N_ELEMENTS(bad); i++) {
    g_autoptr(GError) error = NULL;
    g_assert_null(vt_object_filter_new(bad[i][0], columns, &error));
    g_assert_cmpstr(error->message, ==, bad[i][1]);
  }
  g_autoptr(GString) text = g_string_new(NULL);
  vt_gate_text_add_polygon(text, names[0], FALSE, names[1], TRUE, corners, G_N_ELEMENTS(corners) / 2);
  g_autoptr(VtObjectFilter) filter = vt_object_filter_new(text->str, columns, NULL);
  VtScatterChoice back;
  g_assert_true(
    vt_plot_choice_from_filter(&back, filter, VT_OBJECT_MEASUREMENTS + 1, TRUE, VT_OBJECT_MEASUREMENTS, FALSE));
  g_assert_true(back.is_polygon && back.points->len == G_N_ELEMENTS(corners));
  for (guint i = 0; i < back.points->len; i++)
    g_assert_cmpfloat_with_epsilon(g_array_index(back.points, double, i), corners[i ^ 1], 1e-12);
  vt_scatter_choice_clear(&back);
  g_assert_false(
    vt_plot_choice_from_filter(&back, filter, VT_OBJECT_MEASUREMENTS, FALSE, VT_OBJECT_MEASUREMENTS + 1, FALSE));
}

/* --- regions --- */

static void
test_regions(void)
{
  g_autoptr(GPtrArray) objects = objects_new(400), gates = gates_new();
  g_autoptr(GPtrArray) rois = g_ptr_array_new_with_free_func((GDestroyNotify)vt_roi_free), none = g_ptr_array_new();
  g_autoptr(VtColumns) columns = columns_new(objects);
  static const double triangle[] = { 10, 10, 90, 20, 40, 95 };
  g_ptr_array_add(rois, vt_roi_new_polygon("ROI 1", triangle, 3));
  g_ptr_array_add(rois, vt_roi_new_rectangle("two", 30, 30, 50, 60));
  g_ptr_array_add(rois, vt_roi_new_rectangle("ROI 1", 0, 0, 5, 5));
  g_assert_null(vt_gate_find_regions(objects, none));
  g_autoptr(VtColumn) regions = vt_gate_find_regions(objects, rois);
  add(gates, "in", NULL, "regions = \"roi 1\" and not region = two");
  add(gates, "nowhere", NULL, "regions = three");
  g_autoptr(VtGateTally) tally = vt_gate_tally_new(columns, regions, gates);
  for (guint i = 0; i < objects->len; i++) {
    const VtObject *object = objects->pdata[i];
    gboolean is[3];
    for (guint k = 0; k < 3; k++)
      is[k] = vt_roi_contains(rois->pdata[k], object->centroid_x_l0, object->centroid_y_l0);
    g_assert_true(vt_column_has(regions, objects, i, 0) == (is[0] || is[2]));
    g_assert_true(vt_column_has(regions, objects, i, 1) == is[1]);
    g_assert_true(vt_column_has(tally->column, objects, i, 0) == ((is[0] || is[2]) && !is[1]));
  }
  g_assert_cmpstr(tally->reasons[1], ==, "At character 11: “Regions” is never “three”, but: ROI 1, two");
}

/* --- GatingML: a reader of it --- */

typedef struct Element Element;
struct Element {
  char *name;
  GHashTable *attributes;
  GPtrArray *children;
};

static void
element_free(gpointer data)
{
  Element *element = data;
  g_free(element->name);
  g_hash_table_unref(element->attributes);
  g_ptr_array_unref(element->children);
  g_free(element);
}

static void
on_start(GMarkupParseContext *context, const char *name, const char **keys, const char **values, gpointer stack,
         GError **error)
{
  Element *element = g_new0(Element, 1);
  element->name = g_strdup(name);
  element->attributes = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
  element->children = g_ptr_array_new_with_free_func(element_free);
  for (guint i = 0; keys[i]; i++)
    g_hash_table_insert(element->attributes, g_strdup(keys[i]), g_strdup(values[i]));
  Element *parent = ((GPtrArray *)stack)->pdata[((GPtrArray *)stack)->len - 1];
  g_ptr_array_add(parent->children, element);
  g_ptr_array_add(stack, element);
}

static void
on_end(GMarkupParseContext *context, const char *name, gpointer stack, GError **error)
{
  g_ptr_array_set_size(stack, (gint)((GPtrArray *)stack)->len - 1);
}

static Element *
parse(const char *text)
{
  static const GMarkupParser parser = { .start_element = on_start, .end_element = on_end };
  Element *root = g_new0(Element, 1);
  root->name = g_strdup("");
  root->attributes = g_hash_table_new(g_str_hash, g_str_equal);
  root->children = g_ptr_array_new_with_free_func(element_free);
  g_autoptr(GPtrArray) stack = g_ptr_array_new();
  g_autoptr(GError) error = NULL;
  g_ptr_array_add(stack, root);
  g_autoptr(GMarkupParseContext) context = g_markup_parse_context_new(&parser, 0, stack, NULL);
  g_markup_parse_context_parse(context, text, -1, &error);
  g_assert_no_error(error);
  g_markup_parse_context_end_parse(context, &error);
  g_assert_no_error(error);
  return root;
}

static const char *
attribute(const Element *element, const char *key)
{
  return g_hash_table_lookup(element->attributes, key);
}

static double
number(const Element *element, const char *key)
{
  return g_ascii_strtod(attribute(element, key), NULL);
}

static double
find_value(const VtColumns *columns, guint index, const Element *dimension)
{
  const Element *of = dimension->children->pdata[0];
  const gint column = vt_columns_find(columns, attribute(of, "data-type:name"));
  g_assert_cmpint(column, >=, 0);
  const double value = vt_columns_get_value(columns, index, (guint)column);
  return attribute(dimension, "gating:transformation-ref") ? log10(value) + 1 : value;
}

static gboolean
is_inside(const Element *gate, const VtColumns *columns, guint index)
{
  double place[2] = { NAN, NAN };
  guint n = 0, n_vertices = 0;
  g_autofree double *vertices = g_new(double, 2 * gate->children->len);
  for (guint i = 0; i < gate->children->len; i++) {
    const Element *child = gate->children->pdata[i];
    if (g_str_equal(child->name, "gating:dimension"))
      place[n++] = find_value(columns, index, child);
    for (guint k = 0; k < 2 && g_str_equal(child->name, "gating:vertex"); k++)
      vertices[2 * n_vertices + k] = number(child->children->pdata[k], "data-type:value");
    n_vertices += g_str_equal(child->name, "gating:vertex");
  }
  gboolean is = FALSE;
  for (guint i = 0; i < n_vertices; i++) {
    const double *a = vertices + 2 * i, *b = vertices + 2 * ((i + 1) % n_vertices);
    if ((a[1] <= place[1]) != (b[1] <= place[1]))
      is ^= place[0] < a[0] + (place[1] - a[1]) / (b[1] - a[1]) * (b[0] - a[0]);
  }
  return is;
}

static gboolean evaluate(const Element *root, const char *id, const VtColumns *columns, guint index);

static gboolean
evaluate_boolean(const Element *root, const Element *how, const VtColumns *columns, guint index)
{
  guint n = 0;
  for (guint i = 0; i < how->children->len; i++) {
    const Element *reference = how->children->pdata[i];
    n += evaluate(root, attribute(reference, "gating:ref"), columns, index)
         != (attribute(reference, "gating:use-as-complement") != NULL);
  }
  g_assert_true(how->children->len >= (g_str_equal(how->name, "gating:not") ? 1 : 2));
  return g_str_equal(how->name, "gating:and")  ? n == how->children->len
         : g_str_equal(how->name, "gating:or") ? n > 0
                                               : n == 0;
}

static gboolean
evaluate(const Element *root, const char *id, const VtColumns *columns, guint index)
{
  const Element *gate = NULL;
  for (guint i = 0; i < root->children->len; i++)
    if (g_strcmp0(attribute(root->children->pdata[i], "gating:id"), id) == 0)
      gate = root->children->pdata[i];
  g_assert_nonnull(gate);
  const char *parent = attribute(gate, "gating:parent_id");
  gboolean is = !parent || evaluate(root, parent, columns, index);
  if (g_str_equal(gate->name, "gating:PolygonGate"))
    return is && is_inside(gate, columns, index);
  for (guint i = 0; i < gate->children->len; i++) {
    const Element *child = gate->children->pdata[i];
    if (g_str_equal(gate->name, "gating:BooleanGate") && !g_str_equal(child->name, "data-type:custom_info"))
      is = is && evaluate_boolean(root, child, columns, index);
    if (!g_str_equal(child->name, "gating:dimension"))
      continue;
    const double value = find_value(columns, index, child);
    is = is && (!attribute(child, "gating:min") || value >= number(child, "gating:min"))
         && (!attribute(child, "gating:max") || value < number(child, "gating:max"));
  }
  return is;
}

static void
test_xml(void)
{
  static const char *const texts[] = {
    "c >= 1 and c <= 2",
    "b < 2 and b > 0.25 and c != 1",
    "2 >= c",
    "polygon(log b, c; 0.5 -1; 5 -1; 9 3.5; 0.5 3.5)",
    "gates = \"G 0\"",
    "not gates = \"G 0\" or b <= 1 and not c = 2",
    "gates != \"G 1\" and (c = 0 or c = 3) and b > 1",
    "polygon(b, c; 0 0.5; 9 0.5; 9 1.5; 0 1.5) and c >= 1",
    "gates = \"G 9\" and c > 0",
    "b > 0.1 and b > 1 and b < 1e300",
  };
  static const char *const without[] = { "c + 1 > 2", "class = tumour", "", "gates = \"G 11\"" };
  g_autoptr(GPtrArray) objects = objects_new(600), gates = gates_new();
  g_autoptr(VtColumns) columns = columns_new(objects);
  for (guint i = 0; i < G_N_ELEMENTS(texts) + G_N_ELEMENTS(without); i++) {
    g_autofree char *name = g_strdup_printf("G %u", i), *parent = g_strdup_printf("G %u", i / 2);
    add(gates, name, i == 3 || i == 7 || i == 9 ? parent : NULL,
        i < G_N_ELEMENTS(texts) ? texts[i] : without[i - G_N_ELEMENTS(texts)]);
  }
  add(gates, "in one without", "G 10", "c > 1");
  add(gates, "G 5.part1", NULL, "c <= 1");
  add(gates, "1 <& \"ü", NULL, "\"nucleus: a \"\"x\"\"\" < 3");
  g_autoptr(VtGateTally) tally = vt_gate_tally_new(columns, NULL, gates);
  g_autoptr(GPtrArray) missing = NULL;
  g_autofree char *text = vt_gate_xml_dup(tally, &missing);
  Element *file = parse(text);
  const Element *root = file->children->pdata[0];
  g_assert_cmpuint(missing->len, ==, G_N_ELEMENTS(without) + 1);
  for (guint k = 0; k < gates->len; k++) {
    const VtGate *gate = gates->pdata[k];
    g_autofree char *id =
      g_str_has_prefix(gate->name, "1") ? g_strdup("_1_____ü") : g_strdelimit(g_strdup(gate->name), " .", '_');
    g_assert_null(tally->reasons[k]);
    if (g_ptr_array_find_with_equal_func(missing, gate->name, g_str_equal, NULL))
      continue;
    for (guint i = 0; i < objects->len; i++)
      g_assert_true(evaluate(root, id, columns, i) == (vt_column_has(tally->column, objects, i, k) > 0));
  }
  element_free(file);
}

/* --- time --- */

static void
time_it(guint n)
{
  g_autoptr(GPtrArray) objects = objects_new(n), gates = gates_new();
  g_autoptr(GPtrArray) rois = g_ptr_array_new_with_free_func((GDestroyNotify)vt_roi_free);
  g_autoptr(VtColumns) columns = columns_new(objects);
  g_autoptr(GArray) points = g_array_new(FALSE, FALSE, sizeof(double));
  g_autoptr(GString) polygon = g_string_new(NULL);
  for (guint i = 0; i < 50; i++) {
    const double corner[2] = { 3 + 3 * cos(i * G_PI / 25), exp(1.5 * sin(i * G_PI / 25)) };
    g_array_append_vals(points, corner, 2);
    g_ptr_array_add(rois, vt_roi_new_rectangle("r", i, i, 20, 20));
  }
  vt_gate_text_add_polygon(polygon, names[0], FALSE, names[1], TRUE, (const double *)(gpointer)points->data, 50);
  for (guint i = 0; i < 10; i++) {
    static const char *const kinds[] = { "b >= 0.5 and b <= 4", "b >= 0.5 and b <= 4 and c >= 1 and c <= 2", NULL,
                                         "gates = \"G 0\" and not gates = \"G 1\"", "b > 0.3" };
    g_autofree char *name = g_strdup_printf("G %u", i);
    add(gates, name, i == 4 || i == 9 ? "G 0" : NULL, kinds[i % 5] ? kinds[i % 5] : polygon->str);
  }
  gint64 start = g_get_monotonic_time();
  g_autoptr(VtColumn) regions = vt_gate_find_regions(objects, rois);
  g_print("%u objects: in 50 regions %.0f ms", n, (double)(g_get_monotonic_time() - start) / 1000);
  start = g_get_monotonic_time();
  g_autoptr(VtGateTally) tally = vt_gate_tally_new(columns, regions, gates);
  g_print(", ten gates %.0f ms (%u in the polygon of 50 corners)", (double)(g_get_monotonic_time() - start) / 1000,
          tally->counts[2]);
  g_ptr_array_set_size(gates, 3);
  g_ptr_array_remove_range(gates, 0, 2);
  start = g_get_monotonic_time();
  g_autoptr(VtGateTally) one = vt_gate_tally_new(columns, NULL, gates);
  g_print(", the polygon alone %.0f ms\n", (double)(g_get_monotonic_time() - start) / 1000);
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  if (argc > 1) {
    time_it((guint)atoi(argv[1]));
    return 0;
  }
  g_test_add_func("/gates/counts", test_counts);
  g_test_add_func("/gates/others", test_others);
  g_test_add_func("/gates/rings", test_rings);
  g_test_add_func("/gates/lists", test_lists);
  g_test_add_func("/gates/renamed", test_renamed);
  g_test_add_func("/gates/choices", test_choices);
  g_test_add_func("/gates/polygons", test_polygons);
  g_test_add_func("/gates/regions", test_regions);
  g_test_add_func("/gates/xml", test_xml);
  return g_test_run();
}
