/* SPDX-License-Identifier: MIT
 *
 * fused.cu: the exact distance transform in one go, without column distances in memory.
 *
 * A block takes 64 rows of some columns, with a halo, and keeps their squared column distances as pairs of 16 bits
 * (rows r and r + 32 in a word). A warp takes 8 columns and looks outward, 8 columns at a time, where the least of
 * those could still beat its worst pixel. That is exact for distances below 240; what has a longer one goes to a list,
 * for a search by a block of its own in 32 bits, and to the search of whole rows (rows.cuh) if there are too many or
 * that is too far. The host waits for none of it. */
#include "../gpu.h"
#include "bands.cuh"
#include "outputs.cuh"

enum { BAND = VT_GPU_BAND, CELL = 8, HALO = 240, FAR = HALO * HALO, THREADS = 768, N_STEPS = HALO / CELL };
enum { CHUNK = 16, MAX_CHUNKS = 64, HARD_THREADS = 256, MAX_HARD_SHARE = 32, N_ROW_BLOCKS = 8 };
enum { MAX_STRIPE = 1024, MIN_STRIPE = 128 };

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
  int stripe; /* columns of a block, a multiple of 32 */
  bool aligned;
};

static __device__ __forceinline__ uint32_t
twice(uint32_t value)
{
  return value | value << 16;
}

static __device__ __forceinline__ int
pair_at(int column, int lane)
{
  return column * WARP + (lane ^ (column & 31));
}

static __device__ uint32_t
warp_max(uint32_t value)
{
#if __CUDA_ARCH__ >= 800
  return __reduce_max_sync(~0u, value);
#else
  for (int d = WARP / 2; d > 0; d /= 2)
    value = max(value, __shfl_xor_sync(~0u, value, d));
  return value;
#endif
}

/* Squared column distances, at most FAR, of column c of the block; answers their minimum. */
static __device__ uint32_t
square_column(uint32_t *squares, const VtGpuColumn &column, int32_t y0, int n_rows, int c)
{
  const uint32_t low = static_cast<uint32_t>(column.bits), high = static_cast<uint32_t>(column.bits >> 32);
  const uint32_t above = column.above >= 0 ? min(y0 - column.above, static_cast<int32_t>(HALO)) : HALO;
  const uint32_t below = column.below >= 0 ? min(column.below - (y0 + BAND - 1), static_cast<int32_t>(HALO)) : HALO;
  uint32_t away[32], least = ~0u;
  uint32_t d = (above - 1) | (low ? static_cast<uint32_t>(__clz(static_cast<int>(low))) : above + 31) << 16;
#pragma unroll
  for (int r = 0; r < 32; r++) {
    const uint32_t here = (low >> r & 1u) | (high >> r & 1u) << 16;
    d = (d + 0x10001u) & ~(here * 0xffffu);
    away[r] = d;
  }
  d = (high ? static_cast<uint32_t>(__ffs(static_cast<int>(high)) - 1) : below + 31) | (below - 1) << 16;
#pragma unroll
  for (int r = 31; r >= 0; r--) {
    const uint32_t here = (low >> r & 1u) | (high >> r & 1u) << 16;
    d = (d + 0x10001u) & ~(here * 0xffffu);
    const uint32_t nearer = __vimin3_u16x2(d, away[r], twice(HALO));
    const uint32_t a = nearer & 0xffffu, b = nearer >> 16;
    uint32_t squared = a * a + b * b * 0x10000u;
    if (r >= n_rows)
      squared = twice(FAR);
    else if (r + 32 >= n_rows)
      squared = (squared & 0xffffu) | static_cast<uint32_t>(FAR) << 16;
    least = __vminu2(least, squared);
    squares[pair_at(c, r)] = squared;
  }
  return min(least & 0xffffu, least >> 16);
}

template <typename T>
static __device__ void
square_columns(const Job<T> &job, uint32_t *squares, uint32_t *least_of_cells, int64_t band, int64_t x0)
{
  const int32_t y0 = static_cast<int32_t>(band * BAND);
  const int n_rows = static_cast<int>(min(job.dst.height - y0, static_cast<int64_t>(BAND)));
  for (int c = threadIdx.x; c < job.stripe + 2 * HALO; c += THREADS) {
    const int64_t x = x0 - HALO + c;
    uint32_t least = FAR;
    if (x >= 0 && x < job.bands.width)
      least = square_column(squares, vt_gpu_bands_column(job.bands, band * job.bands.width + x), y0, n_rows, c);
    else
      for (int r = 0; r < 32; r++)
        squares[pair_at(c, r)] = twice(FAR);
    for (int d = 1; d < CELL; d *= 2) /* all 32 lanes are here: widths are multiples of 32 */
      least = min(least, __shfl_xor_sync(~0u, least, d));
    if (c % CELL == 0)
      least_of_cells[c / CELL] = least;
  }
}

/* What the cell of columns from `from`, `step` cells to the left or right, does to the cell `best`. */
template <bool LEFT>
static __device__ bool
try_cell(uint32_t *best, const uint32_t *squares, const uint32_t *squared_steps, uint32_t worst, int from, int step,
         int lane)
{
  const uint32_t nearest = squared_steps[CELL * step - 7], farthest = squared_steps[CELL * step + 7];
  const uint32_t cap = 0xffffffffu - farthest; /* no sum overflows; what is cut stays above FAR */
  uint32_t source[CELL], least = cap, steps[2 * CELL];
#pragma unroll
  for (int s = 0; s < CELL; s += 2) {
    source[s] = squares[pair_at(from + s, lane)];
    source[s + 1] = squares[pair_at(from + s + 1, lane)];
    least = __vimin3_u16x2(least, source[s], source[s + 1]);
  }
  if (!__any_sync(~0u, __viaddmin_u16x2(least, nearest, worst) != worst))
    return false;
#pragma unroll
  for (int k = 0; k < 2 * CELL; k += 4) {
    const uint4 four = *reinterpret_cast<const uint4 *>(squared_steps + CELL * (step - 1) + k);
    steps[k] = four.x;
    steps[k + 1] = four.y;
    steps[k + 2] = four.z;
    steps[k + 3] = four.w;
  }
#pragma unroll
  for (int s = 0; s < CELL; s++)
    source[s] = __vminu2(source[s], cap);
#pragma unroll
  for (int s = 0; s < CELL; s++)
#pragma unroll
    for (int t = 0; t < CELL; t++)
      best[LEFT ? t : CELL - 1 - t] =
        __viaddmin_u16x2(source[LEFT ? s : CELL - 1 - s], steps[CELL + t - s], best[LEFT ? t : CELL - 1 - t]);
  return true;
}

/* *of_lane: the lane's own. */
static __device__ uint32_t
worst_of(const uint32_t *best, uint32_t *of_lane)
{
  uint32_t worst = best[0];
#pragma unroll
  for (int t = 1; t < CELL; t++)
    worst = __vmaxu2(worst, best[t]);
  *of_lane = worst;
  return warp_max(max(worst & 0xffffu, worst >> 16));
}

/* The warp: squared distances of the cell's columns from `at`; false where one may be longer than what was searched. */
static __device__ bool
search_cell(uint32_t *best, const uint32_t *squares, const uint32_t *least_of_cells, const uint32_t *squared_steps,
            int at, uint32_t mask, int n_columns, int lane)
{
  uint32_t own[CELL];
#pragma unroll
  for (int t = 0; t < CELL; t++)
    best[t] = own[t] = squares[pair_at(at + t, lane)];
#pragma unroll
  for (int s = 0; s < CELL; s++)
#pragma unroll
    for (int t = 0; t < CELL; t++)
      if (s != t)
        best[t] = __viaddmin_u16x2(own[s], static_cast<uint32_t>((s - t) * (s - t)) * 0x10001u, best[t]);
#pragma unroll
  for (int t = 0; t < CELL; t++)
    best[t] = t < n_columns ? best[t] & mask : 0;
  uint32_t of_lane, worst = worst_of(best, &of_lane);
  for (int step = 1; step <= N_STEPS; step++) {
    const uint32_t nearest = squared_steps[CELL * step - 7] & 0xffffu;
    if (nearest >= worst)
      break;
    bool better = false;
    if (least_of_cells[at / CELL - step] + nearest < worst)
      better = try_cell<true>(best, squares, squared_steps, of_lane, at - CELL * step, step, lane);
    if (least_of_cells[at / CELL + step] + nearest < worst)
      better |= try_cell<false>(best, squares, squared_steps, of_lane, at + CELL * step, step, lane);
    if (better)
      worst = worst_of(best, &of_lane);
  }
  return worst < FAR;
}

/* The correctly rounded root of a squared distance below 2^16, without the steps that others need. twin-edt tries every one
 * that can occur ("all short roots"). */
static __device__ __forceinline__ float
short_root(uint32_t squared)
{
  const float value = __fsub_rn(__uint_as_float(0x4b000000u | squared), 8388608.0f);
  const float inverse = rsqrtf(fmaxf(value, 1e-30f)), root = __fmul_rn(value, inverse);
  return __fmaf_rn(__fmaf_rn(-root, root, value), __fmul_rn(0.5f, inverse), root);
}

static __device__ __forceinline__ void
store_cell_row(float *dst, const uint32_t *best, int shift, int n_columns, float scale, bool aligned)
{
  float out[CELL];
#pragma unroll
  for (int t = 0; t < CELL; t++)
    out[t] = __fmul_rn(short_root(best[t] >> shift & 0xffffu), scale);
  if (aligned && n_columns == CELL) {
    reinterpret_cast<float4 *>(dst)[0] = make_float4(out[0], out[1], out[2], out[3]);
    reinterpret_cast<float4 *>(dst)[1] = make_float4(out[4], out[5], out[6], out[7]);
    return;
  }
#pragma unroll
  for (int t = 0; t < CELL; t++)
    if (t < n_columns)
      dst[t] = out[t];
}

static __device__ __forceinline__ void
store_cell_row(int64_t *dst, const uint32_t *best, int shift, int n_columns, float scale, bool aligned)
{
#pragma unroll
  for (int t = 0; t < CELL; t++)
    if (t < n_columns)
      dst[t] = best[t] >> shift & 0xffffu;
}

/* squared_steps[d]: d² in both halves. The kernel's shared memory: columns' squares, cells' minima. */
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
  uint32_t *least_of_cells = squares + (job.stripe + 2 * HALO) * WARP;
  for (int d = threadIdx.x; d < HALO + 2 * CELL; d += THREADS)
    squared_steps[d] = twice(static_cast<uint32_t>(d * d));
  if (threadIdx.x == 0)
    next_cell = THREADS / WARP;
  square_columns(job, squares, least_of_cells, band, x0);
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
    if (!search_cell(best, squares, least_of_cells, squared_steps, HALO + cell * CELL, mask, n_columns, lane)) {
      if (lane == 0)
        job.hard.cells[atomicAdd(job.hard.count, 1u)] = static_cast<uint32_t>(band * job.hard.n_cells + x / CELL);
      continue;
    }
    for (int k = 0; k < 2; k++)
      if (lane + 32 * k < n_rows)
        store_cell_row(job.dst.row(y0 + lane + 32 * k) + x, best, 16 * k, n_columns, job.scale, job.aligned);
  }
}

/* The block: the squares of 2 * CHUNK columns to both sides of a hard cell, at rows of its band; NEAR² where there are
 * none or they are larger. squares[k]: k < CHUNK to the left, the others to the right. */
static __device__ void
square_chunk(uint32_t (*squares)[BAND], const VtGpuBands &bands, int64_t band, int64_t x, int chunk)
{
  const int r = threadIdx.x % BAND;
  for (int k = threadIdx.x / BAND; k < 2 * CHUNK; k += HARD_THREADS / BAND) {
    const int64_t column = x + CELL + (k < CHUNK ? k - CHUNK * (chunk + 1) : k - CHUNK + CHUNK * chunk);
    int32_t dy = NEAR;
    if (column >= 0 && column < bands.width)
      dy = min(vt_gpu_column_distance(vt_gpu_bands_column(bands, band * bands.width + column),
                                      static_cast<int32_t>(band * BAND), r),
               static_cast<int32_t>(NEAR));
    squares[k][r] = static_cast<uint32_t>(dy * dy);
  }
}

/* The block: best[2] of pixels (2 * (thread / 64), + 1; thread % 64) of the cell; false if they may be too large. */
static __device__ bool
search_hard(uint32_t *best, uint32_t (*squares)[2 * CHUNK][BAND], const VtGpuBands &bands, int64_t band, int64_t x,
            int n_columns, int n_rows)
{
  const int r = threadIdx.x % BAND, t = threadIdx.x / BAND * 2;
  for (int n = 0; n < 2; n++)
    best[n] = t + n < n_columns && r < n_rows ? +NEAR_SQUARED : 0;
  for (int chunk = 0; chunk < MAX_CHUNKS; chunk++) {
    const uint32_t(*source)[BAND] = squares[chunk % 2];
    square_chunk(squares[chunk % 2], bands, band, x, chunk);
    __syncthreads();
    for (int k = 0; k < 2 * CHUNK; k++) {
      const int dx = CELL + (k < CHUNK ? k - CHUNK * (chunk + 1) : k - CHUNK + CHUNK * chunk) - t;
      best[0] = min(best[0], source[k][r] + static_cast<uint32_t>(dx * dx));
      best[1] = min(best[1], source[k][r] + static_cast<uint32_t>((dx - 1) * (dx - 1)));
    }
    const uint32_t reach = CHUNK * (chunk + 1) - 7; /* no column beyond the chunk is nearer */
    if (!__syncthreads_or(max(best[0], best[1]) > reach * reach))
      return true;
  }
  return false;
}

template <typename T>
static __global__ void
__launch_bounds__(HARD_THREADS) hard_cells(Job<T> job)
{
  __shared__ uint32_t squares[2][2 * CHUNK][BAND];
  const int64_t count = *job.hard.count;
  for (int64_t i = blockIdx.x; i < count; i += gridDim.x) {
    const int64_t band = job.hard.cells[i] / job.hard.n_cells, x = job.hard.cells[i] % job.hard.n_cells * CELL;
    const int n_columns = static_cast<int>(min(job.bands.width - x, static_cast<int64_t>(CELL)));
    const int n_rows = static_cast<int>(min(job.dst.height - band * BAND, static_cast<int64_t>(BAND)));
    const int r = threadIdx.x % BAND, t = threadIdx.x / BAND * 2;
    uint32_t best[2];
    if (count > job.hard.max_count || !search_hard(best, squares, job.bands, band, x, n_columns, n_rows)) {
      if (threadIdx.x == 0)
        atomicExch(&job.hard.flags[band], 1u);
    } else {
      for (int n = 0; n < 2; n++)
        if (t + n < n_columns && r < n_rows)
          store(&job.dst.row(band * BAND + r)[x + t + n], static_cast<int64_t>(best[n]), job.scale);
    }
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
    const int columns = stripe + 2 * HALO, bytes = (columns * WARP + columns / CELL) * 4;
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
  const int columns = job->stripe + 2 * HALO, bytes = (columns * WARP + columns / CELL) * 4;
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
  Job<T> job = { {}, VtGpuView<T>(args->dst), {}, args->scale, 0, false };
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
