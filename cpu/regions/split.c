/* SPDX-License-Identifier: MIT
 *
 * The parts of a region: basins of its smoothed distance to the outside, flooded from the deepest pixel out. Every meeting of
 * two is a node of a binary tree; where the saddle is at most RG_NECK / 256 of the lower peak, both sides are parts. */
#include "mask.h"

#include <stdlib.h>
#include <string.h>

enum { BINS = 2048 };

/* A basin (left < 0) or the union of two that met at depth saddle. */
typedef struct Basin {
  int16_t left, right, up; /* up: union and find */
  int32_t peak, saddle;
  int16_t from, to; /* its seeds in the order of the tree */
} Basin;

/* Pixels are row << shift | column, with the mask's margin. */
typedef struct Split {
  const RgMask *mask;
  int32_t shift, n_runs;
  int16_t *distance, *depth;
  int32_t *order;
  uint16_t *met; /* 1 + seed of a pixel; 0: outside, or not met yet */
  int32_t n_pixels, n_seeds;
  int16_t n_basins, whole; /* seeds come first in basins, unions from RG_MAX_SEEDS on */
  int16_t rank[RG_MAX_SEEDS];
  Basin basins[2 * RG_MAX_SEEDS];
} Split;

/* The runs of the mask, row by row. */
static void
list_runs(Split *s)
{
  const RgMask *m = s->mask;
  int32_t n = 0;
  for (int32_t y = RG_PAD; y + RG_PAD < m->height; y++) {
    const uint64_t *row = m->rows + (ptrdiff_t)y * m->words;
    for (int32_t from = 0, to; vt_rg_next_run(row, m->words, &from, &to); from = to)
      m->runs[n++] = (RgRun){ .y = (int16_t)y, .from = (int16_t)from, .to = (int16_t)to };
  }
  s->n_runs = n;
}

static inline int32_t
least(int32_t a, int32_t b)
{
  return a < b ? a : b;
}

/* Chamfer distance 5-7 to the outside, where it is 0. */
static void
find_distance(Split *s)
{
  const int32_t w = 1 << s->shift;
  memset(s->distance, 0, ((size_t)s->mask->height << s->shift) * sizeof *s->distance);
  for (int32_t r = 0; r < s->n_runs; r++) {
    const RgRun run = s->mask->runs[r];
    int16_t *restrict here = s->distance + (run.y << s->shift);
    const int16_t *restrict above = here - w;
    int32_t d = 0;
    for (int32_t x = run.from; x < run.to; x++) {
      d = least(least(d, above[x]) + 5, least(above[x - 1], above[x + 1]) + 7);
      here[x] = (int16_t)d;
    }
  }
  for (int32_t r = s->n_runs - 1; r >= 0; r--) {
    const RgRun run = s->mask->runs[r];
    int16_t *restrict here = s->distance + (run.y << s->shift);
    const int16_t *restrict below = here + w;
    int32_t d = 0;
    for (int32_t x = run.to - 1; x >= run.from; x--) {
      d = least(here[x], least(least(d, below[x]) + 5, least(below[x - 1], below[x + 1]) + 7));
      here[x] = (int16_t)d;
    }
  }
}

/* The distance summed over the 3 x 3 square, inside only. In one go over all rows, whose margins are 0, and a pixel before and after them, which
 * has_basins() looks at. */
static void
find_depth(Split *s)
{
  const int32_t w = 1 << s->shift, begin = (RG_PAD - 1) << s->shift, end = (s->mask->height - RG_PAD + 1) << s->shift;
  const int16_t *restrict here = s->distance, *restrict above = here - w, *restrict below = here + w;
  int16_t *restrict depth = s->depth;
  depth[begin - 1] = depth[end] = 0;
  for (int32_t i = begin; i < end; i++) {
    const uint16_t sum = (uint16_t)(above[i - 1] + above[i] + above[i + 1] + here[i - 1] + here[i] + here[i + 1]
                                    + below[i - 1] + below[i] + below[i + 1]);
    depth[i] = (int16_t)(here[i] > 0 ? sum >> 2 : 0);
  }
}

/* Whether more than one pixel is deeper than its neighbours, or as deep as those that come after it: where a basin begins. */
static bool
has_basins(const Split *s)
{
  const int32_t w = 1 << s->shift, end = (s->mask->height - RG_PAD) << s->shift;
  const int16_t *here = s->depth, *above = here - w, *below = here + w;
  int16_t count = 0;
  for (int32_t i = RG_PAD << s->shift; i < end; i++)
    count = (int16_t)(count
                      + ((here[i] > above[i - 1]) & (here[i] > above[i]) & (here[i] > above[i + 1])
                         & (here[i] > here[i - 1]) & (here[i] >= here[i + 1]) & (here[i] >= below[i - 1])
                         & (here[i] >= below[i]) & (here[i] >= below[i + 1])));
  return count > 1;
}

/* Deepest first; of one depth, row by row. */
static void
sort_depth(Split *s)
{
  int32_t start[BINS + 1], most = 0, n = 0;
  const RgRun *runs = s->mask->runs;
  for (int32_t r = 0; r < s->n_runs; r++)
    for (int32_t x = runs[r].from; x < runs[r].to; x++) {
      const int32_t depth = s->depth[(runs[r].y << s->shift) + x];
      most = depth > most ? depth : most;
    }
  most = least(most, BINS - 1);
  memset(start, 0, (size_t)(most + 1) * sizeof *start);
  for (int32_t r = 0; r < s->n_runs; r++)
    for (int32_t x = runs[r].from; x < runs[r].to; x++)
      start[least(s->depth[(runs[r].y << s->shift) + x], most)]++;
  for (int32_t k = most; k >= 0; k--) {
    const int32_t of_bin = start[k];
    start[k] = n;
    n += of_bin;
  }
  for (int32_t r = 0; r < s->n_runs; r++)
    for (int32_t x = runs[r].from; x < runs[r].to; x++) {
      const int32_t p = (runs[r].y << s->shift) + x;
      s->order[start[least(s->depth[p], most)]++] = p;
    }
  s->n_pixels = n;
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

/* The basins around pixel p are several: it goes to that of its deepest neighbour, and all of them meet. */
static void
meet_around(Split *s, int32_t p, const int32_t near[8])
{
  int32_t deepest = -1;
  for (int k = 0; k < 8; k++)
    if (s->met[p + near[k]] && s->depth[p + near[k]] > deepest) {
      deepest = s->depth[p + near[k]];
      s->met[p] = s->met[p + near[k]];
    }
  for (int k = 0; k < 8; k++) {
    const uint16_t met = s->met[p + near[k]];
    if (met == 0 || met == s->met[p])
      continue;
    const int16_t a = find(s->basins, (int16_t)(s->met[p] - 1)), b = find(s->basins, (int16_t)(met - 1));
    if (a != b)
      meet(s, a, b, s->depth[p]);
  }
}

/* A pixel goes to the basin of its deepest neighbour that was met before; of equals, the first row by row. */
static bool
flood(Split *s)
{
  const int32_t w = 1 << s->shift;
  const int32_t near[8] = { -w - 1, -w, -w + 1, -1, 1, w - 1, w, w + 1 };
  s->n_basins = RG_MAX_SEEDS;
  memset(s->met, 0, ((size_t)s->mask->height << s->shift) * sizeof *s->met);
  for (int32_t i = 0; i < s->n_pixels; i++) {
    const int32_t p = s->order[i];
    uint16_t any = 0, all = 0xffff;
    for (int k = 0; k < 8; k++) {
      const uint16_t met = s->met[p + near[k]];
      any |= met;
      all &= (uint16_t)(met - 1);
    }
    if (any == 0) {
      if (s->n_seeds == RG_MAX_SEEDS)
        return false;
      s->basins[s->n_seeds] = (Basin){ .left = -1, .right = -1, .up = (int16_t)s->n_seeds, .peak = s->depth[p] };
      s->whole = (int16_t)s->n_seeds++;
      s->met[p] = (uint16_t)s->n_seeds;
    } else if (any - 1 == all) /* one basin: of several, any would be at least the greatest, and all less than that */
      s->met[p] = any;
    else
      meet_around(s, p, near);
  }
  s->whole = s->n_basins > RG_MAX_SEEDS ? (int16_t)(s->n_basins - 1) : s->whole;
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
  for (int16_t b = RG_MAX_SEEDS; b < s->n_basins; b++)
    s->basins[b].to = s->basins[s->basins[b].right].to;
}

static bool
is_neck(const Split *s, const Basin *b)
{
  const int32_t left = s->basins[b->left].peak, right = s->basins[b->right].peak;
  return (int64_t)b->saddle * 256 <= (int64_t)(left < right ? left : right) * RG_NECK;
}

/* Adds the part of basin b; its index, parent where it is too small, -1 without memory. */
static int32_t
add_part(Split *s, RgCandidates *all, RgMask *part, int16_t b, int32_t parent, uint8_t neck)
{
  const Basin *basin = &s->basins[b];
  const int32_t columns = (1 << s->shift) - 1, from = basin->from, to = basin->to;
  int32_t area = 0;
  vt_rg_mask_empty(part, s->mask->box);
  for (int32_t i = 0; i < s->n_pixels; i++) {
    const int32_t p = s->order[i], x = p & columns, y = p >> s->shift, rank = s->rank[s->met[p] - 1];
    const bool is_in = rank >= from && rank < to;
    part->rows[y * part->words + (x >> 6)] |= (uint64_t)is_in << (x & 63);
    area += is_in;
  }
  if (area < RG_MIN_AREA)
    return parent;
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
  for (int16_t b = RG_MAX_SEEDS; b < s->n_basins; b++)
    n += is_neck(s, &s->basins[b]) ? 2 : 0;
  return n;
}

/* Rows of 32, 64 ... pixels. */
static int32_t
shift_for(int32_t width)
{
  int32_t shift = 5;
  while (1 << shift < width)
    shift++;
  return shift;
}

VitrailStatus
vt_rg_split(RgCandidates *all, int32_t whole, RgMask *mask, RgMask *part, void *scratch)
{
  Split *s = scratch;
  s->mask = mask;
  s->n_seeds = 0;
  s->shift = shift_for(mask->width);
  const size_t n = ((size_t)mask->height << s->shift) + 4 * RG_MAX_SEEDS;
  s->order = (int32_t *)(s + 1);
  s->met = (uint16_t *)(s->order + n);
  s->distance = (int16_t *)(s->met + n);
  s->depth = s->distance + n;
  list_runs(s);
  find_distance(s);
  find_depth(s);
  if (!has_basins(s))
    return VITRAIL_OK;
  sort_depth(s);
  if (!flood(s))
    return VITRAIL_OK;
  const int32_t n_parts = count_parts(s);
  if (n_parts == 0 || n_parts > 2 * RG_MAX_BASINS)
    return VITRAIL_OK;
  rank_seeds(s, s->distance);
  return add_parts(s, all, whole, part, s->order + n - 4 * RG_MAX_SEEDS);
}

size_t
vt_rg_split_scratch(int32_t largest)
{
  const int32_t side = largest + 2 * RG_PAD;
  return sizeof(Split)
         + (((size_t)side << shift_for(side)) + 4 * RG_MAX_SEEDS) * (sizeof(int32_t) + 3 * sizeof(int16_t));
}
