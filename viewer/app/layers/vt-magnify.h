/* SPDX-License-Identifier: MIT
 *
 * Pixels seen as squares, magnified by the graphics card from the texture that it has: GTK 4.8 filters textures linearly, whatever their
 * size, and what cairo draws for it is drawn by the processor and uploaded again in every frame. Main thread only. */
#pragma once
#include <gtk/gtk.h>

/* From here to the end the card magnifies, if the widget's renderer can do that; FALSE: it cannot. `upright`: what is drawn between them
 * is not turned, so that places with edges between device pixels have them there. */
gboolean vt_magnify_begin(GtkWidget *widget, gboolean upright);
void vt_magnify_end(void);
/* At least the part of a texture at `place` that is seen; logical pixels, the place with edges between device pixels. FALSE: nothing is drawn,
 * since the card cannot: cairo has to. */
gboolean vt_magnify_append(GtkSnapshot *snapshot, GdkTexture *texture, const graphene_rect_t *place,
                           const graphene_rect_t *part);
