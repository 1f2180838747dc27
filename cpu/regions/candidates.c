/* SPDX-License-Identifier: MIT
 *
 * The candidates: nodes of the tree whose box and area are within the limits, thinned along every path from the root, with
 * holes filled, and the parts that each splits into. */
#include "mask.h"

#include <stdlib.h>
#include <string.h>

/* index[k]: of the candidate of node k, or of its nearest kept ancestor; -1 where there is none. */
static bool
is_kept(const RgTree *tree, const int32_t *kept_area, int32_t k, int32_t largest)
{
  const RgNode *node = &tree->nodes[k];
  const int32_t w = node->box.x1 - node->box.x0 + 1, h = node->box.y1 - node->box.y0 + 1;
  if (node->cut || w > largest || h > largest || node->area < RG_MIN_AREA)
    return false;
  const int32_t above = node->parent < 0 ? 0 : kept_area[node->parent];
  return above == 0 || (int64_t)node->area * 100 <= (int64_t)above * RG_STEP;
}

static void
draw_node(RgMask *mask, const RgTree *tree, const RgNode *node)
{
  vt_rg_mask_empty(mask, node->box);
  for (int32_t i = node->start; i < node->start + node->area; i++) {
    const int32_t p = tree->list[i], y = vt_rg_quotient(&tree->widths, p);
    vt_rg_mask_put(mask, p - y * tree->widths.by + tree->inner.x0, y + tree->inner.y0);
  }
}

static bool
meets_any(const RgBox *box, const RgBox *others, int32_t n)
{
  for (int32_t i = 0; i < n; i++)
    if (box->x0 <= others[i].x1 && box->x1 >= others[i].x0 && box->y0 <= others[i].y1 && box->y1 >= others[i].y0)
      return true;
  return false;
}

enum { NONE = -1, FAR = -2 /* in no region that could change the tile */ };

typedef struct Finding {
  RgCandidates *all;
  const RgTree *tree;
  RgMask *mask;
  int32_t *candidate_of; /* of a node: its own or its nearest kept ancestor's; NONE, or FAR */
  int32_t *kept_area;
  RgOrder *holed; /* candidates with holes */
  int32_t n_holed;
} Finding;

static VitrailStatus
add_node(Finding *f, int32_t k)
{
  const RgNode *node = &f->tree->nodes[k];
  draw_node(f->mask, f->tree, node);
  const bool has_holes = vt_rg_mask_euler(f->mask) < 1;
  const int32_t area = has_holes ? vt_rg_mask_fill(f->mask) : node->area;
  if (vt_rg_mask_open(f->mask) < RG_MIN_AREA)
    return VITRAIL_OK;
  const RgCandidate like = { .parent = f->candidate_of[k], .node = k, .area = area, .level = node->level };
  const int32_t at = vt_rg_candidates_add(f->all, f->mask, &like);
  if (at < 0)
    return VITRAIL_OUT_OF_MEMORY;
  if (has_holes)
    f->holed[f->n_holed++] = (RgOrder){ at, area };
  f->candidate_of[k] = at;
  f->kept_area[k] = node->area;
  return VITRAIL_OK;
}

/* Of nodes in the tree from the root up, those that are FAR already; all but those that are outside every one of the boxes. */
static VitrailStatus
add_nodes(Finding *f, int32_t largest, const RgBox *boxes, int32_t n_boxes)
{
  for (int32_t k = f->tree->n_nodes - 1; k >= 0; k--) {
    const RgNode *node = &f->tree->nodes[k];
    if (f->candidate_of[k] != FAR)
      continue;
    f->candidate_of[k] = node->parent < 0 ? NONE : f->candidate_of[node->parent];
    f->kept_area[k] = node->parent < 0 ? 0 : f->kept_area[node->parent];
    if (f->candidate_of[k] == FAR || !is_kept(f->tree, f->kept_area, k, largest))
      continue;
    if (vt_cancelled(f->all->cancel))
      return VITRAIL_CANCELLED;
    if (f->candidate_of[k] == NONE && !meets_any(&node->box, boxes, n_boxes))
      f->candidate_of[k] = FAR;
    else if (add_node(f, k) != VITRAIL_OK)
      return VITRAIL_OUT_OF_MEMORY;
  }
  return VITRAIL_OK;
}

/* What no candidate at the tile holds has no say there, but for what lies in a hole of one. */
static VitrailStatus
add_trees(Finding *f, int32_t largest, RgBox tile)
{
  for (int32_t k = 0; k < f->tree->n_nodes; k++)
    f->candidate_of[k] = FAR;
  const VitrailStatus status = add_nodes(f, largest, &tile, 1);
  RgBox *boxes = status == VITRAIL_OK ? malloc((size_t)f->n_holed * sizeof *boxes + 1) : NULL;
  const int32_t n = f->n_holed;
  if (!boxes)
    return status == VITRAIL_OK ? VITRAIL_OUT_OF_MEMORY : status;
  for (int32_t i = 0; i < n; i++)
    boxes[i] = f->tree->nodes[f->all->at[f->holed[i].index].node].box;
  const VitrailStatus rest = n > 0 ? add_nodes(f, largest, boxes, n) : VITRAIL_OK;
  free(boxes);
  return rest;
}

/* As vt_rg_compare_order has it. */
static inline bool
is_below(const RgCandidate *at, int32_t a, int32_t b)
{
  return at[a].area < at[b].area || (at[a].area == at[b].area && a > b);
}

/* The largest candidate around the pixel that is below n. */
static inline void
adopt_at(Finding *f, int32_t n, int32_t x, int32_t y)
{
  RgCandidate *at = f->all->at;
  const int32_t node = vt_rg_node_at(f->tree, x, y);
  int32_t c = node < 0 ? -1 : f->candidate_of[node];
  if (c < 0 || !is_below(at, c, n))
    return;
  while (at[c].parent >= 0 && at[c].parent != n && is_below(at, at[c].parent, n))
    c = at[c].parent;
  at[c].parent = n;
}

/* The largest candidates in the holes of candidate n become its children, unless a smaller one has adopted them. */
static void
adopt(Finding *f, int32_t n)
{
  RgMask *m = f->mask;
  draw_node(m, f->tree, &f->tree->nodes[f->all->at[n].node]);
  const size_t words = (size_t)(m->words * m->height);
  memcpy(m->spare, m->rows, words * sizeof *m->rows);
  vt_rg_mask_fill(m);
  for (size_t i = 0; i < words; i++)
    m->spare[i] ^= m->rows[i];
  for (int32_t y = RG_PAD; y + RG_PAD < m->height; y++)
    for (int32_t from = 0, to; vt_rg_next_run(m->spare + (ptrdiff_t)y * m->words, m->words, &from, &to); from = to)
      for (int32_t x = from; x < to; x++)
        adopt_at(f, n, m->box.x0 - RG_PAD + x, m->box.y0 - RG_PAD + y);
}

static VitrailStatus
adopt_all(Finding *f)
{
  qsort(f->holed, (size_t)f->n_holed, sizeof *f->holed, vt_rg_compare_order);
  for (int32_t i = 0; i < f->n_holed; i++) {
    if (vt_cancelled(f->all->cancel))
      return VITRAIL_CANCELLED;
    adopt(f, f->holed[i].index);
  }
  return VITRAIL_OK;
}

static VitrailStatus
split_all(RgCandidates *all, RgMask *mask, int32_t largest)
{
  RgMask part;
  VitrailStatus status = vt_rg_mask_init(&part, largest);
  void *scratch = malloc(vt_rg_split_scratch(largest));
  if (!scratch)
    status = VITRAIL_OUT_OF_MEMORY;
  for (int32_t i = 0, n = all->n; i < n && status == VITRAIL_OK; i++) {
    if (all->at[i].area < RG_MIN_SPLIT)
      continue;
    if (vt_cancelled(all->cancel)) {
      status = VITRAIL_CANCELLED;
      break;
    }
    vt_rg_mask_load(mask, all, &all->at[i]);
    status = vt_rg_split(all, i, mask, &part, scratch);
  }
  free(scratch);
  vt_rg_mask_clear(&part);
  return status;
}

VitrailStatus
vt_rg_candidates_find(RgCandidates *all, const RgTree *tree, RgMask *mask, int32_t largest, RgBox tile)
{
  const size_t n = (size_t)tree->n_nodes + 1;
  int32_t *scratch = malloc(n * (2 * sizeof *scratch + sizeof(RgOrder)));
  if (!scratch)
    return VITRAIL_OUT_OF_MEMORY;
  Finding f = { all, tree, mask, scratch, scratch + n, (RgOrder *)(scratch + 2 * n), 0 };
  VitrailStatus status = add_trees(&f, largest, tile);
  if (status == VITRAIL_OK)
    status = adopt_all(&f);
  if (status == VITRAIL_OK)
    status = split_all(all, mask, largest);
  free(scratch);
  return status;
}
