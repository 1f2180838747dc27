/* SPDX-License-Identifier: MIT */
#include <math.h>

#include "common/vt-drop.h"
#include "layers/vt-layer-private.h"

typedef struct {
  VtLayer *layer;
  VtResult *result;
  GPtrArray *rasters; /* VtRaster; NULL: objects */
  VtOutlineIndex *index;
  VtViewport view;
  gboolean scalar;    /* of masks and labels zero is nothing */
  VtColumns *columns; /* of objects */
  guint measure;
  guint64 data_serial;
  VtStats stats;
} StatsJob;

static gboolean
stats_arrived(gpointer data)
{
  StatsJob *job = data;
  g_autoptr(VtLayer) self = job->layer;
  self->measuring = FALSE;
  if (job->data_serial == self->data_serial) {
    self->stats = job->stats;
    self->has_stats = TRUE;
    g_signal_emit_by_name(self, "data");
  }
  if (self->stats_dirty)
    vt_layer_measure(self);
  vt_drop(g_steal_pointer(&job->index), (GDestroyNotify)vt_outline_index_unref);
  g_clear_pointer(&job->rasters, g_ptr_array_unref);
  vt_drop(job->columns, (GDestroyNotify)vt_columns_unref);
  vt_drop(job->result, (GDestroyNotify)vt_result_unref);
  g_free(job);
  return G_SOURCE_REMOVE;
}

/* What is seen of a raster. */
static VtStatsPart
make_stats_part(const VtRaster *raster, const VtViewport *view)
{
  double x0, y0, x1, y1;
  vt_viewport_get_seen_l0(view, &x0, &y0, &x1, &y1);
  x0 = CLAMP(floor((x0 - raster->origin_x_l0) / raster->downsample) - (double)raster->x, 0, (double)raster->width);
  y0 = CLAMP(floor((y0 - raster->origin_y_l0) / raster->downsample) - (double)raster->y, 0, (double)raster->height);
  x1 = CLAMP(ceil((x1 - raster->origin_x_l0) / raster->downsample) - (double)raster->x, x0, (double)raster->width);
  y1 = CLAMP(ceil((y1 - raster->origin_y_l0) / raster->downsample) - (double)raster->y, y0, (double)raster->height);
  return (VtStatsPart){ raster, (gint64)x0, (gint64)y0, (gint64)(x1 - x0), (gint64)(y1 - y0) };
}

static void
measure_rasters(StatsJob *job)
{
  const guint n = job->rasters->len;
  g_autofree VtRaster *counted = g_new(VtRaster, n);
  g_autofree VtStatsPart *parts = g_new(VtStatsPart, n);
  for (guint i = 0; i < n; i++) {
    counted[i] = *(const VtRaster *)job->rasters->pdata[i];
    counted[i].zero_is_empty |= !job->scalar;
    parts[i] = make_stats_part(&counted[i], &job->view);
  }
  vt_stats_of_rasters(parts, n, &job->stats);
}

static void
measure_objects(StatsJob *job)
{
  g_autoptr(GArray) numbers = g_array_new(FALSE, FALSE, sizeof(guint32));
  g_autoptr(GArray) values = g_array_new(FALSE, FALSE, sizeof(double));
  double x0, y0, x1, y1;
  vt_viewport_get_seen_l0(&job->view, &x0, &y0, &x1, &y1);
  vt_outline_index_query(job->index, x0, y0, x1, y1, numbers);
  for (guint i = 0; i < numbers->len; i++) {
    const VtObject *object = g_ptr_array_index(job->result->objects, g_array_index(numbers, guint32, i));
    const double value = vt_columns_get_value(job->columns, g_array_index(numbers, guint32, i), job->measure);
    if (object->centroid_x_l0 >= x0 && object->centroid_x_l0 < x1 && object->centroid_y_l0 >= y0
        && object->centroid_y_l0 < y1)
      g_array_append_val(values, value);
  }
  vt_stats_of_values((double *)(gpointer)values->data, values->len, &job->stats);
}

static void
measure(gpointer data, gpointer user_data)
{
  StatsJob *job = data;
  if (job->rasters)
    measure_rasters(job);
  else
    measure_objects(job);
  g_idle_add_full(G_PRIORITY_DEFAULT, stats_arrived, job, NULL);
}

void
vt_layer_measure(VtLayer *self)
{
  static GThreadPool *pool = NULL;
  if (!pool)
    pool = g_thread_pool_new(measure, NULL, 1, TRUE, NULL);
  self->stats_dirty = TRUE;
  if (self->measuring || !self->wants_stats || !vt_layer_has_data(self) || self->settled_view.width_px <= 0)
    return;
  if (self->kind == VT_LAYER_OBJECTS && !self->index)
    return;
  StatsJob *job = g_new0(StatsJob, 1);
  job->layer = g_object_ref(self);
  job->result = vt_result_ref(self->result);
  job->rasters = self->rasters ? g_ptr_array_ref(self->rasters) : NULL;
  job->index = self->index ? vt_outline_index_ref(self->index) : NULL;
  job->view = self->settled_view;
  job->scalar = vt_layer_is_scalar(self);
  job->measure = (guint)MAX(vt_layer_find_measure(self), VT_OBJECT_MEASUREMENTS);
  job->columns = self->kind == VT_LAYER_OBJECTS ? vt_columns_ref(vt_layer_get_columns(self)) : NULL;
  job->data_serial = self->data_serial;
  self->measuring = TRUE;
  self->stats_dirty = FALSE;
  g_thread_pool_push(pool, job, NULL);
}
