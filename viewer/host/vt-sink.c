/* SPDX-License-Identifier: MIT */
#include "vt-sink.h"

#include <glib/gstdio.h>
#include <string.h>

#include "vt-raster-private.h"

enum { TILE = 512, PICTURE_SIDE = 4096 };

struct VtSink {
  GMutex lock; /* guards the file */
  char *path;
  VtRaster layout;
  VtTiffWriter *writer;
  VtRaster *picture;
  gint64 step; /* raster pixels from picture pixel to picture pixel */
  guint8 *tile;
};

VtSink *
vt_sink_new(const char *path, const VtRaster *layout, GError **error)
{
  VtSink *sink = g_new0(VtSink, 1);
  const gint64 side = MAX(layout->width, layout->height);
  g_mutex_init(&sink->lock);
  sink->path = g_strdup(path);
  sink->layout = *layout;
  sink->layout.data = NULL;
  sink->step = (side - 1) / PICTURE_SIDE + 1;
  sink->tile = g_try_malloc0(TILE * TILE * vt_pixel_size(layout->type));
  sink->picture =
    vt_raster_new(layout->type, (layout->width - 1) / sink->step + 1, (layout->height - 1) / sink->step + 1, error);
  if (sink->picture && sink->tile)
    sink->writer = vt_tiff_writer_new(path, &sink->layout, TILE, error);
  if (sink->writer)
    return sink;
  vt_sink_free(sink);
  return NULL;
}

/* Rows and columns that the picture shows. */
static void
take_picture(VtSink *sink, const VitrailTile *tile, gint64 x0, gint64 y0)
{
  const gsize size = vt_pixel_size(tile->type);
  const gint64 step = sink->step;
  for (gint64 y = (y0 + step - 1) / step; y * step < y0 + tile->height; y++)
    for (gint64 x = (x0 + step - 1) / step; x * step < x0 + tile->width; x++)
      memcpy(sink->picture->data + (gsize)y * sink->picture->stride + (gsize)x * size,
             (const guint8 *)tile->data + (gsize)(y * step - y0) * tile->stride + (gsize)(x * step - x0) * size, size);
}

static gboolean
write_tiles(VtSink *sink, const VitrailTile *tile, gint64 x0, gint64 y0, GError **error)
{
  const gsize size = vt_pixel_size(tile->type);
  for (gint64 y = 0; y < tile->height; y += TILE) {
    for (gint64 x = 0; x < tile->width; x += TILE) {
      const gint64 width = MIN(TILE, tile->width - x), height = MIN(TILE, tile->height - y);
      memset(sink->tile, 0, TILE * TILE * size);
      for (gint64 row = 0; row < height; row++)
        memcpy(sink->tile + (gsize)row * TILE * size,
               (const guint8 *)tile->data + (gsize)(y + row) * tile->stride + (gsize)x * size, (gsize)width * size);
      if (!vt_tiff_writer_put(sink->writer, sink->tile, x0 + x, y0 + y, error))
        return FALSE;
    }
  }
  return TRUE;
}

gboolean
vt_sink_write(VtSink *sink, const VitrailTile *tile, GError **error)
{
  const VtRaster *layout = &sink->layout;
  const gint64 x0 = tile->x - layout->x, y0 = tile->y - layout->y;
  const gboolean fits = tile->type == layout->type && tile->downsample == layout->downsample && x0 >= 0 && y0 >= 0
                        && x0 % TILE == 0 && y0 % TILE == 0 && tile->width <= layout->width - x0
                        && tile->height <= layout->height - y0
                        && (tile->width % TILE == 0 || x0 + tile->width == layout->width)
                        && (tile->height % TILE == 0 || y0 + tile->height == layout->height);
  if (!fits) {
    g_set_error_literal(error, VT_ERROR, VITRAIL_BAD_ARGUMENT, "it hands back a tile that does not fit its raster");
    return FALSE;
  }
  g_mutex_lock(&sink->lock);
  take_picture(sink, tile, x0, y0);
  const gboolean done = write_tiles(sink, tile, x0, y0, error);
  g_mutex_unlock(&sink->lock);
  return done;
}

gboolean
vt_sink_finish(VtSink *sink, VtRaster **picture, GError **error)
{
  const gboolean done = vt_tiff_writer_finish(g_steal_pointer(&sink->writer), error);
  const VtRaster *layout = &sink->layout;
  VtRaster *small = sink->picture;
  small->x = 0;
  small->y = 0;
  small->downsample = layout->downsample * (double)sink->step;
  small->origin_x_l0 = layout->origin_x_l0 + (double)layout->x * layout->downsample;
  small->origin_y_l0 = layout->origin_y_l0 + (double)layout->y * layout->downsample;
  small->scale = layout->scale;
  small->offset = layout->offset;
  small->zero_is_empty = layout->zero_is_empty;
  *picture = g_steal_pointer(&sink->picture);
  if (done)
    g_clear_pointer(&sink->path, g_free);
  return done;
}

void
vt_sink_free(VtSink *sink)
{
  if (!sink)
    return;
  if (sink->writer)
    vt_tiff_writer_finish(sink->writer, NULL);
  if (sink->path)
    g_unlink(sink->path);
  g_clear_pointer(&sink->picture, vt_raster_unref);
  g_mutex_clear(&sink->lock);
  g_free(sink->tile);
  g_free(sink->path);
  g_free(sink);
}
