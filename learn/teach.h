/* SPDX-License-Identifier: MIT
 *
 * teach.h: a forest that examples teach, without what it was trained on. Its questions stay; the answers of its leaves move, as little as the
 * examples ask for (ridge regression on the leaves, by coordinate descent). So what shares no leaf with any example keeps its answer. */
#pragma once

#include "learn/forest.h"

enum {
  VT_TEACH_PASSES = 8, /* through all trees */
  /* A leaf counts as if so many examples beside those in it wanted it to stay: half as many with each question on the way to it, since what
   * few things reach says more of the examples there, and at least the least. */
  VT_TEACH_PRIOR = 8192,
  VT_TEACH_LEAST = 32,
  VT_TEACH_TREES = 240, /* that of a forest of so many trees: of three times as many each is to move a third as far */
  VT_TEACH_EXAMPLES = 100000
};

/* Makes `taught` of `from`, which it copies, and of n examples: values[n * from->n_features], and the answer 0..65535 that each should have.
 * For each pass, for each tree in order, for each leaf with N examples, d questions deep: its move, 0 at first, grows by (S - P * move) / (N + P), rounded
 * towards 0, where P is PRIOR * trees / TREES / 2^d, at least LEAST * trees / TREES and 1, and S is the sum over its examples of the goal less the forest's present answer (without limits); but no answer of a leaf leaves
 * -32768..32767. All of it is integers and sums: examples in any order give the same bits. `from` must be ready. False: no memory, or n is 0 or
 * above VT_TEACH_EXAMPLES. The caller clears taught. [any] */
bool vt_forest_teach(const VtForest *from, const int32_t *values, const uint16_t *goals, size_t n, VtForest *taught);
/* One answer, as vt_forest_predict gives it, but beyond its limits 0..65535 too. */
int32_t vt_forest_answer(const VtForest *forest, const int32_t *values);
