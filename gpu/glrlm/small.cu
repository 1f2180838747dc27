/* SPDX-License-Identifier: MIT
 *
 * small.cu: sliding windows of at most 15 x 15 over bytes of at most 64 levels, every pixel a window (small.cuh): a warp
 * for each strip, chunk of rows and direction. */
#include "../gpu.h"
#include "small-columns.cuh"
#include "small-values.cuh"

enum {
  THREADS = 256,
  LIST_SIZE = 1 << 20,
  MOST_ROWS = 128,
  LEAST_ROWS = 24,  /* fewer pay more for the rows above a task's first than their balance gains */
  LEAST_ROUNDS = 9, /* quarters of a task for a warp, so that warps end together */
  N_TABLES = 4,
  SUM_STEP = 4, /* words that are summed up together */
  LEVEL_STEP = 4,
  LENGTHS = VT_SMALL_ROWS * VT_SLIDE_WARP /* words of remembered rows */
};
static const uint32_t of_sums = 1u << VT_GLRLM_LGRE | 1u << VT_GLRLM_HGRE | 1u << VT_GLRLM_SRLGE | 1u << VT_GLRLM_SRHGE
                                | 1u << VT_GLRLM_LRLGE | 1u << VT_GLRLM_LRHGE;
static const uint32_t of_lengths = 1u << VT_GLRLM_SRE | 1u << VT_GLRLM_LRE | 1u << VT_GLRLM_RLN | 1u << VT_GLRLM_RP;
static const uint32_t small_features = of_sums | of_lengths | 1u << VT_GLRLM_GLN;

/* Words of shared memory: a block's tables (of sums, and of counts), and what each warp has. */
static __host__ __device__ __forceinline__ int
table_words(const VtSmall &s)
{
  return 4 * (s.kinds[0] ? N_TABLES * vt_small_table(s) : 0) + 4 * VT_SMALL_LENGTHS_TABLE;
}

static __host__ __device__ __forceinline__ int
warp_words(const VtSmall &s)
{
  const int counts = VT_SMALL_LEVELS + s.n_level_words + 1;
  const int n = VT_SMALL_ITEMS + counts * VT_SMALL_SPAN, n_sums = LENGTHS + VT_SMALL_N_SUMS * VT_SMALL_SPAN;
  return LENGTHS + (s.kinds[0] && n < n_sums ? n_sums : n);
}

/* Sets of tasks: a direction and a kind. */
static __device__ __forceinline__ bool
is_diagonal(const VtSmall &s, uint32_t set)
{
  return set < static_cast<uint32_t>(s.n_diagonals * s.n_kinds);
}

/* Where the block begins: blocks are shared out as work is, and diagonals cost twice as much. */
static __device__ __forceinline__ uint32_t
first_set(const VtSmall &s)
{
  const uint32_t n_diagonal = static_cast<uint32_t>(s.n_diagonals * s.n_kinds);
  const uint32_t n_straight = static_cast<uint32_t>((s.n_directions - s.n_diagonals) * s.n_kinds);
  const uint32_t at = blockIdx.x * (2 * n_diagonal + n_straight) / gridDim.x;
  return at < 2 * n_diagonal ? at / 2 : at - n_diagonal;
}

/* Sums of N words over the columns up to the lane's ones, together, since each step waits. A lane without a partner adds
 * nothing. */
template <int N>
static __device__ __forceinline__ void
running(uint32_t (*four)[VT_SMALL_COLUMNS])
{
  uint32_t sum[N];
#pragma unroll
  for (int w = 0; w < N; w++) {
    four[w][1] += four[w][0];
    four[w][2] += four[w][1];
    four[w][3] += four[w][2];
    sum[w] = four[w][3];
  }
#pragma unroll
  for (int d = 1; d < VT_SLIDE_WARP; d *= 2)
#pragma unroll
    for (int w = 0; w < N; w += N % 4 ? 2 : 4)
      if (N % 4)
        vt_small_add_left2(sum + w, d);
      else
        vt_small_add_left4(sum + w, d);
#pragma unroll
  for (int w = 0; w < N; w++) {
    sum[w] -= four[w][3];
#pragma unroll
    for (int i = 0; i < VT_SMALL_COLUMNS; i++)
      four[w][i] += sum[w];
  }
}

/* Sums of N words over as many columns as a window has, up to the lane's ones; of no use where they begin left of the
 * strip. */
template <int N>
static __device__ __forceinline__ void
sliding(int side, uint32_t (*four)[VT_SMALL_COLUMNS])
{
  const int whole = side / 4, odd = whole & 1; /* lanes between the window's first and last */
  uint32_t before[N];
#pragma unroll
  for (int w = 0; w < N; w++) {
    const uint32_t all = four[w][0] + four[w][1] + four[w][2] + four[w][3];
    const uint32_t one = vt_slide_up(all, 1), two = vt_slide_up(all + one, 1 + odd);
    before[w] = one * static_cast<uint32_t>(odd) + two * static_cast<uint32_t>(whole / 2);
  }
  if (side % 4 == 1) {
#pragma unroll
    for (int w = 0; w < N; w++) {
      const uint32_t first = four[w][0], second = first + four[w][1], third = second + four[w][2];
      four[w][0] = before[w] + first;
      four[w][1] = before[w] + second - vt_slide_up(first, whole);
      four[w][2] = before[w] + third - vt_slide_up(second, whole);
      four[w][3] = before[w] + third + four[w][3] - vt_slide_up(third, whole);
    }
  } else {
#pragma unroll
    for (int w = 0; w < N; w++) {
      const uint32_t first = four[w][0], second = first + four[w][1], third = second + four[w][2], last = four[w][3];
      four[w][0] = before[w] + first + vt_slide_up(four[w][2] + last, whole + 1);
      four[w][1] = before[w] + second + vt_slide_up(last, whole + 1);
      four[w][2] = before[w] + third;
      four[w][3] = before[w] + third + last - vt_slide_up(first, whole);
    }
  }
}

/* Sums of N words of the lane's columns over the windows that end there. DOWN: columns have what is in them; else what
 * windows gain there. */
template <int N, bool DOWN>
static __device__ __forceinline__ void
sum_up(const VtSmall &s, uint32_t (*four)[VT_SMALL_COLUMNS])
{
  if (DOWN)
    sliding<N>(s.args.side, four);
  else
    running<N>(four);
}

/* The same of words in shared memory, from `word` on. */
template <int N, bool DOWN>
static __device__ __forceinline__ void
sum_up(const VtSmall &s, const VtSmallStrip &strip, int word, uint32_t (*four)[VT_SMALL_COLUMNS])
{
#pragma unroll
  for (int w = 0; w < N; w++)
    vt_slide_load4(strip.words + (word + w) * VT_SMALL_SPAN + VT_SMALL_COLUMNS * strip.lane, four[w]);
  sum_up<N, DOWN>(s, four);
}

/* Of lengths, with what bends have added to them. */
template <bool BENT, bool DOWN>
static __device__ __forceinline__ void
sum_up(const VtSmall &s, const VtSmallStrip &strip, const VtSmallCounts &columns, uint32_t (*four)[VT_SMALL_COLUMNS])
{
#pragma unroll
  for (int w = 0; w < VT_SMALL_LEVELS; w++) {
    uint32_t bent[VT_SMALL_COLUMNS] = {};
    if (BENT)
      vt_slide_load4(strip.words + w * VT_SMALL_SPAN + VT_SMALL_COLUMNS * strip.lane, bent);
#pragma unroll
    for (int j = 0; j < VT_SMALL_COLUMNS; j++)
      four[w][j] = columns.word[j][w] + bent[j];
  }
  sum_up<VT_SMALL_LEVELS, DOWN>(s, four);
}

template <bool FAST, bool DOWN>
static __device__ __forceinline__ void
put_rest(const VtSmall &s, const VtSmallStrip &strip, VtSmallWindows *w, const VtSmallLengths &lengths)
{
  uint32_t squares[VT_SMALL_COLUMNS] = {}, four[LEVEL_STEP][VT_SMALL_COLUMNS];
  vt_small_put_lengths<FAST>(s, w, lengths);
#pragma unroll 1
  for (int word = 0; word < s.n_level_words; word += LEVEL_STEP) {
    sum_up<LEVEL_STEP, DOWN>(s, strip, VT_SMALL_LEVELS + word, four);
#pragma unroll
    for (int k = 0; k < LEVEL_STEP; k++)
      vt_small_take_levels(squares, four[k]);
  }
  if (s.levels)
    vt_small_put_means<FAST>(s, *w, VT_GLRLM_GLN, squares);
}

template <bool BENT, bool DOWN>
static __device__ __forceinline__ void
put(const VtSmall &s, const VtSmallStrip &strip, const VtSmallCounts &columns, int j)
{
  VtSmallWindows w = vt_small_windows(s, strip, j);
  VtSmallLengths lengths = {};
  uint32_t four[VT_SMALL_LEVELS][VT_SMALL_COLUMNS];
  sum_up<BENT, DOWN>(s, strip, columns, four);
  vt_small_take_lengths<3>(&lengths, four[3]);
  vt_small_take_lengths<2>(&lengths, four[2]);
  vt_small_take_lengths<1>(&lengths, four[1]);
  vt_small_take_lengths<0>(&lengths, four[0]);
  vt_small_set_runs(&w, lengths);
  if (vt_small_is_fast(s, w, of_lengths))
    put_rest<true, DOWN>(s, strip, &w, lengths);
  else
    put_rest<false, DOWN>(s, strip, &w, lengths);
}

template <bool FAST, bool DOWN>
static __device__ __forceinline__ void
put_rest(const VtSmall &s, const VtSmallStrip &strip, VtSmallWindows *w, const uint32_t *level2, const uint32_t *both2)
{
  uint32_t four[SUM_STEP][VT_SMALL_COLUMNS];
  vt_small_put_means<FAST>(s, *w, VT_GLRLM_HGRE, level2);
  vt_small_put_means<FAST>(s, *w, VT_GLRLM_LRHGE, both2);
#pragma unroll 1
  for (int word = VT_SMALL_SRHGE; word <= VT_SMALL_LGRE; word += SUM_STEP) { /* shorter code stays in the cache */
    sum_up<SUM_STEP, DOWN>(s, strip, word, four);
#pragma unroll
    for (int k = 0; k < SUM_STEP; k += 2)
      vt_small_put_fixed<FAST>(s, w, word + k, four[k], four[k + 1]);
    if (FAST)
      vt_small_defer_fixed(s, w, word);
  }
}

template <bool BENT, bool DOWN>
static __device__ __forceinline__ void
put(const VtSmall &s, const VtSmallStrip &strip, const VtSmallSums &, int j)
{
  VtSmallWindows w = vt_small_windows(s, strip, j);
  uint32_t four[2][VT_SMALL_COLUMNS], runs[VT_SMALL_COLUMNS];
  sum_up<2, DOWN>(s, strip, VT_SMALL_BOTH2, four);
#pragma unroll
  for (int k = 0; k < VT_SMALL_COLUMNS; k++) {
    four[0][k] /= 8;
    runs[k] = four[1][k] >> 24;
    four[1][k] &= 0xffffff;
  }
  vt_small_set_runs(&w, runs);
  if (vt_small_is_fast(s, w, of_sums))
    put_rest<true, DOWN>(s, strip, &w, four[1], four[0]);
  else
    put_rest<false, DOWN>(s, strip, &w, four[1], four[0]);
}

/* The direction is known here, so that each has code of its own, without the others' cases. */
template <typename Columns, int DIRECTION>
static __device__ __forceinline__ void
move_down(const VtSmall &s, VtSmallStrip strip, int64_t first_row, int n_rows)
{
  constexpr bool down = DIRECTION == VT_GLRLM_DIR_0_1, diagonal = !down && DIRECTION != VT_GLRLM_DIR_1_0;
  const int side = s.args.side, n = n_rows + side - 1;
  VtSmallAbove above = {};
  Columns columns = {};
  strip.direction = DIRECTION;
  strip.by = DIRECTION == VT_GLRLM_DIR_M1_1 ? -1 : 1;
  uint32_t *const rows = strip.rows + strip.lane;
  const int top = static_cast<int>(s.args.y0 - s.args.half + first_row);
  VtSmallLoaded next = vt_small_load(s, strip, top);
#pragma unroll 1
  for (int b = 0; b < n; b++) {
    const uint32_t in = vt_small_four(strip, next);
    const uint32_t out = rows[static_cast<uint32_t>(b - side) % VT_SMALL_ROWS * VT_SLIDE_WARP];
    rows[static_cast<uint32_t>(b) % VT_SMALL_ROWS * VT_SLIDE_WARP] = in;
    next = vt_small_load(s, strip, top + b + 1);
    const VtSmallPass pass = diagonal ? vt_small_pass_diagonal(&above, in, out, strip.lane, side)
                             : down   ? vt_small_pass_down(&above, in, out, side)
                                      : vt_small_pass_along(strip, in, out, static_cast<uint32_t>(b), side);
    columns.template gain<diagonal, down>(s, strip, vt_small_terms(pass, side, diagonal, down));
    if (diagonal)
      vt_small_bend_all<Columns>(s, strip, vt_small_list(strip, pass, side));
    __syncwarp();
    if (b >= side - 1)
      put<diagonal, down>(s, strip, columns, top + b - static_cast<int>(s.args.y0 + s.args.half));
    __syncwarp();
  }
}

template <typename Columns>
static __device__ __forceinline__ void
move_down(const VtSmall &s, const VtSmallStrip &strip, int64_t first_row, int n_rows)
{
  if (strip.direction == VT_GLRLM_DIR_1_0)
    move_down<Columns, VT_GLRLM_DIR_1_0>(s, strip, first_row, n_rows);
  else if (strip.direction == VT_GLRLM_DIR_0_1)
    move_down<Columns, VT_GLRLM_DIR_0_1>(s, strip, first_row, n_rows);
  else if (strip.direction == VT_GLRLM_DIR_1_1)
    move_down<Columns, VT_GLRLM_DIR_1_1>(s, strip, first_row, n_rows);
  else
    move_down<Columns, VT_GLRLM_DIR_M1_1>(s, strip, first_row, n_rows);
}

/* Pixels that lead one more are those of a run's k-th: a byte of four words; none for k = 0. */
static __device__ __forceinline__ uint4
one_of_length(int k)
{
  const int word = k > 0 ? (k - 1) / 4 : VT_SMALL_LEVELS;
  const uint32_t one = 1u << ((k + 3) % 4 * 8);
  return make_uint4(word == 0 ? one : 0, word == 1 ? one : 0, word == 2 ? one : 0, word == 3 ? one : 0);
}

/* One of a length more and one of another less. */
static __device__ __forceinline__ uint4
of_lengths_at(int more, int less)
{
  const uint4 a = one_of_length(more), b = one_of_length(less);
  return make_uint4(a.x - b.x, a.y - b.y, a.z - b.z, a.w - b.w);
}

/* The block's tables: of counts, then of sums, if they are wanted. */
static __device__ __forceinline__ void
load_tables(const VtSmall &s, uint4 *tables)
{
  const int n = table_words(s) / 4;
  for (int i = static_cast<int>(threadIdx.x); i < n; i += static_cast<int>(blockDim.x))
    tables[i] = i < VT_SMALL_LENGTHS_TABLE ? of_lengths_at(i / VT_SMALL_LENGTHS_PITCH, i % VT_SMALL_LENGTHS_PITCH)
                                           : __ldg(s.tables + (i - VT_SMALL_LENGTHS_TABLE));
  __syncthreads();
}

static __device__ __forceinline__ VtSmallStrip
strip_of(const VtSmall &s, int64_t at, int direction)
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

/* A strip of a chunk of rows, in one direction, of one kind; memory: of the warp. */
static __device__ __forceinline__ void
do_task(const VtSmall &s, const uint32_t *tables, uint32_t *memory, uint32_t set, uint32_t task)
{
  const uint32_t n_kinds = static_cast<uint32_t>(s.n_kinds), strips = static_cast<uint32_t>(s.n_strips);
  const bool sums = s.kinds[set % n_kinds], diagonal = is_diagonal(s, set);
  VtSmallStrip strip = strip_of(s, task % strips, s.directions[set / n_kinds]);
  strip.rows = memory;
  strip.list = strip.rows + LENGTHS;
  __syncwarp();
  for (int i = strip.lane; i < warp_words(s) / 4; i += VT_SLIDE_WARP)
    reinterpret_cast<uint4 *>(memory)[i] = uint4{};
  __syncwarp();
  const int64_t rows = s.n_rows[diagonal], first_row = task / strips * rows;
  const int n_rows = static_cast<int>(min(rows, s.args.height - first_row));
  if (sums) { /* what is known here needs no registers */
    strip.tables = reinterpret_cast<const uint4 *>(tables) + VT_SMALL_LENGTHS_TABLE;
    strip.words = strip.list + LENGTHS;
    strip.lengths = strip.list;
    move_down<VtSmallSums>(s, strip, first_row, n_rows);
  } else {
    strip.tables = reinterpret_cast<const uint4 *>(tables);
    strip.words = strip.list + VT_SMALL_ITEMS;
    strip.lengths = strip.words;
    move_down<VtSmallCounts>(s, strip, first_row, n_rows);
  }
}

/* Warps take tasks until there are none. A block's warps keep to one kind and direction while it has tasks: a
 * multiprocessor's instruction cache does not hold the code of several. The last warp leaves `next` as it was. */
static __global__ void
__launch_bounds__(VT_SMALL_WARPS *VT_SLIDE_WARP, 1) slide_small(const __grid_constant__ VtSmall s)
{
  extern __shared__ __align__(16) uint32_t words[];
  if (*s.refused == s.mark)
    return;
  load_tables(s, reinterpret_cast<uint4 *>(words));
  const uint32_t lane = threadIdx.x % VT_SLIDE_WARP, n_sets = static_cast<uint32_t>(s.n_directions * s.n_kinds);
  uint32_t *const memory = words + table_words(s) + threadIdx.x / VT_SLIDE_WARP * static_cast<uint32_t>(warp_words(s));
  uint32_t set = first_set(s);
#pragma unroll 1
  for (uint32_t done = 0; done < n_sets;) {
    uint32_t task = lane == 0 ? atomicAdd(s.next + set, 1u) : 0;
    task = __shfl_sync(~0u, task, 0);
    if (task < s.n_tasks[is_diagonal(s, set)]) {
      do_task(s, words, memory, set, task);
    } else {
      set = set + 1 == n_sets ? 0 : set + 1;
      done++;
    }
  }
  if (lane == 0 && atomicAdd(s.next + n_sets, 1u) == gridDim.x * (blockDim.x / VT_SLIDE_WARP) - 1)
    for (uint32_t i = 0; i <= n_sets; i++)
      s.next[i] = 0;
}

/* --- tables --- */

/* What a run adds to a word of the tables. */
static __device__ uint32_t
run_adds(const VtSmall &s, int word, uint64_t i, uint64_t j)
{
  if (i == 0 || j == 0)
    return 0;
  const int high = word & ~1;
  const uint64_t one = UINT64_C(1) << s.fixed_bits[high];
  const uint64_t over = high == VT_SMALL_SRHGE ? i * i : high == VT_SMALL_LRLGE ? j * j : 1;
  const uint64_t under =
    (high == VT_SMALL_SRHGE ? 1 : i * i) * (high == VT_SMALL_SRHGE || high == VT_SMALL_SRLGE ? j * j : 1);
  const uint64_t value = (one * over + under / 2) / under;
  return static_cast<uint32_t>(word == high ? value >> VT_SMALL_LOW : value & ((1u << VT_SMALL_LOW) - 1));
}

static __global__ void
fill_small(const __grid_constant__ VtSmall s, uint32_t *tables)
{
  const int n = 4 * vt_small_table(s);
  if (blockIdx.x == 0 && threadIdx.x == 0)
    for (int i = 0; i <= 2 * VT_GLRLM_N_DIRECTIONS; i++)
      tables[N_TABLES * n + i] = 0; /* next */
  for (int at = static_cast<int>(blockIdx.x * THREADS + threadIdx.x); at < N_TABLES * n;
       at += static_cast<int>(gridDim.x * THREADS)) {
    const int word = at % 4 + at / n % 2 * 4, level = at % n / 4 % s.pitch, k = at % n / 4 / s.pitch;
    const uint64_t i = static_cast<uint64_t>(level <= s.args.n_levels ? level : 0), j = static_cast<uint64_t>(k);
    const uint32_t here = run_adds(s, word, i, j), one = k > 0 ? run_adds(s, word, i, j - 1) : 0;
    const uint32_t next = run_adds(s, word, i, j + 1);
    tables[at] = k == 0 ? 0 : at < 2 * n ? here - one : here - one - (next - here);
  }
}

/* --- the host's part --- */

uint32_t
vt_gpu_glrlm_small_features(const VtGlrlmWindows *args)
{
  const bool fits = args->src.type == VITRAIL_U8 && args->src.stride < 1 << 30 && args->src.height < 1 << 30
                    && args->n_levels <= VT_SMALL_MOST_LEVELS && args->step == 1
                    && 2 * args->half + 1 <= VT_SMALL_MOST_SIDE && args->aggregates >> VT_GLRLM_MEAN == 0
                    && args->dst->width < (INT64_C(1) << 33) / args->dst->height; /* tasks fit 32 bits */
  return fits ? args->features & small_features : 0;
}

/* Drops the maps that are not wanted. */
static void
find_stride(VtSmall *s, uint32_t features)
{
  bool alike = true;
  for (int k = 0; k < VT_GLRLM_N_DIRECTIONS; k++)
    for (int f = 0; f < VT_GLRLM_N_FEATURES; f++) {
      VtGpuGlrlmMap *map = &s->maps.map[k][f];
      if (!(features >> f & 1))
        map->data = NULL;
      if (!map->data)
        continue;
      s->stride = s->stride ? s->stride : map->stride;
      alike = alike && map->stride == s->stride && reinterpret_cast<uintptr_t>(map->data) % sizeof(float2) == 0;
    }
  if (!alike || s->stride % 2 != 0)
    s->stride = 0;
}

/* Scales so that the first word of a window's sum fits. */
static void
plan(VtSmall *s, uint32_t features, uint32_t aggregates)
{
  const int side = s->args.side;
  int bits = 0;
  while ((side * side * s->args.n_levels * s->args.n_levels) >> bits)
    bits++;
  s->fixed_bits[VT_SMALL_SRHGE] = VT_SMALL_LOW + 32 - bits;
  s->level2_unit = 1u << (32 - bits);
  s->fixed_bits[VT_SMALL_LRLGE] = VT_SMALL_LOW + 20; /* side^3 is below 2^12 */
  s->fixed_bits[VT_SMALL_SRLGE] = s->fixed_bits[VT_SMALL_LGRE] = 2 * VT_SMALL_LOW;
  if (features & of_sums)
    s->kinds[s->n_kinds++] = 1;
  if (features & ~of_sums)
    s->kinds[s->n_kinds++] = 0;
  s->features = features;
  s->levels = features >> VT_GLRLM_GLN & 1;
  s->n_level_words = s->levels ? (s->args.n_levels + 4 * LEVEL_STEP - 1) / (4 * LEVEL_STEP) * LEVEL_STEP : 0;
  s->n_across = VT_SMALL_SPAN - (side - 1);
  s->n_strips = vt_gpu_blocks(s->args.width, s->n_across);
  static const int order[] = { VT_GLRLM_DIR_1_1, VT_GLRLM_DIR_M1_1, VT_GLRLM_DIR_1_0, VT_GLRLM_DIR_0_1 };
  for (int k = 0; k < VT_GLRLM_N_DIRECTIONS; k++) /* longest tasks first */
    if (aggregates >> order[k] & 1) {
      s->directions[s->n_directions++] = order[k];
      s->n_diagonals += k < 2;
    }
  find_stride(s, features);
  s->pitch = (s->args.n_levels + 5) / 8 * 8 + 3; /* neighbours in level or length mostly lie in different banks */
}

/* Tasks of about so many rows, all alike. */
static void
cut_rows(VtSmall *s, bool diagonal, int rows)
{
  const int64_t chunks = vt_gpu_blocks(s->args.height, rows);
  s->n_rows[diagonal] = static_cast<int32_t>(vt_gpu_blocks(s->args.height, chunks));
  s->n_tasks[diagonal] = static_cast<uint32_t>(chunks * s->n_strips);
}

/* As many rows as still make LEAST_ROUNDS / 4 tasks for a warp. */
static void
plan_rows(VtSmall *s, int64_t n_warps)
{
  for (int rows = MOST_ROWS; rows >= LEAST_ROWS; rows -= 8) {
    const int fewer = rows * 5 / 8;
    cut_rows(s, false, rows);
    cut_rows(s, true, fewer < LEAST_ROWS ? LEAST_ROWS : fewer);
    const int64_t n = s->n_diagonals * static_cast<int64_t>(s->n_tasks[1])
                      + (s->n_directions - s->n_diagonals) * static_cast<int64_t>(s->n_tasks[0]);
    if (4 * n * s->n_kinds >= LEAST_ROUNDS * n_warps)
      break;
  }
}

/* A block for each multiprocessor, with as many warps as there is shared memory for. */
static VitrailStatus
launch(VtDevice *device, VtSmall *s)
{
  int most = 0;
  VT_GPU_TRY(device, cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device->ordinal));
  const int words = (most / 4 - table_words(*s)) / warp_words(*s),
            warps = words < VT_SMALL_WARPS ? words : VT_SMALL_WARPS;
  if (warps <= 0)
    return VITRAIL_UNSUPPORTED;
  const int bytes = 4 * (table_words(*s) + warps * warp_words(*s));
  VT_GPU_TRY(device, cudaFuncSetAttribute(slide_small, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
  plan_rows(s, static_cast<int64_t>(device->n_multiprocessors) * warps);
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(static_cast<unsigned>(device->n_multiprocessors));
  config.blockDim = dim3(static_cast<unsigned>(warps * VT_SLIDE_WARP));
  config.dynamicSmemBytes = static_cast<size_t>(bytes);
  config.stream = device->stream;
  VT_GPU_TRY(device, cudaLaunchKernelEx(&config, slide_small, *s));
  return VITRAIL_OK;
}

VitrailStatus
vt_gpu_glrlm_small(VtDevice *device, const VtGlrlmWindows *args, const VtCancel *cancel)
{
  const uint32_t features = vt_gpu_glrlm_small_features(args);
  VtSmall s = {};
  vt_gpu_glrlm_unpack(args, &s.args, &s.maps);
  plan(&s, features, args->aggregates);
  if (vt_cancelled(cancel))
    return VITRAIL_CANCELLED;
  const size_t exact = vt_gpu_glrlm_exact_bytes(device, &s.args), list = LIST_SIZE * sizeof(VtGpuGlrlmItem);
  const uint64_t key = static_cast<uint64_t>(s.args.n_levels * 256 + s.args.side);
  void *scratch = NULL, *tables = NULL;
  bool filled = false;
  VT_TRY(vt_gpu_scratch(device, exact + list, &scratch));
  VT_TRY(vt_gpu_tables(device, key, static_cast<size_t>(N_TABLES * vt_small_table(s) + 3) * sizeof(uint4), &tables,
                       &filled));
  s.list = VtGpuGlrlmList{ reinterpret_cast<VtGpuGlrlmItem *>(static_cast<char *>(scratch) + exact),
                           device->words + VT_GPU_GLRLM_LISTED, LIST_SIZE };
  s.tables = static_cast<const uint4 *>(tables);
  s.next = static_cast<uint32_t *>(tables) + 4 * N_TABLES * vt_small_table(s);
  s.refused = device->words + VT_GPU_GLRLM_REFUSED;
  VT_TRY(vt_gpu_glrlm_look(device, &s.args.src, s.args.n_levels, &s.mark));
  if (!filled)
    VT_TRY(vt_gpu_launch(device, "fill_small", fill_small, 64, THREADS, s, static_cast<uint32_t *>(tables)));
  device->tables_key = key;
  VT_TRY(launch(device, &s));
  VT_TRY(vt_gpu_glrlm_exact_list(device, &s.args, &s.maps, &s.list, scratch));
  VT_TRY(vt_gpu_sync(device));
  if (device->words_host[VT_GPU_GLRLM_REFUSED] == s.mark)
    return VITRAIL_BAD_ARGUMENT;
  return device->words_host[VT_GPU_GLRLM_LISTED] <= LIST_SIZE ? VITRAIL_OK : VITRAIL_UNSUPPORTED;
}
