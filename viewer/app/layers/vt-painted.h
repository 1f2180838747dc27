/* SPDX-License-Identifier: MIT
 *
 * Pictures of a layer, ready to draw: made by a worker, placed in level-0 coordinates, immutable. */
#pragma once
#include <gtk/gtk.h>

#include "layers/vt-paint.h"
#include "raster/vt-coloring.h"
#include "run/vt-run.h"

typedef struct {
  gint64 x, y, width, height; /* in pixels from the picture's first one */
  GBytes *bytes;              /* GDK_MEMORY_DEFAULT, packed rows */
  GdkTexture *texture;
  guint raster;      /* the number of that which was coloured */
  gboolean is_empty; /* nothing is seen of it: it is neither sent to a graphics card nor drawn */
} VtPaintedTile;

typedef struct {
  double x_l0, y_l0, pixel_l0; /* place of the first pixel, level-0 pixels per pixel */
  gboolean smooth;             /* scale up linearly: a drawing, not values */
  GArray *tiles;               /* VtPaintedTile */
  guint n_shared;              /* of them, taken over from other pictures */
  GPtrArray *rasters;          /* VtRaster that were coloured; NULL: a drawing */
  VtColoring coloring;         /* of them */
} VtPainted;

/* Any thread, until it is published. */
VtPainted *vt_painted_new(double x_l0, double y_l0, double pixel_l0);
/* Takes `bytes`. */
void vt_painted_add(VtPainted *painted, gint64 x, gint64 y, gint64 width, gint64 height, GBytes *bytes);
/* Adds a tile of another picture with the same first pixel and pixel size. */
void vt_painted_share(VtPainted *painted, const VtPaintedTile *tile);
/* Every n-th pixel of every n-th row of a picture: what stands for it while it is out of sight. */
VtPainted *vt_painted_thin(const VtPainted *painted, gint64 n);
/* The same pixels with textures of its own, for another thread to draw. */
VtPainted *vt_painted_copy(const VtPainted *painted);
VtPainted *vt_painted_ref(VtPainted *painted);
/* The last reference goes on the main thread: renderers know the textures there. */
void vt_painted_unref(VtPainted *painted);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(VtPainted, vt_painted_unref)

/* `seen`: the part of the view that is seen of it, logical pixels. */
void vt_painted_snapshot(const VtPainted *painted, GtkSnapshot *snapshot, const VtViewport *view, double scale,
                         const graphene_rect_t *seen);
