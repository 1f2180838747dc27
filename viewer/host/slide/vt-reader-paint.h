/* SPDX-License-Identifier: MIT */
#pragma once
#include <cairo.h>
#include <glib.h>

/* As cairo_paint(), byte for byte, where that puts an image that cairo_set_source_surface() named last, at whole pixels, on nothing: a copy. FALSE: it is another
 * case, and nothing was painted. In a reader process alone, where cairo_set_source_surface() is this program's; the calling thread's `cr`. */
gboolean vt_reader_paint_on_nothing(cairo_t *cr);
