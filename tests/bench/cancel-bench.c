/* SPDX-License-Identifier: MIT
 *
 * cancel-bench [--backend cpu|cuda] [--size N] [--threads N] [--limit MS] [--moments N] [--within MS] [--only WORD] [--json 1]: how
 * long kernels and whole runs of ops go on after they were cancelled. Each is cancelled at random moments, one in each of
 * the equal parts of its run; those at which it was through already don't count. A work that takes longer than `within` is
 * cancelled in that first part of it, and at moments of the whole run on a smaller image, too, in a line of its own. Prints
 * Markdown or a line of JSON each, ms: the run, the worst answer, how much of that passed before somebody looked, the moment, the
 * number of cancels, and the longest time without a look in a run that nobody cancels: on the CPU the time that one thread
 * works between two looks. Exit status 1 when one took longer than the limit, 77 when there is no such device. */
#include "../support/bench-image.h"
#include "../support/test-parallel.h"
#include "bench.h"
#include "run/raster.h"

#include <unistd.h>

enum { BLOCK = 1024, CORRIDOR = 2048, N_MAPS = 4, LEVELS = 32, LEAST_SIZE = 512 };

const VitrailPlugin *vitrail_plugin_entry(uint32_t host_major, uint32_t host_minor);

typedef enum { MASK, MARKER, FOREGROUND, FAR, LEVEL, SEEDS, CORRIDOR_MASK, CORRIDOR_MARKER, N_KINDS } Kind;

typedef struct {
  VitrailSession *session;
  const VtBackend *backend;
  VtDevice *device;
  int64_t size;
  uint32_t n_threads;
  double limit_ms, within_ms;
  int n_moments;
  bool json;
  const char *only;
  uint8_t *block;        /* BLOCK² of the bench image */
  VtImage host[N_KINDS]; /* images to begin with: made when first asked for */
  VtImage maps[8];       /* of the case that runs, in the device's memory */
  int n_maps;
  const void *algorithm;
  atomic_bool cancelled;
  double cancelled_at, worked_until, delay; /* by the wall's clock, and by that of all threads' work */
  bool by_thread;                           /* gaps are of one thread's work, else of the wall's clock and any thread */
  atomic_llong last_look, longest_gap, first_seen; /* ns; first_seen 0: nobody looked since the cancel */
  int n_bad;
} Bench;

static _Thread_local long long thread_last_look; /* by the clock of the thread's own work */

static long long
clock_ns(clockid_t clock)
{
  struct timespec t;
  clock_gettime(clock, &t);
  return (long long)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* Seconds of work of all threads: what others do on this machine is not in it. */
static double
worked(void)
{
  return (double)clock_ns(CLOCK_PROCESS_CPUTIME_ID) * 1e-9;
}

/* So long without a look: until one, or until the thread has no more to do. */
static void
note_gap(Bench *bench, bool looks)
{
  const long long now = clock_ns(bench->by_thread ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC);
  const long long last = bench->by_thread ? thread_last_look : atomic_load(&bench->last_look);
  long long most = atomic_load(&bench->longest_gap);
  while (now - last > most && !atomic_compare_exchange_weak(&bench->longest_gap, &most, now - last))
    ;
  if (looks && bench->by_thread)
    thread_last_look = now;
  else if (looks)
    atomic_store(&bench->last_look, now);
}

static bool
is_cancelled(void *user)
{
  Bench *bench = user;
  long long none = 0;
  note_gap(bench, true);
  if (!atomic_load_explicit(&bench->cancelled, memory_order_relaxed))
    return false;
  atomic_compare_exchange_strong(&bench->first_seen, &none, clock_ns(CLOCK_MONOTONIC));
  return true;
}

typedef struct {
  Bench *bench;
  void (*job)(void *user, uint32_t index);
  void *user;
} Job;

static void
watched(void *user, uint32_t index)
{
  const Job *job = user;
  job->job(job->user, index);
  note_gap(job->bench, false);
}

/* The host's, and the device's. Its threads begin anew at each call, and their clocks at 0. */
static void
parallel_for(void *user, uint32_t n, void (*job)(void *job_user, uint32_t index), void *job_user)
{
  Job watch = { user, job, job_user };
  vt_test_run(&((Bench *)user)->n_threads, n, watched, &watch);
}

static void *
cancel_later(void *user)
{
  Bench *bench = user;
  const struct timespec wait = { (time_t)bench->delay, (long)((bench->delay - (double)(time_t)bench->delay) * 1e9) };
  nanosleep(&wait, NULL);
  bench->worked_until = worked();
  bench->cancelled_at = vt_bench_wall();
  atomic_store(&bench->cancelled, true);
  return NULL;
}

/* --- images --- */

static int32_t
value_of(const Bench *bench, Kind kind, int64_t x, int64_t y)
{
  const uint8_t v = bench->block[y % BLOCK * BLOCK + x % BLOCK];
  switch (kind) {
  case MASK: return v;
  case MARKER: return vt_bench_hmax(v);
  case FOREGROUND: return v > 128;
  case FAR: return x > 0 || y > 0;
  case LEVEL: return 1 + v % LEVELS;
  case SEEDS: return vt_bench_hash((uint32_t)x, (uint32_t)y, 7) % 100000 == 0;
  default: return y % 2 == 0 || x == (y / 2 % 2 ? 0 : CORRIDOR - 1) ? 200 : 0;
  }
}

typedef struct {
  const Bench *bench;
  const VtImage *image;
  Kind kind;
} Fill;

static void
fill_row(void *user, uint32_t y)
{
  const Fill *fill = user;
  for (int64_t x = 0; x < fill->image->width; x++) {
    const int32_t value =
      fill->kind == CORRIDOR_MARKER ? (x == 0 && y == 0 ? 200 : 0) : value_of(fill->bench, fill->kind, x, y);
    if (fill->image->type == VITRAIL_U8)
      *(uint8_t *)vt_image_at(fill->image, x, y) = (uint8_t)value;
    else
      *(int32_t *)vt_image_at(fill->image, x, y) = value;
  }
}

static const VtImage *
host_image(Bench *bench, VtType type, int64_t size, Kind kind)
{
  VtImage *host = &bench->host[kind];
  if (host->data && host->width == size)
    return host;
  free(host->data);
  vt_image_new(host, type, size, size);
  if (host->data)
    vt_test_run(&bench->n_threads, (uint32_t)size, fill_row, &(Fill){ bench, host, kind });
  return host->data ? host : NULL;
}

/* One more image on the device; a negative kind: nothing in it. */
static bool
add(Bench *bench, VtType type, int64_t size, int kind)
{
  VtImage *image = &bench->maps[bench->n_maps];
  *image = (VtImage){ NULL, size, size, size * (int64_t)vt_type_size(type), type };
  if (bench->backend->alloc(bench->device, (size_t)(image->stride * size), &image->data) != VITRAIL_OK)
    return false;
  bench->n_maps++;
  const VtImage *host = kind < 0 ? NULL : host_image(bench, type, size, (Kind)kind);
  return kind < 0 || (host && bench->backend->upload(bench->device, image, host) == VITRAIL_OK);
}

static void
drop_all(Bench *bench)
{
  while (bench->n_maps > 0)
    bench->backend->free(bench->device, bench->maps[--bench->n_maps].data);
}

/* --- works: what they need, and a call of the slot --- */

typedef struct {
  const char *title;
  bool (*prepare)(Bench *bench);
  VitrailStatus (*run)(Bench *bench, const VtCancel *cancel);
  int64_t size; /* 0: the bench's */
} Work;

static bool
prepare_reconstruct(Bench *bench)
{
  return add(bench, VITRAIL_U8, bench->size, MARKER) && add(bench, VITRAIL_U8, bench->size, MASK);
}

static bool
prepare_corridor(Bench *bench)
{
  return add(bench, VITRAIL_U8, CORRIDOR, CORRIDOR_MARKER) && add(bench, VITRAIL_U8, CORRIDOR, CORRIDOR_MASK);
}

static VitrailStatus
run_reconstruct(Bench *bench, const VtCancel *cancel)
{
  const VtReconstruct args = { .marker = bench->maps[0], .mask = bench->maps[1], .connectivity = 8 };
  return ((const VtReconstructAlgorithm *)bench->algorithm)->run(bench->device, &args, cancel);
}

static bool
prepare_distance(Bench *bench)
{
  return add(bench, VITRAIL_U8, bench->size, FOREGROUND) && add(bench, VITRAIL_F32, bench->size, -1);
}

static bool
prepare_far(Bench *bench)
{
  return add(bench, VITRAIL_U8, bench->size, FAR) && add(bench, VITRAIL_F32, bench->size, -1);
}

static VitrailStatus
run_distance(Bench *bench, const VtCancel *cancel)
{
  const VtDistance args = { .src = bench->maps[0], .root = bench->maps[1], .weight_x = 1, .weight_y = 1, .scale = 1 };
  return ((const VtDistanceAlgorithm *)bench->algorithm)->run(bench->device, &args, cancel);
}

static bool
prepare_glrlm(Bench *bench)
{
  bool fine = add(bench, VITRAIL_U8, bench->size, LEVEL);
  for (int k = 0; k < N_MAPS && fine; k++)
    fine = add(bench, VITRAIL_F32, bench->size, -1);
  return fine;
}

static VitrailStatus
run_glrlm(Bench *bench, const VtCancel *cancel)
{
  const VtGlrlmWindows args = { .src = bench->maps[0],
                                .dst = bench->maps + 1,
                                .features =
                                  1u << VT_GLRLM_SRE | 1u << VT_GLRLM_GLN | 1u << VT_GLRLM_RLN | 1u << VT_GLRLM_SRLGE,
                                .aggregates = 1u << VT_GLRLM_MEAN,
                                .n_levels = LEVELS,
                                .half = 7,
                                .step = 1 };
  return ((const VtGlrlmAlgorithm *)bench->algorithm)->run(bench->device, &args, cancel);
}

static bool
prepare_components(Bench *bench)
{
  return add(bench, VITRAIL_U8, bench->size, FOREGROUND) && add(bench, VITRAIL_I32, bench->size, -1);
}

static VitrailStatus
run_components(Bench *bench, const VtCancel *cancel)
{
  const VtComponents args = { bench->maps[0], bench->maps[1], 8 };
  return bench->backend->components(bench->device, &args, cancel);
}

static bool
prepare_regional(Bench *bench)
{
  return add(bench, VITRAIL_U8, bench->size, MASK) && add(bench, VITRAIL_U8, bench->size, -1);
}

static VitrailStatus
run_regional(Bench *bench, const VtCancel *cancel)
{
  const VtRegional args = { .src = bench->maps[0], .dst = bench->maps[1], .connectivity = 8 };
  return bench->backend->regional(bench->device, &args, cancel);
}

static bool
prepare_geodesic(Bench *bench)
{
  return add(bench, VITRAIL_I32, bench->size, SEEDS) && add(bench, VITRAIL_U8, bench->size, FOREGROUND)
         && add(bench, VITRAIL_I32, bench->size, -1) && add(bench, VITRAIL_I32, bench->size, -1);
}

static VitrailStatus
run_geodesic(Bench *bench, const VtCancel *cancel)
{
  const VtGeodesic args = { bench->maps[0], bench->maps[1], bench->maps[2], bench->maps[3], 8 };
  return bench->backend->geodesic(bench->device, &args, cancel);
}

/* --- a whole run --- */

static VitrailStatus
read_region(void *user, uint32_t handle, uint32_t downsample, int64_t x, int64_t y, int64_t width, int64_t height,
            void *dst, size_t stride)
{
  const Bench *bench = user;
  for (int64_t row = 0; row < height; row++)
    for (int64_t i = 0; i < width; i++) {
      const uint8_t v = bench->block[(y + row) % BLOCK * BLOCK + (x + i) % BLOCK];
      memcpy((char *)dst + (size_t)row * stride + i * 4, (uint8_t[4]){ v, (uint8_t)(v / 2), v, 255 }, 4);
    }
  return VITRAIL_OK;
}

static VitrailStatus
take_tile(void *user, const VitrailTile *tile)
{
  return VITRAIL_OK;
}

static VitrailStatus
take_object(void *user, const VitrailObject *object)
{
  return VITRAIL_OK;
}

static VitrailStatus
take_row(void *user, const VitrailRow *row)
{
  return VITRAIL_OK;
}

static bool
prepare_nothing(Bench *bench)
{
  return true;
}

static VitrailStatus
run_op(Bench *bench, const VtCancel *cancel)
{
  char message[256];
  const char *op = bench->algorithm;
  const VitrailInput input = { .size = sizeof input,
                               .id = strcmp(op, "reconstruct") == 0 ? "mask" : "image",
                               .type = VITRAIL_RGBA8,
                               .width_l0 = bench->size,
                               .height_l0 = bench->size,
                               .mpp_x = 0.5,
                               .mpp_y = 0.5 };
  const VitrailInput *inputs[] = { &input };
  const VitrailRequest request = { .size = sizeof request,
                                   .op_id = op,
                                   .backend = bench->backend->id,
                                   .width_l0 = bench->size,
                                   .height_l0 = bench->size,
                                   .n_inputs = 1,
                                   .inputs = inputs };
  const VitrailHost host = { .size = sizeof host,
                             .n_threads = bench->n_threads,
                             .user = bench,
                             .read_region = read_region,
                             .emit_tile = take_tile,
                             .emit_object = take_object,
                             .emit_row = take_row,
                             .parallel_for = parallel_for,
                             .is_cancelled = is_cancelled };
  const VitrailStatus status = vitrail_plugin_entry(VITRAIL_ABI_MAJOR, VITRAIL_ABI_MINOR)
                                 ->run(bench->session, &request, &host, message, sizeof message);
  if (status != VITRAIL_OK && status != VITRAIL_CANCELLED)
    fprintf(stderr, "cancel-bench: %s\n", message);
  return status;
}

/* --- measure --- */

enum { THROUGH = -1, FAILED = -2 };

typedef struct {
  double answer, seen, run, gap; /* ms; answer: between the cancel and the return, or THROUGH, or FAILED */
} Sample;

/* On the CPU the answer is not more than its threads worked in that time. */
static Sample
sample(Bench *bench, const Work *work, double delay_ms)
{
  const VtCancel cancel = { is_cancelled, bench };
  pthread_t thread;
  Sample s = { .answer = FAILED };
  atomic_store(&bench->cancelled, false);
  atomic_store(&bench->longest_gap, 0);
  atomic_store(&bench->first_seen, 0);
  bench->delay = delay_ms * 1e-3;
  if (work->prepare(bench) && pthread_create(&thread, NULL, cancel_later, bench) == 0) {
    const double start = vt_bench_wall();
    thread_last_look = clock_ns(CLOCK_THREAD_CPUTIME_ID);
    atomic_store(&bench->last_look, clock_ns(CLOCK_MONOTONIC));
    const VitrailStatus status = work->run(bench, &cancel);
    const double returned = vt_bench_wall(), until = worked();
    note_gap(bench, false);
    pthread_join(thread, NULL);
    const double work_done = (until - bench->worked_until) * 1e3;
    s = (Sample){ .answer = (returned - bench->cancelled_at) * 1e3,
                  .seen = (double)atomic_load(&bench->first_seen) * 1e-6 - bench->cancelled_at * 1e3,
                  .run = (returned - start) * 1e3,
                  .gap = (double)atomic_load(&bench->longest_gap) * 1e-6 };
    if (bench->by_thread && work_done < s.answer)
      s.answer = work_done;
    if (status != VITRAIL_CANCELLED)
      s.answer = status == VITRAIL_OK ? THROUGH : FAILED;
  }
  drop_all(bench);
  return s;
}

typedef struct {
  int64_t size;
  double run, gap; /* ms; of the first run, and whether it was through `within` */
  bool through;
  Sample worst;
  double at; /* ms; when the worst was cancelled */
  int n;
} Line;

static void
print(const Bench *bench, const char *title, const char *id, const Line *line)
{
  const Sample *worst = &line->worst;
  char size[64];
  snprintf(size, sizeof size, "%lld²%s", (long long)line->size, line->through ? "" : ", its beginning");
  if (worst->answer == FAILED)
    printf(bench->json ? "{\"work\":\"%s %s\",\"failed\":true}\n" : "| %s %s | failed | | | | | | |\n", title, id);
  else if (bench->json)
    printf("{\"work\":\"%s %s\",\"size\":%lld,\"through\":%s,\"run\":%.1f,\"worst\":%.2f,\"seen\":%.2f,\"after\":%.1f,"
           "\"cancels\":%d,\"gap\":%.2f}\n",
           title, id, (long long)line->size, line->through ? "true" : "false", line->run,
           line->n > 0 ? worst->answer : 0, worst->seen, line->at, line->n, line->gap);
  else if (line->n == 0)
    printf("| %s %s | %s | %.0f | through before | | | 0 | %.2f |\n", title, id, size, line->run, line->gap);
  else
    printf("| %s %s | %s | %.0f | %.2f | %.2f | %.1f | %d | %.2f |\n", title, id, size, line->run, worst->answer,
           worst->seen, line->at, line->n, line->gap);
  fflush(stdout);
}

/* A moment in each of n equal parts of the run, random within the part. */
static double
moment(const Bench *bench, int k, double run_ms)
{
  return (k + vt_bench_hash((uint32_t)k, (uint32_t)bench->n_moments, 11) % 1000 * 1e-3) / bench->n_moments * run_ms;
}

static Line
measure_at(Bench *bench, const Work *work, int64_t size, const Sample *first)
{
  Line line = { size, first->run, first->gap, first->answer == THROUGH, { .answer = THROUGH }, 0, 0 };
  if (first->answer == FAILED)
    line.worst = *first;
  double until = line.through ? line.run : bench->within_ms;
  for (int k = 0; k < bench->n_moments && line.worst.answer != FAILED; k++) {
    const double ms = moment(bench, k, until);
    const Sample s = sample(bench, work, ms);
    line.n += s.answer >= 0;
    until = s.answer == THROUGH && s.run < until ? s.run : until; /* the first run may have warmed up the machine */
    if (s.answer == FAILED || s.answer > line.worst.answer) {
      line.worst = s;
      line.at = ms;
    }
  }
  return line;
}

static void
measure(Bench *bench, const Work *work, const char *id)
{
  const int64_t size = bench->size;
  if (bench->only && !strstr(work->title, bench->only) && !strstr(id, bench->only))
    return;
  for (bool more = true, full = true; more; full = false) {
    const Sample first = sample(bench, work, bench->within_ms);
    more = first.answer >= 0 && work->size == 0 && bench->size / 2 >= LEAST_SIZE;
    if (full || !more) {
      const Line line = measure_at(bench, work, work->size > 0 ? work->size : bench->size, &first);
      bench->n_bad += line.worst.answer == FAILED || (bench->limit_ms > 0 && line.worst.answer > bench->limit_ms);
      print(bench, work->title, id, &line);
    }
    bench->size /= 2;
  }
  bench->size = size;
}

static void
measure_all(Bench *bench)
{
  static const Work reconstruct = { "reconstruction", prepare_reconstruct, run_reconstruct },
                    corridor = { "reconstruction of a corridor", prepare_corridor, run_reconstruct, CORRIDOR },
                    near = { "distance", prepare_distance, run_distance },
                    far = { "distance, one background pixel", prepare_far, run_distance },
                    maps = { "texture maps", prepare_glrlm, run_glrlm },
                    others[] = { { "components", prepare_components, run_components },
                                 { "regional maxima", prepare_regional, run_regional },
                                 { "geodesic distance", prepare_geodesic, run_geodesic } },
                    run = { "whole run of", prepare_nothing, run_op };
  static const char *const ops[] = { "reconstruct", "distance", "glrlm-map", "nuclei",
                                     "morphology",  "zones",    "watershed" };
  for (const VtReconstructAlgorithm *a = bench->backend->reconstruct; a->id; a++) {
    bench->algorithm = a;
    measure(bench, &reconstruct, a->id);
    measure(bench, &corridor, a->id);
  }
  for (const VtDistanceAlgorithm *a = bench->backend->distance; a->id; a++) {
    bench->algorithm = a;
    measure(bench, &near, a->id);
    measure(bench, &far, a->id);
  }
  for (const VtGlrlmAlgorithm *a = bench->backend->glrlm_windows; a && a->id; a++) {
    bench->algorithm = a;
    measure(bench, &maps, a->id);
  }
  for (size_t k = 0; k < VT_COUNT(others); k++)
    measure(bench, &others[k], "");
  for (size_t k = 0; k < VT_COUNT(ops); k++) {
    bench->algorithm = ops[k];
    measure(bench, &run, ops[k]);
  }
}

static bool
open_bench(Bench *bench, const char *backend)
{
  const VitrailPlugin *plugin = vitrail_plugin_entry(VITRAIL_ABI_MAJOR, VITRAIL_ABI_MINOR);
  const VtParallel parallel = { bench->n_threads, bench, parallel_for };
  char reason[256] = "";
  if (plugin->session_open(&bench->session) != VITRAIL_OK)
    return false;
  for (uint32_t i = 0; i < bench->session->n_backends; i++)
    if (bench->session->backends[i].device && strcmp(bench->session->backends[i].backend->id, backend) == 0)
      bench->backend = bench->session->backends[i].backend;
  if (bench->backend && bench->backend->open(0, &parallel, &bench->device, reason, sizeof reason) == VITRAIL_OK)
    return true;
  printf("There is no device of the backend %s. %s\n", backend, reason);
  plugin->session_close(bench->session);
  return false;
}

static void
read_options(Bench *bench, const char **backend, int argc, char **argv)
{
  for (int i = 1; i + 1 < argc; i += 2) {
    const char *value = argv[i + 1];
    *backend = strcmp(argv[i], "--backend") == 0 ? value : *backend;
    bench->only = strcmp(argv[i], "--only") == 0 ? value : bench->only;
    bench->json |= strcmp(argv[i], "--json") == 0;
    if (strcmp(argv[i], "--size") == 0)
      bench->size = atoll(value);
    else if (strcmp(argv[i], "--threads") == 0)
      bench->n_threads = (uint32_t)atoi(value);
    else if (strcmp(argv[i], "--limit") == 0)
      bench->limit_ms = atof(value);
    else if (strcmp(argv[i], "--moments") == 0)
      bench->n_moments = atoi(value);
    else if (strcmp(argv[i], "--within") == 0)
      bench->within_ms = atof(value);
  }
}

int
main(int argc, char **argv)
{
  const long n_cores = sysconf(_SC_NPROCESSORS_ONLN);
  Bench bench = { .size = 8192,
                  .n_threads = n_cores < VT_TEST_MAX_THREADS ? (uint32_t)n_cores : VT_TEST_MAX_THREADS,
                  .n_moments = 12,
                  .within_ms = 2000 };
  const char *backend = "cpu";
  read_options(&bench, &backend, argc, argv);
  bench.block = malloc((size_t)BLOCK * BLOCK);
  if (!bench.block || bench.size < 1 || bench.size > 1 << 16 || !open_bench(&bench, backend)) {
    free(bench.block);
    return 77;
  }
  for (uint32_t i = 0; i < BLOCK * BLOCK; i++)
    bench.block[i] = vt_bench_mask(i % BLOCK, i / BLOCK, 1);
  if (!bench.json)
    printf("%s, %lld², %u threads\n\n"
           "| work | size | run ms | worst ms | seen after | cancelled after | cancels | longest without a look |\n"
           "| --- | --- | --: | --: | --: | --: | --: | --: |\n",
           bench.backend->device_name(bench.device), (long long)bench.size, bench.n_threads);
  bench.by_thread = strcmp(backend, "cpu") == 0;
  measure_all(&bench);
  bench.backend->close(bench.device);
  vitrail_plugin_entry(VITRAIL_ABI_MAJOR, VITRAIL_ABI_MINOR)->session_close(bench.session);
  for (int k = 0; k < N_KINDS; k++)
    free(bench.host[k].data);
  free(bench.block);
  return bench.n_bad > 0;
}
