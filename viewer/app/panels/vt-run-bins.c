/* SPDX-License-Identifier: MIT */
#include "panels/vt-run-bins.h"

#include "base/vt-define.h"

#define GROWTH 4 /* beyond the single lengths a column ends at 1 + 1/4 times the end of the one before */

static guint *
make_rows(guint top, guint *n)
{
  const guint group = (top + VT_RUN_BINS_ROWS - 1) / VT_RUN_BINS_ROWS;
  *n = (top + group - 1) / group;
  guint *to = g_new(guint, *n);
  for (guint i = 0; i < *n; i++)
    to[i] = MIN((i + 1) * group, top);
  return to;
}

static guint *
make_columns(guint longest, guint *n)
{
  GArray *to = g_array_new(FALSE, FALSE, sizeof(guint));
  for (guint at = 0; at < longest;) {
    at = MIN(at < VT_RUN_BINS_SINGLE ? at + 1 : at + at / GROWTH, longest);
    g_array_append_val(to, at);
  }
  *n = to->len;
  return (guint *)(gpointer)g_array_free(to, FALSE);
}

VtRunBins *
vt_run_bins_new(guint top, guint longest)
{
  VtRunBins *bins = g_new0(VtRunBins, 1);
  bins->level_to = make_rows(MAX(top, 1), &bins->n_rows);
  bins->length_to = make_columns(MAX(longest, 1), &bins->n_columns);
  return bins;
}

VT_DEFINE_TYPE_FREE(vt_run_bins_free, VtRunBins, VT_FREES(g_free, level_to, length_to))

void
vt_run_bins_get_cell(const VtRunBins *bins, guint row, guint column, VtRunCell *cell)
{
  cell->level_from = row > 0 ? bins->level_to[row - 1] + 1 : 1;
  cell->level_to = bins->level_to[row];
  cell->length_from = column > 0 ? bins->length_to[column - 1] + 1 : 1;
  cell->length_to = bins->length_to[column];
}

static gboolean
find_in(const guint *to, guint n, guint value, guint *index)
{
  for (*index = 0; *index < n; (*index)++)
    if (value <= to[*index])
      return value > 0;
  return FALSE;
}

gboolean
vt_run_bins_find(const VtRunBins *bins, guint level, guint length, guint *row, guint *column)
{
  return find_in(bins->level_to, bins->n_rows, level, row) && find_in(bins->length_to, bins->n_columns, length, column);
}

double *
vt_run_bins_count(const VtRunBins *bins, const VtRunLengths *lengths, guint directions)
{
  double *counts = g_new0(double, (gsize)bins->n_rows * bins->n_columns);
  VtRunCell cell = { .directions = directions };
  for (guint row = 0; lengths && row < bins->n_rows; row++)
    for (guint column = 0; column < bins->n_columns; column++) {
      vt_run_bins_get_cell(bins, row, column, &cell);
      counts[row * bins->n_columns + column] = (double)vt_run_lengths_count(lengths, &cell);
    }
  return counts;
}
