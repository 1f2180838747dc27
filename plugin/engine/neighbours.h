/* SPDX-License-Identifier: MIT
 *
 * neighbours.h: the centroids of a run's objects, sorted into squares, so that the objects near one are found fast. */
#pragma once

#include "vt-backend.h"

typedef struct VtNeighbours VtNeighbours;

/* NULL: there is no memory. Several threads may read it at once. */
VtNeighbours *vt_neighbours_new(const VtObjectStats *stats, int64_t n);
void vt_neighbours_free(VtNeighbours *neighbours);
/* Pixels from its centroid to the nearest other one; NaN: there is no other object. */
double vt_neighbours_nearest(const VtNeighbours *neighbours, int64_t index);
/* How many other centroids are at most `radius` pixels away. */
int64_t vt_neighbours_within(const VtNeighbours *neighbours, int64_t index, double radius);
