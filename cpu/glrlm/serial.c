/* SPDX-License-Identifier: MIT
 *
 * The optimised serial method of Zhang et al. 2019 (GPU-accelerated GLRLM algorithm for feature extraction of MRI): for
 * each direction an array holds, for every pixel, how far its run still goes, built once against the direction. A
 * window then walks its lines in steps of min(array, way to the window's edge), one step per run. Here the array is
 * capped at the window's side, so that it fits a byte, and only the sums that the feature needs are kept instead of the
 * matrix. */
#include "glrlm.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct Job {
  const VtCpuGlrlmMap *args;
  int64_t width, height;
  uint8_t *left[VT_GLRLM_N_DIRECTIONS]; /* run length still to go, by pixel; NULL: direction not wanted */
  uint16_t *levels;
  VtCpuGlrlmPlan plan;
  uint64_t *sums;
  uint64_t *short_low; /* by cell, what a run adds to SRLGE; NULL: another feature */
  int32_t side;
} Job;

typedef struct Box {
  int64_t x0, y0, x1, y1; /* the window, last pixel included */
} Box;

typedef struct Count {
  uint64_t runs, pixels;
} Count;

static void
build_left(const Job *job, int direction)
{
  const int dx = vt_cpu_glrlm_dx[direction], dy = vt_cpu_glrlm_dy[direction];
  const int64_t step = dy * job->width + dx;
  for (int64_t y = job->height; y-- > 0;) {
    const uint16_t *level = job->levels + y * job->width;
    uint8_t *left = job->left[direction] + y * job->width;
    for (int64_t x = job->width; x-- > 0;) {
      const bool inside = x + dx >= 0 && x + dx < job->width && y + dy < job->height;
      left[x] = inside && level[x + step] == level[x] ? left[x + step] + (left[x + step] < job->side) : 1;
    }
  }
}

static void
walk_line(const Job *job, int direction, int64_t x, int64_t y, int64_t n, Count *count)
{
  const int64_t step = vt_cpu_glrlm_dy[direction] * job->width + vt_cpu_glrlm_dx[direction];
  const uint8_t *left = job->left[direction];
  for (int64_t at = y * job->width + x; n > 0;) {
    const int64_t length = left[at] < n ? left[at] : n, level = job->levels[at];
    if (level > 0) {
      job->sums[(level - 1) * job->plan.level_step + (length - 1) * job->plan.length_step] +=
        (uint64_t)((job->plan.weigh_level ? level * level : 1) * (job->plan.weigh_length ? length * length : 1));
      count->runs++;
      count->pixels += (uint64_t)length;
    }
    at += length * step;
    n -= length;
  }
}

static inline int64_t
smaller(int64_t a, int64_t b)
{
  return a < b ? a : b;
}

/* All lines of the window, each from the pixel where it comes in. */
static void
walk_window(const Job *job, int direction, const Box *b, Count *count)
{
  const int64_t w = b->x1 - b->x0 + 1, h = b->y1 - b->y0 + 1;
  switch (direction) {
  case VT_GLRLM_DIR_1_0:
    for (int64_t y = 0; y < h; y++)
      walk_line(job, direction, b->x0, b->y0 + y, w, count);
    break;
  case VT_GLRLM_DIR_0_1:
    for (int64_t x = 0; x < w; x++)
      walk_line(job, direction, b->x0 + x, b->y0, h, count);
    break;
  case VT_GLRLM_DIR_1_1:
    for (int64_t x = 0; x < w; x++)
      walk_line(job, direction, b->x0 + x, b->y0, smaller(w - x, h), count);
    for (int64_t y = 1; y < h; y++)
      walk_line(job, direction, b->x0, b->y0 + y, smaller(w, h - y), count);
    break;
  default:
    for (int64_t x = 0; x < w; x++)
      walk_line(job, direction, b->x1 - x, b->y0, smaller(w - x, h), count);
    for (int64_t y = 1; y < h; y++)
      walk_line(job, direction, b->x1, b->y0 + y, smaller(w, h - y), count);
  }
}

static void
clear_sums(const Job *job)
{
  memset(job->sums, 0, (size_t)job->plan.size * sizeof *job->sums);
}

static double
feature_of(const Job *job, const Count *count)
{
  const VtCpuGlrlmMap *a = job->args;
  VtCpuWide sum = 0;
  if (!job->short_low)
    return vt_cpu_glrlm_feature(a->feature, job->sums, a->n_levels, job->side, count->runs, count->pixels);
  for (int64_t k = 0; k < job->plan.size; k++)
    sum += (VtCpuWide)job->sums[k] * job->short_low[k];
  return count->runs ? vt_cpu_glrlm_short_low_mean(sum, count->runs) : (double)NAN;
}

static float
window_value(const Job *job, const Box *box)
{
  const VtCpuGlrlmMap *a = job->args;
  Count count = { 0 };
  double total = 0;
  int n = 0;
  if (box->x0 > box->x1 || box->y0 > box->y1)
    return NAN;
  clear_sums(job);
  for (int direction = 0; direction < VT_GLRLM_N_DIRECTIONS; direction++) {
    if (!job->left[direction])
      continue;
    walk_window(job, direction, box, &count);
    if (a->aggregate == VT_GLRLM_MERGED)
      continue;
    total += feature_of(job, &count);
    n++;
    count = (Count){ 0 };
    clear_sums(job);
  }
  if (a->aggregate == VT_GLRLM_MERGED)
    total = feature_of(job, &count), n = 1;
  return (float)(total / n);
}

static VitrailStatus
run_job(const Job *job, const VtCancel *cancel)
{
  const VtCpuGlrlmMap *a = job->args;
  for (int64_t y = 0; y < job->height; y++)
    for (int64_t x = 0; x < job->width; x++)
      job->levels[y * job->width + x] =
        (uint16_t)vt_cpu_glrlm_level(vt_image_at(&a->src, 0, y), x, a->src.type == VITRAIL_U16);
  for (int direction = 0; direction < VT_GLRLM_N_DIRECTIONS; direction++)
    if (job->left[direction])
      build_left(job, direction);
  for (int64_t j = 0; j < a->dst.height; j++) {
    float *out = vt_image_at(&a->dst, 0, j);
    const int64_t cy = a->y0 + j * a->step;
    for (int64_t i = 0; i < a->dst.width; i++) {
      const int64_t cx = a->x0 + i * a->step;
      const Box box = { cx > a->half ? cx - a->half : 0, cy > a->half ? cy - a->half : 0,
                        smaller(cx + a->half, job->width - 1), smaller(cy + a->half, job->height - 1) };
      out[i] = window_value(job, &box);
      if ((i & 1023) == 0 && vt_cancelled(cancel))
        return VITRAIL_CANCELLED;
    }
  }
  return VITRAIL_OK;
}

VitrailStatus
vt_cpu_glrlm_serial_map(const VtCpuGlrlmMap *args, const VtCancel *cancel)
{
  Job job = { .args = args, .width = args->src.width, .height = args->src.height, .side = 2 * args->half + 1 };
  size_t n;
  if (__builtin_mul_overflow((size_t)job.width, (size_t)job.height, &n) || n > SIZE_MAX / 8)
    return VITRAIL_OUT_OF_MEMORY;
  job.plan = vt_cpu_glrlm_plan(args->feature, args->n_levels, job.side);
  job.sums = malloc(2 * (size_t)job.plan.size * sizeof *job.sums);
  job.levels = malloc(n * (sizeof *job.levels + VT_GLRLM_N_DIRECTIONS));
  VitrailStatus status = job.sums && job.levels ? VITRAIL_OK : VITRAIL_OUT_OF_MEMORY;
  for (int direction = 0; direction < VT_GLRLM_N_DIRECTIONS && status == VITRAIL_OK; direction++)
    if (args->aggregate >= VT_GLRLM_MEAN || args->aggregate == direction)
      job.left[direction] = (uint8_t *)(job.levels + n) + (size_t)direction * n;
  if (status == VITRAIL_OK && args->feature == VT_GLRLM_SRLGE) {
    job.short_low = job.sums + job.plan.size;
    for (int32_t k = 0; k < job.plan.size; k++)
      job.short_low[k] = vt_cpu_glrlm_short_low(1 + k / job.side, 1 + k % job.side);
  }
  if (status == VITRAIL_OK)
    status = run_job(&job, cancel);
  free(job.sums);
  free(job.levels);
  return status;
}

VitrailStatus
vt_cpu_glrlm_serial(VtDevice *device, const VtGlrlmWindows *args, const VtCancel *cancel)
{
  return vt_cpu_glrlm_each_map(args, vt_cpu_glrlm_serial_map, cancel);
}
