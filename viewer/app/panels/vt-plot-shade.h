/* SPDX-License-Identifier: MIT
 *
 * How many objects are in a cell of a plot, as colours of a logarithmic scale. Main thread only. */
#pragma once
#include <gtk/gtk.h>

#define VT_PLOT_CELL_PX 2 /* logical */

/* The ink is light, so what is below it is dark. */
gboolean vt_plot_shade_is_dark(const GdkRGBA *ink);
/* shade: 0 to 1 (vt_scatter_get_shade()). */
void vt_plot_shade_get_color(double shade, gboolean is_dark, guint8 rgb[3]);
/* Cells as a picture, kept until data, colours or the screen's scale are others. */
typedef struct {
  GdkTexture *texture; /* NULL: to be made */
  GdkRGBA ink;
  int scale;
} VtPlotPicture;
/* The colour of a cell, of rows from the top; FALSE: it has none. */
typedef gboolean (*VtPlotCellFunc)(gconstpointer data, gsize cell, gboolean is_dark, guint8 rgb[3]);
void vt_plot_picture_draw(VtPlotPicture *self, GtkWidget *widget, GtkSnapshot *snapshot, const GdkRGBA *ink,
                          guint width, guint height, VtPlotCellFunc get_color, gconstpointer data,
                          const graphene_rect_t *at);
/* From 1 to `most` objects, ending at `right`. */
void vt_plot_shade_draw_legend(GtkWidget *widget, GtkSnapshot *snapshot, guint most, double right, const GdkRGBA *ink);
