/* SPDX-License-Identifier: MIT */
#include "layers/vt-raster-paint.h"

#include <math.h>
#include <string.h>

#include "slide/vt-tile-memory.h"

/* Pixels of a grid. */
typedef struct {
  gint64 x, y, width, height;
} Rect;

typedef struct {
  const VtRasterSeen *seen;
  const VtPainted *previous;
  VtPainted *painted;
  VtColorizer *colorizer; /* NULL: each tile is thinned first, and has one of its own */
  VtRaster *raster;
  guint number; /* of the raster */
  gint64 step;
} Painting;

static gboolean
is_outlined(const VtColoring *coloring)
{
  return coloring->outline && !vt_colormap_is_continuous(coloring->map);
}

/* The same values in a rectangle of both, and round it, where the outline of a pixel depends on its neighbours. */
static gboolean
has_same_values(const VtRaster *a, const VtRaster *b, const Rect *rect, gint64 around)
{
  const gsize size = vt_pixel_size(a->type);
  const gint64 x0 = MAX(rect->x - around, a->x), x1 = MIN(rect->x + rect->width + around, a->x + a->width);
  const gint64 y0 = MAX(rect->y - around, a->y), y1 = MIN(rect->y + rect->height + around, a->y + a->height);
  if (a->type != b->type || a->scale != b->scale || a->offset != b->offset || a->zero_is_empty != b->zero_is_empty
      || x0 != MAX(rect->x - around, b->x) || x1 != MIN(rect->x + rect->width + around, b->x + b->width)
      || y0 != MAX(rect->y - around, b->y) || y1 != MIN(rect->y + rect->height + around, b->y + b->height))
    return FALSE;
  for (gint64 y = y0; y < y1; y++)
    if (memcmp(a->data + (gsize)(y - a->y) * a->stride + (gsize)(x0 - a->x) * size,
               b->data + (gsize)(y - b->y) * b->stride + (gsize)(x0 - b->x) * size, (gsize)(x1 - x0) * size)
        != 0)
      return FALSE;
  return TRUE;
}

static gboolean
take_over(const Painting *p, const Rect *rect)
{
  const VtPainted *previous = p->previous;
  const VtRaster *before = p->number < previous->rasters->len ? previous->rasters->pdata[p->number] : NULL;
  for (guint i = 0; before && i < previous->tiles->len; i++) {
    const VtPaintedTile *tile = &g_array_index(previous->tiles, VtPaintedTile, i);
    if (tile->raster != p->number || tile->x != rect->x || tile->y != rect->y || tile->width != rect->width
        || tile->height != rect->height)
      continue;
    if (before != p->raster
        && (p->step > 1 || !has_same_values(before, p->raster, rect, is_outlined(&previous->coloring))))
      return FALSE;
    vt_painted_share(p->painted, tile);
    return TRUE;
  }
  return FALSE;
}

static void
colour(const Painting *p, const VtColorizer *colorizer, const VtRaster *raster, const Rect *rect)
{
  guint8 *pixels = NULL;
  GBytes *bytes = vt_tile_memory_new((gsize)rect->width * (gsize)rect->height * 4, &pixels);
  vt_colorizer_apply(colorizer, rect->x - raster->x, rect->y - raster->y, rect->width, rect->height, pixels,
                     (gsize)rect->width * 4);
  vt_painted_add(p->painted, rect->x, rect->y, rect->width, rect->height, bytes);
  g_array_index(p->painted->tiles, VtPaintedTile, p->painted->tiles->len - 1).raster = p->number;
}

static void
paint_tile(const Painting *p, const Rect *rect)
{
  if (p->previous && take_over(p, rect))
    return;
  if (p->colorizer) {
    colour(p, p->colorizer, p->raster, rect);
    return;
  }
  /* With the neighbours of its edges, which outlines depend on. */
  const gint64 n = p->step;
  g_autoptr(VtRaster) thin =
    vt_raster_thin(p->raster, (rect->x - 1) * n, (rect->y - 1) * n, (rect->width + 2) * n, (rect->height + 2) * n, n);
  if (!thin)
    return;
  g_autoptr(VtColorizer) colorizer = vt_colorizer_new(&p->painted->coloring, thin);
  colour(p, colorizer, thin, rect);
}

/* What there is of the raster on the grid of the picture, and is wanted. FALSE: nothing. */
static gboolean
find_wanted(const Painting *p, Rect *rect)
{
  const VtRaster *raster = p->raster;
  const double pixel = raster->downsample * (double)p->step;
  gint64 x0 = raster->x / p->step, x1 = (raster->x + raster->width - 1) / p->step + 1;
  gint64 y0 = raster->y / p->step, y1 = (raster->y + raster->height - 1) / p->step + 1;
  if (p->seen) {
    const gint64 whole = p->seen->whole_tiles ? VT_TILE_PX : 1;
    x0 = MAX(x0, (gint64)floor((p->seen->x0 - raster->origin_x_l0) / pixel / (double)whole) * whole);
    y0 = MAX(y0, (gint64)floor((p->seen->y0 - raster->origin_y_l0) / pixel / (double)whole) * whole);
    x1 = MIN(x1, (gint64)ceil((p->seen->x1 - raster->origin_x_l0) / pixel / (double)whole) * whole);
    y1 = MIN(y1, (gint64)ceil((p->seen->y1 - raster->origin_y_l0) / pixel / (double)whole) * whole);
  }
  *rect = (Rect){ x0, y0, x1 - x0, y1 - y0 };
  return x1 > x0 && y1 > y0;
}

/* The first multiple of a tile's edge that is not below, for pixels of either sign. */
static gint64
find_edge_after(gint64 at)
{
  return (at >= 0 ? at / VT_TILE_PX : -((-at + VT_TILE_PX - 1) / VT_TILE_PX)) * VT_TILE_PX + VT_TILE_PX;
}

static void
paint_raster(Painting *p)
{
  Rect all;
  if (!find_wanted(p, &all))
    return;
  if (p->step == 1)
    p->colorizer = vt_colorizer_new(&p->painted->coloring, p->raster);
  for (gint64 y = all.y; y < all.y + all.height; y = find_edge_after(y)) {
    const gint64 height = MIN(find_edge_after(y), all.y + all.height) - y;
    for (gint64 x = all.x; x < all.x + all.width; x = find_edge_after(x))
      paint_tile(p, &(Rect){ x, y, MIN(find_edge_after(x), all.x + all.width) - x, height });
  }
  g_clear_pointer(&p->colorizer, vt_colorizer_free);
}

/* Tiles of the other picture lie where those of the new one do, and have its colours. */
static gboolean
is_of_use(const VtPainted *previous, const VtPainted *painted)
{
  return previous && previous->rasters && previous->pixel_l0 == painted->pixel_l0 && previous->x_l0 == painted->x_l0
         && previous->y_l0 == painted->y_l0 && vt_coloring_equal(&previous->coloring, &painted->coloring);
}

VtPainted *
vt_raster_paint(GPtrArray *rasters, const VtColoring *coloring, const VtRasterSeen *seen, const VtPainted *previous)
{
  if (rasters->len == 0)
    return vt_painted_new(0, 0, 1);
  const VtRaster *first = rasters->pdata[0];
  Painting p = { .seen = seen, .step = seen ? MAX((gint64)(seen->downsample / first->downsample), 1) : 1 };
  p.painted = vt_painted_new(first->origin_x_l0, first->origin_y_l0, first->downsample * (double)p.step);
  p.painted->coloring = *coloring;
  p.painted->rasters = g_ptr_array_new_with_free_func((GDestroyNotify)vt_raster_unref);
  p.previous = is_of_use(previous, p.painted) ? previous : NULL;
  for (p.number = 0; p.number < rasters->len; p.number++) {
    p.raster = rasters->pdata[p.number];
    g_ptr_array_add(p.painted->rasters, vt_raster_ref(p.raster));
    paint_raster(&p);
  }
  return p.painted;
}
