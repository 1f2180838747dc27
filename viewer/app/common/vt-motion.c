/* SPDX-License-Identifier: MIT */
#include "common/vt-motion.h"

#include <math.h>

#define FLICK_WINDOW_MS 100 /* the speed is the mean over this time */
#define FLICK_STILL_MS 60   /* a hand without an event for so long stands still */

double
vt_motion_ease_out(double t)
{
  double rest = 1 - CLAMP(t, 0, 1);
  return 1 - rest * rest * rest;
}

void
vt_motion_mix(const VtViewport *from, const VtViewport *to, double t, VtViewport *view)
{
  *view = *to;
  if (t >= 1)
    return;
  double ratio = to->downsample / from->downsample;
  view->downsample = from->downsample * pow(ratio, t);
  /* A fixed point stays fixed when the centre moves in proportion to the downsample. */
  double share =
    fabs(log(ratio)) < 1e-6 ? t : (view->downsample - from->downsample) / (to->downsample - from->downsample);
  view->centre_x_l0 = from->centre_x_l0 + (to->centre_x_l0 - from->centre_x_l0) * share;
  view->centre_y_l0 = from->centre_y_l0 + (to->centre_y_l0 - from->centre_y_l0) * share;
  /* The shorter way round; a mirror image cannot be turned into the other. */
  view->angle = from->mirrored == to->mirrored ? from->angle : to->angle;
  vt_viewport_turn(view, remainder(to->angle - view->angle, 360) * t);
}

double
vt_motion_glide_way(double ms)
{
  return VT_MOTION_GLIDE_MS / 1000 * (1 - exp(-MAX(ms, 0) / VT_MOTION_GLIDE_MS));
}

double
vt_motion_glide_duration_ms(double speed_px_s)
{
  return speed_px_s > VT_MOTION_REST_PX_S ? VT_MOTION_GLIDE_MS * log(speed_px_s / VT_MOTION_REST_PX_S) : 0;
}

void
vt_flick_add(VtFlick *flick, double ms, double x, double y)
{
  guint i = flick->n++ % VT_FLICK_SAMPLES;
  flick->ms[i] = ms;
  flick->x[i] = x;
  flick->y[i] = y;
}

void
vt_flick_get_speed(const VtFlick *flick, double ms, double *x_px_s, double *y_px_s)
{
  *x_px_s = *y_px_s = 0;
  if (flick->n < 2)
    return;
  guint last = (flick->n - 1) % VT_FLICK_SAMPLES, first = last;
  for (guint back = 1; back < MIN(flick->n, VT_FLICK_SAMPLES); back++) {
    guint i = (flick->n - 1 - back) % VT_FLICK_SAMPLES;
    if (flick->ms[last] - flick->ms[i] > FLICK_WINDOW_MS)
      break;
    first = i;
  }
  double time_ms = flick->ms[last] - flick->ms[first];
  if (ms - flick->ms[last] > FLICK_STILL_MS || time_ms <= 0)
    return;
  *x_px_s = (flick->x[last] - flick->x[first]) / time_ms * 1000;
  *y_px_s = (flick->y[last] - flick->y[first]) / time_ms * 1000;
}
