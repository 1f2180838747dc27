/* SPDX-License-Identifier: MIT
 *
 * small-rows.cuh: what a row that comes in and the row that goes out do to the columns of a strip. Runs are known from
 * masks: a bit for each pixel that continues the run of the one before it. */
#pragma once

#include "small.cuh"

enum { VT_SMALL_ALONG, VT_SMALL_DIAGONAL, VT_SMALL_DOWN };

/* Of a lane's columns; one more group to the right, whose diagonals began in the strip. */
struct VtSmallRow {
  int level[VT_SMALL_GROUPS + 1];
};

/* Runs of the lane's pixels: pixels up to this one, and from it on, at most `side`. */
struct VtSmallRuns {
  int back[VT_SMALL_GROUPS], ahead[VT_SMALL_GROUPS];
};

static __device__ __forceinline__ VtSmallRow
vt_small_row(const VtSmall &s, const VtSmallStrip &strip, int64_t y, bool any)
{
  VtSmallRow row;
  const uint32_t inside = any && y >= 0 && y < s.args.src.height ? strip.inside : 0;
  const uint8_t *at = strip.pixels + y * s.args.src.stride;
#pragma unroll
  for (int i = 0; i <= VT_SMALL_GROUPS; i++)
    row.level[i] = inside >> i & 1 ? __ldg(at + i * VT_SLIDE_WARP * strip.by) : 0;
  return row;
}

/* The same of the columns to the left; 0 left of the strip. */
template <typename T>
static __device__ __forceinline__ void
vt_small_left(const T *own, int lane, T *left)
{
  T before = 0;
#pragma unroll
  for (int i = 0; i <= VT_SMALL_GROUPS; i++) {
    const T other = __shfl_sync(~0u, own[i], (lane + VT_SLIDE_WARP - 1) % VT_SLIDE_WARP);
    left[i] = lane ? other : before;
    before = other;
  }
}

static __device__ __forceinline__ VtSmallRuns
vt_small_runs_along(const VtSmallRow &row, int lane, int side)
{
  int left[VT_SMALL_GROUPS + 1];
  uint32_t same[VT_SMALL_GROUPS + 2] = {};
  VtSmallRuns runs;
  vt_small_left(row.level, lane, left);
#pragma unroll
  for (int i = 0; i < VT_SMALL_GROUPS; i++)
    same[i + 1] = __ballot_sync(~0u, row.level[i] && row.level[i] == left[i]);
#pragma unroll
  for (int i = 0; i < VT_SMALL_GROUPS; i++) {
    runs.back[i] = min(1 + __clz(static_cast<int>(~__funnelshift_lc(same[i], same[i + 1], 31 - lane))), side);
    const uint32_t next = __funnelshift_rc(same[i + 1], same[i + 2], static_cast<uint32_t>(lane + 1));
    runs.ahead[i] = next == ~0u ? side : min(__ffs(static_cast<int>(~next)), side);
  }
  return runs;
}

/* Backwards of the row that comes in, ahead of the row that goes out. mask[i]: of column lane + 32 i, bit 31 its lowest
 * pixel, the bits below those before it along the direction. */
template <int WAY>
static __device__ __forceinline__ VtSmallRuns
vt_small_runs_across(const VtSmallRow &in, const VtSmallRow &above, uint32_t *mask, int lane, int side)
{
  int before[VT_SMALL_GROUPS + 1];
  uint32_t old[VT_SMALL_GROUPS + 1], far[VT_SMALL_GROUPS + 1];
  VtSmallRuns runs;
  const int last = lane + side - 1; /* where the diagonals end that go through this lane's pixels of the top row */
  if (WAY == VT_SMALL_DIAGONAL) {
    vt_small_left(above.level, lane, before);
    vt_small_left(mask, lane, old);
  }
#pragma unroll
  for (int i = 0; i <= VT_SMALL_GROUPS; i++) {
    far[i] = WAY == VT_SMALL_DIAGONAL ? __shfl_sync(~0u, mask[i], last % VT_SLIDE_WARP) : mask[i];
    if (WAY == VT_SMALL_DOWN)
      before[i] = above.level[i], old[i] = mask[i];
  }
#pragma unroll
  for (int i = 0; i <= VT_SMALL_GROUPS; i++) {
    const bool same = in.level[i] && in.level[i] == before[i];
    mask[i] = old[i] >> 1 | (same ? 0x80000000u : 0);
    if (i == VT_SMALL_GROUPS)
      continue;
    const uint32_t ended = WAY == VT_SMALL_DIAGONAL && last >= VT_SLIDE_WARP ? far[i + 1] : far[i];
    runs.back[i] = min(1 + __clz(static_cast<int>(~mask[i])), side);
    runs.ahead[i] = __ffs(static_cast<int>(~(ended >> (33 - side))));
  }
  return runs;
}

/* Of a row that comes in or goes out: the length by which a column gains a pixel at its own place or `side` further on, and
 * that by which it loses it at the other. */
struct VtSmallPass {
  int level[VT_SMALL_GROUPS], gains[VT_SMALL_GROUPS], loses[VT_SMALL_GROUPS];
};

static __device__ __forceinline__ uint4
vt_small_minus(uint4 a, uint4 b)
{
  return make_uint4(a.x - b.x, a.y - b.y, a.z - b.z, a.w - b.w);
}

static __device__ __forceinline__ const uint4 *
vt_small_entry(const VtSmall &s, const uint4 *table, int level, int length)
{
  return table + (level * (s.args.side + 1) + length) * VT_SMALL_ENTRY;
}

/* Columns `shift` further on gain the pixels of one row and lose those of the other. */
static __device__ __forceinline__ void
vt_small_gain_counts(const VtSmall &s, const VtSmallStrip &strip, const VtSmallPass &one, const VtSmallPass &other,
                     int shift)
{
#pragma unroll
  for (int i = 0; i < VT_SMALL_GROUPS; i++) {
    const int beyond = strip.lane + VT_SLIDE_WARP * i + shift, c = beyond % VT_SMALL_SPAN;
    const int g = beyond == c ? one.level[i] : 0, h = beyond == c ? other.level[i] : 0;
    vt_small_add_length(strip, one.gains[i], c, g, true);
    vt_small_add_length(strip, other.loses[i], c, h, false);
    if (s.levels) {
      vt_small_add_level(strip, g, c, one.gains[i] == 1, true);
      vt_small_add_level(strip, h, c, other.loses[i] == 1, false);
    }
  }
}

static __device__ __forceinline__ void
vt_small_gain_sums(const VtSmall &s, const VtSmallStrip &strip, const VtSmallPass &one, const VtSmallPass &other,
                   int shift)
{
  const uint4 *plus[VT_SMALL_GROUPS], *minus[VT_SMALL_GROUPS];
#pragma unroll
  for (int i = 0; i < VT_SMALL_GROUPS; i++) {
    const bool any = i < VT_SMALL_GROUPS - 1 || strip.lane + VT_SLIDE_WARP * i + shift < VT_SMALL_SPAN;
    plus[i] = vt_small_entry(s, s.gain, any ? one.level[i] : 0, one.gains[i]);
    minus[i] = vt_small_entry(s, s.gain, any ? other.level[i] : 0, other.loses[i]);
  }
#pragma unroll
  for (int w = 0; w < VT_SMALL_ENTRY; w++) {
    uint4 sum[VT_SMALL_GROUPS];
#pragma unroll
    for (int i = 0; i < VT_SMALL_GROUPS; i++)
      sum[i] = vt_small_minus(__ldg(plus[i] + w), __ldg(minus[i] + w));
#pragma unroll
    for (int i = 0; i < VT_SMALL_GROUPS; i++) {
      const int c = (strip.lane + VT_SLIDE_WARP * i + shift) % VT_SMALL_SPAN;
      uint32_t *at = strip.words + 4 * w * VT_SMALL_SPAN + c;
      at[0] += sum[i].x;
      at[VT_SMALL_SPAN] += sum[i].y;
      if (4 * w + 2 < VT_SMALL_N_SUMS) {
        at[2 * VT_SMALL_SPAN] += sum[i].z;
        at[3 * VT_SMALL_SPAN] += sum[i].w;
      }
    }
  }
  __syncwarp();
}

template <bool SUMS>
static __device__ __forceinline__ void
vt_small_gain(const VtSmall &s, const VtSmallStrip &strip, const VtSmallPass &one, const VtSmallPass &other, int shift)
{
  if (SUMS)
    vt_small_gain_sums(s, strip, one, other, shift);
  else
    vt_small_gain_counts(s, strip, one, other, shift);
}

/* --- diagonals: runs that cross a corner of the window --- */

/* As a corner moves, the k-th pixel of a run of level g becomes the k + 1-st: what column c gains no longer. */
static __device__ __forceinline__ void
vt_small_bend_counts(const VtSmall &s, const VtSmallStrip &strip, int g, int k, int c)
{
  const uint32_t one = 1u << (k % 4 * 8);
  vt_small_add(strip, k / 4, c, (k % 4 ? one >> 8 : 0) - one);
  if (k % 4 == 0)
    vt_small_add(strip, k / 4 - 1, c, 1u << 24);
  if (s.levels && k == 1)
    vt_small_add_level(strip, g, c, true, true);
}

static __device__ __forceinline__ void
vt_small_bend_sums(const VtSmall &s, const VtSmallStrip &strip, int g, int k, int c)
{
  const uint4 *entry = vt_small_entry(s, s.bend, g, k + 1);
  const uint4 a = __ldg(entry), b = __ldg(entry + 1);
  const uint32_t amount[8] = { a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w };
#pragma unroll
  for (int w = 0; w < VT_SMALL_LGRE; w++)
    vt_small_add(strip, w, c, amount[w]);
  if (k > 1)
    return;
  const uint4 rest = __ldg(entry + 2);
  vt_small_add(strip, VT_SMALL_LGRE, c, b.w);
  vt_small_add(strip, VT_SMALL_LGRE + 1, c, rest.x);
  vt_small_add(strip, VT_SMALL_LEVEL2, c, rest.y);
}

/* Pixels with more of their run go on a list, since most have none: level, how many more << 8, the first column << 16, and
 * whether columns go down << 24. */
static __device__ __forceinline__ int
vt_small_list(const VtSmallStrip &strip, const VtSmallPass &pass, int shift, bool down, int n)
{
#pragma unroll
  for (int i = 0; i < VT_SMALL_GROUPS; i++) {
    const bool any = pass.gains[i] > 1;
    const uint32_t all = __ballot_sync(~0u, any), before = all & ((1u << strip.lane) - 1);
    if (any)
      strip.list[n + __popc(before)] =
        static_cast<uint32_t>(pass.level[i] | (pass.gains[i] - 1) << 8 | (strip.lane + VT_SLIDE_WARP * i + shift) << 16
                              | (down ? 1 << 24 : 0));
    n += __popc(all);
  }
  return n;
}

template <bool SUMS>
static __device__ __forceinline__ void
vt_small_bend_all(const VtSmall &s, const VtSmallStrip &strip, int n)
{
  __syncwarp();
#pragma unroll 1
  for (int k = 1; n > 0; k++) {
    int n_left = 0;
#pragma unroll 1
    for (int at = strip.lane; at - strip.lane < n; at += VT_SLIDE_WARP) {
      const uint32_t item = at < n ? strip.list[at] : 0;
      const int first = static_cast<int>(item >> 16 & 0xff), c = item >> 24 ? first - k : first + k;
      if (at < n && c < VT_SMALL_SPAN) {
        if (SUMS)
          vt_small_bend_sums(s, strip, static_cast<int>(item & 0xff), k, c);
        else
          vt_small_bend_counts(s, strip, static_cast<int>(item & 0xff), k, c);
      }
      const bool more = static_cast<int>(item >> 8 & 0xff) > k;
      const uint32_t all = __ballot_sync(~0u, more), before = all & ((1u << strip.lane) - 1);
      __syncwarp();
      if (more)
        strip.list[n_left + __popc(before)] = item;
      n_left += __popc(all);
    }
    __syncwarp();
    n = n_left;
  }
}

template <bool SUMS>
static __device__ __forceinline__ void
vt_small_move(const VtSmall &s, const VtSmallStrip &strip, int way, const VtSmallRow &in, const VtSmallRow &out,
              const VtSmallRow &above, uint32_t *mask)
{
  const int side = s.args.side;
  VtSmallPass enters, leaves;
  VtSmallRuns of_in, of_out;
  if (way == VT_SMALL_ALONG) {
    of_in = vt_small_runs_along(in, strip.lane, side);
    of_out = vt_small_runs_along(out, strip.lane, side);
  } else if (way == VT_SMALL_DOWN) {
    of_in = of_out = vt_small_runs_across<VT_SMALL_DOWN>(in, above, mask, strip.lane, side);
  } else {
    of_in = of_out = vt_small_runs_across<VT_SMALL_DIAGONAL>(in, above, mask, strip.lane, side);
  }
#pragma unroll
  for (int i = 0; i < VT_SMALL_GROUPS; i++) {
    enters.level[i] = in.level[i], leaves.level[i] = out.level[i];
    enters.gains[i] = of_in.back[i], leaves.gains[i] = of_out.ahead[i];
    enters.loses[i] = way == VT_SMALL_DIAGONAL ? 1 : way == VT_SMALL_ALONG ? of_in.ahead[i] : of_in.back[i];
    leaves.loses[i] = way == VT_SMALL_DIAGONAL ? 1 : way == VT_SMALL_ALONG ? of_out.back[i] : of_out.ahead[i];
  }
  vt_small_gain<SUMS>(s, strip, enters, leaves, 0);
  vt_small_gain<SUMS>(s, strip, leaves, enters, side);
  if (way == VT_SMALL_DIAGONAL)
    vt_small_bend_all<SUMS>(s, strip,
                            vt_small_list(strip, leaves, 0, false, vt_small_list(strip, enters, side, true, 0)));
  __syncwarp();
}
