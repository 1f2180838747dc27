/* SPDX-License-Identifier: MIT
 *
 * record.json: enough to run the same again, and to know what was run. */
#include <math.h>
#include <string.h>
#include <sys/resource.h>

#include "base/vt-json.h"
#include "results/vt-objects-save.h"
#include "run/vt-run-private.h"

static void
add_int_array(JsonBuilder *builder, const char *name, const gint64 *values, gsize n)
{
  vt_json_begin_array(builder, name);
  for (gsize i = 0; i < n; i++)
    json_builder_add_int_value(builder, values[i]);
  json_builder_end_array(builder);
}

static void
add_milliseconds(JsonBuilder *builder, const char *name, double value)
{
  vt_json_add_double(builder, name, round(value * 1000) / 1000);
}

static void
add_param(JsonBuilder *builder, const VtParams *params, guint index)
{
  const VitrailParam *param = params->op->params[index];
  const double *v = params->values[index];
  switch (param->type) {
  case VITRAIL_PARAM_INT: vt_json_add_int(builder, param->key, (gint64)v[0]); break;
  case VITRAIL_PARAM_BOOL: vt_json_add_boolean(builder, param->key, v[0] != 0); break;
  case VITRAIL_PARAM_CHOICE: vt_json_add_string(builder, param->key, param->choices[(guint)v[0]]); break;
  case VITRAIL_PARAM_VECTOR: vt_json_add_doubles(builder, param->key, 3, v); break;
  default: vt_json_add_double(builder, param->key, v[0]);
  }
}

static void
add_params(JsonBuilder *builder, const VtParams *params)
{
  vt_json_begin_object(builder, "params");
  for (guint i = 0; i < params->op->n_params; i++)
    add_param(builder, params, i);
  json_builder_end_object(builder);
}

/* OpenSlide's quickhash is of the smallest level and some properties: slides that differ in a tile may share it. */
static void
add_hash(JsonBuilder *builder, const VtRunInput *primary, const char *hash)
{
  const char *digits = g_str_has_prefix(hash, "sha256:") ? hash + strlen("sha256:") : NULL;
  if (primary->raster)
    vt_json_add_string(builder, "pixels-sha256", digits);
  else if (!digits)
    vt_json_add_string(builder, "quickhash-1", hash);
}

static void
add_source(JsonBuilder *builder, const VtRunState *state, const VtResult *result)
{
  const VtResultFull *full = (const VtResultFull *)result;
  const VtRunInput *primary = &state->inputs[state->primary];
  vt_json_begin_object(builder, "source");
  vt_json_add_string(builder, "name", result->source_name);
  vt_json_add_string(builder, "input", primary->abi.id);
  vt_json_add_string(builder, "kind", primary->raster ? "image" : "slide");
  add_hash(builder, primary, full->source_hash);
  vt_json_add_int(builder, "width", primary->abi.width_l0);
  vt_json_add_int(builder, "height", primary->abi.height_l0);
  if (result->calibrated)
    vt_json_add_doubles(builder, "mpp", 2, (double[]){ full->mpp_x, full->mpp_y });
  else
    vt_json_add_string(builder, "mpp", NULL);
  json_builder_end_object(builder);
}

/* Sizes and hashes come when the record is saved. */
static void
add_inputs(JsonBuilder *builder, const VtRunState *state, const VtResultFull *full)
{
  const VtRunInput *primary = &state->inputs[state->primary];
  g_autoptr(GList) ids = g_list_sort(g_hash_table_get_keys(full->inputs), (GCompareFunc)g_strcmp0);
  vt_json_begin_object(builder, "inputs");
  for (GList *link = ids; link; link = link->next) {
    g_autofree char *path = vt_path_dup_text(g_hash_table_lookup(full->inputs, link->data));
    vt_json_begin_object(builder, link->data);
    vt_json_add_string(builder, "path", path);
    const VtPlacedLabels *labels = state->request->params->labels;
    if (labels && g_str_equal(labels->path, g_hash_table_lookup(full->inputs, link->data))) {
      const double place[] = { labels->place.x_l0, labels->place.y_l0, labels->place.downsample };
      vt_json_add_doubles(builder, "place", 3, place);
      vt_json_add_boolean(builder, "by-piece", !labels->labels);
    }
    if (primary->slide && g_str_equal(link->data, primary->abi.id) && vt_slide_has_more_files(primary->slide))
      vt_json_add_string(builder, "sha256-is-of", "this file; the slide has others, which it does not cover");
    json_builder_end_object(builder);
  }
  json_builder_end_object(builder);
  g_autofree char *rois = full->drawn_rois ? vt_rois_dup_sha256(state->request->rois) : NULL;
  if (rois)
    vt_json_add_string(builder, "drawn-rois-sha256", rois);
}

char *
vt_result_dup_changed(const VtResult *result)
{
  const VtResultFull *full = (const VtResultFull *)result;
  g_autofree char *state = full->slide_path ? vt_file_dup_state(full->slide_path) : NULL;
  if (!state || g_str_equal(state, full->slide_state))
    return NULL;
  return g_strdup_printf("%s has changed since it was opened, so nobody knows which pixels were analysed",
                         result->source_name);
}

static void
add_warning(JsonObject *record, const char *sentence)
{
  json_array_add_string_element(json_object_get_array_member(record, "warnings"), sentence);
}

void
vt_record_add_inputs(const VtResult *result)
{
  JsonObject *record = json_node_get_object(result->record), *inputs = json_object_get_object_member(record, "inputs");
  const VtResultFull *full = (const VtResultFull *)result;
  g_autofree char *changed = vt_result_dup_changed(result);
  GHashTableIter iter;
  gpointer id = NULL, path = NULL;
  g_hash_table_iter_init(&iter, full->inputs);
  while (g_hash_table_iter_next(&iter, &id, &path)) {
    if (changed && g_str_equal(path, full->slide_path)) {
      g_autofree char *text = g_strdup_printf("The record has no hash of an input: %s.", changed);
      add_warning(record, text);
      continue;
    }
    JsonObject *input = json_object_get_object_member(inputs, id);
    guint64 bytes = 0;
    g_autoptr(GError) error = NULL;
    g_autofree char *sha256 = vt_file_dup_known_sha256(path, &bytes, &error);
    if (sha256) {
      json_object_set_int_member(input, "bytes", (gint64)bytes);
      json_object_set_string_member(input, "sha256", sha256);
    } else {
      g_autofree char *text = g_strdup_printf("The record has no hash of an input: %s", error->message);
      add_warning(record, text);
    }
  }
}

/* A stage may be worked out for the sake of a later one only. */
static gboolean
is_emitted(const VtResult *result, guint stage)
{
  switch (result->op->stages[stage]->kind) {
  case VITRAIL_STAGE_OBJECTS: return result->objects != NULL;
  case VITRAIL_STAGE_ROWS: return result->rows != NULL;
  default: return result->rasters[stage] != NULL || result->files[stage];
  }
}

static void
add_stages(JsonBuilder *builder, const VtResult *result, GArray *const *stage_runs_ms)
{
  vt_json_begin_array(builder, "stages");
  for (guint i = 0; i < result->op->n_stages; i++) {
    if (isnan(result->stage_ms[i]) && !result->rasters[i] && !result->files[i])
      continue;
    json_builder_begin_object(builder);
    vt_json_add_string(builder, "id", result->op->stages[i]->id);
    vt_json_add_boolean(builder, "emitted", is_emitted(result, i));
    add_milliseconds(builder, "ms", result->stage_ms[i]);
    if (stage_runs_ms[i]->len > 1)
      add_milliseconds(builder, "min", g_array_index(stage_runs_ms[i], double, 0));
    json_builder_end_object(builder);
  }
  json_builder_end_array(builder);
}

static char *
dup_date(void)
{
  const char *epoch = g_getenv("SOURCE_DATE_EPOCH");
  g_autoptr(GDateTime) now =
    epoch ? g_date_time_new_from_unix_utc(g_ascii_strtoll(epoch, NULL, 10)) : g_date_time_new_now_utc();
  return now ? g_date_time_format(now, "%Y-%m-%dT%H:%M:%SZ") : NULL;
}

static void
add_count(JsonBuilder *builder, const char *name, const GPtrArray *list)
{
  if (list)
    vt_json_add_int(builder, name, list->len);
}

/* Of the process, with the program, its libraries and threads. */
static void
add_memory_peak(JsonBuilder *builder)
{
  struct rusage usage;
  if (getrusage(RUSAGE_SELF, &usage) != 0)
    return;
#ifdef __APPLE__
  const gint64 unit = 1;
#else
  const gint64 unit = 1024;
#endif
  vt_json_add_int(builder, "process-memory-peak-bytes", usage.ru_maxrss * unit);
}

/* As they were asked for: what memory holds bounds the context of a region, and says whether a mask of what is certain can be made. */
static void
add_budgets(JsonBuilder *builder, const VtRunRequest *request)
{
  if (request->memory_budget > 0)
    vt_json_add_int(builder, "memory-bytes", (gint64)request->memory_budget);
  if (request->device_budget > 0)
    vt_json_add_int(builder, "device-memory-bytes", (gint64)request->device_budget);
  if (request->ranks)
    vt_json_add_int(builder, "ranks", request->ranks->n_ranks);
}

static void
add_work(JsonBuilder *builder, const VtRunState *state, const VtResult *result, GArray *runs_ms,
         GArray *const *stage_runs_ms)
{
  g_autofree char *date = dup_date();
  vt_json_add_string(builder, "backend", result->backend);
  vt_json_add_string(builder, "device", result->device);
  vt_json_add_int(builder, "host-threads", state->n_threads);
  vt_json_add_int(builder, "tile", state->request->tile_px);
  vt_json_add_double(builder, "min-downsample", state->request->min_downsample);
  add_budgets(builder, state->request);
  if (state->request->scratch_dir)
    add_memory_peak(builder);
  add_stages(builder, result, stage_runs_ms);
  add_count(builder, "objects", result->objects);
  add_count(builder, "rows", result->rows);
  add_milliseconds(builder, "milliseconds", result->total_ms);
  vt_json_add_int(builder, "repeat", runs_ms->len);
  vt_json_add_strings(builder, "warnings", result->warnings->len, (const char *const *)result->warnings->pdata);
  vt_json_add_string(builder, "date", date);
}

/* What vt_result_save() writes beside the record. */
static void
add_names(JsonBuilder *builder, const VtResult *result)
{
  g_autoptr(GPtrArray) names = vt_result_list_files(result);
  vt_json_add_strings(builder, "files", names->len, (const char *const *)names->pdata);
}

/* As --format takes them, and who wrote the objects. */
static void
add_formats(JsonBuilder *builder, const VtResult *result)
{
  g_autoptr(GString) words = g_string_new(result->ome_tiff ? ",ome-tiff" : NULL);
  vt_objects_formats_append_words(words, result->objects_formats);
  if (words->len > 0)
    vt_json_add_string(builder, "format", words->str + 1);
  const VtObjectsModule *module = result->objects_formats ? vt_objects_module_get(NULL) : NULL;
  if (module)
    vt_json_add_string(builder, "gdal", module->version);
  if (module && module->arrow)
    vt_json_add_string(builder, "arrow", module->arrow);
}

JsonNode *
vt_record_make(const VtRunState *state, const VtResult *result, GArray *runs_ms, GArray *const *stage_runs_ms)
{
  g_autoptr(JsonBuilder) builder = json_builder_new();
  const gint64 region[] = { result->x_l0, result->y_l0, result->width_l0, result->height_l0 };
  json_builder_begin_object(builder);
  vt_json_add_string(builder, "program", "vitrail");
  vt_json_add_string(builder, "version", VT_VERSION);
  vt_record_add_build(builder);
  vt_json_begin_object(builder, "plugin");
  vt_json_add_string(builder, "id", state->request->plugin->id);
  vt_json_add_string(builder, "version", state->request->plugin->version);
  json_builder_end_object(builder);
  vt_json_add_string(builder, "op", state->op->id);
  if (vt_op_get_recipe(state->op)) {
    json_builder_set_member_name(builder, "recipe");
    json_builder_add_value(builder, vt_recipe_to_json(vt_recipe_get(vt_op_get_recipe(state->op)), NULL, NULL));
  }
  g_autofree char *digest = vt_run_request_dup_digest(state->request);
  vt_json_add_string(builder, "request", digest);
  add_params(builder, state->request->params);
  if (state->request->params->taught) {
    json_builder_set_member_name(builder, "taught");
    json_builder_add_value(builder, json_from_string(state->request->params->taught->text, NULL));
  }
  JsonNode *facts = json_node_new(JSON_NODE_OBJECT);
  json_node_set_object(facts, state->facts);
  json_builder_set_member_name(builder, "resolved");
  json_builder_add_value(builder, facts);
  add_source(builder, state, result);
  add_inputs(builder, state, (const VtResultFull *)result);
  add_int_array(builder, "region", region, G_N_ELEMENTS(region));
  add_names(builder, result);
  add_formats(builder, result);
  if (result->compression == VT_COMPRESSION_ZSTD)
    vt_json_add_string(builder, "compression", "zstd");
  add_work(builder, state, result, runs_ms, stage_runs_ms);
  json_builder_end_object(builder);
  return json_builder_get_root(builder);
}

/* --- several regions --- */

/* What differs between the regions of a run; the rest is the same. */
static const char *const of_region[] = { "request", "resolved", "region",       "files",  "stages",
                                         "objects", "rows",     "milliseconds", "repeat", "warnings" };

static JsonObject *
make_part(const VtResult *part, guint number)
{
  JsonObject *own = json_object_new(), *record = json_node_get_object(part->record);
  json_object_set_string_member(own, "name", part->region->name);
  for (guint i = 0; i < G_N_ELEMENTS(of_region); i++)
    if (json_object_has_member(record, of_region[i]))
      json_object_set_member(own, of_region[i], json_object_dup_member(record, of_region[i]));
  g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
  JsonArray *files = json_array_new();
  vt_result_list_pictures(part, number, names);
  for (guint i = 0; i < names->len; i++)
    json_array_add_string_element(files, names->pdata[i]);
  json_object_set_array_member(own, "files", files);
  return own;
}

static JsonArray *
make_warnings(const VtResult *result)
{
  JsonArray *list = json_array_new();
  for (guint i = 0; i < result->warnings->len; i++) {
    g_autofree char *names = vt_result_dup_warned(result, result->warnings->pdata[i]);
    g_autofree char *text = g_strconcat(names ? names : "", names ? ": " : "", result->warnings->pdata[i], NULL);
    json_array_add_string_element(list, text);
  }
  return list;
}

JsonNode *
vt_record_join(const VtResult *result)
{
  const VtResult *last = result->parts->pdata[result->parts->len - 1];
  JsonNode *root = json_node_new(JSON_NODE_OBJECT);
  JsonObject *record = json_object_new(), *shared = json_node_get_object(last->record);
  g_autoptr(GList) members = json_object_get_members(shared);
  for (GList *link = members; link; link = link->next)
    json_object_set_member(record, link->data, json_object_dup_member(shared, link->data));
  for (guint i = 0; i < G_N_ELEMENTS(of_region); i++)
    json_object_remove_member(record, of_region[i]);
  g_autoptr(GPtrArray) names = vt_result_list_files(result);
  JsonArray *files = json_array_new(), *regions = json_array_new();
  for (guint i = 0; i < names->len; i++)
    json_array_add_string_element(files, names->pdata[i]);
  for (guint i = 0; i < result->parts->len; i++)
    json_array_add_object_element(regions, make_part(result->parts->pdata[i], i + 1));
  json_object_set_array_member(record, "files", files);
  if (result->objects)
    json_object_set_int_member(record, "objects", result->objects->len);
  if (result->rows)
    json_object_set_int_member(record, "rows", result->rows->len);
  json_object_set_double_member(record, "milliseconds", round(result->total_ms * 1000) / 1000);
  json_object_set_array_member(record, "warnings", make_warnings(result));
  json_object_set_array_member(record, "regions", regions);
  json_node_take_object(root, record);
  return root;
}

gboolean
vt_result_has_kept(const VtResult *result, guint stage)
{
  JsonNode *facts = result->record ? json_object_get_member(json_node_get_object(result->record), "resolved") : NULL;
  const char *kept =
    facts ? json_object_get_string_member_with_default(json_node_get_object(facts), "kept-stages", "") : "";
  g_auto(GStrv) ids = g_strsplit(kept, ",", -1);
  return g_strv_contains((const char *const *)ids, result->op->stages[stage]->id);
}
