/* SPDX-License-Identifier: MIT
 *
 * Two sets of layers over the same slide: those of a pin on one side of a line, those of now on the other, or two pinned stages. The line
 * stays where it is on the screen while the slide moves below it. */
#include "canvas/vt-canvas-wipe.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

#include "base/vt-define.h"
#include "common/vt-test-log.h"
#include "layers/vt-layer.h"

#define ARC_PX 56   /* from the middle to the knob that dissolves */
#define REACH_PX 14 /* how near to a knob a pointer takes it */
#define LINE_REACH_PX 7
#define SNAP 4       /* degrees, to upright and level */
#define TURN_STEP 15 /* degrees, while Shift is held */

VtWipeLine
vt_wipe_line_get(VtCanvas *self)
{
  const VtWipe *wipe = &self->wipe;
  const graphene_size_t size = vt_canvas_get_size(self);
  VtWipeLine line = { size.width, size.height };
  const double radians = wipe->angle * G_PI / 180;
  const gboolean is_plumb = fmod(wipe->angle, 90) == 0;
  line.x = is_plumb ? round(wipe->x * line.width) : wipe->x * line.width;
  line.y = is_plumb ? round(wipe->y * line.height) : wipe->y * line.height;
  line.along_x = is_plumb ? round(sin(radians)) : sin(radians);
  line.along_y = is_plumb ? -round(cos(radians)) : -cos(radians);
  line.to_pin_x = wipe->swapped ? -line.along_y : line.along_y;
  line.to_pin_y = wipe->swapped ? line.along_x : -line.along_x;
  return line;
}

double
vt_wipe_line_get_depth(const VtWipeLine *line, double x, double y)
{
  return (x - line->x) * line->to_pin_x + (y - line->y) * line->to_pin_y;
}

void
vt_wipe_line_get_lever(const VtWipeLine *line, double *x, double *y)
{
  *x = line->x + VT_WIPE_LEVER_PX * line->along_x;
  *y = line->y + VT_WIPE_LEVER_PX * line->along_y;
}

void
vt_wipe_line_get_arc(const VtWipeLine *line, double share, double *x, double *y)
{
  const double turn = share * G_PI / 2;
  *x = line->x + ARC_PX * (-cos(turn) * line->along_x + sin(turn) * line->to_pin_x);
  *y = line->y + ARC_PX * (-cos(turn) * line->along_y + sin(turn) * line->to_pin_y);
}

gboolean
vt_canvas_get_comparing(VtCanvas *self)
{
  return self->wipe.layers && (self->wipe.on || self->wipe.key);
}

GListModel *
vt_canvas_get_others(VtCanvas *self)
{
  return self->wipe.others ? self->wipe.others : self->layers;
}

/* The pin's side, while both are seen or it is seen alone. */
static gboolean
is_pin_at(VtCanvas *self, double x_l0, double y_l0)
{
  const int scale = gtk_widget_get_scale_factor(GTK_WIDGET(self));
  const VtWipeLine line = vt_wipe_line_get(self);
  double x, y;
  if (!vt_canvas_get_comparing(self) || self->wipe.key)
    return vt_canvas_get_comparing(self);
  vt_viewport_from_l0(&self->view, x_l0, y_l0, &x, &y);
  return !self->wipe.is_difference && vt_wipe_line_get_depth(&line, x / scale, y / scale) > 0 && self->wipe.share > 0;
}

gboolean
vt_canvas_shows_pin_at(VtCanvas *self, double x_l0, double y_l0)
{
  return (!self->wipe.others || self->wipe.paused) && is_pin_at(self, x_l0, y_l0);
}

GListModel *
vt_canvas_get_layers_at(VtCanvas *self, double x_l0, double y_l0)
{
  if (!vt_canvas_get_comparing(self))
    return self->layers;
  return is_pin_at(self, x_l0, y_l0) ? self->wipe.layers : vt_canvas_get_others(self);
}

/* --- hands and keys --- */

static gboolean
is_near(double x, double y, double knob_x, double knob_y)
{
  return hypot(x - knob_x, y - knob_y) <= REACH_PX;
}

VtWipePart
vt_canvas_find_wipe(VtCanvas *self, double x, double y)
{
  const VtWipeLine line = vt_wipe_line_get(self);
  double lever_x, lever_y, arc_x, arc_y;
  if (!vt_canvas_get_wipe(self) || self->wipe.is_difference)
    return VT_WIPE_NOTHING;
  vt_wipe_line_get_lever(&line, &lever_x, &lever_y);
  vt_wipe_line_get_arc(&line, self->wipe.share, &arc_x, &arc_y);
  return is_near(x, y, line.x, line.y)                                                              ? VT_WIPE_LINE
         : is_near(x, y, arc_x, arc_y)                                                              ? VT_WIPE_ARC
         : is_near(x, y, lever_x, lever_y)                                                          ? VT_WIPE_LEVER
         : self->tool == VT_TOOL_MOVE && fabs(vt_wipe_line_get_depth(&line, x, y)) <= LINE_REACH_PX ? VT_WIPE_LINE
                                                                                                    : VT_WIPE_NOTHING;
}

char *
vt_canvas_dup_difference(VtCanvas *self)
{
  return g_strdup_printf(_("Difference: black is the same. %s. %s."), self->wipe.pinned, self->wipe.now);
}

static void
say_sides(VtCanvas *self)
{
  const VtWipeLine line = vt_wipe_line_get(self);
  const gboolean is_beside = fabs(line.to_pin_x) >= fabs(line.to_pin_y);
  const gboolean pin_is_first = is_beside ? line.to_pin_x < 0 : line.to_pin_y < 0;
  const char *first = pin_is_first ? self->wipe.pinned : self->wipe.now;
  const char *second = pin_is_first ? self->wipe.now : self->wipe.pinned;
  g_autofree char *text =
    !vt_canvas_get_comparing(self) ? g_strdup("")
    : self->wipe.key               ? g_strdup(self->wipe.pinned)
    : self->wipe.is_difference
      ? vt_canvas_dup_difference(self)
      : g_strdup_printf(is_beside ? _("Left: %s. Right: %s.") : _("Above: %s. Below: %s."), first, second);
  gtk_accessible_update_property(GTK_ACCESSIBLE(self), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, text, -1);
}

static void
show(VtCanvas *self)
{
  const VtWipe *wipe = &self->wipe;
  vt_test_log("wipe %d %d %.4f %.4f %.1f %.2f %d %d %d", wipe->on, wipe->key != 0, wipe->x, wipe->y, wipe->angle,
              wipe->share, wipe->swapped, wipe->is_difference, wipe->paused);
  if (vt_canvas_get_comparing(self))
    vt_test_log("sides %s | %s", wipe->pinned, wipe->now);
  say_sides(self);
  gtk_widget_queue_draw(GTK_WIDGET(self));
  if (self->has_pointer)
    vt_canvas_emit_hover(self);
}

static void
put(VtCanvas *self, double x, double y)
{
  self->wipe.x = CLAMP(x / MAX(gtk_widget_get_width(GTK_WIDGET(self)), 1), 0, 1);
  self->wipe.y = CLAMP(y / MAX(gtk_widget_get_height(GTK_WIDGET(self)), 1), 0, 1);
}

static void
turn_to(VtCanvas *self, double degrees)
{
  const double plumb = round(degrees / 90) * 90;
  degrees = fmod(fabs(degrees - plumb) < SNAP ? plumb : degrees, 360);
  self->wipe.angle = degrees < 0 ? degrees + 360 : degrees;
}

gboolean
vt_canvas_take_wipe(VtCanvas *self, double x, double y)
{
  const VtWipeLine line = vt_wipe_line_get(self);
  self->wipe.taken = vt_canvas_find_wipe(self, x, y);
  self->wipe.grip_x = line.x;
  self->wipe.grip_y = line.y;
  return self->wipe.taken != VT_WIPE_NOTHING;
}

void
vt_canvas_pull_wipe(VtCanvas *self, double x0, double y0, double dx, double dy, gboolean in_steps)
{
  const VtWipeLine line = vt_wipe_line_get(self);
  const double x = x0 + dx - line.x, y = y0 + dy - line.y;
  if (self->wipe.taken == VT_WIPE_LINE) {
    put(self, self->wipe.grip_x + dx, self->wipe.grip_y + dy);
  } else if (self->wipe.taken == VT_WIPE_LEVER) {
    const double degrees = atan2(x, -y) * 180 / G_PI;
    turn_to(self, in_steps ? round(degrees / TURN_STEP) * TURN_STEP : degrees);
  } else {
    const double turn = atan2(x * line.to_pin_x + y * line.to_pin_y, -(x * line.along_x + y * line.along_y));
    self->wipe.share = turn < -3 * G_PI / 4 ? 1 : CLAMP(turn / (G_PI / 2), 0, 1);
  }
  show(self);
}

void
vt_canvas_let_go_of_wipe(VtCanvas *self)
{
  self->wipe.taken = VT_WIPE_NOTHING;
}

gboolean
vt_canvas_get_wipe(VtCanvas *self)
{
  return self->wipe.layers && self->wipe.on;
}

void
vt_canvas_set_wipe(VtCanvas *self, gboolean on)
{
  if (on == self->wipe.on || (on && !self->wipe.layers))
    return;
  self->wipe.on = on;
  self->wipe.is_difference = self->wipe.paused = FALSE;
  vt_canvas_watch_wipe_keys(self, on);
  show(self);
  vt_canvas_notify_comparing(self);
}

VtWipePlace
vt_canvas_get_wipe_place(VtCanvas *self)
{
  const VtWipe *wipe = &self->wipe;
  return (VtWipePlace){
    vt_canvas_get_wipe(self), wipe->is_difference, wipe->swapped, wipe->x, wipe->y, wipe->angle, wipe->share
  };
}

void
vt_canvas_set_wipe_place(VtCanvas *self, const VtWipePlace *place)
{
  VtWipe *wipe = &self->wipe;
  wipe->x = place->x;
  wipe->y = place->y;
  wipe->share = place->share;
  wipe->swapped = place->is_swapped;
  turn_to(self, place->angle);
  vt_canvas_set_wipe(self, place->is_on);
  if (vt_canvas_get_wipe(self) && wipe->is_difference != place->is_difference)
    vt_canvas_toggle_difference(self);
  else
    show(self);
}

gboolean
vt_canvas_get_wipe_paused(VtCanvas *self)
{
  return self->wipe.paused;
}

void
vt_canvas_set_wipe_paused(VtCanvas *self, gboolean paused)
{
  if (self->wipe.paused == paused || !vt_canvas_get_wipe(self))
    return;
  self->wipe.paused = paused;
  show(self);
  vt_canvas_notify_comparing(self);
}

void
vt_canvas_toggle_difference(VtCanvas *self)
{
  self->wipe.is_difference = !self->wipe.is_difference;
  show(self);
}

void
vt_canvas_hold_pin(VtCanvas *self, guint key)
{
  if (self->wipe.key == key || !self->wipe.layers)
    return;
  self->wipe.key = key;
  show(self);
  vt_canvas_notify_comparing(self);
}

void
vt_canvas_move_wipe(VtCanvas *self, double px)
{
  const VtWipeLine line = vt_wipe_line_get(self);
  const double forth = fabs(line.to_pin_x) >= fabs(line.to_pin_y) ? line.to_pin_x : line.to_pin_y;
  const double step = forth > 0 ? px : -px;
  put(self, line.x + step * line.to_pin_x, line.y + step * line.to_pin_y);
  show(self);
}

void
vt_canvas_turn_wipe(VtCanvas *self, double degrees)
{
  turn_to(self, self->wipe.angle + degrees);
  show(self);
}

void
vt_canvas_dissolve_wipe(VtCanvas *self, double step)
{
  self->wipe.share = CLAMP(round((self->wipe.share + step) * 100) / 100, 0, 1);
  show(self);
}

void
vt_canvas_swap_wipe(VtCanvas *self)
{
  self->wipe.swapped = !self->wipe.swapped;
  show(self);
}

void
vt_canvas_centre_wipe(VtCanvas *self)
{
  const double x = self->has_pointer ? self->pointer_x : gtk_widget_get_width(GTK_WIDGET(self)) / 2.0;
  const double y = self->has_pointer ? self->pointer_y : gtk_widget_get_height(GTK_WIDGET(self)) / 2.0;
  put(self, x, y);
  show(self);
}

/* --- what is compared --- */

static void
take_layers(VtCanvas *self, GListModel **place, GListModel *layers)
{
  if (*place == layers)
    return;
  if (*place)
    vt_canvas_unwatch_layers(self, *place);
  g_set_object(place, layers);
  if (layers)
    vt_canvas_watch_layers(self, layers);
}

void
vt_canvas_set_pin(VtCanvas *self, GListModel *layers, GListModel *others)
{
  VtWipe *wipe = &self->wipe;
  if (wipe->layers == layers && wipe->others == others)
    return;
  take_layers(self, &wipe->layers, layers);
  take_layers(self, &wipe->others, others);
  wipe->key = 0;
  wipe->paused = FALSE; /* it was the picture of another pin */
  if (!layers && wipe->on) {
    wipe->on = FALSE;
    vt_canvas_watch_wipe_keys(self, FALSE);
    show(self);
  }
  vt_canvas_notify_comparing(self);
}

void
vt_canvas_set_pin_area(VtCanvas *self, const double box_l0[4])
{
  const gboolean has_area = box_l0 != NULL;
  if (self->wipe.has_area == has_area && (!has_area || memcmp(self->wipe.area, box_l0, sizeof self->wipe.area) == 0))
    return;
  self->wipe.has_area = has_area;
  if (has_area)
    memcpy(self->wipe.area, box_l0, sizeof self->wipe.area);
  gtk_widget_queue_draw(GTK_WIDGET(self));
}

void
vt_canvas_set_side_words(VtCanvas *self, const char *pinned, const char *now)
{
  if (g_strcmp0(pinned, self->wipe.pinned) == 0 && g_strcmp0(now, self->wipe.now) == 0)
    return;
  g_free(self->wipe.pinned);
  g_free(self->wipe.now);
  self->wipe.pinned = g_strdup(pinned);
  self->wipe.now = g_strdup(now);
  if (vt_canvas_get_comparing(self))
    show(self);
}

void
vt_canvas_init_wipe(VtCanvas *self)
{
  self->wipe = (VtWipe){ .x = 0.5, .y = 0.5, .share = 1, .pinned = g_strdup(""), .now = g_strdup("") };
}

void
vt_canvas_clear_wipe(VtCanvas *self)
{
  vt_canvas_watch_wipe_keys(self, FALSE);
  g_clear_object(&self->wipe.layers);
  g_clear_object(&self->wipe.others);
  g_clear_pointer(&self->wipe.pinned, g_free);
  g_clear_pointer(&self->wipe.now, g_free);
}
