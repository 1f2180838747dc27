/* SPDX-License-Identifier: MIT
 *
 * queue.h: a first-in first-out queue of pixel indices in a ring that doubles when it is full. Where all of them are
 * known to be 0..2^32-1 the owner sets `narrow` before the first one: half the memory. */
#pragma once

#include "big-alloc.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct VtCpuQueue {
  void *items;                  /* int64_t, or uint32_t */
  size_t head, count, capacity; /* capacity is 0 or a power of two */
  bool narrow;
} VtCpuQueue;

static inline void
vt_cpu_queue_clear(VtCpuQueue *queue)
{
  free(queue->items);
  *queue = (VtCpuQueue){ 0 };
}

static inline bool
vt_cpu_queue_grow(VtCpuQueue *queue)
{
  const size_t capacity = queue->capacity ? 2 * queue->capacity : 1024;
  const size_t size = queue->narrow ? sizeof(uint32_t) : sizeof(int64_t);
  char *items = capacity <= SIZE_MAX / size ? vt_cpu_big_alloc(capacity * size) : NULL;
  if (!items)
    return false;
  const size_t tail =
    queue->capacity - queue->head; /* a full ring: from head to the end, then from the start to head */
  if (queue->count > 0) {
    memcpy(items, (char *)queue->items + queue->head * size, tail * size);
    memcpy(items + tail * size, queue->items, queue->head * size);
  }
  free(queue->items);
  *queue = (VtCpuQueue){ items, 0, queue->count, capacity, queue->narrow };
  return true;
}

/* False: no memory; the queue is as it was. */
static inline bool
vt_cpu_queue_push(VtCpuQueue *queue, int64_t item)
{
  if (__builtin_expect(queue->count == queue->capacity, 0) && !vt_cpu_queue_grow(queue))
    return false;
  const size_t at = (queue->head + queue->count++) & (queue->capacity - 1);
  if (queue->narrow)
    ((uint32_t *)queue->items)[at] = (uint32_t)item;
  else
    ((int64_t *)queue->items)[at] = item;
  return true;
}

/* The queue must hold something. */
static inline int64_t
vt_cpu_queue_pop(VtCpuQueue *queue)
{
  const int64_t item =
    queue->narrow ? ((const uint32_t *)queue->items)[queue->head] : ((const int64_t *)queue->items)[queue->head];
  queue->head = (queue->head + 1) & (queue->capacity - 1);
  queue->count--;
  return item;
}
