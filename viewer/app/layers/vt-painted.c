/* SPDX-License-Identifier: MIT */
#include "layers/vt-painted.h"

#include <math.h>
#include <string.h>

#include "base/vt-define.h"
#include "common/vt-drop.h"

static void
tile_clear(gpointer data)
{
  VtPaintedTile *tile = data;
  /* The texture first, so that the pixels are given back where it does not matter how long that takes. */
  g_clear_object(&tile->texture);
  vt_drop(g_steal_pointer(&tile->bytes), (GDestroyNotify)g_bytes_unref);
}

VtPainted *
vt_painted_new(double x_l0, double y_l0, double pixel_l0)
{
  VtPainted *painted = g_atomic_rc_box_new0(VtPainted);
  painted->x_l0 = x_l0;
  painted->y_l0 = y_l0;
  painted->pixel_l0 = pixel_l0;
  painted->tiles = g_array_new(FALSE, TRUE, sizeof(VtPaintedTile));
  g_array_set_clear_func(painted->tiles, tile_clear);
  return painted;
}

/* Premultiplied pixels that nothing is seen of are zero. */
static gboolean
is_zero(GBytes *bytes)
{
  gsize size;
  const guint8 *at = g_bytes_get_data(bytes, &size);
  return size == 0 || (*at == 0 && memcmp(at, at + 1, size - 1) == 0); /* each byte is as the one before */
}

void
vt_painted_add(VtPainted *painted, gint64 x, gint64 y, gint64 width, gint64 height, GBytes *bytes)
{
  VtPaintedTile tile = { .x = x, .y = y, .width = width, .height = height, .bytes = bytes };
  tile.is_empty = is_zero(bytes);
  tile.texture = gdk_memory_texture_new((int)width, (int)height, GDK_MEMORY_DEFAULT, bytes, (gsize)width * 4);
  g_array_append_val(painted->tiles, tile);
}

void
vt_painted_share(VtPainted *painted, const VtPaintedTile *tile)
{
  VtPaintedTile copy = *tile;
  copy.bytes = g_bytes_ref(tile->bytes);
  copy.texture = g_object_ref(tile->texture);
  g_array_append_val(painted->tiles, copy);
  painted->n_shared++;
}

/* The pixels whose places are multiples of n, on a grid n times as coarse. */
static void
add_thinned(VtPainted *painted, const VtPaintedTile *tile, gint64 n)
{
  const gint64 x0 = (gint64)ceil((double)tile->x / (double)n),
               x1 = (gint64)ceil((double)(tile->x + tile->width) / (double)n);
  const gint64 y0 = (gint64)ceil((double)tile->y / (double)n),
               y1 = (gint64)ceil((double)(tile->y + tile->height) / (double)n);
  if (x1 <= x0 || y1 <= y0)
    return;
  const guint32 *from = g_bytes_get_data(tile->bytes, NULL);
  guint32 *to = g_new(guint32, (gsize)((x1 - x0) * (y1 - y0)));
  for (gint64 y = y0; y < y1; y++)
    for (gint64 x = x0; x < x1; x++)
      to[(y - y0) * (x1 - x0) + x - x0] = from[(y * n - tile->y) * tile->width + x * n - tile->x];
  vt_painted_add(painted, x0, y0, x1 - x0, y1 - y0, g_bytes_new_take(to, (gsize)((x1 - x0) * (y1 - y0)) * sizeof *to));
}

VtPainted *
vt_painted_thin(const VtPainted *painted, gint64 n)
{
  VtPainted *thin = vt_painted_new(painted->x_l0, painted->y_l0, painted->pixel_l0 * (double)n);
  thin->smooth = painted->smooth;
  for (guint i = 0; i < painted->tiles->len; i++)
    add_thinned(thin, &g_array_index(painted->tiles, VtPaintedTile, i), n);
  return thin;
}

VtPainted *
vt_painted_copy(const VtPainted *painted)
{
  VtPainted *copy = vt_painted_new(painted->x_l0, painted->y_l0, painted->pixel_l0);
  copy->smooth = painted->smooth;
  VT_EACH_IN (const VtPaintedTile, tile, painted->tiles)
    vt_painted_add(copy, tile->x, tile->y, tile->width, tile->height, g_bytes_ref(tile->bytes));
  return copy;
}

static void
painted_clear(gpointer data)
{
  VtPainted *painted = data;
  g_array_unref(painted->tiles);
  if (painted->rasters)
    vt_drop(painted->rasters, (GDestroyNotify)g_ptr_array_unref);
}

VT_DEFINE_REF(VtPainted, vt_painted, painted_clear)

void
vt_painted_snapshot(const VtPainted *painted, GtkSnapshot *snapshot, const VtViewport *view, double scale,
                    const graphene_rect_t *seen)
{
  gboolean squares = !painted->smooth && painted->pixel_l0 > view->downsample;
  VT_EACH_IN (const VtPaintedTile, tile, painted->tiles) {
    graphene_rect_t place;
    if (tile->is_empty)
      continue;
    double x0 = painted->x_l0 + tile->x * painted->pixel_l0, y0 = painted->y_l0 + tile->y * painted->pixel_l0;
    vt_paint_place(view, scale, x0, y0, x0 + tile->width * painted->pixel_l0, y0 + tile->height * painted->pixel_l0,
                   &place);
    vt_paint_pixels(snapshot, tile->texture, tile->bytes, (gsize)tile->width * 4, &place, seen, squares);
  }
}
