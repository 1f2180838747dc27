/* SPDX-License-Identifier: MIT
 *
 * How raw values become colours: the map, its range, which values are shown at all. Never touches the values. */
#pragma once
#include "raster/vt-colormap.h"

typedef struct {
  VtColormap map;
  double min, max;             /* physical range of a continuous map */
  double shown_min, shown_max; /* physical; values outside are transparent. -INFINITY and INFINITY: all are shown */
  gboolean outline;            /* masks and labels: only the pixels of an object that touch another value */
  /* Of ranges from zero, where zero means nothing: values fade in from it over the first part of the range, so that next to nothing
   * does not look like something. A solid map fades in over the whole range. */
  gboolean fades;
} VtColoring;

/* Share of the range over which values fade in. */
#define VT_COLORING_FADE 0.2

/* Every value shown, nothing outlined. */
VtColoring vt_coloring_make(VtColormap map, double min, double max);
gboolean vt_coloring_equal(const VtColoring *a, const VtColoring *b);
/* How opaque a continuous or solid map is at t (0..1) of its range, 0 to 1, and its colour there. */
double vt_coloring_get_alpha(const VtColoring *coloring, double t);
void vt_coloring_get_color(const VtColoring *coloring, double t, guint8 rgb[3]);

/* Tables made once for many parts of one raster; used by several threads at the same time. */
typedef struct VtColorizer VtColorizer;
VtColorizer *vt_colorizer_new(const VtColoring *coloring, const VtRaster *raster); /* the raster must outlive it */
void vt_colorizer_free(VtColorizer *colorizer);
/* Of one raw value, premultiplied, alpha in the highest byte, then red, green, blue. 0: not shown. */
guint32 vt_colorizer_get(const VtColorizer *colorizer, double raw);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(VtColorizer, vt_colorizer_free)
/* Rectangle (x,y,width,height) in raster pixels from its first one, as GDK_MEMORY_DEFAULT (premultiplied) bytes; `out` and
 * `stride` are multiples of four. Values that are not finite are transparent, and zero where it means that nothing is there. */
void vt_colorizer_apply(const VtColorizer *colorizer, gint64 x, gint64 y, gint64 width, gint64 height, guint8 *out,
                        gsize stride);
