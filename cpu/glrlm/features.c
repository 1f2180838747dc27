/* SPDX-License-Identifier: MIT
 *
 * Features straight from their definitions (IBSI reference manual, grey level run length based features). */
#include "glrlm.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

VtCpuGlrlmPlan
vt_cpu_glrlm_plan(int32_t feature, int32_t n_levels, int32_t max_length)
{
  VtCpuGlrlmPlan plan = { 0 };
  switch (feature) {
  case VT_GLRLM_SRE:
  case VT_GLRLM_LRE:
  case VT_GLRLM_RLN:
  case VT_GLRLM_RLNN:
  case VT_GLRLM_RP:
  case VT_GLRLM_RV:
  case VT_GLRLM_SRHGE:
  case VT_GLRLM_LRHGE:
    plan.length_step = 1;
    plan.size = max_length;
    plan.weigh_level = feature == VT_GLRLM_SRHGE || feature == VT_GLRLM_LRHGE;
    break;
  case VT_GLRLM_SRLGE:
  case VT_GLRLM_RE:
    plan.level_step = max_length;
    plan.length_step = 1;
    plan.size = (int64_t)n_levels * max_length;
    break;
  default:
    plan.level_step = 1;
    plan.size = n_levels;
    plan.weigh_length = feature == VT_GLRLM_LRLGE;
  }
  return plan;
}

/* Σ sums[k-1] * k^power */
static VtCpuWide
moment(const uint64_t *sums, int32_t n, int power)
{
  VtCpuWide total = 0;
  for (int32_t k = 1; k <= n; k++)
    total += (VtCpuWide)sums[k - 1] * (uint64_t)(power == 0 ? 1 : power == 1 ? k : (int64_t)k * k);
  return total;
}

/* Σ sums[k-1] / k² */
static double
inverse(const uint64_t *sums, int32_t n)
{
  double total = 0;
  for (int32_t k = 1; k <= n; k++)
    total += (double)sums[k - 1] / ((double)k * k);
  return total;
}

static double
squares(const uint64_t *sums, int32_t n)
{
  VtCpuWide total = 0;
  for (int32_t k = 0; k < n; k++)
    total += (VtCpuWide)sums[k] * sums[k];
  return (double)total;
}

static double
variance(const uint64_t *sums, int32_t n, uint64_t n_runs)
{
  return vt_cpu_glrlm_variance(n_runs, moment(sums, n, 1), moment(sums, n, 2));
}

static double
short_low(const uint64_t *cells, int32_t n_levels, int32_t max_length)
{
  double total = 0;
  for (int32_t i = 1; i <= n_levels; i++)
    for (int32_t j = 1; j <= max_length; j++) {
      const uint64_t count = *cells++;
      if (count)
        total += (double)count / ((double)i * i * ((double)j * j));
    }
  return total;
}

static double
entropy(const uint64_t *cells, int64_t n, double n_runs)
{
  double total = 0;
  for (int64_t k = 0; k < n; k++)
    if (cells[k]) {
      const double p = (double)cells[k] / n_runs;
      total -= p * log2(p);
    }
  return total;
}

double
vt_cpu_glrlm_feature(int32_t feature, const uint64_t *sums, int32_t n_levels, int32_t max_length, uint64_t n_runs,
                     uint64_t n_pixels)
{
  const double runs = (double)n_runs;
  if (n_runs == 0)
    return NAN;
  switch (feature) {
  case VT_GLRLM_SRE:
  case VT_GLRLM_SRHGE: return inverse(sums, max_length) / runs;
  case VT_GLRLM_LRE:
  case VT_GLRLM_LRHGE: return (double)moment(sums, max_length, 2) / runs;
  case VT_GLRLM_LGRE:
  case VT_GLRLM_LRLGE: return inverse(sums, n_levels) / runs;
  case VT_GLRLM_HGRE: return (double)moment(sums, n_levels, 2) / runs;
  case VT_GLRLM_GLN: return squares(sums, n_levels) / runs;
  case VT_GLRLM_GLNN: return squares(sums, n_levels) / (runs * runs);
  case VT_GLRLM_RLN: return squares(sums, max_length) / runs;
  case VT_GLRLM_RLNN: return squares(sums, max_length) / (runs * runs);
  case VT_GLRLM_RP: return runs / (double)n_pixels;
  case VT_GLRLM_GLV: return variance(sums, n_levels, n_runs);
  case VT_GLRLM_RV: return variance(sums, max_length, n_runs);
  case VT_GLRLM_SRLGE: return short_low(sums, n_levels, max_length) / runs;
  default: return entropy(sums, (int64_t)n_levels * max_length, runs);
  }
}

enum { BY_LENGTH, BY_LENGTH_WEIGHED, BY_LEVEL, BY_LEVEL_WEIGHED };

uint64_t
vt_cpu_glrlm_fold(const uint64_t *matrix, int32_t n_levels, int32_t max_length,
                  uint64_t *const sums[VT_CPU_GLRLM_N_SUMS])
{
  uint64_t n_runs = 0;
  for (int k = BY_LENGTH; k <= BY_LENGTH_WEIGHED; k++)
    memset(sums[k], 0, (size_t)max_length * sizeof *sums[k]);
  for (int64_t i = 0; i < n_levels; i++) {
    uint64_t runs = 0, weighed = 0;
    for (int64_t j = 0; j < max_length; j++) {
      const uint64_t count = *matrix++;
      if (count == 0)
        continue;
      sums[BY_LENGTH][j] += count;
      sums[BY_LENGTH_WEIGHED][j] += count * (uint64_t)((i + 1) * (i + 1));
      runs += count;
      weighed += count * (uint64_t)((j + 1) * (j + 1));
    }
    sums[BY_LEVEL][i] = runs;
    sums[BY_LEVEL_WEIGHED][i] = weighed;
    n_runs += runs;
  }
  return n_runs;
}

const uint64_t *
vt_cpu_glrlm_sums(const VtCpuGlrlmPlan *plan, const uint64_t *matrix, uint64_t *const sums[VT_CPU_GLRLM_N_SUMS])
{
  if (!plan->level_step)
    return sums[plan->weigh_level ? BY_LENGTH_WEIGHED : BY_LENGTH];
  if (!plan->length_step)
    return sums[plan->weigh_length ? BY_LEVEL_WEIGHED : BY_LEVEL];
  return matrix;
}

void
vt_cpu_glrlm_features(const uint64_t *matrix, int32_t n_levels, int32_t max_length, uint64_t n_pixels,
                      double features[VT_GLRLM_N_FEATURES])
{
  uint64_t *sums = malloc(2 * (size_t)((int64_t)n_levels + max_length) * sizeof *sums);
  for (int32_t feature = 0; feature < VT_GLRLM_N_FEATURES; feature++)
    features[feature] = NAN;
  if (!sums)
    return;
  uint64_t *const parts[] = { sums, sums + max_length, sums + 2 * (int64_t)max_length,
                              sums + 2 * (int64_t)max_length + n_levels };
  const uint64_t n_runs = vt_cpu_glrlm_fold(matrix, n_levels, max_length, parts);
  for (int32_t feature = 0; feature < VT_GLRLM_N_FEATURES; feature++) {
    const VtCpuGlrlmPlan plan = vt_cpu_glrlm_plan(feature, n_levels, max_length);
    features[feature] =
      vt_cpu_glrlm_feature(feature, vt_cpu_glrlm_sums(&plan, matrix, parts), n_levels, max_length, n_runs, n_pixels);
  }
  free(sums);
}

VitrailStatus
vt_cpu_glrlm_check_levels(const VtImage *src, int32_t n_levels, const VtCancel *cancel)
{
  for (int64_t y = 0; y < src->height; y++) {
    const void *row = vt_image_at(src, 0, y);
    uint32_t highest = 0;
    if (src->type == VITRAIL_U16)
      for (int64_t x = 0; x < src->width; x++)
        highest = highest > ((const uint16_t *)row)[x] ? highest : ((const uint16_t *)row)[x];
    else
      for (int64_t x = 0; x < src->width; x++)
        highest = highest > ((const uint8_t *)row)[x] ? highest : ((const uint8_t *)row)[x];
    if (highest > (uint32_t)n_levels)
      return VITRAIL_BAD_ARGUMENT;
    if (vt_cpu_cancelled_at(cancel, y))
      return VITRAIL_CANCELLED;
  }
  return VITRAIL_OK;
}

VitrailStatus
vt_cpu_glrlm_maps(const VtGlrlmWindows *args, VtCpuGlrlmMaps *maps, const VtCancel *cancel)
{
  const VtImage *next = args->dst;
  *maps = (VtCpuGlrlmMaps){ 0 };
  if (!vt_glrlm_windows_ok(args))
    return VITRAIL_BAD_ARGUMENT;
  for (int aggregate = 0; aggregate <= VT_GLRLM_MERGED; aggregate++)
    for (int feature = 0; feature < VT_GLRLM_N_FEATURES; feature++)
      if (args->aggregates >> aggregate & args->features >> feature & 1)
        maps->map[aggregate][feature] = next++;
  return vt_cpu_glrlm_check_levels(&args->src, args->n_levels, cancel);
}
