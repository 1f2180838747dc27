/* SPDX-License-Identifier: MIT
 *
 * GeoJSON from anywhere, as it streams by: a collection, a list of features, one feature or one geometry. Coordinates are read before
 * or after it is known what they are of, so how deep they are nested is compared with it at the end. */
#include <math.h>
#include <string.h>

#include "base/vt-define.h"
#include "run/vt-shapes-private.h"

#define TICK 4096 /* features */

enum {
  NO_DEPTH,
  POINT,
  POINTS,
  RINGS,
  POLYGONS
}; /* of the list that "coordinates" is: how often a number is in brackets */

typedef struct {
  VtShapesReading *reading;
  VtJsonScan scan;
  guint feature, n_features;    /* that which is read, from 1; 0: none */
  GString *key, *text;          /* what was read last */
  GArray *sizes, *points;       /* of a geometry: of each ring, and x and y in turns */
  GByteArray *holes;            /* of each ring */
  VtShapesMeasuring *measuring; /* NULL: measurements are skipped */
} Parse;

typedef struct {
  const char *at; /* where it begins */
  char *type;
  int depth;                                    /* of its coordinates */
  gboolean is_null, has_coordinates, has_empty; /* a list without anything in it */
} Geometry;

G_GNUC_PRINTF(3, 4)
static gboolean
fail(Parse *parse, const char *at, const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  g_autofree char *text = g_strdup_vprintf(format, arguments);
  va_end(arguments);
  const guint line = vt_shapes_get_line(parse->reading, at);
  return parse->feature > 0 ? vt_shapes_fail(parse->reading, line, "feature %u %s", parse->feature, text)
                            : vt_shapes_fail(parse->reading, line, "this %s", text);
}

/* Which of two is meant, nobody knows. */
static gboolean
fail_twice(Parse *parse)
{
  return fail(parse, parse->scan.at, "has “%s” twice", parse->key->str);
}

/* A list or an object that ended: soundly? */
static gboolean
is_sound(Parse *parse)
{
  const char *problem = parse->scan.problem;
  return !problem
         || vt_shapes_fail(parse->reading, vt_shapes_get_line(parse->reading, parse->scan.at),
                           "this is not JSON: it %s", problem);
}

static gboolean
skip(Parse *parse)
{
  return vt_json_scan_skip(&parse->scan) || is_sound(parse);
}

/* Into parse->text. FALSE: it is something else, which is left out. */
static gboolean
read_text(Parse *parse)
{
  if (vt_json_scan_string(&parse->scan, parse->text))
    return TRUE;
  if (!parse->scan.problem)
    vt_json_scan_skip(&parse->scan);
  return FALSE;
}

/* --- coordinates --- */

static gboolean
add_point(Parse *parse, guint number)
{
  double xy[2], rest;
  gboolean is_first = FALSE; /* its first number comes next */
  const char *at = parse->scan.at;
  for (int i = 0; i < 2; i++) {
    if ((i == 1 && !vt_json_scan_next(&parse->scan, &is_first)) || !vt_json_scan_number(&parse->scan, &xy[i])
        || !isfinite(xy[i]) || fabs(xy[i]) > VT_SHAPES_MAX_COORDINATE)
      return is_sound(parse) && fail(parse, at, "has a point (number %u) that is not two sensible numbers", number);
  }
  while (vt_json_scan_next(&parse->scan, &is_first)) /* a height */
    if (!vt_json_scan_number(&parse->scan, &rest))
      return is_sound(parse) && fail(parse, at, "has a point (number %u) that is not two sensible numbers", number);
  if (++parse->reading->n_points > VT_SHAPES_MAX_POINTS)
    return fail(parse, at, "has more points than can be held");
  g_array_append_vals(parse->points, xy, 2);
  return is_sound(parse);
}

/* A list within `outer` others; its brackets come next. ring: its number in the list that it is in. */
static gboolean
add_list(Parse *parse, Geometry *geometry, int outer, guint ring)
{
  gboolean is_first = TRUE;
  guint n = 0;
  if (vt_json_scan_peek(&parse->scan) != '[' || outer >= POLYGONS)
    return is_sound(parse)
           && fail(parse, parse->scan.at,
                   outer == 0 ? "has no list of coordinates" : "has a ring that is not a list of points");
  vt_json_scan_open(&parse->scan, '[');
  const guint start = parse->points->len;
  int inner = 0;
  for (; vt_json_scan_next(&parse->scan, &is_first); n++) {
    if (vt_json_scan_peek(&parse->scan) != '[') {
      const int depth = outer + 1;
      if (n > 0 || (geometry->depth != NO_DEPTH && geometry->depth != depth))
        return is_sound(parse) && fail(parse, parse->scan.at, "has coordinates that are no list of points");
      geometry->depth = depth;
      return add_point(parse, ring + 1);
    }
    if (!add_list(parse, geometry, outer + 1, n))
      return FALSE;
    inner = geometry->depth - outer - 1;
  }
  if (n == 0)
    geometry->has_empty = TRUE;
  if (inner == 1 && n > 0) {
    const guint32 size = (parse->points->len - start) / 2;
    const guint8 is_hole = ring > 0;
    g_array_append_val(parse->sizes, size);
    g_byte_array_append(parse->holes, &is_hole, 1);
  }
  return is_sound(parse);
}

static gboolean
read_coordinates(Parse *parse, Geometry *geometry)
{
  g_array_set_size(parse->sizes, 0);
  g_array_set_size(parse->points, 0);
  g_byte_array_set_size(parse->holes, 0);
  geometry->depth = NO_DEPTH;
  geometry->has_empty = FALSE;
  geometry->has_coordinates = TRUE;
  return add_list(parse, geometry, 0, 0);
}

/* --- what they are of --- */

/* The last point of a ring is its first again, and is not kept. */
static gboolean
close_rings(Parse *parse, const Geometry *geometry)
{
  double *from = (double *)(gpointer)parse->points->data, *to = from;
  VT_EACH_IN (guint32, n, parse->sizes) {
    const double *last = from + 2 * (*n - 1);
    const guint32 n_kept = *n - (*n >= 4 && from[0] == last[0] && from[1] == last[1]);
    if (n_kept < 3)
      return fail(parse, geometry->at, "has a ring of fewer than three different points");
    memmove(to, from, n_kept * 2 * sizeof *to);
    from += 2 * *n;
    to += 2 * n_kept;
    *n = n_kept;
  }
  g_array_set_size(parse->points, (guint)(to - (double *)(gpointer)parse->points->data));
  return TRUE;
}

static gboolean
add_shape(Parse *parse, const Geometry *geometry, VtShapeKind kind, VtShape **shape, const char *name)
{
  VtShapes *shapes = parse->reading->shapes;
  if (kind == VT_SHAPE_POINTS) {
    const guint32 n = parse->points->len / 2;
    g_array_set_size(parse->sizes, 0);
    g_array_append_val(parse->sizes, n);
  }
  if (kind == VT_SHAPE_AREA && !close_rings(parse, geometry))
    return FALSE;
  for (guint i = 0; kind == VT_SHAPE_LINE && i < parse->sizes->len; i++)
    if (g_array_index(parse->sizes, guint32, i) < 2)
      return fail(parse, geometry->at, "has a line of fewer than two points");
  *shape = vt_shapes_add(shapes, kind, name, parse->sizes, parse->points, parse->holes->data);
  return TRUE;
}

static gboolean
add_geometry(Parse *parse, const Geometry *geometry, const char *name, VtShape **shape)
{
  static const struct {
    const char *type;
    int depth;
    VtShapeKind kind;
  } kinds[] = {
    { "Polygon", RINGS, VT_SHAPE_AREA },     { "MultiPolygon", POLYGONS, VT_SHAPE_AREA },
    { "Point", POINT, VT_SHAPE_POINTS },     { "MultiPoint", POINTS, VT_SHAPE_POINTS },
    { "LineString", POINTS, VT_SHAPE_LINE }, { "MultiLineString", RINGS, VT_SHAPE_LINE },
  };
  const char *type = geometry->type ? geometry->type : "thing without a type";
  if (g_str_equal(type, "GeometryCollection")) {
    parse->reading->shapes->n_other++;
    return TRUE;
  }
  for (gsize i = 0; i < G_N_ELEMENTS(kinds); i++) {
    if (!g_str_equal(type, kinds[i].type))
      continue;
    if (!geometry->has_coordinates || (geometry->depth != kinds[i].depth && !geometry->has_empty))
      return fail(parse, geometry->at, "has no coordinates that a %s has", type);
    if (geometry->has_empty)
      return fail(parse, geometry->at, "has a %s without points, or with a part without points", type);
    return add_shape(parse, geometry, kinds[i].kind, shape, name);
  }
  return fail(parse, geometry->at, "is a “%s”, which GeoJSON has no meaning for", type);
}

/* One member of a geometry; TRUE also if it is none of its. */
static gboolean
read_geometry_member(Parse *parse, Geometry *geometry)
{
  const gboolean is_type = g_str_equal(parse->key->str, "type"),
                 is_coordinates = g_str_equal(parse->key->str, "coordinates");
  if ((is_type && geometry->type) || (is_coordinates && geometry->has_coordinates))
    return fail_twice(parse);
  if (is_type) {
    geometry->type = read_text(parse) ? g_strdup(parse->text->str) : NULL;
    return is_sound(parse);
  }
  return is_coordinates ? read_coordinates(parse, geometry) : skip(parse);
}

static gboolean
read_geometry(Parse *parse, Geometry *geometry)
{
  gboolean is_first = TRUE;
  geometry->at = parse->scan.at;
  if (vt_json_scan_peek(&parse->scan) == 'n') {
    geometry->is_null = TRUE;
    return skip(parse);
  }
  if (vt_json_scan_peek(&parse->scan) != '{')
    return fail(parse, parse->scan.at, "has no geometry");
  vt_json_scan_open(&parse->scan, '{');
  while (vt_json_scan_next_member(&parse->scan, &is_first, parse->key))
    if (!read_geometry_member(parse, geometry))
      return FALSE;
  return is_sound(parse);
}

/* --- features --- */

typedef struct {
  char *name, *class_name;
  gint32 color;
  gboolean is_locked, is_measured, is_found;
  VtMeasured *measured;
} Properties;

/* [r, g, b], or one number of 32 bits. */
static gboolean
read_color(Parse *parse, gint32 *color)
{
  gboolean is_first = TRUE;
  double value;
  gint32 rgb = 0;
  int n = 0;
  if (vt_json_scan_number(&parse->scan, &value)) {
    *color = fabs(value) < 4294967296.0 ? (gint32)((gint64)value & 0xFFFFFF) : -1;
    return TRUE;
  }
  if (parse->scan.problem || vt_json_scan_peek(&parse->scan) != '[')
    return skip(parse);
  vt_json_scan_open(&parse->scan, '[');
  for (; vt_json_scan_next(&parse->scan, &is_first); n++) {
    if (!vt_json_scan_number(&parse->scan, &value))
      return skip(parse) && fail(parse, parse->scan.at, "has a color that is no list of numbers");
    rgb = n < 3 && value >= 0 && value <= 255 ? rgb * 256 + (gint32)value : n < 3 ? -1 : rgb;
    if (rgb < 0)
      return fail(parse, parse->scan.at, "has a color with a number that is not from 0 to 255");
  }
  *color = n >= 3 ? rgb : -1;
  return is_sound(parse);
}

/* {"name": "Tumor"}, {"names": ["Tumor", "Positive"]}, or "Tumor". */
static gboolean
read_class(Parse *parse, Properties *properties)
{
  gboolean is_first = TRUE, is_first_part = TRUE;
  if (vt_json_scan_peek(&parse->scan) != '{') {
    properties->class_name = read_text(parse) ? g_strdup(parse->text->str) : NULL;
    return is_sound(parse);
  }
  vt_json_scan_open(&parse->scan, '{');
  while (vt_json_scan_next_member(&parse->scan, &is_first, parse->key)) {
    if (g_str_equal(parse->key->str, "name") && read_text(parse)) {
      g_free(properties->class_name);
      properties->class_name = g_strdup(parse->text->str);
    } else if (g_str_equal(parse->key->str, "names") && vt_json_scan_peek(&parse->scan) == '[') {
      g_autoptr(GString) name = g_string_new(NULL);
      vt_json_scan_open(&parse->scan, '[');
      while (vt_json_scan_next(&parse->scan, &is_first_part))
        if (read_text(parse))
          g_string_append_printf(name, "%s%s", name->len > 0 ? ": " : "", parse->text->str);
      g_free(properties->class_name);
      properties->class_name = g_strdup(name->str);
    } else if (g_str_equal(parse->key->str, "color") || g_str_equal(parse->key->str, "colorRGB")) {
      if (!read_color(parse, &properties->color))
        return FALSE;
    } else if (!g_str_equal(parse->key->str, "name") && !skip(parse)) {
      return FALSE;
    }
    if (!is_sound(parse))
      return FALSE;
  }
  return is_sound(parse);
}

/* A list or an object. */
static gboolean
read_measurements(Parse *parse, Properties *properties)
{
  const char first = vt_json_scan_peek(&parse->scan);
  const char *start = parse->scan.at;
  if (properties->is_measured)
    return fail_twice(parse);
  if (parse->measuring)
    properties->measured = vt_shapes_read_measurements(parse->measuring, &parse->scan);
  else
    skip(parse);
  if (!is_sound(parse))
    return FALSE;
  gsize length = 0; /* without blanks; of an empty one: 2 */
  for (; start < parse->scan.at && length <= 2; start++)
    length += !g_ascii_isspace(*start);
  properties->is_measured = (first == '{' || first == '[') && length > 2;
  return TRUE;
}

static gboolean
is_object_type(const char *key)
{
  return g_str_equal(key, "objectType") || g_str_equal(key, "object_type");
}

static gboolean
read_object_type(Parse *parse, Properties *properties)
{
  static const char *const found[] = { "detection", "cell", "tile", NULL };
  if (read_text(parse))
    properties->is_found = g_strv_contains(found, parse->text->str);
  return is_sound(parse);
}

static gboolean
read_properties(Parse *parse, Properties *properties)
{
  gboolean is_first = TRUE;
  if (vt_json_scan_peek(&parse->scan) != '{')
    return skip(parse);
  vt_json_scan_open(&parse->scan, '{');
  while (vt_json_scan_next_member(&parse->scan, &is_first, parse->key)) {
    const char *key = parse->key->str;
    if ((g_str_equal(key, "name") && properties->name)
        || (g_str_equal(key, "classification") && properties->class_name))
      return fail_twice(parse);
    if (g_str_equal(key, "name")) {
      properties->name = read_text(parse) ? g_strdup(parse->text->str) : NULL;
    } else if (g_str_equal(key, "classification")) {
      if (!read_class(parse, properties))
        return FALSE;
    } else if (g_str_equal(key, "color")) {
      if (!read_color(parse, &properties->color))
        return FALSE;
    } else if (g_str_equal(key, "isLocked") || g_str_equal(key, "locked")) {
      properties->is_locked = vt_json_scan_peek(&parse->scan) == 't';
      skip(parse);
    } else if (is_object_type(key)) {
      read_object_type(parse, properties);
    } else if (g_str_equal(key, "measurements")) {
      if (!read_measurements(parse, properties))
        return FALSE;
    } else {
      skip(parse);
    }
    if (!is_sound(parse))
      return FALSE;
  }
  return is_sound(parse);
}

static gboolean read_features(Parse *parse);

typedef struct {
  Geometry own, geometry; /* own: of an object that is a geometry itself */
  Properties properties;
  const char *at;
  gboolean has_geometry, has_properties, has_features;
  guint feature, n_before; /* of all shapes, when it began */
} Feature;

/* Of GeoJSON of 2008. Without it the numbers are pixels, as everywhere in pathology. */
static gboolean
read_crs(Parse *parse)
{
  const char *at = parse->scan.at;
  if (vt_json_scan_peek(&parse->scan) == 'n')
    return skip(parse);
  const char *start = parse->scan.at;
  if (!skip(parse))
    return FALSE;
  g_autofree char *crs = g_strndup(start, MIN((gsize)(parse->scan.at - start), 80));
  return fail(parse, at,
              "is in a coordinate system of its own (crs: %s); regions are in pixels of the image, without a “crs”",
              crs);
}

/* Features in a feature, whose geometry was perhaps read already and is not to be lost. */
static gboolean
read_inner(Parse *parse, const Feature *feature)
{
  GArray *const sizes = parse->sizes, *const points = parse->points;
  GByteArray *const holes = parse->holes;
  parse->sizes = g_array_new(FALSE, FALSE, sizeof(guint32));
  parse->points = g_array_new(FALSE, FALSE, sizeof(double));
  parse->holes = g_byte_array_new();
  const gboolean done = read_features(parse);
  g_array_unref(parse->sizes);
  g_array_unref(parse->points);
  g_byte_array_unref(parse->holes);
  parse->sizes = sizes;
  parse->points = points;
  parse->holes = holes;
  parse->feature = feature->feature;
  return done;
}

static gboolean
read_member(Parse *parse, Feature *feature, gboolean is_root)
{
  const char *key = parse->key->str;
  const gboolean is_geometry = g_str_equal(key, "geometry"), is_properties = g_str_equal(key, "properties");
  if ((is_geometry && feature->has_geometry) || (is_properties && feature->has_properties))
    return fail_twice(parse);
  if (is_geometry ? feature->own.has_coordinates : feature->has_geometry && g_str_equal(key, "coordinates"))
    return fail(parse, parse->scan.at, "has a geometry, and coordinates beside it");
  if (is_geometry) {
    feature->has_geometry = TRUE;
    return read_geometry(parse, &feature->geometry);
  }
  if (is_properties) {
    feature->has_properties = TRUE;
    return read_properties(parse, &feature->properties);
  }
  if (is_object_type(key))
    return read_object_type(parse, &feature->properties);
  if (is_root && g_str_equal(key, "crs"))
    return read_crs(parse);
  if (g_str_equal(key, "features") || g_str_equal(key, "childObjects")) {
    feature->has_features = feature->has_features || g_str_equal(key, "features");
    return vt_json_scan_peek(&parse->scan) == '[' ? read_inner(parse, feature) : skip(parse);
  }
  return read_geometry_member(parse, &feature->own);
}

static gboolean
finish(Parse *parse, Feature *feature)
{
  VtShapes *shapes = parse->reading->shapes;
  const gboolean is_feature = feature->has_geometry || g_strcmp0(feature->own.type, "Feature") == 0;
  const Geometry *geometry = is_feature ? &feature->geometry : &feature->own;
  VtShape *shape = NULL;
  if (g_strcmp0(feature->own.type, "FeatureCollection") == 0)
    return feature->has_features || fail(parse, feature->at, "is a FeatureCollection without a list of features");
  if (is_feature && !feature->has_geometry)
    return fail(parse, feature->at, "has no geometry");
  if (geometry->is_null) {
    shapes->n_nowhere++;
    return TRUE;
  }
  if (!add_geometry(parse, geometry, feature->properties.name, &shape))
    return FALSE;
  if (!shape)
    return TRUE;
  shape->color = feature->properties.color;
  shape->is_locked = feature->properties.is_locked;
  shape->is_found = feature->properties.is_found;
  shapes->n_measured += feature->properties.is_measured;
  shape->outline->measured = g_steal_pointer(&feature->properties.measured);
  shape->class_name = vt_shapes_intern(shapes, feature->properties.class_name);
  if (feature->n_before + 1 < shapes->shapes->len) /* those within it come behind it */
    g_ptr_array_insert(shapes->shapes, (gint)feature->n_before,
                       g_ptr_array_steal_index(shapes->shapes, shapes->shapes->len - 1));
  return TRUE;
}

/* A Feature, a bare geometry, or, as the root, a collection. */
static gboolean
read_feature(Parse *parse, gboolean is_root)
{
  Feature feature = { .properties.color = -1, .n_before = parse->reading->shapes->shapes->len };
  gboolean is_first = TRUE, done = TRUE;
  parse->feature = feature.feature = is_root ? 0 : ++parse->n_features;
  if (vt_json_scan_peek(&parse->scan) != '{')
    return is_sound(parse) && fail(parse, parse->scan.at, is_root ? "holds no GeoJSON" : "is not an object");
  feature.at = feature.own.at = parse->scan.at;
  vt_json_scan_open(&parse->scan, '{');
  while (done && vt_json_scan_next_member(&parse->scan, &is_first, parse->key))
    done = read_member(parse, &feature, is_root);
  done = done && is_sound(parse) && finish(parse, &feature);
  g_free(feature.own.type);
  g_free(feature.geometry.type);
  g_free(feature.properties.name);
  g_free(feature.properties.class_name);
  g_clear_pointer(&feature.properties.measured, vt_measured_unref);
  return done;
}

static gboolean
read_features(Parse *parse)
{
  gboolean is_first = TRUE;
  vt_json_scan_open(&parse->scan, '[');
  while (vt_json_scan_next(&parse->scan, &is_first)) {
    if (parse->n_features % TICK == 0 && !vt_shapes_tick(parse->reading, parse->scan.at))
      return FALSE;
    if (!read_feature(parse, FALSE))
      return FALSE;
  }
  parse->feature = 0;
  return is_sound(parse);
}

gboolean
vt_shapes_read_geojson(VtShapesReading *reading)
{
  Parse parse = { .reading = reading,
                  .scan = { .at = reading->data, .end = reading->data + reading->length },
                  .key = g_string_new(NULL),
                  .text = g_string_new(NULL),
                  .sizes = g_array_new(FALSE, FALSE, sizeof(guint32)),
                  .points = g_array_new(FALSE, FALSE, sizeof(double)),
                  .holes = g_byte_array_new() };
  if (reading->context && reading->context->measures)
    parse.measuring = vt_shapes_measuring_new(reading->shapes);
  reading->shapes->format = "GeoJSON";
  gboolean done =
    vt_json_scan_peek(&parse.scan) == '[' ? read_features(&parse) && is_sound(&parse) : read_feature(&parse, TRUE);
  if (done && vt_json_scan_peek(&parse.scan) != 0)
    done = fail(&parse, parse.scan.at, "is not JSON: it goes on behind its end");
  g_string_free(parse.key, TRUE);
  g_string_free(parse.text, TRUE);
  g_array_unref(parse.sizes);
  g_array_unref(parse.points);
  g_byte_array_unref(parse.holes);
  g_clear_pointer(&parse.measuring, vt_shapes_measuring_free);
  return done;
}
