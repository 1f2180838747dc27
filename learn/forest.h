/* SPDX-License-Identifier: MIT
 *
 * forest.h: regression trees in integers, by gradient boosting (Friedman, Stochastic gradient boosting, 2002). The same examples give the same forest, byte for byte, in whatever
 * order they come and whatever the number of threads. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
  VT_FOREST_MAX_FEATURES = 64,
  VT_FOREST_BINS = 256,
  VT_FOREST_LEAF = 255,
  VT_FOREST_ZERO = 32768,
  VT_FOREST_MOST_LEAVES = 512,
  VT_FOREST_AT_ONCE = 64
};

/* A node: a leaf (feature VT_FOREST_LEAF) whose answer is value - VT_FOREST_ZERO, or a question: bin of the feature > bin goes to value + 1,
 * else to value. */
typedef struct VtForestNode {
  uint8_t feature, bin;
  uint16_t value;
} VtForestNode;

/* A node as answers are found. A question: bin - 128 of the feature > bin goes to node value + 1, else to value. A leaf: its value. */
typedef struct VtForestStep {
  uint16_t at, value; /* at: the node */
  uint8_t feature;
  int8_t bin;
} VtForestStep;

/* Bin of a value: how many of the feature's limits are below it. */
typedef struct VtForest {
  uint32_t n_features, n_trees, tree_nodes; /* nodes kept for each tree */
  int32_t base;                             /* the mean of all targets */
  int32_t *limits;                          /* n_features * (VT_FOREST_BINS - 1), rising */
  VtForestNode *nodes;                      /* n_trees * tree_nodes; a tree's root is its first */
  int32_t *form;                            /* vt_forest_form_size() weights; NULL: none */
  VtForestStep *steps;   /* of each tree: the questions, each after the one that leads to it, then the leaves */
  uint32_t *n_questions; /* of the trees */
} VtForest;

/* What is added to the answers of the trees: with b_i the bin of feature i less 128, constant + ((Σ_i b_i ((slope_i + Σ_j<=i square_ij b_j
 * + 128) >> 8) + 8) >> 4), within 0..VT_FOREST_FORM_MOST, so that it has no more to say of what it has not seen. The weights: the constant, within
 * ±65535, the slopes, then the squares row by row, each -32768..32767. */
enum { VT_FOREST_FORM_MOST = 65535 / 3 };
static inline size_t
vt_forest_form_size(uint32_t n_features)
{
  return 1 + n_features + (size_t)n_features * (n_features + 1) / 2;
}

typedef struct VtForestSettings {
  uint32_t n_trees, max_leaves, min_leaf, seed;
  uint32_t rate;        /* of learning, in 1/1000: 1..1000 */
  const VtForest *like; /* with the base and the limits of this forest of as many features; NULL: by the examples */
  /* Before every tree: by the answers so far, what is added to what the tree learns of each example, in units of the targets. Examples
   * are in the order in which they were given. NULL: nothing. */
  void (*pull)(void *pull_user, const int32_t *answers, int32_t *pulls);
  void *pull_user;
} VtForestSettings;

/* Runs job(job_user, 0..n-1) in any order, on any threads, and returns when all are done. NULL: one after the other. */
typedef void (*VtForestRun)(void *user, uint32_t n, void (*job)(void *job_user, uint32_t index), void *job_user);

/* Trains on n examples: values[n * n_features] and targets 0..65535. False: no memory, or nothing to learn from (n = 0, more
 * than VT_FOREST_MAX_FEATURES features or VT_FOREST_MOST_LEAVES leaves). The caller clears the forest. */
bool vt_forest_train(VtForest *forest, const int32_t *values, const uint16_t *targets, size_t n, uint32_t n_features,
                     const VtForestSettings *settings, VtForestRun run, void *user);
/* Makes steps and n_questions of the rest: before any answer, where the forest was not trained here. False: no memory, or a form with a square
 * beyond its limits or an answer that 32 bits do not hold. */
bool vt_forest_ready(VtForest *forest);
void vt_forest_bins(const VtForest *forest, const int32_t *values, uint8_t bins[VT_FOREST_MAX_FEATURES]);
/* What the form adds; 0 without one. */
int32_t vt_forest_form(const VtForest *forest, const uint8_t bins[VT_FOREST_MAX_FEATURES]);
/* The sum of base, the trees' answers and the form's, within 0..65535, for so many rows of values; rows may be the same. */
void vt_forest_predict(const VtForest *forest, const int32_t *const values[VT_FOREST_AT_ONCE],
                       uint16_t answers[VT_FOREST_AT_ONCE]);
void vt_forest_clear(VtForest *forest);
