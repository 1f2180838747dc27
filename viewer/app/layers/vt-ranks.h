/* SPDX-License-Identifier: MIT
 *
 * Where an object stands among all of its result, by each of its numbers. */
#pragma once
#include "layers/vt-columns.h"

typedef struct {
  double
    percent; /* of the objects that have the number: those with a lower one, and half of those with the same, itself left out; NaN: it has none */
  guint n;   /* objects that have the number */
} VtRank;

/* A rank for each column of the object at that place of the list; of words none. Looks at each object: for a worker. Owned; g_free(). */
VtRank *vt_ranks_new(const VtColumns *columns, guint index);

/* For the percent of many objects: the numbers of a column in rising order, n of them; of words none. Looks at each object: for a worker. Owned; g_free(). */
double *vt_ranks_sort(const VtColumns *columns, guint column, guint *n);
/* As in VtRank; NaN: the value is none of them. */
double vt_ranks_find(const double *sorted, guint n, double value);
