/* SPDX-License-Identifier: MIT */
#include "panels/vt-plot.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

#include "base/vt-define.h"
#include "common/vt-signals.h"
#include "common/vt-test-log.h"
#include "panels/vt-plot-draw.h"
#include "panels/vt-plot-hands.h"

#define LEFT 52   /* numbers of the axis */
#define RIGHT 12  /* half of the last one */
#define TOP 8     /* half of the topmost one */
#define BOTTOM 34 /* two lines */
#define NEAR 6    /* so near to an end of the range a drag takes it */
#define NEAR_CUT 14
#define BAR_PX 6
#define GATE_PX 20 /* a bar and a name */

typedef enum { NOTHING, RANGE, CUT, GATE_LOWER, GATE_UPPER } Held;

struct _VtPlot {
  GtkWidget parent;
  VtPlotData *data; /* or NULL */
  char *title;
  double mark;
  GPtrArray *gates;  /* VtPlotGate; or NULL */
  VtPlotGate *moved; /* the chosen one, as a hand has it; or NULL */
  gboolean has_moved;
  VtPlotRange range;
  Held held;
  VtPlotGrip grip;   /* of the range */
  double held_part;  /* of the axis, where a cut was when it was taken */
  guint n_cuts, cut; /* cut: the one that keys move */
  double cuts[VT_PLOT_MOST_CUTS];
  guint8 colours[VT_PLOT_MOST_CUTS + 1][3];
};

G_DEFINE_FINAL_TYPE(VtPlot, vt_plot, GTK_TYPE_WIDGET)

static double
get_span(VtPlot *self)
{
  return MAX(gtk_widget_get_width(GTK_WIDGET(self)) - LEFT - RIGHT, 1);
}

static gboolean
has_bins(VtPlot *self)
{
  return self->data && self->data->edges->len > 1;
}

static double
get_x(VtPlot *self, double value)
{
  return LEFT + get_span(self) * vt_plot_axis_get_part(&self->data->axis, value);
}

static double
get_part_at(VtPlot *self, double x)
{
  return (x - LEFT) / get_span(self);
}

/* --- drawing --- */

static guint
find_most(VtPlot *self)
{
  guint most = 1;
  for (guint i = 0; i + 1 < self->data->edges->len; i++)
    most = MAX(most, self->data->all[i]);
  return most;
}

static void
draw_bars(VtPlot *self, GtkSnapshot *snapshot, const guint *counts, double top, double height, const GdkRGBA *colour)
{
  for (guint i = 0; i + 1 < self->data->edges->len; i++) {
    const double x0 = get_x(self, g_array_index(self->data->edges, double, i));
    const double x1 = get_x(self, g_array_index(self->data->edges, double, i + 1));
    const double bar = MAX(counts[i] / top * height, 1); /* one object among a million is seen */
    if (counts[i] > 0)
      gtk_snapshot_append_color(
        snapshot, colour,
        &GRAPHENE_RECT_INIT((float)x0, (float)(TOP + height - bar), (float)MAX(x1 - x0 - 1, 1), (float)bar));
  }
}

static void
draw_range(VtPlot *self, GtkSnapshot *snapshot, double height, GdkRGBA colour)
{
  const double x0 = get_x(self, self->range.from), x1 = get_x(self, self->range.to);
  for (int i = 0; i < 2; i++)
    gtk_snapshot_append_color(snapshot, &colour,
                              &GRAPHENE_RECT_INIT((float)(i == 0 ? x0 : x1) - 1, TOP, 2, (float)height));
  colour.alpha *= 0.18f;
  gtk_snapshot_append_color(snapshot, &colour,
                            &GRAPHENE_RECT_INIT((float)x0, TOP, (float)MAX(x1 - x0, 1), (float)height));
}

static GdkRGBA
get_class_colour(VtPlot *self, guint cls)
{
  const guint8 *rgb = self->colours[cls];
  return (GdkRGBA){ rgb[0] / 255.0f, rgb[1] / 255.0f, rgb[2] / 255.0f, 1 };
}

/* In the colours of the classes; a bar that a cut goes through has that of its middle. */
static void
draw_classes(VtPlot *self, GtkSnapshot *snapshot, double top, double height)
{
  for (guint i = 0; i + 1 < self->data->edges->len; i++) {
    const double low = g_array_index(self->data->edges, double, i),
                 high = g_array_index(self->data->edges, double, i + 1);
    const double x0 = get_x(self, low), x1 = get_x(self, high), bar = MAX(self->data->all[i] / top * height, 1);
    guint cls = 0;
    for (guint k = 0; k < self->n_cuts; k++)
      cls += (low + high) / 2 >= self->cuts[k];
    const GdkRGBA colour = get_class_colour(self, cls);
    if (self->data->all[i] > 0)
      vt_plot_draw_box(snapshot, x0, TOP + height - bar, MAX(x1 - x0 - 1, 1), bar, &colour);
  }
}

/* A line in the colour of the text with a grip in that of the class above it; the one that keys move is wider. */
static void
draw_cuts(VtPlot *self, GtkSnapshot *snapshot, double height, const GdkRGBA *ink)
{
  const gboolean has_focus = gtk_widget_has_visible_focus(GTK_WIDGET(self));
  for (guint k = 0; k < self->n_cuts; k++) {
    const double x = get_x(self, self->cuts[k]), width = has_focus && k == self->cut ? 3 : 2;
    const GdkRGBA colour = get_class_colour(self, k + 1);
    vt_plot_draw_box(snapshot, x - width / 2, TOP, width, height, ink);
    vt_plot_draw_box(snapshot, x - 6, 0, 12, TOP + 4, ink);
    vt_plot_draw_box(snapshot, x - 5, 1, 10, TOP + 2, &colour);
  }
}

/* Lines at its ends and a bar between, each gate's a little lower, with its name. */
static void
draw_gates(VtPlot *self, GtkSnapshot *snapshot, double height, const GdkRGBA *ink)
{
  for (guint i = 0; self->gates && i < self->gates->len; i++) {
    const VtPlotGate *own = self->gates->pdata[i], *gate = own->is_chosen && self->moved ? self->moved : own;
    const GdkRGBA colour = { (float)(gate->color >> 16 & 255) / 255, (float)(gate->color >> 8 & 255) / 255,
                             (float)(gate->color & 255) / 255, 1 };
    const double x0 = isfinite(gate->choice.from_x) ? get_x(self, gate->choice.from_x) : LEFT;
    const double x1 = isfinite(gate->choice.to_x) ? get_x(self, gate->choice.to_x) : LEFT + get_span(self);
    const double top = TOP + 4 + GATE_PX * (i % 4);
    for (int end = 0; end < 2; end++)
      if (isfinite(end ? gate->choice.to_x : gate->choice.from_x))
        vt_plot_draw_gate_end(snapshot, end ? x1 : x0, top, TOP + height, gate->is_chosen, &colour, ink);
    vt_plot_draw_box(snapshot, x0, top, MAX(x1 - x0, 1), gate->is_chosen ? 4 : 2, &colour);
    vt_plot_draw_text(GTK_WIDGET(self), snapshot, gate->label,
                      CLAMP((x0 + x1) / 2, LEFT + 40, LEFT + get_span(self) - 40), top + 3, 0.5, ink);
  }
}

static void
vt_plot_snapshot(GtkWidget *widget, GtkSnapshot *snapshot)
{
  VtPlot *self = VT_PLOT(widget);
  const double height = MAX(gtk_widget_get_height(widget) - TOP - BOTTOM, 1);
  GdkRGBA ink, pale, accent;
  vt_plot_get_inks(widget, &ink, &pale, &accent);
  gtk_snapshot_append_color(snapshot, &pale,
                            &GRAPHENE_RECT_INIT(LEFT, (float)(TOP + height), (float)get_span(self), 1));
  vt_plot_draw_focus(widget, snapshot);
  if (!has_bins(self))
    return;
  const double top = vt_plot_round_up(find_most(self));
  g_autofree char *text = g_strdup_printf("%'.0f", top);
  gtk_snapshot_append_color(snapshot, &pale, &GRAPHENE_RECT_INIT(LEFT, TOP, (float)get_span(self), 1));
  vt_plot_draw_text(widget, snapshot, text, LEFT - 6, 0, 1, &ink);
  vt_plot_draw_text(widget, snapshot, "0", LEFT - 6, TOP + height - 9, 1, &ink);
  if (self->n_cuts > 0) {
    draw_classes(self, snapshot, top, height);
  } else {
    draw_bars(self, snapshot, self->data->all, top, height, &pale);
    draw_bars(self, snapshot, self->data->some, top, height, &accent);
  }
  vt_plot_draw_ticks(widget, snapshot, &self->data->axis, LEFT, TOP + height, get_span(self), FALSE, &ink);
  vt_plot_draw_text(widget, snapshot, self->title, LEFT + get_span(self) / 2, TOP + height + 17, 0.5, &ink);
  draw_gates(self, snapshot, height, &ink);
  if (self->range.has && self->n_cuts == 0)
    draw_range(self, snapshot, height, ink);
  draw_cuts(self, snapshot, height, &ink);
  if (vt_plot_data_find_bin(self->data, self->mark) >= 0)
    vt_plot_draw_mark(snapshot, get_x(self, self->mark), TOP, height, &ink);
}

static void
vt_plot_measure(GtkWidget *widget, GtkOrientation orientation, int for_size, int *minimum, int *natural,
                int *minimum_baseline, int *natural_baseline)
{
  *minimum = orientation == GTK_ORIENTATION_VERTICAL ? 140 : 200;
  *natural = orientation == GTK_ORIENTATION_VERTICAL ? 150 : 400;
}

static void
vt_plot_size_allocate(GtkWidget *widget, int width, int height, int baseline)
{
  g_signal_emit_by_name(widget, "resized");
}

/* --- the range --- */

static void
changed(VtPlot *self)
{
  gtk_widget_queue_draw(GTK_WIDGET(self));
  g_signal_emit_by_name(self, "range");
}

void
vt_plot_set_range(VtPlot *self, double from, double to)
{
  self->range = (VtPlotRange){ TRUE, from, to };
  changed(self);
}

void
vt_plot_drop_range(VtPlot *self)
{
  if (!self->range.has)
    return;
  self->range.has = FALSE;
  changed(self);
}

/* --- the cuts --- */

/* Between its neighbours: classes keep their order. */
static void
move_cut(VtPlot *self, double part)
{
  const guint k = self->cut;
  const double value = vt_plot_axis_snap(&self->data->axis, part, (guint)get_span(self));
  if ((k > 0 && value <= self->cuts[k - 1]) || (k + 1 < self->n_cuts && value >= self->cuts[k + 1])
      || value == self->cuts[k])
    return;
  g_signal_emit_by_name(self, "cut", k, value);
}

static gboolean
find_cut(VtPlot *self, double x, guint *found)
{
  double nearest = NEAR_CUT;
  gboolean is_found = FALSE;
  for (guint k = 0; k < self->n_cuts; k++) {
    const double away = fabs(get_x(self, self->cuts[k]) - x);
    if (away <= nearest) {
      nearest = away;
      *found = k;
      is_found = TRUE;
    }
  }
  return is_found;
}

static void
take_cut(VtPlot *self, double x)
{
  if (!find_cut(self, x, &self->cut))
    return;
  self->held = CUT;
  self->held_part = vt_plot_axis_get_part(&self->data->axis, self->cuts[self->cut]);
  gtk_widget_queue_draw(GTK_WIDGET(self));
  g_signal_emit_by_name(self, "held", TRUE);
}

/* --- the chosen gate --- */

/* Which end of it is there; an end that is nowhere cannot be taken. */
static Held
find_gate_end(VtPlot *self, double x, const VtPlotGate **found)
{
  VT_EACH_OF (const VtPlotGate, gate, self->gates) {
    const double to = gate->choice.to_x, from = gate->choice.from_x;
    *found = gate;
    if (gate->is_chosen && isfinite(to) && fabs(get_x(self, to) - x) <= NEAR)
      return GATE_UPPER;
    if (gate->is_chosen && isfinite(from) && fabs(get_x(self, from) - x) <= NEAR)
      return GATE_LOWER;
  }
  return NOTHING;
}

static gboolean
take_gate(VtPlot *self, double x)
{
  const VtPlotGate *gate = NULL;
  const Held held = find_gate_end(self, x, &gate);
  if (held == NOTHING)
    return FALSE;
  self->held = held;
  self->moved = vt_plot_gate_copy(gate);
  self->has_moved = FALSE;
  return TRUE;
}

/* To a round number, and not past the other end. */
static void
move_gate(VtPlot *self, double x)
{
  VtScatterChoice *c = &self->moved->choice;
  const double value = vt_plot_axis_snap(&self->data->axis, get_part_at(self, x), (guint)get_span(self));
  if (self->held == GATE_UPPER)
    c->to_x = MAX(value, c->from_x);
  else
    c->from_x = MIN(value, c->to_x);
  self->has_moved = TRUE;
  gtk_widget_queue_draw(GTK_WIDGET(self));
}

static void
drop_gate(VtPlot *self)
{
  g_clear_pointer(&self->moved, vt_plot_gate_free);
  gtk_widget_queue_draw(GTK_WIDGET(self));
}

/* Something else has the pointer: nothing has become of the gate. */
static void
on_drag_cancel(GtkGesture *gesture, GdkEventSequence *sequence, VtPlot *self)
{
  self->has_moved = FALSE;
}

static gboolean
press_cut_key(VtPlot *self, guint key)
{
  if (key == GDK_KEY_Up || key == GDK_KEY_Down)
    self->cut = (guint)CLAMP((int)self->cut + (key == GDK_KEY_Up ? 1 : -1), 0, (int)self->n_cuts - 1);
  else if (key == GDK_KEY_Left || key == GDK_KEY_Right)
    move_cut(self,
             vt_plot_axis_get_part(&self->data->axis, self->cuts[self->cut]) + (key == GDK_KEY_Left ? -0.01 : 0.01));
  else
    return FALSE;
  gtk_widget_queue_draw(GTK_WIDGET(self));
  return TRUE;
}

static void
on_motion(GtkEventControllerMotion *controller, double x, double y, VtPlot *self)
{
  guint found = 0;
  const VtPlotGate *gate = NULL;
  const gboolean is_at = has_bins(self) && (find_cut(self, x, &found) || find_gate_end(self, x, &gate) != NOTHING);
  gtk_widget_set_cursor_from_name(GTK_WIDGET(self), is_at ? "col-resize" : NULL);
}

void
vt_plot_set_cuts(VtPlot *self, const double *values, const guint8 (*colours)[3], guint n)
{
  self->n_cuts = MIN(n, VT_PLOT_MOST_CUTS);
  self->cut = MIN(self->cut, MAX(self->n_cuts, 1) - 1);
  for (guint k = 0; k < self->n_cuts; k++)
    self->cuts[k] = values[k];
  for (guint k = 0; k <= self->n_cuts && n > 0; k++)
    memcpy(self->colours[k], colours[k], sizeof self->colours[k]);
  for (guint k = 0; k < self->n_cuts && has_bins(self); k++) { /* all of them are seen */
    VtPlotAxis *axis = &self->data->axis;
    const double edge = 0.05 * (axis->high - axis->low);
    axis->low = axis->low <= values[k] ? axis->low : values[k] - edge;
    axis->high = axis->high >= values[k] ? axis->high : values[k] + edge;
  }
  if (self->n_cuts == VT_PLOT_MOST_CUTS && has_bins(self))
    vt_test_log("cut-place %.0f %.0f %.0f", get_x(self, values[0]), get_x(self, values[1]), get_x(self, values[2]));
  gtk_widget_queue_draw(GTK_WIDGET(self));
}

/* --- hands and keys --- */

static void
on_drag_begin(GtkGestureDrag *gesture, double x, double y, VtPlot *self)
{
  gtk_widget_grab_focus(GTK_WIDGET(self));
  self->held = NOTHING;
  if (!has_bins(self))
    return;
  if (self->n_cuts > 0) {
    take_cut(self, x);
    return;
  }
  if (take_gate(self, x))
    return;
  self->held = RANGE;
  self->grip = vt_plot_range_take(&self->range, &self->data->axis, get_part_at(self, x), NEAR / get_span(self));
}

static void
on_drag_update(GtkGestureDrag *gesture, double dx, double dy, VtPlot *self)
{
  double x, y;
  if (self->held == NOTHING || !has_bins(self) || fabs(dx) < 2)
    return;
  gtk_gesture_drag_get_start_point(gesture, &x, &y);
  if (self->held == CUT) {
    move_cut(self, self->held_part + dx / get_span(self));
  } else if (self->moved) {
    move_gate(self, x + dx);
  } else {
    vt_plot_range_move(&self->range, &self->grip, &self->data->axis, get_part_at(self, x + dx), (guint)get_span(self));
    changed(self);
  }
}

/* A click beside the range drops it. */
static void
on_drag_end(GtkGestureDrag *gesture, double dx, double dy, VtPlot *self)
{
  if (self->held == CUT)
    g_signal_emit_by_name(self, "held", FALSE);
  if (self->moved && self->has_moved)
    g_signal_emit_by_name(self, "gate-moved", self->moved);
  drop_gate(self);
  if (fabs(dx) < 2 && self->held == RANGE && self->grip.hold == VT_PLOT_NEW)
    vt_plot_drop_range(self);
  self->held = NOTHING;
}

static gboolean
on_key(GtkEventController *controller, guint key, guint code, GdkModifierType state, VtPlot *self)
{
  const double by = key == GDK_KEY_Left ? -0.01 : 0.01;
  if (self->n_cuts > 0 && has_bins(self) && !(state & (GDK_CONTROL_MASK | GDK_ALT_MASK)))
    return press_cut_key(self, key);
  if ((key != GDK_KEY_Left && key != GDK_KEY_Right) || (state & (GDK_CONTROL_MASK | GDK_ALT_MASK)) || !has_bins(self))
    return FALSE;
  vt_plot_range_step(&self->range, &self->data->axis, by, (state & GDK_SHIFT_MASK) != 0, (guint)get_span(self));
  changed(self);
  return TRUE;
}

static gboolean
on_tooltip(GtkWidget *widget, int x, int y, gboolean keyboard, GtkTooltip *tooltip, gpointer user)
{
  VtPlot *self = VT_PLOT(widget);
  if (!has_bins(self) || keyboard || self->held != NOTHING || x < LEFT)
    return FALSE;
  const VtPlotData *data = self->data;
  const gint bin = vt_plot_data_find_bin(data, vt_plot_axis_get_value(&data->axis, get_part_at(self, x)));
  if (bin < 0)
    return FALSE;
  g_autofree char *some = g_strdup_printf("%'u", data->some[bin]), *all = g_strdup_printf("%'u", data->all[bin]);
  const double low = g_array_index(data->edges, double, bin), high = g_array_index(data->edges, double, bin + 1);
  g_autofree char *text =
    data->n_passing == data->n_objects
      ? g_strdup_printf(_("%.6g to under %.6g: objects: %s"), low, high, all)
      : g_strdup_printf(_("%.6g to under %.6g: objects: %s, without the filter %s"), low, high, some, all);
  gtk_tooltip_set_text(tooltip, text);
  return TRUE;
}

/* --- the widget --- */

static void
vt_plot_finalize(GObject *object)
{
  VtPlot *self = VT_PLOT(object);
  g_clear_pointer(&self->data, vt_plot_data_free);
  g_clear_pointer(&self->gates, g_ptr_array_unref);
  g_clear_pointer(&self->moved, vt_plot_gate_free);
  g_free(self->title);
  G_OBJECT_CLASS(vt_plot_parent_class)->finalize(object);
}

static void
vt_plot_class_init(VtPlotClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(klass);
  G_OBJECT_CLASS(klass)->finalize = vt_plot_finalize;
  widget_class->snapshot = vt_plot_snapshot;
  widget_class->measure = vt_plot_measure;
  widget_class->size_allocate = vt_plot_size_allocate;
  gtk_widget_class_set_css_name(widget_class, "vt-plot");
  gtk_widget_class_set_accessible_role(widget_class, GTK_ACCESSIBLE_ROLE_IMG);
  vt_signals_new(VT_TYPE_PLOT, "range", "resized", NULL);
  vt_signal_new(VT_TYPE_PLOT, "held", G_TYPE_BOOLEAN, G_TYPE_NONE);
  vt_signal_new(VT_TYPE_PLOT, "cut", G_TYPE_UINT, G_TYPE_DOUBLE, G_TYPE_NONE);
  vt_signal_new(VT_TYPE_PLOT, "gate-moved", G_TYPE_POINTER, G_TYPE_NONE);
}

static gboolean
drop(gpointer plot)
{
  const gboolean has = VT_PLOT(plot)->range.has;
  vt_plot_drop_range(plot);
  return has;
}

static void
vt_plot_init(VtPlot *self)
{
  static const VtPlotHands hands = { .drag_begin = G_CALLBACK(on_drag_begin),
                                     .drag_update = G_CALLBACK(on_drag_update),
                                     .drag_end = G_CALLBACK(on_drag_end),
                                     .drag_cancel = G_CALLBACK(on_drag_cancel),
                                     .motion = G_CALLBACK(on_motion),
                                     .key = G_CALLBACK(on_key),
                                     .tooltip = G_CALLBACK(on_tooltip),
                                     .drop = drop };
  self->title = g_strdup("");
  self->mark = NAN;
  vt_plot_set_up(self, &hands);
}

GtkWidget *
vt_plot_new(void)
{
  return g_object_new(VT_TYPE_PLOT, NULL);
}

void
vt_plot_set(VtPlot *self, VtPlotData *data, const char *title)
{
  g_clear_pointer(&self->data, vt_plot_data_free);
  self->data = data;
  g_free(self->title);
  self->title = g_strdup(title);
  gtk_widget_queue_draw(GTK_WIDGET(self));
}

VT_GETTER(const VtPlotData *, vt_plot_get_data, VtPlot, data)

void
vt_plot_set_gates(VtPlot *self, GPtrArray *gates)
{
  g_clear_pointer(&self->gates, g_ptr_array_unref);
  self->gates = gates;
  gtk_widget_queue_draw(GTK_WIDGET(self));
}

void
vt_plot_set_mark(VtPlot *self, double value)
{
  self->mark = value;
  gtk_widget_queue_draw(GTK_WIDGET(self));
}

guint
vt_plot_get_room(VtPlot *self)
{
  return (guint)MAX(get_span(self) / BAR_PX, 2);
}

gboolean
vt_plot_get_range(VtPlot *self, double *from, double *to)
{
  *from = self->range.from;
  *to = self->range.to;
  return self->range.has;
}
