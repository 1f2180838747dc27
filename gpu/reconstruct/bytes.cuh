/* SPDX-License-Identifier: MIT
 *
 * bytes.cuh: a tile of 64x64 bytes in shared memory and its sweeps, for one warp.
 *
 * A line of the tile is eight pairs of words, four pixels a word. A lane holds one pair of a line; the lines are cut into
 * four bands of two groups of eight, eight lanes for a band. A word is worked on as two pairs of 16-bit halves: the word
 * itself (odd pixels; the even ones are junk below them, which no maximum or minimum can carry up) and the word shifted
 * by a byte (the even). Every second group or so begins half a bank row later, and pairs change places within a line, so
 * that neither sweeps nor turns of the tile have bank conflicts. Places are in words from the start of a tile; sweeps and
 * turns take addresses in shared memory. */
#pragma once

#include <cuda_runtime.h>
#include <stdint.h>

enum { VT_BYTES_TILE = 64, VT_BYTES_LINE = 16, VT_BYTES_GROUP = 8, VT_BYTES_WORDS = 1088 };

/* Eight pixels of a line: 0 and 2, 1 and 3, 4 and 6, 5 and 7, each in the upper byte of its half. */
struct VtBytesLine {
  uint32_t even[2], odd[2];
};

/* The word where a pair of a group's first line begins, and of any line; chunk: the same for two pairs, 16 bytes. */
static __device__ __forceinline__ int
vt_bytes_group(int group, int pair)
{
  return group * VT_BYTES_GROUP * VT_BYTES_LINE + (group + 1) / 2 * VT_BYTES_LINE + 2 * (pair ^ (group & 6));
}

static __device__ __forceinline__ int
vt_bytes_place(int line, int pair)
{
  return vt_bytes_group(line >> 3, pair) + (line & 7) * VT_BYTES_LINE;
}

static __device__ __forceinline__ int
vt_bytes_chunk(int line, int chunk)
{
  return vt_bytes_place(line, 2 * chunk);
}

/* In assembler: an address in 32 bits, and lines of a group are at constant distances. */
static __device__ __forceinline__ uint2
vt_bytes_get(uint32_t address)
{
  uint2 pair;
  asm volatile("ld.shared.v2.u32 {%0, %1}, [%2];" : "=r"(pair.x), "=r"(pair.y) : "r"(address) : "memory");
  return pair;
}

static __device__ __forceinline__ void
vt_bytes_put(uint32_t address, uint2 pair)
{
  asm volatile("st.shared.v2.u32 [%0], {%1, %2};" ::"r"(address), "r"(pair.x), "r"(pair.y) : "memory");
}

static __device__ __forceinline__ VtBytesLine
vt_bytes_split(uint2 pair)
{
  return VtBytesLine{ { pair.x << 8, pair.y << 8 }, { pair.x, pair.y } };
}

static __device__ __forceinline__ uint2
vt_bytes_join(const VtBytesLine &line)
{
  return make_uint2(__byte_perm(line.even[0], line.odd[0], 0x7351), __byte_perm(line.even[1], line.odd[1], 0x7351));
}

/* The line after `before`, with marker j and mask i. A lane at the end of a line takes one of its own pixels for the
 * missing neighbour. */
template <bool DIAGONALS>
static __device__ __forceinline__ VtBytesLine
vt_bytes_advance(const VtBytesLine &before, uint2 j, uint2 i, uint32_t take_left, uint32_t take_right)
{
  const uint2 shifted = make_uint2(j.x << 8, j.y << 8);
  VtBytesLine best;
  if (DIAGONALS) {
    const uint32_t left = __shfl_up_sync(~0u, before.odd[1], 1, 8), right = __shfl_down_sync(~0u, before.even[0], 1, 8);
    const uint32_t a = __vmaxu2(before.even[0], before.odd[0]), b = __vmaxu2(before.even[1], before.odd[1]);
    best.odd[0] = __vimax3_u16x2(a, j.x, __byte_perm(before.even[0], before.even[1], 0x5432));
    best.even[1] = __vimax3_u16x2(b, shifted.y, __byte_perm(before.odd[1], before.odd[0], 0x1076));
    best.even[0] = __vimax3_u16x2(a, shifted.x, __byte_perm(before.odd[0], left, take_left));
    best.odd[1] = __vimax3_u16x2(b, j.y, __byte_perm(before.even[1], right, take_right));
  } else {
    best.even[0] = __vmaxu2(before.even[0], shifted.x);
    best.odd[0] = __vmaxu2(before.odd[0], j.x);
    best.even[1] = __vmaxu2(before.even[1], shifted.y);
    best.odd[1] = __vmaxu2(before.odd[1], j.y);
  }
  best.even[0] = __vminu2(best.even[0], i.x << 8);
  best.odd[0] = __vminu2(best.odd[0], i.x);
  best.even[1] = __vminu2(best.even[1], i.y << 8);
  best.odd[1] = __vminu2(best.odd[1], i.y);
  return best;
}

/* One of the two ways of a sweep, as it goes. */
struct VtBytesWay {
  VtBytesLine line;
  uint2 old[VT_BYTES_GROUP], high[VT_BYTES_GROUP];
};

static __device__ __forceinline__ void
vt_bytes_enter(VtBytesWay *way, uint32_t marker, int line, int pair)
{
  const bool is_inside = line >= 0 && line < VT_BYTES_TILE;
  const uint2 before = is_inside ? vt_bytes_get(marker + 4 * vt_bytes_place(line, pair)) : make_uint2(0, 0);
  way->line = vt_bytes_split(before);
}

static __device__ __forceinline__ void
vt_bytes_load(VtBytesWay *way, uint32_t marker, uint32_t mask, bool up)
{
#pragma unroll
  for (int k = 0; k < VT_BYTES_GROUP; k++) {
    const int at = 4 * VT_BYTES_LINE * (up ? VT_BYTES_GROUP - 1 - k : k);
    way->old[k] = vt_bytes_get(marker + at);
    way->high[k] = vt_bytes_get(mask + at);
  }
}

/* The k-th line of a group: bits that are set where a pixel rose. */
template <bool DIAGONALS>
static __device__ __forceinline__ uint32_t
vt_bytes_step(VtBytesWay *way, int k, uint32_t marker, bool up, uint32_t take_left, uint32_t take_right)
{
  const uint2 old = way->old[k];
  way->line = vt_bytes_advance<DIAGONALS>(way->line, old, way->high[k], take_left, take_right);
  const uint2 now = vt_bytes_join(way->line);
  vt_bytes_put(marker + 4 * VT_BYTES_LINE * (up ? VT_BYTES_GROUP - 1 - k : k), now);
  return (now.x ^ old.x) | (now.y ^ old.y);
}

/* Whether the line beyond a band can rise still. */
template <bool DIAGONALS>
static __device__ __forceinline__ bool
vt_bytes_is_open(const VtBytesWay &way, uint32_t marker, uint32_t mask, int line, int pair, uint32_t take_left,
                 uint32_t take_right)
{
  const bool is_inside = line >= 0 && line < VT_BYTES_TILE;
  const uint32_t at = 4 * vt_bytes_place(is_inside ? line : 0, pair);
  const uint2 old = vt_bytes_get(marker + at);
  const uint2 now =
    vt_bytes_join(vt_bytes_advance<DIAGONALS>(way.line, old, vt_bytes_get(mask + at), take_left, take_right));
  return is_inside && (now.x != old.x || now.y != old.y);
}

/* One sweep over the lines, down and up at the same time: while one way is in the first group of its band, the other is
 * in the second one, so that no way waits for the other. Bit 0 of the answer: a pixel rose; bit 1: there may be more to
 * do in these two directions. */
template <bool DIAGONALS>
static __device__ __forceinline__ uint32_t
vt_bytes_sweep(uint32_t marker, uint32_t mask, int lane)
{
  const int pair = lane % 8, band = lane / 8;
  const uint32_t take_left = pair == 0 ? 0x1010 : 0x1076, take_right = pair == 7 ? 0x3232 : 0x5432;
  VtBytesWay down, up;
  uint32_t rose = 0, rose_late = 0;
  vt_bytes_enter(&down, marker, 16 * band - 1, pair);
  vt_bytes_enter(&up, marker, 16 * band + 16, pair);
  __syncwarp();
#pragma unroll 1
  for (int n = 0; n < 2; n++) {
    const uint32_t upper = 4 * vt_bytes_group(2 * band + n, pair), lower = 4 * vt_bytes_group(2 * band + 1 - n, pair);
    rose |= rose_late;
    rose_late = 0;
    vt_bytes_load(&down, marker + upper, mask + upper, false);
    vt_bytes_load(&up, marker + lower, mask + lower, true);
#pragma unroll
    for (int k = 0; k < VT_BYTES_GROUP; k++) {
      rose_late |= vt_bytes_step<DIAGONALS>(&down, k, marker + upper, false, take_left, take_right);
      rose_late |= vt_bytes_step<DIAGONALS>(&up, k, marker + lower, true, take_left, take_right);
    }
  }
  __syncwarp();
  bool open = vt_bytes_is_open<DIAGONALS>(down, marker, mask, 16 * band + 16, pair, take_left, take_right);
  open |= vt_bytes_is_open<DIAGONALS>(up, marker, mask, 16 * band - 1, pair, take_left, take_right);
  rose |= rose_late;
  return (__any_sync(~0u, rose != 0) ? 1u : 0u) | (__any_sync(~0u, open || rose_late != 0) ? 2u : 0u);
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

/* The tile at dst becomes that at src with rows and columns exchanged; they may be the same. A lane turns two blocks of
 * 8x8 pixels. Not inlined: the one copy stays in the instruction cache. */
static __device__ __noinline__ void
vt_bytes_turn(uint32_t dst, uint32_t src, int lane)
{
  const int pair = lane % 8;
  uint32_t turned[2][4][4]; /* block, quarter, word */
#pragma unroll
  for (int b = 0; b < 2; b++) {
    const uint32_t from = src + 4 * vt_bytes_group(lane / 8 + 4 * b, pair);
    uint2 in[8];
#pragma unroll
    for (int n = 0; n < 8; n++)
      in[n] = vt_bytes_get(from + 4 * VT_BYTES_LINE * n);
    vt_bytes_turn_block(in[0].x, in[1].x, in[2].x, in[3].x, turned[b][0]);
    vt_bytes_turn_block(in[4].x, in[5].x, in[6].x, in[7].x, turned[b][1]);
    vt_bytes_turn_block(in[0].y, in[1].y, in[2].y, in[3].y, turned[b][2]);
    vt_bytes_turn_block(in[4].y, in[5].y, in[6].y, in[7].y, turned[b][3]);
  }
  __syncwarp();
#pragma unroll
  for (int b = 0; b < 2; b++) {
    const uint32_t to = dst + 4 * vt_bytes_group(pair, lane / 8 + 4 * b);
#pragma unroll
    for (int n = 0; n < 8; n++)
      vt_bytes_put(to + 4 * VT_BYTES_LINE * n,
                   make_uint2(turned[b][n / 4 * 2][n % 4], turned[b][n / 4 * 2 + 1][n % 4]));
  }
  __syncwarp();
}
