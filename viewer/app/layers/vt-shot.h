/* SPDX-License-Identifier: MIT
 *
 * What a view shows, for a document: nodes to be drawn at a resolution of their own. They are immutable and share no textures with what the
 * screen shows, so a worker can draw them; they are let go on the main thread. */
#pragma once
#include <gtk/gtk.h>

#include "common/vt-viewport.h"

typedef struct {
  GskRenderNode *picture; /* slide, layers, replay, in logical pixels; NULL: there is nothing */
  GskRenderNode *overlay; /* outlines, names, marks over it; or NULL */
  VtViewport view;        /* its pixels are those of the shot */
  double scale;           /* pixels per logical pixel */
  guint n_unread;         /* tiles that could not be read, which are hatched */
} VtShot;

#define VT_SHOT_MOST_PX 32000              /* on a side: cairo draws no larger pictures */
#define VT_SHOT_MOST_PIXELS (96 * 1000000) /* of four bytes, and again as many of each layer */

/* On the main thread. */
void vt_shot_free(VtShot *shot);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(VtShot, vt_shot_free)

/* Pixels of the picture without the overlay, on white; blocking, for a worker. NULL: cancelled, or there is no memory. Owned. */
cairo_surface_t *vt_shot_render(const VtShot *shot, GCancellable *cancellable, GError **error);
