/* SPDX-License-Identifier: MIT
 *
 * iwpp.h: irregular wavefront propagation (G. Teodoro et al., Efficient irregular wavefront propagation algorithms on
 * hybrid CPU-GPU machines, Parallel Computing 2013, algorithm 1). Pixels of the wavefront offer what they have to their
 * neighbours; one that takes it changes and enters the wavefront in turn; it ends when nobody takes anything.
 *
 * A new wavefront is one small file: planes with a frame of one pixel (position (y + 1) * pitch + x + 1), the first
 * pixels in a queue, and an offer, two or three lines that say when a neighbour takes. geodesic.c is the model. All of it is
 * inlined: with a constant number of neighbours and a constant function the loops are those that would be written by hand.
 *
 * Which of the loops?
 *  vt_iwpp_flow    first in, first out, values as they are when a pixel's turn comes. For fixpoints that no order changes.
 *  vt_iwpp_once    the same where every pixel enters at most once and the caller wants the list of them.
 *  vt_iwpp_rounds  in rounds, with the values at the start of a round. For operations whose answer depends on the order. */
#pragma once

#include "../queue.h"
#include "vt-backend.h"

#define VT_IWPP_INLINE static inline __attribute__((always_inline))

typedef struct VtIwpp {
  int64_t pitch;
  int n_around; /* 4 or 8; a constant where it is called is faster */
  const VtCancel *cancel;
  const int64_t
    *around; /* what to add to a position for each neighbour, in stacks; NULL: those of a plane, by its pitch */
} VtIwpp;

typedef struct VtIwppStep {
  int64_t from, to; /* positions */
  int64_t value;    /* what `from` offers, in rounds: as it entered */
  int64_t x, y;     /* of `to` in a plane, less the frame; computed only if it is used */
} VtIwppStep;

/* True: `to` took it and must enter the wavefront. Positions of the frame must not take. */
typedef bool (*VtIwppOffer)(void *state, const VtIwppStep *step);

/* What the pixel offers; an offer that looks it up itself needs none (NULL). */
typedef int64_t (*VtIwppValue)(const void *state, int64_t at);

typedef struct VtIwppItem {
  int64_t at, value;
} VtIwppItem;

enum { VT_IWPP_PATIENCE = 1 << 14 }; /* pixels between two looks at `cancel` */

/* The first four neighbours are the 4-connected ones. */
VT_IWPP_INLINE VtIwppStep
vt_iwpp_step(const VtIwpp *wave, VtIwppItem item, int k)
{
  static const int dx[8] = { 0, -1, 1, 0, -1, 1, -1, 1 }, dy[8] = { -1, 0, 0, 1, -1, -1, 1, 1 };
  if (wave->around)
    return (VtIwppStep){ .from = item.at, .to = item.at + wave->around[k], .value = item.value };
  return (VtIwppStep){ .from = item.at,
                       .to = item.at + dy[k] * wave->pitch + dx[k],
                       .value = item.value,
                       .x = item.at % wave->pitch - 1 + dx[k],
                       .y = item.at / wave->pitch - 1 + dy[k] };
}

VT_IWPP_INLINE VitrailStatus
vt_iwpp_flow(const VtIwpp *wave, VtCpuQueue *queue, void *state, VtIwppValue value, VtIwppOffer offer)
{
  for (uint64_t pops = 1; queue->count > 0; pops++) {
    const int64_t at = vt_cpu_queue_pop(queue);
    const VtIwppItem item = { at, value ? value(state, at) : 0 };
    for (int k = 0; k < wave->n_around; k++) {
      const VtIwppStep step = vt_iwpp_step(wave, item, k);
      if (offer(state, &step) && !vt_cpu_queue_push(queue, step.to))
        return VITRAIL_OUT_OF_MEMORY;
    }
    if (pops % VT_IWPP_PATIENCE == 0 && vt_cancelled(wave->cancel))
      return VITRAIL_CANCELLED;
  }
  return VITRAIL_OK;
}

/* list[0..n - 1] is the first wavefront; it has room for every pixel that takes and keeps them all. */
VT_IWPP_INLINE VitrailStatus
vt_iwpp_once(const VtIwpp *wave, int32_t *list, int64_t n, void *state, VtIwppValue value, VtIwppOffer offer)
{
  for (int64_t i = 0; i < n; i++) {
    const VtIwppItem item = { list[i], value ? value(state, list[i]) : 0 };
    for (int k = 0; k < wave->n_around; k++) {
      const VtIwppStep step = vt_iwpp_step(wave, item, k);
      if (offer(state, &step))
        list[n++] = (int32_t)step.to;
    }
    if (i % VT_IWPP_PATIENCE == VT_IWPP_PATIENCE - 1 && vt_cancelled(wave->cancel))
      return VITRAIL_CANCELLED;
  }
  return VITRAIL_OK;
}

/* What the next n pixels of the wavefront have to offer as a round begins; they enter again at its end. */
VT_IWPP_INLINE VitrailStatus
vt_iwpp_note_values(const VtIwpp *wave, VtCpuQueue *queue, VtCpuQueue *values, uint8_t *entered, const void *state,
                    VtIwppValue value)
{
  const size_t n = queue->count;
  for (size_t i = 0; i < n; i++) {
    const int64_t at = vt_cpu_queue_pop(queue);
    if (!vt_cpu_queue_push(values, value(state, at)) || !vt_cpu_queue_push(queue, at))
      return VITRAIL_OUT_OF_MEMORY;
    entered[at] = 0;
    if (i % VT_IWPP_PATIENCE == 0 && vt_cancelled(wave->cancel))
      return VITRAIL_CANCELLED;
  }
  return VITRAIL_OK;
}

/* queue: the first wavefront; on return there is nothing in it, or it failed. */
VT_IWPP_INLINE VitrailStatus
vt_iwpp_rounds(const VtIwpp *wave, VtCpuQueue *queue, int64_t n_positions, void *state, VtIwppValue value,
               VtIwppOffer offer)
{
  VtCpuQueue values = { 0 };
  uint8_t *entered = vt_cpu_big_calloc((size_t)n_positions, 1); /* in the next round */
  VitrailStatus status = entered ? VITRAIL_OK : VITRAIL_OUT_OF_MEMORY;
  while (status == VITRAIL_OK && queue->count > 0) {
    status = vt_iwpp_note_values(wave, queue, &values, entered, state, value);
    for (uint64_t n = 1; status == VITRAIL_OK && values.count > 0; n++) {
      const int64_t at = vt_cpu_queue_pop(queue);
      const VtIwppItem item = { at, vt_cpu_queue_pop(&values) };
      for (int k = 0; k < wave->n_around && status == VITRAIL_OK; k++) {
        const VtIwppStep step = vt_iwpp_step(wave, item, k);
        if (!offer(state, &step) || entered[step.to])
          continue;
        entered[step.to] = 1;
        if (!vt_cpu_queue_push(queue, step.to))
          status = VITRAIL_OUT_OF_MEMORY;
      }
      if (n % VT_IWPP_PATIENCE == 0 && vt_cancelled(wave->cancel))
        status = VITRAIL_CANCELLED;
    }
  }
  vt_cpu_queue_clear(&values);
  free(entered);
  return status;
}
