/* SPDX-License-Identifier: MIT
 *
 * small-put.cuh: from what columns have to the windows of a row: sums over columns, and their values into maps. */
#pragma once

#include "small-columns.cuh"
#include "small-mean.cuh"

enum {
  VT_SMALL_LEVEL_STEP = 2,                /* fewer: those of levels far from a strip's ones are often nothing */
  VT_SMALL_LONGEST = VT_SMALL_LEVELS - 1, /* the word of the longest runs: often nothing too */
};
static const uint32_t vt_small_of_sums = 1u << VT_GLRLM_LGRE | 1u << VT_GLRLM_HGRE | 1u << VT_GLRLM_SRLGE
                                         | 1u << VT_GLRLM_SRHGE | 1u << VT_GLRLM_LRLGE | 1u << VT_GLRLM_LRHGE;
static const uint32_t vt_small_of_lengths =
  1u << VT_GLRLM_SRE | 1u << VT_GLRLM_LRE | 1u << VT_GLRLM_RLN | 1u << VT_GLRLM_RP;
/* From the same sums, but only as doubles. */
static const uint32_t vt_small_of_doubles =
  1u << VT_GLRLM_GLNN | 1u << VT_GLRLM_RLNN | 1u << VT_GLRLM_GLV | 1u << VT_GLRLM_RV;

/* Sums of N words over the columns up to the lane's ones, together, since each step waits. A lane without a partner adds
 * nothing. */
template <int N>
static __device__ __forceinline__ void
vt_small_running(uint32_t (*four)[VT_SMALL_COLUMNS])
{
  uint32_t sum[N];
#pragma unroll
  for (int w = 0; w < N; w++) {
    four[w][1] += four[w][0];
    four[w][2] += four[w][1];
    four[w][3] += four[w][2];
    sum[w] = four[w][3];
  }
#pragma unroll
  for (int d = 1; d < VT_SLIDE_WARP; d *= 2)
#pragma unroll
    for (int w = 0; w < N; w += w + 4 <= N ? 4 : w + 2 <= N ? 2 : 1)
      if (w + 4 <= N)
        vt_small_add_left4(sum + w, d);
      else if (w + 2 <= N)
        vt_small_add_left2(sum + w, d);
      else
        vt_small_add_left(sum + w, d);
#pragma unroll
  for (int w = 0; w < N; w++) {
    sum[w] -= four[w][3];
#pragma unroll
    for (int i = 0; i < VT_SMALL_COLUMNS; i++)
      four[w][i] += sum[w];
  }
}

/* Sums of N words over as many columns as a window has, up to the lane's ones; of no use where they begin left of the
 * strip. */
template <int N>
static __device__ __forceinline__ void
vt_small_sliding(int side, uint32_t (*four)[VT_SMALL_COLUMNS])
{
  const int whole = side / 4, odd = whole & 1; /* lanes between the window's first and last */
  uint32_t before[N];
#pragma unroll
  for (int w = 0; w < N; w++) {
    const uint32_t all = four[w][0] + four[w][1] + four[w][2] + four[w][3];
    const uint32_t one = vt_slide_up(all, 1), two = vt_slide_up(all + one, 1 + odd);
    before[w] = one * static_cast<uint32_t>(odd) + two * static_cast<uint32_t>(whole / 2);
  }
  if (side % 4 == 1) {
#pragma unroll
    for (int w = 0; w < N; w++) {
      const uint32_t first = four[w][0], second = first + four[w][1], third = second + four[w][2];
      four[w][0] = before[w] + first;
      four[w][1] = before[w] + second - vt_slide_up(first, whole);
      four[w][2] = before[w] + third - vt_slide_up(second, whole);
      four[w][3] = before[w] + third + four[w][3] - vt_slide_up(third, whole);
    }
  } else {
#pragma unroll
    for (int w = 0; w < N; w++) {
      const uint32_t first = four[w][0], second = first + four[w][1], third = second + four[w][2], last = four[w][3];
      four[w][0] = before[w] + first + vt_slide_up(four[w][2] + last, whole + 1);
      four[w][1] = before[w] + second + vt_slide_up(last, whole + 1);
      four[w][2] = before[w] + third;
      four[w][3] = before[w] + third + last - vt_slide_up(first, whole);
    }
  }
}

/* Sums of N words of the lane's columns over the windows that end there. DOWN: columns have what is in them; else what
 * windows gain there. */
template <int N, bool DOWN>
static __device__ __forceinline__ void
vt_small_sum_up(const VtSmall &s, uint32_t (*four)[VT_SMALL_COLUMNS])
{
  if (DOWN)
    vt_small_sliding<N>(s.args.side, four);
  else
    vt_small_running<N>(four);
}

/* Of lengths, with what bends have added to them. */
template <int N, bool BENT>
static __device__ __forceinline__ void
vt_small_load_lengths(const VtSmallStrip &strip, const VtSmallCounts &columns, int word,
                      uint32_t (*four)[VT_SMALL_COLUMNS])
{
  uint32_t bent[N][VT_SMALL_COLUMNS] = {};
  if (BENT)
    vt_small_load_columns<N>(strip, word, bent);
#pragma unroll
  for (int w = 0; w < N; w++)
#pragma unroll
    for (int j = 0; j < VT_SMALL_COLUMNS; j++)
      four[w][j] = columns.word[j][word + w] + bent[w][j];
}

/* Some column of the warp's has something in these words: else no window has. */
template <int N>
static __device__ __forceinline__ bool
vt_small_any(const uint32_t (*four)[VT_SMALL_COLUMNS])
{
  uint32_t some = 0;
#pragma unroll
  for (int w = 0; w < N; w++)
#pragma unroll
    for (int j = 0; j < VT_SMALL_COLUMNS; j++)
      some |= four[w][j];
  return __any_sync(~0u, some != 0);
}

/* Of runs by level. */
template <bool DOWN, bool MOMENTS>
static __device__ __forceinline__ void
vt_small_sum_levels(const VtSmall &s, const VtSmallStrip &strip, VtSmallLevels *sums)
{
  uint32_t four[VT_SMALL_LEVEL_STEP][VT_SMALL_COLUMNS];
#pragma unroll 1
  for (int word = 0; word < s.n_level_words; word += VT_SMALL_LEVEL_STEP) {
    vt_small_load_columns<VT_SMALL_LEVEL_STEP>(strip, VT_SMALL_LEVELS + word, four);
    if (!vt_small_any<VT_SMALL_LEVEL_STEP>(four))
      continue;
    vt_small_sum_up<VT_SMALL_LEVEL_STEP, DOWN>(s, four);
#pragma unroll
    for (int k = 0; k < VT_SMALL_LEVEL_STEP; k++) {
      vt_small_take_levels(sums->squares, four[k]);
      if (MOMENTS)
        vt_small_take_moments(sums, static_cast<uint32_t>(word + k), four[k]);
    }
  }
}

template <bool FAST, bool DOWN>
static __device__ __forceinline__ void
vt_small_put_rest(const VtSmall &s, const VtSmallStrip &strip, VtSmallWindows *w, const VtSmallLengths &lengths)
{
  VtSmallLevels levels = {};
  vt_small_put_lengths<FAST>(s, w, lengths);
  vt_small_sum_levels<DOWN, false>(s, strip, &levels);
  if (s.levels)
    vt_small_put_means<FAST>(s, *w, VT_GLRLM_GLN, levels.squares);
}

template <bool BENT, bool DOWN, bool DOUBLES>
static __device__ __forceinline__ void
vt_small_put_windows(const VtSmall &s, const VtSmallStrip &strip, const VtSmallCounts &columns, int j)
{
  VtSmallWindows w = vt_small_windows(s, strip, j);
  VtSmallLengths lengths = {};
  uint32_t four[VT_SMALL_LONGEST][VT_SMALL_COLUMNS];
  vt_small_load_lengths<1, BENT>(strip, columns, VT_SMALL_LONGEST, four);
  if (vt_small_any<1>(four)) {
    vt_small_sum_up<1, DOWN>(s, four);
    vt_small_take_lengths<3>(&lengths, four[0]);
  }
  vt_small_load_lengths<VT_SMALL_LONGEST, BENT>(strip, columns, 0, four);
  vt_small_sum_up<VT_SMALL_LONGEST, DOWN>(s, four);
  vt_small_take_lengths<2>(&lengths, four[2]);
  vt_small_take_lengths<1>(&lengths, four[1]);
  vt_small_take_lengths<0>(&lengths, four[0]);
  if (DOUBLES) {
    VtSmallLevels levels = {};
    if (vt_small_wants(s, VT_GLRLM_GLV))
      vt_small_sum_levels<DOWN, true>(s, strip, &levels);
    else
      vt_small_sum_levels<DOWN, false>(s, strip, &levels);
    vt_small_keep_counts(s, w, lengths, levels);
    return;
  }
  vt_small_set_runs(&w, lengths);
  if (vt_small_is_fast(s, w, vt_small_of_lengths))
    vt_small_put_rest<true, DOWN>(s, strip, &w, lengths);
  else
    vt_small_put_rest<false, DOWN>(s, strip, &w, lengths);
}

/* Of four words of a window's sums. */
template <bool FAST>
static __device__ __forceinline__ void
vt_small_put_four(const VtSmall &s, VtSmallWindows *w, int word, const uint32_t (*four)[VT_SMALL_COLUMNS])
{
#pragma unroll
  for (int k = 0; k < VT_SMALL_SUM_STEP; k += 2)
    vt_small_put_fixed<FAST>(s, w, word + k, four[k], four[k + 1]);
  if (FAST)
    vt_small_defer_fixed(s, w, word);
}

template <bool DOWN>
static __device__ __forceinline__ void
vt_small_put_slowly(const VtSmall &s, const VtSmallStrip &strip, VtSmallWindows *w)
{
  uint32_t four[VT_SMALL_SUM_STEP][VT_SMALL_COLUMNS];
#pragma unroll 1
  for (int word = VT_SMALL_SRHGE; word <= VT_SMALL_LGRE; word += VT_SMALL_SUM_STEP) {
    vt_small_load_columns<VT_SMALL_SUM_STEP>(strip, word, four);
    vt_small_sum_up<VT_SMALL_SUM_STEP, DOWN>(s, four);
    vt_small_put_four<false>(s, w, word, four);
  }
}

/* two: sums of VT_SMALL_BOTH2 and VT_SMALL_LEVEL2 over windows. True: the warp is FAST. */
static __device__ __forceinline__ bool
vt_small_put_integers(const VtSmall &s, VtSmallWindows *w, uint32_t (*two)[VT_SMALL_COLUMNS])
{
  uint32_t runs[VT_SMALL_COLUMNS];
#pragma unroll
  for (int k = 0; k < VT_SMALL_COLUMNS; k++) {
    two[0][k] /= 8;
    runs[k] = two[1][k] >> 24;
    two[1][k] &= 0xffffff;
  }
  vt_small_set_runs(w, runs);
  if (vt_small_is_fast(s, *w, vt_small_of_sums)) {
    vt_small_put_means<true>(s, *w, VT_GLRLM_HGRE, two[1]);
    vt_small_put_means<true>(s, *w, VT_GLRLM_LRHGE, two[0]);
    return true;
  }
  vt_small_put_means<false>(s, *w, VT_GLRLM_HGRE, two[1]);
  vt_small_put_means<false>(s, *w, VT_GLRLM_LRHGE, two[0]);
  return false;
}

/* What columns gain from a row, and at once what its windows have. */
template <bool DIAGONAL, bool DOWN, bool DOUBLES>
static __device__ __forceinline__ void
vt_small_gain_and_put(const VtSmall &s, const VtSmallStrip &strip, VtSmallSums *, const VtSmallTerms &t, int j)
{
  constexpr int n = DOWN ? 1 : 2;
  VtSmallWindows w = vt_small_windows(s, strip, j);
  uint32_t four[VT_SMALL_SUM_STEP][VT_SMALL_COLUMNS];
  if (DIAGONAL)
    vt_small_gain_integers_bent(strip, t, four);
  else
    vt_small_gain_integers<n>(strip, t, four);
  vt_small_sum_up<2, DOWN>(s, four);
  uint32_t runs[VT_SMALL_COLUMNS];
  if (DOUBLES)
    vt_small_keep_integers(s, w, four, runs);
  const bool fast = DOUBLES || vt_small_put_integers(s, &w, four);
#pragma unroll 1
  for (int word = VT_SMALL_SRHGE; word <= VT_SMALL_LGRE;
       word += VT_SMALL_SUM_STEP) { /* shorter code stays in the cache */
    vt_small_gain_four<DIAGONAL, n>(s, strip, t, word, four);
    if (!fast)
      continue;
    vt_small_sum_up<VT_SMALL_SUM_STEP, DOWN>(s, four);
    if (DOUBLES)
      vt_small_keep_four(s, w, word, four, runs);
    else
      vt_small_put_four<true>(s, &w, word, four);
  }
  if (!fast)
    vt_small_put_slowly<DOWN>(s, strip, &w);
}

template <bool DIAGONAL, bool DOWN, bool DOUBLES>
static __device__ __forceinline__ void
vt_small_gain_and_put(const VtSmall &s, const VtSmallStrip &strip, VtSmallCounts *columns, const VtSmallTerms &t, int j)
{
  columns->gain<DIAGONAL, DOWN>(s, strip, t);
  __syncwarp();
  vt_small_put_windows<DIAGONAL, DOWN, DOUBLES>(s, strip, *columns, j);
}
