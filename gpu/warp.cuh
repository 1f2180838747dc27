/* SPDX-License-Identifier: MIT
 *
 * warp.cuh: one value of all of a warp's, to each lane; all lanes together. GPUs before compute capability 8 have no
 * instruction for it. */
#pragma once

#include <cuda_runtime.h>
#include <stdint.h>

/* The same by shuffles, of any operation. */
template <typename T, typename Join>
static __device__ __forceinline__ T
vt_gpu_warp_join(T value, Join join)
{
  for (int d = 16; d > 0; d /= 2)
    value = join(value, __shfl_xor_sync(~0u, value, d));
  return value;
}

static __device__ __forceinline__ uint32_t
vt_gpu_warp_min(uint32_t value)
{
#if __CUDA_ARCH__ >= 800
  return __reduce_min_sync(~0u, value);
#else
  return vt_gpu_warp_join(value, [](uint32_t a, uint32_t b) { return min(a, b); });
#endif
}

static __device__ __forceinline__ int
vt_gpu_warp_max(int value)
{
#if __CUDA_ARCH__ >= 800
  return __reduce_max_sync(~0u, value);
#else
  return vt_gpu_warp_join(value, [](int a, int b) { return max(a, b); });
#endif
}

static __device__ __forceinline__ uint32_t
vt_gpu_warp_or(uint32_t bits)
{
#if __CUDA_ARCH__ >= 800
  return __reduce_or_sync(~0u, bits);
#else
  return vt_gpu_warp_join(bits, [](uint32_t a, uint32_t b) { return a | b; });
#endif
}
