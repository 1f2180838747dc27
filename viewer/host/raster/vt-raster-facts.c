/* SPDX-License-Identifier: MIT
 *
 * What an image file says beside its first image: pages, more channels, finer colours, and that a viewer is to turn it. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "raster/vt-raster-private.h"
#include "raster/vt-tiff-private.h"

enum { EXIF_BYTES = 65536, ORIENTATION = 0x0112, SHORT_FIELD = 3, MAX_PAGES = 65535, UPRIGHT = 1, LAST_TURN = 8 };

guint
vt_raster_count_pages(const char *path)
{
  TIFF *tiff = vt_raster_get_kind(path) == VT_FILE_TIFF ? vt_tiff_open(path, "rm") : NULL;
  guint n = 0, n_directories = 0;
  if (!tiff)
    return 1;
  do {
    guint32 kind = 0;
    TIFFGetFieldDefaulted(tiff, TIFFTAG_SUBFILETYPE, &kind);
    n += !(kind & (FILETYPE_REDUCEDIMAGE | FILETYPE_MASK));
  } while (++n_directories < MAX_PAGES && TIFFReadDirectory(tiff));
  TIFFClose(tiff);
  return MAX(n, 1);
}

static guint
count_colours(guint16 photometric)
{
  switch (photometric) {
  case PHOTOMETRIC_MINISWHITE:
  case PHOTOMETRIC_MINISBLACK:
  case PHOTOMETRIC_PALETTE:
  case PHOTOMETRIC_MASK: return 1;
  case PHOTOMETRIC_SEPARATED: return 4;
  default: return 3;
  }
}

guint
vt_raster_count_unread(const char *path)
{
  TIFF *tiff = vt_raster_get_kind(path) == VT_FILE_TIFF ? vt_tiff_open(path, "rm") : NULL;
  guint16 samples = 1, photometric = PHOTOMETRIC_MINISBLACK, n_more = 0, *more = NULL;
  if (!tiff)
    return 0;
  TIFFGetFieldDefaulted(tiff, TIFFTAG_SAMPLESPERPIXEL, &samples);
  TIFFGetField(tiff, TIFFTAG_PHOTOMETRIC, &photometric);
  TIFFGetFieldDefaulted(tiff, TIFFTAG_EXTRASAMPLES, &n_more, &more);
  const guint n_read = count_colours(photometric) + (n_more > 0 && more[0] != EXTRASAMPLE_UNSPECIFIED);
  TIFFClose(tiff);
  return samples > n_read ? samples - n_read : 0;
}

/* A PNG's header begins with its width and height; then come the bits and the kind of its colours. */
static guint
read_png_bits(const char *path)
{
  enum { BITS = 24, KIND = 25, HAS_COLOURS = 2, HEADER = 26 };
  guint8 header[HEADER] = { 0 };
  FILE *file = fopen(path, "rb");
  const gsize n = file ? fread(header, 1, HEADER, file) : 0;
  if (file)
    fclose(file);
  return n == HEADER && header[KIND] & HAS_COLOURS ? header[BITS] : 0;
}

guint
vt_raster_get_cut_bits(const char *path)
{
  const VtFileKind kind = vt_raster_get_kind(path);
  TIFF *tiff = kind == VT_FILE_TIFF ? vt_tiff_open(path, "rm") : NULL;
  guint16 bits = kind == VT_FILE_PNG ? (guint16)read_png_bits(path) : 0, samples = 1;
  if (tiff) {
    TIFFGetFieldDefaulted(tiff, TIFFTAG_SAMPLESPERPIXEL, &samples);
    TIFFGetFieldDefaulted(tiff, TIFFTAG_BITSPERSAMPLE, &bits);
    bits = samples > 1 ? bits : 0; /* one channel keeps its bits */
    TIFFClose(tiff);
  }
  return bits > 8 ? bits : 0;
}

static guint
get_number(const guint8 *bytes, guint n, gboolean is_little)
{
  guint value = 0;
  for (guint i = 0; i < n; i++)
    value = value << 8 | bytes[is_little ? n - 1 - i : i];
  return value;
}

/* Exif is a small TIFF without pixels (CIPA DC-008). */
static guint
parse_exif(const guint8 *exif, gsize size)
{
  const gboolean is_little = size >= 8 && memcmp(exif, "II", 2) == 0;
  const gsize directory = size >= 8 ? get_number(exif + 4, 4, is_little) : size;
  const guint n = directory + 2 <= size ? get_number(exif + directory, 2, is_little) : 0;
  for (guint i = 0; i < n && directory + 2 + 12 * ((gsize)i + 1) <= size; i++) {
    const guint8 *entry = exif + directory + 2 + 12 * (gsize)i;
    if (get_number(entry, 2, is_little) == ORIENTATION && get_number(entry + 2, 2, is_little) == SHORT_FIELD)
      return get_number(entry + 8, 2, is_little);
  }
  return UPRIGHT;
}

/* Up to the first piece of compressed pixels, block by block, each of which says how long it is. */
static guint
find_exif(FILE *file, VtFileKind kind)
{
  const gboolean is_png = kind == VT_FILE_PNG;
  g_autofree guint8 *block = g_malloc(EXIF_BYTES);
  guint8 head[8];
  long at = is_png ? 8 : 2; /* after the signature */
  while (fseek(file, at, SEEK_SET) == 0 && fread(head, 1, is_png ? 8 : 4, file) == (is_png ? 8 : 4)) {
    const guint length = is_png ? get_number(head, 4, FALSE) : get_number(head + 2, 2, FALSE);
    if (is_png ? memcmp(head + 4, "IDAT", 4) == 0 : head[0] != 0xFF || head[1] == 0xDA)
      break;
    if (is_png ? memcmp(head + 4, "eXIf", 4) == 0 : head[1] == 0xE1) {
      const gsize n = fread(block, 1, MIN(length, EXIF_BYTES), file);
      if (is_png)
        return parse_exif(block, n);
      if (n > 6 && memcmp(block, "Exif\0", 6) == 0)
        return parse_exif(block + 6, n - 6);
    }
    at += is_png ? 12 + (long)length : 2 + (long)length;
  }
  return UPRIGHT;
}

static guint
check_turn(guint turn)
{
  return turn >= UPRIGHT && turn <= LAST_TURN ? turn : UPRIGHT;
}

guint
vt_tiff_get_orientation(TIFF *tiff)
{
  guint16 turn = UPRIGHT;
  if (tiff)
    TIFFGetFieldDefaulted(tiff, TIFFTAG_ORIENTATION, &turn);
  return check_turn(turn);
}

guint
vt_raster_read_orientation(const char *path)
{
  const VtFileKind kind = vt_raster_get_kind(path);
  if (kind == VT_FILE_OTHER)
    return UPRIGHT;
  if (kind == VT_FILE_TIFF) {
    TIFF *tiff = vt_tiff_open(path, "rm");
    const guint turn = vt_tiff_get_orientation(tiff);
    if (tiff)
      TIFFClose(tiff);
    return turn;
  }
  FILE *file = fopen(path, "rb");
  const guint turn = file ? check_turn(find_exif(file, kind)) : UPRIGHT;
  if (file)
    fclose(file);
  return turn;
}

void
vt_raster_read_facts(const char *path, VtRasterFacts *facts)
{
  *facts = (VtRasterFacts){ .n_pages = vt_raster_count_pages(path),
                            .n_unread = vt_raster_count_unread(path),
                            .cut_bits = vt_raster_get_cut_bits(path),
                            .orientation = vt_raster_read_orientation(path) };
  facts->is_placed = vt_raster_read_place(path, &facts->place);
}

gboolean
vt_raster_is_place(const VtRasterPlace *place)
{
  return isfinite(place->origin_x_l0) && isfinite(place->origin_y_l0) && isfinite(place->scale)
         && isfinite(place->offset) && isfinite(place->downsample) && place->downsample > 0
         && fabs(place->x) <= G_MAXINT32 && fabs(place->y) <= G_MAXINT32;
}

void
vt_raster_set_place(VtRaster *raster, const VtRasterPlace *place)
{
  raster->x = (gint64)place->x;
  raster->y = (gint64)place->y;
  raster->downsample = place->downsample;
  raster->origin_x_l0 = place->origin_x_l0;
  raster->origin_y_l0 = place->origin_y_l0;
  raster->scale = place->scale;
  raster->offset = place->offset;
}
