/* SPDX-License-Identifier: MIT
 *
 * Rectangles of whole pixels, and grids that are laid over an image: pixel (0, 0) of a grid has the image's corner, and each is d x d level-0 pixels, at the right
 * and lower edge less. All functions are defined for all numbers that are given unless they say so. [any] */
#pragma once
#include <glib.h>

typedef struct {
  gint64 x, y, width, height;
} VtRect;

/* Cuts it to an image of so many pixels. FALSE, and it has no meaning any more: nothing is left, or it had no size. */
gboolean vt_rect_clip(VtRect *rect, gint64 width, gint64 height);
/* The fewest pixels that cover a box (left, top, right and bottom) of numbers of at most 2^62. */
VtRect vt_rect_around(const double box[4]);
/* The fewest pixels of a grid of d level-0 pixels that cover one that lies in an image. */
VtRect vt_rect_to_grid(const VtRect *rect, guint d);
/* Whether it has pixels, and all of them are of the grid of d level-0 pixels over an image of width x height. */
gboolean vt_rect_is_on_grid(const VtRect *rect, gint64 width, gint64 height, guint d);
/* Along one axis: which of n pixels, each size_l0 level-0 pixels wide and the first of them at origin_l0 + begin * size_l0, is under the middle of a grid's pixel;
 * -1: none. */
gint64 vt_grid_find_under(gint64 pixel, guint d, double origin_l0, double size_l0, gint64 begin, gint64 n);
