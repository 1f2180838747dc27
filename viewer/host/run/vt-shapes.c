/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "run/vt-shapes-private.h"

#include "base/vt-define.h"

VT_DEFINE_FREE(shape_free, VtShape, VT_FREES(vt_roi_free, outline))

VtShapes *
vt_shapes_new(const char *name)
{
  VtShapes *self = g_new0(VtShapes, 1);
  self->file = vt_error_dup_line(name);
  self->shapes = g_ptr_array_new_with_free_func(shape_free);
  self->classes = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
  return self;
}

VT_DEFINE_TYPE_FREE(vt_shapes_free, VtShapes,
                    VT_FREES(g_ptr_array_unref, shapes) VT_FREES(g_hash_table_unref, classes)
                      VT_FREES(g_free, file, odd))

const char *
vt_shapes_intern(VtShapes *self, const char *class_name)
{
  gpointer key = NULL;
  if (!class_name || !*class_name)
    return NULL;
  if (!g_hash_table_lookup_extended(self->classes, class_name, &key, NULL)) {
    key = g_strdup(class_name);
    g_hash_table_add(self->classes, key);
  }
  return key;
}

static GArray *
copy(const GArray *array, guint size)
{
  return g_array_append_vals(g_array_sized_new(FALSE, FALSE, size, array->len), array->data, array->len);
}

VtShape *
vt_shapes_add(VtShapes *self, VtShapeKind kind, const char *name, const GArray *sizes, const GArray *points,
              const guint8 *is_hole)
{
  VtShape *shape = g_new0(VtShape, 1);
  VtRoi *outline = shape->outline = g_new0(VtRoi, 1);
  shape->kind = outline->kind = kind;
  shape->color = outline->color = VT_ROI_NO_COLOR;
  outline->ring_sizes = copy(sizes, sizeof(guint32));
  outline->points = copy(points, sizeof(double));
  self->n_areas += kind == VT_SHAPE_AREA;
  self->n_lines += kind == VT_SHAPE_LINE;
  self->n_points += kind == VT_SHAPE_POINTS ? points->len / 2 : 0;
  outline->name = name && *name ? g_strdup(name) : NULL;
  if (kind == VT_SHAPE_AREA && !outline->name)
    outline->name = g_strdup_printf("ROI %u", self->n_areas);
  if (kind == VT_SHAPE_AREA && !vt_roi_is_plain(outline, is_hole) && self->n_odd++ == 0)
    self->odd = g_strdup(outline->name);
  g_ptr_array_add(self->shapes, shape);
  return shape;
}

gboolean
vt_shapes_fail(VtShapesReading *reading, guint line, const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  g_autofree char *raw = g_strdup_vprintf(format, arguments);
  va_end(arguments);
  g_autofree char *text = vt_error_dup_line(raw);
  if (reading->error && *reading->error)
    return FALSE;
  if (line > 0)
    return vt_error_set(reading->error, VITRAIL_READ_FAILED, "%s, line %u: %s.", reading->shapes->file, line, text);
  return vt_error_set(reading->error, VITRAIL_READ_FAILED, "%s %s.", reading->shapes->file, text);
}

guint
vt_shapes_get_line(const VtShapesReading *reading, const char *at)
{
  guint line = 1;
  for (const char *p = reading->data; p < at && (p = memchr(p, '\n', (gsize)(at - p))); p++)
    line++;
  return line;
}

gboolean
vt_shapes_tick(VtShapesReading *reading, const char *at)
{
  const VtShapesContext *context = reading->context;
  if (context && g_cancellable_set_error_if_cancelled(context->cancellable, reading->error))
    return FALSE;
  if (context && context->progress)
    context->progress((double)(at - reading->data) / (double)MAX(reading->length, 1), context->user);
  return TRUE;
}

static gboolean
read_text(VtShapesReading *reading)
{
  const char *end, *at = reading->data;
  if (reading->length >= 3 && memcmp(at, "\xef\xbb\xbf", 3) == 0) {
    reading->data += 3;
    reading->length -= 3;
  }
  if (!g_utf8_validate_len(reading->data, reading->length, &end))
    return vt_shapes_fail(reading, vt_shapes_get_line(reading, end), "this is not text in UTF-8");
  for (at = reading->data; at < end && g_ascii_isspace(*at);)
    at++;
  if (at == end)
    return vt_shapes_fail(reading, 0, "is empty");
  if (*at == '{' || *at == '[')
    return vt_shapes_read_geojson(reading);
  return *at == '<' ? vt_shapes_read_xml(reading) : vt_shapes_read_csv(reading);
}

VtShapes *
vt_shapes_parse(const char *data, gssize length, const char *name, const VtShapesContext *context, GError **error)
{
  g_autoptr(VtShapes) self = vt_shapes_new(name);
  g_autoptr(GError) local = NULL;
  VtShapesReading reading = { .shapes = self,
                              .context = context,
                              .data = data,
                              .length = length < 0 ? strlen(data) : (gsize)length,
                              .error = &local };
  if (read_text(&reading))
    return g_steal_pointer(&self);
  g_propagate_error(error, g_steal_pointer(&local));
  return NULL;
}

static VtRoi *
steal_outline(VtShape *shape)
{
  shape->outline->class_name = g_strdup(shape->class_name);
  shape->outline->color = shape->color;
  shape->outline->is_locked = shape->is_locked;
  return g_steal_pointer(&shape->outline);
}

GPtrArray *
vt_shapes_steal_areas(VtShapes *self, GError **error)
{
  g_autofree char *note = vt_shapes_dup_note(self, FALSE);
  if (self->n_areas == 0) {
    if (note)
      return vt_error_set_null(error, VITRAIL_READ_FAILED, "%s There are no areas in it.", note);
    return vt_error_set_null(error, VITRAIL_READ_FAILED, "%s holds no regions.", self->file);
  }
  GPtrArray *areas = g_ptr_array_new_full(self->n_areas, (GDestroyNotify)vt_roi_free);
  VT_EACH_OF (VtShape, shape, self->shapes)
    if (shape->kind == VT_SHAPE_AREA && shape->outline)
      g_ptr_array_add(areas, steal_outline(shape));
  return areas;
}

static gboolean
continues(const VtShape *former, const VtShape *shape)
{
  return former && former->kind == VT_SHAPE_POINTS && shape->kind == VT_SHAPE_POINTS && !shape->outline->name
         && former->class_name == shape->class_name && former->color == shape->color
         && former->is_locked == shape->is_locked;
}

GPtrArray *
vt_shapes_steal_annotations(VtShapes *self)
{
  GPtrArray *all = g_ptr_array_new_with_free_func((GDestroyNotify)vt_roi_free);
  const VtShape *former = NULL; /* points that others may join: the last of all */
  guint n[] = { 0, 0, 0 };
  VT_EACH_OF (VtShape, shape, self->shapes) {
    if (!shape->outline)
      continue;
    if (continues(former, shape)) {
      VtRoi *points = all->pdata[all->len - 1];
      g_array_index(points->ring_sizes, guint32, 0) += shape->outline->points->len / 2;
      g_array_append_vals(points->points, shape->outline->points->data, shape->outline->points->len);
      self->n_joined += (points->measured != NULL) + (shape->outline->measured != NULL);
      g_clear_pointer(&points->measured, vt_measured_unref);
      continue;
    }
    former = shape->outline->name ? NULL : shape;
    VtRoi *roi = steal_outline(shape);
    n[roi->kind]++;
    if (!roi->name)
      roi->name = g_strdup_printf(roi->kind == VT_SHAPE_LINE ? "Line %u" : "Points %u", n[roi->kind]);
    g_ptr_array_add(all, roi);
  }
  return all;
}

GArray *
vt_shapes_dup_points(const VtShapes *self)
{
  GArray *points = self->n_points > 0 ? g_array_new(FALSE, FALSE, sizeof(double)) : NULL;
  for (guint i = 0; points && i < self->shapes->len; i++) {
    const VtShape *shape = self->shapes->pdata[i];
    if (shape->kind == VT_SHAPE_POINTS)
      g_array_append_vals(points, shape->outline->points->data, shape->outline->points->len);
  }
  return points;
}

static void
count(GPtrArray *words, guint64 n, const char *one, const char *many)
{
  if (n > 0)
    g_ptr_array_add(words,
                    n == 1 ? g_strdup_printf("1 %s", one) : g_strdup_printf("%" G_GUINT64_FORMAT " %s", n, many));
}

char *
vt_shapes_dup_note(const VtShapes *self, gboolean with_points)
{
  g_autoptr(GPtrArray) words = g_ptr_array_new_with_free_func(g_free);
  g_autoptr(GString) text = g_string_new(NULL);
  count(words, with_points ? 0 : self->n_points, "point", "points");
  count(words, self->n_lines, "line", "lines");
  count(words, self->n_nowhere, "shape without a place or an extent", "shapes without a place or an extent");
  count(words, self->n_other, "shape of another kind", "shapes of other kinds");
  for (guint i = 0; i < words->len; i++)
    g_string_append_printf(text, "%s%s", i == 0 ? "" : i + 1 < words->len ? ", " : " and ", (char *)words->pdata[i]);
  if (words->len > 0) {
    const gboolean is_one = words->len == 1 && g_str_has_prefix(text->str, "1 ");
    g_string_prepend(text, ": ");
    g_string_prepend(text, self->file);
    g_string_append(text, is_one ? " is not a region and was left out." : " are not regions and were left out.");
  }
  if (self->n_splines > 0)
    g_string_append_printf(text, "%s%s: %u curves were taken as straight lines between their points.",
                           text->len > 0 ? " " : "", self->file, self->n_splines);
  if (self->odd)
    g_string_append_printf(
      text,
      "%s%s: of %u of the %u regions outlines cross, or a hole is not in its polygon, or a polygon "
      "is in another; what an odd number of outlines goes round was taken as inside (%s).",
      text->len > 0 ? " " : "", self->file, self->n_odd, self->n_areas, self->odd);
  return text->len > 0 ? g_strdup(text->str) : NULL;
}

GPtrArray *
vt_shapes_read_areas(const char *path, const VtShapesContext *context, char **note, GError **error)
{
  g_autoptr(VtShapes) shapes = vt_shapes_read(path, context, error);
  GPtrArray *areas = shapes ? vt_shapes_steal_areas(shapes, error) : NULL;
  if (note)
    *note = areas ? vt_shapes_dup_note(shapes, FALSE) : NULL;
  return areas;
}
