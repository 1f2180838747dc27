/* SPDX-License-Identifier: MIT
 *
 * bytes.cu: reconstruction of 8-bit images by active tiles (tile-run.cuh) of 64x64 pixels in shared memory. By erosion
 * pixels are complemented on their way in and out. */
#include "../gpu.h"
#include "bytes.cuh"
#include "tile-run.cuh"

enum { WARP = VT_TILE_WARP, TILE = VT_BYTES_TILE, N_SIDES = 4, VISITS_OF_HOST = 16 };
/* Sweeps of a visit that may be stopped: the neighbours can use what there is. An odd number leaves the tile as it was
 * turned. SMALL_IMAGE: tiles of an image in which every visit may be. */
enum { MAX_SWEEPS_STOPPED = 3, SMALL_IMAGE = 4096 };

/* A warp's part of the shared memory, in words. A side of the halo is 64 pixels from SIDE_PIXELS on, with the corners
 * beside them: above, below, left, right. */
enum { SIDE_BYTES = 96, SIDE_PIXELS = 16, SIDES_WORDS = N_SIDES * SIDE_BYTES / 4 };
enum { MARKER = 0, MASK = VT_BYTES_WORDS, HALO = MASK + VT_BYTES_WORDS, LIMIT = HALO + SIDES_WORDS };
enum { STORE_WORDS = LIMIT + SIDES_WORDS };

/* Of the tile: its first pixel, and how much of it lies in the image. whole: its rows do, and are aligned. */
struct Place : VtTileAt {
  int64_t x0, y0;
  int n_columns, n_rows;
  bool whole;
};

static __device__ __forceinline__ Place
place_of(const VtTileAt &at, const VtGpuView<uint8_t> &image, bool aligned)
{
  Place place;
  static_cast<VtTileAt &>(place) = at;
  place.x0 = static_cast<int64_t>(place.column) * TILE;
  place.y0 = static_cast<int64_t>(place.row) * TILE;
  place.n_columns = static_cast<int>(min(image.width - place.x0, static_cast<int64_t>(TILE)));
  place.n_rows = static_cast<int>(min(image.height - place.y0, static_cast<int64_t>(TILE)));
  place.whole = aligned && place.n_columns == TILE;
  return place;
}

static __device__ __forceinline__ char *
first_pixel(const VtGpuView<uint8_t> &image, const Place &place)
{
  return image.data + place.y0 * image.stride + place.x0;
}

/* 16 bytes of global memory, past L1, to a word of shared memory; zeros unless `inside`. The copy may still be under way
 * until finish_copies. */
static __device__ __forceinline__ void
begin_copy(uint32_t *store, int at, const char *from, bool inside)
{
#if __CUDA_ARCH__ >= 800
  asm volatile(
    "cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(static_cast<uint32_t>(__cvta_generic_to_shared(&store[at]))),
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
  const char *first = first_pixel(image, place) + 16 * chunk, *from = first + line * image.stride;
#pragma unroll
  for (int n = 0; n < 8; n++, from += 8 * image.stride) {
    const bool inside = 8 * n + line < place.n_rows;
    begin_copy(store, at + vt_bytes_chunk(8 * n + line, chunk), inside ? from : first, inside);
  }
}

static __device__ __forceinline__ void
flip_chunk(uint32_t *store, int at)
{
  uint4 *chunk = reinterpret_cast<uint4 *>(&store[at]);
  *chunk = uint4{ ~chunk->x, ~chunk->y, ~chunk->z, ~chunk->w };
}

/* What this lane copied with begin_whole. This function and the next two have plain arguments: what they took the address of
 * would lie in memory for all of the kernel. */
static __device__ __noinline__ void
flip_whole(uint32_t *store, int at, int n_rows, int lane)
{
#pragma unroll 1
  for (int y = lane / 4; y < n_rows; y += 8)
    flip_chunk(store, at + vt_bytes_chunk(y, lane % 4));
}

static __device__ __noinline__ void
load_pixels(uint32_t *words, const char *first, int64_t stride, int n_columns, int n_rows, uint32_t flip, int lane)
{
#pragma unroll 1
  for (int n = lane; n < TILE * VT_BYTES_LINE; n += WARP) {
    const int row = n / VT_BYTES_LINE, word = n % VT_BYTES_LINE;
    const volatile uint8_t *pixels = reinterpret_cast<const volatile uint8_t *>(first + row * stride + 4 * word);
    uint32_t value = 0;
    for (int k = 0; k < 4; k++)
      if (row < n_rows && 4 * word + k < n_columns)
        value |= ((pixels[k] ^ flip) & 255u) << 8 * k;
    words[vt_bytes_place(row, word / 2) + word % 2] = value;
  }
}

static __device__ __forceinline__ void
store_whole(uint32_t *store, int at, const VtGpuView<uint8_t> &marker, const Place &place, uint32_t flip, int lane)
{
  const int line = lane / 4, chunk = lane % 4;
  char *to = marker.data + (place.y0 + line) * marker.stride + place.x0 + 16 * chunk;
#pragma unroll
  for (int n = 0; n < 8; n++, to += 8 * marker.stride)
    if (8 * n + line < place.n_rows) {
      const uint4 v = *reinterpret_cast<const uint4 *>(&store[at + vt_bytes_chunk(8 * n + line, chunk)]);
      __stcg(reinterpret_cast<uint4 *>(to), uint4{ v.x ^ flip, v.y ^ flip, v.z ^ flip, v.w ^ flip });
    }
}

static __device__ __noinline__ void
store_pixels(const uint32_t *words, char *first, int64_t stride, int n_columns, int n_rows, uint32_t flip, int lane)
{
#pragma unroll 1
  for (int n = lane; n < TILE * VT_BYTES_LINE; n += WARP) {
    const int row = n / VT_BYTES_LINE, word = n % VT_BYTES_LINE;
    volatile uint8_t *pixels = reinterpret_cast<volatile uint8_t *>(first + row * stride + 4 * word);
    const uint32_t value = words[vt_bytes_place(row, word / 2) + word % 2] ^ flip;
    for (int k = 0; k < 4; k++)
      if (row < n_rows && 4 * word + k < n_columns)
        pixels[k] = static_cast<uint8_t>(value >> 8 * k);
  }
}

/* The first and last columns of all tiles, 64 bytes each, so that a halo's columns are not gathered from 64 lines. */
struct Sides {
  uint8_t *columns; /* of tile t: 2 * t the first, 2 * t + 1 the last */
  __device__ uint8_t *column(uint32_t tile, int last) const
  {
    return columns + (2 * static_cast<size_t>(tile) + last) * TILE;
  }
};

static __device__ __forceinline__ bool
has_corner(const Place &place, int lane)
{
  return lane < 4 && (lane & 1 ? place.right : place.left) && (lane & 2 ? place.below : place.above);
}

/* Begins to copy the halo, 0 outside the image; the answer is lane n's corner, for keep_corner. Nothing waits for it here. */
static __device__ __forceinline__ uint8_t
begin_halo(uint32_t *store, int at, const VtGpuView<uint8_t> &image, const Sides &sides, uint32_t tile,
           const Place &place, uint32_t flip, int lane)
{
  const char *first = first_pixel(image, place), *from = first;
  const int side = lane / 4;
  const bool corner = has_corner(place, lane);
  const int64_t corner_at = (lane & 2 ? TILE * image.stride : -image.stride) + (lane & 1 ? +TILE : -1);
  const uint8_t value = *reinterpret_cast<const volatile uint8_t *>(first + (corner ? corner_at : 0));
  bool inside = place.left;
  if (side < 2) {
    inside = side ? place.below : place.above;
    from += inside ? side ? TILE * image.stride : -image.stride : 0;
  } else if (side == 3) {
    inside = place.right;
    from = reinterpret_cast<const char *>(sides.column(inside ? tile + 1 : tile, 0));
  } else {
    from = reinterpret_cast<const char *>(sides.column(inside ? tile - 1 : tile, 1));
  }
  if (side < N_SIDES && (side >= 2 || place.whole))
    begin_copy(store, at + (side * SIDE_BYTES + SIDE_PIXELS) / 4 + lane % 4 * 4, from + lane % 4 * 16, inside);
  if (!place.whole) {
    uint8_t *kept = reinterpret_cast<uint8_t *>(&store[at]) + SIDE_PIXELS;
    const volatile uint8_t *pixels = reinterpret_cast<const volatile uint8_t *>(first);
    for (int n = lane; n < TILE; n += WARP) {
      kept[n] = static_cast<uint8_t>(place.above && n < place.n_columns ? pixels[n - image.stride] ^ flip : 0);
      kept[SIDE_BYTES + n] =
        static_cast<uint8_t>(place.below && n < place.n_columns ? pixels[n + TILE * image.stride] ^ flip : 0);
    }
  }
  return value;
}

/* What this lane copied with begin_halo from the image; columns of tiles are kept as they are worked on. */
static __device__ __forceinline__ void
flip_halo(uint32_t *store, int at, const Place &place, int lane)
{
  if (lane < 8 && place.whole && (lane < 4 ? place.above : place.below))
    flip_chunk(store, at + (lane / 4 * SIDE_BYTES + SIDE_PIXELS) / 4 + lane % 4 * 4);
}

static __device__ __forceinline__ void
keep_corner(uint32_t *store, int at, uint8_t pixel, const Place &place, uint32_t flip, int lane)
{
  const uint8_t corner = static_cast<uint8_t>(has_corner(place, lane) ? pixel ^ flip : 0);
  uint8_t *kept = reinterpret_cast<uint8_t *>(&store[at]) + SIDE_PIXELS;
  if (lane < 4) {
    kept[(lane >> 1) * SIDE_BYTES + (lane & 1 ? +TILE : -1)] = corner;
    kept[(2 + (lane & 1)) * SIDE_BYTES + (lane & 2 ? +TILE : -1)] = corner;
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
absorb_halo(uint32_t *store, int lane)
{
  uint8_t *marker = reinterpret_cast<uint8_t *>(&store[MARKER]);
  const uint8_t *mask = reinterpret_cast<const uint8_t *>(&store[MASK]);
  const uint8_t *halo = reinterpret_cast<const uint8_t *>(&store[HALO]) + SIDE_PIXELS + lane;
  bool rose = false;
#pragma unroll
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

/* Sweeps along columns, then rows, until one finds nothing to do, or max_sweeps are over. Bit 0 of the answer: a pixel
 * rose; bit 1: not finished. */
template <bool DIAGONALS>
static __device__ __forceinline__ uint32_t
settle(uint32_t marker, int max_sweeps, int lane)
{
  const uint32_t mask = 4 * (MASK - MARKER);
  bool finished = false, turned = false;
  int n = 0;
#pragma unroll 1
  for (;;) {
    finished = !vt_bytes_sweep<DIAGONALS>(marker, mask, lane);
    if (finished || ++n >= max_sweeps)
      break;
    vt_bytes_turn(marker, lane);
    vt_bytes_turn(marker + mask, lane);
    turned = !turned;
  }
  if (turned)
    vt_bytes_turn(marker, lane);
  return (n > 0 ? 1u : 0u) | (finished ? 0u : 2u);
}

/* Bit (dy + 1) * 3 + dx + 1 for each neighbour (dx,dy) with a pixel of the halo that can rise. Leaves the tile's columns
 * for the neighbours to read. */
template <bool DIAGONALS>
static __device__ __forceinline__ uint32_t
neighbours_to_wake(const uint32_t *store, const Sides &sides, uint32_t tile, int lane)
{
  const uint8_t *pixels = reinterpret_cast<const uint8_t *>(&store[MARKER]);
  const uint8_t *halos = reinterpret_cast<const uint8_t *>(&store[HALO]) + SIDE_PIXELS;
  const uint8_t *limits = reinterpret_cast<const uint8_t *>(&store[LIMIT]) + SIDE_PIXELS;
  uint32_t wake = 0;
#pragma unroll
  for (int side = 0; side < N_SIDES; side++) {
    const uint8_t *halo = halos + side * SIDE_BYTES + lane, *limit = limits + side * SIDE_BYTES + lane;
    const int a = pixels[side_byte(side, lane)], b = pixels[side_byte(side, lane + WARP)];
    int best_a = a, best_b = b;
    if (side >= 2) {
      volatile uint8_t *column = sides.column(tile, side - 2) + lane;
      column[0] = static_cast<uint8_t>(a);
      column[WARP] = static_cast<uint8_t>(b);
    }
    if (DIAGONALS) {
      const int a_before = __shfl_up_sync(~0u, a, 1), b_after = __shfl_down_sync(~0u, b, 1);
      const int a_after = __shfl_sync(~0u, lane == 0 ? b : a, (lane + 1) % WARP);
      const int b_before = __shfl_sync(~0u, lane == WARP - 1 ? a : b, (lane + WARP - 1) % WARP);
      best_a = max(a, max(a_before, a_after));
      best_b = max(b, max(b_before, b_after));
    }
    const bool can =
      halo[0] < min(best_a, static_cast<int>(limit[0])) || halo[WARP] < min(best_b, static_cast<int>(limit[WARP]));
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

/* What a launch works on. */
template <bool DIAGONALS> struct Work {
  enum { N_WARPS = 2, N_BLOCKS = 8, STORE = STORE_WORDS };
  VtGpuView<uint8_t> marker, mask;
  Sides marker_sides, mask_sides;
  VtTileQueue queue;
  bool aligned;
  uint32_t flip; /* all bits for complements */

  __device__ uint32_t visit(uint32_t *store, uint32_t tile, uint32_t before, const VtTileAt &at, int lane) const;
};

template <bool DIAGONALS>
static __device__ __forceinline__ void
load_tile(uint32_t *store, const Work<DIAGONALS> &work, uint32_t tile, const Place &place, int lane)
{
  if (place.whole) {
    begin_whole(store, MARKER, work.marker, place, lane);
    begin_whole(store, MASK, work.mask, place, lane);
  } else {
    load_pixels(&store[MARKER], first_pixel(work.marker, place), work.marker.stride, place.n_columns, place.n_rows,
                work.flip, lane);
    load_pixels(&store[MASK], first_pixel(work.mask, place), work.mask.stride, place.n_columns, place.n_rows, work.flip,
                lane);
  }
  const uint8_t corner = begin_halo(store, HALO, work.marker, work.marker_sides, tile, place, work.flip, lane);
  const uint8_t limit = begin_halo(store, LIMIT, work.mask, work.mask_sides, tile, place, work.flip, lane);
  keep_corner(store, HALO, corner, place, work.flip, lane);
  keep_corner(store, LIMIT, limit, place, work.flip, lane);
  finish_copies();
  if (work.flip) {
    if (place.whole) {
      flip_whole(store, MARKER, place.n_rows, lane);
      flip_whole(store, MASK, place.n_rows, lane);
    }
    flip_halo(store, HALO, place, lane);
    flip_halo(store, LIMIT, place, lane);
  }
  __syncwarp();
}

/* The answer: the neighbours to wake. */
template <bool DIAGONALS>
static __device__ __forceinline__ uint32_t
store_tile(uint32_t *store, const Work<DIAGONALS> &work, uint32_t tile, const Place &place, int lane)
{
  const uint8_t corner = begin_halo(store, HALO, work.marker, work.marker_sides, tile, place, work.flip, lane);
  if (place.whole)
    store_whole(store, MARKER, work.marker, place, work.flip, lane);
  else
    store_pixels(&store[MARKER], first_pixel(work.marker, place), work.marker.stride, place.n_columns, place.n_rows,
                 work.flip, lane);
  keep_corner(store, HALO, corner, place, work.flip, lane);
  finish_copies();
  if (work.flip)
    flip_halo(store, HALO, place, lane);
  __syncwarp();
  return neighbours_to_wake<DIAGONALS>(store, work.marker_sides, tile, lane);
}

template <bool DIAGONALS>
__device__ __forceinline__ uint32_t
Work<DIAGONALS>::visit(uint32_t *store, uint32_t tile, uint32_t before, const VtTileAt &at, int lane) const
{
  const Place place = place_of(at, marker, aligned);
  load_tile(store, *this, tile, place, lane);
  const bool entered = absorb_halo<DIAGONALS>(store, lane);
  if (!entered && !vt_tile_is_fresh(before))
    return 0;
  const bool stop = !(before & VT_TILE_VISITED) || queue.n_columns * queue.n_rows <= SMALL_IMAGE;
  const uint32_t address = static_cast<uint32_t>(__cvta_generic_to_shared(store));
  const uint32_t answer = settle<DIAGONALS>(address + 4 * MARKER, stop ? MAX_SWEEPS_STOPPED : INT32_MAX, lane);
  const uint32_t wake = entered || (answer & 1u) ? store_tile(store, *this, tile, place, lane) : 0;
  return wake | (answer & 2u ? +VT_TILE_NOT_AT_REST : 0u);
}

/* A warp for a tile: its columns, and whether the marker is above the mask anywhere. */
template <bool DIAGONALS>
static __global__ void
look_at_tiles(Work<DIAGONALS> work)
{
  const uint32_t n = work.queue.n_columns * work.queue.n_rows;
  const int lane = threadIdx.x % WARP, line = lane / 4, chunk = lane % 4;
  uint32_t wrong = 0;
  for (uint32_t tile = blockIdx.x * (blockDim.x / WARP) + threadIdx.x / WARP; tile < n;
       tile += gridDim.x * (blockDim.x / WARP)) {
    const Place place = place_of(vt_tile_at(work.queue, tile), work.marker, work.aligned);
#pragma unroll 4
    for (int y = line; y < TILE; y += 8) {
      uint8_t low[16] = {}, high[16] = {};
      const bool inside = y < place.n_rows;
      const char *j = work.marker.data + (place.y0 + y) * work.marker.stride + place.x0 + 16 * chunk;
      const char *i = work.mask.data + (place.y0 + y) * work.mask.stride + place.x0 + 16 * chunk;
      if (inside && place.whole) {
        const uint4 p = __ldg(reinterpret_cast<const uint4 *>(j)), q = __ldg(reinterpret_cast<const uint4 *>(i));
        const uint4 a = { p.x ^ work.flip, p.y ^ work.flip, p.z ^ work.flip, p.w ^ work.flip };
        const uint4 b = { q.x ^ work.flip, q.y ^ work.flip, q.z ^ work.flip, q.w ^ work.flip };
        wrong |= __vcmpgtu4(a.x, b.x) | __vcmpgtu4(a.y, b.y) | __vcmpgtu4(a.z, b.z) | __vcmpgtu4(a.w, b.w);
        low[0] = static_cast<uint8_t>(a.x), low[15] = static_cast<uint8_t>(a.w >> 24);
        high[0] = static_cast<uint8_t>(b.x), high[15] = static_cast<uint8_t>(b.w >> 24);
      } else if (inside) {
#pragma unroll
        for (int k = 0; k < 16; k++)
          if (16 * chunk + k < place.n_columns) {
            low[k] = static_cast<uint8_t>(static_cast<uint8_t>(j[k]) ^ work.flip);
            high[k] = static_cast<uint8_t>(static_cast<uint8_t>(i[k]) ^ work.flip);
            wrong |= low[k] > high[k];
          }
      }
      if (chunk == 0 || chunk == 3) {
        work.marker_sides.column(tile, chunk / 3)[y] = chunk ? low[15] : low[0];
        work.mask_sides.column(tile, chunk / 3)[y] = chunk ? high[15] : high[0];
      }
    }
  }
  if (__syncthreads_or(wrong != 0) && threadIdx.x == 0)
    atomicOr(&work.queue.words[VT_TILE_WRONG], 1u);
}

template <bool DIAGONALS>
static VitrailStatus
run(VtDevice *device, const VtReconstruct *args, const VtCancel *cancel)
{
  typedef Work<DIAGONALS> Tiles;
  const VtImage *marker = &args->marker, *mask = &args->mask;
  Tiles work = {
    VtGpuView<uint8_t>(*marker), VtGpuView<uint8_t>(*mask), {}, {}, {}, false, args->by_erosion ? ~0u : 0u
  };
  void *own = NULL;
  VT_TRY(vt_tile_queue_new(device, marker, TILE, TILE, Tiles::N_WARPS * Tiles::N_BLOCKS, 4 * TILE, VISITS_OF_HOST,
                           &work.queue, &own));
  const int64_t n = static_cast<int64_t>(work.queue.n_columns) * work.queue.n_rows;
  work.marker_sides.columns = static_cast<uint8_t *>(own);
  work.mask_sides.columns = work.marker_sides.columns + 2 * TILE * n;
  const uintptr_t places = reinterpret_cast<uintptr_t>(marker->data) | reinterpret_cast<uintptr_t>(mask->data);
  work.aligned = (places | static_cast<uintptr_t>(marker->stride | mask->stride)) % sizeof(uint4) == 0;
  VT_TRY(vt_gpu_launch(device, "look_at_tiles", look_at_tiles<DIAGONALS>, vt_gpu_blocks(n, 4), 4 * WARP, work));
  return vt_tile_run(device, args, work, cancel);
}

VitrailStatus
vt_gpu_reconstruct_bytes(VtDevice *device, const VtReconstruct *args, const VtCancel *cancel)
{
  return (args->connectivity == 8 ? run<true> : run<false>)(device, args, cancel);
}
