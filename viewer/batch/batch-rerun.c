/* SPDX-License-Identifier: MIT
 *
 * The same run again, from its record, and whether every byte is the same. */
#include <stdio.h>

#include "batch.h"

typedef struct {
  char *out, *backend, *memory;
  int threads;
} Options;

static void
options_clear(Options *options)
{
  g_free(options->out);
  g_free(options->backend);
  g_free(options->memory);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Options, options_clear)

static JsonObject *
get_object(JsonObject *object, const char *name)
{
  JsonNode *node = json_object_get_member(object, name);
  return node && JSON_NODE_HOLDS_OBJECT(node) ? json_node_get_object(node) : NULL;
}

static JsonArray *
get_array(JsonObject *object, const char *name)
{
  JsonNode *node = json_object_get_member(object, name);
  return node && JSON_NODE_HOLDS_ARRAY(node) ? json_node_get_array(node) : NULL;
}

static const char *
get_string(JsonObject *object, const char *name)
{
  JsonNode *node = object ? json_object_get_member(object, name) : NULL;
  return node && JSON_NODE_HOLDS_VALUE(node) ? json_node_get_string(node) : NULL;
}

static double
get_number(JsonObject *object, const char *name, double initial)
{
  JsonNode *node = object ? json_object_get_member(object, name) : NULL;
  return node && JSON_NODE_HOLDS_VALUE(node) ? json_node_get_double(node) : initial;
}

/* What a record says of each region; of one without a name, the record itself. */
static guint
count_parts(JsonObject *record)
{
  JsonArray *regions = get_array(record, "regions");
  return regions ? json_array_get_length(regions) : 1;
}

static JsonObject *
get_part(JsonObject *record, guint index)
{
  JsonArray *regions = get_array(record, "regions");
  JsonNode *node = regions && index < json_array_get_length(regions) ? json_array_get_element(regions, index) : NULL;
  return !regions ? record : node && JSON_NODE_HOLDS_OBJECT(node) ? json_node_get_object(node) : NULL;
}

static JsonObject *
read_record(const char *path, JsonParser *parser)
{
  g_autoptr(GError) error = NULL;
  if (!json_parser_load_from_file(parser, path, &error)) {
    batch_fail(BATCH_FAILED, "%s cannot be read: %s", path, error->message);
    return NULL;
  }
  JsonNode *root = json_parser_get_root(parser);
  JsonObject *record = root && JSON_NODE_HOLDS_OBJECT(root) ? json_node_get_object(root) : NULL;
  if (!record || !get_string(record, "op") || !get_object(record, "contents") || !get_object(record, "inputs"))
    batch_fail(BATCH_FAILED, "%s is no record of a run, or of an older program: it holds no hashes of the files.",
               path);
  else if (json_object_has_member(record, "drawn-rois-sha256"))
    batch_fail(BATCH_FAILED,
               "%s is of a run on regions of interest that were drawn, and are in no file; save them, and run on the "
               "file.",
               path);
  else
    return record;
  return NULL;
}

/* The image of a slide without a name, so that it is opened as a slide again; everything else by its name. */
static void
add_inputs(GPtrArray *words, JsonObject *record)
{
  JsonObject *inputs = get_object(record, "inputs"), *source = get_object(record, "source");
  const char *primary = g_strcmp0(get_string(source, "kind"), "slide") == 0 ? get_string(source, "input") : NULL;
  g_autoptr(GList) ids = json_object_get_members(inputs);
  for (GList *link = ids; link; link = link->next) {
    const char *path = get_string(get_object(inputs, link->data), "path");
    g_ptr_array_add(words, g_strcmp0(link->data, primary) == 0
                             ? g_strdup(path ? path : "")
                             : g_strdup_printf("%s=%s", (char *)link->data, path ? path : ""));
  }
}

static void
add_region(GPtrArray *words, JsonObject *part)
{
  JsonArray *region = part ? get_array(part, "region") : NULL;
  const char *name = get_string(part, "name");
  g_autoptr(GString) text = g_string_new("--region=");
  if (name)
    g_string_append_printf(text, "%s=", name);
  for (guint i = 0; region && i < json_array_get_length(region); i++) {
    JsonNode *number = json_array_get_element(region, i);
    g_string_append_printf(text, "%s%" G_GINT64_FORMAT, i > 0 ? "," : "",
                           JSON_NODE_HOLDS_VALUE(number) ? json_node_get_int(number) : 0);
  }
  g_ptr_array_add(words, g_strdup(text->str));
}

static void
add_stages(GPtrArray *words, JsonObject *part)
{
  JsonArray *stages = part ? get_array(part, "stages") : NULL;
  g_autoptr(GString) text = g_string_new("--stages=");
  for (guint i = 0; stages && i < json_array_get_length(stages); i++) {
    JsonNode *node = json_array_get_element(stages, i);
    JsonObject *stage = JSON_NODE_HOLDS_OBJECT(node) ? json_node_get_object(node) : NULL;
    if (stage && json_object_get_boolean_member_with_default(stage, "emitted", FALSE))
      g_string_append_printf(text, "%s%s", g_str_has_suffix(text->str, "=") ? "" : ",", get_string(stage, "id"));
  }
  g_ptr_array_add(words, g_strdup(text->str));
}

/* Pixels of context outside of a part; -1: it took none, since memory had no room to look for them. */
static double
get_context(JsonObject *part)
{
  return get_number(part ? get_object(part, "resolved") : NULL, "context-px", -1);
}

/* How far the search for context got depended on the memory: it ends there again. */
static void
add_context(GPtrArray *words, JsonObject *record)
{
  double limit = -1;
  if (g_strcmp0(get_string(get_object(record, "params"), "context"), "exact") != 0)
    return;
  for (guint i = 0; i < count_parts(record); i++)
    limit = MAX(limit, get_context(get_part(record, i)));
  g_ptr_array_add(words,
                  limit < 0 ? g_strdup("--set=context=region") : g_strdup_printf("--set=context-limit=%.0f", limit));
}

/* The command line of `vitrail-batch run` that does it. */
static GPtrArray *
make_words(const Options *options, JsonObject *record, const char *path, const char *out)
{
  GPtrArray *words = g_ptr_array_new_with_free_func(g_free);
  const gboolean has_recipe = json_object_has_member(record, "recipe");
  g_auto(GStrv) set = has_recipe ? NULL : batch_recipe_dup_set(path, NULL); /* run takes those of a recipe itself */
  const char *op = get_string(record, "op");
  char number[G_ASCII_DTOSTR_BUF_SIZE];
  g_ptr_array_add(words, g_strdup("run"));
  g_ptr_array_add(words, g_strdup(has_recipe || !op ? path : op));
  add_inputs(words, record);
  const gboolean has_rois = json_object_has_member(get_object(record, "inputs"), "rois"); /* they are the regions */
  for (guint i = 0; i < count_parts(record) && !has_rois; i++)
    add_region(words, get_part(record, i));
  add_stages(words, get_part(record, 0));
  for (char **one = set; one && *one; one++)
    g_ptr_array_add(words, g_strconcat("--set=", *one, NULL));
  add_context(words, record);
  g_ascii_dtostr(number, sizeof number, get_number(record, "min-downsample", 1));
  g_ptr_array_add(words, g_strconcat("--min-downsample=", number, NULL));
  if (options->backend)
    g_ptr_array_add(words, g_strconcat("--backend=", options->backend, NULL));
  if (options->memory)
    g_ptr_array_add(words, g_strconcat("--memory=", options->memory, NULL));
  g_ptr_array_add(words, g_strdup_printf("--threads=%d", options->threads));
  g_ptr_array_add(words, g_strconcat("--out=", out, NULL));
  g_ptr_array_add(words, NULL);
  return words;
}

/* How many of the files differ; each is said. */
static int
compare(JsonObject *before, JsonObject *after)
{
  JsonObject *old = get_object(before, "contents"), *new = get_object(after, "contents");
  g_autoptr(GList) names = old ? json_object_get_members(old) : NULL;
  int n_other = 0;
  for (GList *link = names; link; link = link->next) {
    const char *was = get_string(get_object(old, link->data), "sha256");
    const char *is = new ? get_string(get_object(new, link->data), "sha256") : NULL;
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
  JsonObject *inputs = get_object(record, "inputs");
  g_autoptr(GList) ids = json_object_get_members(inputs);
  for (GList *link = ids; link; link = link->next) {
    JsonObject *input = get_object(inputs, link->data);
    const char *path = get_string(input, "path"), *was = get_string(input, "sha256");
    guint64 bytes = 0;
    g_autofree char *is = path ? vt_file_dup_known_sha256(path, &bytes, NULL) : NULL;
    if (!was || !is)
      g_printerr("vitrail-batch: Whether %s is the same file can't be said: %s.\n", path ? path : (char *)link->data,
                 was ? "it can't be read" : "the record has no hash of it");
    else if (!g_str_equal(was, is))
      g_printerr("vitrail-batch: %s is another file: its SHA-256 was %s, and is %s.\n", path, was, is);
  }
}

static void
compare_contexts(JsonObject *before, JsonObject *after)
{
  for (guint i = 0; i < count_parts(before); i++) {
    const double was = get_context(get_part(before, i)), is = get_context(get_part(after, i));
    if (was != is)
      g_printerr("vitrail-batch: The context of the region was %.0f pixels wide, and is %.0f, which is what --memory "
                 "allows.\n",
                 was, is);
  }
}

static int
finish(JsonObject *before, const char *dir)
{
  g_autofree char *path = g_build_filename(dir, "record.json", NULL);
  g_autoptr(JsonParser) parser = json_parser_new();
  JsonObject *after = read_record(path, parser);
  if (!after)
    return BATCH_FAILED;
  const int n_other = compare(before, after);
  if (n_other > 0)
    compare_contexts(before, after);
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
  g_autoptr(GError) error = NULL;
  g_autoptr(JsonParser) parser = json_parser_new();
  JsonObject *record = read_record(argv[1], parser);
  g_autofree char *made = record && !options.out ? g_dir_make_tmp("vitrail-rerun-XXXXXX", &error) : NULL;
  if (!record)
    return BATCH_FAILED;
  if (!options.out && !made)
    return batch_fail(BATCH_FAILED, "%s", error->message);
  g_autoptr(GPtrArray) words = make_words(&options, record, argv[1], made ? made : options.out);
  g_autofree gpointer *copy = g_memdup2(words->pdata, words->len * sizeof(gpointer)); /* parsing takes words out */
  status = batch_run((int)words->len - 1, (char **)copy);
  compare_inputs(record);
  if (status == BATCH_DONE)
    status = finish(record, made ? made : options.out);
  if (made)
    remove_folder(made);
  return status;
}
