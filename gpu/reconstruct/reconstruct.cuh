/* SPDX-License-Identifier: MIT
 *
 * reconstruct.cuh: what the reconstruction kernels share. */
#pragma once

#include "../common.cuh"

#include <math.h>

/* Pixels are worked on as int32_t. Floats are mapped to integers of the same order; there is one zero only (+0), so
 * that the answer has one bit pattern whatever the schedule. Stored: how a pixel is kept in shared memory. */
template <typename T> struct VtGpuPixel {
  typedef T Stored;
  static constexpr int32_t lowest = static_cast<T>(-1) < 0 ? INT32_MIN : 0;
  static constexpr int32_t highest = static_cast<T>(-1) < 0 ? INT32_MAX : static_cast<int32_t>(static_cast<T>(-1));
  static __device__ T bottom() /* the lowest pixel there is */
  {
    return static_cast<T>(lowest);
  }
  static __device__ int32_t load(T value)
  {
    return static_cast<int32_t>(value);
  }
  static __device__ T store(int32_t value)
  {
    return static_cast<T>(value);
  }
  static __device__ bool is_negative_zero(T)
  {
    return false;
  }
};

template <> struct VtGpuPixel<float> {
  typedef int32_t Stored;
  static constexpr int32_t lowest = INT32_MIN, highest = INT32_MAX;
  static __device__ float bottom()
  {
    return -INFINITY;
  }
  static __device__ int32_t load(float value)
  {
    const int32_t bits = __float_as_int(value + 0.0f);
    return bits >= 0 ? bits : bits ^ INT32_MAX;
  }
  static __device__ float store(int32_t value)
  {
    return __int_as_float(value >= 0 ? value : value ^ INT32_MAX);
  }
  static __device__ bool is_negative_zero(float value)
  {
    return __float_as_int(value) == INT32_MIN;
  }
};

/* The rows of an image, or of all slices of a stack (depth > 0), one after another. */
template <typename T> struct VtGpuRows {
  char *data;
  int64_t width, height, stride, depth, slice;

  VtGpuRows(const VtImage &image, int64_t slices, int64_t slice_bytes)
      : data(static_cast<char *>(image.data)), width(image.width), height(image.height), stride(image.stride),
        depth(slices > 0 ? slices : 1), slice(slices > 0 ? slice_bytes : 0)
  {
  }
  __host__ __device__ int64_t n_rows() const
  {
    return height * depth;
  }
  __device__ T *row(int64_t n) const
  {
    const int64_t z = depth > 1 ? n / height : 0;
    return reinterpret_cast<T *>(data + z * slice + (n - z * height) * stride);
  }
};

/* Refuses what the contract refuses, before anything is written. A float marker that is good has its -0 made +0. */
VitrailStatus vt_gpu_reconstruct_check(VtDevice *device, const VtReconstruct *args);
/* Its first half, of images, by erosion and of packed bits too: all but the pixels. The device's words are cleared. */
VitrailStatus vt_gpu_reconstruct_check_begin(VtDevice *device, const VtReconstruct *args);
/* By erosion or of packed bits: done by `run`, by dilation, on copies. Stacks: done by the sweeps, whatever `run` is. */
typedef VitrailStatus (*VtGpuReconstruct)(VtDevice *device, const VtReconstruct *args, const VtCancel *cancel);
bool vt_gpu_reconstruct_is_other(const VtReconstruct *args);
VitrailStatus vt_gpu_reconstruct_other(VtDevice *device, const VtReconstruct *args, VtGpuReconstruct run,
                                       const VtCancel *cancel);
/* The sweeps of sr.cu on arguments that have been checked: from any stage of the work to the same answer. */
VitrailStatus vt_gpu_reconstruct_sweep(VtDevice *device, const VtReconstruct *args, const VtCancel *cancel);
/* The same by host.cu, on the host: for work that is one long chain. */
VitrailStatus vt_gpu_reconstruct_on_host(VtDevice *device, const VtReconstruct *args, const VtCancel *cancel);
/* `tile` for images of 8 bits, of 16 and 32, and of packed bits, after vt_gpu_reconstruct_check_begin. */
VitrailStatus vt_gpu_reconstruct_bytes(VtDevice *device, const VtReconstruct *args, const VtCancel *cancel);
VitrailStatus vt_gpu_reconstruct_words(VtDevice *device, const VtReconstruct *args, const VtCancel *cancel);
VitrailStatus vt_gpu_reconstruct_bits(VtDevice *device, const VtReconstruct *args, const VtCancel *cancel);
/* One sweep of all rows to the right and one to the left, queued on the stream. */
VitrailStatus vt_gpu_reconstruct_sweep_rows(VtDevice *device, const VtReconstruct *args);
