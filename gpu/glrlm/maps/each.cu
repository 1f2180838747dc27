/* SPDX-License-Identifier: MIT
 *
 * each.cu: a block for each value, by the definition: its threads walk along the runs of the window, and the first one
 * goes through the sums in the CPU's order. For what fast.cu leaves over, run entropy and windows far apart.
 *
 * Run entropy takes logarithms, which differ between machines in the last bit. Their sum is bounded, and where the bound
 * does not decide the float the host takes the C library's. */
#include "../definition.cuh"

#include <math.h>
#include <stdlib.h>

enum { THREADS = 64, BLOCKS_PER_MULTIPROCESSOR = 16, MAX_LEFT = 1 << 16, SHARED_SUMS = 1536, SHARED_PIXELS = 1024 };

struct Box {
  int64_t x0, y0, x1, y1; /* last pixel included */
};

struct Scratch {
  VtGpuGlrlmItem *left; /* entropies for the host */
  uint32_t *n_left;
  uint64_t *sums; /* sums_size for each block */
  int64_t sums_size;
};

static __host__ __device__ Box
box_of(const VtGpuGlrlmArgs &a, int64_t i, int64_t j)
{
  const int64_t x = a.x0 + i * a.step, y = a.y0 + j * a.step;
  return Box{ x > a.half ? x - a.half : 0, y > a.half ? y - a.half : 0,
              x + a.half < a.src.width - 1 ? x + a.half : a.src.width - 1,
              y + a.half < a.src.height - 1 ? y + a.half : a.src.height - 1 };
}

template <bool SHARED>
static __device__ void
add_run(uint64_t *sums, const VtGpuGlrlmPlan &plan, uint32_t level, uint32_t length)
{
  const uint64_t amount = (plan.weigh_level ? static_cast<uint64_t>(level) * level : 1)
                          * (plan.weigh_length ? static_cast<uint64_t>(length) * length : 1);
  uint64_t *sum =
    sums + static_cast<int64_t>(level - 1) * plan.level_step + static_cast<int64_t>(length - 1) * plan.length_step;
  if (SHARED) /* one weight only, of at most 2^16, and 2^12 runs: the upper half stays 0 */
    atomicAdd(reinterpret_cast<uint32_t *>(sum), static_cast<uint32_t>(amount));
  else
    atomicAdd(reinterpret_cast<unsigned long long *>(sum), static_cast<unsigned long long>(amount));
}

/* Adds the box's runs along a direction, and counts runs and pixels: a thread has some pixels, and walks along the runs
 * that begin there. */
template <bool SHARED>
static __device__ void
add_runs(const VtImage &src, const Box &box, const uint16_t *pixels, int direction, const VtGpuGlrlmPlan &plan,
         uint64_t *sums, uint32_t *counts)
{
  const int dx = vt_gpu_glrlm_dx(direction), dy = vt_gpu_glrlm_dy(direction);
  const int w = static_cast<int>(box.x1 - box.x0) + 1, h = static_cast<int>(box.y1 - box.y0) + 1;
  const auto level_at = [&](int x, int y) -> uint32_t {
    if (x < 0 || x >= w || y < 0 || y >= h)
      return 0;
    return SHARED ? pixels[y * w + x] : vt_gpu_glrlm_level(src, box.x0 + x, box.y0 + y);
  };
  uint32_t n_runs = 0, n_pixels = 0;
  for (int k = static_cast<int>(threadIdx.x); k < w * h; k += THREADS) {
    int y = k / w, x = k - y * w;
    const uint32_t level = level_at(x, y);
    n_pixels += level != 0;
    if (level == 0 || level_at(x - dx, y - dy) == level)
      continue;
    uint32_t length = 0;
    do {
      length++;
      x += dx;
      y += dy;
    } while (level_at(x, y) == level);
    n_runs++;
    add_run<SHARED>(sums, plan, level, length);
  }
  atomicAdd(&counts[0], n_runs);
  atomicAdd(&counts[1], n_pixels);
}

/* The box's pixels into shared memory; loads of four are under way before one is used. */
static __device__ void
load_pixels(const VtImage &src, const Box &box, int w, int n, uint16_t *pixels)
{
  for (int first = static_cast<int>(threadIdx.x); first < n; first += 4 * THREADS) {
    uint16_t four[4];
#pragma unroll
    for (int i = 0; i < 4; i++) {
      const int k = min(first + i * THREADS, n - 1), y = k / w;
      four[i] = static_cast<uint16_t>(vt_gpu_glrlm_level(src, box.x0 + (k - y * w), box.y0 + y));
    }
#pragma unroll
    for (int i = 0; i < 4; i++)
      if (first + i * THREADS < n)
        pixels[first + i * THREADS] = four[i];
  }
}

/* sums[k-1] / k^2, each by itself; the double's bits take the sum's place. */
static __device__ void
divide_sums(uint64_t *sums, int32_t n)
{
  for (int32_t k = 1 + static_cast<int32_t>(threadIdx.x); k <= n; k += THREADS)
    sums[k - 1] =
      static_cast<uint64_t>(__double_as_longlong(__ddiv_rn(__ull2double_rn(sums[k - 1]), static_cast<double>(k) * k)));
}

/* The sum of SRLGE in halves: of what the fixed point numbers have below 2^32, and above. */
static __device__ void
add_short_low(const uint64_t *sums, const VtGpuGlrlmPlan &plan, int32_t side, unsigned long long *halves)
{
  unsigned long long low = 0, high = 0;
  for (int32_t k = static_cast<int32_t>(threadIdx.x); k < plan.size; k += THREADS)
    if (sums[k]) {
      const uint64_t one = vt_gpu_glrlm_short_low(1 + k / side, 1 + k % side);
      low += sums[k] * (one & 0xffffffffu);
      high += sums[k] * (one >> 32);
    }
  for (int d = 16; d > 0; d /= 2) {
    low += __shfl_xor_sync(~0u, low, d);
    high += __shfl_xor_sync(~0u, high, d);
  }
  if (threadIdx.x % 32 == 0) {
    atomicAdd(&halves[0], low);
    atomicAdd(&halves[1], high);
  }
}

/* vt_gpu_glrlm_feature by all threads of the block; the first one has the answer. What can be done in any order is. */
static __device__ double
feature_of(int feature, uint64_t *sums, const VtGpuGlrlmPlan &plan, int32_t side, const uint32_t *counts)
{
  __shared__ unsigned long long halves[2];
  const uint32_t n = counts[0];
  const double runs = static_cast<double>(n);
  const bool divides =
    feature == VT_GLRLM_SRE || feature == VT_GLRLM_SRHGE || feature == VT_GLRLM_LGRE || feature == VT_GLRLM_LRLGE;
  if (n == 0 || (!divides && feature != VT_GLRLM_SRLGE))
    return threadIdx.x == 0 ? vt_gpu_glrlm_feature(feature, sums, plan, side, n, counts[1]) : 0;
  if (threadIdx.x < 2)
    halves[threadIdx.x] = 0;
  if (divides)
    divide_sums(sums, plan.size);
  __syncthreads();
  if (!divides) {
    add_short_low(sums, plan, side, halves);
    __syncthreads();
    const uint64_t low = halves[0] + (halves[1] << 32), high = (halves[1] >> 32) + (low < halves[0]);
    return __ddiv_rn(vt_gpu_wide_double(high, low),
                     __dmul_rn(runs, static_cast<double>(UINT64_C(1) << VT_GLRLM_FIXED_BITS)));
  }
  double total = 0;
  for (int32_t k = 0; k < plan.size && threadIdx.x == 0; k++)
    total = __dadd_rn(total, __longlong_as_double(static_cast<long long>(sums[k])));
  return __ddiv_rn(total, runs);
}

/* The block makes the value; all threads get it. SHARED: `sums` and the window's pixels are in shared memory. */
template <bool SHARED>
static __device__ double
value_of(const VtGpuGlrlmArgs &args, const VtGpuGlrlmItem &item, uint64_t *sums)
{
  __shared__ uint32_t counts[2];
  __shared__ double value;
  __shared__ uint16_t pixels[SHARED ? SHARED_PIXELS : 1];
  const VtGpuGlrlmPlan plan = vt_gpu_glrlm_plan(item.feature, args.n_levels, args.side);
  const Box box = box_of(args, item.i, item.j);
  const int w = static_cast<int>(max(box.x1 - box.x0 + 1, INT64_C(0)));
  const int h = static_cast<int>(max(box.y1 - box.y0 + 1, INT64_C(0)));
  const bool merges = item.aggregate == VT_GLRLM_MERGED;
  const int first = item.aggregate < VT_GLRLM_MEAN ? item.aggregate : 0;
  const int last = item.aggregate < VT_GLRLM_MEAN ? item.aggregate : VT_GLRLM_N_DIRECTIONS - 1;
  double total = 0;
  if (SHARED)
    load_pixels(args.src, box, w, w * h, pixels);
  for (int direction = first; direction <= last; direction++) {
    if (direction == first || !merges) {
      __syncthreads();
      for (int32_t k = threadIdx.x; k < plan.size; k += THREADS)
        sums[k] = 0;
      if (threadIdx.x < 2)
        counts[threadIdx.x] = 0;
      __syncthreads();
    }
    if (w > 0 && h > 0)
      add_runs<SHARED>(args.src, box, pixels, direction, plan, sums, counts);
    __syncthreads();
    if (!merges || direction == last)
      total = __dadd_rn(total, feature_of(item.feature, sums, plan, args.side, counts));
  }
  if (threadIdx.x == 0)
    value = item.aggregate == VT_GLRLM_MEAN ? total / VT_GLRLM_N_DIRECTIONS : total;
  __syncthreads();
  return value;
}

template <bool SHARED>
static __device__ double
make_value(const VtGpuGlrlmArgs &args, const VtGpuGlrlmItem &item, const Scratch &scratch)
{
  extern __shared__ uint64_t shared_sums[];
  return SHARED ? value_of<true>(args, item, shared_sums)
                : value_of<false>(args, item, scratch.sums + blockIdx.x * scratch.sums_size);
}

static __device__ void
write_value(const VtGpuGlrlmArgs &args, const VtGpuGlrlmMaps &maps, const VtGpuGlrlmItem &item, const Scratch &scratch,
            double value)
{
  if (threadIdx.x != 0)
    return;
  const VtGpuGlrlmMap map = maps.map[item.aggregate][item.feature];
  float rounded = __double2float_rn(value);
  const double error = 4e-16 * (args.side * args.side + 64) * value; /* of logarithms, and of sums in their wake */
  if (item.feature == VT_GLRLM_RE && value > 0 && !vt_gpu_glrlm_rounds(value, error, &rounded))
    vt_gpu_glrlm_defer(VtGpuGlrlmList{ scratch.left, scratch.n_left, MAX_LEFT, false }, item.i, item.j, item.aggregate,
                       item.feature);
  map.data[item.j * map.stride + item.i] = rounded;
}

/* The list's k-th item while others still come: it may be half written, but is one that could be. Its row is below 0 if
 * there is none yet. All threads of the block have the same one. */
static __device__ VtGpuGlrlmItem
early_item(const VtGpuGlrlmArgs &args, const VtGpuGlrlmList &list, uint32_t k)
{
  __shared__ VtGpuGlrlmItem item;
  if (threadIdx.x == 0) {
    item = VtGpuGlrlmItem{ 0, -1, 0, 0 };
    if (list.early && k < min(__ldcg(list.count), list.size)) {
      const int4 four = __ldcg(reinterpret_cast<const int4 *>(list.items + k));
      if (four.x >= 0 && four.x < args.width && four.y >= 0 && four.y < args.height && four.z >= 0
          && four.z <= VT_GLRLM_MEAN && four.w >= 0 && four.w < VT_GLRLM_N_FEATURES)
        item = VtGpuGlrlmItem{ four.x, four.y, four.z, four.w };
    }
  }
  __syncthreads();
  return item;
}

static __device__ bool
is_same(const VtGpuGlrlmItem &a, const VtGpuGlrlmItem &b)
{
  return a.i == b.i && a.j == b.j && a.aggregate == b.aggregate && a.feature == b.feature;
}

template <bool SHARED>
static __global__ void
__launch_bounds__(THREADS) exact_list(VtGpuGlrlmArgs args, VtGpuGlrlmMaps maps, VtGpuGlrlmList list, Scratch scratch,
                                      const uint32_t *words, uint32_t *words_host)
{
  uint32_t k = blockIdx.x;
  const VtGpuGlrlmItem early = early_item(args, list, k);
  double value = early.j < 0 ? 0 : make_value<SHARED>(args, early, scratch);
  vt_gpu_glrlm_wait();
  if (blockIdx.x == 0 && threadIdx.x == 0) { /* the host reads them soon */
    words_host[VT_GPU_GLRLM_LISTED] = *list.count;
    words_host[VT_GPU_GLRLM_REFUSED] = words[VT_GPU_GLRLM_REFUSED];
  }
  const uint32_t n = min(*list.count, list.size);
  for (; k < n; k += gridDim.x) {
    const VtGpuGlrlmItem item = list.items[k];
    if (k != blockIdx.x || !is_same(item, early))
      value = make_value<SHARED>(args, item, scratch);
    write_value(args, maps, item, scratch, value);
  }
}

template <bool SHARED>
static __global__ void
__launch_bounds__(THREADS) exact_all(VtGpuGlrlmArgs args, VtGpuGlrlmMaps maps, int aggregate, int feature,
                                     int64_t first, int64_t n, Scratch scratch)
{
  vt_gpu_glrlm_wait();
  for (int64_t k = first + blockIdx.x; k < first + n; k += gridDim.x) {
    const VtGpuGlrlmItem item = { static_cast<int32_t>(k % args.width), static_cast<int32_t>(k / args.width), aggregate,
                                  feature };
    write_value(args, maps, item, scratch, make_value<SHARED>(args, item, scratch));
  }
}

static int64_t
n_blocks_of(const VtDevice *device)
{
  return static_cast<int64_t>(BLOCKS_PER_MULTIPROCESSOR) * device->n_multiprocessors;
}

static Scratch
scratch_of(const VtGpuGlrlmArgs *args, void *memory)
{
  Scratch scratch = {};
  scratch.n_left = static_cast<uint32_t *>(memory);
  scratch.left = reinterpret_cast<VtGpuGlrlmItem *>(static_cast<char *>(memory) + 256);
  scratch.sums = reinterpret_cast<uint64_t *>(scratch.left + MAX_LEFT);
  scratch.sums_size = static_cast<int64_t>(args->n_levels) * args->side;
  return scratch;
}

/* Room in shared memory for a window and its sums? */
static bool
is_shared(const VtGpuGlrlmArgs &args)
{
  return args.n_levels * args.side <= SHARED_SUMS && args.side * args.side <= SHARED_PIXELS;
}

template <typename... Formal, typename... Actual>
static VitrailStatus
launch(VtDevice *device, const char *name, void (*kernel)(Formal...), int64_t blocks, const VtGpuGlrlmArgs &args,
       Actual... actual)
{
  cudaLaunchConfig_t config = {};
  cudaLaunchAttribute overlap;
  VT_GPU_TRY(device, vt_gpu_glrlm_overlap(device, &config, &overlap));
  config.gridDim = dim3(static_cast<unsigned>(blocks));
  config.blockDim = dim3(THREADS);
  const int even = (args.n_levels * args.side + 1) / 2 * 2; /* two are read together */
  config.dynamicSmemBytes = is_shared(args) ? static_cast<size_t>(even) * sizeof(uint64_t) : 0;
  config.stream = device->stream;
  const cudaError_t error = cudaLaunchKernelEx(&config, kernel, args, actual...);
  return error == cudaSuccess ? VITRAIL_OK : vt_gpu_fail(device, name, error);
}

size_t
vt_gpu_glrlm_exact_bytes(const VtDevice *device, const VtGpuGlrlmArgs *args)
{
  const size_t sums = static_cast<size_t>(args->n_levels) * static_cast<size_t>(args->side) * sizeof(uint64_t);
  return 256 + MAX_LEFT * sizeof(VtGpuGlrlmItem) + (static_cast<size_t>(n_blocks_of(device)) * sums + 255) / 256 * 256;
}

VitrailStatus
vt_gpu_glrlm_exact_list(VtDevice *device, const VtGpuGlrlmArgs *args, const VtGpuGlrlmMaps *maps,
                        const VtGpuGlrlmList *list, void *memory)
{
  return launch(device, "exact_list", is_shared(*args) ? exact_list<true> : exact_list<false>, n_blocks_of(device),
                *args, *maps, *list, scratch_of(args, memory), device->words, device->words_host);
}

/* --- entropies that the bound does not decide, with the C library's logarithm --- */

/* levels: the pixels of the box, compact. */
static void
count_cells(const uint16_t *levels, int64_t w, int64_t h, int direction, int32_t side, uint64_t *cells,
            uint64_t *n_runs)
{
  const int dx = direction == VT_GLRLM_DIR_0_1 ? 0 : direction == VT_GLRLM_DIR_M1_1 ? -1 : 1;
  const int dy = direction == VT_GLRLM_DIR_1_0 ? 0 : 1;
  for (int64_t y = 0; y < h; y++)
    for (int64_t x = 0; x < w; x++) {
      const uint16_t level = levels[y * w + x];
      const int64_t px = x - dx, py = y - dy;
      if (level == 0 || (px >= 0 && px < w && py >= 0 && levels[py * w + px] == level))
        continue;
      int64_t length = 1;
      for (int64_t nx = x + dx, ny = y + dy; nx >= 0 && nx < w && ny < h && levels[ny * w + nx] == level;
           nx += dx, ny += dy)
        length++;
      cells[(level - 1) * side + length - 1]++;
      ++*n_runs;
    }
}

static double
host_entropy(const uint64_t *cells, int64_t n, double n_runs)
{
  double total = 0;
  for (int64_t k = 0; k < n; k++)
    if (cells[k]) {
      const double p = static_cast<double>(cells[k]) / n_runs;
      total -= p * log2(p);
    }
  return total;
}

static float
host_value(const VtGpuGlrlmArgs *args, const uint16_t *levels, const Box *box, int aggregate, uint64_t *cells)
{
  const int64_t n = static_cast<int64_t>(args->n_levels) * args->side;
  const bool merges = aggregate == VT_GLRLM_MERGED;
  const int first = aggregate < VT_GLRLM_MEAN ? aggregate : 0;
  const int last = aggregate < VT_GLRLM_MEAN ? aggregate : VT_GLRLM_N_DIRECTIONS - 1;
  double total = 0;
  uint64_t n_runs = 0;
  for (int direction = first; direction <= last; direction++) {
    if (direction == first || !merges) {
      for (int64_t k = 0; k < n; k++)
        cells[k] = 0;
      n_runs = 0;
    }
    count_cells(levels, box->x1 - box->x0 + 1, box->y1 - box->y0 + 1, direction, args->side, cells, &n_runs);
    if (!merges || direction == last)
      total += host_entropy(cells, n, static_cast<double>(n_runs));
  }
  return static_cast<float>(aggregate == VT_GLRLM_MEAN ? total / VT_GLRLM_N_DIRECTIONS : total);
}

static VitrailStatus
finish_item(VtDevice *device, const VtGpuGlrlmArgs *args, const VtGpuGlrlmMaps *maps, const VtGpuGlrlmItem *item,
            uint64_t *cells)
{
  const Box box = box_of(*args, item->i, item->j);
  const size_t w = static_cast<size_t>(box.x1 - box.x0 + 1), h = static_cast<size_t>(box.y1 - box.y0 + 1);
  const size_t size = args->src.type == VITRAIL_U16 ? 2 : 1;
  uint16_t *levels = reinterpret_cast<uint16_t *>(cells + static_cast<int64_t>(args->n_levels) * args->side);
  const VtGpuGlrlmMap map = maps->map[item->aggregate][item->feature];
  VT_GPU_TRY(device, cudaMemcpy2DAsync(levels, w * size, vt_image_at(&args->src, box.x0, box.y0),
                                       static_cast<size_t>(args->src.stride), w * size, h, cudaMemcpyDeviceToHost,
                                       device->stream));
  VT_TRY(vt_gpu_sync(device));
  if (size == 1) /* from the end, so that none is overwritten before it is read */
    for (size_t k = w * h; k-- > 0;)
      levels[k] = reinterpret_cast<const uint8_t *>(levels)[k];
  const float value = host_value(args, levels, &box, item->aggregate, cells);
  VT_GPU_TRY(device, cudaMemcpyAsync(map.data + item->j * map.stride + item->i, &value, sizeof value,
                                     cudaMemcpyHostToDevice, device->stream));
  return vt_gpu_sync(device);
}

/* VITRAIL_UNSUPPORTED when the host would have too much to do: the CPU's own way is faster then. */
static VitrailStatus
finish_left(VtDevice *device, const VtGpuGlrlmArgs *args, const VtGpuGlrlmMaps *maps, const Scratch *scratch)
{
  uint32_t n = 0;
  VT_GPU_TRY(device, cudaMemcpyAsync(&n, scratch->n_left, sizeof n, cudaMemcpyDeviceToHost, device->stream));
  VT_TRY(vt_gpu_sync(device));
  if (n == 0)
    return VITRAIL_OK;
  if (n > MAX_LEFT)
    return VITRAIL_UNSUPPORTED;
  const size_t n_cells = static_cast<size_t>(scratch->sums_size), side = static_cast<size_t>(args->side);
  VtGpuGlrlmItem *items = static_cast<VtGpuGlrlmItem *>(malloc(n * sizeof *items));
  uint64_t *cells = static_cast<uint64_t *>(malloc(n_cells * sizeof *cells + side * side * sizeof(uint16_t)));
  VitrailStatus status = items && cells ? VITRAIL_OK : VITRAIL_OUT_OF_MEMORY;
  if (status == VITRAIL_OK) {
    const cudaError_t error = cudaMemcpy(items, scratch->left, n * sizeof *items, cudaMemcpyDeviceToHost);
    status = error == cudaSuccess ? VITRAIL_OK : vt_gpu_fail(device, "cudaMemcpy", error);
  }
  for (uint32_t k = 0; k < n && status == VITRAIL_OK; k++)
    status = finish_item(device, args, maps, &items[k], cells);
  free(items);
  free(cells);
  return status;
}

VitrailStatus
vt_gpu_glrlm_exact_entropies(VtDevice *device, const VtGpuGlrlmArgs *args, const VtGpuGlrlmMaps *maps,
                             const VtGpuGlrlmList *list, void *memory)
{
  const Scratch scratch = scratch_of(args, memory);
  VT_GPU_TRY(device, cudaMemsetAsync(scratch.n_left, 0, sizeof(uint32_t), device->stream));
  VT_TRY(vt_gpu_glrlm_exact_list(device, args, maps, list, memory));
  return finish_left(device, args, maps, &scratch);
}

/* Of windows between two looks at the cancel: 5 ms on an H200. */
enum { PIXELS_AT_ONCE = 1 << 25 };

VitrailStatus
vt_gpu_glrlm_exact_all(VtDevice *device, const VtGpuGlrlmArgs *args, const VtGpuGlrlmMaps *maps, uint32_t features,
                       void *memory, const VtCancel *cancel)
{
  const int64_t n = args->width * args->height, n_blocks = n_blocks_of(device);
  const int64_t fits = PIXELS_AT_ONCE / (static_cast<int64_t>(args->side) * args->side), least = 4 * n_blocks;
  const int64_t at_once = fits > least ? fits : least;
  const Scratch scratch = scratch_of(args, memory);
  VT_GPU_TRY(device, cudaMemsetAsync(scratch.n_left, 0, sizeof(uint32_t), device->stream));
  for (int k = 0; k < VT_GLRLM_MAX_MAPS; k++) {
    const int aggregate = k / VT_GLRLM_N_FEATURES, feature = k % VT_GLRLM_N_FEATURES;
    if (!maps->map[aggregate][feature].data || !(features >> feature & 1))
      continue;
    for (int64_t first = 0; first < n; first += at_once) {
      const int64_t count = n - first < at_once ? n - first : at_once;
      if (vt_cancelled(cancel))
        return VITRAIL_CANCELLED;
      VT_TRY(launch(device, "exact_all", is_shared(*args) ? exact_all<true> : exact_all<false>,
                    count < n_blocks ? count : n_blocks, *args, *maps, aggregate, feature, first, count, scratch));
      VT_TRY(vt_gpu_sync(device));
    }
  }
  return features >> VT_GLRLM_RE & 1 ? finish_left(device, args, maps, &scratch) : VITRAIL_OK;
}
