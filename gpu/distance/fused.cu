/* SPDX-License-Identifier: MIT
 *
 * fused.cu: the exact distance transform in one go, without column distances in memory.
 *
 * A block takes 64 rows of some columns, with a halo, and keeps their squared column distances. Its warps take tiles of
 * them and look outward (near.cuh). That is exact for distances below 240; what has a longer one goes to a list, for a
 * search by a block of its own in 32 bits (hard.cuh), and to the search of whole rows (rows.cuh) if there are too many
 * or that is too far. The host waits for none of it. */
#include "../gpu.h"
#include "hard.cuh"
#include "near.cuh"
#include "outputs.cuh"

enum { TILE_ROWS = 16, N_TILES = VT_GPU_BAND / TILE_ROWS };
enum { THREADS = 768, MAX_STRIPE = 1024, BLOCK_COST = 300 };
enum { MAX_HARD_SHARE = 32, N_BLOCKS = 8 /* of a multiprocessor */, NONE_16 = 0xffff, MAX_ROW_BYTES = 72 << 10 };

/* Cells of 8 columns by 64 rows: cell c of band b is b * n_cells + c. */
struct Hard {
  uint32_t *count, *cells; /* to be searched alone */
  uint32_t *listed;        /* a bit a cell: it is in the list */
  uint32_t *any, *flags;   /* whether any; per band: its rows are to be made whole */
  int64_t n_cells, max_count;
};

template <typename T> struct Job {
  VtGpuBands bands;
  VtGpuView<T> dst;
  Hard hard;
  float scale;
  int stripe; /* columns of a block, a multiple of 32 */
  uint32_t n_stripes, zero; /* 0, which nvcc cannot know */
  bool aligned;
};

/* Before the first read of what an earlier kernel wrote: see launch. */
static __device__ __forceinline__ void
wait_for_previous()
{
#if __CUDA_ARCH__ >= 900
  cudaGridDependencySynchronize();
#endif
}

/* Shared memory of a block of so many columns: their squares, and per cell and row the least of them. */
static int
shared_bytes_of(int columns)
{
  return (columns * PITCH + columns / CELL * LEAST_PITCH) * static_cast<int>(sizeof(uint32_t));
}

/* A warp makes 32 columns at a time, and then their cells' least squares: stripes and halos are multiples of 32. Returns
 * whether the thread saw background within reach. */
template <typename T>
static __device__ bool
square_columns(const Job<T> &job, uint32_t *squares, uint32_t *least, int64_t band, int64_t x0)
{
  const int lane = threadIdx.x % WARP;
  const int32_t y0 = static_cast<int32_t>(band * BAND);
  const int n = job.stripe + 2 * HALO;
  uint32_t nearest = twice(FAR);
  VtGpuColumn next = near_column(job.bands, band, x0 - HALO + threadIdx.x);
  for (int c = threadIdx.x; c < n; c += THREADS) {
    const VtGpuColumn column = next;
    if (c + THREADS < n) /* long before it is needed */
      next = near_column(job.bands, band, x0 - HALO + c + THREADS);
    square_column(squares + c * PITCH, column, y0);
    __syncwarp();
#pragma unroll
    for (int first = c - lane; first < c - lane + WARP; first += CELL) {
      const uint32_t value = least_of_cell(squares + first * PITCH + lane);
      least[first / CELL * LEAST_PITCH + lane] = value;
      nearest = __vminu2(nearest, value);
    }
  }
  return nearest != twice(FAR);
}

/* The correctly rounded root of a squared distance below 2^16, with 0x4b000000 (a float of 2^23) above it, without the
 * steps that others need. twin-edt tries every one that can occur ("all short roots"). */
static __device__ __forceinline__ float
short_root(uint32_t squared)
{
  const float value = __fsub_rn(__uint_as_float(squared), 8388608.0f);
  float inverse;
  asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(inverse) : "f"(__fadd_rn(value, 1e-30f))); /* not of 0 */
  const float root = __fmul_rn(value, inverse);
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

/* The warp, with a whole tile: two lanes swap halves of their rows, so that lanes that write together write lines. at: the lane's
 * first pixel. */
template <bool UNIT>
static __device__ __forceinline__ void
store_whole(const Job<float> &job, const uint32_t *best, float *at, bool odd)
{
  uint32_t upper[4], lower[4];
#pragma unroll
  for (int t = 0; t < 4; t++) {
    const uint32_t other = __shfl_xor_sync(~0u, odd ? best[t] : best[4 + t], 1);
    upper[t] = odd ? other : best[t];
    lower[t] = odd ? best[4 + t] : other;
  }
  char *first = reinterpret_cast<char *>(odd ? at + 4 : at) - (odd ? job.dst.stride : 0);
#pragma unroll
  for (int k = 0; k < 2; k++, first += TILE_ROWS / 2 * job.dst.stride) {
    *reinterpret_cast<float4 *>(first) = four_roots<UNIT>(upper, k, job.scale);
    *reinterpret_cast<float4 *>(first + job.dst.stride) = four_roots<UNIT>(lower, k, job.scale);
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

/* A lane's part of a tile: 8 columns from x on of rows y and y + 8. whole: all pixels of every lane are in the image. */
struct Lane {
  int32_t x, y;
  bool whole;
};

template <typename T>
static __device__ __forceinline__ int
columns_of(const Job<T> &job, const Lane &lane)
{
  return lane.whole ? CELL : static_cast<int>(max(min(job.bands.width - lane.x, int64_t{ CELL }), int64_t{ 0 }));
}

template <typename T>
static __device__ __forceinline__ int
rows_of(const Job<T> &job, const Lane &lane)
{
  return (lane.y < job.dst.height) + (lane.y + TILE_ROWS / 2 < job.dst.height);
}

/* The warp: pixels inside the image. */
template <typename T>
static __device__ __forceinline__ void
store_tile(const Job<T> &job, const uint32_t *best, const Lane &lane)
{
  if constexpr (sizeof(T) == sizeof(float))
    if (job.aligned && lane.whole) {
      T *at = job.dst.row(lane.y) + lane.x;
      if (job.scale == 1)
        store_whole<true>(job, best, at, threadIdx.x % 2);
      else
        store_whole<false>(job, best, at, threadIdx.x % 2);
      return;
    }
  const int n_rows = rows_of(job, lane), n_columns = columns_of(job, lane);
  for (int k = 0; k < n_rows; k++) {
    T *dst = job.dst.row(lane.y + TILE_ROWS / 2 * k) + lane.x;
#pragma unroll
    for (int t = 0; t < CELL; t++)
      if (t < n_columns)
        store_short(dst + t, best[t] >> 16 * k & 0xffffu, job.scale);
  }
}

/* The warp: a tile of background. */
template <typename T>
static __device__ __forceinline__ void
clear_tile(const Job<T> &job, const uint32_t *best, const Lane &lane)
{
  if (!job.aligned || !lane.whole) {
    store_tile(job, best, lane);
    return;
  }
  constexpr int per_row = WARP * sizeof(T) / sizeof(uint4); /* lanes that write a row together */
  const int number = threadIdx.x % WARP, x = lane.x - number / (TILE_ROWS / 2) * CELL, y = lane.y - number % (TILE_ROWS / 2);
  uint4 *at = reinterpret_cast<uint4 *>(job.dst.row(y + number / per_row) + x) + number % per_row;
#pragma unroll
  for (int k = 0; k < TILE_ROWS; k += WARP / per_row) {
    *at = make_uint4(0, 0, 0, 0);
    at = reinterpret_cast<uint4 *>(reinterpret_cast<char *>(at) + WARP / per_row * job.dst.stride);
  }
}

/* The warp: cells with a pixel whose distance may be longer than what was searched go to the list, once for all of
 * their tiles. */
template <typename T>
static __device__ __forceinline__ void
list_hard(const Job<T> &job, const uint32_t *best, const Lane &lane)
{
  const uint32_t far = __ballot_sync(~0u, __vmaxu2(worst_of(best), twice(FAR - 1)) != twice(FAR - 1));
  const int first = threadIdx.x % WARP; /* of a cell's lanes */
  if (!far || first % (TILE_ROWS / 2) != 0 || !(far >> first & 0xff))
    return;
  const uint32_t cell = static_cast<uint32_t>(lane.y / BAND * job.hard.n_cells + lane.x / CELL), bit = 1u << cell % 32;
  if (!(atomicOr(job.hard.listed + cell / 32, bit) & bit))
    job.hard.cells[atomicAdd(job.hard.count, 1u)] = cell;
}

/* The block: all cells of a stripe. */
template <typename T>
static __device__ __forceinline__ void
list_stripe(const Job<T> &job, uint32_t band, uint32_t x0)
{
  const int64_t end = min(job.hard.n_cells, static_cast<int64_t>(x0 + job.stripe) / CELL);
  for (int64_t cell = x0 / CELL + threadIdx.x; cell < end; cell += THREADS)
    job.hard.cells[atomicAdd(job.hard.count, 1u)] = static_cast<uint32_t>(band * job.hard.n_cells + cell);
}

/* The warp: a tile. squares, least: the lane's, at its cell. */
template <typename T>
static __device__ __forceinline__ void
do_tile(const Job<T> &job, const Lane &lane, const uint32_t *squares, const uint32_t *least, const uint32_t *squared_steps)
{
  uint32_t best[CELL], mask = ~0u;
  int n_columns = CELL;
  if (!lane.whole) {
    const int n_rows = rows_of(job, lane);
    n_columns = columns_of(job, lane);
    mask = n_rows == 2 ? ~0u : n_rows == 1 ? 0xffffu : 0u;
  }
  if (start_cell(best, squares, mask, n_columns, lane.whole)) {
    if (search_cell(best, squares, least, squared_steps) >= FAR)
      list_hard(job, best, lane);
    store_tile(job, best, lane);
  } else {
    clear_tile(job, best, lane);
  }
}

/* The block: tiles of a stripe, whose column 0 is the HALO-th. Their numbers go down the band first, then across. */
template <typename T>
static __device__ __forceinline__ void
do_tiles(const Job<T> &job, int32_t x0, int32_t y0, uint32_t *next_tile, const uint32_t *squares, const uint32_t *least,
         const uint32_t *squared_steps)
{
  const int number = threadIdx.x % WARP, cell = number / (TILE_ROWS / 2), row = number % (TILE_ROWS / 2);
  const int n_columns = static_cast<int>(min(job.bands.width - x0, static_cast<int64_t>(job.stripe)));
  const int n = (n_columns + WARP - 1) / WARP * N_TILES;
  const int n_rows = static_cast<int>(min(job.dst.height - y0, static_cast<int64_t>(BAND)));
  squares += (HALO + cell * CELL) * PITCH + row;
  least += (HALO / CELL + cell) * LEAST_PITCH + row;
  for (int tile = threadIdx.x / WARP, next = 0; !__all_sync(~0u, tile >= n); tile = __shfl_sync(~0u, next, 0)) {
    if (number == 0) /* long before it is needed */
      next = static_cast<int>(atomicAdd(next_tile, 1u));
    const int across = tile / N_TILES, down = tile % N_TILES;
    const bool whole = __all_sync(~0u, (across + 1) * WARP <= n_columns && (down + 1) * TILE_ROWS <= n_rows);
    const Lane lane = { x0 + across * WARP + cell * CELL, y0 + down * TILE_ROWS + row, whole };
    do_tile(job, lane, squares + across * (WARP * PITCH) + down * (TILE_ROWS / 2),
            least + across * (WARP / CELL * LEAST_PITCH) + down * (TILE_ROWS / 2), squared_steps);
  }
}

/* squared_steps[d]: d² in both halves. The kernel's shared memory: columns' squares, cells' least squares. */
template <typename T>
static __global__ void
__launch_bounds__(THREADS, 1) near_tiles(Job<T> job)
{
  extern __shared__ __align__(16) uint32_t squares[];
  __shared__ __align__(16) uint32_t squared_steps[HALO + 2 * CELL];
  __shared__ uint32_t next_tile;
  const uint32_t band = blockIdx.x / job.n_stripes, x0 = (blockIdx.x - band * job.n_stripes) * job.stripe;
  uint32_t *const least = squares + (job.stripe + 2 * HALO) * PITCH;
  for (int d = threadIdx.x; d < HALO + 2 * CELL; d += THREADS)
    squared_steps[d] = twice(static_cast<uint32_t>(d * d));
  if (threadIdx.x == 0)
    next_tile = THREADS / WARP;
  wait_for_previous();
  const bool any = __syncthreads_or(square_columns(job, squares, least, band, x0));
  if (__all_sync(~0u, !any)) { /* the vote: so nvcc knows that the warp stays together */
    list_stripe(job, band, x0);
    return;
  }
  /* Of one address nvcc makes one addition for the warp, and a wait: it must not know. */
  do_tiles(job, static_cast<int32_t>(x0), static_cast<int32_t>(band) * BAND, &next_tile + (threadIdx.x & job.zero), squares,
           least, squared_steps);
}

static __device__ void
flag_bands(const Hard &hard, uint32_t count)
{
  for (uint32_t i = blockIdx.x * HARD_THREADS + threadIdx.x; i < count; i += gridDim.x * HARD_THREADS)
    *hard.any = hard.flags[hard.cells[i] / static_cast<uint32_t>(hard.n_cells)] = 1;
}

template <typename T>
static __global__ void
__launch_bounds__(HARD_THREADS) hard_cells(Job<T> job)
{
  __shared__ uint32_t least[CELL][BAND];
  __shared__ HardBounds worst;
  wait_for_previous();
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
        *job.hard.any = job.hard.flags[band] = 1;
    } else {
      for (int at = threadIdx.x; at < CELL * BAND; at += HARD_THREADS)
        if (at % CELL < n_columns && at / CELL < n_rows)
          store(&job.dst.row(band * BAND + at / CELL)[x + at % CELL], static_cast<int64_t>(least[at % CELL][at / CELL]),
                job.scale);
    }
    __syncthreads();
  }
}

static __device__ __forceinline__ void
keep_distance(int32_t *row, int64_t x, int32_t distance)
{
  row[x] = distance;
}

static __device__ __forceinline__ void
keep_distance(uint16_t *row, int64_t x, int32_t distance)
{
  row[x] = static_cast<uint16_t>(min(distance, static_cast<int32_t>(NONE_16)));
}

/* The block: row y of a flagged band, with room for its distances and its nodes. */
template <typename T, typename R>
static __device__ void
hard_row(const Job<T> &job, int64_t y, R *row, int32_t *nearest, int32_t n_nodes)
{
  const int64_t width = job.bands.width, band = y / BAND;
  bool any = false;
#pragma unroll 4
  for (int64_t x = threadIdx.x; x < width; x += ROW_THREADS) {
    const int32_t distance = vt_gpu_column_distance(vt_gpu_bands_column(job.bands, band * width + x),
                                                    static_cast<int32_t>(band * BAND), static_cast<int>(y % BAND));
    any |= distance != VT_EDT_NONE;
    keep_distance(row, x, distance);
  }
  if (__syncthreads_or(any))
    transform_row(row, job.dst.row(y), static_cast<int32_t>(width), job.scale, nearest, n_nodes);
  else
    for (int64_t x = threadIdx.x; x < width; x += ROW_THREADS)
      store(&job.dst.row(y)[x], VT_EDT_NONE64, job.scale);
}

/* Rows of flagged bands. rows: room for a row of distances per block, then of its nodes; NULL: in shared memory, for
 * images less than NONE_16 high. */
template <typename T>
static __global__ void
__launch_bounds__(ROW_THREADS) hard_rows(Job<T> job, int32_t *rows, int32_t n_nodes)
{
  extern __shared__ __align__(16) uint32_t words[];
  wait_for_previous();
  if (*job.hard.any == 0)
    return;
  for (int64_t y = blockIdx.x; y < job.dst.height; y += gridDim.x) {
    if (!job.hard.flags[y / BAND])
      continue;
    if (rows)
      hard_row(job, y, rows + blockIdx.x * job.bands.width,
               rows + gridDim.x * job.bands.width + blockIdx.x * static_cast<int64_t>(n_nodes + 1), n_nodes);
    else
      hard_row(job, y, reinterpret_cast<uint16_t *>(words + n_nodes + 1), reinterpret_cast<int32_t *>(words), n_nodes);
  }
}

/* Wide stripes share their halo among more columns, narrow ones leave less idle in the last round of blocks: the
 * cheapest. A column costs about a fifth of its search, and all threads make one at a time. 0: no stripe fits. */
static int
pick_stripe(const VtDevice *device, const VtGpuBands *bands, int shared_bytes)
{
  int best = 0;
  int64_t least = INT64_MAX;
  for (int stripe = WARP; stripe <= MAX_STRIPE && shared_bytes_of(stripe + 2 * HALO) <= shared_bytes; stripe += WARP) {
    const int64_t blocks = bands->n_bands * vt_gpu_blocks(bands->width, stripe);
    const int64_t rounds = vt_gpu_blocks(blocks, device->n_multiprocessors);
    const int64_t slots = vt_gpu_blocks(stripe + 2 * HALO, THREADS) * THREADS;
    const int64_t cost = rounds * (5 * stripe + slots + BLOCK_COST);
    if (cost < least) {
      least = cost;
      best = stripe;
    }
  }
  return best;
}

/* The kernel's blocks start while the last ones of the previous kernel still run (from compute capability 9 on):
 * every one waits for that kernel. */
template <typename... Formal, typename... Actual>
static VitrailStatus
launch(VtDevice *device, void (*kernel)(Formal...), int64_t blocks, int threads, int shared_bytes, Actual... actual)
{
  int major = 0;
  cudaLaunchAttribute overlap = {};
  cudaLaunchConfig_t config = {};
  VT_GPU_TRY(device, cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device->ordinal));
  overlap.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  overlap.val.programmaticStreamSerializationAllowed = 1;
  config.gridDim = dim3(static_cast<unsigned>(blocks));
  config.blockDim = dim3(static_cast<unsigned>(threads));
  config.dynamicSmemBytes = static_cast<size_t>(shared_bytes);
  config.stream = device->stream;
  config.attrs = &overlap;
  config.numAttrs = major >= 9;
  VT_GPU_TRY(device, cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_bytes));
  VT_GPU_TRY(device, cudaLaunchKernelEx(&config, kernel, static_cast<Formal>(actual)...));
  return VITRAIL_OK;
}

template <typename T>
static VitrailStatus
run(VtDevice *device, const VtDistance *args, const VtImage *dst)
{
  Job<T> job = { {}, VtGpuView<T>(*dst), {}, args->scale, 0, 0, 0, false };
  const int64_t n_bands = vt_gpu_blocks(args->src.height, BAND), n_cells = vt_gpu_blocks(args->src.width, CELL);
  const int64_t n_nodes = vt_gpu_blocks(args->src.width, WARP), n_blocks = N_BLOCKS * device->n_multiprocessors;
  const size_t bands_bytes = vt_gpu_bands_size(&args->src);
  const int64_t on_chip = (n_nodes + 1) * 4 + args->src.width * 2;
  const bool in_shared = args->src.height < NONE_16 && !args->above.data && on_chip <= MAX_ROW_BYTES;
  const int64_t n_listed = vt_gpu_blocks(n_bands * n_cells, 32), n_cleared = 2 + n_bands + n_listed;
  const int64_t n_words =
    n_cleared + n_bands * n_cells + (in_shared ? 0 : n_blocks * (args->src.width + n_nodes + 1));
  int shared_bytes = 0;
  void *scratch = NULL;
  if (n_bands * n_cells > INT32_MAX)
    return VITRAIL_UNSUPPORTED;
  VT_GPU_TRY(device, cudaDeviceGetAttribute(&shared_bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device->ordinal));
  VT_TRY(vt_gpu_scratch(device, bands_bytes + static_cast<size_t>(n_words) * sizeof(uint32_t), &scratch));
  job.hard.count = reinterpret_cast<uint32_t *>(static_cast<char *>(scratch) + bands_bytes);
  job.hard.any = job.hard.count + 1;
  job.hard.flags = job.hard.any + 1;
  job.hard.listed = job.hard.flags + n_bands;
  job.hard.cells = job.hard.listed + n_listed;
  int32_t *rows = in_shared ? NULL : reinterpret_cast<int32_t *>(job.hard.cells + n_bands * n_cells);
  job.hard.n_cells = n_cells;
  job.hard.max_count = n_bands * n_cells / MAX_HARD_SHARE + device->n_multiprocessors;
  job.aligned = (reinterpret_cast<uintptr_t>(dst->data) | static_cast<uintptr_t>(dst->stride)) % 16 == 0;
  job.bands.width = args->src.width;
  job.bands.n_bands = n_bands;
  job.stripe = pick_stripe(device, &job.bands, shared_bytes - 2048);
  if (job.stripe == 0)
    return VITRAIL_UNSUPPORTED;
  job.n_stripes = static_cast<uint32_t>(vt_gpu_blocks(args->src.width, job.stripe));
  job.bands.cleared = job.hard.count;
  job.bands.n_cleared = n_cleared;
  VT_TRY(vt_gpu_bands_make(device, &args->src, &args->above, &args->below, scratch, &job.bands));
  VT_TRY(launch(device, near_tiles<T>, n_bands * job.n_stripes, THREADS,
                shared_bytes_of(job.stripe + 2 * HALO), job));
  VT_TRY(launch(device, hard_cells<T>, n_blocks, HARD_THREADS, 0, job));
  VT_TRY(launch(device, hard_rows<T>, n_blocks, ROW_THREADS, in_shared ? static_cast<int>(on_chip) : 0, job, rows,
                static_cast<int32_t>(n_nodes)));
  return vt_gpu_sync(device);
}

VitrailStatus
vt_gpu_distance_fused(VtDevice *device, const VtDistance *args, const VtCancel *cancel)
{
  if (args->src.height >= INT32_MAX - BAND || args->src.width >= INT32_MAX - 2 * MAX_STRIPE)
    return VITRAIL_UNSUPPORTED;
  if (vt_cancelled(cancel))
    return VITRAIL_CANCELLED;
  return args->squared.data ? run<int64_t>(device, args, &args->squared) : run<float>(device, args, &args->root);
}
