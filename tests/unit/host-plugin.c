/* SPDX-License-Identifier: MIT
 *
 * Plugins that must load, and plugins that must be refused by name. FAKE_DIR is where their modules lie. */
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "host-support.h"
#include "plugins/vt-plugin-host.h"
#include "plugins/vt-plugin-probe.h"
#include "plugins/vt-worker.h"

static char *
module_path(const char *name)
{
  return g_strdup_printf("%s/fake-%s.so", g_getenv("FAKE_DIR"), name);
}

static char *
add_to(const char *folder, const char *name, const char *text, gsize size)
{
  char *path = g_build_filename(folder, name, NULL);
  g_assert_true(g_file_set_contents(path, text, (gssize)size, NULL));
  return path;
}

/* The user's own folder is read beside VITRAIL_PLUGIN_PATH, after it. Of one plugin the first file is taken; another name of that
 * file is nothing to speak of, another file is. */
static void
test_folders(void)
{
  g_autofree char *folder = g_build_filename(g_get_user_data_dir(), "vitrail", "plugins", NULL);
  g_autofree char *good = module_path("plugin"), *link = g_build_filename(folder, "a-link.so", NULL), *whole = NULL;
  gsize size = 0;
  g_assert_true(g_file_get_contents(good, &whole, &size, NULL));
  g_assert_cmpint(g_mkdir_with_parents(folder, 0700), ==, 0);
  g_assert_cmpint(symlink(good, link), ==, 0);
  g_autofree char *copy = add_to(folder, "b-copy.so", whole, size), *text = add_to(folder, "c-text.so", "no module", 9);
  VtPluginHost *host = vt_plugin_host_get();
  const GPtrArray *failures = vt_plugin_host_get_failures(host);
  g_assert_cmpuint(vt_plugin_host_get_plugins(host)->len, ==, 1);
  g_assert_cmpstr(vt_plugin_host_get_path(host, vt_plugin_host_get_plugins(host)->pdata[0]), ==, good);
  g_assert_cmpuint(failures->len, ==, 2);
  g_assert_cmpstr(((const VtPluginFailure *)failures->pdata[0])->path, ==, copy);
  g_assert_nonnull(strstr(((const VtPluginFailure *)failures->pdata[0])->reason, "same plugin"));
  g_assert_cmpstr(((const VtPluginFailure *)failures->pdata[1])->path, ==, text);
}

static void
test_refused(void)
{
  static const char *const cases[][2] = {
    { "major", "version 2 of the plugin interface, this program speaks 1" },
    { "null-ops", "ops" },
    { "twice", "count" },
    { "bad-range", "range" },
    { "no-run", "missing" },
    { "refuse", "does not serve" },
    { "same-op", "same plugin" },
    { "no-entry", VITRAIL_ENTRY_SYMBOL },
  };
  for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
    g_autofree char *path = module_path(cases[i][0]);
    g_autoptr(GError) error = NULL;
    g_assert_null(vt_plugin_host_load_file(vt_plugin_host_get(), path, &error));
    assert_says(error, path);
    g_assert_nonnull(strstr(error->message, cases[i][1]));
  }
}

static void
test_no_module(void)
{
  g_autofree char *folder = make_folder();
  g_autofree char *path = g_build_filename(folder, "text.so", NULL);
  g_autoptr(GError) error = NULL;
  g_assert_true(g_file_set_contents(path, "no module", -1, NULL));
  g_assert_null(vt_plugin_host_load_file(vt_plugin_host_get(), path, &error));
  assert_sentence(error);
  g_clear_error(&error);
  g_assert_null(vt_plugin_host_load_file(vt_plugin_host_get(), "/no/such/file.so", &error));
  assert_sentence(error);
  remove_folder(folder);
}

/* A module built before the last fields of its structs existed: they read as zero. */
static void
test_smaller_structs(void)
{
  g_autofree char *path = module_path("small");
  g_autoptr(GError) error = NULL;
  const VitrailPlugin *plugin = vt_plugin_host_load_file(vt_plugin_host_get(), path, &error);
  g_assert_no_error(error);
  g_assert_cmpuint(plugin->size, ==, sizeof(VitrailPlugin));
  const VitrailOp *op = vt_plugin_host_find_op(vt_plugin_host_get(), "fake-small", NULL);
  g_assert_nonnull(op);
  const VitrailParam *flag = op->params[vt_op_find_param(op, "flag")];
  g_assert_cmpuint(flag->size, ==, sizeof(VitrailParam));
  g_assert_null(flag->unit_px);
  g_assert_cmpuint(flag->flags, ==, 0);
  g_assert_cmpstr(op->stages[vt_op_find_stage(op, "rows")]->title, ==, "rows");
  g_assert_cmpint(vt_op_find_stage(op, "none"), ==, -1);
}

static void
test_session(void)
{
  GMutex *lock = NULL;
  const VitrailPlugin *plugin = NULL;
  g_assert_nonnull(vt_plugin_host_find_op(vt_plugin_host_get(), "fake", &plugin));
  VitrailSession *session = vt_plugin_host_get_session(vt_plugin_host_get(), plugin, &lock, NULL);
  g_assert_nonnull(session);
  g_assert_true(session == vt_plugin_host_get_session(vt_plugin_host_get(), plugin, &lock, NULL));
}

/* --- trials of files, in a process of their own --- */

static gboolean
probe(const char *path, guint seconds, char **said)
{
  g_autoptr(GError) error = NULL;
  const gboolean usable = vt_plugin_probe(g_getenv("PROBE"), path, seconds, &error);
  g_assert_true(usable == !error);
  if (error) {
    assert_says(error, path);
    g_test_message("%s", error->message);
  }
  *said = g_strdup(error ? error->message : "");
  return usable;
}

static void
expect_refused(const char *name, int at, guint seconds, const char *words)
{
  g_autofree char *path = g_strdup_printf("%s/trouble-%s-%d.so", g_getenv("FAKE_DIR"), name, at), *said = NULL;
  g_assert_false(probe(path, seconds, &said));
  g_assert_nonnull(strstr(said, words));
}

static void
test_trouble(void)
{
  for (int at = 1; at <= 3; at++) {
    expect_refused("crash", at, VT_PLUGIN_PROBE_S, "ended the process that tried it");
    expect_refused("end", at, VT_PLUGIN_PROBE_S, "ended the process that tried it");
  }
  expect_refused("hang", 1, 1, "did not answer within 1 seconds");
  expect_refused("hang", 3, 1, "did not answer within 1 seconds");
  expect_refused("child", 2, 1, "did not answer within 1 seconds");
}

/* Asks a script that leaves a line in the folder each time and does as the program that tries files. */
static void
expect_trials(const char *folder, const char *path, const char *calls)
{
  g_autofree char *script = g_build_filename(folder, "probe", NULL), *log = g_build_filename(folder, "log", NULL);
  g_autofree char *said = NULL;
  g_autoptr(GError) error = NULL;
  g_assert_true(vt_plugin_probe(script, path, VT_PLUGIN_PROBE_S, &error));
  g_assert_true(g_file_get_contents(log, &said, NULL, NULL));
  g_assert_cmpstr(said, ==, calls);
}

/* A file that has no verdict of its own any more, because it or what tries it changed, is tried again; one that did not is not. */
static void
test_verdicts(void)
{
  g_autofree char *folder = make_folder(), *path = g_build_filename(folder, "a [1].so", NULL), *whole = NULL;
  g_autofree char *good = module_path("plugin"), *refused = NULL, *script = g_build_filename(folder, "probe", NULL);
  g_autofree char *text =
    g_strdup_printf("#!/bin/sh\necho tried >>'%s/log'\nexec '%s' \"$@\"\n", folder, g_getenv("PROBE"));
  g_autofree char *changed = g_strconcat(text, "# another build\n", NULL);
  gsize size = 0;
  g_assert_true(g_file_get_contents(good, &whole, &size, NULL));
  g_assert_true(g_file_set_contents(path, whole, 5000, NULL)); /* copied in part */
  g_assert_false(probe(path, VT_PLUGIN_PROBE_S, &refused));
  g_assert_true(g_file_set_contents(path, whole, (gssize)size, NULL));
  g_assert_true(g_file_set_contents_full(script, text, -1, G_FILE_SET_CONTENTS_NONE, 0700, NULL));
  expect_trials(folder, path, "tried\n");
  expect_trials(folder, path, "tried\n");
  g_assert_true(g_file_set_contents_full(script, changed, -1, G_FILE_SET_CONTENTS_NONE, 0700, NULL));
  expect_trials(folder, path, "tried\ntried\n");
  vt_plugin_probe_forget();
  expect_trials(folder, path, "tried\ntried\ntried\n");
  remove_folder(folder);
}

/* Other bytes in the same file, at the time and of the size that it had. */
static void
write_over(const char *path, const char *bytes, gsize size)
{
  GStatBuf before, after;
  g_assert_cmpint(g_stat(path, &before), ==, 0);
  FILE *file = fopen(path, "r+b");
  g_assert_true(file && fwrite(bytes, 1, size, file) == size && fclose(file) == 0);
  const struct timespec times[2] = { before.st_atim, before.st_mtim };
  g_assert_cmpint(utimensat(AT_FDCWD, path, times, 0), ==, 0);
  g_assert_cmpint(g_stat(path, &after), ==, 0);
  g_assert_true(before.st_ino == after.st_ino && before.st_size == after.st_size
                && before.st_mtim.tv_sec == after.st_mtim.tv_sec && before.st_mtim.tv_nsec == after.st_mtim.tv_nsec);
}

/* The bytes count: not the name, the place or the time. A refusal is that of its place. */
static void
test_bytes(void)
{
  g_autofree char *folder = make_folder(), *path = g_build_filename(folder, "a.so", NULL),
                  *copy = g_build_filename(folder, "b.so", NULL), *script = g_build_filename(folder, "probe", NULL);
  g_autofree char *good = module_path("plugin"), *whole = NULL;
  g_autofree char *text =
    g_strdup_printf("#!/bin/sh\necho tried >>'%s/log'\nexec '%s' \"$@\"\n", folder, g_getenv("PROBE"));
  g_autoptr(GError) error = NULL;
  gsize size = 0;
  g_assert_true(g_file_get_contents(good, &whole, &size, NULL));
  g_autofree char *zeros = g_malloc0(size);
  g_assert_true(g_file_set_contents_full(script, text, -1, G_FILE_SET_CONTENTS_NONE, 0700, NULL));
  vt_plugin_probe_forget();
  g_assert_true(g_file_set_contents(path, whole, (gssize)size, NULL));
  expect_trials(folder, path, "tried\n");
  g_assert_true(g_file_set_contents(copy, whole, (gssize)size, NULL));
  expect_trials(folder, copy, "tried\n"); /* known by its bytes */
  g_assert_true(g_file_set_contents(path, whole, (gssize)size, NULL));
  expect_trials(folder, path, "tried\n"); /* written again */
  write_over(path, zeros, size);
  g_assert_false(vt_plugin_probe(script, path, VT_PLUGIN_PROBE_S, &error));
  assert_says(error, path);
  g_clear_error(&error);
  write_over(copy, zeros, size);
  g_assert_false(vt_plugin_probe(script, copy, VT_PLUGIN_PROBE_S, &error));
  assert_says(error, copy);
  expect_trials(folder, good, "tried\ntried\ntried\ntried\n"); /* nobody has the bytes of this one any more */
  write_over(path, whole, size);
  expect_trials(folder, path, "tried\ntried\ntried\ntried\n"); /* no more refused; known by those of `good` */
  remove_folder(folder);
}

/* --- what is kept of a file's process --- */

/* Finds the worker, whose process is a script that leaves a line each time it is started. */
static VtWorker *
expect_starts(const char *folder, const char *path, guint n)
{
  g_autofree char *log = g_build_filename(folder, "starts", NULL), *said = NULL;
  g_autoptr(GError) error = NULL;
  VtWorker *worker = vt_worker_find(path, &error);
  g_assert_no_error(error);
  g_assert_nonnull(vt_worker_check(worker, &error));
  gsize size = 0;
  g_file_get_contents(log, &said, &size, NULL);
  g_assert_cmpuint(size, ==, 2 * n);
  return worker;
}

/* Its session opens, which takes a process; or a sentence with that word says why not. */
static void
expect_open(VtWorker *worker, const char *path, const char *word)
{
  VitrailSession *session = NULL;
  g_autoptr(GError) error = NULL;
  const VitrailStatus status = vt_worker_open(worker, &session, &error);
  g_assert_cmpint(status == VITRAIL_OK, ==, !word);
  if (word) {
    assert_says(error, path);
    g_assert_nonnull(strstr(error->message, word));
  }
  vt_worker_free(worker);
}

static void
write_worker(const char *folder, const char *comment)
{
  g_autofree char *script = g_build_filename(folder, "worker", NULL);
  g_autofree char *text =
    g_strdup_printf("#!/bin/sh\necho s >>'%s/starts'\nexec '%s'\n%s", folder, g_getenv("WORKER"), comment);
  g_assert_true(g_file_set_contents_full(script, text, -1, G_FILE_SET_CONTENTS_NONE, 0700, NULL));
  vt_worker_set_program(script);
}

static void
copy_module(const char *name, const char *path)
{
  g_autofree char *from = module_path(name), *whole = NULL;
  g_autoptr(GError) error = NULL;
  gsize size = 0;
  g_assert_true(g_file_get_contents(from, &whole, &size, NULL));
  g_assert_true(g_file_set_contents(path, whole, (gssize)size, NULL));
  g_assert_true(vt_plugin_probe(g_getenv("PROBE"), path, VT_PLUGIN_PROBE_S, &error));
}

/* Another letter in the cache, at that place of a value. */
static void
damage(const char *key, gsize at)
{
  g_autofree char *cache = g_build_filename(g_get_user_cache_dir(), "vitrail", "plugins.ini", NULL), *text = NULL;
  gsize size = 0;
  g_assert_true(g_file_get_contents(cache, &text, &size, NULL));
  char *value = strstr(text, key);
  g_assert_nonnull(value);
  value[strlen(key) + at] = value[strlen(key) + at] == 'A' ? 'B' : 'A';
  g_assert_true(g_file_set_contents(cache, text, (gssize)size, NULL));
}

/* A start knows what a file offers without its process, as long as file, build and language are the same, and what is kept is whole. */
static void
test_kept(void)
{
  g_autofree char *folder = make_folder(), *path = g_build_filename(folder, "a.so", NULL);
  vt_plugin_probe_forget();
  write_worker(folder, "");
  copy_module("small", path);
  vt_worker_free(expect_starts(folder, path, 1));
  expect_open(expect_starts(folder, path, 1), path, NULL);
  guint n = 2; /* for the session */
  for (gsize at = 0; at < 3000; at += 499) {
    damage("\ntold=", at);
    vt_worker_free(expect_starts(folder, path, ++n));
    vt_worker_free(expect_starts(folder, path, n));
  }
  static const char *const keys[] = { "\nseal=", "\nteller=", "\nsha256=" };
  for (gsize i = 0; i < G_N_ELEMENTS(keys); i++) {
    damage(keys[i], 3);
    vt_worker_free(expect_starts(folder, path, ++n));
  }
  write_worker(folder, "# another build\n");
  vt_worker_free(expect_starts(folder, path, ++n));
  g_setenv("LANGUAGE", "fr", TRUE);
  vt_worker_free(expect_starts(folder, path, ++n));
  vt_worker_free(expect_starts(folder, path, n));
  g_unsetenv("LANGUAGE");
  copy_module("no-rois", path);
  vt_worker_free(expect_starts(folder, path, ++n));
  vt_worker_set_program(g_getenv("WORKER"));
  remove_folder(folder);
}

/* What a file offers may depend on more than its bytes: said once, and asked for at each later start. */
static void
test_moody(void)
{
  g_autofree char *folder = make_folder(), *path = g_build_filename(folder, "a.so", NULL);
  vt_plugin_probe_forget();
  write_worker(folder, "");
  copy_module("moody", path);
  vt_worker_free(expect_starts(folder, path, 1));
  g_setenv("FAKE_MOOD", "2", TRUE);
  expect_open(expect_starts(folder, path, 1), path, "offers other things");
  expect_open(expect_starts(folder, path, 3), path, NULL);
  vt_worker_free(expect_starts(folder, path, 4));
  g_unsetenv("FAKE_MOOD");
  vt_plugin_probe_forget();
  copy_module("moody", path);
  vt_worker_free(expect_starts(folder, path, 5));
  VtWorker *kept = expect_starts(folder, path, 5);
  copy_module("small", path);
  expect_open(kept, path, "has changed");
  vt_worker_set_program(g_getenv("WORKER"));
  remove_folder(folder);
}

/* What a trial without memory comes to is no verdict: the next one, with memory, finds the file usable. The script, which stays as it is, does as `do` in its folder says. */
static void
expect_no_verdict(const char *script, const char *path, const char *does)
{
  g_autofree char *folder = g_path_get_dirname(script), *file = g_build_filename(folder, "do", NULL);
  g_autoptr(GError) error = NULL;
  g_assert_true(g_file_set_contents(file, does, -1, NULL));
  if (!vt_plugin_probe(script, path, VT_PLUGIN_PROBE_S, &error)) {
    g_test_message("%s: %s", does, error->message);
    assert_says(error, path);
    g_clear_error(&error);
    g_assert_true(g_file_set_contents(file, "", -1, NULL));
    g_assert_true(vt_plugin_probe(script, path, VT_PLUGIN_PROBE_S, &error));
  } else
    g_assert_true(g_str_has_prefix(does, "ulimit")); /* it had enough */
  vt_plugin_probe_forget();
}

static void
test_starved(void)
{
  static const char *const ends[] = { "kill -ABRT $$", "kill -KILL $$", "exit 2", "echo \"$1 is refused.\"; exit 3",
                                      "exit 127" };
  g_autofree char *folder = make_folder(), *script = g_build_filename(folder, "probe", NULL),
                  *good = module_path("plugin");
  g_autofree char *text = g_strdup_printf("#!/bin/sh\n. '%s/do'\nexec '%s' \"$@\"\n", folder, g_getenv("PROBE"));
  g_assert_true(g_file_set_contents_full(script, text, -1, G_FILE_SET_CONTENTS_NONE, 0700, NULL));
  for (gsize i = 0; i < G_N_ELEMENTS(ends); i++)
    expect_no_verdict(script, good, ends[i]);
  for (guint kib = 4000; kib <= 100000 && !g_getenv("VITRAIL_SANITIZED"); kib += 2000) {
    g_autofree char *limit = g_strdup_printf("ulimit -v %u", kib);
    expect_no_verdict(script, good, limit);
  }
  remove_folder(folder);
}

/* Nobody opens a pipe that has no other end; and what can't be tried has no verdict, but is not loaded. */
static void
test_no_file(void)
{
  g_autofree char *good = module_path("plugin");
  g_autoptr(GError) error = NULL;
  g_assert_false(vt_plugin_probe("/no/such/program", good, 1, &error));
  assert_says(error, good);
  g_assert_nonnull(strstr(error->message, "cannot be tried"));
  g_autofree char *folder = make_folder(), *path = g_build_filename(folder, "pipe.so", NULL), *said = NULL;
  g_assert_cmpint(mkfifo(path, 0600), ==, 0);
  g_assert_false(probe(path, VT_PLUGIN_PROBE_S, &said));
  g_assert_nonnull(strstr(said, "no regular file"));
  remove_folder(folder);
}

/* --- several files at once --- */

static gboolean
is_asked_to_wait(const char *names)
{
  g_assert_nonnull(strstr(names, "0-hang.so"));
  return g_getenv("WAITS") != NULL;
}

/* Five that hang, one that takes its time, and one that is good. */
static void
make_files(void)
{
  g_autofree char *folder = make_folder(), *good = module_path("plugin");
  for (int i = 0; i < 7; i++) {
    g_autofree char *name = g_strdup_printf("%d-%s.so", i, i < 5 ? "hang" : i < 6 ? "slow" : "good");
    g_autofree char *link = g_build_filename(folder, name, NULL), *whole = NULL;
    g_autofree char *from = g_strdup_printf("%s/trouble-%s-1.so", g_getenv("FAKE_DIR"), i < 5 ? "hang" : "slow");
    gsize size = 0;
    g_assert_true(g_file_get_contents(i < 6 ? from : good, &whole, &size, NULL));
    g_assert_true(g_file_set_contents(link, whole, (gssize)size, NULL));
  }
  g_setenv("VITRAIL_PLUGIN_PATH", folder, TRUE);
}

static void
run_at_once(void)
{
  VtPluginHost *host = vt_plugin_host_get();
  GListModel *trying = vt_plugin_host_get_trying(host);
  const gint64 since = g_get_monotonic_time();
  if (!g_getenv("WAITS")) {
    g_assert_cmpuint(g_list_model_get_n_items(trying), >=, 5);
    g_assert_cmpuint(vt_plugin_host_get_failures(host)->len, ==, 0);
    g_assert_nonnull(vt_plugin_host_find_op(host, "fake", NULL));
    g_assert_null(vt_plugin_host_find_op(host, "trouble", NULL));
  }
  while (g_list_model_get_n_items(trying) > 0)
    g_main_context_iteration(NULL, TRUE);
  g_assert_cmpfloat((double)(g_get_monotonic_time() - since), <, 20 * G_TIME_SPAN_SECOND);
  g_assert_cmpuint(vt_plugin_host_get_failures(host)->len, ==, 5);
  g_assert_nonnull(vt_plugin_host_find_op(host, "trouble", NULL));
  g_assert_nonnull(vt_plugin_host_find_op(host, "fake", NULL));
}

/* Files that hang hold up neither each other nor, where they are not waited for, a start. */
static void
test_at_once(void)
{
  if (g_test_subprocess()) {
    make_files();
    vt_plugin_host_set_probe(g_getenv("PROBE"), 6);
    vt_plugin_host_set_slow(is_asked_to_wait);
    run_at_once();
    return;
  }
  for (int waits = 0; waits <= 1; waits++) {
    if (waits)
      g_setenv("WAITS", "1", TRUE);
    const gint64 since = g_get_monotonic_time();
    g_test_trap_subprocess(NULL, 0, G_TEST_SUBPROCESS_INHERIT_STDERR);
    g_test_trap_assert_passed();
    g_test_message("%.1f s", (double)(g_get_monotonic_time() - since) / G_TIME_SPAN_SECOND);
    g_assert_cmpfloat((double)(g_get_monotonic_time() - since), <,
                      24 * G_TIME_SPAN_SECOND); /* 30 one after the other */
  }
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, G_TEST_OPTION_ISOLATE_DIRS, NULL);
  vt_worker_set_program(g_getenv("WORKER"));
  g_test_add_func("/plugin/folders", test_folders); /* first: it is what the others' plugins are loaded from */
  g_test_add_func("/plugin/refused", test_refused);
  g_test_add_func("/plugin/no-module", test_no_module);
  g_test_add_func("/plugin/smaller-structs", test_smaller_structs);
  g_test_add_func("/plugin/session", test_session);
  g_test_add_func("/plugin/trouble", test_trouble);
  g_test_add_func("/plugin/verdicts", test_verdicts);
  g_test_add_func("/plugin/bytes", test_bytes);
  g_test_add_func("/plugin/starved", test_starved);
  g_test_add_func("/plugin/no-file", test_no_file);
  if (g_getenv("WORKER")) {
    g_test_add_func("/plugin/kept", test_kept);
    g_test_add_func("/plugin/moody", test_moody);
    g_test_add_func("/plugin/at-once", test_at_once);
  }
  return g_test_run();
}
