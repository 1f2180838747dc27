/* SPDX-License-Identifier: MIT */
#include "documents/vt-drawing.h"

#include <cairo-pdf.h>
#include <cairo-svg.h>
#include <errno.h>
#include <glib/gi18n.h>
#include <glib/gstdio.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "base/vt-define.h"
#include "base/vt-file-private.h"

#define POINTS 0.75 /* of 1/72 inch, a length */

typedef enum { VT_PNG, VT_PDF, VT_SVG, VT_N_KINDS } VtDrawingKind;

struct _VtDrawing {
  VtDrawingKind kind;
  char *path, *temp_path;
  FILE *file;
  int failure; /* errno of the first */
  GCancellable *cancellable;
  cairo_surface_t *surface;
  cairo_t *cr;
};

static VtDrawingKind
find_kind(const char *path)
{
  static const char *const endings[VT_N_KINDS] = { ".png", ".pdf", ".svg" };
  const gsize n = strlen(path);
  guint kind = 0;
  while (kind < VT_N_KINDS && (n < 5 || g_ascii_strcasecmp(path + n - 4, endings[kind]) != 0))
    kind++;
  return kind;
}

static cairo_status_t
write_bytes(void *user, const unsigned char *bytes, unsigned int n)
{
  VtDrawing *self = user;
  if (g_cancellable_is_cancelled(self->cancellable))
    return CAIRO_STATUS_WRITE_ERROR;
  if (!self->failure && fwrite(bytes, 1, n, self->file) < n)
    self->failure = errno;
  return self->failure ? CAIRO_STATUS_WRITE_ERROR : CAIRO_STATUS_SUCCESS;
}

static void
set_errno(GError **error, const char *path, int number)
{
  g_autofree char *shown = vt_error_dup_path(path);
  g_set_error(error, G_IO_ERROR, (int)g_io_error_from_errno(number), _("%s cannot be written: %s."), shown,
              g_strerror(number));
}

gboolean
vt_drawing_check(const char *path, GError **error)
{
  g_autofree char *folder = g_path_get_dirname(path), *shown = vt_error_dup_path(path);
  if (find_kind(path) == VT_N_KINDS)
    return vt_error_set(error, VITRAIL_BAD_ARGUMENT,
                        _("%s: the name must end in .png, .pdf or .svg, which says what kind of file it is."), shown);
  if (g_access(folder, W_OK | X_OK) == 0)
    return TRUE;
  set_errno(error, path, errno);
  return FALSE;
}

VtDrawing *
vt_drawing_new(const char *path, double width, double height, double png_scale, GCancellable *cancellable,
               GError **error)
{
  if (!vt_drawing_check(path, error))
    return NULL;
  g_autofree char *temp_path = vt_file_dup_temp_path(path);
  FILE *file = g_fopen(temp_path, "wb");
  if (!file) {
    set_errno(error, path, errno);
    return NULL;
  }
  VtDrawing *self = g_new0(VtDrawing, 1);
  self->kind = find_kind(path);
  self->path = g_strdup(path);
  self->temp_path = g_steal_pointer(&temp_path);
  self->file = file;
  self->cancellable = cancellable ? g_object_ref(cancellable) : NULL;
  self->surface =
    self->kind == VT_PNG
      ? cairo_image_surface_create(CAIRO_FORMAT_RGB24, (int)ceil(width * png_scale), (int)ceil(height * png_scale))
    : self->kind == VT_PDF ? cairo_pdf_surface_create_for_stream(write_bytes, self, width * POINTS, height * POINTS)
                           : cairo_svg_surface_create_for_stream(write_bytes, self, width * POINTS, height * POINTS);
  self->cr = cairo_create(self->surface);
  cairo_set_source_rgb(self->cr, 1, 1, 1); /* paper, whatever the window is like */
  cairo_paint(self->cr);
  cairo_scale(self->cr, self->kind == VT_PNG ? png_scale : POINTS, self->kind == VT_PNG ? png_scale : POINTS);
  return self;
}

void
vt_drawing_set_title(VtDrawing *self, const char *title)
{
  if (self->kind != VT_PDF)
    return;
  cairo_pdf_surface_set_metadata(self->surface, CAIRO_PDF_METADATA_TITLE, title);
  cairo_pdf_surface_set_metadata(self->surface, CAIRO_PDF_METADATA_CREATOR, "Vitrail " VT_VERSION);
}

VT_GETTER(cairo_t *, vt_drawing_get_cairo, VtDrawing, cr)

VT_DEFINE_FREE(drawing_free, VtDrawing,
               VT_FREES(cairo_destroy, cr) VT_FREES(cairo_surface_destroy, surface)
                 VT_FREES(g_object_unref, cancellable) VT_FREES(g_free, path, temp_path))

void
vt_drawing_drop(VtDrawing *self)
{
  cairo_surface_finish(self->surface);
  fclose(self->file);
  g_unlink(self->temp_path);
  drawing_free(self);
}

gboolean
vt_drawing_close(VtDrawing *self, GError **error)
{
  cairo_status_t status = cairo_status(self->cr);
  if (status == CAIRO_STATUS_SUCCESS && self->kind == VT_PNG)
    status = cairo_surface_write_to_png_stream(self->surface, write_bytes, self);
  cairo_surface_finish(self->surface);
  if (status == CAIRO_STATUS_SUCCESS)
    status = cairo_surface_status(self->surface);
  if (fclose(self->file) != 0 && !self->failure)
    self->failure = errno;
  gboolean is_good = FALSE;
  if (g_cancellable_set_error_if_cancelled(self->cancellable, error))
    g_unlink(self->temp_path);
  else if (self->failure || status != CAIRO_STATUS_SUCCESS)
    g_unlink(self->temp_path);
  else
    is_good = vt_file_commit(self->temp_path, self->path, error);
  if (self->failure && error && !*error)
    set_errno(error, self->path, self->failure);
  else if (status != CAIRO_STATUS_SUCCESS && error && !*error) {
    g_autofree char *shown = vt_error_dup_path(self->path);
    g_set_error(error, VT_ERROR, VITRAIL_INTERNAL, _("%s cannot be written: %s."), shown,
                cairo_status_to_string(status));
  }
  drawing_free(self);
  return is_good;
}

void
vt_drawing_put_image(cairo_t *cr, cairo_surface_t *image, double scale, double x, double y)
{
  cairo_save(cr);
  cairo_translate(cr, x, y);
  cairo_scale(cr, 1 / scale, 1 / scale);
  cairo_set_source_surface(cr, image, 0, 0);
  cairo_pattern_set_filter(cairo_get_source(cr), CAIRO_FILTER_NEAREST);
  cairo_rectangle(cr, 0, 0, cairo_image_surface_get_width(image), cairo_image_surface_get_height(image));
  cairo_fill(cr);
  cairo_restore(cr);
}
