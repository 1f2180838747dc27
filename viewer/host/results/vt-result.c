/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "base/vt-define.h"
#include "results/vt-corrections.h"
#include "results/vt-regions-save.h"
#include "results/vt-surroundings.h"
#include "run/vt-model.h"
#include "run/vt-run-private.h"

enum { OBJECTS_PER_PIECE = 256 };

gsize
vt_object_get_bytes(const VtObject *object)
{
  return sizeof *object + 2 * object->n_points * sizeof(double)
         + object->n_measurements * (sizeof(double) + sizeof(char *)) + object->n_rings * sizeof(guint32);
}

static gconstpointer
put(guint8 **to, gconstpointer data, gsize bytes)
{
  guint8 *here = *to;
  if (bytes > 0)
    memcpy(here, data, bytes);
  *to += bytes;
  return here;
}

VtObject *
vt_object_put(gpointer memory, const VtObject *object)
{
  VtObject *copy = memory;
  guint8 *to = memory;
  const gsize n = object->n_measurements;
  put(&to, object, sizeof *object);
  copy->points = put(&to, object->points, 2 * object->n_points * sizeof(double));
  copy->measurements = put(&to, object->measurements, n * sizeof(double));
  copy->measurement_names = put(&to, object->measurement_names, n * sizeof(char *));
  copy->ring_sizes = put(&to, object->ring_sizes, object->n_rings * sizeof(guint32));
  return copy;
}

VtObject *
vt_object_copy(const VtObject *object)
{
  return vt_object_put(g_malloc(vt_object_get_bytes(object)), object);
}

VtRoi *
vt_object_dup_roi(const VtObject *object)
{
  VtRoi *roi = vt_roi_new(NULL);
  g_array_append_vals(roi->ring_sizes, object->ring_sizes, object->n_rings);
  g_array_append_vals(roi->points, object->points, 2 * (guint)object->n_points);
  return roi;
}

VtResult *
vt_result_new(const VitrailOp *op)
{
  VtResultFull *full = g_atomic_rc_box_new0(VtResultFull);
  VtResult *result = &full->result;
  result->op = op;
  result->rasters = g_new0(VtRaster *, op->n_stages + 1);
  result->files = g_new0(char *, op->n_stages + 1);
  result->stage_ms = g_new0(double, op->n_stages + 1);
  return result;
}

/* The rest is the run's. */
static void
corrected_result_clear(VtResult *result)
{
  g_clear_pointer(&result->classified, vt_classified_unref);
  g_clear_pointer(&result->surroundings, vt_surroundings_free);
  g_clear_pointer(&((VtResultFull *)result)->older, g_ptr_array_unref);
  g_ptr_array_unref(result->objects); /* before the parts, in which they are */
  if (result->parts != result->corrected->base->parts)
    g_ptr_array_unref(result->parts);
  g_ptr_array_unref(result->warnings);
  g_clear_pointer(&result->record, json_node_unref);
  vt_corrected_free(result->corrected);
}

static void
result_clear(gpointer data)
{
  VtResultFull *full = data;
  VtResult *result = &full->result;
  if (result->corrected) {
    corrected_result_clear(result);
    return;
  }
  for (guint i = 0; i < result->op->n_stages; i++) {
    g_clear_pointer(&result->rasters[i], vt_raster_unref);
    g_free(result->files[i]);
  }
  g_free(result->rasters);
  g_free(result->files);
  g_free(result->stage_ms);
  g_clear_pointer(&result->classified, vt_classified_unref);
  g_clear_pointer(&result->surroundings, vt_surroundings_free);
  g_clear_pointer(&full->older, g_ptr_array_unref);
  g_clear_pointer(&result->objects, g_ptr_array_unref); /* before the parts, in which they are */
  g_clear_pointer(&result->parts, g_ptr_array_unref);
  g_clear_pointer(&result->region, vt_roi_free);
  vt_arena_free(full->arena);
  g_clear_pointer(&result->rows, g_ptr_array_unref);
  g_clear_pointer(&result->columns, g_ptr_array_unref);
  g_clear_pointer(&result->rois, g_ptr_array_unref);
  g_clear_pointer(&result->warnings, g_ptr_array_unref);
  g_clear_pointer(&result->record, json_node_unref);
  g_clear_pointer(&result->params, vt_params_free);
  g_clear_pointer(&result->verdicts, g_array_unref);
  g_clear_pointer(&result->wave, vt_wave_unref);
  g_clear_pointer(&result->overlaps, vt_overlaps_free);
  g_clear_pointer(&full->again, vt_run_request_free);
  g_clear_pointer(&full->source, vt_raster_unref);
  g_free(full->source_hash);
  g_clear_pointer(&full->inputs, g_hash_table_unref);
  g_free(full->slide_path);
  g_free(full->slide_state);
  g_free(full->ranges);
  g_free(result->source_name);
  g_free(result->backend);
  g_free(result->device);
  g_free(result->score_model);
}

VT_DEFINE_REF(VtResult, vt_result, result_clear)

void
vt_object_get_box(const VtObject *object, double box[4])
{
  box[0] = box[1] = INFINITY;
  box[2] = box[3] = -INFINITY;
  for (gsize i = 0; i < 2 * object->n_points; i++) {
    box[i % 2] = MIN(box[i % 2], object->points[i]);
    box[2 + i % 2] = MAX(box[2 + i % 2], object->points[i]);
  }
}

const VtResult *
vt_result_find_part(const VtResult *result, guint *object)
{
  VT_EACH_OF (const VtResult, part, result->parts) {
    const guint n = part->objects ? part->objects->len : 0;
    if (*object < n)
      return part;
    *object -= n;
  }
  return result;
}

const VtObject *
vt_result_pass_object(const VtResult *result, guint index)
{
  VtArena *arena = ((const VtResultFull *)result)->arena;
  if (arena && index % 8192 == 0)
    vt_arena_rest(arena);
  return g_ptr_array_index(result->objects, index);
}

typedef struct {
  const VtResult *result;
  VtAppendObject append;
  gconstpointer user;
} ObjectText;

static void
append_objects(GString *text, guint piece, gconstpointer user)
{
  const ObjectText *objects = user;
  const guint begin = piece * OBJECTS_PER_PIECE, left = objects->result->objects->len - begin;
  for (guint i = 0; i < MIN(left, OBJECTS_PER_PIECE); i++)
    objects->append(text, objects->result, begin + i, objects->user);
}

void
vt_result_append_objects(const VtResult *result, VtTextFile *file, VtAppendObject append, gconstpointer user)
{
  const ObjectText objects = { result, append, user };
  const guint n = result->objects ? result->objects->len : 0;
  vt_text_file_append_pieces(file, ((const VtResultFull *)result)->n_threads,
                             n / OBJECTS_PER_PIECE + (n % OBJECTS_PER_PIECE > 0), append_objects, &objects);
}

char *
vt_result_dup_object_uuid(const VtResult *result, const VtObject *object)
{
  const VtResultFull *full = (const VtResultFull *)result;
  if (result->corrected && object->id >= result->corrected->first_id) { /* its number depends on the other ones */
    g_autoptr(VtRoi) outline = vt_object_dup_roi(object);
    return vt_roi_dup_uuid(outline, full->source_hash);
  }
  /* A recipe's own id, not the number under which it is open here. */
  const VtRecipe *recipe = vt_op_get_recipe(result->op);
  g_autofree char *text = g_strdup_printf("%s %s %" G_GINT64_FORMAT ",%" G_GINT64_FORMAT ",%" G_GINT64_FORMAT
                                          ",%" G_GINT64_FORMAT " %" G_GINT64_FORMAT,
                                          full->source_hash, recipe ? vt_recipe_get(recipe)->id : result->op->id,
                                          result->x_l0, result->y_l0, result->width_l0, result->height_l0, object->id);
  return vt_dup_uuid(text);
}

char *
vt_dup_uuid(const char *text)
{
  g_autofree char *hex = g_compute_checksum_for_string(G_CHECKSUM_SHA256, text, -1);
  /* Version 8 (RFC 9562): a layout of one's own. */
  return g_strdup_printf("%.8s-%.4s-8%.3s-%c%.3s-%.12s", hex, hex + 8, hex + 12,
                         "89ab"[g_ascii_xdigit_value(hex[15]) & 3], hex + 16, hex + 19);
}

guint
vt_result_get_n_columns(const VtResult *result)
{
  return result->columns ? result->columns->len : result->op->n_columns;
}

const char *
vt_result_get_column(const VtResult *result, guint index)
{
  return result->columns ? result->columns->pdata[index] : result->op->columns[index];
}
