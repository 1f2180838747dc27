/* SPDX-License-Identifier: MIT
 *
 * Memory that a run no longer needs. The system takes 80 ms to take back a gigabyte, more than a cancel may. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "vt-run-context.h"

enum { LARGE_PX = 1 << 22 };

typedef struct VtRelease {
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

static void *
release(void *user)
{
  VtRelease *r = user;
  free_all(r->rasters, r->n);
  return NULL;
}

void
vt_release_rasters(VtRun *run)
{
  VtRelease *r = NULL;
  if (run->n_rasters > 0 && run->grid.width * run->grid.height >= LARGE_PX)
    r = malloc(sizeof *r);
  if (r) {
    r->n = run->n_rasters;
    memcpy(r->rasters, run->rasters, sizeof r->rasters);
  }
  if (r && pthread_create(&r->thread, NULL, release, r) == 0) {
    run->session->release = r;
  } else {
    free(r);
    free_all(run->rasters, run->n_rasters);
  }
  run->n_rasters = 0;
}

void
vt_release_wait(VitrailSession *session)
{
  if (!session->release)
    return;
  pthread_join(session->release->thread, NULL);
  free(session->release);
  session->release = NULL;
}
