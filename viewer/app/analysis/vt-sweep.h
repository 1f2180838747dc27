/* SPDX-License-Identifier: MIT
 *
 * What an analysis gives along the values of one parameter, all else as it is: how many objects, and, where there is a truth to compare
 * with, the score. One run per value, on what is shown; steps before the parameter are made once. Begun anew when anything else
 * changes. What runs for the picture goes first. Main thread only.
 *
 * Signal: "changed" (anything below). */
#pragma once
#include "analysis/vt-reference.h"

typedef struct {
  double value;
  gboolean done, failed;
  guint n_objects;
  double f1; /* at an IoU of 0.5; NaN: there is no truth */
} VtSweepPoint;

#define VT_TYPE_SWEEP (vt_sweep_get_type())
G_DECLARE_FINAL_TYPE(VtSweep, vt_sweep, VT, SWEEP, GObject)

VtSweep *vt_sweep_new(VtAnalysis *analysis, VtReference *reference);
/* The present op finds objects. */
gboolean vt_sweep_is_possible(VtSweep *self);
/* Of one parameter at a time; n rising values. */
void vt_sweep_start(VtSweep *self, guint param, const double *values, guint n);
void vt_sweep_stop(VtSweep *self);
/* VtSweepPoint by value; borrowed. NULL: it is of another parameter, or of none. */
const GArray *vt_sweep_get_points(VtSweep *self, guint param);
/* What is shown is a preview: so are the numbers. */
gboolean vt_sweep_is_preview(VtSweep *self);
