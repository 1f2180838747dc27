/* SPDX-License-Identifier: MIT
 *
 * Sliding windows (windows.h), in variants (vectors.h). */
#include "../vectors.h"
#include "windows.h"

#include <math.h>
#include <string.h>

#define ALIGNED __attribute__((aligned(64)))
#if defined(VT_AVX512)
#define TO_DOUBLES(from) _mm512_cvtepi32_pd(_mm256_loadu_si256((const void *)(from)))
#define ANY_BIT(vector) (_mm512_test_epi32_mask((__m512i)(vector), (__m512i)(vector)) != 0)
#define STORE_FLOATS(to, v) _mm256_storeu_ps(to, _mm512_cvtpd_ps(v))
#define GATHER(table, index) _mm512_i32gather_epi64(_mm256_loadu_si256((const void *)(index)), table, 8)
#elif defined(VT_AVX2)
#define TO_DOUBLES(from) _mm256_cvtepi32_pd(_mm_loadu_si128((const void *)(from)))
#define ANY_BIT(vector) (!_mm256_testz_si256((__m256i)(vector), (__m256i)(vector)))
#define STORE_FLOATS(to, v) _mm_storeu_ps(to, _mm256_cvtpd_ps(v))
#else
#define VECTOR_BYTES 16
#endif

enum { N_DOUBLES = VECTOR_BYTES / 8, N_GROUPS = VT_CPU_CHUNK / N_DOUBLES };
typedef double Doubles __attribute__((vector_size(VECTOR_BYTES)));
typedef double DoublesAt __attribute__((vector_size(VECTOR_BYTES), aligned(8), may_alias));
typedef int32_t HalfAt __attribute__((vector_size(VECTOR_BYTES / 2), aligned(4), may_alias));

/* Sums by level or by length of VT_CPU_CHUNK windows, the number of runs and the weighed sum, [k][window]: in 32 bits, or
 * (merged) in doubles, which hold them exactly. */
typedef struct Sums {
  int32_t *whole[2];
  const double *merged[2]; /* or NULL */
  int64_t pitch;           /* of merged */
  int32_t n;
  uint8_t present[256 + 1]; /* the n k's, ascending, that are not 0 in all windows */
} Sums;

/* Windows in ascending x, also in the mirror; where there are less than VT_CPU_CHUNK, some are empty. */
typedef struct Chunk {
  Sums level, length;
  int32_t levels[2][256 * VT_CPU_CHUNK] ALIGNED, lengths[2][VT_CPU_MAX_LENGTHS * VT_CPU_CHUNK] ALIGNED;
  uint64_t low[VT_CPU_CHUNK];
  int32_t first_level, last_level; /* that the block holds; all others have no runs */
  uint64_t level_running[256 + VT_CPU_LANES] ALIGNED, length_running[VT_CPU_MAX_LENGTHS] ALIGNED, low_running;
} Chunk;

#ifndef VECTOR
/* 1 if a bit of a vector is set. */
static inline __attribute__((always_inline)) int32_t
any_bit(const void *vector)
{
  uint64_t words[VECTOR_BYTES / 8], any = 0;
  memcpy(words, vector, sizeof words);
  for (int k = 0; k < VECTOR_BYTES / 8; k++)
    any |= words[k];
  return any != 0;
}
#define ANY_BIT(vector) any_bit(&(vector))
#endif

#define CELL uint32_t
#define SUFFIX u32
#include "windows-cell-impl.h"
#undef CELL
#undef SUFFIX
#define CELL uint64_t
#define SUFFIX u64
#include "windows-cell-impl.h"

/* --- SRLGE --- */

/* columns[x] += sign * table[index[x]] */
static inline __attribute__((always_inline)) void
add_low(uint64_t *columns, const uint64_t *table, const int32_t *index, int64_t n, uint64_t sign)
{
  int64_t x = 0;
#ifdef GATHER
  typedef uint64_t Words __attribute__((vector_size(VECTOR_BYTES), aligned(8), may_alias));
  for (; x + VECTOR_BYTES / 8 <= n; x += VECTOR_BYTES / 8)
    *(Words *)(columns + x) += (Words)GATHER(table, index + x) * sign;
#endif
  for (; x < n; x++)
    columns[x] += sign * table[index[x]];
}

/* The bends of a row of runs, in columns that lie `to` (1 or -1) apart. */
static inline __attribute__((always_inline)) void
bend_low(const VtCpuSlide *s, uint64_t *columns, int64_t y, const uint8_t *length, const int32_t *index, int64_t to,
         uint64_t sign)
{
  const VtCpuBlock *b = s->runs.block;
  const uint16_t *level = s->runs.level + y * b->stride;
  add_low(columns, s->wanted->low_first, index, b->width, sign);
  add_low(columns + to, s->wanted->low_second, index, b->width, sign);
  for (int64_t x = 0; x < b->width; x++) {
    const int32_t n = length[-to * x];
    if (n < 3)
      continue;
    const uint64_t *bend = s->wanted->low_bend + level[x] * (s->wanted->side + 1);
    for (int32_t k = 2; k < n; k++)
      columns[x + k * to] += sign * bend[k + 1];
  }
}

/* Where the tables hold level and length of the pixels of row y. */
static inline __attribute__((always_inline)) void
find_low(const VtCpuSlide *s, int64_t y, const uint8_t *length, int64_t by, int32_t *restrict index)
{
  const VtCpuBlock *b = s->runs.block;
  const uint16_t *level = s->runs.level + y * b->stride;
  const int32_t pitch = s->wanted->side + 1;
  for (int64_t x = 0; x < b->width; x++)
    index[x] = level[x] * pitch + length[x * by];
}

/* A row that comes in (sign 1) or goes out (-1): `own` are the columns where its own length counts, `others` those of the
 * runs that it meets. */
static inline __attribute__((always_inline)) void
step_low(const VtCpuSlide *s, int64_t y, bool comes, uint64_t sign)
{
  const VtCpuRuns *r = &s->runs;
  const int64_t last = r->block->width - 1, width = r->block->width;
  const uint8_t *back = r->back + y * r->block->stride, *ahead = r->ahead + y * r->block->stride + last;
  uint64_t *own = comes ? s->low_enter : s->low_leave, *others = comes ? s->low_leave : s->low_enter;
  int32_t *index = s->rows;
  if (comes)
    find_low(s, y, back, 1, index);
  else
    find_low(s, y, ahead, -1, index);
  add_low(own, s->wanted->low_gain, index, width, sign);
  if (r->along == VT_CPU_ALONG_DIAGONAL && comes)
    bend_low(s, others, y, back, index, -1, sign);
  else if (r->along == VT_CPU_ALONG_DIAGONAL)
    bend_low(s, others, y, ahead, index, 1, sign);
  if (r->along != VT_CPU_ALONG_ROW)
    return;
  if (comes)
    find_low(s, y, ahead, -1, index);
  else
    find_low(s, y, back, 1, index);
  add_low(others, s->wanted->low_gain, index, width, sign);
}

static void
finish_low(const VtCpuSlide *s, int64_t i, int count, Chunk *c)
{
  const int64_t side = s->wanted->side, step = s->wanted->step;
  int64_t x = i == 0 ? 0 : side + (i - 1) * step;
  uint64_t sum = c->low_running;
  for (int w = 0; w < count; w++) {
    for (; x < side + (i + w) * step; x++)
      sum += s->low_enter[x] - (x < side ? 0 : s->low_leave[x - side]);
    c->low[s->mirrored ? VT_CPU_CHUNK - 1 - w : w] = sum;
  }
  c->low_running = sum;
}

static void
step(const VtCpuSlide *s, int64_t in, int64_t out)
{
  const VtCpuWanted *want = s->wanted;
  if (want->by_level)
    (want->wide ? step_levels_u64 : step_levels_u32)(s, in, out);
  if (want->by_length)
    (want->wide ? step_lengths_u64 : step_lengths_u32)(s, in, out);
  if (want->short_low && in >= 0)
    step_low(s, in, true, 1);
  if (want->short_low && out >= 0)
    step_low(s, out, false, (uint64_t)-1);
}

/* --- features --- */

static inline __attribute__((always_inline)) Doubles
load(const Sums *s, int which, int32_t k, int group)
{
  if (s->merged[0])
    return *(const DoublesAt *)(s->merged[which] + k * s->pitch + group * N_DOUBLES);
  const int32_t *from = s->whole[which] + k * VT_CPU_CHUNK + group * N_DOUBLES;
#ifdef VECTOR
  return TO_DOUBLES(from);
#else
  return __builtin_convertvector(*(const HalfAt *)from, Doubles);
#endif
}

/* s / k², rounded as a division is. With a fused multiply-add: the quotient by the rounded inverse is off by less than 2
 * ulp, its remainder is exact, and one correction leaves an error of 2^-50 ulp or so. A quotient of integers s < 2^53 and
 * k² <= 2^16 lies at least 2^-17 ulp from where rounding changes. */
static inline __attribute__((always_inline)) Doubles
divide_by_square(Doubles s, double square, double inverse)
{
#ifdef VECTOR
  const Doubles q = s * inverse, d = (Doubles){ 0 } + square, r = V_OP(fnmadd_pd)(q, d, s);
  return V_OP(fmadd_pd)(r, (Doubles){ 0 } + inverse, q);
#else
  return s / square;
#endif
}

/* a / b of windows, rounded as a division is; inverse = 1 / b. With a fused multiply-add: the second correction starts from
 * less than an ulp, and is exact then (Markstein 1990). */
static inline __attribute__((always_inline)) void
divide(const double *a, const double *b, const double *inverse, double *to)
{
  for (int w = 0; w < VT_CPU_CHUNK; w += N_DOUBLES) {
    const Doubles x = *(const DoublesAt *)(a + w), y = *(const DoublesAt *)(b + w);
#ifdef VECTOR
    const Doubles i = *(const DoublesAt *)(inverse + w);
    Doubles q = x * i;
    q = V_OP(fmadd_pd)(V_OP(fnmadd_pd)(q, y, x), i, q);
    *(DoublesAt *)(to + w) = V_OP(fmadd_pd)(V_OP(fnmadd_pd)(q, y, x), i, q);
#else
    *(DoublesAt *)(to + w) = x / y;
#endif
  }
}

/* Σ s / k², in ascending order. */
static inline __attribute__((always_inline)) void
inverse_sum(const VtCpuWanted *want, const Sums *s, int which, double *to)
{
  Doubles total[N_GROUPS] = { { 0 } };
  for (int32_t p = 0; p < s->n; p++) {
    const int32_t k = s->present[p];
    for (int g = 0; g < N_GROUPS; g++)
      total[g] += divide_by_square(load(s, which, k, g), want->squares[k], want->inverses[k]);
  }
  memcpy(to, total, sizeof total);
}

/* Σ s k^0, k, k²: integers below 2^53, exact in any order. */
typedef struct Moments {
  double zero[VT_CPU_CHUNK], one[VT_CPU_CHUNK], two[VT_CPU_CHUNK];
} Moments;

static inline __attribute__((always_inline)) void
moments(const VtCpuWanted *want, const Sums *s, int which, Moments *to)
{
  Doubles zero[N_GROUPS] = { { 0 } }, one[N_GROUPS] = { { 0 } }, two[N_GROUPS] = { { 0 } };
  for (int32_t p = 0; p < s->n; p++) {
    const int32_t k = s->present[p];
    for (int g = 0; g < N_GROUPS; g++) {
      const Doubles v = load(s, which, k, g);
      zero[g] += v;
      one[g] += v * (double)(k + 1);
      two[g] += v * want->squares[k];
    }
  }
  memcpy(to->zero, zero, sizeof zero);
  memcpy(to->one, one, sizeof one);
  memcpy(to->two, two, sizeof two);
}

/* Σ s²: likewise. */
static inline __attribute__((always_inline)) void
square_sum(const Sums *s, double *to)
{
  Doubles total[N_GROUPS] = { { 0 } };
  for (int32_t p = 0; p < s->n; p++)
    for (int g = 0; g < N_GROUPS; g++) {
      const Doubles v = load(s, 0, s->present[p], g);
      total[g] += v * v;
    }
  memcpy(to, total, sizeof total);
}

static inline bool
wants(const VtCpuWanted *want, int a, int b)
{
  return want->features & (1u << a | 1u << b);
}

typedef struct Values {
  double feature[VT_GLRLM_N_FEATURES][VT_CPU_CHUNK] ALIGNED, runs[VT_CPU_CHUNK], inverse[VT_CPU_CHUNK] /* 1 / runs */;
} Values;

static inline __attribute__((always_inline)) void
count_runs(const double *runs, Values *v)
{
  for (int w = 0; w < VT_CPU_CHUNK; w++) {
    v->runs[w] = runs[w];
    v->inverse[w] = 1 / runs[w];
  }
}

/* feature = sum / runs */
static inline __attribute__((always_inline)) void
per_run(const VtCpuWanted *want, int feature, const double *sum, Values *v)
{
  if (wants(want, feature, feature))
    divide(sum, v->runs, v->inverse, v->feature[feature]);
}

/* feature = sum / runs² */
static inline __attribute__((always_inline)) void
per_run_squared(const VtCpuWanted *want, int feature, const double *sum, Values *v)
{
  for (int w = 0; w < VT_CPU_CHUNK && wants(want, feature, feature); w++)
    v->feature[feature][w] = sum[w] / (v->runs[w] * v->runs[w]);
}

static inline __attribute__((always_inline)) void
variance(const VtCpuWanted *want, int feature, const Moments *m, Values *v)
{
  for (int w = 0; w < VT_CPU_CHUNK && wants(want, feature, feature); w++)
    v->feature[feature][w] = (v->runs[w] * m->two[w] - m->one[w] * m->one[w]) / (v->runs[w] * v->runs[w]);
}

static inline __attribute__((always_inline)) void
length_features(const VtCpuWanted *want, const Sums *s, Values *v)
{
  Moments m;
  double sum[VT_CPU_CHUNK];
  moments(want, s, 0, &m);
  count_runs(m.zero, v);
  per_run(want, VT_GLRLM_LRE, m.two, v);
  variance(want, VT_GLRLM_RV, &m, v);
  for (int w = 0; w < VT_CPU_CHUNK && wants(want, VT_GLRLM_RP, VT_GLRLM_RP); w++)
    v->feature[VT_GLRLM_RP][w] = v->runs[w] / m.one[w];
  if (wants(want, VT_GLRLM_SRE, VT_GLRLM_SRE)) {
    inverse_sum(want, s, 0, sum);
    per_run(want, VT_GLRLM_SRE, sum, v);
  }
  if (wants(want, VT_GLRLM_RLN, VT_GLRLM_RLNN)) {
    square_sum(s, sum);
    per_run(want, VT_GLRLM_RLN, sum, v);
    per_run_squared(want, VT_GLRLM_RLNN, sum, v);
  }
  if (wants(want, VT_GLRLM_HGRE, VT_GLRLM_LRHGE)) {
    moments(want, s, 1, &m);
    per_run(want, VT_GLRLM_HGRE, m.zero, v);
    per_run(want, VT_GLRLM_LRHGE, m.two, v);
  }
  if (wants(want, VT_GLRLM_SRHGE, VT_GLRLM_SRHGE)) {
    inverse_sum(want, s, 1, sum);
    per_run(want, VT_GLRLM_SRHGE, sum, v);
  }
}

static inline __attribute__((always_inline)) void
level_features(const VtCpuWanted *want, const Sums *s, Values *v)
{
  Moments m;
  double sum[VT_CPU_CHUNK];
  if (!want->by_length || wants(want, VT_GLRLM_GLV, VT_GLRLM_GLV)) {
    moments(want, s, 0, &m);
    count_runs(m.zero, v);
    variance(want, VT_GLRLM_GLV, &m, v);
  }
  if (wants(want, VT_GLRLM_GLN, VT_GLRLM_GLNN)) {
    square_sum(s, sum);
    per_run(want, VT_GLRLM_GLN, sum, v);
    per_run_squared(want, VT_GLRLM_GLNN, sum, v);
  }
  if (wants(want, VT_GLRLM_LGRE, VT_GLRLM_LGRE)) {
    inverse_sum(want, s, 0, sum);
    per_run(want, VT_GLRLM_LGRE, sum, v);
  }
  if (wants(want, VT_GLRLM_LRLGE, VT_GLRLM_LRLGE)) {
    inverse_sum(want, s, 1, sum);
    per_run(want, VT_GLRLM_LRLGE, sum, v);
  }
}

static inline __attribute__((always_inline)) void
write_floats(float *to, const Doubles from[N_GROUPS], int64_t at, int64_t n)
{
  if (at >= 0 && at + VT_CPU_CHUNK <= n)
    for (int g = 0; g < N_GROUPS; g++)
#ifdef VECTOR
      STORE_FLOATS(to + at + g * N_DOUBLES, from[g]);
#else
      for (int k = 0; k < N_DOUBLES; k++)
        to[at + g * N_DOUBLES + k] = (float)from[g][k];
#endif
  else
    for (int w = 0; w < VT_CPU_CHUNK; w++)
      if (at + w >= 0 && at + w < n)
        to[at + w] = (float)from[w / N_DOUBLES][w % N_DOUBLES];
}

/* Window w of the chunk is number at + w of the row, if there is such a one. */
static void
write_chunk(const VtCpuWanted *want, const VtCpuRow *row, const Values *v, int64_t at)
{
  typedef int64_t Mask __attribute__((vector_size(VECTOR_BYTES)));
  const Mask undefined = (Mask)((Doubles){ 0 } + (double)NAN);
  for (uint32_t left = want->features; left; left &= left - 1) {
    const int feature = __builtin_ctz(left);
    DoublesAt *mean = row->mean ? (DoublesAt *)(row->mean[feature] + at) : NULL;
    Doubles value[N_GROUPS];
    for (int g = 0; g < N_GROUPS; g++) {
      const Mask some = *(const DoublesAt *)(v->runs + g * N_DOUBLES) > 0;
      value[g] =
        (Doubles)(((Mask) * (const DoublesAt *)(v->feature[feature] + g * N_DOUBLES) & some) | (undefined & ~some));
    }
    if (row->out)
      write_floats(row->out[feature], value, at, row->n);
    if (!mean)
      continue;
    for (int g = 0; g < N_GROUPS && !row->first; g++)
      value[g] += mean[g];
    if (row->last) {
      for (int g = 0; g < N_GROUPS; g++)
        value[g] /= VT_GLRLM_N_DIRECTIONS;
      write_floats(row->last[feature], value, at, row->n);
    } else
      for (int g = 0; g < N_GROUPS; g++)
        mean[g] = value[g];
  }
}

static void
add_merged(double *const to[2], int64_t pitch, const Sums *s, int64_t at)
{
  for (int32_t p = 0; p < s->n; p++)
    for (int which = 0; which < 2; which++) {
      const int32_t k = s->present[p], *from = s->whole[which] + k * VT_CPU_CHUNK;
      for (int w = 0; w < VT_CPU_CHUNK; w++)
        to[which][k * pitch + at + w] += from[w];
    }
}

static void
merge_chunk(const VtCpuWanted *want, const VtCpuMerged *m, const Chunk *c, int64_t at)
{
  if (want->by_level)
    add_merged(m->level, m->pitch, &c->level, at);
  if (want->by_length)
    add_merged(m->length, m->pitch, &c->length, at);
  for (int w = 0; w < VT_CPU_CHUNK && want->short_low; w++)
    m->low[at + w] += c->low[w];
}

static void
finish_chunk(const VtCpuSlide *s, int64_t i, int count, Chunk *c)
{
  const VtCpuWanted *want = s->wanted;
  if (want->by_level)
    (want->wide ? finish_levels_u64 : finish_levels_u32)(s, i, count, c);
  if (want->by_length)
    (want->wide ? finish_lengths_u64 : finish_lengths_u32)(s, i, count, c);
  if (want->short_low)
    finish_low(s, i, count, c);
}

static void
start_row(const VtCpuSlide *s, Chunk *c)
{
  memset(c->level_running, 0, sizeof c->level_running);
  memset(c->length_running, 0, sizeof c->length_running);
  memset(c->low, 0, sizeof c->low);
  c->low_running = 0;
  c->first_level = s->runs.block->first_level;
  c->last_level = s->runs.block->last_level;
  c->level.merged[0] = c->length.merged[0] = NULL;
  for (int k = 0; k < 2; k++) {
    c->level.whole[k] = c->levels[k];
    c->length.whole[k] = c->lengths[k];
  }
}

static void
row(const VtCpuSlide *s, const VtCpuRow *row)
{
  const VtCpuWanted *want = s->wanted;
  Chunk c;
  Values v;
  start_row(s, &c);
  for (int64_t i = 0; i < row->n; i += VT_CPU_CHUNK) {
    const int count = row->n - i < VT_CPU_CHUNK ? (int)(row->n - i) : VT_CPU_CHUNK;
    const int64_t at = s->mirrored ? row->n - VT_CPU_CHUNK - i : i;
    finish_chunk(s, i, count, &c);
    if (row->merged)
      merge_chunk(want, row->merged, &c, at);
    if (!row->mean && !row->out)
      continue;
    if (want->by_length)
      length_features(want, &c.length, &v);
    if (want->by_level)
      level_features(want, &c.level, &v);
    for (int w = 0; w < VT_CPU_CHUNK && want->short_low; w++)
      v.feature[VT_GLRLM_SRLGE][w] = (double)c.low[w] / (v.runs[w] * (double)(UINT64_C(1) << VT_GLRLM_FIXED_BITS));
    write_chunk(want, row, &v, at);
  }
}

static Sums
merged_sums(double *const from[2], int64_t at, int64_t pitch, int32_t n)
{
  Sums s = { .merged = { from[0] + at, from[1] + at }, .pitch = pitch, .n = n };
  for (int32_t k = 0; k < n; k++)
    s.present[k] = (uint8_t)k;
  return s;
}

static void
merged(const VtCpuSlide *s, const VtCpuRow *row)
{
  const VtCpuWanted *want = s->wanted;
  const VtCpuMerged *m = row->merged;
  for (int64_t i = 0; i < row->n; i += VT_CPU_CHUNK) {
    Values v;
    if (want->by_length) {
      const Sums length = merged_sums(m->length, i, m->pitch, want->side);
      length_features(want, &length, &v);
    }
    if (want->by_level) {
      const Sums level = merged_sums(m->level, i, m->pitch, want->n_levels);
      level_features(want, &level, &v);
    }
    for (int w = 0; w < VT_CPU_CHUNK && want->short_low; w++)
      v.feature[VT_GLRLM_SRLGE][w] = vt_cpu_glrlm_short_low_mean(m->low[i + w], (uint64_t)v.runs[w]);
    write_chunk(want, row, &v, i);
  }
}

const VtCpuWindows VT_VARIANT(vt_cpu_windows) = { step, row, merged };
