/* SPDX-License-Identifier: MIT
 *
 * How many objects are in a cell of a plot, as colours of a logarithmic scale. Main thread only. */
#pragma once
#include <gtk/gtk.h>

/* The ink is light, so what is below it is dark. */
gboolean vt_plot_shade_is_dark(const GdkRGBA *ink);
/* shade: 0 to 1 (vt_scatter_get_shade()). */
void vt_plot_shade_get_color(double shade, gboolean is_dark, guint8 rgb[3]);
/* A cell of edge × edge pixels (vt_paint_texture_new()); stride: in pixels. */
void vt_plot_shade_put_cell(guint32 *pixels, gsize stride, guint edge, const guint8 rgb[3]);
/* "what" from 1 to `most`, ending at `right`. */
void vt_plot_shade_draw_legend(GtkWidget *widget, GtkSnapshot *snapshot, const char *what, guint most, double right,
                               const GdkRGBA *ink);
