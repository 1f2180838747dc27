/* SPDX-License-Identifier: MIT */
#include "twin.h"
#include "../../cpu/simd.h"

#include <math.h>
#include <string.h>

typedef struct Params {
  int32_t connectivity;
  int algorithm;
} Params;

static VitrailStatus
call(const VtBackend *backend, VtDevice *device, const VtImage *views, const void *user, bool reference)
{
  const Params *params = user;
  const VtReconstruct args = { views[0], views[1], params->connectivity };
  int n = 0, k = params->algorithm;
  while (backend->reconstruct && backend->reconstruct[n].id) {
    if (reference && strcmp(backend->reconstruct[n].id, "fh") == 0)
      k = n;
    n++;
  }
  if (reference && k >= n)
    k = 0;
  return k < n ? backend->reconstruct[k].run(device, &args, NULL) : VITRAIL_UNSUPPORTED;
}

static void
lower(VtPicture *marker, const VtPicture *mask, VtRandom *random, int kind, int64_t lowest)
{
  const VtImage *m = &marker->view;
  for (int64_t y = 0; y < m->height; y++)
    for (int64_t x = 0; x < m->width; x++) {
      const double top = vt_oracle_get(&mask->view, x, y);
      double v = (double)lowest;
      if (kind == 0) /* anything below */
        v = (double)vt_random_between(random, lowest, (int64_t)top);
      else if (kind == 1) /* h-maxima */
        v = top - 3 < (double)lowest ? v : top - 3;
      else if (kind == 2 ? x == 0 && y == 0 : kind == 3 ? vt_random(random) % 100 == 0 : kind == 4)
        v = top; /* one pixel, few pixels, all */
      vt_oracle_set(m, x, y, v);
    }
}

static void
check_type(VtTwins *twins, const char *name, VtType type, int64_t lowest, int64_t highest, int algorithm)
{
  VtRandom random = { 1 + (uint64_t)type };
  vt_twins_begin(twins, name);
  for (int i = 0; i < vt_twin_rounds(160); i++) {
    const Params params = { i % 2 ? 4 : 8, algorithm };
    const int64_t w = vt_random_side(&random, 70), h = vt_random_side(&random, 40);
    const int64_t top = i % 3 ? highest : lowest + 6;
    VtPicture p[2] = { vt_picture_new(&random, w, h, type), vt_picture_new(&random, w, h, type) };
    vt_picture_fill(&p[1], &random, i / 2 % VT_N_PATTERNS, lowest, top);
    lower(&p[0], &p[1], &random, i / 16 % 5, lowest);
    if (type == VITRAIL_F32 && i % 5 == 0) { /* both infinities and both zeros are values like any other */
      vt_oracle_set(&p[1].view, w / 2, h / 2, INFINITY);
      vt_oracle_set(&p[0].view, 0, 0, -INFINITY);
      vt_oracle_set(&p[1].view, 0, 0, -0.0);
    }
    vt_twin_case(twins, vt_oracle_backend(), call, &params, p, 2);
    vt_picture_clear(&p[0]);
    vt_picture_clear(&p[1]);
  }
  vt_twins_end(twins);
}

static void
check_refusals(VtTwins *twins, int algorithm)
{
  VtRandom random = { 99 };
  vt_twins_begin(twins, "refusals");
  for (int i = 0; i < 40; i++) {
    static const VtType types[] = { VITRAIL_U8, VITRAIL_U16, VITRAIL_I32, VITRAIL_F32 };
    const VtType type = types[i % 4];
    Params params = { i % 2 ? 4 : 8, algorithm };
    const int64_t w = vt_random_between(&random, 2, 99), h = vt_random_between(&random, 1, 50);
    VtPicture p[2] = { vt_picture_new(&random, w, h, type), vt_picture_new(&random, w - (i < 4), h, type) };
    vt_picture_fill(&p[0], &random, 0, 0, 100);
    vt_picture_fill(&p[1], &random, 0, 100, 200);
    const int64_t x = vt_random_between(&random, 0, w - 1), y = vt_random_between(&random, 0, h - 1);
    if (i >= 4 && i < 8)
      params.connectivity = 6;
    else if (i >= 8 && type == VITRAIL_F32)
      vt_oracle_set(&p[i / 4 % 2].view, x, y, NAN);
    else if (i >= 8)
      vt_oracle_set(&p[0].view, x, y, 201);
    vt_twin_refused(twins, call, &params, p, 2);
    vt_picture_clear(&p[0]);
    vt_picture_clear(&p[1]);
  }
  vt_twins_end(twins);
}

/* Sizes at which an oracle takes too long: the CPU's fh is the reference, of all of its own algorithms too. */
static void
check_large(VtTwins *twins, int algorithm)
{
  static const int64_t sizes[][2] = {
    { 1000, 777 }, { 2048, 64 }, { 64, 2048 }, { 1, 5000 }, { 5000, 1 }, { 511, 513 }
  };
  static const VtType types[] = { VITRAIL_U8, VITRAIL_U16, VITRAIL_I32, VITRAIL_F32 };
  const VtBackend reference = *vt_cpu_backend();
  VtRandom random = { 7 };
  vt_twins_begin(twins, "large, fh of the cpu as reference");
  for (int i = 0; i < vt_twin_rounds(40); i++) {
    const Params params = { i % 2 ? 4 : 8, algorithm };
    const VtType type = types[i % 4];
    VtPicture p[2];
    for (int k = 0; k < 2; k++)
      p[k] = vt_picture_new(&random, sizes[i % 6][0], sizes[i % 6][1], type);
    vt_picture_fill(&p[1], &random, i % VT_N_PATTERNS, 0, type == VITRAIL_U8 ? 255 : 60000);
    lower(&p[0], &p[1], &random, 1 + i % 3, 0);
    vt_twin_case(twins, &reference, call, &params, p, 2);
    vt_picture_clear(&p[0]);
    vt_picture_clear(&p[1]);
  }
  vt_twins_end(twins);
}

static bool
has_been_asked(void *left)
{
  return (*(int *)left)-- == 0;
}

/* The CPU's algorithms leave the marker as it was when they are cancelled, early or late. */
static void
check_cancel(void)
{
  static const VtType types[] = { VITRAIL_U8, VITRAIL_U16, VITRAIL_I32, VITRAIL_F32 };
  VtRandom random = { 3 };
  for (const VtReconstructAlgorithm *algorithm = vt_cpu_backend()->reconstruct; algorithm->id; algorithm++) {
    int n_wrong = 0;
    for (int i = 0; i < 24; i++) {
      VtPicture mask = vt_picture_new(&random, 300, 200, types[i % 4]);
      VtPicture marker = vt_picture_new(&random, 300, 200, types[i % 4]);
      vt_picture_fill(&mask, &random, i / 4, 0, 200);
      lower(&marker, &mask, &random, i % 2, 0);
      VtPicture before = vt_picture_copy(&marker);
      const VtReconstruct args = { marker.view, mask.view, i % 3 ? 8 : 4 };
      int left = i / 8;
      const VtCancel cancel = { has_been_asked, &left };
      const size_t bytes = (size_t)(marker.full.stride * marker.full.height);
      const VitrailStatus status = algorithm->run(NULL, &args, &cancel);
      if (left < 0) /* else it was done before */
        n_wrong += status != VITRAIL_CANCELLED || memcmp(marker.full.data, before.full.data, bytes) != 0;
      vt_picture_clear(&mask);
      vt_picture_clear(&marker);
      vt_picture_clear(&before);
    }
    vt_ok(n_wrong == 0, "%s of the cpu is cancelled and writes nothing, %d failures", algorithm->id, n_wrong);
  }
}

static void
check_algorithm(VtTwins *twins, int algorithm)
{
  for (int t = 0; t < twins->n; t++)
    for (int k = 0; twins->backends[t]->reconstruct && twins->backends[t]->reconstruct[k].id; k++)
      if (k == algorithm)
        printf("# algorithm %d of %s: %s, %s\n", k, twins->backends[t]->id, twins->backends[t]->reconstruct[k].id,
               vt_cpu_simd_name(vt_cpu_simd()));
  check_type(twins, "u8", VITRAIL_U8, 0, 255, algorithm);
  check_type(twins, "u16", VITRAIL_U16, 0, 65535, algorithm);
  check_type(twins, "i32", VITRAIL_I32, INT32_MIN, INT32_MAX, algorithm);
  check_type(twins, "f32", VITRAIL_F32, -100000, 100000, algorithm);
  check_refusals(twins, algorithm);
  check_large(twins, algorithm);
}

int
main(void)
{
  VtTwins twins;
  vt_twins_init(&twins);
  const VtCpuSimd best = vt_cpu_simd();
  int n = 0;
  for (int t = 0; t < twins.n; t++)
    for (int k = 0; twins.backends[t]->reconstruct && twins.backends[t]->reconstruct[k].id; k++)
      n = k + 1 > n ? k + 1 : n;
  for (int algorithm = 0; algorithm < n; algorithm++)
    check_algorithm(&twins, algorithm);
  check_cancel();
  for (VtCpuSimd simd = VT_CPU_BASELINE; simd < best; simd++) { /* only the first one has variants */
    vt_cpu_simd_limit(simd);
    check_algorithm(&twins, 0);
  }
  vt_twins_clear(&twins);
  return vt_test_done();
}
