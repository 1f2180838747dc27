/* SPDX-License-Identifier: MIT
 *
 * Statistics of what is seen of a layer. Counts and percentiles are exact. Any thread. */
#pragma once
#include "raster/vt-raster.h"

#define VT_STATS_N_BINS 64
#define VT_STATS_N_PERCENTILES 7

typedef struct {
  guint64 n_places; /* pixels of the rectangle, or values */
  guint64 n;        /* those that count: finite, and not zero where zero means that nothing is there */
  /* Physical; NaN when n is 0. `sd` is that of the population (divided by n). */
  double min, max, mean, sd;
  double percentiles[VT_STATS_N_PERCENTILES]; /* nearest rank: the smallest value with at least p % at or below it */
  guint64 bins[VT_STATS_N_BINS];              /* a histogram from min to max; the last one includes its upper end */
} VtStats;

/* 1, 5, 25, 50, 75, 95, 99 */
extern const int vt_stats_percents[VT_STATS_N_PERCENTILES];

typedef struct {
  const VtRaster *raster;
  gint64 x, y, width, height; /* in the raster's pixels from its first one, inside it */
} VtStatsPart;

/* Of rectangles of rasters with one channel, of one type and physical scale; at least one. */
void vt_stats_of_rasters(const VtStatsPart *parts, guint n_parts, VtStats *stats);
/* For g_array_sort() and qsort(). */
int vt_compare_doubles(gconstpointer a, gconstpointer b);
/* Of plain numbers, which it sorts. */
void vt_stats_of_values(double *values, gsize n, VtStats *stats);
