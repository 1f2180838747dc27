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
find_names(VtFileObjects *to, const VtShapes *shapes, Names *names)
{
  VT_EACH_OF (const VtShape, shape, shapes->shapes) {
    const VtMeasured *measured = shape->kind == VT_SHAPE_AREA && shape->outline ? shape->outline->measured : NULL;
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
  g_autofree char *note = vt_shapes_dup_note(shapes, FALSE);
  if (note)
    say(text, "%s", note);
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

VtFileObjects *
vt_shapes_steal_objects(VtShapes *self, const char *path, GError **error)
{
  g_autoptr(VtFileObjects) to = vt_file_objects_new(path);
  Names names = { .places = g_hash_table_new(NULL, NULL) };
  g_autoptr(GHashTable) classes = g_hash_table_new(NULL, NULL);
  guint64 n_points = 0;
  VT_EACH_OF (const VtShape, shape, self->shapes)
    n_points += shape->kind == VT_SHAPE_AREA && shape->outline ? shape->outline->points->len : 0;
  if (n_points == 0) {
    g_hash_table_unref(names.places);
    return vt_error_set_null(error, VITRAIL_READ_FAILED, "%s holds no areas, which objects are.", self->file);
  }
  g_array_unref(to->points);
  to->points = g_array_sized_new(FALSE, FALSE, sizeof(double), (guint)n_points); /* there are 2²⁶ points at most */
  find_names(to, self, &names);
  to->values = g_new(double, (gsize)self->n_areas * to->names->len + 1);
  to->class_of = g_new(guint8, self->n_areas + 1);
  VT_EACH_OF (VtShape, shape, self->shapes) {
    if (shape->kind != VT_SHAPE_AREA || !shape->outline)
      continue;
    to->class_of[to->objects->len] = find_class(to, shape, classes);
    fill_values(to->values + (gsize)to->objects->len * to->names->len, to->names->len, shape->outline->measured,
                &names);
    append_object(to, shape->outline);
    g_clear_pointer(&shape->outline, vt_roi_free); /* what there is twice is one outline */
  }
  to->note = dup_note(self, &names, g_hash_table_size(classes));
  g_ptr_array_set_size(self->shapes, 0); /* they lie between what was freed, which could not be given back */
  g_hash_table_unref(names.places);
  return g_steal_pointer(&to);
}
