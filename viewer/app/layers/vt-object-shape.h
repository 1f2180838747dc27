/* SPDX-License-Identifier: MIT
 *
 * A polygon on a plot of two of the objects' numbers. On a logarithmic axis its edges are straight where the plot draws them so. Immutable,
 * counted, any thread. */
#pragma once
#include "run/vt-run.h"

typedef struct {
  guint x, y; /* columns, as VtObjectFilter counts them */
  gboolean is_log_x, is_log_y;
  guint n;        /* corners */
  double *places; /* x and y in turns, by vt_object_shape_get_place() */
  double low[2],
    high[2]; /* beyond these nothing is inside; a little more than the corners, for an edge's places are rounded */
} VtObjectShape;

/* `points`: n pairs of values. Keeps a copy. */
VtObjectShape *vt_object_shape_new(guint x, gboolean is_log_x, guint y, gboolean is_log_y, const double *points,
                                   guint n);
VtObjectShape *vt_object_shape_ref(VtObjectShape *shape);
void vt_object_shape_unref(VtObjectShape *shape);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(VtObjectShape, vt_object_shape_unref)
/* Where a value is on an axis: itself, or its common logarithm; NaN: nowhere. */
double vt_object_shape_get_place(double value, gboolean is_log);
/* Whether the edge that begins at corner i is to the right of a place that it passes: by these a place is inside or outside. */
gboolean vt_object_shape_passes(const VtObjectShape *shape, guint i, double x, double y);
/* A place is in it (even-odd rule; a lower or left border belongs to it, an upper or right one does not). */
gboolean vt_object_shape_holds(const VtObjectShape *shape, double x, double y);
