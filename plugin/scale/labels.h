/* SPDX-License-Identifier: MIT
 *
 * labels.h: connected pieces, objects and their numbers on stores. */
#pragma once

#include "scale/stream.h"

/* Connected pieces of src (U8) as numbers 1..*n of dst (I32), in the order of their first pixels. */
VitrailStatus vt_streamed_components(VtStreamed *s, VtStore *src, VtStore *dst, int32_t connectivity, int64_t *n);
/* VtNumber; labels may be any numbers >= 0 that are not much larger than they are many. a and b U16, or NULL: their sums
 * are 0. */
VitrailStatus vt_streamed_number(VtStreamed *s, VtStore *labels, VtStore *a, VtStore *b, VtObjectStats **stats,
                                 int64_t *n_objects);
/* VtRelabel. One process alone only notes the table: labels are read as it says. */
VitrailStatus vt_streamed_relabel(VtStreamed *s, VtStore *labels, const int32_t *table, int64_t n_entries);
