/* SPDX-License-Identifier: MIT */
#include <pthread.h>
#include <stdlib.h>

#include "scale/stream.h"
#include "run/grid.h"
#include "run/parallel.h"
#include "run/raster.h"
#include "scale/journal.h"
#include "scale/ranks.h"

enum { LOCAL_TILE = 1024, LEAST_TILE = 64, LEAST_CUT = 1 << 20, EMIT_WIDTH = 4 * VT_EMIT_GRID };

VitrailStatus
vt_streamed_begin(VtStreamed *s, VtRun *run, const char *algorithm, int32_t n_expected)
{
  *s = (VtStreamed){ .run = run, .algorithm = algorithm, .n_expected = n_expected };
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
  vt_workers_close(&s->workers);
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

/* --- tile by tile --- */

/* What a thread works on; kept for the next tile, since new memory costs as much as a copy. */
typedef struct TileMemory {
  struct TileMemory *next;
  void *in[VT_LOCAL_IN], *out[VT_LOCAL_OUT];
} TileMemory;

typedef struct {
  const VtStreamLocal *local;
  VtRect own, limits; /* what tiles cover; how far windows may go */
  int64_t tile, columns, n_tiles;
  double from, to;
  const VtWorkers *workers;
  pthread_mutex_t lock;                                          /* guards what follows */
  TileMemory *memories;                                          /* not in use */
  uint32_t idle[VT_WORKERS_PER_DEVICE * VT_MAX_DEVICES], n_idle; /* workers on devices */
  int64_t n_on_devices;
  atomic_llong n_done;
} LocalJob;

static VtRect
grown(const LocalJob *job, VtRect tile)
{
  const int64_t halo = job->local->halo;
  const VtRect l = job->limits;
  const int64_t x0 = tile.x > halo ? tile.x - halo : 0, y0 = tile.y - halo > l.y ? tile.y - halo : l.y;
  int64_t x1 = tile.x + tile.width + halo, y1 = tile.y + tile.height + halo;
  x1 = x1 < l.width ? x1 : l.width;
  y1 = y1 < l.y + l.height ? y1 : l.y + l.height;
  return (VtRect){ x0, y0, x1 - x0, y1 - y0 };
}

static void
memory_free(TileMemory *memory)
{
  for (int k = 0; k < VT_LOCAL_IN; k++)
    free(memory->in[k]);
  for (int k = 0; k < VT_LOCAL_OUT; k++)
    free(memory->out[k]);
  free(memory);
}

static void *
alloc_square(const VtStore *store, int64_t edge)
{
  VtImage image;
  vt_image_new(&image, vt_store_type(store), edge, edge);
  return image.data;
}

static TileMemory *
take_memory(LocalJob *job)
{
  const VtStreamLocal *local = job->local;
  pthread_mutex_lock(&job->lock);
  TileMemory *memory = job->memories;
  if (memory)
    job->memories = memory->next;
  pthread_mutex_unlock(&job->lock);
  if (memory || !(memory = calloc(1, sizeof *memory)))
    return memory;
  bool fine = true;
  for (int k = 0; k < VT_LOCAL_IN && local->in[k]; k++)
    fine = (memory->in[k] = alloc_square(local->in[k], job->tile + 2 * local->halo)) && fine;
  for (int k = 0; k < VT_LOCAL_OUT && local->out[k]; k++)
    fine = (memory->out[k] = alloc_square(local->out[k], job->tile)) && fine;
  if (!fine)
    memory_free(memory);
  return fine ? memory : NULL;
}

static void
leave_memory(LocalJob *job, TileMemory *memory)
{
  pthread_mutex_lock(&job->lock);
  memory->next = job->memories;
  job->memories = memory;
  pthread_mutex_unlock(&job->lock);
}

static VtImage
packed(void *data, const VtStore *store, VtRect r)
{
  const VtType type = vt_store_type(store);
  return (VtImage){ data, r.width, r.height, r.width * (int64_t)vt_type_size(type), type };
}

/* --- of a body by slots: a thread with a tile takes a device that is idle, and does it itself when there is none --- */

static const VtWorker *
take_device(LocalJob *job)
{
  const VtWorker *worker = NULL;
  pthread_mutex_lock(&job->lock);
  if (job->n_idle > 0)
    worker = &job->workers->workers[job->idle[--job->n_idle]];
  pthread_mutex_unlock(&job->lock);
  return worker;
}

/* One that fails takes no more of this step. */
static void
leave_device(VtRun *run, LocalJob *job, const VtWorker *worker, VitrailStatus status)
{
  pthread_mutex_lock(&job->lock);
  job->n_on_devices += status == VITRAIL_OK;
  if (status == VITRAIL_OK || status == VITRAIL_CANCELLED) {
    job->idle[job->n_idle++] = (uint32_t)(worker - job->workers->workers);
  } else if (status != VITRAIL_UNSUPPORTED && !run->warned_fallback) {
    run->warned_fallback = true;
    vt_log(run, VITRAIL_LOG_WARNING, "%s left a step, the others went on: %s", worker->backend->title,
           worker->backend->last_error(worker->device));
  }
  if (status == VITRAIL_INTERNAL)
    run->device_failed = true;
  pthread_mutex_unlock(&job->lock);
}

static VitrailStatus
copy_to(const VtWorker *worker, const VtImage *host, bool up, VtImage *there)
{
  *there = *host;
  there->data = NULL;
  TRY(worker->backend->alloc(worker->device, (size_t)(host->stride * host->height), &there->data));
  return up ? worker->backend->upload(worker->device, there, host) : VITRAIL_OK;
}

static VitrailStatus
work_on_device(VtRun *run, const VtStreamLocal *local, const VtLocalTile *t, const VtWorker *worker)
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
  if (status == VITRAIL_OK)
    status = local->body(run, &there, local->user);
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

static VitrailStatus
run_body(VtRun *run, LocalJob *job, VtLocalTile *t)
{
  const VtWorker *worker = job->local->by_slots ? take_device(job) : NULL;
  VitrailStatus status = VITRAIL_UNSUPPORTED;
  if (worker) {
    status = work_on_device(run, job->local, t, worker);
    leave_device(run, job, worker, status);
  }
  if (worker && (status == VITRAIL_OK || status == VITRAIL_CANCELLED))
    return status;
  t->backend = run->cpu;
  t->device = run->cpu_device;
  return job->local->body(run, t, job->local->user);
}

static VitrailStatus
work_tile(VtRun *run, LocalJob *job, VtLocalTile *t, const TileMemory *memory)
{
  const VtStreamLocal *local = job->local;
  for (int k = 0; k < VT_LOCAL_IN && local->in[k]; k++) {
    t->in[k] = packed(memory->in[k], local->in[k], t->window);
    TRY(vt_store_get(local->in[k], t->window, &t->in[k]));
  }
  for (int k = 0; k < VT_LOCAL_OUT && local->out[k]; k++)
    t->out[k] = packed(memory->out[k], local->out[k], t->tile);
  TRY(run_body(run, job, t));
  for (int k = 0; k < VT_LOCAL_OUT && local->out[k]; k++)
    TRY(vt_store_put(local->out[k], t->tile, &t->out[k]));
  return VITRAIL_OK;
}

static VitrailStatus
local_tile(VtRun *run, uint32_t index, void *user)
{
  LocalJob *job = user;
  VtRect r = { index % job->columns * job->tile, index / job->columns * job->tile, job->tile, job->tile };
  r.width = r.width < job->own.width - r.x ? r.width : job->own.width - r.x;
  r.height = r.height < job->own.height - r.y ? r.height : job->own.height - r.y;
  r.y += job->own.y;
  VtLocalTile t = { .tile = r, .window = grown(job, r) };
  TileMemory *memory = take_memory(job);
  if (!memory)
    return VITRAIL_OUT_OF_MEMORY;
  const VitrailStatus status = work_tile(run, job, &t, memory);
  leave_memory(job, memory);
  const double done = (double)(atomic_fetch_add(&job->n_done, 1) + 1) / (double)job->n_tiles;
  vt_progress(run, job->from + done * (job->to - job->from));
  return status;
}

static double
tile_bytes(const VtStreamLocal *local, int64_t tile)
{
  const double edge = (double)tile, with_halo = (double)(tile + 2 * local->halo);
  double bytes = (local->by_window ? with_halo * with_halo : edge * edge) * (double)local->body_bytes;
  for (int k = 0; k < VT_LOCAL_IN && local->in[k]; k++)
    bytes += with_halo * with_halo * (double)vt_type_size(vt_store_type(local->in[k]));
  for (int k = 0; k < VT_LOCAL_OUT && local->out[k]; k++)
    bytes += edge * edge * (double)vt_type_size(vt_store_type(local->out[k]));
  return bytes;
}

/* What the threads hold with tiles of this size. */
static double
local_bytes(const VtStreamed *s, const VtStreamLocal *local, int64_t tile)
{
  return tile_bytes(local, tile) * s->cpu.n;
}

int64_t
vt_streamed_tile(const VtStreamed *s, const VtStreamLocal *local)
{
  const uint32_t wanted = s->run->request->tile_px;
  int64_t tile = wanted == 0 ? LOCAL_TILE : wanted < LEAST_TILE ? LEAST_TILE : wanted;
  while (tile > LEAST_TILE && 2 * local_bytes(s, local, tile) > s->limit / 2) /* as much again for the body */
    tile /= 2;
  return tile;
}

/* Where a store is read and written the kept one stays as it is until the step is done. */
static VitrailStatus
make_shadows(VtStreamed *s, VtStreamLocal *local)
{
  VitrailStatus status = VITRAIL_OK;
  for (int k = 0; k < VT_LOCAL_OUT && local->out[k] && s->keeps && status == VITRAIL_OK; k++)
    for (int i = 0; i < VT_LOCAL_IN; i++)
      if (local->in[i] == local->out[k]) {
        status = vt_journal_shadow(s, local->in[i], &local->out[k]);
        break;
      }
  return status;
}

static void
take_shadows(VtStreamed *s, const VtStreamLocal *asked, const VtStreamLocal *local, VitrailStatus status)
{
  for (int k = 0; k < VT_LOCAL_OUT; k++) {
    if (local->out[k] == asked->out[k])
      continue;
    if (status == VITRAIL_OK)
      vt_journal_replace(s, asked->out[k], local->out[k]);
    else
      vt_store_free(local->out[k]);
  }
}

static VitrailStatus
run_tiles(VtStreamed *s, LocalJob *job)
{
  const double budget = (double)s->run->request->device_budget;
  const double need = VT_WORKERS_PER_DEVICE * 2 * tile_bytes(job->local, job->tile); /* as much again for the slot */
  job->workers = &s->workers;
  for (uint32_t i = 0; i < s->workers.n_devices && (budget <= 0 || need <= budget); i++)
    job->idle[job->n_idle++] = i;
  pthread_mutex_init(&job->lock, NULL);
  const VitrailStatus status = vt_parallel(s->run, (uint32_t)job->n_tiles, local_tile, job);
  pthread_mutex_destroy(&job->lock);
  s->n_on_devices += job->n_on_devices;
  for (TileMemory *memory = job->memories, *next; memory; memory = next) {
    next = memory->next;
    memory_free(memory);
  }
  return status;
}

static VitrailStatus
run_local(VtStreamed *s, const VtStreamLocal *asked)
{
  VtRun *run = s->run;
  VtStreamLocal local = *asked;
  LocalJob job = { .local = &local, .own = s->own, .tile = local.tile };
  job.limits = local.stays_inside ? s->own : (VtRect){ 0, 0, run->grid.width, run->grid.height };
  if (job.tile == 0)
    job.tile = vt_streamed_tile(s, &local);
  for (int k = 0; k < VT_LOCAL_IN && !local.stays_inside; k++)
    TRY(vt_streamed_halo(s, local.in[k], local.halo));
  vt_run_hold(s->run, 2 * local_bytes(s, &local, job.tile));
  job.columns = (job.own.width - 1) / job.tile + 1;
  job.n_tiles = job.columns * ((job.own.height + job.tile - 1) / job.tile);
  if (job.columns * ((run->grid.height - 1) / job.tile + 1) > UINT32_MAX)
    return vt_fail(run, VITRAIL_BAD_ARGUMENT, "The region has too many tiles of %lld pixels.", (long long)job.tile);
  vt_streamed_step(s, &job.from, &job.to);
  VitrailStatus status = make_shadows(s, &local);
  if (status == VITRAIL_OK)
    status = run_tiles(s, &job);
  status = vt_ranks_agree(run, status);
  take_shadows(s, asked, &local, status);
  return status;
}

VitrailStatus
vt_streamed_local(VtStreamed *s, const VtStreamLocal *local)
{
  return vt_journal_enter(s) ? vt_journal_leave(s, run_local(s, local), NULL, 0) : VITRAIL_OK;
}

VitrailStatus
vt_stream_read(VtRun *run, const VitrailInput *input, VtRect tile, const VtImage *dst)
{
  const VtRect on_grid = { run->grid.x + tile.x, run->grid.y + tile.y, tile.width, tile.height };
  return vt_read_rect(run, input, on_grid, dst);
}

VitrailStatus
vt_streamed_emit(VtStreamed *s, uint32_t stage, VtStore *store, double scale)
{
  VtRun *run = s->run;
  const int64_t width = run->grid.width, end = s->own.y + s->own.height;
  const VtType type = vt_store_type(store);
  if (!(run->wanted >> stage & 1))
    return VITRAIL_OK;
  vt_journal_emitted(s, store);
  VtImage image;
  vt_image_new(&image, type, EMIT_WIDTH, VT_EMIT_GRID);
  VitrailStatus status = image.data ? VITRAIL_OK : VITRAIL_OUT_OF_MEMORY;
  for (int64_t y = s->own.y; y < end; y += VT_EMIT_GRID)
    for (int64_t x = 0; x < width && status == VITRAIL_OK; x += EMIT_WIDTH) {
      const VtRect r = { x, y, EMIT_WIDTH < width - x ? EMIT_WIDTH : width - x,
                         VT_EMIT_GRID < end - y ? VT_EMIT_GRID : end - y };
      const VtImage part = { image.data, r.width, r.height, r.width * (int64_t)vt_type_size(type), type };
      status = vt_cancelled(&run->cancel) ? VITRAIL_CANCELLED : vt_store_get(store, r, &part);
      if (status == VITRAIL_OK)
        status =
          vt_emit_tile(run, stage, (VtRect){ run->grid.x + x, run->grid.y + y, r.width, r.height }, &part, scale);
    }
  free(image.data);
  return vt_ranks_agree(run, status);
}
