/* SPDX-License-Identifier: MIT
 *
 * Each case has one answer, of the oracle, or of the CPU's fh on one thread where the oracle would take too long. Every
 * algorithm of every backend must give it; those of the CPU with every vector variant that matters and with three threads, too. */
#include "twin.h"
#include "../../cpu/simd.h"
#include "../support/test-parallel.h"

#include <math.h>
#include <string.h>

typedef struct Params {
  int32_t connectivity;
  bool by_erosion;
  int64_t depth, gap; /* of a stack: pictures are its slices one below the other, with `gap` rows between */
  int64_t bits;       /* > 0: width in bits of pictures of words */
  int algorithm;
  const VtImage *answer; /* of the reference, when it is known */
} Params;

typedef struct Bed {
  VtTwins twins;
  VtDevice *one, *three; /* CPU devices with that many threads */
  VtCpuSimd best;
  int n_algorithms;
} Bed;

static const VtType types[] = { VITRAIL_U8, VITRAIL_U16, VITRAIL_I32, VITRAIL_F32 };
static const char *const type_names[] = { "u8", "u16", "i32", "f32" };
static const int64_t lowests[] = { 0, 0, INT32_MIN, -100000 }, highests[] = { 255, 65535, INT32_MAX, 100000 };

static VtReconstruct
args_of(const VtImage *views, const Params *params)
{
  VtReconstruct args = { views[0], views[1], params->connectivity, .by_erosion = params->by_erosion };
  VtImage *images[] = { &args.marker, &args.mask };
  for (int k = 0; k < 2; k++) {
    if (params->depth > 0)
      images[k]->height = images[k]->height / params->depth - params->gap;
    if (params->bits > 0) {
      images[k]->type = VT_BIT;
      images[k]->width = params->bits;
    }
  }
  if (params->depth > 0) {
    args.depth = params->depth;
    args.marker_slice = (args.marker.height + params->gap) * args.marker.stride;
    args.mask_slice = (args.mask.height + params->gap) * args.mask.stride;
  }
  return args;
}

static VitrailStatus
call(const VtBackend *backend, VtDevice *device, const VtImage *views, const void *user, bool reference)
{
  const Params *params = user;
  const VtReconstruct args = args_of(views, params);
  if (reference) {
    for (int64_t y = 0; y < views[0].height; y++)
      memcpy(vt_image_at(&views[0], 0, y), vt_image_at(params->answer, 0, y),
             (size_t)views[0].width * vt_type_size(views[0].type));
    return VITRAIL_OK;
  }
  int n = 0;
  while (backend->reconstruct && backend->reconstruct[n].id)
    n++;
  return params->algorithm < n ? backend->reconstruct[params->algorithm].run(device, &args, NULL) : VITRAIL_UNSUPPORTED;
}

/* A marker on the right side of the mask, which lies between lowest and highest. */
static void
make_marker(const VtImage *m, const VtImage *mask, VtRandom *random, int kind, bool by_erosion, int64_t lowest,
            int64_t highest)
{
  const double sign = by_erosion ? -1 : 1, far = sign * (double)(by_erosion ? highest : lowest);
  const int64_t one_x = vt_random_between(random, 0, m->width - 1), one_y = vt_random_between(random, 0, m->height - 1);
  for (int64_t y = 0; y < m->height; y++)
    for (int64_t x = 0; x < m->width; x++) {
      const double top = sign * vt_oracle_get(mask, x, y);
      double v = far;
      if (kind == 0) /* anything on that side */
        v = (double)vt_random_between(random, (int64_t)far, (int64_t)top);
      else if (kind == 1) /* h-maxima */
        v = fmax(far, top - 3);
      else if (kind == 2   ? x == 0 && y == 0
               : kind == 3 ? vt_random(random) % 100 == 0
               : kind == 4 ? x == one_x && y == one_y
                           : kind == 5)
        v = top; /* first pixel, few pixels, one pixel, all */
      vt_oracle_set(m, x, y, sign * v);
    }
}

/* Both infinities and both zeros are values like any other. */
static void
add_odd_floats(const VtImage *marker, const VtImage *mask, bool by_erosion)
{
  const float far = by_erosion ? INFINITY : -INFINITY;
  vt_oracle_set(mask, mask->width / 2, mask->height / 2, -far);
  vt_oracle_set(mask, 0, 0, -0.0);
  vt_oracle_set(marker, 0, 0, far);
}

/* Every algorithm, with all that may make a difference. */
static void
run_all(Bed *bed, Params *params, const VtPicture *pictures, const VtBackend *reference)
{
  VtPicture answer = vt_picture_copy(&pictures[0]);
  const VtReconstruct args = args_of((VtImage[]){ answer.view, pictures[1].view }, params);
  int k = 0;
  while (reference == vt_cpu_backend() && strcmp(reference->reconstruct[k].id, "fh") != 0)
    k++;
  if (reference->reconstruct[k].run(NULL, &args, NULL) != VITRAIL_OK)
    bed->twins.n_failures++;
  params->answer = &answer.view;
  for (params->algorithm = 0; params->algorithm < bed->n_algorithms; params->algorithm++) {
    const bool has_variants = params->algorithm == 0; /* only `tile`, the first one, has */
    for (VtCpuSimd simd = has_variants ? VT_CPU_BASELINE : bed->best; simd <= bed->best; simd++) {
      vt_cpu_simd_limit(simd);
      vt_twin_case(&bed->twins, vt_oracle_backend(), call, params, pictures, 2);
    }
    const int n_all = bed->twins.n;
    bed->twins.devices[0] = bed->three;
    bed->twins.n = 1;
    vt_twin_case(&bed->twins, vt_oracle_backend(), call, params, pictures, 2);
    bed->twins.devices[0] = bed->one;
    bed->twins.n = n_all;
  }
  vt_pictures_clear(&answer, 1);
}

static void
check_case(Bed *bed, VtRandom *random, int i, int t, int64_t w, int64_t h, int64_t depth, const VtBackend *reference)
{
  const bool erosion = i / 2 % 2, stack = depth > 0, any_kind = reference == vt_oracle_backend();
  Params params = { stack ? (i % 2 ? 6 : 26) : i % 2 ? 4 : 8, .by_erosion = erosion };
  params.depth = depth;
  params.gap = stack ? i / 3 % 2 : 0;
  const int64_t rows = stack ? (h + params.gap) * depth : h;
  const int64_t low = i % 3 || !erosion ? lowests[t] : highests[t] - 6;
  const int64_t high = i % 3 || erosion ? highests[t] : lowests[t] + 6;
  VtPicture p[2] = { vt_picture_new(random, w, rows, types[t]), vt_picture_new(random, w, rows, types[t]) };
  vt_picture_fill(&p[1], random, (int)(vt_random(random) % VT_N_PATTERNS), low, high);
  make_marker(&p[0].view, &p[1].view, random, (int)(vt_random(random) % (any_kind ? 6 : 5)), erosion, lowests[t],
              highests[t]);
  if (types[t] == VITRAIL_F32 && i % 5 == 0)
    add_odd_floats(&p[0].view, &p[1].view, erosion);
  run_all(bed, &params, p, reference);
  vt_pictures_clear(p, 2);
}

static void
check_type(Bed *bed, int t)
{
  VtRandom random = { 1 + (uint64_t)t };
  char name[64];
  snprintf(name, sizeof name, "%s", type_names[t]);
  vt_twins_begin(&bed->twins, name);
  for (int i = 0; i < vt_rounds(200); i++)
    check_case(bed, &random, i, t, vt_random_side(&random, vt_twin_side(70)), vt_random_side(&random, vt_twin_side(40)),
               0, vt_oracle_backend());
  vt_twins_end(&bed->twins);
  snprintf(name, sizeof name, "%s, stacks", type_names[t]);
  vt_twins_begin(&bed->twins, name);
  for (int i = 0; i < vt_rounds(100); i++)
    check_case(bed, &random, i, t, vt_random_side(&random, 13), vt_random_side(&random, 13),
               vt_random_between(&random, 1, 7), vt_oracle_backend());
  vt_twins_end(&bed->twins);
}

/* Where the oracle takes too long, and threads have enough to do. */
static void
check_large(Bed *bed)
{
  static const int64_t sizes[][3] = { { 1000, 77, 0 }, { 2048, 64, 0 }, { 64, 2048, 0 }, { 1, 9000, 0 }, { 9000, 1, 0 },
                                      { 311, 513, 0 }, { 67, 61, 11 },  { 1, 67, 200 },  { 129, 3, 30 } };
  VtRandom random = { 7 };
  vt_twins_begin(&bed->twins, "large, fh of the cpu as reference");
  for (int i = 0; i < vt_rounds(90); i++) {
    const int64_t *size = sizes[i % 9];
    check_case(bed, &random, (int)(vt_random(&random) % 1000), i / 9 % 4, vt_twin_side(size[0]), vt_twin_side(size[1]),
               vt_twin_side(size[2]), vt_cpu_backend());
  }
  vt_twins_end(&bed->twins);
}

/* Bits of words out of pixels 0 and 1. */
static void
pack(const VtImage *words, const VtImage *pixels)
{
  for (int64_t y = 0; y < pixels->height; y++) {
    uint64_t *row = vt_image_at(words, 0, y);
    memset(row, 0, (size_t)words->width * 8);
    for (int64_t x = 0; x < pixels->width; x++)
      row[x / 64] |= (uint64_t)(vt_oracle_get(pixels, x, y) != 0) << x % 64;
  }
}

static void
check_bits(Bed *bed, bool large)
{
  VtRandom random = { 21 + large };
  vt_twins_begin(&bed->twins, large ? "bits, large, fh of the cpu as reference" : "bits");
  for (int i = 0; i < vt_rounds(large ? 40 : 300); i++) {
    const bool erosion = i / 2 % 2, stack = i % 5 == 0;
    Params params = { stack ? (i % 2 ? 6 : 26) : i % 2 ? 4 : 8, .by_erosion = erosion };
    params.depth = stack ? vt_random_between(&random, 1, 5) : 0;
    params.bits = large ? vt_twin_side(vt_random_between(&random, 1, 700)) : vt_random_side(&random, 150);
    const int64_t h =
      large ? vt_twin_side(vt_random_between(&random, 1, 500)) : vt_random_side(&random, stack ? 9 : 80);
    const int64_t rows = stack ? h * params.depth : h, words = (params.bits + 63) / 64;
    VtPicture p[2], pixels[2];
    for (int k = 0; k < 2; k++) {
      p[k] = vt_picture_new(&random, words, rows, VT_I64);
      pixels[k] = vt_picture_new(&random, params.bits, rows, VITRAIL_U8);
    }
    vt_picture_fill(&pixels[1], &random, (int)(vt_random(&random) % VT_N_PATTERNS), 0, 1);
    make_marker(&pixels[0].view, &pixels[1].view, &random, (int)(vt_random(&random) % 5), erosion, 0, 1);
    for (int k = 0; k < 2; k++)
      pack(&p[k].view, &pixels[k].view);
    run_all(bed, &params, p, large ? vt_cpu_backend() : vt_oracle_backend());
    vt_pictures_clear(p, 2);
    vt_pictures_clear(pixels, 2);
  }
  vt_twins_end(&bed->twins);
}

/* A line of single pixels that meets tiles at their corners only, filled from one of its ends; bits too. */
static void
check_corners(Bed *bed)
{
  VtRandom random = { 5 };
  vt_twins_begin(&bed->twins, "from corner to corner, fh of the cpu as reference");
  for (int i = 0; i < vt_rounds(40); i++) {
    const int t = i / 8, side = 192;
    const bool rising = i & 1, from_below = i & 2, erosion = i & 4, bits = t == 4;
    Params params = { 8, .by_erosion = erosion, .bits = bits ? side : 0 };
    VtPicture pixels[2], words[2];
    for (int k = 0; k < 2; k++) {
      pixels[k] = vt_picture_new(&random, side, side, bits ? VITRAIL_U8 : types[t]);
      words[k] = vt_picture_new(&random, side / 64, side, VT_I64);
      for (int y = 0; y < side; y++)
        for (int x = 0; x < side; x++) {
          const bool line = rising ? x + y == side - 1 : x == y, end = y == (from_below ? side - 1 : 0);
          vt_oracle_set(&pixels[k].view, x, y, (line && (k == 1 || end)) != erosion);
        }
      pack(&words[k].view, &pixels[k].view);
    }
    run_all(bed, &params, bits ? words : pixels, vt_cpu_backend());
    vt_pictures_clear(pixels, 2);
    vt_pictures_clear(words, 2);
  }
  vt_twins_end(&bed->twins);
}

static void
check_refusals(Bed *bed, int algorithm)
{
  VtRandom random = { 99 };
  vt_twins_begin(&bed->twins, "refusals");
  for (int i = 0; i < vt_rounds(80); i++) {
    const VtType type = types[i % 4];
    Params params = { i % 2 ? 4 : 8, .algorithm = algorithm, .by_erosion = i >= 40 };
    const int64_t w = vt_random_between(&random, 2, 99), h = vt_random_between(&random, 1, 50);
    VtPicture p[2] = { vt_picture_new(&random, w, h, type), vt_picture_new(&random, w - (i < 4), h, type) };
    vt_picture_fill(&p[0], &random, 0, i < 40 ? 0 : 100, i < 40 ? 100 : 200);
    vt_picture_fill(&p[1], &random, 0, i < 40 ? 100 : 0, i < 40 ? 200 : 100);
    const int64_t x = vt_random_between(&random, 0, w - 1), y = vt_random_between(&random, 0, h - 1);
    if (i >= 4 && i < 8)
      params.connectivity = i % 2 ? 6 : 26;
    else if (i >= 8 && i < 12)
      params.depth = 1; /* of connectivity 4 or 8 */
    else if (i >= 8 && type == VITRAIL_F32)
      vt_oracle_set(&p[i / 4 % 2].view, x, y, NAN);
    else if (i >= 8)
      vt_oracle_set(&p[i < 40 ? 0 : 1].view, x, y, 201);
    vt_twin_refused(&bed->twins, call, &params, p, 2);
    vt_pictures_clear(p, 2);
  }
  vt_twins_end(&bed->twins);
}

static bool
has_been_asked(void *left)
{
  return (*(int *)left)-- == 0;
}

/* What the CPU's algorithms leave when they are cancelled, early or late, leads to the same answer. */
static void
check_cancel(void)
{
  VtRandom random = { 3 };
  for (const VtReconstructAlgorithm *algorithm = vt_cpu_backend()->reconstruct; algorithm->id; algorithm++) {
    int n_wrong = 0;
    for (int i = 0; i < 24; i++) {
      VtPicture mask = vt_picture_new(&random, 300, 200, types[i % 4]);
      VtPicture marker = vt_picture_new(&random, 300, 200, types[i % 4]);
      vt_picture_fill(&mask, &random, i / 4, 0, 200);
      make_marker(&marker.view, &mask.view, &random, i % 2, false, 0, 200);
      VtPicture answer = vt_picture_copy(&marker);
      const VtReconstruct whole = { answer.view, mask.view, i % 3 ? 8 : 4 };
      VtReconstruct args = whole;
      args.marker = marker.view;
      int left = i / 8;
      const VtCancel cancel = { has_been_asked, &left };
      const size_t bytes = (size_t)(marker.full.stride * marker.full.height);
      n_wrong += algorithm->run(NULL, &whole, NULL) != VITRAIL_OK;
      const VitrailStatus status = algorithm->run(NULL, &args, &cancel);
      if (left < 0) /* else it was done before */
        n_wrong += status != VITRAIL_CANCELLED || algorithm->run(NULL, &args, NULL) != VITRAIL_OK;
      n_wrong += memcmp(marker.full.data, answer.full.data, bytes) != 0;
      vt_pictures_clear(&mask, 1);
      vt_pictures_clear(&marker, 1);
      vt_pictures_clear(&answer, 1);
    }
    vt_ok(n_wrong == 0, "%s of the cpu is cancelled and can go on, %d failures", algorithm->id, n_wrong);
  }
}

int
main(void)
{
  static uint32_t n_threads = 3;
  const VtParallel parallel = vt_test_parallel(&n_threads);
  Bed bed = { .best = vt_cpu_simd() };
  vt_twins_init(&bed.twins);
  bed.one = bed.twins.devices[0];
  if (vt_cpu_backend()->open(0, &parallel, &bed.three, NULL, 0) != VITRAIL_OK)
    return EXIT_FAILURE;
  for (int t = 0; t < bed.twins.n; t++)
    for (int k = 0; bed.twins.backends[t]->reconstruct && bed.twins.backends[t]->reconstruct[k].id; k++) {
      printf("# algorithm %d of %s: %s\n", k, bed.twins.backends[t]->id, bed.twins.backends[t]->reconstruct[k].id);
      bed.n_algorithms = k + 1 > bed.n_algorithms ? k + 1 : bed.n_algorithms;
    }
  for (int t = 0; t < 4; t++)
    check_type(&bed, t);
  check_bits(&bed, false);
  check_bits(&bed, true);
  check_large(&bed);
  check_corners(&bed);
  for (int algorithm = 0; algorithm < bed.n_algorithms; algorithm++)
    check_refusals(&bed, algorithm);
  check_cancel();
  vt_cpu_backend()->close(bed.three);
  vt_twins_clear(&bed.twins);
  return vt_test_done();
}
