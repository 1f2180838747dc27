/* SPDX-License-Identifier: MIT
 *
 * Measurements of a file of annotations: read in both forms, kept with outlines, written beside ours, and in sessions. */
#include <math.h>
#include <string.h>

#include "host-support.h"
#include "results/vt-measured-names.h"
#include "results/vt-regions-save.h"
#include "results/vt-session-file.h"
#include "run/vt-shapes.h"

#define FEATURE(n, measurements) \
  "{\"type\":\"Feature\",\"geometry\":{\"type\":\"Polygon\",\"coordinates\":[[[0,0],[10,0],[10,5],[0,0]]]}," \
  "\"properties\":{\"name\":\"" n "\",\"measurements\":" measurements "}}"
#define POINT(place, measurements) \
  "{\"type\":\"Feature\",\"geometry\":{\"type\":\"Point\",\"coordinates\":" place "}," \
  "\"properties\":{\"measurements\":" measurements "}}"

static VtShapes *
parse(const char *text, gboolean measures)
{
  g_autoptr(GError) error = NULL;
  const VtShapesContext context = { .measures = measures };
  VtShapes *shapes = vt_shapes_parse(text, -1, "t", &context, &error);
  g_assert_no_error(error);
  return shapes;
}

/* "a=1 b=NaN", in the order of the file. */
static char *
dup_words(const VtMeasured *measured)
{
  GString *words = g_string_new(NULL);
  for (guint i = 0; measured && i < measured->n; i++)
    g_string_append_printf(words, "%s%s=%g", i > 0 ? " " : "", measured->numbers[i].name, measured->numbers[i].value);
  return g_string_free(words, FALSE);
}

static const VtRoi *
get(const VtShapes *shapes, guint i)
{
  return ((const VtShape *)shapes->shapes->pdata[i])->outline;
}

static void
test_forms(void)
{
  static const struct {
    const char *measurements, *words;
    guint n_measured, n_no_numbers, n_twice;
  } cases[] = {
    { "{\"Area \\u00b5m^2\":12.25,\"b\":\"NaN\",\"c\":NaN,\"d\":-Infinity,\"e\":\"Infinity\",\"f\":-3e-2}",
      "Area µm^2=12.25 b=nan c=nan d=-inf e=inf f=-0.03", 1, 0, 0 },
    { "[{\"name\":\"a\",\"value\":1},{\"value\":2.5,\"name\":\"b\",\"unit\":{}},{\"name\":\"c\",\"value\":\"NaN\"}]",
      "a=1 b=2.5 c=nan", 1, 0, 0 },
    { "{\"a\":1,\"b\":null,\"c\":3}", "a=1 c=3", 1, 0, 0 },
    { "{\"a\":\"high\",\"b\":true,\"c\":[1],\"d\":{\"e\":1},\"\":5,\"f\":1e999,\"g\":7}", "g=7", 1, 6, 0 },
    { "[1,{\"name\":\"a\"},{\"value\":3},{\"name\":\"b\",\"value\":4}]", "b=4", 1, 2, 0 },
    { "{\"a\":1,\"b\":2,\"a\":3,\"b\":2}", "a=3 b=2", 1, 0, 1 },
    { "{}", "", 0, 0, 0 },
    { "[ ]", "", 0, 0, 0 },
    { "null", "", 0, 0, 0 },
    { "5", "", 0, 0, 0 },
  };
  for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
    g_autofree char *text =
      g_strdup_printf("[" FEATURE("x", "{\"z\":9,\"a\":8}") "," FEATURE("y", "%s") "]", cases[i].measurements);
    g_autoptr(VtShapes) shapes = parse(text, TRUE);
    g_autofree char *words = dup_words(get(shapes, 1)->measured);
    g_test_message("%s", text);
    g_assert_cmpstr(words, ==, cases[i].words);
    g_assert_cmpuint(shapes->n_measured, ==, 1 + cases[i].n_measured);
    g_assert_cmpuint(shapes->n_no_numbers, ==, cases[i].n_no_numbers);
    g_assert_cmpuint(shapes->n_twice, ==, cases[i].n_twice);
    g_autoptr(VtShapes) without = parse(text, FALSE); /* of the truth of a comparison nobody asks for them */
    g_assert_null(get(without, 0)->measured);
    g_assert_cmpuint(without->n_measured, ==, shapes->n_measured);
  }
}

static void
test_wrong(void)
{
  static const char *const texts[] = {
    FEATURE("x", "{\"a\":1"),        FEATURE("x", "{\"a\":1,}"),
    FEATURE("x", "{\"a\":\"\\q\"}"), FEATURE("x", "[{\"name\":\"a\" 1}]"),
    FEATURE("x", "{\"a\":nul}"),     FEATURE("x", "{\"a\":1},\"measurements\":{\"a\":2}"), /* which of them is meant? */
  };
  const VtShapesContext context = { .measures = TRUE };
  for (gsize i = 0; i < G_N_ELEMENTS(texts); i++) {
    g_autoptr(GError) error = NULL;
    g_test_message("%s", texts[i]);
    g_assert_null(vt_shapes_parse(texts[i], -1, "t", &context, &error));
    g_assert_nonnull(strstr(error->message, "t, line 1: "));
  }
}

static void
test_many_names(void)
{
  g_autoptr(GString) text = g_string_new("[" FEATURE("x", "{\"n0\":0}"));
  g_string_truncate(text, text->len - strlen("}}}"));
  for (guint i = 1; i < VT_MEASURED_MOST_NAMES + 5; i++)
    g_string_append_printf(text, ",\"n%u\":%u", i, i);
  g_string_append(text, "}}}," FEATURE("y", "{\"n3\":1,\"n1004\":2}") "]");
  g_autoptr(VtShapes) shapes = parse(text->str, TRUE);
  g_autofree char *words = dup_words(get(shapes, 1)->measured);
  g_assert_cmpuint(get(shapes, 0)->measured->n, ==, VT_MEASURED_MOST_NAMES);
  g_assert_cmpuint(shapes->n_beyond, ==, 5 + 1);
  g_assert_cmpstr(words, ==, "n3=1");
}

/* Points without names become a set, which no file has measured. */
static void
test_joined(void)
{
  g_autoptr(VtShapes) shapes = parse("[" POINT("[1,2]", "{\"a\":1}") "," POINT("[2,2]", "{\"a\":2}") "," POINT(
                                       "[3,2]", "{}") "," FEATURE("x", "{\"a\":3}") "," POINT("[4,2]", "{\"a\":4}") "]",
                                     TRUE);
  g_autoptr(GPtrArray) all = vt_shapes_steal_annotations(shapes);
  g_assert_cmpuint(all->len, ==, 3);
  g_assert_null(((const VtRoi *)all->pdata[0])->measured);
  g_assert_nonnull(((const VtRoi *)all->pdata[1])->measured);
  g_assert_nonnull(((const VtRoi *)all->pdata[2])->measured);
  g_assert_cmpuint(shapes->n_joined, ==, 2);
}

static void
test_copies(void)
{
  g_autoptr(VtShapes) shapes = parse(FEATURE("x", "{\"a\":1,\"b\":2}"), TRUE);
  g_autoptr(GPtrArray) all = vt_shapes_steal_annotations(shapes);
  const VtRoi *roi = all->pdata[0];
  g_autoptr(VtRoi) copy = vt_roi_copy(roi), plain = vt_roi_copy_plain(roi),
                   other = vt_roi_new_rectangle("o", 0, 0, 1, 1);
  vt_roi_take_looks(other, roi);
  g_assert_true(copy->measured == roi->measured);
  g_assert_null(plain->measured);
  g_assert_null(other->measured); /* of another outline it says nothing */
  g_autofree char *same = g_ref_string_new_intern("b");
  const double *value = vt_measured_find(roi->measured, same);
  g_assert_cmpfloat(*value, ==, 2);
  g_ref_string_release(g_steal_pointer(&same));
}

/* Beside ours, which have their names; read again and written again the file stays as it is. */
static void
test_written(void)
{
  g_autofree char *folder = make_folder(), *path = g_build_filename(folder, "all.geojson", NULL), *written = NULL;
  g_autoptr(GError) error = NULL;
  g_autoptr(VtShapes) shapes =
    parse("[" FEATURE(
            "x", "{\"Area \\u00b5m^2\":1.5,\"Mine\":0.1,\"Area \\u00b5m^2 "
                 "(read)\":2,\"Inf\":\"-Infinity\"}") "," FEATURE("y", "{\"Mine\":\"NaN\"}") "," FEATURE("z", "{}") "]",
          TRUE);
  g_autoptr(GPtrArray) rois = vt_shapes_steal_annotations(shapes);
  for (int turn = 0; turn < 3; turn++) {
    g_autoptr(VtRoiMeasures) measures = vt_roi_measures_new(rois, 0.5, 0.5, NULL, NULL);
    g_autofree char *before = g_steal_pointer(&written);
    g_assert_true(vt_rois_write_geojson(rois, "hash", NULL, measures, path, &error));
    g_assert_true(g_file_get_contents(path, &written, NULL, NULL));
    g_assert_true(!before || g_str_equal(before, written));
    g_assert_nonnull(strstr(written, "\"Area µm^2\":6.25,"));
    g_assert_nonnull(strstr(written, ",\"Area µm^2 (read 2)\":1.5,\"Mine\":0.1,\"Area µm^2 (read)\":2,"
                                     "\"Inf\":\"-Infinity\"}"));
    g_assert_nonnull(strstr(written, ",\"Mine\":\"NaN\"}"));
    const VtShapesContext context = { .measures = TRUE };
    g_autoptr(VtShapes) again = vt_shapes_read(path, &context, &error);
    g_assert_no_error(error);
    g_ptr_array_unref(rois);
    rois = vt_shapes_steal_annotations(again);
  }
  g_assert_true(vt_rois_write_geojson(rois, "hash", NULL, NULL, path, &error)); /* alone they have their own names */
  g_clear_pointer(&written, g_free);
  g_assert_true(g_file_get_contents(path, &written, NULL, NULL));
  g_assert_nonnull(strstr(written, "\"measurements\":{\"Area µm^2\":6.25,"));
  remove_folder(folder);
}

static void
test_session(void)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(VtShapes) shapes =
    parse(FEATURE("x", "{\"Area \\u00b5m^2\":0.1,\"b\":\"NaN\",\"c\":\"-Infinity\",\"d\":1e300,\"e\":-0.5}"), TRUE);
  g_autoptr(GPtrArray) rois = vt_shapes_steal_annotations(shapes);
  const VtRoi *roi = rois->pdata[0];
  g_autoptr(VtSessionFile) session = vt_session_file_new();
  VtSessionView *view = vt_session_tab_add_view(vt_session_file_add_tab(session));
  view->slide = g_strdup("/a.svs");
  vt_session_view_add_region(view, roi, TRUE);
  g_autofree char *text = vt_session_file_to_text(session, NULL);
  g_autoptr(VtSessionFile) again = vt_session_file_parse(text, "a.vitrail", &error);
  g_assert_no_error(error);
  const VtSessionView *its = ((const VtSessionTab *)again->tabs->pdata[0])->views->pdata[0];
  g_autoptr(VtRoi) back = vt_session_region_dup_roi(its->regions->pdata[0]);
  g_assert_cmpuint(back->measured->n, ==, roi->measured->n);
  for (guint i = 0; i < back->measured->n; i++) {
    const VtMeasuredNumber *a = &back->measured->numbers[i], *b = &roi->measured->numbers[i];
    g_assert_true(a->name == b->name);
    g_assert_true(a->value == b->value || (isnan(a->value) && isnan(b->value)));
  }
  g_auto(GStrv) halves = g_strsplit(text, "\"NaN\"", 2);
  g_autofree char *wrong = g_strconcat(halves[0], "\"none\"", halves[1], NULL);
  g_assert_null(vt_session_file_parse(wrong, "a.vitrail", &error));
  g_assert_nonnull(strstr(error->message, "“measurements” takes numbers"));
}

static void
test_names(void)
{
  g_autoptr(VtShapes) shapes =
    parse("[" FEATURE("x", "{\"a\":1,\"b\":1}") "," FEATURE("y", "{\"c\":1,\"b\":1,\"a (read)\":1}") "]", TRUE);
  g_autoptr(GPtrArray) rois = vt_shapes_steal_annotations(shapes);
  g_autoptr(GHashTable) taken = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
  guint n_all = 0;
  g_hash_table_add(taken, g_strdup("a"));
  g_autoptr(VtMeasuredNames) names = vt_measured_names_new(rois, taken, 3, &n_all);
  g_assert_cmpuint(n_all, ==, 4);
  g_assert_cmpuint(names->names->len, ==, 3);
  g_assert_cmpstr(vt_measured_names_get(names, names->names->pdata[0]), ==, "a (read)");
  g_assert_cmpstr(vt_measured_names_get(names, names->names->pdata[1]), ==, "b");
  g_assert_cmpstr(vt_measured_names_get(names, names->names->pdata[2]), ==, "c");
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/measured/forms", test_forms);
  g_test_add_func("/measured/wrong", test_wrong);
  g_test_add_func("/measured/many-names", test_many_names);
  g_test_add_func("/measured/joined", test_joined);
  g_test_add_func("/measured/copies", test_copies);
  g_test_add_func("/measured/written", test_written);
  g_test_add_func("/measured/session", test_session);
  g_test_add_func("/measured/names", test_names);
  return g_test_run();
}
