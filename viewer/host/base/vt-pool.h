/* SPDX-License-Identifier: MIT
 *
 * parallel_for on one process-wide exclusive GThreadPool for compute. The caller works too, so a loop always ends even
 * when the pool is busy. */
#pragma once
#include <glib.h>

/* job(user, i) for i in 0..n-1 on at most n_threads threads (0 = one per processor); returns when all are done. */
void vt_parallel_for(guint n_threads, guint n, void (*job)(void *user, guint32 index), void *user);
