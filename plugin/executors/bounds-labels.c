/* SPDX-License-Identifier: MIT
 *
 * Which pixels belong together, as far as no outside could change it. */
#include <stdlib.h>
#include <string.h>

#include "executors/bounds-labels.h"
#include "executors/bounds.h"
#include "run/grid.h"
#include "run/raster.h"

static VitrailStatus
no_memory(VtSteps *steps)
{
  return vt_fail(steps->run, VITRAIL_OUT_OF_MEMORY, TR("There is not enough memory to say what is certain."));
}

static int32_t
label_at(const VtImage *labels, int64_t x, int64_t y)
{
  return *(const int32_t *)vt_image_at(labels, x, y);
}

static bool
byte_at(const VtImage *image, int64_t x, int64_t y)
{
  return *(const uint8_t *)vt_image_at(image, x, y) != 0;
}

/* --- pieces --- */

VitrailStatus
vt_bounds_components(VtSteps *steps, const VtComponents *args)
{
  VtRun *run = steps->run;
  const VtImage *src = &args->src, *labels = &args->dst;
  const VtComponents all = { vt_bounds_high(steps, src), *labels, args->connectivity };
  TRY(run->cpu->components(run->cpu_team, &all, &run->cancel));
  uint8_t *unsure = calloc((size_t)(src->width * src->height) + 1, 1);
  if (!unsure)
    return no_memory(steps);
  for (int64_t y = 0; y < src->height; y++)
    for (int64_t x = 0; x < src->width; x++)
      if (label_at(labels, x, y) && (!byte_at(src, x, y) || vt_bounds_is_edge(steps, src, x, y)))
        unsure[label_at(labels, x, y)] = 1;
  for (int64_t y = 0; y < src->height; y++) {
    int32_t *row = vt_image_at(labels, 0, y);
    for (int64_t x = 0; x < src->width; x++)
      row[x] = unsure[row[x]] ? VT_UNSURE : row[x];
  }
  free(unsure);
  return VITRAIL_OK;
}

/* --- watershed --- */

enum { SURE, UNKNOWN /* itself */, TOUCHED /* its plateau */ };

typedef struct {
  VtSteps *steps;
  const VtWatershed *args;
  VtImage level_high, mask_high, seeds;
  int64_t width, height;
  uint8_t *state;
  int32_t *queue; /* every pixel enters once */
  int64_t n_queued;
} Basins;

static float
highest_level(const Basins *b, int64_t x, int64_t y)
{
  return *(const float *)vt_image_at(&b->level_high, x, y);
}

static void
set_state(Basins *b, int64_t x, int64_t y, uint8_t state)
{
  b->state[y * b->width + x] = state;
  b->queue[b->n_queued++] = (int32_t)(y * b->width + x);
}

/* Of a seed at an open side whose label is known, there is nothing to learn outside. */
static void
find_unknown(Basins *b)
{
  for (int64_t y = 0; y < b->height; y++)
    for (int64_t x = 0; x < b->width; x++) {
      if (!byte_at(&b->mask_high, x, y))
        continue;
      const int32_t seed = label_at(&b->args->seeds, x, y);
      const float level = *(const float *)vt_image_at(&b->args->level, x, y);
      if (seed == VT_UNSURE || !byte_at(&b->args->mask, x, y) || level != highest_level(b, x, y)
          || (seed == 0 && vt_bounds_is_edge(b->steps, &b->mask_high, x, y)))
        set_state(b, x, y, UNKNOWN);
    }
}

/* A plateau's distances depend on everything beside it that may be as high; a seed has distance 0 whatever there is, and
 * what lies behind it has no shorter way than from there. Pixels that are lower look at distances only through their
 * parents: that is left to the watershed. */
static void
touch_plateaus(Basins *b)
{
  for (int64_t k = 0; k < b->n_queued; k++) {
    const int64_t x = b->queue[k] % b->width, y = b->queue[k] / b->width;
    const bool is_unknown = b->state[b->queue[k]] == UNKNOWN;
    const float level = highest_level(b, x, y);
    for (int n = 0; n < 9; n++) {
      const int64_t u = x + n % 3 - 1, v = y + n / 3 - 1;
      if (u < 0 || v < 0 || u >= b->width || v >= b->height || b->state[v * b->width + u] != SURE
          || !byte_at(&b->mask_high, u, v) || label_at(&b->args->seeds, u, v) != 0)
        continue;
      const float other = highest_level(b, u, v);
      if (is_unknown ? level >= other : level == other)
        set_state(b, u, v, TOUCHED);
    }
  }
}

/* Unsure pixels are seeds of one label: a pixel is sure if its way of parents leads to none. With distance 0 they win
 * wherever they could; a sure pixel that still comes before them would do so anyway. */
static VitrailStatus
flood(Basins *b)
{
  VtRun *run = b->steps->run;
  for (int64_t y = 0; y < b->height; y++) {
    int32_t *to = vt_image_at(&b->seeds, 0, y);
    const int32_t *from = vt_image_at(&b->args->seeds, 0, y);
    for (int64_t x = 0; x < b->width; x++)
      to[x] = b->state[y * b->width + x] == SURE ? from[x] : VT_UNSURE;
  }
  const VtWatershed args = { b->args->level, b->seeds, b->mask_high, b->args->labels };
  return run->cpu->watershed(run->cpu_team, &args, &run->cancel);
}

VitrailStatus
vt_bounds_watershed(VtSteps *steps, const VtWatershed *args)
{
  Basins b = { .steps = steps,
               .args = args,
               .level_high = vt_bounds_high(steps, &args->level),
               .mask_high = vt_bounds_high(steps, &args->mask),
               .width = args->level.width,
               .height = args->level.height };
  const size_t n = (size_t)(b.width * b.height);
  TRY(vt_raster_alloc(steps->run, &b.seeds, VITRAIL_I32, b.width, b.height));
  b.queue = malloc(n * sizeof *b.queue);
  b.state = calloc(n, 1);
  VitrailStatus status = b.queue && b.state ? VITRAIL_OK : no_memory(steps);
  if (status == VITRAIL_OK) {
    find_unknown(&b);
    touch_plateaus(&b);
    status = flood(&b);
  }
  free(b.queue);
  free(b.state);
  vt_steps_free(steps, &b.seeds);
  return status;
}

/* --- objects --- */

typedef struct {
  VtObjectStats stats; /* area and sum_b, by the lower bound */
  int64_t sum_high;
  bool is_unsure;
} Object;

static bool
is_beside_unsure(const VtImage *labels, int64_t x, int64_t y)
{
  for (int n = 0; n < 9; n++) {
    const int64_t u = x + n % 3 - 1, v = y + n / 3 - 1;
    if (u >= 0 && v >= 0 && u < labels->width && v < labels->height && label_at(labels, u, v) == VT_UNSURE)
      return true;
  }
  return false;
}

/* Labels become numbers in the order of their first pixels. */
static VitrailStatus
number(VtSteps *steps, const VtImage *labels, int64_t *n)
{
  int32_t *numbers = calloc((size_t)(labels->width * labels->height) + 1, sizeof *numbers);
  if (!numbers)
    return no_memory(steps);
  for (int64_t y = 0; y < labels->height; y++) {
    int32_t *row = vt_image_at(labels, 0, y);
    for (int64_t x = 0; x < labels->width; x++) {
      if (row[x] == 0 || row[x] == VT_UNSURE)
        continue;
      if (numbers[row[x]] == 0)
        numbers[row[x]] = (int32_t)++ * n;
      row[x] = numbers[row[x]];
    }
  }
  free(numbers);
  return VITRAIL_OK;
}

static void
count(VtSteps *steps, const VtImage *labels, const VtImage *background, Object *objects)
{
  const VtImage high = vt_bounds_high(steps, background);
  for (int64_t y = 0; y < labels->height; y++)
    for (int64_t x = 0; x < labels->width; x++) {
      const int32_t label = label_at(labels, x, y);
      if (label == 0 || label == VT_UNSURE)
        continue;
      objects[label].stats.area_px++;
      objects[label].stats.sum_b += *(const uint16_t *)vt_image_at(background, x, y);
      objects[label].sum_high += *(const uint16_t *)vt_image_at(&high, x, y);
      objects[label].is_unsure |= is_beside_unsure(labels, x, y);
    }
}

VitrailStatus
vt_bounds_objects(VtSteps *steps, const VtImage *labels, const VtImage *background, const VtObjectFilter *filter,
                  int64_t *n_objects)
{
  int64_t n = 0;
  TRY(number(steps, labels, &n));
  Object *objects = calloc((size_t)n + 1, sizeof *objects);
  int32_t *numbers = calloc((size_t)n + 1, sizeof *numbers);
  if (objects && numbers)
    count(steps, labels, background, objects);
  *n_objects = 0;
  for (int64_t i = 1; i <= n && objects && numbers; i++) {
    const bool is_kept = vt_object_is_kept(&objects[i].stats, filter);
    objects[i].stats.sum_b = objects[i].sum_high;
    objects[i].is_unsure |= is_kept != vt_object_is_kept(&objects[i].stats, filter);
    numbers[i] = objects[i].is_unsure ? VT_UNSURE : is_kept ? (int32_t)++ * n_objects : 0;
  }
  for (int64_t y = 0; y < labels->height && objects && numbers; y++) {
    int32_t *row = vt_image_at(labels, 0, y);
    for (int64_t x = 0; x < labels->width; x++)
      row[x] = row[x] == VT_UNSURE ? VT_UNSURE : numbers[row[x]];
  }
  const VitrailStatus status = objects && numbers ? VITRAIL_OK : no_memory(steps);
  free(objects);
  free(numbers);
  return status;
}

VitrailStatus
vt_bounds_count(const VtSteps *steps, const VtImage *labels, int64_t n_objects, int64_t *n_certain)
{
  const VtImage shown = vt_run_shown(steps->run, labels);
  uint8_t *seen = calloc((size_t)n_objects + 1, 1);
  if (!seen)
    return vt_fail(steps->run, VITRAIL_OUT_OF_MEMORY, TR("There is not enough memory to count the objects."));
  bool cancelled = false;
  *n_certain = 0;
  for (int64_t y = 0; y < shown.height && !cancelled; y++) {
    const int32_t *row = vt_image_at(&shown, 0, y);
    for (int64_t x = 0; x < shown.width; x++) {
      if (row[x] == 0 || row[x] == VT_UNSURE || seen[row[x]])
        continue;
      seen[row[x]] = 1;
      ++*n_certain;
    }
    cancelled = vt_cancelled_at(steps->run, y);
  }
  free(seen);
  return cancelled ? VITRAIL_CANCELLED : VITRAIL_OK;
}
