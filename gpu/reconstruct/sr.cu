/* SPDX-License-Identifier: MIT
 *
 * sr.cu: reconstruction by directional sweeps (Karas 2010). Each sweep carries values along independent lines of one of
 * four or eight directions, so no thread reads what another writes: the diagonals are lines of their own here, where
 * Karas lets a row look at three pixels of the row before. x -> min(max(x, J), I) is closed under composition, so that a
 * warp scans 32 pixels of a row in five steps, and a column or diagonal is cut into bands: what each band does to the
 * value that enters it is found first, for all bands at once, then what enters each band, then the pixels. */
#include "../gpu.h"
#include "reconstruct.cuh"

enum { WARP = 32, ROW_THREADS = 128, LINE_THREADS = 128, BATCH = 8, BAND = 128 };

static __device__ int32_t
clamp(int32_t value, int32_t low, int32_t high)
{
  return min(max(value, low), high);
}

/* A warp per row; `backward` walks from the right end to the left. */
template <typename T>
static __global__ void
sweep_rows(VtGpuView<T> marker, VtGpuView<T> mask, bool backward, uint32_t *changed)
{
  const int lane = threadIdx.x % WARP;
  const int64_t n_warps = static_cast<int64_t>(gridDim.x) * (ROW_THREADS / WARP);
  bool rose = false;
  for (int64_t y = (static_cast<int64_t>(blockIdx.x) * ROW_THREADS + threadIdx.x) / WARP; y < marker.height;
       y += n_warps) {
    T *marker_row = marker.row(y);
    const T *mask_row = mask.row(y);
    int32_t carry = VtGpuPixel<T>::lowest;
    for (int64_t first = 0; first < marker.width; first += WARP) {
      const int64_t at = first + lane, x = backward ? marker.width - 1 - at : at;
      const bool inside = at < marker.width;
      int32_t old = 0, low = INT32_MIN, high = INT32_MAX;
      if (inside) {
        old = VtGpuPixel<T>::load(marker_row[x]);
        high = VtGpuPixel<T>::load(mask_row[x]);
        low = min(old, high);
      }
      for (int d = 1; d < WARP; d *= 2) {
        const int32_t low_before = __shfl_up_sync(~0u, low, d), high_before = __shfl_up_sync(~0u, high, d);
        if (lane >= d) {
          const int32_t composed = clamp(low_before, low, high);
          high = clamp(high_before, low, high);
          low = composed;
        }
      }
      const int32_t value = clamp(carry, low, high);
      if (inside && value != old) {
        marker_row[x] = VtGpuPixel<T>::store(value);
        rose = true;
      }
      carry = __shfl_sync(~0u, value, WARP - 1);
    }
  }
  if (__any_sync(~0u, rose) && lane == 0)
    atomicOr(changed, 1u);
}

/* Columns (dx = 0) or diagonals, in bands of BAND rows. Line k runs through x = k + dx * t - from at step t, rows counted
 * in the sweep's direction; from: what makes k begin at 0. */
struct Lines {
  int dx;
  bool upward;
  int64_t n, from;
  int2 *bands; /* of line k in band b, at b * n + k: what enters is put between x and y; later x: what enters */
};

/* The line of a thread in band blockIdx.y: those that cross the band have the numbers from `first` on. */
static __device__ __forceinline__ int64_t
line_of(const Lines &lines, int64_t thread)
{
  const int64_t top = static_cast<int64_t>(blockIdx.y) * BAND;
  return thread + (lines.dx > 0 ? lines.from - (top + BAND - 1) : lines.dx < 0 ? top : 0);
}

/* Where a line's band is in memory: its first pixel, the way from one to the next, and the pixels' columns. */
template <typename T> struct Walk {
  char *marker;
  const char *mask;
  int64_t marker_step, mask_step;
  uint32_t x, width;
  int dx, n;

  __device__ Walk(const VtGpuView<T> &marker_view, const VtGpuView<T> &mask_view, const Lines &lines, int64_t k,
                  int64_t t)
  {
    const int64_t column = k - lines.from + lines.dx * t, y = lines.upward ? marker_view.height - 1 - t : t;
    const int64_t size = static_cast<int64_t>(sizeof(T));
    marker = marker_view.data + y * marker_view.stride + column * size;
    mask = mask_view.data + y * mask_view.stride + column * size;
    marker_step = (lines.upward ? -marker_view.stride : marker_view.stride) + lines.dx * size;
    mask_step = (lines.upward ? -mask_view.stride : mask_view.stride) + lines.dx * size;
    x = static_cast<uint32_t>(column);
    width = static_cast<uint32_t>(marker_view.width);
    dx = lines.dx;
    n = static_cast<int>(min(marker_view.height - t, static_cast<int64_t>(BAND)));
  }
  /* Marker and mask of the next BATCH pixels, the lowest outside the image. */
  __device__ __forceinline__ void load(int t, int32_t old[BATCH], int32_t high[BATCH]) const
  {
#pragma unroll
    for (int i = 0; i < BATCH; i++) {
      old[i] = high[i] = VtGpuPixel<T>::lowest;
      if (t + i < n && x + static_cast<uint32_t>(dx * i) < width) {
        old[i] = VtGpuPixel<T>::load(*reinterpret_cast<const T *>(marker + i * marker_step));
        high[i] = VtGpuPixel<T>::load(*reinterpret_cast<const T *>(mask + i * mask_step));
      }
    }
  }
  __device__ __forceinline__ void advance(void)
  {
    marker += BATCH * marker_step;
    mask += BATCH * mask_step;
    x += static_cast<uint32_t>(dx * BATCH);
  }
};

/* What a line's band does to what enters it. Outside the image nothing passes, which suits: a line begins and ends there. */
template <typename T>
static __global__ void
fold_bands(VtGpuView<T> marker, VtGpuView<T> mask, Lines lines)
{
  const int64_t thread = static_cast<int64_t>(blockIdx.x) * LINE_THREADS + threadIdx.x, k = line_of(lines, thread);
  if (thread >= marker.width + (lines.dx ? BAND - 1 : 0) || k < 0 || k >= lines.n)
    return;
  Walk<T> walk(marker, mask, lines, k, static_cast<int64_t>(blockIdx.y) * BAND);
  int2 fold = make_int2(INT32_MIN, INT32_MAX);
  for (int t = 0; t < BAND; t += BATCH, walk.advance()) {
    int32_t old[BATCH], high[BATCH];
    walk.load(t, old, high);
#pragma unroll
    for (int i = 0; i < BATCH; i++)
      fold = make_int2(clamp(fold.x, old[i], high[i]), clamp(fold.y, old[i], high[i]));
  }
  lines.bands[static_cast<int64_t>(blockIdx.y) * lines.n + k] = fold;
}

/* A thread for a line: what enters each band. */
static __global__ void
join_bands(Lines lines, int64_t width, int64_t height, int32_t lowest)
{
  const int64_t k = static_cast<int64_t>(blockIdx.x) * LINE_THREADS + threadIdx.x;
  if (k >= lines.n)
    return;
  int64_t first = 0, last = height - 1; /* steps at which the line is in the image */
  if (lines.dx > 0) {
    first = max(lines.from - k, static_cast<int64_t>(0));
    last = min(height, width - k + lines.from) - 1;
  } else if (lines.dx < 0) {
    first = max(k - (width - 1), static_cast<int64_t>(0));
    last = min(height, k + 1) - 1;
  }
  int32_t carry = lowest;
  int2 *bands = lines.bands + k;
#pragma unroll 4
  for (int64_t b = first / BAND; b <= last / BAND; b++) {
    const int2 fold = bands[b * lines.n];
    bands[b * lines.n].x = carry;
    carry = clamp(carry, fold.x, fold.y);
  }
}

template <typename T>
static __global__ void
raise_bands(VtGpuView<T> marker, VtGpuView<T> mask, Lines lines, uint32_t *changed)
{
  const int64_t thread = static_cast<int64_t>(blockIdx.x) * LINE_THREADS + threadIdx.x, k = line_of(lines, thread);
  if (thread >= marker.width + (lines.dx ? BAND - 1 : 0) || k < 0 || k >= lines.n)
    return;
  Walk<T> walk(marker, mask, lines, k, static_cast<int64_t>(blockIdx.y) * BAND);
  bool rose = false;
  int32_t carry = lines.bands[static_cast<int64_t>(blockIdx.y) * lines.n + k].x;
  for (int t = 0; t < BAND; t += BATCH, walk.advance()) {
    int32_t old[BATCH], high[BATCH];
    walk.load(t, old, high);
#pragma unroll
    for (int i = 0; i < BATCH; i++) {
      carry = clamp(carry, old[i], high[i]);
      if (carry != old[i]) {
        *reinterpret_cast<T *>(walk.marker + i * walk.marker_step) = VtGpuPixel<T>::store(carry);
        rose = true;
      }
    }
  }
  if (rose)
    atomicOr(changed, 1u);
}

/* Room for the bands of columns, or of diagonals. */
static VitrailStatus
make_bands(VtDevice *device, const VtReconstruct *args, int2 **bands)
{
  const int64_t n_lines = args->marker.width + (args->connectivity == 8 ? args->marker.height - 1 : 0);
  void *scratch = NULL;
  VT_TRY(vt_gpu_scratch(device, static_cast<size_t>(n_lines * vt_gpu_blocks(args->marker.height, BAND)) * sizeof(int2),
                        &scratch));
  *bands = static_cast<int2 *>(scratch);
  return VITRAIL_OK;
}

template <typename T>
static VitrailStatus
sweep_lines(VtDevice *device, const VtReconstruct *args, int dx, bool upward, int2 *bands)
{
  const VtGpuView<T> marker(args->marker), mask(args->mask);
  const Lines lines = { dx, upward, marker.width + (dx ? marker.height - 1 : 0), dx > 0 ? marker.height - 1 : 0,
                        bands };
  const int64_t n_threads = marker.width + (dx ? BAND - 1 : 0), n_bands = vt_gpu_blocks(marker.height, BAND);
  if (n_bands > UINT16_MAX || marker.width > INT32_MAX)
    return VITRAIL_UNSUPPORTED;
  const dim3 blocks(static_cast<unsigned>(vt_gpu_blocks(n_threads, LINE_THREADS)), static_cast<unsigned>(n_bands));
  fold_bands<T><<<blocks, LINE_THREADS, 0, device->stream>>>(marker, mask, lines);
  VT_GPU_TRY(device, cudaGetLastError());
  VT_TRY(vt_gpu_launch(device, "join_bands", join_bands, vt_gpu_blocks(lines.n, LINE_THREADS), LINE_THREADS, lines,
                       marker.width, marker.height, VtGpuPixel<T>::lowest));
  raise_bands<T><<<blocks, LINE_THREADS, 0, device->stream>>>(marker, mask, lines, device->words);
  VT_GPU_TRY(device, cudaGetLastError());
  return VITRAIL_OK;
}

template <typename T>
static VitrailStatus
sweep_all_rows(VtDevice *device, const VtReconstruct *args)
{
  const VtGpuView<T> marker(args->marker), mask(args->mask);
  const int64_t n_blocks = vt_gpu_blocks(marker.height, ROW_THREADS / WARP);
  for (int backward = 0; backward < 2; backward++)
    VT_TRY(vt_gpu_launch(device, "sweep_rows", sweep_rows<T>, n_blocks, ROW_THREADS, marker, mask, backward != 0,
                         device->words));
  return VITRAIL_OK;
}

template <typename T>
static VitrailStatus
sweep_all(VtDevice *device, const VtReconstruct *args, int2 *bands, const VtCancel *cancel)
{
  VT_TRY(sweep_all_rows<T>(device, args));
  if (vt_cancelled(cancel))
    return VITRAIL_CANCELLED;
  const int reach = args->connectivity == 8 ? 1 : 0;
  for (int dx = -reach; dx <= reach; dx++)
    for (int upward = 0; upward < 2; upward++)
      VT_TRY(sweep_lines<T>(device, args, dx, upward != 0, bands));
  return VITRAIL_OK;
}

template <typename T>
static VitrailStatus
sweep_until_stable(VtDevice *device, const VtReconstruct *args, const VtCancel *cancel)
{
  /* A value moves on by at least one pixel per round, so there can be no more rounds than pixels. */
  const int64_t max_rounds = args->marker.width * args->marker.height + 1;
  int2 *bands = NULL;
  VT_TRY(make_bands(device, args, &bands));
  for (int64_t round = 0; round < max_rounds; round++) {
    if (vt_cancelled(cancel))
      return VITRAIL_CANCELLED;
    VT_GPU_TRY(device, cudaMemsetAsync(device->words, 0, sizeof(uint32_t), device->stream));
    VitrailStatus status = sweep_all<T>(device, args, bands, cancel);
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
  switch (args->marker.type) {
  case VITRAIL_U8: return sweep_all_rows<uint8_t>(device, args);
  case VITRAIL_U16: return sweep_all_rows<uint16_t>(device, args);
  case VITRAIL_I32: return sweep_all_rows<int32_t>(device, args);
  case VITRAIL_F32: return sweep_all_rows<float>(device, args);
  default: return VITRAIL_BAD_ARGUMENT;
  }
}

VitrailStatus
vt_gpu_reconstruct_sweep(VtDevice *device, const VtReconstruct *args, const VtCancel *cancel)
{
  switch (args->marker.type) {
  case VITRAIL_U8: return sweep_until_stable<uint8_t>(device, args, cancel);
  case VITRAIL_U16: return sweep_until_stable<uint16_t>(device, args, cancel);
  case VITRAIL_I32: return sweep_until_stable<int32_t>(device, args, cancel);
  case VITRAIL_F32: return sweep_until_stable<float>(device, args, cancel);
  default: return VITRAIL_BAD_ARGUMENT;
  }
}

VitrailStatus
vt_gpu_reconstruct_sr(VtDevice *device, const VtReconstruct *args, const VtCancel *cancel)
{
  if (vt_gpu_reconstruct_is_other(args))
    return vt_gpu_reconstruct_other(device, args, vt_gpu_reconstruct_sr, cancel);
  VtGpuUse use(device);
  bool empty = false;
  VT_GPU_TRY(device, use.status());
  VT_TRY(vt_gpu_reconstruct_check(device, args, &empty));
  return empty ? VITRAIL_OK : vt_gpu_reconstruct_sweep(device, args, cancel);
}
