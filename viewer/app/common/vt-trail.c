/* SPDX-License-Identifier: MIT */
#include "common/vt-trail.h"

#include <math.h>

VtTrail *
vt_trail_new(gint64 width_l0, gint64 height_l0)
{
  double cell_l0 = (double)MAX(width_l0, height_l0) / VT_TRAIL_CELLS;
  /* Every cell's middle lies on the slide. */
  int n_cols = CLAMP((int)ceil((double)width_l0 / cell_l0 - 0.5), 1, VT_TRAIL_CELLS);
  int n_rows = CLAMP((int)ceil((double)height_l0 / cell_l0 - 0.5), 1, VT_TRAIL_CELLS);
  VtTrail *trail = g_malloc0(sizeof *trail + (gsize)n_cols * (gsize)n_rows);
  trail->cell_l0 = cell_l0;
  trail->n_cols = n_cols;
  trail->n_rows = n_rows;
  return trail;
}

static gboolean
is_in_view(const VtTrail *trail, const VtViewport *view, int col, int row)
{
  double x, y;
  vt_viewport_from_l0(view, (col + 0.5) * trail->cell_l0, (row + 0.5) * trail->cell_l0, &x, &y);
  return x >= 0 && y >= 0 && x <= view->width_px && y <= view->height_px;
}

gboolean
vt_trail_mark(VtTrail *trail, const VtViewport *view, double x_l0, double y_l0, double width_l0, double height_l0)
{
  gboolean is_new = FALSE;
  int first_col = (int)ceil(CLAMP(x_l0 / trail->cell_l0 - 0.5, 0, trail->n_cols));
  int first_row = (int)ceil(CLAMP(y_l0 / trail->cell_l0 - 0.5, 0, trail->n_rows));
  int end_col = (int)ceil(CLAMP((x_l0 + width_l0) / trail->cell_l0 - 0.5, 0, trail->n_cols));
  int end_row = (int)ceil(CLAMP((y_l0 + height_l0) / trail->cell_l0 - 0.5, 0, trail->n_rows));
  for (int row = first_row; row < end_row; row++) {
    for (int col = first_col; col < end_col; col++) {
      guint8 *cell = &trail->seen[row * trail->n_cols + col];
      if (*cell || !is_in_view(trail, view, col, row))
        continue;
      is_new = TRUE;
      *cell = 1;
    }
  }
  trail->any = trail->any || is_new;
  return is_new;
}
