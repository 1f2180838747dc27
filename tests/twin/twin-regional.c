/* SPDX-License-Identifier: MIT */
#include "twin.h"

#include <math.h>

typedef struct Params {
  int32_t connectivity;
  bool minima, everywhere;
} Params;

static VitrailStatus
regional(const VtBackend *backend, VtDevice *device, const VtImage *views, const void *user, bool reference)
{
  const Params *p = user;
  const VtRegional args = { views[0], p->everywhere ? (VtImage){ 0 } : views[1], views[2], p->connectivity, p->minima };
  return backend->regional ? backend->regional(device, &args, NULL) : VITRAIL_UNSUPPORTED;
}

static VtType type; /* of the images */

static void
one_case(VtTwins *twins, const VtBackend *reference, VtRandom *random, int i, int64_t w, int64_t h)
{
  const Params params = { i % 2 ? 4 : 8, i / 2 % 2, i % 3 == 0 };
  const int64_t high = i % 5 == 0 ? 1 : i % 5 == 1 ? 200 : 4;
  VtPicture p[3] = { vt_picture_new(random, w, h, type), vt_picture_new(random, w, h, VITRAIL_U8),
                     vt_picture_new(random, w, h, VITRAIL_U8) };
  vt_picture_fill(&p[0], random, i / 4 % VT_N_PATTERNS, 0, high);
  vt_picture_fill(&p[1], random, i / 3 % VT_N_PATTERNS, 0, i % 2 + 1);
  for (int64_t y = 0; y < h && i % 7 == 0; y++) /* the ends of the type, both zeros */
    for (int64_t x = 0; x < w; x++) {
      const double v = vt_oracle_get(&p[0].view, x, y);
      if (type == VITRAIL_I32)
        vt_oracle_set(&p[0].view, x, y, v == 0 ? INT32_MIN : v == 1 ? INT32_MAX : -v);
      if (type == VITRAIL_F32)
        vt_oracle_set(&p[0].view, x, y, v == 0 ? -INFINITY : v == 1 ? -0.0 : v == 2 ? 0.0 : v == 3 ? INFINITY : -v);
    }
  vt_twin_case(twins, reference, regional, &params, p, 3);
  vt_pictures_clear(p, 3);
}

static void
check_refusals(VtTwins *twins)
{
  VtRandom random = { 45 };
  vt_twins_begin(twins, "refusals");
  for (int i = 0; i < 4; i++) {
    const Params params = { i == 0 ? 6 : 8, false, false };
    VtPicture p[3] = { vt_picture_new(&random, 9, 8, i == 1 ? VT_I64 : VITRAIL_F32),
                       vt_picture_new(&random, i == 2 ? 8 : 9, 8, VITRAIL_U8),
                       vt_picture_new(&random, 9, 8, VITRAIL_U8) };
    if (i != 1)
      vt_picture_fill(&p[0], &random, 0, 0, 5);
    vt_picture_fill(&p[1], &random, 2, 255, 255);
    if (i == 3)
      vt_oracle_set(&p[0].view, 4, 4, NAN);
    vt_twin_refused(twins, regional, &params, p, 3);
    vt_pictures_clear(p, 3);
  }
  vt_twins_end(twins);
}

int
main(void)
{
  static const char *const names[] = { "u8", "u16", "i32", "f32" };
  VtTwins twins;
  vt_twins_init(&twins);
  vt_twins_add_threads(&twins);
  for (type = VITRAIL_U8; type <= VITRAIL_F32; type++)
    vt_twin_sweep(&twins, names[type], one_case, 41 + (uint64_t)type, 700, 50, 40, 10);
  check_refusals(&twins);
  vt_twins_clear(&twins);
  return vt_test_done();
}
