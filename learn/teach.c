/* SPDX-License-Identifier: MIT */
#include "learn/teach.h"

#include <stdlib.h>
#include <string.h>

static uint16_t
find_leaf(const VtForestNode *tree, const uint8_t *bins)
{
  uint16_t at = 0;
  while (tree[at].feature != VT_FOREST_LEAF)
    at = (uint16_t)(tree[at].value + (bins[tree[at].feature] > tree[at].bin));
  return at;
}

int32_t
vt_forest_answer(const VtForest *forest, const int32_t *values)
{
  uint8_t bins[VT_FOREST_MAX_FEATURES];
  vt_forest_bins(forest, values, bins);
  int32_t answer = forest->base + vt_forest_form(forest, bins);
  for (uint32_t t = 0; t < forest->n_trees; t++) {
    const VtForestNode *tree = forest->nodes + (size_t)t * forest->tree_nodes;
    answer += tree[find_leaf(tree, bins)].value - VT_FOREST_ZERO;
  }
  return answer;
}

typedef struct {
  VtForest *forest;
  size_t n;         /* examples and anchors */
  uint16_t *leaves; /* leaves[tree * n + example] */
  int64_t *rest;    /* of each example: the goal less the present answer, in 1/VT_TEACH_PARTS */
  int32_t *moved;   /* of each node, too */
  int64_t *sums;    /* of each node of one tree */
  uint32_t *counts, *priors;
} Teaching;

static bool
copy_forest(const VtForest *from, VtForest *to)
{
  const size_t n_limits = (size_t)from->n_features * (VT_FOREST_BINS - 1);
  const size_t n_nodes = (size_t)from->n_trees * from->tree_nodes, n_form = vt_forest_form_size(from->n_features);
  *to = (VtForest){
    .n_features = from->n_features, .n_trees = from->n_trees, .tree_nodes = from->tree_nodes, .base = from->base
  };
  to->limits = malloc(n_limits * sizeof *to->limits);
  to->nodes = malloc(n_nodes * sizeof *to->nodes);
  to->form = from->form ? malloc(n_form * sizeof *to->form) : NULL;
  if (!to->limits || !to->nodes || (from->form && !to->form))
    return false;
  if (from->form)
    memcpy(to->form, from->form, n_form * sizeof *to->form);
  memcpy(to->limits, from->limits, n_limits * sizeof *to->limits);
  memcpy(to->nodes, from->nodes, n_nodes * sizeof *to->nodes);
  return true;
}

static void
find_leaves(Teaching *t, const VtTeachExamples *examples)
{
  const VtForest *forest = t->forest;
  uint8_t bins[VT_FOREST_MAX_FEATURES];
  for (size_t i = 0; i < t->n; i++) {
    const bool is_anchor = i >= examples->n;
    const int32_t *values = is_anchor ? examples->anchors + (i - examples->n) * forest->n_features
                                      : examples->values + i * forest->n_features;
    vt_forest_bins(forest, values, bins);
    int32_t answer = forest->base + vt_forest_form(forest, bins);
    for (uint32_t k = 0; k < forest->n_trees; k++) {
      const VtForestNode *tree = forest->nodes + (size_t)k * forest->tree_nodes;
      const uint16_t leaf = t->leaves[k * t->n + i] = find_leaf(tree, bins);
      answer += tree[leaf].value - VT_FOREST_ZERO;
    }
    t->rest[i] = is_anchor ? 0 : VT_TEACH_PARTS * ((int64_t)examples->goals[i] - answer);
  }
}

static uint32_t
scale_prior(const VtForest *forest, uint64_t prior)
{
  const uint64_t scaled = prior * forest->n_trees / VT_TEACH_TREES;
  return scaled > UINT32_MAX ? UINT32_MAX : scaled > 1 ? (uint32_t)scaled : 1;
}

/* A question comes before what it leads to. */
static void
set_priors(Teaching *t, const VtForestNode *nodes)
{
  const uint32_t least = scale_prior(t->forest, VT_TEACH_LEAST);
  t->priors[0] = scale_prior(t->forest, VT_TEACH_PRIOR);
  for (uint32_t k = 0; k < t->forest->tree_nodes; k++)
    if (nodes[k].feature != VT_FOREST_LEAF)
      t->priors[nodes[k].value] = t->priors[nodes[k].value + 1] = t->priors[k] / 2 > least ? t->priors[k] / 2 : least;
}

static void
move_leaves(Teaching *t, uint32_t tree)
{
  const uint32_t n_nodes = t->forest->tree_nodes;
  const uint16_t *leaves = t->leaves + tree * t->n;
  const VtForestNode *nodes = t->forest->nodes + (size_t)tree * n_nodes;
  int32_t *moved = t->moved + (size_t)tree * n_nodes;
  memset(t->sums, 0, n_nodes * sizeof *t->sums);
  memset(t->counts, 0, n_nodes * sizeof *t->counts);
  set_priors(t, nodes);
  for (size_t i = 0; i < t->n; i++) {
    t->sums[leaves[i]] += t->rest[i];
    t->counts[leaves[i]]++;
  }
  for (uint32_t k = 0; k < n_nodes; k++) {
    const int64_t prior = t->priors[k], least = -(int64_t)VT_TEACH_PARTS * nodes[k].value,
                  most = least + (int64_t)VT_TEACH_PARTS * 65535;
    const int64_t step = t->counts[k] > 0 ? (t->sums[k] - prior * moved[k]) / (t->counts[k] + prior) : 0;
    const int64_t now = moved[k] + step, within = now < least ? least : now > most ? most : now;
    t->sums[k] = within - moved[k];
    moved[k] = (int32_t)within;
  }
  for (size_t i = 0; i < t->n; i++)
    t->rest[i] -= t->sums[leaves[i]];
}

/* Questions have no move. */
static void
set_answers(Teaching *t)
{
  const size_t n_nodes = (size_t)t->forest->n_trees * t->forest->tree_nodes;
  for (size_t k = 0; k < n_nodes; k++) {
    const int64_t parts = (int64_t)VT_TEACH_PARTS * t->forest->nodes[k].value + t->moved[k];
    t->forest->nodes[k].value = (uint16_t)((parts + VT_TEACH_PARTS / 2) / VT_TEACH_PARTS);
  }
}

bool
vt_forest_teach(const VtForest *from, const VtTeachExamples *examples, VtForest *taught)
{
  const size_t n = examples->n + examples->n_anchors;
  *taught = (VtForest){ 0 };
  if (examples->n == 0 || examples->n > VT_TEACH_EXAMPLES || examples->n_anchors > VT_TEACH_EXAMPLES)
    return false;
  Teaching t = { .forest = taught, .n = n };
  t.leaves = malloc(n * from->n_trees * sizeof *t.leaves);
  t.rest = malloc(n * sizeof *t.rest);
  t.moved = calloc((size_t)from->n_trees * from->tree_nodes, sizeof *t.moved);
  t.sums = malloc(from->tree_nodes * sizeof *t.sums);
  t.counts = malloc(from->tree_nodes * sizeof *t.counts);
  t.priors = calloc(from->tree_nodes, sizeof *t.priors);
  bool is_ok = t.leaves && t.rest && t.moved && t.sums && t.counts && t.priors && copy_forest(from, taught);
  if (is_ok) {
    find_leaves(&t, examples);
    for (int pass = 0; pass < VT_TEACH_PASSES; pass++)
      for (uint32_t k = 0; k < taught->n_trees; k++)
        move_leaves(&t, k);
    set_answers(&t);
    is_ok = vt_forest_ready(taught);
  }
  free(t.leaves);
  free(t.rest);
  free(t.moved);
  free(t.sums);
  free(t.counts);
  free(t.priors);
  if (!is_ok)
    vt_forest_clear(taught);
  return is_ok;
}
