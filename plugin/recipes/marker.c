/* SPDX-License-Identifier: MIT */
#include <math.h>

#include "recipes/marker.h"
#include "run/parallel.h"
#include "run/params.h"

#define LOWER(T, lowest) \
  for (int64_t y = 0; y < mask->height; y++) { \
    const T *from = vt_image_at(mask, 0, y); \
    T *to = vt_image_at(marker, 0, y); \
    for (int64_t x = 0; x < mask->width; x++) \
      to[x] = (double)from[x] - height > (double)(lowest) ? (T)((double)from[x] - height) : (T)(lowest); \
  }

VitrailStatus
vt_marker_lower(const VtImage *mask, const VtImage *marker, double height)
{
  switch (mask->type) {
  case VITRAIL_U8: LOWER(uint8_t, 0); break;
  case VITRAIL_U16: LOWER(uint16_t, 0); break;
  case VITRAIL_I32: LOWER(int32_t, INT32_MIN); break;
  case VITRAIL_F32: LOWER(float, -INFINITY); break;
  default: return VITRAIL_BAD_ARGUMENT;
  }
  return VITRAIL_OK;
}

#define RAISE(T, highest) \
  for (int64_t y = 0; y < mask->height; y++) { \
    const T *from = vt_image_at(mask, 0, y); \
    T *to = vt_image_at(marker, 0, y); \
    for (int64_t x = 0; x < mask->width; x++) \
      to[x] = (double)from[x] + height < (double)(highest) ? (T)((double)from[x] + height) : (T)(highest); \
  }

VitrailStatus
vt_marker_raise(const VtImage *mask, const VtImage *marker, double height)
{
  switch (mask->type) {
  case VITRAIL_U8: RAISE(uint8_t, UINT8_MAX); break;
  case VITRAIL_U16: RAISE(uint16_t, UINT16_MAX); break;
  case VITRAIL_I32: RAISE(int32_t, INT32_MAX); break;
  case VITRAIL_F32: RAISE(float, INFINITY); break;
  default: return VITRAIL_BAD_ARGUMENT;
  }
  return VITRAIL_OK;
}

typedef struct {
  const VtImage *mask, *marker;
  double height;
  VitrailStatus (*make)(const VtImage *mask, const VtImage *marker, double height);
} MarkerJob;

static VitrailStatus
marker_tile(VtRun *run, VtRect t, void *user)
{
  (void)run;
  MarkerJob *job = user;
  const VtImage mask = vt_image_window(job->mask, t.x, t.y, t.width, t.height);
  const VtImage marker = vt_image_window(job->marker, t.x, t.y, t.width, t.height);
  return job->make(&mask, &marker, job->height);
}

VitrailStatus
vt_local_lower(VtRun *run, const VtImage *mask, const VtImage *marker, double height)
{
  MarkerJob job = { mask, marker, height, vt_marker_lower };
  return vt_local(run, mask->width, mask->height, marker_tile, &job);
}

VitrailStatus
vt_local_raise(VtRun *run, const VtImage *mask, const VtImage *marker, double height)
{
  MarkerJob job = { mask, marker, height, vt_marker_raise };
  return vt_local(run, mask->width, mask->height, marker_tile, &job);
}

VitrailStatus
vt_marker_check(VtRun *run, const VitrailInput *mask_input, VtType type)
{
  const VitrailInput *input = vt_input(run, "marker");
  if (input->width_l0 != mask_input->width_l0 || input->height_l0 != mask_input->height_l0)
    return vt_fail(run, VITRAIL_BAD_ARGUMENT,
                   "The marker is %lld x %lld pixels and the mask %lld x %lld; they must agree.",
                   (long long)input->width_l0, (long long)input->height_l0, (long long)mask_input->width_l0,
                   (long long)mask_input->height_l0);
  if (input->type != type)
    return vt_fail(run, VITRAIL_BAD_ARGUMENT, TR("The marker and the mask must have the same pixel type."));
  return VITRAIL_OK;
}
