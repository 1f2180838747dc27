/* SPDX-License-Identifier: MIT
 *
 * Parallel coordinates (VtParallelData): how many objects' lines go through each cell, in colours of a logarithmic scale, or in those of their classes. A drag
 * along an axis makes a range on it, moves one, or an end of it; a click takes it away. Left and Right choose an axis, Up and Down move the upper end of its range, with Shift the lower one.
 * Signals: "choice" (other ranges), "resized" (data are wanted). Main thread only. */
#pragma once
#include <gtk/gtk.h>

#include "panels/vt-parallel-data.h"

#define VT_TYPE_PARALLEL (vt_parallel_get_type())
G_DECLARE_FINAL_TYPE(VtParallel, vt_parallel, VT, PARALLEL, GtkWidget)

/* Takes the data and the titles (char *, one of each axis); NULL: nothing is shown. Ranges stay. */
void vt_parallel_set(VtParallel *self, VtParallelData *data, GPtrArray *titles);
const VtParallelData *vt_parallel_get_data(VtParallel *self); /* or NULL */
/* How many cells there is room for, with so many axes. */
void vt_parallel_get_room(VtParallel *self, guint n_axes, guint *gap, guint *height);
/* The numbers of the selected object, one of each axis; NULL: none. Copied. */
void vt_parallel_set_mark(VtParallel *self, const double *values, guint n);
/* One of each axis; how many there are on them. */
const VtPlotRange *vt_parallel_get_ranges(VtParallel *self, guint *n);
void vt_parallel_set_range(VtParallel *self, guint axis, double from, double to);
void vt_parallel_drop_ranges(VtParallel *self);
