/* SPDX-License-Identifier: MIT
 *
 * batch-watch.h: the processes of one run watch each other. */
#pragma once

#include "batch.h"

/* Round what all processes do together while none watches another, at the start and at the end: if that takes more than so many seconds, or this
 * process, or one beside it, is stopped for six, this process ends with a sentence. The first call starts a process, so nothing has started MPI
 * or a thread before. */
void batch_watch_meet_begin(guint patience_s);
void batch_watch_meet_end(void);
/* Each of n_ranks processes calls this after MPI_Init_thread(), if MPI may be called from many threads. From now on a process
 * that does not answer for some seconds ends all of them, with a sentence that names it and its computer. */
void batch_watch_begin(int rank, int n_ranks);
/* Before MPI_Finalize(), on all processes; waits for all of them. Nothing was begun: does nothing. */
void batch_watch_end(void);
