/* SPDX-License-Identifier: MIT
 *
 * Active tiles, the variant for AVX-512 (F, BW, VL): a row of 64 bytes is one register. */
#include <immintrin.h>

#define VECTOR __m512i
#define V_OP(name) _mm512_##name
#define V_ZERO _mm512_setzero_si512()
#define V_LOAD(at) _mm512_load_si512(at)
#define V_STORE(at, v) _mm512_store_si512(at, v)
#define V_TO_FLOAT(v) _mm512_castsi512_ps(v)
#define V_FROM_FLOAT(v) _mm512_castps_si512(v)
#define V_FROM_BEFORE(before, v, bytes) _mm512_alignr_epi8(v, _mm512_alignr_epi64(v, before, 6), 16 - (bytes))
#define V_FROM_AFTER(v, after, bytes) _mm512_alignr_epi8(_mm512_alignr_epi64(after, v, 2), v, bytes)
#define DIFFERS(sum, a, b) _mm512_ternarylogic_epi64(sum, a, b, 0xf6) /* sum | (a ^ b) */
#define V_BYTES_SET(v) _mm512_test_epi8_mask(v, v)
#define V_TRANSPOSE_LANES(to, from, i) \
  do { \
    const __m512i low01 = _mm512_shuffle_i32x4(from[0][i], from[1][i], 0x44); \
    const __m512i low23 = _mm512_shuffle_i32x4(from[2][i], from[3][i], 0x44); \
    const __m512i high01 = _mm512_shuffle_i32x4(from[0][i], from[1][i], 0xee); \
    const __m512i high23 = _mm512_shuffle_i32x4(from[2][i], from[3][i], 0xee); \
    to[0] = _mm512_shuffle_i32x4(low01, low23, 0x88); \
    to[1] = _mm512_shuffle_i32x4(low01, low23, 0xdd); \
    to[2] = _mm512_shuffle_i32x4(high01, high23, 0x88); \
    to[3] = _mm512_shuffle_i32x4(high01, high23, 0xdd); \
  } while (0)
#define WIDE_FROM 2 /* blocks; fewer are transposed one by one */

#define VARIANT vt_cpu_tile_avx512
#define SWEEPS "tile-sweep-vectors-impl.h"
#include "tile-variant.h"
