/* SPDX-License-Identifier: MIT
 *
 * small-start.cuh: the rows above a strip's first windows. Nothing goes out, and no windows are made: less than half of
 * what later rows cost. */
#pragma once

#include "small-columns.cuh"

/* The row that comes in, alone. */
template <bool DIAGONAL, bool DOWN>
static __device__ __forceinline__ VtSmallPass
vt_small_start_pass(const VtSmallStrip &strip, VtSmallAbove *above, uint32_t in, int at, int side)
{
  VtSmallPass pass = {};
  pass.in = in;
  if (DIAGONAL) {
    vt_small_move_masks(above, strip.lane);
    vt_small_move_above(above);
    pass.in_gains = vt_small_back(above, in, side);
  } else if (DOWN) {
    pass.in_gains = vt_small_back(above, in, side);
  } else {
    vt_small_runs_along(in, strip.lane, side, &pass.in_gains, &pass.in_loses);
    strip.lengths[strip.lane + at * VT_SLIDE_WARP] = pass.in_gains | pass.in_loses >> 4;
  }
  return pass;
}

template <bool DIAGONAL, bool DOWN>
static __device__ __forceinline__ VtSmallTerms
vt_small_start_terms(const VtSmallPass &pass, int side)
{
  VtSmallTerms t = {};
  t.gained[0] = pass.in, t.gains[0] = pass.in_gains;
  if (DOWN)
    return t;
  t.lost[1] = vt_small_shift(pass.in, side);
  t.loses[1] = DIAGONAL ? vt_small_some(t.lost[1]) >> 3 : vt_small_shift(pass.in_loses, side);
  t.bent[1] = DIAGONAL ? vt_small_shift(vt_small_long(pass.in, pass.in_gains), side - 1) : 0;
  return t;
}

static __device__ __forceinline__ void
vt_small_add4(uint32_t *amount, const uint4 &a, const uint4 &b, const uint4 &c)
{
  amount[0] = a.x - b.x + c.x;
  amount[1] = a.y - b.y + c.y;
  amount[2] = a.z - b.z + c.z;
  amount[3] = a.w - b.w + c.w;
}

template <bool DIAGONAL, bool DOWN>
static __device__ __forceinline__ void
vt_small_start(const VtSmall &s, const VtSmallStrip &strip, VtSmallSums *, const VtSmallTerms &t)
{
  uint32_t first[VT_SMALL_COLUMNS][4], second[VT_SMALL_COLUMNS][4], integers[VT_SMALL_COLUMNS][2];
  const int half = vt_small_table(s);
#pragma unroll
  for (int j = 0; j < VT_SMALL_COLUMNS; j++) {
    const uint32_t gained = vt_small_byte(t.gained[0], j), gains = vt_small_byte(t.gains[0], j);
    const uint32_t lost = vt_small_byte(t.lost[1], j), loses = vt_small_byte(t.loses[1], j);
    const uint32_t level = vt_small_byte(t.bent[1], j);
    const uint4 *a = vt_small_entry(s, strip, t.gained[0], t.gains[0], j);
    const uint4 *b = vt_small_entry(s, strip, t.lost[1], t.loses[1], j);
    const uint4 *c = vt_small_first_bend(s, strip, t.bent[1], j);
    vt_small_add4(first[j], a[0], DOWN ? uint4{} : b[0], DIAGONAL ? c[0] : uint4{});
    vt_small_add4(second[j], a[half], DOWN ? uint4{} : b[half], DIAGONAL ? c[half] : uint4{});
    integers[j][0] = gained * gained * (gains - 8) - lost * lost * (loses - 8) - (DIAGONAL ? 16 * level * level : 0);
    integers[j][1] = DIAGONAL && level ? level * level + (1u << 24) : 0;
    if (gains == 16)
      integers[j][1] += gained * gained + (1u << 24);
    if (loses == 16)
      integers[j][1] -= lost * lost + (1u << 24);
  }
  vt_small_add_columns<4>(strip, 0, first);
  vt_small_add_columns<4>(strip, 4, second);
  vt_small_add_columns<2>(strip, VT_SMALL_BOTH2, integers);
}

template <bool DIAGONAL, bool DOWN>
static __device__ __forceinline__ void
vt_small_start(const VtSmall &s, const VtSmallStrip &strip, VtSmallCounts *columns, const VtSmallTerms &t)
{
#pragma unroll
  for (int j = 0; j < VT_SMALL_COLUMNS; j++) {
    const uint4 a = *vt_small_lengths(strip, t.gains[0], t.loses[1], j);
    const uint32_t bent = DIAGONAL && vt_small_byte(t.bent[1], j) ? 1u - 0x100 : 0; /* runs of two become runs of one */
    columns->word[j][0] += a.x + bent;
    columns->word[j][1] += a.y;
    columns->word[j][2] += a.z;
    columns->word[j][3] += a.w;
  }
  if (!s.levels)
    return;
  vt_small_count_levels(strip, vt_small_first(t.gained[0], vt_small_begins(t.gains[0]), s.n_level_words), 1);
  if (!DOWN)
    vt_small_count_levels(strip, vt_small_first(t.lost[1], vt_small_begins(t.loses[1]), s.n_level_words), ~0u);
  if (DIAGONAL)
    vt_small_count_levels(strip, vt_small_first(t.bent[1], vt_small_some(t.bent[1]), s.n_level_words), 1);
}
