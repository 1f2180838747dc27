/* SPDX-License-Identifier: MIT
 *
 * Loops over rows, the variant for AVX2. */
#include <immintrin.h>

#define VECTOR __m256i
#define V_OP(name) _mm256_##name
#define V_LOAD(at) _mm256_loadu_si256(at)
#define V_STORE_UPPER_HALVES(at, a, b) \
  _mm256_storeu_si256( \
    at, _mm256_permute4x64_epi64(_mm256_packs_epi32(_mm256_srai_epi32(a, 16), _mm256_srai_epi32(b, 16)), 0xd8))

#define VARIANT vt_cpu_rows_avx2
#include "rows-impl.h"
