/* SPDX-License-Identifier: MIT */
#include "panels/vt-plot-shade.h"

#include <glib/gi18n.h>

#include "layers/vt-paint.h"
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

static void
put_cell(guint32 *pixels, gsize stride, guint edge, const guint8 rgb[3])
{
  const guint32 word = 0xff000000 | (guint32)rgb[0] << 16 | (guint32)rgb[1] << 8 | rgb[2];
  for (guint row = 0; row < edge; row++)
    for (guint col = 0; col < edge; col++)
      pixels[row * stride + col] = word;
}

/* In device pixels: textures are smoothed where they are drawn larger. */
static GdkTexture *
make_texture(const VtPlotPicture *self, guint width, guint height, VtPlotCellFunc get_color, gconstpointer data)
{
  const guint edge = VT_PLOT_CELL_PX * (guint)self->scale;
  const gsize stride = (gsize)edge * width, n = stride * edge * height;
  const gboolean is_dark = vt_plot_shade_is_dark(&self->ink);
  guint32 *pixels = g_new0(guint32, n + 1);
  for (gsize i = 0; i < (gsize)width * height; i++) {
    guint8 rgb[3];
    if (get_color(data, i, is_dark, rgb))
      put_cell(pixels + i / width * edge * stride + i % width * edge, stride, edge, rgb);
  }
  g_autoptr(GBytes) bytes = g_bytes_new_take(pixels, n * sizeof *pixels);
  return vt_paint_texture_new((int)(width * edge), (int)(height * edge), bytes, stride * sizeof *pixels);
}

void
vt_plot_picture_draw(VtPlotPicture *self, GtkWidget *widget, GtkSnapshot *snapshot, const GdkRGBA *ink, guint width,
                     guint height, VtPlotCellFunc get_color, gconstpointer data, const graphene_rect_t *at)
{
  const int scale = gtk_widget_get_scale_factor(widget);
  if (self->scale != scale || !gdk_rgba_equal(ink, &self->ink))
    g_clear_object(&self->texture);
  self->scale = scale;
  self->ink = *ink;
  if (!self->texture)
    self->texture = make_texture(self, width, height, get_color, data);
  if (vt_plot_is_on_paper(widget))
    gtk_snapshot_append_texture(snapshot, self->texture, at);
  else
    vt_paint_texture(widget, snapshot, self->texture, at);
}

void
vt_plot_shade_draw_legend(GtkWidget *widget, GtkSnapshot *snapshot, guint most, double right, const GdkRGBA *ink)
{
  g_autofree char *what =
    g_strdup_printf(_("Objects per %d × %d px, log colours: 1"), VT_PLOT_CELL_PX, VT_PLOT_CELL_PX);
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
