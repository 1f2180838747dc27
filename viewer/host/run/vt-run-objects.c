/* SPDX-License-Identifier: MIT
 *
 * Objects that a plugin tells: checked, and kept in memory or, of a streamed run, in a file. */
#include <math.h>

#include "run/vt-run-private.h"

static VitrailStatus
keep_object(VtRunState *state, const VtObject *object)
{
  GError *error = NULL;
  if (!vt_run_is_streamed(state)) {
    g_ptr_array_add(state->objects, vt_object_copy(object));
    return VITRAIL_OK;
  }
  if (!state->arena) {
    state->arena = vt_arena_new(state->request->scratch_dir, &error);
    g_ptr_array_set_free_func(state->objects, NULL);
  }
  gpointer memory = state->arena ? vt_arena_take(state->arena, vt_object_get_bytes(object), &error) : NULL;
  if (!memory)
    return vt_run_note_failure(state, error);
  g_ptr_array_add(state->objects, vt_object_put(memory, object));
  return VITRAIL_OK;
}

/* The number in the file of labels that an object is of: under the first of its pixels, whose corner is the first of its outline. NaN: the objects are not
 * those of a file's numbers. */
static double
find_label(const VtRunState *state, const VitrailObject *object)
{
  const VtPlacedLabels *labels = NULL;
  const gint64 d = vt_run_get_number(state, "downsample");
  gint32 label = 0;
  for (guint i = 0; i < state->n_inputs && !labels; i++)
    labels = state->inputs[i].labels;
  if (!labels || !labels->labels || d < 1)
    return NAN;
  const double *first = object->points;
  for (guint32 i = 1; i < object->ring_sizes[0]; i++) {
    const double *point = object->points + 2 * i;
    first = point[1] < first[1] || (point[1] == first[1] && point[0] < first[0]) ? point : first;
  }
  vt_placed_labels_read(labels, (guint)d, (gint64)floor(first[0] / (double)d + 0.5),
                        (gint64)floor(first[1] / (double)d + 0.5), 1, 1, (guint8 *)&label, sizeof label);
  return g_array_index(labels->labels, gint32, label);
}

VitrailStatus
vt_run_take_object(VtRunState *state, const VitrailObject *object)
{
  const VtObject *last = state->objects->len > 0 ? g_ptr_array_index(state->objects, state->objects->len - 1) : NULL;
  guint64 n_points = 0;
  const char *doubt = vt_run_doubt_object(state, object, last ? last->id : 0, &n_points);
  if (doubt)
    return vt_run_note_bug(state, "%s (number %" G_GINT64_FORMAT ")", doubt, object ? object->id : 0);
  if (state->request->ranks && state->request->ranks->rank > 0)
    return vt_run_spool(state, NULL, object) ? VITRAIL_OK : VITRAIL_READ_FAILED;
  const double label = find_label(state, object);
  const guint n = object->n_measurements + (isnan(label) ? 0 : 1);
  g_autofree const char **names = g_new(const char *, n + 1);
  g_autofree double *values = g_new(double, n + 1);
  if (!isnan(label)) {
    names[n - 1] = g_intern_static_string(VT_MEASUREMENT_LABEL);
    values[n - 1] = label;
  }
  for (guint i = 0; i < object->n_measurements; i++) {
    const char *name = object->measurement_names[i];
    names[i] = g_intern_string(name && g_utf8_validate(name, -1, NULL) ? name : "?");
    values[i] = object->measurements[i];
  }
  const VtObject view = { .id = object->id,
                          .centroid_x_l0 = object->centroid_x_l0,
                          .centroid_y_l0 = object->centroid_y_l0,
                          .n_rings = object->n_rings,
                          .n_measurements = n,
                          .n_points = (gsize)n_points,
                          .ring_sizes = object->ring_sizes,
                          .points = object->points,
                          .measurements = values,
                          .measurement_names = names };
  return keep_object(state, &view);
}
