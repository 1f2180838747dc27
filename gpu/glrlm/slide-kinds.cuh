/* SPDX-License-Identifier: MIT
 *
 * slide-kinds.cuh: the three kinds of sums of a sliding window. Each has columns in shared memory, what a pixel with k
 * pixels of its run behind it adds (gain: D, bend: E), and what the windows of a row become. */
#pragma once

#include "slide.cuh"

static __device__ __forceinline__ double
vt_slide_double(uint64_t value) /* below 2^52 */
{
  return __longlong_as_double(static_cast<long long>(value | 0x4330000000000000ull)) - 4503599627370496.0;
}

/* Sums of four windows in one direction, or merged. */
struct VtSlideMean {
  double value[4], error[4];
};

static __device__ __forceinline__ bool
vt_slide_wants(const VtSlide &s, int aggregate, int feature)
{
  return s.maps.map[aggregate][feature].data != NULL;
}

/* One feature of four windows: its own map, and its part of the mean. */
template <bool TOGETHER>
static __device__ __forceinline__ void
vt_slide_feature(const VtSlide &s, const VtSlideStrip &strip, int part, int64_t j, int aggregate, int feature,
                 const double *value, const double *error, const bool *none, VtSlideMean *mean)
{
  if (vt_slide_wants(s, aggregate, feature))
    vt_slide_put(s, strip, part, j, aggregate, feature, value, error, none);
  if (TOGETHER)
    for (int i = 0; i < 4; i++) {
      mean->value[i] += value[i] * 0.25;
      mean->error[i] += error[i] * 0.25 + value[i] * 0x1p-50;
    }
}

/* --- Sums: words of 64 bits --- */

/* What finishes Sums: per window the integers and the fixed point sums; of all directions, the same added up. */
struct VtSlideTotals {
  uint64_t field[VT_N_FIELDS], fixed[VT_N_FIXED], fixed_high; /* fixed_high: of SRLGE */
};

static __device__ __forceinline__ void
vt_slide_value(const VtSlide &s, int feature, const VtSlideTotals &t, double *value, double *error)
{
  const double inverse = __drcp_rn(vt_slide_double(t.field[VT_FIELD_N])); /* infinite without runs: not used then */
  int fixed = VT_FIXED_SRE;
  switch (feature) {
  case VT_GLRLM_HGRE: *value = vt_slide_double(t.field[VT_FIELD_LEVEL2]) * inverse; break;
  case VT_GLRLM_LRHGE: *value = vt_slide_double(t.field[VT_FIELD_BOTH2]) * inverse; break;
  case VT_GLRLM_GLV:
    *value = __ull2double_rn(t.field[VT_FIELD_N] * t.field[VT_FIELD_LEVEL2]
                             - t.field[VT_FIELD_LEVEL] * t.field[VT_FIELD_LEVEL])
             * inverse * inverse;
    break;
  case VT_GLRLM_SRLGE: *value = vt_gpu_wide_double(t.fixed_high, t.fixed[VT_FIXED_SRLGE]) * 0x1p-50 * inverse; break;
  case VT_GLRLM_LRLGE: fixed++; /* fall through */
  case VT_GLRLM_SRHGE: fixed++; /* fall through */
  case VT_GLRLM_LGRE: fixed++;  /* fall through */
  default: {
    const double unit = __hiloint2double((1023 - s.fixed_bits[fixed]) << 20, 0);
    *value = __ull2double_rn(t.fixed[fixed]) * unit * inverse;
    *error = *value * 0x1p-44 + 0.5 * unit; /* up to 256 additions of doubles there; an entry is off by half a unit here */
    return;
  }
  }
  *error = *value * 0x1p-49;
}

template <int WORDS>
static __device__ __forceinline__ VtSlideTotals
vt_slide_totals(const VtSlide &s, const uint64_t *word)
{
  constexpr int fixed = WORDS - VT_N_FIXED < 2 ? 1 : 2;
  VtSlideTotals t;
#pragma unroll
  for (int f = 0; f < VT_N_FIELDS; f++) {
    const VtSlideField field = s.fields[f];
    t.field[f] = (field.word ? word[1] : word[0]) >> field.shift & ((UINT64_C(1) << field.bits) - 1);
  }
#pragma unroll
  for (int f = 0; f < VT_N_FIXED; f++)
    t.fixed[f] = word[fixed + f];
  t.fixed_high = 0;
  return t;
}

static __device__ __forceinline__ void
vt_slide_add_totals(VtSlideTotals *sum, const VtSlideTotals &t)
{
  for (int f = 0; f < VT_N_FIELDS; f++)
    sum->field[f] += t.field[f];
  for (int f = 0; f < VT_N_FIXED; f++)
    sum->fixed[f] += t.fixed[f];
  sum->fixed_high += t.fixed_high + (sum->fixed[VT_FIXED_SRLGE] < t.fixed[VT_FIXED_SRLGE]);
}

template <bool TOGETHER>
static __device__ __forceinline__ void
vt_slide_sums_feature(const VtSlide &s, const VtSlideStrip &strip, int part, int64_t j, int aggregate, int feature,
                      const VtSlideTotals *totals, VtSlideMean *mean)
{
  double value[4], error[4];
  bool none[4];
#pragma unroll
  for (int i = 0; i < 4; i++) {
    vt_slide_value(s, feature, totals[i], &value[i], &error[i]);
    none[i] = totals[i].field[VT_FIELD_N] == 0;
  }
  vt_slide_feature<TOGETHER>(s, strip, part, j, aggregate, feature, value, error, none, mean);
}

/* One by one, so that a single map does no other's work. means: NULL unless TOGETHER. */
constexpr int vt_slide_n_sums = 8;

static __device__ __forceinline__ int
vt_slide_sums_feature_of(int f)
{
  switch (f) {
  case 0: return VT_GLRLM_SRE;
  case 1: return VT_GLRLM_LGRE;
  case 2: return VT_GLRLM_SRHGE;
  case 3: return VT_GLRLM_LRLGE;
  case 4: return VT_GLRLM_HGRE;
  case 5: return VT_GLRLM_LRHGE;
  case 6: return VT_GLRLM_GLV;
  default: return VT_GLRLM_SRLGE;
  }
}

template <bool TOGETHER>
static __device__ __forceinline__ void
vt_slide_sums_features(const VtSlide &s, const VtSlideStrip &strip, int part, int64_t j, int aggregate,
                       const VtSlideTotals *totals, VtSlideMean *means)
{
#pragma unroll
  for (int f = 0; f < vt_slide_n_sums; f++)
    if (vt_slide_wants(s, aggregate, vt_slide_sums_feature_of(f))
        || (TOGETHER && vt_slide_wants(s, VT_GLRLM_MEAN, vt_slide_sums_feature_of(f))))
      vt_slide_sums_feature<TOGETHER>(s, strip, part, j, aggregate, vt_slide_sums_feature_of(f), totals,
                                      TOGETHER ? &means[f] : NULL);
}

template <int WORDS, int PARTS> struct VtSlideSums {
  static constexpr int columns = PARTS * VT_SLIDE_SPAN;
  uint64_t *delta; /* [word][column] */

  static __host__ __device__ size_t bytes(const VtGpuGlrlmArgs &)
  {
    return static_cast<size_t>(WORDS) * columns * sizeof(uint64_t);
  }
  __device__ void clear(const VtSlide &, int lane)
  {
    for (int i = lane; i < WORDS * columns; i += VT_SLIDE_WARP)
      delta[i] = 0;
  }
  __device__ int reach(const VtSlide &s) const
  {
    return s.args.side;
  }
  __device__ __forceinline__ void add(const uint64_t *table, int side, int c, int g, int k, bool plus) const
  {
    const ulonglong2 *entry = reinterpret_cast<const ulonglong2 *>(table + (g * (side + 1) + k) * WORDS);
#pragma unroll
    for (int w = 0; w < WORDS; w += 2) {
      const ulonglong2 two = __ldg(entry + w / 2);
      delta[w * columns + c] += plus ? two.x : 0 - two.x;
      delta[(w + 1) * columns + c] += plus ? two.y : 0 - two.y;
    }
  }
  __device__ __forceinline__ void gain(const VtSlide &s, int c, int g, int k, bool plus) const
  {
    add(s.gain, s.args.side, c, g, k, plus);
  }
  __device__ __forceinline__ void bend(const VtSlide &s, int c, int g, int k, bool plus) const
  {
    add(s.bend, s.args.side, c, g, k, plus);
  }
  template <bool TOGETHER>
  static __device__ void finish(const VtSlide &s, const VtSlideStrip &strip, int64_t j, const VtSlideSums *of, uint64_t *room,
                                const int *directions)
  {
    for (int part = 0; part < PARTS; part++) {
      VtSlideMean means[TOGETHER ? vt_slide_n_sums : 1] = {};
      VtSlideTotals merged[TOGETHER ? 4 : 1] = {};
      for (int d = 0; d < (TOGETHER ? VT_GLRLM_N_DIRECTIONS : 1); d++) {
        uint64_t word[4][WORDS];
        VtSlideTotals totals[4];
#pragma unroll
        for (int w = 0; w < WORDS; w++) {
          uint64_t four[4];
          vt_slide_windows<PARTS>(s, strip, directions[d], of[d].delta + w * columns, room, part, four);
#pragma unroll
          for (int i = 0; i < 4; i++)
            word[i][w] = four[i];
        }
#pragma unroll
        for (int i = 0; i < 4; i++)
          totals[i] = vt_slide_totals<WORDS>(s, word[i]);
        vt_slide_sums_features<TOGETHER>(s, strip, part, j, directions[d], totals, means);
        for (int i = 0; TOGETHER && i < 4; i++)
          vt_slide_add_totals(&merged[i], totals[i]);
      }
      if (!TOGETHER)
        continue;
      vt_slide_sums_features<false>(s, strip, part, j, VT_GLRLM_MERGED, merged, NULL);
      for (int f = 0; f < vt_slide_n_sums; f++) {
        const bool none[4] = { merged[0].field[VT_FIELD_N] == 0, merged[1].field[VT_FIELD_N] == 0,
                               merged[2].field[VT_FIELD_N] == 0, merged[3].field[VT_FIELD_N] == 0 };
        if (vt_slide_wants(s, VT_GLRLM_MEAN, vt_slide_sums_feature_of(f)))
          vt_slide_put(s, strip, part, j, VT_GLRLM_MEAN, vt_slide_sums_feature_of(f), means[f].value, means[f].error, none);
      }
    }
  }
};
