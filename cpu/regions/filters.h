/* SPDX-License-Identifier: MIT
 *
 * filters.h: what planes.c and map.c do to every pixel of a window, with variants for the instructions of the machine. */
#pragma once

#include "regions.h"

/* Of pixels with RG_N_MIXED values each; least, most and square: of the first value. */
typedef struct RgSum {
  int64_t n, of[RG_N_MIXED], square;
  int32_t least, most;
} RgSum;

typedef struct RgFilters {
  /* dst: means of src over the (2 radius + 1)² square around each pixel, columns first, cut where the plane ends. Values are
   * 0..65535 / (2 radius + 1), or with is_wide 0..32767. row: scratch of vt_rg_filter_row bytes. */
  void (*mean)(int16_t *dst, const int16_t *src, int64_t width, int64_t height, int32_t radius, bool is_wide,
               void *row);
  /* dst: 1-2-1 along rows and columns; the edge is repeated. */
  void (*smooth_121)(int16_t *dst, const int16_t *src, int64_t width, int64_t height, void *row);
  /* dst: scale times the greater of |dx|, |dy| and half the lesser, at most `most`. */
  void (*gradient)(int16_t *dst, const int16_t *src, int64_t width, int64_t height, int scale, int most);
  /* dst: 4 |a - b|; v² / 16; the root of 16 squares - mean². */
  void (*difference)(int16_t *dst, const int16_t *a, const int16_t *b, int64_t n);
  void (*square)(int16_t *dst, const int16_t *v, int64_t n);
  void (*deviation)(int16_t *squares, const int16_t *mean, int64_t n);
  /* The map of n pixels, of which planes[i] are the first inputs. */
  void (*map)(int16_t *dst, const int16_t *const planes[RG_N_INPUTS], const RgMap *map, int64_t n);
  /* Of the pixels whose bits are set: n_rows of words each. mixed: of the first bit; stride: values from row to row. It may read, and leaves
   * out, RG_MIXED_SPARE pixels beyond the last one that is set. */
  void (*sum)(RgSum *sum, const uint64_t *rows, int32_t n_rows, int32_t words, const int16_t *mixed, int64_t stride);
  /* As vt_forest_predict. */
  void (*predict)(const VtForest *forest, const int32_t *const values[VT_FOREST_AT_ONCE],
                  uint16_t answers[VT_FOREST_AT_ONCE]);
} RgFilters;

enum { RG_MOST_RADIUS = 40 };
static inline size_t
vt_rg_filter_row(int64_t width)
{
  return 6 * sizeof(uint32_t) * ((size_t)width + 4 * RG_MOST_RADIUS + 64);
}

extern const RgFilters vt_rg_filters_baseline, vt_rg_filters_avx2, vt_rg_filters_avx512;
const RgFilters *vt_rg_filters(void);
