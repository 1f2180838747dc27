/* SPDX-License-Identifier: MIT
 *
 * bounded-labels.h: which pixels belong together, as far as no outside could change it. */
#pragma once

#include "executors/executor.h"

/* Unsure: pieces that hold an uncertain pixel or reach an open side. */
VitrailStatus vt_bounds_components(VtExec *exec, const VtComponents *args);
/* Not certain: pixels of pieces that hold an uncertain one, or that go on outside and are not too large already. */
VitrailStatus vt_bounds_sized(VtExec *exec, const VtImage *foreground, const VtImage *dst, int32_t connectivity,
                              double least, double most);
/* Unsure: pixels whose way to their seed leads over a plateau that something uncertain touches. args->seeds is unsure where
 * a seed is. */
VitrailStatus vt_bounds_watershed(VtExec *exec, const VtWatershed *args);
/* Unsure: pixels that a seed outside, or an unsure one, could reach as soon. */
VitrailStatus vt_bounds_geodesic(VtExec *exec, const VtGeodesic *args);
/* Sure labels become 1..*n in the order of their first pixels. */
VitrailStatus vt_bounds_number(VtExec *exec, const VtImage *labels, int64_t *n);
/* Unsure: all of an object beside which something is unsure, and one that the bounds of b don't agree to keep. labels become 0
 * where an object was dropped for certain, else numbers 1..*n_objects. There are no stats. */
VitrailStatus vt_bounds_objects(VtExec *exec, const VtImage *labels, const VtImage *a, const VtImage *b,
                                const VtObjectFilter *filter, VtObjectStats **stats, int64_t *n_objects);
/* Of n_objects certain objects, how many have a pixel in the part that is shown. */
VitrailStatus vt_bounds_count(const VtExec *exec, const VtImage *labels, int64_t n_objects, int64_t *n_certain);
