/* SPDX-License-Identifier: MIT
 *
 * What plots draw alike. Main thread only. */
#pragma once
#include <gtk/gtk.h>

#include "panels/vt-plot-axis.h"

/* `at`: how much of the text is to the left of x, 0 to 1. */
void vt_plot_draw_text(GtkWidget *widget, GtkSnapshot *snapshot, const char *text, double x, double y, double at,
                       const GdkRGBA *ink);
/* In so much room; what is too long is cut at its end. */
void vt_plot_draw_text_in(GtkWidget *widget, GtkSnapshot *snapshot, const char *text, double left, double y,
                          double width, PangoAlignment alignment, const GdkRGBA *ink);
/* Ticks and numbers below (or left of) a line that begins at (x, y) and is `span` long, upwards where it is vertical. */
void vt_plot_draw_ticks(GtkWidget *widget, GtkSnapshot *snapshot, const VtPlotAxis *axis, double x, double y,
                        double span, gboolean is_vertical, const GdkRGBA *ink);
void vt_plot_draw_box(GtkSnapshot *snapshot, double x, double y, double width, double height, const GdkRGBA *colour);
/* It is drawn for a document: dark on white, and nothing of how it is used. */
gboolean vt_plot_is_on_paper(GtkWidget *widget);
/* The colours of text, of lines and of what is chosen. */
void vt_plot_get_inks(GtkWidget *widget, GdkRGBA *ink, GdkRGBA *pale, GdkRGBA *accent);
/* Round a plot that keys go to. */
void vt_plot_draw_focus(GtkWidget *widget, GtkSnapshot *snapshot);
/* The plot as it is drawn on white paper; owned, NULL: it is empty. */
GskRenderNode *vt_plot_record(GtkWidget *plot);
/* The same with a note below it as a file, by the end of its name: .svg, .pdf, or .png at twice its size. */
gboolean vt_plot_save(GtkWidget *plot, const char *note, const char *path, GError **error);
/* A line at an end of a gate, and a handle in its middle. */
void vt_plot_draw_gate_end(GtkSnapshot *snapshot, double x, double top, double bottom, gboolean has_handle,
                           const GdkRGBA *colour, const GdkRGBA *ink);
/* The selected object: a line with a head, so that it is no end of a range. */
void vt_plot_draw_mark(GtkSnapshot *snapshot, double x, double top, double height, const GdkRGBA *ink);
