/* SPDX-License-Identifier: MIT
 *
 * bands.h: an image that the threads of a device share in bands of rows. */
#pragma once

#include "vt-cpu.h"

#include <stdatomic.h>

typedef struct VtCpuBands {
  const VtCancel *cancel;
  int64_t height, n_rows; /* n_rows: of a band; the last one may have fewer */
  uint32_t n;
  atomic_int status; /* the first failure */
} VtCpuBands;

/* Several bands for each thread: they do not take equally long. */
static inline VtCpuBands
vt_cpu_bands_of(const VtDevice *device, int64_t height, const VtCancel *cancel)
{
  const int64_t n_threads = vt_cpu_n_threads(device), n = n_threads == 1 ? 1 : 4 * n_threads;
  const int64_t n_rows = (height + n - 1) / n;
  return (VtCpuBands){ cancel, height, n_rows, (uint32_t)((height + n_rows - 1) / n_rows) };
}

static inline VitrailStatus
vt_cpu_bands_status(VtCpuBands *bands)
{
  return (VitrailStatus)atomic_load_explicit(&bands->status, memory_order_relaxed);
}

static inline void
vt_cpu_bands_fail(VtCpuBands *bands, VitrailStatus status)
{
  int none = VITRAIL_OK;
  atomic_compare_exchange_strong(&bands->status, &none, (int)status);
}

static inline bool
vt_cpu_bands_stop_at(VtCpuBands *bands, int64_t y)
{
  if (vt_cpu_cancelled_at(bands->cancel, y))
    vt_cpu_bands_fail(bands, VITRAIL_CANCELLED);
  return vt_cpu_bands_status(bands) != VITRAIL_OK;
}

static inline int64_t
vt_cpu_bands_end(const VtCpuBands *bands, int64_t first)
{
  return first + bands->n_rows < bands->height ? first + bands->n_rows : bands->height;
}

/* The rows y of a band, until something fails. */
#define VT_CPU_EACH_ROW(y, bands, band) \
  for (int64_t y = (band) * (bands)->n_rows, y##_end = vt_cpu_bands_end(bands, y); \
       y < y##_end && !vt_cpu_bands_stop_at(bands, y); y++)

/* Runs job(user, band) for all bands, unless something has failed; the status then. */
static inline VitrailStatus
vt_cpu_bands_run(VtDevice *device, VtCpuBands *bands, void (*job)(void *user, uint32_t band), void *user)
{
  if (vt_cpu_bands_status(bands) == VITRAIL_OK)
    vt_cpu_parallel_for(device, bands->n, job, user);
  return vt_cpu_bands_status(bands);
}
