/* SPDX-License-Identifier: MIT
 *
 * What a worker counts for a plot. */
#pragma once
#include "panels/vt-boxes-data.h"
#include "panels/vt-parallel-data.h"
#include "panels/vt-plot-data.h"
#include "panels/vt-scatter-data.h"

typedef enum { VT_PLOT_HISTOGRAM, VT_PLOT_PARALLEL, VT_PLOT_BOXES, VT_PLOT_SCATTER } VtPlotKind;

typedef struct {
  VtPlotKind kind;
  VtColumns *columns;
  VtObjectFilter *filter; /* or NULL */
  guint column_x;
  guint column_y; /* of a scatter plot; of box plots, the column of words that they are by */
  gboolean is_log_x, is_log_y;
  char *title_x, *title_y;
  guint width, height; /* bins, or cells */
  gboolean has_view;   /* else all is seen */
  VtPlotAxis view_x, view_y;
  VtScatterPoints
    *points; /* of the same objects, columns and filter, so that only cells are counted; NULL: to be made */
  VtClassified *classified;             /* what parallel axes have their colours by; or NULL */
  guint n_axes, axes[VT_PARALLEL_MOST]; /* of these */
  GPtrArray *titles;                    /* char *, of the axes */
  VtPlotRange ranges[VT_PARALLEL_MOST];
  VtParallelPoints *lines; /* as points */
  VtPlotData *bins;        /* results: one of them */
  VtParallelData *parallel;
  VtBoxesData *boxes;
  VtScatterData *cells;
} VtPlotJob;

/* Keeps what it is given. */
VtPlotJob *vt_plot_job_new(VtColumns *columns, VtObjectFilter *filter, VtScatterPoints *points);
void vt_plot_job_free(gpointer job);
/* Any thread. */
void vt_plot_job_run(VtPlotJob *job);
