/* SPDX-License-Identifier: MIT
 *
 * small.cu: sliding windows of at most 15 x 15 over bytes of at most 64 levels, every pixel a window (small.cuh): a warp
 * for each piece of the rows of strips, in one direction (small-shares.cuh). */
#include "../../gpu.h"
#include "small-put.cuh"
#include "small-shares.cuh"
#include "small-values.cuh"

enum {
  THREADS = 256,
  LEAST_LEARNT_ROWS = 16, /* of a warp */
  MEAN_WINDOWS = 1 << 22, /* at once: 128 MiB of doubles */
  LIST_SIZE = 1 << 20,
  OWN_WORDS = 4, /* of shared memory, that slide_small has beside those */
  N_TABLES = 4,
  LENGTHS = VT_SMALL_ROWS * VT_SLIDE_WARP /* words of remembered rows */
};
/* Costs of a set's pieces in rows; what a set costs more or less than another one is learnt (vt_small_learn). */
static const float START_ROWS = 6, BEND_ROWS[] = { 0.2f, 0.16f } /* counts, sums */, GROUP_ROWS = 0.05f, FLAT_ROWS = 2.3f;
static const uint32_t by_level = 1u << VT_GLRLM_GLN | 1u << VT_GLRLM_GLNN | 1u << VT_GLRLM_GLV;
static const uint32_t small_features =
  vt_small_of_sums | vt_small_of_lengths | vt_small_of_doubles | 1u << VT_GLRLM_GLN | 1u << VT_GLRLM_RE;

/* Words of shared memory: a block's tables (of sums, and of counts), and what each warp has. */
static __host__ __device__ __forceinline__ int
table_words(const VtSmall &s)
{
  return 4 * (s.has_sums ? N_TABLES * vt_small_table(s) : 0) + 4 * VT_SMALL_LENGTHS_TABLE;
}

static __host__ __device__ __forceinline__ int
warp_words(const VtSmall &s)
{
  const int counts = VT_SMALL_LEVELS + s.n_level_words + 1;
  const int n = VT_SMALL_ITEMS + counts * VT_SMALL_SPAN, n_sums = LENGTHS + VT_SMALL_N_SUMS * VT_SMALL_SPAN;
  return LENGTHS + (s.has_sums && n < n_sums ? n_sums : n);
}

/* The direction is known here, so that each has code of its own, without the others' cases. */
template <typename Columns, bool DOUBLES, int DIRECTION>
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
  VtSmallNext next = vt_small_from(s, strip, top);
  VtSmallLoaded loaded = vt_small_load(s, strip, &next);
  int b = 0;
#pragma unroll 1
  for (; b < side - 1; b++) { /* nothing goes out */
    const uint32_t in = vt_small_four(strip, loaded);
    rows[b * VT_SLIDE_WARP] = in;
    loaded = vt_small_load(s, strip, &next);
    const VtSmallPass pass = vt_small_start_pass<diagonal, down>(strip, &above, in, b, side);
    vt_small_start<diagonal, down>(s, strip, &columns, vt_small_start_terms<diagonal, down>(pass, side));
    if (diagonal)
      vt_small_bend_all<Columns>(s, strip, vt_small_list(strip, pass, side));
    __syncwarp();
  }
#pragma unroll 1
  for (; b < n; b++) {
    const uint32_t in = vt_small_four(strip, loaded);
    const uint32_t out = rows[static_cast<uint32_t>(b - side) % VT_SMALL_ROWS * VT_SLIDE_WARP];
    rows[static_cast<uint32_t>(b) % VT_SMALL_ROWS * VT_SLIDE_WARP] = in;
    loaded = vt_small_load(s, strip, &next);
    const VtSmallPass pass = diagonal ? vt_small_pass_diagonal(&above, in, out, strip.lane, side)
                             : down   ? vt_small_pass_down(&above, in, out, side)
                                      : vt_small_pass_along(strip, in, out, static_cast<uint32_t>(b), side);
    if (diagonal) {
      vt_small_bend_all<Columns>(s, strip, vt_small_list(strip, pass, side));
      __syncwarp();
    }
    const VtSmallTerms terms = vt_small_terms(pass, side, diagonal, down);
    vt_small_gain_and_put<diagonal, down, DOUBLES>(s, strip, &columns, terms,
                                          top + b - static_cast<int>(s.args.y0 + s.args.half));
    __syncwarp();
  }
}

template <typename Columns, bool DOUBLES>
static __device__ __forceinline__ void
move_down(const VtSmall &s, const VtSmallStrip &strip, int64_t first_row, int n_rows)
{
  if (strip.direction == VT_GLRLM_DIR_1_0)
    move_down<Columns, DOUBLES, VT_GLRLM_DIR_1_0>(s, strip, first_row, n_rows);
  else if (strip.direction == VT_GLRLM_DIR_0_1)
    move_down<Columns, DOUBLES, VT_GLRLM_DIR_0_1>(s, strip, first_row, n_rows);
  else if (strip.direction == VT_GLRLM_DIR_1_1)
    move_down<Columns, DOUBLES, VT_GLRLM_DIR_1_1>(s, strip, first_row, n_rows);
  else
    move_down<Columns, DOUBLES, VT_GLRLM_DIR_M1_1>(s, strip, first_row, n_rows);
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

/* Rows of a strip, in one direction, of one kind; memory: of the warp. */
template <bool DOUBLES>
static __device__ __forceinline__ void
do_rows(const VtSmall &s, const uint32_t *tables, uint32_t *memory, uint32_t set, int64_t at, int64_t first_row,
        int n_rows)
{
  const bool sums = s.sets[set].sums;
  VtSmallStrip strip = vt_small_strip_of(s, at, s.sets[set].direction);
  strip.rows = memory;
  strip.list = strip.rows + LENGTHS;
  __syncwarp();
  for (int i = strip.lane; i < warp_words(s) / 4; i += VT_SLIDE_WARP)
    reinterpret_cast<uint4 *>(memory)[i] = uint4{};
  __syncwarp();
  if (sums) { /* what is known here needs no registers */
    strip.tables = reinterpret_cast<const uint4 *>(tables) + VT_SMALL_LENGTHS_TABLE;
    strip.words = strip.list + LENGTHS;
    strip.lengths = strip.list;
    move_down<VtSmallSums, DOUBLES>(s, strip, first_row, n_rows);
  } else {
    strip.tables = reinterpret_cast<const uint4 *>(tables);
    strip.words = strip.list + VT_SMALL_ITEMS;
    strip.lengths = strip.words;
    move_down<VtSmallCounts, DOUBLES>(s, strip, first_row, n_rows);
  }
}

/* A warp has a piece of the line of a set's rows, most often of one strip. */
template <bool DOUBLES>
static __global__ void
__launch_bounds__(VT_SMALL_WARPS *VT_SLIDE_WARP, 1) slide_small(const __grid_constant__ VtSmall s)
{
  extern __shared__ __align__(16) uint32_t words[];
  const uint32_t rows = static_cast<uint32_t>(s.args.height);
  uint32_t *const memory = words + table_words(s) + threadIdx.x / VT_SLIDE_WARP * static_cast<uint32_t>(warp_words(s));
  const uint32_t place = vt_small_place(s);
  load_tables(s, reinterpret_cast<uint4 *>(words));
  vt_gpu_glrlm_wait();
  vt_gpu_glrlm_start_next();
  if (__ldcg(s.refused) == s.mark)
    return;
  VtSmallCost *const before = reinterpret_cast<VtSmallCost *>(words + table_words(s));
  vt_small_sum_cells(s, before);
  const VtSmallPiece piece = vt_small_piece(s, before, place);
  __syncthreads(); /* `before` lies in the warps' memory */
  /* In memory, since rows need all registers. */
  volatile uint32_t from = piece.from, to = piece.to, set = piece.set, began = static_cast<uint32_t>(clock());
#pragma unroll 1
  while (from < to) {
    const uint32_t strip = from / rows, row = from - strip * rows, n = min(to - from, rows - row);
    from = from + n;
    do_rows<DOUBLES>(s, words, memory, set, strip, row, static_cast<int>(n));
  }
  if (threadIdx.x % VT_SLIDE_WARP == 0)
    atomicAdd(s.cut->took + set, static_cast<float>(static_cast<uint32_t>(clock()) - began));
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
  for (int k = static_cast<int>(threadIdx.x); blockIdx.x == 0 && k < VT_SMALL_PLACES; k += THREADS)
    s.cut->places[k] = ~s.mark;
  if (blockIdx.x == 0 && threadIdx.x < VT_SMALL_MOST_SETS) {
    s.cut->scale[threadIdx.x] = 1;
    s.cut->took[threadIdx.x] = s.cut->expected[threadIdx.x] = 0;
  }
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
  const bool dense = 3 * static_cast<int64_t>(args->step) <= 2 * args->half + 1;
  const bool fits = args->src.type == VITRAIL_U8 && args->src.stride < 1 << 30 && args->src.height < 1 << 30
                    && args->n_levels <= VT_SMALL_MOST_LEVELS && (args->step == 1 || dense)
                    && 2 * args->half + 1 <= VT_SMALL_MOST_SIDE && args->aggregates >> VT_GLRLM_MERGED == 0
                    && args->dst->width < (INT64_C(1) << 33) / args->step / args->dst->height; /* rows of strips fit 32 bits */
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

/* Costs of the kinds and directions that are wanted; none of the others. */
static void
plan_sets(VtSmall *s, uint32_t features, uint32_t aggregates)
{
  static const int order[] = { VT_GLRLM_DIR_1_1, VT_GLRLM_DIR_M1_1, VT_GLRLM_DIR_1_0, VT_GLRLM_DIR_0_1 };
  s->has_sums = (features & vt_small_of_sums) != 0;
  for (int k = 0; k < VT_SMALL_MOST_SETS; k++) {
    const int d = k % VT_GLRLM_N_DIRECTIONS, sums = k / VT_GLRLM_N_DIRECTIONS;
    s->sets[k] = VtSmallSet{ order[d], sums != 0 };
    if (!(features & (sums ? vt_small_of_sums : ~vt_small_of_sums)) || !(aggregates >> order[d] & 1))
      continue;
    s->cost[k] = VtSmallCost{ START_ROWS, 1, d < 2 ? BEND_ROWS[sums] : 0, s->levels && !sums ? GROUP_ROWS : 0 };
    s->n_sets++;
  }
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
  s->fixed_bits[VT_SMALL_LRLGE] = VT_SMALL_LOW + 20; /* side^3 is below 2^12 */
  s->fixed_bits[VT_SMALL_SRLGE] = s->fixed_bits[VT_SMALL_LGRE] = 2 * VT_SMALL_LOW;
  s->features = features;
  s->levels = (features & by_level) != 0;
  s->n_level_words =
    s->levels ? (s->args.n_levels + 4 * VT_SMALL_LEVEL_STEP - 1) / (4 * VT_SMALL_LEVEL_STEP) * VT_SMALL_LEVEL_STEP : 0;
  s->n_across = VT_SMALL_SPAN - (side - 1);
  s->n_strips = vt_gpu_blocks(s->args.width, s->n_across);
  plan_sets(s, features, aggregates);
  find_stride(s, features);
  s->pitch = (s->args.n_levels + 5) / 8 * 8 + 3; /* neighbours in level or length mostly lie in different banks */
}

/* Rows of a cell, so many that there is room for all; none: there are too many strips, or no pixels. */
static void
plan_cells(VtSmall *s)
{
  int64_t rows = VT_SMALL_CELL_ROWS;
  while (rows < s->args.height && s->n_strips * vt_gpu_blocks(s->args.height, rows) > VT_SMALL_CELLS)
    rows *= 2;
  const int64_t n_bands = vt_gpu_blocks(s->args.height, rows);
  s->cell_rows = static_cast<int32_t>(rows);
  s->n_bands = s->n_strips * n_bands <= VT_SMALL_CELLS && s->args.src.height > 0 ? static_cast<int32_t>(n_bands) : 0;
}

/* A block for each multiprocessor, with as many warps as there is shared memory for. */
static VitrailStatus
plan_warps(VtDevice *device, VtSmall *s)
{
  int most = 0;
  VT_GPU_TRY(device, cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device->ordinal));
  const int n = (most / 4 - table_words(*s) - OWN_WORDS) / warp_words(*s);
  s->n_warps = n < VT_SMALL_WARPS ? n : VT_SMALL_WARPS;
  s->n_blocks = device->n_multiprocessors;
  if (vt_small_share_words(static_cast<int>(s->n_strips) * s->n_bands) > s->n_warps * warp_words(*s))
    s->n_bands = 0;
  if (n <= 0 || s->n_blocks < s->n_sets || s->n_blocks > VT_SMALL_PLACES)
    return VITRAIL_UNSUPPORTED;
  const int64_t rows = s->n_strips * s->args.height * s->n_sets / (s->n_blocks * s->n_warps);
  s->learns = rows >= LEAST_LEARNT_ROWS;
  s->flat = FLAT_ROWS / static_cast<float>(s->learns ? rows : INT64_C(16));
  return VITRAIL_OK;
}

/* What comes before the first launches with new tables. */
static VitrailStatus
prepare(VtDevice *device, const VtSmall &s, uint32_t *tables)
{
  int most = 0;
  VT_GPU_TRY(device, cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device->ordinal));
  most -= OWN_WORDS * static_cast<int>(sizeof(uint32_t));
  VT_GPU_TRY(device, cudaFuncSetAttribute(slide_small<false>, cudaFuncAttributeMaxDynamicSharedMemorySize, most));
  VT_GPU_TRY(device, cudaFuncSetAttribute(slide_small<true>, cudaFuncAttributeMaxDynamicSharedMemorySize, most));
  return vt_gpu_launch(device, "fill_small", fill_small, 64, THREADS, s, tables);
}

/* slide_small comes at once after weigh_small, so that it is there when that ends. */
static VitrailStatus
launch(VtDevice *device, const VtSmall &s)
{
  const int64_t n_cells = s.n_strips * s.n_bands, cells = VT_SMALL_WEIGH_THREADS / VT_SLIDE_WARP;
  cudaLaunchAttribute overlap;
  cudaLaunchConfig_t config = {};
  VT_GPU_TRY(device, vt_gpu_glrlm_overlap(device, &config, &overlap));
  config.gridDim = dim3(static_cast<unsigned>(s.n_blocks));
  config.blockDim = dim3(static_cast<unsigned>(s.n_warps * VT_SLIDE_WARP));
  config.dynamicSmemBytes = sizeof(uint32_t) * static_cast<size_t>(table_words(s) + s.n_warps * warp_words(s));
  config.stream = device->stream;
  VT_TRY(vt_gpu_launch(device, "weigh_small", weigh_small, n_cells ? vt_gpu_blocks(n_cells, cells) : 1,
                       VT_SMALL_WEIGH_THREADS, s, device->words + VT_GPU_GLRLM_REFUSED,
                       device->words + VT_GPU_GLRLM_LISTED));
  VT_GPU_TRY(device, cudaLaunchKernelEx(&config, s.doubles ? slide_small<true> : slide_small<false>, s));
  return VITRAIL_OK;
}

static VitrailStatus
launch_mean(VtDevice *device, const VtSmall &s, const VtGpuGlrlmArgs &args, int aggregate, uint32_t feature)
{
  double unit = feature & 1u << VT_GLRLM_SRE ? 0x1p-64 : 0; /* its sums are exact, its quotients are not */
  for (int word = 0; word < VT_SMALL_TABLE; word += 2)
    if (feature >> vt_small_feature(word) & 1)
      unit = ldexp(1.0, -s.fixed_bits[word]);
  return vt_gpu_launch(device, "mean_small", mean_small, 8 * device->n_multiprocessors, THREADS, s, args,
                       aggregate, __builtin_ctz(feature), unit);
}

/* Windows reach all pixels of the image, and there are cells: weigh_small looks at all levels. */
static bool
sees_all(const VtSmall &s)
{
  const VtGpuGlrlmArgs &a = s.args;
  return s.n_bands && a.x0 <= a.half && a.y0 <= a.half && a.x0 + a.width + a.half >= a.src.width
         && a.y0 + a.height + a.half >= a.src.height;
}

/* The maps of some features in directions, or, with `some`, of one feature in one aggregate, at the windows it has of those
 * of s. */
static VitrailStatus
make(VtDevice *device, VtSmall s, uint32_t features, uint32_t directions, const VtGpuGlrlmArgs *some, int aggregate)
{
  plan(&s, features, directions);
  plan_cells(&s);
  VT_TRY(plan_warps(device, &s));
  const size_t exact = vt_gpu_glrlm_exact_bytes(device, &s.args), list = LIST_SIZE * sizeof(VtGpuGlrlmItem);
  const size_t n_doubles = some ? static_cast<size_t>(VT_GLRLM_N_DIRECTIONS * s.args.width * s.args.height) : 0;
  const uint64_t key = static_cast<uint64_t>(s.args.n_levels * 256 + s.args.side);
  const size_t n_table = static_cast<size_t>(N_TABLES * vt_small_table(s));
  void *scratch = NULL, *tables = NULL;
  bool filled = false;
  VT_TRY(vt_gpu_scratch(device, exact + list + n_doubles * sizeof(double), &scratch));
  VT_TRY(vt_gpu_tables(device, key, n_table * sizeof(uint4) + sizeof(VtSmallCut), &tables, &filled));
  s.list = VtGpuGlrlmList{ reinterpret_cast<VtGpuGlrlmItem *>(static_cast<char *>(scratch) + exact),
                           device->words + VT_GPU_GLRLM_LISTED, LIST_SIZE, some == NULL };
  s.doubles = some ? reinterpret_cast<double *>(static_cast<char *>(scratch) + exact + list) : NULL;
  s.tables = static_cast<const uint4 *>(tables);
  s.cut = reinterpret_cast<VtSmallCut *>(static_cast<uint4 *>(tables) + n_table);
  s.refused = device->words + VT_GPU_GLRLM_REFUSED;
  if (sees_all(s))
    s.mark = vt_gpu_glrlm_mark(device);
  else
    VT_TRY(vt_gpu_glrlm_look(device, &s.args.src, s.args.n_levels, &s.mark));
  if (!filled)
    VT_TRY(prepare(device, s, static_cast<uint32_t *>(tables)));
  device->tables_key = key;
  VT_TRY(launch(device, s));
  if (some)
    VT_TRY(launch_mean(device, s, *some, aggregate, features));
  VT_TRY(vt_gpu_glrlm_exact_list(device, some ? some : &s.args, &s.maps, &s.list, scratch));
  VT_TRY(vt_gpu_sync(device));
  if (device->words_host[VT_GPU_GLRLM_REFUSED] == s.mark)
    return VITRAIL_BAD_ARGUMENT;
  return device->words_host[VT_GPU_GLRLM_LISTED] <= LIST_SIZE ? VITRAIL_OK : VITRAIL_UNSUPPORTED;
}

/* One feature after the other, in bands, so that their doubles have a fixed room. Windows between those of a map are made,
 * too, which costs less than to make each by itself. */
static VitrailStatus
make_means(VtDevice *device, const VtSmall &all, uint32_t features, int aggregate, const VtCancel *cancel)
{
  const uint32_t each = (1u << VT_GLRLM_N_DIRECTIONS) - 1, directions = aggregate == VT_GLRLM_MEAN ? each : 1u << aggregate;
  const int64_t step = all.args.step, width = (all.args.width - 1) * step + 1, height = all.args.height;
  const int64_t few = MEAN_WINDOWS / (width * step), most = few > 1 ? few : 1;
  for (int feature = 0; feature < VT_GLRLM_N_FEATURES; feature++)
    for (int64_t row = 0; row < height && (features >> feature & 1); row += most) {
      VtSmall s = all;
      VtGpuGlrlmMap *map = &s.maps.map[aggregate][feature];
      map->data += row * map->stride;
      s.args.y0 += row * step;
      s.args.height = height - row < most ? height - row : most;
      const VtGpuGlrlmArgs band = s.args;
      s.args.step = 1;
      s.args.width = width;
      s.args.height = (band.height - 1) * step + 1;
      if (vt_cancelled(cancel))
        return VITRAIL_CANCELLED;
      VT_TRY(make(device, s, 1u << feature, directions, &band, aggregate));
    }
  return VITRAIL_OK;
}

VitrailStatus
vt_gpu_glrlm_small(VtDevice *device, const VtGlrlmWindows *args, const VtCancel *cancel)
{
  const uint32_t entropy = 1u << VT_GLRLM_RE, wanted = vt_gpu_glrlm_small_features(args), features = wanted & ~entropy;
  /* All directions together, if they have maps of every window. */
  const uint32_t together = args->step == 1 ? args->aggregates & ((1u << VT_GLRLM_N_DIRECTIONS) - 1) : 0;
  VtSmall s = {};
  vt_gpu_glrlm_unpack(args, &s.args, &s.maps);
  if (vt_cancelled(cancel))
    return VITRAIL_CANCELLED;
  if (wanted & entropy)
    VT_TRY(vt_gpu_glrlm_entropies(device, args, cancel));
  if (together && (features & ~vt_small_of_doubles))
    VT_TRY(make(device, s, features & ~vt_small_of_doubles, together, NULL, 0));
  for (int aggregate = 0; aggregate <= VT_GLRLM_MEAN; aggregate++)
    if (args->aggregates >> aggregate & 1)
      VT_TRY(make_means(device, s, together >> aggregate & 1 ? features & vt_small_of_doubles : features, aggregate, cancel));
  return VITRAIL_OK;
}
