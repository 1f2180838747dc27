/* SPDX-License-Identifier: MIT
 *
 * qb-impl.h: template (each-type.h) of the queue-based algorithm; its text is in qb.c. */
#include "planes-impl.h"
#include "propagate-impl.h"

/* Flags every pixel that has a higher neighbour, and queues it. */
static VitrailStatus
TYPED(find_slopes)(const TYPED(Planes) * p, int n_neighbours, uint8_t *slope, VtCpuQueue *queue, const VtCancel *cancel)
{
  const int64_t w = p->pitch, around[8] = { -w, -1, 1, w, -w - 1, -w + 1, w - 1, w + 1 };
  for (int64_t y = 0; y < p->height; y++) {
    for (int64_t x = 0; x < p->width; x++) {
      const PIXEL *at = p->marker + y * w + x;
      PIXEL highest = *at;
      for (int k = 0; k < n_neighbours; k++)
        highest = TYPED(max)(highest, at[around[k]]);
      slope[y * w + x] = highest > *at;
      if (highest > *at && !vt_cpu_queue_push(queue, y * w + x))
        return VITRAIL_OUT_OF_MEMORY;
    }
    if (vt_cpu_cancelled_at(cancel, y))
      return VITRAIL_CANCELLED;
  }
  return VITRAIL_OK;
}

/* A plateau with one flagged pixel is no maximum: flags it whole. The frame is flagged already. */
static VitrailStatus
TYPED(spread_slopes)(const TYPED(Planes) * p, int n_neighbours, uint8_t *slope, VtCpuQueue *queue,
                     const VtCancel *cancel)
{
  const int64_t w = p->pitch, around[8] = { -w, -1, 1, w, -w - 1, -w + 1, w - 1, w + 1 };
  for (uint64_t pops = 1; queue->count > 0; pops++) {
    const int64_t at = vt_cpu_queue_pop(queue);
    for (int k = 0; k < n_neighbours; k++) {
      const int64_t next = at + around[k];
      if (slope[next] || p->marker[next] != p->marker[at])
        continue;
      slope[next] = 1;
      if (!vt_cpu_queue_push(queue, next))
        return VITRAIL_OUT_OF_MEMORY;
    }
    if ((pops & 0xffff) == 0 && vt_cancelled(cancel))
      return VITRAIL_CANCELLED;
  }
  return VITRAIL_OK;
}

/* Lowers all but the maxima and queues the maxima's rims. */
static VitrailStatus
TYPED(keep_maxima)(const TYPED(Planes) * p, int n_neighbours, const uint8_t *slope, VtCpuQueue *queue)
{
  const int64_t w = p->pitch, around[8] = { -w, -1, 1, w, -w - 1, -w + 1, w - 1, w + 1 };
  for (int64_t y = 0; y < p->height; y++)
    for (int64_t x = 0; x < p->width; x++) {
      const int64_t at = y * w + x;
      bool rim = false;
      if (slope[at])
        p->marker[at] = LOWEST;
      else
        for (int k = 0; k < n_neighbours; k++)
          rim |= slope[at + around[k]];
      if (rim && !vt_cpu_queue_push(queue, at))
        return VITRAIL_OUT_OF_MEMORY;
    }
  return VITRAIL_OK;
}

static VitrailStatus
TYPED(qb)(const VtReconstruct *args, const VtCancel *cancel)
{
  TYPED(Planes) planes;
  VtCpuQueue queue = { 0 };
  const int n_neighbours = args->connectivity;
  VitrailStatus status = TYPED(planes_init)(&planes, args);
  const size_t n_flags = (size_t)planes.pitch * ((size_t)planes.height + 2);
  uint8_t *flags = status == VITRAIL_OK ? malloc(n_flags) : NULL;
  if (status == VITRAIL_OK && !flags)
    status = VITRAIL_OUT_OF_MEMORY;
  if (status == VITRAIL_OK) {
    uint8_t *slope = flags + planes.pitch + 1;
    memset(flags, 1, n_flags);
    status = TYPED(find_slopes)(&planes, n_neighbours, slope, &queue, cancel);
    if (status == VITRAIL_OK)
      status = TYPED(spread_slopes)(&planes, n_neighbours, slope, &queue, cancel);
    if (status == VITRAIL_OK)
      status = TYPED(keep_maxima)(&planes, n_neighbours, slope, &queue);
  }
  free(flags);
  if (status == VITRAIL_OK)
    status = TYPED(propagate)(&planes, n_neighbours == 8, &queue, cancel);
  if (status == VITRAIL_OK)
    TYPED(planes_store)(&planes, args);
  vt_cpu_queue_clear(&queue);
  free(planes.memory);
  return status;
}
