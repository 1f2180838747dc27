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

/* Doubles the room of a list of items; false: no memory. */
static inline bool
vt_iwpp_grow(VtIwppItem **items, int64_t *capacity)
{
  const int64_t wanted = *capacity > 0 ? 2 * *capacity : 1024;
  VtIwppItem *larger = realloc(*items, (size_t)wanted * sizeof *larger);
  if (!larger)
    return false;
  *items = larger;
  *capacity = wanted;
  return true;
}

/* One round: items[0..*n - 1] make their offers; then items are those that took. entered: a byte per position, 0 and 0
 * again on return. The two lists, of any capacity, change places. */
VT_IWPP_INLINE VitrailStatus
vt_iwpp_round(const VtIwpp *wave, VtIwppItem *items[2], int64_t capacity[2], int64_t *n, uint8_t *entered, void *state,
              VtIwppValue value, VtIwppOffer offer)
{
  int64_t n_next = 0;
  for (int64_t i = 0; i < *n; i++) {
    if (i % VT_IWPP_PATIENCE == VT_IWPP_PATIENCE - 1 && vt_cancelled(wave->cancel))
      return VITRAIL_CANCELLED;
    for (int k = 0; k < wave->n_around; k++) {
      const VtIwppStep step = vt_iwpp_step(wave, items[0][i], k);
      if (!offer(state, &step) || entered[step.to])
        continue;
      if (n_next == capacity[1] && !vt_iwpp_grow(&items[1], &capacity[1]))
        return VITRAIL_OUT_OF_MEMORY;
      entered[step.to] = 1;
      items[1][n_next++].at = step.to;
    }
  }
  for (int64_t i = 0; i < n_next; i++) {
    items[1][i].value = value(state, items[1][i].at);
    entered[items[1][i].at] = 0;
  }
  VtIwppItem *const done = items[0];
  const int64_t room = capacity[0];
  items[0] = items[1];
  items[1] = done;
  capacity[0] = capacity[1];
  capacity[1] = room;
  *n = n_next;
  return vt_cancelled(wave->cancel) ? VITRAIL_CANCELLED : VITRAIL_OK;
}

/* first: the positions of the first wavefront; the queue is emptied. */
VT_IWPP_INLINE VitrailStatus
vt_iwpp_rounds(const VtIwpp *wave, VtCpuQueue *first, int64_t n_positions, void *state, VtIwppValue value,
               VtIwppOffer offer)
{
  VtIwppItem *items[2] = { malloc((first->count + 1) * sizeof **items), NULL };
  uint8_t *entered = calloc((size_t)n_positions, 1);
  int64_t capacity[2] = { (int64_t)first->count, 0 }, n = 0;
  VitrailStatus status = items[0] && entered ? VITRAIL_OK : VITRAIL_OUT_OF_MEMORY;
  for (; status == VITRAIL_OK && first->count > 0; n++) {
    const int64_t at = vt_cpu_queue_pop(first);
    items[0][n] = (VtIwppItem){ at, value(state, at) };
    if (n % VT_IWPP_PATIENCE == 0 && vt_cancelled(wave->cancel))
      status = VITRAIL_CANCELLED;
  }
  vt_cpu_queue_clear(first);
  while (status == VITRAIL_OK && n > 0)
    status = vt_iwpp_round(wave, items, capacity, &n, entered, state, value, offer);
  free(items[0]);
  free(items[1]);
  free(entered);
  return status;
}
