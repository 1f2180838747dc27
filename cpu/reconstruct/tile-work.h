/* SPDX-License-Identifier: MIT
 *
 * tile-work.h: the list of active tiles, and the threads that work it. Each thread has the list of a band of tile rows, first in,
 * first out, and when that is empty helps the others. What the tiles hold is the caller's: he visits a tile, and says
 * whether one wakes another. */
#pragma once

#include "../queue.h"
#include "../vt-cpu.h"

/* One visit: brings tile (x,y) to its own fixpoint. `at` is its place in a grid with a frame of one tile. */
typedef struct VtCpuTileVisit {
  int64_t x, y, at;
  bool first; /* of this tile */
} VtCpuTileVisit;

typedef struct VtCpuTileBand {
  _Alignas(64) uint32_t locked; /* guards the queue and the states of the band's tiles */
  VtCpuQueue queue;
} VtCpuTileBand;

typedef struct VtCpuTileWork {
  /* Set by the caller; called by several threads at once, never for one tile by two. wakes is called with the lock of next's
   * band held, after the visit of at: what at shows by then is seen by the next visit of next. */
  VitrailStatus (*visit)(void *user, const VtCpuTileVisit *visit);
  bool (*wakes)(void *user, int64_t at, int64_t next, int dx, int dy);
  void *user;
  int64_t n_x, n_y, most_visits; /* most_visits: after each tile's first; then the rest is left */
  bool diagonal;                 /* diagonal neighbours too */
  const VtCancel *cancel;

  int64_t pitch; /* n_x + 2 */
  uint8_t *state;
  VtCpuTileBand *bands;
  uint32_t n_bands;
  int64_t rows_per_band;
  int64_t n_active, n_new, n_visits; /* atomic: tiles that wait or are visited; that never were; visits */
  int32_t status;                    /* atomic: the first failure */
} VtCpuTileWork;

/* All tiles wait. Cleared by the caller, whatever is returned. */
VitrailStatus vt_cpu_tile_work_init(VtCpuTileWork *work, VtDevice *device);
void vt_cpu_tile_work_clear(VtCpuTileWork *work);
/* Until no tile waits, or most_visits are made: then *left. */
VitrailStatus vt_cpu_tile_work_run(VtCpuTileWork *work, VtDevice *device, bool *left);
/* store(user, 0..n_y - 1), which asks first whether it is to stop: then what is stored is undefined, and the status a cancel's. */
VitrailStatus vt_cpu_tile_work_store(VtCpuTileWork *work, VtDevice *device, void (*store)(void *user, uint32_t i_row));
bool vt_cpu_tile_work_stops(VtCpuTileWork *work);
