/* SPDX-License-Identifier: MIT
 *
 * The limits stand far from both sides: of 54 fields of stained tissue and smears the darkest has a median luminance of 98, and
 * the palest has colour differences of 79 in its hundredth part; two fields and a slide of fluorescence have medians of 1, 2 and 15.
 */
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
#define COLOURLESS_SHARE 0.01 /* of pixels with more colour is still colourless: noise of compression */
#define BLANK_SHARE 0.0001    /* of pixels that differ is still blank */
#define SMALL_UM_PER_PX 0.35  /* of larger pixels a nucleus of 5 µm has less than 15 across */
#define SMALL_DARK_PX 10      /* the 54 fields have more, CMU-1-Small-Region, at 0.5 µm per pixel, has less */

typedef struct {
  guint64 n, luminance[256], colour[256];
} Histogram;

static void
count(Histogram *histogram, guint r, guint g, guint b)
{
  histogram->n++;
  histogram->luminance[(54 * r + 183 * g + 19 * b) >> 8]++; /* Rec. 709 */
  histogram->colour[MAX(MAX(r, g), b) - MIN(MIN(r, g), b)]++;
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

static VtLook
judge(const Histogram *histogram)
{
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
  return coloured <= COLOURLESS_SHARE ? VT_LOOK_COLOURLESS : VT_LOOK_USUAL;
}

VtLook
vt_look_at_raster(const VtRaster *raster)
{
  Histogram histogram = { 0 };
  gint64 step = 1;
  const gboolean is_grey = raster->type == VITRAIL_U8;
  if (raster->type != VITRAIL_RGBA8 && !is_grey)
    return VT_LOOK_USUAL;
  if (MIN(raster->width, raster->height) < TINY_SIDE)
    return VT_LOOK_TINY;
  while ((raster->width / step) * (raster->height / step) > MAX_SAMPLES)
    step++;
  for (gint64 y = 0; y < raster->height; y += step) {
    if (y / step % 8 == 0)
      vt_raster_rest(raster); /* a page may be 2 MB */
    const guint8 *row = raster->data + (gsize)y * raster->stride;
    for (gint64 x = 0; x < raster->width; x += step)
      if (is_grey)
        count(&histogram, row[x], row[x], row[x]);
      else
        count(&histogram, row[4 * x], row[4 * x + 1], row[4 * x + 2]);
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
    }
}

static VtLook
look_at_levels(VtSlide *slide)
{
  Histogram histogram = { 0 };
  const VtSlideLevel *base = vt_slide_level(slide, 0);
  const int level = choose_level(slide);
  const gint64 n_cols = (vt_slide_level(slide, level)->width + VT_TILE_PX - 1) / VT_TILE_PX;
  const gint64 n_rows = (vt_slide_level(slide, level)->height + VT_TILE_PX - 1) / VT_TILE_PX;
  const gint64 across = MIN(n_cols, MAX_TILES_ALONG), down = MIN(n_rows, MAX_TILES_ALONG);
  if (MIN(base->width, base->height) < TINY_SIDE)
    return VT_LOOK_TINY;
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
