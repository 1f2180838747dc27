/* SPDX-License-Identifier: MIT
 *
 * Any bytes as a TIFF file. */
#include <tiffio.h>

#include "fuzz-raster.h"

typedef struct {
  guint16 bits, samples, format, photometric, compression;
  gboolean tiled;
} Kind;

static const Kind kinds[] = {
  { 8, 1, SAMPLEFORMAT_UINT, PHOTOMETRIC_MINISBLACK, COMPRESSION_NONE, FALSE },
  { 8, 1, SAMPLEFORMAT_UINT, PHOTOMETRIC_MINISWHITE, COMPRESSION_LZW, TRUE },
  { 16, 1, SAMPLEFORMAT_UINT, PHOTOMETRIC_MINISBLACK, COMPRESSION_PACKBITS, FALSE },
  { 16, 1, SAMPLEFORMAT_UINT, PHOTOMETRIC_MINISWHITE, COMPRESSION_ADOBE_DEFLATE, TRUE },
  { 32, 1, SAMPLEFORMAT_INT, PHOTOMETRIC_MINISBLACK, COMPRESSION_NONE, TRUE },
  { 32, 1, SAMPLEFORMAT_UINT, PHOTOMETRIC_MINISBLACK, COMPRESSION_NONE, FALSE },
  { 32, 1, SAMPLEFORMAT_IEEEFP, PHOTOMETRIC_MINISBLACK, COMPRESSION_LZW, FALSE },
  { 8, 3, SAMPLEFORMAT_UINT, PHOTOMETRIC_RGB, COMPRESSION_NONE, TRUE },
  { 8, 4, SAMPLEFORMAT_UINT, PHOTOMETRIC_RGB, COMPRESSION_PACKBITS, FALSE },
  { 16, 3, SAMPLEFORMAT_UINT, PHOTOMETRIC_RGB, COMPRESSION_NONE, FALSE },
  { 4, 1, SAMPLEFORMAT_UINT, PHOTOMETRIC_MINISWHITE, COMPRESSION_NONE, FALSE },
  { 8, 3, SAMPLEFORMAT_UINT, PHOTOMETRIC_YCBCR, COMPRESSION_JPEG, TRUE },
};

size_t
vt_fuzz_seed(unsigned index, uint8_t *data)
{
  if (index >= G_N_ELEMENTS(kinds))
    return 0;
  const Kind *kind = &kinds[index];
  guint8 row[16 * 16 * 8];
  for (guint i = 0; i < sizeof row; i++)
    row[i] = (guint8)(i % 4 == 3 ? 0 : i * 5 % 253);
  TIFF *tiff = TIFFOpen(vt_fuzz_file(NULL, 0), "w");
  vt_fuzz_check(tiff != NULL, "a TIFF to begin with", NULL);
  TIFFSetField(tiff, TIFFTAG_IMAGEWIDTH, 19);
  TIFFSetField(tiff, TIFFTAG_IMAGELENGTH, 17);
  TIFFSetField(tiff, TIFFTAG_BITSPERSAMPLE, kind->bits);
  TIFFSetField(tiff, TIFFTAG_SAMPLESPERPIXEL, kind->samples);
  TIFFSetField(tiff, TIFFTAG_SAMPLEFORMAT, kind->format);
  TIFFSetField(tiff, TIFFTAG_PHOTOMETRIC, kind->photometric);
  TIFFSetField(tiff, TIFFTAG_COMPRESSION, kind->compression);
  TIFFSetField(tiff, TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG);
  if (kind->tiled) {
    TIFFSetField(tiff, TIFFTAG_TILEWIDTH, 16);
    TIFFSetField(tiff, TIFFTAG_TILELENGTH, 16);
    for (guint i = 0; i < 4; i++)
      TIFFWriteEncodedTile(tiff, i, row, -1);
  } else {
    TIFFSetField(tiff, TIFFTAG_ROWSPERSTRIP, 5);
    for (guint y = 0; y < 17; y++)
      TIFFWriteScanline(tiff, row, y, 0);
  }
  TIFFClose(tiff);
  return vt_fuzz_file_get(data);
}

/* Whether the header names an image, and blocks, of a size that is worth the time. */
static gboolean
is_small(const uint8_t *data, size_t size)
{
  guint32 width = 0, height = 0;
  vt_tiff_init();
  TIFF *tiff = TIFFOpen(vt_fuzz_file(data, size), "rm");
  if (!tiff)
    return TRUE;
  TIFFGetField(tiff, TIFFTAG_IMAGEWIDTH, &width);
  TIFFGetField(tiff, TIFFTAG_IMAGELENGTH, &height);
  const guint64 block = TIFFIsTiled(tiff) ? TIFFTileSize64(tiff) : TIFFStripSize64(tiff);
  TIFFClose(tiff);
  return (guint64)width * height <= FUZZ_MAX_PIXELS && block <= (guint64)16 << 20;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  if (is_small(data, size))
    fuzz_raster(vt_raster_read_tiff, data, size);
  return 0;
}
