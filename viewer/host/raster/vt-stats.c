/* SPDX-License-Identifier: MIT */
#include "raster/vt-stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define N_HALF 65536

const int vt_stats_percents[VT_STATS_N_PERCENTILES] = { 1, 5, 25, 50, 75, 95, 99 };

/* Percentiles without sorting: every raw value has a 32-bit key of the same order. Values are counted by the upper half of
 * their keys, then, in the few halves where a percentile lies, by the lower half. */
typedef struct {
  const VtRaster *raster; /* at work */
  gint64 x, width;
  double *row;      /* raw values of one row */
  guint64 *by_high; /* N_HALF */
  guint64 *by_low[VT_STATS_N_PERCENTILES];
  guint32 highs[VT_STATS_N_PERCENTILES];
  guint64 ranks[VT_STATS_N_PERCENTILES]; /* 1.., within its high half */
  double pivot, sum, sum_of_squares;     /* of raw - pivot, so that large offsets cost no digits */
  gint8 table_of_high[N_HALF];           /* index into by_low; -1: none */
} Work;

static guint32
get_key(VitrailPixelType type, double raw)
{
  if (type == VITRAIL_I32)
    return (guint32)(gint32)raw ^ 0x80000000u;
  if (type != VITRAIL_F32)
    return (guint32)raw << 16;
  const float value = raw == 0 ? 0 : (float)raw; /* one zero */
  guint32 bits;
  memcpy(&bits, &value, sizeof bits);
  return bits & 0x80000000u ? ~bits : bits | 0x80000000u;
}

static double
get_raw(VitrailPixelType type, guint32 key)
{
  if (type == VITRAIL_I32)
    return (gint32)(key ^ 0x80000000u);
  if (type != VITRAIL_F32)
    return key >> 16;
  const guint32 bits = key & 0x80000000u ? key & 0x7fffffffu : ~key;
  float value;
  memcpy(&value, &bits, sizeof value);
  return (double)value;
}

/* The values that count of one row; how many. */
static gint64
take_row(Work *work, gint64 y)
{
  gint64 n = 0;
  for (gint64 i = 0; i < work->width; i++) {
    const double raw = vt_raster_get_raw(work->raster, work->x + i, y);
    work->row[n] = raw;
    n += isfinite(raw) && !(raw == 0 && work->raster->zero_is_empty);
  }
  return n;
}

static void
add_row(Work *work, gint64 n, VtStats *stats, double *lo, double *hi)
{
  if (stats->n == 0 && n > 0)
    work->pivot = work->row[0];
  stats->n += (guint64)n;
  for (gint64 i = 0; i < n; i++) {
    const double raw = work->row[i], from_pivot = raw - work->pivot;
    *lo = MIN(*lo, raw);
    *hi = MAX(*hi, raw);
    work->sum += from_pivot;
    work->sum_of_squares += from_pivot * from_pivot;
    work->by_high[get_key(work->raster->type, raw) >> 16]++;
  }
}

static guint64
get_rank(int percent, guint64 n)
{
  const guint64 whole = n / 100 * (guint64)percent, rest = n % 100 * (guint64)percent;
  return MAX(whole + (rest + 99) / 100, 1);
}

static void
find_highs(Work *work, const VtStats *stats)
{
  memset(work->table_of_high, -1, sizeof work->table_of_high);
  for (int p = 0; p < VT_STATS_N_PERCENTILES; p++) {
    guint64 rank = get_rank(vt_stats_percents[p], stats->n);
    guint32 high = 0;
    /* A negative scale turns the order round. */
    if (work->raster->scale < 0)
      rank = stats->n + 1 - rank;
    for (; rank > work->by_high[high]; high++)
      rank -= work->by_high[high];
    work->highs[p] = high;
    work->ranks[p] = rank;
    if (work->table_of_high[high] < 0) {
      work->table_of_high[high] = (gint8)p;
      work->by_low[p] = g_new0(guint64, N_HALF);
    }
  }
}

static void
count_row(Work *work, gint64 n, VtStats *stats)
{
  const VtRaster *raster = work->raster;
  const double span = stats->max - stats->min;
  for (gint64 i = 0; i < n; i++) {
    const double raw = work->row[i], value = raw * raster->scale + raster->offset;
    const guint32 key = get_key(raster->type, raw);
    const int table = work->table_of_high[key >> 16];
    if (table >= 0)
      work->by_low[table][key & (N_HALF - 1)]++;
    const int bin = span > 0 ? (int)((value - stats->min) / span * VT_STATS_N_BINS) : 0;
    stats->bins[MIN(bin, VT_STATS_N_BINS - 1)]++;
  }
}

static void
finish(Work *work, VtStats *stats)
{
  const VtRaster *raster = work->raster;
  const double n = (double)stats->n, mean = work->sum / n;
  stats->mean = (work->pivot + mean) * raster->scale + raster->offset;
  stats->sd = sqrt(MAX(work->sum_of_squares / n - mean * mean, 0)) * fabs(raster->scale);
  for (int p = 0; p < VT_STATS_N_PERCENTILES; p++) {
    const guint64 *by_low = work->by_low[work->table_of_high[work->highs[p]]];
    guint64 rank = work->ranks[p];
    guint32 low = 0;
    for (; rank > by_low[low]; low++)
      rank -= by_low[low];
    stats->percentiles[p] = get_raw(raster->type, work->highs[p] << 16 | low) * raster->scale + raster->offset;
  }
}

static void
clear_stats(VtStats *stats)
{
  *stats = (VtStats){ .min = NAN, .max = NAN, .mean = NAN, .sd = NAN };
  for (int p = 0; p < VT_STATS_N_PERCENTILES; p++)
    stats->percentiles[p] = NAN;
}

static void
begin_part(Work *work, const VtStatsPart *part)
{
  work->raster = part->raster;
  work->x = part->x;
  work->width = part->width;
}

void
vt_stats_of_rasters(const VtStatsPart *parts, guint n_parts, VtStats *stats)
{
  const VtRaster *raster = parts[0].raster;
  double lo = INFINITY, hi = -INFINITY;
  gint64 longest = 1;
  Work *work = g_new0(Work, 1);
  clear_stats(stats);
  for (guint i = 0; i < n_parts; i++)
    longest = MAX(longest, parts[i].width);
  work->row = g_new(double, longest);
  work->by_high = g_new0(guint64, N_HALF);
  for (guint i = 0; i < n_parts; i++) {
    begin_part(work, &parts[i]);
    stats->n_places += (guint64)parts[i].width * (guint64)parts[i].height;
    for (gint64 row = 0; row < parts[i].height; row++)
      add_row(work, take_row(work, parts[i].y + row), stats, &lo, &hi);
  }
  if (stats->n > 0) {
    const double a = lo * raster->scale + raster->offset, b = hi * raster->scale + raster->offset;
    stats->min = MIN(a, b);
    stats->max = MAX(a, b);
    find_highs(work, stats);
    for (guint i = 0; i < n_parts; i++) {
      begin_part(work, &parts[i]);
      for (gint64 row = 0; row < parts[i].height; row++)
        count_row(work, take_row(work, parts[i].y + row), stats);
    }
    finish(work, stats);
  }
  for (int p = 0; p < VT_STATS_N_PERCENTILES; p++)
    g_free(work->by_low[p]);
  g_free(work->by_high);
  g_free(work->row);
  g_free(work);
}

int
vt_compare_doubles(gconstpointer a, gconstpointer b)
{
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

void
vt_stats_of_values(double *values, gsize n, VtStats *stats)
{
  double sum = 0, sum_of_squares = 0;
  clear_stats(stats);
  stats->n_places = n;
  for (gsize i = 0; i < n; i++)
    if (isfinite(values[i]))
      values[stats->n++] = values[i];
  if (stats->n == 0)
    return;
  qsort(values, stats->n, sizeof *values, vt_compare_doubles);
  stats->min = values[0];
  stats->max = values[stats->n - 1];
  const double span = stats->max - stats->min;
  for (guint64 i = 0; i < stats->n; i++) {
    const double from_first = values[i] - values[0];
    const int bin = span > 0 ? (int)(from_first / span * VT_STATS_N_BINS) : 0;
    sum += from_first;
    sum_of_squares += from_first * from_first;
    stats->bins[MIN(bin, VT_STATS_N_BINS - 1)]++;
  }
  const double mean = sum / (double)stats->n;
  stats->mean = values[0] + mean;
  stats->sd = sqrt(MAX(sum_of_squares / (double)stats->n - mean * mean, 0));
  for (int p = 0; p < VT_STATS_N_PERCENTILES; p++)
    stats->percentiles[p] = values[get_rank(vt_stats_percents[p], stats->n) - 1];
}
