/* SPDX-License-Identifier: MIT
 *
 * Pictures of a layer, ready to draw: made by a worker, placed in level-0 coordinates, immutable. */
#pragma once
#include <gtk/gtk.h>

#include "raster/vt-coloring.h"
#include "run/vt-run.h"
#include "common/vt-viewport.h"

typedef struct {
  gint64 x, y, width, height; /* in pixels from the picture's first one */
  GBytes *bytes;              /* GDK_MEMORY_DEFAULT, packed rows */
  GdkTexture *texture;
} VtPaintedTile;

typedef struct {
  double x_l0, y_l0, pixel_l0; /* place of the first pixel, level-0 pixels per pixel */
  gboolean smooth;             /* scale up linearly: a drawing, not values */
  GArray *tiles;               /* VtPaintedTile */
} VtPainted;

/* Any thread, until it is published. */
VtPainted *vt_painted_new(double x_l0, double y_l0, double pixel_l0);
/* Takes `bytes`. */
void vt_painted_add(VtPainted *painted, gint64 x, gint64 y, gint64 width, gint64 height, GBytes *bytes);
/* Adds a tile of another picture with the same first pixel and pixel size. */
void vt_painted_share(VtPainted *painted, const VtPaintedTile *tile);
/* Of rasters (VtRaster) with one grid, a later one over an earlier one; nothing of none. */
VtPainted *vt_painted_new_from_rasters(const GPtrArray *rasters, const VtColoring *coloring);
/* Every n-th pixel of every n-th row of a picture: what stands for it while it is out of sight. */
VtPainted *vt_painted_thin(const VtPainted *painted, gint64 n);
/* The same pixels with textures of its own, for another thread to draw. */
VtPainted *vt_painted_copy(const VtPainted *painted);
VtPainted *vt_painted_ref(VtPainted *painted);
/* The last reference goes on the main thread: renderers know the textures there. */
void vt_painted_unref(VtPainted *painted);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(VtPainted, vt_painted_unref)

/* Both edges of a rectangle of level-0 pixels rounded to device pixels, so that neighbours meet without a seam; in the
 * widget's logical pixels. */
void vt_paint_place(const VtViewport *view, double scale, double x0_l0, double y0_l0, double x1_l0, double y1_l0,
                    graphene_rect_t *rect);
/* What is drawn after it for the view's sheet comes to lie as the view shows it. */
void vt_paint_turn(const VtViewport *view, const VtViewport *sheet, GtkSnapshot *snapshot, double scale);
/* One picture whose pixels are seen as squares when they are larger than a device pixel, and filtered when smaller. */
void vt_paint_pixels(GtkSnapshot *snapshot, GdkTexture *texture, GBytes *bytes, gsize stride,
                     const graphene_rect_t *place, const graphene_rect_t *clip, gboolean squares);
/* `seen`: the part of the view that is seen of it, logical pixels. */
void vt_painted_snapshot(const VtPainted *painted, GtkSnapshot *snapshot, const VtViewport *view, double scale,
                         const graphene_rect_t *seen);
