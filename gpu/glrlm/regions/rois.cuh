/* SPDX-License-Identifier: MIT
 *
 * rois.cuh: what the files of glrlm_rois share. The features come from four sums over a matrix, by the steps of the CPU's
 * features.c, in the same order, on the device (small regions) or the host (large ones). Entropy needs the logarithm of
 * the host's library: no other rounds like it, so the device only looks its terms up. */
#pragma once

#include "../glrlm.cuh"

/* A call as kernels take it. */
struct VtGpuRois {
  const void *levels;
  const uint8_t *masks;
  const VtGlrlmRoi *rois; /* in device memory */
  uint32_t *bad;          /* set where a level is too high */
  int32_t n_levels, n_features, n_values;
  uint32_t features, aggregates, directions; /* directions: those whose matrices are needed */
};

static __host__ __device__ __forceinline__ int
vt_gpu_rois_bits(uint32_t bits)
{
#ifdef __CUDA_ARCH__
  return __popc(bits);
#else
  return __builtin_popcount(bits);
#endif
}

static __host__ __device__ __forceinline__ bool
vt_gpu_rois_merged(const VtGpuRois &j)
{
  return j.aggregates >> VT_GLRLM_MERGED & 1;
}

static __host__ __device__ __forceinline__ int32_t
vt_gpu_rois_longest(const VtGlrlmRoi &roi)
{
  return static_cast<int32_t>(roi.width > roi.height ? roi.width : roi.height);
}

/* Where a value of an aggregate and a feature lies among those of its region. */
static __host__ __device__ __forceinline__ int
vt_gpu_rois_value(const VtGpuRois &j, int aggregate, int feature)
{
  return vt_gpu_rois_bits(j.aggregates & ((1u << aggregate) - 1)) * j.n_features
         + vt_gpu_rois_bits(j.features & ((1u << feature) - 1));
}

/* 0 outside the region. */
template <typename T>
static __device__ __forceinline__ uint32_t
vt_gpu_rois_level(const VtGpuRois &j, const VtGlrlmRoi &roi, int64_t x, int64_t y)
{
  if (roi.mask >= 0 && j.masks[roi.mask + y * roi.mask_step + x] == 0)
    return 0;
  return static_cast<const T *>(j.levels)[roi.level + y * roi.level_step + x];
}

/* Sums over the runs of a matrix: by length and by level, plain, and weighed by level^2 and length^2. */
enum { VT_GPU_BY_LENGTH, VT_GPU_BY_LENGTH_WEIGHED, VT_GPU_BY_LEVEL, VT_GPU_BY_LEVEL_WEIGHED, VT_GPU_N_SUMS };

/* The features of one kind of sums. Wide holds the squares of all numbers. */
template <typename Wide, typename Sum>
static __host__ __device__ inline void
vt_gpu_rois_features(int kind, const Sum *sums, int32_t n, uint64_t n_runs, uint64_t n_pixels, double *f)
{
  Wide squares = 0, first = 0, second = 0;
  double inverse = 0;
  for (int32_t k = 1; k <= n; k++) {
    const Wide s = sums[k - 1];
    inverse += static_cast<double>(sums[k - 1]) / (static_cast<double>(k) * k);
    squares += s * s;
    first += s * static_cast<uint64_t>(k);
    second += s * (static_cast<uint64_t>(k) * static_cast<uint64_t>(k));
  }
  const double runs = static_cast<double>(n_runs);
  const double small = inverse / runs, large = static_cast<double>(second) / runs;
  if (kind == VT_GPU_BY_LENGTH_WEIGHED) {
    f[VT_GLRLM_SRHGE] = small;
    f[VT_GLRLM_LRHGE] = large;
    return;
  }
  if (kind == VT_GPU_BY_LEVEL_WEIGHED) {
    f[VT_GLRLM_LRLGE] = small;
    return;
  }
  const bool by_level = kind == VT_GPU_BY_LEVEL;
  f[by_level ? VT_GLRLM_LGRE : VT_GLRLM_SRE] = small;
  f[by_level ? VT_GLRLM_HGRE : VT_GLRLM_LRE] = large;
  f[by_level ? VT_GLRLM_GLN : VT_GLRLM_RLN] = static_cast<double>(squares) / runs;
  f[by_level ? VT_GLRLM_GLNN : VT_GLRLM_RLNN] = static_cast<double>(squares) / (runs * runs);
  f[by_level ? VT_GLRLM_GLV : VT_GLRLM_RV] =
    static_cast<double>(static_cast<Wide>(n_runs) * second - first * first) / (runs * runs);
  if (by_level)
    f[VT_GLRLM_RP] = runs / static_cast<double>(n_pixels);
}

/* What a cell adds to SRLGE. */
static __host__ __device__ __forceinline__ double
vt_gpu_rois_short_low(uint64_t count, int32_t level, int32_t length)
{
  return static_cast<double>(count) / (static_cast<double>(level) * level * (static_cast<double>(length) * length));
}

/* What a cell takes from the entropy; on the host. */
double vt_gpu_rois_term(uint64_t count, uint64_t n_runs);

/* Regions list[0..n) of a call, whatever their size; values and n_pixels, in host memory, are in the order of the list. job has
 * checked arguments; a level that is too high sets its flag. rois: the host's. */
VitrailStatus vt_gpu_rois_large(VtDevice *device, const VtGpuRois &job, bool wide, const VtGlrlmRoi *rois,
                                const uint32_t *list, int64_t n, double *values, int64_t *n_pixels,
                                const VtCancel *cancel);
