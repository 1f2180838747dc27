/* SPDX-License-Identifier: MIT
 *
 * What is shown, to be run once more: by those who ask why, or whether it is the same another way. */
#include <glib/gi18n.h>
#include <math.h>

#include "analysis/vt-analysis-private.h"
#include "base/vt-rect.h"
#include "plugins/vt-plugin-host.h"

#define MAX_PX (16 << 20) /* analysis pixels; of more, those round the place */
#define EDGE_PX 2048

/* The rectangle and the grid of what is shown, so that what comes of it is of what the person sees; else the view. */
static gboolean
set_place(VtAnalysis *analysis, VtRunRequest *request, gint64 x_l0, gint64 y_l0, GError **error)
{
  const VtResult *shown = analysis->result;
  const gboolean is_of_it = shown && vt_params_equal(analysis->result_params, request->params) && x_l0 >= shown->x_l0
                            && x_l0 < shown->x_l0 + shown->width_l0 && y_l0 >= shown->y_l0
                            && y_l0 < shown->y_l0 + shown->height_l0;
  double downsample = MAX(analysis->view.downsample, 1);
  if (is_of_it) {
    request->x_l0 = shown->x_l0;
    request->y_l0 = shown->y_l0;
    request->width_l0 = shown->width_l0;
    request->height_l0 = shown->height_l0;
    const double pixel = shown->calibrated ? sqrt(shown->mpp * shown->mpp_y) : 1;
    downsample = shown->used_pixel_size > 0 ? round(shown->used_pixel_size / pixel) : 1;
  } else if (!vt_run_on_fill(VT_RUN_ON_VIEW, request, &analysis->view, analysis->rois, error)) {
    return FALSE;
  }
  if (is_of_it ? shown->is_preview : analysis->live)
    request->min_downsample = downsample;
  if ((double)request->width_l0 * (double)request->height_l0 <= MAX_PX * downsample * downsample)
    return TRUE;
  const gint64 half = (gint64)(EDGE_PX / 2 * downsample);
  const gint64 x1 = MIN(request->x_l0 + request->width_l0, x_l0 + half);
  const gint64 y1 = MIN(request->y_l0 + request->height_l0, y_l0 + half);
  request->x_l0 = MAX(request->x_l0, x_l0 - half);
  request->y_l0 = MAX(request->y_l0, y_l0 - half);
  request->width_l0 = x1 - request->x_l0;
  request->height_l0 = y1 - request->y_l0;
  return TRUE;
}

static VtRunRequest *
request_new(VtAnalysis *self, GError **error)
{
  VtRunRequest *request = vt_run_request_new(self->plugin, self->op);
  if (vt_analysis_takes_rois(self)) {
    g_set_error_literal(
      error, VT_ERROR, VITRAIL_BAD_ARGUMENT,
      _("This analysis measures regions; it can’t be asked about one place, or be run for it another way."));
    vt_run_request_free(request);
    return NULL;
  }
  g_clear_pointer(&request->params, vt_params_free);
  request->params = vt_params_copy(self->params);
  request->slide = vt_slide_ref(self->slide);
  request->backend = g_strdup(self->backend);
  return request;
}

/* Level-0 pixels of one that is analysed. */
static double
get_downsample(VtAnalysis *self, const VtRunRequest *request)
{
  const int index = vt_op_find_param(request->op, "pixel-size");
  double mpp_x = 0, mpp_y = 0;
  const double mpp = vt_slide_get_mpp(self->slide, &mpp_x, &mpp_y) ? sqrt(mpp_x * mpp_y) : 1;
  return index >= 0 ? MAX(round(request->params->values[index][0] / mpp), 1) : 1;
}

VtRunRequest *
vt_analysis_new_region_request(VtAnalysis *self, const VtRoi *region, GError **error)
{
  g_autoptr(VtRunRequest) request = request_new(self, error);
  gint64 width, height;
  double box[4];
  if (!request)
    return NULL;
  vt_slide_get_level_size(self->slide, 0, &width, &height);
  vt_roi_get_box(region, box);
  VtRect rect = vt_rect_around(box);
  const gboolean is_on_slide = vt_rect_clip(&rect, width, height);
  request->x_l0 = rect.x;
  request->y_l0 = rect.y;
  request->width_l0 = rect.width;
  request->height_l0 = rect.height;
  const double downsample = get_downsample(self, request);
  if (!is_on_slide)
    vt_error_set(error, VITRAIL_BAD_ARGUMENT, _("The region “%s” lies outside the slide."), region->name);
  else if ((double)request->width_l0 * (double)request->height_l0 > MAX_PX * downsample * downsample)
    vt_error_set(
      error, VITRAIL_BAD_ARGUMENT,
      _("The region “%s” has more than 16 million analysis pixels: draw a smaller one, or analyse larger pixels."),
      region->name);
  else
    return g_steal_pointer(&request);
  return NULL;
}

VtRunRequest *
vt_analysis_new_request(VtAnalysis *self, gint64 x_l0, gint64 y_l0, GError **error)
{
  g_autoptr(VtRunRequest) request = request_new(self, error);
  return request && set_place(self, request, x_l0, y_l0, error) ? g_steal_pointer(&request) : NULL;
}
