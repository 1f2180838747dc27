/* SPDX-License-Identifier: MIT
 *
 * Which nodes of the tree become candidates: those of cpu/regions/candidates.c that are kept before they are opened. What is
 * left of a node once it is opened holds what is left of each below it, so that this choice need not know what is left. */
#include "regions.cuh"
#include "../pixels.cuh"

static __device__ bool
is_whole(const VtRgNode &node)
{
  return node.n_children == VT_RG_WHOLE;
}

static __device__ bool
is_whole_node(const VtRgWindow &w, uint32_t i, bool inside)
{
  return inside && w.node_of[i] == i && is_whole(w.nodes[i]);
}

/* Where the pixels of a node stand among those of its parent; of a node without one within the limits, among all. */
struct Place {
  VtRgWindow w;
  uint32_t *words;

  __device__ void operator()(int64_t x, int64_t y, bool inside) const
  {
    const uint32_t i = static_cast<uint32_t>(y * w.inner_width + x), parent = inside ? w.nodes[i].parent : 0;
    const bool is_node = is_whole_node(w, i, inside);
    const bool is_top = is_node && (parent == 0 || !is_whole(w.nodes[parent & VT_RG_INDEX]));
    const uint32_t area = is_node ? static_cast<uint32_t>(w.nodes[i].area) : 0;
    /* The tops of a warp take their places together. */
    uint32_t end = is_top ? area : 0, first = 0;
    for (int k = 1; k < VT_RG_LANES; k *= 2) {
      const uint32_t before = __shfl_up_sync(~0u, end, k);
      end += vt_rg_lane() >= k ? before : 0;
    }
    if (vt_rg_lane() == VT_RG_LANES - 1 && end > 0)
      first = atomicAdd(words + VT_RG_N_PIXELS, end);
    first = __shfl_sync(~0u, first, VT_RG_LANES - 1);
    if (is_top)
      w.offset[i] = first + end - area;
    else if (is_node) /* the parent has a pixel of its own, before those of its children */
      w.offset[i] = 1 + atomicAdd(w.cursor + (parent & VT_RG_INDEX), area);
  }
};

/* The node's way up gives the place of its pixels, and, from the top down again, which nodes on it are kept. */
struct Thin {
  VtRgWindow w;
  uint32_t *words;

  __device__ bool is_kept(uint32_t i) const
  {
    uint16_t areas[VT_RG_N_LEVELS];
    uint32_t start = 0, at = i;
    int n = 0, last = 0;
    for (;;) {
      const VtRgNode *node = w.nodes + at;
      start += w.offset[at];
      areas[n++] = static_cast<uint16_t>(node->area);
      if (node->parent == 0 || !is_whole(w.nodes[node->parent & VT_RG_INDEX]))
        break;
      at = node->parent & VT_RG_INDEX;
    }
    w.start[i] = start;
    if (areas[0] < RG_MIN_AREA)
      return false;
    int32_t kept = 0;
    for (int k = n - 1; k > 0; k--)
      if (kept == 0 || areas[k] * 100 <= kept * RG_STEP) {
        kept = areas[k];
        last = k;
      }
    if (kept != 0 && areas[0] * 100 > kept * RG_STEP)
      return false;
    at = i;
    for (int k = 0; k < last; k++)
      at = w.nodes[at].parent & VT_RG_INDEX;
    w.nodes[i].n_arrived = kept == 0 ? -1 : static_cast<int32_t>(at);
    return true;
  }
  __device__ void operator()(int64_t x, int64_t y, bool inside) const
  {
    const uint32_t i = static_cast<uint32_t>(y * w.inner_width + x);
    const bool kept = is_whole_node(w, i, inside) && is_kept(i);
    const uint32_t all = __ballot_sync(~0u, kept);
    int32_t n_words = 0;
    if (kept) {
      const VtRgNode node = w.nodes[i];
      n_words = (node.bottom - (INT32_MAX - node.top) + 1) * vt_rg_words(node.right - (INT32_MAX - node.left) + 1);
    }
    n_words = vt_rg_sum(n_words);
    uint32_t first = 0;
    if (vt_rg_lane() == 0 && all) {
      first = atomicAdd(words + VT_RG_N_CANDIDATES, static_cast<uint32_t>(__popc(all)));
      atomicAdd(words + VT_RG_N_MASKS, static_cast<uint32_t>(n_words));
    }
    first = __shfl_sync(~0u, first, 0);
    if (inside)
      w.candidate[i] = kept ? static_cast<int32_t>(first) + __popc(all & ((1u << vt_rg_lane()) - 1)) : -1;
  }
};

/* The place of each pixel; one that no node within the limits has stands behind all. */
struct Spread {
  VtRgWindow w;

  __device__ void operator()(int64_t x, int64_t y, bool inside) const
  {
    const int64_t i = y * w.inner_width + x;
    if (!inside)
      return;
    const uint32_t node = w.node_of[i];
    w.place[i] = node != UINT32_MAX && is_whole(w.nodes[node]) ? w.start[node] : UINT32_MAX;
  }
};

struct List {
  VtRgWindow w;
  VtRgCandidates all;

  __device__ void operator()(int64_t x, int64_t y, bool inside) const
  {
    const int64_t i = y * w.inner_width + x;
    const int32_t at = inside ? w.candidate[i] : -1;
    if (at < 0)
      return;
    VtRgCandidate c = {};
    c.node = static_cast<int32_t>(i);
    c.parent = w.nodes[i].n_arrived;
    c.level = w.level[i];
    all.at[at] = c;
    all.adopted[at] = VT_RG_NOBODY;
  }
};

VitrailStatus
vt_rg_thin(VtDevice *device, const VtRgWindow &w)
{
  const int64_t width = w.inner_width, height = w.n_inner / width;
  VT_GPU_TRY(device, cudaMemsetAsync(w.cursor, 0, static_cast<size_t>(w.n_inner) * sizeof *w.cursor, device->stream));
  VT_GPU_TRY(device, cudaMemsetAsync(device->words, 0, VT_GPU_N_WORDS * sizeof(uint32_t), device->stream));
  VT_TRY(vt_gpu_pixels(device, "place", width, height, Place{ w, device->words }));
  VT_TRY(vt_gpu_pixels(device, "thin", width, height, Thin{ w, device->words }));
  return vt_gpu_pixels(device, "spread", width, height, Spread{ w });
}

VitrailStatus
vt_rg_list(VtDevice *device, const VtRgWindow &w, const VtRgCandidates &all)
{
  return vt_gpu_pixels(device, "list", w.inner_width, w.n_inner / w.inner_width, List{ w, all });
}
