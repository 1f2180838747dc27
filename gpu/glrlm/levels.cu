/* SPDX-License-Identifier: MIT */
#include "glrlm.cuh"

enum { THREADS = 256 };

/* most: the highest level in each byte or half of a word. */
template <typename T>
static __device__ __forceinline__ uint32_t
above(uint32_t levels, uint32_t most)
{
  return sizeof(T) == 1 ? __vcmpgtu4(levels, most) : __vcmpgtu2(levels, most);
}

template <typename T>
static __global__ void
__launch_bounds__(THREADS) look(VtGpuView<T> src, uint32_t most, uint32_t *words, uint32_t mark)
{
  uint32_t any = 0;
  if (blockIdx.x == 0 && threadIdx.x == 0)
    words[VT_GPU_GLRLM_LISTED] = 0;
  for (int64_t y = blockIdx.x; y < src.height; y += gridDim.x) {
    const T *row = src.row(y);
    int64_t x = 0;
    if (reinterpret_cast<uintptr_t>(row) % 16 == 0) {
      constexpr int per_load = 16 / sizeof(T);
      for (x = threadIdx.x; x < src.width / per_load; x += THREADS) {
        const uint4 four = __ldg(reinterpret_cast<const uint4 *>(row) + x);
        any |= above<T>(four.x, most) | above<T>(four.y, most) | above<T>(four.z, most) | above<T>(four.w, most);
      }
      x = src.width / per_load * per_load;
    }
    for (x += threadIdx.x; x < src.width; x += THREADS)
      any |= above<T>(row[x], most);
  }
  if (any)
    words[VT_GPU_GLRLM_REFUSED] = mark;
}

cudaError_t
vt_gpu_glrlm_overlap(const VtDevice *device, cudaLaunchConfig_t *config, cudaLaunchAttribute *attribute)
{
  int major = 0;
  const cudaError_t error = cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device->ordinal);
  *attribute = cudaLaunchAttribute{};
  attribute->id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attribute->val.programmaticStreamSerializationAllowed = 1;
  config->attrs = attribute;
  config->numAttrs = major >= 9;
  return error;
}

uint32_t
vt_gpu_glrlm_mark(VtDevice *device)
{
  device->n_looks += device->n_looks == UINT32_MAX ? 2 : 1; /* 0 is what words begin with */
  return device->n_looks;
}

VitrailStatus
vt_gpu_glrlm_look(VtDevice *device, const VtImage *src, int32_t n_levels, uint32_t *mark)
{
  const int64_t room = 8 * device->n_multiprocessors;
  const int64_t n_blocks = src->height < room ? src->height : room;
  const uint32_t most = static_cast<uint32_t>(n_levels);
  *mark = vt_gpu_glrlm_mark(device);
  if (src->type == VITRAIL_U16)
    return vt_gpu_launch(device, "look", look<uint16_t>, n_blocks, THREADS, VtGpuView<uint16_t>(*src), most * 0x10001u,
                         device->words, *mark);
  return vt_gpu_launch(device, "look", look<uint8_t>, n_blocks, THREADS, VtGpuView<uint8_t>(*src),
                       (most < 255 ? most : 255) * 0x1010101u, device->words, *mark);
}

VitrailStatus
vt_gpu_glrlm_check_levels(VtDevice *device, const VtImage *src, int32_t n_levels)
{
  uint32_t mark = 0;
  if (src->type == VITRAIL_U8 && n_levels >= 255)
    return VITRAIL_OK;
  VT_TRY(vt_gpu_glrlm_look(device, src, n_levels, &mark));
  VT_TRY(vt_gpu_read_words(device));
  return device->words_host[VT_GPU_GLRLM_REFUSED] == mark ? VITRAIL_BAD_ARGUMENT : VITRAIL_OK;
}

VitrailStatus
vt_gpu_glrlm_check(const VtGlrlmWindows *args)
{
  if (!vt_glrlm_windows_ok(args))
    return VITRAIL_BAD_ARGUMENT;
  return args->dst->width > INT32_MAX || args->dst->height > INT32_MAX ? VITRAIL_UNSUPPORTED : VITRAIL_OK;
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
