/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "scale/stream.h"
#include "run/grid.h"
#include "run/parallel.h"
#include "run/raster.h"
#include "scale/journal.h"

enum { LEAST_CUT = 1 << 20, EMIT_WIDTH = 4 * VT_EMIT_GRID };

VitrailStatus
vt_streamed_begin(VtStreamed *s, VtRun *run, const char *algorithm, int32_t n_expected)
{
  *s = (VtStreamed){ .run = run, .algorithm = algorithm, .n_expected = n_expected };
  vt_tile_memories_init(&s->memories);
  const VtRect share = vt_run_share(run);
  s->own = (VtRect){ 0, share.y - run->grid.y, share.width, share.height };
  s->limit = vt_run_memory_limit(run);
  run->held = s->limit / 2;
  s->pool =
    vt_store_pool_new((uint64_t)run->held, run->request->scratch_dir, run->request->flags & VITRAIL_RUN_KEEP_SCRATCH);
  vt_record(run, "streamed", 1);
  s->cpu.n = run->host.n_threads < 1 ? 1 : run->host.n_threads < 256 ? run->host.n_threads : 256;
  for (uint32_t i = 0; i < s->cpu.n; i++)
    s->cpu.workers[i] = (VtWorker){ .backend = run->cpu, .device = run->cpu_device, .is_cpu = true };
  TRY(vt_ranks_agree(run, s->pool ? vt_workers_open(run, &s->workers) : VITRAIL_OUT_OF_MEMORY));
  return vt_journal_begin(s);
}

VitrailStatus
vt_streamed_end(VtStreamed *s, VitrailStatus status)
{
  VtRun *run = s->run;
  if (s->pool) {
    run->peak += (double)vt_store_pool_peak(s->pool);
    vt_record(run, "scratch-bytes", (double)vt_store_pool_scratch(s->pool));
    if (s->workers.n_devices > 0)
      vt_record(run, "local-tiles-on-devices", (double)s->n_on_devices);
  }
  const bool is_ours = !vt_ranks_failed_elsewhere(run);
  if (status == VITRAIL_READ_FAILED && is_ours)
    vt_scratch_failed(run, s->pool);
  vt_chain_clear(s);
  vt_workers_close(&s->workers);
  vt_tile_memories_clear(run, &s->memories);
  vt_store_pool_free(s->pool);
  s->pool = NULL;
  if (status == VITRAIL_OUT_OF_MEMORY && is_ours)
    return vt_fail(run, status, "There is not enough memory for the operation %s, or too little of it was allowed.",
                   run->op->id);
  if (status == VITRAIL_BAD_ARGUMENT)
    return vt_fail(run, status, "The operation %s needs an image without NaN.", run->op->id);
  if (status != VITRAIL_OK && status != VITRAIL_CANCELLED && run->host.n_ranks > 1)
    return vt_fail(run, status, "Another process that shares the operation %s has failed.", run->op->id);
  return status;
}

/* Stages share the run equally, and each step takes half of what is left of its stage: nobody says how many it has. */
static void
step_of_stage(VtStreamed *s, double *from, double *to)
{
  const uint32_t stage = s->run->stage, n_stages = s->run->op->n_stages;
  s->left_of_stage = stage == s->stage && s->left_of_stage > 0 ? s->left_of_stage : 1;
  s->stage = stage;
  *from = (stage + 1 - s->left_of_stage) / n_stages;
  s->left_of_stage /= 2;
  *to = (stage + 1 - s->left_of_stage) / n_stages;
}

void
vt_streamed_step(VtStreamed *s, double *from, double *to)
{
  if (s->run->op->n_stages > 2) {
    step_of_stage(s, from, to);
    return;
  }
  const double n = s->n_expected;
  *from = s->n_steps < s->n_expected ? s->n_steps / n : (n - 1) / n;
  s->n_steps++;
  *to = s->n_steps < s->n_expected ? s->n_steps / n : (n - 1) / n;
}

VitrailStatus
vt_streamed_cut(VtStreamed *s, VtStore *store, VtRect rect, VtImage *image)
{
  const double bytes = (double)rect.width * (double)rect.height * (double)vt_type_size(vt_store_type(store));
  *image = (VtImage){ 0 };
  if (bytes > LEAST_CUT && bytes * s->cpu.n > s->limit / 4)
    return vt_fail(s->run, VITRAIL_OUT_OF_MEMORY,
                   "An object of %lld x %lld pixels is too large to be outlined in the memory that is allowed.",
                   (long long)rect.width, (long long)rect.height);
  vt_image_new(image, vt_store_type(store), rect.width, rect.height);
  const VitrailStatus status = image->data ? vt_store_get(store, rect, image) : VITRAIL_OUT_OF_MEMORY;
  if (status != VITRAIL_OK) {
    free(image->data);
    *image = (VtImage){ 0 };
  }
  return status;
}

VitrailStatus
vt_stream_read(VtRun *run, const VitrailInput *input, VtRect tile, const VtImage *dst)
{
  const VtRect on_grid = { run->grid.x + tile.x, run->grid.y + tile.y, tile.width, tile.height };
  return vt_read_rect(run, input, on_grid, dst);
}

static VitrailStatus
copy_to(const VtWorker *worker, const VtImage *host, bool up, VtImage *there)
{
  *there = *host;
  there->data = NULL;
  TRY(worker->backend->alloc(worker->device, (size_t)(host->stride * host->height), &there->data));
  return up ? worker->backend->upload(worker->device, there, host) : VITRAIL_OK;
}

VitrailStatus
vt_streamed_on_device(VtRun *run, const VtStreamLocal *local, const VtLocalTile *t, const VtWorker *worker)
{
  VtLocalTile there = *t;
  VitrailStatus status = VITRAIL_OK;
  there.backend = worker->backend;
  there.device = worker->device;
  for (int k = 0; k < VT_LOCAL_IN; k++)
    there.in[k].data = NULL;
  for (int k = 0; k < VT_LOCAL_OUT; k++)
    there.out[k].data = NULL;
  for (int k = 0; k < VT_LOCAL_IN && local->in[k] && status == VITRAIL_OK; k++)
    status = copy_to(worker, &t->in[k], true, &there.in[k]);
  for (int k = 0; k < VT_LOCAL_OUT && local->out[k] && status == VITRAIL_OK; k++)
    status = copy_to(worker, &t->out[k], false, &there.out[k]);
  THEN(status, local->body(run, &there, local->user));
  for (int k = 0; k < VT_LOCAL_OUT && local->out[k] && status == VITRAIL_OK; k++)
    status = worker->backend->download(worker->device, &t->out[k], &there.out[k]);
  for (int k = 0; k < VT_LOCAL_IN; k++)
    if (there.in[k].data)
      worker->backend->free(worker->device, there.in[k].data);
  for (int k = 0; k < VT_LOCAL_OUT; k++)
    if (there.out[k].data)
      worker->backend->free(worker->device, there.out[k].data);
  return status;
}

VitrailStatus
vt_tile_copy(VtRun *run, const VtLocalTile *t, void *user)
{
  for (int64_t y = 0; y < t->tile.height; y++)
    memcpy(vt_image_at(&t->out[0], 0, y), vt_image_at(&t->in[0], 0, y),
           (size_t)t->tile.width * vt_type_size(t->in[0].type));
  return VITRAIL_OK;
}

int64_t
vt_striped(const VtRun *run, int64_t k, int64_t columns, int64_t rows, double tile_bytes)
{
  enum { ROWS_HELD = 3 }; /* of tiles: the last one, the one that is worked on, and halos */
  const double most = run->held / (ROWS_HELD * tile_bytes);
  const int64_t width = most < 1 ? 1 : most < (double)columns ? (int64_t)most : columns;
  const int64_t stripe = k / (width * rows), left = columns - stripe * width, in_stripe = k % (width * rows);
  const int64_t own = width < left ? width : left;
  return in_stripe / own * columns + stripe * width + in_stripe % own;
}

/* --- handing over --- */

typedef struct {
  VtStreamed *s;
  VtStore *store;
  int64_t columns, first; /* tiles in a row; the first one that is read now */
  VtImage *images;        /* as many as are read at a time */
  int64_t n_images;
} EmitJob;

static VtRect
emitted_rect(const EmitJob *job, int64_t i)
{
  const VtRect own = job->s->own;
  const int64_t x = i % job->columns * EMIT_WIDTH, y = own.y + i / job->columns * VT_EMIT_GRID;
  const int64_t right = own.width - x, below = own.y + own.height - y;
  return (VtRect){ x, y, EMIT_WIDTH < right ? EMIT_WIDTH : right, VT_EMIT_GRID < below ? VT_EMIT_GRID : below };
}

static VitrailStatus
read_emitted(VtRun *run, uint32_t k, void *user)
{
  const EmitJob *job = user;
  const VtRect r = emitted_rect(job, job->first + k);
  job->images[k].width = r.width;
  job->images[k].height = r.height;
  job->images[k].stride = r.width * (int64_t)vt_type_size(job->images[k].type);
  return vt_store_get(job->store, r, &job->images[k]);
}

/* Tiles are read by all threads, and handed over in order: files have the same bytes then. */
static VitrailStatus
emit_tiles(EmitJob *job, uint32_t stage, double scale)
{
  VtRun *run = job->s->run;
  const int64_t n = job->columns * ((job->s->own.height + VT_EMIT_GRID - 1) / VT_EMIT_GRID);
  VitrailStatus status = VITRAIL_OK;
  for (job->first = 0; job->first < n && status == VITRAIL_OK; job->first += job->n_images) {
    const int64_t left = n - job->first, n_now = left < job->n_images ? left : job->n_images;
    status = vt_parallel(run, (uint32_t)n_now, read_emitted, job);
    for (int64_t k = 0; k < n_now && status == VITRAIL_OK; k++) {
      VtRect r = emitted_rect(job, job->first + k);
      r.x += run->grid.x;
      r.y += run->grid.y;
      status = vt_cancelled(&run->cancel) ? VITRAIL_CANCELLED : vt_emit_tile(run, stage, r, &job->images[k], scale);
    }
  }
  return status;
}

VitrailStatus
vt_streamed_emit(VtStreamed *s, uint32_t stage, VtStore *store, double scale)
{
  VtRun *run = s->run;
  const VtType type = vt_store_type(store);
  if (!(run->wanted >> stage & 1))
    return VITRAIL_OK;
  TRY(vt_streamed_settle(s));
  vt_journal_emitted(s, store);
  const double bytes = (double)EMIT_WIDTH * VT_EMIT_GRID * (double)vt_type_size(type);
  EmitJob job = { .s = s, .store = store, .columns = (run->grid.width - 1) / EMIT_WIDTH + 1, .n_images = s->cpu.n };
  while (job.n_images > 1 && (double)job.n_images * bytes > s->limit / 8)
    job.n_images--;
  job.images = calloc((size_t)job.n_images, sizeof *job.images);
  VitrailStatus status = job.images ? VITRAIL_OK : VITRAIL_OUT_OF_MEMORY;
  for (int64_t k = 0; k < job.n_images && status == VITRAIL_OK; k++) {
    vt_image_new(&job.images[k], type, EMIT_WIDTH, VT_EMIT_GRID);
    status = job.images[k].data ? VITRAIL_OK : VITRAIL_OUT_OF_MEMORY;
  }
  vt_run_hold(run, (double)job.n_images * bytes);
  THEN(status, emit_tiles(&job, stage, scale));
  for (int64_t k = 0; k < job.n_images && job.images; k++)
    free(job.images[k].data);
  free(job.images);
  return vt_ranks_agree(run, status);
}
