/* SPDX-License-Identifier: MIT
 *
 * A forest that examples teach: as the definition says, in any order the same bits, far ones stay, and in time. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "learn/teach.h"
#include "test-draw.h"
#include "vt-test.h"

enum { MOST = 1000, ANCHORS = 810, FEATURES = 12, TRAIN = 3000 };

static int32_t values[TRAIN * FEATURES], anchors[TRAIN * FEATURES];
static uint16_t goals[TRAIN];

static void
draw(uint32_t n)
{
  for (uint32_t i = 0; i < n; i++) {
    for (uint32_t k = 0; k < FEATURES; k++)
      values[i * FEATURES + k] = (int32_t)pick(2000) - 500;
    const int32_t sum = values[i * FEATURES] + values[i * FEATURES + 5];
    goals[i] = (uint16_t)(sum < 0 ? 6000 : sum > 1500 ? 60000 : 6000 + 36 * sum);
  }
}

static VtForest
train(uint32_t n_trees)
{
  const VtForestSettings settings = { .n_trees = n_trees, .max_leaves = 16, .min_leaf = 8, .seed = 3, .rate = 80 };
  VtForest forest;
  draw(TRAIN);
  vt_ok(vt_forest_train(&forest, values, goals, TRAIN, FEATURES, &settings, NULL, NULL), "a forest of %u trees",
        n_trees);
  return forest;
}

static void
add_form(VtForest *forest)
{
  const size_t n = vt_forest_form_size(FEATURES);
  forest->form = malloc(n * sizeof *forest->form);
  for (size_t i = 0; i < n; i++)
    forest->form[i] = (int32_t)pick(4001) - 2000;
}

/* --- the definition, slowly --- */

static uint32_t
leaf_of(const VtForest *f, uint32_t t, const int32_t *row, uint32_t *depth)
{
  const VtForestNode *tree = f->nodes + (size_t)t * f->tree_nodes;
  uint32_t at = 0;
  *depth = 0;
  while (tree[at].feature != VT_FOREST_LEAF) {
    uint32_t bin = 0;
    for (uint32_t i = 0; i < 255; i++)
      bin += f->limits[tree[at].feature * 255 + i] < row[tree[at].feature];
    at = tree[at].value + (bin > tree[at].bin);
    ++*depth;
  }
  return at;
}

static int64_t
form_of(const VtForest *f, const int32_t *row)
{
  int64_t bins[FEATURES] = { 0 }, sum = 8;
  const int32_t *square = f->form + 1 + FEATURES;
  for (uint32_t i = 0; i < FEATURES; i++) {
    int64_t inner = f->form[1 + i] + 128;
    for (uint32_t k = 0; k < 255; k++)
      bins[i] += f->limits[i * 255 + k] < row[i];
    bins[i] -= 128;
    for (uint32_t j = 0; j <= i; j++)
      inner += *square++ * bins[j];
    sum += bins[i] * (inner >> 8);
  }
  sum = f->form[0] + (sum >> 4);
  return sum < 0 ? 0 : sum > 21845 ? 21845 : sum;
}

/* What the leaves of a row have: their answers, or their moves. */
static int64_t
sum_of(const VtForest *f, const int64_t *moved, const int32_t *row)
{
  int64_t sum = 0;
  for (uint32_t t = 0; t < f->n_trees; t++) {
    uint32_t depth;
    const size_t at = (size_t)t * f->tree_nodes + leaf_of(f, t, row, &depth);
    sum += moved ? moved[at] : f->nodes[at].value - VT_FOREST_ZERO;
  }
  return sum;
}

/* The goal of an anchor is the answer that it has. */
static int64_t
rest_of(const VtForest *f, const int64_t *moved, uint32_t i, const int32_t *row, bool is_anchor)
{
  const int64_t answer = f->base + (f->form ? form_of(f, row) : 0) + sum_of(f, NULL, row);
  return (is_anchor ? 0 : 256 * (goals[i] - answer)) - sum_of(f, moved, row);
}

static void
teach_slowly(VtForest *f, uint32_t n, uint32_t n_anchors)
{
  int64_t *moved = calloc((size_t)f->n_trees * f->tree_nodes, sizeof *moved);
  for (int pass = 0; pass < VT_TEACH_PASSES; pass++)
    for (uint32_t t = 0; t < f->n_trees; t++) {
      int64_t sums[64] = { 0 }, counts[64] = { 0 }, priors[64] = { 0 };
      for (uint32_t i = 0; i < n + n_anchors; i++) {
        uint32_t depth;
        const int32_t *row = i < n ? values + i * FEATURES : anchors + (i - n) * FEATURES;
        const uint32_t leaf = leaf_of(f, t, row, &depth);
        sums[leaf] += rest_of(f, moved, i, row, i >= n);
        counts[leaf]++;
        const int64_t prior = (int64_t)VT_TEACH_PRIOR * f->n_trees / VT_TEACH_TREES >> depth;
        const int64_t least = (int64_t)VT_TEACH_LEAST * f->n_trees / VT_TEACH_TREES;
        priors[leaf] = prior > least && prior > 1 ? prior : least > 1 ? least : 1;
      }
      for (uint32_t k = 0; k < f->tree_nodes; k++) {
        if (counts[k] == 0)
          continue;
        const int64_t was = 256 * f->nodes[(size_t)t * f->tree_nodes + k].value;
        int64_t *at = &moved[(size_t)t * f->tree_nodes + k];
        const int64_t now = was + *at + (sums[k] - priors[k] * *at) / (counts[k] + priors[k]);
        *at = (now < 0 ? 0 : now > 256 * 65535 ? 256 * 65535 : now) - was;
      }
    }
  for (size_t k = 0; k < (size_t)f->n_trees * f->tree_nodes; k++)
    f->nodes[k].value = (uint16_t)((256 * f->nodes[k].value + moved[k] + 128) / 256);
  free(moved);
}

static bool
is_same(const VtForest *a, const VtForest *b)
{
  const size_t n_form = vt_forest_form_size(a->n_features);
  return a->base == b->base && !a->form == !b->form
         && (!a->form || memcmp(a->form, b->form, n_form * sizeof *a->form) == 0)
         && memcmp(a->limits, b->limits, (size_t)a->n_features * 255 * sizeof *a->limits) == 0
         && memcmp(a->nodes, b->nodes, (size_t)a->n_trees * a->tree_nodes * sizeof *a->nodes) == 0;
}

static void
check_definition(const VtForest *forest)
{
  bool is_slow = true, in_any_order = true;
  for (uint32_t n = 1, n_anchors = 0; n <= 50; n = n * 3 + 1, n_anchors = 2 * n) {
    const VtTeachExamples examples = { values, anchors, goals, n, n_anchors };
    VtForest taught, other, slow;
    draw(n_anchors);
    memcpy(anchors, values, sizeof anchors);
    draw(n);
    for (uint32_t i = 0; i < n; i++)
      goals[i] = (uint16_t)(pick(3) ? pick(65536) : 65535 * pick(2));
    is_slow &= vt_forest_teach(forest, &examples, &taught) && vt_forest_teach(forest, &examples, &slow);
    memcpy(slow.nodes, forest->nodes, (size_t)slow.n_trees * slow.tree_nodes * sizeof *slow.nodes);
    teach_slowly(&slow, n, n_anchors);
    is_slow &= is_same(&taught, &slow);
    for (int turn = 0; turn < 3; turn++) {
      vt_draw_shuffle(values, FEATURES * sizeof *values, goals, sizeof *goals, n);
      vt_draw_shuffle(anchors, FEATURES * sizeof *anchors, goals, 0, n_anchors);
      in_any_order &= vt_forest_teach(forest, &examples, &other) && is_same(&taught, &other);
      vt_forest_clear(&other);
    }
    vt_forest_clear(&taught);
    vt_forest_clear(&slow);
  }
  vt_ok(is_slow, "what the definition says");
  vt_ok(in_any_order, "the same bits for any order of examples");
}

static void
check_answers(const VtForest *forest)
{
  VtForest taught;
  const int32_t *rows[VT_FOREST_AT_ONCE];
  uint16_t answers[VT_FOREST_AT_ONCE];
  bool obeys = true, agrees = true;
  for (int turn = 0; turn < 20; turn++) {
    draw(VT_FOREST_AT_ONCE);
    const int32_t before = vt_forest_answer(forest, values);
    goals[0] = before > 32768 ? 0 : 65535;
    vt_forest_teach(forest, &(VtTeachExamples){ .values = values, .goals = goals, .n = 1 }, &taught);
    for (int i = 0; i < VT_FOREST_AT_ONCE; i++)
      rows[i] = values + i * FEATURES;
    vt_forest_predict(&taught, rows, answers);
    obeys &= abs(goals[0] - answers[0]) < abs(goals[0] - before) / 2;
    for (int i = 0; i < VT_FOREST_AT_ONCE; i++) {
      const int32_t answer = vt_forest_answer(&taught, rows[i]), within = answer < 0       ? 0
                                                                          : answer > 65535 ? 65535
                                                                                           : answer;
      agrees &= answers[i] == within;
    }
    vt_forest_clear(&taught);
  }
  vt_ok(obeys, "one example brings its own answer more than half the way");
  vt_ok(agrees, "one answer is as those of many");
}

static int64_t
sum_moves(const VtForest *forest, const VtForest *taught, const int32_t *rows, uint32_t n)
{
  int64_t sum = 0;
  for (uint32_t i = 0; i < n; i++)
    sum += abs(vt_forest_answer(taught, rows + i * FEATURES) - vt_forest_answer(forest, rows + i * FEATURES));
  return sum;
}

/* Examples that all want more raise everything; anchors hold what is like them, and the rest. */
static void
check_anchors(const VtForest *forest)
{
  enum { N = 20, HELD = 400 };
  VtForest free_one, held;
  draw(TRAIN);
  memcpy(anchors, values, sizeof anchors);
  draw(N);
  for (uint32_t i = 0; i < N; i++)
    goals[i] = 65535;
  VtTeachExamples examples = { values, anchors, goals, N, 0 };
  bool is_ok = vt_forest_teach(forest, &examples, &free_one);
  examples.n_anchors = HELD;
  is_ok &= vt_forest_teach(forest, &examples, &held);
  const int32_t *others = anchors + HELD * FEATURES;
  vt_ok(is_ok && 4 * sum_moves(forest, &held, anchors, HELD) < sum_moves(forest, &free_one, anchors, HELD),
        "anchors hardly move");
  vt_ok(2 * sum_moves(forest, &held, others, 1000) < sum_moves(forest, &free_one, others, 1000),
        "nor do those that are no examples");
  vt_ok(2 * sum_moves(forest, &held, values, N) > sum_moves(forest, &free_one, values, N), "examples do");
  vt_forest_clear(&free_one);
  vt_forest_clear(&held);
}

/* The clock of a loaded machine says little: the least of five. */
static void
check_time(const VtForest *forest)
{
  const VtTeachExamples examples = { values, anchors, goals, MOST, ANCHORS };
  VtForest taught;
  double least = 1e9;
  draw(ANCHORS);
  memcpy(anchors, values, sizeof anchors);
  draw(MOST);
  for (int turn = 0; turn < 5; turn++) {
    const clock_t began = clock();
    const bool done = vt_forest_teach(forest, &examples, &taught);
    const double ms = 1e3 * (double)(clock() - began) / CLOCKS_PER_SEC;
    least = done && ms < least ? ms : least;
    vt_forest_clear(&taught);
  }
  printf("# %d examples and %d anchors: %.1f ms\n", MOST, ANCHORS, least);
  vt_ok(least < 1000, "%d examples are learned in time", MOST);
}

/* Of other examples, and not of all, as the parts of one score are. */
static void
check_like(const VtForest *first)
{
  VtForest second;
  const VtForestSettings settings = {
    .n_trees = 9, .max_leaves = 16, .min_leaf = 8, .seed = 4, .rate = 200, .like = first
  };
  draw(TRAIN);
  for (int i = 0; i < TRAIN; i++)
    goals[i] = values[i * FEATURES] > first->limits[VT_FOREST_BINS / 2] ? 50000 : 10000;
  const bool is_ok =
    vt_forest_train(&second, values, goals, TRAIN / 2, FEATURES, &settings, NULL, NULL) && second.base == first->base;
  vt_ok(is_ok && memcmp(second.limits, first->limits, FEATURES * (VT_FOREST_BINS - 1) * sizeof *first->limits) == 0,
        "a forest like another has its base and its limits");
  const int32_t *rows[VT_FOREST_AT_ONCE];
  uint16_t answers[VT_FOREST_AT_ONCE];
  int64_t off = 0;
  for (int k = 0; k < VT_FOREST_AT_ONCE; k++)
    rows[k] = values + (size_t)k * FEATURES;
  vt_forest_predict(&second, rows, answers);
  for (int k = 0; k < VT_FOREST_AT_ONCE; k++)
    off += llabs((int64_t)answers[k] - goals[k]);
  vt_ok(off / VT_FOREST_AT_ONCE < 9000, "and has learned what it was told: off by %d", (int)(off / VT_FOREST_AT_ONCE));
  vt_forest_clear(&second);
}

int
main(void)
{
  VtForest taught, forest = train(20), large = train(240);
  check_like(&forest);
  check_definition(&forest);
  add_form(&forest);
  add_form(&large);
  check_definition(&forest);
  check_answers(&large);
  check_anchors(&large);
  forest.form[1 + FEATURES] = 32768;
  vt_ok(!vt_forest_ready(&forest), "a form has squares of 16 bits");
  forest.form[1 + FEATURES] = 0;
  forest.form[1] = INT32_MAX;
  vt_ok(!vt_forest_ready(&forest), "and no answer that 32 bits may not hold");
  vt_ok(!vt_forest_teach(&forest, &(VtTeachExamples){ values, anchors, goals, 0, 9 }, &taught) && !taught.nodes,
        "nothing is learned of no example");
  vt_ok(!vt_forest_teach(&forest, &(VtTeachExamples){ values, anchors, goals, VT_TEACH_EXAMPLES + 1, 1 }, &taught)
          && !taught.nodes,
        "nor of too many");
  vt_forest_clear(&forest);
  check_time(&large);
  vt_forest_clear(&large);
  return vt_test_done();
}
