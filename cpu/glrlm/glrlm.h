/* SPDX-License-Identifier: MIT
 *
 * glrlm.h: one feature needs less than the whole matrix r[level][length]: only its sums by length, by level, or by
 * cell, each run weighed by 1, level² or length². These are integers, whatever the order of the runs, and the floating
 * point work that remains runs over them in ascending order: so windows, whole regions and other backends give the same
 * bytes. */
#pragma once

#include "../vt-cpu.h"

typedef unsigned __int128 VtCpuWide; /* squares of counts of a whole slide pass 2^64 */

/* A run adds (weigh_level ? level² : 1) * (weigh_length ? length² : 1) to
 * sums[(level-1) * level_step + (length-1) * length_step], which holds `size` of them. */
typedef struct VtCpuGlrlmPlan {
  int64_t level_step, length_step, size;
  bool weigh_level, weigh_length;
} VtCpuGlrlmPlan;

VtCpuGlrlmPlan vt_cpu_glrlm_plan(int32_t feature, int32_t n_levels, int32_t max_length);

/* The feature of the sums that its plan asks for; NaN without runs. */
double vt_cpu_glrlm_feature(int32_t feature, const uint64_t *sums, int32_t n_levels, int32_t max_length,
                            uint64_t n_runs, uint64_t n_pixels);

/* All sums of a matrix in one go: by length, and weighed by level²; by level, and weighed by length². Returns the number of
 * runs. */
enum { VT_CPU_GLRLM_N_SUMS = 4 };
uint64_t vt_cpu_glrlm_fold(const uint64_t *matrix, int32_t n_levels, int32_t max_length,
                           uint64_t *const sums[VT_CPU_GLRLM_N_SUMS]);
/* Which of them, or the matrix, a plan asks for. */
const uint64_t *vt_cpu_glrlm_sums(const VtCpuGlrlmPlan *plan, const uint64_t *matrix,
                                  uint64_t *const sums[VT_CPU_GLRLM_N_SUMS]);

/* Variance of k, of n runs with sums first = Σ k and second = Σ k²; integers until the division: (n Σ k² - (Σ k)²) / n².
 * A constant gives 0 exactly. */
static inline double
vt_cpu_glrlm_variance(uint64_t n, VtCpuWide first, VtCpuWide second)
{
  return (double)(n * second - first * first) / ((double)n * (double)n);
}

/* SRLGE of windows (vt-backend.h): what a run adds, and the feature of the sum over n runs. */
static inline uint64_t
vt_cpu_glrlm_short_low(int32_t level, int32_t length)
{
  const uint64_t d = (uint64_t)level * (uint64_t)level * (uint64_t)length * (uint64_t)length;
  return ((UINT64_C(1) << VT_GLRLM_FIXED_BITS) + d / 2) / d;
}

static inline double
vt_cpu_glrlm_short_low_mean(VtCpuWide sum, uint64_t n)
{
  return (double)sum / ((double)n * (double)(UINT64_C(1) << VT_GLRLM_FIXED_BITS));
}

/* VITRAIL_BAD_ARGUMENT: a level is > n_levels. */
VitrailStatus vt_cpu_glrlm_check_levels(const VtImage *src, int32_t n_levels, const VtCancel *cancel);

/* The maps of a call by aggregate and feature; NULL: not wanted. */
typedef struct VtCpuGlrlmMaps {
  const VtImage *map[VT_GLRLM_MERGED + 1][VT_GLRLM_N_FEATURES];
} VtCpuGlrlmMaps;
/* Looks at all arguments, levels included. */
VitrailStatus vt_cpu_glrlm_maps(const VtGlrlmWindows *args, VtCpuGlrlmMaps *maps, const VtCancel *cancel);
/* The serial method for some of a call's maps. */
VitrailStatus vt_cpu_glrlm_walk(const VtGlrlmWindows *args, const VtCpuGlrlmMaps *maps, uint32_t features,
                                const VtCancel *cancel);
/* The same at the window (i,j) alone, without merged maps. */
VitrailStatus vt_cpu_glrlm_again(const VtGlrlmWindows *call, const VtCpuGlrlmMaps *of, int64_t i, int64_t j,
                                 uint32_t features, const VtCancel *cancel);
/* Run entropy, of windows of which three or more have a pixel in common along a row; without merged maps. */
VitrailStatus vt_cpu_glrlm_entropies(VtDevice *device, const VtGlrlmWindows *args, const VtCpuGlrlmMaps *maps,
                                     const VtCancel *cancel);

static inline uint32_t
vt_cpu_glrlm_level(const void *row, int64_t x, bool wide)
{
  return wide ? ((const uint16_t *)row)[x] : ((const uint8_t *)row)[x];
}

static const int8_t vt_cpu_glrlm_dx[VT_GLRLM_N_DIRECTIONS] = { 1, 1, 0, -1 };
static const int8_t vt_cpu_glrlm_dy[VT_GLRLM_N_DIRECTIONS] = { 0, 1, 1, 1 };
