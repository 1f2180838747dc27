/* SPDX-License-Identifier: MIT */
#include "common/vt-viewport.h"

#include <math.h>

/* A small slide, too, can be seen at 1x, if more than a dot remains. */
#define DOWNSAMPLE_OF_1X 40 /* of a 40x scan */
#define SMALLEST_PX 100

gboolean
vt_viewport_equal(const VtViewport *a, const VtViewport *b)
{
  return a->centre_x_l0 == b->centre_x_l0 && a->centre_y_l0 == b->centre_y_l0 && a->downsample == b->downsample
         && a->width_px == b->width_px && a->height_px == b->height_px && a->angle == b->angle
         && a->mirrored == b->mirrored;
}

gboolean
vt_viewport_is_upright(const VtViewport *view)
{
  return view->angle == 0 && !view->mirrored;
}

/* Exact at right angles, so that whole pixels stay whole pixels. */
static void
get_direction(const VtViewport *view, double *cosine, double *sine)
{
  double quarters = view->angle / 90;
  static const double exact[] = { 1, 0, -1, 0 };
  if (quarters == floor(quarters)) {
    int i = (int)quarters & 3;
    *cosine = exact[i];
    *sine = exact[(i + 3) & 3];
  } else {
    *cosine = cos(view->angle * G_PI / 180);
    *sine = sin(view->angle * G_PI / 180);
  }
}

void
vt_viewport_to_l0(const VtViewport *view, double x_px, double y_px, double *x_l0, double *y_l0)
{
  double x = (x_px - view->width_px / 2) * view->downsample, y = (y_px - view->height_px / 2) * view->downsample;
  if (!vt_viewport_is_upright(view)) {
    double c, s, across = x;
    get_direction(view, &c, &s);
    x = c * across + s * y;
    y = c * y - s * across;
    x = view->mirrored ? -x : x;
  }
  *x_l0 = view->centre_x_l0 + x;
  *y_l0 = view->centre_y_l0 + y;
}

void
vt_viewport_from_l0(const VtViewport *view, double x_l0, double y_l0, double *x_px, double *y_px)
{
  double x = (x_l0 - view->centre_x_l0) / view->downsample, y = (y_l0 - view->centre_y_l0) / view->downsample;
  if (!vt_viewport_is_upright(view)) {
    double c, s, across = view->mirrored ? -x : x;
    get_direction(view, &c, &s);
    x = c * across - s * y;
    y = s * across + c * y;
  }
  *x_px = x + view->width_px / 2;
  *y_px = y + view->height_px / 2;
}

static double
normalise(double degrees)
{
  double angle = fmod(degrees, 360);
  return angle < 0 ? fmod(angle + 360, 360) : angle;
}

void
vt_viewport_turn(VtViewport *view, double degrees)
{
  /* A millionth of a degree is nobody's wish, and would cost the exactness of right angles. */
  view->angle = normalise(round((view->angle + degrees) * 1e6) / 1e6);
}

void
vt_viewport_mirror(VtViewport *view)
{
  view->mirrored = !view->mirrored;
  view->angle = normalise(-view->angle);
}

/* How far a rectangle reaches when it is turned like the view. */
static void
get_reach(const VtViewport *view, double width, double height, double *across, double *down)
{
  double c, s;
  get_direction(view, &c, &s);
  *across = fabs(c) * width + fabs(s) * height;
  *down = fabs(s) * width + fabs(c) * height;
}

void
vt_viewport_get_sheet(const VtViewport *view, VtViewport *sheet)
{
  double across, down;
  get_reach(view, view->width_px, view->height_px, &across, &down);
  *sheet = *view;
  sheet->angle = 0;
  sheet->mirrored = FALSE;
  sheet->width_px = ceil(across);
  sheet->height_px = ceil(down);
}

/* The downsample at which an image just fits, with a small margin. */
static double
get_fit(const VtViewport *view, double width_l0, double height_l0)
{
  double across, down;
  get_reach(view, width_l0, height_l0, &across, &down);
  across /= MAX(view->width_px * 0.96, 1);
  down /= MAX(view->height_px * 0.96, 1);
  return MAX(MAX(across, down), VT_VIEWPORT_MIN_DOWNSAMPLE);
}

void
vt_viewport_fit(VtViewport *view, double width_l0, double height_l0)
{
  view->downsample = get_fit(view, width_l0, height_l0);
  view->centre_x_l0 = width_l0 / 2;
  view->centre_y_l0 = height_l0 / 2;
}

void
vt_viewport_pan(VtViewport *view, double dx_px, double dy_px)
{
  vt_viewport_to_l0(view, view->width_px / 2 + dx_px, view->height_px / 2 + dy_px, &view->centre_x_l0,
                    &view->centre_y_l0);
}

void
vt_viewport_put(VtViewport *view, double x_l0, double y_l0, double x_px, double y_px)
{
  double there_x_l0, there_y_l0;
  vt_viewport_to_l0(view, x_px, y_px, &there_x_l0, &there_y_l0);
  view->centre_x_l0 += x_l0 - there_x_l0;
  view->centre_y_l0 += y_l0 - there_y_l0;
}

void
vt_viewport_zoom_at(VtViewport *view, double downsample, double x_px, double y_px)
{
  double x_l0, y_l0;
  vt_viewport_to_l0(view, x_px, y_px, &x_l0, &y_l0);
  view->downsample = downsample;
  vt_viewport_put(view, x_l0, y_l0, x_px, y_px);
}

void
vt_viewport_clamp(VtViewport *view, double width_l0, double height_l0)
{
  double smallest = MIN(MAX(width_l0, height_l0) / SMALLEST_PX, DOWNSAMPLE_OF_1X);
  double coarsest = MAX(MAX(2 * get_fit(view, width_l0, height_l0), smallest), 1);
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
  double across, down;
  get_reach(view, view->width_px, view->height_px, &across, &down);
  get_span(view->centre_x_l0, across * view->downsample, width_l0, map_width_px, least_px, x_px, box_width_px);
  get_span(view->centre_y_l0, down * view->downsample, height_l0, map_height_px, least_px, y_px, box_height_px);
}

void
vt_viewport_get_seen_l0(const VtViewport *view, double *x0, double *y0, double *x1, double *y1)
{
  *x0 = *y0 = INFINITY;
  *x1 = *y1 = -INFINITY;
  for (int corner = 0; corner < 4; corner++) {
    double x, y;
    vt_viewport_to_l0(view, corner & 1 ? view->width_px : 0, corner & 2 ? view->height_px : 0, &x, &y);
    *x0 = MIN(*x0, x);
    *y0 = MIN(*y0, y);
    *x1 = MAX(*x1, x);
    *y1 = MAX(*y1, y);
  }
}

gboolean
vt_viewport_get_visible_l0(const VtViewport *view, gint64 width_l0, gint64 height_l0, gint64 *x, gint64 *y,
                           gint64 *width, gint64 *height)
{
  double across, down;
  get_reach(view, view->width_px, view->height_px, &across, &down);
  double x0 = view->centre_x_l0 - across / 2 * view->downsample, x1 = view->centre_x_l0 + across / 2 * view->downsample;
  double y0 = view->centre_y_l0 - down / 2 * view->downsample, y1 = view->centre_y_l0 + down / 2 * view->downsample;
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
