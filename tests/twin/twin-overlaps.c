/* SPDX-License-Identifier: MIT */
#include "twin.h"

#include <stdlib.h>
#include <string.h>

typedef struct Params {
  VtOverlap *list; /* of the reference */
  int64_t n;
} Params;

/* Lists are compared here, as they are in host memory. */
static VitrailStatus
overlaps(const VtBackend *backend, VtDevice *device, const VtImage *views, const void *user, bool reference)
{
  Params *p = (Params *)user;
  VtOverlap *list = NULL;
  int64_t n = -1;
  const VtOverlaps args = { views[0], views[1], reference ? &p->list : &list, reference ? &p->n : &n };
  if (!backend->overlaps)
    return VITRAIL_UNSUPPORTED;
  VitrailStatus status = backend->overlaps(device, &args, NULL);
  if (!reference && status == VITRAIL_OK
      && (n != p->n || (n == 0) != !list || (n > 0 && memcmp(list, p->list, (size_t)n * sizeof *list) != 0)))
    status = VITRAIL_INTERNAL;
  free(list);
  return status;
}

static void
run_case(VtTwins *twins, const VtBackend *reference, const VtPicture *p)
{
  Params params = { .n = 0 };
  vt_twin_case(twins, reference, overlaps, &params, p, 2);
  free(params.list);
}

/* Few labels, all that there can be, none, and some that are not counted; noise of the last kind has as many pairs as pixels. */
static void
overlaps_case(VtTwins *twins, const VtBackend *reference, VtRandom *random, int i, int64_t w, int64_t h)
{
  static const int64_t ranges[][2] = { { 0, 9 }, { 0, INT32_MAX }, { 0, 0 }, { -3, 5 }, { 0, 200 } };
  VtPicture p[2] = { vt_picture_new(random, w, h, VITRAIL_I32), vt_picture_new(random, w, h, VITRAIL_I32) };
  for (int k = 0; k < 2; k++) {
    const int64_t *range = ranges[(k ? i / 5 : i) % 5];
    vt_picture_fill(&p[k], random, (k ? i / 3 : i) % VT_N_PATTERNS, range[0], range[1]);
  }
  run_case(twins, reference, p);
  vt_pictures_clear(p, 2);
}

/* The objects of a good result: each beside, and mostly over, the true one of nearly its number. */
static void
check_good_result(VtTwins *twins)
{
  VtRandom random = { 35 };
  vt_twins_begin(twins, "overlaps, shifted blocks");
  for (int i = 0; i < vt_rounds(20); i++) {
    const int64_t w = 90 + i, h = 60, side = 3 + i % 7;
    VtPicture p[2] = { vt_picture_new(&random, w, h, VITRAIL_I32), vt_picture_new(&random, w, h, VITRAIL_I32) };
    for (int k = 0; k < 2; k++)
      for (int64_t y = 0; y < h; y++)
        for (int64_t x = 0; x < w; x++) {
          const int64_t column = (x + k * (i % 3)) / side, row = y / side;
          vt_oracle_set(&p[k].view, x, y, (column + row) % 2 ? 0 : (double)(INT32_MAX - k - row * 40 - column));
        }
    run_case(twins, vt_oracle_backend(), p);
    vt_pictures_clear(p, 2);
  }
  vt_twins_end(twins);
}

static void
check_refusals(VtTwins *twins)
{
  VtRandom random = { 34 };
  vt_twins_begin(twins, "overlaps, refusals");
  for (int i = 0; i < 3; i++) {
    Params params = { .n = 0 };
    VtPicture p[2] = { vt_picture_new(&random, 9, 8, i == 0 ? VITRAIL_U16 : VITRAIL_I32),
                       vt_picture_new(&random, 9, i == 1 ? 7 : 8, i == 2 ? VITRAIL_F32 : VITRAIL_I32) };
    vt_twin_refused(twins, overlaps, &params, p, 2);
    vt_pictures_clear(p, 2);
  }
  vt_twins_end(twins);
}

int
main(void)
{
  VtTwins twins;
  vt_twins_init(&twins);
  vt_twins_add_threads(&twins);
  vt_twin_sweep(&twins, "overlaps", overlaps_case, 36, 400, 40, 20, 20);
  check_good_result(&twins);
  check_refusals(&twins);
  vt_twins_clear(&twins);
  return vt_test_done();
}
