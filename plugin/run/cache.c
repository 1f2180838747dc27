/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "run/cache.h"

static size_t
image_bytes(const VtImage *image)
{
  return (size_t)image->stride * (size_t)image->height;
}

static void
slot_clear(VtCache *cache, VtCacheRegion *region, VtCacheSlot *slot)
{
  if (slot->image.data) {
    region->bytes -= image_bytes(&slot->image);
    cache->backend->free(cache->device, slot->image.data);
  }
  free(slot->key);
  *slot = (VtCacheSlot){ 0 };
}

static void
scored_clear(VtCache *cache, VtCacheRegion *region)
{
  VtScored *scored = &region->scored;
  for (uint32_t i = 0; i < scored->n; i++)
    cache->backend->regions_drop(scored->tiles[i].scored);
  region->bytes -= scored->counted;
  free(scored->tiles);
  free(scored->key);
  *scored = (VtScored){ .key = NULL };
}

static void
region_clear(VtCache *cache, VtCacheRegion *region)
{
  scored_clear(cache, region);
  for (uint32_t i = 0; i < VT_CACHE_SLOTS; i++)
    slot_clear(cache, region, &region->slots[i]);
}

void
vt_cache_clear(VtCache *cache)
{
  for (uint32_t i = 0; i < VT_CACHE_REGIONS; i++)
    region_clear(cache, &cache->regions[i]);
}

static bool
same_pixels(const VtImage *a, const VtImage *b)
{
  return a->data && a->type == b->type && a->width == b->width && a->height == b->height && a->stride == b->stride
         && memcmp(a->data, b->data, image_bytes(a)) == 0;
}

VtCacheRegion *
vt_cache_find(VtCache *cache, const void *owner, const VtImage *pixels)
{
  uint32_t found = 0;
  while (found < VT_CACHE_REGIONS
         && (cache->regions[found].owner != owner || !same_pixels(&cache->regions[found].slots[0].image, pixels)))
    found++;
  if (found == VT_CACHE_REGIONS)
    region_clear(cache, &cache->regions[--found]);
  const VtCacheRegion region = cache->regions[found];
  memmove(&cache->regions[1], &cache->regions[0], found * sizeof region);
  cache->regions[0] = region;
  cache->regions[0].owner = owner;
  for (uint32_t i = 0; i < VT_CACHE_REGIONS; i++)
    cache->regions[i].is_twin = i > 0 && same_pixels(&cache->regions[i].slots[0].image, pixels);
  return &cache->regions[0];
}

/* Regions used longest ago go first; the one in use stays. */
static bool
make_room(VtCache *cache, size_t bytes)
{
  size_t used = 0;
  for (uint32_t i = 0; i < VT_CACHE_REGIONS; i++)
    used += cache->regions[i].bytes;
  for (uint32_t i = VT_CACHE_REGIONS; --i > 0 && used + bytes > VT_CACHE_BYTES;) {
    used -= cache->regions[i].bytes;
    region_clear(cache, &cache->regions[i]);
  }
  return used + bytes <= VT_CACHE_BYTES;
}

bool
vt_cache_put(VtCache *cache, VtCacheRegion *region, uint32_t slot, const VtImage *image, const void *key,
             size_t key_size)
{
  VtCacheSlot new_slot = { *image, NULL, key_size };
  slot_clear(cache, region, &region->slots[slot]);
  if (!make_room(cache, image_bytes(image)) || !(new_slot.key = malloc(key_size + 1)))
    return false;
  if (key_size > 0)
    memcpy(new_slot.key, key, key_size);
  region->slots[slot] = new_slot;
  region->bytes += image_bytes(image);
  return true;
}

static bool
has_key(const VtCacheSlot *slot, const void *key, size_t key_size)
{
  return slot->image.data && slot->key_size == key_size && (key_size == 0 || memcmp(slot->key, key, key_size) == 0);
}

static bool
adopt(VtCacheRegion *from, VtCacheRegion *region, uint32_t slot, const void *key, size_t key_size)
{
  for (uint32_t i = 1; i < VT_CACHE_SLOTS; i++) {
    if (!has_key(&from->slots[i], key, key_size))
      continue;
    region->slots[slot] = from->slots[i];
    region->bytes += image_bytes(&from->slots[i].image);
    from->bytes -= image_bytes(&from->slots[i].image);
    from->slots[i] = (VtCacheSlot){ 0 };
    return true;
  }
  return false;
}

bool
vt_cache_check(VtCache *cache, VtCacheRegion *region, uint32_t slot, const void *key, size_t key_size)
{
  VtCacheSlot *own = &region->slots[slot];
  if (has_key(own, key, key_size))
    return true;
  slot_clear(cache, region, own);
  for (uint32_t i = 0; i < VT_CACHE_REGIONS; i++)
    if (cache->regions[i].is_twin && adopt(&cache->regions[i], region, slot, key, key_size))
      return true;
  return false;
}

VtScored *
vt_cache_scored(VtCache *cache, VtCacheRegion *region, const void *key, size_t key_size)
{
  VtScored *scored = &region->scored;
  if (scored->key && scored->key_size == key_size && memcmp(scored->key, key, key_size) == 0)
    return scored;
  scored_clear(cache, region);
  scored->key = malloc(key_size + 1);
  if (!scored->key)
    return NULL;
  memcpy(scored->key, key, key_size);
  scored->key_size = key_size;
  return scored;
}

void
vt_cache_scored_done(VtCache *cache, VtCacheRegion *region)
{
  VtScored *scored = &region->scored;
  region->bytes += scored->bytes - scored->counted;
  scored->counted = scored->bytes;
  if (!make_room(cache, 0))
    scored_clear(cache, region);
}

bool
vt_scored_add(VtScored *scored, const VtBackend *backend, const VtScoredTile *tile)
{
  const size_t bytes = scored->bytes + backend->regions_bytes(tile->scored);
  VtScoredTile *tiles = bytes <= VT_SCORED_BYTES ? realloc(scored->tiles, (scored->n + 1) * sizeof *tiles) : NULL;
  if (!tiles) {
    backend->regions_drop(tile->scored);
    return false;
  }
  scored->tiles = tiles;
  scored->bytes = bytes;
  tiles[scored->n++] = *tile;
  return true;
}

static bool
rect_equal(VtRect a, VtRect b)
{
  return a.x == b.x && a.y == b.y && a.width == b.width && a.height == b.height;
}

VtRegionsScored *
vt_scored_find(const VtScored *scored, VtRect tile, VtRect window)
{
  for (uint32_t i = 0; i < scored->n; i++)
    if (rect_equal(scored->tiles[i].tile, tile) && rect_equal(scored->tiles[i].window, window))
      return scored->tiles[i].scored;
  return NULL;
}
