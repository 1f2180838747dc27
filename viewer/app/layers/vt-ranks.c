/* SPDX-License-Identifier: MIT */
#include "layers/vt-ranks.h"

#include <math.h>
#include <stdlib.h>

/* Of one that is alone it is the middle. */
static VtRank
find_rank(const VtColumns *columns, guint column, double value)
{
  guint n = 0, n_lower = 0, n_same = 0;
  for (guint i = 0; i < columns->objects->len; i++) {
    const double other = vt_columns_get_value(columns, i, column);
    n += isfinite(other);
    n_lower += isfinite(other) && other < value;
    n_same += other == value;
  }
  return (VtRank){ n > 1 ? 100 * (n_lower + (n_same - 1) / 2.0) / (n - 1) : 50, n };
}

VtRank *
vt_ranks_new(const VtColumns *columns, guint index)
{
  VtRank *ranks = g_new(VtRank, columns->n);
  for (guint k = 0; k < columns->n; k++) {
    const double value = vt_columns_is_number(columns, k) ? vt_columns_get_value(columns, index, k) : NAN;
    ranks[k] = isfinite(value) ? find_rank(columns, k, value) : (VtRank){ NAN, 0 };
  }
  return ranks;
}

static int
compare(gconstpointer a, gconstpointer b)
{
  const double p = *(const double *)a, q = *(const double *)b;
  return (p > q) - (p < q);
}

double *
vt_ranks_sort(const VtColumns *columns, guint column, guint *n)
{
  double *sorted = g_new(double, MAX(columns->objects->len, 1));
  *n = 0;
  for (guint i = 0; vt_columns_is_number(columns, column) && i < columns->objects->len; i++) {
    const double value = vt_columns_get_value(columns, i, column);
    if (isfinite(value))
      sorted[(*n)++] = value;
  }
  qsort(sorted, *n, sizeof *sorted, compare);
  return sorted;
}

/* How many are lower; or with `same`, how many are not higher. */
static guint
count(const double *sorted, guint n, double value, gboolean same)
{
  guint low = 0, high = n;
  while (low < high) {
    const guint middle = low + (high - low) / 2;
    if (sorted[middle] < value || (same && sorted[middle] == value))
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

double
vt_ranks_find(const double *sorted, guint n, double value)
{
  const guint n_lower = count(sorted, n, value, FALSE), n_same = count(sorted, n, value, TRUE) - n_lower;
  if (!isfinite(value) || n_same == 0)
    return NAN;
  return n > 1 ? 100 * (n_lower + (n_same - 1) / 2.0) / (n - 1) : 50;
}
