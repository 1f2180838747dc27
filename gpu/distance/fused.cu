/* SPDX-License-Identifier: MIT
 *
 * fused.cu: the exact distance transform in one go, without column distances in memory.
 *
 * A block takes 64 rows of some columns, with a halo, and keeps their squared column distances as pairs of 16 bits
 * (rows r and r + 32 in a word). A warp takes 8 columns and looks outward, 8 columns at a time, where the least of
 * those in some row could still beat the worst pixel of that row. That is exact for distances below 240; what has a longer one goes to a list,
 * for a search by a block of its own in 32 bits, and to the search of whole rows (rows.cuh) if there are too many or
 * that is too far. The host waits for none of it. */
#include "../gpu.h"
#include "bands.cuh"
#include "outputs.cuh"

enum { BAND = VT_GPU_BAND, CELL = 8, HALO = 240, FAR = HALO * HALO, THREADS = 768, N_STEPS = HALO / CELL };
enum { HARD_THREADS = 256, CHUNK = HARD_THREADS / 2, MAX_REACH = 1024, MAX_HARD_SHARE = 32, N_ROW_BLOCKS = 8 };
/* So many steps overflow with no square; what they leave undecided is above MAX_SMALL. */
enum { N_SMALL_STEPS = 10, MAX_SMALL = (CELL * N_SMALL_STEPS + 1) * (CELL * N_SMALL_STEPS + 1) };
#ifndef N_MIXED
#define N_MIXED 0
#endif
enum { MAX_STRIPE = 1024, MIN_STRIPE = 128, PITCH = 33 /* words of a column: 32 and one against bank conflicts */ };

/* Cells of 8 columns by 64 rows: cell c of band b is b * n_cells + c. */
struct Hard {
  uint32_t *count, *cells; /* to be searched alone */
  uint32_t *flags;         /* per band: its rows are to be made whole */
  int64_t n_cells, max_count;
};

template <typename T> struct Job {
  VtGpuBands bands;
  VtGpuView<T> dst;
  Hard hard;
  float scale;
  uint32_t one;
  int stripe; /* columns of a block, a multiple of 32 */
  bool aligned;
};

static __device__ __forceinline__ uint32_t
twice(uint32_t value)
{
  return value | value << 16;
}

/* Shared memory of a block of so many columns: their squares, and per cell and row the least of them. */
static int
shared_bytes_of(int columns)
{
  return (columns * PITCH + columns / CELL * WARP) * static_cast<int>(sizeof(uint32_t));
}

/* 0xffff in the halves whose word has bit r. */
static __device__ __forceinline__ uint32_t
halves_with(uint32_t low, uint32_t high, int r)
{
  uint32_t both; /* the bit becomes the sign of its byte, which the permutation repeats */
  asm("prmt.b32 %0, %1, %2, %3;"
      : "=r"(both)
      : "r"(low << (7 - r % 8)), "r"(high << (7 - r % 8)), "r"(0xcc88 + 0x1111 * (r / 8)));
  return both;
}

/* Squared column distances, at most FAR. Rows below the image get some too; nobody looks at them. */
static __device__ void
square_column(uint32_t *squares, const VtGpuColumn &column, int32_t y0)
{
  const uint32_t low = static_cast<uint32_t>(column.bits), high = static_cast<uint32_t>(column.bits >> 32);
  const uint32_t above = column.above >= 0 ? min(y0 - column.above, static_cast<int32_t>(HALO)) : HALO;
  const uint32_t below = column.below >= 0 ? min(column.below - (y0 + BAND - 1), static_cast<int32_t>(HALO)) : HALO;
  uint32_t away[32];
  uint32_t d = (above - 1) | (low ? static_cast<uint32_t>(__clz(static_cast<int>(low))) : above + 31) << 16;
#pragma unroll
  for (int r = 0; r < 32; r++)
    away[r] = d = __viaddmin_u16x2(d, 0x10001u, halves_with(~low, ~high, r));
  d = (high ? static_cast<uint32_t>(__ffs(static_cast<int>(high)) - 1) : below + 31) | (below - 1) << 16;
#pragma unroll
  for (int r = 31; r >= 0; r--) {
    d = __viaddmin_u16x2(d, 0x10001u, halves_with(~low, ~high, r));
    const uint32_t nearer = __vimin3_u16x2(d, away[r], twice(HALO));
    const uint32_t a = nearer & 0xffffu, b = nearer >> 16;
    squares[r] = a * a + b * b * 0x10000u;
  }
}

/* The warp: per row the least square of a cell. */
static __device__ __forceinline__ uint32_t
least_of_cell(const uint32_t *squares)
{
  uint32_t least = squares[0];
#pragma unroll
  for (int s = 1; s < CELL - 1; s += 2)
    least = __vimin3_u16x2(least, squares[s * PITCH], squares[(s + 1) * PITCH]);
  return __vminu2(least, squares[(CELL - 1) * PITCH]);
}

/* A warp makes 32 columns at a time, and then their cells' least squares: stripes and halos are multiples of 32. */
template <typename T>
static __device__ void
square_columns(const Job<T> &job, uint32_t *squares, uint32_t *least, int64_t band, int64_t x0)
{
  const int lane = threadIdx.x % WARP;
  const int32_t y0 = static_cast<int32_t>(band * BAND);
  for (int c = threadIdx.x; c < job.stripe + 2 * HALO; c += THREADS) {
    const int64_t x = x0 - HALO + c;
    if (x >= 0 && x < job.bands.width)
      square_column(squares + c * PITCH, vt_gpu_bands_column(job.bands, band * job.bands.width + x), y0);
    else
      for (int r = 0; r < 32; r++)
        squares[c * PITCH + r] = twice(FAR);
    __syncwarp();
#pragma unroll
    for (int first = c - lane; first < c - lane + WARP; first += CELL)
      least[first / CELL * WARP + lane] = least_of_cell(squares + first * PITCH + lane);
  }
}

/* The multiplier adds: minima leave it idle. */
static __device__ __forceinline__ uint32_t
add(uint32_t a, uint32_t b, uint32_t one)
{
  uint32_t sum;
  asm("mad.lo.u32 %0, %1, %2, %3;" : "=r"(sum) : "r"(a), "r"(one), "r"(b));
  return sum;
}

/* What a cell, `step` cells to the left or right, does to the cell `best`. */
template <bool LEFT, bool CAPPED>
static __device__ __forceinline__ void
try_cell(uint32_t *best, const uint32_t *from, const uint32_t *squared_steps, uint32_t cap, int step, uint32_t one)
{
  uint32_t source[CELL], steps[2 * CELL];
#pragma unroll
  for (int s = 0; s < CELL; s++)
    source[s] = CAPPED ? __vminu2(from[s * PITCH], cap) : from[s * PITCH];
#pragma unroll
  for (int k = 0; k < 2 * CELL; k += 4) {
    const uint4 four = *reinterpret_cast<const uint4 *>(squared_steps + CELL * (step - 1) + k);
    steps[k] = four.x;
    steps[k + 1] = four.y;
    steps[k + 2] = four.z;
    steps[k + 3] = four.w;
  }
#pragma unroll
  for (int s = 0; s < CELL - N_MIXED; s++)
#pragma unroll
    for (int t = 0; t < CELL; t++)
      best[LEFT ? t : CELL - 1 - t] =
        __viaddmin_u16x2(source[LEFT ? s : CELL - 1 - s], steps[CELL + t - s], best[LEFT ? t : CELL - 1 - t]);
#pragma unroll
  for (int s = CELL - N_MIXED; s < CELL; s += 2)
#pragma unroll
    for (int t = 0; t < CELL; t++)
      best[LEFT ? t : CELL - 1 - t] =
        __vimin3_u16x2(best[LEFT ? t : CELL - 1 - t], add(source[LEFT ? s : CELL - 1 - s], steps[CELL + t - s], one),
                       add(source[LEFT ? s + 1 : CELL - 2 - s], steps[CELL + t - s - 1], one));
}

static __device__ __forceinline__ uint32_t
worst_of(const uint32_t *best)
{
  uint32_t worst = best[0];
#pragma unroll
  for (int t = 1; t < CELL - 1; t += 2)
    worst = __vimax3_u16x2(worst, best[t], best[t + 1]);
  return __vmaxu2(worst, best[CELL - 1]);
}

/* The warp: squared distances of a cell from its own columns; false: all are 0. */
static __device__ __forceinline__ bool
start_cell(uint32_t *best, const uint32_t *squares, uint32_t mask, int n_columns)
{
  uint32_t own[CELL];
#pragma unroll
  for (int t = 0; t < CELL; t++)
    best[t] = own[t] = squares[t * PITCH];
  if (!__any_sync(~0u, worst_of(own) & mask))
    return false;
#pragma unroll
  for (int s = 0; s < CELL; s++)
#pragma unroll
    for (int t = 0; t < CELL; t++)
      if (s != t)
        best[t] = __viaddmin_u16x2(own[s], static_cast<uint32_t>((s - t) * (s - t)) * 0x10001u, best[t]);
  if (n_columns < CELL || mask != ~0u) {
#pragma unroll
    for (int t = 0; t < CELL; t++)
      best[t] = t < n_columns ? best[t] & mask : 0;
  }
  return true;
}

/* The warp: steps from *step on that can still better a pixel, up to `last`. worst: the lane's worst pixels. */
template <bool CAPPED>
static __device__ __forceinline__ void
search_steps(uint32_t *best, uint32_t *worst, const uint32_t *squares, const uint32_t *least,
             const uint32_t *squared_steps, int first, int last, uint32_t one)
{
  for (int step = first; step <= last; step++) {
    const uint32_t near = static_cast<uint32_t>(CELL * step - 7), far = near + 14, nearest = twice(near * near);
    const uint32_t cap = ~(far * far * 0x10001u); /* no sum overflows; what is cut stays above FAR */
    uint32_t left = least[-step * WARP], right = least[step * WARP];
    if (!__any_sync(~0u, __vmaxu2(*worst, nearest) != nearest))
      return;
    if (CAPPED) {
      left = __vminu2(left, cap);
      right = __vminu2(right, cap);
    }
    const bool to_left = __any_sync(~0u, __viaddmin_u16x2(left, nearest, *worst) != *worst);
    const bool to_right = __any_sync(~0u, __viaddmin_u16x2(right, nearest, *worst) != *worst);
    if (to_left)
      try_cell<true, CAPPED>(best, squares - CELL * PITCH * step, squared_steps, cap, step, one);
    if (to_right)
      try_cell<false, CAPPED>(best, squares + CELL * PITCH * step, squared_steps, cap, step, one);
    if (to_left || to_right)
      *worst = worst_of(best);
  }
}

/* The warp: squared distances of a started cell; false where one may be longer than what was searched. squares, least: the
 * lane's, at the cell. */
static __device__ __forceinline__ bool
search_cell(uint32_t *best, const uint32_t *squares, const uint32_t *least, const uint32_t *squared_steps, uint32_t one)
{
  uint32_t worst = worst_of(best);
  search_steps<false>(best, &worst, squares, least, squared_steps, 1, N_SMALL_STEPS, one);
  if (__any_sync(~0u, __vmaxu2(worst, twice(MAX_SMALL)) != twice(MAX_SMALL)))
    search_steps<true>(best, &worst, squares, least, squared_steps, N_SMALL_STEPS + 1, N_STEPS, one);
  return !__any_sync(~0u, __vmaxu2(worst, twice(FAR - 1)) != twice(FAR - 1));
}

/* The correctly rounded root of a squared distance below 2^16, with 0x4b000000 (a float of 2^23) above it, without the
 * steps that others need. twin-edt tries every one that can occur ("all short roots"). */
static __device__ __forceinline__ float
short_root(uint32_t squared)
{
  const float value = __fsub_rn(__uint_as_float(squared), 8388608.0f);
  const float inverse = rsqrtf(fmaxf(value, 1e-30f)), root = __fmul_rn(value, inverse);
  return __fmaf_rn(__fmaf_rn(-root, root, value), __fmul_rn(0.5f, inverse), root);
}

template <bool UNIT>
static __device__ __forceinline__ float4
four_roots(const uint32_t *squares, int half, float scale)
{
  float out[4];
#pragma unroll
  for (int t = 0; t < 4; t++) {
    out[t] = short_root(__byte_perm(squares[t], 0x4b000000u, half ? 0x7632 : 0x7610));
    if (!UNIT)
      out[t] = __fmul_rn(out[t], scale);
  }
  return make_float4(out[0], out[1], out[2], out[3]);
}

/* The warp, with 64 whole rows of 8 columns: two lanes swap halves of their rows, so that they write one sector each time
 * together. */
template <bool UNIT>
static __device__ __forceinline__ void
store_whole(const Job<float> &job, const uint32_t *best, int64_t x, int64_t y0, int lane)
{
  const bool odd = lane % 2;
  uint32_t upper[4], lower[4];
#pragma unroll
  for (int t = 0; t < 4; t++) {
    const uint32_t other = __shfl_xor_sync(~0u, odd ? best[t] : best[4 + t], 1);
    upper[t] = odd ? other : best[t];
    lower[t] = odd ? best[4 + t] : other;
  }
#pragma unroll
  for (int k = 0; k < 2; k++) {
    char *at = reinterpret_cast<char *>(job.dst.row(y0 + lane - odd + 32 * k) + x + 4 * odd);
    *reinterpret_cast<float4 *>(at) = four_roots<UNIT>(upper, k, job.scale);
    *reinterpret_cast<float4 *>(at + job.dst.stride) = four_roots<UNIT>(lower, k, job.scale);
  }
}

static __device__ __forceinline__ void
store_short(float *dst, uint32_t squared, float scale)
{
  *dst = __fmul_rn(short_root(squared | 0x4b000000u), scale);
}

static __device__ __forceinline__ void
store_short(int64_t *dst, uint32_t squared, float scale)
{
  *dst = squared;
}

/* The warp: the cell's pixels inside the image. */
template <typename T>
static __device__ __forceinline__ void
store_cell(const Job<T> &job, const uint32_t *best, int64_t x, int64_t y0, int n_columns, int n_rows, int lane)
{
  if constexpr (sizeof(T) == sizeof(float))
    if (job.aligned && n_columns == CELL && n_rows == BAND) {
      if (job.scale == 1)
        store_whole<true>(job, best, x, y0, lane);
      else
        store_whole<false>(job, best, x, y0, lane);
      return;
    }
  for (int k = 0; k < 2; k++)
    if (lane + 32 * k < n_rows) {
      T *dst = job.dst.row(y0 + lane + 32 * k) + x;
#pragma unroll
      for (int t = 0; t < CELL; t++)
        if (t < n_columns)
          store_short(dst + t, best[t] >> 16 * k & 0xffffu, job.scale);
    }
}

/* The warp: a cell of background. */
template <typename T>
static __device__ __forceinline__ void
clear_cell(const Job<T> &job, const uint32_t *best, int64_t x, int64_t y0, int n_columns, int n_rows, int lane)
{
  if (!job.aligned || n_columns < CELL || n_rows < BAND) {
    store_cell(job, best, x, y0, n_columns, n_rows, lane);
    return;
  }
  constexpr int per_row = CELL * sizeof(T) / sizeof(uint4); /* lanes that write a row together */
#pragma unroll
  for (int k = 0; k < BAND; k += WARP / per_row)
    reinterpret_cast<uint4 *>(job.dst.row(y0 + k + lane / per_row) + x)[lane % per_row] = make_uint4(0, 0, 0, 0);
}

/* squared_steps[d]: d² in both halves. The kernel's shared memory: columns' squares, cells' least squares. */
template <typename T>
static __global__ void
__launch_bounds__(THREADS, 1) near_cells(Job<T> job)
{
  extern __shared__ __align__(16) uint32_t squares[];
  __shared__ __align__(16) uint32_t squared_steps[HALO + 2 * CELL];
  __shared__ int next_cell;
  const int lane = threadIdx.x % WARP;
  const int64_t n_stripes = (job.bands.width + job.stripe - 1) / job.stripe;
  const int64_t band = blockIdx.x / n_stripes, x0 = blockIdx.x % n_stripes * job.stripe, y0 = band * BAND;
  uint32_t *least = squares + (job.stripe + 2 * HALO) * PITCH;
  for (int d = threadIdx.x; d < HALO + 2 * CELL; d += THREADS)
    squared_steps[d] = twice(static_cast<uint32_t>(d * d));
  if (threadIdx.x == 0)
    next_cell = THREADS / WARP;
  square_columns(job, squares, least, band, x0);
  __syncthreads();
  const int n_rows = static_cast<int>(min(job.dst.height - y0, static_cast<int64_t>(BAND)));
  const uint32_t mask = (lane < n_rows ? 0xffffu : 0u) | (lane + 32 < n_rows ? 0xffff0000u : 0u);
  for (int cell = threadIdx.x / WARP, next = 0;; cell = __shfl_sync(~0u, next, 0)) {
    if (lane == 0) /* long before it is needed */
      next = atomicAdd(&next_cell, 1);
    const int64_t x = x0 + cell * CELL;
    if (cell >= job.stripe / CELL || x >= job.bands.width)
      return;
    const int n_columns = static_cast<int>(min(job.bands.width - x, static_cast<int64_t>(CELL)));
    uint32_t best[CELL];
    const int at = HALO / CELL + cell;
    if (!start_cell(best, squares + at * CELL * PITCH + lane, mask, n_columns))
      clear_cell(job, best, x, y0, n_columns, n_rows, lane);
    else if (search_cell(best, squares + at * CELL * PITCH + lane, least + at * WARP + lane, squared_steps, job.one))
      store_cell(job, best, x, y0, n_columns, n_rows, lane);
    else if (lane == 0)
      job.hard.cells[atomicAdd(job.hard.count, 1u)] = static_cast<uint32_t>(band * job.hard.n_cells + x / CELL);
  }
}

/* What one lane knows of a hard cell: 8 columns of its rows r and r + 32. */
struct HardLane {
  uint32_t best[2][CELL];
};

static __device__ __forceinline__ uint32_t
square_near(const VtGpuColumn &column, int32_t y0, int r)
{
  const int32_t dy = min(vt_gpu_column_distance(column, y0, r), static_cast<int32_t>(NEAR));
  return static_cast<uint32_t>(dy * dy);
}

/* dx: from the cell's first column. */
static __device__ __forceinline__ void
try_column_on_cell(HardLane *hard, const VtGpuColumn &column, int32_t y0, int32_t dx, int lane)
{
  const uint32_t upper = square_near(column, y0, lane), lower = square_near(column, y0, lane + WARP);
#pragma unroll
  for (int t = 0; t < CELL; t++) {
    const uint32_t step = static_cast<uint32_t>((dx - t) * (dx - t));
    hard->best[0][t] = min(hard->best[0][t], upper + step);
    hard->best[1][t] = min(hard->best[1][t], lower + step);
  }
}

/* The warp: 32 columns, one to a lane, that are `dx` from the cell's first column; those that may have something nearer than
 * the root of `bound`. */
static __device__ void
try_columns_on_cell(HardLane *hard, const VtGpuBands &bands, int64_t band, int64_t x, int32_t dx, uint32_t bound,
                    int lane)
{
  const int32_t y0 = static_cast<int32_t>(band * BAND);
  VtGpuColumn own = { 0, -1, -1 };
  if (x + dx >= 0 && x + dx < bands.width)
    own = vt_gpu_bands_column(bands, band * bands.width + x + dx);
  int32_t dy = own.bits ? 0 : +NEAR;
  if (own.above >= 0)
    dy = min(dy, y0 - own.above);
  if (own.below >= 0)
    dy = min(dy, own.below - (y0 + BAND - 1));
  const int32_t least_dx = dx < 0 ? -dx : max(dx - (CELL - 1), 0);
  uint32_t wanted =
    __ballot_sync(~0u, static_cast<uint32_t>(dy * dy) + static_cast<uint32_t>(least_dx * least_dx) < bound);
  for (; wanted; wanted &= wanted - 1) {
    const int from = __ffs(static_cast<int>(wanted)) - 1;
    const VtGpuColumn column = { __shfl_sync(~0u, own.bits, from), __shfl_sync(~0u, own.above, from),
                                 __shfl_sync(~0u, own.below, from) };
    try_column_on_cell(hard, column, y0, dx - lane + from, lane);
  }
}

/* The block: the least of what its warps found, into `least`; returns the worst pixel's. */
static __device__ uint32_t
join_warps(uint32_t (*least)[BAND], uint32_t *worst, const HardLane &hard, int lane, int n_columns, int n_rows)
{
#pragma unroll
  for (int t = 0; t < CELL; t++) {
    atomicMin(&least[t][lane], hard.best[0][t]);
    atomicMin(&least[t][lane + WARP], hard.best[1][t]);
  }
  __syncthreads();
  for (int i = threadIdx.x; i < CELL * BAND; i += HARD_THREADS)
    if (i / BAND < n_columns && i % BAND < n_rows)
      atomicMax(worst, least[i / BAND][i % BAND]);
  __syncthreads();
  const uint32_t found = *worst;
  __syncthreads();
  if (threadIdx.x == 0)
    *worst = 0;
  return found;
}

/* The block: the cell's squares, in `least`; false if they may be too large. A warp starts with one column of the cell, and
 * goes on with every fourth run of 32 columns to one side. */
static __device__ bool
search_hard(uint32_t (*least)[BAND], uint32_t *worst, const VtGpuBands &bands, int64_t band, int64_t x, int n_columns,
            int n_rows)
{
  const int lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
  HardLane hard;
#pragma unroll
  for (int t = 0; t < CELL; t++)
    hard.best[0][t] = hard.best[1][t] = NEAR_SQUARED;
  for (int i = threadIdx.x; i < CELL * BAND; i += HARD_THREADS)
    least[i / BAND][i % BAND] = NEAR_SQUARED;
  if (threadIdx.x == 0)
    *worst = 0;
  __syncthreads();
  if (warp < n_columns)
    try_column_on_cell(&hard, vt_gpu_bands_column(bands, band * bands.width + x + warp),
                       static_cast<int32_t>(band * BAND), warp, lane);
  uint32_t bound = join_warps(least, worst, hard, lane, n_columns, n_rows);
  for (int32_t reach = 0; reach <= MAX_REACH; reach += CHUNK) {
    if (static_cast<uint32_t>(reach * reach) >= bound) /* no column beyond the last ones is nearer */
      return bound < NEAR_SQUARED;
    const int32_t run = reach + warp / 2 * WARP;
    try_columns_on_cell(&hard, bands, band, x, warp % 2 == 0 ? lane - WARP - run : CELL + run + lane, bound, lane);
    bound = join_warps(least, worst, hard, lane, n_columns, n_rows);
  }
  return false;
}

static __device__ void
flag_bands(const Hard &hard, uint32_t count)
{
  for (uint32_t i = blockIdx.x * HARD_THREADS + threadIdx.x; i < count; i += gridDim.x * HARD_THREADS)
    hard.flags[hard.cells[i] / static_cast<uint32_t>(hard.n_cells)] = 1;
}

template <typename T>
static __global__ void
__launch_bounds__(HARD_THREADS) hard_cells(Job<T> job)
{
  __shared__ uint32_t least[CELL][BAND], worst;
  const uint32_t count = *job.hard.count, n_cells = static_cast<uint32_t>(job.hard.n_cells);
  if (count > job.hard.max_count) { /* rows as a whole are cheaper */
    flag_bands(job.hard, count);
    return;
  }
  for (uint32_t i = blockIdx.x; i < count; i += gridDim.x) {
    const int64_t band = job.hard.cells[i] / n_cells, x = job.hard.cells[i] % n_cells * CELL;
    const int n_columns = static_cast<int>(min(job.bands.width - x, static_cast<int64_t>(CELL)));
    const int n_rows = static_cast<int>(min(job.dst.height - band * BAND, static_cast<int64_t>(BAND)));
    if (!search_hard(least, &worst, job.bands, band, x, n_columns, n_rows)) {
      if (threadIdx.x == 0)
        job.hard.flags[band] = 1;
    } else {
      for (int at = threadIdx.x; at < CELL * BAND; at += HARD_THREADS)
        if (at % CELL < n_columns && at / CELL < n_rows)
          store(&job.dst.row(band * BAND + at / CELL)[x + at % CELL], static_cast<int64_t>(least[at % CELL][at / CELL]),
                job.scale);
    }
    __syncthreads();
  }
}

/* Rows of flagged bands. rows, nearest: room for a row of distances and its nodes per block. */
template <typename T>
static __global__ void
__launch_bounds__(ROW_THREADS) hard_rows(Job<T> job, int32_t *rows, int32_t *nearest, int32_t n_nodes)
{
  const int64_t width = job.bands.width;
  int32_t *row = rows + blockIdx.x * width;
  for (int64_t y = blockIdx.x; y < job.dst.height; y += gridDim.x) {
    const int64_t band = y / BAND;
    if (!job.hard.flags[band])
      continue;
    for (int64_t x = threadIdx.x; x < width; x += ROW_THREADS)
      row[x] = vt_gpu_column_distance(vt_gpu_bands_column(job.bands, band * width + x),
                                      static_cast<int32_t>(band * BAND), static_cast<int>(y % BAND));
    __syncthreads();
    transform_row(row, job.dst.row(y), static_cast<int32_t>(width), job.scale,
                  nearest + static_cast<int64_t>(blockIdx.x) * (n_nodes + 1), n_nodes);
  }
}

/* Wide stripes share their halo among more columns, narrow ones keep all multiprocessors busy. 0: no stripe fits. */
static int
pick_stripe(const VtDevice *device, const VtGpuBands *bands, int shared_bytes)
{
  int stripe = MAX_STRIPE;
  while (stripe >= MIN_STRIPE) {
    const int bytes = shared_bytes_of(stripe + 2 * HALO);
    const int64_t blocks = bands->n_bands * vt_gpu_blocks(bands->width, stripe);
    if (bytes <= shared_bytes && (blocks >= 3 * device->n_multiprocessors || stripe == 256 || stripe == MIN_STRIPE))
      return stripe;
    stripe /= 2;
  }
  return 0;
}

template <typename T>
static VitrailStatus
run_near(VtDevice *device, Job<T> *job)
{
  const int64_t blocks = job->bands.n_bands * vt_gpu_blocks(job->bands.width, job->stripe);
  const int bytes = shared_bytes_of(job->stripe + 2 * HALO);
  VT_GPU_TRY(device, cudaFuncSetAttribute(near_cells<T>, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(static_cast<unsigned>(blocks));
  config.blockDim = dim3(THREADS);
  config.dynamicSmemBytes = static_cast<size_t>(bytes);
  config.stream = device->stream;
  VT_GPU_TRY(device, cudaLaunchKernelEx(&config, near_cells<T>, *job));
  return VITRAIL_OK;
}

template <typename T>
static VitrailStatus
run(VtDevice *device, const VtEdt *args)
{
  Job<T> job = { {}, VtGpuView<T>(args->dst), {}, args->scale, 1, 0, false };
  const int64_t n_bands = vt_gpu_blocks(args->src.height, BAND), n_cells = vt_gpu_blocks(args->src.width, CELL);
  const int64_t n_nodes = vt_gpu_blocks(args->src.width, WARP), n_blocks = N_ROW_BLOCKS * device->n_multiprocessors;
  const size_t bands_bytes = vt_gpu_bands_size(&args->src);
  const int64_t n_words = 1 + n_bands + n_bands * n_cells + n_blocks * (args->src.width + n_nodes + 1);
  int shared_bytes = 0;
  void *scratch = NULL;
  if (n_bands * n_cells > INT32_MAX)
    return VITRAIL_UNSUPPORTED;
  VT_GPU_TRY(device, cudaDeviceGetAttribute(&shared_bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device->ordinal));
  VT_TRY(vt_gpu_scratch(device, bands_bytes + static_cast<size_t>(n_words) * sizeof(uint32_t), &scratch));
  job.hard.count = reinterpret_cast<uint32_t *>(static_cast<char *>(scratch) + bands_bytes);
  job.hard.flags = job.hard.count + 1;
  job.hard.cells = job.hard.flags + n_bands;
  int32_t *rows = reinterpret_cast<int32_t *>(job.hard.cells + n_bands * n_cells);
  job.hard.n_cells = n_cells;
  job.hard.max_count = n_bands * n_cells / MAX_HARD_SHARE + device->n_multiprocessors;
  job.aligned = (reinterpret_cast<uintptr_t>(args->dst.data) | static_cast<uintptr_t>(args->dst.stride)) % 16 == 0;
  job.bands.width = args->src.width;
  job.bands.n_bands = n_bands;
  job.stripe = pick_stripe(device, &job.bands, shared_bytes - 2048);
  if (job.stripe == 0)
    return VITRAIL_UNSUPPORTED;
  VT_GPU_TRY(device, cudaMemsetAsync(job.hard.count, 0, static_cast<size_t>(1 + n_bands) * 4, device->stream));
  VT_TRY(vt_gpu_bands_make(device, &args->src, scratch, &job.bands));
  VT_TRY(run_near(device, &job));
  VT_TRY(vt_gpu_launch(device, "hard_cells", hard_cells<T>, n_blocks, HARD_THREADS, job));
  VT_TRY(vt_gpu_launch(device, "hard_rows", hard_rows<T>, n_blocks, ROW_THREADS, job, rows,
                       rows + n_blocks * args->src.width, static_cast<int32_t>(n_nodes)));
  return vt_gpu_sync(device);
}

VitrailStatus
vt_gpu_distance_fused(VtDevice *device, const VtEdt *args, const VtCancel *cancel)
{
  if (args->src.height >= INT32_MAX - BAND || args->src.width >= INT32_MAX - 2 * WARP)
    return VITRAIL_UNSUPPORTED;
  if (vt_cancelled(cancel))
    return VITRAIL_CANCELLED;
  return args->dst.type == VT_I64 ? run<int64_t>(device, args) : run<float>(device, args);
}
