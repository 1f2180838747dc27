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

enum { MAX_PARAMS = 8 };

typedef struct {
  const char *op;
  const VtImage *images[2];
  const char *second; /* id of the second input */
  double mpp_x, mpp_y;
  int64_t x, y, width, height; /* width 0: all */
  uint32_t n_params;
  const char *keys[MAX_PARAMS];
  double values[MAX_PARAMS];
  bool streams;
  uint64_t budget; /* of a streamed run; 0: next to nothing, and the last tile is all that is looked at */
} Job;

static VitrailSession *session;

static void
set(Job *job, const char *key, double value)
{
  job->keys[job->n_params] = key;
  job->values[job->n_params++] = value;
}

static VitrailStatus
job_run(const Job *job, MiniResult *result)
{
  VitrailParamValue values[MAX_PARAMS];
  const VitrailParamValue *value_list[MAX_PARAMS];
  for (uint32_t i = 0; i < job->n_params; i++) {
    values[i] = (VitrailParamValue){ .size = sizeof values[i], .key = job->keys[i], .v = { job->values[i] } };
    value_list[i] = &values[i];
  }
  VitrailInput inputs[2];
  const VitrailInput *input_list[2];
  for (uint32_t i = 0; i < 2 && job->images[i]; i++) {
    inputs[i] = (VitrailInput){ .size = sizeof inputs[i],
                                .handle = i,
                                .id = i                                     ? job->second
                                      : strcmp(job->op, "reconstruct") == 0 ? "mask"
                                                                            : "image",
                                .type = job->images[i]->type,
                                .width_l0 = job->images[i]->width,
                                .height_l0 = job->images[i]->height,
                                .mpp_x = job->mpp_x,
                                .mpp_y = job->mpp_y };
    input_list[i] = &inputs[i];
  }
  VitrailRequest request = { .size = sizeof request,
                             .op_id = job->op,
                             .backend = "cpu",
                             .tile_px = 16 + pick(50),
                             .x_l0 = job->x,
                             .y_l0 = job->y,
                             .width_l0 = job->width ? job->width : job->images[0]->width,
                             .height_l0 = job->width ? job->height : job->images[0]->height,
                             .n_params = job->n_params,
                             .params = value_list,
                             .n_inputs = job->images[1] ? 2 : 1,
                             .inputs = input_list,
                             .scratch_dir = job->streams ? "/tmp" : NULL,
                             .memory_budget = !job->streams ? 0
                                              : job->budget ? job->budget
                                                            : 1000 };
  MiniHost mini = { .images = { job->images[0], job->images[1] },
                    .canvas_width = job->budget ? job->images[0]->width : 0,
                    .canvas_height = job->images[0]->height,
                    .n_threads = 1 + pick(3),
                    .shuffle_seed = pick(99),
                    .cancel_after = -1 };
  return mini_run(&mini, session, &request, result);
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
pick_region(Job *job)
{
  const int64_t w = job->images[0]->width, h = job->images[0]->height;
  job->x = pick((uint32_t)w);
  job->y = pick((uint32_t)h);
  job->width = 1 + pick((uint32_t)(w - job->x));
  job->height = 1 + pick((uint32_t)(h - job->y));
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
pixel_is_right(const Job *job, int shape, int output, int64_t cap, const MiniResult *result, int64_t x, int64_t y)
{
  const VtImage *image = job->images[0], *got = &result->stages[stage_of[output]];
  int64_t best = VT_EDT_NONE64, nearest = -1;
  for (int64_t v = job->y; v < job->y + job->height; v++)
    for (int64_t u = job->x; u < job->x + job->width; u++) {
      const int64_t squared = shapes[shape].weight_x * (u - x) * (u - x) + shapes[shape].weight_y * (v - y) * (v - y);
      if (*(uint8_t *)vt_image_at(image, u, v) == 0 && squared < best)
        best = squared, nearest = v * image->width + u;
    }
  if (cap > 0 && best > cap)
    best = cap, nearest = -1;
  const void *at = vt_image_at(got, x - job->x, y - job->y);
  if (output == NEAREST)
    return *(const int32_t *)at == nearest;
  if (output == SQUARED)
    return *(const int32_t *)at == (best == VT_EDT_NONE64 ? -1 : (int32_t)best);
  const double side = shapes[shape].mpp_x > 0 ? sqrt(shapes[shape].mpp_x * shapes[shape].mpp_y) : 1;
  const float unit = (float)(side / sqrt(sqrt((double)shapes[shape].weight_x * (double)shapes[shape].weight_y)));
  return *(const float *)at == (best == VT_EDT_NONE64 ? INFINITY : (float)sqrt((double)best) * unit);
}

static Job
distance_job(const VtImage *image, int shape, int output, int64_t cap)
{
  Job job = { "distance", { image }, .mpp_x = shapes[shape].mpp_x, .mpp_y = shapes[shape].mpp_y };
  const double side = job.mpp_x > 0 ? sqrt(job.mpp_x * job.mpp_y) : 1;
  const double unit = side / sqrt(sqrt((double)shapes[shape].weight_x * (double)shapes[shape].weight_y));
  set(&job, "output", output);
  set(&job, "pixel-size", job.mpp_x > 0 ? 0.05 : 1);
  if (cap > 0) /* a little less, as its square is rounded up */
    set(&job, "cap", sqrt((double)cap - 0.5) * unit);
  return job;
}

static void
check_distances(void)
{
  bool right = true, whole = true;
  int64_t n_certain = 0, n_px = 0;
  for (int round = 0; round < 900 && right && whole; round++) {
    const int shape = round % 5, output = round / 5 % 3;
    const int64_t cap = pick(2) ? 1 + pick(60) : 0;
    VtImage image = noise_new(1 + pick(26), 1 + pick(26), 2 + pick(200));
    Job job = distance_job(&image, shape, output, cap), all = job;
    MiniResult part, reference;
    pick_region(&job);
    if (pick(2)) {
      right = job_run(&job, &part) == VITRAIL_OK;
      for (int64_t y = job.y; y < job.y + job.height && right; y++)
        for (int64_t x = job.x; x < job.x + job.width && right; x++)
          right = pixel_is_right(&job, shape, output, cap, &part, x, y);
      mini_result_clear(&part);
    }
    const bool to_the_end = pick(2);
    set(&job, "context", to_the_end);
    whole = job_run(&all, &reference) == VITRAIL_OK && job_run(&job, &part) == VITRAIL_OK && right;
    const VtImage *got = &part.stages[stage_of[output]], *want = &reference.stages[stage_of[output]];
    for (int64_t y = 0; y < job.height && whole; y++)
      for (int64_t x = 0; x < job.width && whole; x++) {
        const bool is_certain = *(uint8_t *)vt_image_at(&part.stages[1], x, y);
        n_certain += is_certain;
        n_px++;
        whole =
          is_certain ? memcmp(vt_image_at(got, x, y), vt_image_at(want, job.x + x, job.y + y), 4) == 0 : !to_the_end;
      }
    mini_result_clear(&part);
    mini_result_clear(&reference);
    free(image.data);
  }
  vt_ok(right, "distance: every output, shape of pixels and cap as the obvious way has it");
  vt_ok(whole, "distance: every certain pixel is the whole image's, and with context all are certain");
  vt_ok(n_certain > n_px / 3, "distance: %.0f %% of pixels are certain", 100.0 * (double)n_certain / (double)n_px);
}

/* --- markers --- */

static void
check_border_marker(void)
{
  bool right = true;
  int64_t n_certain = 0, n_px = 0;
  for (int round = 0; round < 400 && right; round++) {
    VtImage image = noise_new(1 + pick(60), 1 + pick(60), 2 + pick(9));
    Job all = { "reconstruct", { &image } };
    set(&all, "marker-kind", 2);
    set(&all, "connectivity", pick(2));
    set(&all, "method", pick(2));
    Job job = all;
    const bool to_the_end = pick(2);
    set(&job, "context", to_the_end);
    pick_region(&job);
    MiniResult part, whole;
    right = job_run(&all, &whole) == VITRAIL_OK && job_run(&job, &part) == VITRAIL_OK;
    for (int64_t y = 0; y < job.height && right; y++)
      for (int64_t x = 0; x < job.width && right; x++) {
        const bool is_certain = *(uint8_t *)vt_image_at(&part.stages[1], x, y);
        n_certain += is_certain;
        n_px++;
        right = is_certain ? *(uint8_t *)vt_image_at(&part.stages[0], x, y)
                               == *(uint8_t *)vt_image_at(&whole.stages[0], job.x + x, job.y + y)
                           : !to_the_end;
      }
    mini_result_clear(&part);
    mini_result_clear(&whole);
    free(image.data);
  }
  vt_ok(right && n_certain > n_px / 3, "border marker: certain pixels are the whole image's, %.0f %% of all",
        100.0 * (double)n_certain / (double)n_px);
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
    Job job = { "zones", { &image, &seeds }, "seeds", 0.5, 0.5 };
    const bool four = pick(2);
    set(&job, "connectivity", four);
    MiniResult result;
    right = job_run(&job, &result) == VITRAIL_OK && zones_are_right(&image, &seeds, four, &result);
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
    Job job = { "morphology", { &image }, "seeds", 0, 0 };
    MiniResult result;
    set(&job, "pixel-size", d);
    set(&job, "operation", 10);
    set(&job, "threshold", 100);
    set(&job, "min-area", 140);
    set(&job, "max-area", 150);
    const bool ran = job_run(&job, &result) == VITRAIL_OK;
    vt_ok(ran && *(uint8_t *)vt_image_at(&result.stages[0], 10 / d, 10 / d) == 255, "areas are level-0 pixels at 1:%d",
          d);
    mini_result_clear(&result);
    job = (Job){ "distance", { &image }, "seeds", 0, 0 };
    set(&job, "pixel-size", d);
    set(&job, "threshold", 100);
    const bool measured = job_run(&job, &result) == VITRAIL_OK;
    const float got = measured ? *(float *)vt_image_at(&result.stages[0], 12 / d, 12 / d) : -1;
    vt_ok(got >= 4 && got <= 8, "distances are level-0 pixels at 1:%d: %g", d, got);
    mini_result_clear(&result);
  }
  free(image.data);
}

/* --- what can't be --- */

static void
expect(const Job *job, const char *part, const char *what)
{
  MiniResult result;
  const VitrailStatus status = job_run(job, &result);
  vt_ok(status == VITRAIL_BAD_ARGUMENT && strstr(result.message, part), "%s: status %d, \"%s\"", what, status,
        result.message);
  mini_result_clear(&result);
}

static Job
job_with(const char *op, const VtImage *image, const char *key, double value)
{
  Job job = { op, { image }, "seeds", 0.5, 0.5 };
  set(&job, key, value);
  return job;
}

static void
check_distance_sentences(const VtImage *image)
{
  Job job;
  if (mini_n_choices("distance", "algorithm") > 1) {
    job = job_with("distance", image, "algorithm", 1);
    job.streams = true;
    expect(&job, "only exact distances", "danielsson in pieces");
    job.streams = false;
    set(&job, "context", 1);
    expect(&job, "can't say what is certain", "danielsson in context");
  }
  job = job_with("distance", image, "output", 0);
  job.mpp_y = 500;
  expect(&job, "too unlike", "needles for pixels");
  /* Only the sizes of these are looked at. */
  const VtImage wide = { image->data, 60000, 40000, 60000, VITRAIL_U8 };
  job = job_with("distance", &wide, "output", NEAREST);
  job.width = job.height = 8;
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
    Job job = job_with(i ? "zones" : "watershed", image, "threshold", 0);
    job.images[1] = &smaller;
    expect(&job, "must agree", "seeds of another size");
    job.images[1] = &negative;
    expect(&job, "can't be negative", "negative seeds");
    job.images[1] = &floats;
    expect(&job, "whole numbers", "seeds that are floats");
    job.images[1] = image;
    set(&job, "pixel-size", 1);
    expect(&job, "Labels have no mean", "seeds on a coarser grid");
  }
  Job job = job_with("watershed", &large, "threshold", 0);
  expect(&job, "24 bits", "heights that floats can't hold");
  job = job_with("reconstruct", image, "marker-kind", 1);
  set(&job, "context", 1);
  expect(&job, "one-pixel", "one pixel in context");
  for (int kind = 1; kind <= 2; kind++) {
    job = job_with("reconstruct", image, "marker-kind", kind);
    job.streams = true;
    if (kind == 1)
      expect(&job, "in pieces there are only", "one pixel in pieces");
    job.images[1] = image;
    job.second = "marker";
    expect(&job, "A marker image is given", "two markers");
  }
  free(smaller.data);
  free(negative.data);
  free(floats.data);
  free(large.data);
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
  Job job = job_with("nuclei-regions", &image, "min-area", 0);
  MiniResult result, streamed;
  char where[64] = "";
  job.budget = 1 << 23;
  const VitrailStatus status = job_run(&job, &result);
  job.streams = true;
  const VitrailStatus in_pieces = job_run(&job, &streamed);
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
  vt_ok(in_pieces == VITRAIL_OK && mini_result_equal(&result, &streamed, where, sizeof where),
        "and so they have in pieces: \"%s\"", streamed.message);
  mini_result_clear(&result);
  mini_result_clear(&streamed);
  free(tissue.data);
  free(image.data);
}

static void
check_regions_sentences(const VtImage *grey)
{
  VtImage colours = mini_tissue_new(40, 30, 2), deep = mini_image_new(VITRAIL_U16, 20, 20);
  memset(deep.data, 0, (size_t)(20 * deep.stride));
  Job job = job_with("nuclei-regions", &deep, "min-area", 0);
  expect(&job, "8 bits", "nuclei in 16 bits");
  job = job_with("nuclei-regions", grey, "min-area", 0);
  expect(&job, "choose fluorescence", "stained nuclei without colours");
  job = job_with("nuclei-regions", &colours, "largest", 200);
  expect(&job, "more than 192 pixels", "a nucleus that is too large");
  MiniResult result;
  job = job_with("nuclei-regions", &colours, "largest", 4);
  vt_ok(job_run(&job, &result) == VITRAIL_OK && strstr(result.warnings, "less than 16 pixels"),
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
  check_far_regions();
  free(image.data);
  mini_plugin()->session_close(session);
  return vt_test_done();
}
