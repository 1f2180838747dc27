/* SPDX-License-Identifier: MIT */
#include "results/vt-session-file.h"

void
vt_session_region_fill(VtSessionRegion *region, const VtRoi *roi)
{
  const double *point = (const double *)(gpointer)roi->points->data;
  region->name = g_strdup(roi->name);
  region->class_name = g_strdup(roi->class_name);
  region->color = roi->color == VT_ROI_NO_COLOR ? NULL : g_strdup_printf("#%06x", (guint)roi->color);
  region->is_locked = roi->is_locked;
  region->is_hidden = roi->is_hidden;
  for (guint i = 0; i < roi->ring_sizes->len; i++) {
    const guint n = g_array_index(roi->ring_sizes, guint32, i);
    GArray *ring = g_array_sized_new(FALSE, FALSE, sizeof(double), 2 * n);
    g_array_append_vals(ring, point, 2 * n);
    g_ptr_array_add(region->rings, ring);
    point += 2 * (gsize)n;
  }
}

VtRoi *
vt_session_region_dup_roi(const VtSessionRegion *region)
{
  VtRoi *roi = vt_roi_new(region->name);
  roi->class_name = g_strdup(region->class_name);
  roi->color = vt_roi_parse_color(region->color);
  roi->is_locked = region->is_locked;
  roi->is_hidden = region->is_hidden;
  for (guint i = 0; i < region->rings->len; i++) {
    const GArray *ring = region->rings->pdata[i];
    const guint32 n = ring->len / 2;
    g_array_append_val(roi->ring_sizes, n);
    g_array_append_vals(roi->points, ring->data, 2 * n);
  }
  return roi;
}
