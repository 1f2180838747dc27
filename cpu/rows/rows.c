/* SPDX-License-Identifier: MIT */
#include "rows.h"
#include "../simd.h"

const VtCpuRows *
vt_cpu_rows(void)
{
#ifdef VT_CPU_X86
  if (vt_cpu_simd() == VT_CPU_AVX512)
    return &vt_cpu_rows_avx512;
  if (vt_cpu_simd() == VT_CPU_AVX2)
    return &vt_cpu_rows_avx2;
#endif
  return &vt_cpu_rows_baseline;
}
