/* SPDX-License-Identifier: MIT */
#include "devices/workers.h"

/* Several workers share a device so that one can upload while another computes. Beside devices the CPU is one worker, all of whose threads
 * work on one tile. */
VitrailStatus
vt_workers_open(VtRun *run, VtWorkers *workers)
{
  *workers = (VtWorkers){ 0 };
  char reason[256];
  const uint32_t n_threads = run->host.n_threads < 256 ? run->host.n_threads : 256;
  const VtParallel parallel = { n_threads, run->host.user, run->host.parallel_for };
  for (uint32_t i = 0; i < run->session->n_backends && run->backend != run->cpu; i++)
    for (int32_t k = 0; run->session->backends[i].backend == run->backend
                        && k < VT_WORKERS_PER_DEVICE * run->session->backends[i].n_devices;
         k++) {
      VtWorker *worker = &workers->workers[workers->n];
      worker->backend = run->backend;
      if (run->backend->open(k / VT_WORKERS_PER_DEVICE, NULL, &worker->device, reason, sizeof reason) == VITRAIL_OK)
        workers->n++;
      else
        vt_log(run, VITRAIL_LOG_WARNING, "Device %d of %s does not take part: %s", (int)(k / VT_WORKERS_PER_DEVICE),
               run->backend->title, reason);
    }
  workers->n_devices = workers->n;
  const uint32_t n_cpu = workers->n_devices > 0 || n_threads < 1 ? 1 : n_threads;
  for (uint32_t i = 0; i < n_cpu; i++) {
    VtWorker *worker = &workers->workers[workers->n];
    *worker = (VtWorker){ .backend = run->cpu, .is_cpu = true };
    if (run->cpu->open(0, n_cpu == 1 ? &parallel : NULL, &worker->device, reason, sizeof reason) != VITRAIL_OK) {
      vt_workers_close(workers);
      return vt_fail(run, VITRAIL_OUT_OF_MEMORY, TR("There is not enough memory to begin."));
    }
    workers->n++;
  }
  return VITRAIL_OK;
}

void
vt_workers_close(VtWorkers *workers)
{
  for (uint32_t i = 0; i < workers->n; i++)
    workers->workers[i].backend->close(workers->workers[i].device);
  workers->n = 0;
}
