/* SPDX-License-Identifier: MIT
 *
 * A region that memory does not hold: bands of rows are read tile by tile, made levels of, and counted
 * (glrlm-bands.c). A region with a range of its own is read twice. */
#include <math.h>
#include <pthread.h>
#include <stdlib.h>

#include "run/grid.h"
#include "run/parallel.h"
#include "run/raster.h"
#include "run/roi-mask.h"
#include "scale/glrlm-bands.h"
#include "steps/texture.h"

enum { MOST_ROWS = 512, TILE_WIDTH = 512, LEAST_WIDTH = 16, MASK_ROWS = 16 };

typedef struct {
  const VtLargeRegion *region;
  const VitrailInput *image, *mask;
  const VtChannel *channel;
  VtLevels levels;
  VtGlrlmBands bands;
  int64_t rows, tile_width;    /* of a band, and of its tiles */
  VtRect band;                 /* on the grid */
  VtImage band_levels, inside; /* the region's polygon: 255 */
  bool finds_range;
  double range[2];
  pthread_mutex_t lock; /* guards range */
  double passes, done;  /* over the rows of the region */
} Job;

/* --- memory --- */

static double
held(const VtRun *run, const Job *job)
{
  const VtRect rect = job->region->rect;
  const VitrailRoi *roi = job->region->roi;
  const double rows = (double)job->rows;
  double per_px = (double)vt_type_size(job->image->type), points = 1;
  per_px += job->channel->is_copy ? 0 : (double)vt_type_size(job->channel->type);
  per_px += job->mask ? (double)vt_type_size(job->mask->type) : 0;
  for (uint32_t i = 0; i < roi->n_rings; i++)
    points += roi->ring_sizes[i];
  return vt_glrlm_bands_bytes(rect.width, rect.height, job->levels.n, run->host.n_threads)
         + rows * (double)rect.width * (sizeof(uint16_t) + sizeof(uint8_t))
         + run->host.n_threads * (rows * (double)job->tile_width * per_px + points * sizeof(double));
}

/* As many rows as the budget allows, up to a row of the slide's tiles. */
static VitrailStatus
plan(VtRun *run, Job *job)
{
  const double limit = 0.75 * vt_run_memory_left(run);
  const int64_t wanted = run->request->tile_px;
  job->rows = MOST_ROWS;
  job->tile_width = wanted == 0 ? TILE_WIDTH : wanted < LEAST_WIDTH ? LEAST_WIDTH : wanted;
  while (held(run, job) > limit && (job->rows > 1 || job->tile_width > LEAST_WIDTH)) {
    if (job->rows >= job->tile_width || job->tile_width <= LEAST_WIDTH)
      job->rows /= 2;
    else
      job->tile_width = job->tile_width / 2 > LEAST_WIDTH ? job->tile_width / 2 : LEAST_WIDTH;
  }
  if (held(run, job) <= limit)
    return VITRAIL_OK;
  return vt_fail(
    run, VITRAIL_OUT_OF_MEMORY, "Run lengths of a region of %lld x %lld pixels need %.0f MiB of memory to be allowed.",
    (long long)job->region->rect.width, (long long)job->region->rect.height, ceil(held(run, job) / 0.75 / 1048576.0));
}

static VitrailStatus
no_memory(VtRun *run)
{
  return vt_fail(run, VITRAIL_OUT_OF_MEMORY, "There is not enough memory for the operation %s.", run->op->id);
}

/* --- bands --- */

static VitrailStatus
mask_rows(VtRun *run, uint32_t index, void *user)
{
  const Job *job = user;
  const int64_t y = (int64_t)index * MASK_ROWS;
  const int64_t n = MASK_ROWS < job->band.height - y ? MASK_ROWS : job->band.height - y;
  const VtImage rows = vt_image_window(&job->inside, 0, y, job->band.width, n);
  return vt_roi_rasterise(run, job->region->roi, (VtRect){ job->band.x, job->band.y + y, job->band.width, n }, &rows);
}

typedef struct {
  VtImage image, channel, mask; /* channel: the image, or of its size; mask: no data without one */
} Tile;

static VitrailStatus
read_tile(VtRun *run, const Job *job, VtRect r, Tile *t)
{
  vt_image_new(&t->image, job->image->type, r.width, r.height);
  t->channel = t->image;
  if (!job->channel->is_copy)
    vt_image_new(&t->channel, job->channel->type, r.width, r.height);
  if (job->mask)
    vt_image_new(&t->mask, job->mask->type, r.width, r.height);
  if (!t->image.data || !t->channel.data || (job->mask && !t->mask.data))
    return no_memory(run);
  TRY(vt_read_rect(run, job->image, r, &t->image));
  if (job->mask)
    TRY(vt_read_rect(run, job->mask, r, &t->mask));
  return job->channel->is_copy ? VITRAIL_OK : vt_channel_apply(run, job->channel, &t->image, &t->channel);
}

static VitrailStatus
work_tile(VtRun *run, Job *job, VtRect r, const Tile *t)
{
  const int64_t x = r.x - job->band.x;
  const VtImage inside = vt_image_window(&job->inside, x, 0, r.width, r.height);
  const VtImage levels = vt_image_window(&job->band_levels, x, 0, r.width, r.height);
  const VtImage *mask = job->mask ? &t->mask : NULL;
  if (!job->finds_range)
    return vt_levels_apply(run, &job->levels, &t->channel, mask, &inside, &levels);
  double range[2] = { INFINITY, -INFINITY };
  vt_levels_widen(&t->channel, job->channel->scale, mask, &inside, range);
  pthread_mutex_lock(&job->lock);
  job->range[0] = fmin(job->range[0], range[0]);
  job->range[1] = fmax(job->range[1], range[1]);
  pthread_mutex_unlock(&job->lock);
  return VITRAIL_OK;
}

static VitrailStatus
tile_of_band(VtRun *run, uint32_t index, void *user)
{
  Job *job = user;
  const int64_t x = (int64_t)index * job->tile_width, left = job->band.width - x;
  const VtRect r = { job->band.x + x, job->band.y, job->tile_width < left ? job->tile_width : left, job->band.height };
  Tile t = { 0 };
  VitrailStatus status = read_tile(run, job, r, &t);
  THEN(status, work_tile(run, job, r, &t));
  if (!job->channel->is_copy)
    free(t.channel.data);
  free(t.image.data);
  free(t.mask.data);
  return status;
}

static VitrailStatus
work_band(VtRun *run, Job *job)
{
  const VtRect band = job->band;
  const uint32_t n_tiles = (uint32_t)((band.width - 1) / job->tile_width + 1);
  TRY(vt_parallel(run, (uint32_t)((band.height - 1) / MASK_ROWS + 1), mask_rows, job));
  TRY(vt_parallel(run, n_tiles, tile_of_band, job));
  const VtImage levels = vt_image_window(&job->band_levels, 0, 0, band.width, band.height);
  return job->finds_range ? VITRAIL_OK : vt_glrlm_bands_add(run, &job->bands, &levels);
}

/* Bands end where rows of the grid are multiples of their height, so that tiles of the slide are decoded once. */
static VitrailStatus
each_band(VtRun *run, Job *job)
{
  const VtRect rect = job->region->rect;
  const double *progress = job->region->progress;
  for (int64_t y = rect.y, end = rect.y + rect.height; y < end; y += job->band.height) {
    const int64_t n = job->rows - y % job->rows;
    job->band = (VtRect){ rect.x, y, rect.width, n < end - y ? n : end - y };
    TRY(work_band(run, job));
    job->done += (double)job->band.height / (double)rect.height / job->passes;
    vt_progress(run, progress[0] + job->done * (progress[1] - progress[0]));
  }
  return VITRAIL_OK;
}

/* --- the region --- */

static VitrailStatus
count_region(VtRun *run, Job *job, double *values)
{
  const VtRect rect = job->region->rect;
  vt_image_new(&job->band_levels, VITRAIL_U16, rect.width, job->rows);
  vt_image_new(&job->inside, VITRAIL_U8, rect.width, job->rows);
  if (!job->band_levels.data || !job->inside.data)
    return no_memory(run);
  if (job->finds_range)
    TRY(each_band(run, job));
  const bool own = job->finds_range;
  job->finds_range = false;
  if (own)
    TRY(vt_levels_resolve(run, &job->region->of->binning, job->channel->type, job->channel->scale, job->range,
                          &job->levels));
  TRY(vt_glrlm_bands_new(run, &job->bands, rect.width, rect.height, job->levels.n));
  TRY(each_band(run, job));
  values[0] = (double)job->bands.n_pixels;
  return vt_glrlm_bands_finish(run, &job->bands, job->region->of->aggregate, values + 1);
}

VitrailStatus
vt_texture_large_region(VtRun *run, const VtLargeRegion *region, double *values)
{
  const VtTexture *of = region->of;
  Job job = { .region = region, .image = of->image, .mask = of->mask, .channel = of->channel, .passes = 1 };
  const double nothing[2] = { INFINITY, -INFINITY };
  const bool own = region->own_range && of->binning.kind != VT_BIN_AS_IS;
  /* How many levels there are does not depend on the range. */
  TRY(vt_levels_resolve(run, &of->binning, of->channel->type, of->channel->scale, own ? nothing : NULL, &job.levels));
  TRY(plan(run, &job));
  vt_run_hold(run, held(run, &job));
  job.finds_range = own;
  job.passes = own ? 2 : 1;
  job.range[0] = INFINITY;
  job.range[1] = -INFINITY;
  pthread_mutex_init(&job.lock, NULL);
  const VitrailStatus status = count_region(run, &job, values);
  pthread_mutex_destroy(&job.lock);
  vt_glrlm_bands_clear(&job.bands);
  free(job.band_levels.data);
  free(job.inside.data);
  return status;
}
