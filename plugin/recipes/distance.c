/* SPDX-License-Identifier: MIT
 *
 * The op `distance`: foreground by a threshold, distance in µm (pixels without a pixel size), its square in whole units, or
 * the nearest background pixel. Pixels that are not square have whole-numbered weights for the squares of their sides. */
#include <math.h>
#include <string.h>

#include "drivers/channel.h"
#include "drivers/propagate.h"
#include "drivers/sides.h"
#include "engine/view-exact.h"
#include "recipes/foreground.h"
#include "recipes/ops.h"
#include "run/grid.h"
#include "run/params.h"
#include "run/raster.h"

enum { DISTANCE_BYTES = 25, DANIELSSON_BYTES = 45 }; /* for each pixel, at most */

/* --- what is asked for --- */

typedef enum { EUCLIDEAN, SQUARED, NEAREST } Output;
enum { STAGE_EUCLIDEAN, STAGE_CERTAIN, STAGE_SQUARED, STAGE_NEAREST };

typedef struct {
  Output output;
  const char *algorithm;
  int32_t weight_x, weight_y; /* of squared steps along x and y, in units */
  double um_per_unit;         /* pixels per unit without a pixel size */
  int64_t cap;                /* squared, in units; 0: none */
} Job;

/* The best p/q for 0 < ratio <= 1 with q <= limit (convergents of its continued fraction and what lies between them). */
static void
approximate(double ratio, int32_t limit, int32_t *p, int32_t *q)
{
  double p0 = 0, q0 = 1, p1 = 1, q1 = 0, rest = ratio;
  for (;;) {
    const double a = floor(rest);
    if (q0 + a * q1 > limit)
      break;
    const double p2 = p0 + a * p1, q2 = q0 + a * q1;
    p0 = p1, q0 = q1, p1 = p2, q1 = q2;
    if (rest - a < 1e-12)
      break;
    rest = 1 / (rest - a);
  }
  const double k = q1 > 0 ? floor((limit - q0) / q1) : 0, between_p = p0 + k * p1, between_q = q0 + k * q1;
  const bool is_between = fabs(p1 / q1 - ratio) > fabs(between_p / between_q - ratio);
  *p = (int32_t)(is_between ? between_p : p1);
  *q = (int32_t)(is_between ? between_q : q1);
}

/* weight_x : weight_y = mpp_x² : mpp_y², as near as 16 bits allow. */
static VitrailStatus
choose_weights(VtRun *run, Job *job)
{
  const VitrailInput *input = vt_input(run, "image");
  const double um = run->grid.um_per_px;
  job->weight_x = job->weight_y = 1;
  job->um_per_unit = um > 0 ? um : 1;
  if (um > 0 && input->mpp_x != input->mpp_y && strcmp(vt_param_choice(run, "pixel-shape"), "measured") == 0) {
    const double ratio = input->mpp_x / input->mpp_y;
    if (ratio < 1)
      approximate(ratio * ratio, 65535, &job->weight_x, &job->weight_y);
    else
      approximate(1 / ratio / ratio, 65535, &job->weight_y, &job->weight_x);
    if (job->weight_x < 1 || job->weight_y < 1)
      return vt_fail(run, VITRAIL_BAD_ARGUMENT,
                     "Pixels of %g by %g µm are too unlike for distances; set pixel-shape to square.", input->mpp_x,
                     input->mpp_y);
    job->um_per_unit = um / sqrt(sqrt((double)job->weight_x * job->weight_y));
  }
  vt_record(run, "weight-x", job->weight_x);
  vt_record(run, "weight-y", job->weight_y);
  if (um > 0)
    vt_record(run, "um-per-unit", job->um_per_unit);
  return VITRAIL_OK;
}

static VitrailStatus
job_init(VtRun *run, Job *job)
{
  *job = (Job){ .output = (Output)vt_param(run, "output"), .algorithm = vt_param_choice(run, "algorithm") };
  TRY(choose_weights(run, job));
  const double cap = vt_param(run, "cap") / job->um_per_unit;
  if (cap > 0) {
    job->cap = (int64_t)fmin(ceil(cap * cap), 4e18);
    job->cap = job->cap < 1 ? 1 : job->cap;
    vt_record(run, "cap-squared", (double)job->cap);
  }
  const double width = (double)run->grid.image_width, height = (double)run->grid.image_height;
  if (job->weight_x * (width + 1) * (width + 1) + job->weight_y * (height + 1) * (height + 1) > 4e18)
    return vt_fail(run, VITRAIL_BAD_ARGUMENT,
                   "An image of %.0f x %.0f pixels is too large for distances; choose a coarser pixel size.", width,
                   height);
  if (job->output == NEAREST && width * height > (double)INT32_MAX)
    return vt_fail(
      run, VITRAIL_BAD_ARGUMENT,
      "An image of %.0f x %.0f pixels has too many for their numbers to fit into 32 bits; choose a coarser "
      "pixel size.",
      width, height);
  return VITRAIL_OK;
}

/* --- a rectangle --- */

/* To 32 bits: squares as they are, pixels by their number in the whole image's grid; -1: none. */
static VitrailStatus
narrow(VtRun *run, const Job *job, VtRect rect, const VtImage *wide, const VtImage *result)
{
  int64_t largest = 0;
  for (int64_t y = 0; y < rect.height; y++) {
    const int64_t *from = vt_image_at(wide, 0, y);
    int32_t *to = vt_image_at(result, 0, y);
    for (int64_t x = 0; x < rect.width; x++) {
      int64_t value = from[x] == VT_EDT_NONE64 ? -1 : from[x];
      if (job->output == NEAREST && value >= 0)
        value = (rect.y + value / rect.width) * run->grid.image_width + rect.x + value % rect.width;
      largest = value > largest ? value : largest;
      to[x] = (int32_t)value;
    }
    if (vt_cancelled_at(run, y))
      return VITRAIL_CANCELLED;
  }
  if (largest > INT32_MAX)
    return vt_fail(run, VITRAIL_BAD_ARGUMENT,
                   "Squared distances here reach %lld units and don't fit into 32 bits; set a cap, a coarser pixel "
                   "size, or the output euclidean.",
                   (long long)largest);
  return VITRAIL_OK;
}

static VitrailStatus
distance_rect(VtRun *run, VtRect rect, void *user, VtImage *result)
{
  const Job *job = user;
  VtImage image, channel, foreground;
  double scale;
  TRY(vt_read_input(run, vt_input(run, "image"), rect, &image));
  TRY(vt_channel(run, vt_param_choice(run, "channel"), &image, &channel, &scale));
  TRY(vt_raster_alloc(run, &foreground, VITRAIL_U8, rect.width, rect.height));
  TRY(vt_raster_alloc(run, result, job->output == EUCLIDEAN ? VITRAIL_F32 : VITRAIL_I32, rect.width, rect.height));
  TRY(vt_local_foreground(run, &channel, &foreground, vt_param_threshold(run, "threshold", image.type, scale)));
  VtDistance args = { .src = foreground,
                      .weight_x = job->weight_x,
                      .weight_y = job->weight_y,
                      .scale = (float)job->um_per_unit,
                      .cap = job->cap };
  if (job->output == EUCLIDEAN) {
    args.root = *result;
    return vt_distance_by(run, job->algorithm, &args);
  }
  VtImage *wide = job->output == SQUARED ? &args.squared : &args.nearest;
  TRY(vt_raster_alloc(run, wide, VT_I64, rect.width, rect.height));
  TRY(vt_distance_by(run, job->algorithm, &args));
  return narrow(run, job, rect, wide, result);
}

/* --- certainty --- */

/* A background pixel outside is at least as far away as the nearest open side: the square of that. */
static int64_t
way_out(const Job *job, VtRect rect, const bool open[4], int64_t x, int64_t y)
{
  const int64_t ways[4] = {
    [VT_SIDE_LEFT] = x + 1, [VT_SIDE_TOP] = y + 1, [VT_SIDE_RIGHT] = rect.width - x, [VT_SIDE_BOTTOM] = rect.height - y
  };
  int64_t least = INT64_MAX;
  for (int side = 0; side < 4; side++) {
    const int64_t weight = side == VT_SIDE_LEFT || side == VT_SIDE_RIGHT ? job->weight_x : job->weight_y;
    const int64_t squared = weight * ways[side] * ways[side];
    least = open[side] && squared < least ? squared : least;
  }
  return least;
}

/* Of equally near pixels the first counts, and that may lie outside. */
static bool
nearest_is_certain(const VtRun *run, const Job *job, int64_t x, int64_t y, int32_t number, int64_t way)
{
  if (number < 0)
    return job->cap > 0 && job->cap < way;
  const int64_t dx = number % run->grid.image_width - x, dy = number / run->grid.image_width - y;
  return job->weight_x * dx * dx + job->weight_y * dy * dy < way;
}

static VitrailStatus
find_certain(VtRun *run, VtRect rect, const bool open[4], void *user, const VtImage *result, const VtImage *certain)
{
  const Job *job = user;
  const float scale = (float)job->um_per_unit;
  for (int64_t y = 0; y < rect.height; y++) {
    const float *distance = vt_image_at(result, 0, y);
    const int32_t *number = vt_image_at(result, 0, y);
    uint8_t *out = vt_image_at(certain, 0, y);
    for (int64_t x = 0; x < rect.width; x++) {
      const int64_t way = way_out(job, rect, open, x, y);
      bool is_certain = false;
      switch (job->output) {
      case EUCLIDEAN: is_certain = distance[x] <= (float)sqrt((double)way) * scale; break;
      case SQUARED: is_certain = number[x] >= 0 && number[x] <= way; break;
      case NEAREST: is_certain = nearest_is_certain(run, job, rect.x + x, rect.y + y, number[x], way); break;
      }
      out[x] = is_certain ? 255 : 0;
    }
    if (vt_cancelled_at(run, y))
      return VITRAIL_CANCELLED;
  }
  return VITRAIL_OK;
}

/* --- the op --- */

/* Danielsson's propagation says nothing of how far an answer reaches. */
static VitrailStatus
danielsson(VtRun *run, Job *job, VtImage *result, VtImage *certain)
{
  if (strcmp(vt_param_choice(run, "context"), "exact") == 0)
    return vt_fail(
      run, VITRAIL_BAD_ARGUMENT,
      TR("The algorithm danielsson can't say what is certain; set algorithm to exact, or context to region."));
  *certain = (VtImage){ 0 };
  vt_record_text(run, "certain", "none: the algorithm danielsson can't say");
  TRY(vt_raster_check_budget(run, vt_grid_rect(run), DANIELSSON_BYTES));
  return distance_rect(run, vt_grid_rect(run), job, result);
}

static VitrailStatus
check_streamed(VtRun *run, const Job *job)
{
  const bool exact = strcmp(job->algorithm, "exact") == 0;
  if (job->output == EUCLIDEAN && exact && job->cap == 0 && job->weight_x == job->weight_y)
    return VITRAIL_OK;
  return vt_fail(
    run, VITRAIL_BAD_ARGUMENT,
    "The region is too large at once, and in pieces there are only exact Euclidean distances without a cap "
    "between square pixels: choose a smaller region or a coarser pixel size%s.",
    job->weight_x != job->weight_y ? ", or set pixel-shape to square" : "");
}

VitrailStatus
vt_op_distance(VtRun *run)
{
  static const VtView view = { DISTANCE_BYTES, STAGE_CERTAIN, distance_rect, find_certain };
  static const uint32_t stages[] = { STAGE_EUCLIDEAN, STAGE_SQUARED, STAGE_NEAREST };
  Job job;
  TRY(vt_grid_resolve(run, vt_input(run, "image")));
  TRY(job_init(run, &job));
  const bool is_danielsson = strcmp(job.algorithm, "danielsson") == 0;
  if (vt_run_streams(run, vt_grid_rect(run), is_danielsson ? DANIELSSON_BYTES : DISTANCE_BYTES)) {
    TRY(check_streamed(run, &job));
    return vt_op_distance_streamed(run);
  }
  vt_stage_begin(run);
  VtImage result, certain;
  TRY(is_danielsson ? danielsson(run, &job, &result, &certain) : vt_view_exact(run, &view, &job, &result, &certain));
  const uint32_t stage = stages[job.output];
  const double scale = job.output == SQUARED ? job.um_per_unit * job.um_per_unit : 1;
  TRY(vt_emit_raster(run, stage, &result, scale));
  TRY(vt_stage_end(run, stage));
  return certain.data ? vt_emit_raster(run, STAGE_CERTAIN, &certain, 1) : VITRAIL_OK;
}
