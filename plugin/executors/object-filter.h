/* SPDX-License-Identifier: MIT
 *
 * object-filter.h: which objects are kept. */
#pragma once

#include "vt-backend.h"

typedef struct {
  int64_t min_area_px, max_area_px;
  double max_background; /* mean of b, raw */
} VtObjectFilter;

/* Of sum_b. */
static inline bool
vt_object_is_kept(const VtObjectStats *object, const VtObjectFilter *filter)
{
  return object->area_px >= filter->min_area_px && object->area_px <= filter->max_area_px
         && (double)object->sum_b <= filter->max_background * (double)object->area_px;
}
