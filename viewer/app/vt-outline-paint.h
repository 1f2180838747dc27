/* SPDX-License-Identifier: MIT
 *
 * Pictures of objects: outlines, or how many there are where outlines would be dots. Drawn in squares of device pixels laid
 * out from the slide's corner, so that a view that moved a little needs only the squares that came into it. Any thread. */
#pragma once
#include "vt-outline-index.h"
#include "vt-painted.h"

G_BEGIN_DECLS

typedef struct {
  VtColormap map;  /* labels: by number; continuous: of the counts */
  double line_px;  /* device pixels */
  double pixel_l0; /* level-0 pixels per device pixel */
  gboolean filled; /* thinly, inside the outlines */
} VtOutlineLook;

/* Objects smaller than this many device pixels are counted, not outlined. */
#define VT_OUTLINE_LEAST_PX 4
gboolean vt_outline_wants_density(const VtOutlineIndex *index, double pixel_l0);
/* Edge of a cell of level-0 pixels, a power of two: 12 to 24 device pixels. */
double vt_outline_get_cell(double pixel_l0);

/* The rectangle (level-0 pixels) and a margin. Squares of `previous` are taken over; the caller says NULL when it shows other
 * objects or has another look. `density` NULL: outlines. */
VtPainted *vt_outline_paint(const VtOutlineIndex *index, const VtDensity *density, const VtOutlineLook *look, double x0,
                            double y0, double x1, double y1, const VtPainted *previous);

G_END_DECLS
