/* SPDX-License-Identifier: MIT
 *
 * sr-impl.h: template (each-type.h) of the sequential algorithm; its text is in sr.c. */
#include "../reconstruct/planes-impl.h"
#include "../reconstruct/propagate-impl.h"

static VitrailStatus
TYPED(scan)(const TYPED(Planes) * p, PIXEL *old, bool *changed, const VtCancel *cancel)
{
  const size_t bytes = (size_t)p->width * sizeof *old;
  const int64_t n_rows = p->depth * p->height;
  for (int64_t step = 0; step < 2 * n_rows; step++) {
    const bool forward = step < n_rows;
    const int64_t row = TYPED(row_at)(p, forward ? step : 2 * n_rows - 1 - step);
    memcpy(old, p->marker + row, bytes);
    if (forward)
      TYPED(forward_row)(p, row);
    else
      TYPED(backward_row)(p, row);
    *changed |= memcmp(old, p->marker + row, bytes) != 0;
    if (vt_cpu_cancelled_at(cancel, step))
      return VITRAIL_CANCELLED;
  }
  return VITRAIL_OK;
}

static VitrailStatus
TYPED(solve)(TYPED(Planes) * p, VtCpuQueue *queue, const VtCancel *cancel)
{
  PIXEL *old = malloc((size_t)p->pitch * sizeof *old);
  VitrailStatus status = old ? VITRAIL_OK : VITRAIL_OUT_OF_MEMORY;
  for (bool changed = true; changed && status == VITRAIL_OK;) {
    changed = false;
    status = TYPED(scan)(p, old, &changed, cancel);
  }
  free(old);
  return status;
}

#include "../reconstruct/stripes-impl.h"
