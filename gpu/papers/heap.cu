/* SPDX-License-Identifier: MIT
 *
 * heap.cu: reconstruction by a cluster of parallel heaps (He 2014, MR_GPU). Each block has a heap of its own, whose
 * nodes hold NODE pixels in order, none below a pixel of its children. A cycle sorts the newest pixels with the root's,
 * spreads the brightest NODE, puts the next ones back as the root, and sends one full node of the others in. Both kinds
 * of repair go down from the root, one level a phase: levels of even and odd number take turns, a warp each, so that
 * all levels work at once and no two warps touch one node. */
#include "../iwpp/wave.cuh"

enum { NODE = 32, WARP = 32, THREADS = 128, N_WARPS = THREADS / WARP, BUFFER = 512, MAX_LEVELS = 24 };
/* With more than CROWDED pixels beside the root, what a node's pixels raise (8 each) might not fit. */
enum { CROWDED = BUFFER - NODE - 8 * NODE, CYCLES_PER_ROUND = 4 };

/* Key above index: the larger, the sooner. 0 is no pixel. */
typedef unsigned long long Item;

struct Shared {
  Item buffer[BUFFER];
  Item carry[MAX_LEVELS + 1][NODE]; /* a node on its way down, waiting at this level */
  uint32_t sinking[MAX_LEVELS + 1]; /* the node of this level that may be below its children; 0: none */
  uint32_t n_buffer, base;
};

/* What all threads know alike. */
struct Heap {
  Item *nodes; /* node n, from 1 on, at nodes + n * NODE */
  uint32_t max_nodes, n_nodes, n_reserved;
  uint32_t target; /* in lane l: where the carry of level l is to go; 0: there is none */
  uint32_t n_buffer;
};

/* Two nodes in falling order, an item of each in a lane: a gets the upper half of both. */
static __device__ void
merge(Item *a, Item *b, int lane)
{
  const Item other = __shfl_sync(~0u, *b, WARP - 1 - lane);
  Item high = max(*a, other), low = min(*a, other);
  for (int d = WARP / 2; d > 0; d /= 2) {
    const Item h = __shfl_xor_sync(~0u, high, d), l = __shfl_xor_sync(~0u, low, d);
    high = lane & d ? min(high, h) : max(high, h);
    low = lane & d ? min(low, l) : max(low, l);
  }
  *a = high;
  *b = low;
}

/* Repairs one node against its children. The child with the smaller least item gets the middle third, which is not
 * below that child's own children; the other child gets the least third and is next. */
static __device__ void
sink(Shared *shared, const Heap &heap, int level, int lane)
{
  const uint32_t n = shared->sinking[level], child = 2 * n;
  __syncwarp();
  if (lane == 0)
    shared->sinking[level] = 0;
  if (n == 0 || child > heap.n_nodes)
    return;
  Item top = heap.nodes[n * NODE + lane], a = heap.nodes[child * NODE + lane], b = 0;
  const bool has_two = child < heap.n_nodes;
  if (has_two)
    b = heap.nodes[(child + 1) * NODE + lane];
  const bool a_is_less = has_two && __shfl_sync(~0u, a, WARP - 1) < __shfl_sync(~0u, b, WARP - 1);
  if (has_two)
    merge(&a, &b, lane);
  merge(&top, &a, lane);
  if (has_two)
    merge(&a, &b, lane);
  heap.nodes[n * NODE + lane] = top;
  const uint32_t middle = !has_two || a_is_less ? child : child + 1, least = has_two && !a_is_less ? child : child + 1;
  heap.nodes[middle * NODE + lane] = a;
  if (has_two)
    heap.nodes[least * NODE + lane] = b;
  if (lane == 0)
    shared->sinking[level + 1] = has_two ? least : middle;
}

static __device__ void
carry_on(Shared *shared, const Heap &heap, int level, int lane)
{
  const uint32_t target = __shfl_sync(~0u, heap.target, level);
  if (target == 0)
    return;
  const int depth = 32 - __clz(target);
  Item *node = heap.nodes + static_cast<size_t>(target >> (depth - level)) * NODE;
  Item mine = shared->carry[level][lane];
  if (depth == level) {
    node[lane] = mine;
    return;
  }
  Item top = node[lane];
  merge(&top, &mine, lane);
  node[lane] = top;
  shared->carry[level + 1][lane] = mine;
}

/* The brightest items, in warp 0: what they raise goes into the buffer. */
template <typename Step>
static __device__ void
spread(const Step &step, Shared *shared, const Heap &heap, Item item, uint32_t *n_risen, int lane)
{
  const uint32_t p = static_cast<uint32_t>(item);
  /* If the pixel has risen since, whoever raised it has queued it again. */
  uint32_t risen = item != 0 && step.key(p) == item >> 32 ? step.visit(p) : 0, sum = __popc(risen);
  const uint32_t n = sum;
  for (int d = 1; d < WARP; d *= 2) {
    const uint32_t before = __shfl_up_sync(~0u, sum, d);
    sum += lane >= d ? before : 0;
  }
  *n_risen += n;
  for (uint32_t at = heap.n_buffer + sum - n; risen; risen &= risen - 1, at++) {
    const uint32_t q = step.neighbour(p, __ffs(risen) - 1);
    shared->buffer[at] = static_cast<Item>(step.key(q)) << 32 | q;
  }
  if (lane == WARP - 1)
    shared->n_buffer = heap.n_buffer + sum;
}

/* Every other level, from `first` on, one step; then what arrived is part of the heap. */
static __device__ void
advance(Shared *shared, Heap *heap, int first, int first_warp)
{
  const int lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
  for (int i = 0; first + 2 * i <= MAX_LEVELS - 1; i++)
    if ((i + first_warp) % N_WARPS == warp) {
      sink(shared, *heap, first + 2 * i, lane);
      __syncwarp();
      carry_on(shared, *heap, first + 2 * i, lane);
    }
  __syncthreads();
  const bool moves = lane % 2 == first % 2 && heap->target != 0;
  const bool arrives = moves && 32 - __clz(heap->target) == lane;
  const uint32_t before = __shfl_up_sync(~0u, moves && !arrives ? heap->target : 0, 1);
  heap->target = moves ? 0 : lane > 0 && before ? before : heap->target;
  const uint32_t waiting = __ballot_sync(~0u, heap->target != 0);
  const uint32_t oldest = __shfl_sync(~0u, heap->target, waiting ? 31 - __clz(waiting) : 0);
  heap->n_nodes = waiting ? oldest - 1 : heap->n_reserved;
}

/* Until nothing is on its way in. */
static __device__ void
settle(Shared *shared, Heap *heap)
{
  while (__ballot_sync(~0u, heap->target != 0)) {
    advance(shared, heap, 1, 0);
    advance(shared, heap, 2, 0);
  }
}

static __device__ void
sort_buffer(Shared *shared, uint32_t n)
{
  uint32_t size = NODE;
  while (size < n)
    size *= 2;
  for (uint32_t i = n + threadIdx.x; i < size; i += THREADS)
    shared->buffer[i] = 0;
  __syncthreads();
  for (uint32_t k = 2; k <= size; k *= 2)
    for (uint32_t j = k / 2; j > 0; j /= 2) {
      for (uint32_t t = threadIdx.x; t < size / 2; t += THREADS) {
        const uint32_t i = 2 * t - (t & (j - 1)), o = i + j;
        const Item a = shared->buffer[i], b = shared->buffer[o];
        if ((a < b) == ((i & k) == 0)) {
          shared->buffer[i] = b;
          shared->buffer[o] = a;
        }
      }
      __syncthreads();
    }
}

/* A root for the heap whose root has been taken: the next of the buffer, or else the heap's last node. */
static __device__ uint32_t
give_root(Shared *shared, Heap *heap, uint32_t at, uint32_t n)
{
  const uint32_t lane = threadIdx.x;
  if (n - at >= NODE) {
    if (lane < NODE)
      heap->nodes[NODE + lane] = shared->buffer[at + lane];
    at += NODE;
  } else {
    settle(shared, heap);
    const uint32_t last = heap->n_nodes;
    heap->n_nodes = heap->n_reserved = last - 1;
    if (last > 1 && lane < NODE)
      heap->nodes[NODE + lane] = heap->nodes[last * NODE + lane];
  }
  if (lane == 0 && heap->n_nodes > 0)
    shared->sinking[1] = 1;
  return at;
}

/* Sends the last of n items in, and leaves the others from `at` on as the buffer. */
static __device__ void
keep_rest(Shared *shared, Heap *heap, uint32_t at, uint32_t n, uint32_t *dropped)
{
  enum { EACH = BUFFER / THREADS };
  Item kept[EACH];
  if (n - at >= NODE && heap->n_reserved < heap->max_nodes) {
    n -= NODE;
    heap->n_reserved++;
    if (threadIdx.x % WARP == 1)
      heap->target = heap->n_reserved;
    if (threadIdx.x < NODE)
      shared->carry[1][threadIdx.x] = shared->buffer[n + threadIdx.x];
  } else if (n - at > CROWDED) {
    n = at + CROWDED;
    if (threadIdx.x == 0)
      atomicOr(dropped, 1u);
  }
  for (int k = 0; k < EACH; k++)
    kept[k] = at + k * THREADS + threadIdx.x < n ? shared->buffer[at + k * THREADS + threadIdx.x] : 0;
  __syncthreads();
  for (int k = 0; k < EACH; k++)
    shared->buffer[k * THREADS + threadIdx.x] = kept[k];
  heap->n_buffer = n - at;
  if (threadIdx.x == 0)
    shared->n_buffer = n - at;
  __syncthreads();
}

/* Returns whether the cycle counts: one that only makes room does not, so that every launch gets on. */
template <typename Step>
static __device__ bool
run_cycle(const Step &step, Shared *shared, Heap *heap, bool spreads, uint32_t *dropped, uint32_t *n_risen)
{
  const bool has_root = heap->n_nodes > 0;
  uint32_t n = heap->n_buffer, at = 0;
  if (has_root) {
    if (threadIdx.x < NODE)
      shared->buffer[n + threadIdx.x] = heap->nodes[NODE + threadIdx.x];
    n += NODE;
  }
  sort_buffer(shared, n);
  spreads = spreads && n <= CROWDED + (has_root ? 3 : 2) * NODE;
  if (spreads)
    at = min(n, static_cast<uint32_t>(NODE));
  const Item mine = threadIdx.x < at ? shared->buffer[threadIdx.x] : 0;
  if (has_root)
    at = give_root(shared, heap, at, n);
  keep_rest(shared, heap, at, n, dropped);
  if (threadIdx.x < WARP)
    spread(step, shared, *heap, mine, n_risen, static_cast<int>(threadIdx.x));
  advance(shared, heap, 1, 1);
  heap->n_buffer = shared->n_buffer;
  advance(shared, heap, 2, 0);
  return spreads;
}

static __device__ void
leave(Shared *shared, Heap *heap, const VtGpuQueues &queues, const uint32_t *rest, uint32_t n_rest)
{
  settle(shared, heap);
  const uint32_t n_heap = heap->n_nodes * NODE, n = heap->n_buffer + n_heap + n_rest;
  if (threadIdx.x == 0)
    shared->base = atomicAdd(&queues.counters[VT_WAVE_COUNT], n);
  __syncthreads();
  for (uint32_t i = threadIdx.x; i < n && shared->base + i < queues.out_size; i += THREADS) {
    const uint32_t h = i - heap->n_buffer;
    queues.out[shared->base + i] = i < heap->n_buffer ? static_cast<uint32_t>(shared->buffer[i])
                                   : h < n_heap       ? static_cast<uint32_t>(heap->nodes[NODE + h])
                                                      : rest[h - n_heap];
  }
}

template <typename Step>
static __global__ void
__launch_bounds__(THREADS) spread_heaps(Step step, VtGpuQueues queues)
{
  __shared__ Shared shared;
  uint32_t next = static_cast<uint32_t>(static_cast<uint64_t>(queues.n_in) * blockIdx.x / gridDim.x), n_risen = 0;
  const uint32_t end = static_cast<uint32_t>(static_cast<uint64_t>(queues.n_in) * (blockIdx.x + 1) / gridDim.x);
  uint32_t *dropped = &queues.counters[VT_WAVE_DROPPED];
  Item *part = reinterpret_cast<Item *>(queues.far) + static_cast<size_t>(blockIdx.x) * queues.far_size;
  Heap heap = { part - NODE, min(queues.far_size / NODE, (1u << (MAX_LEVELS - 1)) - 1), 0, 0, 0, 0 };
  if (threadIdx.x <= MAX_LEVELS)
    shared.sinking[threadIdx.x] = 0;
  __syncthreads();
  for (uint32_t cycle = 0; cycle < queues.max_rounds * CYCLES_PER_ROUND;) {
    if (next == end && heap.n_buffer + heap.n_nodes == 0 && heap.n_reserved == 0)
      break;
    const bool is_filling = next < end;
    if (is_filling && heap.n_buffer <= CROWDED) {
      const uint32_t n = min(end - next, static_cast<uint32_t>(THREADS));
      if (threadIdx.x < n) {
        const uint32_t p = queues.in[next + threadIdx.x];
        shared.buffer[heap.n_buffer + threadIdx.x] = static_cast<Item>(step.key(p)) << 32 | p;
      }
      next += n;
      heap.n_buffer += n;
    }
    cycle += run_cycle(step, &shared, &heap, !is_filling, dropped, &n_risen);
  }
  if (heap.n_buffer + heap.n_reserved > 0 || next < end)
    leave(&shared, &heap, queues, queues.in + next, end - next);
  if (n_risen > 0)
    atomicAdd(reinterpret_cast<unsigned long long *>(&queues.counters[VT_WAVE_RISEN]),
              static_cast<unsigned long long>(n_risen));
}

template <typename Word>
static VitrailStatus
launch_heaps(VtDevice *device, const VtGpuWave *wave, const VtGpuQueues *queues, uint32_t n_blocks)
{
  const VtGpuRise<Word> step = { static_cast<Word *>(wave->words), wave->pitch, wave->n_neighbours };
  return vt_gpu_launch(device, "spread_heaps", spread_heaps<VtGpuRise<Word>>, n_blocks, THREADS, step, *queues);
}

VitrailStatus
vt_gpu_reconstruct_heap_with(VtDevice *device, const VtReconstruct *args, const VtCancel *cancel,
                             const VtGpuWaveOptions *options, VtGpuWaveCounts *counts)
{
  const bool is_wide = args->marker.type == VITRAIL_I32 || args->marker.type == VITRAIL_F32;
  return vt_gpu_wave_reconstruct(device, args, is_wide ? launch_heaps<unsigned long long> : launch_heaps<uint32_t>,
                                 cancel, options, counts);
}

VitrailStatus
vt_gpu_reconstruct_heap(VtDevice *device, const VtReconstruct *args, const VtCancel *cancel)
{
  if (vt_gpu_reconstruct_is_other(args))
    return vt_gpu_reconstruct_other(device, args, vt_gpu_reconstruct_heap, cancel);
  const VtGpuWaveOptions options = {};
  VtGpuWaveCounts counts = {};
  return vt_gpu_reconstruct_heap_with(device, args, cancel, &options, &counts);
}
