/* SPDX-License-Identifier: MIT
 *
 * Distance: foreground by a threshold, distance in µm (pixels without a pixel size), its square in whole units, or the nearest
 * background pixel. Pixels that are not square have whole-numbered weights for the squares of their sides. */
#include <math.h>
#include <string.h>

#include "engine/recipe.h"
#include "recipes/catalogue.h"
#include "run/params.h"

#define RAW(key) "whole-if(type(pixels) == 'rgba', " key " / scale(channel))"
#define WEIGHTS \
  { "weight-x", "weight-x" }, { "weight-y", "weight-y" }, \
  { \
    "cap", "cap-squared" \
  }

static const VtNode nodes[] = {
  { "pixels", "read", .in = { "image" } },
  { "channel", "channel", .in = { "pixels" }, .params = { { "channel", "channel" } } },
  { "foreground", "above", .in = { "channel" }, .params = { { "threshold", RAW("threshold") } } },
  { "distance",
    "distance",
    "output == 'euclidean'",
    { "foreground" },
    .params = { { "scale", "um-per-unit" }, WEIGHTS, { "algorithm", "algorithm" } },
    .stage = "result" },
  { "distance", "distance", .in = { "foreground" },
    .params = { { "output", "output" }, { "scale", "um-per-unit" }, WEIGHTS, { "algorithm", "algorithm" } } },
  { "squared",
    "narrow",
    "output == 'squared'",
    { "distance" },
    .params = { { "scale", "um-per-unit * um-per-unit" } },
    .stage = "squared" },
  { "nearest",
    "narrow",
    "output == 'nearest'",
    { "distance" },
    .params = { { "scale", "1" }, { "numbers", "1" } },
    .stage = "nearest" },
};

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

typedef struct {
  int32_t x, y;       /* of squared steps along x and y, in units */
  double um_per_unit; /* level-0 pixels per unit without a pixel size */
} Weights;

/* weight_x : weight_y = mpp_x² : mpp_y², as near as 16 bits allow. */
static Weights
choose_weights(VtRun *run)
{
  const VitrailInput *input = vt_input(run, "image");
  const double um = run->grid.um_per_px;
  Weights w = { 1, 1, um > 0 ? um : run->grid.downsample };
  if (um > 0 && input->mpp_x != input->mpp_y && strcmp(vt_param_choice(run, "pixel-shape"), "measured") == 0) {
    const double ratio = input->mpp_x / input->mpp_y;
    if (ratio < 1)
      approximate(ratio * ratio, 65535, &w.x, &w.y);
    else
      approximate(1 / ratio / ratio, 65535, &w.y, &w.x);
    w.um_per_unit = um / sqrt(sqrt((double)w.x * w.y));
  }
  return w;
}

static double
squared_cap(const VtRun *run, const Weights *w)
{
  const double cap = vt_param(run, "cap") / w->um_per_unit;
  return cap > 0 ? fmax((double)(int64_t)fmin(ceil(cap * cap), 4e18), 1) : 0;
}

static bool
find_name(VtRun *run, const char *name, double *number)
{
  const Weights w = choose_weights(run);
  if (strcmp(name, "weight-x") == 0)
    *number = w.x;
  else if (strcmp(name, "weight-y") == 0)
    *number = w.y;
  else if (strcmp(name, "um-per-unit") == 0)
    *number = w.um_per_unit;
  else if (strcmp(name, "cap-squared") == 0)
    *number = squared_cap(run, &w);
  else
    return false;
  return true;
}

static VitrailStatus
check(VtRun *run)
{
  const VitrailInput *input = vt_input(run, "image");
  const Weights w = choose_weights(run);
  const double width = (double)run->grid.image_width, height = (double)run->grid.image_height;
  if (w.x < 1 || w.y < 1)
    return vt_fail(run, VITRAIL_BAD_ARGUMENT,
                   "Pixels of %g by %g µm are too unlike for distances; set pixel-shape to square.", input->mpp_x,
                   input->mpp_y);
  vt_record(run, "weight-x", w.x);
  vt_record(run, "weight-y", w.y);
  if (run->grid.um_per_px > 0)
    vt_record(run, "um-per-unit", w.um_per_unit);
  if (squared_cap(run, &w) > 0)
    vt_record(run, "cap-squared", squared_cap(run, &w));
  if (w.x * (width + 1) * (width + 1) + w.y * (height + 1) * (height + 1) > 4e18)
    return vt_fail(run, VITRAIL_BAD_ARGUMENT,
                   "An image of %.0f x %.0f pixels is too large for distances; choose a coarser pixel size.", width,
                   height);
  if (strcmp(vt_param_choice(run, "output"), "nearest") == 0 && width * height > (double)INT32_MAX)
    return vt_fail(
      run, VITRAIL_BAD_ARGUMENT,
      "An image of %.0f x %.0f pixels has too many for their numbers to fit into 32 bits; choose a coarser "
      "pixel size.",
      width, height);
  return VITRAIL_OK;
}

const VtRecipe vt_recipe_distance = {
  .op = &vt_declared_distance,
  .nodes = nodes,
  .n_nodes = VT_COUNT(nodes),
  .certain = { "squared", "nearest", "distance" },
  .check = check,
  .find = find_name,
  .shares_devices = true,
  .bytes_per_px = "25 + 20 * (algorithm == 'danielsson')",
  .certain_bytes_per_px = "25",
};
