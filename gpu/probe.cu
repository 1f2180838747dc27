/* SPDX-License-Identifier: MIT
 * Meson compiles this before it promises a CUDA backend: it fails where nvcc is broken, older than CUDA 12, does not know an
 * architecture of -Dcuda-arch, or refuses the host's compiler. No program holds it. */
#include <cuda_runtime_api.h>

#if CUDART_VERSION < 12000
#error CUDA 12 or newer is needed
#endif

extern "C" __global__ void
vt_probe(int *out)
{
  if constexpr (sizeof(int) == 4)
    *out = threadIdx.x;
}
