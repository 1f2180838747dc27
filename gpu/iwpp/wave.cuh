/* SPDX-License-Identifier: MIT
 *
 * wave.cuh: what the irregular wavefronts of the papers share (Teodoro 2012, He 2014): the image as words, one for each
 * pixel, its active pixels as a list, and a note when something was dropped because a queue was full.
 *
 * A word holds the mask above the marker, both as unsigned numbers in the pixel's order: one load gives both, and as
 * the mask never changes, atomicMax of words is atomicMax of markers. A border of zeros stands round the image: nothing
 * there can rise, so that every neighbour is in bounds. */
#pragma once

#include "../gpu.h"
#include "../reconstruct/reconstruct.cuh"

/* The step of reconstruction. Another wavefront is another such functor over its own words. */
template <typename W> struct VtGpuRise {
  static constexpr int half = 4 * sizeof(W);
  static constexpr W low_half = (static_cast<W>(1) << half) - 1;
  W *words;
  uint32_t pitch; /* words from row to row */
  int n_neighbours;

  /* Right, left, down, up, then the diagonals; the tables hold dx + 1 and dy + 1 in two bits each. */
  __device__ uint32_t neighbour(uint32_t p, int k) const
  {
    return p + (0x2252u >> 2 * k & 3u) - 1u + ((0x0a25u >> 2 * k & 3u) - 1u) * pitch;
  }
  /* What orders a heap: the marker's value. Loads pass by L1, which does not see what other blocks' atomics did. */
  __device__ W key(uint32_t p) const
  {
    return __ldcg(words + p) & low_half;
  }
  __device__ bool can_spread(uint32_t p) const
  {
    const W value = words[p] & low_half;
    for (int k = 0; k < n_neighbours; k++) {
      const W q = words[neighbour(p, k)];
      if ((q & low_half) < min(value, q >> half))
        return true;
    }
    return false;
  }
  /* Raises the neighbours of p; bit k of the answer: neighbour k has risen and is to be visited. */
  __device__ uint32_t visit(uint32_t p) const
  {
    uint32_t risen = 0;
    W q[8];
    const W value = key(p);
#pragma unroll
    for (int k = 0; k < 8; k++)
      q[k] = k < n_neighbours ? __ldcg(words + neighbour(p, k)) : 0;
#pragma unroll
    for (int k = 0; k < 8; k++) {
      const W raised = min(value, q[k] >> half);
      if ((q[k] & low_half) < raised
          && (atomicMax(words + neighbour(p, k), (q[k] & ~low_half) | raised) & low_half) < raised)
        risen |= 1u << k;
    }
    return risen;
  }
};

/* Device words of a wave: device->words + VT_WAVE_FIRST. */
enum { VT_WAVE_FIRST = 8, VT_WAVE_DROPPED = 0, VT_WAVE_COUNT = 1, VT_WAVE_RISEN = 4, VT_WAVE_N_WORDS = 6 };

/* Queues of a launch. A block takes its equal share of `in` and leaves what it could not finish in `out`; `far` has two
 * parts of far_size pixels for each block. */
struct VtGpuQueues {
  const uint32_t *in;
  uint32_t *out, *far;
  uint32_t n_in, out_size, far_size, max_rounds;
  uint32_t *counters; /* VT_WAVE_DROPPED, _COUNT: pixels in `out`, _RISEN: 64 bits, pixels raised */
};

struct VtGpuWave {
  VtImage marker, mask;
  uint32_t *counters;
  void *words;
  uint32_t pitch;
  int n_neighbours;
  uint32_t *lists[2], *far; /* lists hold list_size pixels each */
  uint32_t list_size, far_size, n_blocks;
};

typedef VitrailStatus (*VtGpuWaveLaunch)(VtDevice *device, const VtGpuWave *wave, const VtGpuQueues *queues,
                                         uint32_t n_blocks);
/* All of it: checks, scans, words, queues by `launch`, and the answer in args->marker. Adds to *counts. */
VitrailStatus vt_gpu_wave_reconstruct(VtDevice *device, const VtReconstruct *args, VtGpuWaveLaunch launch,
                                      const VtCancel *cancel, const VtGpuWaveOptions *options, VtGpuWaveCounts *counts);
/* fh with one queue for all blocks (papers/fh-queues.cu). */
VitrailStatus vt_gpu_reconstruct_fh_flat(VtDevice *device, const VtReconstruct *args, const VtCancel *cancel,
                                         const VtGpuWaveOptions *options, VtGpuWaveCounts *counts);
/* The scans of fh.cu, on arguments that have been checked. */
VitrailStatus vt_gpu_reconstruct_scan(VtDevice *device, const VtReconstruct *args, const VtGpuWaveOptions *options,
                                      const VtCancel *cancel);
