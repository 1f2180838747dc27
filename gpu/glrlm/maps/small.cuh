/* SPDX-License-Identifier: MIT
 *
 * small.cuh: sliding windows of at most 15 x 15 over at most 64 levels, at every pixel. As in sliding.cuh a warp walks down
 * a strip of 128 columns, and the windows of a row are running sums over what its columns gain; along (0,1), where runs do
 * not leave their columns, sums over as many columns as a window has. A lane has four columns next to each other: their
 * levels and lengths are the bytes of a word. All sums are words of 32 bits without carries between them. Words wrap around
 * on the way; in the end every byte and every sum fits. Two kinds of work, so that each needs little room and little code:
 *   counts: 4 words of pixels by the length that their run has come to there, a byte each (runs of length k: those of k
 *   less those of k + 1); then runs by level, a byte each
 *   sums: 10 words, as below
 * Lengths stay in registers, the others in shared memory. */
#pragma once

#include "sliding.cuh"

enum {
  VT_SMALL_MOST_LEVELS = 64,
  VT_SMALL_MOST_SIDE = 15,
  VT_SMALL_SPAN = 128,
  VT_SMALL_COLUMNS = 4,        /* of a lane */
  VT_SMALL_WARPS = 16,         /* of a block, that share tables */
  VT_SMALL_ROWS = 16,          /* remembered: as many as a window has, or more; a power of two */
  VT_SMALL_LENGTHS_PITCH = 19, /* of a table by two lengths, whose small ones lie in different banks */
  VT_SMALL_LENGTHS_TABLE = (VT_SMALL_MOST_SIDE + 1) * VT_SMALL_LENGTHS_PITCH,
  VT_SMALL_CELLS = 4096, /* small-shares.cuh */
  VT_SMALL_MOST_SETS = 2 * VT_GLRLM_N_DIRECTIONS,
  VT_SMALL_BEYOND = 8, /* bytes: words around a lane's pixels don't reach further out of their row */
  VT_SMALL_ITEMS = 256 /* pixels of a row that comes in and one that goes out */
};
/* Sums over runs of level i and length j. FIXED: two words, the bits above the lowest 24 and those. What does not depend on
 * j comes last: it only changes where a run begins. The first eight are of a table's entry. */
enum {
  VT_SMALL_SRHGE,      /* i^2 / j^2, FIXED */
  VT_SMALL_SRLGE = 2,  /* 1 / (i^2 j^2), FIXED */
  VT_SMALL_LRLGE = 4,  /* j^2 / i^2, FIXED */
  VT_SMALL_LGRE = 6,   /* 1 / i^2, FIXED */
  VT_SMALL_BOTH2 = 8,  /* 8 i^2 j^2 */
  VT_SMALL_LEVEL2 = 9, /* i^2, and runs << 24 */
  VT_SMALL_N_SUMS = 10,
  VT_SMALL_TABLE = 8, /* words of an entry */
  VT_SMALL_SUM_STEP = 4, /* words that are summed up together */
  VT_SMALL_LOW = 24,     /* bits of the second word of FIXED */
  VT_SMALL_LEVELS = 4 /* words before */
};

/* Time of a warp, in any unit: the rows above a piece's first windows, a row, two steps of bends for each lane (0: not along
 * diagonals), a group of levels that is summed up. Or how often there is each. */
struct __align__(16) VtSmallCost
{
  float start, row, bend, group;
};

struct VtSmallSet {
  int32_t direction;
  bool sums;
};

/* What a lane has. */
enum {
  VT_SMALL_PIXELS = 1,      /* << k: column k has pixels */
  VT_SMALL_WHOLE = 1 << 4,  /* words around its pixels lie in their row */
  VT_SMALL_LEFT = 1 << 5,   /* its lower two windows, in a map whose rows are s.stride apart */
  VT_SMALL_RIGHT = 1 << 6,  /* its upper two */
  VT_SMALL_NEAR = 1 << 7,   /* not WHOLE, but those words lie in the rows before and after: nothing is between rows */
  VT_SMALL_WINDOWS = 1 << 8 /* << k: the window that ends in column k */
};

struct VtSmall {
  VtGpuGlrlmArgs args;
  VtGpuGlrlmMaps maps;
  VtGpuGlrlmList list;
  /* D of the sums (sliding.cuh), and D(g,k) - D(g,k + 1): two arrays each, the first four words of [length][pitch] entries
   * and the others; nothing for no level and no length. */
  const uint4 *tables;
  double *doubles; /* small-mean.cuh: one direction's values of all windows after the other; no maps are written then */
  const uint32_t *refused; /* `mark`: a level is above n_levels, and nothing is done */
  uint32_t mark;
  struct VtSmallCut *cut; /* small-shares.cuh */
  int32_t fixed_bits[VT_SMALL_N_SUMS];
  int32_t n_across, n_level_words, pitch;
  int64_t n_strips;
  int32_t n_blocks, n_warps;  /* warps: of a block */
  int32_t cell_rows, n_bands; /* of small-shares.cuh; 0 bands: no cells */
  VtSmallCost cost[VT_SMALL_MOST_SETS];
  VtSmallSet sets[VT_SMALL_MOST_SETS]; /* counts first, those along diagonals first */
  int32_t n_sets;                      /* wanted */
  float flat;  /* a step of bends costs so much more for each one that a row has: many make pieces short, and the rows above
                  each of them cost as much as ever */
  bool has_sums, learns;
  bool levels; /* wanted */
  uint32_t features;
  int64_t stride; /* floats from row to row of all maps, whose rows are of whole float2; 0: of some they aren't */
};

/* A warp's strip. Columns are mirrored along (-1,1), so that both diagonals go to the right. */
struct VtSmallStrip {
  const uint8_t *pixels;  /* of the lane's first column in row 0 of the image */
  const uint4 *tables;    /* in shared memory */
  uint32_t *rows;         /* levels of the last rows, of four columns a word; there too, as the next ones */
  uint32_t *list, *words; /* VT_SMALL_ITEMS; [word][column] */
  uint32_t *lengths;      /* of the last rows: only along rows, where there are no lists and no bends */
  uint32_t has;           /* VT_SMALL_PIXELS... */
  uint32_t mask;          /* 255 where a column has pixels */
  int lowest;             /* of the lane's four windows in a row of a map: x, maybe outside */
  int by, lane, direction;
};

/* uint4 of one of the four arrays of tables. */
static __host__ __device__ __forceinline__ int
vt_small_table(const VtSmall &s)
{
  return (VT_SMALL_MOST_SIDE + 1) * s.pitch;
}

static __device__ __forceinline__ void
vt_small_add(uint32_t *column, uint32_t word, uint32_t amount)
{
  atomicAdd(column + word * VT_SMALL_SPAN, amount);
}
