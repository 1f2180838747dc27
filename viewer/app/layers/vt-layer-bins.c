/* SPDX-License-Identifier: MIT */
#include <math.h>

#include "base/vt-define.h"
#include "common/vt-drop.h"
#include "common/vt-task.h"
#include "common/vt-test-log.h"
#include "layers/vt-layer-private.h"

typedef struct {
  VtColumns *columns;
  guint column;
  guint64 data_serial;
  const char *measure;
  double min, max;
  guint *counts;
} Job;

static void
job_free(gpointer data)
{
  Job *job = data;
  vt_drop(job->columns, (GDestroyNotify)vt_columns_unref);
  g_free(job->counts);
  g_free(job);
}

static void
count_in_thread(GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  Job *job = data;
  job->counts = g_new0(guint, VT_LEGEND_BINS);
  for (guint i = 0; i < job->columns->objects->len; i++) {
    const double value = vt_columns_get_value(job->columns, i, job->column);
    const double at = VT_LEGEND_BINS * (value - job->min) / (job->max - job->min);
    if (!isnan(at))
      job->counts[(guint)CLAMP(floor(at), 0, VT_LEGEND_BINS - 1)]++;
  }
  g_task_return_boolean(task, TRUE);
}

static gboolean
is_of_now(VtLayer *self)
{
  return self->bins && self->bins_serial == self->data_serial && self->bins_measure == self->measure
         && self->bins_range[0] == self->coloring.min && self->bins_range[1] == self->coloring.max;
}

static void
counted(GObject *source, GAsyncResult *result, gpointer user)
{
  VtLayer *self = VT_LAYER(source);
  Job *job = g_task_get_task_data(G_TASK(result));
  self->is_binning = FALSE;
  if (job->data_serial == self->data_serial) {
    vt_layer_forget_bins(self);
    self->bins = g_steal_pointer(&job->counts);
    self->bins_serial = job->data_serial;
    self->bins_measure = job->measure;
    self->bins_range[0] = job->min;
    self->bins_range[1] = job->max;
    guint n = 0;
    for (guint i = 0; i < VT_LEGEND_BINS; i++)
      n += self->bins[i];
    vt_test_log("legend-bins %u %u", n, self->bins[0]);
  }
  g_signal_emit_by_name(self, "redraw"); /* which asks again, if they are not those of now */
}

void
vt_layer_forget_bins(VtLayer *self)
{
  g_clear_pointer(&self->bins, g_free);
}

const guint *
vt_layer_get_bins(VtLayer *self)
{
  const gint column = vt_layer_find_measure(self);
  if (column < 0 || !(self->coloring.max > self->coloring.min))
    return NULL;
  if (is_of_now(self))
    return self->bins;
  if (self->is_binning)
    return NULL;
  Job *job = g_new0(Job, 1);
  job->columns = vt_columns_ref(vt_layer_get_columns(self));
  job->column = (guint)column;
  job->data_serial = self->data_serial;
  job->measure = self->measure;
  job->min = self->coloring.min;
  job->max = self->coloring.max;
  self->is_binning = TRUE;
  vt_task_run(self, NULL, counted, NULL, count_in_thread, job, job_free);
  return NULL;
}
