/* SPDX-License-Identifier: MIT
 *
 * other.cu: reconstruction by erosion, and of packed bits, as a reconstruction by dilation of pixels on copies: the order
 * of the complements is turned round. The copies are in the device's spare memory; marker is written at the end. */
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
complement_image(VtGpuView<T> src, VtGpuView<T> dst)
{
  for (int64_t y = blockIdx.x; y < dst.height; y += gridDim.x)
    for (int64_t x = threadIdx.x; x < dst.width; x += THREADS)
      dst.row(y)[x] = complement(src.row(y)[x]);
}

static __global__ void
unpack_bits(VtGpuView<uint32_t> bits, VtGpuView<uint8_t> pixels, uint32_t flip)
{
  for (int64_t y = blockIdx.x; y < pixels.height; y += gridDim.x)
    for (int64_t x = threadIdx.x; x < pixels.width; x += THREADS)
      pixels.row(y)[x] = static_cast<uint8_t>((bits.row(y)[x / WARP] ^ flip) >> x % WARP & 1u);
}

/* Whole words of 64 bits, so that those beyond the width become zero. */
static __global__ void
pack_bits(VtGpuView<uint8_t> pixels, VtGpuView<uint32_t> bits, uint32_t flip)
{
  const int64_t end = (pixels.width + 63) / 64 * 64;
  for (int64_t y = blockIdx.x; y < pixels.height; y += gridDim.x)
    for (int64_t first = threadIdx.x / WARP * WARP; first < end; first += THREADS) {
      const int64_t x = first + threadIdx.x % WARP;
      const bool is_set = x < pixels.width && (pixels.row(y)[x] ^ flip) & 1u;
      const uint32_t word = __ballot_sync(~0u, is_set);
      if (threadIdx.x % WARP == 0)
        bits.row(y)[first / WARP] = word;
    }
}

static int64_t
n_blocks(const VtDevice *device, const VtImage *image)
{
  const int64_t room = 16 * device->n_multiprocessors;
  return image->height < room ? image->height : room;
}

template <typename T>
static VitrailStatus
launch_complement(VtDevice *device, const VtImage *src, const VtImage *dst)
{
  return vt_gpu_launch(device, "complement_image", complement_image<T>, n_blocks(device, src), THREADS,
                       VtGpuView<T>(*src), VtGpuView<T>(*dst));
}

static VitrailStatus
to_pixels(VtDevice *device, const VtImage *src, bool by_erosion, const VtImage *dst)
{
  switch (src->type) {
  case VT_BIT:
    return vt_gpu_launch(device, "unpack_bits", unpack_bits, n_blocks(device, src), THREADS, VtGpuView<uint32_t>(*src),
                         VtGpuView<uint8_t>(*dst), by_erosion ? ~0u : 0u);
  case VITRAIL_U8: return launch_complement<uint8_t>(device, src, dst);
  case VITRAIL_U16: return launch_complement<uint16_t>(device, src, dst);
  case VITRAIL_I32: return launch_complement<int32_t>(device, src, dst);
  case VITRAIL_F32: return launch_complement<float>(device, src, dst);
  default: return VITRAIL_BAD_ARGUMENT;
  }
}

static VitrailStatus
from_pixels(VtDevice *device, const VtImage *src, bool by_erosion, const VtImage *dst)
{
  if (dst->type != VT_BIT)
    return to_pixels(device, src, by_erosion, dst);
  return vt_gpu_launch(device, "pack_bits", pack_bits, n_blocks(device, src), THREADS, VtGpuView<uint8_t>(*src),
                       VtGpuView<uint32_t>(*dst), by_erosion ? ~0u : 0u);
}

static bool
is_good(const VtImage *image)
{
  if (image->type != VT_BIT)
    return vt_gpu_image_ok(image);
  if (image->width < 0 || image->height < 0)
    return false;
  if (image->width == 0 || image->height == 0)
    return true;
  return image->data && reinterpret_cast<uintptr_t>(image->data) % 8 == 0 && image->stride % 8 == 0
         && image->width <= INT64_MAX - 63 && image->stride >= (image->width + 63) / 64 * 8;
}

bool
vt_gpu_reconstruct_is_other(const VtReconstruct *args)
{
  return args->depth == 0 && (args->by_erosion || args->marker.type == VT_BIT);
}

VitrailStatus
vt_gpu_reconstruct_other(VtDevice *device, const VtReconstruct *args, VtGpuReconstruct run, const VtCancel *cancel)
{
  VtGpuUse use(device);
  VtReconstruct pixels = *args;
  VtImage *const copies[2] = { &pixels.marker, &pixels.mask };
  VT_GPU_TRY(device, use.status());
  if (!is_good(&args->marker) || !is_good(&args->mask) || args->marker.type != args->mask.type
      || args->marker.width != args->mask.width || args->marker.height != args->mask.height)
    return VITRAIL_BAD_ARGUMENT;
  const VtType type = args->marker.type == VT_BIT ? VITRAIL_U8 : args->marker.type;
  const int64_t width = args->marker.width, height = args->marker.height;
  const int64_t row = width * static_cast<int64_t>(vt_type_size(type)),
                stride = vt_gpu_blocks(row, ALIGNMENT) * ALIGNMENT;
  void *spare = NULL;
  if (width > 0 && height > 0)
    VT_TRY(vt_gpu_spare(device, static_cast<size_t>(2 * stride * height), &spare));
  pixels.by_erosion = false;
  for (int k = 0; k < 2; k++)
    *copies[k] = VtImage{ static_cast<char *>(spare) + k * stride * height, width, height, stride, type };
  if (spare) {
    VT_TRY(to_pixels(device, &args->marker, args->by_erosion, &pixels.marker));
    VT_TRY(to_pixels(device, &args->mask, args->by_erosion, &pixels.mask));
  }
  VT_TRY(run(device, &pixels, cancel));
  if (spare)
    VT_TRY(from_pixels(device, &pixels.marker, args->by_erosion, &args->marker));
  return vt_gpu_sync(device);
}
