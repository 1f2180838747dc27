/* SPDX-License-Identifier: MIT */
#include "oracle.h"

#include <math.h>
#include <stdlib.h>

/* Of a stack or an image, bits too. */
static double
get(const VtImage *image, int64_t slice, int64_t x, int64_t y, int64_t z)
{
  VtImage of_slice = *image;
  of_slice.data = (char *)image->data + z * slice;
  if (image->type != VT_BIT)
    return vt_oracle_get(&of_slice, x, y);
  const uint64_t *row = (const uint64_t *)((const char *)of_slice.data + y * image->stride);
  return (double)(row[x / 64] >> x % 64 & 1);
}

static void
set(const VtImage *image, int64_t slice, int64_t x, int64_t y, int64_t z, double v)
{
  VtImage of_slice = *image;
  of_slice.data = (char *)image->data + z * slice;
  uint64_t *row = (uint64_t *)((char *)of_slice.data + y * image->stride);
  if (image->type != VT_BIT)
    vt_oracle_set(&of_slice, x, y, v + 0.0); /* one zero only */
  else
    row[x / 64] = (row[x / 64] & ~((uint64_t)1 << x % 64)) | (uint64_t)(v != 0) << x % 64;
}

static bool
neighbours(int64_t dx, int64_t dy, int64_t dz, const VtReconstruct *args)
{
  const int64_t steps = llabs(dx) + llabs(dy) + llabs(dz);
  if (args->connectivity == 4 || args->connectivity == 8)
    return dz == 0 && (args->connectivity == 8 ? steps > 0 : steps == 1);
  return args->connectivity == 26 ? steps > 0 : steps == 1;
}

static double
highest_around(const VtReconstruct *args, int64_t x, int64_t y, int64_t z, double sign)
{
  const int64_t depth = args->depth > 0 ? args->depth : 1;
  double v = -INFINITY;
  for (int64_t dz = -1; dz <= 1; dz++)
    for (int64_t dy = -1; dy <= 1; dy++)
      for (int64_t dx = -1; dx <= 1; dx++)
        if (neighbours(dx, dy, dz, args) && z + dz >= 0 && z + dz < depth
            && vt_oracle_inside(&args->marker, x + dx, y + dy))
          v = fmax(v, sign * get(&args->marker, args->marker_slice, x + dx, y + dy, z + dz));
  return v;
}

VitrailStatus
vt_oracle_reconstruct(VtDevice *device, const VtReconstruct *args, const VtCancel *cancel)
{
  const double sign = args->by_erosion ? -1 : 1;
  const int64_t depth = args->depth > 0 ? args->depth : 1;
  for (bool changed = true; changed;) {
    changed = false;
    for (int64_t z = 0; z < depth; z++)
      for (int64_t y = 0; y < args->marker.height; y++)
        for (int64_t x = 0; x < args->marker.width; x++) {
          const double old = get(&args->marker, args->marker_slice, x, y, z);
          double v = fmax(sign * old, highest_around(args, x, y, z, sign));
          v = sign * fmin(v, sign * get(&args->mask, args->mask_slice, x, y, z));
          changed |= v != old;
          set(&args->marker, args->marker_slice, x, y, z, v);
        }
  }
  return VITRAIL_OK;
}
