/* SPDX-License-Identifier: MIT
 *
 * Pixels on the canvas, in the way that is quick for the renderer: the slide's tiles and the pictures of layers. */
#pragma once
#include <gtk/gtk.h>

#include "common/vt-viewport.h"

/* From here to the end what is drawn is for a widget, and upright or not; squarely: at least turned by right angles. TRUE: the graphics card magnifies. Otherwise it may be for any
 * renderer, as what a document takes is. Main thread only. */
gboolean vt_paint_begin(GtkWidget *widget, gboolean upright, gboolean squarely);
void vt_paint_end(GtkSnapshot *snapshot);
/* The renderer that drew last sends textures to a graphics card when it first draws them. */
gboolean vt_paint_sends_textures(void);
/* The card has it, or none is needed. */
gboolean vt_paint_is_sent(GdkTexture *texture);
/* Has it sent in this frame, where nobody sees it, before anything is drawn; FALSE: enough has been. NULL: it will be drawn in this frame. */
gboolean vt_paint_send(GtkSnapshot *snapshot, GdkTexture *texture, GBytes *bytes, gsize stride);
/* Pixels may be put off until here or the end: it is called before anything else is drawn over them, and before a clip or a transform that was set before
 * them ends. */
void vt_paint_flush(GtkSnapshot *snapshot);
/* Pixels that do not overlap are so opaque until the pop. */
void vt_paint_push_opacity(GtkSnapshot *snapshot, double opacity);
void vt_paint_pop_opacity(GtkSnapshot *snapshot);
/* Both edges of a rectangle of level-0 pixels rounded to device pixels, so that neighbours meet without a seam; in the
 * widget's logical pixels. */
void vt_paint_place(const VtViewport *view, double scale, double x0_l0, double y0_l0, double x1_l0, double y1_l0,
                    graphene_rect_t *rect);
/* What is drawn after it for the view's sheet comes to lie as the view shows it. */
void vt_paint_turn(const VtViewport *view, const VtViewport *sheet, GtkSnapshot *snapshot, double scale);
/* Pixels as cairo has them, premultiplied and in words of the machine, for one place of one widget; keeps them. Owned. */
GdkTexture *vt_paint_texture_new(int width, int height, GBytes *bytes, gsize stride);
/* Draws that, all of it at `place`. GTK 4.8 draws each texture of a window in each frame by cairo, also where nothing is to be seen of it, and converts it by way of floating point
 * numbers: here it does not. */
void vt_paint_texture(GtkWidget *widget, GtkSnapshot *snapshot, GdkTexture *texture, const graphene_rect_t *place);
/* One picture whose pixels are seen as squares when they are larger than a device pixel, and filtered when smaller. */
void vt_paint_pixels(GtkSnapshot *snapshot, GdkTexture *texture, GBytes *bytes, gsize stride,
                     const graphene_rect_t *place, const graphene_rect_t *clip, gboolean squares);
