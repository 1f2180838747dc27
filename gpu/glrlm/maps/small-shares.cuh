/* SPDX-License-Identifier: MIT
 *
 * small-shares.cuh: what each warp does, cut before so that all come to their end together. All work is a line: one row of
 * a strip after the other, one strip after the other, for each set (a kind and a direction) by itself. A warp has one piece
 * of a line, as long as it costs as much as those of the others. What a row costs depends on the set, and on the picture:
 * along diagonals flat places have longer lists of runs that cross a corner, at most three times the cost; counts by level
 * cost more where levels lie far apart. Both are looked at in cells: a strip by some rows. How well costs are met changes the
 * time, never a value. */
#pragma once

#include "small-start.cuh"
#include "small-values.cuh"

enum {
  VT_SMALL_WEIGH_THREADS = 256,
  VT_SMALL_PLACES = 1024,   /* most blocks */
  VT_SMALL_WEIGH_ROWS = 10, /* read at once */
  VT_SMALL_GROUPS_STEP = 4, /* rows looked at for groups of levels: one of so many */
  VT_SMALL_CELL_ROWS = 12,
  VT_SMALL_WEIGHED = 6 /* whose windows are weighed, of a cell's */
};

/* What is known from launch to launch, and what weigh_small finds. */
struct VtSmallCut {
  uint32_t places[VT_SMALL_PLACES]; /* the mark: a block has this place */
  /* Of sets: what all costs are to be multiplied by, learnt from the last launches; what pieces were said to cost in the
   * last one, and how long they took together. */
  float scale[VT_SMALL_MOST_SETS], expected[VT_SMALL_MOST_SETS], took[VT_SMALL_MOST_SETS];
  float2 cells[VT_SMALL_CELLS]; /* of strips, then of bands of rows: steps of bends for a lane and row; groups of levels */
};

/* A warp among those of another set takes so much longer: they don't share code. */
#define VT_SMALL_SLOWER 0.04f

static __device__ __forceinline__ VtSmallCost
vt_small_scaled(const VtSmallCost &cost, float scale)
{
  return { cost.start * scale, cost.row * scale, cost.bend * scale, cost.group * scale };
}

/* What something costs that has each so often. */
static __device__ __forceinline__ float
vt_small_cost_of(const VtSmallCost &cost, const VtSmallCost &often)
{
  return cost.start * often.start + cost.row * often.row + cost.bend * often.bend + cost.group * often.group;
}

static __device__ __forceinline__ VtSmallStrip
vt_small_strip_of(const VtSmall &s, int64_t at, int direction)
{
  VtSmallStrip strip = {};
  strip.direction = direction;
  strip.by = direction == VT_GLRLM_DIR_M1_1 ? -1 : 1;
  strip.lane = static_cast<int>(threadIdx.x) % VT_SLIDE_WARP;
  const int64_t first = at * s.n_across, width = s.args.src.width, x0 = s.args.x0 - s.args.half + first;
  const int64_t last = s.n_across + s.args.side - 2;
  const int64_t x = (strip.by > 0 ? x0 : x0 + last) + strip.by * VT_SMALL_COLUMNS * strip.lane;
  const int64_t lowest = strip.by > 0 ? x : x - 3;
  strip.pixels = static_cast<const uint8_t *>(s.args.src.data) + x;
  strip.has = lowest >= 3 && lowest + 8 <= width ? VT_SMALL_WHOLE : 0;
  for (int k = 0; k < VT_SMALL_COLUMNS; k++)
    if (x + k * strip.by >= 0 && x + k * strip.by < width) {
      strip.has |= VT_SMALL_PIXELS << k;
      strip.mask |= 255u << (8 * k);
    }
  const bool near = s.args.src.stride == width && width >= VT_SMALL_BEYOND; /* else there is what nobody has written */
  strip.has |= strip.mask && !(strip.has & VT_SMALL_WHOLE) && near ? VT_SMALL_NEAR : 0;
  vt_small_place_windows(s, &strip, static_cast<int>(first));
  return strip;
}

/* Steps of two for the runs of a row. */
static __device__ __forceinline__ uint32_t
vt_small_steps(uint32_t lengths)
{
  const uint32_t length = lengths >> 4 & 0x0f0f0f0f;
  return __dp4a((length + 0x01010101) >> 1 & 0x0f0f0f0f, 0x01010101u, 0u)
         - static_cast<uint32_t>(__popc(vt_small_some(length)));
}

/* Rows `from` and so on, of those before `end` and of the image; all loads are under way before one is used. */
static __device__ __forceinline__ void
vt_small_weigh_rows(const VtSmall &s, const VtSmallStrip &strip, int64_t from, int64_t end, uint32_t *rows)
{
  const int64_t height = s.args.src.height;
  if (strip.has & VT_SMALL_WHOLE) {
    uint32_t low[VT_SMALL_WEIGH_ROWS], high[VT_SMALL_WEIGH_ROWS], shift[VT_SMALL_WEIGH_ROWS];
#pragma unroll
    for (int k = 0; k < VT_SMALL_WEIGH_ROWS; k++) {
      const int64_t y = min(max(from + k, INT64_C(0)), height - 1);
      const uintptr_t first = reinterpret_cast<uintptr_t>(strip.pixels + y * s.args.src.stride);
      const uint32_t *words = reinterpret_cast<const uint32_t *>(first & ~static_cast<uintptr_t>(3));
      low[k] = __ldg(words), high[k] = __ldg(words + 1), shift[k] = static_cast<uint32_t>(first) % 4 * 8;
    }
#pragma unroll
    for (int k = 0; k < VT_SMALL_WEIGH_ROWS; k++)
      rows[k] = __funnelshift_r(low[k], high[k], shift[k]);
  } else {
    uint32_t bytes[VT_SMALL_WEIGH_ROWS][VT_SMALL_COLUMNS];
#pragma unroll
    for (int k = 0; k < VT_SMALL_WEIGH_ROWS; k++) {
      const uint8_t *at = strip.pixels + min(max(from + k, INT64_C(0)), height - 1) * s.args.src.stride;
#pragma unroll
      for (int j = 0; j < VT_SMALL_COLUMNS; j++)
        bytes[k][j] = strip.has >> j & 1 ? __ldg(at + j) : 0;
    }
#pragma unroll
    for (int k = 0; k < VT_SMALL_WEIGH_ROWS; k++)
      rows[k] = bytes[k][0] | bytes[k][1] << 8 | bytes[k][2] << 16 | bytes[k][3] << 24;
  }
#pragma unroll
  for (int k = 0; k < VT_SMALL_WEIGH_ROWS; k++)
    rows[k] = from + k >= 0 && from + k < min(height, end) ? rows[k] : 0;
}

/* A bit for each group of levels that is summed up by itself (small-put.cuh); bit 0: for none. */
static __device__ __forceinline__ uint32_t
vt_small_groups(uint32_t levels)
{
  const uint32_t group = (levels + 0x07070707) >> 3 & 0x0f0f0f0f;
  return 1u << (group & 15) | 1u << (group >> 8 & 15) | 1u << (group >> 16 & 15) | 1u << (group >> 24);
}

/* Looks at the cell's levels, all lanes together; of a row on the average, the steps of a lane, and the groups. */
static __device__ __forceinline__ float2
vt_small_weigh_cell(const VtSmall &s, uint32_t cell, uint32_t *refused)
{
  const int side = s.args.side, band = static_cast<int>(cell % static_cast<uint32_t>(s.n_bands));
  const VtSmallStrip strip = vt_small_strip_of(s, cell / static_cast<uint32_t>(s.n_bands), VT_GLRLM_DIR_1_1);
  const int64_t first = static_cast<int64_t>(band) * s.cell_rows, top = s.args.y0 - s.args.half + first;
  const int few = max(s.cell_rows, side - 1 + VT_SMALL_WEIGHED); /* of them */
  const int n = static_cast<int>(band + 1 < s.n_bands ? few : s.args.height + side - 1 - first);
  VtSmallAbove above = {};
  uint32_t steps = 0, high = 0, groups = 0;
#pragma unroll 1
  for (int b = 0; b < n; b += VT_SMALL_WEIGH_ROWS) {
    uint32_t rows[VT_SMALL_WEIGH_ROWS];
    vt_small_weigh_rows(s, strip, top + b, top + n, rows);
#pragma unroll
    for (int k = 0; k < VT_SMALL_WEIGH_ROWS; k++) {
      high |= __vcmpgtu4(rows[k], static_cast<uint32_t>(s.args.n_levels) * 0x01010101u);
      groups |= k % VT_SMALL_GROUPS_STEP == 0 ? vt_small_groups(rows[k]) : 0;
      vt_small_move_above(&above);
      vt_small_lengthen(&above, rows[k], side);
      steps += b + k >= side - 1 ? vt_small_steps(above.back << 4) : 0;
    }
  }
  if (high)
    *refused = s.mark;
  for (int d = VT_SLIDE_WARP / 2; d > 0; d /= 2) {
    steps += __shfl_xor_sync(~0u, steps, d);
    groups |= __shfl_xor_sync(~0u, groups, d);
  }
  const float mean = n < side ? 0.0f : static_cast<float>(steps) / static_cast<float>(VT_SLIDE_WARP * (n - side + 1));
  return { mean * (1 + mean * s.flat), static_cast<float>(__popc(groups >> 1)) };
}

/* Of the first eight lanes' values. */
static __device__ __forceinline__ float
vt_small_all_sets(float value)
{
#pragma unroll
  for (int d = 1; d < VT_SMALL_MOST_SETS; d *= 2)
    value += __shfl_xor_sync(~0u, value, d);
  return value;
}

/* A set costs more or less than the others on each GPU, and in what proportion nobody knows before. */
static __device__ __forceinline__ void
vt_small_learn(const VtSmall &s)
{
  const int lane = static_cast<int>(threadIdx.x) % VT_SLIDE_WARP, set = lane % VT_SMALL_MOST_SETS;
  const float took = __ldcg(s.cut->took + set), expected = __ldcg(s.cut->expected + set), scale = __ldcg(s.cut->scale + set);
  const bool known = took > 0 && expected > 0;
  const float rate = __fdividef(vt_small_all_sets(known ? took : 0.0f), vt_small_all_sets(known ? expected : 0.0f));
  const float change = known ? fminf(fmaxf(__fdividef(took, expected * rate), 0.5f), 2.0f) : 1.0f;
  if (lane >= VT_SMALL_MOST_SETS)
    return;
  /* Half of it: a launch differs from the next one. */
  s.cut->scale[set] = fminf(fmaxf(scale * (1 + change) / 2, 0.125f), 8.0f);
  s.cut->took[set] = 0;
}

/* Looks at all levels that windows have: *refused becomes the mark if one is too high; *listed 0. */
static __global__ void
__launch_bounds__(VT_SMALL_WEIGH_THREADS)
  weigh_small(const __grid_constant__ VtSmall s, uint32_t *refused, uint32_t *listed)
{
  const uint32_t warp = blockIdx.x * (VT_SMALL_WEIGH_THREADS / VT_SLIDE_WARP) + threadIdx.x / VT_SLIDE_WARP;
  vt_gpu_glrlm_start_next();
  if (blockIdx.x == 0 && threadIdx.x == 0)
    *listed = 0;
  if (warp == 0)
    vt_small_learn(s);
  if (warp < static_cast<uint32_t>(s.n_strips * s.n_bands)) {
    const float2 steps = vt_small_weigh_cell(s, warp, refused);
    if (threadIdx.x % VT_SLIDE_WARP == 0)
      s.cut->cells[warp] = steps;
  }
}

/* --- shares: each block finds its own --- */

/* Words of shared memory that they take, of n cells. */
static __host__ __device__ __forceinline__ int
vt_small_share_words(int n)
{
  return 4 * (n + 1) + 2 * n + 2 * VT_SMALL_WARPS;
}

/* Of all cells before the thread's ones; sums: room for those of all warps. */
static __device__ __forceinline__ float2
vt_small_before(float2 sum, float2 *sums)
{
  const int lane = static_cast<int>(threadIdx.x) % VT_SLIDE_WARP, warp = static_cast<int>(threadIdx.x) / VT_SLIDE_WARP;
  float2 all = sum, before = {};
#pragma unroll
  for (int d = 1; d < VT_SLIDE_WARP; d *= 2) {
    const float x = __shfl_up_sync(~0u, all.x, d), y = __shfl_up_sync(~0u, all.y, d);
    all.x += lane >= d ? x : 0;
    all.y += lane >= d ? y : 0;
  }
  if (lane == VT_SLIDE_WARP - 1)
    sums[warp] = all;
  __syncthreads();
  for (int k = 0; k < warp; k++)
    before = { before.x + sums[k].x, before.y + sums[k].y };
  return { before.x + all.x - sum.x, before.y + all.y - sum.y };
}

/* Steps are of rows that come in. Rows that go out have those of the cell above, in the same passes. */
static __device__ __forceinline__ float2
vt_small_cell(const float2 *cells, int k, bool highest)
{
  return { fmaxf(cells[k].x, highest ? 0 : cells[k - 1].x), cells[k].y };
}

/* before[k]: how often the cells before the k-th have what has a cost, and all of them in the end. */
static __device__ __forceinline__ void
vt_small_sum_cells(const VtSmall &s, VtSmallCost *before)
{
  const int n = static_cast<int>(s.n_strips) * s.n_bands, n_threads = static_cast<int>(blockDim.x);
  const int each = n / n_threads + 1, from = static_cast<int>(threadIdx.x) * each, to = min(from + each, n);
  const float cell_rows = static_cast<float>(s.cell_rows), height = static_cast<float>(s.args.height);
  const int bands = max(s.n_bands, 1);
  float2 *const cells = reinterpret_cast<float2 *>(before + n + 1), sum = {};
  for (int k = static_cast<int>(threadIdx.x); k < n; k += n_threads)
    cells[k] = __ldcg(s.cut->cells + k);
  __syncthreads();
  for (int k = from; k < to; k++) {
    const float2 cell = vt_small_cell(cells, k, k % bands == 0);
    sum = { sum.x + cell.x, sum.y + cell.y };
  }
  sum = vt_small_before(sum, cells + n);
  for (int k = from; k < min(from + each, n + 1); k++) {
    const int strip = k / bands, band = k - strip * bands;
    const float rows = static_cast<float>(strip) * height + static_cast<float>(band) * cell_rows;
    before[k] = { static_cast<float>(strip + (band > 0)), rows, sum.x * cell_rows, sum.y * cell_rows };
    const float2 cell = k < n ? vt_small_cell(cells, k, band == 0) : float2{};
    sum = { sum.x + cell.x, sum.y + cell.y };
  }
  if (n == 0 && threadIdx.x == 0)
    before[0] = { static_cast<float>(s.n_strips), static_cast<float>(s.n_strips) * height, 0, 0 };
  __syncthreads();
}

/* Where a class's blocks end, of lanes that come in pairs for each class. part: of all work. As near to its parts as whole
 * blocks are, but a class with work has one. */
static __device__ __forceinline__ int
vt_small_class_end(const VtSmall &s, float part, bool any)
{
  const int lane = static_cast<int>(threadIdx.x) % VT_SLIDE_WARP;
  const uint32_t some = __ballot_sync(~0u, any && lane < VT_SMALL_MOST_SETS) & 0x55, begun = some & ((2u << (lane & ~1)) - 1);
  float sum = part;
  for (int d = 2; d < VT_SMALL_MOST_SETS; d *= 2) {
    const float other = __shfl_up_sync(~0u, sum, d);
    sum += lane >= d ? other : 0;
  }
  const int n_begun = __popc(begun), n_after = __popc(some & ~begun);
  int end = min(static_cast<int>(static_cast<float>(s.n_blocks) * sum + 0.5f), s.n_blocks - n_after) - n_begun;
  for (int d = 2; d < VT_SMALL_MOST_SETS; d *= 2) {
    const int other = __shfl_up_sync(~0u, end, d);
    end = lane >= d ? max(end, other) : end;
  }
  return max(end, 0) + n_begun;
}

/* Warps of a set that begins with whole blocks, without a few in a block of another set, which are slow there. */
static __device__ __forceinline__ int
vt_small_few_or_many(int n, int n_warps)
{
  const int beyond = n % n_warps, few = n_warps / 4;
  return beyond <= few ? n - beyond : n_warps - beyond <= few ? n + n_warps - beyond : n;
}

/* Of a set: its first warp, how many it has, how many of them are beside those of another set, and what one does costs (of
 * those VT_SMALL_SLOWER less). */
struct VtSmallShare {
  VtSmallCost one;
  int first, n, n_mixed;
  float piece, cost;
};

/* Warps for each set, lane by lane: so many that all pieces, with the rows above them, cost the same. A class has whole
 * blocks: counts, sums, each along diagonals and not. A warp is slow among those of another class. */
static __device__ __forceinline__ VtSmallShare
vt_small_share_out(const VtSmall &s, const VtSmallCost &all)
{
  const int lane = static_cast<int>(threadIdx.x) % VT_SLIDE_WARP, set = lane % VT_SMALL_MOST_SETS;
  VtSmallShare share;
  share.one = vt_small_scaled(s.cost[set], __ldcg(s.cut->scale + set)); /* nothing for a set that isn't wanted */
  const float start = share.one.start, cost = vt_small_cost_of(share.one, all), sum = vt_small_all_sets(cost);
  const float starts = __fdividef(vt_small_all_sets(cost * start), sum);
  const float piece = __fdividef(sum, static_cast<float>(s.n_blocks * s.n_warps)) + starts;
  const float part = __fdividef(cost, fmaxf(piece - start, piece / 8)), other = __shfl_xor_sync(~0u, part, 1);
  const float parts = vt_small_all_sets(part);
  const int end = vt_small_class_end(s, __fdividef(part + other, parts), part + other > 0);
  const int before = __shfl_up_sync(~0u, end, 2), begin = lane < 2 ? 0 : before, n_warps = (end - begin) * s.n_warps;
  const float first = set % 2 ? other : part;
  int middle = static_cast<int>(static_cast<float>(n_warps) * __fdividef(first, part + other) + 0.5f);
  middle = vt_small_few_or_many(middle, s.n_warps);
  middle = first > 0 && first < part + other ? min(max(middle, 1), n_warps - 1) : middle;
  const int beyond = middle % s.n_warps;
  share.first = begin * s.n_warps + (set % 2 ? middle : 0);
  share.n = set % 2 ? n_warps - middle : middle;
  share.n_mixed = min(set % 2 ? (s.n_warps - beyond) % s.n_warps : beyond, share.n);
  share.cost = cost;
  share.piece = __fdividef(cost, static_cast<float>(share.n) - static_cast<float>(share.n_mixed) * VT_SMALL_SLOWER);
  return share;
}

/* Two rows of a set's line: so much of its cost, of which `one` is for each, is before them. All lanes together. */
static __device__ __forceinline__ void
vt_small_rows_after(const VtSmall &s, const VtSmallCost *all_before, const VtSmallCost &one, const float *cost,
                    uint32_t *after)
{
  const uint32_t rows = static_cast<uint32_t>(s.args.height), strips = static_cast<uint32_t>(s.n_strips);
  const uint32_t lane = threadIdx.x % VT_SLIDE_WARP, bands = static_cast<uint32_t>(s.n_bands), n_cells = strips * bands;
  uint32_t at[2] = {};
#pragma unroll 1
  for (uint32_t step = (n_cells + VT_SLIDE_WARP - 1) / VT_SLIDE_WARP; step; step = step == 1 ? 0 : (step + VT_SLIDE_WARP - 1) / VT_SLIDE_WARP) {
    VtSmallCost before[2];
#pragma unroll
    for (int k = 0; k < 2; k++)
      before[k] = all_before[min(at[k] + lane * step, n_cells)];
#pragma unroll
    for (int k = 0; k < 2; k++) {
      const bool is = at[k] + lane * step < n_cells && vt_small_cost_of(one, before[k]) <= cost[k];
      const uint32_t are = __ballot_sync(~0u, is);
      at[k] += are ? static_cast<uint32_t>(31 - __clz(static_cast<int>(are))) * step : 0;
    }
  }
#pragma unroll
  for (int k = 0; k < 2; k++) {
    const float all = one.start + one.row * static_cast<float>(rows);
    uint32_t strip = min(static_cast<uint32_t>(__fdividef(cost[k], all)), strips - 1), row = 0;
    float left = cost[k] - static_cast<float>(strip) * all, rate = one.row;
    if (n_cells) {
      const VtSmallCost before = all_before[at[k]], next = all_before[at[k] + 1];
      left = cost[k] - vt_small_cost_of(one, before);
      rate += __fdividef(one.bend * (next.bend - before.bend) + one.group * (next.group - before.group),
                         static_cast<float>(s.cell_rows));
      strip = at[k] / bands;
      row = (at[k] - strip * bands) * static_cast<uint32_t>(s.cell_rows);
    }
    left = fmaxf(left - (row == 0 ? one.start : 0), 0.0f);
    after[k] = strip * rows + min(row + static_cast<uint32_t>(__fdividef(left, rate)), rows);
  }
}

/* A part of a set's line. */
struct VtSmallPiece {
  uint32_t set, from, to;
};

/* The block's place among all: that of its multiprocessor, or the next free one. Two multiprocessors beside each other share
 * an instruction cache, and should run the same code. All threads of the block together. */
static __device__ __forceinline__ uint32_t
vt_small_place(const VtSmall &s)
{
  __shared__ uint32_t place;
  const uint32_t n = static_cast<uint32_t>(s.n_blocks);
  if (threadIdx.x == 0) {
    uint32_t at;
    asm("mov.u32 %0, %%smid;" : "=r"(at));
    for (at %= n; atomicExch(s.cut->places + at, s.mark) == s.mark;)
      at = at + 1 == n ? 0 : at + 1;
    place = at;
  }
  __syncthreads();
  return place;
}

/* The warp's piece; before: of all cells. */
static __device__ __forceinline__ VtSmallPiece
vt_small_piece(const VtSmall &s, const VtSmallCost *before, uint32_t place)
{
  const int warp = static_cast<int>(place) * s.n_warps + static_cast<int>(threadIdx.x) / VT_SLIDE_WARP;
  const int lane = static_cast<int>(threadIdx.x) % VT_SLIDE_WARP;
  const VtSmallShare share = vt_small_share_out(s, before[s.n_strips * s.n_bands]);
  if (warp == 0 && lane < VT_SMALL_MOST_SETS)
    s.cut->expected[lane] = s.learns ? share.cost + static_cast<float>(share.n) * share.one.start : 0;
  const uint32_t begun = __ballot_sync(~0u, lane < VT_SMALL_MOST_SETS && share.first <= warp);
  const int set = 31 - __clz(static_cast<int>(begun)), at = warp - __shfl_sync(~0u, share.first, set);
  const int n = __shfl_sync(~0u, share.n, set), n_mixed = __shfl_sync(~0u, share.n_mixed, set);
  const float cost = __shfl_sync(~0u, share.piece, set);
  const VtSmallCost one = { __shfl_sync(~0u, share.one.start, set), __shfl_sync(~0u, share.one.row, set),
                            __shfl_sync(~0u, share.one.bend, set), __shfl_sync(~0u, share.one.group, set) };
  float ends[2];
  uint32_t rows[2];
#pragma unroll
  for (int k = 0; k < 2; k++) {
    const int slower = set % 2 ? min(at + k, n_mixed) : max(at + k - (n - n_mixed), 0);
    ends[k] = (static_cast<float>(at + k) - static_cast<float>(slower) * VT_SMALL_SLOWER) * cost;
  }
  vt_small_rows_after(s, before, one, ends, rows);
  return { static_cast<uint32_t>(set), at == 0 ? 0 : rows[0],
           at + 1 == n ? static_cast<uint32_t>(s.n_strips * s.args.height) : rows[1] };
}
