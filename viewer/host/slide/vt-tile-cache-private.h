/* SPDX-License-Identifier: MIT
 *
 * The cache behind canonical tiles, shared by all slides: least recently used goes first, counted in bytes. Tiles are
 * refcounted, so one that is in use outlives its eviction. */
#pragma once
#include "slide/vt-slide.h"

typedef struct {
  guint64 slide_id;
  gint64 col, row;
  gint64 level;
} VtTileKey;

/* A reference, or NULL. */
VtTilePixels *vt_tile_cache_lookup(const VtTileKey *key);
/* A reference, or NULL: then this caller, and no other, reads the tile and must call vt_tile_cache_end(). Blocks while
 * another thread reads the same tile. */
VtTilePixels *vt_tile_cache_begin(const VtTileKey *key);
/* `tile` is borrowed; NULL: it could not be read, the next one who waits may try. */
void vt_tile_cache_end(const VtTileKey *key, VtTilePixels *tile);
void vt_tile_cache_drop_slide(guint64 slide_id);
