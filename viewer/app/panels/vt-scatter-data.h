/* SPDX-License-Identifier: MIT
 *
 * Two numbers of each object as points of a plot, and how many of them lie in each cell of it. Exact: each object is counted. Both are
 * immutable once made, any thread. */
#pragma once
#include "layers/vt-object-filter.h"
#include "panels/vt-plot-axis.h"

/* What a person drew on a plot: a range of both numbers, or a polygon. */
typedef struct {
  gboolean is_polygon;
  double from_x, to_x, from_y, to_y; /* else; both ends belong to it */
  GArray *points;                    /* double, pairs of values; or NULL */
} VtScatterChoice;

/* The numbers of those objects that have both. */
typedef struct {
  guint column_x, column_y;
  gboolean is_log_x, is_log_y;
  guint n_objects, n_passing, n_absent; /* all; that pass the filter; of these, without a number to show on both axes */
  guint n;
  double *x, *y;           /* values */
  guint8 *passes;          /* the filter */
  VtPlotAxis all_x, all_y; /* all of them and round ends; where n is 0 they are 0 to 1 */
} VtScatterPoints;

/* `filter` NULL: all pass. Owned. */
VtScatterPoints *vt_scatter_points_new(const VtColumns *columns, const VtObjectFilter *filter, guint column_x,
                                       gboolean is_log_x, guint column_y, gboolean is_log_y);
VtScatterPoints *vt_scatter_points_ref(VtScatterPoints *points);
void vt_scatter_points_unref(VtScatterPoints *points);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(VtScatterPoints, vt_scatter_points_unref)

#define VT_SCATTER_OUTSIDE G_MAXUINT32
typedef struct {
  VtScatterPoints *points;
  VtPlotAxis x, y; /* what is seen */
  guint width, height;
  guint32 *counts; /* of those that pass, rows from the top */
  guint8 *others;  /* one that does not pass is here */
  guint32 *cells;  /* of each point, or VT_SCATTER_OUTSIDE */
  guint32 most;    /* of `counts` */
  guint n_outside; /* of those that pass */
} VtScatterData;

/* Keeps the points. Upper ends of the axes belong to the last cells. Owned. */
VtScatterData *vt_scatter_data_new(VtScatterPoints *points, const VtPlotAxis *x, const VtPlotAxis *y, guint width,
                                   guint height);
VtScatterData *vt_scatter_data_ref(VtScatterData *self);
void vt_scatter_data_unref(VtScatterData *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(VtScatterData, vt_scatter_data_unref)
/* How many of those that pass are in it, wherever the plot is. By a mask over the cells: only objects in cells that a border crosses
 * are looked at one by one. The same as vt_scatter_choice_new_filter() of each. */
guint vt_scatter_data_count(const VtScatterData *self, const VtScatterChoice *choice);
/* 0 to 1, for a count of 1 to `most`: a logarithm. */
double vt_scatter_get_shade(guint32 count, guint32 most);

void vt_scatter_choice_clear(VtScatterChoice *choice);
/* Owned. */
VtObjectFilter *vt_scatter_choice_new_filter(const VtScatterChoice *choice, const VtColumns *columns, guint column_x,
                                             gboolean is_log_x, guint column_y, gboolean is_log_y);
