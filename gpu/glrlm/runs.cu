/* SPDX-License-Identifier: MIT
 *
 * runs.cu: run length matrices of regions. A run is counted by the thread of its first pixel. A block takes bands of rows
 * of one direction; where the matrix fits, it is counted in shared memory first. */
#include "../gpu.h"
#include "glrlm.cuh"

#include <stdlib.h>

enum { THREADS = 256, SHARED_CELLS = 8192, FLAG_WORD = VT_GPU_N_WORDS - 2 };

struct Runs {
  VtImage src;
  int64_t x, y, width, height;
  int32_t n_levels, max_length;
  unsigned long long *matrix; /* NULL: only look whether all runs fit */
  uint32_t *too_long;
};

/* Length of the run that starts at (x,y); 0: none does. */
static __device__ int64_t
run_from(const VtImage &src, int64_t x, int64_t y, int dx, int dy, uint32_t *level)
{
  *level = vt_gpu_glrlm_level(src, x, y);
  const int64_t px = x - dx, py = y - dy;
  if (*level == 0 || (px >= 0 && px < src.width && py >= 0 && vt_gpu_glrlm_level(src, px, py) == *level))
    return 0;
  int64_t length = 1;
  for (x += dx, y += dy; x >= 0 && x < src.width && y < src.height && vt_gpu_glrlm_level(src, x, y) == *level;
       x += dx, y += dy)
    length++;
  return length;
}

static __global__ void
__launch_bounds__(THREADS) count_runs(const __grid_constant__ Runs r, bool shared_counts)
{
  extern __shared__ uint32_t counts[];
  const int direction = blockIdx.y, dx = vt_gpu_glrlm_dx(direction), dy = vt_gpu_glrlm_dy(direction);
  const int64_t n_cells = static_cast<int64_t>(r.n_levels) * r.max_length, n = r.width * r.height;
  if (shared_counts)
    for (int k = threadIdx.x; k < n_cells; k += THREADS)
      counts[k] = 0;
  __syncthreads();
  for (int64_t at = static_cast<int64_t>(blockIdx.x) * THREADS + threadIdx.x; at < n;
       at += static_cast<int64_t>(gridDim.x) * THREADS) {
    uint32_t level;
    const int64_t length = run_from(r.src, r.x + at % r.width, r.y + at / r.width, dx, dy, &level);
    if (length == 0)
      continue;
    const int64_t cell = static_cast<int64_t>(level - 1) * r.max_length + length - 1;
    if (length > r.max_length)
      *r.too_long = 1;
    else if (r.matrix && shared_counts)
      atomicAdd(&counts[cell], 1u);
    else if (r.matrix)
      atomicAdd(&r.matrix[direction * n_cells + cell], 1ull);
  }
  __syncthreads();
  if (shared_counts && r.matrix)
    for (int k = threadIdx.x; k < n_cells; k += THREADS)
      if (counts[k])
        atomicAdd(&r.matrix[direction * n_cells + k], static_cast<unsigned long long>(counts[k]));
}

static VitrailStatus
launch(VtDevice *device, const Runs *r)
{
  const int64_t n_cells = static_cast<int64_t>(r->n_levels) * r->max_length, n = r->width * r->height;
  const int64_t room = 8 * device->n_multiprocessors, wanted = vt_gpu_blocks(n, THREADS);
  const bool shared_counts = n_cells <= SHARED_CELLS && r->matrix;
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(static_cast<unsigned>(wanted < room ? wanted : room), VT_GLRLM_N_DIRECTIONS);
  config.blockDim = dim3(THREADS);
  config.dynamicSmemBytes = shared_counts ? static_cast<size_t>(n_cells) * sizeof(uint32_t) : 0;
  config.stream = device->stream;
  VT_GPU_TRY(device, cudaLaunchKernelEx(&config, count_runs, *r, shared_counts));
  return VITRAIL_OK;
}

/* Runs that are too long are found before anything is counted. */
static VitrailStatus
check_lengths(VtDevice *device, Runs *r)
{
  const int64_t side = r->src.width > r->src.height ? r->src.width : r->src.height;
  if (r->max_length >= side)
    return VITRAIL_OK;
  Runs look = *r;
  look.matrix = NULL;
  VT_GPU_TRY(device, cudaMemsetAsync(r->too_long, 0, sizeof(uint32_t), device->stream));
  VT_TRY(launch(device, &look));
  VT_TRY(vt_gpu_read_words(device));
  return device->words_host[FLAG_WORD] ? VITRAIL_BAD_ARGUMENT : VITRAIL_OK;
}

static VitrailStatus
count(VtDevice *device, const VtGlrlmRuns *args, const VtCancel *cancel)
{
  const size_t n_cells = static_cast<size_t>(VT_GLRLM_N_DIRECTIONS) * args->n_levels * args->max_length;
  Runs r = { args->src,        args->x,      args->y,
             args->width,      args->height, args->n_levels,
             args->max_length, NULL,         device->words + FLAG_WORD };
  void *scratch = NULL;
  VT_TRY(check_lengths(device, &r));
  if (vt_cancelled(cancel))
    return VITRAIL_CANCELLED;
  VT_TRY(vt_gpu_scratch(device, n_cells * sizeof(uint64_t), &scratch));
  r.matrix = static_cast<unsigned long long *>(scratch);
  VT_GPU_TRY(device, cudaMemsetAsync(scratch, 0, n_cells * sizeof(uint64_t), device->stream));
  VT_TRY(launch(device, &r));
  uint64_t *host = static_cast<uint64_t *>(malloc(n_cells * sizeof *host));
  if (!host)
    return vt_gpu_sync(device) == VITRAIL_OK ? VITRAIL_OUT_OF_MEMORY : VITRAIL_INTERNAL;
  cudaError_t error = cudaMemcpyAsync(host, scratch, n_cells * sizeof *host, cudaMemcpyDeviceToHost, device->stream);
  if (error == cudaSuccess)
    error = cudaStreamSynchronize(device->stream);
  for (size_t k = 0; k < n_cells && error == cudaSuccess; k++)
    args->matrix[k] += host[k];
  free(host);
  return error == cudaSuccess ? VITRAIL_OK : vt_gpu_fail(device, "cudaMemcpyAsync", error);
}

VitrailStatus
vt_gpu_glrlm_runs(VtDevice *device, const VtGlrlmRuns *args, const VtCancel *cancel)
{
  VT_GPU_USE(device, vt_glrlm_runs_ok(args));
  VT_TRY(vt_gpu_glrlm_check_levels(device, &args->src, args->n_levels));
  return count(device, args, cancel);
}
