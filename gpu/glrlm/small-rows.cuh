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

/* What four columns gain, a uint4 of the entries of what they gain and lose. */
struct VtSmallGain {
  int plus[VT_SMALL_GROUPS], minus[VT_SMALL_GROUPS];
};

static __device__ __forceinline__ uint4
vt_small_minus(uint4 a, uint4 b)
{
  return make_uint4(a.x - b.x, a.y - b.y, a.z - b.z, a.w - b.w);
}

static __device__ __forceinline__ void
vt_small_gain(const VtSmall &s, const VtSmallStrip &strip, const VtSmallGain &gain, int shift)
{
#pragma unroll
  for (int w = 0; w < VT_SMALL_ENTRY; w++) {
    uint4 sum[VT_SMALL_GROUPS];
#pragma unroll
    for (int i = 0; i < VT_SMALL_GROUPS; i++)
      sum[i] = vt_small_minus(__ldg(s.gain + gain.plus[i] + w), __ldg(s.gain + gain.minus[i] + w));
#pragma unroll
    for (int i = 0; i < VT_SMALL_GROUPS; i++) {
      const int c = strip.lane + VT_SLIDE_WARP * i + shift;
      uint32_t *at = strip.words + (VT_SMALL_SUMS + 4 * w) * VT_SMALL_SPAN + c;
      if (i == VT_SMALL_GROUPS - 1 && c >= VT_SMALL_SPAN)
        continue;
      at[0] += sum[i].x;
      at[VT_SMALL_SPAN] += sum[i].y;
      if (4 * w + 2 < VT_SMALL_N_SUMS) {
        at[2 * VT_SMALL_SPAN] += sum[i].z;
        at[3 * VT_SMALL_SPAN] += sum[i].w;
      }
    }
  }
}

/* A run of level g grows from i to i + 1 pixels as the window's edge moves: what column c gains no longer. */
static __device__ __forceinline__ void
vt_small_bend(const VtSmall &s, const VtSmallStrip &strip, int g, int i, int c)
{
  if (c >= VT_SMALL_SPAN)
    return;
  if (s.sums) {
    const uint4 *entry = s.bend + (g * (s.args.side + 1) + i + 1) * VT_SMALL_ENTRY;
    const uint4 a = __ldg(entry), b = __ldg(entry + 1);
    const uint32_t amount[8] = { a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w };
#pragma unroll
    for (int w = 0; w < VT_SMALL_LEVEL2; w++)
      vt_small_add(strip, VT_SMALL_SUMS + w, c, 0 - amount[w]);
    if (i == 1) {
      const uint4 rest = __ldg(entry + 2);
      vt_small_add(strip, VT_SMALL_SUMS + VT_SMALL_LEVEL2, c, 0 - b.w);
      vt_small_add(strip, VT_SMALL_SUMS + VT_SMALL_LGRE, c, 0 - rest.x);
      vt_small_add(strip, VT_SMALL_SUMS + VT_SMALL_LGRE + 1, c, 0 - rest.y);
    }
  }
  vt_small_add_length(strip, i + 1, c, true, false);
  vt_small_add_length(strip, i, c, true, true);
  if (s.levels && i == 1)
    vt_small_add_level(strip, g, c, true, true);
}

static __device__ __forceinline__ int
vt_small_warp_max(int value)
{
#if __CUDA_ARCH__ >= 800
  return __reduce_max_sync(~0u, value);
#else
  for (int d = VT_SLIDE_WARP / 2; d > 0; d /= 2)
    value = max(value, __shfl_xor_sync(~0u, value, d));
  return value;
#endif
}

/* Diagonals: runs through the row that comes in, or begin in the one that goes out, cross corners of the windows. */
static __device__ __forceinline__ void
vt_small_bend_all(const VtSmall &s, const VtSmallStrip &strip, const VtSmallRow &in, const VtSmallRow &out,
                  const VtSmallRuns &runs)
{
  int most = 0;
#pragma unroll
  for (int i = 0; i < VT_SMALL_GROUPS; i++)
    most = max(most, max(runs.back[i], runs.ahead[i]));
  most = vt_small_warp_max(most);
  for (int k = 1; k < most; k++)
#pragma unroll
    for (int i = 0; i < VT_SMALL_GROUPS; i++) {
      const int c = strip.lane + VT_SLIDE_WARP * i;
      if (k < runs.back[i])
        vt_small_bend(s, strip, in.level[i], k, c + s.args.side - k);
      if (k < runs.ahead[i])
        vt_small_bend(s, strip, out.level[i], k, c + k);
    }
}

template <int WAY>
static __device__ __forceinline__ void
vt_small_move(const VtSmall &s, const VtSmallStrip &strip, const VtSmallRow &in, const VtSmallRow &out,
              const VtSmallRow &above, uint32_t *mask)
{
  const int side = s.args.side;
  const VtSmallRuns of_in = WAY == VT_SMALL_ALONG ? vt_small_runs_along(in, strip.lane, side)
                                                  : vt_small_runs_across<WAY>(in, above, mask, strip.lane, side);
  const VtSmallRuns of_out = WAY == VT_SMALL_ALONG ? vt_small_runs_along(out, strip.lane, side) : of_in;
  VtSmallGain near, far;
#pragma unroll
  for (int i = 0; i < VT_SMALL_GROUPS; i++) {
    const int c = strip.lane + VT_SLIDE_WARP * i, g = in.level[i], h = out.level[i];
    const int enters = of_in.back[i], leaves = of_out.ahead[i];
    const int stays = WAY == VT_SMALL_DIAGONAL ? 1 : WAY == VT_SMALL_ALONG ? of_in.ahead[i] : enters;
    const int stayed = WAY == VT_SMALL_DIAGONAL ? 1 : WAY == VT_SMALL_ALONG ? of_out.back[i] : leaves;
    const bool beyond = i == VT_SMALL_GROUPS - 1 && c + side >= VT_SMALL_SPAN;
    near.plus[i] = (g * (side + 1) + enters) * VT_SMALL_ENTRY;
    near.minus[i] = (h * (side + 1) + stayed) * VT_SMALL_ENTRY;
    far.plus[i] = (h * (side + 1) + leaves) * VT_SMALL_ENTRY;
    far.minus[i] = (g * (side + 1) + stays) * VT_SMALL_ENTRY;
    vt_small_add_length(strip, enters, c, g, true);
    vt_small_add_length(strip, stayed, c, h, false);
    vt_small_add_length(strip, leaves, c + side, h && !beyond, true);
    vt_small_add_length(strip, stays, c + side, g && !beyond, false);
    if (s.levels) {
      vt_small_add_level(strip, g, c, enters == 1, true);
      vt_small_add_level(strip, h, c, stayed == 1, false);
      vt_small_add_level(strip, h, c + side, leaves == 1 && !beyond, true);
      vt_small_add_level(strip, g, c + side, stays == 1 && !beyond, false);
    }
  }
  if (s.sums) {
    __syncwarp();
    vt_small_gain(s, strip, near, 0);
    __syncwarp();
    vt_small_gain(s, strip, far, side);
    __syncwarp();
  }
  if (WAY == VT_SMALL_DIAGONAL)
    vt_small_bend_all(s, strip, in, out, of_in);
  __syncwarp();
}
