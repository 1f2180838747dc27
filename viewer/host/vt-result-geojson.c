/* SPDX-License-Identifier: MIT
 *
 * GeoJSON as QuPath's code writes it: full-resolution pixels, two decimals, closed rings; measurements that are no
 * number are strings; only Polygon and MultiPolygon, since QuPath's geometry collections do not read back. */
#include <math.h>

#include "vt-file-private.h"
#include "vt-run-private.h"

static void
append_point(GString *text, const double *point)
{
  g_string_append_c(text, '[');
  vt_text_append_double(text, round(point[0] * 100) / 100 + 0.0);
  g_string_append_c(text, ',');
  vt_text_append_double(text, round(point[1] * 100) / 100 + 0.0);
  g_string_append_c(text, ']');
}

static void
append_ring(GString *text, const double *points, guint32 n)
{
  g_string_append_c(text, '[');
  for (guint32 i = 0; i < n; i++) {
    append_point(text, points + 2 * i);
    g_string_append_c(text, ',');
  }
  append_point(text, points);
  g_string_append_c(text, ']');
}

/* Clockwise on the screen, where y grows downwards. */
static gboolean
is_outer(const double *p, guint32 n)
{
  double area = 0;
  for (guint32 a = 0, b = n - 1; a < n; b = a++)
    area += p[2 * b] * p[2 * a + 1] - p[2 * a] * p[2 * b + 1];
  return area > 0;
}

static void
append_geometry(GString *text, const guint32 *ring_sizes, guint n_rings, const double *points)
{
  const double *p = points;
  guint n_outer = 0;
  for (guint i = 0; i < n_rings; p += 2 * ring_sizes[i], i++)
    n_outer += i == 0 || is_outer(p, ring_sizes[i]);
  const gboolean is_multi = n_outer > 1;
  g_string_append_printf(text, "{\"type\":\"%s\",\"coordinates\":[", is_multi ? "MultiPolygon" : "Polygon");
  p = points;
  for (guint i = 0; i < n_rings; i++) {
    const guint32 n = ring_sizes[i];
    const gboolean starts_polygon = is_multi && (i == 0 || is_outer(p, n));
    if (i > 0)
      g_string_append(text, starts_polygon ? "]," : ",");
    g_string_append(text, starts_polygon ? "[" : "");
    append_ring(text, p, n);
    p += 2 * n;
  }
  g_string_append(text, is_multi ? "]]}" : "]}");
}

static void
append_measurements(GString *text, const VtObject *object)
{
  g_string_append(text, ",\"measurements\":{");
  for (guint i = 0; i < object->n_measurements; i++) {
    const gboolean is_number = isfinite(object->measurements[i]);
    g_string_append(text, i > 0 ? "," : "");
    vt_text_append_json_string(text, object->measurement_names[i]);
    g_string_append(text, is_number ? ":" : ":\"");
    vt_text_append_double(text, object->measurements[i]);
    g_string_append(text, is_number ? "" : "\"");
  }
  g_string_append_c(text, '}');
}

gboolean
vt_result_write_geojson(const VtResult *result, const char *path, GError **error)
{
  VtTextFile *file = vt_text_file_new(path, error);
  if (!file)
    return FALSE;
  GString *text = g_string_append(file->text, "{\"type\":\"FeatureCollection\",\"features\":[");
  for (guint i = 0; result->objects && i < result->objects->len; i++) {
    const VtObject *object = vt_result_pass_object(result, i);
    g_autofree char *uuid = vt_result_dup_object_uuid(result, object->id);
    g_string_append_printf(text, "%s\n{\"type\":\"Feature\",\"id\":\"%s\",\"geometry\":", i > 0 ? "," : "", uuid);
    append_geometry(text, object->ring_sizes, object->n_rings, object->points);
    g_string_append_printf(text, ",\"properties\":{\"objectType\":\"detection\",\"name\":\"%" G_GINT64_FORMAT "\"",
                           object->id);
    append_measurements(text, object);
    g_string_append(text, "}}");
    vt_text_file_pass_on(file);
  }
  g_string_append(text, "\n]}\n");
  return vt_text_file_close(file, error);
}

gboolean
vt_rois_write_geojson(GPtrArray *rois, const char *path, GError **error)
{
  g_autoptr(GString) text = g_string_new("{\"type\":\"FeatureCollection\",\"features\":[");
  for (guint i = 0; i < rois->len; i++) {
    const VtRoi *roi = g_ptr_array_index(rois, i);
    g_string_append_printf(text, "%s\n{\"type\":\"Feature\",\"geometry\":", i > 0 ? "," : "");
    append_geometry(text, (const guint32 *)(gpointer)roi->ring_sizes->data, roi->ring_sizes->len,
                    (const double *)(gpointer)roi->points->data);
    g_string_append(text, ",\"properties\":{\"objectType\":\"annotation\",\"name\":");
    vt_text_append_json_string(text, roi->name);
    g_string_append(text, "}}");
  }
  g_string_append(text, "\n]}\n");
  return vt_file_write_text(path, text, error);
}
