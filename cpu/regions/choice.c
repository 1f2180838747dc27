/* SPDX-License-Identifier: MIT
 *
 * The best set of candidates that do not overlap: from the smallest up, a candidate is worth the most of its own value, the
 * sum of its children in the tree, and the sum of its parts. Of equals, the candidate itself, then the children. */
#include "regions.h"

#include <stdlib.h>

typedef struct Sums {
  int64_t children, parts;
  bool is_open; /* no candidate above it is chosen, nor another way of taking its parent apart */
} Sums;

int
vt_rg_compare_order(const void *one, const void *two)
{
  const RgOrder *a = one, *b = two;
  if (a->key != b->key)
    return a->key < b->key ? -1 : 1;
  return a->index > b->index ? -1 : a->index < b->index;
}

static inline int64_t
value_of(const RgCandidate *c, uint16_t cutoff)
{
  return c->score > cutoff ? c->score - cutoff : 0;
}

static inline int64_t
best_of(int64_t value, const Sums *sums)
{
  const int64_t below = sums->children >= sums->parts ? sums->children : sums->parts;
  return value >= below ? value : below;
}

VitrailStatus
vt_rg_choose(RgCandidates *all, uint16_t cutoff)
{
  const size_t n = (size_t)all->n;
  RgOrder *order = malloc(n * sizeof *order + 1);
  Sums *sums = calloc(n + 1, sizeof *sums);
  const VitrailStatus status = order && sums ? VITRAIL_OK : VITRAIL_OUT_OF_MEMORY;
  for (int32_t i = 0; status == VITRAIL_OK && i < all->n; i++)
    order[i] = (RgOrder){ i, all->at[i].area };
  if (status == VITRAIL_OK && n > 0)
    qsort(order, n, sizeof *order, vt_rg_compare_order);
  for (size_t i = 0; status == VITRAIL_OK && i < n; i++) {
    const RgCandidate *c = &all->at[order[i].index];
    const int64_t best = best_of(value_of(c, cutoff), &sums[order[i].index]);
    if (c->parent >= 0)
      *(c->part ? &sums[c->parent].parts : &sums[c->parent].children) += best;
  }
  for (size_t i = n; status == VITRAIL_OK && i-- > 0;) {
    RgCandidate *c = &all->at[order[i].index];
    Sums *s = &sums[order[i].index];
    const int64_t value = value_of(c, cutoff);
    if (c->parent < 0)
      s->is_open = true;
    else {
      const Sums *above = &sums[c->parent];
      s->is_open = above->is_open && !all->at[c->parent].chosen && c->part == (above->children < above->parts);
    }
    c->chosen = s->is_open && value > 0 && value >= best_of(0, s);
  }
  free(order);
  free(sums);
  return status;
}
