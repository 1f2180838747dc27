/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "base/vt-define.h"
#include "run/vt-shapes.h"

/* --- outlines --- */

static void
append_ring(VtFileObjects *to, const double *points, guint32 n, gboolean backwards)
{
  g_array_append_val(to->ring_sizes, n);
  if (!backwards) {
    g_array_append_vals(to->points, points, 2 * n);
    return;
  }
  for (guint32 i = n; i-- > 0;)
    g_array_append_vals(to->points, points + 2 * i, 2);
}

static gboolean
is_in_ring(const double *ring, guint32 n, const double *point)
{
  gboolean is_inside = FALSE;
  for (guint32 i = 0, last = n - 1; i < n; last = i++) {
    const double *a = ring + 2 * last, *b = ring + 2 * i;
    if ((a[1] > point[1]) != (b[1] > point[1]) && point[0] < a[0] + (b[0] - a[0]) * (point[1] - a[1]) / (b[1] - a[1]))
      is_inside = !is_inside;
  }
  return is_inside;
}

/* A ring that begins in the last outer one is a hole of it. */
static void
append_outline(VtFileObjects *to, const VtRoi *roi)
{
  const double *points = vt_roi_get_points(roi), *outer = NULL;
  guint32 n_outer = 0;
  for (guint i = 0; i < roi->ring_sizes->len; i++) {
    const guint32 n = g_array_index(roi->ring_sizes, guint32, i);
    const gboolean is_hole = outer && is_in_ring(outer, n_outer, points),
                   is_clockwise = vt_ring_get_turn(points, n) > 0;
    if (!is_hole) {
      outer = points;
      n_outer = n;
    }
    append_ring(to, points, n, is_hole == is_clockwise);
    points += 2 * (gsize)n;
  }
}

/* Of the area; of none, the mean of the points. */
static void
find_centroid(VtFileObject *object, const double *points, const guint32 *sizes, guint n_rings)
{
  const double x0 = points[0], y0 = points[1];
  double area = 0, x = 0, y = 0, mean_x = 0, mean_y = 0;
  guint64 n_all = 0;
  for (guint i = 0; i < n_rings; points += 2 * (gsize)sizes[i], n_all += sizes[i], i++)
    for (guint32 k = 0, last = sizes[i] - 1; k < sizes[i]; last = k++) {
      const double ax = points[2 * last] - x0, ay = points[2 * last + 1] - y0;
      const double bx = points[2 * k] - x0, by = points[2 * k + 1] - y0;
      const double turn = ax * by - bx * ay;
      area += turn;
      x += (ax + bx) * turn;
      y += (ay + by) * turn;
      mean_x += bx;
      mean_y += by;
    }
  object->centroid_x_l0 = x0 + (area > 0 ? x / (3 * area) : mean_x / (double)n_all);
  object->centroid_y_l0 = y0 + (area > 0 ? y / (3 * area) : mean_y / (double)n_all);
}

static void
append_object(VtFileObjects *to, const VtRoi *roi)
{
  const guint first_ring = to->ring_sizes->len, first_point = to->points->len;
  append_outline(to, roi);
  VtFileObject object = { to->ring_sizes->len, to->points->len / 2, 0, 0 };
  find_centroid(&object, &g_array_index(to->points, double, first_point),
                &g_array_index(to->ring_sizes, guint32, first_ring), to->ring_sizes->len - first_ring);
  g_array_append_val(to->objects, object);
}

/* --- measurements --- */

typedef struct {
  GHashTable *places; /* of a name (GRefString) in the list of names, from 1; 0: it is one too many */
  guint n_names;
  guint n_infinite;
} Names;

static void
find_names(VtFileObjects *to, const GPtrArray *shapes, Names *names)
{
  VT_EACH_OF (const VtShape, shape, shapes) {
    const VtMeasured *measured = shape->outline->measured;
    for (guint i = 0; measured && i < measured->n; i++) {
      char *name = measured->numbers[i].name;
      if (g_hash_table_contains(names->places, name))
        continue;
      const gboolean has_room = to->names->len < VT_FILE_OBJECTS_MOST_NAMES;
      if (has_room)
        g_ptr_array_add(to->names, (gpointer)g_intern_string(name));
      g_hash_table_insert(names->places, name, GUINT_TO_POINTER(has_room ? to->names->len : 0));
      names->n_names++;
    }
  }
}

static void
fill_values(double *values, guint n, const VtMeasured *measured, Names *names)
{
  for (guint i = 0; i < n; i++)
    values[i] = NAN;
  for (guint i = 0; measured && i < measured->n; i++) {
    const guint place = GPOINTER_TO_UINT(g_hash_table_lookup(names->places, measured->numbers[i].name));
    if (place == 0)
      continue;
    const double value = measured->numbers[i].value;
    names->n_infinite += isinf(value);
    values[place - 1] = isinf(value) ? NAN : value;
  }
}

/* The colour is the first that an object of the class has. Names are the list's own: one pointer each. */
static guint8
find_class(VtFileObjects *to, const VtShape *shape, GHashTable *places)
{
  gpointer place = NULL;
  if (!shape->class_name)
    return VT_FILE_OBJECTS_NO_CLASS;
  if (!g_hash_table_lookup_extended(places, shape->class_name, NULL, &place)) {
    place = GUINT_TO_POINTER(to->classes->len < VT_FILE_OBJECTS_MOST_CLASSES
                               ? vt_file_objects_add_class(to, shape->class_name, shape->color)
                               : VT_FILE_OBJECTS_NO_CLASS);
    g_hash_table_insert(places, (gpointer)shape->class_name, place);
  }
  const guint number = GPOINTER_TO_UINT(place);
  VtFileClass *cls = number == VT_FILE_OBJECTS_NO_CLASS ? NULL : to->classes->pdata[number];
  if (cls && cls->color < 0)
    cls->color = shape->color;
  return (guint8)number;
}

G_GNUC_PRINTF(2, 3)
static void
say(GString *text, const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  g_string_append(text, text->len > 0 ? " " : "");
  g_string_append_vprintf(text, format, arguments);
  va_end(arguments);
}

static char *
dup_note(const VtShapes *shapes, const Names *names, guint n_classes)
{
  g_autoptr(GString) text = g_string_new(NULL);
  const guint n_rest = shapes->shapes->len + shapes->n_nowhere + shapes->n_other;
  if (n_rest > 0)
    say(text, "%s: what is no object, as annotations, lines and points: %u.", shapes->file, n_rest);
  if (shapes->n_odd > 0)
    say(text, "%s: areas whose outlines cross, of which what an odd number goes round is inside: %u (%s).",
        shapes->file, shapes->n_odd, shapes->odd);
  if (shapes->n_splines > 0)
    say(text, "%s: curves that were taken as straight lines between their points: %u.", shapes->file,
        shapes->n_splines);
  if (names->n_names > VT_FILE_OBJECTS_MOST_NAMES)
    say(text, "%s: of %u measurements objects have the first %u.", shapes->file, names->n_names,
        VT_FILE_OBJECTS_MOST_NAMES);
  if (n_classes > VT_FILE_OBJECTS_MOST_CLASSES)
    say(text, "%s: of %u classes objects have the first %u.", shapes->file, n_classes, VT_FILE_OBJECTS_MOST_CLASSES);
  if (shapes->n_beyond > 0)
    say(text, "%s: numbers of measurements beyond the first %u: %u. They were left out.", shapes->file,
        VT_MEASURED_MOST_NAMES, shapes->n_beyond);
  if (names->n_infinite > 0)
    say(text, "%s: infinite numbers that are taken as none: %u.", shapes->file, names->n_infinite);
  if (shapes->n_no_numbers > 0)
    say(text, "%s: measurements without a name or a number: %u. They were left out.", shapes->file,
        shapes->n_no_numbers);
  if (shapes->n_twice > 0)
    say(text, "%s: measurements that an object has twice: %u. The last number counts.", shapes->file, shapes->n_twice);
  return text->len > 0 ? g_strdup(text->str) : NULL;
}

/* Takes those out of the list that are objects, or frees them again. */
static GPtrArray *
take_shapes(VtShapes *self)
{
  GPtrArray *taken = g_ptr_array_new(), *all = self->shapes;
  gboolean is_said = FALSE;
  guint n_left = 0;
  VT_EACH_OF (const VtShape, shape, all)
    is_said |= shape->is_found && shape->kind == VT_SHAPE_AREA;
  for (guint i = 0; i < all->len; i++) {
    VtShape *shape = all->pdata[i];
    if (shape->kind == VT_SHAPE_AREA && shape->outline && (shape->is_found || !is_said))
      g_ptr_array_add(taken, shape);
    else
      all->pdata[n_left++] = shape;
  }
  all->len = n_left; /* the others are the taken ones, which nobody frees here */
  self->n_areas -= taken->len;
  return taken;
}

static void
fill(VtFileObjects *to, const GPtrArray *shapes, Names *names, GHashTable *classes)
{
  guint64 n_points = 0;
  VT_EACH_OF (const VtShape, counted, shapes)
    n_points += counted->outline->points->len;
  g_array_unref(to->points);
  to->points = g_array_sized_new(FALSE, FALSE, sizeof(double), (guint)n_points); /* there are 2²⁶ points at most */
  find_names(to, shapes, names);
  to->values = g_new(double, (gsize)shapes->len * to->names->len + 1);
  to->class_of = g_new(guint8, shapes->len + 1);
  VT_EACH_OF (VtShape, shape, shapes) {
    const guint n = to->objects->len;
    to->class_of[n] = find_class(to, shape, classes);
    fill_values(to->values + (gsize)n * to->names->len, to->names->len, shape->outline->measured, names);
    append_object(to, shape->outline);
    vt_roi_free(shape->outline); /* what there is twice is one outline */
    g_free(shape);
  }
}

VtFileObjects *
vt_shapes_steal_objects(VtShapes *self, const char *path, GError **error)
{
  g_autoptr(GPtrArray) taken = take_shapes(self);
  if (taken->len == 0)
    return vt_error_set_null(error, VITRAIL_READ_FAILED, "%s holds no areas, which objects are.", self->file);
  VtFileObjects *to = vt_file_objects_new(path);
  g_autoptr(GHashTable) classes = g_hash_table_new(NULL, NULL), places = g_hash_table_new(NULL, NULL);
  Names names = { .places = places };
  fill(to, taken, &names, classes);
  to->note = dup_note(self, &names, g_hash_table_size(classes));
  return to;
}
