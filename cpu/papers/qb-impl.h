/* SPDX-License-Identifier: MIT
 *
 * qb-impl.h: template (each-type.h) of the queue-based algorithm; its text is in qb.c. */
#include "../reconstruct/planes-impl.h"
#include "../reconstruct/propagate-impl.h"

/* Flags every pixel that has a higher neighbour. */
static VitrailStatus
TYPED(find_slopes)(const TYPED(Planes) * p, uint8_t *slope, const VtCancel *cancel)
{
  for (int64_t i = 0; i < p->depth * p->height; i++) {
    const int64_t row = TYPED(row_at)(p, i);
    for (int64_t at = row; at < row + p->width; at++) {
      PIXEL highest = p->marker[at];
      for (int k = 0; k < p->n_around; k++)
        highest = TYPED(max)(highest, p->marker[at + p->around[k]]);
      slope[at] = highest > p->marker[at];
    }
    if (vt_cpu_cancelled_at(cancel, i))
      return VITRAIL_CANCELLED;
  }
  return VITRAIL_OK;
}

/* Flags, and queues, the neighbours of a flagged pixel that are as high as it is. */
static inline bool
TYPED(flag_around)(const TYPED(Planes) * p, int64_t at, uint8_t *slope, VtCpuQueue *queue)
{
  for (int k = 0; k < p->n_around; k++) {
    const int64_t next = at + p->around[k];
    if (slope[next] || p->marker[next] != p->marker[at])
      continue;
    slope[next] = 1;
    if (!vt_cpu_queue_push(queue, next))
      return false;
  }
  return true;
}

/* A plateau with one flagged pixel is no maximum: flags it whole. The frame is flagged already. */
static VitrailStatus
TYPED(spread_slopes)(const TYPED(Planes) * p, uint8_t *slope, VtCpuQueue *queue, const VtCancel *cancel)
{
  uint64_t n = 0;
  for (int64_t i = 0; i < p->depth * p->height; i++) {
    const int64_t row = TYPED(row_at)(p, i);
    for (int64_t at = row; at < row + p->width; at++) {
      if (slope[at] && !TYPED(flag_around)(p, at, slope, queue))
        return VITRAIL_OUT_OF_MEMORY;
      for (; queue->count > 0; n++) {
        if (!TYPED(flag_around)(p, vt_cpu_queue_pop(queue), slope, queue))
          return VITRAIL_OUT_OF_MEMORY;
        if ((n & 0x3fff) == 0x3fff && vt_cancelled(cancel))
          return VITRAIL_CANCELLED;
      }
    }
    if (vt_cpu_cancelled_at(cancel, i))
      return VITRAIL_CANCELLED;
  }
  return VITRAIL_OK;
}

/* Lowers all but the maxima and queues the maxima's rims. */
static VitrailStatus
TYPED(keep_maxima)(const TYPED(Planes) * p, const uint8_t *slope, VtCpuQueue *queue, const VtCancel *cancel)
{
  for (int64_t i = 0; i < p->depth * p->height; i++) {
    const int64_t row = TYPED(row_at)(p, i);
    for (int64_t at = row; at < row + p->width; at++) {
      bool rim = false;
      if (slope[at])
        p->marker[at] = LOWEST;
      else
        for (int k = 0; k < p->n_around; k++)
          rim |= slope[at + p->around[k]];
      if (rim && !vt_cpu_queue_push(queue, at))
        return VITRAIL_OUT_OF_MEMORY;
    }
    if (vt_cpu_cancelled_at(cancel, i))
      return VITRAIL_CANCELLED;
  }
  return VITRAIL_OK;
}

static VitrailStatus
TYPED(solve)(TYPED(Planes) * p, VtCpuQueue *queue, const VtCancel *cancel)
{
  uint8_t *flags = vt_cpu_big_alloc((size_t)p->n_pixels), *slope = flags + p->origin;
  if (!flags)
    return VITRAIL_OUT_OF_MEMORY;
  VitrailStatus status = VITRAIL_OK;
  for (int64_t at = 0; at < p->n_pixels && status == VITRAIL_OK;
       at += FLAGS_AT_ONCE) { /* memory never touched before */
    memset(flags + at, 1, (size_t)(p->n_pixels - at < FLAGS_AT_ONCE ? p->n_pixels - at : FLAGS_AT_ONCE));
    status = vt_cancelled(cancel) ? VITRAIL_CANCELLED : VITRAIL_OK;
  }
  if (status == VITRAIL_OK)
    status = TYPED(find_slopes)(p, slope, cancel);
  if (status == VITRAIL_OK)
    status = TYPED(spread_slopes)(p, slope, queue, cancel);
  if (status == VITRAIL_OK)
    status = TYPED(keep_maxima)(p, slope, queue, cancel);
  free(flags);
  return status == VITRAIL_OK ? TYPED(propagate)(p, queue, cancel) : status;
}

#include "../reconstruct/stripes-impl.h"
