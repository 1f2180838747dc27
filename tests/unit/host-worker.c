/* SPDX-License-Identifier: MIT
 *
 * Plugins in a process of their own: the bytes are those of a run in the program, and one that crashes, ends, hangs or lies ends its run alone. */
#include <errno.h>
#include <signal.h>
#include <string.h>

#include "base/vt-helper.h"
#include "host-support.h"
#include "plugins/vt-plugin-host.h"
#include "plugins/vt-worker-private.h"
#include "plugins/vt-worker.h"

static char *module =
  NULL; /* the file that runs apart, as the op "fake-small"; the same code is in the program as "fake" */

static VtResult *
run_apart(const char *mode, GCancellable *cancellable, GError **error)
{
  g_autoptr(VtRunRequest) request = make_fake_request("fake-small", mode, VITRAIL_U8, 200, 150);
  return vt_run(request, NULL, NULL, cancellable, error);
}

static void
expect_work(void)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(VtResult) result = run_apart("work", NULL, &error);
  g_assert_no_error(error);
  g_assert_cmpuint(result->objects->len, ==, 2);
}

/* --- the same bytes --- */

static void
expect_same_lengths(const VtRunLengths *ours, const VtRunLengths *theirs)
{
  g_assert_true((ours != NULL) == (theirs != NULL));
  if (!ours)
    return;
  g_assert_cmpint(ours->x, ==, theirs->x);
  g_assert_cmpuint(ours->n_pixels, ==, theirs->n_pixels);
  g_assert_cmpfloat(ours->level_step, ==, theirs->level_step);
  g_assert_cmpstr(ours->unit, ==, theirs->unit);
  g_assert_cmpmem(ours->levels, 4 * ours->width * ours->height, theirs->levels, 4 * theirs->width * theirs->height);
  g_assert_cmpmem(ours->counts, 16 * ours->n_levels * ours->longest, theirs->counts,
                  16 * theirs->n_levels * theirs->longest);
}

static void
expect_same(const VtResult *a, const VtResult *b)
{
  for (guint i = 0; i < 2; i++) {
    const VtRaster *ours = a->rasters[i], *theirs = b->rasters[i];
    g_assert_cmpint(ours->type, ==, theirs->type);
    g_assert_cmpint(ours->x, ==, theirs->x);
    g_assert_cmpint(ours->y, ==, theirs->y);
    g_assert_cmpfloat(ours->scale, ==, theirs->scale);
    g_assert_cmpmem(ours->data, ours->stride * (gsize)ours->height, theirs->data,
                    theirs->stride * (gsize)theirs->height);
  }
  g_assert_cmpuint(a->objects->len, ==, b->objects->len);
  for (guint i = 0; i < a->objects->len; i++) {
    const VtObject *ours = g_ptr_array_index(a->objects, i), *theirs = g_ptr_array_index(b->objects, i);
    g_assert_cmpint(ours->id, ==, theirs->id);
    g_assert_cmpmem(ours->points, 16 * ours->n_points, theirs->points, 16 * theirs->n_points);
    g_assert_cmpmem(ours->measurements, 8 * ours->n_measurements, theirs->measurements, 8 * theirs->n_measurements);
    g_assert_cmpstr(ours->measurement_names[1], ==, theirs->measurement_names[1]);
  }
  g_assert_cmpuint(a->rows->len, ==, b->rows->len);
  for (guint i = 0; i < a->rows->len; i++) {
    const VtRow *ours = g_ptr_array_index(a->rows, i), *theirs = g_ptr_array_index(b->rows, i);
    g_assert_cmpstr(ours->label, ==, theirs->label);
    g_assert_cmpmem(ours->values, 8 * ours->n_values, theirs->values, 8 * theirs->n_values);
    expect_same_lengths(ours->lengths, theirs->lengths);
  }
  g_assert_true((a->overlaps != NULL) == (b->overlaps != NULL));
  if (a->overlaps) {
    g_assert_cmpuint(a->overlaps->truth, ==, b->overlaps->truth);
    g_assert_cmpuint(a->overlaps->list[1].truth, ==, a->overlaps->truth + 1); /* what was read */
    g_assert_cmpmem(a->overlaps->list, a->overlaps->n * sizeof(VtOverlap), b->overlaps->list,
                    b->overlaps->n * sizeof(VtOverlap));
  }
  g_assert_cmpuint(a->warnings->len, ==, b->warnings->len);
  g_assert_cmpfloat(a->stage_ms[1], ==, b->stage_ms[1]);
  g_assert_cmpfloat(a->used_pixel_size, ==, b->used_pixel_size);
}

static void
read_one(gpointer user, guint downsample, gint64 x, gint64 y, gint64 width, gint64 height, guint8 *dst, gsize stride)
{
  g_assert_true(downsample == 2 && x == 0 && y == 0 && width == 1 && height == 1);
  memcpy(dst, user, sizeof(gint32));
}

/* Somewhere in an image, the same for both. */
static VtResult *
run_somewhere(const char *op_id, guint32 seed)
{
  static const VitrailPixelType types[] = { VITRAIL_U8, VITRAIL_U16, VITRAIL_RGBA8 };
  g_autoptr(GRand) rand = g_rand_new_with_seed(seed);
  const VitrailPixelType type = types[g_rand_int_range(rand, 0, 3)];
  const gint32 width = g_rand_int_range(rand, 1, 700), height = g_rand_int_range(rand, 1, 500);
  g_autoptr(VtRunRequest) request = make_fake_request(op_id, "work", type, width, height);
  g_autoptr(GError) error = NULL;
  request->whole = FALSE;
  request->x_l0 = g_rand_int_range(rand, 0, width);
  request->y_l0 = g_rand_int_range(rand, 0, height);
  request->width_l0 = g_rand_int_range(rand, 1, 500);
  request->height_l0 = g_rand_int_range(rand, 1, 500);
  request->n_threads = (guint)g_rand_int_range(rand, 1, 7);
  request->tells_lengths = width >= 3 && height >= 2;
  const gint32 label = (gint32)seed + 1;
  if (seed % 2)
    request->truth = vt_run_truth_new(seed, read_one, g_memdup2(&label, sizeof label), g_free);
  request->rois = g_ptr_array_new_with_free_func((GDestroyNotify)vt_roi_free);
  g_ptr_array_add(request->rois, vt_roi_new_rectangle("é", (double)request->x_l0, (double)request->y_l0, 1, 1));
  VtResult *result = vt_run(request, NULL, NULL, NULL, &error);
  g_assert_no_error(error);
  return result;
}

static void
test_same_bytes(void)
{
  for (guint32 seed = 0; seed < 200; seed++) {
    g_autoptr(VtResult) in = run_somewhere("fake", seed), apart = run_somewhere("fake-small", seed);
    expect_same(in, apart);
  }
}

/* --- the end of a process --- */

static void
test_ends(void)
{
  static const char *const cases[][2] = {
    { "crash", "ended during the run: Segmentation fault" },
    { "crash-job", "ended during the run: Segmentation fault" },
    { "crash-child", "ended during the run: Segmentation fault" },
    { "abort", "ended during the run: Aborted" },
    { "exit", "ended during the run: exit status 0" },
    { "lie", "makes no sense" },
    { "stray", "calls emit_row" },
  };
  for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
    g_autoptr(GError) error = NULL;
    g_assert_null(run_apart(cases[i][0], NULL, &error));
    g_test_message("%s: %s", cases[i][0], error->message);
    assert_sentence(error);
    g_assert_nonnull(strstr(error->message, cases[i][1]));
    expect_work();
  }
}

static gpointer
cancel_soon(gpointer data)
{
  GCancellable *cancellable = data;
  g_usleep(100000);
  g_object_set_data(G_OBJECT(cancellable), "at", g_memdup2(&(gint64){ g_get_monotonic_time() }, sizeof(gint64)));
  g_cancellable_cancel(cancellable);
  return NULL;
}

static gpointer
cancel_late(gpointer cancellable)
{
  g_usleep(2500000);
  g_cancellable_cancel(cancellable);
  return NULL;
}

/* ms from the cancel to the end of the run. */
static double
time_cancel(const char *mode)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(GCancellable) cancellable = g_cancellable_new();
  GThread *thread = g_thread_new("cancel", cancel_soon, cancellable);
  g_assert_null(run_apart(mode, cancellable, &error));
  const gint64 end = g_get_monotonic_time();
  g_thread_join(thread);
  g_assert_error(error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  g_autofree gint64 *at = g_object_get_data(G_OBJECT(cancellable), "at");
  return (double)(end - *at) / 1000;
}

/* One that listens stops at once; one that hangs is ended. */
static void
test_cancel(void)
{
  const double soon = time_cancel("wait"), late = time_cancel("hang");
  g_test_message("cancelled after %.1f ms; hanging, after %.1f ms", soon, late);
  g_assert_cmpfloat(soon, <, 1000);
  g_assert_cmpfloat(late, <, 10000);
  expect_work();
}

/* All of its threads wait for each other: no processor time, no callback. One that works or asks now and then is not taken for it. */
static void
test_stuck(void)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(GCancellable) cancellable = g_cancellable_new();
  vt_worker_process_set_patience(2);
  g_assert_null(run_apart("stuck", NULL, &error));
  assert_sentence(error);
  g_assert_nonnull(strstr(error->message, "stood still"));
  g_clear_error(&error);
  vt_worker_process_set_patience(1);
  GThread *thread = g_thread_new("cancel", cancel_late, cancellable);
  g_assert_null(run_apart("hang", cancellable, &error));
  g_assert_error(error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  g_thread_join(thread);
  vt_worker_process_set_patience(600);
  expect_work();
}

/* A process that was killed has let go of its memory and its sockets: it is gone, or waits for its parent alone. */
static gboolean
has_ended(const char *id)
{
  g_autofree char *path = g_strdup_printf("/proc/%s/stat", id), *text = NULL;
  if (!g_file_get_contents(path, &text, NULL, NULL))
    return TRUE;
  const char *name_end = strrchr(text, ')');
  return name_end && g_str_has_prefix(name_end, ") Z");
}

/* All processes of plugins, which nobody is asking anything. FALSE: the system does not tell. */
static gboolean
kill_all(void)
{
  g_autofree char *path = g_strdup_printf("/proc/self/task/%d/children", (int)getpid()), *text = NULL;
  if (!g_file_get_contents(path, &text, NULL, NULL)) {
    g_test_skip("the system does not list children");
    return FALSE;
  }
  g_auto(GStrv) ids = g_strsplit(g_strstrip(text), " ", -1);
  for (char **id = ids; *id; id++)
    g_assert_true(kill((pid_t)g_ascii_strtoll(*id, NULL, 10), SIGKILL) == 0
                  || errno == ESRCH); /* it may end by itself */
  for (char **id = ids; *id; id++)
    while (!has_ended(*id))
      g_usleep(1000); /* or the test's time is over */
  g_usleep(50000);
  return TRUE;
}

/* The next run starts another, and nobody notices. */
static void
test_killed(void)
{
  if (kill_all())
    expect_work();
}

/* The session of another process knows the recipes of the first. */
static void
test_recipe(void)
{
  g_autofree char *path =
    g_build_filename(g_getenv("VITRAIL_SOURCE_ROOT"), "data", "recipes", "tissue.recipe.json", NULL);
  g_autofree char *broken = g_strconcat(module, ".recipe.json", NULL);
  g_autoptr(GError) error = NULL;
  VtPluginHost *host = vt_plugin_host_get();
  g_setenv("VITRAIL_PLUGIN_WORKER", "all", TRUE);
  const VitrailPlugin *plugin = vt_plugin_host_load_file(host, g_getenv("ANALYSIS"), &error);
  g_unsetenv("VITRAIL_PLUGIN_WORKER");
  g_assert_no_error(error);
  const VitrailOp *op = vt_plugin_host_open_recipe(host, path, &error);
  g_assert_no_error(error);
  for (int turn = 0; turn < 2; turn++) {
    VtRaster *raster = vt_raster_new(VITRAIL_RGBA8, 100, 80, NULL);
    g_autoptr(VtRunRequest) request = vt_run_request_new(plugin, op);
    memset(raster->data, 200, raster->stride * 80);
    request->params = vt_params_new(op, FALSE);
    request->rasters = g_hash_table_new_full(g_str_hash, g_str_equal, NULL, (GDestroyNotify)vt_raster_unref);
    g_hash_table_insert(request->rasters, (gpointer)op->inputs[0]->id, raster);
    request->whole = TRUE;
    g_autoptr(VtResult) result = vt_run(request, NULL, NULL, NULL, &error);
    g_assert_no_error(error);
    g_assert_cmpint(result->width_l0, ==, 100);
    if (!kill_all())
      return;
  }
  g_autofree char *text = NULL;
  g_assert_true(g_file_get_contents(path, &text, NULL, NULL));
  g_auto(GStrv) parts = g_strsplit(text, "\"step\": \"", 2);
  g_autofree char *wrong = g_strconcat(parts[0], "\"step\": \"no-", parts[1], NULL);
  g_assert_true(g_file_set_contents(broken, wrong, -1, NULL));
  g_assert_null(vt_plugin_host_open_recipe(host, broken, &error));
  g_test_message("%s", error->message);
  assert_sentence(error);
}

/* Callbacks that are used after the run end the process, not the program; the next run starts another. */
static void
test_late(void)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(VtResult) result = run_apart("late", NULL, &error);
  g_assert_no_error(error);
  g_usleep(200000);
  expect_work();
}

/* Whoever started it is gone, and the plugin does not listen. */
static void
test_orphan(void)
{
  g_autofree char *path = g_strdup_printf("%s/trouble-hang-3.so", g_getenv("FAKE_DIR"));
  g_autoptr(GError) error = NULL;
  VtWorkerChannel control;
  VtWorkerHead head = { .kind = VT_WORKER_LOAD };
  int socket = -1;
  g_autoptr(GSubprocess) process = vt_helper_spawn(g_getenv("WORKER"), FALSE, FALSE, &socket, &error);
  g_assert_no_error(error);
  vt_worker_channel_init(&control, socket);
  g_assert_true(vt_worker_channel_put(&control, &head, path, strlen(path)));
  g_assert_true(vt_worker_channel_send(&control, &head, -1));
  g_assert_true(vt_worker_channel_receive(&control, &head, NULL));
  g_assert_cmpint(head.status, ==, VITRAIL_OK);
  head = (VtWorkerHead){ .kind = VT_WORKER_OPEN };
  g_assert_true(vt_worker_channel_send(&control, &head, -1));
  g_usleep(50000);
  vt_worker_channel_clear(&control);
  g_assert_true(g_subprocess_wait(process, NULL, NULL)); /* or the test's time is over */
}

static void
test_no_program(void)
{
  g_autoptr(GError) error = NULL;
  g_autofree char *path = g_strdup_printf("%s/fake-same-op.so", g_getenv("FAKE_DIR"));
  vt_worker_set_program("/no/such/program");
  g_assert_null(vt_worker_new(path, &error));
  assert_sentence(error);
  g_assert_nonnull(strstr(error->message, path));
  vt_worker_set_program(g_getenv("WORKER"));
}

static void
replace_module(const char *name)
{
  g_autofree char *path = g_strdup_printf("%s/%s.so", g_getenv("FAKE_DIR"), name), *text = NULL;
  gsize n = 0;
  g_assert_true(g_file_get_contents(path, &text, &n, NULL));
  g_assert_true(g_file_set_contents(module, text, (gssize)n, NULL));
}

/* Another file of that name is another plugin: what is known of the first does not hold for it. Last: its process is gone. */
static void
test_changed(void)
{
  g_autoptr(GError) error = NULL;
  replace_module("fake-plugin");
  g_assert_null(run_apart("crash", NULL, &error));
  g_clear_error(&error);
  g_assert_null(run_apart("work", NULL, &error));
  assert_sentence(error);
  g_assert_nonnull(strstr(error->message, "has changed"));
  replace_module("fake-small");
  expect_work();
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, G_TEST_OPTION_ISOLATE_DIRS, NULL);
  g_unsetenv("VITRAIL_BACKEND");
  const char *options = g_getenv("ASAN_OPTIONS");
  g_autofree char *folder = make_folder();
  /* A sanitizer would end the process in its own way. */
  g_autofree char *all_options = g_strconcat(options ? options : "", ":handle_segv=0:handle_abort=0", NULL);
  g_setenv("ASAN_OPTIONS", all_options, TRUE);
  module = g_build_filename(folder, "small.so", NULL);
  replace_module("fake-small");
  g_setenv("VITRAIL_PLUGIN_WORKER", "no", TRUE);
  VtPluginHost *host = vt_plugin_host_get();
  g_unsetenv("VITRAIL_PLUGIN_WORKER");
  vt_worker_set_program(g_getenv("WORKER"));
  g_assert_nonnull(vt_plugin_host_load_file(host, module, NULL));
  g_test_add_func("/worker/same-bytes", test_same_bytes);
  g_test_add_func("/worker/ends", test_ends);
  g_test_add_func("/worker/cancel", test_cancel);
  g_test_add_func("/worker/killed", test_killed);
  g_test_add_func("/worker/late", test_late);
  g_test_add_func("/worker/orphan", test_orphan);
  g_test_add_func("/worker/no-program", test_no_program);
  g_test_add_func("/worker/recipe", test_recipe);
  g_test_add_func("/worker/stuck", test_stuck);
  g_test_add_func("/worker/changed", test_changed);
  const int status = g_test_run();
  remove_folder(folder);
  return status;
}
