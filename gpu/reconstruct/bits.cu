/* SPDX-License-Identifier: MIT
 *
 * bits.cu: reconstruction of packed bits by active tiles (tile-run.cuh). A tile is 32 rows of 128 pixels, a row a lane. A row spreads along its mask by the carry of one addition, to the lower bits in the mirrored word; columns spread
 * by doubling steps over the lanes (Kogge & Stone 1973), the pixels that lead on with them. */
#include "../gpu.h"
#include "tile-run.cuh"

enum { WARP = VT_TILE_WARP, WORD = 64, SIDE = 2 * WORD, N_STEPS = 5, VISITS_OF_HOST = 4, THREADS = 256 };
typedef unsigned __int128 Row;

static __device__ __forceinline__ Row
row_of(uint64_t low, uint64_t high)
{
  return static_cast<Row>(high) << WORD | low;
}

static __device__ __forceinline__ uint64_t
low(Row row)
{
  return static_cast<uint64_t>(row);
}

static __device__ __forceinline__ uint64_t
high(Row row)
{
  return static_cast<uint64_t>(row >> WORD);
}

/* The first and the last pixel. */
static __device__ __forceinline__ uint64_t
first(Row row)
{
  return low(row) & 1;
}

static __device__ __forceinline__ uint64_t
last(Row row)
{
  return high(row) >> (WORD - 1);
}

static __device__ __forceinline__ Row
mirrored(Row row)
{
  return row_of(__brevll(high(row)), __brevll(low(row)));
}

/* Of the lane `n` before or after; at the ends, the lane's own. */
static __device__ __forceinline__ Row
from_above(Row row, int n)
{
  return row_of(__shfl_up_sync(~0u, low(row), n), __shfl_up_sync(~0u, high(row), n));
}

static __device__ __forceinline__ Row
from_below(Row row, int n)
{
  return row_of(__shfl_down_sync(~0u, low(row), n), __shfl_down_sync(~0u, high(row), n));
}

/* What a tile's neighbours have: the rows above and below, and, of the lane's row and in the corners, the nearest pixel. */
struct Halo {
  Row above, below;
  uint64_t left, right, corners[4]; /* above left, above right, below left, below right */
};

template <bool DIAGONALS> struct Bits {
  enum { N_WARPS = 4, N_BLOCKS = 3, STORE = 0 };
  VtGpuView<uint64_t> marker, mask;
  VtTileQueue queue;
  uint64_t flip; /* all bits for complements */

  /* Word x of row y; pixels outside the image are 0. */
  __device__ uint64_t word(const VtGpuView<uint64_t> &image, int64_t x, int64_t y, bool inside) const
  {
    const int64_t n = image.width - x * WORD;
    if (!inside || n <= 0 || y >= image.height)
      return 0;
    return (__ldcg(image.row(y) + x) ^ flip) & (n >= WORD ? ~0ull : (1ull << n) - 1);
  }
  __device__ Row row(const VtGpuView<uint64_t> &image, const VtTileAt &at, int64_t y, bool inside) const
  {
    const int64_t x = 2 * static_cast<int64_t>(at.column);
    return row_of(word(image, x, y, inside), word(image, x + 1, y, inside));
  }
  __device__ void store(int64_t x, int64_t y, uint64_t value) const
  {
    const int64_t n = marker.width - x * WORD;
    if (y < marker.height && n > 0) /* what was 0 beyond the width stays 0 */
      __stcg(marker.row(y) + x, (value ^ flip) & (n >= WORD ? ~0ull : (1ull << n) - 1));
  }
  __device__ uint32_t visit(uint32_t *, uint32_t, uint32_t before, const VtTileAt &at, int lane) const;
};

template <bool DIAGONALS>
static __device__ __forceinline__ Halo
load_halo(const Bits<DIAGONALS> &b, const VtGpuView<uint64_t> &image, const VtTileAt &at, int lane)
{
  const int64_t x = 2 * static_cast<int64_t>(at.column), y = static_cast<int64_t>(at.row) * WARP;
  Halo halo;
  halo.above = b.row(image, at, y - 1, at.above);
  halo.below = b.row(image, at, y + WARP, at.below);
  halo.left = b.word(image, x - 1, y + lane, at.left) >> (WORD - 1);
  halo.right = b.word(image, x + 2, y + lane, at.right) & 1;
#pragma unroll
  for (int k = 0; k < 4 && DIAGONALS; k++) {
    const bool right = k & 1, down = k & 2;
    const uint64_t far = b.word(image, right ? x + 2 : x - 1, down ? y + WARP : y - 1,
                                (right ? at.right : at.left) && (down ? at.below : at.above));
    halo.corners[k] = right ? far & 1 : far >> (WORD - 1);
  }
  return halo;
}

/* A line and its diagonals. */
template <bool DIAGONALS>
static __device__ __forceinline__ Row
widen(Row line)
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
  Row mask, back, down[N_STEPS], up[N_STEPS];
};

static __device__ __forceinline__ Paths
find_paths(Row mask)
{
  Paths p = { mask, mirrored(mask), { mask }, { mask } };
#pragma unroll
  for (int k = 1; k < N_STEPS; k++) {
    p.down[k] = p.down[k - 1] & from_above(p.down[k - 1], 1 << (k - 1));
    p.up[k] = p.up[k - 1] & from_below(p.up[k - 1], 1 << (k - 1));
  }
  return p;
}

/* All of the runs of the mask that hold a bit of v; v lies inside the mask. */
static __device__ __forceinline__ Row
spread_row(Row v, const Paths &p)
{
  v |= ((v + p.mask) ^ p.mask) & p.mask; /* the carry of a run's lowest bit goes through to its end */
  const Row w = mirrored(v);
  return v | mirrored(((w + p.back) ^ p.back) & p.back);
}

/* The same along columns; at the ends a lane gets its own bits back, which add nothing. */
static __device__ __forceinline__ Row
spread_columns(Row v, const Paths &p)
{
#pragma unroll
  for (int k = 0; k < N_STEPS; k++)
    v |= p.down[k] & from_above(v, 1 << k);
#pragma unroll
  for (int k = 0; k < N_STEPS; k++)
    v |= p.up[k] & from_below(v, 1 << k);
  return v;
}

template <bool DIAGONALS>
static __device__ __forceinline__ Row
settle(Row v, const Paths &p)
{
  for (;;) {
    const Row before = v;
    v = spread_columns(spread_row(v, p), p);
    if (DIAGONALS) {
      const Row wide = widen<true>(v);
      v |= p.mask & (wide | from_above(wide, 1) | from_below(wide, 1));
    }
    if (!__any_sync(~0u, v != before))
      return v;
  }
}

/* What the halo lets in, before the mask. */
template <bool DIAGONALS>
static __device__ __forceinline__ Row
offer(const Halo &halo, int lane)
{
  uint64_t left = widen_column<DIAGONALS>(halo.left), right = widen_column<DIAGONALS>(halo.right);
  Row line = 0;
  if (lane == 0 || lane == WARP - 1) {
    line = widen<DIAGONALS>(lane == 0 ? halo.above : halo.below);
    left |= DIAGONALS ? lane == 0 ? halo.corners[0] : halo.corners[2] : 0;
    right |= DIAGONALS ? lane == 0 ? halo.corners[1] : halo.corners[3] : 0;
  }
  return line | row_of(left, right << (WORD - 1));
}

/* Bit (dy + 1) * 3 + dx + 1 for each neighbour (dx,dy) with a pixel of the halo that can rise. */
template <bool DIAGONALS>
static __device__ __forceinline__ uint32_t
neighbours_to_wake(const Bits<DIAGONALS> &b, const VtTileAt &at, Row v, int lane)
{
  const Halo halo = load_halo(b, b.marker, at, lane), limit = load_halo(b, b.mask, at, lane);
  const uint64_t left = widen_column<DIAGONALS>(first(v)), right = widen_column<DIAGONALS>(last(v));
  uint32_t wake = __any_sync(~0u, (limit.left & ~halo.left & left) != 0) ? 1u << 3 : 0u;
  wake |= __any_sync(~0u, (limit.right & ~halo.right & right) != 0) ? 1u << 5 : 0u;
  const Row line = widen<DIAGONALS>(v);
  wake |= __any_sync(~0u, lane == 0 && (limit.above & ~halo.above & line) != 0) ? 1u << 1 : 0u;
  wake |= __any_sync(~0u, lane == WARP - 1 && (limit.below & ~halo.below & line) != 0) ? 1u << 7 : 0u;
#pragma unroll
  for (int k = 0; k < 4 && DIAGONALS; k++) {
    const uint64_t mine = k & 1 ? last(v) : first(v), can = limit.corners[k] & ~halo.corners[k] & mine;
    wake |= __any_sync(~0u, lane == (k & 2 ? WARP - 1 : 0) && can != 0) ? 1u << (k / 2 * 6 + k % 2 * 2) : 0u;
  }
  return wake;
}

template <bool DIAGONALS>
__device__ __forceinline__ uint32_t
Bits<DIAGONALS>::visit(uint32_t *, uint32_t, uint32_t before, const VtTileAt &at, int lane) const
{
  const int64_t x = 2 * static_cast<int64_t>(at.column), y = static_cast<int64_t>(at.row) * WARP + lane;
  const Row old = row(marker, at, y, true), limit = row(mask, at, y, true);
  const Halo halo = load_halo(*this, marker, at, lane);
  const Row entered = old | (offer<DIAGONALS>(halo, lane) & limit);
  if (!vt_tile_is_fresh(before) && !__any_sync(~0u, entered != old))
    return 0;
  const Row v = settle<DIAGONALS>(entered, find_paths(limit));
  if (!__any_sync(~0u, v != old))
    return 0;
  store(x, y, low(v));
  store(x + 1, y, high(v));
  return neighbours_to_wake(*this, at, v, lane);
}

template <bool DIAGONALS>
static __global__ void
find_disorder(Bits<DIAGONALS> b)
{
  const int64_t words = (b.marker.width + WORD - 1) / WORD;
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
