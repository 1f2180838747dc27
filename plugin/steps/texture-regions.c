/* SPDX-License-Identifier: MIT
 *
 * Run length features of each region, a row each. Regions may overlap; each is worked out alone. One that memory does not hold goes
 * band by band. Processes that share the run deal the regions out, each whole to one of them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "drivers/reduce.h"
#include "run/grid.h"
#include "run/raster.h"
#include "run/roi-mask.h"
#include "scale/finished-rows.h"
#include "scale/ranks.h"
#include "steps/texture.h"

enum { N_VALUES = VT_TEXTURE_VALUES, BYTES_PER_PX = 24 /* of a region that is worked out in one piece */ };

typedef struct {
  double values[N_VALUES];
} Row;

/* Levels of many regions, laid down one after another, for one call. */
enum { BATCH_PX = 1 << 24, BATCH_ROIS = 1 << 16 };
typedef struct {
  uint16_t *levels;
  VtGlrlmRoi *rois;
  uint32_t *rows; /* of the table */
  size_t room_px;
  int64_t n_px, most_px; /* most: when it is full, whatever the last region adds */
  uint32_t n;
  int32_t n_levels;
} Batch;

static VitrailStatus
no_memory(VtRun *run, uint32_t n)
{
  return vt_fail(run, VITRAIL_OUT_OF_MEMORY, "There is not enough memory for %u regions.", n);
}

static VitrailStatus
batch_new(VtRun *run, Batch *batch, uint32_t n)
{
  const uint32_t most = n < BATCH_ROIS ? n : BATCH_ROIS;
  *batch =
    (Batch){ .rois = malloc((most + 1) * sizeof *batch->rois), .rows = malloc((most + 1) * sizeof *batch->rows) };
  batch->most_px = (int64_t)fmin(BATCH_PX, vt_run_memory_left(run) / (2 * BYTES_PER_PX));
  return batch->rois && batch->rows ? VITRAIL_OK : no_memory(run, n);
}

static void
batch_clear(Batch *batch)
{
  free(batch->levels);
  free(batch->rois);
  free(batch->rows);
}

static VitrailStatus
batch_add(VtRun *run, Batch *batch, const VtImage *levels, uint32_t row)
{
  const int64_t n = levels->width * levels->height;
  if (!vt_make_room(&batch->levels, &batch->room_px, (size_t)(batch->n_px + n), sizeof *batch->levels))
    return no_memory(run, batch->n + 1);
  for (int64_t y = 0; y < levels->height; y++)
    memcpy(batch->levels + batch->n_px + y * levels->width, vt_image_at(levels, 0, y), (size_t)levels->width * 2);
  batch->rois[batch->n] = (VtGlrlmRoi){
    .width = levels->width, .height = levels->height, .level = batch->n_px, .level_step = levels->width, .mask = -1
  };
  batch->rows[batch->n++] = row;
  batch->n_px += n;
  return VITRAIL_OK;
}

static VitrailStatus
batch_run(VtRun *run, VtGlrlmAggregate aggregate, Batch *batch, Row *rows, VtKeptRows *kept)
{
  VtGlrlmRois args = {
    .levels = { batch->levels, batch->n_px, 1, 2 * batch->n_px, VITRAIL_U16 },
    .rois = batch->rois,
    .n_rois = batch->n,
    .n_levels = batch->n_levels,
    .features = (1u << VT_GLRLM_N_FEATURES) - 1,
    .aggregates = 1u << aggregate,
    .values = malloc(batch->n * sizeof(double) * VT_GLRLM_N_FEATURES),
    .n_pixels = malloc(batch->n * sizeof(int64_t)),
  };
  VitrailStatus status = VITRAIL_OK;
  if (batch->n > 0)
    status = args.values && args.n_pixels ? vt_reduce_rois(run, &args) : no_memory(run, batch->n);
  for (uint32_t i = 0; i < batch->n && status == VITRAIL_OK; i++) {
    double *values = rows[batch->rows[i]].values;
    values[0] = (double)args.n_pixels[i];
    memcpy(values + 1, args.values + (size_t)i * VT_GLRLM_N_FEATURES, sizeof(double) * VT_GLRLM_N_FEATURES);
    status = vt_kept_rows_add(run, kept, batch->rows[i], values);
  }
  free(args.values);
  free(args.n_pixels);
  batch->n = 0;
  batch->n_px = 0;
  return status;
}

/* --- regions --- */

/* What a process works on: all the regions, or those that were dealt to it. */
typedef struct {
  const VtTexture *of;
  bool own_range;
  const VitrailRoi *const *rois;
  uint32_t n, *mine, n_mine; /* mine: numbers of regions, ascending */
  Row *rows;                 /* of all regions */
  bool *is_done;             /* by a run before that was interrupted */
  VtKeptRows kept;
  Batch batch;
  uint32_t n_streamed;
} Job;

VitrailStatus
vt_texture_levels(VtRun *run, const VtTexture *of, bool own_range, const VitrailRoi *roi, VtRect rect, VtImage *levels,
                  VtLevels *made)
{
  VtImage image, channel, mask, roi_mask;
  TRY(vt_read_input(run, of->image, rect, &image));
  TRY(vt_channel(run, of->channel, &image, &channel));
  if (of->mask)
    TRY(vt_read_input(run, of->mask, rect, &mask));
  TRY(vt_raster_alloc(run, &roi_mask, VITRAIL_U8, rect.width, rect.height));
  TRY(vt_roi_rasterise(run, roi, rect, &roi_mask));
  return vt_discretise(run, &of->binning, &channel, of->channel->scale, of->mask ? &mask : NULL, &roi_mask, own_range,
                       levels, made);
}

static VitrailStatus
stream_roi(VtRun *run, Job *job, uint32_t k, VtRect rect)
{
  const VtLargeRegion region = { .of = job->of,
                                 .own_range = job->own_range,
                                 .roi = job->rois[job->mine[k]],
                                 .rect = rect,
                                 .progress = { (double)k / job->n_mine, (k + 1.0) / job->n_mine } };
  double *values = job->rows[job->mine[k]].values;
  job->n_streamed++;
  TRY(vt_texture_large_region(run, &region, values));
  return vt_kept_rows_add(run, &job->kept, job->mine[k], values);
}

/* Who asks for tiles gets them, region by region; else regions are put together. */
static VitrailStatus
one_roi(VtRun *run, Job *job, uint32_t k)
{
  const uint32_t i = job->mine[k];
  Row *row = &job->rows[i];
  Batch *batch = &job->batch;
  for (int v = 0; v < N_VALUES; v++)
    row->values[v] = NAN;
  row->values[0] = 0;
  VtRect rect = vt_roi_rect(run, job->rois[i]);
  if (rect.width < 1)
    return VITRAIL_OK; /* beside the image: undefined, not an error */
  if ((double)rect.width * (double)rect.height * BYTES_PER_PX > vt_run_memory_left(run))
    return stream_roi(run, job, k, rect);
  VtImage levels;
  VtLevels made = { 0 };
  uint32_t rasters_before = run->n_rasters;
  VitrailStatus status = vt_texture_levels(run, job->of, job->own_range, job->rois[i], rect, &levels, &made);
  batch->n_levels = made.n;
  if (status == VITRAIL_OK && run->request->tile_px > 0) {
    row->values[0] = (double)vt_reduce_count(&levels);
    status = vt_reduce_glrlm(run, &levels, batch->n_levels, job->of->aggregate, row->values + 1);
    THEN(status, vt_kept_rows_add(run, &job->kept, i, row->values));
  } else if (status == VITRAIL_OK) {
    status = batch_add(run, batch, &levels, i);
  }
  vt_raster_release(run, rasters_before); /* there may be thousands of regions */
  if (status == VITRAIL_OK && (batch->n == BATCH_ROIS || batch->n_px >= batch->most_px))
    status = batch_run(run, job->of->aggregate, batch, job->rows, &job->kept);
  return status;
}

static VitrailStatus
my_rois(VtRun *run, Job *job)
{
  VitrailStatus status = batch_new(run, &job->batch, job->n_mine);
  THEN(status, vt_kept_rows_open(run, &job->kept, job->of->stage, N_VALUES, job->n, job->is_done, job->rows->values));
  for (uint32_t k = 0; k < job->n_mine && status == VITRAIL_OK; k++) {
    if (job->is_done[job->mine[k]])
      continue;
    status = vt_cancelled(&run->cancel) ? VITRAIL_CANCELLED : one_roi(run, job, k);
    vt_progress(run, (k + 1.0) / job->n_mine);
  }
  THEN(status, batch_run(run, job->of->aggregate, &job->batch, job->rows, &job->kept));
  batch_clear(&job->batch);
  vt_kept_rows_close(&job->kept);
  if (job->n_streamed > 0)
    vt_record(run, "streamed", 1);
  return status;
}

/* --- several processes --- */

typedef struct {
  int64_t px;
  uint32_t i;
} Load;

static int
largest_first(const void *a, const void *b)
{
  const Load *x = a, *y = b;
  return x->px != y->px ? (x->px < y->px ? 1 : -1) : (x->i > y->i) - (x->i < y->i);
}

/* The largest first, each to who has the least to do; so the first process has one if there is any. */
static void
deal(const VtRun *run, Job *job, Load *loads, int64_t *sums)
{
  const uint32_t n_ranks = run->host.n_ranks > 1 ? run->host.n_ranks : 1, rank = n_ranks > 1 ? run->host.rank : 0;
  for (uint32_t i = 0; i < job->n; i++) {
    const VtRect rect = vt_roi_rect(run, job->rois[i]);
    loads[i] = (Load){ rect.width * rect.height, i };
  }
  qsort(loads, job->n, sizeof *loads, largest_first);
  for (uint32_t k = 0; k < job->n; k++) {
    uint32_t to = 0;
    for (uint32_t r = 1; r < n_ranks; r++)
      to = sums[r] < sums[to] ? r : to;
    sums[to] += loads[k].px + 1;
    loads[k].px = to;
  }
  for (uint32_t k = 0; k < job->n; k++)
    job->mine[loads[k].i] = loads[k].px == rank;
  for (uint32_t i = 0; i < job->n; i++)
    if (job->mine[i])
      job->mine[job->n_mine++] = i;
}

static VitrailStatus
deal_rois(VtRun *run, Job *job)
{
  Load *loads = malloc(job->n * sizeof *loads);
  int64_t *sums = calloc(run->host.n_ranks > 1 ? run->host.n_ranks : 1, sizeof *sums);
  job->mine = malloc(job->n * sizeof *job->mine);
  job->rows = calloc(job->n, sizeof *job->rows);
  job->is_done = calloc(job->n, sizeof *job->is_done);
  const bool got = loads && sums && job->mine && job->rows && job->is_done;
  if (got)
    deal(run, job, loads, sums);
  free(loads);
  free(sums);
  return got ? VITRAIL_OK : no_memory(run, job->n);
}

typedef struct {
  uint64_t i;
  Row row;
} Sent;

/* The rows of all processes come to all. */
static VitrailStatus
gather_rows(VtRun *run, Job *job)
{
  VtGathered all = { 0 };
  Sent *sent = malloc(job->n_mine * sizeof *sent + 1);
  VitrailStatus status = vt_ranks_agree(run, sent ? VITRAIL_OK : no_memory(run, job->n_mine));
  for (uint32_t k = 0; k < job->n_mine && status == VITRAIL_OK; k++)
    sent[k] = (Sent){ job->mine[k], job->rows[job->mine[k]] };
  THEN(status, vt_ranks_gather(run, sent, job->n_mine * sizeof *sent, &all));
  const Sent *got = all.data;
  for (size_t k = 0; k < all.bytes / sizeof *got && status == VITRAIL_OK; k++)
    job->rows[got[k].i] = got[k].row;
  free(all.data);
  free(sent);
  return status;
}

VitrailStatus
vt_texture_emit_row(VtRun *run, const VtTexture *of, const VitrailRoi *roi, const double *values)
{
  const VitrailRow row = {
    .size = sizeof row, .stage = of->stage, .label = roi->name, .n_values = N_VALUES, .values = values
  };
  return run->host.emit_row(run->host.user, &row);
}

static VitrailStatus
emit_rows(VtRun *run, const Job *job)
{
  VitrailStatus status = VITRAIL_OK;
  for (uint32_t i = 0; i < job->n && status == VITRAIL_OK; i++)
    status = vt_texture_emit_row(run, job->of, job->rois[i], job->rows[i].values);
  return status;
}

static VitrailStatus
check_rois(VtRun *run)
{
  for (uint32_t i = 0; i < run->request->n_rois; i++) {
    const VitrailRoi *roi = run->request->rois[i];
    const double *p = roi->points;
    for (uint32_t r = 0; r < roi->n_rings; p += 2 * roi->ring_sizes[r++])
      for (uint32_t k = 0; k < 2 * roi->ring_sizes[r]; k++)
        if (!(fabs(p[k]) <= 1e15))
          return vt_fail(run, VITRAIL_BAD_ARGUMENT, "The region %s has a coordinate that is no number.", roi->name);
  }
  return VITRAIL_OK;
}

/* Every process takes the same steps; the first one emits. */
static VitrailStatus
run_job(VtRun *run, Job *job)
{
  const bool is_alone = run->host.n_ranks < 2;
  VitrailStatus status = deal_rois(run, job);
  THEN(status, my_rois(run, job));
  status = vt_ranks_agree(run, status);
  if (status == VITRAIL_OK && !is_alone)
    status = gather_rows(run, job);
  if (status == VITRAIL_OK && (is_alone || run->host.rank == 0))
    status = emit_rows(run, job);
  status = vt_ranks_agree(run, status);
  if (status != VITRAIL_OK && status != VITRAIL_CANCELLED && !is_alone)
    return vt_fail(run, status, "Another process that shares the operation %s has failed.", run->op->id);
  return status;
}

VitrailStatus
vt_texture_regions(VtExec *x, const VtTexture *of, bool own_range)
{
  VtRun *run = x->run;
  TRY(check_rois(run));
  const double d = run->grid.downsample, x0 = (double)run->shown.x * d, y0 = (double)run->shown.y * d;
  const double x1 = x0 + (double)run->shown.width * d, y1 = y0 + (double)run->shown.height * d;
  const double corners[] = { x0, y0, x1, y0, x1, y1, x0, y1 };
  const uint32_t four = 4;
  const VitrailRoi whole = {
    .size = sizeof whole, .name = "Region", .n_rings = 1, .ring_sizes = &four, .points = corners
  };
  const VitrailRoi *const only[] = { &whole };
  const bool is_given = run->request->n_rois > 0;
  Job job = { .of = of,
              .own_range = own_range,
              .rois = is_given ? run->request->rois : only,
              .n = is_given ? run->request->n_rois : 1 };
  if (run->request->flags & VITRAIL_RUN_LENGTHS)
    return vt_texture_tell(run, of, own_range, job.rois, job.n);
  const VitrailStatus status = run_job(run, &job);
  free(job.mine);
  free(job.rows);
  free(job.is_done);
  return status;
}
