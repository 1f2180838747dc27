/* SPDX-License-Identifier: MIT
 *
 * Whole runs with the fake plugin: what it hands back, how it fails, what is saved. */
#include <string.h>

#include "host-support.h"
#include "plugins/vt-worker.h"
#include "results/vt-compare.h"
#include "run/vt-shapes.h"
#include "base/vt-progress.h"

static void
test_work(void)
{
  g_autoptr(VtRunRequest) request = make_fake_request("fake", "work", VITRAIL_U8, 200, 150);
  const VtRaster *source = g_hash_table_lookup(request->rasters, "image");
  g_autoptr(GError) error = NULL;
  request->repeat = 3;
  g_autoptr(VtResult) result = vt_run(request, NULL, NULL, NULL, &error);
  g_assert_no_error(error);
  g_assert_cmpmem(result->rasters[0]->data, 200 * 150, source->data, 200 * 150);
  g_assert_cmpfloat(vt_raster_get_raw(result->rasters[0], 1, 0), ==, 7);
  g_assert_true(result->rasters[0]->scale == 0.5 && result->rasters[0]->offset == 1);
  g_assert_cmpuint(result->objects->len, ==, 2);
  g_assert_cmpuint(result->rows->len, ==, 0);
  g_assert_cmpuint(result->warnings->len, ==, 1);
  g_assert_cmpfloat(result->stage_ms[1], ==, 2.5);
  g_assert_cmpstr(result->backend, ==, "cpu");
  JsonObject *record = json_node_get_object(result->record);
  g_assert_cmpint(json_object_get_int_member(record, "repeat"), ==, 3);
  g_assert_cmpfloat(json_object_get_double_member(json_object_get_object_member(record, "resolved"), "radius-px"), ==,
                    5);
  g_assert_cmpstr(json_object_get_string_member(json_object_get_object_member(record, "params"), "mode"), ==, "work");
}

static void
test_coarse(void)
{
  g_autoptr(VtRunRequest) request = make_fake_request("fake", "work", VITRAIL_U8, 20, 15);
  g_autoptr(VtResult) fine = vt_run(request, NULL, NULL, NULL, NULL);
  g_assert_cmpfloat(fine->asked_pixel_size, ==, 0.5);
  g_assert_cmpfloat(fine->used_pixel_size, ==, 0.5);
  g_assert_false(fine->is_coarse);
  request->min_downsample = 22;
  g_autoptr(VtResult) coarse = vt_run(request, NULL, NULL, NULL, NULL);
  g_assert_true(coarse->is_coarse);
  g_assert_true(coarse->is_preview);
  g_assert_cmpfloat(coarse->used_pixel_size, ==, 5.5);
  g_assert_cmpfloat(coarse->asked_pixel_size, ==, 0.5);
  JsonArray *warnings = json_object_get_array_member(json_node_get_object(coarse->record), "warnings");
  g_assert_cmpuint(json_array_get_length(warnings), ==, 2);
  g_assert_nonnull(strstr(json_array_get_string_element(warnings, 1), "at 5.5 µm per pixel, asked for 0.5"));
}

static void
test_region(void)
{
  g_autoptr(VtRunRequest) request = make_fake_request("fake", "work", VITRAIL_U8, 200, 150);
  const VtRaster *source = g_hash_table_lookup(request->rasters, "image");
  g_autoptr(GError) error = NULL;
  request->whole = FALSE;
  request->x_l0 = 130;
  request->y_l0 = -20;
  request->width_l0 = G_MAXINT64;
  request->height_l0 = 90;
  g_autoptr(VtResult) result = vt_run(request, NULL, NULL, NULL, &error);
  g_assert_no_error(error);
  g_assert_cmpint(result->rasters[0]->x, ==, 130);
  g_assert_cmpint(result->rasters[0]->width, ==, 70);
  g_assert_cmpint(result->height_l0, ==, 70);
  g_assert_cmpmem(result->rasters[0]->data, 70, source->data + 130, 70);
  request->x_l0 = 200;
  g_assert_null(vt_run(request, NULL, NULL, NULL, &error));
  assert_sentence(error);
}

/* Where [start, start + length) and [0, limit) overlap, place by place. */
static gboolean
overlap(gint64 start, gint64 length, gint64 limit, gint64 *first, gint64 *n)
{
  *n = 0;
  for (gint64 at = 0; at < limit; at++) {
    if (at < start || at >= start + length)
      continue;
    *first = (*n)++ == 0 ? at : *first;
  }
  return *n > 0;
}

static void
test_random_regions(void)
{
  g_autoptr(VtRunRequest) request = make_fake_request("fake", "work", VITRAIL_U8, 50, 40);
  g_autoptr(GRand) rand = g_rand_new_with_seed(10);
  request->whole = FALSE;
  for (int i = 0; i < 2000; i++) {
    gint64 x = 0, y = 0, width = 0, height = 0;
    request->x_l0 = g_rand_int_range(rand, -80, 80);
    request->y_l0 = g_rand_int_range(rand, -80, 80);
    request->width_l0 = g_rand_int_range(rand, 1, 200);
    request->height_l0 = g_rand_int_range(rand, 1, 200);
    const gboolean meets_x = overlap(request->x_l0, request->width_l0, 50, &x, &width);
    const gboolean meets_y = overlap(request->y_l0, request->height_l0, 40, &y, &height);
    g_autoptr(GError) error = NULL;
    g_autoptr(VtResult) result = vt_run(request, NULL, NULL, NULL, &error);
    g_assert_true((result != NULL) == (meets_x && meets_y));
    if (!result) {
      assert_sentence(error);
      continue;
    }
    const gboolean is_cut =
      x != request->x_l0 || y != request->y_l0 || width != request->width_l0 || height != request->height_l0;
    g_assert_cmpint(result->x_l0, ==, x);
    g_assert_cmpint(result->y_l0, ==, y);
    g_assert_cmpint(result->width_l0, ==, width);
    g_assert_cmpint(result->height_l0, ==, height);
    g_assert_cmpuint(result->warnings->len, ==, 1 + (guint)is_cut);
  }
}

static void
test_outside_rois(void)
{
  g_autoptr(VtRunRequest) request = make_fake_request("fake", "work", VITRAIL_U8, 50, 40);
  g_autoptr(GError) error = NULL;
  request->rois = g_ptr_array_new_with_free_func((GDestroyNotify)vt_roi_free);
  request->notes = g_ptr_array_new_with_free_func(g_free);
  g_ptr_array_add(request->notes, g_strdup("A point was left out."));
  g_ptr_array_add(request->rois, vt_roi_new_rectangle("in", 1, 1, 5, 5));
  g_ptr_array_add(request->rois, vt_roi_new_rectangle("half", -3, 1, 5, 5));
  g_autoptr(VtResult) result = vt_run(request, NULL, NULL, NULL, &error);
  g_assert_no_error(error);
  g_assert_cmpuint(result->warnings->len, ==, 3);
  g_assert_cmpstr(g_ptr_array_index(result->warnings, 1), ==, "A point was left out.");
  g_assert_nonnull(strstr(g_ptr_array_index(result->warnings, 2), "“half” (1 of 2)"));
  g_ptr_array_add(request->rois, vt_roi_new_rectangle("far", 50, 1, 5, 5));
  g_assert_null(vt_run(request, NULL, NULL, NULL, &error));
  assert_says(error, "“far”");
  g_assert_null(strstr(error->message, "“half”"));
}

/* An image that is looked at as a slide is read as an image again. */
static void
test_plain_slide(void)
{
  g_autoptr(VtRunRequest) request = make_fake_request("fake", "work", VITRAIL_U8, 5, 4);
  g_autofree char *folder = make_folder(), *path = g_build_filename(folder, "a.png", NULL);
  guint8 pixels[5 * 4 * 4] = { 0 };
  g_autoptr(GError) error = NULL;
  g_assert_true(vt_png_write_rgba(path, pixels, 5, 4, 1, NULL));
  request->slide = vt_slide_open_image(path, NULL);
  g_autoptr(VtResult) result = vt_run(request, NULL, NULL, NULL, &error);
  g_assert_no_error(error);
  JsonObject *record = json_node_get_object(result->record), *source = json_object_get_object_member(record, "source");
  JsonObject *inputs = json_object_get_object_member(record, "inputs");
  const char *input = json_object_get_string_member(source, "input");
  g_assert_cmpstr(json_object_get_string_member(source, "kind"), ==, "image");
  g_assert_true(json_object_has_member(source, "pixels-sha256"));
  g_assert_cmpstr(json_object_get_string_member(json_object_get_object_member(inputs, input), "path"), ==, path);
  remove_folder(folder);
}

/* A slide that somebody writes to after it was opened: a record has no hash of it, and says why. */
static void
test_changed_slide(void)
{
  g_autoptr(VtRunRequest) request = make_fake_request("fake", "work", VITRAIL_U8, 5, 4);
  g_autofree char *folder = make_folder(), *path = g_build_filename(folder, "a.png", NULL);
  g_autofree char *out = g_build_filename(folder, "out", NULL);
  guint8 pixels[5 * 4 * 4] = { 0 };
  g_autoptr(GError) error = NULL;
  g_assert_true(vt_png_write_rgba(path, pixels, 5, 4, 1, NULL));
  request->slide = vt_slide_open_image(path, NULL);
  g_autoptr(VtResult) result = vt_run(request, NULL, NULL, NULL, &error);
  g_assert_no_error(error);
  g_assert_null(vt_result_dup_changed(result));
  g_assert_true(g_file_set_contents(path, "another", -1, NULL));
  g_autofree char *changed = vt_result_dup_changed(result);
  g_assert_true(g_str_has_prefix(changed, "a.png has changed since it was opened"));
  g_autoptr(VtFolder) target = vt_folder_lock(out, &error);
  g_assert_true(vt_result_save(result, NULL, target, &error));
  g_clear_pointer(&target, vt_folder_unlock);
  g_autofree char *record = g_build_filename(out, "record.json", NULL), *text = NULL;
  g_assert_true(g_file_get_contents(record, &text, NULL, NULL));
  g_assert_nonnull(strstr(text, "The record has no hash of an input: a.png has changed since"));
  g_autoptr(JsonParser) parser = json_parser_new();
  g_assert_true(json_parser_load_from_data(parser, text, -1, NULL));
  JsonObject *inputs = json_object_get_object_member(json_node_get_object(json_parser_get_root(parser)), "inputs");
  g_autoptr(GList) ids = json_object_get_members(inputs);
  g_assert_false(json_object_has_member(json_object_get_object_member(inputs, ids->data), "sha256"));
  g_assert_true(vt_folder_remove(out, NULL));
  remove_folder(folder);
}

static void
test_stages_wanted(void)
{
  g_autoptr(VtRunRequest) request = make_fake_request("fake", "work", VITRAIL_U8, 40, 30);
  g_autoptr(GError) error = NULL;
  request->stages_wanted = 1 << 1;
  g_autoptr(VtResult) result = vt_run(request, NULL, NULL, NULL, &error);
  g_assert_no_error(error);
  g_assert_null(result->objects);
  g_assert_null(result->rows);
  g_assert_nonnull(result->rasters[1]);
}

/* A streamed run whose rasters are read like those of others. */
static void
test_mapped(void)
{
  g_autofree char *folder = make_folder();
  g_autoptr(VtRunRequest) request = make_fake_request("fake", "work", VITRAIL_U8, 200, 150);
  g_autoptr(GError) error = NULL;
  g_autoptr(VtResult) whole = vt_run(request, NULL, NULL, NULL, &error);
  request->scratch_dir = g_strdup(folder);
  request->map_rasters = TRUE;
  g_autoptr(VtResult) streamed = vt_run(request, NULL, NULL, NULL, &error);
  g_assert_no_error(error);
  for (guint i = 0; i < request->op->n_stages; i++) {
    const VtRaster *a = whole->rasters[i], *b = streamed->rasters[i];
    g_assert_true(!a == !b);
    g_assert_null(streamed->files[i]);
    if (!a)
      continue;
    g_assert_null(a->arena);
    g_assert_nonnull(b->arena);
    g_assert_cmpint(b->width, ==, a->width);
    g_assert_cmpmem(a->data, a->stride * (gsize)a->height, b->data, b->stride * (gsize)b->height);
  }
  g_assert_cmpuint(streamed->objects->len, ==, whole->objects->len);
  g_assert_cmpint(g_rmdir(folder), ==, 0); /* nobody sees the files */
}

static void
test_progress(void)
{
  VtProgress progress = { 0 };
  const gint64 s = G_USEC_PER_SEC, start = 1000 * s;
  g_assert_cmpfloat(vt_progress_get_seconds_left(&progress, start), ==, -1);
  vt_progress_take(&progress, 0.2, start);
  g_assert_cmpfloat(vt_progress_get_seconds_left(&progress, start + 5 * s), ==, -1);
  vt_progress_take(&progress, 0.4, start + 10 * s);
  g_assert_cmpfloat_with_epsilon(vt_progress_get_seconds_left(&progress, start + 10 * s), 30, 1e-9);
  /* It counts down between two words, and a smaller fraction is not taken. */
  vt_progress_take(&progress, 0.3, start + 15 * s);
  g_assert_cmpfloat_with_epsilon(vt_progress_get_seconds_left(&progress, start + 20 * s), 20, 1e-9);
  g_assert_cmpfloat(vt_progress_get_seconds_left(&progress, start + 99 * s), ==, 0);
  g_assert_cmpfloat(progress.furthest, ==, 0.4);
  static const struct {
    double seconds;
    const char *text;
  } durations[] = {
    { 0.2, "1 s" }, { 59.5, "1 min 0 s" }, { 123, "2 min 3 s" }, { 700, "11 min" }, { 3900, "1 h 5 min" }
  };
  for (gsize i = 0; i < G_N_ELEMENTS(durations); i++) {
    g_autofree char *text = vt_progress_dup_duration(durations[i].seconds);
    g_assert_cmpstr(text, ==, durations[i].text);
  }
}

static void
read_nothing(gpointer user, guint downsample, gint64 x, gint64 y, gint64 width, gint64 height, guint8 *dst,
             gsize stride)
{
  for (gint64 row = 0; row < height; row++)
    memset(dst + (gsize)row * stride, 0, (gsize)width * sizeof(gint32));
}

static void
test_failures(void)
{
  static const char *const cases[][2] = {
    { "fail", "because it was told to" },
    { "fail-silently", "bug of the plugin" },
    { "starved", "has not enough memory" },
    { "unknown-status", "4711" },
    { "bad-stage", "broken" },
    { "bad-tile", "broken" },
    { "bad-row", "broken" },
    { "bad-object", "broken" },
    { "bad-read", "broken" },
    { "two-grids", "different grids" },
    { "out-of-order", "broken" },
    { "null", "makes no sense" },
    { "outside", "outside of the image" },
    { "overlap", "overlap" },
    { "bad-type", "of a type" },
    { "infinite", "makes no sense" },
    { "huge", "object" },
    { "many", "more outlines" },
    { "bad-lengths", "of no row" },
    { "bad-overlaps", "overlaps that make no sense" },
  };
  for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
    g_autoptr(GError) error = NULL;
    g_autoptr(VtRunRequest) request = make_fake_request("fake", cases[i][0], VITRAIL_U8, 200, 150);
    request->truth = vt_run_truth_new(1, read_nothing, NULL, g_free);
    g_assert_null(vt_run(request, NULL, NULL, NULL, &error));
    assert_says(error, cases[i][1]);
  }
}

static void
test_requests(void)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(VtRunRequest) request = make_fake_request("fake", "work", VITRAIL_U8, 20, 15);
  request->backend = g_strdup("abacus");
  g_assert_null(vt_run(request, NULL, NULL, NULL, &error));
  g_assert_nonnull(strstr(error->message, "auto, cpu, cuda"));
  g_clear_error(&error);
  g_free(request->backend);
  request->backend = g_strdup("cuda");
  g_assert_null(vt_run(request, NULL, NULL, NULL, &error));
  g_assert_error(error, VT_ERROR, VITRAIL_NO_DEVICE);
  assert_sentence(error);
  g_clear_error(&error);
  g_clear_pointer(&request->backend, g_free);
  g_hash_table_insert(request->rasters, (gpointer) "mask", vt_raster_new(VITRAIL_RGBA8, 3, 3, NULL));
  g_assert_null(vt_run(request, NULL, NULL, NULL, &error));
  assert_sentence(error);
  g_clear_error(&error);
  g_hash_table_remove_all(request->rasters);
  g_assert_null(vt_run(request, NULL, NULL, NULL, &error));
  assert_sentence(error);
}

static gpointer
cancel_soon(gpointer cancellable)
{
  g_usleep(20000);
  g_cancellable_cancel(cancellable);
  return NULL;
}

static void
count_progress(guint stage, double fraction, gpointer user)
{
  ++*(guint *)user;
}

static void
test_cancel(void)
{
  guint n_calls = 0;
  g_autoptr(GError) error = NULL;
  g_autoptr(GCancellable) cancellable = g_cancellable_new();
  g_autoptr(VtRunRequest) request = make_fake_request("fake", "wait", VITRAIL_U8, 20, 15);
  GThread *thread = g_thread_new("cancel", cancel_soon, cancellable);
  g_assert_null(vt_run(request, count_progress, &n_calls, cancellable, &error));
  g_thread_join(thread);
  g_assert_error(error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  g_assert_cmpuint(n_calls, >, 0);
}

static char *
read_text(const char *folder, const char *name)
{
  g_autofree char *path = g_build_filename(folder, name, NULL);
  char *text = NULL;
  g_assert_true(g_file_get_contents(path, &text, NULL, NULL));
  return text;
}

static void
test_save(void)
{
  g_autofree char *folder = make_folder(), *deep = g_build_filename(folder, "a", "b", NULL);
  g_autoptr(VtRunRequest) request = make_fake_request("fake", "work", VITRAIL_U8, 200, 150);
  g_autoptr(GError) error = NULL;
  g_autoptr(VtResult) result = vt_run(request, NULL, NULL, NULL, &error);
  g_autoptr(VtFolder) target = vt_folder_lock(deep, &error);
  g_assert_true(vt_result_save(result, NULL, target, &error));
  g_clear_pointer(&target, vt_folder_unlock);
  g_assert_no_error(error);
  g_autofree char *csv = read_text(deep, "features.csv"), *geojson = read_text(deep, "objects.geojson");
  g_autofree char *record = read_text(deep, "record.json"), *overlay = g_build_filename(deep, "overlay.png", NULL);
  g_autofree char *labels = g_build_filename(deep, "labels.tif", NULL);
  g_assert_true(g_str_has_prefix(csv,
                                 "Image,Object ID,Object type,Name,Classification,Parent,ROI,Centroid X px,Centroid Y "
                                 "px,Nucleus: Area,\"Odd, \"\"name\"\"\"\r\n"));
  g_assert_nonnull(strstr(csv, ",60.1,NaN\r\n"));
  g_assert_nonnull(strstr(geojson, "[24,4.13]"));
  g_assert_nonnull(strstr(geojson, "\"NaN\""));
  g_assert_nonnull(strstr(geojson, "\"MultiPolygon\""));
  g_autoptr(VtShapes) shapes = vt_shapes_parse(geojson, -1, "objects", NULL, &error);
  g_assert_no_error(error);
  g_autoptr(GPtrArray) rois = vt_shapes_steal_areas(shapes, &error);
  g_assert_no_error(error);
  g_assert_cmpuint(rois->len, ==, 2);
  g_assert_cmpuint(((VtRoi *)g_ptr_array_index(rois, 0))->ring_sizes->len, ==, 3);
  g_autoptr(JsonParser) parser = json_parser_new();
  g_assert_true(json_parser_load_from_data(parser, record, -1, NULL));
  g_autoptr(VtRaster) picture = vt_raster_read(overlay, &error);
  g_assert_cmpint(picture->width, ==, 200);
  g_autoptr(VtRaster) back = vt_raster_read(labels, &error);
  g_assert_cmpmem(back->data, back->stride * 150, result->rasters[1]->data, result->rasters[1]->stride * 150);
  g_assert_null(vt_folder_lock("/proc/no/such", &error));
  assert_sentence(error);
  remove_folder(folder);
}

static void
test_rows(void)
{
  g_autofree char *folder = make_folder(), *path = g_build_filename(folder, "rows.csv", NULL);
  g_autoptr(VtRunRequest) request = make_fake_request("fake", "work", VITRAIL_U8, 40, 30);
  g_autoptr(GError) error = NULL;
  request->rois = g_ptr_array_new_with_free_func((GDestroyNotify)vt_roi_free);
  g_ptr_array_add(request->rois, vt_roi_new_rectangle("-1.5,2", 1, 1, 5, 5));
  g_ptr_array_add(request->rois, vt_roi_new_rectangle("=HYPERLINK(c)", 1, 1, 5, 5));
  g_autoptr(VtResult) result = vt_run(request, NULL, NULL, NULL, &error);
  g_assert_no_error(error);
  g_ptr_array_set_size(result->objects, 0);
  g_assert_true(vt_result_write_csv(result, path, &error));
  g_autofree char *csv = read_text(folder, "rows.csv");
  g_assert_cmpstr(csv, ==, "ROI,Mean,Nothing\r\n\"-1.5,2\",0,NaN\r\n'=HYPERLINK(c),0.1,NaN\r\n");
  remove_folder(folder);
}

/* What differs with the tiles, be it that a stage is not there, is found. */
static void
test_difference(void)
{
  static const struct {
    const char *mode;
    guint tile_px;
    int stage; /* -1: nothing */
  } cases[] = { { "work", 64, -1 },     { "work", 100, -1 },   { "by-tiles", 64, -1 },
                { "by-tiles", 100, 0 }, { "absent", 100, -1 }, { "absent", 64, 1 } };
  for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
    g_autoptr(VtRunRequest) request = make_fake_request("fake", cases[i].mode, VITRAIL_U8, 200, 150);
    g_autoptr(VtResult) usual = vt_run(request, NULL, NULL, NULL, NULL);
    request->tile_px = cases[i].tile_px;
    g_autoptr(VtResult) other = vt_run(request, NULL, NULL, NULL, NULL);
    const char *title = cases[i].stage < 0 ? NULL : request->op->stages[cases[i].stage]->title;
    g_assert_cmpstr(vt_result_find_difference(usual, other, G_MAXUINT64), ==, title);
    g_assert_cmpstr(vt_result_find_difference(other, usual, G_MAXUINT64), ==, title);
    g_assert_null(vt_result_find_difference(usual, other, ~((guint64)1 << MAX(cases[i].stage, 0))));
  }
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_unsetenv("VITRAIL_BACKEND");
  vt_worker_set_program(g_getenv("WORKER"));
  g_test_add_func("/run/work", test_work);
  g_test_add_func("/run/coarse", test_coarse);
  g_test_add_func("/run/region", test_region);
  g_test_add_func("/run/random-regions", test_random_regions);
  g_test_add_func("/run/outside-rois", test_outside_rois);
  g_test_add_func("/run/plain-slide", test_plain_slide);
  g_test_add_func("/run/changed-slide", test_changed_slide);
  g_test_add_func("/run/stages-wanted", test_stages_wanted);
  g_test_add_func("/run/mapped", test_mapped);
  g_test_add_func("/run/progress", test_progress);
  g_test_add_func("/run/failures", test_failures);
  g_test_add_func("/run/requests", test_requests);
  g_test_add_func("/run/cancel", test_cancel);
  g_test_add_func("/run/save", test_save);
  g_test_add_func("/run/rows", test_rows);
  g_test_add_func("/run/difference", test_difference);
  return g_test_run();
}
