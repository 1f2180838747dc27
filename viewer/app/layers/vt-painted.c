/* SPDX-License-Identifier: MIT */
#include "layers/vt-painted.h"

#include <math.h>

#include "common/vt-drop.h"
#include "slide/vt-tile-memory.h"

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

void
vt_painted_add(VtPainted *painted, gint64 x, gint64 y, gint64 width, gint64 height, GBytes *bytes)
{
  VtPaintedTile tile = { .x = x, .y = y, .width = width, .height = height, .bytes = bytes };
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
}

/* x0, y0: the pixel of the grid that is the picture's first. */
static void
add_raster(VtPainted *painted, VtRaster *raster, const VtColoring *coloring, gint64 x0, gint64 y0)
{
  g_autoptr(VtColorizer) colorizer = vt_colorizer_new(coloring, raster);
  for (gint64 y = 0; y < raster->height; y += VT_TILE_PX) {
    for (gint64 x = 0; x < raster->width; x += VT_TILE_PX) {
      gint64 width = MIN(VT_TILE_PX, raster->width - x), height = MIN(VT_TILE_PX, raster->height - y);
      gsize size = (gsize)width * (gsize)height * 4;
      guint8 *pixels = NULL;
      GBytes *bytes = vt_tile_memory_new(size, &pixels);
      vt_colorizer_apply(colorizer, x, y, width, height, pixels, (gsize)width * 4);
      vt_painted_add(painted, raster->x - x0 + x, raster->y - y0 + y, width, height, bytes);
    }
  }
}

VtPainted *
vt_painted_new_from_rasters(const GPtrArray *rasters, const VtColoring *coloring)
{
  if (rasters->len == 0)
    return vt_painted_new(0, 0, 1);
  const VtRaster *first = rasters->pdata[0];
  VtPainted *painted = vt_painted_new(first->origin_x_l0 + (double)first->x * first->downsample,
                                      first->origin_y_l0 + (double)first->y * first->downsample, first->downsample);
  for (guint i = 0; i < rasters->len; i++)
    add_raster(painted, rasters->pdata[i], coloring, first->x, first->y);
  return painted;
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
  for (guint i = 0; i < painted->tiles->len; i++) {
    const VtPaintedTile *tile = &g_array_index(painted->tiles, VtPaintedTile, i);
    vt_painted_add(copy, tile->x, tile->y, tile->width, tile->height, g_bytes_ref(tile->bytes));
  }
  return copy;
}

VtPainted *
vt_painted_ref(VtPainted *painted)
{
  return g_atomic_rc_box_acquire(painted);
}

static void
painted_clear(gpointer data)
{
  g_array_unref(((VtPainted *)data)->tiles);
}

void
vt_painted_unref(VtPainted *painted)
{
  g_atomic_rc_box_release_full(painted, painted_clear);
}

void
vt_paint_place(const VtViewport *view, double scale, double x0_l0, double y0_l0, double x1_l0, double y1_l0,
               graphene_rect_t *rect)
{
  double x0, y0, x1, y1;
  vt_viewport_from_l0(view, x0_l0, y0_l0, &x0, &y0);
  vt_viewport_from_l0(view, x1_l0, y1_l0, &x1, &y1);
  x0 = floor(x0 + 0.5);
  y0 = floor(y0 + 0.5);
  x1 = floor(x1 + 0.5);
  y1 = floor(y1 + 0.5);
  graphene_rect_init(rect, (float)(x0 / scale), (float)(y0 / scale), (float)((x1 - x0) / scale),
                     (float)((y1 - y0) / scale));
}

void
vt_paint_turn(const VtViewport *view, const VtViewport *sheet, GtkSnapshot *snapshot, double scale)
{
  float across = (float)(view->width_px / 2 / scale), down = (float)(view->height_px / 2 / scale);
  gtk_snapshot_translate(snapshot, &GRAPHENE_POINT_INIT(across, down));
  gtk_snapshot_rotate(snapshot, (float)view->angle);
  if (view->mirrored)
    gtk_snapshot_scale(snapshot, -1, 1);
  across = (float)(sheet->width_px / 2 / scale);
  down = (float)(sheet->height_px / 2 / scale);
  gtk_snapshot_translate(snapshot, &GRAPHENE_POINT_INIT(-across, -down));
}

/* Kept with the texture: a surface that is recorded and then given up is copied whole, in every frame. */
static cairo_surface_t *
get_surface(GdkTexture *texture, GBytes *bytes, gsize stride)
{
  static const cairo_user_data_key_t bytes_key;
  cairo_surface_t *surface = g_object_get_data(G_OBJECT(texture), "vt-surface");
  if (surface)
    return surface;
  surface =
    cairo_image_surface_create_for_data((guchar *)(gsize)g_bytes_get_data(bytes, NULL), CAIRO_FORMAT_ARGB32,
                                        gdk_texture_get_width(texture), gdk_texture_get_height(texture), (int)stride);
  cairo_surface_set_user_data(surface, &bytes_key, g_bytes_ref(bytes), (cairo_destroy_func_t)g_bytes_unref);
  g_object_set_data_full(G_OBJECT(texture), "vt-surface", surface, (GDestroyNotify)cairo_surface_destroy);
  return surface;
}

void
vt_paint_pixels(GtkSnapshot *snapshot, GdkTexture *texture, GBytes *bytes, gsize stride, const graphene_rect_t *place,
                const graphene_rect_t *clip, gboolean squares)
{
  graphene_rect_t seen;
  if (!graphene_rect_intersection(place, clip, &seen))
    return;
  if (!squares) {
    gtk_snapshot_append_texture(snapshot, texture, place);
    return;
  }
  /* GTK 4.8 filters textures linearly, whatever their size; cairo can be told not to. */
  int width = gdk_texture_get_width(texture), height = gdk_texture_get_height(texture);
  cairo_surface_t *surface = get_surface(texture, bytes, stride);
  /* At 125 % or 300 % an edge between device pixels is a fraction of a logical one. What is recorded must begin at a whole
   * one and have colour beyond its edges, else cairo mixes the edge with what is below. */
  graphene_rect_t whole;
  graphene_rect_round_extents(&seen, &whole);
  cairo_t *cr = gtk_snapshot_append_cairo(snapshot, &whole);
  cairo_rectangle(cr, seen.origin.x, seen.origin.y, seen.size.width, seen.size.height);
  cairo_clip(cr);
  cairo_translate(cr, place->origin.x, place->origin.y);
  cairo_scale(cr, place->size.width / width, place->size.height / height);
  cairo_set_source_surface(cr, surface, 0, 0);
  cairo_pattern_set_filter(cairo_get_source(cr), CAIRO_FILTER_NEAREST);
  cairo_pattern_set_extend(cairo_get_source(cr), CAIRO_EXTEND_PAD);
  cairo_paint(cr);
  cairo_destroy(cr);
}

void
vt_painted_snapshot(const VtPainted *painted, GtkSnapshot *snapshot, const VtViewport *view, double scale,
                    const graphene_rect_t *seen)
{
  gboolean squares = !painted->smooth && painted->pixel_l0 > view->downsample;
  for (guint i = 0; i < painted->tiles->len; i++) {
    const VtPaintedTile *tile = &g_array_index(painted->tiles, VtPaintedTile, i);
    graphene_rect_t place;
    double x0 = painted->x_l0 + tile->x * painted->pixel_l0, y0 = painted->y_l0 + tile->y * painted->pixel_l0;
    vt_paint_place(view, scale, x0, y0, x0 + tile->width * painted->pixel_l0, y0 + tile->height * painted->pixel_l0,
                   &place);
    vt_paint_pixels(snapshot, tile->texture, tile->bytes, (gsize)tile->width * 4, &place, seen, squares);
  }
}
