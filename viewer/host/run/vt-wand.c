/* SPDX-License-Identifier: MIT
 *
 * Runs of a row are filled at once; what lies above and below them waits on a stack. vt-label-trace.c goes round what was filled. */
#include "run/vt-wand.h"

#include <math.h>

#include "run/vt-label-image.h"

typedef struct {
  const VtRaster *raster;
  gint64 left, top, width, height; /* of the square, cut at the raster's edges; pixels of the raster */
  double value, tolerance;
  guint8 *filled; /* by pixel of the square */
  GArray *open;   /* gint64 [2]: x and y in the square */
  gint64 box[4];  /* x0, y0, x1, y1 of what was filled, in the square */
  gboolean by_corners, is_cut;
} Wand;

static gboolean
is_like(const Wand *wand, gint64 x, gint64 y)
{
  return !wand->filled[y * wand->width + x]
         && fabs(vt_raster_get_raw(wand->raster, wand->left + x, wand->top + y) - wand->value) <= wand->tolerance;
}

/* Each run of pixels between x0 and x1 that would be filled waits, by its first one. */
static void
add_runs(Wand *wand, gint64 x0, gint64 x1, gint64 y)
{
  gboolean was_like = FALSE;
  if (y < 0 || y >= wand->height) {
    wand->is_cut |= y < 0 ? wand->top > 0 : wand->top + wand->height < wand->raster->height;
    return;
  }
  for (gint64 x = x0; x <= x1; x++) {
    const gboolean is = is_like(wand, x, y);
    const gint64 place[2] = { x, y };
    if (is && !was_like)
      g_array_append_val(wand->open, place);
    was_like = is;
  }
}

static void
fill_run(Wand *wand, gint64 x, gint64 y)
{
  gint64 x0 = x, x1 = x;
  if (!is_like(wand, x, y))
    return;
  while (x0 > 0 && is_like(wand, x0 - 1, y))
    x0--;
  while (x1 + 1 < wand->width && is_like(wand, x1 + 1, y))
    x1++;
  wand->is_cut |=
    (x0 == 0 && wand->left > 0) || (x1 + 1 == wand->width && wand->left + wand->width < wand->raster->width);
  for (gint64 i = x0; i <= x1; i++)
    wand->filled[y * wand->width + i] = 1;
  wand->box[0] = MIN(wand->box[0], x0);
  wand->box[1] = MIN(wand->box[1], y);
  wand->box[2] = MAX(wand->box[2], x1 + 1);
  wand->box[3] = MAX(wand->box[3], y + 1);
  if (wand->by_corners) {
    x0 = MAX(x0 - 1, 0);
    x1 = MIN(x1 + 1, wand->width - 1);
  }
  add_runs(wand, x0, x1, y - 1);
  add_runs(wand, x0, x1, y + 1);
}

static VtRoi *
outline(const Wand *wand, GError **error)
{
  const gint32 numbers[] = { 0, 1 };
  const gint64 width = wand->box[2] - wand->box[0], height = wand->box[3] - wand->box[1];
  VtLabelImage image = { .file = (char *)"", .n_pieces = 1, .n_labels = 1, .highest = 1 };
  g_autoptr(VtRaster) pieces = vt_raster_new(VITRAIL_I32, width, height, error);
  if (!pieces)
    return NULL;
  for (gint64 y = 0; y < height; y++) {
    gint32 *row = (gint32 *)(gpointer)(pieces->data + (gsize)y * pieces->stride);
    for (gint64 x = 0; x < width; x++)
      row[x] = wand->filled[(wand->box[1] + y) * wand->width + wand->box[0] + x];
  }
  g_autoptr(GArray) labels = g_array_append_vals(g_array_new(FALSE, FALSE, sizeof(gint32)), numbers, 2);
  image.raster = image.pieces = pieces;
  image.labels = labels;
  const VtRaster *raster = wand->raster;
  const VtLabelPlace place = {
    raster->origin_x_l0 + (double)(raster->x + wand->left + wand->box[0]) * raster->downsample,
    raster->origin_y_l0 + (double)(raster->y + wand->top + wand->box[1]) * raster->downsample, raster->downsample
  };
  g_autoptr(VtShapes) shapes = vt_label_image_trace(&image, &place, TRUE, NULL, error);
  return shapes ? vt_roi_copy(((const VtShape *)shapes->shapes->pdata[0])->outline) : NULL;
}

VtRoi *
vt_wand_grow(const VtRaster *raster, gint64 col, gint64 row, double tolerance, gboolean by_corners, GError **error)
{
  const gint64 left = MAX(col - VT_WAND_EDGE / 2, 0), top = MAX(row - VT_WAND_EDGE / 2, 0);
  Wand wand = { .raster = raster,
                .left = left,
                .top = top,
                .width = MIN(left + VT_WAND_EDGE, raster->width) - left,
                .height = MIN(top + VT_WAND_EDGE, raster->height) - top,
                .value = vt_raster_get_raw(raster, col, row),
                .tolerance = tolerance,
                .by_corners = by_corners,
                .box = { G_MAXINT64, G_MAXINT64, 0, 0 } };
  if (!isfinite(wand.value))
    return vt_error_set_null(error, VITRAIL_BAD_ARGUMENT,
                             "The layer has no value here from which a region could grow.");
  g_autofree guint8 *filled = wand.filled = g_try_malloc0((gsize)(wand.width * wand.height));
  g_autoptr(GArray) open = wand.open = g_array_new(FALSE, FALSE, 2 * sizeof(gint64));
  if (!filled)
    return vt_error_set_null(error, VITRAIL_OUT_OF_MEMORY, "There is not enough memory to grow a region.");
  fill_run(&wand, col - left, row - top);
  while (open->len > 0 && !wand.is_cut) {
    const gint64 *last = (const gint64 *)(gpointer)(open->data + (gsize)(open->len - 1) * 2 * sizeof(gint64));
    const gint64 x = last[0], y = last[1];
    g_array_set_size(open, open->len - 1);
    fill_run(&wand, x, y);
  }
  if (!wand.is_cut)
    return outline(&wand, error);
  return vt_error_set_null(
    error, VITRAIL_BAD_ARGUMENT,
    "The region grows beyond %d × %d pixels of the layer. Drag less far, so that it takes fewer values.", VT_WAND_EDGE,
    VT_WAND_EDGE);
}
