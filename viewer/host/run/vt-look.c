/* SPDX-License-Identifier: MIT
 *
 * The limits stand far from both sides: of 54 fields of stained tissue and smears the darkest has a median luminance of 98, and
 * the palest has colour differences of 79 in its hundredth part; two fields and a slide of fluorescence have medians of 1, 2 and 15.
 */
#include <string.h>

#include "run/vt-look.h"

#include "base/vt-define.h"
#include "slide/vt-slide-private.h"

#define TR(text) text

#define TINY_SIDE 32
#define LEAST_SIDE 256        /* a level that still shows what the slide is */
#define MAX_TILES_ALONG 5     /* of a level that is not coarse */
#define MAX_SAMPLES (1 << 20) /* of a raster */
#define DARK_MEDIAN 64        /* luminance, 0 to 255 */
#define UNLIT 8               /* up to here a pixel may be what a scanner fills in where it did not scan */
#define DARK_LIT_MEDIAN 96    /* of the others: glass and tissue are lighter */
#define COLOURLESS 16         /* largest less smallest of R G B */
#define BLANK_DIFFERENCE 16   /* luminance, from the median */
#define COLOURLESS_SHARE 0.01 /* of squares with more colour is still colourless: noise of compression */
#define SQUARE 2              /* samples a side, whose mean has less noise than they have */
#define TINT 40               /* the medians of R G B differ by less: a tint of the light, not a stain */
#define BLANK_SHARE 0.0001    /* of pixels that differ is still blank */
#define SMALL_UM_PER_PX 0.35  /* of larger pixels a nucleus of 5 µm has less than 15 across */
#define SMALL_DARK_PX 10      /* the 54 fields have more, CMU-1-Small-Region, at 0.5 µm per pixel, has less */
#define WIDE_DARK_PX 38 /* 49 of the 54 fields have less; enlarged twice, most of those of large nuclei have more */
#define FRAME_LEAST 4   /* pixels that a frame is wide */
#define FRAME_NOISE 3   /* by so much its pixels differ from its corner, each channel */
#define FRAME_MAX_PX (1 << 24) /* in larger images none is looked for */

typedef struct {
  guint64 n, luminance[256], colour[256], channels[3][256];
  GByteArray *squares; /* means of squares, R G B */
} Histogram;

static void
count(Histogram *histogram, guint r, guint g, guint b)
{
  histogram->n++;
  histogram->luminance[(54 * r + 183 * g + 19 * b) >> 8]++; /* Rec. 709 */
  histogram->colour[MAX(MAX(r, g), b) - MIN(MIN(r, g), b)]++;
  histogram->channels[0][r]++;
  histogram->channels[1][g]++;
  histogram->channels[2][b]++;
}

/* pixels: of the first sample of the square's first row; step: bytes from sample to sample and row to row; order: of R, G and B in a pixel. */
static void
count_square(Histogram *histogram, const guint8 *pixels, const gsize step[2], const guint order[3])
{
  guint8 mean[3];
  for (guint c = 0; c < 3; c++) {
    guint sum = SQUARE * SQUARE / 2;
    for (guint i = 0; i < SQUARE * SQUARE; i++)
      sum += pixels[i % SQUARE * step[0] + i / SQUARE * step[1] + order[c]];
    mean[c] = (guint8)(sum / (SQUARE * SQUARE));
  }
  g_byte_array_append(histogram->squares, mean, sizeof mean);
}

/* The median of values from `first` on; 0 of none. */
static guint
get_median(const guint64 bins[256], guint first)
{
  guint64 n = 0, sum = 0;
  for (guint i = first; i < 256; i++)
    n += bins[i];
  for (guint i = first; i < 256; i++)
    if ((sum += bins[i]) * 2 >= n && n > 0)
      return i;
  return 0;
}

static double
get_share_above(const Histogram *histogram, const guint64 bins[256], guint limit)
{
  guint64 sum = 0;
  for (guint i = limit + 1; i < 256; i++)
    sum += bins[i];
  return (double)sum / (double)histogram->n;
}

/* The share of squares with a colour that is not that of the light: where the medians of R, G and B are nearly alike, they are made alike. */
static double
get_share_coloured(const Histogram *histogram)
{
  guint medians[3], n = 0;
  for (guint c = 0; c < 3; c++)
    medians[c] = MAX(get_median(histogram->channels[c], 0), 1);
  const guint most = MAX(MAX(medians[0], medians[1]), medians[2]);
  const gboolean is_tint = most - MIN(MIN(medians[0], medians[1]), medians[2]) < TINT;
  for (guint i = 0; i < histogram->squares->len; i += 3) {
    guint v[3];
    for (guint c = 0; c < 3; c++)
      v[c] = is_tint ? MIN(histogram->squares->data[i + c] * most / medians[c], 255) : histogram->squares->data[i + c];
    n += MAX(MAX(v[0], v[1]), v[2]) - MIN(MIN(v[0], v[1]), v[2]) > COLOURLESS;
  }
  return histogram->squares->len ? 3.0 * n / histogram->squares->len : 0;
}

/* Takes the squares. */
static VtLook
judge(Histogram *histogram)
{
  g_autoptr(GByteArray) squares = histogram->squares;
  if (histogram->n == 0)
    return VT_LOOK_USUAL;
  const guint median = get_median(histogram->luminance, 0);
  const double lighter = get_share_above(histogram, histogram->luminance, MIN(median + BLANK_DIFFERENCE, 255));
  const double darker =
    median > BLANK_DIFFERENCE ? 1 - get_share_above(histogram, histogram->luminance, median - BLANK_DIFFERENCE - 1) : 0;
  const double coloured = get_share_above(histogram, histogram->colour, COLOURLESS);
  if (lighter + darker <= BLANK_SHARE && (coloured <= BLANK_SHARE || coloured >= 1 - BLANK_SHARE))
    return VT_LOOK_BLANK;
  if (median < DARK_MEDIAN && get_median(histogram->luminance, UNLIT + 1) < DARK_LIT_MEDIAN)
    return VT_LOOK_DARK;
  return get_share_coloured(histogram) <= COLOURLESS_SHARE ? VT_LOOK_COLOURLESS : VT_LOOK_USUAL;
}

/* Of `n` pixels from x, y on, along dx, dy: those that are not like the raster's first one. */
static gint64
count_other(const VtRaster *raster, const gint64 line[4], gint64 n)
{
  const gsize bytes = vt_pixel_size(raster->type);
  const guint8 *corner = raster->data;
  gint64 sum = 0;
  for (gint64 i = 0; i < n; i++) {
    const guint8 *p =
      raster->data + (gsize)(line[1] + i * line[3]) * raster->stride + (gsize)(line[0] + i * line[2]) * bytes;
    gboolean is_other = FALSE;
    for (gsize c = 0; c < MIN(bytes, 3); c++)
      is_other |= ABS(p[c] - corner[c]) > FRAME_NOISE;
    sum += is_other;
  }
  return sum;
}

gboolean
vt_look_find_frame(const VtRaster *raster, gint64 inside[4])
{
  gint64 x0 = 0, y0 = 0, x1 = raster->width, y1 = raster->height;
  memcpy(inside, (gint64[]){ x0, y0, x1, y1 }, 4 * sizeof *inside);
  if ((raster->type != VITRAIL_RGBA8 && raster->type != VITRAIL_U8) || x1 * y1 > FRAME_MAX_PX)
    return FALSE;
  while (y0 < y1 && count_other(raster, (gint64[]){ 0, y0, 1, 0 }, x1) == 0)
    y0++;
  while (y0 < y1 && count_other(raster, (gint64[]){ 0, y1 - 1, 1, 0 }, x1) == 0)
    y1--;
  while (x0 < x1 && count_other(raster, (gint64[]){ x0, y0, 0, 1 }, y1 - y0) == 0)
    x0++;
  while (x0 < x1 && count_other(raster, (gint64[]){ x1 - 1, y0, 0, 1 }, y1 - y0) == 0)
    x1--;
  const gint64 width = x1 - x0, height = y1 - y0;
  const gint64 least = MIN(MIN(x0, y0), MIN(raster->width - x1, raster->height - y1));
  if (least < FRAME_LEAST || width < TINY_SIDE || height < TINY_SIDE)
    return FALSE;
  if (2 * count_other(raster, (gint64[]){ x0, y0, 1, 0 }, width) <= width
      || 2 * count_other(raster, (gint64[]){ x0, y1 - 1, 1, 0 }, width) <= width
      || 2 * count_other(raster, (gint64[]){ x0, y0, 0, 1 }, height) <= height
      || 2 * count_other(raster, (gint64[]){ x1 - 1, y0, 0, 1 }, height) <= height)
    return FALSE;
  memcpy(inside, (gint64[]){ x0, y0, width, height }, 4 * sizeof *inside);
  return TRUE;
}

VtLook
vt_look_at_raster(const VtRaster *raster)
{
  gint64 step = 1, inside[4];
  const gboolean is_grey = raster->type == VITRAIL_U8;
  if (raster->type != VITRAIL_RGBA8 && !is_grey)
    return VT_LOOK_USUAL;
  if (MIN(raster->width, raster->height) < TINY_SIDE)
    return VT_LOOK_TINY;
  (void)vt_look_find_frame(raster, inside);
  while ((inside[2] / step) * (inside[3] / step) > MAX_SAMPLES)
    step++;
  Histogram histogram = { .squares = g_byte_array_new() };
  const gsize bytes = vt_pixel_size(raster->type), steps[] = { (gsize)step * bytes, (gsize)step * raster->stride };
  const guint order[] = { 0, is_grey ? 0 : 1, is_grey ? 0 : 2 };
  for (gint64 y = 0; y < inside[3]; y += step) {
    if (y / step % 8 == 0)
      vt_raster_rest(raster); /* a page may be 2 MB */
    const guint8 *row = raster->data + (gsize)(inside[1] + y) * raster->stride + (gsize)inside[0] * bytes;
    const gboolean has_squares = y / step % SQUARE == 0 && y + (SQUARE - 1) * step < inside[3];
    for (gint64 x = 0; x < inside[2]; x += step) {
      const guint8 *pixel = row + (gsize)x * bytes;
      count(&histogram, pixel[order[0]], pixel[order[1]], pixel[order[2]]);
      if (has_squares && x / step % SQUARE == 0 && x + (SQUARE - 1) * step < inside[2])
        count_square(&histogram, pixel, steps, order);
    }
  }
  const VtLook look = judge(&histogram);
  return look == VT_LOOK_COLOURLESS && is_grey ? VT_LOOK_USUAL : look;
}

static int
choose_level(const VtSlide *slide)
{
  int level = slide->n_stored - 1;
  while (level > 0 && MAX(vt_slide_level(slide, level)->width, vt_slide_level(slide, level)->height) < LEAST_SIDE)
    level--;
  return level;
}

static void
count_tile(Histogram *histogram, VtSlide *slide, int level, gint64 col, gint64 row)
{
  g_autoptr(VtTilePixels) tile = vt_slide_read_tile(slide, level, col, row, NULL, NULL);
  const guint8 *data = tile ? g_bytes_get_data(tile->bytes, NULL) : NULL;
  for (int y = 0; tile && y < tile->height; y++)
    for (int x = 0; x < tile->width; x++) {
      const guint8 *bgra = data + (gsize)y * (gsize)tile->stride + (gsize)x * 4;
      count(histogram, bgra[2], bgra[1], bgra[0]);
      if (x % SQUARE == 0 && y % SQUARE == 0 && x + SQUARE <= tile->width && y + SQUARE <= tile->height)
        count_square(histogram, bgra, (gsize[]){ 4, (gsize)tile->stride }, (guint[]){ 2, 1, 0 });
    }
}

static VtLook
look_at_levels(VtSlide *slide)
{
  const VtSlideLevel *base = vt_slide_level(slide, 0);
  const int level = choose_level(slide);
  const gint64 n_cols = (vt_slide_level(slide, level)->width + VT_TILE_PX - 1) / VT_TILE_PX;
  const gint64 n_rows = (vt_slide_level(slide, level)->height + VT_TILE_PX - 1) / VT_TILE_PX;
  const gint64 across = MIN(n_cols, MAX_TILES_ALONG), down = MIN(n_rows, MAX_TILES_ALONG);
  if (MIN(base->width, base->height) < TINY_SIDE)
    return VT_LOOK_TINY;
  Histogram histogram = { .squares = g_byte_array_new() };
  for (gint64 j = 0; j < down; j++)
    for (gint64 i = 0; i < across; i++)
      count_tile(&histogram, slide, level, (2 * i + 1) * n_cols / (2 * across), (2 * j + 1) * n_rows / (2 * down));
  return judge(&histogram);
}

VtLook
vt_look_at_slide(VtSlide *slide)
{
  VT_LOCK(&slide->look_lock);
  if (!slide->is_looked_at)
    slide->look = slide->plain ? vt_look_at_raster(slide->flat) : look_at_levels(slide);
  slide->is_looked_at = TRUE;
  const VtLook look = (VtLook)slide->look;
  return look;
}

gboolean
vt_look_matters(VtLook look, const VtParams *params)
{
  const VitrailOp *op = params->op;
  gboolean measures_density = FALSE;
  for (guint i = 0; i < op->n_stages; i++)
    measures_density |= g_strcmp0(op->stages[i]->unit, "OD") == 0;
  for (guint i = 0; i < op->n_params && look == VT_LOOK_COLOURLESS; i++) {
    g_autofree char *text = g_str_equal(op->params[i]->key, VT_LOOK_PARAM) ? vt_params_dup_text(params, i) : NULL;
    if (g_strcmp0(text, VT_LOOK_DENSITY) == 0)
      return FALSE;
  }
  return measures_density && look != VT_LOOK_USUAL;
}

static gboolean
find_choice(const VitrailParam *param, const char *key, guint *choice)
{
  for (guint i = 0; i < param->n_choices; i++)
    if (g_str_equal(param->choices[i], key)) {
      *choice = i;
      return TRUE;
    }
  return FALSE;
}

gboolean
vt_look_is_small(double um_per_px, double dark_px)
{
  return um_per_px > 0 ? um_per_px > SMALL_UM_PER_PX : dark_px > 0 && dark_px < SMALL_DARK_PX;
}

gboolean
vt_look_is_wide(double dark_px)
{
  return dark_px > WIDE_DARK_PX;
}

gboolean
vt_look_choose(VtLook look, gboolean is_small, const VtParams *params, guint *index, guint *choice)
{
  const VitrailOp *op = params->op;
  const char *key = look == VT_LOOK_DARK ? "fluorescence" : look == VT_LOOK_COLOURLESS ? "cytology" : "tissue";
  const char *first = is_small && g_str_equal(key, "tissue") ? "tissue-small" : key;
  guint automatic = 0;
  for (guint i = 0; i < op->n_params; i++)
    if (g_str_equal(op->params[i]->key, VT_LOOK_PRESET) && op->params[i]->type == VITRAIL_PARAM_CHOICE
        && find_choice(op->params[i], "auto", &automatic) && params->values[i][0] == automatic
        && (find_choice(op->params[i], first, choice) || find_choice(op->params[i], key, choice))) {
      *index = i;
      return TRUE;
    }
  return FALSE;
}

const char *
vt_look_get_sentence(VtLook look)
{
  switch (look) {
  case VT_LOOK_DARK: return TR("Dark background: this looks like fluorescence. The analysis looks for dark on light.");
  case VT_LOOK_COLOURLESS:
    return TR("No colour: hematoxylin cannot be told from other stains. As the detection image, “Optical density sum” "
              "takes all that is dark.");
  case VT_LOOK_BLANK: return TR("The image is of one colour: there is no tissue in it.");
  case VT_LOOK_TINY: return TR("The image is too small for this analysis: a side has fewer than 32 pixels.");
  default: return NULL;
  }
}
