/* SPDX-License-Identifier: MIT
 *
 * windows-impl.h: one variant of windows.h: VECTOR_BYTES of a vector, VARIANT its name. */
#include "windows.h"

#include <math.h>
#include <string.h>

enum { N_DOUBLES = VECTOR_BYTES / 8, N_GROUPS = VT_CPU_CHUNK / N_DOUBLES };
typedef double Doubles __attribute__((vector_size(VECTOR_BYTES)));
typedef double DoublesAt __attribute__((vector_size(VECTOR_BYTES), aligned(8), may_alias));
typedef int32_t HalfAt __attribute__((vector_size(VECTOR_BYTES / 2), aligned(4), may_alias));

/* VT_CPU_CHUNK windows: runs and weighed sums, [k][window]. */
typedef struct Chunk {
  int32_t level[2][256 * VT_CPU_CHUNK], length[2][VT_CPU_MAX_LENGTHS * VT_CPU_CHUNK];
  uint64_t low[VT_CPU_CHUNK];
  int32_t first_level, last_level; /* that the block holds; all others have no runs */
  uint64_t level_running[256 + VT_CPU_LANES], length_running[VT_CPU_MAX_LENGTHS], low_running;
} Chunk;

#define CELL uint32_t
#define SUFFIX u32
#include "windows-cell-impl.h"
#undef CELL
#undef SUFFIX
#define CELL uint64_t
#define SUFFIX u64
#include "windows-cell-impl.h"

/* --- SRLGE --- */

static inline __attribute__((always_inline)) void
add_low(const VtCpuSlide *s, uint64_t *columns, int64_t y, const uint8_t *length, int64_t by, uint64_t sign)
{
  const VtCpuBlock *b = s->runs.block;
  const uint16_t *level = s->runs.level + y * b->stride;
  const uint64_t *gain = s->wanted->low_gain;
  const int32_t pitch = s->wanted->side + 1;
  for (int64_t x = 0; x < b->width; x++)
    columns[x] += sign * gain[level[x] * pitch + length[x * by]];
}

static inline __attribute__((always_inline)) void
bend_low(const VtCpuSlide *s, uint64_t *columns, int64_t y, const uint8_t *length, int64_t to, uint64_t sign)
{
  const VtCpuBlock *b = s->runs.block;
  const uint16_t *level = s->runs.level + y * b->stride;
  const int32_t pitch = s->wanted->side + 1;
  for (int64_t x = 0; x < b->width; x++) {
    const uint64_t *bend = s->wanted->low_bend + level[x] * pitch;
    const int32_t n = length[-to * x];
    columns[x] += sign * bend[1];
    columns[x + to] += n > 1 ? sign * bend[2] : 0;
    for (int32_t k = 2; k < n; k++)
      columns[x + k * to] += sign * bend[k + 1];
  }
}

static void
step_low(const VtCpuSlide *s, int64_t in, int64_t out)
{
  const VtCpuRuns *r = &s->runs;
  const int64_t stride = r->block->stride, last = r->block->width - 1;
  if (in >= 0) {
    const uint8_t *back = r->back + in * stride, *ahead = r->ahead + in * stride + last;
    add_low(s, s->low_enter, in, back, 1, 1);
    if (r->along == VT_CPU_ALONG_ROW)
      add_low(s, s->low_leave, in, ahead, -1, 1);
    if (r->along == VT_CPU_ALONG_DIAGONAL)
      bend_low(s, s->low_leave, in, back, -1, 1);
  }
  if (out >= 0) {
    const uint8_t *back = r->back + out * stride, *ahead = r->ahead + out * stride + last;
    add_low(s, s->low_leave, out, ahead, -1, (uint64_t)-1);
    if (r->along == VT_CPU_ALONG_ROW)
      add_low(s, s->low_enter, out, back, 1, (uint64_t)-1);
    if (r->along == VT_CPU_ALONG_DIAGONAL)
      bend_low(s, s->low_enter, out, ahead, 1, (uint64_t)-1);
  }
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
    c->low[w] = sum;
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
  if (want->short_low)
    step_low(s, in, out);
}

/* --- features --- */

/* Integer sums of VT_CPU_CHUNK windows: 32 bits, or doubles that hold them exactly (merged). */
typedef struct Sums {
  const int32_t *whole;
  const double *merged; /* or NULL */
  int64_t pitch;        /* from k to k */
  int32_t from, end;    /* no others but 0 */
} Sums;

static inline __attribute__((always_inline)) Doubles
load(const Sums *s, int32_t k, int group)
{
  if (s->merged)
    return *(const DoublesAt *)(s->merged + k * s->pitch + group * N_DOUBLES);
  return __builtin_convertvector(*(const HalfAt *)(s->whole + k * s->pitch + group * N_DOUBLES), Doubles);
}

/* s / square, rounded as a division is. With a fused multiply-add: the quotient by the rounded inverse is off by less than 2
 * ulp, its remainder is exact, and one correction leaves an error of 2^-50 ulp or so. A quotient of integers s < 2^53 and
 * k² <= 2^16 lies at least 2^-17 ulp from where rounding changes. */
static inline __attribute__((always_inline)) Doubles
divide(Doubles s, double square, double inverse)
{
#ifdef MULTIPLY_ADD
  const Doubles q = s * inverse, d = (Doubles){ 0 } + square, r = NEGATED_MULTIPLY_ADD(q, d, s);
  return MULTIPLY_ADD(r, (Doubles){ 0 } + inverse, q);
#else
  return s / square;
#endif
}

/* Σ s / k², in ascending order. */
static inline __attribute__((always_inline)) void
inverse_sum(const VtCpuWanted *want, const Sums *s, double *to)
{
  Doubles total[N_GROUPS] = { { 0 } };
  for (int32_t k = s->from; k < s->end; k++)
    for (int g = 0; g < N_GROUPS; g++)
      total[g] += divide(load(s, k, g), want->squares[k], want->inverses[k]);
  memcpy(to, total, sizeof total);
}

/* Σ s k^0, k, k²: integers below 2^53, exact in any order. */
typedef struct Moments {
  double zero[VT_CPU_CHUNK], one[VT_CPU_CHUNK], two[VT_CPU_CHUNK];
} Moments;

static inline __attribute__((always_inline)) void
moments(const VtCpuWanted *want, const Sums *s, Moments *to)
{
  Doubles zero[N_GROUPS] = { { 0 } }, one[N_GROUPS] = { { 0 } }, two[N_GROUPS] = { { 0 } };
  for (int32_t k = s->from; k < s->end; k++)
    for (int g = 0; g < N_GROUPS; g++) {
      const Doubles v = load(s, k, g);
      zero[g] += v;
      one[g] += v * (double)(k + 1);
      two[g] += v * want->squares[k];
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
  for (int32_t k = s->from; k < s->end; k++)
    for (int g = 0; g < N_GROUPS; g++) {
      const Doubles v = load(s, k, g);
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
  double feature[VT_GLRLM_N_FEATURES][VT_CPU_CHUNK], runs[VT_CPU_CHUNK];
} Values;

#define EACH_WINDOW(feature_, expression) \
  do { \
    double *f_ = v->feature[feature_]; \
    for (int w = 0; w < VT_CPU_CHUNK && wants(want, feature_, feature_); w++) \
      f_[w] = (expression); \
  } while (0)

static inline __attribute__((always_inline)) void
length_features(const VtCpuWanted *want, const Sums *runs, const Sums *weighed, Values *v)
{
  Moments m;
  double inverse[VT_CPU_CHUNK], squares[VT_CPU_CHUNK];
  moments(want, runs, &m);
  memcpy(v->runs, m.zero, sizeof v->runs);
  EACH_WINDOW(VT_GLRLM_LRE, m.two[w] / v->runs[w]);
  EACH_WINDOW(VT_GLRLM_RP, v->runs[w] / m.one[w]);
  if (wants(want, VT_GLRLM_RV, VT_GLRLM_RV))
    EACH_WINDOW(VT_GLRLM_RV, (v->runs[w] * m.two[w] - m.one[w] * m.one[w]) / (v->runs[w] * v->runs[w]));
  if (wants(want, VT_GLRLM_SRE, VT_GLRLM_SRE)) {
    inverse_sum(want, runs, inverse);
    EACH_WINDOW(VT_GLRLM_SRE, inverse[w] / v->runs[w]);
  }
  if (wants(want, VT_GLRLM_RLN, VT_GLRLM_RLNN)) {
    square_sum(runs, squares);
    EACH_WINDOW(VT_GLRLM_RLN, squares[w] / v->runs[w]);
    EACH_WINDOW(VT_GLRLM_RLNN, squares[w] / (v->runs[w] * v->runs[w]));
  }
  if (wants(want, VT_GLRLM_HGRE, VT_GLRLM_LRHGE)) {
    moments(want, weighed, &m);
    EACH_WINDOW(VT_GLRLM_HGRE, m.zero[w] / v->runs[w]);
    EACH_WINDOW(VT_GLRLM_LRHGE, m.two[w] / v->runs[w]);
  }
  if (wants(want, VT_GLRLM_SRHGE, VT_GLRLM_SRHGE)) {
    inverse_sum(want, weighed, inverse);
    EACH_WINDOW(VT_GLRLM_SRHGE, inverse[w] / v->runs[w]);
  }
}

static inline __attribute__((always_inline)) void
level_features(const VtCpuWanted *want, const Sums *runs, const Sums *weighed, Values *v)
{
  Moments m;
  double inverse[VT_CPU_CHUNK], squares[VT_CPU_CHUNK];
  if (!want->by_length || wants(want, VT_GLRLM_GLV, VT_GLRLM_GLV)) {
    moments(want, runs, &m);
    memcpy(v->runs, m.zero, sizeof v->runs);
    EACH_WINDOW(VT_GLRLM_GLV, (v->runs[w] * m.two[w] - m.one[w] * m.one[w]) / (v->runs[w] * v->runs[w]));
  }
  if (wants(want, VT_GLRLM_GLN, VT_GLRLM_GLNN)) {
    square_sum(runs, squares);
    EACH_WINDOW(VT_GLRLM_GLN, squares[w] / v->runs[w]);
    EACH_WINDOW(VT_GLRLM_GLNN, squares[w] / (v->runs[w] * v->runs[w]));
  }
  if (wants(want, VT_GLRLM_LGRE, VT_GLRLM_LGRE)) {
    inverse_sum(want, runs, inverse);
    EACH_WINDOW(VT_GLRLM_LGRE, inverse[w] / v->runs[w]);
  }
  if (wants(want, VT_GLRLM_LRLGE, VT_GLRLM_LRLGE)) {
    inverse_sum(want, weighed, inverse);
    EACH_WINDOW(VT_GLRLM_LRLGE, inverse[w] / v->runs[w]);
  }
}

/* Window k of the chunk is number first + k * by of the row. */
static void
write_chunk(const VtCpuWanted *want, const VtCpuRow *row, Values *v, int64_t first, int64_t by, int count)
{
  for (uint32_t left = want->features; left; left &= left - 1) {
    const int feature = __builtin_ctz(left);
    double *value = v->feature[feature], *mean = row->mean ? row->mean[feature] : NULL;
    float *out = row->out ? row->out[feature] : NULL;
    for (int w = 0; w < VT_CPU_CHUNK; w++)
      value[w] = v->runs[w] > 0 ? value[w] : (double)NAN;
    for (int w = 0; w < count && out; w++)
      out[first + w * by] = (float)value[w];
    for (int w = 0; w < count && mean; w++)
      mean[first + w * by] += value[w];
  }
}

static void
add_merged(double *const to[2], int64_t pitch, const int32_t *runs, const int32_t *weighed, int32_t from, int32_t end,
           int64_t first, int64_t by, int count)
{
  for (int32_t k = from; k < end; k++)
    for (int w = 0; w < count; w++) {
      to[0][k * pitch + first + w * by] += runs[k * VT_CPU_CHUNK + w];
      to[1][k * pitch + first + w * by] += weighed[k * VT_CPU_CHUNK + w];
    }
}

static void
merge_chunk(const VtCpuWanted *want, const VtCpuMerged *m, const Chunk *c, int64_t first, int64_t by, int count)
{
  if (want->by_level)
    add_merged(m->level, m->pitch, c->level[0], c->level[1], c->first_level - 1, c->last_level, first, by, count);
  if (want->by_length)
    add_merged(m->length, m->pitch, c->length[0], c->length[1], 0, want->side, first, by, count);
  for (int w = 0; w < count && want->short_low; w++)
    m->low[first + w * by] += c->low[w];
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
row(const VtCpuSlide *s, const VtCpuRow *row)
{
  const VtCpuWanted *want = s->wanted;
  Chunk c;
  Values v;
  c.first_level = s->runs.block->first_level;
  c.last_level = s->runs.block->last_level;
  memset(c.level_running, 0, sizeof c.level_running);
  memset(c.length_running, 0, sizeof c.length_running);
  memset(c.low, 0, sizeof c.low);
  c.low_running = 0;
  for (int64_t i = 0; i < row->n; i += VT_CPU_CHUNK) {
    const int count = row->n - i < VT_CPU_CHUNK ? (int)(row->n - i) : VT_CPU_CHUNK;
    const int64_t first = s->mirrored ? row->n - 1 - i : i, by = s->mirrored ? -1 : 1;
    finish_chunk(s, i, count, &c);
    if (row->merged)
      merge_chunk(want, row->merged, &c, first, by, count);
    if (!row->mean && !row->out)
      continue;
    const Sums length[2] = { { c.length[0], NULL, VT_CPU_CHUNK, 0, want->side },
                             { c.length[1], NULL, VT_CPU_CHUNK, 0, want->side } };
    const Sums level[2] = { { c.level[0], NULL, VT_CPU_CHUNK, c.first_level - 1, c.last_level },
                            { c.level[1], NULL, VT_CPU_CHUNK, c.first_level - 1, c.last_level } };
    if (want->by_length)
      length_features(want, &length[0], &length[1], &v);
    if (want->by_level)
      level_features(want, &level[0], &level[1], &v);
    for (int w = 0; w < VT_CPU_CHUNK && want->short_low; w++)
      v.feature[VT_GLRLM_SRLGE][w] = (double)c.low[w] / (v.runs[w] * (double)(UINT64_C(1) << VT_GLRLM_FIXED_BITS));
    write_chunk(want, row, &v, first, by, count);
  }
}

static void
merged(const VtCpuSlide *s, const VtCpuRow *row)
{
  const VtCpuWanted *want = s->wanted;
  const VtCpuMerged *m = row->merged;
  for (int64_t i = 0; i < row->n; i += VT_CPU_CHUNK) {
    const int count = row->n - i < VT_CPU_CHUNK ? (int)(row->n - i) : VT_CPU_CHUNK;
    Values v;
    const Sums length[2] = { { NULL, m->length[0] + i, m->pitch, 0, want->side },
                             { NULL, m->length[1] + i, m->pitch, 0, want->side } };
    const Sums level[2] = { { NULL, m->level[0] + i, m->pitch, 0, want->n_levels },
                            { NULL, m->level[1] + i, m->pitch, 0, want->n_levels } };
    if (want->by_length)
      length_features(want, &length[0], &length[1], &v);
    if (want->by_level)
      level_features(want, &level[0], &level[1], &v);
    for (int w = 0; w < VT_CPU_CHUNK && want->short_low; w++)
      v.feature[VT_GLRLM_SRLGE][w] = vt_cpu_glrlm_short_low_mean(m->low[i + w], (uint64_t)v.runs[w]);
    write_chunk(want, row, &v, i, 1, count);
  }
}

const VtCpuWindows VARIANT = { step, row, merged };
