/* SPDX-License-Identifier: MIT
 *
 * The slot: the models that ship, the device's memory, and the stages one after the other. Tiles that are too large for that
 * memory, or for an answer to a cancel in time, are worked on in pieces. */
#include "../gpu.h"
#include "regions.cuh"
#include "../pixels.cuh"

#include <stdlib.h>
#include <string.h>

/* Made of cpu/regions/NAME.model; all numbers are little-endian (cpu/regions/model.c). */
extern "C" const unsigned char vt_rg_tissue[], vt_rg_cytology[], vt_rg_fluorescence[], vt_rg_tissue_small[];
extern "C" const unsigned long vt_rg_tissue_size, vt_rg_cytology_size, vt_rg_fluorescence_size, vt_rg_tissue_small_size;

enum { MOST_SIDE = 4096, MOST_PIXELS = 1 << 22, PIECE = 1536 /* of a larger tile */ };
enum { MEASURED_AT_ONCE = 1 << 17 /* candidates */, LARGE = 64 /* pixels */, ALIGN = 256 };
enum { LEAF = 255, ZERO = 32768, HEADER = 4 * (1 + RG_N_INPUTS + RG_N_SQUARES + 4) };
enum { N_ALL_LIMITS = RG_N_FEATURES * VT_RG_N_LIMITS, N_WORDS = N_ALL_LIMITS + VT_RG_N_FORM };
static const uint64_t TABLES_KEY =
  UINT64_C(0x7265676900000001); /* and eight times the taught score's number, and the preset */

struct Shipped {
  const unsigned char *bytes;
  size_t size;
};

struct Model {
  VtRgMap map;
  VtRgForest forest;
  const int16_t *density;
};

static uint32_t
take(const unsigned char **at)
{
  const unsigned char *b = *at;
  *at += 4;
  return static_cast<uint32_t>(b[0]) | static_cast<uint32_t>(b[1]) << 8 | static_cast<uint32_t>(b[2]) << 16
         | static_cast<uint32_t>(b[3]) << 24;
}

/* Where the limits begin. */
static const unsigned char *
read_head(const unsigned char *at, Model *model)
{
  model->map.constant = static_cast<int32_t>(take(&at));
  for (int i = 0; i < RG_N_INPUTS; i++)
    model->map.linear[i] = static_cast<int32_t>(take(&at));
  for (int i = 0; i < RG_N_SQUARES; i++)
    model->map.square[i] = static_cast<int32_t>(take(&at));
  take(&at);
  model->forest.n_trees = static_cast<int32_t>(take(&at));
  model->forest.tree_nodes = static_cast<int32_t>(take(&at));
  model->forest.base = static_cast<int32_t>(take(&at));
  return at;
}

static uint8_t
depth_of(const unsigned char *tree, uint32_t node)
{
  const unsigned char *at = tree + 4 * node;
  if (at[0] == LEAF)
    return 0;
  const uint32_t below = at[2] | at[3] << 8;
  const uint8_t low = depth_of(tree, below), high = depth_of(tree, below + 1);
  return static_cast<uint8_t>(1 + (low > high ? low : high));
}

/* answers: of the leaves, in place of the model's; NULL: its own. */
static void
fill_steps(VtRgStep *steps, const unsigned char *limits, const uint16_t *answers, const Model &model)
{
  const unsigned char *node = limits + 4 * N_ALL_LIMITS;
  const int32_t n = model.forest.n_trees * model.forest.tree_nodes;
  for (int32_t i = 0; i < n; i++, node += 4) {
    const int32_t in_tree = i % model.forest.tree_nodes, value = node[2] | node[3] << 8;
    const unsigned char *limit = limits + 4 * (node[0] * VT_RG_N_LIMITS + node[1]);
    if (node[0] == LEAF)
      steps[i] = VtRgStep{ (answers ? answers[i] : value) - ZERO, static_cast<uint16_t>(in_tree), RG_N_FEATURES, 0 };
    else
      steps[i] = VtRgStep{ static_cast<int32_t>(take(&limit)), static_cast<uint16_t>(value), node[0], 0 };
    if (in_tree == 0)
      steps[i].depth = depth_of(node, 0);
  }
}

/* The limits, then the form. */
static void
fill_words(int32_t *words, const unsigned char *limits, size_t n_nodes)
{
  const unsigned char *form = limits + 4 * (N_ALL_LIMITS + n_nodes);
  for (int i = 0; i < N_WORDS; i++)
    words[i] = static_cast<int32_t>(take(i < N_ALL_LIMITS ? &limits : &form));
}

/* The forest and the densities, on the device until another slot's tables take their place. */
static VitrailStatus
load_model(VtDevice *device, VtRegionsPreset preset, const VtRegionsTaught *taught, Model *model)
{
  const Shipped shipped[VT_REGIONS_N_PRESETS] = { { vt_rg_tissue, vt_rg_tissue_size },
                                                  { vt_rg_cytology, vt_rg_cytology_size },
                                                  { vt_rg_fluorescence, vt_rg_fluorescence_size },
                                                  { vt_rg_tissue_small, vt_rg_tissue_small_size } };
  const unsigned char *limits = read_head(shipped[preset].bytes, model);
  const size_t n_nodes = static_cast<size_t>(model->forest.n_trees) * static_cast<size_t>(model->forest.tree_nodes);
  if (shipped[preset].size != HEADER + 4 * (N_WORDS + n_nodes))
    return VITRAIL_UNSUPPORTED;
  if (taught && taught->n_answers != n_nodes)
    return VITRAIL_BAD_ARGUMENT;
  const uint64_t key = TABLES_KEY + 8 * (taught ? taught->number : 0) + preset;
  const size_t bytes = n_nodes * sizeof(VtRgStep) + N_WORDS * sizeof(int32_t) + sizeof vt_rg_density;
  void *tables = NULL;
  bool filled = false;
  VT_TRY(vt_gpu_tables(device, key, bytes, &tables, &filled));
  model->forest.steps = static_cast<VtRgStep *>(tables);
  model->forest.limits = reinterpret_cast<const int32_t *>(model->forest.steps + n_nodes);
  model->forest.form = model->forest.limits + N_ALL_LIMITS;
  model->density = reinterpret_cast<const int16_t *>(model->forest.limits + N_WORDS);
  if (filled)
    return VITRAIL_OK;
  VtRgStep *steps = static_cast<VtRgStep *>(malloc(bytes));
  if (!steps)
    return VITRAIL_OUT_OF_MEMORY;
  fill_steps(steps, limits, taught ? taught->answers : NULL, *model);
  int32_t *words = reinterpret_cast<int32_t *>(steps + n_nodes);
  fill_words(words, limits, n_nodes);
  memcpy(words + N_WORDS, vt_rg_density, sizeof vt_rg_density);
  cudaError_t error = cudaMemcpyAsync(tables, steps, bytes, cudaMemcpyHostToDevice, device->stream);
  const VitrailStatus status =
    error == cudaSuccess ? vt_gpu_sync(device) : vt_gpu_fail(device, "cudaMemcpyAsync", error);
  free(steps);
  if (status == VITRAIL_OK)
    device->tables_key = key;
  return status;
}

/* --- a window --- */

/* Pieces of memory, one behind the other; without a beginning they are only counted. */
struct Memory {
  char *at;
  size_t bytes;

  template <typename T> T *take(size_t n)
  {
    T *piece = at ? reinterpret_cast<T *>(at + bytes) : NULL;
    bytes += (n * sizeof(T) + ALIGN - 1) / ALIGN * ALIGN;
    return piece;
  }
};

/* The tree takes the place of the planes that only the map needs. */
static size_t
place_memory(VtRgWindow *w, void *scratch)
{
  const size_t n = static_cast<size_t>(w->pitch * w->height), n_inner = static_cast<size_t>(w->n_inner);
  Memory memory = { static_cast<char *>(scratch), 0 };
  w->summed = memory.take<uint4>(n);
  w->plane[RG_RED_MEAN] = memory.take<int16_t>(n);
  w->plane[RG_RED_DEV] = memory.take<int16_t>(n);
  w->level = memory.take<uint8_t>(n_inner);
  w->scores = memory.take<uint32_t>(static_cast<size_t>(vt_rg_width(w->tile)) * vt_rg_height(w->tile));
  Memory tree = memory;
  w->nodes = tree.take<VtRgNode>(n_inner);
  w->up = w->offset = w->place = tree.take<uint32_t>(n_inner);
  w->node_of = tree.take<uint32_t>(n_inner);
  w->cursor = w->start = tree.take<uint32_t>(n_inner);
  w->candidate = tree.take<int32_t>(n_inner);
  for (int k = 0; k < RG_MAP; k++)
    if (k != RG_RED_MEAN && k != RG_RED_DEV)
      w->plane[k] = memory.take<int16_t>(n);
  for (int k = 0; k < VT_RG_N_SPARE; k++)
    w->spare[k] = memory.take<int16_t>(n);
  return memory.bytes > tree.bytes ? memory.bytes : tree.bytes;
}

static VtRgWindow
window_of(const VtRegions *a)
{
  const int64_t w = a->red.width, h = a->red.height, far = a->largest + RG_PAD;
  const int64_t x0 = a->edges & VT_EDGE_LEFT && a->x0 <= far ? 0 : a->x0 - far;
  const int64_t y0 = a->edges & VT_EDGE_TOP && a->y0 <= far ? 0 : a->y0 - far;
  const int64_t x1 = a->x0 + a->code.width - 1, y1 = a->y0 + a->code.height - 1;
  VtRgWindow window = {};
  window.width = w;
  window.height = h;
  window.pitch = (w + 63) / 64 * 64;
  window.tile = VtRgBox{ static_cast<int32_t>(a->x0), static_cast<int32_t>(a->y0), static_cast<int32_t>(x1),
                         static_cast<int32_t>(y1) };
  window.inner = VtRgBox{ static_cast<int32_t>(x0 > 0 ? x0 : 0), static_cast<int32_t>(y0 > 0 ? y0 : 0),
                          static_cast<int32_t>(x1 + far < w ? x1 + far : w - 1),
                          static_cast<int32_t>(y1 + far < h ? y1 + far : h - 1) };
  window.inner_width = vt_rg_width(window.inner);
  window.n_inner = window.inner_width * vt_rg_height(window.inner);
  window.edges = (window.inner.x0 == 0 ? a->edges & VT_EDGE_LEFT : 0)
                 | (window.inner.y0 == 0 ? a->edges & VT_EDGE_TOP : 0)
                 | (window.inner.x1 == w - 1 ? a->edges & VT_EDGE_RIGHT : 0)
                 | (window.inner.y1 == h - 1 ? a->edges & VT_EDGE_BOTTOM : 0);
  window.largest = a->largest;
  return window;
}

/* --- candidates --- */

static __global__ void
begin_candidates(uint32_t *words, uint32_t n)
{
  for (int k = 0; k < VT_GPU_N_WORDS; k++)
    words[k] = 0;
  words[VT_RG_N_CANDIDATES] = n;
}

struct Found {
  VtRgCandidates all;
  void *memory, *sums, *far_memory;
  int32_t n;
};

static VitrailStatus
allocate(VtDevice *device, const VtRgWindow &w, Found *found)
{
  VtRgCandidates *all = &found->all;
  Memory memory = { NULL, 0 };
  for (int pass = 0; pass < 2; pass++) {
    all->at = memory.take<VtRgCandidate>(static_cast<size_t>(all->room));
    all->adopted = memory.take<unsigned long long>(static_cast<size_t>(all->n_nodes));
    all->masks = memory.take<uint32_t>(all->masks_room);
    /* Parts are found before anything is summed. */
    const size_t sums = vt_rg_measure_bytes(all->room < MEASURED_AT_ONCE ? all->room : MEASURED_AT_ONCE);
    const size_t lists = VT_RG_SPLIT_LISTS * static_cast<size_t>(all->n_nodes) * sizeof(int32_t);
    const size_t far = lists + vt_rg_split_far(w.largest, all->n_nodes);
    char *piece = memory.take<char>(sums > far ? sums : far);
    all->split_lists = reinterpret_cast<int32_t *>(piece);
    found->sums = piece;
    found->far_memory = piece ? piece + lists : NULL;
    if (pass == 1)
      break;
    VT_TRY(vt_gpu_alloc(device, memory.bytes, &found->memory));
    memory = Memory{ static_cast<char *>(found->memory), 0 };
  }
  return VITRAIL_OK;
}

static VitrailStatus
find_once(VtDevice *device, const VtRgWindow &w, const Found &found, const VtCancel *cancel)
{
  const VtRgCandidates &all = found.all;
  VT_TRY(vt_gpu_launch(device, "begin_candidates", begin_candidates, 1, 1, device->words, all.n_nodes));
  VT_TRY(vt_rg_list(device, w, all));
  VT_TRY(vt_rg_find(device, w, all));
  if (w.largest > LARGE) { /* else it takes less than a millisecond */
    VT_TRY(vt_gpu_sync(device));
    if (vt_cancelled(cancel))
      return VITRAIL_CANCELLED;
  }
  return vt_rg_split(device, w, all, found.far_memory, cancel);
}

/* How many parts there are is known when they have been found: where there is not enough room for them, again. */
static VitrailStatus
find_all(VtDevice *device, const VtRgWindow &w, Found *found, const VtCancel *cancel)
{
  for (;;) {
    VT_TRY(allocate(device, w, found));
    VT_TRY(find_once(device, w, *found, cancel));
    const uint32_t n = device->words_host[VT_RG_N_CANDIDATES], n_masks = device->words_host[VT_RG_N_MASKS];
    found->n = static_cast<int32_t>(n);
    if (vt_cancelled(cancel))
      return VITRAIL_CANCELLED;
    if (n <= static_cast<uint32_t>(found->all.room) && n_masks <= found->all.masks_room)
      return VITRAIL_OK;
    vt_gpu_free(device, found->memory);
    found->memory = NULL;
    if (n > static_cast<uint32_t>(found->all.room))
      found->all.room = static_cast<int32_t>(n + n / 4);
    if (n_masks > found->all.masks_room)
      found->all.masks_room = n_masks + n_masks / 4;
  }
}

static VitrailStatus
choose_all(VtDevice *device, const VtRgWindow &w, const Model &model, const Found &found, const VtRegions *args,
           const VtCancel *cancel)
{
  VT_TRY(vt_rg_join(device, w, found.all, found.n));
  for (int32_t from = 0; from < found.n; from += MEASURED_AT_ONCE) {
    const int32_t n = found.n - from < MEASURED_AT_ONCE ? found.n - from : MEASURED_AT_ONCE;
    VT_TRY(vt_rg_measure(device, w, found.all, model.forest, found.sums, from, n));
    if (from > 0)
      VT_TRY(vt_gpu_sync(device));
    if (vt_cancelled(cancel))
      return VITRAIL_CANCELLED;
  }
  return vt_rg_choose(device, w, found.all, found.n, args);
}

static VitrailStatus
run_window(VtDevice *device, const VtRgWindow &w, const Model &model, const VtRegions *args, Found *found,
           const VtCancel *cancel)
{
  VT_TRY(vt_rg_planes(device, w, args, model.map, model.density, cancel));
  VT_TRY(vt_rg_tree(device, w));
  VT_TRY(vt_rg_thin(device, w));
  VT_TRY(vt_gpu_read_words(device));
  if (vt_cancelled(cancel))
    return VITRAIL_CANCELLED;
  const uint32_t n = device->words_host[VT_RG_N_CANDIDATES], n_masks = device->words_host[VT_RG_N_MASKS];
  found->all.n_nodes = static_cast<int32_t>(n);
  found->all.room = static_cast<int32_t>(n + n / 2 + 1024);
  found->all.masks_room = n_masks + n_masks / 2 + 1024;
  if (n == 0)
    return vt_rg_choose(device, w, found->all, 0, args);
  VT_TRY(find_all(device, w, found, cancel));
  return choose_all(device, w, model, *found, args, cancel);
}

static VitrailStatus
run_piece(VtDevice *device, const Model &model, const VtRegions *args, const VtCancel *cancel)
{
  VtRgWindow w = window_of(args);
  Found found = {};
  void *scratch = NULL;
  VT_TRY(vt_gpu_scratch(device, place_memory(&w, NULL), &scratch));
  place_memory(&w, scratch);
  const VitrailStatus status = run_window(device, w, model, args, &found, cancel);
  vt_gpu_free(device, found.memory);
  const VitrailStatus after = vt_gpu_sync(device); /* what was cancelled may still be at work */
  return status == VITRAIL_OK ? after : status;
}

/* Of one side of a tile: the window of a piece, and whether the image ends where it does. */
static void
cut_side(int64_t from, int64_t end, int64_t reach, int64_t length, int64_t *first, int64_t *last)
{
  *first = from > reach ? from - reach : 0;
  *last = end + reach < length ? end + reach : length;
}

static VtRegions
piece_of(const VtRegions *a, int64_t x, int64_t y, int64_t width, int64_t height)
{
  const int64_t reach = vt_regions_reach(a->largest);
  int64_t left, top, right, bottom;
  cut_side(a->x0 + x, a->x0 + x + width, reach, a->red.width, &left, &right);
  cut_side(a->y0 + y, a->y0 + y + height, reach, a->red.height, &top, &bottom);
  VtRegions piece = *a;
  piece.red = vt_image_window(&a->red, left, top, right - left, bottom - top);
  piece.green = vt_image_window(&a->green, left, top, right - left, bottom - top);
  piece.blue = vt_image_window(&a->blue, left, top, right - left, bottom - top);
  piece.code = vt_image_window(&a->code, x, y, width, height);
  piece.score = vt_image_window(&a->score, x, y, width, height);
  piece.x0 = a->x0 + x - left;
  piece.y0 = a->y0 + y - top;
  piece.grid_x = a->grid_x + left;
  piece.grid_y = a->grid_y + top;
  piece.edges = (left == 0 ? a->edges & VT_EDGE_LEFT : 0) | (top == 0 ? a->edges & VT_EDGE_TOP : 0)
                | (right == a->red.width ? a->edges & VT_EDGE_RIGHT : 0)
                | (bottom == a->red.height ? a->edges & VT_EDGE_BOTTOM : 0);
  return piece;
}

VitrailStatus
vt_gpu_regions(VtDevice *device, const VtRegions *args, const VtCancel *cancel)
{
  VtGpuUse use(device);
  VT_GPU_TRY(device, use.status());
  if (!vt_regions_ok(args))
    return VITRAIL_BAD_ARGUMENT;
  if (vt_cancelled(cancel))
    return VITRAIL_CANCELLED;
  Model model;
  VT_TRY(load_model(device, args->preset, args->taught, &model));
  const int64_t width = args->code.width, height = args->code.height;
  const bool is_small =
    args->red.width <= MOST_SIDE && args->red.height <= MOST_SIDE && args->red.width * args->red.height <= MOST_PIXELS;
  const int64_t most = PIECE, step_x = is_small ? width : most, step_y = is_small ? height : most;
  for (int64_t y = 0; y < height; y += step_y)
    for (int64_t x = 0; x < width; x += step_x) {
      const VtRegions piece =
        piece_of(args, x, y, width - x < step_x ? width - x : step_x, height - y < step_y ? height - y : step_y);
      VT_TRY(run_piece(device, model, &piece, cancel));
    }
  return VITRAIL_OK;
}
