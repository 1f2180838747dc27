/* SPDX-License-Identifier: MIT
 *
 * simd.h: which vector instructions the kernels may use on this machine. A kernel with variants (vectors.h) is compiled for each with
 * that variant's flags only; the baseline is plain C and always there. */
#pragma once

typedef enum VtCpuSimd { VT_CPU_BASELINE, VT_CPU_AVX2, VT_CPU_AVX512 /* F, BW, VL */, VT_CPU_N_SIMD } VtCpuSimd;

/* The best variant that was built, that the machine has, and that VITRAIL_SIMD (baseline, avx2, avx512) allows; the
 * environment is read once. */
VtCpuSimd vt_cpu_simd(void);
/* For tests: use at most `highest` from now on, whatever the environment says. Returns what is used. */
VtCpuSimd vt_cpu_simd_limit(VtCpuSimd highest);
const char *vt_cpu_simd_name(VtCpuSimd simd);

/* The best variant of what a kernel with variants defines. */
#ifdef VT_CPU_X86
#define VT_CPU_BEST(name) \
  (vt_cpu_simd() == VT_CPU_AVX512 ? &name##_avx512 : vt_cpu_simd() == VT_CPU_AVX2 ? &name##_avx2 : &name##_baseline)
#else
#define VT_CPU_BEST(name) (&name##_baseline)
#endif
