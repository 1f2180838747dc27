/* SPDX-License-Identifier: MIT
 *
 * Near rows of the distance transform, the variant for AVX2. */
#include <immintrin.h>

#define VECTOR __m256i
#define V_OP(name) _mm256_##name
#define V_SAME(value) _mm256_set1_epi16(value)
#define V_LOAD(at) _mm256_loadu_si256(at)
#define V_STORE(at, v) _mm256_storeu_si256(at, v)
#define V_ANY_ABOVE(v, bound) \
  (_mm256_movemask_epi8(_mm256_or_si256(_mm256_cmpgt_epi16(v[0], bound), _mm256_cmpgt_epi16(v[1], bound))) != 0)

#define VARIANT vt_cpu_edt_near_avx2
#define LIMIT 120
#include "near-impl.h"
