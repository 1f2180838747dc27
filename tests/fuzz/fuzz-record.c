/* SPDX-License-Identifier: MIT
 *
 * record.json: taken as a request, as a statement on the files beside it, and as a list of what may be overwritten. Whatever a file
 * says, it is refused with a sentence, or becomes words that no option hides in. */
#include <glib/gstdio.h>
#include <stdlib.h>
#include <string.h>

#include "batch-record.h"
#include "fuzz.h"
#include "run/vt-run.h"

size_t
vt_fuzz_seed(unsigned index, uint8_t *data)
{
  static const char *const seeds[] = {
    "{\"program\":\"vitrail\",\"op\":\"nuclei-threshold\",\"request\":\"sha256:00\",\"params\":{\"radius\":2.5,"
    "\"context\":"
    "\"exact\","
    "\"context-limit\":512,\"stain\":[0.65,0.7,0.29],\"fill\":true},\"resolved\":{\"context-px\":64,\"uncertain-px\":3}"
    ","
    "\"source\":{\"name\":\"a.svs\",\"input\":\"image\",\"kind\":\"slide\",\"mpp\":[0.5,0.5]},\"inputs\":{\"image\":{"
    "\"path\":\"/a.svs\",\"sha256\":\"00\"},\"mask\":{\"path\":\"m.tif\",\"sha256\":\"11\"}},\"region\":[0,0,300,200],"
    "\"files\":[\"mask.tif\",\"overlay.png\"],\"min-downsample\":1,\"stages\":[{\"id\":\"mask\",\"emitted\":true},{"
    "\"id\":"
    "\"labels\",\"emitted\":false}],\"contents\":{\"mask.tif\":{\"bytes\":7,\"sha256\":\"00\"}}}",
    "{\"program\":\"vitrail\",\"op\":\"distance\",\"params\":{},\"contents\":{},\"inputs\":{\"image\":{\"path\":\"-x=y."
    "png\"}"
    "},\"source\":{\"input\":\"image\",\"kind\":\"slide\"},\"regions\":[{\"name\":\"a=b\",\"region\":[1,2,3,4],"
    "\"stages\":[],"
    "\"resolved\":{\"context-px\":8}},{\"name\":\"c\",\"region\":[5,6,7,8],\"stages\":[],\"files\":[]}],\"files\":[]}",
    "{\"program\":\"vitrail\",\"op\":\"distance\",\"params\":{\"context\":\"exact\",\"context-limit\":[512]},"
    "\"resolved\":{\"context-px\":[8],\"uncertain-px\":{}},\"contents\":{},\"inputs\":{},\"source\":{},"
    "\"stages\":[],\"files\":[]}",
    "{\"program\":\"vitrail\",\"op\":\"mine\",\"recipe\":{\"vitrail-recipe\":1,\"id\":\"mine\"},\"contents\":{},"
    "\"inputs\":{"
    "\"image\":{\"path\":\"/a.svs\"},\"rois\":{\"path\":\"/"
    "r.geojson\"}},\"source\":{\"kind\":\"image\"},\"stages\":[]}",
  };
  if (index >= G_N_ELEMENTS(seeds))
    return 0;
  memcpy(data, seeds[index], strlen(seeds[index]));
  return strlen(seeds[index]);
}

static char *folder = NULL;

static void
remove_folder(void)
{
  (void)g_rmdir(folder);
}

/* A folder of its own, since a record is read only if it is a regular file. */
static const char *
get_folder(void)
{
  if (!folder) {
    folder = g_dir_make_tmp("vitrail-fuzz-XXXXXX", NULL);
    atexit(remove_folder);
  }
  vt_fuzz_check(folder != NULL, "folder", NULL);
  return folder;
}

static gboolean
is_known(const char *word)
{
  static const char *const options[] = {
    "--region=", "--stages=", "--set=", "--min-downsample=", "--threads=", "--out="
  };
  for (gsize i = 0; i < G_N_ELEMENTS(options); i++)
    if (g_str_has_prefix(word, options[i]))
      return TRUE;
  return *word != '-' && *word != '\0';
}

static void
check_words(JsonObject *record, const char *path)
{
  const BatchRerun rerun = { .out = "/out" };
  g_autoptr(GError) error = NULL;
  g_autoptr(GPtrArray) words = batch_record_make_words(record, path, &rerun, &error);
  vt_fuzz_check((words != NULL) == (error == NULL), "neither words nor an error, or both", path);
  guint n_out = 0;
  for (guint i = 0; words && i + 1 < words->len; i++) {
    const char *word = words->pdata[i];
    vt_fuzz_check(is_known(word) && (*word != '-' || g_utf8_validate(word, -1, NULL)), "a word that was not asked for",
                  word);
    n_out += g_str_has_prefix(word, "--out=");
  }
  vt_fuzz_check(!words || n_out == 1, "another folder", NULL);
  for (guint i = 0; i < batch_record_count_parts(record); i++)
    (void)batch_record_get_context(batch_record_get_part(record, i));
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  static char *const none[] = { NULL };
  static const VitrailOp op = { .size = sizeof op, .id = "distance" };
  const VtRunRequest request = { .op = &op };
  g_autofree char *path = g_build_filename(get_folder(), "record.json", NULL);
  g_autoptr(GError) error = NULL;
  g_log_set_always_fatal(G_LOG_LEVEL_CRITICAL | G_LOG_LEVEL_WARNING | G_LOG_FATAL_MASK);
  vt_fuzz_check(g_file_set_contents_full(path, (const char *)data, (gssize)size, G_FILE_SET_CONTENTS_NONE, 0600, NULL),
                "file", path);
  g_autoptr(JsonObject) any = vt_json_load_object(path, &error);
  vt_fuzz_check((any != NULL) == (error == NULL), "neither read nor an error, or both", path);
  g_clear_error(&error);
  if (any)
    g_free(vt_result_dup_doubt(get_folder(), any));
  (void)vt_run_check_folder(&request, get_folder(), NULL);
  g_auto(GStrv) set = batch_record_dup_set(path, none);
  g_autoptr(JsonObject) record = batch_record_load(path, &error);
  vt_fuzz_check((record != NULL) == (error == NULL), "neither a record nor an error, or both", path);
  vt_fuzz_check(!record || any, "a record that is no object", path);
  if (record)
    check_words(record, path);
  g_unlink(path);
  return 0;
}
