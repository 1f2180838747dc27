/* SPDX-License-Identifier: MIT */
#include "tile-work.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A tile that is woken while it is visited goes again. The frame is never woken: it looks as if it waited. */
enum { IDLE, NEW, WAITS, RUNS, AGAIN };

enum { SPINS = 64, NAP_US = 20 };

/* Held for less than a microsecond, and contended only where two bands meet. */
static void
lock(VtCpuTileBand *band)
{
  for (int n = 1; __atomic_exchange_n(&band->locked, 1, __ATOMIC_ACQUIRE); n++)
    if (n % SPINS == 0)
      usleep(1); /* its holder may have lost the processor */
}

static void
unlock(VtCpuTileBand *band)
{
  __atomic_store_n(&band->locked, 0, __ATOMIC_RELEASE);
}

VitrailStatus
vt_cpu_tile_work_init(VtCpuTileWork *work, VtDevice *device)
{
  size_t n;
  const int64_t wanted = vt_cpu_n_threads(device);
  work->pitch = work->n_x + 2;
  work->rows_per_band = (work->n_y - 1) / wanted + 1;
  const uint32_t n_bands = (uint32_t)((work->n_y - 1) / work->rows_per_band + 1);
  if (__builtin_mul_overflow((size_t)work->pitch, (size_t)work->n_y + 2, &n))
    return VITRAIL_OUT_OF_MEMORY;
  work->state = malloc(n);
  work->bands = aligned_alloc(_Alignof(VtCpuTileBand), n_bands * sizeof *work->bands);
  if (!work->state || !work->bands)
    return VITRAIL_OUT_OF_MEMORY;
  memset(work->bands, 0, n_bands * sizeof *work->bands);
  work->n_bands = n_bands;
  memset(work->state, WAITS, n);
  for (int64_t y = 0; y < work->n_y; y++)
    for (int64_t x = 0; x < work->n_x; x++) {
      const int64_t at = (y + 1) * work->pitch + x + 1;
      work->state[at] = NEW;
      if (!vt_cpu_queue_push(&work->bands[y / work->rows_per_band].queue, at))
        return VITRAIL_OUT_OF_MEMORY;
    }
  work->n_active = work->n_new = work->n_x * work->n_y;
  return VITRAIL_OK;
}

void
vt_cpu_tile_work_clear(VtCpuTileWork *work)
{
  for (uint32_t k = 0; k < work->n_bands; k++)
    vt_cpu_queue_clear(&work->bands[k].queue);
  free(work->bands);
  free(work->state);
  work->bands = NULL;
  work->state = NULL;
  work->n_bands = 0;
}

static void
fail(VtCpuTileWork *work, VitrailStatus status)
{
  int32_t none = VITRAIL_OK;
  __atomic_compare_exchange_n(&work->status, &none, status, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

/* Of its own band if that has any, else of another. */
static bool
take(VtCpuTileWork *work, uint32_t own, VtCpuTileVisit *visit)
{
  for (uint32_t k = 0; k < work->n_bands; k++) {
    VtCpuTileBand *band = &work->bands[(own + k) % work->n_bands];
    lock(band);
    const bool any = band->queue.count > 0;
    if (any) {
      const int64_t at = vt_cpu_queue_pop(&band->queue);
      *visit = (VtCpuTileVisit){ at % work->pitch - 1, at / work->pitch - 1, at, work->state[at] == NEW };
      work->state[at] = RUNS;
    }
    unlock(band);
    if (any)
      return true;
  }
  return false;
}

/* With the lock of its band. */
static void
queue_tile(VtCpuTileWork *work, VtCpuTileBand *band, int64_t at)
{
  work->state[at] = WAITS;
  if (!vt_cpu_queue_push(&band->queue, at))
    fail(work, VITRAIL_OUT_OF_MEMORY);
}

/* Wakes the neighbours that have something to take. They count before the visited tile no longer does: none is active
 * only when all is done. */
static void
finish(VtCpuTileWork *work, const VtCpuTileVisit *visit)
{
  for (int dy = -1; dy <= 1; dy++) {
    const int64_t y = visit->y + dy;
    if (y < 0 || y >= work->n_y)
      continue;
    VtCpuTileBand *band = &work->bands[y / work->rows_per_band];
    lock(band);
    for (int dx = -1; dx <= 1; dx++) {
      const int64_t next = visit->at + dy * work->pitch + dx;
      const uint8_t state = work->state[next];
      if ((dx == 0 && dy == 0) || (state != IDLE && state != RUNS) || (dx && dy && !work->diagonal)
          || !work->wakes(work->user, visit->at, next, dx, dy))
        continue;
      if (state == RUNS) {
        work->state[next] = AGAIN;
        continue;
      }
      __atomic_fetch_add(&work->n_active, 1, __ATOMIC_RELAXED);
      queue_tile(work, band, next);
    }
    unlock(band);
  }
  VtCpuTileBand *band = &work->bands[visit->y / work->rows_per_band];
  lock(band);
  const bool again = work->state[visit->at] == AGAIN;
  if (again)
    queue_tile(work, band, visit->at);
  else
    work->state[visit->at] = IDLE;
  unlock(band);
  if (!again)
    __atomic_fetch_sub(&work->n_active, 1, __ATOMIC_RELEASE);
}

/* One thread's part. A thread that finds nothing while others are at work looks again: they may leave it some. */
static void
work_band(void *user, uint32_t own)
{
  VtCpuTileWork *work = user;
  VtCpuTileVisit visit;
  uint32_t n_idle = 0;
  while (__atomic_load_n(&work->n_active, __ATOMIC_ACQUIRE) > 0
         && __atomic_load_n(&work->status, __ATOMIC_RELAXED) == VITRAIL_OK) {
    const int64_t n_visits = __atomic_load_n(&work->n_visits, __ATOMIC_RELAXED);
    if (n_visits >= work->most_visits && __atomic_load_n(&work->n_new, __ATOMIC_RELAXED) == 0)
      break;
    if (!take(work, own, &visit)) {
      if (++n_idle % SPINS == 0)
        usleep(NAP_US); /* longer than asked for, and a visit takes a few microseconds */
      continue;
    }
    n_idle = 0;
    const VitrailStatus status = work->visit(work->user, &visit);
    if (status != VITRAIL_OK)
      fail(work, status);
    finish(work, &visit);
    if (visit.first)
      __atomic_fetch_sub(&work->n_new, 1, __ATOMIC_RELAXED);
    if (vt_cpu_cancelled_at(work->cancel, __atomic_fetch_add(&work->n_visits, 1, __ATOMIC_RELAXED)))
      fail(work, VITRAIL_CANCELLED);
  }
}

VitrailStatus
vt_cpu_tile_work_run(VtCpuTileWork *work, VtDevice *device, bool *left)
{
  vt_cpu_parallel_for(device, work->n_bands, work_band, work);
  *left = work->n_active > 0;
  return (VitrailStatus)work->status;
}

bool
vt_cpu_tile_work_stops(VtCpuTileWork *work)
{
  if (vt_cancelled(work->cancel))
    fail(work, VITRAIL_CANCELLED);
  return __atomic_load_n(&work->status, __ATOMIC_RELAXED) != VITRAIL_OK;
}

VitrailStatus
vt_cpu_tile_work_store(VtCpuTileWork *work, VtDevice *device, void (*store)(void *user, uint32_t i_row))
{
  vt_cpu_parallel_for(device, (uint32_t)work->n_y, store, work->user);
  return (VitrailStatus)work->status;
}
