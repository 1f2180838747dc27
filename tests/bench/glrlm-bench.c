/* SPDX-License-Identifier: MIT
 *
 * glrlm-bench.c: times of the CPU's texture maps, one thread: every feature by every algorithm, with the ratio of the
 * two and a check that their maps are the same bytes.
 * Usage: glrlm-bench [--size WIDTHxHEIGHT] [--half H] [--levels N] [--step S] [--aggregate A] [FILE.md]. Exit status 1
 * when maps differ. */
#include "../support/bench-image.h"
#include "bench.h"
#include "vt-backend.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* The features of Zhang et al. 2019: SRE to LRHGE. */
enum { SEED = 1, SERIAL_ROWS = 48, PAPER = (1 << VT_GLRLM_GLNN) - 1 };

static const char *const names[VT_GLRLM_N_FEATURES] = { "SRE",  "LRE",   "GLN",   "RLN",   "RP",    "LGRE",
                                                        "HGRE", "SRLGE", "SRHGE", "LRLGE", "LRHGE", "GLNN",
                                                        "RLNN", "GLV",   "RV",    "RE" };

typedef struct Bench {
  FILE *out; /* Markdown, or NULL */
  VtGlrlmWindows args;
  VtImage dst;
  VtGlrlmAggregate aggregate;
  float *map[2][VT_GLRLM_N_FEATURES];
  double copy_gb_per_s, sum[2]; /* sum: of the ns of the features */
  int n_wrong, n_directions;
} Bench;

/* ns per window and direction; the maps are cut off after `rows` rows of windows. */
static double
time_map(Bench *bench, const VtGlrlmAlgorithm *algorithm, int k, int64_t rows)
{
  VtGlrlmWindows args = bench->args;
  VtImage maps[VT_GLRLM_N_FEATURES], map = bench->dst;
  double seconds[3];
  /* Only the levels that these rows need: what is prepared for each pixel must not count for more windows than it serves. */
  const int64_t centre = (map.height - rows) / 2 * args.step, above = centre < args.half ? centre : args.half;
  const int64_t end = centre + (rows - 1) * args.step + args.half + 1;
  const int64_t below = end < args.src.height ? end : args.src.height;
  args.src = vt_image_window(&args.src, 0, centre - above, args.src.width, below - centre + above);
  args.y0 = above;
  map.height = rows;
  for (int f = 0; f < __builtin_popcount(args.features); f++) {
    maps[f] = map;
    maps[f].data = bench->map[k][f];
  }
  args.dst = maps;
  for (int run = 0; run < 3; run++) {
    const double before = vt_bench_now();
    if (algorithm->run(NULL, &args, NULL) != VITRAIL_OK)
      bench->n_wrong++;
    seconds[run] = vt_bench_now() - before;
  }
  return vt_bench_best(seconds, 3) * 1e9 / (double)(map.width * rows * bench->n_directions);
}

static void
bench_features(Bench *bench, uint32_t features, const char *name)
{
  const VtGlrlmAlgorithm *list = vt_cpu_backend()->glrlm_windows;
  const int64_t height = bench->dst.height, rows = height < SERIAL_ROWS ? height : SERIAL_ROWS;
  double ns[2];
  bench->args.features = features;
  ns[1] = time_map(bench, &list[1], 1, rows);
  time_map(bench, &list[0], 0, rows);
  bool same = true;
  for (int f = 0; f < __builtin_popcount(features); f++)
    same &= memcmp(bench->map[0][f], bench->map[1][f], (size_t)(bench->dst.width * rows) * sizeof(float)) == 0;
  ns[0] = time_map(bench, &list[0], 0, height);
  bench->n_wrong += !same;
  for (int k = 0; k < 2 && !(features >> VT_GLRLM_RE); k++)
    bench->sum[k] += ns[k];
  /* A window is a level read and values written; a direction has its share of them. */
  const double gb_per_s = (1 + 4 * __builtin_popcount(features)) / (ns[0] * bench->n_directions);
  printf("%-12s %9.1f ns fast %9.1f ns serial  %6.1fx %7.3f GB/s  %s\n", name, ns[0], ns[1], ns[1] / ns[0], gb_per_s,
         same ? "OK" : "WRONG");
  fflush(stdout);
  if (bench->out)
    fprintf(bench->out, "| %s | %.1f | %.1f | %.1f | %.3f | %.2f %% | %s |\n", name, ns[0], ns[1], ns[1] / ns[0],
            gb_per_s, 100 * gb_per_s / bench->copy_gb_per_s, same ? "same bytes" : "WRONG");
}

static void
bench_all(Bench *bench)
{
  const VtGlrlmWindows *a = &bench->args;
  if (bench->out) {
    fprintf(bench->out, "# Texture maps (GLRLM) on one thread\n\n");
    vt_bench_machine(bench->out);
    fprintf(
      bench->out,
      "Image %" PRId64 " x %" PRId64 ", window %d x %d, step %d, %d levels, aggregate %d; ns per window and "
      "direction, the best of\n3 runs; `serial` on %d rows of windows. Copy: %.2f GB/s (bytes read and "
      "written).\n\n| feature | fast, ns | serial, ns | ratio | GB/s | of copy | maps |\n| --- | --- | --- | --- | "
      "--- | --- | --- |\n",
      a->src.width, a->src.height, 2 * a->half + 1, 2 * a->half + 1, a->step, a->n_levels, bench->aggregate,
      SERIAL_ROWS, bench->copy_gb_per_s);
  }
  for (int32_t feature = 0; feature < VT_GLRLM_N_FEATURES; feature++)
    bench_features(bench, 1u << feature, names[feature]);
  const double n = VT_GLRLM_N_FEATURES - 1;
  printf("mean of %.0f features without RE: %.1f ns fast, %.1f ns serial, %.1fx\n", n, bench->sum[0] / n,
         bench->sum[1] / n, bench->sum[1] / bench->sum[0]);
  if (bench->out)
    fprintf(bench->out, "| mean without RE | %.1f | %.1f | %.1f | | | |\n", bench->sum[0] / n, bench->sum[1] / n,
            bench->sum[1] / bench->sum[0]);
  bench_features(bench, PAPER, "SRE to LRHGE");
}

/* Levels of the benchmark picture: 1..n_levels. */
static uint16_t *
make_levels(int64_t width, int64_t height, int32_t n_levels)
{
  uint16_t *levels = malloc((size_t)(width * height) * sizeof *levels);
  for (int64_t i = 0; levels && i < width * height; i++)
    levels[i] = (uint16_t)(1 + vt_bench_mask((uint32_t)(i % width), (uint32_t)(i / width), SEED) * n_levels / 256);
  return levels;
}

int
main(int argc, char **argv)
{
  Bench bench = { .args = { .n_levels = 32, .half = 7, .step = 1 }, .aggregate = VT_GLRLM_MEAN };
  VtGlrlmWindows *a = &bench.args;
  int64_t width = 1920, height = 1080;
  const char *file = NULL;
  for (int i = 1; i < argc; i++) {
    const int value = i + 1 < argc ? atoi(argv[i + 1]) : 0;
    if (strcmp(argv[i], "--size") == 0 && i + 1 < argc
        && sscanf(argv[i + 1], "%" PRId64 "x%" PRId64, &width, &height) == 2)
      i++;
    else if (strcmp(argv[i], "--half") == 0)
      a->half = value, i++;
    else if (strcmp(argv[i], "--levels") == 0)
      a->n_levels = value, i++;
    else if (strcmp(argv[i], "--step") == 0)
      a->step = value, i++;
    else if (strcmp(argv[i], "--aggregate") == 0)
      bench.aggregate = value, i++;
    else
      file = argv[i];
  }
  if (width < 1 || height < 1 || width > 1 << 15 || height > 1 << 15 || a->step < 1 || a->n_levels < 1
      || a->n_levels > 256) {
    fprintf(stderr, "glrlm-bench: sides are 1 to 32768, levels 1 to 256, steps 1 or more\n");
    return 2;
  }
  bench.args.aggregates = 1u << bench.aggregate;
  bench.n_directions = bench.aggregate >= VT_GLRLM_MEAN ? VT_GLRLM_N_DIRECTIONS : 1;
  uint16_t *levels = make_levels(width, height, a->n_levels);
  const int64_t columns = (width - 1) / a->step + 1, rows = (height - 1) / a->step + 1;
  a->src = (VtImage){ levels, width, height, 2 * width, VITRAIL_U16 };
  bench.dst = (VtImage){ NULL, columns, rows, 4 * columns, VITRAIL_F32 };
  bool all = levels != NULL;
  for (int k = 0; k < 2; k++)
    for (int f = 0; f < __builtin_popcount(PAPER); f++) {
      bench.map[k][f] = malloc((size_t)(columns * rows) * sizeof(float));
      all = all && bench.map[k][f];
    }
  if (!all || (file && !(bench.out = fopen(file, "w")))) {
    fprintf(stderr, "glrlm-bench: no memory for the images, or %s cannot be written\n", file ? file : "nothing");
    return EXIT_FAILURE;
  }
  bench.copy_gb_per_s = vt_bench_copy_gb_per_s(16 << 20);
  bench_all(&bench);
  free(levels);
  for (int f = 0; f < __builtin_popcount(PAPER); f++) {
    free(bench.map[0][f]);
    free(bench.map[1][f]);
  }
  if (bench.out && fclose(bench.out) != 0)
    bench.n_wrong++;
  return bench.n_wrong ? EXIT_FAILURE : EXIT_SUCCESS;
}
