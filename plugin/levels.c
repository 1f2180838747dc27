/* SPDX-License-Identifier: MIT
 *
 * Discretisation to grey levels 1..n (IBSI: fixed bin number, fixed bin width); 0 lies outside. The range is the same for the
 * whole image, never a window's; a region may have its own. */
#include <math.h>
#include <string.h>

#include "vt-run-context.h"

enum { MAX_LEVELS = 256 };
typedef enum Binning { FIXED_NUMBER, AS_IS, FIXED_WIDTH } Binning; /* in the order of the parameter's choices */

typedef struct {
  const VtImage *src, *mask, *roi, *levels;
  Binning binning;
  double scale, min, width; /* of the whole range, or of a bin */
  int32_t n_levels;
} LevelsJob;

static double
value_at(const VtImage *image, int64_t x, int64_t y)
{
  const void *p = vt_image_at(image, x, y);
  switch (image->type) {
  case VITRAIL_U8: return *(const uint8_t *)p;
  case VITRAIL_U16: return *(const uint16_t *)p;
  case VITRAIL_I32: return *(const int32_t *)p;
  default: return *(const float *)p;
  }
}

static bool
inside(const LevelsJob *job, int64_t x, int64_t y)
{
  return (!job->mask || value_at(job->mask, x, y) != 0) && (!job->roi || value_at(job->roi, x, y) != 0);
}

/* One more than the most stands for all that is higher. */
static uint16_t
level_of(const LevelsJob *job, double raw)
{
  double level = 1; /* a flat region is one level */
  if (job->binning == AS_IS)
    return raw >= 1 && raw <= job->n_levels ? (uint16_t)raw : 0;
  if (!isfinite(raw))
    return 0;
  if (job->binning == FIXED_WIDTH)
    return (uint16_t)fmin(fmax(floor((raw * job->scale - job->min) / job->width) + 1, 1), MAX_LEVELS + 1);
  if (job->width > 0)
    level = floor(job->n_levels * (raw * job->scale - job->min) / job->width) + 1;
  return (uint16_t)fmin(fmax(level, 1), job->n_levels);
}

static VitrailStatus
levels_tile(VtRun *run, VtRect t, void *user)
{
  (void)run;
  LevelsJob *job = user;
  for (int64_t y = t.y; y < t.y + t.height; y++) {
    uint16_t *row = vt_image_at(job->levels, 0, y);
    for (int64_t x = t.x; x < t.x + t.width; x++)
      row[x] = inside(job, x, y) ? level_of(job, value_at(job->src, x, y)) : 0;
  }
  return VITRAIL_OK;
}

static void
own_range(const VtImage *src, double scale, double *min, double *max)
{
  *min = 0;
  *max = src->type == VITRAIL_U8 ? 255 : scale < 1 ? 2 : src->type == VITRAIL_U16 ? 65535 : 1;
}

/* The least and the greatest finite value inside; both 0 where there is none. */
static void
region_range(const LevelsJob *job, double *min, double *max)
{
  bool any = false;
  for (int64_t y = 0; y < job->src->height; y++)
    for (int64_t x = 0; x < job->src->width; x++) {
      const double value = value_at(job->src, x, y) * job->scale;
      if (!isfinite(value) || !inside(job, x, y))
        continue;
      *min = any ? fmin(*min, value) : value;
      *max = any ? fmax(*max, value) : value;
      any = true;
    }
  if (!any)
    *min = *max = 0;
}

static VitrailStatus
resolve_range(VtRun *run, LevelsJob *job, bool own)
{
  double max = vt_param(run, "range-max");
  job->min = vt_param(run, "range-min");
  if (own)
    region_range(job, &job->min, &max);
  else if (job->binning == FIXED_NUMBER && job->min == 0 && max == 0)
    own_range(job->src, job->scale, &job->min, &max);
  if (job->binning == FIXED_WIDTH) {
    job->width = vt_param(run, "bin-width");
    job->n_levels = MAX_LEVELS;
    vt_record(run, "bin-width", job->width);
  } else {
    job->width = max - job->min;
    if (!own && !(job->width > 0))
      return vt_fail(run, VITRAIL_BAD_ARGUMENT,
                     "The range of the grey levels must end above its start, not go from %g to %g.", job->min, max);
  }
  if (!own) {
    vt_record(run, "range-from", job->min);
    if (job->binning == FIXED_NUMBER)
      vt_record(run, "range-to", max);
  }
  return VITRAIL_OK;
}

static VitrailStatus
check_levels(VtRun *run, const LevelsJob *job)
{
  for (int64_t y = 0; y < job->levels->height; y++) {
    const uint16_t *row = vt_image_at(job->levels, 0, y);
    for (int64_t x = 0; x < job->levels->width; x++)
      if (row[x] > MAX_LEVELS)
        return vt_fail(run, VITRAIL_BAD_ARGUMENT,
                       "Bins of width %g from %g on would make more than %d grey levels; take wider ones.", job->width,
                       job->min, MAX_LEVELS);
    if (vt_cancelled_at(run, y))
      return VITRAIL_CANCELLED;
  }
  return VITRAIL_OK;
}

VitrailStatus
vt_discretise(VtRun *run, const VtImage *src, double scale, const VtImage *mask, const VtImage *roi, bool own,
              VtImage *levels, int32_t *n_levels)
{
  LevelsJob job = {
    .src = src,
    .mask = mask,
    .roi = roi,
    .levels = levels,
    .binning = (Binning)vt_param(run, "binning"),
    .scale = scale,
    .n_levels = (int32_t)vt_param(run, "levels"),
  };
  VitrailStatus status = VITRAIL_OK;
  if (job.binning == AS_IS)
    job.n_levels = MAX_LEVELS;
  else
    status = resolve_range(run, &job, own);
  *n_levels = job.n_levels;
  if (job.binning != FIXED_WIDTH)
    vt_record(run, "levels", job.n_levels);
  if (status == VITRAIL_OK)
    status = vt_raster_alloc(run, levels, VITRAIL_U16, src->width, src->height);
  if (status == VITRAIL_OK)
    status = vt_local(run, src->width, src->height, levels_tile, &job);
  return status == VITRAIL_OK && job.binning == FIXED_WIDTH ? check_levels(run, &job) : status;
}

VtGlrlmAggregate
vt_param_aggregate(const VtRun *run)
{
  static const VtGlrlmAggregate order[] = { VT_GLRLM_MEAN,    VT_GLRLM_MERGED,  VT_GLRLM_DIR_1_0,
                                            VT_GLRLM_DIR_1_1, VT_GLRLM_DIR_0_1, VT_GLRLM_DIR_M1_1 };
  return order[(uint32_t)vt_param(run, "aggregate")];
}
