/* SPDX-License-Identifier: MIT
 *
 * sliding-counts.cuh: runs of a sliding window counted by level, and pixels by the length of their run so far. Counts share
 * words: 4 of 8 bits where a window has less than 256 pixels, else 2 of 16; adding and subtracting words never carries in
 * the end, since no count is negative then. */
#pragma once

#include "sliding-kinds.cuh"

/* Count k of a column is part of word k * BITS / 32. */
template <int BITS, int PARTS> struct VtSlideCounts {
  static constexpr int parts = PARTS, columns = PARTS * VT_SLIDE_SPAN, per_word = 32 / BITS;
  uint32_t *delta; /* [word][column] */

  /* One more or less of k[i] at column c[i]; nothing where k is negative. All are read before any is written. */
  __device__ __forceinline__ void count(const int *c, const int *k, bool plus) const
  {
    uint32_t sum[VT_SLIDE_GROUPS];
    int at[VT_SLIDE_GROUPS];
#pragma unroll
    for (int i = 0; i < VT_SLIDE_GROUPS; i++) {
      const uint32_t which = static_cast<uint32_t>(max(k[i], 0)), one = k[i] < 0 ? 0 : 1u << (which % per_word * BITS);
      at[i] = static_cast<int>(which / per_word) * columns + c[i];
      sum[i] = delta[at[i]] + (plus ? one : 0 - one);
    }
#pragma unroll
    for (int i = 0; i < VT_SLIDE_GROUPS; i++)
      delta[at[i]] = sum[i];
  }
  static __host__ __device__ int n_words(int n)
  {
    return (n + per_word - 1) / per_word;
  }
  /* Bytes of `room` in finish. */
  static __host__ __device__ size_t room(bool together)
  {
    return columns * static_cast<size_t>(together ? 5 * 24 + 4 : 24);
  }
  __device__ void clear_all(int n, int lane)
  {
    for (int i = lane; i < n_words(n) * columns; i += VT_SLIDE_WARP)
      delta[i] = 0;
  }
};

/* Sums over the counts of a window. */
struct VtSlideCounted {
  uint64_t squares;
  uint32_t n, pixels, length2, unused; /* runs; by length also pixels, and the sum of length^2 */
};

template <int BITS>
static __device__ __forceinline__ uint32_t
vt_slide_count_squares(uint32_t word)
{
  if (BITS == 8)
    return __dp4a(word, word, 0u);
  return (word & 0xffffu) * (word & 0xffffu) + (word >> 16) * (word >> 16);
}

static __device__ __forceinline__ void
vt_slide_counted_value(int feature, const VtSlideCounted &c, double *value, double *error)
{
  const double inverse = __drcp_rn(vt_slide_double(c.n)), squares = vt_slide_double(c.squares);
  const uint64_t n = c.n, pixels = c.pixels;
  switch (feature) {
  case VT_GLRLM_GLN:
  case VT_GLRLM_RLN: *value = squares * inverse; break;
  case VT_GLRLM_GLNN:
  case VT_GLRLM_RLNN: *value = squares * inverse * inverse; break;
  case VT_GLRLM_LRE: *value = vt_slide_double(c.length2) * inverse; break;
  case VT_GLRLM_RP: *value = vt_slide_double(n) * __drcp_rn(vt_slide_double(pixels)); break;
  default: *value = __ull2double_rn(n * c.length2 - pixels * pixels) * inverse * inverse; break;
  }
  *error = *value * 0x1p-49;
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

template <bool LENGTHS>
static __device__ __forceinline__ void
vt_slide_counted_features(const VtSlide &s, const VtSlideStrip &strip, int i, int64_t j, int aggregate,
                          const VtSlideCounted &c, VtSlideMean *means)
{
#pragma unroll
  for (int f = 0; f < (LENGTHS ? 5 : 2); f++) {
    const int feature = vt_slide_counted_feature_of<LENGTHS>(f);
    const bool own = vt_slide_wants(s, aggregate, feature), shared = means && vt_slide_wants(s, VT_GLRLM_MEAN, feature);
    double value, error;
    if (!own && !shared)
      continue;
    vt_slide_counted_value(feature, c, &value, &error);
    if (own)
      vt_slide_put(s, strip, i, j, aggregate, feature, value, error, c.n == 0);
    if (shared)
      vt_slide_add_mean(&means[f], value, error);
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
vt_slide_sum_counts(VtSlideCounted *c, uint32_t word, uint32_t runs, int w)
{
  c->squares += vt_slide_count_squares<BITS>(runs);
  if (BITS == 8) {
    const uint32_t odd = 0x07050301u + 0x08080808u * static_cast<uint32_t>(w); /* 2k - 1 of its four lengths */
    c->n = __dp4a(runs, 0x01010101u, c->n);
    if (LENGTHS) {
      c->pixels = __dp4a(word, 0x01010101u, c->pixels);
      c->length2 = __dp4a(word, odd, c->length2);
    }
    return;
  }
  c->n += (runs & 0xffffu) + (runs >> 16);
  if (LENGTHS) {
    c->pixels += (word & 0xffffu) + (word >> 16);
    c->length2 += (word & 0xffffu) * static_cast<uint32_t>(4 * w + 1) + (word >> 16) * static_cast<uint32_t>(4 * w + 3);
  }
}

template <int BITS, int PARTS, bool LENGTHS>
static __device__ void
vt_slide_merge_counts(const VtSlide &s, const VtSlideStrip &strip, int part, const VtSlideCounts<BITS, PARTS> *of,
                      int n_words, uint32_t *flip, const int *directions, VtSlideCounted *merged)
{
  constexpr int columns = PARTS * VT_SLIDE_SPAN;
  uint32_t above[VT_GLRLM_N_DIRECTIONS][4] = {};
  for (int w = n_words - 1; w >= 0; w--) {
    uint32_t low[4] = {}, high[4] = {};
    for (int d = 0; d < VT_GLRLM_N_DIRECTIONS; d++) {
      uint32_t four[4];
      vt_slide_windows<PARTS>(s, strip, directions[d], of[d].delta + w * columns, flip, part, four);
      for (int i = 0; i < 4; i++) {
        const uint32_t runs = vt_slide_runs_of<BITS, PARTS, LENGTHS>(four[i], above[d][i]);
        above[d][i] = four[i];
        low[i] += runs & 0xffffu;
        high[i] += runs >> 16;
      }
    }
    for (int i = 0; i < 4; i++)
      merged[i].squares += static_cast<uint64_t>(low[i]) * low[i] + static_cast<uint64_t>(high[i]) * high[i];
  }
}

/* The counted sums of a direction, and of directions merged, to room: [direction, or merged][column]. */
template <int BITS, int PARTS, bool LENGTHS, bool TOGETHER>
static __device__ void
vt_slide_sum_columns(const VtSlide &s, const VtSlideStrip &strip, int part, const VtSlideCounts<BITS, PARTS> *of,
                     int n_words, VtSlideCounted *room, const int *directions)
{
  constexpr int columns = PARTS * VT_SLIDE_SPAN, n_directions = TOGETHER ? VT_GLRLM_N_DIRECTIONS : 1;
  const int at = part * VT_SLIDE_SPAN + 4 * strip.lane;
  for (int d = 0; d < n_directions; d++) {
    VtSlideCounted c[4] = {};
    uint32_t above[4] = {};
#pragma unroll 1
    for (int w = n_words - 1; w >= 0; w--) {
      uint32_t four[4];
      vt_slide_running(of[d].delta + w * columns, part, strip.lane, four);
#pragma unroll
      for (int i = 0; i < 4; i++) {
        vt_slide_sum_counts<BITS, LENGTHS>(&c[i], four[i], vt_slide_runs_of<BITS, PARTS, LENGTHS>(four[i], above[i]),
                                           w);
        above[i] = four[i];
      }
    }
#pragma unroll
    for (int i = 0; i < 4; i++)
      room[d * columns + at + i] = c[i];
  }
  if (!TOGETHER)
    return;
  VtSlideCounted merged[4] = {};
  vt_slide_merge_counts<BITS, PARTS, LENGTHS>(
    s, strip, part, of, n_words, reinterpret_cast<uint32_t *>(room + (n_directions + 1) * columns), directions, merged);
  for (int i = 0; i < 4; i++)
    room[n_directions * columns + at + i] = merged[i];
}

template <int BITS, int PARTS, bool LENGTHS, bool TOGETHER>
static __device__ void
vt_slide_finish_counts(const VtSlide &s, const VtSlideStrip &strip, int64_t j, const VtSlideCounts<BITS, PARTS> *of,
                       int n_words, VtSlideCounted *room, const int *directions)
{
  constexpr int columns = PARTS * VT_SLIDE_SPAN, n_directions = TOGETHER ? VT_GLRLM_N_DIRECTIONS : 1;
  for (int part = 0; part < PARTS; part++)
    vt_slide_sum_columns<BITS, PARTS, LENGTHS, TOGETHER>(s, strip, part, of, n_words, room, directions);
  __syncwarp();
  for (int c = strip.lane; c < columns; c += VT_SLIDE_WARP) {
    const int i = vt_slide_window_at(s, strip, c);
    VtSlideMean means[TOGETHER ? 5 : 1] = {};
    if (i < 0)
      continue;
    VtSlideCounted merged = room[(TOGETHER ? n_directions : 0) * columns + c];
    for (int d = 0; d < n_directions; d++) {
      const VtSlideCounted counted = room[d * columns + vt_slide_column_of(s, strip, directions[d], c)];
      vt_slide_counted_features<LENGTHS>(s, strip, i, j, directions[d], counted, TOGETHER ? means : NULL);
      merged.n += counted.n;
      merged.pixels += counted.pixels;
      merged.length2 += counted.length2;
    }
    if (!TOGETHER)
      continue;
    vt_slide_counted_features<LENGTHS>(s, strip, i, j, VT_GLRLM_MERGED, merged, NULL);
    for (int f = 0; f < (LENGTHS ? 5 : 2); f++)
      if (vt_slide_wants(s, VT_GLRLM_MEAN, vt_slide_counted_feature_of<LENGTHS>(f)))
        vt_slide_put(s, strip, i, j, VT_GLRLM_MEAN, vt_slide_counted_feature_of<LENGTHS>(f), means[f].value,
                     means[f].error, merged.n == 0);
  }
  __syncwarp();
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
  __device__ __forceinline__ void gain(const VtSlide &, const int *c, const int *g, const int *k, bool plus) const
  {
    int level[VT_SLIDE_GROUPS];
#pragma unroll
    for (int i = 0; i < VT_SLIDE_GROUPS; i++)
      level[i] = k[i] == 1 ? g[i] - 1 : -1;
    this->count(c, level, plus);
  }
  __device__ __forceinline__ void bend(const VtSlide &, const int *c, const int *g, int k, bool plus) const
  {
    int level[VT_SLIDE_GROUPS];
#pragma unroll
    for (int i = 0; i < VT_SLIDE_GROUPS; i++)
      level[i] = g[i] - 1;
    this->count(c, level, k == 1 ? plus : !plus);
  }
  template <bool TOGETHER>
  static __device__ void finish(const VtSlide &s, const VtSlideStrip &strip, int64_t j, const VtSlideLevels *of,
                                uint64_t *room, const int *directions)
  {
    vt_slide_finish_counts<BITS, PARTS, false, TOGETHER>(s, strip, j, of, Counts::n_words(s.args.n_levels),
                                                         reinterpret_cast<VtSlideCounted *>(room), directions);
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
  __device__ __forceinline__ void gain(const VtSlide &, const int *c, const int *g, const int *k, bool plus) const
  {
    int length[VT_SLIDE_GROUPS];
#pragma unroll
    for (int i = 0; i < VT_SLIDE_GROUPS; i++)
      length[i] = g[i] ? k[i] - 1 : -1;
    this->count(c, length, plus);
  }
  __device__ __forceinline__ void bend(const VtSlide &, const int *c, const int *g, int k, bool plus) const
  {
    int length[VT_SLIDE_GROUPS], shorter[VT_SLIDE_GROUPS];
#pragma unroll
    for (int i = 0; i < VT_SLIDE_GROUPS; i++) {
      length[i] = g[i] ? k - 1 : -1;
      shorter[i] = g[i] ? k - 2 : -1;
    }
    this->count(c, length, plus);
    if (k > 1)
      this->count(c, shorter, !plus);
  }
  template <bool TOGETHER>
  static __device__ void finish(const VtSlide &s, const VtSlideStrip &strip, int64_t j, const VtSlideLengths *of,
                                uint64_t *room, const int *directions)
  {
    vt_slide_finish_counts<BITS, PARTS, true, TOGETHER>(s, strip, j, of, Counts::n_words(s.args.side),
                                                        reinterpret_cast<VtSlideCounted *>(room), directions);
  }
};
