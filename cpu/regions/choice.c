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

/* barred: those that can't be chosen; NULL: none. */
typedef struct Choice {
  RgCandidates *all;
  uint16_t cutoff;
  const bool *barred;
  RgOrder *order;
  Sums *sums;
} Choice;

static inline int64_t
value_of(const Choice *choice, int32_t index)
{
  const uint16_t score = choice->all->at[index].score;
  return score > choice->cutoff && !(choice->barred && choice->barred[index]) ? score - choice->cutoff : 0;
}

static inline int64_t
best_of(int64_t value, const Sums *sums)
{
  const int64_t below = sums->children >= sums->parts ? sums->children : sums->parts;
  return value >= below ? value : below;
}

static void
sum_up(const Choice *choice)
{
  for (int32_t i = 0; i < choice->all->n; i++) {
    const int32_t index = choice->order[i].index;
    const RgCandidate *c = &choice->all->at[index];
    const int64_t best = best_of(value_of(choice, index), &choice->sums[index]);
    if (c->parent >= 0)
      *(c->part ? &choice->sums[c->parent].parts : &choice->sums[c->parent].children) += best;
  }
}

static void
choose_from_above(const Choice *choice)
{
  RgCandidate *at = choice->all->at;
  for (int32_t i = choice->all->n; i-- > 0;) {
    const int32_t index = choice->order[i].index;
    RgCandidate *c = &at[index];
    Sums *s = &choice->sums[index];
    const int64_t value = value_of(choice, index);
    if (c->parent < 0)
      s->is_open = true;
    else {
      const Sums *above = &choice->sums[c->parent];
      s->is_open = above->is_open && !at[c->parent].chosen && c->part == (above->children < above->parts);
    }
    c->chosen = s->is_open && value > 0 && value >= best_of(0, s);
  }
}

static VitrailStatus
choose(Choice *choice)
{
  const RgCandidates *all = choice->all;
  const size_t n = (size_t)all->n;
  choice->order = malloc(n * sizeof *choice->order + 1);
  choice->sums = calloc(n + 1, sizeof *choice->sums);
  if (!choice->order || !choice->sums)
    return VITRAIL_OUT_OF_MEMORY;
  for (int32_t i = 0; i < all->n; i++)
    choice->order[i] = (RgOrder){ i, all->at[i].area };
  if (n > 0)
    qsort(choice->order, n, sizeof *choice->order, vt_rg_compare_order);
  sum_up(choice);
  choose_from_above(choice);
  return VITRAIL_OK;
}

static void
choice_clear(Choice *choice)
{
  free(choice->order);
  free(choice->sums);
}

VitrailStatus
vt_rg_choose(RgCandidates *all, uint16_t cutoff)
{
  Choice choice = { .all = all, .cutoff = cutoff };
  const VitrailStatus status = choose(&choice);
  choice_clear(&choice);
  return status;
}

/* --- the next best --- */

enum { HAS_CHILD = 1, HAS_PART = 2, IS_TAKEN = 4 };

/* Bars what overlaps a chosen candidate: what holds it, what lies in it, and the other way of taking apart what holds it. */
static void
bar(const Choice *choice, uint8_t *state, bool *barred)
{
  const RgCandidate *at = choice->all->at;
  for (int32_t i = 0; i < choice->all->n; i++) {
    const int32_t index = choice->order[i].index;
    const RgCandidate *c = &at[index];
    if (c->parent >= 0 && (c->chosen || state[index]))
      state[c->parent] |= c->part ? HAS_PART : HAS_CHILD;
  }
  for (int32_t i = choice->all->n; i-- > 0;) {
    const int32_t index = choice->order[i].index;
    const RgCandidate *c = &at[index];
    if (c->parent >= 0 && (at[c->parent].chosen || state[c->parent] & (IS_TAKEN | (c->part ? HAS_CHILD : HAS_PART))))
      state[index] |= IS_TAKEN;
    barred[index] = c->chosen || state[index] != 0;
  }
}

/* How much more a chosen candidate is worth than what it keeps out. */
static void
set_margins(const Choice *choice)
{
  for (int32_t i = 0; i < choice->all->n; i++)
    choice->all->at[i].margin =
      choice->all->at[i].chosen ? (int32_t)(value_of(choice, i) - best_of(0, &choice->sums[i])) : 0;
}

VitrailStatus
vt_rg_choose_next(RgCandidates *all, uint16_t cutoff, uint16_t lower, bool *chosen)
{
  const size_t n = (size_t)all->n;
  bool *barred = calloc(n + 1, sizeof *barred);
  uint8_t *state = calloc(n + 1, sizeof *state);
  Choice first = { .all = all, .cutoff = cutoff }, second = { .all = all, .cutoff = lower, .barred = barred };
  VitrailStatus status = barred && state ? choose(&first) : VITRAIL_OUT_OF_MEMORY;
  if (status == VITRAIL_OK) {
    set_margins(&first);
    for (size_t i = 0; i < n; i++)
      chosen[i] = all->at[i].chosen;
    bar(&first, state, barred);
    status = choose(&second);
  }
  for (size_t i = 0; status == VITRAIL_OK && i < n; i++)
    if (all->at[i].chosen)
      all->at[i].margin = cutoff - all->at[i].score;
  choice_clear(&first);
  choice_clear(&second);
  free(barred);
  free(state);
  return status;
}
