/* SPDX-License-Identifier: MIT
 *
 * cases-texture.c: the table of run length features: maps of windows, and regions. */
#include "bench.h"

#include <stdlib.h>

enum { N_PAPER = VT_GLRLM_GLNN /* features of Zhang et al. 2019, SRE to LRHGE */, MAX_MAPS = 4 * VT_GLRLM_N_FEATURES };
enum { PAPER = (1 << N_PAPER) - 1, ALL = (1 << VT_GLRLM_N_FEATURES) - 1, NO_ENTROPY = ALL & ~(1 << VT_GLRLM_RE) };
enum { MEAN = 1 << VT_GLRLM_MEAN, EACH = 15 /* the four directions alone */ };

/* --- maps --- */

static const char *
windows_variant(const Bench *bench, int i)
{
  return bench->backend->glrlm_windows ? bench->backend->glrlm_windows[i].id : NULL;
}

/* number[0]: half of a window's side. */
static VtGlrlmWindows
windows_args(Bench *bench, VtImage maps[MAX_MAPS])
{
  const BenchCase *at = bench->at;
  const int n = __builtin_popcount(at->features) * __builtin_popcount(at->aggregates);
  for (int k = 0; k < n; k++)
    maps[k] = vt_image_window(&bench->images[1], 0, k * bench->height, bench->width, bench->height);
  return (VtGlrlmWindows){ .src = bench->images[0],
                           .dst = maps,
                           .features = at->features,
                           .aggregates = at->aggregates,
                           .n_levels = BENCH_N_LEVELS,
                           .half = at->number[0],
                           .step = 1 };
}

static VitrailStatus
run_windows(Bench *bench, const VtCancel *cancel)
{
  VtImage maps[MAX_MAPS];
  const VtGlrlmWindows args = windows_args(bench, maps);
  return bench->backend->glrlm_windows[bench->variant].run(bench->device, &args, cancel);
}

/* --- regions --- */

typedef struct {
  VtGlrlmRoi *rois;
  double *values;
  int64_t *n_pixels;
} Regions;

static void
clear_regions(Bench *bench)
{
  Regions *r = bench->data;
  if (!r)
    return;
  free(r->rois);
  free(r->values);
  free(r->n_pixels);
  free(r);
  bench->data = NULL;
}

/* number: how many discs anywhere, with diameters round number[1]: eight of them, whose masks lie one after the other; one
 * that is as large as the image is all of it. */
static bool
prepare_regions(Bench *bench)
{
  const int32_t n = bench->at->number[0], side = bench->at->number[1];
  const int64_t widest = side * 19 / 16;
  Regions *r = bench->data = calloc(1, sizeof *r);
  uint32_t random = 7;
  uint8_t *masks = bench->host[1].data;
  if (!r || bench->width <= widest || bench->width * bench->height < 8 * widest * widest
      || !(r->rois = calloc((size_t)n, sizeof *r->rois))
      || !(r->values = calloc((size_t)n * VT_GLRLM_N_FEATURES, sizeof *r->values))
      || !(r->n_pixels = calloc((size_t)n, sizeof *r->n_pixels)))
    return false;
  for (int s = 0, at = 0; s < 8 && side > 0; s++) {
    const int d = side * (12 + s) / 16;
    for (int y = 0; y < d; y++)
      for (int x = 0; x < d; x++)
        masks[at + y * d + x] = (2 * x + 1 - d) * (2 * x + 1 - d) + (2 * y + 1 - d) * (2 * y + 1 - d) <= d * d;
    for (int k = s; k < n; k += 8) {
      random = random * 1664525u + 1013904223u;
      const int64_t x = (int64_t)((random >> 8) % (uint32_t)(bench->width - d));
      random = random * 1664525u + 1013904223u;
      const int64_t y = (int64_t)((random >> 8) % (uint32_t)(bench->height - d));
      r->rois[k] = (VtGlrlmRoi){ d, d, y * bench->width + x, bench->width, at, d };
    }
    at += d * d;
  }
  if (side == 0)
    r->rois[0] = (VtGlrlmRoi){ bench->width, bench->height, 0, bench->width, -1, 0 };
  return bench->backend->upload(bench->device, &bench->images[1], &bench->host[1]) == VITRAIL_OK;
}

static const char *
regions_variant(const Bench *bench, int i)
{
  return i == 0 ? "" : NULL;
}

static VitrailStatus
run_regions(Bench *bench, const VtCancel *cancel)
{
  const Regions *r = bench->data;
  const VtGlrlmRois args = { .levels = bench->images[0],
                             .masks = bench->images[1],
                             .rois = r->rois,
                             .n_rois = bench->at->number[0],
                             .n_levels = BENCH_N_LEVELS,
                             .features = bench->at->features,
                             .aggregates = bench->at->aggregates,
                             .values = r->values,
                             .n_pixels = r->n_pixels };
  return bench->backend->glrlm_rois(bench->device, &args, cancel);
}

static uint64_t
regions_answer(Bench *bench)
{
  const Regions *r = bench->data;
  const size_t n = (size_t)bench->at->number[0] * (size_t)__builtin_popcount(bench->at->features);
  return bench_hash(1, r->values, n * sizeof *r->values);
}

/* --- the table --- */

#define MAPS(name_, what_, features_, aggregates_, layers_, half, ...) \
  { \
    .name = "glrlm-" name_, .what = what_ ", 32 levels", \
    .images = { { BENCH_LEVELS, VITRAIL_U8 }, { BENCH_OUT, VITRAIL_F32, layers_ } }, .answer = 1, \
    .sizes = { __VA_ARGS__ }, .bytes = 1 + 4 * (layers_), .number = { half }, .features = features_, \
    .aggregates = aggregates_, .variant = windows_variant, .run = run_windows \
  }
#define FEATURE(name_) \
  MAPS(#name_, "one feature, mean of four directions, windows of 15 x 15", 1u << VT_GLRLM_##name_, MEAN, 1, 7, \
       "1920x64", "1920x1080")
#define REGIONS(name_, what_, n, side, features_) \
  { \
    .name = "regions-" name_, .what = what_ ", mean of four directions", \
    .images = { { BENCH_LEVELS, VITRAIL_U8 }, { BENCH_OUT, VITRAIL_U8 } }, .answer = 1, .sizes = { "4096", "4096" }, \
    .number = { n, side }, .features = features_, .aggregates = MEAN, .variant = regions_variant, \
    .prepare = prepare_regions, .clear = clear_regions, .run = run_regions, .answer_of = regions_answer \
  }

const BenchCase bench_texture_cases[] = {
  MAPS("maps", "11 features, mean of four directions, windows of 15 x 15", PAPER, MEAN, N_PAPER, 7, "1920x64",
       "1920x1080,4096"),
  MAPS("maps-4", "11 features, each of four directions, windows of 15 x 15", PAPER, EACH, 4 * N_PAPER, 7, "1920x64",
       "1920x1080,4096"),
  MAPS("maps-65", "11 features, each of four directions, windows of 65 x 65", PAPER, EACH, 4 * N_PAPER, 32, "512x130",
       "1920x1080"),
  FEATURE(SRE),
  FEATURE(LRE),
  FEATURE(GLN),
  FEATURE(RLN),
  FEATURE(RP),
  FEATURE(LGRE),
  FEATURE(HGRE),
  FEATURE(SRLGE),
  FEATURE(SRHGE),
  FEATURE(LRLGE),
  FEATURE(LRHGE),
  FEATURE(GLNN),
  FEATURE(RLNN),
  FEATURE(GLV),
  FEATURE(RV),
  FEATURE(RE),
  REGIONS("10000x32", "10,000 discs of 24 to 38 px, 15 features", 10000, 32, NO_ENTROPY),
  REGIONS("10000x32-entropy", "10,000 discs of 24 to 38 px, 16 features", 10000, 32, ALL),
  REGIONS("50000x32", "50,000 discs of 24 to 38 px, 15 features", 50000, 32, NO_ENTROPY),
  REGIONS("50000x32-entropy", "50,000 discs of 24 to 38 px, 16 features", 50000, 32, ALL),
  REGIONS("1000x100", "1,000 discs of 75 to 119 px, 15 features", 1000, 100, NO_ENTROPY),
  REGIONS("1000x100-entropy", "1,000 discs of 75 to 119 px, 16 features", 1000, 100, ALL),
  REGIONS("200x400", "200 discs of 300 to 475 px, 15 features", 200, 400, NO_ENTROPY),
  REGIONS("200x400-entropy", "200 discs of 300 to 475 px, 16 features", 200, 400, ALL),
  REGIONS("1-whole", "the whole image, 15 features", 1, 0, NO_ENTROPY),
  REGIONS("1-whole-entropy", "the whole image, 16 features", 1, 0, ALL),
  { 0 },
};
