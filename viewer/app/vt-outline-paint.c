/* SPDX-License-Identifier: MIT */
#include "vt-outline-paint.h"

#include <math.h>

#define SQUARE_PX 512
#define MARGIN_PX 128
#define LEAST_CELL_PX 12
#define DENSITY_ALPHA 0.85

gboolean
vt_outline_wants_density(const VtOutlineIndex *index, double pixel_l0)
{
  return vt_outline_index_get_mean_size(index) < VT_OUTLINE_LEAST_PX * pixel_l0;
}

double
vt_outline_get_cell(double pixel_l0)
{
  return MAX(exp2(ceil(log2(LEAST_CELL_PX * pixel_l0))), 1);
}

void
vt_outline_trace(cairo_t *cr, const VtObject *object, double x0, double y0, double pixel_l0)
{
  const double *points = (const double *)(gpointer)object->points->data;
  gsize at = 0;
  for (guint ring = 0; ring < object->ring_sizes->len; ring++) {
    const guint n = g_array_index(object->ring_sizes, guint32, ring);
    for (guint i = 0; i < n; i++, at += 2) {
      const double x = (points[at] - x0) / pixel_l0, y = (points[at + 1] - y0) / pixel_l0;
      if (i == 0)
        cairo_move_to(cr, x, y);
      else
        cairo_line_to(cr, x, y);
    }
    cairo_close_path(cr);
  }
}

static void
set_color(cairo_t *cr, VtColormap map, gint64 id)
{
  guint8 rgb[3];
  if (map == VT_COLORMAP_LABELS)
    vt_colormap_get_label_color(id, rgb);
  else
    vt_colormap_get_mask_color(rgb);
  cairo_set_source_rgb(cr, rgb[0] / 255.0, rgb[1] / 255.0, rgb[2] / 255.0);
}

static void
draw_outlines(const VtOutlineIndex *index, const VtOutlineLook *look, double x0, double y0, guint8 *pixels)
{
  GPtrArray *objects = vt_outline_index_get_objects(index);
  g_autoptr(GArray) numbers = g_array_new(FALSE, FALSE, sizeof(guint32));
  const double size = SQUARE_PX * look->pixel_l0, line = look->line_px * look->pixel_l0;
  vt_outline_index_query(index, x0 - line, y0 - line, x0 + size + line, y0 + size + line, numbers);
  cairo_surface_t *surface =
    cairo_image_surface_create_for_data(pixels, CAIRO_FORMAT_ARGB32, SQUARE_PX, SQUARE_PX, SQUARE_PX * 4);
  cairo_t *cr = cairo_create(surface);
  cairo_set_line_width(cr, look->line_px);
  cairo_set_line_join(cr, CAIRO_LINE_JOIN_BEVEL);
  cairo_set_antialias(cr, CAIRO_ANTIALIAS_FAST);
  for (guint i = 0; i < numbers->len; i++) {
    const VtObject *object = g_ptr_array_index(objects, g_array_index(numbers, guint32, i));
    set_color(cr, look->map, object->id);
    vt_outline_trace(cr, object, x0, y0, look->pixel_l0);
    cairo_stroke(cr);
  }
  cairo_destroy(cr);
  cairo_surface_destroy(surface);
}

/* Each cell a square with a gap around it, so that it is seen as a count and not as tissue. */
static void
draw_density(const VtDensity *density, const VtOutlineLook *look, double x0, double y0, guint8 *pixels)
{
  const VtColormap map = vt_colormap_is_continuous(look->map) ? look->map : VT_COLORMAP_VIRIDIS;
  guint32 *out = (guint32 *)(gpointer)pixels;
  for (int row = 0; row < SQUARE_PX; row++) {
    const double y = y0 + (row + 0.5) * look->pixel_l0;
    const gboolean gap_y = floor((y - look->pixel_l0) / density->cell) < floor(y / density->cell);
    for (int col = 0; col < SQUARE_PX; col++, out++) {
      const double x = x0 + (col + 0.5) * look->pixel_l0;
      const guint32 count = vt_density_lookup(density, x, y);
      guint8 rgb[3];
      if (count == 0 || gap_y || floor((x - look->pixel_l0) / density->cell) < floor(x / density->cell))
        continue;
      vt_colormap_get_color(map, (double)count / density->max, rgb);
      *out = (guint32)(255 * DENSITY_ALPHA) << 24 | (guint32)(rgb[0] * DENSITY_ALPHA) << 16
             | (guint32)(rgb[1] * DENSITY_ALPHA) << 8 | (guint32)(rgb[2] * DENSITY_ALPHA);
    }
  }
}

static gboolean
take_over(VtPainted *painted, const VtPainted *previous, gint64 x, gint64 y)
{
  for (guint i = 0; previous && previous->pixel_l0 == painted->pixel_l0 && i < previous->tiles->len; i++) {
    const VtPaintedTile *tile = &g_array_index(previous->tiles, VtPaintedTile, i);
    if (tile->x == x && tile->y == y) {
      vt_painted_share(painted, tile);
      return TRUE;
    }
  }
  return FALSE;
}

VtPainted *
vt_outline_paint(const VtOutlineIndex *index, const VtDensity *density, const VtOutlineLook *look, double x0, double y0,
                 double x1, double y1, const VtPainted *previous)
{
  const double square = SQUARE_PX * look->pixel_l0, margin = MARGIN_PX * look->pixel_l0;
  VtPainted *painted = vt_painted_new(0, 0, look->pixel_l0);
  painted->smooth = TRUE;
  const gint64 last_col = (gint64)floor((x1 + margin) / square), last_row = (gint64)floor((y1 + margin) / square);
  for (gint64 row = (gint64)floor((y0 - margin) / square); row <= last_row; row++) {
    for (gint64 col = (gint64)floor((x0 - margin) / square); col <= last_col; col++) {
      if (take_over(painted, previous, col * SQUARE_PX, row * SQUARE_PX))
        continue;
      guint8 *pixels = g_malloc0(SQUARE_PX * SQUARE_PX * 4);
      if (density)
        draw_density(density, look, (double)col * square, (double)row * square, pixels);
      else
        draw_outlines(index, look, (double)col * square, (double)row * square, pixels);
      vt_painted_add(painted, col * SQUARE_PX, row * SQUARE_PX, SQUARE_PX, SQUARE_PX,
                     g_bytes_new_take(pixels, SQUARE_PX * SQUARE_PX * 4));
    }
  }
  return painted;
}
