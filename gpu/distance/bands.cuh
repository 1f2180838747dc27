/* SPDX-License-Identifier: MIT
 *
 * bands.cuh: the column distances of an image in little room. Bands of 64 rows are packed to one word of background
 * bits per column; a scan over the bands finds the nearest background beyond each band; then a pixel's column distance
 * is two bit searches (after Manduhu & Jones 2019). */
#pragma once

#include "../common.cuh"

enum { VT_GPU_BAND = 64 };
static const int32_t VT_GPU_NO_ROW = INT32_MIN;

/* Per band and column: which rows are background, and the nearest background rows beyond the band (VT_GPU_NO_ROW: none). Of a stripe
 * rows above its first one have negative numbers. */
struct VtGpuBands {
  uint64_t *bits;
  int32_t *above, *below;
  int64_t n_bands, width;
  uint32_t *cleared; /* of the caller: so many words that are 0 when the bands are made */
  int64_t n_cleared;
};

struct VtGpuColumn {
  uint64_t bits;
  int32_t above, below;
};

/* Scratch that the bands of src take. */
size_t vt_gpu_bands_size(const VtImage *src);
/* Makes them there, on the device's stream; *bands: what is to be cleared. src U8, 0 = background, at least one pixel; above, below: as in VtDistance. */
VitrailStatus vt_gpu_bands_make(VtDevice *device, const VtImage *src, const VtImage *above, const VtImage *below,
                                void *scratch, VtGpuBands *bands);

static __device__ __forceinline__ VtGpuColumn
vt_gpu_bands_column(const VtGpuBands &bands, int64_t at)
{
  return VtGpuColumn{ bands.bits[at], bands.above[at], bands.below[at] };
}

/* Of row y0 + r, where y0 is the band's first row; VT_EDT_NONE if the column has no background. */
static __device__ __forceinline__ int32_t
vt_gpu_column_distance(const VtGpuColumn &column, int32_t y0, int r)
{
  const uint64_t up = column.bits << (63 - r), down = column.bits >> r;
  const int32_t y = y0 + r;
  const int32_t to_above = up                              ? __clzll(static_cast<long long>(up))
                           : column.above != VT_GPU_NO_ROW ? y - column.above
                                                           : VT_EDT_NONE;
  const int32_t to_below = down                            ? __ffsll(static_cast<long long>(down)) - 1
                           : column.below != VT_GPU_NO_ROW ? column.below - y
                                                           : VT_EDT_NONE;
  return min(to_above, to_below);
}
