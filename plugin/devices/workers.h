/* SPDX-License-Identifier: MIT
 *
 * workers.h: one loop per worker, each on a device of its own, all at the same time where the host has the threads. */
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
VitrailStatus vt_workers_open(VtRun *run, VtWorkers *workers);
void vt_workers_close(VtWorkers *workers);
