/* SPDX-License-Identifier: MIT
 *
 * sr-impl.h: template (each-type.h) of the sequential algorithm; its text is in sr.c. */
#include "planes-impl.h"

static VitrailStatus
TYPED(scan)(const TYPED(Planes) * p, bool eight, PIXEL *old, bool *changed, const VtCancel *cancel)
{
  const size_t bytes = (size_t)p->width * sizeof *old;
  for (int64_t step = 0; step < 2 * p->height; step++) {
    const bool forward = step < p->height;
    const int64_t y = forward ? step : 2 * p->height - 1 - step;
    memcpy(old, p->marker + y * p->pitch, bytes);
    if (forward)
      TYPED(forward_row)(p, y, eight);
    else
      TYPED(backward_row)(p, y, eight);
    *changed |= memcmp(old, p->marker + y * p->pitch, bytes) != 0;
    if (vt_cpu_cancelled_at(cancel, y))
      return VITRAIL_CANCELLED;
  }
  return VITRAIL_OK;
}

static VitrailStatus
TYPED(sr)(const VtReconstruct *args, const VtCancel *cancel)
{
  TYPED(Planes) planes;
  VitrailStatus status = TYPED(planes_init)(&planes, args);
  PIXEL *old = status == VITRAIL_OK ? malloc((size_t)planes.pitch * sizeof *old) : NULL;
  if (status == VITRAIL_OK && !old)
    status = VITRAIL_OUT_OF_MEMORY;
  for (bool changed = true; changed && status == VITRAIL_OK;) {
    changed = false;
    status = TYPED(scan)(&planes, args->connectivity == 8, old, &changed, cancel);
  }
  if (status == VITRAIL_OK)
    TYPED(planes_store)(&planes, args);
  free(old);
  free(planes.memory);
  return status;
}
