/* SPDX-License-Identifier: MIT
 *
 * From labels to numbered objects. Objects are numbered in the order of their first pixels, row by row, so the numbers depend on the
 * pixels alone. */
#include <stdlib.h>
#include <string.h>

#include "executors/objects.h"
#include "run/grid.h"

/* Removes dropped objects from stats. renumber[old number] becomes the new number, 0 for a dropped object. Returns how many are kept. */
static int64_t
keep_some(VtObjectStats *stats, int64_t n, const VtObjectFilter *filter, int32_t *renumber)
{
  int64_t n_kept = 0;
  renumber[0] = 0;
  for (int64_t i = 0; i < n; i++) {
    const bool kept = vt_object_is_kept(&stats[i], filter);
    if (kept)
      stats[n_kept++] = stats[i];
    renumber[i + 1] = kept ? (int32_t)n_kept : 0;
  }
  return n_kept;
}

static VitrailStatus
no_memory(VtExec *x, VitrailStatus status)
{
  if (status == VITRAIL_OUT_OF_MEMORY && !x->lost)
    return vt_fail(x->run, status, TR("There is not enough memory to count the objects."));
  return status;
}

/* Numbers in the order of their first pixels in the part that is shown; numbers[0]: 0. -1: cancelled. */
static int64_t
number_shown(const VtRun *run, const VtImage *shown, int32_t *numbers)
{
  int64_t n = 0;
  for (int64_t y = 0; y < shown->height; y++) {
    const int32_t *row = vt_image_at(shown, 0, y);
    for (int64_t x = 0; x < shown->width; x++)
      if (row[x] != 0 && numbers[row[x]] == 0)
        numbers[row[x]] = (int32_t)++n;
    if (vt_cancelled_at(run, y))
      return -1;
  }
  return n;
}

/* Drops the objects that have no pixel in the part that is shown. */
static VitrailStatus
show(VtExec *x, const VtImage *labels, VtObjectStats *stats, int64_t *n_objects)
{
  VtImage host;
  if (!vt_run_has_margin(x->run) || *n_objects == 0)
    return VITRAIL_OK;
  TRY(x->does->fetch(x, labels, &host));
  const VtImage shown = vt_run_shown(x->run, &host);
  int32_t *numbers = calloc((size_t)*n_objects + 1, sizeof *numbers);
  VtObjectStats *all = malloc((size_t)*n_objects * sizeof *all);
  VitrailStatus status = VITRAIL_OUT_OF_MEMORY;
  if (numbers && all) {
    const int64_t n = number_shown(x->run, &shown, numbers);
    memcpy(all, stats, (size_t)*n_objects * sizeof *all);
    for (int64_t i = 0; i < *n_objects; i++)
      if (numbers[i + 1])
        stats[numbers[i + 1] - 1] = all[i];
    const VtRelabel relabel = { *labels, numbers, *n_objects + 1 };
    status = n < 0 ? VITRAIL_CANCELLED : x->does->relabel(x, &relabel);
    *n_objects = n < 0 ? 0 : n;
  }
  free(numbers);
  free(all);
  return status;
}

VitrailStatus
vt_objects_number(VtExec *x, const VtImage *labels, const VtImage *a, const VtImage *b, const VtObjectFilter *filter,
                  VtObjectStats **stats, int64_t *n_objects)
{
  const VtNumber number = { *labels, *a, *b, stats, n_objects };
  VitrailStatus status = x->does->count(x, &number);
  if (status == VITRAIL_OK && *n_objects > 0) {
    int32_t *renumber = malloc((size_t)(*n_objects + 1) * sizeof *renumber);
    const VtRelabel relabel = { *labels, renumber, *n_objects + 1 };
    status = VITRAIL_OUT_OF_MEMORY;
    if (renumber) {
      *n_objects = keep_some(*stats, *n_objects, filter, renumber);
      status = x->does->relabel(x, &relabel);
    }
    free(renumber);
  }
  THEN(status, show(x, labels, *stats, n_objects));
  return no_memory(x, status);
}
