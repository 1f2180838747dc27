/* SPDX-License-Identifier: MIT
 *
 * What is shown, over the values of two parameters, all else as it is: a picture, how many objects and, where there is a truth, the score of
 * each pair. Steps before the parameters are made once. Main thread only.
 *
 * Signal: "changed" (a cell). */
#pragma once
#include "analysis/vt-trials.h"

#define VT_GRID_MOST 5 /* cells across, and down */

typedef struct {
  VtParams *params;
  double values[2];
  gboolean is_now; /* both values are the present ones */
  gboolean done, failed;
  guint n_objects;
  double f1;           /* at an IoU of 0.5; NaN: there is no truth */
  GdkTexture *picture; /* NULL: not yet */
  VtResult *result;    /* NULL: not yet, or it failed */
} VtGridCell;

#define VT_TYPE_GRID (vt_grid_get_type())
G_DECLARE_FINAL_TYPE(VtGrid, vt_grid, VT, GRID, GObject)

VtGrid *vt_grid_new(VtAnalysis *analysis, VtReference *reference);
/* A number that a slider has: what a grid can be of. */
gboolean vt_grid_can_vary(const VtParams *params, guint param);
/* Of params[0] across and params[1] down, n values of each or, where it has fewer, as many: the present one and those `spread` (of the slider's length) from
 * each other around it. FALSE and a sentence. */
gboolean vt_grid_start(VtGrid *self, const guint params[2], guint n, double spread, GError **error);
void vt_grid_stop(VtGrid *self);
guint vt_grid_get_size(VtGrid *self, guint axis);
const VtGridCell *vt_grid_get_cell(VtGrid *self, guint column, guint row); /* borrowed */
/* Pictures of the whole view, or of its middle at the view's own size; of no more than so many pixels. */
void vt_grid_set_pictures(VtGrid *self, gboolean is_close, int width, int height);
gboolean vt_grid_is_preview(VtGrid *self);
/* Milliseconds from the start until all were there; 0: not yet. */
double vt_grid_get_ms(VtGrid *self);
