/* SPDX-License-Identifier: MIT
 *
 * split.cuh: the basins of a region's depth, by a warp: cpu/regions/split.c in another order. A pixel leads to its deepest
 * neighbour of those that come before it, which is known at once; seeds lead to themselves. Where basins meet first, and in
 * which order, is the minimum spanning tree of the meetings (Boruvka), sorted. */
#pragma once

#include "mask.cuh"

enum { VT_RG_MOST_PARTS = 2 * RG_MAX_BASINS, VT_RG_FIRST_BASIN = 65535 - RG_MAX_SEEDS };

/* Basins come first, then the unions of two that met. */
struct VtRgBasins {
  uint32_t *best, *met, *sorted;                    /* by basin; of the meetings that join two */
  uint16_t *part_of, *next, *left, *right, *saddle; /* part_of, next: of a basin, while they are joined */
  uint16_t *peak, *up, *from, *to; /* of basins and unions; from, to: basins in the order of the tree */
  uint16_t *stack;
  int32_t n, n_met;
};

/* A part: of its basin or union, held by an earlier part or, -1, by the whole. */
struct VtRgPart {
  uint16_t basin;
  int16_t parent;
  uint8_t neck;
};

struct VtRgSplit {
  VtRgMask mask; /* with a margin of 1 */
  uint16_t *way,
    *depth; /* by pixel, with a frame of 1. way: the distance, the way up, the basin as 65535 less its number */
  VtRgPart *parts;
  VtRgBasins basins;
  int32_t across; /* pixels of a row with its frame */
};

static inline __host__ __device__ size_t
vt_rg_basins_bytes(int32_t n)
{
  return static_cast<size_t>(n) * (3 * sizeof(uint32_t) + 15 * sizeof(uint16_t)) + n % 2 * sizeof(uint16_t);
}

/* Of the memory that a region of such a box takes, but for its basins. */
static inline __host__ __device__ size_t
vt_rg_split_bytes(int32_t width, int32_t height)
{
  const size_t pixels = static_cast<size_t>(width + 2) * static_cast<size_t>(height + 2);
  return VT_RG_MASKS * vt_rg_plane_words(width, height, 1) * sizeof(uint32_t) + (pixels + 1) / 2 * 8
         + VT_RG_MOST_PARTS * 8;
}

static __device__ VtRgSplit
vt_rg_split_in(const VtRgBox &box, uint32_t *memory)
{
  const int32_t width = vt_rg_width(box), height = vt_rg_height(box);
  const int32_t pixels = (width + 2) * (height + 2), half = (pixels + 1) / 2;
  VtRgSplit s = {};
  s.mask = vt_rg_mask(box, 1, memory);
  uint32_t *rest = memory + VT_RG_MASKS * vt_rg_plane_words(width, height, 1);
  s.way = reinterpret_cast<uint16_t *>(rest);
  s.depth = reinterpret_cast<uint16_t *>(rest + half);
  s.parts = reinterpret_cast<VtRgPart *>(rest + 2 * half);
  s.across = width + 2;
  return s;
}

/* Behind the rest; of n basins. */
static __device__ void
vt_rg_place_basins(VtRgSplit *s, int32_t n)
{
  uint32_t *words = reinterpret_cast<uint32_t *>(s->parts) + VT_RG_MOST_PARTS * 2;
  VtRgBasins *b = &s->basins;
  b->n = n;
  b->n_met = 0;
  b->best = words;
  b->met = words + n;
  b->sorted = words + 2 * n;
  uint16_t *at = reinterpret_cast<uint16_t *>(words + 3 * n);
  b->part_of = at;
  b->next = at + n;
  b->left = at + 2 * n;
  b->right = at + 3 * n;
  b->saddle = at + 4 * n;
  b->peak = at + 5 * n;
  b->up = at + 7 * n;
  b->from = at + 9 * n;
  b->to = at + 11 * n;
  b->stack = at + 13 * n;
}

/* Calls f(p, lane's column or beyond the row, row) for the pixels of each row, 32 at a time, all lanes at once. */
template <typename F>
static __device__ __forceinline__ void
vt_rg_each_pixel(const VtRgSplit &s, const F &f)
{
  const int32_t width = vt_rg_width(s.mask.box), height = vt_rg_height(s.mask.box);
  for (int32_t y = 0; y < height; y++)
    for (int32_t x0 = 0; x0 < width; x0 += VT_RG_LANES) {
      const int32_t x = x0 + vt_rg_lane();
      f((y + 1) * s.across + x + 1, x < width && vt_rg_bit(s.mask, x + 1, y + 1));
    }
}

static __device__ __forceinline__ int32_t
vt_rg_near(const VtRgSplit &s, int k)
{
  return k < 3 ? k - 1 - s.across : k < 5 ? (k == 3 ? -1 : 1) : k - 6 + s.across;
}

/* One row of the chamfer distance 5-7: from the row that was done before it, and along itself. back: from right to left. */
static __device__ void
sweep_row(const VtRgSplit &s, int32_t y, int32_t other, bool back)
{
  const int32_t width = vt_rg_width(s.mask.box), lane = vt_rg_lane();
  int32_t carry = 0;
  for (int32_t x0 = 0; x0 < width; x0 += VT_RG_LANES) {
    const int32_t x = back ? width - 1 - x0 - lane : x0 + lane, p = y * s.across + x + 1;
    const bool inside = x >= 0 && x < width;
    int32_t d = 0;
    if (inside && vt_rg_bit(s.mask, x + 1, y)) {
      const uint16_t *near = s.way + other * s.across + x + 1;
      d = min(near[0] + 5, min(near[-1], near[1]) + 7);
      if (back)
        d = min(d, static_cast<int32_t>(s.way[p]));
    }
    d -= 5 * lane;
#pragma unroll
    for (int k = 1; k < VT_RG_LANES; k *= 2) {
      const int32_t before = __shfl_up_sync(~0u, d, k);
      d = lane >= k ? min(d, before) : d;
    }
    d = min(d + 5 * lane, carry + 5 * (lane + 1));
    carry = __shfl_sync(~0u, d, VT_RG_LANES - 1);
    if (inside)
      s.way[p] = static_cast<uint16_t>(d);
  }
  __syncwarp();
}

/* Distance, then depth: summed over 3 x 3 pixels, of those inside. */
static __device__ void
vt_rg_find_depth(const VtRgSplit &s)
{
  const int32_t height = vt_rg_height(s.mask.box), n = s.across * (height + 2);
  for (int32_t p = vt_rg_lane(); p < n; p += VT_RG_LANES)
    s.way[p] = s.depth[p] = 0;
  __syncwarp();
  for (int32_t y = 1; y <= height; y++)
    sweep_row(s, y, y - 1, false);
  for (int32_t y = height; y >= 1; y--)
    sweep_row(s, y, y + 1, true);
  vt_rg_each_pixel(s, [&](int32_t p, bool inside) {
    if (!inside)
      return;
    uint32_t sum = s.way[p];
#pragma unroll
    for (int k = 0; k < 8; k++)
      sum += s.way[p + vt_rg_near(s, k)];
    s.depth[p] = static_cast<uint16_t>(sum / 4);
  });
  __syncwarp();
}

/* way: of each pixel its deepest neighbour of those that come before it, of equals the first; itself: a seed. How many seeds. */
static __device__ int32_t
vt_rg_find_ways(const VtRgSplit &s)
{
  int32_t n = 0;
  vt_rg_each_pixel(s, [&](int32_t p, bool inside) {
    if (!inside)
      return;
    const int32_t own = s.depth[p];
    int32_t best = -1, at = p;
#pragma unroll
    for (int k = 0; k < 8; k++) {
      const int32_t q = p + vt_rg_near(s, k), depth = s.depth[q];
      if (depth > best && (k < 4 ? depth >= own : depth > own)) {
        best = depth;
        at = q;
      }
    }
    s.way[p] = static_cast<uint16_t>(at);
    n += at == p;
  });
  __syncwarp();
  return vt_rg_sum(n);
}

/* way becomes the basin of each pixel, as 65535 less its number. */
static __device__ void
vt_rg_number_basins(const VtRgSplit &s)
{
  for (bool moves = true; moves;) {
    bool mine = false;
    vt_rg_each_pixel(s, [&](int32_t p, bool inside) {
      const uint16_t up = inside ? s.way[p] : 0, further = inside ? s.way[up] : 0;
      __syncwarp();
      if (further != up)
        s.way[p] = further;
      mine = mine || further != up;
      __syncwarp();
    });
    moves = __any_sync(~0u, mine);
  }
  const VtRgBasins &b = s.basins;
  int32_t n = 0;
  vt_rg_each_pixel(s, [&](int32_t p, bool inside) {
    const bool is_seed = inside && s.way[p] == p;
    const uint32_t seeds = __ballot_sync(~0u, is_seed);
    if (is_seed) {
      const int32_t k = n + __popc(seeds & ((1u << vt_rg_lane()) - 1));
      s.way[p] = static_cast<uint16_t>(65535 - k);
      b.peak[k] = s.depth[p];
      b.part_of[k] = b.up[k] = static_cast<uint16_t>(k);
    }
    n += __popc(seeds);
  });
  __syncwarp();
  vt_rg_each_pixel(s, [&](int32_t p, bool inside) {
    const uint16_t up = inside ? s.way[p] : 65535, basin = up < VT_RG_FIRST_BASIN ? s.way[up] : up;
    __syncwarp();
    if (inside)
      s.way[p] = basin;
    __syncwarp();
  });
}

static __device__ __forceinline__ int32_t
vt_rg_basin_at(const VtRgSplit &s, int32_t p)
{
  return 65535 - s.way[p];
}

/* A meeting: when pixel p comes, deepest first, then row by row; and with which of its neighbours. */
static __device__ __forceinline__ uint32_t
vt_rg_meeting(int32_t depth, int32_t p, int k)
{
  return static_cast<uint32_t>(2047 - depth) << 19 | static_cast<uint32_t>(p) << 3 | static_cast<uint32_t>(k);
}

static __device__ __forceinline__ int32_t
vt_rg_meeting_pixel(uint32_t meeting)
{
  return static_cast<int32_t>(meeting >> 3 & 0xffff);
}

static __device__ __forceinline__ int32_t
vt_rg_meeting_other(const VtRgSplit &s, uint32_t meeting)
{
  return vt_rg_meeting_pixel(meeting) + vt_rg_near(s, static_cast<int>(meeting & 7));
}

/* best: of each set of basins its first meeting with another. */
static __device__ void
vt_rg_find_best(const VtRgSplit &s)
{
  const VtRgBasins &b = s.basins;
  for (int32_t k = vt_rg_lane(); k < b.n; k += VT_RG_LANES)
    b.best[k] = UINT32_MAX;
  __syncwarp();
  vt_rg_each_pixel(s, [&](int32_t p, bool inside) {
    if (!inside)
      return;
    const int32_t own = s.depth[p], mine = b.part_of[vt_rg_basin_at(s, p)];
#pragma unroll
    for (int k = 0; k < 8; k++) {
      const int32_t q = p + vt_rg_near(s, k), depth = s.depth[q];
      if (k < 4 ? depth < own : depth <= own)
        continue;
      const int32_t other = b.part_of[vt_rg_basin_at(s, q)];
      if (other == mine)
        continue;
      atomicMin(b.best + mine, vt_rg_meeting(own, p, k));
      atomicMin(b.best + other, vt_rg_meeting(own, p, k));
    }
  });
  __syncwarp();
}

/* Each set is joined with that which it meets first; of two that meet each other first, the later with the earlier. */
static __device__ void
vt_rg_join_best(VtRgSplit *s)
{
  VtRgBasins *b = &s->basins;
  for (int32_t k0 = 0; k0 < b->n; k0 += VT_RG_LANES) {
    const int32_t k = k0 + vt_rg_lane();
    bool joins = false;
    const uint32_t best = k < b->n && b->part_of[k] == k ? b->best[k] : UINT32_MAX;
    if (best != UINT32_MAX) {
      const int32_t one = b->part_of[vt_rg_basin_at(*s, vt_rg_meeting_pixel(best))],
                    two = b->part_of[vt_rg_basin_at(*s, vt_rg_meeting_other(*s, best))];
      const int32_t other = one == k ? two : one;
      joins = b->best[other] != best || k > other;
      b->next[k] = static_cast<uint16_t>(joins ? other : k);
    } else if (k < b->n) {
      b->next[k] = b->part_of[k];
    }
    const uint32_t all = __ballot_sync(~0u, joins);
    if (joins)
      b->met[b->n_met + __popc(all & ((1u << vt_rg_lane()) - 1))] = b->best[k];
    b->n_met += __popc(all);
  }
  __syncwarp();
  for (int32_t k = vt_rg_lane(); k < b->n; k += VT_RG_LANES) {
    int32_t at = k;
    while (b->next[at] != at)
      at = b->next[at];
    b->part_of[k] = static_cast<uint16_t>(at);
  }
  __syncwarp();
}

static __device__ void
vt_rg_sort_meetings(const VtRgBasins &b)
{
  for (int32_t k = vt_rg_lane(); k < b.n_met; k += VT_RG_LANES) {
    const uint32_t own = b.met[k];
    int32_t rank = 0;
    for (int32_t i = 0; i < b.n_met; i++)
      rank += b.met[i] < own;
    b.sorted[rank] = own;
  }
  __syncwarp();
}

static __device__ int32_t
vt_rg_find_union(const VtRgBasins &b, int32_t k)
{
  while (b.up[k] != k)
    k = b.up[k] = b.up[b.up[k]];
  return k;
}

static __device__ bool
vt_rg_is_neck(const VtRgBasins &b, int32_t both)
{
  const int32_t k = both - b.n, low = min(b.peak[b.left[k]], b.peak[b.right[k]]);
  return b.saddle[k] * 256 <= low * RG_NECK;
}

/* One lane: the unions in the order of the meetings. How many halves are parts. */
static __device__ int32_t
vt_rg_join_basins(const VtRgSplit &s)
{
  const VtRgBasins &b = s.basins;
  int32_t n_parts = 0;
  for (int32_t i = 0; i < b.n_met; i++) {
    const uint32_t meeting = b.sorted[i];
    const int32_t p = vt_rg_meeting_pixel(meeting), both = b.n + i;
    const int32_t one = vt_rg_find_union(b, vt_rg_basin_at(s, p)),
                  two = vt_rg_find_union(b, vt_rg_basin_at(s, vt_rg_meeting_other(s, meeting)));
    b.left[i] = static_cast<uint16_t>(one);
    b.right[i] = static_cast<uint16_t>(two);
    b.saddle[i] = s.depth[p];
    b.peak[both] = max(b.peak[one], b.peak[two]);
    b.up[both] = b.up[one] = b.up[two] = static_cast<uint16_t>(both);
    n_parts += vt_rg_is_neck(b, both) ? 2 : 0;
  }
  return n_parts;
}

/* One lane: from and to, by depth first search from the whole down. */
static __device__ void
vt_rg_rank_basins(const VtRgBasins &b)
{
  int32_t n = 0;
  uint16_t next = 0;
  b.stack[n++] = static_cast<uint16_t>(b.n + b.n_met - 1);
  while (n > 0) {
    const int32_t k = b.stack[--n];
    b.from[k] = next;
    if (k < b.n) {
      b.to[k] = ++next;
      continue;
    }
    b.stack[n++] = b.right[k - b.n];
    b.stack[n++] = b.left[k - b.n];
  }
  for (int32_t k = b.n; k < b.n + b.n_met; k++)
    b.to[k] = b.to[b.right[k - b.n]];
}

/* One lane: the parts, what holds a part before it. A union is later than its halves, so that `up` can say what holds it. */
static __device__ void
vt_rg_list_parts(const VtRgSplit &s)
{
  const VtRgBasins &b = s.basins;
  int32_t n = 0;
  b.up[b.n + b.n_met - 1] = 0; /* 1 + the part that holds it; 0: the whole */
  for (int32_t i = b.n_met - 1; i >= 0; i--) {
    const uint16_t holder = b.up[b.n + i];
    const bool is_neck = vt_rg_is_neck(b, b.n + i);
    for (int side = 0; side < 2; side++) {
      const int32_t half = side ? b.right[i] : b.left[i], peak = b.peak[half];
      b.up[half] = holder;
      if (!is_neck)
        continue;
      s.parts[n++] = VtRgPart{ static_cast<uint16_t>(half), static_cast<int16_t>(holder - 1),
                               static_cast<uint8_t>(b.saddle[i] * 255 / max(peak, 1)) };
      b.up[half] = static_cast<uint16_t>(n);
    }
  }
}
