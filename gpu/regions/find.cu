/* SPDX-License-Identifier: MIT
 *
 * The candidates of the tree's nodes (cpu/regions/candidates.c): a warp draws one, fills its holes and opens it. In a hole it
 * meets the first pixels of others: those are adopted by the smallest that holds them. */
#include "mask.cuh"

struct Find {
  VtRgWindow w;
  VtRgCandidates all;
  uint32_t *words;
  int32_t memory; /* words of a warp */
};

static __device__ VtRgBox
box_of(const VtRgWindow &w, const VtRgNode &node)
{
  return VtRgBox{ w.inner.x0 + INT32_MAX - node.left, w.inner.y0 + INT32_MAX - node.top, w.inner.x0 + node.right,
                  w.inner.y0 + node.bottom };
}

static __device__ void
draw(const VtRgMask &m, const VtRgWindow &w, uint32_t start, uint32_t area)
{
  vt_rg_clear(m, m.bits);
  const int32_t lane = vt_rg_lane(), width = vt_rg_width(m.box), height = vt_rg_height(m.box);
  const uint32_t *corner = w.place + (m.box.y0 - w.inner.y0) * w.inner_width + m.box.x0 - w.inner.x0;
  for (int32_t j = 0; j < m.n_words; j++) {
    const int32_t x = 32 * j + lane - m.margin;
    const bool inside = x >= 0 && x < width;
#pragma unroll 4
    for (int32_t y = 0; y < height; y++) {
      const uint32_t place = inside ? corner[y * w.inner_width + x] : UINT32_MAX;
      const uint32_t word = __ballot_sync(~0u, place - start < area);
      if (lane == 0)
        m.bits[(y + m.margin) * m.pitch + j] = word;
    }
  }
  __syncwarp();
}

/* Bits of a word that are pixels of the box and its margin. */
static __device__ uint32_t
valid(const VtRgMask &m, int32_t j)
{
  const int32_t n = vt_rg_width(m.box) + 2 * m.margin - 32 * j;
  return n >= 32 ? ~0u : (1u << n) - 1;
}

/* spare: what the outside reaches, by 8 neighbours, from the margin's outermost line on. */
static __device__ void
flood_outside(const VtRgMask &m)
{
  const int32_t last = vt_rg_width(m.box) + 2 * m.margin - 1;
  for (int32_t y = vt_rg_lane(); y < m.rows; y += VT_RG_LANES)
    for (int32_t j = 0; j < m.n_words; j++) {
      const uint32_t sides = (j == 0 ? 1u : 0u) | (j == last / 32 ? 1u << (last & 31) : 0u);
      m.spare[y * m.pitch + j] = y == 0 || y + 1 == m.rows ? valid(m, j) : sides;
    }
  __syncwarp();
  for (bool moves = true; moves;) {
    bool grows = false;
    for (int32_t y = 1 + vt_rg_lane(); y < m.rows - 1 + vt_rg_lane(); y += VT_RG_LANES)
      for (int32_t j = 0; j < m.n_words; j++) {
        const int32_t i = y * m.pitch + j;
        uint32_t now = 0, before = 0;
        if (y + 1 < m.rows) {
          before = m.spare[i];
          const uint32_t near = vt_rg_wide(m, m.spare, i - m.pitch, j) | vt_rg_wide(m, m.spare, i, j)
                                | vt_rg_wide(m, m.spare, i + m.pitch, j);
          now = before | vt_rg_along(near, valid(m, j) & ~m.bits[i]);
        }
        __syncwarp();
        if (now != before) {
          m.spare[i] = now;
          grows = true;
        }
        __syncwarp();
      }
    moves = __any_sync(~0u, grows);
  }
}

/* A first pixel of a node that is a candidate and not around node n: it lies in a hole of that. */
static __device__ void
adopt(const Find &f, int32_t x, int32_t y, uint32_t n, unsigned long long key)
{
  const VtRgWindow &w = f.w;
  const int64_t i = (y - w.inner.y0) * w.inner_width + x - w.inner.x0;
  const int32_t other = w.candidate[i];
  if (other >= 0 && w.start[n] - w.start[i] >= static_cast<uint32_t>(w.nodes[i].area))
    atomicMin(f.all.adopted + other, key);
}

/* What lies in the holes is adopted by the candidate; the area with them. */
static __device__ int32_t
fill_holes(const Find &f, const VtRgMask &m, const VtRgCandidate &c, int32_t at)
{
  flood_outside(m);
  int32_t area = 0;
  vt_rg_each_word(m, [&](int32_t i, int32_t j) { area += __popc(valid(m, j) & ~m.spare[i]); });
  area = vt_rg_sum(area);
  const unsigned long long key =
    (static_cast<unsigned long long>(area) << 7 | (VT_RG_N_LEVELS - 1 - c.level)) << 32 | static_cast<uint32_t>(at);
  vt_rg_each_word(m, [&](int32_t i, int32_t j) {
    const uint32_t filled = valid(m, j) & ~m.spare[i];
    for (uint32_t hole = filled & ~m.bits[i]; hole; hole &= hole - 1)
      adopt(f, m.box.x0 - m.margin + 32 * j + __ffs(static_cast<int>(hole)) - 1, m.box.y0 - m.margin + i / m.pitch,
            static_cast<uint32_t>(c.node), key);
    m.bits[i] = filled;
  });
  __syncwarp();
  return area;
}

static __device__ void
list(const Find &f, int32_t area, int32_t at)
{
  const int32_t which = area >= 1200 ? 0 : area >= 500 ? 1 : area >= 200 ? 2 : 3;
  const uint32_t place = atomicAdd(f.words + VT_RG_N_SPLIT + which, 1u);
  f.all.split_lists[static_cast<int64_t>(which) * f.all.n_nodes + place] = at;
}

static __device__ void
find_one(const Find &f, int32_t at, uint32_t *memory)
{
  VtRgCandidate c = f.all.at[at];
  const VtRgNode node = f.w.nodes[c.node];
  const VtRgMask m = vt_rg_mask(box_of(f.w, node), 1, memory);
  draw(m, f.w, f.w.start[c.node], static_cast<uint32_t>(node.area));
  c.area = vt_rg_euler(m, m.bits) < 1 ? fill_holes(f, m, c, at) : node.area;
  if (vt_rg_open(m, false) < RG_MIN_AREA)
    c.area = 0;
  else
    vt_rg_store(m, f.all, f.words, &c);
  if (vt_rg_lane() == 0) {
    f.all.at[at] = c;
    if (c.area >= RG_MIN_SPLIT)
      list(f, c.area, at);
  }
  __syncwarp();
}

static __global__ void
__launch_bounds__(VT_RG_WARPS *VT_RG_LANES) find(Find f)
{
  extern __shared__ uint32_t memory[];
  uint32_t *own = memory + threadIdx.x / VT_RG_LANES * f.memory;
  for (int32_t at = vt_rg_next(f.words); at < f.all.n_nodes; at = vt_rg_next(f.words))
    find_one(f, at, own);
}

VitrailStatus
vt_rg_find(VtDevice *device, const VtRgWindow &w, const VtRgCandidates &all)
{
  Find f = { w, all, device->words, VT_RG_MASKS * vt_rg_plane_words(w.largest, w.largest, 1) };
  return vt_rg_launch(device, "find", find, all.n_nodes, static_cast<size_t>(f.memory) * sizeof(uint32_t), f);
}
