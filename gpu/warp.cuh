/* SPDX-License-Identifier: MIT
 *
 * warp.cuh: one value of all of a warp's, to each lane; all lanes together. GPUs before compute capability 8 have no
 * instruction for it. */
#pragma once

#include <cuda_runtime.h>
#include <stdint.h>

static __device__ __forceinline__ uint32_t
vt_gpu_warp_min(uint32_t value)
{
#if __CUDA_ARCH__ >= 800
  return __reduce_min_sync(~0u, value);
#else
  for (int d = 16; d > 0; d /= 2)
    value = min(value, __shfl_xor_sync(~0u, value, d));
  return value;
#endif
}

static __device__ __forceinline__ int
vt_gpu_warp_max(int value)
{
#if __CUDA_ARCH__ >= 800
  return __reduce_max_sync(~0u, value);
#else
  for (int d = 16; d > 0; d /= 2)
    value = max(value, __shfl_xor_sync(~0u, value, d));
  return value;
#endif
}

static __device__ __forceinline__ uint32_t
vt_gpu_warp_or(uint32_t bits)
{
#if __CUDA_ARCH__ >= 800
  return __reduce_or_sync(~0u, bits);
#else
  for (int d = 16; d > 0; d /= 2)
    bits |= __shfl_xor_sync(~0u, bits, d);
  return bits;
#endif
}
