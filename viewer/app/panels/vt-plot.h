/* SPDX-License-Identifier: MIT
 *
 * A histogram with a range on it, which a drag makes, and moves by its middle or an end. Left and Right move its upper end, with Shift
 * the lower one. Or, in the place of a range, cuts between classes: a drag moves one, Left and Right the chosen one, Up and Down choose.
 * Signals: "range" (there is another one, or none), "held" (gboolean: a hand takes a cut, or lets it go), "cut" (guint, double: a hand or a key
 * brought that cut to that value), "gate-moved" (VtPlotGate *: a hand has moved an end of the chosen gate), "resized". Main thread only. */
#pragma once
#include <gtk/gtk.h>

#include "panels/vt-plot-choice.h"
#include "panels/vt-plot-data.h"

#define VT_TYPE_PLOT (vt_plot_get_type())
G_DECLARE_FINAL_TYPE(VtPlot, vt_plot, VT, PLOT, GtkWidget)

enum { VT_PLOT_MOST_CUTS = 3 };

GtkWidget *vt_plot_new(void);
/* Takes the numbers; NULL: nothing is shown. `title` of the axis. The range stays. */
void vt_plot_set(VtPlot *self, VtPlotData *data, const char *title);
const VtPlotData *vt_plot_get_data(VtPlot *self); /* or NULL */
/* VtPlotGate, of the number that is shown, or NULL. Takes them. */
void vt_plot_set_gates(VtPlot *self, GPtrArray *gates);
/* The number of the selected object; NaN: none. */
void vt_plot_set_mark(VtPlot *self, double value);
/* How many bins there is room for. */
guint vt_plot_get_room(VtPlot *self);
/* Both ends belong to it. FALSE: there is none. */
gboolean vt_plot_get_range(VtPlot *self, double *from, double *to);
void vt_plot_set_range(VtPlot *self, double from, double to);
void vt_plot_drop_range(VtPlot *self);
/* Rising; of `n` + 1 classes with these colours. They stay where they are until this is called again, also while a hand is on one. n 0: none, and ranges again. */
void vt_plot_set_cuts(VtPlot *self, const double *values, const guint8 (*colours)[3], guint n);
