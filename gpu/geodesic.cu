/* SPDX-License-Identifier: MIT
 *
 * geodesic.cu: geodesic distance and influence zones (SKIZ), as the CPU's: steps and label are one number, the steps above,
 * and a pixel takes the least. */
#include "gpu.h"
#include "iwpp/rounds.cuh"

enum { THREADS = 256, BAD_WORD = VT_GPU_N_WORDS - 3 };
static const unsigned long long unreached = INT64_MAX;

struct Geodesic {
  typedef unsigned long long Value;
  unsigned long long *plane; /* of the frame and outside the mask: 0, which nothing is below */
  uint32_t pitch;
  int n_neighbours;

  __device__ Value value(uint32_t p) const
  {
    return __ldcg(plane + p) + (1ull << 32);
  }
  __device__ bool starts(uint32_t p) const
  {
    const unsigned long long own = plane[p];
    bool any = false;
    for (int k = 0; k < n_neighbours && own != 0 && own != unreached; k++) {
      int dx, dy;
      vt_rounds_neighbour(k, &dx, &dy);
      any |= plane[p + static_cast<uint32_t>(dy) * pitch + static_cast<uint32_t>(dx)] == unreached;
    }
    return any;
  }
  __device__ bool offer(uint32_t p, uint32_t, uint32_t, Value value) const
  {
    return __ldcg(plane + p) > value && atomicMin(plane + p, value) > value;
  }
};

static __global__ void
frame(VtGpuView<int32_t> seeds, VtGpuView<uint8_t> mask, Geodesic g, uint32_t *bad)
{
  const int64_t n = (seeds.width + 2) * (seeds.height + 2);
  for (int64_t at = static_cast<int64_t>(blockIdx.x) * THREADS + threadIdx.x; at < n;
       at += static_cast<int64_t>(gridDim.x) * THREADS) {
    const int64_t x = at % g.pitch - 1, y = at / g.pitch - 1;
    unsigned long long value = 0;
    if (x >= 0 && x < seeds.width && y >= 0 && y < seeds.height && mask.row(y)[x]) {
      const int32_t seed = seeds.row(y)[x];
      if (seed < 0)
        *bad = 1;
      value = seed ? static_cast<unsigned long long>(static_cast<uint32_t>(seed)) : unreached;
    }
    g.plane[at] = value;
  }
}

static __global__ void
write(Geodesic g, int64_t width, int64_t height, VtGpuView<int32_t> steps, VtGpuView<int32_t> zones)
{
  const int64_t n = width * height;
  for (int64_t at = static_cast<int64_t>(blockIdx.x) * THREADS + threadIdx.x; at < n;
       at += static_cast<int64_t>(gridDim.x) * THREADS) {
    const int64_t x = at % width, y = at / width;
    const unsigned long long value = g.plane[(y + 1) * g.pitch + x + 1];
    const bool reached = value != 0 && value != unreached;
    if (steps.data)
      steps.row(y)[x] = reached ? static_cast<int32_t>(value >> 32) : VT_EDT_NONE;
    if (zones.data)
      zones.row(y)[x] = reached ? static_cast<int32_t>(value) : 0;
  }
}

static VitrailStatus
run(VtDevice *device, const VtGeodesic *args, const VtCancel *cancel)
{
  const int64_t width = args->seeds.width, height = args->seeds.height, room = 16 * device->n_multiprocessors;
  const size_t n = static_cast<size_t>((width + 2) * (height + 2) + 31) / 32 * 32;
  const int64_t wanted = vt_gpu_blocks(static_cast<int64_t>(n), THREADS), blocks = wanted < room ? wanted : room;
  void *scratch = NULL;
  if (!vt_gpu_rounds_fit(width, height))
    return VITRAIL_UNSUPPORTED;
  VT_TRY(vt_gpu_scratch(device, n * sizeof(uint64_t) + vt_gpu_rounds_bytes(width, height), &scratch));
  const Geodesic g = { static_cast<unsigned long long *>(scratch), static_cast<uint32_t>(width + 2),
                       args->connectivity };
  const VtGpuRounds rounds = vt_gpu_rounds_new(device, width, height, args->connectivity, g.plane + n);
  uint32_t *bad = device->words + BAD_WORD;
  VT_GPU_TRY(device, cudaMemsetAsync(bad, 0, sizeof *bad, device->stream));
  VT_TRY(vt_gpu_launch(device, "frame", frame, blocks, THREADS, VtGpuView<int32_t>(args->seeds),
                       VtGpuView<uint8_t>(args->mask), g, bad));
  VT_TRY(vt_gpu_read_words(device));
  if (device->words_host[BAD_WORD])
    return VITRAIL_BAD_ARGUMENT;
  VT_TRY(vt_gpu_rounds_run(device, g, rounds, cancel));
  VT_TRY(vt_gpu_launch(device, "write", write, blocks, THREADS, g, width, height, VtGpuView<int32_t>(args->steps),
                       VtGpuView<int32_t>(args->zones)));
  return vt_gpu_sync(device);
}

VitrailStatus
vt_gpu_geodesic(VtDevice *device, const VtGeodesic *args, const VtCancel *cancel)
{
  VT_GPU_USE(device, vt_geodesic_ok(args));
  const VitrailStatus status = run(device, args, cancel);
  if (status != VITRAIL_OK)
    cudaStreamSynchronize(device->stream);
  return status;
}
