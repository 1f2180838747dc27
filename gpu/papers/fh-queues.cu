/* SPDX-License-Identifier: MIT
 *
 * fh-queues.cu: fh (Teodoro 2012) with one queue in global memory for all blocks, a launch for each round: what its three
 * levels of queues are compared with. */
#include "../iwpp/queue.cuh"

/* One round over the whole list, without a block's own queue. TOGETHER: a prefix sum over the block and one atomic for
 * all of its pixels, else one for each pixel. */
template <typename Step, bool TOGETHER>
static __global__ void
__launch_bounds__(VT_QUEUE_THREADS) vt_queue_round_flat(Step step, VtGpuQueues queues)
{
  __shared__ uint32_t sums[VT_QUEUE_THREADS / 32], base;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  uint64_t n_risen = 0;
  for (uint32_t first = blockIdx.x * VT_QUEUE_THREADS; first < queues.n_in; first += gridDim.x * VT_QUEUE_THREADS) {
    const uint32_t i = first + threadIdx.x, p = i < queues.n_in ? queues.in[i] : 0;
    uint32_t risen = i < queues.n_in ? step.visit(p) : 0, at = 0;
    n_risen += __popc(risen);
    if (TOGETHER) {
      uint32_t sum = __popc(risen), before = 0, total = 0;
      for (int d = 1; d < 32; d *= 2) {
        const uint32_t other = __shfl_up_sync(~0u, sum, d);
        sum += lane >= d ? other : 0;
      }
      if (lane == 31)
        sums[warp] = sum;
      __syncthreads();
      for (int k = 0; k < VT_QUEUE_THREADS / 32; k++) {
        before += k < warp ? sums[k] : 0;
        total += sums[k];
      }
      if (threadIdx.x == 0 && total > 0)
        base = atomicAdd(&queues.counters[VT_WAVE_COUNT], total);
      __syncthreads();
      at = base + before + sum - __popc(risen);
    }
    for (; risen; risen &= risen - 1, at++) {
      if (!TOGETHER)
        at = atomicAdd(&queues.counters[VT_WAVE_COUNT], 1u);
      if (at < queues.out_size)
        queues.out[at] = step.neighbour(p, __ffs(risen) - 1);
    }
  }
  for (int d = 16; d > 0; d /= 2)
    n_risen += __shfl_down_sync(~0u, n_risen, d);
  if (lane == 0 && n_risen > 0)
    atomicAdd(reinterpret_cast<unsigned long long *>(&queues.counters[VT_WAVE_RISEN]),
              static_cast<unsigned long long>(n_risen));
}

template <typename Word, bool TOGETHER>
static VitrailStatus
launch_flat(VtDevice *device, const VtGpuWave *wave, const VtGpuQueues *queues, uint32_t n_blocks)
{
  const VtGpuRise<Word> step = { static_cast<Word *>(wave->words), wave->pitch, wave->n_neighbours };
  return vt_gpu_launch(device, "vt_queue_round_flat", vt_queue_round_flat<VtGpuRise<Word>, TOGETHER>, n_blocks,
                       VT_QUEUE_THREADS, step, *queues);
}

VitrailStatus
vt_gpu_reconstruct_fh_flat(VtDevice *device, const VtReconstruct *args, const VtCancel *cancel,
                           const VtGpuWaveOptions *options, VtGpuWaveCounts *counts)
{
  static const VtGpuWaveLaunch narrow[] = { launch_flat<uint32_t, false>, launch_flat<uint32_t, true> };
  static const VtGpuWaveLaunch wide[] = { launch_flat<unsigned long long, false>, launch_flat<unsigned long long, true> };
  const bool is_wide = args->marker.type == VITRAIL_I32 || args->marker.type == VITRAIL_F32;
  const VtGpuWaveLaunch launch = (is_wide ? wide : narrow)[options->queue == VT_GPU_QUEUE_PREFIX_SUM];
  return vt_gpu_wave_reconstruct(device, args, launch, cancel, options, counts);
}

static VitrailStatus
run(VtDevice *device, const VtReconstruct *args, const VtCancel *cancel, VtGpuQueueKind queue)
{
  VtGpuWaveOptions options = {};
  VtGpuWaveCounts counts = {};
  options.queue = queue;
  options.n_rounds = 1; /* what a launch does, for the count of thin rounds */
  return vt_gpu_reconstruct_fh_flat(device, args, cancel, &options, &counts);
}

VitrailStatus
vt_gpu_reconstruct_fh_naive(VtDevice *device, const VtReconstruct *args, const VtCancel *cancel)
{
  if (vt_gpu_reconstruct_is_other(args))
    return vt_gpu_reconstruct_other(device, args, vt_gpu_reconstruct_fh_naive, cancel);
  return run(device, args, cancel, VT_GPU_QUEUE_NAIVE);
}

VitrailStatus
vt_gpu_reconstruct_fh_prefix_sum(VtDevice *device, const VtReconstruct *args, const VtCancel *cancel)
{
  if (vt_gpu_reconstruct_is_other(args))
    return vt_gpu_reconstruct_other(device, args, vt_gpu_reconstruct_fh_prefix_sum, cancel);
  return run(device, args, cancel, VT_GPU_QUEUE_PREFIX_SUM);
}
