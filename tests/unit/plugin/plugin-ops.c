/* SPDX-License-Identifier: MIT
 *
 * Distances of every kind, markers, zones: against the obvious way on small images, what a region calls certain against the
 * whole image, and a sentence for each request that can't be. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mini-host.h"
#include "test-draw.h"
#include "vt-test.h"

static VitrailSession *session;

/* Where tiles, threads and their order are anything. */
static VitrailStatus
run_on(const MiniJob *job, MiniHost mini, MiniResult *result)
{
  MiniJob one = *job;
  one.request.tile_px = 16 + pick(50);
  mini.n_threads = 1 + pick(3);
  mini.shuffle_seed = pick(99);
  mini.cancel_after = -1;
  return mini_job_run(&one, &mini, session, result);
}

static VitrailStatus
run(const MiniJob *job, MiniResult *result)
{
  return run_on(job, (MiniHost){ 0 }, result);
}

/* In pieces. */
static MiniJob
streamed(const MiniJob *job, uint64_t budget)
{
  MiniJob other = *job;
  other.request.scratch_dir = "/tmp";
  other.request.memory_budget = budget;
  return other;
}

/* Of pixels of no known size. */
static MiniJob
job_of(const char *op, const VtImage *image)
{
  MiniJob job = mini_job(mini_op(op), image);
  job.mpp_x = job.mpp_y = 0;
  return job;
}

static MiniJob
job_with(const char *op, const VtImage *image, const char *key, double value)
{
  MiniJob job = mini_job(mini_op(op), image);
  mini_job_set(&job, key, value);
  return job;
}

static VtImage
noise_new(int64_t width, int64_t height, uint32_t share)
{
  VtImage image = mini_image_new(VITRAIL_U8, width, height);
  for (int64_t i = 0; i < width * height; i++)
    ((uint8_t *)image.data)[i] = pick(share) ? (uint8_t)(1 + pick(255)) : 0;
  return image;
}

static void
pick_region(MiniJob *job)
{
  const uint32_t w = (uint32_t)job->images[0].width, h = (uint32_t)job->images[0].height, x = pick(w), y = pick(h);
  mini_job_set_region(job, x, y, 1 + pick(w - x), 1 + pick(h - y));
}

/* What a run of a part calls certain is the whole's. */
typedef struct {
  int64_t n_certain, n_px;
} Certain;

static bool
agrees(const MiniJob *part, const MiniResult *here, const MiniResult *whole, uint32_t stage, bool all, Certain *tally)
{
  const VtImage *got = &here->stages[stage], *want = &whole->stages[stage];
  const VitrailRequest *r = &part->request;
  bool right = true;
  for (int64_t y = 0; y < r->height_l0 && right; y++)
    for (int64_t x = 0; x < r->width_l0 && right; x++) {
      const bool is_certain = *(uint8_t *)vt_image_at(&here->stages[1], x, y);
      tally->n_certain += is_certain;
      tally->n_px++;
      right =
        is_certain
          ? memcmp(vt_image_at(got, x, y), vt_image_at(want, r->x_l0 + x, r->y_l0 + y), vt_type_size(got->type)) == 0
          : !all;
    }
  return right;
}

/* --- distance --- */

enum { EUCLIDEAN, SQUARED, NEAREST };
static const uint32_t stage_of[] = { 0, 2, 3 };

/* Sides whose squares have a known best ratio. */
static const struct {
  double mpp_x, mpp_y;
  int64_t weight_x, weight_y;
} shapes[] = { { 0.5, 0.5, 1, 1 }, { 0, 0, 1, 1 }, { 0.5, 0.25, 4, 1 }, { 0.2, 0.3, 4, 9 }, { 0.1, 0.7, 1, 49 } };

static bool
pixel_is_right(const MiniJob *job, int shape, int output, int64_t cap, const MiniResult *result, int64_t x, int64_t y)
{
  const VitrailRequest *r = &job->request;
  const VtImage *image = &job->images[0], *got = &result->stages[stage_of[output]];
  int64_t best = VT_EDT_NONE64, nearest = -1;
  for (int64_t v = r->y_l0; v < r->y_l0 + r->height_l0; v++)
    for (int64_t u = r->x_l0; u < r->x_l0 + r->width_l0; u++) {
      const int64_t squared = shapes[shape].weight_x * (u - x) * (u - x) + shapes[shape].weight_y * (v - y) * (v - y);
      if (*(uint8_t *)vt_image_at(image, u, v) == 0 && squared < best)
        best = squared, nearest = v * image->width + u;
    }
  if (cap > 0 && best > cap)
    best = cap, nearest = -1;
  const void *at = vt_image_at(got, x - r->x_l0, y - r->y_l0);
  if (output == NEAREST)
    return *(const int32_t *)at == nearest;
  if (output == SQUARED)
    return *(const int32_t *)at == (best == VT_EDT_NONE64 ? -1 : (int32_t)best);
  const double side = shapes[shape].mpp_x > 0 ? sqrt(shapes[shape].mpp_x * shapes[shape].mpp_y) : 1;
  const float unit = (float)(side / sqrt(sqrt((double)shapes[shape].weight_x * (double)shapes[shape].weight_y)));
  return *(const float *)at == (best == VT_EDT_NONE64 ? INFINITY : (float)sqrt((double)best) * unit);
}

static MiniJob
distance_job(const VtImage *image, int shape, int output, int64_t cap)
{
  MiniJob job = mini_job(mini_op("distance"), image);
  job.mpp_x = shapes[shape].mpp_x;
  job.mpp_y = shapes[shape].mpp_y;
  const double side = job.mpp_x > 0 ? sqrt(job.mpp_x * job.mpp_y) : 1;
  const double unit = side / sqrt(sqrt((double)shapes[shape].weight_x * (double)shapes[shape].weight_y));
  mini_job_set(&job, "output", output);
  mini_job_set(&job, "pixel-size", job.mpp_x > 0 ? 0.05 : 1);
  if (cap > 0) /* a little less, as its square is rounded up */
    mini_job_set(&job, "cap", sqrt((double)cap - 0.5) * unit);
  return job;
}

static bool
all_are_right(const MiniJob *job, int shape, int output, int64_t cap)
{
  const VitrailRequest *r = &job->request;
  MiniResult part;
  bool right = run(job, &part) == VITRAIL_OK;
  for (int64_t y = r->y_l0; y < r->y_l0 + r->height_l0 && right; y++)
    for (int64_t x = r->x_l0; x < r->x_l0 + r->width_l0 && right; x++)
      right = pixel_is_right(job, shape, output, cap, &part, x, y);
  mini_result_clear(&part);
  return right;
}

/* A part with its context, as the whole has it: `all` of it. */
static bool
part_is_right(const MiniJob *all, MiniJob *part, uint32_t stage, Certain *tally)
{
  MiniResult here = { 0 }, whole = { 0 };
  const bool to_the_end = pick(2);
  mini_job_set(part, "context", to_the_end);
  const bool ran = run(all, &whole) == VITRAIL_OK && run(part, &here) == VITRAIL_OK;
  const bool right = ran && agrees(part, &here, &whole, stage, to_the_end, tally);
  mini_result_clear(&here);
  mini_result_clear(&whole);
  return right;
}

static void
check_distances(void)
{
  bool right = true, whole = true;
  Certain tally = { 0 };
  for (int round = 0; round < 900 && right && whole; round++) {
    const int shape = round % 5, output = round / 5 % 3;
    const int64_t cap = pick(2) ? 1 + pick(60) : 0;
    VtImage image = noise_new(1 + pick(26), 1 + pick(26), 2 + pick(200));
    const MiniJob all = distance_job(&image, shape, output, cap);
    MiniJob part = all;
    pick_region(&part);
    right = pick(2) || all_are_right(&part, shape, output, cap);
    whole = part_is_right(&all, &part, stage_of[output], &tally);
    free(image.data);
  }
  vt_ok(right, "distance: every output, shape of pixels and cap as the obvious way has it");
  vt_ok(whole, "distance: every certain pixel is the whole image's, and with context all are certain");
  vt_ok(tally.n_certain > tally.n_px / 3, "distance: %.0f %% of pixels are certain",
        100.0 * (double)tally.n_certain / (double)tally.n_px);
}

/* --- markers --- */

static void
check_border_marker(void)
{
  bool right = true;
  Certain tally = { 0 };
  for (int round = 0; round < 400 && right; round++) {
    VtImage image = noise_new(1 + pick(60), 1 + pick(60), 2 + pick(9));
    MiniJob all = job_of("reconstruct", &image);
    mini_job_set(&all, "marker-kind", 2);
    mini_job_set(&all, "connectivity", pick(2));
    mini_job_set(&all, "method", pick(2));
    MiniJob part = all;
    pick_region(&part);
    right = part_is_right(&all, &part, 0, &tally);
    free(image.data);
  }
  vt_ok(right && tally.n_certain > tally.n_px / 3,
        "border marker: certain pixels are the whole image's, %.0f %% of all",
        100.0 * (double)tally.n_certain / (double)tally.n_px);
}

/* --- zones --- */

/* Relaxed until nothing changes: the least (steps, label) of the neighbours, and a step more. */
static bool
zones_are_right(const VtImage *image, const VtImage *seeds, bool four, const MiniResult *result)
{
  const int64_t w = image->width, h = image->height;
  int64_t *best = malloc((size_t)(w * h) * sizeof *best);
  for (int64_t i = 0; i < w * h; i++)
    best[i] = ((uint8_t *)image->data)[i] > 0 && ((int32_t *)seeds->data)[i] ? ((int32_t *)seeds->data)[i] : INT64_MAX;
  for (bool changed = true; changed;) {
    changed = false;
    for (int64_t i = 0; i < w * h; i++)
      for (int k = 0; k < 9 && ((uint8_t *)image->data)[i]; k++) {
        const int64_t x = i % w + k % 3 - 1, y = i / w + k / 3 - 1, from = y * w + x;
        const bool touches = x >= 0 && y >= 0 && x < w && y < h && k != 4 && (!four || k % 2 == 1);
        if (touches && best[from] != INT64_MAX && best[from] + (INT64_C(1) << 32) < best[i])
          best[i] = best[from] + (INT64_C(1) << 32), changed = true;
      }
  }
  bool right = true;
  for (int64_t i = 0; i < w * h && right; i++) {
    const bool reached = best[i] != INT64_MAX;
    const float distance = ((float *)result->stages[0].data)[i];
    right = ((int32_t *)result->stages[1].data)[i] == (reached ? (int32_t)best[i] : 0)
            && (reached ? distance == (float)(best[i] >> 32) * 0.5f : isnan(distance));
  }
  free(best);
  return right;
}

static void
check_zones(void)
{
  bool right = true;
  for (int round = 0; round < 400 && right; round++) {
    VtImage image = noise_new(1 + pick(40), 1 + pick(40), 2 + pick(20));
    VtImage seeds = mini_image_new(VITRAIL_I32, image.width, image.height);
    for (int n = (int)pick(8); n > 0; n--)
      ((int32_t *)seeds.data)[pick((uint32_t)(image.width * image.height))] = 1 + (int32_t)pick(INT32_MAX - 1);
    const bool four = pick(2);
    MiniJob job = job_with("zones", &image, "connectivity", four);
    mini_job_add(&job, "seeds", &seeds);
    MiniResult result;
    right = run(&job, &result) == VITRAIL_OK && zones_are_right(&image, &seeds, four, &result);
    mini_result_clear(&result);
    free(image.data);
    free(seeds.data);
  }
  vt_ok(right, "zones: steps and labels as relaxation has them");
}

/* --- without a pixel size --- */

/* A square of 12 x 12 level-0 pixels is 144 of them, and 6 from its middle to its edge, on a grid of any pixel size. */
static void
check_units(void)
{
  VtImage image = mini_image_new(VITRAIL_U8, 40, 40);
  memset(image.data, 0, 40 * 40);
  for (int64_t y = 8; y < 20; y++)
    memset(vt_image_at(&image, 8, y), 200, 12);
  for (int d = 1; d <= 4; d *= 2) {
    MiniJob job = job_of("morphology", &image);
    MiniResult result;
    mini_job_set(&job, "pixel-size", d);
    mini_job_set(&job, "operation", 10);
    mini_job_set(&job, "threshold", 100);
    mini_job_set(&job, "min-area", 140);
    mini_job_set(&job, "max-area", 150);
    const bool ran = run(&job, &result) == VITRAIL_OK;
    vt_ok(ran && *(uint8_t *)vt_image_at(&result.stages[0], 10 / d, 10 / d) == 255, "areas are level-0 pixels at 1:%d",
          d);
    mini_result_clear(&result);
    job = job_of("distance", &image);
    mini_job_set(&job, "pixel-size", d);
    mini_job_set(&job, "threshold", 100);
    const bool measured = run(&job, &result) == VITRAIL_OK;
    const float got = measured ? *(float *)vt_image_at(&result.stages[0], 12 / d, 12 / d) : -1;
    vt_ok(got >= 4 && got <= 8, "distances are level-0 pixels at 1:%d: %g", d, got);
    mini_result_clear(&result);
  }
  free(image.data);
}

/* --- what can't be --- */

static void
expect(const MiniJob *job, const char *part, const char *what)
{
  MiniResult result;
  const VitrailStatus status = run(job, &result);
  vt_ok(status == VITRAIL_BAD_ARGUMENT && strstr(result.message, part), "%s: status %d, \"%s\"", what, status,
        result.message);
  mini_result_clear(&result);
}

static void
check_distance_sentences(const VtImage *image)
{
  MiniJob job;
  if (mini_n_choices("distance", "algorithm") > 1) {
    job = job_with("distance", image, "algorithm", 1);
    const MiniJob in_pieces = streamed(&job, 1000);
    expect(&in_pieces, "only exact distances", "danielsson in pieces");
    mini_job_set(&job, "context", 1);
    expect(&job, "can't say what is certain", "danielsson in context");
  }
  job = job_with("distance", image, "output", 0);
  job.mpp_y = 500;
  expect(&job, "too unlike", "needles for pixels");
  /* Only the sizes of these are looked at. */
  const VtImage wide = { image->data, 60000, 40000, 60000, VITRAIL_U8 };
  job = job_with("distance", &wide, "output", NEAREST);
  mini_job_set_region(&job, 0, 0, 8, 8);
  expect(&job, "too many for their numbers", "numbers beyond 32 bits");
  VtImage line = mini_image_new(VITRAIL_U8, 60000, 1);
  memset(line.data, 1, 59999);
  job = job_with("distance", &line, "output", SQUARED);
  expect(&job, "don't fit into 32 bits", "squares beyond 32 bits");
  free(line.data);
}

static void
check_other_sentences(const VtImage *image)
{
  VtImage smaller = mini_image_new(VITRAIL_U8, 5, 5), negative = mini_image_new(VITRAIL_I32, 8, 8),
          floats = mini_image_new(VITRAIL_F32, 8, 8), large = mini_image_new(VITRAIL_I32, 8, 8);
  ((int32_t *)negative.data)[9] = -4;
  ((int32_t *)large.data)[9] = 1 << 25;
  for (int i = 0; i < 2; i++) {
    MiniJob job = job_with(i ? "zones" : "watershed", image, "threshold", 0);
    mini_job_add(&job, "seeds", &smaller);
    expect(&job, "must agree", "seeds of another size");
    job.images[1] = negative;
    expect(&job, "can't be negative", "negative seeds");
    job.images[1] = floats;
    expect(&job, "whole numbers", "seeds that are floats");
    job.images[1] = *image;
    mini_job_set(&job, "pixel-size", 1);
    expect(&job, "Labels have no mean", "seeds on a coarser grid");
  }
  MiniJob job = job_with("watershed", &large, "threshold", 0);
  expect(&job, "24 bits", "heights that floats can't hold");
  job = job_with("reconstruct", image, "marker-kind", 1);
  mini_job_set(&job, "context", 1);
  expect(&job, "one-pixel", "one pixel in context");
  for (int kind = 1; kind <= 2; kind++) {
    const MiniJob whole = job_with("reconstruct", image, "marker-kind", kind);
    job = streamed(&whole, 1000);
    if (kind == 1)
      expect(&job, "in pieces there are only", "one pixel in pieces");
    mini_job_add(&job, "marker", image);
    expect(&job, "A marker image is given", "two markers");
  }
  free(smaller.data);
  free(negative.data);
  free(floats.data);
  free(large.data);
}

/* --- normalised stains --- */

enum { N_MIXED = 7 };
/* Amounts of hematoxylin and eosin, in OD; the first two are glass. */
static const double mixed[N_MIXED][2] = { { 0, 0 },     { -0.02, -0.02 }, { 0.5, 0 },    { 0, 0.4 },
                                          { 0.3, 0.3 }, { 0.1, 0.6 },     { 0.05, 0.02 } };

static void
set_vector(MiniJob *job, const char *key, double a, double b, double c)
{
  VitrailParamValue *value = mini_job_set(job, key, a);
  value->v[1] = b;
  value->v[2] = c;
}

/* Colours of mixtures over glass; brighter than glass is glass. */
static void
fill_mixed(VtImage *image, const double stains[2][3], const double white[3])
{
  for (int i = 0; i < N_MIXED; i++) {
    uint8_t *p = vt_image_at(image, i, 0);
    for (int c = 0; c < 3; c++)
      p[c] = (uint8_t)fmin(lround(white[c] * pow(10, -mixed[i][0] * stains[0][c] - mixed[i][1] * stains[1][c])), 255);
    p[3] = 255;
  }
}

/* Half as strong as the reference: each amount becomes twice as much, of the reference's colours, over white. */
static void
check_normalized(void)
{
  static const double stains[2][3] = { { 0.6, 0.64, 0.48 }, { 0.28, 0.96, 0 } }, white[3] = { 240, 235, 230 },
                      reference[2][3] = { { 0.5626, 0.7201, 0.4062 }, { 0.2159, 0.8012, 0.5581 } };
  VtImage image = mini_image_new(VITRAIL_RGBA8, N_MIXED, 1);
  fill_mixed(&image, stains, white);
  MiniJob job = job_with("normalize", &image, "hematoxylin-strength", 0.428);
  MiniResult result;
  double off_amount = 0, off_colour = 0;
  mini_job_set(&job, "eosin-strength", 0.224);
  set_vector(&job, "white", white[0], white[1], white[2]);
  set_vector(&job, "hematoxylin", stains[0][0], stains[0][1], stains[0][2]);
  set_vector(&job, "eosin", stains[1][0], stains[1][1], stains[1][2]);
  const bool done = run(&job, &result) == VITRAIL_OK;
  for (int i = 0; i < N_MIXED && done; i++) {
    const uint8_t *p = vt_image_at(&result.stages[0], i, 0);
    for (int k = 0; k < 2; k++)
      off_amount =
        fmax(off_amount, fabs(*(uint16_t *)vt_image_at(&result.stages[1 + k], i, 0) * 1e-4 - 2 * fmax(mixed[i][k], 0)));
    for (int c = 0; c < 3; c++)
      off_colour = fmax(off_colour, fabs(p[c]
                                         - 255
                                             * pow(10, -2 * fmax(mixed[i][0], 0) * reference[0][c]
                                                         - 2 * fmax(mixed[i][1], 0) * reference[1][c])));
  }
  vt_ok(done && off_amount < 0.03 && off_colour < 4,
        "stains are normalised: amounts within %.4f OD, colours within %.2f", off_amount, off_colour);
  vt_ok(done && memcmp(result.stages[0].data, "\377\377\377\377\377\377\377\377", 8) == 0, "glass is white");
  mini_result_clear(&result);
  set_vector(&job, "reference-eosin", 0.5626, 0.7201, 0.4062);
  expect(&job, "of the reference must differ", "two reference stains of one colour");
  set_vector(&job, "reference-eosin", 0, 0, 0);
  expect(&job, "of the reference must differ", "no reference stain");
  set_vector(&job, "reference-eosin", 0.2, 0.8, 0.5);
  set_vector(&job, "eosin", 0.6, 0.64, 0.48);
  expect(&job, "and eosin vectors must differ", "two stains of one colour");
  free(image.data);
}

/* --- regions --- */

/* Codes come again after 4096 pixels: what is that far apart and alike are two objects all the same. */
static void
check_far_regions(void)
{
  enum { WIDTH = 70, HEIGHT = 4340, FROM = 40, N_ROWS = 160, PERIOD = 4096, LABELS = 1 };
  VtImage tissue = mini_tissue_new(WIDTH, N_ROWS, 3), image = mini_image_new(VITRAIL_RGBA8, WIDTH, HEIGHT);
  memset(image.data, 240, (size_t)(HEIGHT * image.stride));
  for (int64_t y = 0; y < N_ROWS; y++)
    for (int64_t again = 0; again <= PERIOD; again += PERIOD)
      memcpy(vt_image_at(&image, 0, FROM + y + again), vt_image_at(&tissue, 0, y), (size_t)image.stride);
  MiniJob job = job_with("nuclei", &image, "min-area", 0);
  MiniResult result, other;
  char where[64] = "";
  const MiniHost canvas = { .canvas_width = WIDTH, .canvas_height = HEIGHT };
  const MiniJob pieces = streamed(&job, 1 << 23);
  const VitrailStatus status = run_on(&job, canvas, &result), in_pieces = run_on(&pieces, canvas, &other);
  int64_t n_above = 0, n_below = 0;
  bool apart = true;
  for (int64_t i = 0; status == VITRAIL_OK && i < WIDTH * (int64_t)HEIGHT; i++) {
    const int32_t label = ((const int32_t *)result.stages[LABELS].data)[i];
    const bool above = i < WIDTH * (int64_t)(HEIGHT / 2);
    n_above = above && label > n_above ? label : n_above;
    n_below = !above && label > n_below ? label : n_below;
    apart &= above || label == 0 || label > n_above;
  }
  vt_ok(status == VITRAIL_OK && apart && n_above > 0 && n_below > n_above,
        "nuclei that are 4096 pixels apart have numbers of their own: %lld, and %lld below", (long long)n_above,
        (long long)(n_below - n_above));
  vt_ok(in_pieces == VITRAIL_OK && mini_result_equal(&result, &other, where, sizeof where),
        "and so they have in pieces: \"%s\"", other.message);
  mini_result_clear(&result);
  mini_result_clear(&other);
  free(tissue.data);
  free(image.data);
}

static void
paint(VtImage *image, int64_t x, int64_t y, uint8_t red, uint8_t green, uint8_t blue)
{
  memcpy(vt_image_at(image, x, y), (const uint8_t[4]){ red, green, blue, 255 }, 4);
}

enum {
  N_IN_ROW = 5,
  PITCH = 25,
  RADIUS = 14,
  MARGIN = 30,
  ROW_WIDTH = 2 * MARGIN + N_IN_ROW * PITCH,
  ROW_HEIGHT = 2 * MARGIN
};

/* Nuclei that touch, of one colour: no level tells them apart. */
static VtImage
row_new(void)
{
  VtImage image = mini_image_new(VITRAIL_RGBA8, ROW_WIDTH, ROW_HEIGHT);
  for (int64_t y = 0; y < ROW_HEIGHT; y++)
    for (int64_t x = 0; x < ROW_WIDTH; x++)
      paint(&image, x, y, 225, 205, 230);
  for (int64_t i = 0; i < N_IN_ROW; i++)
    for (int64_t y = -RADIUS; y <= RADIUS; y++)
      for (int64_t x = -RADIUS; x <= RADIUS; x++)
        if (x * x + y * y <= RADIUS * RADIUS)
          paint(&image, MARGIN + PITCH / 2 + i * PITCH + x, ROW_HEIGHT / 2 + y, 90, 50, 130);
  return image;
}

/* How many middles of nuclei have a label, another one than the nucleus before. */
static int
count_in_row(const MiniJob *job)
{
  enum { LABELS = 1 };
  MiniResult result;
  const MiniHost canvas = { .canvas_width = ROW_WIDTH, .canvas_height = ROW_HEIGHT };
  int n = run_on(job, canvas, &result) == VITRAIL_OK ? 0 : -1;
  for (int64_t i = 0, before = 0; n >= 0 && i < N_IN_ROW; i++) {
    const int32_t label =
      *(const int32_t *)vt_image_at(&result.stages[LABELS], MARGIN + PITCH / 2 + i * PITCH, ROW_HEIGHT / 2);
    n += label > 0 && label != before;
    before = label;
  }
  mini_result_clear(&result);
  return n;
}

static void
check_row(void)
{
  enum { TISSUE = 1 };
  VtImage image = row_new();
  MiniJob job = job_with("nuclei", &image, "preset", TISSUE);
  job.mpp_x = job.mpp_y = 0;
  const int n = count_in_row(&job);
  mini_job_set(&job, "largest", 96);
  vt_ok(n == N_IN_ROW && count_in_row(&job) == 0,
        "a row of nuclei, 128 pixels long, is taken apart where it may be as long: %d", n);
  free(image.data);
}

static void
check_regions_sentences(const VtImage *grey)
{
  VtImage colours = mini_tissue_new(40, 30, 2), deep = mini_image_new(VITRAIL_U16, 20, 20);
  memset(deep.data, 0, (size_t)(20 * deep.stride));
  MiniJob job = job_with("nuclei", &deep, "min-area", 0);
  expect(&job, "8 bits", "nuclei in 16 bits");
  job = job_with("nuclei", grey, "min-area", 0);
  expect(&job, "choose cytology or fluorescence", "stained nuclei without colours");
  job = job_with("nuclei", &colours, "largest", 121);
  job.mpp_x = job.mpp_y = 0.5;
  expect(&job, "more than 240 pixels", "a nucleus that is too large");
  MiniResult result;
  job = job_with("nuclei", &colours, "largest", 4);
  vt_ok(run(&job, &result) == VITRAIL_OK && strstr(result.warnings, "less than 16 pixels"),
        "a nucleus that is too small is said: \"%s\"", result.warnings);
  mini_result_clear(&result);
  free(colours.data);
  free(deep.data);
}

int
main(void)
{
  if (mini_plugin()->session_open(&session) != VITRAIL_OK)
    return 1;
  VtImage image = noise_new(8, 8, 9);
  check_distances();
  check_border_marker();
  check_zones();
  check_units();
  check_distance_sentences(&image);
  check_other_sentences(&image);
  check_regions_sentences(&image);
  check_normalized();
  MiniJob grey = job_of("normalize", &image);
  expect(&grey, "one channel", "stains of one channel");
  check_far_regions();
  check_row();
  free(image.data);
  mini_plugin()->session_close(session);
  return vt_test_done();
}
