/* SPDX-License-Identifier: MIT
 *
 * Loops over rows, the variant for AVX-512. */
#include <immintrin.h>

#define VECTOR __m512i
#define V_OP(name) _mm512_##name
#define V_LOAD(at) _mm512_loadu_si512(at)
#define V_UPPER_HALVES(v) _mm512_cvtepi32_epi16(_mm512_srli_epi32(v, 16))
#define V_STORE_UPPER_HALVES(at, a, b) \
  _mm512_storeu_si512(at, _mm512_inserti64x4(_mm512_castsi256_si512(V_UPPER_HALVES(a)), V_UPPER_HALVES(b), 1))

#define VARIANT vt_cpu_rows_avx512
#include "rows-impl.h"
