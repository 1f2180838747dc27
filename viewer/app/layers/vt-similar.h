/* SPDX-License-Identifier: MIT
 *
 * Which objects are like one of them. Each measurement is a feature, in units of its standard deviation over all objects that have it; how much two
 * objects differ is the root mean square of their differences in all features. Features that do not vary are none, and one that
 * the object asked for lacks is left out; what lacks another one has no difference to it. */
#pragma once
#include "layers/vt-columns.h"
#include "run/vt-roi.h"

/* The features of a list of objects. Immutable, counted, any thread. */
typedef struct {
  VtColumns *columns;
  guint n_features, n_blocks;
  guint *features;         /* columns */
  double *means, *spreads; /* of each feature; the spread is above zero */
  float *z;                /* blocks of objects, of each feature after feature; NaN: it has no such number */
} VtSimilar;
/* Blocking. NULL: there is not enough memory. Owned. */
VtSimilar *vt_similar_new(VtColumns *columns);
VtSimilar *vt_similar_ref(VtSimilar *self);
void vt_similar_unref(VtSimilar *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(VtSimilar, vt_similar_unref)
/* How much each object differs from one with these numbers, which are in the order of the columns; 0: not at all. NaN: what lacks a number. One thread. Owned. */
double *vt_similar_measure(const VtSimilar *self, const double *numbers);

/* For what is looked for: of each of the columns' own the mean of those objects that have the number, of those whose centroid lies inside of an area (even-odd) of
 * the regions (VtRoi); n_in: how many objects that are. Owned. */
double *vt_similar_dup_means(const VtColumns *columns, const GPtrArray *rois, guint *n_in);

typedef struct {
  guint column;
  double difference; /* root mean square, in standard deviations of all objects */
} VtSimilarFeature;
/* In which features those that differ by at most `most` are most like it: the `n` best, of equals the first; the number of those that
 * there are. A number that more than half of all objects share with it says nothing and is left out. n_alike: how many objects those are. */
guint vt_similar_explain(const VtSimilar *self, const double *numbers, const double *differences, double most,
                         VtSimilarFeature *best, guint n, guint *n_alike);
