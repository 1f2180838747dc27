/* SPDX-License-Identifier: MIT
 *
 * rows.h: loops over rows of pixels, with variants for the instructions of the machine. All give the same bytes. */
#pragma once

#include "../simd.h"
#include "../vt-cpu.h"

typedef struct VtCpuRows {
  /* to = the least of to and a; of to, a and b. */
  void (*fold)(uint16_t *to, const uint16_t *a, int64_t n);
  void (*widen)(uint16_t *to, const uint16_t *a, const uint16_t *b, int64_t n);

  /* pairs: two neighbouring values as signed halves of a word, 32768 taken off each: `first` in the lower one. */
  void (*pair)(uint32_t *pairs, const uint16_t *first, const uint16_t *second, int64_t n);
  /* to: the upper half of start + the sum of the products of pairs[k][x] and weights[k], two signed halves each. */
  void (*weigh)(uint16_t *to, const uint32_t *const *pairs, const uint32_t *weights, int n_pairs, uint32_t start,
                int64_t n);

  /* Of the watershed. Rows of keys and codes have one more before the first and behind the last. key: levels as integers in their
   * order, the two zeros being one; INT32_MIN outside mask. False: one inside is no number, or its seed is negative. */
  bool (*keys)(int32_t *key, const float *level, const uint8_t *mask, const int32_t *seed, int64_t n);
  /* to: the highest of the 3 x 3 keys. */
  void (*highest)(int32_t *to, const int32_t *const key[3], int64_t n);
  /* state: one of VT_CPU_OUTSIDE .. VT_CPU_INNER. */
  void (*enter)(uint8_t *state, const int32_t *key, const int32_t *highest, const int32_t *seed, int64_t n);
  /* code: ~distance of each pixel, 0 outside. parent: of each pixel inside, the number of the neighbour whose key is highest and
   * whose distance is the least, the first of several; 8: none that is reached. */
  void (*codes)(int32_t *code, const uint8_t *state, int64_t n);
  void (*parents)(uint8_t *parent, const int32_t *const key[3], const int32_t *highest, const int32_t *const code[3],
                  int64_t n);

  /* Of regional maxima; rows of keys and states have one more before the first and behind the last, the states there are never
   * VT_CPU_TOP. Tops with a higher neighbour become none. */
  void (*mark)(uint8_t *state, const int32_t *const key[3], bool eight, int64_t n);
  /* Tops become none that have one beside them, above or below, of their own key: `other` is that row. True: some did. */
  bool (*sink)(uint8_t *state, const int32_t *key, const uint8_t *other, const int32_t *other_key, bool eight,
               int64_t n);
  /* As queued: 1 for a pixel that is none and has a top of its own key around it. */
  void (*can_sink)(uint8_t *found, const uint8_t *const state[3], const int32_t *const key[3], bool eight, int64_t n);
} VtCpuRows;

enum { VT_CPU_NO_TOP, VT_CPU_TOP, VT_CPU_NOTHING /* outside */ };
enum { VT_CPU_OUTSIDE, VT_CPU_SEED, VT_CPU_ENTERED /* from a higher pixel */, VT_CPU_INNER /* of a plateau */ };

extern const VtCpuRows vt_cpu_rows_baseline, vt_cpu_rows_avx2, vt_cpu_rows_avx512;

static inline const VtCpuRows *
vt_cpu_rows(void)
{
  return VT_CPU_BEST(vt_cpu_rows);
}
