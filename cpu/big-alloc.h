/* SPDX-License-Identifier: MIT
 *
 * big-alloc.h: memory for scratch of the size of an image. In pages of the usual size the first touch of each would cost
 * as much as the work on it. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#ifdef __linux__
#include <malloc.h>
#include <sys/mman.h>
#endif

enum { VT_CPU_LARGE = 2 << 20 /* a page of the large kind */ };

/* Contents undefined; on a 256-byte boundary, a large one on that of a page; for free(). */
static inline void *
vt_cpu_big_alloc(size_t bytes)
{
  const size_t big = VT_CPU_LARGE, grain = bytes >= big ? big : 256;
  if (bytes > SIZE_MAX - grain)
    return NULL;
  void *memory = aligned_alloc(grain, (bytes + grain - 1) / grain * grain);
#if defined(__linux__) && defined(MADV_HUGEPAGE)
  if (memory && grain == big)
    madvise(memory, (bytes + grain - 1) / grain * grain, MADV_HUGEPAGE); /* a wish: its failure costs time only */
#endif
  return memory;
}

/* Of memory from vt_cpu_big_alloc(), at least what was asked for; 0: the C library does not say. */
static inline size_t
vt_cpu_big_size(void *memory)
{
#ifdef __linux__
  return memory ? malloc_usable_size(memory) : 0;
#else
  return 0;
#endif
}

/* As vt_cpu_big_alloc(), all zero: memory that comes from the system is, and is not touched here. */
static inline void *
vt_cpu_big_calloc(size_t n, size_t size)
{
  void *memory = calloc(n, size);
#if defined(__linux__) && defined(MADV_HUGEPAGE)
  const uintptr_t big = VT_CPU_LARGE, start = ((uintptr_t)memory + big - 1) & ~(big - 1),
                  end = ((uintptr_t)memory + n * size) & ~(big - 1);
  if (memory && end > start)
    madvise((void *)start, end - start, MADV_HUGEPAGE);
#endif
  return memory;
}
