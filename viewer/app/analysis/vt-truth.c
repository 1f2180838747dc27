/* SPDX-License-Identifier: MIT */
#include "analysis/vt-truth.h"

static GPtrArray *
rois_new(void)
{
  return g_ptr_array_new_with_free_func((GDestroyNotify)vt_roi_free);
}

/* x and y in turns. */
static void
add_dots(GPtrArray *rois, const GArray *points)
{
  for (guint i = 0; i + 1 < points->len; i += 2)
    g_ptr_array_add(rois, vt_roi_new_shape(VT_SHAPE_POINTS, &g_array_index(points, double, i), 1));
}

/* NULL where it is empty. */
static GPtrArray *
take_some(GPtrArray *rois)
{
  if (rois->len == 0)
    g_clear_pointer(&rois, g_ptr_array_unref);
  return rois;
}

GPtrArray *
vt_truth_dup_drawn(VtRegions *regions, VtShapeKind kind)
{
  GListModel *list = vt_regions_get_list(regions);
  GPtrArray *rois = rois_new();
  for (guint i = 0; i < g_list_model_get_n_items(list); i++) {
    g_autoptr(VtRoiItem) item = g_list_model_get_item(list, i);
    const VtRoi *roi = vt_roi_item_get_roi(item);
    if (roi->kind == kind && kind == VT_SHAPE_POINTS)
      add_dots(rois, roi->points);
    else if (roi->kind == kind)
      g_ptr_array_add(rois, vt_roi_copy(roi));
  }
  return take_some(rois);
}

GPtrArray *
vt_truth_steal(VtShapes *shapes, GError **error)
{
  g_autoptr(GArray) points = shapes->n_areas == 0 ? vt_shapes_dup_points(shapes) : NULL;
  if (!points)
    return vt_shapes_steal_areas(shapes, error);
  GPtrArray *rois = rois_new();
  add_dots(rois, points);
  return rois;
}
