/* SPDX-License-Identifier: MIT
 *
 * planes.h: what sliding windows read. A block of levels (0 where it passes the image), as it is and mirrored, and for one
 * direction two planes of bytes: for every pixel how long its run is up to and with it (`back`), and how far the run
 * still goes, with it (`ahead`), both at most `side` and 0 at level 0.
 *
 * Going from a window to the next, a run F(level, length) changes only where a pixel comes in or goes out. With
 *   D(g,k) = F(g,k) - F(g,k-1)   and   E(g,k) = D(g,k) - D(g,k-1)
 * (F(g,0) = D(g,0) = 0) the sum of F over the runs of a window is the sum over columns X of enter[X] up to its right edge
 * less the sum of leave[x] before its left edge, where, over the rows y0..y1 of the window,
 *   along rows       enter[X] = Σ D(back),  leave[x] = Σ D(ahead)
 *   along columns    enter[X] = leave[X] = Σ D(back of rows come in) - Σ D(ahead of rows gone out)
 *   along diagonals  enter[X] = Σ D(min(back, y - y0 + 1)),  leave[x] = Σ D(min(ahead, y1 - y + 1))
 * On diagonals a row that comes in lengthens the runs it meets, and adds E(k) to leave[] k-1 columns before; one that goes
 * out shortens them, and takes E(k) from enter[] k-1 columns after. The direction (-1,1) is (1,1) in the mirror. */
#pragma once

#include "glrlm.h"

typedef enum VtCpuAlong { VT_CPU_ALONG_ROW, VT_CPU_ALONG_COLUMN, VT_CPU_ALONG_DIAGONAL } VtCpuAlong;

enum { VT_CPU_LANES = 16 };

typedef struct VtCpuBlock {
  int64_t width, height;
  int64_t stride; /* pixels from row to row: the width and room for a window of lanes, zeros */
  int32_t side;
  uint16_t *level, *mirror;
} VtCpuBlock;

typedef struct VtCpuRuns {
  const VtCpuBlock *block;
  VtCpuAlong along;
  const uint16_t *level, *mirror; /* the block's, exchanged for (-1,1) */
  uint8_t *back;
  uint8_t *ahead; /* mirrored: ahead of column x stands at width - 1 - x */
} VtCpuRuns;

/* The part of src whose first pixel is (x,y), which may lie outside. */
void vt_cpu_block_fill(VtCpuBlock *block, const VtImage *src, int64_t x, int64_t y);
void vt_cpu_runs_fill(VtCpuRuns *runs);

/* Sums of doubles or squares of a window, made from integer sums by level or by length. */
typedef struct VtCpuFinish {
  int32_t n;         /* sums of a window */
  bool squares;      /* Σ s²; else Σ s / k² */
  double *value;     /* by window */
  uint64_t *sums;    /* NULL, or n by window: add the sums here and leave `value` alone */
  int64_t first, by; /* windows are written at first + i * by */
} VtCpuFinish;

/* --- cells.c: sums in one place, or by level --- */

/* Columns hold `bins` sums each, of 64 bits if bins = 1, else of `bytes` (2 or 4), bins a multiple of VT_CPU_LANES. */
typedef struct VtCpuCells {
  const VtCpuRuns *runs;
  int32_t bins, bytes;
  int32_t reach;           /* E is 0 beyond it */
  const void *gain, *bend; /* D and E; [level][side + 1] of 64 bits if bins = 1, else [side + 1] */
  void *enter, *leave;     /* columns; one and the same along columns */
} VtCpuCells;

/* Row `in` comes in, row `out` goes out; -1: none. */
void vt_cpu_cells_step(const VtCpuCells *cells, int64_t in, int64_t out);
/* The sum of each of n windows, `step` apart, written at to[first + i * by]. */
void vt_cpu_cells_totals(const VtCpuCells *cells, int64_t n, int64_t step, uint64_t *to, int64_t first, int64_t by);
void vt_cpu_cells_finish(const VtCpuCells *cells, int64_t n, int64_t step, const VtCpuFinish *finish);

/* --- lanes.c: sums by length --- */

/* N_k, the number of pixels of a window whose run goes on for k pixels inside it, is a sum like those above with D = 1
 * up to k; runs of length j: N_j - 2 N_(j+1) + N_(j+2). Here a column holds N_k for all k at once, side by side, so that
 * one comparison of a length with 1, 2, 3... makes all the terms of a pixel, and those of a diagonal are 16 neighbours in
 * a row of lengths. Columns are of 8 bits (a window has at most 129 rows) or, weighed by level², of 32. */
typedef struct VtCpuLengths {
  const VtCpuRuns *runs;
  bool weighed;
  int32_t lanes; /* side rounded up to VT_CPU_LANES */
  void *enter, *leave;
  int32_t *rows; /* 8 rows of the block's stride: lengths and weights of the rows in and out; zeros if not weighed */
} VtCpuLengths;

void vt_cpu_lengths_step(const VtCpuLengths *lengths, int64_t in, int64_t out);
void vt_cpu_lengths_finish(const VtCpuLengths *lengths, int64_t n, int64_t step, const VtCpuFinish *finish);
