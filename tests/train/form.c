/* SPDX-License-Identifier: MIT
 *
 * The quadratic form of a score: ridge regression of the goals on products of bins. Bins are integers, and so are all sums of their products, which
 * 53 bits hold: the same in any order. Of b_i b_j b_k b_l with i >= j >= k >= l the sum is made once, though the matrix has it up to six times. */
#include "train.h"

#include <math.h>
#include <stdlib.h>

enum { AT_ONCE = 64, ROWS = 8, COLUMNS = 8 };
typedef double Doubles __attribute__((vector_size(COLUMNS * sizeof(double))));
typedef double DoublesAt __attribute__((vector_size(COLUMNS * sizeof(double)), aligned(8), may_alias));
#define RIDGE 16 /* examples, as which the ridge counts: bins are -1..1 there */

/* Of the terms 1, b_i and b_i b_j. */
typedef struct Form {
  int n, n_features, stride; /* stride: of rows of the matrix and of the terms of an example */
  double *matrix, *right, *terms, *goals;
} Form;

static bool
form_alloc(Form *form, uint32_t n_features)
{
  const size_t n = vt_forest_form_size(n_features);
  const size_t stride = (n + COLUMNS - 1) / COLUMNS * COLUMNS;
  *form = (Form){ .n = (int)n, .n_features = (int)n_features, .stride = (int)stride };
  form->matrix = calloc(n * stride, sizeof *form->matrix);
  form->right = calloc(n, sizeof *form->right);
  form->terms = calloc(stride * AT_ONCE, sizeof *form->terms);
  form->goals = calloc(AT_ONCE, sizeof *form->goals);
  return form->matrix && form->right && form->terms && form->goals;
}

static void
form_clear(Form *form)
{
  free(form->matrix);
  free(form->right);
  free(form->terms);
  free(form->goals);
}

static void
set_terms(const VtForest *forest, const int32_t *values, double *term)
{
  uint8_t bins[VT_FOREST_MAX_FEATURES];
  vt_forest_bins(forest, values, bins);
  *term++ = 1;
  for (uint32_t i = 0; i < forest->n_features; i++)
    *term++ = bins[i] - 128;
  for (uint32_t i = 0; i < forest->n_features; i++)
    for (uint32_t j = 0; j <= i; j++)
      *term++ = (bins[i] - 128) * (bins[j] - 128);
}

static inline int
product(int n_features, int i, int j)
{
  return 1 + n_features + i * (i + 1) / 2 + j;
}

/* Of n_rows rows `at` so many columns, and up to COLUMNS more. */
#if defined __x86_64__ && defined __GNUC__ && !defined __clang__
__attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#endif
static void
add_rows(const Form *form, const int at[ROWS], int n_rows, int n_columns)
{
  const ptrdiff_t stride = form->stride;
  for (int c = 0; c < n_columns; c += COLUMNS) {
    Doubles sums[ROWS] = { 0 };
    for (int e = 0; e < AT_ONCE; e++) {
      const double *terms = form->terms + e * stride;
      const Doubles column = *(const DoublesAt *)(terms + c);
      for (int r = 0; r < ROWS; r++)
        sums[r] += terms[at[r]] * column;
    }
    for (int r = 0; r < n_rows; r++)
      *(DoublesAt *)(form->matrix + at[r] * stride + c) += sums[r];
  }
}

/* Rows i, j of all i from j on; j -1: the first rows, of 1 and b_i. */
static void
add_products(const Form *form, int j)
{
  const int n = form->n_features, from = j < 0 ? 0 : j, to = j < 0 ? n + 1 : n;
  for (int i = from; i < to; i += ROWS) {
    int at[ROWS];
    for (int r = 0; r < ROWS; r++) {
      const int row = i + r < to ? i + r : to - 1;
      at[r] = j < 0 ? row : product(n, row, j);
    }
    add_rows(form, at, to - i < ROWS ? to - i : ROWS, j < 0 ? n + 1 : product(n, j, j) + 1);
  }
}

static void
add_examples(Form *form)
{
#pragma omp parallel for schedule(dynamic)
  for (int j = -1; j < form->n_features; j++)
    add_products(form, j);
  for (int e = 0; e < AT_ONCE; e++)
    for (int i = 0; i < form->n; i++)
      form->right[i] += form->terms[(ptrdiff_t)e * form->stride + i] * form->goals[e];
}

/* Where k > j: what has the same four bins. */
static void
fill_rows(Form *form)
{
  const int n = form->n_features;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < i; j++)
      for (int k = j + 1; k <= i; k++)
        for (int l = 0; l <= k; l++) {
          const int more = j > l ? j : l, less = j > l ? l : j;
          form->matrix[(ptrdiff_t)product(n, i, j) * form->stride + product(n, k, l)] =
            form->matrix[(ptrdiff_t)product(n, i, k) * form->stride + product(n, more, less)];
        }
}

static void
add_all(Form *form, const VtForest *forest, const int32_t *values, const uint16_t *goals, size_t n)
{
  for (size_t from = 0; from < n; from += AT_ONCE) {
    for (size_t e = 0; e < AT_ONCE; e++) {
      double *terms = form->terms + (ptrdiff_t)e * form->stride;
      form->goals[e] = from + e < n ? goals[from + e] : 0;
      for (int i = 0; i < form->n; i++)
        terms[i] = 0;
      if (from + e < n)
        set_terms(forest, values + (from + e) * forest->n_features, terms);
    }
    add_examples(form);
  }
}

/* The form's fixed point is 12 bits. */
static bool
set_weights(VtForest *forest, const double *x)
{
  const size_t n = vt_forest_form_size(forest->n_features);
  forest->form = malloc(n * sizeof *forest->form);
  for (size_t i = 0; forest->form && i < n; i++)
    forest->form[i] = (int32_t)lrint(x[i] * (i ? 4096 : 1) / TRAIN_PARTS);
  return forest->form != NULL;
}

bool
train_form(VtForest *forest, const int32_t *values, const uint16_t *goals, size_t n)
{
  Form form;
  bool is_ok = form_alloc(&form, forest->n_features);
  double *x = malloc((size_t)form.n * sizeof *x);
  if (is_ok && x) {
    add_all(&form, forest, values, goals, n);
    fill_rows(&form);
    for (int i = 1; i < form.n; i++) {
      const double scale = i <= (int)forest->n_features ? 128 : 128 * 128;
      form.matrix[(ptrdiff_t)i * form.stride + i] += RIDGE * scale * scale;
    }
    train_solve(form.matrix, form.stride, form.right, form.n, x);
    is_ok = set_weights(forest, x);
  }
  form_clear(&form);
  free(x);
  return is_ok && x;
}
