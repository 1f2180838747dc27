/* SPDX-License-Identifier: MIT
 *
 * libpng reports errors by longjmp: the functions that hold a setjmp own nothing themselves. */
#include <glib/gstdio.h>
#include <png.h>
#include <stdio.h>

#include "raster/vt-raster-private.h"

typedef struct {
  FILE *file;
  png_structp png;
  png_infop info;
  png_bytepp rows; /* of all pixels, as libpng hands them over: of an interlaced image */
  guint8 *pixels;  /* the same; or one row */
  VtRaster *raster;
  char message[VT_PNG_MESSAGE];
  char *name;
  guint32 width, height;
  guint channels;
  gboolean is_16, is_interlaced;
  int n_passes; /* over all rows */
} Png;

void
vt_png_on_error(png_structp png, png_const_charp message)
{
  g_strlcpy(png_get_error_ptr(png), message, VT_PNG_MESSAGE);
  png_longjmp(png, 1);
}

void
vt_png_on_warning(png_structp png, png_const_charp message)
{
}

/* Allocates nothing that depends on the size, which may be made up. */
static gboolean
read_header(Png *self)
{
  if (setjmp(png_jmpbuf(self->png)))
    return FALSE;
  png_init_io(self->png, self->file);
  png_set_user_limits(self->png, G_MAXINT32, G_MAXINT32);
  png_set_chunk_malloc_max(self->png, 64 << 20);
  png_read_info(self->png, self->info);
  const int color = png_get_color_type(self->png, self->info);
  const gboolean has_alpha = color & PNG_COLOR_MASK_ALPHA || png_get_valid(self->png, self->info, PNG_INFO_tRNS);
  self->width = png_get_image_width(self->png, self->info);
  self->height = png_get_image_height(self->png, self->info);
  self->is_16 = png_get_bit_depth(self->png, self->info) == 16 && !(color & PNG_COLOR_MASK_COLOR);
  self->channels = (color & PNG_COLOR_MASK_COLOR ? 3u : 1u) + (has_alpha ? 1u : 0u);
  self->is_interlaced = png_get_interlace_type(self->png, self->info) != PNG_INTERLACE_NONE;
  return TRUE;
}

/* Pixels come as `channels` bytes, or numbers of 16 bits. */
static gboolean
set_form(Png *self)
{
  if (setjmp(png_jmpbuf(self->png)))
    return FALSE;
  const int color = png_get_color_type(self->png, self->info);
  if (color == PNG_COLOR_TYPE_PALETTE)
    png_set_palette_to_rgb(self->png);
  if (color == PNG_COLOR_TYPE_GRAY && png_get_bit_depth(self->png, self->info) < 8)
    png_set_expand_gray_1_2_4_to_8(self->png);
  if (png_get_valid(self->png, self->info, PNG_INFO_tRNS))
    png_set_tRNS_to_alpha(self->png);
  if (color & PNG_COLOR_MASK_COLOR)
    png_set_scale_16(self->png);
  else if (G_BYTE_ORDER == G_LITTLE_ENDIAN)
    png_set_swap(self->png);
  self->n_passes = png_set_interlace_handling(self->png);
  png_read_update_info(self->png, self->info);
  if (png_get_rowbytes(self->png, self->info) == (gsize)self->width * self->channels * (self->is_16 ? 2 : 1))
    return TRUE;
  g_strlcpy(self->message, "its rows are of another length than its header says", sizeof self->message);
  return FALSE;
}

static gboolean
allocate(Png *self, const VtRasterRoom *room, GError **error)
{
  const VitrailPixelType type = self->channels > 2 ? VITRAIL_RGBA8 : self->is_16 ? VITRAIL_U16 : VITRAIL_U8;
  const gsize stride = (gsize)self->width * self->channels * (self->is_16 ? 2u : 1u);
  const guint32 n_rows = self->is_interlaced ? self->height : 1;
  /* libpng holds some rows, of 8 bytes a pixel at most; without room, the machine's memory holds the pixels, too. */
  const guint64 held = (guint64)(stride + sizeof(png_bytep)) * n_rows + 32 * (guint64)self->width;
  if (!vt_raster_check_size(self->name, self->width, self->height, room ? 0 : vt_pixel_size(type), error)
      || !vt_raster_check_room(self->name, held, room, error))
    return FALSE;
  self->raster = vt_raster_new_within(type, self->width, self->height, room, error);
  if (!self->raster)
    return FALSE;
  self->rows = g_try_new(png_bytep, n_rows);
  self->pixels = g_try_malloc0_n(n_rows, stride);
  if (!self->rows || !self->pixels)
    return vt_error_set(error, VITRAIL_OUT_OF_MEMORY, "%s: there is no memory for it.", self->name);
  for (guint32 y = 0; y < n_rows; y++)
    self->rows[y] = self->pixels + y * stride;
  return TRUE;
}

static guint
over_white(guint value, guint alpha, guint white)
{
  return (guint)(((guint64)value * alpha + (guint64)white * (white - alpha) + white / 2) / white);
}

static void
put_row(const Png *self, const guint8 *in, guint32 y)
{
  const guint16 *in16 = (const guint16 *)(gconstpointer)in;
  guint8 *out = self->raster->data + (gsize)y * self->raster->stride;
  guint16 *out16 = (guint16 *)(gpointer)out;
  for (gsize i = 0; i < self->width; i++) {
    if (self->channels <= 2 && self->is_16) {
      out16[i] = (guint16)(self->channels == 1 ? in16[i] : over_white(in16[2 * i], in16[2 * i + 1], 65535));
    } else if (self->channels <= 2) {
      out[i] = (guint8)(self->channels == 1 ? in[i] : over_white(in[2 * i], in[2 * i + 1], 255));
    } else {
      const guint8 *p = in + i * self->channels;
      for (int c = 0; c < 3; c++)
        out[4 * i + (gsize)c] = (guint8)(self->channels == 3 ? p[c] : over_white(p[c], p[3], 255));
      out[4 * i + 3] = 255;
    }
  }
  vt_raster_wrote(self->raster, (gint64)y + 1);
}

static gboolean
read_pixels(Png *self)
{
  if (setjmp(png_jmpbuf(self->png)))
    return FALSE;
  const gint64 height = self->height, n_steps = self->n_passes * height;
  for (gint64 step = 0; step < n_steps; step++) {
    const guint32 y = (guint32)(step % height);
    guint8 *row = self->is_interlaced ? self->rows[y] : self->pixels;
    png_read_row(self->png, row, NULL);
    if (step >= n_steps - height) /* the last pass */
      put_row(self, row, y);
    vt_raster_tell(step + 1, n_steps);
  }
  png_read_end(self->png, NULL);
  return TRUE;
}

static gboolean
read_file(Png *self, const VtRasterRoom *room, GError **error)
{
  g_autoptr(GError) local = NULL;
  if (read_header(self) && allocate(self, room, &local) && set_form(self) && read_pixels(self))
    return TRUE;
  if (!local)
    return vt_error_set(error, VITRAIL_READ_FAILED, "%s is a damaged PNG (%s).", self->name, self->message);
  g_propagate_error(error, g_steal_pointer(&local));
  return FALSE;
}

VtRaster *
vt_raster_read_png(const char *path, const VtRasterRoom *room, GError **error)
{
  Png self = { .name = vt_error_dup_name(path), .file = g_fopen(path, "rb") };
  GError *local = NULL;
  if (self.file
      && (self.png = png_create_read_struct(PNG_LIBPNG_VER_STRING, self.message, vt_png_on_error, vt_png_on_warning))
      && (self.info = png_create_info_struct(self.png)))
    read_file(&self, room, &local);
  else
    local = g_error_new(VT_ERROR, VITRAIL_READ_FAILED, "%s cannot be opened.", self.name);
  if (local) {
    g_clear_pointer(&self.raster, vt_raster_unref);
    g_propagate_error(error, local);
  }
  png_destroy_read_struct(&self.png, &self.info, NULL);
  if (self.file)
    fclose(self.file);
  g_free(self.rows);
  g_free(self.pixels);
  g_free(self.name);
  return self.raster;
}
