/* SPDX-License-Identifier: MIT
 *
 * bits.cu: reconstruction of packed bits by active tiles (tile-run.cuh). A tile is 32 rows of one word of 64 pixels, a row
 * a lane. A row spreads along its mask by the carry of one addition, to the lower bits in the mirrored word; columns spread
 * by doubling steps over the lanes (Kogge & Stone 1973), the pixels that lead on with them. */
#include "../gpu.h"
#include "tile-run.cuh"

enum { WARP = VT_TILE_WARP, SIDE = 64, N_STEPS = 5, LAST = SIDE - 1, VISITS_OF_HOST = 8, THREADS = 256 };

/* What a tile's neighbours have: the rows above and below, and the words left and right of the lane's row, whose nearest
 * bits count; in the corners, too. */
struct Halo {
  uint64_t above, below, left, right, corners[4]; /* above left, above right, below left, below right */
};

template <bool DIAGONALS> struct Bits {
  enum { N_WARPS = 4, N_BLOCKS = 6, STORE = 0 };
  VtGpuView<uint64_t> marker, mask;
  VtTileQueue queue;
  uint64_t flip; /* all bits for complements */

  /* The pixels of a column's words that lie in the image. */
  __device__ uint64_t valid(int64_t column) const
  {
    const int64_t n = marker.width - column * SIDE;
    return n >= SIDE ? ~0ull : (1ull << n) - 1;
  }
  __device__ uint64_t word(const VtGpuView<uint64_t> &image, const VtTileAt &at, int dx, int64_t y, bool inside) const
  {
    if (!inside || y >= image.height)
      return 0;
    const int64_t first = static_cast<int64_t>(at.column) + dx;
    return (__ldcg(image.row(y) + first) ^ flip) & valid(first);
  }
  __device__ uint32_t visit(uint32_t *, uint32_t, uint32_t before, const VtTileAt &at, int lane) const;
};

template <bool DIAGONALS>
static __device__ __forceinline__ Halo
load_halo(const Bits<DIAGONALS> &b, const VtGpuView<uint64_t> &image, const VtTileAt &at, int lane)
{
  const int64_t y = static_cast<int64_t>(at.row) * WARP;
  Halo halo;
  halo.above = b.word(image, at, 0, y - 1, at.above);
  halo.below = b.word(image, at, 0, y + WARP, at.below);
  halo.left = b.word(image, at, -1, y + lane, at.left) >> LAST;
  halo.right = b.word(image, at, 1, y + lane, at.right) & 1;
  for (int k = 0; k < 4 && DIAGONALS; k++) {
    const bool right = k & 1, down = k & 2;
    const uint64_t far = b.word(image, at, right ? 1 : -1, down ? y + WARP : y - 1,
                                (right ? at.right : at.left) && (down ? at.below : at.above));
    halo.corners[k] = right ? far & 1 : far >> LAST;
  }
  return halo;
}

/* A line and its diagonals. */
template <bool DIAGONALS>
static __device__ __forceinline__ uint64_t
widen(uint64_t line)
{
  return DIAGONALS ? line | line << 1 | line >> 1 : line;
}

/* The same for one bit of each lane, as a column. */
template <bool DIAGONALS>
static __device__ __forceinline__ uint64_t
widen_column(uint64_t bit)
{
  const uint32_t column = __ballot_sync(~0u, bit != 0);
  const uint32_t wide = DIAGONALS ? column | column << 1 | column >> 1 : column;
  return wide >> threadIdx.x % WARP & 1u;
}

/* The pixels of the mask, and of runs of 2^k of them that end in the lane's row. */
struct Paths {
  uint64_t mask, mirrored, down[N_STEPS], up[N_STEPS];
};

static __device__ __forceinline__ Paths
find_paths(uint64_t mask)
{
  Paths p = { mask, __brevll(mask), { mask }, { mask } };
#pragma unroll
  for (int k = 1; k < N_STEPS; k++) {
    p.down[k] = p.down[k - 1] & __shfl_up_sync(~0u, p.down[k - 1], 1 << (k - 1));
    p.up[k] = p.up[k - 1] & __shfl_down_sync(~0u, p.up[k - 1], 1 << (k - 1));
  }
  return p;
}

/* All of the runs of the mask that hold a bit of v; v lies inside the mask. */
static __device__ __forceinline__ uint64_t
spread_row(uint64_t v, const Paths &p)
{
  v |= ((v + p.mask) ^ p.mask) & p.mask; /* the carry of a run's lowest bit goes through to its end */
  const uint64_t w = __brevll(v);
  return v | __brevll(((w + p.mirrored) ^ p.mirrored) & p.mirrored);
}

/* The same along columns; at the ends a lane gets its own bits back, which add nothing. */
static __device__ __forceinline__ uint64_t
spread_columns(uint64_t v, const Paths &p)
{
#pragma unroll
  for (int k = 0; k < N_STEPS; k++)
    v |= p.down[k] & __shfl_up_sync(~0u, v, 1 << k);
#pragma unroll
  for (int k = 0; k < N_STEPS; k++)
    v |= p.up[k] & __shfl_down_sync(~0u, v, 1 << k);
  return v;
}

template <bool DIAGONALS>
static __device__ __forceinline__ uint64_t
settle(uint64_t v, const Paths &p)
{
  for (;;) {
    const uint64_t before = v;
    v = spread_columns(spread_row(v, p), p);
    if (DIAGONALS) {
      const uint64_t wide = widen<true>(v);
      v |= p.mask & (wide | __shfl_up_sync(~0u, wide, 1) | __shfl_down_sync(~0u, wide, 1));
    }
    if (!__any_sync(~0u, v != before))
      return v;
  }
}

/* What the halo lets in, before the mask. */
template <bool DIAGONALS>
static __device__ __forceinline__ uint64_t
offer(const Halo &halo, int lane)
{
  uint64_t left = widen_column<DIAGONALS>(halo.left), right = widen_column<DIAGONALS>(halo.right), line = 0;
  if (lane == 0 || lane == WARP - 1) {
    const int first = lane == 0 ? 0 : 2;
    line = widen<DIAGONALS>(lane == 0 ? halo.above : halo.below);
    left |= DIAGONALS ? halo.corners[first] : 0;
    right |= DIAGONALS ? halo.corners[first + 1] : 0;
  }
  return line | left | right << LAST;
}

/* Bit (dy + 1) * 3 + dx + 1 for each neighbour (dx,dy) with a pixel of the halo that can rise. */
template <bool DIAGONALS>
static __device__ __forceinline__ uint32_t
neighbours_to_wake(const Bits<DIAGONALS> &b, const VtTileAt &at, uint64_t v, int lane)
{
  const Halo halo = load_halo(b, b.marker, at, lane), limit = load_halo(b, b.mask, at, lane);
  const uint64_t left = widen_column<DIAGONALS>(v & 1), right = widen_column<DIAGONALS>(v >> LAST);
  uint32_t wake = __any_sync(~0u, (limit.left & ~halo.left & left) != 0) ? 1u << 3 : 0u;
  wake |= __any_sync(~0u, (limit.right & ~halo.right & right) != 0) ? 1u << 5 : 0u;
  const uint64_t line = widen<DIAGONALS>(v);
  wake |= __any_sync(~0u, lane == 0 && (limit.above & ~halo.above & line) != 0) ? 1u << 1 : 0u;
  wake |= __any_sync(~0u, lane == WARP - 1 && (limit.below & ~halo.below & line) != 0) ? 1u << 7 : 0u;
  for (int k = 0; k < 4 && DIAGONALS; k++) {
    const uint64_t mine = k & 1 ? v >> LAST : v & 1, can = limit.corners[k] & ~halo.corners[k] & mine;
    wake |= __any_sync(~0u, lane == (k & 2 ? WARP - 1 : 0) && can != 0) ? 1u << (k / 2 * 6 + k % 2 * 2) : 0u;
  }
  return wake;
}

template <bool DIAGONALS>
__device__ __forceinline__ uint32_t
Bits<DIAGONALS>::visit(uint32_t *, uint32_t, uint32_t before, const VtTileAt &at, int lane) const
{
  const int64_t y = static_cast<int64_t>(at.row) * WARP + lane;
  const uint64_t old = word(marker, at, 0, y, true), limit = word(mask, at, 0, y, true);
  const Halo halo = load_halo(*this, marker, at, lane);
  const uint64_t entered = old | (offer<DIAGONALS>(halo, lane) & limit);
  if (!vt_tile_is_fresh(before) && !__any_sync(~0u, entered != old))
    return 0;
  const uint64_t v = settle<DIAGONALS>(entered, find_paths(limit));
  if (!__any_sync(~0u, v != old))
    return 0;
  if (y < marker.height)
    __stcg(marker.row(y) + at.column, (v ^ flip) & valid(at.column));
  return neighbours_to_wake(*this, at, v, lane);
}

template <bool DIAGONALS>
static __global__ void
find_disorder(Bits<DIAGONALS> b)
{
  const int64_t words = (b.marker.width + SIDE - 1) / SIDE;
  bool wrong = false;
  for (int64_t y = blockIdx.x; y < b.marker.height; y += gridDim.x)
    for (int64_t x = threadIdx.x; x < words; x += THREADS) {
      const uint64_t j = b.marker.row(y)[x], i = b.mask.row(y)[x];
      wrong |= (b.flip ? i & ~j : j & ~i) != 0;
    }
  if (__syncthreads_or(wrong) && threadIdx.x == 0)
    atomicOr(&b.queue.words[VT_TILE_WRONG], 1u);
}

template <bool DIAGONALS>
static VitrailStatus
run(VtDevice *device, const VtReconstruct *args, const VtCancel *cancel)
{
  typedef Bits<DIAGONALS> Tiles;
  Tiles b = { VtGpuView<uint64_t>(args->marker), VtGpuView<uint64_t>(args->mask), {}, args->by_erosion ? ~0ull : 0 };
  void *own = NULL;
  VT_TRY(vt_tile_queue_new(device, &args->marker, SIDE, WARP, Tiles::N_WARPS * Tiles::N_BLOCKS, 0, VISITS_OF_HOST,
                           &b.queue, &own));
  const int64_t room = 16 * device->n_multiprocessors, height = args->marker.height;
  VT_TRY(vt_gpu_launch(device, "find_disorder", find_disorder<DIAGONALS>, height < room ? height : room, THREADS, b));
  return vt_tile_run(device, args, b, cancel);
}

VitrailStatus
vt_gpu_reconstruct_bits(VtDevice *device, const VtReconstruct *args, const VtCancel *cancel)
{
  return (args->connectivity == 8 ? run<true> : run<false>)(device, args, cancel);
}
