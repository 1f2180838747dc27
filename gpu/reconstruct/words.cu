/* SPDX-License-Identifier: MIT
 *
 * words.cu: reconstruction of 16- and 32-bit images by active tiles (tile-run.cuh). A tile is 32x32 pixels, in the registers
 * of a warp: a lane has a column, or, with the tile turned, a row. A sweep goes down and up the registers, each line taking
 * from the one before and, for diagonals, from the lanes beside. Pixels are integers of the same order (VtGpuPixel); by
 * erosion their complements, whose order is turned round. */
#include "../gpu.h"
#include "tile-run.cuh"

enum { WARP = VT_TILE_WARP, SIDE = 32, PITCH = SIDE + 1, MASK = 0, TURN = SIDE * PITCH };
/* Sweeps of an 8-connected visit that may be stopped: the neighbours can use what there is. */
enum { MAX_SWEEPS_STOPPED = 3, SMALL_IMAGE = 4096, VISITS_OF_HOST = 16 };
enum { MARKER_FIRST, MARKER_LAST, MASK_FIRST, MASK_LAST, N_SIDES };
static const int32_t outside = INT32_MIN; /* nothing rises there, and nothing rises because of it */

/* Pixels around a tile, as a lane sees them: above and below it in its column, left and right of it in its row; the
 * corners, left ones in lane 0 and right ones in lane 31. */
struct Halo {
  int32_t above, below, left, right, corner_above, corner_below;
};

template <typename T, bool DIAGONALS> struct Words {
  enum { N_WARPS = 2, N_BLOCKS = 8, STORE = 2 * SIDE * PITCH };
  VtGpuView<T> marker, mask;
  int32_t *sides; /* of each tile: columns of SIDE pixels, so that a halo's are not gathered from as many lines */
  VtTileQueue queue;
  int32_t flip; /* -1 for complements */

  __device__ int32_t *side(uint32_t tile, int which) const
  {
    return sides + (static_cast<size_t>(tile) * N_SIDES + which) * SIDE;
  }
  __device__ int32_t pixel(const VtGpuView<T> &image, int64_t x, int64_t y) const
  {
    return VtGpuPixel<T>::load(__ldcg(image.row(y) + x)) ^ flip;
  }
  __device__ uint32_t visit(uint32_t *store, uint32_t tile, uint32_t before, const VtTileAt &at, int lane) const;
};

/* first: MARKER_FIRST or MASK_FIRST, with its image. */
template <typename T, bool DIAGONALS>
static __device__ __forceinline__ Halo
load_halo(const Words<T, DIAGONALS> &w, const VtGpuView<T> &image, int first, uint32_t tile, const VtTileAt &at,
          int lane)
{
  const int64_t x = static_cast<int64_t>(at.column) * SIDE + lane, y = static_cast<int64_t>(at.row) * SIDE;
  const bool inside = x < image.width;
  Halo halo;
  halo.above = inside && at.above ? w.pixel(image, x, y - 1) : outside;
  halo.below = inside && at.below ? w.pixel(image, x, y + SIDE) : outside;
  halo.left = at.left ? __ldcg(w.side(tile - 1, first + 1) + lane) : outside;
  halo.right = at.right ? __ldcg(w.side(tile + 1, first) + lane) : outside;
  halo.corner_above = halo.corner_below = outside;
  if (DIAGONALS && (lane == 0 ? at.left : lane == WARP - 1 && at.right)) {
    const int64_t beside = lane == 0 ? x - 1 : x + 1;
    halo.corner_above = at.above ? w.pixel(image, beside, y - 1) : outside;
    halo.corner_below = at.below ? w.pixel(image, beside, y + SIDE) : outside;
  }
  return halo;
}

/* The best of a line's pixel and, for diagonals, those beside it. corner: what lies beside the line's ends. */
template <bool DIAGONALS>
static __device__ __forceinline__ int32_t
best_of_line(int32_t line, int32_t corner, int lane)
{
  if (!DIAGONALS)
    return line;
  const int32_t before = __shfl_up_sync(~0u, line, 1), after = __shfl_down_sync(~0u, line, 1);
  return max(line, max(lane == 0 ? corner : before, lane == WARP - 1 ? corner : after));
}

/* A sweep down and up. first, last: the best of the lines before and behind the tile. Bit 0 of the answer: a pixel of the
 * lane rose on the way down; bit 1: on the way up. */
template <bool DIAGONALS>
static __device__ __forceinline__ uint32_t
sweep(int32_t (&m)[SIDE], const int32_t (&mask)[SIDE], int32_t first, int32_t last)
{
  uint32_t down = 0, up = 0;
  int32_t best = first;
#pragma unroll
  for (int k = 0; k < SIDE; k++) {
    const int32_t now = min(max(best, m[k]), mask[k]);
    down |= static_cast<uint32_t>(now ^ m[k]);
    m[k] = now;
    /* A lane at an end of the line takes its own pixel for the missing one. */
    best = DIAGONALS ? max(now, max(__shfl_up_sync(~0u, now, 1), __shfl_down_sync(~0u, now, 1))) : now;
  }
  best = last;
#pragma unroll
  for (int k = SIDE - 1; k >= 0; k--) {
    const int32_t now = min(max(best, m[k]), mask[k]);
    up |= static_cast<uint32_t>(now ^ m[k]);
    m[k] = now;
    best = DIAGONALS ? max(now, max(__shfl_up_sync(~0u, now, 1), __shfl_down_sync(~0u, now, 1))) : now;
  }
  return (down ? 1u : 0u) | (up ? 2u : 0u);
}

/* Rows and columns change places. */
static __device__ __forceinline__ void
turn(int32_t *store, int32_t (&m)[SIDE], int lane)
{
  __syncwarp();
#pragma unroll
  for (int k = 0; k < SIDE; k++)
    store[TURN + k * PITCH + lane] = m[k];
  __syncwarp();
#pragma unroll
  for (int k = 0; k < SIDE; k++)
    m[k] = store[TURN + lane * PITCH + k];
}

/* Sweeps along columns, then rows, until neither has anything to do, or max_sweeps are over. Bit 0 of the answer: a pixel
 * rose; bit 1: not finished; bit 2: m is turned. */
template <bool DIAGONALS>
static __device__ __forceinline__ uint32_t
settle(int32_t *store, int32_t (&m)[SIDE], const Halo &halo, int max_sweeps, int lane)
{
  const int32_t above = best_of_line<DIAGONALS>(halo.above, halo.corner_above, lane);
  const int32_t below = best_of_line<DIAGONALS>(halo.below, halo.corner_below, lane);
  const int32_t left = best_of_line<DIAGONALS>(halo.left, outside, lane);
  const int32_t right = best_of_line<DIAGONALS>(halo.right, outside, lane);
  uint32_t rose = 0;
  bool turned = false;
  for (int n = 1, quiet = 0;; n++) {
    int32_t mask[SIDE];
    const int32_t *from = store + MASK + (turned ? lane * PITCH : lane);
    const int step = turned ? 1 : PITCH;
#pragma unroll
    for (int k = 0; k < SIDE; k++)
      mask[k] = from[k * step];
    const uint32_t now = sweep<DIAGONALS>(m, mask, turned ? left : above, turned ? right : below);
    const bool any = __any_sync(~0u, now != 0), any_up = __any_sync(~0u, (now & 2u) != 0);
    rose |= any ? 1u : 0u;
    /* Without diagonals one way down and up leaves columns finished; else if the way up changed nothing. */
    quiet = !any ? quiet + 1 : !DIAGONALS || !any_up ? 1 : 0;
    if (quiet == 2)
      return rose | (turned ? 4u : 0u);
    if (n == max_sweeps)
      return rose | 2u | (turned ? 4u : 0u);
    turn(store, m, lane);
    turned = !turned;
  }
}

/* Bit (dy + 1) * 3 + dx + 1 for each neighbour (dx,dy) with a pixel of the halo that can rise. first, last: columns. */
template <typename T, bool DIAGONALS>
static __device__ __forceinline__ uint32_t
neighbours_to_wake(const Words<T, DIAGONALS> &w, uint32_t tile, const VtTileAt &at, int32_t above, int32_t below,
                   int32_t left, int32_t right, int lane)
{
  const Halo halo = load_halo(w, w.marker, MARKER_FIRST, tile, at, lane);
  const Halo limit = load_halo(w, w.mask, MASK_FIRST, tile, at, lane);
  uint32_t wake = 0;
  if (__any_sync(~0u, halo.above < min(best_of_line<DIAGONALS>(above, outside, lane), limit.above)))
    wake |= 1u << 1;
  if (__any_sync(~0u, halo.left < min(best_of_line<DIAGONALS>(left, outside, lane), limit.left)))
    wake |= 1u << 3;
  if (__any_sync(~0u, halo.right < min(best_of_line<DIAGONALS>(right, outside, lane), limit.right)))
    wake |= 1u << 5;
  if (__any_sync(~0u, halo.below < min(best_of_line<DIAGONALS>(below, outside, lane), limit.below)))
    wake |= 1u << 7;
  if (!DIAGONALS)
    return wake;
  const uint32_t up = __ballot_sync(~0u, halo.corner_above < min(above, limit.corner_above));
  const uint32_t down = __ballot_sync(~0u, halo.corner_below < min(below, limit.corner_below));
  return wake | (up & 1u) | (up >> 31) << 2 | (down & 1u) << 6 | (down >> 31) << 8;
}

/* Fills m and the mask in `store`. The answer: a zero of the lane's is a negative one, which must not stay. All is asked for
 * before any of it is looked at; beyond the image, the pixel at its end. */
template <typename T, bool DIAGONALS>
static __device__ __forceinline__ bool
load_tile(const Words<T, DIAGONALS> &w, int32_t *store, int32_t (&m)[SIDE], const VtTileAt &at, int lane)
{
  const int64_t x = static_cast<int64_t>(at.column) * SIDE + lane, y0 = static_cast<int64_t>(at.row) * SIDE;
  const int n_rows = static_cast<int>(min(w.marker.height - y0, static_cast<int64_t>(SIDE)));
  const bool inside = x < w.marker.width;
  const char *j = reinterpret_cast<const char *>(w.marker.row(y0) + (inside ? x : w.marker.width - 1));
  const char *i = reinterpret_cast<const char *>(w.mask.row(y0) + (inside ? x : w.marker.width - 1));
  T low[SIDE], high[SIDE];
#pragma unroll
  for (int k = 0; k < SIDE; k++) {
    low[k] = __ldcg(reinterpret_cast<const T *>(j));
    high[k] = __ldcg(reinterpret_cast<const T *>(i));
    j += k + 1 < n_rows ? w.marker.stride : 0;
    i += k + 1 < n_rows ? w.mask.stride : 0;
  }
  bool odd = false;
  __syncwarp(); /* the visit before may still read */
#pragma unroll
  for (int k = 0; k < SIDE; k++) {
    const bool is_pixel = inside && k < n_rows;
    odd |= VtGpuPixel<T>::is_negative_zero(low[k]) && is_pixel;
    m[k] = is_pixel ? VtGpuPixel<T>::load(low[k]) ^ w.flip : outside;
    store[MASK + k * PITCH + lane] = is_pixel ? VtGpuPixel<T>::load(high[k]) ^ w.flip : outside;
  }
  __syncwarp();
  return odd;
}

template <typename T, bool DIAGONALS>
static __device__ __forceinline__ void
store_tile(const Words<T, DIAGONALS> &w, const int32_t (&m)[SIDE], const VtTileAt &at, int lane)
{
  const int64_t x = static_cast<int64_t>(at.column) * SIDE + lane, y0 = static_cast<int64_t>(at.row) * SIDE;
  const int n_rows = static_cast<int>(min(w.marker.height - y0, static_cast<int64_t>(SIDE)));
  T *to = w.marker.row(y0) + x;
#pragma unroll
  for (int k = 0; k < SIDE; k++) {
    if (k < n_rows && x < w.marker.width)
      __stcg(to, VtGpuPixel<T>::store(m[k] ^ w.flip));
    to = reinterpret_cast<T *>(reinterpret_cast<char *>(to) + w.marker.stride);
  }
}

template <typename T, bool DIAGONALS>
__device__ __forceinline__ uint32_t
Words<T, DIAGONALS>::visit(uint32_t *words, uint32_t tile, uint32_t before, const VtTileAt &at, int lane) const
{
  int32_t *store = reinterpret_cast<int32_t *>(words);
  int32_t m[SIDE];
  const Halo halo = load_halo(*this, marker, MARKER_FIRST, tile, at, lane);
  const bool odd = __any_sync(~0u, load_tile(*this, store, m, at, lane));
  const bool stop = DIAGONALS && (!(before & VT_TILE_VISITED) || queue.n_columns * queue.n_rows <= SMALL_IMAGE);
  const uint32_t answer = settle<DIAGONALS>(store, m, halo, stop ? +MAX_SWEEPS_STOPPED : INT32_MAX, lane);
  const uint32_t rest = answer & 2u ? +VT_TILE_NOT_AT_REST : 0u;
  if (!(answer & 1u) && !odd)
    return rest;
  int32_t left = m[0], right = m[SIDE - 1];
  turn(store, m, lane); /* what it was turned from, or else its columns, are in the store */
  if (!(answer & 4u)) {
    left = m[0];
    right = m[SIDE - 1];
#pragma unroll
    for (int k = 0; k < SIDE; k++)
      m[k] = store[TURN + k * PITCH + lane];
  }
  __stcg(side(tile, MARKER_FIRST) + lane, left);
  __stcg(side(tile, MARKER_LAST) + lane, right);
  store_tile(*this, m, at, lane);
  return rest | neighbours_to_wake(*this, tile, at, m[0], m[SIDE - 1], left, right, lane);
}

/* A warp for a tile: its columns, and whether the marker passes the mask anywhere. */
template <typename T, bool DIAGONALS>
static __global__ void
look_at_tiles(Words<T, DIAGONALS> w)
{
  const uint32_t n = w.queue.n_columns * w.queue.n_rows;
  const int lane = threadIdx.x % WARP;
  bool wrong = false;
  for (uint32_t tile = blockIdx.x * (blockDim.x / WARP) + threadIdx.x / WARP; tile < n;
       tile += gridDim.x * (blockDim.x / WARP)) {
    const int64_t x0 = static_cast<int64_t>(tile % w.queue.n_columns) * SIDE, x = x0 + lane;
    const int64_t y0 = static_cast<int64_t>(tile / w.queue.n_columns) * SIDE;
#pragma unroll 8
    for (int k = 0; k < SIDE; k++) {
      if (x >= w.marker.width || y0 + k >= w.marker.height)
        continue;
      const T j = __ldg(w.marker.row(y0 + k) + x), i = __ldg(w.mask.row(y0 + k) + x);
      wrong |= w.flip ? !(j >= i) : !(j <= i); /* also true for NaN */
    }
    const bool has_row = y0 + lane < w.marker.height, has_last = has_row && x0 + SIDE <= w.marker.width;
    w.side(tile, MARKER_FIRST)[lane] = has_row ? w.pixel(w.marker, x0, y0 + lane) : outside;
    w.side(tile, MASK_FIRST)[lane] = has_row ? w.pixel(w.mask, x0, y0 + lane) : outside;
    w.side(tile, MARKER_LAST)[lane] = has_last ? w.pixel(w.marker, x0 + SIDE - 1, y0 + lane) : outside;
    w.side(tile, MASK_LAST)[lane] = has_last ? w.pixel(w.mask, x0 + SIDE - 1, y0 + lane) : outside;
  }
  if (__syncthreads_or(wrong) && threadIdx.x == 0)
    atomicOr(&w.queue.words[VT_TILE_WRONG], 1u);
}

template <typename T, bool DIAGONALS>
static VitrailStatus
run(VtDevice *device, const VtReconstruct *args, const VtCancel *cancel)
{
  typedef Words<T, DIAGONALS> Tiles;
  Tiles w = { VtGpuView<T>(args->marker), VtGpuView<T>(args->mask), NULL, {}, args->by_erosion ? -1 : 0 };
  void *own = NULL;
  VT_TRY(vt_tile_queue_new(device, &args->marker, SIDE, SIDE, Tiles::N_WARPS * Tiles::N_BLOCKS,
                           N_SIDES * SIDE * sizeof(int32_t), VISITS_OF_HOST, &w.queue, &own));
  w.sides = static_cast<int32_t *>(own);
  VT_TRY(vt_gpu_launch(device, "look_at_tiles", look_at_tiles<T, DIAGONALS>,
                       vt_gpu_blocks(static_cast<int64_t>(w.queue.n_columns) * w.queue.n_rows, 4), 4 * WARP, w));
  return vt_tile_run(device, args, w, cancel);
}

VitrailStatus
vt_gpu_reconstruct_words(VtDevice *device, const VtReconstruct *args, const VtCancel *cancel)
{
  const bool diagonals = args->connectivity == 8;
  switch (args->marker.type) {
  case VITRAIL_U16: return (diagonals ? run<uint16_t, true> : run<uint16_t, false>)(device, args, cancel);
  case VITRAIL_I32: return (diagonals ? run<int32_t, true> : run<int32_t, false>)(device, args, cancel);
  case VITRAIL_F32: return (diagonals ? run<float, true> : run<float, false>)(device, args, cancel);
  default: return VITRAIL_BAD_ARGUMENT;
  }
}
