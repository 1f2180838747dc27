/* SPDX-License-Identifier: MIT
 *
 * certain-seeded.h: certainty of flooding from seeds, for the ops that prepare what is flooded. */
#pragma once

#include "executors/steps.h"

/* certain (U8): 255 where steps and zone are certain. args: mask and connectivity, and the seeds if labels are given. found
 * (U8): else, what the connected pieces of are the seeds; or NULL. All images are certain. */
VitrailStatus vt_certain_zones(VtSteps *steps, const VtGeodesic *args, const VtImage *found, const VtImage *certain);
/* certain (U8): 255 where the label is. height (F32, lowest outside mask), mask (U8), seeds (I32, or NULL: h-maxima that rise
 * by `rise`) are certain. */
VitrailStatus vt_certain_watershed(VtSteps *steps, const VtImage *height, const VtImage *mask, const VtImage *seeds,
                                   double rise, const VtImage *certain);
