/* SPDX-License-Identifier: MIT
 *
 * edt-bench.c: times of the CPU's distance transform and watershed, one thread, with the sums of the squared distances
 * beside the expected ones. Usage: edt-bench [--size LARGEST] [FILE.md]. Exit status 1 when an answer is wrong. */
#include "../support/bench-image.h"
#include "bench.h"
#include "vt-backend.h"

#include <inttypes.h>
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
  bench.columns.data = malloc(4 * n);
  bench.rows.data = malloc(4 * n);
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
  bench_watershed(&bench, largest < 1448 ? largest : 1448);
  free(bench.src.data);
  free(bench.columns.data);
  free(bench.rows.data);
  if (bench.out && fclose(bench.out) != 0)
    bench.n_wrong++;
  return bench.n_wrong ? EXIT_FAILURE : EXIT_SUCCESS;
}
