/* SPDX-License-Identifier: MIT
 *
 * What part of a slide is seen, and how large: pure arithmetic, no widget. `_px` are device pixels of the canvas. */
#pragma once
#include <glib.h>

#define VT_VIEWPORT_MIN_DOWNSAMPLE (1.0 / 32) /* one level-0 pixel as a square of 32 */

typedef struct {
  double centre_x_l0, centre_y_l0;
  double downsample; /* level-0 pixels per device pixel */
  double width_px, height_px;
  double angle;      /* degrees, clockwise on the screen, 0 <= angle < 360 */
  gboolean mirrored; /* left and right exchanged, before turning */
} VtViewport;

gboolean vt_viewport_equal(const VtViewport *a, const VtViewport *b);
void vt_viewport_to_l0(const VtViewport *view, double x_px, double y_px, double *x_l0, double *y_l0);
void vt_viewport_from_l0(const VtViewport *view, double x_l0, double y_l0, double *x_px, double *y_px);
gboolean vt_viewport_is_upright(const VtViewport *view); /* neither turned nor mirrored */
/* Turns about the middle, clockwise. */
void vt_viewport_turn(VtViewport *view, double degrees);
/* Exchanges left and right as they are seen. */
void vt_viewport_mirror(VtViewport *view);
/* The upright view of the same middle that holds all of this one: what is drawn for it, turned about its middle, is what
 * this one shows. */
void vt_viewport_get_sheet(const VtViewport *view, VtViewport *sheet);
/* All of an image, with a small margin. */
void vt_viewport_fit(VtViewport *view, double width_l0, double height_l0);
void vt_viewport_pan(VtViewport *view, double dx_px, double dy_px);
/* Moves it so that a point of the slide lies at a point of the view. */
void vt_viewport_put(VtViewport *view, double x_l0, double y_l0, double x_px, double y_px);
/* Changes the downsample; what lies under (x_px, y_px) stays there. */
void vt_viewport_zoom_at(VtViewport *view, double downsample, double x_px, double y_px);
/* Keeps the middle of the canvas on the image and the downsample sensible, so that the slide cannot be lost. */
void vt_viewport_clamp(VtViewport *view, double width_l0, double height_l0);
/* Where the view (if it is turned: the rectangle around it) lies on a small picture of the whole image, in the picture's pixels and inside it; at least `least_px` on
 * each side, so that it can be seen. */
void vt_viewport_get_box(const VtViewport *view, double width_l0, double height_l0, double map_width_px,
                         double map_height_px, double least_px, double *x_px, double *y_px, double *box_width_px,
                         double *box_height_px);
/* What is seen, also beyond the image (if the view is turned: the rectangle around it). */
void vt_viewport_get_seen_l0(const VtViewport *view, double *x0, double *y0, double *x1, double *y1);
/* The seen part of the image in whole level-0 pixels (if the view is turned: the rectangle around that part); FALSE if nothing of it is seen. */
gboolean vt_viewport_get_visible_l0(const VtViewport *view, gint64 width_l0, gint64 height_l0, gint64 *x, gint64 *y,
                                    gint64 *width, gint64 *height);
