/* SPDX-License-Identifier: MIT
 *
 * Loops over rows, the variant for every machine. */
#ifdef __SSE2__
#include <immintrin.h>

#define VECTOR __m128i
#define V_OP(name) _mm_##name
#define V_LOAD(at) _mm_loadu_si128(at)
#define V_STORE_UPPER_HALVES(at, a, b) \
  _mm_storeu_si128(at, _mm_packs_epi32(_mm_srai_epi32(a, 16), _mm_srai_epi32(b, 16)))
#endif

#define VARIANT vt_cpu_rows_baseline
#include "rows-impl.h"
