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

#include <stdatomic.h>

typedef enum VtCpuAlong { VT_CPU_ALONG_ROW, VT_CPU_ALONG_COLUMN, VT_CPU_ALONG_DIAGONAL } VtCpuAlong;

enum { VT_CPU_LANES = 16 };

typedef struct VtCpuBlock {
  int64_t width, height;
  int64_t stride; /* pixels from row to row: the width and room for a window of lanes, zeros */
  int32_t side;
  uint16_t *level, *mirror;
  int32_t first_level, last_level; /* of its pixels; 1 and 0: it has none */
} VtCpuBlock;

typedef struct VtCpuRuns {
  const VtCpuBlock *block;
  VtCpuAlong along;
  const uint16_t *level, *mirror; /* the block's, exchanged for (-1,1) */
  uint8_t *back;
  uint8_t *ahead; /* mirrored: ahead of column x stands at width - 1 - x */
} VtCpuRuns;

/* A call's windows, cut into blocks that threads take until there are none. */
typedef struct VtCpuBlocks {
  int64_t width, height;                           /* of a map */
  int64_t max_windows, max_rows, n_across, n_down; /* of a block, and the blocks */
  atomic_llong next;                               /* block to be taken */
  atomic_int status;                               /* the first failure */
} VtCpuBlocks;

/* n windows of each of so many rows, from (i,j) on. */
typedef struct VtCpuPart {
  int64_t i, j, n, rows;
} VtCpuPart;

/* Blocks of at most across x down windows, and so small that every thread gets some. */
void vt_cpu_blocks_cut(VtCpuBlocks *blocks, const VtGlrlmWindows *args, int64_t across, int64_t down,
                       uint32_t n_threads);
/* False: there are none left, or a thread has failed. [any] */
bool vt_cpu_blocks_take(VtCpuBlocks *blocks, VtCpuPart *part);
/* A thread's last status; the first that is not VITRAIL_OK counts. [any] */
void vt_cpu_blocks_end(VtCpuBlocks *blocks, VitrailStatus status);

/* The part of src whose first pixel is (x,y), which may lie outside. */
void vt_cpu_block_fill(VtCpuBlock *block, const VtImage *src, int64_t x, int64_t y);
void vt_cpu_runs_fill(const VtCpuRuns *runs);
