/* SPDX-License-Identifier: MIT
 *
 * peers-bench.c: our half of the table against other programs (peers.py). Times the CPU backend's slots on the benchmark
 * picture, on one thread and on two, with the memory that they take beyond their images, prints a line of JSON for each, and
 * leaves pictures and answers in FOLDER, so that the peers get the same input and are compared.
 * Usage: peers-bench [--size SIDE] FOLDER. Exit status 1 when answers on one and on two threads differ, or a slot fails. */
#include "../support/bench-image.h"
#include "../support/test-parallel.h"
#include "bench.h"
#include "vt-backend.h"

#include <inttypes.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

enum { SEED = 1, N_PAPER = VT_GLRLM_GLNN /* features of Zhang et al. 2019 */, HALF = 7, LEVELS = 32, SERIAL_ROWS = 48 };
enum { CORRIDOR = 2048, PEER_SIDE = 160 /* of the corner that the slowest peer gets */ };

typedef struct Bench {
  const char *folder;
  int64_t size;
  VtDevice *device[2]; /* of one thread and of two */
  uint8_t *mask;
  int n_wrong;
} Bench;

/* One thing to be timed. prepare: untimed, before each run; may be NULL. */
typedef struct Work {
  char name[64], file[64]; /* file: "": the answer is not kept */
  const char *algorithm;
  VitrailStatus (*run)(VtDevice *device, const void *args, const VtCancel *cancel);
  const void *args;
  void (*prepare)(void *user);
  void *user;
  const void *answer;
  size_t answer_bytes;
  double bytes;   /* read and written once, as a copy of as many would */
  double windows; /* or 0: of a map, so that parts of it compare */
  int runs;
} Work;

static double
wall_now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* A line of /proc/self/status in bytes; 0 where there is none. */
static double
memory_line(const char *name)
{
  char line[256];
  double kib = 0;
  FILE *status = fopen("/proc/self/status", "r");
  while (status && fgets(line, sizeof line, status))
    if (strncmp(line, name, strlen(name)) == 0)
      kib = atof(line + strlen(name));
  if (status)
    fclose(status);
  return kib * 1024;
}

/* The peak starts again from what is resident now. */
static void
reset_peak(void)
{
  FILE *file = fopen("/proc/self/clear_refs", "w");
  if (file) {
    fputs("5", file);
    fclose(file);
  }
}

static uint64_t
hash_bytes(const void *data, size_t n)
{
  const uint8_t *p = data;
  uint64_t h = 1469598103934665603u, word;
  size_t i = 0;
  for (; i + 8 <= n; i += 8) {
    memcpy(&word, p + i, 8);
    h = (h ^ word) * 1099511628211u;
    h ^= h >> 29;
  }
  for (; i < n; i++)
    h = (h ^ p[i]) * 1099511628211u;
  return h;
}

static void
keep(Bench *bench, const char *name, const void *data, size_t bytes)
{
  char path[4096];
  snprintf(path, sizeof path, "%s/%s", bench->folder, name);
  FILE *file = fopen(path, "wb");
  if (!file || fwrite(data, 1, bytes, file) != bytes) {
    fprintf(stderr, "peers-bench: %s cannot be written\n", path);
    bench->n_wrong++;
  }
  if (file && fclose(file) != 0)
    bench->n_wrong++;
}

static void
time_work(Bench *bench, const Work *work, int n_threads)
{
  double best = 0, extra = 0, total = 0;
  /* What is over in a moment is easily disturbed: it runs until a second and a half is full. */
  for (int run = 0; run < work->runs || (run < 40 && total < 1.5); run++) {
    if (work->prepare)
      work->prepare(work->user);
    if (run == 0)
      malloc_trim(0); /* what was freed before must not hide what the slot takes */
    reset_peak();
    const double resident = memory_line("VmRSS:"), before = wall_now();
    if (work->run(bench->device[n_threads - 1], work->args, NULL) != VITRAIL_OK)
      bench->n_wrong++;
    const double seconds = wall_now() - before;
    const double taken = memory_line("VmHWM:") - resident;
    extra = taken > extra ? taken : extra;
    best = run == 0 || seconds < best ? seconds : best;
    total += seconds;
  }
  printf("{\"work\": \"%s\", \"algorithm\": \"%s\", \"threads\": %d, \"ms\": %.3f, \"gb_per_s\": %.3f, "
         "\"extra_bytes\": %.0f, \"windows\": %.0f, \"hash\": \"%016" PRIx64 "\"}\n",
         work->name, work->algorithm, n_threads, best * 1e3, work->bytes / best * 1e-9, extra, work->windows,
         hash_bytes(work->answer, work->answer_bytes));
  fflush(stdout);
}

static void
time_both(Bench *bench, const Work *work)
{
  time_work(bench, work, 1);
  const uint64_t one = hash_bytes(work->answer, work->answer_bytes);
  if (work->file[0])
    keep(bench, work->file, work->answer, work->answer_bytes);
  time_work(bench, work, 2);
  bench->n_wrong += one != hash_bytes(work->answer, work->answer_bytes);
}

/* --- reconstruction --- */

typedef struct Pair {
  uint8_t *start, *marker;
  size_t bytes;
} Pair;

static void
copy_marker(void *user)
{
  const Pair *pair = user;
  memcpy(pair->marker, pair->start, pair->bytes);
}

static VitrailStatus
run_tile(VtDevice *device, const void *args, const VtCancel *cancel)
{
  return vt_cpu_backend()->reconstruct[0].run(device, args, cancel);
}

static VitrailStatus
run_fh(VtDevice *device, const void *args, const VtCancel *cancel)
{
  const VtReconstructAlgorithm *list = vt_cpu_backend()->reconstruct;
  while (list->id && strcmp(list->id, "fh") != 0)
    list++;
  return list->id ? list->run(device, args, cancel) : VITRAIL_UNSUPPORTED;
}

static void
bench_pair(Bench *bench, const char *name, Pair *pair, uint8_t *mask, int64_t side, int32_t connectivity, bool kept)
{
  const VtReconstruct args = { .marker = { pair->marker, side, side, side, VITRAIL_U8 },
                               .mask = { mask, side, side, side, VITRAIL_U8 },
                               .connectivity = connectivity };
  Work work = { .algorithm = vt_cpu_backend()->reconstruct[0].id,
                .run = run_tile,
                .args = &args,
                .prepare = copy_marker,
                .user = pair,
                .answer = pair->marker,
                .answer_bytes = pair->bytes,
                .bytes = 3 * (double)pair->bytes,
                .runs = 5 };
  snprintf(work.name, sizeof work.name, "reconstruct %d %s", connectivity, name);
  if (kept)
    snprintf(work.file, sizeof work.file, "recon-%d-%s.u8", connectivity, name);
  time_both(bench, &work);
  if (connectivity == 8 && kept)
    return;
  work.algorithm = "fh";
  work.run = run_fh;
  work.file[0] = '\0';
  work.runs = 3;
  time_work(bench, &work, 1);
}

/* A way one pixel wide through the whole picture; the marker is its first pixel. */
static void
bench_corridor(Bench *bench, Pair *pair, uint8_t *mask, int64_t side)
{
  for (int64_t y = 0; y < side; y++)
    for (int64_t x = 0; x < side; x++)
      mask[y * side + x] = y % 2 == 0 || x == (y % 4 == 1 ? side - 1 : 0) ? 255 : 0;
  pair->bytes = (size_t)(side * side);
  memset(pair->start, 0, pair->bytes);
  pair->start[0] = 255;
  bench_pair(bench, "corridor", pair, mask, side, 8, false);
}

static void
bench_reconstruction(Bench *bench)
{
  const size_t n = (size_t)(bench->size * bench->size);
  Pair pair = { malloc(n), malloc(n), n };
  uint8_t *mask = malloc(n);
  for (int32_t connectivity = 8; pair.start && pair.marker && mask && connectivity >= 4; connectivity -= 4)
    for (int sparse = 0; sparse < 2; sparse++) {
      for (size_t i = 0; i < n; i++) {
        const uint32_t x = (uint32_t)(i % (size_t)bench->size), y = (uint32_t)(i / (size_t)bench->size);
        pair.start[i] = sparse ? vt_bench_sparse(bench->mask[i], x, y, SEED) : vt_bench_hmax(bench->mask[i]);
      }
      if (connectivity == 8)
        keep(bench, sparse ? "marker-sparse.u8" : "marker-h-max.u8", pair.start, n);
      bench_pair(bench, sparse ? "sparse" : "h-max", &pair, bench->mask, bench->size, connectivity, true);
    }
  if (pair.start && pair.marker && mask)
    bench_corridor(bench, &pair, mask, bench->size < CORRIDOR ? bench->size : CORRIDOR);
  else
    bench->n_wrong++;
  free(pair.start);
  free(pair.marker);
  free(mask);
}

/* --- distance --- */

static VitrailStatus
run_distance(VtDevice *device, const void *args, const VtCancel *cancel)
{
  return vt_cpu_backend()->distance[0].run(device, args, cancel);
}

static void
bench_distance_of(Bench *bench, const char *name, const uint8_t *src, float *root, int64_t side, bool kept)
{
  const size_t n = (size_t)(side * side);
  const VtDistance args = { .src = { (void *)src, side, side, side, VITRAIL_U8 },
                            .root = { root, side, side, 4 * side, VITRAIL_F32 },
                            .weight_x = 1,
                            .weight_y = 1,
                            .scale = 1 };
  Work work = { .algorithm = vt_cpu_backend()->distance[0].id,
                .run = run_distance,
                .args = &args,
                .answer = root,
                .answer_bytes = n * sizeof *root,
                .bytes = 5 * (double)n,
                .runs = kept ? 5 : 2 };
  snprintf(work.name, sizeof work.name, "distance %s", name);
  if (kept)
    snprintf(work.file, sizeof work.file, "distance.f32");
  memset(root, 0, n * sizeof *root); /* its pages are not the slot's */
  time_both(bench, &work);
}

static void
bench_distance(Bench *bench)
{
  const int64_t large = 4 * bench->size;
  const size_t n = (size_t)(bench->size * bench->size);
  uint8_t *src = malloc(16 * n);
  float *root = malloc(16 * n * sizeof *root);
  if (!src || !root || !vt_cpu_backend()->distance) {
    bench->n_wrong++;
  } else {
    for (size_t i = 0; i < n; i++)
      src[i] = bench->mask[i] > 128;
    keep(bench, "foreground.u8", src, n);
    bench_distance_of(bench, "usual", src, root, bench->size, true);
    for (size_t i = 0; i < 16 * n; i++) {
      const size_t x = i % (size_t)large % (size_t)bench->size, y = i / (size_t)large % (size_t)bench->size;
      src[i] = bench->mask[y * (size_t)bench->size + x] > 128;
    }
    bench_distance_of(bench, "usual, 16 times as large", src, root, large, false);
    memset(src, 1, 16 * n);
    src[8 * n + (size_t)large / 2] = 0;
    bench_distance_of(bench, "one background pixel, 16 times as large", src, root, large, false);
  }
  free(src);
  free(root);
}

/* --- texture maps --- */

static VitrailStatus
run_fast(VtDevice *device, const void *args, const VtCancel *cancel)
{
  return vt_cpu_backend()->glrlm_windows[0].run(device, args, cancel);
}

static VitrailStatus
run_serial(VtDevice *device, const void *args, const VtCancel *cancel)
{
  return vt_cpu_backend()->glrlm_windows[1].run(device, args, cancel);
}

/* Rows first..first + rows of the maps, from that part of the levels that they need. */
static void
bench_maps_of(Bench *bench, const char *name, const VtImage *levels, float *maps, int64_t first, int64_t rows,
              bool serial)
{
  const int64_t above = first < HALF ? first : HALF, end = first + rows + HALF, width = levels->width;
  const int64_t below = end < levels->height ? end : levels->height;
  VtImage dst[N_PAPER];
  const VtGlrlmWindows args = { .src = vt_image_window(levels, 0, first - above, width, below - first + above),
                                .dst = dst,
                                .features = (1u << N_PAPER) - 1,
                                .aggregates = 1u << VT_GLRLM_MEAN,
                                .n_levels = LEVELS,
                                .half = HALF,
                                .step = 1,
                                .y0 = above };
  Work work = { .algorithm = vt_cpu_backend()->glrlm_windows[serial].id,
                .run = serial ? run_serial : run_fast,
                .args = &args,
                .answer = maps,
                .answer_bytes = (size_t)(N_PAPER * width * rows) * sizeof *maps,
                .bytes = (double)(width * rows) * (2 + N_PAPER * sizeof *maps),
                .windows = (double)(width * rows),
                .runs = rows > SERIAL_ROWS ? 2 : 3 };
  for (int f = 0; f < N_PAPER; f++)
    dst[f] = (VtImage){ maps + f * width * rows, width, rows, 4 * width, VITRAIL_F32 };
  snprintf(work.name, sizeof work.name, "%s", name);
  memset(maps, 0, work.answer_bytes);
  if (serial)
    time_work(bench, &work, 1);
  else
    time_both(bench, &work);
}

static void
bench_maps(Bench *bench)
{
  const size_t n = (size_t)(bench->size * bench->size);
  const int64_t rows = bench->size < SERIAL_ROWS ? bench->size : SERIAL_ROWS, first = (bench->size - rows) / 2;
  uint16_t *pixels = malloc(n * sizeof *pixels);
  float *maps = malloc(N_PAPER * n * sizeof *maps);
  const VtImage levels = { pixels, bench->size, bench->size, 2 * bench->size, VITRAIL_U16 };
  uint8_t corner[PEER_SIDE * PEER_SIDE];
  if (!pixels || !maps) {
    bench->n_wrong++;
  } else {
    for (size_t i = 0; i < n; i++)
      pixels[i] = (uint16_t)(1 + bench->mask[i] * LEVELS / 256);
    for (int64_t i = 0; i < PEER_SIDE * PEER_SIDE && bench->size >= PEER_SIDE; i++)
      corner[i] = (uint8_t)pixels[i / PEER_SIDE * bench->size + i % PEER_SIDE];
    if (bench->size >= PEER_SIDE)
      keep(bench, "levels.u8", corner, sizeof corner);
    bench_maps_of(bench, "texture", &levels, maps, 0, bench->size, false);
    bench_maps_of(bench, "texture, some rows", &levels, maps, first, rows, false);
    const uint64_t fast = hash_bytes(maps, (size_t)(N_PAPER * bench->size * rows) * sizeof *maps);
    bench_maps_of(bench, "texture, some rows", &levels, maps, first, rows, true);
    bench->n_wrong += fast != hash_bytes(maps, (size_t)(N_PAPER * bench->size * rows) * sizeof *maps);
  }
  free(pixels);
  free(maps);
}

int
main(int argc, char **argv)
{
  Bench bench = { .size = 4096 };
  uint32_t n_threads[2] = { 1, 2 };
  for (int i = 1; i < argc; i++)
    if (strcmp(argv[i], "--size") == 0 && i + 1 < argc)
      bench.size = atoll(argv[++i]);
    else
      bench.folder = argv[i];
  if (!bench.folder || bench.size < 1 || bench.size > 8192) {
    fprintf(stderr, "Usage: peers-bench [--size SIDE] FOLDER; sides are 1 to 8192\n");
    return 2;
  }
  const size_t n = (size_t)(bench.size * bench.size);
  bench.mask = malloc(n);
  for (size_t i = 0; bench.mask && i < n; i++)
    bench.mask[i] = vt_bench_mask((uint32_t)(i % (size_t)bench.size), (uint32_t)(i / (size_t)bench.size), SEED);
  for (int k = 0; k < 2; k++) {
    const VtParallel parallel = vt_test_parallel(&n_threads[k]);
    bench.n_wrong += vt_cpu_backend()->open(0, &parallel, &bench.device[k], NULL, 0) != VITRAIL_OK;
  }
  if (!bench.mask || bench.n_wrong)
    return EXIT_FAILURE;
  printf("{\"size\": %" PRId64 ", \"copy_gb_per_s\": %.3f}\n", bench.size,
         vt_bench_copy_gb_per_s(n < 1 << 24 ? 1 << 24 : n));
  keep(&bench, "mask.u8", bench.mask, n);
  bench_reconstruction(&bench);
  bench_distance(&bench);
  bench_maps(&bench);
  for (int k = 0; k < 2; k++)
    vt_cpu_backend()->close(bench.device[k]);
  free(bench.mask);
  return bench.n_wrong ? EXIT_FAILURE : EXIT_SUCCESS;
}
