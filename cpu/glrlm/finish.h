/* SPDX-License-Identifier: MIT
 *
 * finish.h: the end of a window, for sums of any type. */
#pragma once

#include "planes.h"

/* Σ s / k², added in ascending order as features.c does; the quotients come first, so that they can be vectors. */
#define VT_CPU_INVERSE(sums, n, result) \
  do { \
    double quotient[256]; \
    (result) = 0; \
    for (int32_t k = 0; k < (n); k++) \
      quotient[k] = (double)(sums)[k] / (double)((k + 1) * (k + 1)); \
    for (int32_t k = 0; k < (n); k++) \
      (result) += quotient[k]; \
  } while (0)

/* Counts of at most 129² = 16641 fit 15 bits, and their squares add up to less than 2^31. */
static inline double
vt_cpu_squares(const uint16_t *sums, int32_t n)
{
  int32_t total = 0;
  for (int32_t k = 0; k < n; k++)
    total += (int32_t)(int16_t)sums[k] * (int16_t)sums[k];
  return (double)total;
}

static inline void
vt_cpu_finish_u16(const VtCpuFinish *f, int64_t i, const uint16_t *sums)
{
  const int64_t at = f->first + i * f->by;
  if (f->sums)
    for (int32_t k = 0; k < f->n; k++)
      f->sums[at * f->n + k] += sums[k];
  else if (f->squares)
    f->value[at] = vt_cpu_squares(sums, f->n);
  else
    VT_CPU_INVERSE(sums, f->n, f->value[at]);
}

/* Below 2^31: level² or length² of the runs of a window of one direction. */
static inline void
vt_cpu_finish_i32(const VtCpuFinish *f, int64_t i, const int32_t *sums)
{
  const int64_t at = f->first + i * f->by;
  if (f->sums)
    for (int32_t k = 0; k < f->n; k++)
      f->sums[at * f->n + k] += (uint64_t)sums[k];
  else
    VT_CPU_INVERSE(sums, f->n, f->value[at]);
}
