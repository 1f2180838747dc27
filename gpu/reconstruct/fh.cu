/* SPDX-License-Identifier: MIT
 *
 * fh.cu: the fast hybrid reconstruction of Teodoro 2012 (FH_GPU): some directional scans, then the pixels that can
 * still raise a neighbour go through queues. The scans need not be complete, so that columns are cut into bands and
 * strips, which are shifted from scan to scan. */
#include "../iwpp/queue.cuh"

enum { WARP = 32, THREADS = 128, BATCH = 8, BAND = 128, N_SCANS = 4 };

/* A warp takes 32 columns and BAND rows, downward or upward. With diagonals a pixel looks at three pixels of the row
 * before (Karas 2010), within the strip. */
template <typename T>
static __global__ void
scan_bands(VtGpuView<T> marker, VtGpuView<T> mask, bool diagonals, bool upward, int shift, uint32_t n_strips)
{
  const int64_t warp = (static_cast<int64_t>(blockIdx.x) * THREADS + threadIdx.x) / WARP;
  const int64_t x = warp % n_strips * WARP + threadIdx.x % WARP - shift, top = warp / n_strips * BAND - shift;
  const bool inside = x >= 0 && x < marker.width;
  int32_t carry = VtGpuPixel<T>::lowest;
  for (int start = 0; start < BAND; start += BATCH) {
    int32_t old[BATCH], high[BATCH];
#pragma unroll
    for (int i = 0; i < BATCH; i++) {
      const int64_t y = top + (upward ? BAND - 1 - start - i : start + i);
      old[i] = high[i] = VtGpuPixel<T>::lowest;
      if (inside && y >= 0 && y < marker.height) {
        old[i] = VtGpuPixel<T>::load(marker.row(y)[x]);
        high[i] = VtGpuPixel<T>::load(mask.row(y)[x]);
      }
    }
#pragma unroll
    for (int i = 0; i < BATCH; i++) {
      const int64_t y = top + (upward ? BAND - 1 - start - i : start + i);
      if (diagonals)
        carry = max(carry, max(__shfl_up_sync(~0u, carry, 1), __shfl_down_sync(~0u, carry, 1)));
      carry = min(max(carry, old[i]), high[i]);
      if (carry != old[i])
        marker.row(y)[x] = VtGpuPixel<T>::store(carry);
    }
  }
}

template <typename T>
static VitrailStatus
scan(VtDevice *device, const VtReconstruct *args, int n_scans, const VtCancel *cancel)
{
  const VtGpuView<T> marker(args->marker), mask(args->mask);
  for (int n = 0; n < n_scans; n++) {
    const int shift = n % 2 ? WARP / 2 : 0;
    const int64_t n_strips = vt_gpu_blocks(marker.width + shift, WARP),
                  n_bands = vt_gpu_blocks(marker.height + shift, BAND);
    if (vt_cancelled(cancel))
      return VITRAIL_CANCELLED;
    for (int upward = 0; upward < 2; upward++)
      VT_TRY(vt_gpu_launch(device, "scan_bands", scan_bands<T>, vt_gpu_blocks(n_strips * n_bands, THREADS / WARP),
                           THREADS, marker, mask, args->connectivity == 8, upward != 0, shift,
                           static_cast<uint32_t>(n_strips)));
    VT_TRY(vt_gpu_reconstruct_sweep_rows(device, args));
  }
  return VITRAIL_OK;
}

VitrailStatus
vt_gpu_reconstruct_scan(VtDevice *device, const VtReconstruct *args, const VtGpuWaveOptions *options,
                        const VtCancel *cancel)
{
  const int n_scans = options->n_scans ? options->n_scans : N_SCANS;
  return VT_GPU_BY_TYPE(args->marker.type, scan, device, args, n_scans, cancel);
}

template <typename Word>
static VitrailStatus
launch_queues(VtDevice *device, const VtGpuWave *wave, const VtGpuQueues *queues, uint32_t n_blocks)
{
  const VtGpuRise<Word> step = { static_cast<Word *>(wave->words), wave->pitch, wave->n_neighbours };
  return vt_gpu_launch(device, "vt_queue_spread", vt_queue_spread<VtGpuRise<Word>>, n_blocks, VT_QUEUE_THREADS, step,
                       *queues);
}

VitrailStatus
vt_gpu_reconstruct_fh_with(VtDevice *device, const VtReconstruct *args, const VtCancel *cancel,
                           const VtGpuWaveOptions *options, VtGpuWaveCounts *counts)
{
  const bool is_wide = args->marker.type == VITRAIL_I32 || args->marker.type == VITRAIL_F32;
  if (options->queue != VT_GPU_QUEUE_THREAD)
#ifdef VT_PAPERS
    return vt_gpu_reconstruct_fh_flat(device, args, cancel, options, counts);
#else
    return VITRAIL_UNSUPPORTED;
#endif
  return vt_gpu_wave_reconstruct(device, args, is_wide ? launch_queues<unsigned long long> : launch_queues<uint32_t>,
                                 cancel, options, counts);
}

VitrailStatus
vt_gpu_reconstruct_fh(VtDevice *device, const VtReconstruct *args, const VtCancel *cancel)
{
  if (vt_gpu_reconstruct_is_other(args))
    return vt_gpu_reconstruct_other(device, args, vt_gpu_reconstruct_fh, cancel);
  const VtGpuWaveOptions options = {};
  VtGpuWaveCounts counts = {};
  return vt_gpu_reconstruct_fh_with(device, args, cancel, &options, &counts);
}
