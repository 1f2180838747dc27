/* SPDX-License-Identifier: MIT
 *
 * Visits of active tiles (tile.c), in variants (vectors.h): a row of 64 bytes is one register of AVX-512, two of AVX2. */
#include "../vectors.h"
#include "../big-alloc.h"
#include "tile-work.h"
#include "tile.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#if defined(VT_AVX512)
#define V_ZERO _mm512_setzero_si512()
#define V_LOAD_ALIGNED(at) _mm512_load_si512(at)
#define V_STORE_ALIGNED(at, v) _mm512_store_si512(at, v)
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
#elif defined(VT_AVX2)
#define V_ZERO _mm256_setzero_si256()
#define V_LOAD_ALIGNED(at) _mm256_load_si256(at)
#define V_STORE_ALIGNED(at, v) _mm256_store_si256(at, v)
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
#endif
#ifdef VECTOR
#define SWEEPS "tile-sweep-vectors-impl.h"
#define WIDE_FROM 2 /* blocks; fewer are transposed one by one */
#else
#define SWEEPS "tile-sweep-loops-impl.h"
#endif

/* Lines or places first..last of a tile; none when first > last. */
typedef struct Span {
  int first, last;
} Span;
#define NO_SPAN ((Span){ INT_MAX, -1 })

static inline bool
is_empty(Span span)
{
  return span.first > span.last;
}

/* The smallest span that holds both. */
static inline Span
join(Span a, Span b)
{
  return (Span){ a.first < b.first ? a.first : b.first, a.last > b.last ? a.last : b.last };
}

#define IMPL "tile-impl.h"
#include "each-type.h"

const VtCpuReconstructRuns VT_VARIANT(vt_cpu_tile) = { tile_u8, tile_u16, tile_i32, tile_f32,
                                                       vt_cpu_reconstruct_tile_bits };
