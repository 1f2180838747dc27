/* SPDX-License-Identifier: MIT
 *
 * Textures that the graphics card has, sent in the way that costs a frame least: GTK 4.8 makes a new one for each picture and waits until its pixels
 * are copied out. Here they are copied into memory that the card reads by itself, for textures that were there before. Main thread only. */
#pragma once
#include <gtk/gtk.h>

/* Before the first is sent for a widget whose renderer is OpenGL's; FALSE: this one cannot, and GTK has to. */
gboolean vt_card_begin(GtkWidget *widget);
/* All that were sent since have their pixels when the widget's frame is drawn. */
void vt_card_end(void);
/* Premultiplied pixels as GDK_MEMORY_B8G8R8A8_PREMULTIPLIED. NULL: the frame has no room for more of them. Owned. */
GdkTexture *vt_card_send(int width, int height, GBytes *bytes, gsize stride);
/* Can never be sent: it is larger than the room of a frame. */
gboolean vt_card_is_too_large(int width, int height);
/* The same pixels, seen as squares when they are magnified. NULL: GTK sent it. Owned. */
GdkTexture *vt_card_get_squares(GdkTexture *sent);
