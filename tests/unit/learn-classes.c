/* SPDX-License-Identifier: MIT
 *
 * Classes by examples: any order, any number of threads, slow answers by the nodes, folds that were not seen. */
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "learn/classes.h"
#include "test-draw.h"
#include "vt-test.h"

enum { MOST = 1000, FEATURES = 40, CLASSES = 4 };

static int32_t values[MOST * FEATURES];
static uint8_t labels[MOST];

/* Two features say the class, with one label in twenty wrong; the others say nothing. */
static VtExamples
draw(uint32_t n, uint32_t n_classes)
{
  for (uint32_t i = 0; i < n; i++) {
    for (uint32_t k = 0; k < FEATURES; k++)
      values[i * FEATURES + k] = vt_learn_value((double)pick(1000) / 7 - 50);
    const double a = (double)pick(1000), b = (double)pick(1000);
    values[i * FEATURES + 3] = vt_learn_value(a);
    values[i * FEATURES + 9] = vt_learn_value(b);
    labels[i] = (uint8_t)((a > 500) + 2 * (b > 400)) % n_classes;
    if (pick(20) == 0)
      labels[i] = (uint8_t)pick(n_classes);
  }
  for (uint32_t k = 0; k < n_classes; k++)
    labels[k] = (uint8_t)k;
  return (VtExamples){ values, labels, n, FEATURES, n_classes };
}

typedef struct {
  void (*job)(void *user, uint32_t index);
  void *user;
  uint32_t index;
} Job;

static void *
run_one(void *data)
{
  Job *job = data;
  job->job(job->user, job->index);
  return NULL;
}

static void
run_threads(void *user, uint32_t n, void (*job)(void *job_user, uint32_t index), void *job_user)
{
  pthread_t threads[64];
  Job jobs[64];
  for (uint32_t i = 0; i < n; i++) {
    jobs[i] = (Job){ job, job_user, i };
    pthread_create(&threads[i], NULL, run_one, &jobs[i]);
  }
  for (uint32_t i = 0; i < n; i++)
    pthread_join(threads[i], NULL);
}

static bool
same(const VtClasses *a, const VtClasses *b)
{
  for (uint32_t k = 0; k < a->n_classes; k++) {
    const VtForest *f = &a->forests[k], *g = &b->forests[k];
    if (f->base != g->base || memcmp(f->limits, g->limits, (size_t)f->n_features * 255 * sizeof *f->limits) != 0
        || memcmp(f->nodes, g->nodes, (size_t)f->n_trees * f->tree_nodes * sizeof *f->nodes) != 0)
      return false;
  }
  return true;
}

static void
check_orders(void)
{
  bool equal = true, found_equal = true;
  for (uint32_t n = 4; n <= 400; n = n * 3 + 1) {
    VtClasses first, other;
    VtClassesCheck check, again;
    const VtExamples e = draw(n, 2 + n % 3);
    equal = equal && vt_classes_train(&first, &e, NULL, NULL) && vt_classes_check(&e, NULL, NULL, &check);
    for (int turn = 0; turn < 3 && equal; turn++) {
      vt_draw_shuffle(values, FEATURES * sizeof *values, labels, sizeof *labels, n);
      equal = vt_classes_train(&other, &e, turn ? run_threads : NULL, NULL) && same(&first, &other);
      vt_classes_clear(&other);
      found_equal = found_equal && vt_classes_check(&e, turn ? run_threads : NULL, NULL, &again)
                    && memcmp(&check, &again, sizeof check) == 0;
    }
    vt_classes_clear(&first);
  }
  vt_ok(equal, "the same forests for any order of examples and any threads");
  vt_ok(found_equal, "the same check, too");
}

/* The highest score, of equals the first, by walking down the nodes. */
static int64_t
slow_score(const VtForest *f, const int32_t *row)
{
  int64_t sum = f->base;
  for (uint32_t t = 0; t < f->n_trees; t++) {
    const VtForestNode *tree = f->nodes + (size_t)t * f->tree_nodes, *node = tree;
    while (node->feature != VT_FOREST_LEAF) {
      uint32_t bin = 0;
      for (uint32_t i = 0; i < 255; i++)
        bin += f->limits[node->feature * 255 + i] < row[node->feature];
      node = tree + node->value + (bin > node->bin);
    }
    sum += node->value - VT_FOREST_ZERO;
  }
  return sum < 0 ? 0 : sum > 65535 ? 65535 : sum;
}

static void
check_answers(void)
{
  const VtExamples e = draw(MOST, CLASSES);
  VtClasses classes;
  static uint8_t found[MOST];
  static uint16_t margins[MOST];
  uint32_t wrong = 0, right = 0;
  struct timespec a, b;
  clock_gettime(CLOCK_MONOTONIC, &a);
  const bool done = vt_classes_train(&classes, &e, NULL, NULL);
  clock_gettime(CLOCK_MONOTONIC, &b);
  printf("# %u examples, %u features, %u classes, one thread: trained in %.0f ms\n", MOST, FEATURES, CLASSES,
         1e3 * (double)(b.tv_sec - a.tv_sec) + 1e-6 * (double)(b.tv_nsec - a.tv_nsec));
  draw(333, CLASSES); /* others */
  vt_classes_predict(&classes, values, 333, found, margins);
  for (uint32_t i = 0; i < 333; i++) {
    int64_t first = -1, second = -1;
    uint8_t best = 0;
    for (uint8_t k = 0; k < CLASSES; k++) {
      const int64_t score = slow_score(&classes.forests[k], values + i * FEATURES);
      second = score > first ? first : score > second ? score : second;
      best = score > first ? k : best;
      first = score > first ? score : first;
    }
    wrong += found[i] != best || margins[i] != first - second;
    right += found[i] == labels[i];
  }
  vt_classes_clear(&classes);
  vt_ok(done && wrong == 0, "333 answers: %u are not those of the nodes", wrong);
  vt_ok(right > 290, "%u of 333 objects that were not learned are found; of the labels one in twenty was drawn", right);
}

static void
check_folds(void)
{
  VtClassesCheck check;
  VtExamples e = draw(600, CLASSES);
  bool done = vt_classes_check(&e, NULL, NULL, &check);
  vt_ok(done && check.n == 600 && check.n_right > 500 && check.n_right < 595,
        "%u of %u examples that were left out are found", check.n_right, check.n);
  uint32_t sum = 0, diagonal = 0;
  int32_t others = 0;
  for (uint32_t k = 0; k < CLASSES; k++)
    for (uint32_t m = 0; m < CLASSES; m++) {
      sum += check.confusion[k][m];
      diagonal += k == m ? check.confusion[k][m] : 0;
    }
  for (uint32_t k = 0; k < FEATURES; k++)
    others = k != 3 && k != 9 && check.matters[k] > others ? check.matters[k] : others;
  vt_ok(sum == 600 && diagonal == check.n_right, "the table of confusion adds up");
  vt_ok(check.matters[3] > 100 && check.matters[9] > 100 && others < 20,
        "the two features that say the class matter: %d and %d, others at most %d", check.matters[3], check.matters[9],
        others);
  for (uint32_t i = 0; i < e.n; i++)
    labels[i] = i < CLASSES ? (uint8_t)i : (uint8_t)pick(CLASSES);
  done = vt_classes_check(&e, NULL, NULL, &check);
  vt_ok(done && check.n_right < 200, "classes that nothing tells of are found no better than by chance: %u of 600",
        check.n_right);
}

static void
check_values(void)
{
  static const double rising[] = { -INFINITY, -1e30, -2, -1.5, -1e-9, 0, 1e-9, 1.5, 2, 1e30, INFINITY };
  bool ordered = vt_learn_value(NAN) < vt_learn_value(-INFINITY) && vt_learn_value(-0.0) == vt_learn_value(0.0);
  for (size_t i = 1; i < sizeof rising / sizeof *rising; i++)
    ordered = ordered && vt_learn_value(rising[i - 1]) < vt_learn_value(rising[i]);
  vt_ok(ordered, "values are ordered as measurements are");
}

static void
check_refusals(void)
{
  VtClasses classes;
  VtExamples e = draw(30, 3);
  for (uint32_t i = 0; i < 30; i++)
    labels[i] = labels[i] == 2 ? 1 : labels[i];
  vt_ok(!vt_classes_train(&classes, &e, NULL, NULL), "a class without an example");
  e.n_classes = 1;
  vt_ok(!vt_classes_train(&classes, &e, NULL, NULL), "one class");
  e.n_classes = 2;
  vt_ok(vt_classes_train(&classes, &e, NULL, NULL), "two classes");
  vt_classes_clear(&classes);
}

int
main(void)
{
  check_values();
  check_orders();
  check_answers();
  check_folds();
  check_refusals();
  return vt_test_done();
}
