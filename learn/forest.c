/* SPDX-License-Identifier: MIT */
#define VECTOR_BYTES 16
#define PREDICT vt_forest_predict
#include "forest-lanes-impl.h"
#include "learn/order.h"

#include <stdlib.h>
#include <string.h>

/* Nodes that no question leads to are left over where a tree has few leaves. Questions come before what they lead to. */
static uint32_t
order_steps(const VtForestNode *tree, uint32_t n, VtForestStep *steps)
{
  bool is_met[2 * VT_FOREST_MOST_LEAVES] = { true };
  uint32_t n_questions = 0, n_leaves = 0;
  for (uint32_t i = 0; i < n; i++)
    if (is_met[i] && tree[i].feature != VT_FOREST_LEAF) {
      is_met[tree[i].value] = is_met[tree[i].value + 1] = true;
      steps[n_questions++] = (VtForestStep){ (uint16_t)i, tree[i].value, tree[i].feature, (int8_t)(tree[i].bin - 128) };
    }
  for (uint32_t i = 0; i < n; i++)
    if (is_met[i] && tree[i].feature == VT_FOREST_LEAF)
      steps[n_questions + n_leaves++] = (VtForestStep){ .at = (uint16_t)i, .value = tree[i].value };
  return n_questions;
}

/* How many of the 255 limits are below the value: halving without a branch. */
static uint8_t
bin_of(const int32_t *limits, int32_t value)
{
  uint32_t n = 0;
  for (uint32_t step = VT_FOREST_BINS / 2; step; step /= 2)
    n += limits[n + step - 1] < value ? step : 0;
  return (uint8_t)n;
}

void
vt_forest_bins(const VtForest *forest, const int32_t *values, uint8_t bins[VT_FOREST_MAX_FEATURES])
{
  for (uint32_t k = 0; k < forest->n_features; k++)
    bins[k] = bin_of(forest->limits + (size_t)k * (VT_FOREST_BINS - 1), values[k]);
}

/* Its greatest answers and those of its parts fit 32 bits. */
static bool
is_form_ok(const int32_t *form, uint32_t n)
{
  const int32_t *square = form + 1 + n;
  int64_t most = 8;
  if (form[0] < -65535 || form[0] > 65535)
    return false;
  for (uint32_t i = 0; i < n; i++) {
    int64_t inner = 128 + llabs(form[1 + i]);
    for (uint32_t j = 0; j <= i; j++, square++) {
      if (*square < INT16_MIN || *square > INT16_MAX)
        return false;
      inner += 128 * llabs(*square);
    }
    most += 128 * (inner / 256 + 1);
    if (inner > INT32_MAX || most > INT32_MAX)
      return false;
  }
  return true;
}

int32_t
vt_forest_form(const VtForest *forest, const uint8_t bins[VT_FOREST_MAX_FEATURES])
{
  if (!forest->form)
    return 0;
  const int32_t *slope = forest->form + 1, *square = slope + forest->n_features;
  int32_t sum = 8;
  for (uint32_t i = 0; i < forest->n_features; i++) {
    int32_t inner = slope[i] + 128;
    for (uint32_t j = 0; j <= i; j++)
      inner += *square++ * (bins[j] - 128);
    sum += (bins[i] - 128) * (inner >> 8);
  }
  sum = forest->form[0] + (sum >> 4);
  return sum < 0 ? 0 : sum > VT_FOREST_FORM_MOST ? VT_FOREST_FORM_MOST : sum;
}

bool
vt_forest_ready(VtForest *forest)
{
  if (forest->form && !is_form_ok(forest->form, forest->n_features))
    return false;
  const size_t n = (size_t)forest->n_trees * forest->tree_nodes;
  forest->steps = malloc(n * sizeof *forest->steps);
  forest->n_questions = malloc(forest->n_trees * sizeof *forest->n_questions);
  if (!forest->steps || !forest->n_questions || forest->tree_nodes >= 2 * VT_FOREST_MOST_LEAVES)
    return false;
  for (uint32_t t = 0; t < forest->n_trees; t++) {
    const size_t at = (size_t)t * forest->tree_nodes;
    forest->n_questions[t] = order_steps(forest->nodes + at, forest->tree_nodes, forest->steps + at);
  }
  return true;
}

void
vt_forest_clear(VtForest *forest)
{
  free(forest->limits);
  free(forest->nodes);
  free(forest->form);
  free(forest->steps);
  free(forest->n_questions);
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
  int32_t *answer;  /* of the trees so far */
  uint32_t *rest;   /* goal less answer and what the settings add, + REST_ZERO: what the next tree learns */
  int32_t *asked;   /* room for the answers of the examples and for what is added to them; NULL: nothing is added */
  VtForestRun run;
  void *user;
} Training;

static int
compare_examples(const void *user, uint32_t a, uint32_t b)
{
  const Training *t = user;
  const uint32_t nf = t->forest->n_features;
  for (uint32_t k = 0; k < nf; k++) {
    const int32_t u = t->values[(size_t)a * nf + k], v = t->values[(size_t)b * nf + k];
    if (u != v)
      return u < v ? -1 : 1;
  }
  return (t->targets[a] > t->targets[b]) - (t->targets[a] < t->targets[b]);
}

static int
compare_int(const void *a, const void *b)
{
  const int32_t u = *(const int32_t *)a, v = *(const int32_t *)b;
  return (u > v) - (u < v);
}

/* The limits of feature k cut its values into parts of equal size. */
static void
set_limits(Training *t, uint32_t k, int32_t *column)
{
  const uint32_t nf = t->forest->n_features;
  for (size_t i = 0; i < t->n; i++)
    column[i] = t->values[i * nf + k];
  qsort(column, t->n, sizeof *column, compare_int);
  for (size_t i = 0; i < VT_FOREST_BINS - 1; i++)
    t->forest->limits[(size_t)k * (VT_FOREST_BINS - 1) + i] = column[(i + 1) * t->n / VT_FOREST_BINS];
}

static void
set_bins(Training *t, uint32_t k)
{
  const uint32_t nf = t->forest->n_features;
  const int32_t *limits = t->forest->limits + (size_t)k * (VT_FOREST_BINS - 1);
  for (size_t i = 0; i < t->n; i++)
    t->bins[(size_t)k * t->n + i] = bin_of(limits, t->values[(size_t)t->sorted[i] * nf + k]);
}

/* Of a rest of 19 bits 12 are summed, and half of 2^21 examples: squares of the sums fit 64 bits. */
enum {
  REST_ZERO = 1 << 18,
  REST_SHIFT = 7,
  MOST_EXAMPLES = 1 << 20,
  MANY = 4096 /* examples that are worth threads */
};

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
  uint32_t *items, *spare; /* ranks */
  uint32_t n_nodes, n_leaves;
  Leaf *leaves;
} Growing;

/* The search for the question of one leaf: every job takes one feature. */
typedef struct Search {
  const Growing *g;
  const Leaf *leaf;
  uint64_t base; /* what the leaf is worth undivided */
  uint8_t features[VT_FOREST_MAX_FEATURES];
  Leaf found[VT_FOREST_MAX_FEATURES];
} Search;

static void
best_bin(void *user, uint32_t index)
{
  Search *search = user;
  const Growing *g = search->g;
  const Leaf *leaf = search->leaf;
  uint32_t count[VT_FOREST_BINS] = { 0 };
  uint64_t sum[VT_FOREST_BINS] = { 0 }, all = 0, left = 0;
  const uint8_t *bins = g->t->bins + (size_t)search->features[index] * g->t->n;
  for (uint32_t i = leaf->from; i < leaf->to; i++) {
    const uint32_t rank = g->items[i];
    count[bins[rank]]++;
    sum[bins[rank]] += g->t->rest[rank] >> REST_SHIFT;
  }
  for (int k = 0; k < VT_FOREST_BINS; k++)
    all += sum[k];
  const uint32_t n = leaf->to - leaf->from, least = g->t->settings.min_leaf;
  uint32_t n_left = 0;
  Leaf *found = &search->found[index];
  *found = *leaf;
  for (int k = 0; k < VT_FOREST_BINS - 1; k++) {
    n_left += count[k];
    left += sum[k];
    if (count[k] == 0 || n_left < least || n - n_left < least)
      continue;
    const uint64_t worth = left * left / n_left + (all - left) * (all - left) / (n - n_left);
    if (worth > search->base + found->gain) {
      found->gain = worth - search->base;
      found->feature = search->features[index];
      found->bin = (uint8_t)k;
    }
  }
}

/* The best question among a third of the features, drawn for this node of this tree; of equals, the first drawn. */
static void
find_question(Growing *g, Leaf *leaf)
{
  const Training *t = g->t;
  const uint32_t nf = t->forest->n_features, tries = (nf + 2) / 3, n = leaf->to - leaf->from;
  uint64_t sum = 0, draw = vt_learn_mix(((uint64_t)t->settings.seed << 40) ^ ((uint64_t)g->tree << 20) ^ leaf->node);
  Search search = { .g = g, .leaf = leaf };
  leaf->gain = 0;
  if (n < 2 * t->settings.min_leaf)
    return;
  for (uint32_t i = leaf->from; i < leaf->to; i++)
    sum += t->rest[g->items[i]] >> REST_SHIFT;
  search.base = sum * sum / n;
  for (uint32_t k = 0; k < nf; k++)
    search.features[k] = (uint8_t)k;
  for (uint32_t k = 0; k < tries; k++) {
    draw = vt_learn_mix(draw);
    const uint32_t other = k + (uint32_t)(draw % (nf - k));
    const uint8_t feature = search.features[other];
    search.features[other] = search.features[k];
    search.features[k] = feature;
  }
  if (t->run && n >= MANY)
    t->run(t->user, tries, best_bin, &search);
  else
    for (uint32_t k = 0; k < tries; k++)
      best_bin(&search, k);
  for (uint32_t k = 0; k < tries; k++)
    if (search.found[k].gain > leaf->gain)
      *leaf = search.found[k];
}

static void
set_leaf(Growing *g, uint32_t slot, uint32_t node, uint32_t from, uint32_t to)
{
  int64_t sum = 0;
  for (uint32_t i = from; i < to; i++)
    sum += (int64_t)g->t->rest[g->items[i]] - REST_ZERO;
  /* Divisions of C round to 0 on every machine. */
  const int64_t step = to > from ? sum * g->t->settings.rate / (1000 * (int64_t)(to - from)) : 0;
  const int64_t value = step < -VT_FOREST_ZERO ? 0 : step >= VT_FOREST_ZERO ? 65535 : step + VT_FOREST_ZERO;
  g->nodes[node] = (VtForestNode){ VT_FOREST_LEAF, 0, (uint16_t)value };
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

/* Half of the examples, drawn for this tree. */
static uint32_t
draw_examples(const Training *t, uint32_t tree, uint32_t *items)
{
  uint32_t n = 0;
  for (uint32_t i = 0; i < t->n; i++)
    if (vt_learn_mix(vt_learn_mix(((uint64_t)t->settings.seed << 32) + tree) + i) & 1)
      items[n++] = i;
  return n;
}

static void
grow_tree(Growing *g)
{
  g->n_nodes = 1;
  g->n_leaves = 1;
  set_leaf(g, 0, 0, 0, draw_examples(g->t, g->tree, g->items));
  while (g->n_leaves < g->t->settings.max_leaves) {
    uint32_t best = 0;
    for (uint32_t i = 1; i < g->n_leaves; i++)
      if (g->leaves[i].gain > g->leaves[best].gain)
        best = i;
    if (g->leaves[best].gain == 0)
      break;
    split_leaf(g, best);
  }
}

static void
set_rest(Training *t)
{
  int32_t *pulls = t->asked ? t->asked + t->n : NULL;
  for (size_t i = 0; pulls && i < t->n; i++)
    t->asked[t->sorted[i]] = t->answer[i];
  if (pulls)
    t->settings.pull(t->settings.pull_user, t->asked, pulls);
  for (size_t i = 0; i < t->n; i++) {
    const int32_t rest = t->goal[i] - t->answer[i] + (pulls ? pulls[t->sorted[i]] : 0);
    t->rest[i] = (uint32_t)((rest < -REST_ZERO ? -REST_ZERO : rest >= REST_ZERO ? REST_ZERO - 1 : rest) + REST_ZERO);
  }
}

/* Every tree learns what those before it leave. */
static void
grow_trees(Training *t, uint32_t *items, Leaf *leaves)
{
  for (uint32_t tree = 0; tree < t->forest->n_trees; tree++) {
    VtForestNode *nodes = t->forest->nodes + (size_t)tree * t->forest->tree_nodes;
    Growing g = { .t = t, .tree = tree, .nodes = nodes, .items = items, .spare = items + t->n, .leaves = leaves };
    set_rest(t);
    grow_tree(&g);
    for (size_t i = 0; i < t->n; i++) {
      const VtForestNode *node = nodes;
      while (node->feature != VT_FOREST_LEAF)
        node = nodes + node->value + (t->bins[(size_t)node->feature * t->n + i] > node->bin);
      t->answer[i] += node->value - VT_FOREST_ZERO;
    }
  }
}

static bool
prepare(Training *t)
{
  VtForest *forest = t->forest;
  t->sorted = malloc(2 * t->n * sizeof *t->sorted);
  t->bins = malloc(t->n * forest->n_features);
  t->goal = malloc(t->n * sizeof *t->goal);
  t->answer = malloc(t->n * sizeof *t->answer);
  t->rest = malloc(t->n * sizeof *t->rest);
  forest->limits = malloc((size_t)forest->n_features * (VT_FOREST_BINS - 1) * sizeof *forest->limits);
  forest->nodes = calloc((size_t)forest->n_trees * forest->tree_nodes, sizeof *forest->nodes);
  t->asked = t->settings.pull ? malloc(2 * t->n * sizeof *t->asked) : NULL;
  if ((t->settings.pull && !t->asked) || !t->sorted || !t->bins || !t->goal || !t->answer || !t->rest || !forest->limits
      || !forest->nodes)
    return false;
  for (uint32_t i = 0; i < t->n; i++)
    t->sorted[i] = i;
  vt_learn_sort(t->sorted, t->sorted + t->n, t->n, compare_examples, t);
  uint64_t sum = 0;
  for (size_t i = 0; i < t->n; i++)
    sum += t->goal[i] = t->targets[t->sorted[i]];
  forest->base = t->settings.like ? t->settings.like->base : (int32_t)(sum / t->n);
  for (size_t i = 0; i < t->n; i++)
    t->answer[i] = forest->base;
  const VtForest *like = t->settings.like;
  if (like)
    memcpy(forest->limits, like->limits, (size_t)forest->n_features * (VT_FOREST_BINS - 1) * sizeof *forest->limits);
  for (uint32_t k = 0; k < forest->n_features; k++) {
    if (!like)
      set_limits(t, k, (int32_t *)(t->sorted + t->n));
    set_bins(t, k);
  }
  return true;
}

bool
vt_forest_train(VtForest *forest, const int32_t *values, const uint16_t *targets, size_t n, uint32_t n_features,
                const VtForestSettings *settings, VtForestRun run, void *user)
{
  *forest =
    (VtForest){ .n_features = n_features, .n_trees = settings->n_trees, .tree_nodes = 2 * settings->max_leaves - 1 };
  if (n == 0 || n > MOST_EXAMPLES || n_features == 0 || n_features > VT_FOREST_MAX_FEATURES || settings->n_trees == 0
      || settings->max_leaves == 0 || settings->max_leaves > VT_FOREST_MOST_LEAVES || settings->min_leaf == 0
      || settings->rate == 0 || settings->rate > 1000)
    return false;
  Training t = {
    .forest = forest, .settings = *settings, .values = values, .targets = targets, .n = n, .run = run, .user = user
  };
  uint32_t *items = malloc(2 * n * sizeof *items);
  Leaf *leaves = malloc(settings->max_leaves * sizeof *leaves);
  bool is_ok = prepare(&t) && items && leaves;
  if (is_ok) {
    grow_trees(&t, items, leaves);
    is_ok = vt_forest_ready(forest);
  }
  free(leaves);
  free(items);
  free(t.sorted);
  free(t.bins);
  free(t.goal);
  free(t.answer);
  free(t.rest);
  free(t.asked);
  if (!is_ok)
    vt_forest_clear(forest);
  return is_ok;
}
