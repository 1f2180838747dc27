/* SPDX-License-Identifier: MIT
 *
 * Which levels can be trusted. In a generic TIFF that is not JPEG-compressed, OpenSlide asks libtiff for whole tiles.
 * If a tile is larger than its image, libtiff packs its rows at the image's width. Such levels come out
 * sheared, with memory that was never set. No error is reported, so they are recognised by their sizes. */
#include <math.h>
#include <tiffio.h>

#include "raster/vt-raster-private.h"
#include "slide/vt-slide-private.h"

#define ASPECT_SLACK 0.05
#define EDGE_PIXELS 2
/* Aperio's numbers in TIFF's Compression. */
#define APERIO_JP2K_YCBCR 33003
#define APERIO_JP2K_RGB 33005

static gint64
get_tile_side(VtSlide *slide, int level, const char *what)
{
  g_autofree char *name = g_strdup_printf("openslide.level[%d].tile-%s", level, what);
  const char *text = vt_slide_get_property(slide, name);
  return text ? g_ascii_strtoll(text, NULL, 10) : 0;
}

static gboolean
is_smaller_than_its_tile(VtSlide *slide, int level, gint64 width, gint64 height)
{
  return g_str_equal(slide->vendor, "generic-tiff")
         && (width < get_tile_side(slide, level, "width") || height < get_tile_side(slide, level, "height"));
}

static gboolean
is_jpeg_tiff(const char *path)
{
  guint16 compression = 0;
  TIFF *tiff = TIFFOpen(path, "rm");
  if (!tiff)
    return FALSE;
  const gboolean known = TIFFGetField(tiff, TIFFTAG_COMPRESSION, &compression) == 1;
  TIFFClose(tiff);
  return known && compression == COMPRESSION_JPEG;
}

/* Level 0 by libtiff's own whole-image reader, which is right. */
static gboolean
read_flat(VtSlide *slide, gint64 width, gint64 height, GError **error)
{
  g_autoptr(VtRaster) raster = vt_raster_read_tiff_rgba(slide->path, slide->background, error);
  if (!raster)
    return FALSE;
  if (raster->width != width || raster->height != height)
    return vt_error_set(error, VITRAIL_READ_FAILED, "%s: its first image has another size than its first level.",
                        slide->name);
  slide->flat = g_steal_pointer(&raster);
  return TRUE;
}

void
vt_slide_add_synthetic_levels(VtSlide *slide)
{
  VtSlideLevel level = *vt_slide_level(slide, slide->n_stored - 1);
  level.stored = -1;
  while (level.width > VT_TILE_PX || level.height > VT_TILE_PX) {
    level.width = (level.width + 1) / 2;
    level.height = (level.height + 1) / 2;
    level.downsample *= 2;
    g_array_append_val(slide->levels, level);
  }
}

/* Where OpenSlide asks libtiff for a tile, libtiff turns that tile alone; where it decodes tiles itself, all stay as they are stored. */
static gboolean
check_orientation(const VtSlide *slide, GError **error)
{
  TIFF *tiff = vt_raster_get_kind(slide->path) == VT_FILE_TIFF ? TIFFOpen(slide->path, "rm") : NULL;
  gboolean is_sound = TRUE;
  do {
    guint16 orientation = ORIENTATION_TOPLEFT, compression = COMPRESSION_NONE;
    if (!tiff)
      break;
    TIFFGetFieldDefaulted(tiff, TIFFTAG_ORIENTATION, &orientation);
    TIFFGetFieldDefaulted(tiff, TIFFTAG_COMPRESSION, &compression);
    is_sound = orientation == ORIENTATION_TOPLEFT || !TIFFIsTiled(tiff) || compression == COMPRESSION_JPEG
               || compression == APERIO_JP2K_YCBCR || compression == APERIO_JP2K_RGB;
  } while (is_sound && TIFFReadDirectory(tiff));
  if (tiff)
    TIFFClose(tiff);
  if (!is_sound)
    g_set_error(error, VT_ERROR, VITRAIL_UNSUPPORTED,
                "%s says that it is to be turned or mirrored, and OpenSlide would do so with each of its tiles alone; "
                "store its pixels as they are to be seen.",
                slide->name);
  return is_sound;
}

/* Levels that show the same part of the slide have one downsample along both axes, up to a rounded or padded edge. */
static gboolean
check_aspect(const VtSlide *slide, const VtSlideLevel *level, GError **error)
{
  const VtSlideLevel *base = level->stored == 0 ? level : vt_slide_level(slide, 0);
  const double sides[2][2] = { { (double)base->width, (double)level->width },
                               { (double)base->height, (double)level->height } };
  double least = 0, most = INFINITY;
  for (int axis = 0; axis < 2; axis++) {
    least = MAX(least, sides[axis][0] / (sides[axis][1] * (1 + ASPECT_SLACK) + EDGE_PIXELS));
    most = MIN(most, sides[axis][0] / MAX(sides[axis][1] * (1 - ASPECT_SLACK) - EDGE_PIXELS, 0));
  }
  if (least <= most)
    return TRUE;
  return vt_error_set(error, VITRAIL_READ_FAILED,
                      "%s: its level %d, of %" G_GINT64_FORMAT " × %" G_GINT64_FORMAT
                      " pixels, has other proportions than its first level, of %" G_GINT64_FORMAT " × %" G_GINT64_FORMAT
                      "; one of them shows another part of the slide.",
                      slide->name, level->stored, level->width, level->height, base->width, base->height);
}

gboolean
vt_slide_find_levels(VtSlide *slide, openslide_t *openslide, GError **error)
{
  const int n = openslide_get_level_count(openslide);
  if (!check_orientation(slide, error))
    return FALSE;
  for (int i = 0; i < n; i++) {
    VtSlideLevel level = { .stored = i, .downsample = i == 0 ? 1.0 : openslide_get_level_downsample(openslide, i) };
    openslide_get_level_dimensions(openslide, i, &level.width, &level.height);
    const gboolean sane = level.width > 0 && level.height > 0 && isfinite(level.downsample) && level.downsample >= 1;
    if (!sane)
      break;
    if (!check_aspect(slide, &level, error))
      return FALSE;
    if (is_smaller_than_its_tile(slide, i, level.width, level.height)) {
      if (i > 0)
        break;
      if (!is_jpeg_tiff(slide->path) && !read_flat(slide, level.width, level.height, error))
        return FALSE;
    }
    g_array_append_val(slide->levels, level);
  }
  slide->n_stored = (int)slide->levels->len;
  if (slide->n_stored == 0)
    return vt_error_set(error, VITRAIL_READ_FAILED, "%s has no readable level.", slide->name);
  vt_slide_add_synthetic_levels(slide);
  return TRUE;
}
