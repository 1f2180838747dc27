/* SPDX-License-Identifier: MIT
 *
 * From labels to numbered objects. The number depends on the pixels alone: objects are counted in the order of their first
 * pixel, row by row, never by arrival. */
#include <stdlib.h>

#include "steps.h"

static bool
keep(const VtObjectStats *object, const VtObjectFilter *filter)
{
  return object->area_px >= filter->min_area_px && object->area_px <= filter->max_area_px
         && (double)object->sum_b <= filter->max_background * (double)object->area_px;
}

/* Closes the gaps in stats; renumber[old number] is the new one, 0 for what is dropped. */
static int64_t
keep_some(VtObjectStats *stats, int64_t n, const VtObjectFilter *filter, int32_t *renumber)
{
  int64_t n_kept = 0;
  renumber[0] = 0;
  for (int64_t i = 0; i < n; i++) {
    const bool kept = keep(&stats[i], filter);
    if (kept)
      stats[n_kept++] = stats[i];
    renumber[i + 1] = kept ? (int32_t)n_kept : 0;
  }
  return n_kept;
}

VitrailStatus
vt_objects_number(VtSteps *steps, const VtImage *labels, const VtImage *stain, const VtImage *background,
                  const VtObjectFilter *filter, VtObjectStats **stats, int64_t *n_objects)
{
  const VtNumber number = { *labels, *stain, *background, stats, n_objects };
  VitrailStatus status = vt_steps_number(steps, &number);
  if (status == VITRAIL_OK && *n_objects > 0) {
    int32_t *renumber = malloc((size_t)(*n_objects + 1) * sizeof *renumber);
    const VtRelabel relabel = { *labels, renumber, *n_objects + 1 };
    status = VITRAIL_OUT_OF_MEMORY;
    if (renumber) {
      *n_objects = keep_some(*stats, *n_objects, filter, renumber);
      status = vt_steps_relabel(steps, &relabel);
    }
    free(renumber);
  }
  if (status == VITRAIL_OUT_OF_MEMORY && !steps->lost)
    return vt_fail(steps->run, status, "There is not enough memory to count the objects.");
  return status;
}
