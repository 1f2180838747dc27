/* SPDX-License-Identifier: MIT
 *
 * entropy.cu: run entropy in sliding windows of at most 15 x 15 over bytes of at most 64 levels. Of N runs, n of them of a
 * level and length each,
 *   -(sum of n / N * log2(n / N)) = (N * log2(N) - sum of n * log2(n)) / N
 * so a thread walks down a column of windows, with a byte for each level and length in shared memory, and changes the sum
 * as a row that goes out shortens the runs that begin in it, and one that comes in lengthens those that end in it. How far
 * runs come and go is found once for each pixel, ahead.
 *
 * n * log2(n) is an integer times 2^-44, off by less than 2^-45 and 2^-52 of itself (CUDA's log2 is known to one last place), so that
 * an entropy, of at most log2(225), is off by less than 2^-44. The definition's own, of terms that are each off by a few last
 * places, is off by less than 3e-13. Where both do not decide the float the window is done again by the definition. */
#include "../../gpu.h"
#include "../glrlm.cuh"

enum {
  THREADS = 256,
  WARP = 32,
  MOST_WARPS = 2, /* of a block, so that blocks fill a multiprocessor's shared memory */
  MOST_SIDE = 15,
  MOST_RUNS = MOST_SIDE * MOST_SIDE,
  LENGTHS = 16, /* room for a level's counts */
  AT_ONCE = 5,  /* pixels of a row on their way before one is used */
  LEVEL = 127,
  BACK = 7,
  AHEAD = 11, /* of a pixel: its level, and how far its run reaches, itself included */
  FIXED_BITS = 44,
  LEAST_ROWS = 64,       /* of a warp: pixels */
  MOST_PIXELS = 1 << 22, /* at once: 32 MiB of pixels, 128 MiB of doubles */
  LIST_SIZE = 1 << 20
};
static const double ERROR = 1e-12; /* more than the two together */

struct VtEntropies {
  VtGpuGlrlmArgs args;
  VtGpuGlrlmMaps maps;
  VtGpuGlrlmList list;
  uint16_t *pixels;                      /* [direction][row][column] of those that windows have */
  double *doubles;                       /* [direction][j][i] */
  const uint32_t *refused;               /* `mark`: a level is above n_levels, and nothing is done */
  uint32_t mark, directions, aggregates; /* wanted */
  int32_t region_width, region_height;
  int32_t piece_rows, n_pieces, n_strips; /* a warp's windows: 32 columns of that many rows */
};

/* --- pixels --- */

static __device__ __forceinline__ uint32_t
level_at(const VtEntropies &s, int64_t x, int64_t y)
{
  return x < 0 || y < 0 || x >= s.args.src.width || y >= s.args.src.height ? 0 : vt_gpu_glrlm_level(s.args.src, x, y);
}

/* Pixels of the same level from there on, at most as many as the widest window has. */
static __device__ __forceinline__ uint32_t
reach(const VtEntropies &s, int64_t x, int64_t y, int dx, int dy, uint32_t level)
{
  int n = 1;
  while (n < MOST_SIDE && level_at(s, x + n * dx, y + n * dy) == level)
    n++;
  return static_cast<uint32_t>(n);
}

static __global__ void
find_runs(const __grid_constant__ VtEntropies s)
{
  const int64_t n = static_cast<int64_t>(s.region_width) * s.region_height;
  if (__ldcg(s.refused) == s.mark)
    return;
  for (int64_t k = static_cast<int64_t>(blockIdx.x) * THREADS + threadIdx.x; k < n;
       k += static_cast<int64_t>(gridDim.x) * THREADS) {
    const int64_t x = s.args.x0 - s.args.half + k % s.region_width, y = s.args.y0 - s.args.half + k / s.region_width;
    const uint32_t level = level_at(s, x, y);
    for (int d = 0; d < VT_GLRLM_N_DIRECTIONS; d++) {
      const int dx = vt_gpu_glrlm_dx(d), dy = vt_gpu_glrlm_dy(d);
      if (s.directions >> d & 1)
        s.pixels[d * n + k] = static_cast<uint16_t>(
          level ? level | reach(s, x, y, -dx, -dy, level) << BACK | reach(s, x, y, dx, dy, level) << AHEAD : 0);
    }
  }
}

/* --- windows --- */

struct Window {
  uint8_t *counts;      /* the lane's: of a level, and of none, words of four lengths, 128 bytes apart */
  const uint64_t *more; /* what a count adds to the sum as it grows by one */
  uint64_t sum;
  uint32_t n_runs;
};

/* A run of `fewer` pixels less, and one of `more` pixels more; 0: none. No branches: what is not there has a count, too, that
 * nobody reads. */
static __device__ __forceinline__ void
change(Window *w, uint32_t level, uint32_t fewer, uint32_t more)
{
  uint8_t *of_level = w->counts + level * (LENGTHS * WARP);
  uint8_t *a = of_level + fewer / 4 * (4 * WARP) + fewer % 4, *b = of_level + more / 4 * (4 * WARP) + more % 4;
  const uint32_t n_a = *a, n_b = *b;
  *a = static_cast<uint8_t>(n_a - 1);
  *b = static_cast<uint8_t>(n_b + 1);
  w->sum += w->more[more ? n_b : MOST_RUNS] - w->more[fewer ? n_a - 1 : MOST_RUNS];
}

/* How many pixels of a run that reaches a row's first pixel lie in the window, and how many more at each one that follows. */
struct Limit {
  int first, slope;
};

/* A row comes in, or goes out. ROWS: along rows, with all its runs; else runs gain their last pixel or lose their first one.
 * above: other rows of the window. */
template <bool ROWS, bool IN>
static __device__ __forceinline__ void
take(Window *w, const uint16_t *row, int side, Limit limit, int above)
{
  int most = limit.first;
#pragma unroll 1
  for (int first = 0; first < side; first += AT_ONCE) {
    uint32_t pixels[AT_ONCE];
#pragma unroll
    for (int k = 0; k < AT_ONCE; k++)
      pixels[k] = first + k < side ? __ldg(row + first + k) : 0;
#pragma unroll
    for (int k = 0; k < AT_ONCE; k++, most += limit.slope) {
      const uint32_t pixel = pixels[k], level = pixel & LEVEL, ahead = pixel >> AHEAD, back = pixel >> BACK & 15;
      const bool ends = ahead == 1 || first + k + 1 == side;
      const uint32_t reach = !ROWS ? IN ? back : ahead : ends ? back : 0;
      const uint32_t length = min(reach, static_cast<uint32_t>(IN && !ROWS ? min(most, above + 1) : most));
      const uint32_t other = ROWS ? 0 : max(length, 1u) - 1;
      change(w, level, IN ? other : length, IN ? length : other);
      w->n_runs += static_cast<uint32_t>(length && !other) * (IN ? 1u : ~0u);
    }
  }
}

/* Windows of rows j..., of the lane's column. */
template <bool ROWS>
static __device__ void
move_down(const VtEntropies &s, Window w, const uint64_t *whole, int direction, int64_t i, int64_t j, int n_rows)
{
  const int side = s.args.side, step = s.args.step, n = (n_rows - 1) * step + side;
  const int64_t plane = static_cast<int64_t>(s.region_width) * s.region_height;
  const uint16_t *row = s.pixels + direction * plane + j * step * s.region_width + min(i, s.args.width - 1) * step;
  double *to = s.doubles + (direction * s.args.height + j) * s.args.width + i;
  const Limit from_left = { 1, 1 }, from_right = { side, -1 }, none = { side, 0 };
  const Limit in = direction == VT_GLRLM_DIR_0_1 ? none : direction == VT_GLRLM_DIR_M1_1 ? from_right : from_left;
  const Limit out = direction == VT_GLRLM_DIR_1_1 ? from_right : direction == VT_GLRLM_DIR_0_1 ? none : from_left;
  int until = side - 1; /* rows before a window is whole */
#pragma unroll 1
  for (int t = 0; t < n; t++, row += s.region_width) {
    if (t >= side)
      take<ROWS, false>(&w, row - static_cast<int64_t>(side) * s.region_width, side, out, 0);
    take<ROWS, true>(&w, row, side, in, min(t, side - 1));
    if (until-- > 0)
      continue;
    until = step - 1;
    if (i < s.args.width) /* runs of one kind have no entropy; of no runs no number */
      *to = w.n_runs ? static_cast<double>(whole[w.n_runs] - w.sum) / static_cast<double>(w.n_runs)
                         * (1.0 / (UINT64_C(1) << FIXED_BITS))
                     : __longlong_as_double(0x7ff8000000000000ll);
    to += s.args.width;
  }
}

/* Bytes of shared memory of a warp. */
static __host__ __device__ int
warp_bytes(const VtEntropies &s)
{
  return (s.args.n_levels + 1) * LENGTHS * WARP;
}

static __global__ void
__launch_bounds__(MOST_WARPS *WARP) slide_entropies(const __grid_constant__ VtEntropies s)
{
  extern __shared__ __align__(16) uint8_t counts[];
  __shared__ uint64_t whole[MOST_RUNS + 1], more[MOST_RUNS + 1]; /* n * log2(n) */
  const int threads = static_cast<int>(blockDim.x), lane = static_cast<int>(threadIdx.x) % WARP;
  const int in_block = static_cast<int>(threadIdx.x) / WARP;
  for (int n = static_cast<int>(threadIdx.x); n <= MOST_RUNS; n += threads)
    whole[n] = n ? __double2ull_rn(n * log2(static_cast<double>(n)) * (UINT64_C(1) << FIXED_BITS)) : 0;
  for (int k = static_cast<int>(threadIdx.x); k < threads / WARP * warp_bytes(s) / 16; k += threads)
    reinterpret_cast<uint4 *>(counts)[k] = uint4{};
  __syncthreads();
  for (int n = static_cast<int>(threadIdx.x); n <= MOST_RUNS; n += threads)
    more[n] = n < MOST_RUNS ? whole[n + 1] - whole[n] : 0;
  __syncthreads();
  const int64_t n_each = static_cast<int64_t>(s.n_strips) * s.n_pieces, n_warps = n_each * __popc(s.directions);
  const int64_t warp = static_cast<int64_t>(blockIdx.x) * (threads / WARP) + in_block;
  if (warp >= n_warps || __ldcg(s.refused) == s.mark)
    return;
  const int64_t i = warp % s.n_strips * WARP + lane, j = warp / s.n_strips % s.n_pieces * s.piece_rows;
  const int n_rows = static_cast<int>(min(static_cast<int64_t>(s.piece_rows), s.args.height - j));
  const int direction = static_cast<int>(__fns(s.directions, 0, static_cast<int>(warp / n_each) + 1));
  const Window w = { counts + in_block * warp_bytes(s) + 4 * lane, more, 0, 0 };
  if (direction == VT_GLRLM_DIR_1_0)
    move_down<true>(s, w, whole, direction, i, j, n_rows);
  else
    move_down<false>(s, w, whole, direction, i, j, n_rows);
}

/* --- maps --- */

/* The value of one aggregate from the directions' ones. */
static __device__ __forceinline__ void
put(const VtEntropies &s, int aggregate, int64_t i, int64_t j)
{
  const VtGpuGlrlmMap &map = s.maps.map[aggregate][VT_GLRLM_RE];
  const int64_t plane = s.args.width * s.args.height;
  const double *at = s.doubles + j * s.args.width + i;
  double value = aggregate == VT_GLRLM_MEAN ? 0 : __ldcg(at + aggregate * plane);
  for (int d = 0; aggregate == VT_GLRLM_MEAN && d < VT_GLRLM_N_DIRECTIONS; d++)
    value = __dadd_rn(value, __ldcg(at + d * plane) / VT_GLRLM_N_DIRECTIONS);
  float rounded = __double2float_rn(value);
  if (value != value)
    rounded = __int_as_float(0x7fc00000);
  else if (value > 0 && !vt_gpu_glrlm_rounds(value, ERROR, &rounded))
    vt_gpu_glrlm_defer(s.list, i, j, aggregate, VT_GLRLM_RE);
  map.data[j * map.stride + i] = rounded;
}

static __global__ void
put_entropies(const __grid_constant__ VtEntropies s)
{
  const int64_t n = s.args.width * s.args.height;
  if (__ldcg(s.refused) == s.mark)
    return;
  for (int64_t k = static_cast<int64_t>(blockIdx.x) * THREADS + threadIdx.x; k < n;
       k += static_cast<int64_t>(gridDim.x) * THREADS)
    for (int aggregate = 0; aggregate <= VT_GLRLM_MEAN; aggregate++)
      if (s.aggregates >> aggregate & 1)
        put(s, aggregate, k % s.args.width, k / s.args.width);
}

/* --- the host's part --- */

/* So many rows to a warp that all multiprocessors are full once; the rows above its first window are few. */
static VitrailStatus
plan(VtDevice *device, VtEntropies *s, int *n_warps, int64_t *n_blocks)
{
  int most = 0, all = 0;
  VT_GPU_TRY(device, cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device->ordinal));
  VT_GPU_TRY(device, cudaDeviceGetAttribute(&all, cudaDevAttrMaxSharedMemoryPerMultiprocessor, device->ordinal));
  const int tables = 2 * (MOST_RUNS + 1) * static_cast<int>(sizeof(uint64_t)), bytes = warp_bytes(*s);
  *n_warps = (most - tables) / bytes < MOST_WARPS ? (most - tables) / bytes : MOST_WARPS;
  if (*n_warps < 1)
    return VITRAIL_UNSUPPORTED;
  VT_GPU_TRY(device,
             cudaFuncSetAttribute(slide_entropies, cudaFuncAttributeMaxDynamicSharedMemorySize, *n_warps * bytes));
  const int64_t room = static_cast<int64_t>(device->n_multiprocessors) * (all / bytes);
  s->n_strips = static_cast<int32_t>(vt_gpu_blocks(s->args.width, WARP));
  const int64_t columns = static_cast<int64_t>(s->n_strips) * __builtin_popcount(s->directions);
  const int64_t fits = s->args.height * columns / room + 1, least = LEAST_ROWS / s->args.step;
  s->piece_rows = static_cast<int32_t>(fits > least ? fits : least);
  s->n_pieces = static_cast<int32_t>(vt_gpu_blocks(s->args.height, s->piece_rows));
  *n_blocks = vt_gpu_blocks(columns * s->n_pieces, *n_warps);
  return VITRAIL_OK;
}

/* The windows of a band. */
static VitrailStatus
make(VtDevice *device, VtEntropies *s, void *scratch)
{
  const int64_t windows = s->args.width * s->args.height,
                pixels = static_cast<int64_t>(s->region_width) * s->region_height;
  const int64_t most = 16 * device->n_multiprocessors, for_pixels = vt_gpu_blocks(pixels, THREADS);
  const int64_t for_windows = vt_gpu_blocks(windows, THREADS);
  cudaLaunchConfig_t config = {};
  int64_t n_blocks = 0;
  int n_warps = 0;
  VT_TRY(plan(device, s, &n_warps, &n_blocks));
  VT_TRY(vt_gpu_glrlm_look(device, &s->args.src, s->args.n_levels, &s->mark));
  VT_TRY(vt_gpu_launch(device, "find_runs", find_runs, for_pixels < most ? for_pixels : most, THREADS, *s));
  config.gridDim = dim3(static_cast<unsigned>(n_blocks));
  config.blockDim = dim3(static_cast<unsigned>(n_warps * WARP));
  config.dynamicSmemBytes = static_cast<size_t>(n_warps * warp_bytes(*s));
  config.stream = device->stream;
  VT_GPU_TRY(device, cudaLaunchKernelEx(&config, slide_entropies, *s));
  VT_TRY(vt_gpu_launch(device, "put_entropies", put_entropies, for_windows < most ? for_windows : most, THREADS, *s));
  VT_TRY(vt_gpu_glrlm_exact_entropies(device, &s->args, &s->maps, &s->list, scratch));
  if (device->words_host[VT_GPU_GLRLM_REFUSED] == s->mark)
    return VITRAIL_BAD_ARGUMENT;
  return device->words_host[VT_GPU_GLRLM_LISTED] <= LIST_SIZE ? VITRAIL_OK : VITRAIL_UNSUPPORTED;
}

VitrailStatus
vt_gpu_glrlm_entropies(VtDevice *device, const VtGlrlmWindows *args, const VtCancel *cancel)
{
  const uint32_t each = (1u << VT_GLRLM_N_DIRECTIONS) - 1;
  VtEntropies all = {};
  void *scratch = NULL;
  vt_gpu_glrlm_unpack(args, &all.args, &all.maps);
  all.aggregates = args->aggregates;
  all.directions = args->aggregates >> VT_GLRLM_MEAN & 1 ? each : args->aggregates & each;
  const int64_t width = (all.args.width - 1) * all.args.step + all.args.side, height = all.args.height;
  const int64_t few = (MOST_PIXELS / width - all.args.side) / all.args.step + 1, most = few > 1 ? few : 1;
  const int64_t rows = height < most ? height : most, pixels = width * ((rows - 1) * all.args.step + all.args.side);
  const size_t exact = vt_gpu_glrlm_exact_bytes(device, &all.args), list = LIST_SIZE * sizeof(VtGpuGlrlmItem);
  const size_t doubles = sizeof(double) * static_cast<size_t>(VT_GLRLM_N_DIRECTIONS * all.args.width * rows);
  if (width > INT32_MAX)
    return VITRAIL_UNSUPPORTED;
  VT_TRY(vt_gpu_scratch(
    device, exact + list + doubles + sizeof(uint16_t) * static_cast<size_t>(VT_GLRLM_N_DIRECTIONS * pixels), &scratch));
  char *at = static_cast<char *>(scratch) + exact;
  all.list = VtGpuGlrlmList{ reinterpret_cast<VtGpuGlrlmItem *>(at), device->words + VT_GPU_GLRLM_LISTED, LIST_SIZE, false };
  all.doubles = reinterpret_cast<double *>(at + list);
  all.pixels = reinterpret_cast<uint16_t *>(at + list + doubles);
  all.refused = device->words + VT_GPU_GLRLM_REFUSED;
  for (int64_t row = 0; row < height; row += rows) {
    VtEntropies s = all;
    if (vt_cancelled(cancel))
      return VITRAIL_CANCELLED;
    s.args.y0 += row * s.args.step;
    s.args.height = height - row < rows ? height - row : rows;
    s.region_width = static_cast<int32_t>(width);
    s.region_height = static_cast<int32_t>((s.args.height - 1) * s.args.step + s.args.side);
    for (int k = 0; k <= VT_GLRLM_MEAN; k++) {
      VtGpuGlrlmMap *map = &s.maps.map[k][VT_GLRLM_RE];
      map->data = map->data ? map->data + row * map->stride : NULL;
    }
    VT_TRY(make(device, &s, scratch));
  }
  return VITRAIL_OK;
}
