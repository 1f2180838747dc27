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
TYPED(find_sources)(uint8_t *restrict source, const PIXEL *restrict marker, const PIXEL *restrict open,
                    const PIXEL *restrict open_below, int64_t n, bool eight)
{
  for (int64_t x = 0; x < n; x++) {
    PIXEL v = TYPED(min)(open[x + 1], open_below[x]);
    if (eight)
      v = TYPED(min)(v, TYPED(min)(open_below[x - 1], open_below[x + 1]));
    source[x] = v < marker[x];
  }
}

/* Second scan; queues every pixel from which a neighbour later in raster order can still take. */
static VitrailStatus
TYPED(backward_scan)(const TYPED(Planes) * p, bool eight, VtCpuQueue *queue, const VtCancel *cancel)
{
  const int64_t pitch = p->pitch, n = p->width;
  PIXEL *lines = malloc((size_t)pitch * (2 * sizeof(PIXEL) + 1));
  if (!lines)
    return VITRAIL_OUT_OF_MEMORY;
  PIXEL *open = lines + 1, *open_below = lines + pitch + 1;
  uint8_t *source = (uint8_t *)(lines + 2 * pitch);
  VitrailStatus status = VITRAIL_OK;
  for (int64_t x = 0; x < 2 * pitch; x++)
    lines[x] = HIGHEST;
  for (int64_t y = p->height; y-- > 0 && status == VITRAIL_OK;) {
    const PIXEL *marker = p->marker + y * pitch;
    TYPED(backward_row)(p, y, eight);
    TYPED(open_values)(open, marker, p->mask + y * pitch, n);
    if (eight)
      TYPED(find_sources)(source, marker, open, open_below, n, true);
    else
      TYPED(find_sources)(source, marker, open, open_below, n, false);
    for (const uint8_t *s = source; (s = memchr(s, 1, (size_t)(source + n - s))); s++)
      if (!vt_cpu_queue_push(queue, y * pitch + (s - source)))
        status = VITRAIL_OUT_OF_MEMORY;
    PIXEL *swap = open;
    open = open_below;
    open_below = swap;
    if (vt_cpu_cancelled_at(cancel, y))
      status = VITRAIL_CANCELLED;
  }
  free(lines);
  return status;
}

static VitrailStatus
TYPED(fh)(const VtReconstruct *args, const VtCancel *cancel)
{
  TYPED(Planes) planes;
  VtCpuQueue queue = { 0 };
  const bool eight = args->connectivity == 8;
  VitrailStatus status = TYPED(planes_init)(&planes, args);
  for (int64_t y = 0; y < planes.height && status == VITRAIL_OK; y++) {
    TYPED(forward_row)(&planes, y, eight);
    if (vt_cpu_cancelled_at(cancel, y))
      status = VITRAIL_CANCELLED;
  }
  if (status == VITRAIL_OK)
    status = TYPED(backward_scan)(&planes, eight, &queue, cancel);
  if (status == VITRAIL_OK)
    status = TYPED(propagate)(&planes, eight, &queue, cancel);
  if (status == VITRAIL_OK)
    TYPED(planes_store)(&planes, args);
  vt_cpu_queue_clear(&queue);
  free(planes.memory);
  return status;
}
