/* SPDX-License-Identifier: MIT */
#include "vt-viewport.h"

#include <math.h>

/* A small slide, too, can be seen at 1x, if more than a dot remains. */
#define DOWNSAMPLE_OF_1X 40 /* of a 40x scan */
#define SMALLEST_PX 100

gboolean
vt_viewport_equal(const VtViewport *a, const VtViewport *b)
{
  return a->centre_x_l0 == b->centre_x_l0 && a->centre_y_l0 == b->centre_y_l0 && a->downsample == b->downsample
         && a->width_px == b->width_px && a->height_px == b->height_px;
}

void
vt_viewport_to_l0(const VtViewport *view, double x_px, double y_px, double *x_l0, double *y_l0)
{
  *x_l0 = view->centre_x_l0 + (x_px - view->width_px / 2) * view->downsample;
  *y_l0 = view->centre_y_l0 + (y_px - view->height_px / 2) * view->downsample;
}

void
vt_viewport_from_l0(const VtViewport *view, double x_l0, double y_l0, double *x_px, double *y_px)
{
  *x_px = (x_l0 - view->centre_x_l0) / view->downsample + view->width_px / 2;
  *y_px = (y_l0 - view->centre_y_l0) / view->downsample + view->height_px / 2;
}

double
vt_viewport_get_fit(const VtViewport *view, double width_l0, double height_l0)
{
  double across = width_l0 / MAX(view->width_px * 0.96, 1);
  double down = height_l0 / MAX(view->height_px * 0.96, 1);
  return MAX(MAX(across, down), VT_VIEWPORT_MIN_DOWNSAMPLE);
}

void
vt_viewport_fit(VtViewport *view, double width_l0, double height_l0)
{
  view->downsample = vt_viewport_get_fit(view, width_l0, height_l0);
  view->centre_x_l0 = width_l0 / 2;
  view->centre_y_l0 = height_l0 / 2;
}

void
vt_viewport_pan(VtViewport *view, double dx_px, double dy_px)
{
  view->centre_x_l0 += dx_px * view->downsample;
  view->centre_y_l0 += dy_px * view->downsample;
}

void
vt_viewport_zoom_at(VtViewport *view, double downsample, double x_px, double y_px)
{
  double x_l0, y_l0;
  vt_viewport_to_l0(view, x_px, y_px, &x_l0, &y_l0);
  view->downsample = downsample;
  view->centre_x_l0 = x_l0 - (x_px - view->width_px / 2) * downsample;
  view->centre_y_l0 = y_l0 - (y_px - view->height_px / 2) * downsample;
}

void
vt_viewport_clamp(VtViewport *view, double width_l0, double height_l0)
{
  double smallest = MIN(MAX(width_l0, height_l0) / SMALLEST_PX, DOWNSAMPLE_OF_1X);
  double coarsest = MAX(MAX(2 * vt_viewport_get_fit(view, width_l0, height_l0), smallest), 1);
  view->downsample = CLAMP(view->downsample, VT_VIEWPORT_MIN_DOWNSAMPLE, coarsest);
  view->centre_x_l0 = CLAMP(view->centre_x_l0, 0, width_l0);
  view->centre_y_l0 = CLAMP(view->centre_y_l0, 0, height_l0);
}

static void
get_span(double centre_l0, double seen_l0, double length_l0, double map_px, double least_px, double *start_px,
         double *span_px)
{
  double start = CLAMP((centre_l0 - seen_l0 / 2) / length_l0, 0, 1) * map_px;
  double end = CLAMP((centre_l0 + seen_l0 / 2) / length_l0, 0, 1) * map_px;
  *span_px = MIN(MAX(end - start, least_px), map_px);
  *start_px = CLAMP((start + end - *span_px) / 2, 0, map_px - *span_px);
}

void
vt_viewport_get_box(const VtViewport *view, double width_l0, double height_l0, double map_width_px,
                    double map_height_px, double least_px, double *x_px, double *y_px, double *box_width_px,
                    double *box_height_px)
{
  get_span(view->centre_x_l0, view->width_px * view->downsample, width_l0, map_width_px, least_px, x_px, box_width_px);
  get_span(view->centre_y_l0, view->height_px * view->downsample, height_l0, map_height_px, least_px, y_px,
           box_height_px);
}

gboolean
vt_viewport_get_visible_l0(const VtViewport *view, gint64 width_l0, gint64 height_l0, gint64 *x, gint64 *y,
                           gint64 *width, gint64 *height)
{
  double x0, y0, x1, y1;
  vt_viewport_to_l0(view, 0, 0, &x0, &y0);
  vt_viewport_to_l0(view, view->width_px, view->height_px, &x1, &y1);
  x0 = MAX(floor(x0), 0);
  y0 = MAX(floor(y0), 0);
  x1 = MIN(ceil(x1), (double)width_l0);
  y1 = MIN(ceil(y1), (double)height_l0);
  if (x1 <= x0 || y1 <= y0)
    return FALSE;
  *x = (gint64)x0;
  *y = (gint64)y0;
  *width = (gint64)(x1 - x0);
  *height = (gint64)(y1 - y0);
  return TRUE;
}
