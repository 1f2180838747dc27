/* SPDX-License-Identifier: MIT
 *
 * Pixels seen as squares, magnified by the graphics card from the texture that it has: GTK 4.8 filters textures linearly, whatever their
 * size, and what cairo draws for it is drawn by the processor and uploaded again in every frame. Main thread only. */
#pragma once
#include <gtk/gtk.h>

/* From here to the end the card magnifies, if the widget's renderer can do that; FALSE: it cannot. `upright`: what is drawn between them
 * is not turned, so that places with edges between device pixels have them there; `squarely`: or by right angles. */
gboolean vt_magnify_begin(GtkWidget *widget, gboolean upright, gboolean squarely);
void vt_magnify_end(void);
/* TRUE: a texture of so many pixels at `place` looks the same without a shader, if the card takes for the middle of a device pixel the texture's
 * pixel in which it lies; `moved` is where it has to be drawn then. */
gboolean vt_magnify_is_plain(int width, int height, const graphene_rect_t *place, graphene_rect_t *moved);
/* At least the part of a texture at `place` that is seen; logical pixels, the place with edges between device pixels. FALSE: nothing is drawn,
 * since the card cannot: cairo has to. */
gboolean vt_magnify_append(GtkSnapshot *snapshot, GdkTexture *texture, const graphene_rect_t *place,
                           const graphene_rect_t *part);
