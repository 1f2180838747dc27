/* SPDX-License-Identifier: MIT
 *
 * edt-bench.c: times of the CPU's distance transform, its two passes alone, the wavefronts and the watershed, with the
 * sums of the squared distances beside the expected ones. Usage: edt-bench [--size LARGEST] [FILE.md]. Exit status 1 when an answer is wrong. */
#include "../support/bench-image.h"
#include "../support/test-parallel.h"
#include "bench.h"
#include "vt-backend.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>

enum { SEED = 1, N_SIZES = 3, N_IMAGES = 4, MAX_RUNS = 5 };
/* Bytes of a pixel read once and written once. */
enum { COLUMNS_BYTES = 5, ROWS_BYTES = 8 };
static const int64_t sizes[N_SIZES] = { 2048, 4096, 16384 };
static const char *const image_names[N_IMAGES] = { "tissue", "one background pixel", "sparse background", "none" };

/* Squared distances of `tissue`, confirmed by three or more independent programs (16384: by two). */
static const struct {
  uint64_t plain, weighted;
} published[N_SIZES] = { { 13163294216, 0x88509b90f32c8cea },
                         { 37203910369, 0x54b82c8ad2c16424 },
                         { 545662519471, 0x85fcd765ac0f53b2 } };

typedef struct Bench {
  FILE *out; /* Markdown, or NULL */
  double copy_gb_per_s;
  int n_wrong;
  VtImage src, columns, rows;
} Bench;

static void
draw(const VtImage *src, int image)
{
  uint8_t *p = src->data;
  for (int64_t i = 0; i < src->width * src->height; i++) {
    const uint32_t x = (uint32_t)(i % src->width), y = (uint32_t)(i / src->width);
    p[i] = image == 0 ? vt_bench_mask(x, y, SEED) > 128 : image == 2 ? vt_bench_hash(x, y, 7) % 100000 != 0 : 1;
  }
  if (image == 1)
    p[src->width * src->height / 3] = 0;
}

/* Of `tissue`: a square under 2^24 comes back from its root exactly. */
static bool
right(const Bench *bench, int i_size)
{
  const float *d = bench->rows.data;
  uint64_t plain = 0, weighted = 0;
  for (int64_t i = 0; i < sizes[i_size] * sizes[i_size]; i++) {
    const uint64_t square = (uint64_t)((double)d[i] * d[i] + 0.5);
    plain += square;
    weighted += square * (uint32_t)((uint64_t)i * 2654435761u);
  }
  return plain == published[i_size].plain && weighted == published[i_size].weighted;
}

static double
time_pass(Bench *bench, bool rows, int64_t size)
{
  const VtEdt args = { rows ? bench->columns : bench->src, rows ? bench->rows : bench->columns, 1 };
  double seconds[MAX_RUNS];
  const int n_runs = size > 4096 ? 3 : MAX_RUNS;
  for (int run = 0; run < n_runs; run++) {
    const double before = vt_bench_now();
    bench->n_wrong +=
      (rows ? vt_cpu_backend()->edt_rows : vt_cpu_backend()->edt_columns)(NULL, &args, NULL) != VITRAIL_OK;
    seconds[run] = vt_bench_now() - before;
  }
  return vt_bench_best(seconds, n_runs) * 1e9 / ((double)size * (double)size);
}

static void
print_line(Bench *bench, const char *image, int64_t size, const double ns[2], double usual, const char *answer)
{
  const double speed[2] = { COLUMNS_BYTES / ns[0], ROWS_BYTES / ns[1] }, total = ns[0] + ns[1];
  printf("%-22s %5" PRId64
         "  columns %6.2f ns/px %6.2f GB/s  rows %6.2f ns/px %6.2f GB/s  both %6.2f ns/px %5.2fx tissue  "
         "%s\n",
         image, size, ns[0], speed[0], ns[1], speed[1], total, total / usual, answer);
  fflush(stdout);
  if (bench->out)
    fprintf(bench->out, "| %s | %" PRId64 "² | %.2f | %.2f (%.0f %%) | %.2f | %.2f (%.0f %%) | %.2f | %.2f | %s |\n",
            image, size, ns[0], speed[0], 100 * speed[0] / bench->copy_gb_per_s, ns[1], speed[1],
            100 * speed[1] / bench->copy_gb_per_s, total, total / usual, answer);
}

static void
bench_size(Bench *bench, int64_t size)
{
  double usual = 0;
  bench->src = (VtImage){ bench->src.data, size, size, size, VITRAIL_U8 };
  bench->columns = (VtImage){ bench->columns.data, size, size, 4 * size, VITRAIL_I32 };
  bench->rows = (VtImage){ bench->rows.data, size, size, 4 * size, VITRAIL_F32 };
  for (int image = 0; image < N_IMAGES; image++) {
    const char *answer = "";
    double ns[2];
    draw(&bench->src, image);
    for (int rows = 0; rows < 2; rows++)
      ns[rows] = time_pass(bench, rows, size);
    usual = image == 0 ? ns[0] + ns[1] : usual;
    for (int k = 0; k < N_SIZES && image == 0; k++)
      if (sizes[k] == size) {
        answer = right(bench, k) ? "OK" : "WRONG";
        bench->n_wrong += answer[0] == 'W';
      }
    print_line(bench, image_names[image], size, ns, usual, answer);
  }
}

static void
print_head(Bench *bench)
{
  fprintf(bench->out, "# Exact Euclidean distance on one thread, u8 to f32\n\n");
  vt_bench_machine(bench->out);
  fprintf(
    bench->out,
    "Best of %d runs or fewer. GB/s: each byte read or written once, against a copy at %.2f GB/s.\n\n"
    "| background | size | columns, ns/px | GB/s (of copy) | rows, ns/px | GB/s (of copy) | both, ns/px | to tissue | "
    "answer |\n| --- | --- | --- | --- | --- | --- | --- | --- | --- |\n",
    MAX_RUNS, bench->copy_gb_per_s);
}

/* The shortest of some runs by the clock on the wall; < 0: one failed. */
static double
time_distance(const VtDistanceAlgorithm *algorithm, const VtDistance *args, uint32_t n_threads, int n_runs)
{
  const VtParallel parallel = vt_test_parallel(&n_threads);
  VtDevice *device;
  double best = INFINITY;
  if (vt_cpu_backend()->open(0, &parallel, &device, NULL, 0) != VITRAIL_OK)
    return -1;
  for (int run = 0; run < n_runs && best >= 0; run++) {
    const double before = vt_bench_wall();
    const bool ok = algorithm->run(device, args, NULL) == VITRAIL_OK;
    const double seconds = vt_bench_wall() - before;
    best = !ok ? -1 : seconds < best ? seconds : best;
  }
  vt_cpu_backend()->close(device);
  return best * 1e9 / (double)(args->src.width * args->src.height);
}

/* What the slot takes for each output, on one thread and on two. `columns` and `rows` are one buffer. */
static void
bench_slot(Bench *bench, int64_t size)
{
  static const char *const names[] = { "exact, root", "exact, squared", "exact, nearest", "danielsson, root" };
  const VtDistanceAlgorithm *exact = &vt_cpu_backend()->distance[0], *danielsson = &vt_cpu_backend()->distance[1];
  const VtImage none = { 0 }, root = { bench->columns.data, size, size, 4 * size, VITRAIL_F32 };
  const VtImage wide = { bench->columns.data, size, size, 8 * size, VT_I64 };
  if (bench->out)
    fprintf(bench->out,
            "\nThe distance slot, by the wall clock.\n\n| background | size | output | 1 thread, ns/px | 2 threads | "
            "faster |\n| --- | --- | --- | --- | --- | --- |\n");
  for (int image = 0; image < N_IMAGES; image++) {
    draw(&(VtImage){ bench->src.data, size, size, size, VITRAIL_U8 }, image);
    for (int k = 0; k < 4; k++) {
      const VtDistance args = { { bench->src.data, size, size, size, VITRAIL_U8 },
                                k == 1 ? wide : none,
                                k % 3 == 0 ? root : none,
                                k == 2 ? wide : none,
                                1,
                                1,
                                1,
                                0 };
      const VtDistanceAlgorithm *algorithm = k == 3 ? danielsson : exact;
      const double one = time_distance(algorithm, &args, 1, k == 3 ? 2 : MAX_RUNS);
      const double two = time_distance(algorithm, &args, 2, k == 3 ? 2 : MAX_RUNS);
      bench->n_wrong += one < 0 || two < 0;
      printf("%-22s %5" PRId64 "  %-17s %6.2f ns/px  two threads %6.2f  %.2fx\n", image_names[image], size, names[k],
             one, two, one / two);
      if (bench->out)
        fprintf(bench->out, "| %s | %" PRId64 "² | %s | %.2f | %.2f | %.2f |\n", image_names[image], size, names[k],
                one, two, one / two);
    }
  }
}

/* Regional maxima of the benchmark image, and zones of about one seed in 10,000 pixels on the bright half of it. */
static void
bench_waves(Bench *bench, int64_t size)
{
  const VtBackend *cpu = vt_cpu_backend();
  uint8_t *grey = bench->src.data, *bright = bench->columns.data;
  VtImage seeds = { bench->rows.data, size, size, 4 * size, VITRAIL_I32 };
  for (int64_t i = 0; i < size * size; i++) {
    const uint32_t x = (uint32_t)(i % size), y = (uint32_t)(i / size);
    grey[i] = vt_bench_mask(x, y, SEED);
    bright[i] = grey[i] > 128;
    ((int32_t *)seeds.data)[i] = vt_bench_sparse(1, x, y, SEED) ? (int32_t)i + 1 : 0;
  }
  const VtImage mask = { bright, size, size, size, VITRAIL_U8 }, src = { grey, size, size, size, VITRAIL_U8 };
  const VtImage zones = { malloc((size_t)(4 * size * size)), size, size, 4 * size, VITRAIL_I32 };
  const VtImage tops = { zones.data, size, size, size, VITRAIL_U8 };
  const VtRegional regional = { .src = src, .dst = tops, .connectivity = 8 };
  const VtGeodesic geodesic = { .seeds = seeds, .mask = mask, .zones = zones, .connectivity = 8 };
  const VtComponents components = { mask, zones, 8 };
  double best[3] = { INFINITY, INFINITY, INFINITY };
  bool ok = zones.data;
  for (int run = 0; run < MAX_RUNS && ok; run++) {
    double at[4] = { vt_bench_now() };
    ok = cpu->regional(NULL, &regional, NULL) == VITRAIL_OK;
    at[1] = vt_bench_now();
    ok = ok && cpu->geodesic(NULL, &geodesic, NULL) == VITRAIL_OK;
    at[2] = vt_bench_now();
    ok = ok && cpu->components(NULL, &components, NULL) == VITRAIL_OK;
    at[3] = vt_bench_now();
    for (int k = 0; k < 3; k++)
      best[k] = fmin(best[k], (at[k + 1] - at[k]) * 1e9 / (double)(size * size));
  }
  bench->n_wrong += !ok;
  free(zones.data);
  printf("waves %" PRId64 "  regional maxima %.2f  zones %.2f  components %.2f ns/px\n", size, best[0], best[1],
         best[2]);
  if (bench->out)
    fprintf(bench->out,
            "\nWavefronts, %" PRId64 "², one thread: regional maxima %.2f, influence zones %.2f, components "
            "%.2f ns/px.\n",
            size, best[0], best[1], best[2]);
}

/* Seeds and levels as the nuclei pipeline makes them: h-maxima of the distance, flooded. u8: foreground in, seeds out. */
static bool
make_flood(const VtBackend *cpu, VtWatershed *w, VtImage *distance, VtImage *other)
{
  const VtImage seeds = { w->labels.data, w->mask.width, w->mask.height, w->mask.width, VITRAIL_U8 };
  const VtReconstruct domes = { w->level, *distance, 8 }, maxima = { *other, w->level, 8 };
  const VtPointwise steps[] = {
    { VT_PW_SELECT, *distance, w->mask, *distance, -3 },
    { VT_PW_SHIFT_DOWN, *distance, { 0 }, w->level, 1 },
    { VT_PW_NEXT_BELOW, w->level, { 0 }, *other, 0 },
    { VT_PW_ABOVE_IMAGE, w->level, *other, seeds, 0 },
    { VT_PW_AND, seeds, w->mask, seeds, 0 },
    { VT_PW_SELECT, *distance, seeds, w->level, -3 },
  };
  const VtComponents components = { seeds, w->seeds, 8 };
  bool ok = true;
  for (int k = 0; k < 6; k++) {
    ok = ok && cpu->pointwise(NULL, &steps[k], NULL) == VITRAIL_OK;
    if (k == 1 || k == 2 || k == 5)
      ok = ok && cpu->reconstruct->run(NULL, k == 2 ? &maxima : &domes, NULL) == VITRAIL_OK;
  }
  return ok && cpu->components(NULL, &components, NULL) == VITRAIL_OK;
}

static void
bench_watershed(Bench *bench, int64_t size)
{
  const VtBackend *cpu = vt_cpu_backend();
  const size_t n = (size_t)(size * size);
  VtImage image[5]; /* distance, another, level, seeds, labels */
  for (int k = 0; k < 5; k++)
    image[k] = (VtImage){ malloc(4 * n), size, size, 4 * size, k < 3 ? VITRAIL_F32 : VITRAIL_I32 };
  VtWatershed w = { image[2], image[3], { bench->src.data, size, size, size, VITRAIL_U8 }, image[4] };
  bool ok = true;
  for (int k = 0; k < 5; k++)
    ok = ok && image[k].data;
  for (int threshold = 128; ok && threshold <= 160; threshold += 32) {
    double seconds[MAX_RUNS], share = 0;
    for (size_t i = 0; i < n; i++) {
      const uint8_t value = vt_bench_mask((uint32_t)(i % (size_t)size), (uint32_t)(i / (size_t)size), SEED);
      share += ((uint8_t *)bench->src.data)[i] = value > threshold;
    }
    const VtEdt columns = { w.mask, w.labels, 1 }, rows = { w.labels, image[0], 1 };
    ok = cpu->edt_columns(NULL, &columns, NULL) == VITRAIL_OK && cpu->edt_rows(NULL, &rows, NULL) == VITRAIL_OK
         && make_flood(cpu, &w, &image[0], &image[1]);
    for (int run = 0; run < MAX_RUNS && ok; run++) {
      const double before = vt_bench_now();
      ok = cpu->watershed(NULL, &w, NULL) == VITRAIL_OK;
      seconds[run] = vt_bench_now() - before;
    }
    if (!ok)
      break;
    const double ns = vt_bench_best(seconds, MAX_RUNS) * 1e9 / (double)n;
    printf("watershed %" PRId64 ", %2.0f %% in the mask  %6.2f ns/px  %6.2f ns/px of the mask\n", size,
           100 * share / (double)n, ns, ns * (double)n / share);
    if (bench->out)
      fprintf(bench->out,
              "%sWatershed, %" PRId64 "², %.0f %% of it in the mask: %.2f ns/px, %.2f ns per pixel of the mask.\n",
              threshold == 128 ? "\n" : "", size, 100 * share / (double)n, ns, ns * (double)n / share);
  }
  bench->n_wrong += !ok;
  for (int k = 0; k < 5; k++)
    free(image[k].data);
}

int
main(int argc, char **argv)
{
  Bench bench = { 0 };
  int64_t largest = 4096;
  const char *file = NULL;
  for (int i = 1; i < argc; i++)
    if (strcmp(argv[i], "--size") == 0 && i + 1 < argc)
      largest = atoll(argv[++i]);
    else
      file = argv[i];
  if (largest < 1 || largest > 1 << 15) {
    fprintf(stderr, "edt-bench: the size is a number from 1 to 32768\n");
    return 2;
  }
  const size_t n = (size_t)(largest * largest);
  bench.src.data = malloc(n);
  /* One buffer: together they hold an image of 64 bits. */
  bench.columns.data = malloc(8 * n);
  bench.rows.data = bench.columns.data ? (char *)bench.columns.data + 4 * n : NULL;
  if (!bench.src.data || !bench.columns.data || !bench.rows.data || (file && !(bench.out = fopen(file, "w")))) {
    fprintf(stderr, "edt-bench: no memory for the images, or %s cannot be written\n", file ? file : "nothing");
    return EXIT_FAILURE;
  }
  bench.copy_gb_per_s = vt_bench_copy_gb_per_s(64 << 20);
  if (bench.out)
    print_head(&bench);
  for (int k = 0; k < N_SIZES; k++)
    if (sizes[k] <= largest)
      bench_size(&bench, sizes[k]);
  if (largest < sizes[0])
    bench_size(&bench, largest);
  bench_slot(&bench, largest < 4096 ? largest : 4096);
  bench_waves(&bench, largest < 4096 ? largest : 4096);
  bench_watershed(&bench, largest < 1448 ? largest : 1448);
  free(bench.src.data);
  free(bench.columns.data);
  if (bench.out && fclose(bench.out) != 0)
    bench.n_wrong++;
  return bench.n_wrong ? EXIT_FAILURE : EXIT_SUCCESS;
}
