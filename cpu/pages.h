/* SPDX-License-Identifier: MIT
 *
 * pages.h: pages of large memory that was given back, for whatever is asked for next: the system clears new ones, which takes as long
 * as the work on them. Pages change their place, not their contents, so that sizes need not fit: an image of 4 bytes a pixel leaves
 * them to two of 2. New ones are asked for only when none is kept, so what is kept and what is in use are together never more than was
 * in use at a time. Where the system can't move pages (it is no Linux of 2020 or later) nothing is kept. */
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct VtCpuPages {
  pthread_mutex_t lock; /* guards what follows */
  bool stuck;           /* the system moves none */
  size_t n;
  struct {
    void *memory;
    size_t n_moved, n; /* pieces of VT_CPU_PIECE bytes: the first ones, that no longer have their pages; all */
  } blocks[64];
} VtCpuPages;

enum { VT_CPU_PIECE = 16 << 20 };

void vt_cpu_pages_init(VtCpuPages *pages);
/* Gives what is kept back to the system. [any] */
void vt_cpu_pages_drop(VtCpuPages *pages);
/* The same, at the end. */
void vt_cpu_pages_clear(VtCpuPages *pages);

/* Memory of vt_cpu_big_alloc() that nobody has touched: puts kept pages under it, with whatever they hold. [any] */
void vt_cpu_pages_fill(VtCpuPages *pages, void *memory, size_t bytes);
/* free() of memory of vt_cpu_big_alloc(), whose pages are kept. NULL: nothing. [any] */
void vt_cpu_pages_free(VtCpuPages *pages, void *memory);
