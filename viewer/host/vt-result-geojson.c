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
append_geometry(GString *text, const GArray *ring_sizes, const GArray *points)
{
  const double *all = (const double *)(gpointer)points->data, *p = all;
  guint n_outer = 0;
  for (guint i = 0; i < ring_sizes->len; p += 2 * g_array_index(ring_sizes, guint32, i), i++)
    n_outer += i == 0 || is_outer(p, g_array_index(ring_sizes, guint32, i));
  const gboolean is_multi = n_outer > 1;
  g_string_append_printf(text, "{\"type\":\"%s\",\"coordinates\":[", is_multi ? "MultiPolygon" : "Polygon");
  p = all;
  for (guint i = 0; i < ring_sizes->len; i++) {
    const guint32 n = g_array_index(ring_sizes, guint32, i);
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
  g_autoptr(GString) text = g_string_new("{\"type\":\"FeatureCollection\",\"features\":[");
  for (guint i = 0; result->objects && i < result->objects->len; i++) {
    const VtObject *object = g_ptr_array_index(result->objects, i);
    g_autofree char *uuid = vt_result_dup_object_uuid(result, object->id);
    g_string_append_printf(text, "%s\n{\"type\":\"Feature\",\"id\":\"%s\",\"geometry\":", i > 0 ? "," : "", uuid);
    append_geometry(text, object->ring_sizes, object->points);
    g_string_append_printf(text, ",\"properties\":{\"objectType\":\"detection\",\"name\":\"%" G_GINT64_FORMAT "\"",
                           object->id);
    append_measurements(text, object);
    g_string_append(text, "}}");
  }
  g_string_append(text, "\n]}\n");
  return vt_file_write_text(path, text, error);
}

gboolean
vt_rois_write_geojson(GPtrArray *rois, const char *path, GError **error)
{
  g_autoptr(GString) text = g_string_new("{\"type\":\"FeatureCollection\",\"features\":[");
  for (guint i = 0; i < rois->len; i++) {
    const VtRoi *roi = g_ptr_array_index(rois, i);
    g_string_append_printf(text, "%s\n{\"type\":\"Feature\",\"geometry\":", i > 0 ? "," : "");
    append_geometry(text, roi->ring_sizes, roi->points);
    g_string_append(text, ",\"properties\":{\"objectType\":\"annotation\",\"name\":");
    vt_text_append_json_string(text, roi->name);
    g_string_append(text, "}}");
  }
  g_string_append(text, "\n]}\n");
  return vt_file_write_text(path, text, error);
}
