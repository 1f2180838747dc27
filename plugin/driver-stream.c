/* SPDX-License-Identifier: MIT
 *
 * Tile propagation and border propagation with ready tiles taken on demand. A worker takes a ready tile, copies it and a halo
 * of one pixel out of the stores, brings the copy to rest, and copies the tile, not the halo, back: so only its worker ever
 * writes a tile, and a tile that is being worked on is ready again, not taken twice. A neighbour becomes ready only if a
 * pixel of the halo copy rose, that is, if a border pixel of the neighbour can really rise. Markers only grow towards the one
 * fixpoint, so what a halo held a moment ago is a legal value too: order, devices and repetition can't show.
 *
 * A device that fails gives its tile back untouched and takes no more; there is always a CPU worker. */
#include "driver-stream.h"

#include "halo.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { READY = 1, RUNNING = 2, SEEN = 4, CPU_TILE = 2048, DEVICE_TILE = 8192, MIN_TILE = 16, FLUSH_EVERY = 64 };

typedef struct {
  VtRun *run;
  VtWorkers *workers;
  const VtStream *s;
  int64_t tile, columns, rows, n_tiles;
  pthread_mutex_t lock; /* guards all below */
  pthread_cond_t changed;
  uint8_t *state;
  int64_t *ring, first, n_ready, n_running, n_seen, n_visits;
  double ms_cpu, ms_device; /* of the last tiles; 0: not known yet */
  VitrailStatus status;
} Propagation;

/* What a worker works on: the marker's and the mask's window. */
typedef struct {
  VtImage host[2], device[2];
  char *before;   /* the marker's halo */
  bool is_pinned; /* host: the worker's own kind of memory */
} Desk;

static double
now_ms(void)
{
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}

static VtRect
tile_rect(const Propagation *p, int64_t index)
{
  const VtRect own = p->s->own;
  VtRect r = { index % p->columns * p->tile, index / p->columns * p->tile, p->tile, p->tile };
  r.width = r.width < own.width - r.x ? r.width : own.width - r.x;
  r.height = r.height < own.height - r.y ? r.height : own.height - r.y;
  r.x += own.x;
  r.y += own.y;
  return r;
}

static VtRect
with_halo(const VtStream *s, VtRect r)
{
  const int64_t left = r.x > 0, top = r.y > 0;
  const int64_t right = r.x + r.width < vt_store_width(s->mask), bottom = r.y + r.height < vt_store_height(s->mask);
  return (VtRect){ r.x - left, r.y - top, r.width + left + right, r.height + top + bottom };
}

/* Called with the lock. */
static void
make_ready(Propagation *p, int64_t index)
{
  if (p->state[index] & READY)
    return;
  p->state[index] |= READY;
  if (p->state[index] & RUNNING)
    return; /* it goes into the ring when it is given back */
  p->ring[(p->first + p->n_ready++) % p->n_tiles] = index;
  pthread_cond_signal(&p->changed);
}

/* The CPU leaves the last tiles to the devices when they would be through with them before it had done one. */
static bool
is_worth_it(const Propagation *p, const VtWorker *worker)
{
  if (!worker->is_cpu || p->workers->n_devices == 0)
    return true;
  const double n = p->workers->n_devices;
  if (p->ms_cpu <= 0 || p->ms_device <= 0)
    return (double)p->n_ready > 32 * n;
  return (double)p->n_ready * p->ms_device / n > p->ms_cpu;
}

/* The next tile for this worker; -1: there will be none. */
static int64_t
take(Propagation *p, const VtWorker *worker)
{
  int64_t index = -1;
  pthread_mutex_lock(&p->lock);
  while (p->status == VITRAIL_OK) {
    const bool devices_work = p->workers->n_devices > 0 && p->n_running > 0;
    if (p->n_ready > 0 && (is_worth_it(p, worker) || !devices_work)) {
      index = p->ring[p->first];
      p->first = (p->first + 1) % p->n_tiles;
      p->n_ready--;
      p->n_running++;
      p->state[index] = (uint8_t)((p->state[index] & SEEN) | RUNNING);
      break;
    }
    if (p->n_ready == 0 && p->n_running == 0)
      break;
    pthread_cond_wait(&p->changed, &p->lock);
  }
  pthread_mutex_unlock(&p->lock);
  return index;
}

static void
give_back(Propagation *p, int64_t index, const bool rose[9], double ms, const VtWorker *worker)
{
  pthread_mutex_lock(&p->lock);
  const bool again = p->state[index] & READY;
  p->state[index] &= SEEN;
  p->n_running--;
  if (again)
    make_ready(p, index);
  for (int k = 0; rose && k < 9; k++)
    if (rose[k]) { /* pixels beyond the own rows belong to another rank */
      const int64_t column = index % p->columns + k % 3 - 1, row = index / p->columns + k / 3 - 1;
      if (column >= 0 && row >= 0 && column < p->columns && row < p->rows)
        make_ready(p, row * p->columns + column);
    }
  if (rose) {
    *(worker->is_cpu ? &p->ms_cpu : &p->ms_device) = ms;
    p->n_visits++;
    if (!(p->state[index] & SEEN))
      p->n_seen++;
    p->state[index] |= SEEN;
  } else {
    make_ready(p, index);
  }
  const double done = (double)p->n_seen / (double)p->n_tiles;
  const bool flush = p->n_visits % FLUSH_EVERY == 0;
  pthread_cond_broadcast(&p->changed);
  pthread_mutex_unlock(&p->lock);
  if (p->run->host.progress)
    p->run->host.progress(p->run->host.user, 0, p->s->progress[0] + done * (p->s->progress[1] - p->s->progress[0]));
  if (flush && p->run->request->flags & VITRAIL_RUN_KEEP_SCRATCH)
    vt_store_flush(p->s->marker);
}

static void
fail_all(Propagation *p, VitrailStatus status)
{
  pthread_mutex_lock(&p->lock);
  if (p->status == VITRAIL_OK)
    p->status = status;
  pthread_cond_broadcast(&p->changed);
  pthread_mutex_unlock(&p->lock);
}

/* --- one tile --- */

static void
desk_clear(const VtWorker *worker, Desk *desk)
{
  for (int k = 0; k < 2; k++) {
    if (desk->is_pinned && desk->host[k].data)
      worker->backend->free_host(worker->device, desk->host[k].data);
    else
      free(desk->host[k].data);
    if (!worker->is_cpu && desk->device[k].data)
      worker->backend->free(worker->device, desk->device[k].data);
  }
  free(desk->before);
  *desk = (Desk){ 0 };
}

static VitrailStatus
desk_init(const Propagation *p, const VtWorker *worker, Desk *desk)
{
  const VtRect largest = { 0, 0, p->tile + 2, p->tile + 2 };
  const VtType type = vt_store_type(p->s->mask);
  const size_t bytes = (size_t)largest.width * (size_t)largest.height * vt_type_size(type);
  VitrailStatus status = VITRAIL_OK;
  *desk = (Desk){ .before = malloc(vt_halo_bytes(largest, type)),
                  .is_pinned = !worker->is_cpu && worker->backend->alloc_host };
  for (int k = 0; k < 2 && status == VITRAIL_OK; k++) {
    if (desk->is_pinned)
      status = worker->backend->alloc_host(worker->device, bytes, &desk->host[k].data);
    else
      desk->host[k].data = malloc(bytes);
    if (status != VITRAIL_OK)
      break;
    if (!desk->host[k].data || !desk->before)
      status = VITRAIL_OUT_OF_MEMORY;
    else if (!worker->is_cpu)
      status = worker->backend->alloc(worker->device, bytes, &desk->device[k].data);
  }
  return status;
}

static VitrailStatus
run_kernel(Propagation *p, const VtWorker *worker, Desk *desk)
{
  const VtBackend *backend = worker->backend;
  const VtReconstructAlgorithm *algorithm = vt_find_reconstruct(backend, p->s->algorithm);
  VtReconstruct args = {
    .marker = desk->host[0], .mask = desk->host[1], .connectivity = p->s->connectivity, .by_erosion = p->s->by_erosion
  };
  if (!algorithm) /* one of another backend: any gives the same bytes */
    algorithm = backend->reconstruct;
  if (worker->is_cpu)
    return algorithm->run(worker->device, &args, &p->run->cancel);
  args.marker = desk->device[0];
  args.mask = desk->device[1];
  VitrailStatus status = VITRAIL_OK;
  for (int k = 0; k < 2 && status == VITRAIL_OK; k++)
    status = backend->upload(worker->device, &desk->device[k], &desk->host[k]);
  if (status == VITRAIL_OK)
    status = algorithm ? algorithm->run(worker->device, &args, &p->run->cancel) : VITRAIL_UNSUPPORTED;
  return status == VITRAIL_OK ? backend->download(worker->device, &desk->host[0], &desk->device[0]) : status;
}

/* store_failed: the stores are at fault, not the worker's device. */
static VitrailStatus
work_tile(Propagation *p, const VtWorker *worker, Desk *desk, int64_t index, bool rose[9], bool *store_failed)
{
  const VtRect tile = tile_rect(p, index), window = with_halo(p->s, tile);
  const VtType type = vt_store_type(p->s->mask);
  const int64_t px = (int64_t)vt_type_size(type);
  for (int k = 0; k < 2; k++) {
    desk->host[k] = (VtImage){ desk->host[k].data, window.width, window.height, window.width * px, type };
    desk->device[k] = (VtImage){ desk->device[k].data, window.width, window.height, window.width * px, type };
  }
  VitrailStatus status = vt_store_get(p->s->marker, window, &desk->host[0]);
  if (status == VITRAIL_OK)
    status = vt_store_get(p->s->mask, window, &desk->host[1]);
  *store_failed = status != VITRAIL_OK;
  if (status != VITRAIL_OK)
    return status;
  vt_halo_save(&desk->host[0], tile, window, desk->before);
  status = run_kernel(p, worker, desk);
  if (status != VITRAIL_OK)
    return status;
  vt_halo_compare(&desk->host[0], tile, window, desk->before, rose);
  const VtImage inner = vt_image_window(&desk->host[0], tile.x - window.x, tile.y - window.y, tile.width, tile.height);
  status = vt_store_put(p->s->marker, tile, &inner);
  *store_failed = status != VITRAIL_OK;
  return status;
}

static void
leave(Propagation *p, const VtWorker *worker, VitrailStatus status)
{
  const char *why = worker->backend->last_error(worker->device);
  pthread_mutex_lock(&p->lock);
  if (!p->run->warned_fallback)
    vt_log(p->run, VITRAIL_LOG_WARNING, "%s left the reconstruction, the others went on: %s", worker->backend->title,
           status == VITRAIL_UNSUPPORTED ? "it has no such kernel" : why);
  p->run->warned_fallback = true;
  pthread_mutex_unlock(&p->lock);
}

static void
worker_loop(void *user, uint32_t which)
{
  Propagation *p = user;
  const VtWorker *worker = &p->workers->workers[which];
  Desk desk;
  VitrailStatus status = desk_init(p, worker, &desk);
  if (status != VITRAIL_OK && !worker->is_cpu)
    leave(p, worker, status);
  else if (status != VITRAIL_OK)
    fail_all(p, status);
  for (int64_t index = -1; status == VITRAIL_OK && (index = take(p, worker)) >= 0;) {
    bool rose[9], store_failed = false;
    const double before = now_ms();
    status = work_tile(p, worker, &desk, index, rose, &store_failed);
    const bool devices_own = !store_failed && !worker->is_cpu && status != VITRAIL_OK && status != VITRAIL_CANCELLED
                             && status != VITRAIL_BAD_ARGUMENT;
    if (status != VITRAIL_OK && !devices_own)
      fail_all(p, status);
    give_back(p, index, status == VITRAIL_OK ? rose : NULL, now_ms() - before, worker);
    if (devices_own)
      leave(p, worker, status);
  }
  desk_clear(worker, &desk);
}

/* --- all tiles --- */

static int64_t
pick_tile(const VtRun *run, const VtWorkers *workers, const VtStream *s)
{
  int64_t tile = s->tile > 0 ? s->tile : run->request->tile_px;
  if (tile == 0)
    tile = workers->n_devices > 0 ? DEVICE_TILE : CPU_TILE;
  if (tile < MIN_TILE)
    tile = MIN_TILE;
  /* The desks: two images and what a kernel needs, about as much again. */
  const double px = s->mask ? 4.0 * (double)vt_type_size(vt_store_type(s->mask)) * workers->n : 1;
  while (run->request->memory_budget > 0 && tile > 256
         && px * (double)tile * (double)tile > 0.5 * (double)run->request->memory_budget)
    tile /= 2;
  while (run->request->device_budget > 0 && tile > 256
         && px * (double)tile * (double)tile > (double)run->request->device_budget)
    tile /= 2;
  return tile;
}

static VitrailStatus
propagate(Propagation *p)
{
  VtRun *run = p->run;
  run->host.parallel_for(run->host.user, p->workers->n, worker_loop, p);
  if (p->status == VITRAIL_OK
      && (p->n_ready > 0 || vt_cancelled(&run->cancel))) /* a device left when all others were done */
    worker_loop(p, p->workers->n_devices);
  return p->status;
}

/* Rows that the neighbours own, as they are now; the tiles at the edge become ready where that raised something. */
static VitrailStatus
exchange(Propagation *p, bool *changed)
{
  VtRun *run = p->run;
  const VtStream *s = p->s;
  const VtType type = vt_store_type(s->marker);
  const size_t bytes = (size_t)s->own.width * vt_type_size(type);
  char *rows = calloc(6, bytes);
  if (!rows)
    return VITRAIL_OUT_OF_MEMORY;
  VitrailStatus status = VITRAIL_OK;
  const bool have[2] = { s->own.y > 0, s->own.y + s->own.height < vt_store_height(s->marker) };
  VtRect mine[2] = { { s->own.x, s->own.y, s->own.width, 1 },
                     { s->own.x, s->own.y + s->own.height - 1, s->own.width, 1 } };
  VtRect theirs[2] = { { s->own.x, s->own.y - 1, s->own.width, 1 },
                       { s->own.x, s->own.y + s->own.height, s->own.width, 1 } };
  for (int k = 0; k < 2 && status == VITRAIL_OK; k++) {
    VtImage row = { rows + (size_t)k * bytes, s->own.width, 1, (int64_t)bytes, type };
    VtImage old = { rows + (size_t)(4 + k) * bytes, s->own.width, 1, (int64_t)bytes, type };
    if (have[k])
      status = vt_store_get(s->marker, mine[k], &row);
    if (have[k] && status == VITRAIL_OK)
      status = vt_store_get(s->marker, theirs[k], &old);
  }
  if (status == VITRAIL_OK)
    status = run->host.exchange(run->host.user, have[0] ? rows : NULL, have[0] ? rows + 2 * bytes : NULL,
                                have[1] ? rows + bytes : NULL, have[1] ? rows + 3 * bytes : NULL, bytes);
  for (int k = 0; k < 2 && status == VITRAIL_OK; k++) {
    const char *now = rows + (size_t)(2 + k) * bytes;
    if (!have[k] || memcmp(now, rows + (size_t)(4 + k) * bytes, bytes) == 0)
      continue;
    const VtImage row = { (void *)now, s->own.width, 1, (int64_t)bytes, type };
    *changed = true;
    status = vt_store_put(s->marker, theirs[k], &row);
    for (int64_t column = 0; column < p->columns; column++)
      make_ready(p, (k == 0 ? 0 : p->rows - 1) * p->columns + column);
  }
  free(rows);
  return status;
}

/* A rank that has no rows still takes part in the talk. */
static VitrailStatus
propagate_over_ranks(Propagation *p)
{
  VtRun *run = p->run;
  VitrailStatus status = p->n_tiles > 0 ? propagate(p) : VITRAIL_OK;
  int32_t rounds = 0;
  for (int32_t changed = 1; run->host.n_ranks > 1 && changed; rounds++) {
    bool mine = false;
    status = vt_ranks_agree(run, status);
    if (status == VITRAIL_OK)
      status = p->n_tiles > 0 ? exchange(p, &mine) : run->host.exchange(run->host.user, NULL, NULL, NULL, NULL, 0);
    status = vt_ranks_agree(run, status);
    if (status == VITRAIL_OK)
      status = run->host.agree(run->host.user, mine, &changed);
    if (status != VITRAIL_OK)
      return status;
    if (mine)
      status = propagate(p);
  }
  if (run->host.n_ranks > 1)
    vt_record(run, "rank-rounds", rounds);
  return status;
}

VitrailStatus
vt_stream_reconstruct(VtRun *run, VtWorkers *workers, const VtStream *s)
{
  Propagation p = { .run = run, .workers = workers, .s = s, .tile = pick_tile(run, workers, s) };
  p.columns = (s->own.width - 1) / p.tile + 1;
  p.rows = (s->own.height + p.tile - 1) / p.tile; /* none when this rank has no rows */
  p.n_tiles = p.columns * p.rows;
  p.state = calloc((size_t)p.n_tiles + 1, 1);
  p.ring = malloc((size_t)(p.n_tiles + 1) * sizeof *p.ring);
  pthread_mutex_init(&p.lock, NULL);
  pthread_cond_init(&p.changed, NULL);
  VitrailStatus status = VITRAIL_OUT_OF_MEMORY;
  if (p.state && p.ring) {
    for (int64_t i = 0; i < p.n_tiles; i++)
      make_ready(&p, i);
    status = propagate_over_ranks(&p);
    vt_record(run, "tile-px", (double)p.tile);
    vt_record(run, "tiles", (double)p.n_tiles);
    vt_record(run, "tile-visits", (double)p.n_visits);
  }
  pthread_mutex_destroy(&p.lock);
  pthread_cond_destroy(&p.changed);
  free(p.state);
  free(p.ring);
  return status;
}
