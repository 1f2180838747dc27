/* SPDX-License-Identifier: MIT
 *
 * cache.h: what a session keeps of its runs, so that a run of the same pixels after a change of one parameter makes only what
 * depends on it. A region is known by its pixels, compared byte for byte, never by a name or a number that stands for
 * them; what was made of them by the bytes of all that it was made from. So nothing stale is ever taken. */
#pragma once

#include "run/run.h"

enum {
  VT_CACHE_REGIONS = 4,       /* two views, each with the grid of its first look */
  VT_CACHE_SLOTS = 129,       /* the pixels, and two outputs of each of 64 nodes */
  VT_CACHE_BYTES = 256 << 20, /* of all regions; what does not fit is not kept */
  VT_SCORED_BYTES = 64 << 20, /* of a region's scores */
};

typedef struct {
  VtImage image; /* no data: empty */
  void *key;
  size_t key_size;
} VtCacheSlot;

/* What the step `regions` has scored in a tile; of a window on the same rectangles. */
typedef struct {
  VtRect tile, window;
  VtRegionsScored *scored;
} VtScoredTile;

/* Of all tiles of a run, in any order. key: all that the scores were made from, but the pixels. */
typedef struct VtScored {
  void *key;                       /* NULL: nothing */
  size_t key_size, bytes, counted; /* counted: of these bytes, in those of the region */
  uint32_t n;
  VtScoredTile *tiles;
} VtScored;

/* Slot 0 is the region's own pixels. */
typedef struct {
  const void *owner; /* whose slots they are */
  bool is_twin;      /* of the same pixels as the one that was found last, of another owner */
  VtCacheSlot slots[VT_CACHE_SLOTS];
  VtScored scored;
  size_t bytes; /* of all that */
} VtCacheRegion;

typedef struct VtCache {
  const VtBackend *backend;                /* whose device made the images, and has them back; */
  VtDevice *device;                        /* NULL: it is closed */
  VtCacheRegion regions[VT_CACHE_REGIONS]; /* the one used last comes first */
} VtCache;

void vt_cache_clear(VtCache *cache);
/* The owner's region with these pixels, else an empty one in place of the one used longest ago. Valid until the next call. */
VtCacheRegion *vt_cache_find(VtCache *cache, const void *owner, const VtImage *pixels);
/* Takes over image->data (rows without gaps, of the cache's device), and a copy of the key; regions that were used longer ago
 * give way. False, and nothing is taken, without room or memory for it. */
bool vt_cache_put(VtCache *cache, VtCacheRegion *region, uint32_t slot, const VtImage *image, const void *key,
                  size_t key_size);
/* True if the slot holds what has this key; else it is emptied, and filled with what another owner has made of the same pixels under that key, which
 * that one then has no more. `region` is the one that was found last. */
bool vt_cache_check(VtCache *cache, VtCacheRegion *region, uint32_t slot, const void *key, size_t key_size);

/* The scores that are kept under this key, else none yet, for a run to look up and to add to. NULL: no memory. Valid until the next vt_cache_find(). */
VtScored *vt_cache_scored(VtCache *cache, VtCacheRegion *region, const void *key, size_t key_size);
/* The run has added what it could: older regions give way. */
void vt_cache_scored_done(VtCache *cache, VtCacheRegion *region);
/* Takes over tile->scored. False, and it is dropped, without room or memory. One thread at a time. */
bool vt_scored_add(VtScored *scored, const VtBackend *backend, const VtScoredTile *tile);
/* NULL: there is none. */
VtRegionsScored *vt_scored_find(const VtScored *scored, VtRect tile, VtRect window);
