/* SPDX-License-Identifier: MIT
 *
 * bytes.cu: reconstruction of 8-bit images by active tiles, in one launch: a warp per tile, a queue on the device.
 *
 * A tile is owned by one warp at a time. It takes the tile with its halo, brings it to rest, writes it back and queues
 * the neighbours that have a pixel which can rise. A halo may be read while its owner writes it: values only rise, so
 * an old one asks for a visit too many at worst, and who raises a pixel queues those who may not have seen it. First
 * visits go by four colours, so that neighbours start from each other's answers. */
#include "../gpu.h"
#include "bytes.cuh"
#include "reconstruct.cuh"

enum { WARP = 32, TILE = VT_BYTES_TILE, N_WARPS = 2, N_RESIDENT_BLOCKS = 8, N_SIDES = 4, CORNER = TILE + 1 };
/* Sweeps of an 8-connected visit that may be stopped: the neighbours can use what there is. */
enum { MAX_SWEEPS_STOPPED = 8, SMALL_IMAGE = 4096 };
/* Work is thin with fewer tiles than this: a lone value walks a corridor. */
enum { THIN = 32, MIN_THIN_VISITS = 256, VISITS_PER_LAUNCH = 64, MAX_TILES = 1 << 24 };
enum { WRONG, HEAD = 2, TAIL, LEFT, STOP, THIN_TIME };
enum { QUEUED = 1, RUNNING = 2, RESTLESS = 4, VISITED = 8 };
static const uint32_t empty_slot = ~0u, no_tile = ~0u;

struct Tile {
  uint32_t marker[VT_BYTES_WORDS], mask[VT_BYTES_WORDS], turned[VT_BYTES_WORDS];
  uint8_t halo[N_SIDES][TILE + 4];  /* the marker above, below, left, right; each from corner to corner */
  uint8_t limit[N_SIDES][TILE + 4]; /* the mask there */
};

/* words: indexes of the enumeration above. LEFT: tiles queued or being visited. THIN_TIME: visits, in 64ths, made one
 * after another. */
struct Queue {
  uint32_t *slots, *state;
  uint32_t *words;
  uint32_t n_slots, n_columns, n_rows, max_thin_time, max_visits;
};

/* Of the tile: its first pixel, and how much of it lies in the image. */
struct Place {
  int64_t x0, y0;
  uint32_t column, row;
  int n_columns, n_rows;
};

static __device__ uint32_t
read_word(const uint32_t *word)
{
  return *static_cast<const volatile uint32_t *>(word);
}

static __device__ uint32_t
n_before(const Queue &queue, int colour, uint32_t column, uint32_t row)
{
  const uint32_t even_columns = (queue.n_columns + 1) / 2, even_rows = (queue.n_rows + 1) / 2;
  const uint32_t odd_columns = queue.n_columns / 2;
  const uint32_t start = colour < 2 ? colour * even_columns * even_rows
                                    : queue.n_columns * even_rows
                                        + (colour == 3 ? even_columns * (queue.n_rows / 2) : 0u);
  return start + row / 2 * (colour & 1 ? odd_columns : even_columns) + column / 2;
}

static __global__ void
fill_queue(Queue queue)
{
  const uint32_t n = queue.n_columns * queue.n_rows, first = blockIdx.x * blockDim.x + threadIdx.x;
  for (uint32_t i = first; i < queue.n_slots; i += gridDim.x * blockDim.x) {
    if (i >= n) {
      queue.slots[i] = empty_slot;
      continue;
    }
    const uint32_t column = i % queue.n_columns, row = i / queue.n_columns;
    queue.slots[n_before(queue, static_cast<int>((column & 1u) | (row & 1u) << 1), column, row)] = i;
    queue.state[i] = QUEUED;
  }
  if (first == 0) {
    queue.words[HEAD] = queue.words[STOP] = queue.words[THIN_TIME] = 0;
    queue.words[TAIL] = queue.words[LEFT] = n;
  }
}

/* Lane 0: the next tile, or no_tile when there is none left or the launch is to end. */
static __device__ uint32_t
take(const Queue &queue)
{
  if (read_word(&queue.words[STOP]))
    return no_tile;
  const uint32_t ticket = atomicAdd(&queue.words[HEAD], 1u);
  if (ticket >= queue.max_visits) {
    atomicExch(&queue.words[STOP], 1u);
    return no_tile;
  }
  uint32_t *slot = &queue.slots[ticket % queue.n_slots];
  for (;;) {
    if (read_word(slot) != empty_slot) {
      const uint32_t tile = atomicExch(slot, empty_slot);
      if (tile != empty_slot)
        return tile;
    }
    if (read_word(&queue.words[LEFT]) == 0 || read_word(&queue.words[STOP]))
      return no_tile;
    __nanosleep(64);
  }
}

/* whole: rows of the tile lie in the image and words are aligned. Outside the image both are 0: nothing rises there. */
static __device__ void
load_whole(Tile *tile, const VtGpuView<uint8_t> &marker, const VtGpuView<uint8_t> &mask, const Place &place, int lane)
{
  const int word = lane % 16, half = lane / 16, n_rows = place.n_rows - 32 * half;
  const char *low = marker.data + (place.y0 + 32 * half) * marker.stride + place.x0 + 4 * word;
  const char *high = mask.data + (place.y0 + 32 * half) * mask.stride + place.x0 + 4 * word;
#pragma unroll 1
  for (int quad = 0; quad < 8; quad += 4) {
    const int out = half * VT_BYTES_HALF + 4 * quad * VT_BYTES_LINE, turn = word + 8 * half + quad;
    uint32_t j[16], i[16];
#pragma unroll
    for (int r = 0; r < 16; r++) {
      const bool inside = 4 * quad + r < n_rows;
      j[r] = inside ? __ldcg(reinterpret_cast<const uint32_t *>(low)) : 0;
      i[r] = inside ? __ldg(reinterpret_cast<const uint32_t *>(high)) : 0;
      low += marker.stride;
      high += mask.stride;
    }
#pragma unroll
    for (int r = 0; r < 16; r++) {
      const int at = out + r * VT_BYTES_LINE + ((turn + r / 4) & 15);
      tile->marker[at] = j[r];
      tile->mask[at] = i[r];
    }
  }
}

static __device__ __noinline__ void
load_pixels(uint32_t *words, const VtGpuView<uint8_t> &image, const Place &place, int lane)
{
#pragma unroll 1
  for (int n = lane; n < TILE * VT_BYTES_LINE; n += WARP) {
    const int row = n / VT_BYTES_LINE, word = n % VT_BYTES_LINE;
    const volatile uint8_t *pixels = image.row(place.y0 + row) + place.x0 + 4 * word;
    uint32_t value = 0;
    for (int k = 0; k < 4; k++)
      if (row < place.n_rows && 4 * word + k < place.n_columns)
        value |= static_cast<uint32_t>(pixels[k]) << 8 * k;
    words[vt_bytes_place(row, word)] = value;
  }
}

static __device__ void
store_whole(const Tile *tile, const VtGpuView<uint8_t> &marker, const Place &place, int lane)
{
  const int word = lane % 16, half = lane / 16, n_rows = place.n_rows - 32 * half;
  char *out = marker.data + (place.y0 + 32 * half) * marker.stride + place.x0 + 4 * word;
#pragma unroll 1
  for (int quad = 0; quad < 8; quad += 4, out += 16 * marker.stride) {
    const int from = half * VT_BYTES_HALF + 4 * quad * VT_BYTES_LINE, turn = word + 8 * half + quad;
    uint32_t now[16];
#pragma unroll
    for (int r = 0; r < 16; r++)
      now[r] = tile->marker[from + r * VT_BYTES_LINE + ((turn + r / 4) & 15)];
#pragma unroll
    for (int r = 0; r < 16; r++)
      if (4 * quad + r < n_rows)
        *reinterpret_cast<volatile uint32_t *>(out + r * marker.stride) = now[r];
  }
}

static __device__ __noinline__ void
store_pixels(const uint32_t *words, const VtGpuView<uint8_t> &image, const Place &place, int lane)
{
#pragma unroll 1
  for (int n = lane; n < TILE * VT_BYTES_LINE; n += WARP) {
    const int row = n / VT_BYTES_LINE, word = n % VT_BYTES_LINE;
    volatile uint8_t *pixels = image.row(place.y0 + row) + place.x0 + 4 * word;
    const uint32_t value = words[vt_bytes_place(row, word)];
    for (int k = 0; k < 4; k++)
      if (row < place.n_rows && 4 * word + k < place.n_columns)
        pixels[k] = static_cast<uint8_t>(value >> 8 * k);
  }
}

/* The pixels around the tile that a lane holds: two of each side, and a corner in lanes 0..3. */
struct Halo {
  uint8_t pixel[N_SIDES][2], corner;
};

/* 0 outside the image. No load waits for another: where there is no pixel one of the tile's own is loaded instead. */
static __device__ __forceinline__ Halo
load_halo(const VtGpuView<uint8_t> &image, const Place &place, int lane)
{
  const volatile uint8_t *first = image.row(place.y0) + place.x0;
  const bool above = place.y0 > 0, below = place.y0 + TILE < image.height;
  const bool left = place.x0 > 0, right = place.x0 + TILE < image.width;
  const int64_t stride = image.stride;
  const bool corner = lane < 4 && (lane & 1 ? right : left) && (lane & 2 ? below : above);
  bool is[N_SIDES][2];
  Halo halo;
#pragma unroll
  for (int k = 0; k < 2; k++) {
    const int n = lane + k * WARP;
    is[0][k] = above && n < place.n_columns;
    is[1][k] = below && n < place.n_columns;
    is[2][k] = left && n < place.n_rows;
    is[3][k] = right && n < place.n_rows;
    halo.pixel[0][k] = first[is[0][k] ? n - stride : 0];
    halo.pixel[1][k] = first[is[1][k] ? n + TILE * stride : 0];
    halo.pixel[2][k] = first[is[2][k] ? n * stride - 1 : 0];
    halo.pixel[3][k] = first[is[3][k] ? n * stride + TILE : 0];
  }
  halo.corner = first[corner ? (lane & 2 ? TILE * stride : -stride) + (lane & 1 ? TILE : -1) : 0];
#pragma unroll
  for (int side = 0; side < N_SIDES; side++)
#pragma unroll
    for (int k = 0; k < 2; k++)
      halo.pixel[side][k] = is[side][k] ? halo.pixel[side][k] : 0;
  halo.corner = corner ? halo.corner : 0;
  return halo;
}

static __device__ __forceinline__ void
keep_halo(uint8_t (*kept)[TILE + 4], const Halo &halo, int lane)
{
#pragma unroll
  for (int side = 0; side < N_SIDES; side++) {
    kept[side][lane + 1] = halo.pixel[side][0];
    kept[side][lane + 1 + WARP] = halo.pixel[side][1];
  }
  if (lane < 4) {
    kept[lane >> 1][lane & 1 ? CORNER : 0] = halo.corner;
    kept[2 + (lane & 1)][lane & 2 ? CORNER : 0] = halo.corner;
  }
}

/* Where pixel n of the tile's side is, in bytes from the first word. */
static __device__ int
side_byte(int side, int n)
{
  const int across = side & 1 ? TILE - 1 : 0;
  const int x = side < 2 ? n : across, y = side < 2 ? across : n;
  return 4 * vt_bytes_place(y, x >> 2) + (x & 3);
}

/* The halo does not change during a visit: what it can do to the tile is done once, here. */
template <bool DIAGONALS>
static __device__ bool
absorb_halo(Tile *tile, int lane)
{
  uint8_t *marker = reinterpret_cast<uint8_t *>(tile->marker);
  const uint8_t *mask = reinterpret_cast<const uint8_t *>(tile->mask);
  bool rose = false;
#pragma unroll 1
  for (int side = 0; side < N_SIDES; side++) {
#pragma unroll
    for (int k = 0; k < 2; k++) {
      const uint8_t *halo = &tile->halo[side][lane + k * WARP];
      const int at = side_byte(side, lane + k * WARP);
      int best = halo[1];
      if (DIAGONALS)
        best = max(best, max(halo[0], halo[2]));
      best = min(best, static_cast<int>(mask[at]));
      if (best > marker[at]) {
        marker[at] = static_cast<uint8_t>(best);
        rose = true;
      }
    }
    __syncwarp();
  }
  return __any_sync(~0u, rose);
}

/* Sweeps down, up, right, left until each direction has nothing to do, or max_sweeps are over. Bit 0 of the answer: a
 * pixel rose; bit 1: not at rest. */
template <bool DIAGONALS>
static __device__ uint32_t
settle(Tile *tile, int max_sweeps, int lane)
{
  uint32_t answer = 2;
  bool turned = false;
#pragma unroll 1
  for (int n = 0, quiet = 0; n < max_sweeps; n++) {
    const uint32_t rose = vt_bytes_sweep<DIAGONALS>(tile->marker, turned ? tile->turned : tile->mask, n & 1, lane);
    answer |= rose & 1u;
    quiet = rose & 2u ? 0 : rose & 1u ? 1 : quiet + 1; /* a sweep leaves its own direction at rest */
    if (quiet == 4) {
      answer &= 1u;
      break;
    }
    if (n & 1) {
      vt_bytes_turn(tile->marker, tile->marker, lane);
      turned = !turned;
    }
  }
  if (turned)
    vt_bytes_turn(tile->marker, tile->marker, lane);
  return answer;
}

/* Bit (dy + 1) * 3 + dx + 1 for each neighbour (dx,dy) with a pixel of the halo that can rise. */
template <bool DIAGONALS>
static __device__ uint32_t
neighbours_to_wake(const Tile *tile, int lane)
{
  const uint8_t *pixels = reinterpret_cast<const uint8_t *>(tile->marker);
  uint32_t wake = 0;
#pragma unroll 1
  for (int side = 0; side < N_SIDES; side++) {
    const uint8_t *halo = tile->halo[side] + 1 + lane, *limit = tile->limit[side] + 1 + lane;
    const int a = pixels[side_byte(side, lane)], b = pixels[side_byte(side, lane + WARP)];
    int best_a = a, best_b = b;
    if (DIAGONALS) {
      const int a_before = __shfl_up_sync(~0u, a, 1), b_after = __shfl_down_sync(~0u, b, 1);
      const int a_after = __shfl_sync(~0u, lane == 0 ? b : a, (lane + 1) % WARP);
      const int b_before = __shfl_sync(~0u, lane == WARP - 1 ? a : b, (lane + WARP - 1) % WARP);
      best_a = max(a, max(a_before, a_after));
      best_b = max(b, max(b_before, b_after));
    }
    const bool can = halo[0] < min(best_a, static_cast<int>(limit[0]))
                     || halo[WARP] < min(best_b, static_cast<int>(limit[WARP]));
    if (__any_sync(~0u, can))
      wake |= 1u << (side < 2 ? 1 + 6 * side : side == 2 ? 3 : 5);
  }
  if (!DIAGONALS)
    return wake;
  const int side = lane >> 1 & 1, end = lane & 1;
  const int best = pixels[side_byte(side, end ? TILE - 1 : 0)], at = end ? +CORNER : 0;
  const bool can = lane < 4 && tile->halo[side][at] < min(best, static_cast<int>(tile->limit[side][at]));
  const uint32_t corners = __ballot_sync(~0u, can);
  return wake | (corners & 1u) | (corners & 2u) << 1 | (corners & 4u) << 4 | (corners & 8u) << 5;
}

/* The whole warp: the neighbours in `wake`, and the tile itself if it was woken or is not at rest, go to the queue. */
static __device__ void
leave(const Queue &queue, const Place &place, uint32_t tile, uint32_t wake, bool restless, int lane)
{
  const uint32_t column = place.column + static_cast<uint32_t>(lane % 3 - 1);
  const uint32_t row = place.row + static_cast<uint32_t>(lane / 3 - 1);
  bool push = false;
  if (lane < 9 && wake >> lane & 1u)
    push = (atomicOr(&queue.state[row * queue.n_columns + column], QUEUED) & (QUEUED | RUNNING)) == 0;
  if (lane == 4) {
    if (restless)
      atomicOr(&queue.state[tile], QUEUED | RESTLESS);
    push = (atomicAnd(&queue.state[tile], ~static_cast<uint32_t>(RUNNING)) & QUEUED) != 0;
  }
  const uint32_t pushes = __ballot_sync(~0u, push);
  const uint32_t n = static_cast<uint32_t>(__popc(pushes));
  uint32_t base = 0;
  if (lane == 0) {
    const uint32_t left = n == 1 ? read_word(&queue.words[LEFT]) : atomicAdd(&queue.words[LEFT], n - 1) + n - 1;
    if (left > 0 && left <= THIN && atomicAdd(&queue.words[THIN_TIME], 64 / left) > queue.max_thin_time)
      atomicExch(&queue.words[STOP], 1u);
    if (n)
      base = atomicAdd(&queue.words[TAIL], n);
  }
  base = __shfl_sync(~0u, base, 0);
  if (push) {
    const uint32_t at = base + static_cast<uint32_t>(__popc(pushes & ((1u << lane) - 1u)));
    uint32_t *slot = &queue.slots[at % queue.n_slots];
    while (atomicCAS(slot, empty_slot, row * queue.n_columns + column) != empty_slot)
      __nanosleep(32); /* who has the ticket for what is there is about to take it */
  }
}

static __device__ Place
place_of(const Queue &queue, const VtGpuView<uint8_t> &image, uint32_t index)
{
  Place place;
  place.column = index % queue.n_columns;
  place.row = index / queue.n_columns;
  place.x0 = static_cast<int64_t>(place.column) * TILE;
  place.y0 = static_cast<int64_t>(place.row) * TILE;
  place.n_columns = static_cast<int>(min(image.width - place.x0, static_cast<int64_t>(TILE)));
  place.n_rows = static_cast<int>(min(image.height - place.y0, static_cast<int64_t>(TILE)));
  return place;
}

template <bool DIAGONALS>
static __device__ void
visit(Tile *tile, const VtGpuView<uint8_t> &marker, const VtGpuView<uint8_t> &mask, const Queue &queue, uint32_t index,
      bool aligned, int lane)
{
  uint32_t before = 0, wake = 0, answer = 0;
  const Place place = place_of(queue, marker, index);
  const bool whole = aligned && place.n_columns == TILE;
  if (lane == 0)
    before = atomicExch(&queue.state[index], RUNNING | VISITED);
  before = __shfl_sync(~0u, before, 0);
  __threadfence(); /* pairs with the fence of who wrote the tile or its halo, below */
  const Halo around = load_halo(marker, place, lane);
  if (whole) {
    load_whole(tile, marker, mask, place, lane);
  } else {
    load_pixels(tile->marker, marker, place, lane);
    load_pixels(tile->mask, mask, place, lane);
  }
  keep_halo(tile->halo, around, lane);
  __syncwarp();
  const bool entered = absorb_halo<DIAGONALS>(tile, lane);
  if (entered || before != (QUEUED | VISITED)) {
    const bool stop = DIAGONALS && (!(before & VISITED) || queue.n_columns * queue.n_rows <= SMALL_IMAGE);
    vt_bytes_turn(tile->turned, tile->mask, lane);
    answer = settle<DIAGONALS>(tile, stop ? MAX_SWEEPS_STOPPED : INT32_MAX, lane);
    if (entered || (answer & 1u)) {
      if (whole)
        store_whole(tile, marker, place, lane);
      else
        store_pixels(tile->marker, marker, place, lane);
      const Halo limit = load_halo(mask, place, lane), now = load_halo(marker, place, lane);
      keep_halo(tile->limit, limit, lane);
      keep_halo(tile->halo, now, lane);
      __syncwarp();
      wake = neighbours_to_wake<DIAGONALS>(tile, lane);
      __threadfence();
    }
    __syncwarp();
  }
  leave(queue, place, index, wake, answer & 2u, lane);
}

template <bool DIAGONALS>
static __global__ void __launch_bounds__(N_WARPS * WARP, N_RESIDENT_BLOCKS)
visit_tiles(VtGpuView<uint8_t> marker, VtGpuView<uint8_t> mask, Queue queue, bool aligned)
{
  __shared__ Tile tiles[N_WARPS];
  const int lane = threadIdx.x % WARP;
  Tile *tile = &tiles[threadIdx.x / WARP];
  if (read_word(&queue.words[WRONG]))
    return;
  for (;;) {
    uint32_t index = no_tile;
    if (lane == 0)
      index = take(queue);
    index = __shfl_sync(~0u, index, 0);
    if (index == no_tile)
      return;
    visit<DIAGONALS>(tile, marker, mask, queue, index, aligned, lane);
  }
}

static VitrailStatus
make_queue(VtDevice *device, const VtImage *marker, Queue *queue)
{
  const int64_t n_columns = vt_gpu_blocks(marker->width, TILE), n_rows = vt_gpu_blocks(marker->height, TILE);
  if (n_columns > MAX_TILES / n_rows)
    return VITRAIL_UNSUPPORTED;
  const int64_t n = n_columns * n_rows, n_slots = n + N_WARPS * N_RESIDENT_BLOCKS * device->n_multiprocessors;
  void *scratch = NULL;
  VT_TRY(vt_gpu_scratch(device, static_cast<size_t>(n + n_slots) * sizeof(uint32_t), &scratch));
  queue->state = static_cast<uint32_t *>(scratch);
  queue->slots = queue->state + n;
  queue->words = device->words;
  queue->n_slots = static_cast<uint32_t>(n_slots);
  queue->n_columns = static_cast<uint32_t>(n_columns);
  queue->n_rows = static_cast<uint32_t>(n_rows);
  /* As long as the host would take: it needs time for each pixel, too. */
  const int64_t thin_visits = n / 4;
  queue->max_thin_time = 64 * static_cast<uint32_t>(thin_visits > MIN_THIN_VISITS ? thin_visits : +MIN_THIN_VISITS);
  queue->max_visits = static_cast<uint32_t>(VISITS_PER_LAUNCH * (n + 64));
  return VITRAIL_OK;
}

VitrailStatus
vt_gpu_reconstruct_bytes(VtDevice *device, const VtReconstruct *args, const VtCancel *cancel)
{
  Queue queue;
  const VtGpuView<uint8_t> marker(args->marker), mask(args->mask);
  VT_TRY(make_queue(device, &args->marker, &queue));
  const uintptr_t places = reinterpret_cast<uintptr_t>(marker.data) | reinterpret_cast<uintptr_t>(mask.data);
  const bool aligned = (places | static_cast<uintptr_t>(marker.stride | mask.stride)) % sizeof(uint32_t) == 0;
  const int64_t room = N_RESIDENT_BLOCKS * device->n_multiprocessors;
  const int64_t n = static_cast<int64_t>(queue.n_columns) * queue.n_rows, blocks = vt_gpu_blocks(n, N_WARPS);
  for (;;) { /* a launch that ends early has made at least as many visits as there are tiles */
    if (vt_cancelled(cancel)) {
      vt_gpu_sync(device);
      return VITRAIL_CANCELLED;
    }
    VT_TRY(vt_gpu_launch(device, "fill_queue", fill_queue, vt_gpu_blocks(queue.n_slots, 256), 256, queue));
    VT_TRY(vt_gpu_launch(device, "visit_tiles", args->connectivity == 8 ? visit_tiles<true> : visit_tiles<false>,
                         blocks < room ? blocks : room, N_WARPS * WARP, marker, mask, queue, aligned));
    VT_TRY(vt_gpu_read_words(device));
    if (device->words_host[WRONG])
      return VITRAIL_BAD_ARGUMENT;
    if (device->words_host[LEFT] == 0)
      return VITRAIL_OK;
    if (device->words_host[THIN_TIME] > queue.max_thin_time)
      return vt_gpu_reconstruct_on_host(device, args, cancel);
  }
}
