/* SPDX-License-Identifier: MIT */
#include "twin.h"

#include <math.h>

VT_TWIN_SLOT(components, VtComponents, views[0], views[1], *(const int32_t *)user)
VT_TWIN_SLOT(watershed, VtWatershed, views[0], views[1], views[2], views[3])

static void
components_case(VtTwins *twins, const VtBackend *reference, VtRandom *random, int i, int64_t w, int64_t h)
{
  const int32_t connectivity = i % 2 ? 4 : 8;
  VtPicture p[2] = { vt_picture_new(random, w, h, VITRAIL_U8), vt_picture_new(random, w, h, VITRAIL_I32) };
  vt_picture_fill(&p[0], random, i / 2 % VT_N_PATTERNS, i % 11 == 0 ? 255 : 0, i % 3 == 0 ? 255 : 1);
  vt_twin_case(twins, reference, components, &connectivity, p, 2);
  vt_pictures_clear(p, 2);
}

/* Relief, seeds and mask as a pipeline makes them (level = reconstruction of the height at the seeds), or anything. */
static void
watershed_case(VtTwins *twins, const VtBackend *reference, VtRandom *random, int i, int64_t w, int64_t h)
{
  VtPicture p[4] = { vt_picture_new(random, w, h, VITRAIL_F32), vt_picture_new(random, w, h, VITRAIL_I32),
                     vt_picture_new(random, w, h, VITRAIL_U8), vt_picture_new(random, w, h, VITRAIL_I32) };
  VtPicture height = vt_picture_new(random, w, h, VITRAIL_F32);
  vt_picture_fill(&height, random, i % VT_N_PATTERNS, 0, i % 3 ? 9 : 2);
  vt_picture_fill(&p[2], random, i % 5 == 0 ? i / 5 % VT_N_PATTERNS : 2, i % 5 == 0 ? 0 : 255, 255);
  const uint64_t rarity = i % 2 ? 40 : (uint64_t)(w * h);
  for (int64_t y = 0; y < h; y++)
    for (int64_t x = 0; x < w; x++) {
      const bool seed = vt_random(random) % rarity == 0;
      vt_oracle_set(&p[1].view, x, y, seed ? (double)(1 + y * w + x) : 0);
      vt_oracle_set(&p[0].view, x, y, seed || i % 4 == 3 ? vt_oracle_get(&height.view, x, y) : i % 8 ? -1 : -INFINITY);
      if (!vt_oracle_get(&p[2].view, x, y) && i % 2)
        vt_oracle_set(&p[0].view, x, y, -INFINITY);
    }
  const VtReconstruct flood = { p[0].view, height.view, 8 };
  if (i % 4 != 3 && vt_cpu_backend()->reconstruct[0].run(NULL, &flood, NULL) != VITRAIL_OK)
    vt_ok(false, "the flood level of case %d", i);
  vt_twin_case(twins, reference, watershed, NULL, p, 4);
  vt_pictures_clear(p, 4);
  vt_pictures_clear(&height, 1);
}

static void
check_refusals(VtTwins *twins)
{
  VtRandom random = { 23 };
  vt_twins_begin(twins, "refusals");
  for (int i = 0; i < 4; i++) {
    const int32_t connectivity = i == 0 ? 6 : 8;
    VtPicture p[4] = { vt_picture_new(&random, 9, 8, VITRAIL_F32), vt_picture_new(&random, 9, 8, VITRAIL_I32),
                       vt_picture_new(&random, i == 1 ? 8 : 9, 8, VITRAIL_U8),
                       vt_picture_new(&random, 9, 8, i == 2 ? VITRAIL_F32 : VITRAIL_I32) };
    vt_picture_fill(&p[0], &random, 0, 0, 5);
    vt_picture_fill(&p[1], &random, 3, 0, 5);
    vt_picture_fill(&p[2], &random, 2, 255, 255);
    if (i == 3 || i == 0)
      vt_oracle_set(&p[0].view, 4, 4, NAN);
    if (i < 3)
      vt_twin_refused(twins, components, &connectivity, &p[2], 2);
    vt_twin_refused(twins, watershed, NULL, p, 4);
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
  vt_twin_sweep(&twins, "components", components_case, 21, 400, 70, 40, 30);
  vt_twin_sweep(&twins, "watershed", watershed_case, 22, 400, 40, 30, 20);
  check_refusals(&twins);
  vt_twins_clear(&twins);
  return vt_test_done();
}
