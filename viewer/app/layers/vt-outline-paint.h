/* SPDX-License-Identifier: MIT
 *
 * Pictures of objects: outlines, or how dense they lie where outlines would be dots. Drawn in squares of device pixels laid
 * out from the slide's corner, so that a view that moved a little needs only the squares that came into it. Any thread. */
#pragma once
#include "raster/vt-coloring.h"
#include "run/vt-model.h"
#include "layers/vt-object-filter.h"
#include "layers/vt-outline-index.h"
#include "layers/vt-painted.h"

typedef struct {
  VtColormap map;     /* labels: by number; continuous: of the density */
  double line_px;     /* device pixels */
  double pixel_l0;    /* level-0 pixels per device pixel */
  double cell_l0;     /* edge of a cell of the density, by vt_outline_get_cell() */
  double density_top; /* objects per level-0 pixel where the density's colours end */
  gboolean filled;    /* thinly, inside the outlines */
  guint measure; /* the column that gives the colour, by `coloring`; what that does not show is left out. 0: none */
  VtColumns *columns; /* of the objects; NULL: no column gives the colour */
  VtColoring coloring;
  VtClassified *
    classified; /* the classes of the objects, which give the colours where no measurement does; what is left out is drawn faintly; or NULL */
  VtObjectFilter *filter; /* what does not pass is drawn faintly; NULL: all passes */
} VtOutlineLook;

/* Objects smaller than this many device pixels are counted, not outlined. */
#define VT_OUTLINE_LEAST_PX 4
gboolean vt_outline_wants_density(const VtOutlineIndex *index, double pixel_l0);
/* How a density is coloured, from 0 to its top: a solid map grows opaque, from nothing. */
VtColoring vt_outline_get_density_coloring(VtColormap map, double top);
/* Where the scale of a density ends: a round number (1, 2 or 5 times a power of ten) that is not below `max` nor below `least`,
 * all in the same unit. So few objects on glass do not look like tissue full of them. */
double vt_outline_get_density_top(double max, double least);
/* Of the objects that the look shows and does not draw faintly, in the look's cells. Owned. */
VtDensity *vt_outline_count(const VtOutlineIndex *index, const VtOutlineLook *look);
/* Edge of a cell of level-0 pixels, a power of two: 12 to 24 device pixels. */
double vt_outline_get_cell(double pixel_l0);

/* The rectangle (level-0 pixels) and a margin. Squares of `previous` (or NULL) are taken over: without a look at them where it is of the same
 * objects and look (`is_same`), else those that come out the same. There is none where no outline is. `density` NULL: outlines. */
VtPainted *vt_outline_paint(const VtOutlineIndex *index, const VtDensity *density, const VtOutlineLook *look, double x0,
                            double y0, double x1, double y1, const VtPainted *previous, gboolean is_same);
