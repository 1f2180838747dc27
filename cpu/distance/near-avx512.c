/* SPDX-License-Identifier: MIT
 *
 * Near rows of the distance transform, the variant for AVX-512. */
#include <immintrin.h>

#define VECTOR __m512i
#define V_OP(name) _mm512_##name
#define V_SAME(value) _mm512_set1_epi16(value)
#define V_LOAD(at) _mm512_loadu_si512(at)
#define V_STORE(at, v) _mm512_storeu_si512(at, v)
#define V_ANY_ABOVE(v, bound) (_mm512_cmpgt_epi16_mask(v[0], bound) != 0)

#define VARIANT vt_cpu_edt_near_avx512
#define LIMIT 120
#include "near-impl.h"
