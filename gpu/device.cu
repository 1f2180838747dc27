/* SPDX-License-Identifier: MIT
 *
 * device.cu: probe, device, scratch. The runtime is linked statically, so that the module loads where there is no driver
 * and says so. Nothing here needs the C++ runtime library. */
#include "common.cuh"
#include "gpu.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MIN_CAPABILITY = 75 }; /* as built, see meson.build */

static int
device_capability(int ordinal)
{
  int major = 0, minor = 0;
  if (cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, ordinal) != cudaSuccess
      || cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, ordinal) != cudaSuccess)
    return 0;
  return 10 * major + minor;
}

/* Number of devices the kernels run on; *nth_ordinal is CUDA's number of the nth of them, -1 if there is none. */
static int
usable_devices(int n_devices, int32_t nth, int *nth_ordinal)
{
  int n_usable = 0;
  *nth_ordinal = -1;
  for (int ordinal = 0; ordinal < n_devices; ordinal++) {
    if (device_capability(ordinal) < MIN_CAPABILITY)
      continue;
    if (n_usable == nth)
      *nth_ordinal = ordinal;
    n_usable++;
  }
  return n_usable;
}

static int
count_devices(char *reason, size_t reason_size)
{
  int n_devices = 0, driver = 0, runtime = 0;
  cudaError_t error = cudaGetDeviceCount(&n_devices);
  if (error == cudaSuccess && n_devices > 0)
    return n_devices;
  cudaGetLastError();
  if (cudaDriverGetVersion(&driver) != cudaSuccess)
    driver = 0;
  if (cudaRuntimeGetVersion(&runtime) != cudaSuccess)
    runtime = 0;
  cudaGetLastError();
  if (driver == 0)
    snprintf(reason, reason_size, "No NVIDIA driver found.");
  else if (error == cudaErrorInsufficientDriver)
    snprintf(reason, reason_size, "The NVIDIA driver is too old: it supports CUDA %d.%d, and %d.%d is needed.",
             driver / 1000, driver % 1000 / 10, runtime / 1000, runtime % 1000 / 10);
  else if (error == cudaSuccess || error == cudaErrorNoDevice)
    snprintf(reason, reason_size, "No NVIDIA GPU found.");
  else
    snprintf(reason, reason_size, "The NVIDIA GPUs cannot be used: %s.", cudaGetErrorString(error));
  return 0;
}

int32_t
vt_gpu_probe(char *reason, size_t reason_size)
{
  int ordinal;
  int n_devices = count_devices(reason, reason_size);
  int n_usable = usable_devices(n_devices, 0, &ordinal);
  cudaGetLastError();
  if (n_devices > 0 && n_usable == 0)
    snprintf(reason, reason_size, "The NVIDIA GPU is too old: compute capability %d.%d or newer is needed.",
             MIN_CAPABILITY / 10, MIN_CAPABILITY % 10);
  return n_usable;
}

int
vt_gpu_ordinal(int32_t index)
{
  int n_devices = 0, ordinal;
  if (cudaGetDeviceCount(&n_devices) != cudaSuccess)
    n_devices = 0;
  usable_devices(n_devices, index, &ordinal);
  cudaGetLastError();
  return ordinal;
}

VitrailStatus
vt_gpu_fail(VtDevice *device, const char *call, cudaError_t error)
{
  while (__atomic_test_and_set(&device->failing, __ATOMIC_ACQUIRE))
    ;
  snprintf(device->error, sizeof device->error, "%.*s failed: %s.", static_cast<int>(strcspn(call, "( ")), call,
           cudaGetErrorString(error));
  __atomic_clear(&device->failing, __ATOMIC_RELEASE);
  cudaGetLastError();
  return error == cudaErrorMemoryAllocation ? VITRAIL_OUT_OF_MEMORY : VITRAIL_INTERNAL;
}

VitrailStatus
vt_gpu_sync(VtDevice *device)
{
  VT_GPU_TRY(device, cudaStreamSynchronize(device->stream));
  return VITRAIL_OK;
}

VitrailStatus
vt_gpu_read_words(VtDevice *device)
{
  VT_GPU_TRY(device, cudaMemcpyAsync(device->words_host, device->words, VT_GPU_N_WORDS * sizeof(uint32_t),
                                     cudaMemcpyDeviceToHost, device->stream));
  return vt_gpu_sync(device);
}

static VitrailStatus
grow(VtDevice *device, void **memory, size_t *size, size_t bytes)
{
  if (bytes <= *size)
    return VITRAIL_OK;
  VT_GPU_TRY(device, cudaFree(*memory));
  vt_gpu_memory_count(device, -static_cast<int64_t>(*size));
  *memory = NULL;
  *size = 0;
  cudaError_t error = cudaMalloc(memory, bytes);
  if (error == cudaErrorMemoryAllocation) {
    cudaGetLastError();
    vt_gpu_memory_trim(device);
    error = cudaMalloc(memory, bytes);
  }
  if (error != cudaSuccess) {
    *memory = NULL;
    return vt_gpu_fail(device, "cudaMalloc", error);
  }
  *size = bytes;
  vt_gpu_memory_count(device, static_cast<int64_t>(bytes));
  return VITRAIL_OK;
}

VitrailStatus
vt_gpu_scratch(VtDevice *device, size_t bytes, void **scratch)
{
  VT_TRY(grow(device, &device->scratch, &device->scratch_bytes, bytes));
  *scratch = device->scratch;
  return VITRAIL_OK;
}

VitrailStatus
vt_gpu_spare(VtDevice *device, size_t bytes, void **spare)
{
  VT_TRY(grow(device, &device->spare, &device->spare_bytes, bytes));
  *spare = device->spare;
  return VITRAIL_OK;
}

VitrailStatus
vt_gpu_tables(VtDevice *device, uint64_t key, size_t bytes, void **tables, bool *filled)
{
  *filled = device->tables_key == key;
  if (!*filled)
    device->tables_key = 0;
  VT_TRY(grow(device, &device->tables, &device->tables_bytes, bytes));
  *tables = device->tables;
  return VITRAIL_OK;
}

void
vt_gpu_close(VtDevice *device)
{
  if (!device)
    return;
  {
    VtGpuUse use(device);
    if (device->stream)
      cudaStreamDestroy(device->stream);
    for (int k = 1; k < VT_N_QUEUES; k++)
      if (device->queues[k])
        cudaStreamDestroy(device->queues[k]);
    vt_gpu_memory_close(device);
    cudaFree(device->scratch);
    cudaFree(device->spare);
    cudaFree(device->tables);
    vt_gpu_memory_count(device,
                        -static_cast<int64_t>(device->scratch_bytes + device->spare_bytes + device->tables_bytes));
    cudaFree(device->words);
    cudaFreeHost(device->words_host);
  }
  free(device);
}

static VitrailStatus
set_up(VtDevice *device)
{
  VtGpuUse use(device);
  cudaDeviceProp properties;
  VT_GPU_TRY(device, use.status());
  VT_GPU_TRY(device, cudaGetDeviceProperties(&properties, device->ordinal));
  device->n_multiprocessors = properties.multiProcessorCount;
  snprintf(device->name, sizeof device->name, "%s", properties.name);
  VT_GPU_TRY(device, cudaStreamCreateWithFlags(&device->stream, cudaStreamNonBlocking));
  VT_GPU_TRY(device, cudaMalloc(&device->words, VT_GPU_N_WORDS * sizeof(uint32_t)));
  VT_GPU_TRY(device, cudaMallocHost(&device->words_host, VT_GPU_N_WORDS * sizeof(uint32_t)));
  VT_GPU_TRY(device, cudaMemsetAsync(device->words, 0, VT_GPU_N_WORDS * sizeof(uint32_t), device->stream));
  VT_TRY(vt_gpu_memory_open(device));
  return vt_gpu_sync(device);
}

VitrailStatus
vt_gpu_open(int32_t index, const VtParallel *parallel, VtDevice **device, char *reason, size_t reason_size)
{
  int ordinal;
  int n_devices = count_devices(reason, reason_size);
  *device = NULL;
  int n_usable = usable_devices(n_devices, index, &ordinal);
  cudaGetLastError();
  if (ordinal < 0) {
    if (n_devices > 0)
      snprintf(reason, reason_size, "There is no CUDA device %d: %d can be used.", index, n_usable);
    return VITRAIL_NO_DEVICE;
  }
  VtDevice *opened = static_cast<VtDevice *>(calloc(1, sizeof *opened));
  if (!opened) {
    snprintf(reason, reason_size, "Out of memory.");
    return VITRAIL_OUT_OF_MEMORY;
  }
  opened->ordinal = ordinal;
  VitrailStatus status = set_up(opened);
  if (status != VITRAIL_OK) {
    snprintf(reason, reason_size, "%s", opened->error);
    vt_gpu_close(opened);
    return status;
  }
  *device = opened;
  return VITRAIL_OK;
}

const char *
vt_gpu_device_name(VtDevice *device)
{
  return device->name;
}

const char *
vt_gpu_last_error(VtDevice *device)
{
  return device->error;
}
