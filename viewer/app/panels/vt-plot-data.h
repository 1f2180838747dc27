/* SPDX-License-Identifier: MIT
 *
 * The numbers of a histogram of objects: how many lie in each bin, of all and of those that pass a filter. Exact: each object is
 * counted. Immutable once made, any thread. */
#pragma once
#include "layers/vt-object-filter.h"
#include "panels/vt-plot-axis.h"

typedef struct {
  guint n_objects, n_passing; /* of all; that pass the filter */
  guint n_absent;  /* pass it, but have no number (up to 1e300), or on a logarithmic axis none above zero: in no bin */
  VtPlotAxis axis; /* from the first edge to the last */
  double *values;  /* of those that pass and are in a bin */
  guint n_values;
  GArray
    *edges; /* double, rising, round: bin i goes from edge i to under edge i + 1. Empty: there is nothing to show */
  guint *all, *some; /* a number a bin: of all objects, of those that pass */
} VtPlotData;

/* About `most_bins` (from 2 on) bins, on a logarithmic axis at least one a decade, over all numbers of the column. `filter` NULL: all pass. Owned. */
VtPlotData *vt_plot_data_new(const VtColumns *columns, const VtObjectFilter *filter, guint column, gboolean is_log,
                             guint most_bins);
void vt_plot_data_free(VtPlotData *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(VtPlotData, vt_plot_data_free)
/* How many of those that pass have a number of from to to, both ends included. */
guint vt_plot_data_count(const VtPlotData *self, double from, double to);

/* The bin of a number; -1: none. */
gint vt_plot_data_find_bin(const VtPlotData *self, double value);
