/* SPDX-License-Identifier: MIT */
#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

#include "panels/vt-parallel-private.h"
#include "panels/vt-plot-draw.h"
#include "panels/vt-scatter-data.h"

#define RANGE_PX 5 /* half the width of a range on its axis */

/* Few lines are near to the paper's colour, but differ from it. */
static gboolean
get_color(gconstpointer of, gsize cell, gboolean is_dark, guint8 rgb[3])
{
  const VtParallelData *data = of;
  const double shade = vt_scatter_get_shade(data->counts[cell], data->most), part = 0.3 + 0.7 * shade;
  const guint8 pale = is_dark ? 72 : 214, paper = is_dark ? 40 : 250;
  if (data->counts[cell] == 0)
    memset(rgb, pale, 3);
  else if (!data->rgb)
    vt_plot_shade_get_color(shade, is_dark, rgb);
  else
    for (guint c = 0; c < 3; c++)
      rgb[c] = (guint8)(paper + (data->rgb[3 * cell + c] - paper) * part);
  return data->counts[cell] > 0 || data->others[cell];
}

/* In the middle over its axis, on two lines; what is longer is in the tooltip. */
static void
draw_title(VtParallel *self, GtkSnapshot *snapshot, guint axis, const GdkRGBA *ink)
{
  const double room = MIN(vt_parallel_get_gap(self, self->data->points->n_axes) - 6, 2 * VT_PARALLEL_SIDE + 40);
  const double width = axis == 0 || axis + 1 == self->data->points->n_axes ? MIN(room, 2 * VT_PARALLEL_SIDE - 2) : room;
  g_autoptr(PangoLayout) layout = gtk_widget_create_pango_layout(GTK_WIDGET(self), self->titles->pdata[axis]);
  int height;
  pango_layout_set_width(layout, (int)(width * PANGO_SCALE));
  pango_layout_set_height(layout, -2);
  pango_layout_set_wrap(layout, PANGO_WRAP_WORD_CHAR);
  pango_layout_set_ellipsize(layout, PANGO_ELLIPSIZE_MIDDLE);
  pango_layout_set_alignment(layout, PANGO_ALIGN_CENTER);
  pango_layout_get_pixel_size(layout, NULL, &height);
  gtk_snapshot_save(snapshot);
  gtk_snapshot_translate(snapshot, &GRAPHENE_POINT_INIT((float)round(vt_parallel_get_x(self, axis) - width / 2),
                                                        (float)(VT_PARALLEL_TOP - 16 - height)));
  gtk_snapshot_append_layout(snapshot, layout, ink);
  gtk_snapshot_restore(snapshot);
}

/* Where no line meets it: the ends with their numbers, and ticks between. */
static void
draw_axis(VtParallel *self, GtkSnapshot *snapshot, guint axis, const GdkRGBA *ink)
{
  const VtPlotAxis *of = &self->data->points->axes[axis];
  const double x = vt_parallel_get_x(self, axis), height = vt_parallel_get_height(self);
  double ticks[VT_PLOT_MOST_TICKS];
  g_autofree char *low = g_strdup_printf("%.5g", of->low), *high = g_strdup_printf("%.5g", of->high);
  const guint n = vt_plot_axis_get_ticks(of, 5, ticks);
  vt_plot_draw_box(snapshot, x - 0.5, VT_PARALLEL_TOP, 1, height, ink);
  for (guint i = 0; i < n; i++)
    vt_plot_draw_box(snapshot, x - 3, vt_parallel_get_y(self, axis, ticks[i]) - 0.5, 6, 1, ink);
  vt_plot_draw_text(GTK_WIDGET(self), snapshot, high, x, VT_PARALLEL_TOP - 15, 0.5, ink);
  vt_plot_draw_text(GTK_WIDGET(self), snapshot, low, x, VT_PARALLEL_TOP + height + 2, 0.5, ink);
  draw_title(self, snapshot, axis, ink);
}

static void
draw_range(VtParallel *self, GtkSnapshot *snapshot, guint axis, const GdkRGBA *accent)
{
  const VtPlotRange *range = &self->ranges[axis];
  const double x = vt_parallel_get_x(self, axis), top = vt_parallel_get_y(self, axis, range->to);
  const double bottom = vt_parallel_get_y(self, axis, range->from);
  GdkRGBA fill = *accent;
  fill.alpha *= 0.35f;
  vt_plot_draw_box(snapshot, x - RANGE_PX, top, 2 * RANGE_PX, MAX(bottom - top, 1), &fill);
  vt_plot_draw_box(snapshot, x - RANGE_PX - 2, top - 1, 2 * RANGE_PX + 4, 2, accent);
  vt_plot_draw_box(snapshot, x - RANGE_PX - 2, bottom - 1, 2 * RANGE_PX + 4, 2, accent);
}

/* The selected object. */
static void
draw_mark(VtParallel *self, GtkSnapshot *snapshot, const graphene_rect_t *area)
{
  cairo_t *cr = gtk_snapshot_append_cairo(snapshot, area);
  for (int pass = 0; pass < 2; pass++) {
    gboolean is_on = FALSE;
    for (guint k = 0; k < self->data->points->n_axes; k++) {
      const double x = vt_parallel_get_x(self, k), y = vt_parallel_get_y(self, k, self->mark[k]);
      if (isfinite(self->mark[k]))
        (is_on ? cairo_line_to : cairo_move_to)(cr, x, y);
      is_on = isfinite(self->mark[k]);
    }
    cairo_set_source_rgba(cr, pass, pass * 0.87, pass * 0.2, 1);
    cairo_set_line_width(cr, pass == 0 ? 4 : 2);
    cairo_stroke(cr);
  }
  cairo_destroy(cr);
}

static void
draw_legend(VtParallel *self, GtkSnapshot *snapshot, const GdkRGBA *ink)
{
  const double right = gtk_widget_get_width(GTK_WIDGET(self)) - 8;
  g_autofree char *text =
    g_strdup_printf(_("Colours as on the slide, stronger where more objects are: 1 – %'u"), self->data->most);
  if (self->data->rgb)
    vt_plot_draw_text(GTK_WIDGET(self), snapshot, text, right, 2, 1, ink);
  else
    vt_plot_shade_draw_legend(GTK_WIDGET(self), snapshot, self->data->most, right, ink);
}

void
vt_parallel_snapshot(GtkWidget *widget, GtkSnapshot *snapshot)
{
  VtParallel *self = VT_PARALLEL(widget);
  GdkRGBA ink, pale, accent;
  vt_plot_get_inks(widget, &ink, &pale, &accent);
  vt_plot_draw_focus(widget, snapshot);
  if (!self->data)
    return;
  const guint n = self->data->points->n_axes;
  const float left = (float)vt_parallel_get_x(self, 0), right = (float)vt_parallel_get_x(self, n - 1);
  const float height = (float)vt_parallel_get_height(self);
  vt_plot_picture_draw(&self->picture, widget, snapshot, &ink, self->data->width, self->data->height, get_color,
                       self->data, &GRAPHENE_RECT_INIT(left, VT_PARALLEL_TOP, right - left, height));
  if (self->has_mark)
    draw_mark(self, snapshot, &GRAPHENE_RECT_INIT(0, VT_PARALLEL_TOP, (float)gtk_widget_get_width(widget), height));
  for (guint k = 0; k < n; k++)
    draw_axis(self, snapshot, k, gtk_widget_has_visible_focus(widget) && k == self->axis ? &accent : &ink);
  for (guint k = 0; k < n; k++)
    if (self->ranges[k].has)
      draw_range(self, snapshot, k, &accent);
  draw_legend(self, snapshot, &ink);
}
