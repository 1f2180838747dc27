/* SPDX-License-Identifier: MIT
 *
 * windows.h: the sums of sliding windows in one direction (planes.h), in variants for vector instructions.
 *
 * Everything but SRLGE and run entropy comes from two sets of integers: by level the number of runs and Σ length², and
 * by length the number of runs and Σ level². The two of a set travel in one cell, the number above, the other sum below
 * `shift`: they are added and subtracted together, and only what comes out for a window has to fit. Cells have 32 bits
 * where that is enough, else 64.
 *
 * By length a column holds N_k, the number of pixels of a window whose run goes on for k pixels inside it (a sum like
 * those of planes.h, with D = 1 up to k), for all k side by side: one comparison of a length with 1, 2, 3... makes all
 * the terms of a pixel, and those of a diagonal are neighbours in a row of lengths. Runs of length j are then
 * N_j - 2 N_(j+1) + N_(j+2). */
#pragma once

#include "planes.h"

/* Windows that are finished together, side by side in vectors. */
enum { VT_CPU_CHUNK = 16, VT_CPU_MAX_LENGTHS = 144 };

/* A column of small windows (windows-small.c): sums over the runs, and their number by level and by length. Where two share a word,
 * the first is in the lower half. */
enum { VT_CPU_SMALL_SIDE = 15, VT_CPU_SMALL_LENGTHS = 16, VT_CPU_SMALL_LEVELS = 48 };
enum {
  VT_CPU_SMALL_RUNS,       /* runs, Σ length² */
  VT_CPU_SMALL_HIGH,       /* Σ level², Σ level² length² */
  VT_CPU_SMALL_PIXELS,     /* Σ length, Σ level */
  VT_CPU_SMALL_SHORT,      /* Σ 1 / length², in 2^-56; here and below the largest sum has 64 bits, or nearly so */
  VT_CPU_SMALL_LOW,        /* Σ 1 / level², in 2^-56 */
  VT_CPU_SMALL_LONG_LOW,   /* Σ length² / level², in 2^-52 */
  VT_CPU_SMALL_SHORT_HIGH, /* Σ level² / length², in 2^-45 */
  VT_CPU_SMALL_SHORT_LOW,  /* vt_cpu_glrlm_short_low() */
  VT_CPU_SMALL_SUMS
};
typedef struct VtCpuSmallCell {
  _Alignas(64) uint64_t sum[VT_CPU_SMALL_SUMS];
  uint8_t count[VT_CPU_SMALL_LEVELS + VT_CPU_SMALL_LENGTHS];
} VtCpuSmallCell;

/* What a call wants, the same for all directions. */
typedef struct VtCpuWanted {
  uint32_t features;
  bool by_level, by_length, short_low; /* sums that the features need */
  bool wide;                           /* cells of 64 bits */
  int32_t side, n_levels, step;
  int32_t bins, lanes; /* cells of a column, by level and by length: multiples of VT_CPU_LANES */
  int32_t level_shift, length_shift;
  /* By length of a run, cells: D, E(1) if it reaches that far, E(2) likewise, E. */
  const void *gain, *first_bend, *second_bend, *bend;
  const void *weight; /* by level, cells: one run and level²; 0 for level 0 */
  const uint64_t *low_gain, *low_first, *low_second, *low_bend; /* likewise of SRLGE, [level][side + 1] */
  const double *squares, *inverses;                             /* k² and 1 / k² for k - 1 */
  const VtCpuSmallCell *small_gain, *small_bend; /* D and E of small windows, [level][VT_CPU_SMALL_LENGTHS]; or NULL */
} VtCpuWanted;

/* One direction of a block. Columns have one more before and behind. */
typedef struct VtCpuSlide {
  const VtCpuWanted *wanted;
  VtCpuRuns runs;
  bool mirrored;
  void *level_enter, *level_leave, *length_enter, *length_leave;
  uint64_t *low_enter, *low_leave;
  VtCpuSmallCell *small_enter, *small_leave;
  void *rows; /* cells: 8 rows of the block's stride, lengths and weights of the rows in and out */
} VtCpuSlide;

/* Integer sums of all directions together, in doubles, which hold them exactly: [k][pitch]. Rows of windows, here and
 * of means, have room for VT_CPU_CHUNK more before and behind. */
typedef struct VtCpuMerged {
  double *level[2], *length[2]; /* runs, and weighed */
  VtCpuWide *low;
  int64_t pitch;
} VtCpuMerged;

/* A row of n windows. */
typedef struct VtCpuRow {
  int64_t n;
  float *const *out;         /* by feature: this direction's (or the merged) map; NULL: not wanted */
  double *const *mean;       /* by feature: sums of the directions so far; NULL: not wanted */
  bool first;                /* direction: the sums are not yet */
  float *const *last;        /* direction: the map of the means, by feature; else NULL */
  const VtCpuMerged *merged; /* to be added to, or NULL */
  uint32_t *unsure;          /* small windows: by window, which features serial.c has to make */
} VtCpuRow;

typedef struct VtCpuWindows {
  /* Row `in` comes in, row `out` goes out; -1: none. */
  void (*step)(const VtCpuSlide *slide, int64_t in, int64_t out);
  void (*row)(const VtCpuSlide *slide, const VtCpuRow *row);
  /* The features of row->merged. */
  void (*merged)(const VtCpuSlide *slide, const VtCpuRow *row);
} VtCpuWindows;

extern const VtCpuWindows vt_cpu_windows_baseline, vt_cpu_windows_avx2, vt_cpu_windows_avx512;
/* For sides of at most VT_CPU_SMALL_SIDE and at most VT_CPU_SMALL_LEVELS levels, without merged maps. */
extern const VtCpuWindows vt_cpu_small_windows_baseline, vt_cpu_small_windows_avx2, vt_cpu_small_windows_avx512;
