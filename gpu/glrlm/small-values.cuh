/* SPDX-License-Identifier: MIT
 *
 * small-values.cuh: what the windows of a row become: a lane makes four values of each map from running sums.
 * A quotient of integers below 2^24 is rounded right in floats alone (Markstein: the nearest reciprocal, one correction);
 * rounding it to double before, as the definition does, changes nothing, since it is no closer to the middle of two floats
 * than 2^-48 unless it is that. */
#pragma once

#include "small.cuh"

/* The four windows of a lane in a row. */
struct VtSmallWindows {
  int64_t first, j; /* first of the four in the map; the map's row */
  int direction;
  int by;        /* -1: the others lie to the left */
  uint32_t here; /* bit k: the k-th is in the map */
  uint32_t runs[4];
  float reciprocal[4]; /* of runs, to nearest */
  double inverse[4];   /* of runs, to 2^-47 */
};

/* Where rows are not whole, or not on boundaries. */
static __device__ __noinline__ void
vt_small_put_each(float *at, int by, uint32_t here, float4 four)
{
  if (here & 1)
    at[0] = four.x;
  if (here & 2)
    at[by] = four.y;
  if (here & 4)
    at[2 * by] = four.z;
  if (here & 8)
    at[3 * by] = four.w;
}

static __device__ __noinline__ void
vt_small_defer(const VtSmall &s, int64_t first, int by, int64_t j, int aggregate, int feature, uint32_t which)
{
  for (int k = 0; k < 4; k++)
    if (which >> k & 1)
      vt_gpu_glrlm_defer(s.list, first + k * by, j, aggregate, feature);
}

static __device__ __forceinline__ void
vt_small_put(const VtSmall &s, const VtSmallWindows &w, const VtGpuGlrlmMap &map, const float *value)
{
  float four[4];
#pragma unroll
  for (int k = 0; k < 4; k++)
    four[k] = w.runs[k] ? value[k] : __int_as_float(0x7fc00000);
  float *at = map.data + w.j * map.stride + w.first;
  if (!s.aligned || w.here != 15)
    vt_small_put_each(at, w.by, w.here, make_float4(four[0], four[1], four[2], four[3]));
  else if (w.by > 0)
    *reinterpret_cast<float4 *>(at) = make_float4(four[0], four[1], four[2], four[3]);
  else
    *reinterpret_cast<float4 *>(at - 3) = make_float4(four[3], four[2], four[1], four[0]);
}

static __device__ __forceinline__ float
vt_small_quotient(uint32_t a, float b, float reciprocal)
{
  const float dividend = __uint2float_rn(a), quotient = __fmul_rn(dividend, reciprocal);
  return __fmaf_rn(__fmaf_rn(-quotient, b, dividend), reciprocal, quotient);
}

/* a[k] / runs[k] */
static __device__ __forceinline__ void
vt_small_put_means(const VtSmall &s, const VtSmallWindows &w, int feature, const uint32_t *a)
{
  const VtGpuGlrlmMap &map = s.maps.map[w.direction][feature];
  float value[4];
  if (!map.data || w.here == 0)
    return;
#pragma unroll
  for (int k = 0; k < 4; k++)
    value[k] = vt_small_quotient(a[k], __uint2float_rn(w.runs[k]), w.reciprocal[k]);
  vt_small_put(s, w, map, value);
}

/* Values that are known to 2^-44 of themselves and `error` more. */
static __device__ __forceinline__ void
vt_small_put_doubles(const VtSmall &s, const VtSmallWindows &w, int feature, const double *value, double error)
{
  float rounded[4];
  uint32_t unsure = 0;
#pragma unroll
  for (int k = 0; k < 4; k++)
    if (!vt_gpu_glrlm_rounds(value[k], fma(value[k], 0x1p-44, error), &rounded[k]) && w.runs[k])
      unsure |= 1u << k;
  if (unsure & w.here)
    vt_small_defer(s, w.first, w.by, w.j, w.direction, feature, unsure & w.here);
  vt_small_put(s, w, s.maps.map[w.direction][feature], rounded);
}

static __device__ __forceinline__ double
vt_small_double(uint32_t value)
{
  return __hiloint2double(0x43300000, static_cast<int>(value)) - 4503599627370496.0;
}

static __device__ __forceinline__ void
vt_small_invert(VtSmallWindows *w, const uint32_t *runs)
{
#pragma unroll
  for (int k = 0; k < 4; k++) {
    w->runs[k] = runs[k];
    w->reciprocal[k] = __frcp_rn(__uint2float_rn(runs[k]));
    const double near = static_cast<double>(w->reciprocal[k]);
    w->inverse[k] = fma(fma(-vt_small_double(runs[k]), near, 1.0), near, near);
  }
}

/* --- by length --- */

/* Of four windows; above: the word of the next longer four lengths, in the end that of the shortest. */
struct VtSmallLengths {
  uint32_t above[4], pixels[4], squares[4], length2[4];
  uint32_t inverse2[4][5]; /* bytes of the sums of (360360 / length)^2 */
};

/* Byte `plane` of (360360 / length)^2 for four lengths; 360360 is a multiple of 1 to 15. */
static __host__ __device__ constexpr uint32_t
vt_small_inverse2(int word, int plane)
{
  uint32_t bytes = 0;
  for (int k = 0; k < 4; k++) {
    const uint64_t length = static_cast<uint64_t>(4 * word + k + 1), one = length > 15 ? 0 : 360360 / length;
    bytes |= static_cast<uint32_t>(one * one >> (8 * plane) & 0xff) << (8 * k);
  }
  return bytes;
}

/* four: sums of that word of the lengths; the last word first. */
template <int WORD>
static __device__ __forceinline__ void
vt_small_take_lengths(VtSmallLengths *sums, const uint32_t *four)
{
  constexpr uint32_t odd = 0x07050301u + 0x08080808u * WORD; /* 2k - 1 of its four lengths */
  constexpr uint32_t inverse2[5] = { vt_small_inverse2(WORD, 0), vt_small_inverse2(WORD, 1), vt_small_inverse2(WORD, 2),
                                     vt_small_inverse2(WORD, 3), vt_small_inverse2(WORD, 4) };
#pragma unroll
  for (int k = 0; k < 4; k++) {
    const uint32_t runs = four[k] - __funnelshift_r(four[k], sums->above[k], 8);
    sums->above[k] = four[k];
    sums->pixels[k] = __dp4a(four[k], 0x01010101u, sums->pixels[k]);
    sums->length2[k] = __dp4a(four[k], odd, sums->length2[k]);
    sums->squares[k] = __dp4a(runs, runs, sums->squares[k]);
#pragma unroll
    for (int plane = 0; plane < 5; plane++)
      sums->inverse2[k][plane] = __dp4a(runs, inverse2[plane], sums->inverse2[k][plane]);
  }
}

static __device__ __forceinline__ void
vt_small_put_lengths(const VtSmall &s, VtSmallWindows *w, const VtSmallLengths &sums)
{
  const VtGpuGlrlmMap *maps = s.maps.map[w->direction];
  uint32_t runs[4];
#pragma unroll
  for (int k = 0; k < 4; k++)
    runs[k] = sums.above[k] & 0xff;
  vt_small_invert(w, runs);
  if (w->here == 0)
    return;
  vt_small_put_means(s, *w, VT_GLRLM_LRE, sums.length2);
  vt_small_put_means(s, *w, VT_GLRLM_RLN, sums.squares);
  if (maps[VT_GLRLM_RP].data) {
    float value[4];
#pragma unroll
    for (int k = 0; k < 4; k++) {
      const float pixels = __uint2float_rn(sums.pixels[k]);
      value[k] = vt_small_quotient(w->runs[k], pixels, __frcp_rn(pixels));
    }
    vt_small_put(s, *w, maps[VT_GLRLM_RP], value);
  }
  if (maps[VT_GLRLM_SRE].data) {
    double value[4];
#pragma unroll
    for (int k = 0; k < 4; k++) {
      const uint32_t *plane = sums.inverse2[k];
      const double low = vt_small_double(plane[0] + (plane[1] << 8)),
                   middle = vt_small_double(plane[2] + (plane[3] << 8));
      const double sum = fma(fma(vt_small_double(plane[4]), 0x1p16, middle), 0x1p16, low);
      value[k] = sum * (w->inverse[k] * (1.0 / (360360.0 * 360360.0)));
    }
    vt_small_put_doubles(s, *w, VT_GLRLM_SRE, value, 0);
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

/* high, low: sums of two words from `word` on. */
static __device__ __forceinline__ void
vt_small_put_fixed(const VtSmall &s, const VtSmallWindows &w, int word, const uint32_t *high, const uint32_t *low)
{
  const int feature = word == VT_SMALL_SRHGE   ? VT_GLRLM_SRHGE
                      : word == VT_SMALL_LRLGE ? VT_GLRLM_LRLGE
                      : word == VT_SMALL_SRLGE ? VT_GLRLM_SRLGE
                                               : VT_GLRLM_LGRE;
  const double unit = __hiloint2double((1023 - s.fixed_bits[word]) << 20, 0);
  double value[4];
  if (!s.maps.map[w.direction][feature].data || w.here == 0)
    return;
#pragma unroll
  for (int k = 0; k < 4; k++)
    value[k] = fma(vt_small_double(high[k]), 0x1p24, vt_small_double(low[k])) * (w.inverse[k] * unit);
  vt_small_put_doubles(s, w, feature, value, 0.75 * unit);
}

/* Sums of the word that holds the runs too: before the others. */
static __device__ __forceinline__ void
vt_small_put_both(const VtSmall &s, VtSmallWindows *w, const uint32_t *sums)
{
  uint32_t both[4], runs[4];
#pragma unroll
  for (int k = 0; k < 4; k++) {
    runs[k] = sums[k] >> 24;
    both[k] = sums[k] & 0xffffff;
  }
  vt_small_invert(w, runs);
  vt_small_put_means(s, *w, VT_GLRLM_LRHGE, both);
}

/* Of row j of the maps. */
static __device__ __forceinline__ VtSmallWindows
vt_small_windows(const VtSmall &s, const VtSmallStrip &strip, int64_t j)
{
  VtSmallWindows w;
  const int at = 4 * strip.lane - s.lead - (s.args.side - 1), i = strip.by > 0 ? at : s.n_across - 1 - at;
  w.first = strip.first_window + i;
  w.j = j;
  w.direction = strip.direction;
  w.by = strip.by;
  w.here = 0;
#pragma unroll
  for (int k = 0; k < 4; k++)
    w.here |= at >= 0 && at < s.n_across && w.first + k * w.by < s.args.width ? 1u << k : 0;
  return w;
}
