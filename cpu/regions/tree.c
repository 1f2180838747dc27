/* SPDX-License-Identifier: MIT
 *
 * The component tree of the map's levels (map >> RG_LEVEL_SHIFT), 4-connected, by union and find over the pixels from the
 * highest level down (Berger et al., Effective component tree computation, 2007). */
#include "regions.h"

#include <stdlib.h>
#include <string.h>

typedef struct Build {
  int32_t width, height;
  int32_t *order, *up, *root; /* pixels by level; parent pixel; union and find (-1: not met yet) */
  uint8_t *level;
  int32_t n; /* in order */
} Build;

static void
sort_pixels(Build *b)
{
  int32_t start[257] = { 0 };
  const int32_t n = b->width * b->height;
  for (int32_t i = 0; i < n; i++)
    start[255 - b->level[i] + 1]++;
  for (int k = 0; k < 256; k++)
    start[k + 1] += start[k];
  b->n = start[256 - RG_LOWEST_LEVEL];
  for (int32_t i = 0; i < n; i++)
    if (b->level[i] >= RG_LOWEST_LEVEL)
      b->order[start[255 - b->level[i]]++] = i;
}

static inline int32_t
find(int32_t *root, int32_t p)
{
  while (root[p] != p) {
    root[p] = root[root[p]];
    p = root[p];
  }
  return p;
}

static inline void
join(Build *b, int32_t p, int32_t q)
{
  if (b->root[q] < 0)
    return;
  const int32_t r = find(b->root, q);
  if (r != p) {
    b->up[r] = p;
    b->root[r] = p;
  }
}

/* up leads from every pixel to its node's pixel, and from that to the parent node's. False: cancelled. */
static bool
link_pixels(Build *b, const VtCancel *cancel)
{
  for (int32_t i = 0; i < b->n; i++) {
    if (vt_rg_cancelled_at(cancel, i))
      return false;
    const int32_t p = b->order[i], x = p % b->width;
    b->up[p] = b->root[p] = p;
    if (p >= b->width)
      join(b, p, p - b->width);
    if (x > 0)
      join(b, p, p - 1);
    if (x + 1 < b->width)
      join(b, p, p + 1);
    if (p + b->width < b->width * b->height)
      join(b, p, p + b->width);
  }
  for (int32_t i = b->n - 1; i >= 0; i--) {
    if (vt_rg_cancelled_at(cancel, i))
      return false;
    const int32_t p = b->order[i], q = b->up[p];
    if (b->level[b->up[q]] == b->level[q])
      b->up[p] = b->up[q];
  }
  return true;
}

static inline bool
is_node(const Build *b, int32_t p)
{
  return b->up[p] == p || b->level[b->up[p]] != b->level[p];
}

static void
grow(RgNode *node, const RgNode *by)
{
  node->area += by->area;
  node->first = by->first < node->first ? by->first : node->first;
  node->box.x0 = by->box.x0 < node->box.x0 ? by->box.x0 : node->box.x0;
  node->box.y0 = by->box.y0 < node->box.y0 ? by->box.y0 : node->box.y0;
  node->box.x1 = by->box.x1 > node->box.x1 ? by->box.x1 : node->box.x1;
  node->box.y1 = by->box.y1 > node->box.y1 ? by->box.y1 : node->box.y1;
}

/* The nodes with their own pixels, then those of their children. */
static bool
fill_nodes(RgTree *tree, const Build *b, const VtCancel *cancel)
{
  for (int32_t i = 0; i < b->n; i++) {
    const int32_t p = b->order[i];
    if (vt_rg_cancelled_at(cancel, i))
      return false;
    if (is_node(b, p)) {
      tree->node_of[p] = tree->n_nodes;
      tree->nodes[tree->n_nodes++] =
        (RgNode){ .parent = -1, .first = p, .level = b->level[p], .box = { INT32_MAX, INT32_MAX, -1, -1 } };
    }
  }
  for (int32_t y = tree->inner.y0, p = 0; y <= tree->inner.y1; y++)
    for (int32_t x = tree->inner.x0; x <= tree->inner.x1; x++, p++) {
      if (vt_rg_cancelled_at(cancel, p))
        return false;
      if (b->level[p] < RG_LOWEST_LEVEL)
        continue;
      if (!is_node(b, p))
        tree->node_of[p] = tree->node_of[b->up[p]];
      else if (b->up[p] != p)
        tree->nodes[tree->node_of[p]].parent = tree->node_of[b->up[p]];
      grow(&tree->nodes[tree->node_of[p]], &(RgNode){ .area = 1, .first = p, .box = { x, y, x, y } });
    }
  for (int32_t k = 0; k < tree->n_nodes; k++)
    if (tree->nodes[k].parent >= 0)
      grow(&tree->nodes[tree->nodes[k].parent], &tree->nodes[k]);
  return !vt_cancelled(cancel);
}

/* Pixels of a node in a row: its own, then its children's. cursor: scratch of n_nodes. */
static void
list_pixels(RgTree *tree, const Build *b, int32_t *cursor)
{
  int32_t next = 0;
  for (int32_t k = tree->n_nodes - 1; k >= 0; k--) {
    RgNode *node = &tree->nodes[k];
    int32_t *from = node->parent < 0 ? &next : &cursor[node->parent];
    node->start = *from;
    *from += node->area;
    cursor[k] = node->start;
  }
  for (int32_t p = 0; p < tree->n_pixels; p++)
    if (tree->node_of[p] >= 0)
      tree->list[cursor[tree->node_of[p]]++] = p;
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

static bool
build_init(Build *b, RgTree *tree, const RgPlanes *planes)
{
  const size_t n = (size_t)tree->n_pixels;
  *b = (Build){ .width = tree->inner.x1 - tree->inner.x0 + 1, .height = tree->inner.y1 - tree->inner.y0 + 1 };
  b->order = malloc(n * (3 * sizeof(int32_t) + 1));
  if (!b->order)
    return false;
  b->up = b->order + n;
  b->root = b->up + n;
  b->level = (uint8_t *)(b->root + n);
  for (size_t i = 0; i < n; i++)
    b->root[i] = -1;
  for (int32_t y = 0; y < b->height; y++) {
    const int16_t *row = planes->plane[RG_MAP] + (y + tree->inner.y0) * planes->width + tree->inner.x0;
    for (int32_t x = 0; x < b->width; x++)
      b->level[(size_t)y * (size_t)b->width + (size_t)x] = (uint8_t)(row[x] >> RG_LEVEL_SHIFT);
  }
  return true;
}

VitrailStatus
vt_rg_tree_init(RgTree *tree, const RgPlanes *planes, RgBox inner, uint32_t edges)
{
  *tree = (RgTree){ .inner = inner, .n_pixels = (int64_t)(inner.x1 - inner.x0 + 1) * (inner.y1 - inner.y0 + 1) };
  const size_t n = (size_t)tree->n_pixels;
  Build b;
  if (!build_init(&b, tree, planes))
    return VITRAIL_OUT_OF_MEMORY;
  if (!vt_cancelled(planes->cancel))
    sort_pixels(&b); /* else the order is of no use, and the next stops at once */
  int32_t n_nodes = 0;
  bool goes_on = link_pixels(&b, planes->cancel);
  for (int32_t i = 0; i < b.n && goes_on; i++) {
    goes_on = !vt_rg_cancelled_at(planes->cancel, i);
    n_nodes += is_node(&b, b.order[i]);
  }
  tree->nodes = malloc((size_t)n_nodes * sizeof *tree->nodes + 1);
  tree->node_of = malloc(2 * n * sizeof(int32_t));
  if (tree->nodes && tree->node_of) {
    tree->list = tree->node_of + n;
    memset(tree->node_of, 0xff, n * sizeof(int32_t));
    goes_on = goes_on && fill_nodes(tree, &b, planes->cancel);
    if (goes_on) {
      list_pixels(tree, &b, b.root);
      mark_cut(tree, edges);
    }
  }
  free(b.order);
  return !goes_on ? VITRAIL_CANCELLED : tree->nodes && tree->node_of ? VITRAIL_OK : VITRAIL_OUT_OF_MEMORY;
}

void
vt_rg_tree_clear(RgTree *tree)
{
  free(tree->nodes);
  free(tree->node_of);
  *tree = (RgTree){ 0 };
}
