/* SPDX-License-Identifier: MIT
 *
 * bytes.cuh: a tile of 64x64 bytes in shared memory and its sweeps, for one warp.
 *
 * A line of the tile is 16 words of four pixels. Lanes 0..15 hold a line of the first 32, lanes 16..31 the line 32
 * below, so a sweep takes 32 steps. A word is worked on as two pairs of 16-bit halves: the word itself (odd pixels; the
 * even ones are junk below them, which no maximum or minimum can carry up) and the word shifted by a byte (the even).
 * Words of line r are rotated by r / 4 places and the second half starts 16 banks on: neither sweeps nor turns of the
 * tile have bank conflicts. */
#pragma once

#include <cuda_runtime.h>
#include <stdint.h>

enum { VT_BYTES_TILE = 64, VT_BYTES_LINE = 16, VT_BYTES_HALF = 32 * VT_BYTES_LINE + 16 };
enum { VT_BYTES_WORDS = 2 * VT_BYTES_HALF, VT_BYTES_BATCH = 8 };

/* The pixels of a line that a lane holds: 0 and 2, 1 and 3, each in the upper byte of its half. */
struct VtBytesLine {
  uint32_t even, odd;
};

static __device__ __forceinline__ int
vt_bytes_place(int row, int word)
{
  return (row >> 5) * VT_BYTES_HALF + (row & 31) * VT_BYTES_LINE + ((word + (row >> 2)) & 15);
}

/* The same for line `row` of a half, cheap where row is a constant. */
static __device__ __forceinline__ int
vt_bytes_place_in(int half, int row, int word)
{
  return half * VT_BYTES_HALF + row * VT_BYTES_LINE + ((word + 8 * half + row / 4) & 15);
}

static __device__ __forceinline__ VtBytesLine
vt_bytes_split(uint32_t word)
{
  return VtBytesLine{ word << 8, word };
}

static __device__ __forceinline__ uint32_t
vt_bytes_join(VtBytesLine line)
{
  return __byte_perm(line.even, line.odd, 0x7351);
}

/* The line after `before`, with marker word j and mask word i. A lane at the end of a line takes one of its own pixels
 * for the missing neighbour. */
template <bool DIAGONALS>
static __device__ __forceinline__ VtBytesLine
vt_bytes_advance(VtBytesLine before, uint32_t j, uint32_t i, uint32_t take_left, uint32_t take_right)
{
  VtBytesLine best = before;
  if (DIAGONALS) {
    const uint32_t left = __shfl_up_sync(~0u, before.odd, 1, 16), right = __shfl_down_sync(~0u, before.even, 1, 16);
    best.even = __vimax3_u16x2(before.even, before.odd, __byte_perm(before.odd, left, take_left));
    best.odd = __vimax3_u16x2(before.odd, before.even, __byte_perm(before.even, right, take_right));
  }
  best.even = __vminu2(__vmaxu2(best.even, j << 8), i << 8);
  best.odd = __vminu2(__vmaxu2(best.odd, j), i);
  return best;
}

/* One sweep over the lines, down or up. Bit 0 of the answer: a pixel rose; bit 1: the two halves do not fit yet. */
template <bool DIAGONALS>
static __device__ uint32_t
vt_bytes_sweep(uint32_t *marker, const uint32_t *mask, int up, int lane)
{
  const int word = lane % 16, half = lane / 16, step = up ? -VT_BYTES_LINE : VT_BYTES_LINE;
  const uint32_t take_left = word == 0 ? 0x1010 : 0x1076, take_right = word == 15 ? 0x3232 : 0x5432;
  VtBytesLine line = { 0, 0 };
  if (half != up)
    line = vt_bytes_split(marker[vt_bytes_place(up ? 32 : 31, word)]);
  uint32_t rose = 0;
  __syncwarp();
#pragma unroll 1
  for (int group = 0; group < 8; group += VT_BYTES_BATCH / 4) {
    uint32_t old[VT_BYTES_BATCH], high[VT_BYTES_BATCH];
    int at[VT_BYTES_BATCH / 4];
#pragma unroll
    for (int k = 0; k < VT_BYTES_BATCH / 4; k++) {
      const int quad = up ? 7 - group - k : group + k;
      at[k] = half * VT_BYTES_HALF + (4 * quad + 3 * up) * VT_BYTES_LINE + ((word + 8 * half + quad) & 15);
    }
#pragma unroll
    for (int n = 0; n < VT_BYTES_BATCH; n++) {
      old[n] = marker[at[n / 4] + n % 4 * step];
      high[n] = mask[at[n / 4] + n % 4 * step];
    }
#pragma unroll
    for (int n = 0; n < VT_BYTES_BATCH; n++) {
      line = vt_bytes_advance<DIAGONALS>(line, old[n], high[n], take_left, take_right);
      const uint32_t now = vt_bytes_join(line);
      rose |= now ^ old[n];
      marker[at[n / 4] + n % 4 * step] = now;
    }
  }
  __syncwarp();
  const int beyond = vt_bytes_place(up ? 31 : 32, word);
  const uint32_t old = marker[beyond];
  line = vt_bytes_advance<DIAGONALS>(line, old, mask[beyond], take_left, take_right);
  const bool open = half == up && vt_bytes_join(line) != old;
  return (__any_sync(~0u, rose != 0) ? 1u : 0u) | (__any_sync(~0u, open) ? 2u : 0u);
}

static __device__ __forceinline__ void
vt_bytes_turn_block(uint32_t block[4])
{
  const uint32_t a = __byte_perm(block[0], block[1], 0x5140), b = __byte_perm(block[2], block[3], 0x5140);
  const uint32_t c = __byte_perm(block[0], block[1], 0x7362), d = __byte_perm(block[2], block[3], 0x7362);
  block[0] = __byte_perm(a, b, 0x5410);
  block[1] = __byte_perm(a, b, 0x7632);
  block[2] = __byte_perm(c, d, 0x5410);
  block[3] = __byte_perm(c, d, 0x7632);
}

/* dst becomes src with rows and columns exchanged; they may be the same. Not inlined: the one copy stays in the
 * instruction cache. */
static __device__ __noinline__ void
vt_bytes_turn(uint32_t *dst, const uint32_t *src, int lane)
{
  const int word = lane % 16, half = lane / 16;
  uint32_t blocks[8][4];
#pragma unroll
  for (int b = 0; b < 8; b++) {
#pragma unroll
    for (int n = 0; n < 4; n++)
      blocks[b][n] = src[vt_bytes_place_in(half, 4 * b + n, word)];
    vt_bytes_turn_block(blocks[b]);
  }
  uint32_t *out = dst + (word >> 3) * VT_BYTES_HALF + (word & 7) * 4 * VT_BYTES_LINE;
  __syncwarp();
#pragma unroll
  for (int b = 0; b < 8; b++)
#pragma unroll
    for (int n = 0; n < 4; n++) /* word 8 * half + b of line 4 * word + n */
      out[n * VT_BYTES_LINE + ((8 * half + b + word) & 15)] = blocks[b][n];
  __syncwarp();
}
