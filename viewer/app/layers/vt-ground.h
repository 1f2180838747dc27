/* SPDX-License-Identifier: MIT
 *
 * A small picture of a place of the slide, on which the objects of several results are drawn. Any thread. */
#pragma once
#include <gtk/gtk.h>

#include "run/vt-run.h"

typedef struct VtGround VtGround;

/* The rectangle of level-0 pixels, upright, each pixel a rounded mean of so many that it has no more than so many pixels; blocking. NULL: an error, or
 * cancelled. Counted. */
VtGround *vt_ground_read(VtSlide *slide, gint64 x_l0, gint64 y_l0, gint64 width_l0, gint64 height_l0, int most_width,
                         int most_height, GCancellable *cancellable, GError **error);
VtGround *vt_ground_ref(VtGround *ground);
void vt_ground_unref(VtGround *ground);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(VtGround, vt_ground_unref)
/* With the outlines of objects (VtObject; NULL: none). Owned. */
GdkTexture *vt_ground_draw(const VtGround *ground, const GPtrArray *objects);
