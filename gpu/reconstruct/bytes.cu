/* SPDX-License-Identifier: MIT
 *
 * bytes.cu: reconstruction of 8-bit images by active tiles, in one launch: a warp per tile, a queue on the device.
 *
 * A tile is owned by one warp at a time. It takes the tile with its halo, brings it to rest, writes it back and queues
 * the neighbours that have a pixel which can rise. A halo may be read while its owner writes it: values only rise, so
 * an old one asks for a visit too many at worst, and who raises a pixel queues those who may not have seen it. */
#include "../gpu.h"
#include "bytes-queue.cuh"
#include "bytes.cuh"
#include "reconstruct.cuh"

#ifndef R_WARPS
#define R_WARPS 2
#define R_BLOCKS 8
#define R_CAP 4
#define R_SMALL 4096
#endif
enum { WARP = 32, TILE = VT_BYTES_TILE, N_WARPS = R_WARPS, N_RESIDENT_BLOCKS = R_BLOCKS, N_SIDES = 4 };
/* Sweeps of an 8-connected visit that may be stopped: the neighbours can use what there is. */
enum { MAX_SWEEPS_STOPPED = R_CAP, SMALL_IMAGE = R_SMALL };
enum { MIN_THIN_VISITS = 256, VISITS_PER_LAUNCH = 64, MAX_TILES = 1 << 24 };

/* A warp's part of the shared memory, in words. A side of the halo is 64 pixels from SIDE_PIXELS on, with the corners
 * beside them: above, below, left, right. */
enum { SIDE_BYTES = 96, SIDE_PIXELS = 16, SIDES_WORDS = N_SIDES * SIDE_BYTES / 4 };
enum { MARKER = 0, MASK = VT_BYTES_WORDS, TURNED = 2 * VT_BYTES_WORDS };
enum { HALO = TURNED + VT_BYTES_WORDS, LIMIT = HALO + SIDES_WORDS, STORE = LIMIT + SIDES_WORDS };

/* Of the tile: its first pixel, and how much of it lies in the image. whole: its rows do, and are aligned. */
struct Place {
  int64_t x0, y0;
  uint32_t column, row;
  int n_columns, n_rows;
  bool whole, above, below, left, right;
};

static __device__ __forceinline__ Place
place_of(const VtBytesQueue &queue, const VtGpuView<uint8_t> &image, uint32_t index, bool aligned)
{
  Place place;
  place.column = index % queue.n_columns;
  place.row = index / queue.n_columns;
  place.x0 = static_cast<int64_t>(place.column) * TILE;
  place.y0 = static_cast<int64_t>(place.row) * TILE;
  place.n_columns = static_cast<int>(min(image.width - place.x0, static_cast<int64_t>(TILE)));
  place.n_rows = static_cast<int>(min(image.height - place.y0, static_cast<int64_t>(TILE)));
  place.whole = aligned && place.n_columns == TILE;
  place.above = place.row > 0;
  place.left = place.column > 0;
  place.below = place.row + 1 < queue.n_rows;
  place.right = place.column + 1 < queue.n_columns;
  return place;
}

/* 16 bytes of global memory, past L1, to a word of shared memory; zeros unless `inside`. The copy may still be under way
 * until finish_copies. */
static __device__ __forceinline__ void
begin_copy(uint32_t *store, int at, const char *from, bool inside)
{
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(
                 static_cast<uint32_t>(__cvta_generic_to_shared(&store[at]))),
               "l"(from), "r"(inside ? 16 : 0)
               : "memory");
#else
  *reinterpret_cast<uint4 *>(&store[at]) = inside ? __ldcg(reinterpret_cast<const uint4 *>(from)) : uint4{ 0, 0, 0, 0 };
#endif
}

static __device__ __forceinline__ void
finish_copies(void)
{
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_all;" ::: "memory");
#endif
}

/* Outside the image both are 0: nothing rises there. */
static __device__ __forceinline__ void
begin_whole(uint32_t *store, int at, const VtGpuView<uint8_t> &image, const Place &place, int lane)
{
  const int line = lane / 4, chunk = lane % 4;
  const char *first = image.data + place.y0 * image.stride + place.x0 + 16 * chunk, *from = first + line * image.stride;
#pragma unroll
  for (int n = 0; n < 8; n++, from += 8 * image.stride) {
    const bool inside = 8 * n + line < place.n_rows;
    begin_copy(store, at + vt_bytes_chunk(8 * n + line, chunk), inside ? from : first, inside);
  }
}

static __device__ __noinline__ void
load_pixels(uint32_t *words, const VtGpuView<uint8_t> &image, const Place &place, int lane)
{
#pragma unroll 1
  for (int n = lane; n < TILE * VT_BYTES_LINE; n += WARP) {
    const int row = n / VT_BYTES_LINE, word = n % VT_BYTES_LINE;
    const volatile uint8_t *pixels = image.row(place.y0 + row) + place.x0 + 4 * word;
    uint32_t value = 0;
    for (int k = 0; k < 4; k++)
      if (row < place.n_rows && 4 * word + k < place.n_columns)
        value |= static_cast<uint32_t>(pixels[k]) << 8 * k;
    words[vt_bytes_place(row, word / 2) + word % 2] = value;
  }
}

static __device__ __forceinline__ void
store_whole(uint32_t *store, int at, const VtGpuView<uint8_t> &marker, const Place &place, int lane)
{
  const int line = lane / 4, chunk = lane % 4;
  char *to = marker.data + (place.y0 + line) * marker.stride + place.x0 + 16 * chunk;
#pragma unroll
  for (int n = 0; n < 8; n++, to += 8 * marker.stride)
    if (8 * n + line < place.n_rows)
      __stcg(reinterpret_cast<uint4 *>(to),
             *reinterpret_cast<const uint4 *>(&store[at + vt_bytes_chunk(8 * n + line, chunk)]));
}

static __device__ __noinline__ void
store_pixels(const uint32_t *words, const VtGpuView<uint8_t> &image, const Place &place, int lane)
{
#pragma unroll 1
  for (int n = lane; n < TILE * VT_BYTES_LINE; n += WARP) {
    const int row = n / VT_BYTES_LINE, word = n % VT_BYTES_LINE;
    volatile uint8_t *pixels = image.row(place.y0 + row) + place.x0 + 4 * word;
    const uint32_t value = words[vt_bytes_place(row, word / 2) + word % 2];
    for (int k = 0; k < 4; k++)
      if (row < place.n_rows && 4 * word + k < place.n_columns)
        pixels[k] = static_cast<uint8_t>(value >> 8 * k);
  }
}

/* What of the halo goes through registers: two pixels left and two right, a corner in lanes 0..3, and when the tile is
 * not whole two above and below. 0 outside the image. */
struct Halo {
  uint8_t pixel[N_SIDES][2], corner;
};

/* No load waits for another: where there is no pixel one of the tile's own is loaded instead. */
static __device__ __forceinline__ Halo
begin_halo(uint32_t *store, int at, const VtGpuView<uint8_t> &image, const Place &place, int lane)
{
  const char *first = image.data + place.y0 * image.stride + place.x0;
  const volatile uint8_t *pixels = reinterpret_cast<const volatile uint8_t *>(first);
  const int64_t stride = image.stride;
  const bool corner = lane < 4 && (lane & 1 ? place.right : place.left) && (lane & 2 ? place.below : place.above);
  Halo halo = {};
#pragma unroll
  for (int k = 0; k < 2; k++) {
    const int n = lane + k * WARP;
    const int64_t along = n < place.n_rows ? n * stride : 0;
    halo.pixel[2][k] = pixels[along - (place.left ? 1 : 0)];
    halo.pixel[3][k] = pixels[along + (place.right ? +TILE : 0)];
  }
  halo.corner = pixels[corner ? (lane & 2 ? TILE * stride : -stride) + (lane & 1 ? +TILE : -1) : 0];
  if (place.whole && lane < 8) {
    const int side = lane / 4, chunk = lane % 4;
    const bool inside = side ? place.below : place.above;
    begin_copy(store, at + (side * SIDE_BYTES + SIDE_PIXELS) / 4 + 4 * chunk,
               first + (inside ? side ? TILE * stride : -stride : 0) + 16 * chunk, inside);
  }
  if (!place.whole)
    for (int k = 0; k < 2; k++) {
      const int n = lane + k * WARP;
      halo.pixel[0][k] = place.above && n < place.n_columns ? pixels[n - stride] : 0;
      halo.pixel[1][k] = place.below && n < place.n_columns ? pixels[n + TILE * stride] : 0;
    }
#pragma unroll
  for (int k = 0; k < 2; k++) {
    const bool inside = lane + k * WARP < place.n_rows;
    halo.pixel[2][k] = place.left && inside ? halo.pixel[2][k] : 0;
    halo.pixel[3][k] = place.right && inside ? halo.pixel[3][k] : 0;
  }
  halo.corner = corner ? halo.corner : 0;
  return halo;
}

static __device__ __forceinline__ void
keep_halo(uint32_t *store, int at, const Halo &halo, const Place &place, int lane)
{
  uint8_t *kept = reinterpret_cast<uint8_t *>(&store[at]) + SIDE_PIXELS;
#pragma unroll
  for (int k = 0; k < 2; k++) {
    kept[2 * SIDE_BYTES + lane + k * WARP] = halo.pixel[2][k];
    kept[3 * SIDE_BYTES + lane + k * WARP] = halo.pixel[3][k];
    if (!place.whole) {
      kept[lane + k * WARP] = halo.pixel[0][k];
      kept[SIDE_BYTES + lane + k * WARP] = halo.pixel[1][k];
    }
  }
  if (lane < 4) {
    kept[(lane >> 1) * SIDE_BYTES + (lane & 1 ? +TILE : -1)] = halo.corner;
    kept[(2 + (lane & 1)) * SIDE_BYTES + (lane & 2 ? +TILE : -1)] = halo.corner;
  }
}

/* Where pixel n of the tile's side is, in bytes from the tile's first word. */
static __device__ __forceinline__ int
side_byte(int side, int n)
{
  const int across = side & 1 ? TILE - 1 : 0;
  const int x = side < 2 ? n : across, y = side < 2 ? across : n;
  return 4 * vt_bytes_place(y, x >> 3) + (x & 7);
}

/* The halo does not change during a visit: what it can do to the tile is done once, here. */
template <bool DIAGONALS>
static __device__ __forceinline__ bool
absorb_halo(uint32_t *store, int base, int lane)
{
  uint8_t *marker = reinterpret_cast<uint8_t *>(&store[base + MARKER]);
  const uint8_t *mask = reinterpret_cast<const uint8_t *>(&store[base + MASK]);
  const uint8_t *halo = reinterpret_cast<const uint8_t *>(&store[base + HALO]) + SIDE_PIXELS + lane;
  bool rose = false;
#pragma unroll 1
  for (int side = 0; side < N_SIDES; side++, halo += SIDE_BYTES) {
#pragma unroll
    for (int k = 0; k < 2; k++) {
      const int at = side_byte(side, lane + k * WARP);
      int best = halo[k * WARP];
      if (DIAGONALS)
        best = max(best, max(halo[k * WARP - 1], halo[k * WARP + 1]));
      best = min(best, static_cast<int>(mask[at]));
      if (best > marker[at]) {
        marker[at] = static_cast<uint8_t>(best);
        rose = true;
      }
    }
    __syncwarp();
  }
  return __any_sync(~0u, rose);
}

/* Sweeps along columns, then rows, until neither has anything to do, or max_sweeps are over. Bit 0 of the answer: a
 * pixel rose; bit 1: not at rest. */
template <bool DIAGONALS>
static __device__ __forceinline__ uint32_t
settle(uint32_t marker, int max_sweeps, int lane)
{
  uint32_t answer = 2;
  bool turned = false;
#pragma unroll 1
  for (int n = 0, quiet = 0; n < max_sweeps; n++) {
    const uint32_t mask = marker + 4 * (turned ? TURNED - MARKER : MASK - MARKER);
    const uint32_t rose = vt_bytes_sweep<DIAGONALS>(marker, mask, lane);
    answer |= rose & 1u;
    quiet = rose & 2u ? 0 : rose & 1u ? 1 : quiet + 1; /* a sweep may leave its own directions at rest */
    if (quiet == 2) {
      answer &= 1u;
      break;
    }
    vt_bytes_turn(marker, marker, lane);
    turned = !turned;
  }
  if (turned)
    vt_bytes_turn(marker, marker, lane);
  return answer;
}

/* Bit (dy + 1) * 3 + dx + 1 for each neighbour (dx,dy) with a pixel of the halo that can rise. */
template <bool DIAGONALS>
static __device__ __forceinline__ uint32_t
neighbours_to_wake(const uint32_t *store, int base, int lane)
{
  const uint8_t *pixels = reinterpret_cast<const uint8_t *>(&store[base + MARKER]);
  const uint8_t *halos = reinterpret_cast<const uint8_t *>(&store[base + HALO]) + SIDE_PIXELS;
  const uint8_t *limits = reinterpret_cast<const uint8_t *>(&store[base + LIMIT]) + SIDE_PIXELS;
  uint32_t wake = 0;
#pragma unroll 1
  for (int side = 0; side < N_SIDES; side++) {
    const uint8_t *halo = halos + side * SIDE_BYTES + lane, *limit = limits + side * SIDE_BYTES + lane;
    const int a = pixels[side_byte(side, lane)], b = pixels[side_byte(side, lane + WARP)];
    int best_a = a, best_b = b;
    if (DIAGONALS) {
      const int a_before = __shfl_up_sync(~0u, a, 1), b_after = __shfl_down_sync(~0u, b, 1);
      const int a_after = __shfl_sync(~0u, lane == 0 ? b : a, (lane + 1) % WARP);
      const int b_before = __shfl_sync(~0u, lane == WARP - 1 ? a : b, (lane + WARP - 1) % WARP);
      best_a = max(a, max(a_before, a_after));
      best_b = max(b, max(b_before, b_after));
    }
    const bool can = halo[0] < min(best_a, static_cast<int>(limit[0]))
                     || halo[WARP] < min(best_b, static_cast<int>(limit[WARP]));
    if (__any_sync(~0u, can))
      wake |= 1u << (side < 2 ? 1 + 6 * side : side == 2 ? 3 : 5);
  }
  if (!DIAGONALS)
    return wake;
  const int side = lane >> 1 & 1, end = lane & 1, at = side * SIDE_BYTES + (end ? +TILE : -1);
  const int best = pixels[side_byte(side, end ? TILE - 1 : 0)];
  const bool can = lane < 4 && halos[at] < min(best, static_cast<int>(limits[at]));
  const uint32_t corners = __ballot_sync(~0u, can);
  return wake | (corners & 1u) | (corners & 2u) << 1 | (corners & 4u) << 4 | (corners & 8u) << 5;
}

static __device__ __forceinline__ void
load_tile(uint32_t *store, int base, const VtGpuView<uint8_t> &marker, const VtGpuView<uint8_t> &mask,
          const Place &place, int lane)
{
  if (place.whole) {
    begin_whole(store, base + MARKER, marker, place, lane);
    begin_whole(store, base + MASK, mask, place, lane);
  } else {
    load_pixels(&store[base + MARKER], marker, place, lane);
    load_pixels(&store[base + MASK], mask, place, lane);
  }
  const Halo halo = begin_halo(store, base + HALO, marker, place, lane);
  const Halo limit = begin_halo(store, base + LIMIT, mask, place, lane);
  keep_halo(store, base + HALO, halo, place, lane);
  keep_halo(store, base + LIMIT, limit, place, lane);
  finish_copies();
  __syncwarp();
}

/* The answer: the neighbours to wake. */
template <bool DIAGONALS>
static __device__ __forceinline__ uint32_t
store_tile(uint32_t *store, int base, const VtGpuView<uint8_t> &marker, const Place &place, int lane)
{
  const Halo now = begin_halo(store, base + HALO, marker, place, lane);
  if (place.whole)
    store_whole(store, base + MARKER, marker, place, lane);
  else
    store_pixels(&store[base + MARKER], marker, place, lane);
  keep_halo(store, base + HALO, now, place, lane);
  finish_copies();
  __syncwarp();
  return neighbours_to_wake<DIAGONALS>(store, base, lane);
}

/* The answer of lane 0: how many tiles have been queued so far. */
template <bool DIAGONALS>
static __device__ __forceinline__ uint32_t
visit(uint32_t *store, int base, const VtGpuView<uint8_t> &marker, const VtGpuView<uint8_t> &mask,
      const VtBytesQueue &queue, uint32_t index, bool aligned, int lane)
{
  uint32_t before = 0, wake = 0, answer = 0;
  const Place place = place_of(queue, marker, index, aligned);
  if (lane == 0)
    before = atomicExch(&queue.state[index], VT_BYTES_RUNNING | VT_BYTES_VISITED);
  before = __shfl_sync(~0u, before, 0);
  vt_bytes_fence(); /* pairs with the fence of who wrote the tile or its halo, below */
  load_tile(store, base, marker, mask, place, lane);
  const bool entered = absorb_halo<DIAGONALS>(store, base, lane);
  if (entered || before != (VT_BYTES_QUEUED | VT_BYTES_VISITED)) {
    const bool stop = DIAGONALS && (!(before & VT_BYTES_VISITED) || queue.n_columns * queue.n_rows <= SMALL_IMAGE);
    const uint32_t address = static_cast<uint32_t>(__cvta_generic_to_shared(&store[base]));
    vt_bytes_turn(address + 4 * TURNED, address + 4 * MASK, lane);
    answer = settle<DIAGONALS>(address + 4 * MARKER, stop ? MAX_SWEEPS_STOPPED : INT32_MAX, lane);
    if (entered || (answer & 1u))
      wake = store_tile<DIAGONALS>(store, base, marker, place, lane);
    vt_bytes_fence();
  }
  __syncwarp();
  return vt_bytes_leave(queue, index, place.column, place.row, wake, answer & 2u, lane);
}

template <bool DIAGONALS>
static __global__ void __launch_bounds__(N_WARPS * WARP, N_RESIDENT_BLOCKS)
visit_tiles(VtGpuView<uint8_t> marker, VtGpuView<uint8_t> mask, VtBytesQueue queue, bool aligned)
{
  extern __shared__ __align__(16) uint32_t store[];
  const int lane = threadIdx.x % WARP, base = threadIdx.x / WARP * STORE;
  uint32_t next = vt_bytes_no_ticket, tail = queue.n_columns * queue.n_rows;
  if (vt_bytes_read(&queue.words[VT_BYTES_WRONG]))
    return;
  for (;;) {
    uint32_t index = vt_bytes_no_tile, ticket = next;
    if (lane == 0) {
      index = vt_bytes_take(queue, &ticket);
      if (index != vt_bytes_no_tile)
        next = vt_bytes_ticket_ahead(queue, ticket, tail);
    }
    index = __shfl_sync(~0u, index, 0);
    if (index == vt_bytes_no_tile)
      return;
    tail = visit<DIAGONALS>(store, base, marker, mask, queue, index, aligned, lane);
  }
}

static VitrailStatus
make_queue(VtDevice *device, const VtImage *marker, VtBytesQueue *queue)
{
  const int64_t n_columns = vt_gpu_blocks(marker->width, TILE), n_rows = vt_gpu_blocks(marker->height, TILE);
  if (n_columns > MAX_TILES / n_rows)
    return VITRAIL_UNSUPPORTED;
  const int64_t n = n_columns * n_rows, n_slots = n + 2 * N_WARPS * N_RESIDENT_BLOCKS * device->n_multiprocessors;
  void *scratch = NULL;
  VT_TRY(vt_gpu_scratch(device, static_cast<size_t>(n + n_slots) * sizeof(uint32_t), &scratch));
  queue->state = static_cast<uint32_t *>(scratch);
  queue->slots = queue->state + n;
  queue->words = device->words;
  queue->n_slots = static_cast<uint32_t>(n_slots);
  queue->n_columns = static_cast<uint32_t>(n_columns);
  queue->n_rows = static_cast<uint32_t>(n_rows);
  /* As long as the host would take: it needs time for each pixel, too. */
  const int64_t thin_visits = n / 4;
  queue->max_thin_time = 64 * static_cast<uint32_t>(thin_visits > MIN_THIN_VISITS ? thin_visits : +MIN_THIN_VISITS);
  queue->max_visits = static_cast<uint32_t>(VISITS_PER_LAUNCH * (n + 64));
  return VITRAIL_OK;
}

static VitrailStatus
launch_visits(VtDevice *device, const VtReconstruct *args, const VtBytesQueue &queue)
{
  const VtGpuView<uint8_t> marker(args->marker), mask(args->mask);
  const uintptr_t places = reinterpret_cast<uintptr_t>(marker.data) | reinterpret_cast<uintptr_t>(mask.data);
  const bool aligned = (places | static_cast<uintptr_t>(marker.stride | mask.stride)) % sizeof(uint4) == 0;
  const int64_t room = N_RESIDENT_BLOCKS * device->n_multiprocessors;
  const int64_t blocks = vt_gpu_blocks(static_cast<int64_t>(queue.n_columns) * queue.n_rows, N_WARPS);
  void (*kernel)(VtGpuView<uint8_t>, VtGpuView<uint8_t>, VtBytesQueue, bool) =
    args->connectivity == 8 ? visit_tiles<true> : visit_tiles<false>;
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(static_cast<unsigned>(blocks < room ? blocks : room));
  config.blockDim = dim3(N_WARPS * WARP);
  config.dynamicSmemBytes = N_WARPS * STORE * sizeof(uint32_t);
  config.stream = device->stream;
  VT_GPU_TRY(device, cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                          static_cast<int>(config.dynamicSmemBytes)));
  VT_GPU_TRY(device, cudaLaunchKernelEx(&config, kernel, marker, mask, queue, aligned));
  return VITRAIL_OK;
}

VitrailStatus
vt_gpu_reconstruct_bytes(VtDevice *device, const VtReconstruct *args, const VtCancel *cancel)
{
  VtBytesQueue queue;
  VT_TRY(make_queue(device, &args->marker, &queue));
  for (;;) { /* a launch that ends early has made at least as many visits as there are tiles */
    if (vt_cancelled(cancel)) {
      vt_gpu_sync(device);
      return VITRAIL_CANCELLED;
    }
    VT_TRY(vt_gpu_launch(device, "fill_queue", vt_bytes_fill_queue, vt_gpu_blocks(queue.n_slots, 256), 256, queue));
    VT_TRY(launch_visits(device, args, queue));
    VT_TRY(vt_gpu_read_words(device));
    if (device->words_host[VT_BYTES_WRONG])
      return VITRAIL_BAD_ARGUMENT;
    if (device->words_host[VT_BYTES_LEFT] == 0)
      return VITRAIL_OK;
    if (device->words_host[VT_BYTES_THIN_TIME] > queue.max_thin_time)
      return vt_gpu_reconstruct_on_host(device, args, cancel);
  }
}
