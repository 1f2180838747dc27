/* SPDX-License-Identifier: MIT
 *
 * The quadratic form of a score: ridge regression of the goals on products of bins. Bins are integers, and so are all sums of their products, which
 * 53 bits hold: the same in any order. */
#include "train.h"

#include <math.h>
#include <stdlib.h>

enum { AT_ONCE = 64, ROWS = 4 };
#define RIDGE 16 /* examples, as which the ridge counts: bins are -1..1 there */

/* Of the terms 1, b_i and b_i b_j. */
typedef struct Form {
  int n;
  double *matrix, *right, *terms, *goals; /* terms: of AT_ONCE examples, one after the other */
} Form;

static bool
form_alloc(Form *form, uint32_t n_features)
{
  const size_t n = vt_forest_form_size(n_features);
  *form = (Form){ .n = (int)n };
  form->matrix = calloc(n * n, sizeof *form->matrix);
  form->right = calloc(n, sizeof *form->right);
  form->terms = calloc(n * AT_ONCE, sizeof *form->terms);
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

/* ROWS examples at once, for one row of the matrix; the sums are whole numbers. */
#if defined __x86_64__ && defined __GNUC__ && !defined __clang__
__attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#endif
static void
add_row(double *restrict row, const double *restrict terms, int n, int i)
{
  for (int e = 0; e < AT_ONCE; e += ROWS) {
    const double *restrict a = terms + (ptrdiff_t)e * n, *restrict b = a + n, *restrict c = b + n, *restrict d = c + n;
    const double at[ROWS] = { a[i], b[i], c[i], d[i] };
    for (int j = 0; j <= i; j++)
      row[j] += at[0] * a[j] + at[1] * b[j] + at[2] * c[j] + at[3] * d[j];
  }
}

static void
add_examples(Form *form)
{
  const int n = form->n;
#pragma omp parallel for schedule(dynamic, 16)
  for (int i = 0; i < n; i++) {
    add_row(form->matrix + (ptrdiff_t)i * n, form->terms, n, i);
    for (int e = 0; e < AT_ONCE; e++)
      form->right[i] += form->terms[(ptrdiff_t)e * n + i] * form->goals[e];
  }
}

static void
add_all(Form *form, const VtForest *forest, const int32_t *values, const uint16_t *goals, size_t n)
{
  for (size_t from = 0; from < n; from += AT_ONCE) {
    for (size_t e = 0; e < AT_ONCE; e++) {
      double *terms = form->terms + (ptrdiff_t)e * form->n;
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
    for (int i = 1; i < form.n; i++) {
      const double scale = i <= (int)forest->n_features ? 128 : 128 * 128;
      form.matrix[(ptrdiff_t)i * form.n + i] += RIDGE * scale * scale;
    }
    train_solve(form.matrix, form.right, form.n, x);
    is_ok = set_weights(forest, x);
  }
  form_clear(&form);
  free(x);
  return is_ok && x;
}
