/* SPDX-License-Identifier: MIT
 *
 * How raw values become colours: the map, its range, which values are shown at all. Never touches the values. */
#pragma once
#include "vt-colormap.h"

G_BEGIN_DECLS

typedef struct {
  VtColormap map;
  double min, max;             /* physical range of a continuous map */
  double shown_min, shown_max; /* physical; values outside are transparent. -INFINITY and INFINITY: all are shown */
  gboolean outline;            /* masks and labels: only the pixels of an object that touch another value */
} VtColoring;

/* Every value shown, nothing outlined. */
VtColoring vt_coloring_make(VtColormap map, double min, double max);
gboolean vt_coloring_equal(const VtColoring *a, const VtColoring *b);

/* Tables made once for many parts of one raster; used by several threads at the same time. */
typedef struct VtColorizer VtColorizer;
VtColorizer *vt_colorizer_new(const VtColoring *coloring, const VtRaster *raster); /* the raster must outlive it */
void vt_colorizer_free(VtColorizer *colorizer);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(VtColorizer, vt_colorizer_free)
/* Rectangle (x,y,width,height) in raster pixels from its first one, as GDK_MEMORY_DEFAULT (premultiplied) bytes; `out` and
 * `stride` are multiples of four. Values that are not finite are transparent, and zero where it means that nothing is there. */
void vt_colorizer_apply(const VtColorizer *colorizer, gint64 x, gint64 y, gint64 width, gint64 height, guint8 *out,
                        gsize stride);

G_END_DECLS
