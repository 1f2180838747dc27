/* SPDX-License-Identifier: MIT
 *
 * The same run again, from its record, and whether every byte is the same. */
#include <glib/gstdio.h>
#include <stdio.h>

#include "batch-record.h"
#include "base/vt-define.h"
#include "batch.h"

typedef struct {
  char *out, *backend, *memory;
  int threads;
} Options;

VT_DEFINE_CLEAR(options_clear, Options, VT_FREES(g_free, out, backend, memory))
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Options, options_clear)

/* How many of the files differ; each is said. */
static int
compare(JsonObject *before, JsonObject *after)
{
  JsonObject *old = vt_json_get_object(before, "contents"), *new = vt_json_get_object(after, "contents");
  g_autoptr(GList) names = old ? json_object_get_members(old) : NULL;
  int n_other = 0;
  for (GList *link = names; link; link = link->next) {
    const char *was = vt_json_get_string(vt_json_get_object(old, link->data), "sha256");
    const char *is = new ? vt_json_get_string(vt_json_get_object(new, link->data), "sha256") : NULL;
    const gboolean is_same = was && g_strcmp0(was, is) == 0;
    n_other += !is_same;
    printf("%-8s %s\n", is_same ? "same" : is ? "OTHER" : "MISSING", (char *)link->data);
  }
  return n_other;
}

/* Made by this process, with what its run left there. */
static void
remove_folder(const char *dir)
{
  g_autofree char *scratch = g_build_filename(dir, ".vitrail-scratch", NULL);
  g_autoptr(GError) error = NULL;
  if (!vt_folder_remove(scratch, &error) || !vt_folder_remove(dir, &error))
    g_printerr("vitrail-batch: %s\n", error->message);
}

/* Whether an input is the file that the record is of. */
static void
compare_inputs(JsonObject *record)
{
  JsonObject *inputs = vt_json_get_object(record, "inputs");
  g_autoptr(GList) ids = json_object_get_members(inputs);
  for (GList *link = ids; link; link = link->next) {
    JsonObject *input = vt_json_get_object(inputs, link->data);
    const char *text = vt_json_get_string(input, "path"), *was = vt_json_get_string(input, "sha256");
    g_autofree char *path = text ? vt_path_dup_of_text(text) : NULL;
    guint64 bytes = 0;
    g_autofree char *shown = vt_error_dup_path(path ? path : link->data);
    g_autofree char *is = path ? vt_file_dup_known_sha256(path, &bytes, NULL) : NULL;
    if (!was || !is)
      g_printerr("vitrail-batch: Whether %s is the same file can't be said: %s.\n", shown,
                 was ? "it can't be read" : "the record has no hash of it");
    else if (!g_str_equal(was, is))
      g_printerr("vitrail-batch: %s is another file: its SHA-256 was %s, and is %s.\n", shown, was, is);
  }
}

static void
compare_contexts(JsonObject *before, JsonObject *after)
{
  for (guint i = 0; i < batch_record_count_parts(before); i++) {
    const double was = batch_record_get_context(batch_record_get_part(before, i)),
                 is = batch_record_get_context(batch_record_get_part(after, i));
    if (was != is)
      g_printerr("vitrail-batch: The context of the region was %.0f pixels wide, and is %.0f, which is what --memory "
                 "allows.\n",
                 was, is);
  }
}

/* NULL: the record doesn't say. */
static const char *
get_geos(JsonObject *record)
{
  JsonObject *build = vt_json_get_object(record, "build");
  JsonObject *libraries = build ? vt_json_get_object(build, "libraries") : NULL;
  return libraries ? vt_json_get_string(libraries, "geos") : NULL;
}

/* Libraries that have a part in what the files hold. */
static void
compare_libraries(JsonObject *before, JsonObject *after)
{
  const struct {
    const char *title, *was, *is;
  } libraries[] = { { "GDAL", vt_json_get_string(before, "gdal"), vt_json_get_string(after, "gdal") },
                    { "Apache Arrow", vt_json_get_string(before, "arrow"), vt_json_get_string(after, "arrow") },
                    { "GEOS", get_geos(before), get_geos(after) } };
  for (guint i = 0; i < G_N_ELEMENTS(libraries); i++)
    if (libraries[i].was && libraries[i].is && !g_str_equal(libraries[i].was, libraries[i].is))
      g_printerr("vitrail-batch: Objects of the record were written with %s %s, and are with %s %s.\n",
                 libraries[i].title, libraries[i].was, libraries[i].title, libraries[i].is);
}

static int
finish(JsonObject *before, const char *dir)
{
  g_autofree char *path = g_build_filename(dir, "record.json", NULL);
  g_autoptr(GError) error = NULL;
  g_autoptr(JsonObject) after = batch_record_load(path, &error);
  if (!after)
    return batch_fail(BATCH_FAILED, "%s", error->message);
  if (vt_json_get_object(before, "corrections"))
    printf(
      "The objects were corrected by hand; this is the run without that: features.csv and objects.geojson differ.\n");
  const int n_other = compare(before, after);
  if (n_other > 0) {
    compare_contexts(before, after);
    compare_libraries(before, after);
  }
  printf(n_other > 0 ? "%d of the files are not the same\n" : "every byte is the same\n", n_other);
  return n_other > 0 ? BATCH_FAILED : BATCH_DONE;
}

int
batch_rerun(int argc, char **argv)
{
  g_auto(Options) options = { 0 };
  const GOptionEntry entries[] = {
    { "backend", 0, 0, G_OPTION_ARG_STRING, &options.backend, "auto, cpu or cuda: the bytes are the same", "NAME" },
    { "memory", 0, 0, G_OPTION_ARG_STRING, &options.memory, "As of run: the bytes are the same", "4G" },
    { "threads", 0, 0, G_OPTION_ARG_INT, &options.threads, "Threads (one per processor)", "N" },
    { "out", 'o', 0, G_OPTION_ARG_FILENAME, &options.out, "Keep the new files there", "DIR" },
    { NULL },
  };
  int status = BATCH_DONE;
  if (!batch_parse(
        &argc, &argv, "RECORD.json",
        "Repeats the run of a record, as it was asked for, and compares the SHA-256 of every file: 0 when all are "
        "the same. The inputs must be where the record says.",
        entries, &status))
    return status;
  if (argc != 2)
    return batch_fail(BATCH_USAGE, "rerun takes one record; see vitrail-batch rerun --help.");
  if (options.out && !*options.out)
    return batch_fail(BATCH_USAGE, "--out needs the name of a folder.");
  g_autoptr(GError) error = NULL;
  g_autoptr(JsonObject) record = batch_record_load(argv[1], &error);
  g_autofree char *made = record && !options.out ? g_dir_make_tmp("vitrail-rerun-XXXXXX", &error) : NULL;
  const char *out = made ? made : options.out;
  const BatchRerun rerun = { options.backend, options.memory, out, options.threads };
  g_autoptr(GPtrArray) words = record && out ? batch_record_make_words(record, argv[1], &rerun, &error) : NULL;
  if (!words) {
    if (made)
      g_rmdir(made);
    return batch_fail(BATCH_FAILED, "%s%s",
                      record && !out ? "No folder can be made for the new files; --out names one. " : "",
                      error->message);
  }
  g_autofree gpointer *copy = g_memdup2(words->pdata, words->len * sizeof(gpointer)); /* parsing takes words out */
  status = batch_run((int)words->len - 1, (char **)copy);
  compare_inputs(record);
  if (status == BATCH_DONE)
    status = finish(record, out);
  if (made)
    remove_folder(made);
  return status;
}
