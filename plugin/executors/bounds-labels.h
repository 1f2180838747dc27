/* SPDX-License-Identifier: MIT
 *
 * bounds-labels.h: which pixels belong together, as far as no outside could change it. */
#pragma once

#include "executors/objects.h"

/* Unsure: pieces that hold an uncertain pixel or reach an open side. */
VitrailStatus vt_bounds_components(VtSteps *steps, const VtComponents *args);
/* Unsure: pixels whose way to their seed leads over a plateau that something uncertain touches. args->seeds is unsure where
 * a seed is. */
VitrailStatus vt_bounds_watershed(VtSteps *steps, const VtWatershed *args);
/* Unsure: all of an object beside which something is unsure, and one that the bounds of the background don't agree to keep.
 * labels become 0 where an object was dropped for certain, else numbers 1..*n_objects. */
VitrailStatus vt_bounds_objects(VtSteps *steps, const VtImage *labels, const VtImage *background,
                                const VtObjectFilter *filter, int64_t *n_objects);
/* Of n_objects certain objects, how many have a pixel in the part that is shown. */
VitrailStatus vt_bounds_count(const VtSteps *steps, const VtImage *labels, int64_t n_objects, int64_t *n_certain);
