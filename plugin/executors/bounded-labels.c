/* SPDX-License-Identifier: MIT
 *
 * Steps of labels on bounds. */
#include <stdlib.h>

#include "executors/bounded-labels.h"
#include "executors/bounded.h"
#include "executors/host.h"
#include "run/grid.h"
#include "run/parallel.h"
#include "run/raster.h"

static VitrailStatus
no_memory(VtExec *exec)
{
  return vt_fail(exec->run, VITRAIL_OUT_OF_MEMORY, TR("There is not enough memory to say what is certain."));
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

/* goes_on: the piece reaches an open side. unsure: some of its pixels may be background. Both by label. */
static VitrailStatus
find_unsure(VtExec *exec, const VtImage *src, const VtImage *labels, uint8_t *goes_on, uint8_t *unsure)
{
  for (int64_t y = 0; y < src->height; y++) {
    for (int64_t x = 0; x < src->width; x++) {
      const int32_t label = label_at(labels, x, y);
      goes_on[label] |= label && vt_bounds_is_edge(exec, src, x, y);
      unsure[label] |= label && !byte_at(src, x, y);
    }
    if (vt_cancelled_at(exec->run, y))
      return VITRAIL_CANCELLED;
  }
  return VITRAIL_OK;
}

VitrailStatus
vt_bounds_components(VtExec *exec, const VtComponents *args)
{
  VtRun *run = exec->run;
  const VtImage *src = &args->src, *labels = &args->dst;
  const VtComponents all = { vt_bounds_high(exec, src), *labels, args->connectivity };
  TRY(run->cpu->components(run->cpu_team, &all, &run->cancel));
  uint8_t *unsure = calloc((size_t)(src->width * src->height) + 1, 1);
  VitrailStatus status = unsure ? find_unsure(exec, src, labels, unsure, unsure) : no_memory(exec);
  for (int64_t y = 0; y < src->height && status == VITRAIL_OK; y++) {
    int32_t *row = vt_image_at(labels, 0, y);
    for (int64_t x = 0; x < src->width; x++)
      row[x] = unsure[row[x]] ? VT_UNSURE : row[x];
    status = vt_cancelled_at(run, y) ? VITRAIL_CANCELLED : VITRAIL_OK;
  }
  free(unsure);
  return status;
}

/* A piece that reaches an open side has at least the area that is counted here. */
VitrailStatus
vt_bounds_sized(VtExec *exec, const VtImage *foreground, const VtImage *dst, int32_t connectivity, double least,
                double most)
{
  VtRun *run = exec->run;
  const VtImage dst_high = vt_bounds_high(exec, dst);
  const size_t n = (size_t)(dst->width * dst->height) + 1;
  VtImage labels;
  TRY(vt_raster_alloc(run, &labels, VITRAIL_I32, dst->width, dst->height));
  const VtComponents all = { vt_bounds_high(exec, foreground), labels, connectivity };
  TRY(run->cpu->components(run->cpu_team, &all, &run->cancel));
  uint32_t *areas = calloc(n, sizeof *areas);
  uint8_t *goes_on = calloc(n, 1), *unsure = calloc(n, 1);
  VitrailStatus status =
    areas && goes_on && unsure ? find_unsure(exec, foreground, &labels, goes_on, unsure) : no_memory(exec);
  for (int64_t y = 0; y < dst->height && status == VITRAIL_OK; y++) {
    const int32_t *label = vt_image_at(&labels, 0, y);
    for (int64_t x = 0; x < dst->width; x++)
      areas[label[x]]++;
    status = vt_cancelled_at(run, y) ? VITRAIL_CANCELLED : VITRAIL_OK;
  }
  for (int64_t y = 0; y < dst->height && status == VITRAIL_OK; y++) {
    const int32_t *label = vt_image_at(&labels, 0, y);
    uint8_t *low = vt_image_at(dst, 0, y), *high = vt_image_at(&dst_high, 0, y);
    for (int64_t x = 0; x < dst->width; x++) {
      const bool is_unsure = unsure[label[x]] || (goes_on[label[x]] && areas[label[x]] <= most);
      const bool is_kept = label[x] && areas[label[x]] >= least && areas[label[x]] <= most;
      low[x] = is_kept && !is_unsure ? 255 : 0;
      high[x] = is_kept || is_unsure ? 255 : 0;
    }
    status = vt_cancelled_at(run, y) ? VITRAIL_CANCELLED : VITRAIL_OK;
  }
  free(areas);
  free(goes_on);
  free(unsure);
  vt_host_free(exec, &labels);
  return status;
}

/* --- watershed --- */

enum { SURE, UNKNOWN /* the pixel itself */, TOUCHED /* its plateau */ };

typedef struct {
  VtExec *exec;
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

/* A seed whose label is known stays as it is, whatever lies beyond an open side. */
static VitrailStatus
find_unknown(Basins *b)
{
  for (int64_t y = 0; y < b->height; y++) {
    if (vt_cancelled_at(b->exec->run, y))
      return VITRAIL_CANCELLED;
    for (int64_t x = 0; x < b->width; x++) {
      if (!byte_at(&b->mask_high, x, y))
        continue;
      const int32_t seed = label_at(&b->args->seeds, x, y);
      const float level = *(const float *)vt_image_at(&b->args->level, x, y);
      if (seed == VT_UNSURE || !byte_at(&b->args->mask, x, y) || level != highest_level(b, x, y)
          || (seed == 0 && vt_bounds_is_edge(b->exec, &b->mask_high, x, y)))
        set_state(b, x, y, UNKNOWN);
    }
  }
  return VITRAIL_OK;
}

/* The distances in a plateau depend on every pixel beside it that may be as high as the plateau. Seeds end this: a seed has distance 0
 * for any outside, and pixels behind it are nearest to it. Lower pixels depend on distances only through their parents, which the
 * watershed follows. */
static VitrailStatus
touch_plateaus(Basins *b)
{
  for (int64_t k = 0; k < b->n_queued; k++) {
    if ((k & 0xFFFF) == 0 && vt_cancelled(&b->exec->run->cancel))
      return VITRAIL_CANCELLED;
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
  return VITRAIL_OK;
}

/* All unsure pixels become seeds of one label. A pixel is sure if its parents lead to none of them. As seeds they have distance 0, so
 * they win wherever any outside could make them win. */
static VitrailStatus
flood(Basins *b)
{
  VtRun *run = b->exec->run;
  for (int64_t y = 0; y < b->height; y++) {
    int32_t *to = vt_image_at(&b->seeds, 0, y);
    const int32_t *from = vt_image_at(&b->args->seeds, 0, y);
    for (int64_t x = 0; x < b->width; x++)
      to[x] = b->state[y * b->width + x] == SURE ? from[x] : VT_UNSURE;
    if (vt_cancelled_at(run, y))
      return VITRAIL_CANCELLED;
  }
  const VtWatershed args = { b->args->level, b->seeds, b->mask_high, b->args->labels };
  return run->cpu->watershed(run->cpu_team, &args, &run->cancel);
}

VitrailStatus
vt_bounds_watershed(VtExec *exec, const VtWatershed *args)
{
  Basins b = { .exec = exec,
               .args = args,
               .level_high = vt_bounds_high(exec, &args->level),
               .mask_high = vt_bounds_high(exec, &args->mask),
               .width = args->level.width,
               .height = args->level.height };
  const size_t n = (size_t)(b.width * b.height);
  TRY(vt_raster_alloc(exec->run, &b.seeds, VITRAIL_I32, b.width, b.height));
  b.queue = malloc(n * sizeof *b.queue);
  b.state = calloc(n, 1);
  VitrailStatus status = b.queue && b.state ? VITRAIL_OK : no_memory(exec);
  THEN(status, find_unknown(&b));
  THEN(status, touch_plateaus(&b));
  THEN(status, flood(&b));
  free(b.queue);
  free(b.state);
  vt_host_free(exec, &b.seeds);
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

static VitrailStatus
count(VtExec *exec, const VtImage *labels, const VtImage *background, Object *objects)
{
  const VtImage high = vt_bounds_high(exec, background);
  for (int64_t y = 0; y < labels->height; y++) {
    for (int64_t x = 0; x < labels->width; x++) {
      const int32_t label = label_at(labels, x, y);
      if (label == 0 || label == VT_UNSURE)
        continue;
      objects[label].stats.area_px++;
      objects[label].stats.sum_b += *(const uint16_t *)vt_image_at(background, x, y);
      objects[label].sum_high += *(const uint16_t *)vt_image_at(&high, x, y);
      objects[label].is_unsure |= is_beside_unsure(labels, x, y);
    }
    if (vt_cancelled_at(exec->run, y))
      return VITRAIL_CANCELLED;
  }
  return VITRAIL_OK;
}

VitrailStatus
vt_bounds_objects(VtExec *exec, const VtImage *labels, const VtImage *a, const VtImage *b, const VtObjectFilter *filter,
                  VtObjectStats **stats, int64_t *n_objects)
{
  int64_t n = 0;
  *stats = NULL;
  TRY(vt_host_number(exec, labels, &n));
  Object *objects = calloc((size_t)n + 1, sizeof *objects);
  int32_t *numbers = calloc((size_t)n + 1, sizeof *numbers);
  VitrailStatus status = objects && numbers ? count(exec, labels, b, objects) : no_memory(exec);
  *n_objects = 0;
  for (int64_t i = 1; i <= n && status == VITRAIL_OK; i++) {
    const bool is_kept = vt_object_is_kept(&objects[i].stats, filter);
    const bool reaches = vt_object_reaches_b(&objects[i].stats, filter);
    objects[i].stats.sum_b = objects[i].sum_high;
    objects[i].is_unsure |= is_kept != vt_object_is_kept(&objects[i].stats, filter)
                            || reaches != vt_object_reaches_b(&objects[i].stats, filter);
    numbers[i] = objects[i].is_unsure ? VT_UNSURE : is_kept ? (int32_t)++ * n_objects : 0;
  }
  for (int64_t y = 0; y < labels->height && status == VITRAIL_OK; y++) {
    int32_t *row = vt_image_at(labels, 0, y);
    for (int64_t x = 0; x < labels->width; x++)
      row[x] = row[x] == VT_UNSURE ? VT_UNSURE : numbers[row[x]];
    status = vt_cancelled_at(exec->run, y) ? VITRAIL_CANCELLED : VITRAIL_OK;
  }
  free(objects);
  free(numbers);
  return status;
}

/* --- zones --- */

/* The seeds of one of two runs. sure: seeds with a sure label. Not sure: all else that could be nearer, as label 1: unsure seeds, mask
 * pixels at an open side, and pixels that may or may not be in the mask. */
typedef struct {
  const VtExec *exec;
  const VtGeodesic *args;
  VtImage mask_high, out, near;
  bool sure;
} ZonesJob;

static VitrailStatus
split_tile(VtRun *run, VtRect t, void *user)
{
  const ZonesJob *job = user;
  for (int64_t y = t.y; y < t.y + t.height; y++) {
    const int32_t *seed = vt_image_at(&job->args->seeds, 0, y);
    const uint8_t *mask = vt_image_at(&job->args->mask, 0, y), *mask_high = vt_image_at(&job->mask_high, 0, y);
    int32_t *to = vt_image_at(&job->out, 0, y);
    for (int64_t x = t.x; x < t.x + t.width; x++) {
      const bool is_way_in = mask_high[x] && (!mask[x] || vt_bounds_is_edge(job->exec, &job->out, x, y));
      const bool is_sure = seed[x] != 0 && seed[x] != VT_UNSURE;
      to[x] = job->sure ? (is_sure ? seed[x] : 0) : seed[x] == VT_UNSURE || is_way_in;
    }
  }
  return VITRAIL_OK;
}

/* A zone is sure if the sure seed is nearer. In a tie the smaller label wins, and that may be one from outside. */
static VitrailStatus
zones_tile(VtRun *run, VtRect t, void *user)
{
  const ZonesJob *job = user;
  const VtImage steps_high = vt_bounds_high(job->exec, &job->args->steps);
  for (int64_t y = t.y; y < t.y + t.height; y++) {
    const int32_t *other = vt_image_at(&job->near, 0, y);
    int32_t *low = vt_image_at(&job->args->steps, 0, y), *high = vt_image_at(&steps_high, 0, y);
    int32_t *zone = vt_image_at(&job->args->zones, 0, y);
    for (int64_t x = t.x; x < t.x + t.width; x++) {
      zone[x] = low[x] < other[x] || other[x] == VT_EDT_NONE ? zone[x] : VT_UNSURE;
      high[x] = low[x];
      low[x] = other[x] < low[x] ? other[x] : low[x];
    }
  }
  return VITRAIL_OK;
}

VitrailStatus
vt_bounds_geodesic(VtExec *exec, const VtGeodesic *args)
{
  VtRun *run = exec->run;
  const int64_t width = args->mask.width, height = args->mask.height;
  ZonesJob job = { .exec = exec, .args = args, .mask_high = vt_bounds_high(exec, &args->mask), .sure = true };
  TRY(vt_raster_alloc(run, &job.out, VITRAIL_I32, width, height));
  TRY(vt_raster_alloc(run, &job.near, VITRAIL_I32, width, height));
  TRY(vt_local(run, width, height, split_tile, &job));
  const VtGeodesic sure = { job.out, args->mask, args->steps, args->zones, args->connectivity };
  const VtGeodesic other = {
    .seeds = job.out, .mask = job.mask_high, .steps = job.near, .connectivity = args->connectivity
  };
  TRY(run->cpu->geodesic(run->cpu_team, &sure, &run->cancel));
  job.sure = false;
  TRY(vt_local(run, width, height, split_tile, &job));
  TRY(run->cpu->geodesic(run->cpu_team, &other, &run->cancel));
  TRY(vt_local(run, width, height, zones_tile, &job));
  vt_host_free(exec, &job.near);
  vt_host_free(exec, &job.out);
  return VITRAIL_OK;
}

VitrailStatus
vt_bounds_count(const VtExec *exec, const VtImage *labels, int64_t n_objects, int64_t *n_certain)
{
  const VtImage shown = vt_run_shown(exec->run, labels);
  uint8_t *seen = calloc((size_t)n_objects + 1, 1);
  if (!seen)
    return vt_fail(exec->run, VITRAIL_OUT_OF_MEMORY, TR("There is not enough memory to count the objects."));
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
    cancelled = vt_cancelled_at(exec->run, y);
  }
  free(seen);
  return cancelled ? VITRAIL_CANCELLED : VITRAIL_OK;
}
