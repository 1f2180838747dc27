/* SPDX-License-Identifier: MIT
 *
 * The filters, the variant for AVX-512. */
#include <immintrin.h>

#define VECTOR __m512i
#define V_OP(name) _mm512_##name
#define V_SAME_16(value) _mm512_set1_epi16(value)
#define V_SAME_32(value) _mm512_set1_epi32(value)
#define V_MADD(a, b) _mm512_madd_epi16(a, b)
#define V_LOAD(at) _mm512_loadu_si512((const void *)(at))
#define V_STORE(at, v) _mm512_storeu_si512((void *)(at), v)

#define VECTOR_BYTES 64
#define PREDICT predict_avx512
#define VARIANT vt_rg_filters_avx512
#include "filters-impl.h"
