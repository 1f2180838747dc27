/* SPDX-License-Identifier: MIT
 *
 * Regions of a whole-numbered grid from canonical tiles. Output pixel X is the mean of level pixels [lo(X), hi(X)),
 * where lo and hi depend on X alone: the rectangle asked for never changes a pixel. */
#include <math.h>
#include <string.h>

#include "base/vt-pool.h"
#include "base/vt-rect.h"
#include "slide/vt-slide-private.h"

#define BLOCK 256

/* One axis of a block: the level pixels under each of its output pixels. */
typedef struct {
  int n;
  gint64 lo[BLOCK], hi[BLOCK];
} Span;

typedef struct {
  VtSlide *slide;
  int level;
  double ratio; /* level pixels per output pixel */
  Span x, y;
  guint64 sums[BLOCK * BLOCK * 3]; /* R G B */
} Block;

static int
choose_level(const VtSlide *slide, guint downsample)
{
  int best = 0;
  for (int i = 1; i < slide->n_stored; i++)
    if (vt_slide_level(slide, i)->downsample <= downsample * 1.01)
      best = i;
  return best;
}

static double
choose_ratio(const VtSlideLevel *level, guint downsample)
{
  /* The stored downsample is a quotient of rounded sizes: 4.00012 means 4. */
  const double ratio = downsample / level->downsample, whole = round(ratio);
  return whole >= 1 && fabs(ratio - whole) <= 1e-3 ? whole : ratio;
}

static void
span_init(Span *span, double ratio, gint64 first, gint64 n, gint64 limit)
{
  span->n = (int)n;
  for (gint64 i = 0; i < n; i++) {
    const gint64 lo = (gint64)floor((double)(first + i) * ratio);
    const gint64 hi = MAX(lo + 1, (gint64)floor((double)(first + i + 1) * ratio));
    span->lo[i] = MIN(lo, limit - 1);
    span->hi[i] = CLAMP(hi, span->lo[i] + 1, limit);
  }
}

/* Adds what one tile holds of the block's pixels. */
static void
add_tile(Block *block, const VtTilePixels *tile, gint64 tile_x, gint64 tile_y)
{
  const guint8 *data = g_bytes_get_data(tile->bytes, NULL);
  for (int j = 0; j < block->y.n; j++) {
    const gint64 y0 = MAX(block->y.lo[j], tile_y), y1 = MIN(block->y.hi[j], tile_y + tile->height);
    for (gint64 y = y0; y < y1; y++) {
      const guint8 *row = data + (gsize)(y - tile_y) * (gsize)tile->stride;
      guint64 *sum = block->sums + (gsize)j * BLOCK * 3;
      for (int i = 0; i < block->x.n; i++, sum += 3) {
        const gint64 x0 = MAX(block->x.lo[i], tile_x), x1 = MIN(block->x.hi[i], tile_x + tile->width);
        for (gint64 x = x0; x < x1; x++) {
          const guint8 *bgra = row + (gsize)(x - tile_x) * 4;
          sum[0] += bgra[2];
          sum[1] += bgra[1];
          sum[2] += bgra[0];
        }
      }
    }
  }
}

/* What one tile holds of the block's pixels where each is one pixel of the level. */
static void
copy_tile(const Block *block, const VtTilePixels *tile, gint64 tile_x, gint64 tile_y, guint8 *rgba, gsize stride)
{
  const guint8 *data = g_bytes_get_data(tile->bytes, NULL);
  const gint64 left = block->x.lo[0], top = block->y.lo[0];
  const gint64 x0 = MAX(left, tile_x), x1 = MIN(left + block->x.n, tile_x + tile->width);
  const gint64 y0 = MAX(top, tile_y), y1 = MIN(top + block->y.n, tile_y + tile->height);
  for (gint64 y = y0; y < y1; y++) {
    const guint8 *from = data + (gsize)(y - tile_y) * (gsize)tile->stride + (gsize)(x0 - tile_x) * 4;
    guint8 *to = rgba + (gsize)(y - top) * stride + (gsize)(x0 - left) * 4;
    /* Word by word, so that the loop becomes vector code. */
    for (gsize i = 0; i < (gsize)(x1 - x0); i++) {
      guint32 bgra, rgb;
      memcpy(&bgra, from + 4 * i, sizeof bgra);
      bgra = GUINT32_FROM_LE(bgra);
      rgb = GUINT32_TO_LE(0xff000000u | (bgra & 0xff00u) | (bgra >> 16 & 0xffu) | (bgra & 0xffu) << 16);
      memcpy(to + 4 * i, &rgb, sizeof rgb);
    }
  }
}

static void
write_means(const Block *block, guint8 *rgba, gsize stride)
{
  for (int j = 0; j < block->y.n; j++) {
    guint8 *out = rgba + (gsize)j * stride;
    const guint64 *sum = block->sums + (gsize)j * BLOCK * 3;
    for (int i = 0; i < block->x.n; i++, out += 4, sum += 3) {
      const guint64 n = (guint64)((block->x.hi[i] - block->x.lo[i]) * (block->y.hi[j] - block->y.lo[j]));
      /* Sums are below 256 n. A division of 32 bits takes a quarter of the time. */
      const gboolean is_small = n < (guint64)1 << 22;
      for (int c = 0; c < 3; c++)
        out[c] = is_small ? (guint8)((2 * (guint32)sum[c] + (guint32)n) / (2 * (guint32)n))
                          : (guint8)((2 * sum[c] + n) / (2 * n));
      out[3] = 255;
    }
  }
}

static gboolean
read_block(Block *block, guint8 *rgba, gsize stride, GCancellable *cancellable, GError **error)
{
  const gint64 col0 = block->x.lo[0] / VT_TILE_PX, col1 = (block->x.hi[block->x.n - 1] - 1) / VT_TILE_PX;
  const gint64 row0 = block->y.lo[0] / VT_TILE_PX, row1 = (block->y.hi[block->y.n - 1] - 1) / VT_TILE_PX;
  /* Where rounded sizes put a last pixel beyond the level, it repeats the one before: that is left to the means. */
  const gboolean copies = block->ratio == 1 && block->x.hi[block->x.n - 1] - block->x.lo[0] == block->x.n
                          && block->y.hi[block->y.n - 1] - block->y.lo[0] == block->y.n;
  if (!copies)
    memset(block->sums, 0, sizeof block->sums);
  for (gint64 row = row0; row <= row1; row++) {
    for (gint64 col = col0; col <= col1; col++) {
      g_autoptr(VtTilePixels) tile = vt_slide_read_tile(block->slide, block->level, col, row, cancellable, error);
      if (!tile)
        return FALSE;
      if (copies)
        copy_tile(block, tile, col * VT_TILE_PX, row * VT_TILE_PX, rgba, stride);
      else
        add_tile(block, tile, col * VT_TILE_PX, row * VT_TILE_PX);
    }
  }
  if (!copies)
    write_means(block, rgba, stride);
  return TRUE;
}

static gboolean
check_region(VtSlide *slide, guint downsample, gint64 x, gint64 y, gint64 width, gint64 height, GError **error)
{
  const VtSlideLevel *base = vt_slide_level(slide, 0);
  const VtRect rect = { x, y, width, height };
  if (vt_rect_is_on_grid(&rect, base->width, base->height, downsample))
    return TRUE;
  return vt_error_set(error, VITRAIL_BAD_ARGUMENT, "%s: the region asked for is not inside the slide.", slide->name);
}

gboolean
vt_slide_read_region(VtSlide *slide, guint downsample, gint64 x, gint64 y, gint64 width, gint64 height, guint8 *rgba,
                     gsize stride, GCancellable *cancellable, GError **error)
{
  if (!check_region(slide, downsample, x, y, width, height, error))
    return FALSE;
  g_autofree Block *block = g_new(Block, 1);
  block->slide = slide;
  block->level = choose_level(slide, downsample);
  const VtSlideLevel *level = vt_slide_level(slide, block->level);
  block->ratio = choose_ratio(level, downsample);
  for (gint64 by = 0; by < height; by += BLOCK) {
    span_init(&block->y, block->ratio, y + by, MIN(BLOCK, height - by), level->height);
    for (gint64 bx = 0; bx < width; bx += BLOCK) {
      span_init(&block->x, block->ratio, x + bx, MIN(BLOCK, width - bx), level->width);
      if (!read_block(block, rgba + (gsize)by * stride + (gsize)bx * 4, stride, cancellable, error))
        return FALSE;
    }
  }
  return TRUE;
}

typedef struct {
  VtSlide *slide;
  int level;
  gint64 col, row, n_columns;
  const gint *is_enough;
} Ahead;

static void
read_ahead(void *user, guint32 index)
{
  const Ahead *ahead = user;
  if (g_atomic_int_get(ahead->is_enough))
    return;
  VtTilePixels *tile = vt_slide_read_tile(ahead->slide, ahead->level, ahead->col + index % ahead->n_columns,
                                          ahead->row + index / ahead->n_columns, NULL, NULL);
  g_clear_pointer(&tile, vt_tile_pixels_unref);
}

void
vt_slide_read_ahead(VtSlide *slide, guint downsample, gint64 x_l0, gint64 y_l0, gint64 width_l0, gint64 height_l0,
                    guint n_threads, const gint *is_enough)
{
  const int index = choose_level(slide, downsample);
  const double tile = VT_TILE_PX * vt_slide_level(slide, index)->downsample;
  const gint64 col = (gint64)((double)x_l0 / tile), row = (gint64)((double)y_l0 / tile);
  const gint64 n_columns = (gint64)((double)(x_l0 + width_l0 - 1) / tile) + 1 - col,
               n_rows = (gint64)((double)(y_l0 + height_l0 - 1) / tile) + 1 - row;
  Ahead ahead = { slide, index, col, row, n_columns, is_enough };
  const double bytes = (double)n_columns * (double)n_rows * VT_TILE_PX * VT_TILE_PX * 4;
  if (n_columns > 0 && n_rows > 0 && bytes <= (double)vt_tile_cache_get_budget() / 2)
    vt_parallel_for(n_threads, (guint)(n_columns * n_rows), read_ahead, &ahead);
}
