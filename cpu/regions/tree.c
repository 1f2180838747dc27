/* SPDX-License-Identifier: MIT
 *
 * The component tree of the map's levels (map >> RG_LEVEL_SHIFT), 4-connected. One flood climbs as soon as it meets a higher
 * pixel, and goes down only when all of a component is done (Nistér and Stewénius, Linear time maximally stable extremal
 * regions, 2008). So the pixels of a component leave the flood in a row. */
#include "regions.h"

#include <stdlib.h>
#include <string.h>

enum { N_LEVELS = 256 >> RG_LEVEL_SHIFT, MET = 128 };
_Static_assert(N_LEVELS <= MET, "a level and the mark that its pixel was met fit a byte");

/* A component that is not done, on the way from the lowest to the current one. */
typedef struct Open {
  int32_t level, start, number, last_child; /* number: which node was begun; children are linked by their parents */
  RgBox box;
} Open;

typedef struct Build {
  RgTree *tree;
  int32_t width, stride; /* stride: with an empty pixel at both sides */
  uint8_t *level;        /* of the inner window with a margin; MET: it waits or is done, or there is none */
  int32_t *waiting;      /* pixels that wait, those of a level in a row: room for all of that level */
  RgDivisor strides;     /* divides by stride */
  int32_t first[N_LEVELS], end[N_LEVELS]; /* in waiting, of a level: from first to end - 1 */
  uint64_t levels[2];                     /* of which some wait: bits */
  Open open[N_LEVELS];
  int32_t n_open, n_listed, n_begun, room;
} Build;

static inline void
wait_at(Build *b, int32_t p, int32_t level)
{
  b->waiting[b->end[level]++] = p;
  b->levels[level >> 6] |= UINT64_C(1) << (level & 63);
}

/* The highest level at which a pixel waits; -1: none. */
static inline int32_t
highest(const Build *b)
{
  const uint64_t high = b->levels[1], low = b->levels[0];
  return high ? 127 - __builtin_clzll(high) : low ? 63 - __builtin_clzll(low) : -1;
}

static inline int32_t
take(Build *b, int32_t level)
{
  const int32_t at = --b->end[level];
  if (at == b->first[level])
    b->levels[level >> 6] &= ~(UINT64_C(1) << (level & 63));
  return b->waiting[at];
}

static inline void
begin(Build *b, int32_t level, int32_t start, int32_t child)
{
  b->open[b->n_open++] = (Open){
    .level = level, .start = start, .number = b->n_begun++, .last_child = child, .box = { INT32_MAX, INT32_MAX, -1, -1 }
  };
}

static inline void
grow(RgBox *box, const RgBox *by)
{
  box->x0 = by->x0 < box->x0 ? by->x0 : box->x0;
  box->y0 = by->y0 < box->y0 ? by->y0 : box->y0;
  box->x1 = by->x1 > box->x1 ? by->x1 : box->x1;
  box->y1 = by->y1 > box->y1 ? by->y1 : box->y1;
}

/* All that a node begins has room: of as many nodes as there are pixels, there are rarely a fifth. */
static bool
make_room(Build *b)
{
  RgTree *tree = b->tree;
  if (tree->n_nodes + N_LEVELS < b->room && b->n_begun + N_LEVELS < b->room)
    return true;
  const int32_t room = b->room + b->room / 2 + 8 * N_LEVELS;
  RgNode *nodes = realloc(tree->nodes, (size_t)room * sizeof *nodes);
  tree->nodes = nodes ? nodes : tree->nodes;
  int32_t *begun = nodes ? realloc(tree->begun, (size_t)room * sizeof *begun) : NULL;
  tree->begun = begun ? begun : tree->begun;
  b->room = begun ? room : b->room;
  return begun != NULL;
}

/* The current component is done: it becomes a node, whose children have waited for its index. */
static int32_t
end(Build *b)
{
  RgTree *tree = b->tree;
  const Open *o = &b->open[--b->n_open];
  const int32_t k = tree->n_nodes++;
  for (int32_t child = o->last_child; child >= 0;) {
    const int32_t before = tree->nodes[child].parent;
    tree->nodes[child].parent = k;
    child = before;
  }
  tree->nodes[k] =
    (RgNode){ .parent = -1, .area = b->n_listed - o->start, .start = o->start, .level = o->level, .box = o->box };
  tree->begun[o->number] = k;
  return k;
}

/* Ends components down to that level, or all of them (-1); the last becomes part of one of that level. */
static void
descend(Build *b, int32_t level)
{
  while (b->n_open > 0 && b->open[b->n_open - 1].level > level) {
    const int32_t k = end(b);
    RgNode *node = &b->tree->nodes[k];
    const int32_t below = b->n_open > 0 ? b->open[b->n_open - 1].level : -1;
    if (level < 0 && below < 0)
      return;
    if (below < level)
      begin(b, level, node->start, -1);
    Open *o = &b->open[b->n_open - 1];
    node->parent = o->last_child;
    o->last_child = k;
    grow(&o->box, &node->box);
  }
}

/* Pixel p of the current component is done. */
static inline void
list(Build *b, int32_t p)
{
  RgTree *tree = b->tree;
  const int32_t y = vt_rg_quotient(&b->strides, p) - 1, x = p - (y + 1) * b->stride - 1;
  const int32_t at = y * b->width + x, wx = x + tree->inner.x0, wy = y + tree->inner.y0;
  Open *o = &b->open[b->n_open - 1];
  tree->list[b->n_listed++] = at;
  tree->number[at] = o->number;
  grow(&o->box, &(RgBox){ wx, wy, wx, wy });
}

/* The first neighbour of p that is higher, or -1; those before it that are not begin to wait. */
static inline int32_t
higher_neighbour(Build *b, int32_t p, int32_t level)
{
  const int32_t near[4] = { -b->stride, -1, 1, b->stride };
  for (int k = 0; k < 4; k++) {
    const int32_t q = p + near[k], its = b->level[q];
    if (its & MET)
      continue;
    b->level[q] = (uint8_t)(its | MET);
    if (its > level)
      return q;
    wait_at(b, q, its);
  }
  return -1;
}

/* All that hangs together with p above the lowest level. */
static VitrailStatus
flood(Build *b, int32_t p, const VtCancel *cancel)
{
  int32_t level = b->level[p];
  b->level[p] = (uint8_t)(level | MET);
  if (!make_room(b))
    return VITRAIL_OUT_OF_MEMORY;
  begin(b, level, b->n_listed, -1);
  for (int64_t i = 1;; i++) {
    if (vt_rg_cancelled_at(cancel, i))
      return VITRAIL_CANCELLED;
    const int32_t q = higher_neighbour(b, p, level);
    if (q >= 0) {
      if (!make_room(b))
        return VITRAIL_OUT_OF_MEMORY;
      wait_at(b, p, level);
      p = q;
      level = b->level[q] & ~MET;
      begin(b, level, b->n_listed, -1);
      continue;
    }
    list(b, p);
    const int32_t now = highest(b);
    if (now < level)
      descend(b, now);
    if (now < 0)
      return VITRAIL_OK;
    level = now;
    p = take(b, level);
  }
}

static void
mark_cut(RgTree *tree, uint32_t edges)
{
  const RgBox in = tree->inner;
  for (int32_t k = 0; k < tree->n_nodes; k++) {
    const RgBox box = tree->nodes[k].box;
    tree->nodes[k].cut = (box.x0 == in.x0 && !(edges & VT_EDGE_LEFT)) || (box.y0 == in.y0 && !(edges & VT_EDGE_TOP))
                         || (box.x1 == in.x1 && !(edges & VT_EDGE_RIGHT))
                         || (box.y1 == in.y1 && !(edges & VT_EDGE_BOTTOM));
  }
}

/* Of row y; end counts the pixels of a level. */
static void
set_levels(Build *b, int32_t y, const int16_t *map)
{
  uint8_t *level = b->level + (ptrdiff_t)(y + 1) * b->stride + 1;
  for (int32_t x = 0; x < b->width; x++) {
    const uint8_t of = (uint8_t)(map[x] >> RG_LEVEL_SHIFT);
    level[x] = of < RG_LOWEST_LEVEL ? MET : of;
  }
  for (int32_t x = 0; x < b->width; x++)
    b->end[level[x] & ~MET]++;
}

/* What the planes have to spare, or memory of the tree's own. */
static void *
take_memory(RgTree *tree, const RgPlanes *planes, size_t bytes)
{
  if (planes->spare && bytes <= planes->spare_bytes)
    return planes->spare;
  tree->device = planes->device;
  return tree->own = vt_cpu_scratch_take(planes->device, bytes);
}

static bool
build_init(Build *b, RgTree *tree, const RgPlanes *planes)
{
  const int32_t w = tree->inner.x1 - tree->inner.x0 + 1, h = tree->inner.y1 - tree->inner.y0 + 1, stride = w + 2;
  const size_t n = (size_t)stride * (size_t)(h + 2);
  uint8_t *memory = take_memory(tree, planes, (2 * (size_t)tree->n_pixels + n) * sizeof(int32_t) + n);
  if (!memory)
    return false;
  tree->number = (int32_t *)memory;
  tree->list = tree->number + tree->n_pixels;
  b->tree = tree;
  b->width = w;
  b->stride = stride;
  b->strides = vt_rg_divisor(stride);
  b->waiting = tree->list + tree->n_pixels;
  b->level = (uint8_t *)(b->waiting + n);
  memset(b->level, MET, n);
  for (int32_t y = 0; y < h; y++)
    set_levels(b, y, planes->map + (y + tree->inner.y0) * planes->width + tree->inner.x0);
  for (int32_t k = 0, room = 0; k < N_LEVELS; k++) {
    b->first[k] = room;
    room += b->end[k];
    b->end[k] = b->first[k];
  }
  return true;
}

VitrailStatus
vt_rg_tree_init(RgTree *tree, const RgPlanes *planes, RgBox inner, uint32_t edges)
{
  *tree = (RgTree){ .inner = inner, .n_pixels = (int64_t)(inner.x1 - inner.x0 + 1) * (inner.y1 - inner.y0 + 1) };
  Build b = { 0 };
  tree->widths = vt_rg_divisor(inner.x1 - inner.x0 + 1);
  if (!build_init(&b, tree, planes))
    return VITRAIL_OUT_OF_MEMORY;
  memset(tree->number, 0xff, (size_t)tree->n_pixels * sizeof *tree->number);
  VitrailStatus status = make_room(&b) ? VITRAIL_OK : VITRAIL_OUT_OF_MEMORY;
  const int32_t last = b.stride * (inner.y1 - inner.y0 + 2);
  for (int32_t p = b.stride; p < last && status == VITRAIL_OK; p++) {
    if (!(b.level[p] & MET))
      status = flood(&b, p, planes->cancel);
    if (vt_rg_cancelled_at(planes->cancel, p)) /* small floods don't look */
      status = VITRAIL_CANCELLED;
  }
  if (status == VITRAIL_OK)
    mark_cut(tree, edges);
  return status == VITRAIL_OK && vt_cancelled(planes->cancel) ? VITRAIL_CANCELLED : status;
}

void
vt_rg_tree_clear(RgTree *tree)
{
  free(tree->nodes);
  free(tree->begun);
  vt_cpu_scratch_give(tree->device, tree->own);
  *tree = (RgTree){ 0 };
}
