/* SPDX-License-Identifier: MIT
 *
 * parallel_for on one process-wide exclusive GThreadPool for compute. The caller works too, so a loop always ends even
 * when the pool is busy. */
#pragma once
#include <glib.h>

/* job(user, i) for i in 0..n-1 on at most n_threads threads (0 = one per processor); returns when all are done. */
void vt_parallel_for(guint n_threads, guint n, void (*job)(void *user, guint32 index), void *user);

/* make(user, i, slot) for i in 0..n-1 on at most n_threads threads (0 = one per processor), and take(user, i, slot) of each that was made,
 * in order, one at a time. What is made waits in one of n_slots slots until it is taken; no other index has its slot meanwhile. */
void vt_parallel_in_order(guint n_threads, guint n, guint n_slots,
                          void (*make)(void *user, guint32 index, guint32 slot),
                          void (*take)(void *user, guint32 index, guint32 slot), void *user);
