/* SPDX-License-Identifier: MIT
 *
 * The optimised serial method of Zhang et al. 2019 (GPU-accelerated GLRLM algorithm for feature extraction of MRI): for
 * each direction an array holds, for every pixel, how far its run still goes, built once against the direction. A
 * window then walks its lines in steps of min(array, way to the window's edge), one step per run. Here the array is
 * capped at the window's side, so that it fits a byte, and only the sums that the features need are kept instead of the
 * matrix: one walk makes those of all features. */
#include "glrlm.h"
#include "../big-alloc.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What is summed, by whom it is needed: see vt_cpu_glrlm_plan. */
enum { BY_LENGTH = 1, BY_LENGTH_WEIGHED = 2, BY_LEVEL = 4, BY_LEVEL_WEIGHED = 8, LOW = 16, CELLS = 32 };

typedef struct Sums { /* of one direction, or of all */
  uint64_t *length[2], *level[2], *cells;
  VtCpuWide low;
  uint64_t runs, pixels;
} Sums;

typedef struct Job {
  const VtGlrlmWindows *args;
  const VtCpuGlrlmMaps *maps;
  uint32_t features, kinds;
  int64_t width, height;
  uint8_t *left[VT_GLRLM_N_DIRECTIONS]; /* run length still to go, by pixel; NULL: direction not wanted */
  uint16_t *levels;
  uint64_t *short_low; /* by cell, what a run adds to SRLGE */
  size_t n_sums;       /* of a Sums, which starts at length[0] */
  Sums sums, merged;
  int32_t side;
} Job;

static uint32_t
kind_of(int32_t feature)
{
  const VtCpuGlrlmPlan plan = vt_cpu_glrlm_plan(feature, 1, 1);
  if (feature == VT_GLRLM_SRLGE)
    return LOW;
  if (plan.level_step && plan.length_step)
    return CELLS;
  if (plan.length_step)
    return plan.weigh_level ? BY_LENGTH_WEIGHED : BY_LENGTH;
  return plan.weigh_length ? BY_LEVEL_WEIGHED : BY_LEVEL;
}

typedef struct Box {
  int64_t x0, y0, x1, y1; /* the window, last pixel included */
} Box;

static VitrailStatus
build_left(const Job *job, int direction, const VtCancel *cancel)
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
    if (vt_cpu_cancelled_at(cancel, y))
      return VITRAIL_CANCELLED;
  }
  return VITRAIL_OK;
}

static inline __attribute__((always_inline)) void
walk_line(const Job *job, uint32_t kinds, int direction, int64_t x, int64_t y, int64_t n, Sums *sums)
{
  const int64_t step = vt_cpu_glrlm_dy[direction] * job->width + vt_cpu_glrlm_dx[direction];
  const uint8_t *left = job->left[direction];
  for (int64_t at = y * job->width + x; n > 0;) {
    const int64_t length = left[at] < n ? left[at] : n, level = job->levels[at];
    if (level > 0) {
      const int64_t cell = (level - 1) * job->side + length - 1;
      if (kinds & BY_LENGTH)
        sums->length[0][length - 1]++;
      if (kinds & BY_LENGTH_WEIGHED)
        sums->length[1][length - 1] += (uint64_t)(level * level);
      if (kinds & BY_LEVEL)
        sums->level[0][level - 1]++;
      if (kinds & BY_LEVEL_WEIGHED)
        sums->level[1][level - 1] += (uint64_t)(length * length);
      if (kinds & LOW)
        sums->low += job->short_low[cell];
      if (kinds & CELLS)
        sums->cells[cell]++;
      sums->runs++;
      sums->pixels += (uint64_t)length;
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
static inline __attribute__((always_inline)) void
walk_lines(const Job *job, uint32_t kinds, int direction, const Box *b, Sums *sums)
{
  const int64_t w = b->x1 - b->x0 + 1, h = b->y1 - b->y0 + 1;
  switch (direction) {
  case VT_GLRLM_DIR_1_0:
    for (int64_t y = 0; y < h; y++)
      walk_line(job, kinds, direction, b->x0, b->y0 + y, w, sums);
    break;
  case VT_GLRLM_DIR_0_1:
    for (int64_t x = 0; x < w; x++)
      walk_line(job, kinds, direction, b->x0 + x, b->y0, h, sums);
    break;
  case VT_GLRLM_DIR_1_1:
    for (int64_t x = 0; x < w; x++)
      walk_line(job, kinds, direction, b->x0 + x, b->y0, smaller(w - x, h), sums);
    for (int64_t y = 1; y < h; y++)
      walk_line(job, kinds, direction, b->x0, b->y0 + y, smaller(w, h - y), sums);
    break;
  default:
    for (int64_t x = 0; x < w; x++)
      walk_line(job, kinds, direction, b->x1 - x, b->y0, smaller(w - x, h), sums);
    for (int64_t y = 1; y < h; y++)
      walk_line(job, kinds, direction, b->x1, b->y0 + y, smaller(w, h - y), sums);
  }
}

/* The kinds of the paper's features, and of a single one, are known where the loops are made. */
static void
walk_window(const Job *job, int direction, const Box *b, Sums *sums)
{
  enum { PAPER = BY_LENGTH | BY_LENGTH_WEIGHED | BY_LEVEL | BY_LEVEL_WEIGHED | LOW };
  switch (job->kinds) {
  case PAPER: walk_lines(job, PAPER, direction, b, sums); break;
  case BY_LENGTH: walk_lines(job, BY_LENGTH, direction, b, sums); break;
  case BY_LENGTH_WEIGHED: walk_lines(job, BY_LENGTH_WEIGHED, direction, b, sums); break;
  case BY_LEVEL: walk_lines(job, BY_LEVEL, direction, b, sums); break;
  case BY_LEVEL_WEIGHED: walk_lines(job, BY_LEVEL_WEIGHED, direction, b, sums); break;
  case LOW: walk_lines(job, LOW, direction, b, sums); break;
  default: walk_lines(job, job->kinds, direction, b, sums);
  }
}

static void
clear_sums(const Job *job, Sums *sums)
{
  memset(sums->length[0], 0, job->n_sums * sizeof(uint64_t));
  sums->low = 0;
  sums->runs = sums->pixels = 0;
}

static void
merge_sums(Job *job)
{
  for (size_t k = 0; k < job->n_sums; k++)
    job->merged.length[0][k] += job->sums.length[0][k];
  job->merged.low += job->sums.low;
  job->merged.runs += job->sums.runs;
  job->merged.pixels += job->sums.pixels;
}

static double
feature_of(const Job *job, const Sums *sums, int32_t feature)
{
  const uint64_t *of = sums->cells;
  switch (kind_of(feature)) {
  case BY_LENGTH: of = sums->length[0]; break;
  case BY_LENGTH_WEIGHED: of = sums->length[1]; break;
  case BY_LEVEL: of = sums->level[0]; break;
  case BY_LEVEL_WEIGHED: of = sums->level[1]; break;
  case LOW: return sums->runs ? vt_cpu_glrlm_short_low_mean(sums->low, sums->runs) : (double)NAN;
  }
  return vt_cpu_glrlm_feature(feature, of, job->args->n_levels, job->side, sums->runs, sums->pixels);
}

/* The features of one direction at map pixel (i,j), and into the means. */
static void
finish_direction(const Job *job, int direction, int64_t i, int64_t j, double mean[VT_GLRLM_N_FEATURES])
{
  const bool averaged = job->args->aggregates >> VT_GLRLM_MEAN & 1;
  for (uint32_t left = job->features; left; left &= left - 1) {
    const int32_t feature = __builtin_ctz(left);
    const VtImage *map = job->maps->map[direction][feature];
    if (!map && !averaged)
      continue;
    const double value = feature_of(job, &job->sums, feature);
    mean[feature] += value;
    if (map)
      *(float *)vt_image_at(map, i, j) = (float)value;
  }
}

static void
finish_window(const Job *job, int64_t i, int64_t j, const double mean[VT_GLRLM_N_FEATURES], bool empty)
{
  for (uint32_t left = job->features; left; left &= left - 1) {
    const int32_t feature = __builtin_ctz(left);
    const VtImage *averaged = job->maps->map[VT_GLRLM_MEAN][feature],
                  *merged = job->maps->map[VT_GLRLM_MERGED][feature];
    for (int d = 0; d < VT_GLRLM_N_DIRECTIONS && empty; d++)
      if (job->maps->map[d][feature])
        *(float *)vt_image_at(job->maps->map[d][feature], i, j) = NAN;
    if (averaged)
      *(float *)vt_image_at(averaged, i, j) = empty ? NAN : (float)(mean[feature] / VT_GLRLM_N_DIRECTIONS);
    if (merged)
      *(float *)vt_image_at(merged, i, j) = empty ? NAN : (float)feature_of(job, &job->merged, feature);
  }
}

static void
one_window(Job *job, const Box *box, int64_t i, int64_t j)
{
  const bool empty = box->x0 > box->x1 || box->y0 > box->y1, merge = job->args->aggregates >> VT_GLRLM_MERGED & 1;
  double mean[VT_GLRLM_N_FEATURES] = { 0 };
  if (merge)
    clear_sums(job, &job->merged);
  for (int direction = 0; direction < VT_GLRLM_N_DIRECTIONS && !empty; direction++) {
    if (!job->left[direction])
      continue;
    clear_sums(job, &job->sums);
    walk_window(job, direction, box, &job->sums);
    finish_direction(job, direction, i, j, mean);
    if (merge)
      merge_sums(job);
  }
  finish_window(job, i, j, mean, empty);
}

static VitrailStatus
run_job(Job *job, const VtCancel *cancel)
{
  const VtGlrlmWindows *a = job->args;
  VitrailStatus status = VITRAIL_OK;
  for (int64_t y = 0; y < job->height; y++) {
    for (int64_t x = 0; x < job->width; x++)
      job->levels[y * job->width + x] =
        (uint16_t)vt_cpu_glrlm_level(vt_image_at(&a->src, 0, y), x, a->src.type == VITRAIL_U16);
    if (vt_cpu_cancelled_at(cancel, y))
      return VITRAIL_CANCELLED;
  }
  for (int direction = 0; direction < VT_GLRLM_N_DIRECTIONS && status == VITRAIL_OK; direction++)
    if (job->left[direction])
      status = build_left(job, direction, cancel);
  if (status != VITRAIL_OK)
    return status;
  for (int64_t j = 0; j < a->dst[0].height; j++) {
    const int64_t cy = a->y0 + j * a->step;
    for (int64_t i = 0; i < a->dst[0].width; i++) {
      const int64_t cx = a->x0 + i * a->step;
      const Box box = { cx > a->half ? cx - a->half : 0, cy > a->half ? cy - a->half : 0,
                        smaller(cx + a->half, job->width - 1), smaller(cy + a->half, job->height - 1) };
      one_window(job, &box, i, j);
      if ((i & 255) == 0 && vt_cancelled(cancel))
        return VITRAIL_CANCELLED;
    }
  }
  return VITRAIL_OK;
}

static uint64_t *
point_sums(const Job *job, Sums *sums, uint64_t *at)
{
  for (int k = 0; k < 2; k++, at += job->side)
    sums->length[k] = at;
  for (int k = 0; k < 2; k++, at += job->args->n_levels)
    sums->level[k] = at;
  sums->cells = at;
  return sums->length[0] + job->n_sums;
}

VitrailStatus
vt_cpu_glrlm_walk(const VtGlrlmWindows *args, const VtCpuGlrlmMaps *maps, uint32_t features, const VtCancel *cancel)
{
  Job job = { .args = args, .maps = maps, .features = features, .side = 2 * args->half + 1 };
  const size_t n_cells = (size_t)args->n_levels * (size_t)job.side;
  size_t n;
  job.width = args->src.width;
  job.height = args->src.height;
  if (__builtin_mul_overflow((size_t)job.width, (size_t)job.height, &n) || n > SIZE_MAX / 8)
    return VITRAIL_OUT_OF_MEMORY;
  for (uint32_t left = features; left; left &= left - 1)
    job.kinds |= kind_of(__builtin_ctz(left));
  job.n_sums = 2 * (size_t)job.side + 2 * (size_t)args->n_levels + (job.kinds & CELLS ? n_cells : 0);
  uint64_t *sums = malloc((2 * job.n_sums + n_cells) * sizeof *sums);
  job.levels = vt_cpu_big_alloc(n * (sizeof *job.levels + VT_GLRLM_N_DIRECTIONS));
  VitrailStatus status = sums && job.levels ? VITRAIL_OK : VITRAIL_OUT_OF_MEMORY;
  for (int direction = 0; direction < VT_GLRLM_N_DIRECTIONS && status == VITRAIL_OK; direction++)
    if (args->aggregates >> VT_GLRLM_MEAN || args->aggregates >> direction & 1)
      job.left[direction] = (uint8_t *)(job.levels + n) + (size_t)direction * n;
  if (status == VITRAIL_OK) {
    job.short_low = point_sums(&job, &job.merged, point_sums(&job, &job.sums, sums));
    for (size_t k = 0; k < n_cells && job.kinds & LOW; k++)
      job.short_low[k] = vt_cpu_glrlm_short_low(1 + (int32_t)k / job.side, 1 + (int32_t)k % job.side);
    status = run_job(&job, cancel);
  }
  free(sums);
  free(job.levels);
  return status;
}

VitrailStatus
vt_cpu_glrlm_again(const VtGlrlmWindows *call, const VtCpuGlrlmMaps *of, int64_t i, int64_t j, uint32_t features,
                   const VtCancel *cancel)
{
  VtGlrlmWindows args = *call;
  const VtImage *src = &call->src;
  const int64_t half = args.half, x = args.x0 + i * args.step, y = args.y0 + j * args.step;
  const int64_t left = x > half ? x - half : 0, right = x + half < src->width ? x + half + 1 : src->width;
  const int64_t top = y > half ? y - half : 0, bottom = y + half < src->height ? y + half + 1 : src->height;
  VtImage view[VT_GLRLM_MERGED][VT_GLRLM_N_FEATURES];
  VtCpuGlrlmMaps maps = { 0 };
  for (int aggregate = 0; aggregate < VT_GLRLM_MERGED; aggregate++)
    for (int f = 0; f < VT_GLRLM_N_FEATURES; f++)
      if (of->map[aggregate][f]) {
        view[aggregate][f] = vt_image_window(of->map[aggregate][f], i, j, 1, 1);
        maps.map[aggregate][f] = args.dst = &view[aggregate][f];
      }
  args.src = vt_image_window(src, left, top, right - left, bottom - top);
  args.x0 = x - left;
  args.y0 = y - top;
  return vt_cpu_glrlm_walk(&args, &maps, features, cancel);
}

VitrailStatus
vt_cpu_glrlm_serial(VtDevice *device, const VtGlrlmWindows *args, const VtCancel *cancel)
{
  VtCpuGlrlmMaps maps;
  const VitrailStatus status = vt_cpu_glrlm_maps(args, &maps, cancel);
  return status == VITRAIL_OK ? vt_cpu_glrlm_walk(args, &maps, args->features, cancel) : status;
}
