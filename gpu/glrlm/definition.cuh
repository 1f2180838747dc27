/* SPDX-License-Identifier: MIT
 *
 * definition.cuh: a feature from the sums over runs that it needs, by the steps of the CPU's features.c and serial.c, in
 * their order, so that the double is the same. Sums are integers, by level, by length or by cell. */
#pragma once

#include "glrlm.cuh"

struct VtGpuGlrlmPlan { /* of the CPU's glrlm.h */
  int32_t level_step, length_step, size;
  bool weigh_level, weigh_length;
};

static inline __host__ __device__ VtGpuGlrlmPlan
vt_gpu_glrlm_plan(int32_t feature, int32_t n_levels, int32_t side)
{
  VtGpuGlrlmPlan plan = { 1, 0, n_levels, false, false };
  switch (feature) {
  case VT_GLRLM_SRE:
  case VT_GLRLM_LRE:
  case VT_GLRLM_RLN:
  case VT_GLRLM_RLNN:
  case VT_GLRLM_RP:
  case VT_GLRLM_RV: plan = VtGpuGlrlmPlan{ 0, 1, side, false, false }; break;
  case VT_GLRLM_SRHGE:
  case VT_GLRLM_LRHGE: plan = VtGpuGlrlmPlan{ 0, 1, side, true, false }; break;
  case VT_GLRLM_SRLGE:
  case VT_GLRLM_RE: plan = VtGpuGlrlmPlan{ side, 1, n_levels * side, false, false }; break;
  case VT_GLRLM_LRLGE: plan.weigh_length = true; break;
  default: break;
  }
  return plan;
}

/* Sum of sums[k-1] / k^2, in ascending order. */
static __device__ double
vt_gpu_glrlm_inverse(const uint64_t *sums, int32_t n)
{
  double total = 0;
  for (int32_t k = 1; k <= n; k++)
    total = __dadd_rn(total, __ddiv_rn(__ull2double_rn(sums[k - 1]), static_cast<double>(k) * k));
  return total;
}

static __device__ double
vt_gpu_glrlm_squares(const uint64_t *sums, int32_t n)
{
  VtGpuWide total = { 0, 0 };
  for (int32_t k = 0; k < n; k++)
    total.add(sums[k], sums[k]);
  return total.value();
}

/* sum over k of sums[k-1] * k^2 */
static __device__ double
vt_gpu_glrlm_moment(const uint64_t *sums, int32_t n)
{
  VtGpuWide total = { 0, 0 };
  for (int32_t k = 1; k <= n; k++)
    total.add(sums[k - 1], static_cast<uint64_t>(k) * k);
  return total.value();
}

/* Of n runs: (n * sum of k^2 - (sum of k)^2) / n^2, in integers until the division. */
static __device__ double
vt_gpu_glrlm_variance(const uint64_t *sums, int32_t n_sums, uint64_t n)
{
  uint64_t first = 0, second = 0; /* below 2^31 runs of k < 2^16 */
  for (int32_t k = 1; k <= n_sums; k++) {
    first += sums[k - 1] * k;
    second += sums[k - 1] * k * k;
  }
  VtGpuWide a = { 0, 0 }, b = { 0, 0 };
  a.add(n, second);
  b.add(first, first);
  const double runs = __ull2double_rn(n);
  return __ddiv_rn(vt_gpu_wide_double(a.high - b.high - (a.low < b.low), a.low - b.low), __dmul_rn(runs, runs));
}

static __device__ double
vt_gpu_glrlm_short_low_mean(const uint64_t *sums, const VtGpuGlrlmPlan &plan, int32_t side, uint64_t n)
{
  VtGpuWide sum = { 0, 0 };
  for (int32_t k = 0; k < plan.size; k++)
    if (sums[k])
      sum.add(sums[k], vt_gpu_glrlm_short_low(1 + k / side, 1 + k % side));
  return __ddiv_rn(sum.value(), __dmul_rn(__ull2double_rn(n), static_cast<double>(UINT64_C(1) << VT_GLRLM_FIXED_BITS)));
}

static __device__ double
vt_gpu_glrlm_entropy(const uint64_t *sums, const VtGpuGlrlmPlan &plan, double runs)
{
  double total = 0;
  for (int32_t k = 0; k < plan.size; k++)
    if (sums[k]) {
      const double p = __ddiv_rn(__ull2double_rn(sums[k]), runs);
      total -= p * log2(p);
    }
  return total;
}

static __device__ double
vt_gpu_glrlm_feature(int feature, const uint64_t *sums, const VtGpuGlrlmPlan &plan, int32_t side, uint64_t n,
                     uint64_t n_pixels)
{
  const double runs = __ull2double_rn(n);
  if (n == 0)
    return __longlong_as_double(0x7ff8000000000000ll);
  switch (feature) {
  case VT_GLRLM_SRE:
  case VT_GLRLM_SRHGE:
  case VT_GLRLM_LGRE:
  case VT_GLRLM_LRLGE: return __ddiv_rn(vt_gpu_glrlm_inverse(sums, plan.size), runs);
  case VT_GLRLM_LRE:
  case VT_GLRLM_LRHGE:
  case VT_GLRLM_HGRE: return __ddiv_rn(vt_gpu_glrlm_moment(sums, plan.size), runs);
  case VT_GLRLM_GLN:
  case VT_GLRLM_RLN: return __ddiv_rn(vt_gpu_glrlm_squares(sums, plan.size), runs);
  case VT_GLRLM_GLNN:
  case VT_GLRLM_RLNN: return __ddiv_rn(vt_gpu_glrlm_squares(sums, plan.size), __dmul_rn(runs, runs));
  case VT_GLRLM_RP: return __ddiv_rn(runs, __ull2double_rn(n_pixels));
  case VT_GLRLM_GLV:
  case VT_GLRLM_RV: return vt_gpu_glrlm_variance(sums, plan.size, n);
  case VT_GLRLM_SRLGE: return vt_gpu_glrlm_short_low_mean(sums, plan, side, n);
  default: return vt_gpu_glrlm_entropy(sums, plan, runs);
  }
}
