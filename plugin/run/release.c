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

enum { LARGE_PX = 1 << 22, PIECE_BYTES = 4 << 20 };

typedef struct VtRelease {
  struct VtRelease *next;
  pthread_t thread;
  uint32_t n;
  void *rasters[VT_MAX_RASTERS];
  const VtBackend *backend;
  VtDevice *device; /* NULL: none */
} VtRelease;

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

static void
release_all(VtRelease *r, bool in_pieces)
{
  for (uint32_t i = 0; i < r->n && in_pieces; i++)
    drop_pages(r->rasters[i]);
  for (uint32_t i = 0; i < r->n; i++)
    free(r->rasters[i]);
  if (r->device)
    r->backend->close(r->device);
}

static void *
release(void *user)
{
  release_all(user, true);
  return NULL;
}

void
vt_release_rasters(VtRun *run, uint32_t mark, VtDevice *device)
{
  VtRelease here = { .n = run->n_rasters - mark, .backend = run->cpu, .device = device }, *r = NULL;
  memcpy(here.rasters, run->rasters + mark, here.n * sizeof *here.rasters);
  run->n_rasters = mark;
  if ((here.n > 0 || device) && run->grid.width * run->grid.height >= LARGE_PX)
    r = malloc(sizeof *r);
  if (r) {
    *r = here;
    r->next = run->session->release;
  }
  if (r && pthread_create(&r->thread, NULL, release, r) == 0) {
    run->session->release = r;
  } else {
    free(r);
    release_all(&here, false);
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
