/* SPDX-License-Identifier: MIT
 *
 * vectors.h: the vectors of the variant for which a file is compiled. A kernel with variants is one file, which cpu/meson.build compiles
 * with VT_AVX512 (F, BW, VL), with VT_AVX2 (and FMA), and with neither: there is no VECTOR then, and the file is plain C. */
#pragma once

#if defined(VT_AVX512)
#include <immintrin.h>
#define VECTOR __m512i
#define VECTOR_BYTES 64
#define V_OP(name) _mm512_##name
#define V_LOAD(at) _mm512_loadu_si512((const void *)(at))
#define V_STORE(at, v) _mm512_storeu_si512((void *)(at), v)
#define VT_VARIANT(name) name##_avx512
#elif defined(VT_AVX2)
#include <immintrin.h>
#define VECTOR __m256i
#define VECTOR_BYTES 32
#define V_OP(name) _mm256_##name
#define V_LOAD(at) _mm256_loadu_si256((const void *)(at))
#define V_STORE(at, v) _mm256_storeu_si256((void *)(at), v)
#define VT_VARIANT(name) name##_avx2
#else
#define VT_VARIANT(name) name##_baseline
#endif
