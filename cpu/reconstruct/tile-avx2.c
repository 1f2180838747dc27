/* SPDX-License-Identifier: MIT
 *
 * Active tiles, the variant for AVX2: a row of 64 bytes is two registers. */
#include <immintrin.h>

#define VECTOR __m256i
#define V_OP(name) _mm256_##name
#define V_ZERO _mm256_setzero_si256()
#define V_LOAD(at) _mm256_load_si256(at)
#define V_STORE(at, v) _mm256_store_si256(at, v)
#define V_TO_FLOAT(v) _mm256_castsi256_ps(v)
#define V_FROM_FLOAT(v) _mm256_castps_si256(v)
#define V_FROM_BEFORE(before, v, bytes) _mm256_alignr_epi8(v, _mm256_permute2x128_si256(before, v, 0x21), 16 - (bytes))
#define V_FROM_AFTER(v, after, bytes) _mm256_alignr_epi8(_mm256_permute2x128_si256(v, after, 0x21), v, bytes)
#define DIFFERS(sum, a, b) _mm256_or_si256(sum, _mm256_xor_si256(a, b))
#define V_BYTES_SET(v) (uint32_t) ~_mm256_movemask_epi8(_mm256_cmpeq_epi8(v, V_ZERO))
#define V_TRANSPOSE_LANES(to, from, i) \
  do { \
    to[0] = _mm256_permute2x128_si256(from[0][i], from[1][i], 0x20); \
    to[1] = _mm256_permute2x128_si256(from[0][i], from[1][i], 0x31); \
  } while (0)
#define WIDE_FROM 2 /* blocks; fewer are transposed one by one */

#define VARIANT vt_cpu_tile_avx2
#define SWEEPS "tile-sweep-vectors-impl.h"
#include "tile-variant.h"
