/* SPDX-License-Identifier: MIT
 *
 * Run length features of many regions. A region is laid down alone, with zeros round it, so that the walk along a run asks
 * for nothing but the level. Threads share the regions out; of a large one they take bands of rows, whose runs are counted
 * where they start, so that the bands add up. */
#include "glrlm.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { LARGE_PX = 1 << 18, SLICES_PER_THREAD = 8, MAX_BAND_BYTES = 256 << 20 };

/* What one region takes; the arrays are as large as the largest of a slice needs. */
typedef struct Scratch {
  uint16_t *patch;  /* rows of width + 1, the last one 0; a row of zeros above and below */
  uint64_t *matrix; /* of each direction, then of all of them together */
  uint64_t *sums[VT_CPU_GLRLM_N_SUMS];
  int64_t step, width, height, length; /* length: columns of a matrix, the longest run there could be */
} Scratch;

typedef struct Job {
  const VtGlrlmRois *args;
  const VtCancel *cancel;
  int64_t first, n; /* the regions of this job */
  uint32_t n_parts;
  bool wide;
  _Atomic int status;
  Scratch *large; /* the region that all threads work on, and its matrices by band */
  uint64_t *bands;
  const VtGlrlmRoi *roi;
  _Atomic int64_t n_pixels;
} Job;

static void
fail(Job *job, VitrailStatus status)
{
  int none = VITRAIL_OK;
  atomic_compare_exchange_strong(&job->status, &none, status);
}

static bool
stopped(Job *job)
{
  if (vt_cancelled(job->cancel))
    fail(job, VITRAIL_CANCELLED);
  return atomic_load_explicit(&job->status, memory_order_relaxed) != VITRAIL_OK;
}

static bool
is_large(const VtGlrlmRoi *roi)
{
  return roi->width > LARGE_PX / roi->height;
}

static int64_t
longest(const VtGlrlmRoi *roi)
{
  return roi->width > roi->height ? roi->width : roi->height;
}

/* --- levels --- */

static inline uint32_t
level_at(const Job *job, const VtGlrlmRoi *roi, int64_t x, int64_t y)
{
  const VtGlrlmRois *a = job->args;
  const uint32_t level = vt_cpu_glrlm_level(a->levels.data, roi->level + y * roi->level_step + x, job->wide);
  if (roi->mask < 0 || ((const uint8_t *)a->masks.data)[roi->mask + y * roi->mask_step + x])
    return level;
  return 0;
}

static bool
rows_ok(const Job *job, const VtGlrlmRoi *roi, int64_t y0, int64_t y1)
{
  uint32_t highest = 0;
  for (int64_t y = y0; y < y1; y++)
    for (int64_t x = 0; x < roi->width; x++) {
      const uint32_t level = level_at(job, roi, x, y);
      highest = highest > level ? highest : level;
    }
  return highest <= (uint32_t)job->args->n_levels;
}

/* Returns how many pixels belong to the region. */
static int64_t
lay_rows(const Job *job, const VtGlrlmRoi *roi, const Scratch *s, int64_t y0, int64_t y1)
{
  int64_t n = 0;
  for (int64_t y = y0; y < y1; y++) {
    uint16_t *row = s->patch + (y + 1) * s->step + 1;
    for (int64_t x = 0; x < roi->width; x++) {
      row[x] = (uint16_t)level_at(job, roi, x, y);
      n += row[x] != 0;
    }
    row[roi->width] = 0;
  }
  return n;
}

static void
lay_border(const Scratch *s)
{
  memset(s->patch, 0, (size_t)(s->step + 1) * sizeof *s->patch);
  memset(s->patch + (s->height + 1) * s->step, 0, (size_t)(s->step + 1) * sizeof *s->patch);
}

/* --- runs --- */

static void
count_rows(const Scratch *s, int direction, int64_t y0, int64_t y1, uint64_t *counts)
{
  const int64_t step = vt_cpu_glrlm_dy[direction] * s->step + vt_cpu_glrlm_dx[direction];
  for (int64_t y = y0; y < y1; y++) {
    const uint16_t *row = s->patch + (y + 1) * s->step + 1;
    for (int64_t x = 0; x < s->width; x++) {
      const uint16_t *at = row + x, level = *at;
      if (level == 0 || at[-step] == level)
        continue;
      int64_t length = 1;
      while (*(at += step) == level)
        length++;
      counts[(level - 1) * s->length + length - 1]++;
    }
  }
}

/* The directions whose matrices are needed. */
static uint32_t
directions_of(const VtGlrlmRois *args)
{
  return args->aggregates >> VT_GLRLM_MEAN ? 15 : args->aggregates;
}

/* --- features --- */

static void
matrix_features(const VtGlrlmRois *args, const Scratch *s, const uint64_t *matrix, int64_t n_pixels,
                double features[VT_GLRLM_N_FEATURES])
{
  const int32_t length = (int32_t)s->length;
  const uint64_t n_runs = vt_cpu_glrlm_fold(matrix, args->n_levels, length, s->sums);
  for (uint32_t left = args->features; left; left &= left - 1) {
    const int32_t f = __builtin_ctz(left);
    const VtCpuGlrlmPlan plan = vt_cpu_glrlm_plan(f, args->n_levels, length);
    features[f] = vt_cpu_glrlm_feature(f, vt_cpu_glrlm_sums(&plan, matrix, s->sums), args->n_levels, length, n_runs,
                                       (uint64_t)n_pixels);
  }
}

static double *
write_features(const VtGlrlmRois *args, const double features[VT_GLRLM_N_FEATURES], bool empty, double *to)
{
  for (uint32_t left = args->features; left; left &= left - 1)
    *to++ = empty ? NAN : features[__builtin_ctz(left)];
  return to;
}

/* The features of all aggregates from the matrices of the directions. */
static void
finish(const VtGlrlmRois *args, const Scratch *s, int64_t r, int64_t n_pixels)
{
  const int n_values = __builtin_popcount(args->features) * __builtin_popcount(args->aggregates);
  const int64_t n_cells = args->n_levels * s->length;
  const uint32_t directions = directions_of(args);
  double one[VT_GLRLM_N_FEATURES] = { 0 }, mean[VT_GLRLM_N_FEATURES] = { 0 }, *to = args->values + r * n_values;
  args->n_pixels[r] = n_pixels;
  for (int d = 0; d < VT_GLRLM_N_DIRECTIONS; d++) {
    if (!(directions >> d & 1))
      continue;
    matrix_features(args, s, s->matrix + d * n_cells, n_pixels, one);
    for (int f = 0; f < VT_GLRLM_N_FEATURES; f++)
      mean[f] += one[f];
    if (args->aggregates >> d & 1)
      to = write_features(args, one, n_pixels == 0, to);
  }
  for (int f = 0; f < VT_GLRLM_N_FEATURES; f++)
    mean[f] /= VT_GLRLM_N_DIRECTIONS;
  if (args->aggregates >> VT_GLRLM_MEAN & 1)
    to = write_features(args, mean, n_pixels == 0, to);
  if (!(args->aggregates >> VT_GLRLM_MERGED & 1))
    return;
  uint64_t *merged = s->matrix + VT_GLRLM_N_DIRECTIONS * n_cells;
  for (int64_t k = 0; k < n_cells; k++)
    merged[k] = s->matrix[k] + s->matrix[n_cells + k] + s->matrix[2 * n_cells + k] + s->matrix[3 * n_cells + k];
  matrix_features(args, s, merged, VT_GLRLM_N_DIRECTIONS * n_pixels, one);
  write_features(args, one, n_pixels == 0, to);
}

/* --- scratch --- */

static bool
multiply(size_t a, size_t b, size_t c, size_t *product)
{
  return !__builtin_mul_overflow(a, b, product) && !__builtin_mul_overflow(*product, c, product)
         && *product < SIZE_MAX / 2;
}

/* For patches of so many pixels, zeros and all, and runs up to `length`. */
static bool
scratch_new(Scratch *s, int32_t n_levels, int64_t patch, int64_t length)
{
  size_t patch_bytes, matrix_bytes;
  *s = (Scratch){ 0 };
  if (!multiply((size_t)patch, 1, sizeof *s->patch, &patch_bytes)
      || !multiply((size_t)n_levels * (VT_GLRLM_N_DIRECTIONS + 1), (size_t)length, sizeof *s->matrix, &matrix_bytes))
    return false;
  s->patch = malloc(patch_bytes);
  s->matrix = malloc(matrix_bytes);
  s->sums[0] = malloc(2 * (size_t)(length + n_levels) * sizeof *s->sums[0]);
  if (!s->patch || !s->matrix || !s->sums[0])
    return false;
  s->sums[1] = s->sums[0] + length;
  s->sums[2] = s->sums[1] + length;
  s->sums[3] = s->sums[2] + n_levels;
  return true;
}

static void
scratch_free(Scratch *s)
{
  free(s->patch);
  free(s->matrix);
  free(s->sums[0]);
}

static int64_t
patch_size(const VtGlrlmRoi *roi)
{
  return (roi->width + 1) * (roi->height + 2) + 1;
}

static void
scratch_fit(Scratch *s, const VtGlrlmRoi *roi)
{
  s->width = roi->width;
  s->height = roi->height;
  s->step = roi->width + 1;
  s->length = longest(roi);
  lay_border(s);
}

/* --- jobs --- */

static void
slice_of(const Job *job, uint32_t index, int64_t *first, int64_t *end)
{
  *first = job->first + job->n / job->n_parts * index + job->n % job->n_parts * index / job->n_parts;
  index++;
  *end = job->first + job->n / job->n_parts * index + job->n % job->n_parts * index / job->n_parts;
}

static void
check_slice(void *user, uint32_t index)
{
  Job *job = user;
  int64_t first, end;
  slice_of(job, index, &first, &end);
  for (int64_t r = first; r < end; r++) {
    const VtGlrlmRoi *roi = &job->args->rois[r];
    if (!is_large(roi) && !rows_ok(job, roi, 0, roi->height))
      fail(job, VITRAIL_BAD_ARGUMENT);
    if (stopped(job))
      return;
  }
}

static void
count_slice(void *user, uint32_t index)
{
  Job *job = user;
  const VtGlrlmRois *args = job->args;
  const uint32_t directions = directions_of(args);
  int64_t first, end, patch = 0, length = 0;
  slice_of(job, index, &first, &end);
  for (int64_t r = first; r < end; r++) {
    const VtGlrlmRoi *roi = &args->rois[r];
    patch = is_large(roi) || patch_size(roi) < patch ? patch : patch_size(roi);
    length = is_large(roi) || longest(roi) < length ? length : longest(roi);
  }
  Scratch s = { 0 };
  if (patch == 0 || stopped(job))
    return;
  if (!scratch_new(&s, args->n_levels, patch, length))
    fail(job, VITRAIL_OUT_OF_MEMORY);
  for (int64_t r = first; r < end && !stopped(job); r++) {
    const VtGlrlmRoi *roi = &args->rois[r];
    if (is_large(roi))
      continue;
    scratch_fit(&s, roi);
    const int64_t n_pixels = lay_rows(job, roi, &s, 0, roi->height), n_cells = args->n_levels * s.length;
    memset(s.matrix, 0, (size_t)(VT_GLRLM_N_DIRECTIONS * n_cells) * sizeof *s.matrix);
    for (int d = 0; d < VT_GLRLM_N_DIRECTIONS; d++)
      if (directions >> d & 1)
        count_rows(&s, d, 0, s.height, s.matrix + d * n_cells);
    finish(args, &s, r, n_pixels);
  }
  scratch_free(&s);
}

/* --- a large region: rows y0..y1 of part `index` of n --- */

static void
part_of(int64_t height, uint32_t index, uint32_t n, int64_t *y0, int64_t *y1)
{
  *y0 = height * index / n;
  *y1 = height * (index + 1) / n;
}

static void
check_band(void *user, uint32_t index)
{
  Job *job = user;
  int64_t y0, y1;
  part_of(job->roi->height, index, job->n_parts, &y0, &y1);
  for (int64_t y = y0; y < y1 && !stopped(job); y += 16)
    if (!rows_ok(job, job->roi, y, y + 16 < y1 ? y + 16 : y1))
      fail(job, VITRAIL_BAD_ARGUMENT);
}

static void
lay_band(void *user, uint32_t index)
{
  Job *job = user;
  int64_t y0, y1;
  part_of(job->roi->height, index, job->n_parts, &y0, &y1);
  for (int64_t y = y0; y < y1 && !stopped(job); y += 16)
    atomic_fetch_add(&job->n_pixels, lay_rows(job, job->roi, job->large, y, y + 16 < y1 ? y + 16 : y1));
}

/* Part 4 b + d counts direction d of band b. */
static void
count_band(void *user, uint32_t index)
{
  Job *job = user;
  const int direction = (int)(index % VT_GLRLM_N_DIRECTIONS);
  uint64_t *counts = job->bands + (int64_t)index * job->args->n_levels * job->large->length;
  int64_t y0, y1;
  part_of(job->large->height, index / VT_GLRLM_N_DIRECTIONS, job->n_parts, &y0, &y1);
  for (int64_t y = y0; y < y1 && directions_of(job->args) >> direction & 1 && !stopped(job); y += 16)
    count_rows(job->large, direction, y, y + 16 < y1 ? y + 16 : y1, counts);
}

static void
count_large(VtDevice *device, Job *job, int64_t r)
{
  const VtGlrlmRois *args = job->args;
  const VtGlrlmRoi *roi = &args->rois[r];
  const size_t n_cells = (size_t)args->n_levels * (size_t)longest(roi) * VT_GLRLM_N_DIRECTIONS;
  const size_t room = MAX_BAND_BYTES / (n_cells * sizeof(uint64_t));
  const uint32_t n_threads = vt_cpu_n_threads(device), n_bands = room < 1           ? 1
                                                                 : room < n_threads ? (uint32_t)room
                                                                                    : n_threads;
  Scratch s;
  const bool got = scratch_new(&s, args->n_levels, patch_size(roi), longest(roi));
  job->bands = calloc(n_bands, n_cells * sizeof *job->bands);
  if (got && job->bands) {
    scratch_fit(&s, roi);
    job->large = &s;
    job->roi = roi;
    atomic_store(&job->n_pixels, 0);
    job->n_parts = n_threads;
    vt_cpu_parallel_for(device, job->n_parts, lay_band, job);
    job->n_parts = n_bands;
    vt_cpu_parallel_for(device, VT_GLRLM_N_DIRECTIONS * n_bands, count_band, job);
    memcpy(s.matrix, job->bands, n_cells * sizeof *s.matrix);
    for (size_t k = n_cells; k < n_bands * n_cells; k++)
      s.matrix[k % n_cells] += job->bands[k];
    if (!stopped(job))
      finish(args, &s, r, atomic_load(&job->n_pixels));
  } else {
    fail(job, VITRAIL_OUT_OF_MEMORY);
  }
  free(job->bands);
  scratch_free(&s);
}

VitrailStatus
vt_cpu_glrlm_rois(VtDevice *device, const VtGlrlmRois *args, const VtCancel *cancel)
{
  if (!vt_glrlm_rois_ok(args))
    return VITRAIL_BAD_ARGUMENT;
  const uint32_t n_threads = vt_cpu_n_threads(device);
  const int64_t wanted = n_threads > 1 ? (int64_t)n_threads * SLICES_PER_THREAD : 1;
  Job job = { .args = args, .cancel = cancel, .n = args->n_rois, .wide = args->levels.type == VITRAIL_U16 };
  const uint32_t n_slices = (uint32_t)(wanted < args->n_rois ? wanted : args->n_rois);
  job.n_parts = n_slices;
  vt_cpu_parallel_for(device, n_slices, check_slice, &job);
  for (int64_t r = 0; r < args->n_rois && !stopped(&job); r++)
    if (is_large(&args->rois[r])) {
      job.roi = &args->rois[r];
      job.n_parts = n_threads;
      vt_cpu_parallel_for(device, n_threads, check_band, &job);
    }
  job.n_parts = n_slices;
  if (!stopped(&job))
    vt_cpu_parallel_for(device, n_slices, count_slice, &job);
  for (int64_t r = 0; r < args->n_rois && !stopped(&job); r++)
    if (is_large(&args->rois[r]))
      count_large(device, &job, r);
  return atomic_load(&job.status);
}
