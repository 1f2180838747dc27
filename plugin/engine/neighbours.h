/* SPDX-License-Identifier: MIT
 *
 * neighbours.h: the centroids of a run's objects, sorted into squares, so that those near one are found at once. */
#pragma once

#include "vt-backend.h"

typedef struct VtNeighbours VtNeighbours;

/* NULL: no memory. Reading it is safe from any thread. */
VtNeighbours *vt_neighbours_new(const VtObjectStats *stats, int64_t n);
void vt_neighbours_free(VtNeighbours *neighbours);
/* In pixels, from centroid to centroid; NaN: there is no other object. */
double vt_neighbours_nearest(const VtNeighbours *neighbours, int64_t index);
/* Others that are at most `radius` pixels away. */
int64_t vt_neighbours_within(const VtNeighbours *neighbours, int64_t index, double radius);
