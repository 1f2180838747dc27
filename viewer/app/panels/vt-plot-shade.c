/* SPDX-License-Identifier: MIT */
#include "panels/vt-plot-shade.h"

#include "panels/vt-plot-draw.h"
#include "raster/vt-colormap.h"

#define LEGEND_PX 120

/* Few objects are near to the paper's colour, but differ from it. */
void
vt_plot_shade_get_color(double shade, gboolean is_dark, guint8 rgb[3])
{
  vt_colormap_get_color(VT_COLORMAP_VIRIDIS, is_dark ? 0.25 + 0.75 * shade : 0.8 * (1 - shade), rgb);
}

gboolean
vt_plot_shade_is_dark(const GdkRGBA *ink)
{
  return ink->red + ink->green + ink->blue > 1.5f; /* light text */
}

void
vt_plot_shade_put_cell(guint32 *pixels, gsize stride, guint edge, const guint8 rgb[3])
{
  const guint32 word = 0xff000000 | (guint32)rgb[0] << 16 | (guint32)rgb[1] << 8 | rgb[2];
  for (guint row = 0; row < edge; row++)
    for (guint col = 0; col < edge; col++)
      pixels[row * stride + col] = word;
}

void
vt_plot_shade_draw_legend(GtkWidget *widget, GtkSnapshot *snapshot, const char *what, guint most, double right,
                          const GdkRGBA *ink)
{
  g_autofree char *text = g_strdup_printf("%'u", most);
  g_autoptr(PangoLayout) layout = gtk_widget_create_pango_layout(widget, text);
  int width;
  pango_layout_get_pixel_size(layout, &width, NULL);
  const double left = right - width - 6 - LEGEND_PX;
  for (int i = 0; i < LEGEND_PX; i++) {
    guint8 rgb[3];
    vt_plot_shade_get_color(i / (LEGEND_PX - 1.0), vt_plot_shade_is_dark(ink), rgb);
    vt_plot_draw_box(snapshot, left + i, 7, 1, 8,
                     &(GdkRGBA){ (float)rgb[0] / 255, (float)rgb[1] / 255, (float)rgb[2] / 255, 1 });
  }
  vt_plot_draw_text(widget, snapshot, text, right, 2, 1, ink);
  vt_plot_draw_text(widget, snapshot, what, left - 6, 2, 1, ink);
}
