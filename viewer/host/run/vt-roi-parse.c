/* SPDX-License-Identifier: MIT
 *
 * GeoJSON from anywhere: every type is looked at before it is believed. */
#include <json-glib/json-glib.h>
#include <math.h>
#include <string.h>

#include "base/vt-json.h"
#include "run/vt-roi.h"

#define MAX_POINTS (1u << 26)
#define MAX_BYTES ((goffset)1 << 30)
#define MAX_COORDINATE 1e12

typedef struct {
  const char *name; /* of the file */
  guint feature;    /* from 1; 0: not in a feature */
  guint n_skipped;  /* that are no areas */
  char *skipped;    /* what the first of them is */
  guint n_odd;      /* outlines that are not plain */
  char *odd;        /* the name of the first of them */
  GPtrArray *rois;
  GArray *dots; /* double x, y; NULL: points are skipped */
  guint64 n_points;
  GError **error;
} Parse;

G_GNUC_PRINTF(2, 3)
static gboolean
fail(Parse *parse, const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  g_autofree char *raw = g_strdup_vprintf(format, arguments);
  g_autofree char *text = vt_error_dup_line(raw);
  va_end(arguments);
  if (parse->feature > 0)
    g_set_error(parse->error, VT_ERROR, VITRAIL_READ_FAILED, "%s: feature %u %s.", parse->name, parse->feature, text);
  else
    g_set_error(parse->error, VT_ERROR, VITRAIL_READ_FAILED, "%s %s.", parse->name, text);
  return FALSE;
}

static JsonObject *
as_object(JsonNode *node)
{
  return node && JSON_NODE_HOLDS_OBJECT(node) ? json_node_get_object(node) : NULL;
}

static JsonArray *
as_array(JsonNode *node)
{
  return node && JSON_NODE_HOLDS_ARRAY(node) ? json_node_get_array(node) : NULL;
}

static const char *
get_string(JsonObject *object, const char *member)
{
  JsonNode *node = json_object_get_member(object, member);
  return node && JSON_NODE_HOLDS_VALUE(node) && json_node_get_value_type(node) == G_TYPE_STRING
           ? json_node_get_string(node)
           : NULL;
}

static gboolean
get_number(JsonArray *array, guint index, double *value)
{
  JsonNode *node = json_array_get_element(array, index);
  if (!JSON_NODE_HOLDS_VALUE(node))
    return FALSE;
  const GType type = json_node_get_value_type(node);
  if (type != G_TYPE_DOUBLE && type != G_TYPE_INT64)
    return FALSE;
  *value = json_node_get_double(node);
  return isfinite(*value) && fabs(*value) <= MAX_COORDINATE;
}

static gboolean
add_point(Parse *parse, GArray *points, JsonNode *node, guint number)
{
  JsonArray *point = as_array(node);
  double xy[2];
  if (!point || json_array_get_length(point) < 2 || !get_number(point, 0, &xy[0]) || !get_number(point, 1, &xy[1]))
    return fail(parse, "has a point (number %u) that is not two sensible numbers", number);
  if (++parse->n_points > MAX_POINTS)
    return fail(parse, "has more points than can be held");
  g_array_append_vals(points, xy, 2);
  return TRUE;
}

static gboolean
add_ring(Parse *parse, VtRoi *roi, JsonNode *node)
{
  JsonArray *ring = as_array(node);
  if (!ring)
    return fail(parse, "has a ring that is not a list of points");
  const guint start = roi->points->len;
  for (guint i = 0; i < json_array_get_length(ring); i++)
    if (!add_point(parse, roi->points, json_array_get_element(ring, i), i + 1))
      return FALSE;
  const double *p = (const double *)(gpointer)roi->points->data;
  const guint end = roi->points->len;
  if (end - start >= 4 && p[start] == p[end - 2] && p[start + 1] == p[end - 1])
    g_array_set_size(roi->points, end - 2);
  const guint32 n = (roi->points->len - start) / 2;
  if (n < 3)
    return fail(parse, "has a ring of fewer than three different points");
  g_array_append_val(roi->ring_sizes, n);
  return TRUE;
}

static gboolean
add_polygon(Parse *parse, VtRoi *roi, GByteArray *holes, JsonNode *node)
{
  JsonArray *rings = as_array(node);
  if (!rings || json_array_get_length(rings) == 0)
    return fail(parse, "has a polygon without rings");
  for (guint i = 0; i < json_array_get_length(rings); i++) {
    const guint8 is_hole = i > 0;
    g_byte_array_append(holes, &is_hole, 1);
    if (!add_ring(parse, roi, json_array_get_element(rings, i)))
      return FALSE;
  }
  return TRUE;
}

/* GeoJSON knows these, too: they are not wrong, but have no inside. */
static gboolean
is_no_area(const char *type)
{
  static const char *const types[] = { "Point",           "MultiPoint",         "LineString",
                                       "MultiLineString", "GeometryCollection", NULL };
  return type && g_strv_contains(types, type);
}

static gboolean
skip(Parse *parse, const char *type)
{
  if (parse->n_skipped++ == 0)
    parse->skipped = g_strdup_printf("%s, feature %u", type, parse->feature);
  return TRUE;
}

static gboolean
add_dots(Parse *parse, JsonNode *coordinates, gboolean is_multi)
{
  JsonArray *points = is_multi ? as_array(coordinates) : NULL;
  if (!is_multi && coordinates)
    return add_point(parse, parse->dots, coordinates, 1);
  if (!points)
    return fail(parse, "has no points");
  for (guint i = 0; i < json_array_get_length(points); i++)
    if (!add_point(parse, parse->dots, json_array_get_element(points, i), i + 1))
      return FALSE;
  return TRUE;
}

static gboolean
add_geometry(Parse *parse, JsonObject *geometry, const char *name)
{
  const char *type = get_string(geometry, "type");
  JsonNode *coordinates = json_object_get_member(geometry, "coordinates");
  const gboolean is_multi = g_strcmp0(type, "MultiPolygon") == 0;
  g_autoptr(GByteArray) holes = g_byte_array_new();
  if (parse->dots && (g_strcmp0(type, "Point") == 0 || g_strcmp0(type, "MultiPoint") == 0))
    return add_dots(parse, coordinates, type[0] == 'M');
  if (is_no_area(type))
    return skip(parse, type);
  if (!is_multi && g_strcmp0(type, "Polygon") != 0)
    return fail(parse, "is a “%s”; only Polygon and MultiPolygon are areas", type ? type : "thing without a type");
  g_autoptr(VtRoi) roi = g_new0(VtRoi, 1);
  roi->name = name ? g_strdup(name) : g_strdup_printf("ROI %u", parse->rois->len + 1);
  roi->ring_sizes = g_array_new(FALSE, FALSE, sizeof(guint32));
  roi->points = g_array_new(FALSE, FALSE, sizeof(double));
  JsonArray *polygons = is_multi ? as_array(coordinates) : NULL;
  if (is_multi && (!polygons || json_array_get_length(polygons) == 0))
    return fail(parse, "has no polygons");
  if (!is_multi && !add_polygon(parse, roi, holes, coordinates))
    return FALSE;
  for (guint i = 0; is_multi && i < json_array_get_length(polygons); i++)
    if (!add_polygon(parse, roi, holes, json_array_get_element(polygons, i)))
      return FALSE;
  if (!vt_roi_is_plain(roi, holes->data) && parse->n_odd++ == 0)
    parse->odd = g_strdup(roi->name);
  g_ptr_array_add(parse->rois, g_steal_pointer(&roi));
  return TRUE;
}

/* A Feature or a bare geometry. */
static gboolean
add_feature(Parse *parse, JsonNode *node)
{
  JsonObject *object = as_object(node);
  if (!object)
    return fail(parse, "is not an object");
  if (g_strcmp0(get_string(object, "type"), "Feature") != 0)
    return add_geometry(parse, object, NULL);
  JsonObject *geometry = as_object(json_object_get_member(object, "geometry"));
  JsonObject *properties = as_object(json_object_get_member(object, "properties"));
  JsonNode *none = json_object_get_member(object, "geometry");
  if (none && JSON_NODE_HOLDS_NULL(none))
    return skip(parse, "without a geometry");
  if (!geometry)
    return fail(parse, "has no geometry");
  return add_geometry(parse, geometry, properties ? get_string(properties, "name") : NULL);
}

static gboolean
add_features(Parse *parse, JsonArray *features)
{
  for (guint i = 0; i < json_array_get_length(features); i++) {
    parse->feature = i + 1;
    if (!add_feature(parse, json_array_get_element(features, i)))
      return FALSE;
  }
  parse->feature = 0;
  return TRUE;
}

/* Of GeoJSON of 2008. Without it the numbers are pixels, as everywhere in pathology. */
static gboolean
check_crs(Parse *parse, JsonObject *object)
{
  JsonNode *node = json_object_get_member(object, "crs");
  JsonObject *crs = as_object(node), *properties = crs ? as_object(json_object_get_member(crs, "properties")) : NULL;
  const char *name = properties ? get_string(properties, "name") : NULL;
  return !node || JSON_NODE_HOLDS_NULL(node)
         || fail(parse,
                 "is in a coordinate system of its own (crs: %s); regions are in pixels of the image, without a “crs”",
                 name ? name : "without a name");
}

static gboolean
add_root(Parse *parse, JsonNode *root)
{
  JsonArray *features = root ? as_array(root) : NULL;
  JsonObject *object = root ? as_object(root) : NULL;
  if (object && !check_crs(parse, object))
    return FALSE;
  if (!features && object && g_strcmp0(get_string(object, "type"), "FeatureCollection") == 0) {
    features = as_array(json_object_get_member(object, "features"));
    if (!features)
      return fail(parse, "is a FeatureCollection without a list of features");
  }
  if (features)
    return add_features(parse, features);
  if (!object)
    return fail(parse, "holds no GeoJSON");
  parse->feature = 1;
  return add_feature(parse, root);
}

static gboolean
finish(Parse *parse, char **note)
{
  g_autoptr(GString) text = g_string_new(NULL);
  parse->feature = 0;
  if (parse->rois->len == 0 && !parse->dots)
    return parse->skipped
             ? fail(parse, "holds no areas: %u features were left out (%s)", parse->n_skipped, parse->skipped)
             : fail(parse, "holds no regions");
  if (parse->skipped)
    g_string_append_printf(text, "%s: %u of the features are no areas and were left out (%s).", parse->name,
                           parse->n_skipped, parse->skipped);
  if (parse->odd)
    g_string_append_printf(
      text,
      "%s%s: of %u of the %u regions outlines cross, or a hole is not in its polygon, or a polygon "
      "is in another; what an odd number of outlines goes round was taken as inside (%s).",
      text->len > 0 ? " " : "", parse->name, parse->n_odd, parse->rois->len, parse->odd);
  if (note && text->len > 0)
    *note = g_strdup(text->str);
  return TRUE;
}

static void
roi_destroy(gpointer data)
{
  vt_roi_free(data);
}

static GPtrArray *
parse_text(const char *data, gssize length, const char *name_for_errors, GArray *dots, char **note, GError **error)
{
  if (note)
    *note = NULL;
  g_autoptr(JsonParser) parser = json_parser_new_immutable();
  g_autoptr(GPtrArray) rois = g_ptr_array_new_with_free_func(roi_destroy);
  g_autoptr(GError) local = NULL;
  Parse parse = { .name = name_for_errors, .rois = rois, .dots = dots, .error = error };
  g_autofree char *problem = NULL;
  if (!vt_json_check_text(data, length < 0 ? strlen(data) : (gsize)length, &problem)) {
    fail(&parse, "%s", problem);
    return NULL;
  }
  if (!json_parser_load_from_data(parser, data, length, &local)) {
    fail(&parse, "is not JSON (%s)", local->message);
    return NULL;
  }
  const gboolean done = add_root(&parse, json_parser_get_root(parser)) && finish(&parse, note);
  g_free(parse.skipped);
  g_free(parse.odd);
  return done ? g_steal_pointer(&rois) : NULL;
}

GPtrArray *
vt_rois_parse_geojson(const char *data, gssize length, const char *name_for_errors, char **note, GError **error)
{
  return parse_text(data, length, name_for_errors, NULL, note, error);
}

static GPtrArray *
read_file(const char *path, GArray *dots, char **note, GError **error)
{
  g_autofree char *name = g_filename_display_basename(path);
  g_autofree char *data = NULL;
  gsize length = 0;
  g_autoptr(GFile) file = g_file_new_for_path(path);
  g_autoptr(GFileInfo) info =
    g_file_query_info(file, G_FILE_ATTRIBUTE_STANDARD_SIZE, G_FILE_QUERY_INFO_NONE, NULL, NULL);
  if (info && g_file_info_get_size(info) > MAX_BYTES) {
    g_set_error(error, VT_ERROR, VITRAIL_READ_FAILED, "%s is larger than GeoJSON can be here (1 GiB).", name);
    return NULL;
  }
  if (!info || !g_file_get_contents(path, &data, &length, NULL)) {
    g_set_error(error, VT_ERROR, VITRAIL_READ_FAILED, "%s cannot be read.", name);
    return NULL;
  }
  return parse_text(data, (gssize)length, name, dots, note, error);
}

GPtrArray *
vt_rois_read_geojson(const char *path, char **note, GError **error)
{
  return read_file(path, NULL, note, error);
}

GPtrArray *
vt_rois_read_geojson_with_dots(const char *path, GArray **dots, char **note, GError **error)
{
  g_autoptr(GArray) points = g_array_new(FALSE, FALSE, sizeof(double));
  GPtrArray *rois = read_file(path, points, note, error);
  *dots = rois && points->len > 0 ? g_steal_pointer(&points) : NULL;
  return rois;
}
