/* SPDX-License-Identifier: MIT
 *
 * Pictures of rasters, in tiles that are counted from the zero of the rasters' own grid: what a view that moved, or another result, shows as
 * before is taken over from the picture before, with the texture that the graphics card has of it. Any thread. */
#pragma once
#include "layers/vt-painted.h"

/* What is seen of rasters with more pixels than the screen: a rectangle of level-0 pixels, and how many of them a device pixel shows. */
typedef struct {
  double x0, y0, x1, y1, downsample;
  gboolean whole_tiles; /* also what is not seen of a tile: the next picture may show it */
} VtRasterSeen;

/* Of rasters (VtRaster) with one grid, a later one over an earlier one; nothing of none. `seen` NULL: all of them, each pixel; else each n-th
 * pixel, as many as are seen. `previous`: a picture whose tiles may be taken over, whatever it shows, or NULL. The picture keeps the rasters. */
VtPainted *vt_raster_paint(GPtrArray *rasters, const VtColoring *coloring, const VtRasterSeen *seen,
                           const VtPainted *previous);
