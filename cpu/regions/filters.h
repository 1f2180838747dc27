/* SPDX-License-Identifier: MIT
 *
 * filters.h: what planes.c does to every pixel of a window, with variants for the instructions of the machine. */
#pragma once

#include "regions.h"

/* Of pixels with RG_N_MIXED values each; least, most and square: of the first value. */
typedef struct RgSum {
  int64_t n, of[RG_N_MIXED], square;
  int32_t least, most;
} RgSum;

/* Means of the (2 radius + 1)² square around each pixel of a plane, columns first, cut where the plane ends, row by row. Values are 0..65535 / (2
 * radius + 1), or with is_wide 0..32767. */
enum { RG_MOST_RADIUS = 40 };
typedef struct RgMean {
  int64_t width, height; /* of the plane */
  int32_t radius;
  bool is_wide;
  void *sums;    /* of columns, and reciprocals: 2 * vt_rg_mean_room() values of 32 bits */
  void *scratch; /* 4 * vt_rg_mean_room() values of 32 bits, for any means */
} RgMean;
static inline size_t
vt_rg_mean_room(int64_t width)
{
  return (size_t)width + 4 * RG_MOST_RADIUS + 64;
}

/* A row or n pixels of each, which do not overlap. */
typedef struct RgFilters {
  void (*mean_begin)(const RgMean *mean);
  /* Row y, when the row that lies radius below is added and the one radius + 1 above goes; rows that are not there are of zeros. dst NULL: the
   * sums alone. */
  void (*mean_row)(const RgMean *mean, int16_t *dst, const int16_t *comes, const int16_t *goes, int64_t y);
  /* from: the rows above, here and below. dst: 1-2-1 along rows and columns; the edge is repeated. scratch: width + 2 values. */
  void (*smooth_121)(int16_t *dst, const int16_t *const from[3], int64_t width, void *scratch);
  /* dst: scale times the greater of |dx|, |dy| and half the lesser, at most RG_MOST_DENSITY. */
  void (*gradient)(int16_t *dst, const int16_t *const from[3], int64_t width, int scale);
  /* dst: 4 |a - b|; v² / 16; the root of 16 squares - mean². */
  void (*difference)(int16_t *dst, const int16_t *a, const int16_t *b, int64_t n);
  void (*square)(int16_t *dst, const int16_t *v, int64_t n);
  void (*deviation)(int16_t *squares, const int16_t *mean, int64_t n);
  /* The map of n pixels, of which planes[i] are the first inputs. */
  void (*map)(int16_t *dst, const int16_t *const planes[RG_N_INPUTS], const RgMap *map, int64_t n);
  /* values[k][i] to dst[RG_N_MIXED i + k]. */
  void (*mix)(int16_t *dst, const int16_t *const values[RG_N_MIXED], int64_t n);
  /* Of the pixels whose bits are set: n_rows of words each. mixed: of the first bit; stride: values from row to row. It may read, and leaves
   * out, RG_MIXED_SPARE pixels beyond the last one that is set. */
  void (*sum)(RgSum *sum, const uint64_t *rows, int32_t n_rows, int32_t words, const int16_t *mixed, int64_t stride);
  /* As vt_forest_predict. */
  void (*predict)(const VtForest *forest, const int32_t *const values[VT_FOREST_AT_ONCE],
                  uint16_t answers[VT_FOREST_AT_ONCE]);
} RgFilters;

extern const RgFilters vt_rg_filters_baseline, vt_rg_filters_avx2, vt_rg_filters_avx512;
const RgFilters *vt_rg_filters(void);
