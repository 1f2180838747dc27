/* SPDX-License-Identifier: MIT */
#include "glrlm.h"

/* Runs along (dx,dy) that start in the rectangle; `counts` NULL: only look whether all fit. */
static inline bool
walk(const VtGlrlmRuns *a, int dx, int dy, uint64_t *counts, bool wide)
{
  const VtImage *src = &a->src;
  for (int64_t y = a->y; y < a->y + a->height; y++)
    for (int64_t x = a->x; x < a->x + a->width; x++) {
      const uint32_t level = vt_cpu_glrlm_level(vt_image_at(src, 0, y), x, wide);
      const int64_t px = x - dx, py = y - dy;
      if (level == 0
          || (px >= 0 && px < src->width && py >= 0 && vt_cpu_glrlm_level(vt_image_at(src, 0, py), px, wide) == level))
        continue;
      int64_t length = 1;
      for (int64_t nx = x + dx, ny = y + dy; nx >= 0 && nx < src->width && ny < src->height;
           nx += dx, ny += dy, length++)
        if (vt_cpu_glrlm_level(vt_image_at(src, 0, ny), nx, wide) != level)
          break;
      if (length > a->max_length)
        return false;
      if (counts)
        counts[(int64_t)(level - 1) * a->max_length + length - 1]++;
    }
  return true;
}

static bool
walk_direction(const VtGlrlmRuns *a, int direction, uint64_t *counts)
{
  const int dx = vt_cpu_glrlm_dx[direction], dy = vt_cpu_glrlm_dy[direction];
  return a->src.type == VITRAIL_U16 ? walk(a, dx, dy, counts, true) : walk(a, dx, dy, counts, false);
}

VitrailStatus
vt_cpu_glrlm_runs(VtDevice *device, const VtGlrlmRuns *args, const VtCancel *cancel)
{
  const VtImage *src = &args->src;
  if (!vt_glrlm_runs_ok(args))
    return VITRAIL_BAD_ARGUMENT;
  const VitrailStatus status = vt_cpu_glrlm_check_levels(src, args->n_levels, cancel);
  if (status != VITRAIL_OK)
    return status;
  const int64_t side = src->width > src->height ? src->width : src->height;
  for (int direction = 0; direction < VT_GLRLM_N_DIRECTIONS && args->max_length < side; direction++)
    if (!walk_direction(args, direction, NULL))
      return VITRAIL_BAD_ARGUMENT;
  /* By bands of rows: a run is counted where it starts, so bands add up, and a cancel is heard between them. */
  for (int64_t y = 0; y < args->height; y += 16) {
    if (vt_cancelled(cancel))
      return VITRAIL_CANCELLED;
    VtGlrlmRuns band = *args;
    band.y = args->y + y;
    band.height = args->height - y < 16 ? args->height - y : 16;
    for (int direction = 0; direction < VT_GLRLM_N_DIRECTIONS; direction++)
      walk_direction(&band, direction, args->matrix + (int64_t)direction * args->n_levels * args->max_length);
  }
  return VITRAIL_OK;
}
