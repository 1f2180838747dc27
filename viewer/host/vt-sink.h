/* SPDX-License-Identifier: MIT
 *
 * A raster that memory need not hold: its tiles go to a tiled BigTIFF as they come, row by row, and a small picture of it
 * stays for the overlay. */
#pragma once
#include "vt-raster.h"

G_BEGIN_DECLS

typedef struct VtSink VtSink;

/* `layout` says type, place and size of the whole raster; its data is not used. */
VtSink *vt_sink_new(const char *path, const VtRaster *layout, GError **error);
/* A tile whose left upper corner lies a multiple of 512 px from the raster's, as wide and as high, or to the raster's edge.
 * Tiles may come from any thread; the file is the same only if their order is. */
gboolean vt_sink_write(VtSink *sink, const VitrailTile *tile, GError **error);
/* Ends the file. The picture (owned): every k-th pixel, at most 4096 a side. */
gboolean vt_sink_finish(VtSink *sink, VtRaster **picture, GError **error);
/* Of one that was not finished: removes the file. */
void vt_sink_free(VtSink *sink);

G_END_DECLS
