/* SPDX-License-Identifier: MIT
 *
 * sr.cu: reconstruction by directional sweeps (Karas 2010). Each sweep carries values along independent lines of one of
 * four or eight directions, so no thread reads what another writes: the diagonals are lines of their own here, where
 * Karas lets a row look at three pixels of the row before. x -> min(max(x, J), I) is closed under composition, so
 * that a warp scans 32 pixels of a row in five steps. */
#include "../gpu.h"
#include "reconstruct.cuh"

enum { WARP = 32, ROW_THREADS = 128, LINE_THREADS = 64, BATCH = 8 };

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

/* Line k runs through x = x0 + dx*t for t = first .. end-1. */
struct Line {
  int64_t x0, first, end;
  __device__ Line(int64_t k, int dx, int64_t width, int64_t height)
  {
    x0 = dx > 0 ? k - (height - 1) : k;
    first = 0;
    end = height;
    if (dx > 0) {
      first = max(-x0, static_cast<int64_t>(0));
      end = min(height, width - x0);
    } else if (dx < 0) {
      first = max(x0 - (width - 1), static_cast<int64_t>(0));
      end = min(height, x0 + 1);
    }
  }
};

/* A thread per column (dx = 0) or diagonal, downward or upward. The threads of a warp stay on one row of pixels, which
 * keeps their accesses together: lines that have not begun wait. */
template <typename T>
static __global__ void
sweep_lines(VtGpuView<T> marker, VtGpuView<T> mask, int dx, bool upward, int64_t n_lines, uint32_t *changed)
{
  bool rose = false;
  const int64_t stride = static_cast<int64_t>(gridDim.x) * LINE_THREADS;
  for (int64_t k = static_cast<int64_t>(blockIdx.x) * LINE_THREADS + threadIdx.x; k < n_lines; k += stride) {
    const int64_t k_first = k / WARP * WARP, k_last = min(k_first + WARP, n_lines) - 1;
    const Line line(k, dx, marker.width, marker.height), a(k_first, dx, marker.width, marker.height),
      b(k_last, dx, marker.width, marker.height);
    const int64_t end = max(a.end, b.end);
    int32_t carry = VtGpuPixel<T>::lowest;
    for (int64_t start = min(a.first, b.first); start < end; start += BATCH) {
      int32_t old[BATCH], high[BATCH];
#pragma unroll
      for (int i = 0; i < BATCH; i++) {
        const int64_t t = start + i, y = upward ? marker.height - 1 - t : t, x = line.x0 + dx * t;
        old[i] = high[i] = VtGpuPixel<T>::lowest;
        if (t >= line.first && t < line.end) {
          old[i] = VtGpuPixel<T>::load(marker.row(y)[x]);
          high[i] = VtGpuPixel<T>::load(mask.row(y)[x]);
        }
      }
#pragma unroll
      for (int i = 0; i < BATCH; i++) {
        const int64_t t = start + i, y = upward ? marker.height - 1 - t : t, x = line.x0 + dx * t;
        carry = clamp(carry, old[i], high[i]);
        if (carry != old[i] && t >= line.first && t < line.end) {
          marker.row(y)[x] = VtGpuPixel<T>::store(carry);
          rose = true;
        }
      }
    }
  }
  if (rose)
    atomicOr(changed, 1u);
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
sweep_all(VtDevice *device, const VtReconstruct *args, const VtCancel *cancel)
{
  const VtGpuView<T> marker(args->marker), mask(args->mask);
  VT_TRY(sweep_all_rows<T>(device, args));
  if (vt_cancelled(cancel))
    return VITRAIL_CANCELLED;
  const int reach = args->connectivity == 8 ? 1 : 0;
  for (int dx = -reach; dx <= reach; dx++) {
    const int64_t n_lines = dx ? marker.width + marker.height - 1 : marker.width;
    for (int upward = 0; upward < 2; upward++)
      VT_TRY(vt_gpu_launch(device, "sweep_lines", sweep_lines<T>, vt_gpu_blocks(n_lines, LINE_THREADS), LINE_THREADS,
                           marker, mask, dx, upward != 0, n_lines, device->words));
  }
  return VITRAIL_OK;
}

template <typename T>
static VitrailStatus
sweep_until_stable(VtDevice *device, const VtReconstruct *args, const VtCancel *cancel)
{
  /* A value moves on by at least one pixel per round, so there can be no more rounds than pixels. */
  const int64_t max_rounds = args->marker.width * args->marker.height + 1;
  for (int64_t round = 0; round < max_rounds; round++) {
    if (vt_cancelled(cancel))
      return VITRAIL_CANCELLED;
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
  VtGpuUse use(device);
  bool empty = false;
  VT_GPU_TRY(device, use.status());
  VT_TRY(vt_gpu_reconstruct_check(device, args, &empty));
  return empty ? VITRAIL_OK : vt_gpu_reconstruct_sweep(device, args, cancel);
}
