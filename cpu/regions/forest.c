/* SPDX-License-Identifier: MIT */
#include "forest.h"

#include <stdlib.h>
#include <string.h>

static uint8_t
bin_of(const int32_t *limits, int32_t value)
{
  int32_t from = 0, to = VT_FOREST_BINS - 1;
  while (from < to) {
    const int32_t middle = (from + to) / 2;
    if (limits[middle] < value)
      from = middle + 1;
    else
      to = middle;
  }
  return (uint8_t)from;
}

uint16_t
vt_forest_predict(const VtForest *forest, const int32_t *values)
{
  uint8_t bins[VT_FOREST_MAX_FEATURES];
  for (uint32_t k = 0; k < forest->n_features; k++)
    bins[k] = bin_of(forest->limits + (size_t)k * (VT_FOREST_BINS - 1), values[k]);
  uint64_t sum = 0;
  for (uint32_t t = 0; t < forest->n_trees; t++) {
    const VtForestNode *tree = forest->nodes + (size_t)t * forest->tree_nodes, *node = tree;
    while (node->feature != VT_FOREST_LEAF)
      node = tree + node->value + (bins[node->feature] > node->bin);
    sum += node->value;
  }
  return forest->n_trees ? (uint16_t)(sum / forest->n_trees) : 0;
}

void
vt_forest_clear(VtForest *forest)
{
  free(forest->limits);
  free(forest->nodes);
  *forest = (VtForest){ 0 };
}

typedef struct Training {
  VtForest *forest;
  VtForestSettings settings;
  const int32_t *values;
  const uint16_t *targets;
  size_t n;
  uint32_t *sorted; /* examples by values, then target */
  uint8_t *bins;    /* bins[feature * n + rank in sorted] */
  uint16_t *goal;   /* target of a rank */
  bool *failed;     /* of each tree */
} Training;

/* A mixer of 64 bits (splitmix64 of Steele, Lea and Flood 2014). */
static uint64_t
mix(uint64_t v)
{
  v += 0x9e3779b97f4a7c15U;
  v = (v ^ v >> 30) * 0xbf58476d1ce4e5b9U;
  v = (v ^ v >> 27) * 0x94d049bb133111ebU;
  return v ^ v >> 31;
}

static int
compare_examples(const Training *t, uint32_t a, uint32_t b)
{
  const uint32_t nf = t->forest->n_features;
  for (uint32_t k = 0; k < nf; k++) {
    const int32_t u = t->values[(size_t)a * nf + k], v = t->values[(size_t)b * nf + k];
    if (u != v)
      return u < v ? -1 : 1;
  }
  return (t->targets[a] > t->targets[b]) - (t->targets[a] < t->targets[b]);
}

/* Merge sort: qsort has no room for the examples. */
static void
sort_examples(const Training *t, uint32_t *at, uint32_t *spare, size_t n)
{
  if (n < 2)
    return;
  const size_t half = n / 2;
  sort_examples(t, at, spare, half);
  sort_examples(t, at + half, spare, n - half);
  memcpy(spare, at, n * sizeof *at);
  for (size_t i = 0, j = half, k = 0; k < n; k++)
    at[k] = j == n || (i < half && compare_examples(t, spare[i], spare[j]) <= 0) ? spare[i++] : spare[j++];
}

static int
compare_int(const void *a, const void *b)
{
  const int32_t u = *(const int32_t *)a, v = *(const int32_t *)b;
  return (u > v) - (u < v);
}

/* The limits of feature k cut its values into parts of equal size. */
static void
set_bins(Training *t, uint32_t k, int32_t *column)
{
  const uint32_t nf = t->forest->n_features;
  int32_t *limits = t->forest->limits + (size_t)k * (VT_FOREST_BINS - 1);
  for (size_t i = 0; i < t->n; i++)
    column[i] = t->values[i * nf + k];
  qsort(column, t->n, sizeof *column, compare_int);
  for (size_t i = 0; i < VT_FOREST_BINS - 1; i++)
    limits[i] = column[(i + 1) * t->n / VT_FOREST_BINS];
  for (size_t i = 0; i < t->n; i++)
    t->bins[(size_t)k * t->n + i] = bin_of(limits, t->values[(size_t)t->sorted[i] * nf + k]);
}

enum { GOAL_SHIFT = 4, MOST_EXAMPLES = 1 << 20 /* 12 bits of a target: squares of sums fit 64 bits */ };

/* A leaf that may be split: its examples are items[from..to). */
typedef struct Leaf {
  uint32_t node, from, to;
  uint64_t gain;
  uint8_t feature, bin;
} Leaf;

typedef struct Growing {
  const Training *t;
  uint32_t tree;
  VtForestNode *nodes;
  uint32_t *items, *spare; /* ranks; an example drawn twice is there twice */
  uint32_t n_nodes, n_leaves;
  Leaf *leaves;
} Growing;

static void
best_bin(Growing *g, Leaf *leaf, uint8_t feature, uint64_t base)
{
  uint32_t count[VT_FOREST_BINS] = { 0 };
  uint64_t sum[VT_FOREST_BINS] = { 0 }, all = 0, left = 0;
  const uint8_t *bins = g->t->bins + (size_t)feature * g->t->n;
  for (uint32_t i = leaf->from; i < leaf->to; i++) {
    const uint32_t rank = g->items[i];
    count[bins[rank]]++;
    sum[bins[rank]] += g->t->goal[rank] >> GOAL_SHIFT;
  }
  for (int k = 0; k < VT_FOREST_BINS; k++)
    all += sum[k];
  const uint32_t n = leaf->to - leaf->from, least = g->t->settings.min_leaf;
  uint32_t n_left = 0;
  for (int k = 0; k < VT_FOREST_BINS - 1; k++) {
    n_left += count[k];
    left += sum[k];
    if (count[k] == 0 || n_left < least || n - n_left < least)
      continue;
    const uint64_t gain = left * left / n_left + (all - left) * (all - left) / (n - n_left);
    if (gain > base + leaf->gain) {
      leaf->gain = gain - base;
      leaf->feature = feature;
      leaf->bin = (uint8_t)k;
    }
  }
}

/* The best question among a third of the features, drawn for this node of this tree. */
static void
find_question(Growing *g, Leaf *leaf)
{
  const uint32_t nf = g->t->forest->n_features, tries = (nf + 2) / 3;
  uint64_t sum = 0, draw = mix(((uint64_t)g->t->settings.seed << 40) ^ ((uint64_t)g->tree << 20) ^ leaf->node);
  uint8_t all[VT_FOREST_MAX_FEATURES];
  leaf->gain = 0;
  if (leaf->to - leaf->from < 2 * g->t->settings.min_leaf)
    return;
  for (uint32_t i = leaf->from; i < leaf->to; i++)
    sum += g->t->goal[g->items[i]] >> GOAL_SHIFT;
  for (uint32_t k = 0; k < nf; k++)
    all[k] = (uint8_t)k;
  for (uint32_t k = 0; k < tries; k++) {
    draw = mix(draw);
    const uint32_t other = k + (uint32_t)(draw % (nf - k));
    const uint8_t feature = all[other];
    all[other] = all[k];
    best_bin(g, leaf, feature, sum * sum / (leaf->to - leaf->from));
  }
}

static void
set_leaf(Growing *g, uint32_t slot, uint32_t node, uint32_t from, uint32_t to)
{
  uint64_t sum = 0;
  for (uint32_t i = from; i < to; i++)
    sum += g->t->goal[g->items[i]];
  g->nodes[node] = (VtForestNode){ VT_FOREST_LEAF, 0, (uint16_t)(to > from ? sum / (to - from) : 0) };
  g->leaves[slot] = (Leaf){ .node = node, .from = from, .to = to };
  find_question(g, &g->leaves[slot]);
}

static void
split_leaf(Growing *g, uint32_t slot)
{
  const Leaf leaf = g->leaves[slot];
  const uint8_t *bins = g->t->bins + (size_t)leaf.feature * g->t->n;
  uint32_t left = leaf.from, n_right = 0;
  for (uint32_t i = leaf.from; i < leaf.to; i++)
    if (bins[g->items[i]] > leaf.bin)
      g->spare[n_right++] = g->items[i];
    else
      g->items[left++] = g->items[i];
  memcpy(g->items + left, g->spare, n_right * sizeof *g->spare);
  const uint32_t below = g->n_nodes;
  g->n_nodes += 2;
  set_leaf(g, slot, below, leaf.from, left);
  set_leaf(g, g->n_leaves++, below + 1, left, leaf.to);
  g->nodes[leaf.node] = (VtForestNode){ leaf.feature, leaf.bin, (uint16_t)below };
}

/* Draws the examples with replacement: how often each comes is Poisson's, of mean 1. */
static uint32_t
draw_examples(const Training *t, uint32_t tree, uint32_t *items)
{
  static const uint32_t limits[4] = { 24109, 48219, 60273, 64291 }; /* of 65536 */
  uint32_t n = 0;
  for (uint32_t i = 0; i < t->n; i++) {
    const uint32_t draw = mix(mix(((uint64_t)t->settings.seed << 32) + tree) + i) & 65535;
    for (int k = 0; k < 4 && draw >= limits[k]; k++)
      items[n++] = i;
  }
  return n;
}

static void
grow_tree(void *user, uint32_t index)
{
  const Training *t = user;
  Growing g = {
    .t = t, .tree = index, .nodes = t->forest->nodes + (size_t)index * t->forest->tree_nodes, .n_nodes = 1
  };
  g.items = malloc(t->n * 8 * sizeof *g.items);
  g.leaves = malloc(t->settings.max_leaves * sizeof *g.leaves);
  t->failed[index] = !g.items || !g.leaves;
  if (!t->failed[index]) {
    g.spare = g.items + t->n * 4;
    set_leaf(&g, g.n_leaves++, 0, 0, draw_examples(t, index, g.items));
    while (g.n_leaves < t->settings.max_leaves) {
      uint32_t best = 0;
      for (uint32_t i = 1; i < g.n_leaves; i++)
        if (g.leaves[i].gain > g.leaves[best].gain)
          best = i;
      if (g.leaves[best].gain == 0)
        break;
      split_leaf(&g, best);
    }
  }
  free(g.leaves);
  free(g.items);
}

static bool
prepare(Training *t)
{
  VtForest *forest = t->forest;
  t->failed = calloc(forest->n_trees, sizeof *t->failed);
  t->sorted = malloc(2 * t->n * sizeof *t->sorted);
  t->bins = malloc(t->n * forest->n_features);
  t->goal = malloc(t->n * sizeof *t->goal);
  forest->limits = malloc((size_t)forest->n_features * (VT_FOREST_BINS - 1) * sizeof *forest->limits);
  forest->nodes = calloc((size_t)forest->n_trees * forest->tree_nodes, sizeof *forest->nodes);
  if (!t->failed || !t->sorted || !t->bins || !t->goal || !forest->limits || !forest->nodes)
    return false;
  for (uint32_t i = 0; i < t->n; i++)
    t->sorted[i] = i;
  sort_examples(t, t->sorted, t->sorted + t->n, t->n);
  for (size_t i = 0; i < t->n; i++)
    t->goal[i] = t->targets[t->sorted[i]];
  for (uint32_t k = 0; k < forest->n_features; k++)
    set_bins(t, k, (int32_t *)(t->sorted + t->n));
  return true;
}

bool
vt_forest_train(VtForest *forest, const int32_t *values, const uint16_t *targets, size_t n, uint32_t n_features,
                const VtForestSettings *settings, VtForestRun run, void *user)
{
  *forest =
    (VtForest){ .n_features = n_features, .n_trees = settings->n_trees, .tree_nodes = 2 * settings->max_leaves - 1 };
  if (n == 0 || n > MOST_EXAMPLES || n_features == 0 || n_features > VT_FOREST_MAX_FEATURES || settings->n_trees == 0
      || settings->max_leaves == 0 || settings->max_leaves > 32768 || settings->min_leaf == 0)
    return false;
  Training t = { .forest = forest, .settings = *settings, .values = values, .targets = targets, .n = n };
  bool is_ok = prepare(&t);
  if (is_ok) {
    if (run)
      run(user, settings->n_trees, grow_tree, &t);
    else
      for (uint32_t i = 0; i < settings->n_trees; i++)
        grow_tree(&t, i);
    for (uint32_t i = 0; i < settings->n_trees; i++)
      is_ok = is_ok && !t.failed[i];
  }
  free(t.failed);
  free(t.sorted);
  free(t.bins);
  free(t.goal);
  if (!is_ok)
    vt_forest_clear(forest);
  return is_ok;
}
