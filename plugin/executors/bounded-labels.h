/* SPDX-License-Identifier: MIT
 *
 * bounded-labels.h: the steps of labels on bounds (bounded.h). Each says which labels become VT_UNSURE. */
#pragma once

#include "executors/executor.h"

/* Pieces that hold an uncertain pixel or reach an open side. */
VitrailStatus vt_bounds_components(VtExec *exec, const VtComponents *args);
/* dst is not certain at pieces that hold an uncertain pixel, and at pieces that reach an open side and are not larger than `most` yet. */
VitrailStatus vt_bounds_sized(VtExec *exec, const VtImage *foreground, const VtImage *dst, int32_t connectivity,
                              double least, double most);
/* Pixels whose way to their seed leads over a plateau that something uncertain touches. args->seeds is VT_UNSURE at unsure seeds. */
VitrailStatus vt_bounds_watershed(VtExec *exec, const VtWatershed *args);
/* Pixels that a seed outside, or an unsure one, could reach in as few steps. */
VitrailStatus vt_bounds_geodesic(VtExec *exec, const VtGeodesic *args);
/* Objects that touch an unsure pixel, and objects that the filter keeps with one bound of b and drops with the other. The other objects
 * are kept or dropped for certain: their labels become 1..*n_objects or 0. There are no stats. */
VitrailStatus vt_bounds_objects(VtExec *exec, const VtImage *labels, const VtImage *a, const VtImage *b,
                                const VtObjectFilter *filter, VtObjectStats **stats, int64_t *n_objects);
/* Counts the certain objects that have a pixel in the part that is shown. Labels are up to n_objects. */
VitrailStatus vt_bounds_count(const VtExec *exec, const VtImage *labels, int64_t n_objects, int64_t *n_certain);
