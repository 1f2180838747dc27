/* SPDX-License-Identifier: MIT
 *
 * finished-rows.h: rows of an op that an interrupted run has finished. */
#pragma once

#include <stdio.h>

#include "run/run.h"

typedef struct {
  FILE *file; /* NULL: nothing is kept */
  uint32_t n_values;
} VtKeptRows;
/* For n rows of a stage, of n_values each (32 at most), one after another in `values`: those that a run before kept come in, and are
 * marked. vt_kept_rows_close() in any case. */
VitrailStatus vt_kept_rows_open(VtRun *run, VtKeptRows *rows, uint32_t stage, uint32_t n_values, uint32_t n,
                                bool *is_done, double *values);
VitrailStatus vt_kept_rows_add(VtRun *run, VtKeptRows *rows, uint32_t i, const double *values);
void vt_kept_rows_close(VtKeptRows *rows);
