/* SPDX-License-Identifier: MIT
 *
 * forest-lanes-impl.h: the answers of a forest by vectors of VECTOR_BYTES, as PREDICT (forest.h has vt_forest_predict, for 16). All rows go
 * through a tree side by side, a byte for each: whether it reaches a node. So nothing depends on where a row goes, and no row
 * waits for another. */
#pragma once

#include "forest.h"

#include <string.h>

typedef int8_t Lanes __attribute__((vector_size(VECTOR_BYTES)));
typedef uint8_t Bytes __attribute__((vector_size(VECTOR_BYTES)));
typedef uint16_t Sums __attribute__((vector_size(2 * VECTOR_BYTES)));
enum { N_VECTORS = VT_FOREST_AT_ONCE / VECTOR_BYTES, MOST_NODES = 2 * VT_FOREST_MOST_LEAVES - 1 };

/* How many of the feature's 255 limits are below each value, less 128: halving without a branch, all side by side. */
static void
find_bins(const int32_t *restrict limits, const int32_t *const values[VT_FOREST_AT_ONCE], uint32_t feature,
          Lanes bins[N_VECTORS])
{
  enum { SIDE_BY_SIDE = 16 };
  for (int from = 0; from < VT_FOREST_AT_ONCE; from += SIDE_BY_SIDE) {
    uint32_t n[SIDE_BY_SIDE] = { 0 };
    int32_t value[SIDE_BY_SIDE];
    for (int i = 0; i < SIDE_BY_SIDE; i++)
      value[i] = values[from + i][feature];
    for (uint32_t step = VT_FOREST_BINS / 2; step; step /= 2)
      for (int i = 0; i < SIDE_BY_SIDE; i++)
        n[i] += step & (0U - (uint32_t)(limits[n[i] + step - 1] < value[i]));
    for (int i = 0; i < SIDE_BY_SIDE; i++)
      ((int8_t *)bins)[from + i] = (int8_t)((int32_t)n[i] - 128);
  }
}

/* The answers of up to 256 trees are summed in 16 bits: the lower bytes, and the upper ones. */
static void
add_trees(const VtForest *forest, const Lanes bins[][N_VECTORS], uint32_t from, uint32_t end, int32_t *sums)
{
  Bytes reached[MOST_NODES][N_VECTORS];
  Sums lower[N_VECTORS] = { { 0 } }, upper[N_VECTORS] = { { 0 } };
  for (uint32_t t = from; t < end; t++) {
    const VtForestStep *step = forest->steps + (size_t)t * forest->tree_nodes;
    const VtForestStep *const leaves = step + forest->n_questions[t], *const last = leaves + forest->n_questions[t] + 1;
    memset(reached[0], 0xff, sizeof reached[0]);
    for (; step < leaves; step++)
      for (int v = 0; v < N_VECTORS; v++) {
        const Bytes here = reached[step->at][v], high = (Bytes)(bins[step->feature][v] > (Lanes){ 0 } + step->bin);
        reached[step->value][v] = here & ~high;
        reached[step->value + 1][v] = here & high;
      }
    Bytes low[N_VECTORS] = { { 0 } }, high[N_VECTORS] = { { 0 } };
    for (; step < last; step++)
      for (int v = 0; v < N_VECTORS; v++) {
        low[v] |= reached[step->at][v] & (uint8_t)step->value;
        high[v] |= reached[step->at][v] & (uint8_t)(step->value >> 8);
      }
    for (int v = 0; v < N_VECTORS; v++) {
      lower[v] += __builtin_convertvector(low[v], Sums);
      upper[v] += __builtin_convertvector(high[v], Sums);
    }
  }
  for (int i = 0; i < VT_FOREST_AT_ONCE; i++)
    sums[i] += lower[i / VECTOR_BYTES][i % VECTOR_BYTES] + 256 * upper[i / VECTOR_BYTES][i % VECTOR_BYTES]
               - VT_FOREST_ZERO * (int32_t)(end - from);
}

/* vt_forest_form of all rows. */
static void
add_form(const VtForest *forest, const Lanes bins[][N_VECTORS], int32_t *restrict sums)
{
  const int32_t *slope = forest->form + 1, *square = slope + forest->n_features;
  int32_t form[VT_FOREST_AT_ONCE];
  for (int v = 0; v < VT_FOREST_AT_ONCE; v++)
    form[v] = 8;
  for (uint32_t i = 0; i < forest->n_features; i++) {
    int32_t inner[VT_FOREST_AT_ONCE];
    for (int v = 0; v < VT_FOREST_AT_ONCE; v++)
      inner[v] = slope[i] + 128;
    for (uint32_t j = 0; j <= i; j++, square++) {
      const int8_t *bin = (const int8_t *)bins[j];
      for (int v = 0; v < VT_FOREST_AT_ONCE; v++)
        inner[v] += *square * bin[v];
    }
    const int8_t *bin = (const int8_t *)bins[i];
    for (int v = 0; v < VT_FOREST_AT_ONCE; v++)
      form[v] += bin[v] * (inner[v] >> 8);
  }
  for (int v = 0; v < VT_FOREST_AT_ONCE; v++) {
    const int32_t sum = forest->form[0] + (form[v] >> 4);
    sums[v] += sum < 0 ? 0 : sum > VT_FOREST_FORM_MOST ? VT_FOREST_FORM_MOST : sum;
  }
}

void
PREDICT(const VtForest *forest, const int32_t *const values[VT_FOREST_AT_ONCE], uint16_t answers[VT_FOREST_AT_ONCE])
{
  enum { TREES = 256 };
  Lanes bins[VT_FOREST_MAX_FEATURES][N_VECTORS];
  int32_t sums[VT_FOREST_AT_ONCE];
  for (uint32_t k = 0; k < forest->n_features; k++)
    find_bins(forest->limits + (size_t)k * (VT_FOREST_BINS - 1), values, k, bins[k]);
  for (int i = 0; i < VT_FOREST_AT_ONCE; i++)
    sums[i] = forest->base;
  for (uint32_t t = 0; t < forest->n_trees; t += TREES)
    add_trees(forest, bins, t, forest->n_trees - t < TREES ? forest->n_trees : t + TREES, sums);
  if (forest->form)
    add_form(forest, bins, sums);
  for (int i = 0; i < VT_FOREST_AT_ONCE; i++)
    answers[i] = (uint16_t)(sums[i] < 0 ? 0 : sums[i] > 65535 ? 65535 : sums[i]);
}
