/* SPDX-License-Identifier: MIT
 *
 * entropy.c: run entropy in sliding windows. Of N runs, n of them of a level and length each,
 *   -(sum of n / N * log2(n / N)) = (N * log2(N) - sum of n * log2(n)) / N
 * so the sum goes down a column of windows as counts by level and length change: a row that goes out shortens the runs that
 * begin in it, and one that comes in lengthens those that end in it.
 *
 * n * log2(n) is an integer times 2^-43, off by less than 2^-44 and 2^-52 of itself: sums do not depend on their order. An
 * entropy is off by less than that, and the definition's own, of terms that are each off by a few last places, by less than
 * `error`. Where both do not decide the float the window is done again by the definition. */
#include "planes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ACROSS = 64, DOWN = 192 }; /* of a block: pixels, so few that they stay in the cache */
enum { FIXED_BITS = 43 };

typedef struct Plan {
  const VtGlrlmWindows *args;
  const VtCpuGlrlmMaps *maps;
  const VtCancel *cancel;
  double error;
  uint64_t *whole, *more; /* n * log2(n), to the window's pixels; what a count adds as it grows by one, and 0 */
  int32_t side, n_pixels;
  VtCpuBlocks blocks;
  bool direction[VT_GLRLM_N_DIRECTIONS];
} Plan;

typedef struct Work { /* of one thread */
  Plan *plan;
  VtCpuBlock block;
  VtCpuRuns runs;
  uint16_t *counts; /* [level][length], of no level and no length too */
  double *means;    /* of the block's windows, over the directions */
  VtCpuPart part;   /* the block's windows */
} Work;

/* A column of windows on its way down. */
typedef struct Column {
  uint16_t *counts;
  const uint64_t *more;
  uint64_t sum;
  int32_t n_runs, pitch, none;
} Column;

/* A run of `fewer` pixels less, and one of `longer` pixels more; 0: none. No branches: what is not there has a count, too, that
 * nobody reads. */
static inline void
change(Column *c, int32_t level, int32_t fewer, int32_t longer)
{
  uint16_t *of_level = c->counts + level * c->pitch;
  const int32_t n_fewer = of_level[fewer] - 1, n_longer = of_level[longer];
  of_level[fewer] = (uint16_t)n_fewer;
  of_level[longer] = (uint16_t)(n_longer + 1);
  c->sum += c->more[longer ? n_longer : c->none] - c->more[fewer ? n_fewer : c->none];
}

static inline int32_t
least(int32_t a, int32_t b)
{
  return a < b ? a : b;
}

/* Along rows: all runs of one come in, or go out. ahead: from the right. */
static void
take_row(Column *c, const uint16_t *level, const uint8_t *back, const uint8_t *ahead, int32_t side, bool in)
{
  for (int32_t k = 0; k < side; k++) {
    if (level[k] == 0 || (ahead[-k] != 1 && k + 1 < side))
      continue;
    const int32_t length = least(back[k], k + 1);
    change(c, level[k], in ? 0 : length, in ? length : 0);
    c->n_runs += in ? 1 : -1;
  }
}

/* Along columns and diagonals: runs that end above gain a pixel, or others begin. above: rows of the window above. */
static void
take_in(Column *c, const uint16_t *level, const uint8_t *back, int32_t side, bool diagonal, int32_t above)
{
  for (int32_t k = 0; k < side; k++) {
    const int32_t length = least(back[k], (diagonal ? least(k, above) : above) + 1);
    change(c, level[k], length - (length > 0), length);
    c->n_runs += length == 1;
  }
}

/* Runs that begin in the first row lose their first pixel. */
static void
take_out(Column *c, const uint16_t *level, const uint8_t *ahead, int32_t side, bool diagonal)
{
  for (int32_t k = 0; k < side; k++) {
    const int32_t length = least(ahead[-k], diagonal ? side - k : side);
    change(c, level[k], length, length - (length > 0));
    c->n_runs -= length == 1;
  }
}

static void
step_row(Column *c, const VtCpuRuns *runs, int64_t x, int64_t y, bool in, int32_t above)
{
  const VtCpuBlock *b = runs->block;
  const uint16_t *level = runs->level + y * b->stride + x;
  const uint8_t *back = runs->back + y * b->stride + x, *ahead = runs->ahead + y * b->stride + b->width - 1 - x;
  const bool diagonal = runs->along == VT_CPU_ALONG_DIAGONAL;
  if (runs->along == VT_CPU_ALONG_ROW)
    take_row(c, level, back, ahead, b->side, in);
  else if (in)
    take_in(c, level, back, b->side, diagonal, above);
  else
    take_out(c, level, ahead, b->side, diagonal);
}

/* Rounds the value of window (i,j); false: it has to be made again. */
static bool
put(const Plan *plan, const VtImage *map, int64_t i, int64_t j, double value)
{
  *(float *)vt_image_at(map, i, j) = (float)value;
  return !(value > 0) || (float)(value - plan->error) == (float)(value + plan->error);
}

static VitrailStatus
finish(const Work *work, int aggregate, int64_t i, int64_t j, double value)
{
  const Plan *plan = work->plan;
  const VtImage *map = plan->maps->map[aggregate][VT_GLRLM_RE];
  if (!map || put(plan, map, i, j, value))
    return VITRAIL_OK;
  return vt_cpu_glrlm_again(plan->args, plan->maps, i, j, 1u << VT_GLRLM_RE, plan->cancel);
}

/* A column of the block's windows, in one direction. */
static VitrailStatus
run_column(Work *work, int direction, int64_t i)
{
  const Plan *plan = work->plan;
  const int64_t step = plan->args->step, n = (work->part.rows - 1) * step + plan->side;
  const int64_t x = direction == VT_GLRLM_DIR_M1_1 ? work->block.width - plan->side - i * step : i * step;
  const int32_t pitch = plan->side + 1;
  Column c = { work->counts, plan->more, 0, 0, pitch, plan->n_pixels };
  VitrailStatus status = VITRAIL_OK;
  memset(c.counts, 0, (size_t)((plan->args->n_levels + 1) * pitch) * sizeof *c.counts);
  for (int64_t y = 0; y < n && status == VITRAIL_OK; y++) {
    if (y >= plan->side)
      step_row(&c, &work->runs, x, y - plan->side, false, 0);
    step_row(&c, &work->runs, x, y, true, (int32_t)(y < plan->side ? y : plan->side - 1));
    const int64_t j = (y - plan->side + 1) / step;
    if (y + 1 < plan->side || j * step != y - plan->side + 1)
      continue;
    /* Runs of one kind have no entropy; of no runs no number. */
    const double value =
      c.n_runs ? ldexp((double)(plan->whole[c.n_runs] - c.sum), -FIXED_BITS) / c.n_runs : (double)NAN;
    work->means[j * work->part.n + i] += value;
    status = finish(work, direction, work->part.i + i, work->part.j + j, value);
  }
  return status;
}

static VitrailStatus
run_block(Work *work)
{
  Plan *plan = work->plan;
  const VtGlrlmWindows *a = plan->args;
  VtCpuBlock *b = &work->block;
  VitrailStatus status = VITRAIL_OK;
  b->width = (work->part.n - 1) * a->step + plan->side;
  b->height = (work->part.rows - 1) * a->step + plan->side;
  b->stride = b->width;
  vt_cpu_block_fill(b, &a->src, a->x0 + work->part.i * a->step - a->half, a->y0 + work->part.j * a->step - a->half);
  memset(work->means, 0, (size_t)(work->part.n * work->part.rows) * sizeof *work->means);
  for (int d = 0; d < VT_GLRLM_N_DIRECTIONS; d++) {
    const bool mirrored = d == VT_GLRLM_DIR_M1_1;
    if (!plan->direction[d])
      continue;
    work->runs.along = d == VT_GLRLM_DIR_1_0   ? VT_CPU_ALONG_ROW
                       : d == VT_GLRLM_DIR_0_1 ? VT_CPU_ALONG_COLUMN
                                               : VT_CPU_ALONG_DIAGONAL;
    work->runs.level = mirrored ? b->mirror : b->level;
    work->runs.mirror = mirrored ? b->level : b->mirror;
    vt_cpu_runs_fill(&work->runs);
    for (int64_t i = 0; i < work->part.n && status == VITRAIL_OK; i++)
      status = vt_cancelled(plan->cancel) ? VITRAIL_CANCELLED : run_column(work, d, i);
  }
  for (int64_t k = 0; k < work->part.n * work->part.rows && status == VITRAIL_OK; k++)
    status = finish(work, VT_GLRLM_MEAN, work->part.i + k % work->part.n, work->part.j + k / work->part.n,
                    work->means[k] / VT_GLRLM_N_DIRECTIONS);
  return status;
}

static bool
open_work(Work *work)
{
  const Plan *plan = work->plan;
  const size_t windows = (size_t)(plan->blocks.max_windows * plan->blocks.max_rows), step = (size_t)plan->args->step;
  const size_t side = (size_t)plan->side, n_counts = ((size_t)plan->args->n_levels + 1) * (side + 1);
  const size_t pixels =
    (((size_t)plan->blocks.max_windows - 1) * step + side) * (((size_t)plan->blocks.max_rows - 1) * step + side);
  work->means = malloc(windows * sizeof *work->means + (n_counts + 2 * pixels) * sizeof(uint16_t) + 2 * pixels);
  if (!work->means)
    return false;
  work->counts = (uint16_t *)(work->means + windows);
  work->block.level = work->counts + n_counts;
  work->block.mirror = work->block.level + pixels;
  work->block.side = plan->side;
  work->runs.block = &work->block;
  work->runs.back = (uint8_t *)(work->block.mirror + pixels);
  work->runs.ahead = work->runs.back + pixels;
  return true;
}

/* One thread: takes blocks until there are none. */
static void
work_on(void *user, uint32_t index)
{
  Plan *plan = user;
  Work work = { .plan = plan };
  VitrailStatus status = open_work(&work) ? VITRAIL_OK : VITRAIL_OUT_OF_MEMORY;
  while (status == VITRAIL_OK && vt_cpu_blocks_take(&plan->blocks, &work.part))
    status = run_block(&work);
  vt_cpu_blocks_end(&plan->blocks, status);
  free(work.means);
}

static bool
fill_tables(Plan *plan)
{
  const size_t n = (size_t)plan->n_pixels + 1;
  plan->whole = malloc(2 * n * sizeof *plan->whole);
  if (!plan->whole)
    return false;
  plan->more = plan->whole + n;
  for (int32_t k = 0; k <= plan->n_pixels; k++)
    plan->whole[k] = k ? (uint64_t)llrint(ldexp(k * log2(k), FIXED_BITS)) : 0;
  for (int32_t k = 0; k <= plan->n_pixels; k++)
    plan->more[k] = k < plan->n_pixels ? plan->whole[k + 1] - plan->whole[k] : 0;
  return true;
}

VitrailStatus
vt_cpu_glrlm_entropies(VtDevice *device, const VtGlrlmWindows *args, const VtCpuGlrlmMaps *maps, const VtCancel *cancel)
{
  const uint32_t n_threads = vt_cpu_n_threads(device);
  const int64_t side = 2 * args->half + 1, step = args->step;
  Plan plan = {
    .args = args, .maps = maps, .cancel = cancel, .side = (int32_t)side, .n_pixels = (int32_t)(side * side)
  };
  plan.error = 4e-16 * (double)(side * side + 64) * log2((double)(side * side)); /* as on CUDA */
  vt_cpu_blocks_cut(&plan.blocks, args, ACROSS / step + 1, (DOWN + 4 * side) / step, n_threads);
  for (int d = 0; d < VT_GLRLM_N_DIRECTIONS; d++)
    plan.direction[d] = args->aggregates >> d & 1 || args->aggregates >> VT_GLRLM_MEAN & 1;
  if (!fill_tables(&plan))
    return VITRAIL_OUT_OF_MEMORY;
  const int64_t n_blocks = plan.blocks.n_across * plan.blocks.n_down;
  vt_cpu_parallel_for(device, n_blocks < n_threads ? (uint32_t)n_blocks : n_threads, work_on, &plan);
  free(plan.whole);
  return atomic_load(&plan.blocks.status);
}
