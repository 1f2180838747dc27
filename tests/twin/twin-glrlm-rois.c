/* SPDX-License-Identifier: MIT
 *
 * Texture of many regions. The reference lays each region down alone, counts its runs with the oracle, pixel by pixel, and
 * makes the features of the matrices; every double must have the same bits. */
#include "twin.h"

#include <string.h>

static bool reference_refuses; /* a level above n_levels was met */

static int64_t
value_at(const VtImage *image, int64_t place)
{
  const int64_t row = image->stride / (int64_t)vt_type_size(image->type);
  return (int64_t)vt_oracle_get(image, place % row, place / row);
}

/* The region alone, zeros outside; returns its pixels. */
static int64_t
cut_out(const VtGlrlmRois *a, const VtGlrlmRoi *roi, const VtImage *alone)
{
  int64_t n = 0;
  for (int64_t y = 0; y < roi->height; y++)
    for (int64_t x = 0; x < roi->width; x++) {
      int64_t level = value_at(&a->levels, roi->level + y * roi->level_step + x);
      if (roi->mask >= 0 && value_at(&a->masks, roi->mask + y * roi->mask_step + x) == 0)
        level = 0;
      reference_refuses |= level > a->n_levels;
      vt_oracle_set(alone, x, y, (double)level);
      n += level != 0;
    }
  return n;
}

/* features[aggregate] of one region. */
static void
one_region(const VtGlrlmRois *a, const VtGlrlmRoi *roi, double features[6][VT_GLRLM_N_FEATURES], int64_t *n_pixels)
{
  const int32_t length = (int32_t)(roi->width > roi->height ? roi->width : roi->height);
  const size_t n_cells = (size_t)a->n_levels * (size_t)length;
  uint64_t *matrix = calloc(n_cells * 4, sizeof *matrix);
  const VtImage alone = { calloc((size_t)roi->width * (size_t)roi->height, 2), roi->width, roi->height, 2 * roi->width,
                          VITRAIL_U16 };
  *n_pixels = cut_out(a, roi, &alone);
  const VtGlrlmRuns runs = { alone, 0, 0, roi->width, roi->height, a->n_levels, length, matrix };
  if (!reference_refuses)
    vt_oracle_glrlm_runs(NULL, &runs, NULL);
  memset(features, 0, sizeof(double) * 6 * VT_GLRLM_N_FEATURES);
  for (int d = 0; d < 4; d++) {
    vt_cpu_backend()->glrlm_features(matrix + (size_t)d * n_cells, a->n_levels, length, (uint64_t)*n_pixels,
                                     features[d]);
    for (int f = 0; f < VT_GLRLM_N_FEATURES; f++)
      features[VT_GLRLM_MEAN][f] += features[d][f];
  }
  for (int f = 0; f < VT_GLRLM_N_FEATURES; f++)
    features[VT_GLRLM_MEAN][f] /= 4;
  for (size_t k = n_cells; k < 4 * n_cells; k++)
    matrix[k % n_cells] += matrix[k];
  vt_cpu_backend()->glrlm_features(matrix, a->n_levels, length, 4 * (uint64_t)*n_pixels, features[VT_GLRLM_MERGED]);
  free(matrix);
  free(alone.data);
}

static VitrailStatus
by_definition(const VtGlrlmRois *a)
{
  double features[6][VT_GLRLM_N_FEATURES], *to = a->values;
  reference_refuses = false;
  for (int64_t r = 0; r < a->n_rois; r++) {
    one_region(a, &a->rois[r], features, &a->n_pixels[r]);
    for (int k = 0; k < 6; k++)
      for (int f = 0; f < VT_GLRLM_N_FEATURES; f++)
        if (a->aggregates >> k & a->features >> f & 1)
          *to++ = features[k][f];
  }
  return reference_refuses ? VITRAIL_BAD_ARGUMENT : VITRAIL_OK;
}

/* Pictures: levels, masks, and a row for values and pixels, which are host memory. Places count from the corner of the
 * window, rows as long as the whole picture's. */
static VitrailStatus
rois(const VtBackend *backend, VtDevice *device, const VtImage *views, const void *user, bool reference)
{
  VtGlrlmRois args = *(const VtGlrlmRois *)user;
  const size_t n = (size_t)views[2].width;
  const int n_values = __builtin_popcount(args.features) * __builtin_popcount(args.aggregates);
  int64_t *row = malloc(n * sizeof *row);
  const VtImage host = { row, views[2].width, 1, (int64_t)(n * sizeof *row), VT_I64 };
  if (!row)
    return VITRAIL_OUT_OF_MEMORY;
  for (size_t k = 0; k < n; k++)
    row[k] = (int64_t)k;
  args.levels = views[0];
  args.masks = views[1];
  args.values = (double *)row;
  args.n_pixels = row + args.n_rois * n_values;
  VitrailStatus status = VITRAIL_UNSUPPORTED;
  if (reference)
    status = by_definition(&args);
  else if (backend->glrlm_rois)
    status = backend->glrlm_rois(device, &args, NULL);
  for (int64_t k = 0; status == VITRAIL_BAD_ARGUMENT && k < (int64_t)n; k++)
    if (row[k] != k)
      status = VITRAIL_INTERNAL; /* it wrote before it refused */
  if (status == VITRAIL_OK && reference)
    memcpy(views[2].data, row, n * sizeof *row);
  else if (status == VITRAIL_OK)
    status = backend->upload(device, &views[2], &host);
  free(row);
  return status;
}

typedef struct Set {
  VtPicture pictures[3];
  VtGlrlmRoi *list;
  VtGlrlmRois args;
} Set;

static int64_t
row_of(const VtPicture *picture)
{
  return picture->full.stride / (int64_t)vt_type_size(picture->full.type);
}

/* Regions anywhere in pictures of w x h, of sides up to `most`; some have no mask. */
static Set
set_new(VtRandom *random, int i, int64_t w, int64_t h, int64_t most, int64_t n)
{
  const bool wide = i / 7 % 2;
  Set s = { .list = malloc((size_t)n * sizeof *s.list) };
  s.args = (VtGlrlmRois){ .rois = s.list,
                          .n_rois = n,
                          .n_levels = i % 9 == 0 ? (wide ? 256 : 255) : (int32_t)vt_random_between(random, 1, 40),
                          .features = i % 3 ? (1u << VT_GLRLM_N_FEATURES) - 1 : 1u << i / 3 % VT_GLRLM_N_FEATURES,
                          .aggregates = i % 4 ? 1u << i % 6 : (uint32_t)vt_random_between(random, 1, 63) };
  const int n_values = __builtin_popcount(s.args.features) * __builtin_popcount(s.args.aggregates);
  s.pictures[0] = vt_picture_new(random, w, h, wide ? VITRAIL_U16 : VITRAIL_U8);
  s.pictures[1] = vt_picture_new(random, w, h, VITRAIL_U8);
  s.pictures[2] = vt_picture_new(random, n * (n_values + 1), 1, VT_I64);
  vt_picture_fill(&s.pictures[0], random, i / 3 % VT_N_PATTERNS, i % 2 ? 0 : 1, s.args.n_levels);
  vt_picture_fill(&s.pictures[1], random, i / 5 % VT_N_PATTERNS, 0, i % 5 ? 3 : 1);
  for (int64_t k = 0; k < n; k++) {
    const int64_t rw = vt_random_side(random, most < w ? most : w), rh = vt_random_side(random, most < h ? most : h);
    const int64_t lx = vt_random_between(random, 0, w - rw), ly = vt_random_between(random, 0, h - rh);
    const int64_t mx = vt_random_between(random, 0, w - rw), my = vt_random_between(random, 0, h - rh);
    const int64_t levels_row = row_of(&s.pictures[0]), masks_row = row_of(&s.pictures[1]);
    s.list[k] = (VtGlrlmRoi){ rw, rh, ly * levels_row + lx, levels_row, k % 3 ? my * masks_row + mx : -1, masks_row };
  }
  return s;
}

static void
set_clear(Set *s)
{
  vt_pictures_clear(s->pictures, 3);
  free(s->list);
}

static void
check_random(VtTwins *twins)
{
  VtRandom random = { 71 };
  vt_twins_begin(twins, "rois");
  for (int i = 0; i < vt_rounds(240); i++) {
    Set s = set_new(&random, i, vt_random_side(&random, 90), vt_random_side(&random, 70), i % 4 ? 40 : 200,
                    vt_random_between(&random, 1, 20));
    vt_twin_case(twins, vt_oracle_backend(), rois, &s.args, s.pictures, 3);
    set_clear(&s);
  }
  vt_twins_end(twins);
}

/* Sizes round those at which a backend goes on in another way; one call with all of them. */
static void
check_sizes(VtTwins *twins)
{
  static const int64_t sides[][2] = { { 700, 600 }, { 128, 128 }, { 129, 127 }, { 1, 900 },  { 900, 1 }, { 2000, 3 },
                                      { 63, 65 },   { 64, 64 },   { 32, 32 },   { 512, 33 }, { 31, 7 },  { 255, 257 } };
  enum { N = sizeof sides / sizeof *sides };
  VtRandom random = { 72 };
  vt_twins_begin(twins, "rois of many sizes");
  for (int i = 0; i < vt_rounds(16) || i < 2; i++) { /* both types at least */
    Set s = set_new(&random, i * 7, 2003, 911, 1, N);
    for (int k = 0; k < N; k++) {
      s.list[k].width = sides[k][0];
      s.list[k].height = sides[k][1];
      s.list[k].level = vt_random_between(&random, 0, 3) + row_of(&s.pictures[0]) * vt_random_between(&random, 0, 11);
      s.list[k].mask = k % 3 ? row_of(&s.pictures[1]) * vt_random_between(&random, 0, 11) : -1;
    }
    vt_twin_case(twins, vt_oracle_backend(), rois, &s.args, s.pictures, 3);
    set_clear(&s);
  }
  vt_twins_end(twins);
}

/* Thousands of regions, as nuclei are. */
static void
check_many(VtTwins *twins)
{
  VtRandom random = { 73 };
  vt_twins_begin(twins, "thousands of rois");
  for (int i = 0; i < vt_rounds(3); i++) {
    Set s = set_new(&random, i * 7 + 1, 700, 500, 34, 3000 + i * 997);
    s.args.features = (1u << VT_GLRLM_N_FEATURES) - 1;
    s.args.aggregates = 1u << (VT_GLRLM_MEAN + i % 2);
    const int64_t n_values = VT_GLRLM_N_FEATURES;
    vt_pictures_clear(&s.pictures[2], 1);
    s.pictures[2] = vt_picture_new(&random, s.args.n_rois * (n_values + 1), 1, VT_I64);
    vt_twin_case(twins, vt_oracle_backend(), rois, &s.args, s.pictures, 3);
    set_clear(&s);
  }
  vt_twins_end(twins);
}

static void
check_refusals(VtTwins *twins)
{
  VtRandom random = { 74 };
  vt_twins_begin(twins, "refusals");
  for (int i = 0; i < 19; i++) {
    Set s = set_new(&random, 10, 40, 30, 20, 5);
    VtGlrlmRoi *roi = &s.list[3];
    const int64_t end = row_of(&s.pictures[0]) * 29 + 40;
    roi->width = roi->height = 4;
    roi->level = 0;
    roi->mask = -1;
    switch (i) {
    case 0: s.args.n_levels = 0; break;
    case 1: s.args.n_levels = 257; break;
    case 2: vt_oracle_set(&s.pictures[0].view, 2, 3, s.args.n_levels + 1); break;
    case 3: s.args.features = 0; break;
    case 4: s.args.features = 1u << VT_GLRLM_N_FEATURES; break;
    case 5: s.args.aggregates = 0; break;
    case 6: s.args.aggregates = 1u << 6; break;
    case 7: roi->width = 0; break;
    case 8: roi->height = -1; break;
    case 9: roi->width = (int64_t)INT32_MAX + 1; break;
    case 10: roi->level = -1; break;
    case 11: roi->level = end - 3 * roi->level_step - 3; break;
    case 12: roi->level = INT64_MAX - 1; break;
    case 13: roi->level_step = 3; break;
    case 14: roi->level_step = INT64_MAX / 2; break;
    case 15: roi->mask = INT64_MAX - 3; break;
    case 16: roi->mask = 5, roi->mask_step = 2; break;
    case 17: roi->height = INT32_MAX; break;
    default: s.args.n_rois = -1;
    }
    vt_twin_refused(twins, rois, &s.args, s.pictures, 3);
    set_clear(&s);
  }
  vt_twins_end(twins);
}

int
main(void)
{
  VtTwins twins;
  vt_twins_init(&twins);
  vt_twins_add_threads(&twins);
  check_random(&twins);
  check_sizes(&twins);
  check_many(&twins);
  check_refusals(&twins);
  vt_twins_clear(&twins);
  return vt_test_done();
}
