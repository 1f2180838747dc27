/* SPDX-License-Identifier: MIT
 *
 * The op `reconstruct` on a region that memory does not hold: mask and marker are read into stores, propagated there, and
 * emitted tile by tile. By erosion the stores hold complements. */
#include <stdlib.h>
#include <string.h>

#include "drivers/propagate.h"
#include "recipes/marker.h"
#include "recipes/ops.h"
#include "run/grid.h"
#include "run/parallel.h"
#include "run/params.h"
#include "run/raster.h"
#include "scale/propagate.h"
#include "scale/stream.h"

enum { READ_TILE = 2 * VT_EMIT_GRID, EMIT_WIDTH = 4 * VT_EMIT_GRID };

typedef struct {
  const VitrailInput *mask_input, *marker_input;
  VtChannel channel;
  VtStorePool *pool;
  VtStream stream;
  VtRect
    rect; /* on the grid, what the stores cover: the run's share and a row above and below where the region goes on */
  int64_t columns, rows;
  double height;
  bool erosion;
  atomic_llong n_read;
} Job;

static VitrailStatus
fill_marker(VtRun *run, const Job *job, VtRect on_grid, const VtImage *mask, const VtImage *marker)
{
  VitrailStatus status = VITRAIL_OK;
  if (!job->marker_input)
    return vt_marker_lower(mask, marker, job->height); /* below the complement: above the mask itself */
  status = vt_read_rect(run, job->marker_input, on_grid, marker);
  return status == VITRAIL_OK && job->erosion ? vt_complement_image(marker) : status;
}

static VitrailStatus
read_tile(VtRun *run, uint32_t index, void *user)
{
  Job *job = user;
  VtRect r = { index % job->columns * READ_TILE, index / job->columns * READ_TILE, READ_TILE, READ_TILE };
  r.width = r.width < job->rect.width - r.x ? r.width : job->rect.width - r.x;
  r.height = r.height < job->rect.height - r.y ? r.height : job->rect.height - r.y;
  const VtRect on_grid = { job->rect.x + r.x, job->rect.y + r.y, r.width, r.height };
  const double done = (double)atomic_fetch_add(&job->n_read, 1) / (double)(job->columns * job->rows);
  vt_progress(run, done * job->stream.progress[0]);
  if (vt_store_is_kept(job->stream.mask, r) && vt_store_is_kept(job->stream.marker, r))
    return VITRAIL_OK;
  VtImage mask, marker;
  const VtRect on_run = { on_grid.x - run->grid.x, on_grid.y - run->grid.y, r.width, r.height };
  vt_image_new(&mask, job->channel.type, r.width, r.height);
  vt_image_new(&marker, job->channel.type, r.width, r.height);
  VitrailStatus status = mask.data && marker.data ? VITRAIL_OK : VITRAIL_OUT_OF_MEMORY;
  if (status == VITRAIL_OK)
    status = vt_stream_channel(run, job->mask_input, &job->channel, on_run, &mask);
  if (status == VITRAIL_OK && job->erosion)
    status = vt_complement_image(&mask);
  if (status == VITRAIL_OK)
    status = fill_marker(run, job, on_grid, &mask, &marker);
  if (status == VITRAIL_OK)
    status = vt_store_put(job->stream.mask, r, &mask);
  if (status == VITRAIL_OK)
    status = vt_store_put(job->stream.marker, r, &marker);
  free(mask.data);
  free(marker.data);
  return status;
}

static VitrailStatus
emit_one(VtRun *run, const Job *job, VtRect r, VtImage *image)
{
  *image =
    (VtImage){ image->data, r.width, r.height, r.width * (int64_t)vt_type_size(job->channel.type), job->channel.type };
  VitrailStatus status = vt_store_get(job->stream.marker, r, image);
  if (status == VITRAIL_OK && job->erosion)
    status = vt_complement_image(image);
  if (status != VITRAIL_OK)
    return status;
  const VtRect on_grid = { job->rect.x + r.x, job->rect.y + r.y, r.width, r.height };
  return vt_emit_tile(run, 0, on_grid, image, job->channel.scale);
}

/* Row by row of the grid, whatever the number of ranks: so the file that is made of them is the same. */
static VitrailStatus
emit_all(VtRun *run, const Job *job)
{
  const VtRect own = job->stream.own;
  VtImage image;
  vt_image_new(&image, job->channel.type, EMIT_WIDTH, VT_EMIT_GRID);
  VitrailStatus status = image.data ? VITRAIL_OK : VITRAIL_OUT_OF_MEMORY;
  for (int64_t y = 0; y < own.height; y += VT_EMIT_GRID)
    for (int64_t x = 0; x < own.width && status == VITRAIL_OK; x += EMIT_WIDTH) {
      VtRect r = { own.x + x, own.y + y, EMIT_WIDTH, VT_EMIT_GRID };
      r.width = r.width < own.width - x ? r.width : own.width - x;
      r.height = r.height < own.height - y ? r.height : own.height - y;
      status = vt_cancelled(&run->cancel) ? VITRAIL_CANCELLED : emit_one(run, job, r, &image);
    }
  free(image.data);
  return status;
}

static VitrailStatus
make_stores(VtRun *run, Job *job)
{
  const bool keep = run->request->flags & VITRAIL_RUN_KEEP_SCRATCH;
  job->pool = vt_store_pool_new((uint64_t)(vt_run_memory_limit(run) / 2), run->request->scratch_dir, keep);
  if (!job->pool)
    return VITRAIL_OUT_OF_MEMORY;
  VitrailStatus status =
    vt_store_new(job->pool, "mask", job->channel.type, job->rect.width, job->rect.height, &job->stream.mask);
  if (status == VITRAIL_OK)
    status =
      vt_store_new(job->pool, "marker", job->channel.type, job->rect.width, job->rect.height, &job->stream.marker);
  return status;
}

static VitrailStatus
run_job(VtRun *run, Job *job)
{
  VtWorkers workers;
  VitrailStatus status = job->rect.height > 0 ? make_stores(run, job) : VITRAIL_OK;
  job->columns = (job->rect.width - 1) / READ_TILE + 1;
  job->rows = (job->rect.height + READ_TILE - 1) / READ_TILE;
  if (status == VITRAIL_OK)
    status = vt_parallel(run, (uint32_t)(job->columns * job->rows), read_tile, job);
  if (status == VITRAIL_OK && job->rect.height > 0 && run->request->flags & VITRAIL_RUN_KEEP_SCRATCH) {
    status = vt_store_flush(job->stream.mask);
    if (status == VITRAIL_OK)
      status = vt_store_flush(job->stream.marker);
  }
  if (status == VITRAIL_OK)
    status = vt_workers_open(run, &workers);
  const bool opened = status == VITRAIL_OK;
  status = vt_ranks_agree(run, status);
  if (status != VITRAIL_OK && opened)
    vt_workers_close(&workers);
  if (status != VITRAIL_OK)
    return status;
  status = vt_stream_reconstruct(run, &workers, &job->stream);
  vt_workers_close(&workers);
  if (job->pool) {
    vt_record(run, "memory-peak-bytes", (double)vt_store_pool_peak(job->pool));
    vt_record(run, "scratch-bytes", (double)vt_store_pool_scratch(job->pool));
  }
  return status == VITRAIL_OK ? vt_ranks_agree(run, emit_all(run, job)) : status;
}

VitrailStatus
vt_op_reconstruct_streamed(VtRun *run)
{
  Job job = {
    .mask_input = vt_input(run, "mask"),
    .marker_input = vt_input(run, "marker"),
    .erosion = strcmp(vt_param_choice(run, "method"), "erosion") == 0,
    .rect = vt_run_share(run),
    .stream = { .connectivity = strcmp(vt_param_choice(run, "connectivity"), "4") == 0 ? 4 : 8,
                .algorithm = vt_param_choice(run, "algorithm"),
                .progress = { 0.2, 0.9 } },
  };
  vt_stage_begin(run);
  vt_record(run, "streamed", 1);
  VitrailStatus status = vt_channel_prepare(run, vt_param_choice(run, "channel"), job.mask_input->type, &job.channel);
  if (status == VITRAIL_OK && job.marker_input)
    status = vt_marker_check(run, job.mask_input, job.channel.type);
  if (status != VITRAIL_OK)
    return status;
  job.height = vt_param_height(run, job.channel.type, job.channel.scale);
  vt_record(run, "height-raw", job.height);
  const VtRect region = vt_grid_rect(run);
  const bool idle = job.rect.height < 1; /* more ranks than stripes */
  const int64_t above = !idle && job.rect.y > region.y;
  const int64_t below = !idle && job.rect.y + job.rect.height < region.y + region.height;
  job.stream.own = (VtRect){ 0, above, job.rect.width, job.rect.height };
  job.rect.y -= above;
  job.rect.height += above + below;
  status = run_job(run, &job);
  if (status == VITRAIL_READ_FAILED)
    vt_scratch_failed(run, job.pool);
  vt_store_pool_free(job.pool);
  if (status == VITRAIL_BAD_ARGUMENT)
    return vt_fail(run, status,
                   TR("Reconstruction needs a marker that nowhere passes its mask, and no NaN in either."));
  if (status == VITRAIL_OUT_OF_MEMORY)
    return vt_fail(run, status,
                   TR("There is not enough memory for the reconstruction, or too little of it was allowed."));
  return status == VITRAIL_OK ? vt_stage_end(run, 0) : status;
}
