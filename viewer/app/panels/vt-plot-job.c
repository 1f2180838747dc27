/* SPDX-License-Identifier: MIT */
#include "panels/vt-plot-job.h"

#include "common/vt-drop.h"

VtPlotJob *
vt_plot_job_new(VtColumns *columns, VtObjectFilter *filter, VtScatterPoints *points)
{
  VtPlotJob *self = g_new0(VtPlotJob, 1);
  self->columns = vt_columns_ref(columns);
  self->filter = filter ? vt_object_filter_ref(filter) : NULL;
  self->points = points ? vt_scatter_points_ref(points) : NULL;
  return self;
}

void
vt_plot_job_free(gpointer job)
{
  VtPlotJob *self = job;
  vt_drop(self->columns, (GDestroyNotify)vt_columns_unref);
  g_clear_pointer(&self->filter, vt_object_filter_unref);
  g_clear_pointer(&self->points, vt_scatter_points_unref);
  g_clear_pointer(&self->classified, vt_classified_unref);
  g_clear_pointer(&self->titles, g_ptr_array_unref);
  g_clear_pointer(&self->lines, vt_parallel_points_unref);
  g_clear_pointer(&self->parallel, vt_parallel_data_free);
  g_clear_pointer(&self->bins, vt_plot_data_free);
  g_clear_pointer(&self->cells, vt_scatter_data_unref);
  g_clear_pointer(&self->boxes, vt_boxes_data_free);
  g_free(self->title_x);
  g_free(self->title_y);
  g_free(self);
}

void
vt_plot_job_run(VtPlotJob *job)
{
  if (job->kind == VT_PLOT_HISTOGRAM) {
    job->bins = vt_plot_data_new(job->columns, job->filter, job->column_x, job->is_log_x, job->width);
    return;
  }
  if (job->kind == VT_PLOT_PARALLEL) {
    if (!job->lines)
      job->lines = vt_parallel_points_new(job->columns, job->filter, job->classified, job->axes, job->n_axes);
    job->parallel = vt_parallel_data_new(job->lines, job->ranges, job->width, job->height);
    return;
  }
  if (job->kind == VT_PLOT_BOXES) {
    job->boxes = vt_boxes_data_new(job->columns, job->filter, job->column_x, job->column_y, job->is_log_x);
    return;
  }
  if (!job->points)
    job->points =
      vt_scatter_points_new(job->columns, job->filter, job->column_x, job->is_log_x, job->column_y, job->is_log_y);
  const VtPlotAxis *x = job->has_view ? &job->view_x : &job->points->all_x;
  const VtPlotAxis *y = job->has_view ? &job->view_y : &job->points->all_y;
  job->cells = vt_scatter_data_new(job->points, x, y, job->width, job->height);
}
