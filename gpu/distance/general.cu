/* SPDX-License-Identifier: MIT
 *
 * general.cu: the exact distance with everything that can be asked of it: weights, cap, all outputs, the nearest background
 * pixel. A block takes a row: columns from bands (bands.cuh), then the leftmost nearest column of every 32nd pixel, between
 * those of its neighbours (rows.cuh), then the pixels between two of them, whose nearest columns lie between theirs.
 *
 * Of two columns only one pixel can be equally far, so that all nearest columns of a pixel lie between the leftmost one of
 * it and that of the next, and the smallest number among them is found there. */
#include "../gpu.h"
#include "bands.cuh"
#include "outputs.cuh"

#include <math.h>

enum { BAND = VT_GPU_BAND, BLOCKS_PER_MULTIPROCESSOR = 8, ROWS_AT_ONCE = 16384 };

/* A row: of each column the nearest background row, the upper one of two; VT_GPU_NO_ROW. */
struct Row {
  const int32_t *nearest_row;
  int32_t y, width;
};

struct Found {
  int64_t squared, at; /* VT_EDT_NONE64, -1 */
  int32_t column;
};

static __device__ __forceinline__ int64_t
squared_at(const VtGpuDistanceOutputs &out, const Row &row, int32_t column, int32_t x)
{
  const int32_t y = row.nearest_row[column];
  return y == VT_GPU_NO_ROW ? VT_EDT_NONE64 : out.squared_to(x - column, row.y - static_cast<int64_t>(y));
}

/* Columns farther from x than the own column's background cannot win. */
static __device__ void
narrow(const VtGpuDistanceOutputs &out, const Row &row, int32_t x, int32_t *first, int32_t *last)
{
  const int64_t own = squared_at(out, row, x, x);
  if (own == VT_EDT_NONE64)
    return;
  const double reach = sqrt(static_cast<double>(own) / static_cast<double>(out.weight_x)) + 1;
  if (reach < x - *first)
    *first = x - static_cast<int32_t>(reach);
  if (reach < *last - x)
    *last = x + static_cast<int32_t>(reach);
}

/* The whole warp: the leftmost, or rightmost, nearest column of x among first..last. */
static __device__ int32_t
search_column(const VtGpuDistanceOutputs &out, const Row &row, int32_t x, int32_t first, int32_t last, bool rightmost)
{
  const int lane = threadIdx.x % WARP;
  narrow(out, row, x, &first, &last);
  int64_t best = VT_EDT_NONE64;
  int32_t column = rightmost ? last : first;
  for (int64_t c = static_cast<int64_t>(first) + lane; c <= last; c += WARP) {
    const int64_t squared = squared_at(out, row, static_cast<int32_t>(c), x);
    if (squared < best || (rightmost && squared == best && squared != VT_EDT_NONE64)) {
      best = squared;
      column = static_cast<int32_t>(c);
    }
  }
  for (int d = WARP / 2; d > 0; d /= 2) {
    const int64_t squared = __shfl_xor_sync(~0u, best, d);
    const int32_t other = __shfl_xor_sync(~0u, column, d);
    if (squared < best || (squared == best && (rightmost ? other > column : other < column))) {
      best = squared;
      column = other;
    }
  }
  return column;
}

/* nearest[k]: of pixel 32k; nearest[n_nodes]: the rightmost one of the last pixel. */
static __device__ void
find_columns(const VtGpuDistanceOutputs &out, const Row &row, int32_t *nearest, int32_t n_nodes)
{
  const int lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
  int32_t spacing = 1;
  while (spacing < n_nodes)
    spacing *= 2;
  if (warp < 2) {
    const int32_t column = search_column(out, row, warp == 0 ? 0 : row.width - 1, 0, row.width - 1, warp != 0);
    if (lane == 0)
      nearest[warp == 0 ? 0 : n_nodes] = column;
  }
  __syncthreads();
  for (spacing /= 2; spacing > 0; spacing /= 2) {
    for (int64_t node = spacing + 2 * static_cast<int64_t>(spacing) * warp; node < n_nodes;
         node += 2 * static_cast<int64_t>(spacing) * ROW_WARPS) {
      const int32_t last = nearest[min(node + spacing, static_cast<int64_t>(n_nodes))];
      const int32_t column =
        search_column(out, row, static_cast<int32_t>(node * WARP), nearest[node - spacing], last, false);
      if (lane == 0)
        nearest[node] = column;
    }
    __syncthreads();
  }
}

static __device__ Found
find_pixel(const VtGpuDistanceOutputs &out, const Row &row, int32_t x, int32_t first, int32_t last)
{
  Found found = { VT_EDT_NONE64, -1, 0 };
  for (int32_t c = first; c <= last; c++) {
    const int32_t y = row.nearest_row[c];
    if (y == VT_GPU_NO_ROW)
      continue;
    const int64_t squared = out.squared_to(x - c, row.y - static_cast<int64_t>(y)), at = y * out.width + c;
    if (squared < found.squared || (squared == found.squared && at < found.at))
      found = Found{ squared, at, c };
  }
  return found;
}

static __global__ void
__launch_bounds__(ROW_THREADS) general_rows(VtGpuBands bands, VtGpuDistanceOutputs out, int64_t first_row,
                                            int64_t end_row, int32_t *rows, int32_t n_nodes)
{
  const int32_t width = static_cast<int32_t>(bands.width);
  int32_t *row_of_columns = rows + static_cast<int64_t>(blockIdx.x) * (width + n_nodes + 1);
  int32_t *nearest = row_of_columns + width;
  for (int64_t y = first_row + blockIdx.x; y < end_row; y += gridDim.x) {
    const int64_t band = y / BAND;
    const int r = static_cast<int>(y % BAND);
    for (int32_t x = threadIdx.x; x < width; x += ROW_THREADS) {
      const VtGpuColumn column = vt_gpu_bands_column(bands, band * width + x);
      const uint64_t up = column.bits << (63 - r), down = column.bits >> r;
      const int32_t above = up ? static_cast<int32_t>(y) - __clzll(static_cast<long long>(up)) : column.above;
      const int32_t below = down ? static_cast<int32_t>(y) + __ffsll(static_cast<long long>(down)) - 1 : column.below;
      const bool takes_below =
        below != VT_GPU_NO_ROW
        && (above == VT_GPU_NO_ROW || below - static_cast<int32_t>(y) < static_cast<int32_t>(y) - above);
      row_of_columns[x] = takes_below ? below : above;
    }
    __syncthreads();
    const Row row = { row_of_columns, static_cast<int32_t>(y), width };
    find_columns(out, row, nearest, n_nodes);
    for (int32_t node = threadIdx.x / WARP; node < n_nodes; node += ROW_WARPS) {
      const int32_t x = node * WARP + static_cast<int32_t>(threadIdx.x % WARP);
      if (x >= width)
        continue;
      const Found found = find_pixel(out, row, x, nearest[node], nearest[node + 1]);
      out.write(x, y, found.squared, found.at);
    }
    __syncthreads();
  }
}

static VitrailStatus
run_general(VtDevice *device, const VtDistance *args, const VtCancel *cancel)
{
  const int64_t width = args->src.width, height = args->src.height, n_nodes = vt_gpu_blocks(width, WARP);
  const int64_t room = BLOCKS_PER_MULTIPROCESSOR * device->n_multiprocessors, blocks = height < room ? height : room;
  const size_t bands_bytes = vt_gpu_bands_size(&args->src);
  VtGpuBands bands = {};
  void *scratch = NULL;
  if (height >= INT32_MAX - BAND || width >= INT32_MAX - 2 * WARP)
    return VITRAIL_UNSUPPORTED;
  VT_TRY(vt_gpu_scratch(device, bands_bytes + static_cast<size_t>(blocks * (width + n_nodes + 1)) * sizeof(int32_t),
                        &scratch));
  VT_TRY(vt_gpu_bands_make(device, &args->src, &args->above, &args->below, scratch, &bands));
  int32_t *rows = reinterpret_cast<int32_t *>(static_cast<char *>(scratch) + bands_bytes);
  for (int64_t y = 0; y < height; y += ROWS_AT_ONCE) {
    if (vt_cancelled(cancel))
      return VITRAIL_CANCELLED;
    VT_TRY(vt_gpu_launch(device, "general_rows", general_rows, blocks, ROW_THREADS, bands, VtGpuDistanceOutputs(*args),
                         y, y + ROWS_AT_ONCE < height ? y + ROWS_AT_ONCE : height, rows,
                         static_cast<int32_t>(n_nodes)));
    VT_TRY(vt_gpu_sync(device));
  }
  return VITRAIL_OK;
}

VitrailStatus
vt_gpu_distance_exact(VtDevice *device, const VtDistance *args, const VtCancel *cancel)
{
  VT_GPU_USE(device, vt_distance_ok(args));
  VitrailStatus status = VITRAIL_UNSUPPORTED;
  if (!args->squared.data != !args->root.data && !args->nearest.data && args->cap == 0 && args->weight_x == 1
      && args->weight_y == 1)
    status = vt_gpu_distance_fused(device, args, cancel);
  if (status == VITRAIL_UNSUPPORTED)
    status = run_general(device, args, cancel);
  if (status != VITRAIL_OK)
    cudaStreamSynchronize(device->stream);
  return status;
}
