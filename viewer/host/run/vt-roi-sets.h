/* SPDX-License-Identifier: MIT
 *
 * Regions as sets of points, by GEOS (areas alone): what two of them share, together or apart; every answer is valid, with exact holes,
 * and has its corners on 1/256 of a level-0 pixel. Lengths are level-0 pixels; what is inside of an outline that crosses itself is what an odd number of its rings goes round. [any] thread. */
#pragma once
#include "run/vt-roi.h"

typedef enum { VT_ROI_UNION, VT_ROI_DIFFERENCE, VT_ROI_INTERSECTION } VtRoiSet;

/* Whether they share an area; edges and corners that only touch do not. */
gboolean vt_rois_overlap(const VtRoi *a, const VtRoi *b);
/* Whether any two of them do. (element-type VtRoi) */
gboolean vt_rois_any_overlap(GPtrArray *rois);
/* Whether no part of b lies outside of a. */
gboolean vt_roi_covers(const VtRoi *a, const VtRoi *b);
/* The tree of annotations: parents[i] is the place in `rois` (element-type VtRoi) of the smallest area that has all of rois[i] in it (edges may touch), -1: none
 * has. Of outlines that cover one another the larger one is the parent, of equal areas the earlier one; so no one is its own ancestor. Lines and points are no parents. wanted: only
 * those of which it is TRUE are looked at, and parents of others stay as they are; NULL: all. What GEOS cannot compare lies in nothing. */
void vt_rois_find_parents(const GPtrArray *rois, const gboolean *wanted, gint *parents);
/* a with or without b, or what they share, under a's name, class and look. Shells run clockwise on the screen, each followed by its holes.
 * NULL without an error: nothing is left. NULL and a sentence: GEOS could not. Owned. */
VtRoi *vt_roi_combine(const VtRoi *a, const VtRoi *b, VtRoiSet how, GError **error);
/* All of them together, as one polygon. Where they do not touch, the gaps between them are closed: with them goes what a disc of a radius of 1, 2, 4
 * ... level-0 pixels cannot reach from outside, the smallest that makes one piece of them, at most most_radius. NULL without an error: they lie farther
 * apart. (element-type VtRoi) Owned. */
VtRoi *vt_rois_join(GPtrArray *rois, double most_radius, GError **error);
/* Its parts on the sides of a line of n x, y pairs, by the upper left corners of their boxes from top to bottom and left to right; polygons that were apart before are parts, too. Empty: the
 * line divides none of it. NULL and a sentence: GEOS could not. (element-type VtRoi) Owned. */
GPtrArray *vt_roi_split(const VtRoi *roi, const double *points, guint n, GError **error);
/* Each of its polygons, with its holes, in the order in which it has them. NULL and a sentence: GEOS could not. (element-type VtRoi) Owned. */
GPtrArray *vt_roi_list_parts(const VtRoi *roi, GError **error);
/* The same with fewer corners, under its name, class and look: those that are left are its own, and no part of the outline is farther than tolerance (level-0 pixels) from where it was.
 * Douglas and Peucker (1973), of which no ring disappears. NULL and a sentence: GEOS could not. Owned. */
VtRoi *vt_roi_simplify(const VtRoi *roi, double tolerance, GError **error);
/* What one ring of n x, y pairs goes round, once or more often, whichever way; n_parts: of how many polygons it is. NULL without an error:
 * it has no area. Owned. */
VtRoi *vt_roi_new_enclosed(const double *points, guint n, guint *n_parts, GError **error);
/* All that is nearer than radius to a line of n x, y pairs, n > 0; arcs are 8 edges a quarter. NULL and a sentence: GEOS could not. Owned. */
VtRoi *vt_roi_new_stroke(const double *points, guint n, double radius, GError **error);
/* Of what is inside; squares of level-0 pixels. NaN: GEOS could not. */
double vt_roi_get_area(const VtRoi *roi);
/* Of all rings, holes included, and of lines their lengths, where a pixel is mpp_x wide and mpp_y high (both 1: level-0 pixels). */
double vt_roi_get_perimeter(const VtRoi *roi, double mpp_x, double mpp_y);
