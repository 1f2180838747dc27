/* SPDX-License-Identifier: MIT
 *
 * Textures of a slide's tiles: read by worker threads, centre first, kept in a byte-budgeted cache. What a view no longer
 * needs is dropped from the queue before it is read. Main thread only.
 *
 * Signals: "changed" (tiles arrived), "failed" (gchararray: the first failure's sentence since the last retry).
 * Properties: "sharp" (nothing of the present view is missing), "late" (nothing has come for some seconds, though it is being read). */
#pragma once
#include <gtk/gtk.h>

#include "common/vt-tile-queue.h"
#include "common/vt-viewport.h"

#define VT_TYPE_TILE_STORE (vt_tile_store_get_type())
G_DECLARE_FINAL_TYPE(VtTileStore, vt_tile_store, VT, TILE_STORE, GObject)

typedef struct {
  VtTilePlace place;
  VtTilePixels *pixels; /* NULL: could not be read */
  GdkTexture *texture;  /* of the same bytes */
  guint64 used;         /* number of the last view that showed it */
  VtTileStore *store;   /* whose it is */
  guint colour_serial;  /* which colours it was made with */
} VtTile;

/* Tiles of a level that a view touches; empty when last < first. */
typedef struct {
  gint64 first_col, first_row, last_col, last_row;
} VtTileRange;

VtTileStore *vt_tile_store_new(VtSlide *slide);
/* Queues what the view lacks and forgets what it does not need. */
void vt_tile_store_set_view(VtTileStore *self, const VtViewport *view);
/* It is out of sight until the next view: what the last one did not show goes now, and of all slides' tiles its own are dropped
 * first. What that view showed stays as long as there is room, so that it is there when it comes back; without `keeps_view` the coarsest level alone. */
void vt_tile_store_hide(VtTileStore *self, gboolean keeps_view);
/* The level that is sharp at the present view. */
int vt_tile_store_get_level(VtTileStore *self);
gboolean vt_tile_store_get_sharp(VtTileStore *self);
gboolean vt_tile_store_get_late(VtTileStore *self);
VtTileRange vt_tile_store_get_range(VtTileStore *self, const VtViewport *view, int level);
/* Borrowed, until the main loop runs again; NULL if it is not there (yet). */
const VtTile *vt_tile_store_lookup(VtTileStore *self, int level, gint64 col, gint64 row);
/* A level that the file does not store is made from the finer one, so one bad tile spoils a large one: then the four finer
 * tiles below it stand for it. Their range; empty if the tile is not such a one. */
VtTileRange vt_tile_store_get_parts(VtTileStore *self, const VtTile *tile);
guint vt_tile_store_get_n_failed(VtTileStore *self);
/* Tries the tiles again that could not be read. */
void vt_tile_store_retry(VtTileStore *self);

/* How the tiles' colours are changed for the eye; NULL: not at all. Those that are there stay until they are made anew. */
void vt_tile_store_set_colour(VtTileStore *self, VtColour *colour);

/* Bytes that the pictures of all stores may take together (default 256 MiB), and take now. What is in view stays, also
 * when it is more. */
void vt_tile_store_set_budget(gsize bytes);
gsize vt_tile_store_get_used(void);
