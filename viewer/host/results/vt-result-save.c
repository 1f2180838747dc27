/* SPDX-License-Identifier: MIT */

#include "base/vt-file-private.h"
#include "base/vt-define.h"
#include "base/vt-pool.h"
#include "results/vt-corrections.h"
#include "results/vt-objects-save.h"
#include "results/vt-regions-save.h"
#include "results/vt-surroundings.h"
#include "run/vt-model.h"
#include "run/vt-run-private.h"

static void
append_rows(GString *csv, const VtResult *result)
{
  for (guint i = 0; i < vt_result_get_n_columns(result); i++) {
    g_string_append(csv, i > 0 ? "," : "");
    vt_text_append_csv_field(csv, vt_result_get_column(result, i));
  }
  g_string_append(csv, "\r\n");
  VT_EACH_OF (const VtRow, row, result->rows) {
    vt_text_append_csv_field(csv, row->label);
    for (guint j = 0; j < row->n_values; j++)
      vt_text_append_next_double(csv, row->values[j]);
    g_string_append(csv, "\r\n");
  }
}

GPtrArray *
vt_result_list_measurements(const VtResult *result)
{
  g_autoptr(GHashTable) seen = g_hash_table_new(NULL, NULL);
  GPtrArray *names = g_ptr_array_new();
  for (guint i = 0; i < result->objects->len; i++) {
    const VtObject *object = vt_result_pass_object(result, i);
    for (guint j = 0; j < object->n_measurements; j++)
      if (g_hash_table_add(seen, (gpointer)object->measurement_names[j]))
        g_ptr_array_add(names, (gpointer)object->measurement_names[j]);
  }
  return names;
}

static guint
count_outer_rings(const VtObject *object)
{
  const double *p = object->points;
  guint n_outer = 0;
  for (guint i = 0; i < object->n_rings; p += 2 * object->ring_sizes[i], i++)
    n_outer += vt_ring_is_outer(p, object->ring_sizes[i]);
  return n_outer;
}

static void
append_object(GString *csv, const VtResult *result, guint index, gconstpointer user)
{
  const GPtrArray *names = user;
  const VtClassified *classified = result->classified;
  const VtClassified *taught = classified ? vt_classified_get_taught(classified) : NULL;
  g_autofree char *name = classified ? vt_classified_dup_name(classified, index) : NULL;
  const guint number = index;
  const VtResult *part = vt_result_find_part(result, &index);
  const VtObject *object = vt_result_pass_object(part, index);
  const VtResultFull *full = (const VtResultFull *)result;
  g_autofree char *uuid = vt_result_dup_object_uuid(part, object);
  vt_text_append_csv_field(csv, result->source_name);
  g_string_append_printf(csv, ",%s,Detection,%" G_GINT64_FORMAT, uuid, object->id);
  vt_text_append_next_field(csv, name);
  vt_text_append_next_field(csv, part->region ? part->region->name : "Image");
  g_string_append_printf(csv, ",%s", count_outer_rings(object) > 1 ? "Geometry" : "Polygon");
  vt_text_append_next_double(csv, object->centroid_x_l0 * (result->calibrated ? full->mpp_x : 1));
  vt_text_append_next_double(csv, object->centroid_y_l0 * (result->calibrated ? full->mpp_y : 1));
  for (guint i = 0; i < names->len; i++) {
    g_string_append_c(csv, ',');
    for (guint j = 0; j < object->n_measurements; j++) {
      if (object->measurement_names[j] == g_ptr_array_index(names, i)) {
        vt_text_append_double(csv, object->measurements[j]);
        break;
      }
    }
  }
  for (guint k = 0; result->surroundings && k < result->surroundings->n; k++)
    vt_text_append_next_double(csv, result->surroundings->values[k][number]);
  if (taught)
    vt_text_append_next_double(csv, vt_classified_get_margin(taught, number));
  if (result->corrected) {
    const char *word = vt_result_get_corrected(result, number);
    g_string_append_printf(csv, ",%s", word ? word : "");
  }
  g_string_append(csv, "\r\n");
}

static void
append_objects(VtTextFile *file, const VtResult *result)
{
  GString *csv = file->text;
  g_autoptr(GPtrArray) names = vt_result_list_measurements(result);
  const char *unit = result->calibrated ? "µm" : "px";
  g_string_append_printf(csv, "Image,Object ID,Object type,Name,Classification,Parent,ROI,Centroid X %s,Centroid Y %s",
                         unit, unit);
  for (guint i = 0; i < names->len; i++)
    vt_text_append_next_field(csv, g_ptr_array_index(names, i));
  for (guint k = 0; result->surroundings && k < result->surroundings->n; k++)
    vt_text_append_next_field(csv, result->surroundings->names[k]);
  if (result->classified && vt_classified_get_taught(result->classified))
    g_string_append(csv, "," VT_CLASSIFIED_MARGIN);
  if (result->corrected)
    g_string_append(csv, "," VT_CORRECTED_COLUMN);
  g_string_append(csv, "\r\n");
  vt_result_append_objects(result, file, append_object, names);
}

gboolean
vt_result_write_csv(const VtResult *result, const char *path, GError **error)
{
  if (!result->rows && !result->objects)
    return vt_error_set(error, VITRAIL_BAD_ARGUMENT, "%s has no table.", result->op->id);
  VtTextFile *file = vt_text_file_new(path, error);
  if (!file)
    return FALSE;
  if (result->rows && !(result->objects && result->objects->len > 0))
    append_rows(file->text, result);
  else
    append_objects(file, result);
  return vt_text_file_close(file, error);
}

/* --- scores --- */

/* Of the n objects from a place on; fields of what is not known are empty. */
static void
append_score(GString *csv, const char *region, const VtClassified *classified, guint first, guint n)
{
  const VtIntensity *intensity = &classified->intensity;
  const VtIntensityScore score = vt_intensity_score(classified, first, n);
  const double percent = vt_intensity_score_get_percent(&score), h = vt_intensity_score_get_h(&score);
  vt_text_append_csv_field(csv, region);
  g_string_append_printf(csv, ",%" G_GUINT64_FORMAT, score.n);
  for (guint k = 0; k <= intensity->n; k++)
    g_string_append_printf(csv, ",%" G_GUINT64_FORMAT, score.counts[k]);
  for (guint i = 0; i < (intensity->n == VT_INTENSITY_MOST ? 2 : 1); i++) {
    g_string_append_c(csv, ',');
    if (score.n > 0)
      vt_text_append_double(csv, i == 0 ? percent : h);
  }
  g_string_append_printf(csv, ",%" G_GUINT64_FORMAT ",%" G_GUINT64_FORMAT, score.n_without, score.n_left_out);
  vt_text_append_next_field(csv, intensity->measurement);
  for (guint i = 0; i < intensity->n; i++)
    vt_text_append_next_double(csv, intensity->thresholds[i]);
  g_string_append(csv, "\r\n");
}

/* A row for each region, and one for all that was analysed. */
static gboolean
write_scores(const VtResult *result, const char *path, GError **error)
{
  const VtClassified *classified = result->classified;
  const VtIntensity *intensity = &classified->intensity;
  VtTextFile *file = vt_text_file_new(path, error);
  guint first = 0;
  if (!file)
    return FALSE;
  g_string_append(file->text, "Region,Objects scored");
  for (guint k = 0; k <= intensity->n; k++)
    g_string_append_printf(file->text, ",%s", vt_intensity_get_name(intensity, k));
  g_string_append(file->text, intensity->n == VT_INTENSITY_MOST ? "," VT_INTENSITY_PERCENT "," VT_INTENSITY_H
                                                                : "," VT_INTENSITY_PERCENT);
  g_string_append(file->text, ",Without value,Left out,Measurement");
  for (guint i = 1; i <= intensity->n; i++)
    g_string_append_printf(file->text, ",%s from", vt_intensity_get_name(intensity, i));
  g_string_append(file->text, "\r\n");
  VT_EACH_OF (const VtResult, part, result->parts) {
    const guint n = part->objects ? part->objects->len : 0;
    append_score(file->text, part->region->name, classified, first, n);
    first += n;
  }
  append_score(file->text, result->parts ? "All regions" : "Image", classified, 0, classified->n);
  return vt_text_file_close(file, error);
}

/* The files of a result, each of which is a job of its own: threads that wait for one's disk work on another. */
typedef struct {
  const VtResult *result;
  VtSlide *slide;
  const char *dir;
  /* Of each job. */
  GError **errors;
  VtContent *contents;
} Save;

enum {
  SAVE_TABLE,
  SAVE_OBJECTS,
  SAVE_SCORES,
  SAVE_BORDERS,
  SAVE_INPUTS,
  SAVE_OTHERS, /* objects in other formats */
  N_SAVES = SAVE_OTHERS + VT_N_OBJECTS_FORMATS
}; /* the jobs after those of the pictures */

/* Of one rectangle: a stage, or past the last stage the overlay. */
static gboolean
save_picture(const Save *save, const VtResult *result, guint stage, const char *path, GError **error)
{
  if (stage == result->op->n_stages)
    return vt_result_write_overlay(result, save->slide, path, error);
  if (result->files[stage])
    return vt_file_commit(result->files[stage], path, error);
  const VtRaster *raster = result->rasters[stage];
  const VtTiffOptions options = {
    .channel = result->ome_tiff ? result->op->stages[stage]->title : NULL,
    .compression = result->compression,
    .n_threads = ((const VtResultFull *)result)->n_threads,
    .is_on_disk = raster->arena != NULL,
  };
  return vt_raster_write_tiff(raster, &options, path, error);
}

static guint
count_pictures(const VtResult *result)
{
  return (result->parts ? result->parts->len : 1) * (result->op->n_stages + 1);
}

static gboolean
save_table(const Save *save, guint kind, const char *path, GError **error)
{
  switch (kind) {
  case SAVE_TABLE: return vt_result_write_csv(save->result, path, error);
  case SAVE_OBJECTS: return vt_result_write_geojson(save->result, path, error);
  case SAVE_BORDERS:
    return vt_rois_write_geojson(save->result->surroundings->drawn, ((const VtResultFull *)save->result)->source_hash,
                                 NULL, NULL, path, error);
  case SAVE_SCORES: return write_scores(save->result, path, error);
  default: return vt_result_write_objects(save->result, kind - SAVE_OTHERS, path, error);
  }
}

/* NULL: the job makes no file. */
static char *
dup_name(const VtResult *result, guint32 job, const VtResult **part)
{
  const guint n_pictures = count_pictures(result), each = result->op->n_stages + 1, stage = job % each;
  *part = result->parts && job < n_pictures ? result->parts->pdata[job / each] : result;
  if (job < n_pictures)
    return stage == result->op->n_stages || (*part)->files[stage] || (*part)->rasters[stage]
             ? vt_result_dup_picture_name(result->op, stage, result->parts ? job / each + 1 : 0, result->ome_tiff)
             : NULL;
  const guint kind = job - n_pictures;
  if (kind >= SAVE_OTHERS)
    return result->objects && (result->objects_formats >> (kind - SAVE_OTHERS) & 1)
             ? g_strdup(vt_objects_format_get(kind - SAVE_OTHERS)->file)
             : NULL;
  switch (kind) {
  case SAVE_TABLE: return result->rows || result->objects ? g_strdup("features.csv") : NULL;
  case SAVE_OBJECTS: return result->objects ? g_strdup("objects.geojson") : NULL;
  case SAVE_SCORES: return result->classified && result->classified->intensity.n > 0 ? g_strdup("intensity.csv") : NULL;
  case SAVE_BORDERS: return result->surroundings && result->surroundings->drawn ? g_strdup(VT_BORDERS_FILE) : NULL;
  default: return NULL;
  }
}

static void
save_file(void *user, guint32 job)
{
  const Save *save = user;
  GError **error = &save->errors[job];
  const guint n_pictures = count_pictures(save->result);
  const VtResult *part = NULL;
  g_autofree char *name = dup_name(save->result, job, &part);
  if (job == n_pictures + SAVE_INPUTS)
    vt_record_add_inputs(save->result);
  if (!name)
    return;
  g_autofree char *path = g_build_filename(save->dir, name, NULL);
  const gboolean done = job < n_pictures ? save_picture(save, part, job % (save->result->op->n_stages + 1), path, error)
                                         : save_table(save, job - n_pictures, path, error);
  if (done)
    vt_result_read_content(path, &save->contents[job], error);
}

/* The first failure is told. */
static gboolean
save_files(const Save *save, guint n, GError **error)
{
  gboolean done = TRUE;
  vt_parallel_for(((const VtResultFull *)save->result)->n_threads, n, save_file, (void *)save);
  for (guint i = 0; i < n; i++) {
    const gboolean failed = save->errors[i] != NULL;
    if (failed && done)
      g_propagate_error(error, g_steal_pointer(&save->errors[i]));
    g_clear_error(&save->errors[i]);
    done = done && !failed;
  }
  return done;
}

/* Regions that were drawn are an input, so that the run can be made again from where they are now; a run reads them, and does not make them. */
static void
move_to_inputs(const VtResult *result, const char *dir, VtContent *borders)
{
  g_autofree char *path = g_build_filename(dir, VT_BORDERS_FILE, NULL), *text = vt_path_dup_text(path);
  JsonObject *input = json_object_new();
  json_object_set_string_member(input, "path", text);
  json_object_set_int_member(input, "bytes", (gint64)borders->bytes);
  json_object_set_string_member(input, "sha256", borders->sha256);
  json_object_set_object_member(json_object_get_object_member(json_node_get_object(result->record), "inputs"),
                                "borders", input);
  g_clear_pointer(&borders->name, g_free);
}

/* Once all files are written. */
static gboolean
finish(const VtResult *result, VtFolder *folder, const char *stage, VtContent *contents, guint n, GError **error)
{
  VtContent *borders = &contents[count_pictures(result) + SAVE_BORDERS];
  if (borders->name)
    move_to_inputs(result, vt_folder_get_path(folder), borders);
  return vt_result_finish_folder(result, folder, stage, contents, n, error);
}

gboolean
vt_result_save(const VtResult *result, VtSlide *slide, VtFolder *folder, GError **error)
{
  const char *stage = vt_folder_stage(folder, error);
  const guint n = count_pictures(result) + N_SAVES;
  g_autofree GError **errors = g_new0(GError *, n);
  g_autofree VtContent *contents = g_new0(VtContent, n);
  const Save save = { result, slide, stage, errors, contents };
  const gboolean done = stage && save_files(&save, n, error) && finish(result, folder, stage, contents, n, error);
  for (guint i = 0; i < n; i++) {
    g_free(contents[i].name);
    g_free(contents[i].sha256);
  }
  if (!done)
    vt_folder_unstage(folder);
  return done;
}
