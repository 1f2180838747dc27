/* SPDX-License-Identifier: MIT
 *
 * The parts of a region: basins of its smoothed distance to the outside, flooded from the deepest pixel out. Every meeting of
 * two is a node of a binary tree; where the saddle is at most NECK / 256 of the lower peak, both sides are parts. */
#include "regions.h"

#include <stdlib.h>
#include <string.h>

enum { NECK = 238, MAX_SEEDS = 1024, BINS = 2048 };

/* A basin (left < 0) or the union of two that met at depth saddle. */
typedef struct Basin {
  int16_t left, right, up; /* up: union and find */
  int32_t peak, saddle;
  int16_t from, to; /* its seeds in the order of the tree */
} Basin;

typedef struct Split {
  RgMask *mask;
  int16_t *distance, *depth;
  int32_t *order;
  int16_t *seed_of; /* of a pixel; -1: outside, or not met yet */
  int32_t n_pixels, n_seeds;
  int16_t n_basins, whole; /* seeds come first in basins, unions from MAX_SEEDS on */
  int16_t rank[MAX_SEEDS];
  Basin basins[2 * MAX_SEEDS];
} Split;

static inline int16_t
least(int a, int b)
{
  return (int16_t)(a < b ? a : b);
}

/* Chamfer distance 5-7 to the outside. */
static void
find_distance(Split *s)
{
  int16_t *distance = s->distance;
  const RgMask *m = s->mask;
  const int32_t w = m->stride;
  for (int32_t y = RG_PAD; y + RG_PAD < m->height; y++)
    for (int32_t x = RG_PAD; x + RG_PAD < m->width; x++) {
      const int16_t *d = distance + y * w + x;
      const int16_t straight = least(d[-1], d[-w]), slant = least(d[-w - 1], d[-w + 1]);
      distance[y * w + x] = m->pixels[y * w + x] ? least(straight + 5, slant + 7) : 0;
    }
  for (int32_t y = m->height - RG_PAD - 1; y >= RG_PAD; y--)
    for (int32_t x = m->width - RG_PAD - 1; x >= RG_PAD; x--) {
      const int16_t *d = distance + y * w + x;
      const int16_t straight = least(d[1], d[w]), slant = least(d[w - 1], d[w + 1]);
      distance[y * w + x] = least(*d, least(straight + 5, slant + 7));
    }
}

/* The distance summed over the 3 x 3 square, inside only; and one pixel around the box, where it is 0. */
static void
find_depth(Split *s)
{
  const RgMask *m = s->mask;
  const int32_t w = m->stride, n = m->width - 2 * RG_PAD + 2;
  for (int32_t y = RG_PAD - 1; y + RG_PAD <= m->height; y++) {
    const uint8_t *in = m->pixels + y * w + RG_PAD - 1;
    const int16_t *restrict here = s->distance + y * w + RG_PAD - 1, *restrict above = here - w,
                            *restrict below = here + w;
    int16_t *restrict depth = s->depth + y * w + RG_PAD - 1;
    for (int32_t x = 0; x < n; x++) {
      const uint32_t sum = (uint32_t)(above[x - 1] + above[x] + above[x + 1] + here[x - 1] + here[x] + here[x + 1]
                                      + below[x - 1] + below[x] + below[x + 1]);
      depth[x] = (int16_t)(in[x] * (sum / 4));
    }
  }
}

/* Whether more than one pixel is deeper than its neighbours, or as deep as those that come after it: where a basin begins. */
static bool
has_basins(const Split *s)
{
  const RgMask *m = s->mask;
  const int32_t w = m->stride, n = m->width - 2 * RG_PAD;
  int32_t count = 0;
  for (int32_t y = RG_PAD; y + RG_PAD < m->height && count < 2; y++) {
    const int16_t *here = s->depth + y * w + RG_PAD, *above = here - w, *below = here + w;
    int16_t row = 0;
    for (int32_t x = 0; x < n; x++)
      row = (int16_t)(row
                      + ((here[x] > above[x - 1]) & (here[x] > above[x]) & (here[x] > above[x + 1])
                         & (here[x] > here[x - 1]) & (here[x] >= here[x + 1]) & (here[x] >= below[x - 1])
                         & (here[x] >= below[x]) & (here[x] >= below[x + 1])));
    count += row;
  }
  return count > 1;
}

/* Deepest first; of one depth, row by row. */
static void
sort_depth(Split *s)
{
  int32_t start[BINS + 1] = { 0 };
  const RgMask *m = s->mask;
  for (int pass = 0; pass < 2; pass++) {
    for (int32_t y = RG_PAD; y + RG_PAD < m->height; y++)
      for (int32_t x = RG_PAD; x + RG_PAD < m->width; x++) {
        const int32_t p = y * m->stride + x;
        if (!m->pixels[p])
          continue;
        const int32_t bin = BINS - 1 - (s->depth[p] < BINS ? s->depth[p] : BINS - 1);
        if (pass == 0)
          start[bin + 1]++;
        else
          s->order[start[bin]++] = p;
      }
    if (pass == 0)
      for (int32_t k = 0; k < BINS; k++)
        start[k + 1] += start[k];
    s->n_pixels = pass == 0 ? start[BINS] : s->n_pixels;
  }
}

static int16_t
find(Basin *basins, int16_t b)
{
  while (basins[b].up != b)
    b = basins[b].up = basins[basins[b].up].up;
  return b;
}

static void
meet(Split *s, int16_t a, int16_t b, int32_t depth)
{
  const int16_t both = s->n_basins++;
  const int32_t peak = s->basins[a].peak > s->basins[b].peak ? s->basins[a].peak : s->basins[b].peak;
  s->basins[both] = (Basin){ .left = a, .right = b, .up = both, .peak = peak, .saddle = depth };
  s->basins[a].up = s->basins[b].up = both;
}

/* A pixel goes to the basin of its deepest neighbour that was met before; of equals, the first row by row. */
static bool
flood(Split *s)
{
  const int32_t w = s->mask->stride;
  const int32_t near[8] = { -w - 1, -w, -w + 1, -1, 1, w - 1, w, w + 1 };
  s->n_basins = MAX_SEEDS;
  for (int32_t i = 0; i < s->n_pixels; i++) {
    const int32_t p = s->order[i];
    int32_t best = -1;
    for (int k = 0; k < 8; k++) {
      const int32_t q = p + near[k];
      if (s->seed_of[q] >= 0 && (best < 0 || s->depth[q] > s->depth[best]))
        best = q;
    }
    if (best < 0) {
      if (s->n_seeds == MAX_SEEDS)
        return false;
      s->seed_of[p] = (int16_t)s->n_seeds;
      s->basins[s->n_seeds] = (Basin){ .left = -1, .right = -1, .up = (int16_t)s->n_seeds, .peak = s->depth[p] };
      s->whole = (int16_t)s->n_seeds++;
      continue;
    }
    s->seed_of[p] = s->seed_of[best];
    for (int k = 0; k < 8; k++) {
      const int32_t q = p + near[k];
      if (s->seed_of[q] < 0 || s->seed_of[q] == s->seed_of[p])
        continue;
      const int16_t a = find(s->basins, s->seed_of[p]), b = find(s->basins, s->seed_of[q]);
      if (a != b)
        meet(s, a, b, s->depth[p]);
    }
  }
  s->whole = s->n_basins > MAX_SEEDS ? (int16_t)(s->n_basins - 1) : s->whole;
  return true;
}

/* from and to of every basin, unions after their halves: by depth first search. */
static void
rank_seeds(Split *s, int16_t *stack)
{
  int32_t n = 0;
  int16_t next = 0;
  stack[n++] = s->whole;
  while (n > 0) {
    const int16_t b = stack[--n];
    s->basins[b].from = next;
    if (s->basins[b].left < 0) {
      s->rank[b] = next++;
      s->basins[b].to = next;
      continue;
    }
    stack[n++] = s->basins[b].right;
    stack[n++] = s->basins[b].left;
  }
  for (int16_t b = MAX_SEEDS; b < s->n_basins; b++)
    s->basins[b].to = s->basins[s->basins[b].right].to;
}

static bool
is_neck(const Split *s, const Basin *b)
{
  const int32_t left = s->basins[b->left].peak, right = s->basins[b->right].peak;
  return (int64_t)b->saddle * 256 <= (int64_t)(left < right ? left : right) * NECK;
}

/* Adds the part of basin b; its index, parent where it is too small, -1 without memory. */
static int32_t
add_part(Split *s, RgCandidates *all, RgMask *part, int16_t b, int32_t parent, uint8_t neck)
{
  const RgMask *m = s->mask;
  const Basin *basin = &s->basins[b];
  RgBox box = { INT32_MAX, INT32_MAX, -1, -1 };
  int32_t area = 0;
  for (int32_t i = 0; i < s->n_pixels; i++) {
    const int32_t p = s->order[i], x = p % m->stride - RG_PAD + m->box.x0, y = p / m->stride - RG_PAD + m->box.y0;
    if (s->rank[s->seed_of[p]] < basin->from || s->rank[s->seed_of[p]] >= basin->to)
      continue;
    area++;
    box = (RgBox){ x < box.x0 ? x : box.x0, y < box.y0 ? y : box.y0, x > box.x1 ? x : box.x1, y > box.y1 ? y : box.y1 };
  }
  if (area < RG_MIN_AREA)
    return parent;
  vt_rg_mask_empty(part, box);
  for (int32_t i = 0; i < s->n_pixels; i++) {
    const int32_t p = s->order[i], x = p % m->stride - RG_PAD + m->box.x0, y = p / m->stride - RG_PAD + m->box.y0;
    if (s->rank[s->seed_of[p]] >= basin->from && s->rank[s->seed_of[p]] < basin->to)
      *vt_rg_mask_at(part, x, y) = 1;
  }
  if (vt_rg_mask_open(part) < RG_MIN_AREA)
    return parent;
  const RgCandidate like = { .parent = parent,
                             .area = area,
                             .node = all->at[parent].node,
                             .level = all->at[parent].level,
                             .part = true,
                             .neck = neck };
  return vt_rg_candidates_add(all, part, &like);
}

/* From the whole down; stack holds pairs of a basin and the candidate that holds it. */
static VitrailStatus
add_parts(Split *s, RgCandidates *all, int32_t whole, RgMask *part, int32_t *stack)
{
  int32_t n = 0;
  stack[n++] = s->whole;
  stack[n++] = whole;
  while (n > 0) {
    const int32_t parent = stack[--n];
    const Basin *b = &s->basins[stack[--n]];
    if (b->left < 0)
      continue;
    const bool is_parts = is_neck(s, b);
    const int16_t half[2] = { b->left, b->right };
    for (int k = 0; k < 2; k++) {
      const int32_t peak = s->basins[half[k]].peak;
      const uint8_t neck = (uint8_t)(b->saddle * 255 / (peak ? peak : 1));
      const int32_t at = is_parts ? add_part(s, all, part, half[k], parent, neck) : parent;
      if (at < 0)
        return VITRAIL_OUT_OF_MEMORY;
      stack[n++] = half[k];
      stack[n++] = at;
    }
  }
  return VITRAIL_OK;
}

static int32_t
count_parts(const Split *s)
{
  int32_t n = 0;
  for (int16_t b = MAX_SEEDS; b < s->n_basins; b++)
    n += is_neck(s, &s->basins[b]) ? 2 : 0;
  return n;
}

VitrailStatus
vt_rg_split(RgCandidates *all, int32_t whole, RgMask *mask, RgMask *part, void *scratch)
{
  const size_t n = (size_t)mask->stride * (size_t)mask->stride + 4 * MAX_SEEDS;
  Split *s = scratch;
  s->mask = mask;
  s->n_seeds = 0;
  s->order = (int32_t *)(s + 1);
  s->distance = (int16_t *)(s->order + n);
  s->depth = s->distance + n;
  s->seed_of = s->depth + n;
  memset(s->distance, 0, (size_t)mask->stride * (size_t)mask->height * sizeof *s->distance);
  find_distance(s);
  find_depth(s);
  if (!has_basins(s))
    return VITRAIL_OK;
  memset(s->seed_of, 0xff, (size_t)mask->stride * (size_t)mask->height * sizeof *s->seed_of);
  sort_depth(s);
  if (!flood(s))
    return VITRAIL_OK;
  const int32_t n_parts = count_parts(s);
  if (n_parts == 0 || n_parts > 2 * RG_MAX_BASINS)
    return VITRAIL_OK;
  rank_seeds(s, s->distance);
  return add_parts(s, all, whole, part, (int32_t *)(void *)s->distance);
}

size_t
vt_rg_split_scratch(const RgMask *mask)
{
  const size_t n = (size_t)mask->stride * (size_t)mask->stride + 4 * MAX_SEEDS;
  return sizeof(Split) + n * (sizeof(int32_t) + 3 * sizeof(int16_t));
}
