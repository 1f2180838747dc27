/* SPDX-License-Identifier: MIT
 *
 * Objects of a file, and the op that hands them over: outlines that run the right way, measurements in columns, what is left out and said. */
#include <math.h>
#include <string.h>

#include "host-support.h"
#include "run/vt-file-objects-classes.h"
#include "run/vt-file-objects-op.h"
#include "run/vt-run.h"
#include "run/vt-shapes.h"

#define FEATURE(rings, measurements) \
  "{\"type\":\"Feature\",\"geometry\":{\"type\":\"Polygon\",\"coordinates\":[" rings \
  "]},\"properties\":{\"objectType\":" \
  "\"detection\",\"measurements\":" measurements "}}"
#define A FEATURE("[[10,10],[20,10],[20,20],[10,20],[10,10]]", "{\"a\":1,\"b\":2}")
#define B \
  FEATURE("[[30,10],[30,20],[40,20],[40,10],[30,10]],[[33,13],[37,13],[37,17],[33,17],[33,13]]", \
          "[{\"name\":\"b\",\"value\":3},{\"name\":\"c\",\"value\":\"Infinity\"}]")
#define BESIDE FEATURE("[[500,10],[510,10],[510,20],[500,20],[500,10]]", "{}")
#define FLAT FEATURE("[[50,50],[60,60],[70,70],[50,50]]", "{\"a\":\"NaN\",\"b\":\"x\"}")
#define POINT "{\"type\":\"Point\",\"coordinates\":[1,2]}"
/* Squares of 10, with the sun and against it, a hole of 4 × 4 in the second, one beside the image, a triangle without an area. */
static const char file[] = "[" A "," B "," BESIDE "," FLAT "," POINT "]";

static VtFileObjects *
make(const char *text, GError **error)
{
  const VtShapesContext context = { .measures = TRUE };
  g_autoptr(VtShapes) shapes = vt_shapes_parse(text, -1, "t.geojson", &context, error);
  return shapes ? vt_shapes_steal_objects(shapes, "/a/t.geojson", error) : NULL;
}

static void
test_outlines(void)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(VtFileObjects) objects = make(file, &error);
  g_assert_no_error(error);
  const guint32 *sizes = (const guint32 *)(gpointer)objects->ring_sizes->data;
  const double *points = (const double *)(gpointer)objects->points->data;
  const VtFileObject *at = (const VtFileObject *)(gpointer)objects->objects->data;
  g_assert_cmpuint(objects->objects->len, ==, 4);
  g_assert_cmpuint(at[0].rings, ==, 1);
  g_assert_cmpuint(at[1].rings, ==, 3);
  g_assert_cmpuint(at[1].points, ==, 12);
  g_assert_cmpfloat(vt_ring_get_turn(points, sizes[0]), ==, 200);
  g_assert_cmpfloat(vt_ring_get_turn(points + 8, sizes[1]), ==, 200);
  g_assert_cmpfloat(vt_ring_get_turn(points + 16, sizes[2]), ==, -32); /* a hole runs the other way */
  g_assert_cmpfloat(at[0].centroid_x_l0, ==, 15);
  g_assert_cmpfloat_with_epsilon(at[1].centroid_x_l0, 35, 1e-9);
  g_assert_cmpfloat_with_epsilon(at[1].centroid_y_l0, 15, 1e-9);
  g_assert_cmpfloat_with_epsilon(at[3].centroid_x_l0, 60, 1e-9);
  g_assert_null(make("[" POINT "]", &error));
  g_assert_cmpstr(error->message, ==, "t.geojson holds no areas, which objects are.");
}

static void
test_measurements(void)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(VtFileObjects) objects = make(file, &error), again = make(file, &error);
  const double *v = objects->values;
  g_assert_cmpuint(objects->names->len, ==, 3);
  g_assert_cmpstr(objects->names->pdata[0], ==, "a");
  g_assert_cmpstr(objects->names->pdata[2], ==, "c");
  g_assert_true(v[0] == 1 && v[1] == 2 && isnan(v[2]));
  g_assert_true(isnan(v[3]) && v[4] == 3 && isnan(v[5])); /* an infinite number is none */
  g_assert_true(isnan(v[6]) && isnan(v[9]) && isnan(v[10]));
  g_assert_nonnull(strstr(objects->note, "t.geojson: what is no object, as annotations, lines and points: 1."));
  g_assert_nonnull(strstr(objects->note, "infinite numbers that are taken as none: 1"));
  g_assert_nonnull(strstr(objects->note, "measurements without a name or a number: 1"));
  g_assert_true(vt_file_objects_equal(objects, again));
  again->values[1] = 5;
  g_assert_false(vt_file_objects_equal(objects, again));
}

static void
test_many_measurements(void)
{
  g_autoptr(GString) text = g_string_new("[" FEATURE("[[0,0],[9,0],[9,9],[0,0]]", "{\"n0\":0"));
  g_autoptr(GError) error = NULL;
  g_string_truncate(text, text->len - strlen("}}"));
  for (guint i = 1; i < VT_FILE_OBJECTS_MOST_NAMES + 7; i++)
    g_string_append_printf(text, ",\"n%u\":%u", i, i);
  g_string_append(text, "}}}]");
  g_autoptr(VtFileObjects) objects = make(text->str, &error);
  g_assert_no_error(error);
  g_assert_cmpuint(objects->names->len, ==, VT_FILE_OBJECTS_MOST_NAMES);
  g_assert_cmpfloat(objects->values[VT_FILE_OBJECTS_MOST_NAMES - 1], ==, VT_FILE_OBJECTS_MOST_NAMES - 1);
  g_assert_nonnull(strstr(objects->note, "of 107 measurements objects have the first 100"));
}

static VtRunRequest *
make_request(VtFileObjects *objects)
{
  const VitrailPlugin *plugin = NULL;
  const VitrailOp *op = vt_plugin_host_find_op(vt_plugin_host_get(), VT_FILE_OBJECTS_OP, &plugin);
  VtRunRequest *request = vt_run_request_new(plugin, op);
  request->params = vt_params_new(op, FALSE);
  request->whole = TRUE;
  request->rasters = g_hash_table_new_full(g_str_hash, g_str_equal, NULL, (GDestroyNotify)vt_raster_unref);
  g_hash_table_insert(request->rasters, (gpointer) "image", vt_raster_new(VITRAIL_RGBA8, 100, 80, NULL));
  vt_params_set_objects(request->params, objects);
  return request;
}

static void
test_run(void)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(VtFileObjects) objects = make(file, &error);
  g_autoptr(VtRunRequest) request = make_request(objects);
  g_autoptr(VtResult) result = vt_run(request, NULL, NULL, NULL, &error);
  g_assert_no_error(error);
  g_assert_cmpuint(result->objects->len, ==, 3); /* one lies beside the image */
  const VtObject *second = result->objects->pdata[1], *last = result->objects->pdata[2];
  g_assert_cmpint(second->id, ==, 2);
  g_assert_cmpint(last->id, ==, 4); /* the place in the file */
  g_assert_cmpuint(second->n_rings, ==, 2);
  g_assert_cmpstr(second->measurement_names[1], ==, "b");
  g_assert_cmpfloat(second->measurements[1], ==, 3);
  g_assert_cmpuint(result->warnings->len, ==, 2);
  g_assert_cmpstr(result->warnings->pdata[1], ==, "1 object of t.geojson lies outside of the image and was left out.");
  request->whole = FALSE;
  request->x_l0 = 15;
  request->width_l0 = 20; /* its centroid decides: 15 is in, 35 is not */
  request->height_l0 = 80;
  g_autoptr(VtResult) part = vt_run(request, NULL, NULL, NULL, &error);
  g_assert_no_error(error);
  g_assert_cmpuint(part->objects->len, ==, 1);
  g_assert_cmpint(((const VtObject *)part->objects->pdata[0])->id, ==, 1);
  g_autofree char *digest = vt_run_request_dup_digest(request);
  vt_params_set_objects(request->params, NULL);
  g_autofree char *without = vt_run_request_dup_digest(request);
  g_assert_cmpstr(digest, !=, without);
  g_assert_null(vt_run(request, NULL, NULL, NULL, &error));
  g_assert_nonnull(strstr(error->message, "no file of objects"));
}

#define OF_CLASS(x, cls) \
  "{\"type\":\"Feature\",\"geometry\":{\"type\":\"Polygon\",\"coordinates\":[[[" x ",10],[" x "1,10],[" x "1,19],[" x \
  ",10]]]},\"properties\":{" cls "}}"

#define TUMOR "\"classification\":{\"name\":\"Tumor\"}"
#define TUMOR_WITH_COLOUR "\"classification\":{\"name\":\"Tumor\",\"color\":[1,2,3]}"
#define STROMA "\"classification\":\"Stroma\""
static const char classes[] =
  "[" OF_CLASS("1", TUMOR) "," OF_CLASS("2", STROMA) "," OF_CLASS("3", "") "," OF_CLASS("4", TUMOR_WITH_COLOUR) "]";

static void
test_classes(void)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(VtFileObjects) plain = make(file, &error);
  g_autoptr(VtFileObjects) objects = make(classes, &error);
  g_assert_no_error(error);
  g_autoptr(VtRunRequest) request = make_request(objects);
  g_autoptr(VtResult) result = vt_run(request, NULL, NULL, NULL, &error);
  g_assert_no_error(error);
  g_assert_null(vt_file_objects_classify(plain, result->objects));
  g_assert_null(vt_file_objects_classify(NULL, result->objects));
  g_autoptr(VtClassified) classified = vt_file_objects_classify(objects, result->objects);
  g_assert_cmpuint(classified->list->len, ==, 2);
  g_assert_cmpuint(classified->counts[0], ==, 2);
  g_assert_cmpuint(classified->counts[1], ==, 1);
  g_assert_null(vt_classified_get(classified, 2));
  g_assert_cmpstr(vt_classified_get(classified, 3)->name, ==, "Tumor");
  g_assert_cmpuint(vt_classified_get(classified, 0)->rgb[2], ==, 3); /* the first colour that the class has */
  g_autoptr(GPtrArray) others =
    g_ptr_array_new_with_free_func(g_free); /* the last one, and one by hand of the same number */
  g_ptr_array_add(others, vt_object_copy(result->objects->pdata[3]));
  VtObject *by_hand = vt_object_copy(result->objects->pdata[3]);
  by_hand->centroid_x_l0 += 1;
  g_ptr_array_add(others, by_hand);
  g_autoptr(VtClassified) some = vt_file_objects_classify(objects, others);
  g_assert_nonnull(vt_classified_get(some, 0));
  g_assert_null(vt_classified_get(some, 1));
}

/* Detections in an annotation: they are the objects, and it stays. */
static void
test_detections_alone(void)
{
  static const char text[] =
    "[{\"type\":\"Feature\",\"geometry\":{\"type\":\"Polygon\",\"coordinates\":[[[0,0],[90,0],["
    "90,90],[0,0]]]},\"properties\":{\"objectType\":\"annotation\",\"name\":\"it\"},"
    "\"childObjects\":[" A "," B "]}," POINT "]";
  const VtShapesContext context = { .measures = TRUE };
  g_autoptr(GError) error = NULL;
  g_autoptr(VtShapes) shapes = vt_shapes_parse(text, -1, "t.geojson", &context, &error);
  g_autoptr(VtFileObjects) objects = vt_shapes_steal_objects(shapes, "/a/t.geojson", &error);
  g_assert_no_error(error);
  g_assert_cmpuint(objects->objects->len, ==, 2);
  g_assert_cmpuint(shapes->n_areas, ==, 1);
  g_autoptr(GPtrArray) rest = vt_shapes_steal_annotations(shapes);
  g_assert_cmpuint(rest->len, ==, 2);
  g_assert_cmpstr(((const VtRoi *)rest->pdata[0])->name, ==, "it");
  g_assert_nonnull(strstr(objects->note, "lines and points: 2."));
}

/* It is there, and in no list: a program without plugins says so, and the first analysis is a plugin's. */
static void
test_unlisted(void)
{
  VtPluginHost *host = vt_plugin_host_get();
  const VitrailOp *op = vt_plugin_host_find_op(host, VT_FILE_OBJECTS_OP, NULL);
  g_assert_true(vt_op_is_own(op));
  g_assert_false(g_ptr_array_find(vt_plugin_host_get_ops(host), op, NULL));
  GPtrArray *ops = vt_plugin_host_get_ops(host), *plugins = vt_plugin_host_get_plugins(host);
  for (guint i = 0; i < ops->len; i++)
    g_assert_false(vt_op_is_own(ops->pdata[i]));
  for (guint i = 0; i < plugins->len; i++)
    g_assert_cmpstr(((const VitrailPlugin *)plugins->pdata[i])->id, !=, "vitrail-files");
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  vt_file_objects_op_offer();
  g_test_add_func("/file-objects/outlines", test_outlines);
  g_test_add_func("/file-objects/measurements", test_measurements);
  g_test_add_func("/file-objects/many-measurements", test_many_measurements);
  g_test_add_func("/file-objects/run", test_run);
  g_test_add_func("/file-objects/classes", test_classes);
  g_test_add_func("/file-objects/detections-alone", test_detections_alone);
  g_test_add_func("/file-objects/unlisted", test_unlisted);
  return g_test_run();
}
