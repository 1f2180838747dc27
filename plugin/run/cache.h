/* SPDX-License-Identifier: MIT
 *
 * kept.h: what a session keeps of its runs, so that a run of the same pixels after a change of one parameter makes only what
 * depends on it. A region is known by its pixels, compared byte for byte, never by a name or a number that stands for
 * them; what was made of them by the bytes of all that it was made from. So nothing stale is ever taken. */
#pragma once

#include "vt-backend.h"

enum {
  VT_KEPT_REGIONS = 4, /* two views, each with the grid of its first look */
  VT_KEPT_SLOTS = 16,
  VT_KEPT_BYTES = 256 << 20, /* of all regions; what does not fit is not kept */
};

typedef struct {
  VtImage image; /* no data: empty */
  void *key;
  size_t key_size;
} VtKeptSlot;

/* Slot 0 is the region's own pixels. */
typedef struct {
  VtKeptSlot slots[VT_KEPT_SLOTS];
  size_t bytes;
} VtKeptRegion;

typedef struct VtKept {
  VtKeptRegion regions[VT_KEPT_REGIONS]; /* the one used last comes first */
} VtKept;

void vt_kept_clear(VtKept *kept);
/* The region with these pixels, else an empty one in place of the one used longest ago. Valid until the next call. */
VtKeptRegion *vt_kept_find(VtKept *kept, const VtImage *pixels);
/* Takes over image->data (rows without gaps, from aligned_alloc), and a copy of the key; regions that were used longer ago
 * give way. False, and nothing is taken, without room or memory for it. */
bool vt_kept_put(VtKept *kept, VtKeptRegion *region, uint32_t slot, const VtImage *image, const void *key,
                 size_t key_size);
bool vt_kept_has(const VtKeptRegion *region, uint32_t slot, const void *key, size_t key_size);
/* Empties a slot and all that was made from it: bit i of parents[s] says that s is made from i. */
void vt_kept_drop(VtKeptRegion *region, uint32_t slot, const uint32_t *parents, uint32_t n_slots);
