/* SPDX-License-Identifier: MIT
 *
 * A device backend that can be told to fail (environment variable FAKE_GPU), to see that the CPU takes over:
 *  absent: there is no device; unopened: it can't be opened; memory: allocations fail; lost: kernels fail after
 *  scribbling over their output; missing: it has no kernels; two: there are two; anything else: it works. */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vt-backend.h"

const VtBackend *vt_gpu_backend(void);

struct VtDevice {
  VtDevice *cpu;
  const char *error;
};

/* "later=N": the device works for N kernels, then it is lost. */
static bool
lost_by_now(void)
{
  static atomic_int n_kernels;
  const char *mode = getenv("FAKE_GPU");
  if (!mode || strncmp(mode, "later=", 6) != 0) {
    atomic_store(&n_kernels, 0);
    return false;
  }
  return atomic_fetch_add(&n_kernels, 1) >= atoi(mode + 6);
}

static bool
told(const char *what)
{
  const char *mode = getenv("FAKE_GPU");
  return mode && strcmp(mode, what) == 0;
}

static int32_t
fake_probe(char *reason, size_t reason_size)
{
  if (told("absent"))
    snprintf(reason, reason_size, "No device was found.");
  return told("absent") ? 0 : told("two") ? 2 : 1;
}

static VitrailStatus
fake_open(int32_t index, const VtParallel *parallel, VtDevice **device, char *reason, size_t reason_size)
{
  if (told("unopened")) {
    snprintf(reason, reason_size, "The driver is too old.");
    return VITRAIL_NO_DEVICE;
  }
  *device = calloc(1, sizeof **device);
  (*device)->error = "";
  return *device ? vt_cpu_backend()->open(0, NULL, &(*device)->cpu, reason, reason_size) : VITRAIL_OUT_OF_MEMORY;
}

static void
fake_close(VtDevice *device)
{
  vt_cpu_backend()->close(device->cpu);
  free(device);
}

static const char *
fake_name(VtDevice *device)
{
  return device ? "a pretended device" : NULL;
}

static const char *
fake_error(VtDevice *device)
{
  return device->error;
}

static VitrailStatus
fail(VtDevice *device, VitrailStatus status, const char *sentence)
{
  device->error = sentence;
  return status;
}

static VitrailStatus
fake_alloc(VtDevice *device, size_t bytes, void **data)
{
  if (told("memory"))
    return fail(device, VITRAIL_OUT_OF_MEMORY, "The device is out of memory.");
  return vt_cpu_backend()->alloc(device->cpu, bytes, data);
}

static void
fake_free(VtDevice *device, void *data)
{
  vt_cpu_backend()->free(device->cpu, data);
}

static VitrailStatus
fake_upload(VtDevice *device, const VtImage *dst, const VtImage *src)
{
  return vt_cpu_backend()->upload(device->cpu, dst, src);
}

static VitrailStatus
fake_download(VtDevice *device, const VtImage *dst, const VtImage *src)
{
  return vt_cpu_backend()->download(device->cpu, dst, src);
}

static VitrailStatus
fake_reconstruct(VtDevice *device, const VtReconstruct *args, const VtCancel *cancel)
{
  if (told("missing"))
    return VITRAIL_UNSUPPORTED;
  if (!told("lost") && !lost_by_now())
    return vt_cpu_backend()->reconstruct->run(device->cpu, args, cancel);
  memset(args->marker.data, 0xA5, (size_t)(args->marker.height * args->marker.stride));
  return fail(device, VITRAIL_INTERNAL, "The device was lost.");
}

static VitrailStatus
fake_columns(VtDevice *device, const VtEdt *args, const VtCancel *cancel)
{
  return told("missing") ? VITRAIL_UNSUPPORTED : vt_cpu_backend()->edt_columns(device->cpu, args, cancel);
}

static VitrailStatus
fake_rows(VtDevice *device, const VtEdt *args, const VtCancel *cancel)
{
  if (told("lost"))
    return fail(device, VITRAIL_INTERNAL, "The device was lost.");
  return told("missing") ? VITRAIL_UNSUPPORTED : vt_cpu_backend()->edt_rows(device->cpu, args, cancel);
}

const VtBackend *
vt_gpu_backend(void)
{
  static const VtReconstructAlgorithm algorithms[] = { { "tile", "Pretended", fake_reconstruct }, { 0 } };
  static const VtBackend backend = {
    .id = "cuda",
    .title = "the pretended device",
    .max_concurrency = 1,
    .probe = fake_probe,
    .open = fake_open,
    .close = fake_close,
    .device_name = fake_name,
    .last_error = fake_error,
    .alloc = fake_alloc,
    .free = fake_free,
    .upload = fake_upload,
    .download = fake_download,
    .reconstruct = algorithms,
    .edt_columns = fake_columns,
    .edt_rows = fake_rows,
  };
  return &backend;
}
