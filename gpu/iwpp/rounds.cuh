/* SPDX-License-Identifier: MIT
 *
 * rounds.cuh: an irregular wavefront in synchronous rounds (Teodoro 2012, algorithm 1, with one answer whatever the order
 * of the threads). In a round every pixel of the wave offers what it has at the round's start to its neighbours; those that
 * take an offer are the next wave. An operation is one small functor:
 *
 *   struct Op {
 *     typedef ... Value;                                          what is offered, 64 bits
 *     Value value(uint32_t p) const;                              of pixel p now
 *     bool starts(uint32_t p) const;                              is in the first wave
 *     bool offer(uint32_t p, uint32_t x, uint32_t y, Value) const; to pixel p at (x,y): atomically the better one; true: p changed
 *   };
 *
 * Pixels are numbers of a plane with a frame: (y + 1) * pitch + x + 1, where the frame takes no offers. */
#pragma once

#include "../common.cuh"

enum { VT_ROUNDS_THREADS = 256, VT_ROUNDS_AT_ONCE = 32, VT_ROUNDS_FIRST_WORD = 24, VT_ROUNDS_MANY = 1 << 19 };

struct VtGpuRounds {
  uint32_t width, height, pitch;
  int n_neighbours;
  uint32_t *lists[2];        /* a place for every pixel */
  unsigned long long *value; /* of each of the list */
  uint32_t *stamps;          /* by pixel: the last round that listed it */
  uint32_t *counts;          /* of three rounds, which take turns */
};

/* Bytes of scratch for `width` x `height` pixels, beside the operation's own. */
static inline size_t
vt_gpu_rounds_bytes(int64_t width, int64_t height)
{
  const size_t n = static_cast<size_t>((width + 2) * (height + 2) + 63) / 64 * 64;
  return n * (2 * sizeof(uint32_t) + sizeof(uint64_t) + sizeof(uint32_t));
}

/* More pixels than a number can name? */
static inline bool
vt_gpu_rounds_fit(int64_t width, int64_t height)
{
  return width < INT32_MAX && height < INT32_MAX && (height + 2) <= UINT32_MAX / (width + 2);
}

static inline VtGpuRounds
vt_gpu_rounds_new(VtDevice *device, int64_t width, int64_t height, int n_neighbours, void *memory)
{
  const size_t n = static_cast<size_t>((width + 2) * (height + 2) + 63) / 64 * 64;
  VtGpuRounds r = {};
  r.width = static_cast<uint32_t>(width);
  r.height = static_cast<uint32_t>(height);
  r.pitch = static_cast<uint32_t>(width + 2);
  r.n_neighbours = n_neighbours;
  r.value = static_cast<unsigned long long *>(memory);
  r.lists[0] = reinterpret_cast<uint32_t *>(r.value + n);
  r.lists[1] = r.lists[0] + n;
  r.stamps = r.lists[1] + n;
  r.counts = device->words + VT_ROUNDS_FIRST_WORD;
  return r;
}

/* Neighbour k of a pixel: the four beside it first. */
static __device__ __forceinline__ void
vt_rounds_neighbour(int k, int *dx, int *dy)
{
  *dx = k < 4 ? (k == 2) - (k == 1) : k % 2 ? 1 : -1;
  *dy = k < 4 ? (k == 3) - (k == 0) : k < 6 ? -1 : 1;
}

/* Room for n more in a list, one atomic for a warp; the whole warp comes here. */
static __device__ __forceinline__ uint32_t
vt_rounds_room(uint32_t *count, uint32_t n)
{
  const uint32_t lane = threadIdx.x % 32;
  uint32_t sum = n, base = 0;
  for (uint32_t d = 1; d < 32; d *= 2) {
    const uint32_t before = __shfl_up_sync(~0u, sum, d);
    sum += lane >= d ? before : 0;
  }
  if (lane == 31 && sum > 0)
    base = atomicAdd(count, sum);
  return __shfl_sync(~0u, base, 31) + sum - n;
}

template <typename Op>
static __global__ void
__launch_bounds__(VT_ROUNDS_THREADS) vt_rounds_first(Op op, VtGpuRounds r)
{
  const uint64_t n = static_cast<uint64_t>(r.pitch) * (r.height + 2);
  for (uint64_t first = static_cast<uint64_t>(blockIdx.x) * VT_ROUNDS_THREADS; first < n;
       first += static_cast<uint64_t>(gridDim.x) * VT_ROUNDS_THREADS) {
    const uint64_t p = first + threadIdx.x;
    const uint32_t x = static_cast<uint32_t>(p % r.pitch), y = static_cast<uint32_t>(p / r.pitch);
    const bool inside = p < n && x >= 1 && x <= r.width && y >= 1 && y <= r.height;
    const bool starts = inside && op.starts(static_cast<uint32_t>(p));
    if (p < n)
      r.stamps[p] = 0;
    const uint32_t at = vt_rounds_room(&r.counts[0], starts);
    if (starts)
      r.lists[0][at] = static_cast<uint32_t>(p);
  }
}

template <typename Op>
static __global__ void
__launch_bounds__(VT_ROUNDS_THREADS) vt_rounds_gather(Op op, VtGpuRounds r, uint32_t round)
{
  const uint32_t n = r.counts[round % 3], *list = r.lists[round % 2];
  if (blockIdx.x == 0 && threadIdx.x == 0)
    r.counts[(round + 1) % 3] = 0;
  for (uint32_t i = blockIdx.x * VT_ROUNDS_THREADS + threadIdx.x; i < n; i += gridDim.x * VT_ROUNDS_THREADS)
    r.value[i] = static_cast<unsigned long long>(op.value(list[i]));
}

template <typename Op>
static __global__ void
__launch_bounds__(VT_ROUNDS_THREADS) vt_rounds_offer(Op op, VtGpuRounds r, uint32_t round)
{
  const uint32_t n = r.counts[round % 3], *list = r.lists[round % 2];
  uint32_t *next = r.lists[(round + 1) % 2], *n_next = &r.counts[(round + 1) % 3];
  for (uint32_t first = blockIdx.x * VT_ROUNDS_THREADS; first < n; first += gridDim.x * VT_ROUNDS_THREADS) {
    const uint32_t i = first + threadIdx.x, p = i < n ? list[i] : 0;
    const typename Op::Value value = i < n ? static_cast<typename Op::Value>(r.value[i]) : 0;
    const uint32_t x = p % r.pitch, y = p / r.pitch;
    uint32_t listed = 0;
    for (int k = 0; k < r.n_neighbours && i < n; k++) {
      int dx, dy;
      vt_rounds_neighbour(k, &dx, &dy);
      const uint32_t q = p + static_cast<uint32_t>(dy) * r.pitch + static_cast<uint32_t>(dx);
      if (op.offer(q, x - 1 + static_cast<uint32_t>(dx), y - 1 + static_cast<uint32_t>(dy), value)
          && atomicExch(&r.stamps[q], round + 1) != round + 1)
        listed |= 1u << k;
    }
    uint32_t at = vt_rounds_room(n_next, __popc(listed));
    for (; listed; listed &= listed - 1) {
      int dx, dy;
      vt_rounds_neighbour(__ffs(listed) - 1, &dx, &dy);
      next[at++] = p + static_cast<uint32_t>(dy) * r.pitch + static_cast<uint32_t>(dx);
    }
  }
}

/* Rounds until the wave is empty. The host looks after every VT_ROUNDS_AT_ONCE of them, and sooner while rounds are long, so
 * that a cancel is heard. */
template <typename Op>
static VitrailStatus
vt_gpu_rounds_run(VtDevice *device, const Op &op, const VtGpuRounds &r, const VtCancel *cancel)
{
  const int64_t n = static_cast<int64_t>(r.pitch) * (r.height + 2), wanted = vt_gpu_blocks(n, VT_ROUNDS_THREADS);
  const int64_t room = 8 * device->n_multiprocessors, blocks = wanted < room ? wanted : room;
  VT_GPU_TRY(device, cudaMemsetAsync(r.counts, 0, 3 * sizeof(uint32_t), device->stream));
  VT_TRY(vt_gpu_launch(device, "vt_rounds_first", vt_rounds_first<Op>, blocks, VT_ROUNDS_THREADS, op, r));
  for (uint32_t round = 0;;) {
    VT_TRY(vt_gpu_read_words(device));
    const uint32_t n_waiting = device->words_host[VT_ROUNDS_FIRST_WORD + round % 3];
    if (n_waiting == 0)
      return VITRAIL_OK;
    if (vt_cancelled(cancel))
      return VITRAIL_CANCELLED;
    const int at_once = n_waiting > VT_ROUNDS_MANY ? VT_ROUNDS_AT_ONCE / 8 : VT_ROUNDS_AT_ONCE;
    for (int k = 0; k < at_once; k++, round++) {
      VT_TRY(vt_gpu_launch(device, "vt_rounds_gather", vt_rounds_gather<Op>, blocks, VT_ROUNDS_THREADS, op, r, round));
      VT_TRY(vt_gpu_launch(device, "vt_rounds_offer", vt_rounds_offer<Op>, blocks, VT_ROUNDS_THREADS, op, r, round));
    }
  }
}
