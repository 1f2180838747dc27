/* SPDX-License-Identifier: MIT
 *
 * Session files: written and read back, moved, refused. */
#include <math.h>
#include <string.h>

#include "host-support.h"
#include "results/vt-session-file.h"

static void
add_table(VtSessionView *view)
{
  VtSessionTable *table = vt_session_view_add_table(view);
  g_ptr_array_add(table->columns, g_strdup("Number"));
  g_ptr_array_add(table->hidden, g_strdup("Number"));
  g_ptr_array_add(table->pinned, g_strdup("Number"));
  g_ptr_array_add(table->axes, g_strdup("Area µm^2"));
  *vt_session_table_add_width(table) = (VtSessionWidth){ g_strdup("Area µm^2"), 140 };
  table->plot_choice = g_strdup("\"Area µm^2\" >= 40");
  table->filter = g_strdup("area > 40");
  table->is_falling = table->is_log_against = table->has_bars = table->has_surroundings = TRUE;
}

static void
add_pins(VtSessionView *view)
{
  VtSessionPins *pins = vt_session_view_add_pins(view);
  g_ptr_array_add(pins->stages, g_strdup("background"));
  g_ptr_array_add(pins->stages, g_strdup("distance"));
  pins->is_shown = pins->is_swapped = pins->was_paused = TRUE;
  pins->x = 0.25;
  pins->y = 1;
  pins->angle = 30.5;
  pins->share = 0.75;
}

static VtSessionFile *
make(const char *slide)
{
  VtSessionFile *session = vt_session_file_new();
  VtSessionTab *tab = vt_session_file_add_tab(session);
  VtSessionView *view = vt_session_tab_add_view(tab);
  VtSessionAnalysis *analysis = vt_session_view_add_analysis(view);
  VtSessionLayer *layer = vt_session_view_add_layer(view);
  g_autoptr(VtRoi) roi = vt_roi_new_rectangle("ROI \"1\"", 10, 20.5, 300, 40);
  const double range[2] = { -1.5, 2.25 };
  session->run_on = g_strdup("slide");
  session->has_sidebar = TRUE;
  tab->is_linked = TRUE;
  view->slide = g_strdup(slide);
  view->slide_path = g_strdup(slide);
  view->hash = g_strdup("abc");
  view->x = 0.1 + 0.2;
  view->downsample = 1 / 3.0;
  view->angle = 90;
  view->op = g_strdup("nuclei-threshold");
  analysis->op = g_strdup("nuclei-threshold");
  analysis->recipe_text = g_strdup("{\"id\": \"nuclei-threshold-edited\"}");
  g_ptr_array_add(analysis->settings, g_strdup("threshold=0.2"));
  layer->stage = g_strdup("objects");
  layer->opacity = 0.5;
  layer->is_shared = layer->is_alone = TRUE;
  g_array_append_vals(layer->range, range, 2);
  roi->class_name = g_strdup("Tumor");
  roi->color = 0xC80A07;
  roi->is_locked = roi->is_hidden = TRUE;
  vt_session_view_add_region(view, roi, TRUE);
  for (guint kind = VT_SHAPE_LINE; kind <= VT_SHAPE_POINTS; kind++) {
    g_autoptr(VtRoi) other = vt_roi_new_shape(kind, (const double[]){ 1, 2, 3, 4.5 }, 2);
    vt_roi_take_looks(other, roi);
    vt_session_view_add_region(view, other, TRUE);
  }
  for (int i = 0; i < 12; i++) {
    VtSessionSnapshot *snapshot = vt_session_view_add_snapshot(view);
    snapshot->name = g_strdup_printf("try %d", i);
    snapshot->op = g_strdup("nuclei-threshold");
    snapshot->is_in_px = i % 2;
    g_ptr_array_add(snapshot->settings, g_strdup_printf("threshold=0.%d", i));
  }
  *vt_session_view_add_verdict(view) = (VtSessionVerdict){ 12, -3, TRUE };
  VtSessionCorrection *correction = vt_session_view_add_correction(view);
  correction->op = g_strdup("nuclei-threshold");
  correction->kind = g_strdup("drawn");
  VtSessionAnalysis *of_file = vt_session_view_add_analysis(view);
  of_file->op = g_strdup("file-objects");
  vt_session_analysis_add_objects(of_file)->file = g_strdup("/data/cells.geojson");
  vt_session_outlines_add(correction->before, roi);
  vt_session_outlines_add(correction->after, roi);
  view->has_saved_corrections = TRUE;
  g_ptr_array_add(view->models, g_strdup("{\n  \"vitrail-model\": 1 µm\n}\n"));
  view->intensity = g_strdup("Nucleus: DAB OD mean:0.2,0.4,0.6");
  view->is_by_thresholds = TRUE;
  view->is_by_gates = view->is_classed_by_gates = TRUE;
  add_table(view);
  add_pins(view);
  return session;
}

static void
test_round_trip(void)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(VtSessionFile) session = make("/data/a.svs");
  g_autofree char *text = vt_session_file_to_text(session, NULL);
  g_autoptr(VtSessionFile) again = vt_session_file_parse(text, "a.vitrail", &error);
  g_assert_no_error(error);
  g_autofree char *text_again = vt_session_file_to_text(again, NULL);
  g_assert_cmpstr(text, ==, text_again);
  const VtSessionTab *tab = again->tabs->pdata[0];
  const VtSessionView *view = tab->views->pdata[0];
  g_assert_true(view->x == 0.1 + 0.2 && view->downsample == 1 / 3.0 && view->gamma == 1);
  g_autoptr(VtRoi) roi = vt_session_region_dup_roi(view->regions->pdata[0]);
  g_autoptr(VtRoi) want = vt_roi_new_rectangle("ROI \"1\"", 10, 20.5, 300, 40);
  g_assert_true(vt_roi_equal(roi, want));
  g_assert_cmpstr(roi->class_name, ==, "Tumor");
  g_assert_true(roi->color == 0xC80A07 && roi->is_locked && roi->is_hidden);
  const VtSessionTable *table = view->table->pdata[0];
  g_assert_cmpstr(table->hidden->pdata[0], ==, "Number");
  g_assert_cmpstr(table->axes->pdata[0], ==, "Area µm^2");
  g_assert_cmpstr(table->pinned->pdata[0], ==, "Number");
  g_assert_cmpstr(table->filter, ==, "area > 40");
  g_assert_cmpint(((const VtSessionWidth *)table->widths->pdata[0])->width, ==, 140);
  g_assert_cmpstr(table->plot_choice, ==, "\"Area µm^2\" >= 40");
  g_assert_null(table->plot_view);
  g_assert_true(table->is_falling && table->is_log_against && table->has_bars && table->has_surroundings
                && !table->is_log_of && !table->sort);
  g_assert_true(((const VtSessionLayer *)view->layers->pdata[0])->is_shared);
  g_assert_true(((const VtSessionLayer *)view->layers->pdata[0])->is_alone);
  const VtSessionPins *pins = view->pins->pdata[0];
  g_assert_cmpstr(pins->stages->pdata[1], ==, "distance");
  g_assert_true(pins->is_shown && pins->is_swapped && pins->was_paused && !pins->is_difference);
  g_assert_true(pins->x == 0.25 && pins->y == 1 && pins->angle == 30.5 && pins->share == 0.75);
  const VtSessionVerdict *verdict = view->verdicts->pdata[0];
  g_assert_true(verdict->x == 12 && verdict->y == -3 && verdict->is_accepted);
  const VtSessionCorrection *correction = view->corrections->pdata[0];
  g_autoptr(GPtrArray) before = vt_session_outlines_dup_rois(correction->before);
  g_assert_cmpstr(correction->kind, ==, "drawn");
  g_assert_true(before->len == 1 && vt_roi_has_same_outline(before->pdata[0], want));
  g_assert_cmpuint(correction->after->len, ==, 1);
  g_assert_false(vt_session_file_has_unsaved(again));
  ((VtSessionView *)view)->has_saved_corrections = FALSE;
  g_assert_true(vt_session_file_has_unsaved(again));
  ((VtSessionView *)view)->has_saved_corrections = TRUE;
  g_assert_cmpuint(view->models->len, ==, 1);
  g_assert_cmpstr(view->intensity, ==, "Nucleus: DAB OD mean:0.2,0.4,0.6");
  g_assert_true(view->is_by_thresholds && view->is_by_gates && view->is_classed_by_gates);
  g_assert_cmpstr(view->models->pdata[0], ==, "{\n  \"vitrail-model\": 1 µm\n}\n");
  g_assert_cmpuint(view->snapshots->len, ==, 12);
  g_assert_cmpstr(((VtSessionAnalysis *)view->analyses->pdata[0])->recipe_text, ==,
                  "{\"id\": \"nuclei-threshold-edited\"}");
  const VtSessionSnapshot *snapshot = view->snapshots->pdata[7];
  g_assert_cmpstr(snapshot->name, ==, "try 7");
  const VtSessionAnalysis *of_file = view->analyses->pdata[view->analyses->len - 1];
  g_assert_cmpstr(((const VtSessionObjects *)of_file->objects->pdata[0])->file, ==, "/data/cells.geojson");
  g_assert_true(snapshot->is_in_px);
  g_assert_cmpstr(snapshot->settings->pdata[0], ==, "threshold=0.7");
}

/* Where the slide is found: beside the session where it was, then where it was on the disk. */
static void
test_moved(void)
{
  g_autoptr(GError) error = NULL;
  g_autofree char *folder = make_folder(), *slides = g_build_filename(folder, "slides", NULL);
  g_autofree char *slide = g_build_filename(slides, "a.svs", NULL), *sessions = g_build_filename(folder, "my", NULL);
  g_autofree char *path = g_build_filename(sessions, "a.vitrail", NULL);
  g_mkdir(slides, 0700);
  g_mkdir(sessions, 0700);
  g_file_set_contents(slide, "slide", -1, NULL);
  g_autoptr(VtSessionFile) session = make(slide);
  g_autofree char *text = vt_session_file_to_text(session, sessions);
  g_assert_nonnull(strstr(text, "\"../slides/a.svs\""));
  g_file_set_contents(path, text, -1, NULL);
  for (int turn = 0; turn < 2; turn++) {
    g_autofree char *elsewhere = g_build_filename(folder, "b.vitrail", NULL);
    if (turn == 1) {
      g_rename(path, elsewhere);
    }
    g_autoptr(VtSessionFile) again = vt_session_file_read(turn == 0 ? path : elsewhere, &error);
    g_assert_no_error(error);
    const VtSessionTab *tab = again->tabs->pdata[0];
    g_assert_cmpstr(((const VtSessionView *)tab->views->pdata[0])->slide, ==, slide);
  }
  remove_folder(folder);
}

/* A name of bytes that are no text, and a file as an editor of Windows leaves it. */
static void
test_bytes(void)
{
  static const char *const names[] = { "caf\xe9 1%.svs", "bytes:a.svs", "a\nb.svs" };
  g_autoptr(GError) error = NULL;
  g_autofree char *folder = make_folder(), *path = g_build_filename(folder, "a.vitrail", NULL);
  for (gsize i = 0; i < G_N_ELEMENTS(names); i++) {
    g_autofree char *slide = g_build_filename(folder, names[i], NULL);
    g_autoptr(VtSessionFile) session = make(slide);
    g_autofree char *text = vt_session_file_to_text(session, folder);
    g_autofree char *marked = g_strconcat("\xef\xbb\xbf", text, NULL);
    g_assert_true(g_utf8_validate(text, -1, NULL));
    g_file_set_contents(path, marked, -1, NULL);
    g_autoptr(VtSessionFile) again = vt_session_file_read(path, &error);
    g_assert_no_error(error);
    const VtSessionTab *tab = again->tabs->pdata[0];
    g_assert_cmpstr(((const VtSessionView *)tab->views->pdata[0])->slide, ==, slide);
    g_assert_cmpstr(((const VtSessionView *)tab->views->pdata[0])->slide_path, ==, slide);
  }
  remove_folder(folder);
}

#define REGION(members) \
  "{\"vitrail-session\":1,\"tabs\":[{\"views\":[{\"slide\":\"a\",\"regions\":[{\"name\":\"r\"," members "}]}]}]}"

static void
test_refusals(void)
{
  static const struct {
    const char *text, *words;
  } cases[] = {
    { "", "line 1" },
    { "[]", "no session" },
    { "{\"tabs\":[]}", "“vitrail-session” is missing" },
    { "{\"vitrail-session\":1}", "“tabs” is missing" },
    { "{\"vitrail-session\":2,\"tabs\":7}", "version 2" },
    { "{\"vitrail-session\":1,\"tabs\":{}}", "“tabs” takes a list" },
    { "{\"vitrail-session\":1,\"tabs\":[3]}", "an object" },
    { "{\"vitrail-session\":1,\n\"tabs\":[],\"foo\":1}", "line 2, column 11: “foo” is not known" },
    { "{\"vitrail-session\":1,\"tabs\":[],\"sidebar\":1}", "true or false" },
    { "{\"vitrail-session\":1,\"tabs\":[],\"selected\":0.5}", "whole number" },
    { "{\"vitrail-session\":1,\"tabs\":[{\"views\":[{}]}]}", "“slide” is missing" },
    { "{\"vitrail-session\":1,\"tabs\":[{\"views\":[{\"slide\":\"a\",\"gamma\":9}]}]}", "from 0.2 to 5" },
    { "{\"vitrail-session\":1,\"tabs\":[{\"views\":[{\"slide\":\"a\",\"x\":1e999}]}]}", "this number is too large" },
    { "{\"vitrail-session\":1,\"tabs\":[{\"views\":[{\"slide\":\"a\",\"regions\":[{\"name\":\"r\",\"rings\":[[1,2]]}]}]"
      "}]}",
      "six numbers" },
    { "{\"vitrail-session\":1,\"tabs\":[{\"views\":[{\"slide\":\"a\",\"pinned-stages\":[{\"stages\":[\"mask\"],\"x\":2}"
      "]}]"
      "}]}",
      "“x” takes a number from 0 to 1" },
    { REGION("\"lines\":[[1,2]]"), "four numbers, x and y of each point" },
    { REGION("\"points\":[[1]]"), "two numbers, x and y of each point" },
    { REGION("\"points\":[]"), "“points” is empty" },
    { REGION("\"saved\":true"), "“rings” is missing" },
    { REGION("\"lines\":[[1,2,3,4]],\"points\":[[1,2]]"), "“lines” or “points”, not both" },
    { "{\"vitrail-session\":1,\"tabs\":[{\"views\":[{\"slide\":\"a\",\"layers\":[{\"range\":[1]}]}]}]}",
      "two numbers" },
    { "{\"vitrail-session\":1,\"tabs\":[{\"views\":[{\"slide\":\"a\",\"snapshots\":[{\"op\":\"nuclei-threshold\"}]}]}]"
      "}",
      "“name” is missing" },
    { "{\"vitrail-session\":1,\n\"tabs\":[],\"tabs\":[]}",
      "line 2, column 11: This can't be read as JSON: this key is there twice" },
    { "{\"vitrail-session\":1,\"tabs\":[],\"t\\u0061bs\":[]}",
      "column 32: This can't be read as JSON: this key is there twice" },
    { "{\"vitrail-session\":1,\"run-on\":\"a\\u0000b\",\"tabs\":[]}",
      "column 33: This can't be read as JSON: a text in quotes holds the character \\u0000" },
    { "{\"vitrail-session\":1,\"a\":{\"b\":1},\"a/b\":1,\"tabs\":[]}", "is not known" },
  };
  for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
    g_autoptr(GError) error = NULL;
    g_assert_null(vt_session_file_parse(cases[i].text, "bad.vitrail", &error));
    assert_sentence(error);
    if (!strstr(error->message, cases[i].words))
      g_error("%s: “%s” is not in “%s”", cases[i].text, cases[i].words, error->message);
  }
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/session/round-trip", test_round_trip);
  g_test_add_func("/session/moved", test_moved);
  g_test_add_func("/session/bytes", test_bytes);
  g_test_add_func("/session/refusals", test_refusals);
  return g_test_run();
}
