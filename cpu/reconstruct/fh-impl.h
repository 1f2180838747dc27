/* SPDX-License-Identifier: MIT
 *
 * fh-impl.h: template (each-type.h) of the fast hybrid algorithm; its text is in fh.c. */
#include "planes-impl.h"
#include "propagate-impl.h"

/* What a pixel that can still grow has to offer itself to be overtaken: its value; HIGHEST when it is at its mask. */
static inline void
TYPED(open_values)(PIXEL *restrict open, const PIXEL *restrict marker, const PIXEL *restrict mask, int64_t n)
{
  for (int64_t x = 0; x < n; x++)
    open[x] = marker[x] < mask[x] ? marker[x] : HIGHEST;
}

static inline void
TYPED(lower)(PIXEL *restrict least, const PIXEL *restrict open, int64_t n, bool wide)
{
  for (int64_t x = 0; x < n; x++) {
    PIXEL v = TYPED(min)(least[x], open[x]);
    if (wide)
      v = TYPED(min)(v, TYPED(min)(open[x - 1], open[x + 1]));
    least[x] = v;
  }
}

/* Second scan; queues every pixel from which a neighbour later in raster order can still take. */
static VitrailStatus
TYPED(backward_scan)(const TYPED(Planes) * p, VtCpuQueue *queue, const VtCancel *cancel)
{
  const int64_t pitch = p->pitch, n = p->width;
  PIXEL *lines = malloc((size_t)pitch * (2 * sizeof(PIXEL) + 1));
  if (!lines)
    return VITRAIL_OUT_OF_MEMORY;
  PIXEL *open = lines + 1, *least = lines + pitch;
  uint8_t *source = (uint8_t *)(lines + 2 * pitch);
  VitrailStatus status = VITRAIL_OK;
  open[-1] = open[n] = HIGHEST;
  for (int64_t i = p->depth * p->height; i-- > 0 && status == VITRAIL_OK;) {
    const int64_t row = TYPED(row_at)(p, i);
    const PIXEL *marker = p->marker + row;
    TYPED(backward_row)(p, row);
    TYPED(open_values)(open, marker, p->mask + row, n);
    memcpy(least, open + 1, (size_t)n * sizeof *least);
    for (int k = 0; k < p->n_rows; k++) {
      TYPED(open_values)(open, marker - p->rows[k], p->mask + row - p->rows[k], n);
      if (p->wide)
        TYPED(lower)(least, open, n, true);
      else
        TYPED(lower)(least, open, n, false);
    }
    for (int64_t x = 0; x < n; x++)
      source[x] = least[x] < marker[x];
    for (const uint8_t *s = source; (s = memchr(s, 1, (size_t)(source + n - s))); s++)
      if (!vt_cpu_queue_push(queue, row + (s - source)))
        status = VITRAIL_OUT_OF_MEMORY;
    if (vt_cpu_cancelled_at(cancel, i))
      status = VITRAIL_CANCELLED;
  }
  free(lines);
  return status;
}

static VitrailStatus
TYPED(solve)(TYPED(Planes) * p, VtCpuQueue *queue, const VtCancel *cancel)
{
  for (int64_t i = 0; i < p->depth * p->height; i++) {
    TYPED(forward_row)(p, TYPED(row_at)(p, i));
    if (vt_cpu_cancelled_at(cancel, i))
      return VITRAIL_CANCELLED;
  }
  const VitrailStatus status = TYPED(backward_scan)(p, queue, cancel);
  return status == VITRAIL_OK ? TYPED(propagate)(p, queue, cancel) : status;
}

#include "stripes-impl.h"
