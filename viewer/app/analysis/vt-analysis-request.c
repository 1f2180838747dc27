/* SPDX-License-Identifier: MIT
 *
 * What is shown, to be run once more: by those who ask why, or whether it is the same another way. */
#include <glib/gi18n.h>
#include <math.h>

#include "analysis/vt-analysis-private.h"

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

VtRunRequest *
vt_analysis_new_request(VtAnalysis *self, gint64 x_l0, gint64 y_l0, GError **error)
{
  g_autoptr(VtRunRequest) request = vt_run_request_new(self->plugin, self->op);
  if (vt_analysis_takes_rois(self)) {
    g_set_error_literal(error, VT_ERROR, VITRAIL_BAD_ARGUMENT, _("This analysis tests nothing: it measures regions."));
    return NULL;
  }
  g_clear_pointer(&request->params, vt_params_free);
  request->params = vt_params_copy(self->params);
  request->slide = vt_slide_ref(self->slide);
  request->backend = g_strdup(self->backend);
  return set_place(self, request, x_l0, y_l0, error) ? g_steal_pointer(&request) : NULL;
}
