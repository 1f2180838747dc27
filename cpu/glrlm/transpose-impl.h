/* SPDX-License-Identifier: MIT
 *
 * transpose-impl.h: vectors of one type of cell (CELL, its suffix SUFFIX), and windows from one after another to side by side. */

#define PASTE2(a, b) a##_##b
#define PASTE(a, b) PASTE2(a, b)
#define NAME(name) PASTE(name, SUFFIX)
#define N_CELLS (VECTOR_BYTES / (int)sizeof(CELL)) /* of a vector */

typedef CELL NAME(Vector) __attribute__((vector_size(VECTOR_BYTES)));
typedef CELL NAME(Anywhere) __attribute__((vector_size(VECTOR_BYTES), aligned(sizeof(CELL)), may_alias)); /* in a row */

/* rows[i] of N_CELLS becomes to[k] of VT_CPU_CHUNK. */
static inline __attribute__((always_inline)) void
NAME(transpose)(const NAME(Vector) rows[VT_CPU_CHUNK], CELL *to)
{
#if VECTOR_BYTES > 16 && !defined(__clang__) /* clang knows no shuffle by variable lanes */
  NAME(Vector) lanes;
  for (int k = 0; k < N_CELLS; k++)
    lanes[k] = (CELL)k;
  for (int first = 0; first < VT_CPU_CHUNK; first += N_CELLS) {
    NAME(Vector) r[N_CELLS];
    for (int i = 0; i < N_CELLS; i++)
      r[i] = rows[first + i];
#pragma GCC unroll 5
    for (int s = N_CELLS / 2; s > 0; s /= 2) {
      /* Of a pair of rows s apart: which lanes they keep and which they exchange. */
      const NAME(Vector) odd = (NAME(Vector))((lanes & (CELL)s) != 0);
      const NAME(Vector) low = lanes + (odd & (CELL)(N_CELLS - s));
      const NAME(Vector) high = lanes + (odd & (CELL)(N_CELLS - s)) + (CELL)s;
#pragma GCC unroll 16
      for (int i = 0; i < N_CELLS; i++)
        if ((i & s) == 0) {
          const NAME(Vector) a = r[i], b = r[i + s];
          r[i] = __builtin_shuffle(a, b, low);
          r[i + s] = __builtin_shuffle(a, b, high);
        }
    }
    for (int k = 0; k < N_CELLS; k++)
      *(NAME(Anywhere) *)(to + k * VT_CPU_CHUNK + first) = r[k];
  }
#else
  for (int k = 0; k < N_CELLS; k++)
    for (int i = 0; i < VT_CPU_CHUNK; i++)
      to[k * VT_CPU_CHUNK + i] = rows[i][k];
#endif
}
