/* SPDX-License-Identifier: MIT
 *
 * Which parts of a slide have been looked at: a coarse bitmap, no widget. A cell counts when its middle was seen. */
#pragma once
#include "common/vt-viewport.h"

#define VT_TRAIL_CELLS 256 /* along the longer side */

typedef struct {
  double cell_l0;
  int n_cols, n_rows;
  gboolean any;
  guint8 seen[]; /* row by row, 0 or 1 */
} VtTrail;

/* Free with g_free(). */
VtTrail *vt_trail_new(gint64 width_l0, gint64 height_l0);
/* The part of a rectangle of level-0 pixels that lies in the view was seen; TRUE if that is new of any cell. */
gboolean vt_trail_mark(VtTrail *trail, const VtViewport *view, double x_l0, double y_l0, double width_l0,
                       double height_l0);
