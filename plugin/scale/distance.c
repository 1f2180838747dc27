/* SPDX-License-Identifier: MIT
 *
 * Exact distances of a raster that memory does not hold. A column's nearest background pixel may lie any number of bands
 * away. So each band first tells its topmost and lowest background row of every column. These are carried down and up over
 * all bands and ranks. Then a band's column distances follow from itself and what is carried into it. No band is done twice. */
#include <stdlib.h>
#include <string.h>

#include "scale/distance.h"
#include "run/grid.h"
#include "run/parallel.h"
#include "run/raster.h"

enum { ROWS_AT_ONCE = 32, COLUMNS_AT_ONCE = 1024, NONE = -1 };

typedef struct {
  VtRun *run;
  VtStore *foreground;
  VtType type;     /* of the result */
  int64_t store_y; /* row of the stores that is the share's first */
  VtRect share;    /* on the grid */
  int64_t band_rows;
  VtEdt edt;          /* what is asked for: all but the images */
  bool wants_nearest; /* else the distance or its square, by the type of dst */
  const double *progress;
  VtTakeBand take;
  void *taker;
  VtWorkers *workers;
  int64_t n_bands, band_y;
  int32_t *above,
    *below; /* n_bands + 1 rows of carries: the nearest background row of the share's grid above band b, and below
             * band b - 1; rows count from the region's top, NONE if there is none */
  VtImage band, distances, result;
  VtImage above_here; /* of `nearest`: distances to the background above or here */
  atomic_int status;
  atomic_uint next;
} Job;

static VtRect
band_rect(const Job *job, int64_t b)
{
  const int64_t n = job->band_rows, y = b * n;
  return (VtRect){ 0, y, job->share.width, n < job->share.height - y ? n : job->share.height - y };
}

static VitrailStatus
get_band(const Job *job, VtRect r, const VtImage *band)
{
  r.y += job->store_y;
  return vt_store_get(job->foreground, r, band);
}

/* --- carries --- */

/* Row b + 1 of `above` and row b of `below`: the band's own lowest and topmost background rows. */
static VitrailStatus
look_at_band(VtRun *run, uint32_t b, void *user)
{
  Job *job = user;
  const int64_t width = job->share.width, from = job->share.y - vt_grid_rect(run).y;
  const VtRect r = band_rect(job, b);
  int32_t *lowest = job->above + (b + 1) * width, *topmost = job->below + b * width;
  VtImage band;
  vt_image_new(&band, VITRAIL_U8, r.width, r.height);
  VitrailStatus status = band.data ? get_band(job, r, &band) : VITRAIL_OUT_OF_MEMORY;
  for (int64_t x = 0; x < width; x++)
    lowest[x] = topmost[x] = NONE;
  for (int64_t y = 0; y < r.height && status == VITRAIL_OK; y++) {
    const uint8_t *row = vt_image_at(&band, 0, y);
    const int32_t at = (int32_t)(from + r.y + y);
    for (int64_t x = 0; x < width; x++) {
      lowest[x] = row[x] ? lowest[x] : at;
      topmost[x] = row[x] || topmost[x] != NONE ? topmost[x] : at;
    }
  }
  free(band.data);
  return status;
}

/* Row 0 of `above` and the last row of `below` come from the other ranks; these pass on what comes through them. */
static VitrailStatus
carry_over_ranks(VtRun *run, Job *job, int32_t *down, int32_t *up)
{
  const int64_t width = job->share.width;
  const VtRect region = vt_grid_rect(run);
  const bool idle = job->n_bands == 0;
  const bool have_above = !idle && job->share.y > region.y;
  const bool have_below = !idle && job->share.y + job->share.height < region.y + region.height;
  int32_t *top = job->above, *bottom = job->below + job->n_bands * width;
  for (int64_t x = 0; x < width; x++)
    top[x] = bottom[x] = NONE;
  VitrailStatus status = VITRAIL_OK;
  for (uint32_t round = 1; round < run->host.n_ranks && status == VITRAIL_OK; round++) {
    for (int64_t x = 0; x < width; x++) {
      down[x] = top[x];
      up[x] = bottom[x];
      for (int64_t b = 0; b < job->n_bands; b++) {
        const int32_t lowest = job->above[(b + 1) * width + x],
                      topmost = job->below[(job->n_bands - 1 - b) * width + x];
        down[x] = lowest != NONE ? lowest : down[x];
        up[x] = topmost != NONE ? topmost : up[x];
      }
    }
    status = vt_ranks_exchange(run, status, have_above ? up : NULL, have_above ? top : NULL, have_below ? down : NULL,
                               have_below ? bottom : NULL, (size_t)width * sizeof *down);
  }
  return vt_ranks_agree(run, status);
}

static VitrailStatus
make_carries(VtRun *run, Job *job)
{
  const int64_t width = job->share.width, n = (job->n_bands + 1) * width;
  int32_t *rows = malloc((size_t)(2 * width) * sizeof *rows);
  job->above = malloc((size_t)n * sizeof *job->above);
  job->below = malloc((size_t)n * sizeof *job->below);
  VitrailStatus status = rows && job->above && job->below ? VITRAIL_OK : VITRAIL_OUT_OF_MEMORY;
  THEN(status, vt_parallel(run, (uint32_t)job->n_bands, look_at_band, job));
  status = vt_ranks_agree(run, status);
  THEN(status, carry_over_ranks(run, job, rows, rows + width));
  free(rows);
  for (int64_t i = width; i < n && status == VITRAIL_OK; i++)
    job->above[i] = job->above[i] != NONE ? job->above[i] : job->above[i - width];
  for (int64_t i = n - width; i-- > 0 && status == VITRAIL_OK;)
    job->below[i] = job->below[i] != NONE ? job->below[i] : job->below[i + width];
  return status;
}

/* --- bands --- */

static VitrailStatus
columns_of_band(VtRun *run, uint32_t index, void *user)
{
  Job *job = user;
  const int64_t width = job->share.width, x0 = (int64_t)index * COLUMNS_AT_ONCE, b = job->band_y / job->band_rows;
  const int64_t n = width - x0 < COLUMNS_AT_ONCE ? width - x0 : COLUMNS_AT_ONCE;
  const int32_t top = (int32_t)(job->share.y - vt_grid_rect(run).y + job->band_y);
  int32_t nearest[COLUMNS_AT_ONCE];
  const VtImage part = vt_image_window(&job->band, x0, 0, n, job->band.height);
  TRY(get_band(job, (VtRect){ x0, job->band_y, n, job->band.height }, &part));
  memcpy(nearest, job->above + b * width + x0, (size_t)n * sizeof *nearest);
  for (int64_t y = 0; y < job->band.height; y++) {
    const uint8_t *row = (uint8_t *)vt_image_at(&job->band, 0, y) + x0;
    int32_t *out = (int32_t *)vt_image_at(&job->distances, 0, y) + x0;
    const int32_t at = top + (int32_t)y;
    for (int64_t x = 0; x < n; x++) {
      nearest[x] = row[x] ? nearest[x] : at;
      out[x] = nearest[x] == NONE ? VT_EDT_NONE : at - nearest[x];
    }
  }
  for (int64_t y = 0; y < job->band.height && job->wants_nearest; y++)
    memcpy((int32_t *)vt_image_at(&job->above_here, 0, y) + x0, (int32_t *)vt_image_at(&job->distances, 0, y) + x0,
           (size_t)n * sizeof *nearest);
  memcpy(nearest, job->below + (b + 1) * width + x0, (size_t)n * sizeof *nearest);
  for (int64_t y = job->band.height; y-- > 0;) {
    const uint8_t *row = (uint8_t *)vt_image_at(&job->band, 0, y) + x0;
    int32_t *out = (int32_t *)vt_image_at(&job->distances, 0, y) + x0;
    const int32_t at = top + (int32_t)y;
    for (int64_t x = 0; x < n; x++) {
      nearest[x] = row[x] ? nearest[x] : at;
      const int32_t d = nearest[x] == NONE ? VT_EDT_NONE : nearest[x] - at;
      out[x] = d < out[x] ? d : out[x];
    }
  }
  return VITRAIL_OK;
}

static VitrailStatus
rows_on_device(Job *job, const VtWorker *worker, const VtEdt *args)
{
  const VtBackend *backend = worker->backend;
  const int64_t stride = args->src.width * 4;
  VtEdt local = *args;
  local.src = (VtImage){ NULL, args->src.width, args->src.height, stride, VITRAIL_I32 };
  local.dst = (VtImage){ NULL, args->src.width, args->src.height, stride, VITRAIL_F32 };
  VitrailStatus status = backend->edt_rows ? VITRAIL_OK : VITRAIL_UNSUPPORTED;
  THEN(status, backend->alloc(worker->device, (size_t)(stride * args->src.height), &local.src.data));
  THEN(status, backend->alloc(worker->device, (size_t)(stride * args->src.height), &local.dst.data));
  THEN(status, backend->upload(worker->device, &local.src, &args->src));
  THEN(status, backend->edt_rows(worker->device, &local, &job->run->cancel));
  THEN(status, backend->download(worker->device, &args->dst, &local.dst));
  if (local.src.data)
    backend->free(worker->device, local.src.data);
  if (local.dst.data)
    backend->free(worker->device, local.dst.data);
  return status;
}

static VtEdt
rows_of(const Job *job, int64_t y, int64_t n)
{
  VtEdt args = job->edt;
  args.src = vt_image_window(&job->distances, 0, y, job->band.width, n);
  args.dst = vt_image_window(&job->result, 0, y, job->band.width, n);
  if (job->wants_nearest)
    args.above = vt_image_window(&job->above_here, 0, y, job->band.width, n);
  args.y = job->share.y - vt_grid_rect(job->run).y + job->band_y + y;
  return args;
}

/* The kernel of devices. */
static bool
is_plain(const Job *job)
{
  return job->result.type == VITRAIL_F32 && job->edt.weight_x == 1 && job->edt.weight_y == 1 && job->edt.cap == 0;
}

/* A worker takes some rows at a time. One whose device fails goes on with the CPU's kernel. */
static void
rows_loop(void *user, uint32_t which)
{
  Job *job = user;
  VtRun *run = job->run;
  const VtWorker *worker = &job->workers->workers[which];
  bool on_device = !worker->is_cpu && is_plain(job);
  for (int64_t y; (y = (int64_t)atomic_fetch_add(&job->next, 1) * ROWS_AT_ONCE) < job->band.height;) {
    const int64_t n = job->band.height - y < ROWS_AT_ONCE ? job->band.height - y : ROWS_AT_ONCE;
    const VtEdt args = rows_of(job, y, n);
    VitrailStatus status = vt_cancelled(&run->cancel) ? VITRAIL_CANCELLED : VITRAIL_UNSUPPORTED;
    if (on_device && status != VITRAIL_CANCELLED) {
      status = rows_on_device(job, worker, &args);
      on_device = status == VITRAIL_OK || status == VITRAIL_CANCELLED;
      if (!on_device)
        vt_log(run, VITRAIL_LOG_WARNING, "%s left the distance transform, the others went on: %s",
               worker->backend->title,
               status == VITRAIL_UNSUPPORTED ? "it has no such kernel" : worker->backend->last_error(worker->device));
    }
    if (status != VITRAIL_OK && status != VITRAIL_CANCELLED)
      status = run->cpu->edt_rows(worker->is_cpu ? worker->device : NULL, &args, &run->cancel);
    if (status != VITRAIL_OK) {
      atomic_store(&job->status, status);
      return;
    }
  }
}

static VitrailStatus
run_band(VtRun *run, Job *job, int64_t b)
{
  const VtRect r = band_rect(job, b);
  const double *progress = job->progress;
  job->band_y = r.y;
  job->band.height = job->distances.height = job->result.height = job->above_here.height = r.height;
  const uint32_t n_parts = (uint32_t)((r.width - 1) / COLUMNS_AT_ONCE + 1);
  TRY(vt_parallel(run, n_parts, columns_of_band, job));
  atomic_store(&job->next, 0);
  run->host.parallel_for(run->host.user, job->workers->n, rows_loop, job);
  vt_progress(run, progress[0] + (progress[1] - progress[0]) * (double)(b + 1) / (double)job->n_bands);
  TRY(atomic_load(&job->status));
  return job->take(run, (VtRect){ 0, job->store_y + job->band_y, r.width, r.height }, &job->result, job->taker);
}

static VitrailStatus
run_bands(VtRun *run, Job *job)
{
  VitrailStatus status = VITRAIL_OK;
  vt_image_new(&job->band, VITRAIL_U8, job->share.width, job->band_rows);
  vt_image_new(&job->distances, VITRAIL_I32, job->share.width, job->band_rows);
  vt_image_new(&job->result, job->type, job->share.width, job->band_rows);
  if (job->wants_nearest)
    vt_image_new(&job->above_here, VITRAIL_I32, job->share.width, job->band_rows);
  if (!job->band.data || !job->distances.data || !job->result.data || (job->wants_nearest && !job->above_here.data))
    status = VITRAIL_OUT_OF_MEMORY;
  for (int64_t b = 0; b < job->n_bands && status == VITRAIL_OK; b++)
    status = run_band(run, job, b);
  free(job->band.data);
  free(job->distances.data);
  free(job->result.data);
  free(job->above_here.data);
  return status;
}

/* What it holds in memory. */
static double
bytes_held(const Job *job, int64_t band_rows)
{
  const double n_bands = (double)((job->share.height + band_rows - 1) / band_rows);
  const double per_px = 5 + (double)vt_type_size(job->type) + (job->wants_nearest ? sizeof(int32_t) : 0);
  return (double)job->share.width * (per_px * (double)band_rows + 8.0 * (n_bands + 2));
}

static VitrailStatus
run_job(VtRun *run, Job *job)
{
  job->n_bands = (job->share.height + job->band_rows - 1) / job->band_rows;
  VitrailStatus status = make_carries(run, job);
  if (status == VITRAIL_OK && job->n_bands > 0)
    status = run_bands(run, job);
  free(job->above);
  free(job->below);
  return vt_ranks_agree(run, status);
}

static VitrailStatus
run_source(VtRun *run, const void *user, const double progress[2], VtTakeBand take, void *taker)
{
  Job job = *(const Job *)user;
  job.progress = progress;
  job.take = take;
  job.taker = taker;
  return run_job(run, &job);
}

VitrailStatus
vt_streamed_distance(VtStreamed *s, const VtDistance *args)
{
  enum { MOST_ROWS = 512, LEAST_ROWS = 32 };
  VtRun *run = s->run;
  const VtImage *dst = args->nearest.data ? &args->nearest : args->squared.data ? &args->squared : &args->root;
  Job job = { .run = run,
              .foreground = args->src.data,
              .type = dst->type,
              .store_y = s->own.y,
              .share = vt_run_share(run),
              .band_rows = MOST_ROWS,
              .edt = { .scale = args->scale, .weight_x = args->weight_x, .weight_y = args->weight_y, .cap = args->cap },
              .wants_nearest = args->nearest.data != NULL,
              .workers = &s->workers };
  double bytes = bytes_held(&job, job.band_rows), less = 0;
  while (job.band_rows > LEAST_ROWS && bytes > s->limit / 4
         && (less = bytes_held(&job, job.band_rows / 2)) < bytes) { /* more bands have more carries */
    job.band_rows /= 2;
    bytes = less;
  }
  const VtStreamLocal step = { .in = { job.foreground },
                               .out = { dst->data },
                               .is_dear = true,
                               .source = run_source,
                               .source_bytes = bytes,
                               .user = &job };
  return vt_streamed_later(s, &step, sizeof job);
}
