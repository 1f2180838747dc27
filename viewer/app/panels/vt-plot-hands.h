/* SPDX-License-Identifier: MIT
 *
 * What plots do alike under a hand: events, and a range on an axis that a drag makes, and moves by its middle or an end. Main thread only. */
#pragma once
#include <gtk/gtk.h>

#include "panels/vt-plot-axis.h"

/* Handlers of a drag, the pointer, keys and "query-tooltip", each with the plot as its last argument; NULL: none. */
typedef struct {
  GCallback drag_begin, drag_update, drag_end, drag_cancel, motion, key, tooltip;
  gboolean (*drop)(gpointer plot); /* on Escape; FALSE: there is nothing to drop */
} VtPlotHands;

/* For a widget's init. Keeps `hands`. */
void vt_plot_set_up(gpointer plot, const VtPlotHands *hands);
/* What Escape does where the focus is in a plot in which something is chosen; FALSE, and nothing, elsewhere. */
gboolean vt_plot_take_escape(GtkWidget *focus);

typedef enum { VT_PLOT_NOTHING, VT_PLOT_NEW, VT_PLOT_LOWER, VT_PLOT_UPPER, VT_PLOT_BOTH } VtPlotHold;
typedef struct {
  VtPlotHold hold;
  double at, from, to; /* parts of the axis: where it was taken, and the range then */
} VtPlotGrip;

/* What a hand takes at a part of the axis: an end of the range that is not farther than `near`, all of it, or, elsewhere, a new one. */
VtPlotGrip vt_plot_range_take(const VtPlotRange *range, const VtPlotAxis *axis, double part, double near);
/* The hand is at `part`, also beyond the axis; the ends are as round as vt_plot_axis_snap() has them for n. */
void vt_plot_range_move(VtPlotRange *range, const VtPlotGrip *grip, const VtPlotAxis *axis, double part, guint n);
/* Moves the lower or the upper end, not past the other. Without a range it is all of the axis before. */
void vt_plot_range_step(VtPlotRange *range, const VtPlotAxis *axis, double by, gboolean is_lower, guint n);
