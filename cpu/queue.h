/* SPDX-License-Identifier: MIT
 *
 * queue.h: a first-in first-out queue of pixel indices. Where all of them are known to be 0..2^32-1 the owner sets `narrow`
 * before the first one: half the memory. The items lie in a chain of blocks, each as large as all before it up to 2 MiB.
 * Nothing is moved when the queue grows, because moving hundreds of MiB would delay the look at a cancel. So a push takes at most as long as
 * the memory of one block takes to come. An emptied block is the next one that is filled. */
#pragma once

#include "big-alloc.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

typedef struct VtCpuQueueBlock {
  struct VtCpuQueueBlock *next;
  char *end;
  _Alignas(64) char items[]; /* int64_t, or uint32_t */
} VtCpuQueueBlock;

enum { VT_CPU_QUEUE_FIRST_BYTES = 1 << 13, VT_CPU_QUEUE_MOST_BYTES = 1 << 21 };

typedef struct VtCpuQueue {
  VtCpuQueueBlock *first, *last; /* from the one that is emptied to the one that is filled; NULL: no block yet */
  VtCpuQueueBlock *spare;        /* emptied ones */
  char *out, *out_end;           /* the next item in `first` */
  char *in, *in_end;             /* the next place in `last` */
  size_t count, bytes;           /* items; memory of all blocks */
  bool narrow;
} VtCpuQueue;

static inline void
vt_cpu_queue_clear(VtCpuQueue *queue)
{
  VtCpuQueueBlock *const chains[] = { queue->first, queue->spare };
  for (int k = 0; k < 2; k++)
    for (VtCpuQueueBlock *block = chains[k], *next; block; block = next) {
      next = block->next;
      free(block);
    }
  *queue = (VtCpuQueue){ 0 };
}

/* A place for the next push; false: no memory. */
static __attribute__((noinline)) bool
vt_cpu_queue_grow(VtCpuQueue *queue)
{
  VtCpuQueueBlock *block = queue->spare;
  if (block) {
    queue->spare = block->next;
  } else {
    size_t bytes = queue->bytes > VT_CPU_QUEUE_FIRST_BYTES ? queue->bytes : VT_CPU_QUEUE_FIRST_BYTES;
    bytes = bytes < VT_CPU_QUEUE_MOST_BYTES ? bytes : VT_CPU_QUEUE_MOST_BYTES;
    block = vt_cpu_big_alloc(bytes);
    if (!block)
      return false;
    block->end = (char *)block + bytes;
    queue->bytes += bytes;
  }
  block->next = NULL;
  if (queue->last)
    queue->last->next = block;
  queue->last = block;
  queue->in = block->items;
  queue->in_end = block->end;
  if (!queue->first) {
    queue->first = block;
    queue->out = block->items;
    queue->out_end = block->end;
  }
  return true;
}

/* The first block is empty, and there is a next one. */
static __attribute__((noinline)) void
vt_cpu_queue_advance(VtCpuQueue *queue)
{
  VtCpuQueueBlock *block = queue->first;
  queue->first = block->next;
  queue->out = queue->first->items;
  queue->out_end = queue->first->end;
  block->next = queue->spare;
  queue->spare = block;
}

/* False: no memory; the queue is as it was. */
static inline bool
vt_cpu_queue_push(VtCpuQueue *queue, int64_t item)
{
  if (__builtin_expect(queue->in == queue->in_end, 0) && !vt_cpu_queue_grow(queue))
    return false;
  if (queue->narrow)
    *(uint32_t *)queue->in = (uint32_t)item;
  else
    *(int64_t *)queue->in = item;
  queue->in += queue->narrow ? sizeof(uint32_t) : sizeof(int64_t);
  queue->count++;
  return true;
}

/* The queue must hold something. */
static inline int64_t
vt_cpu_queue_pop(VtCpuQueue *queue)
{
  if (__builtin_expect(queue->out == queue->out_end, 0))
    vt_cpu_queue_advance(queue);
  const int64_t item = queue->narrow ? *(const uint32_t *)queue->out : *(const int64_t *)queue->out;
  queue->out += queue->narrow ? sizeof(uint32_t) : sizeof(int64_t);
  queue->count--;
  return item;
}
