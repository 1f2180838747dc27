/* SPDX-License-Identifier: MIT
 *
 * Points among each other, and among regions (by GEOS). [any] thread. */
#pragma once
#include "run/vt-roi.h"

/* How many Delaunay neighbours each of n points (x, y pairs, level-0 pixels) has: points whose Voronoi cells share a side. Cells that touch in a corner
 * alone, as across the diagonals of a square, share none, so the counts depend on no order of the points and on no choice of a triangulation. Places
 * count by 1/64 of a pixel: points that are one then have the same neighbours, and are not each other's. All of it is in integers, and exact.
 * Delaunay (1934). NULL and a sentence: the points span more than 2^20 pixels, or there is no memory. Owned. */
guint *vt_delaunay_count(const double *points, guint n, GError **error);
/* How far each of n points (x, y pairs, level-0 pixels) is from the nearest border of the areas among the regions, where a pixel is mpp_x wide and
 * mpp_y high; borders of holes are borders. Below zero: it is inside of one of them (even-odd). NULL: no region has an area.
 * (element-type VtRoi) Owned. */
double *vt_rois_measure_borders(const GPtrArray *rois, const double *points, guint n, double mpp_x, double mpp_y);
