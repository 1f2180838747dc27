/* SPDX-License-Identifier: MIT
 *
 * small-rows.cuh: rows of pixels and how far their runs have come, for the four columns of a lane at once: a byte of a word
 * each. Lengths are at most `side`; they are kept times 16 and 0 where there is no pixel. */
#pragma once

#include "small.cuh"

enum { VT_SMALL_ALONG, VT_SMALL_DOWN, VT_SMALL_DIAGONAL };

/* Of a row that comes in and of one that goes out: the lengths by which a column gains a pixel of it and loses it. The one
 * that comes in is gained at its column and lost `side` columns on; the one that goes out the other way around. */
struct VtSmallPass {
  uint32_t in, out; /* levels */
  uint32_t in_gains, in_loses, out_gains, out_loses;
};

/* What is known of the rows above the one that comes in. mask: 16 bits a column, a bit for each pixel that continues the
 * run of the one before it, the last one lowest; beyond: of columns 128 + 4 * lane..., in the strip's first lanes. */
struct VtSmallAbove {
  uint32_t level, back, mask[2], beyond[2];
};

/* Pixels as they were loaded: used a row later, so that nobody waits for them. */
struct VtSmallLoaded {
  uint32_t low, high, shift; /* shift: of what is in the lowest five bits */
};

/* The row to be loaded next. */
struct VtSmallNext {
  const uint8_t *first; /* of the lane's four pixels, from the left */
  int y;
};

static __device__ __forceinline__ VtSmallNext
vt_small_from(const VtSmall &s, const VtSmallStrip &strip, int y)
{
  return { strip.pixels + static_cast<int64_t>(y) * s.args.src.stride - (strip.by > 0 ? 0 : 3), y };
}

static __device__ __forceinline__ VtSmallLoaded
vt_small_load(const VtSmall &s, const VtSmallStrip &strip, VtSmallNext *next)
{
  VtSmallLoaded loaded = {};
  const uint8_t *first = next->first;
  const uint32_t y = static_cast<uint32_t>(next->y), height = static_cast<uint32_t>(s.args.src.height);
  next->first += s.args.src.stride;
  next->y++;
  if (!strip.mask || y >= height)
    return loaded;
  if (strip.has & VT_SMALL_WHOLE || (strip.has & VT_SMALL_NEAR && y - 1 < height - 2)) {
    const uintptr_t at = reinterpret_cast<uintptr_t>(first);
    const uint32_t *words = reinterpret_cast<const uint32_t *>(at & ~static_cast<uintptr_t>(3));
    return { __ldg(words), __ldg(words + 1), static_cast<uint32_t>(at) * 8 };
  }
#pragma unroll
  for (int k = 0; k < VT_SMALL_COLUMNS; k++)
    if (strip.has >> (strip.by > 0 ? k : 3 - k) & 1)
      loaded.low |= static_cast<uint32_t>(__ldg(first + k)) << (8 * k);
  return loaded;
}

static __device__ __forceinline__ uint32_t
vt_small_four(const VtSmallStrip &strip, const VtSmallLoaded &loaded)
{
  const uint32_t four = __funnelshift_r(loaded.low, loaded.high, loaded.shift);
  return (strip.by > 0 ? four : __byte_perm(four, 0, 0x0123)) & strip.mask;
}

/* Bit 7 of each byte that isn't 0; they are below 128. */
static __device__ __forceinline__ uint32_t
vt_small_some(uint32_t bytes)
{
  return (bytes + 0x7f7f7f7fu) & 0x80808080u;
}

/* 255 for each byte with bit 7. */
static __device__ __forceinline__ uint32_t
vt_small_spread(uint32_t bits)
{
  uint32_t bytes;
  asm("prmt.b32 %0, %1, 0, 0xba98;" : "=r"(bytes) : "r"(bits));
  return bytes;
}

/* Of the lane `d` to the left; 0 left of the strip. */
static __device__ __forceinline__ uint32_t
vt_small_left(uint32_t value, int d)
{
  uint32_t left;
  asm volatile("{ .reg .pred has;\n"
               "  shfl.sync.up.b32 %0|has, %1, %2, 0, 0xffffffff;\n"
               "  @!has mov.b32 %0, 0; }"
               : "=r"(left)
               : "r"(value), "r"(d));
  return left;
}

/* Adds the sum of the lane `d` to the left; nothing left of the strip. */
static __device__ __forceinline__ void
vt_small_add_left(uint32_t *sum, int d)
{
  asm volatile("{ .reg .b32 other; .reg .pred has;\n"
               "  shfl.sync.up.b32 other|has, %0, %1, 0, 0xffffffff;\n"
               "  @has add.u32 %0, %0, other; }"
               : "+r"(*sum)
               : "r"(d));
}

/* The same of two or four together, so that none waits for another. */
static __device__ __forceinline__ void
vt_small_add_left2(uint32_t *sum, int d)
{
  asm volatile("{ .reg .b32 a, b; .reg .pred has;\n"
               "  shfl.sync.up.b32 a, %0, %2, 0, 0xffffffff;\n"
               "  shfl.sync.up.b32 b|has, %1, %2, 0, 0xffffffff;\n"
               "  @has add.u32 %0, %0, a;\n"
               "  @has add.u32 %1, %1, b; }"
               : "+r"(sum[0]), "+r"(sum[1])
               : "r"(d));
}

static __device__ __forceinline__ void
vt_small_add_left4(uint32_t *sum, int d)
{
  asm volatile("{ .reg .b32 a, b, c, e; .reg .pred has;\n"
               "  shfl.sync.up.b32 a|has, %0, %4, 0, 0xffffffff;\n"
               "  shfl.sync.up.b32 b, %1, %4, 0, 0xffffffff;\n"
               "  shfl.sync.up.b32 c, %2, %4, 0, 0xffffffff;\n"
               "  shfl.sync.up.b32 e, %3, %4, 0, 0xffffffff;\n"
               "  @has add.u32 %0, %0, a;\n"
               "  @has add.u32 %1, %1, b;\n"
               "  @has add.u32 %2, %2, c;\n"
               "  @has add.u32 %3, %3, e; }"
               : "+r"(sum[0]), "+r"(sum[1]), "+r"(sum[2]), "+r"(sum[3])
               : "r"(d));
}

/* Bytes of the columns `side` to the left. */
static __device__ __forceinline__ uint32_t
vt_small_shift(uint32_t bytes, int side)
{
  const int lanes = (side + 3) / 4;
  return __funnelshift_r(vt_small_left(bytes, lanes), vt_small_left(bytes, lanes - 1),
                         static_cast<uint32_t>(4 * lanes - side) * 8);
}

/* --- runs along rows --- */

/* Bits of 32 columns, the last of them the lane's own. */
static __device__ __forceinline__ uint32_t
vt_small_gather(uint32_t same)
{
  uint32_t bits = ((same >> 7) * 0x01020408u) >> 24;
  bits = vt_small_left(bits, 1) | bits << 4;
  bits = vt_small_left(bits, 2) | bits << 8;
  return vt_small_left(bits, 4) | bits << 16;
}

static __device__ __forceinline__ void
vt_small_runs_along(uint32_t level, int lane, int side, uint32_t *back, uint32_t *ahead)
{
  const uint32_t before = __funnelshift_l(vt_small_left(level, 1), level, 8), some = vt_small_some(level);
  const uint32_t bits = vt_small_gather(some & ~vt_small_some(level ^ before)), mask = vt_small_spread(some);
  const int from = min(lane + 4, VT_SLIDE_WARP - 1); /* whose bits end 16 columns further on, or at the strip's end */
  const uint32_t next = __brev(__shfl_sync(~0u, bits, from) >> (4 * (lane + 4 - from)));
  uint32_t b = 0, a = 0;
#pragma unroll
  for (int j = 0; j < VT_SMALL_COLUMNS; j++) {
    b |= static_cast<uint32_t>(min(1 + __clz(static_cast<int>(~(bits << (3 - j)))), side)) << (8 * j + 4);
    a |= static_cast<uint32_t>(min(1 + __clz(static_cast<int>(~(next << (13 + j)))), side)) << (8 * j + 4);
  }
  *back = b & mask;
  *ahead = a & mask;
}

/* --- runs that come from above --- */

/* mask and beyond of columns one to the left, where diagonals come from. */
static __device__ __forceinline__ void
vt_small_move_masks(VtSmallAbove *above, int lane)
{
  const uint32_t left = vt_small_left(above->mask[1], 1);
  const uint32_t beyond = __shfl_sync(~0u, lane == VT_SLIDE_WARP - 1 ? above->mask[1] : above->beyond[1], lane + 31);
  above->mask[1] = __funnelshift_l(above->mask[0], above->mask[1], 16);
  above->mask[0] = __funnelshift_l(left, above->mask[0], 16);
  above->beyond[1] = __funnelshift_l(above->beyond[0], above->beyond[1], 16);
  above->beyond[0] = __funnelshift_l(beyond, above->beyond[0], 16);
}

/* Masks where the diagonals end that go through the row that goes out: side - 1 columns to the right. */
static __device__ __forceinline__ void
vt_small_far_masks(const VtSmallAbove &above, int lane, int side, uint32_t *far)
{
  const int lanes = (side - 1) / 4;
  uint32_t piece[3];
#pragma unroll
  for (int k = 0; k < 2; k++)
    piece[k] = __shfl_sync(~0u, lane < lanes ? above.beyond[k] : above.mask[k], lane + lanes);
  piece[2] = __shfl_sync(~0u, lane <= lanes ? above.beyond[0] : above.mask[0], lane + lanes + 1);
  const bool two = (side - 1) % 4; /* sides are odd */
  far[0] = two ? piece[1] : piece[0];
  far[1] = two ? piece[2] : piece[1];
}

/* Lengths of the row that goes out. */
static __device__ __forceinline__ uint32_t
vt_small_ahead(uint32_t level, const uint32_t *mask, int side)
{
  uint32_t ahead = 0x10101010;
#pragma unroll
  for (int j = 0; j < VT_SMALL_COLUMNS; j++) {
    const uint32_t ones = mask[j / 2] << (j % 2 ? 17 - side : 33 - side);
    ahead += static_cast<uint32_t>(__clz(static_cast<int>(~ones))) << (8 * j + 4);
  }
  return ahead & vt_small_spread(vt_small_some(level));
}

/* Lengths of the row that comes in; bit 7 where its pixels continue the runs of those above. */
static __device__ __forceinline__ uint32_t
vt_small_lengthen(VtSmallAbove *above, uint32_t level, int side)
{
  const uint32_t some = vt_small_some(level), same = some & ~vt_small_some(level ^ above->level);
  const uint32_t before = above->back & vt_small_spread(same);
  const uint32_t short_of = vt_small_some(before ^ static_cast<uint32_t>(side) * 0x01010101u);
  above->back = ((before + (short_of >> 7)) & vt_small_spread(same)) + ((some & ~same) >> 7);
  above->level = level;
  return same;
}

/* Along diagonals: what is above a lane's columns. */
static __device__ __forceinline__ void
vt_small_move_above(VtSmallAbove *above)
{
  above->level = __funnelshift_l(vt_small_left(above->level, 1), above->level, 8);
  above->back = __funnelshift_l(vt_small_left(above->back, 1), above->back, 8);
}

/* Lengths of the row that comes in, and its bits into the masks. */
static __device__ __forceinline__ uint32_t
vt_small_back(VtSmallAbove *above, uint32_t level, int side)
{
  const uint32_t keep = (1u << (side - 1)) - 1, bits = vt_small_lengthen(above, level, side) >> 7;
  const uint32_t low = __byte_perm(bits, 0, 0x4140), high = __byte_perm(bits, 0, 0x4342);
  above->mask[0] = (above->mask[0] << 1 & keep * 0x10001u) | low;
  above->mask[1] = (above->mask[1] << 1 & keep * 0x10001u) | high;
  above->beyond[0] = above->beyond[0] << 1 & keep * 0x10001u;
  above->beyond[1] = above->beyond[1] << 1 & keep * 0x10001u;
  return above->back << 4;
}

static __device__ __forceinline__ VtSmallPass
vt_small_pass_down(VtSmallAbove *above, uint32_t in, uint32_t out, int side)
{
  VtSmallPass pass;
  pass.in = in, pass.out = out;
  pass.out_gains = pass.out_loses = vt_small_ahead(out, above->mask, side);
  pass.in_gains = pass.in_loses = vt_small_back(above, in, side);
  return pass;
}

static __device__ __forceinline__ VtSmallPass
vt_small_pass_diagonal(VtSmallAbove *above, uint32_t in, uint32_t out, int lane, int side)
{
  VtSmallPass pass;
  uint32_t far[2];
  pass.in = in, pass.out = out;
  vt_small_far_masks(*above, lane, side, far);
  pass.out_gains = vt_small_ahead(out, far, side);
  pass.out_loses = vt_small_some(out) >> 3;
  vt_small_move_masks(above, lane);
  vt_small_move_above(above);
  pass.in_gains = vt_small_back(above, in, side);
  pass.in_loses = vt_small_some(in) >> 3;
  return pass;
}

static __device__ __forceinline__ VtSmallPass
vt_small_pass_along(const VtSmallStrip &strip, uint32_t in, uint32_t out, uint32_t at, int side)
{
  VtSmallPass pass;
  uint32_t *const lengths = strip.lengths + strip.lane;
  pass.in = in, pass.out = out;
  vt_small_runs_along(in, strip.lane, side, &pass.in_gains, &pass.in_loses);
  const uint32_t old = lengths[(at - static_cast<uint32_t>(side)) % VT_SMALL_ROWS * VT_SLIDE_WARP];
  lengths[at % VT_SMALL_ROWS * VT_SLIDE_WARP] = pass.in_gains | pass.in_loses >> 4;
  pass.out_loses = old & 0xf0f0f0f0;
  pass.out_gains = old << 4 & 0xf0f0f0f0;
  return pass;
}
