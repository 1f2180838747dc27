/* SPDX-License-Identifier: MIT
 *
 * The view's own movement, on the frame clock: easing to a goal, and gliding on after a hand let go. */
#include <math.h>

#include "canvas/vt-canvas-private.h"

static gboolean
is_animated(VtCanvas *self)
{
  gboolean enabled = FALSE;
  g_object_get(gtk_widget_get_settings(GTK_WIDGET(self)), "gtk-enable-animations", &enabled, NULL);
  return enabled && gtk_widget_get_mapped(GTK_WIDGET(self));
}

static gboolean
glide(VtCanvas *self, double ms)
{
  double duration = vt_motion_glide_duration_ms(hypot(self->glide_x_px_s, self->glide_y_px_s));
  double way = vt_motion_glide_way(MIN(ms, duration));
  VtViewport before = self->view;
  way *= gtk_widget_get_scale_factor(GTK_WIDGET(self));
  self->view = self->motion_from;
  vt_viewport_pan(&self->view, -self->glide_x_px_s * way, -self->glide_y_px_s * way);
  vt_viewport_clamp(&self->view, (double)self->width_l0, (double)self->height_l0);
  /* At the slide's edge it ends early. */
  return ms < duration && (ms <= 0 || !vt_viewport_equal(&self->view, &before));
}

static gboolean
tick(GtkWidget *widget, GdkFrameClock *clock, gpointer user_data)
{
  VtCanvas *self = VT_CANVAS(widget);
  double ms = (double)(gdk_frame_clock_get_frame_time(clock) - self->motion_start_us) / 1000;
  gboolean goes_on;
  if (self->motion == VT_MOTION_GLIDE) {
    goes_on = glide(self, ms);
  } else {
    goes_on = ms < VT_MOTION_EASE_MS;
    vt_motion_mix(&self->motion_from, &self->motion_goal, vt_motion_ease_out(ms / VT_MOTION_EASE_MS), &self->view);
  }
  if (!goes_on) {
    self->motion = VT_MOTION_NONE;
    self->tick_id = 0;
  }
  vt_canvas_view_changed(self);
  return goes_on ? G_SOURCE_CONTINUE : G_SOURCE_REMOVE;
}

static void
start(VtCanvas *self, VtMotion motion)
{
  self->motion = motion;
  self->motion_from = self->view;
  self->motion_start_us = g_get_monotonic_time();
  if (self->tick_id == 0)
    self->tick_id = gtk_widget_add_tick_callback(GTK_WIDGET(self), tick, NULL, NULL);
  vt_canvas_view_changed(self);
}

VtViewport
vt_canvas_get_goal(VtCanvas *self)
{
  return self->motion == VT_MOTION_EASE ? self->motion_goal : self->view;
}

void
vt_canvas_stop(VtCanvas *self)
{
  if (self->tick_id)
    gtk_widget_remove_tick_callback(GTK_WIDGET(self), self->tick_id);
  self->tick_id = 0;
  self->motion = VT_MOTION_NONE;
}

void
vt_canvas_finish(VtCanvas *self)
{
  VtViewport goal = vt_canvas_get_goal(self);
  vt_canvas_stop(self);
  if (vt_viewport_equal(&goal, &self->view))
    return;
  self->view = goal;
  vt_canvas_view_changed(self);
}

void
vt_canvas_ease_to(VtCanvas *self, const VtViewport *goal)
{
  self->motion_goal = *goal;
  if (self->view.width_px > 0)
    vt_viewport_clamp(&self->motion_goal, (double)self->width_l0, (double)self->height_l0);
  /* A hand on the view moves it at once: two movers would fight. */
  if (is_animated(self) && self->drag == VT_DRAG_NONE && !self->pinching && !self->held
      && !vt_viewport_equal(&self->motion_goal, &self->view)) {
    start(self, VT_MOTION_EASE);
    return;
  }
  vt_canvas_stop(self);
  self->view = self->motion_goal;
  vt_canvas_view_changed(self);
}

void
vt_canvas_glide(VtCanvas *self, double x_px_s, double y_px_s)
{
  if (!is_animated(self) || hypot(x_px_s, y_px_s) < VT_MOTION_FLICK_PX_S)
    return;
  self->glide_x_px_s = x_px_s;
  self->glide_y_px_s = y_px_s;
  start(self, VT_MOTION_GLIDE);
}
