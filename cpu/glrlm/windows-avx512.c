/* SPDX-License-Identifier: MIT
 *
 * Sliding windows, the variant for AVX-512 (F, BW, VL). */
#include <immintrin.h>

#define VECTOR_BYTES 64
#define MULTIPLY_ADD _mm512_fmadd_pd
#define NEGATED_MULTIPLY_ADD _mm512_fnmadd_pd
#define VARIANT vt_cpu_windows_avx512
#include "windows-impl.h"
