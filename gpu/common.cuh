/* SPDX-License-Identifier: MIT
 *
 * common.cuh: what every file of the CUDA backend uses: the device, status checks, launches, typed views.
 * The host's current device is restored after each call (VtGpuUse), and no call leaves work behind on the stream. */
#pragma once

#include <cuda_runtime.h>
#include <stdint.h>

#include "gpu.h"
#include "vt-backend-checks.h"

enum { VT_GPU_N_WORDS = 32, VT_GPU_N_HOST_BLOCKS = 8 };

struct VtGpuHostBlock {
  void *data; /* pinned; NULL: none */
  size_t bytes;
  bool in_use;
};

struct VtDevice {
  int ordinal;
  int n_multiprocessors;
  cudaStream_t stream;
  uint32_t *words;      /* VT_GPU_N_WORDS flags and counters on the device */
  uint32_t *words_host; /* their pinned mirror, filled by vt_gpu_read_words */
  void *scratch;        /* kept from call to call; only grows */
  size_t scratch_bytes;
  void *spare; /* the same, for a slot that calls another one */
  size_t spare_bytes;
  void *tables; /* vt_gpu_tables */
  size_t tables_bytes;
  uint64_t tables_key;
  uint32_t n_looks;                      /* levels.cu: marks that words do not have yet */
  cudaMemPool_t pool;                    /* NULL: the driver has none */
  VtGpuHostBlock host_blocks[VT_GPU_N_HOST_BLOCKS];
  char name[256];
  char error[512];
  unsigned char failing;            /* taken while `error` is written: queues may fail at the same time */
  uint64_t pool_used;               /* bytes of the pool when it was last looked at */
  cudaStream_t queues[VT_N_QUEUES]; /* made when they are first used; 0: none, that is `stream` */
};

/* Makes the device current for a scope: slots may be called from any thread. */
class VtGpuUse {
public:
  explicit VtGpuUse(const VtDevice *device)
  {
    if (cudaGetDevice(&before_) != cudaSuccess)
      before_ = -1;
    status_ = cudaSetDevice(device->ordinal);
  }
  ~VtGpuUse()
  {
    if (before_ >= 0)
      cudaSetDevice(before_);
    cudaGetLastError(); /* what failed has been reported; leave nothing to be found by the next call */
  }
  VtGpuUse(const VtGpuUse &) = delete;
  VtGpuUse &operator=(const VtGpuUse &) = delete;
  cudaError_t status() const
  {
    return status_;
  }

private:
  int before_ = -1;
  cudaError_t status_;
};

/* Keeps "CALL failed: why" as the device's last error and maps it. Only the name is used of a call's text. */
VitrailStatus vt_gpu_fail(VtDevice *device, const char *call, cudaError_t error);
/* Memory of at least `bytes` for the running slot, contents undefined; the next call for scratch may reuse it. */
VitrailStatus vt_gpu_scratch(VtDevice *device, size_t bytes, void **scratch);
VitrailStatus vt_gpu_spare(VtDevice *device, size_t bytes, void **spare);
/* Memory that keeps what it holds until a call with another key, never 0. *filled: it does; else the caller fills it, and
 * sets device->tables_key when that is under way. */
VitrailStatus vt_gpu_tables(VtDevice *device, uint64_t key, size_t bytes, void **tables, bool *filled);
/* memory.cu; trim gives back what the pool holds and nobody uses. */
VitrailStatus vt_gpu_memory_open(VtDevice *device);
void vt_gpu_memory_close(VtDevice *device);
void vt_gpu_memory_trim(VtDevice *device);
/* So many bytes of the device are in use from now on, or no longer. */
void vt_gpu_memory_count(const VtDevice *device, int64_t bytes);
/* Waits for the stream, then words_host holds the device's words. */
VitrailStatus vt_gpu_read_words(VtDevice *device);
VitrailStatus vt_gpu_sync(VtDevice *device);

#define VT_GPU_TRY(device, call) \
  do { \
    cudaError_t try_error_ = (call); \
    if (try_error_ != cudaSuccess) \
      return vt_gpu_fail(device, #call, try_error_); \
  } while (0)

#define VT_TRY(call) \
  do { \
    VitrailStatus try_status_ = (call); \
    if (try_status_ != VITRAIL_OK) \
      return try_status_; \
  } while (0)

/* A slot begins: the device is the current one to its end, if its arguments are as they are to be. */
#define VT_GPU_USE(device, is_ok) \
  VtGpuUse use(device); \
  VT_GPU_TRY(device, use.status()); \
  VT_TRY((is_ok) ? VITRAIL_OK : VITRAIL_BAD_ARGUMENT)

/* What a template for pixels does with those of an image of a type. */
#define VT_GPU_BY_TYPE(type, function, ...) \
  ((type) == VITRAIL_U8    ? function<uint8_t>(__VA_ARGS__) \
   : (type) == VITRAIL_U16 ? function<uint16_t>(__VA_ARGS__) \
   : (type) == VITRAIL_I32 ? function<int32_t>(__VA_ARGS__) \
   : (type) == VITRAIL_F32 ? function<float>(__VA_ARGS__) \
                           : VITRAIL_BAD_ARGUMENT)

/* Pixels of an image as a kernel sees them. */
template <typename T> struct VtGpuView {
  char *data;
  int64_t width, height, stride;

  explicit VtGpuView(const VtImage &image)
      : data(static_cast<char *>(image.data)), width(image.width), height(image.height), stride(image.stride)
  {
  }
  __device__ T *row(int64_t y) const
  {
    return reinterpret_cast<T *>(data + y * stride);
  }
};

static inline int64_t
vt_gpu_blocks(int64_t n, int64_t per_block)
{
  return (n + per_block - 1) / per_block;
}

/* Launches on the device's stream. `blocks` is cut to what a grid can hold: kernels stride over their work. */
template <typename... Formal, typename... Actual>
static VitrailStatus
vt_gpu_launch(VtDevice *device, const char *name, void (*kernel)(Formal...), int64_t blocks, int threads,
              Actual... actual)
{
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(static_cast<unsigned>(blocks < INT32_MAX ? blocks : INT32_MAX));
  config.blockDim = dim3(static_cast<unsigned>(threads));
  config.stream = device->stream;
  cudaError_t error = cudaLaunchKernelEx(&config, kernel, static_cast<Formal>(actual)...);
  return error == cudaSuccess ? VITRAIL_OK : vt_gpu_fail(device, name, error);
}
