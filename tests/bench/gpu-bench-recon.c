/* SPDX-License-Identifier: MIT
 *
 * gpu-bench-recon.c: reconstruction, by every algorithm, on screens, on whole slides' worth of pixels, and on the worst
 * there is: a corridor, where the CPU's fh stands beside it. */
#include "gpu-bench.h"

#include <cuda_runtime_api.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MIN_RUNS = 3, SCREEN_WIDTH = 1920, SCREEN_HEIGHT = 1080, CORRIDOR_SIZE = 2048, N_CPU_RUNS = 5 };
enum { RECONSTRUCT_BYTES = 3 };      /* per pixel, that no program can do without */
static const double max_seconds = 4; /* per line, once there are MIN_RUNS */

/* [size][8 h-max, 8 sparse, 4 h-max, 4 sparse] and the squared distances: three or more independent programs agree. */
static const GpuBenchSums published[N_SIZES][4] = {
  { { 568312711, 0x10efe2790b14108d },
    { 571124716, 0x1105559daa6523a8 },
    { 563665704, 0x10cc726095d14f2d },
    { 566184432, 0x10dfaa20f36bec31 } },
  { { 2144158823, 0x3fe6a46353789962 },
    { 2150769036, 0x40190de37b37dac1 },
    { 2125569429, 0x3f58d2c6e33d0783 },
    { 2130852015, 0x3f811e1926ac894e } },
  { { 33681133202, 0xebc6bf7b719d829f },
    { 33851095962, 0xf0d77526b0e485f7 },
    { 33383698756, 0xe2e9685c3b9f646c },
    { 33533164132, 0xe75db48f6a799f98 } },
};

bool
gpu_bench_time(GpuBench *bench, const VtReconstructAlgorithm *algorithm, const VtReconstruct *args,
               const VtImage *start, double *ms, int *n)
{
  double total = 0;
  cudaEvent_t begin, end;
  if (cudaEventCreate(&begin) != cudaSuccess || cudaEventCreate(&end) != cudaSuccess)
    return false;
  for (int run = -1; run < MAX_RUNS && (run < MIN_RUNS || total < max_seconds * 1e3); run++) {
    if (cudaMemcpy(args->marker.data, start->data, (size_t)(start->stride * start->height), cudaMemcpyDeviceToDevice)
          != cudaSuccess
        || cudaDeviceSynchronize() != cudaSuccess)
      return false;
    float elapsed = 0; /* a run is over when it returns, so the events stand around all of it, its waits too */
    cudaEventRecord(begin, NULL);
    if (algorithm->run(bench->device, args, NULL) != VITRAIL_OK || cudaEventRecord(end, NULL) != cudaSuccess
        || cudaEventSynchronize(end) != cudaSuccess || cudaEventElapsedTime(&elapsed, begin, end) != cudaSuccess)
      return false;
    if (run >= 0) { /* the first one warms up */
      ms[run] = elapsed;
      total += ms[run];
      *n = run + 1;
    }
  }
  cudaEventDestroy(begin);
  cudaEventDestroy(end);
  return true;
}

static void
time_case(GpuBench *bench, const VtReconstructAlgorithm *algorithm, int i_size, int i_case)
{
  const int64_t size = gpu_bench_sizes[i_size];
  const int connectivity = i_case < 2 ? 8 : 4;
  double ms[MAX_RUNS];
  int n = 0;
  GpuBenchSums sums;
  VtImage start = { 0 };
  VtReconstruct args = { .connectivity = connectivity };
  char what[64];
  snprintf(what, sizeof what, "%s %d-conn %s", algorithm->id, connectivity, i_case % 2 ? "sparse" : "h-max");
  if (gpu_bench_image(bench, &start, size, VITRAIL_U8, 1 + i_case % 2)
      && gpu_bench_image(bench, &args.marker, size, VITRAIL_U8, -1)
      && gpu_bench_image(bench, &args.mask, size, VITRAIL_U8, 0)
      && gpu_bench_time(bench, algorithm, &args, &start, ms, &n) && gpu_bench_add_up(bench, &args.marker, &sums))
    gpu_bench_print(bench, what, size, RECONSTRUCT_BYTES, ms, n, &sums, &published[i_size][i_case]);
  else
    gpu_bench_failed(bench, what, size);
  bench->backend->free(bench->device, start.data);
  bench->backend->free(bench->device, args.marker.data);
  bench->backend->free(bench->device, args.mask.data);
}

/* A screen: all algorithms must agree with the first one. */
static void
time_screen(GpuBench *bench, const VtReconstructAlgorithm *algorithm, int i_case, GpuBenchSums *expected)
{
  const int connectivity = i_case < 2 ? 8 : 4;
  double ms[MAX_RUNS];
  int n = 0;
  GpuBenchSums sums;
  VtImage start = { 0 };
  VtReconstruct args = { .connectivity = connectivity };
  char what[64];
  snprintf(what, sizeof what, "%s %d-conn %s", algorithm->id, connectivity, i_case % 2 ? "sparse" : "h-max");
  if (gpu_bench_corner(bench, &start, SCREEN_WIDTH, SCREEN_HEIGHT, VITRAIL_U8, 1 + i_case % 2)
      && gpu_bench_corner(bench, &args.marker, SCREEN_WIDTH, SCREEN_HEIGHT, VITRAIL_U8, -1)
      && gpu_bench_corner(bench, &args.mask, SCREEN_WIDTH, SCREEN_HEIGHT, VITRAIL_U8, 0)
      && gpu_bench_time(bench, algorithm, &args, &start, ms, &n) && gpu_bench_add_up(bench, &args.marker, &sums)) {
    if (expected->plain == 0)
      *expected = sums;
    const bool right = sums.plain == expected->plain && sums.weighted == expected->weighted;
    qsort(ms, (size_t)n, sizeof *ms, gpu_bench_compare);
    printf("%-28s %dx%d %8.3f %10.3f %26d  %s\n", what, SCREEN_WIDTH, SCREEN_HEIGHT, ms[n / 2], ms[0], n,
           right ? "OK" : "WRONG");
    bench->n_wrong += !right;
  } else {
    gpu_bench_failed(bench, what, SCREEN_WIDTH);
  }
  bench->backend->free(bench->device, start.data);
  bench->backend->free(bench->device, args.marker.data);
  bench->backend->free(bench->device, args.mask.data);
}

/* A corridor one pixel wide through every second row, joined at alternating ends: one value walks 2^21 pixels. */
static uint8_t
corridor(int64_t x, int64_t y)
{
  return y % 2 == 0 || x == (y % 4 == 1 ? CORRIDOR_SIZE - 1 : 0) ? 255 : 0;
}

static uint8_t
corridor_start(int64_t x, int64_t y)
{
  return x == 0 && y == 0 ? 255 : 0;
}

static uint64_t
corridor_filled(int64_t x, int64_t y)
{
  return corridor(x, y);
}

static void
time_corridor(GpuBench *bench, const VtReconstructAlgorithm *algorithm, int connectivity)
{
  const int64_t size = CORRIDOR_SIZE;
  const GpuBenchSums expected = gpu_bench_sums_of(size, corridor_filled);
  double ms[MAX_RUNS];
  int n = 0;
  GpuBenchSums sums;
  VtImage start = { 0 };
  VtReconstruct args = { .connectivity = connectivity };
  char what[64];
  snprintf(what, sizeof what, "%s %d-conn corridor", algorithm->id, connectivity);
  if (gpu_bench_made_image(bench, &start, size, corridor_start)
      && gpu_bench_image(bench, &args.marker, size, VITRAIL_U8, -1)
      && gpu_bench_made_image(bench, &args.mask, size, corridor)
      && gpu_bench_time(bench, algorithm, &args, &start, ms, &n) && gpu_bench_add_up(bench, &args.marker, &sums))
    gpu_bench_print(bench, what, size, RECONSTRUCT_BYTES, ms, n, &sums, &expected);
  else
    gpu_bench_failed(bench, what, size);
  bench->backend->free(bench->device, start.data);
  bench->backend->free(bench->device, args.marker.data);
  bench->backend->free(bench->device, args.mask.data);
}

/* Other programs, measured once on an H200 on these images; see results/. */
void
gpu_bench_peers(void)
{
  puts("\npeers on one H200, 8-conn        16384 (ms)      4096 (ms)\n"
       "SR_GPU (Karas) h-max                513.0           71.2\n"
       "FH_GPU (Teodoro) h-max              149.0           24.3\n"
       "FH_GPU, best settings, h-max         53.3            9.0\n"
       "FH_GPU, best settings, sparse        58.0           10.2\n"
       "FH_GPU, best, 4-conn h-max           83.8            9.7\n"
       "FH_GPU, best, 4-conn sparse         101.0           11.1\n"
       "cuCIM reconstruction, h-max       not run          167.0");
}

static double
now_ms(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

/* The CPU's fh on a corridor, on one thread: no algorithm here may need more. */
static void
time_cpu_corridor(GpuBench *bench, int connectivity)
{
  const int64_t size = CORRIDOR_SIZE;
  const GpuBenchSums expected = gpu_bench_sums_of(size, corridor_filled);
  const VtReconstructAlgorithm *fh = vt_cpu_backend()->reconstruct;
  uint8_t *marker = malloc((size_t)(size * size)), *mask = malloc((size_t)(size * size));
  double ms[N_CPU_RUNS];
  int n = 0;
  GpuBenchSums sums = { 0, 0 };
  char what[64];
  snprintf(what, sizeof what, "cpu fh %d-conn corridor", connectivity);
  while (strcmp(fh->id, "fh") != 0)
    fh++;
  for (; marker && mask && n < N_CPU_RUNS; n++) {
    for (int64_t i = 0; i < size * size; i++) {
      marker[i] = corridor_start(i % size, i / size);
      mask[i] = corridor(i % size, i / size);
    }
    const VtReconstruct args = { { marker, size, size, size, VITRAIL_U8 },
                                 { mask, size, size, size, VITRAIL_U8 },
                                 .connectivity = connectivity };
    const double before = now_ms();
    if (fh->run(NULL, &args, NULL) != VITRAIL_OK)
      break;
    ms[n] = now_ms() - before;
  }
  for (int64_t i = 0; n == N_CPU_RUNS && i < size * size; i++) {
    sums.plain += marker[i];
    sums.weighted += marker[i] * (uint64_t)(uint32_t)((uint64_t)i * 2654435761u);
  }
  if (n == N_CPU_RUNS)
    gpu_bench_print(bench, what, size, RECONSTRUCT_BYTES, ms, n, &sums, &expected);
  else
    bench->n_wrong++;
  free(marker);
  free(mask);
}

static bool
wanted(const char *only, const char *id)
{
  return !only || strcmp(only, id) == 0;
}

void
gpu_bench_screens(GpuBench *bench, const char *only)
{
  for (int i_case = 0; i_case < 4; i_case++) {
    GpuBenchSums expected = { 0, 0 };
    for (const VtReconstructAlgorithm *algorithm = bench->backend->reconstruct; algorithm->id; algorithm++)
      if (wanted(only, algorithm->id))
        time_screen(bench, algorithm, i_case, &expected);
  }
}

void
gpu_bench_reconstruct(GpuBench *bench, const char *only, int i_size)
{
  for (const VtReconstructAlgorithm *algorithm = bench->backend->reconstruct; algorithm->id; algorithm++)
    for (int i_case = 0; i_case < 4 && wanted(only, algorithm->id); i_case++)
      time_case(bench, algorithm, i_size, i_case);
}

void
gpu_bench_corridors(GpuBench *bench, const char *only)
{
  for (const VtReconstructAlgorithm *algorithm = bench->backend->reconstruct; algorithm->id; algorithm++)
    for (int connectivity = 8; connectivity >= 4 && wanted(only, algorithm->id); connectivity -= 4)
      time_corridor(bench, algorithm, connectivity);
  for (int connectivity = 8; connectivity >= 4 && wanted(only, "tile"); connectivity -= 4)
    time_cpu_corridor(bench, connectivity);
}
