/* SPDX-License-Identifier: MIT
 *
 * tile-run.cuh: the launch that visits tiles until none is left, a warp per tile, for any kind of pixels. Tiles is what it
 * works on, a functor of
 *
 *   enum { N_WARPS, N_BLOCKS, STORE };   of a block; of a multiprocessor; words of shared memory of a warp
 *   VtTileQueue queue;
 *   uint32_t visit(uint32_t *store, uint32_t tile, uint32_t before, VtTileAt at, int lane) const;
 *
 * visit() takes the tile with its halo, works on it until no pixel changes, writes it back, and answers, in all lanes, with
 * the neighbours (bit (dy + 1) * 3 + dx + 1) that have a pixel which can rise, and VT_TILE_NOT_AT_REST. before: the tile's state. A halo may
 * be read while its owner writes it: values only rise, so an old one asks for a visit too many at worst, and who raises a
 * pixel queues those who may not have seen it. */
#pragma once

#include "reconstruct.cuh"
#include "tile-queue.cuh"

enum { VT_TILE_NOT_AT_REST = 1 << 9, VT_TILE_WARP = 32 };
enum { VT_TILE_MIN_THIN_VISITS = 64, VT_TILE_VISITS_PER_LAUNCH = 64, VT_TILE_MOST = 1 << 24 };

/* Where a tile is among the tiles, and on which sides it has neighbours. */
struct VtTileAt {
  uint32_t column, row;
  bool above, below, left, right;
};

static __device__ __forceinline__ VtTileAt
vt_tile_at(const VtTileQueue &queue, uint32_t tile)
{
  VtTileAt at;
  at.column = tile % queue.n_columns;
  at.row = tile / queue.n_columns;
  at.above = at.row > 0;
  at.left = at.column > 0;
  at.below = at.row + 1 < queue.n_rows;
  at.right = at.column + 1 < queue.n_columns;
  return at;
}

/* Whether the tile may have something to do without anything coming in. */
static __device__ __forceinline__ bool
vt_tile_is_fresh(uint32_t before)
{
  return before != (VT_TILE_QUEUED | VT_TILE_VISITED);
}

/* The answer of lane 0: how many tiles have been queued so far. */
template <typename Tiles>
static __device__ __forceinline__ uint32_t
vt_tile_visit(const Tiles &tiles, uint32_t *store, uint32_t tile, int lane)
{
  const VtTileQueue &queue = tiles.queue;
  const VtTileAt at = vt_tile_at(queue, tile);
  const uint32_t before = vt_tile_enter(queue, tile, lane);
  const uint32_t answer = tiles.visit(store, tile, before, at, lane);
  vt_tile_fence(); /* pairs with vt_tile_enter of who visits the tile or a neighbour next */
  __syncwarp();
  return vt_tile_leave(queue, tile, at.column, at.row, answer & 0x1ffu, answer & VT_TILE_NOT_AT_REST, lane);
}

template <typename Tiles>
static __global__ void
__launch_bounds__(Tiles::N_WARPS *VT_TILE_WARP, Tiles::N_BLOCKS) vt_tile_visits(const __grid_constant__ Tiles tiles)
{
  extern __shared__ __align__(16) uint32_t stores[];
  const int lane = threadIdx.x % VT_TILE_WARP;
  uint32_t *store = stores + threadIdx.x / VT_TILE_WARP * Tiles::STORE;
  uint32_t next = vt_tile_no_ticket, tail = tiles.queue.n_columns * tiles.queue.n_rows;
  if (vt_tile_read(&tiles.queue.words[VT_TILE_WRONG]))
    return;
  for (;;) {
    uint32_t tile = vt_tile_no_tile, ticket = next;
    if (lane == 0) {
      tile = vt_tile_take(tiles.queue, &ticket);
      if (tile != vt_tile_no_tile)
        next = vt_tile_ticket_ahead(tiles.queue, ticket, tail);
    }
    tile = __shfl_sync(~0u, tile, 0);
    if (tile == vt_tile_no_tile)
      return;
    tail = vt_tile_visit(tiles, store, tile, lane);
  }
}

/* A queue for tiles of width x height pixels, in scratch, behind `own_bytes` for each tile, a multiple of 4. */
static VitrailStatus
vt_tile_queue_new(VtDevice *device, const VtImage *image, int64_t width, int64_t height, int64_t n_warps,
                  int64_t own_bytes, int64_t visits_of_host, VtTileQueue *queue, void **own)
{
  const int64_t n_columns = vt_gpu_blocks(image->width, width), n_rows = vt_gpu_blocks(image->height, height);
  if (n_columns > VT_TILE_MOST / n_rows)
    return VITRAIL_UNSUPPORTED;
  const int64_t n = n_columns * n_rows, n_slots = n + 2 * n_warps * device->n_multiprocessors;
  VT_TRY(vt_gpu_scratch(device, static_cast<size_t>(own_bytes * n + (n + n_slots) * 4), own));
  queue->state = reinterpret_cast<uint32_t *>(static_cast<char *>(*own) + own_bytes * n);
  queue->slots = queue->state + n;
  queue->words = device->words;
  queue->n_slots = static_cast<uint32_t>(n_slots);
  queue->n_columns = static_cast<uint32_t>(n_columns);
  queue->n_rows = static_cast<uint32_t>(n_rows);
  /* A third of what the host needs to look at all pixels; images that are no corridors make do with a dozen. */
  const int64_t thin = n / visits_of_host;
  queue->max_thin_time = 64 * static_cast<uint32_t>(thin > VT_TILE_MIN_THIN_VISITS ? thin : +VT_TILE_MIN_THIN_VISITS);
  queue->max_visits = static_cast<uint32_t>(VT_TILE_VISITS_PER_LAUNCH * (n + 64));
  return VITRAIL_OK;
}

template <typename Tiles>
static VitrailStatus
vt_tile_launch(VtDevice *device, const Tiles &tiles)
{
  const int64_t room = Tiles::N_BLOCKS * device->n_multiprocessors;
  const int64_t blocks =
    vt_gpu_blocks(static_cast<int64_t>(tiles.queue.n_columns) * tiles.queue.n_rows, Tiles::N_WARPS);
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(static_cast<unsigned>(blocks < room ? blocks : room));
  config.blockDim = dim3(Tiles::N_WARPS * VT_TILE_WARP);
  config.dynamicSmemBytes = Tiles::N_WARPS * Tiles::STORE * sizeof(uint32_t);
  config.stream = device->stream;
  VT_GPU_TRY(device, cudaFuncSetAttribute(vt_tile_visits<Tiles>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                          static_cast<int>(config.dynamicSmemBytes)));
  VT_GPU_TRY(device, cudaLaunchKernelEx(&config, vt_tile_visits<Tiles>, tiles));
  return VITRAIL_OK;
}

/* Visits until no pixel changes; a corridor is left to the host. VT_TILE_WRONG, set by a kernel before, refuses. */
template <typename Tiles>
static VitrailStatus
vt_tile_run(VtDevice *device, const VtReconstruct *args, const Tiles &tiles, const VtCancel *cancel)
{
  for (;;) { /* a launch that ends early has made at least as many visits as there are tiles */
    if (vt_cancelled(cancel)) {
      vt_gpu_sync(device);
      return VITRAIL_CANCELLED;
    }
    VT_TRY(vt_gpu_launch(device, "fill_queue", vt_tile_fill_queue, vt_gpu_blocks(tiles.queue.n_slots, 256), 256,
                         tiles.queue));
    VT_TRY(vt_tile_launch(device, tiles));
    VT_TRY(vt_gpu_read_words(device));
    if (device->words_host[VT_TILE_WRONG])
      return VITRAIL_BAD_ARGUMENT;
    if (device->words_host[VT_TILE_LEFT] == 0)
      return VITRAIL_OK;
    if (device->words_host[VT_TILE_THIN_TIME] > tiles.queue.max_thin_time)
      return vt_gpu_reconstruct_other(device, args, vt_gpu_reconstruct_on_host, cancel);
  }
}
