/* SPDX-License-Identifier: MIT
 *
 * Sliding windows, the variant for AVX2 (and FMA). */
#include <immintrin.h>

#define VECTOR_BYTES 32
#define MULTIPLY_ADD _mm256_fmadd_pd
#define NEGATED_MULTIPLY_ADD _mm256_fnmadd_pd
#define TO_DOUBLES(from) _mm256_cvtepi32_pd(_mm_loadu_si128((const void *)(from)))
#define ANY_BIT(vector) (!_mm256_testz_si256((__m256i)(vector), (__m256i)(vector)))
#define STORE_FLOATS(to, v) _mm_storeu_ps(to, _mm256_cvtpd_ps(v))
#define VARIANT vt_cpu_windows_avx2
#include "windows-impl.h"
