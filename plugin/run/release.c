/* SPDX-License-Identifier: MIT
 *
 * Memory that a run no longer needs. The system takes 80 ms to take back a gigabyte, more than a cancel may. */
#include <malloc.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "run/release.h"

#ifdef __linux__
#endif

enum { LARGE_PX = 1 << 22, PIECE_BYTES = 4 << 20 };

typedef struct VtRelease {
  struct VtRelease *next;
  pthread_t thread;
  uint32_t n;
  void *rasters[VT_MAX_RASTERS];
} VtRelease;

static void
free_all(void **rasters, uint32_t n)
{
  for (uint32_t i = 0; i < n; i++)
    free(rasters[i]);
}

/* The pages first, in pieces: while a large block goes back at once, no other thread of the program gets memory. */
static void
drop_pages(void *data)
{
#ifdef __linux__
  const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), end = (uintptr_t)data + malloc_usable_size(data);
  for (uintptr_t at = ((uintptr_t)data + page - 1) / page * page; at + page <= end; at += PIECE_BYTES) {
    const uintptr_t left = (end - at) / page * page;
    (void)madvise((void *)at, left < PIECE_BYTES ? left : PIECE_BYTES, MADV_DONTNEED);
  }
#endif
}

static void *
release(void *user)
{
  VtRelease *r = user;
  for (uint32_t i = 0; i < r->n; i++)
    drop_pages(r->rasters[i]);
  free_all(r->rasters, r->n);
  return NULL;
}

void
vt_release_rasters(VtRun *run, uint32_t mark)
{
  const uint32_t n = run->n_rasters - mark;
  VtRelease *r = NULL;
  run->n_rasters = mark;
  if (n > 0 && run->grid.width * run->grid.height >= LARGE_PX)
    r = malloc(sizeof *r);
  if (r) {
    r->n = n;
    r->next = run->session->release;
    memcpy(r->rasters, run->rasters + mark, n * sizeof *r->rasters);
  }
  if (r && pthread_create(&r->thread, NULL, release, r) == 0) {
    run->session->release = r;
  } else {
    free(r);
    free_all(run->rasters + mark, n);
  }
}

void
vt_release_wait(VitrailSession *session)
{
  while (session->release) {
    VtRelease *r = session->release;
    session->release = r->next;
    pthread_join(r->thread, NULL);
    free(r);
  }
}
