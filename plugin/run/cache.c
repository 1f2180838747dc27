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
slot_clear(VtKeptRegion *region, VtKeptSlot *slot)
{
  if (slot->image.data)
    region->bytes -= image_bytes(&slot->image);
  free(slot->image.data);
  free(slot->key);
  *slot = (VtKeptSlot){ 0 };
}

static void
region_clear(VtKeptRegion *region)
{
  for (uint32_t i = 0; i < VT_KEPT_SLOTS; i++)
    slot_clear(region, &region->slots[i]);
}

void
vt_kept_clear(VtKept *kept)
{
  for (uint32_t i = 0; i < VT_KEPT_REGIONS; i++)
    region_clear(&kept->regions[i]);
}

static bool
same_pixels(const VtImage *a, const VtImage *b)
{
  return a->data && a->type == b->type && a->width == b->width && a->height == b->height && a->stride == b->stride
         && memcmp(a->data, b->data, image_bytes(a)) == 0;
}

VtKeptRegion *
vt_kept_find(VtKept *kept, const VtImage *pixels)
{
  uint32_t found = 0;
  while (found < VT_KEPT_REGIONS && !same_pixels(&kept->regions[found].slots[0].image, pixels))
    found++;
  if (found == VT_KEPT_REGIONS)
    region_clear(&kept->regions[--found]);
  const VtKeptRegion region = kept->regions[found];
  memmove(&kept->regions[1], &kept->regions[0], found * sizeof region);
  kept->regions[0] = region;
  return &kept->regions[0];
}

/* Regions used longest ago go first; the one in use stays. */
static bool
make_room(VtKept *kept, size_t bytes)
{
  size_t used = 0;
  for (uint32_t i = 0; i < VT_KEPT_REGIONS; i++)
    used += kept->regions[i].bytes;
  for (uint32_t i = VT_KEPT_REGIONS; --i > 0 && used + bytes > VT_KEPT_BYTES;) {
    used -= kept->regions[i].bytes;
    region_clear(&kept->regions[i]);
  }
  return used + bytes <= VT_KEPT_BYTES;
}

bool
vt_kept_put(VtKept *kept, VtKeptRegion *region, uint32_t slot, const VtImage *image, const void *key, size_t key_size)
{
  VtKeptSlot new_slot = { *image, NULL, key_size };
  slot_clear(region, &region->slots[slot]);
  if (!make_room(kept, image_bytes(image)) || !(new_slot.key = malloc(key_size + 1)))
    return false;
  if (key_size > 0)
    memcpy(new_slot.key, key, key_size);
  region->slots[slot] = new_slot;
  region->bytes += image_bytes(image);
  return true;
}

bool
vt_kept_has(const VtKeptRegion *region, uint32_t slot, const void *key, size_t key_size)
{
  const VtKeptSlot *own = &region->slots[slot];
  const bool same_size = own->image.data && own->key_size == key_size;
  return same_size && (key_size == 0 || memcmp(own->key, key, key_size) == 0);
}

void
vt_kept_drop(VtKeptRegion *region, uint32_t slot, const uint32_t *parents, uint32_t n_slots)
{
  uint32_t dropped = 1u << slot, before;
  do {
    before = dropped;
    for (uint32_t i = 0; i < n_slots; i++)
      if (parents[i] & dropped)
        dropped |= 1u << i;
  } while (dropped != before);
  for (uint32_t i = 0; i < n_slots; i++)
    if (dropped >> i & 1)
      slot_clear(region, &region->slots[i]);
}
