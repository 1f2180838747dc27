/* SPDX-License-Identifier: MIT
 *
 * sr.cu: reconstruction by directional sweeps (Karas 2010), of images and of stacks. Each sweep carries values along
 * independent lines of one direction, so no thread reads what another writes: the diagonals are lines of their own here,
 * where Karas lets a row look at three pixels of the row before. x -> min(max(x, J), I) is closed under composition, so
 * that a warp scans a row in chunks, and another line is cut into bands: what each band does to the value that enters it
 * is found first, for all bands and both ways along the line at once, then what enters each band, then the pixels. */
#include "../gpu.h"
#include "reconstruct.cuh"

enum { WARP = 32, ROW_THREADS = 128, LINE_THREADS = 128, BAND = 32, JOIN_BATCH = 8 };

static __device__ __forceinline__ int32_t
clamp(int32_t value, int32_t low, int32_t high)
{
  return min(max(value, low), high);
}

/* A lane's share of a row: 16 bytes of marker and mask. Beyond the row nothing passes. */
template <typename T> struct Part {
  enum { N = sizeof(uint4) / sizeof(T) };
  alignas(16) T marker[N], mask[N];

  __device__ __forceinline__ void load(const T *marker_row, const T *mask_row, int64_t x, int64_t width, bool aligned)
  {
    if (aligned && x + N <= width) {
      *reinterpret_cast<uint4 *>(marker) = *reinterpret_cast<const uint4 *>(marker_row + x);
      *reinterpret_cast<uint4 *>(mask) = *reinterpret_cast<const uint4 *>(mask_row + x);
      return;
    }
#pragma unroll
    for (int i = 0; i < N; i++) {
      const bool inside = x + i < width;
      marker[i] = inside ? marker_row[x + i] : VtGpuPixel<T>::bottom();
      mask[i] = inside ? mask_row[x + i] : VtGpuPixel<T>::bottom();
    }
  }
  __device__ __forceinline__ void store(T *marker_row, int64_t x, int64_t width, bool aligned) const
  {
    if (aligned && x + N <= width) {
      *reinterpret_cast<uint4 *>(marker_row + x) = *reinterpret_cast<const uint4 *>(marker);
      return;
    }
#pragma unroll
    for (int i = 0; i < N; i++)
      if (x + i < width)
        marker_row[x + i] = marker[i];
  }
};

/* What enters this lane's share, from what enters the warp's chunk. */
template <typename T, bool BACKWARD>
static __device__ __forceinline__ int32_t
enter(const Part<T> &part, int32_t carry, int lane)
{
  int32_t low = VtGpuPixel<T>::lowest, high = VtGpuPixel<T>::highest;
#pragma unroll
  for (int i = 0; i < Part<T>::N; i++) {
    const int k = BACKWARD ? Part<T>::N - 1 - i : i;
    const int32_t old = VtGpuPixel<T>::load(part.marker[k]), top = VtGpuPixel<T>::load(part.mask[k]);
    low = clamp(low, old, top);
    high = clamp(high, old, top);
  }
#pragma unroll
  for (int d = 1; d < WARP; d *= 2) {
    const int32_t low_before = __shfl_up_sync(~0u, low, d), high_before = __shfl_up_sync(~0u, high, d);
    if (lane >= d) {
      const int32_t composed = clamp(low_before, low, high);
      high = clamp(high_before, low, high);
      low = composed;
    }
  }
  low = __shfl_up_sync(~0u, low, 1);
  high = __shfl_up_sync(~0u, high, 1);
  return lane > 0 ? clamp(carry, low, high) : carry;
}

/* A warp walks a row to its right end, or from there back to the left. */
template <typename T, bool BACKWARD>
static __device__ __forceinline__ bool
sweep_row(T *marker, const T *mask, int64_t width, bool aligned, int lane)
{
  enum { N = Part<T>::N };
  const int64_t n_chunks = (width + N * WARP - 1) / (N * WARP), step = BACKWARD ? -N * WARP : N * WARP;
  int64_t x = BACKWARD ? (n_chunks * WARP - 1 - lane) * N : static_cast<int64_t>(lane) * N;
  bool rose = false;
  int32_t carry = VtGpuPixel<T>::lowest;
  Part<T> next;
  next.load(marker, mask, x, width, aligned);
  for (int64_t n = 0; n < n_chunks; n++, x += step) {
    Part<T> part = next;
    if (n + 1 < n_chunks)
      next.load(marker, mask, x + step, width, aligned);
    int32_t value = enter<T, BACKWARD>(part, carry, lane);
    bool changed = false;
#pragma unroll
    for (int i = 0; i < N; i++) {
      const int k = BACKWARD ? N - 1 - i : i;
      const int32_t old = VtGpuPixel<T>::load(part.marker[k]);
      value = clamp(value, old, VtGpuPixel<T>::load(part.mask[k]));
      changed |= value != old;
      part.marker[k] = VtGpuPixel<T>::store(value);
    }
    if (changed)
      part.store(marker, x, width, aligned);
    rose |= changed;
    carry = __shfl_sync(~0u, value, WARP - 1);
  }
  return rose;
}

/* A warp per row. On the way back it reads what its lanes wrote themselves, each to the same place. */
template <typename T>
static __global__ void
sweep_rows(VtGpuRows<T> marker, VtGpuRows<T> mask, bool aligned, uint32_t *changed)
{
  const int lane = threadIdx.x % WARP;
  const int64_t n_warps = static_cast<int64_t>(gridDim.x) * (ROW_THREADS / WARP), n_rows = marker.n_rows();
  bool rose = false;
  for (int64_t y = (static_cast<int64_t>(blockIdx.x) * ROW_THREADS + threadIdx.x) / WARP; y < n_rows; y += n_warps) {
    T *marker_row = marker.row(y);
    const T *mask_row = mask.row(y);
    rose |= sweep_row<T, false>(marker_row, mask_row, marker.width, aligned, lane);
    __syncwarp();
    rose |= sweep_row<T, true>(marker_row, mask_row, marker.width, aligned, lane);
  }
  if (__any_sync(~0u, rose) && lane == 0)
    atomicOr(changed, 1u);
}

/* What a band does to what enters it. Later low: what enters. */
template <typename T> struct Fold {
  typename VtGpuPixel<T>::Stored low, high;
};

/* Lines that step along the axis t: rows of a picture, or slices of a stack; then m is the other of the two. A line moves
 * by dx columns and dm places of m at each step. A band is BAND steps; lines that cross it have the numbers i and j there,
 * by column and place of m at the band's first step. */
template <typename T> struct Lines {
  char *marker;
  const char *mask;
  int64_t marker_t, marker_m, mask_t, mask_m; /* bytes */
  int32_t dx, dm, width, n_m;
  int64_t n_t;
  int64_t n_i, n_j, n_bands; /* the numbers a band has */
  Fold<T> *down, *up;        /* of line (i,j) in band b, at (b * n_j + j) * n_i + i */

  __device__ int64_t at(int64_t i, int64_t j, int64_t band) const
  {
    return (band * n_j + j) * n_i + i;
  }
};

/* The part of a line in a band. */
template <typename T> struct Walk {
  char *marker;
  const char *mask;
  int64_t marker_step, mask_step, at;
  int32_t x, m, n;
  bool exists, whole;

  __device__ __forceinline__ Walk(const Lines<T> &lines)
  {
    const uint32_t blocks_i = static_cast<uint32_t>((lines.n_i + LINE_THREADS - 1) / LINE_THREADS);
    const uint32_t band = blockIdx.x / blocks_i % static_cast<uint32_t>(lines.n_bands);
    const uint32_t j = blockIdx.x / blocks_i / static_cast<uint32_t>(lines.n_bands);
    const int64_t i = static_cast<int64_t>(blockIdx.x % blocks_i) * LINE_THREADS + threadIdx.x;
    const int64_t t = static_cast<int64_t>(band) * BAND, size = static_cast<int64_t>(sizeof(T));
    exists = i < lines.n_i;
    at = lines.at(i, j, band);
    x = static_cast<int32_t>(i) - (lines.dx > 0 ? BAND - 1 : 0);
    m = static_cast<int32_t>(j) - (lines.dm > 0 ? BAND - 1 : 0);
    n = static_cast<int32_t>(min(lines.n_t - t, static_cast<int64_t>(BAND)));
    marker = lines.marker + t * lines.marker_t + m * lines.marker_m + x * size;
    mask = lines.mask + t * lines.mask_t + m * lines.mask_m + x * size;
    marker_step = lines.marker_t + lines.dm * lines.marker_m + lines.dx * size;
    mask_step = lines.mask_t + lines.dm * lines.mask_m + lines.dx * size;
    whole = n == BAND && inside(lines, 0) && inside(lines, BAND - 1);
  }
  __device__ __forceinline__ bool inside(const Lines<T> &lines, int s) const
  {
    return s < n && static_cast<uint32_t>(x + lines.dx * s) < static_cast<uint32_t>(lines.width)
           && static_cast<uint32_t>(m + lines.dm * s) < static_cast<uint32_t>(lines.n_m);
  }
  /* Outside the image nothing passes, which suits: a line begins and ends there. */
  __device__ __forceinline__ void load(const Lines<T> &lines, int32_t old[BAND], int32_t top[BAND]) const
  {
    if (whole) {
#pragma unroll
      for (int s = 0; s < BAND; s++) {
        old[s] = VtGpuPixel<T>::load(*reinterpret_cast<const T *>(marker + s * marker_step));
        top[s] = VtGpuPixel<T>::load(__ldg(reinterpret_cast<const T *>(mask + s * mask_step)));
      }
      return;
    }
#pragma unroll
    for (int s = 0; s < BAND; s++) {
      old[s] = top[s] = VtGpuPixel<T>::lowest;
      if (inside(lines, s)) {
        old[s] = VtGpuPixel<T>::load(*reinterpret_cast<const T *>(marker + s * marker_step));
        top[s] = VtGpuPixel<T>::load(__ldg(reinterpret_cast<const T *>(mask + s * mask_step)));
      }
    }
  }
};

template <typename T>
static __global__ void
__launch_bounds__(LINE_THREADS) fold_bands(Lines<T> lines)
{
  typedef typename VtGpuPixel<T>::Stored Stored;
  const Walk<T> walk(lines);
  int32_t old[BAND], top[BAND];
  if (!walk.exists)
    return;
  walk.load(lines, old, top);
  int32_t down_low = VtGpuPixel<T>::lowest, down_high = VtGpuPixel<T>::highest;
  int32_t up_low = down_low, up_high = down_high;
#pragma unroll
  for (int s = 0; s < BAND; s++) {
    down_low = clamp(down_low, old[s], top[s]); /* this pixel after those before it */
    down_high = clamp(down_high, old[s], top[s]);
    const int32_t composed = clamp(old[s], up_low, up_high); /* and before them, on the way up */
    up_high = clamp(top[s], up_low, up_high);
    up_low = composed;
  }
  lines.down[walk.at] = Fold<T>{ static_cast<Stored>(down_low), static_cast<Stored>(down_high) };
  lines.up[walk.at] = Fold<T>{ static_cast<Stored>(up_low), static_cast<Stored>(up_high) };
}

/* What enters each of `n` bands, which lie `step` folds apart. */
template <typename T>
static __device__ __forceinline__ void
join(Fold<T> *folds, int64_t n, int64_t step)
{
  int32_t carry = VtGpuPixel<T>::lowest;
  for (int64_t first = 0; first < n; first += JOIN_BATCH, folds += JOIN_BATCH * step) {
    Fold<T> batch[JOIN_BATCH];
#pragma unroll
    for (int b = 0; b < JOIN_BATCH; b++)
      if (first + b < n)
        batch[b] = folds[b * step];
#pragma unroll
    for (int b = 0; b < JOIN_BATCH; b++)
      if (first + b < n) {
        folds[b * step].low = static_cast<typename VtGpuPixel<T>::Stored>(carry);
        carry = clamp(carry, batch[b].low, batch[b].high);
      }
  }
}

/* The steps at which line k of an axis lies in the image. *from: where the line would be at step 0. */
static __device__ void
limit_steps(int64_t k, int64_t size, int64_t n_t, int d, int64_t *from, int64_t *first, int64_t *last)
{
  *from = d > 0 ? k - (n_t - 1) : k;
  if (d > 0) {
    *first = *first > -*from ? *first : -*from;
    *last = *last < size - 1 - *from ? *last : size - 1 - *from;
  } else if (d < 0) {
    *first = *first > k - (size - 1) ? *first : k - (size - 1);
    *last = *last < k ? *last : k;
  }
}

/* A thread for a line and one of the ways along it. */
template <typename T>
static __global__ void
join_bands(Lines<T> lines, int64_t n_columns, int64_t n_lines)
{
  const int64_t k = static_cast<int64_t>(blockIdx.x) * LINE_THREADS + threadIdx.x;
  int64_t x = 0, m = 0, first = 0, last = lines.n_t - 1;
  if (k >= n_lines)
    return;
  limit_steps(k % n_columns, lines.width, lines.n_t, lines.dx, &x, &first, &last);
  limit_steps(k / n_columns, lines.n_m, lines.n_t, lines.dm, &m, &first, &last);
  if (first > last)
    return;
  const int64_t first_band = first / BAND, last_band = last / BAND;
  const int64_t i = x + lines.dx * first_band * BAND + (lines.dx > 0 ? BAND - 1 : 0);
  const int64_t j = m + lines.dm * first_band * BAND + (lines.dm > 0 ? BAND - 1 : 0);
  const int64_t step = lines.at(lines.dx * BAND, lines.dm * BAND, 1), n = last_band - first_band + 1;
  const int64_t at = lines.at(i, j, first_band);
  if (blockIdx.y == 0)
    join(lines.down + at, n, step);
  else
    join(lines.up + at + (n - 1) * step, n, -step);
}

/* Down and up a line together do what one after the other does: the best way from pixel to pixel of a line has no turn. */
template <typename T>
static __global__ void
__launch_bounds__(LINE_THREADS) raise_bands(Lines<T> lines, uint32_t *changed)
{
  const Walk<T> walk(lines);
  int32_t value[BAND], top[BAND];
  if (!walk.exists)
    return;
  walk.load(lines, value, top);
  uint32_t rose = 0;
  int32_t carry = lines.down[walk.at].low;
#pragma unroll
  for (int s = 0; s < BAND; s++) {
    carry = clamp(carry, value[s], top[s]);
    rose |= carry != value[s] ? 1u << s : 0u;
    value[s] = carry;
  }
  carry = lines.up[walk.at].low;
#pragma unroll
  for (int s = BAND - 1; s >= 0; s--) {
    carry = clamp(carry, value[s], top[s]);
    rose |= carry != value[s] ? 1u << s : 0u;
    value[s] = carry;
  }
  if (rose == 0)
    return;
#pragma unroll
  for (int s = 0; s < BAND; s++)
    if (rose >> s & 1u)
      *reinterpret_cast<T *>(walk.marker + s * walk.marker_step) = VtGpuPixel<T>::store(value[s]);
  if (*changed == 0)
    atomicOr(changed, 1u);
}

/* along_slices: t is the slices. */
template <typename T>
static Lines<T>
make_lines(const VtReconstruct *args, bool along_slices, int dx, int dm)
{
  const int64_t depth = args->depth > 0 ? args->depth : 1;
  Lines<T> lines = {};
  lines.marker = static_cast<char *>(args->marker.data);
  lines.mask = static_cast<const char *>(args->mask.data);
  lines.marker_t = along_slices ? args->marker_slice : args->marker.stride;
  lines.marker_m = along_slices ? args->marker.stride : args->marker_slice;
  lines.mask_t = along_slices ? args->mask_slice : args->mask.stride;
  lines.mask_m = along_slices ? args->mask.stride : args->mask_slice;
  lines.dx = dx;
  lines.dm = dm;
  lines.width = static_cast<int32_t>(args->marker.width);
  lines.n_m = static_cast<int32_t>(along_slices ? args->marker.height : depth);
  lines.n_t = along_slices ? depth : args->marker.height;
  lines.n_i = lines.width + (dx ? BAND - 1 : 0);
  lines.n_j = lines.n_m + (dm ? BAND - 1 : 0);
  lines.n_bands = vt_gpu_blocks(lines.n_t, BAND);
  return lines;
}

template <typename T>
static VitrailStatus
sweep_lines(VtDevice *device, const VtReconstruct *args, Lines<T> lines, const VtCancel *cancel)
{
  const int64_t n_blocks = vt_gpu_blocks(lines.n_i, LINE_THREADS) * lines.n_bands * lines.n_j;
  const int64_t n_folds = lines.n_i * lines.n_bands * lines.n_j;
  const int64_t n_columns = lines.width + (lines.dx ? lines.n_t - 1 : 0);
  const int64_t n_lines = n_columns * (lines.n_m + (lines.dm ? lines.n_t - 1 : 0));
  void *scratch = NULL;
  if (vt_cancelled(cancel))
    return VITRAIL_CANCELLED;
  if (n_blocks > INT32_MAX || vt_gpu_blocks(n_lines, LINE_THREADS) > INT32_MAX)
    return VITRAIL_UNSUPPORTED;
  VT_TRY(vt_gpu_scratch(device, static_cast<size_t>(2 * n_folds) * sizeof(Fold<T>), &scratch));
  lines.down = static_cast<Fold<T> *>(scratch);
  lines.up = lines.down + n_folds;
  VT_TRY(vt_gpu_launch(device, "fold_bands", fold_bands<T>, n_blocks, LINE_THREADS, lines));
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(static_cast<unsigned>(vt_gpu_blocks(n_lines, LINE_THREADS)), 2);
  config.blockDim = dim3(LINE_THREADS);
  config.stream = device->stream;
  VT_GPU_TRY(device, cudaLaunchKernelEx(&config, join_bands<T>, lines, n_columns, n_lines));
  return vt_gpu_launch(device, "raise_bands", raise_bands<T>, n_blocks, LINE_THREADS, lines, device->words);
}

static bool
is_aligned(const VtImage *image, int64_t slice)
{
  return (reinterpret_cast<uintptr_t>(image->data) | static_cast<uintptr_t>(image->stride | slice)) % sizeof(uint4)
         == 0;
}

template <typename T>
static VitrailStatus
sweep_all_rows(VtDevice *device, const VtReconstruct *args)
{
  const VtGpuRows<T> marker(args->marker, args->depth, args->marker_slice),
    mask(args->mask, args->depth, args->mask_slice);
  const bool aligned = is_aligned(&args->marker, args->depth > 0 ? args->marker_slice : 0)
                       && is_aligned(&args->mask, args->depth > 0 ? args->mask_slice : 0);
  return vt_gpu_launch(device, "sweep_rows", sweep_rows<T>, vt_gpu_blocks(marker.n_rows(), ROW_THREADS / WARP),
                       ROW_THREADS, marker, mask, aligned, device->words);
}

template <typename T>
static VitrailStatus
sweep_all(VtDevice *device, const VtReconstruct *args, const VtCancel *cancel)
{
  const int reach = args->connectivity == 8 || args->connectivity == 26 ? 1 : 0;
  VT_TRY(sweep_all_rows<T>(device, args));
  for (int dx = -reach; dx <= reach; dx++)
    VT_TRY(sweep_lines<T>(device, args, make_lines<T>(args, false, dx, 0), cancel));
  for (int dy = -reach; args->depth > 1 && dy <= reach; dy++)
    for (int dx = -reach; dx <= reach; dx++)
      VT_TRY(sweep_lines<T>(device, args, make_lines<T>(args, true, dx, dy), cancel));
  return VITRAIL_OK;
}

template <typename T>
static VitrailStatus
sweep_until_stable(VtDevice *device, const VtReconstruct *args, const VtCancel *cancel)
{
  const int64_t depth = args->depth > 0 ? args->depth : 1, most = INT32_MAX - BAND;
  if (args->marker.width > most || args->marker.height > most || depth > most)
    return VITRAIL_UNSUPPORTED;
  /* A value moves on by at least one pixel per round, so there can be no more rounds than pixels. */
  const int64_t max_rounds = args->marker.width * args->marker.height * depth + 1;
  for (int64_t round = 0; round < max_rounds; round++) {
    VT_GPU_TRY(device, cudaMemsetAsync(device->words, 0, sizeof(uint32_t), device->stream));
    VitrailStatus status = sweep_all<T>(device, args, cancel);
    if (status != VITRAIL_OK) {
      vt_gpu_sync(device);
      return status;
    }
    VT_TRY(vt_gpu_read_words(device));
    if (device->words_host[0] == 0)
      return VITRAIL_OK;
  }
  return vt_gpu_fail(device, "sweep_until_stable", cudaErrorUnknown);
}

VitrailStatus
vt_gpu_reconstruct_sweep_rows(VtDevice *device, const VtReconstruct *args)
{
  return VT_GPU_BY_TYPE(args->marker.type, sweep_all_rows, device, args);
}

VitrailStatus
vt_gpu_reconstruct_sweep(VtDevice *device, const VtReconstruct *args, const VtCancel *cancel)
{
  return VT_GPU_BY_TYPE(args->marker.type, sweep_until_stable, device, args, cancel);
}

VitrailStatus
vt_gpu_reconstruct_sr(VtDevice *device, const VtReconstruct *args, const VtCancel *cancel)
{
  if (args->by_erosion || args->marker.type == VT_BIT)
    return vt_gpu_reconstruct_other(device, args, vt_gpu_reconstruct_sr, cancel);
  VtGpuUse use(device);
  VT_GPU_TRY(device, use.status());
  VT_TRY(vt_gpu_reconstruct_check(device, args));
  return vt_gpu_reconstruct_sweep(device, args, cancel);
}
