/* SPDX-License-Identifier: MIT
 *
 * Steps of bounded reach on stores, tile by tile. Steps wait until somebody needs what they make; then all of them run on a tile, one after
 * the other, before the next tile is looked at. What only steps of the chain read is never in a store. A step that reads what an earlier one
 * makes with a halo has that one work on a larger tile: so pixels near the seams are worked out twice, and are the same. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "scale/stream.h"
#include "run/parallel.h"
#include "run/raster.h"
#include "scale/journal.h"
#include "scale/ranks.h"

/* MOST_AGAIN: pixels round a tile that steps may work out twice. INPUT_ROWS: of an input's colours lie beside a tile, since hosts decode
 * slides in tiles of 512 rows. NONE: no value. */
enum { LOCAL_TILE = 1024, LEAST_TILE = 64, MOST_AGAIN = 32, INPUT_ROWS = 2048, NONE = -1 };
enum { MOST_VALUES = VT_MOST_WAITING * (VT_LOCAL_IN + VT_LOCAL_OUT) };

/* What steps of a chain read: a store, or what a step has made. */
typedef struct {
  VtStore *store, *to; /* to: where it is written; NULL: nowhere */
  int64_t reach;       /* it has so many pixels round the tile */
  int first, last;     /* the steps that make it (or read it first) and read it last */
  int slot;            /* of memory */
  bool is_read;        /* from the store */
} Value;

typedef struct {
  int in[VT_LOCAL_IN], out[VT_LOCAL_OUT]; /* values */
  int64_t reach;                          /* of what it makes */
} Link;

typedef struct {
  const VtStreamLocal *steps;
  int n, n_values, n_slots;
  Link links[VT_MOST_WAITING];
  Value values[MOST_VALUES];
} Chain;

/* --- what is read and made --- */

static int
find_value(const Chain *c, const VtStore *store)
{
  int v = c->n_values - 1;
  while (v >= 0 && c->values[v].store != store)
    v--;
  return v;
}

static int
add_value(Chain *c, VtStore *store, int step, bool is_read)
{
  c->values[c->n_values] = (Value){ .store = store, .first = step, .last = step, .is_read = is_read };
  return c->n_values++;
}

static void
link_step(Chain *c, int i)
{
  const VtStreamLocal *step = &c->steps[i];
  Link *link = &c->links[i];
  for (int k = 0; k < VT_LOCAL_IN; k++) {
    if (step->source) {
      link->in[k] = NONE; /* it reads by itself */
      continue;
    }
    link->in[k] = step->in[k] ? find_value(c, step->in[k]) : NONE;
    if (step->in[k] && link->in[k] < 0)
      link->in[k] = add_value(c, step->in[k], i, true);
    if (step->in[k])
      c->values[link->in[k]].last = i;
  }
  for (int k = 0; k < VT_LOCAL_OUT; k++)
    link->out[k] = step->out[k] ? add_value(c, step->out[k], i, false) : NONE;
}

/* What a source makes is in its own memory. */
static bool
is_given(const Chain *c, int v)
{
  return v == 0 && c->steps[0].source;
}

/* A slot that no value needs any more, or a new one. */
static int
find_slot(Chain *c, int v)
{
  for (int slot = 0; slot < c->n_slots; slot++) {
    bool is_free = true;
    for (int u = 0; u < v; u++)
      is_free = is_free && (c->values[u].slot != slot || c->values[u].last < c->values[v].first);
    if (is_free)
      return slot;
  }
  return c->n_slots++;
}

static void
find_reaches(Chain *c)
{
  for (int i = c->n - 1; i >= 0; i--) {
    Link *link = &c->links[i];
    for (int k = 0; k < VT_LOCAL_OUT; k++)
      if (link->out[k] >= 0 && c->values[link->out[k]].reach > link->reach)
        link->reach = c->values[link->out[k]].reach;
    for (int k = 0; k < VT_LOCAL_OUT; k++)
      if (link->out[k] >= 0)
        c->values[link->out[k]].reach = link->reach;
    const int64_t reach = link->reach + c->steps[i].halo;
    for (int k = 0; k < VT_LOCAL_IN; k++)
      if (link->in[k] >= 0 && c->values[link->in[k]].reach < reach)
        c->values[link->in[k]].reach = reach;
  }
}

static bool
touches(const VtStreamLocal *step, const VtStore *store)
{
  bool found = false;
  for (int k = 0; k < VT_LOCAL_IN; k++)
    found = found || step->in[k] == store;
  for (int k = 0; k < VT_LOCAL_OUT; k++)
    found = found || step->out[k] == store;
  return found;
}

static bool
is_dropped(const VtStreamed *s, const VtStore *store)
{
  bool found = false;
  for (uint32_t i = 0; i < s->n_dropped; i++)
    found = found || s->dropped[i] == store;
  return found && !(s->has_taken && touches(&s->taken, store));
}

static void
make_chain(const VtStreamed *s, Chain *c, const VtStreamLocal *steps, uint32_t n)
{
  *c = (Chain){ .steps = steps, .n = (int)n };
  for (int i = 0; i < c->n; i++)
    link_step(c, i);
  find_reaches(c);
  for (int v = 0; v < c->n_values; v++) {
    Value *value = &c->values[v];
    value->slot = is_given(c, v) ? NONE : find_slot(c, v);
    if (!value->is_read && find_value(c, value->store) == v && !is_dropped(s, value->store))
      value->to = value->store;
  }
}

/* Whether the last step may run together with those before it. */
static bool
is_worth_it(const Chain *c)
{
  bool fine = true;
  for (int i = 0; i < c->n; i++)
    fine = fine && c->links[i].reach <= (c->steps[i].is_dear ? 0 : MOST_AGAIN);
  return fine;
}

static double
area_of(int64_t tile, int64_t reach)
{
  return (double)(tile + 2 * reach) * (double)(tile + 2 * reach);
}

static double
slot_bytes(const Chain *c, int slot, int64_t tile)
{
  double bytes = 0;
  for (int v = 0; v < c->n_values; v++) {
    const double own = area_of(tile, c->values[v].reach) * (double)vt_type_size(vt_store_type(c->values[v].store));
    bytes = c->values[v].slot == slot && own > bytes ? own : bytes;
  }
  return bytes;
}

static double
tile_bytes(const Chain *c, int64_t tile)
{
  double bytes = 0;
  for (int i = 0; i < c->n; i++) {
    const int64_t reach = c->links[i].reach + (c->steps[i].by_window ? c->steps[i].halo : 0);
    const double body = area_of(tile, reach) * (double)c->steps[i].body_bytes;
    bytes = body > bytes ? body : bytes;
  }
  for (int slot = 0; slot < c->n_slots; slot++)
    bytes += slot_bytes(c, slot, tile);
  return bytes;
}

static int64_t
pick_tile(const VtStreamed *s, const Chain *c)
{
  const uint32_t wanted = s->run->request->tile_px;
  const double most = c->steps[0].source ? s->limit / 4 : s->limit / 2;
  int64_t tile = wanted == 0 ? LOCAL_TILE : wanted < LEAST_TILE ? LEAST_TILE : wanted;
  while (tile > LEAST_TILE && 2 * tile_bytes(c, tile) * s->cpu.n > most) /* as much again for the bodies */
    tile /= 2;
  return tile;
}

int64_t
vt_streamed_tile(const VtStreamed *s, const VtStreamLocal *local)
{
  Chain chain;
  make_chain(s, &chain, local, 1);
  return pick_tile(s, &chain);
}

typedef struct {
  const Chain *chain;
  VtRect own, limits; /* what tiles cover; how far windows may go */
  int64_t tile, columns, n_tiles;
  VtRect band; /* of a source, what it has just made */
  const VtImage *given;
  VtTileMemories *memories;
  double progress[2], stored_bytes; /* of a tile, in stores */
  const VtWorkers *workers;
  pthread_mutex_t lock;                                          /* guards what follows */
  uint32_t idle[VT_WORKERS_PER_DEVICE * VT_MAX_DEVICES], n_idle; /* workers on devices */
  int64_t n_on_devices;
  atomic_llong n_done;
} LocalJob;

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
run_body(VtRun *run, LocalJob *job, const VtStreamLocal *step, VtLocalTile *t)
{
  const VtWorker *worker = step->by_slots ? take_device(job) : NULL;
  VitrailStatus status = VITRAIL_UNSUPPORTED;
  if (worker) {
    status = vt_streamed_on_device(run, step, t, worker);
    leave_device(run, job, worker, status);
  }
  if (worker && (status == VITRAIL_OK || status == VITRAIL_CANCELLED))
    return status;
  t->backend = run->cpu;
  t->device = run->cpu_device;
  return step->body(run, t, step->user);
}

/* --- a tile --- */

/* What a thread's slots of memory have of a value in a rectangle. */
static VtImage
part_of(const LocalJob *job, void *const *slots, int v, VtRect tile, VtRect r)
{
  const Value *value = &job->chain->values[v];
  const VtType type = vt_store_type(value->store);
  if (is_given(job->chain, v))
    return vt_image_window(job->given, r.x - job->band.x, r.y - job->band.y, r.width, r.height);
  const VtRect all = vt_rect_grown(tile, value->reach, job->limits);
  const VtImage image = { slots[value->slot], all.width, all.height, all.width * (int64_t)vt_type_size(type), type };
  return vt_image_window(&image, r.x - all.x, r.y - all.y, r.width, r.height);
}

static VitrailStatus
run_step(VtRun *run, LocalJob *job, int i, VtRect tile, void *const *slots)
{
  const Chain *c = job->chain;
  const VtStreamLocal *step = &c->steps[i];
  const Link *link = &c->links[i];
  VtLocalTile t = { .tile = vt_rect_grown(tile, link->reach, job->limits) };
  t.window = vt_rect_grown(t.tile, step->halo, job->limits);
  for (int k = 0; k < VT_LOCAL_IN && link->in[k] >= 0; k++) {
    const Value *value = &c->values[link->in[k]];
    const VtRect all = vt_rect_grown(tile, value->reach, job->limits);
    const VtImage image = part_of(job, slots, link->in[k], tile, all);
    if (value->is_read && value->first == i)
      TRY(vt_store_get(value->store, all, &image));
    t.in[k] = part_of(job, slots, link->in[k], tile, t.window);
  }
  for (int k = 0; k < VT_LOCAL_OUT && link->out[k] >= 0; k++)
    t.out[k] = part_of(job, slots, link->out[k], tile, t.tile);
  TRY(step->source ? VITRAIL_OK : run_body(run, job, step, &t));
  for (int k = 0; k < VT_LOCAL_OUT && link->out[k] >= 0; k++) {
    const VtImage image = part_of(job, slots, link->out[k], tile, tile);
    if (c->values[link->out[k]].to)
      TRY(vt_store_put(c->values[link->out[k]].to, tile, &image));
  }
  return vt_cancelled(&run->cancel) ? VITRAIL_CANCELLED : VITRAIL_OK;
}

/* A tile of what the process fills, or of a band. */
static VitrailStatus
work_tile(VtRun *run, uint32_t index, void *user)
{
  LocalJob *job = user;
  const VtRect all = job->given ? job->band : job->own;
  const int64_t at =
    job->given ? index : vt_striped(run, index, job->columns, job->n_tiles / job->columns, job->stored_bytes);
  const VtRect whole = { at % job->columns * job->tile, all.y + at / job->columns * job->tile, job->tile, job->tile };
  const VtRect r = vt_rect_common(whole, all);
  size_t bytes[MOST_VALUES];
  void *slots[MOST_VALUES];
  for (int slot = 0; slot < job->chain->n_slots; slot++)
    bytes[slot] = (size_t)slot_bytes(job->chain, slot, job->tile);
  VtTileMemory *memory = vt_tile_memory_take(run, job->memories, bytes, job->chain->n_slots, slots);
  VitrailStatus status = memory ? VITRAIL_OK : VITRAIL_OUT_OF_MEMORY;
  for (int i = 0; i < job->chain->n && status == VITRAIL_OK; i++)
    status = run_step(run, job, i, r, slots);
  vt_tile_memory_give(job->memories, memory);
  return status;
}

static VitrailStatus
local_tile(VtRun *run, uint32_t index, void *user)
{
  LocalJob *job = user;
  const VitrailStatus status = work_tile(run, index, user);
  const double done = (double)(atomic_fetch_add(&job->n_done, 1) + 1) / (double)job->n_tiles;
  vt_progress(run, job->progress[0] + done * (job->progress[1] - job->progress[0]));
  return status;
}

static VitrailStatus
take_band(VtRun *run, VtRect rect, const VtImage *image, void *user)
{
  LocalJob *job = user;
  job->band = rect;
  job->given = image;
  return vt_parallel(run, (uint32_t)(job->columns * ((rect.height - 1) / job->tile + 1)), work_tile, job);
}

/* --- all tiles --- */

/* A store that the chain reads stays as it is until the chain is done, where a run that goes on may need it, or where a tile beside it does. */
static VitrailStatus
make_shadows(VtStreamed *s, Chain *c)
{
  for (int v = 0; v < c->n_values; v++)
    for (int u = 0; u < v && c->values[v].to; u++)
      if (c->values[u].is_read && c->values[u].store == c->values[v].store
          && (s->keeps || c->values[u].reach > 0 || vt_store_is_relabelled(c->values[u].store)))
        TRY(vt_journal_shadow(s, c->values[u].store, &c->values[v].to));
  return VITRAIL_OK;
}

static void
take_shadows(VtStreamed *s, const Chain *c, VitrailStatus status)
{
  for (int v = 0; v < c->n_values; v++) {
    const Value *value = &c->values[v];
    if (!value->to || value->to == value->store)
      continue;
    if (status == VITRAIL_OK)
      vt_journal_replace(s, value->store, value->to);
    else
      vt_store_free(value->to);
  }
}

static VitrailStatus
run_tiles(VtStreamed *s, LocalJob *job)
{
  const double budget = (double)s->run->request->device_budget;
  const double need = VT_WORKERS_PER_DEVICE * 2 * tile_bytes(job->chain, job->tile); /* as much again for the slot */
  job->workers = &s->workers;
  for (uint32_t i = 0; i < s->workers.n_devices && (budget <= 0 || need <= budget); i++)
    job->idle[job->n_idle++] = i;
  pthread_mutex_init(&job->lock, NULL);
  const VtStreamLocal *first = &job->chain->steps[0];
  const VitrailStatus status = first->source ? first->source(s->run, first->user, job->progress, take_band, job)
                                             : vt_parallel(s->run, (uint32_t)job->n_tiles, local_tile, job);
  pthread_mutex_destroy(&job->lock);
  s->n_on_devices += job->n_on_devices;
  return status;
}

static VitrailStatus
run_chain(VtStreamed *s, Chain *c)
{
  VtRun *run = s->run;
  const VtStreamLocal *last = &c->steps[c->n - 1];
  LocalJob job = {
    .chain = c, .own = s->own, .memories = &s->memories, .tile = last->tile > 0 ? last->tile : pick_tile(s, c)
  };
  job.limits = (VtRect){ 0, 0, run->grid.width, run->grid.height };
  for (int v = 0; v < c->n_values; v++) {
    const Value *value = &c->values[v];
    if (value->is_read)
      TRY(vt_streamed_halo(s, value->store, value->reach));
    if (value->is_read || value->to)
      job.stored_bytes += area_of(job.tile, 0) * (double)vt_type_size(vt_store_type(value->store));
  }
  for (int i = 0; i < c->n; i++)
    if (c->steps[i].is_dear && !c->steps[i].source && !c->steps[i].in[0]) /* it reads an input */
      job.stored_bytes += (double)job.tile * INPUT_ROWS * sizeof(uint32_t);
  vt_run_hold(s->run, 2 * tile_bytes(c, job.tile) * s->cpu.n + c->steps[0].source_bytes);
  job.columns = (job.own.width - 1) / job.tile + 1;
  job.n_tiles = job.columns * ((job.own.height + job.tile - 1) / job.tile);
  if (job.columns * ((run->grid.height - 1) / job.tile + 1) > UINT32_MAX)
    return vt_fail(run, VITRAIL_BAD_ARGUMENT, "The region has too many tiles of %lld pixels.", (long long)job.tile);
  vt_streamed_step(s, &job.progress[0], &job.progress[1]);
  VitrailStatus status = make_shadows(s, c);
  THEN(status, run_tiles(s, &job));
  status = vt_ranks_agree(run, status);
  take_shadows(s, c, status);
  return status;
}

/* --- steps that wait --- */

static void
forget_waiting(VtStreamed *s)
{
  while (s->n_waiting > 0)
    free(s->copies[--s->n_waiting]);
}

bool
vt_chain_holds(const VtStreamed *s, const VtStore *store)
{
  bool found = s->has_taken && touches(&s->taken, store);
  for (uint32_t i = 0; i < s->n_waiting; i++)
    found = found || touches(&s->waiting[i], store);
  return found;
}

/* Those that are held yet come back into the list. */
static void
free_dropped(VtStreamed *s)
{
  VtStore *dropped[VT_MAX_STORES];
  const uint32_t n = s->n_dropped;
  memcpy(dropped, s->dropped, n * sizeof *dropped);
  s->n_dropped = 0;
  for (uint32_t i = 0; i < n; i++)
    vt_streamed_drop(s, dropped[i]);
}

const VtStreamLocal *
vt_chain_take(VtStreamed *s, VtStore *store)
{
  VtStreamLocal *last = s->n_waiting > 0 ? &s->waiting[s->n_waiting - 1] : NULL;
  if (!last || last->out[0] != store || last->out[1] || last->is_dear || last->source || last->halo > MOST_AGAIN)
    return NULL;
  last->out[0] = NULL;
  const bool is_used = vt_chain_holds(s, store);
  last->out[0] = store;
  if (is_used)
    return NULL;
  s->taken = *last;
  s->taken_copy = s->copies[--s->n_waiting];
  s->has_taken = true;
  return &s->taken;
}

void
vt_chain_give_up(VtStreamed *s)
{
  free(s->taken_copy);
  s->taken_copy = NULL;
  s->has_taken = false;
  free_dropped(s);
}

void
vt_chain_clear(VtStreamed *s)
{
  forget_waiting(s);
  s->n_dropped = 0;
  vt_chain_give_up(s);
}

VitrailStatus
vt_streamed_settle(VtStreamed *s)
{
  Chain chain;
  if (s->n_waiting == 0)
    return VITRAIL_OK;
  if (vt_journal_enter(s)) {
    make_chain(s, &chain, s->waiting, s->n_waiting);
    TRY(vt_journal_leave(s, run_chain(s, &chain), NULL, 0));
  }
  forget_waiting(s);
  free_dropped(s);
  return VITRAIL_OK;
}

static VitrailStatus
wait_for(VtStreamed *s, const VtStreamLocal *step, void *copy)
{
  Chain chain;
  s->waiting[s->n_waiting] = *step;
  make_chain(s, &chain, s->waiting, s->n_waiting + 1);
  const bool is_alone = step->tile > 0 || step->source;
  if (s->n_waiting > 0 && (is_alone || s->n_waiting + 1 == VT_MOST_WAITING || !is_worth_it(&chain)))
    TRY(vt_streamed_settle(s));
  s->waiting[s->n_waiting] = *step;
  s->copies[s->n_waiting++] = copy;
  return VITRAIL_OK;
}

VitrailStatus
vt_streamed_later(VtStreamed *s, const VtStreamLocal *step, size_t user_bytes)
{
  VtStreamLocal later = *step;
  void *copy = user_bytes > 0 ? malloc(user_bytes) : NULL;
  if (user_bytes > 0 && !copy)
    return VITRAIL_OUT_OF_MEMORY;
  if (copy)
    later.user = memcpy(copy, step->user, user_bytes);
  const VitrailStatus status = wait_for(s, &later, copy);
  if (status != VITRAIL_OK)
    free(copy);
  return status;
}

VitrailStatus
vt_streamed_local(VtStreamed *s, const VtStreamLocal *step)
{
  TRY(wait_for(s, step, NULL));
  return vt_streamed_settle(s);
}
