/* SPDX-License-Identifier: MIT
 *
 * regions.cuh: what the files of regions/ share. docs/nuclei.md has the definition, docs/kernels.md how the device
 * carries it out. A window is the tile and its halo; pixels of the tree are those of the inner window, which has lost
 * RG_FILTER_REACH at every side where the image goes on. */
#pragma once

#include "../common.cuh"
#include "vt-regions-rules.h"

enum { VT_RG_N_SUMMED = 8, VT_RG_MEANS_AT_ONCE = 10, VT_RG_N_SPARE = VT_RG_MEANS_AT_ONCE + 1 };
/* A pixel of the tree as a key: its level, then its place in the inner window. A parent has the smaller key. */
enum { VT_RG_INDEX_BITS = 25, VT_RG_N_LEVELS = 256 >> RG_LEVEL_SHIFT };
static const uint32_t VT_RG_INDEX = (1u << VT_RG_INDEX_BITS) - 1;

struct VtRgBox {
  int32_t x0, y0, x1, y1; /* window; x1, y1 are inside */
};

struct VtRgMap {
  int32_t constant, linear[RG_N_INPUTS], square[RG_N_SQUARES];
};

/* A node of a regression tree: a value of the feature > limit goes to next + 1, else to next. A leaf leads to itself, whose
 * limit is its answer. */
struct VtRgStep {
  int32_t limit;
  uint16_t next;
  uint8_t feature, depth; /* depth: of the tree, in its first node */
};

enum {
  VT_RG_N_LIMITS = 255 /* of a feature */,
  VT_RG_N_FORM = 1 + RG_N_FEATURES * (RG_N_FEATURES + 3) / 2,
  VT_RG_FORM_MOST = 65535 / 3
};
struct VtRgForest {
  const VtRgStep *steps;
  const int32_t *limits, *form; /* learn/forest.h */
  int32_t n_trees, tree_nodes, base;
};

/* The first pixel of a component, in whose place its values stand; all 0 to begin with. */
struct VtRgNode {
  int32_t area;
  int32_t left, top; /* INT32_MAX less the least x and y, in the inner window */
  int32_t right, bottom;
  int32_t n_children, n_arrived;
  uint32_t parent; /* key; 0: none */
};
static const int32_t VT_RG_WHOLE = -1; /* n_children of a node that is known to be within the limits */

struct VtRgWindow {
  int64_t width, height, pitch; /* of planes, in pixels */
  VtRgBox inner, tile;
  int64_t inner_width, n_inner;
  uint32_t edges; /* sides of the inner window where the image ends */
  int32_t largest;
  int16_t *plane[RG_N_PLANES], *spare[VT_RG_N_SPARE];
  uint4 *summed;  /* eight planes that are summed over masks, pixel by pixel; pitch */
  uint8_t *level; /* of the inner window */
  VtRgNode *nodes;
  uint32_t *up;     /* keys: the way to the pixel's node, then to the parent's */
  uint32_t *offset; /* the same memory, later: of a node's pixels among its parent's */
  uint32_t *place; /* the same memory, in the end: of a pixel's node among all; the node's own pixels and its children's
                      * have [start, start + area) */
  uint32_t *node_of;  /* of a pixel; UINT32_MAX: none */
  uint32_t *cursor;   /* of a node: of the next child's pixels */
  uint32_t *start;    /* the same memory, later */
  int32_t *candidate; /* of a node; -1: none */
  uint32_t *scores;   /* of the tile */
};

/* A region that may be chosen. */
struct VtRgCandidate {
  int32_t node;   /* of the tree, that it is of or is a part of */
  int32_t parent; /* the smallest candidate that holds it; -1: none. Of a node, to begin with: the node of that one */
  int32_t area;   /* holes filled, before it is opened; 0: nothing is left of it */
  VtRgBox box;
  uint32_t bits; /* of its mask: rows of (width + 31) / 32 words */
  uint8_t level, neck;
  bool is_part;
  uint16_t score;
  int32_t n_children, n_arrived;
  unsigned long long children, parts; /* what they are worth */
};
static const unsigned long long VT_RG_NOBODY = ~0ull;

struct VtRgCandidates {
  VtRgCandidate *at;
  unsigned long long *adopted; /* of nodes' candidates: area, level and number of the smallest in whose hole it lies */
  uint32_t *masks;
  int32_t *split_lists;
  int32_t n_nodes, room;
  uint32_t masks_room;
};
/* The device's words. */
enum { VT_RG_N_CANDIDATES, VT_RG_N_MASKS, VT_RG_N_PIXELS, VT_RG_NEXT, VT_RG_MIDDLE, VT_RG_FAR, VT_RG_N_SPLIT };
/* What may be split is listed by its area, the largest first, so that none of them is the last to begin: n_nodes places for
 * each list, whose lengths are the words from VT_RG_N_SPLIT on. */
enum { VT_RG_SPLIT_LISTS = 4 };

/* Of so many threads of a warp. */
enum { VT_RG_LANES = 32, VT_RG_WARPS = 4 /* of a block */ };

VitrailStatus vt_rg_planes(VtDevice *device, const VtRgWindow &w, const VtRegions *args, const VtRgMap &map,
                           const int16_t *density, const VtCancel *cancel);
VitrailStatus vt_rg_tree(VtDevice *device, const VtRgWindow &w);
/* Marks and counts the nodes that become candidates: words VT_RG_N_CANDIDATES, and VT_RG_N_MASKS that they may need. */
VitrailStatus vt_rg_thin(VtDevice *device, const VtRgWindow &w);
VitrailStatus vt_rg_list(VtDevice *device, const VtRgWindow &w, const VtRgCandidates &all);
VitrailStatus vt_rg_find(VtDevice *device, const VtRgWindow &w, const VtRgCandidates &all);
/* The parts of the nodes' candidates. far_memory: for those that do not fit on chip, vt_rg_split_far bytes. words_host is read
 * when it returns. */
size_t vt_rg_split_far(int32_t largest, int32_t n_nodes);
VitrailStatus vt_rg_split(VtDevice *device, const VtRgWindow &w, const VtRgCandidates &all, void *far_memory,
                          const VtCancel *cancel);
/* Of the n candidates, parts included: what holds each, and how many each holds. */
VitrailStatus vt_rg_join(VtDevice *device, const VtRgWindow &w, const VtRgCandidates &all, int32_t n);
/* Scores of n candidates; sums: vt_rg_measure_bytes of memory. */
size_t vt_rg_measure_bytes(int32_t n);
VitrailStatus vt_rg_measure(VtDevice *device, const VtRgWindow &w, const VtRgCandidates &all, const VtRgForest &forest,
                            void *sums, int32_t from, int32_t n);
VitrailStatus vt_rg_choose(VtDevice *device, const VtRgWindow &w, const VtRgCandidates &all, int32_t n,
                           const VtRegions *args);

/* --- launches --- */

/* A launch of as many warps as the device holds at the same time, and no more than n, each with its own memory on chip. They
 * take turns by the word VT_RG_NEXT. */
template <typename... Formal, typename... Actual>
static VitrailStatus
vt_rg_launch(VtDevice *device, const char *name, void (*kernel)(Formal...), int64_t n, size_t bytes_of_warp,
             Actual... actual)
{
  int at_once = 0, limit = 0;
  VT_GPU_TRY(device, cudaDeviceGetAttribute(&limit, cudaDevAttrMaxSharedMemoryPerBlockOptin, device->ordinal));
  const int warps = bytes_of_warp * VT_RG_WARPS <= static_cast<size_t>(limit) ? VT_RG_WARPS : 1;
  const size_t bytes = bytes_of_warp * warps;
  VT_GPU_TRY(device,
             cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes)));
  VT_GPU_TRY(device, cudaOccupancyMaxActiveBlocksPerMultiprocessor(&at_once, kernel, warps * VT_RG_LANES, bytes));
  VT_GPU_TRY(device, cudaMemsetAsync(device->words + VT_RG_NEXT, 0, sizeof(uint32_t), device->stream));
  const int64_t room = static_cast<int64_t>(at_once > 0 ? at_once : 1) * device->n_multiprocessors;
  const int64_t wanted = vt_gpu_blocks(n, warps);
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(static_cast<unsigned>(wanted < room ? wanted : room));
  config.blockDim = dim3(static_cast<unsigned>(warps * VT_RG_LANES));
  config.dynamicSmemBytes = bytes;
  config.stream = device->stream;
  cudaError_t error = cudaLaunchKernelEx(&config, kernel, static_cast<Formal>(actual)...);
  return error == cudaSuccess ? VITRAIL_OK : vt_gpu_fail(device, name, error);
}

/* --- a warp --- */

/* The next piece of work, for all lanes. */
static __device__ __forceinline__ int32_t
vt_rg_next(uint32_t *words)
{
  uint32_t at = 0;
  if (threadIdx.x % VT_RG_LANES == 0)
    at = atomicAdd(words + VT_RG_NEXT, 1u);
  return static_cast<int32_t>(__shfl_sync(~0u, at, 0));
}

static __device__ __forceinline__ int
vt_rg_lane()
{
  return static_cast<int>(threadIdx.x) % VT_RG_LANES;
}

static __device__ __forceinline__ int32_t
vt_rg_sum(int32_t v)
{
#pragma unroll
  for (int k = 16; k > 0; k /= 2)
    v += __shfl_xor_sync(~0u, v, k);
  return v;
}

static __device__ __forceinline__ int32_t
vt_rg_least(int32_t v)
{
#pragma unroll
  for (int k = 16; k > 0; k /= 2)
    v = min(v, __shfl_xor_sync(~0u, v, k));
  return v;
}

static __device__ __forceinline__ int32_t
vt_rg_most(int32_t v)
{
  return -vt_rg_least(-v);
}

static __device__ __forceinline__ long long
vt_rg_sum_long(long long v)
{
#pragma unroll
  for (int k = 16; k > 0; k /= 2)
    v += __shfl_xor_sync(~0u, v, k);
  return v;
}

static inline __host__ __device__ int
vt_rg_words(int32_t width)
{
  return (width + 31) / 32;
}

static inline __host__ __device__ int32_t
vt_rg_width(const VtRgBox &box)
{
  return box.x1 - box.x0 + 1;
}

static inline __host__ __device__ int32_t
vt_rg_height(const VtRgBox &box)
{
  return box.y1 - box.y0 + 1;
}
