/* SPDX-License-Identifier: MIT */
#include "learn/classes.h"
#include "learn/order.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int32_t
vt_learn_value(double measurement)
{
  /* The bits of a positive float rise with it, those of a negative one fall. -0 is 0. */
  const float value = (float)measurement + 0.0f;
  int32_t bits;
  if (isnan(value))
    return INT32_MIN + 1;
  memcpy(&bits, &value, sizeof bits);
  return bits < 0 ? (int32_t)(-1 - (int64_t)(bits & INT32_MAX)) : bits;
}

/* --- training --- */

typedef struct {
  VtClasses *classes;
  const VtExamples *examples;
  bool done[VT_CLASSES_MOST];
} Training;

static void
train_class(void *user, uint32_t k)
{
  Training *t = user;
  const VtExamples *e = t->examples;
  /* Few examples make small leaves. */
  const uint32_t least = 1 + e->n / 64;
  const VtForestSettings settings = {
    .n_trees = 60, .max_leaves = 8, .min_leaf = least < 8 ? least : 8, .seed = 1 + k, .rate = 100
  };
  uint16_t *targets = malloc(e->n * sizeof *targets);
  if (!targets)
    return;
  for (uint32_t i = 0; i < e->n; i++)
    targets[i] = e->classes[i] == k ? 65535 : 0;
  t->done[k] = vt_forest_train(&t->classes->forests[k], e->values, targets, e->n, e->n_features, &settings, NULL, NULL);
  free(targets);
}

static void
run_all(VtForestRun run, void *user, uint32_t n, void (*job)(void *job_user, uint32_t index), void *job_user)
{
  if (run) {
    run(user, n, job, job_user);
    return;
  }
  for (uint32_t i = 0; i < n; i++)
    job(job_user, i);
}

static bool
is_sound(const VtExamples *e)
{
  bool found[VT_CLASSES_MOST] = { false };
  uint32_t n_found = 0;
  if (e->n_classes < 2 || e->n_classes > VT_CLASSES_MOST || e->n > VT_CLASSES_EXAMPLES || e->n_features == 0
      || e->n_features > VT_FOREST_MAX_FEATURES)
    return false;
  for (uint32_t i = 0; i < e->n; i++) {
    if (e->classes[i] >= e->n_classes)
      return false;
    n_found += !found[e->classes[i]];
    found[e->classes[i]] = true;
  }
  return n_found == e->n_classes;
}

/* What is left out of a check may leave a class without an example: its score is 0 then. */
static bool
train(VtClasses *classes, const VtExamples *examples, VtForestRun run, void *user)
{
  Training t = { .classes = classes, .examples = examples };
  bool done = true;
  *classes = (VtClasses){ .n_features = examples->n_features, .n_classes = examples->n_classes };
  run_all(run, user, examples->n_classes, train_class, &t);
  for (uint32_t k = 0; k < examples->n_classes; k++)
    done = done && t.done[k];
  if (!done)
    vt_classes_clear(classes);
  return done;
}

bool
vt_classes_train(VtClasses *classes, const VtExamples *examples, VtForestRun run, void *user)
{
  *classes = (VtClasses){ 0 };
  return is_sound(examples) && train(classes, examples, run, user);
}

void
vt_classes_clear(VtClasses *classes)
{
  for (uint32_t k = 0; k < VT_CLASSES_MOST; k++)
    vt_forest_clear(&classes->forests[k]);
}

/* --- answers --- */

void
vt_classes_predict(const VtClasses *classes, const int32_t *values, size_t n, uint8_t *found, uint16_t *margins)
{
  for (size_t from = 0; from < n; from += VT_FOREST_AT_ONCE) {
    const int32_t *rows[VT_FOREST_AT_ONCE];
    uint16_t answers[VT_FOREST_AT_ONCE], first[VT_FOREST_AT_ONCE] = { 0 }, second[VT_FOREST_AT_ONCE] = { 0 };
    const size_t count = n - from < VT_FOREST_AT_ONCE ? n - from : VT_FOREST_AT_ONCE;
    for (size_t i = 0; i < VT_FOREST_AT_ONCE; i++)
      rows[i] = values + (from + (i < count ? i : 0)) * classes->n_features;
    for (uint32_t k = 0; k < classes->n_classes; k++) {
      vt_forest_predict(&classes->forests[k], rows, answers);
      for (size_t i = 0; i < count; i++) {
        const bool is_best = k == 0 || answers[i] > first[i];
        second[i] = is_best ? first[i] : answers[i] > second[i] ? answers[i] : second[i];
        first[i] = is_best ? answers[i] : first[i];
        found[from + i] = is_best ? (uint8_t)k : found[from + i];
      }
    }
    for (size_t i = 0; i < count; i++)
      margins[from + i] = (uint16_t)(first[i] - second[i]);
  }
}

/* --- the check --- */

typedef struct {
  const VtExamples *examples;
  uint32_t *sorted; /* by values, then class */
  VtClassesCheck folds[VT_CLASSES_FOLDS];
  bool done[VT_CLASSES_FOLDS];
} Checking;

static int
compare(const void *user, uint32_t a, uint32_t b)
{
  const VtExamples *e = user;
  const int32_t *u = e->values + (size_t)a * e->n_features, *v = e->values + (size_t)b * e->n_features;
  for (uint32_t k = 0; k < e->n_features; k++)
    if (u[k] != v[k])
      return u[k] < v[k] ? -1 : 1;
  return (e->classes[a] > e->classes[b]) - (e->classes[a] < e->classes[b]);
}

/* Left out ones are dealt class by class, so that each fold has its share of each. */
static void
part_fold(const Checking *c, uint32_t fold, VtExamples *in, VtExamples *out, int32_t *values, uint8_t *classes)
{
  const VtExamples *e = c->examples;
  uint32_t seen[VT_CLASSES_MOST] = { 0 }, n_out = 0, n_in = 0;
  for (uint32_t pass = 0; pass < 2; pass++) {
    memset(seen, 0, sizeof seen);
    for (uint32_t i = 0; i < e->n; i++) {
      const uint32_t at = c->sorted[i];
      const bool is_out = seen[e->classes[at]]++ % VT_CLASSES_FOLDS == fold;
      if (is_out != (pass == 0))
        continue;
      const uint32_t to = n_out + n_in;
      memcpy(values + (size_t)to * e->n_features, e->values + (size_t)at * e->n_features,
             e->n_features * sizeof *values);
      classes[to] = e->classes[at];
      n_out += is_out;
      n_in += !is_out;
    }
  }
  *out = (VtExamples){ values, classes, n_out, e->n_features, e->n_classes };
  *in = (VtExamples){ values + (size_t)n_out * e->n_features, classes + n_out, n_in, e->n_features, e->n_classes };
}

static uint32_t
count_right(const VtClasses *classes, const VtExamples *out, uint8_t *found, uint16_t *margins)
{
  uint32_t n = 0;
  vt_classes_predict(classes, out->values, out->n, found, margins);
  for (uint32_t i = 0; i < out->n; i++)
    n += found[i] == out->classes[i];
  return n;
}

/* One feature's values change places (Fisher and Yates), and come back. column: room for as many. */
static uint32_t
count_shuffled(const VtClasses *classes, const VtExamples *out, int32_t *values, uint32_t feature, int32_t *column,
               uint8_t *found, uint16_t *margins)
{
  const uint32_t nf = out->n_features;
  for (uint32_t i = 0; i < out->n; i++)
    column[i] = values[(size_t)i * nf + feature];
  for (uint32_t i = out->n; i > 1; i--) {
    int32_t *a = &values[(size_t)(i - 1) * nf + feature],
            *b = &values[(size_t)(vt_learn_mix(((uint64_t)feature << 32) + i) % i) * nf + feature], was = *a;
    *a = *b;
    *b = was;
  }
  const uint32_t n = count_right(classes, out, found, margins);
  for (uint32_t i = 0; i < out->n; i++)
    values[(size_t)i * nf + feature] = column[i];
  return n;
}

static void
check_fold(void *user, uint32_t fold)
{
  Checking *c = user;
  const VtExamples *e = c->examples;
  VtClassesCheck *check = &c->folds[fold];
  VtClasses *classes = malloc(sizeof *classes);
  int32_t *values = malloc(((size_t)e->n * e->n_features + e->n) * sizeof *values);
  uint8_t *labels = malloc(2 * (size_t)e->n);
  uint16_t *margins = malloc(e->n * sizeof *margins);
  VtExamples in, out;
  if (classes && values && labels && margins) {
    uint8_t *found = labels + e->n;
    part_fold(c, fold, &in, &out, values, labels);
    c->done[fold] = in.n == 0 || train(classes, &in, NULL, NULL);
    if (c->done[fold] && in.n > 0) {
      check->n = out.n;
      check->n_right = count_right(classes, &out, found, margins);
      for (uint32_t i = 0; i < out.n; i++)
        check->confusion[out.classes[i]][found[i]]++;
      for (uint32_t k = 0; k < e->n_features; k++)
        check->matters[k] =
          (int32_t)check->n_right
          - (int32_t)count_shuffled(classes, &out, values, k, values + (size_t)e->n * e->n_features, found, margins);
      vt_classes_clear(classes);
    }
  }
  free(classes);
  free(values);
  free(labels);
  free(margins);
}

static void
add_fold(VtClassesCheck *to, const VtClassesCheck *from)
{
  to->n += from->n;
  to->n_right += from->n_right;
  for (uint32_t a = 0; a < VT_CLASSES_MOST; a++)
    for (uint32_t b = 0; b < VT_CLASSES_MOST; b++)
      to->confusion[a][b] += from->confusion[a][b];
  for (uint32_t k = 0; k < VT_FOREST_MAX_FEATURES; k++)
    to->matters[k] += from->matters[k];
}

bool
vt_classes_check(const VtExamples *examples, VtForestRun run, void *user, VtClassesCheck *check)
{
  *check = (VtClassesCheck){ 0 };
  if (!is_sound(examples))
    return false;
  Checking *c = calloc(1, sizeof *c);
  uint32_t *sorted = malloc(2 * (size_t)examples->n * sizeof *sorted);
  bool done = c && sorted;
  if (done) {
    c->examples = examples;
    c->sorted = sorted;
    for (uint32_t i = 0; i < examples->n; i++)
      sorted[i] = i;
    vt_learn_sort(sorted, sorted + examples->n, examples->n, compare, examples);
    run_all(run, user, VT_CLASSES_FOLDS, check_fold, c);
  }
  for (uint32_t k = 0; done && k < VT_CLASSES_FOLDS; k++) {
    done = c->done[k];
    add_fold(check, &c->folds[k]);
  }
  free(sorted);
  free(c);
  return done;
}
