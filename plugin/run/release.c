/* SPDX-License-Identifier: MIT
 *
 * Memory that a run no longer needs. The system takes 80 ms to take back a gigabyte, more than a cancel may. */
#include <malloc.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "run/cache.h"
#include "run/release.h"

enum { LARGE_PX = 1 << 22, PIECE_BYTES = 4 << 20 };

typedef struct VtRelease {
  struct VtRelease *next;
  pthread_t thread;
  uint32_t n;
  void *rasters[VT_MAX_RASTERS];
  const VtBackend *backend;
  VtRunMemory memory;
  bool keeps;
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
  for (uint32_t i = 0; i < r->n && in_pieces && !r->keeps; i++)
    drop_pages(r->rasters[i]);
  for (uint32_t i = 0; i < r->n; i++)
    r->backend->free(r->keeps ? r->memory.team : NULL, r->rasters[i]);
  VtDevice *const devices[] = { r->memory.device, r->memory.team };
  for (size_t i = 0; i < VT_COUNT(devices); i++)
    if (devices[i] && r->keeps)
      r->backend->keep_memory(devices[i], VT_RUN_KEPT_BYTES / VT_COUNT(devices));
    else if (devices[i])
      r->backend->close(devices[i]);
}

static void *
release(void *user)
{
  release_all(user, true);
  return NULL;
}

static void
begin(VtRun *run, const VtRelease *here)
{
  VtRelease *r = run->grid.width * run->grid.height >= LARGE_PX ? malloc(sizeof *r) : NULL;
  if (r) {
    *r = *here;
    r->next = run->session->release;
  }
  if (r && pthread_create(&r->thread, NULL, release, r) == 0) {
    run->session->release = r;
  } else {
    VtRelease now = *here;
    free(r);
    release_all(&now, false);
  }
}

/* Takes them out of the run. */
static VtRelease
take_rasters(VtRun *run, uint32_t mark)
{
  VtRelease r = { .n = run->n_rasters > mark ? run->n_rasters - mark : 0, .backend = run->cpu };
  memcpy(r.rasters, run->rasters + mark, r.n * sizeof *r.rasters);
  run->n_rasters -= r.n;
  return r;
}

void
vt_release_rasters(VtRun *run, uint32_t mark)
{
  const VtRelease r = take_rasters(run, mark);
  if (r.n > 0)
    begin(run, &r);
}

void
vt_release_run(VtRun *run, bool keeps)
{
  VtRelease r = take_rasters(run, 0);
  VitrailSession *session = run->session;
  r.memory = run->memory;
  r.keeps = keeps && r.memory.device && r.memory.team;
  run->memory = (VtRunMemory){ NULL, NULL };
  if (r.keeps)
    session->memory = r.memory;
  else if (session->cache && r.memory.team)
    session->cache->device = NULL;
  if (r.n > 0 || r.memory.device || r.memory.team)
    begin(run, &r);
}

void
vt_release_memory(VitrailSession *session)
{
  const VtBackend *cpu = session->backends[0].backend;
  vt_release_wait(session);
  if (session->cache)
    session->cache->device = NULL;
  if (session->memory.device)
    cpu->close(session->memory.device);
  if (session->memory.team)
    cpu->close(session->memory.team);
  session->memory = (VtRunMemory){ NULL, NULL };
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
