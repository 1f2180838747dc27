/* SPDX-License-Identifier: MIT */
#include "oracle.h"

#include <math.h>
#include <stdlib.h>

static int64_t
squared_to(const VtDistance *a, int64_t x, int64_t y, int64_t site)
{
  const int64_t dx = x - site % a->src.width, dy = y - site / a->src.width;
  return a->weight_x * dx * dx + a->weight_y * dy * dy;
}

static void
put(const VtDistance *a, int64_t x, int64_t y, int64_t site, int64_t at_most)
{
  const int64_t own = site < 0 ? VT_EDT_NONE64 : squared_to(a, x, y, site), found = own < at_most ? own : at_most;
  const bool capped = a->cap > 0 && found > a->cap;
  const int64_t squared = capped ? a->cap : found;
  if (a->squared.data)
    *(int64_t *)vt_image_at(&a->squared, x, y) = squared;
  if (a->root.data)
    *(float *)vt_image_at(&a->root, x, y) =
      squared == VT_EDT_NONE64 ? INFINITY : (float)sqrt((double)squared) * a->scale;
  if (a->nearest.data)
    *(int64_t *)vt_image_at(&a->nearest, x, y) = capped ? -1 : site;
}

/* The least square to what is carried into a stripe. */
static int64_t
least_carried(const VtDistance *a, int64_t x, int64_t y)
{
  int64_t least = VT_EDT_NONE64;
  for (int64_t u = 0; u < a->src.width && a->above.data; u++)
    for (int side = 0; side < 2; side++) {
      const int64_t carried = *(const int32_t *)vt_image_at(side == 0 ? &a->above : &a->below, u, 0);
      const int64_t dy = carried + (side == 0 ? y : a->src.height - 1 - y);
      const int64_t squared = a->weight_x * (x - u) * (x - u) + a->weight_y * dy * dy;
      if (carried != VT_EDT_NONE && squared < least)
        least = squared;
    }
  return least;
}

/* Every pixel with every background pixel, in the order of their numbers. */
VitrailStatus
vt_oracle_distance_exact(VtDevice *device, const VtDistance *a, const VtCancel *cancel)
{
  const int64_t w = a->src.width, n = w * a->src.height;
  int64_t *sites = malloc((size_t)n * sizeof *sites), n_sites = 0;
  if (!sites)
    return VITRAIL_OUT_OF_MEMORY;
  for (int64_t i = 0; i < n; i++)
    if (vt_oracle_get(&a->src, i % w, i / w) == 0)
      sites[n_sites++] = i;
  for (int64_t i = 0; i < n; i++) {
    int64_t best = -1;
    for (int64_t k = 0; k < n_sites; k++)
      if (best < 0 || squared_to(a, i % w, i / w, sites[k]) < squared_to(a, i % w, i / w, best))
        best = sites[k];
    put(a, i % w, i / w, best, least_carried(a, i % w, i / w));
  }
  free(sites);
  return VITRAIL_OK;
}

/* The best of what a pixel has and what its neighbours had a round before. */
static int64_t
better(const VtDistance *a, const int64_t *had, int64_t x, int64_t y)
{
  const int64_t w = a->src.width;
  int64_t best = had[y * w + x];
  for (int64_t ny = y - 1; ny <= y + 1; ny++)
    for (int64_t nx = x - 1; nx <= x + 1; nx++) {
      if (!vt_oracle_inside(&a->src, nx, ny) || had[ny * w + nx] < 0)
        continue;
      const int64_t site = had[ny * w + nx], d = squared_to(a, x, y, site);
      const int64_t own = best < 0 ? INT64_MAX : squared_to(a, x, y, best);
      if (d < own || (d == own && site < best))
        best = site;
    }
  return best;
}

/* All pixels at once, round after round, until nothing changes. */
VitrailStatus
vt_oracle_distance_danielsson(VtDevice *device, const VtDistance *a, const VtCancel *cancel)
{
  if (a->above.data)
    return VITRAIL_UNSUPPORTED;
  const int64_t w = a->src.width, n = w * a->src.height;
  int64_t *had = malloc((size_t)n * 2 * sizeof *had), *has = had + n;
  if (!had)
    return VITRAIL_OUT_OF_MEMORY;
  for (int64_t i = 0; i < n; i++)
    had[i] = vt_oracle_get(&a->src, i % w, i / w) == 0 ? i : -1;
  for (bool changed = true; changed;) {
    changed = false;
    for (int64_t i = 0; i < n; i++)
      has[i] = better(a, had, i % w, i / w);
    for (int64_t i = 0; i < n; i++) {
      changed |= had[i] != has[i];
      had[i] = has[i];
    }
  }
  for (int64_t i = 0; i < n; i++)
    put(a, i % w, i / w, had[i], VT_EDT_NONE64);
  free(had);
  return VITRAIL_OK;
}
