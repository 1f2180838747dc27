/* SPDX-License-Identifier: MIT
 *
 * Rows of an op that an interrupted run has finished, in its scratch folder: number, values, and a sum that says that nothing
 * is missing. What comes after the first that is not whole is made again. */
#include <string.h>

#include "scale/finished-rows.h"
#include "scale/store.h"

enum { MOST_VALUES = 32 };

typedef struct {
  uint64_t i, sum;
  double values[MOST_VALUES];
} Kept;

static uint64_t
sum_of(const VtKeptRows *rows, uint64_t i, const double *values)
{
  uint64_t sum = 0xCBF29CE484222325u ^ i;
  for (size_t k = 0; k < rows->n_values * sizeof *values; k++)
    sum = (sum ^ ((const uint8_t *)values)[k]) * 0x100000001B3u;
  return sum;
}

static size_t
bytes_of(const VtKeptRows *rows)
{
  return offsetof(Kept, values) + rows->n_values * sizeof(double);
}

VitrailStatus
vt_kept_rows_open(VtRun *run, VtKeptRows *rows, uint32_t stage, uint32_t n_values, uint32_t n, bool *is_done,
                  double *values)
{
  char path[4096];
  Kept row;
  long n_kept = 0;
  *rows = (VtKeptRows){ .n_values = n_values };
  if (!run->request->scratch_dir || !(run->request->flags & VITRAIL_RUN_KEEP_SCRATCH))
    return VITRAIL_OK;
  if (n_values > MOST_VALUES
      || snprintf(path, sizeof path, "%s/rows-%u", run->request->scratch_dir, stage) >= (int)sizeof path)
    return vt_scratch_failed(run, NULL);
  rows->file = fopen(path, "r+b");
  if (!rows->file)
    rows->file = fopen(path, "w+b");
  if (!rows->file)
    return vt_scratch_failed(run, NULL);
  while (fread(&row, bytes_of(rows), 1, rows->file) == 1 && row.i < n && row.sum == sum_of(rows, row.i, row.values)) {
    is_done[row.i] = true;
    memcpy(values + row.i * n_values, row.values, n_values * sizeof *values);
    n_kept++;
  }
  if (n_kept > 0)
    vt_record(run, "resumed-rows", (double)n_kept);
  return fseek(rows->file, n_kept * (long)bytes_of(rows), SEEK_SET) == 0 ? VITRAIL_OK : vt_scratch_failed(run, NULL);
}

VitrailStatus
vt_kept_rows_add(VtRun *run, VtKeptRows *rows, uint32_t i, const double *values)
{
  Kept row = { .i = i, .sum = sum_of(rows, i, values) };
  if (!rows->file)
    return VITRAIL_OK;
  memcpy(row.values, values, rows->n_values * sizeof *values);
  return fwrite(&row, bytes_of(rows), 1, rows->file) == 1 && fflush(rows->file) == 0 ? VITRAIL_OK
                                                                                     : vt_scratch_failed(run, NULL);
}

void
vt_kept_rows_close(VtKeptRows *rows)
{
  if (rows->file)
    fclose(rows->file);
}
