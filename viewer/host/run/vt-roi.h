/* SPDX-License-Identifier: MIT
 *
 * Regions of interest. */
#pragma once
#include <gio/gio.h>

#include "base/vt-error.h"

G_BEGIN_DECLS

/* Polygon with holes (even-odd), level-0 coordinates. */
typedef struct {
  char *name;
  GArray *ring_sizes; /* guint32 */
  GArray *points;     /* double x,y pairs of all rings, first point not repeated */
} VtRoi;

VtRoi *vt_roi_new_rectangle(const char *name, double x_l0, double y_l0, double width_l0, double height_l0);
VtRoi *vt_roi_copy(const VtRoi *roi);
/* Name and outline. */
gboolean vt_roi_equal(const VtRoi *a, const VtRoi *b);
void vt_roi_free(VtRoi *roi);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(VtRoi, vt_roi_free)
/* Whether no rings cross, holes lie in their polygons, and polygons not in one another. is_hole: 0 or 1 for each ring. An outline that
 * would take long to look at is taken for one that is not plain. */
gboolean vt_roi_is_plain(const VtRoi *roi, const guint8 *is_hole);
void vt_roi_get_bounds(const VtRoi *roi, double *x, double *y, double *width, double *height);

G_END_DECLS
