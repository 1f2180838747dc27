/* SPDX-License-Identifier: MIT
 *
 * A raster that memory need not hold: its tiles go to a tiled TIFF as they come, row by row, and those of its pixels that the
 * overlay looks at stay in memory. */
#pragma once
#include "raster/vt-raster.h"

typedef struct VtSink VtSink;

/* Pixels of an overlay, on the grid of `downsample` anchored at the slide's corner. */
typedef struct {
  guint downsample;
  gint64 x, y, width, height;
} VtOverlayGrid;

/* `layout` says type, place and size of the whole raster; its data is not used. */
VtSink *vt_sink_new(const char *path, const VtRaster *layout, const VtOverlayGrid *grid, const VtTiffOptions *options,
                    GError **error);
/* Nobody will look at the picture: its memory is given back. */
void vt_sink_drop_picture(VtSink *sink);
/* A tile whose left upper corner lies a multiple of 512 px from the raster's, as wide and as high, or to the raster's edge.
 * Tiles may come from any thread; the file is the same only if their order is. After a tile that is the whole raster, which is then the only
 * one, a thread begins to end the file. */
gboolean vt_sink_write(VtSink *sink, const VitrailTile *tile, GError **error);
/* Ends the file. The picture (owned; NULL if it was dropped): the pixels under the middles of the overlay's, as a raster on
 * its grid, as far as the raster goes. */
gboolean vt_sink_finish(VtSink *sink, VtRaster **picture, GError **error);
/* Of one that was not finished: removes the file, after its thread has ended. */
void vt_sink_free(VtSink *sink);
