/* SPDX-License-Identifier: MIT
 *
 * danielsson.cu: the nearest background pixel from neighbour to neighbour, in rounds (iwpp/rounds.cuh), as the CPU's. A
 * pixel's is one word, so that compare-and-swap takes the nearer one, or of equally near ones that of the smaller number. */
#include "../gpu.h"
#include "../iwpp/rounds.cuh"
#include "../distance/outputs.cuh"

enum { THREADS = 256 };
static const unsigned long long no_site = ~0ull, outside = ~0ull - 1;

struct Danielsson {
  typedef unsigned long long Value; /* y << 32 | x of a background pixel */
  unsigned long long *site;
  uint32_t pitch;
  int64_t weight_x, weight_y;

  __device__ int64_t squared_to(uint32_t x, uint32_t y, Value s) const
  {
    const int64_t dx = static_cast<int64_t>(x) - static_cast<uint32_t>(s), dy = y - static_cast<int64_t>(s >> 32);
    return weight_x * (dx * dx) + weight_y * (dy * dy);
  }
  __device__ Value value(uint32_t p) const
  {
    return __ldcg(site + p);
  }
  /* Background beside foreground: what lies inside has nothing to offer. */
  __device__ bool starts(uint32_t p) const
  {
    bool any = false;
    for (int k = 0; k < 8 && site[p] != no_site; k++) {
      int dx, dy;
      vt_rounds_neighbour(k, &dx, &dy);
      any |= site[p + static_cast<uint32_t>(dy) * pitch + static_cast<uint32_t>(dx)] == no_site;
    }
    return any;
  }
  __device__ bool offer(uint32_t p, uint32_t x, uint32_t y, Value value) const
  {
    unsigned long long had = __ldcg(site + p);
    if (had == outside)
      return false;
    const int64_t squared = squared_to(x, y, value);
    while (had != value) {
      if (had != no_site) {
        const int64_t other = squared_to(x, y, had);
        if (squared > other || (squared == other && value > had))
          return false;
      }
      const unsigned long long found = atomicCAS(site + p, had, value);
      if (found == had)
        return true;
      had = found;
    }
    return false;
  }
};

static __global__ void
frame(VtGpuView<uint8_t> src, Danielsson d)
{
  const int64_t n = (src.width + 2) * (src.height + 2);
  for (int64_t at = static_cast<int64_t>(blockIdx.x) * THREADS + threadIdx.x; at < n;
       at += static_cast<int64_t>(gridDim.x) * THREADS) {
    const int64_t x = at % d.pitch - 1, y = at / d.pitch - 1;
    unsigned long long site = outside;
    if (x >= 0 && x < src.width && y >= 0 && y < src.height)
      site = src.row(y)[x] ? no_site : static_cast<unsigned long long>(y) << 32 | static_cast<unsigned long long>(x);
    d.site[at] = site;
  }
}

static __global__ void
write_sites(Danielsson d, VtGpuDistanceOutputs out, int64_t height)
{
  const int64_t n = out.width * height;
  for (int64_t at = static_cast<int64_t>(blockIdx.x) * THREADS + threadIdx.x; at < n;
       at += static_cast<int64_t>(gridDim.x) * THREADS) {
    const int64_t x = at % out.width, y = at / out.width;
    const unsigned long long site = d.site[(y + 1) * d.pitch + x + 1];
    if (site == no_site)
      out.write(x, y, VT_EDT_NONE64, -1);
    else
      out.write(x, y, d.squared_to(static_cast<uint32_t>(x), static_cast<uint32_t>(y), site),
                static_cast<int64_t>(site >> 32) * out.width + static_cast<uint32_t>(site));
  }
}

static VitrailStatus
run(VtDevice *device, const VtDistance *args, const VtCancel *cancel)
{
  const int64_t width = args->src.width, height = args->src.height, room = 16 * device->n_multiprocessors;
  const size_t n = static_cast<size_t>((width + 2) * (height + 2) + 31) / 32 * 32;
  const int64_t wanted = vt_gpu_blocks(static_cast<int64_t>(n), THREADS), blocks = wanted < room ? wanted : room;
  void *scratch = NULL;
  if (!vt_gpu_rounds_fit(width, height))
    return VITRAIL_UNSUPPORTED;
  VT_TRY(vt_gpu_scratch(device, n * sizeof(uint64_t) + vt_gpu_rounds_bytes(width, height), &scratch));
  const Danielsson d = { static_cast<unsigned long long *>(scratch), static_cast<uint32_t>(width + 2), args->weight_x,
                         args->weight_y };
  const VtGpuRounds rounds = vt_gpu_rounds_new(device, width, height, 8, d.site + n);
  VT_TRY(vt_gpu_launch(device, "frame", frame, blocks, THREADS, VtGpuView<uint8_t>(args->src), d));
  VT_TRY(vt_gpu_rounds_run(device, d, rounds, cancel));
  VT_TRY(vt_gpu_launch(device, "write_sites", write_sites, blocks, THREADS, d, VtGpuDistanceOutputs(*args), height));
  return vt_gpu_sync(device);
}

VitrailStatus
vt_gpu_distance_danielsson(VtDevice *device, const VtDistance *args, const VtCancel *cancel)
{
  VT_GPU_USE(device, vt_distance_ok(args));
  if (args->above.data)
    return VITRAIL_UNSUPPORTED;
  const VitrailStatus status = run(device, args, cancel);
  if (status != VITRAIL_OK)
    cudaStreamSynchronize(device->stream);
  return status;
}
