/* SPDX-License-Identifier: MIT
 *
 * mask.cuh: the mask of one region as bits that a warp works on: a lane takes rows. All lanes call these together; what one
 * has written the others see when a function returns. Around the box there is a margin of empty pixels. */
#pragma once

#include "regions.cuh"

struct VtRgMask {
  VtRgBox box; /* window */
  int32_t margin, rows, n_words,
    pitch; /* rows and words of a row with the margin; pitch is odd, so that rows lie in other banks */
  uint32_t *bits, *spare, *third;
};
enum { VT_RG_MASKS = 3 /* of a mask's memory */ };

static inline __host__ __device__ int32_t
vt_rg_pitch(int32_t width, int32_t margin)
{
  return vt_rg_words(width + 2 * margin) | 1;
}

/* Words that one of its planes takes. */
static inline __host__ __device__ int32_t
vt_rg_plane_words(int32_t width, int32_t height, int32_t margin)
{
  return vt_rg_pitch(width, margin) * (height + 2 * margin);
}

/* memory: VT_RG_MASKS planes. */
static __device__ VtRgMask
vt_rg_mask(const VtRgBox &box, int32_t margin, uint32_t *memory)
{
  const int32_t n = vt_rg_plane_words(vt_rg_width(box), vt_rg_height(box), margin);
  return VtRgMask{ box,
                   margin,
                   vt_rg_height(box) + 2 * margin,
                   vt_rg_words(vt_rg_width(box) + 2 * margin),
                   vt_rg_pitch(vt_rg_width(box), margin),
                   memory,
                   memory + n,
                   memory + 2 * n };
}

static __device__ __forceinline__ void
vt_rg_clear(const VtRgMask &m, uint32_t *plane)
{
  for (int32_t i = vt_rg_lane(); i < m.rows * m.pitch; i += VT_RG_LANES)
    plane[i] = 0;
  __syncwarp();
}

static __device__ __forceinline__ void
vt_rg_copy(const VtRgMask &m, uint32_t *to, const uint32_t *from)
{
  for (int32_t i = vt_rg_lane(); i < m.rows * m.pitch; i += VT_RG_LANES)
    to[i] = from[i];
  __syncwarp();
}

/* Calls f(i, j) for word j of each inner row, whose index in a plane is i. Rows of the margin's outermost line are left out. */
template <typename F>
static __device__ __forceinline__ void
vt_rg_each_word(const VtRgMask &m, const F &f)
{
  for (int32_t y = 1 + vt_rg_lane(); y + 1 < m.rows; y += VT_RG_LANES)
    for (int32_t j = 0; j < m.n_words; j++)
      f(y * m.pitch + j, j);
}

/* Pixels to the left and to the right, in the place of each. */
static __device__ __forceinline__ uint32_t
vt_rg_from_left(const VtRgMask &m, const uint32_t *plane, int32_t i, int32_t j)
{
  return plane[i] << 1 | (j > 0 ? plane[i - 1] >> 31 : 0);
}

static __device__ __forceinline__ uint32_t
vt_rg_from_right(const VtRgMask &m, const uint32_t *plane, int32_t i, int32_t j)
{
  return plane[i] >> 1 | (j + 1 < m.n_words ? plane[i + 1] << 31 : 0);
}

static __device__ __forceinline__ uint32_t
vt_rg_wide(const VtRgMask &m, const uint32_t *plane, int32_t i, int32_t j)
{
  return plane[i] | vt_rg_from_left(m, plane, i, j) | vt_rg_from_right(m, plane, i, j);
}

static __device__ __forceinline__ uint32_t
vt_rg_narrow(const VtRgMask &m, const uint32_t *plane, int32_t i, int32_t j)
{
  return plane[i] & vt_rg_from_left(m, plane, i, j) & vt_rg_from_right(m, plane, i, j);
}

/* dst: src grown by one pixel, to 8 neighbours; outermost lines stay as they are. */
static __device__ void
vt_rg_grow_square(const VtRgMask &m, uint32_t *dst, const uint32_t *src)
{
  vt_rg_each_word(m, [&](int32_t i, int32_t j) {
    dst[i] = vt_rg_wide(m, src, i - m.pitch, j) | vt_rg_wide(m, src, i, j) | vt_rg_wide(m, src, i + m.pitch, j);
  });
  __syncwarp();
}

static __device__ void
vt_rg_grow_cross(const VtRgMask &m, uint32_t *dst, const uint32_t *src)
{
  vt_rg_each_word(
    m, [&](int32_t i, int32_t j) { dst[i] = src[i - m.pitch] | vt_rg_wide(m, src, i, j) | src[i + m.pitch]; });
  __syncwarp();
}

static __device__ int32_t
vt_rg_count(const VtRgMask &m, const uint32_t *plane)
{
  int32_t n = 0;
  vt_rg_each_word(m, [&](int32_t i, int32_t j) { n += __popc(plane[i]); });
  return vt_rg_sum(n);
}

/* Euler's number of a 4-connected set, by Gray's quads: pieces less holes. */
static __device__ int32_t
vt_rg_euler(const VtRgMask &m, const uint32_t *plane)
{
  int32_t sum = 0;
  for (int32_t y = vt_rg_lane(); y + 1 < m.rows; y += VT_RG_LANES)
    for (int32_t j = 0; j < m.n_words; j++) {
      const int32_t i = y * m.pitch + j, k = i + m.pitch;
      const uint32_t a = plane[i], b = plane[k], c = vt_rg_from_right(m, plane, i, j),
                     d = vt_rg_from_right(m, plane, k, j);
      const uint32_t odd = a ^ b ^ c ^ d, pairs = (a & b) | (c & d) | (a & c) | (b & d);
      const uint32_t three = odd & pairs, one = odd & ~pairs;
      const uint32_t diagonal = ~(a ^ d) & ~(b ^ c) & (a ^ b);
      sum += __popc(one) - __popc(three) + 2 * __popc(diagonal);
    }
  return vt_rg_sum(sum) / 4;
}

/* g: seeds in p; all of p that they reach along the word. */
static __device__ __forceinline__ uint32_t
vt_rg_along(uint32_t g, uint32_t p)
{
  uint32_t left = g & p, right = left, q = p;
#pragma unroll
  for (int k = 1; k < 32; k *= 2) {
    left |= q & left << k;
    q &= q << k;
  }
  q = p;
#pragma unroll
  for (int k = 1; k < 32; k *= 2) {
    right |= q & right >> k;
    q &= q >> k;
  }
  return left | right;
}

/* The same along the lanes' columns of bits. */
static __device__ __forceinline__ uint32_t
vt_rg_across(uint32_t g, uint32_t p)
{
  uint32_t down = g & p, up = down, q = p, r = p;
#pragma unroll
  for (int k = 1; k < VT_RG_LANES; k *= 2) {
    const uint32_t above = __shfl_up_sync(~0u, down, k), below = __shfl_down_sync(~0u, up, k);
    const uint32_t open_above = __shfl_up_sync(~0u, q, k), open_below = __shfl_down_sync(~0u, r, k);
    down |= vt_rg_lane() >= k ? q & above : 0;
    q = vt_rg_lane() >= k ? q & open_above : 0;
    up |= vt_rg_lane() + k < VT_RG_LANES ? r & below : 0;
    r = vt_rg_lane() + k < VT_RG_LANES ? r & open_below : 0;
  }
  return down | up;
}

/* vt_rg_flood of a mask that has a lane for each row: whole columns at once. */
static __device__ void
vt_rg_flood_low(const VtRgMask &m, uint32_t *seen, const uint32_t *in)
{
  const int32_t y = 1 + vt_rg_lane();
  for (bool moves = true; moves;) {
    bool grows = false;
    for (int32_t j = 0; j < m.n_words; j++) {
      const int32_t i = y * m.pitch + j;
      const bool inside = y + 1 < m.rows;
      const uint32_t before = inside ? seen[i] : 0, open = inside ? in[i] : 0;
      const uint32_t now = vt_rg_across(vt_rg_along(inside ? vt_rg_wide(m, seen, i, j) : 0, open), open);
      __syncwarp();
      if (now != before) {
        seen[i] = now;
        grows = true;
      }
      __syncwarp();
    }
    moves = __any_sync(~0u, grows);
  }
}

/* seen grows to all of `in` that it reaches by 4 neighbours. */
static __device__ void
vt_rg_flood(const VtRgMask &m, uint32_t *seen, const uint32_t *in)
{
  if (m.rows - 2 <= VT_RG_LANES) {
    vt_rg_flood_low(m, seen, in);
    return;
  }
  for (bool moves = true; moves;) {
    bool grows = false;
    for (int32_t y = 1 + vt_rg_lane(); y < m.rows - 1 + vt_rg_lane(); y += VT_RG_LANES)
      for (int32_t j = 0; j < m.n_words; j++) {
        const int32_t i = y * m.pitch + j;
        uint32_t now = 0, before = 0;
        if (y + 1 < m.rows) {
          before = seen[i];
          now = vt_rg_along(vt_rg_wide(m, seen, i, j) | seen[i - m.pitch] | seen[i + m.pitch], in[i]);
        }
        __syncwarp();
        if (now != before) {
          seen[i] = now;
          grows = true;
        }
        __syncwarp();
      }
    moves = __any_sync(~0u, grows);
  }
}

/* The first pixel, row by row, as row << 8 | column, both with the margin; INT32_MAX: there is none. */
static __device__ int32_t
vt_rg_first(const VtRgMask &m, const uint32_t *plane)
{
  int32_t first = INT32_MAX;
  for (int32_t y = vt_rg_lane(); y < m.rows; y += VT_RG_LANES)
    for (int32_t j = m.n_words - 1; j >= 0; j--)
      if (plane[y * m.pitch + j])
        first = min(first, y << 8 | (j * 32 + __ffs(static_cast<int>(plane[y * m.pitch + j])) - 1));
  return vt_rg_least(first);
}

/* bits: of its pieces, 4-connected, the largest; of equals, the first row by row. n: pixels of all. How many are left. */
static __device__ int32_t
vt_rg_largest_piece(const VtRgMask &m, int32_t n)
{
  int32_t most = 0;
  bool is_whole = true;
  /* bits: what is not looked at yet; third: the largest so far. */
  for (int32_t left = n; left > most;) {
    const int32_t first = vt_rg_first(m, m.bits);
    vt_rg_clear(m, m.spare);
    if (vt_rg_lane() == 0)
      m.spare[(first >> 8) * m.pitch + (first & 255) / 32] = 1u << (first & 31);
    __syncwarp();
    vt_rg_flood(m, m.spare, m.bits);
    const int32_t area = vt_rg_count(m, m.spare);
    if (area == n)
      return n;
    is_whole = false;
    left -= area;
    vt_rg_each_word(m, [&](int32_t i, int32_t j) { m.bits[i] &= ~m.spare[i]; });
    __syncwarp();
    if (area > most) {
      most = area;
      vt_rg_copy(m, m.third, m.spare);
    }
  }
  if (!is_whole)
    vt_rg_copy(m, m.bits, m.third);
  return most;
}

/* bits: what squares of 3 x 3 pixels inside of it cover, and of that the largest piece. Pixels left. may_have_holes: else what
 * is left has none, either: a pixel that were enclosed would have all its neighbours in the mask, and be covered. */
static __device__ int32_t
vt_rg_open(const VtRgMask &m, bool may_have_holes)
{
  vt_rg_clear(m, m.spare);
  vt_rg_each_word(m, [&](int32_t i, int32_t j) {
    m.spare[i] =
      vt_rg_narrow(m, m.bits, i - m.pitch, j) & vt_rg_narrow(m, m.bits, i, j) & vt_rg_narrow(m, m.bits, i + m.pitch, j);
  });
  __syncwarp();
  vt_rg_grow_square(m, m.bits, m.spare);
  const int32_t n = vt_rg_count(m, m.bits);
  if (n == 0 || (!may_have_holes && vt_rg_euler(m, m.bits) == 1))
    return n;
  return vt_rg_largest_piece(m, n);
}

/* The smallest box around the bits, of which there are some. */
static __device__ VtRgBox
vt_rg_tight_box(const VtRgMask &m)
{
  int32_t x0 = INT32_MAX, y0 = INT32_MAX, x1 = -1, y1 = -1;
  for (int32_t y = vt_rg_lane(); y < m.rows; y += VT_RG_LANES)
    for (int32_t j = 0; j < m.n_words; j++) {
      const uint32_t word = m.bits[y * m.pitch + j];
      if (word == 0)
        continue;
      x0 = min(x0, j * 32 + __ffs(static_cast<int>(word)) - 1);
      x1 = max(x1, j * 32 + 31 - __clz(static_cast<int>(word)));
      y0 = min(y0, y);
      y1 = max(y1, y);
    }
  const int32_t x = m.box.x0 - m.margin, y = m.box.y0 - m.margin;
  return VtRgBox{ x + vt_rg_least(x0), y + vt_rg_least(y0), x + vt_rg_most(x1), y + vt_rg_most(y1) };
}

/* 32 bits of a row from column x on, which may be less than 0. */
static __device__ __forceinline__ uint32_t
vt_rg_bits_at(const uint32_t *row, int32_t n_words, int32_t x)
{
  const int32_t j = x >= 0 ? x / 32 : -1 - (-1 - x) / 32, shift = x - j * 32;
  const uint32_t low = j >= 0 && j < n_words ? row[j] : 0, high = j + 1 >= 0 && j + 1 < n_words ? row[j + 1] : 0;
  return __funnelshift_r(low, high, static_cast<uint32_t>(shift));
}

static __device__ __forceinline__ uint32_t
vt_rg_mask_words(const VtRgBox &box)
{
  return static_cast<uint32_t>(vt_rg_words(vt_rg_width(box)) * vt_rg_height(box));
}

/* Keeps the mask among all; c: its box and where its bits are. Without room the bits are lost, but counted. */
static __device__ void
vt_rg_store(const VtRgMask &m, const VtRgCandidates &all, uint32_t *words, VtRgCandidate *c)
{
  const VtRgBox box = vt_rg_tight_box(m);
  const int32_t across = vt_rg_words(vt_rg_width(box)), n = across * vt_rg_height(box);
  uint32_t at = 0;
  if (vt_rg_lane() == 0)
    at = atomicAdd(words + VT_RG_N_MASKS, static_cast<uint32_t>(n));
  at = __shfl_sync(~0u, at, 0);
  c->box = box;
  c->bits = at;
  if (at + n > all.masks_room)
    return;
  for (int32_t y = vt_rg_lane(); y < vt_rg_height(box); y += VT_RG_LANES) {
    const uint32_t *row = m.bits + (y + box.y0 - m.box.y0 + m.margin) * m.pitch;
    for (int32_t j = 0; j < across; j++)
      all.masks[at + y * across + j] = vt_rg_bits_at(row, m.n_words, box.x0 - m.box.x0 + m.margin + 32 * j);
  }
  __syncwarp();
}

/* bits: the mask of the candidate, whose box the mask has. */
static __device__ void
vt_rg_load(const VtRgMask &m, const VtRgCandidates &all, const VtRgCandidate &c)
{
  const int32_t across = vt_rg_words(vt_rg_width(c.box)), height = vt_rg_height(c.box);
  const uint32_t *bits = all.masks + c.bits;
  for (int32_t y = vt_rg_lane(); y < m.rows; y += VT_RG_LANES)
    for (int32_t j = 0; j < m.n_words; j++) {
      const int32_t row = y - m.margin;
      m.bits[y * m.pitch + j] =
        row >= 0 && row < height ? vt_rg_bits_at(bits + row * across, across, 32 * j - m.margin) : 0;
    }
  __syncwarp();
}

static __device__ __forceinline__ bool
vt_rg_bit(const VtRgMask &m, int32_t x, int32_t y)
{
  return m.bits[y * m.pitch + x / 32] >> (x & 31) & 1;
}
