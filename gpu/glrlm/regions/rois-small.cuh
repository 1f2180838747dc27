/* SPDX-License-Identifier: MIT
 *
 * rois-small.cuh: a block for a region. The region's levels, with zeros round them, and a matrix of one direction at a time
 * are in shared memory. The first warp goes through the cells in the order of the definition, for what must be added up in
 * it; the others fold the matrix. Numbers of runs are below 2^16, all directions together, so that 32 bits hold the sums. */
#pragma once

#include "rois.cuh"

enum { VT_GPU_SMALL_PX = 16383, VT_GPU_MAX_SLOTS = VT_GLRLM_N_DIRECTIONS + 1 };

/* Counts of the cells that are not empty, for the entropy: at list[at[p]] those of the first matrix of region p, each matrix
 * with room for `room_of` it. */
struct VtGpuRoiLists {
  uint32_t *list;
  const uint32_t *at; /* by p */
  uint2 *sizes;       /* by p and matrix: runs, cells */
  uint32_t *most;     /* by number of runs, the greatest count */
  uint32_t most_runs; /* no matrix has more */
};

/* A run is at least as long as the cells of its level before it: so many cells that are not empty can n_pixels make. */
static __host__ __device__ __forceinline__ uint32_t
vt_gpu_rois_room(const VtGpuRois &j, const VtGlrlmRoi &roi, bool merged)
{
  const double n = static_cast<double>(roi.width * roi.height) * (merged ? VT_GLRLM_N_DIRECTIONS : 1);
  const uint32_t cells = static_cast<uint32_t>(j.n_levels) * static_cast<uint32_t>(vt_gpu_rois_longest(roi));
  const uint32_t room = static_cast<uint32_t>(sqrt(2 * n * j.n_levels)) + static_cast<uint32_t>(j.n_levels) + 1;
  return room < cells ? room : cells;
}

static __host__ __device__ __forceinline__ int64_t
vt_gpu_rois_lists_room(const VtGpuRois &j, const VtGlrlmRoi &roi)
{
  return static_cast<int64_t>(vt_gpu_rois_bits(j.directions)) * vt_gpu_rois_room(j, roi, false)
         + (vt_gpu_rois_merged(j) ? vt_gpu_rois_room(j, roi, true) : 0);
}

struct VtGpuRoiBlock { /* in shared memory */
  uint32_t *sums;      /* of matrix m, kind k: sums[(m * 2 + k / 2) ...], see sums_of */
  uint32_t *matrix, *merged;
  uint16_t *patch;
  int32_t width, height, length, row, step; /* row: cells from level to level, odd; step: pixels from row to row */
  int32_t n_levels;

  __device__ uint32_t *sums_of(int slot, int kind) const
  {
    return sums + slot * 2 * (length + n_levels) + (kind & 1) * (kind < VT_GPU_BY_LEVEL ? length : n_levels)
           + (kind < VT_GPU_BY_LEVEL ? 0 : 2 * length);
  }
};

static __host__ __device__ __forceinline__ size_t
vt_gpu_rois_shared(const VtGpuRois &j, const VtGlrlmRoi &roi)
{
  const size_t length = static_cast<size_t>(vt_gpu_rois_longest(roi)), n_levels = static_cast<size_t>(j.n_levels);
  const size_t slots = static_cast<size_t>(vt_gpu_rois_bits(j.directions)) + vt_gpu_rois_merged(j);
  return (slots * 2 * (length + n_levels) + n_levels * (length | 1) * (vt_gpu_rois_merged(j) ? 2 : 1))
           * sizeof(uint32_t)
         + static_cast<size_t>((roi.width + 1) * (roi.height + 2) + 1) * sizeof(uint16_t);
}

static __device__ __forceinline__ VtGpuRoiBlock
vt_gpu_rois_block(const VtGpuRois &j, const VtGlrlmRoi &roi, uint32_t *memory)
{
  VtGpuRoiBlock b;
  b.width = static_cast<int32_t>(roi.width);
  b.height = static_cast<int32_t>(roi.height);
  b.length = vt_gpu_rois_longest(roi);
  b.row = b.length | 1;
  b.step = b.width + 1;
  b.n_levels = j.n_levels;
  b.sums = memory;
  b.matrix = memory + (__popc(j.directions) + vt_gpu_rois_merged(j)) * 2 * (b.length + b.n_levels);
  b.merged = b.matrix + b.n_levels * b.row;
  b.patch = reinterpret_cast<uint16_t *>(vt_gpu_rois_merged(j) ? b.merged + b.n_levels * b.row : b.merged);
  return b;
}

/* Returns how many of the thread's pixels belong to the region. */
template <typename T, int THREADS>
static __device__ __forceinline__ uint32_t
vt_gpu_rois_lay(const VtGpuRois &j, const VtGlrlmRoi &roi, const VtGpuRoiBlock &b)
{
  uint32_t n = 0;
  const uint32_t step = static_cast<uint32_t>(b.step), end = step * static_cast<uint32_t>(b.height + 2) + 1;
  for (uint32_t k = threadIdx.x; k < end; k += THREADS) {
    const int32_t y = static_cast<int32_t>(k / step) - 1, x = static_cast<int32_t>(k % step) - 1;
    uint32_t level = 0;
    if (x >= 0 && y >= 0 && y < b.height)
      level = vt_gpu_rois_level<T>(j, roi, x, y);
    if (level > static_cast<uint32_t>(b.n_levels)) {
      *j.bad = 1;
      level = 0;
    }
    b.patch[k] = static_cast<uint16_t>(level);
    n += level != 0;
  }
  return n;
}

/* Counts the runs of a direction; returns the thread's longest. */
template <int THREADS>
static __device__ __forceinline__ int32_t
vt_gpu_rois_count(const VtGpuRoiBlock &b, int direction)
{
  const int32_t step = vt_gpu_glrlm_dy(direction) * b.step + vt_gpu_glrlm_dx(direction);
  int32_t longest = 0;
  for (int32_t k = b.step + 1 + static_cast<int32_t>(threadIdx.x); k < (b.height + 1) * b.step + 1; k += THREADS) {
    const uint16_t *at = b.patch + k, level = *at;
    if (level == 0 || at[-step] == level)
      continue;
    int32_t length = 0;
    while (at[step] == level) {
      at += step;
      length++;
    }
    atomicAdd(&b.matrix[(level - 1) * b.row + length], 1u);
    longest = max(longest, length + 1);
  }
  return longest;
}

/* By threads `first`.. of the block. */
template <int THREADS>
static __device__ __forceinline__ void
vt_gpu_rois_fold(const VtGpuRoiBlock &b, const uint32_t *matrix, int slot, int32_t longest, int first)
{
  for (int32_t k = static_cast<int32_t>(threadIdx.x) - first; k < longest + b.n_levels; k += THREADS - first) {
    const bool by_length = k < longest;
    const int32_t at = by_length ? k : k - longest, n = by_length ? b.n_levels : longest;
    const uint32_t *cell = matrix + (by_length ? at : at * b.row);
    uint32_t plain = 0, weighed = 0;
    for (int32_t i = 1; i <= n; i++, cell += by_length ? b.row : 1) {
      plain += *cell;
      weighed += *cell * static_cast<uint32_t>(i * i);
    }
    b.sums_of(slot, by_length ? VT_GPU_BY_LENGTH : VT_GPU_BY_LEVEL)[at] = plain;
    b.sums_of(slot, by_length ? VT_GPU_BY_LENGTH_WEIGHED : VT_GPU_BY_LEVEL_WEIGHED)[at] = weighed;
  }
}

struct VtGpuRoiScan {
  double short_low; /* SRLGE times the runs */
  uint32_t runs, cells, most;
};

/* The cells in ascending order, by one warp. list: room for the counts of those that are not empty, or NULL. */
static __device__ __forceinline__ VtGpuRoiScan
vt_gpu_rois_scan(const VtGpuRoiBlock &b, const uint32_t *matrix, int32_t longest, bool short_low, uint32_t *list)
{
  const uint32_t lane = threadIdx.x % 32, columns = static_cast<uint32_t>(longest);
  const uint32_t n = static_cast<uint32_t>(b.n_levels) * columns;
  VtGpuRoiScan scan = { 0, 0, 0, 0 };
  for (uint32_t k = lane; k - lane < n; k += 32) {
    const uint32_t i = k / columns, c = k % columns, count = k < n ? matrix[i * static_cast<uint32_t>(b.row) + c] : 0;
    const uint32_t there = __ballot_sync(~0u, count != 0);
    if (short_low && there) {
      const double term =
        count ? vt_gpu_rois_short_low(count, static_cast<int32_t>(i) + 1, static_cast<int32_t>(c) + 1) : 0;
      for (uint32_t left = there; left; left &= left - 1)
        scan.short_low += __shfl_sync(~0u, term, __ffs(static_cast<int>(left)) - 1);
    }
    if (list && count)
      list[scan.cells + static_cast<uint32_t>(__popc(there & ((1u << lane) - 1)))] = count;
    scan.cells += static_cast<uint32_t>(__popc(there));
    scan.runs += count;
    scan.most = max(scan.most, count);
  }
  for (int d = 16; d > 0; d /= 2) {
    scan.runs += __shfl_xor_sync(~0u, scan.runs, d);
    scan.most = max(scan.most, __shfl_xor_sync(~0u, scan.most, d));
  }
  return scan;
}

/* The entropies of regions order[0..n) into their values; all of this in device memory, and most may be used again after. */
VitrailStatus vt_gpu_rois_entropy(VtDevice *device, const VtGpuRois &job, const VtGpuRoiLists &lists,
                                  const uint32_t *order, uint32_t n, double *values);
