/* SPDX-License-Identifier: MIT
 *
 * Regions that grow from one pixel of a raster. */
#pragma once
#include "raster/vt-raster.h"
#include "run/vt-roi.h"

#define VT_WAND_EDGE 4096 /* pixels: it grows in a square of this edge round its pixel, and no farther */

/* The pixels that hang together by edges (by_corners: or by corners) with one inside of the raster, and whose raw values differ from its by `tolerance` at most: outlined along edges
 * of pixels, valid, with exact holes. NULL and a sentence: it has no value, or grows out of the square. [any] */
VtRoi *vt_wand_grow(const VtRaster *raster, gint64 col, gint64 row, double tolerance, gboolean by_corners,
                    GError **error);
