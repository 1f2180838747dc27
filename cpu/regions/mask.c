/* SPDX-License-Identifier: MIT
 *
 * The mask of one region, and the candidates' store of masks. */
#include "regions.h"

#include <stdlib.h>
#include <string.h>

VitrailStatus
vt_rg_mask_init(RgMask *mask, int32_t largest)
{
  const int32_t side = (largest + 2 * RG_PAD + 31) / 32 * 32;
  const size_t n = (size_t)side * (size_t)side;
  *mask = (RgMask){ .stride = side, .pixels = calloc(4, n) };
  if (!mask->pixels)
    return VITRAIL_OUT_OF_MEMORY;
  mask->spare = mask->pixels + n;
  mask->ring = mask->spare + n;
  mask->edge = mask->ring + n;
  return VITRAIL_OK;
}

void
vt_rg_mask_clear(RgMask *mask)
{
  free(mask->pixels);
  *mask = (RgMask){ 0 };
}

void
vt_rg_mask_empty(RgMask *mask, RgBox box)
{
  mask->box = box;
  mask->width = box.x1 - box.x0 + 1 + 2 * RG_PAD;
  mask->height = box.y1 - box.y0 + 1 + 2 * RG_PAD;
  memset(mask->pixels, 0, (size_t)mask->stride * (size_t)mask->height);
}

void
vt_rg_mask_load(RgMask *mask, const RgCandidates *all, const RgCandidate *c)
{
  vt_rg_mask_empty(mask, c->box);
  const size_t row = ((size_t)(c->box.x1 - c->box.x0) + 8) / 8;
  for (int32_t y = c->box.y0; y <= c->box.y1; y++) {
    const uint8_t *bits = all->bits + c->bits + (size_t)(y - c->box.y0) * row;
    uint8_t *to = vt_rg_mask_at(mask, c->box.x0, y);
    for (int32_t x = 0; x <= c->box.x1 - c->box.x0; x++)
      to[x] = bits[x >> 3] >> (x & 7) & 1;
  }
}

static bool
make_room(RgCandidates *all, size_t bytes)
{
  if (all->n == all->room) {
    const int32_t room = all->room ? all->room * 2 : 1024;
    RgCandidate *at = realloc(all->at, (size_t)room * sizeof *at);
    if (!at)
      return false;
    all->at = at;
    all->room = room;
  }
  if (all->n_bits + bytes > all->bits_room) {
    const size_t room = (all->n_bits + bytes) * 2 + 65536;
    uint8_t *bits = realloc(all->bits, room);
    if (!bits)
      return false;
    all->bits = bits;
    all->bits_room = room;
  }
  return true;
}

int32_t
vt_rg_candidates_add(RgCandidates *all, const RgMask *mask, const RgCandidate *like)
{
  const RgBox box = mask->box;
  const size_t row = ((size_t)(box.x1 - box.x0) + 8) / 8, bytes = row * (size_t)(box.y1 - box.y0 + 1);
  if (!make_room(all, bytes))
    return -1;
  RgCandidate *c = &all->at[all->n];
  *c = *like;
  c->box = box;
  c->area = 0;
  c->bits = all->n_bits;
  uint8_t *bits = all->bits + all->n_bits;
  memset(bits, 0, bytes);
  for (int32_t y = box.y0; y <= box.y1; y++, bits += row) {
    const uint8_t *from = vt_rg_mask_at(mask, box.x0, y);
    for (int32_t x = 0; x <= box.x1 - box.x0; x++) {
      bits[x >> 3] = (uint8_t)(bits[x >> 3] | from[x] << (x & 7));
      c->area += from[x];
    }
  }
  all->n_bits += bytes;
  return all->n++;
}

void
vt_rg_candidates_clear(RgCandidates *all)
{
  free(all->at);
  free(all->bits);
  *all = (RgCandidates){ 0 };
}
