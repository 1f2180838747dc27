/* SPDX-License-Identifier: MIT
 *
 * Tile propagation and border propagation with ready tiles taken on demand. A worker takes a ready tile and copies it, with a halo
 * of one pixel, out of the stores. It runs the kernel on it until no pixel changes, and copies the tile, not the halo, back. So only
 * its worker ever writes a tile. A tile that is being worked on can become ready again, and is not taken twice. A neighbour becomes ready only if a
 * pixel of the halo copy rose, that is, if a border pixel of the neighbour can really rise. Markers only grow towards the one
 * fixpoint, so what a halo held a moment ago is a legal value too: order, devices and repetition can't show.
 *
 * What is ready is known by cells of a tile: at first all of them, later those along a border that can rise. A worker takes a
 * rectangle of ready cells. Where it ends inside the tile, the tile's other cells are its halo.
 *
 * A device that fails gives its part back and takes no more. There is always a CPU worker. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "scale/propagate.h"
#include "run/grid.h"
#include "run/raster.h"
#include "scale/staging.h"

enum { CPU_TILE = 2048, DEVICE_TILE = 8192, MIN_TILE = 16, FLUSH_EVERY = 64 };
enum { SLAB_ROWS_IN_BYTES = 512 /* of a slab: so many rows of bytes, or half as many of two bytes each */ };
enum { CELLS_PER_TILE = 16, MIN_CELL = 8, MAX_CELL = 512, GAP = 2, TRIAL = 4 /* columns and rows of cells */ };
enum { WORTH = 6 /* tiles of the devices in the time of one of the CPU's; where it is more it does not take part */ };

typedef struct {
  int32_t n_ready; /* cells */
  bool is_running, is_seen;
} Tile;

/* Columns and rows of cells, counted over all tiles. */
typedef struct {
  int64_t tile, x, y, columns, rows;
} Cells;

typedef struct {
  VtRun *run;
  VtWorkers *workers;
  const VtStream *s;
  VtCopyStreams streams;
  int64_t tile, columns, rows, n_tiles, cell, per_tile; /* cells along a tile's edge */
  pthread_mutex_t lock;                                 /* guards all below */
  pthread_cond_t changed;
  Tile *tiles;
  uint8_t *cells; /* 1: ready; tile by tile */
  int64_t *ring, first, n_ready, n_running, n_seen, n_visits;
  double pixels;            /* worked on, each time counted */
  double ms_cpu, ms_device; /* of a tile, by the last turns; 0: not known yet */
  VitrailStatus status;
} Propagation;

static int64_t
smaller(int64_t a, int64_t b)
{
  return a < b ? a : b;
}

/* Where a column or row of cells begins; n: size of the whole. */
static int64_t
cell_begin(const Propagation *p, int64_t index, int64_t n)
{
  const int64_t in_tile = smaller(index % p->per_tile * p->cell, p->tile);
  return smaller(index / p->per_tile * p->tile + in_tile, n);
}

static VtRect
rect_of(const Propagation *p, const Cells *c)
{
  const VtRect own = p->s->own;
  const int64_t x = cell_begin(p, c->x, own.width), y = cell_begin(p, c->y, own.height);
  return (VtRect){ own.x + x, own.y + y, cell_begin(p, c->x + c->columns, own.width) - x,
                   cell_begin(p, c->y + c->rows, own.height) - y };
}

static uint8_t *
cell_at(const Propagation *p, int64_t x, int64_t y)
{
  const int64_t tile = y / p->per_tile * p->columns + x / p->per_tile;
  return &p->cells[(tile * p->per_tile + y % p->per_tile) * p->per_tile + x % p->per_tile];
}

/* Into the ring, unless it is there or will be when it is given back. Called with the lock. */
static void
make_tile_ready(Propagation *p, int64_t index)
{
  p->ring[(p->first + p->n_ready++) % p->n_tiles] = index;
  pthread_cond_signal(&p->changed);
}

/* Called with the lock. Cells beyond the own pixels belong to another rank, or there are none. */
static void
make_ready(Propagation *p, int64_t x, int64_t y)
{
  const VtRect own = p->s->own;
  if (x < 0 || y < 0 || x >= p->columns * p->per_tile || y >= p->rows * p->per_tile
      || cell_begin(p, x, own.width) == cell_begin(p, x + 1, own.width)
      || cell_begin(p, y, own.height) == cell_begin(p, y + 1, own.height) || *cell_at(p, x, y))
    return;
  const int64_t index = y / p->per_tile * p->columns + x / p->per_tile;
  *cell_at(p, x, y) = 1;
  if (p->tiles[index].n_ready++ == 0 && !p->tiles[index].is_running)
    make_tile_ready(p, index);
}

static int64_t
count_ready(const uint8_t *cells, int64_t n)
{
  int64_t n_ready = 0;
  for (int64_t i = 0; i < n; i++)
    n_ready += cells[i];
  return n_ready;
}

/* A rectangle of cells of a tile that begins with the first ready one. A turn costs more than a few cells that need none, so
 * gaps don't end a row, and a row belongs to it when half of its cells are ready. most: columns and rows. Called with the
 * lock. */
static Cells
take_cells(Propagation *p, int64_t index, int64_t most)
{
  const int64_t n = p->per_tile, x0 = index % p->columns * n, y0 = index / p->columns * n;
  uint8_t *cells = p->cells + index * n * n;
  const int64_t at = (const uint8_t *)memchr(cells, 1, (size_t)(n * n)) - cells;
  Cells c = { .tile = index, .x = at % n, .y = at / n, .columns = 1, .rows = 1 };
  for (int64_t k = 1; k < smaller(n - c.x, most) && k - c.columns <= GAP; k++)
    if (cells[c.y * n + c.x + k])
      c.columns = k + 1;
  for (int64_t k = 1; k < smaller(n - c.y, most) && k - c.rows <= GAP; k++)
    if (2 * count_ready(cells + (c.y + k) * n + c.x, c.columns) >= c.columns)
      c.rows = k + 1;
  for (int64_t y = c.y; y < c.y + c.rows; y++) {
    p->tiles[index].n_ready -= (int32_t)count_ready(cells + y * n + c.x, c.columns);
    memset(cells + y * n + c.x, 0, (size_t)c.columns);
  }
  c.x += x0;
  c.y += y0;
  return c;
}

/* Beside devices the CPU takes its time from the threads that copy for them. So it tries a small part first, and goes on if it
 * is not much slower than they are; the last tiles it leaves to them when they would be through before it had done one. */
static bool
is_worth_it(const Propagation *p, const VtWorker *worker)
{
  const double n = p->workers->n_devices;
  if (!worker->is_cpu || n == 0)
    return true;
  if (p->ms_cpu <= 0)
    return p->ms_device > 0 && (double)p->n_ready > 8 * n;
  return p->ms_cpu < WORTH * p->ms_device / n && p->ms_cpu < (double)p->n_ready * p->ms_device / n;
}

/* The next part for this worker; false: there will be none. */
static bool
take(Propagation *p, const VtWorker *worker, Cells *cells)
{
  bool taken = false;
  pthread_mutex_lock(&p->lock);
  while (p->status == VITRAIL_OK) {
    const bool devices_work = p->workers->n_devices > 0 && p->n_running > 0;
    if (p->n_ready > 0 && (is_worth_it(p, worker) || !devices_work)) {
      const int64_t index = p->ring[p->first];
      p->first = (p->first + 1) % p->n_tiles;
      p->n_ready--;
      p->n_running++;
      p->tiles[index].is_running = true;
      *cells = take_cells(p, index, worker->is_cpu && devices_work && p->ms_cpu <= 0 ? TRIAL : p->per_tile);
      taken = true;
      break;
    }
    if (p->n_ready == 0 && p->n_running == 0)
      break;
    pthread_cond_wait(&p->changed, &p->lock);
  }
  pthread_mutex_unlock(&p->lock);
  return taken;
}

/* Which tiles in and round the part's were visited: of these the store has the state. */
static void
note_seen(Propagation *p, const Cells *c, VtStaging *staging)
{
  const VtRect own = p->s->own;
  const int64_t column = c->tile % p->columns, row = c->tile / p->columns;
  const int64_t x = column * p->tile, y = row * p->tile;
  staging->home = (VtRect){ own.x + x, own.y + y, smaller(p->tile, own.width - x), smaller(p->tile, own.height - y) };
  pthread_mutex_lock(&p->lock);
  for (int64_t j = 0; j < 3; j++)
    for (int64_t i = 0; i < 3; i++) {
      const int64_t u = column + i - 1, v = row + j - 1;
      staging->is_seen[j][i] =
        u >= 0 && v >= 0 && u < p->columns && v < p->rows && p->tiles[v * p->columns + u].is_seen;
    }
  pthread_mutex_unlock(&p->lock);
}

/* Cells round the part whose own pixels can rise. Called with the lock. */
static void
wake_neighbours(Propagation *p, const Cells *c, uint8_t *const rose[VT_N_HALOS])
{
  for (int64_t k = 0; k < c->columns + 2; k++) {
    if (rose[VT_ABOVE][k])
      make_ready(p, c->x - 1 + k, c->y - 1);
    if (rose[VT_BELOW][k])
      make_ready(p, c->x - 1 + k, c->y + c->rows);
  }
  for (int64_t k = 0; k < c->rows; k++) {
    if (rose[VT_LEFT][k])
      make_ready(p, c->x - 1, c->y + k);
    if (rose[VT_RIGHT][k])
      make_ready(p, c->x + c->columns, c->y + k);
  }
}

/* staging: NULL when the part was not finished. */
static void
give_back(Propagation *p, const Cells *c, const VtStaging *staging, double ms, const VtWorker *worker)
{
  Tile *tile = &p->tiles[c->tile];
  pthread_mutex_lock(&p->lock);
  if (staging) {
    wake_neighbours(p, c, staging->rose);
    const double px = (double)staging->part.width * (double)staging->part.height,
                 whole = (double)p->tile * (double)p->tile;
    if (worker->is_cpu ? c->columns >= TRIAL && c->rows >= TRIAL : px == whole)
      *(worker->is_cpu ? &p->ms_cpu : &p->ms_device) = ms * whole / px;
    p->pixels += px;
    p->n_visits++;
    p->n_seen += !tile->is_seen;
    tile->is_seen = true;
  } else {
    for (int64_t i = 0; i < c->columns * c->rows; i++)
      make_ready(p, c->x + i % c->columns, c->y + i / c->columns);
  }
  tile->is_running = false;
  p->n_running--;
  if (tile->n_ready > 0)
    make_tile_ready(p, c->tile);
  const double done = (double)p->n_seen / (double)p->n_tiles;
  const bool flush = p->n_visits % FLUSH_EVERY == 0;
  pthread_cond_broadcast(&p->changed);
  pthread_mutex_unlock(&p->lock);
  vt_progress(p->run, p->s->progress[0] + done * (p->s->progress[1] - p->s->progress[0]));
  if (flush && !p->s->begin && p->run->request->flags & VITRAIL_RUN_KEEP_SCRATCH)
    vt_store_flush(p->s->marker, 0, 1);
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

static void
leave(Propagation *p, const VtWorker *worker, VitrailStatus status)
{
  const char *why = worker->backend->last_error(worker->device);
  pthread_mutex_lock(&p->lock);
  if (!p->run->warned_fallback)
    vt_log(p->run, VITRAIL_LOG_WARNING, "%s left the reconstruction, the others went on: %s", worker->backend->title,
           status == VITRAIL_UNSUPPORTED ? "it has no such kernel" : why);
  p->run->warned_fallback = true;
  if (status == VITRAIL_INTERNAL)
    p->run->device_failed = true;
  pthread_mutex_unlock(&p->lock);
}

static void
worker_loop(void *user, uint32_t which)
{
  Propagation *p = user;
  const VtWorker *worker = &p->workers->workers[which];
  VtStaging staging = {
    .run = p->run, .stream = p->s, .worker = worker, .streams = &p->streams, .which = which, .cell = p->cell
  };
  Cells cells;
  VitrailStatus status = vt_staging_init(&staging, p->tile);
  if (status != VITRAIL_OK && staging.on_device)
    leave(p, worker, status);
  else if (status != VITRAIL_OK)
    fail_all(p, status);
  while (status == VITRAIL_OK && take(p, worker, &cells)) {
    const double before = vt_now_ms();
    note_seen(p, &cells, &staging);
    status = vt_cancelled(&p->run->cancel) ? VITRAIL_CANCELLED : vt_staging_work(&staging, rect_of(p, &cells));
    const bool devices_own = staging.on_device && !atomic_load(&staging.store_failed) && status != VITRAIL_OK
                             && status != VITRAIL_CANCELLED && status != VITRAIL_BAD_ARGUMENT;
    if (status != VITRAIL_OK && !devices_own)
      fail_all(p, status);
    give_back(p, &cells, status == VITRAIL_OK ? &staging : NULL, vt_now_ms() - before, worker);
    if (devices_own)
      leave(p, worker, status);
  }
  vt_staging_clear(&staging);
}

/* --- all tiles --- */

VtType
vt_stream_mask_type(const VtStream *stream)
{
  return stream->guide ? stream->guide_type : vt_store_type(stream->mask);
}

/* Bytes for each pixel of a tile: the memories, two images and what a kernel needs, about as much again, and a queue. */
static double
staging_bytes(const VtWorkers *workers, const VtStream *s)
{
  const double images = (double)(vt_type_size(vt_store_type(s->marker)) + vt_type_size(vt_stream_mask_type(s)));
  return (2 * images + (s->kernel ? 5 : 0)) * workers->n;
}

static int64_t
pick_tile(const VtRun *run, const VtWorkers *workers, const VtStream *s)
{
  const double limit = vt_run_memory_limit(run), px = staging_bytes(workers, s);
  int64_t tile = s->tile > 0 ? s->tile : run->request->tile_px;
  if (tile == 0)
    tile = workers->n_devices > 0 ? DEVICE_TILE : CPU_TILE;
  if (tile < MIN_TILE)
    tile = MIN_TILE;
  while (tile > 256 && px * (double)tile * (double)tile > 0.5 * limit)
    tile /= 2;
  while (run->request->device_budget > 0 && tile > 256
         && px * (double)tile * (double)tile > (double)run->request->device_budget)
    tile /= 2;
  if (s->held)
    *s->held = px * (double)tile * (double)tile + vt_staging_extra(s, tile) * workers->n;
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

/* Cells in the own first (0) or last row of which the neighbour's row beyond has changed, or that of a cell beside it. */
static void
wake_row(Propagation *p, int which, const char *now, const char *before)
{
  const size_t px = vt_type_size(vt_store_type(p->s->marker));
  int64_t y = p->rows * p->per_tile - 1;
  while (which == 0 ? y > 0 : cell_begin(p, y, p->s->own.height) == p->s->own.height)
    y--; /* cells of the last tile may have no rows */
  for (int64_t x = 0; x < p->columns * p->per_tile; x++) {
    const size_t from = (size_t)cell_begin(p, x, p->s->own.width) * px;
    const size_t end = (size_t)cell_begin(p, x + 1, p->s->own.width) * px;
    for (int64_t k = x - 1; k <= x + 1 && memcmp(now + from, before + from, end - from) != 0; k++)
      make_ready(p, k, y);
  }
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
  status = vt_ranks_exchange(run, status, have[0] ? rows : NULL, have[0] ? rows + 2 * bytes : NULL,
                             have[1] ? rows + bytes : NULL, have[1] ? rows + 3 * bytes : NULL, bytes);
  for (int k = 0; k < 2 && status == VITRAIL_OK; k++) {
    const char *now = rows + (size_t)(2 + k) * bytes;
    if (!have[k] || memcmp(now, rows + (size_t)(4 + k) * bytes, bytes) == 0)
      continue;
    const VtImage row = { (void *)now, s->own.width, 1, (int64_t)bytes, type };
    *changed = true;
    status = vt_store_put(s->marker, theirs[k], &row);
    wake_row(p, k, now, rows + (size_t)(4 + k) * bytes);
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
    THEN(status, p->n_tiles > 0 ? exchange(p, &mine) : vt_ranks_exchange(run, status, NULL, NULL, NULL, NULL, 0));
    status = vt_ranks_largest(run, status, mine, &changed);
    if (status != VITRAIL_OK)
      return status;
    if (mine)
      status = propagate(p);
  }
  if (run->host.n_ranks > 1)
    vt_record(run, "rank-rounds", rounds);
  return status;
}

/* An eighth of the budget is for all slabs; there are two for each thread. */
static size_t
slab_bytes(const Propagation *p)
{
  const size_t usual = (size_t)(p->tile + 2) * SLAB_ROWS_IN_BYTES;
  const uint64_t budget = p->run->request->memory_budget, share = budget / 16 / p->run->host.n_threads;
  return budget > 0 && share < usual ? (size_t)share : usual;
}

/* Of a pixel, in stores: what a visit reads and writes. */
static double
stored_bytes(const VtStream *s)
{
  const VtStreamLocal *const steps[] = { s->begin, s->guide };
  double bytes = (double)vt_type_size(vt_store_type(s->marker));
  bytes += s->mask ? (double)vt_type_size(vt_store_type(s->mask)) : 0;
  for (int i = 0; i < 2; i++)
    for (int k = 0; k < VT_LOCAL_IN && steps[i]; k++)
      if (steps[i]->in[k] && steps[i]->in[k] != s->mask)
        bytes += (double)vt_type_size(vt_store_type(steps[i]->in[k]));
  return bytes;
}

static VitrailStatus
propagation_init(Propagation *p)
{
  const VtRect own = p->s->own;
  p->cell = p->tile / CELLS_PER_TILE < MAX_CELL ? p->tile / CELLS_PER_TILE : MAX_CELL;
  p->cell = p->cell > MIN_CELL ? p->cell : MIN_CELL;
  p->per_tile = (p->tile - 1) / p->cell + 1;
  p->columns = (own.width - 1) / p->tile + 1;
  p->rows = (own.height + p->tile - 1) / p->tile; /* none when this rank has no rows */
  p->n_tiles = p->columns * p->rows;
  p->tiles = calloc((size_t)p->n_tiles + 1, sizeof *p->tiles);
  p->cells = calloc((size_t)p->n_tiles + 1, (size_t)(p->per_tile * p->per_tile));
  p->ring = malloc((size_t)(p->n_tiles + 1) * sizeof *p->ring);
  if (!p->tiles || !p->cells || !p->ring)
    return VITRAIL_OUT_OF_MEMORY;
  if (p->n_tiles > 0)
    vt_copy_streams_prepare(p->run, &p->streams, p->run->device, p->workers->n_devices, slab_bytes(p),
                            (size_t)(p->tile + 2) * vt_type_size(vt_stream_mask_type(p->s)));
  const double bytes = (double)(p->tile * p->tile) * stored_bytes(p->s);
  for (int64_t n = 0; n < p->n_tiles; n++) {
    const int64_t i = vt_striped(p->run, n, p->columns, p->rows, bytes);
    for (int64_t k = 0; k < p->per_tile * p->per_tile; k++)
      make_ready(p, i % p->columns * p->per_tile + k % p->per_tile, i / p->columns * p->per_tile + k / p->per_tile);
  }
  return VITRAIL_OK;
}

VitrailStatus
vt_stream_reconstruct(VtRun *run, VtWorkers *workers, const VtStream *s)
{
  Propagation p = { .run = run, .workers = workers, .s = s, .tile = pick_tile(run, workers, s) };
  pthread_mutex_init(&p.lock, NULL);
  pthread_cond_init(&p.changed, NULL);
  VitrailStatus status = vt_ranks_agree(run, propagation_init(&p));
  if (status == VITRAIL_OK) {
    status = propagate_over_ranks(&p);
    if (!s->kernel) {
      vt_record(run, "tile-px", (double)p.tile);
      vt_record(run, "tiles", (double)p.n_tiles);
      vt_record(run, "tile-visits", (double)p.n_visits);
      vt_record(run, "times-over", p.n_tiles > 0 ? p.pixels / (double)s->own.width / (double)s->own.height : 0);
    }
  }
  vt_copy_streams_clear(&p.streams);
  pthread_mutex_destroy(&p.lock);
  pthread_cond_destroy(&p.changed);
  free(p.tiles);
  free(p.cells);
  free(p.ring);
  return status;
}
