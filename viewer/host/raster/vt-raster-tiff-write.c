/* SPDX-License-Identifier: MIT
 *
 * Rasters as TIFF files: in one go, or tile by tile. */
#include <glib/gstdio.h>
#include <string.h>
#include <tiffio.h>

#include "base/vt-file-private.h"
#include "raster/vt-raster-private.h"
#include "raster/vt-tiff-private.h"

static char *
describe(const VtRaster *raster)
{
  g_autoptr(GString) text = g_string_new("{\"vitrail\": 1");
  const struct {
    const char *key;
    double value;
  } facts[] = {
    { "x", (double)raster->x },
    { "y", (double)raster->y },
    { "downsample", raster->downsample },
    { "origin_x_l0", raster->origin_x_l0 },
    { "origin_y_l0", raster->origin_y_l0 },
    { "scale", raster->scale },
    { "offset", raster->offset },
  };
  for (gsize i = 0; i < G_N_ELEMENTS(facts); i++) {
    g_string_append_printf(text, ", \"%s\": ", facts[i].key);
    vt_text_append_double(text, facts[i].value);
  }
  g_string_append_c(text, '}');
  return g_string_free(g_steal_pointer(&text), FALSE);
}

static void
set_fields(TIFF *tiff, const VtRaster *raster, guint tile)
{
  g_autofree char *description = describe(raster);
  const gboolean is_color = raster->type == VITRAIL_RGBA8;
  const guint16 alpha = EXTRASAMPLE_UNASSALPHA;
  const int format = raster->type == VITRAIL_F32   ? SAMPLEFORMAT_IEEEFP
                     : raster->type == VITRAIL_I32 ? SAMPLEFORMAT_INT
                                                   : SAMPLEFORMAT_UINT;
  TIFFSetField(tiff, TIFFTAG_IMAGEWIDTH, (guint32)raster->width);
  TIFFSetField(tiff, TIFFTAG_IMAGELENGTH, (guint32)raster->height);
  TIFFSetField(tiff, TIFFTAG_SAMPLESPERPIXEL, is_color ? 4 : 1);
  TIFFSetField(tiff, TIFFTAG_BITSPERSAMPLE, is_color ? 8 : (int)vt_pixel_size(raster->type) * 8);
  TIFFSetField(tiff, TIFFTAG_SAMPLEFORMAT, format);
  TIFFSetField(tiff, TIFFTAG_PHOTOMETRIC, is_color ? PHOTOMETRIC_RGB : PHOTOMETRIC_MINISBLACK);
  if (is_color)
    TIFFSetField(tiff, TIFFTAG_EXTRASAMPLES, 1, &alpha);
  TIFFSetField(tiff, TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG);
  TIFFSetField(tiff, TIFFTAG_COMPRESSION, COMPRESSION_ADOBE_DEFLATE);
  if (tile > 0) {
    TIFFSetField(tiff, TIFFTAG_TILEWIDTH, tile);
    TIFFSetField(tiff, TIFFTAG_TILELENGTH, tile);
    TIFFSetField(tiff, TIFFTAG_ZIPQUALITY, 1);
  } else {
    const gsize rows = ((gsize)256 << 10) / raster->stride;
    TIFFSetField(tiff, TIFFTAG_ROWSPERSTRIP, (guint32)CLAMP(rows, 1, (gsize)raster->height));
  }
  TIFFSetField(tiff, TIFFTAG_IMAGEDESCRIPTION, description);
}

static gboolean
write_rows(TIFF *tiff, const VtRaster *raster)
{
  /* libtiff may change the bytes of the row it is given. */
  g_autofree guint8 *row = g_malloc(raster->stride);
  for (gint64 y = 0; y < raster->height; y++) {
    memcpy(row, raster->data + (gsize)y * raster->stride, raster->stride);
    if (TIFFWriteScanline(tiff, row, (guint32)y, 0) < 0)
      return FALSE;
  }
  return TIFFFlush(tiff) == 1;
}

gboolean
vt_raster_write_tiff(const VtRaster *raster, const char *path, GError **error)
{
  g_autofree char *temp_path = vt_file_dup_temp_path(path);
  const gboolean big = (guint64)raster->stride * (guint64)raster->height > (guint64)3 << 30;
  TIFF *tiff = vt_tiff_open(temp_path, big ? "w8" : "w");
  gboolean done = FALSE;
  if (tiff) {
    set_fields(tiff, raster, 0);
    done = write_rows(tiff, raster);
    TIFFClose(tiff);
  }
  if (done && !vt_tiff_complaint())
    return vt_file_commit(temp_path, path, error);
  const char *text = vt_tiff_complaint();
  g_set_error(error, VT_ERROR, VITRAIL_INTERNAL, "%s cannot be written (%s).", path, text ? text : "unknown reason");
  g_unlink(temp_path);
  return FALSE;
}

struct VtTiffWriter {
  TIFF *tiff;
  char *path;
};

static void
set_error(const char *path, GError **error)
{
  const char *text = vt_tiff_complaint();
  g_set_error(error, VT_ERROR, VITRAIL_INTERNAL, "%s cannot be written (%s).", path, text ? text : "unknown reason");
}

VtTiffWriter *
vt_tiff_writer_new(const char *path, const VtRaster *layout, guint tile, GError **error)
{
  TIFF *tiff = vt_tiff_open(path, "w8");
  if (!tiff) {
    set_error(path, error);
    return NULL;
  }
  VtTiffWriter *writer = g_new0(VtTiffWriter, 1);
  writer->tiff = tiff;
  writer->path = g_strdup(path);
  set_fields(tiff, layout, tile);
  return writer;
}

gboolean
vt_tiff_writer_put(VtTiffWriter *writer, guint8 *data, gint64 x, gint64 y, GError **error)
{
  if (TIFFWriteTile(writer->tiff, data, (guint32)x, (guint32)y, 0, 0) >= 0)
    return TRUE;
  set_error(writer->path, error);
  return FALSE;
}

gboolean
vt_tiff_writer_finish(VtTiffWriter *writer, GError **error)
{
  const gboolean done = TIFFFlush(writer->tiff) == 1;
  if (!done)
    set_error(writer->path, error);
  TIFFClose(writer->tiff);
  g_free(writer->path);
  g_free(writer);
  return done;
}
