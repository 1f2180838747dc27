/* SPDX-License-Identifier: MIT */
#include "panels/vt-side-list.h"

#include <math.h>

/* The side owns it. */
typedef struct {
  GtkScrolledWindow *side, *list; /* borrowed; the list is NULL once it is gone */
  guint level_id;                 /* both are to be brought to one height; 0: they are */
  gboolean is_laid_out;           /* since then */
  double wheel_px;                /* how far wheels have turned since the last frame */
  guint wheel_id;
} Link;

static void
link_free(gpointer data)
{
  Link *self = data;
  if (self->list && self->wheel_id != 0)
    gtk_widget_remove_tick_callback(GTK_WIDGET(self->list), self->wheel_id);
  g_clear_weak_pointer(&self->list);
  g_free(self);
}

static GtkAdjustment *
get_side(const Link *self)
{
  return gtk_scrolled_window_get_vadjustment(self->side);
}

static GtkAdjustment *
get_list(const Link *self)
{
  return gtk_scrolled_window_get_vadjustment(self->list);
}

static Link *
get_link(GtkWidget *side)
{
  return g_object_get_data(G_OBJECT(side), "vt-side-list");
}

/* The side is where the list is; where the lower bar takes room of the list, the side leaves it, too. Before a layout a list of other rows cannot be
 * scrolled, and in the middle of one it is not laid out anew: so it is done in the frame after the next layout. */
static gboolean
level(GtkWidget *side, GdkFrameClock *clock, gpointer unused)
{
  Link *self = get_link(side);
  if (!self->list)
    return G_SOURCE_REMOVE;
  const int more = (int)(gtk_adjustment_get_page_size(get_side(self)) - gtk_adjustment_get_page_size(get_list(self)));
  if (!self->is_laid_out) {
    self->is_laid_out = TRUE;
    return G_SOURCE_CONTINUE;
  }
  self->level_id = 0;
  gtk_widget_set_margin_bottom(side, MAX(gtk_widget_get_margin_bottom(side) + more, 0));
  gtk_adjustment_set_value(get_side(self), gtk_adjustment_get_value(get_list(self)));
  return G_SOURCE_REMOVE;
}

static void
level_soon(GtkWidget *side)
{
  Link *self = get_link(side);
  if (!self->list)
    return;
  self->is_laid_out = FALSE;
  if (self->level_id == 0 && gtk_widget_get_mapped(GTK_WIDGET(self->side)))
    self->level_id = gtk_widget_add_tick_callback(GTK_WIDGET(self->side), level, NULL, NULL);
}

static void
on_changed(GtkWidget *side)
{
  Link *self = get_link(side);
  if (!self->list)
    return;
  if (gtk_adjustment_get_page_size(get_side(self)) != gtk_adjustment_get_page_size(get_list(self))
      || fabs(gtk_adjustment_get_value(get_side(self)) - gtk_adjustment_get_value(get_list(self))) >= 1)
    level_soon(side);
}

/* In the same frame, as long as there are the same rows. */
static void
on_list_scrolled(GtkWidget *side)
{
  Link *self = get_link(side);
  if (self->list && self->level_id == 0)
    gtk_adjustment_set_value(get_side(self), gtk_adjustment_get_value(get_list(self)));
}

static gboolean
turn(GtkWidget *list, GdkFrameClock *clock, gpointer side)
{
  Link *self = get_link(side);
  gtk_adjustment_set_value(get_list(self), gtk_adjustment_get_value(get_list(self)) + self->wheel_px);
  self->wheel_px = 0;
  self->wheel_id = 0;
  return G_SOURCE_REMOVE;
}

/* Once a frame: a list of GTK 4.8 that is scrolled twice before it is laid out jumps by thousands of rows. */
static gboolean
turn_soon(Link *self, double dy)
{
  const double step = pow(gtk_adjustment_get_page_size(get_list(self)), 2 / 3.0); /* as GTK's own */
  if (dy == 0)
    return GDK_EVENT_PROPAGATE;
  self->wheel_px += dy * step;
  if (self->wheel_id == 0)
    self->wheel_id = gtk_widget_add_tick_callback(GTK_WIDGET(self->list), turn, self->side, NULL);
  return GDK_EVENT_STOP;
}

/* Over the side, too, a wheel turns the list; sideways the side has its own way. */
static gboolean
on_wheel(GtkWidget *side, double dx, double dy)
{
  return turn_soon(get_link(side), dy);
}

/* What a finger or a smooth wheel does comes once a frame, and goes on by itself. With Shift a wheel turns sideways. */
static gboolean
on_list_wheel(GtkEventController *wheel, double dx, double dy, GtkWidget *side)
{
  GdkEvent *event = gtk_event_controller_get_current_event(wheel);
  const gboolean is_smooth = !event || gdk_scroll_event_get_direction(event) == GDK_SCROLL_SMOOTH;
  return is_smooth || (gtk_event_controller_get_current_event_state(wheel) & GDK_SHIFT_MASK)
           ? GDK_EVENT_PROPAGATE
           : turn_soon(get_link(side), dy);
}

/* With Shift a wheel turns sideways, as over the list. */
static gboolean
on_head_wheel(GtkWidget *side, double dx, double dy, GtkEventController *wheel)
{
  return gtk_event_controller_get_current_event_state(wheel) & GDK_SHIFT_MASK ? GDK_EVENT_PROPAGATE
                                                                              : turn_soon(get_link(side), dy);
}

void
vt_side_list_add_head(GtkScrolledWindow *side, GtkWidget *head)
{
  GtkEventController *wheel = gtk_event_controller_scroll_new(GTK_EVENT_CONTROLLER_SCROLL_VERTICAL);
  g_signal_connect_object(wheel, "scroll", G_CALLBACK(on_head_wheel), side, G_CONNECT_SWAPPED);
  gtk_event_controller_set_propagation_phase(wheel, GTK_PHASE_CAPTURE);
  gtk_widget_add_controller(head, wheel);
}

static void
on_clicked(GtkWidget *side, int n_press, double x, double y)
{
  const Link *self = get_link(side);
  GtkWidget *view = gtk_scrolled_window_get_child(self->list), *row = gtk_widget_pick(view, 1, y, GTK_PICK_DEFAULT);
  while (row && row != view && !gtk_widget_grab_focus(row))
    row = gtk_widget_get_parent(row);
}

void
vt_side_list_link(GtkScrolledWindow *side, GtkScrolledWindow *list, GListModel *rows)
{
  Link *self = g_new0(Link, 1);
  GtkGesture *click = gtk_gesture_click_new();
  GtkEventController *wheel = gtk_event_controller_scroll_new(GTK_EVENT_CONTROLLER_SCROLL_BOTH_AXES);
  GtkEventController *list_wheel = gtk_event_controller_scroll_new(GTK_EVENT_CONTROLLER_SCROLL_VERTICAL);
  self->side = side;
  g_set_weak_pointer(&self->list, list);
  g_object_set_data_full(G_OBJECT(side), "vt-side-list", self, link_free);
  g_signal_connect_object(get_side(self), "changed", G_CALLBACK(on_changed), side, G_CONNECT_SWAPPED);
  g_signal_connect_object(get_list(self), "changed", G_CALLBACK(on_changed), side, G_CONNECT_SWAPPED);
  g_signal_connect_object(get_side(self), "value-changed", G_CALLBACK(on_changed), side, G_CONNECT_SWAPPED);
  g_signal_connect_object(get_list(self), "value-changed", G_CALLBACK(on_list_scrolled), side, G_CONNECT_SWAPPED);
  g_signal_connect_object(get_list(self), "value-changed", G_CALLBACK(on_changed), side, G_CONNECT_SWAPPED);
  g_signal_connect_object(rows, "items-changed", G_CALLBACK(level_soon), side, G_CONNECT_SWAPPED);
  g_signal_connect_object(wheel, "scroll", G_CALLBACK(on_wheel), side, G_CONNECT_SWAPPED);
  g_signal_connect_object(click, "pressed", G_CALLBACK(on_clicked), side, G_CONNECT_SWAPPED);
  g_signal_connect_object(list_wheel, "scroll", G_CALLBACK(on_list_wheel), side, 0);
  gtk_event_controller_set_propagation_phase(wheel, GTK_PHASE_CAPTURE);
  gtk_event_controller_set_propagation_phase(list_wheel, GTK_PHASE_CAPTURE);
  gtk_event_controller_set_propagation_phase(GTK_EVENT_CONTROLLER(click), GTK_PHASE_CAPTURE);
  gtk_widget_add_controller(gtk_scrolled_window_get_child(side), wheel);
  gtk_widget_add_controller(gtk_scrolled_window_get_child(list), list_wheel);
  gtk_widget_add_controller(gtk_scrolled_window_get_child(side), GTK_EVENT_CONTROLLER(click));
}
