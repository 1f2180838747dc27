/* SPDX-License-Identifier: MIT
 *
 * workers.h: workers, which take tiles until none is left. All run at the same time if the host has enough threads. */
#pragma once

#include "run/run.h"

typedef struct {
  const VtBackend *backend;
  VtDevice *device;
  bool is_cpu;
} VtWorker;
typedef struct {
  VtWorker workers[VT_WORKERS_PER_DEVICE * VT_MAX_DEVICES + 256];
  uint32_t n, n_devices; /* the first n_devices are on devices, the others on the CPU */
} VtWorkers;
/* VT_WORKERS_PER_DEVICE workers on each device of the run's backend, and one on the CPU. Without devices, one on the CPU for each thread.
 * On failure none is open, and the run has a sentence. */
VitrailStatus vt_workers_open(VtRun *run, VtWorkers *workers);
void vt_workers_close(VtWorkers *workers);
