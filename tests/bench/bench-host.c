/* SPDX-License-Identifier: MIT
 *
 * bench-host.c: a host for whole runs of ops: an image in memory, threads that stand by, layers that are thrown away or, as by
 * a viewer, copied. */
#include "bench.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_STAGES = 16 };

/* --- threads --- */

typedef struct Loop {
  void (*job)(void *, uint32_t);
  void *user;
  uint32_t n, n_threads;
  atomic_uint next;
  uint32_t n_inside; /* helpers; guarded by the lock */
  struct Loop *other;
} Loop;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards the loops and the number of helpers */
static pthread_cond_t begun = PTHREAD_COND_INITIALIZER, left = PTHREAD_COND_INITIALIZER;
static Loop *loops;
static uint32_t n_helpers;

static void
take_part(Loop *loop)
{
  for (uint32_t i; (i = atomic_fetch_add(&loop->next, 1)) < loop->n;)
    loop->job(loop->user, i);
}

static void *
helper(void *data)
{
  pthread_mutex_lock(&lock);
  for (;;) {
    Loop *loop = loops;
    while (loop && (atomic_load(&loop->next) >= loop->n || loop->n_inside + 1 >= loop->n_threads))
      loop = loop->other;
    if (!loop) {
      pthread_cond_wait(&begun, &lock);
      continue;
    }
    loop->n_inside++;
    pthread_mutex_unlock(&lock);
    take_part(loop);
    pthread_mutex_lock(&lock);
    loop->n_inside--;
    pthread_cond_broadcast(&left);
  }
  return NULL;
}

void
bench_parallel(void *user, uint32_t n, void (*job)(void *job_user, uint32_t index), void *job_user)
{
  Loop loop = { .job = job, .user = job_user, .n = n, .n_threads = *(const uint32_t *)user };
  pthread_t thread;
  pthread_mutex_lock(&lock);
  while (n_helpers + 1 < loop.n_threads && pthread_create(&thread, NULL, helper, NULL) == 0) {
    pthread_detach(thread);
    n_helpers++;
  }
  loop.other = loops;
  loops = &loop;
  for (uint32_t i = 1; i < n && i < loop.n_threads; i++)
    pthread_cond_signal(&begun);
  pthread_mutex_unlock(&lock);
  take_part(&loop);
  pthread_mutex_lock(&lock);
  Loop **at = &loops;
  while (*at != &loop)
    at = &(*at)->other;
  *at = loop.other;
  while (loop.n_inside > 0)
    pthread_cond_wait(&left, &lock);
  pthread_mutex_unlock(&lock);
}

void
bench_rows(Bench *bench, int64_t n, void (*job)(void *job_user, uint32_t y), void *job_user)
{
  bench_parallel(&bench->n_cores, (uint32_t)n, job, job_user);
}

/* --- callbacks --- */

typedef struct {
  Bench *bench;
  const VtCancel *cancel;
  void *layers[MAX_STAGES];
  size_t layer_bytes[MAX_STAGES];
  uint64_t hash; /* of the objects */
  int64_t n_objects;
  double stage_ms[MAX_STAGES], peak, scratch, visits;
} Run;

static Run kept; /* its layers stay from run to run, so that no page is new when it is timed */

static VitrailStatus
read_region(void *user, uint32_t handle, uint32_t downsample, int64_t x, int64_t y, int64_t width, int64_t height,
            void *dst, size_t stride)
{
  const VtImage *image = &((Run *)user)->bench->images[0];
  for (int64_t j = 0; j < height; j++)
    memcpy((char *)dst + (size_t)j * stride, vt_image_at(image, x, y + j), (size_t)width * vt_type_size(image->type));
  return VITRAIL_OK;
}

static VitrailStatus
emit_tile(void *user, const VitrailTile *tile)
{
  Run *run = user;
  const uint32_t s = tile->stage;
  const size_t row = (size_t)tile->width * vt_type_size(tile->type),
               whole = (size_t)(run->bench->width * run->bench->height) * vt_type_size(tile->type);
  if (!run->bench->at->copies || s >= MAX_STAGES)
    return VITRAIL_OK;
  if (run->layer_bytes[s] != whole) {
    free(run->layers[s]);
    run->layers[s] = calloc(1, whole);
    run->layer_bytes[s] = run->layers[s] ? whole : 0;
  }
  const size_t pitch = (size_t)run->bench->width * vt_type_size(tile->type);
  for (int64_t y = 0; y < tile->height && run->layers[s]; y++) {
    if (y % 16 == 0 && vt_cancelled(run->cancel))
      return VITRAIL_CANCELLED;
    memcpy((char *)run->layers[s] + (size_t)(tile->y + y) * pitch + (size_t)tile->x * vt_type_size(tile->type),
           (const char *)tile->data + (size_t)y * tile->stride, row);
  }
  return run->layers[s] ? VITRAIL_OK : VITRAIL_OUT_OF_MEMORY;
}

static VitrailStatus
emit_object(void *user, const VitrailObject *object)
{
  Run *run = user;
  run->n_objects++;
  run->hash = bench_hash(run->hash, object->measurements, object->n_measurements * sizeof(double));
  run->hash = bench_hash(run->hash, &object->centroid_x_l0, 2 * sizeof(double));
  return VITRAIL_OK;
}

static VitrailStatus
emit_row(void *user, const VitrailRow *row)
{
  return VITRAIL_INTERNAL;
}

static void
stage_done(void *user, uint32_t stage, double milliseconds)
{
  if (stage < MAX_STAGES)
    ((Run *)user)->stage_ms[stage] = milliseconds;
}

static bool
is_cancelled(void *user)
{
  return vt_cancelled(((Run *)user)->cancel);
}

static void
keep_fact(void *user, const char *key, const char *text, double number)
{
  Run *run = user;
  run->peak = strcmp(key, "memory-peak-bytes") == 0 ? number : run->peak;
  run->scratch = strcmp(key, "scratch-bytes") == 0 ? number : run->scratch;
  run->visits = strcmp(key, "tile-visits") == 0 ? number : run->visits;
}

static void
say(void *user, VitrailLogLevel level, const char *sentence)
{
  if (level >= VITRAIL_LOG_WARNING)
    fprintf(stderr, "vitrail-bench: %s\n", sentence);
}

static VitrailHost
host_of(Run *run)
{
  return (VitrailHost){ .size = sizeof(VitrailHost),
                        .n_threads = run->bench->n_threads,
                        .user = run,
                        .read_region = read_region,
                        .emit_tile = emit_tile,
                        .emit_object = emit_object,
                        .emit_row = emit_row,
                        .stage_done = stage_done,
                        .record = keep_fact,
                        .is_cancelled = is_cancelled,
                        .log = say };
}

/* The host's threads go by the number at work; a cancel watches them (bench-cancel.c). */
static void
run_threads(void *user, uint32_t n, void (*job)(void *job_user, uint32_t index), void *job_user)
{
  bench_watched_parallel(((Run *)user)->bench, n, job, job_user);
}

/* --- runs --- */

static void
note_run(Bench *bench, const Run *run)
{
  size_t n = 0;
  for (int s = 0; s < MAX_STAGES && n < sizeof bench->note; s++)
    if (run->stage_ms[s] > 0)
      n +=
        (size_t)snprintf(bench->note + n, sizeof bench->note - n, "%s%.2f", n ? " " : "stages, ms: ", run->stage_ms[s]);
  if (run->n_objects > 0 && n < sizeof bench->note)
    n += (size_t)snprintf(bench->note + n, sizeof bench->note - n, "; %lld objects", (long long)run->n_objects);
  if (bench->at->memory > 0 && n < sizeof bench->note)
    snprintf(bench->note + n, sizeof bench->note - n, "; images at most %.0f MiB, scratch %.0f MiB, %.0f tile visits",
             run->peak / 1048576, run->scratch / 1048576, run->visits);
}

VitrailStatus
bench_run_op(Bench *bench, const VtCancel *cancel)
{
  const BenchCase *at = bench->at;
  char message[256] = "";
  const double budget =
    bench->memory ? (double)bench->memory : at->memory * (double)bench->width * (double)bench->height;
  const VitrailInput input = { .size = sizeof input,
                               .id = strcmp(at->op, "reconstruct") == 0 ? "mask" : "image",
                               .type = bench->images[0].type,
                               .width_l0 = bench->width,
                               .height_l0 = bench->height,
                               .mpp_x = 0.5,
                               .mpp_y = 0.5 };
  const VitrailInput *inputs[] = { &input };
  const VitrailRequest request = { .size = sizeof request,
                                   .op_id = at->op,
                                   .backend = bench->backend->id,
                                   .width_l0 = bench->width,
                                   .height_l0 = bench->height,
                                   .stages_wanted = at->stages,
                                   .n_inputs = 1,
                                   .inputs = inputs,
                                   .scratch_dir = at->memory > 0 ? "/tmp" : NULL,
                                   .memory_budget = at->memory > 0 ? (uint64_t)budget : 0 };
  kept.bench = bench;
  kept.cancel = cancel;
  kept.hash = 0xCBF29CE484222325u;
  kept.n_objects = 0;
  memset(kept.stage_ms, 0, sizeof kept.stage_ms);
  VitrailHost host = host_of(&kept);
  host.parallel_for = run_threads;
  const VitrailStatus status = vitrail_plugin_entry(VITRAIL_ABI_MAJOR, VITRAIL_ABI_MINOR)
                                 ->run(bench->session, &request, &host, message, sizeof message);
  if (status != VITRAIL_OK && status != VITRAIL_CANCELLED)
    fprintf(stderr, "vitrail-bench: %s: %s\n", at->name, message);
  note_run(bench, &kept);
  return status;
}

uint64_t
bench_op_answer(Bench *bench)
{
  uint64_t hash = kept.hash;
  for (int s = 0; s < MAX_STAGES; s++) {
    if (kept.layers[s] && bench->at->copies && bench->at->stages >> s & 1)
      hash = bench_hash(hash, kept.layers[s], kept.layer_bytes[s]);
    free(kept.layers[s]);
    kept.layers[s] = NULL;
    kept.layer_bytes[s] = 0;
  }
  return hash;
}

VtRun
bench_driver_run(Bench *bench, const VtCancel *cancel)
{
  static VitrailRequest request = { .size = sizeof request };
  VtRun run = { .session = bench->session, .request = &request, .cpu = vt_cpu_backend() };
  kept.bench = bench;
  kept.cancel = cancel;
  run.host = host_of(&kept);
  run.host.parallel_for = run_threads;
  run.cancel = (VtCancel){ is_cancelled, &kept };
  run.backend = bench->backend;
  for (uint32_t i = 0; i < bench->session->n_backends; i++)
    if (bench->session->backends[i].backend == bench->backend)
      run.device = bench->session->backends[i].device;
  run.cpu_device = bench->session->backends[0].device;
  run.cpu_team = strcmp(bench->backend->id, "cpu") == 0 ? bench->device : run.cpu_device;
  return run;
}
