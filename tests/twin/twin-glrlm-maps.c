/* SPDX-License-Identifier: MIT
 *
 * twin-glrlm-maps.c: many maps in one call, every feature and aggregate at once, against the CPU's last algorithm. */
#include "twin.h"

#include <string.h>

enum { MAX_MAPS = 6 * VT_GLRLM_N_FEATURES };

typedef struct Case {
  VtGlrlmWindows args;
  VtPicture src;
  int64_t width, height; /* of a map */
  int n_maps;
  float *expected;
} Case;

static VitrailStatus
run(const VtBackend *backend, VtDevice *device, const VtGlrlmAlgorithm *algorithm, const Case *c, float *out)
{
  const size_t bytes = (size_t)(c->n_maps * c->width * c->height) * sizeof *out;
  VtGlrlmWindows args = c->args;
  VtImage maps[MAX_MAPS], host = { out, c->width, c->height * c->n_maps, c->width * 4, VITRAIL_F32 }, all = host;
  args.src = c->src.view;
  args.src.stride = c->src.view.width * (int64_t)vt_type_size(args.src.type);
  args.src.data = all.data = NULL;
  VitrailStatus status = backend->alloc(device, (size_t)(args.src.stride * args.src.height), &args.src.data);
  if (status == VITRAIL_OK)
    status = backend->alloc(device, bytes, &all.data);
  if (status == VITRAIL_OK)
    status = backend->upload(device, &args.src, &c->src.view);
  for (int k = 0; k < c->n_maps && status == VITRAIL_OK; k++)
    maps[k] = vt_image_window(&all, 0, k * c->height, c->width, c->height);
  args.dst = maps;
  if (status == VITRAIL_OK)
    status = algorithm->run(device, &args, NULL);
  if (status == VITRAIL_OK)
    status = backend->download(device, &host, &all);
  backend->free(device, all.data);
  backend->free(device, args.src.data);
  return status;
}

/* Equal bytes, but any NaN for a NaN. */
static bool
same(const Case *c, const float *got)
{
  for (int64_t k = 0; k < c->n_maps * c->width * c->height; k++)
    if (memcmp(&got[k], &c->expected[k], sizeof *got) != 0 && !(got[k] != got[k] && c->expected[k] != c->expected[k])) {
      printf("# map %lld, window %lld: %.9g, not %.9g\n", (long long)(k / (c->width * c->height)),
             (long long)(k % (c->width * c->height)), (double)got[k], (double)c->expected[k]);
      return false;
    }
  return true;
}

/* The first six are all maps of windows narrow and wide, which kernels of their own take, the fourth with entropy, the sixth
 * with levels of two bytes in narrow ones; the seventh is the largest of the CPU's small windows. */
static Case
make(VtRandom *random, int i)
{
  static const int32_t halves[] = { 64, 20, 40, 5, 10, 7, 7 };
  const bool wide = i % 3 == 1 || i == 5;
  const int64_t w = vt_random_side(random, vt_twin_side(150)), h = vt_random_side(random, vt_twin_side(40));
  Case c = { .args = { .n_levels = i % 7 == 0 ? 255
                                   : i == 6   ? 48
                                              : (int32_t)vt_random_between(random, 1, 40),
                       .half = i < 7         ? halves[i]
                               : i % 11 == 0 ? 64
                                             : (int32_t)vt_random_between(random, 1, 9),
                       .step = i == 3 || i % 4 == 0 ? 2
                               : i % 5 == 4         ? i / 5 % 4 + 1
                                                    : 1 },
             .width = w,
             .height = h };
  const uint32_t all = (1u << VT_GLRLM_N_FEATURES) - 1;
  c.args.features = i > 5 && i % 2 ? (uint32_t)vt_random_between(random, 1, all)
                    : i == 3       ? all
                                   : all & ~(1u << VT_GLRLM_RE);
  c.args.aggregates = i == 2 || i == 4     ? 63
                      : i < 4 || i % 5 < 2 ? 15
                      : i % 5 == 4         ? 1u << (i % 2 ? VT_GLRLM_MEAN : i / 2 % 5)
                                           : (uint32_t)vt_random_between(random, 1, i % 5 == 3 ? 63 : 31);
  c.n_maps = __builtin_popcount(c.args.features) * __builtin_popcount(c.args.aggregates);
  c.src = vt_picture_new(random, w, h, wide ? VITRAIL_U16 : VITRAIL_U8);
  vt_picture_fill(&c.src, random, i / 2 % VT_N_PATTERNS, i % 4 ? 1 : 0, c.args.n_levels);
  c.expected = malloc((size_t)(c.n_maps * w * h) * sizeof *c.expected);
  return c;
}

static void
check(VtTwins *twins, int t)
{
  const VtBackend *cpu = vt_cpu_backend(), *backend = twins->backends[t];
  const VtGlrlmAlgorithm *serial = cpu->glrlm_windows;
  VtRandom random = { 36 };
  while (serial[1].id)
    serial++;
  for (const VtGlrlmAlgorithm *a = backend->glrlm_windows; a && a->id; a++) {
    int n_bad = 0, n_cases = vt_rounds(40);
    for (int i = 0; i < n_cases; i++) {
      Case c = make(&random, i);
      float *got = malloc((size_t)(c.n_maps * c.width * c.height) * sizeof *got);
      n_bad += !got || !c.expected || run(cpu, twins->devices[0], serial, &c, c.expected) != VITRAIL_OK
               || run(backend, twins->devices[t], a, &c, got) != VITRAIL_OK || !same(&c, got);
      free(got);
      free(c.expected);
      vt_pictures_clear(&c.src, 1);
    }
    vt_ok(n_bad == 0, "many maps at once, %s on %s: %d cases, %d failures", a->id, backend->id, n_cases, n_bad);
  }
}

int
main(void)
{
  VtTwins twins;
  vt_twins_init(&twins);
  for (int t = 0; t < twins.n; t++)
    check(&twins, t);
  vt_twins_clear(&twins);
  return vt_test_done();
}
