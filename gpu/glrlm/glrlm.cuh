/* SPDX-License-Identifier: MIT
 *
 * glrlm.cuh: what the files of run length features share. A value is rounded to float once, from a double made by the
 * same steps on every backend. Where a double found in a quicker way lies so close to the middle of two floats that the
 * right one might round otherwise, the window is put on a list and done again by those steps (each.cu). */
#pragma once

#include "../common.cuh"

/* Of the device's words: the mark of the last look that met a level too high; windows listed for each.cu. */
enum { VT_GPU_GLRLM_REFUSED = VT_GPU_N_WORDS - 1, VT_GPU_GLRLM_LISTED = VT_GPU_N_WORDS - 4 };
enum { VT_GLRLM_MAX_MAPS = VT_GLRLM_N_AGGREGATES * VT_GLRLM_N_FEATURES };

struct VtGpuGlrlmMap {
  float *data;    /* NULL: not wanted */
  int64_t stride; /* floats */
};

/* A value to be made by the steps of the definition. */
struct VtGpuGlrlmItem {
  int32_t i, j; /* of the map */
  int32_t aggregate, feature;
};

/* Where values go that only the definition's steps can round. count may pass size: the list has dropped the rest. */
struct VtGpuGlrlmList {
  VtGpuGlrlmItem *items;
  uint32_t *count;
  uint32_t size;
  bool early; /* its count was 0 before the kernel that fills it began: items may be made while others are listed */
};

struct VtGpuGlrlmMaps {
  VtGpuGlrlmMap map[VT_GLRLM_N_AGGREGATES][VT_GLRLM_N_FEATURES];
};

/* Arguments as kernels take them. */
struct VtGpuGlrlmArgs {
  VtImage src;
  int32_t n_levels, half, side, step;
  int64_t x0, y0, width, height; /* width, height: of the maps */
};

static __device__ __forceinline__ int
vt_gpu_glrlm_dx(int direction)
{
  return direction == VT_GLRLM_DIR_0_1 ? 0 : direction == VT_GLRLM_DIR_M1_1 ? -1 : 1;
}

static __device__ __forceinline__ int
vt_gpu_glrlm_dy(int direction)
{
  return direction == VT_GLRLM_DIR_1_0 ? 0 : 1;
}

static __device__ __forceinline__ uint32_t
vt_gpu_glrlm_level(const VtImage &src, int64_t x, int64_t y)
{
  const char *row = static_cast<const char *>(src.data) + y * src.stride;
  return src.type == VITRAIL_U16 ? reinterpret_cast<const uint16_t *>(row)[x]
                                 : reinterpret_cast<const uint8_t *>(row)[x];
}

/* What a run adds to SRLGE (vt-backend.h). */
static __device__ __forceinline__ uint64_t
vt_gpu_glrlm_short_low(uint64_t level, uint64_t length)
{
  const uint64_t d = level * level * length * length;
  return ((UINT64_C(1) << VT_GLRLM_FIXED_BITS) + d / 2) / d;
}

/* high * 2^64 + low, to nearest: what does not fit the first 64 bits only decides ties. */
static __device__ __forceinline__ double
vt_gpu_wide_double(uint64_t high, uint64_t low)
{
  if (high == 0)
    return __ull2double_rn(low);
  const int shift = __clzll(static_cast<long long>(high));
  const uint64_t top = shift ? high << shift | low >> (64 - shift) : high, rest = shift ? low << shift : low;
  return __dmul_rn(__ull2double_rn(top | (rest != 0)), exp2(64.0 - shift));
}

/* A sum of squares or products that passes 64 bits. */
struct VtGpuWide {
  uint64_t high, low;

  __device__ void add(uint64_t a, uint64_t b)
  {
    const uint64_t product = a * b, before = low;
    low += product;
    high += __umul64hi(a, b) + (low < before);
  }
  __device__ double value() const
  {
    return vt_gpu_wide_double(high, low);
  }
};

/* False: [value - error, value + error] holds numbers that round to different floats. */
static __device__ __forceinline__ bool
vt_gpu_glrlm_rounds(double value, double error, float *rounded)
{
  *rounded = __double2float_rn(value - error);
  return *rounded == __double2float_rn(value + error);
}

static __device__ __forceinline__ void
vt_gpu_glrlm_defer(const VtGpuGlrlmList &list, int64_t i, int64_t j, int aggregate, int feature)
{
  const uint32_t at = atomicAdd(list.count, 1u);
  if (at < list.size)
    list.items[at] = VtGpuGlrlmItem{ static_cast<int32_t>(i), static_cast<int32_t>(j), aggregate, feature };
}

/* Kernels launched by vt_gpu_glrlm_overlap start while the previous one still runs (from compute capability 9 on): they wait
 * for its end before they read what it wrote. The previous one may say that they may start as soon as there is room. */
static __device__ __forceinline__ void
vt_gpu_glrlm_wait(void)
{
#if __CUDA_ARCH__ >= 900
  cudaGridDependencySynchronize();
#endif
}

static __device__ __forceinline__ void
vt_gpu_glrlm_start_next(void)
{
#if __CUDA_ARCH__ >= 900
  cudaTriggerProgrammaticLaunchCompletion();
#endif
}

/* Until the launch `attribute` belongs to the configuration. */
cudaError_t vt_gpu_glrlm_overlap(const VtDevice *device, cudaLaunchConfig_t *config, cudaLaunchAttribute *attribute);
/* Checks everything but the levels. */
VitrailStatus vt_gpu_glrlm_check(const VtGlrlmWindows *args);
/* No level of src is above n_levels, else VITRAIL_BAD_ARGUMENT. */
VitrailStatus vt_gpu_glrlm_check_levels(VtDevice *device, const VtImage *src, int32_t n_levels);
/* What REFUSED has not been yet. */
uint32_t vt_gpu_glrlm_mark(VtDevice *device);
/* The same without waiting: to what runs next on the stream the word REFUSED is *mark if one is. LISTED becomes 0. */
VitrailStatus vt_gpu_glrlm_look(VtDevice *device, const VtImage *src, int32_t n_levels, uint32_t *mark);
void vt_gpu_glrlm_unpack(const VtGlrlmWindows *args, VtGpuGlrlmArgs *plain, VtGpuGlrlmMaps *maps);
/* Scratch that each.cu takes, 256-byte aligned. */
size_t vt_gpu_glrlm_exact_bytes(const VtDevice *device, const VtGpuGlrlmArgs *args);
/* The items of the list, by the definition's steps. When that has run, words_host has REFUSED, and LISTED from the list's
 * count, which may pass its size. */
VitrailStatus vt_gpu_glrlm_exact_list(VtDevice *device, const VtGpuGlrlmArgs *args, const VtGpuGlrlmMaps *maps,
                                      const VtGpuGlrlmList *list, void *scratch);
/* The same of run entropies, and waits. The host has made what the device's logarithms do not decide. */
VitrailStatus vt_gpu_glrlm_exact_entropies(VtDevice *device, const VtGpuGlrlmArgs *args, const VtGpuGlrlmMaps *maps,
                                           const VtGpuGlrlmList *list, void *scratch);
/* All windows of all maps whose feature is set in `features`. */
VitrailStatus vt_gpu_glrlm_exact_all(VtDevice *device, const VtGpuGlrlmArgs *args, const VtGpuGlrlmMaps *maps,
                                     uint32_t features, void *scratch, const VtCancel *cancel);
/* Features of checked arguments that vt_gpu_glrlm_small can make; 0: none. */
uint32_t vt_gpu_glrlm_small_features(const VtGlrlmWindows *args);
/* The maps of those features. VITRAIL_UNSUPPORTED: too many values lie too close to the middle of two floats for its sums, as
 * where a slide is flat; then they are to be made in another way. */
VitrailStatus vt_gpu_glrlm_small(VtDevice *device, const VtGlrlmWindows *args, const VtCancel *cancel);
/* Those of run entropy, of arguments that vt_gpu_glrlm_small takes. */
VitrailStatus vt_gpu_glrlm_entropies(VtDevice *device, const VtGlrlmWindows *args, const VtCancel *cancel);
