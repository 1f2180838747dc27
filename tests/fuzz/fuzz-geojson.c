/* SPDX-License-Identifier: MIT
 *
 * Any bytes as GeoJSON: regions that hold together, or one sentence. */
#include <math.h>
#include <string.h>

#include "fuzz.h"
#include "run/vt-shapes.h"

size_t
vt_fuzz_seed(unsigned index, uint8_t *data)
{
  static const char *const seeds[] = {
    ("{\"type\":\"FeatureCollection\",\"features\":[{\"type\":\"Feature\",\"geometry\":{\"type\":\"Polygon\","
     "\"coordinates\":[[[0,0],[10,0],[10,10],[0,10],[0,0]],[[2,2],[4,2],[4,4]]]},"
     "\"properties\":{\"name\":\"a\",\"objectType\":\"annotation\"}}]}"),
    ("[{\"type\":\"Feature\",\"geometry\":{\"type\":\"MultiPolygon\",\"coordinates\":"
     "[[[[0,0],[1e3,0],[1,1.5]]],[[[5,5],[6,5],[6,6]]]]},\"properties\":null}]"),
    ("{\"type\":\"Feature\",\"geometry\":null,\"childObjects\":[{\"type\":\"Feature\",\"geometry\":{\"coordinates\":[["
     "1,2],[3,4.25]],"
     "\"type\":\"MultiPoint\"},\"properties\":{\"classification\":{\"names\":[\"a\",\"b\"],\"color\":[200,0,0]},"
     "\"measurements\":{\"x\":NaN}}}]}"),
    "{\"type\":\"Polygon\",\"coordinates\":[[[-1,-2.5e-3],[1,0],[1,1]]]}",
    "{\"type\":\"Feature\",\"geometry\":{\"type\":\"Point\",\"coordinates\":[1]},\"properties\":{\"name\":"
    "\"\\u00e9\\n\"}}",
    "{\"type\":\"FeatureCollection\",\"features\":[]}",
    ("[{\"type\":\"Feature\",\"geometry\":{\"type\":\"Polygon\",\"coordinates\":[[[0,0],[9,0],[9,9]]]},\"properties\":{"
     "\"measurements\":"
     "{\"Area \\u00b5m^2\":12.5,\"b\":\"NaN\",\"c\":-Infinity,\"b\":null,\"b\":\"x\",\"b\":1e999}}},"
     "{\"type\":\"Feature\",\"geometry\":{\"type\":\"Point\",\"coordinates\":[1,2]},\"properties\":{\"measurements\":"
     "[{\"name\":\"b\",\"value\":1},{\"value\":[],\"name\":\"c\"},{\"name\":{}},3]}}]"),
    "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]",
  };
  if (index == G_N_ELEMENTS(seeds)) {
    /* Enough to exhaust the stack of a parser that calls itself. */
    memset(data, '[', VT_FUZZ_MAX_SIZE);
    return VT_FUZZ_MAX_SIZE;
  }
  if (index > G_N_ELEMENTS(seeds))
    return 0;
  memcpy(data, seeds[index], strlen(seeds[index]));
  return strlen(seeds[index]);
}

static void
check_roi(const VtRoi *roi)
{
  guint64 n_points = 0;
  double x = 0, y = 0, width = 0, height = 0;
  vt_fuzz_check(roi->name != NULL && roi->ring_sizes->len > 0, "a region without name or rings", roi->name);
  for (guint i = 0; i < roi->ring_sizes->len; i++) {
    vt_fuzz_check(g_array_index(roi->ring_sizes, guint32, i) >= 3, "a ring that is too short", roi->name);
    n_points += g_array_index(roi->ring_sizes, guint32, i);
  }
  vt_fuzz_check(2 * n_points == roi->points->len, "ring sizes and points disagree", roi->name);
  for (guint i = 0; roi->measured && i < roi->measured->n; i++)
    vt_fuzz_check(*roi->measured->numbers[i].name
                    && vt_measured_find(roi->measured, roi->measured->numbers[i].name)
                         == &roi->measured->numbers[i].value,
                  "a measurement without a name, or one that is there twice", roi->name);
  vt_roi_get_bounds(roi, &x, &y, &width, &height);
  vt_fuzz_check(isfinite(x) && isfinite(y) && width >= 0 && height >= 0, "bounds", roi->name);
}

/* The same as objects, as the op that hands them over reads them. */
static void
check_objects(const char *data, gssize size, const VtShapesContext *context)
{
  g_autoptr(GError) error = NULL;
  guint64 rings = 0, points = 0;
  g_autoptr(VtShapes) shapes = vt_shapes_parse(data, size, "fuzz.geojson", context, &error);
  g_autoptr(VtFileObjects) objects = shapes ? vt_shapes_steal_objects(shapes, "fuzz.geojson", &error) : NULL;
  vt_fuzz_check((objects == NULL) == (error != NULL), "neither objects nor an error, or both",
                error ? error->message : NULL);
  for (guint i = 0; objects && i < objects->objects->len; i++) {
    const VtFileObject *object = &g_array_index(objects->objects, VtFileObject, i);
    vt_fuzz_check(object->rings > rings && isfinite(object->centroid_x_l0) && isfinite(object->centroid_y_l0),
                  "an object without rings, or nowhere", NULL);
    for (; rings < object->rings; rings++)
      points += g_array_index(objects->ring_sizes, guint32, rings);
    vt_fuzz_check(points == object->points, "rings and points of objects disagree", NULL);
    vt_fuzz_check(objects->class_of[i] == VT_FILE_OBJECTS_NO_CLASS || objects->class_of[i] < objects->classes->len,
                  "a class that is not there", NULL);
    for (guint k = 0; k < objects->names->len; k++)
      vt_fuzz_check(!isinf(objects->values[(gsize)i * objects->names->len + k]), "an infinite measurement", NULL);
  }
  vt_fuzz_check(!objects || 2 * points == objects->points->len, "points of no object", NULL);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  g_autoptr(GError) error = NULL;
  g_log_set_always_fatal(G_LOG_LEVEL_CRITICAL | G_LOG_LEVEL_WARNING | G_LOG_FATAL_MASK);
  const VtShapesContext context = { .measures = TRUE };
  g_autoptr(VtShapes) shapes = vt_shapes_parse((const char *)data, (gssize)size, "fuzz.geojson", &context, &error);
  g_autoptr(GPtrArray) rois = shapes ? vt_shapes_steal_areas(shapes, &error) : NULL;
  vt_fuzz_check((rois == NULL) == (error != NULL), "neither regions nor an error, or both",
                error ? error->message : NULL);
  if (error)
    vt_fuzz_check(g_utf8_validate(error->message, -1, NULL) && !strchr(error->message, '\n')
                    && g_str_has_suffix(error->message, "."),
                  "not a sentence", error->message);
  check_objects((const char *)data, (gssize)size, &context);
  for (guint i = 0; rois && i < rois->len; i++)
    check_roi(g_ptr_array_index(rois, i));
  return 0;
}
