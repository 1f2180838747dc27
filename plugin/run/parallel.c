/* SPDX-License-Identifier: MIT */
#include "run/parallel.h"

enum { DEFAULT_TILE_PX = 512 };

typedef struct {
  VtRun *run;
  VtBody body;
  void *user;
  atomic_int status;
} ParallelJob;

static void
parallel_body(void *user, uint32_t index)
{
  ParallelJob *job = user;
  if (atomic_load(&job->status) != VITRAIL_OK)
    return;
  VitrailStatus status = vt_cancelled(&job->run->cancel) ? VITRAIL_CANCELLED : job->body(job->run, index, job->user);
  int expected = VITRAIL_OK;
  if (status != VITRAIL_OK)
    atomic_compare_exchange_strong(&job->status, &expected, status);
}

VitrailStatus
vt_parallel(VtRun *run, uint32_t n, VtBody body, void *user)
{
  ParallelJob job = { .run = run, .body = body, .user = user };
  atomic_init(&job.status, VITRAIL_OK);
  if (n == 1)
    parallel_body(&job, 0);
  else if (n > 1)
    run->host.parallel_for(run->host.user, n, parallel_body, &job);
  return atomic_load(&job.status);
}

typedef struct {
  int64_t width, height, tile_width, tile_height, columns;
  VtTileBody body;
  void *user;
} LocalJob;

static VitrailStatus
local_body(VtRun *run, uint32_t index, void *user)
{
  LocalJob *job = user;
  const VtRect tile = { index % job->columns * job->tile_width, index / job->columns * job->tile_height,
                        job->tile_width, job->tile_height };
  return job->body(run, vt_rect_common(tile, (VtRect){ 0, 0, job->width, job->height }), job->user);
}

VitrailStatus
vt_local(VtRun *run, int64_t width, int64_t height, VtTileBody body, void *user)
{
  return vt_local_of(run, width, height, DEFAULT_TILE_PX, DEFAULT_TILE_PX, body, user);
}

VitrailStatus
vt_local_of(VtRun *run, int64_t width, int64_t height, int64_t tile_width, int64_t tile_height, VtTileBody body,
            void *user)
{
  const int64_t asked = run->request->tile_px;
  if (asked)
    tile_width = tile_height = asked < 16 ? 16 : asked;
  int64_t columns = (width + tile_width - 1) / tile_width, rows = (height + tile_height - 1) / tile_height;
  if (columns > UINT32_MAX / rows)
    return vt_fail(run, VITRAIL_BAD_ARGUMENT, "The region has too many tiles of %lld pixels.", (long long)tile_width);
  LocalJob job = { width, height, tile_width, tile_height, columns, body, user };
  return vt_parallel(run, (uint32_t)(columns * rows), local_body, &job);
}
