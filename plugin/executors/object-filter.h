/* SPDX-License-Identifier: MIT
 *
 * object-filter.h: which objects are kept. */
#pragma once

#include <math.h>

#include "vt-backend.h"

typedef struct {
  int64_t min_area_px, max_area_px;
  double min_b, max_b; /* mean of b, raw */
} VtObjectFilter;

/* A limit of an area in pixels as a whole number; with a tiny pixel size it may be beyond every integer. */
static inline int64_t
vt_object_area_limit(double px)
{
  return (int64_t)fmin(fmax(px, 0), 1e15);
}

/* Of sum_b. */
static inline bool
vt_object_reaches_b(const VtObjectStats *object, const VtObjectFilter *filter)
{
  return (double)object->sum_b >= filter->min_b * (double)object->area_px;
}

static inline bool
vt_object_is_kept(const VtObjectStats *object, const VtObjectFilter *filter)
{
  return object->area_px >= filter->min_area_px && object->area_px <= filter->max_area_px
         && (double)object->sum_b <= filter->max_b * (double)object->area_px && vt_object_reaches_b(object, filter);
}
