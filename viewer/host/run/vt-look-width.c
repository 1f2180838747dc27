/* SPDX-License-Identifier: MIT
 *
 * How wide what is dark is. For squares of several sizes: by how much a square's mean is darker than that of one twice as wide around it,
 * to the fourth power, summed over all pixels. The width is the mean of the sizes, each weighed by its sum, on a scale of logarithms.
 * On 54 fields as they are, and reduced by 2 and 3, its logarithm has a correlation of 0.86 with that of the median width of nuclei. */
#include <math.h>
#include <string.h>

#include "run/vt-look.h"
#include "base/vt-define.h"
#include "slide/vt-slide-private.h"

#define MAX_PIECES_ALONG 3 /* of VT_TILE_PX */
#define STEP \
  2 /* one pixel of so many each way: four times as fast, and the width of a field changes by 0.3 pixels at most */
static const int radii[] = { 1, 2, 3, 4, 6, 8, 11, 15, 21, 29, 40 };

typedef struct {
  guint32 *sums; /* of all above and left: one row and one column more than a piece has */
  guint64 energy[G_N_ELEMENTS(radii)];
} Widths;

static Widths *
widths_new(void)
{
  Widths *self = g_new0(Widths, 1);
  self->sums = g_new(guint32, (VT_TILE_PX + 1) * (VT_TILE_PX + 1));
  return self;
}

/* Four times the mean of the square around a pixel, cut where the piece ends. */
static inline int
get_mean(const Widths *self, int x, int y, int width, int height, int radius)
{
  const int x0 = MAX(x - radius, 0), x1 = MIN(x + radius + 1, width), y0 = MAX(y - radius, 0),
            y1 = MIN(y + radius + 1, height), row = width + 1;
  const guint32 *s = self->sums;
  return (int)(4 * (s[y1 * row + x1] - s[y0 * row + x1] - s[y1 * row + x0] + s[y0 * row + x0])
               / (guint32)((x1 - x0) * (y1 - y0)));
}

/* value: of the first pixel's red. */
static void
add_piece(Widths *self, const guint8 *value, gsize stride, int bytes, int width, int height)
{
  const int row = width + 1;
  memset(self->sums, 0, sizeof *self->sums * (gsize)row);
  for (int y = 0; y < height; y++) {
    guint32 sum = self->sums[(y + 1) * row] = 0;
    for (int x = 0; x < width; x++) {
      sum += 255u - value[(gsize)y * stride + (gsize)(x * bytes)];
      self->sums[(y + 1) * row + x + 1] = self->sums[y * row + x + 1] + sum;
    }
  }
  for (guint i = 0; i < G_N_ELEMENTS(radii); i++)
    for (int y = 0; y < height; y += STEP)
      for (int x = 0; x < width; x += STEP) {
        const int darker =
          get_mean(self, x, y, width, height, radii[i]) - get_mean(self, x, y, width, height, 2 * radii[i] + 1);
        const guint64 square = darker > 0 ? (guint64)(darker * darker) : 0;
        self->energy[i] += square * square;
      }
}

static double
widths_free(Widths *self)
{
  double sum = 0, all = 0;
  for (guint i = 0; i < G_N_ELEMENTS(radii); i++) {
    sum += (double)self->energy[i] * log(2 * radii[i] + 1);
    all += (double)self->energy[i];
  }
  g_free(self->sums);
  g_free(self);
  return all > 0 ? exp(sum / all) : 0;
}

static gint64
count_along(gint64 length)
{
  return (length + VT_TILE_PX - 1) / VT_TILE_PX;
}

double
vt_look_measure_raster(const VtRaster *raster)
{
  const gboolean is_grey = raster->type == VITRAIL_U8;
  if (raster->type != VITRAIL_RGBA8 && !is_grey)
    return 0;
  gint64 inside[4];
  (void)vt_look_find_frame(raster, inside);
  Widths *widths = widths_new();
  const int bytes = is_grey ? 1 : 4;
  const guint8 *first = raster->data + (gsize)inside[1] * raster->stride + (gsize)(inside[0] * bytes);
  const gint64 n_cols = count_along(inside[2]), n_rows = count_along(inside[3]);
  const gint64 across = MIN(n_cols, MAX_PIECES_ALONG), down = MIN(n_rows, MAX_PIECES_ALONG);
  for (gint64 j = 0; j < down; j++)
    for (gint64 i = 0; i < across; i++) {
      const gint64 x = (2 * i + 1) * n_cols / (2 * across) * VT_TILE_PX,
                   y = (2 * j + 1) * n_rows / (2 * down) * VT_TILE_PX;
      add_piece(widths, first + (gsize)y * raster->stride + (gsize)(x * bytes), raster->stride, bytes,
                (int)MIN(inside[2] - x, VT_TILE_PX), (int)MIN(inside[3] - y, VT_TILE_PX));
    }
  vt_raster_rest(raster);
  return widths_free(widths);
}

static double
measure_tiles(VtSlide *slide)
{
  Widths *widths = widths_new();
  const VtSlideLevel *base = vt_slide_level(slide, 0);
  const gint64 n_cols = count_along(base->width), n_rows = count_along(base->height);
  const gint64 across = MIN(n_cols, MAX_PIECES_ALONG), down = MIN(n_rows, MAX_PIECES_ALONG);
  for (gint64 j = 0; j < down; j++)
    for (gint64 i = 0; i < across; i++) {
      g_autoptr(VtTilePixels) tile = vt_slide_read_tile(slide, 0, (2 * i + 1) * n_cols / (2 * across),
                                                        (2 * j + 1) * n_rows / (2 * down), NULL, NULL);
      if (tile) /* B G R A */
        add_piece(widths, (const guint8 *)g_bytes_get_data(tile->bytes, NULL) + 2, (gsize)tile->stride, 4, tile->width,
                  tile->height);
    }
  return widths_free(widths);
}

double
vt_look_measure_slide(VtSlide *slide)
{
  VT_LOCK(&slide->look_lock);
  if (!slide->is_measured)
    slide->dark_width = slide->plain ? vt_look_measure_raster(slide->flat) : measure_tiles(slide);
  slide->is_measured = TRUE;
  const double width = slide->dark_width;
  return width;
}
