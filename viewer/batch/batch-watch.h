/* SPDX-License-Identifier: MIT
 *
 * batch-watch.h: the processes of one run watch each other. */
#pragma once

#include "batch.h"

/* Before MPI_Init_thread(), and when all processes have met: in between a minute may pass, then this process ends with a sentence. */
void batch_watch_start(void);
void batch_watch_started(void);
/* Each of n_ranks processes calls this after MPI_Init_thread(), if MPI may be called from many threads. From now on a process
 * that does not answer for some seconds ends all of them, with a sentence that names it and its computer. */
void batch_watch_begin(int rank, int n_ranks);
/* Before MPI_Finalize(), on all processes; waits for all of them. Nothing was begun: does nothing. */
void batch_watch_end(void);
