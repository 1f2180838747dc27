/* SPDX-License-Identifier: MIT */
#include "panels/vt-scatter.h"

#include <glib/gi18n.h>
#include <math.h>

#include "base/vt-define.h"
#include "panels/vt-plot-hands.h"
#include "panels/vt-scatter-private.h"
#include "common/vt-signals.h"

#define ZOOM 1.25       /* a step of the wheel, or of a key */
#define LEAST_SPAN 1e-6 /* of all that there is */
#define HAND_PX 4       /* between corners of what is drawn by hand */
#define MOST_CORNERS 1000

G_DEFINE_FINAL_TYPE(VtScatter, vt_scatter, GTK_TYPE_WIDGET)

/* --- places --- */

/* Whole cells, so that each is as large as the others. */
double
vt_scatter_get_width(VtScatter *self)
{
  guint width, height;
  vt_scatter_get_room(self, &width, &height);
  return width * VT_PLOT_CELL_PX;
}

double
vt_scatter_get_height(VtScatter *self)
{
  guint width, height;
  vt_scatter_get_room(self, &width, &height);
  return height * VT_PLOT_CELL_PX;
}

void
vt_scatter_get_room(VtScatter *self, guint *width, guint *height)
{
  const int x = gtk_widget_get_width(GTK_WIDGET(self)) - VT_SCATTER_LEFT - VT_SCATTER_RIGHT;
  const int y = gtk_widget_get_height(GTK_WIDGET(self)) - VT_SCATTER_TOP - VT_SCATTER_BOTTOM;
  *width = (guint)MAX(x / VT_PLOT_CELL_PX, 1);
  *height = (guint)MAX(y / VT_PLOT_CELL_PX, 1);
}

const VtPlotAxis *
vt_scatter_get_axis_x(VtScatter *self)
{
  return self->has_view ? &self->x : &self->data->points->all_x;
}

const VtPlotAxis *
vt_scatter_get_axis_y(VtScatter *self)
{
  return self->has_view ? &self->y : &self->data->points->all_y;
}

static double
get_share(const VtPlotAxis *axis, double value)
{
  const double low = vt_object_shape_get_place(axis->low, axis->is_log);
  return (vt_object_shape_get_place(value, axis->is_log) - low)
         / (vt_object_shape_get_place(axis->high, axis->is_log) - low);
}

double
vt_scatter_get_x(VtScatter *self, double value)
{
  return VT_SCATTER_LEFT + vt_scatter_get_width(self) * get_share(vt_scatter_get_axis_x(self), value);
}

double
vt_scatter_get_y(VtScatter *self, double value)
{
  return VT_SCATTER_TOP + vt_scatter_get_height(self) * (1 - get_share(vt_scatter_get_axis_y(self), value));
}

double
vt_scatter_get_value_x(VtScatter *self, double x)
{
  const double width = vt_scatter_get_width(self);
  return vt_plot_axis_snap(vt_scatter_get_axis_x(self), (x - VT_SCATTER_LEFT) / width, (guint)width);
}

double
vt_scatter_get_value_y(VtScatter *self, double y)
{
  const double height = vt_scatter_get_height(self);
  return vt_plot_axis_snap(vt_scatter_get_axis_y(self), 1 - (y - VT_SCATTER_TOP) / height, (guint)height);
}

static gboolean
has_points(VtScatter *self)
{
  return self->data && self->data->points->n > 0;
}

/* --- what is seen --- */

/* The part from `from` to `to` of an axis, within all that there is. */
static VtPlotAxis
get_part_of(const VtPlotAxis *axis, const VtPlotAxis *all, double from, double to)
{
  const double low = vt_object_shape_get_place(axis->low, axis->is_log);
  const double high = vt_object_shape_get_place(axis->high, axis->is_log);
  const double first = vt_object_shape_get_place(all->low, axis->is_log);
  const double last = vt_object_shape_get_place(all->high, axis->is_log);
  const double span = CLAMP((to - from) * (high - low), (last - first) * LEAST_SPAN, last - first);
  const double begin = CLAMP(low + (from + to) / 2 * (high - low) - span / 2, first, last - span);
  VtPlotAxis part = { begin, begin + span, axis->is_log };
  if (axis->is_log) {
    part.low = pow(10, begin);
    part.high = pow(10, begin + span);
  }
  if (span >= (last - first) * (1 - 1e-9) || !(part.low < part.high))
    return *all;
  return part;
}

void
vt_scatter_set_view(VtScatter *self, const VtPlotAxis *x, const VtPlotAxis *y)
{
  const VtScatterPoints *points = self->data ? self->data->points : NULL;
  self->has_view = !points || x->low != points->all_x.low || x->high != points->all_x.high
                   || y->low != points->all_y.low || y->high != points->all_y.high;
  self->x = *x;
  self->y = *y;
  gtk_widget_queue_draw(GTK_WIDGET(self));
  g_signal_emit_by_name(self, "view");
}

void
vt_scatter_reset_view(VtScatter *self)
{
  if (!self->has_view)
    return;
  self->has_view = FALSE;
  gtk_widget_queue_draw(GTK_WIDGET(self));
  g_signal_emit_by_name(self, "view");
}

/* Round a place of the widget, which stays where it is; beside the plot one axis alone. */
static void
zoom(VtScatter *self, double x, double y, double factor)
{
  const VtScatterPoints *points = self->data->points;
  const double width = vt_scatter_get_width(self), height = vt_scatter_get_height(self);
  const double at_x = CLAMP((x - VT_SCATTER_LEFT) / width, 0, 1);
  const double at_y = CLAMP(1 - (y - VT_SCATTER_TOP) / height, 0, 1);
  const gboolean only_y = x < VT_SCATTER_LEFT, only_x = !only_y && y > VT_SCATTER_TOP + height;
  const VtPlotAxis *axis_x = vt_scatter_get_axis_x(self), *axis_y = vt_scatter_get_axis_y(self);
  const VtPlotAxis new_x =
    only_y ? *axis_x : get_part_of(axis_x, &points->all_x, at_x - at_x * factor, at_x + (1 - at_x) * factor);
  const VtPlotAxis new_y =
    only_x ? *axis_y : get_part_of(axis_y, &points->all_y, at_y - at_y * factor, at_y + (1 - at_y) * factor);
  vt_scatter_set_view(self, &new_x, &new_y);
}

static gboolean
on_scroll(GtkEventControllerScroll *controller, double dx, double dy, VtScatter *self)
{
  double x, y;
  GdkEvent *event = gtk_event_controller_get_current_event(GTK_EVENT_CONTROLLER(controller));
  GtkNative *native = gtk_widget_get_native(GTK_WIDGET(self));
  if (!has_points(self) || dy == 0 || !event || !gdk_event_get_position(event, &x, &y))
    return FALSE;
  double inset_x, inset_y;
  gtk_native_get_surface_transform(native, &inset_x, &inset_y);
  gtk_widget_translate_coordinates(GTK_WIDGET(native), GTK_WIDGET(self), x - inset_x, y - inset_y, &x, &y);
  zoom(self, x, y, pow(ZOOM, dy));
  return TRUE;
}

/* --- the choice --- */

void
vt_scatter_set_choice(VtScatter *self, const VtScatterChoice *choice)
{
  vt_scatter_choice_clear(&self->choice);
  self->has_choice = TRUE;
  self->choice = *choice;
  self->choice.points = choice->points ? g_array_copy(choice->points) : NULL;
  gtk_widget_queue_draw(GTK_WIDGET(self));
  g_signal_emit_by_name(self, "choice");
}

static void
set_rectangle(VtScatter *self, double x0, double y0, double x1, double y1)
{
  const VtScatterChoice choice = { FALSE, MIN(x0, x1), MAX(x0, x1), MIN(y0, y1), MAX(y0, y1), NULL };
  vt_scatter_set_choice(self, &choice);
}

void
vt_scatter_drop_choice(VtScatter *self)
{
  if (!self->has_choice)
    return;
  vt_scatter_choice_clear(&self->choice);
  self->has_choice = FALSE;
  gtk_widget_queue_draw(GTK_WIDGET(self));
  g_signal_emit_by_name(self, "choice");
}

static void
begin_by_hand(VtScatter *self)
{
  const double start[2] = { vt_scatter_get_value_x(self, self->held_x), vt_scatter_get_value_y(self, self->held_y) };
  vt_scatter_choice_clear(&self->choice);
  self->has_choice = TRUE;
  self->choice = (VtScatterChoice){ .is_polygon = TRUE, .points = g_array_new(FALSE, FALSE, sizeof(double)) };
  g_array_append_vals(self->choice.points, start, 2);
}

static void
draw_by_hand(VtScatter *self, double x, double y)
{
  if (!self->has_choice || !self->choice.is_polygon)
    begin_by_hand(self);
  GArray *points = self->choice.points;
  const double last_x = vt_scatter_get_x(self, g_array_index(points, double, points->len - 2));
  const double last_y = vt_scatter_get_y(self, g_array_index(points, double, points->len - 1));
  if (hypot(x - last_x, y - last_y) < HAND_PX || points->len / 2 == MOST_CORNERS)
    return;
  const double corner[2] = { vt_scatter_get_value_x(self, x), vt_scatter_get_value_y(self, y) };
  g_array_append_vals(points, corner, 2);
  gtk_widget_queue_draw(GTK_WIDGET(self));
  g_signal_emit_by_name(self, "choice");
}

static void
on_drag_begin(GtkGestureDrag *gesture, double x, double y, VtScatter *self)
{
  gtk_widget_grab_focus(GTK_WIDGET(self));
  self->held = VT_SCATTER_NOTHING;
  if (!has_points(self))
    return;
  self->held = x < VT_SCATTER_LEFT                                ? VT_SCATTER_MOVING_Y
               : y > VT_SCATTER_TOP + vt_scatter_get_height(self) ? VT_SCATTER_MOVING_X
                                                                  : VT_SCATTER_CHOOSING;
  self->held_x = x;
  self->held_y = y;
  self->held_axis_x = *vt_scatter_get_axis_x(self);
  self->held_axis_y = *vt_scatter_get_axis_y(self);
  if (self->held == VT_SCATTER_CHOOSING && vt_scatter_take_gate(self, x, y))
    self->held = VT_SCATTER_MOVING_GATE;
  else if (self->held == VT_SCATTER_CHOOSING)
    vt_scatter_drop_choice(self);
}

static void
on_drag_update(GtkGestureDrag *gesture, double dx, double dy, VtScatter *self)
{
  if (self->held == VT_SCATTER_NOTHING || !has_points(self) || hypot(dx, dy) < 2)
    return;
  const VtScatterPoints *points = self->data->points;
  const double by_x = -dx / vt_scatter_get_width(self), by_y = dy / vt_scatter_get_height(self);
  VtPlotAxis seen_x = self->held_axis_x, seen_y = self->held_axis_y;
  if (self->held == VT_SCATTER_MOVING_X)
    seen_x = get_part_of(&seen_x, &points->all_x, by_x, 1 + by_x);
  if (self->held == VT_SCATTER_MOVING_Y)
    seen_y = get_part_of(&seen_y, &points->all_y, by_y, 1 + by_y);
  if (self->held == VT_SCATTER_MOVING_X || self->held == VT_SCATTER_MOVING_Y)
    vt_scatter_set_view(self, &seen_x, &seen_y);
  else if (self->held == VT_SCATTER_MOVING_GATE)
    vt_scatter_move_gate(self, self->held_x + dx, self->held_y + dy);
  else if (self->by_hand)
    draw_by_hand(self, self->held_x + dx, self->held_y + dy);
  else
    set_rectangle(self, vt_scatter_get_value_x(self, self->held_x), vt_scatter_get_value_y(self, self->held_y),
                  vt_scatter_get_value_x(self, self->held_x + dx), vt_scatter_get_value_y(self, self->held_y + dy));
}

/* Two corners are no polygon. */
static void
on_drag_end(GtkGestureDrag *gesture, double dx, double dy, VtScatter *self)
{
  if (self->has_choice && self->choice.is_polygon && self->choice.points->len < 6)
    vt_scatter_drop_choice(self);
  if (self->held == VT_SCATTER_MOVING_GATE && self->has_moved)
    g_signal_emit_by_name(self, "gate-moved", self->moved);
  vt_scatter_drop_gate(self);
  self->held = VT_SCATTER_NOTHING;
}

/* Something else has the pointer: nothing has become of the gate. */
static void
on_drag_cancel(GtkGesture *gesture, GdkEventSequence *sequence, VtScatter *self)
{
  self->has_moved = FALSE;
}

static void
on_motion(GtkEventController *controller, double x, double y, VtScatter *self)
{
  const gboolean is_at = self->held == VT_SCATTER_NOTHING && has_points(self) && vt_scatter_is_at_gate(self, x, y);
  if (self->held == VT_SCATTER_NOTHING)
    gtk_widget_set_cursor_from_name(GTK_WIDGET(self), is_at ? "grab" : NULL);
}

/* By a hundredth of what is seen. Without a rectangle there is one round all that is seen. */
static void
move_by_key(VtScatter *self, double by_x, double by_y, gboolean is_corner)
{
  const VtPlotAxis *x = vt_scatter_get_axis_x(self), *y = vt_scatter_get_axis_y(self);
  const gboolean has = self->has_choice;
  const guint n_x = (guint)vt_scatter_get_width(self), n_y = (guint)vt_scatter_get_height(self);
  double x0 = has ? vt_plot_axis_get_part(x, self->choice.from_x) : 0,
         x1 = has ? vt_plot_axis_get_part(x, self->choice.to_x) : 1;
  double y0 = has ? vt_plot_axis_get_part(y, self->choice.from_y) : 0,
         y1 = has ? vt_plot_axis_get_part(y, self->choice.to_y) : 1;
  if (has && !is_corner) {
    by_x = CLAMP(by_x, -x0, 1 - x1);
    by_y = CLAMP(by_y, -y0, 1 - y1);
    x0 += by_x;
    y0 += by_y;
  }
  x1 = CLAMP(x1 + by_x, x0, 1);
  y1 = CLAMP(y1 + by_y, y0, 1);
  set_rectangle(self, vt_plot_axis_snap(x, x0, n_x), vt_plot_axis_snap(y, y0, n_y), vt_plot_axis_snap(x, x1, n_x),
                vt_plot_axis_snap(y, y1, n_y));
}

static gboolean
on_key(GtkEventController *controller, guint key, guint code, GdkModifierType state, VtScatter *self)
{
  const double middle_x = VT_SCATTER_LEFT + vt_scatter_get_width(self) / 2;
  const double middle_y = VT_SCATTER_TOP + vt_scatter_get_height(self) / 2;
  if ((state & (GDK_CONTROL_MASK | GDK_ALT_MASK)) || !has_points(self))
    return FALSE;
  const double by_x = key == GDK_KEY_Right ? 0.01 : key == GDK_KEY_Left ? -0.01 : 0;
  const double by_y = key == GDK_KEY_Up ? 0.01 : key == GDK_KEY_Down ? -0.01 : 0;
  if (by_x != 0 || by_y != 0) {
    if (!self->has_choice || !self->choice.is_polygon)
      move_by_key(self, by_x, by_y, (state & GDK_SHIFT_MASK) != 0);
    return TRUE;
  }
  if (key == GDK_KEY_plus || key == GDK_KEY_KP_Add || key == GDK_KEY_equal)
    zoom(self, middle_x, middle_y, 1 / ZOOM);
  else if (key == GDK_KEY_minus || key == GDK_KEY_KP_Subtract)
    zoom(self, middle_x, middle_y, ZOOM);
  else if (key == GDK_KEY_Home)
    vt_scatter_reset_view(self);
  else
    return FALSE;
  return TRUE;
}

static gboolean
on_tooltip(GtkWidget *widget, int x, int y, gboolean keyboard, GtkTooltip *tooltip, gpointer user)
{
  VtScatter *self = VT_SCATTER(widget);
  const int col = (x - VT_SCATTER_LEFT) / VT_PLOT_CELL_PX, row = (y - VT_SCATTER_TOP) / VT_PLOT_CELL_PX;
  const VtScatterData *data = self->data;
  if (!has_points(self) || keyboard || self->held != VT_SCATTER_NOTHING || x < VT_SCATTER_LEFT || y < VT_SCATTER_TOP
      || col >= (int)data->width || row >= (int)data->height)
    return FALSE;
  g_autofree char *n = g_strdup_printf("%'u", data->counts[(gsize)row * data->width + (gsize)col]);
  g_autofree char *text =
    g_strdup_printf(_("%s: %.5g\n%s: %.5g\nObjects here: %s"), self->title_x, vt_scatter_get_value_x(self, x),
                    self->title_y, vt_scatter_get_value_y(self, y), n);
  gtk_tooltip_set_text(tooltip, text);
  return TRUE;
}

/* --- the widget --- */

static void
vt_scatter_measure(GtkWidget *widget, GtkOrientation orientation, int for_size, int *minimum, int *natural,
                   int *minimum_baseline, int *natural_baseline)
{
  *minimum = orientation == GTK_ORIENTATION_VERTICAL ? 140 : 200;
  *natural = orientation == GTK_ORIENTATION_VERTICAL ? 260 : 400;
}

static void
vt_scatter_size_allocate(GtkWidget *widget, int width, int height, int baseline)
{
  g_signal_emit_by_name(widget, "view");
}

static void
vt_scatter_finalize(GObject *object)
{
  VtScatter *self = VT_SCATTER(object);
  g_clear_pointer(&self->data, vt_scatter_data_unref);
  g_clear_object(&self->picture.texture);
  vt_scatter_choice_clear(&self->choice);
  g_clear_pointer(&self->gates, g_ptr_array_unref);
  g_clear_pointer(&self->moved, vt_plot_gate_free);
  g_free(self->title_x);
  g_free(self->title_y);
  G_OBJECT_CLASS(vt_scatter_parent_class)->finalize(object);
}

static void
vt_scatter_class_init(VtScatterClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(klass);
  G_OBJECT_CLASS(klass)->finalize = vt_scatter_finalize;
  widget_class->snapshot = vt_scatter_snapshot;
  widget_class->measure = vt_scatter_measure;
  widget_class->size_allocate = vt_scatter_size_allocate;
  gtk_widget_class_set_css_name(widget_class, "vt-scatter");
  gtk_widget_class_set_accessible_role(widget_class, GTK_ACCESSIBLE_ROLE_IMG);
  vt_signals_new(VT_TYPE_SCATTER, "choice", "view", NULL);
  vt_signal_new(VT_TYPE_SCATTER, "gate-moved", G_TYPE_POINTER, G_TYPE_NONE);
}

static gboolean
drop(gpointer plot)
{
  const gboolean has = VT_SCATTER(plot)->has_choice;
  vt_scatter_drop_choice(plot);
  return has;
}

static void
vt_scatter_init(VtScatter *self)
{
  static const VtPlotHands hands = { .drag_begin = G_CALLBACK(on_drag_begin),
                                     .drag_update = G_CALLBACK(on_drag_update),
                                     .drag_end = G_CALLBACK(on_drag_end),
                                     .drag_cancel = G_CALLBACK(on_drag_cancel),
                                     .motion = G_CALLBACK(on_motion),
                                     .key = G_CALLBACK(on_key),
                                     .tooltip = G_CALLBACK(on_tooltip),
                                     .drop = drop };
  GtkEventController *wheel = gtk_event_controller_scroll_new(GTK_EVENT_CONTROLLER_SCROLL_VERTICAL);
  self->title_x = g_strdup("");
  self->title_y = g_strdup("");
  self->mark_x = self->mark_y = NAN;
  vt_plot_set_up(self, &hands);
  g_signal_connect(wheel, "scroll", G_CALLBACK(on_scroll), self);
  gtk_widget_add_controller(GTK_WIDGET(self), wheel);
}

void
vt_scatter_set(VtScatter *self, VtScatterData *data, const char *title_x, const char *title_y)
{
  g_clear_pointer(&self->data, vt_scatter_data_unref);
  g_clear_object(&self->picture.texture);
  self->data = data;
  g_free(self->title_x);
  g_free(self->title_y);
  self->title_x = g_strdup(title_x);
  self->title_y = g_strdup(title_y);
  gtk_widget_queue_draw(GTK_WIDGET(self));
}

VT_GETTER(VtScatterData *, vt_scatter_get_data, VtScatter, data)

void
vt_scatter_set_gates(VtScatter *self, GPtrArray *gates)
{
  g_clear_pointer(&self->gates, g_ptr_array_unref);
  self->gates = gates;
  gtk_widget_queue_draw(GTK_WIDGET(self));
}

void
vt_scatter_forget(VtScatter *self)
{
  self->has_view = FALSE;
  vt_scatter_set_gates(self, NULL);
  vt_scatter_set(self, NULL, "", "");
  vt_scatter_drop_choice(self);
}

void
vt_scatter_set_mark(VtScatter *self, double x, double y)
{
  self->mark_x = x;
  self->mark_y = y;
  gtk_widget_queue_draw(GTK_WIDGET(self));
}

gboolean
vt_scatter_get_view(VtScatter *self, VtPlotAxis *x, VtPlotAxis *y)
{
  *x = self->x;
  *y = self->y;
  return self->has_view;
}

void
vt_scatter_set_by_hand(VtScatter *self, gboolean by_hand)
{
  self->by_hand = by_hand;
}

const VtScatterChoice *
vt_scatter_get_choice(VtScatter *self)
{
  return self->has_choice && (!self->choice.is_polygon || self->choice.points->len >= 6) ? &self->choice : NULL;
}
