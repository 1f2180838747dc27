/* SPDX-License-Identifier: MIT */
#include "batch-record.h"

#include "base/vt-file-private.h"
#include "plugins/vt-params.h"
#include "results/vt-surroundings.h"

/* --- its parameters --- */

static void
append_value(GString *text, JsonNode *node)
{
  if (JSON_NODE_HOLDS_ARRAY(node)) {
    JsonArray *array = json_node_get_array(node);
    for (guint i = 0; i < json_array_get_length(array); i++) {
      g_string_append(text, i > 0 ? "," : "");
      append_value(text, json_array_get_element(array, i));
    }
  } else if (JSON_NODE_HOLDS_VALUE(node) && json_node_get_value_type(node) == G_TYPE_STRING) {
    g_string_append(text, json_node_get_string(node));
  } else if (JSON_NODE_HOLDS_VALUE(node) && json_node_get_value_type(node) == G_TYPE_BOOLEAN) {
    g_string_append(text, json_node_get_boolean(node) ? "true" : "false");
  } else if (JSON_NODE_HOLDS_VALUE(node)) {
    vt_text_append_double(text, json_node_get_double(node));
  }
}

/* Instead of one of the same parameter. Takes the text. */
static void
put_setting(GPtrArray *all, char *setting)
{
  for (guint i = all->len; i-- > 0;)
    if (vt_params_is_same_key(all->pdata[i], setting))
      g_free(g_ptr_array_steal_index(all, i));
  g_ptr_array_add(all, setting);
}

/* Where memory ended the margin before everything was certain, the same again means that margin, whatever memory there is. */
static void
add_margin(JsonObject *record, JsonObject *params, GPtrArray *all)
{
  JsonObject *resolved = vt_json_get_object(record, "resolved");
  if (!resolved || g_strcmp0(vt_json_get_string(params, "context"), "exact") != 0)
    return;
  const double margin = vt_json_get_double(resolved, "context-px", -1);
  const double limit = vt_json_get_double(params, "context-limit", -1);
  if (!(margin >= 0 && margin < limit) || !(vt_json_get_double(resolved, "uncertain-px", 0) > 0))
    return;
  g_printerr(
    "vitrail-batch: As in the record, the margin is at most %.0f pixels; --set context-limit=%.0f allows more.\n",
    margin, limit);
  put_setting(all, g_strdup_printf("context-limit=%.0f", margin));
}

char **
batch_record_dup_set(const char *path, char *const *set)
{
  g_autoptr(GPtrArray) all = g_ptr_array_new();
  g_autoptr(JsonObject) record = vt_json_load_object(path, NULL); /* of one that can't be read, run says why */
  JsonObject *params =
    record && json_object_has_member(record, "program") ? vt_json_get_object(record, "params") : NULL;
  g_autoptr(GList) keys = params ? json_object_get_members(params) : NULL;
  for (GList *link = keys; link; link = link->next) {
    g_autoptr(GString) text = g_string_new(link->data);
    g_string_append_c(text, '=');
    append_value(text, json_object_get_member(params, link->data));
    g_ptr_array_add(all, g_strdup(text->str));
  }
  if (keys)
    add_margin(record, params, all);
  for (; set && *set; set++)
    put_setting(all, g_strdup(*set));
  g_ptr_array_add(all, NULL);
  return (char **)g_ptr_array_free(g_steal_pointer(&all), FALSE);
}

/* --- its regions --- */

static double
get_number(JsonObject *object, const char *name, double initial)
{
  JsonNode *node = object ? json_object_get_member(object, name) : NULL;
  return node && JSON_NODE_HOLDS_VALUE(node) ? json_node_get_double(node) : initial;
}

guint
batch_record_count_parts(JsonObject *record)
{
  JsonArray *regions = vt_json_get_array(record, "regions");
  return regions ? json_array_get_length(regions) : 1;
}

JsonObject *
batch_record_get_part(JsonObject *record, guint index)
{
  JsonArray *regions = vt_json_get_array(record, "regions");
  JsonNode *node = regions && index < json_array_get_length(regions) ? json_array_get_element(regions, index) : NULL;
  return !regions ? record : node && JSON_NODE_HOLDS_OBJECT(node) ? json_node_get_object(node) : NULL;
}

double
batch_record_get_context(JsonObject *part)
{
  return get_number(vt_json_get_object(part, "resolved"), "context-px", -1);
}

/* --- a record as a command line --- */

JsonObject *
batch_record_load(const char *path, GError **error)
{
  g_autoptr(JsonObject) record = vt_json_load_object(path, error);
  const char *op = vt_json_get_string(record, "op");
  g_autofree char *shown = vt_error_dup_path(path);
  if (!record)
    return NULL;
  if (!op || *op == '\0' || *op == '-' || !vt_json_get_object(record, "contents")
      || !vt_json_get_object(record, "inputs"))
    g_set_error(error, VT_ERROR, VITRAIL_BAD_ARGUMENT,
                "%s is no record of a run, or of an older program: it holds no hashes of the files.", shown);
  else if (json_object_has_member(record, "drawn-rois-sha256"))
    g_set_error(error, VT_ERROR, VITRAIL_BAD_ARGUMENT,
                "%s is of a run on regions of interest that were drawn, and are in no file; save them, and run on the "
                "file.",
                shown);
  else
    return g_steal_pointer(&record);
  return NULL;
}

typedef struct {
  GPtrArray *words;
  const char *path; /* of the record, for errors */
  GError **error;
} Words;

static gboolean
lacks(const Words *self, const char *what)
{
  g_autofree char *shown = vt_error_dup_path(self->path);
  return vt_error_set(self->error, VITRAIL_BAD_ARGUMENT, "%s can't be repeated: it does not say %s.", shown, what);
}

/* The image of a slide without a name, so that it is opened as a slide again; everything else by its name. A path that looks like
 * an option, or like a name with a path, is written so that it is neither. */
static gboolean
add_inputs(const Words *self, JsonObject *record)
{
  JsonObject *inputs = vt_json_get_object(record, "inputs"), *source = vt_json_get_object(record, "source");
  const gboolean is_slide = g_strcmp0(vt_json_get_string(source, "kind"), "slide") == 0;
  const char *primary = is_slide ? vt_json_get_string(source, "input") : NULL;
  g_autoptr(GList) ids = json_object_get_members(inputs);
  for (GList *link = ids; link; link = link->next) {
    const char *id = link->data, *text = vt_json_get_string(vt_json_get_object(inputs, id), "path");
    g_autofree char *path = text ? vt_path_dup_of_text(text) : NULL;
    if (!path || *path == '\0' || *id == '\0' || *id == '-')
      return lacks(self, "where each of the inputs is");
    g_ptr_array_add(self->words, g_strcmp0(id, primary) != 0 ? g_strdup_printf("%s=%s", id, path)
                                 : g_path_is_absolute(path)  ? g_strdup(path)
                                                             : g_strconcat("./", path, NULL));
  }
  return TRUE;
}

/* Where its labels lie. */
static gboolean
add_place(const Words *self, JsonObject *record)
{
  JsonObject *inputs = vt_json_get_object(record, "inputs");
  g_autoptr(GList) ids = json_object_get_members(inputs);
  for (GList *link = ids; link; link = link->next) {
    JsonObject *input = vt_json_get_object(inputs, link->data);
    if (!input || !json_object_has_member(input, "place"))
      continue;
    g_autoptr(GString) text = g_string_new("--place=");
    append_value(text, json_object_get_member(input, "place"));
    JsonNode *by_piece = json_object_get_member(input, "by-piece");
    if (by_piece && JSON_NODE_HOLDS_VALUE(by_piece) && json_node_get_boolean(by_piece))
      g_string_append(text, ",pieces");
    g_ptr_array_add(self->words, g_string_free(g_steal_pointer(&text), FALSE));
  }
  return TRUE;
}

static gboolean
add_region(const Words *self, JsonObject *part)
{
  JsonArray *region = vt_json_get_array(part, "region");
  const char *name = vt_json_get_string(part, "name");
  g_autoptr(GString) text = g_string_new("--region=");
  if (name)
    g_string_append_printf(text, "%s=", name);
  if (!region || json_array_get_length(region) != 4)
    return lacks(self, "which region it is of");
  for (guint i = 0; i < 4; i++) {
    JsonNode *number = json_array_get_element(region, i);
    if (!JSON_NODE_HOLDS_VALUE(number) || json_node_get_value_type(number) != G_TYPE_INT64)
      return lacks(self, "which region it is of");
    g_string_append_printf(text, "%s%" G_GINT64_FORMAT, i > 0 ? "," : "", json_node_get_int(number));
  }
  g_ptr_array_add(self->words, g_string_free(g_steal_pointer(&text), FALSE));
  return TRUE;
}

static gboolean
add_stages(const Words *self, JsonObject *part)
{
  JsonArray *stages = vt_json_get_array(part, "stages");
  g_autoptr(GString) text = g_string_new("--stages=");
  if (!stages)
    return lacks(self, "which stages were asked for");
  for (guint i = 0; i < json_array_get_length(stages); i++) {
    JsonNode *node = json_array_get_element(stages, i);
    JsonObject *stage = JSON_NODE_HOLDS_OBJECT(node) ? json_node_get_object(node) : NULL;
    const char *id = vt_json_get_string(stage, "id");
    JsonNode *emitted = stage ? json_object_get_member(stage, "emitted") : NULL;
    if (!id || *id == '\0')
      return lacks(self, "which stages were asked for");
    if (emitted && JSON_NODE_HOLDS_VALUE(emitted) && json_node_get_boolean(emitted))
      g_string_append_printf(text, "%s%s", g_str_has_suffix(text->str, "=") ? "" : ",", id);
  }
  g_ptr_array_add(self->words, g_string_free(g_steal_pointer(&text), FALSE));
  return TRUE;
}

static void
add_option(const Words *self, const char *name, const char *value)
{
  if (value)
    g_ptr_array_add(self->words, g_strdup_printf("--%s=%s", name, value));
}

/* How far the search for context got depended on the memory: it ends there again. NULL: nothing depended on it. Owned. */
static char *
dup_context(JsonObject *record)
{
  double limit = -1;
  if (g_strcmp0(vt_json_get_string(vt_json_get_object(record, "params"), "context"), "exact") != 0)
    return NULL;
  for (guint i = 0; i < batch_record_count_parts(record); i++)
    limit = MAX(limit, batch_record_get_context(batch_record_get_part(record, i)));
  return limit < 0 ? g_strdup("context=region") : g_strdup_printf("context-limit=%.0f", limit);
}

/* run takes the other parameters of a recipe from the record itself. */
static void
add_settings(const Words *self, JsonObject *record)
{
  char *const context[] = { dup_context(record), NULL };
  g_auto(GStrv) set =
    json_object_has_member(record, "recipe") ? g_strdupv((char **)context) : batch_record_dup_set(self->path, context);
  for (char **one = set; *one; one++)
    add_option(self, "set", *one);
  g_free(context[0]);
}

/* The thresholds by which objects were classified. */
static gboolean
add_intensity(const Words *self, JsonObject *record)
{
  JsonObject *intensity = vt_json_get_object(record, "intensity");
  JsonArray *thresholds = intensity ? vt_json_get_array(intensity, "thresholds") : NULL;
  const char *measurement = intensity ? vt_json_get_string(intensity, "measurement") : NULL;
  if (!intensity)
    return TRUE;
  if (!measurement || !thresholds)
    return lacks(self, "by which thresholds its objects were classified");
  g_autoptr(GString) text = g_string_new(measurement);
  for (guint i = 0; i < json_array_get_length(thresholds); i++) {
    g_string_append_c(text, i == 0 ? ':' : ',');
    append_value(text, json_array_get_element(thresholds, i));
  }
  add_option(self, "intensity", text->str);
  return TRUE;
}

static gboolean
has_neighbours(JsonObject *record)
{
  JsonObject *surroundings = vt_json_get_object(record, "surroundings");
  JsonArray *columns = surroundings ? vt_json_get_array(surroundings, "columns") : NULL;
  for (guint i = 0; columns && i < json_array_get_length(columns); i++)
    if (g_strcmp0(json_node_get_string(json_array_get_element(columns, i)), VT_DELAUNAY_COLUMN) == 0)
      return TRUE;
  return FALSE;
}

/* What the record asked for. */
static gboolean
add_request(const Words *self, JsonObject *record)
{
  const gboolean has_recipe = json_object_has_member(record, "recipe");
  char number[G_ASCII_DTOSTR_BUF_SIZE];
  g_ptr_array_add(self->words, g_strdup("run"));
  g_ptr_array_add(self->words, g_strdup(has_recipe ? self->path : vt_json_get_string(record, "op")));
  if (!add_inputs(self, record) || !add_place(self, record))
    return FALSE;
  const gboolean has_rois = json_object_has_member(vt_json_get_object(record, "inputs"), "rois"); /* the regions */
  for (guint i = 0; i < batch_record_count_parts(record) && !has_rois; i++)
    if (!add_region(self, batch_record_get_part(record, i)))
      return FALSE;
  if (!add_stages(self, batch_record_get_part(record, 0)))
    return FALSE;
  add_settings(self, record);
  if (!add_intensity(self, record))
    return FALSE;
  if (has_neighbours(record))
    g_ptr_array_add(self->words, g_strdup("--neighbours"));
  if (json_object_has_member(record, "taught"))
    add_option(self, "model", self->path);
  add_option(self, "format", vt_json_get_string(record, "format"));
  add_option(self, "compression", vt_json_get_string(record, "compression"));
  add_option(self, "min-downsample", g_ascii_dtostr(number, sizeof number, get_number(record, "min-downsample", 1)));
  return TRUE;
}

/* JSON can write half a surrogate pair, of which json-glib makes bytes that are no text. Names of files may be such bytes. */
static gboolean
are_text(const Words *self, const char *op)
{
  gboolean are = !op || g_utf8_validate(op, -1, NULL);
  for (guint i = 0; i < self->words->len; i++) {
    const char *word = self->words->pdata[i];
    are = are && (*word != '-' || g_utf8_validate(word, -1, NULL));
  }
  return are || lacks(self, "all of its texts in UTF-8");
}

GPtrArray *
batch_record_make_words(JsonObject *record, const char *path, const BatchRerun *rerun, GError **error)
{
  g_autoptr(GPtrArray) words = g_ptr_array_new_with_free_func(g_free);
  const Words self = { words, path, error };
  if (!add_request(&self, record) || !are_text(&self, vt_json_get_string(record, "op")))
    return NULL;
  add_option(&self, "backend", rerun->backend);
  add_option(&self, "memory", rerun->memory);
  g_ptr_array_add(words, g_strdup_printf("--threads=%d", rerun->threads));
  add_option(&self, "out", rerun->out);
  g_ptr_array_add(words, NULL);
  return g_steal_pointer(&words);
}
