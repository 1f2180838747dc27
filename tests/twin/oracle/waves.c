/* SPDX-License-Identifier: MIT */
#include "oracle.h"

static bool
is_neighbour(int64_t dx, int64_t dy, int32_t connectivity)
{
  return (dx || dy) && (connectivity == 8 || dx == 0 || dy == 0);
}

static bool
is_inside(const VtRegional *a, int64_t x, int64_t y)
{
  return vt_oracle_inside(&a->src, x, y) && (!a->inside.data || vt_oracle_get(&a->inside, x, y) != 0);
}

/* A neighbour is higher, or as high and known to be no top. */
static bool
leads_up(const VtRegional *a, int64_t x, int64_t y)
{
  const double own = vt_oracle_get(&a->src, x, y);
  for (int64_t dy = -1; dy <= 1; dy++)
    for (int64_t dx = -1; dx <= 1; dx++) {
      if (!is_neighbour(dx, dy, a->connectivity) || !is_inside(a, x + dx, y + dy))
        continue;
      const double other = vt_oracle_get(&a->src, x + dx, y + dy);
      if (a->minima ? other < own : other > own)
        return true;
      if (other == own && vt_oracle_get(&a->dst, x + dx, y + dy) == 0)
        return true;
    }
  return false;
}

VitrailStatus
vt_oracle_regional(VtDevice *device, const VtRegional *a, const VtCancel *cancel)
{
  for (int64_t y = 0; y < a->src.height; y++)
    for (int64_t x = 0; x < a->src.width; x++)
      vt_oracle_set(&a->dst, x, y, is_inside(a, x, y) ? 255 : 0);
  for (bool changed = true; changed;) {
    changed = false;
    for (int64_t y = 0; y < a->src.height; y++)
      for (int64_t x = 0; x < a->src.width; x++)
        if (vt_oracle_get(&a->dst, x, y) != 0 && leads_up(a, x, y)) {
          vt_oracle_set(&a->dst, x, y, 0);
          changed = true;
        }
  }
  return VITRAIL_OK;
}

/* Takes from the neighbours what is nearer, or as near and of a smaller label. */
static bool
relax(const VtGeodesic *a, const VtImage *steps, const VtImage *zones, int64_t x, int64_t y)
{
  bool changed = false;
  for (int64_t dy = -1; dy <= 1; dy++)
    for (int64_t dx = -1; dx <= 1; dx++) {
      if (!is_neighbour(dx, dy, a->connectivity) || !vt_oracle_inside(steps, x + dx, y + dy))
        continue;
      const double n = vt_oracle_get(steps, x + dx, y + dy) + 1, label = vt_oracle_get(zones, x + dx, y + dy);
      const double own = vt_oracle_get(steps, x, y), own_label = vt_oracle_get(zones, x, y);
      if (n > VT_EDT_NONE || n > own || (n == own && label >= own_label))
        continue;
      vt_oracle_set(steps, x, y, n);
      vt_oracle_set(zones, x, y, label);
      changed = true;
    }
  return changed;
}

/* Both outputs must be wanted. */
VitrailStatus
vt_oracle_geodesic(VtDevice *device, const VtGeodesic *a, const VtCancel *cancel)
{
  for (int64_t y = 0; y < a->seeds.height; y++)
    for (int64_t x = 0; x < a->seeds.width; x++) {
      const double label = vt_oracle_get(&a->mask, x, y) != 0 ? vt_oracle_get(&a->seeds, x, y) : 0;
      vt_oracle_set(&a->zones, x, y, label);
      vt_oracle_set(&a->steps, x, y, label != 0 ? 0 : VT_EDT_NONE);
    }
  for (bool changed = true; changed;) {
    changed = false;
    for (int64_t y = 0; y < a->seeds.height; y++)
      for (int64_t x = 0; x < a->seeds.width; x++)
        if (vt_oracle_get(&a->mask, x, y) != 0)
          changed |= relax(a, &a->steps, &a->zones, x, y);
  }
  return VITRAIL_OK;
}
