/* SPDX-License-Identifier: MIT
 *
 * memory.cu: memory of the device and pinned memory of the host, both kept for the next run, and copies between them. */
#include "common.cuh"
#include "gpu.h"

/* A stage of a full screen takes 8 MB, its whole pipeline 200 MB: enough to be kept, little enough not to be missed. */
enum { MAX_KEPT_MIB = 1024, MAX_KEPT_HOST_MIB = 256, MAX_ORDINALS = 64 };

/* By CUDA's number of the device, for what many that are open on it hold together. */
static int64_t in_use[MAX_ORDINALS], peak[MAX_ORDINALS];

void
vt_gpu_memory_count(const VtDevice *device, int64_t bytes)
{
  if (device->ordinal >= MAX_ORDINALS)
    return;
  const int64_t now = __atomic_add_fetch(&in_use[device->ordinal], bytes, __ATOMIC_RELAXED);
  int64_t most = __atomic_load_n(&peak[device->ordinal], __ATOMIC_RELAXED);
  while (now > most
         && !__atomic_compare_exchange_n(&peak[device->ordinal], &most, now, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
    ;
}

uint64_t
vt_gpu_take_memory_peak(int32_t index)
{
  const int ordinal = vt_gpu_ordinal(index);
  if (ordinal < 0 || ordinal >= MAX_ORDINALS)
    return 0;
  const int64_t now = __atomic_load_n(&in_use[ordinal], __ATOMIC_RELAXED);
  return static_cast<uint64_t>(__atomic_exchange_n(&peak[ordinal], now, __ATOMIC_RELAXED));
}

/* What the pool keeps for the next run counts as held: it is little. */
uint64_t
vt_gpu_spare_memory(VtDevice *device)
{
  VtGpuUse use(device);
  size_t spare = 0, all = 0;
  return use.status() == cudaSuccess && cudaMemGetInfo(&spare, &all) == cudaSuccess ? spare : 0;
}

/* The pool knows what it has given. Without one nothing is counted. */
static void
count_pool(VtDevice *device)
{
  uint64_t now = 0;
  if (!device->pool || cudaMemPoolGetAttribute(device->pool, cudaMemPoolAttrUsedMemCurrent, &now) != cudaSuccess)
    return;
  vt_gpu_memory_count(device, static_cast<int64_t>(now) - static_cast<int64_t>(device->pool_used));
  device->pool_used = now;
}

VitrailStatus
vt_gpu_memory_open(VtDevice *device)
{
  int has_pools = 0;
  uint64_t keep = static_cast<uint64_t>(MAX_KEPT_MIB) << 20;
  VT_GPU_TRY(device, cudaDeviceGetAttribute(&has_pools, cudaDevAttrMemoryPoolsSupported, device->ordinal));
  if (!has_pools)
    return VITRAIL_OK;
  cudaMemPoolProps props = {};
  props.allocType = cudaMemAllocationTypePinned;
  props.location.type = cudaMemLocationTypeDevice;
  props.location.id = device->ordinal;
  VT_GPU_TRY(device, cudaMemPoolCreate(&device->pool, &props));
  VT_GPU_TRY(device, cudaMemPoolSetAttribute(device->pool, cudaMemPoolAttrReleaseThreshold, &keep));
  return VITRAIL_OK;
}

void
vt_gpu_memory_close(VtDevice *device)
{
  for (int k = 0; k < VT_GPU_N_HOST_BLOCKS; k++)
    cudaFreeHost(device->host_blocks[k].data);
  if (device->pool)
    cudaMemPoolDestroy(device->pool);
  vt_gpu_memory_count(device, -static_cast<int64_t>(device->pool_used));
}

void
vt_gpu_memory_trim(VtDevice *device)
{
  if (device->pool)
    cudaMemPoolTrimTo(device->pool, 0);
}

VitrailStatus
vt_gpu_alloc(VtDevice *device, size_t bytes, void **data)
{
  VtGpuUse use(device);
  *data = NULL;
  VT_GPU_TRY(device, use.status());
  if (device->pool)
    VT_GPU_TRY(device, cudaMallocFromPoolAsync(data, bytes ? bytes : 1, device->pool, device->stream));
  else
    VT_GPU_TRY(device, cudaMalloc(data, bytes ? bytes : 1));
  count_pool(device);
  return VITRAIL_OK;
}

void
vt_gpu_free(VtDevice *device, void *data)
{
  VtGpuUse use(device);
  if (!data)
    return;
  cudaError_t error = device->pool ? cudaFreeAsync(data, device->stream) : cudaFree(data);
  if (error != cudaSuccess)
    vt_gpu_fail(device, "cudaFree", error);
  count_pool(device);
}

/* Pinning takes milliseconds, so blocks are kept: the smallest that is large enough and not in use. */
VitrailStatus
vt_gpu_alloc_host(VtDevice *device, size_t bytes, void **data)
{
  VtGpuUse use(device);
  VtGpuHostBlock *best = NULL, *room = NULL;
  *data = NULL;
  VT_GPU_TRY(device, use.status());
  for (int k = 0; k < VT_GPU_N_HOST_BLOCKS; k++) {
    VtGpuHostBlock *block = &device->host_blocks[k];
    if (block->in_use)
      continue;
    if (block->bytes >= bytes && block->data && (!best || block->bytes < best->bytes))
      best = block;
    if (!room || block->bytes < room->bytes)
      room = block;
  }
  if (!best) {
    if (!room)
      return VITRAIL_OUT_OF_MEMORY;
    best = room;
    cudaFreeHost(best->data);
    *best = VtGpuHostBlock{ NULL, 0, false };
    VT_GPU_TRY(device, cudaMallocHost(&best->data, bytes ? bytes : 1));
    best->bytes = bytes;
  }
  best->in_use = true;
  *data = best->data;
  return VITRAIL_OK;
}

void
vt_gpu_free_host(VtDevice *device, void *data)
{
  VtGpuUse use(device);
  for (int k = 0; k < VT_GPU_N_HOST_BLOCKS && data; k++) {
    VtGpuHostBlock *block = &device->host_blocks[k];
    if (block->data != data)
      continue;
    block->in_use = false;
    if (block->bytes > static_cast<size_t>(MAX_KEPT_HOST_MIB) << 20) {
      cudaFreeHost(block->data);
      *block = VtGpuHostBlock{ NULL, 0, false };
    }
  }
}

static VitrailStatus
begin(VtDevice *device, cudaStream_t stream, const VtImage *dst, const VtImage *src, cudaMemcpyKind kind)
{
  if (!vt_copy_ok(dst, src))
    return VITRAIL_BAD_ARGUMENT;
  size_t row_bytes = static_cast<size_t>(dst->width) * vt_type_size(dst->type);
  size_t dst_stride = static_cast<size_t>(dst->stride), src_stride = static_cast<size_t>(src->stride);
  size_t n_rows = static_cast<size_t>(dst->height);
  if (dst_stride == row_bytes && src_stride == row_bytes)
    VT_GPU_TRY(device, cudaMemcpyAsync(dst->data, src->data, row_bytes * n_rows, kind, stream));
  else
    VT_GPU_TRY(device,
               cudaMemcpy2DAsync(dst->data, dst_stride, src->data, src_stride, row_bytes, n_rows, kind, stream));
  return VITRAIL_OK;
}

static VitrailStatus
copy(VtDevice *device, const VtImage *dst, const VtImage *src, cudaMemcpyKind kind)
{
  VtGpuUse use(device);
  VT_GPU_TRY(device, use.status());
  VT_TRY(begin(device, device->stream, dst, src, kind));
  return vt_gpu_sync(device);
}

VitrailStatus
vt_gpu_upload(VtDevice *device, const VtImage *dst, const VtImage *src)
{
  return copy(device, dst, src, cudaMemcpyHostToDevice);
}

VitrailStatus
vt_gpu_download(VtDevice *device, const VtImage *dst, const VtImage *src)
{
  return copy(device, dst, src, cudaMemcpyDeviceToHost);
}

static VitrailStatus
begin_on(VtDevice *device, uint32_t queue, const VtImage *dst, const VtImage *src, cudaMemcpyKind kind)
{
  VtGpuUse use(device);
  VT_GPU_TRY(device, use.status());
  if (queue >= VT_N_QUEUES)
    return VITRAIL_BAD_ARGUMENT;
  if (queue > 0 && !device->queues[queue])
    VT_GPU_TRY(device, cudaStreamCreateWithFlags(&device->queues[queue], cudaStreamNonBlocking));
  return begin(device, queue > 0 ? device->queues[queue] : device->stream, dst, src, kind);
}

VitrailStatus
vt_gpu_begin_upload(VtDevice *device, uint32_t queue, const VtImage *dst, const VtImage *src)
{
  return begin_on(device, queue, dst, src, cudaMemcpyHostToDevice);
}

VitrailStatus
vt_gpu_begin_download(VtDevice *device, uint32_t queue, const VtImage *dst, const VtImage *src)
{
  return begin_on(device, queue, dst, src, cudaMemcpyDeviceToHost);
}

VitrailStatus
vt_gpu_wait(VtDevice *device, uint32_t queue)
{
  VtGpuUse use(device);
  VT_GPU_TRY(device, use.status());
  if (queue >= VT_N_QUEUES)
    return VITRAIL_BAD_ARGUMENT;
  if (queue == 0)
    return vt_gpu_sync(device);
  if (device->queues[queue])
    VT_GPU_TRY(device, cudaStreamSynchronize(device->queues[queue]));
  return VITRAIL_OK;
}
