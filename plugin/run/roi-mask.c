/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "run/roi-mask.h"

static size_t
roi_points(const VitrailRoi *roi)
{
  size_t n = 0;
  for (uint32_t i = 0; i < roi->n_rings; i++)
    n += roi->ring_sizes[i];
  return n;
}

VtRect
vt_roi_rect(const VtRun *run, const VitrailRoi *roi)
{
  double min_x = INFINITY, min_y = INFINITY, max_x = -INFINITY, max_y = -INFINITY;
  size_t n = roi_points(roi);
  for (size_t i = 0; i < n; i++) {
    min_x = fmin(min_x, roi->points[2 * i]);
    max_x = fmax(max_x, roi->points[2 * i]);
    min_y = fmin(min_y, roi->points[2 * i + 1]);
    max_y = fmax(max_y, roi->points[2 * i + 1]);
  }
  const VtGrid *grid = &run->grid;
  double d = grid->downsample;
  double x0 = fmax(floor(min_x / d), 0), y0 = fmax(floor(min_y / d), 0);
  double x1 = fmin(ceil(max_x / d), (double)grid->image_width), y1 = fmin(ceil(max_y / d), (double)grid->image_height);
  if (!(x1 > x0 && y1 > y0))
    return (VtRect){ 0, 0, 0, 0 };
  return (VtRect){ (int64_t)x0, (int64_t)y0, (int64_t)(x1 - x0), (int64_t)(y1 - y0) };
}

static int
compare_doubles(const void *a, const void *b)
{
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Where the row at height y crosses the rings, from left to right. */
static size_t
crossings(const VitrailRoi *roi, double y, double *xs)
{
  size_t n = 0;
  const double *points = roi->points;
  for (uint32_t r = 0; r < roi->n_rings; points += 2 * roi->ring_sizes[r++]) {
    uint32_t size = roi->ring_sizes[r];
    for (uint32_t i = 0; i < size; i++) {
      const double *a = &points[2 * i], *b = &points[2 * ((i + 1) % size)];
      if ((a[1] > y) != (b[1] > y))
        xs[n++] = a[0] + (y - a[1]) * (b[0] - a[0]) / (b[1] - a[1]);
    }
  }
  qsort(xs, n, sizeof *xs, compare_doubles);
  return n;
}

VitrailStatus
vt_roi_rasterise(VtRun *run, const VitrailRoi *roi, VtRect rect, const VtImage *dst)
{
  double *xs = malloc((roi_points(roi) + 1) * sizeof *xs);
  if (!xs)
    return vt_fail(run, VITRAIL_OUT_OF_MEMORY, "There is not enough memory for the region %s.", roi->name);
  double d = run->grid.downsample;
  for (int64_t y = 0; y < rect.height; y++) {
    uint8_t *row = vt_image_at(dst, 0, y);
    memset(row, 0, (size_t)rect.width);
    size_t n = crossings(roi, ((double)(rect.y + y) + 0.5) * d, xs);
    for (size_t k = 0; k + 1 < n; k += 2) {
      /* centres (x + 0.5) * d in [xs[k], xs[k+1]) */
      double first = fmax(ceil(xs[k] / d - 0.5) - (double)rect.x, 0);
      double end = fmin(ceil(xs[k + 1] / d - 0.5) - (double)rect.x, (double)rect.width);
      if (end > first)
        memset(row + (size_t)first, 255, (size_t)(end - first));
    }
  }
  free(xs);
  return VITRAIL_OK;
}
