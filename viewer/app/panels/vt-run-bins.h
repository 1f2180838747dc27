/* SPDX-License-Identifier: MIT
 *
 * Rows and columns of a run length matrix as it is drawn: a row for each grey level and a column for each length, as long as there is room for them;
 * then several share one. Immutable; any thread. */
#pragma once
#include "run/vt-run-lengths.h"

#define VT_RUN_BINS_ROWS 64   /* at most */
#define VT_RUN_BINS_SINGLE 32 /* lengths up to this have a column of their own */

typedef struct {
  guint n_rows, n_columns;
  guint *level_to, *length_to; /* the last one of each row and column; both ascend */
} VtRunBins;

/* For levels and lengths from 1 to these, at least 1. */
VtRunBins *vt_run_bins_new(guint top, guint longest);
void vt_run_bins_free(VtRunBins *bins);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(VtRunBins, vt_run_bins_free)
/* The levels and lengths of one cell; directions are left as they are. */
void vt_run_bins_get_cell(const VtRunBins *bins, guint row, guint column, VtRunCell *cell);
/* Where a level and a length are; FALSE: beyond. */
gboolean vt_run_bins_find(const VtRunBins *bins, guint level, guint length, guint *row, guint *column);
/* How many runs each cell has, row by row; owned. NULL lengths: none. */
double *vt_run_bins_count(const VtRunBins *bins, const VtRunLengths *lengths, guint directions);
