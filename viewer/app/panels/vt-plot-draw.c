/* SPDX-License-Identifier: MIT */
#include "panels/vt-plot-draw.h"

#include <cairo-pdf.h>
#include <cairo-svg.h>
#include <glib/gi18n.h>
#include <glib/gstdio.h>
#include <math.h>

#include "base/vt-file-private.h"

#define TICK_X_PX 70
#define TICK_Y_PX 36
#define PNG_SCALE 2

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

void
vt_plot_get_inks(GtkWidget *widget, GdkRGBA *ink, GdkRGBA *pale, GdkRGBA *accent)
{
  GtkStyleContext *style = gtk_widget_get_style_context(widget);
  gtk_style_context_get_color(style, ink);
  if (!gtk_style_context_lookup_color(style, "accent_color", accent))
    *accent = *ink;
  *pale = *ink;
  pale->alpha *= 0.25f;
}

/* --- as a file --- */

static void
draw(cairo_surface_t *surface, GtkWidget *plot, PangoLayout *note)
{
  GdkRGBA paper, ink;
  GtkStyleContext *style = gtk_widget_get_style_context(plot);
  GtkSnapshot *snapshot = gtk_snapshot_new();
  GTK_WIDGET_GET_CLASS(plot)->snapshot(plot, snapshot);
  gtk_style_context_get_color(style, &ink);
  gtk_snapshot_translate(snapshot, &GRAPHENE_POINT_INIT(6, (float)gtk_widget_get_height(plot) + 2));
  gtk_snapshot_append_layout(snapshot, note, &ink);
  g_autoptr(GskRenderNode) node = gtk_snapshot_free_to_node(snapshot);
  cairo_t *cr = cairo_create(surface);
  if (!gtk_style_context_lookup_color(style, "window_bg_color", &paper))
    paper = (GdkRGBA){ 1, 1, 1, 1 };
  gdk_cairo_set_source_rgba(cr, &paper);
  cairo_paint(cr);
  if (node)
    gsk_render_node_draw(node, cr);
  cairo_destroy(cr);
}

gboolean
vt_plot_save(GtkWidget *plot, const char *note, const char *path, GError **error)
{
  g_autoptr(PangoLayout) layout = gtk_widget_create_pango_layout(plot, note);
  const int width = gtk_widget_get_width(plot);
  int note_height;
  pango_layout_set_width(layout, (width - 12) * PANGO_SCALE);
  pango_layout_get_pixel_size(layout, NULL, &note_height);
  const int height = gtk_widget_get_height(plot) + note_height + 6;
  g_autofree char *temp = vt_file_dup_temp_path(path);
  const gboolean is_svg = g_str_has_suffix(path, ".svg"), is_pdf = g_str_has_suffix(path, ".pdf");
  cairo_surface_t *surface = is_svg ? cairo_svg_surface_create(temp, width, height)
                             : is_pdf
                               ? cairo_pdf_surface_create(temp, width, height)
                               : cairo_image_surface_create(CAIRO_FORMAT_ARGB32, width * PNG_SCALE, height * PNG_SCALE);
  if (!is_svg && !is_pdf)
    cairo_surface_set_device_scale(surface, PNG_SCALE, PNG_SCALE);
  draw(surface, plot, layout);
  cairo_status_t status = cairo_surface_status(surface);
  if (status == CAIRO_STATUS_SUCCESS && !is_svg && !is_pdf)
    status = cairo_surface_write_to_png(surface, temp);
  cairo_surface_finish(surface);
  if (status == CAIRO_STATUS_SUCCESS)
    status = cairo_surface_status(surface);
  cairo_surface_destroy(surface);
  if (status == CAIRO_STATUS_SUCCESS)
    return vt_file_commit(temp, path, error);
  g_unlink(temp);
  g_set_error(error, VT_ERROR, VITRAIL_READ_FAILED, _("%s can't be written: %s."), path,
              cairo_status_to_string(status));
  return FALSE;
}
