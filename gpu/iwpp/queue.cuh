/* SPDX-License-Identifier: MIT
 *
 * queue.cuh: the queue of Teodoro 2012 in its three levels. What a thread queues stays in a register (one bit for each
 * neighbour); a warp's bits go together, by a prefix sum and one atomic, to the block's queue in shared memory; when
 * that is nearly full the block moves it to its part of global memory. A block works in rounds, and leaves what it has
 * after max_rounds to the next launch, where every block gets an equal share again. */
#pragma once

#include "wave.cuh"

enum { VT_QUEUE_THREADS = 256, VT_QUEUE_NEAR = 3072 };

struct VtGpuBlockQueue {
  uint32_t near[2][VT_QUEUE_NEAR];
  uint32_t n_near[3]; /* rounds take turns, so that one can be cleared while another is in use */
  uint32_t base;
};

/* The first two levels; true when there may be no room for another step of the block. */
static __device__ bool
vt_queue_add(uint32_t *near, uint32_t *n_near, uint32_t n_mine, uint32_t *at)
{
  const int lane = threadIdx.x % 32;
  uint32_t sum = n_mine, base = 0;
  for (int d = 1; d < 32; d *= 2) {
    const uint32_t before = __shfl_up_sync(~0u, sum, d);
    sum += lane >= d ? before : 0;
  }
  const uint32_t total = __shfl_sync(~0u, sum, 31);
  if (total == 0)
    return false;
  if (lane == 0)
    base = atomicAdd(n_near, total);
  base = __shfl_sync(~0u, base, 0);
  *at = base + sum - n_mine;
  return base + total > VT_QUEUE_NEAR - 8 * VT_QUEUE_THREADS;
}

/* Copies n pixels of the block to dst, which has room for `room`. */
static __device__ void
vt_queue_move(uint32_t *dst, uint32_t room, const uint32_t *src, uint32_t n, uint32_t *dropped)
{
  for (uint32_t i = threadIdx.x; i < min(n, room); i += VT_QUEUE_THREADS)
    dst[i] = src[i];
  if (n > room && threadIdx.x == 0)
    atomicOr(dropped, 1u);
}

/* One round: n_near + n_far pixels in; those that rose are left in shared `out` and, *n_out of them, in far_out. */
template <typename Step>
static __device__ uint32_t
vt_queue_round(const Step &step, const VtGpuQueues &queues, const uint32_t *near, uint32_t n_near, const uint32_t *far,
               uint32_t n_far, uint32_t *out, uint32_t *n_out, uint32_t *far_out, uint64_t *n_risen)
{
  const uint32_t n = n_near + n_far;
  uint32_t n_far_out = 0;
  for (uint32_t first = 0; first < n; first += VT_QUEUE_THREADS) {
    const uint32_t i = first + threadIdx.x;
    uint32_t p = 0, risen = 0, at = 0;
    if (i < n) {
      p = i < n_near ? near[i] : far[i - n_near];
      risen = step.visit(p);
    }
    *n_risen += __popc(risen);
    const bool is_full = vt_queue_add(out, n_out, __popc(risen), &at);
    for (; risen; risen &= risen - 1)
      out[at++] = step.neighbour(p, __ffs(risen) - 1);
    if (!__syncthreads_or(is_full))
      continue;
    const uint32_t n_full = *n_out;
    vt_queue_move(far_out + n_far_out, queues.far_size - n_far_out, out, n_full, &queues.counters[VT_WAVE_DROPPED]);
    n_far_out = min(n_far_out + n_full, queues.far_size);
    __syncthreads();
    if (threadIdx.x == 0)
      *n_out = 0;
    __syncthreads();
  }
  return n_far_out;
}

static __device__ void
vt_queue_leave(VtGpuBlockQueue *queue, const VtGpuQueues &queues, const uint32_t *near, uint32_t n_near,
               const uint32_t *far, uint32_t n_far)
{
  if (threadIdx.x == 0)
    queue->base = atomicAdd(&queues.counters[VT_WAVE_COUNT], n_near + n_far);
  __syncthreads();
  const uint32_t base = queue->base, room = base < queues.out_size ? queues.out_size - base : 0;
  vt_queue_move(queues.out + base, room, near, n_near, &queues.counters[VT_WAVE_DROPPED]);
  vt_queue_move(queues.out + base + n_near, room > n_near ? room - n_near : 0, far, n_far,
                &queues.counters[VT_WAVE_DROPPED]);
}

template <typename Step>
static __global__ void
__launch_bounds__(VT_QUEUE_THREADS) vt_queue_spread(Step step, VtGpuQueues queues)
{
  __shared__ VtGpuBlockQueue queue;
  const uint32_t first = static_cast<uint32_t>(static_cast<uint64_t>(queues.n_in) * blockIdx.x / gridDim.x);
  const uint32_t end = static_cast<uint32_t>(static_cast<uint64_t>(queues.n_in) * (blockIdx.x + 1) / gridDim.x);
  uint32_t *far_parts = queues.far + static_cast<size_t>(2 * blockIdx.x) * queues.far_size;
  const uint32_t *far = queues.in + first;
  uint32_t n_near = 0, n_far = end - first, round = 0;
  uint64_t n_risen = 0;
  if (threadIdx.x < 3)
    queue.n_near[threadIdx.x] = 0;
  __syncthreads();
  for (; n_near + n_far > 0 && round < queues.max_rounds; round++) {
    uint32_t *far_out = far_parts + static_cast<size_t>(round % 2) * queues.far_size, *n_out = &queue.n_near[round % 3];
    if (threadIdx.x == 0)
      queue.n_near[(round + 1) % 3] = 0;
    n_far = vt_queue_round(step, queues, queue.near[round % 2], n_near, far, n_far, queue.near[1 - round % 2], n_out,
                           far_out, &n_risen);
    far = far_out;
    n_near = *n_out;
  }
  if (n_near + n_far > 0)
    vt_queue_leave(&queue, queues, queue.near[round % 2], n_near, far, n_far);
  for (int d = 16; d > 0; d /= 2)
    n_risen += __shfl_down_sync(~0u, n_risen, d);
  if (threadIdx.x % 32 == 0 && n_risen > 0)
    atomicAdd(reinterpret_cast<unsigned long long *>(&queues.counters[VT_WAVE_RISEN]),
              static_cast<unsigned long long>(n_risen));
}
