/* SPDX-License-Identifier: MIT
 *
 * PNG files, whose rows all threads compress: bands of rows, each a piece of one deflate stream. */
#include <errno.h>
#include <glib/gstdio.h>
#include <png.h>
#include <stdio.h>
#include <string.h>
#include <zlib.h>

#include "base/vt-file-private.h"
#include "base/vt-pool.h"
#include "raster/vt-raster-private.h"

enum { BAND_BYTES = 1 << 20, ZLIB_HEADER = 2, MEMORY_LEVEL = 9 };

typedef struct {
  guint8 *bytes;
  gsize n;
  uLong adler, n_raw; /* of what was compressed */
} Band;

typedef struct {
  const guint8 *rgba;
  gint64 width, height;
  guint channels; /* in the file: 3 or 4 */
  gint64 band_rows;
  guint n_bands;
  Band *bands;
  FILE *file;
  png_structp png;
  png_infop info;
  char message[VT_PNG_MESSAGE];
} PngWriter;

static gboolean
is_opaque(const guint8 *rgba, gint64 n_pixels)
{
  for (gint64 i = 0; i < n_pixels; i++)
    if (rgba[4 * i + 3] != 255)
      return FALSE;
  return TRUE;
}

static void
pack_row(const PngWriter *self, gint64 y, guint8 *out)
{
  const guint8 *in = self->rgba + (gsize)(y * self->width * 4);
  if (self->channels == 4)
    memcpy(out, in, (gsize)self->width * 4);
  for (gint64 x = 0; self->channels == 3 && x < self->width; x++, in += 4, out += 3) {
    out[0] = in[0];
    out[1] = in[1];
    out[2] = in[2];
  }
}

/* Paeth's filter (PNG specification, 9.4), of all of a row's bytes but the first pixel's, which only have something above. */
static void
filter_row(const guint8 *row, const guint8 *above, gsize n, guint channels, guint8 *out)
{
  for (gsize i = 0; i < channels; i++)
    out[i] = (guint8)(row[i] - above[i]);
  for (gsize i = channels; i < n; i++) {
    const int left = row[i - channels], up = above[i], corner = above[i - channels];
    const int by_left = ABS(up - corner), by_up = ABS(left - corner), by_corner = ABS(left + up - 2 * corner);
    const int best = by_left <= by_up && by_left <= by_corner ? left : by_up <= by_corner ? up : corner;
    out[i] = (guint8)(row[i] - best);
  }
}

/* Differences of a slide's pixels repeat in runs or not at all: Z_RLE compresses them smaller than zlib's level 4, three times as
 * fast. A band that is not the last ends on a byte. */
static void
deflate_band(Band *band, const guint8 *raw, gsize n, gboolean is_first, gboolean is_last)
{
  z_stream stream = { 0 };
  if (deflateInit2(&stream, 1, Z_DEFLATED, -MAX_WBITS, MEMORY_LEVEL, Z_RLE) != Z_OK)
    g_error("failed to allocate what compresses a picture"); /* as vt-starved.c knows it */
  const gsize head = is_first ? ZLIB_HEADER : 0, room = head + deflateBound(&stream, n) + 64;
  g_autofree guint8 *packed = g_malloc(room);
  memcpy(packed, (const guint8[]){ 0x78, 0x01 }, head);
  stream.next_in = (Bytef *)raw;
  stream.avail_in = (uInt)n;
  stream.next_out = packed + head;
  stream.avail_out = (uInt)(room - head);
  deflate(&stream, is_last ? Z_FINISH : Z_SYNC_FLUSH);
  band->n = room - stream.avail_out;
  band->bytes = g_memdup2(packed, band->n);
  band->adler = adler32_z(adler32(0, NULL, 0), raw, n);
  band->n_raw = n;
  deflateEnd(&stream);
}

static void
make_band(void *user, guint32 index)
{
  const PngWriter *self = user;
  const gsize stride = (gsize)self->width * self->channels;
  const gint64 y0 = index * self->band_rows, n_rows = MIN(self->band_rows, self->height - y0);
  g_autofree guint8 *rows = g_malloc0(2 * stride), *raw = g_malloc((stride + 1) * (gsize)n_rows);
  if (y0 > 0)
    pack_row(self, y0 - 1, rows + (y0 - 1) % 2 * (gint64)stride);
  for (gint64 y = y0; y < y0 + n_rows; y++) {
    guint8 *row = rows + y % 2 * (gint64)stride, *out = raw + (gsize)(y - y0) * (stride + 1);
    pack_row(self, y, row);
    *out = PNG_FILTER_VALUE_PAETH;
    filter_row(row, rows + (y + 1) % 2 * (gint64)stride, stride, self->channels, out + 1);
  }
  deflate_band(&self->bands[index], raw, (stride + 1) * (gsize)n_rows, index == 0, index + 1 == self->n_bands);
}

/* libpng's own writer of rows is passed over: it has one thread. */
static gboolean
write_chunks(PngWriter *self)
{
  if (setjmp(png_jmpbuf(self->png)))
    return FALSE;
  png_init_io(self->png, self->file);
  png_set_user_limits(self->png, G_MAXINT32, G_MAXINT32);
  png_set_IHDR(self->png, self->info, (png_uint_32)self->width, (png_uint_32)self->height, 8,
               self->channels == 3 ? PNG_COLOR_TYPE_RGB : PNG_COLOR_TYPE_RGBA, PNG_INTERLACE_NONE,
               PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  png_write_info(self->png, self->info);
  uLong adler = adler32(0, NULL, 0);
  for (guint i = 0; i < self->n_bands; i++) {
    png_write_chunk(self->png, (png_const_bytep) "IDAT", self->bands[i].bytes, self->bands[i].n);
    adler = adler32_combine(adler, self->bands[i].adler, (z_off_t)self->bands[i].n_raw);
  }
  const guint32 end = GUINT32_TO_BE((guint32)adler);
  png_write_chunk(self->png, (png_const_bytep) "IDAT", (png_const_bytep)&end, sizeof end);
  png_write_chunk(self->png, (png_const_bytep) "IEND", NULL, 0);
  return TRUE;
}

static gboolean
write_file(PngWriter *self, const char *temp_path)
{
  gboolean done = FALSE;
  self->file = g_fopen(temp_path, "wb");
  if (!self->file)
    return FALSE;
  self->png = png_create_write_struct(PNG_LIBPNG_VER_STRING, self->message, vt_png_on_error, vt_png_on_warning);
  self->info = self->png ? png_create_info_struct(self->png) : NULL;
  if (self->info)
    done = write_chunks(self);
  png_destroy_write_struct(&self->png, &self->info);
  return fclose(self->file) == 0 && done;
}

gboolean
vt_png_write_rgba(const char *path, const guint8 *rgba, gint64 width, gint64 height, guint n_threads, GError **error)
{
  if (!vt_raster_check_size(path, (guint64)MAX(width, 0), (guint64)MAX(height, 0), 4, error))
    return FALSE;
  g_autofree char *temp_path = vt_file_dup_temp_path(path);
  PngWriter self = { .rgba = rgba, .width = width, .height = height };
  self.channels = is_opaque(rgba, width * height) ? 3 : 4;
  self.band_rows = MAX(BAND_BYTES / (width * self.channels + 1), 1);
  self.n_bands = (guint)((height + self.band_rows - 1) / self.band_rows);
  self.bands = g_new0(Band, self.n_bands);
  vt_parallel_for(n_threads, self.n_bands, make_band, &self);
  errno = 0;
  const gboolean done = write_file(&self, temp_path);
  const int number = errno;
  for (guint i = 0; i < self.n_bands; i++)
    g_free(self.bands[i].bytes);
  g_free(self.bands);
  if (done)
    return vt_file_commit(temp_path, path, error);
  g_unlink(temp_path);
  g_autofree char *shown = vt_error_dup_path(path);
  return vt_error_set(error, VITRAIL_INTERNAL, "%s cannot be written (%s).", shown,
                      number ? g_strerror(number) : self.message);
}
