/* SPDX-License-Identifier: MIT
 *
 * gpu-bench.c: times of the CUDA backend on device-resident images, with the answers' checksums beside the expected
 * ones. Usage: gpu-bench [LARGEST_SIZE [ALGORITHM|edt]]. Exit status 1 when an answer is wrong, 77 when there is no
 * device. */
#include "../support/bench-image.h"
#include "vt-backend.h"

#include <cuda_runtime_api.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { N_SIZES = 3, MAX_RUNS = 21, MIN_RUNS = 3, SCREEN_WIDTH = 1920, SCREEN_HEIGHT = 1080, SEED = 1, N_THREADS = 16 };
enum { CORRIDOR_SIZE = 2048, WORST_EDT_SIZE = 8192 };
/* Bytes per pixel no program can do without: each input read once, each output written once. */
enum { COPY_BYTES = 2, RECONSTRUCT_BYTES = 3, COLUMNS_BYTES = 5, ROWS_BYTES = 8, EDT_BYTES = 5 };
static const int64_t sizes[N_SIZES] = { 2048, 4096, 16384 };
static const double max_seconds = 4; /* per line, once there are MIN_RUNS */

typedef struct Sums {
  uint64_t plain, weighted; /* of value, and of value * (index * 2654435761 mod 2^32) */
} Sums;

/* [size][8 h-max, 8 sparse, 4 h-max, 4 sparse] and the squared distances: three or more independent programs agree. */
static const Sums published[N_SIZES][4] = {
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
static const Sums published_edt[N_SIZES] = {
  { 13163294216, 0x88509b90f32c8cea },
  { 37203910369, 0x54b82c8ad2c16424 },
  { 545662519471, 0x85fcd765ac0f53b2 },
};

typedef struct Bench {
  const VtBackend *backend;
  VtDevice *device;
  int64_t size;     /* of the host images, the largest of the sizes */
  uint8_t *host[4]; /* mask, h-max marker, sparse marker, foreground */
  double copy_ns;   /* of a byte read or written by a copy of the largest image; 0 until it has been timed */
  int n_wrong;
} Bench;

typedef struct Job {
  Bench *bench;
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
make_images(Bench *bench)
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

static int
compare_doubles(const void *a, const void *b)
{
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* An image on the device, compact; filled from the corner of host image `k` unless k < 0. */
static bool
device_corner(Bench *bench, VtImage *image, int64_t width, int64_t height, VtType type, int k)
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

static bool
device_image(Bench *bench, VtImage *image, int64_t size, VtType type, int k)
{
  return device_corner(bench, image, size, size, type, k);
}

static bool
add_up(Bench *bench, const VtImage *image, Sums *sums)
{
  VtImage host = *image;
  *sums = (Sums){ 0, 0 };
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

/* `bytes` per pixel at the speed of a copy, over the time taken, is the share of the copy bandwidth. */
static void
print_line(Bench *bench, const char *what, int64_t size, int bytes, double *ms, int n, const Sums *got,
           const Sums *expected)
{
  const bool right = !expected || (got->plain == expected->plain && got->weighted == expected->weighted);
  qsort(ms, (size_t)n, sizeof *ms, compare_doubles);
  const double ns_per_px = ms[n / 2] * 1e6 / ((double)size * (double)size);
  printf("%-28s %6" PRId64 " %10.3f %10.3f %9.4f %6.2f%% %4d  %s", what, size, ms[n / 2], ms[0], ns_per_px,
         100 * bytes * bench->copy_ns / ns_per_px, n, expected ? right ? "OK" : "WRONG" : "");
  if (!right)
    printf(" %" PRIu64 "/%016" PRIx64, got->plain, got->weighted);
  putchar('\n');
  fflush(stdout);
  bench->n_wrong += !right;
}

static void
print_failure(Bench *bench, const char *what, int64_t size)
{
  printf("%-28s %6" PRId64 " FAILED: %s\n", what, size, bench->backend->last_error(bench->device));
  bench->n_wrong++;
}

static bool
time_reconstruct(Bench *bench, const VtReconstructAlgorithm *algorithm, const VtReconstruct *args, const VtImage *start,
                 double *ms, int *n)
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
bench_reconstruct(Bench *bench, const VtReconstructAlgorithm *algorithm, int i_size, int i_case)
{
  const int64_t size = sizes[i_size];
  const int connectivity = i_case < 2 ? 8 : 4;
  double ms[MAX_RUNS];
  int n = 0;
  Sums sums;
  VtImage start = { 0 };
  VtReconstruct args = { .connectivity = connectivity };
  char what[64];
  snprintf(what, sizeof what, "%s %d-conn %s", algorithm->id, connectivity, i_case % 2 ? "sparse" : "h-max");
  if (device_image(bench, &start, size, VITRAIL_U8, 1 + i_case % 2)
      && device_image(bench, &args.marker, size, VITRAIL_U8, -1) && device_image(bench, &args.mask, size, VITRAIL_U8, 0)
      && time_reconstruct(bench, algorithm, &args, &start, ms, &n) && add_up(bench, &args.marker, &sums))
    print_line(bench, what, size, RECONSTRUCT_BYTES, ms, n, &sums, &published[i_size][i_case]);
  else
    print_failure(bench, what, size);
  bench->backend->free(bench->device, start.data);
  bench->backend->free(bench->device, args.marker.data);
  bench->backend->free(bench->device, args.mask.data);
}

/* A screen: all algorithms must agree with the first one. */
static void
bench_screen(Bench *bench, const VtReconstructAlgorithm *algorithm, int i_case, Sums *expected)
{
  const int connectivity = i_case < 2 ? 8 : 4;
  double ms[MAX_RUNS];
  int n = 0;
  Sums sums;
  VtImage start = { 0 };
  VtReconstruct args = { .connectivity = connectivity };
  char what[64];
  snprintf(what, sizeof what, "%s %d-conn %s", algorithm->id, connectivity, i_case % 2 ? "sparse" : "h-max");
  if (device_corner(bench, &start, SCREEN_WIDTH, SCREEN_HEIGHT, VITRAIL_U8, 1 + i_case % 2)
      && device_corner(bench, &args.marker, SCREEN_WIDTH, SCREEN_HEIGHT, VITRAIL_U8, -1)
      && device_corner(bench, &args.mask, SCREEN_WIDTH, SCREEN_HEIGHT, VITRAIL_U8, 0)
      && time_reconstruct(bench, algorithm, &args, &start, ms, &n) && add_up(bench, &args.marker, &sums)) {
    if (expected->plain == 0)
      *expected = sums;
    const bool right = sums.plain == expected->plain && sums.weighted == expected->weighted;
    qsort(ms, (size_t)n, sizeof *ms, compare_doubles);
    printf("%-28s %dx%d %8.3f %10.3f %26d  %s\n", what, SCREEN_WIDTH, SCREEN_HEIGHT, ms[n / 2], ms[0], n,
           right ? "OK" : "WRONG");
    bench->n_wrong += !right;
  } else {
    print_failure(bench, what, SCREEN_WIDTH);
  }
  bench->backend->free(bench->device, start.data);
  bench->backend->free(bench->device, args.marker.data);
  bench->backend->free(bench->device, args.mask.data);
}

/* Other programs, measured once on an H200 on these images; see results/. */
static void
print_peers(void)
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

/* Both passes at once, to f32 for the time and to squares, compared with those there are, for the sums. */
static bool
time_fused(Bench *bench, const VtImage *src, const VtImage *f32, const VtImage *squared, double *ms, Sums *sums)
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
  return bench->backend->distance->run(bench->device, &exact, NULL) == VITRAIL_OK && add_up(bench, squared, sums);
}

/* src is on the device. */
static void
time_edt(Bench *bench, const char *what, const VtImage *src, const Sums *expected)
{
  const int64_t size = src->width;
  double columns_ms[MAX_RUNS], rows_ms[MAX_RUNS], both_ms[MAX_RUNS], fused_ms[MAX_RUNS];
  char name[64];
  Sums sums, fused_sums;
  VtEdt columns = { .src = *src, .scale = 1 }, rows = { .scale = 1 }, squared = { .scale = 1 };
  bool done = device_image(bench, &columns.dst, size, VITRAIL_I32, -1)
              && device_image(bench, &rows.dst, size, VITRAIL_F32, -1)
              && device_image(bench, &squared.dst, size, VT_I64, -1);
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
      && add_up(bench, &squared.dst, &sums) && time_fused(bench, src, &rows.dst, &squared.dst, fused_ms, &fused_sums)) {
    print_line(bench, what, size, EDT_BYTES, fused_ms, MAX_RUNS, &fused_sums, expected ? expected : &sums);
    snprintf(name, sizeof name, "%s columns", what);
    print_line(bench, name, size, COLUMNS_BYTES, columns_ms, MAX_RUNS, NULL, NULL);
    snprintf(name, sizeof name, "%s rows", what);
    print_line(bench, name, size, ROWS_BYTES, rows_ms, MAX_RUNS, NULL, NULL);
    snprintf(name, sizeof name, "%s two passes", what);
    print_line(bench, name, size, EDT_BYTES, both_ms, MAX_RUNS, &sums, expected);
  } else {
    print_failure(bench, what, size);
  }
  bench->backend->free(bench->device, columns.dst.data);
  bench->backend->free(bench->device, rows.dst.data);
  bench->backend->free(bench->device, squared.dst.data);
}

static void
bench_edt(Bench *bench, int i_size)
{
  VtImage src = { 0 };
  if (device_image(bench, &src, sizes[i_size], VITRAIL_U8, 3))
    time_edt(bench, "edt", &src, &published_edt[i_size]);
  else
    print_failure(bench, "edt", sizes[i_size]);
  bench->backend->free(bench->device, src.data);
}

/* A made image: the pixels as uploaded, and the answer there. */
typedef struct Made {
  uint8_t (*pixel)(int64_t x, int64_t y);
  uint64_t (*answer)(int64_t x, int64_t y);
} Made;

static bool
made_image(Bench *bench, VtImage *image, int64_t size, uint8_t (*pixel)(int64_t x, int64_t y))
{
  VtImage host = { malloc((size_t)(size * size)), size, size, size, VITRAIL_U8 };
  if (!host.data || !device_image(bench, image, size, VITRAIL_U8, -1)) {
    free(host.data);
    return false;
  }
  for (int64_t i = 0; i < size * size; i++)
    ((uint8_t *)host.data)[i] = pixel(i % size, i / size);
  const bool done = bench->backend->upload(bench->device, image, &host) == VITRAIL_OK;
  free(host.data);
  return done;
}

static Sums
sums_of(int64_t size, uint64_t (*answer)(int64_t x, int64_t y))
{
  Sums sums = { 0, 0 };
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
bench_worst_edt(Bench *bench)
{
  static const char *const names[] = { "edt no background", "edt one background px" };
  static const Made made[] = { { foreground, no_distance }, { but_one, distance_to_one } };
  for (int k = 0; k < 2; k++) {
    VtImage src = { 0 };
    const Sums expected = sums_of(WORST_EDT_SIZE, made[k].answer);
    if (made_image(bench, &src, WORST_EDT_SIZE, made[k].pixel))
      time_edt(bench, names[k], &src, &expected);
    else
      print_failure(bench, names[k], WORST_EDT_SIZE);
    bench->backend->free(bench->device, src.data);
  }
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
bench_corridor(Bench *bench, const VtReconstructAlgorithm *algorithm, int connectivity)
{
  const int64_t size = CORRIDOR_SIZE;
  const Sums expected = sums_of(size, corridor_filled);
  double ms[MAX_RUNS];
  int n = 0;
  Sums sums;
  VtImage start = { 0 };
  VtReconstruct args = { .connectivity = connectivity };
  char what[64];
  snprintf(what, sizeof what, "%s %d-conn corridor", algorithm->id, connectivity);
  if (made_image(bench, &start, size, corridor_start) && device_image(bench, &args.marker, size, VITRAIL_U8, -1)
      && made_image(bench, &args.mask, size, corridor) && time_reconstruct(bench, algorithm, &args, &start, ms, &n)
      && add_up(bench, &args.marker, &sums))
    print_line(bench, what, size, RECONSTRUCT_BYTES, ms, n, &sums, &expected);
  else
    print_failure(bench, what, size);
  bench->backend->free(bench->device, start.data);
  bench->backend->free(bench->device, args.marker.data);
  bench->backend->free(bench->device, args.mask.data);
}

/* What the device can do at best: bytes read plus bytes written per second of a plain copy. */
static void
bench_copy(Bench *bench, int64_t size)
{
  VtImage a = { 0 }, b = { 0 };
  double ms[MAX_RUNS];
  bool done = device_image(bench, &a, size, VITRAIL_U8, 0) && device_image(bench, &b, size, VITRAIL_U8, -1);
  for (int run = -1; done && run < MAX_RUNS; run++) {
    const double before = now_ms();
    done = cudaMemcpy(b.data, a.data, (size_t)(size * size), cudaMemcpyDeviceToDevice) == cudaSuccess
           && cudaDeviceSynchronize() == cudaSuccess;
    if (run >= 0)
      ms[run] = now_ms() - before;
  }
  if (done) {
    qsort(ms, MAX_RUNS, sizeof *ms, compare_doubles);
    const double ns = ms[MAX_RUNS / 2] * 1e6 / (COPY_BYTES * (double)size * (double)size);
    if (bench->copy_ns == 0)
      bench->copy_ns = ns;
    print_line(bench, "copy", size, COPY_BYTES, ms, MAX_RUNS, NULL, NULL);
    printf("%-28s %6" PRId64 " %10.1f GB/s\n", "copy, read + write", size, 1 / ns);
  } else {
    print_failure(bench, "copy", size);
  }
  bench->backend->free(bench->device, a.data);
  bench->backend->free(bench->device, b.data);
}

static bool
wanted(const char *only, const char *id)
{
  return !only || strcmp(only, id) == 0;
}

int
main(int argc, char **argv)
{
  const int64_t largest = argc > 1 ? strtoll(argv[1], NULL, 10) : sizes[N_SIZES - 1];
  const char *only = argc > 2 ? argv[2] : NULL;
  Bench bench = { .backend = vt_gpu_backend() };
  char reason[256] = "";
  if (bench.backend->probe(reason, sizeof reason) == 0
      || bench.backend->open(0, NULL, &bench.device, reason, sizeof reason) != VITRAIL_OK) {
    printf("skipped: %s\n", reason);
    return 77;
  }
  for (int i = 0; i < N_SIZES; i++)
    if (sizes[i] <= largest)
      bench.size = sizes[i];
  if (bench.size == 0 || !make_images(&bench)) {
    fprintf(stderr, "No size that small, or no memory for the images.\n");
    return 2;
  }
  printf("%s\n%-28s %6s %10s %10s %9s %7s %4s  %s\n", bench.backend->device_name(bench.device), "case", "size",
         "median ms", "best ms", "ns/px", "of copy", "runs", "checksum");
  bench_copy(&bench, bench.size);
  for (int i_case = 0; i_case < 4; i_case++) {
    Sums expected = { 0, 0 };
    for (const VtReconstructAlgorithm *algorithm = bench.backend->reconstruct; algorithm->id; algorithm++)
      if (wanted(only, algorithm->id))
        bench_screen(&bench, algorithm, i_case, &expected);
  }
  for (int i = 0; i < N_SIZES && sizes[i] <= largest; i++) {
    for (const VtReconstructAlgorithm *algorithm = bench.backend->reconstruct; algorithm->id; algorithm++)
      for (int i_case = 0; i_case < 4 && wanted(only, algorithm->id); i_case++)
        bench_reconstruct(&bench, algorithm, i, i_case);
    if (wanted(only, "edt"))
      bench_edt(&bench, i);
  }
  if (wanted(only, "edt"))
    bench_worst_edt(&bench);
  for (const VtReconstructAlgorithm *algorithm = bench.backend->reconstruct; algorithm->id; algorithm++)
    for (int connectivity = 8; connectivity >= 4 && wanted(only, algorithm->id); connectivity -= 4)
      bench_corridor(&bench, algorithm, connectivity);
  print_peers();
  bench.backend->close(bench.device);
  for (int k = 0; k < 4; k++)
    free(bench.host[k]);
  printf("%d wrong\n", bench.n_wrong);
  return bench.n_wrong ? 1 : 0;
}
