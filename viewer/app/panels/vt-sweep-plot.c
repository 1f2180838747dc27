/* SPDX-License-Identifier: MIT */
#include "panels/vt-sweep-plot.h"

#include <glib/gi18n.h>
#include <math.h>
#include "common/vt-owned.h"
#include "common/vt-signals.h"
#include "common/vt-widgets.h"

#define HEIGHT 68
#define TEXT 20 /* above the curve */

struct _VtSweepPlot {
  GtkWidget parent;
  GtkRange *slider;
  VtSliderScale scale;
  GArray *points; /* VtSweepPoint; a copy */
  gboolean is_preview;
  char *unit;
};

G_DEFINE_FINAL_TYPE(VtSweepPlot, vt_sweep_plot, GTK_TYPE_WIDGET)

static double
get_x(VtSweepPlot *self, double value)
{
  double left, width;
  vt_range_get_track(GTK_WIDGET(self), self->slider, &left, &width);
  return left + width * vt_slider_scale_get_position(&self->scale, value);
}

static const VtSweepPoint *
get_point(VtSweepPlot *self, guint i)
{
  return &g_array_index(self->points, VtSweepPoint, i);
}

static guint
find_most(VtSweepPlot *self)
{
  guint most = 0;
  for (guint i = 0; i < self->points->len; i++)
    most = MAX(most, get_point(self, i)->n_objects);
  return most;
}

static gboolean
is_drawn(const VtSweepPoint *point, gboolean score)
{
  return point->done && !point->failed && (!score || isfinite(point->f1));
}

static void
draw_curve(VtSweepPlot *self, cairo_t *cr, guint most, double height, gboolean score)
{
  for (guint i = 0; i < self->points->len; i++) {
    const VtSweepPoint *point = get_point(self, i);
    const double part = score ? point->f1 : most > 0 ? (double)point->n_objects / most : 0;
    if (is_drawn(point, score))
      cairo_line_to(cr, get_x(self, point->value), TEXT + (height - TEXT - 2) * (1 - part) + 1);
  }
  cairo_set_line_width(cr, 2);
  cairo_stroke(cr);
  for (guint i = 0; i < self->points->len; i++) {
    const VtSweepPoint *point = get_point(self, i);
    const double part = score ? point->f1 : most > 0 ? (double)point->n_objects / most : 0;
    if (!is_drawn(point, score))
      continue;
    cairo_arc(cr, get_x(self, point->value), TEXT + (height - TEXT - 2) * (1 - part) + 1, 2.5, 0, 2 * G_PI);
    cairo_fill(cr);
  }
}

/* What the ends of the two scales mean. */
static char *
dup_legend(VtSweepPlot *self, guint most, gboolean has_score)
{
  g_autofree char *count = g_strdup_printf("%'u", most);
  g_autofree char *objects = self->is_preview ? g_strdup_printf(_("0 – %s objects in view, preview"), count)
                                              : g_strdup_printf(_("0 – %s objects in view"), count);
  return has_score ? g_strdup_printf(_("%s · dashed: F1 0 – 1"), objects) : g_steal_pointer(&objects);
}

static void
vt_sweep_plot_snapshot(GtkWidget *widget, GtkSnapshot *snapshot)
{
  static const double dashes[] = { 4, 3 };
  VtSweepPlot *self = VT_SWEEP_PLOT(widget);
  const int width = gtk_widget_get_width(widget), height = gtk_widget_get_height(widget);
  GdkRGBA ink;
  gboolean has_score = FALSE;
  gtk_style_context_get_color(gtk_widget_get_style_context(widget), &ink);
  for (guint i = 0; i < self->points->len; i++)
    has_score |= is_drawn(get_point(self, i), TRUE);
  const guint most = find_most(self);
  g_autofree char *legend = dup_legend(self, most, has_score);
  cairo_t *cr = gtk_snapshot_append_cairo(snapshot, &GRAPHENE_RECT_INIT(0, 0, (float)width, (float)height));
  gdk_cairo_set_source_rgba(cr, &ink);
  draw_curve(self, cr, most, height, FALSE);
  if (has_score) {
    cairo_set_dash(cr, dashes, G_N_ELEMENTS(dashes), 0);
    draw_curve(self, cr, most, height, TRUE);
  }
  cairo_set_dash(cr, NULL, 0, 0);
  cairo_set_source_rgba(cr, ink.red, ink.green, ink.blue, 0.5);
  cairo_set_line_width(cr, 1);
  double left, span;
  vt_range_get_track(GTK_WIDGET(self), self->slider, &left, &span);
  const double now = left + span * gtk_range_get_value(self->slider);
  cairo_move_to(cr, now, TEXT);
  cairo_line_to(cr, now, height);
  cairo_stroke(cr);
  cairo_destroy(cr);
  g_autoptr(PangoLayout) layout = gtk_widget_create_pango_layout(widget, legend);
  gtk_snapshot_save(snapshot);
  gtk_snapshot_append_layout(snapshot, layout, &ink);
  gtk_snapshot_restore(snapshot);
}

static const VtSweepPoint *
find_nearest(VtSweepPlot *self, double x)
{
  const VtSweepPoint *nearest = NULL;
  for (guint i = 0; i < self->points->len; i++) {
    const VtSweepPoint *point = get_point(self, i);
    if (is_drawn(point, FALSE)
        && (!nearest || fabs(get_x(self, point->value) - x) < fabs(get_x(self, nearest->value) - x)))
      nearest = point;
  }
  return nearest;
}

/* Owned. */
static char *
dup_words(VtSweepPlot *self, const VtSweepPoint *point)
{
  g_autofree char *value = g_strdup_printf("%.4g%s%s", point->value, *self->unit ? " " : "", self->unit);
  g_autofree char *objects =
    g_strdup_printf(g_dngettext(NULL, "%s: %u object", "%s: %u objects", point->n_objects), value, point->n_objects);
  return isfinite(point->f1) ? g_strdup_printf("%s · F1 %.3f", objects, point->f1) : g_strdup(objects);
}

/* The numbers of the curve, for who does not see it. */
static void
describe(VtSweepPlot *self)
{
  g_autoptr(GString) words = g_string_new(NULL);
  for (guint i = 0; i < self->points->len; i++) {
    g_autofree char *one = is_drawn(get_point(self, i), FALSE) ? dup_words(self, get_point(self, i)) : NULL;
    if (one)
      g_string_append_printf(words, "%s%s", words->len > 0 ? "; " : "", one);
  }
  gtk_accessible_update_property(GTK_ACCESSIBLE(self), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, words->str, -1);
}

static gboolean
on_tooltip(GtkWidget *widget, int x, int y, gboolean keyboard, GtkTooltip *tooltip, gpointer data)
{
  VtSweepPlot *self = VT_SWEEP_PLOT(widget);
  const VtSweepPoint *point = find_nearest(self, x);
  if (!point)
    return FALSE;
  g_autofree char *text = dup_words(self, point);
  gtk_tooltip_set_text(tooltip, text);
  return TRUE;
}

static void
choose(VtSweepPlot *self, double x)
{
  double left, width;
  vt_range_get_track(GTK_WIDGET(self), self->slider, &left, &width);
  g_signal_emit_by_name(self, "chosen", vt_slider_scale_get_value(&self->scale, CLAMP((x - left) / width, 0, 1)));
}

static void
on_drag_begin(GtkGestureDrag *gesture, double x, double y, VtSweepPlot *self)
{
  choose(self, x);
}

static void
on_drag_update(GtkGestureDrag *gesture, double dx, double dy, VtSweepPlot *self)
{
  double x, y;
  gtk_gesture_drag_get_start_point(gesture, &x, &y);
  choose(self, x + dx);
}

static void
vt_sweep_plot_class_init(VtSweepPlotClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(klass);
  VT_OWNS_TO_THE_END(klass, VtSweepPlot, g_array_unref, points);
  VT_OWNS_TO_THE_END(klass, VtSweepPlot, g_free, unit);
  widget_class->snapshot = vt_sweep_plot_snapshot;
  gtk_widget_class_set_css_name(widget_class, "vt-sweep-plot");
  gtk_widget_class_set_accessible_role(widget_class, GTK_ACCESSIBLE_ROLE_IMG);
  vt_signal_new(VT_TYPE_SWEEP_PLOT, "chosen", G_TYPE_DOUBLE, G_TYPE_NONE);
}

static void
vt_sweep_plot_init(VtSweepPlot *self)
{
  GtkGesture *drag = gtk_gesture_drag_new();
  gtk_widget_set_size_request(GTK_WIDGET(self), 60, HEIGHT);
  self->points = g_array_new(FALSE, FALSE, sizeof(VtSweepPoint));
  self->unit = g_strdup("");
  gtk_widget_set_overflow(GTK_WIDGET(self), GTK_OVERFLOW_HIDDEN);
  g_signal_connect(drag, "drag-begin", G_CALLBACK(on_drag_begin), self);
  g_signal_connect(drag, "drag-update", G_CALLBACK(on_drag_update), self);
  gtk_widget_add_controller(GTK_WIDGET(self), GTK_EVENT_CONTROLLER(drag));
  gtk_widget_set_has_tooltip(GTK_WIDGET(self), TRUE);
  g_signal_connect(self, "query-tooltip", G_CALLBACK(on_tooltip), NULL);
}

GtkWidget *
vt_sweep_plot_new(GtkRange *slider, const VtSliderScale *scale)
{
  VtSweepPlot *self = g_object_new(VT_TYPE_SWEEP_PLOT, NULL);
  self->slider = slider;
  self->scale = *scale;
  g_signal_connect_object(slider, "value-changed", G_CALLBACK(gtk_widget_queue_draw), self, G_CONNECT_SWAPPED);
  return GTK_WIDGET(self);
}

void
vt_sweep_plot_set(VtSweepPlot *self, const GArray *points, gboolean is_preview, const char *unit)
{
  g_array_set_size(self->points, 0);
  if (points && points->len > 0)
    g_array_append_vals(self->points, points->data, points->len);
  self->is_preview = is_preview;
  g_free(self->unit);
  self->unit = g_strdup(unit);
  describe(self);
  gtk_widget_queue_draw(GTK_WIDGET(self));
}
