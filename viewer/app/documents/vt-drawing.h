/* SPDX-License-Identifier: MIT
 *
 * A file to draw on with cairo: PNG, PDF or SVG, by the end of its name. It is there whole or not at all. Any thread, one at a time. */
#pragma once
#include <cairo.h>
#include <gio/gio.h>

typedef struct _VtDrawing VtDrawing;

/* Lengths on it are of 1/96 inch; of a PNG one is `png_scale` pixels. Once it is cancelled nothing more is written. NULL and a sentence: the
 * end of the name is another, or no file can be made there. */
VtDrawing *vt_drawing_new(const char *path, double width, double height, double png_scale, GCancellable *cancellable,
                          GError **error);
/* Of a PDF. */
void vt_drawing_set_title(VtDrawing *self, const char *title);
cairo_t *vt_drawing_get_cairo(VtDrawing *self); /* borrowed */
/* Puts the file in its place, or nothing: then with a sentence that says why. Frees it. */
gboolean vt_drawing_close(VtDrawing *self, GError **error);
/* Without a file. */
void vt_drawing_drop(VtDrawing *self);
/* A picture that is `scale` pixels to a length of 1, its upper left corner there: of a PNG just these pixels; elsewhere its pixels are
 * squares. */
void vt_drawing_put_image(cairo_t *cr, cairo_surface_t *image, double scale, double x, double y);
/* FALSE and a sentence: no drawing can have that name, or nothing can be written there. */
gboolean vt_drawing_check(const char *path, GError **error);
