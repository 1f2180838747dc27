/* SPDX-License-Identifier: MIT
 *
 * The slots `regions` and `region_labels` of a device against the CPU, whose own tests are in twin-regions.c: windows with tiles
 * anywhere in them, images with nuclei and images that break things, all models, as they ship and taught, regions of all sizes. */
#include "twin.h"

#include <stdlib.h>
#include <string.h>

typedef struct Params {
  int64_t x0, y0, width, height; /* the tile */
  VtRegions like;
} Params;

static VitrailStatus
regions(const VtBackend *backend, VtDevice *device, const VtImage *views, const void *user, bool reference)
{
  const Params *p = user;
  VtRegions args = p->like;
  if (!backend->regions)
    return VITRAIL_UNSUPPORTED;
  args.red = views[0];
  args.green = views[1];
  args.blue = views[2];
  args.code = views[3];
  args.score = views[4];
  return backend->regions(device, &args, NULL);
}

/* An ellipse with a rim; hollow ones have others in them now and then. */
static void
draw_nucleus(VtPicture rgb[3], VtRandom *random, int64_t most, bool is_bright)
{
  const VtImage *view = &rgb[0].view;
  const int64_t cx = vt_random_between(random, 0, view->width - 1), cy = vt_random_between(random, 0, view->height - 1);
  const int64_t a = vt_random_between(random, 3, most), b = vt_random_between(random, 3, most),
                dark = vt_random_between(random, 40, 160), hollow = vt_random_between(random, 0, 4) ? 0 : 2;
  for (int64_t y = cy - a > 0 ? cy - a : 0; y <= cy + a && y < view->height; y++)
    for (int64_t x = cx - b > 0 ? cx - b : 0; x <= cx + b && x < view->width; x++) {
      const int64_t out = (x - cx) * (x - cx) * a * a + (y - cy) * (y - cy) * b * b, all = a * a * b * b;
      if (out > all || out * hollow > all)
        continue;
      for (int c = 0; c < 3; c++) {
        const int64_t v = (c == 1 ? dark / 2 : dark) + 20 * (c == 2) + vt_random_between(random, 0, 29);
        vt_oracle_set(&rgb[c].view, x, y, (double)(is_bright ? 255 - v : v));
      }
    }
}

/* kind: the patterns of pictures; more than those: nuclei, the last ones large. */
static void
draw(VtPicture rgb[3], VtRandom *random, int kind, bool is_bright)
{
  const int64_t pixels = rgb[0].view.width * rgb[0].view.height;
  if (kind < VT_N_PATTERNS) {
    for (int c = 0; c < 3; c++)
      vt_picture_fill(&rgb[c], random, kind, 20, 20 + vt_random_between(random, 0, 210));
    return;
  }
  for (int c = 0; c < 3; c++)
    vt_picture_fill(&rgb[c], random, 0, is_bright ? 0 : 215, is_bright ? 20 : 240);
  const int64_t most = kind % 2 ? 14 : 45;
  for (int64_t n = 1 + 2 * pixels / (most * most * 3); n > 0; n--)
    draw_nucleus(rgb, random, most, is_bright);
}

/* The whole window, or a part of it; where it is far enough from a side, the image may go on there. */
static Params
choose_tile(VtRandom *random, int64_t w, int64_t h, int i)
{
  static const int32_t largest[] = { 40, 24, VT_REGIONS_LEAST, 64, 96, VT_REGIONS_MOST };
  Params p = { .width = w, .height = h };
  p.like = (VtRegions){ .grid_x = vt_random_between(random, 0, 9000),
                        .grid_y = vt_random_between(random, 0, 9000),
                        .edges = 15,
                        .largest = largest[i % 6],
                        .preset = (VtRegionsPreset)(vt_random(random) % VT_REGIONS_N_PRESETS),
                        .cutoff = (uint16_t)(i % 3 ? 26214 : vt_random_between(random, 0, 65535)) };
  if (i % 2 == 0)
    return p;
  p.x0 = vt_random_between(random, 0, w - 1);
  p.y0 = vt_random_between(random, 0, h - 1);
  p.width = vt_random_between(random, 1, w - p.x0);
  p.height = vt_random_between(random, 1, h - p.y0);
  const int64_t reach = vt_regions_reach(p.like.largest);
  const int64_t room[4] = { p.x0, p.y0, w - p.x0 - p.width, h - p.y0 - p.height };
  for (int side = 0; side < 4; side++)
    if (room[side] >= reach && vt_random(random) % 2)
      p.like.edges &= ~(1U << side);
  p.like.x0 = p.x0;
  p.like.y0 = p.y0;
  return p;
}

/* By the candidates of this image that can be taught: every other one is a nucleus. NULL: there are none. */
static VtRegionsTaught *
teach(const Params *params, const VtPicture p[5])
{
  enum { ROW = VT_REGIONS_FEATURES + 1 };
  VtRegionsFound found = { 0 };
  VtRegionsTaught *taught = NULL;
  VtRegions args = params->like;
  args.red = p[0].view;
  args.green = p[1].view;
  args.blue = p[2].view;
  args.code = p[3].view;
  args.score = p[4].view;
  args.found = &found;
  int32_t *rows = NULL;
  if (vt_cpu_backend()->regions(NULL, &args, NULL) == VITRAIL_OK && found.n > 0)
    rows = malloc(found.n * ROW * sizeof *rows);
  for (size_t i = 0; rows && i < found.n; i++) {
    memcpy(rows + i * ROW, found.at[i].features, sizeof found.at[i].features);
    rows[i * ROW + VT_REGIONS_FEATURES] = (int32_t)(i % 2);
  }
  const VtRegionsLesson lesson = { args.preset, rows, (int64_t)found.n };
  if (rows && vt_cpu_backend()->regions_teach(&lesson, &taught) != VITRAIL_OK)
    vt_ok(false, "%zu candidates teach the score", found.n);
  free(rows);
  free(found.at);
  free(found.bytes);
  return taught;
}

static void
one_case(VtTwins *twins, VtRandom *random, int i, int kind, int64_t w, int64_t h)
{
  Params params = choose_tile(random, w, h, i);
  VtPicture p[5];
  for (int c = 0; c < 3; c++)
    p[c] = vt_picture_new(random, w, h, VITRAIL_U8);
  p[3] = vt_picture_new(random, params.width, params.height, VITRAIL_I32);
  p[4] = vt_picture_new(random, params.width, params.height, VITRAIL_U16);
  draw(p, random, kind, params.like.preset == VT_REGIONS_FLUORESCENCE);
  vt_twin_case(twins, vt_cpu_backend(), regions, &params, p, 5);
  VtRegionsTaught *taught = i % 4 < 2 ? teach(&params, p) : NULL;
  params.like.taught = taught;
  if (taught)
    vt_twin_case(twins, vt_cpu_backend(), regions, &params, p, 5);
  vt_cpu_backend()->regions_forget(taught);
  vt_pictures_clear(p, 5);
}

static void
check_regions(VtTwins *twins)
{
  static const int64_t sizes[][2] = { { 500, 420 }, { 4200, 90 }, { 61, 4300 }, { 700, 333 } };
  VtRandom random = { 71 };
  vt_twins_begin(twins, "regions");
  for (int i = 0; i < vt_rounds(400); i++)
    one_case(twins, &random, i, i % 3 ? VT_N_PATTERNS + i % 2 : i / 3 % VT_N_PATTERNS, vt_random_side(&random, 160),
             vt_random_side(&random, 160));
  vt_twins_end(twins);
  vt_twins_begin(twins, "regions, wide tiles");
  for (int i = 0; i < vt_rounds(60); i++)
    one_case(twins, &random, 2 * i, VT_N_PATTERNS + i % 2, vt_twin_side(130 + i), vt_twin_side(220 - i));
  vt_twins_end(twins);
  vt_twins_begin(twins, "regions, large, in pieces");
  for (int i = 0; i < vt_rounds(8); i++)
    one_case(twins, &random, i, VT_N_PATTERNS + i / 4, vt_twin_side(sizes[i % 4][0]), vt_twin_side(sizes[i % 4][1]));
  vt_twins_end(twins);
}

static void
check_refusals(VtTwins *twins)
{
  VtRandom random = { 72 };
  vt_twins_begin(twins, "regions, refusals");
  for (int i = 0; i < 6; i++) {
    Params params = choose_tile(&random, 90, 80, 0);
    VtPicture p[5] = { vt_picture_new(&random, 90, 80, VITRAIL_U8), vt_picture_new(&random, 90, 80, VITRAIL_U8),
                       vt_picture_new(&random, 90, i == 0 ? 79 : 80, VITRAIL_U8),
                       vt_picture_new(&random, 90, 80, VITRAIL_I32),
                       vt_picture_new(&random, i == 1 ? 89 : 90, 80, VITRAIL_U16) };
    for (int c = 0; c < 3; c++)
      vt_picture_fill(&p[c], &random, 0, 0, 255);
    params.like.largest = i == 2 ? VT_REGIONS_LEAST - 1 : i == 3 ? VT_REGIONS_MOST + 1 : 40;
    params.like.edges = i == 4 ? 7 : 15;
    params.like.x0 = i == 5 ? 1 : 0;
    vt_twin_refused(twins, regions, &params, p, 5);
    vt_pictures_clear(p, 5);
  }
  vt_twins_end(twins);
}

/* --- labels --- */

/* The only pixel of the image up to 4095 rows above, and less than 2048 columns away, that has the code. */
static int32_t
label_slowly(const VtImage *codes, const VtRegionLabels *a, int32_t code, int64_t x, int64_t y)
{
  if (code <= 0 || code > VT_REGION_MOST_CODE)
    return code;
  for (int64_t v = y; v >= 0 && v > y - VT_REGION_PERIOD; v--)
    for (int64_t u = 0; u < codes->width; u++)
      if (u > x - VT_REGION_PERIOD / 2 && u <= x + VT_REGION_PERIOD / 2
          && 1 + (a->grid_y + v) % VT_REGION_PERIOD * VT_REGION_PERIOD + (a->grid_x + u) % VT_REGION_PERIOD == code)
        return (int32_t)(v * codes->width + u) + 1;
  return -1;
}

static VitrailStatus
region_labels(const VtBackend *backend, VtDevice *device, const VtImage *views, const void *user, bool reference)
{
  VtRegionLabels args = *(const VtRegionLabels *)user;
  args.codes = views[0];
  if (!reference)
    return backend->region_labels ? backend->region_labels(device, &args, NULL) : VITRAIL_UNSUPPORTED;
  for (int64_t y = 0; y < args.codes.height; y++)
    for (int64_t x = 0; x < args.codes.width; x++) {
      int32_t *code = vt_image_at(&args.codes, x, y);
      *code = label_slowly(&args.codes, &args, *code, x, y);
    }
  return VITRAIL_OK;
}

static void
check_labels(VtTwins *twins)
{
  VtRandom random = { 73 };
  vt_twins_begin(twins, "region labels");
  for (int i = 0; i < vt_rounds(60); i++) {
    const int64_t w = vt_random_side(&random, 60), h = vt_random_side(&random, 60);
    const VtRegionLabels params = { { 0 }, vt_random_between(&random, 0, 9000), vt_random_between(&random, 0, 9000) };
    VtPicture p = vt_picture_new(&random, w, h, VITRAIL_I32);
    for (int64_t y = 0; y < h; y++)
      for (int64_t x = 0; x < w; x++) {
        const int64_t v = vt_random_between(&random, 0, y), u = vt_random_between(&random, 0, w - 1);
        const int64_t code =
          1 + (params.grid_y + v) % VT_REGION_PERIOD * VT_REGION_PERIOD + (params.grid_x + u) % VT_REGION_PERIOD;
        vt_oracle_set(&p.view, x, y, (double)(vt_random(&random) % 4 ? code : vt_random(&random) % 2 ? 0 : -5));
      }
    vt_twin_case(twins, vt_cpu_backend(), region_labels, &params, &p, 1);
    vt_pictures_clear(&p, 1);
  }
  vt_twins_end(twins);
}

int
main(void)
{
  VtTwins twins;
  vt_twins_init(&twins);
  check_regions(&twins);
  check_refusals(&twins);
  check_labels(&twins);
  vt_twins_clear(&twins);
  return vt_test_done();
}
