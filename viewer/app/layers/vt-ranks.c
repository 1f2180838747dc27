/* SPDX-License-Identifier: MIT */
#include "layers/vt-ranks.h"

#include <math.h>

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
