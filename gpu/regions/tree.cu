/* SPDX-License-Identifier: MIT
 *
 * The component tree of cpu/regions/tree.c, merged from all pixels at once (Blin et al., Max-tree computation on GPUs, 2022):
 * keys make the pixels of a connected set a chain to its lowest, and an edge joins two chains by maxima. In tiles on chip
 * first, then across their edges. A component that is larger than a candidate may be is left as it is: nothing looks at it. */
#include "regions.cuh"
#include "../pixels.cuh"

enum { TILE = 32, TILE_ROWS = 8, TILE_THREADS = TILE * TILE_ROWS, TILE_OWN = TILE / TILE_ROWS };
enum { NEAR_BITS = 10 /* of a place in a tile */, NEAR = (1 << NEAR_BITS) - 1 };

static __device__ __forceinline__ uint32_t
level_of(uint32_t key)
{
  return key >> VT_RG_INDEX_BITS;
}

static __device__ __forceinline__ uint32_t
key_at(const VtRgWindow &w, uint32_t i)
{
  return static_cast<uint32_t>(w.level[i]) << VT_RG_INDEX_BITS | i;
}

/* Of two chains that an edge joins, the higher pixel's parent becomes the other one, if it is lower than that; what was the
 * parent is then to be joined with the lower. Nothing but maxima, so that no order is wrong. */
static __device__ void
join_near(uint32_t *up, uint32_t a, uint32_t b)
{
  while (a != b) {
    const uint32_t high = max(a, b), low = min(a, b), before = atomicMax(up + (high & NEAR), low);
    if (before == 0)
      return;
    a = before;
    b = low;
  }
}

/* The same over the whole window. Where two keys and the next have one level, the way becomes shorter: what another thread
 * wrote there meanwhile is joined with the next one by that thread. */
static __device__ void
join_far(uint32_t *up, uint32_t a, uint32_t b)
{
  volatile uint32_t *at = up;
  while (a != b) {
    const uint32_t high = max(a, b), low = min(a, b), i = high & VT_RG_INDEX, next = at[i];
    if (next >= low) {
      const uint32_t further = at[next & VT_RG_INDEX];
      if (level_of(further) == level_of(high))
        at[i] = further;
      a = next;
      b = low;
      continue;
    }
    const uint32_t before = atomicMax(up + i, low);
    if (before == 0)
      return;
    a = before;
    b = low;
  }
}

/* An edge of a row of edges is left out where that before it is as high, or that behind it higher: those are joined, too. */
static __device__ __forceinline__ bool
is_needed(uint32_t edge, uint32_t before, uint32_t behind)
{
  return edge != 0 && before < edge && behind <= edge;
}

/* The keys of the pixels of a tile; 0: not of the tree. Of a run of one level in a row the first pixel stands for all: the
 * others lead to it, and no way leads to them. */
struct Tile {
  uint32_t key[TILE * TILE], head[TILE * TILE], up[TILE * TILE];
};

static __device__ void
load_tile(Tile *tile, const VtRgWindow &w, int64_t x0, int64_t y0)
{
  const int64_t height = w.n_inner / w.inner_width;
  const int c = vt_rg_lane();
  for (int k = 0; k < TILE_OWN; k++) {
    const int r = static_cast<int>(threadIdx.x) / TILE + k * TILE_ROWS, i = r * TILE + c;
    const bool inside = x0 + c < w.inner_width && y0 + r < height;
    const uint32_t level = inside ? w.level[(y0 + r) * w.inner_width + x0 + c] : 0;
    const uint32_t own = level >= RG_LOWEST_LEVEL ? level << NEAR_BITS : 0, before = __shfl_up_sync(~0u, own, 1);
    const uint32_t begins = __ballot_sync(~0u, c == 0 || own != before) & (~0u >> (TILE - 1 - c));
    const uint32_t head = static_cast<uint32_t>(r * TILE + TILE - 1 - __clz(static_cast<int>(begins)));
    tile->key[i] = own ? own | static_cast<uint32_t>(i) : 0;
    tile->head[i] = own ? own | head : 0;
    tile->up[i] = own && head != static_cast<uint32_t>(i) ? own | head : 0;
  }
}

static __device__ void
join_tile(Tile *tile)
{
  const int c = vt_rg_lane(), r0 = static_cast<int>(threadIdx.x) / TILE;
  for (int k = 0; k < TILE_OWN; k++) {
    const int i = (r0 + k * TILE_ROWS) * TILE + c;
    if (c > 0 && tile->key[i] && tile->head[i] == tile->key[i] && tile->head[i - 1])
      join_near(tile->up, tile->key[i], tile->head[i - 1]);
  }
  __syncthreads();
  for (int k = 0; k < TILE_OWN; k++) {
    const int r = r0 + k * TILE_ROWS, i = r * TILE + c;
    const uint32_t here = tile->key[i] >> NEAR_BITS, below = r + 1 < TILE ? tile->key[i + TILE] >> NEAR_BITS : 0;
    const uint32_t edge = min(here, below), before = __shfl_up_sync(~0u, edge, 1),
                   behind = __shfl_down_sync(~0u, edge, 1);
    if (is_needed(edge, c > 0 ? before : 0, c + 1 < TILE ? behind : 0))
      join_near(tile->up, tile->head[i], tile->head[i + TILE]);
  }
}

/* The lowest pixel of the key's level on its way up. */
static __device__ uint32_t
near_root(const Tile *tile, uint32_t key)
{
  for (;;) {
    const uint32_t up = tile->up[key & NEAR];
    if (up >> NEAR_BITS != key >> NEAR_BITS)
      return key;
    key = up;
  }
}

static __global__ void
__launch_bounds__(TILE_THREADS) join_tiles(VtRgWindow w)
{
  __shared__ Tile tile;
  const int64_t across = (w.inner_width + TILE - 1) / TILE, height = w.n_inner / w.inner_width;
  const int64_t x0 = blockIdx.x % across * TILE, y0 = blockIdx.x / across * TILE;
  const int c = vt_rg_lane();
  load_tile(&tile, w, x0, y0);
  __syncthreads();
  join_tile(&tile);
  __syncthreads();
  for (int k = 0; k < TILE_OWN; k++) {
    const int r = static_cast<int>(threadIdx.x) / TILE + k * TILE_ROWS, i = r * TILE + c;
    if (x0 + c >= w.inner_width || y0 + r >= height)
      continue;
    const uint32_t key = tile.key[i];
    uint32_t up = key ? near_root(&tile, key) : 0;
    if (up == key && key)
      up = tile.up[i] ? near_root(&tile, tile.up[i]) : 0;
    const uint32_t at = up & NEAR;
    const int64_t place = (y0 + at / TILE) * w.inner_width + x0 + at % TILE;
    w.up[(y0 + r) * w.inner_width + x0 + c] =
      up ? up >> NEAR_BITS << VT_RG_INDEX_BITS | static_cast<uint32_t>(place) : 0;
  }
}

/* What an edge joins at: the lower level of both; 0: outside of the tree. */
static __device__ uint32_t
edge_at(const VtRgWindow &w, int64_t i, int64_t k)
{
  const uint32_t lower = min(w.level[i], w.level[k]);
  return lower >= RG_LOWEST_LEVEL ? lower : 0;
}

/* Edges across the sides of tiles, each row or column of them at once: of across * height pairs, then of down * width. */
static __global__ void
__launch_bounds__(TILE_THREADS) join_sides(VtRgWindow w)
{
  const int64_t width = w.inner_width, height = w.n_inner / width;
  const int64_t across = (width - 1) / TILE * height, down = (height - 1) / TILE * width;
  const int64_t n = blockIdx.x * static_cast<int64_t>(TILE_THREADS) + threadIdx.x;
  if (n >= across + down)
    return;
  const bool is_across = n < across;
  int64_t i, step, along, at, length;
  if (is_across) {
    at = n % height;
    length = height;
    i = at * width + (n / height + 1) * TILE;
    step = 1;
    along = width;
  } else {
    at = (n - across) % width;
    i = ((n - across) / width + 1) * TILE * width + at;
    step = width;
    along = 1;
    /* Pixels of two tiles are joined by edges that are left out, too. */
    length = min(at / TILE * TILE + TILE, width);
  }
  const bool has_before = is_across ? at > 0 : at % TILE > 0, has_behind = at + 1 < length;
  const uint32_t edge = edge_at(w, i, i - step);
  if (is_needed(edge, has_before ? edge_at(w, i - along, i - along - step) : 0,
                has_behind ? edge_at(w, i + along, i + along - step) : 0))
    join_far(w.up, key_at(w, static_cast<uint32_t>(i)), key_at(w, static_cast<uint32_t>(i - step)));
}

/* Ways to a pixel's node become one step, and a node's to its parent. What is written meanwhile leads to the same place. */
struct Shorten {
  VtRgWindow w;

  __device__ void operator()(int64_t x, int64_t y, bool inside) const
  {
    const uint32_t i = static_cast<uint32_t>(y * w.inner_width + x);
    if (!inside || w.level[i] < RG_LOWEST_LEVEL)
      return;
    volatile uint32_t *up = w.up;
    const uint32_t own = key_at(w, i), first = up[i];
    if (first == 0)
      return;
    uint32_t key = first;
    for (;;) {
      const uint32_t next = up[key & VT_RG_INDEX];
      if (level_of(next) != level_of(key))
        break;
      key = next;
    }
    if (key != first)
      up[i] = key;
    if (level_of(key) != level_of(own))
      w.nodes[i].parent = key;
  }
};

/* Whether it has grown beyond the limits, so that nothing else of it counts. */
static __device__ bool
is_large(const VtRgWindow &w, const volatile VtRgNode *node)
{
  return node->right - (INT32_MAX - node->left) >= w.largest || node->bottom - (INT32_MAX - node->top) >= w.largest;
}

/* Adds a run of one node's pixels up. */
static __device__ void
add_run(const VtRgWindow &w, VtRgNode *node, int32_t n, int32_t x, int32_t y)
{
  const volatile VtRgNode *now = node;
  if (is_large(w, node))
    return;
  atomicAdd(&node->area, n);
  if (now->left < INT32_MAX - x)
    atomicMax(&node->left, INT32_MAX - x);
  if (now->top < INT32_MAX - y)
    atomicMax(&node->top, INT32_MAX - y);
  if (now->right < x + n - 1)
    atomicMax(&node->right, x + n - 1);
  if (now->bottom < y)
    atomicMax(&node->bottom, y);
}

/* Areas and boxes of the nodes' own pixels, and how many children each has. */
struct Count {
  VtRgWindow w;

  __device__ void operator()(int64_t x, int64_t y, bool inside) const
  {
    const uint32_t i = static_cast<uint32_t>(y * w.inner_width + x);
    const int lane = vt_rg_lane();
    uint32_t node = UINT32_MAX;
    if (inside && w.level[i] >= RG_LOWEST_LEVEL) {
      const uint32_t parent = w.nodes[i].parent;
      const bool is_node = parent != 0 || w.up[i] == 0;
      node = is_node ? i : w.up[i] & VT_RG_INDEX;
      if (parent != 0 && !is_large(w, w.nodes + (parent & VT_RG_INDEX)))
        atomicAdd(&w.nodes[parent & VT_RG_INDEX].n_children, 1);
    }
    if (inside)
      w.node_of[i] = node;
    const uint32_t before = __shfl_up_sync(~0u, node, 1);
    const bool begins = lane == 0 || node != before;
    const uint32_t beginnings = __ballot_sync(~0u, begins), later = lane < 31 ? beginnings >> (lane + 1) : 0;
    if (node == UINT32_MAX || !begins)
      return;
    const int32_t n = later ? __ffs(static_cast<int>(later)) : VT_RG_LANES - lane;
    add_run(w, w.nodes + node, n, static_cast<int32_t>(x), static_cast<int32_t>(y));
  }
};

/* As other multiprocessors left it. */
static __device__ VtRgNode
read_node(const VtRgNode *node)
{
  const int4 *words = reinterpret_cast<const int4 *>(node), first = __ldcg(words), second = __ldcg(words + 1);
  return VtRgNode{ first.x, first.y, first.z, first.w, second.x, second.y, second.z, static_cast<uint32_t>(second.w) };
}

static __device__ bool
is_within(const VtRgWindow &w, int32_t left, int32_t top, int32_t right, int32_t bottom)
{
  const int32_t x0 = INT32_MAX - left, y0 = INT32_MAX - top;
  const int32_t last_x = w.inner.x1 - w.inner.x0, last_y = w.inner.y1 - w.inner.y0;
  const bool is_cut = (x0 == 0 && !(w.edges & VT_EDGE_LEFT)) || (y0 == 0 && !(w.edges & VT_EDGE_TOP))
                      || (right == last_x && !(w.edges & VT_EDGE_RIGHT))
                      || (bottom == last_y && !(w.edges & VT_EDGE_BOTTOM));
  return !is_cut && right - x0 < w.largest && bottom - y0 < w.largest;
}

/* From each node without children up: the last child of a node goes on, as long as the node is within the limits. What is
 * above one that is not is not, either. */
struct Gather {
  VtRgWindow w;

  __device__ void operator()(int64_t x, int64_t y, bool inside) const
  {
    uint32_t i = static_cast<uint32_t>(y * w.inner_width + x);
    if (!inside || w.node_of[i] != i || w.nodes[i].n_children != 0)
      return;
    for (;;) {
      const VtRgNode node = read_node(w.nodes + i);
      if (!is_within(w, node.left, node.top, node.right, node.bottom))
        return;
      w.nodes[i].n_children = VT_RG_WHOLE;
      if (node.parent == 0)
        return;
      VtRgNode *up = w.nodes + (node.parent & VT_RG_INDEX);
      atomicAdd(&up->area, node.area);
      atomicMax(&up->left, node.left);
      atomicMax(&up->top, node.top);
      atomicMax(&up->right, node.right);
      atomicMax(&up->bottom, node.bottom);
      __threadfence();
      const int32_t n = __ldcg(&up->n_children);
      if (atomicAdd(&up->n_arrived, 1) + 1 != n)
        return;
      __threadfence();
      i = node.parent & VT_RG_INDEX;
    }
  }
};

VitrailStatus
vt_rg_tree(VtDevice *device, const VtRgWindow &w)
{
  const int64_t width = w.inner_width, height = w.n_inner / width;
  const size_t n = static_cast<size_t>(w.n_inner);
  const int64_t sides = (width - 1) / TILE * height + (height - 1) / TILE * width;
  VT_GPU_TRY(device, cudaMemsetAsync(w.nodes, 0, n * sizeof *w.nodes, device->stream));
  VT_TRY(vt_gpu_launch(device, "join_tiles", join_tiles, vt_gpu_blocks(width, TILE) * vt_gpu_blocks(height, TILE),
                       TILE_THREADS, w));
  if (sides > 0)
    VT_TRY(vt_gpu_launch(device, "join_sides", join_sides, vt_gpu_blocks(sides, TILE_THREADS), TILE_THREADS, w));
  VT_TRY(vt_gpu_pixels(device, "shorten", width, height, Shorten{ w }));
  VT_TRY(vt_gpu_pixels(device, "count", width, height, Count{ w }));
  return vt_gpu_pixels(device, "gather", width, height, Gather{ w });
}
