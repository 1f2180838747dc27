/* SPDX-License-Identifier: MIT
 *
 * recon-bench.c: times of the CPU's reconstruction, every algorithm and every vector variant of the machine, with the
 * answers' checksums beside the expected ones. With --threads N each line is followed by one with N threads, both in time
 * of the clock on the wall; without, in time of the thread.
 * Usage: recon-bench [--size LARGEST] [--algorithm ID] [--threads N] [FILE.md]. Exit status 1 when an answer is wrong. */
#include "../support/bench-image.h"
#include "../support/test-parallel.h"
#include "bench.h"
#include "../../cpu/simd.h"
#include "vt-backend.h"

#include <inttypes.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { N_SIZES = 2, N_CASES = 4, MAX_RUNS = 7, MIN_RUNS = 3, SEED = 1, CORRIDOR_SIZE = 2048 };
enum { RECONSTRUCT_BYTES = 3 }; /* of a pixel: marker and mask read once, the answer written once */
static const int64_t sizes[N_SIZES] = { 2048, 4096 };
static const double enough_seconds = 3; /* per line, once there are MIN_RUNS */

typedef struct Sums {
  uint64_t plain, weighted; /* of value, and of value * (index * 2654435761 mod 2^32) */
} Sums;

/* [size][8 h-max, 8 sparse, 4 h-max, 4 sparse]: three or more independent programs agree. */
static const char *const case_names[N_CASES] = { "8-conn h-max", "8-conn sparse", "4-conn h-max", "4-conn sparse" };
static const Sums published[N_SIZES][N_CASES] = {
  { { 568312711, 0x10efe2790b14108d },
    { 571124716, 0x1105559daa6523a8 },
    { 563665704, 0x10cc726095d14f2d },
    { 566184432, 0x10dfaa20f36bec31 } },
  { { 2144158823, 0x3fe6a46353789962 },
    { 2150769036, 0x40190de37b37dac1 },
    { 2125569429, 0x3f58d2c6e33d0783 },
    { 2130852015, 0x3f811e1926ac894e } },
};

typedef struct Picture {
  const char *name;
  int64_t size, stride;
  VtType type; /* U8, or bits */
  int32_t connectivity;
  uint8_t *mask, *start, *marker; /* borrowed */
  Sums expected;
} Picture;

typedef struct Bench {
  FILE *out; /* Markdown, or NULL */
  const char *only;
  VtDevice *threaded; /* NULL: one thread is all */
  uint32_t n_threads;
  double copy_gb_per_s;
  int n_wrong;
} Bench;

static Sums
add_up(const uint8_t *image, int64_t n)
{
  Sums sums = { 0, 0 };
  for (int64_t i = 0; i < n; i++) {
    sums.plain += image[i];
    sums.weighted += (uint64_t)image[i] * (uint32_t)((uint64_t)i * 2654435761u);
  }
  return sums;
}

static double
wall_seconds(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static VitrailStatus
run_once(const VtReconstructAlgorithm *algorithm, VtDevice *device, const Picture *p, bool wall, double *seconds)
{
  const VtReconstruct args = { { p->marker, p->size, p->size, p->stride, p->type },
                               { p->mask, p->size, p->size, p->stride, p->type },
                               p->connectivity };
  memcpy(p->marker, p->start, (size_t)(p->stride * p->size));
  const double before = wall ? wall_seconds() : vt_bench_now();
  const VitrailStatus status = algorithm->run(device, &args, NULL);
  *seconds = (wall ? wall_seconds() : vt_bench_now()) - before;
  return status;
}

/* Of a child process that works once: what it held at most beyond what it began with, in bytes per pixel. */
static double
peak_bytes_per_px(const VtReconstructAlgorithm *algorithm, VtDevice *device, const Picture *p)
{
  long *kib = mmap(NULL, sizeof *kib, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (kib == MAP_FAILED)
    return -1;
  *kib = -1;
  const pid_t child = fork();
  if (child == 0) {
    struct rusage before, after;
    double seconds;
    memcpy(p->marker, p->start, (size_t)(p->stride * p->size));
    for (int64_t i = 0; i < p->stride * p->size; i += 4096) /* whatever is shared is touched before the count */
      seconds = *(volatile uint8_t *)(p->mask + i);
    getrusage(RUSAGE_SELF, &before);
    if (run_once(algorithm, device, p, false, &seconds) == VITRAIL_OK && getrusage(RUSAGE_SELF, &after) == 0)
      *kib = after.ru_maxrss - before.ru_maxrss;
    _exit(0);
  }
  if (child > 0)
    waitpid(child, NULL, 0);
  const double bytes = *kib < 0 ? -1 : (double)*kib * 1024 / ((double)p->size * (double)p->size);
  munmap(kib, sizeof *kib);
  return bytes;
}

static void
print_line(Bench *bench, const char *name, const Picture *p, double ns_per_px, double peak, bool right)
{
  const double gb_per_s = RECONSTRUCT_BYTES * (double)p->stride / (double)p->size / ns_per_px;
  printf("%-32s %-14s %5" PRId64 " %9.2f ns/px %7.2f GB/s %6.1f%% of copy  %5.1f B/px  %s\n", name, p->name, p->size,
         ns_per_px, gb_per_s, 100 * gb_per_s / bench->copy_gb_per_s, peak, right ? "OK" : "WRONG");
  fflush(stdout);
  if (bench->out)
    fprintf(bench->out, "| %s | %s | %" PRId64 "² | %.2f | %.2f | %.1f %% | %.1f | %s |\n", name, p->name, p->size,
            ns_per_px, gb_per_s, 100 * gb_per_s / bench->copy_gb_per_s, peak, right ? "OK" : "WRONG");
  bench->n_wrong += !right;
}

/* On one thread, then on all of them if there are more, run and run about: what disturbs one disturbs the other. */
static void
time_algorithm(Bench *bench, const VtReconstructAlgorithm *algorithm, const char *name, const Picture *p)
{
  double seconds[2][MAX_RUNS], total = 0, ns_per_px[2], peak[2];
  VtDevice *const devices[2] = { NULL, bench->threaded };
  const int n_kinds = bench->threaded ? 2 : 1;
  bool right[2] = { true, true };
  int n = 0;
  for (int k = 0; k < n_kinds; k++)
    peak[k] = peak_bytes_per_px(algorithm, devices[k], p);
  for (; n < MAX_RUNS && (n < MIN_RUNS || total < enough_seconds) && total < 2 * enough_seconds; n++)
    for (int k = 0; k < n_kinds; k++) {
      right[k] &= run_once(algorithm, devices[k], p, n_kinds > 1, &seconds[k][n]) == VITRAIL_OK;
      total += seconds[k][n];
      const Sums sums = add_up(p->marker, p->stride * p->size);
      right[k] &= sums.plain == p->expected.plain && sums.weighted == p->expected.weighted;
    }
  for (int k = 0; k < n_kinds; k++) {
    char line[96];
    ns_per_px[k] = vt_bench_best(seconds[k], n) * 1e9 / ((double)p->size * (double)p->size);
    if (k > 0)
      snprintf(line, sizeof line, "%s, %u threads (%.2fx)", name, bench->n_threads, ns_per_px[0] / ns_per_px[1]);
    print_line(bench, k > 0 ? line : name, p, ns_per_px[k], peak[k], right[k]);
  }
}

/* Every algorithm once, `tile` with every variant. sr goes once over the image for each turn of a corridor: left out. */
static void
time_all(Bench *bench, const Picture *p)
{
  const VtReconstructAlgorithm *list = vt_cpu_backend()->reconstruct;
  for (; list->id; list++) {
    const bool is_tile = strcmp(list->id, "tile") == 0 && p->type == VITRAIL_U8;
    if ((bench->only && strcmp(bench->only, list->id) != 0)
        || (strcmp(list->id, "sr") == 0 && strstr(p->name, "corridor")))
      continue;
    for (int simd = is_tile ? 0 : VT_CPU_N_SIMD - 1; simd < VT_CPU_N_SIMD; simd++) {
      char name[64];
      if (vt_cpu_simd_limit((VtCpuSimd)simd) != (VtCpuSimd)simd && is_tile)
        continue;
      snprintf(name, sizeof name, is_tile ? "%s %s" : "%s", list->id, vt_cpu_simd_name((VtCpuSimd)simd));
      time_algorithm(bench, list, name, p);
    }
  }
}

static void
pack(uint8_t *bits, const uint8_t *pixels, int64_t size, int64_t stride)
{
  memset(bits, 0, (size_t)(stride * size));
  for (int64_t y = 0; y < size; y++)
    for (int64_t x = 0; x < size; x++)
      if (pixels[y * size + x] > 128)
        ((uint64_t *)(bits + y * stride))[x / 64] |= (uint64_t)1 << x % 64;
}

/* The pictures in p above 128, as bits; the answer is that of fh, which works on bytes. */
static void
bench_bits(Bench *bench, const Picture *p, const char *name)
{
  Picture bits = *p;
  const VtReconstructAlgorithm *list = vt_cpu_backend()->reconstruct;
  double seconds;
  bits.name = name;
  bits.type = VT_BIT;
  bits.stride = (p->size + 63) / 64 * 8;
  const size_t bytes = (size_t)(bits.stride * p->size);
  bits.mask = aligned_alloc(64, (3 * bytes + 63) / 64 * 64);
  if (!bits.mask)
    return;
  bits.start = bits.mask + bytes;
  bits.marker = bits.start + bytes;
  pack(bits.mask, p->mask, p->size, bits.stride);
  pack(bits.start, p->start, p->size, bits.stride);
  while (list[1].id && strcmp(list->id, "fh") != 0)
    list++;
  run_once(list, NULL, &bits, false, &seconds);
  bits.expected = add_up(bits.marker, bits.stride * bits.size);
  time_all(bench, &bits);
  free(bits.mask);
}

/* A corridor one pixel wide that winds through the whole image; the marker is its first pixel. */
static void
bench_corridor(Bench *bench, const Picture *buffers, int64_t size)
{
  Picture p = *buffers;
  p.name = "corridor";
  p.size = p.stride = size;
  memset(p.start, 0, (size_t)(size * size));
  p.start[0] = 255;
  for (int64_t y = 0; y < size; y++)
    for (int64_t x = 0; x < size; x++)
      p.mask[y * size + x] = y % 2 == 0 || x == (y % 4 == 1 ? size - 1 : 0) ? 255 : 0;
  p.connectivity = 8;
  p.expected = add_up(p.mask, size * size);
  time_all(bench, &p);
  bench_bits(bench, &p, "bits corridor");
}

static void
bench_image(Bench *bench, const Picture *buffers, int64_t size)
{
  Picture p = *buffers;
  p.size = p.stride = size;
  for (int64_t y = 0; y < size; y++)
    for (int64_t x = 0; x < size; x++)
      p.mask[y * size + x] = vt_bench_mask((uint32_t)x, (uint32_t)y, SEED);
  for (int i_case = 0; i_case < N_CASES; i_case++) {
    p.name = case_names[i_case];
    p.connectivity = i_case < 2 ? 8 : 4;
    for (int64_t i = 0; i < size * size; i++)
      p.start[i] = i_case % 2 ? vt_bench_sparse(p.mask[i], (uint32_t)(i % size), (uint32_t)(i / size), SEED)
                              : vt_bench_hmax(p.mask[i]);
    bool known = false;
    for (int k = 0; k < N_SIZES; k++)
      if (sizes[k] == size) {
        p.expected = published[k][i_case];
        known = true;
      }
    if (!known) { /* a small size: all must agree with the simplest */
      double seconds;
      const VtReconstructAlgorithm *list = vt_cpu_backend()->reconstruct;
      while (list[1].id && strcmp(list->id, "sr") != 0)
        list++;
      run_once(list, NULL, &p, false, &seconds);
      p.expected = add_up(p.marker, size * size);
    }
    time_all(bench, &p);
    if (i_case % 2)
      bench_bits(bench, &p, i_case < 2 ? "8-conn bits" : "4-conn bits");
  }
}

static void
bench_all(Bench *bench, const Picture *buffers, int64_t largest)
{
  if (bench->out) {
    fprintf(bench->out, "# Reconstruction, u8\n\n");
    vt_bench_machine(bench->out);
    fprintf(bench->out,
            "Best of %d runs or fewer, %s. GB/s: %d bytes per pixel, against a copy at %.2f GB/s "
            "(bytes read and written) in the same run.\nPeak: memory held beyond the two images.\n\n"
            "| algorithm | image | size | ns/px | GB/s | of copy | peak B/px | answer |\n"
            "| --- | --- | --- | --- | --- | --- | --- | --- |\n",
            MAX_RUNS, bench->threaded ? "in time of the clock on the wall" : "one thread, in its own time",
            RECONSTRUCT_BYTES, bench->copy_gb_per_s);
  }
  for (int k = 0; k < N_SIZES; k++)
    if (sizes[k] <= largest)
      bench_image(bench, buffers, sizes[k]);
  if (largest < sizes[0])
    bench_image(bench, buffers, largest);
  bench_corridor(bench, buffers, largest < CORRIDOR_SIZE ? largest : CORRIDOR_SIZE);
}

static bool
read_arguments(Bench *bench, int argc, char **argv, int64_t *largest, const char **file)
{
  static uint32_t n_threads; /* the device's as long as it is open */
  for (int i = 1; i < argc; i++)
    if (strcmp(argv[i], "--size") == 0 && i + 1 < argc)
      *largest = atoll(argv[++i]);
    else if (strcmp(argv[i], "--algorithm") == 0 && i + 1 < argc)
      bench->only = argv[++i];
    else if (strcmp(argv[i], "--threads") == 0 && i + 1 < argc)
      n_threads = (uint32_t)atoi(argv[++i]);
    else if (argv[i][0] == '-')
      return false;
    else
      *file = argv[i];
  bench->n_threads = n_threads;
  const VtParallel parallel = vt_test_parallel(&n_threads);
  return *largest >= 1 && *largest <= 1 << 15 && n_threads <= VT_TEST_MAX_THREADS
         && (n_threads < 2 || vt_cpu_backend()->open(0, &parallel, &bench->threaded, NULL, 0) == VITRAIL_OK);
}

int
main(int argc, char **argv)
{
  Bench bench = { 0 };
  int64_t largest = sizes[N_SIZES - 1];
  const char *file = NULL;
  if (!read_arguments(&bench, argc, argv, &largest, &file)) {
    fprintf(stderr, "Usage: recon-bench [--size 1..32768] [--algorithm ID] [--threads 1..%d] [FILE.md]\n",
            VT_TEST_MAX_THREADS);
    return 2;
  }
  mallopt(M_MMAP_THRESHOLD, 1 << 20); /* what is freed goes back at once: peaks are the algorithm's own */
  const size_t bytes = (size_t)(largest * largest);
  Picture buffers = { .type = VITRAIL_U8, .mask = malloc(bytes), .start = malloc(bytes), .marker = malloc(bytes) };
  if (!buffers.mask || !buffers.start || !buffers.marker || (file && !(bench.out = fopen(file, "w")))) {
    fprintf(stderr, "recon-bench: no memory for the images, or %s cannot be written\n", file ? file : "nothing");
    return EXIT_FAILURE;
  }
  memset(buffers.start, 1, bytes);
  memset(buffers.marker, 1, bytes);
  bench.copy_gb_per_s = vt_bench_copy_gb_per_s(bytes);
  printf("copy %.2f GB/s\n", bench.copy_gb_per_s);
  bench_all(&bench, &buffers, largest);
  if (bench.threaded)
    vt_cpu_backend()->close(bench.threaded);
  free(buffers.mask);
  free(buffers.start);
  free(buffers.marker);
  if (bench.out && fclose(bench.out) != 0)
    bench.n_wrong++;
  return bench.n_wrong ? EXIT_FAILURE : EXIT_SUCCESS;
}
