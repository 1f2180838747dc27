/* SPDX-License-Identifier: MIT
 *
 * The filters, in variants (vectors.h). The loops over a row are such that the compiler makes vectors of them. */
#include "../vectors.h"
#include "filters.h"

#ifdef VECTOR
#define PREDICT predict
static void PREDICT(const VtForest *forest, const int32_t *const values[VT_FOREST_AT_ONCE],
                    uint16_t answers[VT_FOREST_AT_ONCE]);
#include "learn/forest-lanes-impl.h"
#else
#define PREDICT vt_forest_predict
#endif

#include <math.h>
#include <stdlib.h>
#include <string.h>

static uint32_t
reciprocal_at(int64_t at, int64_t n, int32_t radius)
{
  const int64_t from = at < radius ? 0 : at - radius, to = at + radius >= n ? n - 1 : at + radius;
  const uint32_t count = (uint32_t)(to - from + 1);
  return (65536 + count / 2) / count;
}

/* (sum * reciprocal + 32768) >> 16 in 16 bits: the upper half of the product, and the highest bit of the lower one. */
static inline uint16_t
mean_uint16_t(uint16_t sum, uint16_t reciprocal)
{
  return (uint16_t)(((uint32_t)sum * reciprocal >> 16) + ((uint16_t)((uint32_t)sum * reciprocal) >> 15));
}

static inline uint16_t
mean_uint32_t(uint32_t sum, uint32_t reciprocal)
{
  return (uint16_t)((sum * reciprocal + 32768) >> 16);
}

/* Means of type T. columns_ adds a row that comes, takes off one that goes, and leaves the means of the columns; rows_ sums 2
 * radius + 1 neighbours by sums of 1, 2, 4, 8 ... of them. A reciprocal of one value would be 65536, so such are copied. */
#define MEANS(T) \
  static void columns_##T(T *restrict sum, T *restrict mean, const uint16_t *restrict comes, \
                          const uint16_t *restrict goes, T reciprocal, int64_t n) \
  { \
    for (int64_t x = 0; x < n; x++) { \
      const T now = (T)(sum[x] + comes[x] - goes[x]); \
      sum[x] = now; \
      mean[x] = mean_##T(now, reciprocal); \
    } \
  } \
  static void add_##T(T *restrict to, const T *restrict a, const T *restrict b, int64_t n) \
  { \
    for (int64_t x = 0; x < n; x++) \
      to[x] = (T)(a[x] + b[x]); \
  } \
  static void extend_##T(T *restrict to, const T *restrict a, int64_t n) \
  { \
    for (int64_t x = 0; x < n; x++) \
      to[x] = (T)(to[x] + a[x]); \
  } \
  static void finish_##T(uint16_t *restrict dst, const T *restrict sum, const T *restrict reciprocal, int64_t n) \
  { \
    for (int64_t x = 0; x < n; x++) \
      dst[x] = mean_##T(sum[x], reciprocal[x]); \
  } \
  static void rows_##T(uint16_t *dst, T *const *row, const T *reciprocal, int64_t n, int32_t radius) \
  { \
    T *sum = row[1], *from = row[0], *to = row[2]; \
    int64_t count = n + 2 * radius, done = 1; \
    memcpy(sum, from, (size_t)n * sizeof(T)); \
    for (int32_t length = 1; 2 * length <= 2 * radius + 1; length *= 2) { \
      count -= length; \
      add_##T(to, from, from + length, count); \
      T *const other = from == row[0] ? row[3] : from; \
      from = to; \
      to = other; \
      if (!((2 * radius + 1) & 2 * length)) \
        continue; \
      extend_##T(sum, from + done, n); \
      done += 2 * length; \
    } \
    finish_##T(dst, sum, reciprocal, n); \
  } \
  static void mean_row_##T(const RgMean *m, uint16_t *dst, const uint16_t *comes, const uint16_t *goes, int64_t y) \
  { \
    const int64_t w = m->width, r = m->radius; \
    const size_t room = vt_rg_mean_room(w); \
    T *sum = m->sums, *const reciprocal = sum + room; \
    T *const scratch = m->scratch, *const mean = scratch + r; \
    T *const row[4] = { scratch, scratch + room, scratch + 2 * room, scratch + 3 * room }; \
    columns_##T(sum, mean, comes, goes, (T)reciprocal_at(y, m->height, m->radius), w); \
    if (!dst) \
      return; \
    if (m->height == 1) \
      memcpy(mean, sum, sizeof(T) * (size_t)w); \
    memset(scratch, 0, sizeof(T) * (size_t)r); \
    memset(mean + w, 0, sizeof(T) * (size_t)r); \
    if (w > 1) \
      rows_##T(dst, row, reciprocal, w, m->radius); \
    else \
      dst[0] = (uint16_t)mean[0]; \
  } \
  static void mean_begin_##T(const RgMean *m) \
  { \
    T *sum = m->sums; \
    memset(sum, 0, sizeof(T) * (size_t)m->width); \
    for (int64_t x = 0; x < m->width; x++) \
      sum[(int64_t)vt_rg_mean_room(m->width) + x] = (T)reciprocal_at(x, m->width, m->radius); \
  }

MEANS(uint16_t)
MEANS(uint32_t)

static void
mean_begin(const RgMean *m)
{
  if (m->is_wide)
    mean_begin_uint32_t(m);
  else
    mean_begin_uint16_t(m);
}

static void
mean_row(const RgMean *m, int16_t *dst, const int16_t *comes, const int16_t *goes, int64_t y)
{
  if (m->is_wide)
    mean_row_uint32_t(m, (uint16_t *)dst, (const uint16_t *)comes, (const uint16_t *)goes, y);
  else
    mean_row_uint16_t(m, (uint16_t *)dst, (const uint16_t *)comes, (const uint16_t *)goes, y);
}

static void
across_121(int16_t *restrict to, const int16_t *restrict above, const int16_t *restrict here,
           const int16_t *restrict below, int64_t n)
{
  for (int64_t x = 0; x < n; x++)
    to[x] = (int16_t)(above[x] + 2 * here[x] + below[x]);
}

static void
along_121(int16_t *restrict to, const int16_t *restrict row, int64_t n)
{
  for (int64_t x = 0; x < n; x++)
    to[x] = (int16_t)((int16_t)(row[x - 1] + 2 * row[x] + row[x + 1] + 8) >> 4);
}

static void
smooth_121(int16_t *dst, const int16_t *const from[3], int64_t w, void *scratch)
{
  int16_t *row = (int16_t *)scratch + 1;
  across_121(row, from[0], from[1], from[2], w);
  row[-1] = row[0];
  row[w] = row[w - 1];
  along_121(dst, row, w);
}

static inline int16_t
length_of(int16_t left, int16_t right, int16_t above, int16_t below, int16_t scale, int16_t most)
{
  const int16_t dx = (int16_t)abs(right - left), dy = (int16_t)abs(below - above);
  const int16_t greater = dx > dy ? dx : dy, lesser = dx > dy ? dy : dx;
  const int16_t length = (int16_t)((greater + (lesser >> 1)) * scale);
  return length < most ? length : most;
}

static void
gradient_row(int16_t *restrict to, const int16_t *restrict here, const int16_t *restrict above,
             const int16_t *restrict below, int64_t n, int16_t scale, int16_t most)
{
  for (int64_t x = 0; x < n; x++)
    to[x] = length_of(here[x - 1], here[x + 1], above[x], below[x], scale, most);
}

static void
gradient(int16_t *dst, const int16_t *const from[3], int64_t w, int scale)
{
  const int16_t *above = from[0], *here = from[1], *below = from[2];
  const int16_t s = (int16_t)scale, m = RG_MOST_DENSITY;
  const int64_t last = w - 1, second = w > 1 ? 1 : 0;
  dst[0] = length_of(here[0], here[second], above[0], below[0], s, m);
  dst[last] = length_of(here[last - second], here[last], above[last], below[last], s, m);
  if (w > 2)
    gradient_row(dst + 1, here + 1, above + 1, below + 1, w - 2, s, m);
}

static void
difference(int16_t *restrict dst, const int16_t *restrict a, const int16_t *restrict b, int64_t n)
{
  for (int64_t i = 0; i < n; i++)
    dst[i] = (int16_t)(4 * abs(a[i] - b[i]));
}

static void
square(int16_t *restrict dst, const int16_t *restrict v, int64_t n)
{
  for (int64_t i = 0; i < n; i++)
    dst[i] = (int16_t)((v[i] * v[i]) >> 4);
}

/* Variances are less than 2^19, so that a root of single precision, rounded down, is right. */
static void
deviation(int16_t *restrict squares, const int16_t *restrict mean_of, int64_t n)
{
  for (int64_t i = 0; i < n; i++) {
    const int32_t variance = squares[i] * 16 - mean_of[i] * mean_of[i];
    squares[i] = (int16_t)(int32_t)sqrtf((float)(variance > 0 ? variance : 0));
  }
}

static void
mix(int16_t *restrict dst, const int16_t *restrict a, const int16_t *restrict b, const int16_t *restrict c,
    const int16_t *restrict d, const int16_t *restrict e, const int16_t *restrict f, const int16_t *restrict g,
    const int16_t *restrict h, int64_t n)
{
  for (int64_t i = 0; i < n; i++) {
    dst[8 * i] = a[i];
    dst[8 * i + 1] = b[i];
    dst[8 * i + 2] = c[i];
    dst[8 * i + 3] = d[i];
    dst[8 * i + 4] = e[i];
    dst[8 * i + 5] = f[i];
    dst[8 * i + 6] = g[i];
    dst[8 * i + 7] = h[i];
  }
}

static void
mix_row(int16_t *dst, const int16_t *const v[RG_N_MIXED], int64_t n)
{
  mix(dst, v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7], n);
}

static inline int16_t
input_of(int16_t v, int16_t middle)
{
  const int16_t moved = (int16_t)(v - middle);
  return moved < -RG_INPUT_MAX ? -RG_INPUT_MAX : moved > RG_INPUT_MAX ? RG_INPUT_MAX : moved;
}

/* Of a few pixels at once, so that the compiler makes vectors of them. */
static void
map_each(int16_t *dst, const int16_t *const planes[RG_N_INPUTS], const RgMap *map, int64_t from, int64_t n)
{
  enum { FEW = 64 };
  int16_t f[RG_N_INPUTS][FEW] = { { 0 } };
  for (int64_t at = from; at < n; at += FEW) {
    const int64_t count = n - at < FEW ? n - at : FEW;
    int32_t sum[FEW], inner[FEW];
    const int32_t *square_ij = map->square;
    for (int x = 0; x < FEW; x++)
      sum[x] = map->constant;
    for (int i = 0; i < RG_N_INPUTS; i++) {
      for (int64_t x = 0; x < count; x++)
        f[i][x] = input_of(planes[i][at + x], vt_rg_map_middle[i]);
      memset(inner, 0, sizeof inner);
      for (int j = 0; j <= i; j++) {
        const int16_t weight = (int16_t)*square_ij++;
        for (int x = 0; x < FEW; x++)
          inner[x] += weight * f[j][x];
      }
      for (int x = 0; x < FEW; x++)
        sum[x] += ((inner[x] >> 10) + map->linear[i]) * f[i][x];
    }
    for (int64_t x = 0; x < count; x++) {
      const int32_t form = sum[x] >> 10, most = form < 0 ? 0 : form > 255 ? 255 : form;
      const int32_t v = 24 + ((most + 3 * f[RG_RED_1][x] - 2 * f[RG_RED_8][x] - f[RG_RED_16][x]) >> 2);
      dst[at + x] = (int16_t)(v < 0 ? 0 : v > 255 ? 255 : v);
    }
  }
}

#ifdef VECTOR
#define AT_ONCE ((int64_t)(sizeof(VECTOR) / sizeof(int16_t)))

/* Products of two inputs at once: pair[i / 2] has inputs i and i + 1 of the lower and the upper half of the pixels. */
static inline VECTOR
map_vector(const VECTOR pair[RG_N_INPUTS / 2], const RgMap *map, const int32_t *weights)
{
  VECTOR sum = V_OP(set1_epi32)(map->constant);
  for (int i = 0; i < RG_N_INPUTS; i++) {
    VECTOR inner = V_OP(madd_epi16)(pair[0], V_OP(set1_epi32)(*weights++));
    for (int j = 1; j <= i / 2; j++)
      inner = V_OP(add_epi32)(inner, V_OP(madd_epi16)(pair[j], V_OP(set1_epi32)(*weights++)));
    const VECTOR slope = V_OP(add_epi32)(V_OP(srai_epi32)(inner, 10), V_OP(set1_epi32)(map->linear[i]));
    const VECTOR f =
      i % 2 ? V_OP(srai_epi32)(pair[i / 2], 16) : V_OP(srai_epi32)(V_OP(slli_epi32)(pair[i / 2], 16), 16);
    sum = V_OP(add_epi32)(sum, V_OP(mullo_epi32)(slope, f));
  }
  return V_OP(srai_epi32)(sum, 10);
}

static inline VECTOR
clipped(VECTOR v, int16_t least, int16_t most)
{
  return V_OP(min_epi16)(V_OP(max_epi16)(v, V_OP(set1_epi16)(least)), V_OP(set1_epi16)(most));
}

/* As they are multiplied: two in 32 bits. */
static void
pair_weights(int32_t *to, const RgMap *map)
{
  const int32_t *row = map->square;
  for (int i = 0; i < RG_N_INPUTS; row += ++i)
    for (int j = 0; j <= i; j += 2)
      *to++ = (int32_t)((uint32_t)row[j] & 0xffff) | (int32_t)((j < i ? (uint32_t)row[j + 1] : 0) << 16);
}

static void
map_all(int16_t *dst, const int16_t *const planes[RG_N_INPUTS], const RgMap *map, int64_t n)
{
  int32_t weights[(RG_N_INPUTS / 2 + 1) * RG_N_INPUTS / 2 + RG_N_INPUTS / 2];
  pair_weights(weights, map);
  int64_t x = 0;
  for (; x + AT_ONCE <= n; x += AT_ONCE) {
    VECTOR f[RG_N_INPUTS], low[RG_N_INPUTS / 2], high[RG_N_INPUTS / 2];
    for (int i = 0; i < RG_N_INPUTS; i++)
      f[i] = clipped(V_OP(sub_epi16)(V_LOAD(planes[i] + x), V_OP(set1_epi16)(vt_rg_map_middle[i])), -RG_INPUT_MAX,
                     RG_INPUT_MAX);
    for (int i = 0; i < RG_N_INPUTS / 2; i++) {
      low[i] = V_OP(unpacklo_epi16)(f[2 * i], f[2 * i + 1]);
      high[i] = V_OP(unpackhi_epi16)(f[2 * i], f[2 * i + 1]);
    }
    const VECTOR form = V_OP(packs_epi32)(map_vector(low, map, weights), map_vector(high, map, weights));
    const VECTOR near = V_OP(slli_epi16)(V_OP(sub_epi16)(f[RG_RED_1], f[RG_RED_8]), 1);
    const VECTOR steps = V_OP(add_epi16)(near, V_OP(sub_epi16)(f[RG_RED_1], f[RG_RED_16]));
    const VECTOR all = V_OP(srai_epi16)(V_OP(add_epi16)(clipped(form, 0, 255), steps), 2);
    V_STORE(dst + x, clipped(V_OP(add_epi16)(all, V_OP(set1_epi16)(24)), 0, 255));
  }
  map_each(dst, planes, map, x, n);
}
/* Some pixels of a row at once, each with its RG_N_MIXED values; lanes of 32 bits have two of them. */
typedef uint32_t Twos __attribute__((vector_size(sizeof(VECTOR)), may_alias));
enum { MIXED_AT_ONCE = sizeof(VECTOR) / (RG_N_MIXED * sizeof(int16_t)), SUBSETS = 1 << MIXED_AT_ONCE };

/* All bits of those pixels that are in a subset. */
static const uint64_t in_subset[SUBSETS][MIXED_AT_ONCE][2] = {
#define SUBSET(k) \
  { \
    { -((k)&1ULL), -((k)&1ULL) }, { -((k) >> 1 & 1ULL), -((k) >> 1 & 1ULL) } SUBSET_REST(k) \
  }
#if VECTOR_BYTES == 64
#define SUBSET_REST(k) \
  , { -((k) >> 2 & 1ULL), -((k) >> 2 & 1ULL) }, \
  { \
    -((k) >> 3 & 1ULL), -((k) >> 3 & 1ULL) \
  }
  SUBSET(0ULL), SUBSET(1ULL), SUBSET(2ULL),  SUBSET(3ULL),  SUBSET(4ULL),  SUBSET(5ULL),  SUBSET(6ULL),  SUBSET(7ULL),
  SUBSET(8ULL), SUBSET(9ULL), SUBSET(10ULL), SUBSET(11ULL), SUBSET(12ULL), SUBSET(13ULL), SUBSET(14ULL), SUBSET(15ULL)
#else
#define SUBSET_REST(k)
  SUBSET(0ULL), SUBSET(1ULL), SUBSET(2ULL), SUBSET(3ULL)
#endif
};

typedef struct Gathered {
  Twos lower, upper, square, least, most;
} Gathered;

static inline void
gather(Gathered *g, const int16_t *pixels, uint64_t subset)
{
  const Twos mask = (Twos)V_LOAD(in_subset[subset]), values = (Twos)V_LOAD(pixels) & mask;
  g->lower += values & 0xffff;
  g->upper += values >> 16;
  g->square += (Twos)V_OP(madd_epi16)((VECTOR)(values & 0xffff), (VECTOR)values);
  g->least = (Twos)V_OP(min_epu16)((VECTOR)g->least, (VECTOR)(values | ~mask));
  g->most = (Twos)V_OP(max_epi16)((VECTOR)g->most, (VECTOR)values);
}

/* Of the first value of each pixel. */
static inline int64_t
take_squares(Gathered *g)
{
  int64_t sum = 0;
  for (int i = 0; i < MIXED_AT_ONCE * RG_N_MIXED / 2; i += RG_N_MIXED / 2)
    sum += g->square[i];
  g->square = (Twos){ 0 };
  return sum;
}

static void
sum_all(RgSum *sum, const uint64_t *rows, int32_t n_rows, int32_t words, const int16_t *mixed, int64_t stride)
{
  enum { FEW_ROWS = 32 }; /* whose squares fit a lane */
  Gathered g = { .least = (Twos){ 0 } + INT16_MAX };
  int64_t n = 0, square = 0;
  for (int32_t y = 0; y < n_rows; y++, mixed += stride) {
    square += y % FEW_ROWS == 0 ? take_squares(&g) : 0;
    for (int32_t w = 0; w < words; w++) {
      uint64_t bits = *rows++;
      for (n += __builtin_popcountll(bits); bits;) {
        const int first = __builtin_ctzll(bits);
        gather(&g, mixed + (64 * w + first) * RG_N_MIXED, bits >> first & (SUBSETS - 1));
        bits &= ~((uint64_t)(SUBSETS - 1) << first);
      }
    }
  }
  *sum = (RgSum){ .n = n, .square = square + take_squares(&g), .least = INT16_MAX };
  for (int i = 0; i < MIXED_AT_ONCE * RG_N_MIXED / 2; i += RG_N_MIXED / 2) {
    for (int k = 0; k < RG_N_MIXED / 2; k++) {
      sum->of[2 * k] += g.lower[i + k];
      sum->of[2 * k + 1] += g.upper[i + k];
    }
    const int32_t least = g.least[i] & 0xffff, most = g.most[i] & 0xffff;
    sum->least = least < sum->least ? least : sum->least;
    sum->most = most > sum->most ? most : sum->most;
  }
}
#else
/* The values of a pixel, two in 32 bits. */
typedef uint32_t Pairs __attribute__((vector_size(RG_N_MIXED * sizeof(int16_t)), aligned(sizeof(int16_t)), may_alias));
typedef uint32_t Four __attribute__((vector_size(RG_N_MIXED * sizeof(int16_t))));
#define LOWER_FIRST (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__)

static void
sum_all(RgSum *sum, const uint64_t *rows, int32_t n_rows, int32_t words, const int16_t *mixed, int64_t stride)
{
  int64_t n = 0, square = 0;
  int32_t least = INT16_MAX, most = 0;
  Four lower = { 0 }, upper = { 0 };
  for (int32_t y = 0; y < n_rows; y++, mixed += stride)
    for (int32_t w = 0; w < words; w++)
      for (uint64_t bits = *rows++; bits; bits &= bits - 1, n++) {
        const int16_t *pixel = mixed + (64 * w + __builtin_ctzll(bits)) * RG_N_MIXED;
        const Four pairs = *(const Pairs *)pixel;
        lower += pairs & 0xffff;
        upper += pairs >> 16;
        square += pixel[0] * pixel[0];
        least = pixel[0] < least ? pixel[0] : least;
        most = pixel[0] > most ? pixel[0] : most;
      }
  *sum = (RgSum){ .n = n, .square = square, .least = least, .most = most };
  for (int k = 0; k < RG_N_MIXED; k++)
    sum->of[k] = (k % 2 == 0) == LOWER_FIRST ? lower[k / 2] : upper[k / 2];
}

static void
map_all(int16_t *dst, const int16_t *const planes[RG_N_INPUTS], const RgMap *map, int64_t n)
{
  map_each(dst, planes, map, 0, n);
}
#endif

const RgFilters VT_VARIANT(vt_rg_filters) = { mean_begin, mean_row, smooth_121, gradient, difference, square,
                                              deviation,  map_all,  mix_row,    sum_all,  PREDICT };
