/* SPDX-License-Identifier: MIT
 *
 * numbered.h: what a step that numbers pieces or objects notes for a run that goes on: how many there are, and what labels are read as. */
#pragma once

#include "scale/stream.h"

typedef struct {
  int64_t n;            /* pieces, or objects */
  VtObjectStats *stats; /* of each object; NULL: none */
  int32_t *table;       /* NULL: nothing was relabelled */
  int64_t n_entries;
} VtNumbered;

/* vt_journal_leave(), with what the step has made. */
VitrailStatus vt_numbered_leave(VtStreamed *s, VitrailStatus status, const VtNumbered *made);
/* What a step has made that an interrupted run has done; checked. Labels are read as it says. Free its stats and table, also after an error. */
VitrailStatus vt_numbered_take(VtStreamed *s, VtStore *labels, bool has_stats, VtNumbered *made);
/* Order of pairs of int64_t by the first one. */
int vt_by_first(const void *a, const void *b);
