/* SPDX-License-Identifier: MIT
 *
 * exact.cu: the two passes of the exact distance transform (Meijster 2000), in parallel form.
 *
 * Columns: bands of 64 rows are packed to one word of background bits per column; a scan over the bands finds the
 * nearest background beyond each band; then every pixel's distance is two bit searches (after Manduhu & Jones 2019).
 *
 * Rows: the nearest column c(x), the smaller one on a tie, never decreases with x, and is no farther than the pixel's
 * own column distance. So c is found first at every 32nd pixel, halving the spacing and searching only between the
 * neighbours' answers, then a warp takes the 32 pixels between two of them, all lanes trying the same few columns.
 * O(width) steps of a warp per row whatever the image. */
#include "../common.cuh"
#include "../gpu.h"

#include <math.h>

enum { WARP = 32, BAND = 64, COLUMN_THREADS = 128, ROW_THREADS = 256, ROW_WARPS = ROW_THREADS / WARP };
/* Squares of less than NEAR² are found in 32 bits: NEAR² + (NEAR + N_SQUARES)² still fits. */
enum { NEAR = 46000, NEAR_SQUARED = NEAR * NEAR, N_SQUARES = 2 * WARP };

/* Per band and column: which rows are background, and the nearest background rows beyond the band (-1: none). */
struct Bands {
  uint64_t *bits;
  int32_t *above, *below;
  int64_t n_bands, width;
};

static __global__ void
pack_columns(VtGpuView<uint8_t> src, Bands bands)
{
  const int64_t n = bands.n_bands * bands.width;
  for (int64_t at = static_cast<int64_t>(blockIdx.x) * COLUMN_THREADS + threadIdx.x; at < n;
       at += static_cast<int64_t>(gridDim.x) * COLUMN_THREADS) {
    const int64_t x = at % bands.width, y0 = at / bands.width * BAND;
    const int n_rows = static_cast<int>(min(src.height - y0, static_cast<int64_t>(BAND)));
    uint64_t bits = 0;
#pragma unroll 8
    for (int r = 0; r < n_rows; r++)
      bits |= static_cast<uint64_t>(src.row(y0 + r)[x] == 0) << r;
    bands.bits[at] = bits;
  }
}

static __global__ void
scan_bands(Bands bands)
{
  const int64_t x = static_cast<int64_t>(blockIdx.x) * COLUMN_THREADS + threadIdx.x;
  if (x >= bands.width)
    return;
  int32_t nearest = -1;
  for (int64_t band = 0; band < bands.n_bands; band++) {
    const uint64_t bits = bands.bits[band * bands.width + x];
    bands.above[band * bands.width + x] = nearest;
    if (bits)
      nearest = static_cast<int32_t>(band * BAND) + 63 - __clzll(static_cast<long long>(bits));
  }
  nearest = -1;
  for (int64_t band = bands.n_bands - 1; band >= 0; band--) {
    const uint64_t bits = bands.bits[band * bands.width + x];
    bands.below[band * bands.width + x] = nearest;
    if (bits)
      nearest = static_cast<int32_t>(band * BAND) + __ffsll(static_cast<long long>(bits)) - 1;
  }
}

static __global__ void
write_columns(Bands bands, VtGpuView<int32_t> dst)
{
  const int64_t n = bands.n_bands * bands.width;
  for (int64_t at = static_cast<int64_t>(blockIdx.x) * COLUMN_THREADS + threadIdx.x; at < n;
       at += static_cast<int64_t>(gridDim.x) * COLUMN_THREADS) {
    const int64_t x = at % bands.width, y0 = at / bands.width * BAND;
    const int n_rows = static_cast<int>(min(dst.height - y0, static_cast<int64_t>(BAND)));
    const uint64_t bits = bands.bits[at];
    const int32_t above = bands.above[at], below = bands.below[at];
    for (int r = 0; r < n_rows; r++) {
      const uint64_t up = bits << (63 - r), down = bits >> r;
      const int32_t y = static_cast<int32_t>(y0) + r;
      const int32_t to_above = up ? __clzll(static_cast<long long>(up)) : above >= 0 ? y - above : VT_EDT_NONE;
      const int32_t to_below = down ? __ffsll(static_cast<long long>(down)) - 1 : below >= 0 ? below - y : VT_EDT_NONE;
      dst.row(y)[x] = min(to_above, to_below);
    }
  }
}

static VitrailStatus
run_columns(VtDevice *device, const VtEdt *args)
{
  Bands bands;
  void *scratch = NULL;
  bands.width = args->src.width;
  bands.n_bands = vt_gpu_blocks(args->src.height, BAND);
  const int64_t n = bands.n_bands * bands.width;
  VT_TRY(vt_gpu_scratch(device, static_cast<size_t>(n) * (sizeof(uint64_t) + 2 * sizeof(int32_t)), &scratch));
  bands.bits = static_cast<uint64_t *>(scratch);
  bands.above = reinterpret_cast<int32_t *>(bands.bits + n);
  bands.below = bands.above + n;
  const int64_t blocks = vt_gpu_blocks(n, COLUMN_THREADS);
  VT_TRY(
    vt_gpu_launch(device, "pack_columns", pack_columns, blocks, COLUMN_THREADS, VtGpuView<uint8_t>(args->src), bands));
  VT_TRY(
    vt_gpu_launch(device, "scan_bands", scan_bands, vt_gpu_blocks(bands.width, COLUMN_THREADS), COLUMN_THREADS, bands));
  VT_TRY(vt_gpu_launch(device, "write_columns", write_columns, blocks, COLUMN_THREADS, bands,
                       VtGpuView<int32_t>(args->dst)));
  return vt_gpu_sync(device);
}

VitrailStatus
vt_gpu_edt_columns(VtDevice *device, const VtEdt *args, const VtCancel *cancel)
{
  VtGpuUse use(device);
  VT_GPU_TRY(device, use.status());
  if (!vt_gpu_image_ok(&args->src) || !vt_gpu_image_ok(&args->dst) || args->src.type != VITRAIL_U8
      || args->dst.type != VITRAIL_I32 || args->src.width != args->dst.width || args->src.height != args->dst.height
      || args->src.height >= INT32_MAX - BAND)
    return VITRAIL_BAD_ARGUMENT;
  if (args->src.width == 0 || args->src.height == 0)
    return VITRAIL_OK;
  return vt_cancelled(cancel) ? VITRAIL_CANCELLED : run_columns(device, args);
}

/* The best column of `best`'s pixel so far; `column` is right for a distance of VT_EDT_NONE64 too: any will do then. */
struct Best {
  int64_t squared;
  int32_t column;
};

static __device__ void
try_column(Best *best, const int32_t *row, int32_t column, int32_t x)
{
  const int64_t dy = row[column], dx = x - column;
  const int64_t squared = dy == VT_EDT_NONE ? VT_EDT_NONE64 : dy * dy + dx * dx;
  if (squared < best->squared) {
    best->squared = squared;
    best->column = column;
  }
}

/* The whole warp: nearest column of x among first..last. */
static __device__ int32_t
search(const int32_t *row, int32_t x, int32_t first, int32_t last, int lane)
{
  const int32_t own = row[x]; /* of the own column, VT_EDT_NONE beyond every comparison */
  if (own < x - first)
    first = x - own;
  if (own < last - x)
    last = x + own;
  if (first == last)
    return first;
  Best best = { VT_EDT_NONE64, INT32_MAX };
  for (int64_t column = static_cast<int64_t>(first) + lane; column <= last; column += WARP)
    try_column(&best, row, static_cast<int32_t>(column), x);
  for (int d = WARP / 2; d > 0; d /= 2) {
    const int64_t squared = __shfl_xor_sync(~0u, best.squared, d);
    const int32_t column = __shfl_xor_sync(~0u, best.column, d);
    if (squared < best.squared || (squared == best.squared && column < best.column)) {
      best.squared = squared;
      best.column = column;
    }
  }
  return best.squared == VT_EDT_NONE64 ? first : best.column;
}

/* The whole warp: each lane's least square among columns first..last, none farther from x than NEAR; NEAR² if there is
 * none below that. `squares` are the warp's own N_SQUARES. */
static __device__ uint32_t
least_near(const int32_t *row, uint32_t *squares, int32_t x, int32_t first, int32_t last, int lane)
{
  uint32_t best = NEAR_SQUARED;
  for (int32_t start = first; start <= last; start += N_SQUARES) {
    for (int i = lane; i < N_SQUARES; i += WARP) {
      const int32_t dy = start + i <= last ? min(row[start + i], static_cast<int32_t>(NEAR)) : NEAR;
      squares[i] = static_cast<uint32_t>(dy * dy);
    }
    __syncwarp();
    const int n = min(last - start + 1, static_cast<int32_t>(N_SQUARES));
    int32_t dx = x - start;
    for (int i = 0; i < n; i += 4, dx -= 4) {
      const uint4 four = *reinterpret_cast<const uint4 *>(squares + i);
      best = min(best, four.x + static_cast<uint32_t>(dx * dx));
      best = min(best, four.y + static_cast<uint32_t>((dx - 1) * (dx - 1)));
      best = min(best, four.z + static_cast<uint32_t>((dx - 2) * (dx - 2)));
      best = min(best, four.w + static_cast<uint32_t>((dx - 3) * (dx - 3)));
    }
    __syncwarp();
  }
  return best;
}

/* The whole warp: the squared distances of the 32 pixels from x0, whose nearest columns are among first..last. */
static __device__ int64_t
least_square(const int32_t *row, uint32_t *squares, int32_t width, int32_t x0, int32_t first, int32_t last, int lane)
{
  const int32_t x = x0 + lane;
  if (!__any_sync(~0u, x < width && row[x] != 0))
    return 0;
  if (x0 + WARP - 1 - first <= NEAR && last - x0 <= NEAR) {
    const uint32_t least = least_near(row, squares, x, first, last, lane);
    if (__all_sync(~0u, least < NEAR_SQUARED))
      return least;
  }
  Best best = { VT_EDT_NONE64, 0 };
  for (int32_t column = first; column <= last; column++)
    try_column(&best, row, column, x);
  return best.squared;
}

static __device__ void
store(int64_t *dst, int64_t squared, float scale)
{
  *dst = squared;
}

static __device__ void
store(float *dst, int64_t squared, float scale)
{
  if (squared < 1 << 24) /* a float holds it, and its root rounds once as the double's would twice */
    *dst = __fmul_rn(__fsqrt_rn(__int2float_rn(static_cast<int32_t>(squared))), scale);
  else
    *dst = squared == VT_EDT_NONE64 ? __int_as_float(0x7f800000)
                                    : __fmul_rn(__double2float_rn(__dsqrt_rn(__ll2double_rn(squared))), scale);
}

/* nearest[k], k < n_nodes: the nearest column of x = 32k; nearest[n_nodes]: that of the last pixel. A block per row;
 * `nearest` is the block's own. */
static __device__ void
find_nodes(const int32_t *row, int32_t width, int32_t *nearest, int32_t n_nodes)
{
  const int lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
  int32_t spacing = 1;
  while (spacing < n_nodes)
    spacing *= 2;
  if (warp < 2) {
    const int32_t column = search(row, warp == 0 ? 0 : width - 1, 0, width - 1, lane);
    if (lane == 0)
      nearest[warp == 0 ? 0 : n_nodes] = column;
  }
  __syncthreads();
  for (spacing /= 2; spacing > 0; spacing /= 2) {
    for (int64_t node = spacing + 2 * static_cast<int64_t>(spacing) * warp; node < n_nodes;
         node += 2 * static_cast<int64_t>(spacing) * ROW_WARPS) {
      const int32_t last = nearest[min(node + spacing, static_cast<int64_t>(n_nodes))];
      const int32_t column = search(row, static_cast<int32_t>(node * WARP), nearest[node - spacing], last, lane);
      if (lane == 0)
        nearest[node] = column;
    }
    __syncthreads();
  }
}

template <typename T>
static __global__ void
transform_rows(VtGpuView<int32_t> src, VtGpuView<T> dst, float scale, int32_t *nearest_of_blocks, int32_t n_nodes)
{
  __shared__ __align__(16) uint32_t squares[ROW_WARPS][N_SQUARES];
  const int lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
  const int32_t width = static_cast<int32_t>(src.width);
  int32_t *nearest = nearest_of_blocks + static_cast<int64_t>(blockIdx.x) * (n_nodes + 1);
  for (int64_t y = blockIdx.x; y < src.height; y += gridDim.x) {
    const int32_t *row = src.row(y);
    find_nodes(row, width, nearest, n_nodes);
    for (int32_t node = warp; node < n_nodes; node += ROW_WARPS) {
      const int32_t x0 = node * WARP, x = x0 + lane;
      const int64_t squared = least_square(row, squares[warp], width, x0, nearest[node], nearest[node + 1], lane);
      if (x < width)
        store(&dst.row(y)[x], squared, scale);
    }
    __syncthreads(); /* nearest is written again for the next row */
  }
}

template <typename T>
static VitrailStatus
run_rows(VtDevice *device, const VtEdt *args, const VtCancel *cancel)
{
  const int64_t rows_per_launch = 16384;
  void *scratch = NULL;
  const int64_t n_nodes = vt_gpu_blocks(args->src.width, WARP);
  const int64_t room = 16 * device->n_multiprocessors;
  const int64_t blocks = args->src.height < room ? args->src.height : room;
  VT_TRY(vt_gpu_scratch(device, static_cast<size_t>(blocks * (n_nodes + 1)) * sizeof(int32_t), &scratch));
  for (int64_t y = 0; y < args->src.height; y += rows_per_launch) {
    const int64_t n_rows = args->src.height - y < rows_per_launch ? args->src.height - y : rows_per_launch;
    if (vt_cancelled(cancel)) {
      vt_gpu_sync(device);
      return VITRAIL_CANCELLED;
    }
    VtGpuView<int32_t> src(vt_image_window(&args->src, 0, y, args->src.width, n_rows));
    VtGpuView<T> dst(vt_image_window(&args->dst, 0, y, args->dst.width, n_rows));
    VT_TRY(vt_gpu_launch(device, "transform_rows", transform_rows<T>, n_rows < blocks ? n_rows : blocks, ROW_THREADS,
                         src, dst, args->scale, static_cast<int32_t *>(scratch), n_nodes));
  }
  return vt_gpu_sync(device);
}

VitrailStatus
vt_gpu_edt_rows(VtDevice *device, const VtEdt *args, const VtCancel *cancel)
{
  VtGpuUse use(device);
  VT_GPU_TRY(device, use.status());
  if (!vt_gpu_image_ok(&args->src) || !vt_gpu_image_ok(&args->dst) || args->src.type != VITRAIL_I32
      || (args->dst.type != VT_I64 && args->dst.type != VITRAIL_F32) || args->src.width != args->dst.width
      || args->src.height != args->dst.height || args->src.width >= INT32_MAX - 2 * WARP || !isfinite(args->scale))
    return VITRAIL_BAD_ARGUMENT;
  if (args->src.width == 0 || args->src.height == 0)
    return VITRAIL_OK;
  return args->dst.type == VT_I64 ? run_rows<int64_t>(device, args, cancel) : run_rows<float>(device, args, cancel);
}
