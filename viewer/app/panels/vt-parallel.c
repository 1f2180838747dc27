/* SPDX-License-Identifier: MIT */
#include <glib/gi18n.h>
#include <math.h>

#include "common/vt-signals.h"
#include "base/vt-define.h"
#include "common/vt-test-log.h"
#include "panels/vt-parallel-private.h"

#define NEAR_PX 12    /* so near to an axis a hand takes it */
#define NEAR_END_PX 6 /* so near to an end of a range, that */
#define LEAST_DRAG_PX 3

G_DEFINE_FINAL_TYPE(VtParallel, vt_parallel, GTK_TYPE_WIDGET)

double
vt_parallel_get_gap(VtParallel *self, guint n_axes)
{
  const double room = gtk_widget_get_width(GTK_WIDGET(self)) - 2 * VT_PARALLEL_SIDE;
  return VT_PLOT_CELL_PX * MAX(floor(room / (n_axes - 1) / VT_PLOT_CELL_PX), 2);
}

double
vt_parallel_get_height(VtParallel *self)
{
  const double room = gtk_widget_get_height(GTK_WIDGET(self)) - VT_PARALLEL_TOP - VT_PARALLEL_BOTTOM;
  return VT_PLOT_CELL_PX * MAX(floor(room / VT_PLOT_CELL_PX), 2);
}

void
vt_parallel_get_room(VtParallel *self, guint n_axes, guint *gap, guint *height)
{
  *gap = (guint)(vt_parallel_get_gap(self, n_axes) / VT_PLOT_CELL_PX);
  *height = (guint)(vt_parallel_get_height(self) / VT_PLOT_CELL_PX);
}

double
vt_parallel_get_x(VtParallel *self, guint axis)
{
  return VT_PARALLEL_SIDE + axis * vt_parallel_get_gap(self, self->data->points->n_axes);
}

double
vt_parallel_get_y(VtParallel *self, guint axis, double value)
{
  return VT_PARALLEL_TOP
         + vt_parallel_get_height(self) * (1 - vt_plot_axis_get_part(&self->data->points->axes[axis], value));
}

static double
get_part_at(VtParallel *self, double y)
{
  return 1 - (y - VT_PARALLEL_TOP) / vt_parallel_get_height(self);
}

/* -1: none is so near. */
static gint
find_axis(VtParallel *self, double x)
{
  for (guint k = 0; self->data && k < self->data->points->n_axes; k++)
    if (fabs(x - vt_parallel_get_x(self, k)) <= NEAR_PX)
      return (gint)k;
  return -1;
}

/* --- ranges --- */

static void
changed(VtParallel *self)
{
  gtk_widget_queue_draw(GTK_WIDGET(self));
  g_signal_emit_by_name(self, "choice");
}

static guint
get_length(VtParallel *self)
{
  return (guint)vt_parallel_get_height(self);
}

static void
changed_range(VtParallel *self)
{
  vt_test_log("parallel-range %u %.15g %.15g", self->axis, self->ranges[self->axis].from, self->ranges[self->axis].to);
  changed(self);
}

static void
on_drag_begin(GtkGestureDrag *gesture, double x, double y, VtParallel *self)
{
  const gint axis = find_axis(self, x);
  gtk_widget_grab_focus(GTK_WIDGET(self));
  self->grip.hold = VT_PLOT_NOTHING;
  if (axis < 0) {
    gtk_gesture_set_state(GTK_GESTURE(gesture), GTK_EVENT_SEQUENCE_DENIED);
    return;
  }
  self->axis = (guint)axis;
  self->grip = vt_plot_range_take(&self->ranges[axis], &self->data->points->axes[axis], get_part_at(self, y),
                                  NEAR_END_PX / vt_parallel_get_height(self));
}

static void
on_drag_update(GtkGestureDrag *gesture, double dx, double dy, VtParallel *self)
{
  double x, y;
  if (self->grip.hold == VT_PLOT_NOTHING || !self->data || fabs(dy) < LEAST_DRAG_PX)
    return;
  gtk_gesture_drag_get_start_point(gesture, &x, &y);
  vt_plot_range_move(&self->ranges[self->axis], &self->grip, &self->data->points->axes[self->axis],
                     get_part_at(self, y + dy), get_length(self));
  changed_range(self);
}

static void
on_drag_end(GtkGestureDrag *gesture, double dx, double dy, VtParallel *self)
{
  if (self->grip.hold != VT_PLOT_NOTHING && fabs(dy) < LEAST_DRAG_PX && self->ranges[self->axis].has) {
    self->ranges[self->axis].has = FALSE;
    changed(self);
  }
  self->grip.hold = VT_PLOT_NOTHING;
}

static void
on_motion(GtkEventController *controller, double x, double y, VtParallel *self)
{
  gtk_widget_set_cursor_from_name(GTK_WIDGET(self), find_axis(self, x) >= 0 ? "ns-resize" : NULL);
}

static gboolean
on_key(GtkEventController *controller, guint key, guint code, GdkModifierType state, VtParallel *self)
{
  const double by = key == GDK_KEY_Up ? 0.01 : key == GDK_KEY_Down ? -0.01 : 0;
  const int step = key == GDK_KEY_Right ? 1 : key == GDK_KEY_Left ? -1 : 0;
  if ((state & (GDK_CONTROL_MASK | GDK_ALT_MASK)) || !self->data || (by == 0 && step == 0))
    return FALSE;
  const guint n = self->data->points->n_axes;
  if (step != 0) {
    self->axis = (guint)CLAMP((int)self->axis + step, 0, (int)n - 1);
    vt_test_log("parallel-axis %u", self->axis);
    gtk_widget_queue_draw(GTK_WIDGET(self));
    return TRUE;
  }
  vt_plot_range_step(&self->ranges[self->axis], &self->data->points->axes[self->axis], by,
                     (state & GDK_SHIFT_MASK) != 0, get_length(self));
  changed_range(self);
  return TRUE;
}

static gboolean
on_tooltip(GtkWidget *widget, int x, int y, gboolean keyboard, GtkTooltip *tooltip, gpointer user)
{
  VtParallel *self = VT_PARALLEL(widget);
  const gint axis = keyboard ? -1 : find_axis(self, x);
  if (axis < 0 || self->grip.hold != VT_PLOT_NOTHING)
    return FALSE;
  const VtPlotAxis *of = &self->data->points->axes[axis];
  const VtPlotRange *range = &self->ranges[axis];
  g_autofree char *text =
    range->has ? g_strdup_printf(_("%s: %.5g – %.5g\nA drag moves the range, a click takes it away"),
                                 (char *)self->titles->pdata[axis], range->from, range->to)
               : g_strdup_printf(_("%s: %.5g\nA drag along the axis chooses a range"),
                                 (char *)self->titles->pdata[axis], vt_plot_axis_get_value(of, get_part_at(self, y)));
  gtk_tooltip_set_text(tooltip, text);
  return TRUE;
}

/* --- the widget --- */

static void
vt_parallel_measure(GtkWidget *widget, GtkOrientation orientation, int for_size, int *minimum, int *natural,
                    int *minimum_baseline, int *natural_baseline)
{
  const int n = VT_PARALLEL(widget)->data ? (int)VT_PARALLEL(widget)->data->points->n_axes : VT_PARALLEL_LEAST;
  *minimum = orientation == GTK_ORIENTATION_VERTICAL ? 180 : 2 * VT_PARALLEL_SIDE + 48 * (n - 1);
  *natural = orientation == GTK_ORIENTATION_VERTICAL ? 260 : MAX(400, *minimum);
}

static void
vt_parallel_size_allocate(GtkWidget *widget, int width, int height, int baseline)
{
  g_signal_emit_by_name(widget, "resized");
}

static void
vt_parallel_finalize(GObject *object)
{
  VtParallel *self = VT_PARALLEL(object);
  g_clear_pointer(&self->data, vt_parallel_data_free);
  g_clear_pointer(&self->titles, g_ptr_array_unref);
  g_clear_object(&self->picture.texture);
  G_OBJECT_CLASS(vt_parallel_parent_class)->finalize(object);
}

static void
vt_parallel_class_init(VtParallelClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(klass);
  G_OBJECT_CLASS(klass)->finalize = vt_parallel_finalize;
  widget_class->snapshot = vt_parallel_snapshot;
  widget_class->measure = vt_parallel_measure;
  widget_class->size_allocate = vt_parallel_size_allocate;
  gtk_widget_class_set_css_name(widget_class, "vt-parallel");
  gtk_widget_class_set_accessible_role(widget_class, GTK_ACCESSIBLE_ROLE_IMG);
  vt_signals_new(VT_TYPE_PARALLEL, "choice", "resized", NULL);
}

static gboolean
drop(gpointer plot)
{
  guint n;
  vt_parallel_get_ranges(plot, &n);
  vt_parallel_drop_ranges(plot);
  return n > 0;
}

static void
vt_parallel_init(VtParallel *self)
{
  static const VtPlotHands hands = { .drag_begin = G_CALLBACK(on_drag_begin),
                                     .drag_update = G_CALLBACK(on_drag_update),
                                     .drag_end = G_CALLBACK(on_drag_end),
                                     .motion = G_CALLBACK(on_motion),
                                     .key = G_CALLBACK(on_key),
                                     .tooltip = G_CALLBACK(on_tooltip),
                                     .drop = drop };
  vt_plot_set_up(self, &hands);
}

void
vt_parallel_set(VtParallel *self, VtParallelData *data, GPtrArray *titles)
{
  const guint n_before = self->data ? self->data->points->n_axes : 0;
  g_clear_pointer(&self->data, vt_parallel_data_free);
  g_clear_pointer(&self->titles, g_ptr_array_unref);
  g_clear_object(&self->picture.texture);
  self->data = data;
  self->titles = titles;
  self->axis = data ? MIN(self->axis, data->points->n_axes - 1) : 0;
  if (data && data->points->n_axes != n_before)
    gtk_widget_queue_resize(GTK_WIDGET(self));
  gtk_widget_queue_draw(GTK_WIDGET(self));
}

VT_GETTER(const VtParallelData *, vt_parallel_get_data, VtParallel, data)

void
vt_parallel_set_mark(VtParallel *self, const double *values, guint n)
{
  self->has_mark = values != NULL;
  for (guint k = 0; k < VT_PARALLEL_MOST; k++)
    self->mark[k] = values && k < n ? values[k] : NAN;
  gtk_widget_queue_draw(GTK_WIDGET(self));
}

const VtPlotRange *
vt_parallel_get_ranges(VtParallel *self, guint *n)
{
  *n = 0;
  for (guint k = 0; k < VT_PARALLEL_MOST; k++)
    *n += self->ranges[k].has;
  return self->ranges;
}

void
vt_parallel_set_range(VtParallel *self, guint axis, double from, double to)
{
  g_return_if_fail(axis < VT_PARALLEL_MOST && from <= to);
  self->ranges[axis] = (VtPlotRange){ TRUE, from, to };
  changed(self);
}

void
vt_parallel_drop_ranges(VtParallel *self)
{
  guint n;
  vt_parallel_get_ranges(self, &n);
  for (guint k = 0; k < VT_PARALLEL_MOST; k++)
    self->ranges[k].has = FALSE;
  if (n > 0)
    changed(self);
}
