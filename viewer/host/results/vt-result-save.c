/* SPDX-License-Identifier: MIT */
#include <math.h>

#include "base/vt-file-private.h"
#include "run/vt-run-private.h"

static void
append_rows(GString *csv, const VtResult *result)
{
  for (guint i = 0; i < result->op->n_columns; i++) {
    g_string_append(csv, i > 0 ? "," : "");
    vt_text_append_csv_field(csv, result->op->columns[i]);
  }
  g_string_append(csv, "\r\n");
  for (guint i = 0; i < result->rows->len; i++) {
    const VtRow *row = g_ptr_array_index(result->rows, i);
    vt_text_append_csv_field(csv, row->label);
    for (guint j = 0; j < row->n_values; j++) {
      g_string_append_c(csv, ',');
      vt_text_append_double(csv, row->values[j]);
    }
    g_string_append(csv, "\r\n");
  }
}

/* Names of all measurements (interned), in order of first appearance. */
static GPtrArray *
list_measurements(const VtResult *result)
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
  for (guint i = 0; i < object->n_rings; i++) {
    const guint32 n = object->ring_sizes[i];
    double area = 0;
    for (guint32 a = 0, b = n - 1; a < n; b = a++)
      area += p[2 * b] * p[2 * a + 1] - p[2 * a] * p[2 * b + 1];
    n_outer += area > 0;
    p += 2 * n;
  }
  return n_outer;
}

static void
append_object(GString *csv, const VtResult *result, guint index, gconstpointer user)
{
  const GPtrArray *names = user;
  const VtObject *object = vt_result_pass_object(result, index);
  const VtResultFull *full = (const VtResultFull *)result;
  g_autofree char *uuid = vt_result_dup_object_uuid(result, object->id);
  vt_text_append_csv_field(csv, result->source_name);
  g_string_append_printf(csv, ",%s,Detection,%" G_GINT64_FORMAT ",,Image,%s,", uuid, object->id,
                         count_outer_rings(object) > 1 ? "Geometry" : "Polygon");
  vt_text_append_double(csv, object->centroid_x_l0 * (result->calibrated ? full->mpp_x : 1));
  g_string_append_c(csv, ',');
  vt_text_append_double(csv, object->centroid_y_l0 * (result->calibrated ? full->mpp_y : 1));
  for (guint i = 0; i < names->len; i++) {
    g_string_append_c(csv, ',');
    for (guint j = 0; j < object->n_measurements; j++) {
      if (object->measurement_names[j] == g_ptr_array_index(names, i)) {
        vt_text_append_double(csv, object->measurements[j]);
        break;
      }
    }
  }
  g_string_append(csv, "\r\n");
}

static void
append_objects(VtTextFile *file, const VtResult *result)
{
  GString *csv = file->text;
  g_autoptr(GPtrArray) names = list_measurements(result);
  const char *unit = result->calibrated ? "µm" : "px";
  g_string_append_printf(csv, "Image,Object ID,Object type,Name,Classification,Parent,ROI,Centroid X %s,Centroid Y %s",
                         unit, unit);
  for (guint i = 0; i < names->len; i++) {
    g_string_append_c(csv, ',');
    vt_text_append_csv_field(csv, g_ptr_array_index(names, i));
  }
  g_string_append(csv, "\r\n");
  vt_result_append_objects(result, file, append_object, names);
}

gboolean
vt_result_write_csv(const VtResult *result, const char *path, GError **error)
{
  if (!result->rows && !result->objects) {
    g_set_error(error, VT_ERROR, VITRAIL_BAD_ARGUMENT, "%s has no table.", result->op->id);
    return FALSE;
  }
  VtTextFile *file = vt_text_file_new(path, error);
  if (!file)
    return FALSE;
  if (result->rows && !(result->objects && result->objects->len > 0))
    append_rows(file->text, result);
  else
    append_objects(file, result);
  return vt_text_file_close(file, error);
}

static gboolean
save_rasters(const VtResult *result, const char *dir, GError **error)
{
  const guint n_threads = ((const VtResultFull *)result)->n_threads;
  const gboolean is_single = result->op->n_stages == 1;
  for (guint i = 0; i < result->op->n_stages; i++) {
    g_autofree char *name = g_strconcat(is_single ? "result" : result->op->stages[i]->id, ".tif", NULL);
    g_autofree char *path = g_build_filename(dir, name, NULL);
    if (result->files[i] ? !vt_file_commit(result->files[i], path, error)
                         : result->rasters[i] && !vt_raster_write_tiff(result->rasters[i], n_threads, path, error))
      return FALSE;
  }
  return TRUE;
}

gboolean
vt_result_save(const VtResult *result, VtSlide *slide, const char *dir, GError **error)
{
  g_autofree char *overlay = g_build_filename(dir, "overlay.png", NULL);
  g_autofree char *features = g_build_filename(dir, "features.csv", NULL);
  g_autofree char *objects = g_build_filename(dir, "objects.geojson", NULL);
  if (g_mkdir_with_parents(dir, 0777) != 0) {
    g_set_error(error, VT_ERROR, VITRAIL_INTERNAL, "The folder %s cannot be made.", dir);
    return FALSE;
  }
  return vt_result_begin_folder(result, dir, error) && save_rasters(result, dir, error)
         && vt_result_write_overlay(result, slide, overlay, error)
         && (!(result->rows || result->objects) || vt_result_write_csv(result, features, error))
         && (!result->objects || vt_result_write_geojson(result, objects, error))
         && vt_result_end_folder(result, dir, error);
}
