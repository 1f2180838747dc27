/* SPDX-License-Identifier: MIT */
#include "twin.h"

#include <stdlib.h>

enum { STEPS = 1, ZONES = 2 };

typedef struct Params {
  int32_t connectivity;
  int outputs;
} Params;

/* The oracle needs both outputs: what is not wanted goes into a copy. */
static VitrailStatus
geodesic(const VtBackend *backend, VtDevice *device, const VtImage *views, const void *user, bool reference)
{
  const Params *p = user;
  VtGeodesic args = { views[0], views[1], { 0 }, { 0 }, p->connectivity };
  VtImage spare = views[2];
  if (!backend->geodesic)
    return VITRAIL_UNSUPPORTED;
  if (p->outputs & STEPS)
    args.steps = views[2];
  if (p->outputs & ZONES)
    args.zones = views[3];
  if (backend != vt_oracle_backend() || (args.steps.data && args.zones.data))
    return backend->geodesic(device, &args, NULL);
  spare.data = malloc((size_t)(spare.stride * spare.height));
  if (!spare.data)
    return VITRAIL_OUT_OF_MEMORY;
  *(args.steps.data ? &args.zones : &args.steps) = spare;
  const VitrailStatus status = backend->geodesic(device, &args, NULL);
  free(spare.data);
  return status;
}

static void
one_case(VtTwins *twins, const VtBackend *reference, VtRandom *random, int i, int64_t w, int64_t h)
{
  const Params params = { i % 2 ? 4 : 8, 1 + i % 3 };
  VtPicture p[4] = { vt_picture_new(random, w, h, VITRAIL_I32), vt_picture_new(random, w, h, VITRAIL_U8),
                     vt_picture_new(random, w, h, VITRAIL_I32), vt_picture_new(random, w, h, VITRAIL_I32) };
  const uint64_t rarity = i % 5 == 0 ? 3 : i % 5 == 1 ? (uint64_t)(w * h) : 60;
  vt_picture_fill(&p[0], random, i % 11 == 0 ? 7 : 2, 0, i % 11 == 0 ? 3 : 0);
  vt_picture_fill(&p[1], random, i / 6 % VT_N_PATTERNS, i % 7 == 0 ? 1 : 0, i % 4 + 1);
  for (int64_t y = 0; y < h && i % 13; y++)
    for (int64_t x = 0; x < w; x++)
      if (vt_random(random) % rarity == 0)
        vt_oracle_set(&p[0].view, x, y, (double)vt_random_between(random, 1, i % 3 ? 4 : INT32_MAX));
  vt_twin_case(twins, reference, geodesic, &params, p, 4);
  vt_pictures_clear(p, 4);
}

static void
check_refusals(VtTwins *twins)
{
  VtRandom random = { 52 };
  vt_twins_begin(twins, "refusals");
  for (int i = 0; i < 4; i++) {
    const Params params = { i == 0 ? 6 : 8, i == 1 ? 0 : 3 };
    VtPicture p[4] = { vt_picture_new(&random, 9, 8, VITRAIL_I32),
                       vt_picture_new(&random, i == 2 ? 8 : 9, 8, VITRAIL_U8),
                       vt_picture_new(&random, 9, 8, VITRAIL_I32), vt_picture_new(&random, 9, 8, VITRAIL_I32) };
    vt_picture_fill(&p[0], &random, 0, 0, 5);
    vt_picture_fill(&p[1], &random, 2, 255, 255);
    if (i == 3)
      vt_oracle_set(&p[0].view, 4, 4, -1);
    vt_twin_refused(twins, geodesic, &params, p, 4);
    vt_pictures_clear(p, 4);
  }
  vt_twins_end(twins);
}

int
main(void)
{
  VtTwins twins;
  vt_twins_init(&twins);
  vt_twins_add_threads(&twins);
  vt_twin_sweep(&twins, "geodesic", one_case, 51, 2000, 40, 40, 20);
  check_refusals(&twins);
  vt_twins_clear(&twins);
  return vt_test_done();
}
