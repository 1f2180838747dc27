/* SPDX-License-Identifier: MIT
 *
 * The first pixel of each label is a minimum of indexes; counting first pixels in the order of indexes numbers the
 * objects, whatever the order of the threads. Sums are of integers. */
#include "../gpu.h"
#include "../pixels.cuh"

#include <stdlib.h>

enum { ROW_THREADS = 256, BAD_LABEL = 0, N_OBJECTS = 1 /* words */ };

struct FindFirst {
  VtGpuView<int32_t> labels;
  uint32_t *first; /* by label */
  uint32_t *words;

  __device__ void operator()(int64_t x, int64_t y, bool inside) const
  {
    const int32_t label = inside ? labels.row(y)[x] : 0;
    if (label == 0)
      return;
    if (label < 0 || label > labels.width * labels.height)
      words[BAD_LABEL] = 1;
    else if (x == 0 || labels.row(y)[x - 1] != label)
      atomicMin(first + label, static_cast<uint32_t>(y * labels.width + x));
  }
};

static __device__ bool
is_first(const VtGpuView<int32_t> &labels, const uint32_t *first, int64_t x, int64_t y)
{
  const int32_t label = labels.row(y)[x];
  return label > 0 && first[label] == static_cast<uint32_t>(y * labels.width + x);
}

static __global__ void
count_rows(VtGpuView<int32_t> labels, const uint32_t *first, uint32_t *row_counts, const uint32_t *words)
{
  if (words[BAD_LABEL])
    return;
  for (int64_t y = blockIdx.x; y < labels.height; y += gridDim.x) {
    uint32_t n = 0;
    for (int64_t start = 0; start < labels.width; start += ROW_THREADS) {
      const int64_t x = start + threadIdx.x;
      n += static_cast<uint32_t>(__syncthreads_count(x < labels.width && is_first(labels, first, x, y)));
    }
    if (threadIdx.x == 0)
      row_counts[y] = n;
  }
}

/* The sum of `mine` over the threads before this one; *total is that of all. The block is ROW_THREADS wide. */
static __device__ uint32_t
sum_before(uint32_t mine, uint32_t *total)
{
  __shared__ uint32_t sums[2][ROW_THREADS];
  int from = 0;
  sums[0][threadIdx.x] = mine;
  __syncthreads();
  for (unsigned reach = 1; reach < ROW_THREADS; reach *= 2, from = 1 - from) {
    sums[1 - from][threadIdx.x] =
      sums[from][threadIdx.x] + (threadIdx.x >= reach ? sums[from][threadIdx.x - reach] : 0u);
    __syncthreads();
  }
  *total = sums[from][ROW_THREADS - 1];
  const uint32_t before = sums[from][threadIdx.x] - mine;
  __syncthreads();
  return before;
}

/* One block: counts become the numbers of objects in the rows before. */
static __global__ void
add_rows(uint32_t *row_counts, int64_t n_rows, uint32_t *words)
{
  uint32_t done = 0, total = 0;
  if (words[BAD_LABEL])
    return;
  for (int64_t start = 0; start < n_rows; start += ROW_THREADS) {
    const int64_t y = start + threadIdx.x;
    const uint32_t before = sum_before(y < n_rows ? row_counts[y] : 0u, &total);
    if (y < n_rows)
      row_counts[y] = done + before;
    done += total;
  }
  if (threadIdx.x == 0)
    words[N_OBJECTS] = done;
}

static __global__ void
assign_numbers(VtGpuView<int32_t> labels, const uint32_t *first, const uint32_t *row_counts, const uint32_t *words,
               int32_t *number)
{
  if (words[BAD_LABEL])
    return;
  for (int64_t y = blockIdx.x; y < labels.height; y += gridDim.x) {
    uint32_t done = row_counts[y], total = 0;
    for (int64_t start = 0; start < labels.width; start += ROW_THREADS) {
      const int64_t x = start + threadIdx.x;
      const bool mine = x < labels.width && is_first(labels, first, x, y);
      const uint32_t before = sum_before(mine, &total);
      if (mine)
        number[labels.row(y)[x]] = static_cast<int32_t>(done + before) + 1;
      done += total;
    }
  }
}

static __global__ void
clear_stats(VtObjectStats *stats, int64_t n)
{
  for (int64_t i = static_cast<int64_t>(blockIdx.x) * ROW_THREADS + threadIdx.x; i < n;
       i += static_cast<int64_t>(gridDim.x) * ROW_THREADS)
    stats[i] = VtObjectStats{ 0, 0, 0, 0, 0, INT64_MAX, INT64_MAX, 0, 0 };
}

static __device__ void
add(int64_t *sum, uint64_t value)
{
  atomicAdd(reinterpret_cast<unsigned long long *>(sum), static_cast<unsigned long long>(value));
}

static __device__ void
lower(int64_t *least, int64_t value)
{
  atomicMin(reinterpret_cast<long long *>(least), static_cast<long long>(value));
}

static __device__ void
raise(int64_t *most, int64_t value)
{
  atomicMax(reinterpret_cast<long long *>(most), static_cast<long long>(value));
}

/* Labels become numbers. The first thread of a run of one label, 32 pixels at most, adds it up. */
struct AddUp {
  VtGpuView<int32_t> labels;
  VtGpuView<uint16_t> a, b;
  const int32_t *number;
  VtObjectStats *stats;

  __device__ void operator()(int64_t x, int64_t y, bool inside) const
  {
    const int lane = static_cast<int>(threadIdx.x) % VT_GPU_PIXELS_WIDE;
    const int32_t label = inside ? labels.row(y)[x] : 0;
    const int32_t before = __shfl_up_sync(~0u, label, 1);
    const bool begins = lane == 0 || label != before;
    const uint32_t beginnings = __ballot_sync(~0u, begins);
    if (label == 0)
      return;
    labels.row(y)[x] = number[label];
    if (!begins)
      return;
    const uint32_t later = lane < 31 ? beginnings >> (lane + 1) : 0u;
    const int n = later ? __ffs(static_cast<int>(later)) : VT_GPU_PIXELS_WIDE - lane;
    uint32_t sum_a = 0, sum_b = 0;
    for (int k = 0; k < n; k++) {
      sum_a += a.row(y)[x + k];
      sum_b += b.row(y)[x + k];
    }
    VtObjectStats *object = stats + number[label] - 1;
    add(&object->area_px, static_cast<uint64_t>(n));
    add(&object->sum_x, static_cast<uint64_t>(n * x + n * (n - 1) / 2));
    add(&object->sum_y, static_cast<uint64_t>(n * y));
    add(&object->sum_a, sum_a);
    add(&object->sum_b, sum_b);
    lower(&object->left, x);
    lower(&object->top, y);
    raise(&object->right, x + n);
    raise(&object->bottom, y + 1);
  }
};

/* words_host[N_OBJECTS] is known when it returns. */
static VitrailStatus
find_numbers(VtDevice *device, const VtNumber *args, int32_t **number)
{
  const int64_t width = args->labels.width, height = args->labels.height, n = width * height + 1;
  const int64_t room = 32 * device->n_multiprocessors, blocks = height < room ? height : room;
  const VtGpuView<int32_t> labels(args->labels);
  void *scratch = NULL;
  VT_TRY(vt_gpu_scratch(device, static_cast<size_t>(2 * n + height) * sizeof(uint32_t), &scratch));
  uint32_t *first = static_cast<uint32_t *>(scratch), *row_counts = first + n;
  *number = reinterpret_cast<int32_t *>(row_counts + height);
  VT_GPU_TRY(device, cudaMemsetAsync(first, 0xff, static_cast<size_t>(n) * sizeof(uint32_t), device->stream));
  VT_GPU_TRY(device, cudaMemsetAsync(device->words, 0, VT_GPU_N_WORDS * sizeof(uint32_t), device->stream));
  VT_TRY(vt_gpu_pixels(device, "find_first", width, height, FindFirst{ labels, first, device->words }));
  VT_TRY(
    vt_gpu_launch(device, "count_rows", count_rows, blocks, ROW_THREADS, labels, first, row_counts, device->words));
  VT_TRY(vt_gpu_launch(device, "add_rows", add_rows, 1, ROW_THREADS, row_counts, height, device->words));
  VT_TRY(vt_gpu_launch(device, "assign_numbers", assign_numbers, blocks, ROW_THREADS, labels, first, row_counts,
                       device->words, *number));
  VT_TRY(vt_gpu_read_words(device));
  return device->words_host[BAD_LABEL] ? VITRAIL_BAD_ARGUMENT : VITRAIL_OK;
}

static VitrailStatus
measure(VtDevice *device, const VtNumber *args, const int32_t *number, VtObjectStats *on_device, int64_t n)
{
  const AddUp add_up = { VtGpuView<int32_t>(args->labels), VtGpuView<uint16_t>(args->a), VtGpuView<uint16_t>(args->b),
                         number, on_device };
  const size_t bytes = static_cast<size_t>(n) * sizeof(VtObjectStats);
  VT_TRY(vt_gpu_launch(device, "clear_stats", clear_stats, vt_gpu_blocks(n, ROW_THREADS), ROW_THREADS, on_device, n));
  VT_TRY(vt_gpu_pixels(device, "add_up", args->labels.width, args->labels.height, add_up));
  VtObjectStats *stats = static_cast<VtObjectStats *>(malloc(bytes));
  if (!stats)
    return VITRAIL_OUT_OF_MEMORY;
  cudaError_t error = cudaMemcpyAsync(stats, on_device, bytes, cudaMemcpyDeviceToHost, device->stream);
  const VitrailStatus status =
    error == cudaSuccess ? vt_gpu_sync(device) : vt_gpu_fail(device, "cudaMemcpyAsync", error);
  if (status != VITRAIL_OK) {
    free(stats);
    return status;
  }
  *args->stats = stats;
  *args->n_objects = n;
  return VITRAIL_OK;
}

VitrailStatus
vt_gpu_number(VtDevice *device, const VtNumber *args, const VtCancel *cancel)
{
  VT_GPU_USE(device, vt_number_ok(args));
  if (vt_cancelled(cancel))
    return VITRAIL_CANCELLED;
  int32_t *number = NULL;
  void *on_device = NULL;
  VT_TRY(find_numbers(device, args, &number));
  const int64_t n = device->words_host[N_OBJECTS];
  if (n == 0) {
    *args->stats = NULL;
    *args->n_objects = 0;
    return VITRAIL_OK;
  }
  VT_TRY(vt_gpu_alloc(device, static_cast<size_t>(n) * sizeof(VtObjectStats), &on_device));
  const VitrailStatus status = measure(device, args, number, static_cast<VtObjectStats *>(on_device), n);
  vt_gpu_free(device, on_device);
  return status;
}

/* --- relabel --- */

struct LookUp {
  VtGpuView<int32_t> labels;
  const int32_t *table;

  __device__ void operator()(int64_t x, int64_t y, bool inside) const
  {
    if (inside)
      labels.row(y)[x] = table[labels.row(y)[x]];
  }
};

struct Check {
  VtGpuView<int32_t> labels;
  int64_t n_entries;
  uint32_t *words;

  __device__ void operator()(int64_t x, int64_t y, bool inside) const
  {
    if (inside && (labels.row(y)[x] < 0 || labels.row(y)[x] >= n_entries))
      words[BAD_LABEL] = 1;
  }
};

VitrailStatus
vt_gpu_relabel(VtDevice *device, const VtRelabel *args, const VtCancel *cancel)
{
  VT_GPU_USE(device, vt_relabel_ok(args));
  if (vt_cancelled(cancel))
    return VITRAIL_CANCELLED;
  const int64_t width = args->labels.width, height = args->labels.height;
  const size_t bytes = static_cast<size_t>(args->n_entries) * sizeof(int32_t);
  const VtGpuView<int32_t> labels(args->labels);
  void *table = NULL;
  VT_TRY(vt_gpu_scratch(device, bytes, &table));
  VT_GPU_TRY(device, cudaMemsetAsync(device->words, 0, sizeof(uint32_t), device->stream));
  VT_GPU_TRY(device, cudaMemcpyAsync(table, args->table, bytes, cudaMemcpyHostToDevice, device->stream));
  VT_TRY(vt_gpu_pixels(device, "relabel_check", width, height, Check{ labels, args->n_entries, device->words }));
  VT_TRY(vt_gpu_read_words(device));
  if (device->words_host[BAD_LABEL])
    return VITRAIL_BAD_ARGUMENT;
  VT_TRY(vt_gpu_pixels(device, "relabel", width, height, LookUp{ labels, static_cast<int32_t *>(table) }));
  return vt_gpu_sync(device);
}
