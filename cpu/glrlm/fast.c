/* SPDX-License-Identifier: MIT
 *
 * Windows at a cost that does not grow with their area: sums slide from window to window (planes.h). A feature needs one
 * or two sums over the runs of a window, and some need the runs counted by length or by level as well. All of them are
 * integers, so the result is that of serial.c to the bit. Run entropy needs the matrix itself, and windows far apart share
 * nothing: both are left to serial.c. */
#include "planes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The first sum holds the number of runs above, and another sum of less than 2^46 below. */
enum { COUNT_BITS = 46, RUN_VARIANCE_BITS = 24 };

typedef enum Detail { NONE, BY_LENGTH, BY_LENGTH_WEIGHED, BY_LEVEL, BY_LEVEL_WEIGHED } Detail;

typedef struct Slide { /* one direction of a block */
  VtCpuRuns runs;
  VtCpuCells sums[2], levels;
  VtCpuLengths lengths;
} Slide;

typedef struct Job {
  const VtCpuGlrlmMap *args;
  Detail detail;
  int32_t side, n_sums, n_detail, columns; /* bins of a column of the detail */
  size_t detail_size;                      /* bytes of one of them */
  int64_t max_windows, max_rows;           /* of a block */
  VtCpuBlock block;
  Slide slide[VT_GLRLM_N_DIRECTIONS];
  bool wanted[VT_GLRLM_N_DIRECTIONS];
  uint64_t *gain[2], *bend[2]; /* of the sums */
  void *level_gain, *level_bend;
  /* Of a row of windows: */
  uint64_t *sum[2]; /* of one direction */
  VtCpuWide *merged_sum[2];
  uint64_t *merged; /* detail of all directions */
  double *detail_value, *total;
  char *memory;
  size_t used; /* of memory */
} Job;

static Detail
detail_of(int32_t feature)
{
  switch (feature) {
  case VT_GLRLM_SRE:
  case VT_GLRLM_RLN:
  case VT_GLRLM_RLNN: return BY_LENGTH;
  case VT_GLRLM_SRHGE: return BY_LENGTH_WEIGHED;
  case VT_GLRLM_LGRE:
  case VT_GLRLM_GLN:
  case VT_GLRLM_GLNN: return BY_LEVEL;
  case VT_GLRLM_LRLGE: return BY_LEVEL_WEIGHED;
  default: return NONE;
  }
}

/* What a run adds to sum k. */
static uint64_t
run_adds(int32_t feature, int k, int32_t level, int32_t length)
{
  const uint64_t i = (uint64_t)level, j = (uint64_t)length, one = UINT64_C(1) << COUNT_BITS;
  if (level == 0 || length == 0)
    return 0;
  switch (feature) {
  case VT_GLRLM_LRE: return one + j * j;
  case VT_GLRLM_RP: return one + j;
  case VT_GLRLM_RV: return one + (j << RUN_VARIANCE_BITS) + j * j;
  case VT_GLRLM_HGRE: return one + i * i;
  case VT_GLRLM_LRHGE: return one + i * i * j * j;
  case VT_GLRLM_GLV: return k ? i : one + i * i;
  case VT_GLRLM_SRLGE: return k ? vt_cpu_glrlm_short_low(level, length) : one;
  default: return one;
  }
}

/* The feature from the sums, and from the detail where it has one. */
static double
feature_of(int32_t feature, VtCpuWide sum0, VtCpuWide sum1, double detail)
{
  const uint64_t n = (uint64_t)(sum0 >> COUNT_BITS), sum = (uint64_t)sum0 & ((UINT64_C(1) << COUNT_BITS) - 1);
  const double runs = (double)n;
  if (n == 0)
    return NAN;
  switch (feature) {
  case VT_GLRLM_LRE:
  case VT_GLRLM_HGRE:
  case VT_GLRLM_LRHGE: return (double)sum / runs;
  case VT_GLRLM_RP: return runs / (double)sum;
  case VT_GLRLM_RV:
    return vt_cpu_glrlm_variance(n, sum >> RUN_VARIANCE_BITS, sum & ((UINT64_C(1) << RUN_VARIANCE_BITS) - 1));
  case VT_GLRLM_GLV: return vt_cpu_glrlm_variance(n, sum1, sum);
  case VT_GLRLM_SRLGE: return vt_cpu_glrlm_short_low_mean(sum1, n);
  case VT_GLRLM_GLNN:
  case VT_GLRLM_RLNN: return detail / (runs * runs);
  default: return detail / runs;
  }
}

/* --- memory: the same walk counts the bytes (memory NULL) and hands them out --- */

static void *
take(Job *job, size_t n, size_t size)
{
  void *at = job->memory ? job->memory + job->used : NULL;
  job->used += (n * size + 63) / 64 * 64;
  return at;
}

static void
take_slide(Job *job, Slide *s, int direction)
{
  const VtCpuBlock *b = &job->block;
  const size_t plane = (size_t)(b->stride * b->height), width = (size_t)b->width;
  const bool along_column = direction == VT_GLRLM_DIR_0_1, mirrored = direction == VT_GLRLM_DIR_M1_1;
  s->runs = (VtCpuRuns){ b,
                         direction == VT_GLRLM_DIR_1_0 ? VT_CPU_ALONG_ROW
                         : along_column                ? VT_CPU_ALONG_COLUMN
                                                       : VT_CPU_ALONG_DIAGONAL,
                         mirrored ? b->mirror : b->level, mirrored ? b->level : b->mirror };
  s->runs.back = take(job, plane, 1);
  s->runs.ahead = take(job, plane, 1);
  for (int k = 0; k < job->n_sums; k++) {
    s->sums[k] = (VtCpuCells){ &s->runs, 1, 8, job->side, job->gain[k], job->bend[k] };
    s->sums[k].enter = take(job, width, 8);
    s->sums[k].leave = along_column ? s->sums[k].enter : take(job, width, 8);
  }
  if (job->detail == NONE)
    return;
  void *enter = take(job, width * (size_t)job->columns, job->detail_size);
  void *leave = along_column ? enter : take(job, width * (size_t)job->columns, job->detail_size);
  const bool weighed = job->detail == BY_LENGTH_WEIGHED;
  s->levels =
    (VtCpuCells){ &s->runs, job->columns, (int32_t)job->detail_size, job->side, job->level_gain, job->level_bend,
                  enter,    leave };
  s->lengths = (VtCpuLengths){ &s->runs, weighed, job->columns, enter, leave };
  if (job->detail <= BY_LENGTH_WEIGHED)
    s->lengths.rows = take(job, 8 * (size_t)b->stride, 4);
}

static void
take_all(Job *job)
{
  const size_t n = (size_t)job->max_windows, side = (size_t)job->side + 1;
  const size_t table = ((size_t)job->args->n_levels + 1) * side;
  const size_t pixels = (size_t)(job->block.stride * job->block.height);
  job->used = 0;
  job->block.level = take(job, pixels, 2);
  job->block.mirror = take(job, pixels, 2);
  for (int k = 0; k < job->n_sums; k++) {
    job->gain[k] = take(job, table, 8);
    job->bend[k] = take(job, table, 8);
    job->sum[k] = take(job, n, 8);
    job->merged_sum[k] = take(job, n, 16);
  }
  job->level_gain = take(job, side, 4);
  job->level_bend = take(job, side, 4);
  job->total = take(job, n, 8);
  job->detail_value = take(job, n, 8);
  if (job->detail != NONE && job->args->aggregate == VT_GLRLM_MERGED)
    job->merged = take(job, n * (size_t)job->n_detail, 8);
  for (int d = 0; d < VT_GLRLM_N_DIRECTIONS; d++)
    if (job->wanted[d])
      take_slide(job, &job->slide[d], d);
}

static void
fill_tables(Job *job)
{
  const int32_t pitch = job->side + 1, feature = job->args->feature;
  for (int k = 0; k < job->n_sums; k++)
    for (int32_t i = 0; i <= job->args->n_levels; i++)
      for (int32_t j = 1; j <= job->side; j++) {
        uint64_t *gain = job->gain[k] + i * pitch, *bend = job->bend[k] + i * pitch;
        gain[j] = run_adds(feature, k, i, j) - run_adds(feature, k, i, j - 1);
        bend[j] = gain[j] - gain[j - 1];
      }
  for (int32_t j = 1; j <= job->side; j++) {
    if (job->detail == BY_LEVEL) {
      ((uint16_t *)job->level_gain)[j] = j == 1;
      ((uint16_t *)job->level_bend)[j] = (uint16_t)(j == 1 ? 1 : j == 2 ? -1 : 0);
    } else {
      ((int32_t *)job->level_gain)[j] = 2 * j - 1; /* j² - (j-1)² */
      ((int32_t *)job->level_bend)[j] = j == 1 ? 1 : 2;
    }
  }
}

/* E is 0 beyond the reach: for what a run adds whatever its length, it is 2. */
static int32_t
reach_of(const Job *job, int k)
{
  const uint64_t *bend = job->bend[k];
  int32_t reach = 1;
  for (int32_t i = 0; i <= job->args->n_levels; i++, bend += job->side + 1)
    for (int32_t j = reach + 1; j <= job->side; j++)
      if (bend[j])
        reach = j;
  return reach;
}

/* --- a block of windows --- */

static void
step_rows(const Job *job, const Slide *s, int64_t in, int64_t out)
{
  for (int k = 0; k < job->n_sums; k++)
    vt_cpu_cells_step(&s->sums[k], in, out);
  if (job->detail >= BY_LEVEL)
    vt_cpu_cells_step(&s->levels, in, out);
  else if (job->detail != NONE)
    vt_cpu_lengths_step(&s->lengths, in, out);
}

static void
start_block(Job *job, int64_t i0, int64_t j0)
{
  const VtCpuGlrlmMap *a = job->args;
  vt_cpu_block_fill(&job->block, &a->src, a->x0 + i0 * a->step - a->half, a->y0 + j0 * a->step - a->half);
  for (int d = 0; d < VT_GLRLM_N_DIRECTIONS; d++) {
    const Slide *s = &job->slide[d];
    const size_t width = (size_t)job->block.width;
    if (!job->wanted[d])
      continue;
    vt_cpu_runs_fill(&job->slide[d].runs);
    for (int k = 0; k < job->n_sums; k++) {
      memset(s->sums[k].enter, 0, width * 8);
      memset(s->sums[k].leave, 0, width * 8);
    }
    if (job->detail != NONE) {
      memset(s->levels.enter, 0, width * (size_t)job->columns * job->detail_size);
      memset(s->levels.leave, 0, width * (size_t)job->columns * job->detail_size);
    }
    for (int64_t y = 0; y < job->side; y++)
      step_rows(job, s, y, -1);
  }
}

/* The sums of one direction for n windows, into the totals. */
static void
add_direction(Job *job, int direction, int64_t n)
{
  const VtCpuGlrlmMap *a = job->args;
  const Slide *s = &job->slide[direction];
  const bool mirrored = direction == VT_GLRLM_DIR_M1_1, merge = a->aggregate == VT_GLRLM_MERGED;
  const int64_t first = mirrored ? n - 1 : 0, by = mirrored ? -1 : 1;
  const bool squares = a->feature != VT_GLRLM_SRE && a->feature != VT_GLRLM_LGRE;
  const VtCpuFinish finish = { job->n_detail, squares, job->detail_value, merge ? job->merged : NULL, first, by };
  for (int k = 0; k < job->n_sums; k++)
    vt_cpu_cells_totals(&s->sums[k], n, a->step, job->sum[k], first, by);
  if (job->detail >= BY_LEVEL)
    vt_cpu_cells_finish(&s->levels, n, a->step, &finish);
  else if (job->detail != NONE)
    vt_cpu_lengths_finish(&s->lengths, n, a->step, &finish);
  for (int64_t i = 0; i < n; i++) {
    const uint64_t sum0 = job->sum[0][i], sum1 = job->n_sums > 1 ? job->sum[1][i] : 0;
    if (!merge) {
      job->total[i] += feature_of(a->feature, sum0, sum1, job->detail_value[i]);
      continue;
    }
    job->merged_sum[0][i] += sum0;
    if (job->n_sums > 1)
      job->merged_sum[1][i] += sum1;
  }
}

static double
merged_value(const Job *job, int64_t i)
{
  const VtCpuGlrlmMap *a = job->args;
  const VtCpuWide sum0 = job->merged_sum[0][i];
  if (job->detail != NONE)
    return vt_cpu_glrlm_feature(a->feature, job->merged + i * job->n_detail, a->n_levels, job->side,
                                (uint64_t)(sum0 >> COUNT_BITS), 0);
  return feature_of(a->feature, sum0, job->n_sums > 1 ? job->merged_sum[1][i] : 0, 0);
}

static void
write_row(Job *job, float *out, int64_t n)
{
  const VtCpuGlrlmMap *a = job->args;
  int n_directions = 0;
  memset(job->total, 0, (size_t)n * sizeof *job->total);
  for (int k = 0; k < job->n_sums; k++)
    memset(job->merged_sum[k], 0, (size_t)n * sizeof *job->merged_sum[k]);
  if (job->merged)
    memset(job->merged, 0, (size_t)(n * job->n_detail) * sizeof *job->merged);
  for (int d = 0; d < VT_GLRLM_N_DIRECTIONS; d++)
    if (job->wanted[d]) {
      add_direction(job, d, n);
      n_directions++;
    }
  for (int64_t i = 0; i < n; i++)
    out[i] = (float)(a->aggregate == VT_GLRLM_MERGED ? merged_value(job, i) : job->total[i] / n_directions);
}

static VitrailStatus
run_block(Job *job, int64_t i0, int64_t j0, int64_t n, int64_t rows, const VtCancel *cancel)
{
  const int64_t step = job->args->step;
  job->block.width = (n - 1) * step + job->side;
  job->block.height = (rows - 1) * step + job->side;
  job->block.stride = job->block.width + (job->side + VT_CPU_LANES - 1) / VT_CPU_LANES * VT_CPU_LANES;
  start_block(job, i0, j0);
  for (int64_t j = 0; j < rows; j++) {
    if (vt_cancelled(cancel))
      return VITRAIL_CANCELLED;
    for (int d = 0; d < VT_GLRLM_N_DIRECTIONS && j > 0; d++)
      for (int64_t y = (j - 1) * step; job->wanted[d] && y < j * step; y++)
        step_rows(job, &job->slide[d], y + job->side, y);
    write_row(job, vt_image_at(&job->args->dst, i0, j0 + j), n);
  }
  return VITRAIL_OK;
}

/* Blocks so large that the windows at their edges do not cost much, and so small that their columns stay in the cache. */
static void
plan_blocks(Job *job)
{
  const VtCpuGlrlmMap *a = job->args;
  const int64_t across = (256 + 4 * job->side) / a->step, down = (512 + 8 * job->side) / a->step;
  job->max_windows = a->dst.width < across ? a->dst.width : across;
  job->max_rows = a->dst.height < down ? a->dst.height : down;
  job->block.side = job->side;
  job->block.width = (job->max_windows - 1) * a->step + job->side;
  job->block.height = (job->max_rows - 1) * a->step + job->side;
  job->block.stride = job->block.width + (job->side + VT_CPU_LANES - 1) / VT_CPU_LANES * VT_CPU_LANES;
}

static bool
job_init(Job *job, const VtCpuGlrlmMap *a)
{
  *job = (Job){ .args = a, .detail = detail_of(a->feature), .side = 2 * a->half + 1 };
  const bool by_level = job->detail >= BY_LEVEL;
  job->n_sums = a->feature == VT_GLRLM_GLV || a->feature == VT_GLRLM_SRLGE ? 2 : 1;
  job->n_detail = by_level ? a->n_levels : job->side;
  job->columns = (job->n_detail + VT_CPU_LANES - 1) / VT_CPU_LANES * VT_CPU_LANES;
  job->detail_size = job->detail == BY_LENGTH ? 1 : job->detail == BY_LEVEL ? 2 : 4;
  for (int d = 0; d < VT_GLRLM_N_DIRECTIONS; d++)
    job->wanted[d] = a->aggregate >= VT_GLRLM_MEAN || a->aggregate == d;
  plan_blocks(job);
  take_all(job);
  job->memory = calloc(job->used, 1);
  if (!job->memory)
    return false;
  take_all(job);
  fill_tables(job);
  for (int d = 0; d < VT_GLRLM_N_DIRECTIONS; d++) {
    for (int k = 0; k < job->n_sums; k++)
      job->slide[d].sums[k].reach = reach_of(job, k);
    if (job->detail == BY_LEVEL)
      job->slide[d].levels.reach = job->side < 2 ? 1 : 2;
  }
  return true;
}

static VitrailStatus
fast_map(const VtCpuGlrlmMap *args, const VtCancel *cancel)
{
  Job job;
  if (args->feature == VT_GLRLM_RE || 3 * args->step > 2 * args->half + 1)
    return vt_cpu_glrlm_serial_map(args, cancel);
  if (!job_init(&job, args))
    return VITRAIL_OUT_OF_MEMORY;
  VitrailStatus status = VITRAIL_OK;
  for (int64_t j = 0; j < args->dst.height && status == VITRAIL_OK; j += job.max_rows)
    for (int64_t i = 0; i < args->dst.width && status == VITRAIL_OK; i += job.max_windows) {
      const int64_t n = args->dst.width - i, rows = args->dst.height - j;
      status = run_block(&job, i, j, n < job.max_windows ? n : job.max_windows,
                         rows < job.max_rows ? rows : job.max_rows, cancel);
    }
  free(job.memory);
  return status;
}

VitrailStatus
vt_cpu_glrlm_fast(VtDevice *device, const VtGlrlmWindows *args, const VtCancel *cancel)
{
  return vt_cpu_glrlm_each_map(args, fast_map, cancel);
}
