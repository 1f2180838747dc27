/* SPDX-License-Identifier: MIT
 *
 * GeoJSON: good forms, wrong forms, damaged text. */
#include <string.h>

#include "host-support.h"
#include "results/vt-regions-save.h"
#include "run/vt-roi-sets.h"
#include "run/vt-shapes.h"

#define RING "[[0,0],[10,0],[10,5],[0,0]]"

static GPtrArray *
parse_areas(const char *text, char **note, GError **error)
{
  g_autoptr(VtShapes) shapes = vt_shapes_parse(text, -1, "t.geojson", NULL, error);
  GPtrArray *areas = shapes ? vt_shapes_steal_areas(shapes, error) : NULL;
  if (note)
    *note = areas ? vt_shapes_dup_note(shapes, FALSE) : NULL;
  return areas;
}

static GPtrArray *
parse(const char *text, GError **error)
{
  return parse_areas(text, NULL, error);
}

static void
test_good(void)
{
  static const struct {
    const char *text;
    guint n_rois, n_rings;
    const char *name;
  } cases[] = {
    { "{\"type\":\"Polygon\",\"coordinates\":[" RING "]}", 1, 1, "ROI 1" },
    { "{\"type\":\"Feature\",\"geometry\":{\"type\":\"Polygon\",\"coordinates\":[" RING "," RING "]},"
      "\"properties\":{\"name\":\"x\"}}",
      1, 2, "x" },
    { "{\"type\":\"Feature\",\"geometry\":{\"type\":\"MultiPolygon\",\"coordinates\":[[" RING "],[" RING "]]},"
      "\"properties\":{\"name\":7}}",
      1, 2, "ROI 1" },
    { "[{\"type\":\"Polygon\",\"coordinates\":[[[0,0,1],[10,0],[10,5]]]}]", 1, 1, "ROI 1" },
  };
  for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
    g_autoptr(GError) error = NULL;
    g_autoptr(GPtrArray) rois = parse(cases[i].text, &error);
    g_assert_no_error(error);
    g_assert_cmpuint(rois->len, ==, cases[i].n_rois);
    const VtRoi *roi = g_ptr_array_index(rois, 0);
    g_assert_cmpuint(roi->ring_sizes->len, ==, cases[i].n_rings);
    g_assert_cmpuint(g_array_index(roi->ring_sizes, guint32, 0), ==, 3);
    g_assert_cmpstr(roi->name, ==, cases[i].name);
  }
}

static void
test_wrong(void)
{
  static const char *const cases[] = {
    "",
    "{",
    "null",
    "7",
    "\"x\"",
    "{}",
    "[1]",
    "[[]]",
    "[]",
    "{\"type\":\"FeatureCollection\",\"features\":[]}",
    "{\"type\":7}",
    "{\"type\":\"Point\",\"coordinates\":[1,2]}",
    "{\"type\":\"FeatureCollection\"}",
    "{\"type\":\"FeatureCollection\",\"features\":{}}",
    "{\"type\":\"FeatureCollection\",\"features\":[null]}",
    "{\"type\":\"Feature\"}",
    "{\"type\":\"Feature\",\"geometry\":null}",
    "{\"type\":\"Polygon\"}",
    "{\"type\":\"Polygon\",\"coordinates\":7}",
    "{\"type\":\"Polygon\",\"coordinates\":[]}",
    "{\"type\":\"Polygon\",\"coordinates\":[[]]}",
    "{\"type\":\"Polygon\",\"coordinates\":[[[0,0],[1,1]]]}",
    "{\"type\":\"Polygon\",\"coordinates\":[[[0],[1],[2]]]}",
    "{\"type\":\"Polygon\",\"coordinates\":[[[0,0],[1,\"a\"],[2,2]]]}",
    "{\"type\":\"Polygon\",\"coordinates\":[[[0,0],[1,null],[2,2]]]}",
    "{\"type\":\"Polygon\",\"coordinates\":[[[0,0],[1,1e999],[2,2]]]}",
    "{\"type\":\"Polygon\",\"coordinates\":[[[0,0],[1,NaN],[2,2]]]}",
    "{\"type\":\"MultiPolygon\",\"coordinates\":[" RING "]}",
    "{\"type\":\"MultiPolygon\",\"coordinates\":[]}",
    "{\"type\":\"GeometryCollection\",\"geometries\":[]}",
    "\xff\xfe",
  };
  for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
    g_autoptr(GError) error = NULL;
    g_test_message("case %" G_GSIZE_FORMAT, i);
    g_assert_null(parse(cases[i], &error));
    g_assert_nonnull(strstr(error->message, "t.geojson"));
  }
}

#define POINT "{\"type\":\"Feature\",\"geometry\":{\"type\":\"Point\",\"coordinates\":[1,2]}}"
#define NOWHERE "{\"type\":\"Feature\",\"geometry\":null}"

static void
test_no_areas(void)
{
  const char *text = "[" POINT ",{\"type\":\"Polygon\",\"coordinates\":[" RING "]}," NOWHERE "]";
  g_autofree char *note = NULL, *none = NULL;
  g_autoptr(GError) error = NULL;
  g_autoptr(GPtrArray) rois = parse_areas(text, &note, &error);
  g_assert_no_error(error);
  g_assert_cmpuint(rois->len, ==, 1);
  g_assert_cmpstr(note, ==,
                  "t.geojson: 1 point and 1 shape without a place or an extent are not regions and were left out.");
  g_assert_null(parse_areas("[" POINT "]", &none, &error));
  assert_says(error, "1 point is not a region");
  g_assert_null(none);
}

#define POLYGON(rings) "{\"type\":\"Polygon\",\"coordinates\":[" rings "]}"
#define SQUARE "[[0,0],[9,0],[9,9],[0,9],[0,0]]"
#define SMALL "[[2,2],[3,2],[3,3],[2,3],[2,2]]"
#define INNER "[[1,1],[5,1],[5,5],[1,5],[1,1]]"
#define MULTI(polygons) "{\"type\":\"MultiPolygon\",\"coordinates\":[" polygons "]}"

static void
test_odd(void)
{
  static const struct {
    const char *text;
    gboolean is_plain;
  } cases[] = {
    { POLYGON(SQUARE), TRUE },
    { POLYGON(SQUARE "," INNER), TRUE },
    { POLYGON(SQUARE ",[[0,0],[5,1],[1,5],[0,0]]"), TRUE }, /* touches its shell */
    { MULTI("[" SQUARE "," INNER "],[" SMALL "]"), TRUE },  /* an island in a lake */
    { POLYGON("[[0,0],[9,9],[9,0],[0,9],[0,0]]"), FALSE },  /* a bow tie */
    { POLYGON(SMALL "," SQUARE), FALSE },
    { POLYGON(SQUARE ",[[20,2],[23,2],[23,3],[20,2]]"), FALSE },
    { POLYGON(SQUARE ",[[5,5],[15,6],[5,7],[5,5]]"), FALSE },
    { POLYGON(SQUARE "," SQUARE), FALSE },
    { POLYGON(SQUARE "," INNER "," SMALL), FALSE },
    { MULTI("[" SQUARE "],[" SMALL "]"), FALSE },
  };
  for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
    g_autofree char *note = NULL;
    g_autoptr(GPtrArray) rois = parse_areas(cases[i].text, &note, NULL);
    g_test_message("%s", cases[i].text);
    g_assert_nonnull(rois);
    g_assert_true((note == NULL) == cases[i].is_plain);
    g_assert_true(!note || strstr(note, "of 1 of the 1 regions outlines cross"));
  }
}

/* On whole numbers, without a thought for speed; ends count as crossing nothing. */
static gboolean
crosses_itself(const int (*p)[2], guint n)
{
  for (guint i = 0; i < n; i++)
    for (guint k = 0; k < n; k++) {
      const int *a = p[i], *b = p[(i + 1) % n], *c = p[k], *d = p[(k + 1) % n];
#define SIDE(p, q, r) ((q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0]))
      if (SIDE(a, b, c) * SIDE(a, b, d) < 0 && SIDE(c, d, a) * SIDE(c, d, b) < 0)
        return TRUE;
    }
  return FALSE;
}

static void
test_random_outlines(void)
{
  g_autoptr(GRand) rand = g_rand_new_with_seed(4);
  guint n_plain = 0;
  for (int round = 0; round < 4000; round++) {
    int p[7][2];
    const guint32 n = (guint32)g_rand_int_range(rand, 3, 8);
    const guint8 no_hole = 0;
    g_autoptr(VtRoi) roi = vt_roi_new_rectangle("x", 0, 0, 1, 1);
    g_array_set_size(roi->points, 0);
    g_array_index(roi->ring_sizes, guint32, 0) = n;
    for (guint i = 0; i < n; i++)
      for (int axis = 0; axis < 2; axis++) {
        const double value = p[i][axis] = g_rand_int_range(rand, 0, 12);
        g_array_append_val(roi->points, value);
      }
    const gboolean is_plain = !crosses_itself((const int(*)[2])p, n);
    g_assert_true(vt_roi_is_plain(roi, &no_hole) == is_plain);
    n_plain += is_plain;
  }
  g_assert_cmpuint(n_plain, >, 1000);
}

/* What an upward ray meets; the point is on no edge of whole numbers. */
static gboolean
is_inside_obviously(const VtRoi *roi, double x, double y)
{
  const double *p = (const double *)(gpointer)roi->points->data;
  const guint n = roi->points->len / 2;
  guint n_met = 0;
  for (guint i = 0; i < n; i++) {
    const double *a = p + 2 * i, *b = p + 2 * ((i + 1) % n);
    if ((a[0] < x) != (b[0] < x))
      n_met += a[1] + (b[1] - a[1]) * (x - a[0]) / (b[0] - a[0]) < y;
  }
  return n_met % 2;
}

static void
test_contains(void)
{
  g_autoptr(GRand) rand = g_rand_new_with_seed(8);
  for (int round = 0; round < 500; round++) {
    double points[14];
    for (guint i = 0; i < G_N_ELEMENTS(points); i++)
      points[i] = g_rand_int_range(rand, 0, 12);
    g_autoptr(VtRoi) roi = vt_roi_new_polygon("x", points, (guint)g_rand_int_range(rand, 3, 8));
    for (int y = 0; y < 12; y++)
      for (int x = 0; x < 12; x++)
        g_assert_true(vt_roi_contains(roi, x + 0.317, y + 0.2711) == is_inside_obviously(roi, x + 0.317, y + 0.2711));
    /* Two halves of a square have each point once, also on the edge between them. */
    const double *p = points;
    const double left[] = { 0, 0, p[0], 0, p[1], 12, 0, 12 }, right[] = { p[0], 0, 12, 0, 12, 12, p[1], 12 };
    g_autoptr(VtRoi) a = vt_roi_new_polygon("a", left, 4);
    g_autoptr(VtRoi) b = vt_roi_new_polygon("b", right, 4);
    for (int y = 0; y < 12; y++)
      for (int x = 0; x < 12; x++)
        g_assert_true(vt_roi_contains(a, x, y) != vt_roi_contains(b, x, y));
  }
}

static void
test_polygon(void)
{
  const double triangle[] = { 0, 0, 0, 10, 10, 0 };
  g_autoptr(VtRoi) roi = vt_roi_new_polygon("x", triangle, 3);
  g_autoptr(VtRoi) rectangle = vt_roi_new_rectangle("x", 1, 2, 3, 4);
  g_assert_cmpfloat(vt_ring_get_turn(triangle, 3), ==, -100);
  g_assert_cmpfloat(vt_ring_get_turn((const double *)(gpointer)roi->points->data, 3), ==, 100);
  g_assert_false(vt_roi_is_rectangle(roi));
  g_assert_true(vt_roi_is_rectangle(rectangle));
}

static void
test_coordinates(void)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(GPtrArray) rois = parse("{\"type\":\"Polygon\",\"crs\":null,\"coordinates\":[" RING "]}", &error);
  g_assert_no_error(error);
  g_assert_null(
    parse("{\"type\":\"FeatureCollection\",\"crs\":{\"type\":\"name\",\"properties\":{\"name\":\"EPSG:4326\"}},"
          "\"features\":[]}",
          &error));
  assert_says(error, "EPSG:4326");
}

static void
test_fuzz(void)
{
  static const char good[] =
    "{\"type\":\"FeatureCollection\",\"features\":[{\"type\":\"Feature\",\"geometry\":{\"type\":"
    "\"MultiPolygon\",\"coordinates\":[[" RING "]]},\"properties\":{\"name\":\"x\"}}]}";
  static const char alphabet[] = "{}[]\",:0-e.ntf x\\";
  g_autoptr(GRand) rand = g_rand_new_with_seed(3);
  for (int i = 0; i < 3000; i++) {
    g_autofree char *text = g_strdup(good);
    for (int n = g_rand_int_range(rand, 1, 4); n > 0; n--)
      text[g_rand_int_range(rand, 0, sizeof good - 1)] = alphabet[g_rand_int_range(rand, 0, sizeof alphabet - 1)];
    if (i % 3 == 0)
      text[g_rand_int_range(rand, 0, sizeof good - 1)] = '\0';
    g_autoptr(GError) error = NULL;
    g_autoptr(GPtrArray) rois = parse(text, &error);
    g_assert_true((rois != NULL) == (error == NULL));
  }
}

static void
test_round_trip(void)
{
  g_autofree char *folder = make_folder();
  g_autofree char *path = g_build_filename(folder, "r.geojson", NULL);
  g_autoptr(GPtrArray) rois = g_ptr_array_new_with_free_func((GDestroyNotify)vt_roi_free);
  g_autoptr(GError) error = NULL;
  double x = 0, y = 0, width = 0, height = 0;
  g_ptr_array_add(rois, vt_roi_new_rectangle("a \"b\" µ", 1.23456789, 2, 30, 40.5));
  g_assert_true(vt_rois_write_geojson(rois, "hash", NULL, NULL, path, &error));
  g_autoptr(GPtrArray) back = vt_shapes_read_areas(path, NULL, NULL, &error);
  g_assert_no_error(error);
  const VtRoi *roi = g_ptr_array_index(back, 0);
  g_assert_cmpstr(roi->name, ==, "a \"b\" µ");
  vt_roi_get_bounds(roi, &x, &y, &width, &height);
  g_assert_cmpfloat(x, ==, 1.23456789);
  g_assert_cmpfloat(height, ==, 40.5);
  VtRoi *copy = vt_roi_copy(roi);
  g_assert_cmpuint(copy->points->len, ==, 8);
  vt_roi_free(copy);
  g_assert_null(vt_shapes_read_areas(folder, NULL, NULL, &error));
  assert_sentence(error);
  remove_folder(folder);
}

/* What lies in one is written in it, as QuPath reads it, and comes back with it; a nest of any depth can be read. */
static void
test_nested(void)
{
  enum { DEEP = 90 };
  g_autofree char *folder = make_folder(), *path = g_build_filename(folder, "nested.geojson", NULL), *written = NULL;
  g_autoptr(GPtrArray) rois = g_ptr_array_new_with_free_func((GDestroyNotify)vt_roi_free);
  g_autoptr(GError) error = NULL;
  g_ptr_array_add(rois, vt_roi_new_rectangle("inner", 12, 12, 4, 4));
  g_ptr_array_add(rois, vt_roi_new_rectangle("beside", 200, 0, 5, 5));
  g_ptr_array_add(rois, vt_roi_new_rectangle("outer", 0, 0, 50, 50));
  g_ptr_array_add(rois, vt_roi_new_rectangle("middle", 10, 10, 20, 20));
  g_assert_true(vt_rois_write_geojson(rois, "hash", NULL, NULL, path, &error));
  g_assert_true(g_file_get_contents(path, &written, NULL, NULL));
  const char *beside = strstr(written, "beside"), *outer = strstr(written, "outer"),
             *middle = strstr(written, "middle"), *inner = strstr(written, "inner");
  g_assert_true(beside < outer && outer < middle && middle < inner);
  g_assert_nonnull(strstr(outer, "},\"childObjects\":[\n{"));
  g_assert_nonnull(strstr(inner, "}}]}]}\n]}\n"));
  g_autoptr(GPtrArray) back = vt_shapes_read_areas(path, NULL, NULL, &error);
  g_assert_no_error(error);
  static const char *const names[] = { "beside", "outer", "middle", "inner" };
  gint parents[G_N_ELEMENTS(names)];
  g_assert_cmpuint(back->len, ==, G_N_ELEMENTS(names));
  for (guint i = 0; i < back->len; i++)
    g_assert_cmpstr(((const VtRoi *)back->pdata[i])->name, ==, names[i]);
  vt_rois_find_parents(back, NULL, parents);
  g_assert_true(parents[0] == -1 && parents[1] == -1 && parents[2] == 1 && parents[3] == 2);
  for (int i = 0; i < DEEP; i++)
    g_ptr_array_add(rois, vt_roi_new_rectangle("deep", 1000 + i, 1000 + i, 1000 - 2 * i, 1000 - 2 * i));
  g_assert_true(vt_rois_write_geojson(rois, "hash", NULL, NULL, path, &error));
  g_autoptr(GPtrArray) deep = vt_shapes_read_areas(path, NULL, NULL, &error);
  g_assert_no_error(error);
  g_assert_cmpuint(deep->len, ==, rois->len);
  remove_folder(folder);
}

/* Lines and points are written and read back as they were, named and with what they are measured by; where areas are asked for they are none. */
static void
test_lines_and_points(void)
{
  static const char text[] =
    "[{\"type\":\"Feature\",\"geometry\":{\"type\":\"LineString\",\"coordinates\":[[0,0],[3,4],[3,5.5]]},"
    "\"properties\":{\"name\":\"cut\",\"classification\":{\"name\":\"Margin\"},\"isLocked\":true}},"
    "{\"type\":\"MultiLineString\",\"coordinates\":[[[0,0],[1,0]],[[5,5],[6,5],[5,5]]]},"
    "{\"type\":\"Point\",\"coordinates\":[7,8]},{\"type\":\"Point\",\"coordinates\":[9,8]},"
    "{\"type\":\"Feature\",\"geometry\":{\"type\":\"MultiPoint\",\"coordinates\":[[1,2],[3,4]]},"
    "\"properties\":{\"name\":\"dots\"}},{\"type\":\"Polygon\",\"coordinates\":[" RING "]},"
    "{\"type\":\"Point\",\"coordinates\":[2,2]}]";
  static const char *const wkt[] = { "LINESTRING (0 0,3 4,3 5.5)",    "MULTILINESTRING ((0 0,1 0),(5 5,6 5,5 5))",
                                     "MULTIPOINT (7 8,9 8)",          "MULTIPOINT (1 2,3 4)",
                                     "POLYGON ((0 0,10 0,10 5,0 0))", "POINT (2 2)" };
  static const char *const names[] = { "cut", "Line 2", "Points 1", "dots", "ROI 1", "Points 3" };
  g_autofree char *folder = make_folder(), *path = g_build_filename(folder, "all.geojson", NULL), *written = NULL;
  g_autoptr(GError) error = NULL;
  g_autoptr(VtShapes) shapes = vt_shapes_parse(text, -1, "t.geojson", NULL, &error);
  g_assert_no_error(error);
  g_autoptr(GPtrArray) first = vt_shapes_steal_annotations(shapes);
  g_autoptr(VtRoiMeasures) measures = vt_roi_measures_new(first, 0.5, 0.25, NULL, NULL);
  g_assert_true(vt_rois_write_geojson(first, "hash", NULL, measures, path, &error));
  g_assert_true(g_file_get_contents(path, &written, NULL, NULL));
  g_assert_nonnull(strstr(written, "\"measurements\":{\"Length µm\":2.17777"));
  g_assert_nonnull(strstr(written, "\"measurements\":{\"Num points\":2}"));
  g_autoptr(VtShapes) again = vt_shapes_read(path, NULL, &error);
  g_autoptr(GArray) dots = vt_shapes_dup_points(again); /* what vitrail-batch score takes as truth */
  g_assert_cmpuint(dots->len, ==, 2 * 5);
  g_autoptr(GPtrArray) back = vt_shapes_steal_annotations(again);
  g_assert_cmpuint(first->len, ==, G_N_ELEMENTS(wkt));
  g_assert_cmpuint(back->len, ==, first->len);
  g_assert_cmpuint(vt_rois_count_areas(back), ==, 1);
  for (guint i = 0; i < back->len; i++) {
    const VtRoi *roi = back->pdata[i];
    g_autofree char *its = vt_roi_dup_wkt(roi);
    g_assert_cmpstr(its, ==, wkt[i]);
    g_assert_cmpstr(roi->name, ==, names[i]);
    g_assert_true(vt_roi_equal(roi, first->pdata[i]));
    g_assert_cmpint(vt_roi_contains(roi, 9, 3), ==, roi->kind == VT_SHAPE_AREA);
  }
  g_assert_cmpstr(((const VtRoi *)back->pdata[0])->class_name, ==, "Margin");
  g_assert_true(((const VtRoi *)back->pdata[0])->is_locked);
  g_assert_null(vt_shapes_parse("{\"type\":\"LineString\",\"coordinates\":[[1,2]]}", -1, "t", NULL, &error));
  g_assert_nonnull(strstr(error->message, "a line of fewer than two points"));
  remove_folder(folder);
}

static void
test_wkt(void)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(GPtrArray) rois =
    parse("[{\"type\":\"Polygon\",\"coordinates\":[[[0,0],[9,0],[9,9.5]],[[1,1],[2,3],[3,2]]]},"
          "{\"type\":\"MultiPolygon\",\"coordinates\":[[[[0,0],[1,0],[1,1]]],[[[5,5],[6,5],[6,6]]]]}]",
          &error);
  g_assert_no_error(error);
  g_autofree char *one = vt_roi_dup_wkt(rois->pdata[0]);
  g_autofree char *two = vt_roi_dup_wkt(rois->pdata[1]);
  g_assert_cmpstr(one, ==, "POLYGON ((0 0,9 0,9 9.5,0 0),(1 1,2 3,3 2,1 1))");
  g_assert_cmpstr(two, ==, "MULTIPOLYGON (((0 0,1 0,1 1,0 0)),((5 5,6 5,6 6,5 5)))");
}

static void
test_uuid(void)
{
  g_autoptr(VtRoi) roi = vt_roi_new_rectangle("A", 1, 2, 3, 4);
  g_autoptr(VtRoi) moved = vt_roi_new_rectangle("A", 1, 2, 3, 4.5);
  g_autofree char *id = vt_roi_dup_uuid(roi, "hash");
  g_autofree char *again = vt_roi_dup_uuid(roi, "hash");
  g_autofree char *of_moved = vt_roi_dup_uuid(moved, "hash");
  g_autofree char *elsewhere = vt_roi_dup_uuid(roi, "other");
  g_assert_true(g_uuid_string_is_valid(id));
  g_assert_cmpstr(id, ==, again);
  g_assert_cmpstr(id, !=, of_moved);
  g_assert_cmpstr(id, !=, elsewhere);
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/roi/contains", test_contains);
  g_test_add_func("/roi/polygon", test_polygon);
  g_test_add_func("/roi/good", test_good);
  g_test_add_func("/roi/wrong", test_wrong);
  g_test_add_func("/roi/no-areas", test_no_areas);
  g_test_add_func("/roi/odd", test_odd);
  g_test_add_func("/roi/random-outlines", test_random_outlines);
  g_test_add_func("/roi/coordinates", test_coordinates);
  g_test_add_func("/roi/fuzz", test_fuzz);
  g_test_add_func("/roi/round-trip", test_round_trip);
  g_test_add_func("/roi/nested", test_nested);
  g_test_add_func("/roi/lines-and-points", test_lines_and_points);
  g_test_add_func("/roi/wkt", test_wkt);
  g_test_add_func("/roi/uuid", test_uuid);
  return g_test_run();
}
