/* SPDX-License-Identifier: MIT
 *
 * Parallel coordinates: an axis for each of some numbers of the objects, side by side, and a line for each object from one to the next. Exact: how many
 * lines go through each cell between the axes, each object counted. Both are immutable once made, any thread. */
#pragma once
#include "layers/vt-object-filter.h"
#include "panels/vt-plot-axis.h"
#include "run/vt-model.h"

enum { VT_PARALLEL_LEAST = 3, VT_PARALLEL_MOST = 12 }; /* axes */

/* The numbers of all objects. */
typedef struct {
  guint n_axes, columns[VT_PARALLEL_MOST];
  VtPlotAxis axes[VT_PARALLEL_MOST]; /* all numbers and round ends */
  guint n, n_passing, n_absent;      /* all; that pass the filter; of these, without a number on one of the axes */
  double *values[VT_PARALLEL_MOST];  /* NaN: none that can be shown */
  guint8 *passes;                    /* the filter */
  VtClassified *classified;          /* of these objects; or NULL */
} VtParallelPoints;

/* `filter` NULL: all pass. `classified` of other objects is taken for none. Owned. */
VtParallelPoints *vt_parallel_points_new(const VtColumns *columns, const VtObjectFilter *filter,
                                         VtClassified *classified, const guint *axes, guint n_axes);
VtParallelPoints *vt_parallel_points_ref(VtParallelPoints *points);
void vt_parallel_points_unref(VtParallelPoints *points);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(VtParallelPoints, vt_parallel_points_unref)

typedef struct {
  VtParallelPoints *points;
  guint gap, width,
    height;        /* cells: from one axis to the next; n_axes - 1 gaps; from the lower to the upper end of an axis */
  guint32 *counts; /* rows from the top, of those that pass and are in all ranges */
  guint8 *others;  /* a line of one that does not is here */
  guint8 *rgb;     /* the mean of the classes' colours of those that are counted; NULL: there are no classes */
  guint32 most;    /* of `counts` */
  guint n_chosen;  /* pass and are in all ranges */
} VtParallelData;

/* Keeps the points. A line goes from the middle of a cell to the middle of a cell, and through each cell of a column that it crosses; where one of the two numbers is missing
 * there is none. ranges: one for each axis, or NULL. Owned. */
VtParallelData *vt_parallel_data_new(VtParallelPoints *points, const VtPlotRange *ranges, guint gap, guint height);
void vt_parallel_data_free(VtParallelData *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(VtParallelData, vt_parallel_data_free)
/* The cells of column `at` of `gap` that a line from row a to row b goes through: from the first to the last. */
void vt_parallel_get_rows(int a, int b, int at, int gap, int *first, int *last);
