/* SPDX-License-Identifier: MIT
 *
 * other.cu: reconstruction by erosion, and of packed bits, as a reconstruction by dilation of pixels on copies: the order
 * of the complements is turned round. The copies are in the device's spare memory; marker is written at the end. */
#include "../gpu.h"
#include "reconstruct.cuh"

enum { THREADS = 256, WARP = 32, ALIGNMENT = 256 };

/* -0 and +0 are equal, and the answer's zero is +0 either way. */
static __device__ float
complement(float value)
{
  return 0.0f - value;
}

template <typename T>
static __device__ T
complement(T value)
{
  return static_cast<T>(~value);
}

template <typename T>
static __global__ void
complement_image(VtGpuRows<T> src, VtGpuRows<T> dst)
{
  for (int64_t y = blockIdx.x; y < dst.n_rows(); y += gridDim.x)
    for (int64_t x = threadIdx.x; x < dst.width; x += THREADS)
      dst.row(y)[x] = complement(src.row(y)[x]);
}

static __global__ void
unpack_bits(VtGpuRows<uint32_t> bits, VtGpuRows<uint8_t> pixels, uint32_t flip)
{
  for (int64_t y = blockIdx.x; y < pixels.n_rows(); y += gridDim.x)
    for (int64_t x = threadIdx.x; x < pixels.width; x += THREADS)
      pixels.row(y)[x] = static_cast<uint8_t>((bits.row(y)[x / WARP] ^ flip) >> x % WARP & 1u);
}

/* Whole words of 64 bits, so that those beyond the width become zero. */
static __global__ void
pack_bits(VtGpuRows<uint8_t> pixels, VtGpuRows<uint32_t> bits, uint32_t flip)
{
  const int64_t end = (pixels.width + 63) / 64 * 64;
  for (int64_t y = blockIdx.x; y < pixels.n_rows(); y += gridDim.x)
    for (int64_t first = threadIdx.x / WARP * WARP; first < end; first += THREADS) {
      const int64_t x = first + threadIdx.x % WARP;
      const bool is_set = x < pixels.width && (pixels.row(y)[x] ^ flip) & 1u;
      const uint32_t word = __ballot_sync(~0u, is_set);
      if (threadIdx.x % WARP == 0)
        bits.row(y)[first / WARP] = word;
    }
}

/* An image, or a stack of them. */
struct Stack {
  VtImage image;
  int64_t depth, slice;

  template <typename T> VtGpuRows<T> rows() const
  {
    return VtGpuRows<T>(image, depth, slice);
  }
};

static int64_t
n_blocks(const VtDevice *device, const Stack *stack)
{
  const int64_t room = 16 * device->n_multiprocessors, n_rows = stack->rows<uint8_t>().n_rows();
  return n_rows < room ? n_rows : room;
}

template <typename T>
static VitrailStatus
launch_complement(VtDevice *device, const Stack *src, const Stack *dst)
{
  return vt_gpu_launch(device, "complement_image", complement_image<T>, n_blocks(device, src), THREADS, src->rows<T>(),
                       dst->rows<T>());
}

static VitrailStatus
to_pixels(VtDevice *device, const Stack *src, bool by_erosion, const Stack *dst)
{
  switch (src->image.type) {
  case VT_BIT:
    return vt_gpu_launch(device, "unpack_bits", unpack_bits, n_blocks(device, src), THREADS, src->rows<uint32_t>(),
                         dst->rows<uint8_t>(), by_erosion ? ~0u : 0u);
  case VITRAIL_U8: return launch_complement<uint8_t>(device, src, dst);
  case VITRAIL_U16: return launch_complement<uint16_t>(device, src, dst);
  case VITRAIL_I32: return launch_complement<int32_t>(device, src, dst);
  case VITRAIL_F32: return launch_complement<float>(device, src, dst);
  default: return VITRAIL_BAD_ARGUMENT;
  }
}

static VitrailStatus
from_pixels(VtDevice *device, const Stack *src, bool by_erosion, const Stack *dst)
{
  if (dst->image.type != VT_BIT)
    return to_pixels(device, src, by_erosion, dst);
  return vt_gpu_launch(device, "pack_bits", pack_bits, n_blocks(device, src), THREADS, src->rows<uint8_t>(),
                       dst->rows<uint32_t>(), by_erosion ? ~0u : 0u);
}

bool
vt_gpu_reconstruct_is_other(const VtReconstruct *args)
{
  return args->depth != 0 || args->by_erosion || args->marker.type == VT_BIT;
}

/* Copies of both, compact but for the rows' alignment, in spare memory. */
static VitrailStatus
run_on_copies(VtDevice *device, const VtReconstruct *args, VtGpuReconstruct run, const VtCancel *cancel)
{
  const VtType type = args->marker.type == VT_BIT ? VITRAIL_U8 : args->marker.type;
  const int64_t width = args->marker.width, height = args->marker.height, depth = args->depth > 0 ? args->depth : 1;
  const int64_t row = width * static_cast<int64_t>(vt_type_size(type)),
                stride = vt_gpu_blocks(row, ALIGNMENT) * ALIGNMENT, slice = stride * height;
  const Stack marker = { args->marker, args->depth, args->marker_slice },
              mask = { args->mask, args->depth, args->mask_slice };
  void *spare = NULL;
  VT_TRY(vt_gpu_spare(device, static_cast<size_t>(2 * slice * depth), &spare));
  const Stack marker_copy = { { spare, width, height, stride, type }, args->depth, slice };
  const Stack mask_copy = { { static_cast<char *>(spare) + slice * depth, width, height, stride, type },
                            args->depth,
                            slice };
  VtReconstruct pixels = *args;
  pixels.by_erosion = false;
  pixels.marker = marker_copy.image;
  pixels.mask = mask_copy.image;
  pixels.marker_slice = pixels.mask_slice = slice;
  VT_TRY(to_pixels(device, &marker, args->by_erosion, &marker_copy));
  VT_TRY(to_pixels(device, &mask, args->by_erosion, &mask_copy));
  VT_TRY(run(device, &pixels, cancel));
  VT_TRY(from_pixels(device, &marker_copy, args->by_erosion, &marker));
  return vt_gpu_sync(device);
}

VitrailStatus
vt_gpu_reconstruct_other(VtDevice *device, const VtReconstruct *args, VtGpuReconstruct run, const VtCancel *cancel)
{
  if (args->depth != 0)
    run = vt_gpu_reconstruct_sr;
  if (!args->by_erosion && args->marker.type != VT_BIT)
    return run(device, args, cancel);
  VtGpuUse use(device);
  VT_GPU_TRY(device, use.status());
  return vt_reconstruct_ok(args) ? run_on_copies(device, args, run, cancel) : VITRAIL_BAD_ARGUMENT;
}
