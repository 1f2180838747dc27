/* SPDX-License-Identifier: MIT
 *
 * small.cuh: sliding windows of at most 255 pixels over at most 64 levels, at every pixel. As in slide.cuh a warp walks
 * down a strip of 128 columns, and the windows of a row are running sums over what its columns gain. Here all sums are
 * words of 32 bits without carries between them, one word of all columns after the other. Words wrap around on the way; in
 * the end every byte and every sum fits. Two kinds of tasks, so that each needs little room and little code:
 *   counts: 4 words of pixels by the length that their run has come to there, a byte each (runs of length k: those of k
 *   less those of k + 1); then runs by level, a byte each
 *   sums: 10 words, as below */
#pragma once

#include "slide.cuh"

enum {
  VT_SMALL_MOST_LEVELS = 64,
  VT_SMALL_MOST_SIDE = 15,
  VT_SMALL_GROUPS = 4, /* a lane has columns lane, lane + 32... */
  VT_SMALL_SPAN = 128
};
/* Sums over runs of level i and length j. FIXED: two words, the bits above the lowest 24 and those. What does not depend on
 * j comes last: it only changes where a run begins. */
enum {
  VT_SMALL_BOTH2,       /* i^2 j^2, and runs << 24 */
  VT_SMALL_SRHGE,       /* i^2 / j^2, FIXED */
  VT_SMALL_LRLGE = 3,   /* j^2 / i^2, FIXED */
  VT_SMALL_SRLGE = 5,   /* 1 / (i^2 j^2), FIXED */
  VT_SMALL_LGRE = 7,    /* 1 / i^2, FIXED */
  VT_SMALL_LEVEL2 = 9,  /* i^2 */
  VT_SMALL_N_SUMS = 10, /* of a table's entry */
  VT_SMALL_ENTRY = 3,   /* uint4 of a table's entry */
  VT_SMALL_LOW = 24,    /* bits of the second word of FIXED */
  VT_SMALL_LEVELS = 4,  /* words before */
  VT_SMALL_LIST = 256   /* pixels of a row that comes in and one that goes out */
};

struct VtSmall {
  VtGpuGlrlmArgs args;
  VtGpuGlrlmMaps maps;
  VtGpuGlrlmList list;
  const uint4 *gain, *bend; /* D and -E of the sums (slide.cuh): [level][side + 1] */
  const uint32_t *refused;  /* `mark`: a level is above n_levels, and nothing is done */
  uint32_t mark;
  int32_t fixed_bits[VT_SMALL_N_SUMS];
  int32_t lead, n_across, rows_per_task, n_level_words;
  int64_t n_strips, n_chunks;
  int32_t directions[VT_GLRLM_N_DIRECTIONS], n_directions;
  int32_t kinds[2], n_kinds; /* 1: sums */
  bool levels;               /* wanted */
  uint32_t features;
  int64_t stride; /* floats from row to row of all maps, whose rows are of whole float4; 0: of some they aren't */
};

/* A warp's strip. Columns are mirrored along (-1,1), so that both diagonals go to the right. */
struct VtSmallStrip {
  const uint8_t *pixels; /* of column `lane` in row 0 of the image; not to be read where `inside` has no bit */
  uint32_t *words;       /* [word][column] in shared memory */
  uint32_t *list;        /* VT_SMALL_LIST there */
  int64_t first_window;
  uint32_t inside; /* bit k: column lane + 32 k has pixels */
  int by, lane, direction;
};

static __device__ __forceinline__ void
vt_small_add(const VtSmallStrip &strip, int word, int column, uint32_t amount)
{
  atomicAdd(strip.words + word * VT_SMALL_SPAN + column, amount);
}

/* A run more or less of level g at a column, or nothing: without branches. */
static __device__ __forceinline__ void
vt_small_add_level(const VtSmallStrip &strip, int g, int column, bool any, bool plus)
{
  const uint32_t which = static_cast<uint32_t>(max(g, 1) - 1), one = any && g ? 1u << (which % 4 * 8) : 0;
  vt_small_add(strip, VT_SMALL_LEVELS + static_cast<int>(which / 4), column, plus ? one : 0 - one);
}

/* A pixel more or less that is the k-th of its run, or nothing. */
static __device__ __forceinline__ void
vt_small_add_length(const VtSmallStrip &strip, int k, int column, bool any, bool plus)
{
  const uint32_t which = static_cast<uint32_t>(k - 1), one = any ? 1u << (which % 4 * 8) : 0;
  vt_small_add(strip, static_cast<int>(which / 4), column, plus ? one : 0 - one);
}
