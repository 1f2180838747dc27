/* SPDX-License-Identifier: MIT */
#include "twin.h"

#include <math.h>
#include <string.h>

typedef struct Params {
  int64_t x0, y0;
  int32_t radius;
  uint32_t weights[513];
  int32_t table[2 * 768], mix[2][3];
  uint8_t colour[VT_DENSITIES];
  VtPointwiseOp op;
  double s;
  int dst; /* which view: pointwise may write over a or b */
} Params;

#define P ((const Params *)user)
VT_TWIN_SLOT(lut3, VtLut3, views[0], views[1], P->table)
VT_TWIN_SLOT(normalize, VtNormalize, views[0], views[P->dst], P->table, P->colour,
             { { P->mix[0][0], P->mix[0][1], P->mix[0][2] }, { P->mix[1][0], P->mix[1][1], P->mix[1][2] } })
VT_TWIN_SLOT(erode_disc, VtErodeDisc, views[0], views[1], P->x0, P->y0, P->radius)
VT_TWIN_SLOT(smooth, VtSmooth, views[0], views[1], P->x0, P->y0, P->radius, P->weights)
VT_TWIN_SLOT(pointwise, VtPointwise, P->op, views[0], views[1], views[P->dst], P->s)

/* One channel as it is, or nearly so; a second one at times. */
static void
make_channel(int32_t *table, VtRandom *random)
{
  memset(table, 0, 768 * sizeof *table);
  for (int k = 0; k < 1 + (int)vt_random_between(random, 0, 1); k++) {
    int32_t *to = table + 256 * vt_random_between(random, 0, 2);
    for (int32_t v = 0; v < 256; v++)
      to[v] = 16 * v + (int32_t)vt_random_between(random, -8, 7);
    to[vt_random_between(random, 0, 255)] += (int32_t)vt_random_between(random, 0, 1);
  }
}

static void
fill_colours(const VtPicture *picture, VtRandom *random)
{
  for (int64_t y = 0; y < picture->view.height; y++)
    for (int64_t x = 0; x < picture->view.width; x++) {
      const uint32_t rgba = (uint32_t)vt_random(random);
      memcpy(vt_image_at(&picture->view, x, y), &rgba, sizeof rgba);
    }
}

static void
check_lut3(VtTwins *twins)
{
  VtRandom random = { 11 };
  vt_twins_begin(twins, "lut3");
  for (int i = 0; i < vt_rounds(200); i++) {
    Params params = { 0 };
    const int64_t w = vt_random_side(&random, 99), h = vt_random_side(&random, 30);
    const int64_t limit = i % 4 == 0 ? (1 << 27) - 1 : 1 << 15;
    VtPicture p[2] = { vt_picture_new(&random, w, h, VITRAIL_RGBA8),
                       vt_picture_new(&random, w, h, i % 2 ? VITRAIL_U8 : VITRAIL_U16) };
    for (int k = 0; k < 768; k++)
      params.table[k] = (int32_t)vt_random_between(&random, i % 3 ? -limit : 0, limit);
    if (i % 5 < 2)
      make_channel(params.table, &random);
    fill_colours(&p[0], &random);
    vt_twin_case(twins, vt_oracle_backend(), lut3, &params, p, 2);
    vt_pictures_clear(p, 2);
  }
  vt_twins_end(twins);
}

/* Ends of the ranges, negative densities, and a result over its source; colours are any, so that a density that is one off shows. */
static void
check_normalize(VtTwins *twins)
{
  VtRandom random = { 18 };
  vt_twins_begin(twins, "normalize");
  for (int i = 0; i < vt_rounds(200); i++) {
    Params params = { .dst = i % 4 == 0 ? 0 : 1 };
    const int64_t w = vt_random_side(&random, 99), h = vt_random_side(&random, 30);
    const int64_t limit = i % 5 == 0 ? (1 << 27) - 1 : 1 << 17, most = i % 3 == 0 ? INT32_MAX : 1 << 15;
    VtPicture p[2] = { vt_picture_new(&random, w, h, VITRAIL_RGBA8), vt_picture_new(&random, w, h, VITRAIL_RGBA8) };
    for (int k = 0; k < 2 * 768; k++)
      params.table[k] = (int32_t)vt_random_between(&random, i % 2 ? -limit : 0, limit);
    for (int k = 0; k < 6; k++)
      params.mix[k / 3][k % 3] = (int32_t)vt_random_between(&random, i % 7 < 3 ? -most : 0, most);
    for (int k = 0; k < VT_DENSITIES; k++)
      params.colour[k] = (uint8_t)vt_random(&random);
    fill_colours(&p[0], &random);
    vt_twin_case(twins, vt_oracle_backend(), normalize, &params, p, 2);
    vt_pictures_clear(p, 2);
  }
  static const Params none = { .dst = 1 };
  VtPicture p[2] = { vt_picture_new(&random, 9, 8, VITRAIL_RGBA8), vt_picture_new(&random, 9, 8, VITRAIL_F32) };
  vt_twin_refused(twins, normalize, &none, p, 2);
  vt_pictures_clear(p, 2);
  vt_twins_end(twins);
}

/* Binomial-like weights that sum to 65536, the rest on the centre. */
static void
make_weights(Params *params, VtRandom *random)
{
  uint32_t left = 32768;
  for (int32_t k = params->radius; k >= 1; k--) {
    params->weights[k] = (uint32_t)vt_random_between(random, 0, left / (uint32_t)(k + 1));
    left -= params->weights[k];
  }
  params->weights[0] = 2 * left;
}

static void
check_windows(VtTwins *twins, const char *name, VtTwinCall call)
{
  VtRandom random = { 12 };
  vt_twins_begin(twins, name);
  for (int i = 0; i < vt_rounds(200); i++) {
    Params params = { .radius = i % 10 == 0 ? 40 : (int32_t)vt_random_between(&random, 0, 9) };
    const int64_t w = vt_random_side(&random, 70), h = vt_random_side(&random, 40);
    const int64_t dw = i % 3 ? w : vt_random_between(&random, 1, w), dh = i % 3 ? h : vt_random_between(&random, 1, h);
    VtPicture p[2] = { vt_picture_new(&random, w, h, VITRAIL_U16), vt_picture_new(&random, dw, dh, VITRAIL_U16) };
    params.x0 = vt_random_between(&random, 0, w - dw);
    params.y0 = vt_random_between(&random, 0, h - dh);
    vt_picture_fill(&p[0], &random, i % VT_N_PATTERNS, 0, 65535);
    make_weights(&params, &random);
    vt_twin_case(twins, vt_oracle_backend(), call, &params, p, 2);
    vt_pictures_clear(p, 2);
  }
  vt_twins_end(twins);
}

static void
check_windows_large(VtTwins *twins)
{
  VtRandom random = { 13 };
  vt_twins_begin(twins, "erode-disc and smooth, large, cpu as reference");
  for (int i = 0; i < vt_rounds(6); i++) {
    Params params = { .radius = i == 0 ? 512 : 16, .x0 = 5, .y0 = i };
    const int64_t w = vt_twin_side(i % 2 ? 1000 : 2048), h = vt_twin_side(i % 2 ? 777 : 64);
    VtPicture p[2] = { vt_picture_new(&random, w, h, VITRAIL_U16), vt_picture_new(&random, w - 9, h - 8, VITRAIL_U16) };
    vt_picture_fill(&p[0], &random, 0, 0, 65535);
    make_weights(&params, &random);
    vt_twin_case(twins, vt_cpu_backend(), erode_disc, &params, p, 2);
    vt_twin_case(twins, vt_cpu_backend(), smooth, &params, p, 2);
    vt_pictures_clear(p, 2);
  }
  vt_twins_end(twins);
}

static void
check_windows_refusals(VtTwins *twins)
{
  VtRandom random = { 14 };
  vt_twins_begin(twins, "erode-disc and smooth, refusals");
  for (int i = 0; i < 6; i++) {
    static const Params bad[6] = {
      { .radius = -1 }, { .radius = 513 }, { .x0 = 1 }, { .y0 = -1 }, { .y0 = INT64_MAX - 2 }, { .radius = 1 },
    };
    Params params = bad[i];
    VtPicture p[2] = { vt_picture_new(&random, 9, 8, VITRAIL_U16),
                       vt_picture_new(&random, 9, 8, i == 5 ? VITRAIL_U8 : VITRAIL_U16) };
    params.weights[0] = 65536;
    vt_picture_fill(&p[0], &random, 0, 0, 65535);
    vt_twin_refused(twins, erode_disc, &params, p, 2);
    vt_twin_refused(twins, smooth, &params, p, 2);
    vt_pictures_clear(p, 2);
  }
  Params params = { .weights = { 65535 } };
  VtPicture p[2] = { vt_picture_new(&random, 9, 8, VITRAIL_U16), vt_picture_new(&random, 9, 8, VITRAIL_U16) };
  vt_twin_refused(twins, smooth, &params, p, 2);
  vt_pictures_clear(p, 2);
  vt_twins_end(twins);
}

/* What each op takes: see VtPointwiseOp. */
static const struct {
  VtPointwiseOp op;
  VtType a, b, dst;
} signatures[] = {
  { VT_PW_SUBTRACT_CLAMP, VITRAIL_U16, VITRAIL_U16, VITRAIL_U16 },
  { VT_PW_ABOVE, VITRAIL_U8, VITRAIL_U8, VITRAIL_U8 },
  { VT_PW_ABOVE, VITRAIL_U16, VITRAIL_U8, VITRAIL_U8 },
  { VT_PW_ABOVE, VITRAIL_F32, VITRAIL_U8, VITRAIL_U8 },
  { VT_PW_ABOVE_IMAGE, VITRAIL_F32, VITRAIL_F32, VITRAIL_U8 },
  { VT_PW_NOT, VITRAIL_U8, VITRAIL_U8, VITRAIL_U8 },
  { VT_PW_SHIFT_DOWN, VITRAIL_F32, VITRAIL_U8, VITRAIL_F32 },
  { VT_PW_NEXT_BELOW, VITRAIL_F32, VITRAIL_U8, VITRAIL_F32 },
  { VT_PW_SELECT, VITRAIL_F32, VITRAIL_U8, VITRAIL_F32 },
  { VT_PW_AND, VITRAIL_U8, VITRAIL_U8, VITRAIL_U8 },
  { VT_PW_LOWER_CLAMP, VITRAIL_U8, VITRAIL_U8, VITRAIL_U8 },
  { VT_PW_LOWER_CLAMP, VITRAIL_U16, VITRAIL_U8, VITRAIL_U16 },
  { VT_PW_COMPLEMENT, VITRAIL_U8, VITRAIL_U8, VITRAIL_U8 },
  { VT_PW_COMPLEMENT, VITRAIL_U16, VITRAIL_U8, VITRAIL_U16 },
  { VT_PW_WIDEN, VITRAIL_U8, VITRAIL_U8, VITRAIL_U16 },
  { VT_PW_WIDEN, VITRAIL_U16, VITRAIL_U8, VITRAIL_U16 },
};

static void
fill_values(VtPicture *picture, VtRandom *random, int i)
{
  static const double special[] = { -0.0, 0.0, INFINITY, -INFINITY, NAN, 1e-45, -1e-45, 3.4e38, 0.1, 40 };
  const bool is_float = picture->view.type == VITRAIL_F32;
  vt_picture_fill(picture, random, i % VT_N_PATTERNS, is_float ? -90 : 0, 200);
  for (int64_t x = 0; is_float && x < picture->view.width; x++)
    vt_oracle_set(&picture->view, x, picture->view.height / 2, special[vt_random(random) % 10]);
}

static void
check_pointwise(VtTwins *twins)
{
  VtRandom random = { 15 };
  const int n_signatures = (int)(sizeof signatures / sizeof signatures[0]);
  /* Between two values of a type, its last ones, and beyond them. */
  static const double edges[] = { NAN, INFINITY, -INFINITY, 1e300, -1e300, -0.5, 0, 0.1, 254.5, 255, 65534.5, 65535 };
  vt_twins_begin(twins, "pointwise");
  for (int i = 0; i < vt_rounds(800); i++) {
    const int k = i % n_signatures;
    const bool whole = signatures[k].op == VT_PW_LOWER_CLAMP;
    Params params = { .op = signatures[k].op, .dst = 2 };
    params.s = whole ? (double)vt_random_between(&random, 0, 300) : (double)vt_random_between(&random, -200, 800) / 4;
    if (params.op == VT_PW_ABOVE && i / n_signatures % 2 == 0)
      params.s = edges[i / n_signatures / 2 % (int)(sizeof edges / sizeof edges[0])];
    const int64_t w = vt_random_side(&random, 80), h = vt_random_side(&random, 30);
    VtPicture p[3] = { vt_picture_new(&random, w, h, signatures[k].a), vt_picture_new(&random, w, h, signatures[k].b),
                       vt_picture_new(&random, w, h, signatures[k].dst) };
    if (i / n_signatures % 4 == 1 && signatures[k].dst == signatures[k].a)
      params.dst = 0;
    else if (i / n_signatures % 4 == 2 && signatures[k].dst == signatures[k].b)
      params.dst = 1;
    fill_values(&p[0], &random, i / n_signatures);
    fill_values(&p[1], &random, i / 5);
    vt_twin_case(twins, vt_oracle_backend(), pointwise, &params, p, 3);
    vt_pictures_clear(p, 3);
  }
  vt_twins_end(twins);
}

static void
check_pointwise_refusals(VtTwins *twins)
{
  VtRandom random = { 16 };
  vt_twins_begin(twins, "pointwise, refusals");
  for (int i = 0; i < 4; i++) {
    static const Params bad[4] = { { .op = VT_PW_N_OPS, .dst = 2 },
                                   { .op = -1, .dst = 2 },
                                   { .op = VT_PW_ABOVE_IMAGE, .dst = 2 },
                                   { .op = VT_PW_AND, .dst = 2 } };
    VtPicture p[3] = { vt_picture_new(&random, 9, 8, VITRAIL_U8),
                       vt_picture_new(&random, i == 3 ? 8 : 9, 8, VITRAIL_U8),
                       vt_picture_new(&random, 9, 8, VITRAIL_U8) };
    vt_twin_refused(twins, pointwise, &bad[i], p, 3);
    vt_pictures_clear(p, 3);
  }
  vt_twins_end(twins);
}

int
main(void)
{
  VtTwins twins;
  vt_twins_init(&twins);
  check_lut3(&twins);
  check_normalize(&twins);
  check_windows(&twins, "erode-disc", erode_disc);
  check_windows(&twins, "smooth", smooth);
  check_windows_large(&twins);
  check_windows_refusals(&twins);
  check_pointwise(&twins);
  check_pointwise_refusals(&twins);
  vt_twins_clear(&twins);
  return vt_test_done();
}
