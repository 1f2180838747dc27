/* SPDX-License-Identifier: MIT */
#include "glrlm.cuh"

enum { THREADS = 256, LEVEL_WORD = VT_GPU_N_WORDS - 1 };

template <typename T>
static __global__ void
highest_level(VtGpuView<T> src, uint32_t *highest)
{
  uint32_t most = 0;
  for (int64_t y = blockIdx.x; y < src.height; y += gridDim.x) {
    const T *row = src.row(y);
    int64_t x = 0;
    if (reinterpret_cast<uintptr_t>(row) % 16 == 0) {
      constexpr int per_load = 16 / sizeof(T);
      for (x = threadIdx.x; x < src.width / per_load; x += THREADS) {
        const uint4 four = reinterpret_cast<const uint4 *>(row)[x];
        const T *levels = reinterpret_cast<const T *>(&four);
#pragma unroll
        for (int k = 0; k < per_load; k++)
          most = max(most, static_cast<uint32_t>(levels[k]));
      }
      x = src.width / per_load * per_load;
    }
    for (x += threadIdx.x; x < src.width; x += THREADS)
      most = max(most, static_cast<uint32_t>(row[x]));
  }
  for (int d = 16; d > 0; d /= 2)
    most = max(most, __shfl_xor_sync(~0u, most, d));
  if (threadIdx.x % 32 == 0 && most > 0)
    atomicMax(highest, most);
}

VitrailStatus
vt_gpu_glrlm_check_levels(VtDevice *device, const VtImage *src, int32_t n_levels)
{
  uint32_t *word = device->words + LEVEL_WORD;
  const int64_t room = 8 * device->n_multiprocessors, n_blocks = src->height < room ? src->height : room;
  if (src->width == 0 || src->height == 0 || (src->type == VITRAIL_U8 && n_levels >= 255))
    return VITRAIL_OK;
  VT_GPU_TRY(device, cudaMemsetAsync(word, 0, sizeof *word, device->stream));
  if (src->type == VITRAIL_U16)
    VT_TRY(vt_gpu_launch(device, "highest_level", highest_level<uint16_t>, n_blocks, THREADS, VtGpuView<uint16_t>(*src),
                         word));
  else
    VT_TRY(vt_gpu_launch(device, "highest_level", highest_level<uint8_t>, n_blocks, THREADS, VtGpuView<uint8_t>(*src),
                         word));
  VT_TRY(vt_gpu_read_words(device));
  return device->words_host[LEVEL_WORD] <= static_cast<uint32_t>(n_levels) ? VITRAIL_OK : VITRAIL_BAD_ARGUMENT;
}

VitrailStatus
vt_gpu_glrlm_check(VtDevice *device, const VtGlrlmWindows *a, bool *empty)
{
  if (!a->dst || a->features == 0 || a->features >> VT_GLRLM_N_FEATURES || a->aggregates == 0
      || a->aggregates >> VT_GLRLM_N_AGGREGATES)
    return VITRAIL_BAD_ARGUMENT;
  const int n = __builtin_popcount(a->features) * __builtin_popcount(a->aggregates);
  for (int k = 0; k < n; k++)
    if (!vt_gpu_image_ok(&a->dst[k]) || a->dst[k].type != VITRAIL_F32 || a->dst[k].width != a->dst[0].width
        || a->dst[k].height != a->dst[0].height)
      return VITRAIL_BAD_ARGUMENT;
  if (!vt_gpu_image_ok(&a->src) || (a->src.type != VITRAIL_U8 && a->src.type != VITRAIL_U16) || a->n_levels < 1
      || a->n_levels > 256 || a->half < 1 || a->half > 64 || a->step < 1)
    return VITRAIL_BAD_ARGUMENT;
  *empty = a->dst[0].width == 0 || a->dst[0].height == 0;
  if (a->dst[0].width > INT32_MAX || a->dst[0].height > INT32_MAX)
    return VITRAIL_UNSUPPORTED;
  return vt_gpu_glrlm_check_levels(device, &a->src, a->n_levels);
}

void
vt_gpu_glrlm_unpack(const VtGlrlmWindows *a, VtGpuGlrlmArgs *plain, VtGpuGlrlmMaps *maps)
{
  *plain = VtGpuGlrlmArgs{ a->src, a->n_levels, a->half,       2 * a->half + 1, a->step,
                           a->x0,  a->y0,       a->dst->width, a->dst->height };
  const VtImage *dst = a->dst;
  for (int k = 0; k < VT_GLRLM_MAX_MAPS; k++) {
    const int aggregate = k / VT_GLRLM_N_FEATURES, feature = k % VT_GLRLM_N_FEATURES;
    VtGpuGlrlmMap *map = &maps->map[aggregate][feature];
    *map = VtGpuGlrlmMap{ NULL, 0 };
    if (a->aggregates >> aggregate & a->features >> feature & 1) {
      *map = VtGpuGlrlmMap{ static_cast<float *>(dst->data), dst->stride / static_cast<int64_t>(sizeof(float)) };
      dst++;
    }
  }
}
