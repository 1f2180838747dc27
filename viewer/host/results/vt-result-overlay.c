/* SPDX-License-Identifier: MIT
 *
 * overlay.png: what was found, over what was looked at. */
#include <math.h>
#include <string.h>

#include "base/vt-pool.h"
#include "base/vt-define.h"
#include "base/vt-rect.h"
#include "raster/vt-coloring.h"
#include "raster/vt-raster-private.h"
#include "run/vt-run-private.h"

#define MAX_SIDE 4096

enum { BAND_ROWS = 64, CELL = 512 };

typedef struct {
  const VtResult *result;
  VtSlide *slide; /* or NULL */
  VtOverlayGrid grid;
  guint8 *rgba;
  const VtRaster *raster; /* that is shown; or NULL */
  gint64 *columns,
    *rows; /* of the raster under the middles of the overlay's, and of one more on either side; -1: none */
  VtColorizer *colorizer; /* of its values; NULL: its outlines are drawn */
  guint8 color[3];        /* of the outlines */
  GMutex lock;            /* guards failure */
  GError *failure;        /* the first */
} Overlay;

int
vt_overlay_rank(const VitrailStage *stage)
{
  if (stage->kind == VITRAIL_STAGE_COLOUR)
    return -1;
  return stage->kind == VITRAIL_STAGE_LABELS ? 2 : (stage->flags & VITRAIL_STAGE_SHOWN) != 0;
}

/* The raster that is best looked at, the last of equally good ones. -1: none; colours would be taken for the slide's. */
static int
choose_stage(const VtResult *result)
{
  int best = -1, best_rank = 0;
  for (guint i = 0; i < result->op->n_stages; i++) {
    const int rank = vt_overlay_rank(result->op->stages[i]);
    if (result->rasters[i] && rank >= best_rank) {
      best = (int)i;
      best_rank = rank;
    }
  }
  return best;
}

static VtOverlayGrid
grid_of(guint downsample, gint64 x_l0, gint64 y_l0, gint64 width_l0, gint64 height_l0)
{
  const VtRect region = { x_l0, y_l0, width_l0, height_l0 }, rect = vt_rect_to_grid(&region, downsample);
  return (
    VtOverlayGrid){ .downsample = downsample, .x = rect.x, .y = rect.y, .width = rect.width, .height = rect.height };
}

VtOverlayGrid
vt_overlay_choose_grid(gint64 x_l0, gint64 y_l0, gint64 width_l0, gint64 height_l0, double downsample)
{
  const gint64 side = MAX(width_l0, height_l0);
  const double wanted = MAX((double)(side / MAX_SIDE + (side % MAX_SIDE > 0)), round(downsample));
  const VtOverlayGrid coarse = grid_of((guint)CLAMP(wanted, 1, (double)MAX(side, 1)), x_l0, y_l0, width_l0, height_l0);
  /* A coarse stage would give a picture of few pixels: such a one is shown on a finer grid. */
  const gint64 d = MAX(1, (side + 1023) / 1024);
  if (d >= coarse.downsample || MAX(coarse.width, coarse.height) >= 1024)
    return coarse;
  return grid_of((guint)d, x_l0, y_l0, width_l0, height_l0);
}

/* What was analysed, as R G B A, where it is no slide. */
static gboolean
draw_plain_source(const Overlay *overlay, GError **error)
{
  const VtRaster *source = ((const VtResultFull *)overlay->result)->source;
  const gsize stride = (gsize)overlay->grid.width * 4;
  if (!source) {
    memset(overlay->rgba, 255, stride * (gsize)overlay->grid.height);
    return TRUE;
  }
  g_autoptr(VtRaster) grid = vt_raster_new(source->type, overlay->grid.width, overlay->grid.height, error);
  if (!grid
      || !vt_raster_read_region(source, overlay->grid.downsample, overlay->grid.x, overlay->grid.y, overlay->grid.width,
                                overlay->grid.height, grid->data, grid->stride, error))
    return FALSE;
  double min = 0, max = 1;
  vt_raster_get_range(grid, &min, &max);
  const VtColoring gray = vt_coloring_make(VT_COLORMAP_GRAY, min, max);
  g_autoptr(VtColorizer) colorizer = vt_colorizer_new(&gray, grid);
  vt_colorizer_apply(colorizer, 0, 0, grid->width, grid->height, overlay->rgba, stride);
  for (gsize i = 0; i < stride * (gsize)overlay->grid.height; i += 4) {
    const guint8 blue = overlay->rgba[i];
    overlay->rgba[i] = overlay->rgba[i + 2];
    overlay->rgba[i + 2] = blue;
    overlay->rgba[i + 3] = 255;
  }
  return TRUE;
}

/* Pixels of the raster, along one axis, under the middles of n overlay pixels from `first` on; -1: none. Owned. */
static gint64 *
find_under(gint64 first, gint64 n, guint d, double origin_l0, double downsample, gint64 begin, gint64 size)
{
  gint64 *under = g_new(gint64, n);
  for (gint64 i = 0; i < n; i++)
    under[i] = vt_grid_find_under(first + i, d, origin_l0, downsample, begin, size);
  return under;
}

/* Raw value under the middle of an overlay pixel, or of one beside the overlay; NaN outside of the raster. */
static double
sample(const Overlay *overlay, gint64 col, gint64 row)
{
  const gint64 x = overlay->columns[col + 1], y = overlay->rows[row + 1];
  return x >= 0 && y >= 0 ? vt_raster_get_raw(overlay->raster, x, y) : (double)NAN;
}

static gboolean
is_outline(const Overlay *overlay, gint64 col, gint64 row, double value)
{
  static const int around[4][2] = { { 1, 0 }, { 0, 1 }, { -1, 0 }, { 0, -1 } };
  for (int i = 0; i < 4; i++) {
    const double other = sample(overlay, col + around[i][0], row + around[i][1]);
    if (!isnan(other) && other != value)
      return TRUE;
  }
  return FALSE;
}

/* Outlines have the colour that the window gives them: that of the objects, or of the stage itself. */
static VtColormap
choose_outline_color(const VitrailOp *op, const VitrailStage *stage)
{
  VtColormap map = vt_colormap_from_id(stage->colormap);
  for (guint i = 0; i < op->n_stages && stage->kind == VITRAIL_STAGE_LABELS; i++)
    if (op->stages[i]->kind == VITRAIL_STAGE_OBJECTS)
      map = vt_colormap_from_id(op->stages[i]->colormap);
  return vt_colormap_is_solid(map) ? map : VT_COLORMAP_MINT;
}

static VtColorizer *
make_colorizer(const VtRaster *raster, const VitrailStage *stage, const double *range)
{
  VtColoring coloring = vt_coloring_make(vt_colormap_from_id(stage->colormap), 0, 0);
  double min = stage->display_min, max = stage->display_max;
  if (!(max > min) && range && range[0] <= range[1]) {
    min = range[0];
    max = range[1];
  } else if (!(max > min)) {
    vt_raster_get_range(raster, &min, &max);
  }
  coloring.min = min;
  coloring.max = max;
  coloring.fades = raster->zero_is_empty;
  return vt_colorizer_new(&coloring, raster);
}

static void
draw_pixel(const Overlay *overlay, gint64 col, gint64 row, double value, guint8 *out)
{
  if (overlay->colorizer) {
    const guint32 color = vt_colorizer_get(overlay->colorizer, value);
    /* 60 % of the layer over the tissue. */
    for (int c = 0; c < 3; c++)
      out[c] =
        (guint8)((600 * (color >> (16 - 8 * c) & 255) + out[c] * (1000 - 600 * (color >> 24) / 255) + 500) / 1000);
  } else if (!isnan(value) && value != 0 && is_outline(overlay, col, row, value)) {
    memcpy(out, overlay->color, sizeof overlay->color);
  }
}

/* A cell of the slide. Of a band, many threads would wait for one tile. */
static void
read_cell(void *user, guint32 index)
{
  Overlay *overlay = user;
  const VtOverlayGrid *grid = &overlay->grid;
  const gint64 columns = (grid->width + CELL - 1) / CELL, x = index % columns * CELL, y = index / columns * CELL;
  const gsize stride = (gsize)grid->width * 4;
  GError *error = NULL;
  if (vt_slide_read_region(overlay->slide, grid->downsample, grid->x + x, grid->y + y, MIN(CELL, grid->width - x),
                           MIN(CELL, grid->height - y), overlay->rgba + (gsize)y * stride + (gsize)x * 4, stride, NULL,
                           &error))
    return;
  g_mutex_lock(&overlay->lock);
  if (!overlay->failure)
    overlay->failure = g_steal_pointer(&error);
  g_mutex_unlock(&overlay->lock);
  g_clear_error(&error);
}

/* The raster over the slide. A pixel does not depend on its band. */
static void
draw_band(void *user, guint32 index)
{
  const Overlay *overlay = user;
  const VtOverlayGrid *grid = &overlay->grid;
  const gint64 y0 = (gint64)index * BAND_ROWS, y1 = MIN(y0 + BAND_ROWS, grid->height);
  for (gint64 row = y0; row < y1; row++)
    for (gint64 col = 0; col < grid->width; col++)
      draw_pixel(overlay, col, row, sample(overlay, col, row), overlay->rgba + (row * grid->width + col) * 4);
}

static void
draw_line(const Overlay *overlay, const double *a, const double *b)
{
  const double d = overlay->grid.downsample;
  const double x0 = a[0] / d - (double)overlay->grid.x, y0 = a[1] / d - (double)overlay->grid.y;
  const double x1 = b[0] / d - (double)overlay->grid.x, y1 = b[1] / d - (double)overlay->grid.y;
  const double length = ceil(MAX(fabs(x1 - x0), fabs(y1 - y0)));
  if (!(length < 16.0 * MAX_SIDE))
    return;
  for (double i = 0; i <= length; i++) {
    const double t = length > 0 ? i / length : 0, x = floor(x0 + (x1 - x0) * t), y = floor(y0 + (y1 - y0) * t);
    if (x >= 0 && y >= 0 && x < (double)overlay->grid.width && y < (double)overlay->grid.height)
      vt_colormap_get_solid_color(VT_COLORMAP_MASK, overlay->rgba + ((gint64)y * overlay->grid.width + (gint64)x) * 4);
  }
}

static void
draw_rois(const Overlay *overlay)
{
  VT_EACH_OF (const VtRoi, roi, overlay->result->rois) {
    const double *p = vt_roi_get_points(roi);
    for (guint ring = 0; ring < roi->ring_sizes->len; ring++) {
      const guint32 n = g_array_index(roi->ring_sizes, guint32, ring);
      for (guint32 a = 0, b = n - 1; a < n; b = a++)
        draw_line(overlay, p + 2 * b, p + 2 * a);
      p += 2 * n;
    }
  }
}

static gboolean
read_slide(Overlay *overlay, GError **error)
{
  const VtOverlayGrid *grid = &overlay->grid;
  const gint64 columns = (grid->width + CELL - 1) / CELL, rows = (grid->height + CELL - 1) / CELL;
  g_mutex_init(&overlay->lock);
  vt_parallel_for(((const VtResultFull *)overlay->result)->n_threads, (guint)(columns * rows), read_cell, overlay);
  g_mutex_clear(&overlay->lock);
  if (overlay->failure)
    g_propagate_error(error, overlay->failure);
  return overlay->failure == NULL;
}

static gboolean
draw(Overlay *overlay, GError **error)
{
  const VtOverlayGrid *grid = &overlay->grid;
  const VtRaster *r = overlay->raster;
  if (!(overlay->slide ? read_slide(overlay, error) : draw_plain_source(overlay, error)))
    return FALSE;
  if (r) {
    overlay->columns =
      find_under(grid->x - 1, grid->width + 2, grid->downsample, r->origin_x_l0, r->downsample, r->x, r->width);
    overlay->rows =
      find_under(grid->y - 1, grid->height + 2, grid->downsample, r->origin_y_l0, r->downsample, r->y, r->height);
    vt_parallel_for(((const VtResultFull *)overlay->result)->n_threads,
                    (guint)((grid->height + BAND_ROWS - 1) / BAND_ROWS), draw_band, overlay);
    g_clear_pointer(&overlay->columns, g_free);
    g_clear_pointer(&overlay->rows, g_free);
  }
  draw_rois(overlay);
  return TRUE;
}

gboolean
vt_result_write_overlay(const VtResult *result, VtSlide *slide, const char *path, GError **error)
{
  const VtResultFull *full = (const VtResultFull *)result;
  Overlay overlay = { .result = result, .slide = full->source ? NULL : slide };
  const int stage = choose_stage(result);
  const VitrailStage *shown = stage >= 0 ? result->op->stages[stage] : NULL;
  overlay.raster = shown ? result->rasters[stage] : NULL;
  overlay.grid = vt_overlay_choose_grid(result->x_l0, result->y_l0, result->width_l0, result->height_l0,
                                        overlay.raster ? overlay.raster->downsample : 0);
  g_autoptr(VtRaster) picture = vt_raster_new(VITRAIL_RGBA8, overlay.grid.width, overlay.grid.height, error);
  if (!picture)
    return FALSE;
  overlay.rgba = picture->data;
  if (shown && shown->kind == VITRAIL_STAGE_SCALAR)
    overlay.colorizer = make_colorizer(overlay.raster, shown, full->ranges ? full->ranges[stage] : NULL);
  else if (shown)
    vt_colormap_get_solid_color(choose_outline_color(result->op, shown), overlay.color);
  const gboolean done = draw(&overlay, error);
  g_clear_pointer(&overlay.colorizer, vt_colorizer_free);
  return done && vt_png_write_rgba(path, overlay.rgba, overlay.grid.width, overlay.grid.height, full->n_threads, error);
}
