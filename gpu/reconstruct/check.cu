/* SPDX-License-Identifier: MIT
 *
 * check.cu: the arguments of a reconstruction, before anything is written. */
#include "reconstruct.cuh"

enum { THREADS = 256 };

template <typename T>
static __global__ void
find_disorder(VtGpuRows<T> marker, VtGpuRows<T> mask, uint32_t *found)
{
  bool wrong = false;
  for (int64_t y = blockIdx.x; y < marker.n_rows(); y += gridDim.x) {
    const T *marker_row = marker.row(y), *mask_row = mask.row(y);
    for (int64_t x = threadIdx.x; x < marker.width; x += THREADS)
      wrong |= !(marker_row[x] <= mask_row[x]); /* also true for NaN */
  }
  if (__syncthreads_or(wrong) && threadIdx.x == 0)
    atomicOr(found, 1u);
}

/* The sweeps only write what rises, so a -0 that stays is put right here. */
static __global__ void
join_zeros(VtGpuRows<float> marker)
{
  for (int64_t y = blockIdx.x; y < marker.n_rows(); y += gridDim.x)
    for (int64_t x = threadIdx.x; x < marker.width; x += THREADS)
      if (marker.row(y)[x] == 0.0f)
        marker.row(y)[x] = 0.0f;
}

static int64_t
n_blocks(const VtDevice *device, int64_t n_rows)
{
  const int64_t room = 16 * device->n_multiprocessors;
  return n_rows < room ? n_rows : room;
}

template <typename T>
static VitrailStatus
launch(VtDevice *device, const VtReconstruct *args)
{
  const VtGpuRows<T> marker(args->marker, args->depth, args->marker_slice),
    mask(args->mask, args->depth, args->mask_slice);
  return vt_gpu_launch(device, "find_disorder", find_disorder<T>, n_blocks(device, marker.n_rows()), THREADS, marker,
                       mask, device->words);
}

VitrailStatus
vt_gpu_reconstruct_check_begin(VtDevice *device, const VtReconstruct *args)
{
  if (!vt_reconstruct_ok(args))
    return VITRAIL_BAD_ARGUMENT;
  VT_GPU_TRY(device, cudaMemsetAsync(device->words, 0, VT_GPU_N_WORDS * sizeof(uint32_t), device->stream));
  return VITRAIL_OK;
}

static VitrailStatus
launch_any(VtDevice *device, const VtReconstruct *args)
{
  return VT_GPU_BY_TYPE(args->marker.type, launch, device, args);
}

VitrailStatus
vt_gpu_reconstruct_check(VtDevice *device, const VtReconstruct *args)
{
  VT_TRY(vt_gpu_reconstruct_check_begin(device, args));
  VT_TRY(launch_any(device, args));
  VT_TRY(vt_gpu_read_words(device));
  if (device->words_host[0])
    return VITRAIL_BAD_ARGUMENT;
  if (args->marker.type != VITRAIL_F32)
    return VITRAIL_OK;
  const VtGpuRows<float> marker(args->marker, args->depth, args->marker_slice);
  return vt_gpu_launch(device, "join_zeros", join_zeros, n_blocks(device, marker.n_rows()), THREADS, marker);
}
