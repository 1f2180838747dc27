/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* mremap */
#include "pages.h"
#include "big-alloc.h"

#include <stdint.h>
#include <stdlib.h>

enum { MOST_BLOCKS = sizeof((VtCpuPages *)NULL)->blocks / sizeof((VtCpuPages *)NULL)->blocks[0] };

void
vt_cpu_pages_init(VtCpuPages *pages)
{
  *pages = (VtCpuPages){ .n = 0 };
  pthread_mutex_init(&pages->lock, NULL);
}

static void
free_blocks(VtCpuPages *pages)
{
  while (pages->n > 0)
    free(pages->blocks[--pages->n].memory);
}

void
vt_cpu_pages_drop(VtCpuPages *pages)
{
  pthread_mutex_lock(&pages->lock);
  free_blocks(pages);
  pthread_mutex_unlock(&pages->lock);
}

void
vt_cpu_pages_clear(VtCpuPages *pages)
{
  free_blocks(pages);
  pthread_mutex_destroy(&pages->lock);
}

#if defined(__linux__) && defined(MREMAP_DONTUNMAP)

/* A large block is a mapping of its own, which begins on the boundary of a large page; so do all pieces, and move as large pages. */
static size_t
count_pieces(const void *memory, size_t bytes)
{
  return (uintptr_t)memory % VT_CPU_LARGE == 0 ? bytes / VT_CPU_PIECE : 0;
}

/* Puts a kept piece's pages there. The block stays as it is, with none in that place. Called with the lock; false: there is none. The first
 * pieces of a block go first: scratch of which only a part was needed never touched its end. */
static bool
move_piece(VtCpuPages *pages, void *to)
{
  if (pages->n == 0)
    return false;
  void *block = pages->blocks[pages->n - 1].memory;
  const size_t piece = pages->blocks[pages->n - 1].n_moved++;
  pages->stuck = mremap((char *)block + piece * VT_CPU_PIECE, VT_CPU_PIECE, VT_CPU_PIECE,
                        MREMAP_MAYMOVE | MREMAP_FIXED | MREMAP_DONTUNMAP, to)
                 == MAP_FAILED;
  if (pages->stuck)
    free_blocks(pages);
  else if (piece + 1 == pages->blocks[pages->n - 1].n) {
    pages->n--;
    free(block);
  }
  return !pages->stuck;
}

void
vt_cpu_pages_fill(VtCpuPages *pages, void *memory, size_t bytes)
{
  const size_t n = count_pieces(memory, bytes);
  if (n == 0)
    return;
  pthread_mutex_lock(&pages->lock);
  for (size_t i = 0; i < n && move_piece(pages, (char *)memory + i * VT_CPU_PIECE); i++)
    ;
  pthread_mutex_unlock(&pages->lock);
}

void
vt_cpu_pages_free(VtCpuPages *pages, void *memory)
{
  const size_t bytes = vt_cpu_big_size(memory), n = count_pieces(memory, bytes);
  bool is_kept = false;
  if (n > 0) {
    const size_t rest = (bytes - n * VT_CPU_PIECE) / VT_CPU_LARGE * VT_CPU_LARGE; /* too little for a piece */
    (void)madvise((char *)memory + n * VT_CPU_PIECE, rest, MADV_DONTNEED);
    pthread_mutex_lock(&pages->lock);
    is_kept = pages->n < MOST_BLOCKS && !pages->stuck;
    if (is_kept) {
      pages->blocks[pages->n].memory = memory;
      pages->blocks[pages->n].n_moved = 0;
      pages->blocks[pages->n++].n = n;
    }
    pthread_mutex_unlock(&pages->lock);
  }
  if (!is_kept)
    free(memory);
}

#else

void
vt_cpu_pages_fill(VtCpuPages *pages, void *memory, size_t bytes)
{
  (void)pages;
  (void)memory;
  (void)bytes;
}

void
vt_cpu_pages_free(VtCpuPages *pages, void *memory)
{
  (void)pages;
  free(memory);
}

#endif
