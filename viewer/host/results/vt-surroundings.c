/* SPDX-License-Identifier: MIT */
#include "results/vt-surroundings.h"

#include "base/vt-define.h"
#include "run/vt-delaunay.h"
#include "run/vt-run-private.h"

/* x, y pairs. */
static double *
dup_centroids(const VtResult *result)
{
  double *points = g_new(double, 2 * (gsize)result->objects->len + 2);
  for (guint i = 0; i < result->objects->len; i++) {
    guint index = i;
    const VtResult *part = vt_result_find_part(result, &index);
    const VtObject *object = vt_result_pass_object(part, index);
    points[2 * i] = object->centroid_x_l0;
    points[2 * i + 1] = object->centroid_y_l0;
  }
  return points;
}

static gboolean
count_part(const double *points, guint n, double *values, GError **error)
{
  g_autofree guint *counts = vt_delaunay_count(points, n, error);
  for (guint i = 0; counts && i < n; i++)
    values[i] = counts[i];
  return counts != NULL;
}

static gboolean
count_neighbours(VtSurroundings *self, const VtResult *result, const double *points, GError **error)
{
  const guint n_parts = result->parts ? result->parts->len : 1;
  double *values = g_new(double, result->objects->len + 1);
  self->names[self->n] = VT_DELAUNAY_COLUMN;
  self->values[self->n++] = values;
  for (guint k = 0, first = 0; k < n_parts; k++) {
    const VtResult *part = result->parts ? result->parts->pdata[k] : result;
    const guint n = part->objects ? part->objects->len : 0;
    if (!count_part(points + 2 * (gsize)first, n, values + first, error))
      return FALSE;
    first += n;
  }
  return TRUE;
}

static void
measure_borders(VtSurroundings *self, const VtResult *result, const double *points, const GPtrArray *rois)
{
  const double mpp_x = result->calibrated ? result->mpp : 1, mpp_y = result->calibrated ? result->mpp_y : 1;
  double *values = vt_rois_measure_borders(rois, points, result->objects->len, mpp_x, mpp_y);
  if (!values)
    return;
  self->names[self->n] = result->calibrated ? VT_BORDER_COLUMN_UM : VT_BORDER_COLUMN_PX;
  self->values[self->n++] = values;
  self->n_borders = rois->len;
}

VtSurroundings *
vt_surroundings_new(const VtResult *result, gboolean counts_neighbours, const GPtrArray *rois, GError **error)
{
  g_autoptr(VtSurroundings) self = g_new0(VtSurroundings, 1);
  g_autofree double *points = dup_centroids(result);
  self->of = g_ptr_array_ref(result->objects);
  if (counts_neighbours && !count_neighbours(self, result, points, error))
    return NULL;
  if (rois && rois->len > 0)
    measure_borders(self, result, points, rois);
  return g_steal_pointer(&self);
}

void
vt_surroundings_free(VtSurroundings *self)
{
  for (guint k = 0; k < self->n; k++)
    g_free(self->values[k]);
  g_clear_pointer(&self->of, g_ptr_array_unref);
  g_clear_pointer(&self->drawn, g_ptr_array_unref);
  g_clear_pointer(&self->before, vt_surroundings_free);
  g_free(self);
}

void
vt_surroundings_set_drawn(VtSurroundings *self, GPtrArray *rois)
{
  g_return_if_fail(!self->drawn);
  self->drawn = self->n_borders > 0 ? g_ptr_array_ref(rois) : NULL;
}

static JsonObject *
make_facts(const VtSurroundings *self)
{
  JsonObject *facts = json_object_new();
  JsonArray *columns = json_array_new();
  for (guint k = 0; k < self->n; k++)
    json_array_add_string_element(columns, self->names[k]);
  json_object_set_array_member(facts, "columns", columns);
  json_object_set_int_member(facts, "regions", self->n_borders);
  return facts;
}

void
vt_result_take_surroundings(VtResult *result, VtSurroundings *surroundings)
{
  JsonObject *record = json_node_get_object(result->record);
  JsonArray *files = json_array_new();
  VtSurroundings *given = surroundings ? surroundings : g_new0(VtSurroundings, 1);
  given->before = result->surroundings;
  result->surroundings = given;
  if (surroundings)
    json_object_set_object_member(record, "surroundings", make_facts(given));
  else
    json_object_remove_member(record, "surroundings");
  if (given->before && given->before->drawn)
    json_object_remove_member(json_object_get_object_member(record, "inputs"), "borders");
  g_autoptr(GPtrArray) names = vt_result_list_files(result);
  VT_EACH_OF (const char, name, names)
    json_array_add_string_element(files, name);
  json_object_set_array_member(record, "files", files);
}
