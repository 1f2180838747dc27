/* SPDX-License-Identifier: MIT
 *
 * What other programs drew: the traps of each format, and places that are known. */
#include <math.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "host-support.h"
#include "run/vt-shapes.h"

#define RING "[[0,0],[10,0],[10,5],[0,0]]"
#define AREA "{\"type\":\"Polygon\",\"coordinates\":[" RING "]}"
#define FEATURE(geometry, rest) "{\"type\":\"Feature\",\"geometry\":" geometry rest "}"
#define POINT "{\"type\":\"Point\",\"coordinates\":[1,2]}"

static VtShapes *
parse(const char *text)
{
  g_autoptr(GError) error = NULL;
  VtShapes *shapes = vt_shapes_parse(text, -1, "t", NULL, &error);
  g_assert_no_error(error);
  return shapes;
}

static void
assert_refused(const char *text, const char *sentence)
{
  g_autoptr(GError) error = NULL;
  g_assert_null(vt_shapes_parse(text, -1, "t", NULL, &error));
  g_assert_cmpstr(error->message, ==, sentence);
}

static const VtShape *
get(const VtShapes *shapes, guint i)
{
  g_assert_cmpuint(i, <, shapes->shapes->len);
  return shapes->shapes->pdata[i];
}

static double
coordinate(const VtShape *shape, guint i)
{
  return g_array_index(shape->outline->points, double, i);
}

/* --- GeoJSON --- */

static void
test_forms(void)
{
  static const char *const texts[] = {
    "{\"type\":\"FeatureCollection\",\"features\":[" FEATURE(AREA, "") "]}",
    "{\"features\":[" FEATURE(AREA, "") "],\"type\":\"FeatureCollection\"}",
    "[" FEATURE(AREA, "") "]",
    "[" AREA "]",
    FEATURE(AREA, ""),
    AREA,
    "\xef\xbb\xbf \n" AREA,
    "{\"coordinates\":[" RING "],\"isEllipse\":true,\"plane\":{\"c\":-1,\"z\":0,\"t\":0},\"type\":\"Polygon\"}",
    FEATURE(AREA, ",\"nucleusGeometry\":" POINT ",\"id\":\"PathCellObject\",\"object_type\":\"cell\""),
    FEATURE("{\"type\":\"Polygon\",\"coordinates\":[" RING "]}",
            ",\"properties\":{\"metadata\":{\"a\":\"1\"},\"metadata\":{}}"),
  };
  for (gsize i = 0; i < G_N_ELEMENTS(texts); i++) {
    g_autoptr(VtShapes) shapes = parse(texts[i]);
    g_test_message("%s", texts[i]);
    g_assert_cmpuint(shapes->n_areas, ==, 1);
    g_assert_cmpuint(shapes->shapes->len, ==, 1);
    g_assert_cmpstr(shapes->format, ==, "GeoJSON");
    g_assert_cmpuint(get(shapes, 0)->outline->points->len, ==, 6); /* the last point is the first */
  }
}

static void
test_classes(void)
{
  static const struct {
    const char *properties, *class_name;
    gint32 color;
  } cases[] = {
    { "\"classification\":{\"name\":\"Tumor\",\"color\":[200,0,1]}", "Tumor", -1 },
    { "\"classification\":{\"name\":\"Tumor\",\"color\":[200,0,1]},\"color\":[0,128,255]", "Tumor", 0x0080ff },
    { "\"classification\":{\"names\":[\"Tumor\",\"Positive\"],\"color\":[200,0,1]}", "Tumor: Positive", 0xc80001 },
    { "\"classification\":\"Stroma\",\"color\":-16711936", "Stroma", 0x00ff00 },
    { "\"classification\":null", NULL, -1 },
    { "\"color\":[1,2,3,128]", NULL, 0x010203 },
    { "\"measurements\":{\"a\":1,\"b\":\"NaN\",\"c\":NaN,\"d\":-Infinity}", NULL, -1 },
    { "\"measurements\":[{\"name\":\"a\",\"value\":1}],\"objectType\":\"detection\"", NULL, -1 },
    { "\"measurements\":{ }", NULL, -1 },
    { "\"measurements\":[\n]", NULL, -1 },
  };
  for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
    g_autofree char *text = g_strdup_printf(
      FEATURE(AREA, ",\"properties\":{\"name\":\"n\\u00e9\",%s,\"isLocked\":true}"), cases[i].properties);
    g_autoptr(VtShapes) shapes = parse(text);
    g_test_message("%s", text);
    g_assert_cmpstr(get(shapes, 0)->class_name, ==, cases[i].class_name);
    g_assert_cmpstr(get(shapes, 0)->outline->name, ==, "né");
    g_assert_true(get(shapes, 0)->is_locked);
    g_assert_cmpuint(shapes->n_measured, ==, strstr(text, "\"a\"") ? 1 : 0);
    if (i > 0)
      g_assert_cmpint(get(shapes, 0)->color, ==, cases[i].color);
  }
}

static void
test_kinds(void)
{
  g_autoptr(VtShapes) shapes =
    parse("[" FEATURE(POINT, "") "," AREA
                                 "," FEATURE("null", "") ",{\"type\":\"MultiPoint\",\"coordinates\":[[3,4],[5,6]]},{"
                                                         "\"type\":\"LineString\",\"coordinates\":[[3,4],[5,6,7]]},"
                                                         "{\"type\":\"GeometryCollection\",\"geometries\":[" AREA "]},"
                                                         "{\"type\":\"MultiPolygon\",\"coordinates\":[[[[0,0],[9,0],[9,"
                                                         "9]],[[5,1],[6,1],[6,2]]],[[[20,0],[29,0],[29,9]]]]}]");
  g_autofree char *note = vt_shapes_dup_note(shapes, FALSE), *with_points = vt_shapes_dup_note(shapes, TRUE);
  g_assert_cmpuint(shapes->n_areas, ==, 2);
  g_assert_cmpuint(shapes->n_points, ==, 3);
  g_assert_cmpuint(shapes->n_lines, ==, 1);
  g_assert_cmpuint(get(shapes, 4)->outline->ring_sizes->len, ==, 3);
  g_assert_cmpuint(shapes->n_odd, ==, 0); /* the hole is known as one */
  g_assert_cmpstr(note, ==,
                  "t: 3 points, 1 line, 1 shape without a place or an extent and 1 shape of another kind are not "
                  "regions and were left out.");
  g_assert_null(strstr(with_points, "points"));
  g_autoptr(GArray) points = vt_shapes_dup_points(shapes);
  g_assert_cmpfloat(g_array_index(points, double, 5), ==, 6);
  g_autoptr(GPtrArray) areas = vt_shapes_steal_areas(shapes, NULL);
  g_assert_cmpuint(areas->len, ==, 2);
}

/* A cell in a region in another: all of them, those outside first, whether they are said before or after the geometry. */
static void
test_nested(void)
{
  g_autoptr(VtShapes) shapes = parse("[{\"type\":\"Feature\",\"id\":\"a\",\"childObjects\":[" FEATURE(
    AREA, ",\"properties\":{\"name\":\"2\"},\"childObjects\":[" FEATURE(
            POINT, ",\"properties\":{\"name\":\"3\"}") "]") "],\"geometry\":{\"type\":\"Polygon\",\"coordinates\":[[[7,"
                                                            "7],[8,7],[8,8]]]},"
                                                            "\"properties\":{\"name\":\"1\"}}," FEATURE(
                                                              AREA, ",\"properties\":{\"name\":\"4\"}") "]");
  g_assert_cmpuint(shapes->shapes->len, ==, 4);
  for (guint i = 0; i < 4; i++) {
    const char name[] = { (char)('1' + i), 0 };
    g_assert_cmpstr(get(shapes, i)->outline->name, ==, name);
  }
  g_assert_cmpfloat(coordinate(get(shapes, 0), 0), ==, 7);
  g_assert_cmpfloat(coordinate(get(shapes, 1), 2), ==, 10);
  g_assert_cmpint(get(shapes, 2)->kind, ==, VT_SHAPE_POINTS);
}

static void
test_wrong(void)
{
  assert_refused("[\n" AREA ",\n{\"type\":\"Polygon\",\"coordinates\":[[[0,0],[1,NaN],[2,2]]]}]",
                 "t, line 3: feature 2 has a point (number 2) that is not two sensible numbers.");
  assert_refused("{\"type\":\"Point\",\"coordinates\":[1,1e13]}",
                 "t, line 1: this has a point (number 1) that is not two sensible numbers.");
  assert_refused("[" AREA, "t, line 1: this is not JSON: it ends in the middle.");
  assert_refused(AREA "7", "t, line 1: this is not JSON: it goes on behind its end.");
  assert_refused("{\"type\":\"Polygon\",\"coordinates\":[[1,2],[3,4],[5,6]]}",
                 "t, line 1: this has no coordinates that a Polygon has.");
  assert_refused("{\"type\":\"Polygon\",\"coordinates\":[[[1,2],[3,4],[5,6]],[]]}",
                 "t, line 1: this has a Polygon without points, or with a part without points.");
  assert_refused("{\"type\":\"Point\",\"coordinates\":[1,2],\n\"coordinates\":[3,4]}",
                 "t, line 2: this has “coordinates” twice.");
  assert_refused("[{\"type\":\"Feature\",\"geometry\":null,\"geometry\":null}]",
                 "t, line 1: feature 1 has “geometry” twice.");
  assert_refused("[{\"type\":\"Feature\",\"geometry\":" AREA ",\n\"coordinates\":[1,2]}]",
                 "t, line 2: feature 1 has a geometry, and coordinates beside it.");
  assert_refused("[{\"coordinates\":[1,2],\n\"geometry\":" AREA "}]",
                 "t, line 2: feature 1 has a geometry, and coordinates beside it.");
  assert_refused("[{\"type\":\"Feature\",\"properties\":{\"name\":\"a\",\"name\":\"b\"},\"geometry\":null}]",
                 "t, line 1: feature 1 has “name” twice.");
  assert_refused("", "t is empty.");
  assert_refused("[\xff]", "t, line 1: this is not text in UTF-8.");
  assert_refused("one\ntwo", "t, line 1: this is neither GeoJSON nor XML, and no table with columns x and y either.");
}

/* --- XML --- */

static void
test_asap(void)
{
  g_autoptr(VtShapes) shapes = parse(
    "<?xml version=\"1.0\"?>\n<ASAP_Annotations><Annotations>"
    "<Annotation Name=\"A &amp; B\" Type=\"Polygon\" PartOfGroup=\"tumor\" Color=\"#64FE2E\"><Coordinates>"
    "<Coordinate Order=\"1\" X=\"9\" Y=\"2\"/><Coordinate Order=\"0\" X=\"1,5\" Y=\"2\"/><Coordinate Order=\"2\" "
    "X=\"9\" Y=\"8\"/>"
    "</Coordinates></Annotation>"
    "<Annotation Name=\"d\" Type=\"Dot\" PartOfGroup=\"None\" Color=\"x\"><Coordinates><Coordinate Order=\"0\" X=\"3\" "
    "Y=\"4\"/>"
    "</Coordinates></Annotation>"
    "<Annotation Name=\"s\" Type=\"Spline\"><Coordinates><Coordinate X=\"0\" Y=\"0\"/><Coordinate X=\"3\" Y=\"0\"/>"
    "<Coordinate X=\"3\" Y=\"3\"/></Coordinates></Annotation>"
    "<Annotation Name=\"short\" Type=\"Polygon\"><Coordinates/></Annotation>"
    "</Annotations><AnnotationGroups><Group Name=\"tumor\" PartOfGroup=\"None\" Color=\"#ff0000\"/></AnnotationGroups>"
    "</ASAP_Annotations>");
  g_autofree char *note = vt_shapes_dup_note(shapes, FALSE);
  g_assert_cmpstr(shapes->format, ==, "ASAP XML");
  g_assert_cmpstr(get(shapes, 0)->outline->name, ==, "A & B");
  g_assert_cmpstr(get(shapes, 0)->class_name, ==, "tumor");
  g_assert_cmpint(get(shapes, 0)->color, ==, 0x64FE2E);
  g_assert_cmpfloat(coordinate(get(shapes, 0), 0), ==, 1.5);
  g_assert_cmpint(get(shapes, 1)->kind, ==, VT_SHAPE_POINTS);
  g_assert_null(get(shapes, 1)->class_name);
  g_assert_cmpint(get(shapes, 1)->color, ==, -1);
  g_assert_cmpuint(shapes->n_splines, ==, 1);
  g_assert_cmpuint(shapes->n_nowhere, ==, 1);
  g_assert_nonnull(strstr(note, "1 point and 1 shape without a place"));
}

#define VERTEX(x, y) "<Vertex X=\"" x "\" Y=\"" y "\" Z=\"0\"/>"
#define REGION(attributes, vertices) "<Region " attributes "><Vertices>" vertices "</Vertices></Region>"

static void
test_imagescope(void)
{
  g_autoptr(VtShapes) shapes =
    parse("<Annotations MicronsPerPixel=\"0.25\"><Annotation Id=\"1\" Name=\"Tumor\" LineColor=\"65280\"><Regions>"
          "<RegionAttributeHeaders/>" REGION("Id=\"1\" Type=\"0\" Text=\"big\"",
                                             VERTEX("0", "0") VERTEX("20", "0") VERTEX("20", "20") VERTEX("0", "20")
                                               VERTEX("0", "0"))
            REGION("Type=\"2\"", VERTEX("100", "100") VERTEX("120", "110"))
              REGION("Type=\"4\"", VERTEX("1", "1") VERTEX("2", "2"))
                REGION("Type=\"0\" NegativeROA=\"1\"", VERTEX("5", "5") VERTEX("8", "5") VERTEX("8", "8"))
                  REGION("Type=\"0\" NegativeROA=\"1\"", VERTEX("500", "5") VERTEX("800", "5")
                                                           VERTEX("800", "8")) "</Regions></Annotation></Annotations>");
  g_assert_cmpuint(shapes->n_areas, ==, 2);
  g_assert_cmpuint(shapes->n_lines, ==, 1);
  g_assert_cmpuint(shapes->n_other, ==, 1); /* a hole in nothing */
  g_assert_cmpstr(get(shapes, 0)->outline->name, ==, "big");
  g_assert_cmpstr(get(shapes, 0)->class_name, ==, "Tumor");
  g_assert_cmpuint(get(shapes, 0)->outline->ring_sizes->len, ==, 2);
  double x, y, width, height;
  vt_roi_get_bounds(get(shapes, 1)->outline, &x, &y, &width, &height);
  g_assert_cmpfloat_with_epsilon(x, 100, 1e-9);
  g_assert_cmpfloat_with_epsilon(height, 10, 1e-9);
}

static void
test_wrong_xml(void)
{
  assert_refused("<svg/>",
                 "t, line 1: this is XML of another kind (svg); ASAP, ImageScope and NDP.view files can be read.");
  assert_refused("<Annotations>\n<Annotation>\n" REGION("", VERTEX("a", "1")) "</Annotation></Annotations>",
                 "t, line 3: x is no sensible number (a).");
  assert_refused("<Annotations>\n<Annotation>\n" REGION("", VERTEX("nan", "1")) "</Annotation></Annotations>",
                 "t, line 3: x is no sensible number (nan).");
  assert_refused("<Annotations><Annotation>" REGION("", "<Vertex Y=\"1\"/>") "</Annotation></Annotations>",
                 "t, line 1: x is no sensible number (there is none).");
  static const char *const broken[] = {
    "<Annotations>",
    "<Annotations></annotations>",
    "<!DOCTYPE a [<!ENTITY x SYSTEM \"file:///etc/passwd\">]><Annotations>&x;</Annotations>",
    "<!-- nothing -->",
  };
  for (gsize i = 0; i < G_N_ELEMENTS(broken); i++) {
    g_autoptr(GError) error = NULL;
    g_assert_null(vt_shapes_parse(broken[i], -1, "t", NULL, &error));
    assert_sentence(error);
    g_test_message("%s", error->message);
  }
}

#define NDPA \
  "<annotations><ndpviewstate id=\"1\"><title>T1</title><coordformat>nanometers</coordformat><x>9</x><y>9</y>" \
  "<annotation type=\"freehand\" displayname=\"AnnotateFreehand\" color=\"#ff0000\"><closed>%d</closed><pointlist>" \
  "<point><x>0</x><y>0</y></point><point><x>1000</x><y>0</y></point><point><x>1000</x><y>2000</y></point>" \
  "</pointlist></annotation></ndpviewstate></annotations>"

static void
test_ndpa_without_slide(void)
{
  g_autofree char *text = g_strdup_printf(NDPA, 1);
  assert_refused(text, "t measures from the middle of its slide, which a Hamamatsu slide alone says "
                       "(hamamatsu.XOffsetFromSlideCentre); open the slide first.");
}

/* Its middle and its pixels as the slide says them. */
static void
test_ndpa(void)
{
  g_autofree char *path = shared_path("slides/hamamatsu/test3-DAPI-2-387.ndpi");
  g_autoptr(GError) error = NULL;
  double mpp[2];
  gint64 width, height;
  if (!path)
    return;
  g_autoptr(VtSlide) slide = vt_slide_open(path, &error);
  g_assert_no_error(error);
  if (!vt_slide_get_mpp(slide, &mpp[0], &mpp[1]) || !vt_slide_get_property(slide, "hamamatsu.XOffsetFromSlideCentre")) {
    g_test_skip("The slide does not say where it lies.");
    return;
  }
  vt_slide_get_level_size(slide, 0, &width, &height);
  const VtShapesContext context = { .slide = slide };
  const double offset = g_ascii_strtod(vt_slide_get_property(slide, "hamamatsu.XOffsetFromSlideCentre"), NULL);
  for (int closed = 0; closed < 2; closed++) {
    g_autofree char *text = g_strdup_printf(NDPA, closed);
    g_autoptr(VtShapes) shapes = vt_shapes_parse(text, -1, "t", &context, &error);
    g_assert_no_error(error);
    const VtShape *shape = get(shapes, 0);
    g_assert_cmpint(shape->kind, ==, closed ? VT_SHAPE_AREA : VT_SHAPE_LINE);
    g_assert_cmpstr(shape->outline->name, ==, "T1");
    g_assert_cmpint(shape->color, ==, 0xff0000);
    g_assert_cmpfloat_with_epsilon(coordinate(shape, 0), (0 - offset) / 1000 / mpp[0] + (double)width / 2, 1e-6);
    g_assert_cmpfloat_with_epsilon(coordinate(shape, 2) - coordinate(shape, 0), 1 / mpp[0], 1e-6);
    g_assert_cmpfloat_with_epsilon(coordinate(shape, 5) - coordinate(shape, 1), 2 / mpp[1], 1e-6);
  }
}

/* --- tables --- */

static void
test_csv(void)
{
  static const char *const texts[] = {
    "x,y\n1.5,2\n3,4\n",
    "1.5,2\n3,4",
    "1.5\t2\r\n\r\n3\t4\r\n",
    "id;Y;X\na;2;1,5\nb;4;3\n",
    "\"x\",\"y\"\n\"1.5\",\"2\"\n3,4\n",
  };
  for (gsize i = 0; i < G_N_ELEMENTS(texts); i++) {
    g_autoptr(VtShapes) shapes = parse(texts[i]);
    g_test_message("%s", texts[i]);
    g_assert_cmpstr(shapes->format, ==, "CSV");
    g_assert_cmpuint(shapes->n_points, ==, 2);
    g_assert_cmpfloat(coordinate(get(shapes, 0), 0), ==, 1.5);
    g_assert_cmpfloat(coordinate(get(shapes, 0), 3), ==, 4);
  }
  g_autoptr(VtShapes) classes = parse("Class,x,y\nb,1,2\n\"a \"\"q\"\"\",3,4\nb,5,6\n,7,8\n");
  g_assert_cmpuint(classes->shapes->len, ==, 3);
  g_assert_cmpstr(get(classes, 0)->class_name, ==, "b");
  g_assert_cmpfloat(coordinate(get(classes, 0), 2), ==, 5);
  g_assert_cmpstr(get(classes, 1)->class_name, ==, "a \"q\"");
  g_assert_null(get(classes, 2)->class_name);
  assert_refused("x,y\n1,2\n3,four\n", "t, line 3: y is not a number.");
  assert_refused("x,y\n1\n", "t, line 2: y is not a number.");
  assert_refused("x,y\n1,1e300\n", "t, line 2: y is too large.");
  assert_refused("x,y\n1,\"2\n", "t, line 2: a text in quotes goes over the end of its line.");
  assert_refused("x µm,y µm\n1,2\n",
                 "t, line 1: “x µm” is in µm, and no slide says how large its pixels are; open the slide first.");
}

/* --- files --- */

static void
test_files(void)
{
  g_autofree char *folder = make_folder();
  g_autofree char *path = g_build_filename(folder, "packed.txt", NULL);
  g_autoptr(GError) error = NULL;
  g_autoptr(GZlibCompressor) gzip = g_zlib_compressor_new(G_ZLIB_COMPRESSOR_FORMAT_GZIP, 6);
  char packed[1000];
  gsize n_read, n_written;
  g_converter_convert(G_CONVERTER(gzip), AREA, strlen(AREA), packed, sizeof packed, G_CONVERTER_INPUT_AT_END, &n_read,
                      &n_written, &error);
  g_assert_no_error(error);
  g_assert_true(g_file_set_contents(path, packed, (gssize)n_written, NULL));
  g_autoptr(VtShapes) shapes = vt_shapes_read(path, NULL, &error);
  g_assert_no_error(error);
  g_assert_cmpuint(shapes->n_areas, ==, 1);
  g_assert_true(g_file_set_contents(path, packed, (gssize)n_written / 2, NULL));
  g_assert_null(vt_shapes_read(path, NULL, &error));
  g_assert_cmpstr(error->message, ==, "packed.txt is damaged: it cannot be unpacked.");
  g_clear_error(&error);
  g_assert_null(vt_shapes_read(folder, NULL, &error));
  assert_sentence(error);
  remove_folder(folder);
}

static void
count_progress(double fraction, gpointer user)
{
  double *last = user;
  g_assert_cmpfloat(fraction, >=, *last);
  g_assert_cmpfloat(fraction, <=, 1);
  *last = fraction;
}

static void
test_cancel(void)
{
  g_autoptr(GString) text = g_string_new("[");
  g_autoptr(GCancellable) cancellable = g_cancellable_new();
  g_autoptr(GError) error = NULL;
  double last = -1;
  const VtShapesContext context = { .cancellable = cancellable, .progress = count_progress, .user = &last };
  for (int i = 0; i < 20000; i++)
    g_string_append_printf(text, "%s" AREA, i > 0 ? "," : "");
  g_string_append(text, "]");
  g_autoptr(VtShapes) shapes = vt_shapes_parse(text->str, -1, "t", &context, &error);
  g_assert_no_error(error);
  g_assert_cmpfloat(last, >, 0.7);
  g_cancellable_cancel(cancellable);
  g_assert_null(vt_shapes_parse(text->str, -1, "t", &context, &error));
  g_assert_error(error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
}

/* All numbers are those of the C library. */
static void
test_numbers(void)
{
  g_autoptr(GRand) rand = g_rand_new_with_seed(5);
  for (int i = 0; i < 20000; i++) {
    g_autofree char *digits =
      g_strdup_printf("%s%u%0*u", i % 2 ? "-" : "", g_rand_int(rand) % 100000, i % 12, g_rand_int(rand) % 1000);
    g_autofree char *number =
      i % 3 ? g_strdup_printf("%s.%0*u", digits, 1 + i % 20, g_rand_int(rand)) : g_strdup(digits);
    g_autofree char *text =
      g_strdup_printf("{\"type\":\"Point\",\"coordinates\":[%s%s,0]}", number, i % 5 ? "" : "e-3");
    const double expected = g_ascii_strtod(strchr(text, '[') + 1, NULL);
    if (fabs(expected) > 1e12)
      continue;
    g_autoptr(VtShapes) shapes = parse(text);
    g_assert_cmpfloat(coordinate(get(shapes, 0), 0), ==, expected);
  }
}

/* So many objects of 24 corners with a class and some measurements, as QuPath writes them; processor time of one thread. `kept`: the measurements are. */
static void
time_reading(guint n, guint n_measurements, gboolean kept)
{
  g_autofree char *folder = make_folder(), *path = g_build_filename(folder, "large.geojson", NULL);
  FILE *file = fopen(path, "w");
  fputs("{\"type\":\"FeatureCollection\",\"features\":[", file);
  for (guint i = 0; i < n; i++) {
    fprintf(file,
            "%s{\"type\":\"Feature\",\"id\":\"%08x-1111-2222-3333-444444444444\",\"geometry\":{\"type\":\"Polygon\","
            "\"coordinates\":[[",
            i > 0 ? ",\n" : "", i);
    for (int k = 0; k < 25; k++)
      fprintf(file, "%s[%.2f, %.2f]", k > 0 ? ", " : "", i % 1000 * 30.0 + 10 * cos(2 * G_PI * (k % 24) / 24) + 20,
              i / 1000 * 30.0 + 10 * sin(2 * G_PI * (k % 24) / 24) + 20);
    fprintf(file,
            "]]},\"properties\":{\"objectType\":\"detection\",\"classification\":{\"name\":\"Tumor\",\"color\":"
            "[200,0,0]},\"measurements\":{\"Area\":%u.25,\"Circularity\":0.875,\"Solidity\":0.93",
            i % 900);
    for (guint k = 3; k < n_measurements; k++)
      fprintf(file, ",\"Nucleus: Hematoxylin OD %u\":%.4f", k, (i * 37 + k * 11) % 10000 / 1e4);
    fputs("}}}", file);
  }
  fputs("]}", file);
  const double mib = (double)ftell(file) / (1 << 20);
  fclose(file);
  g_autoptr(GError) error = NULL;
  const clock_t start = clock();
  const VtShapesContext context = { .measures = kept };
  g_autoptr(VtShapes) shapes = vt_shapes_read(path, &context, &error);
  const double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  g_assert_no_error(error);
  g_assert_cmpuint(shapes->shapes->len, ==, n);
  g_print("%u objects, %.0f MiB: %.2f s of a processor, %ld MiB at most\n", n, mib, seconds, usage.ru_maxrss / 1024);
  if (kept) {
    const clock_t then = clock();
    g_autoptr(VtFileObjects) objects = vt_shapes_steal_objects(shapes, path, &error);
    g_print("as objects: %.2f s more\n", (double)(clock() - then) / CLOCKS_PER_SEC);
    g_assert_cmpuint(objects->objects->len, ==, n);
  }
  remove_folder(folder);
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  if (argc > 1) {
    time_reading((guint)strtoul(argv[1], NULL, 10), argc > 2 ? (guint)strtoul(argv[2], NULL, 10) : 3, argc > 2);
    return 0;
  }
  g_test_add_func("/shapes/geojson/forms", test_forms);
  g_test_add_func("/shapes/geojson/classes", test_classes);
  g_test_add_func("/shapes/geojson/kinds", test_kinds);
  g_test_add_func("/shapes/geojson/nested", test_nested);
  g_test_add_func("/shapes/geojson/numbers", test_numbers);
  g_test_add_func("/shapes/wrong", test_wrong);
  g_test_add_func("/shapes/asap", test_asap);
  g_test_add_func("/shapes/imagescope", test_imagescope);
  g_test_add_func("/shapes/wrong-xml", test_wrong_xml);
  g_test_add_func("/shapes/ndpa/without-slide", test_ndpa_without_slide);
  g_test_add_func("/shapes/ndpa/slide", test_ndpa);
  g_test_add_func("/shapes/csv", test_csv);
  g_test_add_func("/shapes/files", test_files);
  g_test_add_func("/shapes/cancel", test_cancel);
  return g_test_run();
}
