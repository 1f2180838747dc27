/* SPDX-License-Identifier: MIT
 *
 * found.h: candidates of regions, as a run collects them from its tiles. */
#pragma once

#include <pthread.h>

#include "run/run.h"

typedef struct VtFoundList {
  pthread_mutex_t lock;
  VtRegionsFound all;
} VtFoundList;

/* For one run. NULL: no memory. */
VtFoundList *vt_found_new(void);
void vt_found_free(VtFoundList *list); /* NULL: nothing */
void vt_found_clear(VtFoundList *list);
/* Copies them to run->found. [any] */
VitrailStatus vt_found_add(VtRun *run, const VtRegionsFound *found);
/* In the order of their first pixels, row by row. */
void vt_found_sort(VtFoundList *list);
