/* SPDX-License-Identifier: MIT */
#include "results/vt-session-file.h"

#include "base/vt-define.h"

void
vt_session_rings_fill(GPtrArray *rings, const VtRoi *roi)
{
  const double *point = vt_roi_get_points(roi);
  for (guint i = 0; i < roi->ring_sizes->len; i++) {
    const guint n = g_array_index(roi->ring_sizes, guint32, i);
    GArray *ring = g_array_sized_new(FALSE, FALSE, sizeof(double), 2 * n);
    g_array_append_vals(ring, point, 2 * n);
    g_ptr_array_add(rings, ring);
    point += 2 * (gsize)n;
  }
}

static void
take_rings(VtRoi *roi, const GPtrArray *rings)
{
  VT_EACH_OF (const GArray, ring, rings) {
    const guint32 n = ring->len / 2;
    g_array_append_val(roi->ring_sizes, n);
    g_array_append_vals(roi->points, ring->data, 2 * n);
  }
}

GPtrArray *
vt_session_outlines_dup_rois(const GPtrArray *outlines)
{
  GPtrArray *rois = g_ptr_array_new_with_free_func((GDestroyNotify)vt_roi_free);
  for (guint i = 0; i < outlines->len; i++) {
    g_ptr_array_add(rois, vt_roi_new(NULL));
    take_rings(rois->pdata[i], ((const VtSessionOutline *)outlines->pdata[i])->rings);
  }
  return rois;
}

static gboolean
has_unsaved(const VtSessionView *view)
{
  for (guint r = 0; r < view->regions->len; r++)
    if (!((const VtSessionRegion *)view->regions->pdata[r])->is_saved)
      return TRUE;
  return view->corrections->len > 0 && !view->has_saved_corrections;
}

gboolean
vt_session_file_has_unsaved(const VtSessionFile *self)
{
  for (guint t = 0; t < self->tabs->len; t++) {
    const GPtrArray *views = ((const VtSessionTab *)self->tabs->pdata[t])->views;
    for (guint v = 0; v < views->len; v++)
      if (has_unsaved(views->pdata[v]))
        return TRUE;
  }
  return FALSE;
}

void
vt_session_region_fill(VtSessionRegion *region, const VtRoi *roi)
{
  region->name = g_strdup(roi->name);
  region->class_name = g_strdup(roi->class_name);
  region->color = roi->color == VT_ROI_NO_COLOR ? NULL : g_strdup_printf("#%06x", (guint)roi->color);
  region->is_locked = roi->is_locked;
  region->is_hidden = roi->is_hidden;
  region->measured = roi->measured ? vt_measured_ref(roi->measured) : NULL;
  vt_session_rings_fill(roi->kind == VT_SHAPE_AREA   ? region->rings
                        : roi->kind == VT_SHAPE_LINE ? region->lines
                                                     : region->points,
                        roi);
}

VtRoi *
vt_session_region_dup_roi(const VtSessionRegion *region)
{
  VtRoi *roi = vt_roi_new(region->name);
  roi->class_name = g_strdup(region->class_name);
  roi->color = vt_roi_parse_color(region->color);
  roi->is_locked = region->is_locked;
  roi->is_hidden = region->is_hidden;
  roi->measured = region->measured ? vt_measured_ref(region->measured) : NULL;
  roi->kind = region->lines->len > 0 ? VT_SHAPE_LINE : region->points->len > 0 ? VT_SHAPE_POINTS : VT_SHAPE_AREA;
  take_rings(roi, roi->kind == VT_SHAPE_AREA   ? region->rings
                  : roi->kind == VT_SHAPE_LINE ? region->lines
                                               : region->points);
  return roi;
}
