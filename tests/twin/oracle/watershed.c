/* SPDX-License-Identifier: MIT */
#include "oracle.h"

#include <math.h>
#include <stdlib.h>

/* The distance of a pixel from what its neighbours have now; called until nothing changes. */
static double
distance_now(const VtWatershed *a, const double *distance, int64_t x, int64_t y)
{
  const double level = vt_oracle_get(&a->level, x, y);
  double least = INFINITY;
  if (vt_oracle_get(&a->seeds, x, y) != 0)
    return 0;
  for (int64_t ny = y - 1; ny <= y + 1; ny++)
    for (int64_t nx = x - 1; nx <= x + 1; nx++) {
      if ((nx == x && ny == y) || !vt_oracle_inside(&a->level, nx, ny) || vt_oracle_get(&a->mask, nx, ny) == 0)
        continue;
      if (vt_oracle_get(&a->level, nx, ny) > level)
        return 1;
      if (vt_oracle_get(&a->level, nx, ny) == level)
        least = fmin(least, 1 + distance[ny * a->level.width + nx]);
    }
  return least;
}

static bool
before(const VtWatershed *a, const double *distance, int64_t p, int64_t q)
{
  const int64_t w = a->level.width;
  const double level_p = vt_oracle_get(&a->level, p % w, p / w), level_q = vt_oracle_get(&a->level, q % w, q / w);
  if (level_p != level_q)
    return level_p > level_q;
  return distance[p] != distance[q] ? distance[p] < distance[q] : p < q;
}

static int64_t
parent(const VtWatershed *a, const double *distance, int64_t x, int64_t y)
{
  const int64_t w = a->level.width;
  int64_t best = -1;
  for (int64_t ny = y - 1; ny <= y + 1; ny++)
    for (int64_t nx = x - 1; nx <= x + 1; nx++)
      if ((nx != x || ny != y) && vt_oracle_inside(&a->level, nx, ny) && vt_oracle_get(&a->mask, nx, ny) != 0
          && (best < 0 || before(a, distance, ny * w + nx, best)))
        best = ny * w + nx;
  return best;
}

VitrailStatus
vt_oracle_watershed(VtDevice *device, const VtWatershed *args, const VtCancel *cancel)
{
  const int64_t w = args->level.width, n = w * args->level.height;
  double *distance = malloc((size_t)n * sizeof *distance);
  if (!distance)
    return VITRAIL_OUT_OF_MEMORY;
  for (int64_t i = 0; i < n; i++)
    distance[i] = INFINITY;
  for (bool changed = true; changed;) {
    changed = false;
    for (int64_t i = 0; i < n; i++)
      if (vt_oracle_get(&args->mask, i % w, i / w) != 0) {
        const double d = distance_now(args, distance, i % w, i / w);
        changed |= d != distance[i];
        distance[i] = d;
      }
  }
  for (int64_t i = 0; i < n; i++) {
    int64_t at = i;
    double label = 0;
    if (vt_oracle_get(&args->mask, i % w, i / w) != 0) {
      while (distance[at] != 0 && isfinite(distance[at]))
        at = parent(args, distance, at % w, at / w);
      label = distance[at] == 0 ? vt_oracle_get(&args->seeds, at % w, at / w) : 0;
    }
    vt_oracle_set(&args->labels, i % w, i / w, label);
  }
  free(distance);
  return VITRAIL_OK;
}
