/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "panels/vt-plot-draw.h"
#include "panels/vt-scatter-private.h"

#define MARK_PX 7

static gboolean
get_color(gconstpointer of, gsize cell, gboolean is_dark, guint8 rgb[3])
{
  const VtScatterData *data = of;
  if (data->counts[cell] > 0)
    vt_plot_shade_get_color(vt_scatter_get_shade(data->counts[cell], data->most), is_dark, rgb);
  else
    memset(rgb, is_dark ? 96 : 196, 3);
  return data->counts[cell] > 0 || data->others[cell];
}

/* Until the cells of what is seen are counted, those of before stand where they are. */
static void
draw_picture(VtScatter *self, GtkSnapshot *snapshot, const GdkRGBA *ink)
{
  const VtScatterData *data = self->data;
  const double x0 = vt_scatter_get_x(self, data->x.low), x1 = vt_scatter_get_x(self, data->x.high);
  const double y0 = vt_scatter_get_y(self, data->y.high), y1 = vt_scatter_get_y(self, data->y.low);
  vt_plot_picture_draw(&self->picture, GTK_WIDGET(self), snapshot, ink, data->width, data->height, get_color, data,
                       &GRAPHENE_RECT_INIT((float)x0, (float)y0, (float)(x1 - x0), (float)(y1 - y0)));
}

#define FAR_PX 1e4 /* of a place that no screen has */

/* Ends that are infinite, or lie below a logarithmic axis, are far away. */
static double
get_place(double place, double otherwise)
{
  return isnan(place) ? otherwise : CLAMP(place, -FAR_PX, FAR_PX);
}

static void
trace(VtScatter *self, cairo_t *cr, const VtScatterChoice *choice)
{
  if (!choice->is_polygon) {
    const double x0 = get_place(vt_scatter_get_x(self, choice->from_x), -FAR_PX);
    const double x1 = get_place(vt_scatter_get_x(self, choice->to_x), -FAR_PX);
    const double y0 = get_place(vt_scatter_get_y(self, choice->to_y), FAR_PX);
    const double y1 = get_place(vt_scatter_get_y(self, choice->from_y), FAR_PX);
    cairo_rectangle(cr, x0, y0, x1 - x0, y1 - y0);
    return;
  }
  for (guint i = 0; i + 1 < choice->points->len; i += 2)
    cairo_line_to(cr, vt_scatter_get_x(self, g_array_index(choice->points, double, i)),
                  vt_scatter_get_y(self, g_array_index(choice->points, double, i + 1)));
  cairo_close_path(cr);
}

static void
draw_choice(VtScatter *self, GtkSnapshot *snapshot, const graphene_rect_t *area, const GdkRGBA *ink)
{
  cairo_t *cr = gtk_snapshot_append_cairo(snapshot, area);
  trace(self, cr, &self->choice);
  cairo_set_fill_rule(cr, CAIRO_FILL_RULE_EVEN_ODD); /* by which objects are in it */
  cairo_set_source_rgba(cr, ink->red, ink->green, ink->blue, 0.1);
  cairo_fill_preserve(cr);
  gdk_cairo_set_source_rgba(cr, ink);
  cairo_set_line_width(cr, 1.5);
  cairo_stroke(cr);
  cairo_destroy(cr);
}

#define HANDLE_PX 3

static void
draw_handle(VtScatter *self, cairo_t *cr, double value_x, double value_y)
{
  const double x = vt_scatter_get_x(self, value_x), y = vt_scatter_get_y(self, value_y);
  if (isfinite(x) && isfinite(y) && fabs(x) < FAR_PX && fabs(y) < FAR_PX)
    cairo_rectangle(cr, x - HANDLE_PX, y - HANDLE_PX, 2 * HANDLE_PX, 2 * HANDLE_PX);
}

/* Of the chosen gate, by which a hand moves them. */
static void
draw_handles(VtScatter *self, cairo_t *cr, const VtScatterChoice *choice, const GdkRGBA *ink)
{
  cairo_new_path(cr);
  for (guint i = 0; choice->is_polygon && i + 1 < choice->points->len; i += 2)
    draw_handle(self, cr, g_array_index(choice->points, double, i), g_array_index(choice->points, double, i + 1));
  for (guint i = 0; !choice->is_polygon && i < 4; i++)
    draw_handle(self, cr, i & 1 ? choice->to_x : choice->from_x, i & 2 ? choice->to_y : choice->from_y);
  const double paper = vt_plot_shade_is_dark(ink) ? 0 : 1;
  cairo_set_source_rgb(cr, paper, paper, paper);
  cairo_fill_preserve(cr);
  gdk_cairo_set_source_rgba(cr, ink);
  cairo_set_line_width(cr, 1);
  cairo_stroke(cr);
}

/* At the upper left corner of what is seen of the gate, or below the names (graphene_rect_t) that are there. */
static void
draw_gate_name(VtScatter *self, GtkSnapshot *snapshot, const graphene_rect_t *area, const VtPlotGate *gate,
               const double at[2], GArray *names, const GdkRGBA *ink)
{
  g_autoptr(PangoLayout) layout = gtk_widget_create_pango_layout(GTK_WIDGET(self), gate->label);
  const float shade = vt_plot_shade_is_dark(ink) ? 0 : 1;
  const GdkRGBA paper = { shade, shade, shade, 0.7f };
  int width, height;
  pango_layout_get_pixel_size(layout, &width, &height);
  graphene_rect_t place = GRAPHENE_RECT_INIT((float)at[0] - 2, (float)at[1], (float)width + 4, (float)height);
  for (guint i = 0; i < names->len;) {
    const graphene_rect_t *other = &g_array_index(names, graphene_rect_t, i);
    const gboolean is_free = !graphene_rect_intersection(&place, other, NULL);
    place.origin.y = is_free ? place.origin.y : other->origin.y + other->size.height + 1;
    i = is_free ? i + 1 : 0;
  }
  if (place.origin.y > area->origin.y + area->size.height - 8)
    return;
  g_array_append_val(names, place);
  vt_plot_draw_box(snapshot, place.origin.x, place.origin.y, place.size.width, place.size.height, &paper);
  vt_plot_draw_text(GTK_WIDGET(self), snapshot, gate->label, place.origin.x + 2, place.origin.y, 0, ink);
}

static void
draw_gate(VtScatter *self, GtkSnapshot *snapshot, const graphene_rect_t *area, const VtPlotGate *gate, GArray *names,
          const GdkRGBA *ink)
{
  double x0, y0, x1, y1;
  cairo_t *cr = gtk_snapshot_append_cairo(snapshot, area);
  trace(self, cr, &gate->choice);
  cairo_path_extents(cr, &x0, &y0, &x1, &y1);
  for (int i = 0; i < 2; i++) { /* on any colour of cells */
    const double paper = vt_plot_shade_is_dark(ink) ? 0 : 1;
    const double rgb[3] = { (gate->color >> 16 & 255) / 255.0, (gate->color >> 8 & 255) / 255.0,
                            (gate->color & 255) / 255.0 };
    cairo_set_source_rgba(cr, i ? rgb[0] : paper, i ? rgb[1] : paper, i ? rgb[2] : paper, i ? 1 : 0.7);
    cairo_set_line_width(cr, (gate->is_chosen ? 2.5 : 1.5) + (i ? 0 : 2));
    cairo_stroke_preserve(cr);
  }
  if (gate->is_chosen && !vt_plot_is_on_paper(GTK_WIDGET(self)))
    draw_handles(self, cr, &gate->choice, ink);
  cairo_destroy(cr);
  const double at[] = { MAX(x0, area->origin.x) + 4, MAX(y0, area->origin.y) + 2 };
  if (x1 >= area->origin.x && y1 >= area->origin.y && at[0] <= area->origin.x + area->size.width - 8)
    draw_gate_name(self, snapshot, area, gate, at, names, ink);
}

/* A ring with a cross through it, in two colours, so that it is seen on any. */
static void
draw_mark(VtScatter *self, GtkSnapshot *snapshot, const graphene_rect_t *area)
{
  const double x = vt_scatter_get_x(self, self->mark_x), y = vt_scatter_get_y(self, self->mark_y);
  if (!isfinite(x) || !isfinite(y) || fabs(x) > 1e6 || fabs(y) > 1e6)
    return;
  cairo_t *cr = gtk_snapshot_append_cairo(snapshot, area);
  for (int i = 0; i < 2; i++) {
    cairo_set_source_rgba(cr, i, i * 0.87, i * 0.2, 1);
    cairo_set_line_width(cr, i == 0 ? 4 : 2);
    cairo_arc(cr, x, y, MARK_PX, 0, 2 * G_PI);
    cairo_stroke(cr);
  }
  cairo_destroy(cr);
}

void
vt_scatter_snapshot(GtkWidget *widget, GtkSnapshot *snapshot)
{
  VtScatter *self = VT_SCATTER(widget);
  const double width = vt_scatter_get_width(self), height = vt_scatter_get_height(self);
  const graphene_rect_t area = GRAPHENE_RECT_INIT(VT_SCATTER_LEFT, VT_SCATTER_TOP, (float)width, (float)height);
  GdkRGBA ink, pale, accent;
  vt_plot_get_inks(widget, &ink, &pale, &accent);
  vt_plot_draw_box(snapshot, VT_SCATTER_LEFT, VT_SCATTER_TOP + height, width, 1, &pale);
  vt_plot_draw_box(snapshot, VT_SCATTER_LEFT - 1, VT_SCATTER_TOP, 1, height, &pale);
  vt_plot_draw_focus(widget, snapshot);
  if (!self->data || self->data->points->n == 0)
    return;
  gtk_snapshot_push_clip(snapshot, &area);
  draw_picture(self, snapshot, &ink);
  g_autoptr(GArray) names = g_array_new(FALSE, FALSE, sizeof(graphene_rect_t));
  for (guint i = 0; self->gates && i < self->gates->len; i++)
    if (!self->moved || !((const VtPlotGate *)self->gates->pdata[i])->is_chosen)
      draw_gate(self, snapshot, &area, self->gates->pdata[i], names, &ink);
  if (self->moved)
    draw_gate(self, snapshot, &area, self->moved, names, &ink);
  if (self->has_choice)
    draw_choice(self, snapshot, &area, &ink);
  draw_mark(self, snapshot, &area);
  gtk_snapshot_pop(snapshot);
  vt_plot_shade_draw_legend(widget, snapshot, self->data->most, VT_SCATTER_LEFT + width, &ink);
  vt_plot_draw_ticks(widget, snapshot, vt_scatter_get_axis_x(self), VT_SCATTER_LEFT, VT_SCATTER_TOP + height, width,
                     FALSE, &ink);
  vt_plot_draw_ticks(widget, snapshot, vt_scatter_get_axis_y(self), VT_SCATTER_LEFT, VT_SCATTER_TOP + height, height,
                     TRUE, &ink);
  vt_plot_draw_text(widget, snapshot, self->title_x, VT_SCATTER_LEFT + width / 2, VT_SCATTER_TOP + height + 18, 0.5,
                    &ink);
  vt_plot_draw_text(widget, snapshot, self->title_y, 6, 22, 0, &ink);
}
