/* SPDX-License-Identifier: MIT
 *
 * object-filter.h: which objects are kept. */
#pragma once

#include "vt-backend.h"

typedef struct {
  int64_t min_area_px, max_area_px;
  double min_b, max_b; /* mean of b, raw */
} VtObjectFilter;

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
