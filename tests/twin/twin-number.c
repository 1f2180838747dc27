/* SPDX-License-Identifier: MIT */
#include "twin.h"

#include <stdlib.h>
#include <string.h>

enum { N_ENTRIES = 12 };

typedef struct Params {
  int32_t table[N_ENTRIES];
  VtObjectStats *stats; /* of the reference */
  int64_t n;
} Params;

/* Statistics are compared here, as they are in host memory. */
static VitrailStatus
number(const VtBackend *backend, VtDevice *device, const VtImage *views, const void *user, bool reference)
{
  Params *p = (Params *)user;
  VtObjectStats *stats = NULL;
  int64_t n = -1;
  const VtNumber args = { views[0], views[1], views[2], reference ? &p->stats : &stats, reference ? &p->n : &n };
  if (!backend->number)
    return VITRAIL_UNSUPPORTED;
  VitrailStatus status = backend->number(device, &args, NULL);
  if (!reference && status == VITRAIL_OK
      && (n != p->n || (n > 0 && memcmp(stats, p->stats, (size_t)n * sizeof *stats) != 0)))
    status = VITRAIL_INTERNAL;
  free(stats);
  return status;
}

VT_TWIN_SLOT(relabel, VtRelabel, views[0], ((const Params *)user)->table, N_ENTRIES)

static void
number_case(VtTwins *twins, const VtBackend *reference, VtRandom *random, int i, int64_t w, int64_t h)
{
  Params params = { .n = 0 };
  VtPicture p[3] = { vt_picture_new(random, w, h, VITRAIL_I32), vt_picture_new(random, w, h, VITRAIL_U16),
                     vt_picture_new(random, w, h, VITRAIL_U16) };
  const int64_t most = w * h, few = most < 9 ? most : 9;
  vt_picture_fill(&p[0], random, i % VT_N_PATTERNS, 0, i % 3 ? few : most);
  vt_picture_fill(&p[1], random, 0, 0, 65535);
  vt_picture_fill(&p[2], random, i / 2 % VT_N_PATTERNS, 0, 65535);
  vt_twin_case(twins, reference, number, &params, p, 3);
  free(params.stats);
  vt_pictures_clear(p, 3);
}

static void
check_relabel(VtTwins *twins)
{
  VtRandom random = { 32 };
  vt_twins_begin(twins, "relabel");
  for (int i = 0; i < vt_rounds(100); i++) {
    Params params = { .n = 0 };
    VtPicture p = vt_picture_new(&random, vt_random_side(&random, 80), vt_random_side(&random, 40), VITRAIL_I32);
    for (int k = 0; k < N_ENTRIES; k++)
      params.table[k] = (int32_t)vt_random_between(&random, 0, INT32_MAX);
    vt_picture_fill(&p, &random, i % VT_N_PATTERNS, 0, N_ENTRIES - 1);
    vt_twin_case(twins, vt_oracle_backend(), relabel, &params, &p, 1);
    vt_pictures_clear(&p, 1);
  }
  vt_twins_end(twins);
}

static void
check_refusals(VtTwins *twins)
{
  VtRandom random = { 33 };
  vt_twins_begin(twins, "number and relabel, refusals");
  for (int i = 0; i < 5; i++) {
    Params params = { .n = 0 };
    VtPicture p[3] = { vt_picture_new(&random, 9, 8, i == 2 ? VITRAIL_F32 : VITRAIL_I32),
                       vt_picture_new(&random, 9, i == 3 ? 7 : 8, VITRAIL_U16),
                       vt_picture_new(&random, 9, 8, i == 4 ? VITRAIL_U8 : VITRAIL_U16) };
    vt_picture_fill(&p[0], &random, 0, 0, 11);
    if (i < 2)
      vt_oracle_set(&p[0].view, 3, 5, i ? 73 : -1);
    vt_twin_refused(twins, number, &params, p, 3);
    if (i < 3)
      vt_twin_refused(twins, relabel, &params, p, 1);
    vt_pictures_clear(p, 3);
  }
  vt_twins_end(twins);
}

int
main(void)
{
  VtTwins twins;
  vt_twins_init(&twins);
  vt_twin_sweep(&twins, "number", number_case, 31, 300, 50, 20, 20);
  check_relabel(&twins);
  check_refusals(&twins);
  vt_twins_clear(&twins);
  return vt_test_done();
}
