/* SPDX-License-Identifier: MIT */
#include "panels/vt-plot-hands.h"

#include <math.h>

#define HANDS "vt-plot-hands" /* on a plot */

static void
connect(gpointer object, const char *name, GCallback handler, gpointer plot)
{
  if (handler)
    g_signal_connect(object, name, handler, plot);
}

void
vt_plot_set_up(gpointer plot, const VtPlotHands *hands)
{
  GtkGesture *drag = gtk_gesture_drag_new();
  GtkEventController *keys = gtk_event_controller_key_new(), *motion = gtk_event_controller_motion_new();
  g_object_set_data(plot, HANDS, (gpointer)hands);
  connect(drag, "drag-begin", hands->drag_begin, plot);
  connect(drag, "drag-update", hands->drag_update, plot);
  connect(drag, "drag-end", hands->drag_end, plot);
  connect(drag, "cancel", hands->drag_cancel, plot);
  connect(motion, "motion", hands->motion, plot);
  connect(keys, "key-pressed", hands->key, plot);
  connect(plot, "query-tooltip", hands->tooltip, plot);
  gtk_widget_add_controller(plot, GTK_EVENT_CONTROLLER(drag));
  gtk_widget_add_controller(plot, motion);
  gtk_widget_add_controller(plot, keys);
  gtk_widget_add_css_class(plot, "caption");
  gtk_widget_add_css_class(plot, "numeric");
  gtk_widget_set_focusable(plot, TRUE);
  gtk_widget_set_has_tooltip(plot, TRUE);
  gtk_widget_set_overflow(plot, GTK_OVERFLOW_HIDDEN);
}

gboolean
vt_plot_take_escape(GtkWidget *focus)
{
  const VtPlotHands *hands = focus ? g_object_get_data(G_OBJECT(focus), HANDS) : NULL;
  return hands && hands->drop(focus);
}

static void
set_range(VtPlotRange *range, const VtPlotAxis *axis, double from, double to, guint n)
{
  *range =
    (VtPlotRange){ TRUE, vt_plot_axis_snap(axis, fmin(from, to), n), vt_plot_axis_snap(axis, fmax(from, to), n) };
}

VtPlotGrip
vt_plot_range_take(const VtPlotRange *range, const VtPlotAxis *axis, double part, double near)
{
  const double at = CLAMP(part, 0, 1);
  if (!range->has)
    return (VtPlotGrip){ VT_PLOT_NEW, at, at, at };
  const double from = vt_plot_axis_get_part(axis, range->from), to = vt_plot_axis_get_part(axis, range->to);
  const VtPlotHold hold = fabs(part - to) <= near     ? VT_PLOT_UPPER
                          : fabs(part - from) <= near ? VT_PLOT_LOWER
                          : part > from && part < to  ? VT_PLOT_BOTH
                                                      : VT_PLOT_NEW;
  return hold == VT_PLOT_NEW ? (VtPlotGrip){ hold, at, at, at } : (VtPlotGrip){ hold, at, from, to };
}

void
vt_plot_range_move(VtPlotRange *range, const VtPlotGrip *grip, const VtPlotAxis *axis, double part, guint n)
{
  double by = part - grip->at;
  if (grip->hold == VT_PLOT_BOTH) /* it keeps its width */
    by = CLAMP(by, -grip->from, 1 - grip->to);
  const gboolean is_lower = grip->hold == VT_PLOT_LOWER || grip->hold == VT_PLOT_BOTH;
  set_range(range, axis, grip->from + (is_lower ? by : 0), grip->to + (grip->hold == VT_PLOT_LOWER ? 0 : by), n);
}

void
vt_plot_range_step(VtPlotRange *range, const VtPlotAxis *axis, double by, gboolean is_lower, guint n)
{
  double from = range->has ? vt_plot_axis_get_part(axis, range->from) : 0;
  double to = range->has ? vt_plot_axis_get_part(axis, range->to) : 1;
  if (is_lower)
    from = CLAMP(from + by, 0, to);
  else
    to = CLAMP(to + by, from, 1);
  set_range(range, axis, from, to, n);
}
