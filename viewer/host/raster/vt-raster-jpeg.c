/* SPDX-License-Identifier: MIT
 *
 * libjpeg reports errors by longjmp: the function that holds the setjmp owns nothing itself. */
#include <glib/gstdio.h>
#include <setjmp.h>
#include <stdio.h>

#include <jpeglib.h>

#include "raster/vt-raster-private.h"

typedef struct {
  struct jpeg_error_mgr manager; /* first: libjpeg knows only this */
  struct jpeg_progress_mgr progress;
  jmp_buf jump;
  gint64 n_steps; /* of the decoder */
  struct jpeg_decompress_struct jpeg;
  FILE *file;
  VtRaster *raster;
  guint8 *row; /* R G B; NULL for grey */
  char message[JMSG_LENGTH_MAX];
  char *name;
} Jpeg;

static void
on_error(j_common_ptr jpeg)
{
  Jpeg *self = (Jpeg *)(gpointer)jpeg->err;
  jpeg->err->format_message(jpeg, self->message);
  longjmp(self->jump, 1);
}

/* How many scans a progressive one has is not known before its end: libjpeg's own counts may go back. */
static void
on_progress(j_common_ptr jpeg)
{
  Jpeg *self = (Jpeg *)(gpointer)jpeg->err;
  const struct jpeg_progress_mgr *p = jpeg->progress;
  const double pass = p->pass_limit > 0 ? MIN((double)p->pass_counter / (double)p->pass_limit, 1) : 0;
  const double share = (p->completed_passes + pass) / MAX(p->total_passes, 1);
  self->n_steps++;
  vt_raster_tell(self->n_steps,
                 share > 0 ? (gint64)MAX((double)self->n_steps / share, (double)self->n_steps) : G_MAXINT64);
}

/* A warning means that pixels are missing, which libjpeg would fill with grey. */
static void
on_message(j_common_ptr jpeg, int level)
{
  if (level < 0)
    on_error(jpeg);
}

static gboolean
read_header(Jpeg *self)
{
  if (setjmp(self->jump))
    return FALSE;
  jpeg_create_decompress(&self->jpeg);
  self->progress.progress_monitor = on_progress;
  self->jpeg.progress = &self->progress;
  jpeg_stdio_src(&self->jpeg, self->file);
  jpeg_read_header(&self->jpeg, TRUE);
  const gboolean is_grey = self->jpeg.num_components == 1;
  if (is_grey || self->jpeg.num_components == 3)
    self->jpeg.out_color_space = is_grey ? JCS_GRAYSCALE : JCS_RGB;
  jpeg_calc_output_dimensions(&self->jpeg);
  return TRUE;
}

static gboolean
allocate(Jpeg *self, const VtRasterRoom *room, GError **error)
{
  const gboolean is_grey = self->jpeg.num_components == 1;
  if (!is_grey && self->jpeg.num_components != 3)
    return vt_error_set(error, VITRAIL_UNSUPPORTED,
                        "%s is a JPEG of %d channels; those of one (grey) and three (colour) can be read.", self->name,
                        self->jpeg.num_components);
  const guint64 width = self->jpeg.output_width, height = self->jpeg.output_height;
  /* A progressive one keeps its coefficients, of 16 bits each. */
  const guint64 held = jpeg_has_multiple_scans(&self->jpeg) ? 2 * width * height * (is_grey ? 1 : 3) : 64 * width;
  if (!vt_raster_check_size(self->name, width, height,
                            room      ? 0
                            : is_grey ? 1
                                      : 4,
                            error)
      || !vt_raster_check_room(self->name, held, room, error))
    return FALSE;
  self->raster = vt_raster_new_within(is_grey ? VITRAIL_U8 : VITRAIL_RGBA8, (gint64)width, (gint64)height, room, error);
  self->row = is_grey ? NULL : g_malloc_n(self->jpeg.output_width, 3);
  return self->raster != NULL;
}

static void
put_row(const Jpeg *self, guint8 *out)
{
  const guint8 *in = self->row;
  for (gint64 x = 0; x < self->raster->width; x++, in += 3, out += 4) {
    out[0] = in[0];
    out[1] = in[1];
    out[2] = in[2];
    out[3] = 255;
  }
}

static gboolean
read_pixels(Jpeg *self)
{
  if (setjmp(self->jump))
    return FALSE;
  jpeg_start_decompress(&self->jpeg);
  while (self->jpeg.output_scanline < self->jpeg.output_height) {
    guint8 *out = self->raster->data + (gsize)self->jpeg.output_scanline * self->raster->stride;
    guint8 *row = self->row ? self->row : out;
    jpeg_read_scanlines(&self->jpeg, &row, 1);
    if (self->row)
      put_row(self, out);
    vt_raster_wrote(self->raster, self->jpeg.output_scanline);
  }
  jpeg_finish_decompress(&self->jpeg);
  return TRUE;
}

VtRaster *
vt_raster_read_jpeg(const char *path, const VtRasterRoom *room, GError **error)
{
  g_autofree Jpeg *self = g_new0(Jpeg, 1);
  GError *local = NULL;
  self->name = vt_error_dup_name(path);
  self->file = g_fopen(path, "rb");
  self->jpeg.err = jpeg_std_error(&self->manager);
  self->manager.error_exit = on_error;
  self->manager.emit_message = on_message;
  if (!self->file) {
    local = g_error_new(VT_ERROR, VITRAIL_READ_FAILED, "%s cannot be opened.", self->name);
  } else if (!read_header(self) || (allocate(self, room, &local) && !read_pixels(self))) {
    local = g_error_new(VT_ERROR, VITRAIL_READ_FAILED, "%s is a damaged JPEG (%s).", self->name, self->message);
  }
  if (self->file)
    fclose(self->file);
  jpeg_destroy_decompress(&self->jpeg);
  g_free(self->row);
  g_free(self->name);
  if (local) {
    g_clear_pointer(&self->raster, vt_raster_unref);
    g_propagate_error(error, local);
  }
  return g_steal_pointer(&self->raster);
}
