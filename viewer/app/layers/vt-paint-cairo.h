/* SPDX-License-Identifier: MIT
 *
 * Pixels that cairo draws.
 *
 * GTK draws what was recorded in a node of cairo by way of a surface of its own, which costs as much as the pixels themselves. So tiles of the slide
 * and of all layers over it go into one node for each cell of a grid, of 512 x 512 logical pixels. A cell in which the same is drawn in the same places
 * as in the last frame keeps its node, and GTK leaves its pixels on the screen as they are.
 *
 * Example: the slide with five layers on 1920 x 1080 pixels has 12 cells with 12 nodes, not some 80. When one tile of a layer becomes another one, one
 * to four of the nodes are new.
 *
 * Tiles of several layers that lie in one place and move, as under a hand, are merged into one, some in each frame: a frame then draws them once, and between
 * two levels of the slide scales them once. */
#pragma once
#include <gtk/gtk.h>

/* What is drawn for somebody, a widget, from here to the end is kept with that until the next time. `scale`: device pixels per logical one. `upright`: else
 * edges of cells would be smoothed, and seen, so that there is one for everything. Main thread only. */
void vt_paint_cairo_begin(GObject *owner, double scale, gboolean upright);
void vt_paint_cairo_end(void);
/* So opaque are pixels from now on, 0 to 1. */
void vt_paint_cairo_set_opacity(double opacity);
/* Notes pixels; see vt_paint_pixels(). They are drawn by a flush. */
void vt_paint_cairo_add(GdkTexture *texture, GBytes *bytes, gsize stride, const graphene_rect_t *place,
                        const graphene_rect_t *seen, gboolean squares);
void vt_paint_cairo_flush(GtkSnapshot *snapshot);

/* Draws them at once, in a node of their own, for any renderer and thread. */
void vt_paint_cairo_append(GtkSnapshot *snapshot, GdkTexture *texture, GBytes *bytes, gsize stride,
                           const graphene_rect_t *place, const graphene_rect_t *seen, gboolean squares);
