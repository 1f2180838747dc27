/* SPDX-License-Identifier: MIT
 *
 * Near rows of the distance transform, in variants (vectors.h). The columns around VT_EDT_GROUP pixels are tried outwards, until the way to
 * them alone is too long. All of it is in 16 bits: a column distance counts as at most the limit, and the squares of the limit and of a
 * step below it fit 16 bits together. So answers below limit² are right. */
#include "../vectors.h"
#include "distance.h"

#include <string.h>

#ifdef VECTOR
#define LIMIT 120
#else
#define LIMIT 96
#endif
_Static_assert(LIMIT <= VT_EDT_PAD && 2 * LIMIT * LIMIT <= INT16_MAX, "squares fit 16 bits");

static void
square(const int32_t *restrict g, int64_t width, int limit, int16_t *restrict squares)
{
  for (int64_t x = 0; x < width; x++) {
    const int32_t near = g[x] < limit ? g[x] : limit;
    squares[x] = (int16_t)(near * near);
  }
}

#ifdef VECTOR
enum { N_VECTORS = VT_EDT_GROUP * sizeof(int16_t) / sizeof(VECTOR) };

static inline bool
is_any_above(const VECTOR *least, int bound)
{
  const VECTOR most = V_OP(set1_epi16)((int16_t)bound);
#if VECTOR_BYTES == 64
  return V_OP(cmpgt_epi16_mask)(least[0], most) != 0;
#else
  return V_OP(movemask_epi8)(_mm256_or_si256(V_OP(cmpgt_epi16)(least[0], most), V_OP(cmpgt_epi16)(least[1], most)))
         != 0;
#endif
}

static bool
search(const int16_t *squares, int limit, int16_t *best)
{
  VECTOR least[N_VECTORS];
  for (int v = 0; v < N_VECTORS; v++)
    least[v] = V_LOAD((const VECTOR *)squares + v);
  for (int step = 1; step < limit && is_any_above(least, step * step);)
    for (int end = step + 4 < limit ? step + 4 : limit; step < end; step++) {
      const VECTOR add = V_OP(set1_epi16)((int16_t)(step * step));
      for (int v = 0; v < N_VECTORS; v++) {
        const VECTOR left = V_LOAD((const VECTOR *)(squares - step) + v);
        const VECTOR right = V_LOAD((const VECTOR *)(squares + step) + v);
        least[v] = V_OP(min_epi16)(least[v], V_OP(add_epi16)(V_OP(min_epi16)(left, right), add));
      }
    }
  for (int v = 0; v < N_VECTORS; v++)
    V_STORE((VECTOR *)best + v, least[v]);
  return !is_any_above(least, limit * limit - 1);
}
#else
static inline int
highest(const int16_t *best)
{
  int16_t worst = 0;
  for (int k = 0; k < VT_EDT_GROUP; k++)
    worst = worst > best[k] ? worst : best[k];
  return worst;
}

static bool
search(const int16_t *squares, int limit, int16_t *best)
{
  int16_t least[VT_EDT_GROUP]; /* here, the compiler keeps it in registers */
  for (int k = 0; k < VT_EDT_GROUP; k++)
    least[k] = squares[k];
  for (int step = 1; step < limit && step * step < highest(least);)
    for (int end = step + 4 < limit ? step + 4 : limit; step < end; step++) {
      const int16_t add = (int16_t)(step * step);
      for (int k = 0; k < VT_EDT_GROUP; k++) {
        const int16_t left = squares[k - step], right = squares[k + step];
        const int16_t side = (int16_t)((left < right ? left : right) + add);
        least[k] = least[k] < side ? least[k] : side;
      }
    }
  for (int k = 0; k < VT_EDT_GROUP; k++)
    best[k] = least[k];
  return highest(least) < limit * limit;
}
#endif

/* The root of a number below 2^24 is the same float from floats as from doubles. */
static void
near_root(const int16_t *restrict best, int64_t n, float scale, float *restrict dst)
{
  float roots[VT_EDT_GROUP];
  for (int k = 0; k < VT_EDT_GROUP; k++)
    roots[k] = sqrtf((float)best[k]) * scale;
  memcpy(dst, roots, (size_t)n * sizeof *roots);
}

static void
root(const int64_t *restrict squared, int64_t n, float scale, float *restrict dst)
{
  int64_t all = 0;
  for (int64_t k = 0; k < n; k++)
    all |= squared[k];
  if (all < 1 << 24)
    for (int64_t k = 0; k < n; k++)
      dst[k] = sqrtf((float)(int32_t)squared[k]) * scale;
  else
    for (int64_t k = 0; k < n; k++)
      dst[k] = squared[k] == VT_EDT_NONE64 ? INFINITY : (float)sqrt((double)squared[k]) * scale;
}

/* A column that is the lowest somewhere is lower there than the one on its left and not above the one on its right: in
 * twice the place of the crossing, seen from it, each is a difference of squares. Squares fit 32 bits; a column without
 * background counts as so far that the crossing with it is beyond any that is found. */
static int64_t
candidates(const int32_t *restrict g, int64_t first, int64_t end, int32_t *restrict squares, uint8_t *restrict keep,
           int32_t *restrict sites)
{
  enum { MOST = 16383, NONE = 32767 };
  const int64_t width = end - first;
  int32_t too_far = 0;
  squares[0] = squares[width + 1] = NONE * NONE;
  for (int64_t x = 0; x < width; x++) {
    const int32_t d = g[first + x], used = d < NONE ? d : NONE;
    too_far |= (d > MOST) & (d != VT_EDT_NONE);
    squares[x + 1] = used * used;
  }
  /* Apart from the list, so that it is vector work; mostly few are kept. */
  for (int64_t x = 0; x < width; x++) {
    const int32_t left = (squares[x + 1] - squares[x] - 1) >> 1, right = (squares[x + 2] - squares[x + 1] + 1) >> 1;
    keep[x] = (uint8_t)(((right > left) | too_far) & (g[first + x] != VT_EDT_NONE));
  }
  memset(keep + width, 0, sizeof(uint64_t));
  int64_t n = 0;
  for (int64_t x = 0; x < width; x += 8) {
    uint64_t any;
    memcpy(&any, keep + x, sizeof any);
    for (int64_t k = x; any && k < x + 8; k++) {
      sites[n] = (int32_t)(first + k);
      n += keep[k];
    }
  }
  return n;
}

const VtEdtNear VT_VARIANT(vt_cpu_edt_near) = { LIMIT, square, search, near_root, root, candidates };
