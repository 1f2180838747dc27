/* SPDX-License-Identifier: MIT
 *
 * rois-large.cu: regions that are too large for one block. All are cut into tiles, and each block takes its share of the
 * tiles of all regions; a run is counted where it starts and followed to its end, beyond the tile too. Counts of short runs
 * are kept in shared memory while the region stays the same. The host makes the features of the matrices. */
#include "../../gpu.h"
#include "rois.cuh"

#include <math.h>
#include <stdlib.h>

enum { THREADS = 256, TILE_W = 64, TILE_H = 32, PATCH_W = TILE_W + 2, PATCH_H = TILE_H + 2, NEAR_CELLS = 2048 };
enum { BLOCKS_PER_MULTIPROCESSOR = 6, MAX_GROUP = 4096 };
static const int64_t group_cells = INT64_C(1) << 24; /* 128 MiB of matrices at once */
static const int64_t max_tiles = 1 << 15;            /* of a launch */

typedef unsigned long long Count;

struct Region {
  VtGlrlmRoi roi;
  int64_t first_tile, matrix; /* of all: this region's first tile, and cell */
  int32_t columns, length;    /* tiles in a row of tiles; columns of its matrices */
};

struct Result { /* by region */
  Count n_pixels;
  uint32_t longest;
};

struct Large {
  const Region *regions;
  Count *matrices;
  Result *results;
  int64_t first_tile, n_tiles;    /* of a launch */
  int32_t n_regions, near_length; /* runs up to near_length are counted in shared memory */
};

struct Near { /* in shared memory */
  uint32_t counts[VT_GLRLM_N_DIRECTIONS * NEAR_CELLS];
  uint16_t patch[PATCH_W * PATCH_H];
  uint32_t n_pixels, longest;
};

/* The last region whose first tile is not behind `tile`. */
static __device__ int32_t
region_of(const Large &l, int64_t tile)
{
  int32_t low = 0, high = l.n_regions - 1;
  while (low < high) {
    const int32_t middle = (low + high + 1) / 2;
    if (l.regions[middle].first_tile <= tile)
      low = middle;
    else
      high = middle - 1;
  }
  return low;
}

/* The tile at (x0,y0) with a pixel round it. */
template <typename T>
static __device__ __forceinline__ void
lay_tile(const VtGpuRois &j, const VtGlrlmRoi &roi, int64_t x0, int64_t y0, Near *near)
{
  uint32_t n = 0;
  for (int k = static_cast<int>(threadIdx.x); k < PATCH_W * PATCH_H; k += THREADS) {
    const int px = k % PATCH_W, py = k / PATCH_W;
    const int64_t x = x0 + px - 1, y = y0 + py - 1;
    uint32_t level = 0;
    if (x >= 0 && y >= 0 && x < roi.width && y < roi.height)
      level = vt_gpu_rois_level<T>(j, roi, x, y);
    if (level > static_cast<uint32_t>(j.n_levels)) {
      *j.bad = 1;
      level = 0;
    }
    near->patch[k] = static_cast<uint16_t>(level);
    n += level != 0 && px > 0 && px <= TILE_W && py > 0 && py <= TILE_H;
  }
  for (int d = 16; d > 0; d /= 2)
    n += __shfl_xor_sync(~0u, n, d);
  if (threadIdx.x % 32 == 0 && n > 0)
    atomicAdd(&near->n_pixels, n);
}

/* How far the run goes that has reached (x,y), the last pixel of it that the patch holds. */
template <typename T>
static __device__ int64_t
follow(const VtGpuRois &j, const VtGlrlmRoi &roi, int64_t x, int64_t y, int dx, int dy, uint32_t level)
{
  int64_t n = 0;
  for (x += dx, y += dy; x >= 0 && x < roi.width && y < roi.height && vt_gpu_rois_level<T>(j, roi, x, y) == level;
       x += dx, y += dy)
    n++;
  return n;
}

template <typename T>
static __device__ __forceinline__ void
count_tile(const VtGpuRois &j, const Large &l, const Region &region, int64_t x0, int64_t y0, int direction, Near *near)
{
  const int dx = vt_gpu_glrlm_dx(direction), dy = vt_gpu_glrlm_dy(direction), step = dy * PATCH_W + dx;
  uint32_t longest = 0;
  for (int k = static_cast<int>(threadIdx.x); k < TILE_W * TILE_H; k += THREADS) {
    int px = k % TILE_W + 1, py = k / TILE_W + 1;
    const uint16_t *at = near->patch + py * PATCH_W + px;
    const uint32_t level = *at;
    if (level == 0 || at[-step] == level)
      continue;
    int64_t length = 1;
    while (at[step] == level) {
      at += step;
      px += dx;
      py += dy;
      length++;
      if (px == 0 || px > TILE_W || py > TILE_H) {
        length += follow<T>(j, region.roi, x0 + px - 1, y0 + py - 1, dx, dy, level);
        break;
      }
    }
    if (length <= l.near_length)
      atomicAdd(&near->counts[direction * NEAR_CELLS + (level - 1) * l.near_length + length - 1], 1u);
    else
      atomicAdd(&l.matrices[region.matrix + (static_cast<int64_t>(direction) * j.n_levels + level - 1) * region.length
                            + length - 1],
                1ull);
    longest = max(longest, static_cast<uint32_t>(length));
  }
  for (int d = 16; d > 0; d /= 2)
    longest = max(longest, __shfl_xor_sync(~0u, longest, d));
  if (threadIdx.x % 32 == 0)
    atomicMax(&near->longest, longest);
}

/* What is in shared memory goes to the region, and is 0 again. */
static __device__ __forceinline__ void
flush(const VtGpuRois &j, const Large &l, int32_t r, Near *near)
{
  const Region &region = l.regions[r];
  __syncthreads();
  for (int k = static_cast<int>(threadIdx.x); k < VT_GLRLM_N_DIRECTIONS * NEAR_CELLS; k += THREADS) {
    const int direction = k / NEAR_CELLS, cell = k % NEAR_CELLS;
    if (near->counts[k] == 0)
      continue;
    atomicAdd(
      &l.matrices[region.matrix + (static_cast<int64_t>(direction) * j.n_levels + cell / l.near_length) * region.length
                  + cell % l.near_length],
      static_cast<Count>(near->counts[k]));
    near->counts[k] = 0;
  }
  if (threadIdx.x == 0) {
    atomicAdd(&l.results[r].n_pixels, static_cast<Count>(near->n_pixels));
    atomicMax(&l.results[r].longest, near->longest);
    near->n_pixels = near->longest = 0;
  }
  __syncthreads();
}

template <typename T>
static __global__ void
__launch_bounds__(THREADS) large_rois(const __grid_constant__ VtGpuRois j, const __grid_constant__ Large l)
{
  __shared__ Near near;
  const int64_t n = gridDim.x, first = l.first_tile + l.n_tiles * blockIdx.x / n,
                end = l.first_tile + l.n_tiles * (blockIdx.x + 1) / n;
  int32_t r = region_of(l, first);
  for (int k = static_cast<int>(threadIdx.x); k < VT_GLRLM_N_DIRECTIONS * NEAR_CELLS; k += THREADS)
    near.counts[k] = 0;
  if (threadIdx.x == 0)
    near.n_pixels = near.longest = 0;
  __syncthreads();
  for (int64_t tile = first; tile < end; tile++) {
    if (r + 1 < l.n_regions && l.regions[r + 1].first_tile <= tile)
      flush(j, l, r++, &near);
    const Region &region = l.regions[r];
    const int64_t k = tile - region.first_tile, x0 = k % region.columns * TILE_W, y0 = k / region.columns * TILE_H;
    lay_tile<T>(j, region.roi, x0, y0, &near);
    __syncthreads();
    for (int direction = 0; direction < VT_GLRLM_N_DIRECTIONS; direction++)
      if (j.directions >> direction & 1)
        count_tile<T>(j, l, region, x0, y0, direction, &near);
    __syncthreads();
  }
  flush(j, l, r, &near);
}

/* --- on the host --- */

struct Group { /* regions that are worked on together */
  Region *regions;
  Result *results;
  int64_t n, n_tiles, n_cells;
};

static uint64_t
fold(int32_t n_levels, int32_t longest, const Count *matrix, uint64_t *sums[VT_GPU_N_SUMS])
{
  uint64_t n_runs = 0;
  for (int32_t j = 0; j < longest; j++)
    sums[VT_GPU_BY_LENGTH][j] = sums[VT_GPU_BY_LENGTH_WEIGHED][j] = 0;
  for (int64_t i = 1; i <= n_levels; i++) {
    uint64_t plain = 0, weighed = 0;
    for (int64_t j = 1; j <= longest; j++) {
      const uint64_t count = *matrix++;
      if (count == 0)
        continue;
      plain += count;
      weighed += count * static_cast<uint64_t>(j * j);
      sums[VT_GPU_BY_LENGTH][j - 1] += count;
      sums[VT_GPU_BY_LENGTH_WEIGHED][j - 1] += count * static_cast<uint64_t>(i * i);
    }
    sums[VT_GPU_BY_LEVEL][i - 1] = plain;
    sums[VT_GPU_BY_LEVEL_WEIGHED][i - 1] = weighed;
    n_runs += plain;
  }
  return n_runs;
}

static void
matrix_features(const VtGpuRois &j, int32_t longest, const Count *matrix, uint64_t n_pixels, uint64_t *memory,
                double *f)
{
  uint64_t *sums[VT_GPU_N_SUMS] = { memory, memory + longest, memory + 2 * static_cast<int64_t>(longest),
                                    memory + 2 * static_cast<int64_t>(longest) + j.n_levels };
  const uint64_t n_runs = fold(j.n_levels, longest, matrix, sums);
  for (int kind = 0; kind < VT_GPU_N_SUMS; kind++) {
    const int32_t n = kind < VT_GPU_BY_LEVEL ? longest : j.n_levels;
    if (n_pixels < UINT64_C(1) << 20) /* no number passes 2^60 */
      vt_gpu_rois_features<uint64_t>(kind, sums[kind], n, n_runs, n_pixels, f);
    else
      vt_gpu_rois_features<unsigned __int128>(kind, sums[kind], n, n_runs, n_pixels, f);
  }
  double short_low = 0, entropy = 0;
  for (int32_t i = 1; i <= j.n_levels; i++)
    for (int32_t length = 1; length <= longest; length++) {
      const Count count = *matrix++;
      if (count && j.features >> VT_GLRLM_SRLGE & 1)
        short_low += vt_gpu_rois_short_low(count, i, length);
      if (count && j.features >> VT_GLRLM_RE & 1)
        entropy -= vt_gpu_rois_term(count, n_runs);
    }
  f[VT_GLRLM_SRLGE] = short_low / static_cast<double>(n_runs);
  f[VT_GLRLM_RE] = entropy;
}

/* matrix: of the directions, with room for their sum. */
static void
region_features(const VtGpuRois &j, int32_t longest, Count *matrix, uint64_t n_pixels, uint64_t *memory, double *to)
{
  const int64_t n_cells = static_cast<int64_t>(j.n_levels) * longest;
  double f[VT_GLRLM_N_AGGREGATES][VT_GLRLM_N_FEATURES] = {};
  Count *merged = matrix + VT_GLRLM_N_DIRECTIONS * n_cells;
  for (int d = 0; d < VT_GLRLM_N_DIRECTIONS; d++)
    if (n_pixels > 0 && j.directions >> d & 1)
      matrix_features(j, longest, matrix + d * n_cells, n_pixels, memory, f[d]);
  if (n_pixels > 0 && vt_gpu_rois_merged(j)) {
    for (int64_t k = 0; k < n_cells; k++)
      merged[k] = matrix[k] + matrix[n_cells + k] + matrix[2 * n_cells + k] + matrix[3 * n_cells + k];
    matrix_features(j, longest, merged, VT_GLRLM_N_DIRECTIONS * n_pixels, memory, f[VT_GLRLM_MERGED]);
  }
  for (int k = 0; k < VT_GLRLM_N_FEATURES; k++)
    f[VT_GLRLM_MEAN][k] = (f[0][k] + f[1][k] + f[2][k] + f[3][k]) / VT_GLRLM_N_DIRECTIONS;
  for (int a = 0; a < VT_GLRLM_N_AGGREGATES; a++)
    for (int k = 0; k < VT_GLRLM_N_FEATURES; k++)
      if (j.aggregates >> a & j.features >> k & 1)
        to[vt_gpu_rois_value(j, a, k)] = n_pixels > 0 ? f[a][k] : static_cast<double>(NAN);
}

/* Cells of a region's matrices that may be filled, and of one for their sum. */
static size_t
cells_of(const VtGpuRois &j, const Result &result)
{
  return static_cast<size_t>(result.longest) * (VT_GLRLM_N_DIRECTIONS + 1) * j.n_levels;
}

/* Fetches what is filled of the matrices, one region's behind the other's. */
static VitrailStatus
fetch(VtDevice *device, const VtGpuRois &j, const Group *group, const Count *matrices, Count *host)
{
  for (int64_t k = 0; k < group->n; k++) {
    const Region &region = group->regions[k];
    const size_t row = group->results[k].longest * sizeof *host;
    if (row > 0)
      VT_GPU_TRY(device, cudaMemcpy2DAsync(host, row, matrices + region.matrix, region.length * sizeof *host, row,
                                           static_cast<size_t>(VT_GLRLM_N_DIRECTIONS) * j.n_levels,
                                           cudaMemcpyDeviceToHost, device->stream));
    host += cells_of(j, group->results[k]);
  }
  return vt_gpu_sync(device);
}

static VitrailStatus
finish_group(VtDevice *device, const VtGpuRois &j, const Group *group, const Count *matrices, double *values,
             int64_t *n_pixels)
{
  size_t n_cells = 0, n_sums = 0;
  void *pinned = NULL;
  for (int64_t k = 0; k < group->n; k++) {
    const size_t sums = 2 * (static_cast<size_t>(group->results[k].longest) + j.n_levels);
    n_cells += cells_of(j, group->results[k]);
    n_sums = sums > n_sums ? sums : n_sums;
  }
  uint64_t *sums = static_cast<uint64_t *>(malloc(n_sums * sizeof *sums));
  VitrailStatus status = sums ? vt_gpu_alloc_host(device, n_cells * sizeof(Count), &pinned) : VITRAIL_OUT_OF_MEMORY;
  Count *host = static_cast<Count *>(pinned);
  if (status == VITRAIL_OK)
    status = fetch(device, j, group, matrices, host);
  for (int64_t k = 0; k < group->n && status == VITRAIL_OK; k++) {
    const Result &result = group->results[k];
    region_features(j, static_cast<int32_t>(result.longest), host, result.n_pixels, sums, values + k * j.n_values);
    n_pixels[k] = static_cast<int64_t>(result.n_pixels);
    host += cells_of(j, result);
  }
  if (status != VITRAIL_OK)
    cudaStreamSynchronize(device->stream); /* before its memory goes */
  vt_gpu_free_host(device, pinned);
  free(sums);
  return status;
}

/* As many regions as go together; at least one. */
static void
make_group(const VtGpuRois &j, const VtGlrlmRoi *rois, const uint32_t *list, int64_t n, Group *group)
{
  group->n = group->n_tiles = group->n_cells = 0;
  while (group->n < n && group->n < MAX_GROUP && (group->n == 0 || group->n_cells < group_cells)) {
    const VtGlrlmRoi &roi = rois[list[group->n]];
    const int64_t columns = vt_gpu_blocks(roi.width, TILE_W), length = vt_gpu_rois_longest(roi);
    group->regions[group->n++] =
      Region{ roi, group->n_tiles, group->n_cells, static_cast<int32_t>(columns), static_cast<int32_t>(length) };
    group->n_tiles += columns * vt_gpu_blocks(roi.height, TILE_H);
    group->n_cells += VT_GLRLM_N_DIRECTIONS * length * j.n_levels;
  }
}

static VitrailStatus
count_group(VtDevice *device, const VtGpuRois &j, bool wide, const Group *group, Large l, const VtCancel *cancel)
{
  for (; l.first_tile < group->n_tiles; l.first_tile += l.n_tiles) {
    const int64_t left = group->n_tiles - l.first_tile, room = BLOCKS_PER_MULTIPROCESSOR * device->n_multiprocessors;
    if (l.first_tile > 0)
      VT_TRY(vt_gpu_sync(device)); /* so that a cancel is heard while tiles remain */
    if (vt_cancelled(cancel))
      return VITRAIL_CANCELLED;
    l.n_tiles = left < max_tiles ? left : max_tiles;
    VT_TRY(vt_gpu_launch(device, "large_rois", wide ? large_rois<uint16_t> : large_rois<uint8_t>,
                         l.n_tiles < room ? l.n_tiles : room, THREADS, j, l));
  }
  return VITRAIL_OK;
}

static VitrailStatus
run_group(VtDevice *device, const VtGpuRois &j, bool wide, Group *group, double *values, int64_t *n_pixels,
          const VtCancel *cancel)
{
  const size_t n = static_cast<size_t>(group->n), cells = static_cast<size_t>(group->n_cells) * sizeof(Count);
  const size_t results = (cells + 255) / 256 * 256, regions = results + (n * sizeof(Result) + 255) / 256 * 256;
  void *spare = NULL;
  VT_TRY(vt_gpu_spare(device, regions + n * sizeof(Region), &spare));
  char *memory = static_cast<char *>(spare);
  const Large l = { reinterpret_cast<const Region *>(memory + regions),
                    reinterpret_cast<Count *>(memory),
                    reinterpret_cast<Result *>(memory + results),
                    0,
                    0,
                    static_cast<int32_t>(n),
                    NEAR_CELLS / j.n_levels };
  VT_GPU_TRY(device, cudaMemsetAsync(memory, 0, regions, device->stream));
  VT_GPU_TRY(device, cudaMemcpyAsync(memory + regions, group->regions, n * sizeof(Region), cudaMemcpyHostToDevice,
                                     device->stream));
  VT_TRY(count_group(device, j, wide, group, l, cancel));
  VT_GPU_TRY(device,
             cudaMemcpyAsync(group->results, l.results, n * sizeof(Result), cudaMemcpyDeviceToHost, device->stream));
  VT_TRY(vt_gpu_sync(device));
  return finish_group(device, j, group, l.matrices, values, n_pixels);
}

VitrailStatus
vt_gpu_rois_large(VtDevice *device, const VtGpuRois &job, bool wide, const VtGlrlmRoi *rois, const uint32_t *list,
                  int64_t n, double *values, int64_t *n_pixels, const VtCancel *cancel)
{
  const int64_t max_group = MAX_GROUP;
  const size_t most = static_cast<size_t>(n < max_group ? n : max_group);
  Group group = {};
  VitrailStatus status = VITRAIL_OK;
  group.regions = static_cast<Region *>(malloc(most * sizeof *group.regions));
  group.results = static_cast<Result *>(malloc(most * sizeof *group.results));
  if (!group.regions || !group.results)
    status = VITRAIL_OUT_OF_MEMORY;
  for (int64_t k = 0; k < n && status == VITRAIL_OK; k += group.n) {
    make_group(job, rois, list + k, n - k, &group);
    status = run_group(device, job, wide, &group, values + k * job.n_values, n_pixels + k, cancel);
  }
  cudaStreamSynchronize(device->stream); /* after a failure work may be under way that reads the regions */
  free(group.regions);
  free(group.results);
  return status;
}
