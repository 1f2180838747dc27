/* SPDX-License-Identifier: MIT
 *
 * distance.h: what the files of the distance transform share. */
#pragma once

#include "../vt-cpu.h"

/* Images, weights and sizes of a call are right. */

/* One sweep over a row of column distances: the distance grows by one from `before`, and is 0 on background; or, going
 * up, is the smaller of that and what is there. */
void vt_cpu_edt_sweep_down(int32_t *dst, const uint8_t *src, const int32_t *before, int64_t n);
void vt_cpu_edt_sweep_up(int32_t *dst, const int32_t *below, int64_t n);

/* The near search (near.c): as many squares as this stand before and behind those of a row. */
enum { VT_EDT_GROUP = 32, VT_EDT_PAD = 127 };

/* A row of column distances on its way to the outputs. */
typedef struct VtEdtRow {
  const VtDistance *args;
  int64_t y;            /* of the outputs */
  const int32_t *g;     /* column distances */
  const int32_t *above; /* distance to the background above alone, VT_EDT_NONE: none; for `nearest` only */
  int64_t y0;           /* of the image, where the outputs begin */
} VtEdtRow;

/* SIMD variant of the near rows. `limit` is the distance at which it gives up: the farther, the wider its vectors. */
typedef struct VtEdtNear {
  int limit;
  /* squares[x] = min(g[x], limit)². */
  void (*square)(const int32_t *g, int64_t width, int limit, int16_t *squares);
  /* Squared distances of VT_EDT_GROUP neighbours; false: one of them is `limit` or more away. */
  bool (*search)(const int16_t *squares, int limit, int16_t *best);
  void (*near_root)(const int16_t *best, int64_t n, float scale, float *dst);
  void (*root)(const int64_t *squared, int64_t n, float scale, float *dst);
  /* Lists those of the columns first..end - 1 that may be the nearest somewhere, with weights 1; returns their number.
   * squares, keep: scratch, end - first + 2 and + 8. */
  int64_t (*candidates)(const int32_t *g, int64_t first, int64_t end, int32_t *squares, uint8_t *keep, int32_t *sites);
} VtEdtNear;

extern const VtEdtNear vt_cpu_edt_near_baseline, vt_cpu_edt_near_avx2, vt_cpu_edt_near_avx512;

typedef struct VtEdtParabola {
  int64_t site;  /* its column */
  int64_t g2;    /* weighted squared column distance there */
  int64_t start; /* first x at which it is the lowest */
} VtEdtParabola;

/* Scratch of one thread for rows of one width; with_nearest: `nearest` too. */
typedef struct VtEdtScratch {
  VtEdtParabola *stack;
  int64_t *squared, *nearest; /* a row of them */
  int16_t *memory, *squares;
  int32_t *lines, *sites; /* of the candidates; sites has room for eight more */
  uint8_t *keep;
  const VtEdtNear *near;
  int64_t n_far; /* rows that were mostly far, one after the other */
} VtEdtScratch;

bool vt_cpu_edt_scratch_init(VtEdtScratch *scratch, int64_t width, bool with_nearest);
void vt_cpu_edt_scratch_clear(VtEdtScratch *scratch);

/* Writes all outputs of a row. */
void vt_cpu_edt_row(const VtEdtRow *row, VtEdtScratch *scratch);

/* Finds the pixels first..end - 1 of a row from its parabolas: scratch->squared and, if it is an output, nearest. A pixel
 * beside them is nearer to the background than `limit` (INT_MAX: nothing is known of it). */
void vt_cpu_edt_envelope(const VtEdtRow *row, int64_t first, int64_t end, int64_t limit, VtEdtScratch *scratch);
/* Writes what was found to the outputs, capped. */
void vt_cpu_distance_write(const VtDistance *args, int64_t first, int64_t end, int64_t y, VtEdtScratch *scratch);
