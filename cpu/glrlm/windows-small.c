/* SPDX-License-Identifier: MIT
 *
 * Small sliding windows (windows.h), in variants (vectors.h): a column is one cell of 128 bytes, and a pixel that comes in or
 * goes out adds or takes one. Sums that the features only divide are in words, of fixed point where they are of fractions; the
 * runs by level and by length, of which the features need squares, are counted in bytes.
 *
 * What comes out is not rounded at every step as the definition is. But it is so near that nearly all floats are certain; those that
 * are not are listed, and made again by the definition. */
#include "../vectors.h"
#include "windows.h"

#include <math.h>
#include <string.h>

#ifndef VECTOR
#define VECTOR_BYTES 16
#endif
#define ALIGNED __attribute__((aligned(64)))
#define INLINE static inline __attribute__((always_inline))

enum { N_DOUBLES = VECTOR_BYTES / 8, N_GROUPS = VT_CPU_CHUNK / N_DOUBLES };
typedef double Doubles __attribute__((vector_size(VECTOR_BYTES), may_alias));
typedef double DoublesAt __attribute__((vector_size(VECTOR_BYTES), aligned(8), may_alias));
typedef uint64_t Words __attribute__((vector_size(VECTOR_BYTES), may_alias));
typedef uint8_t Bytes __attribute__((vector_size(VECTOR_BYTES), may_alias));
typedef float Floats __attribute__((vector_size(VECTOR_BYTES / 2)));
typedef int32_t FloatBits __attribute__((vector_size(VECTOR_BYTES / 2), may_alias));
typedef float FloatsAt __attribute__((vector_size(VECTOR_BYTES / 2), aligned(4), may_alias));

#define CELL uint64_t
#define SUFFIX u64
#include "transpose-impl.h"

typedef VtCpuSmallCell Cell;

/* --- columns --- */

/* Where the tables hold the pixels of a row; 0 adds nothing. */
typedef struct Places {
  uint16_t *back, *ahead;
} Places;

static Places
find_places(const VtCpuSlide *s, int64_t y, uint16_t *to)
{
  const VtCpuRuns *r = &s->runs;
  const int64_t stride = r->block->stride, width = r->block->width;
  uint16_t *restrict back = to + VT_CPU_LANES, *restrict ahead = back + stride;
  if (y < 0) {
    memset(to, 0, (size_t)(2 * stride + VT_CPU_LANES) * sizeof *to);
    return (Places){ back, ahead };
  }
  const uint16_t *level = r->level + y * stride;
  const uint8_t *behind = r->back + y * stride, *before = r->ahead + y * stride + width - 1;
  for (int64_t x = 0; x < width; x++)
    back[x] = (uint16_t)(level[x] * VT_CPU_SMALL_LENGTHS + behind[x]);
  for (int64_t x = 0; x < width; x++)
    ahead[x] = (uint16_t)(level[x] * VT_CPU_SMALL_LENGTHS + before[-x]);
  back[-1] = back[width] = 0;
  ahead[-1] = ahead[width] = 0;
  return (Places){ back, ahead };
}

INLINE void
change(Cell *cell, const Cell *plus, const Cell *minus)
{
  for (size_t k = 0; k < sizeof cell->sum / VECTOR_BYTES; k++) {
    ((Words *)cell->sum)[k] += ((const Words *)plus->sum)[k] - ((const Words *)minus->sum)[k];
    ((Bytes *)cell->count)[k] += ((const Bytes *)plus->count)[k] - ((const Bytes *)minus->count)[k];
  }
}

/* Every column takes up `plus` and loses `minus`. */
static void
step_own(const VtCpuSlide *s, Cell *columns, const uint16_t *plus, const uint16_t *minus)
{
  const Cell *gain = s->wanted->small_gain;
  for (int64_t x = 0; x < s->runs.block->width; x++)
    change(columns + x, gain + plus[x], gain + minus[x]);
}

/* Runs along a diagonal: the first two bends of the row `met`, whose others lie `to` columns further on each; the second of
 * column x comes from x - to. The cell of its own is `own`. All are added (`comes`), and own taken, or the other way round. */
INLINE void
step_bends(const VtCpuSlide *s, Cell *columns, const uint16_t *own, const uint16_t *met, int64_t to, bool comes)
{
  enum { LENGTH = VT_CPU_SMALL_LENGTHS - 1 };
  const Cell *gain = s->wanted->small_gain, *bend = s->wanted->small_bend;
  for (int64_t x = 0; x < s->runs.block->width; x++) {
    const uint32_t here = met[x], beside = met[x - to];
    const Cell *first = gain + ((here & ~(uint32_t)LENGTH) | 1), *mine = gain + own[x];
    const Cell *second = bend + ((beside & LENGTH) > 1 ? (beside & ~(uint32_t)LENGTH) | 2 : 0);
    for (size_t k = 0; k < sizeof first->sum / VECTOR_BYTES; k++) {
      const Words words =
        ((const Words *)mine->sum)[k] - ((const Words *)first->sum)[k] - ((const Words *)second->sum)[k];
      const Bytes bytes =
        ((const Bytes *)mine->count)[k] - ((const Bytes *)first->count)[k] - ((const Bytes *)second->count)[k];
      ((Words *)columns[x].sum)[k] += comes ? -words : words;
      ((Bytes *)columns[x].count)[k] += comes ? -bytes : bytes;
    }
  }
  for (int64_t x = 0; x < s->runs.block->width; x++)
    for (int64_t k = 3; k <= (met[x] & LENGTH); k++) {
      const Cell *more = bend + ((met[x] & ~LENGTH) | k);
      change(columns + x + (k - 1) * to, comes ? more : bend, comes ? bend : more);
    }
}

static void
step(const VtCpuSlide *s, int64_t in, int64_t out)
{
  const int64_t room = 2 * s->runs.block->stride + VT_CPU_LANES;
  const Places comes = find_places(s, in, s->rows), goes = find_places(s, out, (uint16_t *)s->rows + room);
  switch (s->runs.along) {
  case VT_CPU_ALONG_ROW:
    step_own(s, s->small_enter, comes.back, goes.back);
    step_own(s, s->small_leave, comes.ahead, goes.ahead);
    break;
  case VT_CPU_ALONG_COLUMN: step_own(s, s->small_enter, comes.back, goes.ahead); break;
  default:
    step_bends(s, s->small_enter, comes.back, goes.ahead, 1, false);
    step_bends(s, s->small_leave, goes.ahead, comes.back, -1, true);
  }
}

/* --- windows --- */

/* VT_CPU_CHUNK windows in ascending x, also in the mirror; where there are less, some are empty. */
typedef struct Chunk {
  uint64_t sum[VT_CPU_SMALL_SUMS * VT_CPU_CHUNK] ALIGNED;
  int32_t squares[2][VT_CPU_CHUNK] ALIGNED; /* of the runs by level, by length */
  Cell running;
} Chunk;

/* The columns up to window w of the chunk, the first of which is number i. */
INLINE void
slide_to(const VtCpuSlide *s, int64_t from, int64_t end, Words *sum, Bytes *count)
{
  static const Cell nothing;
  const int64_t side = s->wanted->side;
  for (int64_t x = from; x < end; x++) {
    const Cell *in = s->small_enter + x, *out = x < side ? &nothing : s->small_leave + x - side;
    for (size_t k = 0; k < sizeof in->sum / VECTOR_BYTES; k++) {
      sum[k] += ((const Words *)in->sum)[k] - ((const Words *)out->sum)[k];
      count[k] += ((const Bytes *)in->count)[k] - ((const Bytes *)out->count)[k];
    }
  }
}

#ifdef VECTOR
/* Sums of a and b: the even and the odd parts of two neighbours. */
INLINE VECTOR
fold(VECTOR a, VECTOR b, bool wide)
{
  return wide ? V_OP(add_epi32)(V_OP(unpacklo_epi64)(a, b), V_OP(unpackhi_epi64)(a, b))
              : V_OP(add_epi32)(V_OP(unpacklo_epi32)(a, b), V_OP(unpackhi_epi32)(a, b));
}

/* Part k of the counts of 16 windows: the sums of their squares over each 16 bytes, [16 bytes][window]. */
typedef int32_t Four __attribute__((vector_size(16), may_alias));
INLINE void
square_part(const Bytes (*counts)[64 / VECTOR_BYTES], size_t k, int32_t to[][VT_CPU_CHUNK])
{
  VECTOR r[VT_CPU_CHUNK];
  for (int w = 0; w < VT_CPU_CHUNK; w++) {
    typedef uint16_t Halves __attribute__((vector_size(VECTOR_BYTES), may_alias));
    const Halves both = (Halves)counts[w][k];
    const VECTOR even = (VECTOR)(both & 255), odd = (VECTOR)(both >> 8);
    r[w] = V_OP(add_epi32)(V_OP(madd_epi16)(even, even), V_OP(madd_epi16)(odd, odd));
  }
  for (int n = VT_CPU_CHUNK / 2; n > VT_CPU_CHUNK / 8; n /= 2)
    for (int w = 0; w < n; w++)
      r[w] = fold(r[2 * w], r[2 * w + 1], n == VT_CPU_CHUNK / 4);
  for (int w = 0; w < VT_CPU_CHUNK; w += 4)
    for (size_t lane = 0; lane < VECTOR_BYTES / 16; lane++)
      *(Four *)&to[k * VECTOR_BYTES / 16 + lane][w] = ((const Four *)&r[w / 4])[lane];
}
#endif

INLINE void
square_counts(const Bytes (*counts)[64 / VECTOR_BYTES], Chunk *c)
{
#ifdef VECTOR
  int32_t part[4][VT_CPU_CHUNK] ALIGNED;
  for (size_t k = 0; k < 64 / VECTOR_BYTES; k++)
    square_part(counts, k, part);
  for (int w = 0; w < VT_CPU_CHUNK; w++) {
    c->squares[0][w] = part[0][w] + part[1][w] + part[2][w];
    c->squares[1][w] = part[3][w];
  }
#else
  for (int w = 0; w < VT_CPU_CHUNK; w++) {
    const uint8_t *count = (const uint8_t *)counts[w];
    int32_t levels = 0, lengths = 0;
    for (int k = 0; k < VT_CPU_SMALL_LEVELS; k++)
      levels += count[k] * count[k];
    for (int k = VT_CPU_SMALL_LEVELS; k < 64; k++)
      lengths += count[k] * count[k];
    c->squares[0][w] = levels;
    c->squares[1][w] = lengths;
  }
#endif
}

static void
finish_chunk(const VtCpuSlide *s, int64_t i, int n, Chunk *c)
{
  enum { PARTS = 64 / VECTOR_BYTES };
  const int64_t side = s->wanted->side, step = s->wanted->step;
  Words sums[PARTS][VT_CPU_CHUNK], sum[PARTS];
  Bytes counts[VT_CPU_CHUNK][PARTS], count[PARTS];
  memcpy(sum, c->running.sum, sizeof sum);
  memcpy(count, c->running.count, sizeof count);
  if (n < VT_CPU_CHUNK) {
    memset(sums, 0, sizeof sums);
    memset(counts, 0, sizeof counts);
  }
  int64_t x = i == 0 ? 0 : side + (i - 1) * step;
  for (int w = 0; w < n; w++) {
    const int64_t end = side + (i + w) * step;
    const int at = s->mirrored ? VT_CPU_CHUNK - 1 - w : w;
    slide_to(s, x, end, sum, count);
    x = end;
    for (int k = 0; k < PARTS; k++) {
      sums[k][at] = sum[k];
      counts[at][k] = count[k];
    }
  }
  memcpy(c->running.sum, sum, sizeof sum);
  memcpy(c->running.count, count, sizeof count);
  for (int k = 0; k < PARTS; k++)
    transpose_u64((const Vector_u64 *)sums[k], c->sum + k * N_DOUBLES * VT_CPU_CHUNK);
  square_counts((const Bytes(*)[PARTS])counts, c);
}

/* --- features --- */

/* The lower, the upper 32 bits; all 64, rounded once. A number below 2^32 under the exponent of 2^52 is that much more. */
INLINE Doubles
lower(const uint64_t *at)
{
  const Words words = (*(const Words *)at & UINT32_MAX) | UINT64_C(0x4330000000000000);
  return (Doubles)words - 0x1p52;
}

INLINE Doubles
upper(const uint64_t *at)
{
  const Words words = (*(const Words *)at >> 32) | UINT64_C(0x4330000000000000);
  return (Doubles)words - 0x1p52;
}

INLINE Doubles
fixed(const uint64_t *at, double unit)
{
  return (upper(at) * 0x1p32 + lower(at)) * unit;
}

INLINE Doubles
whole(const int32_t *at)
{
  Doubles d;
  for (int k = 0; k < N_DOUBLES; k++)
    d[k] = at[k];
  return d;
}

/* Windows g * N_DOUBLES.. of the chunk. */
INLINE void
features_of(const Chunk *c, int g, Doubles f[VT_GLRLM_N_FEATURES])
{
  const int at = g * N_DOUBLES;
#define SUM(k) (c->sum + (k)*VT_CPU_CHUNK + at)
  const Doubles runs = lower(SUM(VT_CPU_SMALL_RUNS)), pixels = lower(SUM(VT_CPU_SMALL_PIXELS));
  const Doubles both = 1 / (runs * pixels), one = both * pixels;
  const Doubles longer = upper(SUM(VT_CPU_SMALL_RUNS)), level = upper(SUM(VT_CPU_SMALL_PIXELS));
  const Doubles high = lower(SUM(VT_CPU_SMALL_HIGH));
  const Doubles levels = whole(c->squares[0] + at), lengths = whole(c->squares[1] + at);
  f[VT_GLRLM_SRE] = fixed(SUM(VT_CPU_SMALL_SHORT), 0x1p-56) * one;
  f[VT_GLRLM_LRE] = longer * one;
  f[VT_GLRLM_GLN] = levels * one;
  f[VT_GLRLM_RLN] = lengths * one;
  f[VT_GLRLM_RP] = runs * runs * both;
  f[VT_GLRLM_LGRE] = fixed(SUM(VT_CPU_SMALL_LOW), 0x1p-56) * one;
  f[VT_GLRLM_HGRE] = high * one;
  f[VT_GLRLM_SRLGE] = fixed(SUM(VT_CPU_SMALL_SHORT_LOW), 0x1p-50) * one;
  f[VT_GLRLM_SRHGE] = fixed(SUM(VT_CPU_SMALL_SHORT_HIGH), 0x1p-45) * one;
  f[VT_GLRLM_LRLGE] = fixed(SUM(VT_CPU_SMALL_LONG_LOW), 0x1p-52) * one;
  f[VT_GLRLM_LRHGE] = upper(SUM(VT_CPU_SMALL_HIGH)) * one;
  f[VT_GLRLM_GLNN] = f[VT_GLRLM_GLN] * one;
  f[VT_GLRLM_RLNN] = f[VT_GLRLM_RLN] * one;
  f[VT_GLRLM_GLV] = (runs * high - level * level) * (one * one);
  f[VT_GLRLM_RV] = (runs * longer - pixels * pixels) * (one * one);
#undef SUM
  const Words defined = (Words)(runs > 0), nan = (Words)((Doubles){ 0 } + (double)NAN);
  for (int k = 0; k < VT_GLRLM_RE; k++)
    f[k] = (Doubles)(((Words)f[k] & defined) | (nan & ~defined));
}

/* By how much of itself a value may be another than that of the definition, of the mean as of a direction. Whole numbers: roundings.
 * Fractions: half a unit of the fixed point for the smallest that a run may add, and the roundings of the definition's sum. */
static const double far_off[VT_GLRLM_RE] = {
  [VT_GLRLM_SRE] = 0x1p-46,   [VT_GLRLM_LRE] = 0x1p-48,   [VT_GLRLM_GLN] = 0x1p-48,   [VT_GLRLM_RLN] = 0x1p-48,
  [VT_GLRLM_RP] = 0x1p-48,    [VT_GLRLM_LGRE] = 0x1p-44,  [VT_GLRLM_HGRE] = 0x1p-48,  [VT_GLRLM_SRLGE] = 0x1p-48,
  [VT_GLRLM_SRHGE] = 0x1p-37, [VT_GLRLM_LRLGE] = 0x1p-41, [VT_GLRLM_LRHGE] = 0x1p-48, [VT_GLRLM_GLNN] = 0x1p-48,
  [VT_GLRLM_RLNN] = 0x1p-48,  [VT_GLRLM_GLV] = 0x1p-48,   [VT_GLRLM_RV] = 0x1p-48,
};

/* Writes the windows from `at` on, as far as the row has them; the bits that differ where the float is not certain. */
INLINE FloatBits
write_floats(const VtCpuRow *row, int feature, float *to, Doubles value, int64_t at)
{
  const Doubles off = value * far_off[feature];
  const Floats least = __builtin_convertvector(value - off, Floats),
               most = __builtin_convertvector(value + off, Floats);
  if (at >= 0 && at + N_DOUBLES <= row->n)
    *(FloatsAt *)(to + at) = least;
  else
    for (int k = 0; k < N_DOUBLES; k++)
      if (at + k >= 0 && at + k < row->n)
        to[at + k] = least[k];
  return (FloatBits)least ^ (FloatBits)most;
}

static __attribute__((noinline)) void
note_unsure(const VtCpuRow *row, int feature, const int32_t bits[N_DOUBLES], int64_t at)
{
  for (int k = 0; k < N_DOUBLES; k++)
    if (bits[k] && at + k >= 0 && at + k < row->n)
      row->unsure[at + k] |= 1u << feature;
}

static void
write_chunk(const VtCpuSlide *s, const VtCpuRow *row, const Chunk *c, int64_t at)
{
  for (int g = 0; g < N_GROUPS; g++, at += N_DOUBLES) {
    Doubles f[VT_GLRLM_N_FEATURES];
    FloatBits unsure[VT_GLRLM_N_FEATURES], some = { 0 };
    features_of(c, g, f);
    for (uint32_t left = s->wanted->features; left; left &= left - 1) {
      const int feature = __builtin_ctz(left);
      Doubles value = f[feature];
      FloatBits bits = { 0 };
      if (row->out)
        bits |= write_floats(row, feature, row->out[feature], value, at);
      if (row->mean) {
        DoublesAt *mean = (DoublesAt *)(row->mean[feature] + at);
        if (!row->first)
          value += *mean;
        if (row->last)
          bits |= write_floats(row, feature, row->last[feature], value / VT_GLRLM_N_DIRECTIONS, at);
        else
          *mean = value;
      }
      unsure[feature] = bits;
      some |= bits;
    }
    int32_t any = 0;
    for (int k = 0; k < N_DOUBLES; k++)
      any |= some[k];
    for (uint32_t left = any ? s->wanted->features : 0; left; left &= left - 1)
      note_unsure(row, __builtin_ctz(left), (const int32_t *)&unsure[__builtin_ctz(left)], at);
  }
}

static void
row(const VtCpuSlide *s, const VtCpuRow *row)
{
  Chunk c;
  memset(&c.running, 0, sizeof c.running);
  for (int64_t i = 0; i < row->n; i += VT_CPU_CHUNK) {
    const int n = row->n - i < VT_CPU_CHUNK ? (int)(row->n - i) : VT_CPU_CHUNK;
    finish_chunk(s, i, n, &c);
    write_chunk(s, row, &c, s->mirrored ? row->n - VT_CPU_CHUNK - i : i);
  }
}

const VtCpuWindows VT_VARIANT(vt_cpu_small_windows) = { step, row, NULL };
