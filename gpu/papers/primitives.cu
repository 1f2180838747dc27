/* SPDX-License-Identifier: MIT
 *
 * primitives.cu: the method of Zhang et al. 2019 (GPU-accelerated GLRLM algorithm for feature extraction of MRI), made of
 * parallel primitives, as a baseline: (1) the pixels of all windows, line by line, are reduced by key to runs; (2) window,
 * level and length of a run are packed into one number; (3) these are sorted, (4) reduced by key to counts, which are the
 * matrices; (5) the features' sums are reduced from the counts. Chunks of windows bound the memory. A key holds the line
 * too, so that runs of two lines do not fuse; lengths are packed less one.
 *
 * The paper knows single directions and no entropy; those that are asked for come from each.cu. Its last step is in single
 * or in double precision; single is there to be measured, as it does not keep the contract. */
#include "../gpu.h"
#include "../glrlm/definition.cuh"

/* CUB includes the streams and does not use them here; without them no C++ runtime library is needed. */
#define _GLIBCXX_IOSTREAM 1
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_run_length_encode.cuh>

enum { THREADS = 256, LINE_BITS = 9, LEVEL_BITS = 9 };
static const int64_t max_pixels = INT64_C(1) << 24; /* of a chunk's windows together */

typedef unsigned long long Key;

struct Chunk {
  VtGpuGlrlmArgs args;
  int64_t first;
  int32_t n_windows, direction;
};

struct Buffers {
  Key *keys, *unique;   /* by pixel, by run */
  int32_t *lengths, *n; /* by run; n[0] runs, n[1] cells */
  uint64_t *sums;       /* of a feature, by window */
  uint32_t *totals;     /* runs and pixels by window */
  void *temporary;
  size_t temporary_bytes;
};

/* Pixel k of a window in the order of its lines. On diagonals the square is cut in two: lines wrap round, and a line number
 * tells the two parts apart. */
static __global__ void
lay_out(Chunk c, Key *keys)
{
  const int32_t side = c.args.side, area = side * side;
  const int64_t n = static_cast<int64_t>(c.n_windows) * area;
  for (int64_t at = static_cast<int64_t>(blockIdx.x) * THREADS + threadIdx.x; at < n;
       at += static_cast<int64_t>(gridDim.x) * THREADS) {
    const int64_t window = c.first + at / area;
    const int32_t k = static_cast<int32_t>(at % area), line = k / side, step = k % side;
    int32_t dx = step, dy = line, number = line;
    if (c.direction == VT_GLRLM_DIR_0_1) {
      dx = line;
      dy = step;
    } else if (c.direction != VT_GLRLM_DIR_1_0) {
      dx = line + step;
      dy = step;
      number = 2 * line + (dx >= side);
      dx -= dx >= side ? side : 0;
      dx = c.direction == VT_GLRLM_DIR_M1_1 ? side - 1 - dx : dx;
    }
    const int64_t x = c.args.x0 + window % c.args.width * c.args.step - c.args.half + dx;
    const int64_t y = c.args.y0 + window / c.args.width * c.args.step - c.args.half + dy;
    const bool inside = x >= 0 && x < c.args.src.width && y >= 0 && y < c.args.src.height;
    const Key level = inside ? vt_gpu_glrlm_level(c.args.src, x, y) : 0;
    keys[at] = (static_cast<Key>(at / area) << LINE_BITS | static_cast<Key>(number)) << LEVEL_BITS | level;
  }
}

/* Runs to cells: (window * (n_levels + 1) + level) * side + length - 1. */
static __global__ void
pack_runs(Chunk c, const Key *runs, const int32_t *lengths, const int32_t *n, Key *packed)
{
  for (int32_t i = static_cast<int32_t>(blockIdx.x * THREADS + threadIdx.x); i < *n;
       i += static_cast<int32_t>(gridDim.x * THREADS)) {
    const Key level = runs[i] & ((1u << LEVEL_BITS) - 1), window = runs[i] >> (LINE_BITS + LEVEL_BITS);
    packed[i] = (window * static_cast<Key>(c.args.n_levels + 1) + level) * static_cast<Key>(c.args.side)
                + static_cast<Key>(lengths[i] - 1);
  }
}

/* Counts to a feature's sums, and to the numbers of runs and pixels if `totals` is given. */
static __global__ void
reduce_cells(Chunk c, VtGpuGlrlmPlan plan, const Key *cells, const int32_t *counts, const int32_t *n, uint64_t *sums,
             uint32_t *totals)
{
  const Key side = static_cast<Key>(c.args.side), n_levels = static_cast<Key>(c.args.n_levels);
  for (int32_t i = static_cast<int32_t>(blockIdx.x * THREADS + threadIdx.x); i < *n;
       i += static_cast<int32_t>(gridDim.x * THREADS)) {
    const Key length = cells[i] % side + 1, level = cells[i] / side % (n_levels + 1),
              window = cells[i] / side / (n_levels + 1);
    const Key weight = (plan.weigh_level ? level * level : 1) * (plan.weigh_length ? length * length : 1);
    if (level == 0)
      continue;
    atomicAdd(reinterpret_cast<Key *>(sums) + window * static_cast<Key>(plan.size)
                + (level - 1) * static_cast<Key>(plan.level_step) + (length - 1) * static_cast<Key>(plan.length_step),
              weight * static_cast<Key>(counts[i]));
    if (totals) {
      atomicAdd(&totals[2 * window], static_cast<uint32_t>(counts[i]));
      atomicAdd(&totals[2 * window + 1], static_cast<uint32_t>(counts[i]) * static_cast<uint32_t>(length));
    }
  }
}

static __global__ void
finish(Chunk c, VtGpuGlrlmPlan plan, int feature, VtGpuGlrlmMap map, const uint64_t *sums, const uint32_t *totals)
{
  for (int32_t i = static_cast<int32_t>(blockIdx.x * THREADS + threadIdx.x); i < c.n_windows;
       i += static_cast<int32_t>(gridDim.x * THREADS)) {
    const int64_t window = c.first + i;
    const uint64_t *own = sums + static_cast<int64_t>(i) * plan.size;
    const uint32_t runs = totals[2 * i], pixels = totals[2 * i + 1];
    map.data[window / c.args.width * map.stride + window % c.args.width] =
      __double2float_rn(vt_gpu_glrlm_feature(feature, own, plan, c.args.side, runs, pixels));
  }
}

static int64_t
blocks_of(const VtDevice *device, int64_t n)
{
  const int64_t room = 16 * device->n_multiprocessors, wanted = vt_gpu_blocks(n, THREADS);
  return wanted < room ? wanted : room;
}

/* Steps 1 to 4: cells in keys, their counts in lengths, their number in n[1]. */
static VitrailStatus
make_matrices(VtDevice *device, const Chunk &c, const Buffers &b)
{
  const int64_t n = static_cast<int64_t>(c.n_windows) * c.args.side * c.args.side, blocks = blocks_of(device, n);
  size_t bytes = b.temporary_bytes;
  int32_t n_runs = 0;
  VT_TRY(vt_gpu_launch(device, "lay_out", lay_out, blocks, THREADS, c, b.keys));
  VT_GPU_TRY(device, cub::DeviceRunLengthEncode::Encode(b.temporary, bytes, b.keys, b.unique, b.lengths, b.n,
                                                        static_cast<int>(n), device->stream));
  VT_TRY(vt_gpu_launch(device, "pack_runs", pack_runs, blocks, THREADS, c, b.unique, b.lengths, b.n, b.keys));
  VT_GPU_TRY(device, cudaMemcpyAsync(&n_runs, b.n, sizeof n_runs, cudaMemcpyDeviceToHost, device->stream));
  VT_TRY(vt_gpu_sync(device));
  bytes = b.temporary_bytes;
  VT_GPU_TRY(device,
             cub::DeviceRadixSort::SortKeys(b.temporary, bytes, b.keys, b.unique, n_runs, 0, 48, device->stream));
  bytes = b.temporary_bytes;
  VT_GPU_TRY(device, cub::DeviceRunLengthEncode::Encode(b.temporary, bytes, b.unique, b.keys, b.lengths, b.n + 1,
                                                        n_runs, device->stream));
  return VITRAIL_OK;
}

static VitrailStatus
run_chunk(VtDevice *device, const Chunk &c, const VtGpuGlrlmMaps &maps, const Buffers &b)
{
  const int64_t n = static_cast<int64_t>(c.n_windows) * c.args.side * c.args.side;
  VT_TRY(make_matrices(device, c, b));
  for (int feature = 0; feature < VT_GLRLM_RE; feature++) {
    const VtGpuGlrlmMap map = maps.map[c.direction][feature];
    const VtGpuGlrlmPlan plan = vt_gpu_glrlm_plan(feature, c.args.n_levels, c.args.side);
    if (!map.data)
      continue;
    VT_GPU_TRY(device, cudaMemsetAsync(b.sums, 0, static_cast<size_t>(c.n_windows) * plan.size * sizeof *b.sums,
                                       device->stream));
    VT_GPU_TRY(device,
               cudaMemsetAsync(b.totals, 0, static_cast<size_t>(c.n_windows) * 2 * sizeof *b.totals, device->stream));
    VT_TRY(vt_gpu_launch(device, "reduce_cells", reduce_cells, blocks_of(device, n), THREADS, c, plan, b.keys,
                         b.lengths, b.n + 1, b.sums, b.totals));
    VT_TRY(vt_gpu_launch(device, "finish", finish, blocks_of(device, c.n_windows), THREADS, c, plan, feature, map,
                         b.sums, b.totals));
  }
  return VITRAIL_OK;
}

/* Hands out scratch: the same walk counts the bytes (memory NULL). */
static size_t
take(Buffers *b, char *memory, const VtGpuGlrlmArgs &args, int64_t n_windows, size_t temporary_bytes)
{
  const size_t n = static_cast<size_t>(n_windows * args.side * args.side), w = static_cast<size_t>(n_windows);
  const size_t sizes[] = { n * sizeof(Key),
                           n * sizeof(Key),
                           n * sizeof(int32_t),
                           256,
                           w * args.n_levels * args.side * sizeof(uint64_t),
                           w * 2 * sizeof(uint32_t),
                           temporary_bytes };
  void **places[] = { reinterpret_cast<void **>(&b->keys),
                      reinterpret_cast<void **>(&b->unique),
                      reinterpret_cast<void **>(&b->lengths),
                      reinterpret_cast<void **>(&b->n),
                      reinterpret_cast<void **>(&b->sums),
                      reinterpret_cast<void **>(&b->totals),
                      &b->temporary };
  size_t used = 0;
  for (int k = 0; k < 7; k++) {
    *places[k] = memory ? memory + used : NULL;
    used += (sizes[k] + 255) / 256 * 256;
  }
  b->temporary_bytes = temporary_bytes;
  return used;
}

static VitrailStatus
run_directions(VtDevice *device, const VtGpuGlrlmArgs &args, const VtGpuGlrlmMaps &maps, uint32_t directions,
               const VtCancel *cancel)
{
  const int64_t n = args.width * args.height, area = static_cast<int64_t>(args.side) * args.side;
  const int64_t fits = max_pixels / (area > args.n_levels * args.side ? area : args.n_levels * args.side) + 1;
  const int64_t at_once = n < fits ? n : fits;
  const int n_pixels = static_cast<int>(at_once * area);
  size_t sort = 0, encode = 0;
  Buffers b = {};
  void *scratch = NULL;
  VT_GPU_TRY(device, cub::DeviceRadixSort::SortKeys(NULL, sort, b.keys, b.unique, n_pixels, 0, 48, device->stream));
  VT_GPU_TRY(device, cub::DeviceRunLengthEncode::Encode(NULL, encode, b.keys, b.unique, b.lengths, b.n, n_pixels,
                                                        device->stream));
  const size_t temporary = sort > encode ? sort : encode;
  VT_TRY(vt_gpu_scratch(device, take(&b, NULL, args, at_once, temporary), &scratch));
  take(&b, static_cast<char *>(scratch), args, at_once, temporary);
  for (int direction = 0; direction < VT_GLRLM_N_DIRECTIONS; direction++)
    for (int64_t first = 0; first < n && directions >> direction & 1; first += at_once) {
      const Chunk c = { args, first, static_cast<int32_t>(n - first < at_once ? n - first : at_once), direction };
      if (vt_cancelled(cancel))
        return VITRAIL_CANCELLED;
      VT_TRY(run_chunk(device, c, maps, b));
    }
  return vt_gpu_sync(device);
}

VitrailStatus
vt_gpu_glrlm_primitives(VtDevice *device, const VtGlrlmWindows *args, const VtCancel *cancel)
{
  const uint32_t directions = args->aggregates & 15, entropy = 1u << VT_GLRLM_RE;
  VtGpuUse use(device);
  VtGpuGlrlmArgs plain;
  VtGpuGlrlmMaps maps, others;
  void *scratch = NULL;
  VT_GPU_TRY(device, use.status());
  VT_TRY(vt_gpu_glrlm_check(args));
  VT_TRY(vt_gpu_glrlm_check_levels(device, &args->src, args->n_levels));
  vt_gpu_glrlm_unpack(args, &plain, &maps);
  others = maps;
  for (int d = 0; d < VT_GLRLM_N_DIRECTIONS; d++)
    for (int f = 0; f < VT_GLRLM_RE; f++)
      others.map[d][f].data = NULL;
  VitrailStatus status = VITRAIL_OK;
  if (directions && (args->features & ~entropy))
    status = run_directions(device, plain, maps, directions, cancel);
  if (status == VITRAIL_OK && (args->aggregates >> VT_GLRLM_MEAN || (args->features & entropy))) {
    VT_TRY(vt_gpu_scratch(device, vt_gpu_glrlm_exact_bytes(device, &plain), &scratch));
    status = vt_gpu_glrlm_exact_all(device, &plain, &others, args->features, scratch, cancel);
  }
  if (status != VITRAIL_OK)
    cudaStreamSynchronize(device->stream);
  return status;
}
