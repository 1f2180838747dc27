/* SPDX-License-Identifier: MIT
 *
 * Loops over rows, in variants (vectors.h). Most are such that the compiler makes vectors of them. */
#include "../vectors.h"
#include "rows.h"

#include <string.h>

#if defined(VT_AVX512)
#define V_UPPER_HALVES(v) _mm512_cvtepi32_epi16(_mm512_srli_epi32(v, 16))
#define V_STORE_UPPER_HALVES(at, a, b) \
  V_STORE(at, _mm512_inserti64x4(_mm512_castsi256_si512(V_UPPER_HALVES(a)), V_UPPER_HALVES(b), 1))
#elif defined(VT_AVX2)
#define V_STORE_UPPER_HALVES(at, a, b) \
  V_STORE(at, _mm256_permute4x64_epi64(_mm256_packs_epi32(_mm256_srai_epi32(a, 16), _mm256_srai_epi32(b, 16)), 0xd8))
#elif defined(__SSE2__) /* these vectors every such machine has */
#include <immintrin.h>
#define VECTOR __m128i
#define V_OP(name) _mm_##name
#define V_LOAD(at) _mm_loadu_si128(at)
#define V_STORE_UPPER_HALVES(at, a, b) \
  _mm_storeu_si128(at, _mm_packs_epi32(_mm_srai_epi32(a, 16), _mm_srai_epi32(b, 16)))
#endif

static inline uint16_t
min16(uint16_t a, uint16_t b)
{
  return a < b ? a : b;
}

static void
fold(uint16_t *restrict to, const uint16_t *restrict a, int64_t n)
{
  for (int64_t x = 0; x < n; x++)
    to[x] = min16(to[x], a[x]);
}

static void
widen(uint16_t *restrict to, const uint16_t *restrict a, const uint16_t *restrict b, int64_t n)
{
  for (int64_t x = 0; x < n; x++)
    to[x] = min16(to[x], min16(a[x], b[x]));
}

static void
pair(uint32_t *restrict pairs, const uint16_t *restrict first, const uint16_t *restrict second, int64_t n)
{
  for (int64_t x = 0; x < n; x++)
    pairs[x] = (first[x] | (uint32_t)second[x] << 16) ^ UINT32_C(0x80008000);
}

static void
weigh_each(uint16_t *restrict to, const uint32_t *const *pairs, const uint32_t *weights, int n_pairs, uint32_t start,
           int64_t n)
{
  for (int64_t x = 0; x < n; x++) {
    uint32_t sum = start;
    for (int k = 0; k < n_pairs; k++) {
      const uint32_t two = pairs[k][x], by = weights[k];
      sum += (uint32_t)((int16_t)two * (int16_t)by) + (uint32_t)((int16_t)(two >> 16) * (int16_t)(by >> 16));
    }
    to[x] = (uint16_t)(sum >> 16);
  }
}

#ifdef VECTOR
enum { SUMS = 4, PER_VECTOR = sizeof(VECTOR) / sizeof(uint32_t), AT_ONCE = SUMS * PER_VECTOR };

static inline void
weigh_some(uint16_t *to, const uint32_t *const *pairs, const uint32_t *weights, int n_pairs, uint32_t start, int64_t x)
{
  VECTOR sum[SUMS];
  for (int i = 0; i < SUMS; i++)
    sum[i] = V_OP(set1_epi32)((int32_t)start);
  for (int k = 0; k < n_pairs; k++) {
    const VECTOR by = V_OP(set1_epi32)((int32_t)weights[k]);
    for (int i = 0; i < SUMS; i++)
      sum[i] = V_OP(add_epi32)(sum[i], V_OP(madd_epi16)(V_LOAD((const VECTOR *)(pairs[k] + x + i * PER_VECTOR)), by));
  }
  for (int i = 0; i < SUMS; i += 2)
    V_STORE_UPPER_HALVES((VECTOR *)(to + x + i * PER_VECTOR), sum[i], sum[i + 1]);
}
#endif

static void
weigh(uint16_t *to, const uint32_t *const *pairs, const uint32_t *weights, int n_pairs, uint32_t start, int64_t n)
{
#ifdef VECTOR
  if (n >= AT_ONCE) {
    for (int64_t x = 0; x + AT_ONCE <= n; x += AT_ONCE)
      weigh_some(to, pairs, weights, n_pairs, start, x);
    if (n % AT_ONCE) /* some of them once more */
      weigh_some(to, pairs, weights, n_pairs, start, n - AT_ONCE);
    return;
  }
#endif
  weigh_each(to, pairs, weights, n_pairs, start, n);
}

static bool
keys(int32_t *restrict key, const float *restrict level, const uint8_t *restrict mask, const int32_t *restrict seed,
     int64_t n)
{
  int32_t bad = 0;
  for (int64_t x = 0; x < n; x++) {
    const float no_minus_zero = level[x] + 0.0f;
    int32_t bits;
    memcpy(&bits, &no_minus_zero, sizeof bits);
    const int32_t inside = mask[x] ? -1 : 0, in_order = bits ^ (bits >> 31 & INT32_MAX);
    key[x] = (in_order & inside) | (INT32_MIN & ~inside);
    bad |= (seed[x] < 0 || level[x] != level[x] ? -1 : 0) & inside;
  }
  return bad == 0;
}

static inline int32_t
max32(int32_t a, int32_t b)
{
  return a > b ? a : b;
}

static void
highest(int32_t *restrict to, const int32_t *const key[3], int64_t n)
{
  const int32_t *restrict a = key[0] - 1, *restrict b = key[1] - 1, *restrict c = key[2] - 1;
  for (int64_t x = 0; x < n; x++) {
    const int32_t left = max32(a[x], max32(b[x], c[x])), here = max32(a[x + 1], max32(b[x + 1], c[x + 1])),
                  right = max32(a[x + 2], max32(b[x + 2], c[x + 2]));
    to[x] = max32(here, max32(left, right));
  }
}

static void
enter(uint8_t *restrict state, const int32_t *restrict key, const int32_t *restrict high, const int32_t *restrict seed,
      int64_t n)
{
  for (int64_t x = 0; x < n; x++) {
    const int32_t reached = high[x] > key[x] ? VT_CPU_ENTERED : VT_CPU_INNER, inside = seed[x] ? VT_CPU_SEED : reached;
    state[x] = (uint8_t)(key[x] == INT32_MIN ? VT_CPU_OUTSIDE : inside);
  }
}

static void
codes(int32_t *restrict code, const uint8_t *restrict state, int64_t n)
{
  for (int64_t x = 0; x < n; x++) {
    const int32_t s = state[x], far = s == VT_CPU_INNER ? INT32_MIN : -s;
    code[x] = far;
  }
}

#define OFFER(k, row, dx) \
  { \
    const bool better = key_##row[x + dx] == high[x] && code_##row[x + dx] > best; \
    parent_x = better ? k : parent_x; \
    best = better ? code_##row[x + dx] : best; \
  }

static void
parents(uint8_t *restrict parent, const int32_t *const key[3], const int32_t *restrict high,
        const int32_t *const code[3], int64_t n)
{
  const int32_t *restrict key_a = key[0] - 1, *restrict key_b = key[1] - 1, *restrict key_c = key[2] - 1;
  const int32_t *restrict code_a = code[0] - 1, *restrict code_b = code[1] - 1, *restrict code_c = code[2] - 1;
  for (int64_t x = 0; x < n; x++) {
    int32_t best = INT32_MIN, parent_x = 8;
    OFFER(0, a, 0)
    OFFER(1, a, 1)
    OFFER(2, a, 2)
    OFFER(3, b, 0)
    OFFER(4, b, 2)
    OFFER(5, c, 0)
    OFFER(6, c, 1)
    OFFER(7, c, 2)
    parent[x] = (uint8_t)parent_x;
  }
}
#undef OFFER

static inline __attribute__((always_inline)) void
mark_as(uint8_t *restrict state, const int32_t *const key[3], bool eight, int64_t n)
{
  const int32_t *restrict a = key[0] - 1, *restrict b = key[1] - 1, *restrict c = key[2] - 1;
  for (int64_t x = 0; x < n; x++) {
    int32_t high = max32(max32(a[x + 1], c[x + 1]), max32(b[x], b[x + 2]));
    if (eight)
      high = max32(high, max32(max32(a[x], a[x + 2]), max32(c[x], c[x + 2])));
    state[x] = (uint8_t)(high > b[x + 1] && state[x] == VT_CPU_TOP ? VT_CPU_NO_TOP : state[x]);
  }
}

static void
mark(uint8_t *state, const int32_t *const key[3], bool eight, int64_t n)
{
  if (eight)
    mark_as(state, key, true, n);
  else
    mark_as(state, key, false, n);
}

/* The states of two pixels, and whether their keys are equal: the first takes from the second. */
#define SINKS(state_, key_, other_, other_key_) \
  (((state_) == VT_CPU_TOP) & ((other_) == VT_CPU_NO_TOP) & ((key_) == (other_key_)))

static inline __attribute__((always_inline)) bool
sink_as(uint8_t *restrict state, const int32_t *restrict key, const uint8_t *restrict other,
        const int32_t *restrict other_key, bool eight, int64_t n)
{
  int32_t any = 0;
  for (int64_t x = 0; x < n; x++) {
    int32_t sinks = SINKS(state[x], key[x], other[x], other_key[x]);
    if (eight)
      sinks |= SINKS(state[x], key[x], other[x - 1], other_key[x - 1])
               | SINKS(state[x], key[x], other[x + 1], other_key[x + 1]);
    state[x] = (uint8_t)(sinks ? VT_CPU_NO_TOP : state[x]);
    any |= sinks;
  }
  return any != 0;
}

/* From pixel to pixel, in the few stretches of a row that have something to pass on. */
static bool
sink_along(uint8_t *restrict state, const int32_t *restrict key, int64_t n)
{
  enum { STRETCH = 64 };
  bool changed = false;
  for (int64_t from = 0; from < n; from += STRETCH) {
    const int64_t end = from + STRETCH < n ? from + STRETCH : n;
    int32_t any = 0;
    for (int64_t x = from; x < end; x++)
      any |= SINKS(state[x], key[x], state[x - 1], key[x - 1]);
    for (int64_t x = from; x < end && any; x++)
      if (SINKS(state[x], key[x], state[x - 1], key[x - 1]))
        state[x] = VT_CPU_NO_TOP;
    changed |= any != 0;
  }
  for (int64_t end = n, from; end > 0; end = from) {
    from = end > STRETCH ? end - STRETCH : 0;
    int32_t any = 0;
    for (int64_t x = from; x < end; x++)
      any |= SINKS(state[x], key[x], state[x + 1], key[x + 1]);
    for (int64_t x = end; x-- > from && any;)
      if (SINKS(state[x], key[x], state[x + 1], key[x + 1]))
        state[x] = VT_CPU_NO_TOP;
    changed |= any != 0;
  }
  return changed;
}

static bool
sink(uint8_t *state, const int32_t *key, const uint8_t *other, const int32_t *other_key, bool eight, int64_t n)
{
  const bool beside =
    eight ? sink_as(state, key, other, other_key, true, n) : sink_as(state, key, other, other_key, false, n);
  return sink_along(state, key, n) || beside;
}

static inline __attribute__((always_inline)) void
can_sink_as(uint8_t *restrict found, const uint8_t *const state[3], const int32_t *const key[3], bool eight, int64_t n)
{
  const uint8_t *restrict a = state[0] - 1, *restrict b = state[1] - 1, *restrict c = state[2] - 1;
  const int32_t *restrict key_a = key[0] - 1, *restrict key_b = key[1] - 1, *restrict key_c = key[2] - 1;
  for (int64_t x = 0; x < n; x++) {
    const int32_t own = key_b[x + 1];
    const uint8_t own_state = b[x + 1];
    int32_t any = SINKS(a[x + 1], key_a[x + 1], own_state, own) | SINKS(c[x + 1], key_c[x + 1], own_state, own)
                  | SINKS(b[x], key_b[x], own_state, own) | SINKS(b[x + 2], key_b[x + 2], own_state, own);
    if (eight)
      any |= SINKS(a[x], key_a[x], own_state, own) | SINKS(a[x + 2], key_a[x + 2], own_state, own)
             | SINKS(c[x], key_c[x], own_state, own) | SINKS(c[x + 2], key_c[x + 2], own_state, own);
    found[x] = (uint8_t)any;
  }
}
#undef SINKS

static void
can_sink(uint8_t *found, const uint8_t *const state[3], const int32_t *const key[3], bool eight, int64_t n)
{
  if (eight)
    can_sink_as(found, state, key, true, n);
  else
    can_sink_as(found, state, key, false, n);
}

const VtCpuRows VT_VARIANT(vt_cpu_rows) = { fold,  widen, pair,    weigh, keys, highest,
                                            enter, codes, parents, mark,  sink, can_sink };
