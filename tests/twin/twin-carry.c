/* SPDX-License-Identifier: MIT */
#include "twin.h"

static int64_t
farther(const VtImage *row, int64_t x, int64_t way)
{
  const int32_t distance = *(int32_t *)vt_image_at(row, x, 0);
  return distance == VT_EDT_NONE ? VT_EDT_NONE : distance + way;
}

/* views: columns, above, below. The reference is the definition. */
static VitrailStatus
carry(const VtBackend *backend, VtDevice *device, const VtImage *views, const void *user, bool reference)
{
  const VtEdtCarry args = { views[0], views[1], views[2] };
  if (!reference)
    return backend->edt_carry ? backend->edt_carry(device, &args, NULL) : VITRAIL_UNSUPPORTED;
  for (int64_t y = 0; y < views[0].height; y++)
    for (int64_t x = 0; x < views[0].width; x++) {
      int32_t *pixel = vt_image_at(&views[0], x, y);
      const int64_t above = farther(&views[1], x, y), below = farther(&views[2], x, views[0].height - 1 - y);
      *pixel = (int32_t)(above < *pixel ? above : *pixel);
      *pixel = (int32_t)(below < *pixel ? below : *pixel);
    }
  return VITRAIL_OK;
}

static void
check(VtTwins *twins, const char *name, int n, int64_t widest, int64_t highest)
{
  static const int64_t farthest[] = { 5, 300, INT32_MAX - 4000 };
  VtRandom random = { 7 };
  vt_twins_begin(twins, name);
  for (int i = 0; i < n; i++) {
    const int64_t w = vt_random_side(&random, widest), h = vt_random_side(&random, highest);
    VtPicture p[3] = { vt_picture_new(&random, w, h, VITRAIL_I32), vt_picture_new(&random, w, 1, VITRAIL_I32),
                       vt_picture_new(&random, w, 1, VITRAIL_I32) };
    for (int k = 0; k < 3; k++) {
      vt_picture_fill(&p[k], &random, i % VT_N_PATTERNS, 0, farthest[i % 3]);
      for (int64_t y = 0; y < p[k].view.height; y++) /* columns without background, here or beyond */
        for (int64_t x = 0; x < w; x++)
          if (vt_random(&random) % 3 == 0)
            vt_oracle_set(&p[k].view, x, y, VT_EDT_NONE);
    }
    vt_twin_case(twins, vt_oracle_backend(), carry, NULL, p, 3);
    vt_pictures_clear(p, 3);
  }
  vt_twins_end(twins);
}

static void
check_refusals(VtTwins *twins)
{
  VtRandom random = { 8 };
  vt_twins_begin(twins, "refusals");
  for (int i = 0; i < 3; i++) {
    VtPicture p[3] = { vt_picture_new(&random, 9, 8, i == 0 ? VITRAIL_F32 : VITRAIL_I32),
                       vt_picture_new(&random, i == 1 ? 8 : 9, 1, VITRAIL_I32),
                       vt_picture_new(&random, 9, i == 2 ? 2 : 1, VITRAIL_I32) };
    vt_twin_refused(twins, carry, NULL, p, 3);
    vt_pictures_clear(p, 3);
  }
  vt_twins_end(twins);
}

int
main(void)
{
  VtTwins twins;
  vt_twins_init(&twins);
  check(&twins, "small", vt_rounds(400), 120, 40);
  check(&twins, "large", vt_rounds(20), 3000, 300);
  check_refusals(&twins);
  vt_twins_clear(&twins);
  return vt_test_done();
}
