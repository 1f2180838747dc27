/* SPDX-License-Identifier: MIT
 *
 * slide-counts.cuh: runs of a sliding window counted by level, and pixels by the length of their run so far. Counts share
 * words: 4 of 8 bits where a window has less than 256 pixels, else 2 of 16; adding and subtracting words never carries in
 * the end, since no count is negative then. */
#pragma once

#include "slide-kinds.cuh"

/* Count k of a column is part of word k * BITS / 32. */
template <int BITS, int PARTS> struct VtSlideCounts {
  static constexpr int columns = PARTS * VT_SLIDE_SPAN, per_word = 32 / BITS;
  uint32_t *delta; /* [word][column] */

  __device__ __forceinline__ void count(int c, int k, bool plus) const
  {
    const uint32_t one = 1u << (k % per_word * BITS);
    delta[k / per_word * columns + c] += plus ? one : 0 - one;
  }
  static __host__ __device__ int n_words(int n)
  {
    return (n + per_word - 1) / per_word;
  }
  __device__ void clear_all(int n, int lane)
  {
    for (int i = lane; i < n_words(n) * columns; i += VT_SLIDE_WARP)
      delta[i] = 0;
  }
};

/* Sums over the counts of four windows. */
struct VtSlideCounted {
  uint64_t squares[4];
  uint32_t n[4], pixels[4], length2[4]; /* runs; by length also pixels, and the sum of length^2 */
};

template <int BITS>
static __device__ __forceinline__ uint32_t
vt_slide_count_squares(uint32_t word)
{
  if (BITS == 8)
    return __dp4a(word, word, 0u);
  return (word & 0xffffu) * (word & 0xffffu) + (word >> 16) * (word >> 16);
}

template <bool TOGETHER, bool LENGTHS>
static __device__ __forceinline__ void
vt_slide_counted_feature(const VtSlide &s, const VtSlideStrip &strip, int part, int64_t j, int aggregate, int feature,
                         const VtSlideCounted &c, VtSlideMean *mean)
{
  double value[4], error[4];
  bool none[4];
#pragma unroll
  for (int i = 0; i < 4; i++) {
    const double inverse = __drcp_rn(vt_slide_double(c.n[i])), squares = vt_slide_double(c.squares[i]);
    const uint64_t n = c.n[i], pixels = c.pixels[i];
    none[i] = n == 0;
    switch (feature) {
    case VT_GLRLM_GLN:
    case VT_GLRLM_RLN: value[i] = squares * inverse; break;
    case VT_GLRLM_GLNN:
    case VT_GLRLM_RLNN: value[i] = squares * inverse * inverse; break;
    case VT_GLRLM_LRE: value[i] = vt_slide_double(c.length2[i]) * inverse; break;
    case VT_GLRLM_RP: value[i] = vt_slide_double(n) * __drcp_rn(vt_slide_double(pixels)); break;
    default: value[i] = __ull2double_rn(n * c.length2[i] - pixels * pixels) * inverse * inverse; break;
    }
    error[i] = value[i] * 0x1p-49;
  }
  vt_slide_feature<TOGETHER>(s, strip, part, j, aggregate, feature, value, error, none, mean);
}

template <bool LENGTHS>
static __device__ __forceinline__ int
vt_slide_counted_feature_of(int f)
{
  if (!LENGTHS)
    return f == 0 ? VT_GLRLM_GLN : VT_GLRLM_GLNN;
  switch (f) {
  case 0: return VT_GLRLM_LRE;
  case 1: return VT_GLRLM_RLN;
  case 2: return VT_GLRLM_RP;
  case 3: return VT_GLRLM_RLNN;
  default: return VT_GLRLM_RV;
  }
}

template <bool TOGETHER, bool LENGTHS>
static __device__ __forceinline__ void
vt_slide_counted_features(const VtSlide &s, const VtSlideStrip &strip, int part, int64_t j, int aggregate,
                          const VtSlideCounted &c, VtSlideMean *means)
{
#pragma unroll
  for (int f = 0; f < (LENGTHS ? 5 : 2); f++) {
    const int feature = vt_slide_counted_feature_of<LENGTHS>(f);
    if (vt_slide_wants(s, aggregate, feature) || (TOGETHER && vt_slide_wants(s, VT_GLRLM_MEAN, feature)))
      vt_slide_counted_feature<TOGETHER, LENGTHS>(s, strip, part, j, aggregate, feature, c, TOGETHER ? &means[f] : NULL);
  }
}

/* What both kinds have in common: counts of a direction, of directions together, and their maps. LENGTHS: pixels whose run
 * has come to k, of which runs of length k are those that come no farther; else runs of level k. */
template <int BITS, int PARTS, bool LENGTHS>
static __device__ __forceinline__ uint32_t
vt_slide_runs_of(uint32_t word, uint32_t above)
{
  return LENGTHS ? word - (word >> BITS | above << (32 - BITS)) : word;
}

template <int BITS, bool LENGTHS>
static __device__ __forceinline__ void
vt_slide_sum_counts(VtSlideCounted *c, int i, uint32_t word, uint32_t runs, int w)
{
  c->squares[i] += vt_slide_count_squares<BITS>(runs);
  if (BITS == 8) {
    const uint32_t odd = 0x07050301u + 0x08080808u * static_cast<uint32_t>(w); /* 2k - 1 of its four lengths */
    c->n[i] = __dp4a(runs, 0x01010101u, c->n[i]);
    if (LENGTHS) {
      c->pixels[i] = __dp4a(word, 0x01010101u, c->pixels[i]);
      c->length2[i] = __dp4a(word, odd, c->length2[i]);
    }
    return;
  }
  c->n[i] += (runs & 0xffffu) + (runs >> 16);
  if (LENGTHS) {
    c->pixels[i] += (word & 0xffffu) + (word >> 16);
    c->length2[i] += (word & 0xffffu) * static_cast<uint32_t>(4 * w + 1) + (word >> 16) * static_cast<uint32_t>(4 * w + 3);
  }
}

template <int BITS, int PARTS, bool LENGTHS>
static __device__ void
vt_slide_merge_counts(const VtSlide &s, const VtSlideStrip &strip, int part, const VtSlideCounts<BITS, PARTS> *of,
                      int n_words, uint32_t *room, const int *directions, VtSlideCounted *merged)
{
  constexpr int columns = PARTS * VT_SLIDE_SPAN;
  uint32_t above[VT_GLRLM_N_DIRECTIONS][4] = {};
  for (int w = n_words - 1; w >= 0; w--) {
    uint32_t low[4] = {}, high[4] = {};
    for (int d = 0; d < VT_GLRLM_N_DIRECTIONS; d++) {
      uint32_t four[4];
      vt_slide_windows<PARTS>(s, strip, directions[d], of[d].delta + w * columns, room, part, four);
      for (int i = 0; i < 4; i++) {
        const uint32_t runs = vt_slide_runs_of<BITS, PARTS, LENGTHS>(four[i], above[d][i]);
        above[d][i] = four[i];
        low[i] += runs & 0xffffu;
        high[i] += runs >> 16;
      }
    }
    for (int i = 0; i < 4; i++)
      merged->squares[i] += static_cast<uint64_t>(low[i]) * low[i] + static_cast<uint64_t>(high[i]) * high[i];
  }
}

template <int BITS, int PARTS, bool LENGTHS, bool TOGETHER>
static __device__ void
vt_slide_finish_counts(const VtSlide &s, const VtSlideStrip &strip, int64_t j, const VtSlideCounts<BITS, PARTS> *of,
                       int n_words, uint32_t *room, const int *directions)
{
  constexpr int columns = PARTS * VT_SLIDE_SPAN;
  for (int part = 0; part < PARTS; part++) {
    VtSlideMean means[TOGETHER ? 5 : 1] = {};
    VtSlideCounted merged = {};
    for (int d = 0; d < (TOGETHER ? VT_GLRLM_N_DIRECTIONS : 1); d++) {
      VtSlideCounted c = {};
      uint32_t above[4] = {};
#pragma unroll 2
      for (int w = n_words - 1; w >= 0; w--) {
        uint32_t four[4];
        vt_slide_windows<PARTS>(s, strip, directions[d], of[d].delta + w * columns, room, part, four);
#pragma unroll
        for (int i = 0; i < 4; i++) {
          vt_slide_sum_counts<BITS, LENGTHS>(&c, i, four[i], vt_slide_runs_of<BITS, PARTS, LENGTHS>(four[i], above[i]), w);
          above[i] = four[i];
        }
      }
      vt_slide_counted_features<TOGETHER, LENGTHS>(s, strip, part, j, directions[d], c, means);
      for (int i = 0; TOGETHER && i < 4; i++) {
        merged.n[i] += c.n[i];
        merged.pixels[i] += c.pixels[i];
        merged.length2[i] += c.length2[i];
      }
    }
    if (!TOGETHER)
      continue;
    vt_slide_merge_counts<BITS, PARTS, LENGTHS>(s, strip, part, of, n_words, room, directions, &merged);
    vt_slide_counted_features<false, LENGTHS>(s, strip, part, j, VT_GLRLM_MERGED, merged, NULL);
    const bool none[4] = { merged.n[0] == 0, merged.n[1] == 0, merged.n[2] == 0, merged.n[3] == 0 };
    for (int f = 0; f < (LENGTHS ? 5 : 2); f++)
      if (vt_slide_wants(s, VT_GLRLM_MEAN, vt_slide_counted_feature_of<LENGTHS>(f)))
        vt_slide_put(s, strip, part, j, VT_GLRLM_MEAN, vt_slide_counted_feature_of<LENGTHS>(f), means[f].value,
                     means[f].error, none);
  }
}

template <int BITS, int PARTS> struct VtSlideLevels : VtSlideCounts<BITS, PARTS> {
  typedef VtSlideCounts<BITS, PARTS> Counts;

  static __host__ __device__ size_t bytes(const VtGpuGlrlmArgs &args)
  {
    return static_cast<size_t>(Counts::n_words(args.n_levels)) * Counts::columns * sizeof(uint32_t);
  }
  __device__ void clear(const VtSlide &s, int lane)
  {
    this->clear_all(s.args.n_levels, lane);
  }
  __device__ int reach(const VtSlide &) const
  {
    return 2;
  }
  __device__ __forceinline__ void gain(const VtSlide &, int c, int g, int k, bool plus) const
  {
    if (k == 1)
      this->count(c, g - 1, plus);
  }
  __device__ __forceinline__ void bend(const VtSlide &, int c, int g, int k, bool plus) const
  {
    this->count(c, g - 1, k == 1 ? plus : !plus);
  }
  template <bool TOGETHER>
  static __device__ void finish(const VtSlide &s, const VtSlideStrip &strip, int64_t j, const VtSlideLevels *of,
                                uint64_t *room, const int *directions)
  {
    vt_slide_finish_counts<BITS, PARTS, false, TOGETHER>(s, strip, j, of, Counts::n_words(s.args.n_levels),
                                                         reinterpret_cast<uint32_t *>(room), directions);
  }
};

template <int BITS, int PARTS> struct VtSlideLengths : VtSlideCounts<BITS, PARTS> {
  typedef VtSlideCounts<BITS, PARTS> Counts;

  static __host__ __device__ size_t bytes(const VtGpuGlrlmArgs &args)
  {
    return static_cast<size_t>(Counts::n_words(args.side)) * Counts::columns * sizeof(uint32_t);
  }
  __device__ void clear(const VtSlide &s, int lane)
  {
    this->clear_all(s.args.side, lane);
  }
  __device__ int reach(const VtSlide &s) const
  {
    return s.args.side;
  }
  __device__ __forceinline__ void gain(const VtSlide &, int c, int g, int k, bool plus) const
  {
    this->count(c, k - 1, plus);
  }
  __device__ __forceinline__ void bend(const VtSlide &, int c, int g, int k, bool plus) const
  {
    this->count(c, k - 1, plus);
    if (k > 1)
      this->count(c, k - 2, !plus);
  }
  template <bool TOGETHER>
  static __device__ void finish(const VtSlide &s, const VtSlideStrip &strip, int64_t j, const VtSlideLengths *of,
                                uint64_t *room, const int *directions)
  {
    vt_slide_finish_counts<BITS, PARTS, true, TOGETHER>(s, strip, j, of, Counts::n_words(s.args.side),
                                                        reinterpret_cast<uint32_t *>(room), directions);
  }
};
