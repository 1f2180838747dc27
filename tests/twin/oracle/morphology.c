/* SPDX-License-Identifier: MIT */
#include "oracle.h"

#include <math.h>
#include <stdlib.h>

static bool
neighbours(int64_t dx, int64_t dy, int32_t connectivity)
{
  return (dx || dy) && (connectivity == 8 || dx == 0 || dy == 0);
}

VitrailStatus
vt_oracle_edt_columns(VtDevice *device, const VtEdt *args, const VtCancel *cancel)
{
  for (int64_t y = 0; y < args->src.height; y++)
    for (int64_t x = 0; x < args->src.width; x++) {
      int64_t least = VT_EDT_NONE;
      for (int64_t v = 0; v < args->src.height; v++)
        if (vt_oracle_get(&args->src, x, v) == 0 && llabs(v - y) < least)
          least = llabs(v - y);
      vt_oracle_set(&args->dst, x, y, (double)least);
    }
  return VITRAIL_OK;
}

VitrailStatus
vt_oracle_edt_rows(VtDevice *device, const VtEdt *args, const VtCancel *cancel)
{
  for (int64_t y = 0; y < args->src.height; y++)
    for (int64_t x = 0; x < args->src.width; x++) {
      int64_t least = VT_EDT_NONE64;
      for (int64_t u = 0; u < args->src.width; u++) {
        const int64_t g = *(const int32_t *)vt_image_at(&args->src, u, y);
        if (g != VT_EDT_NONE && (x - u) * (x - u) + g * g < least)
          least = (x - u) * (x - u) + g * g;
      }
      if (args->dst.type == VT_I64)
        *(int64_t *)vt_image_at(&args->dst, x, y) = least;
      else
        *(float *)vt_image_at(&args->dst, x, y) =
          least == VT_EDT_NONE64 ? INFINITY : (float)sqrt((double)least) * args->scale;
    }
  return VITRAIL_OK;
}

/* Every set pixel starts with its own number and takes the smallest one beside it until nothing changes. */
VitrailStatus
vt_oracle_components(VtDevice *device, const VtComponents *args, const VtCancel *cancel)
{
  const VtImage *dst = &args->dst;
  for (int64_t y = 0; y < dst->height; y++)
    for (int64_t x = 0; x < dst->width; x++)
      vt_oracle_set(dst, x, y, vt_oracle_get(&args->src, x, y) != 0 ? (double)(1 + y * dst->width + x) : 0);
  for (bool changed = true; changed;) {
    changed = false;
    for (int64_t y = 0; y < dst->height; y++)
      for (int64_t x = 0; x < dst->width; x++)
        for (int64_t dy = -1; dy <= 1; dy++)
          for (int64_t dx = -1; dx <= 1; dx++) {
            if (!neighbours(dx, dy, args->connectivity) || !vt_oracle_inside(dst, x + dx, y + dy))
              continue;
            const double own = vt_oracle_get(dst, x, y), other = vt_oracle_get(dst, x + dx, y + dy);
            if (other > 0 && other < own) {
              vt_oracle_set(dst, x, y, other);
              changed = true;
            }
          }
  }
  return VITRAIL_OK;
}
