/* SPDX-License-Identifier: MIT
 *
 * Windows at a cost that does not grow with their area: sums slide from window to window (planes.h), and all features and
 * aggregates of a call share them (windows.h). All sums are integers, so the result is that of serial.c to the bit. Run
 * entropy has a way of its own (entropy.c); of merged directions it is left to serial.c, as are windows far apart, which share
 * nothing. Blocks of windows are worked out on their own, so any number of threads takes them. */
#include "../simd.h"
#include "windows.h"

#include <stdlib.h>
#include <string.h>

enum { ACROSS = 256, DOWN = 512 };

typedef struct Plan { /* of a call: read by all threads */
  const VtGlrlmWindows *args;
  const VtCancel *cancel;
  const VtCpuWindows *windows;
  VtCpuGlrlmMaps maps;
  VtCpuWanted wanted;
  bool direction[VT_GLRLM_N_DIRECTIONS];
  VtCpuBlocks blocks;
  void *tables;
} Plan;

typedef struct Work { /* of one thread */
  Plan *plan;
  VtCpuBlock block;
  VtCpuSlide slide[VT_GLRLM_N_DIRECTIONS];
  double *mean[VT_GLRLM_N_FEATURES];
  uint32_t *unsure;
  VtCpuMerged merged;
  char *columns; /* all columns of all directions: columns_size bytes */
  size_t columns_size;
  char *memory;
  size_t used; /* of memory */
} Work;

/* --- memory: the same walk counts the bytes (memory NULL) and hands them out --- */

static void *
take(Work *work, size_t n, size_t size)
{
  void *at = work->memory ? work->memory + work->used : NULL;
  work->used += (n * size + 63) / 64 * 64;
  return at;
}

/* Columns of n cells with one before and one behind. */
static void *
take_columns(Work *work, size_t n, size_t size)
{
  char *at = take(work, (size_t)work->block.width + 2, n * size);
  return at ? at + n * size : NULL;
}

static void
take_slide(Work *work, int direction)
{
  const VtCpuWanted *want = &work->plan->wanted;
  VtCpuSlide *s = &work->slide[direction];
  const bool one = direction == VT_GLRLM_DIR_0_1; /* along columns both sets are the same */
  const size_t cell = want->wide ? 8 : 4;
  if (want->small_gain) {
    s->small_enter = take_columns(work, 1, sizeof(VtCpuSmallCell));
    s->small_leave = one ? s->small_enter : take_columns(work, 1, sizeof(VtCpuSmallCell));
    return;
  }
  if (want->by_level) {
    s->level_enter = take_columns(work, (size_t)want->bins, cell);
    s->level_leave = one ? s->level_enter : take_columns(work, (size_t)want->bins, cell);
  }
  if (want->by_length) {
    s->length_enter = take_columns(work, (size_t)want->lanes, cell);
    s->length_leave = one ? s->length_enter : take_columns(work, (size_t)want->lanes, cell);
  }
  if (want->short_low) {
    s->low_enter = take_columns(work, 1, 8);
    s->low_leave = one ? s->low_enter : take_columns(work, 1, 8);
  }
}

static void
take_planes(Work *work, int direction)
{
  VtCpuSlide *s = &work->slide[direction];
  const VtCpuBlock *b = &work->block;
  const size_t plane = (size_t)(b->stride * b->height);
  s->wanted = &work->plan->wanted;
  s->mirrored = direction == VT_GLRLM_DIR_M1_1;
  s->runs = (VtCpuRuns){ b,
                         direction == VT_GLRLM_DIR_1_0   ? VT_CPU_ALONG_ROW
                         : direction == VT_GLRLM_DIR_0_1 ? VT_CPU_ALONG_COLUMN
                                                         : VT_CPU_ALONG_DIAGONAL,
                         s->mirrored ? b->mirror : b->level, s->mirrored ? b->level : b->mirror };
  s->runs.back = take(work, plane, 1);
  s->runs.ahead = take(work, plane, 1);
}

/* n rows of windows, with room for a chunk before and behind. */
static void *
take_row(Work *work, size_t n, size_t size)
{
  char *at = take(work, n * (size_t)work->merged.pitch + 2 * VT_CPU_CHUNK, size);
  return at ? at + VT_CPU_CHUNK * size : NULL;
}

static void
take_merged(Work *work, VtCpuMerged *m)
{
  const VtCpuWanted *want = &work->plan->wanted;
  for (int k = 0; k < 2; k++) {
    m->level[k] = want->by_level ? take_row(work, (size_t)want->n_levels, 8) : NULL;
    m->length[k] = want->by_length ? take_row(work, (size_t)want->side, 8) : NULL;
  }
  m->low = want->short_low ? take_row(work, 1, 16) : NULL;
}

static void
take_all(Work *work)
{
  const Plan *plan = work->plan;
  const VtCpuBlock *b = &work->block;
  const size_t pixels = (size_t)(b->stride * b->height);
  work->used = 0;
  work->merged.pitch = plan->blocks.max_windows + 2 * VT_CPU_CHUNK;
  work->columns = take(work, 0, 0);
  for (int d = 0; d < VT_GLRLM_N_DIRECTIONS; d++)
    if (plan->direction[d])
      take_slide(work, d);
  work->columns_size = work->used;
  work->block.level = take(work, pixels, 2);
  work->block.mirror = take(work, pixels, 2);
  void *rows = take(work, 8 * (size_t)b->stride, plan->wanted.wide ? 8 : 4);
  for (int d = 0; d < VT_GLRLM_N_DIRECTIONS; d++)
    if (plan->direction[d]) {
      take_planes(work, d);
      work->slide[d].rows = rows;
    }
  for (int f = 0; f < VT_GLRLM_N_FEATURES; f++)
    if (plan->maps.map[VT_GLRLM_MEAN][f])
      work->mean[f] = take_row(work, 1, 8);
  if (plan->wanted.small_gain)
    work->unsure = take_row(work, 1, sizeof *work->unsure);
  if (plan->args->aggregates >> VT_GLRLM_MERGED & 1)
    take_merged(work, &work->merged);
}

/* --- a block of windows --- */

static void
step_rows(const Work *work, int64_t in, int64_t out)
{
  for (int d = 0; d < VT_GLRLM_N_DIRECTIONS; d++)
    if (work->plan->direction[d])
      work->plan->windows->step(&work->slide[d], in, out);
}

static void
start_block(Work *work, int64_t i0, int64_t j0)
{
  const VtGlrlmWindows *a = work->plan->args;
  vt_cpu_block_fill(&work->block, &a->src, a->x0 + i0 * a->step - a->half, a->y0 + j0 * a->step - a->half);
  memset(work->columns, 0, work->columns_size);
  for (int d = 0; d < VT_GLRLM_N_DIRECTIONS; d++)
    if (work->plan->direction[d])
      vt_cpu_runs_fill(&work->slide[d].runs);
  for (int64_t y = 0; y < work->block.side; y++)
    step_rows(work, y, -1);
}

static void
clear_merged(const Work *work)
{
  const VtCpuWanted *want = &work->plan->wanted;
  const VtCpuMerged *m = &work->merged;
  for (int k = 0; k < 2; k++) {
    if (want->by_level)
      memset(m->level[k], 0, (size_t)(want->n_levels * m->pitch) * sizeof(double));
    if (want->by_length)
      memset(m->length[k], 0, (size_t)(want->side * m->pitch) * sizeof(double));
  }
  if (want->short_low)
    memset(m->low, 0, (size_t)m->pitch * sizeof *m->low);
}

/* Where the maps of an aggregate take n windows from (i,j) on; false: it is not wanted. */
static bool
map_rows(const Plan *plan, int aggregate, int64_t i, int64_t j, float *out[VT_GLRLM_N_FEATURES])
{
  for (int f = 0; f < VT_GLRLM_N_FEATURES; f++) {
    const VtImage *map = plan->maps.map[aggregate][f];
    out[f] = map ? vt_image_at(map, i, j) : NULL;
  }
  return plan->args->aggregates >> aggregate & 1;
}

static VitrailStatus
make_unsure_again(const Work *work, int64_t i, int64_t j, int64_t n)
{
  VitrailStatus status = VITRAIL_OK;
  for (int64_t k = 0; k < n && work->unsure && status == VITRAIL_OK; k++)
    if (work->unsure[k])
      status = vt_cpu_glrlm_again(work->plan->args, &work->plan->maps, i + k, j, work->unsure[k], work->plan->cancel);
  return status;
}

static VitrailStatus
write_row(Work *work, int64_t i, int64_t j, int64_t n)
{
  const Plan *plan = work->plan;
  float *out[VT_GLRLM_N_FEATURES], *means[VT_GLRLM_N_FEATURES], *merged[VT_GLRLM_N_FEATURES];
  const bool mean = map_rows(plan, VT_GLRLM_MEAN, i, j, means), merge = map_rows(plan, VT_GLRLM_MERGED, i, j, merged);
  if (merge)
    clear_merged(work);
  if (work->unsure)
    memset(work->unsure, 0, (size_t)n * sizeof *work->unsure);
  for (int d = 0; d < VT_GLRLM_N_DIRECTIONS; d++)
    if (plan->direction[d]) {
      const VtCpuRow row = { .n = n,
                             .out = map_rows(plan, d, i, j, out) ? out : NULL,
                             .mean = mean ? work->mean : NULL,
                             .first = d == 0,
                             .last = mean && d == VT_GLRLM_N_DIRECTIONS - 1 ? means : NULL,
                             .merged = merge ? &work->merged : NULL,
                             .unsure = work->unsure };
      plan->windows->row(&work->slide[d], &row);
    }
  if (merge) {
    const VtCpuRow row = { .n = n, .out = merged, .merged = &work->merged };
    plan->windows->merged(&work->slide[0], &row);
  }
  return make_unsure_again(work, i, j, n);
}

static VitrailStatus
run_block(Work *work, int64_t i0, int64_t j0, int64_t n, int64_t rows)
{
  const int64_t step = work->plan->wanted.step, side = work->block.side;
  work->block.width = (n - 1) * step + side;
  work->block.height = (rows - 1) * step + side;
  work->block.stride = work->block.width + (side + VT_CPU_LANES - 1) / VT_CPU_LANES * VT_CPU_LANES;
  start_block(work, i0, j0);
  VitrailStatus status = VITRAIL_OK;
  for (int64_t j = 0; j < rows && status == VITRAIL_OK; j++) {
    if (vt_cancelled(work->plan->cancel))
      return VITRAIL_CANCELLED;
    for (int64_t y = (j - 1) * step; j > 0 && y < j * step; y++)
      step_rows(work, y + side, y);
    status = write_row(work, i0, j0 + j, n);
  }
  return status;
}

/* One thread: takes blocks until there are none. */
static void
work_on(void *user, uint32_t index)
{
  Plan *plan = user;
  const int64_t step = plan->wanted.step;
  Work work = { .plan = plan };
  VtCpuPart part;
  work.block.side = plan->wanted.side;
  work.block.width = (plan->blocks.max_windows - 1) * step + work.block.side;
  work.block.height = (plan->blocks.max_rows - 1) * step + work.block.side;
  work.block.stride = work.block.width + (work.block.side + VT_CPU_LANES - 1) / VT_CPU_LANES * VT_CPU_LANES;
  take_all(&work);
  work.memory = aligned_alloc(64, work.used);
  VitrailStatus status = work.memory ? VITRAIL_OK : VITRAIL_OUT_OF_MEMORY;
  if (work.memory)
    take_all(&work);
  while (status == VITRAIL_OK && vt_cpu_blocks_take(&plan->blocks, &part))
    status = run_block(&work, part.i, part.j, part.n, part.rows);
  vt_cpu_blocks_end(&plan->blocks, status);
  free(work.memory);
}

/* --- the plan of a call --- */

/* Blocks so large that the windows at their edges do not cost much, and so small that their columns stay in the cache and
 * every thread gets some. */
static void
plan_blocks(Plan *plan, uint32_t n_threads)
{
  const int64_t side = plan->wanted.side, step = plan->args->step;
  vt_cpu_blocks_cut(&plan->blocks, plan->args, (ACROSS + 4 * side) / step, (DOWN + 8 * side) / step, n_threads);
}

static int32_t
bits(uint64_t value)
{
  return value ? 64 - __builtin_clzll(value) : 1;
}

static void
plan_sums(VtCpuWanted *want, const VtGlrlmWindows *a, uint32_t features)
{
  const uint64_t side = (uint64_t)(2 * a->half + 1), levels = (uint64_t)a->n_levels, area = side * side;
  const uint32_t by_level =
    1u << VT_GLRLM_GLN | 1u << VT_GLRLM_GLNN | 1u << VT_GLRLM_LGRE | 1u << VT_GLRLM_LRLGE | 1u << VT_GLRLM_GLV;
  *want = (VtCpuWanted){ .features = features, .side = (int32_t)side, .n_levels = a->n_levels, .step = a->step };
  want->by_level = features & by_level;
  want->by_length = features & ~by_level; /* SRLGE asks for the number of runs */
  want->short_low = features >> VT_GLRLM_SRLGE & 1;
  want->bins = (a->n_levels + VT_CPU_LANES - 1) / VT_CPU_LANES * VT_CPU_LANES;
  want->lanes = (want->side + VT_CPU_LANES - 1) / VT_CPU_LANES * VT_CPU_LANES;
  want->level_shift = bits(side * area); /* Σ length² <= side Σ length */
  want->length_shift = bits(levels * levels * area);
  const int32_t shift = want->level_shift > want->length_shift ? want->level_shift : want->length_shift;
  want->wide = shift + bits(area) > 32;
}

static void
put_cell(const VtCpuWanted *want, void *cells, int32_t k, uint64_t value)
{
  if (want->wide)
    ((uint64_t *)cells)[k] = value;
  else
    ((uint32_t *)cells)[k] = (uint32_t)value;
}

static void
fill_cells(const VtCpuWanted *want, void *const cells[5])
{
  const uint64_t run = UINT64_C(1) << want->level_shift, weighed = UINT64_C(1) << want->length_shift;
  for (int32_t j = 0; j <= want->side + 1; j++) { /* of one run, and of j² */
    put_cell(want, cells[0], j, j == 0 ? 0 : (uint64_t)(2 * j - 1) + (j == 1 ? run : 0));
    put_cell(want, cells[1], j, j == 0 ? 0 : 1 + run);
    put_cell(want, cells[2], j, j < 2 ? 0 : 2 - run);
    put_cell(want, cells[3], j, 2); /* from E(3) on */
  }
  for (int32_t i = 0; i <= want->n_levels; i++)
    put_cell(want, cells[4], i, i == 0 ? 0 : weighed + (uint64_t)i * (uint64_t)i);
}

/* Four tables: D, E(1) and E(2) if the length reaches that far, E. */
static void
fill_low(VtCpuWanted *want, uint64_t *tables)
{
  const int32_t pitch = want->side + 1;
  const size_t n = ((size_t)want->n_levels + 1) * (size_t)pitch;
  uint64_t *gains = tables, *firsts = tables + n, *seconds = firsts + n, *bends = seconds + n;
  memset(tables, 0, 4 * n * sizeof *tables);
  for (int32_t i = 1; i <= want->n_levels; i++) {
    uint64_t *gain = gains + i * pitch, *bend = bends + i * pitch, before = 0;
    for (int32_t j = 1; j <= want->side; j++) {
      const uint64_t run = vt_cpu_glrlm_short_low(i, j);
      gain[j] = run - before;
      bend[j] = gain[j] - gain[j - 1];
      firsts[i * pitch + j] = bend[1];
      seconds[i * pitch + j] = j > 1 ? bend[2] : 0;
      before = run;
    }
  }
  want->low_gain = gains;
  want->low_first = firsts;
  want->low_second = seconds;
  want->low_bend = bends;
}

/* A run of that level and length, in a column. */
static VtCpuSmallCell
small_run(uint64_t level, uint64_t length)
{
  const uint64_t i = level * level, j = length * length;
  VtCpuSmallCell run = { .sum = { [VT_CPU_SMALL_RUNS] = 1 | j << 32,
                                  [VT_CPU_SMALL_HIGH] = i | i * j << 32,
                                  [VT_CPU_SMALL_PIXELS] = length | level << 32,
                                  [VT_CPU_SMALL_SHORT] = ((UINT64_C(1) << 56) + j / 2) / j,
                                  [VT_CPU_SMALL_LOW] = ((UINT64_C(1) << 56) + i / 2) / i,
                                  [VT_CPU_SMALL_LONG_LOW] = ((j << 52) + i / 2) / i,
                                  [VT_CPU_SMALL_SHORT_HIGH] = ((i << 45) + j / 2) / j,
                                  [VT_CPU_SMALL_SHORT_LOW] =
                                    vt_cpu_glrlm_short_low((int32_t)level, (int32_t)length) } };
  run.count[level - 1] = run.count[VT_CPU_SMALL_LEVELS + length - 1] = 1;
  return run;
}

static VtCpuSmallCell
small_less(VtCpuSmallCell a, const VtCpuSmallCell *b)
{
  for (int k = 0; k < VT_CPU_SMALL_SUMS; k++)
    a.sum[k] -= b->sum[k];
  for (size_t k = 0; k < sizeof a.count; k++)
    a.count[k] -= b->count[k];
  return a;
}

/* The tables of small windows (planes.h): D and E by level and length, 0 for level 0 and for length 0. */
static bool
plan_small(VtCpuWanted *want, void **memory)
{
  const size_t n = ((size_t)want->n_levels + 1) * VT_CPU_SMALL_LENGTHS;
  VtCpuSmallCell *gain = aligned_alloc(64, 2 * n * sizeof *gain), *bend = gain + n;
  *memory = gain;
  if (!gain)
    return false;
  memset(gain, 0, 2 * n * sizeof *gain);
  for (int32_t i = 1; i <= want->n_levels; i++) {
    VtCpuSmallCell before = { 0 };
    for (int32_t j = 1; j <= want->side; j++) {
      const VtCpuSmallCell run = small_run((uint64_t)i, (uint64_t)j);
      VtCpuSmallCell *at = gain + i * VT_CPU_SMALL_LENGTHS + j;
      *at = small_less(run, &before);
      at[n] = small_less(*at, at - 1);
      before = run;
    }
  }
  want->small_gain = gain;
  want->small_bend = bend;
  return true;
}

static bool
plan_tables(VtCpuWanted *want, void **memory)
{
  const size_t lengths = (size_t)want->side + 2, levels = (size_t)want->n_levels + 1, most = 256;
  const size_t low = want->short_low ? levels * ((size_t)want->side + 1) : 0;
  uint64_t *at = malloc((4 * lengths + levels + 4 * low + 2 * most) * sizeof *at);
  void *cells[5];
  *memory = at;
  if (!at)
    return false;
  for (int k = 0; k < 5; k++, at += lengths)
    cells[k] = at;
  at = (uint64_t *)cells[4] + levels;
  want->gain = cells[0];
  want->first_bend = cells[1];
  want->second_bend = cells[2];
  want->bend = cells[3];
  want->weight = cells[4];
  fill_cells(want, cells);
  double *squares = (double *)at, *inverses = squares + most;
  for (size_t k = 0; k < most; k++) {
    squares[k] = (double)((k + 1) * (k + 1));
    inverses[k] = 1 / squares[k];
  }
  want->squares = squares;
  want->inverses = inverses;
  at += 2 * most;
  if (low)
    fill_low(want, at);
  return true;
}

VitrailStatus
vt_cpu_glrlm_fast(VtDevice *device, const VtGlrlmWindows *args, const VtCancel *cancel)
{
  const uint32_t entropy = 1u << VT_GLRLM_RE, n_threads = vt_cpu_n_threads(device);
  Plan plan = { .args = args, .cancel = cancel, .windows = VT_CPU_BEST(vt_cpu_windows) };
  VitrailStatus status = vt_cpu_glrlm_maps(args, &plan.maps, cancel);
  if (status != VITRAIL_OK)
    return status;
  if (3 * args->step > 2 * args->half + 1)
    return vt_cpu_glrlm_walk(args, &plan.maps, args->features, cancel);
  if (args->features & entropy)
    status = args->aggregates >> VT_GLRLM_MERGED & 1 ? vt_cpu_glrlm_walk(args, &plan.maps, entropy, cancel)
                                                     : vt_cpu_glrlm_entropies(device, args, &plan.maps, cancel);
  if (status != VITRAIL_OK || args->features == entropy)
    return status;
  for (int aggregate = 0; aggregate <= VT_GLRLM_MERGED; aggregate++)
    plan.maps.map[aggregate][VT_GLRLM_RE] = NULL;
  plan_sums(&plan.wanted, args, args->features & ~entropy);
  for (int d = 0; d < VT_GLRLM_N_DIRECTIONS; d++)
    plan.direction[d] = args->aggregates >> d & 1 || args->aggregates >> VT_GLRLM_MEAN;
  plan_blocks(&plan, n_threads);
  /* Features of one set alone (windows.h) take less by that set. */
  const bool small = plan.wanted.by_level && plan.wanted.by_length && plan.wanted.side <= VT_CPU_SMALL_SIDE
                     && args->n_levels <= VT_CPU_SMALL_LEVELS && !(args->aggregates >> VT_GLRLM_MERGED & 1);
  if (small)
    plan.windows = VT_CPU_BEST(vt_cpu_small_windows);
  if (!(small ? plan_small : plan_tables)(&plan.wanted, &plan.tables))
    return VITRAIL_OUT_OF_MEMORY;
  const int64_t n_blocks = plan.blocks.n_across * plan.blocks.n_down;
  vt_cpu_parallel_for(device, n_blocks < n_threads ? (uint32_t)n_blocks : n_threads, work_on, &plan);
  free(plan.tables);
  return atomic_load(&plan.blocks.status);
}
