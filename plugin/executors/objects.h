/* SPDX-License-Identifier: MIT
 *
 * objects.h: from labels to numbered objects. */
#pragma once

#include "executors/steps.h"

/* Numbers labels 1.. in order of each object's first pixel, dropping those that the filter refuses; *stats (free() it) has
 * one entry per kept object, sum_a of stain and sum_b of background, both U16. */
typedef struct {
  int64_t min_area_px, max_area_px;
  double max_background;
} VtObjectFilter;
bool vt_object_is_kept(const VtObjectStats *object, const VtObjectFilter *filter);
VitrailStatus vt_objects_number(VtSteps *steps, const VtImage *labels, const VtImage *stain, const VtImage *background,
                                const VtObjectFilter *filter, VtObjectStats **stats, int64_t *n_objects);
/* Where the grid has a margin of context: drops what has no pixel in the part that is shown, and numbers the others in the
 * order of their first pixels there. */
VitrailStatus vt_objects_show(VtSteps *steps, const VtImage *labels, VtObjectStats *stats, int64_t *n_objects);
