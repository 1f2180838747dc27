/* SPDX-License-Identifier: MIT */
#include "twin.h"

#include <stdlib.h>

static const float scale = 0.4990f;

VT_TWIN_SLOT(edt_columns, VtEdt, views[0], views[1], 1)
VT_TWIN_SLOT(edt_rows, VtEdt, views[0], views[1], scale)

/* Where the reference takes the two passes. */
static VitrailStatus
both(const VtBackend *backend, VtDevice *device, const VtImage *views, const void *user, bool reference)
{
  const bool squared = views[1].type == VT_I64;
  const VtDistance args = { .src = views[0],
                            .squared = squared ? views[1] : (VtImage){ 0 },
                            .root = squared ? (VtImage){ 0 } : views[1],
                            .weight_x = 1,
                            .weight_y = 1,
                            .scale = scale };
  if (!reference)
    return backend->distance ? backend->distance->run(device, &args, NULL) : VITRAIL_UNSUPPORTED;
  const int64_t width = views[0].width, height = views[0].height;
  VtImage distances = { malloc((size_t)(width * height * 4)), width, height, width * 4, VITRAIL_I32 };
  const VtEdt first = { views[0], distances, 1 }, second = { distances, views[1], scale };
  VitrailStatus status = distances.data ? backend->edt_columns(device, &first, NULL) : VITRAIL_OUT_OF_MEMORY;
  if (status == VITRAIL_OK)
    status = backend->edt_rows(device, &second, NULL);
  free(distances.data);
  return status;
}

/* Foreground: a pattern, all of it, none, all but one pixel. */
static void
draw(VtPicture *src, VtRandom *random, int kind)
{
  const VtImage *v = &src->view;
  const int64_t x = vt_random_between(random, 0, v->width - 1), y = vt_random_between(random, 0, v->height - 1);
  if (kind < VT_N_PATTERNS) {
    vt_picture_fill(src, random, kind, 0, kind == 3 ? 1 : 2);
    return;
  }
  vt_picture_fill(src, random, 2, kind == VT_N_PATTERNS ? 0 : 255, kind == VT_N_PATTERNS ? 0 : 255);
  if (kind == VT_N_PATTERNS + 1)
    vt_oracle_set(v, x, y, 0);
}

static void
check(VtTwins *twins, const char *name, VtTwinCall call, VtType in, VtType out)
{
  static const int64_t highest[] = { 5, 300, 46340 * 1000, 46010 }; /* squares of 46000 and more need 64 bits */
  VtRandom random = { 3 };
  vt_twins_begin(twins, name);
  for (int i = 0; i < vt_rounds(400); i++) {
    const int64_t w = vt_random_side(&random, 120), h = vt_random_side(&random, 40);
    VtPicture p[2] = { vt_picture_new(&random, w, h, in), vt_picture_new(&random, w, h, out) };
    if (in == VITRAIL_U8)
      draw(&p[0], &random, i % (VT_N_PATTERNS + 3));
    else
      vt_picture_fill(&p[0], &random, i % VT_N_PATTERNS, i % 4 == 3 ? 45990 : 0, highest[i % 4]);
    for (int64_t y = 0; in == VITRAIL_I32 && y < h; y++) /* columns, and rows, without background */
      for (int64_t x = 0; x < w; x++)
        if (i % 7 == 0 || (i % 2 && vt_random(&random) % 3 == 0))
          vt_oracle_set(&p[0].view, x, y, VT_EDT_NONE);
    vt_twin_case(twins, vt_oracle_backend(), call, NULL, p, 2);
    vt_pictures_clear(p, 2);
  }
  vt_twins_end(twins);
}

/* Distances whose squares are just below 2^63, at the ends of a row. */
static void
check_far(VtTwins *twins)
{
  VtRandom random = { 4 };
  vt_twins_begin(twins, "rows with distances near 2^31");
  for (int i = 0; i < vt_rounds(40); i++) {
    VtPicture p[2] = { vt_picture_new(&random, 1 + i * 7, 3, VITRAIL_I32),
                       vt_picture_new(&random, 1 + i * 7, 3, VT_I64) };
    vt_picture_fill(&p[0], &random, i % 2, i % 3 ? 2147480000 : 0, INT32_MAX - 1);
    vt_twin_case(twins, vt_oracle_backend(), edt_rows, NULL, p, 2);
    vt_pictures_clear(p, 2);
  }
  vt_twins_end(twins);
}

static void
check_refusals(VtTwins *twins)
{
  VtRandom random = { 5 };
  vt_twins_begin(twins, "refusals");
  for (int i = 0; i < 4; i++) {
    VtPicture a = vt_picture_new(&random, 9, 8, i % 2 ? VITRAIL_I32 : VITRAIL_U8);
    VtPicture b = vt_picture_new(&random, i < 2 ? 9 : 8, 8, i < 2 ? VITRAIL_U16 : i % 2 ? VT_I64 : VITRAIL_I32);
    VtPicture p[2] = { a, b };
    vt_picture_fill(&p[0], &random, 0, 0, 2);
    vt_twin_refused(twins, i % 2 ? edt_rows : edt_columns, NULL, p, 2);
    vt_pictures_clear(p, 2);
  }
  vt_twins_end(twins);
}

static void
check_large(VtTwins *twins)
{
  static const int64_t sizes[][2] = { { 1000, 777 }, { 2048, 64 }, { 64, 2048 }, { 5000, 1 },
                                      { 1, 5000 },   { 20001, 3 }, { 100000, 2 } };
  VtRandom random = { 6 };
  vt_twins_begin(twins, "large, cpu as reference");
  for (int i = 0; i < vt_rounds(35); i++) {
    const int64_t w = vt_twin_side(sizes[i % 7][0]), h = vt_twin_side(sizes[i % 7][1]);
    VtPicture p[2] = { vt_picture_new(&random, w, h, VITRAIL_U8), vt_picture_new(&random, w, h, VITRAIL_I32) };
    draw(&p[0], &random, i < 4 || w == 100000 ? VT_N_PATTERNS + i % 3 : i % VT_N_PATTERNS);
    vt_twin_case(twins, vt_cpu_backend(), edt_columns, NULL, p, 2);
    VtPicture q[2] = { vt_picture_copy(&p[1]), vt_picture_new(&random, w, h, i % 2 ? VT_I64 : VITRAIL_F32) };
    const VtEdt args = { p[0].view, q[0].view, 1 };
    vt_ok(vt_cpu_backend()->edt_columns(NULL, &args, NULL) == VITRAIL_OK, "columns of case %d", i);
    vt_twin_case(twins, vt_cpu_backend(), edt_rows, NULL, q, 2);
    vt_pictures_clear(p, 2);
    vt_pictures_clear(q, 2);
  }
  vt_twins_end(twins);
}

/* Distances that are short, longer than what is searched first, and longer than that: spots that thin out to the right,
 * one alone in a third of the cases. */
static void
check_both(VtTwins *twins)
{
  static const int64_t sizes[][2] = { { 1000, 777 }, { 2048, 64 },  { 64, 2048 },  { 5000, 1 }, { 1, 5000 },
                                      { 2051, 300 }, { 1920, 200 }, { 40000, 70 }, { 3, 70000 } };
  enum { N_SIZES = sizeof sizes / sizeof *sizes };
  VtRandom random = { 8 };
  vt_twins_begin(twins, "both passes");
  for (int i = 0; i < vt_rounds(400); i++) {
    const bool large = i % 10 == 9;
    const int64_t w = large ? vt_twin_side(sizes[i / 10 % N_SIZES][0]) : vt_random_side(&random, 120);
    const int64_t h = large ? vt_twin_side(sizes[i / 10 % N_SIZES][1]) : vt_random_side(&random, 140);
    VtPicture p[2] = { vt_picture_new(&random, w, h, VITRAIL_U8),
                       vt_picture_new(&random, w, h, i % 2 ? VT_I64 : VITRAIL_F32) };
    draw(&p[0], &random, large ? VT_N_PATTERNS : i % (VT_N_PATTERNS + 3));
    const int64_t n_spots = large ? 1 + i / 10 / N_SIZES % 3 * 40 : 0;
    for (int64_t y = 0; large && y < h; y++)
      for (int64_t x = 0; x < w; x++)
        vt_oracle_set(&p[0].view, x, y, 1);
    for (int64_t k = 0; k < n_spots; k++)
      vt_oracle_set(&p[0].view, (w - 1) * k * k / (n_spots * n_spots), vt_random_between(&random, 0, h - 1), 0);
    vt_twin_case(twins, large ? vt_cpu_backend() : vt_oracle_backend(), both, NULL, p, 2);
    vt_pictures_clear(p, 2);
  }
  vt_twins_end(twins);
}

/* One background pixel in the middle: every distance that a search over 240 pixels can meet, and so every root. */
static void
check_roots(VtTwins *twins)
{
  enum { SIDE = 481 };
  VtRandom random = { 9 };
  vt_twins_begin(twins, "all short roots");
  VtPicture p[2] = { vt_picture_new(&random, SIDE, SIDE, VITRAIL_U8),
                     vt_picture_new(&random, SIDE, SIDE, VITRAIL_F32) };
  for (int64_t y = 0; y < SIDE; y++)
    for (int64_t x = 0; x < SIDE; x++)
      vt_oracle_set(&p[0].view, x, y, x != SIDE / 2 || y != SIDE / 2);
  vt_twin_case(twins, vt_cpu_backend(), both, NULL, p, 2);
  vt_pictures_clear(p, 2);
  vt_twins_end(twins);
}

int
main(void)
{
  VtTwins twins;
  vt_twins_init(&twins);
  vt_twins_add_threads(&twins);
  check(&twins, "columns", edt_columns, VITRAIL_U8, VITRAIL_I32);
  check(&twins, "rows, squared", edt_rows, VITRAIL_I32, VT_I64);
  check(&twins, "rows, scaled", edt_rows, VITRAIL_I32, VITRAIL_F32);
  check_far(&twins);
  check_refusals(&twins);
  check_large(&twins);
  check_both(&twins);
  check_roots(&twins);
  vt_twins_clear(&twins);
  return vt_test_done();
}
