/* SPDX-License-Identifier: MIT
 *
 * The filters, the variant for AVX2. */
#include <immintrin.h>

#define VECTOR __m256i
#define V_OP(name) _mm256_##name
#define V_SAME_16(value) _mm256_set1_epi16(value)
#define V_SAME_32(value) _mm256_set1_epi32(value)
#define V_MADD(a, b) _mm256_madd_epi16(a, b)
#define V_LOAD(at) _mm256_loadu_si256((const void *)(at))
#define V_STORE(at, v) _mm256_storeu_si256((void *)(at), v)

#define VECTOR_BYTES 32
#define PREDICT predict_avx2
#define VARIANT vt_rg_filters_avx2
#include "filters-impl.h"
