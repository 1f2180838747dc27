/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "scale/glrlm-bands.h"
#include "drivers/reduce.h"
#include "run/parallel.h"

enum {
  MAX_LEVELS = 256,
  SHORT = 16,      /* runs up to here are counted by each job for itself, longer ones in the matrix at once */
  ROWS_A_JOB = 64, /* of horizontal runs */
  LINES_A_JOB = 4096,
  N_LINES = 3 /* directions that go from row to row */
};
static const int8_t line_dx[N_LINES] = { 1, 0, -1 }; /* VT_GLRLM_DIR_1_1 and so on */

typedef struct {
  VtGlrlmBands *bands;
  const VtImage *levels;
  uint32_t n_row_jobs, n_line_jobs; /* n_line_jobs: of each direction */
} Job;

/* What one job counts in one direction. Level 0 is counted like others, and dropped. */
typedef struct {
  uint64_t shorts[MAX_LEVELS + 1][SHORT];
  uint64_t n_pixels; /* of horizontal runs */
  uint64_t *matrix;
  int64_t longest;
} Counts;

static void
counts_begin(Counts *c, const VtGlrlmBands *bands, int direction)
{
  memset(c, 0, sizeof *c);
  c->longest = bands->longest;
  c->matrix = bands->matrix + (int64_t)direction * bands->n_levels * bands->longest;
}

static inline void
count(Counts *c, uint16_t level, int64_t length)
{
  if (length <= SHORT)
    c->shorts[level][length - 1]++;
  else if (level)
    __atomic_fetch_add(&c->matrix[(level - 1) * c->longest + length - 1], 1, __ATOMIC_RELAXED);
}

static void
counts_end(const Counts *c, VtGlrlmBands *bands)
{
  for (int32_t level = 1; level <= bands->n_levels; level++)
    for (int32_t k = 0; k < SHORT && k < bands->longest; k++)
      if (c->shorts[level][k])
        __atomic_fetch_add(&c->matrix[(level - 1) * c->longest + k], c->shorts[level][k], __ATOMIC_RELAXED);
  __atomic_fetch_add(&bands->n_pixels, c->n_pixels, __ATOMIC_RELAXED);
}

static VitrailStatus
count_rows(VtRun *run, const Job *job, uint32_t index)
{
  const int64_t width = job->levels->width, y0 = (int64_t)index * ROWS_A_JOB;
  const int64_t y1 = y0 + ROWS_A_JOB < job->levels->height ? y0 + ROWS_A_JOB : job->levels->height;
  Counts c;
  counts_begin(&c, job->bands, VT_GLRLM_DIR_1_0);
  for (int64_t y = y0; y < y1; y++) {
    const uint16_t *row = vt_image_at(job->levels, 0, y);
    for (int64_t x = 1, start = 0; x <= width; x++) {
      if (x < width && row[x] == row[start])
        continue;
      count(&c, row[start], x - start);
      c.n_pixels += row[start] ? (uint64_t)(x - start) : 0;
      start = x;
    }
    if (vt_cancelled_at(run, y))
      return VITRAIL_CANCELLED;
  }
  counts_end(&c, job->bands);
  return VITRAIL_OK;
}

/* Line i of a direction goes through pixel (i + dx y) mod width of row y, so that in each row every line has one pixel. One
 * that leaves the region at a side begins again at the other, with a new run. */
static int64_t
pixel_of(int64_t line, int dx, int64_t y, int64_t width)
{
  return (line + (dx + 1) * (y % width) + width - y % width) % width;
}

/* The pixels x..end-1 of row y, one of each line from the one on that `starts` belongs to. */
static inline void
count_pixels(Counts *c, const uint16_t *row, const uint16_t *above, int64_t x, int64_t end, int dx, int64_t y,
             int64_t *starts)
{
  for (; x < end; x++, starts++) {
    const uint16_t before = above[x - dx];
    if (row[x] == before)
      continue;
    count(c, before, y - *starts);
    *starts = y;
  }
}

static void
count_row_of_lines(const VtGlrlmBands *bands, Counts *c, const uint16_t *row, const uint16_t *above, int64_t first,
                   int64_t end, int direction, int64_t y)
{
  const int dx = line_dx[direction];
  const int64_t width = bands->width;
  int64_t *starts = bands->starts + direction * width;
  for (int64_t line = first, x = pixel_of(first, dx, y, width); line < end; x = 0) {
    const int64_t n = end - line < width - x ? end - line : width - x;
    const int64_t enters = dx > 0 ? 0 : dx < 0 ? width - 1 : width; /* where a line begins again */
    const bool at_first = x == enters, at_last = n > at_first && x + n - 1 == enters;
    if (at_first || at_last) {
      int64_t *start = starts + line + (at_first ? 0 : n - 1);
      count(c, above[width - 1 - enters], y - *start);
      *start = y;
    }
    count_pixels(c, row, above, x + at_first, x + n - at_last, dx, y, starts + line + at_first);
    line += n;
  }
}

static VitrailStatus
count_lines(VtRun *run, const Job *job, int direction, uint32_t index)
{
  const VtGlrlmBands *bands = job->bands;
  const int64_t first = (int64_t)index * LINES_A_JOB;
  const int64_t end = first + LINES_A_JOB < bands->width ? first + LINES_A_JOB : bands->width;
  Counts c;
  counts_begin(&c, bands, direction + VT_GLRLM_DIR_1_1);
  for (int64_t y = 0; y < job->levels->height; y++) {
    const uint16_t *row = vt_image_at(job->levels, 0, y);
    const uint16_t *above = y > 0 ? vt_image_at(job->levels, 0, y - 1) : bands->last;
    count_row_of_lines(bands, &c, row, above, first, end, direction, bands->y + y);
    if (vt_cancelled_at(run, y))
      return VITRAIL_CANCELLED;
  }
  counts_end(&c, job->bands);
  return VITRAIL_OK;
}

static VitrailStatus
count_part(VtRun *run, uint32_t index, void *user)
{
  const Job *job = user;
  if (index < job->n_row_jobs)
    return count_rows(run, job, index);
  index -= job->n_row_jobs;
  return count_lines(run, job, (int)(index / job->n_line_jobs), index % job->n_line_jobs);
}

VitrailStatus
vt_glrlm_bands_add(VtRun *run, VtGlrlmBands *bands, const VtImage *levels)
{
  Job job = { .bands = bands, .levels = levels };
  job.n_row_jobs = (uint32_t)((levels->height - 1) / ROWS_A_JOB + 1);
  job.n_line_jobs = (uint32_t)((bands->width - 1) / LINES_A_JOB + 1);
  TRY(vt_parallel(run, job.n_row_jobs + N_LINES * job.n_line_jobs, count_part, &job));
  memcpy(bands->last, vt_image_at(levels, 0, levels->height - 1), (size_t)bands->width * sizeof *bands->last);
  bands->y += levels->height;
  return VITRAIL_OK;
}

VitrailStatus
vt_glrlm_bands_finish(VtRun *run, VtGlrlmBands *bands, VtGlrlmAggregate aggregate, double features[VT_GLRLM_N_FEATURES])
{
  for (int direction = 0; direction < N_LINES; direction++) {
    Counts c;
    counts_begin(&c, bands, direction + VT_GLRLM_DIR_1_1);
    for (int64_t line = 0; line < bands->width; line++)
      count(&c, bands->last[pixel_of(line, line_dx[direction], bands->y - 1, bands->width)],
            bands->y - bands->starts[direction * bands->width + line]);
    counts_end(&c, bands);
  }
  return vt_reduce_matrix(run, bands->matrix, bands->n_levels, bands->longest, bands->n_pixels, aggregate, features);
}

static int64_t
longest(int64_t width, int64_t height)
{
  return width > height ? width : height;
}

double
vt_glrlm_bands_bytes(int64_t width, int64_t height, int32_t n_levels, uint32_t n_threads)
{
  const double cells = (double)n_levels * (double)longest(width, height) * VT_GLRLM_N_DIRECTIONS;
  return cells * sizeof(uint64_t)
         + 2 * ((double)longest(width, height) + n_levels) * sizeof(uint64_t) /* sums of the features */
         + (double)width * (N_LINES * sizeof(int64_t) + sizeof(uint16_t)) + (double)n_threads * sizeof(Counts);
}

VitrailStatus
vt_glrlm_bands_new(VtRun *run, VtGlrlmBands *bands, int64_t width, int64_t height, int32_t n_levels)
{
  *bands = (VtGlrlmBands){ .width = width, .height = height, .n_levels = n_levels };
  if (longest(width, height) <= INT32_MAX) {
    bands->longest = (int32_t)longest(width, height);
    bands->matrix = calloc((size_t)n_levels * (size_t)bands->longest, VT_GLRLM_N_DIRECTIONS * sizeof *bands->matrix);
    bands->starts = malloc((size_t)width * N_LINES * sizeof *bands->starts);
    bands->last = calloc((size_t)width, sizeof *bands->last);
  }
  if (!bands->matrix || !bands->starts || !bands->last)
    return vt_fail(run, VITRAIL_OUT_OF_MEMORY, TR("There is not enough memory for a run length matrix."));
  for (int64_t i = 0; i < N_LINES * width; i++)
    bands->starts[i] = -1; /* above the first row lies level 0 */
  return VITRAIL_OK;
}

void
vt_glrlm_bands_clear(VtGlrlmBands *bands)
{
  free(bands->matrix);
  free(bands->starts);
  free(bands->last);
}
