/* SPDX-License-Identifier: MIT */
#include "panels/vt-boxes.h"

#include <glib/gi18n.h>
#include <math.h>

#include "base/vt-define.h"
#include "panels/vt-plot-draw.h"

#define LEFT 70
#define RIGHT 12
#define TOP 24    /* what the axis is of */
#define BOTTOM 71 /* names, numbers of objects, from where to where they go, what a box means */
#define GROUP_PX 76
#define MOST_BOX_PX 56

struct _VtBoxes {
  GtkWidget parent;
  VtBoxesData *data; /* or NULL */
  char *title;
  double mark;
};

G_DEFINE_FINAL_TYPE(VtBoxes, vt_boxes, GTK_TYPE_WIDGET)

static double
get_height(VtBoxes *self)
{
  return MAX(gtk_widget_get_height(GTK_WIDGET(self)) - TOP - BOTTOM, 1);
}

static double
get_group_width(VtBoxes *self)
{
  return MAX(gtk_widget_get_width(GTK_WIDGET(self)) - LEFT - RIGHT, 1) / (double)MAX(self->data->n, 1);
}

/* What a logarithmic axis does not reach is at its lower end. */
static double
get_y(VtBoxes *self, double value)
{
  return TOP + get_height(self) * (1 - vt_plot_axis_get_part(&self->data->axis, value));
}

/* Whiskers, a box, a line in it. */
static void
draw_box(VtBoxes *self, GtkSnapshot *snapshot, const VtBox *box, double middle, double width, const GdkRGBA *ink,
         const GdkRGBA *accent)
{
  double y[VT_BOX_N];
  GdkRGBA fill = *accent;
  fill.alpha = 0.35f;
  for (guint i = 0; i < VT_BOX_N; i++)
    y[i] = get_y(self, box->quantiles[i]);
  const double left = middle - width / 2, top = y[VT_BOX_UPPER_QUARTILE], bottom = y[VT_BOX_LOWER_QUARTILE];
  vt_plot_draw_box(snapshot, middle - 0.5, y[VT_BOX_HIGH], 1, top - y[VT_BOX_HIGH], ink);
  vt_plot_draw_box(snapshot, middle - 0.5, bottom, 1, y[VT_BOX_LOW] - bottom, ink);
  vt_plot_draw_box(snapshot, middle - width / 4, y[VT_BOX_HIGH] - 0.5, width / 2, 1, ink);
  vt_plot_draw_box(snapshot, middle - width / 4, y[VT_BOX_LOW] - 0.5, width / 2, 1, ink);
  vt_plot_draw_box(snapshot, left, top, width, MAX(bottom - top, 1), &fill);
  vt_plot_draw_box(snapshot, left, top - 0.5, width, 1, ink);
  vt_plot_draw_box(snapshot, left, bottom - 0.5, width, 1, ink);
  vt_plot_draw_box(snapshot, left, top, 1, bottom - top, ink);
  vt_plot_draw_box(snapshot, left + width - 1, top, 1, bottom - top, ink);
  vt_plot_draw_box(snapshot, left, y[VT_BOX_MEDIAN] - 1, width, 2, ink);
}

static void
draw_groups(VtBoxes *self, GtkSnapshot *snapshot, const GdkRGBA *ink, const GdkRGBA *accent)
{
  const double room = get_group_width(self), bottom = TOP + get_height(self);
  for (guint k = 0; k < self->data->n; k++) {
    const VtBox *box = &self->data->boxes[k];
    const double left = LEFT + k * room;
    g_autofree char *count = g_strdup_printf("n = %'u", box->n);
    vt_plot_draw_text_in(GTK_WIDGET(self), snapshot, box->name, left + 2, bottom + 3, room - 4, PANGO_ALIGN_CENTER,
                         ink);
    vt_plot_draw_text_in(GTK_WIDGET(self), snapshot, count, left + 2, bottom + 18, room - 4, PANGO_ALIGN_CENTER, ink);
    if (box->n == 0)
      continue;
    g_autofree char *ends = g_strdup_printf("%.3g – %.3g", box->lowest, box->highest);
    draw_box(self, snapshot, box, left + room / 2, MIN(room * 0.6, MOST_BOX_PX), ink, accent);
    vt_plot_draw_text_in(GTK_WIDGET(self), snapshot, ends, left + 2, bottom + 33, room - 4, PANGO_ALIGN_CENTER, ink);
  }
}

/* Without any the axis is of nothing. */
static gboolean
has_boxes(VtBoxes *self)
{
  gboolean has = FALSE;
  for (guint k = 0; k < self->data->n; k++)
    has |= self->data->boxes[k].n > 0;
  return has;
}

static void
vt_boxes_snapshot(GtkWidget *widget, GtkSnapshot *snapshot)
{
  VtBoxes *self = VT_BOXES(widget);
  const double width = gtk_widget_get_width(widget) - LEFT - RIGHT, height = get_height(self);
  GdkRGBA ink, pale, accent;
  vt_plot_get_inks(widget, &ink, &pale, &accent);
  vt_plot_draw_box(snapshot, LEFT, TOP + height, width, 1, &pale);
  vt_plot_draw_box(snapshot, LEFT - 1, TOP, 1, height, &pale);
  if (!self->data)
    return;
  if (has_boxes(self))
    vt_plot_draw_ticks(widget, snapshot, &self->data->axis, LEFT, TOP + height, height, TRUE, &ink);
  vt_plot_draw_text(widget, snapshot, self->title, 6, 4, 0, &ink);
  draw_groups(self, snapshot, &ink, &accent);
  if (isfinite(self->mark) && self->mark >= self->data->axis.low && self->mark <= self->data->axis.high)
    vt_plot_draw_box(snapshot, LEFT, get_y(self, self->mark) - 0.5, width, 1, &accent);
  vt_plot_draw_text_in(GTK_WIDGET(self), snapshot,
                       _("Box: quartiles, median. Whiskers: 5 and 95 %. Below: n, min – max"), 2, TOP + height + 52,
                       width + LEFT + RIGHT - 4, PANGO_ALIGN_CENTER, &ink);
}

static void
vt_boxes_measure(GtkWidget *widget, GtkOrientation orientation, int for_size, int *minimum, int *natural,
                 int *minimum_baseline, int *natural_baseline)
{
  VtBoxes *self = VT_BOXES(widget);
  const int least = LEFT + RIGHT + GROUP_PX * (int)(self->data ? self->data->n : 0);
  *minimum = orientation == GTK_ORIENTATION_VERTICAL ? 175 : MAX(200, least);
  *natural = orientation == GTK_ORIENTATION_VERTICAL ? 260 : MAX(400, least);
}

static gboolean
on_tooltip(GtkWidget *widget, int x, int y, gboolean keyboard, GtkTooltip *tooltip, gpointer user)
{
  VtBoxes *self = VT_BOXES(widget);
  const double group = self->data && self->data->n > 0 ? floor((x - LEFT) / get_group_width(self)) : -1;
  if (keyboard || group < 0 || group >= self->data->n)
    return FALSE;
  const VtBox *box = &self->data->boxes[(guint)group];
  const double *q = box->quantiles;
  g_autofree char *n = g_strdup_printf("%'u", box->n);
  g_autofree char *text =
    box->n == 0
      ? g_strdup_printf(_("%s: no objects with a number"), box->name)
      : g_strdup_printf(_("%s: %s objects\nHighest: %.5g\n95 %%: %.5g\nUpper quartile: %.5g\nMedian: %.5g\nLower "
                          "quartile: %.5g\n5 %%: %.5g\nLowest: %.5g"),
                        box->name, n, box->highest, q[VT_BOX_HIGH], q[VT_BOX_UPPER_QUARTILE], q[VT_BOX_MEDIAN],
                        q[VT_BOX_LOWER_QUARTILE], q[VT_BOX_LOW], box->lowest);
  gtk_tooltip_set_text(tooltip, text);
  return TRUE;
}

static void
vt_boxes_finalize(GObject *object)
{
  VtBoxes *self = VT_BOXES(object);
  g_clear_pointer(&self->data, vt_boxes_data_free);
  g_free(self->title);
  G_OBJECT_CLASS(vt_boxes_parent_class)->finalize(object);
}

static void
vt_boxes_class_init(VtBoxesClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(klass);
  G_OBJECT_CLASS(klass)->finalize = vt_boxes_finalize;
  widget_class->snapshot = vt_boxes_snapshot;
  widget_class->measure = vt_boxes_measure;
  gtk_widget_class_set_css_name(widget_class, "vt-boxes");
  gtk_widget_class_set_accessible_role(widget_class, GTK_ACCESSIBLE_ROLE_IMG);
}

static void
vt_boxes_init(VtBoxes *self)
{
  self->title = g_strdup("");
  self->mark = NAN;
  g_signal_connect(self, "query-tooltip", G_CALLBACK(on_tooltip), NULL);
  gtk_widget_add_css_class(GTK_WIDGET(self), "caption");
  gtk_widget_add_css_class(GTK_WIDGET(self), "numeric");
  gtk_widget_set_has_tooltip(GTK_WIDGET(self), TRUE);
  gtk_widget_set_overflow(GTK_WIDGET(self), GTK_OVERFLOW_HIDDEN);
}

void
vt_boxes_set(VtBoxes *self, VtBoxesData *data, const char *title)
{
  g_clear_pointer(&self->data, vt_boxes_data_free);
  self->data = data;
  g_free(self->title);
  self->title = g_strdup(title);
  gtk_widget_queue_resize(GTK_WIDGET(self));
}

VT_GETTER(const VtBoxesData *, vt_boxes_get_data, VtBoxes, data)

void
vt_boxes_set_mark(VtBoxes *self, double value)
{
  self->mark = value;
  gtk_widget_queue_draw(GTK_WIDGET(self));
}
