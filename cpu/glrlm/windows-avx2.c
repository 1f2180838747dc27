/* SPDX-License-Identifier: MIT
 *
 * Sliding windows, the variant for AVX2 (and FMA). */
#include <immintrin.h>

#define VECTOR_BYTES 32
#define MULTIPLY_ADD _mm256_fmadd_pd
#define NEGATED_MULTIPLY_ADD _mm256_fnmadd_pd
#define VARIANT vt_cpu_windows_avx2
#include "windows-impl.h"
