/* SPDX-License-Identifier: MIT
 *
 * Discretisation to grey levels 1..n (IBSI "fixed bin number" over one range for the whole image, never per window); 0 lies
 * outside. */
#include <math.h>
#include <string.h>

#include "vt-run-context.h"

typedef struct {
  const VtImage *src, *mask, *levels;
  double scale, min, width; /* of the whole range */
  int32_t n_levels;
  bool as_is;
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

static uint16_t
level_of(const LevelsJob *job, double raw)
{
  if (job->as_is)
    return raw >= 1 && raw <= job->n_levels ? (uint16_t)raw : 0;
  if (!isfinite(raw))
    return 0;
  double level = floor(job->n_levels * (raw * job->scale - job->min) / job->width) + 1;
  return (uint16_t)fmin(fmax(level, 1), job->n_levels);
}

static VitrailStatus
levels_tile(VtRun *run, VtRect t, void *user)
{
  (void)run;
  LevelsJob *job = user;
  for (int64_t y = t.y; y < t.y + t.height; y++) {
    uint16_t *row = vt_image_at(job->levels, 0, y);
    for (int64_t x = t.x; x < t.x + t.width; x++) {
      bool outside = job->mask && value_at(job->mask, x, y) == 0;
      row[x] = outside ? 0 : level_of(job, value_at(job->src, x, y));
    }
  }
  return VITRAIL_OK;
}

static void
own_range(const VtImage *src, double scale, double *min, double *max)
{
  *min = 0;
  *max = src->type == VITRAIL_U8 ? 255 : scale < 1 ? 2 : src->type == VITRAIL_U16 ? 65535 : 1;
}

VitrailStatus
vt_discretise(VtRun *run, const VtImage *src, double scale, const VtImage *mask, VtImage *levels, int32_t *n_levels)
{
  LevelsJob job = {
    .src = src,
    .mask = mask,
    .levels = levels,
    .scale = scale,
    .n_levels = (int32_t)vt_param(run, "levels"),
    .as_is = strcmp(vt_param_choice(run, "binning"), "as-is") == 0,
    .min = vt_param(run, "range-min"),
  };
  double max = vt_param(run, "range-max");
  if (job.min == 0 && max == 0)
    own_range(src, scale, &job.min, &max);
  job.width = max - job.min;
  if (!job.as_is && !(job.width > 0))
    return vt_fail(run, VITRAIL_BAD_ARGUMENT,
                   "The range of the grey levels must end above its start, not go from %g to %g.", job.min, max);
  if (job.as_is)
    job.n_levels = 256;
  *n_levels = job.n_levels;
  vt_record(run, "levels", job.n_levels);
  if (!job.as_is) {
    vt_record(run, "range-from", job.min);
    vt_record(run, "range-to", max);
  }
  VitrailStatus status = vt_raster_alloc(run, levels, VITRAIL_U16, src->width, src->height);
  return status == VITRAIL_OK ? vt_local(run, src->width, src->height, levels_tile, &job) : status;
}

VtGlrlmAggregate
vt_param_aggregate(const VtRun *run)
{
  static const VtGlrlmAggregate order[] = { VT_GLRLM_MEAN,    VT_GLRLM_MERGED,  VT_GLRLM_DIR_1_0,
                                            VT_GLRLM_DIR_1_1, VT_GLRLM_DIR_0_1, VT_GLRLM_DIR_M1_1 };
  return order[(uint32_t)vt_param(run, "aggregate")];
}
