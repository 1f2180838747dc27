/* SPDX-License-Identifier: MIT
 *
 * small-values.cuh: what sums over the windows of a row become: a lane makes four values of each map.
 *
 * A quotient of integers below 2^24 is rounded right in floats alone (Markstein: the nearest reciprocal, one correction);
 * rounding it to double before, as the definition does, changes nothing, since it is no closer to the middle of two floats
 * than 2^-48 unless it is that.
 *
 * Other values lie between two doubles, a lower and an upper one. Both are rounded to float by hand, as integers, since
 * conversions are slow: half a float's last place added, 29 bits dropped. Where they meet that is the value, as the
 * definition's double lies between them too; else the window is deferred. Of a sum S over N runs they are S / N -+ half a
 * unit of the sum's last place, and 320 last places of a double further out, which is more than 2^-45 of S / N:
 *   1 / N is known to 2^-48 + 2^-52 of itself (Newton's step from the nearest float), S and each step to 2^-53;
 *   the definition's own double, of at most 64 terms, is off by less than 66 * 2^-53;
 *   together less than 2^-46.3, and every run adds at most half a unit to S: half a unit to the quotient.
 * They are so close (2^-27 of themselves, at the least sums there are) that it is enough to compare the last bit. */
#pragma once

#include "small.cuh"

/* The four windows of a lane in a row. */
struct VtSmallPlace {
  int32_t first, j; /* first of the four in the map; the map's row */
  int direction;
  int by;         /* -1: the others lie to the left */
  uint32_t here;  /* bit k: the k-th is in the map */
  uint32_t empty; /* bit k: it has no runs */
};

/* Functions with FAST have no branches, so that what follows need not wait: values that are not sure are noted for
 * vt_small_defer. */
struct VtSmallWindows {
  VtSmallPlace place;
  int64_t at;      /* of the lowest of the four in a map whose rows are s.stride apart */
  bool low, high;  /* two values there, and two beside them; none of them NaN */
  uint32_t odd;    /* VT_SMALL_UNSURE: windows, but not these */
  uint32_t unsure; /* noted */
  float runs[4], reciprocal[4];
  double inverse[4]; /* 1 / runs, known to 2^-48 + 2^-52 of itself */
};

enum { VT_SMALL_UNSURE = 1 << 29 };

/* Windows on an edge or without runs, maps of other rows, values that are not sure: VT_SMALL_UNSURE is set in differ. */
static __device__ __noinline__ void
vt_small_put_rare(const VtSmall &s, VtSmallPlace place, int feature, float4 four, uint4 differ)
{
  const VtGpuGlrlmMap &map = s.maps.map[place.direction][feature];
  float *at = map.data + place.j * map.stride + place.first;
  const float value[4] = { four.x, four.y, four.z, four.w };
  const uint32_t bits[4] = { differ.x, differ.y, differ.z, differ.w };
#pragma unroll
  for (int k = 0; k < 4; k++) {
    const bool empty = place.empty >> k & 1;
    if (!(place.here >> k & 1))
      continue;
    at[k * place.by] = empty ? __int_as_float(0x7fc00000) : value[k];
    if ((bits[k] & VT_SMALL_UNSURE) && !empty)
      vt_gpu_glrlm_defer(s.list, place.first + k * place.by, place.j, place.direction, feature);
  }
}

/* unsure: noted for the windows of one feature and then another, bits 29 to 31 each; only the lower ones may be set. */
static __device__ __noinline__ void
vt_small_defer(const VtSmall &s, VtSmallPlace place, int one, int other, uint32_t unsure)
{
  for (int n = 0; n < 8; n++)
    if (unsure >> (3 * n) & 7 && place.here >> (3 - n % 4) & 1)
      vt_gpu_glrlm_defer(s.list, place.first + (3 - n % 4) * place.by, place.j, place.direction, n < 4 ? other : one);
}

static __device__ __forceinline__ void
vt_small_note(const uint32_t *differ, uint32_t *unsure)
{
#pragma unroll
  for (int k = 0; k < 4; k++)
    *unsure = __funnelshift_l(differ[k], *unsure, 3);
}

/* Two values next to each other, if they are wanted. Without a branch: what follows need not wait for it. */
static __device__ __forceinline__ void
vt_small_store_if(bool wanted, float *at, float one, float other)
{
  asm volatile("{ .reg .pred wanted;\n"
               "  setp.ne.u32 wanted, %0, 0;\n"
               "  @wanted st.global.v2.f32 [%1], {%2, %3}; }" ::"r"(static_cast<uint32_t>(wanted)),
               "l"(at), "f"(one), "f"(other)
               : "memory");
}

/* differ[k]: VT_SMALL_UNSURE is set if the k-th value is not sure. Lanes without windows come here too. */
template <bool FAST>
static __device__ __forceinline__ void
vt_small_put(const VtSmall &s, const VtSmallWindows &w, int feature, const float *four, const uint32_t *differ)
{
  float *at = s.maps.map[w.place.direction][feature].data + w.at;
  const bool up = w.place.by > 0;
  vt_small_store_if(w.low, at, four[up ? 0 : 3], four[up ? 1 : 2]);
  vt_small_store_if(w.high, at + 2, four[up ? 2 : 1], four[up ? 3 : 0]);
  if (!FAST && (w.odd | differ[0] | differ[1] | differ[2] | differ[3]) & VT_SMALL_UNSURE)
    vt_small_put_rare(s, w.place, feature, make_float4(four[0], four[1], four[2], four[3]),
                      make_uint4(differ[0], differ[1], differ[2], differ[3]));
}

static __device__ __forceinline__ bool
vt_small_wants(const VtSmall &s, int feature)
{
  return s.features >> feature & 1;
}

/* All of the warp's lanes have windows by twos, and all these features are wanted: the warp may be FAST. */
static __device__ __forceinline__ bool
vt_small_is_fast(const VtSmall &s, const VtSmallWindows &w, uint32_t features)
{
  return __all_sync(~0u, !w.odd) && !(features & ~s.features);
}

/* 1 / a to nearest, of 1 to 255: tried for all of them and every start within 3 of the float's last places. Of 0 no number. */
static __device__ __forceinline__ float
vt_small_reciprocal(float a)
{
  float near;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(near) : "f"(a));
  return __fmaf_rn(__fmaf_rn(-a, near, 1.0f), near, near);
}

static __device__ __forceinline__ float
vt_small_quotient(float a, float b, float reciprocal)
{
  const float quotient = __fmul_rn(a, reciprocal);
  return __fmaf_rn(__fmaf_rn(-quotient, b, a), reciprocal, quotient);
}

/* a[k] / runs[k] */
template <bool FAST>
static __device__ __forceinline__ void
vt_small_put_means(const VtSmall &s, const VtSmallWindows &w, int feature, const uint32_t *a)
{
  const uint32_t sure[4] = {};
  float value[4];
  if (!FAST && !vt_small_wants(s, feature))
    return;
#pragma unroll
  for (int k = 0; k < 4; k++)
    value[k] = vt_small_quotient(__uint2float_rn(a[k]), w.runs[k], w.reciprocal[k]);
  vt_small_put<FAST>(s, w, feature, value, sure);
}

/* --- doubles by their bits --- */

/* Of a float that is 0 or normal and not too small. */
static __device__ __forceinline__ double
vt_small_wider(float value)
{
  const uint32_t bits = __float_as_uint(value);
  return __hiloint2double(static_cast<int>((bits >> 3) + (896u << 20)), static_cast<int>(bits << 29));
}

/* high * 2^24 + low, to nearest */
static __device__ __forceinline__ double
vt_small_fixed(uint32_t high, uint32_t low)
{
  const double above = __hiloint2double(0x44b00000, static_cast<int>(high)); /* 2^76 + high * 2^24 */
  const double below = __hiloint2double(0x43300000, static_cast<int>(low));  /* 2^52 + low */
  return (above - (0x1p76 + 0x1p52)) + below;
}

/* Both to float, after division by 2^bits, each 320 last places further out, which is more than 2^-45 of a value: *differ
 * has VT_SMALL_UNSURE where the results are two. */
static __device__ __forceinline__ float
vt_small_round(double least, double most, int bits, uint32_t *differ)
{
  uint32_t low, high;
  asm("add.cc.u32 %0, %2, 0x10000140;\n"
      "addc.u32 %1, %3, %4;"
      : "=r"(low), "=r"(high)
      : "r"(__double2loint(most)), "r"(__double2hiint(most)), "r"(-(896 + bits) * (1 << 20)));
  *differ = low ^ (static_cast<uint32_t>(__double2loint(least)) + 0x0ffffec0u);
  return __uint_as_float(__funnelshift_l(low, high, 3));
}

/* A value, known to 2^-47 of itself, between its neighbours 128 last places away: the same. */
static __device__ __forceinline__ float
vt_small_round_near(double value, uint32_t *differ)
{
  uint32_t low, high;
  asm("add.cc.u32 %0, %2, 0x10000080;\n"
      "addc.u32 %1, %3, 0xc8000000;" /* -(896 << 20) */
      : "=r"(low), "=r"(high)
      : "r"(__double2loint(value)), "r"(__double2hiint(value)));
  *differ = low ^ (static_cast<uint32_t>(__double2loint(value)) + 0x0fffff80u);
  return __uint_as_float(__funnelshift_l(low, high, 3));
}

static __device__ __forceinline__ void
vt_small_set_runs(VtSmallWindows *w, const uint32_t *runs)
{
  w->place.empty = 0;
#pragma unroll
  for (int k = 0; k < 4; k++) {
    w->runs[k] = __uint2float_rn(runs[k]);
    w->reciprocal[k] = vt_small_reciprocal(w->runs[k]);
    const double n = vt_small_wider(w->runs[k]), near = vt_small_wider(w->reciprocal[k]);
    w->inverse[k] = fma(fma(-n, near, 1.0), near, near);
    w->place.empty |= runs[k] ? 0 : 1u << k;
  }
  const bool whole = !(w->place.empty & w->place.here);
  w->low = w->low && whole;
  w->high = w->high && whole;
  w->unsure = 0;
  w->odd = w->place.here && !(w->low || w->high) ? VT_SMALL_UNSURE : 0;
}

/* --- counts --- */

/* Of four windows; above: the word of the next longer four lengths, in the end that of the shortest. */
struct VtSmallLengths {
  uint32_t above[4], pixels[4], squares[4], length2[4];
  uint64_t inverse2[4]; /* of (360360 / length)^2; 360360 is a multiple of 1 to 15 */
};

/* The least common multiple of a word's lengths, to 15. */
static __host__ __device__ constexpr uint32_t
vt_small_common(int word)
{
  return word == 0 ? 12 : word == 1 ? 840 : word == 2 ? 1980 : 2730;
}

/* Byte `plane` of its (multiple / length)^2. */
static __host__ __device__ constexpr uint32_t
vt_small_inverse2(int word, int plane)
{
  uint32_t bytes = 0;
  for (int k = 0; k < 4; k++) {
    const uint32_t length = static_cast<uint32_t>(4 * word + k + 1);
    const uint32_t one = length > 15 ? 0 : vt_small_common(word) / length;
    bytes |= (one * one >> (8 * plane) & 0xff) << (8 * k);
  }
  return bytes;
}

/* four: sums of that word of the lengths; the last word first. */
template <int WORD>
static __device__ __forceinline__ void
vt_small_take_lengths(VtSmallLengths *sums, const uint32_t *four)
{
  constexpr uint32_t odd = 0x07050301u + 0x08080808u * WORD; /* 2k - 1 of its four lengths */
  constexpr uint32_t low = vt_small_inverse2(WORD, 0), high = vt_small_inverse2(WORD, 1);
  constexpr uint32_t scale = (360360 / vt_small_common(WORD)) * (360360 / vt_small_common(WORD));
#pragma unroll
  for (int k = 0; k < 4; k++) {
    const uint32_t runs = four[k] - __funnelshift_r(four[k], sums->above[k], 8);
    sums->above[k] = four[k];
    sums->pixels[k] = __dp4a(four[k], 0x01010101u, sums->pixels[k]);
    sums->length2[k] = __dp4a(four[k], odd, sums->length2[k]);
    sums->squares[k] = __dp4a(runs, runs, sums->squares[k]);
    const uint32_t inverse2 = high ? __dp4a(runs, low, __dp4a(runs, high, 0u) << 8) : __dp4a(runs, low, 0u);
    sums->inverse2[k] += static_cast<uint64_t>(inverse2) * scale;
  }
}

/* Exact sums; the quotient is off by less than 2^-47.9 of itself, and the definition's, of 15 terms, by 17 * 2^-53. */
template <bool FAST>
static __device__ __forceinline__ void
vt_small_put_short(const VtSmall &s, VtSmallWindows *w, const uint64_t *inverse2)
{
  const double unit = 1.0 / (360360.0 * 360360.0);
  float value[4];
  uint32_t differ[4];
#pragma unroll
  for (int k = 0; k < 4; k++) {
    const uint32_t high = static_cast<uint32_t>(inverse2[k] >> 32); /* below 2^13 */
    const double sum = __hiloint2double(static_cast<int>(high | 0x43300000u), static_cast<int>(inverse2[k])) - 0x1p52;
    value[k] = vt_small_round_near(sum * (w->inverse[k] * unit), &differ[k]);
  }
  if (FAST)
    vt_small_note(differ, &w->unsure);
  vt_small_put<FAST>(s, *w, VT_GLRLM_SRE, value, differ);
}

static __device__ __forceinline__ void
vt_small_set_runs(VtSmallWindows *w, const VtSmallLengths &sums)
{
  uint32_t runs[4];
#pragma unroll
  for (int k = 0; k < 4; k++)
    runs[k] = sums.above[k] & 0xff;
  vt_small_set_runs(w, runs);
}

/* After the runs. */
template <bool FAST>
static __device__ __forceinline__ void
vt_small_put_lengths(const VtSmall &s, VtSmallWindows *w, const VtSmallLengths &sums)
{
  vt_small_put_means<FAST>(s, *w, VT_GLRLM_LRE, sums.length2);
  vt_small_put_means<FAST>(s, *w, VT_GLRLM_RLN, sums.squares);
  if (FAST || vt_small_wants(s, VT_GLRLM_RP)) {
    const uint32_t sure[4] = {};
    float value[4];
#pragma unroll
    for (int k = 0; k < 4; k++) {
      const float pixels = __uint2float_rn(sums.pixels[k]);
      value[k] = vt_small_quotient(w->runs[k], pixels, vt_small_reciprocal(pixels));
    }
    vt_small_put<FAST>(s, *w, VT_GLRLM_RP, value, sure);
  }
  if (FAST || vt_small_wants(s, VT_GLRLM_SRE))
    vt_small_put_short<FAST>(s, w, sums.inverse2);
  if (FAST && w->unsure && w->place.here)
    vt_small_defer(s, w->place, VT_GLRLM_SRE, VT_GLRLM_SRE, w->unsure);
}

/* Sums of four windows over their levels: of runs², and, where they are asked for, of runs * level and runs * level². */
struct VtSmallLevels {
  uint32_t squares[4], first[4], second[4];
};

/* four: runs of levels 4 * word + 1 to 4. */
static __device__ __forceinline__ void
vt_small_take_moments(VtSmallLevels *sums, uint32_t word, const uint32_t *four)
{
  const uint32_t base = 4 * word;
#pragma unroll
  for (int k = 0; k < 4; k++) {
    const uint32_t runs = __dp4a(four[k], 0x01010101u, 0u), first = __dp4a(four[k], 0x04030201u, 0u);
    sums->first[k] += base * runs + first;
    sums->second[k] += base * (base * runs + 2 * first) + __dp4a(four[k], 0x10090401u, 0u);
  }
}

/* Four bytes of runs by level. */
static __device__ __forceinline__ void
vt_small_take_levels(uint32_t *squares, const uint32_t *four)
{
#pragma unroll
  for (int k = 0; k < 4; k++)
    squares[k] = __dp4a(four[k], four[k], squares[k]);
}

/* --- sums --- */

static __host__ __device__ constexpr int
vt_small_feature(int word)
{
  return word == VT_SMALL_SRHGE   ? VT_GLRLM_SRHGE
         : word == VT_SMALL_LRLGE ? VT_GLRLM_LRLGE
         : word == VT_SMALL_SRLGE ? VT_GLRLM_SRLGE
                                  : VT_GLRLM_LGRE;
}

/* high, low: sums of two words from `word` on, in ascending order of words. */
template <bool FAST>
static __device__ __forceinline__ void
vt_small_put_fixed(const VtSmall &s, VtSmallWindows *w, int word, const uint32_t *high, const uint32_t *low)
{
  const int feature = vt_small_feature(word);
  float value[4];
  uint32_t differ[4];
  if (!FAST && !vt_small_wants(s, feature))
    return;
#pragma unroll
  for (int k = 0; k < 4; k++) {
    const double sum = vt_small_fixed(high[k], low[k]);
    const double least = fma(sum, w->inverse[k], -0.5), most = fma(sum, w->inverse[k], 0.5);
    value[k] = vt_small_round(least, most, s.fixed_bits[word], &differ[k]);
  }
  if (FAST)
    vt_small_note(differ, &w->unsure);
  vt_small_put<FAST>(s, *w, feature, value, differ);
}

/* After two of them, of words from `word` on. */
static __device__ __forceinline__ void
vt_small_defer_fixed(const VtSmall &s, VtSmallWindows *w, int word)
{
  if (w->unsure && w->place.here)
    vt_small_defer(s, w->place, vt_small_feature(word), vt_small_feature(word + 2), w->unsure);
  w->unsure = 0;
}

/* Where the lane's windows of a strip are, whose first one is `first`: of 4 * lane + 0..3 they end in, those that begin in
 * the strip. */
static __device__ __forceinline__ void
vt_small_place_windows(const VtSmall &s, VtSmallStrip *strip, int first)
{
  const bool mirrored = strip->by < 0;
  const int at = 4 * strip->lane - (s.args.side - 1); /* even, as n_across is */
  const int lowest = first + (mirrored ? s.n_across - 4 - at : at);
  const int n = min(max(static_cast<int>(s.args.width) - lowest, 0), 4), before = min(max(-at, 0), 4);
  const uint32_t some = ((1u << n) - 1) & (mirrored ? 15u >> before : 15u << before);
  const bool twos = s.stride != 0 && (some >> 1 & 5) == (some & 5);
  strip->lowest = lowest;
  strip->has |= (mirrored ? __brev(some) >> 28 : some) * VT_SMALL_WINDOWS | (twos && some & 1 ? VT_SMALL_LEFT : 0)
                | (twos && some & 4 ? VT_SMALL_RIGHT : 0);
}

/* Of row j of the maps. */
static __device__ __forceinline__ VtSmallWindows
vt_small_windows(const VtSmall &s, const VtSmallStrip &strip, int j)
{
  VtSmallWindows w;
  w.place.first = strip.by < 0 ? strip.lowest + 3 : strip.lowest;
  w.place.j = j;
  w.place.direction = strip.direction;
  w.place.by = strip.by;
  w.place.here = strip.has / VT_SMALL_WINDOWS;
  w.low = strip.has & VT_SMALL_LEFT;
  w.high = strip.has & VT_SMALL_RIGHT;
  w.at = j * s.stride + strip.lowest;
  return w;
}
