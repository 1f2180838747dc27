/* SPDX-License-Identifier: MIT
 *
 * gpu-bench-rois.c: run length features of regions, on the device and on the CPU with 16 threads, with a check that their
 * bytes are the same; and the paper's method in single and double precision. Levels and masks are on the device; regions
 * and values in host memory, so that the times (of the whole call, medians) have their way there and back.
 * Usage: gpu-bench-rois [RUNS]. Exit status 1 when bytes differ, 77 when there is no device. */
#include "../support/bench-image.h"
#include "../support/test-parallel.h"
#include "bench.h"
#include "gpu.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_RUNS = 101, SEED = 1, N_LEVELS = 32, SIDE = 4096, MAX_ROIS = 50000, ENTROPY = 1 << VT_GLRLM_RE };
enum { ALL = (1 << VT_GLRLM_N_FEATURES) - 1, N_MAPS = 15, MAP_W = 640, MAP_H = 360 };

typedef struct Bench {
  VtDevice *devices[2]; /* CUDA's, the CPU's */
  VtImage levels[2], masks[2];
  VtGlrlmRoi *rois;
  double *values[2];
  int64_t *n_pixels;
  int n_runs, n_wrong;
} Bench;

static const VtBackend *
backend_of(int k)
{
  return k == 0 ? vt_gpu_backend() : vt_cpu_backend();
}

static int
compare(const void *a, const void *b)
{
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* The benchmark image in 32 levels, and masks: a disc of each diameter up to the side, one below the other. */
static bool
make(Bench *b)
{
  const size_t n = (size_t)SIDE * SIDE;
  uint8_t *levels = malloc(n), *masks = malloc(n);
  for (int64_t y = 0; levels && masks && y < SIDE; y++)
    for (int64_t x = 0; x < SIDE; x++)
      levels[y * SIDE + x] = (uint8_t)(1 + vt_bench_mask((uint32_t)x, (uint32_t)y, SEED) * N_LEVELS / 256);
  b->levels[1] = (VtImage){ levels, SIDE, SIDE, SIDE, VITRAIL_U8 };
  b->masks[1] = (VtImage){ masks, SIDE, SIDE, SIDE, VITRAIL_U8 };
  b->levels[0] = b->levels[1];
  b->masks[0] = b->masks[1];
  b->rois = malloc(MAX_ROIS * sizeof *b->rois);
  b->n_pixels = malloc(MAX_ROIS * sizeof *b->n_pixels);
  for (int k = 0; k < 2; k++)
    b->values[k] = calloc((size_t)MAX_ROIS * VT_GLRLM_N_FEATURES, sizeof *b->values[k]);
  return levels && masks && b->rois && b->n_pixels && b->values[0] && b->values[1]
         && backend_of(0)->alloc(b->devices[0], n, &b->levels[0].data) == VITRAIL_OK
         && backend_of(0)->alloc(b->devices[0], n, &b->masks[0].data) == VITRAIL_OK
         && backend_of(0)->upload(b->devices[0], &b->levels[0], &b->levels[1]) == VITRAIL_OK;
}

/* n regions anywhere, discs with diameters round `side`. */
static bool
place(Bench *b, int n, int side)
{
  uint8_t *masks = b->masks[1].data;
  uint32_t random = 7;
  for (int s = 0, at = 0; s < 8; s++) {
    const int d = side * (12 + s) / 16;
    for (int y = 0; y < d; y++)
      for (int x = 0; x < d; x++)
        masks[at + y * d + x] = (2 * x + 1 - d) * (2 * x + 1 - d) + (2 * y + 1 - d) * (2 * y + 1 - d) <= d * d;
    for (int k = s; k < n; k += 8) {
      random = random * 1664525u + 1013904223u;
      const int x = (int)((random >> 8) % (uint32_t)(SIDE - d));
      random = random * 1664525u + 1013904223u;
      const int y = (int)((random >> 8) % (uint32_t)(SIDE - d));
      b->rois[k] = (VtGlrlmRoi){ d, d, (int64_t)y * SIDE + x, SIDE, at, d };
    }
    at += d * d;
  }
  return backend_of(0)->upload(b->devices[0], &b->masks[0], &b->masks[1]) == VITRAIL_OK;
}

static double
time_ms(Bench *b, int k, int n, uint32_t features, int n_runs)
{
  double ms[MAX_RUNS];
  const VtGlrlmRois args = { .levels = b->levels[k],
                             .masks = b->masks[k],
                             .rois = b->rois,
                             .n_rois = n,
                             .n_levels = N_LEVELS,
                             .features = features,
                             .aggregates = 1 << VT_GLRLM_MEAN,
                             .values = b->values[k],
                             .n_pixels = b->n_pixels };
  for (int run = -1; run < n_runs; run++) {
    const double before = vt_bench_now();
    if (backend_of(k)->glrlm_rois(b->devices[k], &args, NULL) != VITRAIL_OK)
      return -1;
    if (run >= 0)
      ms[run] = (vt_bench_now() - before) * 1e3;
  }
  qsort(ms, (size_t)n_runs, sizeof *ms, compare);
  return ms[n_runs / 2];
}

static void
bench(Bench *b, int n, int side)
{
  if (side == SIDE)
    b->rois[0] = (VtGlrlmRoi){ SIDE, SIDE, 0, SIDE, -1, 0 };
  else if (!place(b, n, side))
    b->n_wrong++;
  for (uint32_t with = 0; with < 2; with++) {
    const uint32_t features = with ? ALL : ALL & ~(uint32_t)ENTROPY;
    const double gpu = time_ms(b, 0, n, features, b->n_runs), cpu = time_ms(b, 1, n, features, 3);
    const size_t bytes = (size_t)n * (size_t)__builtin_popcount(features) * sizeof(double);
    const bool right = gpu > 0 && cpu > 0 && memcmp(b->values[0], b->values[1], bytes) == 0;
    b->n_wrong += !right;
    printf("| %d | %d x %d | %d | %.3f ms | %.2f ms | %.1fx | %s |\n", n, side, side, __builtin_popcount(features), gpu,
           cpu, cpu / gpu, right ? "OK" : "WRONG");
    if (gpu < 0)
      printf("%s\n", backend_of(0)->last_error(b->devices[0]));
    fflush(stdout);
  }
}

/* The paper's method in both precisions, a direction at a time, 15 features. */
static void
bench_primitives(Bench *b)
{
  const size_t n = (size_t)MAP_W * MAP_H * N_MAPS;
  VtImage maps[N_MAPS], all = { NULL, (int64_t)n, 1, (int64_t)n * 4, VITRAIL_F32 }, host = all;
  float *got[2] = { malloc(n * sizeof(float)), malloc(n * sizeof(float)) };
  double ms[2], worst = 0;
  VtGlrlmWindows args = { .src = vt_image_window(&b->levels[0], 0, 0, MAP_W, MAP_H),
                          .dst = maps,
                          .features = ALL & ~(uint32_t)ENTROPY,
                          .aggregates = 1,
                          .n_levels = N_LEVELS,
                          .half = 7,
                          .step = 1 };
  bool ok = got[0] && got[1] && backend_of(0)->alloc(b->devices[0], n * sizeof(float), &all.data) == VITRAIL_OK;
  for (int k = 0; k < N_MAPS; k++)
    maps[k] = (VtImage){ (float *)all.data + (size_t)k * MAP_W * MAP_H, MAP_W, MAP_H, MAP_W * 4, VITRAIL_F32 };
  for (int single = 0; single < 2 && ok; single++)
    for (int run = 0; run < 3 && ok; run++) {
      const double before = vt_bench_now();
      ok = (single ? vt_gpu_glrlm_primitives_f32 : vt_gpu_glrlm_primitives)(b->devices[0], &args, NULL) == VITRAIL_OK;
      ms[single] = run == 0 || vt_bench_now() - before < ms[single] ? vt_bench_now() - before : ms[single];
      host.data = got[single];
      ok = ok && backend_of(0)->download(b->devices[0], &host, &all) == VITRAIL_OK;
    }
  for (size_t k = 0; k < n && ok; k++) {
    const double scale = fabs((double)got[0][k]) > 1e-3 ? fabs((double)got[0][k]) : 1e-3;
    worst = fmax(worst, fabs((double)got[1][k] - (double)got[0][k]) / scale);
  }
  if (ok)
    printf(
      "primitives, %d x %d, 15 x 15, 1 direction, 15 features: f64 %.1f ms, f32 %.1f ms, largest relative error %.2g\n",
      MAP_W, MAP_H, ms[0] * 1e3, ms[1] * 1e3, worst);
  b->n_wrong += !ok;
  backend_of(0)->free(b->devices[0], all.data);
  free(got[0]);
  free(got[1]);
}

int
main(int argc, char **argv)
{
  char reason[256] = "";
  uint32_t n_threads = VT_TEST_MAX_THREADS;
  const VtParallel parallel = vt_test_parallel(&n_threads);
  Bench b = { .n_runs = argc > 1 ? atoi(argv[1]) : 21 };
  b.n_runs = b.n_runs < 1 ? 1 : b.n_runs > MAX_RUNS ? MAX_RUNS : b.n_runs;
  if (backend_of(0)->probe(reason, sizeof reason) == 0
      || backend_of(0)->open(0, NULL, &b.devices[0], reason, sizeof reason) != VITRAIL_OK
      || backend_of(1)->open(0, &parallel, &b.devices[1], reason, sizeof reason) != VITRAIL_OK) {
    printf("%s\n", reason);
    return 77;
  }
  printf("%s: %d levels, mean of four directions\n", backend_of(0)->device_name(b.devices[0]), N_LEVELS);
  printf("| regions | size | features | device | CPU, %u threads | ratio | bytes |\n", n_threads);
  if (!make(&b)) {
    printf("no memory\n");
    return 1;
  }
  bench(&b, 10000, 32);
  bench(&b, MAX_ROIS, 32);
  bench(&b, 1000, 100);
  bench(&b, 200, 400);
  bench(&b, 1, SIDE);
  bench_primitives(&b);
  backend_of(0)->close(b.devices[0]);
  backend_of(1)->close(b.devices[1]);
  return b.n_wrong > 0;
}
