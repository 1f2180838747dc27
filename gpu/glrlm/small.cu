/* SPDX-License-Identifier: MIT
 *
 * small.cu: sliding windows of at most 15 x 15 over bytes of at most 64 levels, every pixel a window (small.cuh): a warp
 * for each strip, chunk of rows and direction. */
#include "../gpu.h"
#include "small-rows.cuh"
#include "small-values.cuh"

enum { THREADS = 256, LIST_SIZE = 1 << 20, ROWS_PER_TASK = 128 };
static const uint32_t of_sums = 1u << VT_GLRLM_LGRE | 1u << VT_GLRLM_HGRE | 1u << VT_GLRLM_SRLGE | 1u << VT_GLRLM_SRHGE
                                | 1u << VT_GLRLM_LRLGE | 1u << VT_GLRLM_LRHGE;
static const uint32_t of_lengths = 1u << VT_GLRLM_SRE | 1u << VT_GLRLM_LRE | 1u << VT_GLRLM_RLN | 1u << VT_GLRLM_RP;
static const uint32_t small_features = of_sums | of_lengths | 1u << VT_GLRLM_GLN;

static __host__ __device__ __forceinline__ int
n_words(const VtSmall &s, bool sums)
{
  return sums ? VT_SMALL_N_SUMS : VT_SMALL_LEVELS + s.n_level_words;
}

/* Running sums of the columns: those of columns 4 * lane... A lane without a partner adds nothing. */
static __device__ __forceinline__ void
running(const uint32_t *columns, int lane, uint32_t *four)
{
  vt_slide_load4(columns + 4 * lane, four);
  four[1] += four[0];
  four[2] += four[1];
  four[3] += four[2];
  uint32_t sum = four[3];
#pragma unroll
  for (int d = 1; d < VT_SLIDE_WARP; d *= 2)
    asm volatile("{ .reg .b32 other; .reg .pred has;\n"
                 "  shfl.sync.up.b32 other|has, %0, %1, 0, 0xffffffff;\n"
                 "  @has add.u32 %0, %0, other; }"
                 : "+r"(sum)
                 : "r"(d));
  sum -= four[3];
#pragma unroll
  for (int i = 0; i < 4; i++)
    four[i] += sum;
}

static __device__ __forceinline__ void
put_counts(const VtSmall &s, const VtSmallStrip &strip, int64_t j)
{
  VtSmallWindows w = vt_small_windows(s, strip, j);
  VtSmallLengths lengths = {};
  uint32_t squares[4] = {}, four[4];
  running(strip.words + 3 * VT_SMALL_SPAN, strip.lane, four);
  vt_small_take_lengths<3>(&lengths, four);
  running(strip.words + 2 * VT_SMALL_SPAN, strip.lane, four);
  vt_small_take_lengths<2>(&lengths, four);
  running(strip.words + VT_SMALL_SPAN, strip.lane, four);
  vt_small_take_lengths<1>(&lengths, four);
  running(strip.words, strip.lane, four);
  vt_small_take_lengths<0>(&lengths, four);
  vt_small_put_lengths(s, &w, lengths);
#pragma unroll 4
  for (int word = 0; word < s.n_level_words; word++) {
    running(strip.words + (VT_SMALL_LEVELS + word) * VT_SMALL_SPAN, strip.lane, four);
    vt_small_take_levels(squares, four);
  }
  if (s.levels)
    vt_small_put_means(s, w, VT_GLRLM_GLN, squares);
}

static __device__ __forceinline__ void
put_sums(const VtSmall &s, const VtSmallStrip &strip, int64_t j)
{
  VtSmallWindows w = vt_small_windows(s, strip, j);
  uint32_t four[4], low[4];
  running(strip.words + VT_SMALL_BOTH2 * VT_SMALL_SPAN, strip.lane, four);
  vt_small_put_both(s, &w, four);
  running(strip.words + VT_SMALL_LEVEL2 * VT_SMALL_SPAN, strip.lane, four);
  vt_small_put_means(s, w, VT_GLRLM_HGRE, four);
#pragma unroll 1
  for (int word = VT_SMALL_SRHGE; word <= VT_SMALL_LGRE; word += 2) { /* code that is shorter stays in the cache */
    running(strip.words + word * VT_SMALL_SPAN, strip.lane, four);
    running(strip.words + (word + 1) * VT_SMALL_SPAN, strip.lane, low);
    vt_small_put_fixed(s, w, word, four, low);
  }
}

template <bool SUMS>
static __device__ __forceinline__ void
move_down(const VtSmall &s, const VtSmallStrip &strip, int64_t first_row, int n_rows)
{
  const int side = s.args.side, n = n_rows + side - 1;
  const int way = strip.direction == VT_GLRLM_DIR_1_0   ? VT_SMALL_ALONG
                  : strip.direction == VT_GLRLM_DIR_0_1 ? VT_SMALL_DOWN
                                                        : VT_SMALL_DIAGONAL;
  const int64_t top = s.args.y0 - s.args.half + first_row;
  VtSmallRow above = {}, in = vt_small_row(s, strip, top, true), out = {};
  uint32_t mask[VT_SMALL_GROUPS + 1] = {};
#pragma unroll 1
  for (int b = 0; b < n; b++) {
    const VtSmallRow next_in = vt_small_row(s, strip, top + b + 1, b + 1 < n);
    const VtSmallRow next_out = vt_small_row(s, strip, top + b + 1 - side, b + 1 >= side);
    vt_small_move<SUMS>(s, strip, way, in, out, above, mask);
    if (b >= side - 1 && SUMS)
      put_sums(s, strip, first_row + b - (side - 1));
    else if (b >= side - 1)
      put_counts(s, strip, first_row + b - (side - 1));
    __syncwarp();
    above = in;
    in = next_in;
    out = next_out;
  }
}

static __global__ void
__launch_bounds__(VT_SLIDE_WARP, 16) slide_small(const __grid_constant__ VtSmall s)
{
  extern __shared__ __align__(16) uint32_t words[];
  if (*s.refused == s.mark)
    return;
  int64_t task = blockIdx.x;
  const int64_t at = task % s.n_strips;
  task /= s.n_strips;
  const int64_t first_row = task % s.n_chunks * s.rows_per_task;
  VtSmallStrip strip = {};
  task /= s.n_chunks;
  strip.direction = s.directions[task % s.n_directions];
  const bool sums = s.kinds[task / s.n_directions];
  strip.by = strip.direction == VT_GLRLM_DIR_M1_1 ? -1 : 1;
  strip.lane = threadIdx.x;
  strip.list = words;
  strip.words = words + VT_SMALL_LIST;
  strip.first_window = at * s.n_across;
  const int64_t x0 = s.args.x0 - s.args.half + strip.first_window, last = s.n_across + s.args.side - 2;
  const int64_t x = (strip.by > 0 ? x0 : x0 + last) + strip.by * (strip.lane - s.lead);
  strip.pixels = static_cast<const uint8_t *>(s.args.src.data) + x;
  for (int i = 0; i <= VT_SMALL_GROUPS; i++) {
    const int64_t here = x + strip.by * i * VT_SLIDE_WARP;
    const bool used = i * VT_SLIDE_WARP + strip.lane >= s.lead;
    strip.inside |= used && here >= 0 && here < s.args.src.width ? 1u << i : 0;
  }
  for (int i = strip.lane; i < n_words(s, sums) * VT_SMALL_SPAN; i += VT_SLIDE_WARP)
    strip.words[i] = 0;
  __syncwarp();
  const int n_rows = static_cast<int>(min(static_cast<int64_t>(s.rows_per_task), s.args.height - first_row));
  if (sums)
    move_down<true>(s, strip, first_row, n_rows);
  else
    move_down<false>(s, strip, first_row, n_rows);
}

/* --- tables --- */

/* What a run adds to a word of the sums. */
static __device__ uint32_t
run_adds(const VtSmall &s, int word, uint64_t i, uint64_t j)
{
  if (i == 0 || j == 0 || word >= VT_SMALL_N_SUMS)
    return 0;
  if (word == VT_SMALL_BOTH2 || word == VT_SMALL_LEVEL2)
    return static_cast<uint32_t>(word == VT_SMALL_BOTH2 ? i * i * j * j + (1 << 24) : i * i);
  const int high =
    word - (word != VT_SMALL_SRHGE && word != VT_SMALL_LRLGE && word != VT_SMALL_SRLGE && word != VT_SMALL_LGRE);
  const uint64_t one = UINT64_C(1) << s.fixed_bits[high];
  const uint64_t over = high == VT_SMALL_SRHGE ? i * i : high == VT_SMALL_LRLGE ? j * j : 1;
  const uint64_t under =
    (high == VT_SMALL_SRHGE ? 1 : i * i) * (high == VT_SMALL_SRHGE || high == VT_SMALL_SRLGE ? j * j : 1);
  const uint64_t value = (one * over + under / 2) / under;
  return static_cast<uint32_t>(word == high ? value >> VT_SMALL_LOW : value & ((1u << VT_SMALL_LOW) - 1));
}

static __global__ void
fill_small(const __grid_constant__ VtSmall s, uint32_t *gain, uint32_t *bend)
{
  const int side = s.args.side, words = 4 * VT_SMALL_ENTRY, n = (s.args.n_levels + 1) * (side + 1) * words;
  for (int at = static_cast<int>(blockIdx.x * THREADS + threadIdx.x); at < n;
       at += static_cast<int>(gridDim.x * THREADS)) {
    const int word = at % words, k = at / words % (side + 1);
    const uint64_t g = static_cast<uint64_t>(at / words / (side + 1)), j = static_cast<uint64_t>(k);
    const uint32_t here = run_adds(s, word, g, j), one = k > 0 ? run_adds(s, word, g, j - 1) : 0;
    const uint32_t two = k > 1 ? run_adds(s, word, g, j - 2) : 0;
    gain[at] = here - one;
    bend[at] = one - two - (here - one);
  }
}

/* --- the host's part --- */

uint32_t
vt_gpu_glrlm_small_features(const VtGlrlmWindows *args)
{
  const bool fits = args->src.type == VITRAIL_U8 && args->n_levels <= VT_SMALL_MOST_LEVELS && args->step == 1
                    && 2 * args->half + 1 <= VT_SMALL_MOST_SIDE && args->aggregates >> VT_GLRLM_MEAN == 0
                    && args->dst->width < (INT64_C(1) << 40) / args->dst->height; /* tasks fit a grid */
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
      alike = alike && map->stride == s->stride && reinterpret_cast<uintptr_t>(map->data) % 16 == 0;
    }
  if (!alike || s->stride % 4 != 0)
    s->stride = 0;
}

/* Scales so that the first word of a window's sum fits. */
static void
plan(const VtDevice *device, VtSmall *s, uint32_t features, uint32_t aggregates)
{
  const int side = s->args.side;
  int bits = 0;
  while ((side * side * s->args.n_levels * s->args.n_levels) >> bits)
    bits++;
  s->fixed_bits[VT_SMALL_SRHGE] = VT_SMALL_LOW + 32 - bits;
  s->fixed_bits[VT_SMALL_LRLGE] = VT_SMALL_LOW + 20; /* side^3 is below 2^12 */
  s->fixed_bits[VT_SMALL_SRLGE] = s->fixed_bits[VT_SMALL_LGRE] = 2 * VT_SMALL_LOW;
  if (features & of_sums)
    s->kinds[s->n_kinds++] = 1;
  if (features & ~of_sums)
    s->kinds[s->n_kinds++] = 0;
  s->features = features;
  s->levels = features >> VT_GLRLM_GLN & 1;
  s->n_level_words = s->levels ? (s->args.n_levels + 3) / 4 : 0;
  s->lead = (4 - (side - 1) % 4) % 4;
  s->n_across = VT_SMALL_SPAN - s->lead - (side - 1);
  s->n_strips = vt_gpu_blocks(s->args.width, s->n_across);
  static const int order[] = { VT_GLRLM_DIR_1_1, VT_GLRLM_DIR_M1_1, VT_GLRLM_DIR_1_0, VT_GLRLM_DIR_0_1 };
  for (int k = 0; k < VT_GLRLM_N_DIRECTIONS; k++) /* longest tasks first */
    if (aggregates >> order[k] & 1)
      s->directions[s->n_directions++] = order[k];
  find_stride(s, features);
  s->rows_per_task = ROWS_PER_TASK;
  while (s->rows_per_task > 32
         && s->n_kinds * s->n_directions * s->n_strips * vt_gpu_blocks(s->args.height, s->rows_per_task)
              < 20 * device->n_multiprocessors)
    s->rows_per_task -= 8;
  s->n_chunks = vt_gpu_blocks(s->args.height, s->rows_per_task);
}

static VitrailStatus
launch(VtDevice *device, const VtSmall *s)
{
  size_t n = 0;
  for (int k = 0; k < s->n_kinds; k++)
    n = static_cast<size_t>(n_words(*s, s->kinds[k])) > n ? static_cast<size_t>(n_words(*s, s->kinds[k])) : n;
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(static_cast<unsigned>(s->n_kinds * s->n_directions * s->n_chunks * s->n_strips));
  config.blockDim = dim3(VT_SLIDE_WARP);
  config.dynamicSmemBytes = (VT_SMALL_LIST + n * VT_SMALL_SPAN) * sizeof(uint32_t);
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
  plan(device, &s, features, args->aggregates);
  if (vt_cancelled(cancel))
    return VITRAIL_CANCELLED;
  const size_t exact = vt_gpu_glrlm_exact_bytes(device, &s.args), list = LIST_SIZE * sizeof(VtGpuGlrlmItem);
  const size_t table = static_cast<size_t>((s.args.n_levels + 1) * (s.args.side + 1)) * VT_SMALL_ENTRY * sizeof(uint4);
  const uint64_t key = static_cast<uint64_t>(s.args.n_levels * 256 + s.args.side);
  void *scratch = NULL, *tables = NULL;
  bool filled = false;
  VT_TRY(vt_gpu_scratch(device, exact + list, &scratch));
  VT_TRY(vt_gpu_tables(device, key, 2 * table, &tables, &filled));
  s.list = VtGpuGlrlmList{ reinterpret_cast<VtGpuGlrlmItem *>(static_cast<char *>(scratch) + exact),
                           device->words + VT_GPU_GLRLM_LISTED, LIST_SIZE };
  s.gain = static_cast<const uint4 *>(tables);
  s.bend = s.gain + table / sizeof(uint4);
  s.refused = device->words + VT_GPU_GLRLM_REFUSED;
  VT_TRY(vt_gpu_glrlm_look(device, &s.args.src, s.args.n_levels, &s.mark));
  if (!filled)
    VT_TRY(vt_gpu_launch(device, "fill_small", fill_small, 64, THREADS, s, static_cast<uint32_t *>(tables),
                         static_cast<uint32_t *>(tables) + table / sizeof(uint32_t)));
  device->tables_key = key;
  VT_TRY(launch(device, &s));
  VT_TRY(vt_gpu_glrlm_exact_list(device, &s.args, &s.maps, &s.list, scratch));
  VT_TRY(vt_gpu_sync(device));
  if (device->words_host[VT_GPU_GLRLM_REFUSED] == s.mark)
    return VITRAIL_BAD_ARGUMENT;
  return device->words_host[VT_GPU_GLRLM_LISTED] <= LIST_SIZE ? VITRAIL_OK : VITRAIL_UNSUPPORTED;
}
