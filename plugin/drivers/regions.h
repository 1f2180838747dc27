/* SPDX-License-Identifier: MIT
 *
 * regions.h: from the codes of VtRegions to labels. */
#pragma once

#include "run/run.h"

/* The first pixel of the region of a pixel with this code, as its number y * width + x in the run's rectangle; -1: it would lie
 * outside. x, y: the pixel's own place in the rectangle. */
static inline int64_t
vt_region_first(const VtGrid *grid, int32_t code, int64_t x, int64_t y)
{
  const int64_t left = (grid->x + x - (code - 1)) & (VT_REGION_PERIOD - 1);
  const int64_t up = (grid->y + y - (code - 1) / VT_REGION_PERIOD) & (VT_REGION_PERIOD - 1);
  x -= left < VT_REGION_PERIOD / 2 ? left : left - VT_REGION_PERIOD;
  y -= up;
  return x >= 0 && x < grid->width && y >= 0 ? y * grid->width + x : -1;
}

static inline bool
vt_is_region_code(int32_t code)
{
  return code > 0 && code <= VT_REGION_MOST_CODE;
}

/* Codes (I32) of the run's rectangle become labels, in place: 1 + the number of the region's first pixel. What is no code stays. */
VitrailStatus vt_region_labels(VtRun *run, const VtImage *codes);
