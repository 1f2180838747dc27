/* SPDX-License-Identifier: MIT
 *
 * classes.h: classes of objects by examples: a forest for each class, which is trained on 1 for its own examples and 0 for those of the
 * others. The class of an object is that of the highest score, of equals the first. All of it is integers: the same examples give the
 * same bits, in whatever order they come and whatever the number of threads. */
#pragma once

#include "learn/forest.h"

enum {
  VT_CLASSES_MOST = 32,
  VT_CLASSES_FOLDS = 5,
  VT_CLASSES_EXAMPLES = 100000 /* more are no clicks */
};

typedef struct VtClasses {
  uint32_t n_features, n_classes;
  VtForest forests[VT_CLASSES_MOST];
} VtClasses;

/* Rows of n_features values, and the class of each row. */
typedef struct VtExamples {
  const int32_t *values;
  const uint8_t *classes;
  uint32_t n, n_features, n_classes;
} VtExamples;

/* How well the classes of examples are found that were left out: every fifth of a class, in the order of the values, in turn. */
typedef struct VtClassesCheck {
  uint32_t n, n_right;
  uint32_t confusion[VT_CLASSES_MOST][VT_CLASSES_MOST]; /* [class][what it was taken for] */
  /* How many of those that were left out are wrong beyond n - n_right, once this feature's values are shuffled among them. */
  int32_t matters[VT_FOREST_MAX_FEATURES];
} VtClassesCheck;

/* A measurement as a value that is ordered as it is, to the precision of a float. NaN comes before all numbers. */
int32_t vt_learn_value(double measurement);

/* Needs two classes, each with an example. run: as vt_forest_train's. False: no memory, or nothing to learn from. The caller clears. */
bool vt_classes_train(VtClasses *classes, const VtExamples *examples, VtForestRun run, void *user);
/* Of n rows. margins: the highest score less the next one, 0..65535. [any] */
void vt_classes_predict(const VtClasses *classes, const int32_t *values, size_t n, uint8_t *found, uint16_t *margins);
/* Where each class has one example only, none is left to learn from, and n is 0. False: as above. */
bool vt_classes_check(const VtExamples *examples, VtForestRun run, void *user, VtClassesCheck *check);
void vt_classes_clear(VtClasses *classes);
