/* SPDX-License-Identifier: MIT
 *
 * Candidates become parts, a warp each. Small ones are worked on on chip; those that do not fit there are left to the next
 * launch, which has fewer warps and more memory for each, in the end the device's. */
#include "split.cuh"

enum { NEAR_BYTES = 10240, MOST_NEAR_BYTES = 14336, NEAR_BASINS = 24, MIDDLE_BYTES = 49152, FAR_WARPS = 512 };

struct Split {
  VtRgCandidates all;
  uint32_t *words;
  const int32_t *list;        /* of an earlier launch; NULL: those of all.split_lists */
  int32_t *next_list;         /* NULL: all fit */
  uint32_t n_word, next_word; /* how many they are */
  uint32_t *far_memory;       /* NULL: on chip */
  size_t bytes;               /* of a warp; a multiple of 4 */
};

/* bits: the pixels of a part. How many. */
static __device__ int32_t
draw_part(const VtRgSplit &s, int32_t basin)
{
  const VtRgBasins &b = s.basins;
  const int32_t width = vt_rg_width(s.mask.box), height = vt_rg_height(s.mask.box), from = b.from[basin],
                to = b.to[basin];
  int32_t area = 0;
  vt_rg_clear(s.mask, s.mask.bits);
  for (int32_t y = 1; y <= height; y++)
    for (int32_t j = 0; j < s.mask.n_words; j++) {
      const int32_t x = 32 * j + vt_rg_lane(), p = y * s.across + x;
      bool inside = x >= 1 && x <= width && s.depth[p] != 0;
      if (inside) {
        const int32_t rank = b.from[vt_rg_basin_at(s, p)];
        inside = rank >= from && rank < to;
      }
      const uint32_t word = __ballot_sync(~0u, inside);
      if (vt_rg_lane() == 0)
        s.mask.bits[y * s.mask.pitch + j] = word;
      area += __popc(word);
    }
  __syncwarp();
  return area;
}

/* The rows of a mask that have bits, which are some, and one more on both sides. */
static __device__ VtRgMask
rows_of(const VtRgMask &m)
{
  const VtRgBox tight = vt_rg_tight_box(m);
  const int32_t skip = (tight.y0 - m.box.y0) * m.pitch;
  VtRgMask rows = m;
  rows.box.y0 = tight.y0;
  rows.box.y1 = tight.y1;
  rows.rows = vt_rg_height(tight) + 2 * m.margin;
  rows.bits += skip;
  rows.spare += skip;
  rows.third += skip;
  return rows;
}

/* The candidate that the part becomes; without room it is lost, but counted. */
static __device__ int32_t
add_part(const Split &f, const VtRgSplit &s, const VtRgCandidate &whole, int32_t parent, const VtRgPart &part)
{
  VtRgCandidate c = {};
  c.node = whole.node;
  c.parent = parent;
  c.area = draw_part(s, part.basin);
  c.level = whole.level;
  c.neck = part.neck;
  c.is_part = true;
  if (c.area < RG_MIN_AREA)
    return parent;
  const VtRgMask m = rows_of(s.mask);
  if (vt_rg_open(m, true) < RG_MIN_AREA)
    return parent;
  vt_rg_store(m, f.all, f.words, &c);
  int32_t at = 0;
  if (vt_rg_lane() == 0) {
    at = static_cast<int32_t>(atomicAdd(f.words + VT_RG_N_CANDIDATES, 1u));
    if (at < f.all.room)
      f.all.at[at] = c;
  }
  return __shfl_sync(~0u, at, 0);
}

static __device__ void
add_parts(const Split &f, VtRgSplit *s, const VtRgCandidate &whole, int32_t at)
{
  int32_t n = 0, mine = at;
  if (vt_rg_lane() == 0)
    n = vt_rg_join_basins(*s);
  n = __shfl_sync(~0u, n, 0);
  if (n == 0 || n > VT_RG_MOST_PARTS)
    return;
  if (vt_rg_lane() == 0) {
    vt_rg_rank_basins(s->basins);
    vt_rg_list_parts(*s);
  }
  __syncwarp();
  for (int32_t i = 0; i < n; i++) {
    const VtRgPart part = s->parts[i];
    const int32_t holder = __shfl_sync(~0u, mine, max(static_cast<int>(part.parent), 0));
    const int32_t added = add_part(f, *s, whole, part.parent < 0 ? at : holder, part);
    mine = vt_rg_lane() == i ? added : mine;
  }
}

/* False: there is not enough memory for it. */
static __device__ bool
split_one(const Split &f, int32_t at, uint32_t *memory)
{
  const VtRgCandidate whole = f.all.at[at];
  if (whole.bits + vt_rg_mask_words(whole.box) > f.all.masks_room)
    return true;
  const size_t bytes = vt_rg_split_bytes(vt_rg_width(whole.box), vt_rg_height(whole.box));
  if (bytes > f.bytes)
    return false;
  VtRgSplit s = vt_rg_split_in(whole.box, memory);
  vt_rg_load(s.mask, f.all, whole);
  vt_rg_find_depth(s);
  const int32_t n = vt_rg_find_ways(s);
  if (n < 2 || n > RG_MAX_SEEDS)
    return true;
  if (bytes + vt_rg_basins_bytes(n) > f.bytes)
    return false;
  vt_rg_place_basins(&s, n);
  vt_rg_number_basins(s);
  for (int32_t n_met = -1; s.basins.n_met > n_met && s.basins.n_met < n - 1;) {
    n_met = s.basins.n_met;
    vt_rg_find_best(s);
    vt_rg_join_best(&s);
  }
  vt_rg_sort_meetings(s.basins);
  add_parts(f, &s, whole, at);
  return true;
}

/* The candidate whose turn is i; -1: there are no more. */
static __device__ int32_t
candidate_of(const Split &f, int32_t i)
{
  if (f.list)
    return i < static_cast<int32_t>(f.words[f.n_word]) ? f.list[i] : -1;
  for (int which = 0; which < VT_RG_SPLIT_LISTS; which++) {
    const int32_t n = static_cast<int32_t>(f.words[VT_RG_N_SPLIT + which]);
    if (i < n)
      return f.all.split_lists[static_cast<int64_t>(which) * f.all.n_nodes + i];
    i -= n;
  }
  return -1;
}

static __global__ void
__launch_bounds__(VT_RG_WARPS *VT_RG_LANES) split(Split f)
{
  extern __shared__ uint32_t memory[];
  const size_t warp = threadIdx.x / VT_RG_LANES, of_block = blockDim.x / VT_RG_LANES;
  uint32_t *own = f.far_memory ? f.far_memory + (blockIdx.x * of_block + warp) * (f.bytes / sizeof(uint32_t))
                               : memory + warp * (f.bytes / sizeof(uint32_t));
  for (;;) {
    const int32_t at = candidate_of(f, vt_rg_next(f.words));
    if (at < 0)
      return;
    const bool fits = split_one(f, at, own);
    __syncwarp();
    if (!fits && f.next_list && vt_rg_lane() == 0)
      f.next_list[atomicAdd(f.words + f.next_word, 1u)] = at;
  }
}

static size_t
far_bytes(int32_t largest)
{
  return vt_rg_split_bytes(largest, largest) + vt_rg_basins_bytes(RG_MAX_SEEDS);
}

/* Whole blocks of them. */
static int32_t
far_warps(int32_t n)
{
  return n < FAR_WARPS ? (n + VT_RG_WARPS - 1) / VT_RG_WARPS * VT_RG_WARPS : FAR_WARPS;
}

/* Two lists, then the warps' memory. */
size_t
vt_rg_split_far(int32_t largest, int32_t n_nodes)
{
  return 2 * static_cast<size_t>(n_nodes) * sizeof(int32_t)
         + static_cast<size_t>(far_warps(n_nodes)) * far_bytes(largest);
}

/* The next of the three launches, if anything is left for it. words_host is read anew. */
static VitrailStatus
split_rest(VtDevice *device, const Split &f, int64_t n, size_t shared, const VtCancel *cancel)
{
  if (vt_cancelled(cancel))
    return VITRAIL_CANCELLED;
  if (device->words_host[f.n_word] == 0)
    return VITRAIL_OK;
  VT_TRY(vt_rg_launch(device, "split", split, n, shared, f));
  return vt_gpu_read_words(device);
}

VitrailStatus
vt_rg_split(VtDevice *device, const VtRgWindow &w, const VtRgCandidates &all, void *far_memory, const VtCancel *cancel)
{
  int32_t *lists = static_cast<int32_t *>(far_memory);
  const int32_t n = all.n_nodes;
  int limit = 0;
  VT_GPU_TRY(device, cudaDeviceGetAttribute(&limit, cudaDevAttrMaxSharedMemoryPerBlockOptin, device->ordinal));
  const size_t all_near = vt_rg_split_bytes(w.largest, w.largest) + vt_rg_basins_bytes(NEAR_BASINS);
  Split f = { all, device->words, NULL, lists, 0, VT_RG_MIDDLE, NULL, NEAR_BYTES };
  if (all_near > NEAR_BYTES && all_near <= MOST_NEAR_BYTES)
    f.bytes = all_near;
  VT_TRY(vt_rg_launch(device, "split", split, n, f.bytes, f));
  VT_TRY(vt_gpu_read_words(device));
  f.list = lists;
  f.n_word = VT_RG_MIDDLE;
  f.next_list = lists + n;
  f.next_word = VT_RG_FAR;
  f.bytes = MIDDLE_BYTES * VT_RG_WARPS < limit ? MIDDLE_BYTES : limit / VT_RG_WARPS / 16 * 16;
  VT_TRY(split_rest(device, f, n, f.bytes, cancel));
  f.list = lists + n;
  f.n_word = VT_RG_FAR;
  f.next_list = NULL;
  f.far_memory = reinterpret_cast<uint32_t *>(lists + 2 * n);
  f.bytes = far_bytes(w.largest);
  return split_rest(device, f, far_warps(n), 0, cancel);
}
