/* SPDX-License-Identifier: MIT
 *
 * Discretisation to grey levels 1..n (IBSI: fixed bin number, fixed bin width); 0 lies outside. The range is the same for the
 * whole image, never a window's; a region may have its own. */
#include <math.h>
#include <pthread.h>
#include <stdlib.h>

#include "drivers/levels.h"
#include "run/parallel.h"
#include "run/raster.h"

enum { MAX_LEVELS = 256 };

typedef struct {
  const VtImage *src, *mask, *roi, *dst;
  VtLevels levels;
  const uint16_t *table; /* of all values that a pixel can have; NULL: too many for the pixels */
  double range[2];
  pthread_mutex_t lock; /* guards range */
} LevelsJob;

static bool
inside(const VtImage *mask, const VtImage *roi, int64_t x, int64_t y)
{
  return (!mask || vt_value_at(mask, x, y) != 0) && (!roi || vt_value_at(roi, x, y) != 0);
}

/* One more than the most stands for all that is higher. */
static uint16_t
level_of(const VtLevels *levels, double raw)
{
  double level = 1; /* a flat region is one level */
  if (levels->kind == VT_BIN_AS_IS)
    return raw >= 1 && raw <= levels->n ? (uint16_t)raw : 0;
  if (!isfinite(raw))
    return 0;
  if (levels->kind == VT_BIN_WIDTH)
    return (uint16_t)fmin(fmax(floor((raw * levels->scale - levels->min) / levels->width) + 1, 1), MAX_LEVELS + 1);
  if (levels->width > 0)
    level = floor(levels->n * (raw * levels->scale - levels->min) / levels->width) + 1;
  return (uint16_t)fmin(fmax(level, 1), levels->n);
}

/* Higher values have no lower level, so that what is between two values of one level has it, too. */
static void
fill_table(const VtLevels *levels, uint32_t n, uint16_t *table)
{
  for (uint32_t raw = 0; raw < n;) {
    const uint16_t level = level_of(levels, raw);
    uint32_t last = raw, end = levels->kind == VT_BIN_AS_IS ? raw + 1 : n;
    while (last + 1 < end) {
      const uint32_t middle = last + (end - last) / 2;
      if (level_of(levels, middle) == level)
        last = middle;
      else
        end = middle;
    }
    while (raw < end)
      table[raw++] = level;
  }
}

/* NULL: it would not help, or there is no memory. Owned. */
static uint16_t *
make_table(const VtLevels *levels, const VtImage *src)
{
  const uint32_t n = src->type == VITRAIL_U8 ? UINT8_MAX + 1 : src->type == VITRAIL_U16 ? UINT16_MAX + 1 : 0;
  uint16_t *table = n > 0 && src->width * src->height >= n / 16 ? malloc(n * sizeof *table) : NULL;
  if (table)
    fill_table(levels, n, table);
  return table;
}

static void
look_up(const uint16_t *table, const VtImage *src, int64_t y, uint16_t *row)
{
  const void *values = vt_image_at(src, 0, y);
  const uint8_t *bytes = values;
  const uint16_t *words = values;
  if (src->type == VITRAIL_U8)
    for (int64_t x = 0; x < src->width; x++)
      row[x] = table[bytes[x]];
  else
    for (int64_t x = 0; x < src->width; x++)
      row[x] = table[words[x]];
}

static VitrailStatus
apply(VtRun *run, const VtLevels *levels, const uint16_t *table, const VtImage *src, const VtImage *mask,
      const VtImage *roi, const VtImage *dst)
{
  uint16_t highest = 0;
  for (int64_t y = 0; y < src->height; y++) {
    uint16_t *row = vt_image_at(dst, 0, y);
    if (table)
      look_up(table, src, y, row);
    for (int64_t x = 0; x < src->width && !table; x++)
      row[x] = level_of(levels, vt_value_at(src, x, y));
    for (int64_t x = 0; x < src->width && (mask || roi); x++)
      row[x] = inside(mask, roi, x, y) ? row[x] : 0;
    for (int64_t x = 0; x < src->width; x++)
      highest = row[x] > highest ? row[x] : highest;
  }
  if (highest > MAX_LEVELS)
    return vt_fail(run, VITRAIL_BAD_ARGUMENT,
                   "Bins of width %g from %g on would make more than %d grey levels; take wider ones.", levels->width,
                   levels->min, MAX_LEVELS);
  return VITRAIL_OK;
}

VitrailStatus
vt_levels_apply(VtRun *run, const VtLevels *levels, const VtImage *src, const VtImage *mask, const VtImage *roi,
                const VtImage *dst)
{
  return apply(run, levels, NULL, src, mask, roi, dst);
}

void
vt_levels_widen(const VtImage *src, double scale, const VtImage *mask, const VtImage *roi, double range[2])
{
  for (int64_t y = 0; y < src->height; y++)
    for (int64_t x = 0; x < src->width; x++) {
      const double value = vt_value_at(src, x, y) * scale;
      if (!isfinite(value) || !inside(mask, roi, x, y))
        continue;
      range[0] = fmin(range[0], value);
      range[1] = fmax(range[1], value);
    }
}

static void
channel_range(VtType type, double scale, double *min, double *max)
{
  *min = 0;
  *max = type == VITRAIL_U8 ? 255 : scale < 1 ? 2 : type == VITRAIL_U16 ? 65535 : 1;
}

static VitrailStatus
resolve_range(VtRun *run, const VtBinning *binning, VtType type, const double *own, VtLevels *levels)
{
  double max = binning->max;
  levels->min = binning->min;
  if (own) {
    levels->min = own[0] <= own[1] ? own[0] : 0;
    max = own[0] <= own[1] ? own[1] : 0;
  } else if (levels->kind == VT_BIN_NUMBER && levels->min == 0 && max == 0) {
    channel_range(type, levels->scale, &levels->min, &max);
  }
  if (levels->kind == VT_BIN_WIDTH) {
    levels->width = binning->width;
    levels->n = MAX_LEVELS;
    vt_record(run, "bin-width", levels->width);
  } else {
    levels->width = max - levels->min;
    if (!own && !(levels->width > 0))
      return vt_fail(run, VITRAIL_BAD_ARGUMENT,
                     "The range of the grey levels must end above its start, not go from %g to %g.", levels->min, max);
  }
  if (!own) {
    vt_record(run, "range-from", levels->min);
    if (levels->kind == VT_BIN_NUMBER)
      vt_record(run, "range-to", max);
  }
  return VITRAIL_OK;
}

VitrailStatus
vt_levels_resolve(VtRun *run, const VtBinning *binning, VtType type, double scale, const double *own, VtLevels *levels)
{
  VitrailStatus status = VITRAIL_OK;
  *levels = (VtLevels){ .kind = binning->kind, .scale = scale, .n = binning->n };
  if (levels->kind == VT_BIN_AS_IS)
    levels->n = MAX_LEVELS;
  else
    status = resolve_range(run, binning, type, own, levels);
  if (levels->kind != VT_BIN_WIDTH)
    vt_record(run, "levels", levels->n);
  return status;
}

/* --- of whole rasters --- */

static const VtImage *
window(const VtImage *image, VtRect t, VtImage *part)
{
  if (image)
    *part = vt_image_window(image, t.x, t.y, t.width, t.height);
  return image ? part : NULL;
}

static VitrailStatus
levels_tile(VtRun *run, VtRect t, void *user)
{
  const LevelsJob *job = user;
  VtImage src, mask, roi, dst;
  return apply(run, &job->levels, job->table, window(job->src, t, &src), window(job->mask, t, &mask),
               window(job->roi, t, &roi), window(job->dst, t, &dst));
}

static VitrailStatus
range_tile(VtRun *run, VtRect t, void *user)
{
  LevelsJob *job = user;
  VtImage src, mask, roi;
  double range[2] = { INFINITY, -INFINITY };
  vt_levels_widen(window(job->src, t, &src), job->levels.scale, window(job->mask, t, &mask), window(job->roi, t, &roi),
                  range);
  pthread_mutex_lock(&job->lock);
  job->range[0] = fmin(job->range[0], range[0]);
  job->range[1] = fmax(job->range[1], range[1]);
  pthread_mutex_unlock(&job->lock);
  return VITRAIL_OK;
}

VitrailStatus
vt_discretise(VtRun *run, const VtBinning *binning, const VtImage *src, double scale, const VtImage *mask,
              const VtImage *roi, bool own, VtImage *levels, VtLevels *made)
{
  LevelsJob job = { .src = src, .mask = mask, .roi = roi, .dst = levels, .range = { INFINITY, -INFINITY } };
  VitrailStatus status = VITRAIL_OK;
  own = own && binning->kind != VT_BIN_AS_IS;
  job.levels.scale = scale;
  pthread_mutex_init(&job.lock, NULL);
  if (own)
    status = vt_local(run, src->width, src->height, range_tile, &job);
  THEN(status, vt_levels_resolve(run, binning, src->type, scale, own ? job.range : NULL, &job.levels));
  *made = job.levels;
  uint16_t *table = status == VITRAIL_OK ? make_table(&job.levels, src) : NULL;
  job.table = table;
  THEN(status, vt_raster_alloc(run, levels, VITRAIL_U16, src->width, src->height));
  THEN(status, vt_local(run, src->width, src->height, levels_tile, &job));
  free(table);
  pthread_mutex_destroy(&job.lock);
  return status;
}
