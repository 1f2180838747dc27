/* SPDX-License-Identifier: MIT
 *
 * gpu-bench-nuclei.c: a whole run of `nuclei`, as a viewer makes it: RGB in host memory in, layers and objects in host
 * memory out, through the plugin (VITRAIL_TEST_PLUGIN); and one of `glrlm-map`. Medians over runs, of the whole and of each
 * stage, on CUDA and on the CPU; the answers must be the same bytes.
 * Usage: gpu-bench-nuclei [WIDTH HEIGHT [RUNS]]. Exit status 1 when an answer is wrong, 77 when there is no device. */
#include "../support/mini-host.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { N_STAGES = 9, MAX_RUNS = 200, N_THREADS = 16 };

typedef struct {
  VtImage tissue;
  const char *op;
  bool copies; /* what is handed over is copied, as a viewer does that keeps it */
  void *layers[N_STAGES];
  uint64_t hash;
  int64_t n_objects;
  double stage_ms[N_STAGES];
  uint32_t n_threads;
} Host;

static double
now_ms(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

static VitrailStatus
read_region(void *user, uint32_t handle, uint32_t downsample, int64_t x, int64_t y, int64_t width, int64_t height,
            void *dst, size_t stride)
{
  const Host *host = user;
  for (int64_t j = 0; j < height; j++)
    memcpy((char *)dst + (size_t)j * stride, vt_image_at(&host->tissue, x, y + j), (size_t)width * 4);
  return VITRAIL_OK;
}

static VitrailStatus
emit_tile(void *user, const VitrailTile *tile)
{
  Host *host = user;
  if (host->copies)
    memcpy(host->layers[tile->stage], tile->data, (size_t)tile->height * tile->stride);
  return VITRAIL_OK;
}

static void
mix(Host *host, const void *data, size_t size)
{
  for (size_t i = 0; i < size; i++)
    host->hash = (host->hash ^ ((const uint8_t *)data)[i]) * 0x100000001B3u;
}

static VitrailStatus
emit_object(void *user, const VitrailObject *object)
{
  Host *host = user;
  host->n_objects++;
  mix(host, object->measurements, object->n_measurements * sizeof(double));
  mix(host, &object->centroid_x_l0, 2 * sizeof(double));
  return VITRAIL_OK;
}

static VitrailStatus
emit_row(void *user, const VitrailRow *row)
{
  return VITRAIL_INTERNAL;
}

static void
parallel_for(void *user, uint32_t n, void (*job)(void *job_user, uint32_t index), void *job_user)
{
  const Host *host = user;
#pragma omp parallel for schedule(dynamic) num_threads(host->n_threads)
  for (uint32_t i = 0; i < n; i++)
    job(job_user, i);
}

static void
stage_done(void *user, uint32_t stage, double milliseconds)
{
  ((Host *)user)->stage_ms[stage] = milliseconds;
}

static bool
is_cancelled(void *user)
{
  return false;
}

static void
say(void *user, VitrailLogLevel level, const char *sentence)
{
  if (level == VITRAIL_LOG_WARNING)
    printf("warning: %s\n", sentence);
}

/* Milliseconds; < 0: it failed. */
static double
run_once(Host *mine, VitrailSession *session, const char *backend, uint64_t stages)
{
  VitrailInput input = { .size = sizeof input,
                         .id = "image",
                         .type = VITRAIL_RGBA8,
                         .width_l0 = mine->tissue.width,
                         .height_l0 = mine->tissue.height,
                         .mpp_x = 0.5,
                         .mpp_y = 0.5 };
  const VitrailInput *inputs[] = { &input };
  const VitrailRequest request = { .size = sizeof request,
                                   .op_id = mine->op,
                                   .backend = backend,
                                   .width_l0 = mine->tissue.width,
                                   .height_l0 = mine->tissue.height,
                                   .stages_wanted = stages,
                                   .n_inputs = 1,
                                   .inputs = inputs };
  const VitrailHost host = { .size = sizeof host,
                             .n_threads = mine->n_threads,
                             .user = mine,
                             .read_region = read_region,
                             .emit_tile = emit_tile,
                             .emit_object = emit_object,
                             .emit_row = emit_row,
                             .parallel_for = parallel_for,
                             .stage_done = stage_done,
                             .is_cancelled = is_cancelled,
                             .log = say };
  char message[256];
  mine->hash = 0xCBF29CE484222325u;
  mine->n_objects = 0;
  memset(mine->stage_ms, 0, sizeof mine->stage_ms);
  const double begin = now_ms();
  const VitrailStatus status = mini_plugin()->run(session, &request, &host, message, sizeof message);
  const double ms = now_ms() - begin;
  if (status != VITRAIL_OK)
    printf("%s: status %d: %s\n", backend, status, message);
  return status == VITRAIL_OK ? ms : -1;
}

static int
compare_doubles(const void *a, const void *b)
{
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double
median(double *values, int n)
{
  qsort(values, (size_t)n, sizeof *values, compare_doubles);
  return values[n / 2];
}

/* Returns the hash of objects and, if layers are kept, of layers; 0: it failed. */
static uint64_t
bench(Host *host, VitrailSession *session, const char *backend, const char *what, uint64_t stages, int n_runs)
{
  static double total[MAX_RUNS], stage[N_STAGES][MAX_RUNS];
  for (int run = -2; run < n_runs; run++) { /* the first two warm up */
    const double ms = run_once(host, session, backend, stages);
    if (ms < 0)
      return 0;
    for (int s = 0; s < N_STAGES && run >= 0; s++)
      stage[s][run] = host->stage_ms[s];
    if (run >= 0)
      total[run] = ms;
  }
  printf("| %-4s | %-36s | %8.2f |", backend, what, median(total, n_runs));
  for (int s = 0; s < N_STAGES; s++)
    printf(" %6.2f |", median(stage[s], n_runs));
  printf("\n");
  const int64_t n = host->tissue.width * host->tissue.height;
  static const int nuclei_bytes[N_STAGES] = { 2, 2, 2, 1, 1, 4, 1, 4, 0 }, map_bytes[N_STAGES] = { 4 };
  const int *bytes = strcmp(host->op, "nuclei") == 0 ? nuclei_bytes : map_bytes;
  for (int s = 0; s < N_STAGES && host->copies; s++)
    if (stages >> s & 1)
      mix(host, host->layers[s], (size_t)(n * bytes[s]));
  return host->hash;
}

/* One map, the mean of four directions, of 15 x 15 windows. */
static int
bench_map(Host *host, VitrailSession *session, bool have_cuda, int n_runs)
{
  printf("\n| on   | glrlm-map                            |    whole |\n| --- | --- | --: |\n");
  host->op = "glrlm-map";
  host->copies = true;
  const uint64_t cuda = have_cuda ? bench(host, session, "cuda", "a map, copied by the host", 1, n_runs) : 0;
  const uint64_t cpu = bench(host, session, "cpu", "a map, copied by the host", 1, n_runs / 4 + 1);
  printf("\n%s\n", cpu != 0 && (!have_cuda || cpu == cuda) ? "the same bytes" : "THE MAPS DIFFER");
  return cpu == 0 || (have_cuda && cpu != cuda);
}

static int
bench_all(Host *host, VitrailSession *session, bool have_cuda, int n_runs)
{
  static const struct {
    const char *what;
    uint64_t stages;
    bool copies;
  } cases[] = {
    { "labels", 1 << 7, false },
    { "all layers", 0xff, false },
    { "all layers, copied by the host", 0xff, true },
    { "objects with outlines", 1 << 8, false },
    { "all layers, copied, and objects", 0x1ff, true },
  };
  printf("nuclei, %lld x %lld, %u threads of the host, ms, median of %d\n\n", (long long)host->tissue.width,
         (long long)host->tissue.height, host->n_threads, n_runs);
  printf(
    "| on   | handed over                          |    whole |  stain | backgr | residu |   mask | filled | distan |"
    "  seeds | labels | objects |\n| --- | --- | --: | --: | --: | --: | --: | --: | --: | --: | --: | --: |\n");
  int n_wrong = 0;
  uint64_t expected = 0;
  host->op = "nuclei";
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    host->copies = cases[i].copies;
    if (have_cuda)
      expected = bench(host, session, "cuda", cases[i].what, cases[i].stages, n_runs);
    if (have_cuda && cases[i].stages != 0x1ff)
      continue;
    const uint64_t got = bench(host, session, "cpu", cases[i].what, cases[i].stages, n_runs / 4 + 1);
    n_wrong += got == 0 || (have_cuda && got != expected);
  }
  printf("\n%lld objects; %s\n", (long long)host->n_objects,
         !have_cuda     ? "no CUDA device to compare with"
         : n_wrong == 0 ? "layers and objects are the same bytes on both"
                        : "THE ANSWERS DIFFER");
  return n_wrong;
}

int
main(int argc, char **argv)
{
  const int64_t width = argc > 2 ? atoll(argv[1]) : 1920, height = argc > 2 ? atoll(argv[2]) : 1080;
  const int n_runs = argc > 3 ? atoi(argv[3]) : 25;
  Host host = { .n_threads = N_THREADS };
  VitrailSession *session = NULL;
  const VitrailBackendInfo *const *infos = NULL;
  if (width < 1 || height < 1 || n_runs < 1 || n_runs > MAX_RUNS || mini_plugin()->session_open(&session) != VITRAIL_OK)
    return 2;
  bool have_cuda = false;
  for (uint32_t i = 0, n = mini_plugin()->session_backends(session, &infos); i < n; i++)
    have_cuda |= strcmp(infos[i]->id, "cuda") == 0 && infos[i]->available;
  host.tissue = mini_tissue_new(width, height, 3);
  for (int s = 0; s < N_STAGES; s++)
    host.layers[s] = calloc((size_t)(width * height), 4);
  int n_wrong = bench_all(&host, session, have_cuda, n_runs);
  n_wrong += bench_map(&host, session, have_cuda, n_runs);
  mini_plugin()->session_close(session);
  free(host.tissue.data);
  for (int s = 0; s < N_STAGES; s++)
    free(host.layers[s]);
  return n_wrong ? 1 : have_cuda ? 0 : 77;
}
