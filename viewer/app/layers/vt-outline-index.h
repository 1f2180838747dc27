/* SPDX-License-Identifier: MIT
 *
 * Where objects are: an R-tree packed once (Kamel and Faloutsos, "On Packing R-trees", 1993; here along a Morton curve), and
 * exact counts per cell. Made from the objects of one result, immutable, any thread. Object numbers are positions in that
 * array. Coordinates are level-0 pixels. */
#pragma once
#include "run/vt-run.h"

typedef struct VtOutlineIndex VtOutlineIndex;

/* Keeps `objects` (VtObject). */
VtOutlineIndex *vt_outline_index_new(GPtrArray *objects);
VtOutlineIndex *vt_outline_index_ref(VtOutlineIndex *index);
void vt_outline_index_unref(VtOutlineIndex *index);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(VtOutlineIndex, vt_outline_index_unref)
GPtrArray *vt_outline_index_get_objects(const VtOutlineIndex *index); /* borrowed */
gsize vt_outline_index_get_bytes(const VtOutlineIndex *index);        /* without the objects */
/* Mean of the longer sides of the boxes; 0 without objects. */
double vt_outline_index_get_mean_size(const VtOutlineIndex *index);

/* Appends the numbers (guint32) of all objects whose box meets the rectangle, and perhaps of some a rounding away, in rising
 * order. */
void vt_outline_index_query(const VtOutlineIndex *index, double x0, double y0, double x1, double y1, GArray *numbers);
/* The topmost object that the point lies in (even-odd rule), which is the last one; -1: none. */
gint64 vt_outline_index_pick(const VtOutlineIndex *index, double x, double y);

/* How dense objects lie: the number of centroids in each square cell [col*cell, (col+1)*cell) of level-0 pixels, smoothed along
 * rows and columns with the weights 1 4 6 4 1, in whole numbers, so that each object counts just once in the sum of all cells.
 * `counts`: one for each object, 0: it is not counted; NULL: all are. Two rows and columns beside the outermost objects,
 * counted or not, belong to it. Cells are larger than asked for if there would be more than 2^24 of them. */
#define VT_DENSITY_WEIGHT 256 /* of one object, over all cells */
typedef struct {
  double cell;
  gint64 first_col, first_row, n_cols, n_rows;
  guint64 *weights;
  guint64 max;       /* of `weights` */
  guint32 n_counted; /* objects */
} VtDensity;
VtDensity *vt_density_new(const VtOutlineIndex *index, double cell, const guint8 *counts);
VtDensity *vt_density_ref(VtDensity *density);
void vt_density_unref(VtDensity *density);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(VtDensity, vt_density_unref)
/* Objects per level-0 pixel (of area) at a point: linear between the middles of cells; 0 outside. */
double vt_density_lookup(const VtDensity *density, double x, double y);
/* The same at n points from (x, y) on, `step` apart along x. */
void vt_density_lookup_row(const VtDensity *density, double x, double y, double step, guint n, double *out);
/* The most anywhere. */
double vt_density_get_max(const VtDensity *density);
