/* SPDX-License-Identifier: MIT
 *
 * tile.cu: reconstruction by active tiles, of all types but bytes (bytes.cu). A warp takes a tile of 64x64 pixels with
 * its halo into shared memory, sweeps it in four directions until it rests (each pixel looks at the one or three pixels
 * of the line before), writes it back, and queues exactly those neighbours that have a pixel which can rise now.
 *
 * Tiles have four colours, by the parities of their column and row: tiles of one colour do not touch, not even at a
 * corner. A round runs the colours one after another, so nobody writes what another reads, and a value crosses several
 * tiles in a round. A colour's list grows only while another colour runs. */
#include "../gpu.h"
#include "reconstruct.cuh"

enum { WARP = 32, TILE = 2 * WARP, BATCH = 8, N_COLOURS = 4, FIRST_COUNTER = 2 };
/* After so many rounds with hardly any work per round the input is a long corridor: the host crosses it faster. */
enum { MAX_THIN_ROUNDS = 32 };
static const uint32_t all_lanes = ~0u;

/* Two pixels of a line, at places `lane` and `lane + 32`. behind() and ahead() are the pair one place before and after;
 * edge is the pixel before the tile's first place in lanes 0..15 and the one after its last place in the others. */
struct Wide {
  int32_t a, b;
  static __device__ Wide make(int32_t a, int32_t b)
  {
    return Wide{ a, b };
  }
  __device__ int32_t first() const
  {
    return a;
  }
  __device__ int32_t second() const
  {
    return b;
  }
  __device__ bool differs(Wide o) const
  {
    return a != o.a || b != o.b;
  }
  static __device__ Wide highest(Wide p, Wide q)
  {
    return Wide{ max(p.a, q.a), max(p.b, q.b) };
  }
  static __device__ Wide lowest(Wide p, Wide q)
  {
    return Wide{ min(p.a, q.a), min(p.b, q.b) };
  }
  __device__ Wide behind(int lane, int32_t edge) const
  {
    const int32_t p = __shfl_sync(all_lanes, a, (lane + WARP - 1) % WARP);
    const int32_t q = __shfl_sync(all_lanes, b, (lane + WARP - 1) % WARP);
    return lane > 0 ? Wide{ p, q } : Wide{ edge, p };
  }
  __device__ Wide ahead(int lane, int32_t edge) const
  {
    const int32_t p = __shfl_sync(all_lanes, a, (lane + 1) % WARP);
    const int32_t q = __shfl_sync(all_lanes, b, (lane + 1) % WARP);
    return lane < WARP - 1 ? Wide{ p, q } : Wide{ q, edge };
  }
};

/* The same in the two halves of a word: one instruction for both. */
struct Packed {
  uint32_t v;
  static __device__ Packed make(int32_t a, int32_t b)
  {
    return Packed{ static_cast<uint32_t>(a) | static_cast<uint32_t>(b) << 16 };
  }
  __device__ int32_t first() const
  {
    return static_cast<int32_t>(v & 0xffffu);
  }
  __device__ int32_t second() const
  {
    return static_cast<int32_t>(v >> 16);
  }
  __device__ bool differs(Packed o) const
  {
    return v != o.v;
  }
  static __device__ Packed highest(Packed p, Packed q)
  {
    return Packed{ __vmaxu2(p.v, q.v) };
  }
  static __device__ Packed lowest(Packed p, Packed q)
  {
    return Packed{ __vminu2(p.v, q.v) };
  }
  __device__ Packed behind(int lane, int32_t edge) const
  {
    const uint32_t p = __shfl_sync(all_lanes, v, (lane + WARP - 1) % WARP);
    return Packed{ lane > 0 ? p : p << 16 | static_cast<uint32_t>(edge) };
  }
  __device__ Packed ahead(int lane, int32_t edge) const
  {
    const uint32_t p = __shfl_sync(all_lanes, v, (lane + 1) % WARP);
    return Packed{ lane < WARP - 1 ? p : p >> 16 | static_cast<uint32_t>(edge) << 16 };
  }
};

/* PITCH pixels from row to row in shared memory: an odd number of words, so that columns have no bank conflicts. */
template <typename Stored> struct Shape;
template <> struct Shape<uint16_t> {
  typedef Packed Pair;
  enum { PITCH = 66, N_WARPS = 2 };
};
template <> struct Shape<int32_t> {
  typedef Wide Pair;
  enum { PITCH = 67, N_WARPS = 1 };
};

/* A tile with a halo of one pixel; outside the image both are the lowest value, so nothing there ever rises. */
template <typename Stored> struct Tile {
  Stored marker[(TILE + 2) * Shape<Stored>::PITCH];
  Stored mask[(TILE + 2) * Shape<Stored>::PITCH];
};

/* What is to be visited. Counters of colour c: words[FIRST_COUNTER + 2c] = tiles in its list, the next one = taken. */
struct Work {
  uint32_t *lists; /* N_COLOURS lists with room for list_size tiles each */
  int64_t list_size;
  uint32_t *queued; /* per tile: 1 while it is in a list */
  uint32_t *counters;
  uint32_t n_columns, n_rows;
};

static __device__ int
colour_of(uint32_t column, uint32_t row)
{
  return static_cast<int>((column & 1u) | (row & 1u) << 1);
}

static __global__ void
queue_all(Work work)
{
  const uint32_t n = work.n_columns * work.n_rows;
  for (uint32_t tile = blockIdx.x * blockDim.x + threadIdx.x; tile < n; tile += gridDim.x * blockDim.x) {
    const uint32_t column = tile % work.n_columns, row = tile / work.n_columns;
    const int colour = colour_of(column, row);
    const uint32_t in_row = (work.n_columns + 1 - (column & 1u)) / 2;
    work.lists[colour * work.list_size + row / 2 * in_row + column / 2] = tile;
    work.queued[tile] = 1;
    atomicAdd(&work.counters[2 * colour], 1u);
  }
}

template <typename T>
static __device__ void
load_tile(Tile<typename VtGpuPixel<T>::Stored> *tile, const VtGpuView<T> &marker, const VtGpuView<T> &mask, int64_t x0,
          int64_t y0, int lane)
{
  typedef typename VtGpuPixel<T>::Stored Stored;
  for (int r = 0; r < TILE + 2; r++) {
    const int64_t y = y0 + r - 1;
    for (int c = lane; c < TILE + 2; c += WARP) {
      const int64_t x = x0 + c - 1;
      int32_t low = VtGpuPixel<T>::lowest, high = VtGpuPixel<T>::lowest;
      if (x >= 0 && x < marker.width && y >= 0 && y < marker.height) {
        low = VtGpuPixel<T>::load(marker.row(y)[x]);
        high = VtGpuPixel<T>::load(mask.row(y)[x]);
      }
      tile->marker[r * Shape<Stored>::PITCH + c] = static_cast<Stored>(low);
      tile->mask[r * Shape<Stored>::PITCH + c] = static_cast<Stored>(high);
    }
  }
}

template <typename T>
static __device__ void
store_tile(const Tile<typename VtGpuPixel<T>::Stored> *tile, const VtGpuView<T> &marker, int64_t x0, int64_t y0,
           int lane)
{
  enum { PITCH = Shape<typename VtGpuPixel<T>::Stored>::PITCH };
  const int n_rows = static_cast<int>(min(marker.height - y0, static_cast<int64_t>(TILE)));
  const int n_columns = static_cast<int>(min(marker.width - x0, static_cast<int64_t>(TILE)));
  for (int r = 0; r < n_rows; r++)
    for (int c = lane; c < n_columns; c += WARP)
      marker.row(y0 + r)[x0 + c] = VtGpuPixel<T>::store(tile->marker[(r + 1) * PITCH + c + 1]);
}

/* One sweep over TILE lines: a lane owns two pixels of each line, `along` apart from its neighbours'; `step` leads from
 * line to line. marker, mask: the first pixel of the first line. Returns whether a pixel rose. */
template <typename Stored>
static __device__ bool
sweep(Stored *marker, const Stored *mask, int along, int step, bool diagonals, int lane)
{
  typedef typename Shape<Stored>::Pair Pair;
  const Stored *edges = marker + (lane < WARP / 2 ? -along : TILE * along) - step;
  Stored *j = marker + lane * along;
  const Stored *i = mask + lane * along;
  const int half = WARP * along;
  Pair pair = Pair::make(j[-step], j[half - step]);
  bool rose = false;
  for (int start = 0; start < TILE; start += BATCH) {
    Pair old[BATCH], high[BATCH];
    int32_t edge[BATCH];
#pragma unroll
    for (int n = 0; n < BATCH; n++) {
      const int at = (start + n) * step;
      old[n] = Pair::make(j[at], j[at + half]);
      high[n] = Pair::make(i[at], i[at + half]);
      edge[n] = edges[at];
    }
#pragma unroll
    for (int n = 0; n < BATCH; n++) {
      Pair best = pair;
      if (diagonals)
        best = Pair::highest(best, Pair::highest(pair.behind(lane, edge[n]), pair.ahead(lane, edge[n])));
      pair = Pair::lowest(Pair::highest(best, old[n]), high[n]);
      rose |= pair.differs(old[n]);
      j[(start + n) * step] = static_cast<Stored>(pair.first());
      j[(start + n) * step + half] = static_cast<Stored>(pair.second());
    }
  }
  __syncwarp();
  return __any_sync(all_lanes, rose);
}

/* Sweeps until the tile rests: a sweep leaves its own direction at rest, so three quiet ones after it are enough. */
template <typename Stored>
static __device__ bool
settle(Tile<Stored> *tile, bool diagonals, int lane)
{
  enum { PITCH = Shape<Stored>::PITCH, ORIGIN = PITCH + 1, MAX_SWEEPS = 4 * TILE * TILE };
  bool changed = false;
  for (int n = 0, quiet = 0; quiet < 4 && n < MAX_SWEEPS; n++) {
    const bool horizontal = n & 2, backward = n & 1;
    const int along = horizontal ? PITCH : 1, forward = horizontal ? 1 : PITCH;
    const int first = backward ? ORIGIN + (TILE - 1) * forward : ORIGIN, step = backward ? -forward : forward;
    const bool rose = sweep<Stored>(tile->marker + first, tile->mask + first, along, step, diagonals, lane);
    quiet = rose ? 1 : quiet + 1;
    changed |= rose;
  }
  return changed;
}

/* Whether a pixel of the line beyond a side of the tile can rise. line: the side's first pixel; out: to beyond it. */
template <typename Stored>
static __device__ bool
side_can_rise(const Tile<Stored> *tile, int line, int along, int out, bool diagonals, int lane)
{
  bool can = false;
  for (int n = lane; n < TILE; n += WARP) {
    const int p = line + n * along;
    Stored best = tile->marker[p];
    if (diagonals)
      best = max(best, max(tile->marker[p - along], tile->marker[p + along]));
    can |= tile->marker[p + out] < min(best, tile->mask[p + out]);
  }
  return __any_sync(all_lanes, can);
}

/* Bit (dy + 1) * 3 + dx + 1 for each neighbour (dx,dy) that has a pixel which can rise. */
template <typename Stored>
static __device__ uint32_t
neighbours_to_wake(const Tile<Stored> *tile, bool diagonals, int lane)
{
  enum { PITCH = Shape<Stored>::PITCH, ORIGIN = PITCH + 1, END = TILE - 1 };
  uint32_t wake = 0;
  wake |= side_can_rise(tile, ORIGIN, 1, -PITCH, diagonals, lane) ? 1u << 1 : 0u;
  wake |= side_can_rise(tile, ORIGIN, PITCH, -1, diagonals, lane) ? 1u << 3 : 0u;
  wake |= side_can_rise(tile, ORIGIN + END, PITCH, 1, diagonals, lane) ? 1u << 5 : 0u;
  wake |= side_can_rise(tile, ORIGIN + END * PITCH, 1, PITCH, diagonals, lane) ? 1u << 7 : 0u;
  if (!diagonals)
    return wake;
  const int right = lane & 1, down = lane >> 1 & 1;
  const int p = ORIGIN + right * END + down * END * PITCH, q = p + (right ? 1 : -1) + (down ? PITCH : -PITCH);
  const bool can = lane < 4 && tile->marker[q] < min(tile->marker[p], tile->mask[q]);
  const uint32_t corners = __ballot_sync(all_lanes, can);
  return wake | (corners & 1u) | (corners & 2u) << 1 | (corners & 4u) << 4 | (corners & 8u) << 5;
}

/* The pixels of the halo lie in the image where a bit is set, so each such neighbour exists. */
static __device__ void
queue_neighbours(const Work &work, uint32_t column, uint32_t row, uint32_t wake, int lane)
{
  if (lane >= 9 || !(wake >> lane & 1u))
    return;
  column += static_cast<uint32_t>(lane % 3 - 1);
  row += static_cast<uint32_t>(lane / 3 - 1);
  const uint32_t tile = row * work.n_columns + column;
  if (atomicExch(&work.queued[tile], 1u) != 0u)
    return;
  const int colour = colour_of(column, row);
  work.lists[colour * work.list_size + atomicAdd(&work.counters[2 * colour], 1u)] = tile;
}

template <typename T>
static __global__ void
visit_tiles(VtGpuView<T> marker, VtGpuView<T> mask, Work work, int colour, bool diagonals)
{
  typedef typename VtGpuPixel<T>::Stored Stored;
  __shared__ Tile<Stored> tiles[Shape<Stored>::N_WARPS];
  const int lane = threadIdx.x % WARP;
  Tile<Stored> *tile = &tiles[threadIdx.x / WARP];
  const uint32_t count = work.counters[2 * colour]; /* at rest while this colour runs */
  for (;;) {
    uint32_t ticket = 0;
    if (lane == 0)
      ticket = atomicAdd(&work.counters[2 * colour + 1], 1u);
    ticket = __shfl_sync(all_lanes, ticket, 0);
    if (ticket >= count)
      return;
    const uint32_t index = work.lists[colour * work.list_size + ticket];
    const uint32_t column = index % work.n_columns, row = index / work.n_columns;
    const int64_t x0 = static_cast<int64_t>(column) * TILE, y0 = static_cast<int64_t>(row) * TILE;
    if (lane == 0)
      work.queued[index] = 0;
    load_tile<T>(tile, marker, mask, x0, y0, lane);
    __syncwarp();
    if (settle<Stored>(tile, diagonals, lane)) {
      store_tile<T>(tile, marker, x0, y0, lane);
      queue_neighbours(work, column, row, neighbours_to_wake<Stored>(tile, diagonals, lane), lane);
    }
    __syncwarp();
  }
}

static VitrailStatus
start(VtDevice *device, const VtImage *marker, Work *work)
{
  const int64_t n_columns = vt_gpu_blocks(marker->width, TILE), n_rows = vt_gpu_blocks(marker->height, TILE);
  if (n_columns > INT32_MAX / n_rows)
    return VITRAIL_UNSUPPORTED;
  const int64_t most = (n_columns + 1) / 2 * ((n_rows + 1) / 2);
  void *scratch = NULL;
  VT_TRY(
    vt_gpu_scratch(device, static_cast<size_t>(N_COLOURS * most + n_columns * n_rows) * sizeof(uint32_t), &scratch));
  work->lists = static_cast<uint32_t *>(scratch);
  work->list_size = most;
  work->queued = work->lists + N_COLOURS * most;
  work->counters = device->words + FIRST_COUNTER;
  work->n_columns = static_cast<uint32_t>(n_columns);
  work->n_rows = static_cast<uint32_t>(n_rows);
  VT_GPU_TRY(device, cudaMemsetAsync(work->counters, 0, 2 * N_COLOURS * sizeof(uint32_t), device->stream));
  return vt_gpu_launch(device, "queue_all", queue_all, vt_gpu_blocks(n_columns * n_rows, 256), 256, *work);
}

/* The four colours once; *n_left tiles wait for the next round. */
template <typename T>
static VitrailStatus
run_round(VtDevice *device, const VtReconstruct *args, const Work &work, uint64_t *n_left)
{
  enum { N_WARPS = Shape<typename VtGpuPixel<T>::Stored>::N_WARPS };
  const VtGpuView<T> marker(args->marker), mask(args->mask);
  const int64_t room = 32 / N_WARPS * device->n_multiprocessors, blocks = vt_gpu_blocks(work.list_size, N_WARPS);
  for (int colour = 0; colour < N_COLOURS; colour++) {
    VT_TRY(vt_gpu_launch(device, "visit_tiles", visit_tiles<T>, blocks < room ? blocks : room, N_WARPS * WARP, marker,
                         mask, work, colour, args->connectivity == 8));
    VT_GPU_TRY(device, cudaMemsetAsync(work.counters + 2 * colour, 0, 2 * sizeof(uint32_t), device->stream));
  }
  VT_TRY(vt_gpu_read_words(device));
  *n_left = 0;
  for (int colour = 0; colour < N_COLOURS; colour++)
    *n_left += device->words_host[FIRST_COUNTER + 2 * colour];
  return VITRAIL_OK;
}

template <typename T>
static VitrailStatus
run_tiles(VtDevice *device, const VtReconstruct *args, const VtCancel *cancel)
{
  Work work;
  int n_thin = 0;
  VT_TRY(start(device, &args->marker, &work));
  /* Every round but the last raises a pixel to its final value. */
  const int64_t max_rounds = args->marker.width * args->marker.height + 1;
  for (int64_t round = 0; round < max_rounds; round++) {
    uint64_t n_left = 0;
    if (vt_cancelled(cancel)) {
      vt_gpu_sync(device);
      return VITRAIL_CANCELLED;
    }
    VT_TRY(run_round<T>(device, args, work, &n_left));
    if (n_left == 0)
      return VITRAIL_OK;
    n_thin = n_left < static_cast<uint64_t>(device->n_multiprocessors) ? n_thin + 1 : 0;
    if (n_thin > MAX_THIN_ROUNDS + work.list_size / 64) /* the host needs time for each pixel, too */
      return vt_gpu_reconstruct_on_host(device, args, cancel);
  }
  return vt_gpu_fail(device, "run_tiles", cudaErrorUnknown);
}

VitrailStatus
vt_gpu_reconstruct_tile(VtDevice *device, const VtReconstruct *args, const VtCancel *cancel)
{
  if (vt_gpu_reconstruct_is_other(args))
    return vt_gpu_reconstruct_other(device, args, vt_gpu_reconstruct_tile, cancel);
  VtGpuUse use(device);
  bool empty = false;
  VT_GPU_TRY(device, use.status());
  if (args->marker.type == VITRAIL_U8) {
    VT_TRY(vt_gpu_reconstruct_check_begin(device, args, &empty));
    return empty ? VITRAIL_OK : vt_gpu_reconstruct_bytes(device, args, cancel);
  }
  VT_TRY(vt_gpu_reconstruct_check(device, args, &empty));
  if (empty)
    return VITRAIL_OK;
  switch (args->marker.type) {
  case VITRAIL_U16: return run_tiles<uint16_t>(device, args, cancel);
  case VITRAIL_I32: return run_tiles<int32_t>(device, args, cancel);
  case VITRAIL_F32: return run_tiles<float>(device, args, cancel);
  default: return VITRAIL_BAD_ARGUMENT;
  }
}
