/* SPDX-License-Identifier: MIT
 *
 * small-columns.cuh: what a lane's four columns gain from a row that comes in and one that goes out. */
#pragma once

#include "small-rows.cuh"

/* A row's pixels as a lane's columns gain and lose them, and those of `side` columns to the left (not down columns, whose
 * windows are summed up otherwise). */
struct VtSmallTerms {
  uint32_t gained[2], gains[2]; /* levels, lengths: at the column, from the left */
  uint32_t lost[2], loses[2];
  uint32_t bent[2]; /* diagonals: levels of runs whose second pixel becomes their first */
};

/* Levels of the pixels whose lengths are above 1. */
static __device__ __forceinline__ uint32_t
vt_small_long(uint32_t levels, uint32_t lengths)
{
  return levels & vt_small_spread(vt_small_some(lengths >> 5 & 0x07070707));
}

static __device__ __forceinline__ VtSmallTerms
vt_small_terms(const VtSmallPass &pass, int side, bool diagonal, bool down)
{
  VtSmallTerms t = {};
  t.gained[0] = pass.in, t.gains[0] = pass.in_gains;
  t.lost[0] = pass.out, t.loses[0] = pass.out_loses;
  if (down)
    return t;
  t.gained[1] = vt_small_shift(pass.out, side), t.gains[1] = vt_small_shift(pass.out_gains, side);
  t.lost[1] = vt_small_shift(pass.in, side);
  if (!diagonal) {
    t.loses[1] = vt_small_shift(pass.in_loses, side);
    return t;
  }
  const uint32_t longer = vt_small_long(pass.out, pass.out_gains);
  t.loses[1] = vt_small_some(t.lost[1]) >> 3;
  t.bent[0] = __funnelshift_l(vt_small_left(longer, 1), longer, 8);
  t.bent[1] = vt_small_shift(vt_small_long(pass.in, pass.in_gains), side - 1);
  return t;
}

static __device__ __forceinline__ uint32_t
vt_small_byte(uint32_t bytes, int j)
{
  return __byte_perm(bytes, 0, static_cast<uint32_t>(0x4440 + j));
}

/* Byte j of one and then of the other, below 128 all of them. */
static __device__ __forceinline__ uint32_t
vt_small_pair(uint32_t one, uint32_t other, int j)
{
  uint32_t both;
  asm("prmt.b32 %0, %1, %2, %3;" : "=r"(both) : "r"(one), "r"(other), "r"(0x8840 + 0x11 * j));
  return both;
}

/* Pixels that begin a run: bit 7. */
static __device__ __forceinline__ uint32_t
vt_small_begins(uint32_t lengths)
{
  return ~vt_small_some((lengths >> 4 & 0x0f0f0f0f) ^ 0x01010101) & 0x80808080;
}

/* --- sums --- */

/* Of columns j = 0 to 3: a dot product of bytes makes the place of an entry of its level and length. */
static __device__ __forceinline__ const uint4 *
vt_small_entry(const VtSmall &s, const VtSmallStrip &strip, uint32_t levels, uint32_t lengths, int j)
{
  const uint32_t two = __byte_perm(levels, lengths, j < 2 ? 0x5140 : 0x7362);
  const uint32_t sizes = (static_cast<uint32_t>(s.pitch) << 8 | sizeof(uint4)) << (j % 2 * 16);
  return reinterpret_cast<const uint4 *>(reinterpret_cast<const char *>(strip.tables) + __dp4a(two, sizes, 0u));
}

/* Of runs of one pixel, or none, of column j. */
static __device__ __forceinline__ const uint4 *
vt_small_alone(const VtSmall &s, const VtSmallStrip &strip, uint32_t levels, int j)
{
  const uint32_t before = static_cast<uint32_t>(s.pitch) * sizeof(uint4);
  return reinterpret_cast<const uint4 *>(reinterpret_cast<const char *>(strip.tables)
                                         + __dp4a(levels, static_cast<uint32_t>(sizeof(uint4)) << (8 * j), before));
}

/* What a column gains as the k + 1-st pixel of a run becomes the k-th. */
static __device__ __forceinline__ const uint4 *
vt_small_bend_entry(const VtSmall &s, const VtSmallStrip &strip, uint32_t level, uint32_t k)
{
  return strip.tables + 2 * vt_small_table(s) + k * static_cast<uint32_t>(s.pitch) + level;
}

/* The same as the second pixel becomes the first, of column j. */
static __device__ __forceinline__ const uint4 *
vt_small_first_bend(const VtSmall &s, const VtSmallStrip &strip, uint32_t levels, int j)
{
  const uint32_t before = static_cast<uint32_t>(2 * vt_small_table(s) + s.pitch) * sizeof(uint4);
  return reinterpret_cast<const uint4 *>(reinterpret_cast<const char *>(strip.tables)
                                         + __dp4a(levels, static_cast<uint32_t>(sizeof(uint4)) << (8 * j), before));
}

/* Adds to words from `word` on of the lane's columns. */
template <int N>
static __device__ __forceinline__ void
vt_small_add_columns(const VtSmallStrip &strip, int word, const uint32_t (*amount)[N])
{
#pragma unroll
  for (int w = 0; w < N; w++) {
    uint4 *at = reinterpret_cast<uint4 *>(strip.words + (word + w) * VT_SMALL_SPAN) + strip.lane;
    const uint4 was = *at;
    *at = make_uint4(was.x + amount[0][w], was.y + amount[1][w], was.z + amount[2][w], was.w + amount[3][w]);
  }
}

/* N words of the lane's columns, from `word` on. */
template <int N>
static __device__ __forceinline__ void
vt_small_load_columns(const VtSmallStrip &strip, int word, uint32_t (*four)[VT_SMALL_COLUMNS])
{
#pragma unroll
  for (int w = 0; w < N; w++)
    vt_slide_load4(strip.words + (word + w) * VT_SMALL_SPAN + VT_SMALL_COLUMNS * strip.lane, four[w]);
}

template <int N>
static __device__ __forceinline__ void
vt_small_store_columns(const VtSmallStrip &strip, int word, const uint32_t (*four)[VT_SMALL_COLUMNS])
{
#pragma unroll
  for (int w = 0; w < N; w++) {
    uint4 *at = reinterpret_cast<uint4 *>(strip.words + (word + w) * VT_SMALL_SPAN) + strip.lane;
    *at = make_uint4(four[w][0], four[w][1], four[w][2], four[w][3]);
  }
}

/* Four words of the lane's columns, from `word` on, gain the runs that a row begins, continues, ends and bends (k = 1);
 * four: what they have then. N: terms. */
template <bool DIAGONAL, int N>
static __device__ __forceinline__ void
vt_small_gain_four(const VtSmall &s, const VtSmallStrip &strip, const VtSmallTerms &t, int word,
                   uint32_t (*four)[VT_SMALL_COLUMNS])
{
  const int half = word / 4 * vt_small_table(s);
  vt_small_load_columns<4>(strip, word, four);
#pragma unroll
  for (int j = 0; j < VT_SMALL_COLUMNS; j++)
#pragma unroll
    for (int k = 0; k < N; k++) {
      const uint4 a = vt_small_entry(s, strip, t.gained[k], t.gains[k], j)[half];
      const uint4 b = DIAGONAL ? vt_small_alone(s, strip, t.lost[k], j)[half]
                               : vt_small_entry(s, strip, t.lost[k], t.loses[k], j)[half];
      const uint4 c = DIAGONAL ? vt_small_first_bend(s, strip, t.bent[k], j)[half] : uint4{};
      four[0][j] = four[0][j] + a.x - b.x + c.x;
      four[1][j] = four[1][j] + a.y - b.y + c.y;
      four[2][j] = four[2][j] + a.z - b.z + c.z;
      four[3][j] = four[3][j] + a.w - b.w + c.w;
    }
  vt_small_store_columns<4>(strip, word, four);
}

/* The same of VT_SMALL_BOTH2 and VT_SMALL_LEVEL2. */
template <int N>
static __device__ __forceinline__ void
vt_small_gain_integers(const VtSmallStrip &strip, const VtSmallTerms &t, uint32_t (*two)[VT_SMALL_COLUMNS])
{
  vt_small_load_columns<2>(strip, VT_SMALL_BOTH2, two);
#pragma unroll
  for (int j = 0; j < VT_SMALL_COLUMNS; j++)
#pragma unroll
    for (int k = 0; k < N; k++) {
      const uint32_t gained = vt_small_byte(t.gained[k], j), gains = vt_small_byte(t.gains[k], j);
      const uint32_t lost = vt_small_byte(t.lost[k], j), loses = vt_small_byte(t.loses[k], j);
      two[0][j] += gained * gained * (gains - 8);
      two[0][j] -= lost * lost * (loses - 8);
      if (gains == 16)
        two[1][j] += gained * gained + (1u << 24);
      if (loses == 16)
        two[1][j] -= lost * lost + (1u << 24);
    }
  vt_small_store_columns<2>(strip, VT_SMALL_BOTH2, two);
}

/* The same along diagonals. */
static __device__ __forceinline__ void
vt_small_gain_integers_bent(const VtSmallStrip &strip, const VtSmallTerms &t, uint32_t (*two)[VT_SMALL_COLUMNS])
{
  vt_small_load_columns<2>(strip, VT_SMALL_BOTH2, two);
  uint32_t first[2], more = 0, fewer = 0;
#pragma unroll
  for (int k = 0; k < 2; k++) {
    const uint32_t begins = vt_small_begins(t.gains[k]);
    first[k] = t.gained[k] & vt_small_spread(begins);
    more += (begins >> 7) + (vt_small_some(t.bent[k]) >> 7);
    fewer += vt_small_some(t.lost[k]) >> 7;
  }
  const uint32_t runs = (more + 0x80808080u - fewer) ^ 0x80808080u;
#pragma unroll
  for (int j = 0; j < VT_SMALL_COLUMNS; j++) {
    const uint32_t begun = vt_small_pair(first[0], first[1], j), lost = vt_small_pair(t.lost[0], t.lost[1], j);
    const uint32_t bent = vt_small_pair(t.bent[0], t.bent[1], j);
    const uint32_t lost2 = __dp4a(lost, lost, 0u), bent2 = __dp4a(bent, bent, 0u);
    two[0][j] -= 8 * lost2 + 16 * bent2;
    two[1][j] += __dp4a(begun, begun, bent2) - lost2 + __byte_perm(runs, 0, static_cast<uint32_t>(j << 12 | 0x444));
#pragma unroll
    for (int k = 0; k < 2; k++) {
      const uint32_t gained = vt_small_byte(t.gained[k], j);
      two[0][j] += gained * gained * (vt_small_byte(t.gains[k], j) - 8);
    }
  }
  vt_small_store_columns<2>(strip, VT_SMALL_BOTH2, two);
}

/* Words in shared memory, which gain as they are put out (small.cu). */
struct VtSmallSums {
  /* As a corner moves, the k + 1-st pixel of a run of level g becomes the k-th: what a column gains then; k > 1. */
  static __device__ __forceinline__ void bend(const VtSmall &s, const VtSmallStrip &strip, uint32_t g, uint32_t k,
                                              uint32_t *column)
  {
    const uint4 *entry = vt_small_bend_entry(s, strip, g, k);
    const uint4 a = entry[0];
    const uint2 b = *reinterpret_cast<const uint2 *>(entry + vt_small_table(s));
    vt_small_add(column, 0, a.x);
    vt_small_add(column, 1, a.y);
    vt_small_add(column, 2, a.z);
    vt_small_add(column, 3, a.w);
    vt_small_add(column, 4, b.x);
    vt_small_add(column, 5, b.y);
    vt_small_add(column, VT_SMALL_BOTH2, 0 - g * g * 16);
  }
};

/* --- counts --- */

/* Levels of pixels that begin a run (bit 7), less one; one more than all levels (a word that nobody reads) where there is
 * none. */
static __device__ __forceinline__ uint32_t
vt_small_first(uint32_t levels, uint32_t begins, int n_words)
{
  const uint32_t none = static_cast<uint32_t>(4 * n_words + 1) * 0x01010101u, these = vt_small_spread(begins);
  return (levels & these | none & ~these) - 0x01010101u;
}

/* A run more (one: 1) or less (~0) of each of the lane's four levels. Lanes begin with different columns, so that no two of
 * them meet in a bank. */
static __device__ __forceinline__ void
vt_small_count_levels(const VtSmallStrip &strip, uint32_t levels, uint32_t one)
{
  const uint32_t first = static_cast<uint32_t>(strip.lane) / 8, turned = __funnelshift_r(levels, levels, first * 8);
  const uint32_t words = turned & 0xfcfcfcfc, bits = turned << 3 & 0x18181818;
  const uint32_t columns = static_cast<uint32_t>(
    __cvta_generic_to_shared(strip.words + VT_SMALL_LEVELS * VT_SMALL_SPAN + VT_SMALL_COLUMNS * strip.lane));
#pragma unroll
  for (uint32_t j = 0; j < VT_SMALL_COLUMNS; j++) {
    const uint32_t column = columns + (j + first) % VT_SMALL_COLUMNS * 4;
    const uint32_t at =
      __dp4a(words, static_cast<uint32_t>(VT_SMALL_SPAN) << (8 * j), column); /* a word of four levels */
    asm volatile("red.shared.add.u32 [%0], %1;" ::"r"(at), "r"(__funnelshift_l(0, one, bits >> (8 * j))) : "memory");
  }
}

/* What column j gains and loses by lengths. */
static __device__ __forceinline__ const uint4 *
vt_small_lengths(const VtSmallStrip &strip, uint32_t gains, uint32_t loses, int j)
{
  const uint32_t two = __byte_perm(gains, loses, j < 2 ? 0x5140 : 0x7362);
  const uint32_t sizes = static_cast<uint32_t>(VT_SMALL_LENGTHS_PITCH | 1 << 8) << (j % 2 * 16);
  return reinterpret_cast<const uint4 *>(reinterpret_cast<const char *>(strip.tables) + __dp4a(two, sizes, 0u));
}

struct VtSmallCounts {
  uint32_t word[VT_SMALL_COLUMNS][VT_SMALL_LEVELS]; /* by length; those by level are in shared memory */

  template <bool DIAGONAL, bool DOWN>
  __device__ __forceinline__ void gain(const VtSmall &s, const VtSmallStrip &strip, const VtSmallTerms &t)
  {
    constexpr int n = DOWN ? 1 : 2;
    const uint32_t alone = DIAGONAL ? (vt_small_some(t.lost[0]) >> 7) + (vt_small_some(t.lost[1]) >> 7) : 0;
    const uint32_t bent = DIAGONAL ? (vt_small_some(t.bent[0]) >> 7) + (vt_small_some(t.bent[1]) >> 7) : 0;
#pragma unroll
    for (int j = 0; j < VT_SMALL_COLUMNS; j++) {
      if (DIAGONAL) /* runs of one, less; those of two that become such */
        word[j][0] += vt_small_byte(bent, j) - vt_small_pair(alone, bent, j);
#pragma unroll
      for (int k = 0; k < n; k++) {
        const uint4 a = *vt_small_lengths(strip, t.gains[k], DIAGONAL ? 0 : t.loses[k], j);
        word[j][0] += a.x;
        word[j][1] += a.y;
        word[j][2] += a.z;
        word[j][3] += a.w;
      }
    }
    if (!s.levels)
      return;
    VtSmallTerms left = t;
#pragma unroll 1
    for (int k = 0; k < n; k++) { /* shorter code stays in the cache */
      const uint32_t alone = DIAGONAL ? vt_small_some(left.lost[0]) : vt_small_begins(left.loses[0]);
      vt_small_count_levels(strip, vt_small_first(left.gained[0], vt_small_begins(left.gains[0]), s.n_level_words), 1);
      vt_small_count_levels(strip, vt_small_first(left.lost[0], alone, s.n_level_words), ~0u);
      if (DIAGONAL)
        vt_small_count_levels(strip, vt_small_first(left.bent[0], vt_small_some(left.bent[0]), s.n_level_words), 1);
      left.gained[0] = left.gained[1], left.gains[0] = left.gains[1];
      left.lost[0] = left.lost[1], left.loses[0] = left.loses[1];
      left.bent[0] = left.bent[1];
    }
  }
  static __device__ __forceinline__ void bend(const VtSmall &s, const VtSmallStrip &strip, uint32_t g, uint32_t k,
                                              uint32_t *column)
  {
    const uint32_t one = 1u << (k % 4 * 8);
    vt_small_add(column, k / 4, (k % 4 ? one >> 8 : 0) - one);
    if (k % 4 == 0)
      vt_small_add(column, k / 4 - 1, 1u << 24);
  }
};

/* --- diagonals: runs that cross a corner of the window --- */

/* Runs of more than two pixels that a row that comes in ends or one that goes out begins, as items of a list: level, 1 << 7 if
 * columns go to the left, k << 8, how many pixels are left << 12, the column << 16. */
enum { VT_SMALL_DOWN_LEFT = 1 << 7 };

static __device__ __forceinline__ uint32_t
vt_small_count_long(uint32_t lengths)
{
  return static_cast<uint32_t>(__popc(((lengths >> 4 & 0x0f0f0f0f) + 0x7d7d7d7d) & 0x80808080));
}

static __device__ __forceinline__ uint32_t *
vt_small_list_row(uint32_t *list, uint32_t levels, uint32_t lengths, uint32_t first)
{
#pragma unroll
  for (uint32_t j = 0; j < VT_SMALL_COLUMNS; j++) {
    const uint32_t both = __byte_perm(levels, lengths, 0x7740 + j * 0x11) & 0xffff;
    if (both >= 48 << 8)
      *list++ = both + first + (j << 16);
  }
  return list;
}

static __device__ __forceinline__ uint32_t
vt_small_list(const VtSmallStrip &strip, const VtSmallPass &pass, int side)
{
  const uint32_t own = vt_small_count_long(pass.in_gains) + vt_small_count_long(pass.out_gains);
  uint32_t n = own;
#pragma unroll
  for (int d = 1; d < VT_SLIDE_WARP; d *= 2)
    vt_small_add_left(&n, d);
  const uint32_t column = static_cast<uint32_t>(VT_SMALL_COLUMNS * strip.lane), from = (2u << 8) - (2u << 12);
  uint32_t *list = strip.list + (n - own);
  list = vt_small_list_row(list, pass.in, pass.in_gains,
                           ((column + static_cast<uint32_t>(side) - 2) << 16) + VT_SMALL_DOWN_LEFT + from);
  vt_small_list_row(list, pass.out, pass.out_gains, ((column + 2) << 16) + from);
  return __shfl_sync(~0u, n, VT_SLIDE_WARP - 1);
}

/* Works the list off, two pixels of an item at a time: a lane that has come to its last one takes the next item. */
template <typename Kind>
static __device__ __forceinline__ void
vt_small_bend_all(const VtSmall &s, const VtSmallStrip &strip, uint32_t n)
{
  const uint32_t below = (1u << strip.lane) - 1;
  uint32_t done = VT_SLIDE_WARP;
  __syncwarp();
  uint32_t item = static_cast<uint32_t>(strip.lane) < n ? strip.list[strip.lane] : 0;
  while (__any_sync(~0u, item != 0)) {
    const uint32_t c = item >> 16, by = item & VT_SMALL_DOWN_LEFT ? ~0u : 1u, g = item & (VT_SMALL_DOWN_LEFT - 1);
    const uint32_t k = item >> 8 & 15, left = item & 0xf000;
    if (item && c < VT_SMALL_SPAN)
      Kind::bend(s, strip, g, k, strip.words + c);
    if (left > 0x1000 && c + by < VT_SMALL_SPAN)
      Kind::bend(s, strip, g, k + 1, strip.words + (c + by));
    item = left > 0x2000 ? item + (2u << 8) - (2u << 12) + (by << 17) : 0;
    if (done >= n)
      continue;
    const uint32_t free = __ballot_sync(~0u, item == 0), at = done + static_cast<uint32_t>(__popc(free & below));
    if (item == 0 && at < n)
      item = strip.list[at];
    done += static_cast<uint32_t>(__popc(free));
  }
}
