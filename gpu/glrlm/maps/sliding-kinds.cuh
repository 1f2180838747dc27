/* SPDX-License-Identifier: MIT
 *
 * sliding-kinds.cuh: the three kinds of sums of a sliding window. Each has columns in shared memory, what a pixel with k
 * pixels of its run behind it adds (gain: D, bend: E), and what the windows of a row become. */
#pragma once

#include "sliding.cuh"

static __device__ __forceinline__ double
vt_slide_double(uint64_t value) /* below 2^52 */
{
  return __longlong_as_double(static_cast<long long>(value | 0x4330000000000000ull)) - 4503599627370496.0;
}

/* The sum of a feature over directions. */
struct VtSlideMean {
  double value, error;
};

static __device__ __forceinline__ bool
vt_slide_wants(const VtSlide &s, int aggregate, int feature)
{
  return s.maps.map[aggregate][feature].data != NULL;
}

static __device__ __forceinline__ void
vt_slide_add_mean(VtSlideMean *mean, double value, double error)
{
  mean->value += value * 0.25;
  mean->error += error * 0.25 + value * 0x1p-50;
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
    *error =
      *value * 0x1p-44 + 0.5 * unit; /* up to 256 additions of doubles there; an entry is off by half a unit here */
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

/* One by one, so that a single map does no other's work. means: NULL, or to be added to. */
static __device__ __forceinline__ void
vt_slide_sums_features(const VtSlide &s, const VtSlideStrip &strip, int i, int64_t j, int aggregate,
                       const VtSlideTotals &totals, VtSlideMean *means)
{
#pragma unroll
  for (int f = 0; f < vt_slide_n_sums; f++) {
    const int feature = vt_slide_sums_feature_of(f);
    const bool own = vt_slide_wants(s, aggregate, feature), shared = means && vt_slide_wants(s, VT_GLRLM_MEAN, feature);
    double value, error;
    if (!own && !shared)
      continue;
    vt_slide_value(s, feature, totals, &value, &error);
    if (own)
      vt_slide_put(s, strip, i, j, aggregate, feature, value, error, totals.field[VT_FIELD_N] == 0);
    if (shared)
      vt_slide_add_mean(&means[f], value, error);
  }
}

template <int WORDS, int PARTS> struct VtSlideSums {
  static constexpr int parts = PARTS, columns = PARTS * VT_SLIDE_SPAN;
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
  /* Entries of the table, two words at a time, to four columns; all are read before any is written. */
  __device__ __forceinline__ void add(const uint64_t *table, const int *entry, const int *c, bool plus) const
  {
#pragma unroll
    for (int w = 0; w < WORDS; w += 2) {
      uint64_t sum[VT_SLIDE_GROUPS][2];
#pragma unroll
      for (int i = 0; i < VT_SLIDE_GROUPS; i++) {
        const ulonglong2 two = __ldg(reinterpret_cast<const ulonglong2 *>(table + entry[i] * WORDS + w));
        sum[i][0] = plus ? two.x : 0 - two.x;
        sum[i][1] = plus ? two.y : 0 - two.y;
      }
#pragma unroll
      for (int i = 0; i < VT_SLIDE_GROUPS; i++) {
        sum[i][0] += delta[w * columns + c[i]];
        sum[i][1] += delta[(w + 1) * columns + c[i]];
      }
#pragma unroll
      for (int i = 0; i < VT_SLIDE_GROUPS; i++) {
        delta[w * columns + c[i]] = sum[i][0];
        delta[(w + 1) * columns + c[i]] = sum[i][1];
      }
    }
  }
  /* Of four pixels, at four columns; nothing for level 0. */
  __device__ __forceinline__ void gain(const VtSlide &s, const int *c, const int *g, const int *k, bool plus) const
  {
    int entry[VT_SLIDE_GROUPS];
#pragma unroll
    for (int i = 0; i < VT_SLIDE_GROUPS; i++)
      entry[i] = g[i] ? g[i] * (s.args.side + 1) + k[i] : 0;
    add(s.gain, entry, c, plus);
  }
  __device__ __forceinline__ void bend(const VtSlide &s, const int *c, const int *g, int k, bool plus) const
  {
    int entry[VT_SLIDE_GROUPS];
#pragma unroll
    for (int i = 0; i < VT_SLIDE_GROUPS; i++)
      entry[i] = g[i] ? g[i] * (s.args.side + 1) + k : 0;
    add(s.bend, entry, c, plus);
  }
  /* Bytes of `room` in finish. */
  static __host__ __device__ size_t room(bool together)
  {
    return static_cast<size_t>(WORDS) * columns * sizeof(uint64_t) * (together ? VT_GLRLM_N_DIRECTIONS : 1);
  }
  /* room: [direction][word][column]. */
  template <bool TOGETHER>
  static __device__ void finish(const VtSlide &s, const VtSlideStrip &strip, int64_t j, const VtSlideSums *of,
                                uint64_t *room, const int *directions)
  {
    constexpr int n_directions = TOGETHER ? VT_GLRLM_N_DIRECTIONS : 1;
    for (int d = 0; d < n_directions; d++)
#pragma unroll 2
      for (int w = 0; w < WORDS; w++)
        for (int part = 0; part < PARTS; part++) {
          uint64_t four[4];
          vt_slide_running(of[d].delta + w * columns, part, strip.lane, four);
          ulonglong2 *to =
            reinterpret_cast<ulonglong2 *>(room + (d * WORDS + w) * columns + part * VT_SLIDE_SPAN + 4 * strip.lane);
          to[0] = make_ulonglong2(four[0], four[1]);
          to[1] = make_ulonglong2(four[2], four[3]);
        }
    __syncwarp();
    for (int c = strip.lane; c < columns; c += VT_SLIDE_WARP) {
      const int i = vt_slide_window_at(s, strip, c);
      VtSlideMean means[TOGETHER ? vt_slide_n_sums : 1] = {};
      VtSlideTotals merged = {};
      if (i < 0)
        continue;
      for (int d = 0; d < n_directions; d++) {
        const uint64_t *from = room + d * WORDS * columns + vt_slide_column_of(s, strip, directions[d], c);
        uint64_t word[WORDS];
#pragma unroll
        for (int w = 0; w < WORDS; w++)
          word[w] = from[w * columns];
        const VtSlideTotals totals = vt_slide_totals<WORDS>(s, word);
        vt_slide_sums_features(s, strip, i, j, directions[d], totals, TOGETHER ? means : NULL);
        if (TOGETHER)
          vt_slide_add_totals(&merged, totals);
      }
      if (!TOGETHER)
        continue;
      vt_slide_sums_features(s, strip, i, j, VT_GLRLM_MERGED, merged, NULL);
      for (int f = 0; f < vt_slide_n_sums; f++)
        if (vt_slide_wants(s, VT_GLRLM_MEAN, vt_slide_sums_feature_of(f)))
          vt_slide_put(s, strip, i, j, VT_GLRLM_MEAN, vt_slide_sums_feature_of(f), means[f].value, means[f].error,
                       merged.field[VT_FIELD_N] == 0);
    }
    __syncwarp();
  }
};
