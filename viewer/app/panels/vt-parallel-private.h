/* SPDX-License-Identifier: MIT */
#pragma once
#include "panels/vt-parallel.h"
#include "panels/vt-plot-hands.h"
#include "panels/vt-plot-shade.h"

#define VT_PARALLEL_SIDE 44   /* half a title, half a number */
#define VT_PARALLEL_TOP 66    /* the legend, titles in two lines, the upper ends */
#define VT_PARALLEL_BOTTOM 22 /* the lower ends */

struct _VtParallel {
  GtkWidget parent;
  VtParallelData *data; /* or NULL */
  GPtrArray *titles;    /* or NULL */
  VtPlotPicture picture;
  VtPlotRange ranges[VT_PARALLEL_MOST];
  double mark[VT_PARALLEL_MOST];
  gboolean has_mark;
  guint axis; /* that keys move */
  VtPlotGrip grip;
};

/* Logical pixels: from the first axis to the last, a whole number of cells from each to the next; and how long an axis is. */
double vt_parallel_get_gap(VtParallel *self, guint n_axes);
double vt_parallel_get_height(VtParallel *self);
double vt_parallel_get_x(VtParallel *self, guint axis);
double vt_parallel_get_y(VtParallel *self, guint axis, double value);
/* vt-parallel-draw.c */
void vt_parallel_snapshot(GtkWidget *widget, GtkSnapshot *snapshot);
