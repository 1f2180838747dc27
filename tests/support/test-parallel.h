/* SPDX-License-Identifier: MIT
 *
 * test-parallel.h: the contract's VtParallel on plain threads, started and joined at each call. */
#pragma once

#include "vt-backend.h"

#include <pthread.h>
#include <stdatomic.h>

enum { VT_TEST_MAX_THREADS = 16 };

typedef struct VtTestCall {
  void (*job)(void *job_user, uint32_t index);
  void *job_user;
  uint32_t n;
  atomic_uint next;
} VtTestCall;

static inline void *
vt_test_worker(void *data)
{
  VtTestCall *call = data;
  for (uint32_t i; (i = atomic_fetch_add(&call->next, 1)) < call->n;)
    call->job(call->job_user, i);
  return NULL;
}

/* user: the number of threads, as a pointer to uint32_t. A thread that cannot be started leaves its work to the others. */
static inline void
vt_test_run(void *user, uint32_t n, void (*job)(void *job_user, uint32_t index), void *job_user)
{
  const uint32_t *n_threads = user;
  VtTestCall call = { .job = job, .job_user = job_user, .n = n };
  pthread_t threads[VT_TEST_MAX_THREADS];
  uint32_t n_started = 0;
  while (n_started + 1 < *n_threads && n_started + 1 < n && n_started < VT_TEST_MAX_THREADS
         && pthread_create(&threads[n_started], NULL, vt_test_worker, &call) == 0)
    n_started++;
  vt_test_worker(&call);
  while (n_started > 0)
    pthread_join(threads[--n_started], NULL);
}

/* n_threads must outlive the device that is opened with it. */
static inline VtParallel
vt_test_parallel(uint32_t *n_threads)
{
  return (VtParallel){ *n_threads, n_threads, vt_test_run };
}
