/* SPDX-License-Identifier: MIT */
#include "oracle.h"

#include <math.h>
#include <stdlib.h>

static const int dxs[] = { 1, 1, 0, -1 }, dys[] = { 0, 1, 1, 1 };

/* Counts the runs of `area` that start in the rectangle. */
static void
count_runs(const VtImage *area, int64_t x0, int64_t y0, int64_t w, int64_t h, int direction, int32_t max_length,
           uint64_t *matrix)
{
  const int dx = dxs[direction], dy = dys[direction];
  for (int64_t y = y0; y < y0 + h; y++)
    for (int64_t x = x0; x < x0 + w; x++) {
      const double level = vt_oracle_get(area, x, y);
      if (level == 0 || (vt_oracle_inside(area, x - dx, y - dy) && vt_oracle_get(area, x - dx, y - dy) == level))
        continue;
      int64_t n = 1;
      while (vt_oracle_inside(area, x + n * dx, y + n * dy) && vt_oracle_get(area, x + n * dx, y + n * dy) == level)
        n++;
      matrix[((int64_t)level - 1) * max_length + n - 1]++;
    }
}

VitrailStatus
vt_oracle_glrlm_runs(VtDevice *device, const VtGlrlmRuns *a, const VtCancel *cancel)
{
  for (int d = 0; d < VT_GLRLM_N_DIRECTIONS; d++)
    count_runs(&a->src, a->x, a->y, a->width, a->height, d, a->max_length,
               a->matrix + (int64_t)d * a->n_levels * a->max_length);
  return VITRAIL_OK;
}

/* SRLGE of a window: fixed point, as vt-backend.h says. */
static double
short_low(const uint64_t *matrix, int32_t n_levels, int32_t max_length)
{
  unsigned __int128 sum = 0;
  uint64_t runs = 0;
  for (int64_t i = 1; i <= n_levels; i++)
    for (int64_t j = 1; j <= max_length; j++) {
      const uint64_t d = (uint64_t)(i * i * j * j), n = matrix[(i - 1) * max_length + j - 1];
      sum += (unsigned __int128)n * (((UINT64_C(1) << VT_GLRLM_FIXED_BITS) + d / 2) / d);
      runs += n;
    }
  return runs ? (double)sum / ((double)runs * (double)(UINT64_C(1) << VT_GLRLM_FIXED_BITS)) : (double)NAN;
}

static void
window_features(const uint64_t *matrix, int32_t n_levels, int32_t max_length, uint64_t pixels, double *features)
{
  vt_oracle_glrlm_features(matrix, n_levels, max_length, pixels, features);
  features[VT_GLRLM_SRLGE] = short_low(matrix, n_levels, max_length);
}

static double
window_feature(const VtGlrlmWindows *a, int feature, int aggregate, const VtImage *window)
{
  const int32_t length = 2 * a->half + 1;
  const int64_t cells = (int64_t)a->n_levels * length;
  uint64_t *matrix = calloc((size_t)cells * 4, sizeof *matrix), pixels = 0;
  double features[VT_GLRLM_N_FEATURES], mean = 0, value = NAN;
  for (int64_t y = 0; y < window->height; y++)
    for (int64_t x = 0; x < window->width; x++)
      pixels += vt_oracle_get(window, x, y) != 0;
  for (int d = 0; d < 4; d++) {
    count_runs(window, 0, 0, window->width, window->height, d, length, matrix + d * cells);
    window_features(matrix + d * cells, a->n_levels, length, pixels, features);
    mean += features[feature] / 4;
    if (aggregate == d)
      value = features[feature];
  }
  if (aggregate == VT_GLRLM_MERGED) {
    for (int64_t k = cells; k < 4 * cells; k++)
      matrix[k % cells] += matrix[k];
    window_features(matrix, a->n_levels, length, 4 * pixels, features);
    value = features[feature];
  } else if (aggregate == VT_GLRLM_MEAN) {
    value = mean;
  }
  free(matrix);
  return value;
}

static void
one_map(const VtGlrlmWindows *a, int feature, int aggregate, const VtImage *dst)
{
  for (int64_t j = 0; j < dst->height; j++)
    for (int64_t i = 0; i < dst->width; i++) {
      const int64_t x = a->x0 + i * a->step, y = a->y0 + j * a->step;
      const int64_t x0 = x - a->half < 0 ? 0 : x - a->half, y0 = y - a->half < 0 ? 0 : y - a->half;
      const int64_t x1 = x + a->half >= a->src.width ? a->src.width - 1 : x + a->half;
      const int64_t y1 = y + a->half >= a->src.height ? a->src.height - 1 : y + a->half;
      float v = NAN;
      if (x0 <= x1 && y0 <= y1) {
        const VtImage window = vt_image_window(&a->src, x0, y0, x1 - x0 + 1, y1 - y0 + 1);
        v = (float)window_feature(a, feature, aggregate, &window);
      }
      *(float *)vt_image_at(dst, i, j) = v;
    }
}

VitrailStatus
vt_oracle_glrlm_windows(VtDevice *device, const VtGlrlmWindows *a, const VtCancel *cancel)
{
  int n = 0;
  for (int aggregate = 0; aggregate <= VT_GLRLM_MERGED; aggregate++)
    for (int feature = 0; feature < VT_GLRLM_N_FEATURES; feature++)
      if (a->aggregates >> aggregate & a->features >> feature & 1)
        one_map(a, feature, aggregate, &a->dst[n++]);
  return VITRAIL_OK;
}

/* Term by term as the definitions stand, in long double. */
void
vt_oracle_glrlm_features(const uint64_t *matrix, int32_t n_levels, int32_t max_length, uint64_t n_pixels,
                         double features[VT_GLRLM_N_FEATURES])
{
  long double f[VT_GLRLM_N_FEATURES] = { 0 }, runs = 0, mean_i = 0, mean_j = 0;
  for (int64_t k = 0; k < (int64_t)n_levels * max_length; k++)
    runs += (long double)matrix[k];
  for (int64_t k = 0; k < (int64_t)n_levels * max_length; k++) {
    mean_i += (long double)matrix[k] * (long double)(k / max_length + 1) / runs;
    mean_j += (long double)matrix[k] * (long double)(k % max_length + 1) / runs;
  }
  for (int64_t k = 0; k < (int64_t)n_levels * max_length; k++) {
    const long double i = (long double)(k / max_length + 1), j = (long double)(k % max_length + 1);
    const long double i2 = i * i, j2 = j * j, p = (long double)matrix[k] / runs;
    const long double term[VT_GLRLM_N_FEATURES] = {
      [VT_GLRLM_SRE] = p / j2,
      [VT_GLRLM_LRE] = p * j2,
      [VT_GLRLM_LGRE] = p / i2,
      [VT_GLRLM_HGRE] = p * i2,
      [VT_GLRLM_SRLGE] = p / i2 / j2,
      [VT_GLRLM_SRHGE] = p * i2 / j2,
      [VT_GLRLM_LRLGE] = p * j2 / i2,
      [VT_GLRLM_LRHGE] = p * i2 * j2,
      [VT_GLRLM_GLV] = (i - mean_i) * (i - mean_i) * p,
      [VT_GLRLM_RV] = (j - mean_j) * (j - mean_j) * p,
      [VT_GLRLM_RE] = p > 0 ? -p * log2l(p) : 0,
    };
    for (int t = 0; t < VT_GLRLM_N_FEATURES; t++)
      f[t] += term[t];
  }
  for (int32_t i = 0; i < n_levels; i++) {
    long double sum = 0;
    for (int32_t j = 0; j < max_length; j++)
      sum += (long double)matrix[(int64_t)i * max_length + j];
    f[VT_GLRLM_GLN] += sum * sum / runs;
  }
  for (int32_t j = 0; j < max_length; j++) {
    long double sum = 0;
    for (int32_t i = 0; i < n_levels; i++)
      sum += (long double)matrix[(int64_t)i * max_length + j];
    f[VT_GLRLM_RLN] += sum * sum / runs;
  }
  f[VT_GLRLM_GLNN] = f[VT_GLRLM_GLN] / runs;
  f[VT_GLRLM_RLNN] = f[VT_GLRLM_RLN] / runs;
  f[VT_GLRLM_RP] = runs / (long double)n_pixels;
  for (int t = 0; t < VT_GLRLM_N_FEATURES; t++)
    features[t] = runs > 0 ? (double)f[t] : (double)NAN;
}
