/* SPDX-License-Identifier: MIT
 *
 * gpu-bench.c: times of the CUDA backend on device-resident images, with the answers' checksums beside the expected
 * ones. Usage: gpu-bench [LARGEST_SIZE [ALGORITHM|edt|types|small]]. Exit status 1 when an answer is wrong, 77 when
 * there is no device. */
#include "gpu-bench.h"
#include "../support/bench-image.h"

#include <cuda_runtime_api.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { SEED = 1, N_THREADS = 16, WORST_EDT_SIZE = 8192 };
/* Bytes per pixel no program can do without: each input read once, each output written once. */
enum { COPY_BYTES = 2, COLUMNS_BYTES = 5, ROWS_BYTES = 8, EDT_BYTES = 5 };
const int64_t gpu_bench_sizes[N_SIZES] = { 2048, 4096, 16384 };

/* Squared distances: three or more independent programs agree. */
static const GpuBenchSums published_edt[N_SIZES] = {
  { 13163294216, 0x88509b90f32c8cea },
  { 37203910369, 0x54b82c8ad2c16424 },
  { 545662519471, 0x85fcd765ac0f53b2 },
};

typedef struct Job {
  GpuBench *bench;
  int64_t first_row;
  pthread_t thread;
  bool started;
} Job;

static void *
make_rows(void *data)
{
  const Job *job = data;
  const int64_t size = job->bench->size;
  for (int64_t y = job->first_row; y < size; y += N_THREADS)
    for (int64_t x = 0; x < size; x++) {
      const uint8_t mask = vt_bench_mask((uint32_t)x, (uint32_t)y, SEED);
      job->bench->host[0][y * size + x] = mask;
      job->bench->host[1][y * size + x] = vt_bench_hmax(mask);
      job->bench->host[2][y * size + x] = vt_bench_sparse(mask, (uint32_t)x, (uint32_t)y, SEED);
      job->bench->host[3][y * size + x] = mask > 128;
    }
  return NULL;
}

static bool
make_images(GpuBench *bench)
{
  Job jobs[N_THREADS];
  for (int k = 0; k < 4; k++)
    if (!(bench->host[k] = malloc((size_t)(bench->size * bench->size))))
      return false;
  for (int k = 0; k < N_THREADS; k++) {
    jobs[k] = (Job){ .bench = bench, .first_row = k };
    jobs[k].started = pthread_create(&jobs[k].thread, NULL, make_rows, &jobs[k]) == 0;
  }
  for (int k = 0; k < N_THREADS; k++)
    if (jobs[k].started)
      pthread_join(jobs[k].thread, NULL);
    else
      make_rows(&jobs[k]);
  return true;
}

static double
now_ms(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

int
gpu_bench_compare(const void *a, const void *b)
{
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

bool
gpu_bench_corner(GpuBench *bench, VtImage *image, int64_t width, int64_t height, VtType type, int k)
{
  const int64_t stride = width * (int64_t)vt_type_size(type);
  *image = (VtImage){ NULL, width, height, stride, type };
  if (bench->backend->alloc(bench->device, (size_t)(stride * height), &image->data) != VITRAIL_OK)
    return false;
  if (k < 0)
    return true;
  const VtImage host = { bench->host[k], width, height, bench->size, type };
  return bench->backend->upload(bench->device, image, &host) == VITRAIL_OK;
}

bool
gpu_bench_image(GpuBench *bench, VtImage *image, int64_t size, VtType type, int k)
{
  return gpu_bench_corner(bench, image, size, size, type, k);
}

bool
gpu_bench_add_up(GpuBench *bench, const VtImage *image, GpuBenchSums *sums)
{
  VtImage host = *image;
  *sums = (GpuBenchSums){ 0, 0 };
  if (!(host.data = malloc((size_t)(host.stride * host.height))))
    return false;
  const bool done = bench->backend->download(bench->device, &host, image) == VITRAIL_OK;
  const int64_t n = done ? host.width * host.height : 0;
  for (int64_t i = 0; i < n; i++) {
    const uint64_t value = host.type == VITRAIL_U8 ? ((uint8_t *)host.data)[i] : (uint64_t)((int64_t *)host.data)[i];
    sums->plain += value;
    sums->weighted += value * (uint32_t)((uint64_t)i * 2654435761u);
  }
  free(host.data);
  return done;
}

void
gpu_bench_print(GpuBench *bench, const char *what, int64_t size, int bytes, double *ms, int n, const GpuBenchSums *got,
                const GpuBenchSums *expected)
{
  const bool right = !expected || (got->plain == expected->plain && got->weighted == expected->weighted);
  qsort(ms, (size_t)n, sizeof *ms, gpu_bench_compare);
  const double ns_per_px = ms[n / 2] * 1e6 / ((double)size * (double)size);
  printf("%-28s %6" PRId64 " %10.3f %10.3f %9.4f %6.2f%% %4d  %s", what, size, ms[n / 2], ms[0], ns_per_px,
         100 * bytes * bench->copy_ns / ns_per_px, n, expected ? right ? "OK" : "WRONG" : "");
  if (!right)
    printf(" %" PRIu64 "/%016" PRIx64, got->plain, got->weighted);
  putchar('\n');
  fflush(stdout);
  bench->n_wrong += !right;
}

void
gpu_bench_failed(GpuBench *bench, const char *what, int64_t size)
{
  printf("%-28s %6" PRId64 " FAILED: %s\n", what, size, bench->backend->last_error(bench->device));
  bench->n_wrong++;
}

/* Both passes at once, to f32 for the time and to squares, compared with those there are, for the sums. */
static bool
time_fused(GpuBench *bench, const VtImage *src, const VtImage *f32, const VtImage *squared, double *ms,
           GpuBenchSums *sums)
{
  const VtDistance args = { .src = *src, .root = *f32, .weight_x = 1, .weight_y = 1, .scale = 1 };
  const VtDistance exact = { .src = *src, .squared = *squared, .weight_x = 1, .weight_y = 1, .scale = 1 };
  for (int run = -1; run < MAX_RUNS; run++) {
    const double before = now_ms();
    if (bench->backend->distance->run(bench->device, &args, NULL) != VITRAIL_OK)
      return false;
    if (run >= 0)
      ms[run] = now_ms() - before;
  }
  return bench->backend->distance->run(bench->device, &exact, NULL) == VITRAIL_OK
         && gpu_bench_add_up(bench, squared, sums);
}

/* src is on the device. */
static void
time_edt(GpuBench *bench, const char *what, const VtImage *src, const GpuBenchSums *expected)
{
  const int64_t size = src->width;
  double columns_ms[MAX_RUNS], rows_ms[MAX_RUNS], both_ms[MAX_RUNS], fused_ms[MAX_RUNS];
  char name[64];
  GpuBenchSums sums, fused_sums;
  VtEdt columns = { .src = *src, .scale = 1 }, rows = { .scale = 1 }, squared = { .scale = 1 };
  bool done = gpu_bench_image(bench, &columns.dst, size, VITRAIL_I32, -1)
              && gpu_bench_image(bench, &rows.dst, size, VITRAIL_F32, -1)
              && gpu_bench_image(bench, &squared.dst, size, VT_I64, -1);
  rows.src = squared.src = columns.dst;
  for (int run = -1; done && run < MAX_RUNS; run++) {
    const double start = now_ms();
    done = bench->backend->edt_columns(bench->device, &columns, NULL) == VITRAIL_OK;
    const double middle = now_ms();
    done = done && bench->backend->edt_rows(bench->device, &rows, NULL) == VITRAIL_OK;
    if (run >= 0) {
      columns_ms[run] = middle - start;
      rows_ms[run] = now_ms() - middle;
      both_ms[run] = columns_ms[run] + rows_ms[run];
    }
  }
  if (done && bench->backend->edt_rows(bench->device, &squared, NULL) == VITRAIL_OK
      && gpu_bench_add_up(bench, &squared.dst, &sums)
      && time_fused(bench, src, &rows.dst, &squared.dst, fused_ms, &fused_sums)) {
    gpu_bench_print(bench, what, size, EDT_BYTES, fused_ms, MAX_RUNS, &fused_sums, expected ? expected : &sums);
    snprintf(name, sizeof name, "%s columns", what);
    gpu_bench_print(bench, name, size, COLUMNS_BYTES, columns_ms, MAX_RUNS, NULL, NULL);
    snprintf(name, sizeof name, "%s rows", what);
    gpu_bench_print(bench, name, size, ROWS_BYTES, rows_ms, MAX_RUNS, NULL, NULL);
    snprintf(name, sizeof name, "%s two passes", what);
    gpu_bench_print(bench, name, size, EDT_BYTES, both_ms, MAX_RUNS, &sums, expected);
  } else {
    gpu_bench_failed(bench, what, size);
  }
  bench->backend->free(bench->device, columns.dst.data);
  bench->backend->free(bench->device, rows.dst.data);
  bench->backend->free(bench->device, squared.dst.data);
}

static void
bench_edt(GpuBench *bench, int i_size)
{
  VtImage src = { 0 };
  if (gpu_bench_image(bench, &src, gpu_bench_sizes[i_size], VITRAIL_U8, 3))
    time_edt(bench, "edt", &src, &published_edt[i_size]);
  else
    gpu_bench_failed(bench, "edt", gpu_bench_sizes[i_size]);
  bench->backend->free(bench->device, src.data);
}

/* A made image: the pixels as uploaded, and the answer there. */
typedef struct Made {
  uint8_t (*pixel)(int64_t x, int64_t y);
  uint64_t (*answer)(int64_t x, int64_t y);
} Made;

bool
gpu_bench_made_image(GpuBench *bench, VtImage *image, int64_t size, uint8_t (*pixel)(int64_t x, int64_t y))
{
  VtImage host = { malloc((size_t)(size * size)), size, size, size, VITRAIL_U8 };
  if (!host.data || !gpu_bench_image(bench, image, size, VITRAIL_U8, -1)) {
    free(host.data);
    return false;
  }
  for (int64_t i = 0; i < size * size; i++)
    ((uint8_t *)host.data)[i] = pixel(i % size, i / size);
  const bool done = bench->backend->upload(bench->device, image, &host) == VITRAIL_OK;
  free(host.data);
  return done;
}

GpuBenchSums
gpu_bench_sums_of(int64_t size, uint64_t (*answer)(int64_t x, int64_t y))
{
  GpuBenchSums sums = { 0, 0 };
  for (int64_t i = 0; i < size * size; i++) {
    const uint64_t value = answer(i % size, i / size);
    sums.plain += value;
    sums.weighted += value * (uint32_t)((uint64_t)i * 2654435761u);
  }
  return sums;
}

static uint8_t
foreground(int64_t x, int64_t y)
{
  return 1;
}

static uint64_t
no_distance(int64_t x, int64_t y)
{
  return VT_EDT_NONE64;
}

static uint8_t
but_one(int64_t x, int64_t y)
{
  return x != 1000 || y != 7000;
}

static uint64_t
distance_to_one(int64_t x, int64_t y)
{
  return (uint64_t)((x - 1000) * (x - 1000) + (y - 7000) * (y - 7000));
}

static void
bench_worst_edt(GpuBench *bench)
{
  static const char *const names[] = { "edt no background", "edt one background px" };
  static const Made made[] = { { foreground, no_distance }, { but_one, distance_to_one } };
  for (int k = 0; k < 2; k++) {
    VtImage src = { 0 };
    const GpuBenchSums expected = gpu_bench_sums_of(WORST_EDT_SIZE, made[k].answer);
    if (gpu_bench_made_image(bench, &src, WORST_EDT_SIZE, made[k].pixel))
      time_edt(bench, names[k], &src, &expected);
    else
      gpu_bench_failed(bench, names[k], WORST_EDT_SIZE);
    bench->backend->free(bench->device, src.data);
  }
}

/* What the device can do at best: bytes read plus bytes written per second of a plain copy. */
static void
bench_copy(GpuBench *bench, int64_t size)
{
  VtImage a = { 0 }, b = { 0 };
  double ms[MAX_RUNS];
  bool done = gpu_bench_image(bench, &a, size, VITRAIL_U8, 0) && gpu_bench_image(bench, &b, size, VITRAIL_U8, -1);
  for (int run = -1; done && run < MAX_RUNS; run++) {
    const double before = now_ms();
    done = cudaMemcpy(b.data, a.data, (size_t)(size * size), cudaMemcpyDeviceToDevice) == cudaSuccess
           && cudaDeviceSynchronize() == cudaSuccess;
    if (run >= 0)
      ms[run] = now_ms() - before;
  }
  if (done) {
    qsort(ms, MAX_RUNS, sizeof *ms, gpu_bench_compare);
    const double ns = ms[MAX_RUNS / 2] * 1e6 / (COPY_BYTES * (double)size * (double)size);
    if (bench->copy_ns == 0)
      bench->copy_ns = ns;
    gpu_bench_print(bench, "copy", size, COPY_BYTES, ms, MAX_RUNS, NULL, NULL);
    printf("%-28s %6" PRId64 " %10.1f GB/s\n", "copy, read + write", size, 1 / ns);
  } else {
    gpu_bench_failed(bench, "copy", size);
  }
  bench->backend->free(bench->device, a.data);
  bench->backend->free(bench->device, b.data);
}

int
main(int argc, char **argv)
{
  const int64_t largest = argc > 1 ? strtoll(argv[1], NULL, 10) : gpu_bench_sizes[N_SIZES - 1];
  const char *only = argc > 2 ? argv[2] : NULL;
  GpuBench bench = { .backend = vt_gpu_backend() };
  char reason[256] = "";
  if (bench.backend->probe(reason, sizeof reason) == 0
      || bench.backend->open(0, NULL, &bench.device, reason, sizeof reason) != VITRAIL_OK) {
    printf("skipped: %s\n", reason);
    return 77;
  }
  for (int i = 0; i < N_SIZES; i++)
    if (gpu_bench_sizes[i] <= largest)
      bench.size = gpu_bench_sizes[i];
  if (bench.size == 0 || !make_images(&bench)) {
    fprintf(stderr, "No size that small, or no memory for the images.\n");
    return 2;
  }
  printf("%s\n%-28s %6s %10s %10s %9s %7s %4s  %s\n", bench.backend->device_name(bench.device), "case", "size",
         "median ms", "best ms", "ns/px", "of copy", "runs", "checksum");
  bench_copy(&bench, bench.size);
  gpu_bench_screens(&bench, only);
  for (int i = 0; i < N_SIZES && gpu_bench_sizes[i] <= largest; i++) {
    gpu_bench_reconstruct(&bench, only, i);
    if (!only || strcmp(only, "edt") == 0)
      bench_edt(&bench, i);
  }
  if (!only || strcmp(only, "edt") == 0)
    bench_worst_edt(&bench);
  for (int i = 0; i < N_SIZES - 1 && gpu_bench_sizes[i] <= largest && (!only || strcmp(only, "types") == 0); i++)
    gpu_bench_types(&bench, i);
  if (!only || strcmp(only, "small") == 0)
    gpu_bench_small(&bench);
  gpu_bench_corridors(&bench, only);
  gpu_bench_peers();
  bench.backend->close(bench.device);
  for (int k = 0; k < 4; k++)
    free(bench.host[k]);
  printf("%d wrong\n", bench.n_wrong);
  return bench.n_wrong ? 1 : 0;
}
