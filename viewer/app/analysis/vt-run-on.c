/* SPDX-License-Identifier: MIT */
#include "analysis/vt-run-on.h"

#include <glib/gi18n.h>

#include "layers/vt-roi-item.h"

const char *
vt_run_on_get_id(VtRunOn on)
{
  static const char *const ids[VT_N_RUN_ON] = { "view", "regions", "slide" };
  return ids[on];
}

VtRunOn
vt_run_on_from_id(const char *id)
{
  for (guint on = 0; on < VT_N_RUN_ON; on++)
    if (g_strcmp0(id, vt_run_on_get_id(on)) == 0)
      return on;
  return VT_RUN_ON_VIEW;
}

const char *
vt_run_on_get_title(VtRunOn on)
{
  switch (on) {
  case VT_RUN_ON_REGIONS: return _("Regions");
  case VT_RUN_ON_SLIDE: return _("Whole slide");
  default: return _("View");
  }
}

char *
vt_run_on_dup_choice(VtRunOn on, guint n_regions)
{
  if (on != VT_RUN_ON_REGIONS)
    return g_strdup(vt_run_on_get_title(on));
  return n_regions > 0 ? g_strdup_printf(_("Regions (%u)"), n_regions) : g_strdup(_("Regions (none drawn)"));
}

static gboolean
fill_view(VtRunRequest *request, const VtViewport *view, GError **error)
{
  gint64 width, height;
  vt_slide_get_level_size(request->slide, 0, &width, &height);
  if (vt_viewport_get_visible_l0(view, width, height, &request->x_l0, &request->y_l0, &request->width_l0,
                                 &request->height_l0))
    return TRUE;
  return vt_error_set(error, VITRAIL_BAD_ARGUMENT,
                      _("The view shows nothing of the slide. Go back to it (0), or run on the whole slide."));
}

static gboolean
fill_regions(VtRunRequest *request, GListModel *regions, GError **error)
{
  const guint n = g_list_model_get_n_items(regions);
  gint64 width, height;
  if (n == 0)
    return vt_error_set(
      error, VITRAIL_BAD_ARGUMENT,
      _("There are no regions to run on: lines and points have no area. Draw one (R), or run on the view or the "
        "whole slide."));
  vt_slide_get_level_size(request->slide, 0, &width, &height);
  vt_roi_items_fill(request, request->slide, regions);
  request->regions = g_steal_pointer(&request->rois); /* the op does not ask for them */
  for (guint i = 0; i < n; i++) {
    double x, y, w, h;
    const VtRoi *roi = request->regions->pdata[i];
    vt_roi_get_bounds(roi, &x, &y, &w, &h);
    if (x < (double)width && y < (double)height && x + w > 0 && y + h > 0)
      continue;
    return vt_error_set(error, VITRAIL_BAD_ARGUMENT, _("The region “%s” lies outside the slide."), roi->name);
  }
  return TRUE;
}

gboolean
vt_run_on_fill(VtRunOn on, VtRunRequest *request, const VtViewport *view, GListModel *regions, GError **error)
{
  switch (on) {
  case VT_RUN_ON_REGIONS: return fill_regions(request, regions, error);
  case VT_RUN_ON_SLIDE:
    vt_slide_get_level_size(request->slide, 0, &request->width_l0, &request->height_l0);
    return TRUE;
  default: return fill_view(request, view, error);
  }
}
