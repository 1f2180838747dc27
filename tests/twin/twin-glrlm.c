/* SPDX-License-Identifier: MIT */
#include "../../cpu/simd.h"
#include "../support/test-parallel.h"
#include "twin.h"

#include <math.h>
#include <string.h>

typedef struct Windows {
  VtGlrlmWindows args;
  int algorithm;
} Windows;

static VtBackend serial; /* the CPU's under another name, so that the CPU's other algorithms are compared with it */

/* The last algorithm is the reference of the others. */
static VitrailStatus
windows(const VtBackend *backend, VtDevice *device, const VtImage *views, const void *user, bool reference)
{
  VtGlrlmWindows args = ((const Windows *)user)->args;
  int n = 0;
  args.src = views[0];
  args.dst = &views[1];
  while (backend->glrlm_windows && backend->glrlm_windows[n].id)
    n++;
  const int k = reference ? n - 1 : ((const Windows *)user)->algorithm;
  return k < n ? backend->glrlm_windows[k].run(device, &args, NULL) : VITRAIL_UNSUPPORTED;
}

/* The matrix is host memory: it is laid down in the second picture, so that it is compared. */
static VitrailStatus
runs(const VtBackend *backend, VtDevice *device, const VtImage *views, const void *user, bool reference)
{
  VtGlrlmRuns args = *(const VtGlrlmRuns *)user;
  const size_t n = (size_t)views[1].width;
  uint64_t *matrix = malloc(n * sizeof *matrix);
  const VtImage host = { matrix, views[1].width, 1, (int64_t)(n * sizeof *matrix), VT_I64 };
  if (!matrix)
    return VITRAIL_OUT_OF_MEMORY;
  for (size_t k = 0; k < n; k++)
    matrix[k] = 1000 * k; /* counts are added to what is there */
  args.src = views[0];
  args.matrix = matrix;
  VitrailStatus status = backend->glrlm_runs ? backend->glrlm_runs(device, &args, NULL) : VITRAIL_UNSUPPORTED;
  if (status == VITRAIL_OK && backend->upload)
    status = backend->upload(device, &views[1], &host);
  else if (status == VITRAIL_OK)
    memcpy(views[1].data, matrix, n * sizeof *matrix);
  free(matrix);
  return status;
}

/* Some windows of the grid, or all of them. */
static void
windows_case(VtTwins *twins, const VtBackend *reference, VtRandom *random, int i, int algorithm, int64_t most)
{
  Windows params = { { .features = 1u << i % VT_GLRLM_N_FEATURES, .aggregates = 1u << i / VT_GLRLM_N_FEATURES % 6 },
                     algorithm };
  VtGlrlmWindows *args = &params.args;
  const bool wide = i / 7 % 2;
  const int64_t w = vt_random_side(random, 40), h = vt_random_side(random, 30);
  args->n_levels = i % 9 == 0 ? (wide ? 256 : 255) : (int32_t)vt_random_between(random, 1, 16);
  args->half = i % 25 == 0 ? 64 : (int32_t)vt_random_between(random, 1, i % 4 ? 6 : 12);
  args->step = (int32_t)vt_random_between(random, 1, i % 2 ? 5 : 1);
  args->x0 = vt_random_between(random, i % 10 ? 0 : -20, w - 1);
  args->y0 = vt_random_between(random, i % 10 ? 0 : -20, h - 1);
  const int64_t dw = 1 + (w + i % 13 - 1 - args->x0) / args->step, dh = 1 + (h + i % 13 - 1 - args->y0) / args->step;
  VtPicture p[2] = { vt_picture_new(random, w, h, wide ? VITRAIL_U16 : VITRAIL_U8),
                     vt_picture_new(random, dw < most ? dw : most, dh < most ? dh : most, VITRAIL_F32) };
  vt_picture_fill(&p[0], random, i / 3 % VT_N_PATTERNS, i % 2 ? 0 : 1, args->n_levels);
  vt_twin_case(twins, reference, windows, &params, p, 2);
  vt_pictures_clear(p, 2);
}

/* Against the definitions, and every algorithm against the CPU's serial one to the bit. */
static void
check_windows(VtTwins *twins, int algorithm)
{
  VtRandom random = { 31 };
  vt_twins_begin(twins, "windows");
  twins->tolerance = 2.4e-7; /* doubles in another order, rounded to float */
  for (int i = 0; i < vt_rounds(480); i++)
    windows_case(twins, vt_oracle_backend(), &random, i, algorithm, 6);
  vt_twins_end(twins);
  vt_twins_begin(twins, "windows, the serial algorithm as reference");
  for (int i = 0; i < vt_rounds(480); i++)
    windows_case(twins, &serial, &random, i, algorithm, 60);
  vt_twins_end(twins);
}

enum { N_MAPS = VT_GLRLM_N_FEATURES * (VT_GLRLM_MERGED + 1) };

/* A call for many maps, and the same one by one with the serial algorithm: false if a byte differs. */
static bool
many_agree(VtDevice *device, const VtGlrlmAlgorithm *algorithm, const VtGlrlmWindows *args, int64_t width,
           int64_t height)
{
  const int n = __builtin_popcount(args->features) * __builtin_popcount(args->aggregates);
  const size_t pixels = (size_t)(width * height);
  float *got = calloc(pixels * (size_t)n, sizeof *got), *wanted = calloc(pixels, sizeof *wanted);
  VtImage maps[N_MAPS], map = { wanted, width, height, 4 * width, VITRAIL_F32 };
  VtGlrlmWindows many = *args, one = *args;
  many.dst = maps;
  one.dst = &map;
  for (int k = 0; k < n; k++)
    maps[k] = (VtImage){ got + pixels * (size_t)k, width, height, 4 * width, VITRAIL_F32 };
  bool same = algorithm->run(device, &many, NULL) == VITRAIL_OK;
  const VtImage *next = maps;
  for (int a = 0; a <= VT_GLRLM_MERGED; a++)
    for (int f = 0; f < VT_GLRLM_N_FEATURES; f++)
      if (args->aggregates >> a & args->features >> f & 1) {
        one.aggregates = 1u << a;
        one.features = 1u << f;
        same = same && serial.glrlm_windows[1].run(NULL, &one, NULL) == VITRAIL_OK
               && memcmp(next++->data, wanted, pixels * sizeof *wanted) == 0;
      }
  free(got);
  free(wanted);
  return same;
}

/* Many features and aggregates in one call, on one and on three threads, in every vector variant. */
static void
check_many(int algorithm, uint32_t n_threads, VtCpuSimd simd)
{
  VtRandom random = { 36 };
  const VtParallel parallel = vt_test_parallel(&n_threads);
  VtDevice *device = NULL;
  int n_cases = vt_rounds(40), n_wrong = 0;
  if (vt_cpu_backend()->open(0, &parallel, &device, NULL, 0) != VITRAIL_OK)
    n_wrong++;
  vt_cpu_simd_limit(simd);
  for (int i = 0; i < n_cases && device; i++) {
    const bool wide = i % 2;
    const int64_t w = vt_random_side(&random, i % 20 ? 60 : vt_twin_side(400));
    const int64_t h = vt_random_side(&random, i % 20 ? 40 : vt_twin_side(200));
    VtPicture p = vt_picture_new(&random, w, h, wide ? VITRAIL_U16 : VITRAIL_U8);
    VtGlrlmWindows args = { .src = p.view, .n_levels = i % 9 == 0 ? (wide ? 256 : 255) : 1 + i % 40 };
    vt_picture_fill(&p, &random, i / 2 % VT_N_PATTERNS, i % 3 ? 0 : 1, args.n_levels);
    args.features = i % 5 == 0 ? 0x7ff : 1 + (uint32_t)vt_random(&random) % ((1u << VT_GLRLM_N_FEATURES) - 1);
    args.aggregates = i % 7 == 0 ? 1 << VT_GLRLM_MEAN : 1 + (uint32_t)vt_random(&random) % 63;
    args.half = i % 25 == 0 ? 64 : (int32_t)vt_random_between(&random, 1, 12);
    args.step = (int32_t)vt_random_between(&random, 1, i % 2 ? 4 : 1);
    args.x0 = vt_random_between(&random, i % 10 ? 0 : -20, w - 1);
    args.y0 = vt_random_between(&random, i % 10 ? 0 : -20, h - 1);
    const int64_t dw = 1 + (w + i % 13 - 1 - args.x0) / args.step, dh = 1 + (h + i % 13 - 1 - args.y0) / args.step;
    if (!many_agree(device, &vt_cpu_backend()->glrlm_windows[algorithm], &args, dw, dh < 40 ? dh : 40))
      if (n_wrong++ < 5)
        printf("# case %d: features %x, aggregates %x, %lld x %lld, half %d, step %d\n", i, args.features,
               args.aggregates, (long long)w, (long long)h, args.half, args.step);
    vt_pictures_clear(&p, 1);
  }
  vt_ok(n_wrong == 0, "many maps at once, %s on %u threads, %s: %d cases, %d failures",
        vt_cpu_backend()->glrlm_windows[algorithm].id, n_threads, vt_cpu_simd_name(simd), n_cases, n_wrong);
  if (device)
    vt_cpu_backend()->close(device);
  vt_cpu_simd_limit(VT_CPU_AVX512);
}

static void
check_runs(VtTwins *twins)
{
  VtRandom random = { 32 };
  vt_twins_begin(twins, "runs");
  for (int i = 0; i < vt_rounds(300); i++) {
    const bool wide = i / 7 % 2;
    const int64_t w = vt_random_side(&random, 70), h = vt_random_side(&random, 40);
    VtGlrlmRuns args = { .n_levels = i % 9 == 0 ? (wide ? 256 : 255) : (int32_t)vt_random_between(&random, 1, 16) };
    args.width = i % 3 ? w : vt_random_between(&random, 1, w);
    args.height = i % 3 ? h : vt_random_between(&random, 1, h);
    args.x = vt_random_between(&random, 0, w - args.width);
    args.y = vt_random_between(&random, 0, h - args.height);
    args.max_length = (int32_t)((w > h ? w : h) + i % 2);
    VtPicture p[2] = { vt_picture_new(&random, w, h, wide ? VITRAIL_U16 : VITRAIL_U8),
                       vt_picture_new(&random, (int64_t)4 * args.n_levels * args.max_length, 1, VT_I64) };
    vt_picture_fill(&p[0], &random, i / 3 % VT_N_PATTERNS, i % 2 ? 0 : 1, args.n_levels);
    vt_twin_case(twins, vt_oracle_backend(), runs, &args, p, 2);
    vt_pictures_clear(p, 2);
  }
  vt_twins_end(twins);
}

static void
check_large(VtTwins *twins, int algorithm)
{
  VtRandom random = { 33 };
  vt_twins_begin(twins, "large, cpu as reference");
  for (int i = 0; i < vt_rounds(8); i++) {
    const int64_t w = vt_twin_side(i % 2 ? 1000 : 2048), h = vt_twin_side(i % 2 ? 777 : 64);
    const Windows window = {
      { .n_levels = 32, .half = 7, .step = i % 4 ? 9 : 1, .features = 1u << 2 * i, .aggregates = 1u << (3 + i % 3) },
      algorithm
    };
    const int64_t step = window.args.step;
    const VtGlrlmRuns run = { .n_levels = 32, .max_length = 2048, .x = 3, .y = 2, .width = w - 9, .height = h - 7 };
    VtPicture p[2] = { vt_picture_new(&random, w, h, VITRAIL_U8),
                       vt_picture_new(&random, w / step, h / step, VITRAIL_F32) };
    VtPicture q[2] = { vt_picture_copy(&p[0]), vt_picture_new(&random, 4 * 32 * 2048, 1, VT_I64) };
    vt_picture_fill(&q[0], &random, i, 0, 32);
    vt_picture_fill(&p[0], &random, i, 0, 32);
    vt_twin_case(twins, &serial, windows, &window, p, 2);
    vt_twin_case(twins, vt_cpu_backend(), runs, &run, q, 2);
    vt_pictures_clear(p, 2);
    vt_pictures_clear(q, 2);
  }
  vt_twins_end(twins);
}

static void
check_refusals(VtTwins *twins, int algorithm)
{
  static const VtGlrlmWindows good = { .n_levels = 5, .half = 2, .step = 1, .features = 1, .aggregates = 1 << 4 };
  VtRandom random = { 34 };
  vt_twins_begin(twins, "refusals");
  for (int i = 0; i < 10; i++) {
    Windows params = { good, algorithm };
    VtGlrlmWindows args = good;
    VtGlrlmRuns run = { .n_levels = 5, .max_length = 9, .width = 9, .height = 8 };
    VtPicture p[2] = { vt_picture_new(&random, 9, 8, VITRAIL_U8), vt_picture_new(&random, 9, 8, VITRAIL_F32) };
    VtPicture q[2] = { vt_picture_new(&random, 9, 8, VITRAIL_U8), vt_picture_new(&random, 4 * 300 * 9, 1, VT_I64) };
    vt_picture_fill(&p[0], &random, 0, 0, 5);
    vt_picture_fill(&q[0], &random, 0, 0, 5);
    vt_oracle_set(&p[0].view, 1, 0, 5);
    vt_oracle_set(&q[0].view, 1, 0, 5);
    switch (i) {
    case 0: args.n_levels = run.n_levels = 0; break;
    case 1: args.n_levels = run.n_levels = 257; break;
    case 2: args.n_levels = run.n_levels = 4; break; /* a pixel is above */
    case 3: args.half = 0, run.width = 10; break;
    case 4: args.half = 65, run.x = 1; break;
    case 5: args.step = 0, run.max_length = 0; break;
    case 6: args.features = 1 << VT_GLRLM_N_FEATURES, run.y = -1; break;
    case 7: args.features = 0, run.height = 0; break;
    case 8: args.aggregates = 1 << 6, run.width = -3; break;
    default: args.aggregates = 0, run.x = INT64_MAX - 3; break;
    }
    params.args = args;
    vt_twin_refused(twins, windows, &params, p, 2);
    vt_twin_refused(twins, runs, &run, q, 2);
    vt_pictures_clear(p, 2);
    vt_pictures_clear(q, 2);
  }
  vt_twins_end(twins);
}

static void
check_features(VtTwins *twins)
{
  VtRandom random = { 35 };
  for (int t = 0; t < twins->n; t++) {
    double worst = 0;
    for (int i = 0; i < 200 && twins->backends[t]->glrlm_features; i++) {
      const int32_t n_levels = (int32_t)vt_random_between(&random, 1, 40),
                    length = (int32_t)vt_random_between(&random, 1, 40);
      uint64_t matrix[40 * 40] = { 0 }, pixels = 0;
      double got[VT_GLRLM_N_FEATURES], wanted[VT_GLRLM_N_FEATURES];
      for (int32_t k = 0; k < n_levels * length && i > 0; k++)
        if (vt_random(&random) % 3) {
          matrix[k] = vt_random(&random) >> (63 - i % 33);
          pixels += matrix[k] * (uint64_t)(k % length + 1);
        }
      twins->backends[t]->glrlm_features(matrix, n_levels, length, pixels, got);
      vt_oracle_glrlm_features(matrix, n_levels, length, pixels, wanted);
      for (int f = 0; f < VT_GLRLM_N_FEATURES; f++)
        if (isnan(got[f]) != isnan(wanted[f]))
          worst = INFINITY;
        else if (!isnan(got[f]) && fabs(got[f] - wanted[f]) > worst * (fabs(wanted[f]) + 1e-6))
          worst = fabs(got[f] - wanted[f]) / (fabs(wanted[f]) + 1e-6);
    }
    vt_ok(worst < 1e-12, "features on %s: worst relative difference %.2g", twins->backends[t]->id, worst);
  }
}

int
main(void)
{
  VtTwins twins;
  vt_twins_init(&twins);
  serial = *vt_cpu_backend();
  for (int algorithm = 0; algorithm < 2; algorithm++) {
    check_windows(&twins, algorithm);
    check_large(&twins, algorithm);
    check_refusals(&twins, algorithm);
  }
  check_many(1, 1, VT_CPU_BASELINE);
  for (VtCpuSimd simd = VT_CPU_BASELINE; simd < VT_CPU_N_SIMD; simd++) {
    check_many(0, 1, simd);
    check_many(0, 3, simd);
  }
  check_runs(&twins);
  check_features(&twins);
  vt_twins_clear(&twins);
  return vt_test_done();
}
