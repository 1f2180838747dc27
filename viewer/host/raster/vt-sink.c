/* SPDX-License-Identifier: MIT */
#include "raster/vt-sink.h"

#include <glib/gstdio.h>

#include "base/vt-define.h"
#include "base/vt-rect.h"
#include "raster/vt-raster-private.h"

enum { TILE = 512 };

struct VtSink {
  GMutex lock; /* guards the picture, and what came */
  char *path;
  VtRaster layout;
  VtTiffWriter *writer;
  VtRaster *picture;      /* or NULL */
  gint64 *columns, *rows; /* of the raster, for each column and row of the picture */
  gboolean has_tiles, is_whole;
  GThread *thread; /* that ends the file; or NULL */
  GError *error;   /* of its */
};

/* Which of n overlay pixels from `first` on have their middle in the raster's `size` pixels; where, and how many. */
static gint64 *
find_middles(gint64 *first, gint64 n, guint d, double origin_l0, double downsample, gint64 begin, gint64 size,
             gint64 *n_found)
{
  gint64 *found = g_new(gint64, n);
  const gint64 from = *first;
  *n_found = 0;
  for (gint64 i = 0; i < n; i++) {
    const gint64 at = vt_grid_find_under(from + i, d, origin_l0, downsample, begin, size);
    if (at < 0)
      continue;
    if (*n_found == 0)
      *first = from + i;
    found[(*n_found)++] = at;
  }
  return found;
}

static gboolean
make_picture(VtSink *sink, const VtOverlayGrid *grid, GError **error)
{
  const VtRaster *layout = &sink->layout;
  VtOverlayGrid g = *grid;
  sink->columns = find_middles(&g.x, grid->width, g.downsample, layout->origin_x_l0, layout->downsample, layout->x,
                               layout->width, &g.width);
  sink->rows = find_middles(&g.y, grid->height, g.downsample, layout->origin_y_l0, layout->downsample, layout->y,
                            layout->height, &g.height);
  if (g.width < 1 || g.height < 1)
    return TRUE;
  sink->picture = vt_raster_new(layout->type, g.width, g.height, error);
  if (!sink->picture)
    return FALSE;
  sink->picture->x = g.x;
  sink->picture->y = g.y;
  sink->picture->downsample = g.downsample;
  sink->picture->scale = layout->scale;
  sink->picture->offset = layout->offset;
  sink->picture->zero_is_empty = layout->zero_is_empty;
  return TRUE;
}

VtSink *
vt_sink_new(const char *path, const VtRaster *layout, const VtOverlayGrid *grid, const VtTiffOptions *options,
            GError **error)
{
  VtSink *sink = g_new0(VtSink, 1);
  g_mutex_init(&sink->lock);
  sink->path = g_strdup(path);
  sink->layout = *layout;
  sink->layout.data = NULL;
  if (make_picture(sink, grid, error))
    sink->writer = vt_tiff_writer_new(path, &sink->layout, options, error);
  if (sink->writer)
    return sink;
  vt_sink_free(sink);
  return NULL;
}

void
vt_sink_drop_picture(VtSink *sink)
{
  VT_LOCK(&sink->lock);
  g_clear_pointer(&sink->picture, vt_raster_unref);
}

/* How many of n rising places lie before `end`. */
static gint64
count_before(const gint64 *places, gint64 n, gint64 end)
{
  gint64 low = 0;
  while (low < n) {
    const gint64 middle = (low + n) / 2;
    if (places[middle] < end)
      low = middle + 1;
    else
      n = middle;
  }
  return low;
}

#define PICK(T) \
  for (gint64 x = first; x < end; x++) \
  ((T *)(gpointer)to)[x] = ((const T *)(gconstpointer)from)[sink->columns[x] - x0]

/* Pixels that the picture shows. */
static void
take_picture(VtSink *sink, const VitrailTile *tile, gint64 x0, gint64 y0)
{
  const gsize size = vt_pixel_size(tile->type);
  VtRaster *picture = sink->picture;
  if (!picture)
    return;
  const gint64 first = count_before(sink->columns, picture->width, x0),
               end = count_before(sink->columns, picture->width, x0 + tile->width),
               end_row = count_before(sink->rows, picture->height, y0 + tile->height);
  for (gint64 y = count_before(sink->rows, picture->height, y0); y < end_row; y++) {
    const guint8 *from = (const guint8 *)tile->data + (gsize)(sink->rows[y] - y0) * tile->stride;
    guint8 *to = picture->data + (gsize)y * picture->stride;
    if (size == 1)
      PICK(guint8);
    else if (size == 2)
      PICK(guint16);
    else
      PICK(guint32);
  }
}

/* NULL: it failed. */
static gpointer
finish(gpointer data)
{
  VtSink *sink = data;
  return vt_tiff_writer_finish(sink->writer, &sink->error) ? sink : NULL;
}

/* A whole raster comes in one tile, and is the only one. */
static gboolean
takes(VtSink *sink, gboolean is_whole)
{
  VT_LOCK(&sink->lock);
  const gboolean is_first = !sink->has_tiles;
  const gboolean does = is_first || !(is_whole || sink->is_whole);
  sink->has_tiles = TRUE;
  sink->is_whole |= is_first && is_whole;
  return does;
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
  const gboolean is_whole = tile->width == layout->width && tile->height == layout->height;
  if (!fits || !takes(sink, is_whole))
    return vt_error_set(error, VITRAIL_BAD_ARGUMENT, "it hands back a tile that does not fit its raster");
  g_mutex_lock(&sink->lock);
  take_picture(sink, tile, x0, y0);
  g_mutex_unlock(&sink->lock);
  if (!vt_tiff_writer_put(sink->writer, tile->data, tile->stride, x0, y0, tile->width, tile->height, error))
    return FALSE;
  if (is_whole) /* without a thread it is done by vt_sink_finish() */
    sink->thread = g_thread_try_new("raster", finish, sink, NULL);
  return TRUE;
}

gboolean
vt_sink_finish(VtSink *sink, VtRaster **picture, GError **error)
{
  const gboolean done = sink->thread ? g_thread_join(g_steal_pointer(&sink->thread)) != NULL : finish(sink) != NULL;
  g_clear_pointer(&sink->writer, vt_tiff_writer_free);
  *picture = g_steal_pointer(&sink->picture);
  if (done)
    g_clear_pointer(&sink->path, g_free);
  else
    g_propagate_error(error, g_steal_pointer(&sink->error));
  return done;
}

void
vt_sink_free(VtSink *sink)
{
  if (!sink)
    return;
  if (sink->thread)
    g_thread_join(sink->thread);
  g_clear_error(&sink->error);
  vt_tiff_writer_free(sink->writer);
  if (sink->path)
    g_unlink(sink->path);
  g_clear_pointer(&sink->picture, vt_raster_unref);
  g_mutex_clear(&sink->lock);
  g_free(sink->columns);
  g_free(sink->rows);
  g_free(sink->path);
  g_free(sink);
}
