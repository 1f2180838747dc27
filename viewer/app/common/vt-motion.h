/* SPDX-License-Identifier: MIT
 *
 * How a view moves by itself: pure functions of time, so that the path does not depend on the number of frames. */
#pragma once
#include "common/vt-viewport.h"

#define VT_MOTION_EASE_MS 160.0    /* zooming and jumping */
#define VT_MOTION_GLIDE_MS 250.0   /* the speed of a glide falls to 1/e in this time */
#define VT_MOTION_REST_PX_S 20.0   /* slower than this is at rest; logical pixels */
#define VT_MOTION_FLICK_PX_S 120.0 /* a slower hand means to stop */

/* Cubic ease-out; 0 to 1, clamped. */
double vt_motion_ease_out(double t);
/* Between two views of one size: the downsample geometrically, and whatever point both show at the same place stays
 * there. Exactly `from` at 0, `to` at 1. */
void vt_motion_mix(const VtViewport *from, const VtViewport *to, double t, VtViewport *view);
/* The way of a glide after `ms`, as a multiple of its starting speed in pixels per second. */
double vt_motion_glide_way(double ms);
/* How long a glide of that starting speed lasts. */
double vt_motion_glide_duration_ms(double speed_px_s);

/* The speed of a hand, from where it was a moment ago. */
#define VT_FLICK_SAMPLES 16
typedef struct {
  double x[VT_FLICK_SAMPLES], y[VT_FLICK_SAMPLES], ms[VT_FLICK_SAMPLES];
  guint n;
} VtFlick;

void vt_flick_add(VtFlick *flick, double ms, double x, double y);
/* In pixels per second at the time `ms`; 0 if the hand had stopped. */
void vt_flick_get_speed(const VtFlick *flick, double ms, double *x_px_s, double *y_px_s);
