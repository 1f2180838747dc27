/* SPDX-License-Identifier: MIT
 *
 * A slide's first picture, over the place where its tab is being made: making and laying out a tab takes several times as
 * long as opening the file. Always there and mostly empty, since a widget that appears would have all be laid out.
 *
 * Signal: "painted" (the picture is on the screen). */
#pragma once
#include <gtk/gtk.h>

#include "slide/vt-slide.h"

#define VT_TYPE_PLACEHOLDER (vt_placeholder_get_type())
G_DECLARE_FINAL_TYPE(VtPlaceholder, vt_placeholder, VT, PLACEHOLDER, GtkWidget)

/* The whole slide as a canvas would show it; NULL if the file has no small picture of all of it. From any thread. */
GdkTexture *vt_placeholder_read_picture(VtSlide *slide);
void vt_placeholder_show(VtPlaceholder *self, GdkTexture *picture, VtSlide *slide);
void vt_placeholder_drop(VtPlaceholder *self);
