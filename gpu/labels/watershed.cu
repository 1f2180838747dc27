/* SPDX-License-Identifier: MIT
 *
 * The three steps of the CPU's: distances inside the plateaus of `level`, parents, roots.
 *
 * Distances are shortest paths. Tiles lower theirs on chip until they rest and wake the neighbours whose halo changed;
 * a distance only ever falls and never below the true one, so the fixpoint is the same in any order. Roots are found by
 * walking up and writing back where the walk ended: each round multiplies what a pointer skips. */
#include "../gpu.h"
#include "../pixels.cuh"

enum { TILE = 32, THREADS = 256, PITCH = TILE + 2, N_OWN = TILE * TILE / THREADS, N_ROUNDS = 4, N_HOPS = 32 };
/* After so many rounds of hops a pointer skips up to 32^3 pixels, and the rest of the way is walked. */
enum { N_WALKS = 3 };
enum { BAD_VALUE = 0, FIRST_ROUND = 1 /* words */ };
static const int32_t outside = INT32_MIN; /* no level of a float */
static const int32_t far_away = INT32_MAX;

/* Integers in the order of the floats; the two zeros are one level. */
static __device__ int32_t
order_of(float level)
{
  const int32_t bits = __float_as_int(level + 0.0f);
  return bits < 0 ? bits ^ INT32_MAX : bits;
}

struct Flood {
  VtGpuView<float> level;
  VtGpuView<int32_t> seeds;
  VtGpuView<uint8_t> mask;
  int32_t *order, *distance;
  uint8_t *active[2]; /* tiles to be visited in this round and in the next */
  int64_t across, n_tiles;
  uint32_t *words;
};

/* The pixels around one, row by row; one beyond the edge is the pixel itself, or another neighbour, once more. */
struct Around {
  int64_t first[3], step[3]; /* rows; columns */

  static __device__ Around of(const Flood &f, int64_t x, int64_t y)
  {
    const int64_t width = f.level.width, i = y * width + x;
    const int64_t up = y > 0 ? i - width : i, down = y + 1 < f.level.height ? i + width : i;
    return Around{ { up, i, down }, { x > 0 ? -1 : 0, 0, x + 1 < width ? 1 : 0 } };
  }
  __device__ int64_t at(int k) const
  {
    return first[k / 3] + step[k % 3];
  }
};

struct Rank {
  Flood f;

  __device__ void operator()(int64_t x, int64_t y, bool inside) const
  {
    if (!inside)
      return;
    const bool in = f.mask.row(y)[x] != 0;
    const float level = f.level.row(y)[x];
    if (in && (level != level || f.seeds.row(y)[x] < 0))
      f.words[BAD_VALUE] = 1;
    f.order[y * f.level.width + x] = in ? order_of(level) : outside;
  }
};

/* Seeds have 0, pixels entered from above 1. */
struct Enter {
  Flood f;

  __device__ void operator()(int64_t x, int64_t y, bool inside) const
  {
    if (!inside)
      return;
    const int64_t width = f.level.width, i = y * width + x;
    const int32_t own = f.order[i];
    int32_t highest = own;
    const Around around = Around::of(f, x, y);
#pragma unroll
    for (int k = 0; k < 9; k++)
      highest = max(highest, f.order[around.at(k)]);
    int32_t distance = own != outside && highest > own ? 1 : far_away;
    if (own != outside && f.seeds.row(y)[x] != 0)
      distance = 0;
    f.distance[i] = distance;
  }
};

struct Tile {
  int32_t order[PITCH * PITCH], distance[PITCH * PITCH];
};

static __device__ void
load_tile(Tile *tile, const Flood &f, int64_t x0, int64_t y0)
{
  for (int k = threadIdx.x; k < PITCH * PITCH; k += THREADS) {
    const int64_t x = x0 + k % PITCH - 1, y = y0 + k / PITCH - 1;
    const bool inside = x >= 0 && y >= 0 && x < f.level.width && y < f.level.height;
    tile->order[k] = inside ? f.order[y * f.level.width + x] : outside;
    tile->distance[k] = inside ? f.distance[y * f.level.width + x] : far_away;
  }
}

static __device__ int32_t
best_distance(const Tile *tile, int at)
{
  const int32_t own = tile->order[at];
  int32_t best = tile->distance[at];
  if (own == outside)
    return best;
#pragma unroll
  for (int k = 0; k < 9; k++) {
    const int n = at + (k / 3 - 1) * PITCH + k % 3 - 1;
    if (tile->order[n] == own && tile->distance[n] < best - 1)
      best = tile->distance[n] + 1;
  }
  return best;
}

/* Bits 0..8: neighbours (dy + 1) * 3 + dx + 1 that see this pixel of the tile in their halo. */
static __device__ uint32_t
seen_by(int c, int r)
{
  const uint32_t columns = 2u | (c == 0 ? 1u : 0u) | (c == TILE - 1 ? 4u : 0u);
  return columns << 3 | (r == 0 ? columns : 0u) | (r == TILE - 1 ? columns << 6 : 0u);
}

/* The answer is the same in all threads: neighbours to be visited. */
static __device__ uint32_t
settle(Tile *tile, const Flood &f, int64_t x0, int64_t y0, uint32_t *wake)
{
  const int c = threadIdx.x % TILE, r0 = threadIdx.x / TILE * N_OWN;
  const int first = (r0 + 1) * PITCH + c + 1;
  int32_t before[N_OWN], best[N_OWN];
  for (int k = 0; k < N_OWN; k++)
    before[k] = tile->distance[first + k * PITCH];
  for (bool falls = true; falls;) {
    falls = false;
    for (int k = 0; k < N_OWN; k++) {
      best[k] = best_distance(tile, first + k * PITCH);
      falls = falls || best[k] < tile->distance[first + k * PITCH];
    }
    falls = __syncthreads_or(falls);
    for (int k = 0; k < N_OWN; k++)
      tile->distance[first + k * PITCH] = best[k];
    __syncthreads();
  }
  uint32_t mine = 0;
  for (int k = 0; k < N_OWN; k++)
    if (best[k] != before[k]) { /* inside the image: outside of it nothing falls */
      f.distance[(y0 + r0 + k) * f.level.width + x0 + c] = best[k];
      mine |= seen_by(c, r0 + k) & ~(1u << 4);
    }
  if (mine)
    atomicOr(wake, mine);
  __syncthreads();
  return *wake;
}

static __global__ void
__launch_bounds__(THREADS) spread(Flood f, int round)
{
  __shared__ Tile tile;
  __shared__ uint32_t wake;
  if (round > 0 && f.words[FIRST_ROUND + round - 1] == 0)
    return;
  uint8_t *now = f.active[round % 2];
  uint8_t *next = f.active[1 - round % 2];
  for (int64_t t = blockIdx.x; t < f.n_tiles; t += gridDim.x) {
    if (!now[t]) /* the same for the whole block */
      continue;
    const int64_t column = t % f.across, row = t / f.across;
    if (threadIdx.x == 0)
      wake = 0;
    load_tile(&tile, f, column * TILE, row * TILE);
    __syncthreads();
    if (threadIdx.x == 0)
      now[t] = 0; /* all have read it; the next round but one wants it clear */
    const uint32_t seen = settle(&tile, f, column * TILE, row * TILE, &wake);
    if (threadIdx.x < 9 && seen >> threadIdx.x & 1) {
      const int64_t u = column + threadIdx.x % 3 - 1, v = row + threadIdx.x / 3 - 1;
      if (u >= 0 && u < f.across && v >= 0 && v < f.n_tiles / f.across) {
        next[v * f.across + u] = 1;
        f.words[FIRST_ROUND + round] = 1;
      }
    }
    __syncthreads();
  }
}

/* Where the label comes from: the index of a pixel, or ~label. */
struct Choose {
  Flood f;
  int32_t *parent;

  __device__ void operator()(int64_t x, int64_t y, bool inside) const
  {
    if (!inside)
      return;
    const int64_t width = f.level.width, i = y * width + x;
    const int32_t own = f.distance[i];
    if (f.order[i] == outside || own == far_away || own == 0) {
      parent[i] = own == 0 ? ~f.seeds.row(y)[x] : ~0;
      return;
    }
    /* Some neighbour is higher than the pixel itself, or as high and nearer. */
    const Around around = Around::of(f, x, y);
    int32_t order[9], distance[9];
#pragma unroll
    for (int k = 0; k < 9; k++) {
      order[k] = f.order[around.at(k)];
      distance[k] = f.distance[around.at(k)];
    }
    int32_t best_order = order[0], nearest = distance[0];
    int64_t best = around.at(0);
#pragma unroll
    for (int k = 1; k < 9; k++)
      if (order[k] > best_order || (order[k] == best_order && distance[k] < nearest)) {
        best_order = order[k];
        nearest = distance[k];
        best = around.at(k);
      }
    parent[i] = static_cast<int32_t>(best);
  }
};

struct Walk {
  int32_t *parent;
  int64_t width;

  __device__ void operator()(int64_t x, int64_t y, bool inside) const
  {
    if (!inside)
      return;
    volatile int32_t *at = parent; /* others shorten their paths meanwhile: each value there is a pixel further up */
    const int64_t i = y * width + x;
    const int32_t start = at[i];
    int32_t up = start;
    for (int hop = 0; up >= 0 && hop < N_HOPS; hop++)
      up = at[up];
    if (up != start)
      at[i] = up;
  }
};

struct Write {
  const int32_t *parent;
  VtGpuView<int32_t> labels;

  __device__ void operator()(int64_t x, int64_t y, bool inside) const
  {
    if (!inside)
      return;
    int32_t up = parent[y * labels.width + x];
    while (up >= 0)
      up = parent[up];
    labels.row(y)[x] = ~up;
  }
};

static VitrailStatus
measure(VtDevice *device, const Flood &f, const VtCancel *cancel)
{
  const int64_t room = 8 * device->n_multiprocessors, blocks = f.n_tiles < room ? f.n_tiles : room;
  const size_t n_tiles = static_cast<size_t>(f.n_tiles);
  VT_GPU_TRY(device, cudaMemsetAsync(f.active[0], 1, n_tiles, device->stream));
  VT_GPU_TRY(device, cudaMemsetAsync(f.active[1], 0, n_tiles, device->stream));
  do {
    if (vt_cancelled(cancel))
      return VITRAIL_CANCELLED;
    VT_GPU_TRY(device, cudaMemsetAsync(f.words + FIRST_ROUND, 0, N_ROUNDS * sizeof(uint32_t), device->stream));
    for (int round = 0; round < N_ROUNDS; round++)
      VT_TRY(vt_gpu_launch(device, "spread", spread, blocks, THREADS, f, round));
    VT_TRY(vt_gpu_read_words(device));
    if (device->words_host[BAD_VALUE])
      return VITRAIL_BAD_ARGUMENT;
  } while (device->words_host[FIRST_ROUND + N_ROUNDS - 1]);
  return VITRAIL_OK;
}

static VitrailStatus
find_labels(VtDevice *device, const Flood &f, const VtWatershed *args)
{
  const int64_t width = args->level.width, height = args->level.height;
  int32_t *parent = f.order + width * height * 2;
  VT_TRY(vt_gpu_pixels(device, "choose", width, height, Choose{ f, parent }));
  for (int round = 0; round < N_WALKS; round++)
    VT_TRY(vt_gpu_pixels(device, "walk", width, height, Walk{ parent, width }));
  VT_TRY(vt_gpu_pixels(device, "write", width, height, Write{ parent, VtGpuView<int32_t>(args->labels) }));
  return vt_gpu_sync(device);
}

VitrailStatus
vt_gpu_watershed(VtDevice *device, const VtWatershed *args, const VtCancel *cancel)
{
  VT_GPU_USE(device, vt_watershed_ok(args));
  if (vt_cancelled(cancel))
    return VITRAIL_CANCELLED;
  const int64_t width = args->level.width, height = args->level.height, n = width * height;
  Flood f = { VtGpuView<float>(args->level),
              VtGpuView<int32_t>(args->seeds),
              VtGpuView<uint8_t>(args->mask),
              NULL,
              NULL,
              {},
              vt_gpu_blocks(width, TILE),
              vt_gpu_blocks(width, TILE) * vt_gpu_blocks(height, TILE),
              device->words };
  void *scratch = NULL;
  VT_TRY(vt_gpu_scratch(device, static_cast<size_t>(3 * n) * sizeof(int32_t) + static_cast<size_t>(2 * f.n_tiles),
                        &scratch));
  f.order = static_cast<int32_t *>(scratch);
  f.distance = f.order + n;
  f.active[0] = reinterpret_cast<uint8_t *>(f.distance + 2 * n);
  f.active[1] = f.active[0] + f.n_tiles;
  VT_GPU_TRY(device, cudaMemsetAsync(device->words, 0, VT_GPU_N_WORDS * sizeof(uint32_t), device->stream));
  VT_TRY(vt_gpu_pixels(device, "rank", width, height, Rank{ f }));
  VT_TRY(vt_gpu_pixels(device, "enter", width, height, Enter{ f }));
  VT_TRY(measure(device, f, cancel));
  return find_labels(device, f, args);
}
