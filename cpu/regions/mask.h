/* SPDX-License-Identifier: MIT
 *
 * mask.h: what is done to the rows of a mask, 64 pixels a word. Most regions are narrow, so that a row is one word. */
#pragma once

#include "regions.h"

/* Without the instruction a builtin would be a call. */
static inline int32_t
vt_rg_count(uint64_t v)
{
#ifdef __POPCNT__
  return __builtin_popcountll(v);
#else
  v -= v >> 1 & UINT64_C(0x5555555555555555);
  v = (v & UINT64_C(0x3333333333333333)) + (v >> 2 & UINT64_C(0x3333333333333333));
  v = (v + (v >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
  return (int32_t)(v * UINT64_C(0x0101010101010101) >> 56);
#endif
}

/* Word w of a row of so many words, moved by one pixel: what was at x - 1, or at x + 1, is at x. */
static inline uint64_t
vt_rg_from_left(const uint64_t *row, int32_t w)
{
  return row[w] << 1 | (w > 0 ? row[w - 1] >> 63 : 0);
}

static inline uint64_t
vt_rg_from_right(const uint64_t *row, int32_t w, int32_t words)
{
  return row[w] >> 1 | (w + 1 < words ? row[w + 1] << 63 : 0);
}

/* The first pixel from x on that is in the row, or with inverse (all bits set) is not; 64 * words if there is none. */
static inline int32_t
vt_rg_next(const uint64_t *row, int32_t words, int32_t x, uint64_t inverse)
{
  int32_t w = x >> 6;
  if (w >= words)
    return 64 * words;
  uint64_t v = (row[w] ^ inverse) >> (x & 63) << (x & 63);
  while (v == 0) {
    if (++w == words)
      return 64 * words;
    v = row[w] ^ inverse;
  }
  return 64 * w + __builtin_ctzll(v);
}

/* The next run of pixels from *from on, up to *to (that is not in it); false: none. */
static inline bool
vt_rg_next_run(const uint64_t *row, int32_t words, int32_t *from, int32_t *to)
{
  *from = vt_rg_next(row, words, *from, 0);
  if (*from >= 64 * words)
    return false;
  *to = vt_rg_next(row, words, *from, UINT64_MAX);
  return true;
}

static inline void
vt_rg_set_run(uint64_t *row, int32_t from, int32_t to, bool on)
{
  for (int32_t w = from >> 6; w <= (to - 1) >> 6; w++) {
    const int32_t a = from > 64 * w ? from - 64 * w : 0, b = to < 64 * w + 64 ? to - 64 * w : 64;
    const uint64_t bits = UINT64_MAX >> (64 - (b - a)) << a;
    row[w] = on ? row[w] | bits : row[w] & ~bits;
  }
}

/* Row y of a candidate, whose first bit is the first pixel of its box; 0 beyond the box. */
static inline int32_t
vt_rg_row_words(const RgCandidate *c)
{
  return (c->box.x1 - c->box.x0 + 64) / 64;
}

static inline const uint64_t *
vt_rg_row(const RgCandidates *all, const RgCandidate *c, int32_t y)
{
  return all->bits + c->bits + (ptrdiff_t)(y - c->box.y0) * vt_rg_row_words(c);
}

/* What the outside does not reach, 8-connected, is filled: the area then. */
int32_t vt_rg_mask_fill(RgMask *mask);
/* 4-connected components less holes. */
int32_t vt_rg_mask_euler(const RgMask *mask);
