/* SPDX-License-Identifier: MIT
 *
 * The op `distance` on a region that memory does not hold: foreground into a store, distances band by band
 * (stream-distance.c), each emitted at once. */
#include <stdlib.h>
#include <string.h>

#include "recipes/foreground.h"
#include "recipes/ops.h"
#include "run/grid.h"
#include "run/parallel.h"
#include "run/params.h"
#include "run/raster.h"
#include "scale/distance.h"

enum { BAND = VT_EMIT_GRID, EMIT_WIDTH = 4 * VT_EMIT_GRID };

typedef struct {
  const VitrailInput *input;
  VtChannel channel;
  VtStorePool *pool;
  VtStore *foreground;
  VtRect share;
  int64_t n_bands, columns_of_tiles;
  double threshold;
  float scale;
  atomic_llong n_read;
} Job;

static VitrailStatus
read_tile(VtRun *run, uint32_t index, void *user)
{
  Job *job = user;
  VtRect r = { index % job->columns_of_tiles * BAND, index / job->columns_of_tiles * BAND, BAND, BAND };
  r.width = r.width < job->share.width - r.x ? r.width : job->share.width - r.x;
  r.height = r.height < job->share.height - r.y ? r.height : job->share.height - r.y;
  const double done = (double)atomic_fetch_add(&job->n_read, 1) / (double)(job->columns_of_tiles * job->n_bands);
  vt_progress(run, 0.4 * done);
  if (vt_store_is_kept(job->foreground, r))
    return VITRAIL_OK;
  VtImage channel, foreground;
  const VtRect on_run = { job->share.x - run->grid.x + r.x, job->share.y - run->grid.y + r.y, r.width, r.height };
  vt_image_new(&channel, job->channel.type, r.width, r.height);
  vt_image_new(&foreground, VITRAIL_U8, r.width, r.height);
  VitrailStatus status = channel.data && foreground.data ? VITRAIL_OK : VITRAIL_OUT_OF_MEMORY;
  if (status == VITRAIL_OK)
    status = vt_stream_channel(run, job->input, &job->channel, on_run, &channel);
  if (status == VITRAIL_OK)
    status = vt_foreground(run, &channel, &foreground, job->threshold);
  if (status == VITRAIL_OK)
    status = vt_store_put(job->foreground, r, &foreground);
  free(channel.data);
  free(foreground.data);
  return status;
}

static VitrailStatus
emit_band(VtRun *run, int64_t y, const VtImage *distances, void *user)
{
  const Job *job = user;
  for (int64_t x = 0; x < distances->width; x += EMIT_WIDTH) {
    const int64_t width = distances->width - x < EMIT_WIDTH ? distances->width - x : EMIT_WIDTH;
    const VtImage part = vt_image_window(distances, x, 0, width, distances->height);
    TRY(vt_emit_tile(run, 0, (VtRect){ job->share.x + x, job->share.y + y, width, distances->height }, &part, 1));
  }
  return VITRAIL_OK;
}

static VitrailStatus
run_distance(VtRun *run, Job *job)
{
  VtWorkers workers;
  const VtDistanceStream d = { .foreground = job->foreground,
                               .share = job->share,
                               .band_rows = BAND,
                               .scale = job->scale,
                               .progress = { 0.4, 1 },
                               .take = emit_band,
                               .user = job };
  VitrailStatus status = vt_workers_open(run, &workers);
  const bool opened = status == VITRAIL_OK;
  status = vt_ranks_agree(run, status);
  if (status == VITRAIL_OK)
    status = vt_stream_distance(run, &workers, &d);
  if (opened)
    vt_workers_close(&workers);
  return status;
}

static VitrailStatus
run_job(VtRun *run, Job *job)
{
  const double limit = vt_run_memory_limit(run), fixed = vt_stream_distance_bytes(job->share, BAND);
  const bool keep = run->request->flags & VITRAIL_RUN_KEEP_SCRATCH;
  VitrailStatus status = VITRAIL_OK;
  if (job->n_bands > 0 && fixed > 0.75 * limit)
    status =
      vt_fail(run, VITRAIL_OUT_OF_MEMORY, "Distances of rows of %lld pixels need %.2f GiB of memory to be allowed.",
              (long long)job->share.width, fixed / 0.75 / 1073741824.0);
  if (status == VITRAIL_OK && job->n_bands > 0) {
    job->pool = vt_store_pool_new((uint64_t)(limit / 4), run->request->scratch_dir, keep);
    status = job->pool ? vt_store_new(job->pool, "foreground", VITRAIL_U8, job->share.width, job->share.height,
                                      &job->foreground)
                       : VITRAIL_OUT_OF_MEMORY;
  }
  const int64_t tile_rows = (job->share.height + BAND - 1) / BAND;
  if (status == VITRAIL_OK)
    status = vt_parallel(run, (uint32_t)(job->columns_of_tiles * tile_rows), read_tile, job);
  if (status == VITRAIL_OK && keep && job->n_bands > 0)
    status = vt_store_flush(job->foreground);
  status = vt_ranks_agree(run, status);
  if (status == VITRAIL_OK)
    status = run_distance(run, job);
  if (job->pool) {
    vt_record(run, "memory-peak-bytes", (double)vt_store_pool_peak(job->pool) + fixed);
    vt_record(run, "scratch-bytes", (double)vt_store_pool_scratch(job->pool));
  }
  return status;
}

VitrailStatus
vt_op_distance_streamed(VtRun *run)
{
  Job job = { .input = vt_input(run, "image"), .share = vt_run_share(run) };
  VitrailStatus status = vt_channel_prepare(run, vt_param_choice(run, "channel"), job.input->type, &job.channel);
  if (status != VITRAIL_OK)
    return status;
  vt_stage_begin(run);
  vt_record(run, "streamed", 1);
  job.threshold = vt_param_threshold(run, "threshold", job.input->type, job.channel.scale);
  job.scale = run->grid.um_per_px > 0 ? (float)run->grid.um_per_px : 1;
  job.n_bands = (job.share.height + BAND - 1) / BAND;
  job.columns_of_tiles = (job.share.width - 1) / BAND + 1;
  status = run_job(run, &job);
  if (status == VITRAIL_READ_FAILED)
    vt_scratch_failed(run, job.pool);
  vt_store_pool_free(job.pool);
  if (status == VITRAIL_OUT_OF_MEMORY)
    return vt_fail(run, status,
                   TR("There is not enough memory for the distance transform, or too little of it was allowed."));
  return status == VITRAIL_OK ? vt_stage_end(run, 0) : status;
}
