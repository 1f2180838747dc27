/* SPDX-License-Identifier: MIT
 *
 * Annotations: regions of interest, which have an area, and lines and points, which have none. */
#pragma once
#include <gio/gio.h>

#include "base/vt-error.h"
#include "run/vt-measured.h"

#define VT_ROI_NO_COLOR (-1)

/* What an annotation is: a polygon with holes (even-odd), lines that are not closed, one or more points. Only an area can be analysed, be a part of a set, or hold
 * objects: what works on areas is given no others. */
typedef enum { VT_SHAPE_AREA, VT_SHAPE_LINE, VT_SHAPE_POINTS } VtShapeKind;

/* Level-0 coordinates. */
typedef struct {
  VtShapeKind kind;
  char *name;
  char *class_name; /* "Tumor"; or NULL */
  gint32 color;     /* 0xRRGGBB, or VT_ROI_NO_COLOR */
  gboolean is_locked, is_hidden;
  GArray *ring_sizes; /* guint32: of each ring, or line; all points are one */
  GArray *points;     /* double x,y pairs of all of them; the first point of a ring not repeated */
  VtMeasured *
    measured; /* what a file says of this outline; NULL: nothing. It goes with the outline: vt_roi_take_looks() leaves it */
} VtRoi;

/* Without rings, a class or a colour; seen, not locked. */
VtRoi *vt_roi_new(const char *name);
/* One line, or points. */
VtRoi *vt_roi_new_shape(VtShapeKind kind, const double *points, guint n);
VtRoi *vt_roi_new_rectangle(const char *name, double x_l0, double y_l0, double width_l0, double height_l0);
/* One ring of n x, y pairs; runs clockwise on the screen, whichever way they go. */
VtRoi *vt_roi_new_polygon(const char *name, const double *points, guint n);
VtRoi *vt_roi_copy(const VtRoi *roi);
/* Without what a file says of it: the same for the window, whose regions may be of such a file, and for vitrail-batch. */
VtRoi *vt_roi_copy_plain(const VtRoi *roi);
/* All but the outline and what belongs to it: name, class, colour, lock, whether it is hidden. */
void vt_roi_take_looks(VtRoi *roi, const VtRoi *from);
/* Of "#rrggbb"; VT_ROI_NO_COLOR: it is something else, or NULL. */
gint32 vt_roi_parse_color(const char *text);
/* Kind and places. */
gboolean vt_roi_has_same_outline(const VtRoi *a, const VtRoi *b);
/* Name and outline. */
gboolean vt_roi_equal(const VtRoi *a, const VtRoi *b);
/* Of a list of VtRoi. */
guint vt_rois_count_areas(const GPtrArray *rois);
void vt_roi_free(VtRoi *roi);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(VtRoi, vt_roi_free)
/* Whether no rings cross, holes lie in their polygons, and polygons not in one another. is_hole: 0 or 1 for each ring. An outline that
 * would take long to look at is taken for one that is not plain. */
gboolean vt_roi_is_plain(const VtRoi *roi, const guint8 *is_hole);
/* Even-odd; FALSE of all but areas. Of a point on an edge between two regions that adjoin, one of them has it. */
gboolean vt_roi_contains(const VtRoi *roi, double x_l0, double y_l0);
/* For each of n points (x, y pairs) 1 if one of the regions contains it, else 0. (element-type VtRoi) Owned. */
guint8 *vt_rois_find_inside(const GPtrArray *rois, const double *points, guint n);
/* Twice the area of a ring of n x, y pairs; > 0: clockwise on the screen. */
double vt_ring_get_turn(const double *points, guint n);
/* Of a ring of whole numbers: clockwise on the screen, where y grows downwards. */
gboolean vt_ring_is_outer(const double *points, guint n);
/* Left, top, right and bottom of n x, y pairs; zeros of none. */
void vt_ring_get_box(const double *points, guint n, double box[4]);
/* Whether it is no more and no less than its bounds. */
gboolean vt_roi_is_rectangle(const VtRoi *roi);
void vt_roi_get_bounds(const VtRoi *roi, double *x, double *y, double *width, double *height);
/* The same as left, top, right and bottom. */
void vt_roi_get_box(const VtRoi *roi, double box[4]);
/* Whether two of them have more than an edge in common. */
static inline gboolean
vt_boxes_meet(const double a[4], const double b[4])
{
  return a[0] < b[2] && a[2] > b[0] && a[1] < b[3] && a[3] > b[1];
}
static inline const guint32 *
vt_roi_get_ring_sizes(const VtRoi *roi)
{
  return (const guint32 *)(gpointer)roi->ring_sizes->data;
}
static inline const double *
vt_roi_get_points(const VtRoi *roi)
{
  return (const double *)(gpointer)roi->points->data;
}
