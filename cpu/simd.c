/* SPDX-License-Identifier: MIT */
#include "simd.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static const char *const names[VT_CPU_N_SIMD] = { "baseline", "avx2", "avx512" };

/* 1 + the variant; 0: not chosen. Two threads that choose at the same time choose the same. */
static atomic_int chosen;

static VtCpuSimd
best(void)
{
#ifdef VT_CPU_X86
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl"))
    return VT_CPU_AVX512;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    return VT_CPU_AVX2;
#endif
  return VT_CPU_BASELINE;
}

VtCpuSimd
vt_cpu_simd_limit(VtCpuSimd highest)
{
  const VtCpuSimd simd = best() < highest ? best() : highest;
  atomic_store_explicit(&chosen, (int)simd + 1, memory_order_relaxed);
  return simd;
}

VtCpuSimd
vt_cpu_simd(void)
{
  const int simd = atomic_load_explicit(&chosen, memory_order_relaxed);
  if (simd > 0)
    return (VtCpuSimd)(simd - 1);
  const char *wanted = getenv("VITRAIL_SIMD");
  int highest = VT_CPU_N_SIMD - 1;
  for (int k = 0; wanted && k < VT_CPU_N_SIMD; k++)
    if (strcmp(wanted, names[k]) == 0)
      highest = k;
  return vt_cpu_simd_limit((VtCpuSimd)highest);
}

const char *
vt_cpu_simd_name(VtCpuSimd simd)
{
  return names[simd];
}
