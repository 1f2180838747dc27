/* SPDX-License-Identifier: MIT
 *
 * ranks.h: several processes that share a run. */
#pragma once

#include "scale/stream.h"

/* The n_rows rows above and below the process's own, as those that they belong to have them, come into the store. Called on all
 * ranks; alone it does nothing. */
VitrailStatus vt_streamed_halo(VtStreamed *s, VtStore *store, int64_t n_rows);
typedef struct {
  void *data;          /* free() it */
  size_t bytes, begin; /* begin: of this rank's own */
} VtGathered;
/* What all ranks bring, of any size, in their order. Called on all ranks. */
VitrailStatus vt_ranks_gather(VtRun *run, const void *mine, size_t bytes, VtGathered *gathered);
/* Objects that begin in the process's own pixels: from *first to *end - 1, since they are numbered by their first pixels. */
void vt_streamed_own_objects(const VtStreamed *s, const VtObjectStats *stats, int64_t n, int64_t *first, int64_t *end);
