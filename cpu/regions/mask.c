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
  /* Planes are apart by empty pixels: the neighbours of a plane's first and last. */
  const size_t n = (size_t)side * (size_t)side, apart = 32;
  *mask = (RgMask){ .stride = side, .block = calloc(4, n + 2 * apart), .stack = malloc(n * sizeof *mask->stack) };
  if (!mask->block || !mask->stack) {
    vt_rg_mask_clear(mask);
    return VITRAIL_OUT_OF_MEMORY;
  }
  mask->pixels = mask->block + apart;
  mask->spare = mask->pixels + n + apart;
  mask->ring = mask->spare + n + apart;
  mask->edge = mask->ring + n + apart;
  return VITRAIL_OK;
}

void
vt_rg_mask_clear(RgMask *mask)
{
  free(mask->block);
  free(mask->stack);
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

/* dst: 1 where the 3 x 3 square of src is 1. */
static void
shrink(uint8_t *restrict dst, const uint8_t *restrict src, const RgMask *m)
{
  const int32_t n = vt_rg_mask_blocks(m);
  for (int32_t y = 1; y + 1 < m->height; y++) {
    const uint8_t *above = src + (ptrdiff_t)(y - 1) * m->stride, *here = above + m->stride, *below = here + m->stride;
    uint8_t *to = dst + (ptrdiff_t)y * m->stride;
    for (int32_t x = 0; x < n; x++)
      to[x] = above[x - 1] & above[x] & above[x + 1] & here[x - 1] & here[x] & here[x + 1] & below[x - 1] & below[x]
              & below[x + 1];
  }
}

void
vt_rg_mask_grow(uint8_t *restrict dst, const uint8_t *restrict src, const RgMask *m, bool is_square)
{
  const int32_t n = vt_rg_mask_blocks(m);
  for (int32_t y = 1; y + 1 < m->height; y++) {
    const uint8_t *above = src + (ptrdiff_t)(y - 1) * m->stride, *here = above + m->stride, *below = here + m->stride;
    uint8_t *to = dst + (ptrdiff_t)y * m->stride;
    if (is_square)
      for (int32_t x = 0; x < n; x++)
        to[x] = above[x - 1] | above[x] | above[x + 1] | here[x - 1] | here[x] | here[x + 1] | below[x - 1] | below[x]
                | below[x + 1];
    else
      for (int32_t x = 0; x < n; x++)
        to[x] = above[x] | here[x - 1] | here[x] | here[x + 1] | below[x];
  }
}

/* Takes the 4-connected piece of pixel p out of the spare; m->stack lists its pixels. How many they are. */
static int32_t
take_piece(const RgMask *m, int32_t p)
{
  const int32_t near[4] = { -m->stride, -1, 1, m->stride };
  int32_t n = 1;
  m->stack[0] = p;
  m->spare[p] = 0;
  for (int32_t i = 0; i < n; i++)
    for (int k = 0; k < 4; k++) {
      const int32_t q = m->stack[i] + near[k];
      if (!m->spare[q])
        continue;
      m->spare[q] = 0;
      m->stack[n++] = q;
    }
  return n;
}

int32_t
vt_rg_mask_open(RgMask *m)
{
  const int32_t n = m->stride * m->height;
  memset(m->spare, 0, (size_t)n);
  shrink(m->spare, m->pixels, m);
  vt_rg_mask_grow(m->pixels, m->spare, m, true);
  memcpy(m->spare, m->pixels, (size_t)n);
  int32_t first = 0, most = 0, n_pieces = 0;
  for (int32_t p = 0; p < n; p++) {
    const int32_t area = m->spare[p] ? take_piece(m, p) : 0;
    n_pieces += area > 0;
    first = area > most ? p : first;
    most = area > most ? area : most;
  }
  if (n_pieces > 1) {
    memcpy(m->spare, m->pixels, (size_t)n);
    memset(m->pixels, 0, (size_t)n);
    take_piece(m, first);
    for (int32_t i = 0; i < most; i++)
      m->pixels[m->stack[i]] = 1;
  }
  return most;
}

/* The smallest box around the pixels, of which there are some. */
static RgBox
tight_box(const RgMask *m)
{
  RgBox box = { m->box.x1, m->box.y1, m->box.x0, m->box.y0 };
  for (int32_t y = m->box.y0; y <= m->box.y1; y++) {
    const uint8_t *row = vt_rg_mask_at(m, m->box.x0, y);
    const int32_t n = m->box.x1 - m->box.x0;
    int32_t from = 0, to = n;
    while (from <= n && !row[from])
      from++;
    while (to > from && !row[to])
      to--;
    if (from > n)
      continue;
    box.x0 = m->box.x0 + from < box.x0 ? m->box.x0 + from : box.x0;
    box.x1 = m->box.x0 + to > box.x1 ? m->box.x0 + to : box.x1;
    box.y0 = y < box.y0 ? y : box.y0;
    box.y1 = y;
  }
  return box;
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
  const RgBox box = tight_box(mask);
  const size_t row = ((size_t)(box.x1 - box.x0) + 8) / 8, bytes = row * (size_t)(box.y1 - box.y0 + 1);
  if (!make_room(all, bytes))
    return -1;
  RgCandidate *c = &all->at[all->n];
  *c = *like;
  c->box = box;
  c->bits = all->n_bits;
  uint8_t *bits = all->bits + all->n_bits;
  memset(bits, 0, bytes);
  for (int32_t y = box.y0; y <= box.y1; y++, bits += row) {
    const uint8_t *from = vt_rg_mask_at(mask, box.x0, y);
    for (int32_t x = 0; x <= box.x1 - box.x0; x++)
      bits[x >> 3] = (uint8_t)(bits[x >> 3] | from[x] << (x & 7));
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
