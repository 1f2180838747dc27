/* SPDX-License-Identifier: MIT
 *
 * small-mean.cuh: a feature's mean over the four directions. Its definition adds doubles, so those of each direction are
 * kept, and rounded to float once, as their mean. Quotients of integers are the definition's own doubles. Others are known
 * to half a unit of their sum's last place and 2^-45 of themselves (small-values.cuh); where that does not decide the float
 * the window is deferred. Maps with a stride go this way, too, of one direction as of all: every window is made, and some are
 * written. */
#pragma once

#include "small-values.cuh"

/* Values of the lane's four windows. */
static __device__ __forceinline__ void
vt_small_keep(const VtSmall &s, const VtSmallWindows &w, const double *four)
{
  double *at =
    s.doubles + (static_cast<int64_t>(w.place.direction) * s.args.height + w.place.j) * s.args.width + w.place.first;
#pragma unroll
  for (int k = 0; k < 4; k++)
    if (w.place.here >> k & 1)
      at[k * w.place.by] = four[k];
}

/* a[k] / b[k]; of no runs no number. */
static __device__ __forceinline__ void
vt_small_keep_quotients(const VtSmall &s, const VtSmallWindows &w, int feature, const uint32_t *a, const uint32_t *b)
{
  double four[4];
  if (!vt_small_wants(s, feature))
    return;
#pragma unroll
  for (int k = 0; k < 4; k++)
    four[k] = __ddiv_rn(static_cast<double>(a[k]), static_cast<double>(b[k]));
  vt_small_keep(s, w, four);
}

static __device__ __forceinline__ void
vt_small_keep_counts(const VtSmall &s, const VtSmallWindows &w, const VtSmallLengths &sums, const VtSmallLevels &levels)
{
  uint32_t runs[4], runs2[4], lengths[4], grey[4];
  double four[4];
#pragma unroll
  for (int k = 0; k < 4; k++) {
    runs[k] = sums.above[k] & 0xff;
    runs2[k] = runs[k] * runs[k];
    lengths[k] = runs[k] * sums.length2[k] - sums.pixels[k] * sums.pixels[k];
    grey[k] = runs[k] * levels.second[k] - levels.first[k] * levels.first[k]; /* below 2^28 */
  }
  vt_small_keep_quotients(s, w, VT_GLRLM_LRE, sums.length2, runs);
  vt_small_keep_quotients(s, w, VT_GLRLM_RLN, sums.squares, runs);
  vt_small_keep_quotients(s, w, VT_GLRLM_RP, runs, sums.pixels);
  vt_small_keep_quotients(s, w, VT_GLRLM_GLN, levels.squares, runs);
  vt_small_keep_quotients(s, w, VT_GLRLM_RLNN, sums.squares, runs2);
  vt_small_keep_quotients(s, w, VT_GLRLM_GLNN, levels.squares, runs2);
  vt_small_keep_quotients(s, w, VT_GLRLM_RV, lengths, runs2);
  vt_small_keep_quotients(s, w, VT_GLRLM_GLV, grey, runs2);
  if (!vt_small_wants(s, VT_GLRLM_SRE))
    return;
#pragma unroll
  for (int k = 0; k < 4; k++)
    four[k] = __ddiv_rn(__ull2double_rn(sums.inverse2[k]), static_cast<double>(runs[k]) * (360360.0 * 360360.0));
  vt_small_keep(s, w, four);
}

/* two: sums of VT_SMALL_BOTH2 and VT_SMALL_LEVEL2 over windows, which have the runs. */
static __device__ __forceinline__ void
vt_small_keep_integers(const VtSmall &s, const VtSmallWindows &w, const uint32_t (*two)[VT_SMALL_COLUMNS],
                       uint32_t *runs)
{
  uint32_t both2[VT_SMALL_COLUMNS], level2[VT_SMALL_COLUMNS];
#pragma unroll
  for (int k = 0; k < VT_SMALL_COLUMNS; k++) {
    both2[k] = two[0][k] / 8;
    runs[k] = two[1][k] >> 24;
    level2[k] = two[1][k] & 0xffffff;
  }
  vt_small_keep_quotients(s, w, VT_GLRLM_HGRE, level2, runs);
  vt_small_keep_quotients(s, w, VT_GLRLM_LRHGE, both2, runs);
}

/* Of four words, from `word` on. */
static __device__ __forceinline__ void
vt_small_keep_four(const VtSmall &s, const VtSmallWindows &w, int word, const uint32_t (*four)[VT_SMALL_COLUMNS],
                   const uint32_t *runs)
{
#pragma unroll
  for (int i = 0; i < VT_SMALL_SUM_STEP; i += 2) {
    double value[4];
    if (!vt_small_wants(s, vt_small_feature(word + i)))
      continue;
    const double unit = __hiloint2double((1023 - s.fixed_bits[word + i]) << 20, 0);
#pragma unroll
    for (int k = 0; k < 4; k++)
      value[k] = __ddiv_rn(vt_small_fixed(four[i][k], four[i + 1][k]), static_cast<double>(runs[k])) * unit;
    vt_small_keep(s, w, value);
  }
}

/* The means of the windows that `args` has, of those that there are doubles of; of one direction its own values. unit: of the
 * feature's sums, 0 of integers. */
static __global__ void
mean_small(const __grid_constant__ VtSmall s, const __grid_constant__ VtGpuGlrlmArgs args, int aggregate, int feature,
           double unit)
{
  const VtGpuGlrlmMap map = s.maps.map[aggregate][feature];
  const int first = aggregate < VT_GLRLM_MEAN ? aggregate : 0;
  const int last = aggregate < VT_GLRLM_MEAN ? aggregate : VT_GLRLM_N_DIRECTIONS - 1;
  const int64_t n = args.width * args.height, step = static_cast<int64_t>(gridDim.x) * blockDim.x;
  if (__ldcg(s.refused) == s.mark)
    return;
  for (int64_t k = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; k < n; k += step) {
    const int64_t j = k / args.width, i = k - j * args.width;
    const double *at = s.doubles + j * args.step * s.args.width + i * args.step;
    double mean = 0;
    for (int d = first; d <= last; d++)
      mean = __dadd_rn(mean, __ldcg(at + d * s.args.width * s.args.height));
    mean /= last - first + 1;
    float rounded = __double2float_rn(mean);
    if (mean != mean)
      rounded = __int_as_float(0x7fc00000);
    else if (unit > 0 && !vt_gpu_glrlm_rounds(mean, 0.5 * unit + mean * 0x1p-44, &rounded))
      vt_gpu_glrlm_defer(s.list, i, j, aggregate, feature);
    map.data[j * map.stride + i] = rounded;
  }
}
