/* SPDX-License-Identifier: MIT */
#include "panels/vt-plot-draw.h"

#include <math.h>

#include "documents/vt-drawing.h"
#include "documents/vt-page.h"

#define TICK_X_PX 70
#define TICK_Y_PX 36
#define PNG_SCALE 2
#define ON_PAPER "vt-on-paper" /* on a plot while it is drawn for a document */

void
vt_plot_draw_text(GtkWidget *widget, GtkSnapshot *snapshot, const char *text, double x, double y, double at,
                  const GdkRGBA *ink)
{
  g_autoptr(PangoLayout) layout = gtk_widget_create_pango_layout(widget, text);
  int width, height;
  pango_layout_get_pixel_size(layout, &width, &height);
  gtk_snapshot_save(snapshot);
  gtk_snapshot_translate(snapshot, &GRAPHENE_POINT_INIT((float)round(x - at * width), (float)round(y)));
  gtk_snapshot_append_layout(snapshot, layout, ink);
  gtk_snapshot_restore(snapshot);
}

void
vt_plot_draw_text_in(GtkWidget *widget, GtkSnapshot *snapshot, const char *text, double left, double y, double width,
                     PangoAlignment alignment, const GdkRGBA *ink)
{
  g_autoptr(PangoLayout) layout = gtk_widget_create_pango_layout(widget, text);
  pango_layout_set_width(layout, (int)(width * PANGO_SCALE));
  pango_layout_set_ellipsize(layout, PANGO_ELLIPSIZE_END);
  pango_layout_set_alignment(layout, alignment);
  gtk_snapshot_save(snapshot);
  gtk_snapshot_translate(snapshot, &GRAPHENE_POINT_INIT((float)round(left), (float)round(y)));
  gtk_snapshot_append_layout(snapshot, layout, ink);
  gtk_snapshot_restore(snapshot);
}

void
vt_plot_draw_box(GtkSnapshot *snapshot, double x, double y, double width, double height, const GdkRGBA *colour)
{
  gtk_snapshot_append_color(snapshot, colour, &GRAPHENE_RECT_INIT((float)x, (float)y, (float)width, (float)height));
}

void
vt_plot_draw_ticks(GtkWidget *widget, GtkSnapshot *snapshot, const VtPlotAxis *axis, double x, double y, double span,
                   gboolean is_vertical, const GdkRGBA *ink)
{
  double ticks[VT_PLOT_MOST_TICKS];
  const guint n = vt_plot_axis_get_ticks(axis, span / (is_vertical ? TICK_Y_PX : TICK_X_PX), ticks);
  for (guint i = 0; i < n; i++) {
    g_autofree char *text = g_strdup_printf("%.6g", ticks[i]);
    const double at = span * vt_plot_axis_get_part(axis, ticks[i]);
    if (is_vertical)
      vt_plot_draw_box(snapshot, x - 4, y - at, 4, 1, ink);
    else
      vt_plot_draw_box(snapshot, x + at, y, 1, 4, ink);
    vt_plot_draw_text(widget, snapshot, text, is_vertical ? x - 6 : x + at, is_vertical ? y - at - 8 : y + 3,
                      is_vertical ? 1 : 0.5, ink);
  }
}

gboolean
vt_plot_is_on_paper(GtkWidget *widget)
{
  return g_object_get_data(G_OBJECT(widget), ON_PAPER) != NULL;
}

void
vt_plot_get_inks(GtkWidget *widget, GdkRGBA *ink, GdkRGBA *pale, GdkRGBA *accent)
{
  GtkStyleContext *style = gtk_widget_get_style_context(widget);
  gtk_style_context_get_color(style, ink);
  if (vt_plot_is_on_paper(widget)) {
    *ink = (GdkRGBA){ 0.1f, 0.1f, 0.1f, 1 };
    *accent = (GdkRGBA){ 0.1f, 0.33f, 0.7f, 1 };
  } else if (!gtk_style_context_lookup_color(style, "accent_color", accent)) {
    *accent = *ink;
  }
  *pale = *ink;
  pale->alpha *= 0.25f;
}

void
vt_plot_draw_focus(GtkWidget *widget, GtkSnapshot *snapshot)
{
  if (gtk_widget_has_visible_focus(widget) && !vt_plot_is_on_paper(widget))
    gtk_snapshot_render_focus(snapshot, gtk_widget_get_style_context(widget), 1, 1, gtk_widget_get_width(widget) - 2,
                              gtk_widget_get_height(widget) - 2);
}

/* --- as a file --- */

GskRenderNode *
vt_plot_record(GtkWidget *plot)
{
  GtkSnapshot *snapshot = gtk_snapshot_new();
  g_object_set_data(G_OBJECT(plot), ON_PAPER, GINT_TO_POINTER(TRUE));
  GTK_WIDGET_GET_CLASS(plot)->snapshot(plot, snapshot);
  g_object_set_data(G_OBJECT(plot), ON_PAPER, NULL);
  return gtk_snapshot_free_to_node(snapshot);
}

gboolean
vt_plot_save(GtkWidget *plot, const char *note, const char *path, GError **error)
{
  const double width = gtk_widget_get_width(plot), height = gtk_widget_get_height(plot);
  cairo_t *ruler = vt_page_new_ruler();
  const double note_height = vt_page_measure(ruler, VT_PAGE_TEXT, note, width - 12);
  cairo_destroy(ruler);
  VtDrawing *drawing = vt_drawing_new(path, width, ceil(height + note_height + 6), PNG_SCALE, NULL, error);
  g_autoptr(GskRenderNode) node = vt_plot_record(plot);
  if (!drawing)
    return FALSE;
  if (node)
    gsk_render_node_draw(node, vt_drawing_get_cairo(drawing));
  vt_page_text(vt_drawing_get_cairo(drawing), VT_PAGE_TEXT, note, 6, height + 2, width - 12);
  return vt_drawing_close(drawing, error);
}

void
vt_plot_draw_gate_end(GtkSnapshot *snapshot, double x, double top, double bottom, gboolean has_handle,
                      const GdkRGBA *colour, const GdkRGBA *ink)
{
  vt_plot_draw_box(snapshot, x - 0.5, top, 1, bottom - top, colour);
  if (!has_handle)
    return;
  vt_plot_draw_box(snapshot, x - 4, (top + bottom) / 2 - 4, 8, 8, ink);
  vt_plot_draw_box(snapshot, x - 3, (top + bottom) / 2 - 3, 6, 6, colour);
}

void
vt_plot_draw_mark(GtkSnapshot *snapshot, double x, double top, double height, const GdkRGBA *ink)
{
  vt_plot_draw_box(snapshot, x - 0.5, top, 1, height, ink);
  for (int i = 0; i < 5; i++)
    vt_plot_draw_box(snapshot, x - 5 + i, top + i - 5, 10 - 2 * i, 1, ink);
}
