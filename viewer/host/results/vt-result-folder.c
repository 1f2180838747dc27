/* SPDX-License-Identifier: MIT
 *
 * What a run may remove or overwrite in a folder: the files that an earlier run left there, which its record names. Nothing
 * else. */
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/vt-file-private.h"
#include "base/vt-json.h"
#include "base/vt-pool.h"
#include "results/vt-surroundings.h"
#include "run/vt-model.h"
#include "run/vt-objects-format.h"
#include "run/vt-run-private.h"

#define RECORD VT_FOLDER_LAST

char *
vt_result_dup_picture_name(const VitrailOp *op, guint stage, guint region, gboolean ome_tiff)
{
  const gboolean is_raster = stage < op->n_stages;
  const char *stem = !is_raster ? "overlay" : op->n_stages == 1 ? "result" : op->stages[stage]->id;
  const char *ending = !is_raster ? "png" : ome_tiff ? "ome.tif" : "tif";
  return region > 0 ? g_strdup_printf("%s-%u.%s", stem, region, ending) : g_strdup_printf("%s.%s", stem, ending);
}

void
vt_result_list_pictures(const VtResult *result, guint region, GPtrArray *names)
{
  for (guint i = 0; i < result->op->n_stages; i++)
    if (result->files[i] || result->rasters[i])
      g_ptr_array_add(names, vt_result_dup_picture_name(result->op, i, region, result->ome_tiff));
  g_ptr_array_add(names, vt_result_dup_picture_name(result->op, result->op->n_stages, region, result->ome_tiff));
}

static void
add_object_files(GPtrArray *names, guint formats)
{
  g_ptr_array_add(names, g_strdup("objects.geojson"));
  for (guint i = 0; i < VT_N_OBJECTS_FORMATS; i++)
    if (formats >> i & 1)
      g_ptr_array_add(names, g_strdup(vt_objects_format_get(i)->file));
}

GPtrArray *
vt_result_list_files(const VtResult *result)
{
  GPtrArray *names = g_ptr_array_new_with_free_func(g_free);
  if (!result->parts)
    vt_result_list_pictures(result, 0, names);
  for (guint i = 0; result->parts && i < result->parts->len; i++)
    vt_result_list_pictures(result->parts->pdata[i], i + 1, names);
  if (result->rows || result->objects)
    g_ptr_array_add(names, g_strdup("features.csv"));
  if (result->objects)
    add_object_files(names, result->objects_formats);
  if (result->classified && result->classified->intensity.n > 0)
    g_ptr_array_add(names, g_strdup("intensity.csv"));
  if (result->surroundings && result->surroundings->drawn)
    g_ptr_array_add(names, g_strdup(VT_BORDERS_FILE));
  return names;
}

static void
add_pictures(GPtrArray *names, const VtRunRequest *request, guint stage)
{
  for (guint i = 0; request->regions && i < request->regions->len; i++)
    g_ptr_array_add(names, vt_result_dup_picture_name(request->op, stage, i + 1, request->ome_tiff));
  if (!request->regions)
    g_ptr_array_add(names, vt_result_dup_picture_name(request->op, stage, 0, request->ome_tiff));
}

/* All that a run of the request could leave. */
static GPtrArray *
list_expected(const VtRunRequest *request)
{
  GPtrArray *names = g_ptr_array_new_with_free_func(g_free);
  const guint64 wanted = request->stages_wanted;
  gboolean has_table = FALSE, has_objects = FALSE;
  add_pictures(names, request, request->op->n_stages);
  for (guint i = 0; i < request->op->n_stages; i++) {
    const VitrailStage *stage = request->op->stages[i];
    if (wanted != 0 && !(wanted >> i & 1))
      continue;
    if (vt_stage_has_raster(stage))
      add_pictures(names, request, i);
    has_objects |= stage->kind == VITRAIL_STAGE_OBJECTS;
    has_table |= stage->kind == VITRAIL_STAGE_OBJECTS || stage->kind == VITRAIL_STAGE_ROWS;
  }
  if (has_table)
    g_ptr_array_add(names, g_strdup("features.csv"));
  if (has_objects)
    add_object_files(names, request->objects_formats);
  if (request->intensity)
    g_ptr_array_add(names, g_strdup("intensity.csv"));
  return names;
}

/* A record may come from anywhere: only what looks like a result is believed. */
static gboolean
is_result_name(const char *name)
{
  return !strchr(name, '/') && *name != '.'
         && (g_str_has_suffix(name, ".tif") || g_str_has_suffix(name, ".png") || g_str_has_suffix(name, ".csv")
             || g_str_has_suffix(name, ".geojson") || g_str_has_suffix(name, ".fgb")
             || g_str_has_suffix(name, ".parquet"));
}

/* Names of what a run has left. FALSE: there is a record.json, but not of a run. */
static gboolean
add_recorded(GHashTable *known, const char *dir)
{
  g_autofree char *path = g_build_filename(dir, RECORD, NULL);
  struct stat info;
  if (lstat(path, &info) != 0)
    return TRUE;
  g_autoptr(JsonObject) record = S_ISREG(info.st_mode) ? vt_json_load_object(path, NULL) : NULL;
  if (!record || g_strcmp0(vt_json_get_string(record, "program"), "vitrail") != 0)
    return FALSE;
  JsonArray *list = vt_json_get_array(record, "files");
  for (guint i = 0; list && i < json_array_get_length(list); i++) {
    JsonNode *node = json_array_get_element(list, i);
    const char *name = JSON_NODE_HOLDS_VALUE(node) ? json_node_get_string(node) : NULL;
    if (name && is_result_name(name))
      g_hash_table_add(known, g_strdup(name));
  }
  return TRUE;
}

static gboolean
is_same_file(const char *path, const struct stat *other)
{
  struct stat info;
  return stat(path, &info) == 0 && info.st_dev == other->st_dev && info.st_ino == other->st_ino;
}

static gboolean
check_input(const char *dir, GHashTable *known, const char *input, GError **error)
{
  GHashTableIter iter;
  gpointer name = NULL;
  struct stat info;
  if (!input || stat(input, &info) != 0)
    return TRUE;
  g_hash_table_iter_init(&iter, known);
  while (g_hash_table_iter_next(&iter, &name, NULL)) {
    g_autofree char *path = g_build_filename(dir, name, NULL), *shown = vt_error_dup_path(path);
    if (is_same_file(path, &info))
      return vt_error_set(
        error, VITRAIL_BAD_ARGUMENT,
        "%s is an input of this run, and a result of an earlier one that would be removed; choose another "
        "folder for the results.",
        shown);
  }
  return TRUE;
}

static gboolean
is_there(const char *dir, const char *name)
{
  struct stat info;
  g_autofree char *path = g_build_filename(dir, name, NULL);
  return lstat(path, &info) == 0;
}

static gboolean
check_strangers(const char *dir, GHashTable *known, gboolean is_ours, GPtrArray *names, GError **error)
{
  const char *stranger = is_ours ? NULL : RECORD;
  for (guint i = 0; i < names->len && !stranger; i++) {
    if (!g_hash_table_contains(known, g_ptr_array_index(names, i)) && is_there(dir, g_ptr_array_index(names, i)))
      stranger = g_ptr_array_index(names, i);
  }
  if (!stranger)
    return TRUE;
  g_autofree char *shown = vt_error_dup_path(dir), *name = vt_error_dup_path(stranger);
  return vt_error_set(
    error, VITRAIL_BAD_ARGUMENT,
    "%s holds %s, which no run is known to have left there and this one would overwrite; move it away, or "
    "choose another folder.",
    shown, name);
}

gboolean
vt_run_check_folder(const VtRunRequest *request, const char *dir, GError **error)
{
  g_autoptr(GPtrArray) names = list_expected(request);
  g_autoptr(GHashTable) known = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
  const gboolean is_ours = add_recorded(known, dir);
  GHashTableIter iter;
  gpointer path = NULL;
  if (!check_strangers(dir, known, is_ours, names, error))
    return FALSE;
  if (request->files)
    g_hash_table_iter_init(&iter, request->files);
  while (request->files && g_hash_table_iter_next(&iter, NULL, &path))
    if (!check_input(dir, known, path, error))
      return FALSE;
  return !request->slide || check_input(dir, known, vt_slide_get_path(request->slide), error);
}

/* What goes from the folder: what earlier runs have left there, and what has a name that the result will have. */
static GHashTable *
list_going(const VtResult *result, const char *dir)
{
  g_autoptr(GPtrArray) names = vt_result_list_files(result);
  GHashTable *known = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
  add_recorded(known, dir);
  for (guint i = 0; i < names->len; i++)
    g_hash_table_add(known, g_strdup(g_ptr_array_index(names, i)));
  return known;
}

GPtrArray *
vt_result_list_replaced(const VtResult *result, const char *dir)
{
  g_autoptr(GHashTable) going = list_going(result, dir);
  g_autoptr(GList) names = g_list_sort(g_hash_table_get_keys(going), (GCompareFunc)g_strcmp0);
  GPtrArray *found = g_ptr_array_new_with_free_func(g_free);
  names = g_list_prepend(names, (gpointer)RECORD);
  if (is_there(dir, VT_FOLDER_PENDING))
    g_ptr_array_add(found, g_strdup(VT_FOLDER_PENDING));
  for (GList *link = names; link; link = link->next)
    if (is_there(dir, link->data))
      g_ptr_array_add(found, g_strdup(link->data));
  return found;
}

static gint
compare_names(gconstpointer a, gconstpointer b)
{
  return g_strcmp0(*(char *const *)a, *(char *const *)b);
}

GPtrArray *
vt_result_list_strangers(const VtResult *result, const char *dir)
{
  g_autoptr(GHashTable) going = list_going(result, dir);
  g_autoptr(GDir) folder = g_dir_open(dir, 0, NULL);
  GPtrArray *found = g_ptr_array_new_with_free_func(g_free);
  for (const char *name; folder && (name = g_dir_read_name(folder));)
    if (*name != '.' && !g_str_equal(name, RECORD) && !g_hash_table_contains(going, name))
      g_ptr_array_add(found, vt_error_dup_path(name));
  g_ptr_array_sort(found, compare_names);
  return found;
}

gboolean
vt_result_read_content(const char *path, VtContent *content, GError **error)
{
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file >= 0 && fsync(file) == 0) /* the files that they replace go soon */
    content->sha256 = vt_file_dup_sha256(path, &content->bytes, NULL);
  if (file >= 0)
    close(file);
  content->name = g_path_get_basename(path);
  g_autofree char *shown = vt_error_dup_path(path);
  return content->sha256 || vt_error_set(error, VITRAIL_INTERNAL, "%s cannot be read after it was written.", shown);
}

static void
add_contents(const VtResult *result, const VtContent *contents, guint n)
{
  JsonObject *object = json_object_new();
  json_object_set_object_member(json_node_get_object(result->record), "contents", object);
  for (guint i = 0; i < n; i++) {
    if (!contents[i].name)
      continue;
    JsonObject *file = json_object_new();
    json_object_set_object_member(object, contents[i].name, file);
    json_object_set_int_member(file, "bytes", (gint64)contents[i].bytes);
    json_object_set_string_member(file, "sha256", contents[i].sha256);
  }
}

char *
vt_result_dup_doubt(const char *dir, JsonObject *record)
{
  JsonObject *contents = vt_json_get_object(record, "contents");
  g_autoptr(GList) names = contents ? json_object_get_members(contents) : NULL;
  for (GList *link = names; link; link = link->next) {
    g_autofree char *path = g_build_filename(dir, link->data, NULL);
    guint64 bytes = 0;
    g_autofree char *sha256 = is_result_name(link->data) ? vt_file_dup_sha256(path, &bytes, NULL) : NULL;
    const char *was = vt_json_get_string(vt_json_get_object(contents, link->data), "sha256");
    g_autofree char *shown = vt_error_dup_path(path);
    if (!sha256 || g_strcmp0(sha256, was) != 0)
      return g_strdup_printf("%s is not what its record says", shown);
  }
  g_autofree char *shown = vt_error_dup_path(dir);
  return contents ? NULL
                  : g_strdup_printf("the record in %s is of an older program and holds no hashes of the files", shown);
}

gboolean
vt_result_finish_folder(const VtResult *result, VtFolder *folder, const char *stage, const VtContent *contents, guint n,
                        GError **error)
{
  g_autoptr(GHashTable) going = list_going(result, vt_folder_get_path(folder));
  g_autofree char *path = g_build_filename(stage, RECORD, NULL);
  g_autoptr(GString) text = g_string_new(NULL);
  add_contents(result, contents, n);
  vt_text_append_json(text, result->record, 0);
  g_string_append_c(text, '\n');
  return vt_file_write_text(path, text, error) && vt_folder_swap(folder, going, error);
}
