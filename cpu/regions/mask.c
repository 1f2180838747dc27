/* SPDX-License-Identifier: MIT
 *
 * The mask of one region, and the candidates' store of masks. */
#include "mask.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_WORDS = (VT_REGIONS_MOST + 2 * RG_PAD + 63) / 64 };

VitrailStatus
vt_rg_mask_init(RgMask *mask, int32_t largest)
{
  const size_t side = (size_t)largest + 2 * RG_PAD, n = side * ((side + 63) / 64);
  *mask =
    (RgMask){ .rows = malloc(4 * n * sizeof *mask->rows), .runs = malloc(side * (side / 2 + 1) * sizeof *mask->runs) };
  if (!mask->rows || !mask->runs) {
    vt_rg_mask_clear(mask);
    return VITRAIL_OUT_OF_MEMORY;
  }
  mask->spare = mask->rows + n;
  mask->ring = mask->spare + n;
  mask->edge = mask->ring + n;
  return VITRAIL_OK;
}

void
vt_rg_mask_clear(RgMask *mask)
{
  free(mask->rows);
  free(mask->runs);
  *mask = (RgMask){ 0 };
}

void
vt_rg_mask_empty(RgMask *mask, RgBox box)
{
  mask->box = box;
  mask->width = box.x1 - box.x0 + 1 + 2 * RG_PAD;
  mask->height = box.y1 - box.y0 + 1 + 2 * RG_PAD;
  mask->words = (mask->width + 63) / 64;
  memset(mask->rows, 0, (size_t)(mask->words * mask->height) * sizeof *mask->rows);
}

void
vt_rg_mask_load(RgMask *mask, const RgCandidates *all, const RgCandidate *c)
{
  vt_rg_mask_empty(mask, c->box);
  const int32_t n = vt_rg_row_words(c);
  const uint64_t *from = all->bits + c->bits;
  uint64_t *to = mask->rows + RG_PAD * mask->words;
  for (int32_t y = c->box.y0; y <= c->box.y1; y++, from += n, to += mask->words)
    for (int32_t w = 0; w < mask->words; w++)
      to[w] = (w < n ? from[w] << RG_PAD : 0) | (w > 0 ? from[w - 1] >> (64 - RG_PAD) : 0);
}

/* dst: the 3 x 3 square of src, or with is_cross its cross: all of it (shrunk), or any (grown). */
static inline void
near_of(uint64_t *restrict dst, const uint64_t *restrict src, int32_t height, const int32_t words, const bool is_grown,
        const bool is_cross)
{
  memset(dst, 0, (size_t)words * sizeof *dst);
  for (int32_t y = 1; y + 1 < height; y++) {
    const uint64_t *here = src + (ptrdiff_t)y * words, *above = here - words, *below = here + words;
    uint64_t *to = dst + (ptrdiff_t)y * words, v[MOST_WORDS];
    for (int32_t w = 0; w < words; w++)
      v[w] = is_cross ? here[w] : is_grown ? above[w] | here[w] | below[w] : above[w] & here[w] & below[w];
    for (int32_t w = 0; w < words; w++) {
      const uint64_t left = vt_rg_from_left(v, w), right = vt_rg_from_right(v, w, words);
      to[w] = is_cross   ? v[w] | left | right | above[w] | below[w]
              : is_grown ? v[w] | left | right
                         : v[w] & left & right;
    }
  }
  memset(dst + (ptrdiff_t)(height - 1) * words, 0, (size_t)words * sizeof *dst);
}

void
vt_rg_mask_grow(uint64_t *restrict dst, const uint64_t *restrict src, const RgMask *m, bool is_square)
{
  if (m->words == 1 && is_square)
    near_of(dst, src, m->height, 1, true, false);
  else if (m->words == 1)
    near_of(dst, src, m->height, 1, true, true);
  else
    near_of(dst, src, m->height, m->words, true, !is_square);
}

static int32_t
find(RgRun *runs, int32_t r)
{
  while (runs[r].up != r)
    r = runs[r].up = runs[runs[r].up].up;
  return r;
}

/* A piece is known by its first run. */
static void
join(RgRun *runs, int32_t a, int32_t b)
{
  a = find(runs, a);
  b = find(runs, b);
  if (a < b)
    runs[b].up = a;
  else
    runs[a].up = b;
}

/* Pieces of the rows as runs, row by row: 4-connected ones of the pixels, or with is_outside 8-connected ones of all that is not
 * in them. A run leads to its piece's first by up. Returns how many runs. */
static int32_t
find_pieces(const RgMask *m, bool is_outside)
{
  RgRun *runs = m->runs;
  const uint64_t inverse = is_outside ? UINT64_MAX : 0;
  const int32_t reach = is_outside, from_y = RG_PAD - is_outside;
  int32_t n = 0, before = 0;
  for (int32_t y = from_y; y < m->height - from_y; y++) {
    const uint64_t *row = m->rows + (ptrdiff_t)y * m->words;
    const int32_t here = n;
    for (int32_t x = vt_rg_next(row, m->words, 0, inverse); x < m->width; x = vt_rg_next(row, m->words, x, inverse)) {
      const int32_t end = vt_rg_next(row, m->words, x, ~inverse);
      runs[n] =
        (RgRun){ .y = (int16_t)y, .from = (int16_t)x, .to = (int16_t)(end < m->width ? end : m->width), .up = n };
      while (before < here && runs[before].to + reach <= x)
        before++;
      for (int32_t k = before; k < here && runs[k].from < runs[n].to + reach; k++)
        join(runs, k, n);
      n++;
      x = end;
    }
    before = here;
  }
  for (int32_t r = 0; r < n; r++)
    runs[r].up = runs[runs[r].up].up; /* a run's first is before it, and is done */
  return n;
}

static int32_t
area_of(const RgMask *m)
{
  int32_t area = 0;
  for (int32_t i = RG_PAD * m->words, end = (m->height - RG_PAD) * m->words; i < end; i++)
    area += vt_rg_count(m->rows[i]);
  return area;
}

int32_t
vt_rg_mask_fill(RgMask *m)
{
  const int32_t n = find_pieces(m, true);
  for (int32_t r = 0; r < n; r++)
    if (m->runs[r].up != 0)
      vt_rg_set_run(m->rows + (ptrdiff_t)m->runs[r].y * m->words, m->runs[r].from, m->runs[r].to, true);
  return area_of(m);
}

/* Runs less the places where runs of two rows meet. */
int32_t
vt_rg_mask_euler(const RgMask *m)
{
  int32_t n = 0;
  for (int32_t y = RG_PAD; y + RG_PAD < m->height; y++) {
    const uint64_t *here = m->rows + (ptrdiff_t)y * m->words, *above = here - m->words;
    uint64_t both[MOST_WORDS];
    for (int32_t w = 0; w < m->words; w++) {
      both[w] = here[w] & above[w];
      n += vt_rg_count(here[w] & ~vt_rg_from_left(here, w)) - vt_rg_count(both[w] & ~vt_rg_from_left(both, w));
    }
  }
  return n;
}

/* Whether all is one piece for sure: one run in each row, that meets the one above. */
static bool
is_simple(const RgMask *m)
{
  uint64_t before = 0;
  bool has_begun = false, has_ended = false, is_one = m->words == 1;
  for (int32_t y = RG_PAD; y + RG_PAD < m->height && is_one; y++) {
    const uint64_t v = m->rows[y];
    is_one = ((v + (v & (0 - v))) & v) == 0 && (v == 0 || !has_begun || (v & before)) && !(v && has_ended);
    has_ended = has_ended || (has_begun && v == 0);
    has_begun = has_begun || v != 0;
    before = v;
  }
  return is_one;
}

/* The largest piece stays; of equals, the first. */
static int32_t
keep_largest(RgMask *m)
{
  const int32_t n = find_pieces(m, false);
  int32_t best = 0, most = 0;
  for (int32_t r = 0; r < n; r++)
    m->runs[r].area = 0;
  for (int32_t r = 0; r < n; r++)
    m->runs[m->runs[r].up].area += m->runs[r].to - m->runs[r].from;
  for (int32_t r = 0; r < n; r++)
    if (m->runs[r].area > most) {
      best = r;
      most = m->runs[r].area;
    }
  for (int32_t r = 0; r < n; r++)
    if (m->runs[r].up != best)
      vt_rg_set_run(m->rows + (ptrdiff_t)m->runs[r].y * m->words, m->runs[r].from, m->runs[r].to, false);
  return most;
}

int32_t
vt_rg_mask_open(RgMask *m)
{
  if (m->words == 1)
    near_of(m->spare, m->rows, m->height, 1, false, false);
  else
    near_of(m->spare, m->rows, m->height, m->words, false, false);
  vt_rg_mask_grow(m->rows, m->spare, m, true);
  return is_simple(m) ? area_of(m) : keep_largest(m);
}

/* The smallest box around the pixels, of which there are some. */
static RgBox
tight_box(const RgMask *m)
{
  uint64_t any[MOST_WORDS] = { 0 };
  int32_t y0 = 0, y1 = 0;
  for (int32_t y = RG_PAD; y + RG_PAD < m->height; y++) {
    const uint64_t *row = m->rows + (ptrdiff_t)y * m->words;
    uint64_t in_row = 0;
    for (int32_t w = 0; w < m->words; w++) {
      any[w] |= row[w];
      in_row |= row[w];
    }
    y0 = in_row && !y0 ? y : y0;
    y1 = in_row ? y : y1;
  }
  int32_t last = m->words - 1;
  while (last > 0 && any[last] == 0)
    last--;
  const int32_t x0 = vt_rg_next(any, m->words, 0, 0), x1 = 64 * last + 63 - __builtin_clzll(any[last]);
  const int32_t dx = m->box.x0 - RG_PAD, dy = m->box.y0 - RG_PAD;
  return (RgBox){ x0 + dx, y0 + dy, x1 + dx, y1 + dy };
}

static bool
make_room(RgCandidates *all, size_t words)
{
  if (all->n == all->room) {
    const int32_t room = all->room ? all->room * 2 : 1024;
    RgCandidate *at = realloc(all->at, (size_t)room * sizeof *at);
    if (!at)
      return false;
    all->at = at;
    all->room = room;
  }
  if (all->n_bits + words > all->bits_room) {
    const size_t room = (all->n_bits + words) * 2 + 8192;
    uint64_t *bits = realloc(all->bits, room * sizeof *bits);
    if (!bits)
      return false;
    all->bits = bits;
    all->bits_room = room;
  }
  return true;
}

int32_t
vt_rg_candidates_add(RgCandidates *all, const RgMask *mask, const RgCandidate *like)
{
  RgCandidate c = *like;
  c.box = tight_box(mask);
  c.bits = all->n_bits;
  const int32_t n = vt_rg_row_words(&c), skip = c.box.x0 - mask->box.x0 + RG_PAD, shift = skip & 63;
  const size_t words = (size_t)n * (size_t)(c.box.y1 - c.box.y0 + 1);
  if (!make_room(all, words))
    return -1;
  uint64_t *to = all->bits + all->n_bits;
  const uint64_t *from = mask->rows + (ptrdiff_t)(c.box.y0 - mask->box.y0 + RG_PAD) * mask->words;
  for (int32_t y = c.box.y0; y <= c.box.y1; y++, to += n, from += mask->words)
    for (int32_t w = 0; w < n; w++) {
      const int32_t a = (skip >> 6) + w;
      to[w] = from[a] >> shift | (shift && a + 1 < mask->words ? from[a + 1] << (64 - shift) : 0);
    }
  all->n_bits += words;
  all->at[all->n] = c;
  return all->n++;
}

void
vt_rg_candidates_clear(RgCandidates *all)
{
  free(all->at);
  free(all->bits);
  *all = (RgCandidates){ 0 };
}
