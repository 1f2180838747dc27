/* SPDX-License-Identifier: MIT */
#include "results/vt-regions-save.h"

#include <math.h>

#include "base/vt-file-private.h"
#include "base/vt-define.h"
#include "base/vt-json.h"
#include "results/vt-measured-names.h"
#include "run/vt-run-private.h"

/* Facts of the record that decide values; others say where the work was done. */
static const char *const facts[] = { "downsample", "um-per-px", "levels", "range-from", "range-to", "bin-width" };

static const char *const titles[] = { "Objects of",
                                      "Intensity",
                                      "Class",
                                      "Left px",
                                      "Top px",
                                      "Width px",
                                      "Height px",
                                      "Geometry WKT px",
                                      "Object ID",
                                      "Image",
                                      "Hash",
                                      "Width px of the image",
                                      "Height px of the image",
                                      "Pixel width µm",
                                      "Pixel height µm" };

/* Measurements of files, under names that no other column has. */
static VtMeasuredNames *
name_read(const VtResult *result, GPtrArray *rois, const VtRoiMeasures *measures)
{
  g_autoptr(GHashTable) taken = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
  for (guint i = 0; i < vt_result_get_n_columns(result); i++)
    g_hash_table_add(taken, g_strdup(vt_result_get_column(result, i)));
  for (guint i = 0; i < measures->names->len; i++)
    g_hash_table_add(taken, g_strdup(measures->names->pdata[i]));
  g_hash_table_add(taken, g_strdup(vt_roi_measures_get_length_name(measures)));
  g_hash_table_add(taken, g_strdup(VT_ROI_POINTS_NAME));
  for (guint i = 0; i < G_N_ELEMENTS(titles); i++)
    g_hash_table_add(taken, g_strdup(titles[i]));
  g_hash_table_add(taken, g_strdup("Operation"));
  for (guint i = 0; i < result->op->n_params; i++)
    g_hash_table_add(taken, g_strdup_printf("Setting: %s", result->op->params[i]->key));
  for (guint i = 0; i < G_N_ELEMENTS(facts); i++)
    g_hash_table_add(taken, g_strdup_printf("Used: %s", facts[i]));
  return vt_measured_names_new(rois, taken, G_MAXUINT, NULL);
}

static void
append_header(GString *csv, const VtResult *result, const VtRoiMeasures *measures, gboolean has_others,
              const VtMeasuredNames *read)
{
  const VitrailOp *op = result->op;
  for (guint i = 0; i < vt_result_get_n_columns(result); i++) {
    g_string_append(csv, i > 0 ? "," : "");
    vt_text_append_csv_field(csv, vt_result_get_column(result, i));
  }
  for (guint i = 0; i < measures->names->len; i++)
    vt_text_append_next_field(csv, measures->names->pdata[i]);
  if (has_others) {
    vt_text_append_next_field(csv, vt_roi_measures_get_length_name(measures));
    vt_text_append_next_field(csv, VT_ROI_POINTS_NAME);
  }
  VT_EACH_OF (const char, name, read->names)
    vt_text_append_next_field(csv, vt_measured_names_get(read, name));
  for (guint i = 0; i < G_N_ELEMENTS(titles); i++)
    vt_text_append_next_field(csv, titles[i]);
  vt_text_append_next_field(csv, "Operation");
  for (guint i = 0; i < op->n_params; i++)
    g_string_append_printf(csv, ",Setting: %s", op->params[i]->key);
  for (guint i = 0; i < G_N_ELEMENTS(facts); i++)
    g_string_append_printf(csv, ",Used: %s", facts[i]);
  g_string_append(csv, "\r\n");
}

/* Of a run of several settings one after the other, with commas between, unless they are the same. */
static void
append_fact(GString *csv, JsonObject *record, const char *fact)
{
  JsonArray *settings = vt_json_get_array(record, "settings");
  g_autoptr(GPtrArray) values = g_ptr_array_new_with_free_func(g_free);
  gboolean differ = FALSE;
  for (guint i = 0; i < (settings ? json_array_get_length(settings) : 1); i++) {
    JsonObject *of = settings ? json_array_get_object_element(settings, i) : record;
    JsonObject *resolved = json_object_get_object_member(of, "resolved");
    GString *value = g_string_new(NULL);
    if (json_object_has_member(resolved, fact))
      vt_text_append_double(value, json_object_get_double_member(resolved, fact));
    g_ptr_array_add(values, g_string_free(value, FALSE));
    differ = differ || !g_str_equal(values->pdata[i], values->pdata[0]);
  }
  g_ptr_array_add(values, NULL);
  g_autofree char *all = g_strjoinv(",", (char **)values->pdata);
  vt_text_append_next_field(csv, differ ? all : values->pdata[0]);
}

/* What all rows have in common. */
static char *
dup_settings(const VtResult *result)
{
  g_autoptr(GString) csv = g_string_new(NULL);
  JsonObject *record = json_node_get_object(result->record);
  vt_text_append_next_field(csv, result->op->id);
  for (guint i = 0; i < result->op->n_params; i++) {
    g_autofree char *value = vt_params_dup_text(result->params, i);
    vt_text_append_next_field(csv, value);
  }
  for (guint i = 0; i < G_N_ELEMENTS(facts); i++)
    append_fact(csv, record, facts[i]);
  return g_string_free(g_steal_pointer(&csv), FALSE);
}

static char *
dup_image(const VtResult *result)
{
  const VtResultFull *full = (const VtResultFull *)result;
  g_autoptr(GString) csv = g_string_new(NULL);
  JsonObject *source = json_object_get_object_member(json_node_get_object(result->record), "source");
  vt_text_append_next_field(csv, result->source_name);
  vt_text_append_next_field(csv, full->source_hash);
  vt_text_append_next_double(csv, json_object_get_double_member(source, "width"));
  vt_text_append_next_double(csv, json_object_get_double_member(source, "height"));
  if (result->calibrated) {
    vt_text_append_next_double(csv, full->mpp_x);
    vt_text_append_next_double(csv, full->mpp_y);
  } else {
    g_string_append(csv, ",,");
  }
  return g_string_free(g_steal_pointer(&csv), FALSE);
}

static void
append_measures(GString *csv, const VtRoi *roi, const VtRoiMeasures *measures, const double *values,
                gboolean has_others)
{
  for (guint i = 0; i < measures->names->len; i++) {
    if (isnan(values[i]) || roi->kind != VT_SHAPE_AREA)
      g_string_append_c(csv, ',');
    else
      vt_text_append_next_double(csv, values[i]);
  }
  if (!has_others)
    return;
  g_string_append_c(csv, ',');
  if (roi->kind == VT_SHAPE_LINE)
    vt_text_append_double(csv, values[VT_ROI_PERIMETER]);
  g_string_append_c(csv, ',');
  if (roi->kind == VT_SHAPE_POINTS)
    g_string_append_printf(csv, "%u", roi->points->len / 2);
}

static void
append_read(GString *csv, const VtRoi *roi, const VtMeasuredNames *read)
{
  VT_EACH_OF (const char, name, read->names) {
    const double *value = vt_measured_find(roi->measured, name);
    if (value)
      vt_text_append_next_double(csv, *value);
    else
      g_string_append_c(csv, ',');
  }
}

/* row: its texture; NULL: of a line or points. */
static void
append_region(GString *csv, const VtResult *result, const VtRoi *roi, const VtRow *row, const VtRoiMeasures *measures,
              const double *values, gboolean has_others, const VtMeasuredNames *read)
{
  g_autofree char *wkt = vt_roi_dup_wkt(roi);
  g_autofree char *uuid = vt_roi_dup_uuid(roi, ((const VtResultFull *)result)->source_hash);
  double box[4];
  vt_roi_get_bounds(roi, &box[0], &box[1], &box[2], &box[3]);
  vt_text_append_csv_field(csv, roi->name ? roi->name : "");
  for (guint i = 0; row && i < row->n_values; i++)
    vt_text_append_next_double(csv, row->values[i]);
  for (guint i = 1; !row && i < vt_result_get_n_columns(result); i++)
    g_string_append_c(csv, ',');
  append_measures(csv, roi, measures, values, has_others);
  append_read(csv, roi, read);
  vt_text_append_next_field(csv, measures->objects_of);
  g_autofree char *intensity = measures->intensity.n > 0 ? vt_intensity_to_text(&measures->intensity) : NULL;
  vt_text_append_next_field(csv, intensity);
  vt_text_append_next_field(csv, roi->class_name);
  for (guint i = 0; i < G_N_ELEMENTS(box); i++)
    vt_text_append_next_double(csv, box[i]);
  vt_text_append_next_field(csv, wkt);
  vt_text_append_next_field(csv, uuid);
}

static gboolean
write_csv(const VtResult *result, GPtrArray *rois, const VtRoiMeasures *measures, const char *path, GError **error)
{
  g_autofree char *image = dup_image(result);
  g_autofree char *settings = dup_settings(result);
  VtTextFile *file = vt_text_file_new(path, error);
  if (!file)
    return FALSE;
  const gboolean has_others = rois->len > result->rows->len;
  g_autoptr(VtMeasuredNames) read = name_read(result, rois, measures);
  append_header(file->text, result, measures, has_others, read);
  for (guint i = 0, row = 0; i < rois->len; i++) {
    const VtRoi *roi = rois->pdata[i];
    append_region(file->text, result, roi, roi->kind == VT_SHAPE_AREA ? result->rows->pdata[row++] : NULL, measures,
                  vt_roi_measures_get(measures, i), has_others, read);
    g_string_append_printf(file->text, "%s%s\r\n", image, settings);
    vt_text_file_pass_on(file);
  }
  return vt_text_file_close(file, error);
}

char **
vt_regions_dup_paths(const char *csv_path)
{
  const gsize length = strlen(csv_path) - (g_str_has_suffix(csv_path, ".csv") ? strlen(".csv") : 0);
  g_autofree char *stem = g_strndup(csv_path, length);
  char **paths = g_new0(char *, 4);
  paths[0] = g_strdup(csv_path);
  paths[1] = g_strconcat(stem, ".geojson", NULL);
  paths[2] = g_strconcat(stem, ".record.json", NULL);
  return paths;
}

/* The run's own, with the names of these files. */
static JsonNode *
make_record(const VtResult *result, char **paths)
{
  JsonObject *all = json_node_get_object(result->record), *record = json_object_new();
  JsonArray *files = json_array_new();
  g_autoptr(GList) names = json_object_get_members(all);
  for (guint i = 0; i < 2; i++) {
    g_autofree char *name = g_path_get_basename(paths[i]);
    json_array_add_string_element(files, name);
  }
  for (GList *l = names; l; l = l->next)
    json_object_set_member(record, l->data, json_node_copy(json_object_get_member(all, l->data)));
  json_object_set_array_member(record, "files", files);
  JsonNode *node = json_node_new(JSON_NODE_OBJECT);
  json_node_take_object(node, record);
  return node;
}

gboolean
vt_regions_save(const VtResult *result, GPtrArray *rois, const VtRoiMeasures *measures, const char *csv_path,
                GError **error)
{
  g_return_val_if_fail(result->rows && result->rows->len == vt_rois_count_areas(rois) && measures->n_rois == rois->len,
                       FALSE);
  g_auto(GStrv) paths = vt_regions_dup_paths(csv_path);
  g_autoptr(GString) record = g_string_new(NULL);
  g_autoptr(JsonNode) node = make_record(result, paths);
  vt_text_append_json(record, node, 0);
  g_string_append_c(record, '\n');
  return write_csv(result, rois, measures, paths[0], error)
         && vt_rois_write_geojson(rois, ((const VtResultFull *)result)->source_hash, result, measures, paths[1], error)
         && vt_file_write_text(paths[2], record, error);
}
