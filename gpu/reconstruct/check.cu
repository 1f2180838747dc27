/* SPDX-License-Identifier: MIT
 *
 * check.cu: the arguments of a reconstruction, before anything is written. */
#include "reconstruct.cuh"

enum { THREADS = 256 };

template <typename T>
static __global__ void
find_disorder(VtGpuView<T> marker, VtGpuView<T> mask, uint32_t *found)
{
  bool wrong = false;
  for (int64_t y = blockIdx.x; y < marker.height; y += gridDim.x) {
    const T *marker_row = marker.row(y), *mask_row = mask.row(y);
    for (int64_t x = threadIdx.x; x < marker.width; x += THREADS)
      wrong |= !(marker_row[x] <= mask_row[x]); /* also true for NaN */
  }
  if (__syncthreads_or(wrong) && threadIdx.x == 0)
    atomicOr(found, 1u);
}

/* The sweeps only write what rises, so a -0 that stays is put right here. */
static __global__ void
join_zeros(VtGpuView<float> marker)
{
  for (int64_t y = blockIdx.x; y < marker.height; y += gridDim.x)
    for (int64_t x = threadIdx.x; x < marker.width; x += THREADS)
      if (marker.row(y)[x] == 0.0f)
        marker.row(y)[x] = 0.0f;
}

static int64_t
n_blocks(const VtDevice *device, const VtImage *image)
{
  const int64_t room = 16 * device->n_multiprocessors;
  return image->height < room ? image->height : room;
}

template <typename T>
static VitrailStatus
launch(VtDevice *device, const VtReconstruct *args)
{
  return vt_gpu_launch(device, "find_disorder", find_disorder<T>, n_blocks(device, &args->marker), THREADS,
                       VtGpuView<T>(args->marker), VtGpuView<T>(args->mask), device->words);
}

VitrailStatus
vt_gpu_reconstruct_check_begin(VtDevice *device, const VtReconstruct *args, bool *empty)
{
  const VtImage *marker = &args->marker, *mask = &args->mask;
  if (args->by_erosion || args->depth > 0 || marker->type == VT_BIT)
    return VITRAIL_UNSUPPORTED;
  if (!vt_gpu_image_ok(marker) || !vt_gpu_image_ok(mask) || marker->type != mask->type || marker->width != mask->width
      || marker->height != mask->height || (args->connectivity != 4 && args->connectivity != 8))
    return VITRAIL_BAD_ARGUMENT;
  *empty = marker->width == 0 || marker->height == 0;
  if (*empty)
    return VITRAIL_OK;

  VT_GPU_TRY(device, cudaMemsetAsync(device->words, 0, VT_GPU_N_WORDS * sizeof(uint32_t), device->stream));
  return VITRAIL_OK;
}

static VitrailStatus
launch_any(VtDevice *device, const VtReconstruct *args)
{
  switch (args->marker.type) {
  case VITRAIL_U8: return launch<uint8_t>(device, args);
  case VITRAIL_U16: return launch<uint16_t>(device, args);
  case VITRAIL_I32: return launch<int32_t>(device, args);
  case VITRAIL_F32: return launch<float>(device, args);
  default: return VITRAIL_BAD_ARGUMENT;
  }
}

VitrailStatus
vt_gpu_reconstruct_check(VtDevice *device, const VtReconstruct *args, bool *empty)
{
  VT_TRY(vt_gpu_reconstruct_check_begin(device, args, empty));
  if (*empty)
    return VITRAIL_OK;
  VT_TRY(launch_any(device, args));
  VT_TRY(vt_gpu_read_words(device));
  if (device->words_host[0])
    return VITRAIL_BAD_ARGUMENT;
  if (args->marker.type == VITRAIL_F32)
    return vt_gpu_launch(device, "join_zeros", join_zeros, n_blocks(device, &args->marker), THREADS,
                         VtGpuView<float>(args->marker));
  return VITRAIL_OK;
}
