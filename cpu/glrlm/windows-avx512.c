/* SPDX-License-Identifier: MIT
 *
 * Sliding windows, the variant for AVX-512 (F, BW, VL). */
#include <immintrin.h>

#define VECTOR_BYTES 64
#define MULTIPLY_ADD _mm512_fmadd_pd
#define NEGATED_MULTIPLY_ADD _mm512_fnmadd_pd
#define TO_DOUBLES(from) _mm512_cvtepi32_pd(_mm256_loadu_si256((const void *)(from)))
#define ANY_BIT(vector) (_mm512_test_epi32_mask((__m512i)(vector), (__m512i)(vector)) != 0)
#define STORE_FLOATS(to, v) _mm256_storeu_ps(to, _mm512_cvtpd_ps(v))
#define GATHER(table, index) _mm512_i32gather_epi64(_mm256_loadu_si256((const void *)(index)), table, 8)
#define VARIANT vt_cpu_windows_avx512
#include "windows-impl.h"
