/* SPDX-License-Identifier: MIT
 *
 * bytes.cuh: a tile of 64x64 bytes in shared memory and its sweeps, for one warp.
 *
 * A line of the tile is sixteen words of four pixels. A lane holds one word of a line; the lines are cut into two bands of
 * four groups of eight, sixteen lanes for a band. A word is worked on as two pairs of 16-bit halves: the word itself (odd
 * pixels; the even ones are junk below them, which no maximum or minimum can carry up) and the word shifted by a byte (the
 * even). In every second group or so lines change places in pairs, and pairs of words change places within a line, so that
 * neither sweeps nor turns of the tile have bank conflicts. Places are in words from the start of a tile; sweeps and turns
 * take addresses in shared memory. */
#pragma once

#include <cuda_runtime.h>
#include <stdint.h>

enum { VT_BYTES_TILE = 64, VT_BYTES_LINE = 16, VT_BYTES_GROUP = 8, VT_BYTES_WORDS = VT_BYTES_TILE * VT_BYTES_LINE };
enum { VT_BYTES_BANDS = 2, VT_BYTES_BAND_GROUPS = VT_BYTES_TILE / VT_BYTES_GROUP / VT_BYTES_BANDS };

/* Four pixels of a line: 0 and 2, 1 and 3, and those left of 0 and 2, each in the upper byte of its half. */
struct VtBytesLine {
  uint32_t even, odd, left;
};

/* Whether the lines of a group change places: 0 with 1, 2 with 3 and so on. */
static __device__ __forceinline__ int
vt_bytes_swap(int group)
{
  return __popc(static_cast<unsigned>(group)) & 1;
}

/* The place of a pair of words in a group's first line, if its lines do not change places; that of any line; chunk: the
 * same for two pairs, 16 bytes. */
static __device__ __forceinline__ int
vt_bytes_group(int group, int pair)
{
  return group * VT_BYTES_GROUP * VT_BYTES_LINE + 2 * (pair ^ (group & 6));
}

static __device__ __forceinline__ int
vt_bytes_place(int line, int pair)
{
  const int group = line >> 3;
  return vt_bytes_group(group, pair) + ((line & 7) ^ vt_bytes_swap(group)) * VT_BYTES_LINE;
}

static __device__ __forceinline__ int
vt_bytes_chunk(int line, int chunk)
{
  return vt_bytes_place(line, 2 * chunk);
}

/* In assembler: an address in 32 bits, and lines of a group are at constant distances. */
static __device__ __forceinline__ uint32_t
vt_bytes_get(uint32_t address)
{
  uint32_t word;
  asm volatile("ld.shared.u32 %0, [%1];" : "=r"(word) : "r"(address) : "memory");
  return word;
}

static __device__ __forceinline__ void
vt_bytes_put(uint32_t address, uint32_t word)
{
  asm volatile("st.shared.u32 [%0], %1;" ::"r"(address), "r"(word) : "memory");
}

static __device__ __forceinline__ uint2
vt_bytes_get2(uint32_t address)
{
  uint2 pair;
  asm volatile("ld.shared.v2.u32 {%0, %1}, [%2];" : "=r"(pair.x), "=r"(pair.y) : "r"(address) : "memory");
  return pair;
}

static __device__ __forceinline__ void
vt_bytes_put2(uint32_t address, uint2 pair)
{
  asm volatile("st.shared.v2.u32 [%0], {%1, %2};" ::"r"(address), "r"(pair.x), "r"(pair.y) : "memory");
}

/* Where a pair's words of a group's even lines begin, and of its odd ones. */
struct VtBytesGroup {
  uint32_t even, odd;
  __device__ uint32_t line(int n) const
  {
    return (n & 1 ? odd : even) + 4 * VT_BYTES_LINE * static_cast<uint32_t>(n);
  }
};

static __device__ __forceinline__ VtBytesGroup
vt_bytes_group_at(uint32_t tile, int group, int pair)
{
  const uint32_t at = tile + 4 * static_cast<uint32_t>(vt_bytes_group(group, pair));
  const uint32_t swap = vt_bytes_swap(group) ? 4 * VT_BYTES_LINE : 0;
  return VtBytesGroup{ at + swap, at - swap };
}

/* What a lane takes beside its pixels from the lanes beside it. At the end of a line it is one of its own pixels. */
struct VtBytesEnds {
  uint32_t left, right;
};

static __device__ __forceinline__ uint32_t
vt_bytes_left_of_even(uint32_t odd, const VtBytesEnds &take)
{
  return __byte_perm(odd, __shfl_up_sync(~0u, odd, 1, VT_BYTES_LINE), take.left);
}

static __device__ __forceinline__ uint32_t
vt_bytes_right_of_odd(uint32_t even, const VtBytesEnds &take)
{
  return __byte_perm(even, __shfl_down_sync(~0u, even, 1, VT_BYTES_LINE), take.right);
}

/* The line after `before`, with marker j and mask i: what comes from `before`, and then a pixel along the line, odd pixels
 * first. So a path that winds is followed, and a sweep in which nothing rises has looked at all neighbours. */
template <bool DIAGONALS>
static __device__ __forceinline__ VtBytesLine
vt_bytes_advance(const VtBytesLine &before, uint32_t j, uint32_t i, const VtBytesEnds &take)
{
  VtBytesLine best;
  if (DIAGONALS) {
    const uint32_t both = __vmaxu2(before.even, before.odd);
    best.even = __vimax3_u16x2(both, j << 8, before.left);
    best.odd = __vimax3_u16x2(both, j, vt_bytes_right_of_odd(before.even, take));
  } else {
    best.even = __vmaxu2(before.even, j << 8);
    best.odd = __vmaxu2(before.odd, j);
  }
  best.even = __vminu2(best.even, i << 8);
  best.odd = __vminu2(best.odd, i);
  best.odd = __vminu2(__vimax3_u16x2(best.odd, best.even, vt_bytes_right_of_odd(best.even, take)), i);
  best.left = vt_bytes_left_of_even(best.odd, take);
  best.even = __vminu2(__vimax3_u16x2(best.even, best.odd, best.left), i << 8);
  return best;
}

/* One of the two ways of a sweep, as it goes. */
struct VtBytesWay {
  VtBytesLine line;
  uint32_t old[VT_BYTES_GROUP], high[VT_BYTES_GROUP];
};

/* word: of a line, the lane's. */
static __device__ __forceinline__ void
vt_bytes_enter(VtBytesWay *way, uint32_t marker, int line, int word, const VtBytesEnds &take)
{
  const bool is_inside = line >= 0 && line < VT_BYTES_TILE;
  const uint32_t at = 4 * static_cast<uint32_t>(vt_bytes_place(is_inside ? line : 0, word / 2) + word % 2);
  const uint32_t before = is_inside ? vt_bytes_get(marker + at) : 0;
  way->line = VtBytesLine{ before << 8, before, vt_bytes_left_of_even(before, take) };
}

/* mask: its distance from the marker. */
static __device__ __forceinline__ void
vt_bytes_load(VtBytesWay *way, const VtBytesGroup &group, uint32_t mask, bool up)
{
#pragma unroll
  for (int k = 0; k < VT_BYTES_GROUP; k++) {
    const uint32_t at = group.line(up ? VT_BYTES_GROUP - 1 - k : k);
    way->old[k] = vt_bytes_get(at);
    way->high[k] = vt_bytes_get(at + mask);
  }
}

/* The k-th line of a group: bits that are set where a pixel rose. */
template <bool DIAGONALS>
static __device__ __forceinline__ uint32_t
vt_bytes_step(VtBytesWay *way, int k, const VtBytesGroup &group, bool up, const VtBytesEnds &take)
{
  way->line = vt_bytes_advance<DIAGONALS>(way->line, way->old[k], way->high[k], take);
  const uint32_t now = __byte_perm(way->line.even, way->line.odd, 0x7351);
  vt_bytes_put(group.line(up ? VT_BYTES_GROUP - 1 - k : k), now);
  return now ^ way->old[k];
}

/* One sweep over the lines, down and up at the same time, so that no way waits for the other: they are never in the same
 * group. Whether a pixel rose: if none did, none can. mask: its distance from the marker. */
template <bool DIAGONALS>
static __device__ __forceinline__ bool
vt_bytes_sweep(uint32_t marker, uint32_t mask, int lane)
{
  const int word = lane % VT_BYTES_LINE, first = lane / VT_BYTES_LINE * VT_BYTES_BAND_GROUPS;
  const int last = first + VT_BYTES_BAND_GROUPS - 1;
  const VtBytesEnds take = { word == 0 ? 0x1010u : 0x1076u, word == VT_BYTES_LINE - 1 ? 0x3232u : 0x5432u };
  const uint32_t words = marker + 4 * static_cast<uint32_t>(word % 2);
  VtBytesWay down, up;
  uint32_t rose = 0;
  vt_bytes_enter(&down, marker, VT_BYTES_GROUP * first - 1, word, take);
  vt_bytes_enter(&up, marker, VT_BYTES_GROUP * (last + 1), word, take);
  __syncwarp();
#pragma unroll 1
  for (int n = 0; n < VT_BYTES_BAND_GROUPS; n++) {
    const VtBytesGroup upper = vt_bytes_group_at(words, first + n, word / 2);
    const VtBytesGroup lower = vt_bytes_group_at(words, last - n, word / 2);
    vt_bytes_load(&down, upper, mask, false);
    vt_bytes_load(&up, lower, mask, true);
#pragma unroll
    for (int k = 0; k < VT_BYTES_GROUP; k++) {
      rose |= vt_bytes_step<DIAGONALS>(&down, k, upper, false, take);
      rose |= vt_bytes_step<DIAGONALS>(&up, k, lower, true, take);
    }
  }
  __syncwarp();
  return __any_sync(~0u, rose != 0);
}

/* 4x4 bytes: word n of the answer has byte n of a, b, c, d. */
static __device__ __forceinline__ void
vt_bytes_turn_block(uint32_t a, uint32_t b, uint32_t c, uint32_t d, uint32_t turned[4])
{
  const uint32_t p = __byte_perm(a, b, 0x5140), q = __byte_perm(c, d, 0x5140);
  const uint32_t r = __byte_perm(a, b, 0x7362), s = __byte_perm(c, d, 0x7362);
  turned[0] = __byte_perm(p, q, 0x5410);
  turned[1] = __byte_perm(p, q, 0x7632);
  turned[2] = __byte_perm(r, s, 0x5410);
  turned[3] = __byte_perm(r, s, 0x7632);
}

/* Exchanges rows and columns. A lane turns two blocks of 8x8 pixels. Not inlined: the one copy stays in the instruction
 * cache. */
static __device__ __noinline__ void
vt_bytes_turn(uint32_t tile, int lane)
{
  const int pair = lane % 8;
  uint32_t turned[2][4][4]; /* block, quarter, word */
#pragma unroll
  for (int b = 0; b < 2; b++) {
    const VtBytesGroup from = vt_bytes_group_at(tile, lane / 8 + 4 * b, pair);
    uint2 in[8];
#pragma unroll
    for (int n = 0; n < 8; n++)
      in[n] = vt_bytes_get2(from.line(n));
    vt_bytes_turn_block(in[0].x, in[1].x, in[2].x, in[3].x, turned[b][0]);
    vt_bytes_turn_block(in[4].x, in[5].x, in[6].x, in[7].x, turned[b][1]);
    vt_bytes_turn_block(in[0].y, in[1].y, in[2].y, in[3].y, turned[b][2]);
    vt_bytes_turn_block(in[4].y, in[5].y, in[6].y, in[7].y, turned[b][3]);
  }
  __syncwarp();
#pragma unroll
  for (int b = 0; b < 2; b++) {
    const VtBytesGroup to = vt_bytes_group_at(tile, pair, lane / 8 + 4 * b);
#pragma unroll
    for (int n = 0; n < 8; n++)
      vt_bytes_put2(to.line(n), make_uint2(turned[b][n / 4 * 2][n % 4], turned[b][n / 4 * 2 + 1][n % 4]));
  }
  __syncwarp();
}
