/* SPDX-License-Identifier: MIT
 *
 * cancel-bench [--backend cpu|cuda] [--size N] [--threads N] [--limit MS] [--moments N] [--within MS] [--only WORD] [--json 1]: how
 * long kernels and whole runs of ops go on after they were cancelled. Each is cancelled at random moments of its run, or of
 * as much of it as is given; those at which it was through already don't count. Prints Markdown or a line of JSON each, ms:
 * the worst, how much of that passed before somebody looked, the moment, the number of cancels, and the longest time
 * without a look in a run that is not cancelled. Exit status 1 when one took longer than the limit, 77 when there is no
 * such device. */
#include "../support/bench-image.h"
#include "../support/test-parallel.h"
#include "bench.h"
#include "vt-run-context.h"

#include <unistd.h>

enum { BLOCK = 1024, CORRIDOR = 2048, N_MAPS = 4, LEVELS = 32 };

const VitrailPlugin *vitrail_plugin_entry(uint32_t host_major, uint32_t host_minor);

typedef enum { MASK, MARKER, FOREGROUND, FAR, LEVEL, SEEDS, CORRIDOR_MASK, CORRIDOR_MARKER } Kind;

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
  uint8_t *block;  /* BLOCK² of the bench image */
  VtImage maps[8]; /* of the case that runs, in the device's memory */
  int n_maps;
  const void *algorithm;
  atomic_bool cancelled;
  double cancelled_at, worked_until, delay;        /* by the wall's clock, and by that of all threads' work */
  atomic_llong last_look, longest_gap, first_seen; /* ns; first_seen 0: nobody looked since the cancel */
  int n_bad;
} Bench;

/* Seconds of work of all threads: what others do on this machine is not in it. */
static double
worked(void)
{
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static long long
now_ns(void)
{
  return (long long)(vt_bench_wall() * 1e9);
}

/* Somebody looked, or the run ended. */
static void
note_look(Bench *bench)
{
  const long long now = now_ns(), gap = now - atomic_exchange(&bench->last_look, now);
  long long most = atomic_load(&bench->longest_gap), none = 0;
  while (gap > most && !atomic_compare_exchange_weak(&bench->longest_gap, &most, gap))
    ;
  if (atomic_load(&bench->cancelled))
    atomic_compare_exchange_strong(&bench->first_seen, &none, now);
}

static bool
is_cancelled(void *user)
{
  note_look(user);
  return atomic_load_explicit(&((Bench *)user)->cancelled, memory_order_relaxed);
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

/* One more image on the device; a negative kind: nothing in it. */
static bool
add(Bench *bench, VtType type, int64_t size, int kind)
{
  VtImage host, *image = &bench->maps[bench->n_maps];
  VitrailStatus status = VITRAIL_OK;
  *image = (VtImage){ NULL, size, size, size * (int64_t)vt_type_size(type), type };
  if (bench->backend->alloc(bench->device, (size_t)(image->stride * size), &image->data) != VITRAIL_OK)
    return false;
  bench->n_maps++;
  if (kind < 0)
    return true;
  vt_image_new(&host, type, size, size);
  Fill fill = { bench, &host, (Kind)kind };
  if (host.data) {
    vt_test_run(&bench->n_threads, (uint32_t)size, fill_row, &fill);
    status = bench->backend->upload(bench->device, image, &host);
  }
  free(host.data);
  return host.data && status == VITRAIL_OK;
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

static void
parallel_for(void *user, uint32_t n, void (*job)(void *job_user, uint32_t index), void *job_user)
{
  vt_test_run(&((Bench *)user)->n_threads, n, job, job_user);
}

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
    atomic_store(&bench->last_look, now_ns());
    const VitrailStatus status = work->run(bench, &cancel);
    const double returned = vt_bench_wall(), until = worked();
    note_look(bench);
    pthread_join(thread, NULL);
    const double work_done = (until - bench->worked_until) * 1e3;
    s = (Sample){ .answer = (returned - bench->cancelled_at) * 1e3,
                  .seen = (double)atomic_load(&bench->first_seen) * 1e-6 - bench->cancelled_at * 1e3,
                  .run = (returned - start) * 1e3,
                  .gap = (double)atomic_load(&bench->longest_gap) * 1e-6 };
    if (strcmp(bench->backend->id, "cpu") == 0 && work_done < s.answer)
      s.answer = work_done;
    if (status != VITRAIL_CANCELLED)
      s.answer = status == VITRAIL_OK ? THROUGH : FAILED;
  }
  drop_all(bench);
  return s;
}

static void
print(const Bench *bench, const char *title, const char *id, const Sample *worst, double at, int n, double gap)
{
  if (bench->json && worst->answer != FAILED)
    printf("{\"work\":\"%s %s\",\"worst\":%.2f,\"seen\":%.2f,\"after\":%.1f,\"cancels\":%d,\"gap\":%.2f}\n", title, id,
           n > 0 ? worst->answer : 0, worst->seen, at, n, gap);
  else if (bench->json)
    printf("{\"work\":\"%s %s\",\"failed\":true}\n", title, id);
  else if (worst->answer == FAILED)
    printf("| %s %s | failed | | | | |\n", title, id);
  else if (n == 0)
    printf("| %s %s | through before | | | 0 | %.2f |\n", title, id, gap);
  else
    printf("| %s %s | %.2f | %.2f | %.1f | %d | %.2f |\n", title, id, worst->answer, worst->seen, at, n, gap);
  fflush(stdout);
}

/* A moment in each of n equal parts of the run, random within the part. */
static double
moment(const Bench *bench, int k, double run_ms)
{
  return (k + vt_bench_hash((uint32_t)k, (uint32_t)bench->n_moments, 11) % 1000 * 1e-3) / bench->n_moments * run_ms;
}

static void
measure(Bench *bench, const Work *work, const char *id)
{
  if (bench->only && !strstr(work->title, bench->only) && !strstr(id, bench->only))
    return;
  /* The first run warms up, and tells how long the next ones take. */
  Sample first = sample(bench, work, bench->within_ms), worst = { .answer = THROUGH };
  if (first.answer == THROUGH)
    first = sample(bench, work, bench->within_ms);
  double at = 0;
  int n = 0;
  for (int k = 0; k < bench->n_moments && first.answer != FAILED; k++) {
    const double ms = moment(bench, k, first.run < bench->within_ms ? first.run : bench->within_ms);
    const Sample s = sample(bench, work, ms);
    n += s.answer >= 0;
    if (s.answer == FAILED || s.answer > worst.answer) {
      worst = s;
      at = ms;
    }
    if (s.answer == FAILED)
      break;
  }
  if (first.answer == FAILED)
    worst = first;
  bench->n_bad += worst.answer == FAILED || (bench->limit_ms > 0 && worst.answer > bench->limit_ms);
  print(bench, work->title, id, &worst, at, n, first.gap);
}

static void
measure_all(Bench *bench)
{
  static const Work reconstruct = { "reconstruction", prepare_reconstruct, run_reconstruct },
                    corridor = { "reconstruction of a corridor", prepare_corridor, run_reconstruct },
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
  const VtParallel parallel = vt_test_parallel(&bench->n_threads);
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
    if (strcmp(argv[i], "--backend") == 0)
      *backend = value;
    else if (strcmp(argv[i], "--size") == 0)
      bench->size = atoll(value);
    else if (strcmp(argv[i], "--threads") == 0)
      bench->n_threads = (uint32_t)atoi(value);
    else if (strcmp(argv[i], "--limit") == 0)
      bench->limit_ms = atof(value);
    else if (strcmp(argv[i], "--moments") == 0)
      bench->n_moments = atoi(value);
    else if (strcmp(argv[i], "--within") == 0)
      bench->within_ms = atof(value);
    else if (strcmp(argv[i], "--only") == 0)
      bench->only = value;
    else if (strcmp(argv[i], "--json") == 0)
      bench->json = true;
  }
}

int
main(int argc, char **argv)
{
  const long n_cores = sysconf(_SC_NPROCESSORS_ONLN);
  Bench bench = { .size = 8192,
                  .n_threads = n_cores < VT_TEST_MAX_THREADS ? (uint32_t)n_cores : VT_TEST_MAX_THREADS,
                  .n_moments = 12,
                  .within_ms = 4000 };
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
           "| work | worst ms | seen after | cancelled after | cancels | longest without a look |\n"
           "| --- | --: | --: | --: | --: | --: |\n",
           bench.backend->device_name(bench.device), (long long)bench.size, bench.n_threads);
  measure_all(&bench);
  bench.backend->close(bench.device);
  vitrail_plugin_entry(VITRAIL_ABI_MAJOR, VITRAIL_ABI_MINOR)->session_close(bench.session);
  free(bench.block);
  return bench.n_bad > 0;
}
