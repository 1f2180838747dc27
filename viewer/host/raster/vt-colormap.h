/* SPDX-License-Identifier: MIT
 *
 * Raw values to colours. A colour map never touches the values: changing one only redraws. */
#pragma once
#include "raster/vt-raster.h"

typedef enum {
  VT_COLORMAP_GRAY,
  VT_COLORMAP_VIRIDIS,
  VT_COLORMAP_MAGMA,
  VT_COLORMAP_CIVIDIS,
  VT_COLORMAP_DIVERGING, /* blue - white - red, centre of the range is white */
  /* Zero is transparent, everything else one colour. The five are told apart by eyes without red, green or blue cones, too, and
   * from the pinks and purples of H&E and the yellow end of viridis. */
  VT_COLORMAP_MASK, /* orange */
  VT_COLORMAP_MINT,
  VT_COLORMAP_CRIMSON,
  VT_COLORMAP_BLUE,
  VT_COLORMAP_BLACK,
  VT_COLORMAP_LABELS, /* zero is transparent, labels take well-separated hues by number */
  VT_N_COLORMAPS
} VtColormap;

const char *vt_colormap_get_id(VtColormap map);    /* "viridis" */
const char *vt_colormap_get_title(VtColormap map); /* "Viridis" */
VtColormap vt_colormap_from_id(const char *id);    /* unknown or NULL: gray */
gboolean vt_colormap_is_continuous(VtColormap map);
/* Colour at t in 0..1 (continuous maps). r g b in 0..255. */
void vt_colormap_get_color(VtColormap map, double t, guint8 rgb[3]);
void vt_colormap_get_label_color(gint64 label, guint8 rgb[3]);
/* One colour for everything that is not zero. */
gboolean vt_colormap_is_solid(VtColormap map);
/* That colour (solid maps). r g b in 0..255. */
void vt_colormap_get_solid_color(VtColormap map, guint8 rgb[3]);
