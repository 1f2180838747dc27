/* SPDX-License-Identifier: MIT
 *
 * teach.h: a forest that examples teach. Its questions stay; the answers of its leaves move, as little as the examples ask for (ridge regression on
 * the leaves, by coordinate descent). So what shares no leaf with any example keeps its answer. Anchors are examples that want the answer to stay: what
 * shares its leaves with many of them hardly moves. */
#pragma once

#include "learn/forest.h"

enum {
  VT_TEACH_PASSES = 8, /* through all trees */
  /* A leaf counts as if so many examples beside those in it wanted it to stay: half as many with each question on the way to it, since what
   * few things reach says more of the examples there, and at least the least. */
  VT_TEACH_PRIOR = 2048,
  VT_TEACH_LEAST = 8,
  VT_TEACH_TREES = 240, /* that of a forest of so many trees: of three times as many each is to move a third as far */
  VT_TEACH_EXAMPLES = 100000,
  VT_TEACH_PARTS = 256 /* of an answer's unit, in which leaves move */
};

/* Rows of the forest's n_features values. Any order gives the same bits. */
typedef struct VtTeachExamples {
  const int32_t *values, *anchors;
  const uint16_t *goals; /* the answer 0..65535 that each of values should have */
  size_t n, n_anchors;
} VtTeachExamples;

/* Makes `taught` of `from`, which it copies, and of examples, of which anchors have the answer of `from` (without limits) as their goal.
 * For each pass, for each tree in order, for each leaf with N examples, d questions deep: its move, 0 at first, grows by (S - P * move) / (N + P), in 1/PARTS
 * and rounded towards 0, where P is PRIOR * trees / TREES / 2^d, at least LEAST * trees / TREES and 1, and S is the sum over its examples of the goal less the forest's present answer (without limits); but no answer of a leaf leaves
 * -32768..32767. In the end moves are rounded, halves up. All of it is integers and sums: examples in any order give the same bits. `from` must be
 * ready. False: no memory, n is 0, or n or n_anchors is above VT_TEACH_EXAMPLES. The caller clears taught. [any] */
bool vt_forest_teach(const VtForest *from, const VtTeachExamples *examples, VtForest *taught);
/* One answer, as vt_forest_predict gives it, but beyond its limits 0..65535 too. */
int32_t vt_forest_answer(const VtForest *forest, const int32_t *values);
