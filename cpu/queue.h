/* SPDX-License-Identifier: MIT
 *
 * queue.h: a first-in first-out queue of pixel indices in a ring that doubles when it is full. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct VtCpuQueue {
  int64_t *items;
  size_t head, count, capacity; /* capacity is 0 or a power of two */
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
  int64_t *items = capacity <= SIZE_MAX / sizeof *items ? malloc(capacity * sizeof *items) : NULL;
  if (!items)
    return false;
  const size_t tail =
    queue->capacity - queue->head; /* a full ring: from head to the end, then from the start to head */
  if (queue->count > 0) {
    memcpy(items, queue->items + queue->head, tail * sizeof *items);
    memcpy(items + tail, queue->items, queue->head * sizeof *items);
  }
  free(queue->items);
  *queue = (VtCpuQueue){ items, 0, queue->count, capacity };
  return true;
}

/* False: no memory; the queue is as it was. */
static inline bool
vt_cpu_queue_push(VtCpuQueue *queue, int64_t item)
{
  if (__builtin_expect(queue->count == queue->capacity, 0) && !vt_cpu_queue_grow(queue))
    return false;
  queue->items[(queue->head + queue->count++) & (queue->capacity - 1)] = item;
  return true;
}

/* The queue must hold something. */
static inline int64_t
vt_cpu_queue_pop(VtCpuQueue *queue)
{
  const int64_t item = queue->items[queue->head];
  queue->head = (queue->head + 1) & (queue->capacity - 1);
  queue->count--;
  return item;
}
