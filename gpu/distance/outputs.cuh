/* SPDX-License-Identifier: MIT
 *
 * outputs.cuh: the outputs of VtDistance, for every algorithm that knows a pixel's nearest background pixel. */
#pragma once

#include "rows.cuh"

struct VtGpuDistanceOutputs {
  VtGpuView<int64_t> squared, nearest;
  VtGpuView<float> root;
  int64_t weight_x, weight_y, cap, width;
  float scale;

  explicit VtGpuDistanceOutputs(const VtDistance &args)
      : squared(args.squared), nearest(args.nearest), root(args.root), weight_x(args.weight_x), weight_y(args.weight_y),
        cap(args.cap), width(args.src.width), scale(args.scale)
  {
  }
  __device__ int64_t squared_to(int64_t dx, int64_t dy) const
  {
    return weight_x * (dx * dx) + weight_y * (dy * dy);
  }
  /* found: VT_EDT_NONE64 without background; `at`: number of the nearest, -1. */
  __device__ void write(int64_t x, int64_t y, int64_t found, int64_t at) const
  {
    const bool capped = cap > 0 && found > cap;
    const int64_t value = capped ? cap : found;
    if (squared.data)
      squared.row(y)[x] = value;
    if (root.data)
      store(&root.row(y)[x], value, scale);
    if (nearest.data)
      nearest.row(y)[x] = capped ? -1 : at;
  }
};

/* Squares or roots alone (one of them is wanted), weights 1, no cap: on checked arguments, with the device in use; see fused.cu.
 * VITRAIL_UNSUPPORTED: the multiprocessors have too little shared memory. */
VitrailStatus vt_gpu_distance_fused(VtDevice *device, const VtDistance *args, const VtCancel *cancel);
