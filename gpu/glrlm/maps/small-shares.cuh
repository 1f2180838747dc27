/* SPDX-License-Identifier: MIT
 *
 * small-shares.cuh: what each warp does, cut before so that all come to their end together. All work is a line: one row of
 * a strip after the other, one strip after the other, for each set (a kind and a direction) by itself. A set has whole
 * blocks, since a multiprocessor's instruction cache does not hold the code of two; a warp has one piece of the line, as
 * long as it costs as much as those of the others. What a row costs depends on the set, and along diagonals on the picture:
 * flat places have longer lists of runs that cross a corner, at most three times the cost. Their lengths are looked at in
 * cells: a strip by some rows. How well costs are met changes the time, never a value. */
#pragma once

#include "small-start.cuh"
#include "small-values.cuh"

enum {
  VT_SMALL_WEIGH_THREADS = 256, /* a warp for each set */
  VT_SMALL_PART = 24,           /* rows */
  VT_SMALL_PLACES = 1024,       /* most blocks */
  VT_SMALL_WEIGH_ROWS = 12,     /* read at once */
  VT_SMALL_CELL_ROWS = 24,
  VT_SMALL_THREAD_CELLS = (VT_SMALL_CELLS + VT_SMALL_WEIGH_THREADS) / VT_SMALL_WEIGH_THREADS
};

/* How much more a row along diagonals costs in the first and the last strip, whose pixels are loaded one by one. */
static const float VT_SMALL_OUTER = 0.06f;

/* What the last block of weigh_small writes. begin: what comes before a cell, of the sets along diagonals, and in the
 * end all of it. */
struct VtSmallCut {
  uint32_t ended;                          /* blocks that have weighed their cells: 0 between launches */
  uint32_t blocks[VT_SMALL_MOST_SETS + 1]; /* where a set's blocks begin */
  uint32_t rest[VT_SMALL_MOST_SETS];       /* where on a set's line the parts begin that are taken at the end */
  uint32_t taken[VT_SMALL_MOST_SETS];      /* of them */
  uint32_t places[VT_SMALL_PLACES];        /* not 0: a block has this place */
  /* Of kinds and directions (vt_small_kind): what all costs are to be multiplied by, learnt from the last launches; what
   * pieces were said to cost in the last one, and how long they took together. */
  float scale[VT_SMALL_MOST_SETS], expected[VT_SMALL_MOST_SETS], took[VT_SMALL_MOST_SETS];
  float cells[VT_SMALL_CELLS]; /* steps of bends for a lane and row: of strips, then of bands of rows */
  float begin[VT_GLRLM_N_DIRECTIONS][VT_SMALL_CELLS + 1];
};

static __device__ __forceinline__ int
vt_small_kind(const VtSmallSet &set)
{
  return set.sums * VT_GLRLM_N_DIRECTIONS + set.direction;
}

static __device__ __forceinline__ VtSmallCost
vt_small_cost(const VtSmall &s, int set)
{
  const float scale = __ldcg(s.cut->scale + vt_small_kind(s.sets[set]));
  const VtSmallCost &cost = s.cost[set];
  return { cost.start * scale, cost.row * scale, cost.bend * scale };
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
    strip.has |= x + k * strip.by >= 0 && x + k * strip.by < width ? VT_SMALL_PIXELS << k : 0;
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

/* Looks at the cell's levels, all lanes together; the steps of a lane and row on the average. */
static __device__ __forceinline__ float
vt_small_weigh_cell(const VtSmall &s, uint32_t cell, uint32_t *refused)
{
  const int side = s.args.side, band = static_cast<int>(cell % static_cast<uint32_t>(s.n_bands));
  const VtSmallStrip strip = vt_small_strip_of(s, cell / static_cast<uint32_t>(s.n_bands), VT_GLRLM_DIR_1_1);
  const int64_t first = static_cast<int64_t>(band) * s.cell_rows, top = s.args.y0 - s.args.half + first;
  const int n = static_cast<int>(band + 1 < s.n_bands ? s.cell_rows : s.args.height + side - 1 - first);
  VtSmallAbove above = {};
  uint32_t steps = 0, high = 0;
#pragma unroll 1
  for (int b = 0; b < n; b += VT_SMALL_WEIGH_ROWS) {
    uint32_t rows[VT_SMALL_WEIGH_ROWS];
    vt_small_weigh_rows(s, strip, top + b, top + n, rows);
#pragma unroll
    for (int k = 0; k < VT_SMALL_WEIGH_ROWS; k++) {
      high |= __vcmpgtu4(rows[k], static_cast<uint32_t>(s.args.n_levels) * 0x01010101u);
      vt_small_start_diagonal(&above, rows[k], strip.lane, side);
      steps += b + k >= side - 1 ? vt_small_steps(above.back << 4) : 0;
    }
  }
  if (high)
    *refused = s.mark;
  for (int d = VT_SLIDE_WARP / 2; d > 0; d /= 2)
    steps += __shfl_xor_sync(~0u, steps, d);
  return n < side ? 0.0f : static_cast<float>(steps) / static_cast<float>(VT_SLIDE_WARP * (n - side + 1));
}

/* Of all cells before the thread's ones. */
static __device__ __forceinline__ float
vt_small_before(float sum)
{
  __shared__ float sums[VT_SMALL_WEIGH_THREADS / VT_SLIDE_WARP];
  const int lane = static_cast<int>(threadIdx.x) % VT_SLIDE_WARP, warp = static_cast<int>(threadIdx.x) / VT_SLIDE_WARP;
  float all = sum, before = 0;
#pragma unroll
  for (int d = 1; d < VT_SLIDE_WARP; d *= 2) {
    const float other = __shfl_up_sync(~0u, all, d);
    all += lane >= d ? other : 0;
  }
  if (lane == VT_SLIDE_WARP - 1)
    sums[warp] = all;
  __syncthreads();
  for (int k = 0; k < warp; k++)
    before += sums[k];
  return before + all - sum;
}

/* What comes before cells, of all sets along diagonals: a thread has some that follow each other. */
static __device__ __forceinline__ void
vt_small_fill_begin(const VtSmall &s)
{
  const int n = static_cast<int>(s.n_strips) * s.n_bands, each = n / VT_SMALL_WEIGH_THREADS + 1;
  const int from = static_cast<int>(threadIdx.x) * each;
  float cells[VT_SMALL_THREAD_CELLS], bends = 0;
  int strip = s.n_bands ? from / s.n_bands : 0, band = from - strip * s.n_bands;
#pragma unroll
  for (int k = 0; k < VT_SMALL_THREAD_CELLS; k++) {
    cells[k] = k < each && from + k < n ? __ldcg(s.cut->cells + from + k) : 0;
    bends += cells[k];
  }
  bends = vt_small_before(bends);
#pragma unroll
  for (int k = 0; k < VT_SMALL_THREAD_CELLS && k < each && from + k <= n; k++) {
    const float starts = static_cast<float>(strip + (band > 0)), more = bends * static_cast<float>(s.cell_rows);
    const float height = static_cast<float>(s.args.height), some = static_cast<float>(band * s.cell_rows);
    const float outer = (strip == 0 ? some : height)
                        + (strip + 1 < s.n_strips ? 0
                           : strip < s.n_strips   ? some
                                                  : height);
    const float rows = static_cast<float>(strip) * height + some + VT_SMALL_OUTER * outer;
    for (int set = 0; set < s.n_diagonals; set++) {
      const VtSmallCost cost = vt_small_cost(s, set);
      s.cut->begin[set][from + k] = cost.start * starts + cost.row * rows + cost.bend * more;
    }
    bends += cells[k];
    strip += band + 1 == s.n_bands;
    band = band + 1 == s.n_bands ? 0 : band + 1;
  }
}

/* Along diagonals there are cells. */
static __device__ __forceinline__ bool
vt_small_has_cells(const VtSmall &s, int set)
{
  return set < s.n_diagonals && s.n_bands > 0;
}

template <typename T>
static __device__ __forceinline__ T
vt_small_all(T value)
{
  for (int d = 1; d < VT_SLIDE_WARP; d *= 2)
    value += __shfl_xor_sync(~0u, value, d);
  return value;
}

/* All rows of a set. */
static __device__ __forceinline__ float
vt_small_cost_of(const VtSmall &s, int set)
{
  if (vt_small_has_cells(s, set))
    return __ldcg(s.cut->begin[set] + s.n_strips * s.n_bands);
  const VtSmallCost cost = vt_small_cost(s, set);
  return static_cast<float>(s.n_strips) * (cost.start + cost.row * static_cast<float>(s.args.height));
}

/* Blocks for each set, by a warp: no more than it costs, but one; then one more for that with most to do until there are no
 * more. */
static __device__ __forceinline__ void
vt_small_share_out(const VtSmall &s)
{
  const int lane = static_cast<int>(threadIdx.x) % VT_SLIDE_WARP, set = min(lane, s.n_sets - 1);
  const bool is = lane < s.n_sets;
  const float cost = is ? vt_small_cost_of(s, set) : 0, all = vt_small_all(cost);
  const float share = cost / all, start = vt_small_cost(s, set).start;
  int n = is ? max(static_cast<int>(static_cast<float>(s.n_blocks) * share), 1) : 0;
  if (vt_small_all(n) > s.n_blocks) /* few blocks, and sets that need less than one */
    n = is ? 1 + static_cast<int>(0.99f * static_cast<float>(s.n_blocks - s.n_sets) * share) : 0;
  for (int left = s.n_blocks - vt_small_all(n); left > 0; left--) {
    const float own = is ? cost / static_cast<float>(n * s.n_warps) + start : 0;
    float most = own;
    for (int d = 1; d < VT_SLIDE_WARP; d *= 2)
      most = fmaxf(most, __shfl_xor_sync(~0u, most, d));
    n += lane == __ffs(static_cast<int>(__ballot_sync(~0u, own == most))) - 1;
  }
  for (int d = 1; d < VT_SLIDE_WARP; d *= 2) {
    const int other = __shfl_up_sync(~0u, n, d);
    n += lane >= d ? other : 0;
  }
  if (is)
    s.cut->blocks[lane + 1] = static_cast<uint32_t>(n);
}

/* A row of the set's line: so much of its cost is before it. All lanes together. */
static __device__ __forceinline__ uint32_t
vt_small_row_after(const VtSmall &s, int set, float cost)
{
  const uint32_t rows = static_cast<uint32_t>(s.args.height), strips = static_cast<uint32_t>(s.n_strips);
  const uint32_t lane = threadIdx.x % VT_SLIDE_WARP, n_cells = strips * static_cast<uint32_t>(s.n_bands);
  const VtSmallCost costs = vt_small_cost(s, set);
  uint32_t strip, row = 0;
  float left = cost, rate = costs.row;
  if (vt_small_has_cells(s, set)) {
    const float *begin = s.cut->begin[set];
    uint32_t at = 0;
    for (uint32_t step = (n_cells + VT_SLIDE_WARP - 1) / VT_SLIDE_WARP; step; step = step == 1 ? 0 : (step + 31) / 32) {
      const uint32_t c = at + lane * step;
      const uint32_t before = __ballot_sync(~0u, c < n_cells && begin[min(c, n_cells)] <= left);
      at += before ? static_cast<uint32_t>(31 - __clz(static_cast<int>(before))) * step : 0;
    }
    left -= begin[at];
    strip = at / static_cast<uint32_t>(s.n_bands);
    row = at % static_cast<uint32_t>(s.n_bands) * static_cast<uint32_t>(s.cell_rows);
    rate *= strip == 0 || strip + 1 == strips ? 1 + VT_SMALL_OUTER : 1;
    rate += costs.bend * s.cut->cells[at];
  } else {
    const float one = costs.start + rate * static_cast<float>(rows);
    strip = min(static_cast<uint32_t>(left / one), strips - 1);
    left -= static_cast<float>(strip) * one;
  }
  left -= row == 0 ? costs.start : 0;
  row = min(row + static_cast<uint32_t>(fmaxf(left, 0.0f) / rate), rows);
  return strip * rows + row;
}

/* Scales by which all pieces of the last launch would have taken equally long, by a warp. A set costs more or less than the
 * others on each GPU, and in what proportion nobody knows before. */
static __device__ __forceinline__ void
vt_small_learn(const VtSmall &s)
{
  const int lane = static_cast<int>(threadIdx.x) % VT_SLIDE_WARP;
  const bool is = lane < VT_SMALL_MOST_SETS;
  float took = is ? __ldcg(s.cut->took + lane) : 0, expected = is ? __ldcg(s.cut->expected + lane) : 0;
  const bool known = took > 0 && expected > 0;
  const float rate = vt_small_all(known ? took : 0.0f) / vt_small_all(known ? expected : 0.0f);
  if (known) {
    const float change = fminf(fmaxf(took / (expected * rate), 0.5f), 2.0f);
    s.cut->scale[lane] = fminf(fmaxf(__ldcg(s.cut->scale + lane) * change, 0.125f), 8.0f);
  }
  if (is)
    s.cut->took[lane] = s.cut->expected[lane] = 0;
}

/* Where a set's rest begins, a warp for each; nothing of it is taken. */
static __device__ __forceinline__ void
vt_small_leave_rest(const VtSmall &s)
{
  const int set = static_cast<int>(threadIdx.x) / VT_SLIDE_WARP;
  if (set >= s.n_sets)
    return;
  const uint32_t rest = s.share < 1 ? vt_small_row_after(s, set, s.share * vt_small_cost_of(s, set))
                                    : static_cast<uint32_t>(s.n_strips * s.args.height);
  s.cut->rest[set] = rest;
  s.cut->taken[set] = 0;
  if (s.learns)
    s.cut->expected[vt_small_kind(s.sets[set])] = s.share * vt_small_cost_of(s, set);
}

/* Looks at all levels that windows have: *refused becomes the mark if one is too high; *listed 0. Then the last block fills
 * s.cut. */
static __global__ void
__launch_bounds__(VT_SMALL_WEIGH_THREADS)
  weigh_small(const __grid_constant__ VtSmall s, uint32_t *refused, uint32_t *listed)
{
  __shared__ bool last;
  const uint32_t cell = (blockIdx.x * blockDim.x + threadIdx.x) / VT_SLIDE_WARP;
  vt_gpu_glrlm_start_next();
  if (blockIdx.x == 0 && threadIdx.x == 0)
    *listed = 0;
  if (cell < static_cast<uint32_t>(s.n_strips * s.n_bands)) {
    const float steps = vt_small_weigh_cell(s, cell, refused);
    if (threadIdx.x % VT_SLIDE_WARP == 0)
      s.cut->cells[cell] = steps;
  }
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0)
    last = atomicAdd(&s.cut->ended, 1u) == gridDim.x - 1;
  __syncthreads();
  if (!last)
    return;
  __threadfence();
  if (threadIdx.x < VT_SLIDE_WARP)
    vt_small_learn(s);
  __threadfence_block();
  __syncthreads();
  vt_small_fill_begin(s);
  __syncthreads();
  if (threadIdx.x < VT_SLIDE_WARP)
    vt_small_share_out(s);
  vt_small_leave_rest(s);
  for (int k = static_cast<int>(threadIdx.x); k < s.n_blocks; k += VT_SMALL_WEIGH_THREADS)
    s.cut->places[k] = 0;
  if (threadIdx.x == 0)
    s.cut->ended = s.cut->blocks[0] = 0; /* as they were */
}

/* --- pieces --- */

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
    for (at %= n; atomicExch(s.cut->places + at, 1u) != 0;)
      at = at + 1 == n ? 0 : at + 1;
    place = at;
  }
  __syncthreads();
  return place;
}

/* The warp's set, and its piece of the set's line. */
static __device__ __forceinline__ uint32_t
vt_small_piece(const VtSmall &s, uint32_t *from, uint32_t *to)
{
  const uint32_t block = vt_small_place(s);
  int set = 0;
#pragma unroll
  for (int k = 1; k < VT_SMALL_MOST_SETS; k++)
    set += k < s.n_sets && block >= __ldcg(s.cut->blocks + k);
  const uint32_t first = __ldcg(s.cut->blocks + set), n_warps = static_cast<uint32_t>(s.n_warps);
  const uint32_t n = (__ldcg(s.cut->blocks + set + 1) - first) * n_warps;
  const uint32_t at = (block - first) * n_warps + threadIdx.x / VT_SLIDE_WARP;
  const float piece = s.share * vt_small_cost_of(s, set) / static_cast<float>(n);
  *from = at == 0 ? 0 : vt_small_row_after(s, set, static_cast<float>(at) * piece);
  *to = at + 1 == n ? __ldcg(s.cut->rest + set) : vt_small_row_after(s, set, static_cast<float>(at + 1) * piece);
  return static_cast<uint32_t>(set);
}

/* Takes some of what is left of this set, or else of another; false: there is nothing. */
static __device__ __forceinline__ bool
vt_small_next_part(const VtSmall &s, uint32_t *set, uint32_t *from, uint32_t *to)
{
  const uint32_t lane = threadIdx.x % VT_SLIDE_WARP, line = static_cast<uint32_t>(s.n_strips * s.args.height);
  const uint32_t rest = lane < static_cast<uint32_t>(s.n_sets) ? __ldcg(s.cut->rest + lane) : line;
  while (s.share < 1) {
    const bool any = rest < line && rest + __ldcg(s.cut->taken + lane) * VT_SMALL_PART < line;
    const uint32_t sets = __ballot_sync(~0u, any), others = sets >> *set << *set;
    if (!sets)
      return false;
    *set = static_cast<uint32_t>(__ffs(static_cast<int>(others ? others : sets))) - 1;
    const uint32_t part = __shfl_sync(~0u, lane == 0 ? atomicAdd(s.cut->taken + *set, 1u) : 0, 0);
    *from = __shfl_sync(~0u, rest, *set) + part * VT_SMALL_PART;
    *to = min(*from + VT_SMALL_PART, line);
    if (*from < *to)
      return true;
  }
  return false;
}
